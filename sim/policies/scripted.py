"""Decisions read from a scenario file, in order; refused ones are checked and skipped.

A script is the only policy that may answer against the rules: a move marked `refused` must be
refused by one of the rules it names, and the next move then answers the same question.
"""

from __future__ import annotations

import math

from ..core.jit import kernel
from ..core.layout import (
    ASK_BAO,
    ASK_CLAIM,
    ASK_DRAWN,
    ASK_GIFT,
    ASK_LOOK,
    ASK_MACAW,
    ASK_MACAW_SWAP,
    ASK_SHOEBILL,
    ASK_SHOW,
    ASK_SOURCE,
    ASK_SWAP,
    ASK_TOCO,
    ASK_USE,
    DISCARD,
    DO_BAO,
    DO_DISCARD,
    DO_DRAW,
    DO_KEEP,
    DO_LOOK,
    DO_MACAW,
    DO_PASS,
    DO_PLUCK,
    DO_SHOEBILL,
    DO_SHOW,
    DO_SWAP,
    DO_TAKE,
    DO_TOCO,
    FAULT_ACCEPTED,
    FAULT_MISSING,
    FAULT_NONE,
    FAULT_REFUSED,
    FAULT_UNASKED,
    MOVE_A,
    MOVE_B,
    MOVE_C,
    MOVE_D,
    MOVE_DO,
    MOVE_GIFT_A,
    MOVE_GIFTS,
    MOVE_SEAT,
    NONE,
    PLUCK,
    PLUCK_2,
    PLUCK_5,
    PLUCK_11,
)
from ..core.legal import judge, judge_claim


@kernel
def next_do(state):
    """What the next move does (DO_…), NONE after the last one or after a fault."""
    if state.next_move >= state.moves or state.fault != FAULT_NONE:
        return NONE
    return state.script[state.next_move, MOVE_DO]


@kernel
def _stop(state, fault, seat, question, broken):
    """Mutates: the script cannot go on; the first fault is the one that counts."""
    if state.fault == FAULT_NONE:
        state.fault = fault
        state.fault_seat = seat
        state.fault_question = question
        state.fault_rules = broken


@kernel
def _stands(state, seat, question, broken):
    """Mutates: use up the next move, whose verdict is `broken`; True if it is the answer."""
    refused = state.script_refused[state.next_move]  # MARKED is in it wherever the move is
    if refused == 0 and broken != 0:
        _stop(state, FAULT_REFUSED, seat, question, broken)
        return False
    if refused != 0 and (broken & refused) == 0:
        _stop(state, FAULT_ACCEPTED, seat, question, broken)
        return False
    state.next_move += 1
    return refused == 0


@kernel
def _read_claim(state):
    """Mutates: the claim of the next move becomes the answer; its gifts are kept for later."""
    move = state.next_move
    state.answer[0] = PLUCK
    state.claimed_sure = math.nan
    state.answer[1] = 1 if state.script[move, MOVE_B] < 0 else 2
    state.answer[2] = state.script[move, MOVE_A]
    state.answer[3] = state.script[move, MOVE_B]
    state.gift[0] = state.script[move, MOVE_GIFT_A]
    state.gift[1] = state.script[move, MOVE_GIFT_A + 1]


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
    if state.script[state.next_move, MOVE_GIFTS] != rivals:
        return PLUCK_5 | PLUCK_11
    for k in range(rivals):
        slot = state.gift[k]
        if slot < 0 or state.slot_card[seat, slot] < 0 or (k == 1 and slot == state.gift[0]):
            return PLUCK_5 | PLUCK_11
        for target in range(n):
            if state.answer[2 + target] == (seat << 7 | slot):
                return PLUCK_5 | PLUCK_11
    return 0


@kernel
def _claim_verdict(state, table, seat, window):
    broken = judge_claim(state, table, seat, window)
    return broken if broken != 0 else _judge_gifts(state, table, seat)


@kernel
def claim(state, table):
    """The seat of the first legal claim in the script, its claim in the answer; NONE if none."""
    while next_do(state) == DO_PLUCK:
        seat = state.script[state.next_move, MOVE_SEAT]
        _read_claim(state)
        if _stands(state, seat, ASK_CLAIM, _claim_verdict(state, table, seat, 1)):
            return seat
    return NONE


@kernel
def late_claims(state, table):
    """PLUCK-2: claims that the script makes after one was accepted in this turn are refused."""
    while state.claimed != 0 and next_do(state) == DO_PLUCK:
        seat = state.script[state.next_move, MOVE_SEAT]
        _read_claim(state)
        broken = PLUCK_2 | judge_claim(state, table, seat, 1)
        _stands(state, seat, ASK_CLAIM, broken)


@kernel
def _bao(state, table):
    """A call at the end of the turn, by whatever seat the script names."""
    state.answer[0] = 0
    while next_do(state) == DO_BAO:
        seat = state.script[state.next_move, MOVE_SEAT]
        state.answer[0] = 1
        if _stands(state, seat, ASK_BAO, judge(state, table, seat, ASK_BAO)):
            return
        state.answer[0] = 0


@kernel
def _use(state, table, seat):
    """A power is used unless the script passes."""
    state.answer[0] = 1
    while next_do(state) == DO_PASS and state.script[state.next_move, MOVE_SEAT] == seat:
        state.answer[0] = 0
        if _stands(state, seat, ASK_USE, judge(state, table, seat, ASK_USE)):
            return
        state.answer[0] = 1


@kernel
def _read(state, question, do):
    """Mutates: the next move becomes the answer; returns False if it answers something else."""
    a = state.script[state.next_move, MOVE_A]
    b = state.script[state.next_move, MOVE_B]
    if question == ASK_SOURCE and do == DO_DRAW:
        state.answer[0] = NONE
    elif (question == ASK_SOURCE and do == DO_TAKE) or (question == ASK_DRAWN and do == DO_KEEP):
        state.answer[0] = a
    elif question == ASK_DRAWN and do == DO_DISCARD:
        state.answer[0] = DISCARD
    elif question == ASK_DRAWN and do == DO_PLUCK:
        _read_claim(state)
    elif (
        (question == ASK_LOOK and do == DO_LOOK)
        or (question == ASK_SHOW and do == DO_SHOW)
        or (question == ASK_TOCO and do == DO_TOCO)
    ):
        state.answer[0] = a
    elif (question == ASK_SWAP and do == DO_SWAP) or (question == ASK_MACAW and do == DO_MACAW):
        state.answer[0] = a
        state.answer[1] = b
        state.answer[2] = state.script[state.next_move, MOVE_C]
        state.script_swap = state.answer[2]
    elif question == ASK_SHOEBILL and do == DO_SHOEBILL:
        state.answer[0] = a
        state.answer[1] = b
        state.answer[2] = state.script[state.next_move, MOVE_C]
        state.answer[3] = state.script[state.next_move, MOVE_D]
    else:
        return False
    return True


@kernel
def decide(state, table, seat, question):
    """Answer a question from the script; a script that does not fit sets `State.fault`."""
    if question == ASK_GIFT:
        state.answer[0] = state.gift[state.gift_number]
        return
    if question == ASK_MACAW_SWAP:
        state.answer[0] = state.script_swap
        return
    late_claims(state, table)
    if question == ASK_BAO:
        _bao(state, table)
        return
    if question == ASK_USE:
        _use(state, table, seat)
        return
    while state.fault == FAULT_NONE:
        do = next_do(state)
        if do == NONE:
            _stop(state, FAULT_MISSING, seat, question, 0)
            return
        if state.script[state.next_move, MOVE_SEAT] != seat or not _read(state, question, do):
            _stop(state, FAULT_UNASKED, seat, question, 0)
            return
        if question == ASK_DRAWN and do == DO_PLUCK:
            broken = _claim_verdict(state, table, seat, 0)
        else:
            broken = judge(state, table, seat, question)
        if _stands(state, seat, question, broken):
            return
