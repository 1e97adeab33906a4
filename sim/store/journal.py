"""The journal: what was finished since the manifest was last written, one line for each piece.

A line holds a range of units and the exact sums over it, behind a checksum. Lines are only ever
added, each in one step, and each can be understood alone. So a line that a crash tore is noticed
and left out, and only its own range has to be played again. Now and then all lines are folded
into the manifest, and the journal begins anew: however long a run, it stays short.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from sim.batch.sums import Sums
from sim.errors import InputError
from sim.game.documents import Part, Seconds, Units, check
from sim.game.files import check_regular, parse_json
from sim.store.files import check_there

JOURNAL = "journal.txt"
"""Name of the file in a results folder; it is there while a run goes on, or was interrupted."""


class _Line(Part):
    range: Units
    seconds: Seconds
    sums: dict[str, Any]


_LINE: TypeAdapter[Any] = TypeAdapter(_Line)


@dataclass(frozen=True)
class Entry:
    """One line.

    Attributes:
        begin: First unit.
        end: One past the last.
        sums: Over these units.
        seconds: Time that playing them took.
    """

    begin: int
    end: int
    sums: Sums
    seconds: float

    def line(self) -> bytes:
        """Return the line, with its checksum and its end."""
        content = {"range": [self.begin, self.end], "seconds": self.seconds}
        text = json.dumps(content | {"sums": self.sums.to_dict()}).encode()
        return b"%08x %s\n" % (zlib.crc32(text), text)

    @classmethod
    def of(cls, line: bytes) -> Entry | None:
        """Return what a line says; None if it is torn or damaged."""
        checksum, _, text = line.rstrip(b"\n").partition(b" ")
        if checksum != b"%08x" % zlib.crc32(text):
            return None
        try:
            content = check(_LINE, parse_json(text))
            begin, end = content.range
            return cls(begin, end, Sums.from_dict(content.sums), content.seconds)
        except (InputError, ValueError):
            return None


class Journal:
    """A journal that is being written."""

    def __init__(self, path: Path, *, go_on: bool = False) -> None:
        """Begin an empty journal, in the place of an older one.

        Args:
            path: The file.
            go_on: Whether to add to what is there instead.

        Raises:
            OSError: The folder cannot be written to.
        """
        self.path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(path, flags | (0 if go_on else os.O_TRUNC), 0o666)
        self.bytes = 0

    def add(self, entry: Entry) -> None:
        """Write a line; see `put`."""
        self.put(entry.line())

    def put(self, line: bytes) -> None:
        """Write a line; it is there as soon as this returns, even if the process is killed.

        Raises:
            OSError: The disk is full, or the folder has gone.
        """
        check_there(self.path, os.fstat(self._file))
        at = 0
        while at < len(line):
            at += os.write(self._file, line[at:])
        self.bytes += len(line)

    def sync(self) -> None:
        """Bring what was written to the disk."""
        os.fsync(self._file)

    def clear(self) -> None:
        """Begin anew: what the lines say is in the manifest now."""
        os.ftruncate(self._file, 0)
        self.bytes = 0

    def close(self) -> None:
        """Close the file; it stays."""
        os.close(self._file)


def read_journal(path: Path) -> Iterator[Entry]:
    """Yield the lines of a journal that are whole; none where there is no journal.

    Raises:
        OSError: It cannot be read.
        InputError: It is no file.
    """
    try:
        check_regular(path, "a journal")
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return
    with file:
        for line in file:
            entry = Entry.of(line)
            if entry is not None:
                yield entry
