"""Any legal move: every move that the rules allow can happen, wrong plucks and doubles too.

Rates (parameters of players of kind "random") say how often it tries what is optional; among
targets it chooses evenly.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.codes import DISCARD, PLUCK, Ask
from ..core.jit import kernel
from ..core.layout import NONE
from ..core.legal import judge_claim, movable, movable_cards, protected
from ..core.rng import own_below, own_chance

# Which cards a pick may fall on.
ANY, MOVABLE, TARGETS = range(3)


@kernel
def _allowed(state, seat, owner, slot, kind):
    if state.slot_card[owner, slot] < 0:
        return False
    if kind == MOVABLE:
        return movable(state, seat, owner, slot)
    return kind == ANY or not protected(state, owner, seat)


@kernel
def pick(state, seat, kind, only, but):
    """A place, each card of a kind as likely: of owner `only`, not of owner `but` (or NONE)."""
    count = 0
    for owner in range(state.players):
        if owner != but and (only < 0 or owner == only):
            for slot in range(state.n_slots[owner]):
                if _allowed(state, seat, owner, slot, kind):
                    count += 1
    if count == 0:
        return NONE
    left = own_below(state, seat, count)
    for owner in range(state.players):
        if owner != but and (only < 0 or owner == only):
            for slot in range(state.n_slots[owner]):
                if _allowed(state, seat, owner, slot, kind):
                    if left == 0:
                        return owner << 7 | slot
                    left -= 1
    return NONE


@kernel
def _own_slot(state, seat):
    place = pick(state, seat, ANY, seat, NONE)
    return place & 127 if place >= 0 else NONE


@kernel
def _claim(state, table, seat, window):
    """A claim on random targets, with the rates of the player; answer[1] is 0 for none."""
    who = state.who[seat]
    state.answer[1] = 0
    state.claimed_sure = math.nan
    if state.n_cards[seat] == 0 or not own_chance(state, seat, table.pluck_rate[who]):
        return
    double = own_chance(state, seat, table.double_rate[who])
    state.answer[2] = pick(state, seat, TARGETS, NONE, NONE)
    if state.answer[2] < 0:
        return
    if double:
        state.answer[1] = 2
        state.answer[3] = pick(state, seat, TARGETS, NONE, NONE)
        if judge_claim(state, table, seat, window) == 0:
            return
    state.answer[1] = 1
    if judge_claim(state, table, seat, window) != 0:
        state.answer[2] = pick(state, seat, TARGETS, seat, NONE)
        if state.answer[2] < 0 or judge_claim(state, table, seat, window) != 0:
            state.answer[1] = 0


@kernel
def _drawn(state, table, seat):
    _claim(state, table, seat, 0)
    if state.answer[1] > 0:
        state.answer[0] = PLUCK
    elif own_chance(state, seat, table.keep_rate[state.who[seat]]):
        slot = _own_slot(state, seat)
        state.answer[0] = slot if slot >= 0 else DISCARD
    else:
        state.answer[0] = DISCARD


@kernel
def _pair(state, seat, kind):
    """Two cards of two different players, in either order; asked only where there are two."""
    state.answer[2] = 0
    state.answer[0] = pick(state, seat, kind, NONE, NONE)
    state.answer[1] = pick(state, seat, kind, NONE, state.answer[0] >> 7)


@kernel
def _toco(state, seat):
    count = 0
    for owner in range(state.players):
        if owner != seat and not protected(state, owner, seat):
            count += 1
    left = own_below(state, seat, count)
    for owner in range(state.players):
        if owner != seat and not protected(state, owner, seat):
            if left == 0:
                state.answer[0] = owner
                return
            left -= 1


@kernel
def _shoebill(state, seat):
    """Every replacement that is possible; with one card either of the two."""
    own = movable_cards(state, seat, seat) > 0
    rival = pick(state, seat, MOVABLE, NONE, seat)
    state.answer[0] = NONE
    state.answer[2] = NONE
    one_card = state.offer[1] < 0
    which = 0 if one_card else own_below(state, seat, 2)
    if one_card and own and rival >= 0:
        own = own_below(state, seat, 2) == 0
        if own:
            rival = np.int64(NONE)
    if own:
        state.answer[0] = which
        state.answer[1] = pick(state, seat, MOVABLE, seat, NONE) & 127
    if rival >= 0:
        state.answer[2] = 1 - which if own else which
        state.answer[3] = rival


@kernel
def decide(state, table, seat, question):
    """Answer a question with any legal move."""
    who = state.who[seat]
    if question == Ask.SOURCE:
        state.answer[0] = (
            _own_slot(state, seat) if own_chance(state, seat, table.take_rate[who]) else NONE
        )
    elif question == Ask.DRAWN:
        _drawn(state, table, seat)
    elif question == Ask.CLAIM:
        _claim(state, table, seat, 1)
    elif question == Ask.GIFT:
        state.answer[0] = _own_slot(state, seat)
    elif question == Ask.USE:
        state.answer[0] = 0 if own_chance(state, seat, table.decline_rate[who]) else 1
    elif question == Ask.LOOK or question == Ask.SHOW:
        state.answer[0] = pick(state, seat, ANY, NONE, NONE)
    elif question == Ask.SWAP:
        _pair(state, seat, MOVABLE)
    elif question == Ask.MACAW:
        _pair(state, seat, ANY)
    elif question == Ask.MACAW_SWAP:
        state.answer[0] = 1 if own_chance(state, seat, table.swap_rate[who]) else 0
    elif question == Ask.TOCO:
        _toco(state, seat)
    elif question == Ask.SHOEBILL:
        _shoebill(state, seat)
    elif question == Ask.BAO:
        state.answer[0] = 1 if own_chance(state, seat, table.bao_rate[who]) else 0
