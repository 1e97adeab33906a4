"""Errors that a user may see, and the ways in which input is found, read and explained.

Everything that a user can get wrong (a file, a key, a value, a name, an option) is an
`InputError`: one clear message that names the place, what was expected, what was found and the
nearest valid name. The command line prints it and exits with 2; a notebook sees it as it is.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from sim.texts import printable

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic.fields import FieldInfo

DATA = Path(__file__).parent / "data"
"""Folder of the decks, players and studies that ship with the program."""

Kind = Literal["decks", "players", "studies"]
"""The kinds of data files; each is a folder of `DATA`."""

SINGULAR: dict[Kind, str] = {"decks": "deck", "players": "player", "studies": "study"}

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
        others: Keys of further problems found in the same place.
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
        return _remade, (self._parts(),)

    def inside(
        self, key: str | None = None, where: str | os.PathLike[str] | None = None
    ) -> InputError:
        """Return the same error seen from outside: `key` prefixed, `where` filled in.

        An error that already names its place is complete and comes back as it is.
        """
        if self.where is not None:
            return self
        parts = self._parts()
        parts["key"] = ".".join(part for part in (key, self.key) if part) or None
        parts["where"] = where
        return _remade(parts)

    def _parts(self) -> dict[str, Any]:
        names = ("problem", "where", "key", "expected", "nearest", "others")
        parts = {name: getattr(self, name) for name in names}
        return parts | ({"got": self.got} if self.has_got else {})


def _remade(parts: dict[str, Any]) -> InputError:
    return InputError(**parts)


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
    found = get_close_matches(name.lower().replace("-", "_"), plain, n=1, cutoff=0.5)
    return plain[found[0]] if found else None


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


# --- files --------------------------------------------------------------------------------------


def shipped(kind: Kind) -> tuple[str, ...]:
    """Return the names of the data files of one kind that ship with the program, sorted."""
    return tuple(sorted(path.stem for path in (DATA / kind).glob("*.toml")))


def locate(
    kind: Kind, name_or_path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None
) -> Path:
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


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a TOML file (UTF-8, with or without byte order mark).

    Raises:
        InputError: No such file, a folder, a device, too large, unreadable, not UTF-8, nested too
            deeply, or malformed TOML; the latter with line and column.
    """
    try:
        content: dict[str, Any] = _parsed(_load_toml, _text(path, "TOML", TOML_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("no such file", where=path, nearest=_sibling(Path(path))) from None
    except tomllib.TOMLDecodeError as error:
        raise _malformed(path, str(error)) from None
    except ValueError as error:
        raise InputError(f"not usable TOML: {error}", where=path) from None
    return content


def read_json(path: str | os.PathLike[str]) -> Any:
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


def check_regular(path: str | os.PathLike[str], what: str, most: int | None = None) -> None:
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


def _text(path: str | os.PathLike[str], what: str, most: int) -> str:
    """Return the text of a file.

    Raises:
        FileNotFoundError: There is none.
        NotADirectoryError: There is none.
        InputError: Not regular, too large, unreadable, or not UTF-8.
    """
    try:
        check_regular(path, f"a {what} file", most)
        return Path(path).read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8 text", where=path, key=f"line {line}") from None
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
    """Return the TOML file of the same folder whose name is most like the missing one's."""
    try:
        near = nearest(file.name, (path.name for path in file.parent.glob("*.toml")))
    except OSError:
        return None
    return near and str(file.with_name(near))


def _malformed(path: str | os.PathLike[str], text: str) -> InputError:
    """Return the error for malformed TOML: tomllib's text, its position put first."""
    reason, _, position = text.rstrip(")").rpartition(" (at ")
    problem = f"not valid TOML: {cut(reason or text, 200)}"
    return InputError(problem, where=path, key=position or None)


Built = TypeVar("Built")


def resolve(
    kind: Kind,
    meant: object,
    folder: str | os.PathLike[str] | None,
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
    kind: Kind, meant: object, folder: str | os.PathLike[str] | None, files: dict[str, None]
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


# --- fields of data objects ---------------------------------------------------------------------


def field_spec(name: str, field: FieldInfo) -> dict[str, Any]:
    """Return what a field accepts, JSON-ready, for listings and messages.

    Returns:
        ``name``, ``description``, ``type`` (``boolean``, ``integer``, ``number``, ``choice``,
        ``text`` or what the field calls itself), ``min`` and ``max`` or ``choices`` where it has
        them, ``default``, ``expected`` (all that in words), and whatever else the field says of
        itself, such as ``unit`` and ``rule``.
    """
    kind = _plain_type(field.annotation)
    spec: dict[str, Any] = {"name": name, "description": field.description or ""}
    spec["type"] = {bool: "boolean", int: "integer", float: "number"}.get(kind, "text")
    if get_origin(kind) is Literal:
        spec |= {"type": "choice", "choices": list(get_args(kind))}
    for limit in field.metadata:
        spec |= {key: getattr(limit, at) for key, at in _LIMITS if hasattr(limit, at)}
    if not field.is_required() and _is_json(field.default):
        spec["default"] = field.default
    extra = field.json_schema_extra
    spec |= extra if isinstance(extra, dict) else {}
    spec.setdefault("expected", _in_words(spec))
    return spec


_LIMITS = (("min", "ge"), ("max", "le"), ("shortest", "min_length"), ("longest", "max_length"))


def _plain_type(annotation: Any) -> Any:
    """Return the type without an "or None", and without what is annotated to it."""
    if get_origin(annotation) is Union or type(annotation).__name__ == "UnionType":
        annotation = next(kind for kind in get_args(annotation) if kind is not type(None))
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _in_words(spec: Mapping[str, Any]) -> str:
    if spec["type"] == "choice":
        return one_of(spec["choices"])
    if spec["type"] == "boolean":
        return "true or false"
    if spec["type"] == "text":
        longest = spec.get("longest")
        return f"text of at most {longest} characters" if longest else "text"
    noun = "a whole number" if spec["type"] == "integer" else "a number"
    if "min" in spec and "max" in spec:
        return f"{noun} from {spec['min']} to {spec['max']}"
    return f"{noun} of at least {spec['min']}" if "min" in spec else noun


def explain(
    error: ValidationError,
    model: type[BaseModel],
    *,
    where: str | os.PathLike[str] | None = None,
    also_valid: Iterable[str] = (),
    noun: str = "key",
) -> InputError:
    """Turn a pydantic error into one `InputError`: the first problem and the others' keys.

    An unknown key comes first: often it is the reason why another one is missing.

    Args:
        error: What pydantic raised.
        model: The model that was being made; its fields say what was expected.
        where: The file, option or argument that the data came from.
        also_valid: Keys that are right besides the model's fields.
        noun: What the model's keys are called in the message on an unknown one.
    """
    problems = error.errors(include_url=False)
    problems.sort(key=lambda problem: problem["type"] != "extra_forbidden")  # typing errors first
    keys = list(dict.fromkeys(".".join(map(str, problem["loc"])) for problem in problems))
    name = str(problems[0]["loc"][0]) if problems[0]["loc"] else ""
    if problems[0]["type"] == "extra_forbidden":
        found = unknown_name(noun, name, [*model.model_fields, *also_valid], is_key=True)
    elif name in model.model_fields:
        found = _wrong_value(problems[0], field_spec(name, model.model_fields[name]))
    else:
        found = InputError(problems[0]["msg"])
    return _remade(
        found._parts() | {"where": where, "key": keys[0] or None, "others": tuple(keys[1:])}
    )


def _wrong_value(problem: Mapping[str, Any], spec: Mapping[str, Any]) -> InputError:
    if problem["type"] == "missing":
        return InputError("missing", expected=spec["expected"])
    words = spec.get("choices") or (["true", "false"] if spec["type"] == "boolean" else [])
    got = problem["input"]
    return InputError(expected=spec["expected"], got=got, nearest=nearest(got, words))
