"""Every numba option of the project, its cache folder, and two bit instructions.

Numba does not notice an edit in a callee's file or in an imported constant, and its key
leaves out some flags. So the cache folder is named by a digest of all sources of the
engine and of the flags: another source, another folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

#: False under ``NUMBA_DISABLE_JIT=1``: the same source then runs as plain Python.
COMPILED: bool = not numba.config.DISABLE_JIT

if not COMPILED:
    # Random numbers wrap round at 64 bits, as they should; numpy's scalars warn of it.
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = ("engine", "policies")


def source_digest() -> str:
    """Hex digest of the engine's sources, its packages' versions and the compiler's flags."""
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((_PACKAGE / folder).glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    digest.update(f"{numba.__version__} {np.__version__} {numba.config.BOUNDSCHECK}".encode())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _cache_folder() -> Path:
    """The first writable one of: ``$NUMBA_CACHE_DIR``, the package's, the user's, a temporary."""
    name = f"baobei-{source_digest()}"
    candidates = [_PACKAGE / "__pycache__" / name]
    if os.environ.get("NUMBA_CACHE_DIR"):
        candidates.insert(0, Path(os.environ["NUMBA_CACHE_DIR"]) / name)
    for candidate in candidates:
        if _writable(candidate):
            return candidate
    from platformdirs import user_cache_path

    candidate = user_cache_path("baobei") / name
    return candidate if _writable(candidate) else Path(tempfile.mkdtemp(prefix="baobei-"))


def _prune(folder: Path, keep: int = 4) -> None:
    """Remove the caches of older sources beside `folder`, but for the `keep` youngest."""
    with contextlib.suppress(OSError):
        others = [path for path in folder.parent.glob("baobei-*") if path != folder]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[keep:]:
            shutil.rmtree(path, ignore_errors=True)


CACHE_FOLDER = _cache_folder()
_prune(CACHE_FOLDER)
numba.config.CACHE_DIR = str(CACHE_FOLDER)


def is_compiled(entry_point: str = "advance") -> bool:
    """Whether an earlier process has left an entry point of `play` in the cache folder."""
    return not COMPILED or any(CACHE_FOLDER.rglob(f"play.{entry_point}*.nbc"))


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
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def unit(function: F) -> F:
    """Compile a kernel for itself, called by its symbol; it returns an int64.

    Arguments named ``state`` and ``table`` are the records, all others int64.

    Numba links and optimises every callee again into each of its callers, so the time to
    compile a deep call graph grows with its depth. A unit ends that: callers hold a reference
    to a symbol and no code. Cached on disk. Python may call it too (`.python`).
    """
    if not COMPILED:
        return function
    from .state import STATE, TABLE

    records = {"state": numba.from_dtype(STATE), "table": numba.from_dtype(TABLE)}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    signature = types.int64(*(records.get(name, types.int64) for name in names))
    compiled = numba.cfunc(signature, cache=True, nogil=True, error_model="numpy")(function)
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
