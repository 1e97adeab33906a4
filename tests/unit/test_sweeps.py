"""Sweeps: points, studies, metrics, calibration, the best point, bad files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sim.outcomes import SweepResult, sweep

import sim
from analysis.sweeping import METRICS, best_point, calibration_rows
from sim.cli import main, make_sweep
from sim.errors import InputError
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


# --- results --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result() -> SweepResult:
    """A short sweep over two axes."""
    over = {"0.bao_threshold": [2, 8], "0.mix_up_rate": [0, 0.1]}
    return sweep(base(title="Two axes"), over, threads=2)


@pytest.mark.jit
def test_points_are_runs_on_the_same_deals(result: SweepResult) -> None:
    for study, sums in zip(result.sweep.studies, result.sums, strict=True):
        assert study.seed == base().seed
        assert sim.run(study, threads=1, progress=False).sums == sums


@pytest.mark.jit
def test_metrics_are_those_of_runs(result: SweepResult) -> None:
    metrics = result.metrics
    assert list(metrics.columns) == [
        "point", "0.bao_threshold", "0.mix_up_rate", "seat", "strategy",
        "metric", "value", "low", "high", "n", "of",
    ]  # fmt: skip
    assert len(metrics) == 4 * (3 * 8 + 4 + 6)
    assert set(metrics["metric"]) <= set(METRICS)
    summary = sim.run(result.sweep.studies[3], progress=False).summary()
    rows = metrics[(metrics["point"] == 3) & (metrics["seat"] == 0)].set_index("metric")
    player = summary["players"][0]
    assert rows.loc["win_share", ["value", "low", "high"]].tolist() == [
        player["win_share"],
        *player["win_share_ci95"],
    ]
    assert rows.loc["bao_success", "n"] == player["bao_called"]
    assert rows.loc["bao_success", "value"] == pytest.approx(
        player["bao_won"] / player["bao_called"]
    )
    table = metrics[(metrics["point"] == 3) & metrics["seat"].isna()].set_index("metric")
    assert table.loc["turns_mean", "value"] == summary["turns"]["mean"]
    ends = table.index.str.startswith("end_")
    assert table.loc[ends, "value"].sum() == pytest.approx(1)
    changes = summary["leads"]["changes"]
    assert table.loc["lead_changes_mean", ["value", "low", "high"]].tolist() == [
        changes["mean"],
        *changes["mean_ci95"],
    ]
    assert table.loc["windows_left", "n"] == summary["windows"]["with_chance"]


@pytest.mark.jit
def test_games_have_metrics_of_their_own() -> None:
    study = Study.of(players="balanced,balanced,novice", games=40, seed=2)
    result = sweep(study, {"rules.game_threshold": [20, 40]}, progress=False)
    rows = result.metrics[result.metrics["of"] == "games"]
    found = {(row.point, row.metric): row.value for row in rows.itertuples()}
    for point, one in enumerate(result.results):
        game = one.summary()["game"]
        assert found[point, "game_rounds_mean"] == game["rounds"]["mean"]
        assert found[point, "game_turns_mean"] == game["turns"]["mean"]
        assert 0 < found[point, "comeback_share"] < 1


@pytest.mark.jit
def test_calibration_counts_every_pluck_once(result: SweepResult) -> None:
    table = result.calibration
    everybody = table[table["seat"].isna()]
    for point, sums in enumerate(result.sums):
        rows = everybody[everybody["point"] == point]
        assert rows["n"].sum() == sum(map(sum, sums["sure_plucks"]))
        assert (rows["hits"] * rows["n"]).sum() == pytest.approx(sum(map(sum, sums["sure_hits"])))
    assert ((table["bin_low"] <= table["confidence"]) & (table["confidence"] <= 1)).all()
    assert set(table["seat"].dropna()) == {0}


def test_calibration_by_hand() -> None:
    rows = list(calibration_rows([0, 4], [0, 3], [0, 2_400_000]))
    assert len(rows) == 1
    assert rows[0]["confidence"] == pytest.approx(0.6)
    assert rows[0]["difference"] == pytest.approx(0.15)
    assert (rows[0]["bin_low"], rows[0]["bin_high"], rows[0]["n"]) == (0.5, 1.0, 4)


@pytest.mark.jit
def test_the_best_point(result: SweepResult) -> None:
    best = result.best
    assert best is not None
    rows = result.metrics[(result.metrics["metric"] == "win_share") & (result.metrics["seat"] == 0)]
    assert best["value"] == rows["value"].max()
    assert best["seats"] == [0]
    assert best["point"] not in best["as_good"]
    assert "best " in result.to_text()
    assert best_point(result.metrics, "group_win_share", None) is None


@pytest.mark.jit
def test_groups_and_numbers_of_players() -> None:
    two = sweep(base(), {"0,2.bao_threshold": [1, 7]})
    rows = two.metrics[two.metrics["metric"] == "group_win_share"]
    shares = two.metrics[two.metrics["metric"] == "win_share"]
    for row in rows.itertuples():
        seats = shares[(shares["point"] == row.point) & shares["seat"].isin([0, 2])]
        assert row.value == pytest.approx(seats["value"].sum())
        assert row.low < row.value < row.high
    assert two.best is not None
    assert "win share of seats 0 and 2" in two.to_text()
    many = sweep(base(), {"players": [2, 4]})
    assert many.best is None
    assert [len(point["players"]) for point in many.summary()["points"]] == [2, 4]
    assert many.to_text()


@pytest.mark.jit
def test_games_have_no_intervals_that_take_rounds_as_independent() -> None:
    study = Study.of(players="balanced,novice", games=5)
    rows = sweep(study, {"rules.game_threshold": [20, 40]}).metrics
    known = set(rows.loc[rows["low"].notna(), "metric"])
    of_games = {"game_rounds_mean", "game_turns_mean", "comeback_share"}
    assert known == {"win_share", "score_mean"} | of_games
    assert set(rows.loc[rows["metric"].isin(["win_share", *of_games]), "of"]) == {"games"}


@pytest.mark.jit
def test_text_html_and_json(result: SweepResult) -> None:
    assert result.to_text().startswith("Two axes\nBAO BEI")
    assert all(len(line) <= 100 for line in result.to_text().splitlines())
    assert "<table>" in result._repr_html_()
    summary = json.loads(result.to_json())
    assert summary["axes"] == ["0.bao_threshold", "0.mix_up_rate"]
    assert summary["points"][3]["values"] == {"0.bao_threshold": 8, "0.mix_up_rate": 0.1}
    assert len(summary["points"][3]["players"][0]["win_share_ci95"]) == 2


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.jit
def test_the_command_is_the_function(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(FILE)
    options = ["--over", "1.attention=0.6,0.7", "--set", "1.blunder_rate=0.1", "--json", "--quiet"]
    shown = CliRunner().invoke(main, ["sweep", str(tmp_path / "s.toml"), *options])
    assert shown.exit_code == 0, shown.output
    study = Study.of(players=["balanced", {"base": "novice", "blunder_rate": 0.1}], rounds=200)
    over = {
        "0.bao_threshold": [2, 8],
        "0.attention": [0.5, 1.0],
        "rules.bao_failure_minimum": [5],
        "1.attention": [0.6, 0.7],
    }
    same = json.loads(sweep(study, over).to_json())
    told = json.loads(shown.stdout)
    assert told["points"] == same["points"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "sweep: nothing is varied"),
        (["--over", "0.attention"], "--over 0.attention: expected KEY=VALUES"),
        (["--over", "0.attention=1", "--over", "0.attention=0"], "0.attention: varied twice"),
        (["--over", "players=balanced"], 'got "balanced"'),
        (["--over", "0.atention=1"], "sweep.0.atention: no such parameter"),
        (["--over", "0.attention=1", "--players", "shap,sharp"], "--players: no such player"),
        (["--over", "0.attention=1", "--rounds", "9", "--games", "9"], "--games: rounds and games"),
        (["--over", "0.attention=1", "--out", ""], "--out: expected the name of a folder"),
    ],
)
def test_wrong_options(options: list[str], says: str) -> None:
    shown = CliRunner().invoke(main, ["sweep", *options])
    assert shown.exit_code == 2
    assert len(shown.stderr.splitlines()) == 1
    assert says in shown.stderr


@pytest.mark.jit
def test_the_folder_of_a_sweep_is_no_run(result: SweepResult, tmp_path: Path) -> None:
    result.save(tmp_path)
    says = "holds the results of a sweep, expected a folder of 'baobei run'"
    tries: list[Callable[[], Any]] = [
        lambda: sim.load_results(tmp_path),
        lambda: sim.run(base(), out=tmp_path, progress=False),
        lambda: sim.extend(tmp_path, rounds=400, progress=False),
    ]
    for attempt in tries:
        with pytest.raises(InputError) as caught:
            attempt()
        assert str(caught.value) == f"{tmp_path}: {says}"


@pytest.mark.jit
def test_plots_of_what_is_not_there(result: SweepResult) -> None:
    with pytest.raises(InputError, match=r"metric: no such metric.*did you mean 'win_share'"):
        result.plot.metric("win_shar")
    with pytest.raises(InputError, match="metric: no such metric, expected win_share, "):
        result.plot.metric("foo")
    with pytest.raises(InputError, match="by: no such axis"):
        result.plot.metric(by="foo")
    one = sweep(base(rounds=20), {"0.bao_threshold": [2, 8]}, threads=1)
    with pytest.raises(InputError, match="two axes are needed"):
        one.plot.map()
