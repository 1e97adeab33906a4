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
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim.policies
from helpers import (
    SCALE,
    bits,
    cards_in,
    copy_state,
    lying_cards,
    random_deck,
    random_heuristic,
    random_player,
    random_rules,
    scaled,
    write_set,
)
from sim.batch.pack import pack
from sim.core.codes import QUESTIONS, Ask, Fault, Stage
from sim.core.jit import entry
from sim.core.knowledge import reveal
from sim.core.layout import NONE, PLUCKS_NONE, new_state
from sim.core.memory import recall
from sim.engine.ask import ask
from sim.engine.play import advance, start
from sim.game.study import Study

Decide = Callable[[Any, Any, int, int], object]

UNTOUCHED = -77

#: The most moments of one round.
MOMENTS = 6


@entry
def bring_to_mind(state, table, seat):
    """Let a seat's mind lose what is too much for it, as the engine does before it asks."""
    recall(state, table, seat)


@entry
def shipped(state, table, seat, question):
    """The shipped policy of the seat, as the engine asks it."""
    ask(state, table, seat, question)


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


def moments(study: Study, r: random.Random) -> Iterator[tuple[Any, Any]]:
    """(state, table) between turns of one round, the order of the draw pile settled."""
    state, table = new_state(), pack(study)
    start(state, table, 0)
    state.log.on = 1
    advance(state, table, np.uint64(study.seed))
    chance = r.choice([0.05, 0.2])
    while state.stage == Stage.TURN:
        if r.random() < chance:
            moment = copy_state(state)
            moment.log.on = moment.log.used = 0
            moment.turn += 1  # the turn in which it is asked
            moment.log.words[:] = 0
            _lock_some(moment, r)
            yield moment, table
        state.log.used = 0
        advance(state, table, np.uint64(study.seed))


def _lock_some(state: Any, r: random.Random) -> None:
    """As if powers of this turn had moved some cards."""
    lying = list(lying_cards(state).values())
    locked = [card for card in lying if r.random() < 0.15] if r.random() < 0.5 else []
    write_set(state.locked, locked)


def questions(state: Any, table: Any, seat: int, r: random.Random) -> Iterator[tuple[int, Any]]:
    """Every question that a seat could be asked now, with the state in which it is asked."""
    lying = lying_cards(state)
    own = int(state.n_cards[seat])
    behind = int(state.bao_by) if state.shield else NONE
    locked = bits(state.locked)
    movable = {
        place
        for place, card in lying.items()
        if not locked >> card & 1 and (place >> 7 != behind or place >> 7 == seat)
    }
    with_cards = {place >> 7 for place in lying}
    with_movable = {place >> 7 for place in movable}

    mine = copy_state(state)
    mine.active = seat
    if own and table.rule_take_discard:
        yield Ask.SOURCE, mine
    if table.rule_bao and state.bao_by < 0 and state.final_by < 0:
        yield Ask.BAO, mine
    if own:
        yield Ask.GIFT, mine
        theirs = copy_state(state)
        theirs.active = (seat + r.randint(1, int(state.players) - 1)) % int(state.players)
        theirs.card = int(state.discards[state.n_discards - 1])
        theirs.from_draw = 0
        if table.rule_plucks != PLUCKS_NONE:
            yield Ask.CLAIM, theirs
    if state.drawn < state.pile_size:
        drawn = copy_state(mine)
        card = int(drawn.pile[drawn.drawn])
        drawn.drawn += 1
        drawn.card, drawn.from_draw = card, 1
        reveal(drawn, table, seat, card)
        yield Ask.DRAWN, drawn
    power = copy_state(mine)
    power.card = int(state.discards[state.n_discards - 1])
    if table.rule_powers_optional:
        yield Ask.USE, power
    if lying:
        yield Ask.LOOK, power
        yield Ask.SHOW, power
    if len(with_movable) > 1:
        yield Ask.SWAP, power
        a = r.choice(sorted(movable))
        b = r.choice(sorted(place for place in movable if place >> 7 != a >> 7))
        looked = copy_state(power)
        looked.target[:] = a, b
        reveal(looked, table, seat, lying[a])
        reveal(looked, table, seat, lying[b])
        yield Ask.MACAW_SWAP, looked
    if len(with_cards) > 1:
        yield Ask.MACAW, power
    if any(owner != seat and owner != behind for owner in range(state.players)):
        yield Ask.TOCO, power
    for count in (1, 2):
        if with_movable and state.pile_size - state.drawn >= count:
            offered = copy_state(power)
            offered.offer[1] = NONE
            for k in range(count):
                offered.offer[k] = int(offered.pile[offered.drawn])
                offered.drawn += 1
                reveal(offered, table, seat, int(offered.offer[k]))
            yield Ask.SHOEBILL, offered


#: What a seat thinks of one card; it stays with the place where the card lies.
MEMORIES = ("belief", "lesson", "learnt", "tried")


def hidden_places(state: Any, seat: int, question: int) -> dict[tuple[str, int], int]:
    """Where cards lie that the seat cannot tell apart: (what, where) -> card."""
    in_mind = cards_in(state.mind[seat]) - cards_in(state.mixed[seat])
    places = {("pile", k): int(state.pile[k]) for k in range(state.drawn, state.pile_size)}
    places |= {("under", k): int(state.under[k]) for k in range(state.n_under)}
    lying = lying_cards(state)
    if question == Ask.MACAW_SWAP:  # both have just been seen
        lying = {place: lying[place] for place in lying if place not in state.target}
    places |= {("area", place): card for place, card in lying.items()}
    return {where: card for where, card in places.items() if card not in in_mind}


def shuffle_hidden(state: Any, table: Any, seat: int, question: int, r: random.Random) -> Any:
    """A copy that differs in all that the seat does not know, and in nothing else."""
    other = copy_state(state)
    places = hidden_places(state, seat, question)
    hidden = list(places.values())
    unknown = set(range(int(table.cards))) - cards_in(state.seen[seat])
    assert unknown <= set(hidden)  # everything unknown lies somewhere
    shuffled = list(hidden)
    r.shuffle(shuffled)
    becomes = dict(zip(hidden, shuffled, strict=True))
    for (what, where), card in places.items():
        new = becomes[card]
        if what == "area":
            other.slot_card[where >> 7, where & 127] = new
            other.place[new] = where
        else:
            getattr(other, what)[where] = new
        for memory in MEMORIES:
            getattr(other, memory)[:, new] = getattr(state, memory)[:, card]
    public = ("lying", "kept", "for_low", "left", "dumped", "locked")
    sets = [(getattr(state, x), getattr(other, x)) for x in public]
    for name in ("held", "seen", "mind", "mixed"):
        sets += zip(getattr(state, name), getattr(other, name), strict=True)
    for viewer in range(state.players):
        sets += zip(state.taken_for[viewer], other.taken_for[viewer], strict=True)
    for before, after in sets:
        write_set(after, [becomes.get(card, card) for card in cards_in(before)])
    for rival in range(state.players):
        if rival != seat:
            # What others hold and think is none of this seat's business.
            for name in ("pool_sum", "own_sum", "own_high", "own_high_slot", "own_unknown_slot"):
                getattr(other, name)[rival] = r.randint(0, 99)
            other.unplaced[rival] = r.randint(0, 99)
    if question != Ask.SHOEBILL:
        other.offer[:] = r.sample(range(int(table.cards)), 2)
    return other


def decision(decide: Decide, state: Any, table: Any, seat: int, question: int) -> tuple[int, ...]:
    """The answer, fields that the policy left alone included, and how many numbers it used."""
    state.answer[:] = UNTOUCHED
    decide(state, table, seat, question)
    assert state.fault == Fault.NONE
    return (*(int(x) for x in state.answer), int(state.used[seat]), int(state.memory_used[seat]))


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
