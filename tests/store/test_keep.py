"""Folders of many studies: the same bytes however they are cut, kept, torn and resumed."""

import json
from pathlib import Path
from typing import Any

import pytest

from sim.api import run, sweep, tournament
from sim.errors import InputError
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from sim.store.tasks import JOURNAL, MANIFEST, keeping

pytestmark = pytest.mark.jit


FOUR = ["balanced", "sharp", "novice", "random"]


def small(**changes: Any) -> Tournament:
    """Return a small tournament."""
    return Tournament.of(**({"players": FOUR, "seats": 3, "rounds": 600, "seed": 3} | changes))


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def _no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the plots, which take longer than all the rest."""
    for kind in ("tournament.TournamentResult", "sweep.SweepResult"):
        monkeypatch.setattr(f"analysis.results.{kind}.pictures", lambda _: {})


plain = pytest.mark.usefixtures("_no_pictures")


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
        "garbled": [*lines[:4], lines[4].replace(b'"rounds": 10', b'"rounds": 11'), *lines[5:]],
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
    with keeping(tmp_path, small()) as keeper:
        assert sum(piece.end - piece.begin for piece in keeper.entries()) >= 190


@plain
def test_a_journal_of_another_engine_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Stop):
        tournament(small(), piece=10, out=tmp_path, progress=stop_after(100))
    monkeypatch.setattr("sim.store.tasks.ENGINE_VERSION", 10**6)
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
