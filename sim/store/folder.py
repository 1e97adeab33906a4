"""Results folders: what is written, in which order, and how it is read back.

``manifest.json`` is the truth: the study as resolved, the ranges of units that are finished and
the exact sums over them, in one file that is replaced as a whole. So whenever a program or a
machine stops, the folder holds either the old or the new state. While a run goes on a journal
stands beside it (`sim.store.journal`), with what was finished since. All other files are made of
these: ``summary.json``, and the tables of `Result.tables` as Parquet.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import Field

import sim
from sim.batch.ranges import Ranges, common, in_words, minus, size, union
from sim.batch.stopping import Until
from sim.batch.sums import Sums
from sim.engine import ENGINE_VERSION
from sim.errors import InputError, show, within
from sim.game.documents import (
    MISSING,
    SCHEMA,
    Manifest,
    Seconds,
    Shape,
    Units,
    apart,
    check,
    check_agrees,
    read_schema,
    some,
    to_json,
)
from sim.game.files import PathLike, read_json
from sim.game.study import Study
from sim.store.files import locked, parquet, sync_folder, write, write_with, writing
from sim.store.journal import JOURNAL, read_journal
from sim.store.rows import (
    PARTS,
    RECORDS,
    check_count,
    clear_parts,
    from_frame,
    sources,
    stream,
    write_records,
)

MANIFEST = "manifest.json"
SUMMARY = "summary.json"
TABLES = ("seats", "metrics", "histograms", "positions", "birds")

FILES = (MANIFEST, SUMMARY, *(f"{name}.parquet" for name in TABLES), RECORDS, PARTS, JOURNAL)
"""Everything that a results folder may hold, but for the file that locks it."""

INTERRUPTED = "interrupted"
"""Why a run stopped of which the folder holds only the first part, until it is gone on with."""

_DIFFERENCES_AT_MOST = 4


@dataclass(frozen=True)
class Held:
    """What a folder holds of a study.

    Attributes:
        study: The study as a whole.
        ranges: Its units that are finished.
        sums: Exact sums over these.
        seconds: Time that playing them took, all sessions together.
        compile_seconds: Time that compiling or loading the engine took, likewise.
        stopped_by: Why the run stopped; None while it goes on.
        finished: Whether everything that the run was asked for is there.
        records: Whether records are kept.
        until: What the run was to stop at; None if at nothing.
        version: Version of the program that played.
        engine: Version of the engine that played.
    """

    study: Study
    ranges: Ranges = ()
    sums: Sums = field(default_factory=Sums.empty)
    seconds: float = 0.0
    compile_seconds: float = 0.0
    stopped_by: str | None = None
    finished: bool = False
    records: bool = False
    until: Until | None = None
    version: str = field(default_factory=lambda: str(sim.__version__))
    engine: int = ENGINE_VERSION

    @property
    def rows(self) -> int:
        """How many rows the records have, where they are kept."""
        return int(self.sums["rounds"]) * len(self.study.players)


@dataclass(frozen=True)
class Told:
    """What is told of a run: the files that are made of what a folder holds.

    Attributes:
        summary: Text of ``summary.json``, without its last line end.
        tables: By name; each becomes a Parquet file.
        kept: Records in memory, a DataFrame; None where there are none, or they are in the folder.
    """

    summary: str
    tables: Mapping[str, Any]
    kept: Any = None


Tell = Callable[[Held], Told]
"""Makes what is told of a run, of what a folder holds."""


# --- making ready ---------------------------------------------------------------------------------


def hold(path: Path, study: Study, *, records: bool) -> Held:
    """Return what a locked folder holds of a study, and make it ready for a run.

    A folder without results gets the manifest of a run of which nothing is finished. One that
    holds the same study, finished or not, stays as it is.

    Args:
        path: The folder.
        study: What is going to be played.
        records: Whether records are going to be written.

    Raises:
        InputError: It holds another study, more of this one than is going to be played, or files
            of the same names that are no results; or it cannot be written to.
    """
    if (path / MANIFEST).exists():
        there = read_held(path)
        check_same(path, there.study, study)
        _check_goes_on(path, there, study, records)
        return there
    strange = [name for name in FILES if (path / name).exists()]
    if strange:
        problem = f"holds {strange[0]}, but no {MANIFEST}: not a results folder"
        raise InputError(problem, where=path, expected="a new folder")
    there = Held(study, records=records)
    write_manifest(path, there)
    return there


def _check_goes_on(path: Path, there: Held, study: Study, records: bool) -> None:
    """Refuse what cannot be gone on with: other engine, fewer units, records for a part only."""
    if not there.ranges:
        return
    if not there.sums.complete:
        problem = f"was played by version {there.version}, which counted less than this one"
        raise InputError(problem, where=path, expected="a new folder")
    if there.engine != ENGINE_VERSION:
        problem = f"was played by engine {there.engine}, this is engine {ENGINE_VERSION}"
        raise InputError(f"{problem}: its numbers are others", where=path, expected="a new folder")
    _check_loses_nothing(path, there, ((0, study.count),), records, "--records again")
    if records and not there.records:
        problem = f"holds {study.unit} without records"
        expected = "a run without --records, or another folder"
        raise InputError(problem, where=path, expected=expected)


# --- saving and loading ---------------------------------------------------------------------------


def save(run: Held, told: Told, folder: PathLike, origin: Path | None = None) -> Path:
    """Write a run into a folder, which is made if need be, and return its path.

    Args:
        run: What the folder will hold.
        told: What is told of it.
        folder: The folder.
        origin: Where the run is from; records that are there already stay.

    Raises:
        InputError: The folder cannot be written to, or holds another study, or more of it.
    """
    with locked(folder) as path:
        mine = origin is not None and origin.resolve() == path.resolve()
        run = replace(run, records=told.kept is not None or (mine and _holds_records(path)))
        if (path / MANIFEST).exists():
            there = read_held(path)
            check_same(path, there.study, run.study)
            _check_loses_nothing(path, there, run.ranges, run.records, "a result with records")
        else:
            hold(path, run.study, records=run.records)
        write_result(path, run, told)
    return path


def _holds_records(path: Path) -> bool:
    return (path / RECORDS).exists() or (path / PARTS).is_dir()


def _check_loses_nothing(
    path: Path, there: Held, ranges: Ranges, records: bool, instead: str
) -> None:
    """Refuse to put less in the place of more."""
    unit = there.study.unit
    if minus(there.ranges, ranges):
        problem = f"holds a run of {there.ranges[-1][1]} {unit}"
        expected = f"at least as many {unit}, or another folder"
        raise InputError(problem, where=path, expected=expected, got=size(ranges))
    if there.records and there.ranges and not records:
        expected = f"{instead}, or another folder"
        raise InputError("holds records, which would be lost", where=path, expected=expected)


def write_result(path: Path, run: Held, told: Told) -> None:
    """Write all files of a run into a locked folder, the manifest last.

    Args:
        path: The folder.
        run: What it will hold; its records, if any, are those told, or else in the folder.
        told: What is told of it.

    Raises:
        InputError: The folder cannot be written to.
    """
    with writing(path, "what is finished is kept in it, and nothing of it is lost"):
        if told.kept is not None:
            write_records(path / RECORDS, [from_frame(told.kept)], run.ranges)
        elif run.records:
            gather(path, [path], run.ranges, run.rows)
        for name, frame in told.tables.items():
            write_with(path / f"{name}.parquet", partial(parquet, frame=frame))
        write(path / SUMMARY, told.summary + "\n")
    write_manifest(path, run)
    with writing(path), suppress(FileNotFoundError):
        clear_parts(path)
        if not run.records:
            (path / RECORDS).unlink(missing_ok=True)  # those of an older run
        (path / JOURNAL).unlink()


def gather(path: Path, folders: Iterable[Path], ranges: Ranges, rows: int) -> None:
    """Make one file of all records in some folders, unless it is there already.

    Args:
        path: The folder that it belongs into.
        folders: Where the records are.
        ranges: The units that they are about.
        rows: How many there are.

    Raises:
        InputError: Records of some of the units are missing, or they are another run's.
        OSError: The file cannot be written.
    """
    found = [source for folder in folders for source in sources(folder, ranges)]
    whole = path / RECORDS
    if any(source.path == whole and source.ranges == ranges for source in found):
        check_count(whole, rows)
    else:
        write_records(whole, stream(found, ranges, rows), ranges)


def read_held(path: Path) -> Held:
    """Return what a folder holds, manifest and journal together.

    Raises:
        InputError: It holds no results, or none that this program can read.
    """
    while True:  # a run that goes on may fold its journal into the manifest in between
        manifest = _read_manifest(path)
        with _reading(path / JOURNAL):
            entries = list(read_journal(path / JOURNAL))
        if _read_manifest(path) == manifest:
            break
    file = path / MANIFEST
    held = check(_Manifest, manifest, file)
    study = _study_of(manifest, file)
    ranges, sums, seconds = union(held.ranges), Sums.empty(), held.seconds
    with within("sums", file):
        if held.sums is not None:
            sums.add(Sums.from_dict(held.sums))
        for entry in entries:
            if not common(ranges, ((entry.begin, entry.end),)):  # else it is in the manifest
                ranges = union((*ranges, (entry.begin, entry.end)))
                sums.add(entry.sums)
                seconds += entry.seconds
        sums.check(study)
    if size(ranges) != sums[study.unit]:
        problem = f"its sums are not those of its ranges, {in_words(ranges, study.unit)}"
        raise InputError(problem, where=file, key="ranges")
    beyond = minus(ranges, ((0, study.count),))
    if beyond:
        problem = f"{in_words(beyond, study.unit)} are beyond the end of the study"
        raise InputError(problem, where=file, key="ranges")
    with within("until", file):
        until = None if held.until is None else Until(**dict(held.until))
        until = Until.of(until, len(study.players))
    return Held(
        study=study,
        ranges=ranges,
        sums=sums,
        seconds=seconds,
        until=until,
        **{name: getattr(held, name) for name in _AS_THEY_STAND},
    )


_AS_THEY_STAND = ("compile_seconds", "stopped_by", "finished", "records", "version", "engine")


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=file) from None


# --- the manifest ---------------------------------------------------------------------------------


class _Target(Shape):
    metric: str
    seat: int
    half_width: Seconds


class _Manifest(Manifest):
    """What is taken from the manifest of a run."""

    ranges: list[Units] = Field(default_factory=list)
    stopped_by: str | None = None
    until: _Target | None = None
    seconds: Seconds
    compile_seconds: Seconds
    records: bool = False
    sums: dict[str, Any] | None


def write_manifest(path: Path, there: Held) -> None:
    """Replace the manifest of a folder as a whole.

    Raises:
        InputError: The folder cannot be written to.
    """
    with writing(path, "what is finished is kept in it, and nothing of it is lost"):
        write(path / MANIFEST, _manifest_text(_manifest(there)))
        sync_folder(path)


def provenance(
    kind: str, version: str | None = None, engine: int = ENGINE_VERSION
) -> dict[str, Any]:
    """Return the beginning of every manifest: what it is of, and what has played it.

    Args:
        kind: ``"run"``, ``"comparison"``, ``"sweep"`` or ``"tournament"``.
        version: Of the program; this one's if None.
        engine: Version of the engine.
    """
    return {
        "schema": SCHEMA,
        "kind": kind,
        "version": str(sim.__version__) if version is None else version,
        "engine": engine,
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in ("numba", "numpy")},
    }


def _manifest(there: Held) -> dict[str, Any]:
    study = there.study
    return {
        **provenance("run", there.version, there.engine),
        "fingerprint": study.fingerprint,
        "design_id": study.design_id,
        "rules_id": study.rules_id,
        "seed": study.seed,
        "unit": study.unit,
        "count": study.count,
        "ranges": [list(pair) for pair in there.ranges],
        "finished": there.finished,
        "stopped_by": there.stopped_by,
        "until": None if there.until is None else there.until.to_dict(),
        "seconds": there.seconds,
        "compile_seconds": there.compile_seconds,
        "records": there.records,
        "study": study.to_dict(),
        "sums": there.sums.to_dict() if there.ranges else None,
    }


def _manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return the manifest as JSON text: readable, but each of the long sums on one line."""
    compact = json.dumps(manifest["sums"], allow_nan=False)
    shown = to_json({**manifest, "sums": None})
    head, _, tail = shown.rpartition('"sums": null')
    return f'{head}"sums": {compact}{tail}\n'


def _read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a folder.

    Raises:
        InputError: It has none, or one that this program cannot read.
    """
    file = path / MANIFEST
    try:
        manifest = read_json(file)
    except (FileNotFoundError, NotADirectoryError):
        expected = "a folder written by baobei run --out"
        raise InputError("no results here", where=path, expected=expected) from None
    manifest = read_schema(manifest, file, "the manifest of a run")
    kind = manifest.get("kind", "run")
    if kind != "run":
        problem = f"holds the results of a {kind if isinstance(kind, str) else show(kind)}"
        raise InputError(problem, where=path, expected="a folder of 'baobei run'")
    return manifest


def _study_of(manifest: Mapping[str, Any], file: Path) -> Study:
    """Return the study that a run's manifest names, and check that it is still that study.

    Raises:
        InputError: It is not.
    """
    with within("study", file):
        study = Study.from_dict(manifest["study"])
    if study.fingerprint != manifest["fingerprint"]:
        problem = "is not the study that was played: its fingerprint is another"
        raise InputError(problem, where=file, key="study")
    told = some(manifest, ("seed", "unit", "count"))
    check_agrees(told, {name: getattr(study, name) for name in told}, file)
    return study


def check_same(path: Path, there: Study, study: Study, than: Path | None = None) -> None:
    """Check that a folder is about this very study.

    Args:
        path: The folder.
        there: The study that it is about.
        study: The study that it should be about.
        than: The folder that this one is in; None if it is in none yet.

    Raises:
        InputError: It is not; says what differs.
    """
    if there.fingerprint != study.fingerprint:
        shown = told_differences(_essence(there), _essence(study), _brief)
        if than is None:
            problem = f"holds results of another study, which differs in {shown}"
            raise InputError(problem, where=path, expected="a new folder")
        problem = f"holds results of another study than {than}: it differs in {shown}"
        raise InputError(problem, where=path, expected="folders of one study")


def _essence(study: Study) -> dict[str, Any]:
    """Return what the fingerprint of a study is about, in words."""
    return {
        "seed": study.seed,
        "unit": study.unit,
        "players": [{"kind": player.kind, **player.values} for player in study.players],
        "rules": study.rules.to_dict(),
        "deck": {
            bird.id: bird.model_dump(include={"value", "family", "power", "copies"})
            for bird in study.deck.birds
        },
    }


def told_differences(
    held: Any, new: Any, show: Callable[[Any], str] = show, skip: Sequence[str] = ()
) -> str:
    """Return what differs between two JSON-ready values, as ``key (held, not new), ...``."""
    told = []
    for key, *both in apart(held, new):
        if {*skip}.isdisjoint(key.split(".")):
            both = [None if each is MISSING else each for each in both]
            if all(isinstance(each, list) for each in both):
                both = [len(each) for each in both]
            told.append(f"{key} ({show(both[0])}, not {show(both[1])})")
    more = [", ..."] if len(told) > _DIFFERENCES_AT_MOST else []
    return ", ".join(told[:_DIFFERENCES_AT_MOST]) + "".join(more)


def _brief(value: Any) -> str:
    return "none" if value is None else show(value)
