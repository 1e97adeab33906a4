"""The yardstick of `bench`."""

from __future__ import annotations

import numpy as np

from sim.engine.bench import shuffle_many


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
