"""Ratings, α-rank, Nash averaging: against figures of OpenSpiel and choix, and what must hold."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from analysis.company import Company, alpha_rank, nash_average, ratings
from sim.cli import main
from sim.errors import InputError

ROCK = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], float)


def random_game(seed: int) -> tuple[Any, Any]:
    """A random antisymmetric game, and random wins."""
    dice, players = np.random.default_rng(seed), 3 + seed
    payoffs = dice.normal(size=(players, players))
    won = dice.integers(1, 50, size=(players, players)).astype(float)
    np.fill_diagonal(won, 0)
    return (payoffs - payoffs.T) / 10, won


# alpharank.compute([payoffs], m=20, alpha=5.0) of OpenSpiel 2.0.2.
ALPHA = {
    1: [0.054091542313, 0.027142947975, 0.898720205277, 0.020045304435],
    2: [0.08898475405, 0.212741439882, 0.133786010349, 0.208489670661, 0.355998125058],
    3: [
        *(0.051793236798, 0.311079972284, 0.024824934336),
        *(0.146212659827, 0.340586795377, 0.125502401378),
    ],
}
# mm_pairwise of choix 0.4.1, tol = 1e-14, less the mean.
RATED = {
    1: [-0.320201611174, 0.147578724117, 0.084472780307, 0.088150106751],
    2: [-0.224653196086, -0.384682855588, 0.355854862965, 0.142970820975, 0.110510367734],
    3: [
        *(0.298127982166, -0.257289108068, -0.058044137116),
        *(0.108723524081, -0.04172365535, -0.049794605714),
    ],
}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_figures_are_those_of_other_programs(seed: int) -> None:
    payoffs, won = random_game(seed)
    assert alpha_rank(payoffs, 20, 5.0) == pytest.approx(ALPHA[seed], abs=1e-9)
    assert ratings(won) == pytest.approx(RATED[seed], abs=1e-9)


def equilibrium(lead: Any) -> Any:
    """The one equilibrium of a game, by trying who may be in it."""
    players = len(lead)
    for size in range(1, players + 1, 2):
        for among in itertools.combinations(range(players), size):
            inside = np.vstack([lead[np.ix_(among, among)].T, np.ones(size)])
            share = np.zeros(players)
            share[list(among)] = np.linalg.lstsq(inside, [0] * size + [1], rcond=None)[0]
            if share.min() > -1e-9 and (share @ lead).min() > -1e-9 and abs(share.sum() - 1) < 1e-9:
                return share
    raise AssertionError


@pytest.mark.parametrize("seed", range(12))
def test_nobody_beats_the_nash_average(seed: int) -> None:
    dice = np.random.default_rng(seed)
    payoffs = dice.normal(size=(5, 5))
    lead = payoffs - payoffs.T
    assert nash_average(lead) == pytest.approx(equilibrium(lead), abs=1e-6)


def test_rock_paper_and_scissors_are_a_third_each() -> None:
    assert alpha_rank(ROCK) == pytest.approx([1 / 3] * 3)
    assert nash_average(ROCK) == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert ratings(ROCK + 2) == pytest.approx([0, 0, 0])
    assert nash_average(np.zeros((4, 4))) == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("seed", range(4))
def test_a_clone_changes_nothing_for_the_others(seed: int) -> None:
    lead, _ = random_game(seed + 1)
    lead = lead[:4, :4]
    twice = [0, 1, 2, 3, 0]
    cloned = nash_average(lead[np.ix_(twice, twice)])
    alone = nash_average(lead)
    assert cloned[1:4] == pytest.approx(alone[1:], abs=1e-6)
    assert cloned[0] == pytest.approx(alone[0] / 2, abs=1e-6)
    assert cloned[4] == pytest.approx(alone[0] / 2, abs=1e-6)


def matrix(lead: Any, rounds: int = 10_000, names: str = "abcdefgh") -> pd.DataFrame:
    """The table of a company in which leads are as given."""
    count = len(lead)
    return pd.DataFrame(
        [
            {
                "player": names[a],
                "other": names[b],
                "rounds": rounds,
                "win_share": 0.25 + lead[a][b] / 2,
            }
            for a in range(count)
            for b in range(count)
            if a != b
        ]
    )


def test_a_planted_ring_is_found() -> None:
    company = Company.of(matrix(0.1 * ROCK))
    assert company.chance_of_cycle == 1
    assert company.cycle == ["a", "b", "c"]
    assert company.to_text().startswith(
        "Nobody is ahead of all others: these hold each other in check: "
    )
    assert "There is a ring: a is ahead of b, b of c, c of a." in company.to_text().replace(
        "\n", " "
    )
    assert sum(company.table["nash"]) == pytest.approx(1)


def test_who_beats_all_is_said() -> None:
    lead = [[0, 0.1, 0.1], [-0.1, 0, 0.1], [-0.1, -0.1, 0]]
    company = Company.of(matrix(np.array(lead)))
    assert company.to_text().startswith("Nobody in this company is a match for a:")
    assert company.chance_of_cycle == 0
    assert list(company.table["player"]) == ["a", "b", "c"]
    assert company.table["alpha"][0] > 0.99


def test_with_few_rounds_nothing_is_clear() -> None:
    company = Company.of(matrix(0.001 * ROCK, rounds=100))
    assert 0.05 < company.chance_of_cycle < 0.6
    assert "ring" in company.to_text()


def test_intervals_of_ratings_hold() -> None:
    """The true rating of a lead of 4 points lies within in some 38 of 40 repetitions."""
    dice, rounds, inside = np.random.default_rng(5), 4000, 0
    true = Company.of(matrix(np.array([[0, 0.04], [-0.04, 0]]), 10**9)).table["rating"][0]
    for _ in range(40):
        won = dice.multinomial(rounds, [0.27, 0.23, 0.5])[:2] / rounds
        rows = [("a", "b", rounds, won[0]), ("b", "a", rounds, won[1])]
        table = Company.of(
            pd.DataFrame(rows, columns=["player", "other", "rounds", "win_share"])
        ).table
        row = table[table["player"] == "a"].iloc[0]
        inside += row["rating_low"] <= true <= row["rating_high"]
    assert inside >= 34


def test_a_player_that_never_wins_has_a_rating() -> None:
    table = Company.of(matrix(np.array([[0, 0.5], [-0.5, 0]]))).table
    assert np.isfinite(table["rating"]).all()
    assert table["rating"][0] - table["rating"][1] > 1000


def rank(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["rank", *arguments])


def test_the_command_takes_a_folder_and_a_file(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "results" / "strength"
    told = rank(str(folder))
    assert told.exit_code == 0
    assert told.stdout.startswith("Nobody in this company is a match for elephant")
    file = tmp_path / "met.csv"
    matrix(0.1 * ROCK).to_csv(file, index=False)
    summary = json.loads(rank(str(file), "--json").stdout)
    assert summary["cycle"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: t.drop(columns="rounds"),
            "rounds: a column is missing, expected columns player",
        ),
        (lambda t: t.assign(win_share="x"), "win_share: row 1, expected a share from 0 to 1, got"),
        (
            lambda t: t.assign(win_share=1.5),
            "win_share: row 1, expected a share from 0 to 1, got 1.5",
        ),
        (lambda t: t.iloc[:-1], "there one way only, expected a row for each of a pair"),
        (lambda t: pd.concat([t, t]), "stands twice with b, expected each pair once"),
        (lambda t: t.assign(other=t["player"]), "met itself, expected each pair once"),
        (lambda t: t.iloc[:0], "nobody met, expected two players or more"),
    ],
)
def test_what_is_no_company_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        Company.of(change(matrix(0.1 * ROCK)))
    assert message in str(caught.value)
    assert rank(str(tmp_path)).exit_code == 2
    assert "the folder of a finished tournament" in rank(str(tmp_path / "no.csv")).stderr
