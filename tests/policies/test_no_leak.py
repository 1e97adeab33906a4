"""Design idea 2: a policy sees only what its seat may know.

At moments of random rounds, every question that a seat could be asked is asked twice: once as
things are, and once after all the cards that the seat does not have in mind have been shuffled
among their places (draw pile, under pile, unknown or forgotten face-down cards, and those that
it takes for others). Which places were kept, locked or looked at by whom is public and stays
with the place. The decision must be the same, and it must use as many random numbers.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import sim.policies
from sim.core.codes import QUESTIONS, Ask
from sim.core.jit import entry
from sim.core.layout import NONE
from sim.game.study import Study
from tests.support.chance import SCALE, scaled
from tests.support.minds import (
    Decide,
    bring_to_mind,
    decision,
    moments,
    questions,
    shipped,
    shuffle_hidden,
)
from tests.support.states import copy_state
from tests.support.studies import random_deck, random_heuristic, random_player, random_rules

#: The most moments of one round.
MOMENTS = 6


# --- three policies that peek, each in its own way ----------------------------------------------


@entry
def peeks_at_the_draw_pile(state, table, seat, question):
    """Takes the discard if the card that it would draw is worse."""
    top = state.discards[state.n_discards - 1]
    draws = state.pile[state.drawn] if state.drawn < state.pile_size else top
    state.answer[0] = NONE if table.value[draws] < table.value[top] else 0


@entry
def peeks_at_face_down_cards(state, table, seat, question):
    """Looks at the place of the lowest card on the table."""
    best = 99
    for owner in range(state.players):
        for slot in range(state.n_slots[owner]):
            card = state.slot_card[owner, slot]
            if card >= 0 and table.value[card] < best:
                best = table.value[card]
                state.answer[0] = owner * 128 + slot


@entry
def counts_on_a_rivals_knowledge(state, table, seat, question):
    """Calls BAO by what the next seat's own sum says."""
    rival = (seat + 1) % state.players
    state.answer[0] = 1 if state.own_sum[rival] + state.pool_sum[rival] > 200 else 0


# --- moments and questions ----------------------------------------------------------------------


def leak_study(seed: int) -> Study:
    r = random.Random(seed)
    players = r.randint(2, 6)
    rules = random_rules(r) | {"max_turns": 200, "recycle_limit": r.choice([0, 2, 3])}
    hand = rules.get("hand_size", 5)
    deck: Any = r.choice(["five_per_value", "five_per_power"])
    if r.random() < 0.5:
        deck = random_deck(r, players * max(hand, 5) + r.choice([2, 6, 25]))
    return Study.of(
        players=[
            random_heuristic(r) if r.random() < 0.6 else random_player(r) for _ in range(players)
        ],
        edition=r.choice(["first", "second"]),
        deck=deck,
        rules=rules,
        rounds=1,
        seed=seed,
    )


def leaks(decide: Decide, seeds: range, only: int | None = None) -> tuple[Counter[str], int]:
    """Decisions that change when hidden cards do, by question; and how many were compared."""
    found: Counter[str] = Counter()
    compared = 0
    for seed in seeds:
        r = random.Random(seed)
        for state, table in islice(moments(leak_study(seed), r), MOMENTS):
            for seat in range(state.players):
                for question, asked in questions(state, table, seat, r):
                    if only not in (None, question):
                        continue
                    asked = copy_state(asked)
                    bring_to_mind(asked, table, seat)
                    shuffled = shuffle_hidden(asked, table, seat, question, r)
                    before = decision(decide, copy_state(asked), table, seat, question)
                    after = decision(decide, shuffled, table, seat, question)
                    compared += 1
                    found[QUESTIONS[question]] += before != after
    return +found, compared


BATCHES = 4
STUDIES = scaled(120, least=16)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_shipped_policy_sees_hidden_cards(batch: int) -> None:
    share = STUDIES // BATCHES + 1
    found, compared = leaks(shipped, range(batch * share, (batch + 1) * share))
    assert compared > (50 * share if SCALE >= 1 else 0)
    assert not found


def test_every_question_is_asked() -> None:
    """The harness would be blind to a question that never comes up."""
    asked: Counter[int] = Counter()
    for seed in range(40):
        r = random.Random(seed)
        for state, table in islice(moments(leak_study(seed), r), 2):
            for seat in range(state.players):
                asked.update(question for question, _state in questions(state, table, seat, r))
    assert set(asked) == set(range(len(QUESTIONS)))


@pytest.mark.parametrize(
    ("policy", "question"),
    [
        (peeks_at_the_draw_pile, Ask.SOURCE),
        (peeks_at_face_down_cards, Ask.LOOK),
        (counts_on_a_rivals_knowledge, Ask.BAO),
    ],
    ids=["draw pile", "face-down cards", "a rival's knowledge"],
)
def test_the_harness_finds_a_policy_that_peeks(policy: Decide, question: int) -> None:
    found, compared = leaks(policy, range(10), only=question)
    assert found[QUESTIONS[question]] > 0.05 * compared > 0


# --- the source of the policies -----------------------------------------------------------------

POLICIES = Path(sim.policies.__file__).parent
#: Fields of the state that hold hidden cards, or what others know.
HIDDEN = {"pile", "under", "log", "script", "recycled", "key1", "key2", "round_bits"}


def functions(name: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((POLICIES / f"{name}.py").read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def attributes(node: ast.AST) -> set[str]:
    return {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def policies() -> list[str]:
    names = {path.stem for path in POLICIES.glob("*.py")}
    return sorted(names - {"__init__", "scripted"})


def test_the_policies_are_found() -> None:
    assert {"heuristic", "random_legal"} <= set(policies())


@pytest.mark.parametrize("name", policies())
def test_policies_never_name_a_hidden_field(name: str) -> None:
    for function, node in functions(name).items():
        assert not attributes(node) & HIDDEN, function


@pytest.mark.parametrize("name", policies())
def test_the_cards_of_a_shoebill_are_read_by_its_user_alone(name: str) -> None:
    readers = {
        function for function, node in functions(name).items() if "offer" in attributes(node)
    }
    assert readers <= {"_shoebill"}


@pytest.mark.parametrize("name", policies())
def test_values_of_face_down_cards_are_read_only_of_known_ones(name: str) -> None:
    """`table.value[state.slot_card[…]]` stands nowhere but where both cards have just been seen."""
    for function, node in functions(name).items():
        for part in ast.walk(node):
            if (
                isinstance(part, ast.Subscript)
                and isinstance(part.value, ast.Attribute)
                and part.value.attr in ("value", "family", "power", "bird")
                and "slot_card" in attributes(part.slice)
            ):
                assert function == "_macaw_swap"
