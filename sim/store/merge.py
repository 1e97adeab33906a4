"""Putting together runs of one study over ranges that have nothing in common."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from sim.batch.ranges import common, in_words, union
from sim.batch.sums import Sums
from sim.engine import ENGINE_VERSION
from sim.errors import InputError
from sim.game.files import PathLike
from sim.store.files import locked, writing
from sim.store.folder import (
    FILES,
    MANIFEST,
    Held,
    Tell,
    check_same,
    gather,
    read_held,
    write_result,
)

MOST_FOLDERS = 10_000


def merge(folders: Sequence[PathLike], out: PathLike, tell: Tell) -> Held:
    """Put runs of one study over disjoint ranges together, as if one run had played them all.

    Args:
        folders: Results folders, finished or not; they stay as they are.
        out: A new folder for the result.
        tell: Makes what is told of it.

    Returns:
        What the new folder holds: all ranges together.

    Raises:
        InputError: The folders are not of the same study, seed and engine, some units are in two
            of them, some have records and others not, or `out` is not new.
    """
    paths = [Path(folder) for folder in folders]
    if not 2 <= len(paths) <= MOST_FOLDERS:
        raise InputError(expected="two folders or more", where="merge", got=len(paths))
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("the same folder twice", where="merge", expected="each once")
    with ExitStack() as stack:
        for path in paths:
            if (path / MANIFEST).exists() and _is_writable(path):
                stack.enter_context(locked(path))  # no run is going on in it
        parts = {path: read_held(path) for path in paths}
        _check_alike(parts)
        _check_disjoint(parts)
        there = _together(list(parts.values()))
        target = stack.enter_context(locked(_new(Path(out))))
        told = tell(there)
        if there.records:
            with writing(target):
                gather(target, paths, there.ranges, there.rows)
        write_result(target, there, told)
        return there


def _is_writable(path: Path) -> bool:
    """Whether this process may write into a folder; nobody can run into one that it may not."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _new(out: Path) -> Path:
    strange = [name for name in FILES if (out / name).exists()]
    if strange:
        raise InputError(f"holds {strange[0]}", where=out, expected="a new folder")
    return out


def _check_alike(parts: dict[Path, Held]) -> None:
    """Refuse folders whose numbers do not belong together."""
    (first, one), *others = parts.items()
    for path, there in parts.items():
        if there.engine != ENGINE_VERSION:
            problem = f"was played by engine {there.engine}"
            raise InputError(problem, where=path, expected=f"engine {ENGINE_VERSION}, as this is")
        if there.ranges and not there.sums.complete:
            problem = f"was played by version {there.version}, which counted less"
            raise InputError(problem, where=path, expected="parts that this version has played")
        if not there.ranges:
            raise InputError("nothing is finished in it", where=path, expected="a part of a run")
    for path, there in others:
        check_same(path, there.study, one.study, than=first)
        if there.records != one.records:
            has, lacks = (path, first) if there.records else (first, path)
            problem = f"has records, {lacks} has none"
            raise InputError(problem, where=has, expected="records in all of them, or in none")


def _check_disjoint(parts: dict[Path, Held]) -> None:
    for (first, one), (second, two) in combinations(parts.items(), 2):
        both = common(one.ranges, two.ranges)
        if both:
            problem = f"holds {in_words(both, one.study.unit)}, and so does {first}"
            raise InputError(problem, where=second, expected="ranges with nothing in common")


def _together(parts: list[Held]) -> Held:
    """Return what a folder holds that holds all of these."""
    parts.sort(key=lambda part: part.ranges)
    longest = max(parts, key=lambda part: part.study.count)
    sums = Sums.empty()
    for part in parts:
        sums.add(part.sums)
    ranges = union(pair for part in parts for pair in part.ranges)
    whole = ranges == ((0, longest.study.count),)
    return replace(
        longest,
        ranges=ranges,
        sums=sums,
        seconds=sum(part.seconds for part in parts),
        compile_seconds=sum(part.compile_seconds for part in parts),
        stopped_by=longest.study.unit if whole else "range",
        finished=True,
        until=None,
    )
