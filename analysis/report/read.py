"""Reads results: folders of runs, comparisons, sweeps and tournaments, or results in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, FiniteFloat, model_validator
from pydantic_core import PydanticCustomError

import sim
from analysis.report.pen import Source
from sim.errors import InputError, one_of, show, within
from sim.game.documents import (
    Count,
    Manifest,
    Number,
    Shape,
    Share,
    as_json,
    check,
    check_agrees,
    read_schema,
    some,
)
from sim.game.files import read_json

if TYPE_CHECKING:
    from analysis.results.run import Result
    from sim.game.study import Study

KINDS = ("run", "comparison", "sweep", "tournament")

_BINS_AT_MOST = 100
"""Rows that a seat has at a point of a table of calibration, at most."""

_SUMMARY = "the summary of results"

_HOLDERS = ("comparing", "study", "sweep", "tournament")
_EXPECTED = "a folder written by baobei run, compare, sweep or tournament"


def read(source: Any) -> Source:
    """Return what a folder, or a result in memory, has to tell.

    Args:
        source: A path; or an object with ``summary()``, and with ``study``, ``sweep`` or
            ``tournament``, which is what was played.

    Raises:
        InputError: There are no results in the folder, or none that are finished or readable.
    """
    if hasattr(source, "summary"):
        return _of_result(source)
    return _of_folder(Path(source))


# --- in memory ------------------------------------------------------------------------------------


def _of_result(result: Any) -> Source:
    summary = result.summary()
    kind = summary.get("kind", "run")
    folder = getattr(result, "folder", None)
    name = Path(folder).name if folder else ""
    played = next(getattr(result, holder) for holder in _HOLDERS if hasattr(result, holder))
    if kind == "run":
        summary |= {"rates": _rates(result)}
    tables = result.tables() if kind != "run" else _kept(result)
    engine = getattr(result, "engine", None)
    return Source(kind, name, summary, played.to_dict(), tables, engine)


def _kept(result: Result) -> dict[str, Any]:
    """Return a run's calibration, and its scores if kept."""
    from analysis.plots.players import seat_scores
    from sim.store.rows import RECORDS

    tables: dict[str, Any] = {"calibration": result.calibration}
    folder = result.folder
    if result.kept is not None or (folder is not None and (Path(folder) / RECORDS).exists()):
        tables["scores"] = seat_scores(result)
    return tables


def _rates(result: Result) -> dict[str, Any]:
    """Return the shares that a run's summary has only as counts, each as ``value`` and ``ci95``.

    ``table`` and, for each seat, ``seats`` hold the metrics of a point of a sweep, ``bao`` says
    what became of calls. With games, whose rounds hang together, these shares have no intervals.
    """
    from analysis.results.evaluate import Numbers
    from analysis.results.run import confidence
    from analysis.stats import CONFIDENCE
    from analysis.sweeping import point_rows
    from sim.metrics import SHARES

    study, sums = result.study, result.sums
    numbers = Numbers(study, sums, CONFIDENCE)
    found: dict[Any, dict[str, Any]] = {}
    for row in point_rows(study, sums, level=confidence(result.until)):
        value = {"value": row["value"], "ci95": [row["low"], row["high"]]}
        found.setdefault(row["seat"], {})[row["metric"]] = value
    shares = {
        name: {"value": numbers.value(share), "ci95": list(numbers.interval(share))}
        for name, share in SHARES.items()
    }
    table, called = found.pop(None, {}), shares.pop("bao.called")
    bao = {name.removeprefix("bao."): share for name, share in shares.items()}
    return {"table": table, "seats": list(found.values()), "bao": bao, "called": called}


# --- folders --------------------------------------------------------------------------------------


def _of_folder(path: Path) -> Source:
    manifest = read_schema(_json(path / "manifest.json", path), path / "manifest.json")
    kind = manifest.get("kind", "run")
    if kind not in KINDS:
        problem = f"holds the results of a {kind if isinstance(kind, str) else show(kind)}"
        raise InputError(problem, where=path, expected=f"those of a {one_of(KINDS, quote='')}")
    told = check(Manifest, manifest, path / "manifest.json")
    if not (path / "summary.json").exists() and (kind != "run" or told.finished):
        expected = f"the same {kind} again, to its end"
        raise InputError("not finished yet", where=path, expected=expected)
    if kind in ("sweep", "tournament"):
        return _of_sweep(path, told) if kind == "sweep" else _of_tournament(path, told)
    from analysis.results.comparison import read_comparison
    from analysis.results.run import read_result

    found: Any = read_result(path) if kind == "run" else read_comparison(path)
    return replace(_of_result(found), name=path.resolve().name)


def _json(file: Path, folder: Path) -> Any:
    try:
        return read_json(file)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("no results here", where=folder, expected=_EXPECTED) from None


def _of_sweep(path: Path, manifest: Manifest) -> Source:
    """Return what the tables of a sweep say; its summary must say the same."""
    from analysis.results.sweep import best_of, facts_of_sweep, places, point_of
    from analysis.sweeping import calibration_frame, metrics_frame
    from sim.game.study import Study
    from sim.metrics import SWEPT

    file = path / "summary.json"
    check(_StudyOfSweep, manifest.study, path / "manifest.json", "study")
    varied = manifest.study["sweep"]
    axes, focus = [axis["key"] for axis in varied["axes"]], varied["focus"]
    with within("study", path / "manifest.json"):
        base = Study.from_dict({k: v for k, v in manifest.study.items() if k != "sweep"})
        _check_sweep(base, varied, manifest.fingerprint)
    study = base.to_dict() | {"sweep": varied}
    at, seats = places(axes, varied["points"]), 1 + max(base.rules.game_threshold)
    tables = {
        name: _rows_of(path / f"{name}.parquet", name, axes, len(at) * seats * most)
        for name, most in (("metrics", len(SWEPT)), ("calibration", _BINS_AT_MOST))
    }
    rows = tables["metrics"]
    points = [point_of(axes, list(of)) for _, of in groupby(rows, lambda row: row["point"])]
    held = [{"point": point["point"], **point["values"]} for point in points]
    check_agrees(held, as_json(at), path / "metrics.parquet", "point")
    calibration = calibration_frame(tables["calibration"])
    frames = {"metrics": metrics_frame(rows), "calibration": calibration}
    facts = facts_of_sweep(base, axes, focus, manifest.version)
    facts["best"] = best_of(frames["metrics"], focus)
    content = read_schema(_json(file, path), file, _SUMMARY)
    check_agrees(content.get("points"), points, file, "points", to="metrics.parquet")
    _check_facts(content, facts, manifest, file)
    summary, name = facts | {"points": points}, path.resolve().name
    return Source("sweep", name, summary, study, frames, manifest.engine)


def _check_sweep(base: Study, varied: Mapping[str, Any], fingerprint: str) -> None:
    """Check that a sweep is what was played; where an axis names files, nobody can know that."""
    from sim.game.sweep import Axis, Sweep

    axes = [Axis(axis["key"], tuple(axis["values"])) for axis in varied["axes"]]
    for k, axis in enumerate(axes):
        played = {json.dumps(point[k]) for point in varied["points"]}
        if played != set(map(json.dumps, axis.values)):
            expected = "the values of its points"
            raise InputError("damaged", key=f"sweep.axes.{k}.values", expected=expected)
    for axis in axes:
        of_files = axis.key == "deck" or axis.key.endswith(".player")
        if of_files and any(isinstance(value, str) for value in axis.values):
            return
    points = tuple(map(tuple, varied["points"]))
    sweep = Sweep(base, tuple(axes), points, tuple(varied["focus"]))
    if sweep.fingerprint != fingerprint:
        raise InputError("is not what was played: its fingerprint is another")


def _check_facts(content: Any, true: dict[str, Any], manifest: Manifest, file: Path) -> None:
    """Check that a summary is about what its manifest says that was played."""
    mine = manifest.version == str(sim.__version__)
    true = as_json(true) if mine else {"version": manifest.version}
    check_agrees(some(content, true), true, file)


def _of_tournament(path: Path, manifest: Manifest) -> Source:
    from analysis.ranking import frames
    from analysis.results.tournament import facts_of_tournament
    from sim.game.tournament import Tournament

    file, told = path / "summary.json", path / "manifest.json"
    with within("study", told):
        tournament = Tournament.from_dict(manifest.study)
    if tournament.fingerprint != manifest.fingerprint:
        problem = "is not what was played: its fingerprint is another"
        raise InputError(problem, where=told, key="study")
    content = read_schema(_json(file, path), file, _SUMMARY)
    check(_Tournament, content, file)
    facts = facts_of_tournament(tournament, manifest.version)
    summary = facts | some(content, ("by_seat", "ranking", "matrix"))
    _check_facts(content, {k: facts[k] for k in facts if k != "by_seat"}, manifest, file)
    names = sorted(player.name for player in tournament.players)
    check_agrees(sorted(row["player"] for row in summary["ranking"]), names, file, "ranking.player")
    name, study = path.resolve().name, tournament.to_dict()
    return Source("tournament", name, summary, study, frames(summary), manifest.engine)


def _rows_of(file: Path, kind: str, axes: Sequence[str], most: int) -> list[dict[str, Any]]:
    """Return the rows of a table of a sweep, checked.

    Args:
        file: The table.
        kind: ``metrics`` or ``calibration``.
        axes: Keys of the axes.
        most: How many rows it may have; more are not read.
    """
    from sim.store.rows import opened_table

    row, shape = _ROWS[kind]
    first, *others = row.model_fields
    names = [first, *axes, *others]
    with opened_table(file) as table:
        count = table.metadata.num_rows
        if count > most:
            raise InputError(expected=f"at most {most:,} rows", got=count)
        there = [name for name in names if name in table.schema_arrow.names]
        rows: list[dict[str, Any]] = table.read(columns=there).to_pylist() if count else []
    check(shape, rows, file)
    missing = next((axis for axis in axes if rows and axis not in rows[0]), None)
    if missing is not None:
        raise InputError("damaged: missing", where=file, key=missing)
    return rows


# --- what tables and summaries must be ------------------------------------------------------------


class _Bounded(Shape):
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


class _Axis(Shape):
    key: str
    values: Annotated[list[Any], Field(min_length=1)]


class _Varied(Shape):
    axes: Annotated[list[_Axis], Field(min_length=1)]
    points: list[list[Any]]
    focus: list[int]

    @model_validator(mode="after")
    def _points_have_a_value_for_each_axis(self) -> Self:
        if any(len(point) != len(self.axes) for point in self.points):
            raise PydanticCustomError("points", "points with a value for each axis")
        return self


class _StudyOfSweep(Shape):
    sweep: _Varied


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


_ROWS: dict[str, Any] = {"metrics": (_Metric, list[_Metric]), "calibration": (_Bin, list[_Bin])}
"""Rows of the tables of a sweep; the axes stand after the first column."""


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


class _Tournament(Shape):
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
