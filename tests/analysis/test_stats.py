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


def test_t_is_students_quantile() -> None:
    table = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 5: 2.57058, 10: 2.22814, 30: 2.04227}
    for freedom, known in table.items():
        assert stats.t_score(freedom) == pytest.approx(known, rel=2e-3), freedom
    assert stats.t_score(4, 0.99) == pytest.approx(4.60409, rel=1e-2)
    assert stats.t_score(998) == pytest.approx(stats.z_score(), rel=2e-3)
    assert stats.t_score(999) == stats.z_score()


def test_wilson_reaches_as_far_as_the_exact_one_sided_interval() -> None:
    """Known values of Clopper and Pearson's at 95 %, one-sided; elsewhere it is Wilson's alone."""
    for part, whole, low in ((1, 10, 0.00512), (2, 10, 0.03677), (4, 4, 0.47287), (3, 50, 0.01655)):
        assert stats.wilson(part, whole)[0] == pytest.approx(low, abs=0.0015), (part, whole)
        assert stats.wilson(whole - part, whole)[1] == pytest.approx(1 - low, abs=0.0015)


def test_wilson_known_values() -> None:
    assert stats.wilson(10, 100) == pytest.approx((0.05523, 0.17437), abs=1e-5)
    assert stats.wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert stats.wilson(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-5)
    assert stats.wilson(500, 1000) == pytest.approx((0.46907, 0.53093), abs=1e-5)


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
    half = 1.964729 * statistics.stdev(values.tolist()) / math.sqrt(500)
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


def test_equal_values_have_a_spread_of_zero_and_an_interval_all_the_same() -> None:
    """Of n values that are equal another may be one off: about 3 / n."""
    assert stats.sample_sd(4, 20, 100) == 0.0
    assert stats.mean_interval(4, 20, 100) == pytest.approx((5 - 3 / 4, 5 + 3 / 4), abs=0.01)
    assert stats.mean_interval(4, 0, 0, least=0) == pytest.approx((0, 3 / 4), abs=0.01)
    assert stats.histogram_interval([(5, 4)], least=5) == pytest.approx((5, 5.75), abs=0.01)


def test_an_event_is_as_large_as_values_are_off_the_median() -> None:
    assert stats.histogram_interval([(0, 99), (1, 1)])[1] == pytest.approx(0.0474, abs=0.0005)
    assert stats.histogram_interval([(0, 99), (9, 1)])[1] == pytest.approx(9 * 0.0474, abs=0.005)


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


def test_clustered_wilson_of_single_trials_is_almost_wilson() -> None:
    """Of one trial each: the variance has the divisor n - 1."""
    found = stats.clustered_wilson(2000, 1900, 2000, 1900, 2000, 1900)
    assert found == pytest.approx(stats.wilson(1900, 2000), abs=1e-4)
    assert stats.clustered_wilson(10, 7, 7, 7, 7, 7) == stats.wilson(7, 7)
    assert stats.clustered_wilson(10, 0, 0, 0, 0, 0) == stats.NOTHING
    assert stats.clustered_wilson(1, 3, 5, 9, 25, 15) == stats.wilson(3, 5)


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


# --- quantiles ------------------------------------------------------------------------------------


def histogram(values: np.ndarray) -> list[tuple[int, int]]:
    found = zip(*np.unique(values, return_counts=True), strict=True)
    return [(int(value), int(times)) for value, times in found]


def test_quantile_interval_is_between_the_ranks_of_the_binomial() -> None:
    hundred = [(k, 1) for k in range(1, 101)]
    assert stats.quantile_interval(hundred) == (40, 61)  # Conover's table: ranks 40 and 61
    assert stats.quantile_interval(hundred, 0.9) == (84, 97)
    assert stats.quantile_interval([(7, 50)]) == (7, 7)
    assert stats.quantile_interval([(k, 1) for k in range(3)]) == (None, None)
    assert stats.quantile_interval([]) == (None, None)


def test_grouped_quantile_interval_of_single_values_is_nearly_the_plain_one() -> None:
    values = np.random.default_rng(8).integers(0, 1000, 900)
    plain = stats.quantile_interval(histogram(values))
    groups = [np.bincount(part, minlength=1000) for part in values.reshape(100, 9)]
    grouped = stats.grouped_quantile_interval(groups)
    assert grouped == pytest.approx(plain, abs=25)
    assert stats.grouped_quantile_interval([[1, 2, 3]]) == (None, None)
    assert stats.grouped_quantile_interval([[0, 0], [0, 0]]) == (None, None)
    assert stats.grouped_quantile_interval([[0, 5], [0, 7]]) == (1, 1)


def test_difference_of_quantiles() -> None:
    assert stats.quantile_difference((10, 12), (11, 15)) == (-1.0, 5.0)
    assert stats.quantile_difference((None, None), (1, 2)) == (None, None)


# --- differences of pairs -------------------------------------------------------------------------


def paired(*columns: np.ndarray, **options: object) -> stats.Difference:
    """Return the difference of what columns make, the first half of them the first side."""
    z = np.array(columns, object)
    products = (z @ z.T).tolist()
    return stats.paired_difference(len(columns[0]), z.sum(axis=1).tolist(), products, **options)


def test_paired_difference_of_means_is_that_of_single_differences() -> None:
    rng = np.random.default_rng(9)
    common = rng.integers(0, 100, 50)
    a, b = common + rng.integers(0, 9, 50), common + rng.integers(2, 11, 50)
    one = np.ones(50, int)
    found = paired(a, one, b, one)
    apart = b - a
    error = apart.std(ddof=1) / math.sqrt(50)
    assert found.a == pytest.approx(a.mean())
    assert found.difference == pytest.approx(apart.mean())
    ends = (apart.mean() - 2.009575 * error, apart.mean() + 2.009575 * error)
    assert found.interval == pytest.approx(ends, rel=1e-6)
    gain = (a.var(ddof=1) + b.var(ddof=1)) / apart.var(ddof=1)
    assert found.variance_ratio == pytest.approx(gain)
    t = abs(apart.mean()) / error
    assert stats.t_score(49, 1 - found.p) == pytest.approx(t, rel=1e-3)
    assert found.error == pytest.approx(error)


def test_ratio_of_one_side_agrees_with_the_ratio_interval() -> None:
    rng = np.random.default_rng(10)
    y, m = clusters(rng, 2000)
    zero, one = np.zeros(2000, int), np.ones(2000, int)
    found = paired(zero, one, y, m)
    known = stats.ratio_interval(
        2000, y.sum(), m.sum(), (y * y).sum(), (m * m).sum(), int((y * m).sum())
    )
    assert found.interval == pytest.approx(known, rel=1e-9)


def test_equal_sides_differ_by_exactly_nothing() -> None:
    rng = np.random.default_rng(11)
    y, m = clusters(rng, 33)
    squares = y * y + 1
    for columns, formula in (
        ((y, m), stats.ratio_estimate),
        ((squares, y, m), stats.spread_estimate),
    ):
        found = paired(*columns, *columns, formula=formula, differing=0)
        assert (found.difference, found.p) == (0.0, 1.0)
        assert found.interval[0] < 0 < found.interval[1]  # rarer ones there may be
        same = paired(*columns, *columns, formula=formula, differing=0, same=True)
        assert (same.difference, same.interval, same.p) == (0.0, (0.0, 0.0), 1.0)
        assert found.variance_ratio is None
        assert same.error == 0.0


def test_spread_slopes_are_derivatives() -> None:
    values = np.random.default_rng(12).integers(0, 60, 400)
    sums_ = [int((values**2).sum()), int(values.sum()), 400]
    found = stats.spread_estimate(400, sums_)
    assert found is not None
    assert float(found.value) == pytest.approx(statistics.stdev(values.tolist()))
    for k in range(3):
        moved = [total + (total // 1000 + 1) * (place == k) for place, total in enumerate(sums_)]
        other = stats.spread_estimate(400, moved)
        assert other is not None
        step = Fraction(moved[k] - sums_[k], 400)
        slope = (other.value - found.value) / step
        assert float(slope) == pytest.approx(float(found.slopes[k]), rel=0.02)


def test_what_does_not_exist_has_no_difference() -> None:
    zero, one = np.zeros(5, int), np.ones(5, int)
    found = paired(one, one, one, zero)
    assert (found.a, found.b, found.difference, found.p) == (1.0, None, None, None)
    assert stats.paired_difference(1, [3, 1, 5, 1], [[0] * 4] * 4).interval == (None, None)
    assert stats.spread_estimate(3, [27, 9, 3]) is None


def test_few_units_that_differ_cannot_be_sure() -> None:
    a = np.zeros(10_000, int)
    b = a.copy()
    b[:3] = 1
    one = np.ones(10_000, int)
    sure, careful = paired(a, one, b, one), paired(a, one, b, one, differing=3)
    assert sure.p == pytest.approx(0.083, abs=0.001)
    assert careful.p == 0.25
    b[:40] = 1
    assert paired(a, one, b, one, differing=40).p == paired(a, one, b, one).p < 1e-6


def test_units_that_differ_in_size_alone_tell_nothing_of_rare_events() -> None:
    """Something that never happens, per round, in games that are not equally long."""
    rng = np.random.default_rng(13)
    none, sizes = np.zeros(1000, int), rng.integers(9, 12, (2, 1000))
    differing = int((sizes[0] != sizes[1]).sum())
    found = paired(none, sizes[0], none, sizes[1], differing=differing, share=True)
    assert found.difference == 0
    assert found.interval[1] > 3 / 1000
    always = paired(sizes[0], sizes[0], sizes[1], sizes[1], differing=differing, share=True)
    assert always.interval == found.interval
    kept = none + 8  # here sizes make the number, and nearly all that differ count
    found = paired(kept, sizes[0], kept, sizes[1], differing=differing, share=True)
    usual = stats.z_score() * math.sqrt(float(np.var(8 / 10 * (sizes[1] - sizes[0]) / 10)) / 1000)
    assert found.interval[1] - found.difference == pytest.approx(usual, rel=0.05)


def test_a_constant_difference_is_nearly_certain() -> None:
    one = np.ones(100, int)
    found = paired(one, one, 3 * one, one)
    assert (found.difference, found.p) == (2.0, 0.0)
    assert found.interval == pytest.approx((2 - 3 / 100, 2 + 3 / 100), abs=0.001)
    assert paired(one, one, 3 * one, one, differing=5).p == 0.0625


def test_smallest_detectable() -> None:
    assert stats.smallest_detectable(1.0) == pytest.approx(2.80159, rel=1e-5)
    assert stats.smallest_detectable(2.0, power=0.5) == pytest.approx(2 * 1.959964, rel=1e-6)
    z = statistics.NormalDist().inv_cdf(1 - 0.05 / 240) + 0.841621
    assert stats.smallest_detectable(3.0, tests=120) == pytest.approx(3 * z, rel=1e-6)


def test_holm() -> None:
    assert stats.holm([0.01, 0.04, 0.03, None, 0.005]) == pytest.approx(
        [0.03, 0.06, 0.06, None, 0.02], nan_ok=True
    )
    assert stats.holm([]) == []
    assert stats.holm([0.7, 0.9]) == [1.0, 1.0]
