"""What everything told is made of: one model, drawn for terminals, notebooks and pages.

Whoever has something to tell gives blocks. `analysis.text` draws them in columns of letters,
`analysis.notebook` and `analysis.report` as HTML, by the templates of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

from markupsafe import Markup

NONE = "–"
"""What stands on a page for a number that does not exist."""

FOLDED_FROM = 25
"""Tables with more rows than this are folded away on a page, and left out on paper."""

Words = str | Markup


@dataclass(frozen=True)
class Block:
    """A piece of what is told."""

    @property
    def kind(self) -> str:
        """What it is, as templates call it."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Heading(Block):
    """The title of what follows."""

    text: Words


@dataclass(frozen=True)
class Sentence(Block):
    """A paragraph.

    Attributes:
        text: What it says.
        label: What it is about, in a column of its own; may be empty.
        indent: Columns of a terminal before the text.
        hanging: Further ones before its second line and those that follow.
        style: ``lead`` or ``note`` on a page.
    """

    text: Words
    label: str = ""
    indent: int = 0
    hanging: int = 0
    style: str = ""


def fact(label: str, text: str) -> Sentence:
    """Return a sentence of a list of facts, its label before it."""
    return Sentence(text, label, indent=13)


@dataclass(frozen=True)
class Sentences(Block):
    """A list of sentences; where there are more than `shown`, if it is not 0, those are folded."""

    items: Sequence[Words]
    style: str = ""
    shown: int = 0


@dataclass(frozen=True)
class Facts(Block):
    """Names and what they stand for."""

    rows: Sequence[tuple[Words, Words]]


@dataclass(frozen=True)
class Code(Block):
    """Something to type, or a file to save."""

    text: str
    title: Words = ""
    file: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Of the column.
        numeric: Whether numbers stand in it, which are flush right.
        cut: Whether its texts may be cut where a terminal has no room for the table.
        drop: Where a terminal has no room, columns with the lowest of these above 0 go first.
    """

    heading: Words
    numeric: bool = True
    cut: bool = False
    drop: int = 0


def columns(headings: Sequence[Words], left: Sequence[int] = ()) -> list[Column]:
    """Return columns with headings, of which those of `left` hold words."""
    return [Column(heading, k not in left) for k, heading in enumerate(headings)]


@dataclass(frozen=True)
class Table(Block):
    """A table. The first cell of a row is its heading; cells are HTML or text."""

    caption: Words
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    note: Words = ""

    @property
    def filled(self) -> Table:
        """The table without columns in which no row has anything, as intervals of games."""
        there = [
            not self.rows or any(row[k] != NONE for row in self.rows)
            for k in range(len(self.columns))
        ]
        return replace(
            self,
            columns=list(compress(self.columns, there)),
            rows=[list(compress(row, there)) for row in self.rows],
        )

    @property
    def folded(self) -> bool:
        """Whether it is too long to stand open."""
        return len(self.rows) > FOLDED_FROM


@dataclass(frozen=True)
class Picture(Block):
    """A picture in two widths, with what it shows in words and the numbers behind it."""

    name: str
    title: Words
    caption: Words
    alt: Words
    wide: Markup
    narrow: Markup
    table: Table | None


@dataclass(frozen=True)
class Folded(Block):
    """Blocks that are out of sight until their label is clicked on."""

    label: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Letters(Block):
    """Text that keeps its lines and its columns."""

    text: str


@dataclass(frozen=True)
class Tile:
    """A headline number: what it is, the number, and its interval or what it is of."""

    label: Words
    value: Markup
    note: Words = ""


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
    brief: Sequence[tuple[Words, Markup]] = ()
