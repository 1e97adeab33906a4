"""No seat is favoured by its number: whoever began, players who are alike fare alike.

`ALPHA` is the probability with which a right program would have failed when the seed was chosen.
"""

from __future__ import annotations

import numpy as np
import pytest

from sim.api import run
from sim.batch.pack import pack
from sim.core.codes import Stage
from sim.core.jit import entry
from sim.core.layout import MAX_PLAYERS, new_state
from sim.engine.play import advance, start
from sim.game.study import Study
from sim.policies.heuristic import leader, unknown_value
from tests.support.chance import chi2_limit

ALPHA = 1e-4


@entry
def leaders(state, table, found):
    """Who leads in the eyes of each seat."""
    for seat in range(state.players):
        found[seat] = leader(state, table, seat, unknown_value(state, table, seat), False)


@pytest.mark.parametrize("players", range(2, MAX_PLAYERS + 1))
def test_among_equals_the_next_one_clockwise_leads(players: int) -> None:
    state = new_state()
    table = pack(Study.of(players=["balanced"] * players, rounds=1))
    start(state, table, 0)
    advance(state, table, np.uint64(1))
    assert state.stage == Stage.TURN
    found = np.zeros(players, np.int64)
    leaders(state, table, found)
    assert found.tolist() == [(seat + 1) % players for seat in range(players)]


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("player", ["balanced", "saboteur", "elephant"])
@pytest.mark.parametrize("players", [3, 6])
def test_scores_do_not_depend_on_the_number_of_the_seat(players: int, player: str) -> None:
    """Scores of a round hang together, so a seat's is taken less the mean of all."""
    study = Study.of(players=[player] * players, rounds=1_500_000, seed=3)
    seats = run(study, progress=False).summary()["players"]
    means = np.array([seat["score_mean"] for seat in seats])
    sd = np.mean([seat["score_sd"] for seat in seats])
    # Scores of a round go together if anything; then this is an upper bound for the variance.
    variance = sd**2 / study.count
    chi2 = float(((means - means.mean()) ** 2).sum() / variance)
    assert chi2 < chi2_limit(players - 1, ALPHA)
