"""Players: contract tests that every shipped player and parameter inherits, files, messages."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.errors import InputError
from sim.game.players import (
    KINDS,
    HeuristicPlayer,
    Player,
    RandomPlayer,
    load_player,
    shipped_players,
)

SHIPPED = [
    "balanced",
    "casual",
    "cautious",
    "champion",
    "duellist",
    "elephant",
    "gambler",
    "goldfish",
    "novice",
    "random",
    "rusher",
    "saboteur",
    "sharp",
    "turtle",
]

HEURISTIC = {  # name: type, least, greatest or choices
    "bao_threshold": ("integer", -20, 200),
    "bao_unknown_max": ("integer", 0, 66),
    "bao_margin": ("number", -200, 200),
    "bao_min_turn": ("integer", 0, 1000),
    "pluck_confidence": ("number", 0, 1),
    "pluck_rival_confidence": ("number", 0, 1),
    "pluck_rival_min_gain": ("number", -200, 200),
    "double_pluck": ("boolean",),
    "pluck_on_draw": ("boolean",),
    "pluck_in_window": ("boolean",),
    "gift": ("choice", "highest", "unknown", "lowest_loss"),
    "take_max_value": ("number", -200, 200),
    "take_min_gain": ("number", -200, 200),
    "keep_min_gain": ("number", -200, 200),
    "power_appetite": ("number", -200, 200),
    "look_first": ("choice", "own", "rival"),
    "swap_min_gain": ("number", -200, 200),
    "macaw_min_gain": ("number", -200, 200),
    "toco_target": ("choice", "leader", "next", "declarer", "random"),
    "show_first": ("choice", "own", "rival"),
    "shoebill_target": ("choice", "leader", "lowest", "declarer", "random"),
    "unknown_value": ("number or counted", -200, 200),
    "know_worth": ("number", -200, 200),
    "memory_span": ("integer", 0, 128),
    "forget_rate": ("number", 0, 1),
    "mix_up_rate": ("number", 0, 1),
    "count_cards": ("number", 0, 1),
    "bao_confidence": ("number", 0, 1),
    "reaction_mean": ("number", 0, 60),
    "reaction_sd": ("number", 0, 60),
    "blunder_rate": ("number", 0, 1),
    "score_awareness": ("number", -200, 200),
    "attention": ("number", 0, 1),
    "last_turns": ("boolean",),
    "last_take_max": ("number", -200, 200),
    "last_swaps": ("boolean",),
    "take_before_call": ("boolean",),
    "pluck_worth": ("number", -200, 200),
    "pluck_danger": ("number", 0, 1),
    "swap_know_worth": ("number", 0, 1),
    "game_caution": ("number", 0, 1),
}
RATES = ["bao", "pluck", "double", "take", "keep", "swap", "decline"]
RANDOM = {f"{rate}_rate": ("number", 0, 1) for rate in RATES} | {
    "reaction_mean": ("number", 0, 60),
    "reaction_sd": ("number", 0, 60),
}
PARAMETERS = [
    pytest.param(kind, spec, id=f"{name}.{spec['name']}")
    for name, kind in KINDS.items()
    for spec in kind.parameters()
]


def message(data: Any, folder: Path | None = None) -> str:
    """Return the message with which `Player.of` refuses `data`."""
    with pytest.raises(InputError) as caught:
        Player.of(data, folder=folder)
    return str(caught.value)


# --- every shipped player -----------------------------------------------------------------------


def test_the_players_that_ship() -> None:
    assert list(shipped_players()) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_player_is_whole(name: str) -> None:
    player = load_player(name)
    assert player.name == name
    assert player.kind == ("random" if name == "random" else "heuristic")
    assert type(player) is KINDS[player.kind]
    assert player.character.endswith(".")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_player_goes_through_json_and_pickle(name: str) -> None:
    player = load_player(name)
    assert Player.of(json.loads(json.dumps(player.to_dict()))) == player
    assert Player.of(player.to_dict()).fingerprint == player.fingerprint
    assert pickle.loads(pickle.dumps(player)) == player
    assert hash(pickle.loads(pickle.dumps(player))) == hash(player)


def test_no_two_shipped_players_are_the_same() -> None:
    assert len({load_player(name).fingerprint for name in SHIPPED}) == len(SHIPPED)


def test_balanced_and_random_are_the_defaults() -> None:
    assert load_player("balanced").values == HeuristicPlayer().values
    assert load_player("random").values == RandomPlayer().values


def test_the_turtle_never_calls_bao_with_any_shipped_deck() -> None:
    assert load_player("turtle").values["bao_threshold"] == -20  # the least total is -5


# --- every parameter ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "expected"), [(HeuristicPlayer, HEURISTIC), (RandomPlayer, RANDOM)]
)
def test_parameters_are_listed(kind: type[Player], expected: dict[str, tuple[Any, ...]]) -> None:
    found = {}
    for spec in kind.parameters():
        limits = spec.get("choices") or ([spec["min"], spec["max"]] if "min" in spec else [])
        found[spec["name"]] = (spec["type"], *limits)
    assert found == expected


def good_values(spec: dict[str, Any]) -> list[Any]:
    """Return the ends of a parameter's range, or all its choices."""
    if spec["type"] == "boolean":
        return [True, False]
    return list(spec.get("choices") or (spec["min"], spec["max"]))


def bad_values(spec: dict[str, Any]) -> list[Any]:
    """Return values just outside of a parameter's range, and values of wrong types."""
    if spec["type"] == "boolean":
        return [1, 0, "yes", None]
    if spec["type"] == "choice":
        return ["x", True, 1, None]
    wrong: list[Any] = [True, "1", None, [1], spec["min"] - 1, spec["max"] + 1]
    extra = [2.5] if spec["type"] == "integer" else [float("nan"), float("inf")]
    return wrong + extra


@pytest.mark.parametrize(("kind", "spec"), PARAMETERS)
def test_a_parameter_tells_what_it_is(kind: type[Player], spec: dict[str, Any]) -> None:
    assert json.loads(json.dumps(spec)) == spec
    assert spec["description"]
    assert "\n" not in spec["description"]
    assert ("unit" in spec) == (spec["type"] in ("integer", "number", "number or counted"))
    value = kind().values[spec["name"]]
    assert value == spec["default"]
    assert (type(value) is float) == (spec["type"] == "number")


@pytest.mark.parametrize(("kind", "spec"), PARAMETERS)
def test_a_parameter_takes_its_range_and_changes_the_fingerprint(
    kind: type[Player], spec: dict[str, Any]
) -> None:
    for value in good_values(spec):
        player = kind().with_changes(**{spec["name"]: value})
        assert player.values[spec["name"]] == value
        same = value == spec["default"]
        assert (player.fingerprint == kind().fingerprint) == same
        assert (player.name == "player") == same


@pytest.mark.parametrize(("kind", "spec"), PARAMETERS)
def test_a_parameter_refuses_everything_else(kind: type[Player], spec: dict[str, Any]) -> None:
    for value in bad_values(spec):
        with pytest.raises(InputError) as caught:
            kind().with_changes(**{spec["name"]: value})
        start = f"{spec['name']}: expected {spec['expected']}, got "
        assert str(caught.value).startswith(start)


def test_ways_to_write_a_number_are_one_number() -> None:
    one = load_player("balanced").with_changes(bao_margin=3)
    assert one == load_player("balanced").with_changes(bao_margin=3.0)
    assert one == load_player("balanced").with_changes(bao_margin=np.float32(3))
    zeros = [load_player("balanced").with_changes(take_min_gain=zero) for zero in (0, 0.0, -0.0)]
    assert len({player.fingerprint for player in zeros}) == 1


# --- making players -----------------------------------------------------------------------------


def test_names_tell_changes() -> None:
    balanced = load_player("balanced")
    three = balanced.with_changes(bao_threshold=3)
    assert three.name == "balanced(bao_threshold=3)"
    assert three.with_changes(bao_threshold=4, last_turns=False, attention=0.5).name == (
        "balanced(bao_threshold=4,attention=0.5,last_turns=false)"
    )
    assert balanced.with_changes(bao_threshold=5).name == "balanced"
    assert balanced.with_changes(bao_threshold=3, name="me").name == "me"
    everything = {spec["name"]: good_values(spec)[-1] for spec in HeuristicPlayer.parameters()}
    assert len(balanced.with_changes(**everything).name) == 80


def test_the_fingerprint_ignores_name_and_character() -> None:
    balanced = load_player("balanced")
    other = balanced.with_changes(name="x", character="y")
    assert other != balanced
    assert other.fingerprint == balanced.fingerprint


def test_a_file_changes_its_base_and_is_named_by_itself(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "mine.toml").write_text('base = "balanced"\nbao_threshold = 3\n')
    (tmp_path / "sub" / "ours.toml").write_text(
        'base = "../mine.toml"\nattention = 1\ncharacter = "Ours."\n'
    )
    ours = load_player(tmp_path / "sub" / "ours.toml")
    assert ours == load_player("balanced").with_changes(
        bao_threshold=3, attention=1.0, name="ours", character="Ours."
    )
    assert Player.of("sub/ours.toml", folder=tmp_path) == ours
    assert Player.of({"base": "mine.toml"}, folder=tmp_path).name == "mine"


def test_a_kind_alone_is_its_defaults() -> None:
    assert Player.of({"kind": "random"}) == RandomPlayer(name="random")


def test_a_player_without_a_kind_cannot_be_made() -> None:
    with pytest.raises(TypeError, match=r"Player\.of"):
        Player(name="x")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            {"base": "balanced", "bao_treshold": 3},
            "bao_treshold: no such parameter; did you mean 'bao_threshold'?",
        ),
        (
            {"kind": "random", "bao_threshold": 3, "take_rate": 2},
            "bao_threshold: no such parameter, expected name, character, kind, bao_rate, "
            "pluck_rate, double_rate, take_rate, keep_rate, swap_rate, decline_rate, "
            "reaction_mean, reaction_sd or base (also wrong: take_rate)",
        ),
        (
            {"base": "balanced", "bao_threshold": 2.5},
            "bao_threshold: expected a whole number from -20 to 200, got 2.5",
        ),
        (
            {"base": "balanced", "attention": 90},
            "attention: expected a number from 0 to 1, got 90",
        ),
        (
            {"base": "balanced", "gift": "higest"},
            'gift: expected "highest", "unknown" or "lowest_loss", got "higest"; '
            "did you mean 'highest'?",
        ),
        (
            {"base": "balnced"},
            "base: no such player, got \"balnced\"; did you mean 'balanced'?",
        ),
        (
            {"base": "random", "kind": "heuristic"},
            'kind: a change keeps the kind, expected "random", got "heuristic"',
        ),
        ({}, 'kind: missing, expected "heuristic" or "random", or a base'),
        (
            {"kind": "heuristc"},
            'kind: expected "heuristic" or "random", got "heuristc"; did you mean \'heuristic\'?',
        ),
        ({"kind": ["random"]}, 'kind: expected "heuristic" or "random", got ["random"]'),
        (
            {"kind": "random", "name": ""},
            'name: expected a name on one line, of 1 to 80 characters, got ""',
        ),
        (3, "expected a player's name, a path or a table, got 3"),
    ],
)
def test_a_wrong_player_is_refused(data: Any, expected: str) -> None:
    assert message(data) == expected


def test_a_mistake_in_a_file_names_the_file_that_holds_it(tmp_path: Path) -> None:
    base = tmp_path / "base.toml"
    base.write_text('base = "balanced"\nattenion = 1\n')
    (tmp_path / "top.toml").write_text('base = "base.toml"\n')
    expected = f"{base}: attenion: no such parameter; did you mean 'attention'?"
    assert message("top.toml", tmp_path) == expected


def test_a_circle_of_bases_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "me.toml"
    file.write_text('base = "me.toml"\n')
    assert message(file) == f"{file}: base: a circle of bases: me.toml -> me.toml"
