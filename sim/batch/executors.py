"""Who plays the chunks of a run: threads, processes, a Dask cluster, or any executor.

All of them are given the same pure function, so none of them can change a result.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from sim.errors import BaobeiError, InputError, WorkersLost
from sim.game.base import needed

MAX_WORKERS = 1024

LOCAL = "local"
"""The address that stands for a Dask cluster on this machine."""

_ADDRESS = "an address such as tcp://host:8786, or local"

DASK_SECONDS = 20
"""How long to wait for a cluster to answer, and for its first worker."""


@dataclass(frozen=True)
class Workers:
    """An executor and what to know of it.

    Attributes:
        executor: Where chunks are submitted.
        count: How many chunks it plays at a time.
        chunk_seconds: What a chunk should last: long against its overhead, short against patience.
    """

    executor: Executor
    count: int
    chunk_seconds: float


@contextmanager
def opened(
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
) -> Iterator[Workers]:
    """Give the block workers, and send those away after it that were started here.

    Args:
        threads: Threads of this process; all cores if nothing is asked for. For a Dask cluster
            that is started here and for an executor: how many chunks are played at a time.
        processes: Processes on this machine instead.
        dask: A Dask cluster instead: a scheduler's address, or ``"local"`` to start one here.
        executor: Any executor instead; it is left running.

    Raises:
        InputError: Two ways at once, numbers out of range, Dask is missing or does not answer.
        WorkersLost: They were lost while they played.
    """
    check_ways(threads=threads, processes=processes, dask=dask, executor=executor)
    threads, processes = count("threads", threads), count("processes", processes)
    if dask is not None:
        with _dask(dask, threads) as workers, _noticing(apart=True):
            yield workers
    elif executor is not None:
        at_once = threads or getattr(executor, "_max_workers", None) or cores()
        apart = not isinstance(executor, ThreadPoolExecutor)
        with _noticing(apart):
            yield Workers(executor, at_once, 0.25 if apart else 0.1)
    elif processes is not None:
        # Spawned, not forked: a fork copies the locks of threads that do not exist in it.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin_process)
        with _closing(pool), _noticing(apart=True):
            yield Workers(pool, processes, 0.25)
    else:
        at_once = threads or min(cores(), MAX_WORKERS)
        own = ThreadPoolExecutor(at_once, thread_name_prefix="baobei")
        with _closing(own):
            yield Workers(own, at_once, 0.1)


def check_ways(**ways: Any) -> None:
    """Refuse two ways at once, and numbers that make no sense; arguments as of `opened`.

    Raises:
        InputError: For either.
    """
    for name in ("threads", "processes"):
        count(name, ways.get(name))
    others = [name for name in ("processes", "dask", "executor") if ways.get(name) is not None]
    if len(others) > 1:
        raise InputError(f"{others[0]} and {others[1]} at once", expected="one of the two")
    if others == ["processes"] and ways.get("threads") is not None:
        raise InputError("threads and processes at once", expected="one of the two")
    dask = ways.get("dask")
    if dask is not None and not (isinstance(dask, str) and (dask == LOCAL or ":" in dask)):
        raise InputError(expected=_ADDRESS, where="dask", got=dask)
    executor = ways.get("executor")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise InputError(expected="something with a method submit", where="executor", got=executor)


def count(name: str, value: object, most: int = MAX_WORKERS) -> int | None:
    """Return the number from 1 to `most` that an argument is, or None.

    Raises:
        InputError: It is something else.
    """
    return None if value is None else needed(value, 1, most, where=name)


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _closing(pool: Executor) -> Iterator[None]:
    try:
        yield
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _noticing(apart: bool) -> Iterator[None]:
    """Tell it in words when workers outside of this process are lost."""
    try:
        yield
    except BaobeiError:
        raise
    except Exception as error:
        if not apart or not _is_loss(error):
            raise
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise WorkersLost(f"the workers were lost: {reason[0]}") from error


def _is_loss(error: BaseException) -> bool:
    """Whether an error says that workers have gone, and not that they found a mistake."""
    from concurrent.futures import BrokenExecutor, CancelledError

    own = isinstance(error, BrokenExecutor | CancelledError | OSError)
    return own or type(error).__module__.partition(".")[0] == "distributed"


def _begin_process() -> None:
    """Make a worker process leave Ctrl-C to its parent, and end when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


# --- Dask -----------------------------------------------------------------------------------------


@contextmanager
def _dask(address: str, workers: int | None) -> Iterator[Workers]:
    try:
        import distributed
    except ImportError:
        expected = "it installed: pip install 'baobei-sim[dask]'"
        raise InputError("Dask is not installed", where="dask", expected=expected) from None
    with _cluster(address, workers) as target, _client(distributed, target, address) as client:
        try:
            client.wait_for_workers(1, timeout=DASK_SECONDS)
        except TimeoutError:
            problem = f"the cluster at {address} has no workers"
            raise InputError(problem, where="dask", expected="at least one") from None
        yield Workers(client.get_executor(), sum(client.nthreads().values()), 1.0)


@contextmanager
def _cluster(address: str, workers: int | None) -> Iterator[Any]:
    """Give the block something to connect to: the address, or a cluster that is started here."""
    if address != LOCAL:
        yield address
        return
    import logging

    from distributed import LocalCluster

    with _deaf():
        cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers or cores(),
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    try:
        yield cluster
    finally:
        with suppress(Exception):  # some of it may have been killed
            cluster.close(timeout=10)


@contextmanager
def _deaf() -> Iterator[None]:
    """Let processes that the block starts leave Ctrl-C to this one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # they inherit it
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _client(distributed: Any, target: Any, address: str) -> Iterator[Any]:
    try:
        client = distributed.Client(target, timeout=DASK_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        problem = f"no Dask scheduler answers at {address}: {reason[0]}"
        raise InputError(problem, where="dask", expected=_ADDRESS) from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=10)
