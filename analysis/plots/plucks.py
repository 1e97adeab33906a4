"""Plots of how sure players were of their plucks, and how right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from analysis.plots import drawing as draw
from analysis.plots.accessors import RunPlots, SweepPlots

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@RunPlots.plot(
    "how often plucks hit against how sure their players were",
    lambda result: result.calibration,
    lambda _: {"least": None},
)
@SweepPlots.plot(
    "hits against confidence; options as of `analysis.plots.calibration`",
    lambda result: result.calibration,
)
def calibration(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    by: str | None = None,
    least: int | None = 1,
) -> Axes:
    """Draw how often plucks hit against how sure their players were, and the diagonal.

    Args:
        table: Calibration of a sweep; rows of all seats together are drawn, if there are any.
        ax: Axes to draw on.
        by: Column that tells series apart, such as an axis of the sweep.
        least: Bins with fewer plucks than this are left out; 30 if None, or where nowhere are so
            many, 1.
    """
    ax = draw.axes_or_new(ax)
    if table.empty:
        draw.empty(ax, draw.label("no_plucks"))
        return draw.headed(ax, "Confidence and hits", "n = 0 plucks")
    least = draw.usual_least(table["n"], least)
    ax.plot(
        [0, 100], [0, 100], color="0.6", linewidth=1, zorder=0, label=draw.label("as_sure_as_right")
    )
    plucks, lowest = [], 100.0
    for k, (name, rows) in enumerate(draw.series(pooled(table, least), by)):
        lowest = min(lowest, 100 * float(rows[["confidence", "low"]].min().min()))
        plucks.append(int(rows["n"].sum()))
        style = draw.marked(k) | {"label": name or draw.label("plucks"), "linewidth": 1}
        style |= {"markersize": max(8 - 1.5 * k, 3), "markerfacecolor": "none"}  # all are seen
        _points(ax, rows, "hits", **style)
    lowest = min(10 * math.floor(lowest / 10), 90)
    ax.set_xlim(lowest, 100 + 0.01 * (100 - lowest))
    ax.set_ylim(lowest, 100 + 0.01 * (100 - lowest))
    ax.set_aspect("equal")
    ax.set_xlabel(draw.label("confidence"))
    ax.set_ylabel(draw.label("hits"))
    ax.grid(alpha=0.3)
    ax.legend(title=by, loc="best", fontsize="small", title_fontsize="small")
    note = f"{draw.counts(plucks, 'plucks')}{'' if by is None else ' a line'}; 95 % intervals"
    note += f"; bins with n ≥ {least:,}" if least > 1 else ""
    return draw.headed(ax, "Confidence and hits", note)


def calibration_difference(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    by: str | None = None,
    least: int = 10_000,
    within: float = 1.0,
) -> Axes:
    """Draw by how many percentage points plucks hit more often than their players thought.

    Args:
        table: Calibration of a sweep; rows of all seats together are drawn, if there are any.
        ax: Axes to draw on.
        by: Column that tells series apart.
        least: Bins with fewer plucks than this are left out.
        within: Half the height of the grey band, in percentage points.
    """
    ax = draw.axes_or_new(ax)
    ax.axhspan(-within, within, color="0.92", zorder=0)
    ax.axhline(0, color="0.6", linewidth=1, zorder=0)
    shown = pooled(table, least)
    parts = list(draw.series(shown, by))
    lowest = min(10 * math.floor(10 * float(shown["confidence"].min())), 90)
    for k, (name, rows) in enumerate(parts):
        shift = 0.005 * (100 - lowest) * (k - (len(parts) - 1) / 2)  # beside each other
        style = draw.marked(k) | {"label": name, "linestyle": "none", "markersize": 4}
        _points(ax, rows, "difference", shift, **style)
    ax.set_xlim(lowest - 0.02 * (100 - lowest), 100 + 0.03 * (100 - lowest))
    ax.set_xlabel(draw.label("confidence"))
    ax.set_ylabel("hits above confidence, percentage points")
    ax.grid(alpha=0.3)
    note = f"bins with n ≥ {least:,} plucks; grey: ±{within:g}; 95 % intervals"
    return draw.headed(ax, "Difference", note)


def _points(ax: Axes, rows: pd.DataFrame, column: str, shift: float = 0, **style: Any) -> None:
    """Draw hits, or their difference to confidence, over confidence, all in per cent."""
    over = 100 * rows["confidence"] + shift
    ends = rows[["low", "high"]].sub(rows["hits"] - rows[column], axis=0)
    draw.intervals(ax, over, 100 * rows[column], 100 * ends.to_numpy(), capsize=2, **style)


BINS = 5
"""With plucks; fewer say nothing of calibration."""

SPREAD = 0.2
"""Confidences must differ by this; where all plucks are almost certain there is nothing to see."""


def least_shown(table: pd.DataFrame) -> int | None:
    """Return how many plucks a bin must have to be drawn; None where no number shows anything.

    It is the greatest of a few that leaves enough bins, far enough from each other.
    """
    for least in () if table.empty else (10_000, 1_000, 100, 30):
        rows = pooled(table, least)
        spread = rows["confidence"].max() - rows["confidence"].min()
        if rows["bin"].nunique() >= BINS and spread >= SPREAD:
            return least
    return None


def pooled(table: pd.DataFrame, least: int) -> pd.DataFrame:
    """Return the bins with so many plucks, of all seats together if there are such rows."""
    rows = table[table["n"] >= least]
    return rows[rows["seat"].isna()] if rows["seat"].isna().any() else rows
