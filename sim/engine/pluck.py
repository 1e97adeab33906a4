"""Plucks: claims, races, hits and misses, gifts (rulebook §5)."""

from __future__ import annotations

import numpy as np

from ..core.codes import OPTION, Ask, Fault, Note
from ..core.jit import kernel, unit
from ..core.knowledge import bit, learn_all
from ..core.layout import NONE
from ..core.log import note, note_pluck
from ..core.rng import STREAM_RACE, normal, number
from ..policies import scripted
from .ask import ask, who_may_claim
from .bao import changed_by
from .cards import add_card, discard, draw, lift, move, put_on_discards
from .counting import count_pluck


@kernel
def take_claim(state):
    """Mutates: the claim in the answer becomes the one being carried out."""
    state.n_targets = state.answer[1]
    state.target[0] = state.answer[2]
    state.target[1] = state.answer[3] if state.n_targets == 2 else NONE
    state.sure = state.claimed_sure


@kernel
def reaction(state, table, seat):
    """SIM-4: a seat's reaction time (seconds, float) in this turn's window.

    Normal, cut off at 0, from the race stream at (turn, seat), whoever else claims.
    """
    who = state.who[seat]
    spread = table.reaction_sd[who]
    mean = table.reaction_mean[who]
    if spread <= 0.0:
        return mean
    return max(0.0, mean + spread * normal(number(state, STREAM_RACE, (state.turn << 3) + seat)))


@kernel
def race(state, table, card, matches, seen_by):
    """PLUCK-3: the seat that gets the attempt on a card just put down, NONE if nobody claims.

    The quickest claimant gets it; equal times go to the nearest clockwise. `matches`: the face-down
    cards that match, a uint64 for each word; `seen_by`: seats that have seen any of them, one bit
    each.
    """
    state.card = card
    state.from_draw = 0
    state.claims = 0
    if table.scripted:
        seat = scripted.claim(state, table)
        if seat >= 0:
            state.claims = 1 << seat
            take_claim(state)
        return np.int64(seat)
    if table.rule_plucks == OPTION.plucks.none:
        return np.int64(NONE)
    seats = who_may_claim(state, table, card, matches, seen_by)
    winner = np.int64(NONE)
    if seats == 0:
        return winner
    best = -1.0
    active = np.int64(state.active)
    for step in range(1, state.players):
        seat = active + step
        if seat >= state.players:
            seat -= state.players
        if (seats >> seat) & 1 == 0:
            continue
        ask(state, table, seat, Ask.CLAIM)
        if state.answer[1] == 0 or state.fault != Fault.NONE:
            continue
        state.claims |= 1 << seat
        if winner >= 0:
            # Times are asked for only in a race; one of them most often stays alone.
            if best < 0.0:
                best = reaction(state, table, winner)
            time = reaction(state, table, seat)
            if time >= best:
                continue
            best = time
        winner = seat
        take_claim(state)
    return winner


@kernel
def all_match(state, table, reference):
    """Whether every target of the claim matches the reference (CARD-4, DOUBLE-2)."""
    for k in range(state.n_targets):
        place = state.target[k]
        card = state.slot_card[place >> 7, place & 127]
        if table.family[card] != table.family[reference]:
            return False
    return True


@kernel
def _target_card(state, k):
    place = state.target[k]
    return np.int64(state.slot_card[place >> 7, place & 127])


@kernel
def _give(state, table, seat, k):
    """PLUCK-5: the gift for rival target `k` goes unseen into exactly that slot; the card given."""
    ask(state, table, seat, Ask.GIFT)
    if state.fault != Fault.NONE:
        return np.int64(NONE)
    slot = state.answer[0]
    state.gift[state.gift_number] = slot
    place = state.target[k]
    card = np.int64(state.slot_card[seat, slot])
    state.slot_card[seat, slot] = NONE
    state.n_cards[seat] -= 1
    state.n_cards[place >> 7] += 1
    move(state, table, place >> 7, place & 127, card)
    state.kept[card >> 6] &= ~bit(card)
    return card


@kernel
def _hit(state, table, seat, reference):
    """PLUCK-4 to PLUCK-6, DOUBLE-2: reference first, then the targets, then all gifts."""
    n = state.n_targets
    if state.from_draw:
        put_on_discards(state, table, reference)
    first = _target_card(state, 0)
    second = _target_card(state, 1) if n == 2 else np.int64(NONE)
    rivals = 0
    for k in range(n):
        place = state.target[k]
        put_on_discards(state, table, lift(state, table, place >> 7, place & 127))
        if place >> 7 != seat:
            rivals += 1
    given = np.int64(NONE)
    given_too = np.int64(NONE)
    state.gift_number = 0
    for k in range(n):
        if state.target[k] >> 7 != seat:
            card = _give(state, table, seat, k)
            if state.gift_number == 0:
                given = card
            else:
                given_too = card
            state.gift_number += 1
            if state.fault != Fault.NONE:
                return
    if state.counted:
        count_pluck(state, seat, n, rivals, 1)
    note_pluck(state, seat, reference, 1, (first, second), (given, given_too))
    for k in range(n):
        changed_by(state, table, state.target[k] >> 7, seat)


@kernel
def _miss(state, table, seat, reference):
    """PLUCK-7, DOUBLE-3: targets shown, reference discarded without effect, then penalties."""
    first = _target_card(state, 0)
    second = _target_card(state, 1) if state.n_targets == 2 else np.int64(NONE)
    if state.counted:
        rival = state.target[0] >> 7 != seat
        count_pluck(state, seat, state.n_targets, 1 if rival else 0, 0)
    state.gift[0] = NONE
    state.gift[1] = NONE
    note_pluck(state, seat, reference, 0, (first, second), (NONE, NONE))
    for k in range(state.n_targets):
        learn_all(state, table, _target_card(state, k))
        state.own_fresh[state.target[k] >> 7] = 0
    if state.from_draw:
        discard(state, table, seat, reference)
    for _ in range(table.rule_penalty_cards):
        card = draw(state, table)
        slot = np.int64(NONE)
        if card >= 0:
            slot = add_card(state, table, seat, card)
        note(state, Note.PENALTY, seat, slot, card, 0, 0)


@unit
def resolve(state, table, seat, reference):
    """Carry out the claim in `State.target`; 1 if it hit, else 0."""
    seat &= 7  # tells the compiler that no index is negative
    state.gift[1] = state.gift[1] if table.scripted else NONE
    if not table.scripted:
        state.gift[0] = NONE
    hit = all_match(state, table, reference)
    state.plucker = seat
    state.hit = hit
    if hit:
        _hit(state, table, seat, reference)
        return 1
    _miss(state, table, seat, reference)
    return 0
