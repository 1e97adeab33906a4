"""The standard studies: every file can be played, and what is committed agrees with a short run."""

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sim.outcomes import sweep, tournament
from sim.sweeps import Sweep, load_sweep
from sim.tournaments import Tournament, load_tournament

pytestmark = pytest.mark.jit

RESULTS = Path(__file__).parents[2] / "results"
STUDIES = sorted((RESULTS / "studies").glob("*.toml"))
HELD = [path for path in STUDIES if (RESULTS / path.stem / "summary.json").exists()]

SIGMAS = 5.0
"""How far two results may lie apart, in standard errors; alpha < 1e-4 for all of them together."""

Z95 = 1.96


def load(path: Path) -> Sweep | Tournament:
    """Return the sweep or the tournament of a file."""
    if "sweep" in tomllib.loads(path.read_text(encoding="utf-8")):
        return load_sweep(path)
    return load_tournament(path)


def played(asked: Sweep | Tournament, rounds: int) -> dict[str, Any]:
    """Return the summary of a study with few rounds."""
    if isinstance(asked, Tournament):
        return tournament(asked.with_changes(rounds=rounds), progress=False).summary()
    base = asked.base.with_changes(rounds=rounds)
    short = Sweep(base, asked.axes, asked.points, asked.focus)
    return sweep(short, progress=False).summary()


def test_there_are_studies() -> None:
    assert {path.stem for path in STUDIES} >= {"strength", "calibration", "memory"}


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_asks_a_question_and_can_be_played(path: Path) -> None:
    asked = load(path)
    assert asked.base.title
    assert asked.base.question.endswith("?")
    if isinstance(asked, Tournament):
        few = asked.with_changes(players=asked.players[:5])
        assert len(played(few, 100)["ranking"]) == 5
    else:
        points = played(asked, 20)["points"]
        assert [tuple(point["values"].values()) for point in points] == list(asked.points)


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_readme_names_it(path: Path) -> None:
    assert f"| `{path.stem}` |" in (RESULTS / "README.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not HELD, reason="no results are committed")
@pytest.mark.parametrize("path", HELD, ids=lambda path: path.stem)
def test_committed_results_agree_with_a_short_run(path: Path) -> None:
    asked = load(path)
    folder = RESULTS / path.stem
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    held = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert manifest["finished"]
    assert manifest["fingerprint"] == asked.fingerprint
    short = played(asked, 4000 if isinstance(asked, Tournament) else 2000)
    for (name, old), (_, new) in zip(shares(held), shares(short), strict=True):
        apart = old[0] - new[0]
        error = math.hypot(old[2] - old[1], new[2] - new[1]) / (2 * Z95)
        assert abs(apart) <= SIGMAS * error, name


def shares(summary: dict[str, Any]) -> list[tuple[str, tuple[float, float, float]]]:
    """Return every win share of a summary with its interval, named and in order of names."""
    if summary["kind"] == "tournament":
        columns = ("win_share", "win_share_low", "win_share_high")
        rows = [(row["player"], tuple(row[c] for c in columns)) for row in summary["ranking"]]
    else:
        rows = [
            (
                f"point {point['point']:4}, seat {player['seat']}",
                (player["win_share"], *player["win_share_ci95"]),
            )
            for point in summary["points"]
            for player in point["players"]
        ]
    return sorted(rows)
