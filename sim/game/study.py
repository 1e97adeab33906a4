"""Studies: what to play. Players, rules, deck, how many rounds or games, and the seed.

A study file, shipped or a designer's::

    title = "How early to call BAO"      # title, question and name may be left out
    question = "Does a threshold of 3 win more than one of 5?"
    players = [                          # one for each seat, 2 to 6
        "balanced",                      # a shipped player,
        "my.toml",                       # a file, relative to this one,
        { base = "balanced", bao_threshold = 3 },    # or a table as in a player file
    ]
    edition = "second"                   # the default
    deck = "five_per_value"              # the default; or a file, or a table as in a deck file
    rounds = 1000000                     # or games = 1000, never both
    seed = 7                             # 1 if left out

    [rules]                              # single options, see the rulebook's section 16
    bao_failure_minimum = 10
    hand_size.2 = 6

The same in Python, giving an equal `Study`::

    Study.of(players=["balanced", "my.toml", {"base": "balanced", "bao_threshold": 3}],
             rules={"bao_failure_minimum": 10, "hand_size": {2: 6}}, rounds=1_000_000, seed=7)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from sim.errors import InputError, within
from sim.game.base import Frozen, Prose, Whole, digest, plain
from sim.game.deck import DEFAULT_DECK, Deck
from sim.game.files import FromFile, PathLike, locate, refuse_others, shipped
from sim.game.players import Player
from sim.game.rules import PLAYER_COUNTS, Rules

MAX_UNITS = 2**36
"""The most rounds or games that a study may ask for."""

MAX_SEED = 2**64 - 1

DEFAULT_STUDY = "first"
"""The study that is played when none is named."""

Players = str | Iterable[PathLike | Mapping[str, Any] | Player]
"""What may stand for the players of a table: one entry for each seat, or names with commas."""


class Study(Frozen, FromFile):
    """What to play, resolved: nothing in it refers to a file any more. Immutable, checked.

    Make one with `Study.of`, `Study.from_file`, `Study.from_dict` or `load_study`.

    Attributes:
        players: One strategy for each seat, 2 to 6; seat 0 first.
        rules: All rule options.
        deck: The cards.
        rounds: Rounds to play, each on its own; None where games are played.
        games: Games to play (GAME-1); None where rounds are played.
        seed: Where all random numbers come from, 0 to 2**64 - 1.
        name: A short name for results; may be empty.
        title: One line for people; may be empty.
        question: What the study is to find out; may be empty.
    """

    also_valid: ClassVar[tuple[str, ...]] = ("edition",)

    players: tuple[Player, ...] = Field(
        strict=False,
        description="one strategy for each seat",
        json_schema_extra={"expected": "a list of 2 to 6 players"},
    )
    rules: Rules = Field(
        default_factory=Rules,
        description="the rule options",
        json_schema_extra={"expected": "a table of rule options"},
    )
    deck: Deck = Field(
        default_factory=lambda: Deck.of(DEFAULT_DECK),
        description="the cards",
        json_schema_extra={"expected": "a deck's name, a path or a table"},
    )
    rounds: Whole | None = Field(default=None, ge=1, le=MAX_UNITS, description="rounds to play")
    games: Whole | None = Field(default=None, ge=1, le=MAX_UNITS, description="games to play")
    seed: Whole = Field(
        default=1, ge=0, le=MAX_SEED, description="where all random numbers come from"
    )
    name: str = Field(default="", max_length=80, description="a short name for results")
    title: Prose = Field(default="", max_length=200, description="one line for people")
    question: Prose = Field(
        default="", max_length=1000, description="what the study is to find out"
    )

    @model_validator(mode="after")
    def _playable(self) -> Self:
        """Check what no field shows alone."""
        if len(self.players) not in PLAYER_COUNTS:
            raise InputError(expected="2 to 6 players", key="players", got=len(self.players))
        if self.rounds is not None and self.games is not None:
            problem = "rounds and games at once"
            raise InputError(problem, key="games", expected="one of the two", got=self.games)
        if self.rounds is None and self.games is None:
            problem = "neither rounds nor games"
            raise InputError(problem, key="rounds", expected="a whole number for one of the two")
        self._check_deal(len(self.players))
        for equals in range(2, len(self.players)) if self.games else ():
            self._check_deal(equals, " in a deciding round")  # GAME-4
        return self

    def _check_deal(self, players: int, when: str = "") -> None:
        """Check that the deck has a hand for each, the first discard and a card to draw."""
        hand, cards = self.rules.hand_size[players], self.deck.size
        need = players * hand + 2
        if need > cards:
            raise InputError(
                f"'{self.deck.name}' is too small for {players} players{when}",
                key="deck",
                expected=f"at least {need} cards ({players} hands of {hand}, the first discard "
                "and 1 card to draw)",
                got=cards,
            )

    @classmethod
    def of(
        cls,
        *,
        players: Players,
        rounds: int | None = None,
        games: int | None = None,
        edition: str | None = None,
        deck: PathLike | Mapping[str, Any] | Deck = DEFAULT_DECK,
        rules: Mapping[str, Any] | Rules | None = None,
        seed: int = 1,
        name: str = "",
        title: str = "",
        question: str = "",
        folder: PathLike | None = None,
    ) -> Study:
        """Return a study of names, paths, dicts or objects.

        Args:
            players: One for each seat: shipped name, path, dict like a player file, or `Player`;
                or one text with commas between names or paths.
            rounds: Rounds to play, 1 to 2**36.
            games: Games to play instead.
            edition: ``"second"``, the default, or ``"first"``; with a `Rules` object, its edition
                is changed and what differed from its own edition kept.
            deck: Shipped name, path, dict like a deck file, or `Deck`.
            rules: Changes to the edition by option name, or a `Rules`.
            seed: 0 to 2**64 - 1.
            name: A short name for results.
            title: One line for people.
            question: What the study is to find out.
            folder: What relative paths are relative to; the current folder if None.

        Raises:
            InputError: Anything wrong in it.
        """
        data: dict[str, Any] = {
            "players": players,
            "edition": edition,
            "rules": rules,
            "deck": deck,
            "rounds": rounds,
            "games": games,
            "seed": seed,
            "name": name,
            "title": title,
            "question": question,
        }
        return cls.from_dict(data, folder=folder)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: PathLike | None = None) -> Study:
        """Return the study of a dict like a study file, or of what `to_dict` returned.

        Args:
            data: The content of a study file.
            folder: What relative paths are relative to; the current folder if None.

        Raises:
            InputError: Anything wrong in it.
        """
        if not isinstance(data, Mapping):
            raise InputError(expected="a table with the keys of a study", got=data)
        refuse_others("study", data)
        resolved: dict[str, Any] = {key: data[key] for key in data if key != "edition"}
        if "players" in data:
            resolved["players"] = some_players(data["players"], folder, PLAYER_COUNTS[-1])
        resolved["rules"] = _rules(data.get("edition"), data.get("rules"))
        resolved["deck"] = _deck(data.get("deck", DEFAULT_DECK), folder)
        return cls.model_validate(resolved)

    def with_changes(self, *, folder: PathLike | None = None, **changes: Any) -> Study:
        """Return this study with some of `Study.of`'s arguments replaced.

        ``rules`` as a dict changes single options and keeps the others; a new ``edition`` keeps
        what differed from the old one; ``rounds`` replaces ``games`` and the other way round.

        Args:
            folder: What relative paths are relative to; the current folder if None.
            **changes: Arguments of `Study.of`; None changes nothing.

        Raises:
            InputError: Anything wrong in them.
        """
        given = {key: value for key, value in changes.items() if value is not None}
        unit = {} if given.keys() & {"rounds", "games"} else self._unit()
        same = {name: getattr(self, name) for name in _SAME}
        if given.keys() - _KEEPS_TITLE:
            same |= {"name": "", "title": "", "question": ""}  # it is another study now
        data = same | unit | given
        if isinstance(data["rules"], Mapping):
            rules = _rules(given.get("edition"), self.rules)  # the edition first: changes win
            with within("rules"):
                data["rules"] = rules.with_changes(**_options(data["rules"]))
        return Study.from_dict(data, folder=folder)

    def to_dict(self) -> dict[str, Any]:
        """Return the study as resolved, JSON-ready; `Study.from_dict` makes an equal one of it."""
        return {
            "name": self.name,
            "title": self.title,
            "question": self.question,
            "players": [player.to_dict() for player in self.players],
            "edition": self.edition,
            "deck": self.deck.to_dict(),
            "rules": self.rules.to_dict(),
            "rounds": self.rounds,
            "games": self.games,
            "seed": self.seed,
        }

    @property
    def edition(self) -> str:
        """The edition that the rules started from."""
        return self.rules.edition

    @property
    def unit(self) -> str:
        """What is played and counted: ``"rounds"`` or ``"games"``."""
        return "rounds" if self.games is None else "games"

    @property
    def count(self) -> int:
        """How many rounds or games are played."""
        return next(iter(self._unit().values()))

    @property
    def deck_assumed(self) -> bool:
        """Whether the deck's numbers of copies are an assumption (CARD-3)."""
        return self.deck.assumed

    @property
    def rules_id(self) -> str:
        """Digest of rules and deck: equal where the same game is played."""
        return digest({"rules": self.rules.fingerprint, "deck": self.deck.fingerprint})

    @property
    def design_id(self) -> str:
        """Digest of all that determines the numbers but the seed: players, rules, deck, unit."""
        return digest(self._design())

    @property
    def fingerprint(self) -> str:
        """Digest of all that determines the numbers: the design and the seed.

        Neither how many rounds or games are played is in it, as the first ones are always the
        same, nor names, titles and characters.
        """
        return digest(self._design() | {"seed": self.seed})

    def __repr__(self) -> str:
        """Say in a line what is played; `to_dict` has all of it."""
        players = ", ".join(player.name for player in self.players)
        return (
            f"<Study of {self.count} {self.unit}: {players}; {self.edition} edition, "
            f"deck {self.deck.name}, seed {self.seed}>"
        )

    __str__ = __repr__

    def _design(self) -> dict[str, Any]:
        players = [player.fingerprint for player in self.players]
        return {"players": players, "game": self.rules_id, "unit": self.unit}

    def _unit(self) -> dict[str, int]:
        both = {"rounds": self.rounds, "games": self.games}
        return {unit: count for unit, count in both.items() if count is not None}


_KEEPS_TITLE = {"rounds", "games", "seed", "name", "title", "question"}
"""Changes after which a study's title still says what it is."""

_SAME = ("players", "rules", "deck", "seed", "name", "title", "question")

_OUTSIDE = {"edition", "seats", *Study.model_fields}
"""Keys of a study or a tournament, which are no rule options."""


def shipped_studies() -> tuple[str, ...]:
    """Return the names of the studies that ship with the program."""
    return shipped("studies")


def load_study(name_or_path: PathLike = DEFAULT_STUDY) -> Study:
    """Return a shipped study by name, or the study of a TOML file.

    Raises:
        InputError: No such study, or a file is wrong.
    """
    return Study.from_file(locate("studies", name_or_path))


def some_players(players: Any, folder: PathLike | None, most: int) -> tuple[Player, ...]:
    """Return the 2 to `most` players that a list or a text with commas means.

    Raises:
        InputError: It is neither, there are fewer or more, or one of them is wrong.
    """
    if isinstance(players, str):
        players = [name.strip() for name in players.split(",")]
    players = plain(players)
    if not isinstance(players, Iterable) or isinstance(players, str | Mapping | Player):
        raise InputError(expected=f"a list of 2 to {most} players", key="players", got=players)
    given = players if isinstance(players, list | tuple) else list(islice(players, most + 1))
    if not 2 <= len(given) <= most:
        raise InputError(expected=f"2 to {most} players", key="players", got=len(given))
    made = []
    for k, player in enumerate(given):
        with within(f"players.{k}"):
            made.append(Player.of(player, folder=folder))
    return tuple(made)


def _deck(deck: PathLike | Mapping[str, Any] | Deck, folder: PathLike | None) -> Deck:
    with within("deck"):
        return Deck.of(deck, folder=folder)


def _rules(edition: str | None, rules: Any) -> Rules:
    """Return the rules that an edition and changes to it mean together."""
    if isinstance(rules, Rules):
        return rules if edition is None else rules.with_changes(edition=edition)
    with within("rules"):
        changes = _options({} if rules is None else rules)
    if edition is not None:
        Rules.of(edition)  # a mistake in the edition is none of the table's
    with within("rules"):
        return Rules.of("second" if edition is None else edition, **changes)


def _options(rules: Any) -> dict[str, Any]:
    if not isinstance(rules, Mapping):
        raise InputError(expected="a table of rule options", got=rules)
    strange = next((key for key in rules if key in _OUTSIDE), None)
    if strange is not None:
        raise InputError("belongs to the study, outside of its rules: above [rules]", key=strange)
    if any(not isinstance(key, str) for key in rules):
        raise InputError(expected="rule options by name", got=list(rules))
    return dict(rules)
