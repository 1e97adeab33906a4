"""Chunks, sums and games: whatever is counted adds up, and equals what traces show."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sim.batch.job import Job
from sim.batch.pack import pack
from sim.core.codes import KIND, RECORD_COLUMNS, Fault, Stage
from sim.core.layout import (
    BAO_BEATEN,
    BAO_CALLED,
    BAO_TIED,
    BAO_VOID,
    BAO_WON,
    GAME_COLUMNS,
    LOG_WORDS,
    ROUND_ROWS,
    TALLY,
    TURN_ROWS,
    WIN_UNITS,
    new_record,
    new_state,
)
from sim.engine.play import advance, play_chunk, play_rows, start
from sim.game.deck import POWERS
from sim.game.study import Study
from sim.watch.events import Decoder, EngineError
from sim.watch.trace import trace
from tests.support.chance import SCALE, scaled
from tests.support.play import play
from tests.support.studies import random_study

ROUNDS = scaled(600, least=25)
PLUCKS = ("own_hit", "rival_hit", "double_hit", "missed")
TABLES = {
    "two": Study.of(players="balanced,random", rounds=1, seed=2),
    "four": Study.of(players="balanced,gambler,random,rusher", rounds=1, seed=4),
    "six": Study.of(players="sharp,random,novice,random,rusher,gambler", rounds=1, seed=6),
    "first": Study.of(players="random,gambler,sharp", edition="first", rounds=1, seed=8),
    "capped": Study.of(players="turtle,random,turtle", rules={"max_turns": 25}, rounds=1, seed=9),
    "long": Study.of(players="turtle,turtle,novice", rounds=1, seed=9),
    "override": Study.of(
        players=[{"kind": "random", "bao_rate": 0.02}] * 3,
        rules={"recycle_limit": 1, "recycle_after_bao": "override"},
        rounds=1,
        seed=10,
    ),
}


def tallies_equal(a: Any, b: Any) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in TALLY.names)


# --- sums of rounds -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_sums_equal_what_the_records_say(name: str) -> None:
    played = play(TABLES[name], ROUNDS)
    tally, seats = played.tally, len(TABLES[name].players)
    per_round = played.per_round
    turns = per_round("turns")[:, 0]
    assert tally.rounds == ROUNDS
    assert np.array_equal(played.turns, np.bincount(turns, minlength=len(played.turns)))
    recyclings = np.bincount(per_round("recyclings")[:, 0], minlength=len(played.recyclings))
    assert np.array_equal(played.recyclings, recyclings)
    assert np.array_equal(tally.ends, np.bincount(per_round("end")[:, 0], minlength=3))
    for field in ("score", "total", "cards_left"):
        assert np.array_equal(getattr(tally, field)[:seats], per_round(field).sum(axis=0))
    squares = (per_round("score").astype(np.int64) ** 2).sum(axis=0)
    assert np.array_equal(tally.score_sq[:seats], squares)
    for kind, column in enumerate(PLUCKS + POWERS):
        assert np.array_equal(tally.count[:seats, kind], per_round(column).sum(axis=0))


@pytest.mark.parametrize("name", TABLES)
def test_wins_shares_and_ends_add_up(name: str) -> None:
    played = play(TABLES[name], ROUNDS)
    tally, seats = played.tally, len(TABLES[name].players)
    winner, scores = played.per_round("winner"), played.per_round("score")
    capped = played.per_round("end")[:, 0] == 2
    lowest = scores == scores.min(axis=1, keepdims=True)
    assert np.array_equal(winner.astype(bool), lowest & ~capped[:, None])
    assert tally.ends.sum() == ROUNDS
    assert played.turns.sum() == played.recyclings.sum() == ROUNDS
    number = winner.sum(axis=1)
    assert np.array_equal(tally.wins[:seats], (winner * (number == 1)[:, None]).sum(axis=0))
    assert np.array_equal(tally.shared[:seats], (winner * (number > 1)[:, None]).sum(axis=0))
    units = winner * (WIN_UNITS // np.maximum(number, 1))[:, None]
    assert np.array_equal(tally.share[:seats], units.sum(axis=0))
    assert np.array_equal(tally.share_sq[:seats], (units**2).sum(axis=0))
    assert tally.share.sum() == WIN_UNITS * (ROUNDS - tally.ends[2])
    assert tally.games == 0


@pytest.mark.parametrize("name", TABLES)
def test_calls_of_bao_add_up(name: str) -> None:
    played = play(TABLES[name], ROUNDS)
    tally, seats = played.tally, len(TABLES[name].players)
    outcome, scores = played.per_round("bao"), played.per_round("score")
    totals, ends = played.per_round("total"), played.per_round("end")
    assert ((outcome >= 0).sum(axis=1) <= 1).all()
    assert np.array_equal(tally.bao_called[:seats], (outcome >= 0).sum(axis=0))
    assert np.array_equal(tally.bao_won[:seats], (outcome == BAO_WON).sum(axis=0))
    counts = [int((outcome == kind).sum()) for kind in range(5)]
    assert counts[BAO_CALLED] == 0
    assert list(tally.bao[1:]) == counts[1:]
    assert tally.bao[BAO_CALLED] == tally.bao[1:].sum() == (outcome >= 0).sum()
    for row, seat in zip(*np.nonzero(outcome >= 0), strict=True):
        own, others = totals[row, seat], np.delete(totals[row], seat)
        right = {
            BAO_VOID: ends[row, seat] != 0,
            BAO_WON: own < others.min(),
            BAO_TIED: own == others.min(),
            BAO_BEATEN: own > others.min(),
        }[int(outcome[row, seat])]
        assert right
        if outcome[row, seat] in (BAO_TIED, BAO_BEATEN):
            assert scores[row, seat] == max(2 * own, 5)
        elif outcome[row, seat] == BAO_WON:
            assert scores[row, seat] == min(own, 0)
        else:
            assert scores[row, seat] == own
    plain = outcome < 0
    assert np.array_equal(scores[plain], totals[plain])


@pytest.mark.skipif(SCALE < 0.5, reason="needs some hundred rounds")
def test_every_end_and_outcome_has_come_up() -> None:
    """The sums above would be easy to get right if everything were zero."""
    ends, outcomes = np.zeros(3, np.int64), np.zeros(5, np.int64)
    for study in TABLES.values():
        tally = play(study, scaled(600)).tally
        ends += tally.ends
        outcomes += tally.bao
    assert (ends > 0).all()
    assert (outcomes > 0).all()


# --- chunks -------------------------------------------------------------------------------------


def empty_histograms(size: int) -> list[Any]:
    """Histograms as `play_chunk` takes them, of so many values."""
    shapes = [(TURN_ROWS, size), (size,), (ROUND_ROWS, size), (4, 2 * size + 1)]
    return [np.zeros(shape, np.int64) for shape in shapes]


def joined(study: Study, cuts: list[int]) -> tuple[Any, Any]:
    """Tally and records of a study played in pieces."""
    table, state, tally = pack(study), new_state(), new_record(TALLY)
    histograms = empty_histograms(200_000)
    pieces = []
    for begin, end in pairwise(cuts):
        rows = np.zeros(((end - begin) * 6 * 30, len(RECORD_COLUMNS)), np.int32)
        games = np.zeros((end - begin + 1, GAME_COLUMNS), np.int64)
        seed = np.uint64(study.seed)
        at, written = play_chunk(state, table, seed, begin, end, tally, *histograms, rows, games)
        assert at == end
        pieces.append(rows[:written].copy())
    return tally, np.concatenate(pieces)


@pytest.mark.parametrize("games", [False, True])
def test_sums_do_not_depend_on_the_cuts(games: bool) -> None:
    for number in range(scaled(20, least=2)):
        study = random_study(number, games=games)
        count = 7 if games else 30
        whole, rows = joined(study, [5, 5 + count])
        cut, pieces = joined(study, [5, 6, 6, 9, 5 + count])
        assert tallies_equal(whole, cut)
        assert np.array_equal(rows, pieces)
        fresh = [joined(study, [k, k + 1])[1] for k in range(5, 5 + count)]
        assert np.array_equal(rows, np.concatenate(fresh))


def test_without_records_the_sums_are_the_same() -> None:
    study = TABLES["four"]
    assert tallies_equal(play(study, 50).tally, play(study, 50, records=False).tally)


@pytest.mark.parametrize("games", [False, True])
def test_a_chunk_stops_before_its_records_overflow(games: bool) -> None:
    unit = {"games": 1} if games else {"rounds": 1}
    rules = {"max_rounds": 5, "game_threshold": 20}
    study = Study.of(players="rusher,gambler,random", rules=rules, seed=3, **unit)
    room = 3 * (5 if games else 1) * 4
    table, state, tally = pack(study), new_state(), new_record(TALLY)
    histograms = empty_histograms(20_000)
    rows = np.zeros((room, len(RECORD_COLUMNS)), np.int32)
    kept = np.zeros((50, GAME_COLUMNS), np.int64)
    at, written = play_chunk(state, table, np.uint64(3), 0, 50, tally, *histograms, rows, kept)
    assert 4 <= at < 50
    assert written <= room
    assert set(rows[:written, 0]) == set(range(at))
    if not games:
        assert (at, written) == (4, room)


def test_a_fault_stops_the_chunk_and_is_counted_nowhere() -> None:
    """A policy that does not answer: here a script without moves."""
    table, state, tally = pack(TABLES["two"]), new_state(), new_record(TALLY)
    table.policy[:] = KIND.scripted
    histograms = empty_histograms(2000)
    rows = np.zeros((0, len(RECORD_COLUMNS)), np.int32)
    games = np.zeros((1, GAME_COLUMNS), np.int64)
    at, written = play_chunk(state, table, np.uint64(1), 3, 9, tally, *histograms, rows, games)
    assert (at, written, int(tally.rounds)) == (3, 0, 0)
    assert state.fault == Fault.MISSING


# --- traces show what a batch plays -------------------------------------------------------------


@pytest.mark.parametrize("games", [False, True])
def test_traces_and_records_agree(games: bool) -> None:
    for number in range(scaled(60, least=3)):
        study = random_study(1000 + number, games=games)
        played = play(study, 3)
        for index in range(3):
            rounds = [list(group) for group in _rounds(trace(study, index).events)]
            mine = played.rows[played.column("index") == index]
            players = len(study.players)
            assert len(mine) == players * len(rounds)
            for number_in_game, events in enumerate(rounds):
                rows = mine[number_in_game * players : (number_in_game + 1) * players]
                _compare(rows, number_in_game, events)


def _rounds(events: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The rounds of a log, deciding rounds left out."""
    rounds: list[list[dict[str, Any]]] = []
    for event in events:
        if event["event"] == "deal":
            rounds.append([])
        rounds[-1].append(event)
    return [events for events in rounds if not events[0].get("deciding")]


def _compare(rows: Any, number: int, events: list[dict[str, Any]]) -> None:
    column = {name: rows[:, k].tolist() for k, name in enumerate(RECORD_COLUMNS)}
    end = next(event for event in events if event["event"] == "end")
    assert set(column["round"]) == {number}
    assert column["score"] == end["scores"]
    assert column["total"] == end["totals"]
    assert [seat for seat, won in enumerate(column["winner"]) if won] == end["winners"]
    assert set(column["turns"]) == {end["turns"]}
    assert column["first"].index(1) == events[0]["first"]
    recyclings = sum(event["event"] == "recycle" for event in events)
    assert set(column["recyclings"]) == {recyclings}
    missed = Counter(
        event["player"] for event in events if event["event"] == "pluck" and not event["hit"]
    )
    assert column["missed"] == [missed[seat] for seat in range(len(rows))]
    callers = [event["player"] for event in events if event["event"] == "bao"]
    assert [seat for seat, outcome in enumerate(column["bao"]) if outcome >= 0] == callers
    cards = [sum(card is not None for card in hand) for hand in end["hands"]]
    assert column["cards_left"] == cards


# --- games --------------------------------------------------------------------------------------


def game_study(**changes: Any) -> Study:
    rules = {"game_threshold": 40, "max_rounds": 60, **changes.pop("rules", {})}
    players = changes.pop("players", "rusher,gambler,sharp,balanced")
    return Study.of(players=players, games=1, seed=5, rules=rules, **changes)


def test_sums_of_games_equal_what_traces_say() -> None:
    flat = {"birds": {"kiwi": {"value": 2, "copies": 60}}}  # cards alike: ties
    for study in (
        game_study(),
        game_study(deck=flat, rules={"max_rounds": 3}, players="turtle,turtle"),
    ):
        count = scaled(60, least=8)
        played = play(study, count)
        ends = [trace(study, index).events[-1] for index in range(count)]
        tally = played.tally
        assert tally.games == count
        reasons = Counter(end["reason"] for end in ends)
        names = ("threshold", "max_rounds", "tie_break_cap")
        assert list(tally.game_ends) == [reasons[name] for name in names]
        wins = Counter(end["winner"] for end in ends if end["winner"] is not None)
        players = range(len(study.players))
        assert [int(tally.wins[player]) for player in players] == [wins[k] for k in players]
        assert tally.share.sum() == WIN_UNITS * wins.total()
        assert tally.shared.sum() == 0
        rounds = np.array([end["rounds"] for end in ends])
        assert tally.rounds == rounds.sum() == tally.ends.sum()
        assert np.array_equal(
            played.game_rounds, np.bincount(rounds, minlength=len(played.game_rounds))
        )
        sums = np.array([end["sums"] for end in ends])
        assert np.array_equal(tally.score[: len(players)], sums.sum(axis=0))
        assert np.array_equal(tally.game_score_sq[: len(players)], (sums**2).sum(axis=0))
        assert np.array_equal(
            tally.game_score_rounds[: len(players)], (sums * rounds[:, None]).sum(axis=0)
        )
        deciding = [end["deciding_rounds"] for end in ends]
        assert tally.deciding_rounds == sum(deciding)
        assert tally.decided == sum(number > 0 for number in deciding)


def test_ties_are_decided_by_those_alone_who_are_equal() -> None:
    """GAME-4: a deck of equal cards and players who never pluck: all tie, again and again."""
    study = Study.of(
        players=[{"kind": "random", "pluck_rate": 0, "bao_rate": 0}] * 3,
        deck={"birds": {"kiwi": {"value": 2, "copies": 40}}},
        rules={"game_threshold": 8, "max_rounds": 4},
        games=1,
    )
    events = trace(study).events
    deals = [event for event in events if event["event"] == "deal"]
    assert [deal.get("deciding", False) for deal in deals] == [False] + [True] * 4
    assert deals[1]["seats"] == [0, 1, 2]
    assert events[-1] == {
        "event": "game_end",
        "reason": "tie_break_cap",
        "sums": [8, 8, 8],
        "winner": None,
        "rounds": 1,
        "deciding_rounds": 4,
    }


def test_a_capped_deciding_round_is_played_again() -> None:
    """SIM-1: rounds stopped at one turn decide nothing."""
    study = Study.of(
        players=[{"kind": "random", "pluck_rate": 0, "bao_rate": 0}] * 2,
        deck={"birds": {"kiwi": {"value": 2, "copies": 40}}},
        rules={"game_threshold": 8, "max_rounds": 3, "max_turns": 1},
        games=1,
    )
    end = trace(study).events[-1]
    assert (end["reason"], end["deciding_rounds"]) == ("tie_break_cap", 3)


# --- faults and the log -------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 6, 9, 12, 16, 20])
def test_a_full_log_is_reported(room: int) -> None:
    """Nothing of a turn is lost silently."""
    study = Study.of(
        players=[{"kind": "random", "pluck_rate": 1.0}] * 3,
        deck={"birds": {"a": {"value": 1, "copies": 9}, "b": {"value": 2, "copies": 8}}},
        rules={"bao": False, "recycle_limit": 0, "max_turns": 30},
        rounds=1,
        seed=1,
    )
    state, table = new_state(), pack(study)
    decoder = Decoder(state, ["a"] * 9 + ["b"] * 8)
    start(state, table, 0)
    state.log.on = 1
    full = 0
    while state.stage != Stage.DONE:
        state.log.used = LOG_WORDS - room
        advance(state, table, np.uint64(1))
        assert state.log.used <= LOG_WORDS
        full += int(state.log.full)
        if state.log.full:
            with pytest.raises(EngineError, match="the event log is full"):
                list(decoder.drain())
        state.log.full = 0
    assert full > 0


def test_numbers_beyond_16_bits_are_logged() -> None:
    study = Study.of(
        players="random,random",
        deck={"birds": {"a": {"value": 99, "copies": 5, "power": "shoebill"}}},
        rules={"bao": False, "recycle_limit": 0, "max_turns": 100_000, "hand_size": 1},
        rounds=1,
    )
    state, table = new_state(), pack(study)
    decoder = Decoder(state, ["a"] * 5)
    start(state, table, 0)
    state.log.on = 1
    advance(state, table, np.uint64(1))
    list(decoder.drain())
    state.turn, state.recyclings = 70_000, 2_000_000
    events = []
    for _ in range(20):
        advance(state, table, np.uint64(1))
        events += decoder.drain()
    turns = [event["turn"] for event in events if event["event"] == "turn"]
    assert turns == list(range(70_001, 70_021))
    recycled = [event["count"] for event in events if event["event"] == "recycle"]
    assert recycled
    assert recycled == list(range(2_000_001, 2_000_001 + len(recycled)))


def test_estimates_of_any_size_are_told() -> None:
    deck = {"birds": {"a": {"value": 99, "copies": 50}, "b": {"value": 98, "copies": 50}}}
    rules = {"hand_size": 20, "peeks": 20, "bao_failure_factor": 100}
    study = Study.of(players="balanced,balanced", deck=deck, rules=rules, rounds=1)
    told = [event for event in trace(study, 0, explain=True).events if event["event"] == "why"]
    totals = [e["estimates"]["own_total"] for e in told if e["question"] == "bao"]
    assert totals
    assert max(totals) > 1700


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["rounds", "games"])
def test_rows_are_what_each_unit_adds(unit: str) -> None:
    count = scaled(30, least=3)
    study = Study.of(players="balanced,random,sharp", seed=11, **{unit: count})
    whole = play(study, count, begin=5)
    job, state, tally = Job.of(study), new_state(), np.zeros(1, TALLY)
    columns = np.arange(len(tally.view(np.int64)))
    rows = np.zeros((count, len(columns) + 3), np.int64)
    units = study.rules.max_rounds if study.games else 1
    end = play_rows(
        state,
        job.table,
        np.uint64(study.seed),
        5,
        5 + count,
        tally.view(np.recarray)[0],
        tally.view(np.int64),
        columns,
        np.zeros_like(columns),
        rows,
        *job.histograms().values(),
        np.zeros((3 * units, len(RECORD_COLUMNS)), np.int32),
        np.zeros((count, GAME_COLUMNS), np.int64),
    )
    assert end == 5 + count
    assert tally[0] == whole.tally
    assert (rows[:, :-3].sum(axis=0) == tally.view(np.int64)).all()
    first = whole.column("seat") == 0
    of = whole.column("index")[first] - 5
    turns, recyclings = (whole.column(name)[first] for name in ("turns", "recyclings"))
    assert (rows[:, -3] == np.bincount(of, turns, count)).all()
    assert (rows[:, -2] == np.bincount(of, turns**2, count)).all()
    assert (rows[:, -1] == np.bincount(of, recyclings, count)).all()
    alone = [play(study, 1, begin=5 + k) for k in range(3)]
    for k, one in enumerate(alone):
        assert (rows[k, :-3] == np.array([one.tally], TALLY).view(np.int64)).all()
