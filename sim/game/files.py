"""Files of data: where they are found, and how they are read.

No file brings the program down: what is too large, nested too deeply or no text is an
`InputError` that says so.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from sim.errors import InputError, cut, nearest, show, unknown_name, within

PathLike = str | os.PathLike[str]

DATA = Path(__file__).parent.parent / "data"
"""Folder of the decks, players and studies that ship with the program."""

Kind = Literal["decks", "players", "studies"]
"""The kinds of data files; each is a folder of `DATA`."""

SINGULAR: dict[Kind, str] = {"decks": "deck", "players": "player", "studies": "study"}


def shipped(kind: Kind) -> tuple[str, ...]:
    """Return the names of the data files of one kind that ship with the program, sorted."""
    return tuple(sorted(path.stem for path in (DATA / kind).glob("*.toml")))


def locate(kind: Kind, name_or_path: PathLike, folder: PathLike | None = None) -> Path:
    """Return the file meant by a shipped name or a path.

    Args:
        kind: What is looked for.
        name_or_path: A shipped name, which comes first, or the path of a TOML file: whatever
            ends in ``.toml``, holds a separator or exists. A `Path` is never a shipped name.
        folder: What a relative path is relative to; the current folder if None.

    Raises:
        InputError: Neither a shipped name nor a path. Whether the file exists is left to
            `read_toml`.
    """
    if not isinstance(name_or_path, str | os.PathLike):
        expected = f"a {SINGULAR[kind]}'s name or the path of a TOML file"
        raise InputError(expected=expected, got=name_or_path)
    text = os.fspath(name_or_path)
    names = shipped(kind)
    if isinstance(name_or_path, str) and text in names:
        return DATA / kind / f"{text}.toml"
    path = Path(folder or "", text)
    if os.path.isfile(path / "manifest.json"):
        expected = f"a {SINGULAR[kind]} ('baobei report' tells what is in such a folder)"
        raise InputError("is a folder of results", where=path, expected=expected)
    if text.endswith(".toml") or "/" in text or os.sep in text or os.path.isfile(path):
        return path
    raise unknown_name(SINGULAR[kind], text, names, more=", or the path of a TOML file")


# --- what stands in files -----------------------------------------------------------------------

TOML_BYTES = 2**22
"""The most bytes of a file that a user writes; such files have some thousands."""

JSON_BYTES = 2**29
"""The most bytes of a file that the program writes."""

MAX_DEPTH = 64
"""How deep tables and lists may stand in one another."""

_TOO_DEEP = "nested too deeply"

# tomllib takes the square of a dotted key's length, so it is not asked to read a very long one.
_DOTTED = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]+[ \t]*\.[ \t]*){{{MAX_DEPTH},}}""")


def read_toml(path: PathLike) -> dict[str, Any]:
    """Return the content of a TOML file (UTF-8, with or without byte order mark).

    Raises:
        InputError: No such file, a folder, a device, too large, unreadable, not UTF-8, nested too
            deeply, or malformed TOML; the latter with line and column.
    """
    try:
        text = _text(path, "TOML", TOML_BYTES)
        content: dict[str, Any] = _parsed(_load_toml, text)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("no such file", where=path, nearest=_sibling(Path(path))) from None
    except tomllib.TOMLDecodeError as error:
        raise _malformed(path, str(error), text) from None
    except ValueError as error:
        raise InputError(f"not usable TOML: {error}", where=path) from None
    return content


def read_json(path: PathLike) -> Any:
    """Return the content of a JSON file that the program wrote, or somebody changed.

    Raises:
        FileNotFoundError: There is none; the caller knows what that means.
        NotADirectoryError: Likewise.
        InputError: A folder, a device, too large, unreadable, or wrong as for `parse_json`.
    """
    text = _text(path, "JSON", JSON_BYTES)
    try:
        return parse_json(text)
    except ValueError as error:
        raise InputError(f"not valid JSON: {error}", where=path) from None


def parse_json(text: str | bytes) -> Any:
    """Return the content of a JSON text.

    Raises:
        ValueError: Malformed, nested too deeply, a name twice in one object, a number too long,
            infinite or none.
    """
    return _parsed(_load_json, text)


def parse_value(text: str) -> Any:
    """Return the value that a text is in TOML; the text itself where it is none.

    So texts need no quotes: ``3``, ``true``, ``[0, 2]``, ``{ 2 = 6 }``, ``at_once``.
    """
    try:
        found = _parsed(_load_toml, f"value = {text}")
    except ValueError:
        return text
    return found["value"] if len(found) == 1 else text


def check_regular(path: PathLike, what: str, most: int | None = None) -> None:
    """Check that reading a file comes to an end: that it is no device, no pipe and not too large.

    Args:
        path: The file.
        what: What it should be: ``a TOML file``.
        most: How many bytes it may have; None for any number.

    Raises:
        OSError: There is none, or it cannot be looked at.
        InputError: It is something else.
    """
    about = os.stat(path)
    if not stat.S_ISREG(about.st_mode):
        is_folder = stat.S_ISDIR(about.st_mode)
        problem = "is a folder" if is_folder else "not a regular file"
        raise InputError(problem, where=path, expected=what)
    if most is not None and about.st_size > most:
        problem = f"too large: {about.st_size:,} bytes"
        raise InputError(problem, where=path, expected=f"at most {most:,}")


def _text(path: PathLike, what: str, most: int) -> str:
    """Return the text of a file.

    Raises:
        FileNotFoundError: There is none.
        NotADirectoryError: There is none.
        InputError: Not regular, too large, unreadable, or not UTF-8.
    """
    try:
        check_regular(path, f"a {what} file", most)
        content = Path(path).read_bytes()
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in content[:2]:
            raise InputError("not UTF-8 but UTF-16", where=path, expected="a file saved as UTF-8")
        return content.decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        key, expected = f"line {line}", "a file saved as UTF-8"
        raise InputError("not UTF-8 text", where=path, key=key, expected=expected) from None
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise InputError(problem, where=path) from None
    except ValueError as error:  # a NUL in the path
        raise InputError(f"cannot be read: {error}", where=show(str(path))) from None


Text = TypeVar("Text", str, str | bytes)


def _parsed(parse: Callable[[Text], Any], text: Text) -> Any:
    """Return what `parse` makes of a text.

    Raises:
        ValueError: Malformed, or nothing that can be worked with; says what in a few words.
    """
    try:
        level = [content := parse(text)]
    except (RecursionError, MemoryError):
        raise ValueError(_TOO_DEEP) from None
    except ValueError as error:
        if "integer string conversion" in str(error):  # Python speaks of its own settings
            raise ValueError("a number is too long") from None
        raise
    for _ in range(MAX_DEPTH):
        inner = (part.values() if isinstance(part, dict) else part for part in level)
        level = [part for parts in inner for part in parts if type(part) in (dict, list)]
        if not level:
            return content
    raise ValueError(_TOO_DEEP)


def _load_toml(text: str) -> dict[str, Any]:
    if _DOTTED.search(text):
        raise ValueError(_TOO_DEEP)
    return tomllib.loads(text)


def _load_json(text: str | bytes) -> Any:
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refused)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{show(twice)} twice in one object")
    return made


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _sibling(file: Path) -> str | None:
    """Return the TOML file of the same folder whose name is most like the missing one's.

    Some editors add an ending that they do not show: ``my.toml.txt``.
    """
    try:
        names = {_stem(path): path.name for path in file.parent.glob("*.toml*") if path.is_file()}
    except OSError:
        return None
    near = nearest(_stem(file), names)
    return near and str(file.with_name(names[near]))


def _stem(path: Path) -> str:
    return path.name.partition(".toml")[0]


def _malformed(path: PathLike, text: str, content: str) -> InputError:
    """Return the error for malformed TOML: tomllib's text, its position put first."""
    reason, _, position = text.rstrip(")").rpartition(" (at ")
    problem = f"not valid TOML: {cut(reason or text, 200)}"
    line = re.match(r"line (\d+)", position)
    rounded = line and _ROUNDED.search(content.split("\n")[int(line[1]) - 1])
    expected = f"straight quotes, not {rounded[0]}" if rounded else None
    return InputError(problem, where=path, key=position or None, expected=expected)


_ROUNDED = re.compile("[\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb]")


# --- kinds of files -------------------------------------------------------------------------------

_KINDS = {
    "scenario": ("baobei check", ("move", "start")),
    "sweep": ("baobei sweep", ("sweep",)),
    "tournament": ("baobei tournament", ("seats",)),
    "study": ("baobei run", ("players",)),
    "deck": ("--deck", ("birds", "change")),
    "player": ("--players", ("kind", "base")),
}
"""What a file may be, where it belongs, and keys by which it is known; the first one counts."""

_SHARED = {"tournament": "players", "deck": "base"}
"""A key that is right in files of a kind although it is one of another's."""


def refuse_others(kind: str, data: Mapping[str, Any]) -> None:
    """Refuse the content of a file that is one of another kind, which is named.

    Args:
        kind: What it should be: ``study``, ``tournament``, ``player``, ``deck``, ``scenario``.
        data: The content.

    Raises:
        InputError: It is something else.
    """
    for other, (use, keys) in _KINDS.items():
        key = next((key for key in keys if key in data), None)
        if key is not None:
            if other != kind and key != _SHARED.get(kind):
                raise InputError(f"this is a {other}: use {use}", key=key)
            return


class FromFile:
    """What a TOML file describes."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: PathLike | None = None) -> Self:
        """Return what a dict like such a file describes; each kind of file has its own."""
        raise NotImplementedError

    @classmethod
    def from_file(cls, path: PathLike) -> Self:
        """Return what a TOML file describes; paths in it are relative to the file's folder.

        Raises:
            InputError: The file, or one that it names, is missing or wrong; says which.
        """
        with within(where=path):
            return cls.from_dict(read_toml(path), folder=os.path.dirname(os.fspath(path)))


Built = TypeVar("Built")


def resolve(
    kind: Kind,
    meant: object,
    folder: PathLike | None,
    build: Callable[[dict[str, Any], Built | None], Built],
) -> Built:
    """Return what `build` makes of a shipped name, a path, or a dict like a data file.

    Args:
        kind: What is looked for.
        meant: The name, path or dict. What it names as its ``base`` is built first, however long
            the chain of bases is.
        folder: What relative paths are relative to, as they stand in a file there; the current
            folder if None.
        build: Called with the content without ``base``, and with what was built of that, or None.
            The content of a file gets the stem of the file's name as its ``name`` if it states
            none.

    Raises:
        InputError: As for `locate` and `read_toml`, or whatever `build` raises, its place named;
            or the chain has come back to a file that it passed.
    """
    chain: list[tuple[str | None, Path | None, dict[str, Any]]] = []
    files: dict[str, None] = {}
    key, where = None, None
    while True:
        with within(key, where):
            if isinstance(meant, Mapping):
                content = dict(meant)
            else:
                where, content = _named(kind, meant, folder, files)
                key, folder = None, where.parent
        with within(key, where):
            refuse_others(SINGULAR[kind], content)
        chain.append((key, where, content))
        if "base" not in content:
            break
        meant = content.pop("base")
        key = f"{key}.base" if key else "base"
    built = None
    while chain:
        key, where, content = chain.pop()
        with within(key, where):
            built = build(content, built)
    assert built is not None
    return built


def _named(
    kind: Kind, meant: object, folder: PathLike | None, files: dict[str, None]
) -> tuple[Path, dict[str, Any]]:
    """Return the path that is meant and the content of the file; mutates `files`, those passed."""
    if not isinstance(meant, str | os.PathLike):
        raise InputError(expected=f"a {SINGULAR[kind]}'s name, a path or a table", got=meant)
    path = locate(kind, meant, folder)
    if folder is not None and not os.path.exists(path):  # a file's mistake, which is told as one
        raise InputError(f"no such file '{path}'", nearest=_sibling(path))
    with within(where=path):
        content = {"name": path.stem, **read_toml(path)}
        here = os.path.realpath(path)
        if here in files:
            names = " -> ".join(os.path.basename(file) for file in (*files, here))
            raise InputError(f"a circle of bases: {names}", key="base")
    files[here] = None
    return path, content
