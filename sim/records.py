"""Records: one row for each finished round and seat, as Parquet or as a DataFrame.

Rows come from the engine as int32, part by part in index order. They are written in row groups
of one fixed size, so that the file is the same whatever the chunks of the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.engine.state import REASONS, RECORD_COLUMNS
from sim.errors import InputError

GROUP_ROWS = 2**18
"""Rows of one row group of the file."""

FRAME_ROWS = 5_000_000
"""The most rows that a DataFrame of records may have; more belong into a folder."""

BAO_OUTCOMES = ("won", "tied", "beaten", "void")
"""What became of a call of BAO, from `sim.engine.state.BAO_WON` on."""


@dataclass(frozen=True)
class Column:
    """One column of the records."""

    name: str
    type: str
    unit: str
    description: str


_PLUCKS = ("hits on one own card", "hits on one rival's card", "double hits", "misses")

COLUMNS: tuple[Column, ...] = (
    Column("index", "int64", "", "round of the study; with games, game of the study; from 0"),
    Column("round", "int32", "", "round within the game, from 0; 0 where rounds are played"),
    Column("seat", "int8", "", "whose row it is, from 0"),
    Column("score", "int32", "points", "score of the round (SCORE-2 to SCORE-4)"),
    Column("total", "int32", "points", "sum of the cards left in front of the seat (SCORE-1)"),
    Column("cards_left", "int16", "cards", "number of these cards"),
    Column("winner", "bool", "", "has the lowest score, alone or with others"),
    Column("end", "category", "", f"how the round ended: {', '.join(REASONS)}"),
    Column("turns", "int32", "turns", "turns of the round, all players together"),
    Column("recyclings", "int32", "", "recyclings of the round"),
    Column("first", "bool", "", "had the first turn"),
    Column(
        "bao", "category", "", f"the seat's call of BAO: {', '.join(BAO_OUTCOMES)}; null: no call"
    ),
    *(
        Column(name, "int32", "plucks", f"plucks of the seat: {what}")
        for name, what in zip(RECORD_COLUMNS[12:16], _PLUCKS, strict=True)
    ),
    *(
        Column(name, "int32", "powers", f"powers of the seat that started: {name}")
        for name in RECORD_COLUMNS[16:]
    ),
)
"""All columns, in order; no seat is missing, deciding rounds are left out."""


def _schema() -> Any:
    import pyarrow as pa

    words = pa.dictionary(pa.int8(), pa.string())
    types = {"bool": pa.bool_(), "category": words}
    fields = [
        pa.field(
            column.name,
            types.get(column.type) or getattr(pa, column.type)(),
            nullable=column.name == "bao",
            metadata={"unit": column.unit, "description": column.description},
        )
        for column in COLUMNS
    ]
    return pa.schema(fields)


def to_arrow(rows: Any, begin: int) -> Any:
    """Return rows of the engine as a pyarrow table.

    Args:
        rows: int32, records × columns, indices modulo 2**32.
        begin: First unit of the chunk that the rows come from, which is shorter than 2**32.
    """
    import numpy as np
    import pyarrow as pa

    words = {
        "end": (rows[:, RECORD_COLUMNS.index("end")], REASONS),
        "bao": (rows[:, RECORD_COLUMNS.index("bao")] - 1, BAO_OUTCOMES),
    }
    arrays = []
    for k, column in enumerate(COLUMNS):
        if column.name == "index":
            arrays.append(pa.array(begin + ((rows[:, k] - np.int64(begin)) & 0xFFFFFFFF)))
        elif column.name in words:
            codes, names = words[column.name]
            indices = pa.array(codes.astype(np.int8), mask=codes < 0)
            arrays.append(pa.DictionaryArray.from_arrays(indices, list(names)))
        else:
            arrays.append(pa.array(rows[:, k].astype(column.type)))
    return pa.Table.from_arrays(arrays, schema=_schema())


class Writer:
    """Streams records into a Parquet file, which appears under its name when it is complete."""

    def __init__(self, path: Path) -> None:
        """Open a temporary file next to `path`.

        Raises:
            OSError: The folder cannot be written to.
        """
        import pyarrow.parquet as pq

        self.path = path
        self.temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._file = pq.ParquetWriter(self.temporary, _schema(), compression="zstd")
        self._waiting: list[Any] = []
        self._rows = 0

    def add(self, rows: Any, begin: int) -> None:
        """Take the rows of the next chunk; see `to_arrow`."""
        self._waiting.append(to_arrow(rows, begin))
        self._rows += len(rows)
        if self._rows >= GROUP_ROWS:
            self._write(last=False)

    def _write(self, last: bool) -> None:
        import pyarrow as pa

        rows = pa.concat_tables(self._waiting)
        at = 0
        while self._rows - at >= (1 if last else GROUP_ROWS):
            self._file.write_table(rows.slice(at, GROUP_ROWS), row_group_size=GROUP_ROWS)
            at = min(at + GROUP_ROWS, self._rows)
        self._waiting = [rows.slice(at)]
        self._rows -= at

    def close(self) -> None:
        """Write what is left and give the file its name."""
        if self._waiting:
            self._write(last=True)
        self._file.close()
        os.replace(self.temporary, self.path)

    def abandon(self) -> None:
        """Throw the unfinished file away."""
        self._file.close()
        self.temporary.unlink(missing_ok=True)


class Keeper:
    """Keeps records in memory, for a DataFrame; the counterpart of `Writer` without a folder."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._tables: list[Any] = []
        self._rows = 0

    def add(self, rows: Any, begin: int) -> None:
        """Take the rows of the next chunk; see `to_arrow`.

        Raises:
            InputError: More rows than memory should hold.
        """
        self._rows += len(rows)
        check_rows(self._rows)
        self._tables.append(to_arrow(rows, begin))

    def close(self) -> None:
        """Nothing is left to do."""

    def abandon(self) -> None:
        """Forget all."""
        self._tables = []

    def frame(self) -> Any:
        """Return the records as a pandas DataFrame."""
        import pyarrow as pa

        return pa.concat_tables(self._tables or [_schema().empty_table()]).to_pandas()


def check_rows(rows: int) -> None:
    """Check that records fit into a DataFrame.

    Raises:
        InputError: They are more than `FRAME_ROWS`.
    """
    if rows > FRAME_ROWS:
        problem = f"more than {FRAME_ROWS:,} rows of records for a DataFrame"
        raise InputError(problem, where="records", expected="a folder to write them to (out)")


def read(path: Path, rows: int) -> Any:
    """Return a file of records as a pandas DataFrame.

    Args:
        path: The file.
        rows: How many it must have.

    Raises:
        InputError: There is no such file, or it does not belong to the run.
    """
    import pyarrow.parquet as pq

    if not path.is_file():
        raise InputError("no records were kept", where=path, expected="a run with --records")
    with pq.ParquetFile(path) as file:
        found = file.metadata.num_rows
        if found != rows:
            raise InputError("records of another run", where=path, expected=f"{rows:,} rows")
        return file.read().to_pandas()


def batches(path: Path) -> Iterator[Any]:
    """Yield a file of records as DataFrames, one for each row group: flat memory for any size."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group).to_pandas()
