"""Comparisons: two studies on the same deals, block by block, and what is said of them."""

import json
import math
import re
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import sim
from analysis.results.comparison import Comparison
from analysis.text.comparison import comparison_text, sentence
from sim.api import compare, load_comparison
from sim.batch.job import Job
from sim.batch.job import play as play_job
from sim.errors import InputError
from sim.game.study import Study
from sim.metrics import measures

pytestmark = pytest.mark.jit


ALIKE = ["balanced"] * 3


MIXED = ["balanced", "sharp", {"base": "balanced", "bao_threshold": 3}]


def study(players: Any = ALIKE, **changes: Any) -> Study:
    """Return a short study."""
    return Study.of(**({"players": players, "rounds": 600, "seed": 5} | changes))


def quiet(a: Any, b: Any = None, **options: Any) -> Comparison:
    return compare(a, b, progress=False, **options)


def rows(comparison: Comparison, metric: str) -> list[dict[str, Any]]:
    return [row for row in comparison.summary()["differences"] if row["metric"] == metric]


# --- nothing differs ------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", ["second", "first"])
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("players", range(2, 7))
def test_a_study_differs_from_itself_by_exactly_nothing(
    players: int, rotate: bool, edition: str
) -> None:
    names = ["balanced", "sharp", "novice", "random", "gambler", "cautious"][:players]
    same = study(names, rounds=120, edition=edition)
    found = quiet(same, same, rotate=rotate).summary()
    assert found["changed"] == []
    assert found["rounds_that_differ"]["count"] == 0
    assert found["rounds_that_differ"]["share"] == 0.0
    for row in found["differences"]:
        if row["a"] is None:
            assert row["b"] is row["difference"] is None
            continue
        assert row["a"] == row["b"]
        assert (row["difference"], row["ci95"]) == (0.0, [0.0, 0.0])
        assert row["p_holm"] in (None, 1.0)
        assert row["variance_ratio"] is row["smallest_detectable"] is None
        assert row["n_differ"] == 0


def test_where_no_round_differs_rarer_ones_may() -> None:
    """An option that never matters at this table; that it cannot, no sample tells."""
    found = quiet(study(rounds=1000), rules={"max_turns": 900})
    summary = found.summary()
    assert summary["rounds_that_differ"]["count"] == 0
    assert summary["rounds_that_differ"]["ci95"][1] == pytest.approx(0.0038, abs=1e-4)
    for row in summary["differences"]:
        low, high = row["ci95"]
        if row["difference"] is None or row["metric"].endswith("sd"):
            assert low is high is None
        elif row["p"] is None:  # a median
            assert low <= 0 <= high
        else:
            assert low < 0 < high
            assert row["p"] == 1.0
        if row["metric"].startswith(("ends.", "bao.")):
            assert high == pytest.approx(3 / 1000, abs=1e-4)
    frame = found.differences
    assert (frame["high"] > frame["low"])[frame["p"].notna() & frame["low"].notna()].all()
    assert "No round differs; up to 0.38 % of all rounds may." in comparison_text(summary)


def test_differences_of_shares_are_at_most_1() -> None:
    found = quiet(study(MIXED, rounds=6), rules={"bao": False}).differences
    shares = found[(found["unit"] == "share") & found["low"].notna()]
    assert (shares["low"] >= -1).all()
    assert (shares["high"] <= 1).all()
    assert (shares["low"] < shares["high"]).all()


def test_games_too() -> None:
    same = study(MIXED, rounds=None, games=6)
    found = quiet(same, same).summary()
    assert (found["games"], found["blocks"], found["rounds"]) == (6, 2, None)
    assert all(row["difference"] in (0.0, None) for row in found["differences"])
    assert "No game differs" in comparison_text(found)


# --- same deals -----------------------------------------------------------------------------------


def test_sides_are_the_runs_themselves_where_seats_stay() -> None:
    found = quiet(study(), rules={"bao_failure_minimum": 10})
    assert not found.summary()["rotated"]
    assert found.a == sim.run(study(), progress=False)
    assert found.b == sim.run(study(rules={"bao_failure_minimum": 10}), progress=False)


@pytest.mark.parametrize("unit", ["rounds", "games"])
def test_numbers_follow_the_players_through_all_rotations(unit: str) -> None:
    blocks = 40
    asked = study(MIXED, **{"rounds": None, unit: 3 * blocks})
    found = quiet(asked, rules={"shield": "none"})
    assert found.summary()["rotated"]
    assert found.summary()["blocks"] == blocks
    total = {name: [0] * 3 for name in ("score", "share", "bao_called", "cards_left")}
    ends = np.zeros(3, np.int64)
    for first in range(3):
        players = asked.players[first:] + asked.players[:first]
        part = play_job(Job.of(asked.with_changes(players=players)), 0, blocks).sums
        ends += part["ends"]
        for name, sums in total.items():
            for seat in range(3):
                sums[(first + seat) % 3] += part[name][seat]
    for name, sums in total.items():
        assert found.sums[0][name][:3] == sums, name
    assert found.sums[0]["ends"] == ends.tolist()


def test_a_rotated_table_is_the_same_table() -> None:
    a, b = study(["sharp", "novice", "novice"]), study(["novice", "sharp", "novice"])
    found = quiet(a, b)
    for row in found.summary()["differences"]:
        if row["seat"] is None:
            assert row["difference"] in (0.0, None)
            assert row["n_differ"] == 0 or row["p"] is None
    share, other = rows(found, "win_share")[:2]
    assert share["difference"] < 0 < other["difference"]
    assert share["player"] == "sharp → novice"


def test_blocks_are_the_units() -> None:
    """By hand: a block's mean is one number, and the interval is that of their mean."""
    a = study(MIXED, rounds=3 * 50)
    b = a.with_changes(rules={"bao_failure_minimum": 30})
    compared = quiet(a, b)
    found = rows(compared, "score_mean")[1]
    scores = np.zeros((2, 50))
    for side, each in enumerate((a, b)):
        for first in range(3):
            players = each.players[first:] + each.players[:first]
            for block in range(50):
                sums = play_job(Job.of(each.with_changes(players=players)), block, block + 1).sums
                scores[side, block] += sums["score"][(1 - first) % 3] / 3
    apart = scores[1] - scores[0]
    half = 2.009575 * apart.std(ddof=1) / math.sqrt(50)
    low, high = found["ci95"]
    assert found["difference"] == pytest.approx(apart.mean())
    assert (low + high) / 2 == pytest.approx(apart.mean())
    assert half < (high - low) / 2 < 1.2 * half  # of 20 blocks that differ: not quite Student's
    gain = (scores[0].var(ddof=1) + scores[1].var(ddof=1)) / apart.var(ddof=1)
    assert found["variance_ratio"] == pytest.approx(gain)
    tests = sum(row["p"] is not None for row in compared.summary()["differences"])
    z = NormalDist().inv_cdf(1 - 0.025 / tests) + NormalDist().inv_cdf(0.8)
    least = (high - low) / 2 / 2.009575 * z
    assert found["smallest_detectable"] == pytest.approx(least, rel=1e-5)
    assert found["n"] == 50
    assert found["n_differ"] == np.count_nonzero(apart)


@pytest.mark.parametrize("rounds", [60, 600, 3000])
def test_what_is_not_sure_is_smaller_than_what_would_be(rounds: int) -> None:
    found = quiet(study(MIXED, rounds=rounds), rules={"hand_size": {3: 5}}).summary()
    told = [row for row in found["differences"] if row["smallest_detectable"] is not None]
    unsure = [row for row in told if row["p_holm"] >= 0.05]
    assert unsure
    assert all(abs(row["difference"]) < row["smallest_detectable"] for row in unsure)
    tests = sum(row["p"] is not None for row in found["differences"])
    for row in found["differences"]:
        if row["p"] is not None and 2.0 ** (1 - row["n_differ"]) * tests >= 0.05:
            assert row["smallest_detectable"] is None
            assert row["p_holm"] >= 0.05


def test_pairing_gains_much_where_little_changes() -> None:
    found = quiet(study(rounds=3000), rules={"penalty_cards": 2})
    gains = [row["variance_ratio"] for row in rows(found, "win_share") + rows(found, "turns.mean")]
    assert all(gain is None or gain > 3 for gain in gains)
    found = quiet(study(rounds=3000), rules={"bao_failure_minimum": 10})
    assert all(row["variance_ratio"] > 20 for row in rows(found, "score_mean"))
    assert all(row["difference"] > 0 and row["p_holm"] < 1e-6 for row in rows(found, "score_mean"))


@pytest.mark.parametrize("unit", ["rounds", "games"])
def test_values_are_those_of_the_summaries(unit: str) -> None:
    """Whatever has its name in a summary: as it is there, or there as a count."""
    asked = study(MIXED, **{"rounds": None, unit: 300})
    found = quiet(asked, rules={"hand_size": {3: 5}})
    for side, result in (("a", found.a), ("b", found.b)):
        summary = result.summary()
        compared = 0
        for row in found.summary()["differences"]:
            part = summary if row["seat"] is None else summary["players"][row["seat"]]
            known = at(part, row["metric"])
            per = summary["rounds"]
            if row["metric"].startswith("game.") or row["metric"] in ("wins", "shared_wins"):
                per = summary["games"] or per
            if isinstance(known, int) and not row["metric"].endswith("median"):
                known /= per
            if known is None:
                assert row[side] is None, row
            else:
                assert row[side] == pytest.approx(known, rel=1e-12), row
                compared += 1
        assert compared > 100


def at(part: Any, path: str) -> Any:
    """Return what stands at a dotted path of a summary."""
    for key in path.split("."):
        part = part[int(key)] if isinstance(part, list) else part[key]
    return part


def test_what_might_have_been_is_no_difference() -> None:
    """Without a Shield nobody raises one; rounds in which it stopped nothing went the same."""
    found = quiet(study(rounds=2000), rules={"shield": "none"}).summary()
    raised = next(r for r in found["differences"] if r["metric"] == "shields.raised_share")
    assert raised["n_differ"] > 3 * found["rounds_that_differ"]["count"] > 0


def test_rounds_differ_only_where_a_rule_takes_hold() -> None:
    """A dearer failure changes the rounds with a failed call that costs less, and no others."""
    a = study(rounds=400)
    found = quiet(a, rules={"bao_failure_minimum": 10}).summary()
    differing = 0
    for k in range(400):
        one, other = (
            play_job(Job.of(each), k, k + 1).sums
            for each in (a, a.with_changes(rules={"bao_failure_minimum": 10}))
        )
        differing += one["score"] != other["score"]
    assert found["rounds_that_differ"]["count"] == differing > 0


# --- how it is played does not matter -------------------------------------------------------------


@pytest.mark.parametrize("unit", ["rounds", "games"])
def test_threads_and_chunks_do_not_matter(tmp_path: Path, unit: str) -> None:
    a = study(MIXED, **{"rounds": None, unit: 330})
    ways = [{"threads": 1}, {"threads": 3, "chunk": 7}, {"threads": 2, "chunk": 1000}]
    texts, folders = [], []
    for k, way in enumerate(ways):
        found = quiet(a, rules={"shield": "at_once"}, out=tmp_path / str(k), **way)
        texts.append(found.to_json())
        folders.append(contents(tmp_path / str(k)))
    assert texts[0] == texts[1] == texts[2]
    assert folders[0] == folders[1] == folders[2]


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# --- folders --------------------------------------------------------------------------------------


def test_folders(tmp_path: Path) -> None:
    found = quiet(study(), rules={"shield": "none"}, out=tmp_path / "there")
    assert load_comparison(tmp_path / "there") == found
    assert sim.load_comparison(found.save(tmp_path / "again")).to_json() == found.to_json()
    assert contents(tmp_path / "there") == contents(tmp_path / "again")
    assert sim.load_results(tmp_path / "there" / "a") == found.a
    assert sim.load_results(tmp_path / "there" / "b") == found.b
    assert json.loads((tmp_path / "there" / "summary.json").read_text("utf-8")) == found.summary()
    manifest = json.loads((tmp_path / "there" / "manifest.json").read_text("utf-8"))
    assert (manifest["kind"], manifest["finished"]) == ("comparison", True)
    assert Study.from_dict(manifest["study"]["b"]) == found.comparing.b
    assert not (quiet(study(MIXED), rules={"bao": False}).save(tmp_path / "r") / "a").exists()
    rotated = load_comparison(tmp_path / "r")
    assert rotated.a.summary()["rounds"] == 600


def test_folders_that_are_old_or_unfinished(tmp_path: Path) -> None:
    quiet(study(), rules={"shield": "none"}, out=tmp_path)
    file = tmp_path / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(manifest | {"engine": 0}))
    with pytest.warns(UserWarning, match="played by engine 0"):
        load_comparison(tmp_path)
    file.write_text(json.dumps(manifest | {"finished": False}))
    with pytest.raises(InputError, match="is not finished"):
        load_comparison(tmp_path)
    file.write_text(json.dumps(manifest | {"schema": 99}))
    with pytest.raises(InputError, match="newer version"):
        load_comparison(tmp_path)


def test_the_table(tmp_path: Path) -> None:
    import pandas as pd

    found = quiet(study(), rules={"bao_failure_minimum": 12}, out=tmp_path)
    frame = pd.read_parquet(tmp_path / "differences.parquet")
    pd.testing.assert_frame_equal(frame, found.differences, check_dtype=False)
    assert list(frame["metric"][:6]) == ["win_share"] * 3 + ["score_mean"] * 3
    assert frame["sure"].sum() == sum(
        row["p_holm"] is not None and row["p_holm"] < 0.05 for row in found.summary()["differences"]
    )
    assert len(frame) == len(measures(3, False)) + 1


def test_folders_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no comparison here"):
        load_comparison(tmp_path / "none")
    sim.run(study(), out=tmp_path / "run", progress=False)
    with pytest.raises(InputError, match="holds the results of a run"):
        load_comparison(tmp_path / "run")
    quiet(study(), rules={"shield": "none"}, out=tmp_path / "one")
    with pytest.raises(InputError, match="another comparison"):
        quiet(study(), rules={"shield": "at_once"}, out=tmp_path / "one")
    with pytest.raises(InputError, match="holds the results of a comparison"):
        sim.load_results(tmp_path / "one")
    (tmp_path / "one" / "sums.json").write_text("{}")
    with pytest.raises(InputError, match=r"sums.json: a: damaged: missing"):
        load_comparison(tmp_path / "one")
    (tmp_path / "one" / "summary.json").write_text("[")
    with pytest.raises(InputError):
        load_comparison(tmp_path / "one")


def test_a_damaged_side_is_told_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet(study(), rules={"shield": "none"}, out=tmp_path)
    file = tmp_path / "b" / "manifest.json"
    file.write_text(file.read_text("utf-8").replace('"seconds"', '"second"', 1))
    monkeypatch.setattr("sim.batch.pairs.play_pairs", None)
    with pytest.raises(InputError, match=r"b/manifest.json: seconds: damaged: missing"):
        quiet(study(), rules={"shield": "none"}, out=tmp_path)


@pytest.mark.parametrize("players", [ALIKE, MIXED], ids=["alike", "rotated"])
def test_what_a_row_says_is_what_the_sums_say(tmp_path: Path, players: Any) -> None:
    quiet(study(players), rules={"shield": "none"}, out=tmp_path)
    file = tmp_path / "summary.json"
    summary = json.loads(file.read_text("utf-8"))
    for k in (0, 7, 11, -1):
        changed = json.loads(json.dumps(summary))
        changed["differences"][k]["b"] += 0.001
        file.write_text(json.dumps(changed))
        where = rf"summary.json: differences.{k % len(summary['differences'])}.b: damaged"
        with pytest.raises(InputError, match=where):
            load_comparison(tmp_path)


# --- words ----------------------------------------------------------------------------------------


def test_every_measure_has_words() -> None:
    from sim.metrics import COMPARED

    names = {each.name for games in (False, True) for each in measures(2, games)}
    assert names <= set(COMPARED)


def test_a_difference_in_words() -> None:
    row = {"metric": "win_share", "seat": 3, "player": "sharp", "unit": "share"}
    row |= {"difference": 0.0031, "ci95": [0.0026, 0.0036]}
    row |= {"p_holm": 0.001}
    assert sentence(row, False) == "sharp (3) wins 0.310 ± 0.050 percentage points more"
    row |= {"metric": "turns.mean", "seat": None, "unit": "turns", "difference": -1.5}
    row |= {"ci95": [-1.7, -1.3]}
    assert sentence(row, False) == "rounds last 1.50 ± 0.20 turns shorter"
    row |= {"metric": "turns.median", "difference": -2.0, "ci95": [-3.0, -1.0], "p_holm": None}
    assert sentence(row, False) == "the median round lasts 2 turns shorter (1 to 3)"


def test_players_that_changed_seats_are_named_by_their_place() -> None:
    rotated = quiet(study(MIXED), rules={"hand_size": {3: 5}})
    text = rotated.to_text()
    assert f"win_share %, 1st {MIXED[0]} " in text
    assert f"{MIXED[0]} (1st)" in text
    assert "seat 0" not in text
    kept = quiet(study(), rules={"hand_size": {3: 5}}).to_text()
    assert "win_share %, seat 0 balanced " in kept
    assert "1st" not in kept


def test_medians_are_told_apart() -> None:
    found = quiet(study(MIXED, rounds=3000), rules={"hand_size": {3: 6}})
    row = rows(found, "turns.median")[0]
    assert row["p"] is None
    assert row["ci95"][0] > 0
    assert "no test is made of medians" in found.to_text()
    assert "the median round lasts" in found.to_text()
    tested = sum(each["p"] is not None for each in found.summary()["differences"])
    assert f"of {tested} differences" in repr(found)
    assert f"of {tested} differences" in found.to_text()


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("unit", ["rounds", "games"])
def test_text_fits_a_terminal(unit: str, everything: bool) -> None:
    long = [{"base": "balanced", "name": f"a player with a long name {k}"} for k in range(3)]
    asked = study([*long, "sharp"], **{"rounds": None, unit: 200})
    text = quiet(asked, rules={"bao_failure_minimum": 12}).to_text(everything)
    assert max(map(len, text.splitlines())) <= 100
    assert "score_mean" in text
    assert ("powers.look" in text) or not everything


def test_notebooks_show_it() -> None:
    found = quiet(study(), rules={"bao_failure_minimum": 12})
    shown = found._repr_html_()
    assert "<table>" in shown
    assert "bao_failure_minimum" in shown
    assert "Comparison of 600 rounds each" in repr(found)


def test_the_plot() -> None:
    from matplotlib.figure import Figure

    found = quiet(study(), rules={"bao_failure_minimum": 12})
    ax = Figure().subplots()
    assert found.plot.differences(ax) is ax
    assert len(ax.get_yticks()) == len(ax.get_yticklabels()) > 5
    assert "200" not in ax.get_title(loc="left")
    assert "n = 600 deals" in ax.get_title(loc="left")
    other = Figure().subplots()
    found.plot.differences(other, metrics=["score_mean"])
    assert [text.get_text() for text in other.get_yticklabels()] == [
        f"score_mean, balanced ({k})" for k in range(3)
    ]
    drawn: list[Any] = list(other.collections)
    ends = {tuple(end for end, _ in segment) for bars in drawn for segment in bars.get_segments()}
    frame = found.differences.query("metric == 'score_mean'")
    assert min(ends) == pytest.approx(min(zip(frame["low"], frame["high"], strict=True)))
    assert len(ends) == len(frame) == 3
    with pytest.raises(ValueError, match="one unit"):
        found.plot.differences(other, metrics=["score_mean", "win_share"])


# --- the command ----------------------------------------------------------------------------------


def test_names_are_cut_only_where_there_is_no_room() -> None:
    found = quiet(study(), rules={"bao_failure_minimum": 12})
    assert "..." not in found.to_text()
    for text in (found.to_text(True), found.to_text()):
        assert re.search(r"^score_mean, seat 0 balanced +\d", text, re.MULTILINE)
    rows = found.summary()
    for row in rows["differences"]:
        row["player"] = row["player"] and "x" * 44
    text = comparison_text(rows, everything=True)
    assert max(map(len, text.splitlines())) <= 100
    assert "comebacks" not in text
    assert "shields.plucks_stopped  " in text  # beside the empty cell of the player
    assert re.search(r"^score_mean, seat 0 x{3,}\.\.\. ", text, re.MULTILINE)


def test_cards_unknown_are_told_as_such() -> None:
    row = {"metric": "calls.unknown.mean", "seat": None, "player": None, "unit": "cards"}
    row |= {"difference": -0.02, "ci95": [-0.03, -0.01], "p_holm": 0.001}
    assert sentence(row, False) == "BAO is called with 0.020 ± 0.010 fewer unknown cards"


def test_time_is_told_by_what_it_went_into(tmp_path: Path) -> None:
    text = quiet(study(), rules={"bao": False}, out=tmp_path / "out").to_text()
    played, saved = text.splitlines()[-1].split("; ")
    assert re.fullmatch(r"[\d,]+ rounds played in \d+\.\d s(, [\d,]+ a second)?", played)
    assert re.fullmatch(r"\d+\.\d s after that to draw pictures and write the results", saved)
    assert "; " not in quiet(study(), rules={"bao": False}).to_text().splitlines()[-1]
