"""The command `compare`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from analysis.results.comparison import Comparison
from sim.api import compare, load_comparison
from sim.batch.pairs import PairJob, play_pairs
from sim.cli import main
from sim.game.study import Study

pytestmark = pytest.mark.jit


ALIKE = ["balanced"] * 3


MIXED = ["balanced", "sharp", {"base": "balanced", "bao_threshold": 3}]


def study(players: Any = ALIKE, **changes: Any) -> Study:
    """Return a short study."""
    return Study.of(**({"players": players, "rounds": 600, "seed": 5} | changes))


def quiet(a: Any, b: Any = None, **options: Any) -> Comparison:
    return compare(a, b, progress=False, **options)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_two_studies_that_are_the_same_are_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text(TOML)
    assert "nothing is changed" in baobei("a.toml").stderr
    assert "nothing is changed" in baobei("a.toml", "a.toml").stderr
    assert "nothing is changed" not in baobei("a.toml", "--rule", "bao=false").stderr
    assert baobei("a.toml", "--quiet").stderr == ""


def baobei(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["compare", *arguments])


TOML = 'players = ["balanced", "balanced", "balanced"]\nrounds = 200\nseed = 4\n'


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--rule", "bao_failure_minimum=10"], ["rules.bao_failure_minimum"]),
        (["--set", "1.bao_threshold=2"], ["players.1.bao_threshold"]),
        (["--deck", "five_per_power"], ["deck"]),
        (["--players", "balanced,sharp,balanced"], ["players.1"]),
        (["--edition", "first"], ["edition"]),
        (["--rule", "shield=none", "--rule", "bao=false"], ["rules.bao", "rules.shield"]),
        ([], []),
    ],
)
def test_a_second_study_in_one_line(tmp_path: Path, options: list[str], what: list[str]) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    done = baobei(str(tmp_path / "a.toml"), *options, "--json", "--quiet")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["seed"], found["rounds"]) == (4, 201 if found["rotated"] else 200)
    told = [each["what"] for each in found["changed"]]
    assert set(what) <= set(told)
    assert bool(told) == bool(what)


def test_two_files_and_none(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    (tmp_path / "b.toml").write_text(TOML.replace("4", "6") + "[rules]\nbao = false\n")
    done = baobei(str(tmp_path / "a.toml"), str(tmp_path / "b.toml"), "--out", str(tmp_path / "c"))
    assert done.exit_code == 0
    assert "both studies are played with seed 4; the second says 6" in done.stderr
    assert "results are in" in done.stderr
    assert "rules.bao true → false" in done.stdout
    assert "seats stay" in done.stdout
    one = load_comparison(tmp_path / "c").to_json()
    again = baobei(str(tmp_path / "a.toml"), "--rule", "bao=false", "--json", "--threads", "1")
    assert again.stdout == one + "\n"
    built_in = baobei("--rule", "bao_failure_minimum=10", "--rounds", "202")
    assert built_in.exit_code == 0
    assert "202 rounds are rounded up to 204: full blocks of 4 rotations" in built_in.stderr
    assert "all rotations" in built_in.stdout.replace("\n           ", " ")
    stays = baobei("--rule", "bao_failure_minimum=10", "--rounds", "202", "--no-rotate", "--json")
    assert json.loads(stays.stdout)["rounds"] == 202
    games = baobei("--rule", "bao_failure_minimum=10", "--games", "8", "--json", "--quiet")
    assert json.loads(games.stdout)["games"] == 8


def test_a_page_in_one_go(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    page = tmp_path / "page.html"
    done = baobei(str(tmp_path / "a.toml"), "--rule", "shield=none", "--report", str(page))
    assert done.exit_code == 0, done.stderr
    assert "when the declarer" in page.read_text("utf-8")
    wrong = baobei(str(tmp_path / "a.toml"), "--report", str(tmp_path / "no" / "page.html"))
    assert wrong.exit_code == 2
    assert wrong.stdout == ""


def test_nothing_differs_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    done = baobei(str(tmp_path / "a.toml"))
    assert done.exit_code == 0
    assert "nothing: the two studies play the same" in done.stdout
    assert "No round differs" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.toml", "a.toml", "--rule", "bao=false"], "--rule: changes, and a second study"),
        (["a.toml", "a.toml", "a.toml"], "more than two studies"),
        (["a.toml", "--players", "sharp,sharp"], "the first study has 3 players, the second 2"),
        (["a.toml", "games.toml"], "games.toml: games: the first study is one of rounds"),
        (["a.toml", "missing.toml"], "missing.toml"),
        (["a.toml", "--rule", "boa=false"], "bao"),
        (["a.toml", "--rounds", "5", "--games", "5"], "rounds and games at once"),
        (["a.toml", "--out", ""], "--out"),
        (["a.toml", "--set", "7.bao_threshold=4"], "no such seat"),
        (["sweep.toml"], "this is a sweep"),
    ],
)
def test_bad_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text(TOML)
    Path("games.toml").write_text(TOML.replace("rounds", "games"))
    Path("sweep.toml").write_text(TOML + '[sweep]\n"rules.bao" = [true, false]\n')
    done = baobei(*arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.api.play_comparison", stop)
    done = baobei("--rounds", "100")
    assert done.exit_code == 130
    assert "nothing is kept" in done.stderr


@pytest.mark.parametrize("players", [ALIKE, MIXED], ids=["alike", "rotated"])
def test_an_interrupted_comparison_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: Any
) -> None:
    options: dict[str, Any] = {"rules": {"shield": "none"}, "threads": 1, "chunk": 10}
    begun: list[int] = []

    def stopping(job: PairJob, begin: int, end: int) -> Any:
        begun.append(begin)
        if begin >= 50 and len(begun) <= 10:
            raise KeyboardInterrupt
        return play_pairs(job, begin, end)

    monkeypatch.setattr("sim.batch.pairs.play_pairs", stopping)
    with pytest.raises(KeyboardInterrupt):
        quiet(study(players), out=tmp_path / "there", **options)
    assert (tmp_path / "there" / "journal.txt").exists()
    begun[:] = range(20)
    found = quiet(study(players), out=tmp_path / "there", **options)
    assert 50 in begun[20:]
    assert min(k for k in begun[21:]) == 50  # the first one was played for nothing, to compile
    monkeypatch.undo()
    assert found == quiet(study(players), out=tmp_path / "whole", **options)
    assert contents(tmp_path / "there") == contents(tmp_path / "whole")


@pytest.mark.parametrize("file", ["journal.txt", "journal.jsonl", "unfinished.json"])
@pytest.mark.parametrize("text", ["", "{", "[]", '{"fingerprint": 1}', '{"pairs": {}}'])
def test_what_was_kept_and_is_damaged_is_played_again(tmp_path: Path, text: str, file: str) -> None:
    whole = quiet(study(), rules={"bao": False}, out=tmp_path / "whole")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / file).write_text(text)
    assert quiet(study(), rules={"bao": False}, out=tmp_path / "there") == whole
    assert contents(tmp_path / "there") == contents(tmp_path / "whole")
