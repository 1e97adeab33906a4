"""Traces: one round or one game of a study, as events and as text that people can read."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.batch.pack import pack
from sim.core.layout import new_state
from sim.game.base import Shown, needed, told_changes
from sim.game.comparison import of_table
from sim.game.deck import Deck
from sim.game.files import PathLike
from sim.game.study import Study, load_study
from sim.texts import cut, padded
from sim.watch.events import Decoder, Event, play_unit

WIDTH = 100
"""Characters in a line of text, at most."""

MAX_INDEX = 2**36 - 1
"""The highest round or game that the streams of random numbers have room for."""


@dataclass(frozen=True)
class Trace(Shown):
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
        lines = [*self._heading(), *narrate(self.events, self.study.deck, names)]
        return "".join(f"{line}\n" for long in lines for line in _fitted(long))

    def _heading(self) -> Iterator[str]:
        """What was played: seed, deck, rules that differ, and what is assumed."""
        study = self.study
        assumed = " (assumed)" if study.deck_assumed else ""
        deck = f"deck {study.deck.name}{assumed}"
        yield f"BAO BEI, {study.edition} edition, {deck}, seed {study.seed}"
        changed = of_table(study, study.rules.changed_from_edition())
        if changed:
            yield f"rules changed: {told_changes(changed)}"
        if study.games is not None:
            assumed = " (assumed)" if study.rules.threshold_assumed else ""
            threshold = study.rules.game_threshold[len(study.players)]
            yield f"a game ends at {threshold} points{assumed}"
        yield ""

    def __str__(self) -> str:
        """The account in words, as `text`."""
        return self.text()

    def frame(self) -> Any:
        """The event log as a pandas DataFrame: one row for each event, one column a field."""
        import pandas as pd

        return pd.DataFrame(self.events)

    def __repr__(self) -> str:
        """Say what it is a trace of."""
        return f"<Trace of {self.study.unit[:-1]} {self.index}: {len(self.events)} events>"


def trace(study: Study | PathLike, index: int = 0, *, explain: bool = False) -> Trace:
    """Play one round (or game, for a study of games) exactly as a run of the study plays it.

    Args:
        study: What to play, or the name of a shipped study, or the path of a study file; how many
            rounds it asks for does not matter.
        index: Which one, from 0.
        explain: Add a `why` event before what follows from each heuristic player's decision:
            the question, and the estimates that it was answered on.

    Raises:
        InputError: There is no such study, or `index` is no whole number, negative or too high.
    """
    if not isinstance(study, Study):
        study = load_study(study)
    asked = needed(index, 0, MAX_INDEX, key=study.unit[:-1])
    state, table = new_state(), pack(study)
    decoder = Decoder(state, [study.deck.birds[bird].id for bird in study.deck.cards])
    events = []
    for event in play_unit(state, table, study.seed, asked, decoder, explain=explain):
        events.append(_deal(event, study, state, asked) if event["event"] == "deal" else event)
    return Trace(study, asked, events, frozenset(decoder.knows()))


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


def _fitted(line: str) -> list[str]:
    """The line in pieces of at most WIDTH characters, what follows indented further."""
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, drop_whitespace=True)


def _goes_on(event: Event) -> bool:
    """Whether an event may still come between a Macaw's looks and its swap."""
    if event["event"] == "why":
        return bool(event["question"] == "macaw")
    return event["event"] in ("look", "swap")


def narrate(events: Sequence[Event], deck: Deck, strategies: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a readable account of an event log."""
    account = _Account(deck, strategies)
    for event in events:
        yield from account.tell(event)


class _Account:
    """Tells events in words, and keeps areas and knowledge in step so that it can show them."""

    def __init__(self, deck: Deck, strategies: Sequence[str]) -> None:
        self.birds = {bird.id: bird for bird in deck.birds}
        self.strategies = list(strategies)
        self.names = self.strategies
        self.hands: list[list[str | None]] = []
        self.known: dict[tuple[int, int], set[int]] = {}
        self.top: str | None = None
        self.declarer: int | None = None
        self.final = False
        self.shield = False
        self.macaw = False
        self.taken = False
        self.power: str | None = None
        self.looks = 0

    def tell(self, event: Event) -> Iterator[str]:
        """The lines for one event."""
        if self.macaw and not _goes_on(event):
            self.macaw = False
            yield "    and does not swap"
        yield from getattr(self, f"_tell_{event['event']}")(event)

    def _card(self, bird_id: str | None) -> str:
        if bird_id is None:
            return "nothing"
        bird = self.birds[bird_id]
        return bird.name if bird.name.endswith(f" {bird.value}") else f"{bird.name} ({bird.value})"

    def _where(self, place: Sequence[int], seat: int) -> str:
        owner, slot = place
        return f"own slot {slot}" if owner == seat else f"seat {owner}'s slot {slot}"

    def _set(self, place: Sequence[int], card: str | None, known: set[int] | None = None) -> None:
        owner, slot = place
        hand = self.hands[owner]
        hand.extend([None] * (slot + 1 - len(hand)))
        hand[slot] = card
        self.known[owner, slot] = set(known or ())

    def _knowing(self, place: Sequence[int]) -> set[int]:
        return self.known.get((place[0], place[1]), set())

    def _all(self) -> set[int]:
        return set(range(len(self.hands)))

    def _areas(self) -> Iterator[str]:
        rows = []
        for seat, hand in enumerate(self.hands):
            cards = "".join(f"{self._short(seat, slot):>5}" for slot in range(len(hand)))
            rows.append((seat, cards, sum(self.birds[card].value for card in hand if card)))
        width = max(len(cards) for _seat, cards, _total in rows)
        for seat, cards, total in rows:
            mark = ""
            if seat == self.declarer:
                mark = "  BAO, protected" if self.shield else "  BAO"
            name = padded(cut(self.names[seat], 12), 12)
            yield f"    seat {seat} {name}{cards:<{width}}   = {total}{mark}"

    def _short(self, seat: int, slot: int) -> str:
        """A card's value; ? behind it where its owner has not seen it."""
        card = self.hands[seat][slot]
        if card is None:
            return "· "
        seen = seat in self._knowing([seat, slot])
        return f"{self.birds[card].value}{' ' if seen else '?'}"

    def _unseen(self, place: Sequence[int], seat: int) -> str:
        return "" if seat in self._knowing(place) else " (unseen by it)"

    def _tell_why(self, event: Event) -> Iterator[str]:
        if event["estimates"]:
            estimates = ", ".join(
                f"{name.replace('_', ' ')} {value:g}" for name, value in event["estimates"].items()
            )
            yield f"      [{event['question']}, seat {event['player']}: {estimates}]"

    def _tell_deal(self, event: Event) -> Iterator[str]:
        self.hands = [list(hand) for hand in event["hands"]]
        self.known = {
            (seat, slot): {seat} for seat, slots in enumerate(event["peeks"]) for slot in slots
        }
        self.declarer = None
        self.final = self.shield = False
        self.top = event["discard_pile"][-1]
        seats = event.get("seats", range(event["players"]))
        self.names = [self.strategies[seat] for seat in seats]
        what = "Deciding round" if event.get("deciding") else "Round"
        game = f" of game {event['game']}" if "game" in event else ""
        if event.get("game") is not None and event["round"]:
            yield ""
        yield f"{what} {event['round']}{game}"
        if event.get("deciding"):
            yield f"  (seats 0, 1, … are now seats {', '.join(map(str, seats))} of the game)"
        for seat, hand in enumerate(event["hands"]):
            peeked = event["peeks"][seat]
            slots = "slot " if len(peeked) == 1 else "slots "
            looked = slots + ", ".join(map(str, peeked)) if peeked else "none"
            cards = ", ".join(self._card(card) for card in hand)
            yield f"  seat {seat} {self.names[seat]}: {cards}; has looked at {looked}"
        yield f"  first discard {self._card(self.top)}; seat {event['first']} begins"
        yield "  (cards are shown by value; ? is a card that its owner has not seen)"

    def _tell_turn(self, event: Event) -> Iterator[str]:
        if event["turn"]:
            yield from self._areas()
        seat = event["player"]
        last = ""
        if self.declarer is not None:
            last = f", the last one after seat {self.declarer}'s BAO"
        elif self.final:
            last = ", the last one of the automatic final phase"
        yield ""
        yield (
            f"Turn {event['turn']}, seat {seat} ({self.names[seat]}){last}; "
            f"{self._card(self.top)} on top"
        )

    def _tell_draw(self, event: Event) -> Iterator[str]:
        self.taken = False
        if event["card"] is None:
            yield "  no card can be drawn: a pass"
        else:
            yield f"  draws {self._card(event['card'])}"

    def _tell_take(self, event: Event) -> Iterator[str]:
        self.taken = True
        yield f"  takes {self._card(event['card'])} from the discard pile"

    def _tell_replace(self, event: Event) -> Iterator[str]:
        seat, place = event["player"], [event["player"], event["slot"]]
        unseen = self._unseen(place, seat)
        self._set(place, event["card"], self._all() if self.taken else {seat})
        self.top = event["out"]
        out = self._card(event["out"])
        yield f"  puts it into slot {event['slot']}; {out}{unseen} is discarded"

    def _tell_discard(self, event: Event) -> Iterator[str]:
        self.top = event["card"]
        yield f"  discards {self._card(event['card'])}"

    def _tell_pluck(self, event: Event) -> Iterator[str]:
        seat = event["player"]
        pairs = zip(event["targets"], event["cards"], strict=True)
        targets = " and ".join(f"{self._where(t, seat)} ({self._card(c)})" for t, c in pairs)
        double = "double pluck" if len(event["targets"]) == 2 else "pluck"
        hit = "a hit" if event["hit"] else "a MISS"
        source = "" if event["from"] == "draw" else "in the window "
        reference = self._card(event["reference"])
        yield f"  {source}seat {seat} shouts a {double} on {reference}: {targets}, {hit}"
        if not event["hit"]:
            for owner, slot in event["targets"]:
                self.known[owner, slot] = self._all()
            return
        self.top = event["cards"][-1]
        for target in event["targets"]:
            self._set(target, None)
        for gift in event["gifts"]:
            place = [seat, gift["slot"]]
            knowing, unseen = self._knowing(place), self._unseen(place, seat)
            self._set(place, None)
            self._set(gift["to"], gift["card"], knowing)
            owner, slot = gift["to"]
            yield (
                f"    and gives {self._card(gift['card'])}{unseen} from slot {gift['slot']} "
                f"into seat {owner}'s slot {slot}"
            )

    def _tell_penalty(self, event: Event) -> Iterator[str]:
        if event["card"] is None:
            yield "    no penalty card can be drawn"
        else:
            self._set([event["player"], event["slot"]], event["card"])
            card, slot = self._card(event["card"]), event["slot"]
            yield f"    penalty for seat {event['player']}: {card}, slot {slot}"

    def _tell_power(self, event: Event) -> Iterator[str]:
        why = {
            "discard": "discarded",
            "reference": "the reference",
            "eliminated": "eliminated",
        }[event["trigger"]]
        yield f"  power of {self._card(event['card'])}, {why}, for seat {event['player']}:"
        self.power = self.birds[event["card"]].power
        self.looks = 0

    def _tell_look(self, event: Event) -> Iterator[str]:
        owner, slot = event["target"]
        self.known.setdefault((owner, slot), set()).add(event["player"])
        self.looks += 1
        self.macaw = self.power == "macaw" and self.looks == 2
        where = self._where(event["target"], event["player"])
        yield f"    looks at {where}: {self._card(event['card'])}"

    def _tell_show(self, event: Event) -> Iterator[str]:
        owner, slot = event["target"]
        self.known[owner, slot] = self._all()
        where = self._where(event["target"], event["player"])
        yield f"    shows {where} to all: {self._card(event['card'])}"

    def _tell_swap(self, event: Event) -> Iterator[str]:
        self.macaw = False
        a, b, cards = event["a"], event["b"], event["cards"]
        seat = event["player"]
        yield (
            f"    swaps {self._where(a, seat)} ({self._card(cards[0])}{self._unseen(a, seat)}) "
            f"with {self._where(b, seat)} ({self._card(cards[1])}{self._unseen(b, seat)})"
        )
        at_a, at_b = self._knowing(a), self._knowing(b)
        self._set(a, cards[1], at_b)
        self._set(b, cards[0], at_a)

    def _tell_add(self, event: Event) -> Iterator[str]:
        self._set([event["to"], event["slot"]], event["card"])
        yield f"    adds {self._card(event['card'])} to seat {event['to']}, slot {event['slot']}"

    def _tell_shoebill(self, event: Event) -> Iterator[str]:
        cards = " and ".join(self._card(card) for card in event["cards"]) or "nothing"
        yield f"    draws {cards}"

    def _tell_place(self, event: Event) -> Iterator[str]:
        seat = event["player"]
        where, unseen = self._where(event["target"], seat), self._unseen(event["target"], seat)
        self._set(event["target"], event["card"], {seat})
        out = self._card(event["out"])
        yield f"    puts {self._card(event['card'])} into {where}; {out}{unseen} goes under"

    def _tell_under(self, event: Event) -> Iterator[str]:
        yield f"    {self._card(event['card'])} goes under"

    def _tell_no_effect(self, event: Event) -> Iterator[str]:
        yield "    no effect"

    def _tell_recycle(self, event: Event) -> Iterator[str]:
        yield f"  -- recycling {event['count']}: {len(event['draw_pile'])} cards are shuffled --"

    def _tell_final_phase(self, event: Event) -> Iterator[str]:
        if self.declarer is not None:
            yield f"  -- the BAO of seat {self.declarer} is void --"
        self.declarer = None
        self.shield = False
        self.final = True
        yield "  -- the automatic final phase begins --"

    def _tell_bao(self, event: Event) -> Iterator[str]:
        self.declarer = event["player"]
        total = sum(self.birds[card].value for card in self.hands[event["player"]] if card)
        yield f"  calls BAO! (true total {total})"

    def _tell_shield(self, event: Event) -> Iterator[str]:
        self.shield = True
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
        lowest = min(event["totals"])
        for seat, (total, score) in enumerate(scores):
            note = ""
            if seat == self.declarer and event["reason"] == "bao":
                alone = total == lowest and event["totals"].count(lowest) == 1
                note = "  BAO succeeds" if alone else "  BAO fails"
            if seat in event["winners"]:
                note += "  wins" if len(event["winners"]) == 1 else "  shares the win"
            name = padded(self.names[seat], 12)
            yield f"  seat {seat} {name} total {total:>3}, scores {score:>3}{note}"

    def _tell_game_end(self, event: Event) -> Iterator[str]:
        yield ""
        sums = ", ".join(f"seat {seat}: {points}" for seat, points in enumerate(event["sums"]))
        rounds = "1 round" if event["rounds"] == 1 else f"{event['rounds']} rounds"
        yield f"The game ends after {rounds} ({event['reason']}). {sums}"
        if event["winner"] is not None:
            yield f"  seat {event['winner']} ({self.strategies[event['winner']]}) wins the game"
