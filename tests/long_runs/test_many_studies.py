"""Who plays tournaments, sweeps and comparisons: the same numbers; what is finished is not lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from long_runs.common import start, study
from long_runs.test_executors import Once
from sim import compare, sweep, tournament
from sim.errors import InputError, WorkersLost
from sim.tournaments import Tournament

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]  # Dask's, of all kinds

Played = Callable[..., Any]

COUNT = 60_000  # several pieces for each point of the sweep


def a_tournament(**ways: Any) -> Any:
    return tournament(Tournament.of(players="balanced,sharp,random", rounds=COUNT), **ways)


def a_sweep(**ways: Any) -> Any:
    return sweep(study(rounds=COUNT), {"0.bao_threshold": [2, 5]}, **ways)


def a_comparison(**ways: Any) -> Any:
    return compare(study(rounds=COUNT), rules={"shield": "none"}, **ways)


KINDS = {"tournament": a_tournament, "sweep": a_sweep, "comparison": a_comparison}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def play(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Plays one of the three, without pictures."""
    for kind in ("TournamentResult", "SweepResult"):
        monkeypatch.setattr(f"sim.outcomes.{kind}.pictures", lambda _: {})
    played: Played = request.param
    return played


def numbers(result: Any) -> Any:
    return {key: value for key, value in result.summary().items() if key != "version"}


def test_processes_and_executors(play: Played) -> None:
    wanted = numbers(play(threads=1))
    assert numbers(play(processes=2)) == wanted
    with ThreadPoolExecutor(3) as pool:
        assert numbers(play(executor=pool)) == wanted
        assert pool.submit(int, "5").result() == 5  # it is left running


def test_wrong_ways(play: Played, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="processes and dask at once"):
        play(processes=2, dask="local", out=tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("error", [CancelledError(), OSError("connection lost")])
def test_losing_workers_keeps_what_is_finished(
    error: BaseException, play: Played, tmp_path: Path
) -> None:
    size = {"chunk": 500} if play is a_comparison else {"piece": 500}
    with pytest.raises(WorkersLost, match="the workers were lost: "):
        play(executor=Once(error), threads=1, out=tmp_path, **size)
    told: list[int] = []
    found = play(out=tmp_path, progress=lambda done, _: told.append(done))
    assert told[0] >= 2500
    assert numbers(found) == numbers(play())


def test_a_cluster(cluster: Any, play: Played) -> None:
    assert numbers(play(dask=cluster.scheduler_address)) == numbers(play())


@pytest.mark.parametrize(
    "command",
    [
        ("tournament", "--players", "balanced,novice"),
        ("sweep", "--over", "0.bao_threshold=2,4"),
        ("compare", "--rule", "shield=none"),
    ],
)
def test_on_the_command_line(command: tuple[str, ...]) -> None:
    given = [*command, "--rounds", "4000", "--json", "--quiet"]
    outputs = []
    for ways in (["--threads", "1"], ["--processes", "2"]):
        process = start(*given, *ways)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        outputs.append(out)
    assert outputs[0] == outputs[1]
    process = start(*given, "--threads", "2", "--processes", "2")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert err == "Error: threads and processes at once, expected one of the two\n"
