"""Tournaments, sweeps and comparisons: the same numbers whoever plays, and nothing is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sim import compare, sweep, tournament
from sim.errors import InputError, WorkersLost
from sim.game.tournament import Tournament
from sim.store.files import locked
from tests.support.runs import Once, python, start, study

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]  # Dask's, of all kinds

Played = Callable[..., Any]

COUNT = 60_000  # several pieces for each point of the sweep


def a_tournament(**ways: Any) -> Any:
    return tournament(Tournament.of(players="balanced,sharp,random", rounds=COUNT), **ways)


def a_sweep(**ways: Any) -> Any:
    return sweep(study(rounds=COUNT), {"0.bao_threshold": [2, 5]}, **ways)


def a_comparison(**ways: Any) -> Any:
    return compare(study(rounds=COUNT), rules={"shield": "none"}, **ways)


KINDS = {"tournament": a_tournament, "sweep": a_sweep, "comparison": a_comparison}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def play(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Plays one of the three, without pictures."""
    for kind in ("tournament.TournamentResult", "sweep.SweepResult"):
        monkeypatch.setattr(f"analysis.results.{kind}.pictures", lambda _: {})
    played: Played = request.param
    return played


def pieces(play: Played) -> dict[str, int]:
    """Return the option that makes pieces short."""
    return {"chunk" if play is a_comparison else "piece": 500}


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def numbers(result: Any) -> Any:
    return {key: value for key, value in result.summary().items() if key != "version"}


def test_processes_and_executors(play: Played) -> None:
    wanted = numbers(play(threads=1))
    assert numbers(play(processes=2)) == wanted
    with ThreadPoolExecutor(3) as pool:
        assert numbers(play(executor=pool)) == wanted
        assert pool.submit(int, "5").result() == 5  # it is left running


def test_wrong_ways(play: Played, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="processes and dask at once"):
        play(processes=2, dask="local", out=tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("error", [CancelledError(), OSError("connection lost")])
def test_losing_workers_keeps_what_is_finished(
    error: BaseException, play: Played, tmp_path: Path
) -> None:
    with pytest.raises(WorkersLost, match="the workers were lost: "):
        play(executor=Once(error), threads=1, out=tmp_path, **pieces(play))
    told: list[int] = []
    found = play(out=tmp_path, progress=lambda done, _: told.append(done))
    assert told[0] >= 2500
    assert numbers(found) == numbers(play())


def test_a_cluster(cluster: Any, play: Played) -> None:
    assert numbers(play(dask=cluster.scheduler_address)) == numbers(play())


@pytest.mark.parametrize(
    "command",
    [
        ("tournament", "--players", "balanced,novice"),
        ("sweep", "--over", "0.bao_threshold=2,4"),
        ("compare", "--rule", "shield=none"),
    ],
)
def test_on_the_command_line(command: tuple[str, ...]) -> None:
    given = [*command, "--rounds", "4000", "--json", "--quiet"]
    outputs = []
    for ways in (["--threads", "1"], ["--processes", "2"]):
        process = start(*given, *ways)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        outputs.append(out)
    assert outputs[0] == outputs[1]
    process = start(*given, "--threads", "2", "--processes", "2")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert err == "Error: threads and processes at once, expected one of the two\n"


# --- folders --------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="open files cannot be removed there")
@pytest.mark.parametrize("how", ["removed", "moved", "made anew"])
def test_a_folder_that_is_gone_stops_it(play: Played, how: str, tmp_path: Path) -> None:
    folder, told = tmp_path / "a", []

    def take_away(done: int, total: int) -> None:
        told.append(done)
        if done >= 1000 and folder.exists() and not (tmp_path / "b").exists():
            shutil.move(folder, tmp_path / "b")
            if how == "removed":
                shutil.rmtree(tmp_path / "b")
                (tmp_path / "b").mkdir()
            elif how == "made anew":
                folder.mkdir()

    with pytest.raises(InputError, match="cannot be written to: it was moved or removed"):
        play(out=folder, progress=take_away, **pieces(play))
    assert max(told) <= 6000  # at once: a piece of the comparison is 3000 rounds
    assert files(folder) == {}
    if how == "moved":
        (tmp_path / "b").rename(folder)
        assert numbers(play(out=folder)) == numbers(play())


def test_only_one_writes_into_a_folder(play: Played, tmp_path: Path) -> None:
    tried = []

    def second(done: int, total: int) -> None:
        if done >= 1000 and not tried:
            for other in KINDS.values():
                with pytest.raises(InputError, match="another run is writing into it"):
                    other(out=tmp_path)
            tried.append(done)

    found = play(out=tmp_path, progress=second, **pieces(play))
    assert tried
    assert numbers(found) == numbers(play())
    with pytest.raises(InputError, match="another run is writing into it"), locked(tmp_path):
        found.save(tmp_path)


KILLED = """
import os, sys
import sim.store.files
import analysis.results.sweep
from tests.store.test_many_studies import KINDS

real = sim.store.files.settle

def killed(unnamed, path):
    if path.name == sys.argv[3]:
        os._exit(99)
    real(unnamed, path)

sim.store.files.settle = killed
analysis.results.sweep.SweepResult.pictures = lambda _: {}
options = {"rotate": False} if sys.argv[1] == "comparison" else {}
KINDS[sys.argv[1]](out=sys.argv[2], **options)
"""


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("tournament", "matrix.parquet"),
        ("tournament", "strength.png"),
        ("sweep", "metrics.csv"),
        ("comparison", "summary.json"),
        ("comparison", "seats.parquet"),  # of one of its sides
    ],
)
def test_killed_while_results_are_written(
    kind: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # They take long.
    monkeypatch.setattr("analysis.results.sweep.SweepResult.pictures", lambda _: {})
    folder, options = tmp_path / "killed", {"rotate": False} if kind == "comparison" else {}
    KINDS[kind](out=tmp_path / "whole", **options)
    done = python(KILLED, kind, str(folder), file)
    assert done.returncode == 99, done.stderr
    left = files(folder)
    assert any(name.endswith(".part") for name in left)
    assert file != "strength.png" or "summary.json" in left  # numbers come first
    told: list[int] = []
    KINDS[kind](out=folder, progress=lambda done, _: told.append(done), **options)
    assert len(set(told)) <= 1  # nothing is played again
    assert files(folder) == files(tmp_path / "whole")
