"""What the summaries and tables of results folders must hold for something to be made of them.

What `sim.game.documents` is for manifests and sums, this is for what is made of these: shapes, and
what must agree with what else a folder says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, FiniteFloat, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from sim.errors import InputError, within
from sim.game.documents import Count, Ends, Number, Part, Share, check, read_schema
from sim.game.study import Study
from sim.game.tournament import Tournament


def check_summary(kind: str, summary: Any, file: Path) -> dict[str, Any]:
    """Check what a summary says that nothing else in its folder does, and return it.

    Args:
        kind: ``comparison`` or ``tournament``; a run's is made of its sums, a sweep's of its rows.
        summary: The content of ``summary.json``.
        file: Where it stands.

    Raises:
        InputError: Something is missing or cannot be so; says what and where.
    """
    content = read_schema(summary, file, "the summary of results")
    check(_SUMMARIES[kind], content, file)
    return content


def resolved_study(kind: str, study: Any, file: Path) -> dict[str, Any]:
    """Return what was played as this version of the program writes it down.

    Args:
        kind: ``sweep`` or ``tournament``.
        study: The manifest's ``study``.
        file: The manifest.

    Raises:
        InputError: It does not.
    """
    if kind == "sweep":
        check(_STUDY_OF_SWEEP, study, file, "study")
    with within("study", file):
        if kind == "tournament":
            return Tournament.from_dict(study).to_dict()
        base = {key: value for key, value in study.items() if key != "sweep"}
        return Study.from_dict(base).to_dict() | {"sweep": study["sweep"]}


def check_rows(kind: str, axes: Sequence[str], rows: Any, file: Path) -> None:
    """Check the rows of a table of a sweep.

    Args:
        kind: ``metrics`` or ``calibration``.
        axes: Keys of the axes, each a column.
        rows: By name of the column, what stands there.
        file: Where they come from.

    Raises:
        InputError: A column is missing, or something in it cannot be so.
    """
    check(_ROWS[kind], rows, file)
    for row in rows[:1]:
        missing = next((axis for axis in axes if axis not in row), None)
        if missing is not None:
            raise InputError("damaged: missing", where=file, key=missing)


# --- parts of all files ---------------------------------------------------------------------------


class _Bounded(Part):
    """A row in which intervals have columns of their own."""

    @model_validator(mode="after")
    def _ends_ascend(self) -> Self:
        for name in type(self).model_fields:
            stem = name.removesuffix("low")
            if stem != name and f"{stem}high" in type(self).model_fields:
                low, high = getattr(self, name), getattr(self, f"{stem}high")
                if (low is None) != (high is None) or (low is not None and low > high):
                    problem = f"{name} of at most {stem}high, or null twice"
                    raise PydanticCustomError("ends", problem)
        return self


class _Axis(Part):
    key: str
    values: Annotated[list[Any], Field(min_length=1)]


class _Varied(Part):
    axes: Annotated[list[_Axis], Field(min_length=1)]
    points: list[list[Any]]
    focus: list[int]

    @model_validator(mode="after")
    def _points_have_a_value_for_each_axis(self) -> Self:
        if any(len(point) != len(self.axes) for point in self.points):
            raise PydanticCustomError("points", "points with a value for each axis")
        return self


class _StudyOfSweep(Part):
    sweep: _Varied


# --- tournaments ----------------------------------------------------------------------------------


class _Scored(_Bounded):
    win_share: Share
    win_share_low: Number
    win_share_high: Number
    score_mean: Number
    score_mean_low: Number
    score_mean_high: Number


class _Ranked(_Scored):
    rank: Count
    player: str
    rounds: Count
    bao_rate: Share
    bao_success: Share
    pluck_rate: Number
    pluck_success: Share
    step: Number
    step_low: Number
    step_high: Number
    step_clear: bool | None


class _Pair(_Bounded):
    player: str
    other: str
    win_share: Share
    difference: Number
    difference_low: Number
    difference_high: Number


class _BySeat(_Scored):
    seat: Count


class _Tournament(Part):
    seats: Count
    rounds: Count
    by_seat: list[_BySeat]
    ranking: Annotated[list[_Ranked], Field(min_length=2)]
    matrix: list[_Pair]

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if [row.rank for row in self.ranking] != list(range(1, len(self.ranking) + 1)):
            raise PydanticCustomError("ranking", "ranks from 1 on in the ranking")
        shares = [row.win_share for row in self.ranking if row.win_share is not None]
        if any(above < below for above, below in pairwise(shares)):
            raise PydanticCustomError("ranking", "a ranking by win share")
        if sum(row.rounds for row in self.ranking) != self.rounds * self.seats:
            raise PydanticCustomError("rounds", "as many rounds as the players' in the ranking")
        if [row.seat for row in self.by_seat] != list(range(self.seats)):
            raise PydanticCustomError("by_seat", "each seat once, in order")
        names = {row.player for row in self.ranking}
        pairs = [(pair.player, pair.other) for pair in self.matrix]
        if len({*pairs}) < len(pairs) or not all({*pair} <= names for pair in pairs):
            raise PydanticCustomError("matrix", "pairs of players of the ranking, each once")
        return self


# --- sweeps ---------------------------------------------------------------------------------------


class _Metric(_Bounded):
    point: Count
    seat: Count | None
    strategy: str | None
    metric: str
    value: Number
    low: Number
    high: Number
    n: Count
    of: str


class _Bin(_Bounded):
    point: Count
    seat: Count | None
    bin: Count
    bin_low: FiniteFloat
    bin_high: FiniteFloat
    n: Annotated[int, Field(ge=1)]
    confidence: Annotated[FiniteFloat, Field(ge=0, le=1)]
    hits: Annotated[FiniteFloat, Field(ge=0, le=1)]
    low: FiniteFloat
    high: FiniteFloat
    difference: FiniteFloat

    @model_validator(mode="after")
    def _is_a_difference(self) -> Self:
        if abs(self.hits - self.confidence - self.difference) > 1e-9:
            raise PydanticCustomError("difference", "hits less confidence")
        return self


def columns(kind: str, axes: Iterable[str]) -> list[str]:
    """Return the columns of a table of a sweep, in order; see `check_rows`."""
    first, *rest = _TABLES[kind].model_fields
    return [first, *axes, *rest]


# --- comparisons ----------------------------------------------------------------------------------


class _Differing(Part):
    count: Count


class _Difference(Part):
    metric: str
    seat: Count | None
    player: str | None
    unit: str
    a: Number
    b: Number
    difference: Number
    ci95: Ends
    p: Share
    p_holm: Share
    variance_ratio: Annotated[FiniteFloat, Field(ge=0)] | None
    smallest_detectable: Annotated[FiniteFloat, Field(ge=0)] | None
    n: Count
    n_differ: Count

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.p is not None and self.n_differ > self.n:  # a median tells rounds, not blocks
            raise PydanticCustomError("n_differ", "at most as many that differ as there are")
        if (self.p is None) != (self.p_holm is None):
            raise PydanticCustomError("p", "p and p_holm, or null twice")
        low, high = self.ci95
        known = self.difference is not None and low is not None
        if not known and (self.p is not None or (low or 0) > 0 or (high or 0) < 0):
            raise PydanticCustomError("ends", "a difference with its interval")
        if (self.seat is None) != (self.player is None):
            raise PydanticCustomError("seat", "a seat with its player, or null twice")
        return self


class _Comparison(Part):
    rounds_that_differ: _Differing
    differences: list[_Difference]


_STUDY_OF_SWEEP: TypeAdapter[Any] = TypeAdapter(_StudyOfSweep)
_SUMMARIES: dict[str, TypeAdapter[Any]] = {
    "comparison": TypeAdapter(_Comparison),
    "tournament": TypeAdapter(_Tournament),
}
_TABLES: dict[str, type[Part]] = {"metrics": _Metric, "calibration": _Bin}
_ROWS: dict[str, TypeAdapter[Any]] = {
    "metrics": TypeAdapter(list[_Metric]),
    "calibration": TypeAdapter(list[_Bin]),
}
