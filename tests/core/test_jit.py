"""The one module that owns numba: cache folder, bit instructions."""

from __future__ import annotations

import errno
import os
import pickle
import random
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

from sim.batch import job as batch
from sim.core import jit
from sim.core.jit import entry
from sim.game.study import Study


@entry
def popcount(word):
    return jit.popcount(word)


@entry
def lowest(word):
    return jit.lowest(word)


WORDS = [1, 2, 3, 2**63, 2**64 - 1, 2**32, 0xF0F0] + [
    random.Random(k).getrandbits(64) | 1 << k for k in range(64)
]


@pytest.mark.parametrize("word", WORDS)
def test_bit_instructions(word: int) -> None:
    assert int(popcount(np.uint64(word))) == bin(word).count("1")
    assert int(lowest(np.uint64(word))) == (word & -word).bit_length() - 1


def test_popcount_of_nothing() -> None:
    assert int(popcount(np.uint64(0))) == 0


# --- the cache folder -----------------------------------------------------------------------------


def test_digest_follows_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edited source, another cache: numba itself would not notice."""
    for folder in ("engine", "policies"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("one = 1\n")
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    before = jit.source_digest()
    assert jit.source_digest() == before
    (tmp_path / "policies" / "a.py").write_text("one = 2\n")
    after = jit.source_digest()
    assert after != before
    (tmp_path / "policies" / "deep").mkdir()
    (tmp_path / "policies" / "deep" / "b.py").write_text("")
    assert jit.source_digest() not in (before, after)


def test_cache_folder_is_the_packages_or_the_one_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"baobei-{jit.source_digest()}"
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert jit._cache_folder().name == name
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit._cache_folder() == tmp_path / name
    assert (tmp_path / name).is_dir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", ".")
    assert jit._cache_folder() == tmp_path / name  # wherever the process goes


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No folder can be written but one for temporary files: its path."""
    blocked, temporary = tmp_path / "file", tmp_path / "temporary"
    blocked.write_text("in the way of a folder")
    temporary.mkdir()
    monkeypatch.setattr(jit, "_PACKAGE", blocked)
    monkeypatch.setattr(jit, "_told", [])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return temporary


def test_cache_folder_where_the_package_cannot_be_written(
    frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's folder, or else a temporary one: the same at each start, and nobody else's."""
    folder = jit._cache_folder()
    assert frozen in folder.parents
    assert jit._cache_folder() == folder
    assert [path.name for path in frozen.iterdir()] == [folder.parent.name]
    assert folder.parent.stat().st_mode & 0o077 == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert tmp_path / "user" in jit._cache_folder().parents


@pytest.mark.parametrize("platformdirs", ["old", "new"])
def test_no_cache_in_the_folder_where_somebody_without_a_home_is(
    platformdirs: str, frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: str) -> Path:
        if platformdirs == "new":
            raise RuntimeError("could not determine the home directory")
        return Path("~", ".cache", "baobei")

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("platformdirs.user_cache_path", unknown)
    assert frozen in jit._cache_folder().parents
    assert tree(tmp_path / "here") == set()


@pytest.mark.parametrize("how", ["open to others", "somebody's", "a link", "a link to nowhere"])
def test_compiled_code_is_not_taken_from_others(
    how: str, frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    own = jit._temporary()
    if how == "open to others":
        own.chmod(0o777)
    elif how == "somebody's":
        monkeypatch.setattr(os, "geteuid", lambda: 123456)
        (frozen / "baobei-123456").mkdir(mode=0o700)
    else:
        own.rmdir()
        own.symlink_to(tmp_path if how == "a link" else tmp_path / "nowhere")
    assert jit._cache_folder() is None
    says = capsys.readouterr().err
    assert says.count("\n") == says.count("warning:") == 1
    assert str(tmp_path / "file") in says
    assert not list(frozen.rglob("*.TAG"))


def test_a_cache_that_was_shipped_is_begun_with(frozen: Path, tmp_path: Path) -> None:
    """An install that was compiled, and then frozen, does not compile again."""
    shipped = tmp_path / "shipped" / "baobei-0123456789abcdef"
    (shipped / "engine_1").mkdir(parents=True)
    (shipped / "engine_1" / "play.a.1.nbc").write_bytes(b"code" + checksum("play.a.1.nbc", b"code"))
    folder = tmp_path / "user" / shipped.name
    folder.mkdir(parents=True)
    jit._begun(folder, shipped)
    copied = [path.relative_to(folder) for path in sorted(folder.rglob("*"))]
    assert copied == [Path("CACHEDIR.TAG"), Path("engine_1"), Path("engine_1/play.a.1.nbc")]
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert jit._told == []


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_only_what_carries_the_mark_is_pruned(tmp_path: Path) -> None:
    """Whatever else lies beside or inside stays, whatever it is called."""
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    for k, name in enumerate([f"baobei-{k:016x}" for k in range(9)] + ["elsewhere"]):
        cache = (tmp_path / name if k < 9 else elsewhere) / "engine_1"
        cache.mkdir(parents=True)
        (cache / "play.1.nbc").touch()
        (cache / "play.nbi.tmp.0f").touch()
        (cache.parent / "CACHEDIR.TAG").write_bytes(jit._TAG)
        os.utime(cache.parent, (k, k))
    old = tree(tmp_path)
    (tmp_path / "baobei-0000000000000001" / "engine_1" / "mine.txt").touch()
    (tmp_path / "baobei-0000000000000002" / "CACHEDIR.TAG").write_text("another program's")
    (tmp_path / "baobei-ffffffffffffffff").symlink_to(elsewhere)
    for name in ("baobei-run1", "baobei-000000000000000f", "baobei-00000000000000100", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.nbc").touch()
    mine = tree(tmp_path) - old
    for name in (1, 2):
        os.utime(tmp_path / f"baobei-{name:016x}", (name, name))
    jit._prune(tmp_path / "baobei-0000000000000000")
    left = tree(tmp_path)
    assert mine <= left
    kept = {name for name in left if name.endswith(".nbc") and "engine_1" in name}
    kept -= {"baobei-ffffffffffffffff/engine_1/play.1.nbc"}  # followed by newer Pythons
    youngest = [0, 2, 5, 6, 7, 8]  # itself, what has no mark, and four
    assert kept == {f"baobei-{k:016x}/engine_1/play.1.nbc" for k in youngest}
    assert tree(tmp_path / "baobei-0000000000000001") == {"engine_1", "engine_1/mine.txt"}
    assert tree(elsewhere) == {
        "engine_1",
        "engine_1/play.1.nbc",
        "engine_1/play.nbi.tmp.0f",
        "CACHEDIR.TAG",
    }


# --- a cache that is damaged, or has no room ------------------------------------------------------


TINY = """
from sim.core.jit import entry, unit

@unit
def twice(number):
    return 2 * number

@entry
def odd(number):
    return twice(number) + 1
"""


def checksum(name: str, data: bytes) -> bytes:
    return jit._checksum(name, data)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """A start of a small engine with a cache of its own: says how much came out of the cache."""
    source = tmp_path / "tiny.py"
    source.write_text(TINY)
    folder = tmp_path / "baobei-0123456789abcdef"
    folder.mkdir()
    monkeypatch.setattr(jit, "CACHE_FOLDER", folder)

    def start() -> int:
        monkeypatch.setattr(jit, "_told", [])
        jit._begun(folder)
        module = runpy.run_path(str(source))
        assert module["odd"](3) == 7
        assert all(jit._sound(path) for path in folder.rglob("*.nb[ic]"))
        return sum(module["odd"].stats.cache_hits.values())

    return start


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.nb[ic]"))


def flip(data: bytes) -> bytes:
    return data[:-50] + bytes([data[-50] ^ 4]) + data[-49:]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[:100],
    "cut at the end": lambda data: data[:-1],
    "bytes": lambda data: b"garbage",
    "one bit": flip,
    "a pickle of something else": lambda data: pickle.dumps("0.0"),
    "zeros": lambda data: bytes(len(data)),
}


@pytest.mark.jit
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("how", DAMAGES)
def test_damaged_files_are_compiled_again(
    how: str, suffix: str, tiny: Callable[[], int], tmp_path: Path, capsys: Any
) -> None:
    assert [tiny(), tiny()] == [0, 1]
    written = files(tmp_path)
    assert len(written) == 4, "numba keeps its cache in another way: look at jit._Cache"
    for path in tmp_path.rglob(f"*.{suffix}"):
        path.write_bytes(DAMAGES[how](path.read_bytes()))
    assert capsys.readouterr().err == ""
    assert [tiny(), tiny()] == [0, 1]
    says = capsys.readouterr().err
    assert says.count("\n") == says.count("warning:") == 1
    assert str(jit.CACHE_FOLDER) in says
    assert files(tmp_path) == written


@pytest.mark.jit
def test_exchanged_missing_and_unreadable_files_are_compiled_again(
    tiny: Callable[[], int], tmp_path: Path, capsys: Any
) -> None:
    tiny()
    one, other = tmp_path.rglob("*.nbc")
    one.rename(tmp_path / "kept")
    other.rename(one)
    (tmp_path / "kept").rename(other)
    assert [tiny(), tiny()] == [0, 1]
    assert capsys.readouterr().err.count("were damaged") == 1
    one.unlink()
    other.unlink()
    assert [tiny(), tiny()] == [0, 1]
    assert capsys.readouterr().err == ""
    for path in files(tmp_path):
        path.unlink()
        path.mkdir()
    monkey = pytest.MonkeyPatch()
    monkey.setattr(jit, "_sound", lambda path: True)
    assert tiny() == 0
    monkey.undo()
    says = capsys.readouterr().err
    assert says.count("\n") == says.count("warning:") == 1
    assert str(jit.CACHE_FOLDER) in says


def test_no_damage_is_missed(tmp_path: Path) -> None:
    r = random.Random(7)
    path = tmp_path / "play.a.1.nbc"
    data = r.randbytes(300)
    whole = data + checksum(path.name, data)
    path.write_bytes(whole)
    assert jit._sound(path)
    for _ in range(300):
        at, length = r.randrange(len(whole)), r.choice([0, 1, 4, 100])
        damaged = whole[:at] + r.randbytes(r.choice([0, length])) + whole[at + length :]
        path.write_bytes(damaged)
        assert jit._sound(path) == (damaged == whole)


@pytest.mark.jit
def test_without_room_everything_goes_on(
    tiny: Callable[[], int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    def full(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(jit._Files, "_open_for_write", full)
    assert [tiny(), tiny()] == [0, 0]
    says = capsys.readouterr().err
    assert says.count("\n") == says.count("warning:") == 2  # one a start
    assert f"cannot be kept in {jit.CACHE_FOLDER}" in says
    assert files(tmp_path) == []
    monkeypatch.setattr(jit, "KEEP_OR_FAIL", True)  # who only fills the cache has nothing to do
    with pytest.raises(OSError, match="No space left"):
        tiny()
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    assert runpy.run_path(str(tmp_path / "tiny.py"))["odd"](3) == 7


@pytest.mark.jit
def test_another_process_compiles_only_what_can_be_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[Any] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: started.append(command))
    monkeypatch.setattr(batch, "play", lambda *_: None)
    job = batch.Job.of(Study.of(players="random,random", rounds=1))
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    batch.load_engine(job, quiet=True)
    assert started == []
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
        batch.load_engine(job, quiet=True)
    assert started == []
    batch.load_engine(job, quiet=True)
    assert len(started) == 1
    assert "KEEP_OR_FAIL = True" in started[0][-1]


def test_callers_functions_are_cached_where_they_would_be_without() -> None:
    assert os.environ.get("NUMBA_CACHE_DIR", "") == numba.config.CACHE_DIR


# --- the same in processes of their own -----------------------------------------------------------


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., list[tuple[int, str, str]]]:
    """A frozen install of a small engine for somebody without a home; starts it, at once."""
    package = tmp_path / "lib" / "sim"
    (package / "core").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "core" / "__init__.py").touch()
    (package / "core" / "tiny.py").write_text(TINY)
    shutil.copy(jit.__file__, package / "core")
    state = "import numpy as np\nSTATE = TABLE = np.dtype({'names': ['a'], 'formats': ['i8']})\n"
    (package / "core" / "layout.py").write_text(state)
    (package / "core" / "codes.py").write_text("OPTION = CHOICE = KIND = Power = ()\n")
    (package / "__pycache__").write_text("in the way of a folder")
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lib"), "TMPDIR": f"{tmp_path}/tmp"}
    environment |= {"XDG_CACHE_HOME": str(package / "__pycache__"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"NUMBA_CACHE_DIR": ""}
    code = "from sim.core.tiny import odd; odd(3); print(sum(odd.stats.cache_hits.values()))"

    def start(count: int = 1, before: str = "") -> list[tuple[int, str, str]]:
        command = [sys.executable, "-c", before + code]
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        every = [
            subprocess.Popen(command, env=environment, cwd=tmp_path, **pipes) for _ in range(count)
        ]
        ends = [process.communicate(timeout=300) for process in every]
        return [(process.returncode, *end) for process, end in zip(every, ends, strict=True)]

    return start


@pytest.mark.jit
def test_a_frozen_install_compiles_once(install: Any, tmp_path: Path) -> None:
    """And where several processes begin at once, or find the cache damaged, all of them play."""
    assert [end[::2] for end in install(3)] == [(0, "")] * 3
    assert install() == [(0, "1\n", "")]
    written = files(tmp_path / "tmp")
    assert len(written) == 4
    for path in written:
        path.write_bytes(b"")
    ends = install(3)
    assert [code for code, _, _ in ends] == [0] * 3
    assert "".join(says for _, _, says in ends).count("were damaged") >= 1
    assert all(says.count("\n") <= 1 for _, _, says in ends)
    assert install() == [(0, "1\n", "")]


@pytest.mark.jit
@pytest.mark.skipif(sys.platform == "win32", reason="files have no limits there")
def test_a_disk_without_room(install: Any, tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000));"
    [(code, hits, says)] = install(before=limit)
    assert (code, hits) == (0, "0\n")
    assert says.count("\n") == says.count("warning:") == 1
    assert str(tmp_path / "tmp") in says


@pytest.mark.jit
def test_the_program_with_a_damaged_cache(tmp_path: Path) -> None:
    """The whole of it, with a small part of the engine damaged, so that it takes seconds."""
    folder = tmp_path / jit.CACHE_FOLDER.name
    shutil.copytree(jit.CACHE_FOLDER, folder)
    damaged = [path for path in files(folder) if path.name.startswith("log._write")]
    assert len(damaged) == 2
    for path in damaged:
        path.write_bytes(b"")
    command = [sys.executable, "-m", "sim", "run", "--rounds", "10", "--quiet"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert done.stdout
    assert done.stderr.count("\n") == done.stderr.count("warning:") == 1
    assert str(folder) in done.stderr


def test_is_compiled_only_with_the_compiled_engine_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "COMPILED", True)
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path)
    assert not jit.is_compiled()
    (tmp_path / "play.advance-1.py311.1.nbc").write_text("")
    assert jit.is_compiled()
    monkeypatch.setattr(jit, "CACHE_FOLDER", tmp_path / "none")
    monkeypatch.setattr(jit, "COMPILED", False)
    assert jit.is_compiled()
