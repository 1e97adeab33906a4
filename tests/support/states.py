"""Copies of states, and the sets of cards in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sim.core.layout import MAX_CARDS, NONE, STATE, WORDS


def copy_state(state: Any) -> Any:
    """An independent copy of a `State` record."""
    return np.frombuffer(bytearray(state.tobytes()), STATE).view(np.recarray)[0]


def bits(words: Any) -> int:
    """A set of cards (uint64 words) as one whole number, bit k for card k."""
    return sum(int(word) << (64 * k) for k, word in enumerate(words))


def cards_in(words: Any) -> set[int]:
    """The cards of a set of cards."""
    whole = bits(words)
    return {card for card in range(MAX_CARDS) if whole >> card & 1}


def write_set(words: Any, cards: Iterable[int]) -> None:
    """Mutates: make a set of cards hold exactly these."""
    whole = sum(1 << card for card in set(cards))
    for k in range(WORDS):
        words[k] = np.uint64(whole >> (64 * k) & (2**64 - 1))


def lying_cards(state: Any) -> dict[int, int]:
    """Place -> card, for every card in an area."""
    found = {}
    for owner in range(state.players):
        for slot in range(int(state.n_slots[owner])):
            card = int(state.slot_card[owner, slot])
            if card != NONE:
                found[owner << 7 | slot] = card
    return found
