"""Runs: a study cut into chunks, the chunks played by workers, their sums added up.

A chunk is a range of units (rounds, or whole games), and a pure function of the packed study,
the seed and the range: `play`. Sums are whole numbers, merged in index order. So a result is the
same, byte for byte, for any number of threads and any size of chunks, for processes and clusters,
and for a run that was interrupted and gone on with.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from sim.batch.executors import Workers, check_ways, count, opened
from sim.batch.pack import pack
from sim.batch.progress import Progress, Wanted, announce_compiling
from sim.batch.ranges import Range, Ranges, checked, common, in_words, minus, size
from sim.batch.stopping import Until, cut_at_looks, is_look
from sim.batch.sums import Sums
from sim.core.codes import RECORD_COLUMNS, Fault
from sim.core.layout import GAME_COLUMNS, ROUND_ROWS, TALLY, TURN_ROWS, new_record, new_state
from sim.engine import ENGINE_VERSION
from sim.errors import InputError, within
from sim.game.base import number
from sim.game.files import PathLike
from sim.game.study import MAX_UNITS, Study, load_study
from sim.results import Result, leader, reached
from sim.store.folder import check_told, read_held
from sim.store.ledger import Ledger, open_ledger
from sim.store.rows import check_rows

CHUNK_SECONDS = 0.1
"""What a chunk of a thread should last: long against its overhead, short against patience."""

FIRST_CHUNK = {"rounds": 1024, "games": 32}
"""Units of the first chunks, before there is a speed to go by."""

POLL_SECONDS = 0.2
"""So often a run that waits for a chunk looks whether Ctrl-C was pressed."""

RECORD_UNITS = 2**14
"""The most units of a chunk whose records have to be held in memory."""

GAME_ROWS = 2**16
"""Rows of the buffer into which the records of games are written, at least."""

MOST_GAMES = 2**14
"""The most games of which something is held for each until it is added up."""


@dataclass(frozen=True)
class Job:
    """What a worker needs to know to play any chunk of a run; can be pickled.

    Attributes:
        table: `Table` record: rules, deck and players.
        seed: 0 to 2**64 - 1.
        records: Whether rows of records are to be kept.
        engine: Version of the engine; a worker that has another one refuses.
    """

    table: Any
    seed: int
    records: bool = False
    engine: int = ENGINE_VERSION

    @classmethod
    def of(cls, study: Study, records: bool = False) -> Job:
        """Return the job of a study."""
        return cls(pack(study), study.seed, records)

    def check_engine(self) -> None:
        """Check that this process has the engine that the run needs.

        Raises:
            InputError: It has another version.
        """
        if self.engine != ENGINE_VERSION:
            problem = f"a worker has engine {ENGINE_VERSION}, the run needs engine {self.engine}"
            raise InputError(problem, expected="the same version of the program everywhere")

    def histograms(self) -> dict[str, Any]:
        """Return zeroed histograms, int64, that no round of this job can overrun.

        A turn draws at most one card, then the penalty of its one pluck (INV-3) and two cards for
        each of its three powers at most; each draw can force one recycling. A total lies between
        that of all cards below 0 and that of all above.
        """
        table = self.table
        below, above = self._values()
        turns, rounds = int(table.rule_max_turns), int(table.rule_max_rounds)
        draws = 1 + int(table.rule_penalty_cards) + 3 * 2
        shapes = {
            "turns": (TURN_ROWS, turns + 1),
            "recyclings": (turns * draws + 1,),
            "game_rounds": (ROUND_ROWS, rounds + 1),
            "call_totals": (4, 2 * max(below, above) + 1),
        }
        return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}

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

    def games(self, units: int) -> Any:
        """Return the buffer for what is kept of each game, int64; one row where rounds are played.

        Args:
            units: That are played at most.
        """
        size = min(max(units, 1), MOST_GAMES) if self.table.games else 1
        return np.zeros((size, GAME_COLUMNS), np.int64)

    def _values(self) -> tuple[int, int]:
        """Return what all cards below 0 are worth together, without its sign, and all above 0."""
        values = [int(value) for value in self.table.value[: self.table.cards]]
        return -sum(min(value, 0) for value in values), sum(max(value, 0) for value in values)

    def most_units(self) -> int:
        """Return how many units can be played before any sum of a chunk could leave int64.

        Bounds are from the deck and the rules alone, far from anything that is ever played, and
        so never felt except with absurd values. At least 1, whatever the deck and the rules.
        """
        table = self.table
        below, above = self._values()
        players, hand = int(table.players), int(table.hand_size[table.players])
        turns, threshold = int(table.rule_max_turns), int(table.threshold)
        rounds = int(table.rule_max_rounds) if table.games else 1
        # Scores of a round, all seats together and without signs: no card counts twice, but for a
        # declarer who fails. Those of a game above 0: every seat's sum ends at the threshold.
        factor, least = int(table.rule_bao_failure_factor), int(table.rule_bao_failure_minimum)
        scores = max(above * factor, least) + above + below
        together = min(rounds * scores, players * threshold + scores + 2 * rounds * below)
        sums = max(threshold + scores, rounds * below)
        return (2**63 - 1) // max(
            rounds * turns**2,  # turns and plucks; chances are a few in a turn, cards but 128
            rounds * turns * 10**6,  # confidence, of one pluck a turn, in millionths; wins
            rounds * (above + below) ** 2,  # totals
            # Scores apart are differences to each of the others; they count for each card in hand.
            (hand * (players - 1)) ** 2 * scores * together,
            *((sums**2, sums * rounds) if table.games else ()),
        )


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
        InputError: The job is for another version of the engine.
    """
    from sim.engine.play import play_chunk

    job.check_engine()
    start = time.perf_counter()
    state, buffer, games = new_state(), job.rows(end - begin), job.games(end - begin)
    pieces, kept = [], []
    at = begin
    while True:
        tally, histograms, first = new_record(TALLY), job.histograms(), at
        arrays = [*histograms.values(), buffer, games]
        with np.errstate(over="ignore"):  # without the compiler numpy minds wrapping numbers
            at, written = play_chunk(state, job.table, np.uint64(job.seed), at, end, tally, *arrays)
        check_fault(state, job)
        pieces.append(Sums.of(tally, histograms, games[: at - first] if job.table.games else ()))
        if written:
            kept.append(buffer[:written].copy())
        if at >= end:
            break
    return Part(begin, end, Sums.together(pieces), time.perf_counter() - start, kept)


def check_fault(state: Any, job: Job) -> None:
    """Raise the engine's error if there was one, with the command that shows what happened.

    Raises:
        EngineError: A policy answered against the rules, which is a bug.
    """
    if state.fault == Fault.NONE:
        return
    from sim.watch.events import EngineError, raise_fault

    unit = "game" if job.table.games else "round"
    try:
        raise_fault(state)
    except EngineError as error:
        again = f"baobei trace --seed {job.seed} --{unit} {state.index}"
        raise EngineError(f"a bug in a player: {error}; to see it: {again}") from None


class Task(Protocol):
    """What is played in chunks: a `Job`, or another that can be pickled."""

    @property
    def records(self) -> bool:
        """Whether rows of records are kept."""

    def most_units(self) -> int:
        """Return how many units a chunk may have."""


class Done(Protocol):
    """What comes of a chunk: a `Part`, or another."""

    @property
    def begin(self) -> int:
        """First unit."""

    @property
    def end(self) -> int:
        """One past the last."""

    @property
    def seconds(self) -> float:
        """Time that playing it took."""


J = TypeVar("J", bound=Task)
P = TypeVar("P", bound=Done)


class Sizes:
    """Chooses how long the next chunk is; nothing in a result depends on it."""

    def __init__(
        self,
        job: Task,
        unit: str,
        threads: int,
        fixed: int | None,
        seconds: float = CHUNK_SECONDS,
    ) -> None:
        """Begin with `fixed` units; where that is None, with few, and adapt to the speed.

        Args:
            job: What is played.
            unit: ``"rounds"`` or ``"games"``.
            threads: Chunks that are played at a time.
            fixed: Units of every chunk; None to adapt.
            seconds: What a chunk should last.
        """
        self.most = job.most_units()
        if job.records:
            self.most = min(self.most, RECORD_UNITS)
        self.threads = threads
        self.adaptive = fixed is None
        self.seconds = seconds
        self.size = FIRST_CHUNK[unit] if fixed is None else fixed

    def next(self, left: int) -> int:
        """Return the length of the next chunk when `left` units are left."""
        size = self.size
        if self.adaptive:  # towards the end shorter, so that all threads finish together
            size = min(size, max(self.size // 8, left // (2 * self.threads)))
        return max(1, min(size, self.most, left))

    def chunks(self, ranges: Sequence[Range]) -> Iterator[Range]:
        """Yield ranges cut into chunks, each as long as seems right at the time."""
        left = sum(end - begin for begin, end in ranges)
        for begin, end in ranges:
            at = begin
            while at < end:
                upto = min(at + self.next(left), end)
                yield at, upto
                left -= upto - at
                at = upto

    def learn(self, part: Done) -> None:
        """Take the speed of a finished chunk into account."""
        if self.adaptive and part.seconds > 0:
            wanted = int((part.end - part.begin) * self.seconds / part.seconds)
            self.size = max(1, self.size // 4, min(wanted, self.size * 4))


def play_parts(
    executor: Executor,
    play: Callable[[J, int, int], P],
    job: J,
    ranges: Sequence[Range],
    sizes: Sizes,
    interrupted: Callable[[], bool] = lambda: False,
) -> Iterator[P]:
    """Yield the parts of ranges in their order, few of them in flight at a time.

    Args:
        executor: Where chunks are submitted.
        play: Plays a chunk of a job, from a first unit to one before another.
        job: What is played.
        ranges: Which units of it.
        sizes: Says how long chunks are.
        interrupted: Says whether to stop.

    Raises:
        KeyboardInterrupt: `interrupted` was true while a part was waited for.
    """
    pending: deque[Future[P]] = deque()
    chunks = sizes.chunks(ranges)
    try:
        while True:
            while len(pending) < 3 * sizes.threads:
                chunk = next(chunks, None)
                if chunk is None:
                    break
                pending.append(executor.submit(play, job, *chunk))
            if not pending:
                return
            part = _result(pending.popleft(), interrupted)
            sizes.learn(part)
            yield part
    finally:
        for future in pending:
            future.cancel()


def _result(future: Future[P], interrupted: Callable[[], bool]) -> P:
    while True:
        try:
            return future.result(timeout=POLL_SECONDS)
        except TimeoutError:
            if future.done():  # then it is the chunk's own error, or it ended just now
                return future.result()
        if interrupted():
            future.cancel()
            raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Give the block a function that says whether Ctrl-C was pressed.

    The first one only makes it say so, that no sum is torn in the middle of an addition; a second
    one is as usual. Where signals do not come to, or somebody else handles them, it says no.
    """
    pressed: list[int] = []

    def note(number: int, _: Any) -> None:
        pressed.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def unbroken() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, as of one that loads code: it could be swallowed.

    The compiler calls back from C, and there Python can raise nothing.
    """
    with interruptible() as pressed:
        yield
    if pressed():
        raise KeyboardInterrupt


# --- what to play, and when to stop ---------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """What a run is asked for.

    Attributes:
        study: What to play, as long as it may become.
        wanted: Its units that are asked for.
        limit: What ends a run that has come to the end of the study.
        until: At which precision it may stop before that.
        max_seconds: After which time it may.
    """

    study: Study
    wanted: Ranges
    limit: str
    until: Until | None = None
    max_seconds: float | None = None

    @classmethod
    def of(
        cls,
        study: Study,
        *,
        only: Sequence[int] | None,
        until: str | Until | None,
        max_units: dict[str, int | None],
        max_seconds: float | None,
    ) -> _Plan:
        """Return the plan that arguments of `run` mean.

        Raises:
            InputError: They make no sense, or not together.
        """
        with within(where="until"):
            target = Until.of(until, len(study.players))
        limit = study.unit
        for unit, most in max_units.items():
            most = count(f"max_{unit}", most, MAX_UNITS)
            if most is None:
                continue
            if unit != study.unit:
                problem = f"the study is one of {study.unit}"
                raise InputError(problem, where=f"max_{unit}", expected=f"a limit of {study.unit}")
            if target is not None or most < study.count:
                changes: dict[str, Any] = {unit: most}
                study, limit = study.with_changes(**changes), f"max_{unit}"
        if max_seconds is not None and (number(max_seconds) or 0) <= 0:
            problem = "a number of seconds above 0"
            raise InputError(expected=problem, where="max_seconds", got=max_seconds)
        wanted: Ranges = ((0, study.count),)
        if only is not None:
            if target is not None or limit != study.unit:
                problem = "a range alone, or a run from the start until a target or a limit"
                raise InputError("a range and a target at once", where="range", expected=problem)
            with within(where="range"):
                wanted = (checked(only, study.count),)
        return cls(study, wanted, limit, target, max_seconds)

    def begin(self, ledger: Ledger) -> list[Range]:
        """Return the ranges that are still to be played, cut where the run will look.

        Raises:
            InputError: The folder holds something that a target cannot be judged by.
        """
        missing = minus(self.wanted, ledger.ranges)
        if self.until is None:
            return list(missing)
        if ledger.ranges and ledger.ranges != ((0, ledger.ranges[0][1]),):
            problem = f"holds {in_words(ledger.ranges, self.study.unit)}"
            expected = f"the first {self.study.unit} without a gap, to look at them in order"
            raise InputError(problem, where="until", expected=expected)
        return list(cut_at_looks(missing))

    def reached(self, ledger: Ledger) -> bool:
        """Whether the run is at a look, or at its end, and the target is met."""
        count = size(ledger.ranges)
        if self.until is None or not (is_look(count) or count == self.study.count):
            return False
        return reached(self.until, self.study, ledger.sums)

    def end(self, ledger: Ledger) -> str:
        """Return why a run stops that has played all that it was asked for."""
        return self.limit if ledger.ranges == ((0, self.study.count),) else "range"


# --- runs -----------------------------------------------------------------------------------------


def run(
    study: Study | PathLike,
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    chunk: int | None = None,
    records: bool = False,
    out: PathLike | None = None,
    only: Sequence[int] | None = None,
    until: str | Until | None = None,
    max_rounds: int | None = None,
    max_games: int | None = None,
    max_seconds: float | None = None,
    progress: Wanted = None,
) -> Result:
    """Play a study, or what a folder does not hold of it yet.

    Args:
        study: What to play; or the name of a shipped one, or the path of a study file.
        threads: Threads that play; all cores if None. For a Dask cluster that is started here,
            and for an executor, how many chunks are played at a time. Results depend on neither
            this nor on who plays.
        processes: Play in so many processes on this machine instead. They are started anew, so
            a script has to keep its own work under ``if __name__ == "__main__":``.
        dask: Play on a Dask cluster instead: its scheduler's address, or ``"local"`` to start
            one on this machine.
        executor: Play on any executor of `concurrent.futures` instead; it is left running.
        chunk: Units (rounds or games) of a chunk; chosen by speed if None. Results do not depend
            on it.
        records: Keep one row for each finished round and seat: as ``records.parquet`` in the
            folder `out`, or without a folder in memory, as `Result.records`.
        out: Folder for the results; made if need be. It is checked before anything is played.
            What it holds already of the same study is not played again.
        only: Play only units `only[0]` to `only[1]` - 1 of the study.
        until: Stop as soon as an interval is narrow enough, such as ``"win_share[0]±0.001"``;
            see `sim.batch.stopping`. Without `max_rounds` (`max_games`) at the end of the study.
        max_rounds: Play at most so many rounds; with `until` instead of what the study says.
        max_games: The same for a study of games.
        max_seconds: Stop after so much time of playing. How far a run comes then depends on the
            machine.
        progress: True shows a bar on a terminal or in a notebook, and elsewhere a line a minute;
            a function is called with the units done and the units in all; None shows messages
            only; False nothing.

    Returns:
        The result, equal byte for byte for any number of threads, any size of chunks, and any
        interruptions in between.

    Raises:
        InputError: Something in the arguments is wrong, or the folder cannot be used.
        WorkersLost: Processes or a cluster went away. What was finished is in the folder.
        EngineError: A bug in a player.
    """
    if not isinstance(study, Study):
        study = load_study(study)
    limits = {"rounds": max_rounds, "games": max_games}
    plan = _Plan.of(study, only=only, until=until, max_units=limits, max_seconds=max_seconds)
    study = plan.study
    chunk, records = count("chunk", chunk, 2**40), bool(records)
    if records and out is None:
        check_rows(size(plan.wanted) * len(study.players))
    ways: dict[str, Any] = {"processes": processes, "dask": dask, "executor": executor}
    check_ways(threads=threads, **ways)
    with open_ledger(out, study, records=records, until=plan.until) as ledger:
        if not plan.begin(ledger) or plan.reached(ledger):
            return ledger.finish("until" if plan.reached(ledger) else plan.end(ledger))
        job = Job.of(study, records)
        ledger.compile_seconds += load_engine(job, quiet=progress is False)
        with opened(threads=threads, **ways) as workers:
            sizes = Sizes(job, study.unit, workers.count, chunk, workers.chunk_seconds)
            stopped_by = _play(plan, job, ledger, workers, sizes, progress)
        return ledger.finish(stopped_by)


def _play(
    plan: _Plan, job: Job, ledger: Ledger, workers: Workers, sizes: Sizes, progress: Wanted
) -> str:
    """Play what is missing in a ledger, as far as the plan says; return why it stopped."""
    study, ranges = plan.study, plan.begin(ledger)
    done, total = size(common(ledger.ranges, plan.wanted)), size(plan.wanted)
    start = last = time.perf_counter()
    with (
        interruptible() as interrupted,
        Progress(progress, total, study.unit, done) as bar,
    ):
        for part in play_parts(workers.executor, play, job, ranges, sizes, interrupted):
            now = time.perf_counter()
            ledger.note(part, now - last)
            last, done = now, done + part.end - part.begin
            bar.update(done, lambda: leader(study, ledger.sums, plan.until))
            if plan.until is not None and is_look(part.end):
                ledger.flush()
                if plan.reached(ledger):
                    return "until"
            if done == total:
                break
            if plan.max_seconds is not None and now - start >= plan.max_seconds:
                return "max_seconds"
            if interrupted():
                raise KeyboardInterrupt
    ledger.flush()
    return "until" if plan.reached(ledger) else plan.end(ledger)


def extend(
    folder: PathLike, *, rounds: int | None = None, games: int | None = None, **options: Any
) -> Result:
    """Play more of the study that a folder holds, and write the longer result into it.

    Args:
        folder: A results folder.
        rounds: How many rounds there are to be in all.
        games: How many games, where the study is one of games.
        **options: As for `run`: `threads`, `processes`, `dask`, `executor`, `chunk`,
            `max_seconds`, `progress`.

    Raises:
        InputError: The folder holds no results, or more than so many; or as for `run`.
    """
    there = read_held(Path(folder))
    check_told(Path(folder), there)
    study = there.study
    asked: dict[str, Any] = {"rounds": rounds, "games": games}
    given = [unit for unit, count in asked.items() if count is not None]
    if given != [study.unit]:
        problem = f"the study is one of {study.unit}"
        raise InputError(problem, where=folder, expected=f"a number of {study.unit}")
    count(study.unit, asked[study.unit], MAX_UNITS)
    longer = study.with_changes(**asked)
    return run(longer, out=folder, records=there.records, **options)


def load_engine(job: Job, quiet: bool = False) -> float:
    """Compile the engine, or load it from its cache, in this thread; return the seconds it took."""
    start = time.perf_counter()
    with unbroken():
        from sim.core.jit import has_room, is_compiled
    announce_compiling(quiet, "play_chunk")
    if not is_compiled("play_chunk") and has_room():
        _compile_apart()
    with unbroken():
        play(job, 0, 0)
    return time.perf_counter() - start


def _compile_apart() -> None:
    """Let another process compile what is not in the cache yet.

    Code plays up to a quarter slower in the process that compiled it than in one that loaded it.
    Whatever goes wrong here does no harm: then this process compiles.
    """
    if not sys.executable:
        return
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with suppress(OSError):
        subprocess.run(
            [sys.executable, "-c", _COMPILE],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )


_COMPILE = """
from sim.engine import jit
jit.KEEP_OR_FAIL = True
from sim.batch.run import Job, play
from sim.game.study import Study
play(Job.of(Study.of(players="random,random", rounds=1)), 0, 0)
"""
