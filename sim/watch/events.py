"""The event log (contract §3): what the engine notes, as dictionaries.

`play_unit` steps the compiled engine and yields the events of one round or one game, complete,
hidden cards included. It is what `sim.watch.trace` shows and what scenarios compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sim.batch.job import EngineError as EngineError
from sim.batch.job import broken_rules as broken_rules
from sim.batch.job import raise_fault as raise_fault
from sim.core.codes import QUESTIONS, Ask, Note, Stage
from sim.core.layout import GAME_REASONS, NONE, REASONS, TRIGGERS
from sim.core.log import BEYOND, NO_ESTIMATE
from sim.engine.play import advance, start

Event = dict[str, Any]

EVENTS = [note.name.lower() for note in Note if note is not Note.WHY]
"""The kinds of events."""


def place(word: int) -> list[int]:
    """[owner, slot] of a place of the engine."""
    return [int(word) >> 7, int(word) & 127]


class Decoder:
    """Turns the engine's log into events.

    Args:
        state: `State` record that is being played.
        birds: Bird id of every card of the table.
    """

    def __init__(self, state: Any, birds: Sequence[str]) -> None:
        """See the class."""
        self.state = state
        self.birds = birds

    def drain(self) -> Iterator[Event]:
        """Yield the events noted since the last call, and empty the log."""
        state = self.state
        if state.log.full:
            raise EngineError(f"unit {state.index}, turn {state.turn}: the event log is full")
        words = [int(word) for word in state.log.words[: state.log.used]]
        state.log.used = 0
        at = 0
        while at < len(words):
            size, kind = words[at], words[at + 1]
            yield self._decoded(Note(kind), words[at + 2 : at + size])
            at += size

    def _decoded(self, note: Note, words: Sequence[int]) -> Event:
        """One event: its kind, and its payload as `Note` names it or as its own method reads it."""
        name = note.name.lower()
        read = getattr(self, f"_{name}", None)
        payload = read(*words) if read else {}
        for field, word in zip(note.words.split(), words, strict=False):
            payload[field] = _READ[field](self, word) if field in _READ else word
        return {"event": name, **payload}

    def bird(self, card: int) -> str | None:
        """Bird id of a card; None for no card."""
        return None if card < 0 else self.birds[card]

    def hands(self) -> list[list[str | None]]:
        """Bird ids by seat and slot, None for an empty slot."""
        state = self.state
        return [
            [self.bird(int(card)) for card in state.slot_card[seat][: state.n_slots[seat]]]
            for seat in range(state.players)
        ]

    def draw_pile(self) -> list[str | None]:
        """Bird ids of the draw pile; first is drawn first."""
        state = self.state
        return [self.bird(int(card)) for card in state.pile[state.drawn : state.pile_size]]

    def discard_pile(self) -> list[str | None]:
        """Bird ids of the discard pile; last is the visible top."""
        return [self.bird(int(card)) for card in self.state.discards[: self.state.n_discards]]

    def under_pile(self) -> list[str | None]:
        """Bird ids of the under pile, in the order in which cards were slipped under."""
        return [self.bird(int(card)) for card in self.state.under[: self.state.n_under]]

    def knows(self) -> set[tuple[int, int, int]]:
        """(viewer, owner, slot) of all face-down cards that somebody knows."""
        state = self.state
        known = set()
        for owner in range(state.players):
            for slot in range(int(state.n_slots[owner])):
                card = int(state.slot_card[owner][slot])
                for viewer in range(state.players):
                    if card >= 0 and int(state.seen[viewer][card >> 6]) >> (card & 63) & 1:
                        known.add((viewer, owner, slot))
        return known

    def ints(self, name: str) -> list[int]:
        """A field of the state by seat, as a list."""
        return [int(x) for x in getattr(self.state, name)[: self.state.players]]

    def winners(self) -> list[int]:
        """Seats that share the lowest score."""
        return [seat for seat, won in enumerate(self.ints("winner")) if won]

    def _pluck(self, seat: int, drawn: int, reference: int, hit: int, n: int, *rest: int) -> Event:
        targets, cards, slots = rest[0:2], rest[2:4], rest[4:6]
        given = (rest[6] & 0xFF, rest[6] >> 8)
        gifts = []
        if hit:
            rivals = [target for target in targets[:n] if target >> 7 != seat]
            for k, target in enumerate(rivals):
                gift = {"slot": slots[k], "card": self.bird(given[k]), "to": place(target)}
                gifts.append(gift)
        event: Event = {
            "player": seat,
            "from": "draw" if drawn else "window",
            "reference": self.bird(reference),
            "targets": [place(target) for target in targets[:n]],
            "cards": [self.bird(card) for card in cards[:n]],
            "hit": bool(hit),
            "gifts": gifts,
        }
        if not drawn:  # all who claimed, the plucker was the quickest
            event["claims"] = [k for k in range(self.state.players) if rest[7] >> k & 1]
        return event

    def _recycle(self, count: int, *pile: int) -> Event:
        draw_pile = [self.bird(card) for card in pile]
        return {"count": count, "draw_pile": draw_pile}

    def _shoebill(self, seat: int, first: int, second: int, *_: int) -> Event:
        cards = [self.bird(card) for card in (first, second) if card >= 0]
        return {"player": seat, "cards": cards}

    def _swap(self, seat: int, a: int, b: int, card_a: int, card_b: int) -> Event:
        cards = [self.bird(card_a), self.bird(card_b)]
        return {"player": seat, "a": place(a), "b": place(b), "cards": cards}

    def _why(self, seat: int, question: int, *rest: int) -> Event:
        names, estimates = _ESTIMATES.get(question, ()), rest[4:]
        known = {
            name: value / 100
            for name, value in zip(names, estimates, strict=False)
            if name and value != NO_ESTIMATE and abs(value) < 100 * BEYOND
        }
        return {
            "player": seat,
            "question": QUESTIONS[question],
            "estimates": known,
        }

    def _deal(self, first: int, deciding: int, *_: int) -> Event:
        return {
            "first": first,
            "hands": self.hands(),
            "draw_pile": self.draw_pile(),
            "discard_pile": self.discard_pile(),
        }

    def _end(self, reason: int, *_: int) -> Event:
        return {
            "reason": REASONS[reason],
            "hands": self.hands(),
            "totals": self.ints("total"),
            "scores": self.ints("score"),
            "turns": int(self.state.turn) + 1,
            "winners": self.winners(),
        }

    def _game_end(self, reason: int, winner: int, *_: int) -> Event:
        state = self.state
        return {
            "reason": GAME_REASONS[reason],
            "sums": [int(x) for x in state.sums[: state.game_players]],
            "winner": None if winner == NONE else winner,
            "rounds": int(state.rounds),
            "deciding_rounds": int(state.deciding_rounds),
        }


_ESTIMATES: dict[int, tuple[str, ...]] = {
    Ask.SOURCE: ("take_gain", "", "own_total"),
    Ask.DRAWN: ("pluck_gain", "pluck_confidence", "keep_gain", "least_gain"),
    Ask.CLAIM: ("pluck_gain", "pluck_confidence"),
    Ask.SWAP: ("own_card", "rival_card"),
    Ask.MACAW: ("own_card", "rival_card"),
    Ask.SHOEBILL: ("own_card", "rival_card"),
    Ask.BAO: ("own_total", "own_unknown", "lowest_rival_total", "chance_lowest"),
}
"""The estimates (points, chances, cards) that a heuristic player notes for each question."""


_READ: dict[str, Callable[[Decoder, int], Any]] = {
    "card": Decoder.bird,
    "out": Decoder.bird,
    "target": lambda _, word: place(word),
    "slot": lambda _, word: None if word < 0 else word,
    "trigger": lambda _, word: TRIGGERS[word],
}
"""What the words of a payload mean that are no plain numbers."""


def play_unit(
    state: Any, table: Any, seed: int, index: int, decoder: Decoder, *, explain: bool = False
) -> Iterator[Event]:
    """Play one unit step by step, and yield its events; with `explain` the `why` events, too.

    Raises:
        EngineError: A policy answered against the rules.
    """
    start(state, table, index)
    state.log.on = 1
    while state.stage != Stage.DONE:
        advance(state, table, np.uint64(seed))
        for event in decoder.drain():
            if explain or event["event"] != "why":
                yield event
        raise_fault(state)
