"""Folders of results: they come back equal, and what is wrong with one is told."""

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.results.run import Result
from sim.api import load_results, run
from sim.errors import InputError
from sim.game.study import Study
from sim.store.folder import TABLES
from tests.support.runs import prepare
from tests.support.studies import TWO
from tests.support.studies import small_study as study

pytestmark = pytest.mark.jit


@pytest.fixture(scope="module")
def rounds() -> Result:
    """Rounds of three players."""
    return run(study(["balanced", "sharp", "random"], title="Three at a table"))


@pytest.fixture(scope="module")
def games() -> Result:
    """Games of four players."""
    return run(study(["balanced", "sharp", "random", "cautious"], games=400))


@pytest.fixture(scope="module", params=["rounds", "games"])
def result(request: pytest.FixtureRequest) -> Result:
    """Both of them."""
    found: Result = request.getfixturevalue(request.param)
    return found


def test_folder_round_trip(result: Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "deep" / "er")
    loaded = load_results(folder)
    assert loaded == result
    assert loaded.summary() == result.summary()
    assert loaded.to_text() == result.to_text()
    names = {path.name for path in folder.iterdir()}
    tables = {f"{name}.parquet" for name in TABLES}
    assert names == tables | {"manifest.json", "summary.json"}
    assert json.loads((folder / "summary.json").read_text()) == result.summary()
    for name, frame in result.tables().items():
        pd.testing.assert_frame_equal(pd.read_parquet(folder / f"{name}.parquet"), frame)


def test_manifest_says_how_to_repeat_the_run(rounds: Result, tmp_path: Path) -> None:
    manifest = json.loads((rounds.save(tmp_path) / "manifest.json").read_text())
    assert manifest["ranges"] == [[0, 2000]]
    assert manifest["finished"] is True
    assert manifest["seed"] == 7
    assert manifest["rules_id"] == rounds.study.rules_id
    assert manifest["fingerprint"] == rounds.study.fingerprint
    assert {"version", "engine", "numba", "numpy", "python"} <= manifest.keys()
    again = Study.from_dict(manifest["study"])
    assert again == rounds.study
    assert run(again) == rounds


def test_run_with_a_folder_equals_one_without(tmp_path: Path) -> None:
    given = study(rounds=300)
    found = run(given, out=tmp_path, records=True)
    assert found == run(given) == load_results(tmp_path)
    assert len(found.records) == 600
    pd.testing.assert_frame_equal(found.records, load_results(tmp_path).records)
    pd.testing.assert_frame_equal(found.records, run(given, records=True).records)


def test_records_in_memory_are_saved_too(tmp_path: Path) -> None:
    found = run(study(rounds=30), records=True)
    found.save(tmp_path)
    pd.testing.assert_frame_equal(load_results(tmp_path).records, found.records)


def test_same_study_goes_into_its_folder_again(tmp_path: Path) -> None:
    run(study(rounds=100), out=tmp_path)
    run(study(rounds=300, title="longer"), out=tmp_path)
    assert load_results(tmp_path).study.rounds == 300


def test_a_folder_does_not_lose_what_it_holds(tmp_path: Path) -> None:
    run(study(rounds=150), out=tmp_path, records=True)
    records = (tmp_path / "records.parquet").read_bytes()
    with pytest.raises(InputError, match="holds records, which would be lost"):
        run(study(rounds=150), out=tmp_path)
    with pytest.raises(InputError, match="holds a run of 150 rounds, expected at least as many"):
        run(study(rounds=100), out=tmp_path, records=True)
    assert (tmp_path / "records.parquet").read_bytes() == records
    load_results(tmp_path).save(tmp_path)
    assert len(load_results(tmp_path).records) == 300
    longer = run(study(rounds=200), out=tmp_path, records=True)
    assert load_results(tmp_path) == longer
    assert len(load_results(tmp_path).records) == 400


def test_records_of_another_run_are_noticed(tmp_path: Path) -> None:
    run(study(rounds=100), out=tmp_path / "a", records=True)
    run(study(rounds=150), out=tmp_path / "b", records=True)
    (tmp_path / "b" / "records.parquet").write_bytes(
        (tmp_path / "a" / "records.parquet").read_bytes()
    )
    with pytest.raises(InputError, match="records of another run, expected 300 rows"):
        _ = load_results(tmp_path / "b").records
    run(study(rounds=100), out=tmp_path / "c")
    with pytest.raises(InputError, match="no records were kept"):
        _ = load_results(tmp_path / "c").records


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seed": 8}, "differs in seed (7, not 8)"),
        ({"rules": {"peeks": 3}}, "differs in rules.peeks (2, not 3)"),
        ({"deck": "five_per_power"}, "differs in deck.bird_1.copies (5, not 4), "),
        ({"games": 5}, 'differs in unit ("rounds", not "games")'),
        ({"players": [*TWO, "random"]}, "differs in players (2, not 3)"),
        (
            {"players": ["balanced", {"base": "sharp", "bao_threshold": 9}]},
            "differs in players.1.bao_threshold (7, not 9)",
        ),
    ],
)
def test_another_study_is_refused(changes: dict[str, Any], says: str, tmp_path: Path) -> None:
    run(study(rounds=20), out=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError) as caught:
        run(study(**{"rounds": 20, **changes}), out=tmp_path)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path}: holds results of another study")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_unfinished_run_is_no_result(tmp_path: Path) -> None:
    prepare(tmp_path, study())
    with pytest.raises(InputError, match="holds an unfinished run"):
        load_results(tmp_path)
    run(study(rounds=20), out=tmp_path)
    assert load_results(tmp_path).study.rounds == 20
    with pytest.raises(InputError, match="another study"):
        prepare(tmp_path, study(seed=9))


def test_file_in_the_way_is_found_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path, says in [("file", "is a file, expected a folder"), ("file/in", "cannot be written")]:
        with pytest.raises(InputError, match=says):
            run(study(rounds=10**9), out=tmp_path / path)
    assert (tmp_path / "file").read_text() == "mine"


def test_unwritable_folder_is_found_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(InputError, match="cannot be written to: Permission denied"):
        run(study(rounds=10**9), out=tmp_path)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    prepare(tmp_path / "new", study())
    (tmp_path / "summary.json").write_text("mine")
    with pytest.raises(InputError, match=r"holds summary\.json, but no manifest\.json"):
        run(study(rounds=10), out=tmp_path)
    assert (tmp_path / "summary.json").read_text() == "mine"


@pytest.mark.parametrize("fail_at", range(5))
def test_a_crash_while_writing_leaves_a_readable_folder(
    fail_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = run(study(rounds=100), out=tmp_path)
    new = run(study(rounds=200))
    calls = iter(range(100))
    replace = os.replace

    def crash(a: Any, b: Any) -> None:
        if next(calls) == fail_at:
            raise KeyboardInterrupt
        replace(a, b)

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        new.save(tmp_path)
    assert load_results(tmp_path) == old
    monkeypatch.undo()
    new.save(tmp_path)
    assert load_results(tmp_path) == new
    assert not list(tmp_path.glob(".*"))


def test_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(study(rounds=20))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sim.store.files.put", full)
    with pytest.raises(InputError, match="No space left on device"):
        found.save(tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not valid JSON"),
        ("[]", "not the manifest of a run"),
        ('{"schema": 99}', "written by a newer version"),
        ('{"schema": 1}', "version: damaged: missing"),
    ],
)
def test_broken_manifests(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError) as caught:
        load_results(tmp_path)
    assert says in str(caught.value)


def test_no_results(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="no results here"):
            load_results(path)


def test_a_changed_manifest_is_noticed(rounds: Result, tmp_path: Path) -> None:
    path = rounds.save(tmp_path) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["study"]["seed"] = 8
    path.write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="fingerprint"):
        load_results(tmp_path)


def test_another_engine_is_named(rounds: Result, tmp_path: Path) -> None:
    path = rounds.save(tmp_path) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["engine"] = 0
    path.write_text(json.dumps(manifest))
    with pytest.warns(UserWarning, match="played by engine 0"):
        assert load_results(tmp_path) == rounds
