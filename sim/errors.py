"""Errors that a user may see, and words for their messages.

Everything that a user can get wrong (a file, a key, a value, a name, an option) is an
`InputError`: one clear message that names the place, what was expected, what was found and the
nearest valid name. The command line prints it and exits with 2; a notebook sees it as it is.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from functools import partial
from typing import Any

from sim.texts import printable

_MISSING: Any = object()
_LIST_AT_MOST = 12  # valid names that a message lists in full
_SHOW_AT_MOST = 60  # characters of a wrong value that a message shows
_KEY_AT_MOST = 200  # characters of a key


class BaobeiError(Exception):
    """Root of every error that `baobei-sim` raises on purpose."""


class CheckFailed(BaobeiError):
    """A check that the user asked for did not pass (exit code 1)."""


class WorkersLost(BaobeiError):
    """Those who played have gone, through no fault of what was asked; trying again may help."""


class InputError(BaobeiError):
    """Something that the user gave is wrong; `str()` of it is the whole message.

    Attributes:
        problem: What is wrong in a few words; None where `expected` and `got` say it all.
        where: The file, command-line option or argument that holds the mistake; None if unknown.
        key: Dotted key inside `where`, such as ``players.1.bao_threshold``; None for the whole.
        expected: What would be right, in words.
        got: The value found, absent (`has_got` False) where there is none.
        nearest: The valid name most like the one given; None if none is near.
        others: Keys of further problems found in the same place, and which of them are missing.
    """

    def __init__(
        self,
        problem: str | None = None,
        *,
        where: str | os.PathLike[str] | None = None,
        key: str | None = None,
        expected: str | None = None,
        got: object = _MISSING,
        nearest: str | None = None,
        others: Sequence[str] = (),
    ) -> None:
        """Keep the parts; see the class for their meaning."""
        self.problem = problem
        self.where = None if where is None else os.fspath(where)
        self.key = key
        self.expected = expected
        self.has_got = got is not _MISSING
        self.got = got if self.has_got else None
        self.nearest = nearest
        self.others = tuple(others)
        super().__init__(str(self))

    def __str__(self) -> str:
        """Return ``where: key: problem, expected …, got …; did you mean '…'?``."""
        says = [self.problem] if self.problem else []
        if self.expected:
            says.append(f"expected {self.expected}")
        if self.has_got:
            says.append(f"got {show(self.got)}")
        key = self.key and cut(self.key, _KEY_AT_MOST)
        text = ": ".join(part for part in (self.where, key, ", ".join(says)) if part)
        if self.nearest is not None:
            text += f"; did you mean '{self.nearest}'?"
        if self.others:
            text += f" (also wrong: {cut(', '.join(self.others), _KEY_AT_MOST)})"
        return printable(text)  # files and keys have whatever name they have

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by parts, so that the error survives a trip from a worker process."""
        return partial(InputError, **self._parts()), ()

    def but(self, **parts: Any) -> InputError:
        """Return the same error with some of its parts (arguments of `InputError`) replaced."""
        return InputError(**self._parts() | parts)

    def inside(
        self, key: str | None = None, where: str | os.PathLike[str] | None = None
    ) -> InputError:
        """Return the same error seen from outside: `key` prefixed, `where` filled in.

        An error that already names its place is complete and comes back as it is.
        """
        if self.where is not None:
            return self
        return self.but(key=".".join(part for part in (key, self.key) if part) or None, where=where)

    def _parts(self) -> dict[str, Any]:
        names = ("problem", "where", "key", "expected", "nearest", "others")
        parts = {name: getattr(self, name) for name in names}
        return parts | ({"got": self.got} if self.has_got else {})


@contextmanager
def left_out(what: str) -> Iterator[None]:
    """Go on with a warning where the block fails, as of pictures: they never cost numbers.

    Args:
        what: Is left out then; begins the warning.
    """
    try:
        yield
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        warnings.warn(f"{what} left out: {told}", stacklevel=3)


@contextmanager
def within(key: str | None = None, where: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Let an `InputError` of the block say that it happened under `key` of `where`."""
    try:
        yield
    except InputError as error:
        raise error.inside(key, where) from None


# --- words for messages -----------------------------------------------------------------------


def show(value: object) -> str:
    """Return `value` as a TOML or JSON file would write it, cut to a readable length."""
    with suppress(TypeError, ValueError, RecursionError):
        return cut(json.dumps(value, ensure_ascii=False, default=str))
    with suppress(ValueError, RecursionError):
        return cut(repr(value))
    return "something too long to be shown"


def cut(text: str, most: int = _SHOW_AT_MOST) -> str:
    """Return a text, cut to a readable length."""
    return text if len(text) <= most else text[: most - 1] + "…"


def nearest(name: object, valid: Iterable[str]) -> str | None:
    """Return the name in `valid` most like `name`, ignoring case and hyphens; None if none is."""
    if not isinstance(name, str):
        return None
    plain = {text.lower().replace("-", "_"): text for text in valid}
    asked = name.strip(_QUOTES).lower().replace("-", "_")
    found = get_close_matches(asked, plain, n=1, cutoff=_NEAR)
    return plain[found[0]] if found else None


_QUOTES = "\"' \u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
_NEAR = 0.6  # share of the letters that two names have in common, in the same order


def as_written_here(text: object) -> str | None:
    """Return the number that a text means, as the program reads it; None if it means none.

    ``0,5``, ``50%``, ``1.000`` and ``1,000,000`` are numbers to people, but not to TOML.
    """
    if not isinstance(text, str):
        return None
    for pattern, write in _NUMBERS:
        if found := pattern.fullmatch(text.strip(_QUOTES)):
            return write(found[0])
    return None


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (re.compile(r"[1-9]\d{0,2}([.,' ]\d{3}){1,5}"), lambda text: re.sub(r"\D", "", text)),
    (re.compile(r"-?\d{1,15},\d{1,15}"), lambda text: text.replace(",", ".")),
    (
        re.compile(r"\d{1,15}([.,]\d{1,15})? ?%"),
        lambda text: f"{float(text[:-1].replace(',', '.')) / 100:.12g}",
    ),
)


def one_of(names: Iterable[str], quote: str = '"') -> str:
    """Return ``"a", "b" or "c"``."""
    *most, last = (f"{quote}{name}{quote}" for name in names)
    return f"{', '.join(most)} or {last}" if most else last


def unknown_name(
    what: str, name: str, valid: Iterable[str], *, more: str = "", is_key: bool = False
) -> InputError:
    """Return the error for a name that is none of `valid`.

    Args:
        what: The thing that does not exist: ``deck``, ``parameter``, ``rule option``.
        name: The name given.
        valid: All valid names; listed where they are few or none is near.
        more: What else would be right, appended to the list: ``, or a TOML file``.
        is_key: The name will stand in the message as the error's key, so not as value got.
    """
    names = list(valid)
    near = nearest(name, names)
    listed = near is None or len(names) <= _LIST_AT_MOST
    expected = one_of(names, quote="") + more if listed and names else None
    got = _MISSING if is_key else name
    return InputError(f"no such {what}", expected=expected, got=got, nearest=near)
