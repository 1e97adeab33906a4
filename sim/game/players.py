"""Players: strategies as data, with every parameter typed, bounded and described.

A strategy is a kind of player (``heuristic`` or ``random``) and values for that kind's parameters.
Some ship with the program; a designer writes others as TOML files, from a kind's defaults::

    kind = "heuristic"
    character = "Calls early and hopes."     # may be left out
    bao_threshold = 12

or as changes to another player, a shipped one or a file::

    base = "balanced"
    bao_threshold = 12

To add a parameter, add one field to its kind; `Player.parameters` and files know it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, model_validator

from sim.errors import InputError, nearest
from sim.game.base import (
    Frozen,
    Name,
    Prose,
    Whole,
    digest,
    field_spec,
    number,
    plain,
    whole_text,
)
from sim.game.files import PathLike, resolve, shipped

Number = Annotated[float, AfterValidator(lambda number: number + 0.0)]  # no -0.0: one zero


def _real(unit: str, low: float, high: float) -> Callable[[float, str], Any]:
    """Return what makes fields of numbers with a unit: of a default and a description."""

    def field(default: float, description: str) -> Any:
        says: dict[str, Any] = {"description": description, "json_schema_extra": {"unit": unit}}
        return Field(default=float(default), ge=low, le=high, allow_inf_nan=False, **says)

    return field


_points = _real("points", -200, 200)
"""A number of points, compared with estimates."""
_share = _real("share", 0, 1)
"""A probability or share."""
_seconds = _real("seconds", 0, 60)
"""A time."""


def _count(default: int, low: int, high: int, unit: str, description: str) -> Any:
    """Return the field of a whole number."""
    extra: dict[str, Any] = {"unit": unit}
    return Field(default=default, ge=low, le=high, description=description, json_schema_extra=extra)


def _choice(default: object, description: str) -> Any:
    """Return the field of a choice between names, or between true and false."""
    return Field(default=default, description=description)


class Player(Frozen):
    """A strategy; make one with `Player.of` or `load_player`. Immutable, checked when made.

    Attributes:
        name: How results name it: a shipped name or the stem of the file's name.
        character: A sentence for people.
        kind: Which policy plays it; decides which parameters there are.
    """

    noun: ClassVar[str] = "parameter"
    also_valid: ClassVar[tuple[str, ...]] = ("base",)

    name: Name = Field(default="player", description="how results name it")
    character: Prose = Field(default="", max_length=300, description="a sentence for people")
    kind: str = Field(default="", description="which policy plays it")

    @model_validator(mode="after")
    def _has_a_kind(self) -> Self:
        if type(self) is Player:
            raise TypeError("a player needs a kind: make it with Player.of or load_player")
        return self

    @classmethod
    def of(
        cls, player: PathLike | Mapping[str, Any] | Player, *, folder: PathLike | None = None
    ) -> Player:
        """Return the player meant by a shipped name, a path, a dict like a file, or a player.

        Args:
            player: What is meant.
            folder: What relative paths are relative to; the current folder if None.

        Raises:
            InputError: No such player, or the file or dict is wrong.
        """
        if isinstance(player, Player):
            return player
        return resolve("players", player, folder, _from_dict)

    def with_changes(self, **changes: Any) -> Player:
        """Return this player with parameters changed.

        Unless `name` is among the changes, the name tells them: ``balanced(bao_threshold=3)``.

        Raises:
            InputError: No such parameter, or a value that it does not take.
        """
        if changes.get("kind", self.kind) != self.kind:
            problem = "a change keeps the kind"
            raise InputError(problem, key="kind", expected=f'"{self.kind}"', got=changes["kind"])
        before = self.to_dict()
        changed = type(self).model_validate(before | plain(changes))
        if "name" in changes:
            return changed
        after = changed.values
        differing = {key: after[key] for key in after if after[key] != before[key]}
        return changed.model_copy(update={"name": _derived_name(self.name, differing)})

    def to_dict(self) -> dict[str, Any]:
        """Return name, character, kind and all parameters, JSON-ready, as `Player.of` takes it."""
        return self.model_dump(mode="json")

    @property
    def values(self) -> dict[str, Any]:
        """The value of every parameter, by name."""
        return {name: getattr(self, name) for name in _parameter_names(type(self))}

    later: ClassVar[frozenset[str]] = frozenset()
    """Parameters that came later. At their defaults they are left out of digests, so that those of
    older folders hold."""

    @property
    def fingerprint(self) -> str:
        """Digest of what is played: kind and parameters; no name, no character."""
        fields, values = type(self).model_fields, self.values
        idle = {name for name in self.later if values[name] == fields[name].default}
        played = {name: value for name, value in values.items() if name not in idle}
        return digest({"kind": self.kind, **played})

    @classmethod
    def parameters(cls) -> list[dict[str, Any]]:
        """Return every parameter of this kind, JSON-ready.

        Returns:
            For each: ``name``, ``description``, ``type`` (``boolean``, ``integer``, ``number``,
            ``choice``), ``unit`` of numbers, ``min`` and ``max`` or ``choices``, ``default`` and
            ``expected`` (the values allowed, in words).
        """
        return [field_spec(name, cls.model_fields[name]) for name in _parameter_names(cls)]


_COUNTED_OR_POINTS = '"counted" or a number from -200 to 200'


def _counted_or_points(value: Any, info: ValidationInfo) -> str | float:
    """Return a value that is ``"counted"`` or a number of points."""
    if value == "counted":
        return "counted"
    points = number(value)
    if points is not None and -200 <= points <= 200:
        return points + 0.0
    raise InputError(expected=_COUNTED_OR_POINTS, key=info.field_name, got=value)


CountedOrPoints = Annotated[str | float, PlainValidator(_counted_or_points)]


class HeuristicPlayer(Player):
    """The parameterised player: estimates from what its seat may know, thresholds on estimates.

    An *estimate* of a card is its value where the player knows and remembers it, else the mean
    of the cards that the player has not placed. Cards that people chose count less: 0.65 times
    that if somebody kept it, 0.28 times in place of a known card no higher than the deck's mean,
    1 / (1 + 0.2 t) times if its owner looked at it t turns ago at the deal and left it; one that
    somebody put before a rival counts 1.2 times. A declarer's total is
    believed to be at most 6. A *gain* is by how much an action is estimated to
    improve the player's standing, in points.
    """

    by_nature: ClassVar[frozenset[str]] = frozenset(
        (
            *("memory_span", "forget_rate", "mix_up_rate", "count_cards"),
            *("reaction_mean", "reaction_sd", "attention", "blunder_rate"),
        )
    )
    """Parameters that a player cannot choose."""

    later: ClassVar[frozenset[str]] = frozenset(
        (
            *("last_take_max", "last_swaps", "take_before_call", "pluck_worth", "pluck_danger"),
            *("swap_know_worth", "game_caution"),
        )
    )

    kind: Literal["heuristic"] = "heuristic"

    bao_threshold: Whole = _count(
        5,
        -20,
        200,
        "points",
        "calls BAO at an estimated own total of at most this (unknown cards: see unknown_value)",
    )
    bao_unknown_max: Whole = _count(
        1, 0, 66, "cards", "calls BAO with at most this many unknown cards of its own"
    )
    bao_margin: Number = _points(
        2, "calls BAO only if the lowest estimated rival total is at least this much higher"
    )
    bao_min_turn: Whole = _count(
        0, 0, 1000, "turns", "turns of its own to have played in the round before it calls BAO"
    )
    pluck_confidence: Number = _share(
        0.9, "probability of a match from which it plucks a card of its own"
    )
    pluck_rival_confidence: Number = _share(
        0.95, "probability of a match from which it plucks a rival's card"
    )
    pluck_rival_min_gain: Number = _points(
        2, "least gain (gift got rid of, harm to the rival) for which it plucks a rival's card"
    )
    double_pluck: bool = _choice(True, "attempts double plucks")
    pluck_on_draw: bool = _choice(True, "attempts plucks with the card it has drawn")
    pluck_in_window: bool = _choice(True, "attempts plucks in other players' windows")
    gift: Literal["highest", "unknown", "lowest_loss"] = _choice(
        "highest",
        "gives away its highest estimated card; an unknown one if it has one; or of the cards "
        "that cost it least the one that rivals know least about",
    )
    take_max_value: Number = _points(5, "takes the top discard only if it is worth at most this")
    take_min_gain: Number = _points(
        3, "takes the top discard only if that lowers its own estimated total by at least this"
    )
    keep_min_gain: Number = _points(
        1, "keeps a drawn card only if that lowers its own estimated total by at least this"
    )
    power_appetite: Number = _points(
        1.5, "gain of keeping a drawn power card that it forgoes to discard it for its power"
    )
    look_first: Literal["own", "rival"] = _choice(
        "own", "whose unknown cards it looks at first with a power"
    )
    show_first: Literal["own", "rival"] = _choice(
        "rival", "whose unknown cards it shows first with a power"
    )
    swap_min_gain: Number = _points(
        1, "least gain for which it puts one of its own cards into a Barn Owl's swap"
    )
    macaw_min_gain: Number = _points(1, "least gain for which it swaps with a Macaw")
    toco_target: Literal["leader", "next", "declarer", "random"] = _choice(
        "leader",
        "who gets a Toco Toucan's card; leader: the lowest estimate, also where none declared",
    )
    shoebill_target: Literal["leader", "lowest", "declarer", "random"] = _choice(
        "lowest",
        "whose card a Shoebill replaces; lowest: the lowest of all rivals' cards, also where "
        "none declared",
    )
    unknown_value: CountedOrPoints = Field(
        "counted",
        description="what it takes an unknown dealt card to be worth; counted: the mean of those "
        "unseen; less (more) for a card that somebody kept or left (put before a rival)",
        json_schema_extra={
            "unit": "points",
            "type": "number or counted",
            "min": -200,
            "max": 200,
            "expected": _COUNTED_OR_POINTS,
        },
    )
    know_worth: Number = _points(
        3, "points that it reckons an unknown card of its own higher, to part with it first"
    )
    memory_span: Whole = _count(
        128,
        0,
        128,
        "cards",
        "face-down cards that it keeps in mind, the oldest goes first; 128: all",
    )
    forget_rate: Number = _share(0, "probability per turn of forgetting a remembered card")
    mix_up_rate: Number = _share(
        0, "probability per turn that a remembered card silently becomes a wrong one"
    )
    count_cards: Number = _share(1, "share of the face-up cards that it counts for its estimates")
    bao_confidence: Number = _share(
        0, "least estimated probability of being strictly lowest to call BAO; 0: not asked for"
    )
    reaction_mean: Number = _seconds(1, "mean time until it shouts in a window")
    reaction_sd: Number = _seconds(0.3, "standard deviation of that time")
    blunder_rate: Number = _share(0, "share of its decisions that are any legal one")
    score_awareness: Number = _points(
        0, "points that bao_threshold rises by per point that it lies behind in a game"
    )
    attention: Number = _share(0.9, "probability of noticing a window at all")
    last_turns: bool = _choice(
        True, "in the last turns of a round takes any gain, whatever its least gains and appetite"
    )
    last_take_max: Number = _points(
        200, "in the last turns takes the top discard only if it is worth at most this"
    )
    last_swaps: bool = _choice(
        False, "in the last turns swaps with a Barn Owl or a Macaw for any gain, too"
    )
    take_before_call: bool = _choice(
        True, "takes the top discard also in a turn at whose end it would then call BAO"
    )
    pluck_worth: Number = _points(
        0, "points that it reckons a pluck with a drawn card higher than keeping that card"
    )
    pluck_danger: Number = _share(
        0,
        "share of a card's value that it fears to lose, for each matching card that it has not "
        "seen, by putting the card down where rivals may pluck with it",
    )
    swap_know_worth: Number = _share(
        0, "share of know_worth that counts for the own card that a Barn Owl or a Macaw moves"
    )
    game_caution: Number = _share(0, "what bao_confidence is higher by in games than in rounds")


class RandomPlayer(Player):
    """Any legal move, by the dice; rates say how often it makes each kind of move."""

    kind: Literal["random"] = "random"

    bao_rate: Number = _share(0.05, "share of its turns' ends at which it calls BAO, if it may")
    pluck_rate: Number = _share(0.05, "share of its opportunities for a pluck that it attempts")
    double_rate: Number = _share(0.25, "share of its attempts that are double, where one is legal")
    take_rate: Number = _share(0.3, "share of its turns in which it takes the top discard")
    keep_rate: Number = _share(0.5, "share of its drawn cards that it keeps")
    swap_rate: Number = _share(0.5, "share of its Macaws with which it swaps")
    decline_rate: Number = _share(0.2, "share of its powers that it declines, where it may")
    reaction_mean: Number = _seconds(1, "mean time until it shouts in a window")
    reaction_sd: Number = _seconds(0.3, "standard deviation of that time")


KINDS: dict[str, type[Player]] = {
    model.model_fields["kind"].default: model for model in Player.__subclasses__()
}
"""The kinds of players by name."""


def parameters_of_all() -> dict[str, dict[str, Any]]:
    """Return the parameters of all kinds by name, as `Player.parameters` tells them."""
    return {spec["name"]: spec for kind in KINDS.values() for spec in kind.parameters()}


def shipped_players() -> tuple[str, ...]:
    """Return the names of the players that ship with the program."""
    return shipped("players")


def load_player(name_or_path: PathLike) -> Player:
    """Return a shipped player by name, or the player of a TOML file.

    Raises:
        InputError: No such player, or the file is wrong.
    """
    return Player.of(name_or_path)


def seats_of(target: str, seats: int) -> list[int] | None:
    """Return the seats that a key names before its first point: ``0``, ``0,2`` or ``all``.

    Args:
        target: What stands there.
        seats: How many there are.

    Returns:
        Them, or None where it names something else.

    Raises:
        InputError: There are fewer seats.
    """
    if target == "all":
        return list(range(seats))
    parts = [part.strip() for part in target.split(",")]
    if not all(part.isdecimal() for part in parts):
        return None
    found = [seat for seat in map(whole_text, parts) if seat is not None and seat < seats]
    if len(found) < len(parts):
        raise InputError("no such seat", expected=f"0 to {seats - 1}, or all", got=target)
    return found


def changed_at(players: Sequence[Player], seats: Sequence[int], name: str, value: Any) -> list[Any]:
    """Return players of whom those at some seats have a parameter changed, if they know it.

    Raises:
        InputError: It is none, no player there has it, or it does not take the value.
    """
    if name in Player.model_fields or name == "base":
        raise InputError("not a parameter", key=name, expected="one of 'baobei list players'")
    if not any(name in players[seat].values for seat in seats):
        near = nearest(name, players[seats[0]].values)
        expected = None if near else "one of 'baobei list players'"
        raise InputError("no such parameter", key=name, expected=expected, nearest=near)
    changed = list(players)
    for seat in seats:
        if name in players[seat].values:
            changed[seat] = players[seat].with_changes(**{name: value})
    return changed


def _parameter_names(kind: type[Player]) -> tuple[str, ...]:
    return tuple(name for name in kind.model_fields if name not in Player.model_fields)


def _from_dict(data: dict[str, Any], base: Player | None) -> Player:
    if base is not None:
        return base.with_changes(**data)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        missing = "kind" not in data
        got: dict[str, Any] = {} if missing else {"got": kind, "nearest": nearest(kind, KINDS)}
        problem = "missing" if missing else None
        expected = " or ".join(f'"{name}"' for name in KINDS)
        expected += ", or a base" if missing else ""
        raise InputError(problem, key="kind", expected=expected, **got)
    return KINDS[kind].model_validate({"name": kind, **data})


def _derived_name(name: str, changes: Mapping[str, Any]) -> str:
    """Return `name` with what was changed in brackets, earlier changes kept: ``x(a=1,b=2)``."""
    stem, _, inside = name.rstrip(")").partition("(")
    told = dict(part.split("=", 1) for part in inside.split(",") if "=" in part)
    told |= {key: value_text(value) for key, value in changes.items()}
    text = f"{stem}({','.join(f'{key}={value}' for key, value in told.items())})"
    return (text if len(text) <= 80 else text[:79] + "…") if told else name


def value_text(value: object) -> str:
    """Return the value of a parameter as files and commands write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
