"""What all plots share: figures and their style, titles, ticks, legends, coloured fields."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from analysis.stats import Interval
from analysis.words import DEFAULT, MINUS, NO_BREAK, Language, language

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8A8300")
"""For series, in this order: those of Okabe and Ito, their yellow made darker."""

MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")

BAND = 0.2
"""Opacity of the band of an interval."""

STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "baobei",
    "savefig.dpi": 110,
    "text.parse_math": False,
}
"""Of `picture`, whatever the user's own style is."""

_UNTOLD = {"svg": ("Date", "Creator"), "png": ("Software",)}
"""What files would tell of the day and of versions."""


# --- figures --------------------------------------------------------------------------------------


def picture(
    draw: Callable[[Figure], object],
    width: float,
    height: float,
    forms: Sequence[str] = ("svg", "png"),
) -> dict[str, bytes]:
    """Return a figure as ``{"svg": ..., "png": ...}``, whatever the user's style is.

    Args:
        draw: Draws on the empty figure that it is given.
        width: In inches.
        height: In inches.
        forms: Which of the two to make.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import fontManager, get_font
    from matplotlib.text import Text

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        made = {}
        with _boxes():
            draw(figure)
            for form in forms:
                buffer = io.BytesIO()
                figure.savefig(buffer, format=form, metadata=dict.fromkeys(_UNTOLD[form]))
                made[form] = buffer.getvalue()
        known = get_font(fontManager.findfont(STYLE["font.family"])).get_charmap()
        texts: list[Any] = figure.findobj(Text)
        letters = set("".join(text.get_text() for text in texts)) - {"\n"}
        undrawn.update(letter for letter in letters if ord(letter) not in known)
    return made


undrawn: set[str] = set()
"""Letters in whose place pictures have had a box up to now, as their font lacks them."""


@contextmanager
def _boxes() -> Iterator[None]:
    """Let boxes stand for letters that a font lacks, without a warning for each."""
    with warnings.catch_warnings():
        for start in ("Glyph ", "Matplotlib currently does not support "):
            warnings.filterwarnings("ignore", message=start, category=UserWarning)
        yield


def axes_or_new(ax: Axes | None) -> Axes:
    """Return the axes to draw on, those of a new figure if there are none."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1]
    if labels().language.name != DEFAULT:  # matplotlib writes English numbers by itself
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(_scale())
    return ax


# --- words and titles -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Labels:
    """What is written on plots.

    Attributes:
        language: Of the labels, and of numbers.
        titled: Whether there are titles; a page tells in its own words what they say.
    """

    language: Language
    titled: bool = True


_labels: ContextVar[Labels | None] = ContextVar("labels", default=None)


@contextmanager
def labelled(labels: Labels) -> Iterator[None]:
    """Have plots write their labels so; else they are English, with titles."""
    token = _labels.set(labels)
    try:
        yield
    finally:
        _labels.reset(token)


def labels() -> Labels:
    """Return how plots are to be labelled now."""
    return _labels.get() or Labels(language())


def label(name: str, **values: object) -> str:
    """Return a label of plots, in words."""
    told = labels().language.text(f"plot.{name}").format(**values)
    return told.replace(NO_BREAK, " ") if labels().titled else told  # as picture files have it


def digits(text: str) -> str:
    """Return a number, or a text with numbers in it, as they are written in the language."""
    return labels().language.translate_numbers(text)


def _scale(**options: Any) -> Any:
    """Return what writes the numbers at the ticks of an axis."""
    from matplotlib.ticker import ScalarFormatter

    tongue = labels().language

    class Numbers(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return tongue.translate_numbers(super().__call__(x, pos))

    return Numbers(**options)


def headed(ax: Axes, title: str, note: str) -> Axes:
    """Give axes a title in which n and intervals are told, if `labels` have any; return them.

    The text is broken into lines where the figure is too narrow for it, so this comes last, when
    everything stands where it will.
    """
    if not labels().titled:
        return ax
    heading = ax.set_title(title, loc="left")
    heading.set_text("")  # so that it pushes nothing aside while the room is measured
    break_labels(ax)
    for _ in range(1 if ax.get_aspect() == "auto" else 3):  # a title may move what keeps its shape
        lines = _broken(f"{title}\n{note}", _room(ax), heading.get_fontproperties())
        heading.set_text("\n".join(lines))
    return ax


def break_labels(ax: Axes, beyond: float = 1.15) -> None:
    """Mutates: break the labels of both axes into lines where they are longer than these."""
    width, height = size_of(ax)
    for told, room in ((ax.xaxis.label, beyond * width), (ax.yaxis.label, 1.05 * height)):
        told.set_text("\n".join(_broken(told.get_text(), room, told.get_fontproperties())))


def set_out(ax: Axes) -> Any:
    """Have a figure's layout set out what it leaves to its axes; return the figure."""
    figure: Any = ax.get_figure(root=True)
    engine = figure.get_layout_engine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is still too narrow is about to be mended
        if engine is None or any(each.get_aspect() != "auto" for each in figure.axes):
            figure.draw_without_rendering()
        else:
            engine.execute(figure)
    return figure


def size_of(ax: Axes) -> tuple[float, float]:
    """Return width and height of axes in points, as the layout has them by now."""
    dots = float(set_out(ax).dpi)
    box = ax.get_window_extent()
    return float(box.width) * 72 / dots, float(box.height) * 72 / dots


def _room(ax: Axes) -> float:
    """Return how wide a title of axes may be, in points: up to the next axes, or to the edge."""
    figure = set_out(ax)
    box = ax.get_window_extent()
    others = [other.get_window_extent() for other in figure.axes if other is not ax]
    beside = [other.x0 - figure.dpi / 6 for other in others if other.x0 >= box.x1]
    right = min([figure.bbox.x1, *beside])
    return float(right - box.x0) * 72 / float(figure.dpi) - 4


def _broken(text: str, room: float, font: Any) -> list[str]:
    """Return the lines of a text, broken between words where they are wider than the room."""
    from matplotlib.textpath import text_to_path

    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in re.split(r" (?!%)", paragraph):
            longer = f"{line} {word}" if line else word
            with _boxes():
                width = text_to_path.get_text_width_height_descent(longer, font, False)[0]
            if line and width > room:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines


def usual_least(numbers: Iterable[int], least: int | None) -> int:
    """Return what is too few to be drawn; if None 30, or where nowhere are so many, 1."""
    return least or (30 if max(numbers, default=0) >= 30 else 1)


def counts(numbers: Sequence[int], of: str) -> str:
    """Return ``n = 1,000 rounds``, ``n = 1,000 to 2,000 rounds``, ``n = 1 round``."""
    low, high = min(numbers), max(numbers)
    if high == 1:
        of = re.sub(r"s\b", "", of, count=1)
    return f"n = {low:,} {of}" if low == high else f"n = {low:,} to {high:,} {of}"


# --- bars -----------------------------------------------------------------------------------------


def bars(
    ax: Axes,
    names: Sequence[str],
    values: Sequence[float],
    intervals: Sequence[Interval],
    *,
    colours: Sequence[str] | str = COLOURS[4],
    parts: Sequence[tuple[str, str, Sequence[float]]] = (),
    told: Callable[[float], str] = "{:.1f}".format,
    whole: bool = False,
) -> None:
    """Draw bars from left to right, the first at the top, with their intervals and values.

    Args:
        ax: Axes to draw on.
        names: Of the bars.
        values: 0 or above.
        intervals: Low and high end of each; None where there are none.
        colours: Of all bars, or of each.
        parts: Of what bars are made, if of several parts: label, colour, and how much of each bar.
        told: How a value is written beside its bar.
        whole: Names are words of ours, which are not cut.
    """
    rows = range(len(names))
    ends = [max(v, high or 0.0) for v, (_, high) in zip(values, intervals, strict=True)]
    names_beside(ax, names, whole=whole)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(0, max(ends, default=0.0) or 1.0)
    ax.grid(axis="x", alpha=0.3)
    left = [0.0] * len(names)
    all_of_it: Any = ("", colours, values)
    for entry, colour, widths in parts or [all_of_it]:
        drawn = ax.barh(rows, widths, left=left, color=colour, height=_THICK, label=entry)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    if any(low is not None for low, _ in intervals):
        reach = reach_of(values, intervals, unknown=0.0)
        style: Any = {"fmt": "none", "ecolor": "black", "capsize": 3}
        drawn.errorbar = ax.errorbar(values, rows, xerr=reach, **style)
    ax.bar_label(
        drawn,
        [digits(told(value)) for value in values],
        padding=4,
        fontsize="small",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        zorder=2.2,  # over lines, which would cross it, and under the frame
    )


def intervals(
    ax: Axes,
    places: Any,
    values: Any,
    ends: Any,
    *,
    lying: bool = False,
    **style: Any,
) -> None:
    """Draw values at places of the axis below, or of the upright one, with those intervals known.

    Args:
        ax: Axes to draw on.
        places: Of the values.
        values: As many.
        ends: Low and high end of each interval; None where there are none.
        lying: The places are those of the upright axis.
        **style: Of matplotlib's ``errorbar``.
    """
    at = (values, places) if lying else (places, values)
    style |= {"xerr" if lying else "yerr": reach_of(values, ends)}
    ax.errorbar(*at, **style)


def reach_of(values: Any, ends: Any, unknown: float = math.nan) -> Any:
    """Return how far intervals reach below and above values, 2 × values; `unknown` without one.

    Nothing is below 0, as where rounding puts a value beyond the end of its interval.
    """
    import numpy as np

    middle = np.array(values, dtype=float)
    low, high = np.array(ends, dtype=float).reshape(-1, 2).T
    return np.nan_to_num(np.maximum([middle - low, high - middle], 0.0), nan=unknown)


def tail(times: Mapping[int, int]) -> int:
    """Return the value that at most one in 500 is above."""
    values = sorted(times)
    seen = accumulate(times[value] for value in values)
    least = 0.998 * sum(times.values())
    return next(value for value, so_far in zip(values, seen, strict=True) if so_far >= least)


def shown_up_to(highest: int, most: int) -> int:
    """Return up to where values are drawn: all, unless a few lie far above most."""
    return highest if highest <= 1.3 * most else most


_THICK = 0.66
"""How much of its row a bar takes."""


def names_beside(ax: Axes, names: Sequence[str], *, whole: bool = False) -> None:
    """Put names at the upright axis, one at each whole number; long ones are cut, or `whole`."""
    figure: Any = ax.get_figure(root=True)
    most = max(8, min(28, int(5.5 * float(figure.get_figwidth()))))
    ax.set_yticks(
        range(len(names)), [letters(name if whole else short(name, most)) for name in names]
    )


def letters(text: str) -> str:
    """Return what to write on axes so that a text is shown letter by letter.

    On axes that are not those of a `picture`, matplotlib takes dollar signs for mathematics.
    """
    from matplotlib import rcParams

    return text.replace("$", r"\$") if rcParams["text.parse_math"] else text


def fit_names(ax: Axes) -> Axes:
    """Make the names at the upright axis smaller where they would overlap; return the axes."""
    names = ax.get_yticklabels()
    row = size_of(ax)[1] / max(len(names), 1)
    for name in names:
        name.set_fontsize(min(float(name.get_fontsize()), row / 1.1))
    return ax


def legend_above(ax: Axes) -> Axes:
    """Put the legend into the axes, above all that is drawn; call it last. Return the axes.

    It is one line if that fits, else one line for each entry.
    """
    opaque: Any = {"frameon": True, "framealpha": 1, "edgecolor": "none"}
    opaque["facecolor"] = ax.get_facecolor()
    many = len(ax.get_legend_handles_labels()[1])
    for columns in (many, 1):
        legend = ax.legend(loc="upper right", fontsize="small", ncols=columns, **opaque)
        set_out(ax)
        box, room = legend.get_window_extent(), ax.get_window_extent()
        if box.width <= room.width:
            break
    low, high = ax.get_ylim()
    taken = 1.05 * float(box.height / room.height) + 0.03
    ax.set_ylim(low, low + (high - low) / (1 - min(taken, 0.5)))
    return ax


def empty(ax: Axes, text: str) -> None:
    """Say in the middle of axes why there is nothing on them."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color="0.35")
    ax.set_xticks([])
    ax.set_yticks([])


# --- series and values ----------------------------------------------------------------------------


def series(rows: pd.DataFrame, by: str | None) -> list[tuple[str, pd.DataFrame]]:
    """Return the parts of a table that have one value in a column, in order of appearance."""
    if by is None:
        return [("", rows)]
    values = list(dict.fromkeys(rows[by]))
    names = [letters(told(value)) for value in values]
    # A legend leaves out what begins with an underscore.
    names = ["\N{ZERO WIDTH SPACE}" * name.startswith("_") + name for name in names]
    return [(name, rows[rows[by] == value]) for name, value in zip(names, values, strict=True)]


def marked(k: int) -> dict[str, Any]:
    """Return colour and mark of a series."""
    return {"color": COLOURS[k % len(COLOURS)], "marker": MARKS[k % len(MARKS)]}


def places_of(column: pd.Series[Any]) -> dict[Any, int]:
    """Return where values stand that are no numbers, or too uneven for a scale; else nothing."""
    if not numeric(column):
        return {value: k for k, value in enumerate(dict.fromkeys(column))}
    values = sorted(set(column))
    gaps = sorted(b - a for a, b in pairwise(values))
    # Two that a sample has close by are no reason.
    usual = gaps[(len(gaps) - 1) // 2] if gaps else 0
    if len(values) > 16 or not gaps or values[-1] - values[0] < 30 * usual:
        return {}
    return {value: k for k, value in enumerate(values)}


def numeric(column: pd.Series[Any]) -> bool:
    """Whether values are numbers, and not true or false."""
    import pandas as pd

    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def tick_values(ax: Axes, values: Sequence[Any]) -> None:
    """Put a tick at every value, unless some stand too close, or are too long, to be read."""
    gaps = [b - a for a, b in pairwise(values)]
    texts = [told(value) for value in values]
    if gaps and min(gaps) >= (values[-1] - values[0]) / 18 and max(map(len, texts)) <= 5:
        widest = (values[-1] - values[0]) / min(gaps) + 1
        if fit(ax, [max(texts, key=len)] * math.ceil(widest)):
            ax.set_xticks(values, texts)


def level(ax: Axes, *, share: bool) -> None:
    """Make the upright axis plain to read: no offset, never so short that it magnifies nothing."""
    least = 1.0 if share else 0.1
    low, high = ax.get_ylim()
    panels = ax.get_shared_y_axes().get_siblings(ax)
    bottom = min(panel.dataLim.y0 for panel in panels)
    top = max(panel.dataLim.y1 for panel in panels)
    if share and 0 <= bottom < least:  # from 0 on nothing is magnified
        high = 1.08 * top or least
        low = -0.03 * high
    elif top - bottom < least:
        middle = (bottom + top) / 2
        low, high = middle - least / 2, middle + least / 2
    if share and high > 100:  # the top is 100 %, with a little air for marks
        high = 100 + 0.04 * (100 - min(low, 100 - least))
        low = min(low, 100 - least)
    ax.set_ylim(low, high, auto=None)
    ax.yaxis.set_major_formatter(_scale(useOffset=False))


def fit(ax: Axes, texts: Sequence[str]) -> bool:
    """Whether texts fit side by side below axes, about."""
    figure: Any = ax.get_figure(root=True)
    room = ax.get_position().width * float(figure.get_figwidth())
    return 0.09 * sum(len(text) + 1 for text in texts) <= room


def tick_label(axis: str, value: Any) -> str:
    """Return how an axis of a sweep names one of its values."""
    unlimited = axis.rpartition(".")[2] == "memory_span" and value == 128
    return label("all") if unlimited else told(value)


def short(text: str, most: int = 28) -> str:
    """Return a name that fits beside a plot."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def told(value: Any) -> str:
    """Return a value as study files write it, numbers as the language has them."""
    if isinstance(value, bool):
        return str(value).lower()
    return digits(f"{value:g}") if isinstance(value, float) else str(value)


# --- fields ---------------------------------------------------------------------------------------


def heat(ax: Axes, cells: Any, centre: float | None, origin: Any = "upper") -> Any:
    """Draw coloured fields: around a centre blue to orange, else light to dark blue."""
    import numpy as np

    style: Any = {"cmap": "Blues"}
    if centre is not None:
        most = float(np.nanmax(np.abs(cells - centre)))
        style = {"cmap": "PuOr", "vmin": centre - most, "vmax": centre + most}
    return ax.imshow(cells, origin=origin, aspect="auto", **style)


def grid(rows: pd.DataFrame, column: str, down: str, across: str, names: Any = None) -> Any:
    """Return a column as fields, those of `names` in both directions or in order of appearance."""
    order = [names or list(dict.fromkeys(rows[axis])) for axis in (down, across)]
    frame = rows.pivot(index=down, columns=across, values=column)
    return frame.reindex(index=order[0], columns=order[1]).to_numpy()


def cell_texts(
    ax: Axes, cells: Any, image: Any, told: Callable[[float], str], halves: Any = None
) -> None:
    """Write the value into every field, dark on light and light on dark; call it last.

    Where the fields are too small for that, a bar tells what the colours mean.
    """
    import numpy as np
    from matplotlib.font_manager import FontProperties

    texts = {at: told(value) for at, value in np.ndenumerate(cells) if not math.isnan(value)}
    if halves is not None:
        known = {at: f"\n±{told(half)}" for at, half in np.ndenumerate(halves) if half >= 0}
        texts = {at: text + known.get(at, "") for at, text in texts.items()}
    usual = float(FontProperties(size="x-small").get_size_in_points())
    lines = [line for text in texts.values() for line in text.split("\n")]
    widest = _DIGIT * usual * max(map(len, lines), default=1)
    high = (1.2 if halves is None else 2.4) * usual
    (width, height), (rows, columns) = size_of(ax), cells.shape
    size = usual * min(1.0, 0.9 * width / columns / widest, 0.97 * height / rows / high)
    if size < _LEGIBLE:
        set_out(ax).colorbar(image, ax=ax, format=_scale())
        return
    for (row, column), text in texts.items():
        red, green, blue, _ = image.cmap(image.norm(cells[row, column]))
        style: Any = {"ha": "center", "va": "center", "fontsize": size}
        style["color"] = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"
        ax.text(column, row, digits(text.replace("-", MINUS)), **style)


_LEGIBLE = 4.5
"""Points; smaller text cannot be read."""

_DIGIT = 0.64
"""How wide a digit is, in parts of the letters' size."""
