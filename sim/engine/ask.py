"""The one narrow place where decisions are asked for.

A question is put to a seat; its policy writes `State.answer`; the verdict of `legal.judge`
decides whether it stands. What each question's answer looks like is written in `layout.py`.
"""

from __future__ import annotations

import numpy as np

from ..core.codes import KIND, Fault
from ..core.jit import inline, unit
from ..core.knowledge import who_recalls
from ..core.layout import MAX_PLAYERS
from ..core.legal import judge
from ..core.log import note_why
from ..core.memory import recall
from ..core.rng import own_chance
from ..policies import heuristic, random_legal, scripted


@inline
def who_may_claim(state, table, card, matches, seen_by):
    """Seats that could claim if they were asked, one bit each; spares most questions of a window.

    `matches` and `seen_by` are as for `pluck.race`.
    """
    seats = np.int64(0)  # that could claim whatever they know
    others = np.int64(0)  # that have cards and not the turn
    for seat in range(MAX_PLAYERS):  # a fixed number is quicker
        kind = table.policy[state.who[seat]]
        may = (kind != KIND.heuristic) | heuristic.has_hunch(state, table, seat)
        seats |= np.int64(may) << np.int64(seat)
        others |= np.int64(state.n_cards[seat] > 0) << np.int64(seat)
    others &= (np.int64(1) << np.int64(state.players)) - 1
    others &= ~(np.int64(1) << np.int64(state.active))
    if table.fading:
        if table.crowding:
            for seat in range(state.players):
                recall(state, table, seat)
        return (seats | who_recalls(state, table, card, matches)) & others
    return (seats | seen_by) & others  # nothing that was seen has left a mind


@inline
def _is_open(state, table, seat):
    """Whether a seat must be asked, since its answer hangs on more than what it knows."""
    who = state.who[seat]
    return table.policy[who] != KIND.heuristic or table.blunder_rate[who] > 0.0 or state.log.on != 0


@inline
def may_take(state, table, seat):
    """Whether a seat, asked for a source, could take the top discard; spares most such questions.

    Whoever is asked all the same, for its reasons to be noted, answers no.
    """
    return _is_open(state, table, seat) or heuristic.may_take(state, table, seat)


@inline
def may_call(state, table, seat):
    """Whether asking a seat for a call of BAO could bring one; as `may_take`."""
    if _is_open(state, table, seat):
        return True
    recall(state, table, seat)
    return heuristic.may_call(state, table, seat)


@unit
def ask(state, table, seat, question):
    """Put a question to a seat; afterwards `State.answer` is legal, or `State.fault` is set."""
    seat &= 7  # tells the compiler that no index is negative
    kind = table.policy[state.who[seat]]
    if kind == KIND.heuristic:
        recall(state, table, seat)
        if own_chance(state, seat, table.blunder_rate[state.who[seat]]):
            random_legal.decide(state, table, seat, question)
        else:
            heuristic.decide(state, table, seat, question)
        if state.log.on:
            note_why(state, seat, question)
    elif kind == KIND.random:
        random_legal.decide(state, table, seat, question)
    else:
        scripted.decide(state, table, seat, question)
        return 0
    broken = judge(state, table, seat, question)
    if broken != 0:
        # A shipped policy never answers against a rule: this is a bug, and it is reported.
        state.fault = Fault.ILLEGAL
        state.fault_rules = broken
        state.fault_question = question
        state.fault_seat = seat
    return 0
