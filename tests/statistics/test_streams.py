"""Rounds share no numbers, nor do streams, seeds or workers; and deals are as chance has them.

What could go wrong in a simulator that plays in many places at once: every round gets the same
numbers, every worker begins anew with the same ones, or seed 8 is seed 7 one round later. Each
test is shown to notice its own mishap. Every seed is fixed, and `ALPHA` is the probability with
which a right engine would have failed a test of chance when its seed was chosen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.api import run
from sim.batch.job import Job, Part, play
from sim.batch.pack import pack
from sim.core import rng
from sim.core.jit import entry
from sim.core.layout import MAX_PLAYERS, new_state
from sim.core.rng import set_keys
from sim.engine.play import advance, start
from sim.game.study import Study
from tests.support.chance import chi2_limit, chi2_of

pytestmark = pytest.mark.jit  # the numbers of rounds need the compiler

ALPHA = 1e-4
DEALS = 1_000_000
CARDS = 66
PLACES = (0, 1, 15, 16, 17, 65)  # of hands, of the first discard, of the draw pile


@entry
def deal_range(state, table, seed, begin, places, counts, cards, first, prints):
    """Deal rounds from `begin` on; what lies where, in all and in each, and a print of each."""
    for k in range(first.shape[0]):
        start(state, table, begin + k)
        state.log.on = 1  # an account needs the whole order of the pile
        advance(state, table, seed)
        state.log.used = 0
        first[k] = state.first
        mark = np.uint64(state.first)
        for place in range(table.cards):
            card = state.pile[place]
            counts[place, card] += 1
            mark = (mark ^ np.uint64(card)) * np.uint64(0x9E3779B97F4A7C15)
            mark ^= mark >> np.uint64(29)
        prints[k] = mark
        for j in range(places.shape[0]):
            cards[j, k] = state.pile[places[j]]


class Deals:
    """Many deals of a table of four."""

    def __init__(self, seed: int, count: int, begin: int = 0) -> None:
        study = Study.of(players=["random"] * 4, rounds=1, seed=seed)
        self.counts = np.zeros((CARDS, CARDS), np.int64)
        self.cards = np.zeros((len(PLACES), count), np.int64)
        self.first = np.zeros(count, np.int64)
        self.prints = np.zeros(count, np.uint64)
        places = np.array(PLACES, np.int64)
        filled = (places, self.counts, self.cards, self.first, self.prints)
        deal_range(new_state(), pack(study), np.uint64(seed), begin, *filled)


@pytest.fixture(scope="module")
def deals() -> Deals:
    """A million of them."""
    return Deals(7, DEALS)


def even(counts: Any, freedom: int) -> bool:
    """Whether counts are as equal as chance has them."""
    counts = np.asarray(counts)
    return chi2_of(counts, counts.sum() / counts.size) < chi2_limit(freedom, ALPHA)


def table_of(a: Any, b: Any, rows: int, columns: int) -> Any:
    """How often each pair of values came up."""
    return np.bincount(a * columns + b, minlength=rows * columns).reshape(rows, columns)


def independent(a: Any, b: Any, rows: int, columns: int) -> bool:
    """Whether all pairs of two uniform values are equally frequent."""
    return even(table_of(a, b, rows, columns), rows * columns - 1)


# --- nothing comes twice --------------------------------------------------------------------------


def all_differ(*prints: Any) -> bool:
    """Whether no two deals are the same; by chance two of a million are so in 3e-8 of cases."""
    every = np.concatenate(prints)
    return len(np.unique(every)) == len(every)


def test_no_two_rounds_are_dealt_alike(deals: Deals) -> None:
    assert all_differ(deals.prints)
    once = Deals(7, 1)
    assert not all_differ(once.prints, once.prints)  # one seed for all


def test_seeds_7_and_8_share_no_round(deals: Deals) -> None:
    other = Deals(8, DEALS)
    assert all_differ(deals.prints, other.prints)
    shifted = Deals(7, 1000, begin=1)
    assert not all_differ(deals.prints[:1000], shifted.prints)  # seed + 1 is a round later


def test_neighbouring_seeds_share_no_round() -> None:
    seeds = [*range(300), *(2**64 - 1 - k for k in range(300)), *(2**k for k in range(9, 64))]
    assert all_differ(*(Deals(seed, 300).prints for seed in seeds))


def test_far_rounds_are_not_the_first_ones_again(deals: Deals) -> None:
    """Beyond 32 bits, and up to the last round that a study may have."""
    begins = [2**31 - 500, 2**32 - 1000, 2**32, 2**33, 2**35, 2**36 - 1000]
    assert all_differ(deals.prints, *(Deals(7, 1000, begin).prints for begin in begins))


def test_workers_do_not_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks are told apart by what they are about, wherever they are played."""
    study = Study.of(players=["balanced", "sharp"], rounds=4000, seed=7)

    def rows() -> Any:
        frame = run(study, threads=7, chunk=50, records=True).records
        return frame.drop(columns=["end", "bao"]).to_numpy(dtype=np.int64)

    def repeats(found: Any) -> int:
        values = np.ascontiguousarray(found[:, 3:])
        whole = [values[at : at + 100].tobytes() for at in range(0, len(values), 100)]
        return len(whole) - len(set(whole))

    assert repeats(rows()) == 0

    def anew(job: Job, begin: int, end: int) -> Part:
        part = play(job, 0, end - begin)  # each chunk begins with the first round's numbers
        return Part(begin, end, part.sums, part.seconds, part.rows)

    monkeypatch.setattr("sim.batch.job.play", anew)
    assert repeats(rows()) == 79


# --- deals are as chance has them -----------------------------------------------------------------


def test_a_million_deals_are_even(deals: Deals) -> None:
    """Each card at each place of the whole deck, and each place for itself; the first player."""
    statistic = chi2_of(deals.counts, DEALS / CARDS) * (CARDS - 1) / CARDS
    assert statistic < chi2_limit((CARDS - 1) ** 2, ALPHA)
    assert all(even(deals.counts[place], CARDS - 1) for place in range(CARDS))
    assert even(np.bincount(deals.first, minlength=4), 3)


@pytest.mark.parametrize("lag", [1, 2, 3, 50, 1000, 2**16, 500_000])
def test_rounds_are_independent(lag: int, deals: Deals) -> None:
    """Cards at the same place, and first players, so many rounds apart."""
    for cards in deals.cards[[0, 3]]:
        assert independent(cards[:-lag], cards[lag:], CARDS, CARDS)
    assert independent(deals.first[:-lag], deals.first[lag:], 4, 4)


def test_places_are_independent(deals: Deals) -> None:
    """Two places of a deal hold two cards: every pair of different ones equally often."""
    for a, b in [(0, 1), (0, 5), (2, 3), (3, 4)]:
        counts = table_of(deals.cards[a], deals.cards[b], CARDS, CARDS)
        assert (np.diag(counts) == 0).all()
        pairs = counts[~np.eye(CARDS, dtype=bool)]
        assert even(pairs, pairs.size - 1)


def test_streams_of_a_round_are_independent(deals: Deals) -> None:
    """Who begins has nothing to do with what is dealt."""
    for cards in deals.cards:
        assert independent(deals.first, cards, 4, CARDS)


def test_neighbouring_seeds_are_independent(deals: Deals) -> None:
    other = Deals(8, DEALS)
    for a, b in zip(deals.cards, other.cards, strict=True):
        assert independent(a, b, CARDS, CARDS)
    assert independent(deals.first, other.first, 4, 4)


def test_the_yardstick_sees_dependence(deals: Deals) -> None:
    one, two = deals.first[:-1], deals.first[1:].copy()
    two[::50] = one[::50]  # every fiftieth round begins as the one before
    assert not independent(one, two, 4, 4)


# --- streams --------------------------------------------------------------------------------------

STREAMS = rng.STREAM_MEMORY + MAX_PLAYERS


@entry
def numbers(state, seed, begin, counter, found):
    """The number of each stream (columns) in each of many rounds (rows), at a counter."""
    for k in range(found.shape[0]):
        set_keys(state, seed, begin + k, 0)
        for stream in range(found.shape[1]):
            found[k, stream] = rng.number(state, stream, counter)


def words(seed: int, rounds: int, counter: int = 0) -> Any:
    """Numbers of all streams in many rounds."""
    found = np.zeros((rounds, STREAMS), np.uint64)
    numbers(new_state(), np.uint64(seed), 0, counter, found)
    return found


def test_no_number_comes_twice() -> None:
    """Within a seed that is so by construction; of two seeds, 2e-7 by chance."""
    every = [words(seed, 30_000, counter).ravel() for seed in (7, 8) for counter in (0, 1)]
    assert all_differ(*every)


@pytest.mark.parametrize("shift", [60, 30, 0])
def test_all_pairs_of_streams_are_independent(shift: int) -> None:
    """Four high, middle and low bits of each, against each other stream's, and counters."""
    found = ((words(11, 200_000) >> np.uint64(shift)) & np.uint64(15)).astype(np.int64)
    later = ((words(11, 200_000, 1) >> np.uint64(shift)) & np.uint64(15)).astype(np.int64)
    alpha = ALPHA / STREAMS**2
    limit = chi2_limit(255, alpha)
    for a in range(STREAMS):
        for b in range(STREAMS):
            other = later[:, b] if a == b else found[:, b]
            counts = table_of(found[:, a], other, 16, 16)
            assert chi2_of(counts, counts.sum() / 256) < limit, (a, b)
