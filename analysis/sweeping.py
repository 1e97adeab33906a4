"""Numbers over the points of a sweep: metrics with intervals, calibration, the best point.

Everything is made of the summaries of contracts §2 and of exact sums, one for each point. Points
share their deals and their luck, so what differs between two points differs by less than their
intervals suggest: an interval says how well a point's own number is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.stats import ratio, wilson
from analysis.tables import at
from sim.metrics import SWEPT, Metric

if TYPE_CHECKING:
    import pandas as pd


Row = dict[str, Any]


def seat_rows(summary: Mapping[str, Any], player: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the metrics of a seat: metric, value, low, high, n, and of what n is the number.

    Shares of calls and plucks have Wilson's interval, which takes them as independent; with games,
    whose rounds hang together, only win share and score have intervals.

    Args:
        summary: Of a run.
        player: The seat's part of it.
    """
    return (_row(metric, player, summary) for metric in _swept("seat"))


def table_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the metrics of a table, likewise; those that do not exist are left out."""
    rows = (_row(metric, summary, summary) for metric in _swept("table"))
    return (row for row in rows if row["value"] is not None)


def _swept(scope: str) -> list[Metric]:
    return [metric for metric in SWEPT.values() if metric.scope == scope]


def metrics_of(summaries: Mapping[Any, Mapping[str, Any]], x: str) -> pd.DataFrame:
    """Return the metrics of several runs as one table, as of a sweep over one axis.

    Args:
        summaries: Of runs, by what tells these apart: numbers, or words.
        x: What it is called.
    """
    rows = [
        {"point": point, x: value, "seat": seat, "strategy": strategy} | row
        for point, (value, summary) in enumerate(summaries.items())
        for seat, strategy, row in _rows_of_a_run(summary)
    ]
    return metrics_frame(rows)


def _rows_of_a_run(summary: Mapping[str, Any]) -> Iterator[tuple[int | None, str | None, Row]]:
    """Yield each metric of a run with its seat and strategy, those of the table without."""
    for player in summary["players"]:
        for row in seat_rows(summary, player):
            yield player["seat"], player["strategy"], row
    for row in table_rows(summary):
        yield None, None, row


def decided_in(summary: Mapping[str, Any]) -> int:
    """Return how many rounds (games) of a run have a winner: not those that a limit stopped."""
    if summary["games"] is None:
        return int(summary["rounds"] - summary["ends"]["turn_cap"])
    return int(summary["game"]["ends"]["threshold"])


def group_row(shares: int, decided: int, units: int, of: str) -> Row:
    """Return the win share of several seats together.

    Args:
        shares: Of all of them, in units.
        decided: Rounds, or games, with a winner.
        units: How many units make a win.
        of: What was decided, ``rounds`` or ``games``.
    """
    value = ratio(shares, decided * units)
    return told("group_win_share", value, wilson(shares, decided, units), decided, of)


def _row(metric: Metric, part: Mapping[str, Any], summary: Mapping[str, Any]) -> Row:
    """Return how a metric of a summary, or of a seat's part of it, is told of a point."""
    swept, games = metric.swept, summary["games"] is not None
    assert swept is not None
    n = sum(_size(path, part, summary) for path in swept.size)
    value, interval = at(part, metric.name), at(part, f"{metric.name}_ci95")
    if swept.parts:
        count = sum(at(part, path) for path in swept.parts)
        value, interval = ratio(count, n), None
        if metric.share and n > 0 and not games:
            interval = wilson(count, n)
    return told(swept.name, value, interval, n, swept.of or ("games" if games else "rounds"))


def _size(path: str, part: Mapping[str, Any], summary: Mapping[str, Any]) -> int:
    """Return a number of the seat's part, or else of the table's; 0 where there is none."""
    if path == "decided":
        return decided_in(summary)
    return at(part, path) or at(summary, path) or 0


def told(name: str, value: float | None, interval: Any, n: int, of: str) -> Row:
    """Return a row of a table of metrics, less its point and its seat."""
    low, high = interval or (None, None)
    return {"metric": name, "value": value, "low": low, "high": high, "n": n, "of": of}


def metrics_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows of metrics, each with the point's columns before them, as a tidy table."""
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    numbers = dict.fromkeys(("value", "low", "high"), "float64")
    return frame.astype({"seat": "Int64", "n": "int64", "metric": "str"} | numbers)


# --- calibration ----------------------------------------------------------------------------------

MILLION = 10**6


def calibration_rows(
    plucks: Sequence[int], hits: Sequence[int], sure: Sequence[int]
) -> Iterator[Row]:
    """Yield how often plucks hit that a player was so and so sure of.

    A pluck's confidence is the probability that its player gave it. Bins are of equal width from 0
    to 1, each with its lower end; those without a pluck are left out.

    Args:
        plucks: Number of plucks by bin.
        hits: Those that hit.
        sure: Sum of confidences in millionths.

    Returns:
        ``bin``, ``bin_low``, ``bin_high``, ``n``, ``confidence`` (mean), ``hits`` (share),
        ``low`` and ``high`` (Wilson's interval of it), ``difference`` (hits - confidence).
    """
    bins = len(plucks)
    for k, n in enumerate(plucks):
        if n:
            confidence = sure[k] / (n * MILLION)
            low, high = wilson(hits[k], n)
            yield {
                "bin": k,
                "bin_low": k / bins,
                "bin_high": (k + 1) / bins,
                "n": n,
                "confidence": confidence,
                "hits": hits[k] / n,
                "low": low,
                "high": high,
                "difference": hits[k] / n - confidence,
            }


def calibration_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows of a calibration, each with the point's columns before them, as a table."""
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    return frame.astype({"seat": "Int64"}) if len(frame) else frame


# --- the best point -------------------------------------------------------------------------------


def best_point(metrics: pd.DataFrame, name: str, seat: int | None) -> dict[str, Any] | None:
    """Return the point with the greatest value of a metric, and those that may be as good.

    A point may be as good if the interval of its difference to the best holds 0, where the two
    are taken as independent (method 10 of Newcombe 1998, Statistics in Medicine 17: of each the
    side that counts). As they share their deals they mostly vary together, so this
    rather names a point too many.

    Args:
        metrics: Of a sweep.
        name: Metric with an interval.
        seat: Whose; None for one that has no seat.

    Returns:
        ``metric``, ``seat``, ``point``, ``value``, ``low``, ``high``, ``as_good``: points. None
        where no point has a value.
    """
    rows = metrics[metrics["metric"] == name]
    rows = rows[rows["seat"].isna() if seat is None else rows["seat"] == seat].dropna(
        subset=["value"]
    )
    if rows.empty:
        return None
    best = rows.loc[rows["value"].idxmax()]
    reach = ((rows["high"] - rows["value"]) ** 2 + (best["value"] - best["low"]) ** 2) ** 0.5
    as_good = rows[(best["value"] - rows["value"] <= reach) & (rows["point"] != best["point"])]
    return {
        "metric": name,
        "seat": seat,
        "point": int(best["point"]),
        **{key: float(best[key]) for key in ("value", "low", "high")},
        "as_good": [int(point) for point in as_good["point"]],
    }
