"""Birds and decks (rulebook section 1). A deck is data: bird id -> `Bird`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

POWERS = ("look", "show", "swap", "macaw", "toco", "shoebill")


@dataclass(frozen=True)
class Bird:
    """One line of a deck file (CARD-3)."""

    value: int
    family: str
    power: str | None
    copies: int


Deck = Mapping[str, Bird]


def check_deck(deck: Deck) -> None:
    """Raise `ValueError` where `deck` is no deck; this is the caller's fault, not the log's."""
    for name, bird in deck.items():
        if bird.power is not None and bird.power not in POWERS:
            raise ValueError(f"deck: {name} has the unknown power {bird.power!r}")
        if bird.copies < 0:
            raise ValueError(f"deck: {name} has {bird.copies} copies")


def deck_counts(deck: Deck) -> Counter[str]:
    """How many cards of each bird the deck holds."""
    return Counter({name: bird.copies for name, bird in deck.items() if bird.copies})


def _plain(numbers: range | tuple[int, ...], copies: int) -> dict[str, Bird]:
    """Birds without a power: `bird_N` is worth N and its own family (CARD-2)."""
    return {f"bird_{n}": Bird(n, f"bird_{n}", None, copies) for n in numbers}


def _powerful(white: int, brown: int, toco: int, shoebill: int) -> dict[str, Bird]:
    """The birds with names (CARD-2); Barn Owl and Macaw have five copies in both decks."""
    return {
        "white_pelican": Bird(7, "pelican", "look", white),
        "brown_pelican": Bird(7, "pelican", "show", brown),
        "barn_owl": Bird(11, "barn_owl", "swap", 5),
        "macaw": Bird(12, "macaw", "macaw", 5),
        "toco_toucan": Bird(13, "toucan", "toco", toco),
        "golden_toucan": Bird(-5, "toucan", None, 1),
        "shoebill": Bird(13, "shoebill", "shoebill", shoebill),
    }


_PLAIN_NUMBERS = (1, 2, 3, 4, 5, 6, 8, 9, 10)

FIVE_PER_VALUE: Deck = _plain(_PLAIN_NUMBERS, 5) | _powerful(3, 2, 3, 2)
FIVE_PER_POWER: Deck = _plain(_PLAIN_NUMBERS, 4) | _powerful(5, 5, 4, 5)
