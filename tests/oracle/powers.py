"""Powers: one function for each (rulebook section 7), and the order in which they are due."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from .log import Target
from .state import Card

if TYPE_CHECKING:
    from .auditor import Auditor

BY_DISCARD, BY_REFERENCE, BY_ELIMINATION = "discard", "reference", "eliminated"


class Due(NamedTuple):
    """A power that has been started by one of the three causes of POW-1."""

    player: int
    card: Card
    trigger: str


def resolve(auditor: Auditor, dues: Iterable[Due]) -> None:
    """POW-3: one power after the other, each completed before the next.

    With `powers_optional` a power that the next event is not of has been declined, which
    leaves no trace (POW-5). Read literally, a power that could do nothing can be declined
    as well; then its `power` and `no_effect` are not logged.
    """
    for due in dues:
        kind = due.card.kind.power
        if kind is None:
            continue
        if auditor.state.options.powers_optional and not _starts(auditor, due):
            continue
        _use(auditor, due, kind)


def _starts(auditor: Auditor, due: Due) -> bool:
    """Does the next event start exactly this power?"""
    log = auditor.log
    return (
        log.peek() == "power"
        and log.peek_field("player") == due.player
        and log.peek_field("card") == due.card.bird
        and log.peek_field("trigger") == due.trigger
    )


def _use(auditor: Auditor, due: Due, kind: str) -> None:
    """The `power` event, and all that the power does."""
    event = auditor.next("power", "POW-1")
    event.by(due.player, "POW-4")
    event.must_be("card", due.card.bird, "POW-1")
    event.must_be("trigger", due.trigger, "POW-1")
    auditor.counts[due.player].powers[kind] += 1
    POWER_OF[kind](auditor, due.player, due.card)


def _no_effect(auditor: Auditor, user: int, card: Card) -> None:
    """POW-6, POW-7: nothing of the power is possible."""
    event = auditor.next("no_effect", "POW-6")
    event.by(user, "POW-6")
    event.must_be("card", card.bird, "POW-6")
    auditor.counts[user].no_effect[card.kind.power or ""] += 1


def _see_one(auditor: Auditor, user: int, kind: str, rule: str) -> tuple[Target, Card]:
    """A `look` or `show` event: any face-down card, protected, locked or own too."""
    event = auditor.next(kind, rule)
    event.by(user, rule)
    target = event.target("target")
    card = auditor.state.card_at(target)
    if card is None:
        event.fail(rule, f"no card lies at {target}")
    event.must_be("card", card.bird, rule)
    return target, card


def _look(auditor: Auditor, user: int, card: Card) -> None:
    """POW-LOOK: the user alone sees one face-down card."""
    if not any(auditor.state.lying()):
        return _no_effect(auditor, user, card)
    _, seen = _see_one(auditor, user, "look", "POW-LOOK")
    seen.knowers.add(user)


def _show(auditor: Auditor, user: int, card: Card) -> None:
    """POW-SHOW: everybody sees one face-down card."""
    if not any(auditor.state.lying()):
        return _no_effect(auditor, user, card)
    _, seen = _see_one(auditor, user, "show", "POW-SHOW")
    auditor.state.reveal(seen)


def _swap(auditor: Auditor, user: int, card: Card) -> None:
    """POW-SWAP: two movable cards of two different players change places, unseen."""
    if len(auditor.state.owners_movable(user)) < 2:
        return _no_effect(auditor, user, card)
    _exchange(auditor, user, "POW-SWAP", None)


def _macaw(auditor: Auditor, user: int, card: Card) -> None:
    """POW-MACAW: look at two cards of two different players, then swap them or not."""
    owners = {place[0] for place, _ in auditor.state.lying()}
    if len(owners) < 2:
        return _no_effect(auditor, user, card)
    first, seen = _see_one(auditor, user, "look", "POW-MACAW")
    seen.knowers.add(user)
    second, seen = _see_one(auditor, user, "look", "POW-MACAW")
    if first[0] == second[0]:
        auditor.last.fail("POW-MACAW", "both cards are of one player")
    seen.knowers.add(user)
    if auditor.log.peek() == "swap":
        _exchange(auditor, user, "POW-MACAW", {first, second})


def _exchange(auditor: Auditor, user: int, rule: str, must: set[Target] | None) -> None:
    """The `swap` event; `must` holds the two cards that a Macaw has looked at.

    The contract does not say that a Macaw's swap names them in the order of the looks, so
    both orders pass.
    """
    state = auditor.state
    event = auditor.next("swap", rule)
    event.by(user, rule)
    places = [event.target("a"), event.target("b")]
    if must is not None and set(places) != must:
        event.fail(rule, f"swaps {places}, looked at {sorted(must)}")
    cards = [_movable_card(auditor, user, place, rule) for place in places]
    (owner_a, _), (owner_b, _) = places
    if owner_a == owner_b:
        event.fail(rule, "both cards are of one player")
    event.must_be("cards", [card.bird for card in cards], "INV-1")
    for place, card in zip(places, reversed(cards), strict=True):
        state.put(place, card)
        state.lock(user, card)
    if state.declarer in (owner_a, owner_b):
        auditor.declarer_changed(user)


def _movable_card(auditor: Auditor, user: int, place: Target, rule: str) -> Card:
    """The card that the last event would move, if its power may (SHIELD-3, POW-LOCK)."""
    state, event = auditor.state, auditor.last
    card = state.card_at(place)
    if card is None:
        event.fail(rule, f"no card lies at {place}")
    if state.protected(user, place[0]):
        event.fail("SHIELD-3", f"{place} is behind the Shield")
    if state.locked(user, card):
        event.fail("POW-LOCK", f"the card at {place} was moved by a power in this turn")
    return card


def _toco(auditor: Auditor, user: int, card: Card) -> None:
    """POW-TOCO: the top of the draw pile goes unseen to an opponent.

    The opponent is chosen before the card is drawn, so a Shield that falls by this very draw
    (FINAL-4, `override`) still protects.
    """
    state = auditor.state
    choices = [seat for seat in state.seats() if seat != user and not state.protected(user, seat)]
    if not choices or not auditor.ready_to_draw():
        return _no_effect(auditor, user, card)
    event = auditor.next("add", "POW-TOCO")
    event.by(user, "POW-TOCO")
    to = event.seat("to")
    if to not in choices:
        event.fail("POW-TOCO" if to == user else "SHIELD-3", f"seat {to} cannot be chosen")
    slot = state.slot_for_added(to)
    event.must_be("slot", slot, "SLOT-3")
    event.must_be("card", state.draw_pile[0].bird, "POW-TOCO")
    state.put((to, slot), state.draw())
    if to == state.declarer:
        auditor.declarer_changed(user)


def _shoebill(auditor: Auditor, user: int, card: Card) -> None:
    """POW-SHOEBILL: draw two, replace an own card first and then a rival's; the rest goes under.

    Which replacements are possible is settled once the cards are drawn, for a recycling may
    let the Shield fall.
    """
    state = auditor.state
    _draw_two(auditor, user)
    if not state.hand:
        return _no_effect(auditor, user, card)
    owners = state.owners_movable(user)
    own, rival = user in owners, bool(owners - {user})
    if len(state.hand) == 1 and own and rival:
        own = _names_own(auditor, user)
        rival = not own
    changed = False
    if own:
        _place(auditor, user, own=True)
    if rival:
        changed = _place(auditor, user, own=False) == state.declarer
    if changed:
        auditor.declarer_changed(user)
    while state.hand:
        _under(auditor, user)


def _draw_two(auditor: Auditor, user: int) -> None:
    """Two draws, each with its recycling; then one `shoebill` event for both (REC-2)."""
    state = auditor.state
    for _ in range(2):
        if auditor.ready_to_draw():
            state.hand.append(state.draw(viewers=[user]))
    event = auditor.next("shoebill", "POW-SHOEBILL")
    event.by(user, "POW-SHOEBILL")
    event.must_be("cards", [card.bird for card in state.hand], "POW-SHOEBILL")


def _names_own(auditor: Auditor, user: int) -> bool:
    """One drawn card, both replacements possible: does the next event choose the own one?"""
    target = auditor.log.peek_field("target")
    return isinstance(target, (list, tuple)) and len(target) == 2 and target[0] == user


def _place(auditor: Auditor, user: int, own: bool) -> int:
    """One replacement: a drawn card goes in, the old one under the discard pile; the owner."""
    state = auditor.state
    event = auditor.next("place", "POW-SHOEBILL")
    event.by(user, "POW-SHOEBILL")
    target = event.target("target")
    if (target[0] == user) != own:
        event.fail("POW-SHOEBILL", f"target {target}, {'an own' if own else 'a rival'} card is due")
    old = _movable_card(auditor, user, target, "POW-SHOEBILL")
    card = _out_of_hand(auditor)
    event.must_be("out", old.bird, "INV-1")
    state.put(target, card)
    state.unlock(old)
    state.slip_under(old)
    if state.options.shoebill_locks:
        state.lock(user, card)
    return target[0]


def _under(auditor: Auditor, user: int) -> None:
    """A drawn card that cannot be used; of two, the contract fixes no order."""
    event = auditor.next("under", "POW-SHOEBILL")
    event.by(user, "POW-SHOEBILL")
    auditor.state.slip_under(_out_of_hand(auditor))


def _out_of_hand(auditor: Auditor) -> Card:
    """Take the drawn card that the last event names out of the hand."""
    hand, bird = auditor.state.hand, auditor.last.bird()
    for card in hand:
        if card.bird == bird:
            hand.remove(card)
            return card
    auditor.last.fail("POW-SHOEBILL", f"{bird} is none of the cards drawn and still unused")


POWER_OF: dict[str, Callable[..., None]] = {
    "look": _look,
    "show": _show,
    "swap": _swap,
    "macaw": _macaw,
    "toco": _toco,
    "shoebill": _shoebill,
}
