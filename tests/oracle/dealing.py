"""The `deal` event: SET-1 to SET-3, and the first knowledge of SET-2."""

from __future__ import annotations

from collections import Counter

from .decks import Deck, deck_counts
from .log import Event, EventLog, is_whole
from .options import read_options
from .state import RoundState

LEAST_PLAYERS, MOST_PLAYERS = 2, 6
EDITIONS = ("second", "first")


def read_deal(log: EventLog, deck: Deck) -> tuple[Event, RoundState]:
    """Consume the `deal` and lay out the table; raises `AuditError` where it is no legal one."""
    event = log.take("deal", "SET-3")
    players = event.whole("players")
    if not LEAST_PLAYERS <= players <= MOST_PLAYERS:
        event.fail("SET-1", f"{players} players; 2 to 6 can play")
    log.players = players
    event = Event(event.index, event.data, players, deck)
    _check_labels(event)
    state = RoundState(deck, read_options(event, players), players)
    state.first = state.active = event.seat("first")
    _lay_cards(event, state)
    _first_looks(event, state)
    return event, state


def _check_labels(event: Event) -> None:
    """Fields that name the round: `round`, `game`, `edition`, `deck`, `seats`, `deciding`."""
    event.whole("round")
    if "game" in event.data:
        event.whole("game")
    if event.get("edition") not in EDITIONS:
        event.fail("LOG", f"edition = {event.get('edition')!r}, should be one of {EDITIONS}")
    if not isinstance(event.get("deck"), str):
        event.fail("LOG", "deck should be the deck's name")
    if event.data.get("deciding", False) is not False:
        event.flag("deciding")
        _check_seats(event)


def _check_seats(event: Event) -> None:
    """GAME-4: a deciding round names its players' seats in the game, in seat order."""
    seats = event.items("seats")
    whole = all(is_whole(seat) and 0 <= seat < MOST_PLAYERS for seat in seats)
    if not whole or list(seats) != sorted(set(seats)):
        event.fail("GAME-4", f"seats = {seats!r} are no different seats in seat order")
    if len(seats) != event.get("players"):
        event.fail("GAME-4", f"{len(seats)} seats for {event.get('players')} players")


def _lay_cards(event: Event, state: RoundState) -> None:
    """SET-1 and SET-3: hands, one face-up discard, the rest the draw pile; the whole deck."""
    hands = event.items("hands")
    if len(hands) != state.players:
        event.fail("SET-1", f"{len(hands)} hands for {state.players} players")
    birds = [_hand(event, seat, hand, state) for seat, hand in enumerate(hands)]
    discards = event.bird_list("discard_pile")
    draws = event.bird_list("draw_pile")
    if len(discards) != 1:
        event.fail("SET-3", f"{len(discards)} cards on the discard pile, should be 1")
    found = Counter(draws) + Counter(discards) + Counter(bird for hand in birds for bird in hand)
    right = deck_counts(state.deck)
    if found != right:
        event.fail("INV-1", f"not the deck: too many {found - right}, missing {right - found}")
    state.areas = [[state.new_card(bird) for bird in hand] for hand in birds]
    state.draw_pile.extend(state.new_card(bird) for bird in draws)
    state.discard(state.new_card(discards[0]))


def _hand(event: Event, seat: int, hand: object, state: RoundState) -> list[str]:
    if not isinstance(hand, (list, tuple)) or not all(
        isinstance(bird, str) and bird in state.deck for bird in hand
    ):
        event.fail("LOG", f"hands: seat {seat} should hold birds of the deck, not {hand!r}")
    if len(hand) != state.options.hand_size:
        event.fail("SET-1", f"seat {seat} has {len(hand)} cards, not {state.options.hand_size}")
    return list(hand)


def _first_looks(event: Event, state: RoundState) -> None:
    """SET-2: exactly `peeks` different own cards each; a smaller hand is looked at wholly."""
    peeks = event.items("peeks")
    if len(peeks) != state.players:
        event.fail("SET-2", f"peeks for {len(peeks)} of {state.players} players")
    number = min(state.options.peeks, state.options.hand_size)
    for seat, slots in enumerate(peeks):
        legal = isinstance(slots, (list, tuple)) and all(
            is_whole(slot) and 0 <= slot < state.options.hand_size for slot in slots
        )
        if not legal or len(set(slots)) != len(slots) or len(slots) != number:
            event.fail("SET-2", f"seat {seat} looks at {slots!r}, should be {number} own slots")
        for slot in slots:
            state.areas[seat][slot].knowers.add(seat)
