"""Cuts what is to be played into chunks, and has workers play them, a few in flight at a time."""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from sim.batch.ranges import Range

CHUNK_SECONDS = 0.1
"""What a chunk of a thread should last: long against its overhead, short against patience."""

FIRST_CHUNK = {"rounds": 1024, "games": 32}
"""Units of the first chunks, before there is a speed to go by."""

POLL_SECONDS = 0.2
"""So often a run that waits for a chunk looks whether Ctrl-C was pressed."""

RECORD_UNITS = 2**14
"""The most units of a chunk whose records have to be held in memory."""


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
