"""Who knows what (rulebook §14). Policies read hidden cards through this module alone.

`seen[viewer]` is the set of cards whose place the viewer knows: every discard, known cards
in areas, known cards of the under pile, the card in hand. All others are the viewer's *pool*:
the draw pile and every unknown face-down card. Knowledge is about the physical card, so it
moves with the card by itself (KNOW-1).
"""

from __future__ import annotations

import numpy as np

from .jit import entry, kernel
from .state import NONE

_ONE = np.uint64(1)
_63 = np.uint64(63)
_ZERO = np.uint64(0)


@kernel
def bit(card):
    """The bit of a card (int) within its word: uint64."""
    return _ONE << np.uint64(card & 63)


@kernel
def knows(state, viewer, card):
    """Whether a viewer knows which card lies at the place of this card (int, not NONE)."""
    return (state.seen[viewer, card >> 6] & bit(card)) != _ZERO


@kernel
def card_at(state, viewer, place):
    """The card at a place if the viewer knows it, NONE if unknown or empty."""
    card = state.slot_card[place >> 7, place & 127]
    if card >= 0 and (state.seen[viewer, card >> 6] & bit(card)) != _ZERO:
        return card
    return NONE


@kernel
def learn(state, table, viewer, card):
    """Mutates: the viewer knows from now on where this card lies."""
    # Without a branch: whether the viewer knew the card is hard to predict.
    word = card >> 6
    mask = bit(card)
    seen = state.seen[viewer, word]
    new = np.int32((~seen & mask) != _ZERO)
    state.seen[viewer, word] = seen | mask
    state.pool_size[viewer] -= new
    state.pool_sum[viewer] -= new * table.value[card]


@kernel
def learn_all(state, table, card):
    """Mutates: everybody knows from now on where this card lies."""
    for viewer in range(state.players):
        learn(state, table, viewer, card)


@kernel
def learn_lying(state, table, viewer, card):
    """Mutates: the viewer has seen a card that lies in an area."""
    learn(state, table, viewer, card)
    state.own_fresh[viewer] = 0


@entry
def reveal(state, table, viewer, card):
    """Mutates: for scenarios, a viewer knows a card from the start."""
    learn_lying(state, table, viewer, card)


@kernel
def own_cards(state, table, seat):
    """Mutates: bring `State.own_…` of a seat up to date: sum, unknown cards, the highest."""
    if state.own_fresh[seat] == 1:
        return
    total = 0
    unknown = 0
    unknown_slot = NONE
    high = -32768
    high_slot = NONE
    for slot in range(state.n_slots[seat]):
        card = state.slot_card[seat, slot]
        if card < 0:
            continue
        if (state.seen[seat, card >> 6] & bit(card)) != _ZERO:
            value = table.value[card]
            total += value
            if value > high:
                high = value
                high_slot = slot
        else:
            if unknown == 0:
                unknown_slot = slot
            unknown += 1
    state.own_sum[seat] = total
    state.own_unknown[seat] = unknown
    state.own_unknown_slot[seat] = unknown_slot
    state.own_high[seat] = high
    state.own_high_slot[seat] = high_slot
    state.own_fresh[seat] = 1


@kernel
def forget_all(state, table, card):
    """Mutates: the card goes into a shuffled pile, and nobody knows where (KNOW-3)."""
    word = card >> 6
    for viewer in range(state.players):
        if (state.seen[viewer, word] & bit(card)) != _ZERO:
            state.seen[viewer, word] &= ~bit(card)
            state.pool_size[viewer] += 1
            state.pool_sum[viewer] += table.value[card]


@kernel
def matching(state, table, card):
    """All face-down cards in areas that match `card`, known to anybody or not: WORDS uint64.

    For engine and policies to mask with what a seat knows, never to look at by themselves.
    """
    family = table.family[card]
    return (
        state.lying[0] & table.family_cards[family, 0],
        state.lying[1] & table.family_cards[family, 1],
    )


@kernel
def known_matches(state, table, viewer, card, word):
    """The face-down cards that a viewer knows and that match `card`, one word: uint64."""
    return (
        state.seen[viewer, word]
        & state.lying[word]
        & table.family_cards[table.family[card], word]
    )


@kernel
def unknown_value(state, viewer):
    """Mean value (points, float) of the cards that the viewer has not placed."""
    if state.pool_size[viewer] <= 0:
        return 0.0
    return state.pool_sum[viewer] / state.pool_size[viewer]
