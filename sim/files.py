"""Files that are there as a whole or not at all, and what the file system refuses.

A file is written under another name in the same folder, brought to the disk, and then given its
name in one step. So whoever looks, whenever a machine stops, finds the old or the new one.

A name is a file's or a folder's, letter by letter, whatever it looks like: libraries that would
take ``s3:x`` for an address, or ``~`` for a home, are given open files and no names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, show

if TYPE_CHECKING:
    import pandas as pd

WRITABLE = "a folder to write results into"


@contextmanager
def writing(path: Path, then: str | None = None) -> Iterator[None]:
    """Turn what the file system refuses into an `InputError` that names the folder.

    Args:
        path: The folder.
        then: What to say of what becomes of the work; None where nothing can be lost.
    """
    try:
        yield
    except OSError as error:
        problem = f"cannot be written to: {error.strerror or error}"
        if then is not None:
            raise InputError(f"{problem}; {then}", where=path) from None
        raise InputError(problem, where=path, expected=WRITABLE) from None
    except ValueError as error:  # a NUL in the path
        raise InputError(f"cannot be written to: {error}", where=show(str(path))) from None


def temporary(path: Path) -> Path:
    """Return the name under which a file is written; no longer than systems take."""
    return path.with_name(f".{path.name[:_NAME_LETTERS]}.{os.getpid()}.part")


_NAME_LETTERS = 50  # of at most four bytes each, of 255 in all


def write_with(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file in the same folder, then give it its name at once."""
    unnamed = temporary(path)
    try:
        write(unnamed)
        settle(unnamed, path)
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


def parquet(path: Path, frame: pd.DataFrame) -> None:
    """Write a DataFrame as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), file, compression="zstd")


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
