"""What a report is made of: numbers that know where they come from, tables, figures, chapters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from analysis.blocks import NONE
from analysis.text.numbers import decimals
from analysis.words import NO_BREAK, Language

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


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
    from analysis.plots.drawing import Labels, labelled, picture
    from analysis.report.plots import fit

    def made(width: float, height: float, variant: str, *, narrow: bool) -> Markup:
        least: list[float] = []

        def on(figure: Canvas) -> None:
            with labelled(Labels(language, titled=False)):
                draw(figure.add_subplot())
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
