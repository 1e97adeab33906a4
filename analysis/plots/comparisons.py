"""The plot of a comparison: differences with their intervals, as a forest.

As in `analysis.plots`: a table in, axes out; colour-blind safe, n and intervals told.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from analysis.plots import drawing as draw
from analysis.plots.accessors import ComparisonPlots
from analysis.plots.files import picture_files, single
from analysis.text.terminal import shortened
from sim.metrics import DRAWN

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_GRID = "#D0D0D0"


@ComparisonPlots.plot("differences with their intervals", lambda result: result.differences)
def differences(
    frame: pd.DataFrame, ax: Axes | None = None, *, metrics: Sequence[str] | str = DRAWN
) -> Axes:
    """Draw differences between two studies, each with its 95 % interval.

    Those that are sure (corrected by Holm for all differences of the comparison) are filled and of
    another colour. Shares are drawn in percentage points.

    Args:
        frame: Of a comparison.
        ax: Axes to draw on.
        metrics: Names of the numbers to draw, all of one unit.

    Raises:
        ValueError: They are of several units, or there are none of these names.
    """
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    rows = frame[frame["metric"].isin(wanted) & frame["low"].notna()]
    units = rows["unit"].unique()
    if len(units) != 1:
        raise ValueError(f"differences of one unit are drawn together, not of {list(units)}")
    ax = draw.axes_or_new(ax)
    share = units[0] == "share"
    scale = 100 if share else 1
    rows = rows.assign(at=range(len(rows)), sure=rows["sure"].astype(bool))
    for sure, mark, colour in ((False, "o", draw.COLOURS[0]), (True, "D", draw.COLOURS[1])):
        part = rows[rows["sure"] == sure]
        ends, value = scale * part[["low", "high"]].to_numpy(), scale * part["difference"]
        style: Any = {"fmt": mark, "color": colour, "elinewidth": 1.6}
        style["markerfacecolor"] = colour if sure else "white"
        draw.intervals(ax, part["at"], value, ends, lying=True, **style)
    ax.set_yticks(range(len(rows)), [draw.letters(_label(row)) for row in rows.itertuples()])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.grid(axis="x", color=_GRID, linewidth=0.5)
    ax.set_axisbelow(True)
    own = draw.label("difference_points") if units[0] == "points" else f"B − A, {units[0]}"
    ax.set_xlabel(draw.label("difference_share") if share else own)
    blocks = int(rows["n"].iloc[0])
    note = f"n = {blocks:,} deals, 95 % intervals; filled: sure (Holm)"
    if draw.labels().titled:
        ax.set_title(f"What B changes\n{note}", loc="left")
    return ax


def _label(row: object) -> str:
    """Return the label of a row: the metric, and whose it is."""
    metric, player, seat = (getattr(row, name) for name in ("metric", "player", "seat"))
    if not isinstance(player, str):
        return str(metric)
    return f"{metric}, {shortened(player, 20)} ({seat})"


def comparison_pictures(frame: pd.DataFrame) -> dict[str, bytes]:
    """Return the plot of a comparison by file name, as SVG and PNG."""
    rows = frame["metric"].isin(DRAWN) & frame["low"].notna()
    if not rows.any():
        return {}
    made = single(partial(differences, frame))
    return picture_files({"differences": (made, 7.0, 1.4 + 0.22 * int(rows.sum()))})
