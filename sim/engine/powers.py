"""One function for each power (rulebook §7), and the lock that they share."""

from __future__ import annotations

import numpy as np

from ..core.codes import OPTION, Ask, Fault, Note, Power
from ..core.jit import kernel, unit
from ..core.knowledge import bit, learn, learn_all, learn_lying
from ..core.layout import NONE, WORDS
from ..core.legal import movable, players_with_cards, players_with_movable, toco_choices
from ..core.log import note
from ..core.memory import recall
from .ask import ask
from .bao import changed_by
from .cards import add_card, can_draw, draw, dump, keep, lay, lift, move, put_under
from .counting import count_no_effect, count_power


@kernel
def unlock(state):
    """Mutates: no card is locked any more (POW-LOCK)."""
    for word in range(WORDS):
        state.locked[word] = np.uint64(0)


@kernel
def _lock(state, table, card):
    if table.rule_move_lock != OPTION.move_lock.none:
        state.locked[card >> 6] |= bit(card)


@kernel
def _swap_places(state, table, seat, a, b):
    """Mutates: the cards at two places change places; they are locked, the Shield may rise."""
    card_a = np.int64(state.slot_card[a >> 7, a & 127])
    card_b = np.int64(state.slot_card[b >> 7, b & 127])
    move(state, table, b >> 7, b & 127, card_a)
    move(state, table, a >> 7, a & 127, card_b)
    if a >> 7 == seat:
        dump(state, card_a)
    elif b >> 7 == seat:
        dump(state, card_b)
    _lock(state, table, card_a)
    _lock(state, table, card_b)
    note(state, Note.SWAP, seat, a, b, card_a, card_b)
    changed_by(state, table, a >> 7, seat)
    changed_by(state, table, b >> 7, seat)


@kernel
def _look(state, table, seat):
    """POW-LOOK: the user alone sees one face-down card."""
    ask(state, table, seat, Ask.LOOK)
    if state.fault != Fault.NONE:
        return
    place = state.answer[0]
    card = np.int64(state.slot_card[place >> 7, place & 127])
    learn_lying(state, table, seat, card)
    note(state, Note.LOOK, seat, place, card, 0, 0)


@kernel
def _show(state, table, seat):
    """POW-SHOW: everybody sees one face-down card."""
    ask(state, table, seat, Ask.SHOW)
    if state.fault != Fault.NONE:
        return
    place = state.answer[0]
    card = np.int64(state.slot_card[place >> 7, place & 127])
    learn_all(state, table, card)
    state.own_fresh[place >> 7] = 0
    note(state, Note.SHOW, seat, place, card, 0, 0)


@kernel
def _swap(state, table, seat):
    """POW-SWAP: two movable cards of two players change places, unseen."""
    ask(state, table, seat, Ask.SWAP)
    if state.fault == Fault.NONE:
        _swap_places(state, table, seat, state.answer[0], state.answer[1])


@kernel
def _macaw(state, table, seat):
    """POW-MACAW: look at two cards of two players, then swap them or not."""
    ask(state, table, seat, Ask.MACAW)
    if state.fault != Fault.NONE:
        return
    a = state.answer[0]
    b = state.answer[1]
    state.target[0] = a
    state.target[1] = b
    for k in range(2):
        place = state.target[k]
        card = np.int64(state.slot_card[place >> 7, place & 127])
        learn_lying(state, table, seat, card)
        note(state, Note.LOOK, seat, place, card, 0, 0)
    if movable(state, seat, a >> 7, a & 127) and movable(state, seat, b >> 7, b & 127):
        ask(state, table, seat, Ask.MACAW_SWAP)
        if state.answer[0] == 1:
            _swap_places(state, table, seat, a, b)


@kernel
def _toco(state, table, seat):
    """POW-TOCO: the top of the draw pile goes unseen to an opponent."""
    ask(state, table, seat, Ask.TOCO)
    if state.fault != Fault.NONE:
        return
    owner = state.answer[0]
    card = draw(state, table)
    slot = add_card(state, table, owner, card)
    note(state, Note.ADD, seat, owner, slot, card, 0)
    changed_by(state, table, owner, seat)


@kernel
def _place(state, table, seat, place, card):
    """One replacement of a Shoebill; returns the old card, still to be put under."""
    owner = place >> 7
    slot = place & 127
    for viewer in range(state.players):
        recall(state, table, viewer)  # what has slipped a mind by now is not known to go under
    out = lift(state, table, owner, slot)
    lay(state, table, owner, slot, card)
    if owner == seat:
        keep(state, card, False)
    else:
        dump(state, card)
    if table.rule_shoebill_locks:
        _lock(state, table, card)
    note(state, Note.PLACE, seat, card, place, out, 0)
    changed_by(state, table, owner, seat)
    return out


@kernel
def _no_effect(state, seat, card, power):
    """POW-6, POW-7: the power of a card can do nothing."""
    if state.counted:
        count_no_effect(state, seat, power)
    note(state, Note.NO_EFFECT, seat, card, 0, 0, 0)


@kernel
def _shoebill(state, table, seat):
    """POW-SHOEBILL: draw two cards; one replaces an own card, the other a rival's."""
    first = draw(state, table)
    second = draw(state, table) if first >= 0 else np.int64(NONE)
    state.offer[0] = first
    state.offer[1] = second
    note(state, Note.SHOEBILL, seat, first, second, 0, 0)
    if first < 0:
        _no_effect(state, seat, np.int64(state.card), np.int64(Power.SHOEBILL))
        return
    learn(state, table, seat, first)
    if second >= 0:
        learn(state, table, seat, second)
    used = np.int64(0)
    if players_with_movable(state, seat) > 0:
        ask(state, table, seat, Ask.SHOEBILL)
        if state.fault != Fault.NONE:
            return
        own_card = state.answer[0]
        own_slot = state.answer[1]
        rival_card = state.answer[2]
        rival_place = state.answer[3]
        if own_card >= 0:
            used |= 1 << own_card
            put_under(
                state, _place(state, table, seat, seat << 7 | own_slot, state.offer[own_card])
            )
        if rival_card >= 0:
            used |= 1 << rival_card
            put_under(state, _place(state, table, seat, rival_place, state.offer[rival_card]))
    for k in range(2):
        card = np.int64(state.offer[k])
        if card >= 0 and (used >> k) & 1 == 0:
            put_under(state, card)
            note(state, Note.UNDER, seat, card, 0, 0, 0)


@kernel
def _has_effect(state, seat, power):
    """POW-6, POW-7: whether the power can do anything. A Shoebill always draws."""
    if power == Power.LOOK or power == Power.SHOW:
        return players_with_cards(state) > 0
    if power == Power.SWAP:
        return players_with_movable(state, seat) > 1
    if power == Power.MACAW:
        return players_with_cards(state) > 1
    if power == Power.TOCO:
        return toco_choices(state, seat) > 0 and can_draw(state)
    return True


@kernel
def _has_choice(state, seat, power):
    """Whether the user is asked anything, so that the power could be declined (POW-5)."""
    if power == Power.SHOEBILL:
        # A recycling between now and the draw can only free cards that a Shield protects.
        return can_draw(state) and players_with_movable(state, seat) > 0
    return True


@unit
def use(state, table, seat, card, trigger):
    """Carry out the power of a card for a seat; `trigger` is BY_DISCARD, … (POW-1)."""
    seat &= 7  # tells the compiler that no index is negative
    power = table.power[card]
    if power < 0 or state.fault != Fault.NONE:
        return 0
    state.card = card
    effect = _has_effect(state, seat, power)
    if (
        effect
        and (table.rule_powers_optional or table.scripted)
        and _has_choice(state, seat, power)
    ):
        ask(state, table, seat, Ask.USE)
        if state.fault != Fault.NONE or state.answer[0] == 0:
            return 0
    note(state, Note.POWER, seat, card, trigger, 0, 0)
    if state.counted:
        count_power(state, seat, power, trigger)
    if not effect:
        _no_effect(state, seat, card, power)
    elif power == Power.LOOK:
        _look(state, table, seat)
    elif power == Power.SHOW:
        _show(state, table, seat)
    elif power == Power.SWAP:
        _swap(state, table, seat)
    elif power == Power.MACAW:
        _macaw(state, table, seat)
    elif power == Power.TOCO:
        _toco(state, table, seat)
    else:
        _shoebill(state, table, seat)
    return 0
