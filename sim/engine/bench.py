"""What `baobei bench` measures beside play: a full shuffle of 66 bytes, and a copy of a state."""

from __future__ import annotations

import numpy as np

from ..core.copying import copy_play
from ..core.jit import entry

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U27 = np.uint64(27)
_U30 = np.uint64(30)
_U32 = np.uint64(32)


@entry
def shuffle_many(cards, times, seed):
    """Mutates: shuffle `cards` (int8, any length) `times` times; returns a byte.

    Fisher-Yates with SplitMix64 and one multiplication for each die: about as quick as a plain
    shuffle gets, so that a turn's cost is not flattered by a slow yardstick.
    """
    n = len(cards)
    word = np.uint64(seed)
    for _ in range(times):
        for k in range(n - 1, 0, -1):
            word += _GOLDEN
            z = (word ^ (word >> _U30)) * _MIX1
            z = (z ^ (z >> _U27)) * _MIX2
            j = np.int64(((z >> _U32) * np.uint64(k + 1)) >> _U32)
            card = cards[j]
            cards[j] = cards[k]
            cards[k] = card
    return cards[0]


@entry
def copy_many(source, target, table, times):
    """Mutates both: copy what play needs of a state `times` times, each time another turn's."""
    for turn in range(times):
        source.turn = turn
        copy_play(source, target, table)
