"""The ledger of a run: which units are finished, and the exact sums over them.

In memory, or in a results folder. There every finished chunk is noted in the journal, several of
them in one line where they are short, and from time to time all is folded into the manifest. A
line costs the same however long the run has been, and nothing grows with it. Records of a range
are in its folder of parts, on the disk, before the journal says that the range is finished.

So a process that is killed loses the chunks that were being played, and what was finished in
the last `NOTE_SECONDS`; with records `PART_SECONDS`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.batch.ranges import Ranges, in_words, minus, union
from sim.batch.stopping import Until
from sim.batch.sums import Sums
from sim.errors import InputError
from sim.game.files import PathLike
from sim.game.study import Study
from sim.store.files import GOES_ON, locked, sync_folder, writing
from sim.store.folder import Held, Tell, hold, write_manifest, write_result
from sim.store.journal import JOURNAL, Journal, Waiting
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
    """The ledger of a run that leaves nothing behind: in memory.

    Attributes:
        study: What is played.
        ranges: Its units that are finished.
        sums: Exact sums over these.
        seconds: Time that playing them took, earlier sessions included.
    """

    def __init__(self, study: Study, *, records: bool = False, until: Until | None = None) -> None:
        """Nothing is finished yet.

        Args:
            study: What is played.
            records: Whether records are kept; here for a DataFrame.
            until: What the run is to stop at.
        """
        self.study, self.until = study, until
        self.ranges: Ranges = ()
        self.sums = Sums.empty()
        self.seconds = self.compile_seconds = 0.0
        self._collector = Collector() if records else None

    def note(self, part: Part, seconds: float) -> None:
        """Take what came of a chunk.

        Args:
            part: Units that were not finished before, and what came of them.
            seconds: Time since the last part.

        Raises:
            InputError: It cannot be kept; says why.
        """
        for rows in part.rows:
            if self._collector is not None:
                self._collector.add(rows, part.begin)
        self.sums.add(part.sums)
        self.ranges = union((*self.ranges, (part.begin, part.end)))
        self.seconds += seconds

    def flush(self) -> None:
        """Make `ranges` and `sums` say all that was noted."""

    @property
    def kept(self) -> Any:
        """Records in memory, as a DataFrame; None where there are none."""
        return None if self._collector is None else self._collector.frame()

    def finish(self, stopped_by: str, tell: Tell) -> Held:
        """Return what was played, the run being over.

        Args:
            stopped_by: Why it ended.
            tell: Makes what is told of it; called where that is written into a folder.
        """
        return Held(
            study=self.study,
            ranges=self.ranges,
            sums=self.sums,
            seconds=self.seconds,
            compile_seconds=self.compile_seconds,
            stopped_by=stopped_by,
            finished=True,
            until=self.until,
        )


class FolderLedger(Ledger):
    """The ledger of a run in a results folder; made by `open_ledger`."""

    def __init__(self, path: Path, there: Held) -> None:
        """Go on with what a locked folder holds.

        Raises:
            InputError: The folder cannot be written to, or records are missing in it.
        """
        super().__init__(there.study, until=there.until)
        self.path = path
        self.ranges, self.sums, self.seconds = there.ranges, there.sums, there.seconds
        self.compile_seconds = there.compile_seconds
        self._begun = there
        self._records = there.records
        if self._records:
            _check_records(path, there.ranges, there.study.unit)
        with self._writing():
            self._fold()
            clear_parts(path, keep=self.ranges)
            self._journal = Journal(path / JOURNAL)
            self._parts = Parts(path) if self._records else None
        self._forget()
        self._folded = time.monotonic()
        self._finished = False

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with writing(self.path, GOES_ON):
            yield

    def _forget(self) -> None:
        """Everything is in the journal; begin to collect for the next line."""
        self._waiting = Waiting()
        self._whole = True

    def note(self, part: Part, seconds: float) -> None:
        """Take what came of a chunk; see `Ledger.note`."""
        if not self._waiting.continued_by(part):
            self.flush()
        self._whole = False
        with self._writing():
            for rows in part.rows:
                if self._parts is not None:
                    self._parts.add(rows, part.begin)
        self._waiting.add(part, seconds)
        self._whole = True
        every = PART_SECONDS if self._records else NOTE_SECONDS
        if time.monotonic() - self._waiting.since >= every:
            self.flush()

    def flush(self) -> None:
        """Write down what has been noted since the last time.

        Raises:
            InputError: The folder cannot be written to.
        """
        entry = self._waiting.entry
        if entry is None:
            return
        with self._writing():
            if self._parts is not None:
                self._parts.seal(entry.begin, entry.end)
            self._journal.add(entry)
            self._whole = False
            self.sums.add(entry.sums)
            self.ranges = union((*self.ranges, (entry.begin, entry.end)))
            self.seconds += entry.seconds
            self._forget()
            long = time.monotonic() - self._folded >= FOLD_SECONDS
            if long or self._journal.bytes >= FOLD_BYTES:
                self._fold()
                self._journal.clear()
                self._folded = time.monotonic()

    def _fold(self) -> None:
        """Write the manifest, so that it says everything that the journal does."""
        if self._records and (self.path / PARTS).is_dir():
            sync_folder(self.path / PARTS)
        now = replace(
            self._begun,
            ranges=self.ranges,
            sums=self.sums,
            seconds=self.seconds,
            compile_seconds=self.compile_seconds,
        )
        write_manifest(self.path, now)

    def suspend(self) -> None:
        """Leave the folder so that the run can be gone on with; after whatever went wrong."""
        if self._finished:
            return
        with suppress(InputError, OSError):  # if it is the folder that fails, that is known
            if self._whole:
                self.flush()
                self._fold()
                self._journal.clear()
        self._close()

    def _close(self) -> None:
        if self._parts is not None:
            self._parts.abandon()
        self._journal.close()
        self._finished = True

    def finish(self, stopped_by: str, tell: Tell) -> Held:
        """Write all files of the run, and return it; see `Ledger.finish`.

        Raises:
            InputError: The folder cannot be written to.
        """
        self.flush()
        self._fold()
        self._close()
        run = replace(super().finish(stopped_by, tell), records=self._records)
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
        InputError: As for `sim.store.folder.prepare`.
    """
    if folder is None:
        yield Ledger(study, records=records, until=until)
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
        ledger = FolderLedger(path, goes_on)
        try:
            yield ledger
        finally:
            ledger.suspend()
