"""Means, spreads and intervals out of exact integer sums; made once, here.

Whatever is counted arrives as whole numbers, and every formula stays in whole numbers until one
last division. So results do not depend on the order in which chunks were added up. Intervals
are two-sided at `CONFIDENCE`. They speak of one run of fixed length. A run that is looked at again
and again until an interval is narrow enough takes those of `LOOK_CONFIDENCE`.

Where nothing can be said (no round, a single one) a value or a bound is None.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from statistics import NormalDist

CONFIDENCE = 0.95
"""The confidence level of every interval."""

LOOK_CONFIDENCE = 0.999
"""The level at each look of a run that stops when an interval is narrow enough.

The looks are those of `sim.stopping`: ten in each decade, from 1,000 on. Means after n and after
m > n values are correlated by sqrt(n / m). For normal ones the probability that any of the 79 looks
up to 2**36 is off by more than 3.29 standard errors, each, is 4.1 % (recursion over the density of
what is not yet off: Armitage, McPherson and Rowe 1969). So all intervals together hold the truth
with more than `CONFIDENCE`, and the one at which a run stops does, too.
"""

Interval = tuple[float | None, float | None]
"""Low and high end, in the unit of the value; both None where nothing can be said."""

NOTHING: Interval = (None, None)


# As literals: a logarithm's last bit may differ between machines.
_Z_SCORES = {CONFIDENCE: 1.959963984540054, LOOK_CONFIDENCE: 3.2905267314919255}


def z_score(confidence: float = CONFIDENCE) -> float:
    """Return how many standard errors a two-sided normal interval reaches to each side."""
    known = _Z_SCORES.get(confidence)
    return NormalDist().inv_cdf(0.5 + confidence / 2) if known is None else known


def ratio(part: int, whole: int) -> float | None:
    """Return part / whole, correctly rounded; None where the whole is 0."""
    return part / whole if whole else None


def wilson(
    part: int, whole: int, units: int = 1, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return Wilson's score interval of a share (Wilson 1927, without continuity correction).

    The share may be made of fractions: where wins are shared, a round counts for a seat as some
    x from 0 to 1. As x² <= x, the variance of x is at most that of a yes or no with the same
    mean, p (1 - p). So the interval is then a little wider than it need be, never too narrow.

    Args:
        part: Successes, in units of 1 / `units`: 0 to `whole` times `units`.
        whole: Trials, independent of each other; with none the interval is (0, 1).
        units: How many make one success.
        confidence: Level, above 0 and below 1.
    """
    if whole == 0:
        return 0.0, 1.0
    share = part / (whole * units)
    z2n = z_score(confidence) ** 2 / whole
    middle = (share + z2n / 2) / (1 + z2n)
    half = math.sqrt(share * (1 - share) * z2n + z2n * z2n / 4) / (1 + z2n)
    low = 0.0 if part == 0 else max(0.0, middle - half)
    high = 1.0 if part == whole * units else min(1.0, middle + half)
    return low, high


def sample_sd(count: int, total: int, squares: int) -> float | None:
    """Return the sample standard deviation (divisor n - 1); None for fewer than two values.

    Args:
        count: Number of values.
        total: Their sum.
        squares: The sum of their squares.
    """
    if count < 2:
        return None
    return math.sqrt(Fraction(count * squares - total * total, count * (count - 1)))


def mean_interval(count: int, total: int, squares: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the normal interval of the mean of independent values; nothing below two values.

    Args:
        count: Number of values.
        total: Their sum.
        squares: The sum of their squares.
        confidence: Level, above 0 and below 1.
    """
    sd = sample_sd(count, total, squares)
    if sd is None:
        return NOTHING
    return _around(Fraction(total, count), sd / math.sqrt(count), confidence)


def ratio_interval(
    clusters: int,
    total: int,
    size: int,
    total_squares: int,
    size_squares: int,
    products: int,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Return the interval of a mean per element where whole clusters are drawn.

    A game's rounds hang together: the next first player depends on the round before, and how
    many rounds there are on all of them. So games are the independent units, and the mean score
    of a round is a ratio of two sums over games. Its variance is that of the usual
    linearisation, sum (y - r m)² / (n - 1) / n / mean(m)² (Cochran, Sampling Techniques, 3rd
    ed. 1977, section 6.3), computed here without any rounding.

    Args:
        clusters: Number of clusters n (games).
        total: Sum of y, the total in each cluster (a game's sum of scores).
        size: Sum of m, the number of elements of each cluster (a game's rounds).
        total_squares: Sum of y².
        size_squares: Sum of m².
        products: Sum of y m.
        confidence: Level, above 0 and below 1.
    """
    if clusters < 2 or size == 0:
        return NOTHING
    residuals = (  # sum of (y - r m)², times size²
        size * size * total_squares - 2 * size * total * products + total * total * size_squares
    )
    variance = Fraction(clusters * residuals, (clusters - 1) * size**4)
    return _around(Fraction(total, size), math.sqrt(variance), confidence)


def _around(mean: Fraction, error: float, confidence: float) -> Interval:
    half = z_score(confidence) * error
    return float(mean) - half, float(mean) + half


# --- histograms -----------------------------------------------------------------------------------

Histogram = Iterable[tuple[int, int]]
"""Pairs of a value and how often it occurred, values ascending, counts above 0."""


def moments(histogram: Histogram) -> tuple[int, int, int]:
    """Return number, sum and sum of squares of the values of a histogram."""
    count = total = squares = 0
    for value, times in histogram:
        count += times
        total += times * value
        squares += times * value * value
    return count, total, squares


def median(histogram: Histogram) -> int | float | None:
    """Return the median of a histogram: the middle value, or the mean of the middle two.

    A whole number is returned as one. None for an empty histogram.
    """
    pairs = list(histogram)
    count = sum(times for _, times in pairs)
    if count == 0:
        return None
    both = _value_at(pairs, (count - 1) // 2) + _value_at(pairs, count // 2)
    return both // 2 if both % 2 == 0 else both / 2


def _value_at(pairs: list[tuple[int, int]], rank: int) -> int:
    """Return the value that stands at `rank`, from 0, when all are sorted."""
    for value, times in pairs:
        rank -= times
        if rank < 0:
            return value
    raise IndexError(rank)


# --- strata ---------------------------------------------------------------------------------------


class Strata:
    """The mean of values that come in strata, each played on its own, with its exact variance.

    The mean is that over all values together; its variance is made of the sample variances inside
    the strata (Cochran, Sampling Techniques, 3rd ed. 1977, section 5.5), so what strata differ
    among each other by does not count as chance. It speaks of these strata and of no others.

    A stratum with fewer than two values says nothing of its variance and is left out.

    Attributes:
        count: Number of values.
        total: Their sum.
    """

    def __init__(self) -> None:
        """Begin with no stratum."""
        self.count = self.total = 0
        self._spread: dict[int, int] = {}  # by n: sum of n Σx² - (Σx)²; each n - 1 of variance

    def add(self, count: int, total: int, squares: int) -> None:
        """Mutates: add a stratum.

        Args:
            count: Number of its values.
            total: Their sum.
            squares: The sum of their squares.
        """
        if count < 2:
            return
        self.count += count
        self.total += total
        spread = count * squares - total * total
        self._spread[count] = self._spread.get(count, 0) + spread

    def mean(self, units: int = 1) -> float | None:
        """Return the mean, of values in units of 1 / `units`."""
        return ratio(self.total, self.count * units)

    @property
    def variance(self) -> float:
        """The variance of `total`."""
        return math.fsum(spread / (n - 1) for n, spread in sorted(self._spread.items()))

    def interval(self, units: int = 1, confidence: float = CONFIDENCE) -> Interval:
        """Return the normal interval of the mean, of values in units of 1 / `units`."""
        if self.count == 0:
            return NOTHING
        error = math.sqrt(self.variance) / (self.count * units)
        return _around(Fraction(self.total, self.count * units), error, confidence)


class Shared:
    """A bound of the covariance of two shares that are counted in some of the same strata.

    In one round a and b are both 0 or above, so E[ab] >= 0 and cov(a, b) >= - E[a] E[b]. With this
    bound the variance of a difference is never taken too small; it is exact where a round has only
    one winner, and tied wins make it a little too large.
    """

    def __init__(self) -> None:
        """Begin with no stratum."""
        self._products: dict[int, int] = {}

    def add(self, count: int, total_a: int, total_b: int) -> None:
        """Mutates: add a stratum.

        Args:
            count: Number of its values, the same of both; with fewer than two it is left out.
            total_a: Sum of the values of one.
            total_b: Sum of the values of the other.
        """
        if count < 2:
            return
        self._products[count] = self._products.get(count, 0) + total_a * total_b

    @property
    def bound(self) -> float:
        """The most that minus the covariance of the two totals can be."""
        return math.fsum(product / (n - 1) for n, product in sorted(self._products.items()))


def difference(
    a: Strata, b: Strata, shared: Shared, units: int = 1, confidence: float = CONFIDENCE
) -> tuple[float | None, Interval]:
    """Return the difference of two means of shares, a - b, and an interval that is wide enough.

    Args:
        a: Values of one, 0 or above.
        b: Values of the other, 0 or above.
        shared: The strata that both are in.
        units: How many make a whole share.
        confidence: Level, above 0 and below 1.
    """
    if a.count == 0 or b.count == 0:
        return None, NOTHING
    mean = Fraction(a.total, a.count * units) - Fraction(b.total, b.count * units)
    variance = a.variance / a.count**2 + b.variance / b.count**2
    variance += 2 * shared.bound / (a.count * b.count)
    return float(mean), _around(mean, math.sqrt(variance) / units, confidence)
