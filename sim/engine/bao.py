"""BAO, the Shield, the last turns, and scores (rulebook §8 to §10)."""

from __future__ import annotations

from ..core.codes import OPTION, Note
from ..core.jit import kernel
from ..core.layout import (
    BAO_BEATEN,
    BAO_CALLED,
    BAO_TIED,
    BAO_VOID,
    BAO_WON,
    END_BAO,
    END_CAP,
    END_RECYCLING,
    RUNNING,
    SHIELD_RAISED,
)
from ..core.log import note
from .counting import count_call


@kernel
def _raise_shield(state, declarer):
    state.shield = 1
    if state.counted:
        state.detail[declarer, SHIELD_RAISED] += 1
    note(state, Note.SHIELD, declarer, 0, 0, 0, 0)


@kernel
def changed_by(state, table, owner, seat):
    """SHIELD-1, SHIELD-4: `seat` has changed the cards of `owner`; it may raise the Shield."""
    if (
        owner == state.bao_by
        and seat != owner
        and state.shield == 0
        and table.rule_shield == OPTION.shield.after_first_change
    ):
        _raise_shield(state, owner)


@kernel
def call(state, table, seat):
    """BAO-1, BAO-2: the call; every opponent then has exactly one more turn."""
    state.bao_by = seat
    state.bao_caller = seat
    state.bao_outcome = BAO_CALLED
    state.turns_left = state.players - 1
    if state.counted:
        count_call(state, seat)
    note(state, Note.BAO, seat, 0, 0, 0, 0)
    if table.rule_shield == OPTION.shield.at_once:
        _raise_shield(state, seat)


@kernel
def _score_declarer(state, table):
    """SCORE-3, SCORE-4: success, or a failure that costs."""
    by = state.bao_by
    own = state.total[by]
    state.bao_outcome = BAO_WON
    for seat in range(state.players):
        if seat != by:
            if state.total[seat] < own:
                state.bao_outcome = BAO_BEATEN
            elif state.total[seat] == own and state.bao_outcome == BAO_WON:
                state.bao_outcome = BAO_TIED
    if state.bao_outcome != BAO_WON:
        state.score[by] = max(own * table.rule_bao_failure_factor, table.rule_bao_failure_minimum)
    elif own > 0 and table.rule_bao_success == OPTION.bao_success.zero:
        state.score[by] = 0


@kernel
def finish(state, table, reason):
    """The round ends: scores, winners."""
    state.reason = reason
    for seat in range(state.players):
        state.score[seat] = state.total[seat]
    if reason == END_BAO:
        _score_declarer(state, table)
    elif state.bao_caller >= 0:
        state.bao_outcome = BAO_VOID
    lowest = state.score[0]
    for seat in range(1, state.players):
        lowest = min(lowest, state.score[seat])
    for seat in range(state.players):
        state.winner[seat] = 1 if state.score[seat] == lowest and reason != END_CAP else 0
    note(state, Note.END, reason, 0, 0, 0, 0)


@kernel
def end_of_turn(state, table):
    """BAO-3, FINAL-3, SIM-1: end the round if this was its last turn."""
    if state.turns_left == 0:
        finish(state, table, END_BAO if state.bao_by >= 0 else END_RECYCLING)
    elif state.turn + 1 >= table.rule_max_turns:
        finish(state, table, END_CAP)
    else:
        state.reason = RUNNING
