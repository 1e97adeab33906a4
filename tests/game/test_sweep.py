"""Sweeps: points, axes, bad files."""

import json
from pathlib import Path
from typing import Any

import pytest

from sim.cli.asked import make_sweep
from sim.errors import InputError
from sim.game.deck import load_deck
from sim.game.players import load_player
from sim.game.study import Study
from sim.game.sweep import Sweep, load_sweep, read_axis


def base(**changes: Any) -> Study:
    """Return a short study."""
    return Study.of(**({"players": "balanced,novice,balanced", "rounds": 300, "seed": 5} | changes))


def points(over: dict[str, Any], **settings: Any) -> list[tuple[Any, ...]]:
    return list(Sweep.of(base(), over, **settings).points)


# --- points ---------------------------------------------------------------------------------------


def test_lists_and_ranges() -> None:
    assert points({"0.bao_threshold": [3, 1]}) == [(3,), (1,)]
    steps = {"from": 0, "to": 1, "steps": 5}
    assert points({"0.attention": steps}) == [(0.0,), (0.25,), (0.5,), (0.75,), (1.0,)]
    assert points({"0.attention": {"from": 0.1, "to": 0.4, "steps": 4}}) == [
        (0.1,),
        (0.2,),
        (0.3,),
        (0.4,),
    ]
    whole = points({"0.bao_threshold": {"from": 0, "to": 4, "steps": 3}})
    assert whole == [(0,), (2,), (4,)]
    assert all(type(value) is int for (value,) in whole)


def test_several_axes_make_a_grid() -> None:
    over = {"0.bao_threshold": [1, 2], "all.attention": [0.5, 1.0]}
    assert points(over) == [(1, 0.5), (1, 1.0), (2, 0.5), (2, 1.0)]
    assert points(over, together=True) == [(1, 0.5), (2, 1.0)]


def test_a_sample_is_a_latin_hypercube() -> None:
    over = {
        "0.bao_threshold": {"from": 0, "to": 9},
        "0.attention": {"from": 0.5, "to": 1.0},
        "rules.shield": ["none", "at_once"],
    }
    found = points(over, sample=20)
    assert len(found) == 20
    assert sorted(value for value, _, _ in found) == sorted([*range(10), *range(10)])
    parts = sorted(int((value - 0.5) / 0.5 * 20) for _, value, _ in found)
    assert parts == list(range(20))
    assert [shield for _, _, shield in found].count("none") == 10
    assert found == points(over, sample=20)
    assert found[:3] != [tuple(point) for point in points(over, sample=21)][:3]


def test_what_an_axis_changes() -> None:
    def at(key: str, value: Any) -> Study:
        return Sweep.of(base(), {key: [value]}).studies[0]

    assert [p.values["bao_threshold"] for p in at("0,2.bao_threshold", 9).players] == [9, 4, 9]
    assert {p.values["attention"] for p in at("all.attention", 0.3).players} == {0.3}
    assert at("1.player", "sharp").players[1].name == "sharp"
    assert at("1.player", {"base": "sharp", "attention": 0.5}).players[1].values["attention"] == 0.5
    assert at("rules.bao_failure_minimum", 12).rules.bao_failure_minimum == 12
    assert at("rules.hand_size.3", 6).rules.hand_size[3] == 6
    assert at("edition", "first").edition == "first"
    assert at("deck", "five_per_power").deck.name == "five_per_power"
    assert at("deck.bird_3", 1).deck.size == base().deck.size - 4
    assert at("deck.bird_3", 5).deck.fingerprint == base().deck.fingerprint
    assert [p.name for p in at("players", 5).players] == [
        "balanced", "novice", "balanced", "balanced", "novice",
    ]  # fmt: skip
    assert at("players", 2).seed == base().seed


def test_seats_in_focus() -> None:
    def focus(*keys: str, **settings: Any) -> tuple[int, ...]:
        return Sweep.of(base(), {key: [1] for key in keys}, **settings).focus

    assert focus("0.attention") == (0,)
    assert focus("2.attention", "0.bao_threshold") == (0, 2)
    assert focus("all.attention", "1.bao_threshold") == (1,)
    assert focus("0,1,2.attention") == focus("0.attention", "1,2.attention") == ()
    assert focus("all.attention") == focus("rules.bao_failure_minimum") == ()
    assert focus("rules.bao_failure_minimum", focus=[1]) == (1,)


# --- files ----------------------------------------------------------------------------------------


FILE = """
players = ["balanced", "novice"]
rounds = 200
[sweep]
"0.bao_threshold" = [2, 8]
0.attention = { from = 0.5, to = 1.0, steps = 2 }
rules.bao_failure_minimum = [5]
"""


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(FILE)
    found = load_sweep(tmp_path / "s.toml")
    assert [axis.key for axis in found.axes] == [
        "0.bao_threshold",
        "0.attention",
        "rules.bao_failure_minimum",
    ]
    assert len(found.points) == 4
    assert len({study.seed for study in found.studies}) == 1
    assert json.loads(json.dumps(found.to_dict()))["sweep"]["focus"] == [0]


BAD = {
    "": "sweep: nothing is varied",
    "[sweep]": "sweep: nothing is varied",
    "sweep = 3": "sweep: expected a table, got 3",
    "[sweep]\n0.bao_treshold = [1]": "sweep.0.bao_treshold: no such parameter; did you mean "
    "'0.bao_threshold'?",
    "[sweep]\n2.bao_threshold = [1]": "sweep.2.bao_threshold: no such seat, expected 0 to 1",
    "[sweep]\n0.bao_threshold = 3": "sweep.0.bao_threshold: expected a list of values",
    "[sweep]\n0.bao_threshold = []": "sweep.0.bao_threshold: expected a list of values",
    "[sweep]\n0.attention = [2]": "sweep.0.attention: expected a number from 0 to 1, got 2",
    "[sweep]\n0.attention = { from = 0, to = 1, step = 2 }": "sweep.0.attention.step: does not "
    "belong to this range",
    "[sweep]\n0.attention = { from = 0, to = 1 }": "sweep.0.attention.steps: missing",
    "[sweep]\n0.attention = { from = 1, to = 0, steps = 2 }": "sweep.0.attention.from: expected",
    "[sweep]\n0.attention = { from = 0, to = 1, steps = 0 }": "sweep.0.attention.steps: expected",
    '[sweep]\n0.attention = { from = "a", to = 1, steps = 2 }': "sweep.0.attention.from: expected",
    "[sweep]\nrules.peaks = [1]": "sweep.rules.peaks: no such rule option; did you mean "
    "'rules.peeks'?",
    "[sweep]\ndeck.bird_99 = [1]": "sweep.deck.bird_99: no such bird",
    '[sweep]\ndeck = ["five"]': "sweep.deck: no such deck",
    "[sweep]\nplayers = [7]": "sweep.players: expected a whole number from 2 to 6",
    '[sweep]\nplayers = ["balanced"]': "sweep.players: expected a whole number from 2 to 6, how "
    'many sit at the table (SEAT.player says who), got "balanced"',
    '[sweep]\n0.player = ["gone.toml"]': "sweep.0.player: no such file '",
    "[sweep]\n0.bao = [1]": "sweep.0.bao: no such parameter, expected one of",
    '[sweep]\n0.attention = [1]\n"0.attention" = [0]': "sweep.0.attention: varied twice",
    '[sweep]\n"0,1.attention" = [1]\nall.attention = [0]': "sweep.all.attention: varied twice, "
    "expected each axis once: it is '0,1.attention'",
    "[sweep]\n0.attention = [1, 0, 1.0]": "sweep.0.attention: a value twice, expected each once, "
    "got 1.0",
    "[sweep]\n0.bao_threshold = { from = 0, to = 4, steps = 9 }": "sweep.0.bao_threshold.steps: "
    "there are only 5 different values from 0 to 4, expected at most 5, got 9",
    "[sweep]\n0.attention = { from = 1, to = 1, steps = 2 }": "sweep.0.attention.steps: there are "
    "only 1 different value from 1 to 1",
    "[sweep]\ntogether = true\n0.attention = [1, 0, 1]\n1.attention = [1, 0, 1]": "sweep.together: "
    "the same values stand together twice",
    "seats = 2\n[sweep]\n0.attention = [1]": "seats: this is a tournament: use baobei tournament",
    "[sweep]\nattention = [1]": "sweep.attention: no such axis",
    "[sweep]\nsample = 0\n0.attention = [1]": "sweep.sample: expected a whole number from 1",
    "[sweep]\nsample = 5\n0.attention = 1": "sweep.0.attention: expected a list of values",
    "[sweep]\ntogether = 1\n0.attention = [1]": "sweep.together: expected true or false",
    "[sweep]\ntogether = true\n0.attention = [1, 0]\n1.attention = [1]": "sweep.together: axes",
    "[sweep]\nfocus = [4]\n0.attention = [1]": "sweep.focus: expected a list of seats",
    '[sweep]\n0.player = [{ base = "sharp", atention = 1 }]': "sweep.0.player.atention: no such",
    "[sweep]\n0.attention = { from = 0, to = 1, steps = 5000 }\n1.attention = [0, 1]": "sweep: "
    "expected at most 5,000 points, got 10000",
    "round = 3": "round: no such key, expected players",
}


@pytest.mark.parametrize(("text", "says"), BAD.items(), ids=range(len(BAD)))
def test_bad_files_are_refused_by_file_and_key(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f'players = ["balanced", "novice"]\nrounds = 10\n{text}\n')
    with pytest.raises(InputError) as caught:
        load_sweep(path)
    assert str(caught.value).startswith(f"{path}: {says}")


@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        ("0.bao_threshold=0,2, 4", "0.bao_threshold", [0, 2, 4]),
        ("0.a=[0.5, 1]", "0.a", [0.5, 1]),
        ("0.a={from=0, to=1, steps=3}", "0.a", {"from": 0, "to": 1, "steps": 3}),
        ("rules.shield=none,at_once", "rules.shield", ["none", "at_once"]),
        ("rules.bao=true,false", "rules.bao", [True, False]),
        ("0.player=sharp,my.toml", "0.player", ["sharp", "my.toml"]),
        ("0,2.a=1", "0,2.a", [1]),
    ],
)
def test_axes_on_the_command_line(text: str, key: str, values: Any) -> None:
    assert read_axis(text) == (key, values)


def test_values_come_again_where_axes_go_hand_in_hand() -> None:
    over = {"0.attention": [0, 0, 1], "1.attention": [0, 1, 1]}
    assert points(over, together=True) == [(0, 0), (0, 1), (1, 1)]
    assert points({"rules.bao": [True, False]}) == [(True,), (False,)]


def test_typed_paths_are_those_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text('base = "balanced"\nbao_threshold = 7\n')
    (tmp_path / "d.toml").write_text("[birds.a]\nvalue = 1\ncopies = 30\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "mine.toml").write_text('base = "balanced"\nbao_threshold = 9\n')
    (inner / "s.toml").write_text(
        'players = ["balanced", "novice"]\nrounds = 9\n[sweep]\n1.player = ["mine.toml"]\n'
    )
    monkeypatch.chdir(tmp_path)
    options: dict[str, Any] = dict.fromkeys(("players", "edition", "deck", "seed", "rounds"))
    options |= {"games": None, "rules": (), "settings": ()}
    over = ["0.player=sharp,mine.toml", "deck=five_per_value,d.toml"]
    found = make_sweep("inner/s.toml", over, **options)
    last = found.studies[-1]
    assert last.deck.name == "d"
    assert [player.values["bao_threshold"] for player in last.players] == [7, 9]
    assert found.axes[1].values == ("sharp", "mine.toml")
    assert make_sweep(None, over, **options).studies[-1].players[0].name == "mine"


def test_decks_and_players_as_objects_can_be_stored() -> None:
    decks = [load_deck("five_per_value"), load_deck("five_per_power")]
    study = Study.of(players="random,random", rounds=10)
    sweep = Sweep.of(study, {"deck": decks, "0.player": [load_player("random")]})
    assert len(sweep.fingerprint) == 16
    assert json.loads(json.dumps(sweep.to_dict()))["sweep"]["axes"][0]["key"] == "deck"
