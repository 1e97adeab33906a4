"""The command `list`."""

import json

import pytest
from click.testing import CliRunner, Result

from sim.cli import main

pytestmark = pytest.mark.jit


def baobei(*arguments: str) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(main, arguments)


def test_list_decks() -> None:
    text = baobei("list", "decks").stdout
    assert "five_per_value: 66 cards; the numbers of copies are an assumption" in text
    assert "Golden Toucan" in text
    found = json.loads(baobei("list", "decks", "--json").stdout)
    assert {deck["name"] for deck in found} == {"five_per_value", "five_per_power"}
    assert found[0]["size"] == 66


def test_list_rules() -> None:
    text = baobei("list", "rules").stdout
    for option in json.loads(baobei("list", "rules", "--json").stdout):
        assert f"\n{option['name']} = " in text
        assert f"[{option['rule']}]" in text
    assert "double_pluck = any (second edition), own_draw_own_cards (first edition)" in text
    assert "hand_size = 5 for 2, 4 for 3-6 players" in text
    assert baobei("list", "rules", "peeks").stdout.count(" = ") == 1


def test_list_players() -> None:
    text = baobei("list", "players").stdout
    found = json.loads(baobei("list", "players", "--json").stdout)
    for player in found["players"]:
        assert f"\n{player['name']} " in text
    for parameters in found["kinds"].values():
        for parameter in parameters:
            assert parameter["name"] in text


def test_list_players_compares() -> None:
    text = baobei("list", "players", "balanced", "sharp").stdout
    assert "bao_threshold" in text
    assert "toco_target" not in text  # the same for both
    assert "They play alike." in baobei("list", "players", "sharp", "sharp").stdout
    assert "double_rate" in baobei("list", "players", "random").stdout
    both = baobei("list", "players", "random", "sharp").stdout
    assert "double_rate" in both
    assert "attention" in both


def test_list_metrics_knows_every_column() -> None:
    from sim.core.codes import RECORD_COLUMNS

    text = baobei("list", "metrics").stdout
    assert "win_share" in text
    assert "stopped_by" in text
    found = json.loads(baobei("list", "metrics", "--json").stdout)
    assert [column["name"] for column in found["records"]] == list(RECORD_COLUMNS)


def test_list_metrics_by_name() -> None:
    text = baobei("list", "metrics", "win_share", "score_mean").stdout
    assert "win_share" in text
    assert "bao_called" not in text
    assert "Columns of records" not in text
    found = json.loads(baobei("list", "metrics", "score", "--json").stdout)
    assert {key: [each["name"] for each in some] for key, some in found.items()} == {
        "summary": [],
        "run": [],
        "records": ["score"],
    }


@pytest.mark.parametrize("what", ["decks", "rules", "players", "metrics"])
def test_lists_fit_a_terminal(what: str) -> None:
    text = baobei("list", what).stdout
    assert max(map(len, text.splitlines())) <= 100
    json.loads(baobei("list", what, "--json").stdout)
