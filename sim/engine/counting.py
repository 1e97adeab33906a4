"""What is counted while a round is played, for the tally: at events where that will do.

Most of it is added up in the state over many rounds (`State.detail` and what stands around it) and
moved to the tally at last, so a round neither clears nor adds it.

Nothing here decides anything, draws a number or tells a player anything. What a seat *has seen*
(`State.seen`) counts, not what it still has in mind: so whatever is counted can be counted again
from the event log.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.codes import OPTION, Power
from ..core.jit import inline, kernel, popcount
from ..core.knowledge import matching
from ..core.layout import (
    CHANCE_OWN,
    CHANCE_RIVAL,
    CONFIDENCE_BINS,
    COUNTS,
    DRAW_CHANCE,
    FROM_DRAW,
    FROM_WINDOW,
    GONE,
    LEFT,
    MAX_PLAYERS,
    MISSED,
    NO_EFFECT,
    NONE,
    OPENED,
    PLUCK_DOUBLE,
    PLUCK_OWN,
    PLUCK_RIVAL,
    PLUCK_TRIED,
    PLUCKED,
    POWER_BY,
    POWER_USED,
    RACED,
    RACES,
    SHIELD_NO_EFFECT,
    SHIELD_PLUCKS,
    SHIELD_POWERS,
    WINDOW_CHANCE,
    WITH_CHANCE,
    WORDS,
)

_ZERO = np.uint64(0)


@kernel
def clear_counts(state):
    """Mutates: nothing has been counted in this round."""
    for seat in range(MAX_PLAYERS):  # whoever plays: whole rows are quickly cleared
        for kind in range(COUNTS):
            state.count[seat, kind] = 0
    for seat in range(8):
        state.led_at[seat] = 0
    state.gone = 0
    state.powers_used = 0
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


@inline
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
        _count_gone(state)
    state.led_turns[lead & 7] += 1
    state.led_at[lead & 7] = state.turn + 1
    state.lead_changes += np.int32((lead != state.lead) & (lead >= 0) & (state.lead >= 0))
    state.lead = lead if lead >= 0 else np.int64(state.lead)


@kernel
def _count_gone(state):
    for seat in range(state.players):
        if state.n_cards[seat] == 0:
            state.detail[seat, GONE] += 1
            state.gone |= 1 << seat


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
    state.count[seat, kind if hit else MISSED] += 1  # hits stand in the order of their kinds
    if not math.isnan(state.sure):
        k = min(np.int64(state.sure * CONFIDENCE_BINS), CONFIDENCE_BINS - 1)
        state.sure_plucks[seat, k] += 1
        state.sure_hits[seat, k] += hit
        state.sure_sum[seat, k] += np.int64(round(state.sure * 1e6))


@kernel
def _chance(state, table, seat, matches):
    """Whose card a seat could pluck that has seen it: CHANCE_OWN, CHANCE_RIVAL or NONE.

    Counts it where the Shield forbids a card of the declarer. `matches`: the face-down cards that
    match the reference, a uint64 for each word.
    """
    if table.rule_plucks == OPTION.plucks.none:
        return NONE
    own = _ZERO
    others = _ZERO
    for word in range(WORDS):
        known = matches[word] & state.seen[seat, word]
        own |= known & state.held[seat, word]
        others |= known & ~state.held[seat, word]
    if (own | others) == _ZERO:
        return NONE
    if table.rule_plucks == OPTION.plucks.all and state.n_cards[seat] > 0:
        if state.shield != 0 and seat != state.bao_by:
            others = _count_closed(state, seat, matches)
        if own == _ZERO and others != _ZERO:
            return CHANCE_RIVAL
    return CHANCE_OWN if own != _ZERO else NONE


@kernel
def _count_closed(state, seat, matches):
    """Others' matches that a seat has seen and may pluck under the Shield: not 0 if there are any.

    Counts it where the Shield forbids some.
    """
    by = np.int64(state.bao_by)
    others = _ZERO
    closed = _ZERO
    for word in range(WORDS):
        known = matches[word] & state.seen[seat, word] & ~state.held[seat, word]
        closed |= known & state.held[by, word]
        others |= known & ~state.held[by, word]
    if closed != _ZERO:
        state.detail[by, SHIELD_PLUCKS] += 1
    return others


@inline
def count_draw(state, table, seat, card, tried):
    """A drawn card: whether its drawer could have plucked with it, and whether it tried."""
    whose = _chance(state, table, seat, matching(state, table, card))
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
def count_window(state, table, matches, seen_by, plucker):
    """A window on a card just put down, its claims made: who had a chance, and what came of it.

    `matches`: the face-down cards that match it, a uint64 for each word; `seen_by`: seats that have
    seen any of these, bit k for seat k.
    """
    state.windows[OPENED] += 1
    if plucker >= 0:
        state.windows[PLUCKED] += 1
        if state.claims & (state.claims - 1):
            _count_race(state, plucker)
    seats = seen_by & ~(np.int64(1) << np.int64(state.active))
    if seats == 0:
        return
    chances = 0
    for seat in range(state.players):
        if (seats >> seat) & 1 == 0:
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
    return state.shield != 0 and seat != state.bao_by and power >= Power.SWAP


@kernel
def count_power(state, seat, power, trigger):
    """A power that starts; before it does anything."""
    state.count[seat, POWER_USED + power] += 1
    state.powers_used |= np.int64(1) << np.int64(seat * 8 + power)
    state.detail[seat, POWER_BY + power * 3 + trigger] += 1
    if _against_shield(state, seat, power):
        state.detail[state.bao_by, SHIELD_POWERS] += 1


@kernel
def count_no_effect(state, seat, power):
    """A power that has started and can do nothing."""
    state.detail[seat, NO_EFFECT + power] += 1
    if _against_shield(state, seat, power):
        state.detail[state.bao_by, SHIELD_NO_EFFECT] += 1
