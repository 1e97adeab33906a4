"""What is allowed: one verdict for each question, as a set of the rules that forbid the answer.

Bit k of a verdict is ``REFUSALS[k]``; 0 is legal. Policies may ask `protected`, `movable` and
the like; nothing here looks at a hidden card's identity.
"""

from __future__ import annotations

import numpy as np

from .codes import OPTION, PLUCK, Ask, Broken
from .jit import inline, kernel, popcount
from .knowledge import bit
from .layout import MAX_SLOTS, NONE, WORDS


@kernel
def protected(state, owner, seat):
    """SHIELD-3: whether the Shield forbids `seat` to change the cards of `owner`."""
    return state.shield != 0 and owner == state.bao_by and seat != owner


@kernel
def is_locked(state, card):
    """POW-LOCK: whether a power of this turn (of this pluck) has moved the card already."""
    return (state.locked[card >> 6] & bit(card)) != np.uint64(0)


@kernel
def movable(state, seat, owner, slot):
    """Whether a power of `seat` may move, swap or replace the card in this slot."""
    card = state.slot_card[owner, slot]
    return card >= 0 and not is_locked(state, card) and not protected(state, owner, seat)


@kernel
def movable_cards(state, seat, owner):
    """How many cards of `owner` a power of `seat` may move, swap or replace."""
    if protected(state, owner, seat):
        return 0
    count = 0
    for word in range(WORDS):
        count += popcount(state.held[owner, word] & ~state.locked[word])
    return count


@kernel
def players_with_movable(state, seat):
    """How many players have a card that a power of `seat` may move."""
    count = 0
    for owner in range(state.players):
        if movable_cards(state, seat, owner) > 0:
            count += 1
    return count


@kernel
def players_with_cards(state):
    """How many players have a card at all."""
    count = 0
    for owner in range(state.players):
        if state.n_cards[owner] > 0:
            count += 1
    return count


@kernel
def toco_choices(state, seat):
    """POW-TOCO: how many opponents `seat` may add a card to."""
    count = 0
    for owner in range(state.players):
        if owner != seat and not protected(state, owner, seat):
            count += 1
    return count


@kernel
def may_call_bao(state, table, seat):
    """Verdict on a call at the end of the active player's turn (BAO-1, FINAL-2)."""
    broken = 0
    if table.rule_bao == 0 or state.bao_by >= 0 or seat != state.active:
        broken |= Broken.BAO_1
    if state.final_by >= 0:
        broken |= Broken.FINAL_2 | Broken.BAO_1
    return broken


@kernel
def _bad_own_slot(state, seat, slot):
    return slot < 0 or slot >= MAX_SLOTS or state.slot_card[seat, slot] < 0


@kernel
def judge_claim(state, table, seat, window):
    """Verdict on the claim in answer[1:4]; `window` is 1 in a window, 0 after the own draw."""
    broken = 0
    n = state.answer[1]
    if table.rule_plucks == OPTION.plucks.none:
        broken |= Broken.PLUCK_1
    if window and seat == state.active:
        broken |= Broken.PLUCK_3
    if state.n_cards[seat] == 0:
        broken |= Broken.PLUCK_8 | Broken.ZERO_1
    if n < 1 or n > 2:
        return broken | Broken.DOUBLE_1
    rivals = 0
    for k in range(n):
        place = state.answer[2 + k]
        owner = place >> 7
        if owner < 0 or owner >= state.players or state.slot_card[owner, place & 127] < 0:
            broken |= Broken.PLUCK_8
        if owner != seat:
            rivals += 1
            if table.rule_plucks == OPTION.plucks.own_only:
                broken |= Broken.PLUCK_1
        if protected(state, owner, seat):
            broken |= Broken.PLUCK_9 | Broken.SHIELD_3
    if n == 2:
        if (
            state.answer[2] == state.answer[3]
            or table.rule_double_pluck == OPTION.double_pluck.none
        ):
            broken |= Broken.DOUBLE_1
        if table.rule_double_pluck == OPTION.double_pluck.own_draw_own_cards and (
            window or rivals > 0
        ):
            broken |= Broken.DOUBLE_1
        if rivals > 0 and state.n_cards[seat] - (n - rivals) < rivals:
            broken |= Broken.DOUBLE_1 | Broken.PLUCK_5
        if broken:
            broken |= Broken.DOUBLE_5
    if rivals > 0 and state.n_cards[seat] == 0:
        broken |= Broken.PLUCK_5
    return broken


@kernel
def _judge_pair(state, seat, power_rule, swaps):
    """Two face-down cards of two different players, movable if they are to be swapped."""
    broken = 0
    for k in range(2):
        place = state.answer[k]
        owner = place >> 7
        if owner < 0 or owner >= state.players or state.slot_card[owner, place & 127] < 0:
            return power_rule
        if swaps:
            if protected(state, owner, seat):
                broken |= Broken.SHIELD_3
            if is_locked(state, state.slot_card[owner, place & 127]):
                broken |= Broken.POW_LOCK
    if state.answer[0] >> 7 == state.answer[1] >> 7:
        broken |= power_rule
    return broken


@kernel
def _judge_replacement(state, seat, place):
    """One target of a Shoebill's replacement."""
    owner = place >> 7
    if owner < 0 or owner >= state.players or state.slot_card[owner, place & 127] < 0:
        return Broken.POW_SHOEBILL
    broken = 0
    if protected(state, owner, seat):
        broken |= Broken.SHIELD_3
    if is_locked(state, state.slot_card[owner, place & 127]):
        broken |= Broken.POW_LOCK
    return broken


@kernel
def _judge_shoebill(state, seat):
    """POW-SHOEBILL: every replacement that is possible, each with a card of its own."""
    broken = 0
    own_card = state.answer[0]
    rival_card = state.answer[2]
    drawn = 2 if state.offer[1] >= 0 else 1
    if own_card >= drawn or rival_card >= drawn or own_card < NONE or rival_card < NONE:
        return Broken.POW_SHOEBILL
    if own_card >= 0:
        slot = state.answer[1]
        if slot < 0 or slot >= MAX_SLOTS:
            return Broken.POW_SHOEBILL
        broken |= _judge_replacement(state, seat, seat << 7 | slot)
    if rival_card >= 0:
        broken |= _judge_replacement(state, seat, state.answer[3])
        if state.answer[3] >> 7 == seat:
            broken |= Broken.POW_SHOEBILL
        if own_card == rival_card:
            broken |= Broken.POW_SHOEBILL
    own_possible = movable_cards(state, seat, seat) > 0
    rival_possible = players_with_movable(state, seat) - (1 if own_possible else 0) > 0
    possible = min(drawn, (1 if own_possible else 0) + (1 if rival_possible else 0))
    made = (1 if own_card >= 0 else 0) + (1 if rival_card >= 0 else 0)
    if made < possible:
        broken |= Broken.POW_SHOEBILL
    return broken


@kernel
def judge_gift(state, seat, slot):
    """PLUCK-5, PLUCK-11: a gift is an own card; targets and earlier gifts have left already."""
    if _bad_own_slot(state, seat, slot):
        return Broken.PLUCK_5 | Broken.PLUCK_11
    return 0


@kernel
def _judge_source(state, table, seat, slot):
    if slot == NONE:
        return 0
    broken = 0
    if table.rule_take_discard == 0:
        broken |= Broken.TURN_1
    if state.n_discards == 0:
        broken |= Broken.TURN_3
    if state.n_cards[seat] == 0:
        broken |= Broken.TURN_6 | Broken.ZERO_1
    if _bad_own_slot(state, seat, slot):
        broken |= Broken.SLOT_2
    return broken


@inline
def judge(state, table, seat, question):
    """The verdict on `State.answer` to a question put to a seat: 0, or rules that forbid it."""
    first = state.answer[0]
    if question == Ask.SOURCE:
        return _judge_source(state, table, seat, first)
    if question == Ask.DRAWN:
        if first == PLUCK:
            return judge_claim(state, table, seat, 0)
        if first < 0:
            return 0
        broken = 0
        if state.n_cards[seat] == 0:
            broken |= Broken.TURN_6 | Broken.ZERO_1
        if _bad_own_slot(state, seat, first):
            broken |= Broken.SLOT_2
        return broken
    if question == Ask.CLAIM:
        return judge_claim(state, table, seat, 1) if state.answer[1] != 0 else 0
    if question == Ask.GIFT:
        return judge_gift(state, seat, first)
    if question == Ask.USE:
        return Broken.POW_5 if first == 0 and table.rule_powers_optional == 0 else 0
    if question == Ask.LOOK or question == Ask.SHOW:
        owner = first >> 7
        if owner < 0 or owner >= state.players or state.slot_card[owner, first & 127] < 0:
            return Broken.POW_LOOK if question == Ask.LOOK else Broken.POW_SHOW
        return 0
    if question == Ask.SWAP:
        return _judge_pair(state, seat, Broken.POW_SWAP, True)
    if question == Ask.MACAW:
        return _judge_pair(state, seat, Broken.POW_MACAW, state.answer[2] == 1)
    if question == Ask.MACAW_SWAP:
        return 0
    if question == Ask.TOCO:
        if first < 0 or first >= state.players or first == seat:
            return Broken.POW_TOCO
        return Broken.SHIELD_3 | Broken.POW_TOCO if protected(state, first, seat) else 0
    if question == Ask.SHOEBILL:
        return _judge_shoebill(state, seat)
    if question == Ask.BAO:
        return may_call_bao(state, table, seat) if first == 1 else 0
    return 0
