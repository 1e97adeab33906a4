"""Ranges of units, against sets."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.batch import ranges
from sim.errors import InputError

PAIRS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6)


def units(pairs: object) -> set[int]:
    """The units of ranges, one by one."""
    return {unit for begin, end in pairs for unit in range(begin, end)}  # type: ignore[attr-defined]


@given(PAIRS, PAIRS)
def test_ranges_are_sets(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    x, y = ranges.union(a), ranges.union(b)
    assert units(x) == units(a)
    assert units(ranges.common(x, y)) == units(x) & units(y)
    assert units(ranges.minus(x, y)) == units(x) - units(y)
    assert units(ranges.union((*x, *y))) == units(x) | units(y)
    assert ranges.size(x) == len(units(x))
    for found in (x, ranges.common(x, y), ranges.minus(x, y)):
        assert all(begin < end for begin, end in found)
        assert all(one[1] < two[0] for one, two in itertools.pairwise(found))


def test_words() -> None:
    assert ranges.in_words([(0, 1000)], "rounds") == "rounds 0 to 999"
    assert ranges.in_words([(0, 1), (5, 2000)], "games") == "games 0 to 0 and 5 to 1,999"
    assert ranges.in_words([], "rounds") == "no rounds"
    many = [(2 * k, 2 * k + 1) for k in range(9)]
    assert ranges.in_words(many, "rounds").endswith("6 to 6 and 5 ranges more")


@pytest.mark.parametrize(
    "wrong", [None, 5, (1,), (1, 2, 3), (3, 3), (5, 2), (-1, 4), (0, 2.5), (False, True), "0:5"]
)
def test_no_ranges(wrong: object) -> None:
    with pytest.raises(InputError, match="two whole numbers, BEGIN below END"):
        ranges.checked(wrong, 100)


def test_a_range_lies_inside_the_study() -> None:
    assert ranges.checked([0, 100], 100) == (0, 100)
    with pytest.raises(InputError, match="beyond the end of the study, which is 100"):
        ranges.checked((0, 101), 100)
