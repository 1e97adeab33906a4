"""Many studies: the same workers play all of them, their sums are kept one by one.

Pieces of studies are played in order, a piece of the next one beginning while the last of the one
before is still being played, so that no core waits at a border. What is finished can be handed to
a journal, and what a journal remembers is not played again. Numbers depend on none of that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

from sim.batch.executors import Workers, count, opened
from sim.batch.job import Job, Part, load_engine, play
from sim.batch.progress import Progress, Wanted
from sim.batch.sums import Sums
from sim.game.study import Study

PIECE = {"rounds": 20_000, "games": 1000}
"""Units that are played, and kept, at a time: about a tenth of a second."""

MANY_PIECES = 20_000
"""Beyond so many, pieces become longer, so that no journal grows without end."""


_AHEAD = 3  # pieces in flight for each worker


@dataclass(frozen=True)
class Piece:
    """The sums over a range of units of one of many studies.

    Attributes:
        study: Which one, by its number from 0.
        begin: First unit.
        end: One past the last.
        sums: Over these units.
    """

    study: int
    begin: int
    end: int
    sums: Sums


class Totals:
    """What is finished of many studies: for each its sums, and the ranges they are over."""

    def __init__(self, studies: Sequence[Study]) -> None:
        """Begin with nothing finished."""
        self.studies = studies
        self.sums = [Sums.empty() for _ in studies]
        self.ranges: list[list[tuple[int, int]]] = [[] for _ in studies]

    def add(self, piece: Piece) -> bool:
        """Mutates: add a piece; returns False if it does not fit to what is there, unused."""
        if not 0 <= piece.study < len(self.studies):
            return False
        ranges, count = self.ranges[piece.study], self.studies[piece.study].count
        if not 0 <= piece.begin < piece.end <= count:
            return False
        if any(piece.begin < end and begin < piece.end for begin, end in ranges):
            return False
        ranges.append((piece.begin, piece.end))
        self.sums[piece.study].add(piece.sums)
        return True

    @property
    def units(self) -> int:
        """How many rounds or games are finished in all."""
        return sum(end - begin for ranges in self.ranges for begin, end in ranges)

    def missing(self, study: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of a study that are not finished, in order."""
        at = 0
        for begin, end in sorted(self.ranges[study]):
            if at < begin:
                yield at, begin
            at = end
        if at < self.studies[study].count:
            yield at, self.studies[study].count


def play_many(
    studies: Sequence[Study],
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    piece: int | None = None,
    progress: Wanted = None,
    done: Iterable[Piece] = (),
    keep: Callable[[Piece], None] | None = None,
) -> list[Sums]:
    """Play studies, all counting rounds or all games, and return the sums over each.

    Args:
        studies: What to play.
        threads: Threads that play; all cores if None. No result depends on who plays.
        processes: Processes of this machine that play instead.
        dask: A Dask cluster instead; it, and `executor`, as of `sim.run`.
        executor: Any executor instead.
        piece: Units of a piece; about `PIECE` if None. Results do not depend on it.
        progress: As of `sim.run`, over the units of all studies together.
        done: Pieces of an earlier run, in any order; those that do not fit are left out.
        keep: Called with every piece that is finished, in the caller's thread.

    Raises:
        InputError: Something in the arguments is wrong.
        EngineError: A bug in a player.
        WorkersLost: They were lost while they played.
    """
    ways: dict[str, Any] = {"processes": processes, "dask": dask, "executor": executor}
    unit = studies[0].unit
    units = sum(study.count for study in studies)
    piece = count("piece", piece, 2**40) or max(PIECE[unit], units // MANY_PIECES)
    totals = Totals(studies)
    for old in done:
        totals.add(old)
    if any(True for k in range(len(studies)) for _ in totals.missing(k)):
        load_engine(Job.of(studies[0]), quiet=progress is False)
        with opened(threads=threads, **ways) as workers:
            _play(totals, unit, workers, piece, progress, keep)
    return totals.sums


def _play(
    totals: Totals,
    unit: str,
    workers: Workers,
    piece: int,
    progress: Wanted,
    keep: Callable[[Piece], None] | None,
) -> None:
    """Mutates `totals`: play all that is missing."""
    units = totals.units
    pending: deque[tuple[int, Future[Part]]] = deque()
    work = _work(totals, piece)

    def submit_next() -> None:
        for study, job, begin, end in work:
            pending.append((study, workers.executor.submit(play, job, begin, end)))
            return

    try:
        with Progress(progress, sum(study.count for study in totals.studies), unit) as bar:
            bar.update(units)
            for _ in range(_AHEAD * workers.count):
                submit_next()
            while pending:
                study, future = pending.popleft()
                part = future.result()
                submit_next()
                finished = Piece(study, part.begin, part.end, part.sums)
                totals.add(finished)
                if keep is not None:
                    keep(finished)
                units += part.end - part.begin
                bar.update(units)
    finally:
        for _, future in pending:
            future.cancel()


def _work(totals: Totals, piece: int) -> Iterator[tuple[int, Job, int, int]]:
    """Yield the pieces that are missing: study, job, begin, end. A study is packed when needed."""
    for k, study in enumerate(totals.studies):
        missing = list(totals.missing(k))
        if not missing:
            continue
        job = Job.of(study)
        size = max(1, min(piece, job.most_units()))
        for begin, end in missing:
            for at in range(begin, end, size):
                yield k, job, at, min(at + size, end)
