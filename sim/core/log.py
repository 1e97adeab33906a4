"""What happens, written into `State.log` while it is on.

The log is a row of int32 words: each event is its length, its kind and its payload. It is
drained after every step of `play.advance`, so one turn must fit; it always does (27
recyclings of 128 cards and a few hundred words). `sim.watch.trace` turns it into the event log of
the contract. Cards stand in it by number.
"""

from __future__ import annotations

import math

import numpy as np

from .codes import Note
from .jit import inline, kernel, unit
from .layout import LOG_WORDS, NONE

#: Points that no estimate comes near: what is as large means never, or for certain.
BEYOND = 1e7
NO_ESTIMATE = -(2**31)


@inline
def _begin(log, size, kind):
    """Mutates: room for an event of `size` words, two of them its head; where its payload begins.

    NONE, and `full` is set, if it does not fit.
    """
    at = np.int64(log.used)
    if at + size > LOG_WORDS:
        log.full = 1
        return np.int64(NONE)
    log.words[at] = size
    log.words[at + 1] = kind
    log.used = at + size
    return at + 2


@kernel
def note(state, kind, a, b, c, d, e):
    """Log an event with up to five int words of payload; nothing unless the log is on."""
    if state.log.on:
        _write(state, kind, a, b, c, d, e)


@unit  # batches never write: so it is not to be repeated wherever something is noted
def _write(state, kind, a, b, c, d, e):
    at = _begin(state.log, 7, kind)
    if at >= 0:
        words = state.log.words
        words[at] = a
        words[at + 1] = b
        words[at + 2] = c
        words[at + 3] = d
        words[at + 4] = e
    return 0


@kernel
def note_pluck(state, seat, reference, hit, cards, gift_cards):
    """Log a pluck: the claim stands in `State.target`, gifts in `State.gift`.

    `cards` and `gift_cards` are tuples of two ints.
    """
    if state.log.on == 0:
        return
    at = _begin(state.log, 15, Note.PLUCK)
    if at < 0:
        return
    words = state.log.words
    words[at] = seat
    words[at + 1] = state.from_draw
    words[at + 2] = reference
    words[at + 3] = hit
    words[at + 4] = state.n_targets
    for k in range(2):
        words[at + 5 + k] = state.target[k]
        words[at + 7 + k] = cards[k]
        words[at + 9 + k] = state.gift[k]
    # Gifts are at most two: both cards share one word.
    words[at + 11] = (gift_cards[0] & 0xFF) | ((gift_cards[1] & 0x7F) << 8)
    words[at + 12] = state.claims


@kernel
def note_recycle(state):
    """Log a recycling: its number, and the whole new draw pile, first card first."""
    if state.log.on == 0:
        return
    at = _begin(state.log, 3 + np.int64(state.pile_size), Note.RECYCLE)
    if at < 0:
        return
    state.log.words[at] = state.recyclings
    for k in range(state.pile_size):
        state.log.words[at + 1 + k] = state.pile[k]


@kernel
def note_why(state, seat, question):
    """Log the estimates behind a heuristic player's answer, in hundredths; NaN is NO_ESTIMATE."""
    at = _begin(state.log, 12, Note.WHY)
    if at < 0:
        return
    words = state.log.words
    words[at] = seat
    words[at + 1] = question
    for k in range(4):
        words[at + 2 + k] = state.answer[k]
        why = state.why[k]
        if math.isnan(why):
            words[at + 6 + k] = np.int32(NO_ESTIMATE)
        else:
            words[at + 6 + k] = np.int32(round(100.0 * min(max(why, -BEYOND), BEYOND)))
        state.why[k] = math.nan
