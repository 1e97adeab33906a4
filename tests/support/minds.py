"""Moments of rounds: what a seat could be asked then, what it cannot know, what it decides."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sim.batch.pack import pack
from sim.core.codes import OPTION, Ask, Fault, Stage
from sim.core.jit import entry
from sim.core.knowledge import reveal
from sim.core.layout import NONE, new_state
from sim.core.memory import recall
from sim.engine.ask import ask
from sim.engine.play import advance, start
from sim.game.study import Study
from tests.support.states import bits, cards_in, copy_state, lying_cards, write_set

Decide = Callable[[Any, Any, int, int], object]

UNTOUCHED = -77


@entry
def bring_to_mind(state, table, seat):
    """Let a seat's mind lose what is too much for it, as the engine does before it asks."""
    recall(state, table, seat)


@entry
def shipped(state, table, seat, question):
    """The shipped policy of the seat, as the engine asks it."""
    ask(state, table, seat, question)


def moments(study: Study, r: random.Random) -> Iterator[tuple[Any, Any]]:
    """(state, table) between turns of one round, the order of the draw pile settled."""
    state, table = new_state(), pack(study)
    start(state, table, 0)
    state.log.on = 1
    advance(state, table, np.uint64(study.seed))
    chance = r.choice([0.05, 0.2])
    while state.stage == Stage.TURN:
        if r.random() < chance:
            moment = copy_state(state)
            moment.log.on = moment.log.used = 0
            moment.turn += 1  # the turn in which it is asked
            moment.log.words[:] = 0
            _lock_some(moment, r)
            yield moment, table
        state.log.used = 0
        advance(state, table, np.uint64(study.seed))


def _lock_some(state: Any, r: random.Random) -> None:
    """As if powers of this turn had moved some cards."""
    lying = list(lying_cards(state).values())
    locked = [card for card in lying if r.random() < 0.15] if r.random() < 0.5 else []
    write_set(state.locked, locked)


def questions(state: Any, table: Any, seat: int, r: random.Random) -> Iterator[tuple[int, Any]]:
    """Every question that a seat could be asked now, with the state in which it is asked."""
    lying = lying_cards(state)
    own = int(state.n_cards[seat])
    behind = int(state.bao_by) if state.shield else NONE
    locked = bits(state.locked)
    movable = {
        place
        for place, card in lying.items()
        if not locked >> card & 1 and (place >> 7 != behind or place >> 7 == seat)
    }
    with_cards = {place >> 7 for place in lying}
    with_movable = {place >> 7 for place in movable}

    mine = copy_state(state)
    mine.active = seat
    if own and table.rule_take_discard:
        yield Ask.SOURCE, mine
    if table.rule_bao and state.bao_by < 0 and state.final_by < 0:
        yield Ask.BAO, mine
    if own:
        yield Ask.GIFT, mine
        theirs = copy_state(state)
        theirs.active = (seat + r.randint(1, int(state.players) - 1)) % int(state.players)
        theirs.card = int(state.discards[state.n_discards - 1])
        theirs.from_draw = 0
        if table.rule_plucks != OPTION.plucks.none:
            yield Ask.CLAIM, theirs
    if state.drawn < state.pile_size:
        drawn = copy_state(mine)
        card = int(drawn.pile[drawn.drawn])
        drawn.drawn += 1
        drawn.card, drawn.from_draw = card, 1
        reveal(drawn, table, seat, card)
        yield Ask.DRAWN, drawn
    power = copy_state(mine)
    power.card = int(state.discards[state.n_discards - 1])
    if table.rule_powers_optional:
        yield Ask.USE, power
    if lying:
        yield Ask.LOOK, power
        yield Ask.SHOW, power
    if len(with_movable) > 1:
        yield Ask.SWAP, power
        a = r.choice(sorted(movable))
        b = r.choice(sorted(place for place in movable if place >> 7 != a >> 7))
        looked = copy_state(power)
        looked.target[:] = a, b
        reveal(looked, table, seat, lying[a])
        reveal(looked, table, seat, lying[b])
        yield Ask.MACAW_SWAP, looked
    if len(with_cards) > 1:
        yield Ask.MACAW, power
    if any(owner != seat and owner != behind for owner in range(state.players)):
        yield Ask.TOCO, power
    for count in (1, 2):
        if with_movable and state.pile_size - state.drawn >= count:
            offered = copy_state(power)
            offered.offer[1] = NONE
            for k in range(count):
                offered.offer[k] = int(offered.pile[offered.drawn])
                offered.drawn += 1
                reveal(offered, table, seat, int(offered.offer[k]))
            yield Ask.SHOEBILL, offered


#: What a seat thinks of one card; it stays with the place where the card lies.
MEMORIES = ("belief", "lesson", "learnt", "tried")


def hidden_places(state: Any, seat: int, question: int) -> dict[tuple[str, int], int]:
    """Where cards lie that the seat cannot tell apart: (what, where) -> card."""
    in_mind = cards_in(state.mind[seat]) - cards_in(state.mixed[seat])
    places = {("pile", k): int(state.pile[k]) for k in range(state.drawn, state.pile_size)}
    places |= {("under", k): int(state.under[k]) for k in range(state.n_under)}
    lying = lying_cards(state)
    if question == Ask.MACAW_SWAP:  # both have just been seen
        lying = {place: lying[place] for place in lying if place not in state.target}
    places |= {("area", place): card for place, card in lying.items()}
    return {where: card for where, card in places.items() if card not in in_mind}


def shuffle_hidden(state: Any, table: Any, seat: int, question: int, r: random.Random) -> Any:
    """A copy that differs in all that the seat does not know, and in nothing else."""
    other = copy_state(state)
    places = hidden_places(state, seat, question)
    hidden = list(places.values())
    unknown = set(range(int(table.cards))) - cards_in(state.seen[seat])
    assert unknown <= set(hidden)  # everything unknown lies somewhere
    shuffled = list(hidden)
    r.shuffle(shuffled)
    becomes = dict(zip(hidden, shuffled, strict=True))
    for (what, where), card in places.items():
        new = becomes[card]
        if what == "area":
            other.slot_card[where >> 7, where & 127] = new
            other.place[new] = where
        else:
            getattr(other, what)[where] = new
        for memory in MEMORIES:
            getattr(other, memory)[:, new] = getattr(state, memory)[:, card]
    public = ("lying", "kept", "for_low", "left", "dumped", "locked")
    sets = [(getattr(state, x), getattr(other, x)) for x in public]
    for name in ("held", "seen", "mind", "mixed"):
        sets += zip(getattr(state, name), getattr(other, name), strict=True)
    for viewer in range(state.players):
        sets += zip(state.taken_for[viewer], other.taken_for[viewer], strict=True)
    for before, after in sets:
        write_set(after, [becomes.get(card, card) for card in cards_in(before)])
    for rival in range(state.players):
        if rival != seat:
            # What others hold and think is none of this seat's business.
            for name in ("pool_sum", "own_sum", "own_high", "own_high_slot", "own_unknown_slot"):
                getattr(other, name)[rival] = r.randint(0, 99)
            other.unplaced[rival] = r.randint(0, 99)
    if question != Ask.SHOEBILL:
        other.offer[:] = r.sample(range(int(table.cards)), 2)
    return other


def decision(decide: Decide, state: Any, table: Any, seat: int, question: int) -> tuple[int, ...]:
    """The answer, fields that the policy left alone included, and how many numbers it used."""
    state.answer[:] = UNTOUCHED
    decide(state, table, seat, question)
    assert state.fault == Fault.NONE
    return (*(int(x) for x in state.answer), int(state.used[seat]), int(state.memory_used[seat]))
