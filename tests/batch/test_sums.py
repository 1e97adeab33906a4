"""Sums: they add up in any order, and those of an older version are read, and say less."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.results.run import Result
from sim import InputError, Study, load_results, run
from sim.api import merge
from sim.batch.sums import HISTOGRAMS, Sums

pytestmark = pytest.mark.jit

OLD_COUNTS = (
    *("rounds", "ends", "bao", "wins", "shared", "share", "share_sq", "score", "score_sq"),
    *("total", "cards_left", "bao_called", "bao_won", "count", "sure_plucks", "sure_hits"),
    *("sure_sum", "games", "game_ends", "game_score_sq", "game_score_rounds", "decided"),
    "deciding_rounds",
)
"""What the first version with results folders counted."""


def study(**changes: Any) -> Study:
    return Study.of(players="balanced,sharp,random", **{"rounds": 600, "seed": 7} | changes)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(study(), progress=False)


def make_old(folder: Path) -> None:
    """Mutates: the manifest of a folder, as the first version wrote it."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    sums = manifest["sums"]
    histograms = {name: sums["histograms"][name] for name in ("turns", "recyclings", "game_rounds")}
    manifest["sums"] = {name: sums[name] for name in OLD_COUNTS} | {"histograms": histograms}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "summary.json").unlink()  # that one said less too


def test_new_sums_are_complete(result: Result) -> None:
    assert result.sums.complete
    assert Sums.empty().complete
    assert set(result.sums.histograms) == set(HISTOGRAMS)
    again = Sums.from_dict(json.loads(json.dumps(result.sums.to_dict())))
    assert again.complete
    assert again == result.sums


@pytest.mark.parametrize("changes", [{}, {"rounds": None, "games": 30}])
def test_counts_that_do_not_add_up_are_told(changes: dict[str, Any]) -> None:
    asked = study(**changes)
    whole = run(asked, progress=False).sums
    whole.check(asked)
    for name in ("ends", "bao", "share", "place_rounds", "place_score", "call_ends", "count"):
        data = json.loads(json.dumps(whole.to_dict()))
        inner = data[name][0] if isinstance(data[name][0], list) else data[name]
        inner[0] += 1
        with pytest.raises(InputError, match="does not add up"):
            Sums.from_dict(data).check(asked)
    for name in ("turns", "recyclings", "turns_bao", "call_turns_won", "call_unknowns_won"):
        data = json.loads(json.dumps(whole.to_dict()))
        data["histograms"][name][0][1] += 1
        with pytest.raises(InputError, match=f"histograms.{name}: does not add up"):
            Sums.from_dict(data).check(asked)
    data = whole.to_dict()
    data["histograms"]["turns"] = [[10**12, whole["rounds"]]]
    with pytest.raises(InputError, match=r"histograms.turns: .* from 0 to 1,000"):
        Sums.from_dict(data).check(asked)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("rounds", -1, "rounds: damaged"),
        ("rounds", True, "rounds: damaged"),
        ("rounds", 10**60, "rounds: damaged"),
        ("ends", [1, 2], "ends: damaged, expected List should have at least 3"),
        ("score", [1, 2, 3, 4, 5, "6"], r"score.5: damaged, expected a valid integer"),
        ("histograms", {"turns": []}, "histograms.recyclings: damaged: missing"),
    ],
)
def test_what_cannot_be_sums(name: str, value: Any, says: str, result: Result) -> None:
    with pytest.raises(InputError, match=says):
        Sums.from_dict(result.sums.to_dict() | {name: value})


def test_nothing_adds_nothing(result: Result) -> None:
    sums = Sums.empty()
    sums.add(result.sums)
    assert sums == result.sums
    sums.add(Sums.empty())
    assert sums == result.sums


def test_what_comes_to_0_leaves_no_trace() -> None:
    """Sums of points may cancel out; then they are those of one chunk, which leaves zeros out."""
    counts = Sums.empty().counts
    sums = Sums(counts, {"dealt_sum": {2: 5, 3: -7}})
    sums.add(Sums(counts, {"dealt_sum": {2: -5, 3: 8}}))
    assert sums.histograms["dealt_sum"] == {3: 1}


def test_what_was_not_counted_everywhere_is_not_known(result: Result) -> None:
    whole = result.sums
    counts = {name: whole.counts[name] for name in OLD_COUNTS}
    old = Sums(counts, {"turns": whole.histograms["turns"]})
    for first, second in ((old, whole), (whole, old)):
        both = Sums(first.counts, first.histograms)
        both.add(second)
        assert not both.complete
        assert set(both.counts) == set(OLD_COUNTS)
        assert both["rounds"] == 2 * whole["rounds"]
        assert both.pairs("turns") == [[k, 2 * n] for k, n in whole.pairs("turns")]


def test_an_older_folder_is_read_without_the_new_groups(result: Result, tmp_path: Path) -> None:
    run(study(), out=tmp_path, progress=False)
    make_old(tmp_path)
    old = load_results(tmp_path)
    new, found = result.summary(), old.summary()
    assert not old.sums.complete
    assert set(new) - set(found) > {"calls", "leads", "birds", "positions"}
    assert found["turns"] == new["turns"]
    assert found["players"][1]["win_share"] == new["players"][1]["win_share"]
    assert "win_share" not in found["players"][1].get("first", {})
    assert "chances" not in old.to_text()
    tables = old.tables()
    metrics = tables["metrics"].set_index("metric")["value"]
    assert metrics["turns.mean"] == new["turns"]["mean"]
    assert metrics["calls.won_share"].isna().all()
    assert tables["positions"].empty


def test_an_older_folder_cannot_be_gone_on_with(tmp_path: Path) -> None:
    run(study(), out=tmp_path / "old", only=(0, 300), progress=False)
    run(study(), out=tmp_path / "new", only=(300, 600), progress=False)
    make_old(tmp_path / "old")
    with pytest.raises(InputError, match="counted less"):
        run(study(), out=tmp_path / "old", progress=False)
    with pytest.raises(InputError, match="counted less"):
        merge([tmp_path / "old", tmp_path / "new"], tmp_path / "both")
