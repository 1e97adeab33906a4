"""Sums of pairs: they are those of runs, and do not overflow."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.results.comparison import Comparison
from sim.api import compare
from sim.batch.job import play as play_job
from sim.batch.pairs import PairJob, _products, play_pairs
from sim.batch.sums import Sums
from sim.game.study import Study

pytestmark = pytest.mark.jit


ALIKE = ["balanced"] * 3


def study(players: Any = ALIKE, **changes: Any) -> Study:
    """Return a short study."""
    return Study.of(**({"players": players, "rounds": 600, "seed": 5} | changes))


def quiet(a: Any, b: Any = None, **options: Any) -> Comparison:
    return compare(a, b, progress=False, **options)


def rows(comparison: Comparison, metric: str) -> list[dict[str, Any]]:
    return [row for row in comparison.summary()["differences"] if row["metric"] == metric]


def test_large_values_do_not_overflow() -> None:
    job = PairJob.of(study(), study(), False)
    a = np.full((len(job.values), 3), 2**40)
    products, differing = _products(job, a, a + 1)
    assert products[0][0, 0] == 3 * 2**80
    assert products[0][0, -1] == 3 * 2**40 * (2**40 + 1)
    assert set(differing.tolist()) == {3}
    part = play_pairs(job, 0, 10)
    assert part.sums.products[0].dtype == np.int64


@pytest.mark.parametrize("fits", [True, False])
def test_sums_of_games_are_those_of_runs(fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far behind winners were; also where no sum over rotations would fit into int64."""
    monkeypatch.setattr(PairJob, "fits", fits)
    rules = {"bao_failure_minimum": 1000, "game_threshold": 6000}
    table = study(["gambler", "gambler", "random"], rules=rules, rounds=None, games=9)
    job = PairJob.of(table, table, True)
    found = play_pairs(job, 2, 8).sums.sums[0]
    alone = Sums.together([play_job(each, 2, 8).sums for each in job.a])
    assert found.histograms == alone.histograms
    assert max(found.histograms["deficits"]) > 1023
    assert found["game_turns_sq"] == alone["game_turns_sq"]
    assert sum(found["score"]) == sum(alone["score"])


def test_chunks_are_short_where_sums_might_overflow() -> None:
    absurd = study(rules={"bao_failure_minimum": 1000, "max_turns": 10_000})
    assert 1 <= PairJob.of(absurd, absurd, True).most_units() <= 2**13 // 3


def test_exact_rounding() -> None:
    """The value of a ratio is rounded once."""
    found = rows(quiet(study(rounds=300), rules={"bao": False}), "ends.bao")[0]
    assert found["a"] == float(Fraction(round(found["a"] * 300), 300))
    assert found["b"] == 0.0
