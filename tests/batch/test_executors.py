"""Who plays: wrong ways to ask for it, lost workers, and a real Dask cluster."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sim import load_results, run
from sim.batch.executors import opened
from sim.batch.job import Job, play
from sim.batch.schedule import _result
from sim.errors import InputError, WorkersLost
from tests.support.runs import Once, content, start, study

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]  # Dask's, of all kinds


@pytest.mark.parametrize(
    ("ways", "says"),
    [
        ({"threads": 0}, "threads: expected a whole number from 1 to 1024, got 0"),
        ({"threads": 2000}, "threads: expected a whole number"),
        ({"processes": 1.5}, "processes: expected a whole number"),
        ({"threads": 2, "processes": 2}, "threads and processes at once"),
        ({"processes": 2, "dask": "local"}, "processes and dask at once"),
        ({"dask": "nonsense"}, "dask: expected an address such as tcp://host:8786, or local"),
        ({"dask": " "}, "dask: expected an address such as tcp://host:8786, or local"),
        ({"executor": 5}, "executor: expected something with a method submit, got 5"),
    ],
)
def test_wrong_ways(ways: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught, opened(**ways):
        pass
    assert says in str(caught.value)


def test_any_object_that_submits() -> None:
    executor = Once()
    assert run(study(), executor=executor, chunk=500, threads=3) == run(study())
    assert executor.calls == 6


@pytest.mark.parametrize("error", [CancelledError(), OSError("connection lost")])
def test_losing_workers_keeps_what_is_finished(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(WorkersLost, match="the workers were lost: "):
        run(study(), executor=Once(error), threads=1, chunk=100, out=tmp_path)
    assert load_results(tmp_path).ranges == ((0, 500),)
    assert run(study(), out=tmp_path) == run(study())


def test_mistakes_are_not_taken_for_losses() -> None:
    with pytest.raises(ZeroDivisionError):
        run(study(), executor=Once(ZeroDivisionError()), chunk=100)


def test_a_chunk_that_is_late_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.setattr("sim.batch.schedule.POLL_SECONDS", 0.01)
    with ThreadPoolExecutor(1) as pool:
        late: Any = pool.submit(lambda: time.sleep(0.1) or 5)
        assert _result(late, lambda: False) == 5
        late = pool.submit(time.sleep, 0.3)
        with pytest.raises(KeyboardInterrupt):
            _result(late, lambda: True)


def test_a_chunk_may_fail_by_running_out_of_time() -> None:
    future: Any = Future()
    future.set_exception(TimeoutError("the chunk's own"))
    with pytest.raises(TimeoutError, match="own"):
        _result(future, lambda: False)


def test_a_worker_with_another_engine_refuses() -> None:
    job = replace(Job.of(study()), engine=0)
    with pytest.raises(InputError, match=r"a worker has engine .*, the run needs engine 0"):
        play(job, 0, 1)


def test_dask_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'baobei-sim\[dask\]'"):
        run(study(), dask="local")


# --- Dask -----------------------------------------------------------------------------------------


@pytest.fixture(params=["rounds", "games"])
def given(request: pytest.FixtureRequest) -> Any:
    """A study of rounds, and one of games."""
    return study() if request.param == "rounds" else study(games=150)


def test_a_cluster_gives_the_same_bytes(cluster: Any, given: Any, tmp_path: Path) -> None:
    address = cluster.scheduler_address
    run(given, out=tmp_path / "threads", records=True)
    run(given, dask=address, chunk=170, out=tmp_path / "dask", records=True)
    assert content(tmp_path / "dask") == content(tmp_path / "threads")


def test_an_executor_of_a_client(cluster: Any) -> None:
    import distributed

    with distributed.Client(cluster, set_as_default=False) as client:
        assert run(study(), executor=client.get_executor()) == run(study())


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_worker_of_the_cluster_is_killed(cluster: Any, tmp_path: Path) -> None:
    import distributed

    with distributed.Client(cluster, set_as_default=False) as client:
        workers = client.run(os.getpid)

        def kill(done: int, total: int) -> None:
            if done == 1000:
                os.kill(next(iter(workers.values())), signal.SIGKILL)

        options: dict[str, Any] = {"chunk": 50, "progress": kill, "records": True}
        found = run(
            study(), executor=client.get_executor(), threads=2, out=tmp_path / "a", **options
        )
        assert set(client.run(os.getpid).values()) != set(workers.values())
    run(study(), out=tmp_path / "once", records=True)
    assert found.stopped_by == "rounds"
    assert content(tmp_path / "a") == content(tmp_path / "once")


def test_the_scheduler_is_lost(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    cluster = distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address="127.0.0.1:0", silence_logs=50
    )
    with distributed.Client(cluster, set_as_default=False) as client:

        def close(done: int, total: int) -> None:
            if done == 1000:
                cluster.close()

        with pytest.raises(WorkersLost, match="the workers were lost"):
            run(study(), executor=client.get_executor(), chunk=50, out=tmp_path, progress=close)
    assert load_results(tmp_path).sums["rounds"] >= 1000
    assert run(study(), out=tmp_path) == run(study())


def test_nobody_answers() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    for address in ("tcp://127.0.0.1:1", "127.0.0.1:1"):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("sim.batch.executors.DASK_SECONDS", 1)
            with pytest.raises(InputError, match="dask: no Dask scheduler answers at"):
                run(study(), dask=address)


def test_dask_on_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    given = ["run", "--players", "balanced,sharp,random", "--rounds", "3000", "--seed", "7"]
    process = start(*given, "--dask", "local", "--threads", "2", "--out", str(tmp_path / "a"))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert err == f"results are in {tmp_path / 'a'}\n"
    run(study(), out=tmp_path / "b")
    assert content(tmp_path / "a") == content(tmp_path / "b")
