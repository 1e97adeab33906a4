"""INV-1 to INV-8, recomputed from first principles after each event (rulebook section 13).

The watch looks at the state and at the events, never at how the auditor got from one to
the other. INV-4 is counted in `plucks`, where an attempt begins and ends.
"""

from __future__ import annotations

from .decks import deck_counts
from .log import Event
from .state import Card, RoundState

#: The only events that change the top of the discard pile (INV-2).
_TOP_CHANGES = frozenset({"take", "replace", "discard", "pluck"})


class Watch:
    """Compares the state after each event with the state before it."""

    def __init__(self, state: RoundState):
        self._state = state
        self._deck = dict(deck_counts(state.deck))
        self._negatives = sum(bird.copies for bird in state.deck.values() if bird.value < 0)
        self._plucks = 0
        self._powers: list[str] = []
        self._closer: int | None = None  # who called BAO, or whose turn began the final phase
        self._turns_since: list[int] = []
        self._remember()

    def _remember(self) -> None:
        state = self._state
        self._sizes = [state.size(seat) for seat in state.seats()]
        self._top = state.discard_pile[-1] if state.discard_pile else None
        self._shielded = self._declarers_cards() if state.shield else None

    def _declarers_cards(self) -> tuple[int, list[Card | None]]:
        declarer = self._state.declarer
        assert declarer is not None
        cards = list(self._state.areas[declarer])
        while cards and cards[-1] is None:
            cards.pop()
        return declarer, cards

    def settled(self, event: Event) -> None:
        """Check the state that `event`, now wholly carried out, has left."""
        self._all_cards(event)
        self._discard_pile(event)
        self._one_pluck_one_family(event)
        self._no_card_from_nowhere(event)
        self._shield_holds(event)
        self._last_turns(event)
        self._remember()

    def _all_cards(self, event: Event) -> None:
        if dict(self._state.all_birds()) != self._deck:
            event.fail("INV-1", "the cards on the table are not the deck")

    def _discard_pile(self, event: Event) -> None:
        pile = self._state.discard_pile
        if not pile and event.kind != "take":
            event.fail("INV-2", "the discard pile is empty")
        top = pile[-1] if pile else None
        if top is not self._top and event.kind not in _TOP_CHANGES:
            event.fail("INV-2", "the top discard has changed")

    def _one_pluck_one_family(self, event: Event) -> None:
        """INV-3: one pluck, and powers of one family.

        At most two powers in the second edition, three in the first. Where all cards of a
        double have their powers (`double_pluck_powers`), three is the limit.
        """
        if event.kind == "turn":
            self._plucks, self._powers = 0, []
        elif event.kind == "pluck":
            self._plucks += 1
        elif event.kind == "power":
            self._powers.append(self._state.deck[event.bird()].family)
        limit = 3 if self._state.options.double_pluck_powers == "all" else 2
        if self._plucks > 1 or len(self._powers) > limit or len(set(self._powers)) > 1:
            event.fail("INV-3", f"{self._plucks} plucks, powers of {self._powers} in one turn")

    def _no_card_from_nowhere(self, event: Event) -> None:
        for seat in self._state.seats():
            if self._sizes[seat] > 0 or self._state.size(seat) == 0:
                continue
            if event.kind != "add" or event.seat() == seat:
                event.fail("INV-5", f"seat {seat} was without cards and has one again")

    def _shield_holds(self, event: Event) -> None:
        if self._shielded is None or not self._state.shield:
            return
        if self._declarers_cards() != self._shielded and event.seat() != self._shielded[0]:
            event.fail("INV-8", "the declarer's cards were changed behind the Shield")

    def _last_turns(self, event: Event) -> None:
        """INV-6 and, with at most one negative card in the deck, INV-7."""
        if event.kind in ("bao", "final_phase"):
            self._closer, self._turns_since = event.seat(), []
        elif event.kind == "turn" and self._closer is not None:
            self._turns_since.append(event.seat())
        elif event.kind == "end":
            self._check_last_turns(event)
            negative = sum(total < 0 for total in event.get("totals"))
            if self._negatives <= 1 and negative > 1:
                event.fail("INV-7", f"{negative} players with a negative total")

    def _check_last_turns(self, event: Event) -> None:
        players = self._state.players
        due = []
        if self._closer is not None:
            due = [(self._closer + step) % players for step in range(1, players)]
        if event.get("reason") == "turn_cap":
            due = due[: len(self._turns_since)]
        elif self._closer is None:
            event.fail("INV-6", "nobody called BAO and no final phase began")
        if self._turns_since != due:
            event.fail("INV-6", f"last turns of {self._turns_since}, should be of {due}")
