"""The page about results that --report and the command report write."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sim.cli.program import tell
from sim.errors import InputError, within


def check_page(
    path: str | None, lang: str, option: str = "--report", out: str | None = None
) -> None:
    """Check before anything is played that a page can be written.

    Args:
        path: Of the page; None where none is wanted.
        lang: Code of its language.
        option: That says where to write it.
        out: The folder for the results, which is made before the page; None for none.

    Raises:
        InputError: The file cannot be written, or no such language.
    """
    if path is None and lang == "en":
        return
    from analysis.words import language

    with within(where="--lang"):
        language(lang)
    if path is None:
        raise InputError("there is no page", where="--lang", expected="--report FILE.html too")
    from sim.store.files import check_file

    with within(where=option):
        if Path(path).suffix.lower() not in ("", ".html", ".htm"):
            raise InputError("a page is HTML", expected="a file such as page.html", got=path)
        check_file(path, made=out or None)


def write_page(results: Sequence[Any], path: str | None, lang: str, quiet: bool) -> None:
    """Write the page about some results, folders or in memory, if one is wanted.

    Raises:
        InputError: There is nothing to tell, or the file cannot be written.
    """
    if path is not None:
        from analysis.report import report as made
        from sim.store.files import check_file, write, writing

        text = made(list(results), lang)
        with within(where=path):
            file = check_file(path)
        with writing(Path(path), expected="a file that can be written"):
            write(file, text)
        if not quiet:
            tell(f"the page is {path}")
    figures = sys.modules.get("analysis.plots.drawing")
    if figures is not None and figures.undrawn and not quiet:
        letters = "".join(sorted(figures.undrawn))
        figures.undrawn.clear()
        tell(f"pictures have a box for each of these letters, which their font lacks: {letters}")
