"""Tidy DataFrames of a summary (contract: the JSON summary of ``run``), and what its numbers mean.

Every number has one name, the path to it in the summary: ``win_share``, ``plucks.own_hit``,
``ends.bao``. `METRICS` describes them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Metric:
    """One number of a summary.

    Attributes:
        name: Path to it, inside a seat's part where `per_seat`.
        per_seat: Whether there is one for each seat.
        unit: ``points``, ``share`` (0 to 1), ``rounds``, ``turns`` and so on.
        description: One line.
    """

    name: str
    per_seat: bool
    unit: str
    description: str


def _seat(name: str, unit: str, description: str) -> Metric:
    return Metric(name, True, unit, description)


def _table(name: str, unit: str, description: str) -> Metric:
    return Metric(name, False, unit, description)


def _spread(name: str, unit: str, what: str) -> list[Metric]:
    return [
        _table(f"{name}.mean", unit, f"mean number of {what}"),
        _table(f"{name}.sd", unit, f"sample standard deviation of the number of {what}"),
        _table(f"{name}.min", unit, f"least number of {what}"),
        _table(f"{name}.max", unit, f"greatest number of {what}"),
        _table(f"{name}.median", unit, f"median of the number of {what}"),
    ]


_POWERS = ("look", "show", "swap", "macaw", "toco", "shoebill")

METRICS: tuple[Metric, ...] = (
    _table("rounds", "rounds", "finished rounds, deciding rounds apart"),
    _table("games", "games", "games played; null where rounds are the unit"),
    _table("ends.bao", "rounds", "rounds that ended after a call of BAO"),
    _table("ends.second_recycling", "rounds", "rounds that a recycling ended (REC-4)"),
    _table("ends.turn_cap", "rounds", "rounds that the limit of turns stopped (SIM-1)"),
    *_spread("turns", "turns", "turns of a round, all players together"),
    _table("bao.called", "rounds", "rounds in which BAO was called"),
    _table("bao.won", "rounds", "rounds whose declarer had strictly the lowest total"),
    _table("bao.tied", "rounds", "rounds whose declarer tied for the lowest total"),
    _table("bao.beaten", "rounds", "rounds whose declarer was beaten"),
    _table("bao.void", "rounds", "rounds whose call came to nothing (capped or overridden)"),
    _table("game.threshold", "points", "sum of scores that ends a game (GAME-1)"),
    _table("game.ends.threshold", "games", "games that somebody won"),
    _table("game.ends.max_rounds", "games", "games that the limit of rounds stopped (SIM-3)"),
    _table("game.ends.tie_break_cap", "games", "games whose deciding rounds decided nothing"),
    *_spread("game.rounds", "rounds", "rounds of a game, deciding rounds apart"),
    _table("game.decided_by_deciding_rounds", "games", "games that needed deciding rounds"),
    _table("game.deciding_rounds", "rounds", "deciding rounds in all games together"),
    _seat("wins", "rounds", "rounds (games) in which the seat alone has the lowest score"),
    _seat("shared_wins", "rounds", "rounds in which it has the lowest score with others"),
    _seat(
        "win_share",
        "share",
        "wins and an equal part of each shared one, of all rounds (games) with a winner; "
        "Wilson's interval",
    ),
    _seat("score_mean", "points", "mean score of a round; normal interval, games as clusters"),
    _seat("score_sd", "points", "sample standard deviation of a round's score"),
    _seat("total_mean", "points", "mean sum of the cards left at the end of a round"),
    _seat("bao_called", "rounds", "rounds in which the seat called BAO"),
    _seat("bao_won", "rounds", "rounds in which its BAO succeeded"),
    _seat("cards_left_mean", "cards", "mean number of cards left at the end of a round"),
    _seat("plucks.own_hit", "plucks", "single plucks of a card of its own that hit"),
    _seat("plucks.rival_hit", "plucks", "single plucks of a rival's card that hit"),
    _seat("plucks.double_hit", "plucks", "double plucks that hit"),
    _seat("plucks.missed", "plucks", "plucks, single or double, that missed"),
    *(_seat(f"powers.{name}", "powers", f"powers that started: {name}") for name in _POWERS),
)
"""Every number of a summary; counts and means are over the whole run."""

FACTS: tuple[tuple[str, str], ...] = (
    (
        "ranges",
        "where not all of the study was played, the rounds (games) that were: pairs of the first "
        "and one past the last",
    ),
    (
        "stopped_by",
        "what ended the run: rounds, games (all of the study), range (only a part was asked for), "
        "until, max_rounds, max_games, max_seconds, interrupted (the same command goes on)",
    ),
    (
        "until",
        "with --until, the target: metric, seat, half_width (in the metric's unit), reached, "
        "and looks, the number of times that the run looked; all intervals allow for them",
    ),
    ("seconds", "time of playing, all sessions together; no compiling in it"),
    ("rounds_per_second", "rounds by seconds"),
)
"""What a summary says of the run itself."""

_HISTOGRAMS = ("turns", "recyclings", "game.rounds")


def frames(summary: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables of a summary: ``seats``, ``metrics`` and ``histograms``.

    ``seats`` has one row for each seat; an interval is two columns, ``_low`` and ``_high``.
    ``metrics`` has one row for each metric, and for each seat where there is one for each:
    metric, seat, value, low, high; what does not exist is missing. ``histograms`` has one row
    for each value that occurred: metric, value, count.
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
    }


def _flat(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return a seat's part of a summary with nothing nested; None where a number is missing."""
    row: dict[str, Any] = {}
    for name, value in player.items():
        if isinstance(value, Mapping):
            row |= value
        elif name.endswith("_ci95"):
            low, high = value
            stem = name.removesuffix("_ci95")
            row |= {f"{stem}_low": _number(low), f"{stem}_high": _number(high)}
        elif name.endswith(("_mean", "_sd", "_share")):
            row[name] = _number(value)
        else:
            row[name] = value
    return row


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _metric_rows(summary: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for metric in METRICS:
        if not metric.per_seat:
            yield _metric_row(metric.name, None, summary)
            continue
        for player in summary["players"]:
            yield _metric_row(metric.name, player["seat"], player)


def _metric_row(name: str, seat: int | None, part: Mapping[str, Any]) -> dict[str, Any]:
    low, high = part.get(f"{name}_ci95", (None, None))
    return {"metric": name, "seat": seat, "value": _at(part, name), "low": low, "high": high}


def _at(part: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a dotted path; None where a part of it is None."""
    value: Any = part
    for key in path.split("."):
        value = None if value is None else value[key]
    return value


def _histogram_rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    for name in _HISTOGRAMS:
        for value, count in (_at(summary, name) or {"histogram": []})["histogram"]:
            yield name, value, count
