"""The oracle accepts what the rulebook allows and names the first thing that it forbids."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from . import handwritten as hand
from .auditor import Auditor, RoundAudit, audit_round
from .decks import FIVE_PER_POWER, FIVE_PER_VALUE, Bird
from .game import audit_game
from .handwritten import Log
from .invariants import Watch
from .log import AuditError
from .options import Options
from .state import RoundState

BOTH: list[Callable[..., Log]] = [
    hand.plain_round,
    hand.window_round,
    hand.double_round,
    hand.miss_round,
    hand.window_gift_round,
    hand.shield_round,
    hand.toco_round,
    hand.shoebill_round,
    hand.override_round,
    hand.empty_round,
    hand.macaw_round,
    hand.zero_round,
]
SECOND_ONLY: list[Callable[..., Log]] = [hand.gifts_round, hand.ignored_round]

LOGS: dict[str, Log] = {
    **{f"{make.__name__}-{edition}": make(edition) for make in BOTH for edition in hand.EDITIONS},
    **{make.__name__: make() for make in SECOND_ONLY},
}


def audit(log: Log, **special: Bird) -> RoundAudit:
    """Audit against the deck that the log itself uses up."""
    return audit_round(log, hand.deck_of(log, special))


def refused(log: Log, like: Log | None = None, **special: Bird) -> AuditError:
    """The error of a log that must not pass, with the deck of the log `like`."""
    with pytest.raises(AuditError) as caught:
        audit_round(log, hand.deck_of(like or log, special))
    return caught.value


def expect_refusal(log: Log, rule: str, index: int) -> None:
    """The log must be refused exactly there, by exactly this rule."""
    error = refused(log)
    assert (error.rule, error.index) == (rule, index), error


def changed(log: Log, index: int, **fields: Any) -> Log:
    """A copy with some fields of one event changed; `source` stands for `from`."""
    copied = copy.deepcopy(log)
    if "source" in fields:
        fields["from"] = fields.pop("source")
    copied[index].update(fields)
    return copied


def without(log: Log, *indices: int) -> Log:
    """A copy without some events."""
    return [event for index, event in enumerate(log) if index not in indices]


def inserted(log: Log, index: int, *events: dict[str, Any]) -> Log:
    """A copy with events put in before the event `index`."""
    return [*log[:index], *events, *log[index:]]


def position(log: Log, kind: str, number: int = 0) -> int:
    """Index of the event of this kind with this number, counted from 0."""
    return [index for index, event in enumerate(log) if event["event"] == kind][number]


# What is right passes


@pytest.mark.parametrize("name", LOGS)
def test_right_logs_pass(name: str) -> None:
    result = audit(LOGS[name])
    assert result.scores == LOGS[name][-1]["scores"]
    assert result.reason == LOGS[name][-1]["reason"]


@pytest.mark.parametrize("name", LOGS)
def test_json_changes_nothing(name: str) -> None:
    assert audit(json.loads(json.dumps(LOGS[name]))) == audit(LOGS[name])


@pytest.mark.parametrize("deck", [FIVE_PER_VALUE, FIVE_PER_POWER])
def test_shipped_decks_hold_66_cards(deck: dict[str, Bird]) -> None:
    """CARD-1, CARD-3."""
    assert sum(bird.copies for bird in deck.values()) == 66
    assert deck["golden_toucan"].copies == 1


def test_five_per_value_has_five_cards_of_each_value() -> None:
    """CARD-3."""
    for value in range(1, 14):
        assert sum(b.copies for b in FIVE_PER_VALUE.values() if b.value == value) == 5


# Every small change is noticed


def dropped_and_doubled(log: Log) -> Iterator[tuple[str, Log]]:
    """The log without one event, and with one event twice."""
    for index in range(len(log)):
        yield f"event {index} dropped", without(log, index)
        yield f"event {index} twice", inserted(log, index, log[index])


def one_value_changed(log: Log) -> Iterator[tuple[str, Log]]:
    """The log with one value of one event (not of the `deal`) changed."""
    for index, event in enumerate(log):
        for path in places(event) if index else ():
            mutant = copy.deepcopy(log)
            *way, last = path
            holder = mutant[index]
            for step in way:
                holder = holder[step]
            holder[last] = other(holder[last])
            yield f"event {index}, {path}", mutant


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values that are no containers."""
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*way, key))
    elif isinstance(value, list):
        for key, item in enumerate(value):
            yield from places(item, (*way, key))
    else:
        yield way


def other(value: Any) -> Any:
    """A different value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "bird_1"
    return "bird_2" if value == "bird_1" else "bird_1"


#: A call that an override makes void leaves the same round when it is not made.
LEGAL_WITHOUT = {"override_round": ["event 4 dropped"]}


@pytest.mark.parametrize("name", LOGS)
def test_no_event_can_be_dropped_or_doubled(name: str) -> None:
    for what, mutant in dropped_and_doubled(LOGS[name]):
        if what not in LEGAL_WITHOUT.get(name.split("-")[0], ()):
            assert refused(mutant, LOGS[name]), what


@pytest.mark.parametrize("name", LOGS)
def test_no_value_can_be_changed(name: str) -> None:
    for what, mutant in one_value_changed(LOGS[name]):
        assert refused(mutant, LOGS[name]).index > 0, what


@pytest.mark.parametrize("name", LOGS)
def test_no_field_can_be_left_out(name: str) -> None:
    for index, event in enumerate(LOGS[name]):
        for key in event:
            mutant = copy.deepcopy(LOGS[name])
            del mutant[index][key]
            assert refused(mutant, LOGS[name]).index == index, (index, key)


GARBAGE: list[Any] = [None, -1, 99, "x", [], {}, [[]], [None], True]


@pytest.mark.parametrize("name", LOGS)
def test_garbage_is_an_audit_error(name: str) -> None:
    """Whatever stands in the log, the answer is a verdict and never another exception."""
    for index, event in enumerate(LOGS[name]):
        for key in event:
            for value in GARBAGE:
                mutant = copy.deepcopy(LOGS[name])
                mutant[index][key] = value
                with contextlib.suppress(AuditError):
                    audit_round(mutant, hand.deck_of(LOGS[name]))


@pytest.mark.parametrize("option", hand.SECOND)
def test_every_option_must_be_there(option: str) -> None:
    log = copy.deepcopy(LOGS["plain_round-second"])
    del log[0]["rules"][option]
    expect_refusal(log, "LOG", 0)


@pytest.mark.parametrize("option", hand.SECOND)
@pytest.mark.parametrize("value", [{"2": -1}, "any_other", 1.5, None])
def test_every_option_must_be_legal(option: str, value: Any) -> None:
    log = copy.deepcopy(LOGS["plain_round-second"])
    log[0]["rules"][option] = value
    expect_refusal(log, "LOG", 0)


# The deal


def test_deal_must_hold_the_whole_deck() -> None:
    log = hand.plain_round()
    deck = hand.deck_of(log)
    with pytest.raises(AuditError) as caught:
        audit_round(changed(log, 0, draw_pile=log[0]["draw_pile"][:-1]), deck)
    assert caught.value.rule == "INV-1"


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"players": 1}, "SET-1"),
        ({"players": 7}, "SET-1"),
        ({"players": 2}, "SET-1"),
        ({"first": 3}, "LOG"),
        ({"peeks": [[0], [1]]}, "SET-2"),
        ({"peeks": [[0], [1], [0, 1]]}, "SET-2"),
        ({"peeks": [[0], [1], [2]]}, "SET-2"),
        ({"discard_pile": ["bird_4", "bird_1"]}, "SET-3"),
        ({"discard_pile": []}, "SET-3"),
        ({"edition": "third"}, "LOG"),
        ({"hands": [["bird_3", "bird_9"], ["bird_6"], ["bird_8", "bird_10"]]}, "SET-1"),
        ({"deciding": True}, "LOG"),
        ({"deciding": True, "seats": [0, 2]}, "GAME-4"),
        ({"deciding": True, "seats": [0, 2, 1]}, "GAME-4"),
    ],
)
def test_wrong_deals(fields: dict[str, Any], rule: str) -> None:
    error = refused(changed(hand.plain_round(), 0, **fields), hand.plain_round())
    assert (error.rule, error.index) == (rule, 0)


def test_small_hands_are_looked_at_wholly() -> None:
    """SET-2 with more `peeks` than cards."""
    log = changed(hand.plain_round(), 0, peeks=[[0, 1]] * 3)
    log[0]["rules"]["peeks"] = 7
    assert (0, 0, 0) in audit(log).knows


@pytest.mark.parametrize("size", [2, {3: 2}, {"3": 2, "2": 9}])
def test_hand_size_as_number_and_as_mapping(size: Any) -> None:
    log = hand.plain_round()
    log[0]["rules"]["hand_size"] = size
    audit(log)


# Turns

KEPT, TAKEN = 3, 6  # `replace` events of the plain round


@pytest.mark.parametrize(
    ("mutant", "rule", "index"),
    [
        (changed(hand.plain_round(), 1, player=1), "SET-5", 1),
        (changed(hand.plain_round(), 4, turn=2), "SIM-1", 4),
        (changed(hand.plain_round(), 2, card="bird_5"), "TURN-2", 2),
        (changed(hand.plain_round(), 2, card=None), "TURN-2", 2),
        (changed(hand.plain_round(), KEPT, slot=2), "SLOT-2", 3),
        (changed(hand.plain_round(), KEPT, out="bird_3"), "INV-1", 3),
        (changed(hand.plain_round(), KEPT, card="bird_5"), "TURN-2", 3),
        (changed(hand.plain_round(), 5, card="bird_4"), "TURN-3", 5),
        (changed(hand.plain_round(), TAKEN, player=2), "TURN-3", 6),
        (without(hand.plain_round(), TAKEN), "TURN-3", 6),
        (hand.plain_round(take_discard=False), "TURN-1", 5),
        (hand.plain_round(bao=False), "BAO-1", 10),
        (inserted(hand.plain_round(), 9, hand.draw(2, 4)), "TURN-1", 9),
        (inserted(hand.plain_round(), 7, hand.event("bao", 0)), "BAO-1", 7),
        (inserted(hand.plain_round(), 14, hand.event("bao", 0)), "BAO-1", 14),
        (without(hand.plain_round(), 14, 15, 16), "INV-6", 14),
        (inserted(hand.plain_round(), 17, hand.turn(5, 2)), "BAO-3", 17),
        (inserted(hand.plain_round(), 18, hand.turn(5, 2)), "SET-5", 18),
        (hand.plain_round()[:17], "BAO-3", 17),
        (hand.plain_round(max_turns=3), "SIM-1", 11),
        (inserted(hand.plain_round(), 2, hand.recycle(1, [1, 5, 4, 1])), "REC-1", 2),
        (inserted(hand.plain_round(), 4, hand.power(0, 9, "discard")), "POW-1", 4),
        (inserted(hand.plain_round(), 10, hand.power(2, 5, "discard")), "POW-1", 10),
        (inserted(hand.plain_round(), 11, hand.event("shield", 2)), "SHIELD-1", 11),
    ],
)
def test_wrong_turns(mutant: Log, rule: str, index: int) -> None:
    expect_refusal(mutant, rule, index)


def test_a_player_without_cards_cannot_take_or_keep() -> None:
    """TURN-6: the Toco Toucan goes nowhere, so seat 0 has no card when its turn comes."""
    log = hand.zero_round(powers_optional=True)
    add = position(log, "add")
    taking = without(log, add - 1, add)
    error = refused(taking, log)
    assert (error.rule, error.index) == ("TURN-6", position(taking, "take"))
    keeping = [*taking[:-3], hand.draw(0, 5), hand.swap_in(0, 0, 5, 9)]
    assert refused(keeping, log).rule == "TURN-6"
    plucking = [*taking[:-3], hand.draw(0, 5), hand.pluck(0, "draw", 5, [[1, 0]], [9])]
    assert refused(plucking, log).rule == "PLUCK-8"


def test_an_empty_table_of_piles_is_a_pass() -> None:
    """TURN-7: nothing may follow a draw of no card."""
    log = hand.empty_round()
    expect_refusal(inserted(log, 3, hand.discard(0, 4)), "TURN-2", 3)
    expect_refusal(inserted(log, 2, hand.recycle(1, [])), "REC-1", 2)


# Plucks


def window_pluck(**fields: Any) -> Log:
    """The round of a window pluck with a gift, its `pluck` changed."""
    log = hand.window_gift_round()
    return changed(log, position(log, "pluck"), **fields)


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"player": 0, "targets": [[0, 1]], "cards": ["bird_9"]}, "PLUCK-3"),
        ({"source": "draw"}, "PLUCK-1"),
        ({"reference": "bird_9"}, "PLUCK-1"),
        ({"targets": []}, "DOUBLE-1"),
        ({"targets": [[0, 0], [0, 0]]}, "DOUBLE-1"),
        ({"targets": [[0, 2]]}, "PLUCK-8"),
        ({"targets": [[3, 0]]}, "LOG"),
        ({"cards": ["bird_9"]}, "INV-1"),
        ({"hit": False}, "CARD-4"),
        ({"targets": [[0, 1]], "cards": ["bird_9"]}, "CARD-4"),
        ({"gifts": []}, "PLUCK-5"),
        ({"gifts": [{"slot": 2, "card": "bird_2", "to": [0, 0]}]}, "PLUCK-11"),
        ({"gifts": [{"slot": 0, "card": "bird_5", "to": [0, 0]}]}, "INV-1"),
        ({"gifts": [{"slot": 0, "card": "bird_2", "to": [0, 1]}]}, "PLUCK-5"),
        ({"gifts": [{"slot": 0, "card": "bird_2"}]}, "LOG"),
    ],
)
def test_wrong_claims(fields: dict[str, Any], rule: str) -> None:
    mutant = window_pluck(**fields)
    expect_refusal(mutant, rule, position(mutant, "pluck"))


@pytest.mark.parametrize("edition", hand.EDITIONS)
@pytest.mark.parametrize("option", ["own_only", "none"])
def test_option_plucks(edition: str, option: str) -> None:
    """PLUCK-1: `own_only` and `none` close the pluck on a rival's card."""
    expect_refusal(hand.window_gift_round(edition, plucks=option), "PLUCK-1", 4)


def test_option_plucks_own_only_leaves_own_targets() -> None:
    audit(hand.miss_round(plucks="own_only"))
    audit(hand.window_round(plucks="own_only"))
    expect_refusal(hand.miss_round(plucks="none"), "PLUCK-1", 3)


def test_one_attempt_closes_the_window() -> None:
    """PLUCK-2, after a hit of a discard and after one on a draw, which opens no window."""
    log = hand.window_gift_round()
    again = hand.pluck(2, "window", 8, [[2, 0]], [6], hit=False)
    expect_refusal(inserted(log, 5, again), "PLUCK-2", 5)
    log = hand.gifts_round()
    again = hand.pluck(1, "window", 8, [[1, 0]], [2], hit=False)
    expect_refusal(inserted(log, 4, again), "PLUCK-2", 4)


def test_first_edition_has_no_doubles_but_own_ones() -> None:
    """DOUBLE-1."""
    log = hand.gifts_round()
    log[0]["rules"] |= {"double_pluck": "own_draw_own_cards"}
    expect_refusal(log, "DOUBLE-1", 3)
    expect_refusal(hand.double_round(double_pluck="none"), "DOUBLE-1", 3)


def test_gifts_of_a_double_keep_their_order() -> None:
    """DOUBLE-2: the gift for the first target first; no card is given twice."""
    log = hand.gifts_round()
    gifts = log[3]["gifts"]
    expect_refusal(changed(log, 3, gifts=gifts[::-1]), "PLUCK-5", 3)
    twice = [gifts[0], gifts[0] | {"to": [1, 1]}]
    expect_refusal(changed(log, 3, gifts=twice), "PLUCK-11", 3)


def test_a_rival_target_needs_a_card_to_give_even_for_a_miss() -> None:
    """DOUBLE-1, PLUCK-11: own targets cannot be gifts."""
    log = hand.window_gift_round()
    claim = hand.pluck(1, "window", 8, [[1, 0], [1, 1]], [2, 5], hit=False)
    expect_refusal([*log[:4], claim | {"targets": [[0, 0], [2, 0]]}], "INV-1", 4)
    one_card = hand.zero_round()
    doubled = hand.pluck(0, "draw", 8, [[0, 0], [1, 0]], [9, 8], hit=False)
    error = refused([*one_card[:3], doubled], one_card)
    assert (error.rule, error.index) == ("DOUBLE-1", 3)


def test_a_miss_has_its_discard_and_its_penalty() -> None:
    """PLUCK-7, SLOT-3."""
    log = hand.miss_round()
    miss, penalty = position(log, "pluck", 1), position(log, "penalty")
    gift = [{"slot": 2, "card": "bird_9", "to": [1, 0]}]
    expect_refusal(changed(log, miss, gifts=gift), "PLUCK-7", miss)
    expect_refusal(changed(log, miss, hit=True), "CARD-4", miss)
    expect_refusal(without(log, miss + 1), "PLUCK-7", miss + 1)
    expect_refusal(without(log, penalty), "PLUCK-7", penalty)
    expect_refusal(changed(log, penalty, player=1), "PLUCK-7", penalty)
    expect_refusal(changed(log, penalty, slot=None, card=None), "SLOT-3", penalty)
    owl = hand.power(0, "barn_owl", "discard")
    expect_refusal(inserted(log, penalty + 1, owl), "POW-1", penalty + 1)


@pytest.mark.parametrize(("edition", "wrong"), [("second", 3), ("first", 1)])
def test_added_cards_go_to_the_slot_of_the_edition(edition: str, wrong: int) -> None:
    log = hand.miss_round(edition)
    penalty = position(log, "penalty")
    expect_refusal(changed(log, penalty, slot=wrong), "SLOT-3", penalty)


def test_number_of_penalty_cards() -> None:
    """PLUCK-7 with `penalty_cards`: one event for each card due."""
    log = hand.miss_round(penalty_cards=0)
    penalty = position(log, "penalty")
    expect_refusal(log, "PLUCK-7", penalty)
    none = without(log, penalty)
    none[-1] |= {"hands": [hand.birds([3, None, 9]), hand.birds([6, 2, 10])]}
    none[-1] |= {"totals": [12, 18], "scores": [12, 18]}
    assert audit_round(none, hand.deck_of(log)).draw_pile == ["bird_1"]
    two = hand.miss_round(penalty_cards=2)
    expect_refusal(two, "REC-1", penalty + 1)
    rest = hand.recycle(1, [4, 8, 8, 5])
    two[-1] |= {"hands": [hand.birds([3, 1, 9, 4]), hand.birds([6, 2, 10])]}
    two[-1] |= {"totals": [17, 18], "scores": [17, 18]}
    more = hand.event("penalty", 0, slot=3, card=4)
    assert audit(inserted(two, penalty + 1, rest, more)).recyclings == 1


@pytest.mark.parametrize(
    ("option", "area", "slot"),
    [
        ("fill_empty", [1, 0, 1, 0], 1),
        ("fill_empty", [1, 1], 2),
        ("new", [1, 0, 1, 0], 4),
        ("new", [1] * 40 + [0] * 25, 65),
        ("new", [1] * 40 + [0] * 26, 40),
        ("fill_empty", [1] * 66, 66),
    ],
)
def test_slots_of_added_cards(option: str, area: list[int], slot: int) -> None:
    """SLOT-3: the next unused number up to the 66th, then the lowest empty one."""
    rules = hand.SECOND | {"hand_size": 4, "game_threshold": 100, "added_card_slot": option}
    state = RoundState(FIVE_PER_VALUE, Options(**rules), 2)
    state.areas[1] = [state.new_card("bird_1") if full else None for full in area]
    assert state.slot_for_added(1) == slot


def test_no_penalty_card_where_none_can_be_drawn() -> None:
    """REC-3."""
    log = hand.empty_round()
    penalty = position(log, "penalty")
    expect_refusal(changed(log, penalty, slot=2, card="bird_6"), "REC-3", penalty)
    expect_refusal(without(log, penalty), "PLUCK-7", penalty)
    expect_refusal(inserted(log, penalty, hand.recycle(1, [])), "REC-1", penalty)


# Powers


@pytest.mark.parametrize("edition", hand.EDITIONS)
def test_powers_of_a_window_have_an_order(edition: str) -> None:
    """POW-4."""
    log = hand.window_round(edition)
    start = position(log, "power")
    reversed_log = [
        *log[:start],
        *log[start + 2 : start + 4],
        *log[start : start + 2],
        *log[start + 4 :],
    ]
    expect_refusal(reversed_log, "POW-4", start)
    other_order = "plucker_first" if edition == "first" else "active_first"
    audit(hand.window_round(edition, window_power_order=other_order))


def test_a_power_must_be_carried_out() -> None:
    """POW-5."""
    log = hand.window_round()
    first = position(log, "power")
    expect_refusal(without(log, first, first + 1), "POW-4", first)
    expect_refusal(without(log, first + 1), "POW-LOOK", first + 1)
    nothing = hand.event("no_effect", 1, card="white_pelican")
    expect_refusal([*log[: first + 1], nothing, *log[first + 2 :]], "POW-LOOK", first + 1)
    early = [*log[: first + 2], *log[first + 4 :]]
    expect_refusal(early, "POW-1", first + 2)


def test_a_declined_power_leaves_no_trace() -> None:
    """POW-5 with `powers_optional`: any of the powers may be missing, but not half of one."""
    log = hand.window_round(powers_optional=True)
    first = position(log, "power")
    for gone in ([0, 1], [2, 3], [0, 1, 2, 3]):
        audit(without(log, *[first + step for step in gone]))
    expect_refusal(without(log, first), "POW-LOOK", first)
    swapped = [*log[:first], *log[first + 2 : first + 4], *log[first : first + 2]]
    expect_refusal([*swapped, *log[first + 4 :]], "POW-1", first + 2)


def test_powers_of_doubles() -> None:
    """DOUBLE-4: the log of one edition is wrong in the other."""
    all_powers = hand.double_round("first")
    all_powers[0]["rules"]["double_pluck_powers"] = "second_card"
    power = position(all_powers, "power")
    expect_refusal(all_powers, "POW-1", power)
    one_power = hand.double_round("second")
    one_power[0]["rules"]["double_pluck_powers"] = "all"
    expect_refusal(one_power, "POW-1", position(one_power, "power"))


def test_triggers_are_named() -> None:
    """POW-1."""
    log = hand.macaw_round()
    power = position(log, "power")
    expect_refusal(changed(log, power, trigger="discard"), "POW-1", power)
    expect_refusal(changed(log, power + 4, trigger="reference"), "POW-1", power + 4)


@pytest.mark.parametrize("edition", hand.EDITIONS)
def test_a_card_is_moved_once(edition: str) -> None:
    """POW-LOCK: the second Macaw cannot swap back what the first has swapped."""
    log = hand.macaw_round(edition)
    back = hand.event("swap", 0, a=[0, 0], b=[1, 0], cards=[6, 3])
    end = len(log) - 1
    expect_refusal(inserted(log, end, back), "POW-LOCK", end)
    free = inserted(hand.macaw_round(edition, move_lock="none"), end, back)
    free[-1] |= {"hands": [hand.birds([3, None, 9]), hand.birds([6, 2, 10])]}
    free[-1] |= {"totals": [12, 18], "scores": [12, 18]}
    audit(free)


def owls_round(edition: str) -> Log:
    """Two players' Owls in one turn swap the same two cards (scenarios 68, 69)."""
    owl = "barn_owl"
    swaps = [
        [hand.power(0, owl, "discard"), hand.event("swap", 0, a=[0, 0], b=[2, 0], cards=[3, 8])],
        [hand.power(1, owl, "eliminated"), hand.event("swap", 1, a=[0, 0], b=[2, 0], cards=[8, 3])],
    ]
    if edition == "second":
        swaps.reverse()
        swaps[0][1]["cards"], swaps[1][1]["cards"] = swaps[1][1]["cards"], swaps[0][1]["cards"]
    return [
        hand.deal([[3, 9], [owl, 2], [8, 1]], [owl, 5], 4, edition, max_turns=1),
        hand.turn(0, 0),
        hand.draw(0, owl),
        hand.discard(0, owl),
        hand.pluck(1, "window", owl, [[1, 0]], [owl]),
        *swaps[0],
        *swaps[1],
        hand.end("turn_cap", [[3, 9], [None, 2], [8, 1]], [12, 2, 9], [12, 2, 9], 1, []),
    ]


def test_whom_the_lock_binds() -> None:
    """POW-LOCK: everybody in the second edition, one player's powers in the first."""
    expect_refusal(owls_round("second"), "POW-LOCK", 8)
    audit(owls_round("first"))


def test_wrong_swaps() -> None:
    """POW-SWAP, SHIELD-3, POW-6."""
    log = hand.shield_round()
    swap = position(log, "swap")
    same = {"b": [0, 1], "a": [0, 0]}
    expect_refusal(changed(log, swap, **same), "POW-SWAP", swap)
    expect_refusal(changed(log, swap, b=[2, 0], cards=["bird_3", "bird_9"]), "SHIELD-3", swap)
    expect_refusal(changed(log, swap, cards=["bird_6", "bird_3"]), "INV-1", swap)
    nothing = hand.event("no_effect", 0, card="barn_owl")
    expect_refusal([*log[:swap], nothing, *log[swap + 1 :]], "POW-SWAP", swap)
    second = hand.event("swap", 0, a=[0, 0], b=[1, 1], cards=[6, 2])
    expect_refusal([*log[: swap + 2], second, *log[swap + 3 :]], "POW-6", swap + 2)


@pytest.mark.parametrize(
    ("card", "rule"),
    [("white_pelican", "POW-LOOK"), ("brown_pelican", "POW-SHOW"), ("macaw", "POW-6")],
)
def test_what_looking_needs(card: str, rule: str) -> None:
    """One card on the table is enough to look or show, a Macaw needs two players with cards."""
    log = [
        hand.deal([[9], [8]], [9, card, 5], 4, max_turns=2),
        hand.turn(0, 0),
        hand.draw(0, 9),
        hand.pluck(0, "draw", 9, [[0, 0]], [9]),
        hand.turn(1, 1),
        hand.draw(1, card),
        hand.discard(1, card),
        hand.power(1, card, "discard"),
    ]
    kind = "show" if rule == "POW-SHOW" else "look"
    end = hand.end("turn_cap", [[None], [8]], [0, 8], [0, 8], 2, [])
    use = hand.event(kind, 1, target=[1, 0], card=8)
    nothing = hand.event("no_effect", 1, card=card)
    right, wrong = (nothing, use) if card == "macaw" else (use, nothing)
    audit([*log, right, end])
    expect_refusal([*log, wrong, end], rule, 8)
    expect_refusal([*log, use | {"target": [0, 0]}, end], rule, 8)


@pytest.mark.parametrize("card", ["white_pelican", "brown_pelican", "barn_owl"])
def test_powers_on_a_table_without_cards(card: str) -> None:
    """POW-6."""
    log = [
        hand.deal([[9], [8]], [9, 8, card, 5], 4, max_turns=3),
        hand.turn(0, 0),
        hand.draw(0, 9),
        hand.pluck(0, "draw", 9, [[0, 0]], [9]),
        hand.turn(1, 1),
        hand.draw(1, 8),
        hand.pluck(1, "draw", 8, [[1, 0]], [8]),
        hand.turn(2, 0),
        hand.draw(0, card),
        hand.discard(0, card),
        hand.power(0, card, "discard"),
        hand.event("no_effect", 0, card=card),
        hand.end("turn_cap", [[None], [None]], [0, 0], [0, 0], 3, []),
    ]
    audit(log)
    expect_refusal(without(log, 11), "POW-6", 11)


def test_wrong_macaws() -> None:
    """POW-MACAW."""
    log = hand.macaw_round()
    swap = position(log, "swap")
    second_look = changed(log, swap - 1, target=[0, 2], card="bird_9")
    expect_refusal(second_look, "POW-MACAW", swap - 1)
    elsewhere = changed(log, swap, b=[1, 1], cards=["bird_3", "bird_2"])
    expect_refusal(elsewhere, "POW-MACAW", swap)
    expect_refusal(without(log, swap - 1), "POW-MACAW", swap - 1)


def behind_shield(*events: dict[str, Any], card: str = "macaw") -> Log:
    """Seat 0 has called BAO with the Shield at once; seat 1 discards `card` (scenario 83)."""
    hands = [[1, 2], [6, 3]]
    return [
        hand.deal(hands, [9, card, 5], 4, shield="at_once"),
        hand.turn(0, 0),
        hand.draw(0, 9),
        hand.discard(0, 9),
        hand.event("bao", 0),
        hand.event("shield", 0),
        hand.turn(1, 1),
        hand.draw(1, card),
        hand.discard(1, card),
        hand.power(1, card, "discard"),
        *events,
        hand.end("bao", hands, [3, 9], [0, 9], 2, [0]),
    ]


def test_powers_behind_the_shield() -> None:
    """SHIELD-3, POW-6: a Macaw and Pelicans may look, nothing may move (scenario 78)."""
    looks = [hand.event("look", 1, target=[seat, 0], card=card) for seat, card in ((0, 1), (1, 6))]
    swap = hand.event("swap", 1, a=[0, 0], b=[1, 0], cards=[1, 6])
    audit(behind_shield(*looks))
    expect_refusal(behind_shield(*looks, swap), "SHIELD-3", 12)
    audit(behind_shield(looks[0], card="white_pelican"))
    for card, rule in (("toco_toucan", "POW-6"), ("barn_owl", "POW-6")):
        audit(behind_shield(hand.event("no_effect", 1, card=card), card=card))
        expect_refusal(behind_shield(card=card), rule, 10)
    add = hand.event("add", 1, to=0, slot=2, card=5)
    expect_refusal(behind_shield(add, card="toco_toucan"), "POW-6", 10)


def test_a_shoebill_raises_the_shield_before_the_unused_card_goes_under() -> None:
    """SHIELD-2, POW-SHOEBILL: its user is without cards (contract: place, shield, under)."""
    bill = "shoebill"
    log = [
        hand.deal([[8], [9]], [9, bill, 1, 2, 5], 4),
        hand.turn(0, 0),
        hand.draw(0, 9),
        hand.discard(0, 9),
        hand.pluck(1, "window", 9, [[1, 0]], [9]),
        hand.event("bao", 0),
        hand.turn(1, 1),
        hand.draw(1, bill),
        hand.discard(1, bill),
        hand.power(1, bill, "discard"),
        hand.event("shoebill", 1, cards=[1, 2]),
        hand.event("place", 1, card=2, target=[0, 0], out=8),
        hand.event("shield", 0),
        hand.event("under", 1, card=1),
        hand.end("bao", [[2], [None]], [2, 0], [5, 0], 2, [1]),
    ]
    result = audit(log)
    assert result.under_pile == ["bird_8", "bird_1"]
    assert result.knows == {(1, 0, 0)}
    expect_refusal([*log[:12], log[13], log[12], log[14]], "SHIELD-1", 12)
    expect_refusal(without(log, 13), "POW-SHOEBILL", 13)
    own = hand.event("place", 1, card=1, target=[1, 0], out=9)
    expect_refusal(inserted(log, 11, own), "POW-SHOEBILL", 11)


def test_own_changes_raise_nothing() -> None:
    """SHIELD-4: a penalty of the declarer (scenario 82)."""
    log = [
        hand.deal([[6, 2], [3, 9], [4, 1]], [10, 8, 5, 10], 4),
        hand.turn(0, 0),
        hand.draw(0, 10),
        hand.discard(0, 10),
        hand.event("bao", 0),
        hand.turn(1, 1),
        hand.draw(1, 8),
        hand.discard(1, 8),
        hand.pluck(0, "window", 8, [[0, 0]], [6], hit=False),
        hand.event("penalty", 0, slot=2, card=5),
        hand.turn(2, 2),
        hand.draw(2, 10),
        hand.discard(2, 10),
        hand.end("bao", [[6, 2, 5], [3, 9], [4, 1]], [13, 12, 5], [26, 12, 5], 3, [2]),
    ]
    assert not audit(log).shield
    expect_refusal(inserted(log, 10, hand.event("shield", 0)), "SHIELD-1", 10)


def test_wrong_tocos() -> None:
    """POW-TOCO, SHIELD-3, SLOT-3."""
    log = hand.toco_round()
    first, second = position(log, "add"), position(log, "add", 1)
    expect_refusal(changed(log, first, to=0, slot=1), "POW-TOCO", first)
    expect_refusal(changed(log, second, to=2, slot=3), "SHIELD-3", second)
    expect_refusal(changed(log, first, slot=3), "SLOT-3", first)
    expect_refusal(changed(log, first, card="bird_10"), "POW-TOCO", first)


def test_wrong_shoebills() -> None:
    """POW-SHOEBILL, POW-LOCK, REC-1."""
    log = hand.shoebill_round()
    drawn, own, rival = position(log, "shoebill"), position(log, "place"), position(log, "place", 1)
    third, under = position(log, "place", 2), position(log, "under")
    expect_refusal(changed(log, drawn, cards=["bird_4", "bird_1"]), "POW-SHOEBILL", drawn)
    expect_refusal(changed(log, drawn, cards=["bird_1"]), "POW-SHOEBILL", drawn)
    expect_refusal(without(log, own), "POW-SHOEBILL", own)
    expect_refusal(without(log, rival), "POW-SHOEBILL", rival)
    other_order = [*log[:own], log[rival], log[own], *log[rival + 1 :]]
    expect_refusal(other_order, "POW-SHOEBILL", own)
    expect_refusal(changed(log, rival, card="bird_1"), "POW-SHOEBILL", rival)
    expect_refusal(changed(log, rival, out="bird_2"), "INV-1", rival)
    expect_refusal(changed(log, own, target=[0, 1]), "POW-SHOEBILL", own)
    expect_refusal(changed(log, third, target=[1, 0], out="bird_4"), "POW-LOCK", third)
    left_out = [*log[:rival], hand.event("under", 0, card=4), *log[rival + 1 :]]
    expect_refusal(left_out, "POW-SHOEBILL", rival)
    expect_refusal(without(log, under), "POW-SHOEBILL", under)


def test_option_shoebill_locks() -> None:
    """Without the lock the second Shoebill must replace an own card too (scenario 71)."""
    log = hand.shoebill_round(shoebill_locks=False)
    place = position(log, "place", 2)
    expect_refusal(log, "POW-SHOEBILL", place)
    own = hand.event("place", 0, card="shoebill", target=[0, 0], out=1)
    mutant = [*log[:place], own, log[place], *log[place + 2 :]]
    mutant[-1] |= {"hands": [["shoebill", None], hand.birds([4, 6])]}
    mutant[-1] |= {"totals": [13, 10], "scores": [13, 10], "winners": [1]}
    audit(mutant)


def test_one_drawn_card_makes_the_replacement_that_its_user_chooses() -> None:
    """POW-SHOEBILL with a single card left anywhere."""
    bill = "shoebill"
    head = [
        hand.deal([[3], [6]], [bill], 4, max_turns=1),
        hand.turn(0, 0),
        hand.draw(0, bill),
        hand.discard(0, bill),
        hand.power(0, bill, "discard"),
        hand.recycle(1, [4]),
        hand.event("shoebill", 0, cards=[4]),
    ]
    own = hand.event("place", 0, card=4, target=[0, 0], out=3)
    rival = hand.event("place", 0, card=4, target=[1, 0], out=6)
    chosen_own = [*head, own, hand.end("turn_cap", [[4], [6]], [4, 6], [4, 6], 1, [])]
    chosen_rival = [*head, rival, hand.end("turn_cap", [[3], [4]], [3, 4], [3, 4], 1, [])]
    assert audit(chosen_own).under_pile == ["bird_3"]
    assert audit(chosen_rival).under_pile == ["bird_6"]
    neither = hand.event("under", 0, card=4)
    expect_refusal([*head, neither, chosen_own[-1]], "POW-SHOEBILL", 7)
    expect_refusal([*head, own, rival, chosen_own[-1]], "POW-SHOEBILL", 8)


def test_families_may_mix_powers() -> None:
    """CARD-4 with a deck of its own: a Show and a Toco of one family match."""
    mixed = Bird(7, "mixed", "show", 0), Bird(9, "mixed", "toco", 0)
    log = [
        hand.deal([["shy"], [2]], ["bold", 5], 4, max_turns=1),
        hand.turn(0, 0),
        hand.draw(0, "bold"),
        hand.pluck(0, "draw", "bold", [[0, 0]], ["shy"]),
        hand.power(0, "bold", "reference"),
        hand.event("add", 0, to=1, slot=1, card=5),
        hand.power(0, "shy", "eliminated"),
        hand.event("show", 0, target=[1, 1], card=5),
        hand.end("turn_cap", [[None], [2, 5]], [0, 7], [0, 7], 1, []),
    ]
    result = audit(log, shy=mixed[0], bold=mixed[1])
    assert result.seats[0].powers["toco"] == result.seats[0].powers["show"] == 1


# BAO, Shield, recycling, final phase


def test_the_shield_is_raised_once_and_at_once() -> None:
    """SHIELD-1, SHIELD-2, SHIELD-5."""
    log = hand.shield_round()
    shield = position(log, "shield")
    expect_refusal(without(log, shield), "SHIELD-1", shield)
    late = [*log[:shield], *log[shield + 1 : shield + 3], log[shield], *log[shield + 3 :]]
    expect_refusal(late, "SHIELD-1", shield)
    expect_refusal(changed(log, shield, player=0), "SHIELD-1", shield)
    expect_refusal(hand.shield_round(shield="none"), "SHIELD-1", shield)
    expect_refusal(hand.shield_round(shield="at_once"), "SHIELD-1", position(log, "bao") + 1)


def test_a_shield_at_once_forbids_the_pluck() -> None:
    """PLUCK-9 (scenario 83)."""
    log = hand.shield_round(shield="at_once")
    bao = position(log, "bao")
    log.insert(bao + 1, hand.event("shield", 2))
    expect_refusal(log, "PLUCK-9", position(log, "pluck"))


def test_a_toco_at_the_declarer_raises_the_shield() -> None:
    log = hand.toco_round()
    shield = position(log, "shield")
    expect_refusal(without(log, shield), "SHIELD-1", shield)
    free = without(hand.toco_round(shield="none"), shield)
    audit(free)


def test_wrong_recyclings() -> None:
    """REC-1, REC-4."""
    log = hand.override_round()
    recycle = position(log, "recycle")
    expect_refusal(without(log, recycle), "REC-1", recycle)
    expect_refusal(changed(log, recycle, count=2), "REC-4", recycle)
    expect_refusal(changed(log, recycle, draw_pile=["bird_8"]), "REC-1", recycle)
    expect_refusal(changed(log, recycle, draw_pile=["bird_4", "bird_8"]), "REC-1", recycle)
    expect_refusal(without(log, recycle + 1), "FINAL-1", recycle + 1)
    expect_refusal(changed(log, recycle + 1, player=0), "FINAL-1", recycle + 1)
    swapped = [*log[:recycle], log[recycle + 1], log[recycle], *log[recycle + 2 :]]
    expect_refusal(swapped, "REC-1", recycle)
    none = hand.override_round(recycle_after_bao="ignore")
    expect_refusal(none, "REC-4", recycle + 1)
    expect_refusal(hand.override_round(recycle_limit=0), "REC-4", recycle + 1)


@pytest.mark.parametrize("limit", [1, 2])
def test_recycle_limit(limit: int) -> None:
    """REC-4: the recycling that reaches the limit starts the phase, no later one does."""
    result = audit(hand.shoebill_round(recycle_limit=limit))
    assert (result.reason, result.recyclings, result.final_phase) == ("second_recycling", 2, True)


def test_no_final_phase_without_the_limit() -> None:
    """REC-4 with `recycle_limit` 0 and 3: the round goes on, here to its cap."""
    log = hand.shoebill_round()
    log = without(log, position(log, "final_phase"))
    for limit in (0, 3):
        log[0]["rules"] |= {"recycle_limit": limit, "max_turns": 2}
        log[-1] |= {"reason": "turn_cap", "winners": []}
        audit(log)


def test_no_bao_in_the_final_phase() -> None:
    """FINAL-1, FINAL-2."""
    log = hand.shoebill_round()
    turn = position(log, "turn", 1)
    expect_refusal(inserted(log, turn, hand.event("bao", 0)), "FINAL-2", turn)
    end = position(log, "end")
    expect_refusal(inserted(log, end, hand.event("bao", 1)), "FINAL-2", end)


def test_no_plain_bao_in_an_automatic_phase_after_an_override() -> None:
    log = hand.override_round()
    end = position(log, "end")
    expect_refusal(inserted(log, end, hand.event("bao", 0)), "FINAL-2", end)
    result = audit(log)
    assert (result.declarer, result.seats[0].bao_outcome) == (None, "void")


# The end


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"reason": "second_recycling"}, "BAO-3"),
        ({"totals": [4, 10, 17]}, "SCORE-1"),
        ({"scores": [4, 10, 18]}, "SCORE-4"),
        ({"winners": [0, 1]}, "SCORE-3"),
        ({"turns": 4}, "SIM-1"),
        ({"hands": [["bird_3", "bird_1"], ["bird_9", "bird_1"], ["bird_10", "bird_8"]]}, "INV-1"),
    ],
)
def test_wrong_ends(fields: dict[str, Any], rule: str) -> None:
    log = hand.plain_round()
    expect_refusal(changed(log, len(log) - 1, **fields), rule, len(log) - 1)


@pytest.mark.parametrize(
    ("options", "score"),
    [
        ({"bao_failure_factor": 3}, 54),
        ({"bao_failure_factor": 1}, 18),
        ({"bao_failure_minimum": 50}, 50),
    ],
)
def test_score_of_a_failure(options: dict[str, Any], score: int) -> None:
    """SCORE-4."""
    log = hand.plain_round(**options)
    log[-1]["scores"] = [4, 10, score]
    assert audit(log).seats[2].bao_outcome == "beaten"


@pytest.mark.parametrize(("option", "score"), [("zero", 0), ("total", 3)])
def test_score_of_a_success(option: str, score: int) -> None:
    """SCORE-3."""
    log = hand.ignored_round()
    log[0]["rules"]["bao_success"] = option
    log[-1]["scores"] = [score, 9]
    assert audit(log).seats[0].bao_outcome == "won"


def pass_round(hands: list[list[Any]], scores: list[int], winners: list[int]) -> Log:
    """Both players pass, the first has called BAO."""
    return hand.quick_round(0, 0, hands, [9], scores, winners)


def test_negative_totals_and_ties() -> None:
    """SCORE-3, SCORE-4: -3 stays -3; a tie fails, at the least for 5 points."""
    negative = pass_round([["golden_toucan", 2], [6, 2]], [-3, 8], [0])
    assert audit(negative).seats[0].bao_outcome == "won"
    tie = pass_round([[1, 1], [1, 1]], [5, 2], [1])
    assert audit(tie).seats[0].bao_outcome == "tied"
    expect_refusal(pass_round([[1, 1], [1, 1]], [0, 2], [0]), "SCORE-4", 6)


def test_a_failure_with_a_negative_total() -> None:
    """SCORE-4 in a deck with several negative birds: max(2 x -5, 5)."""
    gold = ["golden_toucan"]
    log = pass_round([gold, gold], [5, -5], [1])
    assert audit(log).seats[0].bao_outcome == "tied"


def test_a_round_that_ends_by_itself_in_its_last_turn() -> None:
    """SIM-1."""
    log = pass_round([[1], [2]], [0, 2], [0])
    log[0]["rules"]["max_turns"] = 2
    assert audit(log).reason == "bao"
    log[0]["rules"]["max_turns"] = 1
    capped = [*log[:4], hand.end("turn_cap", [[1], [2]], [1, 2], [1, 2], 1, [])]
    assert audit(capped).seats[0].bao_outcome == "void"


# Knowledge and counts


@pytest.mark.parametrize("edition", hand.EDITIONS)
def test_knowledge_of_a_plain_round(edition: str) -> None:
    """KNOW-1, KNOW-2."""
    log = hand.plain_round(edition)
    assert audit(log).knows == {
        (0, 0, 0),  # looked at
        (0, 0, 1),  # kept
        (0, 1, 0),  # taken, seen by all
        (1, 1, 0),
        (2, 1, 0),
        (1, 1, 1),  # kept
        (2, 2, 0),  # looked at
    }


def test_knows_of_an_auditor() -> None:
    log = hand.plain_round()
    auditor = Auditor(log, hand.deck_of(log))
    auditor.run()
    assert auditor.knows(0, 1, 0)
    assert not auditor.knows(0, 2, 0)
    assert not auditor.knows(0, 0, 9)


def test_knowledge_of_gifts() -> None:
    """KNOW-2: a gift is known as before it was given; seat 1's own looks left with its card."""
    assert audit(hand.gifts_round()).knows == {
        (0, 0, 1),
        (0, 1, 1),
        (1, 1, 0),
        (2, 2, 1),
    }


def test_knowledge_of_powers() -> None:
    """KNOW-2: look and show; Macaw; Shoebill; a Toco Toucan's card and a penalty are unknown."""
    assert audit(hand.window_round()).knows == {(1, 0, 0), (0, 2, 1), *seen_by_all(3, 2, 0)}
    double = {(0, 1, 0), (0, 1, 1), (1, 1, 1), (0, 0, 2)}
    assert audit(hand.double_round("first")).knows == double
    assert audit(hand.macaw_round()).knows == {(0, 0, 0), (0, 1, 0)}
    assert audit(hand.shoebill_round()).knows == {(0, 0, 0), (0, 1, 0), (0, 1, 1)}
    assert audit(hand.miss_round()).knows == set(seen_by_all(2, 0, 0))
    assert audit(hand.toco_round()).knows == set()


def seen_by_all(players: int, owner: int, slot: int) -> list[tuple[int, int, int]]:
    """Everybody knows this card."""
    return [(viewer, owner, slot) for viewer in range(players)]


def test_counts() -> None:
    """Plucks by kind, powers by bird, BAO."""
    shield = audit(hand.shield_round())
    assert shield.seats[0].plucks == {"own_hit": 0, "rival_hit": 1, "double_hit": 0, "missed": 0}
    assert (shield.seats[0].powers["swap"], shield.seats[0].no_effect["swap"]) == (2, 1)
    assert (shield.seats[2].bao_called, shield.seats[2].bao_outcome) == (1, "beaten")
    assert shield.shield
    assert audit(hand.gifts_round()).seats[0].plucks["double_hit"] == 1
    miss = audit(hand.miss_round()).seats[0].plucks
    assert (miss["own_hit"], miss["missed"]) == (1, 1)


# The watch over the invariants, which sees what the auditor itself would do wrong


def lay_card_twice(auditor: Auditor) -> None:
    auditor.state.put((0, 0), auditor.state.card_at((0, 1)))


def empty_the_discards(auditor: Auditor) -> None:
    auditor.state.draw_pile.append(auditor.state.discard_pile.pop())


def change_the_top(auditor: Auditor) -> None:
    auditor.state.discard_pile.append(auditor.state.draw_pile.popleft())


def give_to_the_bare(auditor: Auditor) -> None:
    auditor.state.put((1, 0), auditor.state.draw_pile.popleft())


def change_the_declarer(auditor: Auditor) -> None:
    cards = auditor.state.areas[0]
    cards[0], cards[1] = cards[1], cards[0]


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (lay_card_twice, "INV-1"),
        (empty_the_discards, "INV-2"),
        (change_the_top, "INV-2"),
        (give_to_the_bare, "INV-5"),
        (change_the_declarer, "INV-8"),
    ],
)
def test_watch(spoil: Callable[[Auditor], None], rule: str) -> None:
    log = hand.plain_round()
    auditor = Auditor(log, hand.deck_of(log))
    state = auditor.state
    state.declarer, state.shield = 0, True
    for slot in (0, 1):
        card = state.card_at((1, slot))
        assert card is not None
        state.put((1, slot), None)
        state.draw_pile.append(card)
    watch = Watch(state)
    event = auditor.log.take("turn", "SET-5")
    event.data = {**event.data, "player": 1}
    watch.settled(event)
    spoil(auditor)
    with pytest.raises(AuditError) as caught:
        watch.settled(event)
    assert caught.value.rule == rule


# Games


def game(log: Log, like: Log | None = None) -> Any:
    """Audit a game against the deck of its first round."""
    return audit_game(log, hand.deck_of(like or log))


def expect_game_refusal(log: Log, rule: str, index: int) -> None:
    """The game must be refused exactly there, by exactly this rule."""
    with pytest.raises(AuditError) as caught:
        game(log)
    assert (caught.value.rule, caught.value.index) == (rule, index), caught.value


def test_right_games_pass() -> None:
    plain = game(hand.plain_game())
    assert (plain.sums, plain.winner, len(plain.rounds)) == ([22, 28], 0, 3)
    tied = game(hand.tied_game())
    assert (tied.sums, tied.winner, len(tied.deciding)) == ([18, 4, 4], 2, 1)


def test_wrong_game_ends() -> None:
    """GAME-1, GAME-3, GAME-4."""
    log = hand.plain_game()
    last = len(log) - 1
    expect_game_refusal(changed(log, last, sums=[23, 28]), "GAME-3", last)
    expect_game_refusal(changed(log, last, winner=1), "GAME-4", last)
    expect_game_refusal(changed(log, last, winner=None), "GAME-4", last)
    expect_game_refusal(changed(log, last, rounds=2), "GAME-1", last)
    expect_game_refusal(changed(log, last, deciding_rounds=1), "GAME-4", last)
    expect_game_refusal(changed(log, last, reason="max_rounds"), "GAME-1", last)
    expect_game_refusal(log[:last], "GAME-1", last)
    expect_game_refusal([*log, log[last]], "GAME-1", last + 1)
    early = position(log, "deal", 2)
    expect_game_refusal([*log[:early], log[last]], "GAME-1", early)
    late = [*log[:last], *hand.quick_round(3, 1, [[4], [9]], [1], [4, 18], [0]), log[last]]
    expect_game_refusal(late, "GAME-1", last)


def test_wrong_deals_of_a_game() -> None:
    log = hand.plain_game()
    second = position(log, "deal", 1)
    expect_game_refusal(changed(log, second, first=1), "SET-4", second)
    expect_game_refusal(changed(log, second, round=0), "LOG", second)
    expect_game_refusal(changed(log, second, game=1), "GAME-1", second)
    rules = log[second]["rules"] | {"max_turns": 7}
    expect_game_refusal(changed(log, second, rules=rules), "GAME-1", second)
    expect_game_refusal(changed(log, second, deciding=True, seats=[0, 1]), "GAME-4", second)
    inside = second + 2
    expect_game_refusal(changed(log, inside, card="bird_4"), "TURN-7", inside)


def test_option_first_player() -> None:
    """SET-4: `rotate` wants seat 1 in round 1; `random` takes anybody."""
    second = position(hand.plain_game(), "deal", 1)
    expect_game_refusal(hand.plain_game(first_player="rotate"), "SET-4", second)
    game(hand.plain_game(first_player="random"))


def test_equals_who_came_first_begins() -> None:
    """SET-4: among equals, who came first in that round's turn order."""
    fair = {"options": {"game_threshold": 9}}
    log = [
        *hand.quick_round(0, 1, [[5], [5]], [1], [5, 10], [0], **fair),
        hand.game_end([5, 10], 0, 1, 0),
    ]
    game(log)
    equal = {"options": {"game_threshold": 16, "bao_failure_factor": 1}}
    first, second = [5, 5], [10, 10]
    log = [
        *hand.quick_round(0, 1, [[5], [5]], [1], first, [0, 1], **equal),
        *hand.quick_round(1, 1, [[5], [5]], [1], first, [0, 1], **equal),
        hand.game_end(second, None, 2, 0, "max_rounds"),
    ]
    for index in (0, position(log, "deal", 1)):
        log[index]["rules"]["max_rounds"] = 2
    game(log)
    deal = position(log, "deal", 1)
    expect_game_refusal(changed(log, deal, first=0), "SET-4", deal)
    expect_game_refusal(changed(log, len(log) - 1, winner=0), "GAME-4", len(log) - 1)
    expect_game_refusal(changed(log, len(log) - 1, reason="threshold"), "SIM-3", len(log) - 1)


def test_wrong_deciding_rounds() -> None:
    """GAME-3, GAME-4."""
    log = hand.tied_game()
    deal, last = position(log, "deal", 1), len(log) - 1
    expect_game_refusal(changed(log, deal, seats=[0, 1]), "GAME-4", deal)
    expect_game_refusal(changed(log, deal, seats=[0, 1, 2]), "GAME-4", deal)
    expect_game_refusal(changed(log, deal, deciding=False), "GAME-4", deal)
    expect_game_refusal(changed(log, deal, round=3), "LOG", deal)
    expect_game_refusal(changed(log, last, winner=1), "GAME-4", last)
    expect_game_refusal(changed(log, last, sums=[18, 12, 5]), "GAME-3", last)
    expect_game_refusal(changed(log, last, rounds=2), "GAME-1", last)
    expect_game_refusal([*log[:deal], log[last]], "GAME-4", deal)
    game(changed(log, deal, round=0))


def test_capped_deciding_rounds_are_played_again() -> None:
    """SIM-1, SIM-3: and the game is stopped at `max_rounds` deciding rounds."""
    log = hand.tied_game()
    deal = position(log, "deal", 1)
    capped = {"max_turns": 1}
    main = [hand.deal([[9], [4], [4]], [], 1, first_player="highest_score", game_threshold=4)]
    main[0] |= {"game": 0}
    main[0]["rules"] |= capped | {"max_rounds": 2}
    main += [hand.turn(0, 0), hand.draw(0, None)]
    main += [hand.end("turn_cap", [[9], [4], [4]], [9, 4, 4], [9, 4, 4], 1, [])]
    options = capped | {"max_rounds": 2, "game_threshold": 4}
    rounds = [hand.deciding_round(number, [1, 2], True, **options) for number in (1, 2)]
    stopped = hand.game_end([9, 4, 4], None, 1, 2, "tie_break_cap")
    assert game([*main, *rounds[0], *rounds[1], stopped]).winner is None
    early = [*main, *rounds[0], stopped]
    expect_game_refusal(early, "GAME-4", len(early) - 1)
    third = [*main, *rounds[0], *rounds[1], *hand.deciding_round(3, [1, 2], True, **options)]
    expect_game_refusal(third, "SIM-3", len(main) + len(rounds[0]) + len(rounds[1]))
    assert log[deal]["deciding"]
