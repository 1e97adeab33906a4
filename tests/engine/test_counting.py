"""What is counted for designers: counted again from event logs, and by hand in small cases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim import Study, run, trace
from sim.batch.job import Job
from sim.core.codes import Ask, Power
from sim.core.jit import COMPILED
from sim.core.layout import (
    BY_DISCARD,
    CHANCE_OWN,
    CHANCE_RIVAL,
    DETAILS,
    DRAW_CHANCE,
    FROM_WINDOW,
    PLUCK_OWN,
    PLUCK_TRIED,
    POWER_BY,
    SHIELD_RAISED,
    TALLY,
    WINDOW_CHANCE,
    new_record,
    new_state,
)
from sim.engine import pluck
from sim.engine.play import play_chunk
from sim.game.deck import POWERS
from sim.watch.scenario import Scenario, _Table
from tests.support.chance import SCALE, scaled
from tests.support.recount import recount
from tests.support.studies import random_study

_SKIPPED = ("sd", "min", "max", "median", "mean_ci95")
GROUPS = ("positions", "by_end", "calls", "leads", "windows", "shields", "birds", "power_swing")


def differences(found: Any, again: Any, path: str = "") -> list[str]:
    """Return where a part of a summary is not what was counted again; nothing may be missing."""
    if isinstance(found, dict):
        keys = {key for key in found if not key.endswith("_ci95")}
        if "histogram" in found:
            keys = {"mean", "histogram"}
        if keys != set(again):
            return [f"{path}: {sorted(keys ^ set(again))}"]
        inner = [(found[key], again[key], f"{path}.{key}") for key in sorted(keys)]
        return [text for entry in inner for text in differences(*entry)]
    if isinstance(found, list) and found and isinstance(found[0], dict):
        pairs = zip(found, again, strict=True)
        return [text for k, p in enumerate(pairs) for text in differences(*p, f"{path}[{k}]")]
    if isinstance(found, float):
        same = again is not None and found == pytest.approx(again, rel=1e-12, abs=1e-12)
    else:
        same = found == again
    return [] if same else [f"{path}: {found}, counted again {again}"]


def compare(study: Study) -> dict[str, Any]:
    """Return the summary of a study, which must be what its event logs say."""
    summary = run(study, progress=False).summary()
    again = recount(study, [trace(study, index).events for index in range(study.count)])
    for group in (*GROUPS, "recyclings", "comebacks"):
        assert differences(summary[group], again[group], group) == []
    swings = [bird["dealt"] for bird in summary["birds"]] + list(summary["power_swing"].values())
    intervals = again["bird_intervals"] + again["power_intervals"]
    for k, (found, ends) in enumerate(zip(swings, intervals, strict=True)):
        known = None if study.games else ends
        assert found["swing_ci95"] == ([None, None] if known is None else pytest.approx(known)), k
    if study.games:
        assert summary["game"]["turns"]["mean"] == pytest.approx(again["game"]["turns"]["mean"])
    for seat, player in enumerate(again["players"]):
        mine = {key: summary["players"][seat][key] for key in player}
        assert differences(mine, player, f"players[{seat}]") == []
    return summary


PLAYERS = ("balanced", "gambler", "sharp", "rusher", "novice", "elephant", "turtle", "cautious")
TABLES = [
    (players, edition, games)
    for players in range(2, 7)
    for edition in ("second", "first")
    for games in (False, True)
]


@pytest.mark.parametrize(("players", "edition", "games"), TABLES)
def test_sums_are_what_event_logs_say(players: int, edition: str, games: bool) -> None:
    r = random.Random(10 * players + games)
    units = {"games": scaled(6, least=1)} if games else {"rounds": scaled(60, least=3)}
    names = [*r.sample(PLAYERS, players - 1), "random"]
    compare(Study.of(players=names, edition=edition, seed=players, **units))


@pytest.mark.parametrize("games", [False, True])
def test_sums_are_what_event_logs_say_of_wild_studies(games: bool) -> None:
    """Any options, tiny decks, random moves; in so many of them everything comes up."""
    counts: Counter[str] = Counter()
    for number in range(scaled(120, least=6)):
        wild = random_study(5000 + number, games=games)
        for path, count in counted(compare(wild.with_changes(**UNITS[games]))):
            counts[path] += count
    if SCALE >= 0.5:
        missing = {path for path, count in counts.items() if count == 0}
        assert missing <= RARE | ({"players.shared_wins"} if games else set())


def extreme_study(seed: int, games: bool) -> Study:
    """A study at the ends of what options and decks allow; of few turns, as they are recounted."""
    r = random.Random(seed)
    players = r.randint(2, 6)
    hand = r.choice([1, min(60, 126 // players)])
    deck: dict[str, Any] = {}
    size = r.randint(players * hand + 2, 128)
    for number in range(r.choice([2, 5, 64])):
        last = number == 63 or r.random() < 0.1
        copies = min(size if last else r.randint(1, 60), size)
        value = r.choice([99, 99, 98, 1, 0, -99])
        deck[f"b{number}"] = {"value": value, "copies": copies, "power": r.choice(["", *POWERS])}
        size -= copies
    deck["rest"] = {"value": r.choice([-99, 99]), "copies": size}
    rules = {
        "hand_size": hand,
        "peeks": r.choice([0, 66]),
        "penalty_cards": r.choice([0, 20]),
        "bao_failure_factor": r.choice([1, 100]),
        "bao_failure_minimum": r.choice([0, 1000]),
        "recycle_limit": r.choice([0, 1, 1000]),
        "game_threshold": r.choice([1, 3000, 30_000, 1_000_000]),
        "max_turns": r.choice([1, 2, 60]),
        "max_rounds": r.choice([1, 20]),
        "double_pluck_powers": r.choice(["second_card", "all"]),
        "bao_success": r.choice(["zero", "total"]),
    }
    callers = [{"kind": "random", "bao_rate": rate, "pluck_rate": 0.5} for rate in (0.02, 0.3, 1)]
    names = [r.choice([*callers, "gambler", "rusher"]) for _ in range(players)]
    return Study.of(players=names, deck={"birds": deck}, rules=rules, seed=seed, **UNITS[games])


@pytest.mark.parametrize("games", [False, True])
def test_nothing_is_cut_off_at_the_ends_of_options_and_decks(games: bool) -> None:
    """Every array is as long as deck and rules can make it, or counts what is beyond one."""
    totals: Counter[int] = Counter()
    deficits = 0
    for number in range(scaled(40, least=4)):
        summary = compare(extreme_study(number, games))
        calls = summary["calls"]
        totals.update(dict(calls["total"]["histogram"]))
        means = [(seat["bao_called"], seat["calls"]["total_mean"]) for seat in summary["players"]]
        of_seats = sum(count * mean for count, mean in means if count)
        assert of_seats == pytest.approx(calls["called"] * (calls["total"]["mean"] or 0))
        deficits = max(
            deficits, (summary["comebacks"] or {"deficit": {}})["deficit"].get("max") or 0
        )
    if SCALE >= 0.5:
        assert min(totals) < -1000
        assert max(totals) > 4000
        assert not games or deficits > 3000


def test_a_deficit_beyond_any_array_is_counted() -> None:
    """Sums may fall below 0, so who wins may have been farther behind than the threshold."""
    deck = {"birds": {"low": {"value": -99, "copies": 64}, "high": {"value": 99, "copies": 64}}}
    rules = {"hand_size": 60, "game_threshold": 100_000, "max_rounds": 100, "max_turns": 4}
    rules |= {"bao_failure_factor": 100}
    caller = {"kind": "random", "bao_rate": 0.3}
    given = Study.of(players=[caller] * 2, deck=deck, rules=rules, games=60, seed=3)
    found = run(given, progress=False).summary()["comebacks"]
    logs = [trace(given, index).events for index in range(given.count)]
    assert differences(found, recount(given, logs)["comebacks"]) == []
    assert found["deficit"]["max"] > given.rules.game_threshold[2]


UNITS: dict[bool, dict[str, Any]] = {False: {"rounds": 6}, True: {"games": 3}}
RARE = {f"players.power_triggers.{power}.no_effect" for power in ("look", "show", "macaw")}
"""Where nobody has a card left, or only one player has. Wins of games are never shared (GAME-4)."""


def counted(part: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield the path of every count and the count; those of seats one after the other."""
    if isinstance(part, dict) and "histogram" not in part:
        for key, value in part.items():
            if path or key in (*GROUPS, "players"):
                yield from counted(value, f"{path}.{key}".lstrip("."))
    elif isinstance(part, list):
        for entry in part:
            if isinstance(entry, dict):
                yield from counted(entry, path)
    elif isinstance(part, int):
        yield path, part


# --- by hand --------------------------------------------------------------------------------------


SCENARIO = """
title = "a pluck, a call, a Shield"
rules = ["PLUCK-4", "BAO-1", "SHIELD-1"]
editions = ["second"]

[start]
hands = [["bird_3", "bird_9"], ["bird_8", "bird_2"], ["bird_8", "bird_4"]]
draw_pile = ["bird_8", "bird_5", "bird_9", "barn_owl", "bird_1"]
discard_pile = ["bird_6"]
active = 0
knows = [[0, 1, 0], [1, 1, 0], [2, 2, 0]]

[[move]]
seat = 0
do = "draw"
[[move]]
seat = 0
do = "discard"
[[move]]
seat = 1
do = "pluck"
targets = [[1, 0]]

[[move]]
seat = 1
do = "draw"
[[move]]
seat = 1
do = "discard"
[[move]]
seat = 1
do = "bao"

[[move]]
seat = 2
do = "draw"
[[move]]
seat = 2
do = "discard"

[[move]]
seat = 0
do = "draw"
[[move]]
seat = 0
do = "discard"
[[move]]
seat = 0
do = "swap"
a = [0, 0]
b = [1, 1]

[expect]
end = "bao"
totals = [11, 3, 12]
"""


def test_a_round_counted_by_hand(tmp_path: Path) -> None:
    """Seat 0 draws an 8 that it could pluck from seat 1; both others know an own 8 in the window.

    Seat 1 plucks its own, is alone lowest, and calls on a 2 that it has never seen. Nobody knows
    a 9. Seat 0's Barn Owl raises the Shield.
    """
    path = tmp_path / "counted.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    played = _Table(Scenario.from_file(path), "second")
    assert played.play() is None
    state = played.state
    detail = {
        (seat, kind): int(state.detail[seat, kind])
        for seat in range(3)
        for kind in range(DETAILS)
        if state.detail[seat, kind]
    }
    own = WINDOW_CHANCE + 3 * CHANCE_OWN  # chances, tried, gone
    assert detail == {
        (0, DRAW_CHANCE + 2 * CHANCE_RIVAL): 1,
        (1, own): 1,
        (1, own + 1): 1,
        (2, own): 1,
        (2, own + 2): 1,
        (1, PLUCK_TRIED + (3 * FROM_WINDOW + PLUCK_OWN) * 2 + 1): 1,
        (0, POWER_BY + 3 * Power.SWAP + BY_DISCARD): 1,
        (1, SHIELD_RAISED): 1,
    }
    windows = {"opened": 4, "with_chance": 1, "plucked": 1, "left": 0, "raced": 0}
    assert state.windows.tolist() == list(windows.values())
    assert (state.call_turn, state.call_total, state.call_unknown) == (2, 2, 1)
    assert state.call_lowest == 1
    assert state.led_turns[:3].tolist() == [0, 4, 0]
    assert state.led_at[:3].tolist() == [0, 4, 0]
    assert state.lead_changes == 0


def test_counting_can_be_left_out_and_changes_nothing_else() -> None:
    study = Study.of(players="balanced,gambler,random", games=20, seed=5)
    job = Job.of(study, records=True)
    rows = []
    for counting in (1, 0):
        state, tally, histograms = new_state(), new_record(TALLY), job.histograms()
        state.counting = counting
        buffer = job.rows(20)
        arrays = [*histograms.values(), buffer, job.games(20)]
        end, written = play_chunk(state, job.table, np.uint64(5), 0, 20, tally, *arrays)
        assert end == 20
        rows.append(buffer[:written, :12].copy())
        assert bool(tally.rounds) == bool(counting)
    assert np.array_equal(*rows)


def test_claims_are_those_that_seats_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the compiler, questions and answers can be watched: every claim, lost ones too."""
    if COMPILED:
        pytest.skip("needs NUMBA_DISABLE_JIT=1")
    made: list[int] = []
    ask = pluck.ask

    def watched(state: Any, table: Any, seat: int, question: int) -> int:
        answer: int = ask(state, table, seat, question)
        if question == Ask.CLAIM and state.answer[1] > 0:
            made.append(int(seat))
        return answer

    monkeypatch.setattr(pluck, "ask", watched)
    for index in range(6):
        made.clear()
        players = "gambler,sharp,random,balanced"
        log = trace(Study.of(players=players, rounds=6, seed=2), index).events
        plucks = [event for event in log if event["event"] == "pluck" and "claims" in event]
        claims = Counter(seat for event in plucks for seat in event["claims"])
        assert Counter(made) == claims
