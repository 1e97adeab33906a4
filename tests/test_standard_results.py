"""The standard studies: every file can be played, and what is committed agrees with a short run."""

import json
import math
import re
import tomllib
from itertools import takewhile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sim.api import play_comparison as play_comparison
from sim.api import run, sweep, tournament
from sim.game.comparison import Comparing
from sim.game.study import Study, load_study
from sim.game.sweep import Sweep, load_sweep
from sim.game.tournament import Tournament, load_tournament

pytestmark = pytest.mark.jit

RESULTS = Path(__file__).parents[1] / "results"
STUDIES = sorted((RESULTS / "studies").glob("*.toml"))
COMPARED = sorted(
    path for path in (RESULTS / "studies").glob("*/*.toml") if path.name != "base.toml"
)
HELD = [path for path in STUDIES if (RESULTS / path.stem / "summary.json").exists()]

SIGMAS = 5.0
"""How far two results may lie apart, in standard errors; alpha < 1e-4 for all of them together."""

Z95 = 1.96


Asked = Sweep | Tournament | Study


def load(path: Path) -> Asked:
    """Return the sweep, the tournament or the study of a file."""
    keys = tomllib.loads(path.read_text(encoding="utf-8"))
    if "sweep" in keys:
        return load_sweep(path)
    return load_tournament(path) if "seats" in keys else load_study(path)


def base(asked: Asked) -> Any:
    """Return what has the title and the question."""
    return asked if isinstance(asked, Study) else asked.base


def played(asked: Asked, rounds: int) -> dict[str, Any]:
    """Return the summary of a study with few rounds; of games a tenth as many."""
    if isinstance(asked, Tournament):
        return tournament(asked.with_changes(rounds=rounds), progress=False).summary()
    games = base(asked).games is not None
    few: dict[str, Any] = {"games": max(2, rounds // 10)} if games else {"rounds": rounds}
    if isinstance(asked, Study):
        return run(asked.with_changes(**few), progress=False).summary()
    short = Sweep(asked.base.with_changes(**few), asked.axes, asked.points, asked.focus)
    return sweep(short, progress=False).summary()


def comparing(path: Path) -> Comparing:
    """Return the comparison of a file with the one named base beside it."""
    return Comparing.of(load_study(path.parent / "base.toml"), load_study(path))


def test_there_are_studies() -> None:
    assert {path.stem for path in STUDIES} >= {"strength", "calibration", "memory"}


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_asks_a_question_and_can_be_played(path: Path) -> None:
    asked = load(path)
    assert base(asked).title
    assert base(asked).question.endswith("?")
    if isinstance(asked, Tournament):
        few = asked.with_changes(players=asked.players[:5])
        assert len(played(few, 100)["ranking"]) == 5
    elif isinstance(asked, Study):
        assert played(asked, 20)["rounds"] == 20
    else:
        points = played(asked, 20)["points"]
        assert [tuple(point["values"].values()) for point in points] == list(asked.points)


@pytest.mark.parametrize("path", [*STUDIES, *COMPARED], ids=lambda path: path.stem)
def test_readme_names_it(path: Path) -> None:
    name = path.stem if path in STUDIES else path.parent.name
    assert f"| `{name}` |" in (RESULTS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", COMPARED, ids=lambda path: path.stem)
def test_committed_comparisons_agree_with_a_short_run(path: Path) -> None:
    """Of each difference: the long one lies within five errors of what few rounds show."""
    asked = comparing(path)
    folder = RESULTS / path.parent.name / path.stem
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    held = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert manifest["finished"]
    assert manifest["fingerprint"] == asked.fingerprint
    few = Comparing.of(asked.a, asked.b, rounds=20_000)
    short = play_comparison(few, progress=False).summary()
    share, n = held["rounds_that_differ"]["share"], 20_000
    error = math.sqrt(n * share * (1 - share)) + 1
    assert abs(short["rounds_that_differ"]["count"] - n * share) < SIGMAS * error
    looked_at = 0
    for old, new in zip(held["differences"], short["differences"], strict=True):
        assert (old["metric"], old["seat"]) == (new["metric"], new["seat"])
        if new["n_differ"] >= 100 and new["p"] is not None:
            low, high = new["ci95"]
            apart = abs(old["difference"] - new["difference"])
            assert apart <= SIGMAS * (high - low) / (2 * Z95), old["metric"]
            looked_at += 1
    assert looked_at or share < 0.01


def rows_of_readme(heading: str) -> list[list[str]]:
    """Return the cells of the table that begins with a heading, without the heading."""
    lines = (RESULTS / "README.md").read_text(encoding="utf-8").splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    table = takewhile(lambda line: line.startswith("|"), lines[at + 2 :])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def value_of(study: str, metric: str, **axes: Any) -> float:
    """Return a number of a sweep's points, the mean over seats of those that are by seat."""
    frame = pd.read_csv(RESULTS / study / "metrics.csv")
    frame = frame[frame["metric"] == metric]
    for axis, value in axes.items():
        frame = frame[frame[axis] == value]
    assert len(frame)
    return float(frame["value"].mean())


def test_readme_tells_what_the_tables_hold() -> None:
    columns = ("turns_mean", "calls_won", "loser_led_share", "shield_raised")
    columns += ("score_mean", "pluck_rate")
    for players, *cells in rows_of_readme("players"):
        for metric, cell in zip(columns, cells, strict=True):
            told = float(cell.rstrip(" %")) / (100 if "%" in cell else 1)
            true = value_of("table_size", metric, players=int(players), edition="second")
            assert abs(told - true) <= (0.006 if "%" in cell else 0.06), (players, metric)
    for threshold, *cells in rows_of_readme("sum that ends it"):
        for players, cell in enumerate(cells, start=2):
            axes = {"players": players, "rules.game_threshold": int(threshold)}
            true = value_of("game_length", "game_rounds_mean", **axes)
            assert abs(float(cell.split()[0]) - true) <= 0.06, axes
    for reading, cell, _ in rows_of_readme("reading"):
        name = "_".join(re.findall(r"\w+", reading.partition(":")[0]))
        text = (RESULTS / "rulings" / name / "summary.json").read_text(encoding="utf-8")
        differ = json.loads(text)["rounds_that_differ"]
        number, unit = cell.split()
        true, near = (differ["count"], 0) if unit == "rounds" else (100 * differ["share"], 0.06)
        assert abs(float(number) - true) <= near, reading


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
    if "kind" not in summary:  # a run
        places = [(row["position"], row) for row in summary["positions"]]
        seats = [(f"seat {row['seat']}", row) for row in summary["players"]]
        rows = [
            (f"{name}", (row["win_share"], *row["win_share_ci95"])) for name, row in places + seats
        ]
    elif summary["kind"] == "tournament":
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
