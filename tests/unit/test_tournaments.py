"""Tournaments: who meets whom, who sits where, rankings, matrices, bad files."""

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from sim.outcomes import TournamentResult, tournament

import sim
from analysis.ranking import frames
from sim.cli import main
from sim.errors import InputError
from sim.game.players import Player
from sim.game.tournament import MAX_TABLES, Tournament, balanced_tables, load_tournament

FOUR = ["balanced", "sharp", "novice", "random"]


def many(count: int) -> list[Player]:
    """Return so many players that differ in name and in one parameter."""
    return [
        Player.of({"base": "balanced", "name": f"p{k}", "bao_threshold": k % 200})
        for k in range(count)
    ]


def seatings(asked: Tournament) -> list[tuple[int, ...]]:
    return list(asked.seatings())


# --- designs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("entrants", "seats"), [(4, 4), (5, 2), (6, 3), (7, 6), (12, 4)])
def test_all_combinations_in_all_rotations(entrants: int, seats: int) -> None:
    asked = Tournament.of(players=many(entrants), seats=seats, rounds=1000)
    assert list(asked.tables) == list(combinations(range(entrants), seats))
    assert asked.all_tables
    chairs = Counter((who, seat) for s in seatings(asked) for seat, who in enumerate(s))
    assert set(chairs.values()) == {math.comb(entrants - 1, seats - 1)}
    assert len(chairs) == entrants * seats
    pairs = Counter(pair for s in seatings(asked) for pair in combinations(sorted(s), 2))
    assert len(set(pairs.values())) == 1
    assert len(set(seatings(asked))) == len(seatings(asked)) == len(asked.tables) * seats


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_everybody_has_everybody_to_the_left_about_as_often(seats: int) -> None:
    asked = Tournament.of(players=many(9), seats=seats, rounds=1000)
    left = Counter((s[k - 1], s[k]) for s in seatings(asked) for k in range(seats))
    mean = sum(left.values()) / len(left)
    assert len(left) == 72
    assert 0.85 * mean < min(left.values()) <= max(left.values()) < 1.15 * mean


@pytest.mark.parametrize(("entrants", "seats"), [(20, 4), (26, 3), (37, 5), (100, 6), (61, 4)])
def test_too_many_combinations_are_played_in_a_balanced_part(entrants: int, seats: int) -> None:
    tables = balanced_tables(entrants, seats, seed=1)
    assert len(set(tables)) == len(tables)
    assert all(len(set(table)) == seats for table in tables)
    assert 900 <= len(tables) <= 2 * MAX_TABLES
    often = Counter(who for table in tables for who in table)
    assert set(often.values()) == {len(tables) * seats // entrants}
    pairs = Counter(pair for table in tables for pair in combinations(table, 2))
    mean = sum(pairs.values()) / math.comb(entrants, 2)
    assert len(pairs) > 0.85 * math.comb(entrants, 2)
    assert max(pairs.values()) <= max(2 * mean, 3)
    assert tables == balanced_tables(entrants, seats, seed=1)
    assert tables != balanced_tables(entrants, seats, seed=2)


def test_a_part_is_said_to_be_one() -> None:
    asked = Tournament.of(players=many(20), rounds=1000)
    assert not asked.all_tables
    assert len(asked.tables) == 1000


def test_rounds_are_at_least_those_asked_for() -> None:
    asked = Tournament.of(players=many(5), rounds=1001)
    assert asked.rounds_of_a_seating == 51
    assert asked.rounds == 51 * 20
    assert Tournament.of(players=many(5), rounds=1).rounds_of_a_seating == 2
    assert {study.rounds for study in asked.studies()} == {51}


def test_every_seating_has_a_seed_of_its_own() -> None:
    asked = Tournament.of(players=many(8), rounds=1000, seed=1)
    seeds = [study.seed for study in asked.studies()]
    assert len(set(seeds)) == len(seeds)
    other = Tournament.of(players=many(8), rounds=1000, seed=2)
    assert not set(seeds) & {study.seed for study in other.studies()}


def test_seeds_are_documented() -> None:
    import hashlib

    asked = Tournament.of(players=["sharp", "novice"], rounds=100, seed=7)
    text = json.dumps({"seating": ["novice", "sharp"], "seed": 7}, separators=(",", ":"))
    expected = int(hashlib.sha256(text.encode()).hexdigest()[:16], 16)
    assert asked.study((1, 0)).seed == expected


def test_studies_know_rules_and_deck() -> None:
    asked = Tournament.of(
        players=FOUR, rounds=100, edition="first", deck="five_per_power", rules={"peeks": 3}
    )
    for study in asked.studies():
        assert (study.edition, study.deck.name) == ("first", "five_per_power")
        assert study.rules.peeks == 3


# --- files ----------------------------------------------------------------------------------------

FILE = """
title = "Four"
question = "Who is best?"
players = ["balanced", { base = "sharp", bao_threshold = 3 }, "novice", "random"]
seats = 3
rounds = 500
seed = 9
edition = "first"
[rules]
peeks = 1
"""


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(FILE)
    asked = load_tournament(tmp_path / "t.toml")
    assert [player.name for player in asked.players] == [
        "balanced",
        "sharp(bao_threshold=3)",
        "novice",
        "random",
    ]
    assert (asked.seats, asked.base.rounds, asked.base.seed) == (3, 500, 9)
    assert asked.base.rules.peeks == 1
    assert Tournament.from_dict(asked.to_dict()) == asked
    assert asked.with_changes(seed=9) == asked
    assert asked.with_changes(players="novice,sharp").seats == 2


def test_defaults() -> None:
    assert len(Tournament.of().players) == len(sim.game.players.shipped_players())  # type: ignore[attr-defined]
    assert (Tournament.of().seats, Tournament.of().base.rounds) == (4, 1_000_000)
    assert Tournament.of(players="sharp,novice").seats == 2


BAD = {
    'players = ["balanced"]': "players: expected 2 to 100 players, got 1",
    'players = "balanced"': "players: expected 2 to 100 players, got 1",
    "players = 3": "players: expected a list of 2 to 100 players, got 3",
    'players = ["balanced", "shap"]': "players.1: no such player",
    'players = ["sharp", "sharp"]': "players: two players of one name",
    "seats = 1": "seats: expected a whole number from 2 to 6, got 1",
    'seats = "4"': "seats: expected a whole number from 2 to 6",
    'players = ["sharp", "novice"]\nseats = 3': "seats: expected a whole number from 2 to 2, as",
    "seat = 4": "seat: no such key, expected name, title, question, players, seats",
    "games = 4": "games: no such key",
    "rounds = 0": "rounds: expected a whole number from 1",
    "[rules]\npeaks = 1": "rules.peaks: no such rule option; did you mean 'peeks'?",
    'deck = "five"': "deck: no such deck",
    "seed = -1": "seed: expected a whole number from 0",
}


@pytest.mark.parametrize(("text", "says"), BAD.items(), ids=range(len(BAD)))
def test_bad_files_are_refused_by_file_and_key(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_tournament(path)
    assert str(caught.value).startswith(f"{path}: {says}")


# --- results --------------------------------------------------------------------------------------


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


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.jit
def test_the_command_is_the_function(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(FILE)
    options = ["--rule", "peeks=2", "--seed", "4", "--set", "2.attention=0.7", "--json", "--quiet"]
    shown = CliRunner().invoke(main, ["tournament", str(tmp_path / "t.toml"), *options])
    assert shown.exit_code == 0, shown.output
    summary = json.loads(shown.stdout)
    assert summary["rules"]["peeks"] == 2
    assert "novice(attention=0.7)" in {row["player"] for row in summary["ranking"]}
    asked = load_tournament(tmp_path / "t.toml")
    players = list(asked.players)
    players[2] = players[2].with_changes(attention=0.7)
    same = tournament(asked.with_changes(players=players, rules={"peeks": 2}, seed=4))
    assert json.loads(same.to_json()) == summary


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--players", "sharp,shap"], "--players: no such player"),
        (["--players", "sharp,novice", "--seats", "3"], "seats: expected a whole number from 2"),
        (["--set", "40.attention=1"], "--set 40.attention=1: no such seat"),
        (["--rule", "peaks=1"], "--rule: no such rule option"),
        (["nothing.toml"], "nothing.toml: no such file"),
        (["--out", ""], "--out: expected the name of a folder"),
    ],
)
def test_wrong_options(options: list[str], says: str) -> None:
    shown = CliRunner().invoke(main, ["tournament", "--rounds", "100", *options])
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"Error: {says}")
    assert len(shown.stderr.splitlines()) == 1


def test_a_file_of_a_sweep_is_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(FILE + "[sweep]\n0.attention = [1, 0]\n")
    with pytest.raises(InputError) as caught:
        load_tournament(file)
    assert str(caught.value) == f"{file}: sweep: this is a sweep: use baobei sweep"
