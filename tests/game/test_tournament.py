"""Tournaments: who meets whom, who sits where, bad files."""

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

import sim
from sim.errors import InputError
from sim.game.players import Player
from sim.game.tournament import MAX_TABLES, Tournament, balanced_tables, load_tournament
from tests.support.studies import TOURNAMENT

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


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TOURNAMENT)
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
    'players = ["sharp", "novice"]\nseats = 3': "seats: expected 2, as there are 2 players, got 3",
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
