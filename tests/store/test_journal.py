"""The journal: lines that are whole come back, others are left out, whatever was torn."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from sim.batch.job import Job, play
from sim.store.journal import Entry, Journal, read_journal
from tests.support.runs import study

pytestmark = pytest.mark.jit


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    """Three lines."""
    job = Job.of(study())
    parts = [play(job, begin, begin + 10) for begin in (0, 10, 20)]
    return [Entry(part.begin, part.end, part.sums, 0.25) for part in parts]


def written(path: Path, entries: list[Entry]) -> bytes:
    """Write a journal and return its bytes."""
    journal = Journal(path)
    for entry in entries:
        journal.add(entry)
    journal.close()
    assert journal.bytes == path.stat().st_size
    return path.read_bytes()


def test_lines_come_back(entries: list[Entry], tmp_path: Path) -> None:
    written(tmp_path / "j", entries)
    assert list(read_journal(tmp_path / "j")) == entries
    assert list(read_journal(tmp_path / "none")) == []


def test_a_line_that_was_torn_anywhere_is_left_out(entries: list[Entry], tmp_path: Path) -> None:
    whole = written(tmp_path / "j", entries)
    last = whole.rindex(b"\n", 0, -1) + 1
    for cut in [*range(last, len(whole), 97), len(whole) - 2]:
        (tmp_path / "torn").write_bytes(whole[:cut])
        assert list(read_journal(tmp_path / "torn")) == entries[:2]
    (tmp_path / "torn").write_bytes(whole[:-1])  # all but the end of the line
    assert list(read_journal(tmp_path / "torn")) == entries


@pytest.mark.parametrize("junk", [b"\0" * 300, b"junk", b"\xff\xfe\n", b"\n\n", b"00000000 {}\n"])
def test_damage_costs_its_own_line_alone(junk: bytes, entries: list[Entry], tmp_path: Path) -> None:
    lines = written(tmp_path / "j", entries).splitlines(keepends=True)
    (tmp_path / "j").write_bytes(lines[0] + junk + b"\n" + lines[2])
    assert list(read_journal(tmp_path / "j")) == [entries[0], entries[2]]
    flipped = lines[1].replace(b"1", b"2", 1)
    (tmp_path / "j").write_bytes(lines[0] + flipped + lines[2])
    assert list(read_journal(tmp_path / "j")) == [entries[0], entries[2]]


def test_clearing_and_beginning_anew(entries: list[Entry], tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.add(entries[0])
    journal.clear()
    journal.add(entries[1])
    assert list(read_journal(tmp_path / "j")) == [entries[1]]
    journal.close()
    Journal(tmp_path / "j").close()
    assert (tmp_path / "j").read_bytes() == b""


def test_writing_in_small_pieces_is_the_same(
    entries: list[Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:100]))
    written(tmp_path / "j", entries)
    assert list(read_journal(tmp_path / "j")) == entries


def test_a_full_disk_leaves_a_torn_line_that_is_left_out(
    entries: list[Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "j")
    journal.add(entries[0])
    real, room = os.write, [200]

    def small(file: int, data: Any) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = real(file, data[: room[0]])
        room[0] -= count
        return count

    monkeypatch.setattr(os, "write", small)
    with pytest.raises(OSError, match="No space"):
        journal.add(entries[1])
    journal.close()
    assert list(read_journal(tmp_path / "j")) == entries[:1]


@pytest.mark.skipif(os.name == "nt", reason="open files cannot be moved")
@pytest.mark.parametrize("away", ["moved", "removed", "replaced"])
def test_a_file_that_is_gone_is_noticed(away: str, entries: list[Entry], tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.add(entries[0])
    (tmp_path / "j").rename(tmp_path / "k")
    if away == "removed":
        (tmp_path / "k").unlink()
    if away == "replaced":
        (tmp_path / "j").write_bytes(b"")
    with pytest.raises(FileNotFoundError, match="moved or removed"):
        journal.add(entries[1])
    journal.close()
