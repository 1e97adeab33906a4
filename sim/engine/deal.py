"""Setting up a round (rulebook §2)."""

from __future__ import annotations

import numpy as np

from ..core.codes import Fault
from ..core.jit import entry, kernel
from ..core.knowledge import learn_face_up, learn_lying
from ..core.layout import BAO_CALLED, NONE, RUNNING, WORDS
from ..core.memory import BEFORE
from .cards import lay, put_on_discards, put_under, settle
from .counting import clear_counts


@kernel
def clear(state, table, players):
    """Mutates: empty areas and piles; nobody knows anything; nothing has been counted."""
    zero = np.uint64(0)
    for seat in range(state.players):
        for slot in range(state.n_slots[seat]):
            state.slot_card[seat, slot] = NONE
    state.players = players
    for seat in range(players):
        state.n_slots[seat] = 0
        state.n_cards[seat] = 0
        state.used[seat] = np.uint32(0)
        state.own_fresh[seat] = 0
        state.pool_size[seat] = table.cards
        state.pool_sum[seat] = table.deck_sum
        state.memory_used[seat] = np.uint32(0)
        state.spared[seat] = 0
        state.strikes[seat] = 0
        if table.mixing:
            for family in range(table.families):
                state.window[seat, family] = BEFORE
                state.unplaced[seat, family] = table.family_size[family]
                for word in range(WORDS):
                    state.taken_for[seat, family, word] = zero
        for word in range(WORDS):
            state.held[seat, word] = zero
            state.seen[seat, word] = zero
            state.mind[seat, word] = zero
            state.mixed[seat, word] = zero
        state.total[seat] = 0
    for word in range(WORDS):
        state.lying[word] = zero
        state.kept[word] = zero
        state.dumped[word] = zero
        state.for_low[word] = zero
        state.left[word] = zero
        state.locked[word] = zero
    state.pile_size = 0
    state.drawn = 0
    state.settled = 0
    state.n_discards = 0
    state.n_under = 0
    state.recyclings = 0
    state.turn = -1
    state.left_share = 1.0
    state.lessons = 0
    state.claimed = 0
    state.plucker = NONE
    state.bao_by = NONE
    state.bao_caller = NONE
    state.bao_outcome = BAO_CALLED
    state.shield = 0
    state.final_by = NONE
    state.turns_left = NONE
    state.reason = RUNNING
    state.fault = Fault.NONE
    state.counted = 1 if state.counting and not state.deciding else 0
    if state.counted:
        clear_counts(state)


@entry
def lay_out(state, table, players, hands, slots, draw_pile, discards, under):
    """Mutates: set up a given position instead of a deal; nobody knows a face-down card.

    Args:
        state: `State` record.
        table: `Table` record.
        players: int, 2 to 6.
        hands: int16, players × MAX_SLOTS: card in each slot, NONE for an empty one.
        slots: int16, players: how many slots each has used.
        draw_pile: int16: first is drawn first.
        discards: int16: last is the visible top.
        under: int16: in the order in which cards were slipped under.
    """
    clear(state, table, players)
    for seat in range(players):
        state.n_slots[seat] = slots[seat]
        for slot in range(slots[seat]):
            if hands[seat, slot] >= 0:
                lay(state, table, seat, slot, np.int64(hands[seat, slot]))
    for k in range(len(draw_pile)):
        state.pile[k] = draw_pile[k]
    state.pile_size = len(draw_pile)
    state.settled = len(draw_pile)
    for k in range(len(discards)):
        put_on_discards(state, table, np.int64(discards[k]))
    for k in range(len(under)):
        put_under(state, np.int64(under[k]))


@kernel
def deal(state, table, first):
    """SET-1 to SET-3: shuffle, deal, look, turn up the first discard. The keys are set already."""
    players = state.players
    hand = table.hand_size[players]
    for card in range(table.cards):
        state.pile[card] = card
    state.pile_size = table.cards
    dealt = players * hand + 1
    state.hand = hand
    settle(state, table.cards if state.log.on else dealt)
    for seat in range(players):
        for slot in range(hand):
            card = np.int64(state.pile[seat * hand + slot])
            state.dealt_cards[seat * hand + slot] = card
            lay(state, table, seat, slot, card)
        state.n_slots[seat] = hand
        for slot in range(min(table.rule_peeks, hand)):
            learn_lying(state, table, seat, np.int64(state.slot_card[seat, slot]))
    card = np.int64(state.pile[dealt - 1])
    state.discards[0] = card
    state.n_discards = 1
    learn_face_up(state, table, card)
    state.drawn = dealt
    state.first = first
    state.active = first
