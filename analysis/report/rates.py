"""Shares that a run's summary has only as counts, and in how many decimals numbers are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis.report.pen import Source, places_of
from analysis.stats import ratio, wilson
from analysis.words import Language
from sim.metrics import OUTCOMES, described


def with_rates(source: Source) -> Source:
    """Return a run with the shares that its summary has only as counts, under ``rates``.

    ``rates.table`` and, for each seat, ``rates.seats`` hold the metrics of a point of a sweep,
    which were made as the run was read; ``rates.bao`` says what became of calls; each has
    ``value`` and ``ci95``. With games, whose rounds hang together, these shares have no intervals.
    """
    summary = source.summary
    games = has_games(summary)
    rounds, bao = summary["rounds"], summary["bao"]
    rates = {
        "table": _of_seat(source, None),
        "seats": [_of_seat(source, player["seat"]) for player in summary["players"]],
        "bao": {fate: _share(bao[fate], bao["called"], games) for fate in OUTCOMES},
        "called": _share(bao["called"], rounds, games),
    }
    return replace(source, summary={**summary, "rates": rates})


def _of_seat(source: Source, seat: int | None) -> dict[str, dict[str, Any]]:
    return {
        row["metric"]: {"value": row["value"], "ci95": [row["low"], row["high"]]}
        for row in source.tables["rates"]
        if row["seat"] == seat
    }


def _share(part: int, whole: int, games: bool) -> dict[str, Any]:
    known = whole > 0 and not games
    return {
        "value": ratio(part, whole),
        "ci95": list(wilson(part, whole)) if known else [None, None],
    }


def metric_label(language: Language, name: str) -> str:
    """Return what a number is called; the mean over all seats is called as that of a seat."""
    keys = (f"metric.{name}", f"metric.{name.removesuffix('.mean')}_mean")
    return next((language.text(key) for key in keys if key in language), described(name))


def has_games(summary: Mapping[str, Any]) -> bool:
    """Whether a run is one of games, not of single rounds."""
    return summary.get("games") is not None


def unit_of(summary: Mapping[str, Any]) -> str:
    """Return what a run counts: ``rounds`` or ``games``."""
    return "games" if has_games(summary) else "rounds"


def win_places(seats: Sequence[Mapping[str, Any]]) -> int:
    """Return the decimals in which win shares, in per cent, are shown."""
    return places_of([seat["win_share_ci95"] for seat in seats], 100)
