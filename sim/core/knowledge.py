"""Who knows what (rulebook §14). Policies read hidden cards through this module alone.

`seen[viewer]` is the set of cards whose place the viewer knows: every discard, known cards
in areas, known cards of the under pile, the card in hand. All others are the viewer's *pool*:
the draw pile and every unknown face-down card. Knowledge is about the physical card, so it
moves with the card by itself (KNOW-1).
"""

from __future__ import annotations

import math

import numpy as np

from .jit import entry, inline, kernel, popcount
from .layout import MAX_PLAYERS, NONE, WORDS
from .memory import believed, counts, drop, enter, enter_or_leave, keep_in_mind, memorise

#: What an unknown card is likely worth, in shares of one that was dealt and that nobody has looked
#: at (measured in play among good players): one that somebody chose for the own area, the same in
#: place of a card known to be low, and one that somebody put before a rival.
KEPT_SHARE = 0.65
KEPT_FOR_LOW_SHARE = 0.28
DUMPED_SHARE = 1.2
#: A card from the deal that its owner has looked at and left: 1 over 1 and this for each turn.
LEFT_A_TURN = 0.2
#: The same by number of players and turns begun, for a round's first turns: divisions are slow.
_LEFT_SHARES = 1.0 / (
    1.0 + LEFT_A_TURN * (np.arange(128) / np.maximum(np.arange(MAX_PLAYERS + 1), 1)[:, None])
)

_ONE = np.uint64(1)
_63 = np.uint64(63)
_ZERO = np.uint64(0)


@kernel
def bit(card):
    """The bit of a card (int) within its word: uint64."""
    return _ONE << np.uint64(card & 63)


@kernel
def recalls(state, viewer, card):
    """Whether a viewer has in mind which card lies at the place of this card (int, not NONE)."""
    return (state.mind[viewer, card >> 6] & bit(card)) != _ZERO


@kernel
def see(state, table, viewer, card):
    """Mutates: the viewer has a card in hand, or sees it and counts it."""
    state.seen[viewer, card >> 6] |= bit(card)
    enter(state, table, viewer, card)


@kernel
def remember(state, table, viewer, card):
    """Mutates: the viewer has seen a card that lies face down, and will remember or forget it."""
    if table.fading and table.memorises[state.who[viewer]]:
        memorise(state, viewer, card)


@kernel
def learn(state, table, viewer, card):
    """Mutates: the viewer knows from now on where this card lies."""
    see(state, table, viewer, card)
    remember(state, table, viewer, card)


@kernel
def learn_all(state, table, card):
    """Mutates: everybody knows from now on where this card lies."""
    for viewer in range(state.players):
        learn(state, table, viewer, card)


@kernel
def learn_face_up(state, table, card):
    """Mutates: a card comes to lie face up on the discard pile, before all eyes."""
    word = card >> 6
    mask = bit(card)
    if table.fading == 0:
        value = np.int64(table.value[card])
        for viewer in range(state.players):
            state.seen[viewer, word] |= mask
            keep_in_mind(state, viewer, word, mask, value)
        return
    for viewer in range(state.players):
        state.seen[viewer, word] |= mask
        if table.overlooks[state.who[viewer]]:
            enter_or_leave(state, table, viewer, card, np.int64(counts(state, table, viewer)))
        else:
            enter(state, table, viewer, card)


@kernel
def see_taken(state, table, card):
    """Mutates: everybody saw which card was taken, and where it lies; some will forget it."""
    if table.fading == 0:
        return
    for viewer in range(state.players):
        if table.fades[state.who[viewer]]:
            enter(state, table, viewer, card)
            remember(state, table, viewer, card)


@kernel
def learn_lying(state, table, viewer, card):
    """Mutates: the viewer has seen a card that lies in an area."""
    learn(state, table, viewer, card)
    if state.place[card] >> 7 == viewer:
        state.left[card >> 6] |= bit(card)
        state.own_fresh[viewer] = 0


@entry
def reveal(state, table, viewer, card):
    """Mutates: for scenarios, a viewer knows a card from the start."""
    learn_lying(state, table, viewer, card)


@kernel
def age_left(state, table):
    """Mutates: bring up to this turn what a card is likely worth that its owner has left lying."""
    turn = max(state.turn, 0)
    if turn < _LEFT_SHARES.shape[1]:
        state.left_share = _LEFT_SHARES[state.players, turn]
    else:
        state.left_share = 1.0 / (1.0 + LEFT_A_TURN * (turn / state.players))
    if table.fading:
        # An owner that has forgotten such a card thinks of it anew on each own turn.
        seat = state.active
        for word in range(WORDS):
            left = state.held[seat, word] & state.left[word]
            if (left & ~state.mind[seat, word]) != _ZERO:
                state.own_fresh[seat] = 0


@kernel
def share_of_unknown(state, card):
    """What an unknown card is likely worth for how it came to lie there: 1 for a dealt one."""
    word = card >> 6
    mask = bit(card)
    if (state.kept[word] & mask) != _ZERO:
        return KEPT_FOR_LOW_SHARE if (state.for_low[word] & mask) != _ZERO else KEPT_SHARE
    if (state.dumped[word] & mask) != _ZERO:
        return DUMPED_SHARE
    if (state.left[word] & mask) != _ZERO:
        return state.left_share
    return 1.0


@kernel
def own_cards(state, table, seat):
    """Mutates: bring `State.own_…` of a seat up to date: sum, unknown cards, the highest."""
    if state.own_fresh[seat] == 0:
        _look_through(state, table, seat)


@kernel
def _look_through(state, table, seat):
    """`own_cards` after a change."""
    total = 0
    unknown = 0
    unknown_slot = NONE
    highest_share = 0.0
    shares = 0.0
    high = -32768
    high_slot = NONE
    for slot in range(state.n_slots[seat]):
        card = state.slot_card[seat, slot]
        if card < 0:
            continue
        if (state.mind[seat, card >> 6] & bit(card)) != _ZERO:
            value = table.value[believed(state, table, seat, card)]
            total += value
            if value > high:
                high = value
                high_slot = slot
        else:
            unknown += 1
            share = share_of_unknown(state, card)
            shares += share
            if share > highest_share:
                highest_share = share
                unknown_slot = slot
    state.own_sum[seat] = total
    state.own_unknown[seat] = unknown
    state.own_unknown_slot[seat] = unknown_slot
    state.own_unknown_share[seat] = highest_share
    state.own_shares[seat] = shares
    state.own_high[seat] = high
    state.own_high_slot[seat] = high_slot
    state.own_fresh[seat] = 1


@kernel
def forget_all(state, table, card):
    """Mutates: the card goes into a shuffled pile, and nobody knows where (KNOW-3)."""
    word = card >> 6
    for viewer in range(state.players):
        state.seen[viewer, word] &= ~bit(card)
        drop(state, table, viewer, card)


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
def who_has_seen(state, cards):
    """Seats that have seen any of some cards (a uint64 for each word): bit k for seat k."""
    seats = np.int64(0)
    for seat in range(MAX_PLAYERS):  # a fixed number is quicker
        known = _ZERO
        for word in range(WORDS):
            known |= cards[word] & state.seen[seat, word]
        seats |= np.int64(known != _ZERO) << np.int64(seat)
    return seats & ((np.int64(1) << np.int64(state.players)) - 1)


@kernel
def known_matches(state, table, viewer, card, word):
    """The face-down cards that a viewer has in mind as matching `card`, one word: uint64."""
    family = table.family[card]
    mine = state.mind[viewer, word] & state.lying[word]
    if table.mixing == 0:
        return mine & table.family_cards[family, word]
    own = table.family_cards[family, word] & ~state.mixed[viewer, word]
    return mine & (own | state.taken_for[viewer, family, word])


@kernel
def who_recalls(state, table, card, matches):
    """Seats that take a face-down card which they have in mind for a match of `card`.

    Bit k for seat k. `matches`: the cards that do match, a uint64 for each word.
    """
    family = table.family[card]
    seats = np.int64(0)
    for seat in range(MAX_PLAYERS):  # a fixed number is quicker
        known = _ZERO
        for word in range(WORDS):
            right = matches[word] & state.mind[seat, word]
            if table.mixing:
                right &= ~state.mixed[seat, word]
                right |= state.lying[word] & state.taken_for[seat, family, word]
            known |= right
        seats |= np.int64(known != _ZERO) << np.int64(seat)
    return seats


@kernel
def unknown_value(state, table, viewer):
    """What a viewer takes an unknown card to be worth that was dealt or lies in a pile (points).

    The player's own number; or by counting: the cards that it has not placed are worth
    `pool_sum`, and those among them that somebody kept or dumped count shares of the others.
    """
    own = table.unknown_value[state.who[viewer]]
    if not math.isnan(own):
        return own
    if state.pool_size[viewer] <= 0:
        return 0.0
    more = more_shares(state, hidden_among(state, viewer, state.lying))
    return state.pool_sum[viewer] / (state.pool_size[viewer] + more)


@inline
def hidden_among(state, viewer, cards):
    """The cards of a set (a uint64 for each word) that a viewer does not have in mind."""
    mind = state.mind[viewer]
    return cards[0] & ~mind[0], cards[1] & ~mind[1]


@inline
def more_shares(state, hidden):
    """By how many shares of a dealt card unknown cards count more; less than 0 where people chose.

    `hidden`: cards that a seat does not know, a uint64 for each word.
    """
    chosen = _ZERO
    for word in range(WORDS):
        chosen |= hidden[word] & (state.kept[word] | state.dumped[word] | state.left[word])
    return 0.0 if chosen == _ZERO else _more_shares(state, hidden)


@kernel
def _more_shares(state, hidden):
    kept = 0
    for_low = 0
    left = 0
    dumped = 0
    # All words are counted before shares are reckoned: a sum of shares by word would differ, in its
    # last bit, by which cards are hidden.
    for word in range(WORDS):
        cards = hidden[word]
        chosen = state.kept[word] | state.dumped[word]
        kept += popcount(cards & state.kept[word])
        for_low += popcount(cards & state.kept[word] & state.for_low[word])
        dumped += popcount(cards & state.dumped[word])
        left += popcount(cards & state.left[word] & ~chosen)
    less = kept * (1.0 - KEPT_SHARE) + left * (1.0 - state.left_share)
    less += for_low * (KEPT_SHARE - KEPT_FOR_LOW_SHARE)
    return dumped * (DUMPED_SHARE - 1.0) - less
