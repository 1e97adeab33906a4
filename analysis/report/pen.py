"""How a report writes: numbers that know where they come from, tables of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from analysis.blocks import NONE, Column, Table, Tile, Words
from analysis.stats import ratio
from analysis.text.numbers import decimals
from analysis.words import NO_BREAK, Language
from sim.metrics import described


@dataclass(frozen=True)
class Source:
    """What one part of a report is about.

    Attributes:
        kind: ``run``, ``comparison``, ``sweep`` or ``tournament``.
        name: The folder's name; empty if there is none.
        summary: All numbers.
        study: What was played, as resolved: the ``study`` of the manifest.
        tables: By name, what pictures take besides: DataFrames; of a run with records its
            ``scores`` by seat, counted.
        engine: Version of the engine that played; None if it is not known.
    """

    kind: str
    name: str
    summary: Mapping[str, Any]
    study: Mapping[str, Any]
    tables: Mapping[str, Any] = field(default_factory=dict)
    engine: int | None = None


# --- numbers --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pen:
    """Writes numbers into a report, found by their paths: ``players.0.win_share``.

    Each is a ``<data>`` element: ``value`` has the number in full, as summary and tables have it,
    ``data-path`` tells where it is found there, and its text shows it rounded, as the language has
    it. ``data-unit`` is ``%`` where the text shows a share in per cent. A dash stands for a number
    that there is not.

    Attributes:
        language: Whose words and numbers it writes.
        part: Of the page, from 0.
        facts: Where numbers are found: a summary.
    """

    language: Language
    part: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)

    def at(self, path: str) -> Any:
        """Return what stands at a path, or None; ``PATH/rounds`` is a share of all rounds."""
        path, _, whole = path.partition("/")
        found: Any = self.facts
        for key in path.split("."):
            if isinstance(found, Mapping):
                found = found.get(key)
            elif isinstance(found, list | tuple) and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
        return ratio(found, self.facts[whole]) if whole else found

    def ends(self, path: str) -> tuple[str, str]:
        """Return the paths of the ends of a number's interval."""
        of = path.rpartition(".")[0]
        for where in (f"{path}_ci95", f"{of}.ci95"):
            if self.at(where) is not None:
                return f"{where}.0", f"{where}.1"
        low, high = f"{path}_low", f"{path}_high"
        return (f"{of}.low", f"{of}.high") if self.at(low) is None else (low, high)

    def places(self, *paths: str, unit: str = "share") -> int:
        """Return the decimals that suit the widest interval of some numbers."""
        intervals = [[self.at(end) for end in self.ends(path)] for path in paths]
        return places_of(intervals, 1 if unit == "number" else 100)

    def write(
        self,
        path: str,
        unit: str = "number",
        places: int | None = None,
        *,
        signed: bool = False,
        sign: bool = True,
        value: float | None = None,
    ) -> Markup:
        """Write a number.

        Args:
            path: Where it is found.
            unit: ``number``; ``whole``; ``median``, whole or half way between two; ``share``, in
                per cent; ``points``, a difference of shares in percentage points.
            places: Decimals; by default 2, of shares 1.
            signed: With its sign, ``+`` too.
            sign: Put ``%`` after a share.
            value: The number, where it is found nowhere.
        """
        value = self.at(path) if value is None else value
        if value is None:
            return Markup(NONE)
        if unit == "share":
            text = self.language.percent(value, 1 if places is None else places)
        else:
            if unit in ("whole", "median"):
                places = 0 if value == int(value) else 1
            scaled = 100 * value if unit == "points" else value
            tell = self.language.signed if signed else self.language.number
            text = tell(scaled, 2 if places is None else places)
        mark = Markup(' data-unit="%"' if unit in ("share", "points") else "")
        template = '<data value="{}" data-part="{}" data-path="{}"{}>{}</data>'
        shown = Markup(template).format(repr(value), self.part, path, mark, text)
        return Markup("{}{}%").format(shown, NO_BREAK) if unit == "share" and sign else shown

    def share(self, path: str, places: int = 1, **how: Any) -> Markup:
        """Write a share in per cent."""
        return self.write(path, "share", places, **how)

    def whole(self, path: str, value: int | None = None) -> Markup:
        """Write a whole number."""
        return self.write(path, "whole", value=value)

    def counted(self, noun: str, path: str) -> Markup:
        """Write a whole number and its noun."""
        return self.language.counted(f"count.{noun}", self.at(path), self.whole(path))

    def interval(
        self, path: str, unit: str = "number", places: int = 2, *, signed: bool = False
    ) -> Markup:
        """Write the interval of a number, as ``31.9 to 32.1``."""
        ends = self.ends(path)
        if any(self.at(end) is None for end in ends):
            return Markup(NONE)
        low, high = (self.write(end, unit, places, signed=signed, sign=False) for end in ends)
        return self.language.say("number.interval", low=low, high=high)

    def both(self, path: str, unit: str = "number") -> tuple[Markup, Markup]:
        """Write a number and its interval, with decimals that suit it."""
        places = self.places(path, unit=unit)
        return self.write(path, unit, places), self.interval(path, unit, places)

    def tile(self, label: Words, path: str, unit: str = "number", places: int = -1) -> Tile:
        """Return a headline number with its interval, or with the word that it has none."""
        places = self.places(path, unit=unit) if places < 0 else places
        interval = self.interval(path, unit, places)
        key = "number.no_interval" if interval == NONE else "number.in_interval"
        note = self.language.say(key, interval=interval)
        return Tile(label, self.write(path, unit, places), note)


@dataclass(frozen=True)
class Numbers:
    """Numbers below each other in a table, perhaps with their intervals in a column beside.

    Attributes:
        heading: Key of the words over it, or words as `Markup`.
        path: Where they are found; ``{}`` stands for what a row is about.
        unit: As of `Pen.write`.
        places: Decimals; None for what suits the widest interval.
        interval: Whether intervals stand beside.
        signed: With their signs, ``+`` too.
        least: Decimals at least, where each row has those that suit its own interval.
    """

    heading: Words
    path: str
    unit: str = "number"
    places: int | None = None
    interval: bool = False
    signed: bool = False
    least: int | None = None

    def headings(self, pen: Pen) -> Iterator[Column]:
        """Yield the columns."""
        told = isinstance(self.heading, Markup)
        yield Column(self.heading if told else pen.language.text(self.heading))
        if self.interval:
            yield Column(pen.language.text("table.interval"))

    def cells(self, pen: Pen, keys: Sequence[Any]) -> Iterator[list[Markup]]:
        """Yield the cells of each row."""
        paths = [self.path.format(key) for key in keys]
        places = self.places
        if self.interval and places is None:
            places = pen.places(*paths, unit=self.unit)
        for path in paths:
            if self.least is not None:
                places = max(pen.places(path, unit=self.unit), self.least)
            cells = [pen.write(path, self.unit, places, signed=self.signed)]
            if self.interval:
                cells.append(pen.interval(path, self.unit, places or 0))
            yield cells


def table(
    pen: Pen,
    caption: Words,
    first: Words | Sequence[Column],
    rows: Iterable[tuple[Any, Any]],
    numbers: Iterable[Numbers],
    note: Words = "",
) -> Table:
    """Return a table.

    Args:
        pen: Writes.
        caption: Of the table.
        first: Key of the heading of the first column, or the first columns.
        rows: What stands in these, and what the row is about.
        numbers: All other columns.
        note: Below the table.
    """
    rows, numbers = list(rows), list(numbers)
    if isinstance(first, str):
        first = [Column(pen.language.text(first), numeric=False)]
    heads = [*first, *(head for column in numbers for head in column.headings(pen))]
    cells = [[*label] if isinstance(label, list) else [label] for label, _ in rows]
    for column in numbers:
        for row, more in zip(cells, column.cells(pen, [key for _, key in rows]), strict=True):
            row += more
    return Table(caption, heads, cells, note)


def capital(text: str) -> str:
    """Return a text with its first letter large, as at the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def seats_of(pen: Pen) -> list[tuple[Markup, int]]:
    """Return the rows of tables of seats: each seat and who sits there, and its number."""
    label = Markup("{}&nbsp;·&nbsp;{}")
    seats = pen.facts["players"]
    return [(label.format(seat["seat"], seat["strategy"]), k) for k, seat in enumerate(seats)]


def places_of(intervals: Iterable[Sequence[float | None]], scale: float = 1) -> int:
    """Return the decimals that suit the widest of some intervals."""
    widths = [high - low for low, high in intervals if low is not None and high is not None]
    return decimals(scale * max(widths) / 2, most=4) if widths else 2


def metric_label(language: Language, name: str) -> str:
    """Return what a number is called; the mean over all seats is called as that of a seat."""
    keys = (f"metric.{name}", f"metric.{name.removesuffix('.mean')}_mean")
    return next((language.text(key) for key in keys if key in language), described(name))


def unit_of(summary: Mapping[str, Any]) -> str:
    """Return what a run or a comparison counts: ``rounds`` or ``games``."""
    return "rounds" if summary.get("games") is None else "games"
