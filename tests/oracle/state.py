"""The state of one round: where every card lies, who knows it, and how far the round is.

A card is a physical object here, because knowledge (KNOW-1) and the lock (POW-LOCK) are
attached to it. The methods move cards and answer questions; they judge nothing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator

from .decks import Bird, Deck
from .log import Target
from .options import Options


class Card:
    """One physical card."""

    __slots__ = ("bird", "kind", "knowers")

    def __init__(self, bird: str, kind: Bird):
        self.bird = bird
        self.kind = kind
        self.knowers: set[int] = set()

    def matches(self, other: Card) -> bool:
        """CARD-4: by bird or family, never by value."""
        return self.bird == other.bird or self.kind.family == other.kind.family


class RoundState:
    """Areas, piles, knowledge, locks, BAO, Shield and the automatic final phase."""

    def __init__(self, deck: Deck, options: Options, players: int):
        self.deck = deck
        self.options = options
        self.players = players
        self.areas: list[list[Card | None]] = [[] for _ in range(players)]
        self.draw_pile: deque[Card] = deque()
        self.discard_pile: list[Card] = []
        self.under_pile: list[Card] = []
        self.hand: list[Card] = []  # drawn or taken, and not yet laid anywhere
        self.slot_numbers = max(66, sum(bird.copies for bird in deck.values()))
        self.first = 0
        self.active = 0
        self.turn = 0
        self.recyclings = 0
        self.declarer: int | None = None
        self.shield = False
        self.final_phase = False
        self.turns_left: int | None = None  # of the others, once BAO or the final phase is on
        self.closing_began_now = False  # the final phase began in the turn that is running
        self._locks: dict[int, set[Card]] = {}

    # Cards and places

    def new_card(self, bird: str) -> Card:
        """A physical card that nobody knows."""
        return Card(bird, self.deck[bird])

    def seats(self) -> range:
        """All seats."""
        return range(self.players)

    def size(self, seat: int) -> int:
        """Number of cards of a player; 0 is a player without cards (ZERO-1)."""
        area = self.areas[seat]
        return len(area) - area.count(None)

    def card_at(self, target: Target) -> Card | None:
        """The card in a slot, None where it is empty or was never used."""
        owner, slot = target
        area = self.areas[owner]
        return area[slot] if slot < len(area) else None

    def put(self, target: Target, card: Card | None) -> None:
        """Lay a card into a slot, or empty it; new numbers come into being as needed."""
        owner, slot = target
        area = self.areas[owner]
        area.extend([None] * (slot + 1 - len(area)))
        area[slot] = card

    def lying(self) -> Iterator[tuple[Target, Card]]:
        """All face-down cards on the table with their places."""
        for owner, area in enumerate(self.areas):
            for slot, card in enumerate(area):
                if card is not None:
                    yield (owner, slot), card

    def slot_for_added(self, seat: int) -> int:
        """SLOT-3: where a penalty or a Toco Toucan's card goes."""
        area = self.areas[seat]
        fill = self.options.added_card_slot == "fill_empty" or len(area) >= self.slot_numbers
        if fill and None in area:
            return area.index(None)
        return len(area)

    def all_birds(self) -> Counter[str]:
        """Every card of the round, wherever it is (INV-1)."""
        cards = [*self.draw_pile, *self.discard_pile, *self.under_pile, *self.hand]
        for area in self.areas:
            cards += [card for card in area if card is not None]
        return Counter([card.bird for card in cards])

    # Piles

    def draw(self, viewers: Iterable[int] = ()) -> Card:
        """The top of the draw pile, seen by `viewers` (KNOW-2)."""
        card = self.draw_pile.popleft()
        card.knowers.update(viewers)
        return card

    def discard(self, card: Card) -> None:
        """Face up on the discard pile: everybody knows it (KNOW-2)."""
        self.reveal(card)
        self.discard_pile.append(card)

    def slip_under(self, card: Card) -> None:
        """Unseen under the discard pile (POW-SHOEBILL)."""
        self.under_pile.append(card)

    def recyclable(self) -> list[Card]:
        """REC-1: all discards but the top, and the under pile."""
        return self.discard_pile[:-1] + self.under_pile

    def recycle(self, birds: list[str]) -> None:
        """REC-1 with the order as logged; KNOW-3: nobody knows these cards any longer."""
        self.draw_pile = deque(self.new_card(bird) for bird in birds)
        del self.discard_pile[:-1]
        self.under_pile.clear()
        self.recyclings += 1

    # Knowledge

    def reveal(self, card: Card) -> None:
        """Everybody sees the card."""
        card.knowers.update(self.seats())

    def known(self) -> frozenset[tuple[int, int, int]]:
        """(viewer, owner, slot) for every card that lies in an area."""
        return frozenset(
            (viewer, owner, slot) for (owner, slot), card in self.lying() for viewer in card.knowers
        )

    # Locks and protection

    def _lock_scope(self, user: int) -> int:
        """POW-LOCK: all powers of the turn share one lock, or each player's have their own.

        With `pluck` the limit holds for one player's powers out of one pluck. There is one
        pluck in a turn at most and its powers belong to the plucker; a direct discard's
        power is of another player, or alone. So the player tells the scopes apart.
        """
        return user if self.options.move_lock == "pluck" else -1

    def lock(self, user: int, card: Card) -> None:
        """The card was moved or placed by a power of `user` in this turn."""
        if self.options.move_lock != "none":
            self._locks.setdefault(self._lock_scope(user), set()).add(card)

    def unlock(self, card: Card) -> None:
        """A card that left the areas is locked no longer."""
        for locked in self._locks.values():
            locked.discard(card)

    def clear_locks(self) -> None:
        """The lock ends with the turn."""
        self._locks.clear()

    def locked(self, user: int, card: Card) -> bool:
        """May a power of `user` not move this card?"""
        return card in self._locks.get(self._lock_scope(user), ())

    def protected(self, user: int, owner: int) -> bool:
        """SHIELD-3, SHIELD-4: are the cards of `owner` behind the Shield for `user`?"""
        return self.shield and owner == self.declarer and user != self.declarer

    def movable(self, user: int, target: Target) -> bool:
        """May a power of `user` move, swap or replace what lies there?"""
        card = self.card_at(target)
        if card is None or self.protected(user, target[0]):
            return False
        return not self.locked(user, card)

    def owners_movable(self, user: int) -> set[int]:
        """Players with at least one card that a power of `user` may move."""
        return {place[0] for place, _ in self.lying() if self.movable(user, place)}
