"""Means, spreads and intervals out of exact integer sums; made once, here.

Whatever is counted arrives as whole numbers, and every formula stays in whole numbers until one
last division. So results do not depend on the order in which chunks were added up. Intervals
are two-sided at `CONFIDENCE`. They speak of one run of fixed length. A run that is looked at again
and again until an interval is narrow enough takes those of `LOOK_CONFIDENCE`.

Intervals hold near their edge, too: what was never seen may be rare. Shares have Wilson's interval,
which reaches as far as the exact one-sided one; means and differences reach as far as Poisson's law
lets them where few events make all the spread there is (`_reach`).

Where nothing can be said (no round, a single one) a value or a bound is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95
"""The confidence level of every interval."""

LOOK_CONFIDENCE = 0.999
"""The level at each look of a run that stops when an interval is narrow enough.

The looks are those of `sim.batch.stopping`: ten in each decade, from 1,000 on. Means after n and
after m > n values are correlated by sqrt(n / m). For normal ones the probability that any of the 79
looks up to 2**36 is off by more than 3.29 standard errors, each, is 4.1 % (recursion over the
density of what is not yet off: Armitage, McPherson and Rowe 1969). So all intervals together hold
the truth with more than `CONFIDENCE`, and the one at which a run stops does, too.
"""

Interval = tuple[float | None, float | None]
"""Low and high end, in the unit of the value; both None where nothing can be said."""

NOTHING: Interval = (None, None)


# As literals: a logarithm's last bit may differ between machines.
_Z_SCORES = {CONFIDENCE: 1.959963984540054, LOOK_CONFIDENCE: 3.2905267314919255}
_ONE_SIDED = {CONFIDENCE: 1.6448536269514722, LOOK_CONFIDENCE: 3.090232306167813}

_MANY = 999
"""Degrees of freedom from which on Student's t is taken for normal: it is 0.1 % wider there."""


def z_score(confidence: float = CONFIDENCE) -> float:
    """Return how many standard errors a two-sided normal interval reaches to each side."""
    known = _Z_SCORES.get(confidence)
    return NormalDist().inv_cdf(0.5 + confidence / 2) if known is None else known


def _one_sided(confidence: float) -> float:
    """Return how many standard errors a one-sided normal interval reaches."""
    known = _ONE_SIDED.get(confidence)
    return NormalDist().inv_cdf(confidence) if known is None else known


def t_score(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return how many standard errors an interval reaches whose error is made of few values.

    Student's t: exact for 1 and 2 degrees of freedom, Fisher's expansion for more (Abramowitz and
    Stegun, Handbook, 26.7.5), off by at most 0.1 % at `CONFIDENCE`. From `_MANY` on it is
    `z_score`.

    Args:
        freedom: Degrees of freedom, 1 at least; below 3 they are rounded down.
        confidence: Level, above 0 and below 1.
    """
    z = z_score(confidence)
    if freedom >= _MANY:
        return z
    if freedom < 2:  # to nine digits: a tangent's last bit may differ between machines
        return float(f"{math.tan(math.pi * confidence / 2):.9g}")
    if freedom < 3:
        return confidence * math.sqrt(2 / (1 - confidence * confidence))
    z2 = z * z
    terms = (
        (z2 + 1) / 4,
        ((5 * z2 + 16) * z2 + 3) / 96,
        (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
        ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
    )
    factor = 0.0
    for term in reversed(terms):
        factor = (factor + term) / freedom
    return z * (1 + factor)


def ratio(part: int, whole: int) -> float | None:
    """Return part / whole, correctly rounded; None where the whole is 0."""
    return part / whole if whole else None


def wilson(
    part: int, whole: int, units: int = 1, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return Wilson's score interval of a share (Wilson 1927, without continuity correction).

    Near 0 and 1 it covers too little, 84 % in places, as its inner end is too near: 1 of n is not
    yet proof of much. So that end is never nearer than that of the exact one-sided interval
    (Brown, Cai and DasGupta 2001, Statistical Science 16, section 4.1.1, for 1 to 3 of n). This
    changes nothing where there are more than about ten of each.

    The share may be made of fractions: where wins are shared, a round counts for a seat as some
    x from 0 to 1. As x² <= x, the variance of x is at most that of a yes or no with the same
    mean, p (1 - p). So the interval is then a little wider than it need be, never too narrow.

    Args:
        part: Successes, in units of 1 / `units`: 0 to `whole` times `units`.
        whole: Trials, independent of each other; with none the interval is (0, 1).
        units: How many make one success.
        confidence: Level, above 0 and below 1.
    """
    return _wilson(part, whole * units, whole, confidence) if whole else (0.0, 1.0)


def _wilson(part: int, whole: int, trials: float, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval of part / whole, as sure as out of so many independent trials."""
    share = part / whole
    z2n = z_score(confidence) ** 2 / trials
    middle = (share + z2n / 2) / (1 + z2n)
    half = math.sqrt(share * (1 - share) * z2n + z2n * z2n / 4) / (1 + z2n)
    low = min(middle - half, _exact_low(share * trials, trials, confidence))
    high = max(middle + half, 1 - _exact_low((1 - share) * trials, trials, confidence))
    return 0.0 if part == 0 else max(0.0, low), 1.0 if part == whole else min(1.0, high)


def _exact_low(part: float, whole: float, confidence: float) -> float:
    """Return the low end of the one-sided interval of Clopper and Pearson (1934) of a share.

    Its quantile of F comes from cube roots that are nearly normal (Paulson 1942, Annals of
    Mathematical Statistics 13), so counts need not be whole, and square roots are all it takes.
    """
    if part <= 0:
        return 0.0
    rest, z2 = max(whole - part, 0.0) + 1, _one_sided(confidence) ** 2
    of_part, of_rest = 1 / (9 * part), 1 / (9 * rest)
    last = (1 - of_part) ** 2 - z2 * of_part
    if of_part >= 1 or last <= 0:
        return 0.0
    middle = (1 - of_part) * (1 - of_rest)
    first = (1 - of_rest) ** 2 - z2 * of_rest
    root = last / (middle + math.sqrt(middle * middle - first * last))
    odds = part / rest * root * root * root
    return odds / (1 + odds)


def clustered_wilson(
    clusters: int,
    part: int,
    whole: int,
    part_squares: int,
    whole_squares: int,
    products: int,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Return Wilson's interval of a share of trials that hang together in clusters.

    It is that of as many independent trials as would make the share as sure: the *effective*
    number, share (1 - share) / variance, with the variance of the ratio as of `ratio_interval`
    (Korn and Graubard 1998, Survey Methodology 24, use it for the interval of Clopper and Pearson).
    Near 0 and 1 it holds what it promises where the normal one does not. Where few clusters have
    trials they count for fewer, as Student's t is wider (likewise). Where no cluster differs from
    another, as where all trials succeed, every trial counts.

    Args:
        clusters: Number of clusters (rounds).
        part: Successes in all (plucks that hit).
        whole: Trials in all (plucks); with none there is no interval.
        part_squares: Sum of the squares of the clusters' successes.
        whole_squares: Sum of the squares of their trials.
        products: Sum of the products of both.
        confidence: Level, above 0 and below 1.
    """
    if whole == 0:
        return NOTHING
    trials: float = whole
    error, freedom = _ratio_error(clusters, part, whole, part_squares, whole_squares, products)
    if error > 0:
        error *= t_score(freedom, confidence) / z_score(confidence)
        trials = part * (whole - part) / whole**2 / error**2
    return _wilson(part, whole, trials, confidence)


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


def mean_interval(
    count: int,
    total: int,
    squares: int,
    confidence: float = CONFIDENCE,
    *,
    step: float = 1.0,
    least: float = -math.inf,
) -> Interval:
    """Return Student's interval of the mean of independent values; nothing below two values.

    Where few values differ from the others it is that of rare events; see `_reach`. So it has a
    width even where all values are equal.

    Args:
        count: Number of values.
        total: Their sum.
        squares: The sum of their squares.
        confidence: Level, above 0 and below 1.
        step: By how much a value differs from the others if it rarely does.
        least: The least value that there can be; the interval does not go below it.
    """
    sd = sample_sd(count, total, squares)
    if sd is None:
        return NOTHING
    reach = _reach(sd / math.sqrt(count), step / count, count - 1, confidence)
    return _around(Fraction(total, count), reach, least)


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

    Where most clusters are empty, as rounds in which a bird was not dealt, only the others tell
    anything: their effective number, (sum m)² / sum m² (Kish, Survey Sampling 1965), says how sure
    the variance is, and with a single one there is no interval. Rare events are as of `_reach`, 1
    of y each.

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
    error, freedom = _ratio_error(clusters, total, size, total_squares, size_squares, products)
    if freedom == 0:
        return NOTHING
    return _around(Fraction(total, size), _reach(error, 1 / size, freedom, confidence))


def _ratio_error(
    clusters: int, total: int, size: int, total_squares: int, size_squares: int, products: int
) -> tuple[float, float]:
    """Return the standard error of a ratio, and its degrees of freedom; see `ratio_interval`.

    Both are 0 where there is only one cluster that is not empty.
    """
    if clusters < 2 or size * size == size_squares:
        return 0.0, 0.0
    residuals = (  # sum of (y - r m)², times size²
        size * size * total_squares - 2 * size * total * products + total * total * size_squares
    )
    freedom = max(size * size / size_squares - 1, 1.0)
    divisor = Fraction(clusters - 1, clusters)
    if freedom < _MANY:
        divisor = Fraction(freedom) / (Fraction(freedom) + 1)
    return math.sqrt(residuals / divisor / size**4), freedom


def _reach(error: float, step: float, freedom: float, confidence: float) -> float:
    """Return how far the interval of a mean or of a difference reaches to each side.

    Student's interval, but for rare events, of which a few say little of how many are to be
    expected. An error of k steps squared is that of k events, each of which moves the number by
    one step. Of k events seen there may as well be as many as the upper end of the one-sided
    Poisson interval (Garwood 1936), which with none is 3, at 95 %: the *rule of three*. For events
    that are not alike Fay and Feuer (1997, Statistics in Medicine 16) do so. The quantile of gamma
    is that of Wilson and Hilferty (1931). From about 30 events on Student's is the wider one.

    Args:
        error: Standard error.
        step: By how much a rare event moves the number, above 0.
        freedom: Degrees of freedom of the error.
        confidence: Level.
    """
    usual = t_score(freedom, confidence) * error
    events = (error / step) ** 2
    more = events + 1
    root = 1 - 1 / (9 * more) + _one_sided(confidence) / (3 * math.sqrt(more))
    return max(usual, step * (more * root * root * root - events))


def _around(
    mean: Fraction, reach: float, least: float = -math.inf, most: float = math.inf
) -> Interval:
    """Return the interval that reaches so far to each side of a mean, inside what is possible."""
    return max(float(mean) - reach, least), min(float(mean) + reach, most)


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


def histogram_interval(
    histogram: Histogram, confidence: float = CONFIDENCE, *, least: float = -math.inf
) -> Interval:
    """Return the interval of the mean of independent values, as of `mean_interval`.

    A rare event is as large as values are off the median, those that are further counting for
    more: what Poisson's law says of events that are not alike. It is 1 at least.

    Args:
        histogram: Of the values.
        confidence: Level, above 0 and below 1.
        least: The least value that there can be.
    """
    pairs = list(histogram)
    middle = median(pairs) or 0
    off = sum(times * abs(value - middle) for value, times in pairs)
    squares = sum(times * (value - middle) ** 2 for value, times in pairs)
    step = max(squares / off, 1.0) if off else 1.0
    return mean_interval(*moments(pairs), confidence, step=step, least=least)


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
    Each stratum takes away one degree of freedom.

    A stratum with fewer than two values says nothing of its variance and is left out.

    Attributes:
        count: Number of values.
        total: Their sum.
    """

    def __init__(self) -> None:
        """Begin with no stratum."""
        self.count = self.total = 0
        self._strata = 0
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
        self._strata += 1
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

    @property
    def freedom(self) -> int:
        """Degrees of freedom of `variance`."""
        return self.count - self._strata

    def interval(self, units: int = 1, confidence: float = CONFIDENCE) -> Interval:
        """Return Student's interval of the mean, of values in units of 1 / `units`.

        Rare events are as of `_reach`, one unit each.
        """
        if self.count == 0:
            return NOTHING
        whole = self.count * units
        reach = _reach(math.sqrt(self.variance) / whole, 1 / whole, self.freedom, confidence)
        return _around(Fraction(self.total, whole), reach)

    def share_interval(self, units: int = 1, confidence: float = CONFIDENCE) -> Interval:
        """Return Wilson's interval of the mean, of shares in units of 1 / `units`.

        It is that of as many independent trials as would make the mean as sure; see
        `clustered_wilson`. Their variance is made of as many more successes as Wilson's interval
        adds to each side (Agresti and Coull 1998), as in strata without any, or with nothing else,
        more may be to come. It is at most that of trials in a single stratum, where it is greatest
        (Hoeffding 1956, Annals of Mathematical Statistics 27).
        """
        return self._wilson(units, confidence) if self.count else NOTHING

    def _wilson(self, units: int, confidence: float) -> tuple[float, float]:
        z = z_score(confidence)
        whole = self.count * units
        alike = self.total * (whole - self.total) / whole * units
        widened = self.variance * (t_score(self.freedom, confidence) / z) ** 2
        variance = min(widened + z * z / 2 * units * units, alike)
        trials = self.count * (alike / variance if variance else 1.0)
        return _wilson(self.total, whole, trials, confidence)


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
    def met(self) -> bool:
        """Whether there is any stratum that both are in."""
        return bool(self._products)

    @property
    def bound(self) -> float:
        """The most that minus the covariance of the two totals can be."""
        return math.fsum(product / (n - 1) for n, product in sorted(self._products.items()))


def difference(
    a: Strata, b: Strata, shared: Shared, units: int = 1, confidence: float = CONFIDENCE
) -> tuple[float | None, Interval]:
    """Return the difference of two means of shares, a - b, and an interval that is wide enough.

    Each end is as far off as the ends of both intervals that make it, put together like errors
    (Newcombe 1998, Statistics in Medicine 17, 2635; Zou and Donner 2008, ibid. 27), which holds
    near 0 and 1, too. Where the correlation cannot be told it is taken for the worst.

    Args:
        a: Values of one, 0 or above.
        b: Values of the other, 0 or above.
        shared: The strata that both are in.
        units: How many make a whole share.
        confidence: Level, above 0 and below 1.
    """
    if a.count == 0 or b.count == 0:
        return None, NOTHING
    shares = Fraction(a.total, a.count * units), Fraction(b.total, b.count * units)
    (a_low, a_high), (b_low, b_high) = (each._wilson(units, confidence) for each in (a, b))
    mean, spread = float(shares[0] - shares[1]), math.sqrt(a.variance * b.variance)
    against = min(shared.bound / spread, 1.0) if spread else float(shared.met)

    def reach(one: float, other: float) -> float:
        return math.sqrt(one * one + other * other + 2 * against * one * other)

    a_share, b_share = map(float, shares)
    low = mean - reach(a_share - a_low, b_high - b_share)
    return mean, (max(low, -1.0), min(mean + reach(a_high - a_share, b_share - b_low), 1.0))


# --- quantiles ------------------------------------------------------------------------------------


def quantile_interval(
    histogram: Histogram, share: float = 0.5, confidence: float = CONFIDENCE
) -> tuple[int | None, int | None]:
    """Return the interval of a quantile of independent values, between two of the values.

    The number of values below the quantile is binomial; the ends are the values at the ranks
    that its normal approximation gives, rounded outwards (Conover, Practical Nonparametric
    Statistics, 3rd ed. 1999, section 3.2). No shape of the distribution is assumed. Where many
    values are equal the interval is wider than it need be, never too narrow.

    Args:
        histogram: Of the values.
        share: Which quantile; 0.5 is the median.
        confidence: Level, above 0 and below 1.

    Returns:
        Both ends, or None and None where there are too few values for an end.
    """
    pairs = list(histogram)
    count = sum(times for _, times in pairs)
    reach = z_score(confidence) * math.sqrt(count * share * (1 - share))
    low, high = math.floor(count * share - reach) - 1, math.ceil(count * share + reach)
    if low < 0 or high >= count:
        return None, None
    return _value_at(pairs, low), _value_at(pairs, high)


def grouped_quantile_interval(
    groups: Sequence[Sequence[int]], share: float = 0.5, confidence: float = CONFIDENCE
) -> tuple[int | None, int | None]:
    """Return the interval of a quantile of values that hang together, by groups that do not.

    The share of values up to the quantile is a mean over groups, whose interval is turned into one
    of values (Woodruff 1952).

    Args:
        groups: For each group how often 0, 1, 2 ... occurred in it; all of one length.
        share: Which quantile.
        confidence: Level, above 0 and below 1.

    Returns:
        Both ends; None and None where there are fewer than two groups or no values.
    """
    import numpy as np

    counts = np.asarray(groups, np.int64)
    values = int(counts.sum())
    if len(counts) < 2 or values == 0:
        return None, None
    upto = np.cumsum(counts.sum(axis=0))
    middle = _first_with(upto, share * values)
    inside, sizes = counts[:, : middle + 1].sum(axis=1).tolist(), counts.sum(axis=1).tolist()
    error, freedom = _ratio_error(
        len(counts),
        sum(inside),
        values,
        sum(y * y for y in inside),
        sum(m * m for m in sizes),
        sum(y * m for y, m in zip(inside, sizes, strict=True)),
    )
    half = _reach(error, 1 / values, freedom, confidence)
    low = _first_with(upto, max((share - half) * values, 1))
    return low, _first_with(upto, min((share + half) * values, values))


def _first_with(upto: Any, count: float) -> int:
    """Return the first place at which an ascending array is at least `count`."""
    return int(upto.searchsorted(count))


def quantile_difference(
    a: tuple[int | None, int | None], b: tuple[int | None, int | None]
) -> Interval:
    """Return the interval of the difference b - a of two quantiles, however they hang together.

    If each interval is off in at most half of what this one may be off, so that they are made at
    `HALVED`, this one holds (Bonferroni). It is wider than it need be.
    """
    if None in a or None in b:
        return NOTHING
    (a_low, a_high), (b_low, b_high) = a, b
    return float(b_low - a_high), float(b_high - a_low)  # type: ignore[operator]


HALVED = (1 + CONFIDENCE) / 2
"""The level of two intervals which both hold with `CONFIDENCE`."""


# --- differences of pairs -------------------------------------------------------------------------

POWER = 0.8
"""How surely a difference is to be noticed that is called detectable."""

_Z_POWER = 0.8416212335729143  # of 0.8, as a literal: see _Z_SCORES


@dataclass(frozen=True)
class Estimate:
    """A number made of sums over units, and how it moves with the means of their values.

    Attributes:
        value: The number itself.
        slopes: Its derivative by the mean of each of the values.
    """

    value: Fraction
    slopes: tuple[Fraction, ...]


Formula = Callable[[int, Sequence[int]], "Estimate | None"]
"""Makes an estimate of the number of units and of sums over them; None where there is none."""


def ratio_estimate(units: int, sums: Sequence[int]) -> Estimate | None:
    """Return the ratio of two sums, of values y and of sizes m; None where the sizes are 0.

    A mean per unit is the ratio to a size that is always 1.
    """
    total, size = sums
    if size == 0:
        return None
    value = Fraction(total, size)
    return Estimate(value, (Fraction(units, size), -value * units / size))


def spread_estimate(units: int, sums: Sequence[int]) -> Estimate | None:
    """Return the sample standard deviation of the elements of all units.

    Args:
        units: How many there are.
        sums: Over the units: of the squares of their elements, of the elements, of their number.

    Returns:
        None for fewer than two elements, or where all are equal, which has no slope.
    """
    squares, total, size = sums
    sd = sample_sd(size, total, squares)
    if not sd:
        return None
    value, mean = Fraction(sd), Fraction(total, size)
    scale = Fraction(units, size) / (2 * value)
    slopes = (scale, -2 * mean * scale, (2 * mean * mean - Fraction(squares, size)) * scale)
    return Estimate(value, slopes)


@dataclass(frozen=True)
class Difference:
    """How two numbers differ that were measured on the same units.

    Attributes:
        a: The first; None where it does not exist.
        b: The second.
        difference: b - a.
        interval: Of the difference.
        p: How likely a difference as far from 0 would be if there were none, two-sided.
        variance_ratio: How many times as many units it would have taken if each side had been
            measured on units of its own; None where nothing varies.
        error: The standard error of the difference, or where rare events make the interval wider,
            that of one as wide; None where it cannot be told.
    """

    a: float | None
    b: float | None
    difference: float | None = None
    interval: Interval = NOTHING
    p: float | None = None
    variance_ratio: float | None = None
    error: float | None = None


def paired_difference(
    units: int,
    sums: Sequence[int],
    products: Sequence[Sequence[int]],
    formula: Formula = ratio_estimate,
    differing: int | None = None,
    *,
    share: bool = False,
    same: bool = False,
) -> Difference:
    """Return the difference of two numbers over the same units, by the delta method.

    Each unit gives values z, first those that make the first number, then those that make the
    second. The difference moves with the means of z; its variance is that of this linear
    combination (Cochran, Sampling Techniques, 3rd ed. 1977, section 6.3, for ratios). Everything is
    exact up to the last square root, so equal sides differ by exactly 0.

    Where few units differ the interval is that of rare events; see `_reach`. How much they matter
    is known of those that do; one more among the others may matter as much as `_unseen` says. So
    where none of n units differs, two shares may differ by about 3 / n.

    Args:
        units: Number n of independent units.
        sums: Of each entry of z.
        products: Of every two entries of z.
        formula: Makes the number out of half of the sums.
        differing: In how many units the sides differ at all, if known. Of k that do, all in one
            direction is as likely as 2**(1 - k) without any difference, so p is never below that.
        share: Whether the numbers are shares of their sizes, 0 to 1.
        same: Whether both sides are the same and nothing can differ: the interval is [0, 0].
    """
    half = len(sums) // 2
    a, b = formula(units, sums[:half]), formula(units, sums[half:])
    if a is None or b is None:
        one, other = (None if side is None else float(side.value) for side in (a, b))
        return Difference(one, other)
    values, difference = (float(a.value), float(b.value)), b.value - a.value
    if units < 2:
        return Difference(*values, float(difference))
    zero = (Fraction(0),) * half
    down = tuple(-slope for slope in a.slopes)
    variance = _variance(units, sums, products, (*down, *b.slopes))
    apart = _variance(units, sums, products, (*down, *zero))
    apart += _variance(units, sums, products, (*zero, *b.slopes))
    error = math.sqrt(variance)
    events = units if differing is None else _events(differing, products, b.value, share)
    unseen = _unseen(units, sums, products, b.slopes, apart, share)
    squared = units * units * variance + unseen * Fraction(units - events, units)
    step = math.sqrt(squared / (events + 1) if squared else b.slopes[0] ** 2) / units
    reach = 0.0 if same else _reach(error, step, units - 1, CONFIDENCE)
    most = 1.0 if share else math.inf
    return Difference(
        *values,
        float(difference),
        _around(difference, reach, -most, most),
        _two_sided(float(difference), error, differing, units - 1),
        variance_ratio=float(apart / variance) if variance else None,
        error=0.0 if same else max(error, reach / t_score(units - 1)),
    )


def _variance(
    units: int,
    sums: Sequence[int],
    products: Sequence[Sequence[int]],
    slopes: Sequence[Fraction],
) -> Fraction:
    """Return the variance of a linear combination of the means of correlated values."""
    squares, mean = Fraction(0), Fraction(0)
    for slope, total, row in zip(slopes, sums, products, strict=True):
        if slope:
            mean += slope * total
            squares += slope * sum(
                (other * product for other, product in zip(slopes, row, strict=True)), Fraction(0)
            )
    return (units * squares - mean * mean) / (units * units * (units - 1))


def _events(
    differing: int, products: Sequence[Sequence[int]], value: Fraction, share: bool
) -> Fraction:
    """Return in how many of the units that differ the difference may show at all.

    Those in which only sizes differ move a number that is nearly 0 by nearly nothing, and tell
    nothing of those which would move it; a share that is nearly 1 likewise. Everything is whole,
    so sums of squares say how many.

    Args:
        differing: Units in which anything differs.
        products: As of `paired_difference`.
        value: The number.
        share: Whether it is a share.
    """
    half = len(products) // 2

    def apart(j: int, k: int) -> int:
        a, b = products[j], products[half + j]
        return a[k] - a[half + k] - b[k] + b[half + k]

    totals, sizes = apart(0, 0), apart(half - 1, half - 1)
    found = min(Fraction(differing), totals + abs(value) * sizes)
    if share:
        found = min(found, totals - 2 * apart(0, half - 1) + (2 - value) * sizes)
    return found


def _unseen(
    units: int,
    sums: Sequence[int],
    products: Sequence[Sequence[int]],
    slopes: Sequence[Fraction],
    apart: Fraction,
    share: bool,
) -> Fraction:
    """Return by how much, squared, a unit may move the difference if it differs, times `units`.

    It may be a unit far from the others, so three standard deviations are reckoned with: for
    numbers other than shares, those of how much two units differ that have nothing in common; and
    no less than 1, as all is counted in whole numbers. A share, whose size is m, moves by as much
    as the size of a unit, which is the mean and three standard deviations, or where most units
    have none, sum m² / sum m: those with more count for more.

    Args:
        units: Number of units.
        sums: As of `paired_difference`.
        products: Likewise.
        slopes: Of the second number.
        apart: The variance of the difference if both sides had units of their own.
        share: Whether the numbers are shares.
    """
    if not share:
        return max(9 * units * apart, slopes[0] ** 2)
    sizes = max(Fraction(units * products[k][k], sums[k] ** 2) for k in (1, 3))
    return max(sizes, 1 + 3 * Fraction(math.sqrt(sizes - 1))) ** 2


def _two_sided(difference: float, error: float, differing: int | None, freedom: int) -> float:
    """Return the p of a difference, to six digits: a last bit may differ between machines.

    Student's t is turned into a normal value where it differs from one (Wallace 1959, Annals of
    Mathematical Statistics 30).
    """
    if difference == 0:
        return 1.0
    z = abs(difference) / error if error else math.inf
    if freedom < _MANY and error:
        z = (8 * freedom + 1) / (8 * freedom + 3) * math.sqrt(freedom * math.log1p(z * z / freedom))
    p = math.erfc(z / math.sqrt(2))
    if differing is not None:
        p = max(p, smallest_p(differing))
    return float(f"{min(p, 1.0):.6g}")


def smallest_p(differing: int) -> float:
    """Return the smallest p that a difference can have which only so many units show."""
    return 2.0 ** max(1 - differing, -1000)


def smallest_detectable(error: float, tests: int = 1, power: float = POWER) -> float:
    """Return the true difference that is found with a certain probability.

    Found means: its p stays below 1 - `CONFIDENCE` when `holm` corrects it as the smallest of so
    many. With one test that is: its interval at `CONFIDENCE` leaves 0 out.

    Args:
        error: Standard error of the difference, in any unit; the result is in the same.
        tests: How many differences are tested together.
        power: The probability.

    Returns:
        The difference, to nine digits: a logarithm's last bit may differ between machines.
    """
    reach = z_score() if tests == 1 else z_score(1 - (1 - CONFIDENCE) / tests)
    z = _Z_POWER if power == POWER else NormalDist().inv_cdf(power)
    return float(f"{(reach + z) * error:.9g}")


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for there being several (Holm 1979); None stays None.

    If none of the differences exists, all corrected values together are above 0.05 with a
    probability of 0.95 at least, however they hang together.

    Args:
        values: p-values of all that is looked at.
    """
    ranked = sorted((p, k) for k, p in enumerate(values) if p is not None)
    corrected: list[float | None] = [None] * len(values)
    least = 0.0
    for rank, (p, k) in enumerate(ranked):
        least = max(least, min(1.0, (len(ranked) - rank) * p))
        corrected[k] = least
    return corrected
