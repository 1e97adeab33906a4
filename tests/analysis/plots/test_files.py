"""Pictures of results: what cannot be drawn is left out, and costs nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from analysis.report import report
from sim.api import sweep, tournament
from sim.cli import main
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from sim.store.tasks import JOURNAL, MANIFEST

pytestmark = pytest.mark.jit


FOUR = ["balanced", "sharp", "novice", "random"]


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def swept() -> Sweep:
    """Return a small sweep."""
    base = Study.of(players="balanced,novice", rounds=150, seed=4)
    return Sweep.of(base, {"0.bao_threshold": [2, 8]})


def few(over: dict[str, Any], **changes: Any) -> Callable[..., Any]:
    """Return what plays a sweep too short to draw all of it."""
    base = Study.of(players="balanced,balanced,balanced", seed=1, **changes)
    return lambda **options: sweep(base, over, **options)


ONE, TWO = {"0.bao_threshold": [2, 4]}, {"0.bao_threshold": [2, 4], "1.bao_threshold": [2, 4]}


UNDECIDED = {"players": FOUR, "rounds": 8, "rules": {"max_turns": 1}}


SHORT: dict[str, Callable[..., Any]] = {
    "a round": few(ONE, rounds=1),
    "two axes": few(TWO, rounds=1),
    "three axes": few({**TWO, "2.bao_threshold": [2, 4]}, rounds=1),
    "games without a winner": few(ONE, games=2, rules={"max_rounds": 1}),
    "games, two axes": few(TWO, games=2, rules={"max_rounds": 1}),
    "rounds without a winner": few(ONE, rounds=3, rules={"max_turns": 1}),
    "no seat in focus": few({"rules.max_turns": [1, 2]}, rounds=2),
    "a point": few({"0.bao_threshold": [2]}, rounds=1),
    "a tournament": lambda **options: tournament(Tournament.of(**UNDECIDED), **options),
}


@pytest.mark.parametrize("play", SHORT.values(), ids=SHORT)
def test_what_cannot_be_drawn_is_left_out(
    play: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a warning, which would be an error here: that nothing is there is no surprise."""

    def drawn(draw: Callable[[Figure], object], width: float, height: float, *_: Any) -> Any:
        draw(Figure(figsize=(width, height), layout="constrained"))
        return {"svg": b'<svg viewBox="0 0 1 1"></svg>'}

    monkeypatch.setattr("analysis.plots.files.picture", drawn)
    monkeypatch.setattr("analysis.plots.drawing.picture", drawn)  # of pages
    result = play(out=tmp_path)
    there = files(tmp_path)
    assert json.loads(there[MANIFEST])["finished"] is True
    assert json.loads(there["summary.json"]) == json.loads(result.to_json())
    assert {f"{name}.csv" for name in result.tables()} <= set(there)
    assert "<title>" in report(result)


@pytest.mark.parametrize("fails", ["one", "all", "to be written"])
def test_a_picture_that_fails_costs_nothing_else(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = iter(range(100))

    def drawn(*_: Any) -> dict[str, bytes]:
        if fails == "one" and next(made) == 1:
            raise ValueError("no limits")
        return {"svg": b"drawn"}

    def refused(*_: Any, **__: Any) -> Any:
        raise OSError("no room")

    monkeypatch.setattr("analysis.plots.files.picture", drawn)
    if fails == "all":
        monkeypatch.setattr("analysis.results.sweep.SweepResult.pictures", refused)
    elif fails == "to be written":
        monkeypatch.setattr("sim.store.tasks._put_bytes", refused)
    told = "picture score_mean left out: ValueError: no limits"
    with pytest.warns(match=told if fails == "one" else "pictures left out: OSError: no room"):
        result = sweep(swept(), out=tmp_path)
    there = files(tmp_path)
    assert json.loads(there[MANIFEST])["finished"] is True
    assert there["summary.json"].decode() == result.to_json() + "\n"
    assert JOURNAL not in there
    assert ("win_share.svg" in there) == (fails == "one")
    assert "score_mean.svg" not in there


@pytest.mark.filterwarnings("default")
def test_the_program_warns_in_a_line_and_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(*_: Any) -> Any:
        raise ValueError("no limits")

    monkeypatch.setattr("analysis.plots.files.picture", drawn)
    monkeypatch.setattr("analysis.report.pictures.drawn", drawn)
    command = ["sweep", "--players", "balanced,novice", "--over", "0.bao_threshold=2,8"]
    command += ["--rounds", "150", "--quiet", "--out", str(tmp_path / "a")]
    page = tmp_path / "page.html"
    done = CliRunner().invoke(main, [*command, "--report", str(page)])
    assert done.exit_code == 0
    assert "win share" in done.stdout
    told = done.stderr.splitlines()
    assert all(line.endswith("left out: ValueError: no limits") for line in told)
    assert all(line.startswith("Warning: picture ") for line in told)
    assert "Warning: picture win_share left out: ValueError: no limits" in told
    assert "<svg" not in page.read_text("utf-8").partition("<main")[2]
    assert "<figure" in page.read_text("utf-8")  # with the numbers behind it
    assert (tmp_path / "a" / "metrics.csv").exists()
