"""Traces: one round or one game of a study, as events and as text that people can read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.deck import Deck
from sim.engine.state import new_state
from sim.errors import InputError
from sim.events import Decoder, Event, play_unit
from sim.pack import pack
from sim.study import Study

MAX_INDEX = 2**36 - 1
"""The highest round or game that the streams of random numbers have room for."""


@dataclass(frozen=True)
class Trace:
    """What happened in one round or one game.

    Attributes:
        study: What was played.
        index: Round or game of the study, from 0.
        events: The event log, in order; see the contract for the fields of each kind.
        knows: (viewer, owner, slot) of the face-down cards known at the end.
    """

    study: Study
    index: int
    events: list[Event]
    knows: frozenset[tuple[int, int, int]]

    def jsonl(self) -> str:
        """The event log as JSON lines."""
        return "".join(json.dumps(event) + "\n" for event in self.events)

    def text(self) -> str:
        """The event log as text: a paragraph for each turn, all cards open."""
        names = [player.name for player in self.study.players]
        return "\n".join(narrate(self.events, self.study.deck, names)) + "\n"

    def frame(self) -> Any:
        """The event log as a pandas DataFrame: one row for each event, one column a field."""
        import pandas as pd

        return pd.DataFrame(self.events)

    def __repr__(self) -> str:
        """Say what it is a trace of."""
        return f"<Trace of {self.study.unit[:-1]} {self.index}: {len(self.events)} events>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text())}</pre>"


def trace(study: Study, index: int = 0) -> Trace:
    """Play one round (or game, for a study of games) exactly as a run of the study plays it.

    Args:
        study: What to play; how many rounds it asks for does not matter.
        index: Which one, from 0.

    Raises:
        InputError: `index` is negative or too high.
    """
    if not 0 <= index <= MAX_INDEX:
        raise InputError(expected=f"0 to {MAX_INDEX}", key=study.unit[:-1], got=index)
    state, table = new_state(), pack(study)
    decoder = Decoder(state, [study.deck.birds[bird].id for bird in study.deck.cards])
    events = []
    for event in play_unit(state, table, study.seed, index, decoder):
        events.append(_deal(event, study, state, index) if event["event"] == "deal" else event)
    return Trace(study, index, events, frozenset(decoder.knows()))


def _deal(event: Event, study: Study, state: Any, index: int) -> Event:
    """The `deal` event with what the study adds to it."""
    players = int(state.players)
    peeks = min(study.rules.peeks, study.rules.hand_size[players])
    deal: Event = {"event": "deal", "round": index}
    if study.games is not None:
        deal |= {"round": int(state.dealt) - 1, "game": index}
    if state.deciding:
        deal |= {"deciding": True, "seats": [int(seat) for seat in state.who[:players]]}
    deal |= {
        "seed": study.seed,
        "edition": study.edition,
        "deck": study.deck.name,
        "rules": study.rules.to_dict(),
        "players": players,
        "strategies": [study.players[int(seat)].name for seat in state.who[:players]],
    }
    deal |= {key: value for key, value in event.items() if key != "event"}
    return deal | {"peeks": [list(range(peeks)) for _ in range(players)]}


def narrate(events: Sequence[Event], deck: Deck, strategies: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a readable account of an event log."""
    account = _Account(deck, strategies)
    for event in events:
        yield from account.tell(event)


class _Account:
    """Tells events in words, and keeps the areas in step so that it can show them."""

    def __init__(self, deck: Deck, strategies: Sequence[str]) -> None:
        self.birds = {bird.id: bird for bird in deck.birds}
        self.strategies = list(strategies)
        self.names = self.strategies
        self.hands: list[list[str | None]] = []
        self.top: str | None = None

    def tell(self, event: Event) -> Iterator[str]:
        """The lines for one event; `hands` follow it."""
        yield from getattr(self, f"_tell_{event['event']}")(event)

    def _card(self, bird_id: str | None) -> str:
        if bird_id is None:
            return "nothing"
        bird = self.birds[bird_id]
        return f"{bird.name} ({bird.value})" if str(bird.value) not in bird.name else bird.name

    def _who(self, seat: int) -> str:
        return f"seat {seat}"

    def _where(self, place: Sequence[int], seat: int) -> str:
        owner, slot = place
        return f"own slot {slot}" if owner == seat else f"seat {owner}'s slot {slot}"

    def _set(self, place: Sequence[int], card: str | None) -> None:
        owner, slot = place
        hand = self.hands[owner]
        hand.extend([None] * (slot + 1 - len(hand)))
        hand[slot] = card

    def _areas(self) -> Iterator[str]:
        for seat, hand in enumerate(self.hands):
            shown = "  ".join(f"{self._short(card):>3}" for card in hand)
            total = sum(self.birds[card].value for card in hand if card)
            yield f"    seat {seat} {self.names[seat]:<12} {shown}   = {total}"

    def _short(self, card: str | None) -> str:
        return "·" if card is None else str(self.birds[card].value)

    def _tell_deal(self, event: Event) -> Iterator[str]:
        self.hands = [list(hand) for hand in event["hands"]]
        seats = event.get("seats", range(event["players"]))
        self.names = [self.strategies[seat] for seat in seats]
        what = "Deciding round" if event.get("deciding") else "Round"
        game = f" of game {event['game']}" if "game" in event else ""
        yield f"{what} {event['round']}{game}: {event['edition']} edition, deck {event['deck']}"
        if event.get("deciding"):
            yield f"  (between seats {', '.join(map(str, seats))} of the game)"
        for seat, hand in enumerate(event["hands"]):
            peeked = ", ".join(map(str, event["peeks"][seat])) or "none"
            cards = ", ".join(self._card(card) for card in hand)
            yield f"  seat {seat} {self.names[seat]}: {cards}; has looked at slots {peeked}"
        top = self._card(event["discard_pile"][-1])
        yield f"  first discard {top}; seat {event['first']} begins"

    def _tell_turn(self, event: Event) -> Iterator[str]:
        if event["turn"]:
            yield from self._areas()
        seat = event["player"]
        yield ""
        yield f"Turn {event['turn']}, seat {seat} ({self.names[seat]})"

    def _tell_draw(self, event: Event) -> Iterator[str]:
        if event["card"] is None:
            yield "  no card can be drawn: a pass"
        else:
            yield f"  draws {self._card(event['card'])}"

    def _tell_take(self, event: Event) -> Iterator[str]:
        yield f"  takes {self._card(event['card'])} from the discard pile"

    def _tell_replace(self, event: Event) -> Iterator[str]:
        self._set([event["player"], event["slot"]], event["card"])
        yield f"  puts it into slot {event['slot']}; {self._card(event['out'])} is discarded"

    def _tell_discard(self, event: Event) -> Iterator[str]:
        yield f"  discards {self._card(event['card'])}"

    def _tell_pluck(self, event: Event) -> Iterator[str]:
        seat = event["player"]
        pairs = zip(event["targets"], event["cards"], strict=True)
        targets = " and ".join(f"{self._where(t, seat)} ({self._card(c)})" for t, c in pairs)
        double = "double pluck" if len(event["targets"]) == 2 else "pluck"
        hit = "a hit" if event["hit"] else "a MISS"
        source = "" if event["from"] == "draw" else "in the window "
        reference = self._card(event["reference"])
        yield f"  {source}{self._who(seat)} shouts a {double} on {reference}: {targets}, {hit}"
        if event["hit"]:
            for target in event["targets"]:
                self._set(target, None)
            for gift in event["gifts"]:
                self._set([seat, gift["slot"]], None)
                self._set(gift["to"], gift["card"])
                owner, slot = gift["to"]
                yield (
                    f"    and gives {self._card(gift['card'])} from slot {gift['slot']} "
                    f"into seat {owner}'s slot {slot}"
                )

    def _tell_penalty(self, event: Event) -> Iterator[str]:
        if event["card"] is None:
            yield "    no penalty card can be drawn"
        else:
            self._set([event["player"], event["slot"]], event["card"])
            slot = event["slot"]
            yield f"    penalty for seat {event['player']}: {self._card(event['card'])}, slot {slot}"

    def _tell_power(self, event: Event) -> Iterator[str]:
        why = {
            "discard": "discarded",
            "reference": "the reference",
            "eliminated": "eliminated",
        }[event["trigger"]]
        yield f"  power of {self._card(event['card'])}, {why}, for {self._who(event['player'])}:"

    def _tell_look(self, event: Event) -> Iterator[str]:
        where = self._where(event["target"], event["player"])
        yield f"    looks at {where}: {self._card(event['card'])}"

    def _tell_show(self, event: Event) -> Iterator[str]:
        where = self._where(event["target"], event["player"])
        yield f"    shows {where} to all: {self._card(event['card'])}"

    def _tell_swap(self, event: Event) -> Iterator[str]:
        a, b, cards = event["a"], event["b"], event["cards"]
        self._set(a, cards[1])
        self._set(b, cards[0])
        seat = event["player"]
        yield (
            f"    swaps {self._where(a, seat)} ({self._card(cards[0])}) "
            f"with {self._where(b, seat)} ({self._card(cards[1])})"
        )

    def _tell_add(self, event: Event) -> Iterator[str]:
        self._set([event["to"], event["slot"]], event["card"])
        yield f"    adds {self._card(event['card'])} to seat {event['to']}, slot {event['slot']}"

    def _tell_shoebill(self, event: Event) -> Iterator[str]:
        cards = " and ".join(self._card(card) for card in event["cards"]) or "nothing"
        yield f"    draws {cards}"

    def _tell_place(self, event: Event) -> Iterator[str]:
        self._set(event["target"], event["card"])
        where = self._where(event["target"], event["player"])
        out = self._card(event["out"])
        yield f"    puts {self._card(event['card'])} into {where}; {out} goes under"

    def _tell_under(self, event: Event) -> Iterator[str]:
        yield f"    {self._card(event['card'])} goes under"

    def _tell_no_effect(self, event: Event) -> Iterator[str]:
        yield "    no effect"

    def _tell_recycle(self, event: Event) -> Iterator[str]:
        yield f"  -- recycling {event['count']}: {len(event['draw_pile'])} cards are shuffled --"

    def _tell_final_phase(self, event: Event) -> Iterator[str]:
        yield "  -- the automatic final phase begins --"

    def _tell_bao(self, event: Event) -> Iterator[str]:
        total = sum(self.birds[card].value for card in self.hands[event["player"]] if card)
        yield f"  calls BAO! (true total {total})"

    def _tell_shield(self, event: Event) -> Iterator[str]:
        yield f"    the Shield of seat {event['player']} is up"

    def _tell_end(self, event: Event) -> Iterator[str]:
        yield from self._areas()
        yield ""
        how = {
            "bao": "after BAO",
            "second_recycling": "by the automatic end",
            "turn_cap": "stopped at the turn limit",
        }[event["reason"]]
        yield f"The round ends {how}, after {event['turns']} turns."
        scores = zip(event["totals"], event["scores"], strict=True)
        for seat, (total, score) in enumerate(scores):
            won = "  wins" if seat in event["winners"] else ""
            if won and len(event["winners"]) > 1:
                won = "  shares the win"
            yield f"  seat {seat} {self.names[seat]:<12} total {total:>3}, scores {score:>3}{won}"

    def _tell_game_end(self, event: Event) -> Iterator[str]:
        yield ""
        sums = ", ".join(f"seat {seat}: {points}" for seat, points in enumerate(event["sums"]))
        yield f"The game ends after {event['rounds']} rounds ({event['reason']}). {sums}"
        if event["winner"] is not None:
            yield f"  seat {event['winner']} ({self.strategies[event['winner']]}) wins the game"
