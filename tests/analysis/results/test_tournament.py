"""Results of tournaments: rankings, matrices, text."""

import json
import math
from typing import Any

import pandas as pd
import pytest

import sim
from analysis.ranking import frames
from analysis.results.tournament import TournamentResult
from sim.api import tournament
from sim.game.tournament import Tournament

FOUR = ["balanced", "sharp", "novice", "random"]


@pytest.fixture(scope="module")
def result() -> TournamentResult:
    """A short tournament of five at tables of four."""
    asked = Tournament.of(players=[*FOUR, "turtle"], rounds=6000, seed=2, title="Five")
    return tournament(asked, threads=2)


@pytest.mark.jit
def test_ranking_adds_up(result: TournamentResult) -> None:
    ranking = result.ranking
    assert list(ranking["rank"]) == [1, 2, 3, 4, 5]
    assert ranking["win_share"].is_monotonic_decreasing
    assert ranking["win_share"].mean() == pytest.approx(1 / 4, abs=1e-12)
    assert set(ranking["rounds"]) == {4800}
    assert set(ranking["tables"]) == {4}
    assert list(ranking["player"])[-2:] == ["novice", "random"]
    assert (ranking["win_share_low"] < ranking["win_share"]).all()
    steps = ranking["win_share"].diff().iloc[1:].abs().tolist()
    assert ranking["step"].iloc[:-1].tolist() == pytest.approx(steps)
    assert math.isnan(ranking["step"].iloc[-1])
    assert ranking["step_clear"].iloc[:-1].tolist() == (ranking["step_low"].iloc[:-1] > 0).tolist()


@pytest.mark.jit
@pytest.mark.parametrize("rounds", [4, 40])
def test_few_rounds_prove_little(rounds: int) -> None:
    asked = Tournament.of(players=["elephant", "random"], rounds=rounds, seed=1)
    found = sim.tournament(asked, progress=False)
    for frame in (found.ranking, found.matrix, found.seats):
        for name in frame.filter(like="_low").columns:
            name = name.removesuffix("_low")
            known = frame.dropna(subset=name)
            assert (known[f"{name}_low"] < known[f"{name}_high"]).all(), name
            if name == "win_share":
                assert known[[f"{name}_low", f"{name}_high"]].stack().between(0, 1).all()
    assert found.ranking["step_clear"].tolist()[0] == (rounds == 40)


@pytest.mark.jit
def test_ranking_agrees_with_single_runs(result: TournamentResult) -> None:
    asked = result.tournament
    name = "sharp"
    score = rounds = called = 0
    for seating, study in zip(asked.seatings(), asked.studies(), strict=True):
        names = [asked.players[k].name for k in seating]
        if name in names:
            sums, seat = sim.run(study, threads=1, progress=False).sums, names.index(name)
            score += sums["score"][seat]
            called += sums["bao_called"][seat]
            rounds += sums["rounds"]
    row = result.ranking.set_index("player").loc[name]
    assert row["score_mean"] == pytest.approx(score / rounds)
    assert row["bao_rate"] == pytest.approx(called / rounds)


@pytest.mark.jit
def test_matrix_is_antisymmetric(result: TournamentResult) -> None:
    matrix = result.matrix.set_index(["player", "other"])
    assert len(matrix) == 20
    assert set(matrix["rounds"]) == {3600}
    for (a, b), row in matrix.iterrows():
        assert row["difference"] == pytest.approx(-matrix.loc[(b, a), "difference"])
        assert row["difference"] == pytest.approx(
            row["win_share"] - matrix.loc[(b, a), "win_share"]
        )
        assert row["difference_low"] < row["difference"] < row["difference_high"]


@pytest.mark.jit
def test_seats_add_up(result: TournamentResult) -> None:
    seats = result.seats
    assert list(seats["seat"]) == [0, 1, 2, 3]
    assert set(seats["rounds"]) == {6000}
    assert seats["win_share"].sum() == pytest.approx(1)
    assert "seats  wins % of each, whoever sits there: 0: " in result.to_text()


@pytest.mark.jit
def test_tables_of_a_summary_are_those_of_the_result(result: TournamentResult) -> None:
    made = frames(json.loads(result.to_json()))
    for name, table in result.tables().items():
        pd.testing.assert_frame_equal(made[name], table)


def test_text_and_html(result: TournamentResult) -> None:
    text = result.to_text()
    assert text.startswith("Five\nBAO BEI, second edition")
    told = "5 players, 5 tables of 4 in all rotations, 6,000 rounds, seed 2"
    assert told in " ".join(text.split())
    assert all(len(line) <= 100 for line in text.splitlines())
    assert result._repr_html_().count("<table>") == 2
    assert "sharp" in repr(result)


@pytest.mark.jit
def test_long_names_are_cut_in_text() -> None:
    names = [f"somebody whose name is rather long, number {k}" for k in range(6)]
    players = [{"base": "balanced", "name": name} for name in names]
    text = tournament(Tournament.of(players=players, rounds=200)).to_text()
    assert max(len(line) for line in text.splitlines()) == 100


@pytest.mark.jit
def test_summary_is_json(result: TournamentResult) -> None:
    summary = json.loads(result.to_json())
    assert summary["kind"] == "tournament"
    assert [row["player"] for row in summary["ranking"]] == list(result.ranking["player"])
    assert summary["ranking"][-1]["step"] is None
    assert "seconds" not in result.to_json()


@pytest.mark.jit
def test_rounds_that_nobody_wins_are_left_out() -> None:
    rules: dict[str, Any] = {"max_turns": 20, "recycle_limit": 0}
    asked = Tournament.of(players=["turtle", "sharp", "random"], rounds=900, rules=rules)
    ranking = tournament(asked).ranking
    assert ranking["win_share"].mean() == pytest.approx(1 / 3, abs=0.02)
    nobody = Tournament.of(players=["turtle", "cautious"], rounds=40, rules=rules | {"bao": False})
    assert tournament(nobody).ranking["win_share"].isna().all()
    assert tournament(nobody).to_text()
