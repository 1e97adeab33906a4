"""Results folders: what is written, in which order, and how it is read back.

``manifest.json`` is the truth: the study as resolved, the ranges of units that are finished and
the exact sums over them, in one file that is replaced as a whole. So whenever a program or a
machine stops, the folder holds either the old or the new result. All other files are made of it:
``summary.json``, and the tables ``seats``, ``metrics`` and ``histograms`` as Parquet.
"""

from __future__ import annotations

import json
import os
import platform
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import sim
from sim.deck import PathLike
from sim.engine import ENGINE_VERSION
from sim.errors import InputError, show, within
from sim.results import RECORDS, SCHEMA, Result, to_json
from sim.study import Study
from sim.sums import Sums

MANIFEST = "manifest.json"
SUMMARY = "summary.json"
TABLES = ("seats", "metrics", "histograms")

FILES = (MANIFEST, SUMMARY, *(f"{name}.parquet" for name in TABLES), RECORDS)
"""Every file that a results folder may hold."""

_NEEDED = ("version", "engine", "fingerprint", "study", "sums", "seconds", "compile_seconds")

_DIFFERENCES_AT_MOST = 4


def prepare(folder: PathLike, study: Study, *, records: bool = False) -> Path:
    """Make a folder ready for a run: exists, can be written to, holds nothing else.

    A folder without results gets the manifest of a run of which nothing is finished. One that
    holds the same study, finished or not, stays as it is until the new result is there.

    Args:
        folder: The folder.
        study: What is going to be played.
        records: Whether records are going to be written.

    Raises:
        InputError: A file is in the way, the folder cannot be made or written to, it holds
            another study, or files of the same names that are no results.
    """
    path = Path(folder)
    with _writing(path):
        if path.exists() and not path.is_dir():
            raise InputError("is a file", where=path, expected="a folder")
        path.mkdir(parents=True, exist_ok=True)
        probe = _temporary(path / MANIFEST)
        probe.write_bytes(b"")
        probe.unlink()
    if (path / MANIFEST).exists():
        _check_same(path, study)
        _check_loses_nothing(path, study, records=records)
        return path
    strange = [name for name in FILES if (path / name).exists()]
    if strange:
        problem = f"holds {strange[0]}, but no {MANIFEST}: not a results folder"
        raise InputError(problem, where=path, expected="a new folder")
    with _writing(path):
        _write(path / MANIFEST, _manifest_text(_manifest(study, records=records)))
    return path


def _check_loses_nothing(path: Path, study: Study, *, records: bool) -> None:
    """Refuse to put a shorter run, or one without records, in the place of a finished one."""
    held = _read_manifest(path)
    if not held["finished"]:
        return
    if held["count"] > study.count:
        problem = f"holds a run of {held['count']} {study.unit}"
        expected = f"at least as many {study.unit}, or another folder"
        raise InputError(problem, where=path, expected=expected, got=study.count)
    if held["records"] and not records:
        expected = "--records again, or another folder"
        raise InputError("holds records, which would be lost", where=path, expected=expected)


def save(result: Result, folder: PathLike) -> Path:
    """Write a result into a folder; see `Result.save`."""
    held = (Path(folder) / RECORDS).exists()
    has_records = result.kept is not None or (result.folder == Path(folder) and held)
    path = prepare(folder, result.study, records=has_records)
    manifest = _manifest(
        result.study,
        sums=result.sums,
        version=result.version,
        stopped_by=result.stopped_by,
        seconds=result.seconds,
        compile_seconds=result.compile_seconds,
        records=has_records,
    )
    with _writing(path):
        if result.kept is not None:
            _write_with(path / RECORDS, _parquet(result.kept))
        elif not has_records:
            (path / RECORDS).unlink(missing_ok=True)  # those of an older run
        for name, frame in result.tables().items():
            _write_with(path / f"{name}.parquet", _parquet(frame))
        _write(path / SUMMARY, result.to_json() + "\n")
        _write(path / MANIFEST, _manifest_text(manifest))
    result.folder = path
    return path


def load(folder: PathLike) -> Result:
    """Return the result of a folder; see `sim.results.load_results`."""
    path = Path(folder)
    manifest = _read_manifest(path)
    if manifest["sums"] is None:
        problem = "holds an unfinished run"
        raise InputError(problem, where=path, expected="the same run again, to its end")
    if manifest["engine"] != ENGINE_VERSION:
        warnings.warn(
            f"{path}: played by engine {manifest['engine']}, this is engine {ENGINE_VERSION}: "
            "the same study gives other numbers now",
            stacklevel=3,
        )
    return Result(
        study=_study_of(manifest, path),
        sums=Sums.from_dict(manifest["sums"]),
        seconds=manifest["seconds"],
        compile_seconds=manifest["compile_seconds"],
        stopped_by=manifest.get("stopped_by") or "rounds",
        folder=path,
        version=manifest["version"],
    )


# --- the manifest ---------------------------------------------------------------------------------


def _manifest(
    study: Study,
    *,
    sums: Sums | None = None,
    version: str | None = None,
    stopped_by: str | None = None,
    seconds: float = 0.0,
    compile_seconds: float = 0.0,
    records: bool = False,
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kind": "run",
        "version": version or str(sim.__version__),
        "engine": ENGINE_VERSION,
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in ("numba", "numpy")},
        "fingerprint": study.fingerprint,
        "design_id": study.design_id,
        "rules_id": study.rules_id,
        "seed": study.seed,
        "unit": study.unit,
        "count": study.count,
        "ranges": [] if sums is None else [[0, study.count]],
        "finished": sums is not None,
        "stopped_by": stopped_by,
        "seconds": seconds,
        "compile_seconds": compile_seconds,
        "records": records,
        "study": study.to_dict(),
        "sums": None if sums is None else sums.to_dict(),
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
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        expected = "a folder written by baobei run --out"
        raise InputError("no results here", where=path, expected=expected) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=file) from None
    except ValueError as error:
        raise InputError(f"not valid JSON: {error}", where=file) from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("schema"), int):
        raise InputError("not the manifest of a run", where=file)
    if manifest["schema"] > SCHEMA:
        problem = "written by a newer version of the program"
        expected = f"schema {SCHEMA} or lower"
        raise InputError(problem, where=file, expected=expected, got=manifest["schema"])
    missing = next((key for key in _NEEDED if key not in manifest), None)
    if missing is not None:
        raise InputError("missing in the manifest", where=file, key=missing)
    return manifest


def _study_of(manifest: Mapping[str, Any], path: Path) -> Study:
    """Return the study that a manifest names, and check that it is still that study."""
    with within("study", path / MANIFEST):
        study = Study.from_dict(manifest["study"])
    if study.fingerprint != manifest["fingerprint"]:
        problem = "is not the study that was played: its fingerprint is another"
        raise InputError(problem, where=path / MANIFEST, key="study")
    return study


def _check_same(path: Path, study: Study) -> None:
    """Check that a folder with a manifest holds a run of this very study.

    Raises:
        InputError: It does not; says what differs.
    """
    held = _study_of(_read_manifest(path), path)
    if held.fingerprint != study.fingerprint:
        told = list(_differences(_essence(held), _essence(study)))
        more = "" if len(told) <= _DIFFERENCES_AT_MOST else ", ..."
        shown = ", ".join(told[:_DIFFERENCES_AT_MOST]) + more
        raise InputError(
            f"holds results of another study, which differs in {shown}",
            where=path,
            expected="a new folder",
        )


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


def _differences(held: Any, new: Any, key: str = "") -> Iterator[str]:
    """Yield what differs, as ``key (held, not new)``."""
    if isinstance(held, list) and isinstance(new, list) and len(held) == len(new):
        held, new = (dict(enumerate(part)) for part in (held, new))
    if isinstance(held, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*held, *new]):
            yield from _differences(held.get(name), new.get(name), f"{key}.{name}".lstrip("."))
    elif held != new:
        if isinstance(held, list):
            held, new = len(held), len(new)
        yield f"{key} ({_brief(held)}, not {_brief(new)})"


def _brief(value: Any) -> str:
    return "none" if value is None else show(value)


# --- files ----------------------------------------------------------------------------------------


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn what the file system refuses into an `InputError` that names the folder."""
    try:
        yield
    except OSError as error:
        problem = f"cannot be written to: {error.strerror or error}"
        raise InputError(problem, where=path, expected="a folder to write results into") from None
    except ValueError as error:  # a NUL in the path
        raise InputError(f"cannot be written to: {error}", where=show(str(path))) from None


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def _write_with(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file in the same folder, then give it its name at once."""
    temporary = _temporary(path)
    try:
        write(temporary)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    _write_with(path, lambda temporary: _put(temporary, text))


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _parquet(frame: Any) -> Callable[[Path], None]:
    """Return what writes a DataFrame as Parquet."""

    def write(path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, compression="zstd")

    return write
