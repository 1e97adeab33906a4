"""Many studies: the same sums whoever plays, and a program that was stopped goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sim.api import _play, run, tournament
from sim.batch.sums import Sums
from sim.errors import InputError
from sim.game.study import Study
from sim.game.tournament import Tournament
from sim.store.journal import JOURNAL, Entry, Totals

pytestmark = pytest.mark.jit


def studies() -> list[Study]:
    """Return a few short studies of different lengths."""
    base = Study.of(players="balanced,novice", rounds=70, seed=5)
    return [base, base.with_changes(rounds=1), base.with_changes(rounds=400, seed=6)]


@pytest.fixture
def _no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the plots, which take longer than all the rest."""
    for kind in ("tournament.TournamentResult", "sweep.SweepResult"):
        monkeypatch.setattr(f"analysis.results.{kind}.pictures", lambda _: {})


plain = pytest.mark.usefixtures("_no_pictures")


def played(piece: int | None = None, progress: Any = None, **ways: int | None) -> list[Sums]:
    """Play them all, and return the sums over each."""
    whole: Any = None  # asked for only where there is a folder
    found: Any = _play(lambda sums, _: sums, whole, studies(), None, piece, progress, ways)
    return list(found)


@pytest.mark.parametrize(("threads", "piece"), [(1, None), (3, 17), (2, 1000)])
def test_sums_are_those_of_single_runs(threads: int, piece: int | None) -> None:
    assert played(piece, threads=threads) == [run(study).sums for study in studies()]


def test_totals_know_what_is_missing() -> None:
    totals = Totals([study.count for study in studies()])
    sums = run(studies()[0]).sums
    assert totals.add(Entry(10, 20, sums, 0.0))
    assert totals.add(Entry(40, 70, sums, 0.0))
    assert not totals.add(Entry(19, 30, sums, 0.0))
    assert not totals.add(Entry(60, 90, sums, 0.0))
    assert not totals.add(Entry(0, 10, sums, 0.0, task=7))
    assert totals.missing(0) == ((0, 10), (20, 40))
    assert totals.units == 40


@pytest.mark.parametrize("name", ["threads", "piece"])
def test_wrong_arguments(name: str) -> None:
    wrong: dict[str, Any] = {name: 0}
    with pytest.raises(InputError, match=f"{name}: expected a whole number from 1"):
        played(**wrong)


def test_progress_counts_all_studies() -> None:
    told: list[tuple[int, int]] = []
    played(100, lambda done, total: told.append((done, total)))
    assert told[0] == (0, 471)
    assert told[-1] == (471, 471)


@plain
@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_program_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "sim", "tournament", "--players", "balanced,novice"]
    command += ["--rounds", "2e5", "--out", str(tmp_path / "a"), "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    journal = tmp_path / "a" / JOURNAL
    limit = time.monotonic() + 60
    while not (journal.exists() and journal.stat().st_size > 20_000):
        assert time.monotonic() < limit
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(how)
    _, told = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -9)
    assert journal.exists()
    if how == signal.SIGINT:
        assert "to go on: baobei tournament --players balanced,novice" in told
    asked = Tournament.of(players="balanced,novice", rounds=200_000)
    begun: list[int] = []
    result = tournament(asked, out=tmp_path / "a", progress=lambda done, _: begun.append(done))
    assert begun[0] > 0
    assert sum(sums["rounds"] for sums in result.sums) == 200_000
    assert not journal.exists()
