"""The ledger of all that is played: which units are finished, and the exact sums over them.

In memory, or in a folder. There every finished chunk is noted in the journal, several of them in
one line where they are short. What is kept of a run, a comparison, a sweep or a tournament differs
only in its sums, and in what is written at the end: of these three see `sim.store.tasks`.

The journal of a run is folded into the manifest from time to time. A line costs the same however
long the run has been, and nothing grows with it. Records of a range are in its folder of parts, on
the disk, before the journal says that the range is finished.

So a process that is killed loses the chunks that were being played, and what was finished in
the last `NOTE_SECONDS`; with records `PART_SECONDS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.batch.ranges import Ranges, in_words, minus
from sim.batch.stopping import Until
from sim.batch.sums import Sums
from sim.errors import InputError
from sim.game.files import PathLike
from sim.game.study import Study
from sim.store.files import GOES_ON, locked, sync_folder, writing
from sim.store.folder import Held, Tell, hold, write_manifest, write_result
from sim.store.journal import JOURNAL, Entry, Journal, SumsOf, Totals, Waiting
from sim.store.rows import PARTS, Collector, Parts, clear_parts, held, sources

if TYPE_CHECKING:
    from sim.batch.schedule import Part

NOTE_SECONDS = 0.05
"""A journal is written to at most so often."""

PART_SECONDS = 1.0
"""The same where records are kept: about what one part of them holds."""

FOLD_SECONDS = 10.0
"""The manifest is written at most so often while a run goes on."""

FOLD_BYTES = 2**22
"""A journal of this size is folded into the manifest."""


class Ledger:
    """A ledger that leaves nothing behind: in memory.

    Attributes:
        totals: What is finished of each task, and the sums over it.
        seconds: Time that playing it took, earlier sessions of a run included.
        compile_seconds: Time that compiling or loading the engine took, likewise.
    """

    def __init__(
        self, totals: Totals, begun: Held | None = None, *, collects: bool = False
    ) -> None:
        """Begin with what is finished.

        Args:
            totals: Tasks, of which nothing is finished.
            begun: A run, the one task, as far as it is finished.
            collects: Whether records are kept, for a DataFrame.
        """
        self.totals = totals
        self.seconds = self.compile_seconds = 0.0
        if begun is not None:
            totals.ranges[0], totals.sums[0] = begun.ranges, begun.sums
            self.seconds, self.compile_seconds = begun.seconds, begun.compile_seconds
        self._begun = begun
        self._collector = Collector() if collects else None

    @property
    def ranges(self) -> Ranges:
        """The units of a run that are finished."""
        return self.totals.ranges[0]

    @property
    def sums(self) -> Any:
        """Exact sums over these."""
        return self.totals.sums[0]

    def resume(self, sums: SumsOf, fits: Callable[[Entry], bool]) -> None:
        """Take what is remembered of the tasks, made by `sums`, as far as it `fits`."""
        for entry in self.entries(sums):
            if fits(entry):
                self.totals.add(entry)

    def entries(self, sums: SumsOf = Sums.from_dict) -> Iterator[Entry]:
        """Yield what is remembered of the tasks; nothing is."""
        yield from ()

    def note(self, task: int, part: Part, seconds: float) -> None:
        """Take what came of a chunk.

        Args:
            task: Of which task it is.
            part: Units that were not finished before, and what came of them.
            seconds: Time since the last part.

        Raises:
            InputError: It cannot be kept; says why.
        """
        for rows in part.rows:
            if self._collector is not None:
                self._collector.add(rows, part.begin)
        self._add(Entry(part.begin, part.end, part.sums, seconds, task))

    def _add(self, entry: Entry) -> None:
        self.totals.add(entry)
        self.seconds += entry.seconds

    def flush(self) -> None:
        """Make `totals` say all that was noted."""

    @property
    def kept(self) -> Any:
        """Records in memory, as a DataFrame; None where there are none."""
        return None if self._collector is None else self._collector.frame()

    @property
    def _now(self) -> Held:
        """The run, as far as it is finished now."""
        assert self._begun is not None
        return replace(
            self._begun,
            ranges=self.ranges,
            sums=self.sums,
            seconds=self.seconds,
            compile_seconds=self.compile_seconds,
        )

    def finish(self, stopped_by: str, tell: Tell) -> Held:
        """Return a run that is over.

        Args:
            stopped_by: Why it ended.
            tell: Makes what is told of it; called where that is written into a folder.
        """
        return replace(self._now, stopped_by=stopped_by, finished=True)


class FolderLedger(Ledger):
    """A ledger in a locked folder: what is noted stands in the journal.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path, totals: Totals, begun: Held | None = None) -> None:
        """Begin with what is finished; made by `open_ledger` and `sim.store.tasks.keeping`."""
        super().__init__(totals, begun)
        self.path = path
        self._journal: Journal | None = None
        self._closed = False
        self._forget()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let the block write into the folder.

        Raises:
            InputError: It cannot be written to.
        """
        with writing(self.path, GOES_ON):
            yield

    def _forget(self) -> None:
        """Everything is in the journal; begin to collect for the next line."""
        self._waiting = Waiting()
        self._whole = True

    def note(self, task: int, part: Part, seconds: float) -> None:
        """Take what came of a chunk; see `Ledger.note`."""
        if not self._waiting.continued_by(part, task):
            self.flush()
        self._whole = False
        with self.writing():
            self._store(part)
        self._waiting.add(part, seconds, task)
        self._whole = True
        if time.monotonic() - self._waiting.since >= self._every:
            self.flush()

    def flush(self) -> None:
        """Write down what has been noted since the last time.

        Raises:
            InputError: The folder cannot be written to.
        """
        entry = self._waiting.entry
        if entry is None:
            return
        with self.writing():
            self._seal(entry)
            if self._journal is None:
                self._journal = self._opened()
            self._journal.add(entry)
            self._whole = False
            self._add(entry)
            self._forget()
            self._written(self._journal)

    def suspend(self) -> None:
        """Leave the folder so that the same can be resumed; after whatever went wrong."""
        if self._closed:
            return
        with suppress(InputError, OSError):  # if it is the folder that fails, that is known
            if self._whole:
                self.flush()
                self._settle()
        self._close()

    def _close(self) -> None:
        self._closed = True
        if self._journal is not None:
            self._journal.close()

    # --- what differs -----------------------------------------------------------------------------

    @property
    def _every(self) -> float:
        """The journal is written to at most so often, in seconds."""
        return 0.0

    def _store(self, part: Part) -> None:
        """Write what does not go into the journal."""

    def _seal(self, entry: Entry) -> None:
        """Bring that to the disk, before the journal gets a line."""

    def _opened(self) -> Journal:
        return Journal(self.path / JOURNAL)

    def _written(self, journal: Journal) -> None:
        """The journal has a line more."""

    def _settle(self) -> None:
        """Bring everything to the disk."""


class RunLedger(FolderLedger):
    """The ledger of a run in a results folder; made by `open_ledger`."""

    def __init__(self, path: Path, there: Held) -> None:
        """Go on with what a locked folder holds.

        Raises:
            InputError: The folder cannot be written to, or records are missing in it.
        """
        super().__init__(path, Totals([there.study.count]), there)
        self._records = there.records
        if self._records:
            _check_records(path, there.ranges, there.study.unit)
        with self.writing():
            self._fold()
            clear_parts(path, keep=self.ranges)
            self._journal = self._opened()
            self._parts = Parts(path) if self._records else None
        self._folded = time.monotonic()

    @property
    def _every(self) -> float:
        return PART_SECONDS if self._records else NOTE_SECONDS

    def _store(self, part: Part) -> None:
        for rows in part.rows:
            if self._parts is not None:
                self._parts.add(rows, part.begin)

    def _seal(self, entry: Entry) -> None:
        if self._parts is not None:
            self._parts.seal(entry.begin, entry.end)

    def _written(self, journal: Journal) -> None:
        long = time.monotonic() - self._folded >= FOLD_SECONDS
        if long or journal.bytes >= FOLD_BYTES:
            self._settle()
            self._folded = time.monotonic()

    def _settle(self) -> None:
        self._fold()
        if self._journal is not None:
            self._journal.clear()

    def _fold(self) -> None:
        """Write the manifest, so that it says everything that the journal does."""
        if self._records and (self.path / PARTS).is_dir():
            sync_folder(self.path / PARTS)
        write_manifest(self.path, self._now)

    def _close(self) -> None:
        if self._parts is not None:
            self._parts.abandon()
        super()._close()

    def finish(self, stopped_by: str, tell: Tell) -> Held:
        """Write all files of the run, and return it; see `Ledger.finish`.

        Raises:
            InputError: The folder cannot be written to.
        """
        self.flush()
        self._fold()
        self._close()
        run = super().finish(stopped_by, tell)
        write_result(self.path, run, tell(run))
        return run


def _check_records(path: Path, ranges: Ranges, unit: str) -> None:
    missing = minus(ranges, held(sources(path, ranges)))
    if missing:
        problem = f"records of {in_words(missing, unit)} are missing"
        raise InputError(problem, where=path, expected="the folder as the program left it")


@contextmanager
def open_ledger(
    folder: PathLike | None, study: Study, *, records: bool, until: Until | None
) -> Iterator[Ledger]:
    """Give the block the ledger of a run, which goes on with what the folder holds.

    Args:
        folder: The results folder; None for a ledger in memory.
        study: What is played.
        records: Whether records are kept.
        until: What the run is to stop at.

    Raises:
        InputError: As for `sim.store.files.locked` and `sim.store.folder.hold`.
    """
    if folder is None:
        totals = Totals([study.count])
        yield Ledger(totals, Held(study, until=until), collects=records)
        return
    with locked(folder) as path:
        there = hold(path, study, records=records)
        goes_on = Held(  # with the versions of this program, even where nothing was finished
            study=study,
            ranges=there.ranges,
            sums=there.sums,
            seconds=there.seconds,
            compile_seconds=there.compile_seconds,
            records=records,
            until=until,
        )
        ledger = RunLedger(path, goes_on)
        try:
            yield ledger
        finally:
            ledger.suspend()
