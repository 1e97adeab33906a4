"""Folders as version 0.1 left them when it was interrupted are still resumed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.game.study import Study

pytestmark = pytest.mark.jit

BASE = Study.of(players="random,random", rounds=6, seed=5)

KINDS: dict[str, Callable[..., Any]] = {
    "run": lambda **options: sim.run(BASE, **options),
    "sweep": lambda **options: sim.sweep(BASE, {"rules.recycle_limit": [1, 2]}, **options),
    "comparison": lambda **options: sim.compare(
        BASE, rules={"recycle_limit": 2}, rotate=False, **options
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_older_version_left_is_resumed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.results.sweep.SweepResult.pictures", lambda _: {})
    folder = tmp_path / "there"
    shutil.copytree(Path(__file__).parent / "older" / kind, folder)
    told: list[int] = []
    found = KINDS[kind](out=folder, progress=lambda done, _: told.append(done))
    fresh = KINDS[kind](out=tmp_path / "fresh")
    assert found.sums == fresh.sums
    assert told[0] > (2 if kind == "run" else 0)  # what was finished is not played again
    assert {file.name for file in folder.iterdir()} == {
        file.name for file in (tmp_path / "fresh").iterdir()
    }
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["finished"]
    assert {"python", "numba", "numpy"} <= set(manifest)
