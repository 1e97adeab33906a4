"""Tidy DataFrames of a summary (contract: the JSON summary of ``run``).

Every number has one name, the path to it in the summary; `sim.metrics` says what it means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.ranking import number
from sim.metrics import METRICS, OUTCOMES, SHOWN, words

if TYPE_CHECKING:
    import pandas as pd

FACTS: tuple[tuple[str, str], ...] = tuple(words("facts").items())
"""What a summary says of the run itself."""

_MERGED = ("plucks", "powers")  # parts of a seat whose names stand alone


def frames(summary: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables of a summary: ``seats``, ``metrics``, ``histograms`` and more.

    ``seats`` has one row for each seat; an interval is two columns, ``_low`` and ``_high``, and a
    number inside a group has the group's name before its own: ``first_win_share``.
    ``metrics`` has one row for each metric, and for each seat where there is one for each:
    metric, seat, value, low, high; what does not exist is missing. ``histograms`` has one row
    for each value that occurred: metric, value, count; calls of BAO also by fate.
    ``positions`` has one row for each place in the turn order, ``birds`` one for each bird; both
    are empty for a summary of an older version.
    """
    import pandas as pd

    metrics = pd.DataFrame(list(_metric_rows(summary)))
    metrics = metrics.astype(
        {"metric": "str", "seat": "Int64", "value": "float64", "low": "float64", "high": "float64"}
    )
    histograms = pd.DataFrame(
        list(_histogram_rows(summary)), columns=["metric", "value", "count"]
    ).astype({"metric": "str", "value": "int64", "count": "int64"})
    return {
        "seats": pd.DataFrame([_flat(player) for player in summary["players"]]),
        "metrics": metrics,
        "histograms": histograms,
        "positions": pd.DataFrame([_flat(place) for place in summary.get("positions", ())]),
        "birds": pd.DataFrame([_flat(bird) for bird in summary.get("birds", ())]),
    }


def _flat(part: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Return a part of a summary with nothing nested; None where a number is missing."""
    row: dict[str, Any] = {}
    for name, value in part.items():
        if isinstance(value, Mapping):
            row |= _flat(value, path if name in _MERGED else f"{path}{name}_")
        elif name.endswith("_ci95"):
            low, high = value
            stem = f"{path}{name.removesuffix('_ci95')}"
            row |= {f"{stem}_low": number(low), f"{stem}_high": number(high)}
        else:
            row[path + name] = number(value) if value is None else value
    return row


def _metric_rows(summary: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, per_seat in ((metric.name, metric.per_seat) for metric in SHOWN if not metric.each):
        for part in summary["players"] if per_seat else [summary]:
            low, high = at(part, f"{name}_ci95") or (None, None)
            numbers = {"value": at(part, name), "low": low, "high": high}
            yield {"metric": name, "seat": part["seat"] if per_seat else None} | numbers


def at(part: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a dotted path; None where a part of it is None or not there."""
    value: Any = part
    for key in path.split("."):
        value = None if value is None else value.get(key)
    return value


def _histogram_rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    order = {group: k for k, group in enumerate(words("order")["histograms"])}
    last = len(order)
    for metric in sorted(METRICS, key=lambda it: order.get(it.name.partition(".")[0], last)):
        if metric.formula.kind == "spread.histogram":
            for value, count in at(summary, metric.name) or ():
                yield metric.name.removesuffix(".histogram"), value, count
    for name in (metric.name for metric in METRICS if metric.formula.kind == "rows"):
        rows: Sequence[Sequence[int]] = at(summary, name) or ()
        for k, fate in enumerate(OUTCOMES, start=1):
            for row in rows:
                if row[k]:
                    yield f"{name}.{fate}", row[0], row[k]
