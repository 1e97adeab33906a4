"""What all data objects stand on: values as users give them, and the model that checks them.

A whole number is one however it is written: ``10000``, ``1e4``, ``np.int64(10000)``. True and false
are no numbers, numpy's neither.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo

from sim.errors import InputError, as_written_here, nearest, one_of, unknown_name
from sim.texts import EXPECTED, is_line, on_one_line

_EXACT = 2**53
"""Floats from here on may stand for another whole number than the one that was written."""

_PLAIN = (bool, int, float, str, type(None))


def plain(data: Any) -> Any:
    """Return `data` as Python's own values: scalars of numpy, arrays and Series, at any depth."""
    if type(data) in _PLAIN:
        return data
    if isinstance(data, dict):
        return {plain(key): plain(value) for key, value in data.items()}
    if type(data) in (list, tuple):
        return type(data)(map(plain, data))
    tolist = getattr(data, "tolist", None)
    if not callable(tolist):
        return data
    made = tolist()
    return float(made) if type(made) is type(data) else plain(made)  # np.longdouble stays one


def whole(value: object) -> int | None:
    """Return the whole number that a value is; None where it is none."""
    value = plain(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else None
    return int(value) if isinstance(value, int) else None


def as_whole(value: Any) -> Any:
    """Return the whole number that a value is; the value itself where it is none."""
    found = whole(value)
    return value if found is None else found


def number(value: object) -> float | None:
    """Return the number that a value is, an int as an int; None where it is none.

    Neither is what cannot be reckoned with: infinity, or beyond 1e300.
    """
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= 1e300 else None  # false for what is not a number


_THOUSANDS = re.compile(r"\s*[1-9]\d{0,2}([.,]\d{3}){1,6}\s*")


def whole_text(text: Any) -> int | None:
    """Return the whole number that a text says; None if it says none, or one of two.

    It may be written ``1000``, ``1_000``, ``1,000`` or ``1e3``; ``1.000`` is one or a thousand.
    """
    if isinstance(text, str) and _THOUSANDS.fullmatch(text):
        return None if "." in text else int(text.replace(",", ""))
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        return whole(float(text))
    return None


def needed(value: object, low: int, high: int, expected: str | None = None, **place: str) -> int:
    """Return the whole number that an argument is.

    Args:
        value: What was given.
        low: What it may be at least.
        high: What it may be at most.
        expected: Both in words, where there is more to say.
        **place: ``key`` or ``where`` of the message.

    Raises:
        InputError: It is none, or outside of its limits.
    """
    found = whole(value)
    if found is None or not low <= found <= high:
        expected = expected or f"a whole number from {low} to {high}"
        near = as_written_here(value)
        raise InputError(expected=expected, got=plain(value), nearest=near, **place)
    return found


# --- models ---------------------------------------------------------------------------------------

Name = Annotated[
    str,
    Field(
        pattern=r"^\S(.*\S)?$",
        max_length=80,
        json_schema_extra={"expected": "a name on one line, of 1 to 80 characters"},
    ),
]
"""How results name something."""

Prose = Annotated[
    str, BeforeValidator(lambda text: on_one_line(text) if isinstance(text, str) else text)
]
"""What people say of something; a file may have it on several lines."""


Whole = Annotated[int, BeforeValidator(as_whole)]
"""A whole number, however it is written: ``3`` or ``3.0``."""


def told_changes(changed: Mapping[str, Any]) -> str:
    """Return changed options or parameters as ``a=1, b.2=6``, as ``--rule`` and ``--set`` do."""
    parts = []
    for name, value in changed.items():
        entries = value.items() if isinstance(value, Mapping) else [("", value)]
        for entry, each in entries:
            shown = str(each).lower() if isinstance(each, bool) else str(each)
            parts.append(f"{name}.{entry}={shown}" if entry else f"{name}={shown}")
    return ", ".join(parts)


def digest(content: object) -> str:
    """Return a fingerprint of JSON-ready content: 16 hexadecimal digits of its SHA-256.

    Equal content gives equal digits on every machine: keys sorted, no spaces, ASCII only.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


class Shown:
    """Shows itself in notebooks by a function that `show_with` was given; until then as text."""

    def _repr_html_(self) -> str | None:
        return None if _show is None else _show(self)


_show: Callable[[Any], str | None] | None = None


def show_with(function: Callable[[Any], str | None]) -> None:
    """Let notebooks show decks, players, rules, studies and the like by a function.

    Args:
        function: Returns HTML for an object that is `Shown`; None where it has none.
    """
    global _show
    _show = function


class Frozen(Shown, BaseModel):
    """Base of all data objects: frozen, strict about types, and clear about mistakes.

    However it is made, a wrong or unknown field is an `InputError`, never a `ValidationError`.
    All text in it is on one line and printable.
    Numbers, arrays and Series of numpy and pandas count as the plain values that they hold.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    also_valid: ClassVar[tuple[str, ...]] = ()
    """Keys of files that are not fields, for the nearest name in messages."""
    noun: ClassVar[str] = "key"
    """What a field is called in messages."""

    @model_validator(mode="wrap")
    @classmethod
    def _explained(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            made = handler(plain(data))
        except ValidationError as error:
            raise _told(error, cls) from None
        for field in cls.model_fields:
            value = getattr(made, field)
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str) and not is_line(text):
                    raise InputError(expected=EXPECTED, key=field, got=text)
        return made


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


def _told(error: ValidationError, model: type[Frozen]) -> InputError:
    """Turn a pydantic error into one `InputError`: the first problem and the others' keys.

    An unknown key comes first: often it is the reason why another one is missing.
    """
    problems = error.errors(include_url=False)
    problems.sort(key=lambda problem: problem["type"] != "extra_forbidden")  # typing errors first
    keys: dict[str, str] = {}
    for problem in problems:
        keys.setdefault(".".join(map(str, problem["loc"])), problem["type"])
    first, *others = keys
    name = str(problems[0]["loc"][0]) if problems[0]["loc"] else ""
    if problems[0]["type"] == "extra_forbidden":
        names = [*model.model_fields, *model.also_valid]
        found = unknown_name(model.noun, name, names, is_key=True)
    elif name in model.model_fields:
        found = _wrong_value(problems[0], field_spec(name, model.model_fields[name]))
    else:
        found = InputError(problems[0]["msg"])
    told = [f"{key} is missing" if keys[key] == "missing" else key for key in others]
    return found.but(key=first or None, others=told)


def _wrong_value(problem: Mapping[str, Any], spec: Mapping[str, Any]) -> InputError:
    if problem["type"] == "missing":
        return InputError("missing", expected=spec["expected"])
    words = spec.get("choices") or (["true", "false"] if spec["type"] == "boolean" else [])
    got = problem["input"]
    near = nearest(got, words) if words else as_written_here(got)
    return InputError(expected=spec["expected"], got=got, nearest=near)
