"""Small inputs that failed once, as a user gives them: what is in `tests/cases/` and recipes."""

import csv
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sim.cli import main

CASES = Path(__file__).parent


def baobei(*arguments: Any, code: int = 0) -> str:
    """Return what a command says, on both streams, after its exit code has been checked."""
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == code, (arguments, done.output, done.exception)
    assert "Traceback" not in done.output
    return done.output


@pytest.mark.jit
@pytest.mark.parametrize("command", ["run", "tournament"])
def test_names_with_dollars(command: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    file = CASES / "dollar_name.toml"
    baobei(command, file, "--out", tmp_path / "out", "--report", page, "--quiet")
    assert "costs $5 or_so, wins $10" in page.read_text(encoding="utf-8")


@pytest.mark.jit
def test_names_that_look_like_formulas(tmp_path: Path) -> None:
    baobei("tournament", CASES / "formula_name.toml", "--out", tmp_path / "out", "--quiet")
    tables = sorted((tmp_path / "out").glob("*.csv"))
    assert tables
    for table in tables:
        with table.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                assert not any(cell[:1] in ("=", "@") for cell in row), table.name


@pytest.mark.jit
def test_whole_numbers_as_floats(tmp_path: Path) -> None:
    said = baobei("run", CASES / "whole_number_as_float.toml", "--quiet")
    assert "10,000 rounds, seed 1000" in said


@pytest.mark.parametrize(
    ("command", "name", "says"),
    [
        ("tournament", "control_characters", "players.0.name: expected one line of printable text"),
        ("sweep", "grid_before_limit", "expected at most 5,000 points"),
    ],
)
def test_what_is_refused(command: str, name: str, says: str, tmp_path: Path) -> None:
    said = baobei(command, CASES / f"{name}.toml", "--out", tmp_path / "out", code=2)
    assert says in said
    assert f"{name}.toml" in said
    assert "\x1b" not in said
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in the file system")
def test_files_without_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        assert "not a regular file" in baobei("list", "players", path, code=2)


def test_a_chain_of_bases_has_no_longest(tmp_path: Path) -> None:
    for k in range(1500):
        (tmp_path / f"p{k}.toml").write_text(f'base = "p{k + 1}.toml"\n')
    (tmp_path / "p1500.toml").write_text('base = "balanced"\n')
    assert "bao_threshold" in baobei("list", "players", tmp_path / "p0.toml")
    (tmp_path / "p1500.toml").write_text('base = "p0.toml"\n')
    assert "p0.toml" in baobei("list", "players", tmp_path / "p0.toml", code=2)


@pytest.mark.jit
@pytest.mark.parametrize(
    "arguments",
    [
        ("sweep", "--over", "0.bao_threshold=2,4", "--rounds", "1"),
        ("sweep", "--over", "0.bao_threshold=2,4", "--games", "2", "--rule", "max_rounds=1"),
        ("tournament", "--players", "sharp,random", "--rounds", "4"),
        ("compare", "--rule", "recycle_limit=1", "--rounds", "4"),
    ],
)
def test_few_rounds_leave_numbers(arguments: tuple[str, ...], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    baobei(*arguments, "--out", tmp_path / "out", "--report", page, "--quiet")
    assert (tmp_path / "out" / "summary.json").exists()
    assert page.exists()


@pytest.mark.jit
def test_what_a_killed_process_left_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / "out" / ".matrix.parquet.4194305.part"
    left.parent.mkdir()
    left.write_text("torn")
    arguments = ("tournament", "--players", "balanced,sharp", "--rounds", "200", "--quiet")
    baobei(*arguments, "--out", tmp_path / "out")
    assert not list((tmp_path / "out").glob(".*.part"))
