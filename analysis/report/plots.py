"""Fits the plots of `analysis.plots` into a page: its language, its width, its own captions."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from analysis.words import Language

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

_TITLES = ("left", "center", "right")


def translate(figure: Figure, language: Language) -> None:
    """Mutates: write a figure's words and numbers as a language has them; take titles away.

    What a title says, the page says in the caption. Words that the catalogue does not have, such as
    names of players and of parameters, stay.
    """
    for ax in figure.axes:
        for place in _TITLES:
            ax.set_title("", loc=place)  # type: ignore[arg-type]
        _translate_axes(ax, language)
    if figure.get_suptitle():
        figure.suptitle("")


def _translate_axes(ax: Axes, language: Language) -> None:
    ax.set_xlabel(_in_words(ax.get_xlabel(), language))
    ax.set_ylabel(_in_words(ax.get_ylabel(), language))
    for axis in (ax.xaxis, ax.yaxis):
        formatter = axis.get_major_formatter()
        axis.set_major_formatter(_translated(formatter, language))
    legend = ax.get_legend()
    texts = list(ax.texts)
    if legend is not None:
        texts += [legend.get_title(), *legend.get_texts()]
    for text in texts:
        text.set_text(_in_words(text.get_text(), language))


def _translated(formatter: Any, language: Language) -> Any:
    """Return a formatter of ticks that says what another one says, in a language."""
    from matplotlib.ticker import Formatter

    class Translated(Formatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return _in_words(formatter(x, pos), language)

        def format_ticks(self, values: Any) -> list[str]:
            return [_in_words(text, language) for text in formatter.format_ticks(values)]

        def set_locs(self, locs: Any) -> None:
            formatter.set_locs(locs)

        def get_offset(self) -> str:
            return str(formatter.get_offset())

    return Translated()


def _in_words(text: str, language: Language) -> str:
    """Return a text of a plot, line by line: from the catalogue, or with its numbers rewritten."""
    return "\n".join(_line(line, language) for line in text.split("\n"))


def _line(line: str, language: Language) -> str:
    found = language.shipped("plot", line, line)
    if found != line:
        return found
    if line.endswith("…"):
        return _whole(line, language)
    if line.endswith(_NOT_TO_SCALE):
        return line.replace(_NOT_TO_SCALE, language.shipped("plot", _NOT_TO_SCALE, _NOT_TO_SCALE))
    numbered = _NUMBERED.fullmatch(line)  # "seat 2", "n = 1,000 rounds"
    if numbered:
        pattern = f"{numbered[1]}#{numbered[3]}"
        found = language.shipped("plot", pattern, pattern)
        if found != pattern:
            return found.replace("#", language.translate_numbers(numbered[2]))
    return language.translate_numbers(line) if _NUMBERS_ONLY.fullmatch(line) else line


def _whole(line: str, language: Language) -> str:
    """Return in full what a plot has cut to a length; names of players stay cut."""
    start = f"plot.{line.removesuffix('…').rstrip()}"
    found = [entry for key, entry in language.entries.items() if key.startswith(start)]
    return found[0] if len(found) == 1 and isinstance(found[0], str) else line


_NUMBERED = re.compile(r"(\D*?)([<>]?\d[\d,.]*)(\D*)")
_NUMBERS_ONLY = re.compile(r"[^A-Za-z_]*")
_NOT_TO_SCALE = " (not to scale)"


def fit(figure: Figure, *, narrow: bool) -> float:
    """Mutates: fit legends, names and labels in; return the size of the smallest letters.

    Returns:
        In points.
    """
    from matplotlib.text import Text

    from analysis.plots.figures import break_labels

    for ax in figure.axes:
        legend = ax.get_legend()
        if narrow:
            _wrap_names(ax)
        if narrow and legend is not None:
            _legend_below(ax, legend)
        if narrow and ax.images and ax.images[0].get_size()[1] > _FIELDS_AT_MOST:
            for text in ax.texts:  # too many to be read; the table below the picture has them
                text.set_visible(False)
    for text in figure.findobj(Text):
        if isinstance(text, Text):
            text.set_fontsize(max(float(text.get_fontsize()), LEAST))
    for ax in figure.axes:
        if max(map(len, (ax.get_xlabel(), ax.get_ylabel()))) > _LABEL:
            break_labels(ax, beyond=1.0)
    return _least(figure)


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


def _least(figure: Figure) -> float:
    from matplotlib.text import Text

    texts: list[Any] = figure.findobj(Text)
    sizes = [float(text.get_fontsize()) for text in texts if _shows(text)]
    return min(sizes, default=0.0)


def _shows(text: Any) -> bool:
    return bool(text.get_visible() and text.get_text().strip())
