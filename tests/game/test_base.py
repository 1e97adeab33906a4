"""Numbers are numbers however they are written: in files, by numpy and pandas, in texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from itertools import cycle, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import sim
from sim.batch.stopping import Until
from sim.cli import main
from sim.errors import InputError
from sim.game.base import number, plain, whole, whole_text
from sim.game.sweep import MAX_POINTS, read_axis

WAYS: dict[str, Callable[[int], Any]] = {
    "float": float,
    "int64": np.int64,
    "uint8": np.uint8,
    "float32": np.float32,
    "float64": np.float64,
    "longdouble": np.longdouble,
    "array": np.array,
}
"""Ways to write a whole number; each has to come to the same as Python's int."""

LISTS: dict[str, Callable[[list[int]], Any]] = {
    "tuple": tuple,
    "floats": lambda values: [float(value) for value in values],
    "scalars": lambda values: [np.int16(value) for value in values],
    "array": np.array,
    "floats of numpy": lambda values: np.array(values, np.float64),
    "objects": lambda values: np.array(values, object),
    "Series": pd.Series,
    "Series that may miss some": lambda values: pd.Series(values, dtype="Int64"),
    "Index": pd.Index,
    "range": lambda values: range(values[0], values[-1] + 1, values[1] - values[0]),
}
"""Ways to write a list of them, evenly spaced."""


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_whole_number_is_one(way: Callable[[int], Any]) -> None:
    assert whole(way(7)) == number(way(7)) == 7
    assert type(whole(way(7))) is int


@pytest.mark.parametrize(
    "value",
    [True, np.True_, 3.5, np.float32(3.5), 2.0**53, 1e400, float("nan"), "3", None, [3], [],
     Decimal(3), 3 + 0j, np.array([3]), np.array([]), np.array("3")],
)  # fmt: skip
def test_no_whole_number(value: Any) -> None:
    assert whole(value) is None


@pytest.mark.parametrize(
    "value", [False, np.False_, "3", None, 10**301, -(2**20_000), np.inf], ids=range(7)
)
def test_nothing_to_reckon_with(value: Any) -> None:
    assert number(value) is None


def test_plain_values_are_pythons() -> None:
    given = {"a": (np.int8(1), [np.str_("x"), np.True_]), np.str_("b"): pd.Series([0.5]), "c": {1}}
    assert repr(plain(given)) == "{'a': (1, ['x', True]), 'b': [0.5], 'c': {1}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1000", 1000), ("1_000", 1000), ("1e3", 1000), (" 7 ", 7), ("1e400", None), ("1.5", None),
     ("1,000,000", 10**6), ("1.000", None), ("1,00", None), ("1,000" * 2000, None),
     ("9" * 5000, None), ("nan", None), ("x", None), ("", None), (str(2**64), 2**64)],
)  # fmt: skip
def test_texts(text: str, expected: int | None) -> None:
    assert whole_text(text) == expected


# --- studies --------------------------------------------------------------------------------------

BIRDS = {"a": {"value": 3, "copies": 60}, "b": {"value": -2, "copies": 5, "power": "look"}}


def everything(way: Callable[[int], Any]) -> sim.Study:
    """Return a study in which every whole number that a user may write is written in one way."""
    birds = {
        id_: bird | {"value": bird["value"] if bird["value"] < 0 else way(bird["value"])}  # type: ignore[operator]
        for id_, bird in BIRDS.items()
    }
    whole_parameters = [
        spec["name"]
        for spec in sim.load_player("balanced").parameters()
        if spec["type"] == "integer"
    ]
    player = {"base": "balanced"} | {name: way(4) for name in whole_parameters}
    rules = {
        option["name"]: way(5)
        for option in sim.Rules.options()
        if option["type"] in ("integer", "table")
    }
    return sim.Study.of(
        players=[player, "sharp", "random"],
        deck={"birds": birds | {"c": {"value": way(9), "copies": way(8)}}},
        rules=rules | {"hand_size": {way(3): way(6)}},
        rounds=way(20),
        seed=way(100),
    )


@pytest.mark.parametrize("way", [way for way in WAYS.values() if way is not np.array])
def test_studies_are_equal_and_so_is_what_they_write_down(way: Callable[[int], Any]) -> None:
    found, expected = everything(way), everything(int)
    assert found == expected
    assert found.fingerprint == expected.fingerprint
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_changes_are_equal(way: Callable[[int], Any]) -> None:
    study = sim.load_study().with_changes(
        games=way(3), seed=way(2), rules={"peeks": way(1), "hand_size": {"4": way(5)}}
    )
    assert study == sim.load_study().with_changes(
        games=3, seed=2, rules={"peeks": 1, "hand_size": {4: 5}}
    )
    player = sim.load_player("sharp").with_changes(bao_threshold=way(3), unknown_value=way(6))
    assert player == sim.load_player("sharp").with_changes(bao_threshold=3, unknown_value=6)
    assert player.name == "sharp(bao_threshold=3,unknown_value=6)"


def test_files(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'players = ["balanced", { base = "sharp", bao_threshold = 3.0 }]\nrounds = 1e4\n'
        "seed = 1e3\n[rules]\npeeks = 1.0\nhand_size = 5e0\ngame_threshold.2 = 2e2\n"
    )
    assert sim.load_study(tmp_path / "s.toml") == sim.Study.of(
        players=["balanced", {"base": "sharp", "bao_threshold": 3}],
        rules={"peeks": 1, "hand_size": 5, "game_threshold": {2: 200}},
        rounds=10_000,
        seed=1000,
    )


@pytest.mark.parametrize(
    "written",
    ["rounds = 2.5", "rounds = true", "rounds = 1e400", "rounds = nan", "seed = 1e19",
     "rules.peeks = 1.5", "rules.hand_size = 2.5", "rules.hand_size.2 = true",
     "deck.base = 'five_per_value'\ndeck.change.macaw.copies = 1.5"],
)  # fmt: skip
def test_half_numbers_and_yes_and_no_are_refused(written: str, tmp_path: Path) -> None:
    start = "" if written.startswith("rounds") else "rounds = 9\n"
    (tmp_path / "s.toml").write_text(f'players = ["sharp", "random"]\n{start}{written}\n')
    with pytest.raises(InputError, match="expected a whole number from") as caught:
        sim.load_study(tmp_path / "s.toml")
    assert str(caught.value).startswith(str(tmp_path / "s.toml"))


@pytest.mark.parametrize("make", [np.array, pd.Series, tuple, iter], ids=lambda make: make.__name__)
def test_names_of_players_in_any_list(make: Callable[[list[str]], Any]) -> None:
    study = sim.Study.of(players=make(["sharp", "random"]), rounds=5)
    assert study == sim.Study.of(players="sharp,random", rounds=5)
    entrants = sim.Tournament.of(players=make(["sharp", "random", "novice"]), rounds=500)
    assert entrants == sim.Tournament.of(players="sharp,random,novice", rounds=500)


# --- sweeps and tournaments -----------------------------------------------------------------------

STUDY = sim.Study.of(players="balanced,sharp", rounds=20)


@pytest.mark.parametrize("settings", [{}, {"together": True}, {"sample": 3}], ids=str)
@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_lists_of_any_kind_make_equal_sweeps(
    make: Callable[[list[int]], Any], settings: dict[str, Any]
) -> None:
    def swept(make: Callable[[list[int]], Any]) -> sim.Sweep:
        keys = ("0.bao_threshold", "rules.hand_size.2", "deck.barn_owl")
        over = {key: make([2, 4, 6]) for key in keys}
        return sim.Sweep.of(STUDY, over, focus=make([0, 1]), **settings)

    found, expected = swept(make), swept(list)
    assert found == expected
    assert found.fingerprint == expected.fingerprint
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_numbers_of_sweeps(way: Callable[[int], Any]) -> None:
    def swept(way: Callable[[int], Any]) -> list[sim.Sweep]:
        ends = {"from": way(2), "to": way(6)}
        fractions = {"from": way(0), "to": way(1), "steps": way(3)}
        return [
            sim.Sweep.of(STUDY, {"0.bao_threshold": ends | {"steps": way(3)}}),
            sim.Sweep.of(STUDY, {"0.bao_threshold": ends | {"steps": way(1)}}),
            sim.Sweep.of(STUDY, {"0.bao_threshold": ends, "1.attention": fractions}),
            sim.Sweep.of(STUDY, {"0.bao_threshold": ends}, sample=way(3)),
            sim.Sweep.of(STUDY, {"players": [way(2), way(3)]}),
        ]

    for found, expected in zip(swept(way), swept(int), strict=True):
        assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())
        assert found.fingerprint == expected.fingerprint


def test_a_range_of_whole_numbers_needs_no_steps() -> None:
    found = sim.Sweep.of(STUDY, {"0.bao_threshold": {"from": 2, "to": 4}})
    assert found.axes[0].values == (2, 3, 4)
    assert read_axis("0.bao_threshold={from=2,to=4}")[1] == {"from": 2, "to": 4}


FIFTEEN = list(range(15))


@pytest.mark.parametrize(
    ("over", "says"),
    [
        ({f"{s}.bao_threshold": FIFTEEN for s in (0, 1)} | {f"{s}.memory_span": FIFTEEN
          for s in (0, 1)}, "sweep: expected at most 5,000 points, got 50625"),
        ({f"{s}.{name}": FIFTEEN for s in (0, 1) for name in ("bao_threshold", "memory_span",
          "bao_min_turn", "bao_unknown_max", "bao_margin")},
         "sweep: expected at most 5,000 points, got 576650390625"),
        ({f"{key}": FIFTEEN for key in range(5000)}, "sweep: expected at most 5,000 points, got s"),
        ({"0.bao_threshold": range(10**30)},
         "sweep.0.bao_threshold: expected at most 5,000 values, got 1000000000"),
        ({"0.bao_threshold": {"from": 0, "to": 10**12}}, "sweep.0.bao_threshold.steps: expected a"),
        ({"0.bao_threshold": np.arange(MAX_POINTS + 1)}, "sweep: expected at most 5,000 points"),
    ],
    ids=range(6),
)  # fmt: skip
def test_points_are_counted_before_they_are_made(over: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        sim.Sweep.of(STUDY, over)
    assert str(caught.value).startswith(says)


def test_no_list_of_players_is_gone_through_that_is_too_long() -> None:
    for players in (repeat("sharp"), range(10**12)):
        with pytest.raises(InputError, match="players: expected 2 to 6 players, got 7"):
            sim.Study.of(players=players, rounds=5)
        with pytest.raises(InputError, match="players: expected 2 to 100 players, got 101"):
            sim.Tournament.of(players=players)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "over",
    [
        {"0.bao_threshold": [True]},
        {"0.bao_threshold": np.array([True, False])},
        {"0.bao_threshold": [2.5]},
        {"0.bao_threshold": np.array([[2, 3]])},
        {"0.bao_threshold": np.array([])},
        {"0.bao_threshold": {"from": True, "to": 3, "steps": 2}},
        {"0.attention": {"from": -1e308, "to": 1e308, "steps": 2}},
        {"0.attention": {"from": 0, "to": 10**400, "steps": 2}},
        {"0.attention": [10**5000]},
        {"rules.hand_size": [{2: 6, "3": 10**5000}]},
        {0: [1]},
    ],
    ids=range(11),
)
def test_what_is_no_number_of_an_axis(over: dict[Any, Any]) -> None:
    with pytest.raises(InputError, match=r"^sweep"):
        sim.Sweep.of(STUDY, over)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_tournaments(way: Callable[[int], Any]) -> None:
    players = "sharp,novice,random"
    found = sim.Tournament.of(players=players, seats=way(2), rounds=way(100), seed=way(3))
    expected = sim.Tournament.of(players=players, seats=2, rounds=100, seed=3)
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())
    assert found.with_changes(seats=way(3)) == expected.with_changes(seats=3)


# --- playing --------------------------------------------------------------------------------------


def bytes_of(folder: Path) -> dict[str, str]:
    """Return the files of JSON in a folder, without times."""
    return {
        str(file.relative_to(folder)): "\n".join(
            line for line in file.read_text().splitlines() if "second" not in line or "end" in line
        )
        for file in sorted(folder.rglob("*.json"))
    }


@pytest.mark.jit
def test_runs_write_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (sim.Comparison, sim.SweepResult, sim.TournamentResult):
        monkeypatch.setattr(kind, "pictures", lambda self: {})
    ways = cycle([np.int64, float, np.float32, np.uint16])

    def play(way: Callable[[int], Any], out: Path) -> None:
        study = STUDY.with_changes(rounds=way(60))
        sim.run(study, threads=way(2), chunk=way(7), max_rounds=way(50), out=out / "run")
        sim.run(study, only=(way(10), way(30)), max_seconds=way(60), out=out / "part")
        sim.extend(out / "part", rounds=way(70), chunk=way(9))
        until = Until("score_mean", way(0), way(1))
        sim.run(study, until=until, max_rounds=way(40), out=out / "until", records=way(0))
        sim.compare(study, rules={"peeks": way(1)}, rounds=way(20), seed=way(4), chunk=way(3),
                    rotate=way(0), out=out / "compare")  # fmt: skip
        over = {"0.bao_threshold": [way(2), way(4)]}
        sim.sweep(STUDY, over, piece=way(9), threads=way(1), focus=[way(1)], out=out / "sweep")
        entrants = sim.Tournament.of(players="sharp,novice,random", seats=way(2), rounds=way(60))
        sim.tournament(entrants, piece=way(4), out=out / "tournament")

    play(int, tmp_path / "expected")
    play(lambda number: next(ways)(number), tmp_path / "found")
    assert bytes_of(tmp_path / "found") == bytes_of(tmp_path / "expected")


@pytest.mark.jit
def test_traces() -> None:
    expected = sim.trace(STUDY, 3)
    for index in (3.0, np.int64(3), np.array(3)):
        assert sim.trace(STUDY, index) == expected


@pytest.mark.jit
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("threads", True),
        ("threads", 1.5),
        ("chunk", np.True_),
        ("max_rounds", np.float64(2.5)),
        ("max_seconds", True),
        ("max_seconds", np.nan),
        ("max_seconds", 10**400),
        ("only", (False, True)),
        ("only", np.array([0.5, 1])),
    ],
)
def test_arguments_that_are_no_numbers(name: str, wrong: Any) -> None:
    with pytest.raises(
        InputError, match=r"^(range|threads|chunk|max_rounds|max_seconds): expected"
    ):
        sim.run(STUDY, **{name: wrong})


# --- the command line -----------------------------------------------------------------------------

LONG = {
    "digits": "9" * 5000,
    "hexadecimal": "0x" + "f" * 5000,
    "brackets": "[" * 20_000,
    "braces": "{a=" * 20_000,
    "dots": "value." * 20_000,
    "closed brackets": "[" * 200 + "]" * 200,
}
PLACES = (
    "run --set 0.bao_threshold={}",
    "run --set 0.attention={}",
    "run --set 0.unknown_value={}",
    "run --set 0.{}=1",
    "run --set {}.attention=1",
    "run --rule peeks={}",
    "run --rule hand_size={}",
    "run --rule hand_size.2={}",
    "run --rule hand_size.{}=2",
    "run --rule {}=2",
    "run --until win_share[{}]±0.1",
    "run --until win_share[0]±{}",
    "run --rounds {}",
    "run --range 0:{}",
    "run --max-seconds -{}",
    "run --players sharp,{}",
    "run --edition {}",
    "sweep --over 0.bao_threshold={}",
    "sweep --over 0.attention=0,{}",
    "sweep --over 0.attention={{from=0,to={},steps=2}}",
    "sweep --over rules.hand_size.2={}",
    "sweep --over rules.{}=2",
    "sweep --over {}.attention=1",
    "sweep --over deck={}",
    "sweep --over deck.barn_owl={}",
    "sweep --over players={}",
    "sweep --over 0.player={}",
    "compare --rule peeks={}",
    "tournament --set 0.attention={}",
    "trace --set 0.attention={}",
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_a_value_too_long_is_one_short_message(value: str, place: str) -> None:
    result = CliRunner().invoke(main, place.format(value).split())
    assert result.exit_code == 2, result.output[-300:]
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stderr) < 1500
