"""What the files of results hold, as shapes: whatever else stands in one is told with its place.

A file may be damaged, or have been written by hand. So all that is taken from one is checked
before, by pydantic: each document has one shape, which says the types of its parts and what they
may be, and one function tells what is wrong.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from sim.errors import InputError, show

SCHEMA = 1
"""Rises when a field of a summary or of a results folder changes its meaning."""

_HUGE = 2**128  # no count comes near; what is greater cannot be reckoned with as a number


class Shape(BaseModel):
    """What a part of a file holds; what else stands in it does not matter."""

    model_config = ConfigDict(strict=True, extra="ignore")


def _ascending(ends: list[Any]) -> list[Any]:
    low, high = ends
    if (low is None) != (high is None):
        raise PydanticCustomError("ends", "two numbers, or null twice")
    if low is not None and low > high:
        raise PydanticCustomError("ends", "the lower end first")
    return ends


def _range(pair: list[int]) -> list[int]:
    if pair[0] >= pair[1]:
        raise PydanticCustomError("range", "the first unit, and one past the last")
    return pair


Whole = Annotated[int, Field(ge=-_HUGE, le=_HUGE)]
Count = Annotated[int, Field(ge=0, le=_HUGE)]
Number = FiniteFloat | None
Share = Annotated[FiniteFloat, Field(ge=0, le=1)] | None
Seconds = Annotated[FiniteFloat, Field(ge=0)]
Ends = Annotated[list[Number], Field(min_length=2, max_length=2), AfterValidator(_ascending)]
"""An interval: its lower end and its upper end, or null twice."""
Units = Annotated[list[Count], Field(min_length=2, max_length=2), AfterValidator(_range)]
"""A range of units: the first, and one past the last."""


def check(shape: Any, content: Any, file: Path | None = None, key: str = "") -> Any:
    """Check what stands in a file.

    Args:
        shape: What it must be: a `Shape`, or a list of them.
        content: What it is.
        file: Where it stands; None if whoever called adds that (`sim.errors.within`).
        key: At which place in the file.

    Returns:
        The same, as the shape makes it.

    Raises:
        InputError: It is not; says at which place something is missing or of another kind.
    """
    try:
        return _adapter(shape).validate_python(content, strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        path = ".".join([*filter(None, [key]), *map(str, problem["loc"])]) or None
        if problem["type"] == "missing":
            raise InputError("damaged: missing", where=file, key=path) from None
        expected = problem["msg"].removeprefix("Input should be ")
        got = problem["input"]
        raise InputError("damaged", where=file, key=path, expected=expected, got=got) from None


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


@contextmanager
def numbers_of(file: Path, key: str = "sums") -> Iterator[None]:
    """Tell it as a damage of a file's sums where no numbers can be made of them."""
    try:
        yield
    except (ArithmeticError, LookupError, ValueError) as error:
        raise InputError(f"damaged: they cannot be ({error})", where=file, key=key) from None


# --- manifests ------------------------------------------------------------------------------------


class Manifest(Shape):
    """What the manifest of any folder says."""

    number: Annotated[int, Field(ge=1, alias="schema")]
    version: str
    engine: int
    fingerprint: str
    study: dict[str, Any]
    finished: bool = False
    kind: str = "run"


def read_schema(content: Any, file: Path, noun: str = "the manifest of results") -> dict[str, Any]:
    """Return the content of a file of results, if this version of the program can read it.

    Raises:
        InputError: It is something else, or was written by a newer version.
    """
    number = content.get("schema") if isinstance(content, Mapping) else None
    if type(number) is not int or number < 1:
        raise InputError(f"not {noun}", where=file)
    if number > SCHEMA:
        problem = "written by a newer version of the program"
        raise InputError(problem, where=file, expected=f"schema {SCHEMA} or lower", got=number)
    return dict(content)


# --- what must agree ------------------------------------------------------------------------------


_REST = "the rest of the folder"


def check_agrees(
    content: Any, true: Any, file: Path, key: str = "", *, to: str = _REST, older: bool = False
) -> None:
    """Check that a file says what is known from elsewhere.

    Numbers that are not whole may differ in their last digits.

    Args:
        content: What the file says.
        true: What is known; JSON-ready.
        file: The file.
        key: The place in it.
        to: From where it is known.
        older: It may be of a time when less was said, and intervals were others; so these are left
            out, and what is missing.

    Raises:
        InputError: It says something else; says where.
    """
    for place, known, said in apart(true, content, key, _same):
        names = place.split(".")
        if older and (said is MISSING or any(name.endswith(_OF_INTERVALS) for name in names)):
            continue
        problem = f"damaged: does not fit to {to}"
        got = {} if said is MISSING else {"got": said}
        expected = "nothing" if known is MISSING else show(known)
        raise InputError(problem, where=file, key=place or None, expected=expected, **got)


MISSING: Any = object()
"""What stands for a value that is not there."""

_OF_INTERVALS = ("ci95", "reached", "looks")


def apart(
    a: Any, b: Any, key: str = "", same: Callable[[Any, Any], bool] = operator.eq
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the places at which two JSON-ready values differ, with both, or `MISSING`.

    Args:
        a: One.
        b: The other.
        key: The place of both.
        same: Whether two values that are no tables, nor lists of one length, are the same.
    """
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        a, b = (dict(enumerate(part)) for part in (a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in dict.fromkeys([*a, *b]):
            place = f"{key}.{name}".lstrip(".")
            yield from apart(a.get(name, MISSING), b.get(name, MISSING), place, same)
    elif not same(a, b):
        yield key, a, b


def _same(a: Any, b: Any) -> bool:
    """Whether two values are the same, and of the same kind."""
    if isinstance(a, float) or isinstance(b, float):
        numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (a, b))
        try:
            return numbers and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
        except OverflowError:  # a whole number with hundreds of digits
            return False
    return type(a) is type(b) and bool(a == b)


def some(content: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return a part of a content, by names; those that it has."""
    return {name: content[name] for name in names if name in content}


def as_json(content: Any) -> Any:
    """Return a content as it comes back from a JSON file."""
    return json.loads(json.dumps(content))


def to_json(content: Any) -> str:
    """Return JSON text, indented, with lists of one or two numbers on one line."""
    text = json.dumps(content, indent=2, allow_nan=False)
    return _NUMBERS.sub(lambda found: f"[{', '.join(_NUMBER.findall(found[0]))}]", text)


_NUMBER = re.compile(r"[-+.e\d]+|null")
_NUMBERS = re.compile(rf"\[\n\s+(?:{_NUMBER.pattern})(?:,\n\s+(?:{_NUMBER.pattern}))?\n\s+\]")
