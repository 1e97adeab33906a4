"""Integer sums and histograms over rounds and games; they merge exactly, in any order."""

from __future__ import annotations

import math

import numpy as np

from .jit import kernel
from .state import (
    BAO_CALLED,
    BAO_WON,
    CONFIDENCE_BINS,
    COUNTS,
    NONE,
    WIN_UNITS,
)


@kernel
def _add_wins(tally, seat, winners):
    """A win of `seat`, shared among `winners` (1 to 6)."""
    if winners == 1:
        tally.wins[seat] += 1
    else:
        tally.shared[seat] += 1
    units = WIN_UNITS // winners
    tally.share[seat] += units
    tally.share_sq[seat] += units * units


@kernel
def add_round(tally, turns_histogram, recyclings_histogram, state, table):
    """Mutates `tally` and the histograms: add a finished round (not a deciding round)."""
    turns = state.turn + 1
    tally.rounds += 1
    tally.ends[state.reason] += 1
    turns_histogram[turns] += 1
    recyclings_histogram[state.recyclings] += 1
    caller = state.bao_caller
    if caller >= 0:
        tally.bao[BAO_CALLED] += 1
        tally.bao[state.bao_outcome] += 1
        tally.bao_called[caller] += 1
        if state.bao_outcome == BAO_WON:
            tally.bao_won[caller] += 1
    winners = 0
    for seat in range(state.players):
        if state.winner[seat] == 1:
            winners += 1
    for seat in range(state.players):
        score = np.int64(state.score[seat])
        tally.score[seat] += score
        tally.score_sq[seat] += score * score
        tally.total[seat] += state.total[seat]
        tally.cards_left[seat] += state.n_cards[seat]
        if state.winner[seat] == 1 and table.games == 0:
            _add_wins(tally, seat, winners)
        for kind in range(COUNTS):
            tally.count[seat, kind] += state.count[seat, kind]


@kernel
def add_pluck(tally, state):
    """Mutates `tally`: add the attempt of this turn to the plucks by confidence, if it has one."""
    if state.plucker < 0 or math.isnan(state.sure):
        return
    k = min(np.int64(state.sure * CONFIDENCE_BINS), CONFIDENCE_BINS - 1)
    tally.sure_plucks[state.plucker, k] += 1
    tally.sure_hits[state.plucker, k] += state.hit
    tally.sure_sum[state.plucker, k] += np.int64(round(state.sure * 1e6))


@kernel
def add_game(tally, rounds_histogram, state):
    """Mutates `tally` and the histogram: add a finished game."""
    rounds = np.int64(state.rounds)
    tally.games += 1
    tally.game_ends[state.game_reason] += 1
    rounds_histogram[rounds] += 1
    if state.deciding_rounds > 0:
        tally.decided += 1
        tally.deciding_rounds += state.deciding_rounds
    for player in range(state.game_players):
        score = state.sums[player]
        tally.game_score_sq[player] += score * score
        tally.game_score_rounds[player] += score * rounds
    if state.game_winner >= 0:
        _add_wins(tally, state.game_winner, 1)


@kernel
def write_records(rows, at, state, round_index):
    """Mutates `rows` (int32, records × RECORD_COLUMNS): one row for each seat, from row `at`."""
    for seat in range(state.players):
        row = at + seat
        rows[row, 0] = state.index
        rows[row, 1] = round_index
        rows[row, 2] = seat
        rows[row, 3] = state.score[seat]
        rows[row, 4] = state.total[seat]
        rows[row, 5] = state.n_cards[seat]
        rows[row, 6] = state.winner[seat]
        rows[row, 7] = state.reason
        rows[row, 8] = state.turn + 1
        rows[row, 9] = state.recyclings
        rows[row, 10] = 1 if seat == state.first else 0
        rows[row, 11] = state.bao_outcome if seat == state.bao_caller else NONE
        for kind in range(COUNTS):
            rows[row, 12 + kind] = state.count[seat, kind]
    return at + state.players
