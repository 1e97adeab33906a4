"""Every parameter of a player changes how it plays, in the direction that its description says.

Seat 0 is moved, the others stay as they are, and the deals are the same. A new parameter
without a case here fails `test_every_parameter_has_a_case`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from sim.core.layout import DOUBLE_HIT, MISSED, OWN_HIT, RIVAL_HIT
from sim.game.players import KINDS
from sim.game.study import Study
from tests.support.chance import SCALE, scaled
from tests.support.play import Events, logs, number, play

pytestmark = pytest.mark.jit  # directions need many rounds

Measure = Callable[[Study, int], float]

#: Few families of low and high cards, so that a card often matches what a player knows.
FLOCKS = {
    "birds": {
        "wren": {"value": 2, "copies": 16},
        "robin": {"value": 5, "copies": 16},
        "crane": {"value": 9, "copies": 16},
        "heron": {"value": 12, "copies": 16},
    }
}


def with_power(power: str) -> dict[str, Any]:
    """The same flocks, half of the cards with one power."""
    birds = {name: dict(bird) for name, bird in FLOCKS["birds"].items()}
    for name in ("robin", "heron"):
        birds[name]["power"] = power
    return {"birds": birds}


# --- measures: all of seat 0 --------------------------------------------------------------------


def bao_called(study: Study, count: int) -> float:
    return float(play(study, count, records=False).tally.bao_called[0])


def plucks(*kinds: int) -> Measure:
    def measure(study: Study, count: int) -> float:
        counts = play(study, count, records=False).tally.count[0]
        return float(sum(counts[kind] for kind in kinds))

    return measure


def events(kind: str, **fields: Any) -> Measure:
    return lambda study, count: number(logs(study, count), kind, player=0, **fields)


def plucks_from(source: str) -> Measure:
    return lambda study, count: number(logs(study, count), "pluck", player=0, **{"from": source})


def powers(study: Study, count: int) -> float:
    return number(logs(study, count), "power", player=0)


def _turns(rounds: list[Events]) -> Iterator[Events]:
    """The turns of seat 0; each begins with its `turn` event."""
    for log in rounds:
        turn: Events = []
        for event in log:
            if event["event"] == "turn":
                if turn and turn[0]["player"] == 0:
                    yield turn
                turn = [event]
            elif turn:
                turn.append(event)
        if turn and turn[0]["player"] == 0:
            yield turn


def kept(study: Study, count: int) -> float:
    """Turns in which a drawn card was kept."""
    turns = ([event["event"] for event in turn[:3]] for turn in _turns(logs(study, count)))
    return sum(kinds == ["turn", "draw", "replace"] for kinds in turns)


def replaced_in_last_turns(study: Study, count: int) -> float:
    """Cards kept or taken in turns after BAO or in the automatic final phase."""
    found = 0
    for log in logs(study, count):
        last = False
        for event in log:
            last = last or event["event"] in ("bao", "final_phase")
            found += last and event["event"] == "replace" and event["player"] == 0
    return found


def taken_in_last_turns(study: Study, count: int) -> float:
    """Discards taken in turns after BAO or in the automatic final phase."""
    found = 0
    for log in logs(study, count):
        kinds = [event["event"] for event in log]
        last = min(
            (kinds.index(kind) for kind in ("bao", "final_phase") if kind in kinds),
            default=len(log),
        )
        found += number([log[last:]], "take", player=0)
    return found


def taken_before_calls(study: Study, count: int) -> float:
    """Turns that take the top discard and end with a call of BAO."""
    turns = ([event["event"] for event in turn] for turn in _turns(logs(study, count)))
    return sum("take" in kinds and "bao" in kinds for kinds in turns)


def puts_down_safe_cards(study: Study, count: int) -> float:
    """Less the share of own discards and replaced cards that a rival plucks with at once."""
    put = plucked = 0
    for turn in _turns(logs(study, count)):
        kinds = [event["event"] for event in turn]
        if "discard" in kinds or "replace" in kinds:
            put += 1
            plucked += any(
                e["event"] == "pluck" and e["from"] == "window" and e["hit"] for e in turn
            )
    return -plucked / put


def gift_values(study: Study, count: int) -> float:
    """Mean value of what seat 0 gave away."""
    value = {bird.id: bird.value for bird in study.deck.birds}
    gifts = [
        value[gift["card"]]
        for log in logs(study, count)
        for event in log
        if event["event"] == "pluck" and event["player"] == 0
        for gift in event["gifts"]
    ]
    return sum(gifts) / len(gifts)


def looks_at_rivals(study: Study, count: int) -> float:
    looks = [
        event["target"][0] != 0
        for log in logs(study, count)
        for event in log
        if event["event"] == "look" and event["player"] == 0
    ]
    return sum(looks) / len(looks)


def shows_own(study: Study, count: int) -> float:
    shows = [
        event["target"][0] == 0
        for log in logs(study, count)
        for event in log
        if event["event"] == "show" and event["player"] == 0
    ]
    return sum(shows) / len(shows)


def hit_share(study: Study, count: int) -> float:
    """The share of hits among all plucks."""
    tally = play(study, count, records=False).tally.count[0]
    return float(1 - tally[MISSED] / tally[: MISSED + 1].sum())


def gifts_never_looked_at(study: Study, count: int) -> float:
    """The share of seat 0's gifts out of the slots at which it did not peek."""
    slots = [
        gift["slot"]
        for log in logs(study, count)
        for event in log
        if event["event"] == "pluck" and event["player"] == 0
        for gift in event["gifts"]
    ]
    return sum(slot >= 2 for slot in slots) / len(slots)


def placed_at(whom: Callable[[Events, int], bool]) -> Measure:
    """The share of seat 0's Shoebills whose victim is as `whom` says of (log before, owner)."""

    def measure(study: Study, count: int) -> float:
        found = [
            whom(log[:k], event["target"][0])
            for log in logs(study, count)
            for k, event in enumerate(log)
            if event["event"] == "place" and event["player"] == 0 and event["target"][0] != 0
        ]
        return sum(found) / len(found)

    return measure


def is_declarer(before: Events, owner: int) -> bool:
    return any(event["event"] == "bao" and event["player"] == owner for event in before)


def own_cards_swapped(study: Study, count: int) -> float:
    return sum(
        event["event"] == "swap" and event["player"] == 0 and 0 in (event["a"][0], event["b"][0])
        for log in logs(study, count)
        for event in log
    )


def added_to(whom: Callable[[int | None], int | None]) -> Measure:
    """The share of seat 0's Toco Toucans that go to a seat; `whom` is told the declarer."""

    def measure(study: Study, count: int) -> float:
        right, all_of_them = 0, 0
        for log in logs(study, count):
            declarer = None
            for event in log:
                if event["event"] == "bao":
                    declarer = event["player"]
                elif event["event"] == "add" and event["player"] == 0:
                    named = whom(declarer)
                    all_of_them += named is not None
                    right += named == event["to"]
        return right / all_of_them

    return measure


def unseen_replaced(study: Study, count: int) -> float:
    """Kept and taken cards in place of an own one that seat 0 had never seen, by their share."""
    unseen, replaced = 0, 0
    for log in logs(study, count):
        known = set(log[0]["peeks"][0])
        for event in log:
            if event["event"] in ("replace", "look", "place") and event["player"] == 0:
                owner, slot = event.get("target", [0, event.get("slot")])
                if event["event"] == "replace":
                    unseen += slot not in known
                    replaced += 1
                if owner == 0:
                    known.add(slot)
    return unseen / replaced


def unseen_swapped(study: Study, count: int) -> float:
    """Swaps of an own card that seat 0 had never seen, by their share of its swaps."""
    unseen, swapped = 0, 0
    for log in logs(study, count):
        known = set(log[0]["peeks"][0])
        for event in log:
            if event["event"] in ("replace", "look") and event["player"] == 0:
                owner, slot = event.get("target", [0, event.get("slot")])
                known |= {slot} if owner == 0 else set()
            elif event["event"] == "swap":
                for owner, slot in (event["a"], event["b"]):
                    if owner == 0:
                        swapped += event["player"] == 0
                        unseen += event["player"] == 0 and slot not in known
                        known.discard(slot)
    return unseen / swapped


# --- cases --------------------------------------------------------------------------------------

HASTY = {"kind": "random", "pluck_rate": 0.8}


@dataclass(frozen=True)
class Case:
    """Values of one parameter, in the order in which a measure must grow with them."""

    parameter: str
    values: tuple[Any, ...]
    measure: Measure
    base: dict[str, Any] = field(default_factory=dict)
    rivals: Any = "balanced"
    rules: dict[str, Any] = field(default_factory=dict)
    deck: Any = "five_per_value"
    count: int = 60
    kind: str = "heuristic"
    first_is_zero: bool = False
    games: bool = False
    many: bool = False  # too noisy for a run at a small scale


#: Plucks only on hunches: no window, no card that is known.
HUNCH = {"pluck_confidence": 1.0, "pluck_rival_confidence": 1.0, "pluck_rival_min_gain": -50}
QUIET = {"bao_threshold": -20}

HEURISTIC = [
    Case("bao_threshold", (-20, 3, 8, 30), bao_called, count=400),
    Case("bao_unknown_max", (0, 1, 4), bao_called, {"bao_threshold": 25}, count=400),
    Case("bao_margin", (200, 12, -200), bao_called, {"bao_threshold": 12}, count=400),
    Case("bao_min_turn", (1000, 6, 0), bao_called, {"bao_threshold": 10}, count=400),
    Case("pluck_confidence", (1.0, 0.09, 0.03), plucks(MISSED), HUNCH, count=200),
    Case("pluck_rival_confidence", (1.0, 0.09, 0.03), plucks(MISSED), HUNCH, count=200),
    Case(
        "pluck_rival_min_gain",
        (50, 8, -50),
        plucks(RIVAL_HIT),
        {"pluck_rival_confidence": 0.2},
        deck=FLOCKS,
        first_is_zero=True,
        count=200,
    ),
    Case(
        "double_pluck",
        (False, True),
        plucks(DOUBLE_HIT),
        QUIET,
        deck=FLOCKS,
        first_is_zero=True,
        count=200,
    ),
    Case("pluck_on_draw", (False, True), plucks_from("draw"), deck=FLOCKS, first_is_zero=True),
    Case("pluck_in_window", (False, True), plucks_from("window"), deck=FLOCKS, first_is_zero=True),
    Case(
        "gift",
        ("unknown", "highest"),
        gift_values,
        {"pluck_rival_confidence": 0.2, "pluck_rival_min_gain": -5},
        deck=FLOCKS,
        count=120,
    ),
    Case(
        "gift",
        ("lowest_loss", "unknown"),
        gifts_never_looked_at,
        {"pluck_rival_confidence": 0.2, "pluck_rival_min_gain": -5},
        deck=FLOCKS,
        count=120,
    ),
    Case("take_max_value", (-5, 3, 9), events("take"), first_is_zero=False),
    Case("take_min_gain", (13, 5, 1), events("take")),
    Case("keep_min_gain", (20, 5, 0), kept),
    Case(
        "power_appetite", (0, 6, 20), powers, {"know_worth": 0}, deck=with_power("look"), count=120,
        many=True,
    ),
    Case("look_first", ("own", "rival"), looks_at_rivals, {"power_appetite": 20}),
    Case("show_first", ("rival", "own"), shows_own, {"power_appetite": 20}),
    Case("unknown_value", (0, 7, 13), events("take"), {"bao_threshold": -20}, count=120),
    Case("know_worth", (-20, 0, 3, 20), unseen_replaced, {"bao_threshold": -20}),
    Case("memory_span", (0, 2, 128), plucks(OWN_HIT), deck=FLOCKS, count=200),  # 0: by counting
    Case("forget_rate", (1.0, 0.2, 0.0), plucks(OWN_HIT), deck=FLOCKS, count=200),
    Case(
        "mix_up_rate", (0.0, 0.02, 0.1), plucks(MISSED), {"pluck_confidence": 0.3}, deck=FLOCKS,
        count=200,
    ),
    Case(
        "count_cards", (0.0, 1.0), plucks(MISSED),
        {"pluck_confidence": 0.3, "pluck_rival_confidence": 1.0, "bao_threshold": -20},
        deck=FLOCKS, count=160, first_is_zero=True, many=True,
    ),
    Case("bao_confidence", (1.0, 0.6, 0.0), bao_called, {"bao_threshold": 20}, count=400),
    Case("reaction_mean", (10, 1, 0), plucks_from("window"), deck=FLOCKS, count=120),
    Case(
        "reaction_sd", (0.0, 5.0), plucks_from("window"), {"reaction_mean": 2}, deck=FLOCKS,
        count=120,
    ),
    Case("blunder_rate", (0.0, 0.3, 1.0), plucks(MISSED), first_is_zero=True, count=120),
    Case(
        "score_awareness", (0, 1), bao_called, {"bao_threshold": -20}, games=True,
        rules={"max_rounds": 20, "game_threshold": 50}, count=16,
    ),
    *[
        Case(
            "shoebill_target", order, placed_at(whom), {"power_appetite": 20, "bao_threshold": -20},
            "rusher", {"shield": "none"}, with_power("shoebill"), 150,
        )
        for order, whom in [
            (("random", "declarer"), is_declarer),
            (("random", "leader"), is_declarer),
            (("random", "lowest"), is_declarer),
        ]
    ],
    Case(
        "swap_min_gain", (20, 3, -20), own_cards_swapped, {"power_appetite": 20},
        deck=with_power("swap"),
    ),
    Case(
        "macaw_min_gain", (20, 5, -20), events("swap"), {"power_appetite": 20},
        deck=with_power("macaw"), first_is_zero=True,
    ),
    Case("attention", (0.0, 0.5, 1.0), plucks_from("window"), deck=FLOCKS, first_is_zero=True),
    Case(
        "last_turns", (False, True), replaced_in_last_turns,
        {"keep_min_gain": 20, "take_max_value": -200}, "rusher", first_is_zero=True,
    ),
    Case(
        "last_take_max", (-200, 3, 13), taken_in_last_turns, {"keep_min_gain": 20}, "rusher",
        first_is_zero=True,
    ),
    Case(
        "last_swaps", (False, True), own_cards_swapped, {"power_appetite": 20, "swap_min_gain": 50},
        "rusher", deck=with_power("swap"), count=120,
    ),
    Case(
        "take_before_call", (False, True), taken_before_calls, {"bao_threshold": 12}, count=300,
        first_is_zero=True,
    ),
    Case("pluck_worth", (-200, 0, 20), plucks_from("draw"), deck=FLOCKS),
    Case("pluck_danger", (0, 0.1, 0.3), puts_down_safe_cards, {"know_worth": 0}, count=120),
    Case(
        "swap_know_worth", (0, 1), unseen_swapped, {"power_appetite": 20, "know_worth": 20},
        deck=with_power("swap"), count=120,
    ),
    Case(
        "game_caution", (1, 0.7, 0), bao_called, {"bao_threshold": 40, "bao_margin": -200},
        games=True, rules={"max_rounds": 20, "game_threshold": 50}, count=16,
    ),
    *[
        Case(
            "toco_target", order, added_to(whom), {"power_appetite": 20, "bao_threshold": -20},
            "rusher", {"shield": "none"}, with_power("toco"), 120,
        )
        for order, whom in [
            (("leader", "next"), lambda declarer: 1),
            (("random", "next"), lambda declarer: 1),
            (("next", "random"), lambda declarer: 2),
            (("random", "leader"), lambda declarer: declarer),
            (("random", "declarer"), lambda declarer: declarer),
        ]
    ],
]  # fmt: skip

DICE = [
    Case("bao_rate", (0.0, 0.05, 1.0), bao_called, kind="random", first_is_zero=True, count=400),
    Case(
        "pluck_rate", (0.0, 0.3, 1.0), plucks(OWN_HIT, RIVAL_HIT, DOUBLE_HIT, MISSED),
        kind="random", first_is_zero=True,
    ),
    Case(
        "double_rate", (0.0, 0.3, 1.0), plucks(DOUBLE_HIT), {"pluck_rate": 0.5},
        deck=FLOCKS, kind="random", first_is_zero=True, count=200,
    ),
    Case("take_rate", (0.0, 0.5, 1.0), events("take"), kind="random", first_is_zero=True),
    Case("keep_rate", (0.0, 0.5, 1.0), kept, {"pluck_rate": 0}, kind="random", first_is_zero=True),
    Case(
        "swap_rate", (0.0, 0.5, 1.0), events("swap"), deck=with_power("macaw"), kind="random",
        first_is_zero=True,
    ),
    Case(
        "decline_rate", (1.0, 0.5, 0.0), powers, rules={"powers_optional": True}, kind="random",
    ),
    Case(
        "reaction_mean", (10, 1, 0), plucks_from("window"), {"pluck_rate": 0.5}, HASTY,
        kind="random",
    ),
    Case(
        "reaction_sd", (0.0, 5.0), plucks_from("window"), {"pluck_rate": 0.5, "reaction_mean": 2},
        HASTY, kind="random",
    ),
]  # fmt: skip

CASES = HEURISTIC + DICE


def study(case: Case, value: Any) -> Study:
    player = {"kind": case.kind, **case.base, case.parameter: value}
    return Study.of(
        players=[player, case.rivals, case.rivals, case.rivals],
        deck=case.deck,
        rules={"max_turns": 120} | case.rules,
        seed=23,
        **({"games": 1} if case.games else {"rounds": 1}),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_has_a_case(kind: str) -> None:
    covered: dict[str, set[Any]] = {}
    for case in CASES:
        if case.kind == kind:
            covered.setdefault(case.parameter, set()).update(case.values)
    for spec in KINDS[kind].parameters():
        assert spec["name"] in covered
        if spec["type"] == "choice":
            assert covered[spec["name"]] == set(spec["choices"])
    assert set(covered) == {spec["name"] for spec in KINDS[kind].parameters()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parameter}-{case.values[-1]}")
def test_parameter_changes_play_in_the_right_direction(case: Case) -> None:
    if case.many and SCALE < 1:
        pytest.skip("needs some hundred rounds")
    count = scaled(case.count, least=max(15, case.count // 8))
    values = case.values if SCALE >= 1 else (case.values[0], case.values[-1])
    found = [case.measure(study(case, value), count) for value in values]
    assert all(before < after for before, after in pairwise(found)), found
    if case.first_is_zero:
        assert found[0] == 0


@pytest.mark.parametrize("case", CASES[:8], ids=lambda case: case.parameter)
def test_parameters_of_one_seat_leave_the_deals_alone(case: Case) -> None:
    """Common random numbers: the same hands, piles and first players."""
    first, *others = (logs(study(case, value), 3) for value in case.values)
    for other in others:
        for mine, theirs in zip(first, other, strict=True):
            for key in ("hands", "draw_pile", "discard_pile", "first"):
                assert mine[0][key] == theirs[0][key]
