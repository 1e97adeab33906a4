"""The invariants of the rulebook's section 13, recomputed after every step of random rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.batch.pack import pack
from sim.core.codes import Fault, Stage
from sim.core.layout import NONE, RUNNING, new_state
from sim.engine.play import advance, start
from sim.game.deck import POWERS
from sim.game.players import KINDS, shipped_players
from sim.game.rules import Rules
from sim.game.study import Study
from sim.watch.events import Decoder
from sim.watch.scenario import check
from tests.support.chance import scaled
from tests.support.states import bits, lying_cards

# --- any study ----------------------------------------------------------------------------------

#: How far whole-number options are moved; larger values only make rounds longer.
HIGHEST = {
    "peeks": 6,
    "penalty_cards": 20,
    "bao_failure_factor": 5,
    "bao_failure_minimum": 30,
    "recycle_limit": 5,
    "max_turns": 120,
    "max_rounds": 4,
    "hand_size": 9,
    "game_threshold": 60,
}


def _option(spec: dict[str, Any]) -> st.SearchStrategy[Any]:
    if spec["type"] == "choice":
        return st.sampled_from(spec["choices"])
    if spec["type"] == "boolean":
        return st.booleans()
    return st.integers(spec["min"], HIGHEST[spec["name"]])


def rule_options() -> st.SearchStrategy[dict[str, Any]]:
    """Any combination of rule options, each moved or not."""
    return st.fixed_dictionaries(
        {"max_turns": st.integers(1, HIGHEST["max_turns"])},
        optional={
            spec["name"]: _option(spec) for spec in Rules.options() if spec["name"] != "max_turns"
        },
    )


def _player() -> st.SearchStrategy[Any]:
    rates = {
        spec["name"]: st.sampled_from([0.0, 0.1, 0.5, 1.0])
        for spec in KINDS["random"].parameters()
        if spec["name"] != "bao_rate"
    }
    dice = st.fixed_dictionaries(
        {"kind": st.just("random"), "bao_rate": st.sampled_from([0.0, 0.05, 0.3])}, optional=rates
    )
    forgetful = st.fixed_dictionaries(
        {"kind": st.just("heuristic"), "bao_threshold": st.integers(-5, 25)},
        optional={
            "memory_span": st.integers(0, 6),
            "forget_rate": st.sampled_from([0.0, 0.1, 1.0]),
            "mix_up_rate": st.sampled_from([0.0, 0.1, 1.0]),
            "count_cards": st.sampled_from([0.0, 0.5]),
            "blunder_rate": st.sampled_from([0.0, 0.3]),
            "pluck_confidence": st.sampled_from([0.1, 0.7]),
        },
    )
    return st.one_of(dice, dice, st.sampled_from(shipped_players()), forgetful)


@st.composite
def decks(draw: st.DrawFn, least: int) -> Any:
    """A shipped deck, or any deck from the smallest that can be dealt up to 128 cards."""
    if least <= 66 and draw(st.booleans()):
        return draw(st.sampled_from(["five_per_value", "five_per_power"]))
    families = draw(st.integers(1, 6))
    count = draw(st.integers(2, 8))
    birds = {}
    for k in range(count):
        power = draw(st.sampled_from(["", *POWERS]))
        family = f"f{draw(st.integers(1, families))}"
        value = draw(st.integers(-5, 13))
        birds[f"b{k}"] = {"value": value, "family": family, "power": power}
    size = draw(st.sampled_from([least, least + 1, least + 3, least + 12, max(least, 128)]))
    for k, bird in enumerate(birds.values()):
        bird["copies"] = size // count + (1 if k < size % count else 0)
    return {"name": "any", "birds": birds}


@st.composite
def studies(draw: st.DrawFn, games: bool = False) -> Study:
    """Any table: 2 to 6 players, both editions, any options, any deck."""
    players = draw(st.lists(_player(), min_size=2, max_size=6))
    rules = draw(rule_options())
    edition = draw(st.sampled_from(["second", "first"]))
    hands = Rules.of(edition, **rules).hand_size
    need = max(n * hands[n] for n in range(2, len(players) + 1)) + 2
    return Study.of(
        players=players,
        edition=edition,
        rules=rules,
        deck=draw(decks(need)),
        seed=draw(st.integers(0, 2**64 - 1)),
        **({"games": 1} if games else {"rounds": 1}),
    )


# --- what must hold after every step ------------------------------------------------------------


def check_state(state: Any, table: Any, who: Any) -> None:
    """INV-1, INV-2, and all that the layout keeps twice.

    `who`: the players in the seats of the round; after it the state may hold the next one's.
    """
    cards = int(table.cards)
    lying = lying_cards(state)
    pile = [int(card) for card in state.pile[state.drawn : state.pile_size]]
    discards = [int(card) for card in state.discards[: state.n_discards]]
    under = [int(card) for card in state.under[: state.n_under]]
    assert sorted([*pile, *discards, *under, *lying.values()]) == list(range(cards))  # INV-1
    assert discards  # INV-2
    assert 0 <= state.drawn <= state.pile_size
    held = [0] * int(state.players)
    for place, card in lying.items():
        assert state.place[card] == place
        held[place >> 7] |= 1 << card
    whole = 0
    for seat, cards_held in enumerate(held):
        assert bits(state.held[seat]) == cards_held
        assert state.n_cards[seat] == cards_held.bit_count()
        assert (state.slot_card[seat][state.n_slots[seat] :] == NONE).all()
        whole |= cards_held
    assert bits(state.lying) == whole
    assert bits(state.kept) & ~whole == 0
    assert bits(state.dumped) & ~whole == 0
    assert bits(state.locked) & ~whole == 0
    for seat in range(state.players):
        _check_knowledge(state, table, seat, who[seat], pile, discards)


def _check_knowledge(
    state: Any, table: Any, seat: int, player: int, pile: list[int], discards: list[int]
) -> None:
    seen, mind, mixed = (bits(x[seat]) for x in (state.seen, state.mind, state.mixed))
    assert all(not seen >> card & 1 for card in pile)
    assert all(seen >> card & 1 for card in discards)
    if table.fades[player]:
        assert mind & ~seen == 0
        assert mixed & ~mind == 0
    else:
        assert mind == seen

    def value(card: int) -> int:
        """What the seat takes a card in its mind to be worth."""
        card = int(state.belief[seat, card]) if mixed >> card & 1 else card
        return int(table.value[card])

    placed = [card for card in range(int(table.cards)) if mind >> card & 1]
    assert state.pool_size[seat] == int(table.cards) - len(placed)
    assert state.pool_sum[seat] == int(table.deck_sum) - sum(map(value, placed))
    if not state.own_fresh[seat]:
        return
    own = [int(card) for card in state.slot_card[seat][: state.n_slots[seat]] if card != NONE]
    known = [value(card) for card in own if mind >> card & 1]
    assert state.own_sum[seat] == sum(known)
    assert state.own_unknown[seat] == len(own) - len(known)
    if known:
        assert state.own_high[seat] == max(known)


class Turn:
    """One turn: what its events say, and the counts of cards before it."""

    def __init__(self, state: Any) -> None:
        self.shield = bool(state.shield)
        self.declarer = int(state.bao_by)
        self.counts = [int(n) for n in state.n_cards[: state.players]]
        self.areas = state.slot_card.copy()
        self.top = int(state.discards[state.n_discards - 1])

    def check(self, state: Any, study: Study, events: list[dict[str, Any]]) -> None:
        self._one_pluck_and_its_powers(study, events)
        self._cards_paid(state, events)
        self._top_of_the_discards(state, study, events)
        self._shielded(state, events)

    def _one_pluck_and_its_powers(self, study: Study, events: list[dict[str, Any]]) -> None:
        """INV-3."""
        assert sum(event["event"] == "pluck" for event in events) <= 1
        family = {bird.id: bird.family for bird in study.deck.birds}
        powers = [event["card"] for event in events if event["event"] == "power"]
        assert len({family[card] for card in powers}) <= 1
        assert len(powers) <= (2 if study.rules.double_pluck_powers == "second_card" else 3)

    def _cards_paid(self, state: Any, events: list[dict[str, Any]]) -> None:
        """INV-4, INV-5."""
        counts = list(self.counts)
        for event in events:
            kind = event["event"]
            if kind == "pluck" and event["hit"]:
                assert counts[event["player"]] >= len(event["targets"])
                counts[event["player"]] -= len(event["targets"])
            elif kind == "penalty" and event["card"] is not None:
                counts[event["player"]] += 1
            elif kind == "add":
                assert event["to"] != event["player"]
                counts[event["to"]] += 1
        assert counts == [int(n) for n in state.n_cards[: state.players]]
        for seat, before in enumerate(self.counts):
            if before == 0 and counts[seat] > 0:
                assert any(event["event"] == "add" and event["to"] == seat for event in events)

    def _top_of_the_discards(self, state: Any, study: Study, events: list[dict[str, Any]]) -> None:
        """INV-2: the top changes by a discard, an elimination or a take, and by nothing else."""
        birds = [study.deck.birds[index].id for index in study.deck.cards]
        top = birds[self.top]
        for event in events:
            if event["event"] == "discard":
                top = event["card"]
            elif event["event"] == "replace":
                top = event["out"]
            elif event["event"] == "pluck" and event["hit"]:
                top = event["cards"][-1]
        assert birds[state.discards[state.n_discards - 1]] == top

    def _shielded(self, state: Any, events: list[dict[str, Any]]) -> None:
        """INV-8."""
        shield, declarer = self.shield, self.declarer
        touched = False
        for event in events:
            if event["event"] == "bao":
                declarer = event["player"]
            elif event["event"] == "shield":
                shield = True
            elif event["event"] == "final_phase":
                shield, declarer = False, NONE
            if declarer != NONE and changes(event, declarer):
                touched = True
                assert not shield or event["player"] == declarer, event
        if declarer != NONE and declarer == self.declarer and not touched:
            assert (self.areas[declarer] == state.slot_card[declarer]).all()


def changes(event: dict[str, Any], owner: int) -> bool:
    """Whether an event adds, eliminates, replaces, swaps or moves a card of a player."""
    kind = event["event"]
    if kind in ("replace", "penalty"):
        return event["player"] == owner
    if kind == "pluck":
        gives = bool(event["gifts"]) and event["player"] == owner
        return event["hit"] and (gives or any(target[0] == owner for target in event["targets"]))
    if kind == "swap":
        return owner in (event["a"][0], event["b"][0])
    if kind == "place":
        return event["target"][0] == owner
    return kind == "add" and event["to"] == owner


def check_round(study: Study, events: list[dict[str, Any]]) -> None:
    """INV-6 and INV-7, of one finished round."""
    players, end = events[0]["players"], events[-1]
    turns = [event["player"] for event in events if event["event"] == "turn"]
    assert turns == [(turns[0] + k) % players for k in range(len(turns))]
    assert end["turns"] == len(turns) <= study.rules.max_turns
    starts = [k for k, event in enumerate(events) if event["event"] in ("bao", "final_phase")]
    if starts and end["reason"] != "turn_cap":
        begun = [event["player"] for event in events[: starts[-1]] if event["event"] == "turn"][-1]
        after = [event["player"] for event in events[starts[-1] :] if event["event"] == "turn"]
        assert after == [(begun + k) % players for k in range(1, players)]
    assert (end["reason"] == "turn_cap") or starts
    negative_cards = sum(bird.copies for bird in study.deck.birds if bird.value < 0)
    assert sum(total < 0 for total in end["totals"]) <= negative_cards


def play_checked(study: Study, index: int = 0) -> Iterator[Any]:
    """Play one unit, everything checked after every step; yields the state after each."""
    state, table = new_state(), pack(study)
    decoder = Decoder(state, [study.deck.birds[index].id for index in study.deck.cards])
    seed = np.uint64(study.seed)
    start(state, table, index)
    state.log.on = 1
    events: list[dict[str, Any]] = []
    who = state.who.copy()
    while state.stage != Stage.DONE:
        if state.stage == Stage.DEAL:
            who = state.who.copy()
            advance(state, table, seed)
            events = [{**event, "players": int(state.players)} for event in decoder.drain()]
        else:
            turn = Turn(state)
            advance(state, table, seed)
            new = [event for event in decoder.drain() if event["event"] != "game_end"]
            turn.check(state, study, new)
            events += new
        assert state.fault == Fault.NONE
        check_state(state, table, who)
        if state.reason != RUNNING:
            check_round(study, events)
        yield state


@given(studies(), st.integers(0, 2**36 - 1))
@settings(max_examples=scaled(200, least=8))
def test_invariants_hold_after_every_step_of_a_round(study: Study, index: int) -> None:
    for state in play_checked(study, index):
        assert state.turn < study.rules.max_turns


@given(studies(games=True), st.integers(0, 2**36 - 1))
@settings(max_examples=scaled(40, least=3))
def test_invariants_hold_after_every_step_of_a_game(study: Study, index: int) -> None:
    for state in play_checked(study, index):
        assert state.rounds <= study.rules.max_rounds
        assert state.deciding_rounds <= study.rules.max_rounds


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("edition", ["second", "first"])
def test_at_most_one_negative_total_with_the_shipped_decks(players: int, edition: str) -> None:
    """INV-7, SCORE-5: a declarer with a negative total always succeeds."""
    table = ["random", "balanced", "gambler", "sharp", "rusher", "novice"][:players]
    study = Study.of(players=table, edition=edition, rounds=1, seed=7)
    for index in range(scaled(12)):
        for state in play_checked(study, index):
            if state.reason == RUNNING:
                continue
            negative = [seat for seat in range(players) if state.total[seat] < 0]
            assert len(negative) <= 1
            if state.bao_by >= 0 and negative == [state.bao_by]:
                assert state.score[negative[0]] == state.total[negative[0]]


# --- many cards before one player ---------------------------------------------------------------

CROWDED = {"bao": False, "recycle_limit": 0, "penalty_cards": 20, "hand_size": 1, "max_turns": 60}
COLLECTOR = {"kind": "random", "pluck_rate": 1.0, "double_rate": 0.0}
IDLER = {"kind": "random", "pluck_rate": 0.0, "keep_rate": 0.0, "take_rate": 0.0}


@pytest.mark.parametrize("edition", ["second", "first"])
@pytest.mark.parametrize("size", [66, 128])
def test_penalties_bring_nearly_all_cards_before_one_player(size: int, edition: str) -> None:
    """SIM-2: a deck without powers; one player misses and misses, the other only discards."""
    birds = {f"b{k}": {"value": k % 13, "copies": 1 + (size == 128)} for k in range(64)}
    birds["b0"]["copies"] += size - sum(bird["copies"] for bird in birds.values())
    most = 0
    for seed in range(3):
        study = Study.of(
            players=[COLLECTOR, IDLER],
            edition=edition,
            deck={"name": "many", "birds": birds},
            rules=CROWDED,
            rounds=1,
            seed=seed,
        )
        for state in play_checked(study):
            most = max(most, int(state.n_cards[0]))
    assert most >= size - 4


@pytest.mark.parametrize("size", [66, 128])
def test_nearly_all_cards_dealt(size: int) -> None:
    hand = 60 if size == 128 else 32
    study = Study.of(
        players=["random", "balanced"],
        deck={"base": "five_per_value", "birds": {"kiwi": {"value": 3, "copies": size - 66}}},
        rules={"hand_size": hand, "max_turns": 40},
        rounds=1,
    )
    steps = 0
    for state in play_checked(study):
        steps += 1
        assert int(state.n_cards[0]) + int(state.n_cards[1]) >= 2 * hand - 2 * steps
    assert steps > 2


def _scenario(folder: Path, text: str) -> Path:
    path = folder / "crowded.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _toml(cards: list[str]) -> str:
    return str(cards).replace("'", '"')


@pytest.mark.parametrize("cards", [65, 127])
def test_all_cards_but_the_top_discard_before_one_player(tmp_path: Path, cards: int) -> None:
    """SIM-2: seat 0 holds all but two; its miss puts one on the pile and costs it the other."""
    hand = ["bird_3"] * (cards - 1)
    after = _toml([*hand, "bird_4"])
    outcome = check(
        _scenario(
            tmp_path,
            f"""
            [start]
            hands = [{_toml(hand)}, ["-"]]
            draw_pile = ["bird_8"]
            discard_pile = ["bird_4"]
            [[move]]
            seat = 0
            do = "draw"
            [[move]]
            seat = 0
            do = "pluck"
            targets = [[0, {cards - 2}]]
            [[move]]
            seat = 1
            do = "draw"
            [[move]]
            seat = 0
            do = "take"
            slot = {cards - 1}
            [expect]
            hands = [{after.replace("bird_4", "bird_8")}, ["-"]]
            discard_pile = ["bird_4"]
            draw_pile = []
            recyclings = 1
            totals = [{3 * (cards - 1) + 8}, 0]
            """,
        )
    )
    assert outcome.ok, outcome.line()


@pytest.mark.parametrize(("used", "first_free"), [(64, 64), (65, 65), (66, 1), (70, 1)])
def test_first_edition_fills_holes_only_when_66_numbers_were_used(
    tmp_path: Path, used: int, first_free: int
) -> None:
    hand = ["bird_3"] + ["-"] * 2 + ["bird_3"] * 40 + ["-"] * (used - 43)
    after = hand + ["-"] * (first_free + 1 - used)
    after[first_free] = "bird_5"
    outcome = check(
        _scenario(
            tmp_path,
            f"""
            editions = ["first"]
            [start]
            hands = [{_toml(hand)}, ["bird_6"]]
            draw_pile = ["bird_8", "bird_5"]
            discard_pile = ["bird_4"]
            [[move]]
            seat = 0
            do = "draw"
            [[move]]
            seat = 0
            do = "pluck"
            targets = [[0, 0]]
            [expect]
            hands = [{_toml(after)}, ["bird_6"]]
            """,
        )
    )
    assert outcome.ok, outcome.line()


def test_slot_numbers_run_out_in_play() -> None:
    """First edition: cards come and go until all 66 numbers are used, then holes are filled."""
    used: Counter[int] = Counter()
    for seed in range(scaled(6, least=2)):
        study = Study.of(
            players=[
                {"kind": "random", "pluck_rate": 1, "double_rate": 1, "bao_rate": 0},
                {"kind": "random", "pluck_rate": 0.3, "bao_rate": 0},
            ],
            edition="first",
            deck={"birds": {"a": {"value": 1, "copies": 30}, "b": {"value": 2, "copies": 36}}},
            rules={"penalty_cards": 8, "recycle_limit": 0, "bao": False, "max_turns": 150},
            rounds=1,
            seed=seed,
        )
        for state in play_checked(study):
            used[max(int(n) for n in state.n_slots[:2])] += 1
    assert max(used) == 66
    assert used[66] > 10
