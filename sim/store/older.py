"""Journals as version 0.1 wrote them for comparisons, sweeps and tournaments: read, never written.

A sweep's or tournament's was ``journal.jsonl``, with a line for every piece; a comparison's was
``unfinished.json``, one line that said everything. To be removed after one version.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.engine import ENGINE_VERSION
from sim.errors import InputError
from sim.game.documents import Count, Shape, Units, check
from sim.game.files import check_regular, parse_json
from sim.store.journal import Entry, SumsOf

FILES = JOURNAL, UNFINISHED = "journal.jsonl", "unfinished.json"


class _Line(Shape):
    study: Count
    range: Units
    sums: dict[str, Any]


class _Blocks(Shape):
    blocks: Count


class _Unfinished(Shape):
    fingerprint: str
    engine: int
    pairs: dict[str, Any]


def entries(folder: Path, fingerprint: str, sums: SumsOf) -> Iterator[Entry]:
    """Yield what an older journal remembers of what has this fingerprint, as this engine plays it.

    Args:
        folder: The folder.
        fingerprint: Of what is played.
        sums: Makes sums of what a line says.
    """
    lines = [unsealed(line) for line in _lines(folder / JOURNAL)]
    if {"plan": fingerprint, "engine": ENGINE_VERSION} in lines:
        for line in lines:
            try:
                told = check(_Line, line)
                begin, end = told.range
                yield Entry(begin, end, sums(told.sums), 0.0, told.study)
            except (InputError, ValueError):
                continue
    for line in _lines(folder / UNFINISHED)[:1]:
        try:
            told = check(_Unfinished, unsealed(line))
            blocks = check(_Blocks, told.pairs).blocks
            if (told.fingerprint, told.engine) == (fingerprint, ENGINE_VERSION) and blocks:
                yield Entry(0, blocks, sums(told.pairs), 0.0)
        except (InputError, ValueError):
            continue


def _lines(path: Path) -> list[bytes]:
    try:
        check_regular(path, "a journal")
        return path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []


def unsealed(line: bytes) -> Any:
    """Return the content of a line with a checksum as its last entry; None where it is damaged."""
    text, _, crc = line.rpartition(b',"crc":')
    if crc != b'"%08x"}' % zlib.crc32(text + b"}"):
        return None
    try:
        return parse_json(text + b"}")
    except (InputError, ValueError):
        return None
