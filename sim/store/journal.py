"""The journal: what was finished since the manifest was last written, one line for each piece.

A line holds a range of units of a task and the exact sums over it, behind a checksum. Lines are
only ever added, each in one step, and each can be understood alone. So a line that a crash tore is
noticed and left out, and only its own range has to be played again. The lines of a run are folded
into its manifest now and then, and the journal begins anew: however long a run, it stays short.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim.batch.ranges import Ranges, common, minus, size, union
from sim.batch.schedule import Part
from sim.batch.sums import Sums
from sim.errors import InputError
from sim.game.documents import Count, Seconds, Shape, Units, check
from sim.game.files import check_regular, parse_json
from sim.store.files import check_there

JOURNAL = "journal.txt"
"""Name of the file in a results folder; it is there while a run goes on, or was interrupted."""


class _Line(Shape):
    task: Count = 0
    range: Units
    seconds: Seconds
    sums: dict[str, Any]


SumsOf = Callable[[dict[str, Any]], Any]
"""Makes sums of a JSON object; raises `InputError` or ValueError where it is none of sums."""


@dataclass(frozen=True)
class Entry:
    """One line.

    Attributes:
        begin: First unit.
        end: One past the last.
        sums: Over these units.
        seconds: Time that playing them took.
        task: Of which task they are, from 0.
    """

    begin: int
    end: int
    sums: Any
    seconds: float
    task: int = 0

    def line(self) -> bytes:
        """Return the line, with its checksum and its end."""
        content: dict[str, Any] = {"task": self.task} if self.task else {}
        content |= {"range": [self.begin, self.end], "seconds": self.seconds}
        return sealed(content | {"sums": self.sums.to_dict()})

    @classmethod
    def of(cls, line: bytes, sums: SumsOf = Sums.from_dict) -> Entry | None:
        """Return what a line says, its sums made by a function; None if it is torn or damaged."""
        checksum, _, text = line.rstrip(b"\n").partition(b" ")
        if checksum != b"%08x" % zlib.crc32(text):
            return None
        try:
            content = check(_Line, parse_json(text))
            begin, end = content.range
            return cls(begin, end, sums(content.sums), content.seconds, content.task)
        except (InputError, ValueError):
            return None


def sealed(content: Mapping[str, Any]) -> bytes:
    """Return a line: a checksum, JSON, and the end."""
    text = json.dumps(content).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


class Waiting:
    """What is finished and not written down yet: one stretch of one task, for one line.

    Attributes:
        entry: The stretch; None where nothing waits.
        since: When it was begun, of `time.monotonic`.
    """

    def __init__(self) -> None:
        """Nothing waits."""
        self.entry: Entry | None = None
        self.since = time.monotonic()

    def continued_by(self, part: Part, task: int = 0) -> bool:
        """Whether a part comes right after what waits, so that one line can hold both."""
        return self.entry is None or (self.entry.task, self.entry.end) == (task, part.begin)

    def add(self, part: Part, seconds: float, task: int = 0) -> None:
        """Let a part wait; it must continue what does."""
        if self.entry is None:
            self.entry = Entry(part.begin, part.begin, type(part.sums).empty(), 0.0, task)
        self.entry.sums.add(part.sums)
        self.entry = replace(self.entry, end=part.end, seconds=self.entry.seconds + seconds)


class Totals:
    """What is finished of some tasks: for each its ranges, and the exact sums over these.

    Attributes:
        counts: Units of each task.
        sums: Over what is finished of it.
        ranges: What that is.
    """

    def __init__(self, counts: Sequence[int], empty: Callable[[], Any] = Sums.empty) -> None:
        """Begin with nothing finished; `empty` makes sums over nothing."""
        self.counts = counts
        self.sums = [empty() for _ in counts]
        self.ranges: list[Ranges] = [() for _ in counts]

    def add(self, entry: Entry) -> bool:
        """Mutates: add what is finished; False if it does not fit to what is there, unused."""
        new = ((entry.begin, entry.end),)
        if not 0 <= entry.task < len(self.counts) or common(self.ranges[entry.task], new):
            return False
        if minus(new, ((0, self.counts[entry.task]),)):
            return False
        self.ranges[entry.task] = union((*self.ranges[entry.task], *new))
        self.sums[entry.task].add(entry.sums)
        return True

    @property
    def units(self) -> int:
        """How many rounds, games or blocks are finished in all."""
        return sum(map(size, self.ranges))

    def missing(self, task: int) -> Ranges:
        """Return the ranges of a task that are not finished, in order."""
        return minus(((0, self.counts[task]),), self.ranges[task])


class Journal:
    """A journal that is being written."""

    def __init__(self, path: Path, *, go_on: bool = False) -> None:
        """Begin an empty journal, in the place of an older one.

        Args:
            path: The file.
            go_on: Whether to add to what is there instead; a line that a crash tore is ended.

        Raises:
            OSError: The folder cannot be written to.
        """
        self.path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(path, flags | (0 if go_on else os.O_TRUNC), 0o666)
        self.bytes = 0
        if go_on and not path.read_bytes().endswith(b"\n"):
            self.put(b"\n")

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


def read_journal(
    path: Path, sums: SumsOf = Sums.from_dict, header: bytes | None = None
) -> Iterator[Entry]:
    """Yield the lines of a journal that are whole; none where there is no journal.

    Args:
        path: The file.
        sums: Makes sums of what a line says.
        header: A line that must be in it, if any of the others are to count.

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
        if header is not None and header not in file:
            return
        file.seek(0)
        for line in file:
            entry = Entry.of(line, sums)
            if entry is not None:
                yield entry
