"""Values as users give them: numbers of Python and of numpy, arrays and Series, texts.

A whole number is one however it is written: ``10000``, ``1e4``, ``np.int64(10000)``. True and false
are no numbers, numpy's neither.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sim.errors import InputError

_EXACT = 2**53
"""Floats from here on may stand for another whole number than the one that was written."""

_PLAIN = (bool, int, float, str, type(None))


def plain(data: Any) -> Any:
    """Return `data` as Python's own values: scalars of numpy, arrays and Series, at any depth."""
    if type(data) in _PLAIN:
        return data
    if isinstance(data, dict):
        return {plain(key): plain(value) for key, value in data.items()}
    if type(data) in (list, tuple):
        return type(data)(map(plain, data))
    tolist = getattr(data, "tolist", None)
    if not callable(tolist):
        return data
    made = tolist()
    return float(made) if type(made) is type(data) else plain(made)  # np.longdouble stays one


def whole(value: object) -> int | None:
    """Return the whole number that a value is; None where it is none."""
    value = plain(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else None
    return int(value) if isinstance(value, int) else None


def as_whole(value: Any) -> Any:
    """Return the whole number that a value is; the value itself where it is none."""
    found = whole(value)
    return value if found is None else found


def number(value: object) -> float | None:
    """Return the number that a value is, an int as an int; None where it is none.

    Neither is what cannot be reckoned with: infinity, or beyond 1e300.
    """
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= 1e300 else None  # false for what is not a number


def whole_text(text: Any) -> int | None:
    """Return the whole number that a text says, as ``1000``, ``1_000`` or ``1e3``; None if none."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        return whole(float(text))
    return None


def needed(value: object, low: int, high: int, expected: str | None = None, **place: str) -> int:
    """Return the whole number that an argument is.

    Args:
        value: What was given.
        low: What it may be at least.
        high: What it may be at most.
        expected: Both in words, where there is more to say.
        **place: ``key`` or ``where`` of the message.

    Raises:
        InputError: It is none, or outside of its limits.
    """
    found = whole(value)
    if found is None or not low <= found <= high:
        expected = expected or f"a whole number from {low} to {high}"
        raise InputError(expected=expected, got=plain(value), **place)
    return found
