"""The pages in docs/ and the README: what they tell to type works, with smaller numbers."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.cli import main

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
RUN_HERE = [page for page in PAGES if page.stem != "extending"]  # see test_extending.py
NAMES = [str(page.relative_to(ROOT)) for page in RUN_HERE] + ["README.md"]
SMALLER = 2000
"""What numbers of 100,000 and more are divided by."""

EARLY = 'players = ["balanced", "sharp"]\nrounds = 1_000_000\nseed = 7\n'


def smaller(text: str) -> str:
    """Return a text with all its large numbers smaller."""

    def number(found: re.Match[str]) -> str:
        value = float(found[0].replace("_", "").replace(",", ""))
        return str(int(value / SMALLER)) if value >= 100_000 else found[0]

    return re.sub(r"(?<![\w.])\d[\d_]*(?:e\d+)?(?![\w.])", number, text)


def blocks(page: Path) -> Iterator[tuple[str, str, int]]:
    """Yield language, content and first line of a page's blocks of code."""
    whole = page.read_text("utf-8")
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", whole, re.M | re.S):
        yield found[1], found[2], whole.count("\n", 0, found.start(2))


def run_commands(text: str) -> str:
    """Give the program's commands, one a line; what the last one prints."""
    printed = ""
    for line in text.splitlines():
        program, *arguments = shlex.split(line, comments=True) or [""]
        if not program:
            continue
        assert program == "baobei"
        if arguments[0] == "run" and not {"--rounds", "--games"} & set(arguments):
            arguments += [] if "--max-rounds" in arguments else ["--max-rounds", "500"]
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, (line, done.stderr)
        printed = done.stdout
    return printed


def shows(block: str, printed: str) -> bool:
    """Whether a block shows what was printed; ``...`` on a line of its own leaves lines out."""
    lines = [line.rstrip() for line in printed.splitlines()]
    at = 0
    for part in block.split("...\n"):
        wanted = part.splitlines()
        starts = range(at, len(lines) - len(wanted) + 1)
        at = next((k for k in starts if lines[k : k + len(wanted)] == wanted), -1)
        if at < 0:
            return False
        at += len(wanted)
    return True


def write_file(text: str, folder: Path = Path()) -> None:
    """Write what begins with the comment ``# NAME.toml`` into a file of that name."""
    named = re.match(r"# (\S+\.toml)$", text, re.M)
    if named:
        (folder / named[1]).write_text(text, encoding="utf-8")


def run_page(page: Path) -> None:
    """Do what a page says, in the current folder; its Python is one program, block after block.

    Commands are given as they stand where a block ``text`` follows that shows what they print;
    elsewhere with smaller numbers.
    """
    Path("early.toml").write_text(EARLY)
    names = {"__name__": "docs"}
    whole = list(blocks(page))
    exactly = any(language == "text" for language, _, _ in whole)
    printed = ""
    for (language, text, line), (following, *_) in pairwise([*whole, ("", "", 0)]):
        if "dask" in text and language != "bash":
            pytest.importorskip("distributed", reason="Dask is not installed")
        for package in ("polars", "duckdb"):
            if f"import {package}" in text:
                pytest.importorskip(package, reason=f"{package} is not installed")
        if language == "sh":
            printed = run_commands(text if following == "text" else smaller(text))
        elif language == "text":
            assert shows(text, printed), f"{page.name}, line {line}: now it prints\n{printed}"
        elif language == "toml":
            write_file(text if exactly else smaller(text))
        elif language == "python":
            # Empty lines before it, so that a traceback shows the line of the page.
            code = compile("\n" * line + smaller(text), str(page), "exec")
            exec(code, names)


def test_what_is_shown_is_compared() -> None:
    printed = "one\ntwo  \nthree\nfour\n"
    assert shows("one\ntwo\n", printed)
    assert shows("one\n...\nfour\n", printed)
    assert not shows("one\nthree\n", printed)
    assert not shows("four\n...\none\n", printed)


@pytest.mark.jit
def test_readme_shows_what_its_first_command_prints() -> None:
    """All million rounds of it, but for the times in the last line."""
    text = (ROOT / "README.md").read_text("utf-8")
    shown = re.search(r"The first prints:\n\n(( {4}.*\n|\n)+)", text)
    assert shown is not None
    wanted = [line.removeprefix("    ").rstrip() for line in shown[1].strip("\n").splitlines()]
    done = CliRunner().invoke(main, ["run"])
    assert done.exit_code == 0
    said = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
    assert said[:-1] == wanted[:-1]
    timed = re.compile(r"1,000,000 rounds played in [\d.]+ s, [\d,]+ a second")
    assert timed.match(said[-1])
    assert timed.match(wanted[-1])


@pytest.mark.parametrize("name", NAMES)
def test_pages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / name)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_slurm_array(tmp_path: Path) -> None:
    """The scripts of the page, each job run by bash, in place of Slurm."""
    array, merge = (
        smaller(text)
        for language, text, _ in blocks(ROOT / "docs/clusters.md")
        if language == "bash"
    )
    (tmp_path / "early.toml").write_text(EARLY)
    programs = {"baobei": f'exec {sys.executable} -m sim "$@"', "srun": 'exec "$@"'}
    for name, line in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for task in range(20):
        environment = {**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": str(task)}
        subprocess.run(["bash", "-ec", array], cwd=tmp_path, env=environment, check=True)
    subprocess.run(["bash", "-ec", merge], cwd=tmp_path, env=environment, check=True)
    from sim import load_results

    whole = load_results(tmp_path / "whole")
    assert whole.summary()["rounds"] == 10**9 // SMALLER
    assert whole.stopped_by == "rounds"


def test_columns_of_records_are_those_that_exist() -> None:
    from sim.store.rows import COLUMNS

    text = (ROOT / "docs" / "long-runs.md").read_text("utf-8")
    for column in COLUMNS:
        unit = column.unit or "–"
        assert f"| `{column.name}` | {column.type} | {unit} | {column.description} |" in text


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
