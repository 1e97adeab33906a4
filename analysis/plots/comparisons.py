"""The plot of a comparison: differences with their intervals, as a forest.

As in `analysis.plots`: a table in, axes out; colour-blind safe, n and intervals told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.plots import drawing as draw
from analysis.plots.accessors import ComparisonPlots
from analysis.plots.files import picture_files

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARES: tuple[str, ...] = ("win_share", "ends.bao", "ends.second_recycling", "ends.turn_cap")
SHARES += ("bao.called", "bao_called", "calls.won_share", "hit_rate")
"""What is drawn unless something else is asked for: shares, as they have one unit."""

_GRID = "#D0D0D0"


@ComparisonPlots.plot("differences with their intervals", lambda result: result.differences)
def differences(
    frame: pd.DataFrame, ax: Axes | None = None, *, metrics: Sequence[str] | str = SHARES
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
    ax.set_xlabel(draw.label("difference_share") if share else _unit_label(units[0]))
    blocks = int(rows["n"].iloc[0])
    note = f"n = {blocks:,} deals, 95 % intervals; filled: sure (Holm)"
    if draw.labels().titled:
        ax.set_title(f"What B changes\n{note}", loc="left")
    return ax


def _unit_label(unit: str) -> str:
    return draw.label("difference_points") if unit == "points" else f"B − A, {unit}"


def _label(row: object) -> str:
    """Return the label of a row: the metric, and whose it is."""
    metric, player, seat = (getattr(row, name) for name in ("metric", "player", "seat"))
    if not isinstance(player, str):
        return str(metric)
    name = player if len(player) <= 20 else player[:17] + "..."
    return f"{metric}, {name} ({seat})"


def comparison_pictures(frame: pd.DataFrame) -> dict[str, bytes]:
    """Return the plot of a comparison by file name, as SVG and PNG."""
    rows = frame["metric"].isin(SHARES) & frame["low"].notna()
    if not rows.any():
        return {}

    def draw(figure: Figure) -> None:
        differences(frame, figure.subplots())

    return picture_files({"differences": (draw, 7.0, 1.4 + 0.22 * int(rows.sum()))})
