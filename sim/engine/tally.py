"""Integer sums and histograms over rounds and games; they merge exactly, in any order."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel, lowest
from ..core.layout import (
    BAO_CALLED,
    BAO_WON,
    CONFIDENCE_BINS,
    COUNTS,
    DETAILS,
    END_CAP,
    GAME_DEFICIT,
    GAME_LEAD_CHANGES,
    GAME_LENGTHS,
    GAME_TURNS,
    LEAD_CHANGES,
    LOSER_LED_AT,
    LOSER_LED_LEFT,
    MAX_PLAYERS,
    MISSED,
    NONE,
    PLUCK_TRIED,
    POWER_BY,
    POWER_USED,
    SWING_N,
    SWING_NN,
    SWING_NX,
    SWING_X,
    SWING_XX,
    TURNS_BY_CALL,
    TURNS_BY_END,
    WIN_UNITS,
    WINDOWS,
)

_EVERY_SEAT = np.uint64(0x0101010101010101)  # a bit for each seat, in `State.powers_used`


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
def _number_of_winners(state):
    winners = np.int64(0)  # or plain Python would go on with a byte
    for seat in range(state.players):
        winners += state.winner[seat]
    return winners


@kernel
def add_round(tally, turns_histograms, recyclings_histogram, call_totals, state, table):
    """Mutates `tally` and the histograms: add a finished round (not a deciding round).

    What the state adds up itself is left to `add_counts`.
    """
    turns = np.int64(state.turn) + 1
    tally.rounds += 1
    tally.ends[state.reason] += 1
    turns_histograms[TURNS_BY_END + state.reason, turns] += 1
    recyclings_histogram[state.recyclings] += 1
    winners = _number_of_winners(state)
    units = np.int64(WIN_UNITS // winners if winners > 0 else 0)
    for seat in range(state.players):
        score = np.int64(state.score[seat])
        tally.score[seat] += score
        tally.score_sq[seat] += score * score
        tally.total[seat] += state.total[seat]
        tally.cards_left[seat] += state.n_cards[seat]
        if state.winner[seat] == 1 and table.games == 0:
            _add_wins(tally, seat, winners)
        _add_seat(tally, state, seat, units * state.winner[seat])
    if state.bao_caller >= 0:
        _add_call(tally, turns_histograms, call_totals, state)
    if state.final_by >= 0:
        tally.final_by[state.final_by] += 1
    _add_lead(turns_histograms, state, turns)
    _add_swings(tally, state, table)


@kernel
def _add_seat(tally, state, seat, units):
    """A seat's round: place in the turn order, cards gone, plucks; `units` of a win are its own."""
    decided = np.int64(state.reason != END_CAP)
    score = np.int64(state.score[seat])
    place = seat - state.first
    if place < 0:
        place += state.players
    tally.place_rounds[seat, place] += 1
    tally.place_decided[seat, place] += decided
    tally.place_share[seat, place] += units
    tally.place_score[seat, place] += score
    tally.place_score_sq[seat, place] += score * score
    if (state.gone >> seat) & 1:
        tally.gone_rounds[seat] += 1
        tally.gone_decided[seat] += decided
        tally.gone_share[seat] += units
    hits = np.int64(0)
    for kind in range(MISSED):
        hits += state.count[seat, kind]
    tries = hits + state.count[seat, MISSED]
    tally.hits_sq[seat] += hits * hits
    tally.tries_sq[seat] += tries * tries
    tally.hits_tries[seat] += hits * tries


@kernel
def _add_call(tally, turns_histograms, call_totals, state):
    """A call of BAO: by whom, at which turn, on which total, and what came of it."""
    caller = np.int64(state.bao_caller)
    outcome = np.int64(state.bao_outcome)
    tally.bao_called[caller] += 1
    if outcome == BAO_WON:
        tally.bao_won[caller] += 1
    for kind in (np.int64(BAO_CALLED), outcome):
        tally.bao[kind] += 1
        tally.call_ends[caller, kind] += 1
        tally.call_lowest[kind] += state.call_lowest
        tally.call_shield[1 if state.shield else 0, kind] += 1
    turn = np.int64(state.call_turn)
    total = np.int64(state.call_total)
    unknown = np.int64(state.call_unknown)
    tally.call_turn[caller] += turn
    tally.call_turn_sq[caller] += turn * turn
    tally.call_total[caller] += total
    tally.call_total_sq[caller] += total * total
    tally.call_unknown[caller] += unknown
    tally.call_unknown_sq[caller] += unknown * unknown
    row = outcome - BAO_WON
    turns_histograms[TURNS_BY_CALL + row, turn] += 1
    call_totals[row, (call_totals.shape[1] >> 1) + total] += 1
    tally.call_unknowns[row, unknown] += 1


@kernel
def _add_lead(turns_histograms, state, turns):
    """Changes of the lead, and when one that did not win led last."""
    turns_histograms[LEAD_CHANGES, state.lead_changes] += 1
    if state.reason == END_CAP:
        return
    last = np.int64(0)
    for seat in range(state.players):
        if state.winner[seat] == 0:
            last = max(last, np.int64(state.led_at[seat]))
    if last > 0:
        turns_histograms[LOSER_LED_AT, last] += 1
        turns_histograms[LOSER_LED_LEFT, turns - last] += 1


@kernel
def _add_swings(tally, state, table):
    """Birds dealt and powers used, with their owners' scores.

    A score apart is ``players * score - sum of all scores``: that much less the mean of the others,
    times players less one.
    """
    players = np.int64(state.players)
    hand = np.int64(state.hand)
    everyone = np.int64(0)
    for seat in range(players):
        everyone += state.score[seat]
    for seat in range(players):
        apart = players * state.score[seat] - everyone
        for k in range(hand):
            # Masks tell the compiler that no index is negative.
            bird = table.bird[state.dealt_cards[(seat * hand + k) & 127]] & 127
            state.dealt_n[bird] += 1
            state.dealt_x[bird] += apart
    for bird in range(table.birds):
        _add_swing(tally.dealt, bird, state.dealt_n[bird], state.dealt_x[bird])
        state.dealt_n[bird] = 0
        state.dealt_x[bird] = 0
    for power in range(COUNTS - POWER_USED):
        used = np.uint64(state.powers_used) & (_EVERY_SEAT << np.uint64(power))
        if used != np.uint64(0):
            _add_users(tally, state, used, everyone)


@kernel
def _add_users(tally, state, used, everyone):
    """Those who used a power: bits seat * 8 + power."""
    power = lowest(used) & 7
    users = np.int64(0)
    apart = np.int64(0)
    while used != np.uint64(0):
        users += 1
        apart += np.int64(state.players) * state.score[lowest(used) >> 3] - everyone
        used &= used - np.uint64(1)
    _add_swing(tally.users, power, users, apart)


@kernel
def _add_swing(swings, k, n, apart):
    """Those of one round: their scores hang together, so it is their sums that are squared."""
    swings[SWING_N, k] += n
    swings[SWING_X, k] += apart
    swings[SWING_XX, k] += apart * apart
    swings[SWING_NN, k] += n * n
    swings[SWING_NX, k] += n * apart


@kernel
def add_counts(tally, state):
    """Mutates both: what the state has added up over many rounds is moved to the tally."""
    for seat in range(MAX_PLAYERS):
        _add_kinds(tally, state, seat)
        for kind in range(DETAILS):
            tally.detail[seat, kind] += state.detail[seat, kind]
            state.detail[seat, kind] = 0
        tally.led[seat] += state.led_turns[seat]
        state.led_turns[seat] = 0
        for k in range(CONFIDENCE_BINS):
            tally.sure_plucks[seat, k] += state.sure_plucks[seat, k]
            tally.sure_hits[seat, k] += state.sure_hits[seat, k]
            tally.sure_sum[seat, k] += state.sure_sum[seat, k]
            state.sure_plucks[seat, k] = 0
            state.sure_hits[seat, k] = 0
            state.sure_sum[seat, k] = 0
    for kind in range(WINDOWS):
        tally.windows[kind] += state.windows[kind]
        state.windows[kind] = 0


@kernel
def _add_kinds(tally, state, seat):
    """Plucks by kind and powers used: `State.count`, over many rounds, out of the finer counts."""
    for source in range(2):
        for kind in range(MISSED):
            at = PLUCK_TRIED + (source * MISSED + kind) * 2
            tally.count[seat, MISSED] += state.detail[seat, at]
            tally.count[seat, kind] += state.detail[seat, at + 1]
    for power in range(COUNTS - POWER_USED):
        for trigger in range(3):
            used = state.detail[seat, POWER_BY + power * 3 + trigger]
            tally.count[seat, POWER_USED + power] += used


@kernel
def add_game(tally, rounds_histograms, game, state):
    """Mutates all but `state`: add a finished game; `game` is its row of GAME_COLUMNS."""
    rounds = np.int64(state.rounds)
    tally.games += 1
    tally.game_ends[state.game_reason] += 1
    rounds_histograms[GAME_LENGTHS, rounds] += 1
    rounds_histograms[GAME_LEAD_CHANGES, state.game_lead_changes] += 1
    tally.game_turns += state.game_turns
    game[GAME_TURNS] = state.game_turns
    game[GAME_DEFICIT] = NONE
    if state.deciding_rounds > 0:
        tally.decided += 1
        tally.deciding_rounds += state.deciding_rounds
    for player in range(state.game_players):
        score = state.sums[player]
        tally.game_score_sq[player] += score * score
        tally.game_score_rounds[player] += score * rounds
    if state.game_winner >= 0:
        _add_wins(tally, state.game_winner, 1)
        _add_comeback(tally, game, state, np.int64(state.game_winner))


@kernel
def _add_comeback(tally, game, state, winner):
    """How far behind the winner of a game had been."""
    tally.come_from_last += (state.was_last >> winner) & 1
    game[GAME_DEFICIT] = state.behind[winner]
    if state.half:
        tally.half_games += 1
        tally.half_lead_won += np.int64(state.half_lead == winner)
        tally.half_last_won += (state.half_last >> winner) & 1


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
