"""Decks: birds, their values, families and powers, and how many copies of each (CARD-1 to 4).

A deck is data. Two ship with the program (CARD-3); a designer writes others as TOML files::

    title = "Twelve birds"               # all but [birds] may be left out
    assumed = false                      # true: the counts are a guess, and results say so
    known = ["..."]                      # provenance: what is known,
    assumptions = ["..."]                # and what was assumed

    [birds.white_pelican]                # the id, as scenario files and logs write it
    name = "White Pelican"               # left out: made from the id
    value = 7                            # points
    family = "pelican"                   # left out: a family of its own
    power = "look"                       # left out or "": no power
    copies = 3                           # 0 leaves the bird out

or as changes to another deck, a shipped one or a file::

    base = "five_per_value"

    [change.barn_owl]                    # a bird of the base: only what differs
    copies = 3

    [birds.kingfisher]                   # a new bird
    value = 9
    copies = 2
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

from pydantic import Field, field_validator, model_validator

from sim.errors import InputError, unknown_name, within
from sim.game.base import Frozen, Name, Prose, Whole, digest
from sim.game.files import PathLike, resolve, shipped

Power = Literal["look", "show", "swap", "macaw", "toco", "shoebill"]
"""What a card does when it starts a power (POW-1); the rulebook's section 7 says how."""

POWERS: tuple[Power, ...] = get_args(Power)
"""All powers, in the order in which results list them."""

MAX_CARDS = 128
"""The most cards that a deck may hold; the engine's states are made for it."""

MAX_BIRDS = 64
"""The most different birds, and so families, of a deck."""

DEFAULT_DECK = "five_per_value"

_ID = r"^[a-z][a-z0-9_]*$"
_ID_EXPECTED = "an id of lower-case letters, digits and underscores"


class Bird(Frozen):
    """One kind of card (CARD-2). Birds of one family match each other (CARD-4).

    Attributes:
        id: How files and logs write the card: small letters, digits and ``_``.
        name: How people call it; made of the id where none is given.
        value: What it adds to a total, in points, -99 to 99.
        family: The birds that it matches; its own id where none is given.
        power: ``"look"``, ``"show"``, ``"swap"``, ``"macaw"``, ``"toco"``, ``"shoebill"`` or None.
        copies: Cards of this bird in the deck.
    """

    id: str = Field(
        pattern=_ID,
        max_length=40,
        description="how files and logs write the card",
        json_schema_extra={"expected": _ID_EXPECTED},
    )
    name: str = Field(default="", max_length=80, description="how people call it")
    value: Whole = Field(ge=-99, le=99, description="what it adds to a total, in points")
    family: str = Field(
        default="",
        pattern=rf"{_ID}|^$",
        max_length=40,
        description="the birds that it matches (CARD-4); empty: its own",
        json_schema_extra={"expected": _ID_EXPECTED},
    )
    power: Power | None = Field(
        default=None, description="what it does when discarded or eliminated"
    )
    copies: Whole = Field(ge=0, le=MAX_CARDS, description="cards of this bird in the deck")

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Any) -> Any:
        """Make up the name and the family of a bird that states none."""
        id_ = data.get("id") if isinstance(data, dict) else None
        if not (isinstance(id_, str) and re.match(_ID, id_)):
            return data
        made_up = {"name": id_.replace("_", " ").title(), "family": id_}
        return made_up | {key: value for key, value in data.items() if value != ""}


class Deck(Frozen):
    """Birds and the number of copies of each; immutable, checked when made.

    Birds are kept in one order whatever the file's: families by their greatest value, then by
    name; within a family by value, then id. Birds with no copies are left out. So equal decks
    deal equal cards for equal seeds.

    Attributes:
        name: How results name the deck: a shipped name or the stem of the file's name.
        title: One line for people.
        assumed: Whether the numbers of copies are an assumption (CARD-3).
        known: Provenance: the facts that the deck agrees with.
        assumptions: Provenance: what was assumed beyond them.
        birds: The birds, in the order above; a bird's index is its place here.
    """

    also_valid: ClassVar[tuple[str, ...]] = ("base", "change")

    name: Name = Field(default="deck", description="how results name it")
    title: Prose = Field(default="", max_length=200, description="one line for people")
    assumed: bool = Field(
        default=False, description="whether the numbers of copies are an assumption"
    )
    known: tuple[Prose, ...] = Field(
        default=(),
        strict=False,
        description="facts that the deck agrees with",
        json_schema_extra={"expected": "a list of sentences"},
    )
    assumptions: tuple[Prose, ...] = Field(
        default=(),
        strict=False,
        description="what was assumed beyond them",
        json_schema_extra={"expected": "a list of sentences"},
    )
    birds: tuple[Bird, ...] = Field(
        strict=False,
        description="the birds by id",
        json_schema_extra={"expected": "a table of birds by id"},
    )

    @field_validator("birds", mode="before")
    @classmethod
    def _birds(cls, data: Any) -> Any:
        """Take birds by id or in a list; leave out those without copies; sort; check bounds."""
        if isinstance(data, dict):
            birds = [_bird(id_, entry) for id_, entry in data.items()]
        elif isinstance(data, list | tuple):
            birds = [_listed(i, entry) for i, entry in enumerate(data)]
        else:
            return data  # refused by the field's type
        return _checked(tuple(_sorted([bird for bird in birds if bird.copies > 0])))

    @classmethod
    def of(
        cls,
        deck: PathLike | Mapping[str, Any] | Deck,
        *,
        folder: PathLike | None = None,
    ) -> Deck:
        """Return the deck meant by a shipped name, a path, a dict like a deck file, or a deck.

        Args:
            deck: What is meant.
            folder: What relative paths are relative to; the current folder if None.

        Raises:
            InputError: No such deck, or the file or dict is wrong.
        """
        return deck if isinstance(deck, Deck) else resolve("decks", deck, folder, _from_dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the deck as JSON-ready data that `Deck.of` takes back to an equal deck."""
        data = self.model_dump(mode="json", exclude={"birds"})
        data["birds"] = {
            bird.id: bird.model_dump(mode="json", exclude={"id"}, exclude_none=True)
            for bird in self.birds
        }
        return data

    @property
    def cards(self) -> tuple[int, ...]:
        """The bird index of every physical card, ascending: a family's cards are contiguous."""
        return tuple(i for i, bird in enumerate(self.birds) for _ in range(bird.copies))

    @property
    def size(self) -> int:
        """The number of cards."""
        return sum(bird.copies for bird in self.birds)

    @property
    def families(self) -> tuple[str, ...]:
        """The different families, in the order of the birds."""
        return tuple(dict.fromkeys(bird.family for bird in self.birds))

    @property
    def fingerprint(self) -> str:
        """Digest of what is played: birds, values, families, powers, copies; no titles."""
        return digest(
            [[bird.id, bird.value, bird.family, bird.power, bird.copies] for bird in self.birds]
        )

    def index(self, bird_id: str) -> int:
        """Return the index of a bird in `birds`.

        Raises:
            InputError: The deck has no such bird.
        """
        ids = [bird.id for bird in self.birds]
        if bird_id in ids:
            return ids.index(bird_id)
        raise unknown_name(f"bird in deck '{self.name}'", bird_id, ids)


def shipped_decks() -> tuple[str, ...]:
    """Return the names of the decks that ship with the program."""
    return shipped("decks")


def load_deck(name_or_path: PathLike) -> Deck:
    """Return a shipped deck by name, or the deck of a TOML file.

    Raises:
        InputError: No such deck, or the file is wrong.
    """
    return Deck.of(name_or_path)


def _bird(id_: str, entry: Any) -> Bird:
    with within(f"birds.{id_}"):
        if not isinstance(entry, dict):
            raise InputError(expected="a table with value and copies", got=entry)
        if entry.get("id", id_) != id_:
            raise InputError("the id is the table's name", expected=f'"{id_}"', got=entry["id"])
        return Bird.model_validate({"id": id_, **entry})


def _listed(i: int, entry: Any) -> Bird:
    with within(f"birds.{i}"):
        return Bird.model_validate(entry)


def _sorted(birds: list[Bird]) -> list[Bird]:
    greatest: dict[str, int] = {}
    for bird in birds:
        greatest[bird.family] = max(bird.value, greatest.get(bird.family, bird.value))
    return sorted(birds, key=lambda b: (greatest[b.family], b.family, b.value, b.id))


def _checked(birds: tuple[Bird, ...]) -> tuple[Bird, ...]:
    if len(birds) > MAX_BIRDS:
        expected = f"at most {MAX_BIRDS} different birds"
        raise InputError(expected=expected, key="birds", got=len(birds))
    ids = [bird.id for bird in birds]
    twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
    if twice is not None:
        raise InputError("the same bird twice", key="birds", got=twice)
    size = sum(bird.copies for bird in birds)
    if not 1 <= size <= MAX_CARDS:
        raise InputError(expected=f"1 to {MAX_CARDS} cards in all", key="birds", got=size)
    return birds


def _from_dict(data: dict[str, Any], base: Deck | None) -> Deck:
    if base is not None:
        return _changed(base, data)
    if "change" in data:
        raise InputError("changes need a deck to change", key="base", expected="a deck's name")
    return Deck.model_validate(data)


def _changed(base: Deck, data: dict[str, Any]) -> Deck:
    """Return `base` with the birds of ``change`` changed, those of ``birds`` added."""
    whole = base.to_dict()
    birds: dict[str, Any] = whole.pop("birds")
    changes = _table(data.pop("change", {}), "change")
    new = _table(data.pop("birds", {}), "birds")
    for id_ in changes:
        if id_ not in birds:
            error = unknown_name(f"bird in deck '{base.name}'", id_, birds, is_key=True)
            raise error.inside(f"change.{id_}")
        birds[id_] = birds[id_] | _table(changes[id_], f"change.{id_}")
        with within(f"change.{id_}"):
            Bird.model_validate({"id": id_, **birds[id_]})
    for id_ in new:
        if id_ in birds:
            problem = f"deck '{base.name}' has this bird already"
            raise InputError(problem, key=f"birds.{id_}", expected=f"[change.{id_}]")
    if changes or new:
        touched = ", ".join([*changes, *new])
        whole["title"] = f"{base.name}, changed: {touched}"[:200]
        whole["assumptions"] = [
            f"Of {base.name}, before it was changed: {assumption}"
            for assumption in whole["assumptions"]
        ] + [f"Changed from {base.name}: {touched}."]
    name = f"{base.name} (changed)" if changes or new else base.name
    return Deck.model_validate({**whole, "name": name, **data, "birds": birds | new})


def _table(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(expected="a table", key=key, got=value)
    return value
