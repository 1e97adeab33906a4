"""Scenarios (contract §4): a small position, a list of decisions, and what must follow.

A scenario is played by the compiled engine that plays everything else; its decisions are read
from the file (`sim.policies.scripted`) and judged like anybody's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from sim.batch.pack import pack_script
from sim.core.codes import MOVES, QUESTIONS, REFUSALS, Fault, Stage
from sim.core.knowledge import reveal
from sim.core.layout import (
    BAO_CALLED,
    LOG_WORDS,
    MAX_MOVES,
    MAX_SLOTS,
    NONE,
    REASONS,
    RUNNING,
    new_state,
)
from sim.core.rng import set_keys
from sim.engine.deal import lay_out
from sim.engine.play import advance
from sim.errors import InputError, unknown_name, within
from sim.game.base import Frozen, Prose, Whole, field_spec
from sim.game.deck import DEFAULT_DECK, MAX_CARDS, Deck
from sim.game.files import FromFile, PathLike, refuse_others
from sim.game.rules import EDITIONS, Edition, Rules
from sim.watch.events import EVENTS, Decoder, broken_rules

RULE_ID = r"[A-Z]+-[0-9A-Z]+[a-z]?"
RULE_FAMILIES = (
    "CARD|SET|SLOT|TURN|PLUCK|DOUBLE|POW|BAO|SHIELD|REC|FINAL|SCORE|GAME|ZERO|INV|KNOW|SIM"
)
"""What ids of rules in the rulebook begin with."""

EMPTY = "-"
"""How a file writes an empty slot."""

MARKED = 1 << 62
"""Bit of a move's refusals that says that the move is marked `refused` at all."""

Seat = Annotated[Whole, Field(ge=0, le=5, json_schema_extra={"expected": "a seat, 0 to 5"})]
Slot = Annotated[
    Whole,
    Field(ge=0, lt=MAX_SLOTS, json_schema_extra={"expected": f"a slot, 0 to {MAX_SLOTS - 1}"}),
]
Which = Annotated[Whole, Field(ge=0, le=1)]
Place = tuple[Seat, Slot]
Sight = tuple[Seat, Seat, Slot]


Cards = Annotated[tuple[str, ...], Field(strict=False)]
Sights = tuple[Annotated[Sight, Field(strict=False)], ...]


def _key(expected: str, default: Any = None, **limits: Any) -> Any:
    """Return a field that may be left out; `expected` says in words what it holds."""
    return Field(default, json_schema_extra={"expected": expected}, **limits)


def _list(expected: str, default: Any = (), **limits: Any) -> Any:
    """Return the field of a list, that files and Python write differently."""
    return _key(expected, default, strict=False, **limits)


class Bao(Frozen):
    """BAO was called before the position."""

    by: Seat = Field(description="the declarer")
    shield: bool = Field(False, description="whether the Shield is up")
    turns_left: Whole = Field(ge=1, le=5, description="opponents' turns still to come")


class FinalPhase(Frozen):
    """The automatic final phase is running."""

    by: Seat = Field(description="whose turn started it")
    turns_left: Whole = Field(ge=1, le=5, description="turns still to come")


class Start(Frozen):
    """A position."""

    hands: tuple[Annotated[tuple[str, ...], Field(strict=False, max_length=MAX_SLOTS)], ...] = (
        Field(
            strict=False,
            min_length=2,
            max_length=6,
            description="cards by seat and slot",
            json_schema_extra={
                "expected": f"2 to 6 hands, each a list of at most {MAX_SLOTS} bird ids"
            },
        )
    )
    draw_pile: tuple[str, ...] = _list("a list of bird ids, the first is drawn first")
    discard_pile: tuple[str, ...] = _list("a list of bird ids, the last is the visible top")
    under_pile: tuple[str, ...] = _list(
        "a list of bird ids, in the order in which cards were slipped under"
    )
    active: Seat = Field(0, description="whose turn begins")
    recyclings: Whole = Field(0, ge=0, le=100_000, description="recyclings so far")
    bao: Bao | None = None
    final_phase: FinalPhase | None = None
    recycled: tuple[Cards, ...] = _list("lists of bird ids: the draw pile after each recycling")
    knows: Sights = _list("a list of [viewer, owner, slot]")

    @model_validator(mode="after")
    def _seats(self) -> Start:
        players = len(self.hands)
        phases: dict[str, Any] = {"bao": self.bao, "final_phase": self.final_phase}
        named = {"active": self.active}
        named |= {f"{key}.by": phase.by for key, phase in phases.items() if phase}
        for k, (viewer, owner, slot) in enumerate(self.knows):
            named |= {f"knows.{k}": viewer}
            hand = self.hands[owner] if owner < players else ()
            if slot >= len(hand) or hand[slot] == EMPTY:
                raise InputError(expected="a slot with a card", key=f"knows.{k}", got=[owner, slot])
        for key, seat in named.items():
            _check_seat(key, seat, players)
        if all(phases.values()):
            problem = "BAO and the automatic final phase at once"
            raise InputError(problem, key="final_phase", expected="one of the two")
        for key, phase in phases.items():
            if phase and phase.turns_left >= players:
                expected = f"1 to {players - 1}: each other player has one turn"
                raise InputError(expected=expected, key=f"{key}.turns_left", got=phase.turns_left)
        return self


def _check_seat(key: str, seat: int, players: int) -> None:
    if seat >= players:
        raise InputError(expected=f"a seat, 0 to {players - 1}", key=key, got=seat)


class Move(Frozen):
    """One decision."""

    noun = "key of a move"

    seat: Seat
    do: Literal[MOVES]  # type: ignore[valid-type]
    slot: Slot | None = _key("a slot, a whole number from 0")
    targets: tuple[Annotated[Place, Field(strict=False)], ...] = _list(
        "one or two of [owner, slot]", max_length=2
    )
    gifts: tuple[Slot, ...] = _list("a list of at most two own slots", max_length=2)
    target: Place | None = _list("[owner, slot]", None)
    a: Place | None = _list("[owner, slot]", None)
    b: Place | None = _list("[owner, slot]", None)
    swap: bool | None = _key("true or false")
    to: Seat | None = _key("a seat, a whole number from 0")
    own: tuple[Which, Slot] | None = _list("[which card, 0 or 1, and slot]", None)
    rival: tuple[Which, Seat, Slot] | None = _list("[which card, 0 or 1, owner, slot]", None)
    refused: tuple[Annotated[str, Field(pattern=f"^{RULE_ID}$")], ...] | None = _list(
        'the id of a rule, such as "PLUCK-9", or a list of ids', None
    )

    @model_validator(mode="before")
    @classmethod
    def _one_or_more(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("refused"), str):
            return data | {"refused": [data["refused"]]}
        return data

    @model_validator(mode="after")
    def _complete(self) -> Move:
        """Check that the move has the keys that it needs, and no others."""
        needed, optional = (keys.split() for keys in _KEYS.get(self.do, ("", "")))
        for key, field in Move.model_fields.items():
            given = getattr(self, key) not in (None, ())
            if key in needed and not given:
                expected = field_spec(key, field)["expected"]
                raise InputError(f"'{self.do}' needs it", key=key, expected=expected)
            if given and key not in (*needed, *optional, *_ALWAYS):
                allowed = ", ".join(needed + optional) or "no further key"
                raise InputError(f"is no key of '{self.do}'", key=key, expected=allowed)
        for rule in self.refused or ():
            if rule not in REFUSALS and not re.match(f"({RULE_FAMILIES})-", rule):
                raise unknown_name("rule", rule, REFUSALS).inside("refused")
        return self

    def words(self) -> tuple[Any, ...]:
        """The move as the engine's script holds it, a `MOVE`."""
        words: list[int] = []
        for key in " ".join(_KEYS.get(self.do, ())).split():
            if key != "gifts":
                words += _words(key, getattr(self, key))
        gifts = [*self.gifts, NONE, NONE][:2]
        words = [*words, NONE, NONE, NONE, NONE][:4]
        return self.seat, MOVES.index(self.do), *words, len(self.gifts), gifts

    def refusals(self) -> int:
        """The rules that the move is marked `refused` by, as a verdict; 0 where it is not."""
        if self.refused is None:
            return 0
        known = (1 << REFUSALS.index(rule) for rule in self.refused if rule in REFUSALS)
        return MARKED | sum(set(known))


_KEYS = {
    "take": ("slot", ""),
    "keep": ("slot", ""),
    "pluck": ("targets", "gifts"),
    "look": ("target", ""),
    "show": ("target", ""),
    "swap": ("a b", ""),
    "macaw": ("a b swap", ""),
    "toco": ("to", ""),
    "shoebill": ("", "own rival"),
}
"""Keys that a move needs, and those that it may have; others have none."""

_ALWAYS = ("seat", "do", "refused")
"""Keys of every move."""


def _words(key: str, value: Any) -> list[int]:
    """What a move says under a key, as whole numbers."""
    if key == "targets":
        return [owner << 7 | slot for owner, slot in value]
    if value is None:
        return [NONE, NONE]
    if key in ("target", "a", "b"):
        return [value[0] << 7 | value[1]]
    if key == "rival":
        return [value[0], value[1] << 7 | value[2]]
    return list(value) if key == "own" else [int(value)]


class Expect(Frozen):
    """What must hold after the last move; only what is named is compared."""

    hands: tuple[Cards, ...] | None = _list("lists of bird ids by seat and slot", None)
    discard_pile: tuple[str, ...] | None = _list("a list of bird ids", None)
    draw_pile: tuple[str, ...] | None = _list("a list of bird ids", None)
    under_pile: tuple[str, ...] | None = _list("a list of bird ids", None)
    recyclings: Whole | None = _key("a whole number")
    shield: bool | None = _key("true or false")
    bao_by: Seat | Literal["none"] | None = _key('a seat, or "none"')
    active: Seat | None = _key("a seat")
    end: Literal["bao", "second_recycling", "turn_cap", "none"] | None = None
    totals: tuple[Whole, ...] | None = _list("a list of points by seat", None)
    scores: tuple[Whole, ...] | None = _list("a list of points by seat", None)
    winners: tuple[Seat, ...] | None = _list("a list of seats", None)
    events: tuple[str, ...] | None = _list("a list of names of events", None)
    knows: Sights | None = _list("a list of [viewer, owner, slot]", None)
    knows_not: Sights | None = _list("a list of [viewer, owner, slot]", None)

    @field_validator("events")
    @classmethod
    def _named(cls, events: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for k, name in enumerate(events or ()):
            if name not in EVENTS:
                raise unknown_name("event", name, EVENTS).inside(f"events.{k}")
        return events


class Scenario(Frozen, FromFile):
    """A scenario file."""

    title: Prose = ""
    rules: tuple[str, ...] = _list("a list of ids of rules")
    editions: tuple[Edition, ...] = Field(
        EDITIONS,
        strict=False,
        min_length=1,
        json_schema_extra={"expected": 'a list of "second" and "first"'},
    )
    options: dict[str, Any] = Field(default_factory=dict, description="rule options")
    deck: Deck = Field(default_factory=lambda: Deck.of(DEFAULT_DECK))
    start: Start = Field(json_schema_extra={"expected": "a table: the position"})
    move: tuple[Move, ...] = _list("a list of moves")
    expect: Expect = Field(default_factory=Expect)

    @field_validator("start", "expect", mode="before")
    @classmethod
    def _part(cls, data: Any, info: ValidationInfo) -> Any:
        """Make a part of the file by itself, so that a mistake in it is named with its path."""
        part = Start if info.field_name == "start" else Expect
        with within(info.field_name):
            return part.model_validate(data)

    @field_validator("move", mode="before")
    @classmethod
    def _moves(cls, data: Any) -> Any:
        if not isinstance(data, list | tuple):
            return data  # refused by the field's type
        if len(data) > MAX_MOVES:
            raise InputError(expected=f"at most {MAX_MOVES} moves", key="move", got=len(data))
        moves = []
        for k, move in enumerate(data):
            with within(f"move.{k}"):
                moves.append(Move.model_validate(move))
        return moves

    @model_validator(mode="after")
    def _fits(self) -> Scenario:
        """Check cards and seats, and that every edition takes the options."""
        players = len(self.start.hands)
        for k, move in enumerate(self.move):
            for key, seat in _seats_of(move):
                _check_seat(f"move.{k}.{key}", seat, players)
        piles, recycled = self._piles(), self.start.recycled
        cards = sum(len(ids) for _, ids in piles)
        if cards > MAX_CARDS:
            raise InputError(expected=f"at most {MAX_CARDS} cards", key="start", got=cards)
        if sum(map(len, recycled)) > LOG_WORDS or len(recycled) > MAX_MOVES:
            raise InputError("too many recyclings", key="start.recycled")
        known = [bird.id for bird in self.deck.birds]
        for key, ids in [*piles, *(("start.recycled", pile) for pile in recycled)]:
            for bird in ids:
                if bird not in known:
                    raise unknown_name("bird", bird, known).inside(key)
        for edition in self.editions:
            with within("options"):
                Rules.of(edition, **self.options)
        return self

    def _piles(self) -> list[tuple[str, Sequence[str]]]:
        """All cards of the position: (key, bird ids), empty slots left out."""
        hands = [[card for card in hand if card != EMPTY] for hand in self.start.hands]
        return [(f"start.hands.{seat}", hand) for seat, hand in enumerate(hands)] + [
            (f"start.{key}", getattr(self.start, key))
            for key in ("draw_pile", "discard_pile", "under_pile")
        ]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: PathLike | None = None) -> Scenario:
        """The scenario of a dict like a file.

        Raises:
            InputError: Something in it is wrong.
        """
        refuse_others("scenario", data)
        given = dict(data)
        if "deck" in given:
            with within("deck"):
                given["deck"] = Deck.of(given["deck"], folder=folder)
        return cls.model_validate(given)

    def play(self, edition: Edition) -> str | None:
        """Play the scenario in one edition; the first difference, None if there is none.

        Raises:
            InputError: A move is not the one being asked for.
        """
        return _Table(self, edition).play()


def _seats_of(move: Move) -> list[tuple[str, int]]:
    """(key, seat) of every seat that a move names."""
    seats = [("seat", move.seat), *((f"targets.{k}", at[0]) for k, at in enumerate(move.targets))]
    for key, at in (("target", 0), ("a", 0), ("b", 0), ("rival", 1)):
        place = getattr(move, key)
        seats += [(key, place[at])] if place else []
    return seats if move.to is None else [*seats, ("to", move.to)]


class _Table:
    """A scenario being played: cards numbered, state set up, then stepped to its end."""

    def __init__(self, scenario: Scenario, edition: Edition) -> None:
        self.scenario = scenario
        self.edition = edition
        self.deck = scenario.deck
        rules = Rules.of(edition, **scenario.options)
        indices = [self.deck.index(bird) for _key, ids in scenario._piles() for bird in ids]
        self.cards = sorted(indices)
        self.left: dict[str, list[int]] = defaultdict(list)
        for card, index in reversed(list(enumerate(self.cards))):
            self.left[self.deck.birds[index].id].append(card)
        self.table = pack_script(rules, self.deck, self.cards, len(scenario.start.hands))
        self.state = new_state()
        self.decoder = Decoder(self.state, [self.deck.birds[index].id for index in self.cards])
        self._lay_out()
        self._write_script()

    def _numbers(self, ids: Sequence[str]) -> Any:
        """Card numbers (int16) for bird ids; NONE for an empty slot."""
        return np.array([NONE if i == EMPTY else self.left[i].pop() for i in ids], np.int16)

    def _lay_out(self) -> None:
        start, state = self.scenario.start, self.state
        players = len(start.hands)
        hands = np.full((players, MAX_SLOTS), NONE, np.int16)
        for seat, hand in enumerate(start.hands):
            hands[seat, : len(hand)] = self._numbers(hand)
        slots = np.array([len(hand) for hand in start.hands], np.int16)
        piles = [self._numbers(p) for p in (start.draw_pile, start.discard_pile, start.under_pile)]
        set_keys(state, np.uint64(0), 0, 0)
        lay_out(state, self.table, players, hands, slots, *piles)
        for viewer, owner, slot in start.knows:
            reveal(state, self.table, viewer, int(hands[owner, slot]))
        for seat in range(players):
            state.who[seat] = seat
        state.first = state.active = start.active
        state.recyclings = start.recyclings
        if start.bao:
            state.bao_by = state.bao_caller = start.bao.by
            state.bao_outcome = BAO_CALLED
            state.shield = int(start.bao.shield)
            state.turns_left = start.bao.turns_left
        if start.final_phase:
            state.final_by = start.final_phase.by
            state.turns_left = start.final_phase.turns_left

    def _write_script(self) -> None:
        script, moves, piles = self.state.script, self.scenario.move, self.scenario.start.recycled
        script.n_moves = len(moves)
        for k, move in enumerate(moves):
            script.moves[k] = move.words()
            script.refused[k] = move.refusals()
        script.n_piles = len(piles)
        script.wrong_pile = NONE
        script.pile_size[: len(piles)] = [len(pile) for pile in piles]
        cards = [self.deck.index(bird) for pile in piles for bird in pile]
        script.piles[: len(cards)] = cards

    def play(self) -> str | None:
        state = self.state
        state.log.on = 1
        state.stage = Stage.TURN
        events = []
        while state.script.next < state.script.n_moves and state.reason == RUNNING:
            advance(state, self.table, np.uint64(0))
            events += [event["event"] for event in self.decoder.drain()]
            if state.script.wrong_pile != NONE:
                raise InputError(
                    "does not hold the cards that are recycled",
                    key=f"start.recycled.{state.script.wrong_pile}",
                )
            if state.fault != Fault.NONE:
                return self._fault()
        if state.script.next < state.script.n_moves:
            raise InputError("the round has ended before it", key=f"move.{state.script.next}")
        return self._difference(events)

    def _fault(self) -> str | None:
        """A failed refusal as a difference; anything else is a mistake in the file."""
        state = self.state
        k = int(state.script.next)
        broken = broken_rules(int(state.fault_rules))
        asked = f"'{QUESTIONS[state.fault_question]}' of seat {state.fault_seat}"
        if state.fault == Fault.MISSING:
            problem = "the moves stop in the middle of a turn"
            raise InputError(problem, key="move", expected=f"one more: {asked}")
        move = self.scenario.move[k]
        what = f"move.{k} ('{move.do}' of seat {move.seat})"
        if state.fault == Fault.REFUSED:
            return f"{what}: refused by {', '.join(broken)}"
        if state.fault == Fault.ACCEPTED:
            expected = " or ".join(move.refused or ())
            got = f"refused by {', '.join(broken)}" if broken else "allowed"
            return f"{what}: expected to be refused by {expected}, it is {got}"
        raise InputError(
            "is not the move being asked for",
            key=f"move.{k}",
            expected=asked,
            got=f"{move.do} of seat {move.seat}",
        )

    def _difference(self, events: list[str]) -> str | None:
        """The first thing that `expect` names and that is otherwise."""
        expect = self.scenario.expect
        for key, found in self._found(events).items():
            expected = getattr(expect, key)
            if expected is None:
                continue
            if key == "bao_by":
                expected = None if expected == "none" else expected
            elif isinstance(expected, tuple):
                expected = [list(x) if isinstance(x, tuple) else x for x in expected]
            if expected != found:
                return f"{key}: expected {_shown(expected)}, found {_shown(found)}"
        known = self.decoder.knows()
        for sight in expect.knows or ():
            if sight not in known:
                return f"knows: seat {sight[0]} does not know {list(sight[1:])}"
        for sight in expect.knows_not or ():
            if sight in known:
                return f"knows_not: seat {sight[0]} knows {list(sight[1:])}"
        return None

    def _found(self, events: list[str]) -> dict[str, Any]:
        state, decoder = self.state, self.decoder
        hands = [[EMPTY if card is None else card for card in hand] for hand in decoder.hands()]
        value = {bird.id: bird.value for bird in self.deck.birds}
        ended = state.reason != RUNNING
        return {
            "events": events,
            "hands": hands,
            "discard_pile": decoder.discard_pile(),
            "draw_pile": decoder.draw_pile(),
            "under_pile": decoder.under_pile(),
            "recyclings": int(state.recyclings),
            "shield": bool(state.shield),
            "bao_by": None if state.bao_by < 0 else int(state.bao_by),
            "active": int(state.active),
            "end": REASONS[state.reason] if ended else "none",
            "totals": [sum(value[card] for card in hand if card != EMPTY) for hand in hands],
            "scores": decoder.ints("score") if ended else None,
            "winners": decoder.winners() if ended else None,
        }


def _shown(value: Any) -> str:
    return "none" if value is None else str(value).replace("'", '"')


@dataclass(frozen=True)
class Outcome:
    """What came of a scenario file.

    Attributes:
        ok: Whether everything held, in every edition that the file names.
        difference: The first thing that did not, with its edition; None if all held.
    """

    ok: bool
    difference: str | None = None

    def line(self) -> str:
        """``ok``, or the first difference."""
        return "ok" if self.difference is None else self.difference


def check(path: PathLike) -> Outcome:
    """Play the scenario of a file, once for each of its editions.

    Raises:
        InputError: The file is wrong: unreadable, a key, a card, a move that nobody asked for.
    """
    scenario = Scenario.from_file(path)
    for edition in scenario.editions:
        with within(where=path):
            difference = scenario.play(edition)
        if difference is not None:
            return Outcome(False, f"[{edition}] {difference}")
    return Outcome(True)
