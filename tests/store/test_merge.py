"""Ranges, `extend` and `merge`: what they refuse and why, and their commands."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sim import extend, load_results, merge, run
from sim.cli import main
from sim.engine import ENGINE_VERSION
from sim.errors import InputError
from sim.store.files import locked
from tests.support.runs import content, prepare, study

pytestmark = pytest.mark.jit

TABLE = ["run", "--players", "balanced,sharp,random", "--seed", "7", "--quiet"]


def baobei(*arguments: str | Path) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(*arguments: str | Path) -> str:
    """Return the one line with which a command line is refused."""
    result = baobei(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("Error: ").rstrip()


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, Path]:
    """Folders with rounds 0 to 999, and 2,000 to 2,999, of 3,000."""
    folders = {"a": (0, 1000), "c": (2000, 3000)}
    for name, only in folders.items():
        run(study(), only=only, out=tmp_path / name)
    return {name: tmp_path / name for name in folders}


# --- ranges ---------------------------------------------------------------------------------------


def test_ranges_on_the_command_line(tmp_path: Path) -> None:
    for name, only in {"a": "0:1e3", "b": "1000:2_000", "c": "2000:3000"}.items():
        done = baobei(*TABLE, "--rounds", "3000", "--range", only, "--out", tmp_path / name)
        assert done.exit_code == 0, done.stderr
        assert load_results(tmp_path / name).stopped_by == "range"
    folders = [tmp_path / name for name in "cab"]
    done = baobei("merge", *folders, "--out", tmp_path / "whole", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["rounds"] == 3000
    assert "ranges" not in json.loads(done.stdout)
    run(study(), out=tmp_path / "once")
    assert content(tmp_path / "whole") == content(tmp_path / "once")


@pytest.mark.parametrize("only", ["5", "5:", ":5", "7:7", "9:3", "-1:5", "a:b", "1:2:3", "0:1.5"])
def test_no_ranges(only: str) -> None:
    assert "expected BEGIN:END, such as 0:1000000" in refused("run", "--range", only)


def test_a_range_beyond_the_study() -> None:
    said = refused("run", "--rounds", "100", "--range", "0:101")
    assert said.startswith("--range: goes beyond the end of the study, which is 100, expected")


def test_a_part_says_so(parts: dict[str, Path]) -> None:
    text = load_results(parts["c"]).to_text()
    assert "rounds 2,000 to 2,999" in text
    assert load_results(parts["c"]).summary()["rounds"] == 1000


def test_ranges_may_overlap_what_is_there(parts: dict[str, Path]) -> None:
    more = run(study(), only=(500, 1500), out=parts["a"])
    assert more.ranges == ((0, 1500),)
    assert more.sums == run(study(rounds=1500)).sums


# --- extend ---------------------------------------------------------------------------------------


def test_extend_on_the_command_line(tmp_path: Path) -> None:
    run(study(rounds=1000, title="Three"), out=tmp_path / "a", records=True)
    done = baobei("extend", tmp_path / "a", "--rounds", "3e3", "--threads", "2")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("Three\n")
    assert done.stderr == f"results are in {tmp_path / 'a'}\n"
    run(study(), out=tmp_path / "once", records=True)
    assert content(tmp_path / "a") == content(tmp_path / "once")


def test_extend_games_for_a_while(tmp_path: Path) -> None:
    run(study(games=20), out=tmp_path)
    part = extend(tmp_path, games=5000, max_seconds=1e-6)
    assert part.stopped_by == "max_seconds"
    assert 20 < part.summary()["games"] < 5000


def test_what_extend_refuses(tmp_path: Path) -> None:
    run(study(rounds=1000), out=tmp_path / "a")
    run(study(games=20), out=tmp_path / "g")
    before = content(tmp_path / "a")
    assert "no results here" in refused("extend", tmp_path / "none", "--rounds", "5")
    assert "rounds or games?" in refused("extend", tmp_path / "a")
    assert "rounds or games?" in refused("extend", tmp_path / "a", "--rounds", "5", "--games", "5")
    said = refused("extend", tmp_path / "a", "--games", "5000")
    assert said.endswith("the study is one of rounds, expected a number of rounds")
    said = refused("extend", tmp_path / "g", "--rounds", "5000")
    assert said.endswith("the study is one of games, expected a number of games")
    said = refused("extend", tmp_path / "a", "--rounds", "500")
    assert "holds a run of 1000 rounds, expected at least as many rounds" in said
    with pytest.raises(InputError, match="rounds: expected a whole number from 1"):
        extend(tmp_path / "a", rounds=2**36 + 1)
    assert content(tmp_path / "a") == before


def test_another_engine_is_not_gone_on_with(tmp_path: Path) -> None:
    run(study(rounds=1000), out=tmp_path / "a")
    run(study(), only=(1000, 2000), out=tmp_path / "b")
    path = tmp_path / "a" / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"engine": 0}))
    with pytest.raises(InputError, match="was played by engine 0, this is engine"):
        extend(tmp_path / "a", rounds=3000)
    with pytest.raises(InputError, match="was played by engine 0, expected engine"):
        merge([tmp_path / "b", tmp_path / "a"], tmp_path / "c")
    with pytest.warns(UserWarning, match="played by engine 0"):
        load_results(tmp_path / "a").save(tmp_path / "d")
    assert json.loads((tmp_path / "d" / "manifest.json").read_text())["engine"] == 0


def test_a_folder_in_which_nothing_is_finished_takes_the_engine_that_plays(tmp_path: Path) -> None:
    path = prepare(tmp_path, study()) / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"engine": 0, "version": "0.0.1"}))
    run(study(), only=(0, 10), out=tmp_path)
    manifest = json.loads(path.read_text())
    assert manifest["engine"] == ENGINE_VERSION
    assert manifest["version"] != "0.0.1"


# --- merge ----------------------------------------------------------------------------------------


def test_merge_refuses_units_that_are_in_two(parts: dict[str, Path], tmp_path: Path) -> None:
    run(study(), only=(900, 1100), out=tmp_path / "b")
    said = refused("merge", parts["a"], tmp_path / "b", "--out", tmp_path / "whole")
    assert f"holds rounds 900 to 999, and so does {parts['a']}" in said
    assert not (tmp_path / "whole").exists()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seed": 8}, "differs in seed (8, not 7)"),
        ({"rules": {"peeks": 3}}, "differs in rules.peeks (3, not 2)"),
        ({"players": ["balanced", "sharp", "sharp"]}, "differs in players.2.kind"),
        ({"games": 30}, 'differs in unit ("games", not "rounds")'),
    ],
)
def test_merge_refuses_other_studies(
    changes: dict[str, Any], says: str, parts: dict[str, Path], tmp_path: Path
) -> None:
    run(study(**changes), only=(10, 30), out=tmp_path / "b")
    said = refused("merge", parts["c"], tmp_path / "b", "--out", tmp_path / "whole")
    assert said.startswith(f"{tmp_path / 'b'}: holds results of another study than {parts['c']}")
    assert says in said


def test_what_else_merge_refuses(parts: dict[str, Path], tmp_path: Path) -> None:
    a, c, out = parts["a"], parts["c"], tmp_path / "whole"
    assert "expected two folders or more, got 1" in refused("merge", a, "--out", out)
    assert "the same folder twice" in refused("merge", a, c, a, "--out", out)
    assert "the same folder twice" in refused("merge", a, a / ".." / "a", "--out", out)
    assert "no results here" in refused("merge", a, tmp_path / "none", "--out", out)
    assert "holds manifest.json, expected a new folder" in refused("merge", a, c, "--out", a)
    assert "Missing option '--out'" in refused("merge", a, c)
    run(study(), only=(1000, 2000), out=tmp_path / "r", records=True)
    said = refused("merge", a, tmp_path / "r", "--out", out)
    assert said.startswith(f"{tmp_path / 'r'}: has records, {a} has none")
    (tmp_path / "n").mkdir()
    shutil.copy(a / "manifest.json", tmp_path / "n")
    manifest = json.loads((a / "manifest.json").read_text())
    nothing = manifest | {"ranges": [], "sums": None, "finished": False}
    (tmp_path / "n" / "manifest.json").write_text(json.dumps(nothing))
    assert "nothing is finished in it" in refused("merge", c, tmp_path / "n", "--out", out)
    with locked(a):
        assert "another run is writing into it" in refused("merge", a, c, "--out", out)
    assert not out.exists()


def test_runs_that_were_interrupted_can_be_merged(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done >= 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(study(), only=(0, 1000), chunk=100, progress=stop, out=tmp_path / "a", records=True)
    run(study(), only=(600, 3000), out=tmp_path / "b", records=True)
    merge([tmp_path / "a", tmp_path / "b"], tmp_path / "whole")
    run(study(), out=tmp_path / "once", records=True)
    assert content(tmp_path / "whole") == content(tmp_path / "once")
    assert (tmp_path / "a" / "records.parts").is_dir()  # what is merged stays as it is


@pytest.mark.skipif(os.name == "nt", reason="permissions")
def test_folders_that_cannot_be_written_to_can_be_merged(
    parts: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.store.merge._is_writable", lambda _: False)
    found = merge(list(parts.values()), tmp_path / "whole")
    assert found.ranges == ((0, 1000), (2000, 3000))
    assert found.stopped_by == "range"
    assert found.summary()["rounds"] == 2000


# --- broken folders -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"ranges": [[0, 500]]}, "its sums are not those of its ranges, rounds 0 to 499"),
        ({"ranges": [[0, 1000, 5]]}, "ranges.0: damaged"),
        ({"ranges": "all"}, "ranges: damaged, expected a valid list"),
        ({"ranges": 5}, "ranges: damaged"),
        ({"sums": {"rounds": 1000}}, "sums.histograms: damaged: missing"),
        ({"sums": []}, "sums: damaged"),
        ({"seconds": "long"}, "seconds: damaged, expected a valid number"),
        ({"until": {"metric": "x"}}, "until.seat: damaged: missing"),
        ({"study": {}}, "players"),
    ],
)
def test_manifests_that_somebody_has_changed(
    changes: dict[str, Any], says: str, parts: dict[str, Path], tmp_path: Path
) -> None:
    path = parts["a"] / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    for arguments in (
        ("extend", parts["a"], "--rounds", "5000"),
        (*TABLE, "--rounds", "3000", "--out", parts["a"]),
        ("merge", parts["a"], parts["c"], "--out", tmp_path / "whole"),
    ):
        said = refused(*arguments)
        assert says in said
        assert "manifest.json" in said


def test_records_that_somebody_has_removed(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done >= 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(study(), chunk=100, progress=stop, out=tmp_path, records=True)
    for part in (tmp_path / "records.parts").iterdir():
        part.unlink()
    with pytest.raises(InputError, match="records of rounds 0 to 599 are missing"):
        run(study(), out=tmp_path, records=True)


def test_records_that_are_damaged(tmp_path: Path) -> None:
    for name, only in {"a": (0, 100), "b": (100, 200)}.items():
        run(study(rounds=200), only=only, out=tmp_path / name, records=True)
    path = tmp_path / "b" / "records.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="is no file of records"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    with pytest.raises(InputError, match="is no file of records"):
        _ = load_results(tmp_path / "b").records


def test_a_journal_of_another_manifest_is_no_harm(tmp_path: Path) -> None:
    """Lines about what is in the manifest already are left out."""

    def stop(done: int, total: int) -> None:
        if done >= 600:
            raise KeyboardInterrupt

    from sim.batch.job import Job, play
    from sim.store.journal import Entry, Journal

    with pytest.raises(KeyboardInterrupt):
        run(study(), chunk=100, progress=stop, out=tmp_path)
    journal = Journal(tmp_path / "journal.txt")
    for begin, end in ((0, 600), (500, 700), (600, 650), (600, 700), (650, 700)):
        journal.add(Entry(begin, end, play(Job.of(study()), begin, end).sums, 0.0))
    journal.close()
    assert load_results(tmp_path).ranges == ((0, 700),)
    assert run(study(), out=tmp_path) == run(study())
