"""The report: one HTML page that tells in words, tables and pictures what results say.

The page needs nothing but itself: no network, no fonts, no scripts of others. It can be sent by
mail, read on a phone and printed; with scripts switched off only the sorting of tables is missing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from analysis.blocks import Part, Table, columns
from analysis.report import comparison, run, sweep, tournament
from analysis.report.pen import Pen
from analysis.report.read import read
from analysis.templates import environment
from analysis.words import DEFAULT, Language, language
from sim.errors import InputError
from sim.texts import printable

_PARTS = {
    "run": run.part,
    "comparison": comparison.part,
    "sweep": sweep.part,
    "tournament": tournament.part,
}


def report(results: Sequence[Any] | Any, lang: str = DEFAULT) -> str:
    """Return the page about some results.

    Args:
        results: Folders of runs, comparisons, sweeps or tournaments, or results in memory; one, or
            a list of them, in which order they stand on the page.
        lang: Code of the language: ``en``, ``it``, ``fr``, ``pt`` or ``es``.

    Raises:
        InputError: No such language, or a folder without results that are finished and readable.
    """
    tongue = language(lang)
    if isinstance(results, str | os.PathLike) or hasattr(results, "summary"):
        results = [results]
    sources = [read(result) for result in results]
    if not sources:
        raise InputError(expected="at least one folder", where="results", got=[])
    parts = [
        _PARTS[source.kind](Pen(tongue, k, source.summary), source)
        for k, source in enumerate(sources)
    ]
    template = environment().get_template("report.html")
    page = template.render(
        language=tongue,
        t=tongue.say,
        parts=parts,
        beside=_beside(tongue, parts, [source.kind for source in sources]),
        title=parts[0].title if len(parts) == 1 else tongue.say("page.several", n=len(parts)),
    )
    return printable(page, keep="\n")  # whatever somebody has put into a folder's files


def _beside(language: Language, parts: Sequence[Part], kinds: Sequence[str]) -> Table | None:
    """Return a table with a column for each part.

    Parts of one kind have a row for each number; of several kinds, their headline numbers.
    """
    if len(parts) < 2:
        return None
    same = len(set(kinds)) == 1
    labels: list[Any] = []
    for part in parts if same else ():
        labels += [label for label, _ in part.brief if label not in labels]
    cells = [dict(part.brief) for part in parts]
    rows: list[list[Any]] = [
        [language.text("beside.what"), *(part.kind for part in parts)],
        [language.text("beside.setting"), *(part.setting for part in parts)],
    ]
    rows += [[label, *(cell.get(label, Markup("–")) for cell in cells)] for label in labels]
    if not same:
        tile, lines = Markup("{}: <b>{}</b>"), Markup("<br>")
        told = [lines.join(tile.format(of.label, of.value) for of in part.tiles) for part in parts]
        rows.append([language.text("page.headline"), *told])
    link = Markup('<a href="#part-{0}" dir="auto">{0}. {1}</a>')
    heads: list[Any] = [link.format(k, part.title) for k, part in enumerate(parts, 1)]
    heads.insert(0, language.text("table.what"))
    note = language.text("beside.not_paired") if same and kinds[0] == "run" else ""
    all_left = columns(heads, left=range(len(heads)))
    return Table(language.text("beside.caption"), all_left, rows, note)
