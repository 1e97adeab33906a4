"""Every numba option of the project, its cache folder, and two bit instructions.

Numba does not notice an edit in a callee's file or in an imported constant, and its key
leaves out some flags. So the cache folder is named by a digest of all sources of the
engine and of the flags: another source, another folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import multiprocessing
import os
import re
import shutil
import stat
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.ccallback import CFunc
from numba.extending import intrinsic

from . import codes, layout

F = TypeVar("F", bound=Callable[..., Any])

#: False under ``NUMBA_DISABLE_JIT=1``: the same source then runs as plain Python.
COMPILED: bool = not numba.config.DISABLE_JIT

if not COMPILED:
    # Random numbers wrap round at 64 bits, as they should; numpy's scalars warn of it.
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = ("core", "engine", "policies")


def source_digest() -> str:
    """Hex digest of the engine's sources, what it is told of rules and players, the compiler."""
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            digest.update(str(path.relative_to(_PACKAGE)).encode())
            digest.update(path.read_bytes())
    declared = (codes.OPTION, codes.CHOICE, codes.KIND, codes.Power, layout.TABLE.descr)
    digest.update(repr(declared).encode())
    digest.update(f"{numba.__version__} {np.__version__} {numba.config.BOUNDSCHECK}".encode())
    return digest.hexdigest()[:16]


_NAME = re.compile(r"baobei-[0-9a-f]{16}")
_WRITTEN = re.compile(r"CACHEDIR\.TAG|.+\.nb[ic](\.tmp\.[0-9a-f]+)?")

#: What marks a cache folder as the program's own; programs that make backups know it too.
_TAG = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# Compiled code of baobei-sim, which may remove it, and compiles again what is missing.\n"
)


def _is_own(folder: Path) -> bool:
    tag = folder / "CACHEDIR.TAG"
    try:
        return not folder.is_symlink() and tag.is_file() and tag.read_bytes() == _TAG
    except OSError:
        return False


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _temporary() -> Path:
    """A folder for temporary files, the same at each start, that nobody else can write into.

    Compiled code is loaded unseen, so a folder that somebody else has put there is none.
    """
    parent = Path(tempfile.gettempdir())
    if not hasattr(os, "geteuid"):  # there each user has temporary files apart
        return parent / "baobei"
    folder = parent / f"baobei-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise PermissionError(f"{folder} is open to others")
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(f"{folder} is no folder")
    return folder


def _cache_folder() -> Path | None:
    """The first writable one of: ``$NUMBA_CACHE_DIR``, the package's, the user's, a temporary."""
    name = f"baobei-{source_digest()}"
    shipped = _PACKAGE / "__pycache__" / name
    candidates = [shipped]
    if os.environ.get("NUMBA_CACHE_DIR"):
        candidates.insert(0, Path(os.environ["NUMBA_CACHE_DIR"]) / name)
    for candidate in candidates:
        if _writable(candidate):
            return _begun(candidate)
    from platformdirs import user_cache_path

    candidates = []
    with contextlib.suppress(RuntimeError):  # for somebody without a home
        candidates.append(user_cache_path("baobei") / name)  # or it is "~/.cache"
    with contextlib.suppress(OSError):
        candidates.append(_temporary() / name)
    for candidate in candidates:
        if candidate.is_absolute() and _writable(candidate):
            return _begun(candidate, shipped)
    _tell(
        f"{shipped.parent} cannot be written, nor any other folder for compiled code: each start "
        "compiles; NUMBA_CACHE_DIR names another"
    )
    return None


def _begun(folder: Path, shipped: Path | None = None) -> Path:
    """Mark a new cache and fill it with what was shipped; in an old one, remove what is damaged."""
    folder = folder.absolute()
    if not _is_own(folder):
        if shipped is not None:
            _copy(shipped, folder)
        with contextlib.suppress(OSError):  # if there is no room
            (folder / "CACHEDIR.TAG").write_bytes(_TAG)
        _prune(folder)
    damaged = [path for path in folder.rglob("*.nb[ic]") if not _sound(path)]
    for path in damaged:
        with contextlib.suppress(OSError):  # another process may be at it as well
            path.unlink()
    if damaged:
        _tell(f"files of the compile cache {folder} were damaged; they are compiled again")
    return folder


def _copy(shipped: Path, folder: Path) -> None:
    """Copy the cache of a package that was compiled and cannot be written any more, at one go."""
    with (
        contextlib.suppress(OSError),
        tempfile.TemporaryDirectory(prefix="baobei-", dir=folder.parent) as new,
    ):
        for path in shipped.rglob("*.nb[ic]"):
            copy = Path(new, folder.name, path.relative_to(shipped))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        Path(new, folder.name).rename(folder)


def _prune(folder: Path, keep: int = 4) -> None:
    """Remove the caches of older sources beside `folder`, but for the `keep` youngest.

    Of folders that carry the program's mark, the files that it writes; all else stays.
    """
    with contextlib.suppress(OSError):
        beside = [path for path in folder.parent.iterdir() if _NAME.fullmatch(path.name)]
        others = [path for path in beside if path != folder and _is_own(path)]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[keep:]:
            for inside, _, files in os.walk(path, topdown=False):
                for name in filter(_WRITTEN.fullmatch, files):
                    Path(inside, name).unlink()
                with contextlib.suppress(OSError):  # something else is in it
                    os.rmdir(inside)


def _checksum(name: str, data: bytes | memoryview) -> bytes:
    return zlib.crc32(data, zlib.crc32(name.encode())).to_bytes(4, "big")


def _sound(path: Path) -> bool:
    """Whether a file of the cache is as it was written; garbage can do anything when unpickled."""
    try:
        content = memoryview(path.read_bytes())
    except OSError:
        return False
    return content[-4:] == _checksum(path.name, content[:-4])


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files, with a checksum at the end, where unpickling does not see it."""

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue())
            file.write(_checksum(Path(filepath).name, content.getvalue()))


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache, in the program's own folder. Whatever is wrong with it stops nothing."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Only here: a caller's own functions are cached where they would be without this program.
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(CACHE_FOLDER)
        try:
            super().__init__(function)
        finally:
            numba.config.CACHE_DIR = before
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            _tell(f"the compile cache {CACHE_FOLDER} cannot be read ({error}): this start compiles")
            with contextlib.suppress(OSError):
                self.flush()  # saving reads the index too
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            if KEEP_OR_FAIL:
                raise
            _tell(f"compiled code cannot be kept in {CACHE_FOLDER} ({error}): each start compiles")


_told: list[str] = []


def _tell(problem: str) -> None:
    """Warn on stderr, once, and not in worker processes too."""
    if not _told and multiprocessing.parent_process() is None and sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(f"warning: {problem}", file=sys.stderr, flush=True)
    _told.append(problem)


#: Set by a process that does nothing but fill the cache, so ends where it cannot.
KEEP_OR_FAIL = False

CACHE_FOLDER = _cache_folder() if COMPILED else None


def _cached(compiled: Any, function: Callable[..., Any]) -> Any:
    """Give what numba makes of a function the cache; numba's own would stop at a damaged file."""
    if CACHE_FOLDER is not None:
        try:
            compiled._cache = _Cache(function)
        except (OSError, RuntimeError) as error:
            _tell(f"the compile cache {CACHE_FOLDER} cannot be used ({error}): each start compiles")
    return compiled


def is_compiled(entry_point: str = "advance") -> bool:
    """Whether an earlier process has left an entry point of `play` in the cache folder."""
    if not COMPILED or CACHE_FOLDER is None:
        return not COMPILED
    return any(CACHE_FOLDER.rglob(f"play.{entry_point}*.nbc"))


def has_room() -> bool:
    """Whether compiled code can be kept: there is a folder, and room for some times as much."""
    try:
        return CACHE_FOLDER is not None and shutil.disk_usage(CACHE_FOLDER).free > 2**24
    except OSError:
        return False


def kernel(function: F) -> F:
    """Compile an inner function of the engine; Python reaches it through an `entry` alone."""
    options = {"nogil": True, "error_model": "numpy"}
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, numba.njit(**options, **wrappers)(function))


def inline(function: F) -> F:
    """Compile a short kernel that is always written out where it is called, so costs no call."""
    options = {"nogil": True, "error_model": "numpy", "forceinline": True}
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, numba.njit(**options, **wrappers)(function))


def entry(function: F) -> F:
    """Compile a function that Python calls: cached on disk with all that it calls."""
    return cast(F, _cached(numba.njit(nogil=True, error_model="numpy")(function), function))


def unit(function: F) -> F:
    """Compile a kernel for itself, called by its symbol; it returns an int64.

    Arguments named ``state`` and ``table`` are the records, all others int64.

    Numba links and optimises every callee again into each of its callers, so the time to
    compile a deep call graph grows with its depth. A unit ends that: callers hold a reference
    to a symbol and no code. Cached on disk. Python may call it too (`.python`).
    """
    if not COMPILED:
        return function
    records = {"state": numba.from_dtype(layout.STATE), "table": numba.from_dtype(layout.TABLE)}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    signature = types.int64(*(records.get(name, types.int64) for name in names))
    options = {"nogil": True, "error_model": "numpy"}
    compiled = CFunc(function, (signature.args, types.int64), locals={}, options=options)
    _cached(compiled, function).compile()
    symbol = f"baobei_{function.__module__.rsplit('.', 1)[-1]}_{function.__name__}"
    llvmlite.binding.add_symbol(symbol, compiled.address)
    return cast(F, types.ExternalFunction(symbol, signature))


@intrinsic  # type: ignore[untyped-decorator]
def _ctpop(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _cttz(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def copy_head(typingctx: Any, source: Any, target: Any, size: Any) -> Any:
    """Mutates `target`: its first `size` bytes become those of `source`; both are records."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cgutils.raw_memcpy(builder, args[1], args[0], args[2], 1)
        return context.get_dummy_value()

    return types.none(source, target, types.intp), codegen


if COMPILED:

    @kernel
    def popcount(word: np.uint64) -> int:
        """Number of set bits of a uint64."""
        return np.int64(_ctpop(word))

    @kernel
    def lowest(word: np.uint64) -> int:
        """Position (0-63) of the lowest set bit of a uint64 that is not 0."""
        return np.int64(_cttz(word))

else:

    def popcount(word: np.uint64) -> int:
        """Number of set bits of a uint64."""
        return int(word).bit_count()

    def lowest(word: np.uint64) -> int:
        """Position (0-63) of the lowest set bit of a uint64 that is not 0."""
        value = int(word)
        return (value & -value).bit_length() - 1
