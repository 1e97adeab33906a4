"""What came of a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sim
from analysis.blocks import Block
from analysis.results.run import Result, calibration_of, game_of
from analysis.results.shared import ManyResult
from analysis.sweeping import best_point, calibration_frame, metrics_frame, point_rows
from analysis.text.sweep import sweep_blocks, sweep_told
from sim.batch.sums import Sums
from sim.game.deck import Deck
from sim.game.documents import SCHEMA
from sim.game.players import Player
from sim.game.study import Study
from sim.game.sweep import Sweep

if TYPE_CHECKING:
    import pandas as pd

    from analysis.plots import SweepPlots


@dataclass(eq=False)
class SweepResult(ManyResult):
    """The result of a sweep.

    Attributes:
        sweep: What was played.
        sums: Exact sums over each point.
        seconds: Time that playing took, compiling or loading the engine included.
        saving_seconds: Time that drawing pictures and writing the results took after that.
        version: Version of the program that played.
    """

    sweep: Sweep
    sums: Sequence[Sums]
    seconds: float = 0.0
    saving_seconds: float = field(default=0.0, kw_only=True)
    version: str = field(default_factory=lambda: str(sim.__version__))

    @property
    def _played(self) -> Sweep:
        return self.sweep

    # --- numbers ----------------------------------------------------------------------------------

    @cached_property
    def results(self) -> list[Result]:
        """The result of each point, as of a run."""
        pairs = zip(self.sweep.studies, self.sums, strict=True)
        return [Result(study=study, sums=sums, seconds=0.0) for study, sums in pairs]

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """One row for each point, seat and metric.

        Columns: ``point`` from 0; the value of each axis, named by its key; ``seat``, missing in
        rows about the table, and ``strategy``; ``metric``, ``value``, ``low``, ``high`` (95 %),
        ``n``, and of what it is the number. `sim.metrics.SWEPT` describes the metrics.
        """
        return metrics_frame([row for rows in self._metric_rows for row in rows])

    @cached_property
    def _metric_rows(self) -> list[list[dict[str, Any]]]:
        """The rows of `metrics`, for each point."""
        return [
            [place | row for row in point_rows(study, sums, self.sweep.focus)]
            for place, study, sums in zip(
                self._places(), self.sweep.studies, self.sums, strict=True
            )
        ]

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """How often plucks hit that a player was so and so sure of.

        One row for each point, seat in focus and bin of confidence that has a pluck, and for all
        seats together, where ``seat`` is missing; `analysis.sweeping.calibration_rows` describes
        the columns.
        """
        points = zip(self._places(), self.sums, strict=True)
        of_each = ((place, calibration_of(sums, self.sweep.focus)) for place, sums in points)
        return calibration_frame([place | row for place, rows in of_each for row in rows])

    def _places(self) -> list[dict[str, Any]]:
        """Return, for each point, its number and the values of the axes."""
        return places([axis.key for axis in self.sweep.axes], self.sweep.points)

    @cached_property
    def best(self) -> dict[str, Any] | None:
        """The point with the greatest win share of the seats in focus; see `best_point`."""
        return best_of(self.metrics, self.sweep.focus)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables by name: ``metrics`` and ``calibration``."""
        return {"metrics": self.metrics, "calibration": self.calibration}

    def summary(self) -> dict[str, Any]:
        """Return all numbers but the calibration's, JSON-ready: what was played, each point."""
        axes = [axis.key for axis in self.sweep.axes]
        facts = facts_of_sweep(self.sweep.base, axes, list(self.sweep.focus), self.version)
        points = [point_of(axes, rows) for rows in self._metric_rows]
        return facts | {"best": self.best, "points": points}

    # --- for people -------------------------------------------------------------------------------

    def _told(self) -> list[Iterable[Block]]:
        return sweep_told(self.summary())

    def __repr__(self) -> str:
        """Say in one line what was played."""
        return f"<Result of {self.sweep!r}>"

    def blocks(self) -> list[Block]:
        """Return what notebooks show of it."""
        return sweep_blocks(self.summary())

    # --- folders ----------------------------------------------------------------------------------

    def pictures(self) -> dict[str, bytes]:
        """Return all plots by file name, as SVG and PNG."""
        from analysis.plots import sweep_pictures

        return sweep_pictures(self.tables(), self.sweep.focus)

    @property
    def plot(self) -> SweepPlots:
        """Single plots: ``result.plot.metric("win_share")``; see `analysis.plots.SweepPlots`."""
        from analysis.plots import SweepPlots

        return SweepPlots(self)


def facts_of_sweep(base: Study, axes: list[str], focus: list[int], version: str) -> dict[str, Any]:
    """Return the part of a sweep's summary that says what was played."""
    return {
        "schema": SCHEMA,
        "kind": "sweep",
        "version": version,
        **game_of(base),
        "unit": base.unit,
        "count": base.count,
        "axes": axes,
        "focus": focus,
    }


def best_of(metrics: pd.DataFrame, focus: Sequence[int]) -> dict[str, Any] | None:
    """Return the point with the greatest win share of some seats; None where there are none."""
    if not focus:
        return None
    name, seat = ("win_share", focus[0]) if len(focus) == 1 else ("group_win_share", None)
    found = best_point(metrics, name, seat)
    return found and found | {"seats": list(focus)}


def point_of(axes: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a point's part of the summary: values of the axes, the table, the seats.

    Args:
        axes: Their keys.
        rows: Of `SweepResult.metrics`, those of the point.
    """
    seats: dict[Any, dict[str, Any]] = {None: {}}
    for row in rows:
        told = seats.setdefault(row["seat"], {"seat": row["seat"], "strategy": row["strategy"]})
        told[row["metric"]] = row["value"]
        if row["low"] is not None:
            told[f"{row['metric']}_ci95"] = [row["low"], row["high"]]
    table = seats.pop(None)
    return {
        "point": rows[0]["point"],
        "values": {axis: rows[0][axis] for axis in axes},
        **table,
        "players": list(seats.values()),
    }


def places(axes: Sequence[str], points: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return, for each point of a sweep, its number and the values of the axes as tables have them.

    Args:
        axes: Their keys.
        points: The values of all axes at each point.
    """
    columns = [_column(key, [point[k] for point in points]) for k, key in enumerate(axes)]
    rows = zip(*columns, strict=True)
    return [{"point": k} | dict(zip(axes, row, strict=True)) for k, row in enumerate(rows)]


def _column(key: str, values: Sequence[Any]) -> list[Any]:
    """Return the values of an axis as a column of one type: all numbers, or all text."""
    kinds = set(map(type, values))
    if kinds in ({bool}, {int}):
        return list(values)
    if kinds <= {int, float}:
        return [float(value) for value in values]
    return [_told(key, value) for value in values]


def _told(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        value = Deck.of(value) if key == "deck" else Player.of(value)
    if isinstance(value, Deck | Player):
        return value.name
    return f"{value:g}" if isinstance(value, float) else str(value)
