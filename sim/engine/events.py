"""What happens, written into `State.log` while `State.logging` is set.

The log is a row of int16 words: each event is its length, its kind and its payload. It is
drained after every step of `play.advance`, so one turn must fit; it always does (27
recyclings of 128 cards and a few hundred words). `sim.trace` turns it into the event log of
the contract. Cards stand in it by number.
"""

from __future__ import annotations

from .jit import kernel
from .state import LOG_WORDS

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
) = range(23)


@kernel
def note(state, kind, a, b, c, d, e):
    """Log an event with up to five int words of payload; nothing unless `logging` is set."""
    if state.logging == 0:
        return
    at = state.log_size
    if at + 7 > LOG_WORDS:
        state.log_full = 1
        return
    state.log[at] = 7
    state.log[at + 1] = kind
    state.log[at + 2] = a
    state.log[at + 3] = b
    state.log[at + 4] = c
    state.log[at + 5] = d
    state.log[at + 6] = e
    state.log_size = at + 7


@kernel
def note_pluck(state, seat, reference, hit, cards, gift_cards):
    """Log a pluck: the claim stands in `State.target`, gifts in `State.gift`.

    `cards` and `gift_cards` are tuples of two ints.
    """
    if state.logging == 0:
        return
    at = state.log_size
    if at + 14 > LOG_WORDS:
        state.log_full = 1
        return
    state.log[at] = 14
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
    state.log_size = at + 14


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
