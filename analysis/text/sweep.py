"""A sweep in words and columns, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from analysis.blocks import Block, Column, Sentence, Table, fact
from analysis.text.numbers import counted, fixed, percent, setting, with_intervals
from analysis.text.played import achieved, header


def sweep_told(summary: Mapping[str, Any]) -> list[Iterable[Block]]:
    """Return what ``baobei sweep`` prints, in groups."""
    return [header(summary, _played(summary)), [_points(summary)], best(summary)]


def sweep_blocks(summary: Mapping[str, Any]) -> list[Block]:
    """Return what notebooks show of a sweep."""
    head = header(summary, _played(summary), summary["question"])
    return [*head, *best(summary), _points(summary)]


def _played(summary: Mapping[str, Any]) -> str:
    points = counted(len(summary["points"]), "point")
    played = counted(summary["count"], summary["unit"][:-1])
    return f"{points} over {', '.join(summary['axes'])}, {played} each"


_SEATS_AT_MOST = 2
"""In focus; of more seats only the win share is shown, as of all where none is in focus."""

_OF_SEAT = ("wins %", "95 % interval", "score", "BAO %", "won %", "plucks", "hit %")

_DROPPED = ("by BAO %", "plucks", "turns", "hit %", "won %", "BAO %", "95 % interval", "score")
"""Columns that a terminal may have no room for; these go first."""


def _points(summary: Mapping[str, Any]) -> Table:
    points, focus = summary["points"], summary["focus"]
    whole = 0 < len(focus) <= _SEATS_AT_MOST
    seats = focus if whole else range(max(len(point["players"]) for point in points))
    names = [*summary["axes"]]
    rows = [[setting(value) for value in point["values"].values()] for point in points]
    shown = _OF_SEAT if whole else _OF_SEAT[:1]
    for seat in seats:
        names += shown if len(focus) == 1 else [f"{seat}: {name}" for name in shown]
        for row, cells in zip(rows, _seat(points, seat), strict=True):
            row += cells[: len(shown)]
    for row, point in zip(rows, points, strict=True):
        row += [fixed(point["turns_mean"], 2), percent(point["end_bao"])]
    heads = [Column(name, drop=_dropped(name)) for name in (*names, "turns", "by BAO %")]
    return Table("", heads, rows)


def _dropped(name: str) -> int:
    return next((k for k, end in enumerate(_DROPPED, 1) if name.endswith(end)), 0)


def _seat(points: Sequence[Mapping[str, Any]], seat: int) -> list[list[str]]:
    """Return the cells of a seat at every point."""
    players = [point["players"][seat] if seat < len(point["players"]) else {} for point in points]
    told = achieved(players)
    for player, cells in zip(players, told, strict=True):
        cells[2:4] = [fixed(player.get("score_mean"), 2)]  # without its interval
    return told


def best(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    """Yield what there is to say of the best point of a sweep."""
    best, points = summary["best"], summary["points"]
    if best is None:
        return
    seats = " and ".join(str(seat) for seat in best["seats"])
    ends = {"value_low": best["low"], "value_high": best["high"]}
    [(share, interval)] = with_intervals([best | ends], "value", 100)
    of = f"seat{'s' if len(best['seats']) > 1 else ''} {seats}"
    yield fact("best", f"{_told(points[best['point']])}: win share of {of} {share} % ({interval})")
    if best["as_good"]:
        others = [_told(points[k]) for k in best["as_good"]]
        more = f", and {len(others) - 8} more" if len(others) > 8 else ""
        yield fact("", f"perhaps as good: {'; '.join(others[:8])}{more}")
    if len(points) > 1:
        yield fact("", "(the best of several looks a little better than it is)")


def _told(point: Mapping[str, Any]) -> str:
    """Return the values of the axes at a point: ``0.bao_threshold=4``."""
    return ", ".join(f"{key}={setting(value)}" for key, value in point["values"].items())
