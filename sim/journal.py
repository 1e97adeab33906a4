"""The journal: what was finished since the manifest was last written, one line for each piece.

A line holds a range of units and the exact sums over it, behind a checksum. Lines are only ever
added, each in one step, and each can be understood alone. So a line that a crash tore is noticed
and left out, and only its own range has to be played again. Now and then all lines are folded
into the manifest, and the journal begins anew: however long a run, it stays short.
"""

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from sim.errors import InputError
from sim.shapes import Part, Seconds, Units, check
from sim.sums import Sums

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
            content = check(_LINE, json.loads(text))
            begin, end = content.range
            return cls(begin, end, Sums.from_dict(content.sums), content.seconds)
        except (InputError, ValueError, RecursionError):
            return None


class Journal:
    """A journal that is being written; a new one takes the place of an old one."""

    def __init__(self, path: Path) -> None:
        """Begin an empty journal.

        Raises:
            OSError: The folder cannot be written to.
        """
        self.path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(path, flags, 0o666)
        self.bytes = 0

    def add(self, entry: Entry) -> None:
        """Write a line; it is there as soon as this returns, even if the process is killed.

        Raises:
            OSError: The disk is full, or the folder has gone.
        """
        self._check_there()
        line = entry.line()
        at = 0
        while at < len(line):
            at += os.write(self._file, line[at:])
        self.bytes += len(line)

    def _check_there(self) -> None:
        """A file that was removed could be written to for ever, and all of it be lost."""
        try:
            there = os.path.samestat(os.stat(self.path), os.fstat(self._file))
        except FileNotFoundError:
            there = False
        if not there:
            raise FileNotFoundError(errno.ENOENT, "it was moved or removed")

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
    """
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return
    with file:
        for line in file:
            entry = Entry.of(line)
            if entry is not None:
                yield entry
