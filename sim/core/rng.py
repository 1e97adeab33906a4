"""Random numbers as a pure function of (seed, round, stream, counter).

A number is a keyed, bijective mix of one 64-bit position: 36 bits of round index, 4 of
stream, 24 of counter. Within a seed no two positions give the same 64-bit number, so rounds
and streams cannot overlap; the two keys come from the seed by the same mix. The mix is
SplitMix64's (Steele, Lea, Flood 2014, with the constants of Stafford's variant 13) with one
more multiplication and the second key in its middle.

In games the position holds the game's index, and the second key moves on with each deal.
"""

from __future__ import annotations

import math

import numpy as np

from .jit import entry, kernel

# Streams; each seat has one for its choices behind STREAM_SEAT and one for its memory.
STREAM_DEAL, STREAM_FIRST, STREAM_RACE, STREAM_RECYCLE, STREAM_SEAT = range(5)
STREAM_MEMORY = STREAM_SEAT + 6

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U24 = np.uint64(24)
_U27 = np.uint64(27)
_U28 = np.uint64(28)
_U30 = np.uint64(30)
_U31 = np.uint64(31)
_U32 = np.uint64(32)
_LOW24 = np.uint64(0xFFFFFF)
_LOW32 = np.uint64(0xFFFFFFFF)
_U11 = np.uint64(11)
_TWO_TO_MINUS_53 = 2.0**-53


@kernel
def mix(key1, key2, position):
    """The number at a position: uint64, uint64, uint64 -> uint64; a bijection of `position`."""
    word = position * _GOLDEN + key1
    word = (word ^ (word >> _U32)) ^ key2
    word = (word ^ (word >> _U30)) * _MIX1
    word = (word ^ (word >> _U27)) * _MIX2
    return word ^ (word >> _U31)


@entry
def set_keys(state, seed, index, deal):
    """Write the keys of one deal (round 0 … of unit `index`) of a seed into the state."""
    zero = np.uint64(0)
    state.key1 = mix(zero, zero, seed)
    state.key2 = mix(state.key1, zero, np.uint64(deal) + seed)
    state.round_bits = np.uint64(index) << _U28


@kernel
def number(state, stream, counter):
    """The uint64 at (this round, `stream` int, `counter` int below 2**24)."""
    position = (np.uint64(stream) << _U24) | (np.uint64(counter) & _LOW24) | state.round_bits
    return mix(state.key1, state.key2, position)


@kernel
def below(word, n):
    """A whole number 0 … n - 1 out of a uint64, without bias (Lemire 2019), n < 2**31.

    The high half decides; where that would be biased the low half does. What is left is a
    bias below 2**-50.
    """
    limit = np.uint64(n)
    product = (word >> _U32) * limit
    if (product & _LOW32) < limit:
        threshold = (np.uint64(0x100000000) - limit) % limit
        if (product & _LOW32) < threshold:
            product = (word & _LOW32) * limit
    return np.int64(product >> _U32)


@kernel
def own_number(state, seat):
    """The next uint64 of a seat's own stream."""
    used = state.used[seat]
    state.used[seat] = used + np.uint32(1)
    return number(state, STREAM_SEAT + seat, used)


@kernel
def unit_interval(word):
    """A uint64 as a float of [0, 1), in steps of 2**-53."""
    return np.float64(word >> _U11) * _TWO_TO_MINUS_53


@kernel
def normal(word):
    """A standard normal number (float) out of a uint64, by the Box-Muller formula."""
    radius = math.sqrt(-2.0 * math.log((np.float64(word >> _U32) + 0.5) / 4294967296.0))
    return radius * math.cos(2.0 * math.pi * np.float64(word & _LOW32) / 4294967296.0)


@kernel
def own_below(state, seat, n):
    """A whole number 0 … n - 1 from a seat's own stream."""
    return below(own_number(state, seat), n)


@kernel
def own_chance(state, seat, chance):
    """True with a chance (float, 0 to 1) from a seat's own stream; uses no number at 0 and 1."""
    if chance <= 0.0:
        return False
    if chance >= 1.0:
        return True
    return unit_interval(own_number(state, seat)) < chance
