"""Records: one row for each finished round and seat, as Parquet or as a DataFrame.

Rows come from the engine as int32, chunk by chunk in index order. While a run goes on they are
written into a folder of parts, each a complete Parquet file of a range of units, so memory stays
flat and a crash leaves them usable. At the end one file is made of them, in row groups of one
fixed size: it is the same, byte for byte, whatever the chunks and the parts were. In its metadata
stands which units it is about.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.batch.ranges import Ranges, common, in_words, minus, union
from sim.core.codes import RECORD_COLUMNS, Record
from sim.core.layout import REASONS
from sim.errors import InputError, one_of, within
from sim.game.documents import Shape, Units, check
from sim.game.files import parse_json
from sim.metrics import OUTCOMES, words
from sim.store.files import settle, temporary

RECORDS = "records.parquet"
"""Name of the file of records in a results folder."""

PARTS = "records.parts"
"""Name of the folder of parts, beside the file; it is there until the run has come to its end."""

GROUP_ROWS = 2**18
"""Rows of one row group of the file."""

PART_GROUP_ROWS = 2**16
"""Rows of one row group of a part, at least; chunks may be much shorter."""

FRAME_ROWS = 5_000_000
"""The most rows that a DataFrame of records may have; more belong into a folder."""


@dataclass(frozen=True)
class Column:
    """One column of the records."""

    name: str
    type: str
    unit: str
    description: str


_WORDS = {"end": REASONS, "bao": OUTCOMES}


def _column(name: str) -> Column:
    told = words("records")
    kind, unit, text = told.get(name, told["*"])
    text = text.replace("*", name).replace("+", ", ".join(_WORDS.get(name, ())))
    return Column(name, kind, unit, text)


COLUMNS: tuple[Column, ...] = tuple(map(_column, RECORD_COLUMNS))
"""All columns, in order; no seat is missing, deciding rounds are left out."""

_ABOUT = b"baobei"  # key of a file's metadata under which its ranges stand


def _schema() -> Any:
    """Return names, types, units and descriptions of the columns, as Parquet keeps them."""
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

    codes = {"end": rows[:, Record.END], "bao": rows[:, Record.BAO] - 1}
    arrays = []
    for k, column in enumerate(COLUMNS):
        if column.name == "index":
            arrays.append(pa.array(begin + ((rows[:, k] - np.int64(begin)) & 0xFFFFFFFF)))
        elif column.name in codes:
            code = codes[column.name]
            indices = pa.array(code.astype(np.int8), mask=code < 0)
            arrays.append(pa.DictionaryArray.from_arrays(indices, list(_WORDS[column.name])))
        else:
            arrays.append(pa.array(rows[:, k].astype(column.type)))
    return pa.Table.from_arrays(arrays, schema=_schema())


class _Rows:
    """A Parquet file that is open for writing; see `sim.store.files` on why it is opened here."""

    def __init__(self, path: Path, schema: Any, compression: str) -> None:
        import pyarrow.parquet as pq

        self._file = path.open("wb")
        self._writer = pq.ParquetWriter(
            self._file, schema, compression=compression, write_page_checksum=True
        )
        self.add = self._writer.write_table

    def close(self) -> None:
        try:
            self._writer.close()
        finally:
            self._file.close()


class Writer:
    """Streams rows into the file of records, which gets its name when it is complete.

    Row groups have one fixed size, however the rows come.
    """

    def __init__(self, path: Path, ranges: Ranges) -> None:
        """Open a temporary file next to `path`.

        Args:
            path: The file.
            ranges: The units that it is going to be about.

        Raises:
            OSError: The folder cannot be written to.
        """
        self.path = path
        self.temporary = temporary(path)
        about = json.dumps({"ranges": ranges}).encode()
        schema = _schema().with_metadata({_ABOUT: about})
        self._file = _Rows(self.temporary, schema, "zstd")
        self._waiting: list[Any] = []
        self._rows = 0

    def add(self, rows: Any) -> None:
        """Take the next rows, a pyarrow table."""
        self._waiting.append(rows)
        self._rows += len(rows)
        if self._rows >= GROUP_ROWS:
            self._write(last=False)

    def _write(self, last: bool) -> None:
        import pyarrow as pa

        rows = pa.concat_tables(self._waiting)
        at = 0
        while self._rows - at >= (1 if last else GROUP_ROWS):
            group = rows.slice(at, GROUP_ROWS).combine_chunks()
            self._file.add(group, row_group_size=GROUP_ROWS)
            at = min(at + GROUP_ROWS, self._rows)
        self._waiting = [rows.slice(at)]
        self._rows -= at

    def close(self) -> None:
        """Write what is left and give the file its name."""
        if self._waiting:
            self._write(last=True)
        self._file.close()
        settle(self.temporary, self.path)

    def abandon(self) -> None:
        """Throw the unfinished file away."""
        with suppress(OSError):  # a full disk, once more
            self._file.close()
        with suppress(OSError):
            self.temporary.unlink(missing_ok=True)


def write_records(path: Path, tables: Iterable[Any], ranges: Ranges) -> None:
    """Write the file of records as a whole.

    Args:
        path: The file.
        tables: Rows in index order, pyarrow tables.
        ranges: The units that they are about.

    Raises:
        OSError: It cannot be written.
    """
    writer = Writer(path, ranges)
    try:
        for table in tables:
            writer.add(table)
        writer.close()
    finally:
        writer.abandon()  # nothing is left of it after `close`


# --- parts ----------------------------------------------------------------------------------------


class Parts:
    """Streams records into the folder of parts, one file for each range that is told finished."""

    def __init__(self, folder: Path) -> None:
        """Make the folder of parts inside a results folder, if need be.

        Raises:
            OSError: It cannot be written to.
        """
        self.folder = folder / PARTS
        self.folder.mkdir(exist_ok=True)
        self._file: Any = None
        self._waiting: list[Any] = []
        self._rows = 0

    def add(self, rows: Any, begin: int) -> None:
        """Take the rows of the next chunk; see `to_arrow`."""
        self._waiting.append(to_arrow(rows, begin))
        self._rows += len(rows)
        if self._rows >= PART_GROUP_ROWS:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        if self._file is None:  # quick to write: it is read once more, at the end
            unnamed = temporary(self.folder / "new")
            self._file = _Rows(unnamed, _schema(), "lz4")
        self._file.add(pa.concat_tables(self._waiting))
        self._waiting, self._rows = [], 0

    def seal(self, begin: int, end: int) -> None:
        """Complete the file: it holds all rows of units `begin` to `end` - 1 now."""
        if self._waiting:
            self._write()
        if self._file is not None:
            file, self._file = self._file, None
            file.close()
            settle(temporary(self.folder / "new"), self.folder / f"{begin:011}-{end:011}.parquet")

    def abandon(self) -> None:
        """Throw the file that is not complete away."""
        with suppress(OSError):
            if self._file is not None:
                file, self._file = self._file, None
                file.close()
        with suppress(OSError):
            temporary(self.folder / "new").unlink(missing_ok=True)


_PART_NAME = re.compile(r"(\d{11})-(\d{11})\.parquet")


def clear_parts(folder: Path, keep: Ranges = ()) -> None:
    """Remove the parts in a results folder that do not lie in `keep`, and whatever a crash left.

    Raises:
        OSError: They cannot be removed.
    """
    parts = folder / PARTS
    if not parts.is_dir():
        return
    for path in parts.iterdir():
        name = _PART_NAME.fullmatch(path.name)
        scrap = path.name.startswith(".new.")
        if scrap or (name and minus(((int(name[1]), int(name[2])),), keep)):
            path.unlink()
    if not keep:
        with suppress(OSError):  # somebody keeps something else in it
            parts.rmdir()


@dataclass(frozen=True)
class Source:
    """A file of records and the units that all its rows are about."""

    path: Path
    ranges: Ranges


def sources(folder: Path, default: Ranges = ()) -> list[Source]:
    """Return the files of records in a results folder: the file made at the end, and parts.

    Args:
        folder: The results folder.
        default: Units of the former if it does not say itself.
    """
    found = []
    whole = folder / RECORDS
    if whole.is_file():
        found.append(Source(whole, _ranges_of(whole, default)))
    for path in sorted((folder / PARTS).glob("*.parquet")):
        name = _PART_NAME.fullmatch(path.name)
        if name:
            found.append(Source(path, ((int(name[1]), int(name[2])),)))
    return found


class _About(Shape):
    ranges: list[Units]


def _ranges_of(path: Path, default: Ranges) -> Ranges:
    import pyarrow.parquet as pq

    try:
        with reading_table(path), path.open("rb") as file:
            about = (pq.read_schema(file).metadata or {}).get(_ABOUT)
        return default if about is None else union(check(_About, parse_json(about)).ranges)
    except (InputError, ValueError):
        raise InputError("is no file of records", where=path) from None


def held(found: Iterable[Source]) -> Ranges:
    """Return the units that files of records are about, all together."""
    return union(pair for source in found for pair in source.ranges)


def stream(
    found: Iterable[Source], ranges: Ranges, rows: int, columns: Sequence[Column] = COLUMNS
) -> Iterator[Any]:
    """Yield the rows of units as pyarrow tables in index order, at most `GROUP_ROWS` at a time.

    Memory stays flat, however many rows a file has, or says that it has.

    Args:
        found: Files of records; where several are about the same unit one of them is taken.
        ranges: The units.
        rows: How many rows they must have.
        columns: Those of `COLUMNS` that are wanted; ``index`` must be among them.

    Raises:
        InputError: Records of some of the units are missing, a file is damaged, or it is
            another run's: it has more rows or fewer.
    """
    found = list(found)
    missing = minus(ranges, held(found))
    if missing:
        problem = f"records are missing: {in_words(missing, 'units')}"
        raise InputError(problem, where=found[0].path.parent if found else None)
    pieces, left = [], ranges
    for source in found:
        pieces += [(begin, end, source.path) for begin, end in common(left, source.ranges)]
        left = minus(left, source.ranges)
    count = 0
    for begin, end, path in sorted(pieces):
        for table in _rows(path, begin, end, columns):
            count += len(table)
            if count > rows:
                raise _of_another(found, rows)
            yield table
    if count < rows:
        raise _of_another(found, rows)


def _of_another(found: Sequence[Source], rows: int) -> InputError:
    where = found[0].path if found else None
    return InputError("records of another run", where=where, expected=f"{rows:,} rows")


def check_count(path: Path, rows: int) -> None:
    """Check that a file of records has so many rows.

    Raises:
        InputError: It has not.
    """
    with opened_table(path) as file:
        if file.metadata.num_rows != rows:
            raise _of_another([Source(path, ())], rows)


def _rows(path: Path, begin: int, end: int, columns: Sequence[Column]) -> Iterator[Any]:
    """Yield the rows of a file that are about units `begin` to `end` - 1."""
    import numpy as np

    with opened_table(path) as file:
        _check_columns(path, file.schema_arrow, columns)
        names = [column.name for column in columns]
        last = 0
        for k in range(file.num_row_groups):
            index = file.metadata.row_group(k).column(0).statistics
            known = index is not None and index.has_min_max
            if known and (index.max < begin or index.min >= end):
                continue
            for rows in file.iter_batches(GROUP_ROWS, row_groups=[k], columns=names):
                units = rows.column("index").to_numpy()
                if len(units) and (units[0] < last or (np.diff(units) < 0).any()):
                    problem = "is damaged: rounds or games are not in their order"
                    raise InputError(problem, where=path, key="index")
                last = units[-1] if len(units) else last
                at = np.searchsorted(units, (begin, end))
                yield _canonical(rows.slice(at[0], at[1] - at[0]), columns)


def _check_columns(path: Path, schema: Any, columns: Iterable[Column]) -> None:
    """Refuse a file without these columns, or with others of their names."""
    import pyarrow as pa

    right = _schema()
    for column in columns:
        expected = right.field(column.name).type
        if column.name not in schema.names:
            raise InputError("damaged: missing", where=path, key=column.name)
        found = schema.field(column.name).type
        words = [pa.string(), expected, pa.dictionary(pa.int32(), pa.string())]
        if found not in (words if column.type == "category" else [expected]):
            raise InputError(
                "damaged", where=path, key=column.name, expected=str(expected), got=str(found)
            )


def _canonical(rows: Any, columns: Sequence[Column] = COLUMNS) -> Any:
    """Return rows that were read as `to_arrow` makes them: all words in their own order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    arrays = []
    for column in columns:
        values = rows.column(column.name)
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        if column.name != "bao" and values.null_count:
            raise InputError("is damaged: an entry is missing", key=column.name)
        if column.type == "category":
            names = pa.array(_WORDS[column.name])
            codes = pc.index_in(values.cast(pa.string()), value_set=names, skip_nulls=True)
            if codes.null_count != values.null_count:
                raise InputError("is damaged", key=column.name, expected=one_of(names.to_pylist()))
            values = pa.DictionaryArray.from_arrays(codes.cast(pa.int8()), names)
        arrays.append(values)
    return pa.Table.from_arrays(
        arrays, schema=pa.schema([_schema().field(column.name) for column in columns])
    )


class Collector:
    """Keeps records in memory, for a DataFrame; the counterpart of `Parts` without a folder."""

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

    def frame(self) -> Any:
        """Return the records as a pandas DataFrame."""
        return _frame(self._tables)


def check_rows(rows: int) -> None:
    """Check that records fit into a DataFrame.

    Raises:
        InputError: They are more than `FRAME_ROWS`.
    """
    if rows > FRAME_ROWS:
        problem = f"more than {FRAME_ROWS:,} rows of records for a DataFrame"
        raise InputError(problem, where="records", expected="a folder to write them to (out)")


def from_frame(frame: Any) -> Any:
    """Return a DataFrame of records, as `Collector.frame` made it, as a pyarrow table."""
    import pyarrow as pa

    return _canonical(pa.Table.from_pandas(frame, schema=_schema(), preserve_index=False))


def read(folder: Path, ranges: Ranges, rows: int) -> Any:
    """Return the records in a results folder as a pandas DataFrame.

    Args:
        folder: The folder.
        ranges: The units that the run has finished.
        rows: How many rows they must have.

    Raises:
        InputError: There are no records, or they do not belong to the run.
    """
    return _frame(list(stream(_found(folder, ranges, rows), ranges, rows)))


def _frame(tables: Sequence[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(tables or [_schema().empty_table()]).to_pandas()


def _found(folder: Path, ranges: Ranges, rows: int) -> list[Source]:
    """Return the files of records in a folder; see `read`."""
    found = sources(folder, ranges)
    if not found:
        raise InputError("no records were kept", where=folder, expected="a run with --records")
    if minus(ranges, held(found)):
        raise _of_another(found, rows)
    return found


def count_scores(folder: Path, ranges: Ranges, rounds: int, seats: int) -> list[Counter[int]]:
    """Return how often each seat had which score, in memory that does not grow with the rows.

    Args:
        folder: The results folder.
        ranges: The units that the run has finished.
        rounds: How many rounds they are.
        seats: Players at the table.

    Raises:
        InputError: As for `read`.
    """
    rows = rounds * seats
    columns = [column for column in COLUMNS if column.name in ("index", "seat", "score")]
    found = _found(folder, ranges, rows)
    counted: list[Counter[int]] = [Counter() for _ in range(seats)]
    for table in stream(found, ranges, rows, columns):
        tally_scores(counted, table.column("seat").to_numpy(), table.column("score").to_numpy())
    if any(each.total() != rounds for each in counted):
        raise InputError("records of another run", where=found[0].path, key="seat")
    return counted


def tally_scores(counted: Sequence[Counter[int]], seat: Any, score: Any) -> None:
    """Mutates: count scores of seats, columns of equal length; other seats are left out."""
    import numpy as np

    for k, each in enumerate(counted):
        values, times = np.unique(score[seat == k], return_counts=True)
        each.update(dict(zip(values.tolist(), times.tolist(), strict=True)))


# --- tables ---------------------------------------------------------------------------------------


@contextmanager
def reading_table(path: Path) -> Iterator[None]:
    """Tell whatever is wrong with a Parquet file that is read as an `InputError` of it."""
    import pyarrow as pa

    try:
        with within(where=path):
            yield
    except (pa.ArrowException, *_DAMAGES) as error:
        said = str(error).splitlines() or [type(error).__name__]
        raise InputError(f"is damaged: {said[0]}", where=path) from None


_DAMAGES = (ArithmeticError, LookupError, MemoryError, OSError, TypeError, ValueError)
"""What pyarrow raises, besides errors of its own, where a file is not what it says."""


@contextmanager
def opened_table(path: Path) -> Iterator[Any]:
    """Give the block a Parquet file whose checksums are looked at, as of `reading_table`."""
    import pyarrow.parquet as pq

    with (
        reading_table(path),
        path.open("rb") as opened,
        pq.ParquetFile(opened, page_checksum_verification=True) as file,
    ):
        yield file


def batches(path: Path) -> Iterator[Any]:
    """Yield a file of records as DataFrames, one for each row group: flat memory for any size."""
    import pyarrow.parquet as pq

    with path.open("rb") as opened, pq.ParquetFile(opened) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group).to_pandas()
