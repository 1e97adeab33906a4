"""What the files of a results folder must hold for a page to be made of them.

A file may be damaged, or have been written by hand: whatever a page takes from it is checked
before, so that a mistake is told with its place and not met in the middle of a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from analysis.metrics import METRICS, Metric
from sim.errors import InputError, within
from sim.rules import EDITIONS
from sim.study import Study
from sim.tournaments import Tournament

SCHEMA = 1
"""Schema of the manifests and summaries that can be read."""


def check_schema(content: Mapping[str, Any], file: Path) -> None:
    """Check that a file was written by this version of the program or an older one.

    Raises:
        InputError: It says of itself that it was not, or nothing.
    """
    schema = content.get("schema")
    if isinstance(schema, bool) or not isinstance(schema, int) or not 1 <= schema <= SCHEMA:
        problem = "written by another version of the program"
        raise InputError(problem, where=file, expected=f"schema {SCHEMA}", got=schema)


def check_summary(kind: str, summary: Mapping[str, Any], file: Path) -> None:
    """Check that a summary has all that the page of its kind takes from it.

    Args:
        kind: ``run``, ``comparison``, ``sweep`` or ``tournament``.
        summary: The content of ``summary.json``.
        file: Where it stands.

    Raises:
        InputError: Something is missing or of another type; says what and where.
    """
    check_schema(summary, file)
    _check(_SUMMARIES[kind], summary, file)
    for key, shape, value in _shaped(summary):
        _check(shape, value, file, key)
    if kind == "run":
        for key, shape, value in _metrics(summary):
            _check(shape, value, file, key)


def resolved_study(kind: str, study: Any, file: Path) -> dict[str, Any]:
    """Return what was played as this version of the program writes it down.

    Args:
        kind: As of `check_summary`.
        study: The manifest's ``study``.
        file: The manifest.

    Raises:
        InputError: It does not.
    """
    _check(_STUDIES.get(kind, _STUDY), study, file, "study")
    with within("study", file):
        if kind == "tournament":
            return Tournament.from_dict(study).to_dict()
        if kind == "sweep":
            base = {key: value for key, value in study.items() if key != "sweep"}
            return Study.from_dict(base).to_dict() | {"sweep": study["sweep"]}
        if kind == "comparison":
            sides = {side: Study.from_dict(study[side]).to_dict() for side in "ab"}
            return {**study, **sides}
        return Study.from_dict(study).to_dict()


def _check(shape: TypeAdapter[Any], content: Any, file: Path, key: str = "") -> None:
    try:
        if content is _MISSING:
            raise InputError("damaged: missing", where=file, key=key)
        shape.validate_python(content, strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        path = ".".join([*filter(None, [key]), *map(str, problem["loc"])])
        if problem["type"] == "missing":
            raise InputError("damaged: missing", where=file, key=path) from None
        raise InputError(
            "damaged",
            where=file,
            key=path or None,
            expected=problem["msg"].removeprefix("Input should be "),
            got=problem["input"],
        ) from None


_MISSING: Any = object()


# --- parts of all files ---------------------------------------------------------------------------


class _Part(BaseModel):
    """A part of a file; what else stands in it does not matter."""

    model_config = ConfigDict(strict=True, extra="ignore")


Number = float | None
Count = Annotated[int, Field(ge=0)]


def _both_or_none(ends: list[Number]) -> list[Number]:
    if (ends[0] is None) != (ends[1] is None):
        raise PydanticCustomError("ends", "two numbers, or null twice")
    return ends


Ends = Annotated[list[Number], Field(min_length=2, max_length=2), AfterValidator(_both_or_none)]
Pairs = list[Annotated[list[int], Field(min_length=2, max_length=2)]]
ByOutcome = list[Annotated[list[int], Field(min_length=5, max_length=5)]]

_NUMBER: TypeAdapter[Any] = TypeAdapter(Number)
_VALUE: TypeAdapter[Any] = TypeAdapter(float)
_COUNT: TypeAdapter[Any] = TypeAdapter(Count)
_GROUP: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
_LIST: TypeAdapter[Any] = TypeAdapter(list[dict[str, Any]])
_TEXT: TypeAdapter[Any] = TypeAdapter(str)
_SHAPES: dict[str, TypeAdapter[Any]] = {
    "ci95": TypeAdapter(Ends),
    "histogram": TypeAdapter(Pairs),
    **dict.fromkeys(("by_turn", "by_total", "by_unknown"), TypeAdapter(ByOutcome)),
}
"""What has the same shape wherever it stands."""


def _shaped(content: Any, at: str = "") -> Iterator[tuple[str, TypeAdapter[Any], Any]]:
    """Yield all of `_SHAPES` in a file, however deep, and what some values must not be without."""
    pairs = content.items() if isinstance(content, Mapping) else ()
    if isinstance(content, Mapping) and content.get("histogram"):
        for name in ("mean", "min", "max", "median"):
            if name in content:
                yield f"{at}{name}", _VALUE, content[name]
    for key, value in enumerate(content) if isinstance(content, list) else pairs:
        name = str(key)
        shape = _SHAPES.get("ci95" if name.endswith("_ci95") else name)
        if shape is not None:
            yield f"{at}{name}", shape, value
        else:
            yield from _shaped(value, f"{at}{name}.")


class _Player(_Part):
    name: str
    kind: str


class _Axis(_Part):
    key: str
    values: Annotated[list[Any], Field(min_length=1)]


class _Varied(_Part):
    axes: Annotated[list[_Axis], Field(min_length=1)]
    points: list[list[Any]]
    focus: list[int]

    @model_validator(mode="after")
    def _points_have_a_value_for_each_axis(self) -> Self:
        if any(len(point) != len(self.axes) for point in self.points):
            raise PydanticCustomError("points", "points with a value for each axis")
        return self


class _Study(_Part):
    title: str = ""
    question: str = ""
    players: Annotated[list[_Player], Field(min_length=1)]


class _StudyOfSweep(_Study):
    sweep: _Varied


class _Both(_Part):
    a: _Study
    b: _Study


class _Game(_Part):
    """Which game was played, with which luck."""

    version: str
    seed: int
    edition: Literal[EDITIONS]  # type: ignore[valid-type]
    deck: str
    deck_assumed: bool
    rules_changed: dict[str, Any]


class _Titled(_Game):
    title: str
    question: str


# --- runs -----------------------------------------------------------------------------------------


class _Spread(_Part):
    mean: Number
    mean_ci95: Ends
    sd: Number
    min: Number
    max: Number
    median: Number
    histogram: Pairs


class _Recyclings(_Part):
    mean: Number
    mean_ci95: Ends
    histogram: Pairs


class _EndsOfRounds(_Part):
    bao: Count
    second_recycling: Count
    turn_cap: Count


class _Calls(_Part):
    called: Count
    won: Count
    tied: Count
    beaten: Count
    void: Count


class _EndsOfGames(_Part):
    threshold: int
    max_rounds: Count
    tie_break_cap: Count


class _Games(_Part):
    threshold: int
    ends: _EndsOfGames
    rounds: _Spread
    decided_by_deciding_rounds: Count
    deciding_rounds: Count


class _Plucks(_Part):
    own_hit: Count
    rival_hit: Count
    double_hit: Count
    missed: Count


class _Seat(_Part):
    seat: Count
    strategy: str
    wins: Count
    shared_wins: Count
    win_share: Number
    win_share_ci95: Ends
    score_mean: Number
    score_mean_ci95: Ends
    score_sd: Number
    total_mean: Number
    bao_called: Count
    bao_won: Count
    cards_left_mean: Number
    plucks: _Plucks
    powers: dict[str, Count]


class _Run(_Game):
    rounds: Count
    games: int | None
    ends: _EndsOfRounds
    turns: _Spread
    recyclings: _Recyclings
    bao: _Calls
    game: _Games | None
    players: Annotated[list[_Seat], Field(min_length=2)]
    stopped_by: str


Checked = Iterator[tuple[str, TypeAdapter[Any], Any]]
"""Path, shape and value of what is to be checked."""


def _metrics(summary: Mapping[str, Any]) -> Checked:
    """Yield all numbers of a run's summary, with the groups and lists that they stand in.

    A group that an older version of the program did not count may be left out, not a part of one.
    """
    for metric in METRICS:
        each = "players" if metric.per_seat else metric.each.partition(":")[0]
        if not each:
            yield from _numbers(summary, metric, "")
        elif each in summary:
            yield each, _LIST, summary[each]
            for k, entry in enumerate(summary[each]):
                yield from _numbers(entry, metric, f"{each}.{k}.")
    for k, bird in enumerate(summary.get("birds", ())):
        yield f"birds.{k}.bird", _TEXT, bird.get("bird", _MISSING)


def _numbers(part: Mapping[str, Any], metric: Metric, at: str) -> Checked:
    """Yield a number of the summary, or of an entry of a list in it, and the groups around it."""
    *groups, name = metric.name.split(".")
    if (groups or [name])[0] not in part and not metric.each:
        return
    for group in groups:
        at, part = f"{at}{group}.", part.get(group, _MISSING)
        if part is None and group in _OF_GAMES:
            return
        yield at.rstrip("."), _GROUP, part
    counted = metric.formula == "count" or name == "position"
    counted = counted and (name != "games" or part.get(name) is not None)
    yield f"{at}{name}", _COUNT if counted else _NUMBER, part.get(name, _MISSING)
    if metric.interval:
        yield f"{at}{name}_ci95", _SHAPES["ci95"], part.get(f"{name}_ci95", _MISSING)


_OF_GAMES = ("game", "comebacks")
"""Groups that are null where rounds are played."""


# --- tournaments ----------------------------------------------------------------------------------


class _Scored(_Part):
    win_share: Number
    win_share_low: Number
    win_share_high: Number
    score_mean: Number
    score_mean_low: Number
    score_mean_high: Number


class _Ranked(_Scored):
    rank: Count
    player: str
    bao_rate: Number
    bao_success: Number
    pluck_rate: Number
    pluck_success: Number
    step: Number
    step_low: Number
    step_high: Number
    step_clear: bool | None


class _Pair(_Part):
    player: str
    other: str
    win_share: Number
    difference: Number
    difference_low: Number
    difference_high: Number


class _BySeat(_Scored):
    seat: Count


class _Tournament(_Titled):
    seats: Annotated[int, Field(ge=2)]
    by_seat: list[_BySeat]
    tables: Count
    all_tables: bool
    rounds: Count
    ranking: Annotated[list[_Ranked], Field(min_length=2)]
    matrix: list[_Pair]


# --- sweeps ---------------------------------------------------------------------------------------


class _Best(_Part):
    seats: list[int]
    point: int
    value: float
    low: float
    high: float
    as_good: list[int]


class _PointSeat(_Part):
    seat: Count
    strategy: str
    win_share: Number
    score_mean: float
    bao_rate: Number
    bao_success: Number
    pluck_rate: Number
    pluck_success: Number


class _Point(_Part):
    values: dict[str, str | bool | int | float]
    players: list[_PointSeat]
    turns_mean: float
    end_bao: float
    end_second_recycling: float
    end_turn_cap: float


class _Sweep(_Titled):
    unit: Literal["rounds", "games"]
    count: Count
    axes: list[str]
    focus: list[int]
    best: _Best | None
    points: Annotated[list[_Point], Field(min_length=1)]

    @model_validator(mode="after")
    def _best_is_a_point(self) -> _Sweep:
        known = range(len(self.points))
        if self.best and not all(k in known for k in (self.best.point, *self.best.as_good)):
            raise PydanticCustomError("points", "a best point among its points")
        if not all(self.axes == [*point.values] for point in self.points):
            raise PydanticCustomError("axes", "a value of each axis at each point")
        return self


# --- comparisons ----------------------------------------------------------------------------------


class _Side(_Part):
    title: str
    question: str
    players: list[str]
    edition: Literal[EDITIONS]  # type: ignore[valid-type]
    deck: str
    rules_changed: dict[str, Any]


class _Change(_Part):
    what: Annotated[str, Field(pattern=r"^(edition|deck|(rules|players|deck)\..+)$")]
    a: Any
    b: Any


class _Differing(_Part):
    count: Count
    share: float
    ci95: Ends


class _Difference(_Part):
    metric: str
    seat: int | None
    player: str | None
    unit: str
    a: Number
    b: Number
    difference: Number
    ci95: Ends
    p: Number
    p_holm: Number
    variance_ratio: Number
    smallest_detectable: Number
    n: Count
    n_differ: Count


class _Comparison(_Part):
    version: str
    seed: int
    rounds: int | None
    games: int | None
    blocks: Count
    rotated: bool
    a: _Side
    b: _Side
    changed: list[_Change]
    rounds_that_differ: _Differing
    differences: list[_Difference]

    @model_validator(mode="after")
    def _has_a_unit(self) -> _Comparison:
        if self.rounds is None and self.games is None:
            raise PydanticCustomError("unit", "a number of rounds or of games")
        return self


_STUDY: TypeAdapter[Any] = TypeAdapter(_Study)
_STUDIES: dict[str, TypeAdapter[Any]] = {
    "comparison": TypeAdapter(_Both),
    "sweep": TypeAdapter(_StudyOfSweep),
}
_SUMMARIES: dict[str, TypeAdapter[Any]] = {
    "run": TypeAdapter(_Run),
    "comparison": TypeAdapter(_Comparison),
    "sweep": TypeAdapter(_Sweep),
    "tournament": TypeAdapter(_Tournament),
}
