"""Draws blocks for terminals: lines of letters, columns side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress

from analysis.blocks import Block, Heading, Letters, Sentence, Table
from sim.texts import columns, padded

WIDTH = 100
"""Columns of a terminal that everything fits into."""


def draw(*groups: Iterable[Block]) -> str:
    """Return blocks as text, an empty line between two groups, no line break at the end."""
    drawn = ("\n".join(lines(group)) for group in groups)
    return "\n\n".join(filter(None, drawn))


def lines(blocks: Iterable[Block]) -> list[str]:
    """Return blocks as lines, each below the other."""
    return [line for block in blocks for line in _lines(block)]


def _lines(block: Block) -> Sequence[str]:
    match block:
        case Heading(text) | Letters(text):
            return [text] if text else []
        case Sentence(text, label, indent, hanging):
            first, more = label.ljust(indent), " " * (indent + hanging)
            return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=more)
        case Table():
            told = [str(block.caption)] if block.caption else []
            return told + _aligned(fitted(block))
    raise TypeError(f"a terminal draws no {block.kind}")


def fitted(table: Table) -> Table:
    """Return a table that fits: without columns that may go, with names cut that may be cut."""
    for level in sorted({column.drop for column in table.columns} - {0}):
        if _width(table) <= WIDTH:
            break
        there = [column.drop != level for column in table.columns]
        heads = list(compress(table.columns, there))
        rows = [list(compress(row, there)) for row in table.rows]
        table = replace(table, columns=heads, rows=rows)
    for k, column in enumerate(table.columns):
        if column.cut:  # never to less than the heading: that would cut and win nothing
            longest = max(len(row[k]) for row in table.rows)
            room = max(longest - max(_width(table) - WIDTH, 0), len(column.heading), 4)
            cut = [[*row[:k], shortened(row[k], room), *row[k + 1 :]] for row in table.rows]
            table = replace(table, rows=cut)
    return table


def _width(table: Table) -> int:
    return max(map(len, _aligned(table)))


def _aligned(table: Table) -> list[str]:
    left = [k for k, column in enumerate(table.columns) if not column.numeric]
    headings = [str(column.heading) for column in table.columns]
    return align(table.rows, headings if any(headings) else (), left=left)


def align(
    rows: Iterable[Sequence[str]],
    headings: Sequence[str] = (),
    *,
    left: Sequence[int] = (0,),
    width: int = WIDTH,
) -> list[str]:
    """Return rows as lines of aligned columns, two spaces between them.

    Args:
        rows: Cells; all rows of one length.
        headings: Of the columns; may be left out.
        left: Columns that are flush left; if the last one is, it is wrapped to `width`.
        width: Columns of the terminal.
    """
    body = [list(map(str, row)) for row in rows]
    table = [list(headings), *body] if headings else body
    if not table:
        return []
    last = len(table[0]) - 1
    widths = [max(columns(row[k]) for row in table) for k in range(last + 1)]
    lines = []
    for row in table:
        cells = [padded(cell, widths[k], right=k not in left) for k, cell in enumerate(row)]
        lines += _wrapped(cells, row, last in left, width)
    return lines


def _wrapped(cells: list[str], row: list[str], wrap: bool, width: int) -> list[str]:
    """Return one row as lines: the last cell goes on below itself where it is too long."""
    line = "  ".join(cells).rstrip()
    if not wrap or columns(line) <= width:
        return [line]
    start = "  ".join(cells[:-1]) + "  "
    room = max(width - columns(start), 30)
    first, *more = textwrap.wrap(row[-1], room) or [""]
    return [start + first, *(" " * columns(start) + text for text in more)]


def shortened(text: str, length: int) -> str:
    """Return a text cut to a length."""
    return text if len(text) <= length else text[: length - 3] + "..."


def paragraph(label: str, text: str, indent: int = 13) -> list[str]:
    """Return ``label   text``, wrapped, the text in a column of its own."""
    return lines([Sentence(text, label, indent)])
