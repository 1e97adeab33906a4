"""Plots of how rounds go: how they end, how long they are, recyclings, calls of BAO."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.plots import drawing as draw
from analysis.plots.accessors import RunPlots, SweepPlots
from analysis.plots.summaries import (
    Summary,
    intervals_of,
    note_of,
    part,
    rounds_of,
    share_of,
)
from analysis.plots.sweeps import rows_of, sweep, sweep_axes
from analysis.stats import NOTHING, ratio, wilson
from analysis.sweeping import metrics_frame, told
from analysis.text.numbers import of_hundred
from sim.errors import unknown_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# --- ends -----------------------------------------------------------------------------------------

_FATES = {
    "won": ("bao_won", draw.COLOURS[0]),
    "tied": ("bao_tied", draw.COLOURS[4]),
    "beaten": ("bao_beaten", draw.COLOURS[4]),
    "second_recycling": ("second_recycling", draw.COLOURS[5]),
    "turn_cap": ("turn_cap", draw.COLOURS[3]),
}
"""Label and colour of each way to end."""

_ENDS = {
    "end_bao": draw.COLOURS[0],
    "end_second_recycling": draw.COLOURS[5],
    "end_turn_cap": draw.COLOURS[3],
}


@RunPlots.plot("how rounds end")
@SweepPlots.plot("how rounds end; options as of `analysis.plots.ends`", lambda it: it.metrics)
def ends(
    data: Summary | Mapping[Any, Summary] | pd.DataFrame,
    ax: Axes | None = None,
    *,
    x: str | None = None,
) -> Axes:
    """Draw how rounds end: of one run a bar for each way, of several a stacked bar for each run.

    Args:
        data: A run's summary; or summaries by what tells the runs apart, such as the number of
            players; or the metrics of a sweep.
        ax: Axes to draw on.
        x: Axis of the sweep along which, the first if None; of summaries, what it is called.
    """
    ax = draw.axes_or_new(ax)
    if _is_summary(data):
        return _ends_of_one(data, ax)
    return _ends_of_many(*_metrics(data, x), ax)


def _is_summary(data: Any) -> bool:
    return isinstance(data, Mapping) and "schema" in data


def _metrics(data: Any, x: str | None) -> tuple[pd.DataFrame, str]:
    """Return the metrics of several runs, or of a sweep, and the axis along which."""
    if isinstance(data, Mapping):
        x = x or "run"
        return _of_summaries(data, x), x
    return data, x or sweep_axes(data)[0]


def _of_summaries(summaries: Mapping[Any, Summary], x: str) -> pd.DataFrame:
    """Return how rounds of several runs end as a sweep over one axis tells it."""
    rows = []
    for value, summary in summaries.items():
        n, games = summary["rounds"], summary["games"] is not None
        for end, times in summary["ends"].items():
            interval = wilson(times, n) if n and not games else NOTHING
            row = told(f"end_{end}", ratio(times, n), interval, n, "rounds")
            rows.append({x: value, "seat": None} | row)
    return metrics_frame(rows)


def _ends_of_one(summary: Summary, ax: Axes) -> Axes:
    """Draw each way to end; rounds that BAO ended by what became of the call."""
    rounds = summary["rounds"]
    parts = summary["bao"] | summary["ends"]
    shown = [name for name in _FATES if parts[name] or name != "turn_cap"]
    draw.bars(
        ax,
        [draw.label(_FATES[name][0]) for name in shown],
        [100 * parts[name] / rounds for name in shown],
        [share_of(parts[name], rounds, summary) for name in shown],
        colours=[_FATES[name][1] for name in shown],
        told=of_hundred,
        whole=True,
    )
    ax.set_xlabel(draw.label("rounds"))
    return draw.fit_names(draw.headed(ax, "How rounds end", note_of(summary)))


def _ends_of_many(metrics: pd.DataFrame, x: str, ax: Axes) -> Axes:
    """Draw stacked bars: beside each other over numbers, one below the other for words."""
    upright = bool(draw.numeric(metrics[x]))
    ordered = metrics.sort_values(x, kind="stable") if upright else metrics
    parts = {name: rows_of(ordered, name, None) for name in _ENDS}
    occurring = [end for end in _ENDS if parts[end]["value"].any()]
    rows = parts["end_bao"]
    bar: Any = ax.bar if upright else ax.barh
    places, below = range(len(rows)), 0.0 * rows["value"].to_numpy()
    for name in occurring:
        share = 100 * parts[name]["value"].to_numpy()
        style = {"bottom" if upright else "left": below, "color": _ENDS[name]}
        bar(places, share, label=draw.label(name), **style)
        below = below + share
    # Borders between the parts: the share of BAO, and what the turn cap leaves.
    for name, end, sign in (("end_bao", 0, 1), ("end_turn_cap", 100, -1)):
        part = sign * 100 * parts[name][["value", "low", "high"]].to_numpy() + end
        if name == "end_bao" or parts[name]["value"].any():
            style = {"fmt": "none", "ecolor": "black", "capsize": 3, "lying": not upright}
            draw.intervals(ax, places, part[:, 0], part[:, 1:][:, ::sign], **style)
    names = [draw.tick_label(x, value) for value in rows[x]]
    if upright:
        _bar_ticks(ax, names, list(rows[x]))
        ax.set(xlabel=x, ylabel=draw.label("rounds"), ylim=(0, 100), yticks=range(0, 101, 20))
    else:
        draw.names_beside(ax, names)
        ax.set(ylabel=x, xlabel=draw.label("rounds"), xlim=(0, 100), ylim=(len(names) - 0.5, -0.5))
    note = f"{draw.counts(list(rows['n']), 'rounds')} a bar"
    widest = 50 * max(float((part["high"] - part["low"]).max()) for part in parts.values())
    if not math.isnan(widest):
        note += f"; 95 % intervals: ±{widest:.2g} at most"
    if len(occurring) < len(_ENDS):
        note += "; other ends never occurred"
    draw.headed(ax, "How rounds end", note)
    draw.legend_above(ax)
    return ax if upright else draw.fit_names(ax)


def _bar_ticks(ax: Axes, labels: list[str], numbers: list[float]) -> None:
    """Name the bars: with fewer digits where they are too long, then only some of them."""
    shown = [draw.short(label) for label in labels]
    if not draw.fit(ax, shown):
        shown = [draw.digits(f"{number:.3g}") for number in numbers]
    places = range(len(shown))
    step = next(k for k in range(1, len(shown) + 1) if draw.fit(ax, shown[::k]) or k == len(shown))
    ax.set_xticks(list(places)[::step], shown[::step])


# --- recyclings -----------------------------------------------------------------------------------


@RunPlots.plot("how often the discard pile is recycled")
@SweepPlots.plot("how often the second recycling ends a round", lambda result: result.metrics)
def recycling(
    data: Summary | Mapping[Any, Summary] | pd.DataFrame,
    ax: Axes | None = None,
    *,
    x: str | None = None,
    by: str | None = None,
) -> Axes:
    """Draw how often the discard pile is recycled in a round, or how often the second time ends it.

    Args:
        data: A run's summary: rounds by number of recyclings. Of summaries by what tells the runs
            apart, or the metrics of a sweep: the share of rounds that the second recycling ends.
        ax: Axes to draw on.
        x: Axis of the sweep along which, the first if None; of summaries, what it is called.
        by: Another axis of the sweep, that tells lines apart.
    """
    ax = draw.axes_or_new(ax)
    if not _is_summary(data):
        metrics, x = _metrics(data, x)
        return sweep(metrics, "end_second_recycling", ax, x=x, by=by)
    summary: Any = data
    rounds = summary["rounds"]
    times = dict(summary["recyclings"]["histogram"])
    most = max(2, *times)
    parts = {k: times.get(k, 0) for k in range(min(most, 4) + 1)}
    names = [str(k) for k in parts]
    if most > 4:
        parts[4] = sum(count for value, count in times.items() if value >= 4)
        names[4] = draw.label("or_more", n=4)
    draw.bars(
        ax,
        names,
        [100 * part / rounds for part in parts.values()],
        [share_of(part, rounds, summary) for part in parts.values()],
        told=of_hundred,
    )
    ax.set_ylabel(draw.label("recyclings"))
    ax.set_xlabel(draw.label("rounds"))
    return draw.headed(ax, "Recyclings in a round", note_of(summary))


# --- length ---------------------------------------------------------------------------------------

_BINS = 40
"""Bars of a histogram, at most."""


@RunPlots.plot("how many turns rounds take, by how they end")
def lengths(summary: Summary, ax: Axes | None = None) -> Axes:
    """Draw how many turns rounds take, stacked by how they end, and the mean.

    Args:
        summary: Of a run.
        ax: Axes to draw on.

    Raises:
        InputError: An older run did not count this.
    """
    import numpy as np

    ax = draw.axes_or_new(ax)
    rounds, by_end = summary["rounds"], part(summary, "by_end", "lengths")
    histograms = {end: dict(spread["histogram"]) for end, spread in by_end.items()}
    first, width, last = _layout(histograms.values())
    edges = list(range(first, first + (last + 1) * width, width))
    at = np.array(edges) + (width - 1) / 2
    total = np.zeros(len(edges), int)
    for name, colour in _ENDS.items():
        times = histograms[name.removeprefix("end_")]
        if not times:
            continue
        places = np.minimum((np.array(list(times)) - first) // width, last)
        binned = np.bincount(places, list(times.values()), len(edges)).astype(int)
        share = draw.digits(of_hundred(100 * int(binned.sum()) / rounds))
        told = draw.label(f"{name}_share", n=share)
        heights, bottom = 100 * binned / rounds, 100 * total / rounds
        ax.bar(at, heights, 0.94 * width, bottom, color=colour, label=told)
        total += binned
    heights = 100 * total / rounds
    ends = [share_of(int(count), rounds, summary) for count in total]
    draw.intervals(ax, at, heights, ends, fmt="none", ecolor="0.25", elinewidth=0.8)
    highest = max(high or height for (_, high), height in zip(ends, heights, strict=True))
    mean = summary["turns"]["mean"]
    mean_label = draw.label("mean_turns", n=draw.digits(f"{mean:.4g}"))
    ax.axvline(mean, color="black", linewidth=1, linestyle=":", label=mean_label)
    few = max(0, 8 - len(edges)) / 2  # so that a single bar is no wall
    ax.set_xlim(edges[0] - (few + 1) * width, edges[-1] + (few + 1.5) * width)
    longest = summary["turns"]["max"]
    _turn_ticks(ax, edges, width, longest)
    ax.set_xlabel(draw.label("turns") if width == 1 else draw.label("turns_in_bars", n=width))
    ax.set_ylabel(draw.label("rounds"))
    ax.set_ylim(0, 1.02 * highest)
    draw.headed(ax, "Length of rounds", note_of(summary, "thin bars"))
    return draw.legend_above(ax)


def _layout(histograms: Iterable[Mapping[int, int]]) -> tuple[int, int, int]:
    """Return the first value, the width of a bar, and the number of the last bar.

    Where a few values lie far above all others the last bar takes all of these.
    """
    merged = sum(map(Counter, histograms), Counter[int]())
    first, highest = min(merged), max(merged)
    cut = draw.shown_up_to(highest, draw.tail(merged))
    width = max(1, -(-(cut - first + 1) // _BINS))
    return first, width, (cut - first) // width + (1 if cut < highest else 0)


def _turn_ticks(ax: Axes, edges: Sequence[int], width: int, longest: int) -> None:
    """Put ticks at whole turns; the last bar, where it takes all above, is named as such."""
    from matplotlib.ticker import MaxNLocator

    open_end = longest >= edges[-1] + width
    end = edges[-1] - 1 if open_end else edges[-1] + width - 1
    ticks = [int(tick) for tick in MaxNLocator(7, integer=True).tick_values(edges[0], end)]
    limit = edges[-1] - 0.7 * (ticks[1] - ticks[0] if len(ticks) > 1 else 1) if open_end else end
    shown = {tick: str(tick) for tick in ticks if edges[0] <= tick <= limit}
    if open_end:
        shown[edges[-1] + (width - 1) // 2] = f"≥{edges[-1]}"
    ax.set_xticks(list(shown), list(shown.values()))


# --- calls of BAO ---------------------------------------------------------------------------------

_CALLED_ON = {  # by what, and the label that no page has
    "total": "",
    "turn": "turn of the call",
    "unknown": "own cards that the caller never learnt",
}


@RunPlots.plot("how often BAO succeeds by what it was called on")
def bao(
    summary: Summary, ax: Axes | None = None, *, by: str = "total", least: int | None = None
) -> Axes:
    """Draw how often calls of BAO succeed by what they were called on, and how many there were.

    Args:
        summary: Of a run.
        ax: Axes to draw on.
        by: ``total``: the caller's true total; ``turn``: the turn of the call; ``unknown``: how
            many own cards the caller had never learnt.
        least: Fewer calls than this on one value are left out; 30 if None, or where nowhere
            are so many, 1.

    Raises:
        InputError: There is no such choice, or an older run did not count this.
    """
    if by not in _CALLED_ON:
        raise unknown_name("choice", by, list(_CALLED_ON)).inside("by")
    from matplotlib.ticker import MaxNLocator

    ax = draw.axes_or_new(ax)
    rows = part(summary, "calls", "bao")[f"by_{by}"]
    counted = {value: (won, won + sum(others)) for value, won, *others in rows}
    calls = sum(n for _, n in counted.values())
    least = draw.usual_least([n for _, n in counted.values()], least)
    shown = {value: pair for value, pair in counted.items() if pair[1] >= least}
    ax.set_xlabel(draw.label("total") if by == "total" else _CALLED_ON[by])
    title = f"BAO: success by {by if by != 'unknown' else 'unknown cards'}"
    if not shown:
        draw.empty(ax, draw.label("never_called") if not calls else f"nowhere {least:,} calls")
        return draw.headed(ax, title, rounds_of(summary))
    heights, label = [100 * n / calls for _, n in shown.values()], draw.label("all_calls")
    ax.bar(list(shown), heights, width=0.9, color="0.82", label=label)
    values = [100 * won / n for won, n in shown.values()]
    intervals = [share_of(won, n, summary) for won, n in shown.values()]
    style: Any = {"fmt": "o-", "markersize": 4, "linewidth": 1, "capsize": 2}
    style |= {"color": draw.COLOURS[0], "label": draw.label("calls_won")}
    draw.intervals(ax, list(shown), values, intervals, **style)
    ax.set_ylim(0, 104)
    few = max(0, 6 - (max(shown) - min(shown))) / 2  # so that a single bar is no wall
    left = few if by == "total" else 0.0  # there is no turn and no number of cards below 0
    ax.set_xlim(min(shown) - 0.7 - left, max(shown) + 0.7 + few)
    ax.xaxis.set_major_locator(MaxNLocator(7, integer=True))
    ax.set_ylabel("%")
    ax.grid(axis="y", alpha=0.3)
    ax.set_yticks(range(0, 101, 20))
    note = f"{draw.counts([calls], 'calls')}; {intervals_of(summary)}"
    if least > 1 and len(shown) < len(counted):
        note += f"; left out: fewer than {least:,} calls"
    draw.headed(ax, title, note)
    return draw.legend_above(ax)
