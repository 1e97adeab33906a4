"""An answer against the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.batch.pack import pack
from sim.core.codes import Ask, Broken, Fault
from sim.core.jit import entry
from sim.core.layout import new_state
from sim.engine import ask as ask_module
from sim.engine.play import advance, start
from sim.game.study import Study
from sim.watch.events import EngineError, broken_rules, raise_fault


@entry
def put(state, table, seat, question):
    ask_module.ask(state, table, seat, question)


def asked(question: int, **values: Any) -> Any:
    """A state after a question to a random player that declines every power."""
    player = {"kind": "random", "decline_rate": 1.0}
    study = Study.of(players=[player, player], rounds=1, rules=values.pop("rules", {}))
    state, table = new_state(), pack(study)
    start(state, table, 0)
    advance(state, table, np.uint64(1))
    put(state, table, 1, question)
    return state


def test_an_illegal_answer_is_a_reported_bug() -> None:
    state = asked(Ask.USE)  # only an option allows to decline
    assert state.fault == Fault.ILLEGAL
    assert (state.fault_seat, state.fault_question, state.fault_rules) == (1, Ask.USE, Broken.POW_5)
    assert broken_rules(int(state.fault_rules)) == ["POW-5"]
    with pytest.raises(EngineError, match=r"seat 1 answered 'use or pass' against POW-5"):
        raise_fault(state)


def test_a_legal_answer_is_none() -> None:
    state = asked(Ask.USE, rules={"powers_optional": True})
    assert state.fault == Fault.NONE
    raise_fault(state)
