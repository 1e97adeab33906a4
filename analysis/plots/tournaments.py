"""Plots of tournaments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.plots import drawing as draw
from analysis.plots.accessors import TournamentPlots

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@TournamentPlots.plot("the win share of every player", lambda result: result.ranking)
def strength(ranking: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the win share of every player of a tournament, the strongest at the top.

    Args:
        ranking: Of a tournament.
        ax: Axes to draw on.
    """
    ax = draw.axes_or_new(ax)
    low, high = 100 * ranking["win_share_low"], 100 * ranking["win_share_high"]
    intervals = list(zip(low, high, strict=True))
    draw.bars(ax, list(ranking["player"]), list(100 * ranking["win_share"]), intervals)
    ax.set_xlabel(draw.label("win_share_of_decided"))
    note = f"{draw.counts(list(ranking['rounds']), 'rounds')} for each player; bars: 95 % intervals"
    return draw.fit_names(draw.headed(ax, "Strength", note))


@TournamentPlots.plot(
    "how every player does where another sits", lambda result: result.matrix, name="matrix"
)
def strength_matrix(
    matrix: pd.DataFrame, ax: Axes | None = None, *, what: str = "difference"
) -> Axes:
    """Draw how every player does where another one sits at the table too.

    Args:
        matrix: Of a tournament.
        ax: Axes to draw on.
        what: ``difference``: by how many percentage points the row's win share is above the
            column's, at the tables of both; or ``win_share``: the row's own, in per cent.
    """
    ax = draw.axes_or_new(ax)
    names = list(dict.fromkeys(matrix["player"]))
    cells = 100 * draw.grid(matrix, what, "player", "other", names)
    half = 50 * (matrix[f"{what}_high"] - matrix[f"{what}_low"])
    centre = 0.0 if what == "difference" else None
    image = draw.heat(ax, cells, centre)
    shown = [draw.letters(draw.short(name)) for name in names]
    ax.spines[:].set_visible(False)
    ax.set_xticks(range(len(names)), shown, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), shown)
    ax.set_ylabel(draw.label("player"))
    ax.set_xlabel(draw.label("other_player"))
    titles = {
        "difference": "Win share above the other's, percentage points",
        "win_share": "Win share where the other one is there, %",
    }
    note = f"{draw.counts(list(matrix['rounds']), 'rounds')} in each cell"
    if half.notna().any():
        note += f"; 95 % intervals: ±{half.max():.1f} at most"
    draw.headed(ax, titles[what], note)
    draw.cell_texts(ax, cells, image, "{:.1f}".format)
    return draw.fit_names(ax)
