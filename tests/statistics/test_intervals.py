"""Intervals hold what they promise: 95 ± 1 % of them, over many samples of known truth.

Each share is over `TRIALS` seeded samples, so its own standard error is 0.15 percentage points: an
interval that truly holds in 95 % of cases leaves the band of ± 1 with a probability below 1e-9.
Intervals that are wider than need be on purpose have only a lower limit.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from analysis import stats
from analysis.comparing import corrected, is_sure

TRIALS = 20_000


def covered(intervals: Iterable[tuple[float | None, float | None]], truth: float) -> float:
    """Return the share of intervals that hold the truth."""
    found = list(intervals)
    assert len(found) == TRIALS
    assert all(low is not None and high is not None for low, high in found)
    return float(np.mean([low <= truth <= high for low, high in found]))  # type: ignore[operator]


def is_95(share: float) -> bool:
    return 0.94 <= share <= 0.96


def sums(draws: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Yield number, sum and sum of squares of each row."""
    total, squares = draws.sum(axis=1).tolist(), (draws * draws).sum(axis=1).tolist()
    for pair in zip(total, squares, strict=True):
        yield (draws.shape[1], *pair)


def moments(z: np.ndarray) -> Iterator[tuple[int, list[int], list[list[int]]]]:
    """Yield number, sums and sums of products for each sample of z, samples × parts × units."""
    products = z @ z.transpose(0, 2, 1)
    for total, product in zip(z.sum(axis=2).tolist(), products.tolist(), strict=True):
        yield z.shape[2], total, product


@pytest.mark.parametrize("n", [200, 2000])
def test_wilson(n: int) -> None:
    """Of whole numbers coverage jumps up and down with the share; on average it is right."""
    rng = np.random.default_rng(101)
    truths = rng.uniform(0.05, 0.95, TRIALS)
    hits = rng.binomial(n, truths).tolist()
    ends = (stats.wilson(k, n) for k in hits)
    assert is_95(np.mean([low <= p <= high for (low, high), p in zip(ends, truths, strict=True)]))


def test_wilson_of_rare_events() -> None:
    rng = np.random.default_rng(102)
    truths = rng.uniform(0.002, 0.01, TRIALS)
    hits = rng.binomial(3000, truths).tolist()
    ends = (stats.wilson(k, 3000) for k in hits)
    assert is_95(np.mean([low <= p <= high for (low, high), p in zip(ends, truths, strict=True)]))


def test_wilson_of_shared_wins() -> None:
    """Few wins are shared, as in play: hardly wider than need be, and never too narrow."""
    rng = np.random.default_rng(103)
    n, chances = 1000, [0.74, 0.02, 0.04, 0.20]
    counts = rng.multinomial(n, chances, TRIALS)
    units = (counts @ np.array([0, 20, 30, 60])).tolist()
    truth = float(np.array(chances) @ np.array([0, 20, 30, 60])) / 60
    assert 0.95 <= covered((stats.wilson(total, n, 60) for total in units), truth) <= 0.97


def test_mean_of_skewed_values() -> None:
    draws = np.random.default_rng(104).geometric(0.1, size=(TRIALS, 400))
    assert is_95(covered((stats.mean_interval(*each) for each in sums(draws)), 10))


def test_ratio_of_clusters() -> None:
    rng = np.random.default_rng(105)
    sizes = rng.integers(3, 12, (TRIALS, 300))
    totals = sizes * rng.integers(0, 15, sizes.shape)
    ends = (
        stats.ratio_interval(n, total[0], total[1], product[0][0], product[1][1], product[0][1])
        for n, total, product in moments(np.stack([totals, sizes], axis=1))
    )
    assert is_95(covered(ends, 7))


@pytest.mark.parametrize("share", [0.5, 0.97])
def test_wilson_of_trials_that_hang_together(share: float) -> None:
    """Some clusters are better than others, near 1 as in the middle."""
    rng = np.random.default_rng(111)
    sizes = rng.integers(0, 4, (TRIALS, 600))
    level = rng.beta(8 * share, 8 * (1 - share), sizes.shape)
    hits = rng.binomial(sizes, level)
    ends = (
        stats.clustered_wilson(n, total[0], total[1], product[0][0], product[1][1], product[0][1])
        for n, total, product in moments(np.stack([hits, sizes], axis=1))
    )
    assert is_95(covered(ends, share))


@pytest.mark.parametrize(
    ("share", "n"), [(0.5, 500), pytest.param(0.9, 1000, marks=pytest.mark.slow)]
)
def test_quantile(share: float, n: int) -> None:
    draws = np.random.default_rng(106).geometric(0.0001, size=(TRIALS, n))
    draws.sort(axis=1)
    truth = math.log(1 - share) / math.log(1 - 0.0001)
    ends = (stats.quantile_interval([(v, 1) for v in row], share) for row in draws.tolist())
    assert is_95(covered(ends, truth))


def test_quantile_of_many_equal_values_is_never_too_narrow() -> None:
    rng = np.random.default_rng(107)
    counts = rng.multinomial(300, [0.1, 0.25, 0.3, 0.2, 0.15], TRIALS).tolist()
    rows = ([(k, n) for k, n in enumerate(row) if n] for row in counts)
    assert covered((stats.quantile_interval(row) for row in rows), 2) >= 0.95


def test_quantile_of_values_that_hang_together() -> None:
    """Groups of 4 values, their common level 0 to 299: far fewer independent ones than values."""
    rng = np.random.default_rng(108)
    groups, spread = 150, 300

    def ends() -> Iterator[tuple[int | None, int | None]]:
        for _ in range(TRIALS):
            level = rng.integers(0, spread, (groups, 1))
            values = level + rng.integers(0, 20, (groups, 4))
            at = values + (spread + 20) * np.arange(groups)[:, None]
            counts = np.bincount(at.ravel(), minlength=groups * (spread + 20))
            yield stats.grouped_quantile_interval(counts.reshape(groups, -1))

    assert is_95(covered(ends(), (spread + 18) / 2))


def pairs(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray]:
    """Return values of both sides that hang together; the second ones are 1 higher on average."""
    common = rng.geometric(0.15, (TRIALS, units))
    return common + rng.integers(0, 5, common.shape), common + rng.integers(0, 7, common.shape)


def test_difference_of_pairs() -> None:
    a, b = pairs(np.random.default_rng(109), 300)
    one = np.ones_like(a)
    found = [stats.paired_difference(*each) for each in moments(np.stack([a, one, b, one], axis=1))]
    assert is_95(covered((each.interval for each in found), 1))
    assert all(each.variance_ratio is not None and each.variance_ratio > 5 for each in found)


def test_difference_of_ratios() -> None:
    rng = np.random.default_rng(110)
    a, b = pairs(rng, 400)
    size_a = rng.integers(1, 6, a.shape)
    size_b = np.maximum(size_a + rng.integers(-1, 2, a.shape), 1)
    z = np.stack([a * size_a, size_a, b * size_b, size_b], axis=1)
    truth = float((b * size_b).sum() / size_b.sum() - (a * size_a).sum() / size_a.sum())
    ends = (stats.paired_difference(*each).interval for each in moments(z))
    assert is_95(covered(ends, truth))


@pytest.mark.slow
def test_difference_of_spreads() -> None:
    rng = np.random.default_rng(111)
    a = rng.integers(0, 40, (TRIALS, 400))
    b = a + rng.integers(0, 20, a.shape)
    one = np.ones_like(a)
    truth = math.sqrt((40**2 - 1) / 12 + (20**2 - 1) / 12) - math.sqrt((40**2 - 1) / 12)
    z = np.stack([a * a, a, one, b * b, b, one], axis=1)
    formula = stats.spread_estimate
    ends = (stats.paired_difference(*each, formula).interval for each in moments(z))
    assert is_95(covered(ends, truth))


def test_difference_of_medians_is_never_too_narrow() -> None:
    rng = np.random.default_rng(112)
    a, b = pairs(rng, 200)
    found = []
    for one, other in zip(a, b, strict=True):
        ends = (
            stats.quantile_interval(
                [(v, int(n)) for v, n in enumerate(np.bincount(side)) if n],
                confidence=stats.HALVED,
            )
            for side in (one, other)
        )
        found.append(stats.quantile_difference(*ends))
    truth = float(np.median(b) - np.median(a))
    assert covered(found, truth) >= 0.95


def test_strata() -> None:
    rng = np.random.default_rng(113)
    draws = [rng.binomial(20, p, (TRIALS, n)) for p, n in ((0.2, 100), (0.6, 300))]

    def ends() -> Iterator[stats.Interval]:
        for one, other in zip(*map(sums, draws), strict=True):
            strata = stats.Strata()
            strata.add(*one)
            strata.add(*other)
            yield strata.interval()

    assert is_95(covered(ends(), (4 * 100 + 12 * 300) / 400))


@pytest.mark.parametrize("tests", [1, 20, 120])
def test_a_detectable_difference_is_sure_in_four_of_five_comparisons(tests: int) -> None:
    """One true difference of just that size among others that there are not, all corrected.

    The share of 20,000 has a standard error of 0.28 percentage points; 400 blocks make the normal
    approximation of far tails right to about one point.
    """
    rng = np.random.default_rng(114)
    blocks = 400
    error = 1 / math.sqrt(blocks)
    effect = stats.smallest_detectable(error, tests)
    apart = rng.normal(effect, 1, (TRIALS, blocks))
    errors = apart.std(axis=1, ddof=1) / math.sqrt(blocks)
    others = rng.uniform(size=(TRIALS, tests - 1))
    sure = 0
    for mean, found, rest in zip(apart.mean(axis=1), errors, others.tolist(), strict=True):
        p = math.erfc(abs(mean) / found / math.sqrt(2))
        row = {"error": found, "n": blocks, "n_differ": blocks}
        rows = [{**row, "p": each} for each in (p, *rest)]
        sure += is_sure(corrected(rows)[0])
    assert sure / TRIALS == pytest.approx(0.8, abs=0.015)


def test_holm_errs_in_one_of_twenty_families() -> None:
    """Twenty true hypotheses, all hanging together: any of them is refuted in at most 5 %."""
    rng = np.random.default_rng(115)
    for common in (0.0, 0.6):
        noise = rng.normal(size=(TRIALS, 20)) * math.sqrt(1 - common)
        z = noise + rng.normal(size=(TRIALS, 1)) * math.sqrt(common)
        p = [[math.erfc(abs(x) / math.sqrt(2)) for x in row] for row in z.tolist()]
        wrong = np.mean([min(x for x in stats.holm(row) if x is not None) < 0.05 for row in p])
        assert wrong <= 0.055
        assert common or wrong >= 0.04  # independent ones: not far from what is allowed
