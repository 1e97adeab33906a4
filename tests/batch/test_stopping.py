"""Targets: what they may say, when a run looks, and that its last interval is honest."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.results.run import interval
from analysis.stats import CONFIDENCE, LOOK_CONFIDENCE, wilson, z_score
from sim import load_results, run
from sim.batch.stopping import Until, cut_at_looks, is_look, looks, looks_to
from sim.errors import InputError
from sim.game.study import MAX_UNITS
from tests.support.runs import content, stable, study

pytestmark = pytest.mark.jit

ALPHA = 1e-4

# --- targets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("win_share[0]±0.001", Until("win_share", 0, 0.001)),
        ("win_share[2]+-1e-3", Until("win_share", 2, 0.001)),
        (" score_mean [ 1 ] +/- 0.05 ", Until("score_mean", 1, 0.05)),
    ],
)
def test_targets(text: str, means: Until) -> None:
    assert Until.parse(text, 3) == means
    assert Until.parse(str(means), 3) == means
    assert Until(**means.to_dict()) == means
    assert Until.of(means, 3) == Until.of(text, 3) == means


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "METRIC[SEAT]±WIDTH"),
        ("nonsense", "METRIC[SEAT]±WIDTH"),
        ("win_share[0]", "METRIC[SEAT]±WIDTH"),
        ("win_share[0]=0.1", "METRIC[SEAT]±WIDTH"),
        ("win_shar[0]±0.1", "did you mean 'win_share'?"),
        ("bao_called[0]±0.1", "one without an interval, expected win_share or score_mean"),
        ("win_share±0.1", "which seat is meant?, expected win_share[0] to win_share[2]"),
        ("win_share[3]±0.1", "no such seat"),
        ("win_share[-1]±0.1", "METRIC[SEAT]±WIDTH"),
        ("win_share[0]±0", "a number above 0"),
        ("win_share[0]±-1", "a number above 0"),
        ("win_share[0]±nan", "a number above 0"),
        ("win_share[0]±inf", "a number above 0"),
        ("win_share[0]±0.1%", "a number above 0, got \"0.1%\"; did you mean '0.001'?"),
        ("win_share[0]±0,01", "did you mean '0.01'?"),
        ("win_share[0]±5", "such as 0.05 for 5 %, got 5.0; did you mean '0.05'?"),
        ("win_share[0]±0.5", "a share below 0.5"),
        (0.1, "text such as"),
    ],
)
def test_no_targets(text: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        run(study(), until=text)
    assert says in str(caught.value)
    assert str(caught.value).startswith("until: ")


# --- looks ----------------------------------------------------------------------------------------


def test_looks_are_ten_in_each_decade() -> None:
    first = list(itertools.islice(looks(), 12))
    assert first == [1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000, 10_000, 12_500]
    assert len(list(looks_to(MAX_UNITS))) == 79
    assert is_look(1_000_000)
    assert not is_look(1_000_001)
    assert not is_look(0)


def test_ranges_are_cut_at_looks() -> None:
    assert list(cut_at_looks(((0, 1300),))) == [(0, 1000), (1000, 1250), (1250, 1300)]
    assert list(cut_at_looks(((1000, 1250), (1700, 2000)))) == [(1000, 1250), (1700, 2000)]
    assert list(cut_at_looks(())) == []


def test_all_looks_together_keep_the_level() -> None:
    """The figure of `analysis.stats.LOOK_CONFIDENCE`, by the recursion that it names."""
    counts = np.array(list(looks_to(MAX_UNITS)), float)
    limit = z_score(LOOK_CONFIDENCE)
    at = np.linspace(-limit, limit, 401)
    step = np.full(at.size, at[1] - at[0])
    step[[0, -1]] /= 2

    def normal(x: Any, sd: float = 1.0) -> Any:
        return np.exp(-0.5 * (x / sd) ** 2) / (sd * math.sqrt(2 * math.pi))

    density = normal(at)  # of the standardised mean, where no look was off yet
    for before, after in itertools.pairwise(counts):
        correlation = math.sqrt(before / after)
        spread = math.sqrt(1 - before / after)
        density = normal(at[:, None] - correlation * at[None, :], spread) @ (step * density)
    off = 1 - float((step * density).sum())
    assert off == pytest.approx(0.0407, abs=5e-4)
    assert off < 1 - CONFIDENCE


def test_the_interval_at_which_a_run_stops_is_right_often_enough() -> None:
    """Coin tosses that stop by themselves, 4,000 times; plain 95 % intervals would fail this.

    A right interval misses at most 5 %; the test fails one with probability `ALPHA` at most.
    """
    rng = np.random.default_rng(5)
    counts = list(looks_to(100_000))
    steps = np.diff([0, *counts])
    truth, width, trials = 0.3, 0.006, 4000

    def missed(confidence: float) -> tuple[float, float]:
        """Share of runs whose last interval is wrong, and of those in which any is."""
        last = ever = 0
        for _ in range(trials):
            hits = np.cumsum(rng.binomial(steps, truth))
            wrong = False
            for count, part in zip(counts, hits, strict=True):
                low, high = wilson(int(part), count, confidence=confidence)
                wrong |= not low <= truth <= high
                if (high - low) / 2 <= width:
                    break
            last += not low <= truth <= high
            ever += wrong
        return last / trials, ever / trials

    allowance = 3.72 * math.sqrt(0.05 * 0.95 / trials)  # z of ALPHA
    last, ever = missed(LOOK_CONFIDENCE)
    assert last <= ever < 0.05 + allowance
    _, careless = missed(CONFIDENCE)
    assert careless > 0.15


# --- runs that stop -------------------------------------------------------------------------------

TARGET = "win_share[1]±0.04"


@pytest.mark.parametrize("games", [False, True])
def test_a_run_stops_at_the_first_look_that_is_good_enough(games: bool, tmp_path: Path) -> None:
    given = study(games=4000) if games else study(rounds=20_000)
    found = run(given, until=TARGET)
    summary = found.summary()
    count = found.ranges[0][1]
    assert is_look(count)
    assert (summary["stopped_by"], summary["until"]["reached"]) == ("until", True)
    assert summary["until"]["looks"] == len(list(looks_to(count)))
    low, high = summary["players"][1]["win_share_ci95"]
    assert (high - low) / 2 <= 0.04
    before = list(looks_to(count - 1))
    if before:
        shorter = run(given.with_changes(**{given.unit: before[-1]}), until=TARGET)
        assert shorter.summary()["until"]["reached"] is False
        assert shorter.stopped_by == given.unit
    plain = run(given.with_changes(**{given.unit: count}))
    assert found.sums == plain.sums
    tight = plain.summary()["players"][1]["win_share_ci95"]
    assert low < tight[0] < tight[1] < high
    assert "reached after" in found.to_text()


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("chunk", [100, 5000, None])
def test_it_stops_at_the_same_look_however_it_is_played(
    threads: int, chunk: int | None, tmp_path: Path
) -> None:
    given = study(rounds=20_000)
    once = run(given, until="score_mean[0]±0.5", threads=1, chunk=10**6)
    assert once.stopped_by == "until"
    again = run(given, until="score_mean[0]±0.5", threads=threads, chunk=chunk, out=tmp_path)
    assert again == once
    assert stable(again) == stable(once)
    assert load_results(tmp_path) == once


@pytest.mark.parametrize("at", [900, 1000, 1700])
def test_an_interruption_changes_nothing(at: int, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done >= at:
            raise KeyboardInterrupt

    given, target = study(rounds=20_000), "win_share[0]±0.03"
    once = run(given, until=target, out=tmp_path / "once", records=True)
    assert once.ranges[0][1] > 2000
    options: dict[str, Any] = {"until": target, "out": tmp_path / "a", "records": True}
    with pytest.raises(KeyboardInterrupt):
        run(given, chunk=100, progress=stop, **options)
    assert run(given, **options) == once
    assert content(tmp_path / "a") == content(tmp_path / "once")
    assert run(given, **options) == once  # and once more: there is nothing to do


def test_a_limit_takes_the_place_of_what_the_study_says() -> None:
    given = study(rounds=2000)
    assert run(given, until="win_share[0]±0.0001").stopped_by == "rounds"
    beyond = run(given, until="win_share[0]±0.0001", max_rounds=3000)
    assert (beyond.stopped_by, beyond.sums["rounds"]) == ("max_rounds", 3000)
    assert beyond.summary()["until"]["reached"] is False
    below = run(given, max_rounds=700)
    assert (below.stopped_by, below.sums["rounds"]) == ("max_rounds", 700)
    assert run(given, max_rounds=5000) == run(given)
    few = run(study(games=50), max_games=20)
    assert (few.stopped_by, few.summary()["games"]) == ("max_games", 20)
    assert "by the limit of games" in few.to_text()


def test_an_end_that_is_good_enough_is_a_look_too() -> None:
    given = study(rounds=1100)
    looked, longer = (run(given.with_changes(rounds=count)) for count in (1000, 1100))
    ends = [
        interval("win_share", given, result.sums, 0, LOOK_CONFIDENCE) for result in (looked, longer)
    ]
    widths = [(high - low) / 2 for low, high in ends if low is not None and high is not None]
    assert widths[1] < widths[0]
    found = run(given, until=Until("win_share", 0, sum(widths) / 2))
    assert found.ranges == ((0, 1100),)
    assert found.stopped_by == "until"


def test_time_stops_a_run_that_can_be_gone_on_with(tmp_path: Path) -> None:
    given = study(rounds=20_000)
    part = run(given, chunk=100, max_seconds=1e-6, out=tmp_path)
    assert part.stopped_by == "max_seconds"
    assert part.ranges == ((0, 100),)
    assert load_results(tmp_path) == part
    assert "by the limit of time" in part.to_text()
    assert run(given, out=tmp_path) == run(given)
    assert run(given, max_seconds=600) == run(given)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"until": TARGET, "only": (0, 10)}, "range: a range and a target at once"),
        ({"max_rounds": 10, "only": (0, 10)}, "range: a range and a target at once"),
        ({"max_rounds": 0}, "max_rounds: expected a whole number"),
        ({"max_games": 5}, "max_games: the study is one of rounds, expected a limit of rounds"),
        ({"max_seconds": 0}, "max_seconds: expected a number of seconds above 0"),
        ({"max_seconds": math.nan}, "max_seconds: expected"),
        ({"max_seconds": True}, "max_seconds: expected"),
        ({"only": (0, 3001)}, "range: goes beyond the end of the study, which is 3,000"),
        ({"only": (5, 5)}, "range: expected two whole numbers"),
    ],
)
def test_wrong_limits(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        run(study(), **arguments)
    assert str(caught.value).startswith(says)


def test_a_target_needs_the_beginning(tmp_path: Path) -> None:
    run(study(), only=(1000, 2000), out=tmp_path)
    with pytest.raises(InputError, match="until: holds rounds 1,000 to 1,999, expected the first"):
        run(study(), until=TARGET, out=tmp_path)
