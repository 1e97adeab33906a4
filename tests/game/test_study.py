"""Studies: three ways to the same study, fingerprints, what can be dealt, messages."""

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.errors import InputError
from sim.game.deck import Deck, load_deck
from sim.game.players import load_player
from sim.game.rules import Rules
from sim.game.study import Study, load_study, shipped_studies

TWO = ["balanced", "sharp"]

FILE = """
title = "Early or late"
question = "Which threshold wins?"
name = "early"
players = ["balanced", "own.toml", { base = "balanced", bao_threshold = 3 }]
edition = "first"
deck = "cards.toml"
rounds = 5000
seed = 7

[rules]
bao_failure_minimum = 10
hand_size.3 = 6
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a study file, and a player and a deck that it names."""
    (tmp_path / "study.toml").write_text(FILE)
    (tmp_path / "own.toml").write_text('base = "gambler"\nattention = 0.5\n')
    (tmp_path / "cards.toml").write_text('base = "five_per_power"\nchange.macaw.copies = 4\n')
    return tmp_path


def study(**changes: Any) -> Study:
    """Return a small study of two players."""
    given: dict[str, Any] = {"players": TWO, "rounds": 10} | changes
    return Study.of(**{key: value for key, value in given.items() if value is not ...})


def message(**changes: Any) -> str:
    """Return the message with which the small study, changed, is refused; `...` leaves out."""
    with pytest.raises(InputError) as caught:
        study(**changes)
    return str(caught.value)


# --- ways to a study ----------------------------------------------------------------------------


def test_file_arguments_and_changes_make_equal_studies(folder: Path) -> None:
    from_file = Study.from_file(folder / "study.toml")
    words: dict[str, Any] = {
        "title": "Early or late",
        "question": "Which threshold wins?",
        "name": "early",
    }
    from_names = Study.of(
        players=["balanced", "own.toml", {"base": "balanced", "bao_threshold": 3}],
        edition="first",
        deck="cards.toml",
        rules={"bao_failure_minimum": 10, "hand_size": {3: 6}},
        rounds=5000,
        seed=7,
        folder=folder,
        **words,
    )
    balanced = load_player("balanced")
    from_objects = Study.of(
        players=(
            balanced,
            load_player(folder / "own.toml"),
            balanced.with_changes(bao_threshold=3),
        ),
        deck=load_deck(folder / "cards.toml"),
        rules=Rules.of("first", bao_failure_minimum=10, hand_size={3: 6}),
        rounds=5000,
        seed=7,
        **words,
    )
    from_changes = load_study().with_changes(
        players=from_names.players,
        edition="first",
        deck=folder / "cards.toml",
        rules={"bao_failure_minimum": 10, "hand_size": {"3": 6}},
        rounds=5000,
        seed=7,
        **words,
    )
    for other in (from_names, from_objects, from_changes):
        assert other == from_file
        assert other.fingerprint == from_file.fingerprint
        assert hash(other) == hash(from_file)


def test_players_may_be_one_text_with_commas() -> None:
    assert study(players="balanced, sharp") == study()


def test_to_dict_goes_through_json_and_back(folder: Path) -> None:
    found = Study.from_file(folder / "study.toml")
    data = json.loads(json.dumps(found.to_dict()))
    assert Study.from_dict(data) == found
    assert data["edition"] == "first"
    assert data["rules"] == found.rules.to_dict()
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_study_as_resolved_needs_no_file(folder: Path) -> None:
    data = Study.from_file(folder / "study.toml").to_dict()
    for file in folder.glob("*.toml"):
        file.unlink()
    assert Study.from_dict(data).players[1].name == "own"


def test_the_built_in_study() -> None:
    assert shipped_studies() == ("first",)
    found = load_study()
    assert [player.name for player in found.players] == ["balanced", "cautious", "gambler", "sharp"]
    assert (found.edition, found.deck.name, found.seed) == ("second", "five_per_value", 1)
    assert (found.rounds, found.games, found.unit, found.count) == (10**6, None, "rounds", 10**6)
    assert found.deck_assumed


def test_deck_and_edition_have_defaults() -> None:
    assert (study().deck, study().rules) == (load_deck("five_per_value"), Rules.of("second"))
    plain = Study.from_dict({"players": TWO, "rounds": 10})
    assert plain == study() == Study(players=tuple(map(load_player, TWO)), rounds=10)


def test_scalars_of_numpy_are_plain_values() -> None:
    assert study(rounds=np.int64(10), seed=np.uint64(3)) == study(seed=3)


# --- changes ------------------------------------------------------------------------------------


def test_rounds_and_games_replace_each_other() -> None:
    games = study().with_changes(games=3)
    assert (games.rounds, games.games, games.unit, games.count) == (None, 3, "games", 3)
    assert games.with_changes(rounds=10) == study()
    assert games.with_changes(seed=2).games == 3


def test_changes_of_rules_add_up() -> None:
    found = study(rules={"peeks": 3}).with_changes(rules={"bao": False})
    assert found.rules.changed_from_edition() == {"peeks": 3, "bao": False}
    assert found.with_changes(rules=Rules()).rules == Rules()


def test_a_new_edition_keeps_changes_and_yields_to_those_named_with_it() -> None:
    found = study(rules={"peeks": 3})
    assert found.with_changes(edition="first").rules == Rules.of("first", peeks=3)
    both = found.with_changes(edition="first", rules={"double_pluck": "any"})
    assert both.rules == Rules.of("first", peeks=3, double_pluck="any")


def test_none_changes_nothing() -> None:
    given = dict.fromkeys(["players", "rounds", "games", "edition", "deck", "rules", "seed"])
    assert study(seed=5).with_changes(**given) == study(seed=5)


# --- fingerprints -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"players": ["balanced", "gambler"]},
        {"players": ["sharp", "balanced"]},
        {"players": [*TWO, "novice"]},
        {"players": [{"base": "balanced", "attention": 0.8}, "sharp"]},
        {"rules": {"peeks": 3}},
        {"edition": "first"},
        {"deck": "five_per_power"},
        {"rounds": ..., "games": 10},
    ],
)
def test_the_fingerprint_changes_with_what_determines_the_numbers(change: dict[str, Any]) -> None:
    assert study(**change).fingerprint != study().fingerprint
    assert study(**change).design_id != study().design_id


def test_the_seed_is_in_the_fingerprint_but_not_in_the_design() -> None:
    assert study(seed=2).fingerprint != study(seed=1).fingerprint
    assert study(seed=2).design_id == study(seed=1).design_id


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 11},
        {"name": "x"},
        {"title": "x"},
        {"question": "x"},
        {"players": [{"base": "balanced", "name": "x", "character": "y"}, "sharp"]},
        {"deck": {**load_deck("five_per_value").to_dict(), "name": "x", "title": "y"}},
    ],
)
def test_counts_names_and_titles_are_not_in_the_fingerprint(change: dict[str, Any]) -> None:
    assert study(**change) != study()
    assert study(**change).fingerprint == study().fingerprint


def test_the_rules_id_tells_rules_and_deck_and_nothing_else() -> None:
    same = study(players=["random", "turtle", "novice"], seed=9, rounds=..., games=2)
    assert same.rules_id == study().rules_id
    others = [study(deck="five_per_power"), study(edition="first"), study(rules={"peeks": 1})]
    assert len({study().rules_id, *(other.rules_id for other in others)}) == 4


# --- what can be dealt --------------------------------------------------------------------------


def test_a_deck_must_give_all_hands_the_first_discard_and_a_card_to_draw() -> None:
    assert study(rules={"hand_size": 32}).rules.hand_size[2] == 32  # 2 x 32 + 2 = 66
    assert message(rules={"hand_size": 33}) == (
        "deck: 'five_per_value' is too small for 2 players, expected at least 68 cards "
        "(2 hands of 33, the first discard and 1 card to draw), got 66"
    )


def test_deciding_rounds_are_checked_for_games_only() -> None:
    three, big = [*TWO, "novice"], {"hand_size": {2: 33}}
    assert study(players=three, rules=big)
    assert message(players=three, rules=big, rounds=..., games=1).startswith(
        "deck: 'five_per_value' is too small for 2 players in a deciding round, expected "
    )


def test_a_tiny_deck_is_enough_for_a_tiny_table() -> None:
    def tiny(copies: int) -> dict[str, Any]:
        return {"birds": {"a": {"value": 1, "copies": copies}}}

    assert study(deck=tiny(4), rules={"hand_size": 1}).deck.size == 4
    assert "expected at least 4 cards" in message(deck=tiny(3), rules={"hand_size": 1})


# --- mistakes -----------------------------------------------------------------------------------

COUNT = "a whole number from 1 to 68719476736"
SEED = "a whole number from 0 to 18446744073709551615"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"games": 5}, "games: rounds and games at once, expected one of the two, got 5"),
        (
            {"rounds": ...},
            "rounds: neither rounds nor games, expected a whole number for one of the two",
        ),
        ({"rounds": 0}, f"rounds: expected {COUNT}, got 0"),
        ({"rounds": 1e6 + 0.5}, f"rounds: expected {COUNT}, got 1000000.5"),
        ({"rounds": True}, f"rounds: expected {COUNT}, got true"),
        ({"rounds": 2**36 + 1}, f"rounds: expected {COUNT}, got 68719476737"),
        ({"seed": -1}, f"seed: expected {SEED}, got -1"),
        ({"seed": 2**64}, f"seed: expected {SEED}, got 18446744073709551616"),
        ({"seed": "7"}, f'seed: expected {SEED}, got "7"'),
        ({"players": ["balanced"]}, "players: expected 2 to 6 players, got 1"),
        ({"players": ["balanced"] * 7}, "players: expected 2 to 6 players, got 7"),
        ({"players": []}, "players: expected 2 to 6 players, got 0"),
        ({"players": 3}, "players: expected a list of 2 to 6 players, got 3"),
        (
            {"players": ["balanced", "shrap"]},
            "players.1: no such player, got \"shrap\"; did you mean 'sharp'?",
        ),
        (
            {"players": ["balanced", {"base": "sharp", "atention": 1}]},
            "players.1.atention: no such parameter; did you mean 'attention'?",
        ),
        (
            {"edition": "frist"},
            'edition: expected "second" or "first", got "frist"; did you mean \'first\'?',
        ),
        ({"rules": {"peek": 1}}, "rules.peek: no such rule option; did you mean 'peeks'?"),
        ({"rules": {"bao": 1}}, "rules.bao: expected true or false, got 1"),
        (
            {"rules": {"hand_size": {"9": 1}}},
            "rules.hand_size.9: not a number of players, expected a whole number from 2 to 6",
        ),
        (
            {"rules": {"edition": "first"}},
            "rules.edition: belongs to the study, outside of its rules: above [rules]",
        ),
        ({"rules": [1]}, "rules: expected a table of rule options, got [1]"),
        (
            {"deck": "five_per_powr"},
            "deck: no such deck, expected five_per_power or five_per_value, or the path of a TOML "
            "file, got \"five_per_powr\"; did you mean 'five_per_power'?",
        ),
        (
            {"deck": {"base": "five_per_value", "change": {"macw": {}}}},
            "deck.change.macw: no such bird in deck 'five_per_value'; did you mean 'macaw'?",
        ),
    ],
)
def test_a_wrong_study_is_refused(change: dict[str, Any], expected: str) -> None:
    assert message(**change) == expected


@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_seeds_are_whole_64_bit_numbers(seed: int) -> None:
    found = study(seed=seed)
    assert Study.from_dict(json.loads(json.dumps(found.to_dict()))).seed == seed


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "rounds",
            "ronds",
            "study.toml: ronds: no such key, expected players, rules, deck, rounds, games, seed, "
            "name, title, question or edition; did you mean 'rounds'?",
        ),
        ("players", "plyers", "study.toml: plyers: no such key"),
        ("seed = 7", "seed = ", "study.toml: line 8, column 8: not valid TOML: Invalid value"),
        ("= 10", '= "x"', "study.toml: rules.bao_failure_minimum: expected a whole number"),
        ("own.toml", "onw.toml", "study.toml: players.1: no such file '"),
    ],
)
def test_a_mistake_in_a_file_names_file_and_key(
    folder: Path, old: str, new: str, expected: str
) -> None:
    file = folder / "study.toml"
    file.write_text(
        FILE.replace(old, new).lstrip("\n") if "seed" in old else FILE.replace(old, new)
    )
    with pytest.raises(InputError) as caught:
        Study.from_file(file)
    told = str(caught.value)
    assert told.startswith(f"{folder}/{expected}")


def test_a_missing_file_in_a_file_is_named_with_a_near_one(folder: Path) -> None:
    file = folder / "study.toml"
    file.write_text(FILE.replace("own.toml", "onw.toml"))
    told = f"no such file '{folder / 'onw.toml'}'; did you mean '{folder / 'own.toml'}'?"
    with pytest.raises(InputError) as caught:
        Study.from_file(file)
    assert str(caught.value) == f"{file}: players.1: {told}"


@pytest.mark.parametrize("wrong", [None, 3, b"first", ["first"]])
def test_a_study_is_named_by_a_text_or_a_path(wrong: Any) -> None:
    with pytest.raises(InputError, match="expected a study's name or the path of a TOML file"):
        load_study(wrong)


def test_files_of_other_commands_are_told_apart() -> None:
    players = ["balanced", "sharp"]
    for key, kind in [("sweep", "sweep"), ("seats", "tournament")]:
        with pytest.raises(InputError) as caught:
            Study.from_dict({"players": players, "rounds": 1, key: 2})
        assert str(caught.value) == f"{key}: this is a {kind}: use baobei {kind}"


def test_a_mistake_in_a_player_file_names_that_file(folder: Path) -> None:
    (folder / "own.toml").write_text('base = "gambler"\nattention = 2\n')
    with pytest.raises(InputError) as caught:
        Study.from_file(folder / "study.toml")
    assert str(caught.value) == (
        f"{folder / 'own.toml'}: attention: expected a number from 0 to 1, got 2"
    )


def test_an_unknown_argument_of_a_change_is_refused() -> None:
    with pytest.raises(InputError, match=r"sed: no such key, .*; did you mean 'seed'"):
        study().with_changes(sed=3)


def test_a_study_that_does_not_exist() -> None:
    with pytest.raises(InputError, match="no such study, expected first, or the path"):
        load_study("frist")
    with pytest.raises(InputError, match="expected a table with the keys of a study, got 3"):
        Study.from_dict(3)  # type: ignore[arg-type]


def test_a_deck_of_ones_own_is_not_assumed() -> None:
    own = Deck.of({"birds": {"a": {"value": 1, "copies": 20}}})
    assert not study(deck=own).deck_assumed


# --- imports ------------------------------------------------------------------------------------


def test_importing_studies_imports_nothing_heavy() -> None:
    heavy = {"numba", "numpy", "pandas", "matplotlib", "sim.engine"}
    code = f"import sim.game.study, sys; print(sorted(set(sys.modules) & {heavy!r}))"
    root = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
