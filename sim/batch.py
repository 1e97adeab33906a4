"""Runs: a study cut into chunks, the chunks played by threads, their sums added up.

A chunk is a range of units (rounds, or whole games), and a pure function of the packed study,
the seed and the range: `play`. Sums are whole numbers, merged in index order. So a result is the
same, byte for byte, for any number of threads and any size of chunks, and anything that runs
pure functions can take the place of the threads.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sim.deck import PathLike
from sim.engine.state import FAULT_NONE, RECORD_COLUMNS, TALLY, new_record, new_state
from sim.errors import InputError
from sim.folder import prepare
from sim.pack import pack
from sim.progress import Progress, Wanted, announce_compiling
from sim.records import Keeper, Writer, check_rows
from sim.results import RECORDS, Result
from sim.study import Study, load_study
from sim.sums import Sums

MAX_THREADS = 1024

CHUNK_SECONDS = 0.1
"""What a chunk should last: long against its overhead, short against patience."""

FIRST_CHUNK = {"rounds": 1024, "games": 32}
"""Units of the first chunks, before there is a speed to go by."""

RECORD_UNITS = 2**14
"""The most units of a chunk whose records have to be held in memory."""

GAME_ROWS = 2**16
"""Rows of the buffer into which the records of games are written, at least."""


@dataclass(frozen=True)
class Job:
    """What a worker needs to know to play any chunk of a run; can be pickled.

    Attributes:
        table: `Table` record: rules, deck and players.
        seed: 0 to 2**64 - 1.
        records: Whether rows of records are to be kept.
    """

    table: Any
    seed: int
    records: bool = False

    @classmethod
    def of(cls, study: Study, records: bool = False) -> Job:
        """Return the job of a study."""
        return cls(pack(study), study.seed, records)

    def histograms(self) -> dict[str, Any]:
        """Return zeroed histograms, int64, that no round of this job can overrun.

        A turn draws at most one card, then the penalty of its one pluck (INV-3) and two cards for
        each of its three powers at most; each draw can force one recycling.
        """
        table = self.table
        turns, rounds = int(table.rule_max_turns), int(table.rule_max_rounds)
        draws = 1 + int(table.rule_penalty_cards) + 3 * 2
        sizes = {"turns": turns, "recyclings": turns * draws, "game_rounds": rounds}
        return {name: np.zeros(size + 1, np.int64) for name, size in sizes.items()}

    def rows(self, units: int) -> Any:
        """Return the buffer for the records of a chunk, int32; no rows where none are kept."""
        players, table = int(self.table.players), self.table
        if not self.records:
            size = 0
        elif table.games:
            size = max(GAME_ROWS, players * int(table.rule_max_rounds))  # one game must fit
        else:
            size = players * units
        return np.zeros((size, len(RECORD_COLUMNS)), np.int32)

    def most_units(self) -> int:
        """Return how many units can be played before any sum of a chunk could leave int64.

        Bounds are from the deck and the rules alone, far from anything that is ever played, and
        so never felt except with absurd values. At least 1.
        """
        table = self.table
        values = [int(value) for value in table.value[: table.cards]]
        turns, rounds = int(table.rule_max_turns), int(table.rule_max_rounds)
        minimum = int(table.rule_bao_failure_minimum)
        score = max(sum(map(abs, values)) * int(table.rule_bao_failure_factor), minimum)
        if not table.games:
            return 2**62 // max(turns**2, score**2)
        negative = -sum(value for value in values if value < 0)
        game = max(int(table.threshold) + score, rounds * negative)
        return 2**62 // max(rounds * turns**2, rounds * score**2, game**2, game * rounds)


@dataclass(frozen=True)
class Part:
    """What came of one chunk.

    Attributes:
        begin: First unit.
        end: One past the last.
        sums: Over these units.
        seconds: Time that playing it took.
        rows: Records as the engine writes them, int32, in index order.
    """

    begin: int
    end: int
    sums: Sums
    seconds: float
    rows: list[Any] = field(default_factory=list)


def play(job: Job, begin: int, end: int) -> Part:
    """Play units `begin` to `end` - 1: the one pure function that every run is made of.

    Raises:
        EngineError: A policy answered against the rules, which is a bug.
    """
    from sim.engine.play import play_chunk

    start = time.perf_counter()
    state, tally, histograms = new_state(), new_record(TALLY), job.histograms()
    buffer, kept = job.rows(end - begin), []
    at = begin
    while True:
        with np.errstate(over="ignore"):  # without the compiler numpy minds wrapping numbers
            at, written = play_chunk(
                state,
                job.table,
                np.uint64(job.seed),
                at,
                end,
                tally,
                histograms["turns"],
                histograms["recyclings"],
                histograms["game_rounds"],
                buffer,
            )
        if state.fault != FAULT_NONE:
            _report_fault(state, job)
        if written:
            kept.append(buffer[:written].copy())
        if at >= end:
            break
    sums = Sums.of(tally, histograms)
    return Part(begin, end, sums, time.perf_counter() - start, kept)


def _report_fault(state: Any, job: Job) -> None:
    """Raise the engine's error, with the command that shows what happened."""
    from sim.events import EngineError, raise_fault

    unit = "game" if job.table.games else "round"
    try:
        raise_fault(state)
    except EngineError as error:
        again = f"baobei trace --seed {job.seed} --{unit} {state.index}"
        raise EngineError(f"a bug in a player: {error}; to see it: {again}") from None


class _Sizes:
    """Chooses how long the next chunk is; nothing in a result depends on it."""

    def __init__(self, job: Job, unit: str, threads: int, fixed: int | None) -> None:
        self.most = job.most_units()
        if job.records:
            self.most = min(self.most, RECORD_UNITS)
        self.threads = threads
        self.adaptive = fixed is None
        self.size = FIRST_CHUNK[unit] if fixed is None else fixed

    def next(self, left: int) -> int:
        """Return the length of the next chunk when `left` units are left."""
        size = self.size
        if self.adaptive:  # towards the end shorter, so that all threads finish together
            size = min(size, max(self.size // 8, left // (2 * self.threads)))
        return max(1, min(size, self.most, left))

    def learn(self, part: Part) -> None:
        """Take the speed of a finished chunk into account."""
        if self.adaptive and part.seconds > 0:
            wanted = int((part.end - part.begin) * CHUNK_SECONDS / part.seconds)
            self.size = max(1, self.size // 4, min(wanted, self.size * 4))


def play_parts(executor: Executor, job: Job, count: int, sizes: _Sizes) -> Iterator[Part]:
    """Yield the parts of units 0 to `count` - 1 in index order, few of them in flight at a time."""
    pending: deque[Future[Part]] = deque()
    begin = 0
    try:
        while begin < count or pending:
            while begin < count and len(pending) < 3 * sizes.threads:
                end = begin + sizes.next(count - begin)
                pending.append(executor.submit(play, job, begin, end))
                begin = end
            part = pending.popleft().result()
            sizes.learn(part)
            yield part
    finally:
        for future in pending:
            future.cancel()


class _Sink(Protocol):
    """Takes records in index order."""

    def add(self, rows: Any, begin: int) -> None: ...

    def close(self) -> None: ...

    def abandon(self) -> None: ...


def run(
    study: Study | PathLike,
    *,
    threads: int | None = None,
    chunk: int | None = None,
    records: bool = False,
    out: PathLike | None = None,
    progress: Wanted = None,
) -> Result:
    """Play a study.

    Args:
        study: What to play; or the name of a shipped one, or the path of a study file.
        threads: Threads that play; all cores if None. Results do not depend on it.
        chunk: Units (rounds or games) of a chunk; chosen by speed if None. Results do not depend
            on it.
        records: Keep one row for each finished round and seat: as ``records.parquet`` in the
            folder `out`, or without a folder in memory, as `Result.records`.
        out: Folder for the results; made if need be. It is checked before anything is played.
        progress: True shows a bar on a terminal or in a notebook; a function is called with the
            units done and the units in all; None shows messages only; False nothing.

    Returns:
        The result, equal byte for byte for any number of threads and any size of chunks.

    Raises:
        InputError: Something in the arguments is wrong, or the folder holds another study.
        EngineError: A bug in a player.
    """
    if not isinstance(study, Study):
        study = load_study(study)
    threads = _threads(threads)
    _check(study, chunk, records, out)
    folder = None if out is None else prepare(out, study, records=records)
    job = Job.of(study, records)
    compile_seconds = load_engine(job, quiet=progress is False)
    sizes = _Sizes(job, study.unit, threads, chunk)
    with _keeping(records, folder) as sink:
        start = time.perf_counter()
        sums = _play(study, job, sizes, progress, sink)
    result = Result(
        study=study,
        sums=sums,
        seconds=time.perf_counter() - start,
        compile_seconds=compile_seconds,
        stopped_by=study.unit,
        folder=folder if records else None,  # what is there of older records is not this run's
        kept=sink.frame() if isinstance(sink, Keeper) else None,
    )
    if folder is not None:
        result.save(folder)
    return result


def _play(study: Study, job: Job, sizes: _Sizes, progress: Wanted, sink: _Sink | None) -> Sums:
    """Return the sums over all units of a study; records go to `sink`."""
    sums = Sums.empty()
    executor = ThreadPoolExecutor(sizes.threads, thread_name_prefix="baobei")
    try:
        with Progress(progress, study.count, study.unit) as bar:
            for part in play_parts(executor, job, study.count, sizes):
                if sink is not None:
                    for rows in part.rows:
                        sink.add(rows, part.begin)
                sums.add(part.sums)
                bar.update(part.end)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
    return sums


@contextmanager
def _keeping(records: bool, folder: Path | None) -> Iterator[_Sink | None]:
    """Give the block something that takes records, complete after it, gone after an error."""
    if not records:
        yield None
        return
    sink: _Sink = Keeper()
    try:
        if folder is not None:
            sink = Writer(folder / RECORDS)
        yield sink
        sink.close()
    except OSError as error:
        sink.abandon()
        problem = f"records cannot be written: {error.strerror or error}"
        raise InputError(problem, where=folder) from None
    except BaseException:
        sink.abandon()
        raise


def load_engine(job: Job, quiet: bool = False) -> float:
    """Compile the engine, or load it from its cache, in this thread; return the seconds it took."""
    start = time.perf_counter()
    announce_compiling(quiet, "play_chunk")
    play(job, 0, 0)
    return time.perf_counter() - start


def _threads(threads: int | None) -> int:
    """Return the number of threads, by default that of the cores this process may use."""
    if threads is None:
        return min(cores(), MAX_THREADS)
    _whole("threads", threads, MAX_THREADS)
    return threads


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check(study: Study, chunk: int | None, records: bool, out: PathLike | None) -> None:
    """Check all that can be known to be wrong before anything is played."""
    if chunk is not None:
        _whole("chunk", chunk, 2**40)
    if records and out is None:
        check_rows(study.count * len(study.players))


def _whole(name: str, value: object, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise InputError(expected=f"a whole number from 1 to {most:,}", where=name, got=value)
