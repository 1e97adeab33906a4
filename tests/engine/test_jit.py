"""The one module that owns numba: cache folder, bit instructions; and the yardstick of `bench`."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.engine import ask as ask_module
from sim.engine import jit
from sim.engine.bench import shuffle_many
from sim.engine.jit import entry
from sim.engine.play import advance, start
from sim.engine.state import ASK_USE, FAULT_ILLEGAL, FAULT_NONE, POW_5, new_state
from sim.events import EngineError, broken_rules, raise_fault
from sim.pack import pack
from sim.study import Study


@entry
def popcount(word):
    return jit.popcount(word)


@entry
def lowest(word):
    return jit.lowest(word)


@entry
def put(state, table, seat, question):
    ask_module.ask(state, table, seat, question)


WORDS = [1, 2, 3, 2**63, 2**64 - 1, 2**32, 0xF0F0] + [
    random.Random(k).getrandbits(64) | 1 << k for k in range(64)
]


@pytest.mark.parametrize("word", WORDS)
def test_bit_instructions(word: int) -> None:
    assert int(popcount(np.uint64(word))) == bin(word).count("1")
    assert int(lowest(np.uint64(word))) == (word & -word).bit_length() - 1


def test_popcount_of_nothing() -> None:
    assert int(popcount(np.uint64(0))) == 0


# --- the cache folder ---------------------------------------------------------------------------


def test_digest_follows_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edited source, another cache: numba itself would not notice."""
    for folder in ("engine", "policies"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("one = 1\n")
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    before = jit.source_digest()
    assert jit.source_digest() == before
    (tmp_path / "policies" / "a.py").write_text("one = 2\n")
    after = jit.source_digest()
    assert after != before
    (tmp_path / "engine" / "b.py").write_text("")
    assert jit.source_digest() not in (before, after)


def test_cache_folder_is_the_packages_or_the_one_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"baobei-{jit.source_digest()}"
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert jit._cache_folder().name == name
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit._cache_folder() == tmp_path / name
    assert (tmp_path / name).is_dir()


def test_cache_folder_where_nothing_is_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package's folder, then the user's, then a temporary one."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way of a folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    monkeypatch.setattr(jit, "_PACKAGE", blocked)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert tmp_path / "user" in jit._cache_folder().parents
    monkeypatch.setattr(jit, "_writable", lambda folder: False)
    last = jit._cache_folder()
    assert last.is_dir()
    assert last.name.startswith("baobei-")
    last.rmdir()


def test_is_compiled_only_with_the_compiled_engine_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "COMPILED", True)
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    assert not jit.is_compiled()
    (tmp_path / "play.advance-1.py311.1.nbc").write_text("")
    assert jit.is_compiled()
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path / "none")
    monkeypatch.setattr(jit, "COMPILED", False)
    assert jit.is_compiled()


# --- bench --------------------------------------------------------------------------------------


def test_the_yardstick_shuffles() -> None:
    cards = np.arange(66, dtype=np.int8)
    first = shuffle_many(cards, 1, 1)
    once = cards.copy()
    assert first == cards[0]
    assert sorted(cards) == list(range(66))
    assert (cards != np.arange(66)).sum() > 50
    again = np.arange(66, dtype=np.int8)
    shuffle_many(again, 1, 1)
    assert np.array_equal(once, again)
    shuffle_many(cards, 3, 2)
    assert not np.array_equal(once, cards)


# --- an answer against the rules ----------------------------------------------------------------


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
    state = asked(ASK_USE)  # only an option allows to decline
    assert state.fault == FAULT_ILLEGAL
    assert (state.fault_seat, state.fault_question, state.fault_rules) == (1, ASK_USE, POW_5)
    assert broken_rules(int(state.fault_rules)) == ["POW-5"]
    with pytest.raises(EngineError, match=r"seat 1 answered 'use or pass' against POW-5"):
        raise_fault(state)


def test_a_legal_answer_is_none() -> None:
    state = asked(ASK_USE, rules={"powers_optional": True})
    assert state.fault == FAULT_NONE
    raise_fault(state)
