"""The rules object: every option of the rulebook's section 16, and both editions as settings of it.

`Rules.of("second")` and `Rules.of("first")` are the two editions; `Rules.of("first", peeks=3)`
changes single options. To add an option, add one field to `Rules`: its default is the second
edition's setting, ``first=`` the first edition's where it differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field, PlainValidator, ValidationInfo, model_validator

from sim.errors import InputError, cut, unknown_name, within
from sim.game.base import Frozen, Whole, digest, field_spec, needed, plain, whole, whole_text
from sim.game.files import parse_value

Edition = Literal["second", "first"]
"""The two editions of the rulebook; where nothing is said, the second is meant."""

EDITIONS: tuple[Edition, ...] = get_args(Edition)

PLAYER_COUNTS = range(2, 7)
"""The numbers of players that a table may have (SET-1)."""


class ByPlayers(Mapping[int, int]):
    """An immutable table of one whole number for each number of players, 2 to 6."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Mapping[int, int]) -> None:
        """Take one number for each of 2 to 6 players."""
        self._numbers = tuple(numbers[players] for players in PLAYER_COUNTS)

    def __getitem__(self, players: int) -> int:
        """Return the number for this many players; KeyError outside 2 to 6."""
        if players not in PLAYER_COUNTS:
            raise KeyError(players)
        return self._numbers[players - PLAYER_COUNTS[0]]

    def __iter__(self) -> Iterator[int]:
        """Go through the numbers of players, 2 to 6."""
        return iter(PLAYER_COUNTS)

    def __len__(self) -> int:
        """Return 5."""
        return len(PLAYER_COUNTS)

    def __hash__(self) -> int:
        """Equal tables have equal hashes."""
        return hash(self._numbers)

    def __repr__(self) -> str:
        """Show the table as a dict."""
        return repr(dict(self))

    def to_dict(self) -> dict[str, int]:
        """Return the table JSON-ready, keys ``"2"`` to ``"6"``."""
        return {str(players): number for players, number in self.items()}


def _table(low: int, high: int) -> Callable[[Any, ValidationInfo], ByPlayers]:
    """Return a validator that takes one number, `low` to `high`, for all or a complete table."""

    def check(value: Any, info: ValidationInfo) -> ByPlayers:
        if isinstance(value, Mapping):
            places = {players: f"{info.field_name}.{players}" for players in value}
            return ByPlayers({n: needed(value[n], low, high, key=places[n]) for n in value})
        expected = f"a whole number from {low} to {high} for all, or a table by number of players"
        number = needed(value, low, high, f"{expected}, 2 to 6", key=str(info.field_name))
        return ByPlayers(dict.fromkeys(PLAYER_COUNTS, number))

    return check


def _by_number(name: str, changes: Mapping[Any, Any]) -> dict[int, Any]:
    """Return a partial table with its keys as whole numbers of players; "2" counts as 2."""
    numbers = {}
    for key, value in changes.items():
        players = whole_text(key) if isinstance(key, str) else whole(key)
        if players is None or players not in PLAYER_COUNTS:
            raise InputError(
                "not a number of players",
                key=f"{name}.{key}",
                expected="a whole number from 2 to 6",
            )
        numbers[players] = value
    return numbers


def _option(default: Any, rule: str, description: str, *, first: Any = None, **more: Any) -> Any:
    """Return the field of one option.

    Args:
        default: The second edition's setting.
        rule: The id of the rule that it changes.
        description: One line.
        first: The first edition's setting; None if the same.
        **more: ``ge`` and ``le`` are limits; anything else, such as ``unit``, goes into listings.
    """
    limits = {key: more.pop(key) for key in ("ge", "le") if key in more}
    extra = {"rule": rule, "second": default, "first": default if first is None else first} | more
    return Field(default=default, description=description, json_schema_extra=extra, **limits)


def _table_option(
    numbers: Mapping[int, int], rule: str, description: str, unit: str, low: int, high: int
) -> Any:
    """Return the field of an option that is a table by number of players."""
    table = ByPlayers(numbers)
    expected = (
        f"a whole number from {low} to {high} for all, or a table by number of players, 2 to 6"
    )
    more = {"type": "table", "min": low, "max": high, "unit": unit, "expected": expected}
    extra: dict[str, Any] = {"rule": rule, **dict.fromkeys(("default", "second", "first"), table)}
    return Field(default=table, description=description, json_schema_extra=extra | more)


HandSizes = Annotated[ByPlayers, PlainValidator(_table(1, 60))]
Thresholds = Annotated[ByPlayers, PlainValidator(_table(1, 1_000_000))]


class Rules(Frozen):
    """One complete setting of every rule option; immutable, strict about types.

    The fields' defaults are those of the `edition`. Tables by number of players may be given as
    one number for all, or in part: what a partial table leaves out stays the edition's.

    Attributes:
        edition: The edition that the setting started from; a label, as all options are resolved.
    """

    noun: ClassVar[str] = "rule option"

    edition: Edition = "second"
    hand_size: HandSizes = _table_option(
        {2: 5, 3: 4, 4: 4, 5: 4, 6: 4}, "SET-1", "cards dealt to each player", "cards", 1, 60
    )
    peeks: Whole = _option(
        2,
        "SET-2",
        "own cards that each player looks at first; at most all",
        unit="cards",
        ge=0,
        le=66,
    )
    first_player: Literal["highest_score", "rotate", "random"] = _option(
        "highest_score", "SET-4", "who begins a round after the first one of a game"
    )
    take_discard: bool = _option(True, "TURN-1", "the top discard may be taken instead of drawing")
    plucks: Literal["all", "own_only", "none"] = _option(
        "all", "PLUCK-1", "whose cards a pluck may target"
    )
    double_pluck: Literal["any", "own_draw_own_cards", "none"] = _option(
        "any", "DOUBLE-1", "when and at whom a double pluck may aim", first="own_draw_own_cards"
    )
    double_pluck_powers: Literal["second_card", "all"] = _option(
        "second_card", "DOUBLE-4", "which cards of a double pluck start powers", first="all"
    )
    penalty_cards: Whole = _option(
        1, "PLUCK-7", "penalty for a missed pluck", unit="cards", ge=0, le=20
    )
    added_card_slot: Literal["fill_empty", "new"] = _option(
        "fill_empty", "SLOT-3", "where an added card goes", first="new"
    )
    window_power_order: Literal["plucker_first", "active_first"] = _option(
        "plucker_first",
        "POW-4",
        "whose power comes first after a window pluck on a discarded power card",
        first="active_first",
    )
    powers_optional: bool = _option(False, "POW-5", "a player may decline a power")
    move_lock: Literal["turn", "pluck", "none"] = _option(
        "turn", "POW-LOCK", "how long a card moved by a power stays locked", first="pluck"
    )
    shoebill_locks: bool = _option(True, "POW-LOCK", "cards placed by a Shoebill are locked too")
    bao: bool = _option(True, "BAO-1", "BAO may be called")
    shield: Literal["after_first_change", "at_once", "none"] = _option(
        "after_first_change", "SHIELD-1", "when the declarer's cards become protected"
    )
    bao_success: Literal["zero", "total"] = _option(
        "zero", "SCORE-3", "what a successful BAO with a total of 0 or more scores"
    )
    bao_failure_factor: Whole = _option(
        2, "SCORE-4", "a failed BAO scores this many times the total", unit="times", ge=1, le=100
    )
    bao_failure_minimum: Whole = _option(
        5, "SCORE-4", "the least that a failed BAO scores", unit="points", ge=0, le=1000
    )
    recycle_limit: Whole = _option(
        2,
        "REC-4",
        "the recycling that starts the automatic final phase; 0: none does",
        unit="recyclings",
        ge=0,
        le=1000,
    )
    recycle_after_bao: Literal["ignore", "override"] = _option(
        "ignore", "FINAL-4", "what that recycling does after BAO was called"
    )
    game_threshold: Thresholds = _table_option(
        dict.fromkeys(PLAYER_COUNTS, 100),
        "GAME-2",
        "sum of points that ends a game; 100 is assumed, the rulebooks' table is missing",
        "points",
        1,
        1_000_000,
    )
    max_turns: Whole = _option(
        1000, "SIM-1", "turns after which a round is stopped", unit="turns", ge=1, le=100_000
    )
    max_rounds: Whole = _option(
        1000, "SIM-3", "rounds after which a game is stopped", unit="rounds", ge=1, le=100_000
    )

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Any) -> Any:
        """Fill in what the edition says; complete tables that are given in part."""
        if not isinstance(data, dict) or data.get("edition", "second") not in EDITIONS:
            return data
        settings = _settings(data.get("edition", "second"))
        return settings | {key: _completed(key, data[key], settings) for key in data}

    @classmethod
    def of(cls, edition: str = "second", **changes: Any) -> Rules:
        """Return an edition's rules with single options changed.

        Args:
            edition: ``"second"`` or ``"first"``.
            **changes: Options by name; see `Rules.options`.

        Raises:
            InputError: No such edition or option, or a value that the option does not take.
        """
        return cls.model_validate({**changes, "edition": edition})

    def with_changes(self, **changes: Any) -> Rules:
        """Return these rules with options changed; a partial table changes only its entries.

        A new `edition` keeps all that differed from the old one's settings and takes the rest
        from the new one.

        Raises:
            InputError: As for `Rules.of`.
        """
        changes = plain(changes)
        edition = changes.pop("edition", self.edition)
        before = self.changed_from_edition()
        merged = {key: _merged(key, before.get(key), value) for key, value in changes.items()}
        return Rules.of(edition, **{**before, **merged})

    def to_dict(self) -> dict[str, Any]:
        """Return all options, resolved and JSON-ready (tables with keys ``"2"`` to ``"6"``).

        The edition is not one of them: `Rules.of(edition, **to_dict())` gives equal rules.
        """
        return {name: _json(getattr(self, name)) for name in _OPTIONS}

    def changed_from_edition(self) -> dict[str, Any]:
        """Return what differs from the edition, JSON-ready; of tables the differing entries."""
        settings = _settings(self.edition)
        changed: dict[str, Any] = {}
        for name in _OPTIONS:
            value, normal = getattr(self, name), settings[name]
            if isinstance(value, ByPlayers) and value != normal:
                changed[name] = {str(n): value[n] for n in value if value[n] != normal[n]}
            elif value != normal:
                changed[name] = value
        return changed

    @property
    def fingerprint(self) -> str:
        """Digest of all options; editions that are set alike play alike and are equal here."""
        return digest(self.to_dict())

    @property
    def threshold_assumed(self) -> bool:
        """Whether `game_threshold` is the assumed default, so that results must say so (GAME-2)."""
        return bool(self.game_threshold == _settings(self.edition)["game_threshold"])

    @staticmethod
    def options() -> list[dict[str, Any]]:
        """Return every option, in the rulebook's order, JSON-ready.

        Returns:
            For each: ``name``, ``description``, ``rule`` (id in the rulebook), ``type``
            (``boolean``, ``integer``, ``choice``, ``table``), ``choices`` or ``min`` and ``max``,
            ``unit`` of numbers, ``second`` and ``first`` (the editions' settings), ``default``
            (the second's) and ``expected`` (the values allowed, in words).
        """
        specs = (field_spec(name, Rules.model_fields[name]) for name in _OPTIONS)
        return [{key: _json(value) for key, value in spec.items()} for spec in specs]


_OPTIONS: tuple[str, ...] = tuple(name for name in Rules.model_fields if name != "edition")
_TABLES = frozenset(n for n in _OPTIONS if isinstance(Rules.model_fields[n].default, ByPlayers))


def parse_rule_option(text: str, where: str | None = "--rule") -> tuple[str, Any]:
    """Return the option's name and value that ``KEY=VALUE`` means.

    Values are written as in TOML, texts without quotes: ``bao=false``, ``peeks=3``,
    ``shield=at_once``. ``hand_size=6`` sets a table for all numbers of players,
    ``hand_size.2=6`` one entry of it: the value is then ``{2: 6}``.

    Args:
        text: What the user wrote.
        where: What the message names as the place of the mistake.

    Raises:
        InputError: Not of this form, no such option, or a value that the option does not take.
    """
    with within(where=where):
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise InputError(expected="KEY=VALUE", got=text)
        name, dot, entry = key.partition(".")
        if name not in _OPTIONS:
            raise unknown_name("rule option", name, _OPTIONS)
        if dot and name not in _TABLES:
            problem = "is not a table by number of players"
            raise InputError(problem, key=name, expected=f"{name}=VALUE", got=text)
        parsed = {entry: parse_value(value)} if dot else parse_value(value)
        found = getattr(Rules.of("second", **{name: parsed}), name)
        if name not in _TABLES:
            return name, found
        if isinstance(parsed, Mapping):
            return name, {players: found[players] for players in _by_number(name, parsed)}
        return name, whole(parsed)


def parse_rule_options(texts: Iterable[str], where: str | None = "--rule") -> dict[str, Any]:
    """Return the changes that several ``KEY=VALUE`` mean together.

    Entries of one table add up: ``hand_size.2=6`` and ``hand_size.3=5`` change both, and both
    change what ``hand_size=4`` has set before.

    Raises:
        InputError: As for `parse_rule_option`, or two of them are about the same.
    """
    changes: dict[str, Any] = {}
    told: dict[str, str] = {}
    for text in texts:
        name, value = parse_rule_option(text, where)
        key = text.partition("=")[0].strip()
        if key in told:
            problem = f"set twice, by {cut(told[key])} and {cut(text)}"
            raise InputError(problem, where=where, key=key, expected="one of them")
        told[key] = text
        changes[name] = _merged(name, changes.get(name), value)
    return changes


def _settings(edition: str) -> dict[str, Any]:
    """Return an edition's setting of every option."""
    return {name: _extra(name)[edition] for name in _OPTIONS}


def _extra(name: str) -> dict[str, Any]:
    extra = Rules.model_fields[name].json_schema_extra
    assert isinstance(extra, dict)
    return extra


def _completed(name: str, value: Any, settings: Mapping[str, Any]) -> Any:
    """Return a table's value with what it leaves out filled in from `settings`."""
    if name not in _TABLES or not isinstance(value, Mapping):
        return value
    return {**settings[name], **_by_number(name, value)}


def _merged(name: str, before: Any, value: Any) -> Any:
    """Return `value`, or for a table the entries of `before` and then those of `value`."""
    if name not in _TABLES or not isinstance(value, Mapping):
        return value
    if isinstance(before, int):
        before = dict.fromkeys(PLAYER_COUNTS, before)
    return {**_by_number(name, before or {}), **_by_number(name, value)}


def _json(value: Any) -> Any:
    return value.to_dict() if isinstance(value, ByPlayers) else value
