"""The command `sweep`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.api import sweep
from sim.cli import main
from sim.game.study import Study

FILE = """
players = ["balanced", "novice"]
rounds = 200
[sweep]
"0.bao_threshold" = [2, 8]
0.attention = { from = 0.5, to = 1.0, steps = 2 }
rules.bao_failure_minimum = [5]
"""


@pytest.mark.jit
def test_the_command_is_the_function(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(FILE)
    options = ["--over", "1.attention=0.6,0.7", "--set", "1.blunder_rate=0.1", "--json", "--quiet"]
    shown = CliRunner().invoke(main, ["sweep", str(tmp_path / "s.toml"), *options])
    assert shown.exit_code == 0, shown.output
    study = Study.of(players=["balanced", {"base": "novice", "blunder_rate": 0.1}], rounds=200)
    over = {
        "0.bao_threshold": [2, 8],
        "0.attention": [0.5, 1.0],
        "rules.bao_failure_minimum": [5],
        "1.attention": [0.6, 0.7],
    }
    same = json.loads(sweep(study, over).to_json())
    told = json.loads(shown.stdout)
    assert told["points"] == same["points"]


@pytest.mark.jit
def test_names_in_brackets_need_no_quotes_and_the_heading_has_all(tmp_path: Path) -> None:
    """Of an edition or a deck that is varied; on the page likewise."""
    options = ["--over", "0.player=[balanced, sharp]", "--over", "edition=second,first"]
    options += ["--over", "deck=five_per_value,five_per_power", "--players", "novice,novice"]
    page = tmp_path / "page.html"
    options += ["--rounds", "20", "--report", str(page)]
    shown = CliRunner().invoke(main, ["sweep", *options])
    assert shown.exit_code == 0, shown.output
    game = "second or first edition, deck five_per_value or five_per_power: 8 points over"
    assert game in " ".join(shown.stdout.split())
    told = page.read_text(encoding="utf-8")
    assert "second edition / first edition, deck five_per_value / five_per_power;" in told


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "sweep: nothing is varied"),
        (["--over", "0.attention"], "--over 0.attention: expected KEY=VALUES"),
        (["--over", "0.attention=1", "--over", "0.attention=0"], "0.attention: varied twice"),
        (["--over", "players=balanced"], 'got "balanced"'),
        (["--over", "0.player=[balanced, shrap]"], "no such player, got"),
        (["--over", "0.player=[balanced, sharp"], "brackets closed and names in quotes"),
        (["--over", "0.attention={from=0, to=1, step=3}"], "did you mean 'steps'?"),
        (["--over", "0.bao_threshold={from=0, to=6, step=3}"], "did you mean 'steps'?"),
        (["--over", "rounds=1,2"], "rounds: no such axis, expected it above [sweep]"),
        (["--over", "0.atention=1"], "sweep.0.atention: no such parameter"),
        (["--over", "0.attention=1", "--players", "shap,sharp"], "--players: no such player"),
        (["--over", "0.attention=1", "--rounds", "9", "--games", "9"], "--games: rounds and games"),
        (["--over", "0.attention=1", "--out", ""], "--out: expected the name of a folder"),
    ],
)
def test_wrong_options(options: list[str], says: str) -> None:
    shown = CliRunner().invoke(main, ["sweep", *options])
    assert shown.exit_code == 2
    assert len(shown.stderr.splitlines()) == 1
    assert says in shown.stderr
