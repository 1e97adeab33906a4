"""Every rule option changes something, and in the right direction, on the same deals.

A new option without a case here, or a scenario, fails `test_every_option_has_a_case`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sim.game.rules import EDITIONS, Rules
from sim.game.study import Study
from sim.watch.scenario import Scenario
from tests.support.chance import SCALE, scaled
from tests.support.play import Events, logs, number

pytestmark = pytest.mark.jit  # directions need many rounds

SCENARIOS = (Path(__file__).parents[1] / "scenarios").glob("*.toml")

Measure = Callable[[list[Events]], float]

DICE = {"kind": "random", "bao_rate": 0.05, "pluck_rate": 0.4, "double_rate": 0.5}
LONG = DICE | {"bao_rate": 0.0}
CALLER = DICE | {"bao_rate": 0.5}

OWLS = {"birds": {"owl": {"value": 1, "power": "swap", "copies": 60}}}
SHOEBILLS = {"birds": {"shoe": {"value": 1, "power": "shoebill", "copies": 60}}}
TWINS = {"birds": {"a": {"value": 3, "copies": 30}, "b": {"value": 4, "copies": 30}}}
POWERS = {
    "birds": {
        "a": {"value": 3, "power": "look", "copies": 30},
        "b": {"value": 4, "power": "show", "copies": 30},
    }
}


# --- measures -----------------------------------------------------------------------------------


def count_of(kind: str, **fields: Any) -> Measure:
    return lambda rounds: number(rounds, kind, **fields)


def cards_left(rounds: list[Events]) -> float:
    hands = [hand for events in rounds for hand in events[-1]["hands"]]
    return sum(card is not None for hand in hands for card in hand)


def slots_used(rounds: list[Events]) -> float:
    return sum(len(hand) for events in rounds for hand in events[-1]["hands"])


def cards_dealt(rounds: list[Events]) -> float:
    return sum(len(hand) for events in rounds for hand in events[0]["hands"])


def peeks(rounds: list[Events]) -> float:
    return sum(len(slots) for events in rounds for slots in events[0]["peeks"])


def points(rounds: list[Events]) -> float:
    return sum(sum(events[-1]["scores"]) for events in rounds)


def turns(rounds: list[Events]) -> float:
    return number(rounds, "turn")


def own_hits(rounds: list[Events]) -> float:
    return _hits(rounds, lambda seat, owner: owner == seat)


def rival_hits(rounds: list[Events]) -> float:
    return _hits(rounds, lambda seat, owner: owner != seat)


def _hits(rounds: list[Events], whose: Callable[[int, int], bool]) -> int:
    return sum(
        event["event"] == "pluck" and event["hit"] and whose(event["player"], target[0])
        for events in rounds
        for event in events
        for target in event.get("targets", [])
    )


def doubles(rounds: list[Events]) -> float:
    plucks = (event for events in rounds for event in events if event["event"] == "pluck")
    return sum(len(event["targets"]) == 2 for event in plucks)


def window_doubles(rounds: list[Events]) -> float:
    windows = [[e for e in events if e.get("from") == "window"] for events in rounds]
    return doubles(windows)


def powers_by_doubles(rounds: list[Events]) -> float:
    """Powers of a plucker, for each double hit."""
    found, hits = 0, 0
    for turn in turns_of(rounds):
        double = [e for e in turn if e["event"] == "pluck" and e["hit"] and len(e["targets"]) == 2]
        if double:
            hits += 1
            found += sum(e["event"] == "power" and e["trigger"] != "discard" for e in turn)
    return found / hits


def turns_of(rounds: list[Events]) -> list[Events]:
    found: list[Events] = []
    for events in rounds:
        for event in events:
            if event["event"] == "turn":
                found.append([])
            elif found and event["event"] not in ("deal", "end", "game_end"):
                found[-1].append(event)
    return found


def active_first(rounds: list[Events]) -> float:
    """Turns with powers of two players in which the discard's own power came first."""
    found = 0
    for turn in turns_of(rounds):
        triggers = [event["trigger"] for event in turn if event["event"] == "power"]
        found += len(set(triggers)) == 2 and triggers[0] == "discard"
    return found


def moved_twice(rounds: list[Events]) -> float:
    """How often a power moved a card that a power of the same turn had moved already."""
    found = 0
    for turn in turns_of(rounds):
        moved: set[tuple[int, int]] = set()
        for event in turn:
            if event["event"] == "swap":
                places = [tuple(event["a"]), tuple(event["b"])]
            elif event["event"] == "place":
                places = [tuple(event["target"])]
            else:
                continue
            found += sum(place in moved for place in places)
            moved.update(places)
    return found


def changes_behind_bao(rounds: list[Events]) -> float:
    """Changes of a declarer's cards by opponents."""
    found = 0
    for events in rounds:
        declarer = None
        for event in events:
            if event["event"] == "bao":
                declarer = event["player"]
            elif declarer is None or event.get("player") == declarer:
                continue
            elif event["event"] == "pluck" and event["hit"]:
                found += any(target[0] == declarer for target in event["targets"])
            elif event["event"] == "swap":
                found += declarer in (event["a"][0], event["b"][0])
            elif event["event"] == "place":
                found += event["target"][0] == declarer
            elif event["event"] == "add":
                found += event["to"] == declarer
    return found


def rounds_of_games(rounds: list[Events]) -> float:
    return sum(events[-1]["rounds"] for events in rounds)


def follows(rule: str) -> Measure:
    """The share of later rounds begun by whom an option names."""

    def measure(games: list[Events]) -> float:
        right, all_of_them = 0, 0
        for events in games:
            deals = [e for e in events if e["event"] == "deal" and not e.get("deciding")]
            ends = [e for e in events if e["event"] == "end"][: len(deals)]
            for (before, after), end in zip(pairwise(deals), ends, strict=False):
                players, first = before["players"], before["first"]
                order = [(first + k) % players for k in range(players)]
                named = {
                    "highest_score": max(order, key=lambda seat: end["scores"][seat]),
                    "rotate": order[1],
                }[rule]
                right += after["first"] == named
                all_of_them += 1
        return right / all_of_them

    return measure


# --- cases --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """Settings of one option, in the order in which a measure must grow with them."""

    option: str
    settings: tuple[Any, ...]
    measure: Measure
    players: tuple[Any, ...] = (DICE, DICE, DICE)
    rules: dict[str, Any] = field(default_factory=dict)
    deck: Any = "five_per_value"
    games: bool = False
    first_is_zero: bool = False
    count: int = 40
    many: bool = False  # too noisy for a run at a small scale


CASES = [
    Case("hand_size", (2, 4, 7), cards_dealt),
    Case("hand_size", (2, 4, 7), cards_left),
    Case("peeks", (0, 1, 2, 4), peeks, first_is_zero=True),
    Case("peeks", (4, 0), points, players=("balanced",) * 3, count=150, many=True),
    Case("first_player", ("rotate", "highest_score"), follows("highest_score"), games=True),
    Case("first_player", ("random", "highest_score"), follows("highest_score"), games=True),
    Case("first_player", ("highest_score", "rotate"), follows("rotate"), games=True),
    Case("first_player", ("random", "rotate"), follows("rotate"), games=True),
    Case("take_discard", (False, True), count_of("take"), first_is_zero=True),
    Case("plucks", ("none", "own_only"), own_hits, deck=TWINS, first_is_zero=True),
    Case("plucks", ("own_only", "all"), rival_hits, deck=TWINS, first_is_zero=True),
    Case("double_pluck", ("none", "own_draw_own_cards", "any"), doubles, first_is_zero=True),
    Case("double_pluck", ("own_draw_own_cards", "any"), window_doubles, first_is_zero=True),
    Case("double_pluck_powers", ("second_card", "all"), powers_by_doubles, deck=POWERS),
    Case("penalty_cards", (0, 1, 3), cards_left),
    Case("penalty_cards", (0, 1, 3), count_of("penalty"), first_is_zero=True),
    Case("added_card_slot", ("fill_empty", "new"), slots_used, deck=TWINS),
    Case(
        "window_power_order",
        ("plucker_first", "active_first"),
        active_first,
        deck=POWERS,
        first_is_zero=True,
    ),
    Case("powers_optional", (True, False), count_of("power")),
    Case("move_lock", ("turn", "pluck", "none"), moved_twice, deck=OWLS, first_is_zero=True),
    Case(
        "shoebill_locks",
        (True, False),
        moved_twice,
        deck=SHOEBILLS,
        rules={"move_lock": "turn"},
        first_is_zero=True,
    ),
    Case("bao", (False, True), count_of("bao"), first_is_zero=True),
    Case(
        "shield",
        ("at_once", "after_first_change", "none"),
        changes_behind_bao,
        players=(CALLER,) * 4,
        deck=TWINS,
        first_is_zero=True,
        count=120,
    ),
    Case("bao_success", ("zero", "total"), points, players=("rusher",) * 3),
    Case("bao_failure_factor", (1, 2, 3), points, players=(CALLER,) * 3),
    Case("bao_failure_minimum", (0, 60, 200), points, players=(CALLER,) * 3),
    Case(
        "recycle_limit",
        (0, 2, 1),
        count_of("final_phase"),
        players=(DICE | {"bao_rate": 0.01},) * 3,
    ),
    Case("recycle_limit", (1, 2, 4), turns, players=(LONG,) * 3),
    Case(
        "recycle_after_bao",
        ("ignore", "override"),
        count_of("end", reason="second_recycling"),
        rules={"recycle_limit": 1, "hand_size": 11},
        players=(DICE | {"bao_rate": 0.15},) * 5,
    ),
    Case("game_threshold", (20, 60, 200), rounds_of_games, games=True, count=30),
    Case("max_turns", (200, 20, 3), count_of("end", reason="turn_cap")),
    Case(
        "max_rounds",
        (30, 6, 1),
        count_of("game_end", reason="max_rounds"),
        games=True,
        rules={"game_threshold": 400},
        count=20,
    ),
]


def study(case: Case, edition: str, setting: Any) -> Study:
    rules = {"max_turns": 200, "max_rounds": 30} | case.rules | {case.option: setting}
    return Study.of(
        players=list(case.players),
        edition=edition,
        deck=case.deck,
        rules=rules,
        seed=13,
        **({"games": 1} if case.games else {"rounds": 1}),
    )


def test_every_option_has_a_case() -> None:
    covered: dict[str, set[Any]] = {}
    for case in CASES:
        covered.setdefault(case.option, set()).update(case.settings)
    options = {spec["name"]: spec for spec in Rules.options()}
    for path in SCENARIOS:
        for name, value in Scenario.from_file(path).options.items():
            if options[name]["type"] in ("choice", "boolean"):  # what it is else, others show
                covered.setdefault(name, {options[name]["default"]}).add(value)
    for name, spec in options.items():
        assert name in covered
        if spec["type"] == "choice":
            assert covered[name] == set(spec["choices"])
        elif spec["type"] == "boolean":
            assert covered[name] == {False, True}
    assert set(covered) == {spec["name"] for spec in Rules.options()}


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.option}-{case.settings[-1]}")
def test_option_changes_something_in_the_right_direction(case: Case, edition: str) -> None:
    if case.many and SCALE < 1:
        pytest.skip("needs some hundred rounds")
    count = scaled(case.count, least=case.count // 3)
    settings = case.settings if SCALE >= 1 else (case.settings[0], case.settings[-1])
    found = [case.measure(logs(study(case, edition, value), count)) for value in settings]
    assert all(before < after for before, after in pairwise(found)), found
    if case.first_is_zero:
        assert found[0] == 0


def test_the_same_deals_are_compared() -> None:
    """Common random numbers: an option that leaves the deal alone leaves it alone."""
    for case in CASES:
        if case.games or case.option in ("hand_size", "peeks"):
            continue
        deals = [logs(study(case, "second", value), 2) for value in case.settings]
        for other in deals[1:]:
            for mine, theirs in zip(deals[0], other, strict=True):
                for key in ("hands", "draw_pile", "discard_pile", "first"):
                    assert mine[0][key] == theirs[0][key]
