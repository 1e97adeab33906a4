"""Memory that fades: how long it lasts, what it becomes, and that it is gone when it is gone.

`ALPHA` is the probability with which a right engine would have failed a statistical test at the
time when its seed was chosen.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import pytest

from sim.batch.pack import pack
from sim.core.codes import QUESTIONS, Ask, Stage
from sim.core.jit import entry
from sim.core.knowledge import (
    DUMPED_SHARE,
    KEPT_FOR_LOW_SHARE,
    KEPT_SHARE,
    LEFT_A_TURN,
    learn_all,
    learn_lying,
    recalls,
    see_taken,
)
from sim.core.layout import CONFIDENCE_BINS, NONE, new_state
from sim.core.memory import believed, confidence, pass_turn, recall
from sim.core.rng import set_keys
from sim.engine import cards as piles
from sim.engine.deal import clear
from sim.engine.play import advance, start
from sim.game.study import Study
from sim.policies.heuristic import CALL, DECLARER_TOTAL
from sim.watch.events import Decoder, Event, play_unit
from tests.support.chance import SCALE, chi2_limit, chi2_of, scaled
from tests.support.minds import (
    bring_to_mind,
    decision,
    hidden_places,
    moments,
    questions,
    shipped,
    shuffle_hidden,
)
from tests.support.play import play
from tests.support.states import cards_in, copy_state, lying_cards, write_set
from tests.support.studies import random_deck, random_heuristic, random_rules

ALPHA = 1e-4

#: Memories of each kind of lifetimes: rounds of this many cards each.
CARDS = 60
ROUNDS = scaled(400, least=4)

LOOKS, ALL_SEE, ALL_SEE_IT_TAKEN = range(3)
WAYS = pytest.mark.parametrize(
    "way", [LOOKS, ALL_SEE, ALL_SEE_IT_TAKEN], ids=["look", "show or miss", "take"]
)


# --- lifetimes of single memories ---------------------------------------------------------------


@entry
def lay_cards(state, table, seed, index, cards):
    """A new round: `cards` cards (0 …) lie before seat 0, in slots of their numbers."""
    set_keys(state, seed, index, 0)
    clear(state, table, 2)
    state.n_slots[0] = cards
    for card in range(cards):
        piles.lay(state, table, 0, card, card)


@entry
def lesson(state, table, turn, way, card):
    """Seat 0 sees a card in a turn: alone, with all others, or as one that somebody took."""
    state.turn = turn
    if way == LOOKS:
        learn_lying(state, table, 0, card)
    elif way == ALL_SEE:
        learn_all(state, table, card)
    else:
        state.seen[0, card >> 6] |= np.uint64(1) << np.uint64(card & 63)
        see_taken(state, table, card)


@entry
def bring_up(state, table, turn):
    """Turns pass up to this one, in which seat 0 thinks of all that it knows."""
    while state.turn < turn:
        state.turn += 1
        pass_turn(state, table)
    recall(state, table, 0)


@entry
def let_turns_pass(state, table, turns):
    """Nobody does anything for some turns."""
    for _ in range(turns):
        state.turn += 1
        pass_turn(state, table)


@entry
def take_for(state, table, card):
    """What seat 0 takes a card for: a card, or NONE if it does not have it in mind."""
    return believed(state, table, 0, card) if recalls(state, 0, card) else np.int64(NONE)


@entry
def watch(state, table, seed, first, turns, step, way, forgotten, mixed, became, changes):
    """How many turns memories last that are made in turn `first`; all memories are made twice.

    The outcome arrays, rounds × cards: turns until a card was forgotten and mixed up (0: never
    within `turns`), what it became, and how often that changed. Seat 0 thinks every `step` turns.
    """
    rounds, cards = forgotten.shape
    for index in range(rounds):
        lay_cards(state, table, seed, index, cards)
        for card in range(cards):
            lesson(state, table, 0, LOOKS, card)
        bring_up(state, table, first)
        for card in range(cards):
            lesson(state, table, first, way, card)
        for turn in range(step, turns + 1, step):
            bring_up(state, table, first + turn)
            for card in range(cards):
                now = take_for(state, table, card)
                if now < 0:
                    if forgotten[index, card] == 0:
                        forgotten[index, card] = turn
                elif now != card:
                    if mixed[index, card] == 0:
                        mixed[index, card] = turn
                        became[index, card] = now
                    elif became[index, card] != now:
                        changes[index, card] += 1
                else:
                    # Neither comes back by itself.
                    changes[index, card] += mixed[index, card] > 0 or forgotten[index, card] > 0


@dataclass(frozen=True)
class Fates:
    """What became of many memories: see `watch`."""

    forgotten: Any
    mixed: Any
    became: Any
    changes: Any


def memory_study(deck: Any = "five_per_value", **memory: Any) -> Study:
    return Study.of(players=[{"base": "balanced", **memory}, "balanced"], deck=deck, rounds=1)


def fates(
    turns: int, first: int = 0, step: int = 1, way: int = LOOKS, seed: int = 5, **memory: Any
) -> Fates:
    state, table = new_state(), pack(memory_study(**memory))
    start(state, table, 0)
    cards = min(CARDS, int(table.cards))
    out = [np.zeros((ROUNDS, cards), np.int64) for _ in range(4)]
    watch(state, table, np.uint64(seed), first, turns, step, way, *out)
    return Fates(*out)


def fits(counts: Any, chances: Any) -> bool:
    """Whether counts are as chances have them, by a chi-square test; rare outcomes are joined."""
    expected = np.asarray(chances, float) * np.sum(counts)
    joined: list[list[float]] = [[0.0, 0.0]]
    for seen, wanted in zip(counts, expected, strict=True):
        if joined[-1][1] >= 10:
            joined.append([0.0, 0.0])
        joined[-1][0] += seen
        joined[-1][1] += wanted
    if joined[-1][1] < 10 and len(joined) > 1:
        last = joined.pop()
        joined[-1][0] += last[0]
        joined[-1][1] += last[1]
    if len(joined) == 1:
        return True
    seen, wanted = np.array(joined).T
    return chi2_of(seen, wanted) < chi2_limit(len(joined) - 1, ALPHA)


def is_geometric(ends: Any, rate: float, turns: int) -> bool:
    """Whether ends (turns, 0 for none within `turns`) come at a rate per turn."""
    chances = [(1 - rate) ** turns] + [(1 - rate) ** (t - 1) * rate for t in range(1, turns + 1)]
    return fits(np.bincount(np.ravel(ends), minlength=turns + 1), chances)


def test_the_yardstick_sees_a_bias() -> None:
    dice = np.random.default_rng(1)
    ends = dice.geometric(0.1, 20_000)
    assert is_geometric(np.where(ends > 60, 0, ends), 0.1, 60)
    assert not is_geometric(np.where(ends > 60, 0, ends), 0.11, 60)
    late = np.where(ends > 8, ends + 1, ends)  # a turn too long, from some turn on
    assert not is_geometric(np.where(late > 60, 0, late), 0.1, 60)


RATES = [(0.0001, 300), (0.003, 200), (0.02, 120), (0.1, 70), (0.5, 40), (0.97, 5)]


@pytest.mark.parametrize("fading", ["forget_rate", "mix_up_rate"])
@pytest.mark.parametrize(("rate", "turns"), RATES)
def test_a_memory_lasts_a_geometric_number_of_turns(fading: str, rate: float, turns: int) -> None:
    if SCALE < 1:
        turns = min(turns, 70)
    found = fates(turns, **{fading: rate})
    ends, others = found.forgotten, found.mixed
    if fading == "mix_up_rate":
        ends, others = others, ends
    assert is_geometric(ends, rate, turns)
    assert not others.any()
    assert not found.changes.any()


def test_the_surest_and_the_shortest_memories() -> None:
    assert not fates(100).forgotten.any()
    assert (fates(2, forget_rate=1).forgotten == 1).all()
    both = fates(4, forget_rate=1, mix_up_rate=1)
    assert (both.forgotten == 1).all()
    assert not both.mixed.any()
    mixed = fates(100, mix_up_rate=1)
    assert (mixed.mixed == 1).all()
    assert not mixed.forgotten.any()


@pytest.mark.parametrize(
    ("forget", "mix", "turns"), [(0.05, 0.05, 70), (0.01, 0.2, 90), (0.6, 0.3, 20)]
)
def test_forgetting_and_mixing_up_together(forget: float, mix: float, turns: int) -> None:
    found = fates(2 * turns, forget_rate=forget, mix_up_rate=mix)
    assert not found.changes.any()  # mixed up once, and never right again
    either = 1 - (1 - forget) * (1 - mix)
    first = np.where(found.mixed > 0, found.mixed, found.forgotten)
    assert is_geometric(np.where(first > turns, 0, first), either, turns)
    ended = first > 0
    forgotten_first = int((ended & (found.mixed == 0)).sum())
    chances = [forget / either, 1 - forget / either]
    assert fits([forgotten_first, ended.sum() - forgotten_first], chances)
    # A mixed-up memory can still be forgotten, at the same rate, from then on.
    was_mixed = (found.mixed > 0) & (found.mixed <= turns)
    since = np.where(found.forgotten > 0, found.forgotten - found.mixed, 0)[was_mixed]
    assert (since >= 0).all()
    assert is_geometric(np.where(since > turns, 0, since), forget, turns)


@pytest.mark.parametrize("step", [2, 7, 50])
def test_it_makes_no_difference_how_often_a_player_thinks(step: int) -> None:
    forget, mix, turns = 0.03, 0.06, 100
    found = fates(turns, step=step, forget_rate=forget, mix_up_rate=mix)
    for t in range(step, turns + 1, step * (1 if step > 10 else 3)):
        gone = (found.forgotten > 0) & (found.forgotten <= t)
        wrong = (found.mixed > 0) & (found.mixed <= t) & ~gone
        kept, right = (1 - forget) ** t, (1 - mix) ** t
        counts = [gone.sum(), wrong.sum(), gone.size - gone.sum() - wrong.sum()]
        assert fits(counts, [1 - kept, kept * (1 - right), kept * right])


def flock(families: int) -> dict[str, Any]:
    """Families of different sizes, each of one value."""
    birds = {f"b{k}": {"value": k + 1, "copies": 16 // families + k % 2} for k in range(families)}
    return {"birds": birds}


@pytest.mark.parametrize(
    "deck", ["five_per_value", "five_per_power", *map(flock, [2, 3, 4, 5, 6, 8])]
)
def test_a_mix_up_is_to_any_of_the_nearest_families(deck: Any) -> None:
    """At most four, those next to it in value, each as likely; within one, each card as likely."""
    study = memory_study(deck=deck)
    names = [bird.family for bird in study.deck.birds]
    of_card = [list(study.deck.families).index(names[bird]) for bird in study.deck.cards]
    birds = study.deck.birds
    values = [max(b.value for b in birds if b.family == family) for family in study.deck.families]
    families = len(values)
    assert values == sorted(values)
    found = fates(1, deck=deck, mix_up_rate=1)
    became = np.array(of_card)[found.became]
    was = np.broadcast_to(of_card[: found.became.shape[1]], became.shape)
    assert (became != was).all()
    for family in set(was.flat):
        count = min(families - 1, 4)
        low = min(max(family - count // 2, 0), families - 1 - count)
        near = [other for other in range(low, low + count + 1) if other != family]
        cards = [card for card, other in enumerate(of_card) if other in near]
        chances = [1 / count / of_card.count(of_card[card]) for card in cards]
        counts = Counter(found.became[was == family].flat)
        assert set(counts) <= set(cards)
        assert fits([counts[card] for card in cards], chances)


def test_there_is_nothing_to_mix_up_in_a_single_family() -> None:
    birds = {f"b{k}": {"value": k, "family": "f", "copies": 9} for k in range(3)}
    found = fates(40, deck={"birds": birds}, mix_up_rate=1)
    assert not found.mixed.any()
    assert not found.forgotten.any()


# --- learning again -----------------------------------------------------------------------------


@WAYS
@pytest.mark.parametrize("fading", ["forget_rate", "mix_up_rate"])
def test_what_is_seen_again_is_fresh_again(fading: str, way: int) -> None:
    """However long ago a card was first seen, and whatever the player had taken it for."""
    found = fates(60, first=45, way=way, **{fading: 0.04})
    ends = found.forgotten if fading == "forget_rate" else found.mixed
    assert is_geometric(ends, 0.04, 60)


@WAYS
@pytest.mark.parametrize("memory", [{"forget_rate": 1}, {"mix_up_rate": 1}])
def test_what_is_seen_again_is_right_again(memory: dict[str, Any], way: int) -> None:
    state, table = new_state(), pack(memory_study(**memory))
    start(state, table, 0)
    lay_cards(state, table, np.uint64(3), 0, CARDS)
    for card in range(CARDS):
        lesson(state, table, 0, LOOKS, card)
    for turn in (1, 8, 9, 70):
        bring_up(state, table, turn)
        assert all(take_for(state, table, card) != card for card in range(CARDS))
        assert_consistent(state, table)
        for card in range(0, CARDS, 2):
            lesson(state, table, turn, way, card)
            assert "forget_rate" in memory or state.learnt[0, card] == turn
        bring_up(state, table, turn)
        for card in range(CARDS):
            assert (take_for(state, table, card) == card) == (card % 2 == 0)
        assert_consistent(state, table)


def shown(log: list[Event], state: Any) -> Iterator[tuple[int, set[int]]]:
    """(card, who saw it) of what was seen face down in this turn, and has not moved since."""
    everybody = set(range(state.players))
    active = None
    for k, event in enumerate(log):
        kind = event["event"]
        if kind == "turn":
            active = event["player"]
        seen: list[tuple[list[int], set[int]]] = []
        if kind == "look":
            seen = [(event["target"], {event["player"]})]
        elif kind == "show":
            seen = [(event["target"], everybody)]
        elif kind == "pluck" and not event["hit"]:
            seen = [(target, everybody) for target in event["targets"]]
        elif kind == "replace":
            taken = any(before["event"] == "take" for before in log[:k])
            seen = [([active, event["slot"]], everybody if taken else {active})]
        moved = ("swap", "place", "pluck", "recycle", "end")
        if any(later["event"] in moved for later in log[k + 1 :]):
            continue
        for (owner, slot), who in seen:
            yield int(state.slot_card[owner, slot]), who


def test_looks_misses_and_takes_make_memories_right_in_play() -> None:
    """Even of players that mix up everything by the next turn."""
    muddled = {
        "base": "balanced",
        "mix_up_rate": 1,
        "forget_rate": 0.3,
        "pluck_confidence": 0,
        "pluck_rival_confidence": 0,
        "power_appetite": 9,
        "take_max_value": 9,
    }
    checked = Counter[int]()
    for seed in range(scaled(40, least=10)):
        study = Study.of(players=[muddled] * 4, seed=seed, rounds=1, rules={"max_turns": 80})
        state, table = new_state(), pack(study)
        start(state, table, 0)
        decoder = Decoder(state, [study.deck.birds[bird].id for bird in study.deck.cards])
        state.log.on = 1
        while state.stage != Stage.DONE:
            advance(state, table, np.uint64(seed))
            for card, who in shown(list(decoder.drain()), state):
                for viewer in who:
                    assert card in cards_in(state.mind[viewer]) - cards_in(state.mixed[viewer])
                    assert state.learnt[viewer, card] == state.turn
                checked[len(who)] += 1
    assert checked[1] > 10
    assert checked[4] > 10


# --- the books ----------------------------------------------------------------------------------


def fading_player(r: random.Random) -> dict[str, Any]:
    """A heuristic player that forgets, mixes up, crowds out or overlooks, or all of it."""
    memory = {
        "forget_rate": r.choice([0, 0, 0.03, 0.3]),
        "mix_up_rate": r.choice([0, 0.03, 0.3, 1]),
        "memory_span": r.choice([128, 128, 0, 1, 3, 6]),
        "count_cards": r.choice([0, 0.5, 1, 1]),
        "pluck_confidence": r.choice([0.05, 0.3, 0.9]),
    }
    return random_heuristic(r) | memory


def fading_study(seed: int) -> Study:
    r = random.Random(seed)
    players = r.randint(2, 6)
    rules = random_rules(r) | {"max_turns": 150, "recycle_limit": r.choice([0, 2, 3])}
    rules["hand_size"] = min(rules.get("hand_size", 4), 5)
    deck: Any = r.choice(["five_per_value", "five_per_power"])
    if r.random() < 0.5:
        deck = random_deck(r, players * 5 + r.choice([2, 6, 25]))
    return Study.of(
        players=[fading_player(r) for _ in range(players)],
        edition=r.choice(["first", "second"]),
        deck=deck,
        rules=rules,
        rounds=1,
        seed=seed,
    )


def takes_for(state: Any, viewer: int, card: int) -> int:
    return int(state.belief[viewer, card]) if card in cards_in(state.mixed[viewer]) else card


def unplaced_by_family(state: Any, table: Any, viewer: int) -> list[int]:
    """How many cards of each family a seat has not placed, as it thinks."""
    placed = [takes_for(state, viewer, card) for card in cards_in(state.mind[viewer])]
    found = Counter(int(table.family[card]) for card in placed)
    return [int(table.family_size[k]) - found[k] for k in range(int(table.families))]


def assert_consistent(state: Any, table: Any) -> None:
    """What a seat has in mind, and everything that is counted from it, hang together."""
    drawable = {int(card) for card in state.pile[state.drawn : state.pile_size]}
    for viewer in range(state.players):
        mind, mixed = cards_in(state.mind[viewer]), cards_in(state.mixed[viewer])
        assert mixed <= mind <= cards_in(state.seen[viewer])
        assert not mind & drawable
        beliefs = {card: int(state.belief[viewer, card]) for card in mixed}
        assert all(table.family[beliefs[card]] != table.family[card] for card in mixed)
        assert state.pool_size[viewer] == table.cards - len(mind)
        worth = sum(int(table.value[beliefs.get(card, card)]) for card in mind)
        assert state.pool_sum[viewer] == table.deck_sum - worth
        if table.mixing:
            assert all(int(state.belief[viewer, card]) == card for card in mind - mixed)
            unplaced = state.unplaced[viewer][: table.families]
            assert unplaced.tolist() == unplaced_by_family(state, table, viewer)
            for family in range(int(table.families)):
                taken = {card for card in mixed if table.family[beliefs[card]] == family}
                assert cards_in(state.taken_for[viewer, family]) == taken
        if not table.fades[viewer]:
            assert not mixed
            assert mind == cards_in(state.seen[viewer])
        if state.own_fresh[viewer]:
            held = cards_in(state.held[viewer])
            known = [int(table.value[beliefs.get(card, card)]) for card in held & mind]
            assert state.own_sum[viewer] == sum(known)
            assert state.own_unknown[viewer] == len(held - mind)
            assert state.own_high[viewer] == max(known, default=-32768)


def test_the_books_are_right_at_any_moment() -> None:
    faded: Counter[str] = Counter()
    for seed in range(scaled(80, least=12)):
        study, r = fading_study(seed), random.Random(seed)
        state, table = new_state(), pack(study)
        start(state, table, 0)
        while state.stage != Stage.DONE:
            advance(state, table, np.uint64(seed))
            if r.random() < 0.4:
                continue
            assert_consistent(state, table)
            then = copy_state(state)
            let_turns_pass(then, table, r.choice([0, 1, 1, 5, 40, 1000]))
            for viewer in range(state.players):
                bring_to_mind(then, table, viewer)
                faded["mixed up"] += len(cards_in(then.mixed[viewer]))
                forgotten = cards_in(state.mind[viewer]) - cards_in(then.mind[viewer])
                faded["forgotten"] += len(forgotten)
                assert forgotten <= cards_in(state.lying)  # face up, and in hand, all stays
            assert_consistent(then, table)
            faded["recycled"] += int(state.recyclings > 0)
    assert min(faded.values()) > 30
    assert len(faded) == 3


def test_nobody_remembers_a_card_as_lying_that_has_left_the_table() -> None:
    """A claim is never on a place that is empty, and a recycling wipes everything out."""
    recycled = 0
    for seed in range(scaled(60, least=8)):
        study = fading_study(seed)
        state, table = new_state(), pack(study)
        start(state, table, 0)
        before = 0
        while state.stage != Stage.DONE:
            advance(state, table, np.uint64(seed))
            lying = set(lying_cards(state).values())
            assert lying == cards_in(state.lying)
            if state.recyclings > before:
                before = int(state.recyclings)
                pile = {int(card) for card in state.pile[state.drawn : state.pile_size]}
                for viewer in range(state.players):
                    for known in (state.seen, state.mind, state.mixed):
                        assert not pile & cards_in(known[viewer])
                recycled += len(pile) > 0
    assert recycled > 3


# --- a span of cards ----------------------------------------------------------------------------


@entry
def decides(state, table, seat):
    """Any question, as the engine asks it: mind comes first."""
    shipped(state, table, seat, Ask.LOOK)


def test_no_more_cards_are_in_mind_than_the_span_when_a_player_decides() -> None:
    crowded = 0
    for seed in range(scaled(40, least=5)):
        r = random.Random(seed)
        span = r.choice([0, 1, 2, 3, 5])
        player = {"base": "balanced", "memory_span": span, "power_appetite": 9}
        study = Study.of(
            players=[player] * r.randint(2, 6), deck="five_per_power", rounds=1, seed=seed
        )
        for state, table in moments(study, r):
            for viewer in range(state.players):
                lying = cards_in(state.lying)
                before = cards_in(state.mind[viewer]) & lying
                for moment in (decides, bring_to_mind):
                    then = copy_state(state)
                    moment(then, table, viewer)
                    lessons = sorted(before, key=lambda card: state.lesson[viewer, card])
                    assert len({int(state.lesson[viewer, card]) for card in before}) == len(before)
                    left = set(lessons[-span:]) if span else set()
                    assert cards_in(then.mind[viewer]) & lying == left
                    # Nothing but face-down cards is crowded out.
                    out = cards_in(state.mind[viewer]) - cards_in(then.mind[viewer])
                    assert out == before - left
                crowded += len(before) > span
    assert crowded > (20 if SCALE >= 1 else 2)


def test_seeing_a_card_again_makes_it_the_youngest_lesson() -> None:
    state, table = new_state(), pack(memory_study(memory_span=3))
    start(state, table, 0)
    lay_cards(state, table, np.uint64(1), 0, 6)
    for card in (0, 1, 2, 3, 4, 1):
        lesson(state, table, 0, LOOKS, card)
    bring_up(state, table, 0)
    assert [card for card in range(6) if take_for(state, table, card) == card] == [1, 3, 4]
    for card in (5, 3):
        lesson(state, table, 4, ALL_SEE, card)
    bring_up(state, table, 5)
    assert [card for card in range(6) if take_for(state, table, card) == card] == [1, 3, 5]


# --- the pile of cards slipped under the discards ------------------------------------------------


@pytest.mark.parametrize(
    "memory", [{"memory_span": 0}, {"forget_rate": 1, "memory_span": 99}, {"mix_up_rate": 1}]
)
def test_a_memory_that_is_due_is_gone_even_if_its_card_has_left(memory: dict[str, Any]) -> None:
    """Also where a player was not asked for anything between seeing a card and losing sight of it.

    A Shoebill's cards go under the discard pile, where nobody sees them.
    """
    swept = remembered = 0
    eager = {"base": "balanced", "power_appetite": 20, "take_max_value": 9, "bao_threshold": -20}
    for seed in range(scaled(60, least=6)):
        players = [eager | memory] * 5
        study = Study.of(players=players, deck="five_per_power", rounds=1, seed=seed)
        state, table = new_state(), pack(study)
        start(state, table, 0)
        while state.stage != Stage.DONE:
            before = 0 if state.stage == Stage.DEAL else int(state.n_under)
            advance(state, table, np.uint64(seed))
            for k in range(before, int(state.n_under)):
                card = int(state.under[k])
                for viewer in range(state.players):
                    then = copy_state(state)
                    bring_to_mind(then, table, viewer)
                    knows = card in cards_in(then.mind[viewer]) - cards_in(then.mixed[viewer])
                    due = max(int(state.learnt[viewer, card]), 0) < state.turn
                    if due or memory.get("memory_span") == 0:
                        swept += card in cards_in(state.seen[viewer])
                        remembered += knows
    assert swept > 20
    assert remembered == 0


# --- the proof: a span of 0 uses nothing that it saw on an earlier turn --------------------------


@dataclass
class Lying:
    """What all players can tell of a face-down card; `bird` is for the books alone."""

    bird: str
    seen: set[int] = field(default_factory=set)  # who has looked at it
    kept: bool = False
    for_low: bool = False
    dumped: bool = False
    left: bool = False
    locked: bool = False


class Public:
    """What a player sees at the table that has no memory of face-down cards, from the events."""

    def __init__(self, study: Study, deal: Event) -> None:
        self.study = study
        self.bird = {bird.id: bird for bird in study.deck.birds}
        cards = [study.deck.birds[index] for index in study.deck.cards]
        self.deck = [bird.id for bird in cards]
        values = [bird.value for bird in cards]
        self.mean, self.sd = float(np.mean(values)), float(np.std(values))
        self.players = len(study.players)
        self.areas = [[Lying(bird) for bird in hand] for hand in deal["hands"]]
        peeks = min(study.rules.peeks, len(self.areas[0]))
        for seat, area in enumerate(self.areas):
            for card in area[:peeks]:
                card.seen, card.left = {seat}, True
        self.discards: list[str] = list(deal["discard_pile"])
        self.hand: list[str] = []  # cards in the hand of the seat that decides
        self.taken = False
        self.turn, self.active = 0, deal["first"]
        self.declarer: int | None = None
        self.user: int | None = None  # of the last power
        self.last, self.shield = False, False

    # What happens.

    def happens(self, event: Event) -> None:
        getattr(self, f"_{event['event']}", lambda event: None)(event)

    def _at(self, where: Any) -> Any:
        return self.areas[where[0]][where[1]]

    def _put(self, owner: int, slot: int, card: Lying | None) -> None:
        area: list[Any] = self.areas[owner]
        area.extend([None] * (slot + 1 - len(area)))
        area[slot] = card

    def cards(self, seat: int) -> list[Lying]:
        return [card for card in self.areas[seat] if card is not None]

    def _unlock(self) -> None:
        for seat in range(self.players):
            for card in self.cards(seat):
                card.locked = False

    def _turn(self, event: Event) -> None:
        self.turn, self.active = event["turn"], event["player"]
        self.hand, self.taken, self.user = [], False, None
        self._unlock()

    def _draw(self, event: Event) -> None:
        self.hand = [event["card"]] if event["card"] else []

    def _take(self, event: Event) -> None:
        self.hand, self.taken = [self.discards.pop()], True

    def _replace(self, event: Event) -> None:
        seat, out = event["player"], self._at([event["player"], event["slot"]])
        low = seat in out.seen and self.bird[out.bird].value <= self.mean
        seen = set(range(self.players)) if self.taken else {seat}
        self._put(seat, event["slot"], Lying(event["card"], seen, kept=True, for_low=low))
        self.discards.append(out.bird)
        self.hand = []

    def _discard(self, event: Event) -> None:
        self.discards.append(event["card"])
        self.hand = []

    def _pluck(self, event: Event) -> None:
        everybody = set(range(self.players))
        if not event["hit"]:
            for target in event["targets"]:
                self._at(target).seen = everybody
            return
        if event["from"] == "draw":
            self.discards.append(event["reference"])
            self.hand = []
        for target in event["targets"]:
            self.discards.append(self._at(target).bird)
            self._put(*target, None)
        for gift in event["gifts"]:
            card = self._at([event["player"], gift["slot"]])
            card.kept = card.left = False
            self._put(event["player"], gift["slot"], None)
            self._put(*gift["to"], card)
        if self.study.rules.move_lock == "pluck":
            self._unlock()

    def _penalty(self, event: Event) -> None:
        if event["card"] is not None:
            self._put(event["player"], event["slot"], Lying(event["card"]))

    def _add(self, event: Event) -> None:
        self._put(event["to"], event["slot"], Lying(event["card"]))

    def _power(self, event: Event) -> None:
        """POW-LOCK, first edition: the limit is one player's, for powers out of one pluck."""
        others = event["trigger"] == "discard" or event["player"] != self.user
        if others and self.study.rules.move_lock == "pluck":
            self._unlock()
        self.user = event["player"]

    def _look(self, event: Event) -> None:
        card = self._at(event["target"])
        card.seen.add(event["player"])
        card.left = card.left or event["target"][0] == event["player"]

    def _show(self, event: Event) -> None:
        self._at(event["target"]).seen = set(range(self.players))

    def _swap(self, event: Event) -> None:
        a, b = event["a"], event["b"]
        card_a, card_b = self._at(a), self._at(b)
        self._put(*a, card_b)
        self._put(*b, card_a)
        card_a.left = card_b.left = False
        card_a.locked = card_b.locked = self.study.rules.move_lock != "none"
        if event["player"] in (a[0], b[0]):
            given = card_a if event["player"] == a[0] else card_b
            given.kept, given.dumped = False, True

    def _shoebill(self, event: Event) -> None:
        self.hand = list(event["cards"])

    def _place(self, event: Event) -> None:
        seat, (owner, slot) = event["player"], event["target"]
        card = Lying(event["card"], {seat}, kept=owner == seat, dumped=owner != seat)
        card.locked = self.study.rules.shoebill_locks and self.study.rules.move_lock != "none"
        self._put(owner, slot, card)
        self.hand = []

    def _under(self, event: Event) -> None:
        self.hand = []

    def _recycle(self, event: Event) -> None:
        self.discards = self.discards[-1:]

    def _bao(self, event: Event) -> None:
        self.declarer, self.last = event["player"], True

    def _shield(self, event: Event) -> None:
        self.shield = True

    def _final_phase(self, event: Event) -> None:
        self.declarer, self.shield, self.last = None, False, True

    # What somebody thinks who remembers nothing.

    def share(self, card: Lying) -> float:
        if card.kept:
            return KEPT_FOR_LOW_SHARE if card.for_low else KEPT_SHARE
        if card.dumped:
            return DUMPED_SHARE
        return 1 / (1 + LEFT_A_TURN * self.turn / self.players) if card.left else 1.0

    def pool(self) -> Counter[str]:
        return Counter(self.deck) - Counter(self.discards) - Counter(self.hand)

    def unknown_value(self) -> float:
        pool = self.pool()
        worth = sum(self.bird[bird].value * count for bird, count in pool.items())
        lying = [card for seat in range(self.players) for card in self.cards(seat)]
        weights = pool.total() + sum(self.share(card) - 1 for card in lying)
        return worth / weights if pool.total() else 0.0

    def chance(self, bird: str) -> float:
        """That an unknown card matches, by counting."""
        pool, family = self.pool(), self.bird[bird].family
        matching = sum(count for other, count in pool.items() if self.bird[other].family == family)
        return matching / max(pool.total(), 1)

    def total(self, seat: int, viewer: int) -> float:
        total = self.unknown_value() * sum(self.share(card) for card in self.cards(seat))
        return min(total, DECLARER_TOTAL) if seat == self.declarer != viewer else total

    def lowest_rival(self, seat: int) -> float:
        return min(self.total(owner, seat) for owner in range(self.players) if owner != seat)

    def worst(self, seat: int) -> float:
        """The estimate of the own card to part with first."""
        unknown, more = self.to_part_with(seat)
        return unknown * max(map(self.share, self.cards(seat))) + more

    def to_part_with(self, seat: int) -> tuple[float, float]:
        """What an unknown own card counts, and more than that, when one is to be parted with."""
        values = self.study.players[seat].values
        if self.last and values["last_turns"]:
            return self.unknown_value(), 0.0
        return self.mean, float(values["know_worth"])

    def movable(self, owner: int, seat: int, mean: float) -> list[float]:
        """Estimates of the cards that a power of `seat` may move."""
        if self.shield and owner == self.declarer != seat:
            return []
        return [mean * self.share(card) for card in self.cards(owner) if not card.locked]

    def chance_lowest(self, seat: int) -> float:
        chance, own, unknown = 1.0, self.total(seat, seat), len(self.cards(seat))
        for owner in set(range(self.players)) - {seat}:
            theirs, cards = self.total(owner, seat), len(self.cards(owner))
            shrinks = CALL[0] + CALL[1] * cards + CALL[2] * theirs / max(cards, 1)
            variance = CALL[3] + self.sd**2 * (CALL[4] * unknown + CALL[5] * cards)
            lead = theirs - own - shrinks
            chance *= 0.5 * (1 + math.erf(lead / math.sqrt(2 * variance)))
        return chance

    def expected(self, question: str, seat: int) -> dict[str, float]:
        """The estimates that such a player answers a question on."""
        if question == "bao":
            return {
                "own_total": self.total(seat, seat),
                "own_unknown": len(self.cards(seat)),
                "lowest_rival_total": self.lowest_rival(seat),
                "chance_lowest": self.chance_lowest(seat),
            }
        if question == "draw or take":
            top = self.bird[self.discards[-1]].value
            return {
                "own_total": self.total(seat, seat),
                "take_gain": self.worst(seat) - top,
            }
        if question == "keep, discard or pluck":
            found = {"pluck_confidence": self.chance(self.hand[0])}
            if self.cards(seat) and not self.last:
                found["keep_gain"] = self.worst(seat) - self.bird[self.hand[0]].value
            return found
        if question == "pluck":
            return {"pluck_confidence": self.chance(self.discards[-1])}
        if question in ("swap", "macaw", "shoebill"):
            mean = self.unknown_value()
            unknown, more = self.to_part_with(seat) if question == "shoebill" else (mean, 0.0)
            own = self.movable(seat, seat, unknown)
            found = {"own_card": max(own, default=math.nan) + more}
            if question != "shoebill":
                others = (owner for owner in range(self.players) if owner != seat)
                cards = [card for owner in others for card in self.movable(owner, seat, mean)]
                found["rival_card"] = min(cards, default=0.0)
            return found
        return {}


def forgetful(r: random.Random) -> dict[str, Any]:
    """A player that keeps no face-down card in mind, and still does all sorts of things."""
    return {
        "base": "balanced",
        "memory_span": 0,
        "bao_threshold": r.choice([5, 20, 60]),
        "bao_unknown_max": r.choice([1, 66]),
        "bao_margin": r.choice([-50, 2]),
        "bao_confidence": r.choice([0, 0.01]),
        "pluck_confidence": r.choice([0.05, 0.07, 0.9]),
        "pluck_rival_confidence": r.choice([0.05, 0.07, 0.95]),
        "pluck_rival_min_gain": -50,
        "power_appetite": r.choice([0, 20]),
        "know_worth": r.choice([0, 3]),
        "attention": 1,
    }


def forgetful_study(seed: int) -> tuple[Study, int]:
    """A table with one such player, and its seat."""
    r = random.Random(seed)
    players: list[Any] = [
        r.choice(["balanced", "gambler", "goldfish", "novice", "random", "sharp", "rusher"])
        for _ in range(r.randint(2, 6))
    ]
    seat = r.randrange(len(players))
    players[seat] = forgetful(r)
    study = Study.of(
        players=players,
        edition=r.choice(["first", "second"]),
        deck=r.choice(["five_per_value", "five_per_power"]),
        rounds=1,
        seed=seed,
    )
    return study, seat


def misjudged(study: Study, seat: int, found: Counter[str]) -> Iterator[str]:
    """What a seat thinks otherwise than somebody would who knows no face-down card."""
    state, table = new_state(), pack(study)
    decoder = Decoder(state, [study.deck.birds[bird].id for bird in study.deck.cards])
    public: Any = None
    chance = math.nan
    for event in play_unit(state, table, study.seed, 0, decoder, explain=True):
        kind = event["event"]
        if kind == "deal":
            public = Public(study, event)
            continue
        if kind == "why" and event["player"] == seat:
            wanted = public.expected(event["question"], seat)
            chance = wanted.get("pluck_confidence", chance)
            for name, value in event["estimates"].items():
                if name in wanted:
                    found[f"{event['question']}: {name}"] += 1
                    if not abs(wanted[name] - value) < 0.0051:
                        yield f"turn {public.turn}: {name} {value}, not {wanted[name]}"
        elif kind == "pluck" and event["player"] == seat:
            found["pluck"] += 1
            if not abs(float(state.sure) - chance) < 1e-12:
                yield f"turn {public.turn}: plucks at {state.sure}, not {chance}"
        public.happens(event)


def test_a_span_of_0_thinks_what_who_knows_no_face_down_card_would_think() -> None:
    """Every estimate behind its decisions, out of what lies open and how cards came to lie."""
    found: Counter[str] = Counter()
    for seed in range(scaled(250, least=12)):
        study, seat = forgetful_study(seed)
        assert not list(misjudged(study, seat, found)), (seed, seat)
    if SCALE >= 1:
        assert min(found[name] for name in ("pluck", "bao: own_total", "macaw: own_card")) > 30
        assert len(found) >= 14


def test_the_proof_finds_a_player_that_remembers_one_card() -> None:
    found: Counter[str] = Counter()
    wrong = 0
    for seed in range(scaled(20, least=4)):
        study, seat = forgetful_study(seed)
        players = list(study.players)
        players[seat] = players[seat].with_changes(memory_span=1)
        changed = Study.of(
            players=players, edition=study.edition, deck=study.deck, rounds=1, seed=seed
        )
        wrong += any(True for _ in misjudged(changed, seat, found))
    assert wrong > scaled(20, least=4) / 2


def shuffle_face_down(state: Any, table: Any, seat: int, question: int, r: random.Random) -> Any:
    """A copy with all face-down cards shuffled among their places, seen or not."""
    blank = copy_state(state)
    blank.mind[seat] = blank.mixed[seat] = 0
    other = shuffle_hidden(blank, table, seat, question, r)
    before, after = (hidden_places(x, seat, question) for x in (blank, other))
    becomes = {card: after[where] for where, card in before.items()}
    for name in ("mind", "mixed"):
        cards = cards_in(getattr(state, name)[seat])
        write_set(getattr(other, name)[seat], [becomes.get(card, card) for card in cards])
    worth = sum(
        int(table.value[takes_for(other, seat, card)]) for card in cards_in(other.mind[seat])
    )
    other.pool_sum[seat] = table.deck_sum - worth
    right = list(cards_in(other.mind[seat]) - cards_in(other.mixed[seat]))
    other.belief[seat][right] = right
    other.unplaced[seat][: table.families] = unplaced_by_family(other, table, seat)
    return other


def changed_decisions(seeds: range, span: int) -> tuple[Counter[str], int]:
    """Questions that a seat answers otherwise if all face-down cards are others."""
    found: Counter[str] = Counter()
    compared = 0
    for seed in seeds:
        r = random.Random(seed)
        study, seat = forgetful_study(seed)
        players = [player.with_changes(memory_span=span) if k == seat else player
                   for k, player in enumerate(study.players)]  # fmt: skip
        study = Study.of(
            players=players, edition=study.edition, deck=study.deck, rounds=1, seed=seed
        )
        for state, table in islice(moments(study, r), 6):
            for question, asked in questions(state, table, seat, r):
                other = shuffle_face_down(asked, table, seat, question, r)
                before = decision(shipped, copy_state(asked), table, seat, question)
                after = decision(shipped, other, table, seat, question)
                compared += 1
                found[QUESTIONS[question]] += before != after
    return +found, compared


def test_a_span_of_0_decides_the_same_whatever_lies_face_down() -> None:
    found, compared = changed_decisions(range(scaled(50, least=6)), span=0)
    assert compared > (1000 if SCALE >= 1 else 50)
    assert not found


def test_the_shuffle_finds_a_player_that_remembers_two_cards() -> None:
    found, compared = changed_decisions(range(scaled(20, least=8)), span=2)
    assert found.total() > 0.01 * compared


# --- confidence ---------------------------------------------------------------------------------


@entry
def sure_of(state, table, viewer, card):
    return confidence(state, table, viewer, card)


def sureness(state: Any, table: Any, viewer: int) -> dict[int, float]:
    """Place -> confidence of what the viewer has in mind there."""
    mind = cards_in(state.mind[viewer])
    return {
        where: float(sure_of(state, table, viewer, card))
        for where, card in lying_cards(state).items()
        if card in mind
    }


def test_confidence_is_a_chance_and_knows_nothing_of_what_a_card_truly_is() -> None:
    seen = mixed = certain = 0
    for seed in range(scaled(40, least=14)):
        r = random.Random(seed)
        for state, table in islice(moments(fading_study(seed), r), 5):
            state.from_draw = r.randint(0, 1)
            for viewer in range(state.players):
                bring_to_mind(state, table, viewer)
                found = sureness(state, table, viewer)
                assert all(0 <= chance <= 1 for chance in found.values())
                if table.mix_up_rate[viewer] == 0:
                    assert set(found.values()) <= {1.0}
                    certain += len(found)
                other = shuffle_hidden(state, table, viewer, Ask.LOOK, r)
                assert sureness(other, table, viewer) == found
                seen += len(found)
                mixed += len(cards_in(state.mixed[viewer]))
    assert seen > 100
    assert min(mixed, certain) > (20 if SCALE >= 1 else 5)


def calibration(count: int, players: int = 4, seed: int = 11, **changes: Any) -> Any:
    """(plucks, hits, sum of the confidences) by bin of confidence, of equal players."""
    player = {
        "base": "balanced",
        "pluck_confidence": 0.2,
        "pluck_rival_confidence": 0.2,
        **changes,
    }
    study = Study.of(players=[player] * players, rounds=1, seed=seed)
    tally = play(study, count, records=False).tally
    plucks, hits = tally.sure_plucks.sum(axis=0), tally.sure_hits.sum(axis=0)
    return plucks, hits, tally.sure_sum.sum(axis=0) / 1e6


def untrue(plucks: Any, hits: Any, sums: Any, errors: float) -> list[tuple[Any, ...]]:
    """The bins with 10,000 plucks in which more than one percentage point is surely wrong.

    What chance allows on top: `errors` standard errors.
    """
    found = []
    for k in range(CONFIDENCE_BINS):
        if plucks[k] >= 10_000:
            share, said = hits[k] / plucks[k], sums[k] / plucks[k]
            error = math.sqrt(said * (1 - said) / plucks[k])
            if abs(share - said) > 0.01 + errors * error:
                found.append((k, int(plucks[k]), round(float(said), 4), round(float(share), 4)))
    return found


@pytest.mark.jit
@pytest.mark.parametrize(
    ("count", "errors"), [(60_000, 3.3), pytest.param(1_000_000, 2, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("rate", [0.01, 0.02, 0.03, 0.05, 0.1, 0.2])
def test_confidence_is_as_true_as_it_says(rate: float, count: int, errors: float) -> None:
    found = calibration(scaled(count, least=2000), mix_up_rate=rate)
    assert (found[0] > 0).sum() > 10
    assert not untrue(*found, errors)


@pytest.mark.jit
@pytest.mark.parametrize("memory", [{}, {"forget_rate": 0.1}, {"memory_span": 4}])
def test_who_mixes_nothing_up_is_certain_and_right(memory: dict[str, Any]) -> None:
    plucks, hits, sums = calibration(scaled(5000), **memory)
    assert plucks[-1] > scaled(5000) / 10
    assert hits[-1] == plucks[-1] == round(sums[-1], 6)
    high = plucks[CONFIDENCE_BINS // 2 : -1].sum()
    assert high < plucks[-1] / 20  # all else are hunches, and these are seldom likely
