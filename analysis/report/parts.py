"""What a report is made of: numbers that know where they come from, tables, figures, chapters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from analysis.text import decimals
from analysis.words import NO_BREAK, Language

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NONE = "–"
"""What stands for a number that does not exist."""

FOLDED_FROM = 25
"""Tables with more rows than this are folded away, and left out on paper."""


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
    """Writes numbers into a report.

    Each is a ``<data>`` element: ``value`` has the number in full, as summary and tables have it,
    ``data-path`` tells where it is found there, and its text shows it rounded, as the language has
    it. ``data-unit`` is ``%`` where the text shows a share in per cent.
    """

    language: Language
    part: int = 0

    def number(
        self, value: float | None, path: str, places: int = 2, *, signed: bool = False
    ) -> Markup:
        """Write a number with so many decimals; a dash where there is none."""
        if value is None:
            return Markup(NONE)
        write = self.language.signed if signed else self.language.number
        return self._data(value, path, write(value, places), "")

    def whole(self, value: int, path: str) -> Markup:
        """Write a whole number."""
        return self._data(value, path, self.language.whole(value), "")

    def share(
        self, value: float | None, path: str, places: int = 1, *, sign: bool = True
    ) -> Markup:
        """Write a share in per cent, with ``%`` after it unless `sign` is off."""
        if value is None:
            return Markup(NONE)
        shown = self._data(value, path, self.language.percent(value, places), "%")
        return Markup("{}{}%").format(shown, NO_BREAK) if sign else shown

    def points(self, value: float | None, path: str, places: int, *, signed: bool = True) -> Markup:
        """Write a difference of shares in percentage points, without a unit after it."""
        if value is None:
            return Markup(NONE)
        write = self.language.signed if signed else self.language.number
        return self._data(value, path, write(100 * value, places), "%")

    def counted(self, noun: str, number: int, path: str) -> Markup:
        """Write a whole number and its noun."""
        return self.language.counted(f"count.{noun}", number, self.whole(number, path))

    def interval(
        self, ends: Sequence[float | None], path: str, places: int, *, share: bool = False
    ) -> Markup:
        """Write the two ends of an interval, as ``31.9 to 32.1``."""
        low, high = ends
        if low is None or high is None:
            return Markup(NONE)
        if share:
            first = self.share(low, f"{path}.0", places, sign=False)
            last = self.share(high, f"{path}.1", places, sign=False)
        else:
            first = self.number(low, f"{path}.0", places)
            last = self.number(high, f"{path}.1", places)
        return self.language.say("number.interval", low=first, high=last)

    def _data(self, value: float, path: str, shown: str, unit: str) -> Markup:
        mark = Markup(' data-unit="{}"').format(unit) if unit else ""
        template = '<data value="{}" data-part="{}" data-path="{}"{}>{}</data>'
        return Markup(template).format(repr(value), self.part, path, mark, shown)


def capital(text: str) -> str:
    """Return a text with its first letter large, as at the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def seat_label(seat: Mapping[str, Any]) -> Markup:
    """Return a seat and who sits there, on one line."""
    return Markup("{}&nbsp;·&nbsp;{}").format(seat["seat"], seat["strategy"])


def places_of(intervals: Iterable[Sequence[float | None]], scale: float = 1) -> int:
    """Return the decimals that suit the widest of some intervals."""
    widths = [high - low for low, high in intervals if low is not None and high is not None]
    return decimals(scale * max(widths) / 2, most=4) if widths else 2


# --- blocks ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and whether numbers stand in it."""

    heading: str | Markup
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """A table. The first cell of a row is its heading; cells are HTML or text."""

    caption: str | Markup
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    note: str | Markup = ""
    kind: str = "table"

    @property
    def filled(self) -> Table:
        """The table without columns in which no row has anything, as intervals of games."""
        there = [
            not self.rows or any(row[k] != NONE for row in self.rows)
            for k in range(len(self.columns))
        ]
        columns = list(compress(self.columns, there))
        return replace(
            self, columns=columns, rows=[list(compress(row, there)) for row in self.rows]
        )

    @property
    def folded(self) -> bool:
        """Whether it is too long to stand open."""
        return len(self.rows) > FOLDED_FROM


@dataclass(frozen=True)
class Figure:
    """A picture in two widths, with what it shows in words and the numbers behind it."""

    name: str
    title: str | Markup
    caption: str | Markup
    alt: str | Markup
    wide: Markup
    narrow: Markup
    table: Table | None
    kind: str = "figure"


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str | Markup
    style: str = ""
    kind: str = "text"


@dataclass(frozen=True)
class Points:
    """A list of sentences; where there are more than `shown`, if it is not 0, those are folded."""

    items: Sequence[str | Markup]
    style: str = ""
    kind: str = "points"
    shown: int = 0


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for."""

    rows: Sequence[tuple[str | Markup, str | Markup]]
    kind: str = "facts"


@dataclass(frozen=True)
class Code:
    """Something to type, or a file to save."""

    text: str
    title: str | Markup = ""
    file: str = ""
    folded: bool = False
    kind: str = "code"


Block = Table | Figure | Text | Points | Facts | Code


@dataclass(frozen=True)
class Tile:
    """A headline number: what it is, the number, and its interval or what it is of."""

    label: str | Markup
    value: Markup
    note: str | Markup = ""


@dataclass(frozen=True)
class Chapter:
    """A chapter of a part; one without blocks is left out."""

    name: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Part:
    """One result in a report.

    Attributes:
        kind: What it is, in words.
        title: Of the study.
        question: What it is to find out; may be empty.
        setting: What was played, in a line.
        answer: Sentences; the first is the one that matters most.
        tiles: Headline numbers.
        chapters: All else.
        brief: Rows for a table beside other parts: label, number and interval.
    """

    kind: str
    title: str
    question: str
    setting: Markup
    answer: Sequence[Block]
    tiles: Sequence[Tile]
    chapters: Sequence[Chapter]
    brief: Sequence[tuple[str | Markup, Markup]] = ()


# --- pictures -------------------------------------------------------------------------------------

WIDE, NARROW = 6.4, 3.0
"""Inches. Shown 1.2 times as large and more, so that the smallest letters can be read."""

Draw = Callable[["Axes"], object]


def drawn(
    language: Language, draw: Draw, name: str, height: float, alt: str, narrow_height: float = 0.0
) -> tuple[Markup, Markup]:
    """Return a plot as SVG for wide and for narrow screens, in a language.

    Args:
        language: Whose words and numbers it shows.
        draw: Draws on the axes that it is given.
        name: Of the figure, different from all others on the page.
        height: In inches.
        alt: What it shows, in words, for those who do not see it.
        narrow_height: The same for narrow screens; as `height` if 0.
    """
    from analysis.plots.figures import picture, untitled
    from analysis.report.plots import fit, translate

    def made(width: float, height: float, variant: str, *, narrow: bool) -> Markup:
        least: list[float] = []

        def on(figure: Canvas) -> None:
            with untitled():
                draw(figure.add_subplot())
            translate(figure, language)
            least.append(fit(figure, narrow=narrow))

        svg = picture(on, width, height, ["svg"])["svg"].decode()
        return inline(svg, f"{name}-{variant}", alt, least[0])

    return (
        made(WIDE, height, "w", narrow=False),
        made(NARROW, narrow_height or height, "n", narrow=True),
    )


def inline(svg: str, name: str, alt: str, least: float = 0.0) -> Markup:
    """Return an SVG file as an element of a page.

    Args:
        svg: The file's text.
        name: Put before all ids, so that none is twice on the page.
        alt: What it shows, in words.
        least: Size of its smallest letters, in points.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.S)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = re.sub(r'(href="|url\()#', rf"\1#{name}-", body)
    box = re.search(r'viewBox="([^"]+)"', body)
    assert box is not None
    inner = body[body.index(">") + 1 :]
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'viewBox="{}" role="img" aria-label="{}" data-letters="{}">'
    ).format(box[1], alt, f"{least:.2f}")
    return head + Markup(inner.strip())
