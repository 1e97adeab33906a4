"""The same bytes, whoever plays and however it is cut: summary and tables, records too."""

from __future__ import annotations

import itertools
import random
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from sim import extend, load_results, merge, run
from sim.batch.job import Job, play
from sim.game.study import Study
from sim.watch.trace import trace
from tests.support.runs import content, stable, study

pytestmark = pytest.mark.jit

STUDIES = {"rounds": study(), "games": study(games=150)}
EVERYTHING = 10**6


@pytest.fixture(scope="module", params=STUDIES)
def given(request: pytest.FixtureRequest) -> Study:
    """A study of rounds, and one of games."""
    return STUDIES[request.param]


@pytest.fixture(scope="module")
def reference(given: Study, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one thread leaves behind that plays all in one chunk."""
    folder = tmp_path_factory.mktemp("reference")
    run(given, threads=1, chunk=EVERYTHING, out=folder, records=True)
    found = content(folder)
    assert len(found) == 5
    return found


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("chunk", [1, 1000, EVERYTHING, None])
def test_threads_and_chunks(
    threads: int, chunk: int | None, given: Study, reference: dict[str, Any], tmp_path: Path
) -> None:
    run(given, threads=threads, chunk=chunk, out=tmp_path, records=True)
    assert content(tmp_path) == reference


def test_any_executor(given: Study, reference: dict[str, Any], tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        run(given, executor=pool, chunk=70, out=tmp_path / "threads", records=True)
        assert pool.submit(int, "5").result() == 5  # it is left running
    assert content(tmp_path / "threads") == reference
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        run(given, executor=pool, chunk=400, out=tmp_path / "processes", records=True)
    assert content(tmp_path / "processes") == reference


def test_processes(given: Study, reference: dict[str, Any], tmp_path: Path) -> None:
    run(given, processes=2, out=tmp_path, records=True)
    assert content(tmp_path) == reference


def test_cut_in_pieces_and_merged(given: Study, reference: dict[str, Any], tmp_path: Path) -> None:
    cuts = [0, 1, given.count // 3, given.count // 3 + 1, given.count - 1, given.count]
    folders = []
    for begin, end in itertools.pairwise(cuts):
        folders.append(tmp_path / f"{begin}")
        part = run(given, only=(begin, end), out=folders[-1], records=True)
        assert part.stopped_by == "range"
        assert part.ranges == ((begin, end),)
        assert set(part.records["index"]) == set(range(begin, end))
    random.Random(1).shuffle(folders)
    whole = merge(folders, tmp_path / "whole")
    assert content(tmp_path / "whole") == reference
    assert stable(whole) == reference["summary.json"]
    assert load_results(tmp_path / "whole") == whole


def test_merged_in_two_steps(given: Study, reference: dict[str, Any], tmp_path: Path) -> None:
    thirds = [0, given.count // 3, 2 * given.count // 3, given.count]
    for k in range(3):
        run(given, only=thirds[k : k + 2], out=tmp_path / f"{k}", records=True)
    ends = merge([tmp_path / "2", tmp_path / "0"], tmp_path / "ends")
    assert ends.ranges == ((0, thirds[1]), (thirds[2], given.count))
    assert len(ends.records) == 3 * ends.sums["rounds"]
    merge([tmp_path / "ends", tmp_path / "1"], tmp_path / "whole")
    assert content(tmp_path / "whole") == reference
    run(given, out=tmp_path / "ends", records=True)  # a run fills the gap, too
    assert content(tmp_path / "ends") == reference


def test_extended(given: Study, reference: dict[str, Any], tmp_path: Path) -> None:
    third = given.count // 3
    run(given.with_changes(**{given.unit: third}), out=tmp_path, records=True)
    longer = extend(tmp_path, **{given.unit: given.count})
    assert content(tmp_path) == reference
    assert longer.study == given


@pytest.mark.slow
def test_a_million_extended_to_three(tmp_path: Path) -> None:
    run(study(rounds=3_000_000), out=tmp_path / "once")
    run(study(rounds=1_000_000), out=tmp_path / "twice")
    extend(tmp_path / "twice", rounds=3_000_000, threads=1)
    assert content(tmp_path / "twice") == content(tmp_path / "once")


def test_in_memory_too(given: Study, reference: dict[str, Any]) -> None:
    assert stable(run(given)) == reference["summary.json"]


def test_a_round_replayed_alone_is_its_row() -> None:
    """Round 1,234,567, from the records of a range, as a chunk of its own, and as a trace."""
    index = 1_234_567
    far = study(rounds=1_300_000)
    rows = run(far, only=(index - 1000, index + 1000), records=True, threads=2).records
    row = rows[rows["index"] == index].reset_index(drop=True)
    assert len(row) == 3
    alone = run(far, only=(index, index + 1), records=True).records
    assert alone.equals(row)
    end = trace(far, index).events[-1]
    assert row["score"].tolist() == end["scores"]
    assert row["total"].tolist() == end["totals"]
    assert row["turns"].tolist() == [end["turns"]] * 3
    assert play(Job.of(far), index, index + 1).sums["rounds"] == 1


def test_seed_zero_is_a_seed(tmp_path: Path) -> None:
    zero = run(study(seed=0, rounds=500), out=tmp_path)
    assert zero.summary()["seed"] == 0
    assert load_results(tmp_path).study.seed == 0
    others = [run(study(seed=seed, rounds=500)) for seed in (1, 2**64 - 1)]
    assert all(zero.sums != other.sums for other in others)
    assert run(study(seed=0, rounds=500)) == zero
