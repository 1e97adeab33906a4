"""Results of sweeps: metrics, calibration, the best point, text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sim
from analysis.results.sweep import SweepResult
from analysis.sweeping import best_point, calibration_rows
from sim.api import sweep
from sim.errors import InputError
from sim.game.study import Study
from sim.metrics import SWEPT


def base(**changes: Any) -> Study:
    """Return a short study."""
    return Study.of(**({"players": "balanced,novice,balanced", "rounds": 300, "seed": 5} | changes))


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
    assert set(metrics["metric"]) <= set(SWEPT)
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
