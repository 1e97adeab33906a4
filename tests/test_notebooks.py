"""The notebooks: committed with outputs that tell nothing of a machine, and they run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
SCALE = "0.02"

PATHS = re.compile(
    r"/(home|root|tmp|usr|work|Users|var|opt)/|[A-Z]:\\\\|site-packages|0x[0-9a-f]{8,}"
)
TIMES = re.compile(r"\d+(\.\d+)? s\b|a second|rounds_per_second|it/s")


def read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def texts(output: dict[str, Any]) -> list[str]:
    """Return all that an output says, pictures apart."""
    parts = [output.get("text", "")] + [
        content for kind, content in output.get("data", {}).items() if kind.startswith("text")
    ]
    return ["".join(part) for part in parts]


def check(notebook: dict[str, Any]) -> None:
    """Check that all cells were executed, without warnings, and tell nothing of the machine."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    for output in outputs:
        assert output["output_type"] in ("execute_result", "display_data"), output
        for text in texts(output):
            assert not PATHS.search(text), text
            assert not TIMES.search(text), text
            assert "Warning" not in text
            assert "nan" not in text.replace("NaN", "").split()
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    assert all("execution" not in cell["metadata"] for cell in cells)


def test_there_are_four() -> None:
    assert len(NAMES) == 4


@pytest.mark.parametrize("name", NAMES)
def test_what_is_committed(name: str) -> None:
    path = FOLDER / f"{name}.ipynb"
    assert path.stat().st_size < 400_000
    check(read(path))


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    for cell in read(FOLDER / f"{name}.ipynb")["cells"]:
        for target in re.findall(r"\]\(([^)]+)\)", "".join(cell["source"])):
            assert (FOLDER / target).exists(), target


@pytest.mark.jit
def test_they_run_on_small_counts(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "refresh.py"), "--out", str(tmp_path)]
    settings = {"BAOBEI_NOTEBOOK_SCALE": SCALE, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for name in NAMES:
        fresh, committed = read(tmp_path / f"{name}.ipynb"), read(FOLDER / f"{name}.ipynb")
        check(fresh)
        sources = [[cell["source"] for cell in each["cells"]] for each in (fresh, committed)]
        assert sources[0] == sources[1]  # the scaled numbers leave no trace


def test_scaled_notebooks_never_replace_the_committed_ones() -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "refresh.py")],
        env=os.environ | {"BAOBEI_NOTEBOOK_SCALE": SCALE, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "name --out FOLDER" in done.stderr


def test_an_unknown_notebook_is_named() -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "refresh.py"), "nothing"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no such notebook: nothing; there are 1-first-study" in done.stderr
