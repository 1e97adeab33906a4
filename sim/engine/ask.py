"""The one narrow place where decisions are asked for.

A question is put to a seat; its policy writes `State.answer`; the verdict of `legal.judge`
decides whether it stands. What each question's answer looks like is written in `state.py`.
"""

from __future__ import annotations

from ..policies import heuristic, random_legal, scripted
from .events import note_why
from .jit import kernel, unit
from .legal import judge
from .memory import recall
from .rng import own_chance
from .state import FAULT_ILLEGAL, HEURISTIC, RANDOM


@kernel
def may_claim(state, table, seat, card, matches):
    """Whether asking a seat for a claim could bring one; spares most questions of a window."""
    if table.policy[state.who[seat]] != HEURISTIC:
        return True
    return heuristic.may_claim(state, table, seat, card, matches)


@unit
def ask(state, table, seat, question):
    """Put a question to a seat; afterwards `State.answer` is legal, or `State.fault` is set."""
    seat &= 7  # tells the compiler that no index is negative
    kind = table.policy[state.who[seat]]
    if kind == HEURISTIC:
        recall(state, table, seat)
        if own_chance(state, seat, table.blunder_rate[state.who[seat]]):
            random_legal.decide(state, table, seat, question)
        else:
            heuristic.decide(state, table, seat, question)
        if state.logging:
            note_why(state, seat, question)
    elif kind == RANDOM:
        random_legal.decide(state, table, seat, question)
    else:
        scripted.decide(state, table, seat, question)
        return 0
    broken = judge(state, table, seat, question)
    if broken != 0:
        # A shipped policy never answers against a rule: this is a bug, and it is reported.
        state.fault = FAULT_ILLEGAL
        state.fault_rules = broken
        state.fault_question = question
        state.fault_seat = seat
    return 0
