"""Plots of how rounds go: how they end, how long they are, recyclings, calls of BAO."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analysis.plots.figures import (
    COLOURS,
    axes_or_new,
    bars,
    counts,
    fit,
    headed,
    legend_beside,
    numeric,
    percent,
    reach,
    short,
    tick_label,
)
from analysis.plots.sweeps import rows_of, sweep, sweep_axes
from analysis.stats import wilson
from analysis.sweeping import metrics_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Summary = Mapping[str, Any]
"""Of a run, as contracts §2 has it."""



# --- ends -----------------------------------------------------------------------------------------

_FATES = {
    "won": ("BAO succeeds", COLOURS[0]),
    "tied": ("BAO fails by a tie", COLOURS[4]),
    "beaten": ("BAO is beaten", COLOURS[4]),
    "second_recycling": ("second recycling", COLOURS[5]),
    "turn_cap": ("turn cap", COLOURS[3]),
}

_ENDS = (
    ("end_bao", "by BAO", COLOURS[0]),
    ("end_second_recycling", "by the second recycling", COLOURS[5]),
    ("end_turn_cap", "by the turn cap", COLOURS[3]),
)


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
    ax = axes_or_new(ax)
    if _is_summary(data):
        return _ends_of_one(data, ax)
    return _ends_of_many(*_metrics(data, x), ax)


def _is_summary(data: Any) -> bool:
    return isinstance(data, Mapping) and "schema" in data


def _metrics(data: Any, x: str | None) -> tuple[pd.DataFrame, str]:
    """Return the metrics of several runs, or of a sweep, and the axis along which."""
    if isinstance(data, Mapping):
        x = x or "run"
        return metrics_of(data, x), x
    return data, x or sweep_axes(data)[0]


def _ends_of_one(summary: Summary, ax: Axes) -> Axes:
    """Draw each way to end; rounds that BAO ended by what became of the call."""
    rounds = summary["rounds"]
    parts = summary["bao"] | summary["ends"]
    shown = [name for name in _FATES if parts[name] or name != "turn_cap"]
    bars(
        ax,
        [_FATES[name][0] for name in shown],
        [100 * parts[name] / rounds for name in shown],
        [_wilson(parts[name], rounds, summary) for name in shown],
        colours=[_FATES[name][1] for name in shown],
        told=percent,
    )
    ax.set_xlabel("rounds, %")
    return headed(ax, "How rounds end", f"{_rounds(summary)}{_intervals(summary)}")


def _wilson(part: int, whole: int, summary: Summary) -> tuple[float | None, float | None]:
    """Return the interval of a share in per cent; none with games, whose rounds hang together."""
    if summary["games"] is not None:
        return None, None
    low, high = wilson(part, whole)
    return 100 * low, 100 * high


def _intervals(summary: Summary) -> str:
    return "; bars: 95 % intervals" if summary["games"] is None else "; no intervals with games"


def _rounds(summary: Summary) -> str:
    """Return ``n = 1,000 rounds``, or ``n = 1,000 rounds of 100 games``."""
    games = summary["games"]
    rounds = counts([summary["rounds"]], "round" if summary["rounds"] == 1 else "rounds")
    return rounds if games is None else f"{rounds} of {games:,} game{'' if games == 1 else 's'}"


def _ends_of_many(metrics: pd.DataFrame, x: str, ax: Axes) -> Axes:
    numbers = bool(numeric(metrics[x]))
    ordered = metrics.sort_values(x, kind="stable") if numbers else metrics
    parts = {name: rows_of(ordered, name, None) for name, _, _ in _ENDS}
    occurring = [end for end in _ENDS if parts[end[0]]["value"].any()]
    rows = parts["end_bao"]
    places = range(len(rows))
    below: Any = 0
    for name, label, colour in occurring:
        height = 100 * parts[name]["value"].to_numpy()
        ax.bar(places, height, bottom=below, color=colour, label=label)
        below = below + height
    _borders(ax, parts)
    _bar_ticks(ax, [tick_label(x, value) for value in rows[x]], list(rows[x]) if numbers else [])
    ax.set_ylim(0, 100)
    ax.set_xlabel(x)
    ax.set_ylabel("rounds, %")
    legend_beside(ax, "ends")
    note = f"{counts(list(rows['n']), 'rounds')} a bar"
    widest = 50 * max(float((part["high"] - part["low"]).max()) for part in parts.values())
    if not math.isnan(widest):
        note += f"; 95 % intervals: ±{widest:.2g} at most"
    if len(occurring) < len(_ENDS):
        note += "\nother ends never occurred"
    return headed(ax, "How rounds end", note)


def _borders(ax: Axes, parts: Mapping[str, pd.DataFrame]) -> None:
    """Draw the intervals of the borders between the parts of stacked bars.

    The lower one is the share of BAO; the upper one is what the turn cap leaves.
    """
    for name, sign in (("end_bao", 1), ("end_turn_cap", -1)):
        rows = parts[name]
        if name == "end_bao" or rows["value"].any():
            border = 100 * rows["value"] if sign > 0 else 100 - 100 * rows["value"]
            both = 100 * reach(rows, "value")[::sign]
            ax.errorbar(range(len(rows)), border, yerr=both, fmt="none", ecolor="black", capsize=3)


def _bar_ticks(ax: Axes, labels: list[str], numbers: list[float]) -> None:
    """Name the bars; numbers with fewer digits where they are too long, or upright."""
    shown = [short(label) for label in labels]
    if numbers and not fit(ax, shown):
        shown = [f"{number:.3g}" for number in numbers]
    rotation = 0 if fit(ax, shown) else 90
    ax.set_xticks(range(len(shown)), shown, rotation=rotation)


# --- recyclings -----------------------------------------------------------------------------------


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
    ax = axes_or_new(ax)
    if not _is_summary(data):
        metrics, x = _metrics(data, x)
        return sweep(metrics, "end_second_recycling", ax, x=x, by=by)
    summary: Any = data
    rounds = summary["rounds"]
    times = dict(summary["recyclings"]["histogram"])
    most = max(2, *times)
    parts = {k: times.get(k, 0) for k in range(min(most, 4) + 1)}
    names = ["none", "one", *(str(k) for k in parts if k > 1)]
    if most > 4:
        parts[4] = sum(count for value, count in times.items() if value >= 4)
        names[4] = "4 or more"
    bars(
        ax,
        names,
        [100 * part / rounds for part in parts.values()],
        [_wilson(part, rounds, summary) for part in parts.values()],
        told=percent,
    )
    ax.set_ylabel("recyclings")
    ax.set_xlabel("rounds, %")
    return headed(ax, "Recyclings in a round", f"{_rounds(summary)}{_intervals(summary)}")
