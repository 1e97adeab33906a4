"""Comparisons: two studies on the same deals, and in what they differ.

Both studies are played with one seed, so that every round of both has the same deal and the same
luck, as far as they go alike. Where players differ among each other, each deal is played in all
rotations of the seats, and a player's numbers are those of its rounds at all of them; where all are
alike, seats stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sim.errors import InputError
from sim.game.base import digest
from sim.game.deck import Deck
from sim.game.documents import apart
from sim.game.players import Player
from sim.game.rules import Rules
from sim.game.study import Study


@dataclass(frozen=True)
class Comparing:
    """What to compare, checked: two studies of one seed and of equally many rounds or games.

    Attributes:
        a: The first study; its rounds are those of full blocks.
        b: The second.
        rotated: Whether every deal is played in all rotations of the seats.
        notes: What was made of studies that do not fit together, in words.
    """

    a: Study
    b: Study
    rotated: bool
    notes: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        a: Study,
        b: Study,
        *,
        rotate: bool | None = None,
        rounds: int | None = None,
        games: int | None = None,
        seed: int | None = None,
    ) -> Comparing:
        """Return what to play so that two studies can be compared.

        Args:
            a: The first.
            b: The second.
            rotate: Whether to play every deal in all rotations of the seats; None: where players
                of one of the studies differ.
            rounds: Rounds of each; those of `a` if None. Rounded up to full blocks.
            games: Games of each instead.
            seed: Of both; that of `a` if None.

        Raises:
            InputError: They have not the same number of players, or not the same unit.
        """
        counts = {"rounds": rounds, "games": games}
        given: dict[str, Any] = {unit: n for unit, n in counts.items() if n is not None}
        if given:
            a, b = a.with_changes(**given), b.with_changes(**given)
        check_alike(a, b)
        notes = []
        if seed is None and a.seed != b.seed:
            notes.append(f"both studies are played with seed {a.seed}; the second says {b.seed}")
        if a.count != b.count:
            notes.append(f"both studies play {a.count:,} {a.unit}; the second says {b.count:,}")
        rotated = (_differ(a) or _differ(b)) if rotate is None else bool(rotate)
        size = len(a.players) if rotated else 1
        count = -(-a.count // size) * size
        if count != a.count:
            blocks = f"full blocks of {size} rotations"
            notes.append(f"{a.count:,} {a.unit} are rounded up to {count:,}: {blocks}")
        same: dict[str, Any] = {a.unit: count, "seed": a.seed if seed is None else seed}
        return cls(a.with_changes(**same), b.with_changes(**same), rotated, tuple(notes))

    @property
    def blocks(self) -> int:
        """How many deals are played."""
        return self.a.count // (len(self.a.players) if self.rotated else 1)

    @property
    def fingerprint(self) -> str:
        """Digest of all that determines the numbers."""
        sides = [self.a.fingerprint, self.b.fingerprint]
        return digest({"sides": sides, "rotated": self.rotated, "count": self.a.count})

    def to_dict(self) -> dict[str, Any]:
        """Return both studies as resolved, JSON-ready."""
        return {"a": self.a.to_dict(), "b": self.b.to_dict(), "rotated": self.rotated}


def check_alike(a: Study, b: Study) -> None:
    """Check that two studies can be compared deal by deal."""
    if len(a.players) != len(b.players):
        problem = f"the first study has {len(a.players)} players, the second {len(b.players)}"
        raise InputError(problem, key="players", expected="equally many")
    if a.unit != b.unit:
        problem = f"the first study is one of {a.unit}, the second one of {b.unit}"
        raise InputError(problem, key=b.unit, expected="rounds in both, or games in both")


def _differ(study: Study) -> bool:
    return len({player.fingerprint for player in study.players}) > 1


_SINGLE = 4  # parameters of a player that are told one by one; beyond, the player is


def changed(a: Study, b: Study) -> list[dict[str, Any]]:
    """Return in what two studies differ; names and characters are no difference.

    Of options that are tables by number of players only the entry of these tables counts.

    Returns:
        For each thing ``what``: ``rules.OPTION`` or ``rules.OPTION.PLAYERS``, ``players.SEAT`` or
        ``players.SEAT.PARAMETER``, ``edition``, ``deck`` or ``deck.BIRD.FACT``; its value in ``a``
        and in ``b``; and ``meaning``, the description of an option or a parameter, else empty.
    """
    pairs = [*_edition(a, b), *_rules(a, b), *_decks(a.deck, b.deck)]
    for seat, (one, other) in enumerate(zip(a.players, b.players, strict=True)):
        pairs += _players(seat, one, other)
    return [
        {"what": what, "a": one, "b": other, "meaning": _meaning(a, what)}
        for what, one, other in pairs
    ]


def _meaning(study: Study, what: str) -> str:
    """Return the description of what ``rules.OPTION`` or ``players.SEAT.PARAMETER`` names."""
    kind, _, rest = what.partition(".")
    if kind == "rules":
        specs, name = Rules.options(), rest.partition(".")[0]
    elif kind == "players" and "." in rest:
        seat, _, name = rest.partition(".")
        specs = type(study.players[int(seat)]).parameters()
    else:
        return ""
    return next(str(spec["description"]) for spec in specs if spec["name"] == name)


Pair = tuple[str, Any, Any]


def _edition(a: Study, b: Study) -> Iterator[Pair]:
    if a.edition != b.edition:
        yield "edition", a.edition, b.edition


def _rules(a: Study, b: Study) -> Iterator[Pair]:
    mine, theirs = (of_table(each, each.rules.to_dict()) for each in (a, b))
    yield from apart(mine, theirs, "rules")


def of_table(study: Study, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options without what is for other numbers of players than sit at the study's table."""
    count, kept = str(len(study.players)), {}
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = {key: each for key, each in value.items() if str(key) == count}
        if value != {}:
            kept[name] = value
    return kept


def _decks(a: Deck, b: Deck) -> Iterator[Pair]:
    if a.fingerprint == b.fingerprint:
        return
    if a.name != b.name:
        yield "deck", a.name, b.name
    birds = [
        {bird.id: bird.model_dump(exclude={"id", "name"}) for bird in deck.birds} for deck in (a, b)
    ]
    for bird in dict.fromkeys([*birds[0], *birds[1]]):
        mine, theirs = (each.get(bird) for each in birds)
        if mine is None or theirs is None:
            copies = [None if fact is None else fact["copies"] for fact in (mine, theirs)]
            yield f"deck.{bird}.copies", copies[0] or 0, copies[1] or 0
        else:
            yield from apart(mine, theirs, f"deck.{bird}")


def _players(seat: int, a: Player, b: Player) -> list[Pair]:
    if a.fingerprint == b.fingerprint:
        return []
    key = f"players.{seat}"
    if a.kind == b.kind:
        pairs = list(apart(a.values, b.values, key))
        if len(pairs) <= _SINGLE:
            return pairs
    return [(key, a.name, b.name)]
