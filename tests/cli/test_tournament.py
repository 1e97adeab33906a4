"""The command `tournament`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.api import tournament
from sim.cli import main
from sim.errors import InputError
from sim.game.tournament import load_tournament
from tests.support.studies import TOURNAMENT


@pytest.mark.jit
def test_the_command_is_the_function(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TOURNAMENT)
    options = ["--rule", "peeks=2", "--seed", "4", "--set", "2.attention=0.7", "--json", "--quiet"]
    shown = CliRunner().invoke(main, ["tournament", str(tmp_path / "t.toml"), *options])
    assert shown.exit_code == 0, shown.output
    summary = json.loads(shown.stdout)
    assert summary["rules"]["peeks"] == 2
    assert "novice(attention=0.7)" in {row["player"] for row in summary["ranking"]}
    asked = load_tournament(tmp_path / "t.toml")
    players = list(asked.players)
    players[2] = players[2].with_changes(attention=0.7)
    same = tournament(asked.with_changes(players=players, rules={"peeks": 2}, seed=4))
    assert json.loads(same.to_json()) == summary


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--players", "sharp,shap"], "--players: no such player"),
        (["--players", "sharp,novice", "--seats", "3"], "seats: expected 2, as there"),
        (["--set", "40.attention=1"], "--set 40.attention=1: no such seat"),
        (["--rule", "peaks=1"], "--rule: no such rule option"),
        (["nothing.toml"], "nothing.toml: no such file"),
        (["--out", ""], "--out: expected the name of a folder"),
    ],
)
def test_wrong_options(options: list[str], says: str) -> None:
    shown = CliRunner().invoke(main, ["tournament", "--rounds", "100", *options])
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"Error: {says}")
    assert len(shown.stderr.splitlines()) == 1


def test_a_file_of_a_sweep_is_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(TOURNAMENT + "[sweep]\n0.attention = [1, 0]\n")
    with pytest.raises(InputError) as caught:
        load_tournament(file)
    assert str(caught.value) == f"{file}: sweep: this is a sweep: use baobei sweep"
