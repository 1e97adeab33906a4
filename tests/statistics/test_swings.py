"""Intervals of swings hold what they promise, over many samples of real play."""

from __future__ import annotations

import math
from typing import Any

import pytest

from analysis.results.evaluate import Numbers
from sim.batch.job import Job, play
from sim.batch.sums import Sums
from sim.game.deck import POWERS
from sim.game.study import Study

ROUNDS = 300
LEVEL = 0.95


def coverage(samples: int) -> dict[str, float]:
    """Return, by bird and power, the share of samples whose interval holds the mean of all."""
    study = Study.of(players="balanced,novice,elephant,gambler", rounds=samples * ROUNDS, seed=5)
    job, whole, found = Job.of(study), Sums.empty(), []
    for k in range(samples):
        sums = play(job, k * ROUNDS, (k + 1) * ROUNDS).sums
        whole.add(sums)
        found.append(swings(study, sums))
    truth = swings(study, whole)
    return {name: share_of([each[name] for each in found], truth[name]) for name in truth}


def swings(study: Study, sums: Sums) -> dict[str, Any]:
    table = Numbers(study, sums, LEVEL).table()
    powers: dict[str, Any] = table["power_swing"]
    return powers | {bird["bird"]: bird["dealt"] for bird in table["birds"]}


def share_of(found: list[dict[str, Any]], truth: dict[str, Any]) -> float:
    assert all(each["count"] > 30 for each in found)  # enough for a normal mean
    held = [low <= truth["swing"] <= high for low, high in (each["swing_ci95"] for each in found)]
    return sum(held) / len(held)


@pytest.mark.jit
@pytest.mark.parametrize("samples", [2_500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_swings_of_birds_and_powers(samples: int) -> None:
    """95 ± 1 %, or of fewer samples within four standard errors of such a share."""
    margin = max(0.01, 4 * math.sqrt(LEVEL * (1 - LEVEL) / samples))
    found = coverage(samples)
    assert set(POWERS) < found.keys()
    for name, share in found.items():
        assert share == pytest.approx(LEVEL, abs=margin), name
