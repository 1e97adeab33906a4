"""Intervals of rankings: right nineteen times out of twenty, and never too narrow."""

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from analysis.ranking import RATES, Seating, Standings
from analysis.stats import Shared, Strata, difference, wilson

UNITS = 60
REPEATS = 4000
# A share of 4000 intervals is 95 % ± 1.1 % with an error of 0.14 %: alpha of each test.
ALLOWED = NormalDist().inv_cdf(0.9993) * (0.95 * 0.05 / REPEATS) ** 0.5


def played(
    rng: np.random.Generator, chances: list[float], ties: float, rounds: int
) -> tuple[Any, Any]:
    """Return shares and their squares, repeats × seats, of rounds in which somebody wins.

    Args:
        rng: Random numbers.
        chances: Of each seat to win alone or to be one of two who tie.
        ties: Share of rounds in which two tie, any two.
        rounds: Of each repetition.
    """
    seats = len(chances)
    winner = rng.choice(seats, p=chances, size=(REPEATS, rounds))
    other = (winner + rng.integers(1, seats, size=winner.shape)) % seats
    tied = rng.random(winner.shape) < ties
    share = np.zeros((REPEATS, rounds, seats), np.int64)
    np.put_along_axis(share, winner[..., None], np.where(tied, 30, 60)[..., None], axis=2)
    second = np.take_along_axis(share, other[..., None], axis=2)
    np.put_along_axis(share, other[..., None], np.where(tied[..., None], 30, second), axis=2)
    return share.sum(axis=1), (share * share).sum(axis=1)


def strata_of(tables: list[tuple[Any, Any]], rounds: int, seat: int, repeat: int) -> Strata:
    strata = Strata()
    for share, squares in tables:
        strata.add(rounds, int(share[repeat, seat]), int(squares[repeat, seat]))
    return strata


@pytest.mark.parametrize(("ties", "rounds"), [(0.0, 30), (0.2, 30), (0.05, 100)])
def test_interval_of_a_mean_over_strata_covers(ties: float, rounds: int) -> None:
    rng = np.random.default_rng(1)
    tables = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]]
    seen = [played(rng, chances, ties, rounds) for chances in tables]
    truth = np.mean([expected(chances, ties, 0) for chances in tables])
    inside = 0
    for repeat in range(REPEATS):
        low, high = strata_of(seen, rounds, 0, repeat).interval(UNITS)
        inside += low is not None and high is not None and low <= truth <= high
    assert abs(inside / REPEATS - 0.95) < ALLOWED + 0.006  # few rounds: not quite normal


def expected(chances: list[float], ties: float, seat: int) -> float:
    """Return the win share that `played` gives a seat on average."""
    own = chances[seat]
    return own * (1 - ties / 2) + ties / 2 * (1 - own) / (len(chances) - 1)


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_interval_of_a_difference_covers(ties: float) -> None:
    rng = np.random.default_rng(2)
    rounds, both = 60, [[0.5, 0.3, 0.2], [0.3, 0.4, 0.3]]
    alone = [0.5, 0.25, 0.25]
    seen = [played(rng, chances, ties, rounds) for chances in both]
    mine, theirs = (played(rng, alone, ties, rounds) for _ in range(2))
    truth = np.mean(
        [expected(both[0], ties, 0), expected(both[1], ties, 0), expected(alone, ties, 0)]
    ) - np.mean([expected(both[0], ties, 1), expected(both[1], ties, 1), expected(alone, ties, 1)])
    inside, wide = 0, []
    for repeat in range(REPEATS):
        a = strata_of([*seen, mine], rounds, 0, repeat)
        b = strata_of([*seen, theirs], rounds, 1, repeat)
        shared = Shared()
        for share, _ in seen:
            shared.add(rounds, int(share[repeat, 0]), int(share[repeat, 1]))
        value, (low, high) = difference(a, b, shared, UNITS)
        assert value is not None
        assert low is not None
        assert high is not None
        inside += low <= truth <= high
        wide.append(high - low)
    if ties:
        assert inside / REPEATS > 0.95 - ALLOWED
    else:
        assert abs(inside / REPEATS - 0.95) < ALLOWED + 0.006


def test_strata_alone_are_the_usual_mean() -> None:
    from analysis.stats import mean_interval

    strata = Strata()
    strata.add(50, 130, 900)
    assert strata.interval() == pytest.approx(mean_interval(50, 130, 900))
    assert strata.mean() == 2.6


def test_what_strata_differ_by_is_no_chance() -> None:
    """But what was never seen, or always, may be rarely otherwise: about 3 of all rounds."""
    strata = Strata()
    strata.add(1000, 0, 0)
    strata.add(1000, 60_000, 3_600_000)
    found = strata.share_interval(UNITS)
    assert found == pytest.approx((0.5 - 2.7 / 2000, 0.5 + 2.7 / 2000), abs=0.1 / 2000)
    low, high = strata.interval(UNITS)
    assert low is not None
    assert high is not None
    assert low < 0.5 < high


@pytest.mark.parametrize(("rounds", "clear"), [(2, False), (20, True)])
def test_who_won_all_of_few_rounds_is_not_clearly_stronger(rounds: int, clear: bool) -> None:
    seatings = [
        replace(seating(players, share), rounds=rounds, decided=rounds)
        for players, share in (
            (("a", "b"), [60 * rounds, 0]),
            (("b", "a"), [0, 60 * rounds]),
        )
    ]
    ranking = Standings(["a", "b"], seatings, UNITS).ranking().set_index("player")
    ends = ranking[[f"win_share_{end}" for end in ("low", "high")]]
    assert ((ends >= 0) & (ends <= 1)).all(axis=None)
    assert (ends["win_share_high"] > ends["win_share_low"]).all()
    assert ranking.loc["a", "step_clear"] == clear
    assert ranking.loc["a", "step_low"] < ranking.loc["a", "step_high"] == 1


def test_strata_too_small_are_left_out() -> None:
    strata, shared = Strata(), Shared()
    strata.add(1, 60, 3600)
    strata.add(0, 0, 0)
    shared.add(1, 30, 30)
    assert (strata.count, strata.mean(), strata.interval()) == (0, None, (None, None))
    assert shared.bound == 0
    assert difference(strata, strata, shared) == (None, (None, None))


def seating(players: tuple[str, ...], share: list[int]) -> Seating:
    n = len(players)
    return Seating(
        players=players,
        rounds=10,
        decided=10,
        share=share,
        share_sq=[60 * value for value in share],
        score=[10] * n,
        score_sq=[100] * n,
        rates=dict.fromkeys(RATES, [(0, 0)] * n),
    )


def test_standings_by_hand() -> None:
    played = [
        seating(("a", "b"), [480, 120]),
        seating(("b", "a"), [240, 360]),
        seating(("c", "a"), [300, 300]),
    ]
    standings = Standings(["a", "b", "c", "d"], played, UNITS)
    assert standings.order == ["a", "c", "b", "d"]
    ranking = standings.ranking().set_index("player")
    assert ranking.loc["a", "win_share"] == pytest.approx(19 / 30)
    assert ranking.loc["b", "win_share"] == pytest.approx(6 / 20)
    assert ranking.loc["c", "tables"] == 1
    assert np.isnan(ranking.loc["d", "win_share"])
    assert np.isnan(ranking.loc["b", "step"])
    matrix = standings.matrix().set_index(["player", "other"])
    assert matrix.loc[("a", "b"), "win_share"] == pytest.approx(14 / 20)
    assert matrix.loc[("a", "b"), "difference"] == pytest.approx(8 / 20)
    assert ("b", "c") not in matrix.index
    # Of two who never share a win one has what the other has not: the difference is 2 a - 1.
    ends = matrix.loc[("a", "b"), ["difference_low", "difference_high"]]
    assert list(ends) == pytest.approx([2 * end - 1 for end in wilson(14, 20)])
