"""What the tests of long runs share: a small study, and what has to be the same, byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from analysis.results.run import Result
from sim.game.study import Study
from sim.store.files import locked
from sim.store.folder import hold

TABLES = ("seats.parquet", "metrics.parquet", "histograms.parquet", "records.parquet")
TIMES = ("seconds", "rounds_per_second", "version")
"""What may differ (contracts, section 2)."""


def study(**changes: Any) -> Study:
    """Return a small study."""
    given: dict[str, Any] = {"players": ["balanced", "sharp", "random"], "seed": 7}
    if "games" not in changes:
        given["rounds"] = 3000
    return Study.of(**(given | changes))


def stable(result: Result | dict[str, Any]) -> str:
    """Return a summary as JSON text without what may differ."""
    summary = result.summary() if isinstance(result, Result) else result
    return json.dumps({key: summary[key] for key in summary if key not in TIMES})


def content(folder: Path) -> dict[str, Any]:
    """Return the stable part of a folder's summary and the bytes of its tables."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    files = {name: folder / name for name in TABLES}
    tables = {name: path.read_bytes() for name, path in files.items() if path.exists()}
    return {"summary.json": stable(summary), **tables}


def prepare(folder: Path, study: Study) -> Path:
    """Make a folder that of a run of which nothing is finished."""
    with locked(folder) as path:
        hold(path, study, records=False)
    return path


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start the program as a process of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "sim", *arguments]
    return subprocess.Popen(command, text=True, **(pipes | options))


def python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python as a process of its own, to its end."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


class Once(Executor):
    """Runs everything at once, and fails in the way asked for after some calls."""

    def __init__(self, error: BaseException | None = None, after: int = 5) -> None:
        self.error, self.after, self.calls = error, after, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        if self.error is not None and self.calls > self.after:
            future.set_exception(self.error)
        else:
            future.set_result(fn(*args))
        return future
