"""A copy of a state goes on as the state would; log, script and counts are left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.batch.pack import pack
from sim.core.codes import Ask, Stage
from sim.core.copying import copied, copy_play
from sim.core.jit import entry
from sim.core.layout import PLAY, PLAY_AND_MEMORIES, STATE, new_state
from sim.engine.ask import ask
from sim.engine.play import advance, start
from sim.game.study import Study
from tests.support.chance import scaled
from tests.support.states import copy_state
from tests.support.studies import random_study

FORGETFUL = {"base": "novice", "memory_span": 3, "count_cards": 0.5}


@entry
def copy(source, target, table):
    copy_play(source, target, table)


@entry
def put(state, table, seat, question):
    ask(state, table, seat, question)


def bytes_of(state: Any, names: Any) -> dict[str, bytes]:
    return {name: state[name].tobytes() for name in names}


def played_out(state: Any, table: Any, seed: int) -> list[dict[str, bytes]]:
    """All that play reads and writes, after each step to the end of the unit."""
    steps = []
    while state.stage != Stage.DONE:
        advance(state, table, np.uint64(seed))
        steps.append(bytes_of(state, copied(table).names))
    return steps


def test_a_state_begins_with_what_is_copied() -> None:
    for dtype in (PLAY, PLAY_AND_MEMORIES):
        assert {name: STATE.fields[name][:2] for name in dtype.names} == {
            name: dtype.fields[name][:2] for name in dtype.names
        }
    assert PLAY.itemsize <= 4096
    left = set(STATE.names) - set(PLAY_AND_MEMORIES.names)
    assert {"log", "script", "counting", "counted", "detail"} <= left


@pytest.mark.parametrize("seed", range(scaled(30, 3)))
def test_a_copy_goes_on_as_the_state_does(seed: int) -> None:
    study = random_study(seed)
    if seed % 3 == 0:
        study = study.with_changes(players=[FORGETFUL] * len(study.players))
    state, table = new_state(), pack(study)
    start(state, table, 0)
    state.log.on = 1
    for _ in range(1 + seed % 12):
        if state.stage != Stage.DONE:
            advance(state, table, np.uint64(seed))
            state.log.used = 0
    other = new_state()
    start(other, table, 7)  # a target that has been played with
    played_out(other, table, seed)
    before, own = copy_state(state), copy_state(other)
    copy(state, other, table)
    apart = set(STATE.names) - set(copied(table).names)
    assert bytes_of(other, apart) == bytes_of(own, apart)
    log = bytes_of(other, ["log", "script"])
    steps = played_out(other, table, seed)
    assert bytes_of(other, ["log", "script"]) == log
    assert bytes_of(state, STATE.names) == bytes_of(before, STATE.names)
    state.log.on = 0  # only to have room: it is not drained here
    assert played_out(state, table, seed) == steps


@pytest.mark.parametrize("players", ["balanced,sharp,novice", "random,random,random"])
def test_a_question_put_to_a_copy(players: str) -> None:
    """Its answer and the random numbers used for it are those of the state."""
    study = Study.of(players=players, rounds=1, seed=5)
    state, other, table = new_state(), new_state(), pack(study)
    start(state, table, 0)
    for _ in range(6):
        advance(state, table, np.uint64(5))
    for question in (Ask.CLAIM, Ask.BAO, Ask.USE):
        state.card = int(state.discards[state.n_discards - 1])
        for seat in range(3):
            copy(state, other, table)
            put(other, table, seat, int(question))
            put(state, table, seat, int(question))
            names = copied(table).names
            assert bytes_of(other, names) == bytes_of(state, names)
