"""What every shipped player must keep to, whatever its strategy; a new one inherits it all."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.batch.pack import pack
from sim.game.players import KINDS, Player, load_player, shipped_players
from sim.game.rules import EDITIONS
from sim.game.study import Study
from sim.watch.trace import trace
from tests.support.chance import SCALE, scaled
from tests.support.play import play

PLAYERS = shipped_players()
#: Players that never call BAO: among themselves rounds end by the second recycling.
NEVER_CALL = {"turtle"}

every_player = pytest.mark.parametrize("name", PLAYERS)
every_edition = pytest.mark.parametrize("edition", EDITIONS)


def among_themselves(name: str, players: int, edition: str, **more: Any) -> Study:
    return Study.of(players=[name] * players, edition=edition, rounds=1, **more)


def among_others(name: str, players: int, edition: str, **more: Any) -> Study:
    """The player in seat 0, all others in turn after it."""
    at = PLAYERS.index(name)
    rivals = [PLAYERS[(at + k) % len(PLAYERS)] for k in range(1, players)]
    return Study.of(players=[name, *rivals], edition=edition, rounds=1, **more)


def test_the_players_that_the_issue_asks_for_are_there() -> None:
    assert {"balanced", "random"} <= set(PLAYERS)
    assert sum(load_player(name).kind == "heuristic" for name in PLAYERS) >= 3


@every_player
@every_edition
@pytest.mark.parametrize("players", range(2, 7))
def test_plays_without_a_fault_and_ends_its_rounds(name: str, edition: str, players: int) -> None:
    """`play` fails on any answer against the rules; hardly any round may need to be stopped."""
    for study in (among_themselves(name, players, edition), among_others(name, players, edition)):
        count = scaled(200, least=2)
        tally = play(study, count).tally
        assert tally.rounds == count
        assert tally.ends.sum() == count
        if name not in NEVER_CALL and count >= 100:
            assert tally.ends[2] <= 0.01 * count


@every_player
def test_plays_games(name: str) -> None:
    rules = {"game_threshold": 30, "max_rounds": 40}
    study = Study.of(players=[name, "balanced", name], games=1, rules=rules, seed=3)
    count = scaled(30, least=2)
    tally = play(study, count).tally
    assert tally.games == tally.game_ends.sum() == count
    assert tally.wins.sum() == count - tally.game_ends[1] - tally.game_ends[2]


@every_player
@every_edition
def test_is_reproducible(name: str, edition: str) -> None:
    study = among_others(name, 4, edition, seed=11)
    again = among_others(name, 4, edition, seed=11)
    count = scaled(50, least=3)
    assert np.array_equal(play(study, count).rows, play(again, count).rows)
    assert trace(study, 1).events == trace(again, 1).events
    other = among_others(name, 4, edition, seed=12)
    assert not np.array_equal(play(study, count).rows, play(other, count).rows)


@every_player
def test_a_clone_is_equal_and_plays_equally(name: str) -> None:
    player = load_player(name)
    clones = [
        Player.of(player.to_dict()),
        copy.deepcopy(player),
        pickle.loads(pickle.dumps(player)),
        load_player(name),
        player.with_changes(),
    ]
    study = Study.of(players=[player, "balanced"], rounds=1, seed=5)
    rows = play(study, scaled(30, least=3)).rows
    for clone in clones:
        assert clone == player
        assert clone.fingerprint == player.fingerprint
        other = Study.of(players=[clone, "balanced"], rounds=1, seed=5)
        assert bytes(pack(other)) == bytes(pack(study))
        assert np.array_equal(play(other, scaled(30, least=3)).rows, rows)


@every_player
def test_its_values_reach_the_engine(name: str) -> None:
    """Every parameter has a place in the engine's table, and stands in it."""
    player = load_player(name)
    table = pack(Study.of(players=["balanced", player], rounds=1))
    for spec in type(player).parameters():
        value = player.values[spec["name"]]
        if spec["type"] == "choice":
            value = spec["choices"].index(value)
        stands = float(getattr(table, spec["name"])[1])
        assert stands == value or (value == "counted" and math.isnan(stands))


@every_player
def test_says_who_it_is(name: str) -> None:
    player = load_player(name)
    assert player.name == name
    assert player.character.endswith(".")
    assert player.kind in KINDS


def test_no_two_players_are_the_same() -> None:
    assert len({load_player(name).fingerprint for name in PLAYERS}) == len(PLAYERS)


@pytest.mark.skipif(SCALE < 0.5, reason="needs some hundred rounds")
@pytest.mark.parametrize("name", [name for name in PLAYERS if name != "random"])
def test_beats_dice(name: str) -> None:
    """A sensible player wins most rounds against three that roll dice."""
    study = Study.of(players=[name, "random", "random", "random"], rounds=1, seed=9)
    count = scaled(400)
    share = play(study, count).tally.share[0] / 60 / count
    assert share > 0.4


@given(st.permutations(PLAYERS), st.integers(2, 6), st.integers(0, 2**64 - 1))
@settings(max_examples=scaled(40, least=4))
def test_a_seat_plays_by_its_own_strategy(order: list[str], players: int, seed: int) -> None:
    """Whoever sits elsewhere: the first turn of a round hangs on its player alone."""
    names = order[:players]
    study = Study.of(players=names, rounds=1, seed=seed)
    events = trace(study).events
    first = events[0]["first"]
    others = ["random"] * players
    others[first] = names[first]
    mixed = trace(Study.of(players=others, rounds=1, seed=seed)).events
    assert events[0]["hands"] == mixed[0]["hands"]
    until = 3  # deal, turn, and the choice between drawing and taking
    assert events[1:until] == mixed[1:until]
