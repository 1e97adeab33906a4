"""What is drawn by lot, against exact probabilities.

Every test has a fixed seed, so it passes or fails for good; `ALPHA` is the probability with
which a right engine would have failed it at the time when the seed was chosen. Counts by
default take a few seconds; `-m slow` runs the same tests with twenty times as many rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from sim.batch.pack import pack
from sim.core.jit import entry
from sim.core.knowledge import matching, who_has_seen
from sim.core.layout import MAX_SLOTS, NONE, new_state
from sim.core.rng import set_keys
from sim.engine import cards as piles
from sim.engine.deal import lay_out
from sim.engine.play import advance, start
from sim.engine.pluck import race, reaction
from sim.game.study import Study
from tests.support.chance import chi2_limit, chi2_of
from tests.support.play import play

pytestmark = pytest.mark.jit  # the numbers of rounds need the compiler

ALPHA = 1e-4
SLOW = pytest.param(20, marks=pytest.mark.slow)
SIZES = pytest.mark.parametrize("size", [1, SLOW])


def is_uniform(counts: Any, freedom: int | None = None) -> bool:
    """Whether counts are as equal as chance has them."""
    counts = np.asarray(counts)
    freedom = counts.size - 1 if freedom is None else freedom
    return chi2_of(counts, counts.sum() / counts.size) < chi2_limit(freedom, ALPHA)


def is_latin(table: Any) -> bool:
    """Whether a card × position table, whose sums are fixed, is as equal as chance has it."""
    n = len(table)
    assert table.shape == (n, n)
    assert (table.sum(axis=0) == table.sum(axis=1)).all()
    # The statistic of a random permutation matrix, scaled: (n - 1)² degrees of freedom.
    statistic = chi2_of(table, table.sum() / n**2) * (n - 1) / n
    return statistic < chi2_limit((n - 1) ** 2, ALPHA)


# --- the harness can fail -----------------------------------------------------------------------


def test_the_yardsticks_see_a_bias() -> None:
    assert is_uniform([1000, 1010, 990])
    assert not is_uniform([1000, 1200, 900])
    random = np.random.default_rng(1)
    table = np.zeros((6, 6))
    for _ in range(3000):
        table[np.arange(6), random.permutation(6)] += 1
    assert is_latin(table)
    assert not is_latin(table + np.eye(6) * 150)


# --- deals --------------------------------------------------------------------------------------


@entry
def deal_many(state, table, seed, count, order, first):
    """The whole order of the deck (deal, first discard, draw pile) and the first player."""
    for index in range(count):
        start(state, table, index)
        state.log.on = 1
        advance(state, table, seed)
        state.log.used = 0
        first[index] = state.first
        for k in range(table.cards):
            order[index, k] = state.pile[k]


@entry
def hands_of(state, table, seed, index, hands):
    start(state, table, index)
    advance(state, table, seed)
    for seat in range(state.players):
        for slot in range(state.n_slots[seat]):
            hands[seat, slot] = state.slot_card[seat, slot]


def dealt(players: int, count: int, seed: int = 1, **rules: Any) -> tuple[Any, Any]:
    study = Study.of(players=["random"] * players, rules=rules, rounds=1, seed=seed)
    order = np.zeros((count, study.deck.size), np.int16)
    first = np.zeros(count, np.int16)
    deal_many(new_state(), pack(study), np.uint64(seed), count, order, first)
    return order, first


@SIZES
def test_every_card_lies_anywhere_with_equal_chance(size: int) -> None:
    """SET-1, SET-3: card × position of the whole deck, hands first, then discard, then pile."""
    order, _first = dealt(4, 20_000 * size)
    table = np.stack([np.bincount(order[:, k], minlength=66) for k in range(66)])
    assert is_latin(table)
    for position in (0, 1, 15, 16, 17, 65):  # hands, the first discard, the pile's top and bottom
        assert is_uniform(table[position])


def test_hands_are_the_first_cards_of_that_order() -> None:
    for players, hand in ((2, 5), (3, 4), (6, 4)):
        order, _first = dealt(players, 5, seed=3)
        study = Study.of(players=["random"] * players, rounds=1, seed=3)
        for index in range(5):
            hands = np.zeros((players, hand), np.int16)
            hands_of(new_state(), pack(study), np.uint64(3), index, hands)
            assert hands.ravel().tolist() == order[index, : players * hand].tolist()


@SIZES
@pytest.mark.parametrize("pair", [(0, 1), (3, 4), (0, 9), (15, 16), (16, 17), (17, 65)])
def test_two_places_hold_two_cards_without_replacement(pair: tuple[int, int], size: int) -> None:
    order, _first = dealt(4, 60_000 * size, seed=2)
    counts = np.zeros((66, 66), np.int64)
    np.add.at(counts, (order[:, pair[0]], order[:, pair[1]]), 1)
    assert (np.diag(counts) == 0).all()
    assert is_uniform(counts[~np.eye(66, dtype=bool)])


@SIZES
@pytest.mark.parametrize("players", range(2, 7))
def test_first_player_is_drawn_evenly(players: int, size: int) -> None:
    """SET-4."""
    _order, first = dealt(players, 20_000 * size, seed=4)
    assert is_uniform(np.bincount(first, minlength=players))


def test_first_player_has_nothing_to_do_with_the_deal() -> None:
    order, first = dealt(3, 40_000, seed=5)
    counts = np.zeros((3, 66), np.int64)
    np.add.at(counts, (first, order[:, 0]), 1)
    assert is_uniform(counts)


def test_neighbouring_rounds_are_independent() -> None:
    order, first = dealt(4, 60_000, seed=6)
    counts = np.zeros((66, 66), np.int64)
    np.add.at(counts, (order[:-1, 0], order[1:, 0]), 1)
    assert is_uniform(counts)
    pairs = np.zeros((4, 4), np.int64)
    np.add.at(pairs, (first[:-1], first[1:]), 1)
    assert is_uniform(pairs)


# --- recyclings ---------------------------------------------------------------------------------


@entry
def recycle_many(state, table, seed, count, hands, slots, nothing, discards, under, times, order):
    """Recycle the same piles `times` in a row in many rounds; the order of each new pile."""
    for index in range(count):
        lay_out(state, table, 2, hands, slots, nothing, discards, under)
        set_keys(state, seed, index, 0)
        for k in range(times):
            piles.recycle(state, table)
            n = state.pile_size
            for position in range(n):
                order[index, k, position] = piles.draw(state, table)
            for position in range(n):
                piles.put_under(state, order[index, k, position])


def recycled(cards: int, count: int, seed: int, times: int = 1) -> Any:
    """Orders (rounds × recyclings × positions); half of the cards come from the under pile."""
    birds = {f"b{k}": {"value": k % 13, "copies": 1} for k in range(max(cards + 1, 4))}
    rules = {"recycle_limit": 0, "hand_size": 1}
    study = Study.of(players="random,random", deck={"birds": birds}, rules=rules, rounds=1)
    half = (cards + 1) // 2
    discards = np.array([*range(half), cards], np.int16)
    under = np.arange(half, cards, dtype=np.int16)
    hands, slots = np.full((2, MAX_SLOTS), NONE, np.int16), np.ones(2, np.int16)
    order = np.zeros((count, times, cards), np.int16)
    nothing = np.zeros(0, np.int16)
    state, table = new_state(), pack(study)
    recycle_many(
        state, table, np.uint64(seed), count, hands, slots, nothing, discards, under, times, order
    )
    return order


@SIZES
@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_all_orders_of_a_recycled_pile_are_equally_likely(cards: int, size: int) -> None:
    """REC-1."""
    count = 24_000 * size
    orders = recycled(cards, count, seed=cards)[:, 0]
    numbers = Counter(map(tuple, orders.tolist()))
    assert set(numbers) == set(permutations(range(cards)))
    assert is_uniform(list(numbers.values()))


@SIZES
@pytest.mark.parametrize("which", [0, 1, 2])
def test_every_recycled_card_lies_anywhere_with_equal_chance(which: int, size: int) -> None:
    order = recycled(40, 20_000 * size, seed=8, times=3)[:, which]
    assert is_latin(np.stack([np.bincount(order[:, k], minlength=40) for k in range(40)]))


def test_orders_of_two_recyclings_are_independent() -> None:
    """The second shuffle starts from the first one's order, and forgets it."""
    orders = recycled(3, 36_000, seed=9, times=2).reshape(-1, 6)
    numbers = Counter(map(tuple, orders.tolist()))
    assert len(numbers) == 36
    assert is_uniform(list(numbers.values()))


# --- races --------------------------------------------------------------------------------------


@entry
def race_many(state, table, seed, begin, count, turn, active, card, winners):
    for index in range(begin, begin + count):
        set_keys(state, seed, index, 0)
        state.turn = turn
        state.active = active
        for seat in range(state.players):
            state.used[seat] = 0
        matches = matching(state, table, card)
        seen_by = who_has_seen(state, matches)
        winners[index - begin] = race(state, table, card, matches, seen_by)


@entry
def reaction_time(state, table, seed, index, turn, seat):
    set_keys(state, seed, index, 0)
    state.turn = turn
    return reaction(state, table, seat)


def racing(rates: list[float], sd: float = 0.3) -> tuple[Any, Any]:
    """A table at which seats claim with these rates, just after the deal, and its state."""
    player = {"kind": "random", "double_rate": 0.0, "reaction_mean": 1.0, "reaction_sd": sd}
    players = [player | {"pluck_rate": rate} for rate in rates]
    study = Study.of(players=players, rounds=1, seed=1)
    state, table = new_state(), pack(study)
    start(state, table, 0)
    advance(state, table, np.uint64(1))
    return state, table


def winners_of(rates: list[float], active: int, turn: int, count: int, sd: float = 0.3) -> Any:
    state, table = racing(rates, sd)
    winners = np.zeros(count, np.int64)
    card = int(state.discards[0])
    race_many(state, table, np.uint64(21), 0, count, turn, active, card, winners)
    return winners


@SIZES
@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("turn", [0, 7, 999])
def test_races_are_won_evenly_by_all_who_claim(players: int, turn: int, size: int) -> None:
    """PLUCK-3, SIM-4: all rivals of the active player claim, all equally quick."""
    active = turn % players
    found = np.bincount(winners_of([1.0] * players, active, turn, 20_000 * size), minlength=players)
    assert found[active] == 0
    assert is_uniform(np.delete(found, active)) if players > 2 else found.max() == 20_000 * size


def test_races_are_won_evenly_among_those_who_claim() -> None:
    found = np.bincount(winners_of([1, 0, 1, 0, 1, 1], 0, 3, 30_000), minlength=6)
    assert found[[0, 1, 3]].tolist() == [0, 0, 0]
    assert is_uniform(found[[2, 4, 5]])
    assert (winners_of([1, 0, 0, 0], 0, 3, 100) == NONE).all()


def test_races_of_two_turns_are_independent() -> None:
    pairs = np.zeros((4, 4), np.int64)
    np.add.at(pairs, (winners_of([1] * 4, 0, 5, 30_000), winners_of([1] * 4, 0, 6, 30_000)), 1)
    assert is_uniform(pairs[1:, 1:])


def test_who_does_not_claim_changes_nobody_elses_time() -> None:
    """A third claimant may win, but never turns the race between two others."""
    two = winners_of([1, 1, 1, 0], 0, 4, 5000)
    three = winners_of([1, 1, 1, 1], 0, 4, 5000)
    assert (three[three != 3] == two[three != 3]).all()
    assert (three == 3).any()


def test_the_quickest_wins() -> None:
    state, table = racing([1.0] * 4)
    winners = winners_of([1.0] * 4, 2, 11, 300)
    for index in range(300):
        times = [reaction_time(state, table, np.uint64(21), index, 11, seat) for seat in range(4)]
        assert winners[index] == min((3, 0, 1), key=lambda seat: times[seat])


@pytest.mark.parametrize(
    ("claiming", "active", "nearest"),
    [([1, 3], 0, 1), ([1, 3], 2, 3), ([0, 1], 2, 0), ([0, 1], 3, 0), ([0, 1, 2, 3], 3, 0)],
)
def test_equal_times_go_to_the_nearest_clockwise(
    claiming: list[int], active: int, nearest: int
) -> None:
    """SIM-4: without any spread all are equally quick, in every round."""
    rates = [1.0 if seat in claiming else 0.0 for seat in range(4)]
    assert set(winners_of(rates, active, 3, 500, sd=0.0)) == {nearest}


# --- a tiny game, enumerated in full ------------------------------------------------------------

#: Copies by value. Two cards each; nobody plucks or takes; a player keeps whatever is lower than
#: the worst own card, and calls BAO at `CALLS_AT` or less. The first recycling starts the final
#: phase.
COPIES = {1: 2, 2: 2, 3: 2, 4: 3}
CALLS_AT = 3
TINY_RULES = {"hand_size": 2, "peeks": 2, "recycle_limit": 1}
TINY_PLAYER = {
    "kind": "heuristic",
    "pluck_on_draw": False,
    "pluck_in_window": False,
    "take_max_value": -200,
    "keep_min_gain": 1,
    "bao_threshold": CALLS_AT,
    "bao_unknown_max": 0,
    "bao_margin": -200,
    "last_turns": False,
}
Outcome = tuple[str, int, tuple[int, ...]]
Hands = tuple[tuple[int, ...], ...]


def finish(
    hands: Hands,
    pile: tuple[int, ...],
    discards: tuple[int, ...],
    active: int,
    turn: int,
    left: int | None,
    caller: int | None,
    shuffled: bool,
) -> Iterator[tuple[Outcome, Fraction]]:
    """Every way on from a position, by the rulebook alone: (outcome, its probability).

    `left`: turns to come once the last ones run. After a recycling the order of the pile is
    open (`shuffled`): each of its cards may be drawn next.
    """
    final = caller is None and left is not None
    if not pile and len(discards) > 1:
        pile, discards, shuffled = discards[:-1], discards[-1:], True
        if caller is None and left is None:
            left, final = len(hands), True
    choices = range(len(pile)) if shuffled else range(min(len(pile), 1))
    if left is not None:
        left -= 1
    if not choices:
        yield from _turn_ends(hands, pile, discards, active, turn, left, caller, shuffled, final)
    for k in choices:
        card, rest = pile[k], pile[:k] + pile[k + 1 :]
        after, thrown = hands, card
        worst = max(hands[active])
        if card < worst:
            kept = list(hands[active])
            kept[kept.index(worst)] = card
            after = (*hands[:active], tuple(kept), *hands[active + 1 :])
            thrown = worst
        ways = _turn_ends(
            after, rest, (*discards, thrown), active, turn, left, caller, shuffled, final
        )
        for outcome, chance in ways:
            yield outcome, chance / len(choices)


def _turn_ends(
    hands: Hands,
    pile: tuple[int, ...],
    discards: tuple[int, ...],
    active: int,
    turn: int,
    left: int | None,
    caller: int | None,
    shuffled: bool,
    final: bool,
) -> Iterator[tuple[Outcome, Fraction]]:
    if caller is None and not final and sum(hands[active]) <= CALLS_AT:
        caller, left = active, len(hands) - 1
    if left == 0:
        totals = [sum(hand) for hand in hands]
        scores = list(totals)
        if caller is not None:
            own = totals[caller]
            best = all(own < total for seat, total in enumerate(totals) if seat != caller)
            scores[caller] = 0 if best else max(2 * own, 5)
        reason = "second_recycling" if caller is None else "bao"
        yield (reason, turn + 1, tuple(scores)), Fraction(1)
        return
    following = (active + 1) % len(hands)
    yield from finish(hands, pile, discards, following, turn + 1, left, caller, shuffled)


@cache
def exact_outcomes(players: int) -> dict[Outcome, Fraction]:
    """The distribution of (reason, turns, scores), over all deals and all shuffles."""
    deck = [value for value, copies in COPIES.items() for _ in range(copies)]
    deals = Counter(permutations(deck))
    total = sum(deals.values())
    found: dict[Outcome, Fraction] = {}
    for order, ways in deals.items():
        for first in range(players):
            weight = Fraction(ways, total * players)
            hands = tuple(order[2 * seat : 2 * seat + 2] for seat in range(players))
            top, pile = order[2 * players], order[2 * players + 1 :]
            for outcome, chance in finish(hands, pile, (top,), first, 0, None, None, False):
                found[outcome] = found.get(outcome, Fraction(0)) + weight * chance
    return found


def tiny_study(players: int, rules: dict[str, Any], **player: Any) -> Study:
    return Study.of(
        players=[TINY_PLAYER | player] * players,
        deck={"birds": {f"v{n}": {"value": n, "copies": copies} for n, copies in COPIES.items()}},
        rules=TINY_RULES | rules,
        rounds=1,
        seed=77,
    )


def ends_as_enumerated(study: Study, count: int) -> bool:
    """Whether the rounds of a study end in each way about as often as `exact_outcomes` says."""
    exact = exact_outcomes(len(study.players))
    reasons = ("bao", "second_recycling", "turn_cap")
    found: Counter[Outcome] = Counter()
    for begin in range(0, count, 100_000):
        played = play(study, 100_000, begin=begin)
        ends, turns, scores = (played.per_round(name) for name in ("end", "turns", "score"))
        outcomes = zip(ends[:, 0].tolist(), turns[:, 0].tolist(), scores.tolist(), strict=True)
        found.update((reasons[end], turn, tuple(score)) for end, turn, score in outcomes)
    if not set(found) <= set(exact):
        return False
    # Outcomes too rare for a chi-square test are counted together.
    expected = {outcome: float(chance * count) for outcome, chance in exact.items()}
    common = [outcome for outcome, number in expected.items() if number >= 5]
    observed = [found[outcome] for outcome in common]
    cells = [expected[outcome] for outcome in common]
    if count - sum(cells) >= 5:
        observed.append(count - sum(observed))
        cells.append(count - sum(cells))
    return chi2_of(observed, np.array(cells)) < chi2_limit(len(cells) - 1, ALPHA)


@SIZES
@pytest.mark.parametrize("players", [2, 3])
def test_a_tiny_game_ends_in_each_way_as_often_as_all_its_deals_say(
    players: int, size: int
) -> None:
    exact = exact_outcomes(players)
    assert sum(exact.values()) == 1
    assert len(exact) > 20
    assert {reason for reason, _turns, _scores in exact} == {"bao", "second_recycling"}
    assert ends_as_enumerated(tiny_study(players, {}), 100_000 * size)


@pytest.mark.parametrize(
    ("rules", "player"),
    [
        ({"recycle_limit": 2}, {}),
        ({"bao_failure_minimum": 7}, {}),
        ({}, {"bao_threshold": 4}),
        ({}, {"keep_min_gain": 2}),
        ({}, {"take_max_value": 1}),
        ({}, {"pluck_on_draw": True}),
    ],
)
def test_the_enumeration_notices_another_game(
    rules: dict[str, Any], player: dict[str, Any]
) -> None:
    assert not ends_as_enumerated(tiny_study(2, rules, **player), 100_000)
