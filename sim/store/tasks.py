"""The folder of a comparison, sweep or tournament: first a journal, tables when it is finished.

``manifest.json`` says what is played, and whether it is finished; it is there from the start. While
playing goes on, the journal (`sim.store.journal`) gets a line for what is finished of each task. At
the end come the tables as CSV and Parquet, and ``summary.json``; after all numbers the plots as SVG
and PNG, of which one that fails is left out; then the journal goes. Nothing in these files tells
when or how fast it was played: the same study gives the same bytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.batch.pairs import PairJob
from sim.batch.sums import Sums
from sim.engine import ENGINE_VERSION
from sim.errors import InputError, left_out
from sim.game.comparison import Comparing
from sim.game.documents import read_schema, to_json
from sim.game.exploit import Exploit
from sim.game.files import PathLike, read_json
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from sim.store import older
from sim.store.files import (
    LOCK,
    check_there,
    csv,
    locked,
    parquet,
    write,
    write_with,
    writing,
)
from sim.store.folder import (
    MANIFEST,
    SUMMARY,
    check_same,
    provenance,
    read_held,
    told_differences,
)
from sim.store.journal import JOURNAL, Entry, Journal, SumsOf, Totals, read_journal, sealed
from sim.store.ledger import FolderLedger

if TYPE_CHECKING:
    import pandas as pd


SIDES = ("a", "b")

SUMS = "sums.json"
"""The file of a comparison's folder that holds the exact sums of both sides."""

KEEP_SECONDS = 10.0
"""How often a comparison's journal gets a line, which is long; a crash loses no more."""

_NO_DIFFERENCE = ("title", "question", "character")

SYNC_SECONDS = 1.0
"""How often, at most, the journal is forced to the disk; a crash of the machine loses no more."""


@contextmanager
def keeping(folder: PathLike, played: Played, totals: Totals | None = None) -> Iterator[Keeper]:
    """Give the block the ledger of tasks in a folder, which nobody else writes into meanwhile.

    Args:
        folder: The folder; made if need be.
        played: What is played.
        totals: The tasks; none where only results are written.

    Raises:
        InputError: A file is in the way, the folder cannot be made or written to, it holds
            something else, or somebody writes into it right now.
    """
    with locked(folder) as path:
        keeper = Keeper(path, played, Totals([]) if totals is None else totals)
        try:
            yield keeper
        finally:
            keeper.suspend()


class Keeper(FolderLedger):
    """The ledger of a comparison, sweep or tournament in a folder, and in the end its results."""

    def __init__(self, path: Path, played: Played, totals: Totals) -> None:
        """Begin with what a locked folder holds; made by `keeping`.

        Raises:
            InputError: It holds something else, or cannot be written to.
        """
        super().__init__(path, totals)
        self._plan = plan_of(played)
        self._synced = time.monotonic()
        with writing(path):
            self._lock = os.stat(path / LOCK)
            if (path / MANIFEST).exists():
                self._check_same()
            elif (path / SUMMARY).exists():
                problem = f"holds {SUMMARY}, but no {MANIFEST}: not a results folder"
                raise InputError(problem, where=path, expected="a new folder")
            self._write_manifest(finished=False)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let the block write into the folder, if it is still there.

        Raises:
            InputError: It was moved or removed, or cannot be written to.
        """
        with super().writing():
            check_there(self.path / LOCK, self._lock)
            yield

    # --- the journal ------------------------------------------------------------------------------

    def entries(self, sums: SumsOf = Sums.from_dict) -> Iterator[Entry]:
        """Yield what the journal remembers of this very plan, as this engine plays it.

        Args:
            sums: Makes sums of what a line says.
        """
        with writing(self.path):
            yield from read_journal(self.path / JOURNAL, sums, self._header)
            yield from older.entries(self.path, self._plan["fingerprint"], sums)

    @property
    def _every(self) -> float:
        return KEEP_SECONDS if self._plan["kind"] == "comparison" else 0.0

    def _opened(self) -> Journal:
        path = self.path / JOURNAL
        mine = path.exists() and self._header in path.read_bytes().splitlines(keepends=True)
        journal = Journal(path, go_on=mine)
        if not mine:
            journal.put(self._header)
        return journal

    def _written(self, journal: Journal) -> None:
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self._settle()
            self._synced = time.monotonic()

    def _settle(self) -> None:
        if self._journal is not None:
            self._journal.sync()

    @property
    def _header(self) -> bytes:
        return sealed({"plan": self._plan["fingerprint"], "engine": ENGINE_VERSION})

    # --- results ----------------------------------------------------------------------------------

    def write(
        self,
        summary: Mapping[str, Any],
        tables: Mapping[str, pd.DataFrame],
        pictures: Callable[[], Mapping[str, bytes]],
    ) -> None:
        """Write the results, each file as a whole, and take the journal away.

        All numbers are there before the first picture is drawn. A picture that fails is left out,
        with a warning.

        Args:
            summary: For ``summary.json``; JSON-ready.
            tables: By name; each becomes a CSV and a Parquet file.
            pictures: Draws them; returns them by file name.

        Raises:
            InputError: The folder is gone, or cannot be written to.
        """
        self.flush()
        with self.writing():
            self._settle()
            self._close()
            for name, frame in tables.items():
                write_with(self.path / f"{name}.csv", partial(csv, frame=frame))
                write_with(self.path / f"{name}.parquet", partial(parquet, frame=frame))
            write(self.path / SUMMARY, to_json(summary) + "\n")
            self._write_manifest(finished=True)
        with left_out("pictures"):
            for name, content in pictures().items():
                write_with(self.path / name, partial(_put_bytes, content=content))
        with self.writing():
            for name in (JOURNAL, *older.FILES):
                (self.path / name).unlink(missing_ok=True)

    def save(self, result: Any) -> Path:
        """Write a result with ``summary``, ``tables`` and ``pictures``; return the folder."""
        start = time.perf_counter()
        self.write(result.summary(), result.tables(), result.pictures)
        result.saving_seconds = time.perf_counter() - start
        return self.path

    def _write_manifest(self, *, finished: bool) -> None:
        manifest = {
            **provenance(self._plan["kind"], engine=ENGINE_VERSION),
            **{key: self._plan[key] for key in self._plan if key not in ("kind", "study")},
            "finished": finished,
            "study": self._plan["study"],
        }
        write(self.path / MANIFEST, to_json(manifest) + "\n")

    def _check_same(self) -> None:
        """Check that the folder's manifest is one of this plan.

        Raises:
            InputError: It is not, or cannot be read; says what differs.
        """
        held = read_schema(read_json(self.path / MANIFEST), self.path / MANIFEST)
        if held.get("kind") != self._plan["kind"]:
            problem = f"holds the results of a {held.get('kind', 'run')}"
            raise InputError(problem, where=self.path, expected="a new folder")
        if held.get("fingerprint") == self._plan["fingerprint"]:
            return
        shown = told_differences(held.get("study"), self._plan["study"], skip=_NO_DIFFERENCE)
        problem = f"holds results of another {self._plan['kind']}"
        problem += f", which differs in {shown}" if shown else ""
        raise InputError(problem, where=self.path, expected="a new folder")


def _put_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


# --- plans ----------------------------------------------------------------------------------------


Played = Comparing | Sweep | Tournament | Exploit


def plan_of(played: Played) -> dict[str, Any]:
    """Return what a folder has to know of what is played, in the order of its manifest."""
    study = played.a if isinstance(played, Comparing) else played.base
    rules = {} if isinstance(played, Comparing) else {"rules_id": study.rules_id}
    kind, count = "comparison", study.count
    if isinstance(played, Sweep):
        kind, count = "sweep", study.count * len(played.points)
    elif isinstance(played, Tournament):
        kind, count = "tournament", played.rounds
    elif isinstance(played, Exploit):
        kind, count = "exploit", sum(played.counts)
    return {
        "kind": kind,
        "fingerprint": played.fingerprint,
        **rules,
        "seed": study.seed,
        "unit": study.unit,
        "count": count,
        "study": played.to_dict(),
    }


def check_sides(path: Path, comparing: Comparing) -> None:
    """Check, before anything is played, that the results of both sides can be written."""
    for side, study in zip(SIDES, (comparing.a, comparing.b), strict=True):
        if (path / side / MANIFEST).exists():
            check_same(path / side, read_held(path / side).study, study)


def is_of_blocks(entry: Entry, comparing: Comparing, job: PairJob) -> bool:
    """Whether what a journal says can be of blocks of a comparison."""
    size = comparing.a.count // comparing.blocks
    pairs, blocks = entry.sums, entry.end - entry.begin
    try:
        for sums, study in zip(pairs.sums, (comparing.a, comparing.b), strict=True):
            sums.check(study)
    except InputError:
        return False
    whole = all(each.complete and each[comparing.a.unit] == size * blocks for each in pairs.sums)
    return whole and pairs.blocks == blocks and bool(pairs.fits(job))
