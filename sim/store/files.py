"""Files that are there as a whole or not at all, folders for one writer, what the system refuses.

A file is written under another name in the same folder, brought to the disk, and then given its
name in one step. So whoever looks, whenever a machine stops, finds the old or the new one. Only one
process at a time writes into a folder of results, and it stops when that folder is gone.

A name is a file's or a folder's, letter by letter, whatever it looks like: libraries that would
take ``s3:x`` for an address, or ``~`` for a home, are given open files and no names.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, show
from sim.game.files import PathLike

if TYPE_CHECKING:
    import pandas as pd
    from filelock import BaseFileLock

LOCK = ".lock"
"""The file that locks a folder."""

WRITABLE = "a folder to write results into"

GOES_ON = "what is finished is kept in it; the same command goes on there"
"""What becomes of work that is written down bit by bit, where a folder fails."""

_SCRAP = re.compile(r"\.\w[^/]*\.(csv|json|parquet|png|svg|txt)\.[0-9]+\.part")
"""Names that `temporary` makes of those of results."""


@contextmanager
def writing(path: Path, then: str | None = None, expected: str = WRITABLE) -> Iterator[None]:
    """Turn what the file system refuses into an `InputError` that names the folder.

    Args:
        path: The folder, or the file.
        then: What to say of what becomes of the work; None where nothing can be lost.
        expected: What to say where nothing can be lost.
    """
    try:
        yield
    except OSError as error:
        problem = f"cannot be written to: {error.strerror or error}"
        if isinstance(error, IsADirectoryError):  # it is in the way, not the folder that it is in
            path = Path(error.filename or path)
        if then is not None:
            raise InputError(f"{problem}; {then}", where=path) from None
        raise InputError(problem, where=path, expected=expected) from None
    except ValueError as error:  # a NUL in the path
        raise InputError(f"cannot be written to: {error}", where=show(str(path))) from None


# --- files ----------------------------------------------------------------------------------------


def temporary(path: Path) -> Path:
    """Return the name under which a file is written; no longer than systems take."""
    return path.with_name(f".{path.name[:_NAME_LETTERS]}.{os.getpid()}.part")


_NAME_LETTERS = 50  # of at most four bytes each, of 255 in all


def write_with(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file in the same folder, then give it its name at once."""
    with _unnamed(path) as unnamed:
        write(unnamed)
        settle(unnamed, path)


@contextmanager
def _unnamed(path: Path) -> Iterator[Path]:
    """Give the block the name of a temporary file, which is gone after it."""
    unnamed = temporary(path)
    try:
        yield unnamed
    finally:
        with suppress(OSError):  # the folder may have gone; that is told already
            unnamed.unlink(missing_ok=True)


def settle(unnamed: Path, path: Path) -> None:
    """Bring a file to the disk and give it its name."""
    with unnamed.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(unnamed, path)


def write(path: Path, text: str) -> None:
    """Write a text file as a whole."""
    write_with(path, lambda unnamed: put(unnamed, text))


def put(path: Path, text: str) -> None:
    """Write a text file, UTF-8 with plain line ends."""
    path.write_text(text, encoding="utf-8", newline="\n")


def try_out(path: Path) -> None:
    """Check that `write_with` can write a file; nothing is changed, and nothing left behind.

    Raises:
        OSError: It cannot.
    """
    with _unnamed(path) as unnamed:
        unnamed.write_bytes(b"")


def check_file(name: PathLike, made: PathLike | None = None) -> Path:
    """Check that a file can be written, and return its real path; whatever is there stays.

    Args:
        name: Of the file.
        made: A folder that will have been made when the file is written.

    Raises:
        InputError: Its folder does not exist or takes no files, something that is no file is in
            the way, or a file that may not be written to.
    """
    expected = "a file such as page.html"
    with writing(Path(name), expected="a file that can be written, in a folder that is there"):
        path = Path(os.path.realpath(name))  # what a link leads to is written, the link stays
        soon = [] if made is None else [whole := Path(os.path.realpath(made)), *whole.parents]
        if not os.fspath(name) or path in soon or (path.exists() and not path.is_file()):
            raise InputError("not a file", expected=expected, got=os.fspath(name))
        if path.parent in soon and not path.parent.exists():
            return path
        if not path.parent.is_dir():
            there = Path(name).parent
            raise InputError("no such folder", where=there, expected="a folder that exists")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        try_out(path)
    return path


def parquet(path: Path, frame: pd.DataFrame) -> None:
    """Write a DataFrame as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, file, compression="zstd", write_page_checksum=True)


def csv(path: Path, frame: pd.DataFrame) -> None:
    """Write a DataFrame as CSV; no text in it can become a formula in a spreadsheet.

    Text that a spreadsheet could take for one, and text that begins with an apostrophe, gets one
    before it, as one writes there: whoever takes away one apostrophe has the text as it was.
    """
    safe = frame.copy(deep=False)
    for name in frame:
        if any(isinstance(cell, str) for cell in frame[name]):
            safe[name] = frame[name].map(_no_formula)
    with path.open("w", encoding="utf-8", newline="") as file:
        safe.to_csv(file, index=False, lineterminator="\n", float_format="%.10g")


_FORMULA = re.compile(r"(?![-+]\.?\d[\d.]*(e[-+]?\d+)?$)['=+\-@\uff1d\uff0b\uff0d\uff20]")
"""A number is none; spreadsheets in Japanese take wide signs too."""


def _no_formula(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with suppress(OSError, PermissionError):  # not on Windows
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# --- folders --------------------------------------------------------------------------------------


@contextmanager
def locked(folder: PathLike) -> Iterator[Path]:
    """Make a folder if need be, and keep every other writer out of it for the time of the block.

    The lock is the system's, and goes with the process that has it, however that ends. What is
    left of a process that was killed is an empty file, which hinders nobody, and files that it was
    writing, which are removed here.

    Raises:
        InputError: A file is in the way, the folder cannot be made or written to, or somebody
            writes into it right now.
    """
    path = Path(folder)
    with writing(path):
        if path.exists() and not path.is_dir():
            raise InputError("is a file", where=path, expected="a folder")
        path.mkdir(parents=True, exist_ok=True)
        try_out(path / "summary.json")
        lock = _lock(path)
        mine = os.stat(path / LOCK)
    try:
        with writing(path):
            for scrap in path.iterdir():
                if _SCRAP.fullmatch(scrap.name) and scrap.is_file():
                    scrap.unlink()
        yield path
    finally:
        with suppress(OSError):  # where open files cannot be removed, it stays
            check_there(path / LOCK, mine)
            (path / LOCK).unlink()
        lock.release()


def _lock(path: Path) -> BaseFileLock:
    """Return the lock of a folder, held.

    Raises:
        InputError: Somebody else holds it.
    """
    from filelock import FileLock, Timeout

    file = path / LOCK
    while True:
        lock = FileLock(file)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            problem = "another run is writing into it"
            expected = "another folder, or patience until that has ended"
            raise InputError(problem, where=path, expected=expected) from None
        handle = getattr(getattr(lock, "_context", None), "lock_file_fd", None)
        with suppress(FileNotFoundError):
            if handle is None or os.path.samestat(os.fstat(handle), os.stat(file)):
                return lock
        lock.release()  # its last holder has removed the file just now: this one locks nobody out


def check_there(path: Path, opened: os.stat_result) -> None:
    """Check that an open file still has its name: what goes into one that was removed is lost.

    Args:
        path: The file.
        opened: What the system said of it when it was opened; it has to be open still.

    Raises:
        FileNotFoundError: It, or its folder, was moved or removed.
    """
    try:
        there = os.path.samestat(os.stat(path), opened)
    except (FileNotFoundError, NotADirectoryError):
        there = False
    if not there:
        raise FileNotFoundError(errno.ENOENT, "it was moved or removed")
