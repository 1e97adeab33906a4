"""Plots over the points of a sweep."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from analysis.plots import drawing as draw
from analysis.plots.accessors import SweepPlots
from sim.errors import InputError, unknown_name
from sim.metrics import SWEPT, Metric

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from analysis.results.sweep import SweepResult


@SweepPlots.plot("a metric over one axis; options as of `analysis.plots.sweep`", lambda it: it)
def metric(
    result: SweepResult, metric: str = "win_share", ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw a metric over one axis; options as of `analysis.plots.sweep`."""
    return sweep(result.metrics, metric, ax, **_checked(result, metric, options, axes=1))


@SweepPlots.plot("a metric over two axes; options as of `analysis.plots.sweep_map`", lambda it: it)
def map(
    result: SweepResult, metric: str = "win_share", ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw a metric over two axes; options as of `analysis.plots.sweep_map`."""
    return sweep_map(result.metrics, metric, ax, **_checked(result, metric, options, axes=2))


def _checked(
    result: SweepResult, metric: str, options: dict[str, Any], axes: int
) -> dict[str, Any]:
    """Return the options of a plot, with the seat in focus where none is named and one is needed.

    Raises:
        InputError: The sweep has not the metric, or the axes that the plot is to be over.
    """
    rows, keys = result.metrics, [axis.key for axis in result.sweep.axes]
    names = list(dict.fromkeys(rows["metric"]))
    if metric not in names:
        raise unknown_name("metric", metric, names).inside("metric")
    if len(keys) < axes:
        expected = f"a sweep over at least {axes} axes, or plot.metric"
        raise InputError("two axes are needed", expected=expected, got=keys)
    for option in ("x", "y", "by"):
        given, known = options.get(option), [*keys, *(["seat"] if option == "by" else [])]
        if given is not None and given not in known:
            raise unknown_name("axis", given, known).inside(option)
    of_seats = rows[rows["metric"] == metric]["seat"].notna().any()
    if "seat" in options or options.get("by") == "seat" or not of_seats:
        return options
    return options | {"seat": next(iter(result.sweep.focus), 0)}


def sweep(
    metrics: pd.DataFrame,
    metric: str = "win_share",
    ax: Axes | None = None,
    *,
    x: str | None = None,
    by: str | None = None,
    seat: int | None = None,
    dots: bool = False,
) -> Axes:
    """Draw a metric over one axis of a sweep, with the band of its interval.

    Where other axes make several points of most values, the mean over them is drawn, and a thin
    bar from the lowest to the highest; the title says so.

    Args:
        metrics: Of a sweep.
        metric: Name of one.
        ax: Axes to draw on.
        x: Axis along which; the first if None.
        by: Another axis that tells series apart, or ``seat``; may be left out.
        seat: Whose; only for metrics of a seat. All seats together make no sense.
        dots: Draw no lines, as where further axes vary too.
    """
    ax = draw.axes_or_new(ax)
    x = x or sweep_axes(metrics)[0]
    return draw.headed(ax, *draw_sweep(metrics, metric, ax, x, by, seat, dots=dots))


def draw_sweep(
    metrics: pd.DataFrame,
    metric: str,
    ax: Axes,
    x: str,
    by: str | None = None,
    seat: int | None = None,
    *,
    dots: bool = False,
) -> tuple[str, str]:
    """Draw what `sweep` draws, but for the title and the note below it, which are returned."""
    import pandas as pd

    rows = rows_of(metrics, metric, seat)
    known, scale = SWEPT[metric], 100 if SWEPT[metric].share else 1
    places, numbers = draw.places_of(rows[x]), pd.api.types.is_numeric_dtype(rows[x])
    parts = list(draw.series(rows, by))
    means = any(len(part) >= 2 * part[x].nunique() for _, part in parts)
    for k, (name, part) in enumerate(parts):
        part = part.assign(at=part[x].map(places) if places else part[x]).sort_values("at")
        style: dict[str, Any] = {"label": name, "markersize": 4} | draw.marked(k)
        beside = 0.12 * (k - (len(parts) - 1) / 2) if places else 0
        if means:
            _draw_means(ax, part.assign(at=part["at"] + beside), scale, style, joined=numbers)
        elif numbers and part["at"].is_unique and len(part) > 1 and not dots:
            _draw_line(ax, part, scale, style)
        else:
            _draw_dots(ax, part.assign(at=part["at"] + beside), scale, style)
    if places:
        shown = [draw.letters(draw.short(draw.tick_label(x, value))) for value in places]
        slant: Any = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(list(places.values()), shown, **({} if draw.fit(ax, shown) else slant))
        ax.margins(x=0.05 if numbers else 0.15)
    else:
        draw.tick_values(ax, sorted(rows[x].unique()))
    ax.set_xlabel(x + draw.label("not_to_scale") if places and numbers else x)
    key, english = f"metric_{metric}", f"{known.label}, %" if known.share else known.label
    ax.set_ylabel(draw.label(key) if f"plot.{key}" in draw.labels().language else english)
    ax.grid(alpha=0.3)
    if by is not None:
        style = {"loc": "upper left", "fontsize": "small", "title_fontsize": "small"}
        title = draw.label("seat") if by == "seat" else by
        ax.legend(title=title, bbox_to_anchor=(1.0, 1.0), **style)
    draw.level(ax, share=known.share)
    note, half = _metric_note(rows), scale * float((rows["high"] - rows["low"]).max()) / 2
    if means:
        note += "" if math.isnan(half) else f" of a point: ±{half:.2g} at most"
        note = f"Mean over the other axes; thin bars: the lowest to the highest\n{note}"
    return _title(known, seat, by), note


def _draw_means(
    ax: Axes, rows: pd.DataFrame, scale: float, style: dict[str, Any], *, joined: bool
) -> None:
    """Draw the mean of the points at each place, and thin bars from the lowest to the highest."""
    value = scale * rows.groupby("at")["value"].agg(["mean", "min", "max"])
    ax.vlines(value.index, value["min"], value["max"], color=style["color"], linewidth=1, alpha=0.6)
    ax.plot(value.index, value["mean"], linestyle="-" if joined else "none", **style)


def _draw_line(ax: Axes, rows: pd.DataFrame, scale: float, style: dict[str, Any]) -> None:
    """Draw a line with a band."""
    if len(rows) > 40:
        style = style | {"marker": None}
    ax.plot(rows["at"], scale * rows["value"], **style)
    low, high = scale * rows["low"], scale * rows["high"]
    ax.fill_between(rows["at"], low, high, color=style["color"], alpha=draw.BAND, linewidth=0)


def _draw_dots(ax: Axes, rows: pd.DataFrame, scale: float, style: dict[str, Any]) -> None:
    """Draw dots with bars."""
    ends = scale * rows[["low", "high"]].to_numpy()
    style = style | {"linestyle": "none", "capsize": 3}
    draw.intervals(ax, rows["at"], scale * rows["value"], ends, **style)


def sweep_map(
    metrics: pd.DataFrame,
    metric: str = "win_share",
    ax: Axes | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    seat: int | None = None,
) -> Axes:
    """Draw a metric over two axes of a sweep; each field tells the value and half the interval.

    Args:
        metrics: Of a sweep.
        metric: Name of one.
        ax: Axes to draw on.
        x: Axis from left to right; the first if None.
        y: Axis from below to above; the second if None.
        seat: Whose; only for metrics of a seat.
    """
    ax = draw.axes_or_new(ax)
    first, second = sweep_axes(metrics)[:2]
    x, y = x or first, y or second
    rows = rows_of(metrics, metric, seat)
    known, scale = SWEPT[metric], 100 if SWEPT[metric].share else 1
    across, up = list(dict.fromkeys(rows[x])), list(dict.fromkeys(rows[y]))
    half = rows.assign(half=(rows["high"] - rows["low"]) / 2)
    cells, halves = (scale * draw.grid(half, name, y, x) for name in ("value", "half"))
    image = draw.heat(ax, cells, None, origin="lower")
    ax.spines[:].set_visible(False)
    for axis, name, values in ((ax.xaxis, x, across), (ax.yaxis, y, up)):
        told = [draw.letters(draw.short(draw.tick_label(name, value))) for value in values]
        axis.set_ticks(range(len(values)), told)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    note = _metric_note(rows, "below: half of the 95 % interval")
    unit = "" if not known.share else ", %"
    draw.headed(ax, _title(known, seat, None) + unit, note)
    draw.cell_texts(ax, cells, image, "{:.2f}".format, halves)
    return ax


def sweep_axes(metrics: pd.DataFrame) -> list[str]:
    """Return the axes of a sweep: the columns between ``point`` and ``seat``."""
    columns = list(metrics.columns)
    return columns[columns.index("point") + 1 : columns.index("seat")]


def rows_of(metrics: pd.DataFrame, metric: str, seat: int | None) -> pd.DataFrame:
    """Return the rows of a metric that have a value, of one seat where there are seats."""
    rows = metrics[(metrics["metric"] == metric) & metrics["value"].notna()]
    return rows if seat is None else rows[rows["seat"] == seat]


def over_one_axis(
    metrics: pd.DataFrame, name: str, focus: Sequence[int]
) -> Callable[[Axes], Axes] | None:
    """Return what draws a metric over the only axis: a line for each seat in focus, or for each.

    None where it has no value there.
    """
    of_seats = SWEPT[name].per_seat
    if of_seats and focus:
        metrics = metrics[metrics["seat"].isin(focus)]
    seat = focus[0] if of_seats and len(focus) == 1 else None
    if rows_of(metrics, name, seat).empty:
        return None
    by = "seat" if of_seats and seat is None else None
    return partial(sweep, metrics, name, by=by, seat=seat)


def longer_and_shorter(metrics: pd.DataFrame, axes: Sequence[str]) -> tuple[str, str]:
    """Return the axes with most and with fewest values; of equals the first and the last."""
    ordered = sorted(reversed(axes), key=lambda axis: metrics[axis].nunique())
    return ordered[-1], ordered[0]


def has_ends(metrics: pd.DataFrame) -> bool:
    """Whether how rounds end can be drawn at each point."""
    return len(sweep_axes(metrics)) == 1 and metrics["point"].nunique() <= 40


def _metric_note(rows: pd.DataFrame, intervals: str = "95 % intervals") -> str:
    note = f"{draw.counts(list(rows['n']), rows['of'].iloc[0])} a point"
    return f"{note}; {intervals}" if rows["low"].notna().any() else note


def _title(metric: Metric, seat: int | None, by: str | None) -> str:
    title = metric.label[0].upper() + metric.label[1:].partition(",")[0]
    if seat is not None:
        title += f", seat {seat}"
    return title + ("" if by is None else f", by {by}")
