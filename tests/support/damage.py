"""Damages files: as JSON, as bytes and as Parquet, each from a seed."""

from __future__ import annotations

import io
import json
import random
import zlib
from collections.abc import Callable
from typing import Any

NESTED: Any = 1
for _ in range(60):
    NESTED = [NESTED]

STRANGE: tuple[Any, ...] = (None, True, False, "abc", "", [], {}, [[]], {"a": 1}, NESTED)
STRANGE += (-5, 0, 3.7, -1, 2**63, 10**30, 10**400, -(10**30), 1e308)
STRANGE += (float("nan"), float("inf"), float("-inf"))


def _somewhere(content: Any, dice: random.Random) -> tuple[Any, Any]:
    """Return a list or dict in a content, and the key of something in it."""
    inner = content
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = dice.choice(keys)
        child = inner[key]
        if not isinstance(child, dict | list) or not child or dice.random() < 0.15:
            return inner, key
        inner = child


def damaged_json(content: Any, dice: random.Random) -> Any:
    """Return a content with one place changed: missing, of another type, longer, or another one."""
    content = json.loads(json.dumps(content))
    inner, key = _somewhere(content, dice)
    value = inner[key]
    way = dice.randrange(6)
    if way == 0:
        del inner[key]
    elif way == 1 and isinstance(value, list) and value:
        inner[key] = dice.choice([value[:-1], value[1:], value * 2, value[::-1], [*value, value]])
    elif way == 2 and isinstance(value, int | float) and not isinstance(value, bool):
        inner[key] = dice.choice([value + 1, -value, value * 2, value * 1e6, value - 1, str(value)])
    elif way == 3 and isinstance(inner, list):
        inner.insert(key, value)
    elif way == 4 and isinstance(value, str):
        inner[key] = dice.choice([value + "x", value[:-1], value.upper(), value * 1000])
    else:
        inner[key] = dice.choice(STRANGE)
    return content


def damaged_bytes(data: bytes, dice: random.Random) -> bytes:
    """Return bytes that are cut off, flipped, overwritten, doubled or gone."""
    changed = bytearray(data)
    at = dice.randrange(len(data))
    way = dice.randrange(7)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[at:]
    if way == 2:
        return dice.choice([b"", b"\0", b"\xff\xfe", b"[" * 50, b"\0" * len(data)])
    if way == 3:
        return data[:at] + dice.randbytes(dice.randrange(1, 50)) + data[at:]
    if way == 4:
        end = at + dice.randrange(1, 100)
        return data[:at] + bytes(len(data[at:end])) + data[end:]
    for _ in range(1 if way == 5 else dice.randrange(2, 20)):
        changed[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def damaged_text(data: bytes, dice: random.Random) -> bytes:
    """Return a JSON file that is damaged, mostly so that it is JSON still."""
    if dice.random() < 0.2:
        return damaged_bytes(data, dice)
    return json.dumps(damaged_json(json.loads(data), dice)).encode()


def resealed(content: Any) -> bytes:
    """Return a line of `sim.store.tasks` with a checksum that is right."""
    text = json.dumps(content, separators=(",", ":")).encode()
    return text[:-1] + b',"crc":"%08x"}' % zlib.crc32(text)


def damaged_lines(
    unseal: Callable[[bytes], Any], seal: Callable[[Any], bytes]
) -> Callable[[bytes, random.Random], bytes]:
    """Return what damages a journal: its bytes, or a line whose checksum is right all the same."""

    def damaged(data: bytes, dice: random.Random) -> bytes:
        if dice.random() < 0.3:
            return damaged_bytes(data, dice)
        lines = data.rstrip(b"\n").split(b"\n")
        k = dice.randrange(len(lines))
        content = unseal(lines[k])
        lines[k] = seal(damaged_json(content, dice))
        return b"\n".join(lines) + b"\n"

    return damaged


def damaged_parquet(data: bytes, dice: random.Random) -> bytes:
    """Return a Parquet file with other bytes, or with other rows or columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if dice.random() < 0.5:
        return damaged_bytes(data, dice)
    table = pq.read_table(io.BytesIO(data))
    k = dice.randrange(table.num_columns)
    name, column = table.column_names[k], table.column(k)
    way = dice.randrange(9)
    if way == 0:
        table = table.drop_columns([name])
    elif way == 1:
        table = table.rename_columns([*table.column_names[:k], "x", *table.column_names[k + 1 :]])
    elif way == 2:
        texts = pa.array([None if value is None else str(value) for value in column.to_pylist()])
        table = table.set_column(k, name, texts)
    elif way == 3:
        other = dice.choice([pa.float32(), pa.int8(), pa.bool_(), pa.timestamp("s"), pa.null()])
        table = table.set_column(k, name, pa.nulls(len(table), other))
    elif way == 4:
        table = table.slice(dice.randrange(len(table)))
    elif way == 5:
        table = pa.concat_tables([table, table.slice(dice.randrange(len(table)))])
    elif way == 6:
        order = list(range(len(table)))
        a, b = dice.randrange(len(table)), dice.randrange(len(table))
        order[a], order[b] = order[b], order[a]
        table = table.take(order)
    else:
        values = column.to_pylist()
        at = dice.randrange(len(values))
        old = values[at]
        values[at] = None if way == 7 or not isinstance(old, int | float) else old * 2 + 1
        try:
            table = table.set_column(k, name, pa.array(values, column.type))
        except pa.ArrowException:
            table = table.set_column(k, name, pa.array([str(value) for value in values]))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()
