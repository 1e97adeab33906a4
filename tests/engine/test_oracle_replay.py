"""Rounds and games of the compiled engine, replayed event by event in the oracle.

The oracle was written from the rulebook alone; it raises on the first event that the rules
do not allow, and says at the end who must know which card. The second half of the module
proves that the corpus holds the rare things, so that their replay means something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from sim.watch.trace import Trace, trace
from tests.oracle import audit_game, audit_round
from tests.support.chance import SCALE, scaled
from tests.support.studies import oracle_deck, random_study

STUDIES = scaled(2400, least=20)
BATCHES = 12


def corpus() -> Iterator[Trace]:
    for number in range(STUDIES):
        yield corpus_trace(number)


@cache
def corpus_trace(number: int) -> Trace:
    """One random study, one round or game of it: random moves, any options, tiny decks."""
    return trace(random_study(number), index=number * 7919)


def rounds_of(log: Trace) -> list[list[dict[str, Any]]]:
    """The event log cut at every deal."""
    rounds: list[list[dict[str, Any]]] = []
    for event in log.events:
        if event["event"] == "deal":
            rounds.append([])
        rounds[-1].append(event)
    return rounds


def replay(log: Trace) -> int:
    """Replay one trace in the oracle; the number of its rounds."""
    deck = oracle_deck(log.study)
    if log.study.games:
        audit = audit_game(log.events, deck)
        return len(audit.rounds) + len(audit.deciding)
    result = audit_round(log.events, deck)
    assert result.knows == log.knows
    return 1


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_oracle_agrees(batch: int) -> None:
    numbers = range(batch, STUDIES, BATCHES)
    played = sum(replay(corpus_trace(number)) for number in numbers)
    assert played >= len(numbers)


def test_the_corpus_is_large_enough() -> None:
    rounds = sum(len(rounds_of(log)) for log in corpus())
    assert rounds >= 2000 * SCALE
    players = Counter(len(log.study.players) for log in corpus())
    editions = Counter(log.study.edition for log in corpus())
    if SCALE >= 1:
        assert min(players[n] for n in range(2, 7)) >= 200
        assert min(editions.values()) >= 800


def test_the_oracle_notices_a_changed_log() -> None:
    """A replay that accepts anything would prove nothing."""
    from tests.oracle import AuditError

    logs = [log for log in corpus() if not log.study.games][:20]
    for log in logs:
        events = [dict(event) for event in log.events]
        scores = list(events[-1]["scores"])
        scores[-1] += 1
        events[-1]["scores"] = scores
        with pytest.raises(AuditError):
            audit_round(events, oracle_deck(log.study))


# --- the rare things ----------------------------------------------------------------------------


class Watcher:
    """Follows the events of one round and counts what is rare in it."""

    def __init__(self, log: Trace, events: list[dict[str, Any]], found: Counter[str]) -> None:
        self.power_of = {bird.id: bird.power for bird in log.study.deck.birds}
        self.rules = log.study.rules
        self.found = found
        deal = events[0]
        self.areas: list[list[str | None]] = [list(hand) for hand in deal["hands"]]
        self.pile = len(deal["draw_pile"])
        self.last: dict[str, Any] = deal
        self.user_power = ""
        self.pile_at_power = 0
        self.called: int | None = None
        self.recycled_this_turn = 0
        self.active = deal["first"]
        if deal.get("deciding"):
            found["deciding round"] += 1
            if len(self.areas) > 2:
                found["deciding round of three or more"] += 1
        for event in events:
            getattr(self, f"_{event['event']}", lambda event: None)(event)
            self.last = event

    def count(self, seat: int) -> int:
        return sum(card is not None for card in self.areas[seat])

    def _add_at(self, seat: int, slot: int, card: str) -> None:
        area = self.areas[seat]
        holes = [k for k, there in enumerate(area) if there is None]
        if holes and slot >= len(area):
            self.found["new slot past a hole"] += 1
        elif holes:
            assert slot == holes[0]
            self.found["added card fills a hole"] += 1
        area.extend([None] * (slot + 1 - len(area)))
        assert area[slot] is None
        area[slot] = card

    def _turn(self, event: dict[str, Any]) -> None:
        self.active = event["player"]
        self.recycled_this_turn = 0
        if self.count(self.active) == 0:
            self.found["turn of a player without cards"] += 1

    def _draw(self, event: dict[str, Any]) -> None:
        if event["card"] is None:
            self.found["nothing to draw in a turn"] += 1
        else:
            self.pile -= 1

    def _replace(self, event: dict[str, Any]) -> None:
        assert self.areas[event["player"]][event["slot"]] == event["out"]
        self.areas[event["player"]][event["slot"]] = event["card"]

    def _recycle(self, event: dict[str, Any]) -> None:
        assert self.pile == 0 or self.user_power == "shoebill"
        self.recycled_this_turn += 1
        if self.recycled_this_turn > 1:
            self.found["two recyclings in one turn"] += 1
        if self.last["event"] == "power":
            power = self.power_of[self.last["card"]]
            between = power == "shoebill" and self.pile_at_power == 1
            where = "between a Shoebill's two draws" if between else f"before {power}'s first card"
            self.found[f"recycling {where}"] += 1
        elif self.last["event"] in ("pluck", "discard", "penalty"):
            self.found["recycling for a penalty"] += 1
        self.pile = len(event["draw_pile"])
        if self.pile_at_power == 1 and self.last["event"] == "power":
            self.pile += 1  # the first card has gone already

    def _final_phase(self, event: dict[str, Any]) -> None:
        self.found["automatic final phase"] += 1
        if self.called is not None:
            self.found["override"] += 1

    def _bao(self, event: dict[str, Any]) -> None:
        self.called = event["player"]
        if self.count(event["player"]) == 0:
            self.found["BAO without cards"] += 1

    def _shield(self, event: dict[str, Any]) -> None:
        self.found[f"shield after {self.last['event']}"] += 1

    def _pluck(self, event: dict[str, Any]) -> None:
        seat, double = event["player"], len(event["targets"]) == 2
        kind = f"{'double' if double else 'single'} {event['from']}"
        self.found[f"{kind} {'hit' if event['hit'] else 'miss'}"] += 1
        if not event["hit"]:
            return
        for owner, slot in event["targets"]:
            self.areas[owner][slot] = None
        for gift in event["gifts"]:
            assert self.areas[seat][gift["slot"]] == gift["card"]
            self.areas[seat][gift["slot"]] = None
            self.areas[gift["to"][0]][gift["to"][1]] = gift["card"]
        if double:
            self.found[f"double hit with {len(event['gifts'])} gifts"] += 1
            owners = {owner for owner, _slot in event["targets"]} - {seat}
            if len(owners) == 2:
                self.found["double hit at two rivals"] += 1
        if self.count(seat) == 0:
            self.found["last card gone by a pluck"] += 1

    def _penalty(self, event: dict[str, Any]) -> None:
        if event["card"] is None:
            self.found["penalty that cannot be drawn"] += 1
        else:
            self.pile -= 1
            self._add_at(event["player"], event["slot"], event["card"])

    def _power(self, event: dict[str, Any]) -> None:
        self.user_power = str(self.power_of[event["card"]])
        self.pile_at_power = self.pile
        self.found[f"power {self.user_power} by {event['trigger']}"] += 1

    def _no_effect(self, event: dict[str, Any]) -> None:
        self.found[f"no effect of {self.power_of[event['card']]}"] += 1

    def _swap(self, event: dict[str, Any]) -> None:
        (a, b), cards = (event["a"], event["b"]), event["cards"]
        self.areas[a[0]][a[1]], self.areas[b[0]][b[1]] = cards[1], cards[0]
        self.found[f"swap by {self.user_power}"] += 1

    def _add(self, event: dict[str, Any]) -> None:
        self.pile -= 1
        if self.count(event["to"]) == 0:
            self.found["Toco to a player without cards"] += 1
        self._add_at(event["to"], event["slot"], event["card"])

    def _shoebill(self, event: dict[str, Any]) -> None:
        self.pile -= len(event["cards"])
        self.found[f"Shoebill with {len(event['cards'])} cards"] += 1

    def _place(self, event: dict[str, Any]) -> None:
        self.areas[event["target"][0]][event["target"][1]] = event["card"]

    def _under(self, event: dict[str, Any]) -> None:
        self.found["Shoebill's card that could not be used"] += 1

    def _end(self, event: dict[str, Any]) -> None:
        self.found[f"end by {event['reason']}"] += 1
        if event["reason"] == "turn_cap" and self.called is not None:
            self.found["capped after BAO"] += 1
        if min(event["totals"]) < 0:
            self.found["negative total"] += 1
        if len(event["winners"]) > 1:
            self.found["shared win"] += 1

    def _game_end(self, event: dict[str, Any]) -> None:
        self.found[f"game ends by {event['reason']}"] += 1
        if event["deciding_rounds"] > 1:
            self.found["several deciding rounds"] += 1


RARE = [
    "recycling between a Shoebill's two draws",
    "recycling before shoebill's first card",
    "recycling before toco's first card",
    "recycling for a penalty",
    "two recyclings in one turn",
    "Shoebill with 0 cards",
    "Shoebill with 1 cards",
    "Shoebill with 2 cards",
    "Shoebill's card that could not be used",
    *[f"no effect of {power}" for power in ("look", "show", "swap", "macaw", "toco", "shoebill")],
    *[
        f"power {power} by {trigger}"
        for power in ("look", "show", "swap", "macaw", "toco", "shoebill")
        for trigger in ("discard", "reference", "eliminated")
    ],
    "swap by swap",
    "swap by macaw",
    "override",
    "automatic final phase",
    "penalty that cannot be drawn",
    "nothing to draw in a turn",
    *[
        f"{kind} {source} {result}"
        for kind in ("single", "double")
        for source in ("draw", "window")
        for result in ("hit", "miss")
    ],
    "double hit with 0 gifts",
    "double hit with 1 gifts",
    "double hit with 2 gifts",
    "double hit at two rivals",
    "last card gone by a pluck",
    "turn of a player without cards",
    "BAO without cards",
    "Toco to a player without cards",
    "shield after bao",
    "shield after pluck",
    "shield after swap",
    "shield after add",
    "shield after place",
    "new slot past a hole",
    "added card fills a hole",
    "end by bao",
    "end by second_recycling",
    "end by turn_cap",
    "capped after BAO",
    "negative total",
    "shared win",
    "deciding round",
    "deciding round of three or more",
    "several deciding rounds",
    "game ends by threshold",
    "game ends by max_rounds",
    "game ends by tie_break_cap",
]


@pytest.fixture(scope="module")
def found() -> Counter[str]:
    counts: Counter[str] = Counter()
    for log in corpus():
        for events in rounds_of(log):
            Watcher(log, events, counts)
    return counts


@pytest.mark.skipif(SCALE < 1, reason="a smaller corpus need not hold every rare thing")
@pytest.mark.parametrize("thing", RARE)
def test_the_corpus_holds(found: Counter[str], thing: str) -> None:
    assert found[thing] >= 1


def test_some_of_it_is_there_at_any_scale(found: Counter[str]) -> None:
    common = ("power look by discard", "single draw miss", "added card fills a hole", "end by bao")
    assert all(found[thing] for thing in common)
