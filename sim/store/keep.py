"""The folder of a tournament or a sweep: a journal while it is played, tables when it is finished.

``manifest.json`` says what is played, and whether it is finished; it is there from the start. While
playing goes on, ``journal.jsonl`` gets a line for every finished piece. Lines are only added, each
with a checksum, so one that a crash tore is noticed and left out, and what it held is played again.
At the end come the tables as CSV and Parquet, and ``summary.json``; after all numbers the plots as
SVG and PNG, of which one that fails is left out; then the journal goes. Nothing in these files
tells when or how fast it was played: the same study gives the same bytes.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

import sim
from sim.batch.many import Piece
from sim.batch.sums import Sums
from sim.engine import ENGINE_VERSION
from sim.errors import InputError, left_out, show
from sim.game.documents import SCHEMA, Count, Part, Units, check, read_schema, to_json
from sim.game.files import PathLike, check_regular, parse_json, read_json
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from sim.store.files import (
    GOES_ON,
    LOCK,
    check_there,
    csv,
    locked,
    parquet,
    write,
    write_with,
    writing,
)
from sim.store.journal import Journal

if TYPE_CHECKING:
    import pandas as pd

MANIFEST = "manifest.json"
SUMMARY = "summary.json"
JOURNAL = "journal.jsonl"

SYNC_SECONDS = 1.0
"""How often, at most, the journal is forced to the disk; a crash of the machine loses no more."""

_DIFFERENCES_AT_MOST = 4


@contextmanager
def keeping(folder: PathLike, plan: Mapping[str, Any]) -> Iterator[Keeper]:
    """Give the block the keeper of a folder, which nobody else writes into meanwhile.

    Args:
        folder: The folder; made if need be.
        plan: What is played; see `Keeper`.

    Raises:
        InputError: A file is in the way, the folder cannot be made or written to, it holds
            something else, or somebody writes into it right now.
    """
    with locked(folder) as path:
        keeper = Keeper(path, plan)
        try:
            yield keeper
        finally:
            keeper.close()


class Keeper:
    """Keeps what is finished of a tournament or sweep, and in the end its results.

    Attributes:
        path: The folder.
        plan: What is played: ``kind``, ``fingerprint``, ``seed``, ``unit``, ``count``, ``study`` as
            resolved.
    """

    def __init__(self, path: Path, plan: Mapping[str, Any]) -> None:
        """Begin with what a locked folder holds; made by `keeping`.

        Raises:
            InputError: It holds something else, or cannot be written to.
        """
        self.path, self.plan = path, plan
        self._journal: Journal | None = None
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
        with writing(self.path, GOES_ON):
            check_there(self.path / LOCK, self._lock)
            yield

    # --- the journal ------------------------------------------------------------------------------

    def pieces(self) -> Iterator[Piece]:
        """Yield what the journal remembers of this very plan, as this engine plays it."""
        with writing(self.path):
            try:
                check_regular(self.path / JOURNAL, "a journal")
                lines = (self.path / JOURNAL).read_bytes().split(b"\n")
            except FileNotFoundError:
                return
        if self._header() in lines:
            for piece in filter(None, map(_piece, lines)):
                if piece.sums[self.plan["unit"]] == piece.end - piece.begin:
                    yield piece

    def keep(self, piece: Piece) -> None:
        """Add a finished piece to the journal; one of another plan, or engine, is begun anew.

        Raises:
            InputError: The folder is gone, or cannot be written to any more.
        """
        with self.writing():
            if self._journal is None:
                self._journal = self._opened()
            self._journal.put(_line(piece))
            if time.monotonic() - self._synced > SYNC_SECONDS:
                self._journal.sync()
                self._synced = time.monotonic()

    def _opened(self) -> Journal:
        path = self.path / JOURNAL
        held = path.read_bytes() if path.exists() else b""
        mine = self._header() in held.split(b"\n")
        journal = Journal(path, go_on=mine)
        if not mine:
            journal.put(self._header() + b"\n")
        elif not held.endswith(b"\n"):
            journal.put(b"\n")  # ends the line that a crash tore
        return journal

    def close(self) -> None:
        """Bring the journal to the disk and close it; it stays."""
        journal, self._journal = self._journal, None
        if journal is not None:
            with writing(self.path, GOES_ON):
                try:
                    journal.sync()
                finally:
                    journal.close()

    def _header(self) -> bytes:
        return sealed({"plan": self.plan["fingerprint"], "engine": ENGINE_VERSION})

    # --- results ----------------------------------------------------------------------------------

    def finish(
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
        self.close()
        with self.writing():
            for name, frame in tables.items():
                write_with(self.path / f"{name}.csv", partial(csv, frame=frame))
                write_with(self.path / f"{name}.parquet", partial(parquet, frame=frame))
            write(self.path / SUMMARY, to_json(summary) + "\n")
            self._write_manifest(finished=True)
        with left_out("pictures"):
            for name, content in pictures().items():
                write_with(self.path / name, _bytes(content))
        with self.writing():
            (self.path / JOURNAL).unlink(missing_ok=True)

    def save(self, result: Any) -> Path:
        """Write a result with ``summary``, ``tables`` and ``pictures``; return the folder."""
        start = time.perf_counter()
        self.finish(result.summary(), result.tables(), result.pictures)
        result.saving_seconds = time.perf_counter() - start
        return self.path

    def _write_manifest(self, *, finished: bool) -> None:
        manifest = {
            "schema": SCHEMA,
            "kind": self.plan["kind"],
            "version": str(sim.__version__),
            "engine": ENGINE_VERSION,
            **{key: self.plan[key] for key in self.plan if key not in ("kind", "study")},
            "finished": finished,
            "study": self.plan["study"],
        }
        write(self.path / MANIFEST, to_json(manifest) + "\n")

    def _check_same(self) -> None:
        """Check that the folder's manifest is one of this plan.

        Raises:
            InputError: It is not, or cannot be read; says what differs.
        """
        held = _manifest(self.path / MANIFEST)
        if held.get("kind") != self.plan["kind"]:
            problem = f"holds the results of a {held.get('kind', 'run')}"
            raise InputError(problem, where=self.path, expected="a new folder")
        if held.get("fingerprint") == self.plan["fingerprint"]:
            return
        told = list(_differences(held.get("study"), self.plan["study"]))
        more = ", ..." if len(told) > _DIFFERENCES_AT_MOST else ""
        shown = ", ".join(told[:_DIFFERENCES_AT_MOST]) + more
        problem = f"holds results of another {self.plan['kind']}"
        problem += f", which differs in {shown}" if shown else ""
        raise InputError(problem, where=self.path, expected="a new folder")


def _manifest(path: Path) -> dict[str, Any]:
    return read_schema(read_json(path), path)


def _differences(held: Any, new: Any, key: str = "") -> Iterator[str]:
    """Yield what differs between two JSON-ready values, as ``key (held, not new)``."""
    if isinstance(held, list) and isinstance(new, list) and len(held) == len(new):
        held, new = (dict(enumerate(part)) for part in (held, new))
    if isinstance(held, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*held, *new]):
            if name not in ("title", "question", "character"):
                inner = f"{key}.{name}".lstrip(".")
                yield from _differences(held.get(name), new.get(name), inner)
    elif held != new:
        if isinstance(held, list) and isinstance(new, list):
            held, new = len(held), len(new)
        yield f"{key} ({show(held)}, not {show(new)})"


# --- lines ----------------------------------------------------------------------------------------


class _Line(Part):
    study: Count
    range: Units
    sums: dict[str, Any]


_LINE: TypeAdapter[Any] = TypeAdapter(_Line)


def _line(piece: Piece) -> bytes:
    content = {"study": piece.study, "range": [piece.begin, piece.end]}
    return sealed(content | {"sums": piece.sums.to_dict()}) + b"\n"


def sealed(content: Mapping[str, Any]) -> bytes:
    """Return JSON with the checksum of itself as its last entry."""
    text = json.dumps(content, separators=(",", ":")).encode()
    return text[:-1] + b',"crc":"%08x"}' % zlib.crc32(text)


def unsealed(line: bytes) -> Any:
    """Return the content of what `sealed` returned; None where it is torn or damaged."""
    text, _, crc = line.rpartition(b',"crc":')
    if crc != b'"%08x"}' % zlib.crc32(text + b"}"):
        return None
    return parse_json(text + b"}")


def _piece(line: bytes) -> Piece | None:
    """Return the piece of a line; None where it is torn, damaged, no piece, or counted less."""
    try:
        content = check(_LINE, unsealed(line))
        sums = Sums.from_dict(content.sums)
    except (InputError, ValueError):
        return None
    begin, end = content.range
    return Piece(content.study, begin, end, sums) if sums.complete else None


# --- files ----------------------------------------------------------------------------------------


def _bytes(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


# --- plans ----------------------------------------------------------------------------------------


def plan_of_tournament(tournament: Tournament) -> dict[str, Any]:
    """Return what a folder has to know of a tournament."""
    return {
        "kind": "tournament",
        "fingerprint": tournament.fingerprint,
        "rules_id": tournament.base.rules_id,
        "seed": tournament.base.seed,
        "unit": "rounds",
        "count": tournament.rounds,
        "study": tournament.to_dict(),
    }


def plan_of_sweep(sweep: Sweep) -> dict[str, Any]:
    """Return what a folder has to know of a sweep."""
    return {
        "kind": "sweep",
        "fingerprint": sweep.fingerprint,
        "rules_id": sweep.base.rules_id,
        "seed": sweep.base.seed,
        "unit": sweep.base.unit,
        "count": sweep.base.count * len(sweep.points),
        "study": sweep.to_dict(),
    }
