"""How many rounds a test plays, and what chance alone may bring."""

from __future__ import annotations

import os
from statistics import NormalDist
from typing import Any

import numpy as np

SCALE = float(os.environ.get("BAOBEI_TEST_SCALE", "1"))
"""Factor on all counts of rounds; a run without the compiler wants about 0.02."""


def scaled(count: int, least: int = 1) -> int:
    """A count of rounds, studies or examples, times `SCALE`."""
    return max(least, round(count * SCALE))


def chi2_limit(freedom: int, alpha: float) -> float:
    """What a chi-square variable exceeds with probability `alpha` (Wilson and Hilferty 1931)."""
    z = NormalDist().inv_cdf(1 - alpha)
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + z * spread**0.5) ** 3


def chi2_of(counts: Any, expected: Any) -> float:
    """Pearson's chi-square of counts against expected counts, of any equal shape."""
    difference = np.asarray(counts, np.float64) - expected
    return float((difference**2 / expected).sum())
