"""The folder of a tournament or a sweep: a journal while it is played, tables when it is finished.

``manifest.json`` says what is played, and whether it is finished; it is there from the start. While
playing goes on, ``journal.jsonl`` gets a line for every finished piece. Lines are only added, each
with a checksum, so one that a crash tore is noticed and left out, and what it held is played again.
At the end come ``summary.json``, the tables as CSV and Parquet, and the plots as SVG and PNG; then
the journal goes. Nothing in these files tells when or how fast it was played: the same study gives
the same bytes.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

import sim
from sim.deck import PathLike
from sim.engine import ENGINE_VERSION
from sim.errors import InputError, show
from sim.files import write_with, writing
from sim.many import Piece
from sim.results import to_json
from sim.shapes import SCHEMA, Count, Part, Units, check, read_schema
from sim.sums import Sums

if TYPE_CHECKING:
    import pandas as pd

MANIFEST = "manifest.json"
SUMMARY = "summary.json"
JOURNAL = "journal.jsonl"

SYNC_SECONDS = 1.0
"""How often, at most, the journal is forced to the disk; a crash of the machine loses no more."""

_DIFFERENCES_AT_MOST = 4


class Keeper:
    """Keeps what is finished of a tournament or sweep, and in the end its results.

    Attributes:
        path: The folder.
        plan: What is played: ``kind``, ``fingerprint``, ``seed``, ``unit``, ``count``, ``study`` as
            resolved.
    """

    def __init__(self, folder: PathLike, plan: Mapping[str, Any]) -> None:
        """Make the folder ready: it exists, can be written to, and holds nothing else.

        Raises:
            InputError: A file is in the way, the folder cannot be made or written to, or it
                holds something else.
        """
        self.path, self.plan = Path(folder), plan
        self._file: int | None = None
        self._synced = time.monotonic()
        with writing(self.path):
            if self.path.exists() and not self.path.is_dir():
                raise InputError("is a file", where=self.path, expected="a folder")
            self.path.mkdir(parents=True, exist_ok=True)
            if (self.path / MANIFEST).exists():
                self._check_same()
            elif (self.path / SUMMARY).exists():
                problem = f"holds {SUMMARY}, but no {MANIFEST}: not a results folder"
                raise InputError(problem, where=self.path, expected="a new folder")
            self._write_manifest(finished=False)

    # --- the journal ------------------------------------------------------------------------------

    def pieces(self) -> Iterator[Piece]:
        """Yield what the journal remembers of this very plan, as this engine plays it."""
        with writing(self.path):
            try:
                lines = (self.path / JOURNAL).read_bytes().split(b"\n")
            except FileNotFoundError:
                return
        if self._header() in lines:
            for piece in filter(None, map(_piece, lines)):
                if piece.sums[self.plan["unit"]] == piece.end - piece.begin:
                    yield piece

    def __enter__(self) -> Keeper:
        """Open the journal; one of another plan, or another engine, is begun anew."""
        path = self.path / JOURNAL
        with writing(self.path):
            held = path.read_bytes() if path.exists() else b""
            mine = self._header() in held.split(b"\n")
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._file = os.open(path, flags | (0 if mine else os.O_TRUNC), 0o666)
            if not mine:
                _put(self._file, self._header() + b"\n")
            elif not held.endswith(b"\n"):
                _put(self._file, b"\n")  # ends the line that a crash tore
        return self

    def keep(self, piece: Piece) -> None:
        """Add a finished piece to the journal.

        Raises:
            InputError: The folder cannot be written to any more.
        """
        assert self._file is not None
        with writing(self.path):
            _put(self._file, _line(piece))
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()

    def __exit__(self, *_: object) -> None:
        """Bring the journal to the disk and close it."""
        if self._file is not None:
            with writing(self.path):
                os.fsync(self._file)
                os.close(self._file)
            self._file = None

    def _header(self) -> bytes:
        return sealed({"plan": self.plan["fingerprint"], "engine": ENGINE_VERSION})

    # --- results ----------------------------------------------------------------------------------

    def finish(
        self,
        summary: Mapping[str, Any],
        tables: Mapping[str, pd.DataFrame],
        pictures: Mapping[str, bytes],
    ) -> None:
        """Write the results, each file as a whole, and take the journal away.

        Args:
            summary: For ``summary.json``; JSON-ready.
            tables: By name; each becomes a CSV and a Parquet file.
            pictures: By file name.

        Raises:
            InputError: The folder cannot be written to.
        """
        with writing(self.path):
            for name, frame in tables.items():
                write_with(self.path / f"{name}.csv", _csv(frame))
                write_with(self.path / f"{name}.parquet", _parquet(frame))
            for name, content in pictures.items():
                write_with(self.path / name, _bytes(content))
            write_with(self.path / SUMMARY, _text(to_json(summary) + "\n"))
            self._write_manifest(finished=True)
            (self.path / JOURNAL).unlink(missing_ok=True)

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
        write_with(self.path / MANIFEST, _text(to_json(manifest) + "\n"))

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
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"not valid JSON: {error}", where=path) from None
    return read_schema(manifest, path)


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
    return json.loads(text + b"}")


def _piece(line: bytes) -> Piece | None:
    """Return the piece of a line; None where it is torn, damaged, no piece, or counted less."""
    try:
        content = check(_LINE, unsealed(line))
        sums = Sums.from_dict(content.sums)
    except (InputError, ValueError, RecursionError):
        return None
    begin, end = content.range
    return Piece(content.study, begin, end, sums) if sums.complete else None


def _put(file: int, data: bytes) -> None:
    at = 0
    while at < len(data):
        at += os.write(file, data[at:])


# --- files ----------------------------------------------------------------------------------------


def _text(text: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(text, encoding="utf-8", newline="\n")

    return write


def _bytes(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


def _csv(frame: pd.DataFrame) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        frame.to_csv(path, index=False, lineterminator="\n", encoding="utf-8", float_format="%.10g")

    return write


def _parquet(frame: pd.DataFrame) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, path, compression="zstd", write_page_checksum=True)

    return write
