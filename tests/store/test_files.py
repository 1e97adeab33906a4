"""Files and folders: what cannot be written is told before anything is played."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.cli import main
from sim.errors import InputError
from sim.store.files import LOCK, check_file, locked

linux = pytest.mark.skipif(sys.platform != "linux", reason="its own special files")

PAGES = {
    "a folder": ("folder", "not a file"),
    "nothing": ("", "not a file"),
    "no such folder": ("none/page.html", "no such folder"),
    "a file as its folder": ("file/page.html", "no such folder"),
    "a name too long": (251 * "x" + ".html", "File name too long"),
    "a NUL": ("pa\0ge.html", "cannot be written to"),
    "a disk that takes no files": pytest.param("/proc/page.html", "cannot be", marks=linux),
    "a device": pytest.param("/dev/null", "not a file", marks=linux),
}
FOLDERS = {
    "a file": ("file", "is a file"),
    "a file on the way": ("file/folder", "cannot be written to"),
    "a name too long": (300 * "x", "File name too long"),
    "a disk that takes no files": pytest.param("/proc/folder", "cannot be written", marks=linux),
}
COMMANDS = ("run", "sweep --over 0.bao_threshold=2,4", "tournament", "compare --rule shield=none")


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a file, and a page of somebody's; nothing may be played."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("mine")
    monkeypatch.setattr("sim.batch.job.load_engine", lambda *_, **__: pytest.fail("played"))


def content(folder: Path) -> dict[str, str]:
    """Return what is in a folder."""
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else ""
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(("name", "told"), PAGES.values(), ids=PAGES)
def test_a_page_that_cannot_be_written(name: str, told: str, tmp_path: Path) -> None:
    before = content(tmp_path)
    with pytest.raises(InputError, match=told):
        check_file(name)
    for command in (*(f"{each} --report" for each in COMMANDS), "report folder --out"):
        done = CliRunner().invoke(main, [*command.split(), name])
        assert (done.exit_code, done.stdout) == (2, ""), command
        assert told in done.stderr
        assert done.stderr.count("\n") == 1
    assert content(tmp_path) == before


@linux
def test_a_device_stays_one() -> None:
    with pytest.raises(InputError):
        check_file("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_file_that_may_not_be_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # the superuser may write anywhere
    with pytest.raises(InputError, match="file: cannot be written to: Permission denied"):
        check_file("file")


def test_a_page_that_can_be_written_leaves_no_trace(tmp_path: Path) -> None:
    before = content(tmp_path)
    for name in ("page.html", "file", "folder/page.html"):
        assert check_file(name) == (tmp_path / name).resolve()
    assert content(tmp_path) == before


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    try:
        Path("link.html").symlink_to("folder/page.html")
    except OSError:
        pytest.skip("links are not allowed")
    assert check_file("link.html") == (tmp_path / "folder" / "page.html").resolve()


@pytest.mark.parametrize(("name", "told"), FOLDERS.values(), ids=FOLDERS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_cannot_be_written(
    command: str, name: str, told: str, tmp_path: Path
) -> None:
    before = content(tmp_path)
    done = CliRunner().invoke(main, [*command.split(), "--out", name])
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert content(tmp_path) == before


# --- locks ----------------------------------------------------------------------------------------


def test_only_scrap_of_the_program_is_removed(tmp_path: Path) -> None:
    scrap = (".matrix.parquet.12.part", ".win_share_0_map.svg.3456.part", ".manifest.json.7.part")
    others = (".matrix.parquet.part", "a.csv.12.part", ".film.mkv.12.part", ".a.csv.x1.part")
    folder = tmp_path / "folder"
    for name in (*scrap, *others):
        (folder / name).write_text("torn")
    (folder / ".a.csv.5.part").mkdir()
    with locked(folder):
        left = {path.name for path in folder.iterdir()}
    assert left == {*others, ".a.csv.5.part", LOCK}


@pytest.mark.skipif(os.name == "nt", reason="open files cannot be removed there")
def test_the_lock_of_another_stays(tmp_path: Path) -> None:
    """As where a folder was removed, and another run has made it again."""
    folder = tmp_path / "folder"
    with locked(folder):
        shutil.rmtree(folder)
        others = ExitStack()
        others.enter_context(locked(folder))
    with others, pytest.raises(InputError, match="another run"), locked(folder):
        pass
    assert not (folder / LOCK).exists()
