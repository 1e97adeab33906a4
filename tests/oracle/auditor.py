"""The auditor of one round: turns, windows, BAO, Shield, recycling and the end.

The auditor reads the log like a grammar: at every point the rules say which events may
stand next, and what has to be in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .dealing import read_deal
from .decks import POWERS, Deck, check_deck
from .invariants import Watch
from .log import FOREIGN, Event, EventLog
from .plucks import FROM_DRAW, FROM_WINDOW, Hit, pluck
from .powers import BY_DISCARD, BY_ELIMINATION, BY_REFERENCE, Due, resolve
from .scoring import BY_BAO, BY_CAP, BY_RECYCLING, Result, score
from .state import Card

PLUCKS = ("own_hit", "rival_hit", "double_hit", "missed")


def _zeros(names: Sequence[str]) -> dict[str, int]:
    return dict.fromkeys(names, 0)


@dataclass
class SeatCounts:
    """What one seat did in the round.

    `powers` counts every power started, `no_effect` those among them that could do nothing.
    `bao_outcome` is won, tied, beaten or void (capped or overridden) for a caller, else None.
    """

    plucks: dict[str, int] = field(default_factory=lambda: _zeros(PLUCKS))
    powers: dict[str, int] = field(default_factory=lambda: _zeros(POWERS))
    no_effect: dict[str, int] = field(default_factory=lambda: _zeros(POWERS))
    bao_called: int = 0
    bao_outcome: str | None = None


@dataclass(frozen=True)
class RoundAudit:
    """The final state of a round that has passed."""

    players: int
    first: int
    hands: list[list[str | None]]
    draw_pile: list[str]
    discard_pile: list[str]
    under_pile: list[str]
    totals: list[int]
    scores: list[int]
    winners: list[int]
    reason: str
    turns: int
    recyclings: int
    declarer: int | None  # None too after an override (FINAL-4)
    shield: bool
    final_phase: bool
    knows: frozenset[tuple[int, int, int]]
    seats: list[SeatCounts]


def audit_round(events: Sequence[Mapping[str, Any]], deck: Deck) -> RoundAudit:
    """Audit one round, from `deal` to `end`; nothing may follow.

    Args:
        events: the events of the log, hidden cards included.
        deck: bird id -> `Bird`; any deck.

    Returns:
        The final state.

    Raises:
        AuditError: on the first deviation.
        ValueError: where `deck` is no deck.
    """
    auditor = Auditor(events, deck)
    result = auditor.run()
    auditor.log_ends()
    return result


class Auditor:
    """Replays one round, which starts at event `start` of the list."""

    def __init__(self, events: Sequence[Mapping[str, Any]], deck: Deck, start: int = 0):
        check_deck(deck)
        self.log = EventLog(events, deck, start)
        self.deal, self.state = read_deal(self.log, deck)
        self.last: Event = self.deal
        self.counts = [SeatCounts() for _ in self.state.seats()]
        self._watch = Watch(self.state)

    def run(self) -> RoundAudit:
        """Replay the round up to its `end`; raises `AuditError`."""
        reason = None
        while reason is None:
            self._turn()
            reason = self._over()
            self.state.turn += 1
            self.state.active = (self.state.active + 1) % self.state.players  # SET-5
        return self._end(reason)

    def knows(self, viewer: int, owner: int, slot: int) -> bool:
        """KNOW-1, KNOW-2: does `viewer` know the card that now lies there? False if none does."""
        card = self.state.card_at((owner, slot))
        return card is not None and viewer in card.knowers

    def log_ends(self) -> None:
        """Raise `AuditError` where anything follows the `end`."""
        kind = self.log.peek()
        if kind is not None:
            self.log.take(kind, "LOG").fail(FOREIGN[kind], "the round has ended already")

    # What the modules of plucks and powers use

    def next(self, kind: str, rule: str) -> Event:
        """The next event, which must be of this kind; before it, the invariants are checked."""
        self._watch.settled(self.last)
        self.last = self.log.take(kind, rule)
        return self.last

    def ready_to_draw(self) -> bool:
        """REC-1 to REC-4: recycle if the draw pile is empty; is there a card to draw?"""
        state = self.state
        if state.draw_pile:
            return True
        if not state.recyclable():
            return False
        event = self.next("recycle", "REC-1")
        event.must_be("count", state.recyclings + 1, "REC-4")
        birds = event.bird_list("draw_pile")
        right = Counter(card.bird for card in state.recyclable())
        if Counter(birds) != right:
            event.fail("REC-1", f"the new draw pile should hold {dict(right)}")
        state.recycle(birds)
        self._maybe_final_phase()
        return True

    def declarer_changed(self, by: int) -> None:
        """SHIELD-1, SHIELD-4, SHIELD-5: an opponent's first change raises the Shield."""
        state = self.state
        if state.declarer in (None, by) or state.shield:
            return
        if state.options.shield == "after_first_change":
            self._raise_shield()

    def _raise_shield(self) -> None:
        declarer = self.state.declarer
        assert declarer is not None
        self.next("shield", "SHIELD-1").by(declarer, "SHIELD-1")
        self.state.shield = True

    # The automatic final phase

    def _maybe_final_phase(self) -> None:
        """REC-4, FINAL-1, FINAL-4: the recycling that reaches the limit starts the phase."""
        state = self.state
        if state.final_phase or state.recyclings != state.options.recycle_limit:
            return
        if state.declarer is not None:
            if state.options.recycle_after_bao == "ignore":
                return
            self.counts[state.declarer].bao_outcome = "void"
        self.next("final_phase", "FINAL-1").by(state.active, "FINAL-1")
        state.declarer, state.shield = None, False
        state.final_phase = True
        state.turns_left = state.players - 1
        state.closing_began_now = True

    # A turn

    def _turn(self) -> None:
        """TURN-1 to TURN-6."""
        state = self.state
        event = self.next("turn", "SET-5" if state.turns_left is None else "INV-6")
        event.must_be("turn", state.turn, "SIM-1")
        event.by(state.active, "SET-5")
        if self.log.peek() == "take":
            self._take()
        else:
            self._draw()
        self._end_of_turn()

    def _take(self) -> None:
        """TURN-3, TURN-6: the top discard, seen by all, replaces an own card."""
        state = self.state
        event = self.next("take", "TURN-1")
        event.by(state.active, "TURN-1")
        if not state.options.take_discard:
            event.fail("TURN-1", "the option take_discard is off")
        if state.size(state.active) == 0:
            event.fail("TURN-6", "a player without cards cannot take the discard")
        event.must_be("card", state.discard_pile[-1].bird, "TURN-3")
        state.hand.append(state.discard_pile.pop())
        self._replace("TURN-3")

    def _draw(self) -> None:
        """TURN-2, TURN-7: draw, then pluck, keep or discard; nothing to draw is a pass."""
        state = self.state
        can_draw = self.ready_to_draw()
        event = self.next("draw", "TURN-1")
        event.by(state.active, "TURN-1")
        if not can_draw:
            event.must_be("card", None, "TURN-7")
            return
        event.must_be("card", state.draw_pile[0].bird, "TURN-2")
        state.hand.append(state.draw(viewers=[state.active]))
        kind = self.log.peek()
        if kind == "pluck":
            self._pluck_with_draw()
        elif kind == "replace":
            self._replace("TURN-2")
        else:
            self._discard()

    def _replace(self, rule: str) -> None:
        """TURN-2 keep, TURN-3, SLOT-2: the card in hand takes the slot of an own card."""
        state = self.state
        event = self.next("replace", rule)
        event.by(state.active, rule)
        if state.size(state.active) == 0:
            event.fail("TURN-6", "a player without cards has nothing to replace")
        place = (state.active, event.whole("slot"))
        old = state.card_at(place)
        if old is None:
            event.fail("SLOT-2", f"no card lies at {place}")
        event.must_be("card", state.hand[0].bird, rule)
        event.must_be("out", old.bird, "INV-1")
        state.put(place, state.hand.pop())
        state.discard(old)
        resolve(self, self._window(old))

    def _discard(self) -> None:
        """TURN-2 direct, POW-1, POW-4: the window, then the powers of both players."""
        state = self.state
        event = self.next("discard", "TURN-2")
        event.by(state.active, "TURN-2")
        event.must_be("card", state.hand[0].bird, "TURN-2")
        card = state.hand.pop()
        state.discard(card)
        dues = self._window(card)
        own = Due(state.active, card, BY_DISCARD)
        if state.options.window_power_order == "active_first":
            resolve(self, [own, *dues])
        else:
            resolve(self, [*dues, own])

    def _window(self, reference: Card) -> list[Due]:
        """TURN-4, PLUCK-3: at most one attempt by another player; the plucker's powers."""
        if self.log.peek() != "pluck":
            return []
        hit = pluck(self, FROM_WINDOW, reference)
        if hit is None:
            return []
        return [Due(hit.player, card, BY_ELIMINATION) for card in self._empowered(hit)]

    def _pluck_with_draw(self) -> None:
        """PLUCK-6, POW-1, DOUBLE-4: the reference's power comes before the eliminated card's.

        In a double pluck the reference has its power only where all cards have theirs.
        """
        reference = self.state.hand[0]
        hit = pluck(self, FROM_DRAW, reference)
        if hit is None:
            return
        dues = [Due(hit.player, card, BY_ELIMINATION) for card in self._empowered(hit)]
        if not hit.double or self.state.options.double_pluck_powers == "all":
            dues.insert(0, Due(hit.player, reference, BY_REFERENCE))
        resolve(self, dues)

    def _empowered(self, hit: Hit) -> list[Card]:
        """DOUBLE-4: which of the eliminated cards give the plucker their power."""
        if hit.double and self.state.options.double_pluck_powers == "second_card":
            return hit.cards[1:]
        return hit.cards

    # The end of a turn and of the round

    def _end_of_turn(self) -> None:
        """TURN-5, BAO-2, FINAL-1: locks end, last turns are counted, BAO may be called."""
        state = self.state
        state.clear_locks()
        if state.turns_left is not None and not state.closing_began_now:
            state.turns_left -= 1
        state.closing_began_now = False
        if self.log.peek() == "bao":
            self._bao()

    def _bao(self) -> None:
        """BAO-1, FINAL-2, and `shield = at_once`."""
        state = self.state
        event = self.next("bao", "BAO-1")
        event.by(state.active, "BAO-1")
        if not state.options.bao:
            event.fail("BAO-1", "the option bao is off")
        if state.final_phase:
            event.fail("FINAL-2", "no BAO once the automatic final phase has begun")
        if state.declarer is not None:
            event.fail("BAO-1", f"seat {state.declarer} has called BAO already")
        state.declarer = state.active
        state.turns_left = state.players - 1
        self.counts[state.active].bao_called = 1
        if state.options.shield == "at_once":
            self._raise_shield()

    def _over(self) -> str | None:
        """BAO-3, FINAL-3, SIM-1: why the round is over after this turn, None if it is not."""
        state = self.state
        if state.turns_left == 0:
            return BY_RECYCLING if state.final_phase else BY_BAO
        return BY_CAP if state.turn + 1 >= state.options.max_turns else None

    def _end(self, reason: str) -> RoundAudit:
        """The `end` event, and the final state."""
        rule = {BY_BAO: "BAO-3", BY_RECYCLING: "FINAL-3", BY_CAP: "SIM-1"}[reason]
        event = self.next("end", rule)
        state = self.state
        result = score(state, reason)
        event.must_be("reason", reason, rule)
        self._check_last_hands(event)
        _check_numbers(event, "totals", result.totals, "SCORE-1")
        _check_numbers(event, "scores", result.scores, "SCORE-4" if reason == BY_BAO else "SCORE-2")
        event.must_be("turns", state.turn, "SIM-1")
        _check_numbers(event, "winners", result.winners, "SIM-1" if reason == BY_CAP else "SCORE-3")
        self._watch.settled(event)
        return self._report(reason, result)

    def _check_last_hands(self, event: Event) -> None:
        """Every card in its slot; the contract does not fix empty slots after the last card."""
        hands = event.items("hands")
        right = self._hands()
        if len(hands) != len(right):
            event.fail("INV-1", f"{len(hands)} hands, should be {len(right)}")
        for seat, (hand, cards) in enumerate(zip(hands, right, strict=True)):
            if not isinstance(hand, (list, tuple)) or _trimmed(hand) != _trimmed(cards):
                event.fail("INV-1", f"the hand of seat {seat} should be {cards}")

    def _hands(self) -> list[list[str | None]]:
        return [[None if card is None else card.bird for card in area] for area in self.state.areas]

    def _report(self, reason: str, result: Result) -> RoundAudit:
        state = self.state
        for counts in self.counts:
            if counts.bao_called and counts.bao_outcome is None:
                counts.bao_outcome = result.bao_outcome or "void"
        return RoundAudit(
            players=state.players,
            first=state.first,
            hands=self._hands(),
            draw_pile=[card.bird for card in state.draw_pile],
            discard_pile=[card.bird for card in state.discard_pile],
            under_pile=[card.bird for card in state.under_pile],
            totals=result.totals,
            scores=result.scores,
            winners=result.winners,
            reason=reason,
            turns=state.turn,
            recyclings=state.recyclings,
            declarer=state.declarer,
            shield=state.shield,
            final_phase=state.final_phase,
            knows=state.known(),
            seats=self.counts,
        )


def _check_numbers(event: Event, key: str, right: list[int], rule: str) -> None:
    """A list of whole numbers, exactly these."""
    found = event.items(key)
    if list(found) != right or any(isinstance(value, bool) for value in found):
        event.fail(rule, f"{key} = {found!r}, should be {right}")


def _trimmed(hand: Sequence[str | None]) -> list[str | None]:
    """Without the empty slots behind the last card."""
    cards = list(hand)
    while cards and cards[-1] is None:
        cards.pop()
    return cards
