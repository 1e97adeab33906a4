"""The one loop that plays: tasks cut into chunks, a few of them in flight, and what is done noted.

A run is one task, a comparison another, a sweep or a tournament many. Nothing in a result depends
on how long chunks are, on who plays them, or on interruptions.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from sim.batch.executors import opened
from sim.batch.progress import Progress, Wanted
from sim.batch.ranges import Range

CHUNK_SECONDS = 0.1
"""What a chunk of a thread should last: long against its overhead, short against patience."""

FIRST_CHUNK = {"rounds": 1024, "games": 32}
"""Units of the first chunks, before there is a speed to go by."""

POLL_SECONDS = 0.2
"""So often a run that waits for a chunk looks whether Ctrl-C was pressed."""

RECORD_UNITS = 2**14
"""The most units of a chunk whose records have to be held in memory."""


@dataclass(frozen=True)
class Part:
    """What came of one chunk.

    Attributes:
        begin: First unit.
        end: One past the last.
        sums: Over these units: `Sums`, or `PairSums` where they are blocks.
        seconds: Time that playing it took.
        rows: Records as the engine writes them, int32, in index order.
    """

    begin: int
    end: int
    sums: Any
    seconds: float
    rows: list[Any] = field(default_factory=list)


class Playable(Protocol):
    """A job, of one study or of a pair of them; can be pickled."""

    @property
    def records(self) -> bool:
        """Whether rows of records are kept."""

    def play(self, begin: int, end: int) -> Part:
        """Play units `begin` to `end` - 1: a pure function."""

    def most_units(self) -> int:
        """Return how many units a chunk may have."""


@dataclass(frozen=True)
class Task:
    """One of the things that are to be played together.

    Attributes:
        job: Makes the job, when it is needed.
        ranges: The units that are to be played.
    """

    job: Callable[[], Playable]
    ranges: Sequence[Range]


class Sizes:
    """Chooses how long the next chunk is; nothing in a result depends on it."""

    def __init__(
        self,
        unit: str,
        threads: int,
        fixed: int | None,
        seconds: float = CHUNK_SECONDS,
    ) -> None:
        """Begin with `fixed` units; where that is None, with few, and adapt to the speed.

        Args:
            unit: ``"rounds"`` or ``"games"``.
            threads: Chunks that are played at a time.
            fixed: Units of every chunk; None to adapt.
            seconds: What a chunk should last.
        """
        self.threads = threads
        self.adaptive = fixed is None
        self.seconds = seconds
        self.size = FIRST_CHUNK[unit] if fixed is None else fixed

    def next(self, left: int) -> int:
        """Return the length of the next chunk when `left` units are left."""
        size = self.size
        if self.adaptive:  # towards the end shorter, so that all threads finish together
            size = min(size, max(self.size // 8, left // (2 * self.threads)))
        return max(1, min(size, left))

    def chunks(self, job: Playable, ranges: Sequence[Range]) -> Iterator[Range]:
        """Yield ranges of a job cut into chunks, each as long as seems right at the time."""
        most = job.most_units()
        if job.records:
            most = min(most, RECORD_UNITS)
        left = sum(end - begin for begin, end in ranges)
        for begin, end in ranges:
            at = begin
            while at < end:
                upto = min(at + max(1, min(self.next(left), most)), end)
                yield at, upto
                left -= upto - at
                at = upto

    def learn(self, part: Part) -> None:
        """Take the speed of a finished chunk into account."""
        if self.adaptive and part.seconds > 0:
            wanted = int((part.end - part.begin) * self.seconds / part.seconds)
            self.size = max(1, self.size // 4, min(wanted, self.size * 4))


def play_tasks(
    tasks: Sequence[Task],
    note: Callable[[int, Part, float], str | None],
    *,
    ways: Mapping[str, Any],
    unit: str,
    chunk: int | None,
    progress: Wanted,
    total: int,
    done: int = 0,
    size: int = 1,
    leader: Callable[[], str] = str,
    max_seconds: float | None = None,
    begun: bool = True,
) -> str | None:
    """Play all that is missing of some tasks: the one loop of everything that is played.

    Args:
        tasks: What is missing.
        note: Called with each part that is finished, in order, and the seconds since the one
            before; returns why that is enough, or None.
        ways: Who plays, as of `sim.batch.executors.opened`.
        unit: ``"rounds"`` or ``"games"``.
        chunk: Units of a chunk; None to adapt.
        progress: What to show, as of `sim.run`.
        total: What progress counts to.
        done: What of it is finished already.
        size: What a unit counts.
        leader: Says who leads.
        max_seconds: Stop after so much time.
        begun: Report how much is finished before the first part, too.

    Returns:
        Why it stopped before the end; None where all was played.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; all parts that were told are noted.
    """
    with (
        opened(**ways) as workers,
        interruptible() as interrupted,
        Progress(progress, total, unit, 0 if begun else done) as bar,
    ):
        sizes = Sizes(unit, workers.count, chunk, workers.chunk_seconds)
        if begun:
            bar.update(done)
        start = last = time.perf_counter()
        for task, part in play_parts(workers.executor, tasks, sizes, interrupted):
            now = time.perf_counter()
            enough = note(task, part, now - last)
            last, done = now, done + size * (part.end - part.begin)
            bar.update(done, leader)
            if enough is not None:
                return enough
            if done == total:
                break
            if max_seconds is not None and now - start >= max_seconds:
                return "max_seconds"
            if interrupted():
                raise KeyboardInterrupt
    return None


def play_parts(
    executor: Executor,
    tasks: Iterable[Task],
    sizes: Sizes,
    interrupted: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Part]]:
    """Yield the parts of tasks in their order, few of them in flight at a time.

    A part of the next task begins while the last of the one before is still being played, so that
    no core waits at a border.

    Args:
        executor: Where chunks are submitted.
        tasks: What is played.
        sizes: Says how long chunks are.
        interrupted: Says whether to stop.

    Returns:
        The number of the task, and what came of the part.

    Raises:
        KeyboardInterrupt: `interrupted` was true while a part was waited for.
    """
    pending: deque[tuple[int, Future[Part]]] = deque()
    chunks = _chunks(tasks, sizes)
    try:
        while True:
            while len(pending) < 3 * sizes.threads:
                chunk = next(chunks, None)
                if chunk is None:
                    break
                task, job, begin, end = chunk
                pending.append((task, executor.submit(play_chunk, job, begin, end)))
            if not pending:
                return
            task, future = pending.popleft()
            part = _result(future, interrupted)
            sizes.learn(part)
            yield task, part
    finally:
        for _, future in pending:
            future.cancel()


def _chunks(tasks: Iterable[Task], sizes: Sizes) -> Iterator[tuple[int, Playable, int, int]]:
    for k, task in enumerate(tasks):
        if task.ranges:
            job = task.job()
            for begin, end in sizes.chunks(job, task.ranges):
                yield k, job, begin, end


def play_chunk(job: Playable, begin: int, end: int) -> Part:
    """Play a chunk; a function of its own, so that it can be sent to other processes."""
    return job.play(begin, end)


def _result(future: Future[Part], interrupted: Callable[[], bool]) -> Part:
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
