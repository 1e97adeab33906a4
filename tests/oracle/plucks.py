"""Plucks: claims, hits, gifts, misses and penalties (rulebook section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .log import Event, Target
from .state import Card

if TYPE_CHECKING:
    from .auditor import Auditor

FROM_DRAW, FROM_WINDOW = "draw", "window"


@dataclass(frozen=True)
class Attempt:
    """One pluck attempt as logged, its targets still unchecked."""

    event: Event
    player: int
    drawn: bool  # the reference is the player's own draw, not a discard
    reference: Card
    targets: list[Target]

    @property
    def double(self) -> bool:
        """One attempt with two targets (DOUBLE-1)."""
        return len(self.targets) == 2

    @property
    def rivals(self) -> list[Target]:
        """The rival targets, in order: one gift for each (PLUCK-5)."""
        return [target for target in self.targets if target[0] != self.player]


@dataclass(frozen=True)
class Hit:
    """What a hit leaves for the powers: who plucked, and the cards eliminated, in order."""

    player: int
    double: bool
    cards: list[Card]


def pluck(auditor: Auditor, source: str, reference: Card) -> Hit | None:
    """Replay one `pluck` with all that belongs to it but powers; None for a miss.

    PLUCK-6, PLUCK-7, DOUBLE-2, DOUBLE-3; the Shield that it raises (SHIELD-2) stands
    directly after it.
    """
    state = auditor.state
    attempt = _read(auditor, source, reference)
    cards = _claimed_cards(auditor, attempt)
    sizes = [state.size(seat) for seat in state.seats()]
    _check_cards(attempt, cards)
    hit = all(card.matches(reference) for card in cards)
    if attempt.event.flag("hit") != hit:
        rule = "DOUBLE-2" if attempt.double else "CARD-4"
        attempt.event.fail(rule, f"hit should be {hit}: {reference.bird} against targets")
    auditor.counts[attempt.player].plucks[_kind(attempt, hit)] += 1
    if hit:
        _hit(auditor, attempt, cards)
    else:
        _miss(auditor, attempt, cards)
    _check_sizes(auditor, attempt, hit, sizes)
    return Hit(attempt.player, attempt.double, cards) if hit else None


def _kind(attempt: Attempt, hit: bool) -> str:
    """The name under which the attempt is counted."""
    if not hit:
        return "missed"
    if attempt.double:
        return "double_hit"
    return "rival_hit" if attempt.rivals else "own_hit"


def _read(auditor: Auditor, source: str, reference: Card) -> Attempt:
    """PLUCK-1: the reference is the card just drawn or just discarded, and no other."""
    event = auditor.next("pluck", "PLUCK-1")
    event.must_be("from", source, "PLUCK-1")
    event.must_be("reference", reference.bird, "PLUCK-1")
    targets = event.target_list("targets")
    if len(targets) not in (1, 2):
        event.fail("DOUBLE-1", f"{len(targets)} targets; a pluck has one or two")
    return Attempt(event, event.seat(), source == FROM_DRAW, reference, targets)


def _claimed_cards(auditor: Auditor, attempt: Attempt) -> list[Card]:
    """The cards pointed at, once all holds that must before a card is revealed.

    Else the claim is no attempt at all (PLUCK-3, DOUBLE-5).
    """
    _check_player(auditor, attempt)
    if attempt.double:
        _check_double(auditor, attempt)
    cards = [_target_card(auditor, attempt, target) for target in attempt.targets]
    _check_enough_to_give(auditor, attempt)
    return cards


def _check_player(auditor: Auditor, attempt: Attempt) -> None:
    """PLUCK-2, PLUCK-3, PLUCK-8: who may try."""
    state, event = auditor.state, attempt.event
    if state.options.plucks == "none":
        event.fail("PLUCK-1", "the option plucks = none allows no pluck")
    if attempt.drawn and attempt.player != state.active:
        event.fail("PLUCK-1", "a drawn card is a reference for its drawer alone")
    if not attempt.drawn and attempt.player == state.active:
        event.fail("PLUCK-3", "the active player takes no part in the window")
    if state.size(attempt.player) == 0:
        event.fail("PLUCK-8", "a player without cards cannot pluck")


def _check_double(auditor: Auditor, attempt: Attempt) -> None:
    """DOUBLE-1: two different targets; by option only own ones after an own draw, or none."""
    option = auditor.state.options.double_pluck
    if attempt.targets[0] == attempt.targets[1]:
        attempt.event.fail("DOUBLE-1", "twice the same target")
    if option == "none":
        attempt.event.fail("DOUBLE-1", "the option double_pluck = none allows no double")
    if option == "own_draw_own_cards" and (not attempt.drawn or attempt.rivals):
        attempt.event.fail("DOUBLE-1", "a double only after an own draw, both targets own")


def _target_card(auditor: Auditor, attempt: Attempt, target: Target) -> Card:
    """PLUCK-8, PLUCK-9 and the option `plucks`: which cards may be pointed at.

    `own_only` is read literally: only own cards are targets, after a draw and in a window.
    """
    state = auditor.state
    card = state.card_at(target)
    if card is None:
        attempt.event.fail("PLUCK-8", f"no card lies at {target}")
    if state.protected(attempt.player, target[0]):
        attempt.event.fail("PLUCK-9", f"{target} is behind the Shield")
    if state.options.plucks == "own_only" and target[0] != attempt.player:
        attempt.event.fail("PLUCK-1", f"{target}: plucks = own_only allows own targets only")
    return card


def _check_enough_to_give(auditor: Auditor, attempt: Attempt) -> None:
    """PLUCK-5, DOUBLE-1: an own card that is no target for each rival target, hit or miss."""
    own_targets = len(attempt.targets) - len(attempt.rivals)
    if auditor.state.size(attempt.player) - own_targets < len(attempt.rivals):
        rule = "DOUBLE-1" if attempt.double else "PLUCK-5"
        attempt.event.fail(rule, "not enough own cards to give")


def _check_cards(attempt: Attempt, cards: list[Card]) -> None:
    """The cards logged are those that lie at the targets."""
    right = [card.bird for card in cards]
    if attempt.event.bird_list("cards") != right:
        attempt.event.fail("INV-1", f"cards should be {right}, they lie at the targets")


def _hit(auditor: Auditor, attempt: Attempt, cards: list[Card]) -> None:
    """PLUCK-4 to PLUCK-6, DOUBLE-2: discards in order, then all gifts, then the Shield."""
    state = auditor.state
    if attempt.drawn:
        state.discard(state.hand.pop())
    for target, card in zip(attempt.targets, cards, strict=True):
        state.put(target, None)
        state.discard(card)
    _give(auditor, attempt)
    if any(owner == state.declarer for owner, _ in attempt.targets):
        auditor.declarer_changed(attempt.player)


def _give(auditor: Auditor, attempt: Attempt) -> None:
    """PLUCK-5, PLUCK-11: one own card for each rival target, unseen, into exactly that slot.

    The targets' slots are empty by now, so that "an own card that is no target" is any own
    card. Gifts are taken in the order of their targets, all before any is laid down, so that
    no gift can be given on.
    """
    state, event = auditor.state, attempt.event
    gifts = event.items("gifts")
    if len(gifts) != len(attempt.rivals):
        event.fail("PLUCK-5", f"{len(gifts)} gifts, should be {len(attempt.rivals)}")
    moved: list[tuple[Target, Card]] = []
    for gift, target in zip(gifts, attempt.rivals, strict=True):
        if not isinstance(gift, dict) or not {"slot", "card", "to"} <= gift.keys():
            event.fail("LOG", f"gifts: {gift!r} needs slot, card, to")
        source = event.as_target("gifts", (attempt.player, gift["slot"]))
        if event.as_target("gifts", gift["to"]) != target:
            event.fail("PLUCK-5", f"gift to {gift['to']}, should go to {target}")
        card = state.card_at(source)
        if card is None:
            event.fail("PLUCK-11", f"gift from {source}: empty, a target, or given already")
        if gift["card"] != card.bird:
            event.fail("INV-1", f"gift {gift['card']!r}, at {source} lies {card.bird!r}")
        state.put(source, None)
        moved.append((target, card))
    for target, card in moved:
        state.put(target, card)


def _miss(auditor: Auditor, attempt: Attempt, cards: list[Card]) -> None:
    """PLUCK-7, DOUBLE-3: shown and put back, a drawn reference discarded, the penalty."""
    state = auditor.state
    if attempt.event.items("gifts"):
        attempt.event.fail("DOUBLE-3" if attempt.double else "PLUCK-7", "no gift after a miss")
    for card in cards:
        state.reveal(card)
    if attempt.drawn:
        discard = auditor.next("discard", "PLUCK-7")
        discard.by(attempt.player, "PLUCK-7")
        discard.must_be("card", attempt.reference.bird, "PLUCK-7")
        state.discard(state.hand.pop())
    for _ in range(state.options.penalty_cards):
        _penalty(auditor, attempt.player)


def _penalty(auditor: Auditor, player: int) -> None:
    """PLUCK-7: one unseen card from the draw pile; both fields null if there is none."""
    state = auditor.state
    can_draw = auditor.ready_to_draw()
    event = auditor.next("penalty", "PLUCK-7")
    event.by(player, "PLUCK-7")
    if not can_draw:
        event.must_be("card", None, "REC-3")
        event.must_be("slot", None, "REC-3")
        return
    slot = state.slot_for_added(player)
    event.must_be("slot", slot, "SLOT-3")
    event.must_be("card", state.draw_pile[0].bird, "PLUCK-7")
    state.put((player, slot), state.draw())


def _check_sizes(auditor: Auditor, attempt: Attempt, hit: bool, before: list[int]) -> None:
    """INV-4, counted anew: what an attempt costs, and that nobody else's number changes."""
    state = auditor.state
    for seat in state.seats():
        change = state.size(seat) - before[seat]
        if seat != attempt.player:
            right = change == 0
        elif hit:
            right = change == -len(attempt.targets)
        else:
            right = 0 <= change <= state.options.penalty_cards
        if not right:
            attempt.event.fail("INV-4", f"seat {seat} has {change:+d} cards after the attempt")
