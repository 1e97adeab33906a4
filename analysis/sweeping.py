"""Numbers over the points of a sweep: metrics with intervals, calibration, the best point.

Everything is made of the summaries of contracts §2 and of exact sums, one for each point. Points
share their deals and their luck, so what differs between two points differs by less than their
intervals suggest: an interval says how well a point's own number is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analysis.stats import ratio, wilson
from analysis.tables import at

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Metric:
    """One number of a point, or of a seat at a point.

    Attributes:
        name: In tables.
        label: On axes of plots; shares are shown there in per cent.
        share: Whether it lies between 0 and 1.
    """

    name: str
    label: str
    share: bool = False


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("win_share", "win share", True),
        Metric("group_win_share", "win share of the group", True),
        Metric("score_mean", "mean score, points a round"),
        Metric("total_mean", "mean total of the cards left, points"),
        Metric("cards_left_mean", "mean number of cards left"),
        Metric("bao_rate", "rounds in which it calls BAO", True),
        Metric("bao_success", "calls of BAO that succeed", True),
        Metric("pluck_rate", "plucks a round"),
        Metric("pluck_success", "plucks that hit", True),
        Metric("turns_mean", "mean length of a round, turns"),
        Metric("end_bao", "rounds ended by BAO", True),
        Metric("end_second_recycling", "rounds ended by the second recycling", True),
        Metric("end_turn_cap", "rounds stopped by the turn cap", True),
        Metric("calls_won", "calls of BAO that succeed, all seats", True),
        Metric("recyclings_mean", "recyclings a round"),
        Metric("lead_changes_mean", "lead changes a round, by true totals"),
        Metric("loser_led_share", "rounds in which a later loser led", True),
        Metric("windows_left", "windows with a chance that nobody used", True),
        Metric("shield_raised", "calls of BAO after which the Shield was raised", True),
        Metric("game_rounds_mean", "mean length of a game, rounds"),
        Metric("game_turns_mean", "mean length of a game, turns"),
        Metric("comeback_share", "games won by somebody who had been last", True),
    )
}
"""The metrics of a sweep. Those from ``turns_mean`` on are of a table, the others of a seat."""

_OF_A_TABLE: dict[str, tuple[str, str, str]] = {
    "calls_won": ("calls.won_share", "calls.called", "calls"),
    "recyclings_mean": ("recyclings.mean", "rounds", "rounds"),
    "lead_changes_mean": ("leads.changes.mean", "rounds", "rounds"),
    "loser_led_share": ("leads.loser_led.share", "rounds", "rounds"),
    "windows_left": ("windows.left_share", "windows.with_chance", "windows"),
    "shield_raised": ("shields.raised_share", "calls.called", "calls"),
    "game_rounds_mean": ("game.rounds.mean", "games", "games"),
    "game_turns_mean": ("game.turns.mean", "games", "games"),
    "comeback_share": ("comebacks.after_last_share", "comebacks.games", "games"),
}
"""Metrics that stand in a summary as they are: where, where n stands, and of what n is."""

Row = dict[str, Any]


def seat_rows(player: Mapping[str, Any], rounds: int, decided: int, games: bool) -> Iterator[Row]:
    """Yield the metrics of a seat: metric, value, low, high, n, and of what n is the number.

    Shares of calls and plucks have Wilson's interval, which takes them as independent; with games,
    whose rounds hang together, only win share and score have intervals.

    Args:
        player: The seat's part of a summary.
        rounds: Of the point.
        decided: Rounds, or games, with a winner.
        games: Whether games were played.
    """
    hits, missed = _hits(player), player["plucks"]["missed"]
    units = "games" if games else "rounds"
    called = player["bao_called"]
    yield _row("win_share", player["win_share"], player["win_share_ci95"], decided, units)
    yield _row("score_mean", player["score_mean"], player["score_mean_ci95"], rounds)
    yield _row("total_mean", player["total_mean"], None, rounds)
    yield _row("cards_left_mean", player["cards_left_mean"], None, rounds)
    yield _share("bao_rate", called, rounds, games)
    yield _share("bao_success", player["bao_won"], called, games, "calls")
    yield _row("pluck_rate", ratio(hits + missed, rounds), None, rounds)
    yield _share("pluck_success", hits, hits + missed, games, "plucks")


def table_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the metrics of a table, likewise."""
    rounds, turns = summary["rounds"], summary["turns"]
    games = summary["games"] is not None
    yield _row("turns_mean", turns["mean"], turns["mean_ci95"], rounds)
    for reason, count in summary["ends"].items():
        yield _share(f"end_{reason}", count, rounds, games)
    for name, (path, size, of) in _OF_A_TABLE.items():
        value = at(summary, path)
        if value is not None:
            yield _row(name, value, at(summary, f"{path}_ci95"), at(summary, size), of)


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
    games = summary["games"] is not None
    decided = decided_in(summary)
    for player in summary["players"]:
        for row in seat_rows(player, summary["rounds"], decided, games):
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
    return _row("group_win_share", value, wilson(shares, decided, units), decided, of)


def _hits(player: Mapping[str, Any]) -> int:
    return sum(player["plucks"][kind] for kind in ("own_hit", "rival_hit", "double_hit"))


def _share(name: str, part: int, whole: int, games: bool, of: str = "rounds") -> Row:
    known = whole > 0 and not games
    return _row(name, ratio(part, whole), wilson(part, whole) if known else None, whole, of)


def _row(name: str, value: float | None, interval: Any, n: int, of: str = "rounds") -> Row:
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
