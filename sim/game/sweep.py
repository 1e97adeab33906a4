"""Sweeps: one study, played again and again with something changed.

A sweep file is a study file with one table more::

    players = ["balanced", "balanced", "balanced", "balanced"]
    rounds = 200000                                  # at each point

    [sweep]
    "0.bao_threshold" = [2, 4, 6, 8]                 # SEAT.PARAMETER, as with --set
    "0,2.attention" = { from = 0.5, to = 1.0, steps = 6 }   # several seats; or all
    "rules.bao_failure_minimum" = { from = 5, to = 8 }      # a rule option, as with --rule
    "deck.barn_owl" = [3, 4, 5]                      # copies of a bird

What is varied is called an axis. Besides those above there are ``SEAT.player`` (who sits there: a
name, a file or a table), ``players`` (how many sit at the table, in the order of the study, round
and round), ``deck`` and ``edition``. Several axes make a grid, all combinations, the last axis
quickest. With ``together = true`` they go hand in hand: the first values of all, the second ones
and so on. With ``sample = 200`` so many points are drawn out of ranges ``{ from = 0, to = 1 }`` as
a Latin hypercube: cut into 200 equal parts, every range has one point in each.

``focus = [0, 2]`` says whose win share is looked for: by default that of the seats which the axes
change; an axis that changes all seats, and axes that do so together, make none stand out.

All points are played with the same seed, and so on the same deals with the same luck.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from sim.errors import InputError, nearest, show, unknown_name, within
from sim.game.base import Shown, as_whole, digest, needed, number, plain, whole
from sim.game.deck import Bird, Deck
from sim.game.files import FromFile, PathLike, locate, parse_value
from sim.game.players import Player, changed_at, seats_of
from sim.game.study import Study
from sim.texts import EXPECTED, is_line

MAX_POINTS = 5000

_SETTINGS = ("sample", "together", "focus")
_RANGE = {"from", "to", "steps"}
_FORMS = "SEAT.PARAMETER, rules.OPTION, deck.BIRD, SEAT.player, players, deck or edition"

Values = Iterable[Any] | Mapping[str, Any]
"""What an axis goes through: a list, an array or a Series, Python's ``range(0, 10, 2)``, or a range
as in a file, ``{"from": 0, "to": 1, "steps": 6}``."""


@dataclass(frozen=True)
class Axis:
    """Something that is varied.

    Attributes:
        key: What, as in a file: ``0.bao_threshold``.
        values: What it goes through, in order; where points are drawn, those that were.
    """

    key: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        """Check that values can stand in results."""
        for value in self.values:
            if isinstance(value, str) and not is_line(value):
                raise InputError(expected=EXPECTED, key=self.key, got=value)


@dataclass(frozen=True)
class Sweep(Shown, FromFile):
    """What to play, resolved and checked. Make one with `load_sweep` or `Sweep.of`.

    Attributes:
        base: The study that is changed.
        axes: What is varied.
        points: The values of all axes at each point.
        focus: Seats whose win share is looked for; none where no seats stand out.
        folder: What relative paths are relative to; the current folder if None.
        here: Keys of axes whose paths are relative to the current folder all the same.
    """

    base: Study
    axes: tuple[Axis, ...]
    points: tuple[tuple[Any, ...], ...]
    focus: tuple[int, ...] = ()
    folder: PathLike | None = field(default=None, repr=False, compare=False)
    here: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make all studies, which checks them."""
        _ = self.studies

    @classmethod
    def of(
        cls,
        base: Study,
        over: Mapping[str, Values],
        *,
        sample: int | None = None,
        together: bool = False,
        focus: Sequence[int] | None = None,
        folder: PathLike | None = None,
        here: Sequence[str] = (),
    ) -> Sweep:
        """Return the sweep of a study.

        Args:
            base: What is changed.
            over: By key, the values of each axis.
            sample: So many points are drawn as a Latin hypercube; None for a grid.
            together: The axes go hand in hand instead of making a grid.
            focus: Seats whose win share is looked for; those that the axes change if None.
            folder: What relative paths are relative to; the current folder if None.
            here: Keys of axes whose paths are relative to the current folder all the same, as
                those of a command line are.

        Raises:
            InputError: Anything wrong in it; says at which key.
        """
        if not over:
            expected = f"at least one key of these forms: {_FORMS}"
            raise InputError("nothing is varied", key="sweep", expected=expected)
        with within("sweep"):
            together = plain(together)
            if type(together) is not bool:
                raise InputError(expected="true or false", key="together", got=together)
            over = {key: _given(base, key, given) for key, given in over.items()}
            _check_twice(over, len(base.players), together=sample is None and together)
            if sample is not None:
                sample = needed(sample, 1, MAX_POINTS, key="sample")
                columns = _sampled(base, over, sample, base.seed)
                points = list(zip(*columns, strict=True))
            else:
                columns = [_values(base, key, given) for key, given in over.items()]
                points = _combined(list(over), columns, together)
            axes = tuple(Axis(k, tuple(v)) for k, v in zip(over, columns, strict=True))
            seats = _focus(base, list(over), focus)
            return cls(base, axes, tuple(points), seats, folder, tuple(here))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: PathLike | None = None) -> Sweep:
        """Return the sweep of a dict like a sweep file.

        Raises:
            InputError: Anything wrong in it.
        """
        if not isinstance(data, Mapping):
            raise InputError(expected="a table with the keys of a study, and sweep", got=data)
        base = Study.from_dict({k: data[k] for k in data if k != "sweep"}, folder=folder)
        return cls.of(base, **read_sweep(data.get("sweep", {})), folder=folder)

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as resolved, JSON-ready."""
        return self.base.to_dict() | {
            "sweep": {
                "axes": [{"key": axis.key, "values": _json(axis.values)} for axis in self.axes],
                "points": _json(self.points),
                "focus": list(self.focus),
            }
        }

    @cached_property
    def studies(self) -> tuple[Study, ...]:
        """The study of every point."""
        keys = [axis.key for axis in self.axes]
        return tuple(
            _changed(self.base, dict(zip(keys, point, strict=True)), self._folder_of)
            for point in self.points
        )

    def _folder_of(self, key: str) -> PathLike | None:
        """Return what paths of an axis are relative to."""
        return "" if key in self.here else self.folder

    @property
    def fingerprint(self) -> str:
        """Digest of all that determines the numbers, how much is played included."""
        return digest(
            {
                "studies": [study.fingerprint for study in self.studies],
                "count": self.base.count,
                "axes": [axis.key for axis in self.axes],
                "points": _json(self.points),
                "focus": list(self.focus),
            }
        )

    def __repr__(self) -> str:
        """Say in a line what is played."""
        axes = ", ".join(axis.key for axis in self.axes)
        return (
            f"<Sweep over {axes}: {len(self.points):,} points of {self.base.count:,} "
            f"{self.base.unit}, seed {self.base.seed}>"
        )


def load_sweep(name_or_path: PathLike) -> Sweep:
    """Return the sweep of a shipped study or of a TOML file.

    Raises:
        InputError: No such study, or a file is wrong.
    """
    return Sweep.from_file(locate("studies", name_or_path))


def read_sweep(table: Any) -> dict[str, Any]:
    """Return the arguments of `Sweep.of` that a file's table ``[sweep]`` means.

    Keys may be written with quotes, ``"0.bao_threshold"``, or as TOML's dotted keys.

    Raises:
        InputError: It is not a table.
    """
    if not isinstance(table, Mapping):
        raise InputError(expected="a table", key="sweep", got=table)
    settings = {key: table[key] for key in _SETTINGS if key in table}
    axes = {key: table[key] for key in table if key not in _SETTINGS}
    over: dict[str, Any] = {}
    for key, values in _flat(axes):
        if key in over:
            raise InputError("varied twice", key=f"sweep.{key}", expected="each axis once")
        over[key] = values
    return settings | {"over": over}


def _flat(table: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, Any]]:
    """Yield key and values of every axis; a table that is no range holds further axes."""
    for key, value in table.items():
        name = f"{before}.{key}".lstrip(".")
        if isinstance(value, Mapping) and not value.keys() & _RANGE:
            yield from _flat(value, name)
        else:
            yield name, value


def read_axis(text: str) -> tuple[str, Any]:
    """Return the key and the values that ``KEY=VALUES`` on a command line means.

    Values are written as in TOML, ``[0, 2]`` or ``{from=0, to=1, steps=6}``; brackets round a list
    and quotes round names may be left out.

    Raises:
        InputError: It is not of this form.
    """
    key, equals, written = (part.strip() for part in text.partition("="))
    if not (equals and key and written):
        raise InputError(expected="KEY=VALUES, such as 0.bao_threshold=0,2,4")
    value = parse_value(written)
    if isinstance(value, list | Mapping):
        return key, value
    bare = _BARE.fullmatch(written)
    if bare is None and written[0] in "[{":
        expected = 'brackets closed and names in quotes, such as ["sharp", "novice"]'
        raise InputError(expected=expected, got=written)
    parts = (part.strip() for part in (bare[1] if bare else written).split(","))
    return key, [parse_value(part) for part in parts if part]


_BARE = re.compile(r"\[([^][{}]*)\]")  # names without quotes


# --- values ---------------------------------------------------------------------------------------


def _given(base: Study, key: Any, given: Any) -> Any:
    """Return the values that an axis was given, plain; whole ones as such where it takes only them.

    Raises:
        InputError: It is no axis, or a ``range`` that is too long.
    """
    if not isinstance(key, str):
        raise InputError("no such axis", key=show(key), expected=_FORMS)
    if isinstance(given, range):
        size = max(0, -((given.start - given.stop) // given.step))  # len() takes 64 bits
        if size > MAX_POINTS:
            raise InputError(expected=f"at most {MAX_POINTS:,} values", key=key, got=size)
        given = list(given)
    given = plain(given)
    if not _is_whole(base, key):
        return given
    if isinstance(given, Mapping):
        return {name: as_whole(value) for name, value in given.items()}
    return list(map(as_whole, given)) if isinstance(given, list | tuple) else given


def _values(base: Study, key: str, given: Any) -> list[Any]:
    """Return the values of an axis of a grid."""
    if isinstance(given, Mapping):
        with within(key):
            if _is_whole(base, key) and given.keys() <= {"from", "to"}:
                low, high = _range(given, ("from", "to"))
                given = {**given, "steps": high - low + 1}
            low, high, steps = _range(given, ("from", "to", "steps"))
            steps = needed(steps, 1, MAX_POINTS, key="steps")
        if steps == 1:
            return [low]
        exact = [low + (high - low) * k / (steps - 1) for k in range(steps)]
        values = _rounded(exact, whole=_is_whole(base, key))
        if len(values) < steps:
            number = "1 different value" if len(values) == 1 else f"{len(values)} different values"
            expected = f"at most {len(values)}"
            problem = f"there are only {number} from {low} to {high}"
            raise InputError(problem, key=f"{key}.steps", expected=expected, got=steps)
        return values
    if not isinstance(given, list | tuple) or not given:
        expected = "a list of values, or { from = 0, to = 1, steps = 6 }"
        raise InputError(expected=expected, key=key, got=given)
    return list(given)


def _rounded(values: list[float], *, whole: bool) -> list[Any]:
    """Return values without the dust of binary fractions, whole where they all are."""
    clean = [round(value, 12) + 0.0 for value in values]
    if whole or all(value.is_integer() for value in clean):
        clean = [round(value) for value in clean]
    return list(dict.fromkeys(clean))


def _check_twice(over: Mapping[str, Values], seats: int, *, together: bool) -> None:
    """Check that nothing is varied twice, and that no list names a value twice.

    Where axes go hand in hand, values may come again, but not all of them together.
    """
    seen: dict[object, str] = {}
    for key in over:
        name = key.partition(".")[2]
        some = _seats_of(key, seats)
        same = key if some is None else (*sorted(set(some)), name)
        if same in seen:
            expected = f"each axis once: it is '{seen[same]}'"
            raise InputError("varied twice", key=key, expected=expected)
        seen[same] = key
    lists = {key: given for key, given in over.items() if isinstance(given, list | tuple)}
    if together:
        rows = list(zip(*lists.values(), strict=False)) if len(lists) == len(over) else []
        twice = _first_twice(rows)
        if twice is not None:
            problem = "the same values stand together twice"
            raise InputError(problem, key="together", expected="each point once", got=list(twice))
        return
    for key, given in lists.items():
        twice = _first_twice(given)
        if twice is not None:
            raise InputError("a value twice", key=key, expected="each once", got=twice)


def _first_twice(values: Iterable[Any]) -> Any:
    """Return the first value that was there before; None if there is none."""
    seen = set()
    for value in values:
        text = json.dumps(_comparable(value), sort_keys=True, default=str)
        if text in seen:
            return value
        seen.add(text)
    return None


def _comparable(value: Any) -> Any:
    """Return a value so that equal numbers look equal, and true is no number."""
    if isinstance(value, Player):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [_comparable(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): _comparable(part) for key, part in value.items()}
    found = whole(value)
    return value if found is None else hex(found)  # as long as it likes, unlike decimals


def _combined(keys: list[str], columns: list[list[Any]], together: bool) -> list[tuple[Any, ...]]:
    lengths = {len(column) for column in columns}
    points = max(lengths) if together else math.prod(map(len, columns))
    if points > MAX_POINTS:  # not one of them is made
        raise InputError(expected=f"at most {MAX_POINTS:,} points", got=points)
    if not together:
        return list(product(*columns))
    if len(lengths) > 1:
        told = ", ".join(f"{key}: {len(c)}" for key, c in zip(keys, columns, strict=True))
        problem = f"axes that go hand in hand are of different lengths ({told})"
        raise InputError(problem, key="together", expected="as many values for each")
    return list(zip(*columns, strict=True))


def _sampled(base: Study, over: Mapping[str, Values], points: int, seed: int) -> list[list[Any]]:
    """Return the values of every axis at the points of a Latin hypercube.

    (McKay, Beckman and Conover 1979.) Python's own generator draws them, as its numbers are the
    same in every version; they decide what is played, and so must never change.
    """
    dice = random.Random(seed)
    columns = []
    for key, given in over.items():
        parts = list(range(points))
        dice.shuffle(parts)
        heights = [(part + dice.random()) / points for part in parts]
        columns.append([_at(base, key, given, height) for height in heights])
    return columns


def _at(base: Study, key: str, given: Any, height: float) -> Any:
    """Return the value of an axis that stands at a height from 0 to 1."""
    if isinstance(given, list | tuple) and given:
        return given[int(height * len(given))]
    with within(key):
        low, high = _range(given, ("from", "to"))
    if _is_whole(base, key):
        return math.floor(low + height * (high - low + 1))
    return round(low + height * (high - low), 6)


def _range(given: Any, names: Sequence[str]) -> list[Any]:
    """Return the parts of a range."""
    form = "{ " + ", ".join(f"{name} = ..." for name in names) + " }"
    if not isinstance(given, Mapping):
        raise InputError(expected=f"a list of values, or {form}", got=given)
    strange = next((name for name in given if name not in names), None)
    if strange is not None:
        problem, near = "does not belong to this range", nearest(strange, names)
        raise InputError(problem, key=str(strange), expected=form, nearest=near)
    for name in names:
        if name not in given:
            raise InputError("missing", key=name, expected=form)
        if number(given[name]) is None:
            raise InputError(expected="a number", key=name, got=given[name])
    if given["from"] > given["to"]:
        raise InputError(expected="at most what 'to' is", key="from", got=given["from"])
    return [given[name] for name in names]


def _is_whole(base: Study, key: str) -> bool:
    """Whether an axis takes whole numbers only."""
    target, _, name = key.partition(".")
    if target == "rules":
        return type(base.rules.to_dict().get(name.partition(".")[0])) in (int, dict)
    if target in ("deck", "players"):
        return True
    return any(type(player.values.get(name)) is int for player in base.players)


def _focus(base: Study, keys: Sequence[str], focus: Any) -> tuple[int, ...]:
    """Return the seats whose win share is looked for."""
    seats = len(base.players)
    if focus is not None:
        focus, expected = plain(focus), f"a list of seats, from 0 to {seats - 1}"
        if not isinstance(focus, list | tuple | range):
            raise InputError(expected=expected, key="focus", got=focus)
        found = {needed(seat, 0, seats - 1, expected, key="focus") for seat in focus}
        return tuple(sorted(found))
    changed = (_seats_of(key, seats) or () for key in keys)
    touched = {seat for some in changed if len(some) < seats for seat in some}
    return tuple(sorted(touched)) if len(touched) < seats else ()


# --- points ---------------------------------------------------------------------------------------


def _changed(
    base: Study, values: Mapping[str, Any], folder_of: Callable[[str], PathLike | None]
) -> Study:
    """Return the study at a point: table first, then deck and rules, then players."""
    study = base
    for key in sorted(values, key=_turn):
        try:
            study = _change(study, key, values[key], folder_of(key))
        except InputError as error:
            raise _at_axis(error, key) from None
    return study


def _turn(key: str) -> int:
    order = ("players", "edition", "deck", "rules")
    target, _, name = key.partition(".")
    return order.index(target) if target in order else len(order) + (name != "player")


def _at_axis(error: InputError, key: str) -> InputError:
    """Return an error of a changed study, seen as one of the axis that changed it."""
    if error.where is not None:
        return error
    stem, _, name = key.rpartition(".")
    inner = f"{key}.{error.key}" if error.key and name == "player" else key
    near = error.nearest
    if near and stem and error.key and error.key.rpartition(".")[2] == name:
        near = f"{stem}.{near}"
    return error.but(key=inner, nearest=near, others=())


def _change(study: Study, key: str, value: Any, folder: PathLike | None) -> Study:
    target, _, name = key.partition(".")
    if key == "players":
        return study.with_changes(players=_round_the_table(study.players, value))
    if key in ("edition", "deck"):
        return study.with_changes(**{key: value}, folder=folder)
    if target == "rules" and name:
        option, dot, entry = name.partition(".")
        return study.with_changes(rules={option: {entry: value} if dot else value})
    if target == "deck" and name:
        return study.with_changes(deck=_with_copies(study.deck, name, value))
    seats = _seats_of(key, len(study.players))
    if seats is None:
        if key in Study.model_fields or key == "seats":
            raise InputError("no such axis", expected="it above [sweep], if it is the study's")
        raise InputError("no such axis", expected=_FORMS)
    if name != "player":
        return study.with_changes(players=changed_at(study.players, seats, name, value))
    players = list(study.players)
    for seat in seats:
        players[seat] = Player.of(value, folder=folder)
    return study.with_changes(players=players)


def _seats_of(key: str, seats: int) -> list[int] | None:
    """Return the seats that an axis changes; None where it is no axis of seats."""
    target, _, name = key.partition(".")
    with within(key):
        return seats_of(target, seats) if name else None


def _round_the_table(players: Sequence[Player], value: Any) -> list[Player]:
    expected = "a whole number from 2 to 6, how many sit at the table (SEAT.player says who)"
    return [players[seat % len(players)] for seat in range(needed(value, 2, 6, expected))]


def _with_copies(deck: Deck, bird: str, copies: Any) -> Deck:
    """Return a deck with another number of copies of a bird."""
    data = deck.to_dict()
    birds = data["birds"]
    if bird not in birds:
        raise unknown_name(f"bird in deck '{deck.name}'", bird, birds, is_key=True)
    with within(bird):
        changed = Bird.model_validate({"id": bird, **birds[bird], "copies": copies})
    data["birds"] = birds | {bird: changed.model_dump(exclude={"id"}, exclude_none=True)}
    if copies != birds[bird]["copies"]:
        title = f"{deck.name}, {bird}={changed.copies}"
        data |= {"name": f"{deck.name} (changed)", "title": title}
    return Deck.model_validate(data)


def _json(values: Iterable[Any]) -> list[Any]:
    return [
        _json(value)
        if isinstance(value, list | tuple)
        else value.to_dict()
        if isinstance(value, Player | Deck)
        else value
        for value in values
    ]
