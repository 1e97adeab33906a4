"""Random numbers: a bijection of the position, streams apart, `below` without bias."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from sim.core import rng
from sim.core.jit import COMPILED, entry
from sim.core.layout import MAX_PLAYERS, new_state
from tests.support.chance import chi2_limit, chi2_of, scaled

M = 2**64 - 1
GOLDEN, MIX1, MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


# --- the engine's functions, callable from Python -----------------------------------------------


@entry
def mix(key1, key2, position):
    return rng.mix(key1, key2, position)


@entry
def number(state, stream, counter):
    return rng.number(state, stream, counter)


@entry
def below(word, n):
    return rng.below(word, n)


@entry
def own_number(state, seat):
    return rng.own_number(state, seat)


@entry
def own_below(state, seat, n):
    return rng.own_below(state, seat, n)


@entry
def own_chance(state, seat, chance):
    return rng.own_chance(state, seat, chance)


@entry
def normal(word):
    return rng.normal(word)


@entry
def unit_interval(word):
    return rng.unit_interval(word)


@entry
def many_below(words, n, found):
    for k in range(len(words)):
        found[k] = rng.below(words[k], n)


# --- the same in whole numbers of Python, and backwards -----------------------------------------


def twin(key1: int, key2: int, position: int) -> int:
    word = (position * GOLDEN + key1) & M
    word = (word ^ word >> 32) ^ key2
    word = (word ^ word >> 30) * MIX1 & M
    word = (word ^ word >> 27) * MIX2 & M
    return word ^ word >> 31


def unshift(word: int, shift: int) -> int:
    """The x with x ^ x >> shift == word."""
    found = word
    for _ in range(64 // shift):
        found = word ^ found >> shift
    return found


def backwards(key1: int, key2: int, word: int) -> int:
    """The position that `twin` maps to a word."""
    word = unshift(word, 31) * pow(MIX2, -1, 2**64) & M
    word = unshift(word, 27) * pow(MIX1, -1, 2**64) & M
    word = unshift(word, 30) ^ key2
    return (unshift(word, 32) - key1) * pow(GOLDEN, -1, 2**64) & M


def samples(count: int, seed: int = 1) -> list[int]:
    r = random.Random(seed)
    edges = [0, 1, 2, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, M - 1, M]
    return edges + [r.getrandbits(64) for _ in range(count)]


def keyed(seed: int, index: int = 0, deal: int = 0) -> Any:
    state = new_state()
    rng.set_keys(state, np.uint64(seed), index, deal)
    return state


# --- mix ----------------------------------------------------------------------------------------


def test_mix_known_answers() -> None:
    known = {
        (0, 0, 0): 0,
        (0, 0, 1): 0xFBF3D07040A8E228,
        (1, 2, 3): 0x361F8B83B85074E4,
        (M, M, M): 0xF9674B039F1246FD,
    }
    for (key1, key2, position), word in known.items():
        assert int(mix(np.uint64(key1), np.uint64(key2), np.uint64(position))) == word


def test_mix_equals_its_twin_in_whole_numbers() -> None:
    keys = samples(scaled(40, least=5), seed=2)
    for key1, key2 in itertools.islice(itertools.product(keys, keys), 300):
        position = key1 * 3 + key2 & M
        found = int(mix(np.uint64(key1), np.uint64(key2), np.uint64(position)))
        assert found == twin(key1, key2, position)


def test_mix_is_a_bijection_on_samples() -> None:
    for key1, key2 in [(0, 0), (12345, M), (M, 1), (2**63, 2**32)]:
        positions = samples(scaled(2000, least=50), seed=3)
        words = [int(mix(np.uint64(key1), np.uint64(key2), np.uint64(x))) for x in positions]
        assert [backwards(key1, key2, word) for word in words] == positions


@pytest.mark.jit
def test_compiled_and_plain_python_give_equal_numbers() -> None:
    assert COMPILED
    with np.errstate(over="ignore"):
        for word in samples(500, seed=4):
            keys = np.uint64(word), np.uint64(word * 7 & M)
            assert rng.mix.py_func(*keys, np.uint64(5)) == mix(*keys, np.uint64(5))
            for n in (1, 2, 3, 52, 66, 2**31 - 1):
                assert rng.below.py_func(np.uint64(word), n) == below(np.uint64(word), n)


# --- streams ------------------------------------------------------------------------------------


def test_position_holds_round_stream_and_counter() -> None:
    """36 bits of round, 4 of stream, 24 of counter: so no two of them ever meet."""
    r = random.Random(5)
    for _ in range(scaled(400, least=30)):
        index = r.choice([0, 1, 2**36 - 1, r.randrange(2**36)])
        stream = r.randrange(rng.STREAM_MEMORY + MAX_PLAYERS)
        counter = r.choice([0, 1, 2**24 - 1, r.randrange(2**24)])
        state = keyed(99, index)
        word = int(number(state, stream, counter))
        position = backwards(int(state.key1), int(state.key2), word)
        assert position == index << 28 | stream << 24 | counter


def test_streams_are_named_apart_and_fit_into_four_bits() -> None:
    streams = [rng.STREAM_DEAL, rng.STREAM_FIRST, rng.STREAM_RACE, rng.STREAM_RECYCLE]
    streams += [rng.STREAM_SEAT + seat for seat in range(MAX_PLAYERS)]
    streams += [rng.STREAM_MEMORY + seat for seat in range(MAX_PLAYERS)]
    assert len(set(streams)) == len(streams)
    assert max(streams) < 16


def test_streams_rounds_and_seeds_do_not_coincide() -> None:
    streams = range(rng.STREAM_MEMORY + MAX_PLAYERS)
    words = set()
    count = 0
    for seed in [*range(8), 2**32, 2**63, M - 1, M]:
        for index in [0, 1, 2, 2**35, 2**36 - 1]:
            for deal in (0, 1, 2):
                state = keyed(seed, index, deal)
                for stream in streams:
                    for counter in range(scaled(12, least=3)):
                        words.add(int(number(state, stream, counter)))
                        count += 1
    assert len(words) == count


def test_deals_of_neighbouring_seeds_have_other_keys() -> None:
    """Deal d of seed s must not be deal d - 1 of seed s + 1."""
    pairs = {
        (int(state.key1), int(state.key2))
        for seed in range(100)
        for deal in range(20)
        for state in [keyed(seed, 0, deal)]
    }
    assert len(pairs) == 2000


def test_a_seat_uses_its_own_stream_in_order() -> None:
    state = keyed(3, 17)
    expected = [
        [int(number(state, rng.STREAM_SEAT + seat, k)) for k in range(5)] for seat in range(6)
    ]
    found: list[list[int]] = [[] for _ in range(6)]
    order = [seat for seat in range(6) for _ in range(5)]
    random.Random(6).shuffle(order)
    for seat in order:
        found[seat].append(int(own_number(state, seat)))
    assert found == expected
    assert list(state.used) == [5] * 6


# --- below and chance ---------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 52, 66, 128, 1000, 2**31 - 1])
def test_below_stays_in_range(n: int) -> None:
    found = {int(below(np.uint64(word), n)) for word in samples(scaled(2000, least=60), seed=n)}
    assert found <= set(range(n)) if n <= 1000 else all(0 <= x < n for x in found)
    assert 0 in found
    assert n - 1 in found or n > 128


@pytest.mark.parametrize("n", [2, 3, 5, 7, 13, 66])
def test_below_is_uniform(n: int) -> None:
    """Chi-square on counted numbers, alpha 1e-6; the number of draws is the same at any scale."""
    count = 20_000
    words = np.array([twin(11, 13, k) for k in range(count)], np.uint64)
    found = np.zeros(count, np.int64)
    many_below(words, n, found)
    assert chi2_of(np.bincount(found, minlength=n), count / n) < chi2_limit(n - 1, 1e-6)


@pytest.mark.parametrize("n", [3, 6, 66])
def test_below_splits_the_high_halves_as_evenly_as_can_be(n: int) -> None:
    """Where the high half is rejected the low half decides; else each value has equal room."""
    room = 2**32 // n
    for value in (0, 1, n - 1):
        lowest = -(-value * 2**32 // n)
        threshold = (2**32 - n) % n
        inside = [high for high in range(lowest, lowest + 3) if high * n % 2**32 >= threshold]
        assert inside
        for high in inside:
            assert int(below(np.uint64(high << 32), n)) == value
        assert int(below(np.uint64((lowest + room - 2) << 32), n)) == value


def test_below_uses_the_low_half_where_the_high_one_would_be_biased() -> None:
    n = 3
    threshold = (2**32 - n) % n
    rejected = next(high for high in range(10) if high * n % 2**32 < threshold)
    words = [np.uint64(rejected << 32 | low) for low in (0, 2**31, 2**32 - 1)]
    assert [int(below(word, n)) for word in words] == [0, 1, 2]


def test_chance() -> None:
    state = keyed(8)
    assert not own_chance(state, 0, 0.0)
    assert not own_chance(state, 0, -1.0)
    assert own_chance(state, 0, 1.0)
    assert own_chance(state, 0, 2.0)
    assert state.used[0] == 0
    count = 4000
    hits = sum(bool(own_chance(state, 0, 0.3)) for _ in range(count))
    assert state.used[0] == count
    assert abs(hits - 0.3 * count) < 5 * (0.21 * count) ** 0.5
    assert {int(own_below(state, 1, 3)) for _ in range(60)} == {0, 1, 2}


def test_unit_interval() -> None:
    assert unit_interval(np.uint64(0)) == 0.0
    assert unit_interval(np.uint64(2**63)) == 0.5
    assert unit_interval(np.uint64(M)) == 1.0 - 2.0**-53


def test_normal_numbers() -> None:
    """Mean, variance, and the share beyond two standard deviations; five standard errors each."""
    count = 20_000
    found = np.array([normal(np.uint64(twin(5, 7, k))) for k in range(count)])
    assert np.isfinite([normal(np.uint64(word)) for word in samples(20)]).all()
    assert abs(found.mean()) < 5 / count**0.5
    assert abs(found.var() - 1.0) < 5 * (2 / count) ** 0.5
    beyond = 0.0455
    assert abs((abs(found) > 2).mean() - beyond) < 5 * (beyond / count) ** 0.5
