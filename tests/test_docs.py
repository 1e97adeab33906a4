"""The pages in docs/ and the README: what they tell to type works, with smaller numbers."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.cli import main

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
RUN_HERE = [page for page in PAGES if page.stem != "extending"]  # see test_extending.py
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
        yield found[1], smaller(found[2]), whole.count("\n", 0, found.start(2))


def run_commands(text: str) -> None:
    """Give the program's commands, one a line."""
    for line in text.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        assert program == "baobei"
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, (line, done.stderr)


def write_file(text: str) -> None:
    """Write what begins with the comment ``# NAME.toml`` into a file of that name."""
    named = re.match(r"# (\S+\.toml)$", text, re.M)
    if named:
        Path(named[1]).write_text(text, encoding="utf-8")


def run_page(page: Path) -> None:
    """Do what a page says, in the current folder; its Python is one program, block after block."""
    Path("early.toml").write_text(EARLY)
    names = {"__name__": "docs"}
    for language, text, line in blocks(page):
        if "dask" in text and language != "bash":
            pytest.importorskip("distributed", reason="Dask is not installed")
        for package in ("polars", "duckdb"):
            if f"import {package}" in text:
                pytest.importorskip(package, reason=f"{package} is not installed")
        if language == "sh":
            run_commands(text)
        elif language == "toml":
            write_file(text)
        elif language == "python":
            # Empty lines before it, so that a traceback shows the line of the page.
            exec(compile("\n" * line + text, str(page), "exec"), names)


@pytest.mark.parametrize("page", RUN_HERE, ids=lambda page: page.stem)
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_slurm_array(tmp_path: Path) -> None:
    """The scripts of the page, each job run by bash, in place of Slurm."""
    array, merge = (
        text for language, text, _ in blocks(ROOT / "docs/clusters.md") if language == "bash"
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
    from sim.records import COLUMNS

    text = (ROOT / "docs" / "long-runs.md").read_text("utf-8")
    for column in COLUMNS:
        unit = column.unit or "–"
        assert f"| `{column.name}` | {column.type} | {unit} | {column.description} |" in text


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
