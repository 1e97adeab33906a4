"""Reads results: folders of runs, comparisons, sweeps and tournaments, or results in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.report.parts import Source
from analysis.report.shapes import check_schema, check_summary, resolved_study
from sim.errors import InputError, one_of, read_json

KINDS = ("run", "comparison", "sweep", "tournament")

_HOLDERS = ("study", "sweep", "tournament")
_EXPECTED = "a folder written by baobei run, compare, sweep or tournament"


def read(source: Any) -> Source:
    """Return what a folder, or a result in memory, has to tell.

    Args:
        source: A path; or an object with ``summary()``, and with ``study``, ``sweep`` or
            ``tournament``, which is what was played.

    Raises:
        InputError: There are no results in the folder, or none that are finished or readable.
    """
    if hasattr(source, "summary"):
        return _of_result(source)
    return _of_folder(Path(source))


# --- in memory ------------------------------------------------------------------------------------


def _of_result(result: Any) -> Source:
    summary = result.summary()
    kind = summary.get("kind", "run")
    folder = getattr(result, "folder", None)
    name = Path(folder).name if folder else ""
    if kind == "comparison":
        sides = tuple(_of_result(side) for side in (result.a, result.b))
        tables = {"differences": result.differences}
        study = result.comparing.to_dict()
        return Source(kind, name, summary, study, tables, sides, sides[0].engine)
    played = next(getattr(result, holder) for holder in _HOLDERS if hasattr(result, holder))
    tables = result.tables() if kind != "run" else _kept(result)
    engine = getattr(result, "engine", None)
    return Source(kind, name, summary, played.to_dict(), tables, engine=engine)


def _kept(result: Any) -> dict[str, Any]:
    """Return a run's calibration, and its records if it has kept any in memory or its folder."""
    tables = {"calibration": result.calibration}
    if result.kept is not None:
        return tables | {"records": result.kept}
    return tables if result.folder is None else tables | _records(Path(result.folder))


# --- folders --------------------------------------------------------------------------------------


def _of_folder(path: Path) -> Source:
    manifest = _json(path / "manifest.json", path)
    kind = manifest.get("kind", "run")
    if kind not in KINDS:
        problem = f"holds the results of a {kind}"
        raise InputError(problem, where=path, expected=f"those of a {one_of(KINDS, quote='')}")
    check_schema(manifest, path)
    if kind == "run" and not manifest.get("finished"):
        return _unfinished(path)
    if not (path / "summary.json").exists():
        raise InputError(
            "not finished yet", where=path, expected=f"the same {kind} again, to its end"
        )
    summary = _json(path / "summary.json", path)
    check_summary(kind, summary, path / "summary.json")
    study = resolved_study(kind, manifest.get("study"), path / "manifest.json")
    sides: tuple[Source, ...] = ()
    if kind == "comparison":
        sides = tuple(_of_folder(path / side) for side in "ab" if (path / side).is_dir())
    tables = _of_run(path, manifest) if kind == "run" else _tables(path)
    return Source(kind, path.resolve().name, summary, study, tables, sides, manifest.get("engine"))


def _unfinished(path: Path) -> Source:
    """Return what is finished of a run, out of its journal."""
    from dataclasses import replace

    from sim.results import load_results

    return replace(_of_result(load_results(path)), name=path.resolve().name)


def _json(file: Path, folder: Path) -> dict[str, Any]:
    try:
        content = read_json(file)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("no results here", where=folder, expected=_EXPECTED) from None
    if not isinstance(content, Mapping):
        raise InputError("not the file of a result", where=file)
    return dict(content)


def _of_run(path: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a finished run: its records, and its calibration out of its sums."""
    from analysis.sweeping import calibration_frame
    from sim.results import calibration_of
    from sim.sums import Sums

    try:
        sums = Sums.from_dict(manifest["sums"])
        rows = list(calibration_of(sums, range(len(manifest["study"]["players"]))))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        problem = f"damaged: {type(error).__name__}: {error}"
        raise InputError(problem, where=path / "manifest.json", key="sums") from None
    return {"calibration": calibration_frame(rows), **_records(path)}


def _records(path: Path) -> dict[str, Any]:
    """Return what plots take of a run's records, where it has any."""
    file = path / "records.parquet"
    if not file.exists():
        return {}
    return {"records": _table(file, ["index", "seat", "score"])}


def _tables(path: Path) -> dict[str, Any]:
    """Return the tables of a folder by name."""
    return {file.stem: _table(file) for file in sorted(path.glob("*.parquet"))}


def _table(file: Path, columns: list[str] | None = None) -> Any:
    import pandas as pd
    from pyarrow import ArrowException

    try:
        with file.open("rb") as opened:
            return pd.read_parquet(opened, columns=columns)
    except (OSError, ValueError, ArrowException) as error:
        raise InputError(f"cannot be read: {error}", where=file) from None
