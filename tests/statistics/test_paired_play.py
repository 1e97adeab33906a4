"""Comparisons of what is equal by symmetry: their intervals hold 0 as often as they promise.

Two players who differ sit at a table for two; in the second study they have changed seats. As who
begins is drawn by lot, rounds are as long, end as often by BAO and so on in both, but single rounds
are not: a true difference of 0 under common random numbers.
"""

import numpy as np
import pytest

from analysis.comparing import difference_row
from sim.batch.pairs import PairJob, PairSums, play_pairs
from sim.game.study import Study

pytestmark = pytest.mark.jit

EQUAL = ("turns.mean", "turns.sd", "bao.won", "calls.won_share", "bao.beaten")


def coverage(trials: int, blocks: int, seed: int) -> dict[str, float]:
    """Return for each number in `EQUAL` in how many comparisons the interval holds 0.

    Args:
        trials: Comparisons; each has deals of its own.
        blocks: Rounds of each.
        seed: Of all.
    """
    a = Study.of(players="novice,sharp", rounds=blocks, seed=seed)
    job = PairJob.of(a, a.with_changes(players="sharp,novice"), rotated=False)
    held: dict[str, list[bool]] = {name: [] for name in EQUAL}
    for k in range(trials):
        pairs = PairSums.empty()
        pairs.add(play_pairs(job, k * blocks, (k + 1) * blocks).sums)
        for measure, *made in pairs.measured(job):
            if measure.seat is None and measure.name in EQUAL:
                row = difference_row({"unit": measure.unit}, blocks, *made)
                low, high = row["ci95"]
                held[measure.name].append(low <= 0 <= high)
                assert row["n_differ"] > blocks / 20
    return {name: float(np.mean(inside)) for name, inside in held.items()}


def test_intervals_hold_a_difference_that_is_none() -> None:
    """Alpha 0.001 for each number: 95 % of 600 have a standard error of 0.89 points."""
    for name, share in coverage(trials=600, blocks=250, seed=21).items():
        assert 0.92 <= share <= 0.98, name


@pytest.mark.slow
def test_intervals_hold_in_95_percent() -> None:
    """Alpha below 1e-6: 95 ± 1 % of 20,000, whose standard error is 0.15 points."""
    for name, share in coverage(trials=20_000, blocks=400, seed=22).items():
        assert 0.94 <= share <= 0.96, name
