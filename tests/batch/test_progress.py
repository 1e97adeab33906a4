"""What is told while a run goes on: in log files, on terminals, in notebooks."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from analysis.results.run import leader
from sim import run
from sim.batch import progress
from sim.batch.progress import Progress
from sim.batch.sums import Sums
from tests.support.runs import study

pytestmark = pytest.mark.jit


def test_a_log_file_gets_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with Progress(True, 1_000_000, "rounds", done=100_000) as bar:
        for second in range(1, 181):
            clock[0] += 1
            bar.update(100_000 + 1000 * second, lambda: "sharp (3) wins 26.87 ± 0.13 %")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    told = r"\d\d:\d\d:\d\d  160,000 of 1,000,000 rounds \(16\.0 %\), 1,000/s, 14:00 left; sharp .*"
    assert re.fullmatch(told, lines[0])
    assert progress._clock(7384.2) == "2:03:04"


def test_short_runs_and_quiet_ones_write_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    run(study(), progress=True)
    run(study(), progress=False)
    assert capsys.readouterr().err == ""


def test_the_leader_has_an_interval() -> None:
    found = run(study())
    best = max(found.summary()["players"], key=lambda player: player["win_share"])
    told = leader(found.study, found.sums, None)
    match = re.fullmatch(r"(\w+) \((\d)\) wins ([\d.]+) ± ([\d.]+) %", told)
    assert match is not None
    assert (match[1], int(match[2])) == (best["strategy"], best["seat"])
    low, high = best["win_share_ci95"]
    assert float(match[4]) == pytest.approx(50 * (high - low), abs=0.006)
    assert leader(found.study, Sums.empty(), None) == ""
    long = study(players=[{"base": "sharp", "name": "a_very_long_name"}, "random"])
    assert leader(long, run(long).sums, None).startswith("a_very_long… (0) wins")


class Bar:
    """Stands for one of tqdm's bars."""

    made: ClassVar[list[Any]] = []

    def __init__(self, **looks: Any) -> None:
        self.looks, self.n, self.postfix = looks, looks["initial"], ""
        Bar.made.append(self)

    def update(self, more: int) -> None:
        self.n += more

    def set_postfix_str(self, text: str, refresh: bool) -> None:
        self.postfix = text

    def close(self) -> None:
        self.n = -1


@pytest.mark.parametrize("widgets", [True, False])
def test_a_notebook_gets_a_widget_or_a_line(widgets: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(config={"IPKernelApp": {}})
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "ipywidgets", SimpleNamespace() if widgets else None)
    home = "tqdm.notebook" if widgets else "tqdm"
    monkeypatch.setitem(sys.modules, home, SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(progress, "LEADER_SECONDS", 0.0)
    assert progress.in_notebook()
    Bar.made.clear()
    with Progress(True, 10, "games", done=3) as bar:
        bar.update(7, lambda: "sharp leads")
        assert (Bar.made[0].n, Bar.made[0].postfix) == (7, "sharp leads")
    assert Bar.made[0].n == -1
    assert Bar.made[0].looks["unit"] == " games"


def test_going_on_begins_where_it_stopped(tmp_path: Any) -> None:
    told: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        if done >= 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(study(), chunk=500, out=tmp_path, progress=stop)
    run(study(), chunk=500, out=tmp_path, progress=lambda done, total: told.append((done, total)))
    assert told == [(1500, 3000), (2000, 3000), (2500, 3000), (3000, 3000)]
