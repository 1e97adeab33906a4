"""Runs: the same bytes however they are cut, sums that add up, nothing that goes unnoticed."""

import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from analysis.results.run import Result
from sim.api import run
from sim.batch.job import Job, Part, play
from sim.batch.schedule import CHUNK_SECONDS, Sizes, Task, play_parts
from sim.batch.sums import Sums
from sim.core.codes import RECORD_COLUMNS
from sim.core.layout import NONE, TALLY, WIN_UNITS, new_record
from sim.errors import InputError
from sim.game.study import Study
from sim.store.rows import to_arrow
from sim.watch.trace import trace

pytestmark = pytest.mark.jit

FOUR = ["balanced", "gambler", "sharp", "random"]


def study(players: Any = FOUR, **changes: Any) -> Study:
    """Return a small study."""
    given: dict[str, Any] = {"rounds": 1500, "seed": 7} | changes
    if "games" in changes:
        given.pop("rounds")
    return Study.of(players=players, **given)


STUDIES = {
    "rounds": study(),
    "games": study(games=300),
    "six": study(["balanced"] * 5 + ["random"], rounds=700, edition="first"),
    "capped": study(["turtle"] * 2, rules={"max_turns": 12, "recycle_limit": 0}),
}


@pytest.fixture(scope="module", params=STUDIES)
def reference(request: pytest.FixtureRequest) -> Result:
    """The result of each study with one thread, in one chunk."""
    return run(STUDIES[request.param], threads=1, chunk=10**6)


def stable(result: Result) -> str:
    """Return the summary without what may differ: the time that it took."""
    summary = result.summary()
    del summary["seconds"], summary["rounds_per_second"]
    return str(summary)


# --- the same bytes -------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("chunk", [1, 97, 1000, None])
def test_same_for_any_threads_and_chunks(
    reference: Result, threads: int, chunk: int | None
) -> None:
    result = run(reference.study, threads=threads, chunk=chunk)
    assert result == reference
    assert stable(result) == stable(reference)


def test_tables_are_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for k, (threads, chunk) in enumerate([(1, 10**6), (2, 97), (7, 1000)]):
        folder = tmp_path / str(k)
        run(study(), threads=threads, chunk=chunk, out=folder, records=True)
        files.append({path.name: path.read_bytes() for path in folder.glob("*.parquet")})
    assert len(files[0]) == 6
    assert files[0] == files[1] == files[2]


def test_ranges_add_up_in_any_order() -> None:
    for given in STUDIES.values():
        job = Job.of(given)
        whole = play(job, 0, 60).sums
        parts = [play(job, begin, end).sums for begin, end in [(40, 60), (0, 7), (7, 40)]]
        total = Sums.empty()
        for part in parts:
            total.add(part)
        assert total == whole


def test_longer_run_begins_with_the_shorter_one() -> None:
    job = Job.of(study())
    longer = run(study(rounds=5000)).sums
    rest = play(job, 1500, 5000).sums
    rest.add(run(study()).sums)
    assert longer == rest


def test_seeds_matter_and_zero_is_one() -> None:
    seen = [run(study(seed=seed, rounds=200)).sums for seed in (0, 1, 7, 8)]
    assert all(a != b for k, a in enumerate(seen) for b in seen[:k])


def test_a_job_survives_pickling() -> None:
    job = Job.of(study())
    assert play(pickle.loads(pickle.dumps(job)), 5, 50).sums == play(job, 5, 50).sums


def test_sums_survive_json() -> None:
    import json

    sums = run(STUDIES["games"]).sums
    assert Sums.from_dict(json.loads(json.dumps(sums.to_dict()))) == sums


# --- sums that add up -----------------------------------------------------------------------------


def test_everything_adds_up(reference: Result) -> None:
    sums, given = reference.sums, reference.study
    seats = len(given.players)
    rounds = sums["rounds"]
    assert sum(sums["ends"]) == rounds
    assert sum(times for _, times in sums.pairs("turns")) == rounds
    assert sum(times for _, times in sums.pairs("recyclings")) == rounds
    assert sum(sums["bao"][1:]) == sums["bao"][0] == sum(sums["bao_called"])
    assert sum(sums["bao_won"]) == sums["bao"][1]
    if given.games is None:
        assert rounds == given.rounds
        decided = rounds - sums["ends"][2]
        assert sum(sums["wins"]) + sum(sums["shared"]) / 6 <= decided
    else:
        assert sums["games"] == given.games == sum(sums["game_ends"])
        assert sum(times for _, times in sums.pairs("game_rounds")) == given.games
        assert sum(value * times for value, times in sums.pairs("game_rounds")) == rounds
        assert sums["shared"] == [0] * 6
        decided = sums["game_ends"][0]
        assert sum(sums["wins"]) == decided
    assert sum(sums["share"]) == WIN_UNITS * decided
    assert all(value == 0 for name in ("wins", "score", "total") for value in sums[name][seats:])


def test_capped_rounds_have_no_winner() -> None:
    result = run(STUDIES["capped"])
    summary = result.summary()
    assert summary["ends"] == {"bao": 0, "second_recycling": 0, "turn_cap": 1500}
    assert [player["wins"] for player in summary["players"]] == [0, 0]


def test_chunk_sums_are_python_numbers() -> None:
    def whole(value: Any) -> bool:
        return all(map(whole, value)) if isinstance(value, list) else type(value) is int

    sums = play(Job.of(study()), 0, 10).sums
    assert all(whole(value) for value in sums.counts.values())
    assert all(whole(sums.pairs(name)) for name in sums.histograms)


def test_recyclings_beyond_any_reason_stay_inside_the_histogram() -> None:
    deck = {"birds": {"shoebill": {"value": 13, "power": "shoebill", "copies": 4}}}
    rules = {"recycle_limit": 0, "max_turns": 300, "hand_size": 1, "bao": False, "plucks": "none"}
    player = {"kind": "random", "take_rate": 0.0, "keep_rate": 0.0}
    given = study([player] * 2, deck=deck, rules=rules, rounds=200)
    sums = run(given).sums
    assert max(sums.histograms["recyclings"]) > 300
    assert max(sums.histograms["recyclings"]) < len(Job.of(given).histograms()["recyclings"])
    assert sum(sums.histograms["recyclings"].values()) == 200


def test_games_are_added_up_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of each game must fit; then a chunk is played in pieces."""
    given = study(games=60, rules={"bao_failure_minimum": 1000, "game_threshold": 6000})
    whole = run(given, records=True, threads=1, chunk=100)
    monkeypatch.setattr("sim.batch.job.MOST_GAMES", 7)
    pieces = run(given, records=True, threads=1, chunk=100)
    assert pieces == whole
    assert pieces.records.equals(whole.records)
    assert sum(whole.sums.histograms["deficits"].values()) == 60
    assert max(whole.sums.histograms["deficits"]) > 1023


def test_a_game_of_any_length_is_counted() -> None:
    """The square of 100,000 rounds of 100,000 turns leaves int64."""
    longest = 100_000**2
    games = [[longest, 0], [longest - 1, NONE]]
    sums = Sums.of(new_record(TALLY), {name: () for name in Job.of(study()).histograms()}, games)
    assert sums["game_turns_sq"] == longest**2 + (longest - 1) ** 2
    assert sums.histograms["deficits"] == {0: 1}


def test_no_chunk_can_leave_int64() -> None:
    tables: list[dict[str, Any]] = [
        {},
        {"max_turns": 100_000, "max_rounds": 100_000, "game_threshold": 1_000_000},
        {"bao_failure_factor": 100, "bao_failure_minimum": 1000, "max_rounds": 100_000},
    ]
    tables.append(tables[1] | tables[2])
    deck = {"birds": {"a": {"value": 99, "copies": 64}, "b": {"value": -99, "copies": 64}}}
    for rules in tables:
        for players in range(2, 7):
            hands = {"hand_size": {players: min(60, 126 // players)}}
            for units in ({"rounds": 5}, {"games": 5}):
                given = study(["random"] * players, deck=deck, rules=rules | hands, **units)
                assert Job.of(given).most_units() >= 1
    assert Job.of(study()).most_units() > 10**9


# --- records --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rounds", "games"])
def test_records_agree_with_the_sums(name: str) -> None:
    result = run(STUDIES[name], records=True, threads=2, chunk=50)
    rows, sums = result.records, result.sums
    seats = len(result.study.players)
    assert len(rows) == seats * sums["rounds"]
    by_seat = rows.groupby("seat")
    for column in ("score", "total", "cards_left"):
        assert by_seat[column].sum().tolist() == sums[column][:seats]
    counts = [by_seat[column].sum().tolist() for column in RECORD_COLUMNS[12:]]
    assert np.array(counts).T.tolist() == sums["count"][:seats]
    assert (rows["bao"].notna() & (rows["bao"] == "won")).sum() == sums["bao"][1]
    assert rows["bao"].notna().sum() == sums["bao"][0]
    first_rows = rows[rows["seat"] == 0]
    turns = first_rows["turns"].value_counts().sort_index()
    assert [[int(k), int(v)] for k, v in turns.items()] == sums.pairs("turns")
    assert first_rows["index"].is_monotonic_increasing
    assert first_rows["index"].nunique() == result.study.count
    assert rows.groupby(["index", "round"])["first"].sum().eq(1).all()


@pytest.mark.parametrize("name", ["rounds", "games", "six"])
def test_records_agree_with_traces(name: str) -> None:
    rows = run(STUDIES[name], records=True).records
    for index in (0, 1, 17, 123):
        events = [e for e in trace(STUDIES[name], index).events if e["event"] in ("deal", "end")]
        pairs = list(zip(events[::2], events[1::2], strict=True))
        ends = [end for deal, end in pairs if not deal.get("deciding")]
        mine = rows[rows["index"] == index]
        for k, end in enumerate(ends):
            row = mine[mine["round"] == k] if name == "games" else mine
            assert row["score"].tolist() == end["scores"]
            assert row["total"].tolist() == end["totals"]
            assert row["winner"].tolist() == [s in end["winners"] for s in range(len(row))]
            assert row["turns"].tolist() == [end["turns"]] * len(row)
            assert row["end"].tolist() == [end["reason"]] * len(row)


def test_records_have_types_that_fit() -> None:
    rows = run(study(rounds=50), records=True).records
    assert list(rows.columns) == list(RECORD_COLUMNS)
    kinds = {name: str(kind) for name, kind in rows.dtypes.items()}
    assert kinds["index"] == "int64"
    assert kinds["winner"] == kinds["first"] == "bool"
    assert kinds["end"] == kinds["bao"] == "category"
    assert kinds["score"] == "int32"


def test_indices_beyond_32_bits_are_whole() -> None:
    begin = 2**33 - 5
    part = play(Job.of(study(), records=True), begin, begin + 10)
    index = to_arrow(part.rows[0], begin)["index"].to_pylist()
    assert index == [begin + k for k in range(10) for _ in FOUR]


def test_a_chunk_of_games_that_overflows_its_buffer_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = {"max_rounds": 8}
    whole = run(study(games=300, rules=rules), records=True, threads=1, chunk=300)
    monkeypatch.setattr("sim.batch.job.GAME_ROWS", 1)
    small = run(study(games=300, rules=rules), records=True, threads=1, chunk=300)
    assert small == whole
    assert small.records.equals(whole.records)


def test_too_many_records_for_a_frame() -> None:
    with pytest.raises(InputError, match="5,000,000 rows of records for a DataFrame"):
        run(study(rounds=2_000_000), records=True)


def test_row_groups_do_not_show_the_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    from sim.store.rows import batches

    monkeypatch.setattr("sim.store.rows.GROUP_ROWS", 1000)
    run(study(rounds=620), records=True, out=tmp_path / "a", threads=2, chunk=7)
    path = tmp_path / "a" / "records.parquet"
    meta = pq.ParquetFile(path).metadata
    assert [meta.row_group(k).num_rows for k in range(meta.num_row_groups)] == [1000, 1000, 480]
    assert [len(frame) for frame in batches(path)] == [1000, 1000, 480]


# --- chunks, threads, stopping --------------------------------------------------------------------


class Counting(Executor):
    """Runs everything when its result is asked for, and counts what waits."""

    def __init__(self) -> None:
        self.waiting = self.most = self.calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        self.calls += 1
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        counter = self

        class Lazy(Future[Any]):
            def result(self, timeout: float | None = None) -> Any:
                counter.waiting -= 1
                return fn(*args)

        return Lazy()


def test_few_chunks_are_in_flight() -> None:
    job, executor = Job.of(study()), Counting()
    sizes = Sizes("rounds", threads=2, fixed=10)
    tasks = [Task(lambda: job, [(0, 1003)])]
    parts = [part for _, part in play_parts(executor, tasks, sizes)]
    assert executor.most == 6
    assert executor.calls == 101
    assert [part.begin for part in parts] == list(range(0, 1003, 10))
    assert parts[-1].end == 1003


def test_chunks_last_about_as_long_as_they_should() -> None:
    sizes = Sizes("rounds", threads=4, fixed=None)
    for _ in range(12):
        size = sizes.next(10**9)
        sizes.learn(Part(0, size, Sums.empty(), size / 100_000))
    assert sizes.next(10**9) == int(CHUNK_SECONDS * 100_000)
    assert sizes.next(1000) <= 1000
    for _ in range(30):
        sizes.learn(Part(0, sizes.next(10**9), Sums.empty(), 1000.0))
    assert sizes.next(10**9) == 1


def test_progress_is_told_and_ends_at_the_end() -> None:
    told: list[tuple[int, int]] = []
    run(study(), chunk=500, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 1500) for done in range(500, 1501, 500)]


def test_an_interruption_leaves_no_thread_and_no_scrap(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done > 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(study(), chunk=100, progress=stop, out=tmp_path / "a", records=True)
    assert not [t for t in threading.enumerate() if t.name.startswith("baobei")]
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {"manifest.json", "journal.txt", "records.parts"}


def test_a_broken_policy_is_never_passed_over() -> None:
    from sim.watch.events import EngineError

    job = Job.of(study())
    job.table.policy[:] = 2  # answers from a script, and there is none
    with pytest.raises(EngineError, match=r"bug.*'draw or take'.*trace --seed 7 --round 40"):
        play(job, 40, 50)


def test_the_engine_speaks_of_its_first_compilation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sim.core.jit.is_compiled", lambda *_: False)
    run(study(rounds=10))
    assert "compiling the engine" in capsys.readouterr().err
    run(study(rounds=10), progress=False)
    assert capsys.readouterr().err == ""


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"threads": 0}, "threads: expected a whole number from 1 to 1024, got 0"),
        ({"threads": 2.5}, "threads: expected a whole number"),
        ({"chunk": -1}, "chunk: expected a whole number"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        run(study(), **arguments)
    assert says in str(caught.value)


def test_a_study_may_be_a_name_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('players = ["balanced", "sharp"]\nrounds = 40\nseed = 3\n')
    assert sim.run(tmp_path / "s.toml") == run(study(["balanced", "sharp"], rounds=40, seed=3))
    with pytest.raises(InputError, match="no such study"):
        run("frist")
