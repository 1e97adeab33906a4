"""Decisions read from a scenario file, in order; refused ones are checked and skipped.

A script is the only policy that may answer against the rules: a move marked `refused` must be
refused by one of the rules it names, and the next move then answers the same question.
"""

from __future__ import annotations

import math

from ..core.codes import DISCARD, PLUCK, Ask, Broken, Do, Fault
from ..core.jit import kernel
from ..core.layout import NONE
from ..core.legal import judge, judge_claim


@kernel
def _move(state):
    """The next move of the script: a record of `MOVE`."""
    return state.script.moves[state.script.next]


@kernel
def next_do(state):
    """What the next move does (`Do`), NONE after the last one or after a fault."""
    if state.script.next >= state.script.n_moves or state.fault != Fault.NONE:
        return NONE
    return _move(state).do


@kernel
def _stop(state, fault, seat, question, broken):
    """Mutates: the script cannot go on; the first fault is the one that counts."""
    if state.fault == Fault.NONE:
        state.fault = fault
        state.fault_seat = seat
        state.fault_question = question
        state.fault_rules = broken


@kernel
def _stands(state, seat, question, broken):
    """Mutates: use up the next move, whose verdict is `broken`; True if it is the answer."""
    refused = state.script.refused[state.script.next]  # MARKED is in it wherever the move is
    if refused == 0 and broken != 0:
        _stop(state, Fault.REFUSED, seat, question, broken)
        return False
    if refused != 0 and (broken & refused) == 0:
        _stop(state, Fault.ACCEPTED, seat, question, broken)
        return False
    state.script.next += 1
    return refused == 0


@kernel
def _read_claim(state):
    """Mutates: the claim of the next move becomes the answer; its gifts are kept for later."""
    move = _move(state)
    state.answer[0] = PLUCK
    state.claimed_sure = math.nan
    state.answer[1] = 1 if move.b < 0 else 2
    state.answer[2] = move.a
    state.answer[3] = move.b
    state.gift[0] = move.gift[0]
    state.gift[1] = move.gift[1]


@kernel
def _judge_gifts(state, table, seat):
    """Verdict on the gifts named with a legal claim, if it hits; on a miss they are ignored."""
    n = state.answer[1]
    rivals = 0
    for k in range(n):
        place = state.answer[2 + k]
        card = state.slot_card[place >> 7, place & 127]
        if table.family[card] != table.family[state.card]:
            return 0
        if place >> 7 != seat:
            rivals += 1
    if _move(state).gifts != rivals:
        return Broken.PLUCK_5 | Broken.PLUCK_11
    for k in range(rivals):
        slot = state.gift[k]
        if slot < 0 or state.slot_card[seat, slot] < 0 or (k == 1 and slot == state.gift[0]):
            return Broken.PLUCK_5 | Broken.PLUCK_11
        for target in range(n):
            if state.answer[2 + target] == (seat << 7 | slot):
                return Broken.PLUCK_5 | Broken.PLUCK_11
    return 0


@kernel
def _claim_verdict(state, table, seat, window):
    broken = judge_claim(state, table, seat, window)
    return broken if broken != 0 else _judge_gifts(state, table, seat)


@kernel
def claim(state, table):
    """The seat of the first legal claim in the script, its claim in the answer; NONE if none."""
    while next_do(state) == Do.PLUCK:
        seat = _move(state).seat
        _read_claim(state)
        if _stands(state, seat, Ask.CLAIM, _claim_verdict(state, table, seat, 1)):
            return seat
    return NONE


@kernel
def late_claims(state, table):
    """PLUCK-2: claims that the script makes after one was accepted in this turn are refused."""
    while state.claimed != 0 and next_do(state) == Do.PLUCK:
        seat = _move(state).seat
        _read_claim(state)
        broken = Broken.PLUCK_2 | judge_claim(state, table, seat, 1)
        _stands(state, seat, Ask.CLAIM, broken)


@kernel
def _bao(state, table):
    """A call at the end of the turn, by whatever seat the script names."""
    state.answer[0] = 0
    while next_do(state) == Do.BAO:
        seat = _move(state).seat
        state.answer[0] = 1
        if _stands(state, seat, Ask.BAO, judge(state, table, seat, Ask.BAO)):
            return
        state.answer[0] = 0


@kernel
def _use(state, table, seat):
    """A power is used unless the script passes."""
    state.answer[0] = 1
    while next_do(state) == Do.PASS and _move(state).seat == seat:
        state.answer[0] = 0
        if _stands(state, seat, Ask.USE, judge(state, table, seat, Ask.USE)):
            return
        state.answer[0] = 1


@kernel
def _read(state, question, do):
    """Mutates: the next move becomes the answer; returns False if it answers something else."""
    move = _move(state)
    if question == Ask.SOURCE and do == Do.DRAW:
        state.answer[0] = NONE
    elif (question == Ask.SOURCE and do == Do.TAKE) or (question == Ask.DRAWN and do == Do.KEEP):
        state.answer[0] = move.a
    elif question == Ask.DRAWN and do == Do.DISCARD:
        state.answer[0] = DISCARD
    elif question == Ask.DRAWN and do == Do.PLUCK:
        _read_claim(state)
    elif (
        (question == Ask.LOOK and do == Do.LOOK)
        or (question == Ask.SHOW and do == Do.SHOW)
        or (question == Ask.TOCO and do == Do.TOCO)
    ):
        state.answer[0] = move.a
    elif (question == Ask.SWAP and do == Do.SWAP) or (question == Ask.MACAW and do == Do.MACAW):
        state.answer[0] = move.a
        state.answer[1] = move.b
        state.answer[2] = move.c
        state.script.swap = state.answer[2]
    elif question == Ask.SHOEBILL and do == Do.SHOEBILL:
        state.answer[0] = move.a
        state.answer[1] = move.b
        state.answer[2] = move.c
        state.answer[3] = move.d
    else:
        return False
    return True


@kernel
def decide(state, table, seat, question):
    """Answer a question from the script; a script that does not fit sets `State.fault`."""
    if question == Ask.GIFT:
        state.answer[0] = state.gift[state.gift_number]
        return
    if question == Ask.MACAW_SWAP:
        state.answer[0] = state.script.swap
        return
    late_claims(state, table)
    if question == Ask.BAO:
        _bao(state, table)
        return
    if question == Ask.USE:
        _use(state, table, seat)
        return
    while state.fault == Fault.NONE:
        do = next_do(state)
        if do == NONE:
            _stop(state, Fault.MISSING, seat, question, 0)
            return
        if _move(state).seat != seat or not _read(state, question, do):
            _stop(state, Fault.UNASKED, seat, question, 0)
            return
        if question == Ask.DRAWN and do == Do.PLUCK:
            broken = _claim_verdict(state, table, seat, 0)
        else:
            broken = judge(state, table, seat, question)
        if _stands(state, seat, question, broken):
            return
