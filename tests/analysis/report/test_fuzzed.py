"""Whatever is damaged in a folder is told, with file and place, and never met as a traceback.

Each kind of file is damaged again and again, from a seed: keys that are missing, other types,
huge numbers, lists that are shorter, bytes that are flipped or cut off. Every time the folder is
read as the program reads it. Either that says what is wrong, or the numbers are the old ones.
"""

from __future__ import annotations

import json
import random
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sim
from analysis.report import pictures, report
from analysis.report.read import read
from analysis.results.comparison import Comparison
from analysis.results.sweep import SweepResult
from analysis.results.tournament import TournamentResult
from sim.api import load_comparison
from sim.batch.job import Job, play
from sim.batch.pairs import PairJob, PairSums, play_pairs
from sim.batch.schedule import Part
from sim.batch.sums import Sums
from sim.errors import InputError
from sim.game.comparison import Comparing
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from sim.store.journal import Entry, Journal, Totals
from sim.store.rows import COLUMNS
from sim.store.tasks import JOURNAL, is_of_blocks, keeping
from tests.support.damage import damaged_lines, damaged_parquet, damaged_text
from tests.support.runs import prepare

pytestmark = pytest.mark.jit

OFTEN = 60
"""How often a file is damaged in the usual run."""

FREE = {"seconds", "rounds_per_second", "title", "question", "stopped_by", "meaning", "character"}
FREE |= {"known", "assumptions"}
"""What says nothing of what was played: it may be another and nobody can know."""

UNSURE = {"p", "p_holm", "variance_ratio", "smallest_detectable", "n_differ", "n", "by_seat"}
UNSURE |= {"rounds_that_differ", "ranking", "matrix", "as_good", "best"}
"""What nothing else in a folder says once more; intervals are of that kind too."""

USUAL: dict[str, Any] = {"players": "balanced,sharp", "rounds": 60, "seed": 5}
STUDY = Study.of(**USUAL)
COMPARING = Comparing.of(STUDY, STUDY.with_changes(rules={"shield": "none"}))
SWEEP = Sweep.of(STUDY, {"0.bao_threshold": [2, 5], "rules.recycle_limit": [1, 2]})
TOURNAMENT = Tournament.of(players=["sharp", "balanced", "random"], seats=2, rounds=60)


# --- folders --------------------------------------------------------------------------------------


def _interrupted(folder: Path) -> None:
    prepare(folder, STUDY)
    journal = Journal(folder / "journal.txt")
    for begin in range(0, 60, 20):
        sums = play(Job.of(STUDY), begin, begin + 20).sums
        journal.add(Entry(begin, begin + 20, sums, 0.5))
    journal.close()


def _many(folder: Path, played: Sweep | Tournament, studies: Any) -> None:
    with keeping(folder, played) as keeper:
        for k, study in enumerate(studies):
            sums = sim.run(study, progress=False).sums
            keeper.note(k, Part(0, study.count, sums, 0.0), 0.0)


def _half(folder: Path) -> None:
    part = play_pairs(PairJob.of(COMPARING.a, COMPARING.b, COMPARING.rotated), 0, 10)
    with keeping(folder, COMPARING) as keeper:
        keeper.note(0, part, 0.0)


def _games() -> Study:
    return Study.of(players="balanced,sharp", games=12, seed=5, rules={"game_threshold": 40})


MAKERS: dict[str, Callable[[Path], Any]] = {
    "run": lambda folder: sim.run(STUDY, records=True, out=folder, progress=False),
    "games": lambda folder: sim.run(_games(), records=True, out=folder, progress=False),
    "going": _interrupted,
    "comparison": lambda folder: sim.compare(
        STUDY, rules={"shield": "none"}, rotate=False, out=folder, progress=False
    ),
    "rotated": lambda folder: sim.compare(
        STUDY, rules={"shield": "none"}, out=folder, progress=False
    ),
    "half": _half,
    "sweep": lambda folder: sim.sweep(SWEEP, out=folder, progress=False),
    "sweeping": lambda folder: _many(folder, SWEEP, SWEEP.studies),
    "tournament": lambda folder: sim.tournament(TOURNAMENT, out=folder, progress=False),
    "meeting": lambda folder: _many(folder, TOURNAMENT, TOURNAMENT.studies()),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small folder of each kind, without pictures."""
    folders = {kind: tmp_path_factory.mktemp("fuzzed") / kind for kind in MAKERS}
    with pytest.MonkeyPatch.context() as patch:
        for kind in (Comparison, SweepResult, TournamentResult):
            patch.setattr(kind, "pictures", lambda _: {})
        for name, make in MAKERS.items():
            make(folders[name])
    return folders


# --- readers --------------------------------------------------------------------------------------


def known(content: Any, free: set[str]) -> Any:
    """Return a content without what may be another."""
    if isinstance(content, Mapping):
        return {
            key: known(value, free)
            for key, value in content.items()
            if key not in free and not key.endswith("ci95")
        }
    if isinstance(content, list):
        return [known(value, free) for value in content]
    return float(f"{content:.7g}") if isinstance(content, float) else content


def a_run(folder: Path) -> Any:
    result = sim.load_results(folder)
    assert result.to_text()
    assert result.tables()
    return known(result.summary(), FREE)


def its_records(folder: Path) -> Any:
    result = sim.load_results(folder)
    assert len(result.records) == result.record_rows
    return result.score_counts


def what_goes_on(folder: Path) -> Any:
    assert sim.load_results(folder).to_text()


def a_comparison(folder: Path) -> Any:
    found = load_comparison(folder)
    assert found.to_text(everything=True)
    assert found.a.to_text()
    assert len(found.differences)
    return known(found.summary(), FREE | UNSURE)


@cache
def _one_more() -> tuple[PairJob, PairSums]:
    job = PairJob.of(COMPARING.a, COMPARING.b, COMPARING.rotated)
    return job, play_pairs(job, 10, 11).sums


def what_is_kept(folder: Path) -> Any:
    job, more = _one_more()
    with keeping(folder, COMPARING) as keeper:
        entries = list(keeper.entries(PairSums.from_dict))
    pairs = PairSums.empty()
    for entry in entries:
        if is_of_blocks(entry, COMPARING, job):
            pairs.add(entry.sums)
    pairs.add(more)
    assert list(pairs.measured(job))


def pieces(played: Sweep | Tournament, studies: Any) -> Callable[[Path], Any]:
    """Return what reads the journal of many studies."""

    def reads(folder: Path) -> None:
        totals = Totals([study.count for study in studies])
        with keeping(folder, played) as keeper:
            for entry in keeper.entries():
                if entry.sums.complete and entry.sums["rounds"] == entry.end - entry.begin:
                    totals.add(entry)
        for study, sums, ranges in zip(studies, totals.sums, totals.ranges, strict=True):
            assert sums[study.unit] == sum(end - begin for begin, end in ranges)

    return reads


def a_page(folder: Path) -> Any:
    source = read(folder)
    assert len(report([folder])) > 10_000
    unknown = FREE | {"name", "rounds"}  # rounds are those asked for, at least
    return known(source.summary, FREE | UNSURE), known(source.study, unknown)


# --- formats --------------------------------------------------------------------------------------


def _unlined(line: bytes) -> Any:
    return json.loads(line.partition(b" ")[2])


def _lined(content: Any) -> bytes:
    text = json.dumps(content).encode()
    return b"%08x %s" % (zlib.crc32(text), text)


@dataclass(frozen=True)
class Format:
    """A kind of file: in which folder it is, how it is damaged, and who reads it."""

    folder: str
    file: str
    reads: Callable[[Path], Any]
    damage: Callable[[bytes, random.Random], bytes] = damaged_text

    def __str__(self) -> str:
        return f"{self.folder}/{self.file} {getattr(self.reads, '__name__', '')}"


_LINES = damaged_lines(_unlined, _lined)

FORMATS = (
    Format("run", "manifest.json", a_run),
    Format("run", "summary.json", a_run),
    Format("run", "manifest.json", a_page),
    Format("run", "summary.json", a_page),
    Format("run", "records.parquet", its_records, damaged_parquet),
    Format("games", "manifest.json", a_run),
    Format("games", "summary.json", a_page),
    Format("games", "records.parquet", its_records, damaged_parquet),
    Format("going", "manifest.json", what_goes_on),
    Format("going", "journal.txt", what_goes_on, damaged_lines(_unlined, _lined)),
    Format("comparison", "manifest.json", a_comparison),
    Format("comparison", "sums.json", a_comparison),
    Format("comparison", "summary.json", a_comparison),
    Format("comparison", "summary.json", a_page),
    Format("rotated", "sums.json", a_comparison),
    Format("half", JOURNAL, what_is_kept, _LINES),
    Format("sweep", "manifest.json", a_page),
    Format("sweep", "summary.json", a_page),
    Format("sweep", "metrics.parquet", a_page, damaged_parquet),
    Format("sweep", "calibration.parquet", a_page, damaged_parquet),
    Format("sweeping", JOURNAL, pieces(SWEEP, SWEEP.studies), _LINES),
    Format("tournament", "manifest.json", a_page),
    Format("tournament", "summary.json", a_page),
    Format("meeting", JOURNAL, pieces(TOURNAMENT, TOURNAMENT.studies()), _LINES),
)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without pictures: quickly made. Their tables were checked as they were read."""
    monkeypatch.setattr(pictures, "drawn", lambda *args: ("", ""))


def fuzz(form: Format, folder: Path, times: int) -> tuple[int, list[str]]:
    """Damage a file so many times; return how often that was told, and what went wrong."""
    file, told, wrong = folder / form.file, 0, []
    whole, right = file.read_bytes(), form.reads(folder)
    try:
        for k in range(times):
            damage = form.damage(whole, random.Random(f"{form} {k}"))
            file.write_bytes(damage)
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message=".*played by engine")
                    found = form.reads(folder)
            except InputError as error:
                told += 1
                if folder.name not in str(error):
                    wrong.append(f"{k}: names no file: {error}")
            except Exception as error:
                wrong.append(f"{k}: {type(error).__name__}: {error}")
            else:
                if found != right:
                    wrong.append(f"{k}: other numbers")
    finally:
        file.write_bytes(whole)
    return told, wrong


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_damage_is_told_or_does_not_matter(form: Format, made: dict[str, Path]) -> None:
    _, wrong = fuzz(form, made[form.folder], OFTEN)
    assert not wrong


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_damage_is_told_or_does_not_matter_3000_times(form: Format, made: dict[str, Path]) -> None:
    _, wrong = fuzz(form, made[form.folder], 3000)
    assert not wrong


# --- many rows ------------------------------------------------------------------------------------


POOLS: list[Any] = []
"""What counts pyarrow's memory; must live as long as anything that lies in it."""


@contextmanager
def little_memory(bytes_a_row: int) -> Iterator[None]:
    """Check that pyarrow takes less in the block than `ROWS` of so many bytes would."""
    usual = pa.default_memory_pool()
    POOLS.append(pa.proxy_memory_pool(usual))
    pa.set_memory_pool(POOLS[-1])
    try:
        yield
    finally:
        pa.set_memory_pool(usual)
    assert 0 < POOLS[-1].max_memory() < bytes_a_row * ROWS


ROWS = 3_600_000


def test_many_records_are_counted_in_little_memory(tmp_path: Path) -> None:
    """However long a run was, and in one row group too: here one of so many times another's."""
    short, times = sim.run(STUDY, records=True, progress=False), ROWS // 120
    counts = {name: np.multiply(value, times).tolist() for name, value in short.sums.counts.items()}
    histograms = {
        name: {value: times * n for value, n in histogram.items()}
        for name, histogram in short.sums.histograms.items()
    }
    study = STUDY.with_changes(rounds=times * STUDY.count)
    long = sim.Result(study=study, sums=Sums(counts, histograms), seconds=1.0)
    long.save(tmp_path)
    names = ("index", "seat", "score")
    columns = {name: np.tile(short.records[name].to_numpy(), times) for name in names}
    columns["index"] += np.repeat(np.arange(times) * STUDY.count, 120)
    pq.write_table(pa.table(columns), tmp_path / "records.parquet", row_group_size=ROWS)
    with little_memory(13):
        scores = read(tmp_path).tables["scores"]
    seats = long.summary()["players"]
    assert [each.mean for each in scores.values()] == [seat["score_mean"] for seat in seats]


def test_a_small_file_of_very_many_rows_is_told_in_little_memory(tmp_path: Path) -> None:
    sim.run(STUDY, records=True, out=tmp_path, progress=False)
    types = {column.name: column.type for column in COLUMNS if column.type != "category"}
    zeros = {name: np.zeros(ROWS, kind) for name, kind in types.items()}
    zeros |= {name: pa.array(["bao"]).take(np.zeros(ROWS, int)) for name in ("end",)}
    zeros["bao"] = pa.nulls(ROWS, pa.string())
    pq.write_table(pa.table(zeros), tmp_path / "records.parquet", row_group_size=ROWS)
    assert (tmp_path / "records.parquet").stat().st_size < 500_000
    for reads in (read, its_frame, longer):
        with little_memory(20), pytest.raises(InputError, match=r"records.parquet: records of"):
            reads(tmp_path)


def its_frame(folder: Path) -> Any:
    return sim.load_results(folder).records


def longer(folder: Path) -> Any:
    return sim.extend(folder, rounds=80, progress=False)
