"""A thousand million rounds through the ledger: neither memory nor files grow with them."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sim.batch.job
from sim import run
from sim.batch.job import Job, Part, play
from sim.batch.sums import Sums
from sim.store.ledger import FOLD_BYTES
from tests.support.runs import study

pytestmark = pytest.mark.jit

ROUNDS = 10**9


def played_at_once(units: int) -> Callable[[Job, int, int], Part]:
    """Return what stands for playing: the sums of a few rounds, as often as it takes."""
    few = play(Job.of(study()), 0, 1000).sums

    def times(value: Any, factor: int) -> Any:
        return [times(x, factor) for x in value] if isinstance(value, list) else value * factor

    factor = units // 1000
    sums = Sums(
        {name: times(value, factor) for name, value in few.counts.items()},
        {name: {k: n * factor for k, n in h.items()} for name, h in few.histograms.items()},
    )

    def at_once(job: Job, begin: int, end: int) -> Part:
        if end == begin:
            return Part(begin, end, Sums.empty(), 0.0)
        assert end - begin == units
        return Part(begin, end, sums, 1e-6)

    return at_once


@pytest.mark.parametrize(
    "chunk", [1_000_000, pytest.param(50_000, marks=pytest.mark.slow)], ids="{:,}".format
)
def test_a_thousand_million_rounds(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sim.batch.job, "play", played_at_once(chunk))
    monkeypatch.setattr("sim.store.ledger.NOTE_SECONDS", 0.0)  # a line for each chunk
    monkeypatch.setattr("sim.store.ledger.FOLD_SECONDS", 1.0)
    seen: list[tuple[int, int, int]] = []
    every = ROUNDS // 10

    def watch(done: int, total: int) -> None:
        if done % every == 0:
            memory = tracemalloc.get_traced_memory()[0]
            disk = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
            seen.append((memory, disk["journal.txt"], disk["manifest.json"]))

    start = time.monotonic()
    tracemalloc.start()
    try:
        found = run(study(rounds=ROUNDS), threads=2, chunk=chunk, out=tmp_path, progress=watch)
    finally:
        tracemalloc.stop()
    assert found.sums["rounds"] == ROUNDS
    assert found.ranges == ((0, ROUNDS),)
    assert len(seen) == 10
    first, *others = seen
    for memory, journal, manifest in others:
        assert memory < first[0] + 2**20
        assert journal <= FOLD_BYTES + 2**14
        assert manifest < 2**15
    assert time.monotonic() - start < 600


def test_records_do_not_gather_in_memory(tmp_path: Path) -> None:
    """A quarter of a million rows: what Python holds does not grow with them."""
    seen: list[int] = []

    def watch(done: int, total: int) -> None:
        seen.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        given = study(players=["random"] * 2, rounds=120_000)
        run(given, threads=1, chunk=2000, records=True, out=tmp_path, progress=watch)
    finally:
        tracemalloc.stop()
    assert max(seen[30:]) < max(seen[:30]) + 2**20


@pytest.mark.slow
def test_two_threads_are_nearly_twice_as_fast() -> None:
    """The best of some tries; left out where two processes are not twice as fast either."""
    given = study(players=["balanced"] * 4, rounds=600_000)
    ratios = []
    for _ in range(4):
        one, two = (run(given, threads=threads).seconds for threads in (1, 2))
        ratios.append(one / two)
        if ratios[-1] >= 1.85:
            return
        if two_processes() < 1.9:
            pytest.skip("there are no two cores free")
    pytest.fail(f"only {max(ratios):.2f} times as fast")


def two_processes() -> float:
    """How many times as much two processes do as one: of the machine, not of the program."""
    code = "import time; t = time.time(); sum(range(40_000_000)); print(time.time() - t)"

    def seconds(count: int) -> float:
        command = [sys.executable, "-c", code]
        every = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
        return max(float(process.communicate()[0]) for process in every)

    return 2 * seconds(1) / seconds(2)
