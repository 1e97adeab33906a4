"""Plots of tournaments and sweeps: tables in, axes out.

Every function takes a table as the results give it and `ax`, the axes to draw on; without one it
makes a figure. It returns the axes and leaves figure size, style and everything global alone. Each
plot says how many rounds it is made of, and shows 95 % intervals. Colours are those of Okabe and
Ito, which people who are colour-blind can tell apart, and lines differ in their marks too.

`picture` makes a whole figure, in one fixed style, as SVG and PNG: the same bytes for the same
table.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from analysis.sweeping import METRICS, Metric

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8A8300")
"""For series, in this order: those of Okabe and Ito, their yellow made darker."""

MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")

BAND = 0.2
"""Opacity of the band of an interval."""

_STYLE: dict[str, Any] = {
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
}

_UNTOLD = {"svg": ("Date", "Creator"), "png": ("Software",)}
"""What files would tell of the day and of versions."""


# --- figures --------------------------------------------------------------------------------------


def picture(draw: Callable[[Figure], object], width: float, height: float) -> dict[str, bytes]:
    """Return a figure as ``{"svg": ..., "png": ...}``, whatever the user's style is.

    Args:
        draw: Draws on the empty figure that it is given.
        width: In inches.
        height: In inches.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        for name, value in _STYLE.items():
            matplotlib.rcParams[name] = value  # type: ignore[index]
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        made = {}
        for form, untold in _UNTOLD.items():
            buffer = io.BytesIO()
            figure.savefig(buffer, format=form, metadata=dict.fromkeys(untold))
            made[form] = buffer.getvalue()
    return made


def _axes(ax: Axes | None) -> Axes:
    """Return the axes to draw on, those of a new figure if there are none."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _headed(ax: Axes, title: str, note: str) -> Axes:
    """Give axes a title in which n and intervals are told."""
    ax.set_title(f"{title}\n{note}", loc="left")
    return ax


def _counts(numbers: Sequence[int], of: str) -> str:
    """Return ``n = 1,000 rounds``, or ``n = 1,000 to 2,000 rounds``."""
    low, high = min(numbers), max(numbers)
    return f"n = {low:,} {of}" if low == high else f"n = {low:,} to {high:,} {of}"


# --- tournaments ----------------------------------------------------------------------------------


def strength(ranking: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the win share of every player of a tournament, the strongest at the top.

    Args:
        ranking: Of a tournament.
        ax: Axes to draw on.
    """
    ax = _axes(ax)
    rows = range(len(ranking))
    share = 100 * ranking["win_share"]
    low, high = 100 * ranking["win_share_low"], 100 * ranking["win_share_high"]
    ax.barh(rows, share, color=COLOURS[4], height=0.66)
    ax.errorbar(
        share, rows, xerr=[share - low, high - share], fmt="none", ecolor="black", capsize=3
    )
    room = 0.012 * float(high.max())
    for k in rows:
        ax.text(high.iloc[k] + room, k, f"{share.iloc[k]:.1f}", va="center", fontsize="small")
    ax.set_yticks(list(rows), [_short(name) for name in ranking["player"]])
    ax.set_ylim(len(ranking) - 0.5, -0.5)
    ax.set_xlim(0, float(high.max()) * 1.1)
    ax.set_xlabel("win share, % of rounds with a winner")
    ax.grid(axis="x", alpha=0.3)
    note = f"{_counts(list(ranking['rounds']), 'rounds')} for each player; bars: 95 % intervals"
    return _headed(ax, "Strength", note)


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
    ax = _axes(ax)
    names = list(dict.fromkeys(matrix["player"]))
    cells = matrix.pivot(index="player", columns="other", values=what)
    cells = 100 * cells.reindex(index=names, columns=names).to_numpy()
    half = 50 * (matrix[f"{what}_high"] - matrix[f"{what}_low"])
    centre = 0.0 if what == "difference" else None
    image = _heat(ax, cells, centre)
    _cell_texts(ax, cells, image, lambda value: f"{value:.1f}")
    labels = [_short(name) for name in names]
    ax.spines[:].set_visible(False)
    ax.set_xticks(range(len(names)), labels, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), labels)
    ax.set_ylabel("player")
    ax.set_xlabel("other player at the same table")
    titles = {
        "difference": "Win share above the other's, percentage points",
        "win_share": "Win share where the other one is there, %",
    }
    note = f"{_counts(list(matrix['rounds']), 'rounds')} in each cell; "
    return _headed(ax, titles[what], f"{note}95 % intervals: ±{half.max():.1f} at most")


# --- calibration ----------------------------------------------------------------------------------


def calibration(
    table: pd.DataFrame, ax: Axes | None = None, *, by: str | None = None, least: int = 1
) -> Axes:
    """Draw how often plucks hit against how sure their players were, and the diagonal.

    Args:
        table: Calibration of a sweep; rows of all seats together are drawn, if there are any.
        ax: Axes to draw on.
        by: Column that tells series apart, such as an axis of the sweep.
        least: Bins with fewer plucks than this are left out.
    """
    ax = _axes(ax)
    ax.plot([0, 100], [0, 100], color="0.6", linewidth=1, zorder=0, label="as sure as right")
    plucks, lowest = [], 100.0
    for k, (name, rows) in enumerate(_series(_pooled(table, least), by)):
        lowest = min(lowest, 100 * float(rows[["confidence", "low"]].min().min()))
        plucks.append(int(rows["n"].sum()))
        ax.errorbar(
            100 * rows["confidence"],
            100 * rows["hits"],
            yerr=100 * _reach(rows, "hits"),
            color=COLOURS[k % len(COLOURS)],
            marker=MARKS[k % len(MARKS)],
            markersize=max(8 - 1.5 * k, 3),  # those beneath show round those on top
            markerfacecolor="none",
            linewidth=1,
            capsize=2,
            label=name or "plucks",
        )
    lowest = min(10 * math.floor(lowest / 10), 90)
    ax.set_xlim(lowest, 100 + 0.01 * (100 - lowest))
    ax.set_ylim(lowest, 100 + 0.01 * (100 - lowest))
    ax.set_aspect("equal")
    ax.set_xlabel("confidence before the pluck, %")
    ax.set_ylabel("plucks that hit, %")
    ax.grid(alpha=0.3)
    ax.legend(title=by, loc="upper left", fontsize="small", title_fontsize="small")
    note = f"{_counts(plucks, 'plucks')}{'' if by is None else ' a line'}; 95 % intervals"
    return _headed(ax, "Confidence and hits", note)


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
    ax = _axes(ax)
    ax.axhspan(-within, within, color="0.92", zorder=0)
    ax.axhline(0, color="0.6", linewidth=1, zorder=0)
    shown = _pooled(table, least)
    series = list(_series(shown, by))
    lowest = min(10 * math.floor(10 * float(shown["confidence"].min())), 90)
    for k, (name, rows) in enumerate(series):
        shift = 0.005 * (100 - lowest) * (k - (len(series) - 1) / 2)  # beside each other
        ax.errorbar(
            100 * rows["confidence"] + shift,
            100 * rows["difference"],
            yerr=100 * _reach(rows, "hits"),
            color=COLOURS[k % len(COLOURS)],
            marker=MARKS[k % len(MARKS)],
            markersize=4,
            linestyle="none",
            capsize=2,
            label=name,
        )
    ax.set_xlim(lowest - 0.02 * (100 - lowest), 100 + 0.03 * (100 - lowest))
    ax.set_xlabel("confidence before the pluck, %")
    ax.set_ylabel("hits above confidence, percentage points")
    ax.grid(alpha=0.3)
    note = f"bins with n ≥ {least:,} plucks; grey: ±{within:g}; 95 % intervals"
    return _headed(ax, "Difference", note)


def _pooled(table: pd.DataFrame, least: int) -> pd.DataFrame:
    rows = table[table["n"] >= least]
    return rows[rows["seat"].isna()] if rows["seat"].isna().any() else rows


# --- sweeps ---------------------------------------------------------------------------------------


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
    import pandas as pd

    ax = _axes(ax)
    x = x or sweep_axes(metrics)[0]
    rows = _of(metrics, metric, seat)
    known, scale = METRICS[metric], 100 if METRICS[metric].share else 1
    places, numbers = _places(rows[x]), pd.api.types.is_numeric_dtype(rows[x])
    series = list(_series(rows, by))
    means = any(len(part) >= 2 * part[x].nunique() for _, part in series)
    for k, (name, part) in enumerate(series):
        part = part.assign(at=part[x].map(places) if places else part[x]).sort_values("at")
        style: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "label": name}
        style |= {"marker": MARKS[k % len(MARKS)], "markersize": 4}
        beside = 0.12 * (k - (len(series) - 1) / 2) if places else 0
        if means:
            _draw_means(ax, part.assign(at=part["at"] + beside), scale, style, joined=numbers)
        elif numbers and part["at"].is_unique and len(part) > 1 and not dots:
            _draw_line(ax, part, scale, style)
        else:
            _draw_dots(ax, part.assign(at=part["at"] + beside), scale, style)
    if places:
        labels = [_short(_tick_label(x, value)) for value in places]
        ax.set_xticks(list(places.values()), labels)
        ax.margins(x=0.05 if numbers else 0.15)
    else:
        _tick_values(ax, sorted(rows[x].unique()))
    ax.set_xlabel(f"{x} (not to scale)" if places and numbers else x)
    ax.set_ylabel(_label(known))
    ax.grid(alpha=0.3)
    if by is not None:
        _legend_beside(ax, by)
    _level(ax, share=known.share)
    return _headed(
        ax, _title(known, seat, by), _means_note(rows, scale) if means else _metric_note(rows)
    )


def _draw_means(
    ax: Axes, rows: pd.DataFrame, scale: float, style: dict[str, Any], *, joined: bool
) -> None:
    """Draw the mean of the points at each place, and thin bars from the lowest to the highest."""
    value = scale * rows.groupby("at")["value"].agg(["mean", "min", "max"])
    ax.vlines(value.index, value["min"], value["max"], color=style["color"], linewidth=1, alpha=0.6)
    ax.plot(value.index, value["mean"], linestyle="-" if joined else "none", **style)


def _means_note(rows: pd.DataFrame, scale: float) -> str:
    note = _metric_note(rows)
    half = scale * float((rows["high"] - rows["low"]).max()) / 2
    if not math.isnan(half):
        note += f" of a point: ±{half:.2g} at most"
    return f"Mean over the other axes; thin bars: the lowest to the highest\n{note}"


def _level(ax: Axes, *, share: bool) -> None:
    """Make the upright axis plain to read: no offset, never so short that it magnifies nothing."""
    from matplotlib.ticker import ScalarFormatter

    least = 1.0 if share else 0.1
    low, high = ax.get_ylim()
    panels = ax.get_shared_y_axes().get_siblings(ax)
    bottom = min(panel.dataLim.y0 for panel in panels)
    top = max(panel.dataLim.y1 for panel in panels)
    if top - bottom < least:
        middle = (bottom + top) / 2
        low, high = middle - least / 2, middle + least / 2
    if share and high > 100:  # the top is 100 %, with a little air for marks
        high = 100 + 0.04 * (100 - min(low, 100 - least))
        low = min(low, 100 - least)
    ax.set_ylim(low, high, auto=None)
    ax.yaxis.set_major_formatter(ScalarFormatter(useOffset=False))


def _draw_line(ax: Axes, rows: pd.DataFrame, scale: float, style: dict[str, Any]) -> None:
    """Draw a line with a band."""
    if len(rows) > 40:
        style = style | {"marker": None}
    ax.plot(rows["at"], scale * rows["value"], **style)
    low, high = scale * rows["low"], scale * rows["high"]
    ax.fill_between(rows["at"], low, high, color=style["color"], alpha=BAND, linewidth=0)


def _draw_dots(ax: Axes, rows: pd.DataFrame, scale: float, style: dict[str, Any]) -> None:
    """Draw dots with bars."""
    reach = scale * _reach(rows, "value")
    ax.errorbar(rows["at"], scale * rows["value"], yerr=reach, linestyle="none", capsize=3, **style)


def _legend_beside(ax: Axes, title: str) -> None:
    ax.legend(
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        fontsize="small",
        title_fontsize="small",
    )


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
    ax = _axes(ax)
    first, second = sweep_axes(metrics)[:2]
    x, y = x or first, y or second
    rows = _of(metrics, metric, seat)
    known, scale = METRICS[metric], 100 if METRICS[metric].share else 1
    across, up = list(dict.fromkeys(rows[x])), list(dict.fromkeys(rows[y]))
    value = rows.pivot(index=y, columns=x, values="value").reindex(index=up, columns=across)
    half = rows.assign(half=(rows["high"] - rows["low"]) / 2)
    half = half.pivot(index=y, columns=x, values="half").reindex(index=up, columns=across)
    cells, halves = scale * value.to_numpy(), scale * half.to_numpy()
    image = _heat(ax, cells, None, origin="lower")
    ax.spines[:].set_visible(False)
    _cell_texts(ax, cells, image, lambda value: f"{value:.2f}", halves)
    ax.set_xticks(range(len(across)), [_short(_tick_label(x, value)) for value in across])
    ax.set_yticks(range(len(up)), [_short(_tick_label(y, value)) for value in up])
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    note = _metric_note(rows, "below: half of the 95 % interval")
    unit = "" if not known.share else ", %"
    return _headed(ax, _title(known, seat, None) + unit, note)


def ends(metrics: pd.DataFrame, ax: Axes | None = None, *, x: str | None = None) -> Axes:
    """Draw how rounds end over one axis of a sweep, as stacked bars.

    Args:
        metrics: Of a sweep.
        ax: Axes to draw on.
        x: Axis along which; the first if None.
    """
    ax = _axes(ax)
    x = x or sweep_axes(metrics)[0]
    names = ("end_bao", "end_second_recycling", "end_turn_cap")
    labels = ("by BAO", "by the second recycling", "by the turn cap")
    numbers = bool(_numeric(metrics[x]))
    ordered = metrics.sort_values(x, kind="stable") if numbers else metrics
    below: Any = 0
    never = 0
    for k, (name, label) in enumerate(zip(names, labels, strict=True)):
        rows = _of(ordered, name, None)
        places = range(len(rows))
        height = 100 * rows["value"].to_numpy()
        if not height.any():
            never += 1
            continue
        ax.bar(places, height, bottom=below, color=COLOURS[(0, 5, 3)[k]], label=label)
        below = below + height
    told = [_short(_tick_label(x, value)) for value in rows[x]]
    if numbers and not _fit(ax, told):
        told = [f"{value:.3g}" for value in rows[x]]
    if _fit(ax, told):
        ax.set_xticks(list(places), told)
    else:
        ax.set_xticks(list(places), told, rotation=90)
    ax.set_ylim(0, 100)
    ax.set_xlabel(x)
    ax.set_ylabel("rounds, %")
    _legend_beside(ax, "ends")
    widest = 50 * max(
        (part["high"] - part["low"]).max() for part in (_of(metrics, name, None) for name in names)
    )
    note = f"{_counts(list(rows['n']), 'rounds')} a bar"
    if not math.isnan(widest):
        note += f"; 95 % intervals: ±{widest:.2g} at most"
    if never:
        note += "\nother ends never occurred"
    return _headed(ax, "How rounds end", note)


def sweep_axes(metrics: pd.DataFrame) -> list[str]:
    """Return the axes of a sweep: the columns between ``point`` and ``seat``."""
    columns = list(metrics.columns)
    return columns[columns.index("point") + 1 : columns.index("seat")]


def _of(metrics: pd.DataFrame, metric: str, seat: int | None) -> pd.DataFrame:
    """Return the rows of a metric that have a value, of one seat where there are seats."""
    rows = metrics[(metrics["metric"] == metric) & metrics["value"].notna()]
    return rows if seat is None else rows[rows["seat"] == seat]


def _metric_note(rows: pd.DataFrame, intervals: str = "95 % intervals") -> str:
    note = f"{_counts(list(rows['n']), rows['of'].iloc[0])} a point"
    return f"{note}; {intervals}" if rows["low"].notna().any() else note


def _title(metric: Metric, seat: int | None, by: str | None) -> str:
    title = metric.label[0].upper() + metric.label[1:].partition(",")[0]
    if seat is not None:
        title += f", seat {seat}"
    return title + ("" if by is None else f", by {by}")


def _label(metric: Metric) -> str:
    return f"{metric.label}, %" if metric.share else metric.label


def _series(rows: pd.DataFrame, by: str | None) -> list[tuple[str, pd.DataFrame]]:
    """Return the parts of a table that have one value in a column, in order of appearance."""
    if by is None:
        return [("", rows)]
    values = list(dict.fromkeys(rows[by]))
    return [(_told(value), rows[rows[by] == value]) for value in values]


def _reach(rows: pd.DataFrame, name: str) -> Any:
    """Return how far intervals reach below and above values, 2 × rows, never below 0."""
    import numpy as np

    value = rows[name].to_numpy()
    both = np.stack([value - rows["low"].to_numpy(), rows["high"].to_numpy() - value])
    return np.maximum(both, 0.0)


def _places(column: pd.Series[Any]) -> dict[Any, int]:
    """Return where values stand that are no numbers, or too uneven for a scale; else nothing."""
    if not _numeric(column):
        return {value: k for k, value in enumerate(dict.fromkeys(column))}
    values = sorted(set(column))
    gaps = sorted(b - a for a, b in pairwise(values))
    usual = (
        gaps[(len(gaps) - 1) // 2] if gaps else 0
    )  # two that a sample has close by are no reason
    if len(values) > 16 or not gaps or values[-1] - values[0] < 30 * usual:
        return {}
    return {value: k for k, value in enumerate(values)}


def _numeric(column: pd.Series[Any]) -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _tick_values(ax: Axes, values: Sequence[Any]) -> None:
    """Put a tick at every value, unless some stand too close, or are too long, to be read."""
    gaps = [b - a for a, b in pairwise(values)]
    told = [_told(value) for value in values]
    if gaps and min(gaps) >= (values[-1] - values[0]) / 18 and max(map(len, told)) <= 5:
        widest = (values[-1] - values[0]) / min(gaps) + 1
        if _fit(ax, [max(told, key=len)] * math.ceil(widest)):
            ax.set_xticks(values, told)


def _fit(ax: Axes, labels: Sequence[str]) -> bool:
    """Whether labels fit side by side below axes, about."""
    figure: Any = ax.get_figure(root=True)
    room = ax.get_position().width * float(figure.get_figwidth())
    return 0.09 * sum(len(label) + 1 for label in labels) <= room


def _tick_label(axis: str, value: Any) -> str:
    return _NAMED.get((axis.rpartition(".")[2], value), _told(value))


_NAMED: dict[tuple[str, Any], str] = {("memory_span", 128): "all"}
"""Values that mean something special."""


# --- fields ---------------------------------------------------------------------------------------


def _heat(ax: Axes, cells: Any, centre: float | None, origin: Any = "upper") -> Any:
    """Draw coloured fields: around a centre blue to orange, else light to dark blue."""
    import numpy as np

    if centre is None:
        return ax.imshow(cells, cmap="Blues", origin=origin, aspect="auto")
    most = float(np.nanmax(np.abs(cells - centre)))
    return ax.imshow(
        cells, cmap="PuOr", vmin=centre - most, vmax=centre + most, origin=origin, aspect="auto"
    )


def _cell_texts(
    ax: Axes, cells: Any, image: Any, told: Callable[[float], str], halves: Any = None
) -> None:
    """Write the value into every field, dark on light and light on dark."""
    for row, line in enumerate(cells):
        for column, value in enumerate(line):
            if math.isnan(value):
                continue
            red, green, blue, _ = image.cmap(image.norm(value))
            light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.55
            text = told(value).replace("-", "−")
            if halves is not None and not math.isnan(halves[row][column]):
                text += f"\n±{told(halves[row][column])}"
            ax.text(
                column,
                row,
                text,
                ha="center",
                va="center",
                fontsize="x-small",
                color="black" if light else "white",
            )


def _short(text: str) -> str:
    return text if len(text) <= 28 else f"{text[:27]}…"


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- all plots of a result ------------------------------------------------------------------------


def tournament_pictures(tables: Mapping[str, pd.DataFrame]) -> dict[str, bytes]:
    """Return the plots of a tournament by file name.

    Args:
        tables: ``ranking`` and ``matrix``.
    """
    players = len(tables["ranking"])
    names = 0.075 * max(len(_short(name)) for name in tables["ranking"]["player"])
    made = {
        "strength": picture(
            lambda figure: strength(tables["ranking"], figure.add_subplot()),
            5.8 + names,
            1.4 + 0.3 * players,
        )
    }
    if players <= 40:
        made["strength_matrix"] = picture(
            lambda figure: strength_matrix(tables["matrix"], figure.add_subplot()),
            0.8 + names + max(0.55 * players, 5.0),
            1.4 + 0.7 * names + 0.46 * players,
        )
    return _files(made)


def sweep_pictures(tables: Mapping[str, pd.DataFrame], focus: Sequence[int]) -> dict[str, bytes]:
    """Return the plots of a sweep by file name.

    Over one axis each metric is a line for each seat in focus, or for each seat; over two it is a
    line for each value of the shorter axis, and a map. More axes are drawn one by one, as means
    over the others; samples as dots.

    Args:
        tables: ``metrics`` and ``calibration``.
        focus: Seats whose win share is looked for.
    """
    metrics = tables["metrics"]
    made: dict[str, dict[str, bytes]] = {}
    for name, metric in METRICS.items():
        rows = metrics[(metrics["metric"] == name) & metrics["value"].notna()]
        if not rows.empty and name in _DRAWN:
            made |= _metric_pictures(metrics, metric, focus, rows["seat"].notna().any())
    if len(sweep_axes(metrics)) == 1 and metrics["point"].nunique() <= 40:
        made["ends"] = picture(lambda figure: ends(metrics, figure.add_subplot()), 6.4, 4.0)
    return _files(made | _calibration_pictures(tables["calibration"], sweep_axes(metrics)))


_DRAWN: tuple[str, ...] = ("win_share", "group_win_share", "score_mean", "bao_rate", "bao_success")
_DRAWN += ("pluck_success", "turns_mean")
_MAPPED = ("win_share", "group_win_share", "score_mean")


def _metric_pictures(
    metrics: pd.DataFrame, metric: Metric, focus: Sequence[int], of_seats: bool
) -> dict[str, dict[str, bytes]]:
    axes, name = sweep_axes(metrics), metric.name
    seats: list[int | None] = list(focus) if of_seats else [None]
    if len(axes) == 1:
        chosen = metrics[metrics["seat"].isin(focus)] if of_seats and focus else metrics
        seat = focus[0] if of_seats and len(focus) == 1 else None
        by = "seat" if of_seats and seat is None else None
        draw = lambda figure: sweep(chosen, name, figure.add_subplot(), by=by, seat=seat)  # noqa: E731
        return {name: picture(draw, 6.4, 4.0)}
    made: dict[str, dict[str, bytes]] = {}
    for seat in seats:
        stem = name if len(seats) == 1 else f"{name}_{seat}"
        draw_axes = _two_axes if _is_grid_of_two(metrics, axes) else _many_axes
        made |= draw_axes(metrics, name, stem, axes, seat)
    return made


def _is_grid_of_two(metrics: pd.DataFrame, axes: Sequence[str]) -> bool:
    """Whether there is a point for each two values of two axes."""
    points = math.prod(metrics[axis].nunique() for axis in axes)
    return len(axes) == 2 and metrics["point"].nunique() == points


def _two_axes(
    metrics: pd.DataFrame, name: str, stem: str, axes: Sequence[str], seat: int | None
) -> dict[str, dict[str, bytes]]:
    """Return the lines and the map of a metric over two axes."""
    lengths = {axis: metrics[axis].nunique() for axis in axes}
    by = min(reversed(axes), key=lengths.__getitem__)
    x = next(axis for axis in axes if axis != by)
    made: dict[str, dict[str, bytes]] = {}
    if lengths[by] <= len(COLOURS):
        made[stem] = picture(
            lambda figure: sweep(metrics, name, figure.add_subplot(), x=x, by=by, seat=seat),
            6.4,
            4.2,
        )
    if name in _MAPPED and max(lengths.values()) <= 30:
        made[f"{stem}_map"] = picture(
            lambda figure: sweep_map(metrics, name, figure.add_subplot(), x=x, y=by, seat=seat),
            max(2.0 + 0.58 * lengths[x], 5.6),
            1.8 + 0.48 * lengths[by],
        )
    return made


def _many_axes(
    metrics: pd.DataFrame, name: str, stem: str, axes: Sequence[str], seat: int | None
) -> dict[str, dict[str, bytes]]:
    """Return a metric over each of many axes side by side, under one title."""

    def draw(figure: Figure) -> None:
        wide = min(len(axes), _PANELS)
        rows = -(-len(axes) // wide)
        panels = figure.subplots(rows, wide, sharey=True, squeeze=False).flatten()
        notes = []
        for axis, ax in zip(axes, panels, strict=False):
            sweep(metrics, name, ax, x=axis, seat=seat, dots=True)
            notes.append(ax.get_title(loc="left"))
            ax.set_title("", loc="left")
            ax.set_ylabel(ax.get_ylabel() if len(notes) % wide == 1 else "")
        for ax in panels[len(axes) :]:
            ax.remove()
        note = max(notes, key=len)
        if len(notes[0]) == len(note) and len(set(notes)) == 1 and "Mean" not in note:
            note = note.replace("\n", ": a dot is one point, the other axes vary too\n", 1)
        elif len(set(notes)) > 1:
            note = note.replace("Mean over", "Where values repeat, the mean over", 1)
        figure.suptitle(note, x=0.01, ha="left", fontsize=10.0)

    rows = -(-len(axes) // _PANELS)
    return {stem: picture(draw, 1.5 + 3.0 * min(len(axes), _PANELS), 0.6 + 3.4 * rows)}


_PANELS = 4
"""Panels side by side, at most."""


_BINS = 5  # with plucks; fewer say nothing of calibration

_SPREAD = 0.25
"""Confidences must differ by this; where all plucks are almost certain there is nothing to see."""


def _calibration_pictures(table: pd.DataFrame, axes: Sequence[str]) -> dict[str, dict[str, bytes]]:
    """Return the plot of calibration, if the sweep has few enough series for one."""
    if table.empty or len(axes) > 1 or table[axes[0]].nunique() > len(COLOURS):
        return {}
    least = next((n for n in (10_000, 1_000, 100, 30) if _shows(_pooled(table, n))), None)
    if least is None:
        return {}

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        calibration(table, left, by=axes[0], least=min(least, 100))
        calibration_difference(table, right, by=axes[0], least=least)

    return {"calibration": picture(draw, 10.4, 5.0)}


def _shows(rows: pd.DataFrame) -> bool:
    """Whether calibration has enough bins, far enough from each other, to be seen."""
    confidence = rows["confidence"]
    enough = rows["bin"].nunique() >= _BINS
    return bool(enough and confidence.max() - confidence.min() >= _SPREAD)


def _files(pictures: Mapping[str, Mapping[str, bytes]]) -> dict[str, bytes]:
    return {
        f"{name}.{form}": content
        for name, forms in pictures.items()
        for form, content in forms.items()
    }
