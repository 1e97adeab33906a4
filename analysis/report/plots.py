"""Fits the plots of `analysis.plots` into a page, wide or narrow."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 7.6
"""Size of the smallest letters, in points; pictures are shown 1.1 times as large and more."""

_FIELDS_AT_MOST = 6
"""Fields with numbers in them side by side on narrow screens."""

_LINE = 17
"""Characters of a line of a name beside an axis on narrow screens."""

_LABEL = 20
"""Characters of a label of an axis that find room on one line, whatever the figure."""


def fit(figure: Figure, *, narrow: bool) -> float:
    """Mutates: fit legends, names and labels in; return the size of the smallest letters.

    Returns:
        In points.
    """
    from matplotlib.text import Text

    from analysis.plots.drawing import break_labels

    for ax in figure.axes:
        legend = ax.get_legend()
        if narrow:
            _wrap_names(ax)
        if narrow and legend is not None:
            _legend_below(ax, legend)
        if narrow and ax.images and ax.images[0].get_size()[1] > _FIELDS_AT_MOST:
            for text in ax.texts:  # too many to be read; the table below the picture has them
                text.set_visible(False)
    texts: list[Any] = figure.findobj(Text)
    for text in texts:
        text.set_fontsize(max(float(text.get_fontsize()), LEAST))
    for ax in figure.axes:
        if max(map(len, (ax.get_xlabel(), ax.get_ylabel()))) > _LABEL:
            break_labels(ax, beyond=1.0)
    texts = figure.findobj(Text)  # with those that breaking has made
    seen = (text for text in texts if text.get_visible() and text.get_text().strip())
    return min((float(text.get_fontsize()) for text in seen), default=0.0)


def _wrap_names(ax: Axes) -> None:
    """Mutates: break long names beside an axis into lines."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    if max(map(len, names), default=0) > _LINE:
        ax.set_yticks(ax.get_yticks(), [textwrap.fill(name, _LINE) for name in names])


def _legend_below(ax: Axes, legend: Any) -> None:
    handles, labels = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    title = legend.get_title().get_text()
    longest = max(map(len, labels), default=0)
    ax.legend(
        handles,
        labels,
        title=title or None,
        loc="upper center",
        bbox_to_anchor=(0.4, -0.24),
        ncols=1 if longest > 14 else 2 if longest > 6 else 4,
        fontsize="small",
        title_fontsize="small",
    )
