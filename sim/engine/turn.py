"""A turn: source, keep or discard, window, powers, BAO (rulebook §4)."""

from __future__ import annotations

import numpy as np

from ..core.codes import OPTION, PLUCK, Ask, Fault, Note
from ..core.jit import kernel, unit
from ..core.knowledge import age_left, bit, matching, remember, see, see_taken, who_has_seen
from ..core.layout import BY_DISCARD, BY_ELIMINATED, BY_REFERENCE, NONE, SHIELD_TURNS
from ..core.legal import may_call_bao
from ..core.log import note
from ..core.memory import note_window, pass_turn
from ..policies import scripted
from .ask import ask, may_call, may_take
from .bao import call, end_of_turn
from .cards import discard, draw, keep, lay, lift, put_on_discards
from .counting import count_draw, count_turn, count_window
from .pluck import race, resolve, take_claim
from .powers import unlock, use


@kernel
def _replace(state, table, seat, slot, card):
    """SLOT-2: a card takes the place of an own card, which goes face up on the discard pile."""
    out = lift(state, table, seat, slot)
    known = (state.seen[seat, out >> 6] & bit(out)) != np.uint64(0)
    lay(state, table, seat, slot, card)
    keep(state, card, known and table.value[out] <= table.deck_mean)
    put_on_discards(state, table, out)
    note(state, Note.REPLACE, seat, slot, card, out, 0)
    return out


@kernel
def _pluck_powers(state, table, seat, reference, n, first, second):
    """POW-1 (b) and (c), DOUBLE-4: the plucker's powers after a hit, in their order.

    `reference` is the drawn reference, NONE in a window; `first` and `second` are the `n`
    eliminated cards.
    """
    if table.rule_move_lock == OPTION.move_lock.pluck:
        unlock(state)
    if n == 2 and table.rule_double_pluck_powers != OPTION.double_pluck_powers.all:
        use(state, table, seat, second, BY_ELIMINATED)
        return
    if reference >= 0:
        use(state, table, seat, reference, BY_REFERENCE)
    use(state, table, seat, first, BY_ELIMINATED)
    if n == 2:
        use(state, table, seat, second, BY_ELIMINATED)


@kernel
def _discard_power(state, table, card):
    """POW-1 (a): the power of the active player's directly discarded card."""
    if table.rule_move_lock == OPTION.move_lock.pluck:
        unlock(state)
    if table.power[card] >= 0:
        use(state, table, np.int64(state.active), card, BY_DISCARD)


@kernel
def _eliminated(state, k):
    """Eliminated card `k` of a hit of `n_targets`, before anything else is discarded."""
    return np.int64(state.discards[state.n_discards - state.n_targets + k])


@kernel
def _window(state, table, card, direct):
    """TURN-4: the window on a card put down normally, then powers in the order of POW-4.

    `direct` is True for a card drawn and discarded directly.
    """
    matches = matching(state, table, card)
    seen_by = who_has_seen(state, matches)
    plucker = race(state, table, card, matches, seen_by)
    if state.counted:
        count_window(state, table, matches, seen_by, plucker)
    if table.mixing:
        note_window(state, table, card)
    hit = False
    if plucker >= 0:
        state.claimed = 1
        hit = resolve(state, table, plucker, card) == 1
    if state.fault != Fault.NONE:
        return
    if not hit:
        if direct:
            _discard_power(state, table, card)
        return
    n = state.n_targets
    first = _eliminated(state, 0)
    second = _eliminated(state, n - 1)
    active_first = table.rule_window_power_order == OPTION.window_power_order.active_first
    if direct and active_first:
        _discard_power(state, table, card)
    _pluck_powers(state, table, plucker, NONE, n, first, second)
    if direct and not active_first:
        _discard_power(state, table, card)


@kernel
def _after_draw(state, table, seat, card):
    """TURN-2: pluck with the drawn card, keep it, or discard it directly."""
    see(state, table, seat, card)
    state.card = card
    state.from_draw = 1
    ask(state, table, seat, Ask.DRAWN)
    if table.mixing:
        state.window[seat, table.family[card]] = state.turn
    if state.fault != Fault.NONE:
        return
    action = state.answer[0]
    if state.counted:
        count_draw(state, table, seat, card, action == PLUCK)
    if action == PLUCK:
        take_claim(state)
        if resolve(state, table, seat, card) == 1 and state.fault == Fault.NONE:
            n = state.n_targets
            _pluck_powers(
                state, table, seat, card, n, _eliminated(state, 0), _eliminated(state, n - 1)
            )
    elif action >= 0:
        out = _replace(state, table, seat, action, card)
        remember(state, table, seat, card)
        _window(state, table, out, False)
    else:
        discard(state, table, seat, card)
        _window(state, table, card, True)


@kernel
def _take(state, table, seat, slot):
    """TURN-3: the top discard replaces an own card; everybody knows what lies there."""
    state.n_discards -= 1
    card = np.int64(state.discards[state.n_discards])
    note(state, Note.TAKE, seat, card, 0, 0, 0)
    out = _replace(state, table, seat, slot, card)
    see_taken(state, table, card)
    _window(state, table, out, False)


@kernel
def _source(state, table, seat):
    """TURN-1: the slot to take the top discard into, NONE to draw."""
    can_take = table.rule_take_discard and state.n_cards[seat] > 0 and state.n_discards > 0
    if not can_take and not table.scripted:
        return NONE
    if not may_take(state, table, seat):
        return NONE
    ask(state, table, seat, Ask.SOURCE)
    return state.answer[0]


@kernel
def _bao(state, table, seat):
    """TURN-5: the active player may call BAO; a script may also try where it is forbidden."""
    if table.scripted or may_call_bao(state, table, seat) == 0:
        if not may_call(state, table, seat):
            return
        ask(state, table, seat, Ask.BAO)
        if state.answer[0] == 1 and state.fault == Fault.NONE:
            call(state, table, seat)


@unit
def play_turn(state, table):
    """Play one turn of the active player, and end the round if it was the last."""
    seat = np.int64(state.active)
    state.turn += 1
    if table.fading and state.turn > 0:
        pass_turn(state, table)
    age_left(state, table)
    state.claimed = 0
    state.plucker = NONE
    if state.turns_left > 0:
        state.turns_left -= 1
    unlock(state)
    note(state, Note.TURN, state.turn, seat, 0, 0, 0)
    if state.counted and state.shield:
        state.detail[state.bao_by, SHIELD_TURNS] += 1
    slot = _source(state, table, seat)
    if state.fault == Fault.NONE:
        if slot >= 0:
            _take(state, table, seat, slot)
        else:
            card = draw(state, table)
            note(state, Note.DRAW, seat, card, 0, 0, 0)
            if card >= 0:
                _after_draw(state, table, seat, card)
    if state.fault == Fault.NONE:
        _bao(state, table, seat)
    if table.scripted:
        scripted.late_claims(state, table)
    if state.fault == Fault.NONE:
        if state.counted:
            count_turn(state)
        end_of_turn(state, table)
        state.active = seat + 1 if seat + 1 < state.players else 0
    return 0
