"""Numbers over the points of a sweep: metrics with intervals, calibration, the best point.

Everything is made of exact sums, those of each point by the entries of `sim.metrics`. Points
share their deals and their luck, so what differs between two points differs by less than their
intervals suggest: an interval says how well a point's own number is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.results.evaluate import Numbers
from analysis.stats import CONFIDENCE, NOTHING, wilson
from sim.batch.sums import Sums
from sim.game.study import Study
from sim.metrics import SWEPT, Metric

if TYPE_CHECKING:
    import pandas as pd


Row = dict[str, Any]


def point_rows(
    study: Study, sums: Sums, focus: Sequence[int] = (), level: float = CONFIDENCE
) -> Iterator[Row]:
    """Yield the metrics of a point: of each seat, of those in focus together, and of the table.

    Each row has ``seat`` and ``strategy``, both None where it is no single seat's, ``metric``,
    ``value``, ``low``, ``high``, ``n``, and of what that is the number. Metrics of the table that
    do not exist are left out. Shares of calls and plucks have Wilson's interval, which takes them
    as independent; with games, whose rounds hang together, only win share and score have intervals.

    Args:
        study: What was played.
        sums: Sums over it.
        focus: Seats whose win share is told together, if they are several.
        level: Confidence level of the intervals that a summary has, too.
    """
    numbers = {True: Numbers(study, sums, level), False: Numbers(study, sums, CONFIDENCE)}
    whose: list[Any] = [("seat", k, each.name, k) for k, each in enumerate(study.players)]
    whose += [("group", None, None, focus)] * (len(focus) > 1) + [("table", None, None, 0)]
    for scope, seat, strategy, of in whose:
        for metric in SWEPT.values():
            if metric.scope == scope:
                row = _row(numbers[metric.in_summary], metric, of)
                if scope != "table" or row["value"] is not None:
                    yield {"seat": seat, "strategy": strategy} | row


def _row(numbers: Numbers, metric: Metric, seat: int | Sequence[int]) -> Row:
    swept = metric.swept
    assert swept is not None
    value, interval, n = None, NOTHING, 0
    if numbers.knows(metric.formula):
        value, interval = numbers.value(metric, seat), numbers.interval(metric, seat)
        n = numbers.whole(swept.size, seat)
    return told(swept.name, value, interval, n, swept.of or numbers.study.unit)


def decided_in(summary: Mapping[str, Any]) -> int:
    """Return how many rounds (games) of a run have a winner: not those that a limit stopped."""
    if summary["games"] is None:
        return int(summary["rounds"] - summary["ends"]["turn_cap"])
    return int(summary["game"]["ends"]["threshold"])


def told(name: str, value: float | None, interval: Any, n: int, of: str) -> Row:
    """Return a row of a table of metrics, less its point and its seat.

    Args:
        name: The metric.
        value: Its value; None where there is none.
        interval: Low and high end.
        n: How many it is over.
        of: What these are: ``"rounds"``, ``"games"``.

    Returns:
        ``metric``, ``value``, ``low``, ``high``, ``n``, ``of``.
    """
    low, high = interval
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
