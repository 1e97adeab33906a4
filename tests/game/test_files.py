"""Files of users: whatever they are, reading comes to an end, and what is wrong is told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sim
from analysis.report import report
from sim.errors import InputError
from sim.game.files import (
    JSON_BYTES,
    MAX_DEPTH,
    TOML_BYTES,
    parse_json,
    parse_value,
    read_json,
    read_toml,
)
from sim.store.journal import read_journal

LOADERS: dict[str, Callable[[Path], Any]] = {
    "player": sim.load_player,
    "deck": sim.load_deck,
    "study": sim.load_study,
    "sweep": sim.load_sweep,
    "tournament": sim.load_tournament,
    "scenario": sim.check,
    "json": read_json,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("load", LOADERS.values(), ids=LOADERS)
def test_what_is_no_regular_file_is_not_waited_for(
    load: Callable[[Path], Any], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    for path in (tmp_path / "pipe.toml", Path("/dev/zero")):
        with pytest.raises(InputError, match=f"^{path}: not a regular file, expected a") as caught:
            load(path)
        assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(InputError, match="is a folder"):
        load(tmp_path)


@pytest.mark.parametrize("load", LOADERS.values(), ids=LOADERS)
def test_a_file_too_large_is_not_read(load: Callable[[Path], Any], tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    with file.open("wb") as made:
        made.truncate(2**40)  # without a byte on the disk
    with pytest.raises(InputError, match=r"a.toml: too large: 1,099,511,627,776 bytes"):
        load(file)
    assert TOML_BYTES < JSON_BYTES < 2**40


def test_pipes_in_folders(tmp_path: Path) -> None:
    for name in ("manifest.json", "journal.txt"):
        os.mkfifo(tmp_path / name)
    for load in (sim.load_results, sim.load_comparison, lambda folder: report([folder])):
        with pytest.raises(InputError, match=r"manifest.json: not a regular file"):
            load(tmp_path)  # type: ignore[operator]
    with pytest.raises(InputError, match=r"journal.txt: not a regular file"):
        list(read_journal(tmp_path / "journal.txt"))


# --- texts ----------------------------------------------------------------------------------------

DEEP = {
    "arrays": "a = " + "[" * 100_000,
    "closed arrays": "a = " + "[" * 150 + "]" * 150,
    "tables": "a = " + "{b=" * 100_000,
    "dotted key": "b." * 100_000 + "c = 1",
    "quoted key": "'b' . " * 100_000 + "c = 1",
    "dotted table": "[" + "b." * 100_000 + "c]",
    "dots beyond the limit": "b." * (MAX_DEPTH + 1) + "c = 1",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_toml_is_told_at_once(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(InputError, match=r"a.toml: not usable TOML: nested too deeply"):
        read_toml(tmp_path / "a.toml")


def test_dots_are_no_depth(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f"# {'.' * 500}\na = '{'. ' * 500}'\nb.c.d = 1\n")
    assert read_toml(tmp_path / "a.toml")["b"] == {"c": {"d": 1}}


WRONG_JSON = {
    "deep": ("[" * 100_000, "nested too deeply"),
    "deep and closed": ("[" * 200 + "]" * 200, "nested too deeply"),
    "deep objects": ('{"a":' * 100_000, "nested too deeply"),
    "twice": ('{"x": {"a": 1, "b": 2, "a": 3}}', '"a" twice in one object'),
    "none": ('{"a": NaN}', "NaN is no number"),
    "infinite": ('{"a": -Infinity}', "-Infinity is no number"),
    "long": ('{"a": ' + "1" * 5000 + "}", "a number is too long"),
    "torn": ('{"a": 1', "Expecting"),
}


@pytest.mark.parametrize(("text", "says"), WRONG_JSON.values(), ids=WRONG_JSON)
def test_wrong_json(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=says):
        parse_json(text)
    with pytest.raises(ValueError, match=says):
        parse_json(text.encode())
    (tmp_path / "manifest.json").write_text(text)
    for load in (sim.load_results, sim.load_comparison, lambda folder: report([folder])):
        with pytest.raises(InputError, match=rf"manifest.json: not valid JSON: {says}"):
            load(tmp_path)  # type: ignore[operator]


def test_json_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"a":\n"\xff"}')
    with pytest.raises(InputError, match=r"a.json: line 2: not UTF-8 text"):
        read_json(tmp_path / "a.json")
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf[1]")
    assert read_json(tmp_path / "a.json") == [1]
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3", 3), ("3.0", 3.0), ("true", True), ("at_once", "at_once"), ("[0, 2]", [0, 2]),
     ("{ 2 = 6 }", {"2": 6}), ("3\nb = 4", "3\nb = 4"), ("3 # so", 3), ("", ""), ("[", "[")],
)  # fmt: skip
def test_values_are_written_as_in_toml(text: str, expected: Any) -> None:
    assert parse_value(text) == expected


# --- chains ---------------------------------------------------------------------------------------


def chain(folder: Path, length: int, last: str) -> Path:
    """Write files of which each has the next one as its base, and return the first."""
    for k in range(length):
        (folder / f"p{k}.toml").write_text(f'base = "p{k + 1}.toml"\n')
    (folder / f"p{length}.toml").write_text(last)
    return folder / "p0.toml"


def test_a_chain_of_bases_may_be_long(tmp_path: Path) -> None:
    first = chain(tmp_path, 1500, 'base = "balanced"\nbao_threshold = 3\n')
    expected = sim.load_player("balanced").with_changes(bao_threshold=3, name="p0")
    assert sim.load_player(first) == expected
    deck = chain(tmp_path, 60, 'base = "five_per_value"\nchange.macaw.copies = 1\n')
    assert sim.load_deck(deck).name == "p0"
    nested: dict[str, Any] = {"base": "balanced"}
    for _ in range(1500):
        nested = {"base": nested}
    assert sim.Player.of(nested) == sim.load_player("balanced")


def test_a_mistake_far_down_a_chain_is_told_where_it_is(tmp_path: Path) -> None:
    first = chain(tmp_path, 400, 'base = "balnced"\n')
    with pytest.raises(InputError, match=r"^\S+/p400.toml: base: no such player"):
        sim.load_player(first)
    first = chain(tmp_path, 400, 'base = "balanced"\nattenion = 1\n')
    with pytest.raises(InputError, match=r"^\S+/p400.toml: attenion: no such parameter"):
        sim.load_player(first)
    first = chain(tmp_path, 4, 'base = "p2.toml"\n')
    with pytest.raises(InputError, match=r"p2.toml: base: a circle of bases: p0.toml -> .*p2.toml"):
        sim.load_player(first)
    with pytest.raises(InputError, match=r"^base.base.attenion: no such parameter"):
        sim.Player.of({"base": {"base": {"base": "balanced", "attenion": 1}}})
    (tmp_path / "a.toml").write_text('base = { base = { base = "none.toml" } }\n')
    with pytest.raises(InputError, match=r"^\S+a.toml: base.base.base: no such file '"):
        sim.load_player(tmp_path / "a.toml")


@pytest.mark.jit
def test_a_manifest_nested_deeply_does_not_stop_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (sim.Comparison, sim.SweepResult):
        monkeypatch.setattr(kind, "pictures", lambda self: {})
    study = sim.Study.of(players="sharp,random", rounds=20)
    sim.run(study, out=tmp_path / "run")
    sim.compare(study, rules={"peeks": 1}, out=tmp_path / "compare")
    sim.sweep(study, {"0.bao_threshold": [2, 3]}, out=tmp_path / "sweep")
    again: dict[str, Callable[[Path], Any]] = {
        "run": lambda out: sim.run(study, out=out),
        "compare": lambda out: sim.compare(study, rules={"peeks": 1}, out=out),
        "sweep": lambda out: sim.sweep(study, {"0.bao_threshold": [2, 3]}, out=out),
    }
    for name, play in again.items():
        file = tmp_path / name / "manifest.json"
        whole = json.loads(file.read_text())
        for depth in (90, 900, 100_000):
            deep = "[" * depth + "]" * depth
            file.write_text(
                json.dumps(whole | {"study": 0}).replace('"study": 0', f'"study": {deep}')
            )
            with pytest.raises(
                InputError, match=r"manifest.json: not valid JSON: nested too deeply"
            ):
                play(tmp_path / name)
