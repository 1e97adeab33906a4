"""docs/extending.md: its changes fit the sources, and do what the page says.

All of them are applied to a copy of the sources, which is then run as plain Python: to compile it
would take a minute.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patches import DoesNotFit, Patch, patches

pytestmark = pytest.mark.jit  # once is enough

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "extending.md"
CHANGES = list(patches(PAGE.read_text("utf-8")))

MISSING = """
import pytest
from tests.engine import test_options
from tests.policies import test_parameters

for check, case in [
    (test_options.test_every_option_has_a_case, "bao_tie"),
    (lambda: test_parameters.test_every_parameter_has_a_case("heuristic"), "bao_patience"),
    (lambda: test_parameters.test_every_parameter_has_a_case("guest"), "keep_at_most"),
]:
    with pytest.raises(AssertionError):
        check()
"""

PRESENT = """
import sim
from sim import trace
from tests.engine import test_counting, test_options, test_oracle_replay
from tests.policies import test_parameters

FLOODS = {"base": "five_per_value", "change": {"barn_owl": {"power": "flood"}}}

test_options.test_every_option_has_a_case()
for case in test_options.CASES:
    if case.option == "bao_tie":
        test_options.test_option_changes_something_in_the_right_direction(case, "second")
        for index in range(30):
            log = trace(test_options.study(case, "first", "wins"), index)
            test_oracle_replay.replay(log)
floods = sim.Study.of(
    players=[test_options.DICE] * 3, deck=FLOODS, rules={"max_turns": 200}, rounds=30, seed=3
)
for index in range(30):
    test_oracle_replay.replay(trace(floods, index))
test_counting.test_sums_are_what_event_logs_say(2, "second", False)
for kind in test_parameters.KINDS:
    test_parameters.test_every_parameter_has_a_case(kind)
for case in test_parameters.CASES:
    if case.parameter in ("bao_patience", "keep_at_most"):
        test_parameters.test_parameter_changes_play_in_the_right_direction(case)
"""

THE_PAGE = """
from pathlib import Path
import sim
from tests.test_docs import run_page

assert Path(sim.__file__).is_relative_to(ROOT), sim.__file__
run_page(ROOT / "docs" / "extending.md")
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of all that the page is about."""
    leave_out = shutil.ignore_patterns("__pycache__", "golden", ".*")
    for folder in ("sim", "analysis", "tests", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / "copy" / folder, ignore=leave_out)
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "copy")
    return tmp_path / "copy"


def python(copy: Path, code: str, folder: Path) -> None:
    """Run Python in the copy, without compiling."""
    folder.mkdir()
    settings = {"PYTHONPATH": str(copy), "NUMBA_DISABLE_JIT": "1", "BAOBEI_TEST_SCALE": "0.2"}
    settings |= {"PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, "-c", f"from pathlib import Path\nROOT = Path({str(copy)!r})\n{code}"],
        cwd=folder,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page(copy: Path, tmp_path: Path) -> None:
    """Without their cases new options and parameters are found; with them all is well."""
    tests = [patch for patch in CHANGES if Path(patch.path).name.startswith("test_")]
    for patch in CHANGES:
        if patch not in tests:
            patch.apply(copy)
    python(copy, MISSING, tmp_path / "missing")
    for patch in tests:
        patch.apply(copy)
    python(copy, PRESENT + THE_PAGE, tmp_path / "page")
    ruff = [sys.executable, "-m", "ruff"]
    files = [str(copy / patch.path) for patch in CHANGES]
    for check in (["check"], ["format", "--check"]):
        done = subprocess.run([*ruff, *check, "--no-cache", *files], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


# --- the reader of changes ------------------------------------------------------------------------

OLD = "one\ntwo\nthree\ntwo and a half\n"


def change(*lines: str, old: str = "a/x.py") -> Patch:
    (patch,) = patches("\n".join(["```diff", f"--- {old}", "+++ b/x.py", *lines, "```"]))
    return patch


def test_changes_are_made_at_their_places(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(OLD)
    change("@@", " one", "+and", " two", "@@", "-three").apply(tmp_path)
    assert (tmp_path / "x.py").read_text() == "one\nand\ntwo\ntwo and a half\n"


def test_a_new_file(tmp_path: Path) -> None:
    change("@@", "+one", "+", "+two", old="/dev/null").apply(tmp_path)
    assert (tmp_path / "x.py").read_text() == "one\n\ntwo\n"
    with pytest.raises(DoesNotFit, match=r"x\.py: is there already"):
        change("@@", "+one", old="/dev/null").apply(tmp_path)


def test_a_place_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(DoesNotFit, match=r"x\.py: no such file"):
        change("@@", " one", "+and").apply(tmp_path)
    (tmp_path / "x.py").write_text(OLD + "one\n")
    with pytest.raises(DoesNotFit, match=r"x\.py: found 0 times instead of once:\nfour"):
        change("@@", " four", "+five").apply(tmp_path)
    with pytest.raises(DoesNotFit, match=r"x\.py: found 2 times instead of once:\none"):
        change("@@", " one", "+and").apply(tmp_path)


@pytest.mark.parametrize(
    "page",
    ["```diff\n one\n```\n", "```diff\n--- a/x.py\n+++ b/x.py\n```\n"],
    ids=["no file", "no place"],
)
def test_a_change_of_another_form_is_refused(page: str) -> None:
    with pytest.raises(DoesNotFit):
        list(patches(page))


def test_a_line_without_a_mark_is_refused() -> None:
    with pytest.raises(DoesNotFit, match="begins with"):
        change("@@", "one")
