"""Intervals and spreads: against known values, plain formulas, and by how often they are right."""

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest

from analysis import stats

TRIALS = 4000


def sums(values: np.ndarray) -> tuple[int, int, int]:
    """Return number, sum and sum of squares."""
    return len(values), int(values.sum()), int((values * values).sum())


def test_z_is_the_normal_quantile() -> None:
    assert stats.z_score() == pytest.approx(statistics.NormalDist().inv_cdf(0.975), rel=1e-14)
    assert stats.z_score(0.99) == pytest.approx(2.5758, abs=1e-4)


def test_wilson_known_values() -> None:
    assert stats.wilson(10, 100) == pytest.approx((0.05523, 0.17437), abs=1e-5)
    assert stats.wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert stats.wilson(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-5)


def test_wilson_of_nothing_knows_nothing() -> None:
    assert stats.wilson(0, 0) == (0.0, 1.0)


def test_wilson_takes_fractions_of_a_success() -> None:
    assert stats.wilson(30 * 60, 100, 60) == stats.wilson(30, 100)
    low, high = stats.wilson(61, 1, 61)
    assert 0 < low < high == 1.0


def test_wilson_is_symmetric_and_narrows() -> None:
    low, high = stats.wilson(3, 20)
    assert stats.wilson(17, 20) == pytest.approx((1 - high, 1 - low))
    assert stats.wilson(300, 2000)[0] > low


@pytest.mark.parametrize(("n", "p"), [(30, 0.2), (200, 0.05), (1000, 0.25)])
def test_wilson_covers(n: int, p: float) -> None:
    hits = np.random.default_rng(1).binomial(n, p, TRIALS)
    inside = [low <= p <= high for low, high in (stats.wilson(int(k), n) for k in hits)]
    assert 0.925 < np.mean(inside) < 0.98


def test_wilson_covers_shared_wins_with_something_to_spare() -> None:
    rng = np.random.default_rng(2)
    units = rng.choice([0, 20, 30, 60], size=(TRIALS, 200), p=[0.6, 0.1, 0.1, 0.2])
    truth = (0.1 * 20 + 0.1 * 30 + 0.2 * 60) / 60
    ends = [stats.wilson(int(total), 200, 60) for total in units.sum(axis=1)]
    assert np.mean([low <= truth <= high for low, high in ends]) > 0.95


def test_spread_against_the_standard_library() -> None:
    values = np.random.default_rng(3).integers(-5, 80, 500)
    assert stats.sample_sd(*sums(values)) == pytest.approx(statistics.stdev(values.tolist()))
    low, high = stats.mean_interval(*sums(values))
    assert low is not None
    assert high is not None
    half = 1.959964 * statistics.stdev(values.tolist()) / math.sqrt(500)
    assert (low + high) / 2 == pytest.approx(values.mean())
    assert (high - low) / 2 == pytest.approx(half, rel=1e-6)


def test_spread_is_exact_where_floats_are_not() -> None:
    big = 10**15  # n times the squares is beyond what a float holds
    assert stats.sample_sd(3, 3 * big + 3, big**2 + (big + 1) ** 2 + (big + 2) ** 2) == 1.0


def test_one_value_has_no_spread() -> None:
    assert stats.sample_sd(1, 5, 25) is None
    assert stats.mean_interval(1, 5, 25) == (None, None)
    assert stats.ratio_interval(1, 5, 2, 25, 4, 10) == (None, None)
    assert stats.ratio(0, 0) is None


def test_equal_values_have_a_spread_of_zero() -> None:
    assert stats.sample_sd(4, 20, 100) == 0.0
    assert stats.mean_interval(4, 20, 100) == (5.0, 5.0)


def test_mean_interval_covers() -> None:
    rng = np.random.default_rng(4)
    draws = rng.geometric(0.1, size=(TRIALS, 300))
    inside = 0
    for values in draws:
        low, high = stats.mean_interval(*sums(values))
        assert low is not None
        assert high is not None
        inside += low <= 10 <= high
    assert 0.93 < inside / TRIALS < 0.965


def clusters(rng: np.random.Generator, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Return totals and sizes of games whose rounds hang together, with a mean of 7 a round."""
    sizes = rng.integers(3, 12, games)
    level = rng.integers(0, 15, games)  # shared by all rounds of a game
    return sizes * level, sizes


def test_ratio_interval_covers_where_rounds_hang_together() -> None:
    rng = np.random.default_rng(5)
    right = naive = 0
    for _ in range(1500):
        totals, sizes = clusters(rng, 150)
        low, high = stats.ratio_interval(
            150,
            int(totals.sum()),
            int(sizes.sum()),
            int((totals**2).sum()),
            int((sizes**2).sum()),
            int((totals * sizes).sum()),
        )
        assert low is not None
        assert high is not None
        right += low <= 7 <= high
        rounds = np.repeat(totals // sizes, sizes)
        low, high = stats.mean_interval(*sums(rounds))
        assert low is not None
        assert high is not None
        naive += low <= 7 <= high
    assert 0.925 < right / 1500 < 0.97
    assert naive / 1500 < 0.7  # what a reader would be told if rounds counted as independent


def test_ratio_interval_of_equal_sizes_is_that_of_the_means() -> None:
    totals = np.random.default_rng(6).integers(0, 50, 80)
    n, total, squares = sums(totals)
    found = stats.ratio_interval(n, total, 4 * n, squares, 16 * n, 4 * total)
    mean = stats.mean_interval(n, total, squares)
    assert found == pytest.approx([end / 4 for end in mean if end is not None])


def test_moments_and_median() -> None:
    values = [3, 3, 5, 8, 8, 8, 13]
    histogram = [(3, 2), (5, 1), (8, 3), (13, 1)]
    assert stats.moments(histogram) == (7, sum(values), sum(v * v for v in values))
    assert stats.median(histogram) == 8
    assert stats.median([(3, 1), (4, 1)]) == 3.5
    assert stats.median([(3, 1), (5, 1)]) == 4
    assert isinstance(stats.median([(3, 1), (5, 1)]), int)
    assert stats.median([]) is None


def test_median_against_the_standard_library() -> None:
    rng = np.random.default_rng(7)
    for n in range(1, 40):
        values = rng.integers(0, 12, n)
        histogram = [
            (int(v), int(c)) for v, c in zip(*np.unique(values, return_counts=True), strict=True)
        ]
        assert stats.median(histogram) == statistics.median(values.tolist())


def test_ratio_is_rounded_once() -> None:
    assert stats.ratio(10**30, 3 * 10**30) == float(Fraction(1, 3))
