"""The yardstick of `baobei bench`: a full shuffle of 66 bytes, in the engine's own numbers."""

from __future__ import annotations

import numpy as np

from .jit import entry
from .rng import below, mix


@entry
def shuffle_many(cards, times, seed):
    """Mutates: shuffle `cards` (int8, any length) `times` times by Fisher-Yates; returns a byte."""
    n = len(cards)
    counter = np.uint64(0)
    one = np.uint64(1)
    key = np.uint64(seed)
    for _ in range(times):
        for k in range(n - 1):
            j = k + below(mix(key, key, counter), n - k)
            counter += one
            card = cards[j]
            cards[j] = cards[k]
            cards[k] = card
    return cards[0]
