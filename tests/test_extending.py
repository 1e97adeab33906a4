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
from tests.test_docs import blocks, write_file

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

WINS = {"bao_tie": "wins"}
FLOODS = {"base": "five_per_value", "change": {"barn_owl": {"power": "flood"}}}

test_options.test_every_option_has_a_case()
for study in (
    {"players": [test_options.DICE] * 3, "deck": FLOODS},
    {"players": [test_options.CALLER] * 3, "deck": test_options.TWINS, "rules": WINS},
):
    study = sim.Study.of(**study, rounds=30, seed=3).with_changes(rules={"max_turns": 200})
    for index in range(30):
        test_oracle_replay.replay(trace(study, index))
test_counting.test_sums_are_what_event_logs_say(2, "second", False)
for kind in test_parameters.KINDS:
    test_parameters.test_every_parameter_has_a_case(kind)
for case in test_parameters.CASES:
    if case.parameter in ("bao_patience", "keep_at_most"):
        test_parameters.test_parameter_changes_play_in_the_right_direction(case)
"""

EVERYTHING = """
from pathlib import Path
from analysis.words import languages
from tests.analysis.words import test_languages
from tests.test_docs import run_commands
from tests.watch import test_scenario

Path("hurried.toml").write_text('base = "balanced"\\nbao_patience = 5\\n')
Path("guest.toml").write_text('kind = "guest"\\n')
Path("floods.toml").write_text('base = "five_per_value"\\n[change.barn_owl]\\npower = "flood"\\n')
CHANGED = "--players hurried.toml,guest.toml,guest.toml --deck floods.toml --rule bao_tie=wins"
run_commands(f"baobei run {CHANGED} --rounds 40 --records --out run")
run_commands("baobei compare --players guest.toml,random,random,random --rule bao_tie=wins "
             "--rounds 20 --out b")
run_commands("baobei sweep --over rules.bao_tie=fails,wins --over 0.bao_patience=0,9 "
             "--players balanced,guest.toml --rounds 20 --out c")
run_commands("baobei tournament --players guest.toml,balanced,hurried.toml --deck floods.toml "
             "--seats 2 --rounds 60 --out d")
for folder in ("run", "b", "c", "d"):
    for code in languages():
        run_commands(f"baobei report {folder} --out page.html --lang {code}")
for what in ("rules", "players", "metrics", "decks"):
    for form in ("", "--json"):
        run_commands(f"baobei list {what} {form}")
run_commands("baobei list players guest.toml hurried.toml")
run_commands("baobei trace --players guest.toml,balanced --deck floods.toml --explain")
for code in test_languages.OTHERS:
    test_languages.test_all_keys(code)
    test_languages.test_same_places_to_fill_in(code)
    test_languages.test_nothing_left_in_english(code)
for path in test_scenario.FILES:
    if path.stem.startswith(("flood", "tie")):
        test_scenario.test_scenario(path)
"""

LACKING = """
from analysis.words import language
from tests.test_docs import run_commands

Path("guest.toml").write_text('kind = "guest"\\n')
run_commands("baobei run --players guest.toml,guest.toml --rounds 10 --out run")
run_commands("baobei report run --out page.html --lang it")
assert language("it").text("kind.guest") == "guest"
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
        if patch not in tests and "/words/" not in patch.path:
            patch.apply(copy)
    python(copy, MISSING, tmp_path / "missing")
    python(copy, LACKING, tmp_path / "lacking")
    for patch in CHANGES:
        if patch in tests or "/words/" in patch.path:
            patch.apply(copy)
    for _, text, _ in blocks(PAGE):
        if "[expect]" in text:
            write_file(text, copy / "tests" / "scenarios")
    python(copy, PRESENT + THE_PAGE, tmp_path / "page")
    python(copy, EVERYTHING, tmp_path / "everything")
    ruff = [sys.executable, "-m", "ruff"]
    files = [str(copy / patch.path) for patch in CHANGES if patch.path.endswith(".py")]
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
