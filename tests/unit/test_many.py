"""Many studies: the same sums however they are cut, kept, torn and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure
from sim.batch.run import run
from sim.outcomes import plan_of_tournament, sweep, tournament

from analysis.report import report
from sim.batch.many import Piece, Totals, play_many
from sim.cli import main
from sim.errors import InputError
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from sim.store.keep import JOURNAL, MANIFEST, keeping

pytestmark = pytest.mark.jit

FOUR = ["balanced", "sharp", "novice", "random"]


def studies() -> list[Study]:
    """Return a few short studies of different lengths."""
    base = Study.of(players="balanced,novice", rounds=70, seed=5)
    return [base, base.with_changes(rounds=1), base.with_changes(rounds=400, seed=6)]


def small(**changes: Any) -> Tournament:
    """Return a small tournament."""
    return Tournament.of(**({"players": FOUR, "seats": 3, "rounds": 600, "seed": 3} | changes))


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def _no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the plots, which take longer than all the rest."""
    for kind in ("TournamentResult", "SweepResult"):
        monkeypatch.setattr(f"sim.outcomes.{kind}.pictures", lambda _: {})


plain = pytest.mark.usefixtures("_no_pictures")


@pytest.mark.parametrize(("threads", "piece"), [(1, None), (3, 17), (2, 1000)])
def test_sums_are_those_of_single_runs(threads: int, piece: int | None) -> None:
    sums = play_many(studies(), threads=threads, piece=piece)
    assert sums == [run(study).sums for study in studies()]


def test_pieces_that_are_there_are_not_played_again() -> None:
    kept: list[Piece] = []
    whole = play_many(studies(), piece=50, keep=kept.append)
    assert sum(piece.end - piece.begin for piece in kept) == 471
    new: list[Piece] = []
    strange = [Piece(7, 0, 10, whole[0]), Piece(0, 60, 90, whole[0]), Piece(0, 0, 50, whole[1])]
    done = [kept[3], kept[0], *strange]
    assert play_many(studies(), piece=23, keep=new.append, done=done) == whole
    assert sum(piece.end - piece.begin for piece in new) == 471 - 50 - kept[3].end + kept[3].begin


def test_totals_know_what_is_missing() -> None:
    totals = Totals(studies())
    sums = run(studies()[0]).sums
    assert totals.add(Piece(0, 10, 20, sums))
    assert totals.add(Piece(0, 40, 70, sums))
    assert not totals.add(Piece(0, 19, 30, sums))
    assert list(totals.missing(0)) == [(0, 10), (20, 40)]
    assert totals.units == 40


@pytest.mark.parametrize("name", ["threads", "piece"])
def test_wrong_arguments(name: str) -> None:
    wrong: dict[str, Any] = {name: 0}
    with pytest.raises(InputError, match=f"{name}: expected a whole number from 1"):
        play_many(studies(), **wrong)


def test_progress_counts_all_studies() -> None:
    told: list[tuple[int, int]] = []
    play_many(studies(), piece=100, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 471)
    assert told[-1] == (471, 471)


# --- folders --------------------------------------------------------------------------------------


def test_same_bytes_for_any_threads_and_pieces(tmp_path: Path) -> None:
    for name, (threads, piece) in {"a": (1, None), "b": (3, 7)}.items():
        tournament(small(), threads=threads, piece=piece, out=tmp_path / name / "t")
        sweep(swept(), threads=threads, piece=piece, out=tmp_path / name / "s")
    for kind in ("t", "s"):
        a, b = (files(tmp_path / name / kind) for name in ("a", "b"))
        assert a == b
        assert JOURNAL not in a
        assert json.loads(a[MANIFEST])["finished"] is True


def swept() -> Sweep:
    """Return a small sweep."""
    base = Study.of(players="balanced,novice", rounds=150, seed=4)
    return Sweep.of(base, {"0.bao_threshold": [2, 8]})


class Stop(Exception):
    """Stands for anything that ends a program."""


def stop_after(units: int) -> Any:
    """Return a report of progress that ends the program."""

    def report(done: int, total: int) -> None:
        if done >= units:
            raise Stop

    return report


@plain
def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        tournament(small(), piece=10, out=tmp_path / "a", progress=stop_after(300))
    assert set(files(tmp_path / "a")) == {MANIFEST, JOURNAL}
    begun: list[int] = []
    tournament(small(), out=tmp_path / "a", progress=lambda done, _: begun.append(done))
    assert begun[0] >= 290
    tournament(small(), out=tmp_path / "b")
    assert files(tmp_path / "a") == files(tmp_path / "b")


@plain
@pytest.mark.parametrize("damage", ["torn", "garbled", "doubled", "empty", "header"])
def test_a_damaged_journal_loses_only_what_is_damaged(tmp_path: Path, damage: str) -> None:
    with pytest.raises(Stop):
        tournament(small(), piece=10, out=tmp_path / "a", progress=stop_after(300))
    path = tmp_path / "a" / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    changed = {
        "torn": [*lines[:-1], lines[-1][:-40]],
        "garbled": [*lines[:4], lines[4].replace(b'"rounds":10', b'"rounds":11'), *lines[5:]],
        "doubled": [*lines, *lines[3:9]],
        "empty": [],
        "header": [b"nonsense\n", *lines[1:]],
    }[damage]
    assert changed != lines
    path.write_bytes(b"".join(changed))
    begun: list[int] = []
    result = tournament(small(), out=tmp_path / "a", progress=lambda done, _: begun.append(done))
    whole = 10 * (len(lines) - 1)
    lost = {"torn": 10, "garbled": 10, "doubled": 0, "empty": whole, "header": whole}[damage]
    assert begun[0] == whole - lost
    assert result.sums == tournament(small()).sums


@plain
def test_a_torn_line_does_not_spoil_the_next_one(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        tournament(small(), piece=10, out=tmp_path, progress=stop_after(100))
    path = tmp_path / JOURNAL
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(Stop):
        tournament(small(), piece=10, out=tmp_path, progress=stop_after(200))
    with keeping(tmp_path, plan_of_tournament(small())) as keeper:
        assert sum(piece.end - piece.begin for piece in keeper.pieces()) >= 190


@plain
def test_a_journal_of_another_engine_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Stop):
        tournament(small(), piece=10, out=tmp_path, progress=stop_after(100))
    monkeypatch.setattr("sim.store.keep.ENGINE_VERSION", 10**6)
    begun: list[int] = []
    tournament(small(), out=tmp_path, progress=lambda done, _: begun.append(done))
    assert begun[0] == 0


@plain
def test_other_studies_are_refused(tmp_path: Path) -> None:
    tournament(small(), out=tmp_path / "a")
    with pytest.raises(InputError, match=r"another tournament, which differs in seed \(3, not 4\)"):
        tournament(small(seed=4), out=tmp_path / "a")
    with pytest.raises(
        InputError, match="holds the results of a tournament, expected a new folder"
    ):
        sweep(swept(), out=tmp_path / "a")
    run(Study.of(players="balanced,novice", rounds=10), out=tmp_path / "b")
    with pytest.raises(InputError, match="holds the results of a run, expected a new folder"):
        sweep(swept(), out=tmp_path / "b")
    (tmp_path / "c").write_text("")
    with pytest.raises(InputError, match="is a file, expected a folder"):
        sweep(swept(), out=tmp_path / "c")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / MANIFEST).write_text("{")
    with pytest.raises(InputError, match=r"manifest.json: not valid JSON"):
        sweep(swept(), out=tmp_path / "d")


@plain
def test_titles_may_change(tmp_path: Path) -> None:
    tournament(small(), out=tmp_path)
    tournament(small(title="Another title"), out=tmp_path)
    assert "Another title" in (tmp_path / MANIFEST).read_text()


@plain
def test_saving_gives_the_same_folder(tmp_path: Path) -> None:
    result = sweep(swept(), out=tmp_path / "a")
    result.save(tmp_path / "b")
    assert files(tmp_path / "a") == files(tmp_path / "b")


# --- pictures -------------------------------------------------------------------------------------


def few(over: dict[str, Any], **changes: Any) -> Callable[..., Any]:
    """Return what plays a sweep too short to draw all of it."""
    base = Study.of(players="balanced,balanced,balanced", seed=1, **changes)
    return lambda **options: sweep(base, over, **options)


ONE, TWO = {"0.bao_threshold": [2, 4]}, {"0.bao_threshold": [2, 4], "1.bao_threshold": [2, 4]}
UNDECIDED = {"players": FOUR, "rounds": 8, "rules": {"max_turns": 1}}
SHORT: dict[str, Callable[..., Any]] = {
    "a round": few(ONE, rounds=1),
    "two axes": few(TWO, rounds=1),
    "three axes": few({**TWO, "2.bao_threshold": [2, 4]}, rounds=1),
    "games without a winner": few(ONE, games=2, rules={"max_rounds": 1}),
    "games, two axes": few(TWO, games=2, rules={"max_rounds": 1}),
    "rounds without a winner": few(ONE, rounds=3, rules={"max_turns": 1}),
    "no seat in focus": few({"rules.max_turns": [1, 2]}, rounds=2),
    "a point": few({"0.bao_threshold": [2]}, rounds=1),
    "a tournament": lambda **options: tournament(Tournament.of(**UNDECIDED), **options),
}


@pytest.mark.parametrize("play", SHORT.values(), ids=SHORT)
def test_what_cannot_be_drawn_is_left_out(
    play: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a warning, which would be an error here: that nothing is there is no surprise."""

    def drawn(draw: Callable[[Figure], object], width: float, height: float, *_: Any) -> Any:
        draw(Figure(figsize=(width, height), layout="constrained"))
        return {"svg": b'<svg viewBox="0 0 1 1"></svg>'}

    monkeypatch.setattr("analysis.plots.files.picture", drawn)
    monkeypatch.setattr("analysis.plots.figures.picture", drawn)  # of pages
    result = play(out=tmp_path)
    there = files(tmp_path)
    assert json.loads(there[MANIFEST])["finished"] is True
    assert json.loads(there["summary.json"]) == json.loads(result.to_json())
    assert {f"{name}.csv" for name in result.tables()} <= set(there)
    assert "<title>" in report(result)


@pytest.mark.parametrize("fails", ["one", "all", "to be written"])
def test_a_picture_that_fails_costs_nothing_else(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = iter(range(100))

    def drawn(*_: Any) -> dict[str, bytes]:
        if fails == "one" and next(made) == 1:
            raise ValueError("no limits")
        return {"svg": b"drawn"}

    def refused(*_: Any) -> Any:
        raise OSError("no room")

    monkeypatch.setattr("analysis.plots.files.picture", drawn)
    if fails == "all":
        monkeypatch.setattr("sim.outcomes.SweepResult.pictures", refused)
    elif fails == "to be written":
        monkeypatch.setattr("sim.store.keep._bytes", refused)
    told = "picture score_mean left out: ValueError: no limits"
    with pytest.warns(match=told if fails == "one" else "pictures left out: OSError: no room"):
        result = sweep(swept(), out=tmp_path)
    there = files(tmp_path)
    assert json.loads(there[MANIFEST])["finished"] is True
    assert there["summary.json"].decode() == result.to_json() + "\n"
    assert JOURNAL not in there
    assert ("win_share.svg" in there) == (fails == "one")
    assert "score_mean.svg" not in there


@pytest.mark.filterwarnings("default")
def test_the_program_warns_in_a_line_and_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(*_: Any) -> Any:
        raise ValueError("no limits")

    monkeypatch.setattr("analysis.plots.files.picture", drawn)
    monkeypatch.setattr("analysis.report.figures.drawn", drawn)
    command = ["sweep", "--players", "balanced,novice", "--over", "0.bao_threshold=2,8"]
    command += ["--rounds", "150", "--quiet", "--out", str(tmp_path / "a")]
    page = tmp_path / "page.html"
    done = CliRunner().invoke(main, [*command, "--report", str(page)])
    assert done.exit_code == 0
    assert "win share" in done.stdout
    told = done.stderr.splitlines()
    assert all(line.endswith("left out: ValueError: no limits") for line in told)
    assert all(line.startswith("Warning: picture ") for line in told)
    assert "Warning: picture win_share left out: ValueError: no limits" in told
    assert "<svg" not in page.read_text("utf-8").partition("<main")[2]
    assert "<figure" in page.read_text("utf-8")  # with the numbers behind it
    assert (tmp_path / "a" / "metrics.csv").exists()


@plain
@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_program_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "sim", "tournament", "--players", "balanced,novice"]
    command += ["--rounds", "2e5", "--out", str(tmp_path / "a"), "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    journal = tmp_path / "a" / JOURNAL
    limit = time.monotonic() + 60
    while not (journal.exists() and journal.stat().st_size > 20_000):
        assert time.monotonic() < limit
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(how)
    _, told = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -9)
    assert journal.exists()
    if how == signal.SIGINT:
        assert "to go on: baobei tournament --players balanced,novice" in told
    asked = Tournament.of(players="balanced,novice", rounds=200_000)
    begun: list[int] = []
    result = tournament(asked, out=tmp_path / "a", progress=lambda done, _: begun.append(done))
    assert begun[0] > 0
    assert sum(sums["rounds"] for sums in result.sums) == 200_000
    assert not journal.exists()
