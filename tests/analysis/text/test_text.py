"""Text for terminals: shares, digits, columns."""

import pytest

from analysis.text.numbers import decimals, share
from analysis.text.terminal import align

pytestmark = pytest.mark.jit


def test_shares_do_not_hide_the_rare() -> None:
    assert share(0, 10) == "0 %"
    assert share(10, 10) == "100 %"
    assert share(1, 10**6) == "<0.1 %"
    assert share(10**6 - 1, 10**6) == ">99.9 %"
    assert share(1, 8) == "12.5 %"
    assert share(0, 0) == "-"


def test_decimals_follow_the_interval() -> None:
    assert [decimals(half) for half in (12.0, 2.7, 0.27, 0.027, 0.0, None)] == [0, 1, 2, 3, 2, 2]


def test_align_wraps_the_last_column() -> None:
    lines = align([["a", "word " * 30]], ("x", "text"), left=(0, 1), width=60)
    assert max(map(len, lines)) <= 60
    assert lines[1].startswith("a  word")
    assert lines[2].startswith("   word")
