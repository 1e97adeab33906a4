"""Runs that are killed, interrupted, or lose their disk, folder or workers; and go on."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sim import load_results, run
from sim.cli import main
from sim.errors import InputError, WorkersLost
from sim.game.study import Study
from sim.store.files import locked
from sim.store.folder import read_held
from sim.store.rows import Parts
from tests.support.runs import content, python, start, study

pytestmark = pytest.mark.jit

no_signals = pytest.mark.skipif(os.name == "nt", reason="signals and open files are others there")


def stopping(after: int, error: type[BaseException] = KeyboardInterrupt) -> Any:
    """Return a report of progress that stops a run."""

    def report(done: int, total: int) -> None:
        if done >= after:
            raise error

    return report


# --- killed at any moment -------------------------------------------------------------------------

KILLED = {
    "rounds": ["--rounds", "250000"],
    "records": ["--rounds", "120000", "--records"],
    "games": ["--games", "8000", "--records"],
}
TABLE = ["run", "--players", "balanced,sharp,random", "--seed", "7", "--quiet"]


@no_signals
@pytest.mark.parametrize(
    ("kind", "kills", "longer"),
    [
        ("records", 3, 1),
        pytest.param("rounds", 20, 12, marks=pytest.mark.slow),
        pytest.param("records", 20, 8, marks=pytest.mark.slow),
        pytest.param("games", 20, 6, marks=pytest.mark.slow),
    ],
)
def test_killed_at_random_moments(kind: str, kills: int, longer: int, tmp_path: Path) -> None:
    """A real process, `kill -9`, and the bytes that an uninterrupted run leaves."""
    unit, count, *more = KILLED[kind]
    command = [*TABLE, unit, str(int(count) * longer), *more]
    once = start(*command, "--out", str(tmp_path / "once"))
    assert once.wait(timeout=300) == 0
    once.communicate()

    moments, done = random.Random(kind), [0]
    folder = tmp_path / "killed"
    for _ in range(kills):
        process = start(*command, "--out", str(folder))
        time.sleep(moments.uniform(0.8, 2.5))
        process.kill()
        process.communicate()
        if (folder / "manifest.json").exists():
            there = read_held(folder)  # readable at any moment
            done.append(sum(end - begin for begin, end in there.ranges))
    assert done == sorted(done)  # nothing that was finished is ever lost
    last = start(*command, "--out", str(folder))
    _out, err = last.communicate(timeout=300)
    assert last.returncode == 0, err
    assert content(folder) == content(tmp_path / "once")
    left = {path.name for path in folder.iterdir()}
    assert left == {path.name for path in (tmp_path / "once").iterdir()}


CRASH = """
import os, sys
from pathlib import Path
import sim.store.ledger
from tests.support.runs import study
from sim import run

fatal, calls = int(sys.argv[2]), 0

def crashing(real):
    def call(*arguments, **options):
        global calls
        calls += 1
        if calls == fatal:
            os._exit(99)
        return real(*arguments, **options)
    return call

run(study(rounds=10))
sim.store.ledger.NOTE_SECONDS = sim.store.ledger.PART_SECONDS = sim.store.ledger.FOLD_SECONDS = 0.0
for name in ("replace", "write", "ftruncate", "unlink", "fsync", "rmdir", "mkdir"):
    setattr(os, name, crashing(getattr(os, name)))
run(study(), threads=1, chunk=1000, out=sys.argv[1], records=True)
os._exit(0)
"""
"""A run that ends without any clearing up at the n-th call of the file system."""

POINTS = 48


@pytest.mark.parametrize(
    "fatal",
    [
        pytest.param(n, marks=() if n in (7, 16, 33, 40) else pytest.mark.slow)
        for n in range(1, POINTS)
    ],
)
def test_ended_at_any_call_of_the_file_system(fatal: int, tmp_path: Path) -> None:
    run(study(), out=tmp_path / "once", records=True)
    folder = tmp_path / "ended"
    done = python(CRASH, str(folder), str(fatal))
    assert done.returncode in (0, 99), done.stderr
    assert fatal > 20 or done.returncode == 99
    if (folder / "manifest.json").exists():
        there = read_held(folder)
        assert there.sums["rounds"] == sum(end - begin for begin, end in there.ranges)
    run(study(), out=folder, records=True)
    assert content(folder) == content(tmp_path / "once")
    left = {path.name for path in folder.iterdir()}
    assert left == {path.name for path in (tmp_path / "once").iterdir()}


# --- Ctrl-C ---------------------------------------------------------------------------------------


@no_signals
@pytest.mark.parametrize(
    "workers",
    [
        ["--threads", "2"],
        ["--processes", "2"],
        pytest.param(["--dask", "local"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_ctrl_c_goes_to_all_and_the_printed_command_goes_on(
    workers: list[str], tmp_path: Path
) -> None:
    """As a terminal sends it: to every process of the group."""
    if "--dask" in workers:
        pytest.importorskip("distributed", reason="Dask is not installed")
    folder = tmp_path / "a folder"
    given = ["run", "--players", "balanced,sharp", "--rounds", "120000", *workers, "--quiet"]
    process = start(*given, "--out", str(folder), start_new_session=True)
    journal = folder / "journal.txt"
    while not (journal.exists() and journal.stat().st_size):
        time.sleep(0.02)
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    before = load_results(folder)
    assert 0 < before.sums["rounds"] < 120_000
    assert before.stopped_by == "interrupted"
    assert json.loads((folder / "manifest.json").read_text())["finished"] is False

    import shlex

    told = shlex.split(err.partition("to go on: ")[2])
    assert told == ["baobei", *given, "--out", str(folder)]
    assert CliRunner().invoke(main, told[1:]).exit_code == 0
    assert load_results(folder) == run(Study.of(players="balanced,sharp", rounds=120_000, seed=1))


def test_interrupted_many_times(tmp_path: Path) -> None:
    run(study(), out=tmp_path / "once", records=True)
    for stop in range(300, 3000, 300):
        with pytest.raises(KeyboardInterrupt):
            run(study(), out=tmp_path / "a", records=True, chunk=100, progress=stopping(stop))
        assert load_results(tmp_path / "a").ranges == ((0, stop),)
    told: list[int] = []
    run(study(), out=tmp_path / "a", records=True, progress=lambda done, _: told.append(done))
    assert told[0] > 2700
    assert content(tmp_path / "a") == content(tmp_path / "once")


def test_what_is_there_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(study(), out=tmp_path, records=True)
    before = content(tmp_path)
    monkeypatch.setattr("sim.batch.job.play", lambda *_: pytest.fail("played again"))
    assert run(study(), out=tmp_path, records=True) == done
    assert content(tmp_path) == before


def test_an_unfinished_folder_says_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(study(), out=tmp_path, records=True, chunk=100, progress=stopping(1000))
    part = load_results(tmp_path)
    assert part.summary()["rounds"] == 1000
    assert part.summary()["ranges"] == [[0, 1000]]
    assert part.summary()["stopped_by"] == "interrupted"
    assert "rounds 0 to 999 of 3,000" in repr(part)
    assert "interrupted" in part.to_text()
    whole = run(study(rounds=1000), records=True)
    assert part.sums == whole.sums
    assert part.records.equals(whole.records)


def test_a_second_ctrl_c_is_as_usual() -> None:
    from sim.batch.schedule import interruptible

    with interruptible() as pressed:
        assert not pressed()
        signal.raise_signal(signal.SIGINT)
        assert pressed()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- disks and folders ----------------------------------------------------------------------------


def going_on(folder: Path, told: str) -> None:
    """Check that nothing is lost after an error that told why, and that the run goes on."""
    assert str(folder) in told
    assert "what is finished is kept in it" in told
    there = load_results(folder)
    assert there.sums["rounds"] >= 500
    run(study(), out=folder, records=True)
    run(study(), out=folder.with_name("once"), records=True)
    assert content(folder) == content(folder.with_name("once"))


def failing_after(count: int, real: Any, error: OSError) -> Any:
    """Return a function that works so many times, and then never again."""
    calls = iter(range(count))

    def call(*arguments: Any, **options: Any) -> Any:
        if next(calls, None) is None:
            raise error
        return real(*arguments, **options)

    return call


@pytest.mark.parametrize("where", ["journal", "records", "manifest", "end"])
def test_disk_full(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    folder = tmp_path / "a"
    with pytest.raises(KeyboardInterrupt):
        run(study(), out=folder, records=True, chunk=100, progress=stopping(500))
    with monkeypatch.context() as patched:
        for name in ("NOTE_SECONDS", "PART_SECONDS"):
            patched.setattr(f"sim.store.ledger.{name}", 0.0)
        if where == "journal":
            patched.setattr(os, "write", failing_after(3, os.write, full))
        elif where == "records":
            patched.setattr(Parts, "add", failing_after(3, Parts.add, full))
        elif where == "manifest":
            patched.setattr("sim.store.ledger.FOLD_SECONDS", 0.0)
            patched.setattr("sim.store.files.put", failing_after(3, _put, full))
        else:
            patched.setattr("sim.store.rows.Writer.add", failing_after(1, lambda *_: None, full))
        with pytest.raises(InputError, match="No space left on device") as caught:
            run(study(), out=folder, records=True, chunk=100)
    going_on(folder, str(caught.value))


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from sim.cli import main
import sim.store.ledger
sim.store.ledger.NOTE_SECONDS = 0.0
resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))
main(["run", "--players", "balanced,sharp,random", "--rounds", "300000", "--seed", "7",
      "--out", sys.argv[1], "--quiet"])
"""


@no_signals
def test_a_real_file_that_cannot_grow(tmp_path: Path) -> None:
    """The system refuses to write further; one message, exit 2, and the run goes on."""
    folder = tmp_path / "a"
    done = python(LIMITED, str(folder))
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "File too large" in done.stderr
    assert load_results(folder).sums["rounds"] > 0
    given = Study.of(players="balanced,sharp,random", rounds=300_000, seed=7)
    assert run(given, out=folder) == run(given)


@no_signals
def test_folder_moved_while_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.store.ledger.PART_SECONDS", 0.0)
    folder, elsewhere = tmp_path / "a", tmp_path / "b"

    def move(done: int, total: int) -> None:
        if done >= 1000 and folder.exists():
            folder.rename(elsewhere)

    with pytest.raises(InputError, match="cannot be written to") as caught:
        run(study(), out=folder, records=True, chunk=100, progress=move)
    assert not folder.exists()
    elsewhere.rename(folder)
    going_on(folder, str(caught.value))


@no_signals
@pytest.mark.parametrize("records", [False, True])
def test_folder_removed_while_a_run_goes_on(
    records: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.store.ledger.NOTE_SECONDS", 0.0)
    monkeypatch.setattr("sim.store.ledger.PART_SECONDS", 0.0)
    folder = tmp_path / "a"

    def remove(done: int, total: int) -> None:
        if done == 1000:
            shutil.rmtree(folder)

    with pytest.raises(InputError) as caught:
        run(study(), out=folder, records=records, chunk=100, progress=remove)
    assert str(folder) in str(caught.value)
    assert not folder.exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_read_only_folder(tmp_path: Path) -> None:
    run(study(rounds=100), out=tmp_path)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="cannot be written to: Permission denied"):
            run(study(), out=tmp_path)
        assert load_results(tmp_path).sums["rounds"] == 100
    finally:
        tmp_path.chmod(0o700)


# --- two runs, one folder -------------------------------------------------------------------------


def test_the_second_run_refuses(tmp_path: Path) -> None:
    def second(done: int, total: int) -> None:
        if done == 1000:
            with pytest.raises(InputError, match="another run is writing into it"):
                run(study(), out=tmp_path)
            arguments = ["run", "--out", str(tmp_path), "--quiet"]
            refused = CliRunner().invoke(main, arguments)
            assert refused.exit_code == 2
            assert "another run is writing into it" in refused.stderr
            assert read_held(tmp_path).study == study()  # reading is free

    assert run(study(), out=tmp_path, chunk=100, progress=second) == run(study())


@no_signals
def test_a_lock_goes_with_a_killed_process(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "from sim.store.files import locked\n"
        "with locked(sys.argv[1]):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="another run"), locked(tmp_path):
            pass
        process.kill()
        process.wait()
    with locked(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


# --- workers --------------------------------------------------------------------------------------


@no_signals
def test_a_worker_process_is_killed(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:

        def kill(done: int, total: int) -> None:
            if done == 1000:
                victim = next(iter(pool._processes))
                os.kill(victim, signal.SIGKILL)

        with pytest.raises(WorkersLost, match="the workers were lost"):
            run(study(), executor=pool, out=tmp_path / "a", chunk=10, progress=kill)
    there = load_results(tmp_path / "a")
    assert 1000 <= there.sums["rounds"] < 3000
    run(study(), out=tmp_path / "a")
    run(study(), out=tmp_path / "once")
    assert content(tmp_path / "a") == content(tmp_path / "once")


def test_lost_workers_are_told_with_the_way_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sim.api

    def lost(*_: Any, **__: Any) -> None:
        raise WorkersLost("the workers were lost: somebody pulled the plug")

    monkeypatch.setattr(sim.api, "run", lost)
    done = CliRunner().invoke(main, ["run", "--out", str(tmp_path), "--quiet"])
    assert done.exit_code == 75
    assert done.stderr.startswith("Error: the workers were lost: somebody pulled the plug; ")
    assert f"to go on: baobei run --out {tmp_path} --quiet" in done.stderr


@no_signals
def test_worker_processes_end_with_their_parent(tmp_path: Path) -> None:
    process = start(
        *("run", "--rounds", "1e9", "--processes", "2", "--quiet"), "--out", str(tmp_path)
    )
    journal = tmp_path / "journal.txt"
    while not (journal.exists() and journal.stat().st_size):
        time.sleep(0.02)
        assert process.poll() is None
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("no list of children here")
    workers = [int(word) for word in children.read_text().split()]
    assert len(workers) >= 2
    process.kill()
    process.communicate()
    patience = time.monotonic() + 20
    while any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers):
        assert time.monotonic() < patience
        time.sleep(0.1)
    assert load_results(tmp_path).sums["rounds"] > 0
