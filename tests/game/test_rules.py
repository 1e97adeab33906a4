"""The rules object: the options of the rulebook's section 16, both editions, strict values."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from sim.errors import InputError
from sim.game.rules import EDITIONS, ByPlayers, Rules, parse_rule_option, parse_rule_options

FOUR = {"2": 5, "3": 4, "4": 4, "5": 4, "6": 4}
HUNDRED = dict.fromkeys("23456", 100)

SECTION_16: list[tuple[str, Any, Any, str]] = [  # option, second, first, rule
    ("hand_size", FOUR, FOUR, "SET-1"),
    ("peeks", 2, 2, "SET-2"),
    ("first_player", "highest_score", "highest_score", "SET-4"),
    ("take_discard", True, True, "TURN-1"),
    ("plucks", "all", "all", "PLUCK-1"),
    ("double_pluck", "any", "own_draw_own_cards", "DOUBLE-1"),
    ("double_pluck_powers", "second_card", "all", "DOUBLE-4"),
    ("penalty_cards", 1, 1, "PLUCK-7"),
    ("added_card_slot", "fill_empty", "new", "SLOT-3"),
    ("window_power_order", "plucker_first", "active_first", "POW-4"),
    ("powers_optional", False, False, "POW-5"),
    ("move_lock", "turn", "pluck", "POW-LOCK"),
    ("shoebill_locks", True, True, "POW-LOCK"),
    ("bao", True, True, "BAO-1"),
    ("shield", "after_first_change", "after_first_change", "SHIELD-1"),
    ("bao_success", "zero", "zero", "SCORE-3"),
    ("bao_failure_factor", 2, 2, "SCORE-4"),
    ("bao_failure_minimum", 5, 5, "SCORE-4"),
    ("recycle_limit", 2, 2, "REC-4"),
    ("recycle_after_bao", "ignore", "ignore", "FINAL-4"),
    ("game_threshold", HUNDRED, HUNDRED, "GAME-2"),
    ("max_turns", 1000, 1000, "SIM-1"),
    ("max_rounds", 1000, 1000, "SIM-3"),
]

CHOICES = {
    "first_player": ["highest_score", "rotate", "random"],
    "plucks": ["all", "own_only", "none"],
    "double_pluck": ["any", "own_draw_own_cards", "none"],
    "double_pluck_powers": ["second_card", "all"],
    "added_card_slot": ["fill_empty", "new"],
    "window_power_order": ["plucker_first", "active_first"],
    "move_lock": ["turn", "pluck", "none"],
    "shield": ["after_first_change", "at_once", "none"],
    "bao_success": ["zero", "total"],
    "recycle_after_bao": ["ignore", "override"],
}
NUMBERS = {  # least and greatest
    "peeks": (0, 66),
    "penalty_cards": (0, 20),
    "bao_failure_factor": (1, 100),
    "bao_failure_minimum": (0, 1000),
    "recycle_limit": (0, 1000),
    "max_turns": (1, 100_000),
    "max_rounds": (1, 100_000),
}
TABLES = {"hand_size": (1, 60), "game_threshold": (1, 1_000_000)}
SWITCHES = ["take_discard", "powers_optional", "shoebill_locks", "bao"]


def message(**changes: Any) -> str:
    """Return the message with which the second edition refuses the changes."""
    with pytest.raises(InputError) as caught:
        Rules.of("second", **changes)
    return str(caught.value)


# --- editions -----------------------------------------------------------------------------------


def test_every_option_of_section_16_is_there_in_its_order_and_no_other() -> None:
    assert [option["name"] for option in Rules.options()] == [row[0] for row in SECTION_16]
    assert {*CHOICES, *NUMBERS, *TABLES, *SWITCHES} == {row[0] for row in SECTION_16}


@pytest.mark.parametrize(("edition", "column"), [("second", 1), ("first", 2)])
def test_an_edition_is_as_section_16_says(edition: str, column: int) -> None:
    rules = Rules.of(edition)
    assert rules.edition == edition
    assert rules.to_dict() == {row[0]: row[column] for row in SECTION_16}
    assert rules.changed_from_edition() == {}
    assert Rules.model_validate({"edition": edition}) == rules


def test_the_second_edition_is_meant_where_none_is_named() -> None:
    assert Rules() == Rules.of() == Rules.of("second")


def test_listings_tell_editions_rules_and_values() -> None:
    options = {option["name"]: option for option in Rules.options()}
    assert json.loads(json.dumps(options)) == options
    for name, second, first, rule in SECTION_16:
        option = options[name]
        assert (option["second"], option["first"], option["rule"]) == (second, first, rule)
        assert option["default"] == second
        assert option["description"]
        assert option["expected"]
    assert {n: options[n]["choices"] for n in CHOICES} == CHOICES
    limits = NUMBERS | TABLES
    assert {n: (options[n]["min"], options[n]["max"]) for n in limits} == limits
    assert all(options[n]["unit"] for n in limits)
    assert all(options[n]["type"] == "boolean" for n in SWITCHES)
    assert all(options[n]["type"] == "table" for n in TABLES)


# --- values -------------------------------------------------------------------------------------

GOOD = (
    [(name, choice) for name, choices in CHOICES.items() for choice in choices]
    + [(name, number) for name, limits in (NUMBERS | TABLES).items() for number in limits]
    + [(name, value) for name in SWITCHES for value in (True, False)]
)
BAD = (
    [(name, value) for name in CHOICES for value in ("maybe", True, 1, None)]
    + [(name, low - 1) for name, (low, _) in (NUMBERS | TABLES).items()]
    + [(name, high + 1) for name, (_, high) in (NUMBERS | TABLES).items()]
    + [(name, value) for name in NUMBERS | TABLES for value in (2.5, True, "2", None, [2])]
    + [(name, value) for name in SWITCHES for value in ("yes", "true", 1, 0, None)]
)


@pytest.mark.parametrize(("name", "value"), GOOD)
def test_allowed_values_are_taken(name: str, value: Any) -> None:
    found = getattr(Rules.of("second", **{name: value}), name)
    assert found == (dict.fromkeys(range(2, 7), value) if name in TABLES else value)


@pytest.mark.parametrize(("name", "value"), BAD)
def test_other_values_are_refused_by_name(name: str, value: Any) -> None:
    assert message(**{name: value}).startswith(f"{name}: expected ")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"bao": "yes"}, 'bao: expected true or false, got "yes"'),
        ({"peeks": 2.5}, "peeks: expected a whole number from 0 to 66, got 2.5"),
        ({"peeks": 67}, "peeks: expected a whole number from 0 to 66, got 67"),
        (
            {"shield": "at_onc"},
            'shield: expected "after_first_change", "at_once" or "none", got "at_onc"; '
            "did you mean 'at_once'?",
        ),
        ({"sheild": "none"}, "sheild: no such rule option; did you mean 'shield'?"),
        (
            {"hand_size": {7: 4}},
            "hand_size.7: not a number of players, expected a whole number from 2 to 6",
        ),
        ({"hand_size": {2: 0}}, "hand_size.2: expected a whole number from 1 to 60, got 0"),
        ({"hand_size": {"3": True}}, "hand_size.3: expected a whole number from 1 to 60, got true"),
        (
            {"hand_size": "x"},
            "hand_size: expected a whole number from 1 to 60 for all, or a table by number of "
            'players, 2 to 6, got "x"',
        ),
        (
            {"bao": 1, "peeks": -1},
            "peeks: expected a whole number from 0 to 66, got -1 (also wrong: bao)",
        ),
    ],
)
def test_messages_say_what_was_expected(changes: dict[str, Any], expected: str) -> None:
    assert message(**changes) == expected


def test_an_unknown_edition_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        Rules.of("frist")
    assert str(caught.value) == (
        'edition: expected "second" or "first", got "frist"; did you mean \'first\'?'
    )


def test_scalars_of_numpy_are_plain_values() -> None:
    found = Rules.of("second", peeks=np.int64(3), bao=np.False_, hand_size={2: np.int8(6)})
    assert found == Rules.of("second", peeks=3, bao=False, hand_size={2: 6})
    assert type(found.peeks) is int


# --- tables by number of players ----------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [{2: 6}, {"2": 6}, {2: 6, "4": 4}, ByPlayers({**Rules().hand_size, 2: 6})]
)
def test_a_partial_table_leaves_the_rest_to_the_edition(given: Any) -> None:
    rules = Rules.of("second", hand_size=given)
    assert dict(rules.hand_size) == {2: 6, 3: 4, 4: 4, 5: 4, 6: 4}
    assert rules.changed_from_edition() == {"hand_size": {"2": 6}}


def test_a_table_cannot_be_changed_and_has_only_2_to_6() -> None:
    table = Rules().hand_size
    with pytest.raises(TypeError):
        table[2] = 3  # type: ignore[index]
    with pytest.raises(KeyError):
        table[7]
    assert (len(table), list(table), repr(table)) == (5, [2, 3, 4, 5, 6], repr(dict(table)))


def test_the_threshold_is_assumed_until_it_is_set() -> None:
    assert Rules().threshold_assumed
    assert not Rules.of("second", game_threshold={4: 80}).threshold_assumed


# --- changes ------------------------------------------------------------------------------------


def test_changes_add_up() -> None:
    rules = Rules.of("second", peeks=3, hand_size={2: 6}).with_changes(hand_size={3: 7}, bao=False)
    assert rules.changed_from_edition() == {
        "peeks": 3,
        "hand_size": {"2": 6, "3": 7},
        "bao": False,
    }


def test_a_new_edition_keeps_what_was_changed_and_brings_the_rest() -> None:
    rules = Rules.of("second", peeks=3).with_changes(edition="first")
    assert rules == Rules.of("first", peeks=3)
    assert rules.double_pluck == "own_draw_own_cards"


def test_a_change_named_with_a_new_edition_wins_over_it() -> None:
    rules = Rules().with_changes(edition="first", double_pluck="any")
    assert rules.changed_from_edition() == {"double_pluck": "any"}


@pytest.mark.parametrize("edition", EDITIONS)
def test_to_dict_goes_through_json_and_back(edition: str) -> None:
    rules = Rules.of(edition, peeks=0, game_threshold={6: 55})
    assert Rules.of(edition, **json.loads(json.dumps(rules.to_dict()))) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(rules) == hash(pickle.loads(pickle.dumps(rules)))


@pytest.mark.parametrize(("name", "value"), GOOD)
def test_the_fingerprint_changes_with_every_option(name: str, value: Any) -> None:
    rules = Rules.of("second", **{name: value})
    assert (rules.fingerprint == Rules().fingerprint) == (rules == Rules())


def test_editions_set_alike_have_one_fingerprint() -> None:
    alike = Rules.of("first", **Rules.of("second").to_dict())
    assert alike != Rules.of("second")
    assert alike.fingerprint == Rules.of("second").fingerprint


def test_rules_are_frozen() -> None:
    rules, field = Rules(), "peeks"
    with pytest.raises(ValidationError, match="frozen"):
        setattr(rules, field, 3)


# --- KEY=VALUE ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bao=false", ("bao", False)),
        (" peeks = 3 ", ("peeks", 3)),
        ("shield=at_once", ("shield", "at_once")),
        ('shield="at_once"', ("shield", "at_once")),
        ("max_turns=1_000", ("max_turns", 1000)),
        ("hand_size=6", ("hand_size", 6)),
        ("hand_size.2=6", ("hand_size", {2: 6})),
    ],
)
def test_a_rule_option_is_read(text: str, expected: tuple[str, Any]) -> None:
    assert parse_rule_option(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bao", '--rule: expected KEY=VALUE, got "bao"'),
        ("bao=", '--rule: expected KEY=VALUE, got "bao="'),
        ("=3", '--rule: expected KEY=VALUE, got "=3"'),
        ("bao=yes", '--rule: bao: expected true or false, got "yes"'),
        ("bao=True", "--rule: bao: expected true or false, got \"True\"; did you mean 'true'?"),
        ("peek=3", "--rule: no such rule option, got \"peek\"; did you mean 'peeks'?"),
        ("peeks=2.5", "--rule: peeks: expected a whole number from 0 to 66, got 2.5"),
        (
            "peeks.2=3",
            "--rule: peeks: is not a table by number of players, expected peeks=VALUE, "
            'got "peeks.2=3"',
        ),
        (
            "hand_size.9=3",
            "--rule: hand_size.9: not a number of players, expected a whole number from 2 to 6",
        ),
        ("hand_size.2=x", '--rule: hand_size.2: expected a whole number from 1 to 60, got "x"'),
        ("peeks=3\nbao=1", '--rule: peeks: expected a whole number from 0 to 66, got "3\\nbao=1"'),
    ],
)
def test_a_wrong_rule_option_is_refused(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_rule_option(text)
    assert str(caught.value) == expected


def test_a_far_off_rule_option_is_answered_with_all_of_them() -> None:
    with pytest.raises(InputError, match=r"expected hand_size, peeks, .* or max_rounds, got"):
        parse_rule_option("xxxx=3")


@pytest.mark.parametrize("twice", [("peeks=1", "peeks=4"), ("hand_size.2=3", "hand_size.2 = 4")])
def test_the_same_rule_option_twice_is_refused(twice: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=f"set twice, by {twice[0]} and {twice[1]}"):
        parse_rule_options(twice)


def test_several_rule_options_add_up_and_later_ones_win() -> None:
    texts = ["hand_size=6", "hand_size.2=3", "hand_size.3=5", "peeks=1"]
    changes = parse_rule_options(texts)
    assert changes == {"hand_size": {2: 3, 3: 5, 4: 6, 5: 6, 6: 6}, "peeks": 1}
    assert parse_rule_options(["hand_size.2=3", "hand_size=6"]) == {"hand_size": 6}
