"""How terminals and notebooks write numbers and settings, in English."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

NONE = "-"
"""What stands for a number that does not exist."""


def decimals(half: float | None, most: int = 6) -> int:
    """Return how many decimals show an interval's half-width with two digits that count."""
    if half is None or half <= 0 or not math.isfinite(half):
        return 2
    return min(max(1 - math.floor(math.log10(half)), 0), most)


def share(part: int, whole: int) -> str:
    """Return ``12.3 %``; only none is shown as ``0 %``, only all as ``100 %``."""
    if whole == 0:
        return NONE
    return f"{of_hundred(100 * part / whole)} %"


def counted(number: int, noun: str) -> str:
    """Return ``1 round`` or ``2,000 rounds``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def fixed(value: float | None, places: int) -> str:
    """Return a number with so many decimals; never ``-0.00``."""
    if value is None:
        return NONE
    return f"{round(value, places) + 0.0:.{places}f}"


def percent(value: float | None, places: int = 1) -> str:
    """Return a share in per cent, without the sign."""
    return NONE if value is None else of_hundred(100 * value, places)


def of_hundred(value: float, places: int = 1) -> str:
    """Return a share that is given in per cent; only none is shown as 0, only all as 100.

    Others that would round to these are shown as ``<0.1`` and ``>99.9``.
    """
    if value in (0, 100):
        return f"{value:.0f}"
    shown, least = fixed(value, places), 10.0**-places
    if float(shown) == 0:
        return f"<{least:.{places}f}"
    return f">{100 - least:.{places}f}" if float(shown) == 100 else shown


def scaled(value: float | None, scale: float) -> float | None:
    """Return a value in other units; None stays."""
    return None if value is None else scale * value


def with_intervals(
    rows: Sequence[Mapping[str, Any]], name: str, scale: float = 1
) -> list[tuple[str, str]]:
    """Return each row's value and interval as text, with decimals that suit the widest one.

    An interval's ends are ``NAME_ci95``, or columns of their own, ``NAME_low`` and ``NAME_high``.
    """
    ends = [
        row.get(f"{name}_ci95") or [row.get(f"{name}_{e}") for e in ("low", "high")] for row in rows
    ]
    widths = [high - low for low, high in ends if low is not None]
    places = decimals(scale * max(widths) / 2) if widths else 2
    return [
        (
            fixed(scaled(row.get(name), scale), places),
            NONE
            if low is None
            else f"{fixed(scale * low, places)} to {fixed(scale * high, places)}",
        )
        for row, (low, high) in zip(rows, ends, strict=True)
    ]


def played_with(summary: Mapping[str, Any], key: str) -> list[str]:
    """Return what was played with of ``edition`` or ``deck``: of a sweep over it all values."""
    if key not in summary.get("axes", ()):
        return [summary[key]]
    return list(dict.fromkeys(setting(point["values"][key]) for point in summary["points"]))


def plain(value: Any) -> str:
    """Return a value as files write it; None as a dash."""
    if value is None:
        return NONE
    return str(value).lower() if isinstance(value, bool) else str(value)


def setting(value: Any) -> str:
    """Return a setting as ``--rule`` takes it; a table by number of players in short."""
    if not isinstance(value, Mapping):
        return f"{value:g}" if isinstance(value, float) else plain(value)
    players: dict[int, list[str]] = {}
    for number, setting in value.items():
        players.setdefault(setting, []).append(str(number))
    if len(players) == 1:
        return str(next(iter(players)))
    parts = (f"{setting} for {_numbers(numbers)}" for setting, numbers in players.items())
    return ", ".join(parts) + " players"


def _numbers(numbers: Sequence[str]) -> str:
    consecutive = [str(n) for n in range(int(numbers[0]), int(numbers[-1]) + 1)] == list(numbers)
    return f"{numbers[0]}-{numbers[-1]}" if consecutive and numbers[1:] else "/".join(numbers)
