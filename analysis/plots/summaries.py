"""What plots read out of the summary of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.plots.drawing import counts
from analysis.stats import NOTHING, Interval, wilson
from sim.errors import InputError

Summary = Mapping[str, Any]
"""Of a run, as contracts §2 has it."""


def part(of: Summary, name: str, plot: str) -> Any:
    """Return a part of a summary, or of a seat's part of one.

    Args:
        of: Where it is looked for.
        name: Of the part.
        plot: What it is wanted for.

    Raises:
        InputError: There is none: the run was played before such things were counted.
    """
    if name not in of:
        expected = "a run of this version: older ones did not count this; play it again"
        raise InputError(f"no '{name}' in the summary", where=f"plot.{plot}", expected=expected)
    return of[name]


def rounds_of(summary: Summary) -> str:
    """Return ``n = 1,000 rounds``, or ``n = 1,000 rounds of 100 games``."""
    rounds, games = summary["rounds"], summary["games"]
    told = counts([rounds], "rounds")
    return told if games is None else f"{told} of {games:,} game{'' if games == 1 else 's'}"


def share_of(part: int, whole: int, summary: Summary) -> Interval:
    """Return the interval of a share of rounds or turns of events in them, in per cent.

    With games there is none, as a game's rounds hang together.
    """
    known = summary["games"] is None and whole > 0
    return in_percent(wilson(part, whole) if known else NOTHING)


def intervals_of(summary: Summary, drawn: str = "bars") -> str:
    """Return what a note says of intervals: that there are some, or why there are none."""
    known = summary["games"] is None
    return f"{drawn}: 95 % intervals" if known else "no intervals with games"


def note_of(summary: Summary, drawn: str = "bars") -> str:
    """Return how many rounds a plot is made of, and what it says of intervals."""
    return f"{rounds_of(summary)}; {intervals_of(summary, drawn)}"


def in_percent(interval: Interval) -> Interval:
    """Return an interval in per cent."""
    low, high = interval
    return (None, None) if low is None or high is None else (100 * low, 100 * high)


def seat_names(summary: Summary) -> list[str]:
    """Return seat and strategy of each player."""
    return [f"{player['seat']} {player['strategy']}" for player in summary["players"]]
