"""What happens, written into `State.log` while `State.logging` is set.

The log is a row of int32 words: each event is its length, its kind and its payload. It is
drained after every step of `play.advance`, so one turn must fit; it always does (27
recyclings of 128 cards and a few hundred words). `sim.watch.trace` turns it into the event log of
the contract. Cards stand in it by number.
"""

from __future__ import annotations

import math

import numpy as np

from .jit import kernel, unit
from .layout import LOG_WORDS

(
    EV_TURN,
    EV_DRAW,
    EV_TAKE,
    EV_REPLACE,
    EV_DISCARD,
    EV_PLUCK,
    EV_PENALTY,
    EV_POWER,
    EV_LOOK,
    EV_SHOW,
    EV_SWAP,
    EV_ADD,
    EV_SHOEBILL,
    EV_PLACE,
    EV_UNDER,
    EV_NO_EFFECT,
    EV_RECYCLE,
    EV_FINAL_PHASE,
    EV_BAO,
    EV_SHIELD,
    EV_DEAL,
    EV_END,
    EV_GAME_END,
    EV_WHY,
) = range(24)

#: Points that no estimate comes near: what is as large means never, or for certain.
BEYOND = 1e7
NO_ESTIMATE = -(2**31)


@kernel
def note(state, kind, a, b, c, d, e):
    """Log an event with up to five int words of payload; nothing unless `logging` is set."""
    if state.logging:
        _write(state, kind, a, b, c, d, e)


@unit  # batches never write: so it is not to be repeated wherever something is noted
def _write(state, kind, a, b, c, d, e):
    at = state.log_size
    if at + 7 > LOG_WORDS:
        state.log_full = 1
        return 0
    state.log[at] = 7
    state.log[at + 1] = kind
    state.log[at + 2] = a
    state.log[at + 3] = b
    state.log[at + 4] = c
    state.log[at + 5] = d
    state.log[at + 6] = e
    state.log_size = at + 7
    return 0


@kernel
def note_pluck(state, seat, reference, hit, cards, gift_cards):
    """Log a pluck: the claim stands in `State.target`, gifts in `State.gift`.

    `cards` and `gift_cards` are tuples of two ints.
    """
    if state.logging == 0:
        return
    at = state.log_size
    if at + 15 > LOG_WORDS:
        state.log_full = 1
        return
    state.log[at] = 15
    state.log[at + 1] = EV_PLUCK
    state.log[at + 2] = seat
    state.log[at + 3] = state.from_draw
    state.log[at + 4] = reference
    state.log[at + 5] = hit
    state.log[at + 6] = state.n_targets
    for k in range(2):
        state.log[at + 7 + k] = state.target[k]
        state.log[at + 9 + k] = cards[k]
        state.log[at + 11 + k] = state.gift[k]
    # Gifts are at most two: both cards share one word.
    state.log[at + 13] = (gift_cards[0] & 0xFF) | ((gift_cards[1] & 0x7F) << 8)
    state.log[at + 14] = state.claims
    state.log_size = at + 15


@kernel
def note_recycle(state):
    """Log a recycling: its number, and the whole new draw pile, first card first."""
    if state.logging == 0:
        return
    at = state.log_size
    n = state.pile_size
    if at + 3 + n > LOG_WORDS:
        state.log_full = 1
        return
    state.log[at] = 3 + n
    state.log[at + 1] = EV_RECYCLE
    state.log[at + 2] = state.recyclings
    for k in range(n):
        state.log[at + 3 + k] = state.pile[k]
    state.log_size = at + 3 + n


@kernel
def note_why(state, seat, question):
    """Log the estimates behind a heuristic player's answer, in hundredths; NaN is NO_ESTIMATE."""
    at = state.log_size
    if at + 12 > LOG_WORDS:
        state.log_full = 1
        return
    state.log[at] = 12
    state.log[at + 1] = EV_WHY
    state.log[at + 2] = seat
    state.log[at + 3] = question
    for k in range(4):
        state.log[at + 4 + k] = state.answer[k]
        why = state.why[k]
        if math.isnan(why):
            state.log[at + 8 + k] = np.int32(NO_ESTIMATE)
        else:
            state.log[at + 8 + k] = np.int32(round(100.0 * min(max(why, -BEYOND), BEYOND)))
        state.why[k] = math.nan
    state.log_size = at + 12
