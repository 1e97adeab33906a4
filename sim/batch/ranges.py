"""Ranges of units: which rounds or games are finished, which are still to be played.

A range is a pair (begin, end) with begin < end: units `begin` to `end` - 1. Several of them are
kept in order, apart from each other, so that equal sets of units are equal tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sim.errors import InputError
from sim.game.base import plain, whole

Range = tuple[int, int]
Ranges = tuple[Range, ...]

_SHOWN = 4  # ranges that a message names


def union(ranges: Iterable[Sequence[int]]) -> Ranges:
    """Return the units of all ranges, in order; those that touch are joined."""
    joined: list[Range] = []
    for begin, end in sorted((begin, end) for begin, end in ranges if begin < end):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return tuple(joined)


def common(a: Ranges, b: Ranges) -> Ranges:
    """Return the units that are in both."""
    pairs = ((max(x[0], y[0]), min(x[1], y[1])) for x in a for y in b)
    return union(pair for pair in pairs if pair[0] < pair[1])


def minus(a: Ranges, b: Ranges) -> Ranges:
    """Return the units that are in `a` and not in `b`."""
    left = []
    for begin, end in a:
        at = begin
        for low, high in common(((begin, end),), b):
            left.append((at, low))
            at = high
        left.append((at, end))
    return union(left)


def size(ranges: Ranges) -> int:
    """Return how many units they are."""
    return sum(end - begin for begin, end in ranges)


def in_words(ranges: Sequence[Sequence[int]], unit: str) -> str:
    """Return ``rounds 0 to 999 and 2,000 to 2,999``; at most four ranges are named."""
    if not ranges:
        return f"no {unit}"
    parts = [f"{begin:,} to {end - 1:,}" for begin, end in ranges[:_SHOWN]]
    if len(ranges) > _SHOWN:
        parts.append(f"{len(ranges) - _SHOWN:,} ranges more")
    *most, last = parts
    return f"{unit} {', '.join(most)} and {last}" if most else f"{unit} {last}"


def checked(value: object, most: int) -> Range:
    """Return a range that a user gave as a pair of whole numbers.

    Args:
        value: The pair: first unit, and one past the last.
        most: What `end` may be at most.

    Raises:
        InputError: No such pair, or there are no units in it or beyond the end of the study.
    """
    expected = "two whole numbers, BEGIN below END"
    value = plain(value)
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InputError(expected=expected, got=value)
    begin, end = map(whole, value)
    if begin is None or end is None or not 0 <= begin < end:
        raise InputError(expected=expected, got=value)
    if end > most:
        problem = f"goes beyond the end of the study, which is {most:,}"
        raise InputError(problem, expected="a range inside, or a longer study", got=value)
    return begin, end
