"""A damaged file of results is told in one line that names file and place; never a traceback."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.report import pictures, report
from sim.errors import InputError

KINDS = ("run", "games", "comparison", "sweep", "tournament")
DAMAGES: tuple[Any, ...] = ("missing", "abc", None, {}, [], -5, True)
PLACES = 25


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in a file; of a list only the first two entries."""
    if path:
        yield path
    entries = content.items() if isinstance(content, dict) else ()
    for key, value in list(enumerate(content))[:2] if isinstance(content, list) else entries:
        yield from places(value, (*path, key))


def damaged(content: Any, path: tuple[Any, ...], damage: Any) -> str:
    """Return a file in which something is missing or of another type."""
    content = json.loads(json.dumps(content))
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    if damage == "missing":
        del inner[path[-1]]
    else:
        inner[path[-1]] = damage
    return json.dumps(content)


@pytest.mark.parametrize(("name", "part"), [("summary.json", None), ("manifest.json", "study")])
@pytest.mark.parametrize("kind", KINDS)
def test_any_damage_is_told_or_does_not_matter(
    kind: str,
    name: str,
    part: str | None,
    folders: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pictures, "drawn", lambda *args: ("", ""))
    folder = tmp_path / "results"
    shutil.copytree(folders[kind], folder)
    file = folder / name
    content = json.loads(file.read_text(encoding="utf-8"))
    whole = [path for path in places(content) if part in (None, path[0])]
    told = []
    for path in random.Random(kind).sample(whole, min(PLACES, len(whole))):
        for damage in DAMAGES:
            file.write_text(damaged(content, path, damage), encoding="utf-8")
            try:
                report([folder])
            except InputError as error:
                told.append(str(error))
    assert len(told) > PLACES
    assert all(f"{folder}/" in text and ".json: " in text for text in told)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, r"summary.json: not the summary of a run"),
        ({"schema": 99}, r"summary.json: written by a newer version .* schema 1 or lower, got 99"),
        ({"schema": 1, "rounds": 3}, r"summary.json: rounds: damaged: .* expected 2000, got 3"),
    ],
)
def test_what_is_told(
    content: dict[str, Any], message: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(folders["run"], tmp_path / "run")
    (tmp_path / "run" / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        report([tmp_path / "run"])


def test_a_number_that_is_none(folders: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(folders["run"], tmp_path / "run")
    file = tmp_path / "run" / "summary.json"
    summary = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(damaged(summary, ("players", 0, "win_share"), "abc"), encoding="utf-8")
    expected = r'summary.json: players.0.win_share: damaged: .* expected 0\.\d+, got "abc"'
    with pytest.raises(InputError, match=expected):
        report([tmp_path / "run"])
    file.write_text(json.dumps(summary), encoding="utf-8")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    text = damaged(manifest, ("study", "players"), [])
    (tmp_path / "run" / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"manifest.json: study.players: expected 2 to 6 players"):
        report([tmp_path / "run"])
