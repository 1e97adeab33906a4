"""The piles: drawing, discarding, recycling; and cards that enter or leave an area."""

from __future__ import annotations

import numpy as np

from ..core.codes import OPTION, Note
from ..core.jit import kernel
from ..core.knowledge import bit, forget_all, learn_face_up
from ..core.layout import BAO_VOID, NONE
from ..core.log import note, note_recycle
from ..core.rng import STREAM_DEAL, STREAM_RECYCLE, below, number

#: So many cards of the draw pile are settled at a time: each waits for no other.
AHEAD = 4


@kernel
def settle(state, upto):
    """Mutates: fix the order of the draw pile up to position `upto` (Fisher-Yates from the top).

    Position k is decided by number k of its stream, whenever it is needed, so the order of
    the whole pile is the same however much of it is drawn.
    """
    stream = STREAM_DEAL
    base = 0
    if state.recyclings > 0:
        stream = STREAM_RECYCLE
        base = state.recyclings << 7
    n = state.pile_size
    for k in range(state.settled, upto):
        j = k + below(number(state, stream, base + k), n - k)
        card = state.pile[j]
        state.pile[j] = state.pile[k]
        state.pile[k] = card
    state.settled = max(state.settled, upto)


@kernel
def start_final_phase(state, table):
    """FINAL-1, FINAL-4: the recycling that starts the automatic final phase, unless BAO stands."""
    if state.final_by >= 0:
        return
    if state.bao_by >= 0:
        if table.rule_recycle_after_bao != OPTION.recycle_after_bao.override:
            return
        state.bao_by = NONE
        state.shield = 0
        state.bao_outcome = BAO_VOID
    state.final_by = np.int64(state.active)
    state.turns_left = state.players - 1
    note(state, Note.FINAL_PHASE, state.final_by, 0, 0, 0, 0)


@kernel
def recycle(state, table):
    """REC-1 to REC-4: rebuild the empty draw pile; returns False if there is nothing to recycle."""
    top = state.n_discards - 1
    n = max(top, 0) + state.n_under
    if n == 0:
        return False
    for k in range(top):
        state.pile[k] = state.discards[k]
    base = max(top, 0)
    for k in range(state.n_under):
        state.pile[base + k] = state.under[k]
    if top > 0:
        state.discards[0] = state.discards[top]
        state.n_discards = 1
    state.n_under = 0
    state.recyclings += 1
    state.pile_size = n
    state.drawn = 0
    state.settled = 0
    for k in range(n):
        forget_all(state, table, state.pile[k])
    if state.script.next_pile < state.script.n_piles:
        _given_order(state, table)
    if state.log.on:
        settle(state, n)
        note_recycle(state)
    if state.recyclings == table.rule_recycle_limit:
        start_final_phase(state, table)
    return True


@kernel
def _given_order(state, table):
    """A scenario names the draw pile after a recycling: put the cards into that order.

    Cards are named by bird; which of several equal cards comes first makes no difference.
    """
    n = state.script.pile_size[state.script.next_pile]
    fits = n == state.pile_size
    for k in range(min(n, state.pile_size)):
        wanted = state.script.piles[state.script.pile_at + k]
        found = NONE
        for j in range(k, state.pile_size):
            if table.bird[state.pile[j]] == wanted:
                found = j
                break
        if found < 0:
            fits = False
            break
        card = state.pile[found]
        state.pile[found] = state.pile[k]
        state.pile[k] = card
    if not fits and state.script.wrong_pile < 0:
        state.script.wrong_pile = state.script.next_pile
    state.settled = state.pile_size
    state.script.pile_at += n
    state.script.next_pile += 1


@kernel
def can_draw(state):
    """Whether a card could be drawn now, with a recycling if need be (REC-3)."""
    return state.drawn < state.pile_size or max(state.n_discards - 1, 0) + state.n_under > 0


@kernel
def draw(state, table):
    """The next card of the draw pile, after a recycling if it is empty; NONE if there is none."""
    if state.drawn >= state.pile_size and not recycle(state, table):
        return NONE
    k = state.drawn
    if k >= state.settled:
        settle(state, min(k + AHEAD, state.pile_size))
    state.drawn = k + 1
    return np.int64(state.pile[k])


@kernel
def put_on_discards(state, table, card):
    """Mutates: the card lies face up on top of the discard pile; everybody has seen it."""
    state.discards[state.n_discards] = card
    state.n_discards += 1
    learn_face_up(state, table, card)


@kernel
def discard(state, table, seat, card):
    """Put a drawn card on the discard pile and log it."""
    put_on_discards(state, table, card)
    note(state, Note.DISCARD, seat, card, 0, 0, 0)


@kernel
def put_under(state, card):
    """Mutates: the card is slipped face down under the discard pile."""
    state.under[state.n_under] = card
    state.n_under += 1


@kernel
def lay(state, table, owner, slot, card):
    """Mutates: a card comes to lie face down in an empty slot."""
    word = card >> 6
    state.slot_card[owner, slot] = card
    state.place[card] = owner << 7 | slot
    state.held[owner, word] |= bit(card)
    state.lying[word] |= bit(card)
    state.n_cards[owner] += 1
    state.total[owner] += table.value[card]
    state.own_fresh[owner] = 0


@kernel
def lift(state, table, owner, slot):
    """Mutates: the card of a slot leaves the area, and with it its lock; returns the card."""
    card = np.int64(state.slot_card[owner, slot])
    word = card >> 6
    state.slot_card[owner, slot] = NONE
    state.held[owner, word] &= ~bit(card)
    state.lying[word] &= ~bit(card)
    state.kept[word] &= ~bit(card)
    state.dumped[word] &= ~bit(card)
    state.left[word] &= ~bit(card)
    state.locked[word] &= ~bit(card)
    state.n_cards[owner] -= 1
    state.total[owner] -= table.value[card]
    state.own_fresh[owner] = 0
    return card


@kernel
def move(state, table, owner, slot, card):
    """Mutates: a card that lies in an area goes to another owner's slot; all known of it stays.

    The slot it comes from must have been emptied or overwritten by the caller.
    """
    word = card >> 6
    old = state.place[card] >> 7
    state.held[old, word] &= ~bit(card)
    state.held[owner, word] |= bit(card)
    state.left[word] &= ~bit(card)
    state.total[old] -= table.value[card]
    state.total[owner] += table.value[card]
    state.slot_card[owner, slot] = card
    state.place[card] = owner << 7 | slot
    state.own_fresh[old] = 0
    state.own_fresh[owner] = 0


@kernel
def keep(state, card, for_low):
    """Mutates: all have seen a player choose this card.

    `for_low`: in place of one that it had looked at, and that was no higher than the mean.
    """
    word = card >> 6
    state.kept[word] |= bit(card)
    state.for_low[word] &= ~bit(card)
    if for_low:
        state.for_low[word] |= bit(card)


@kernel
def dump(state, card):
    """Mutates: all have seen a player put this card before a rival."""
    state.kept[card >> 6] &= ~bit(card)
    state.dumped[card >> 6] |= bit(card)


@kernel
def free_slot(state, table, owner):
    """SLOT-3: the slot that an added card takes."""
    used = state.n_slots[owner]
    holes = used > state.n_cards[owner]
    if holes and (
        table.rule_added_card_slot == OPTION.added_card_slot.fill_empty
        or used >= table.slot_numbers
    ):
        for slot in range(used):
            if state.slot_card[owner, slot] < 0:
                return slot
    state.n_slots[owner] = used + 1
    return used


@kernel
def add_card(state, table, owner, card):
    """SLOT-3: a card is added to an area, unseen; returns its slot."""
    slot = np.int64(free_slot(state, table, owner))
    lay(state, table, owner, slot, card)
    return slot
