"""What is counted while a round is played, for the tally: at events where that will do.

Nothing here decides anything, draws a number or tells a player anything. What a seat *has seen*
(`State.seen`) counts, not what it still has in mind: so whatever is counted can be counted again
from the event log.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel, popcount
from .knowledge import matching
from .state import (
    CHANCE_OWN,
    CHANCE_RIVAL,
    COUNTS,
    DETAILS,
    DOUBLE_HIT,
    DRAW_CHANCE,
    FROM_DRAW,
    FROM_WINDOW,
    GONE,
    LEFT,
    MISSED,
    NO_EFFECT,
    NONE,
    OPENED,
    OWN_HIT,
    PLUCK_DOUBLE,
    PLUCK_OWN,
    PLUCK_RIVAL,
    PLUCK_TRIED,
    PLUCKED,
    PLUCKS_ALL,
    PLUCKS_NONE,
    POWER_BY,
    POWER_USED,
    RACED,
    RACES,
    RIVAL_HIT,
    SHIELD_NO_EFFECT,
    SHIELD_PLUCKS,
    SHIELD_POWERS,
    SWAP,
    WINDOW_CHANCE,
    WINDOWS,
    WITH_CHANCE,
    WORDS,
)

_ZERO = np.uint64(0)


@kernel
def clear_counts(state):
    """Mutates: nothing has been counted in this round."""
    for seat in range(state.players):
        for kind in range(COUNTS):
            state.count[seat, kind] = 0
        for kind in range(DETAILS):
            state.detail[seat, kind] = 0
        state.led_at[seat] = 0
        state.led_turns[seat] = 0
    for kind in range(WINDOWS):
        state.windows[kind] = 0
    state.lead = NONE
    state.lead_changes = 0


@kernel
def alone_lowest(numbers, count):
    """Which of the first `count` numbers is lower than all others; NONE if several are lowest."""
    lowest = np.int64(numbers[0])
    which = np.int64(0)
    for k in range(1, count):
        number = np.int64(numbers[k])
        if number < lowest:
            which = np.int64(k)
        elif number == lowest:
            which = np.int64(NONE)
        lowest = min(lowest, number)
    return which


@kernel
def count_turn(state):
    """The end of a turn: who alone has the lowest true total, and who has no cards."""
    players = np.int64(state.players)
    lowest = np.int64(state.total[0])
    lead = np.int64(0)
    empty = state.n_cards[0] == 0
    for seat in range(1, players):
        total = np.int64(state.total[seat])
        empty |= state.n_cards[seat] == 0
        # As `alone_lowest`, and without a branch: who leads is hard to predict.
        lead = np.int64(seat) if total < lowest else lead
        lead = np.int64(NONE) if total == lowest else lead
        lowest = min(lowest, total)
    if empty:
        for seat in range(players):
            state.detail[seat, GONE] += np.int32(state.n_cards[seat] == 0)
    state.led_turns[lead & 7] += 1
    state.led_at[lead & 7] = state.turn + 1
    state.lead_changes += np.int32((lead != state.lead) & (lead >= 0) & (state.lead >= 0))
    state.lead = lead if lead >= 0 else np.int64(state.lead)


@kernel
def count_call(state, seat):
    """A call of BAO: at which turn, on which true total, with how many cards never seen."""
    unknown = 0
    for word in range(WORDS):
        unknown += popcount(state.held[seat, word] & ~state.seen[seat, word])
    state.call_turn = state.turn + 1
    state.call_total = state.total[seat]
    state.call_unknown = unknown
    state.call_lowest = 1 if alone_lowest(state.total, state.players) == seat else 0


@kernel
def count_pluck(state, seat, n, rivals, hit):
    """An attempt of a seat on `n` targets, `rivals` (0: none) of them rivals'."""
    kind = PLUCK_DOUBLE if n == 2 else (PLUCK_RIVAL if rivals > 0 else PLUCK_OWN)
    source = FROM_DRAW if state.from_draw else FROM_WINDOW
    state.detail[seat, PLUCK_TRIED + (source * 3 + kind) * 2 + hit] += 1
    if hit == 0:
        state.count[seat, MISSED] += 1
    elif n == 2:
        state.count[seat, DOUBLE_HIT] += 1
    elif rivals > 0:
        state.count[seat, RIVAL_HIT] += 1
    else:
        state.count[seat, OWN_HIT] += 1


@kernel
def _knows(state, seat, matches):
    """1 if a seat has seen any of some cards (a uint64 for each word), else 0."""
    known = _ZERO
    for word in range(WORDS):
        known |= matches[word] & state.seen[seat, word]
    return np.int64(known != _ZERO)


@kernel
def _chance(state, table, seat, matches):
    """Whose card a seat could pluck that has seen it: CHANCE_OWN, CHANCE_RIVAL or NONE.

    Counts it where the Shield forbids a card of the declarer. `matches`: the face-down cards that
    match the reference, a uint64 for each word.
    """
    if table.rule_plucks == PLUCKS_NONE:
        return NONE
    own = _ZERO
    others = _ZERO
    closed = _ZERO
    shield = state.shield != 0 and seat != state.bao_by
    for word in range(WORDS):
        known = matches[word] & state.seen[seat, word]
        own |= known & state.held[seat, word]
        known &= ~state.held[seat, word]
        if shield:
            closed |= known & state.held[state.bao_by, word]
            known &= ~state.held[state.bao_by, word]
        others |= known
    if table.rule_plucks == PLUCKS_ALL and state.n_cards[seat] > 0:
        if closed != _ZERO:
            state.detail[state.bao_by, SHIELD_PLUCKS] += 1
        if own == _ZERO and others != _ZERO:
            return CHANCE_RIVAL
    return CHANCE_OWN if own != _ZERO else NONE


@kernel
def count_draw(state, table, seat, card, tried):
    """A drawn card: whether its drawer could have plucked with it, and whether it tried."""
    matches = matching(state, table, card)
    if _knows(state, seat, matches) == 0:
        return
    whose = _chance(state, table, seat, matches)
    if whose >= 0:
        state.detail[seat, DRAW_CHANCE + whose * 2] += 1
        if tried:
            state.detail[seat, DRAW_CHANCE + whose * 2 + 1] += 1


@kernel
def _count_race(state, plucker):
    """Several claims in one window: who took part, and who won."""
    state.windows[RACED] += 1
    for seat in range(state.players):
        state.detail[seat, RACES] += (state.claims >> seat) & 1
    state.detail[plucker, RACES + 1] += 1


@kernel
def count_window(state, table, card, plucker):
    """A window on a card just put down, its claims made: who had a chance, and what came of it."""
    state.windows[OPENED] += 1
    if plucker >= 0:
        state.windows[PLUCKED] += 1
        if state.claims & (state.claims - 1):
            _count_race(state, plucker)
    matches = matching(state, table, card)
    knowing = np.int64(0)  # seats, one bit each: so there is one branch for all of them
    for seat in range(state.players):
        knowing |= _knows(state, seat, matches) << seat
    knowing &= ~(np.int64(1) << np.int64(state.active))
    if knowing == 0:
        return
    chances = 0
    for seat in range(state.players):
        if (knowing >> seat) & 1 == 0:
            continue
        whose = _chance(state, table, seat, matches)
        if whose < 0:
            continue
        chances += 1
        kind = WINDOW_CHANCE + whose * 3
        state.detail[seat, kind] += 1
        if plucker >= 0:
            state.detail[seat, kind + (1 if seat == plucker else 2)] += 1
    if chances > 0:
        state.windows[WITH_CHANCE] += 1
        if plucker < 0:
            state.windows[LEFT] += 1


@kernel
def _against_shield(state, seat, power):
    """Whether a power of a seat moves cards and has the declarer's closed to it."""
    return state.shield != 0 and seat != state.bao_by and power >= SWAP


@kernel
def count_power(state, seat, power, trigger):
    """A power that starts; before it does anything."""
    state.count[seat, POWER_USED + power] += 1
    state.detail[seat, POWER_BY + power * 3 + trigger] += 1
    if _against_shield(state, seat, power):
        state.detail[state.bao_by, SHIELD_POWERS] += 1


@kernel
def count_no_effect(state, seat, power):
    """A power that has started and can do nothing."""
    state.detail[seat, NO_EFFECT + power] += 1
    if _against_shield(state, seat, power):
        state.detail[state.bao_by, SHIELD_NO_EFFECT] += 1
