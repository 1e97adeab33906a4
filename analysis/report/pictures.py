"""The pictures of a report, each with a caption, words for those who see nothing, its numbers."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from analysis.blocks import Picture, Table
from analysis.report.pen import Numbers, Pen, Source, seats_of, table
from analysis.words import ORDINALS, Language
from sim.errors import left_out
from sim.game.deck import POWERS
from sim.metrics import OUTCOMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[["Axes"], object]

_ROWS_AT_MOST = 60
"""Of a table behind a histogram; longer ones are put together in steps."""


OF_ROUNDS = ("win_shares", "seats", "ends", "lengths", "recycling", "bao", "scores")
OF_BIRDS = ("calibration", "powers", "power_swing", "birds")
"""Pictures of a run: of how rounds go, and of what plucks, powers and birds do."""


def run_figures(pen: Pen, source: Source, names: Sequence[str]) -> Iterator[Picture]:
    """Yield pictures of a run, those of some names that its numbers allow."""
    shown = {name: (draw, height, table) for name, draw, height, table in _run_plots(pen, source)}
    for name in names:
        if name in shown:
            draw, height, table = shown[name]
            narrow = 3.7 if name == "calibration" else 0.0
            yield figure(pen, name, draw, height, table(pen), narrow_height=narrow)


_Drawn = tuple[str, Draw, float, Callable[[Pen], Table]]


def _run_plots(pen: Pen, source: Source) -> Iterator[_Drawn]:
    """Yield what there is to draw: its name, what draws it, inches, the numbers behind it."""
    from analysis import plots
    from analysis.plots.plucks import least_shown

    summary, seats, text = source.summary, source.summary["players"], pen.language.text

    def drawing(function: Callable[..., object], **options: Any) -> Draw:
        return partial(function, summary, **options)

    if all(seat["win_share"] is not None for seat in seats):
        yield "win_shares", drawing(plots.win_shares), 1.3 + 0.4 * len(seats), _win_shares
    if summary.get("positions"):
        yield "seats", drawing(plots.seats), 3.6, positions
    if summary["rounds"]:
        yield "ends", drawing(plots.ends), 3.6, _ends
    if summary.get("by_end"):
        numbers = partial(_histogram, name="lengths", heading="turns", path="turns.histogram")
        yield "lengths", drawing(plots.lengths), 3.6, numbers
    if summary["recyclings"]["histogram"][1:]:
        path = "recyclings.histogram"
        numbers = partial(_histogram, name="recycling", heading="recyclings", path=path)
        yield "recycling", drawing(plots.recycling), 3.6, numbers
    if pen.at("calls.by_total"):
        yield "bao", drawing(plots.bao), 3.6, _bao
    if all("power_triggers" in seat for seat in seats):
        yield "powers", drawing(plots.powers), 3.6, _powers
    if summary.get("birds"):
        keys = (key for key in pen.language.entries if key.startswith("bird."))
        names = {key.removeprefix("bird."): text(key) for key in keys}
        height = 1.3 + 0.28 * len(summary["birds"])
        yield "birds", drawing(plots.birds, names=names), height, _birds
    if summary.get("power_swing"):
        names = {power: text(f"power.{power}") for power in POWERS}
        yield "power_swing", drawing(plots.birds, of="powers", names=names), 3.2, _power_swings
    scores = source.tables.get("scores")
    if scores and any(each.times for each in scores.values()):
        labels = [f"{seat['seat']} {seat['strategy']}" for seat in seats]
        draw = partial(plots.scores, scores, names=labels)
        yield "scores", draw, 1.4 + 0.55 * len(seats), _scores
    frame = source.tables.get("calibration")
    least = None if frame is None else least_shown(frame)
    if least is not None:
        draw = partial(plots.calibration, frame, least=min(least, 100))
        yield "calibration", draw, 4.6, partial(_calibration, frame=frame)


def figure(
    pen: Pen,
    name: str,
    draw: Draw,
    height: float,
    table: Table | None = None,
    *,
    words: str = "",
    narrow_height: float = 0.0,
    **said: Any,
) -> Picture:
    """Return a picture with the words that the catalogue has for it.

    Args:
        pen: Writes.
        name: Of the picture, no other in this part has it.
        draw: Draws on the axes that it is given.
        height: In inches.
        table: The numbers behind it, if there is one.
        words: Name in the catalogue; `name` if empty.
        narrow_height: In inches, on narrow screens.
        **said: Fills in what the words leave open.
    """
    language, words = pen.language, words or name
    title = language.say(f"figure.{words}.title", **said)
    caption = language.say(f"figure.{words}.caption", **said)
    alt = f"{title}. {caption}"
    alt = Markup(alt).striptags()
    wide = narrow = Markup()  # then the numbers behind it stand alone
    with left_out(f"picture {name}"):
        wide, narrow = drawn(language, draw, f"f{pen.part}-{name}", height, alt, narrow_height)
    return Picture(name, title, caption, alt, wide, narrow, table)


# --- runs: tables behind the plots ----------------------------------------------------------------

WINS = Numbers("table.wins", "players.{}.win_share", "share", interval=True)
SCORES = Numbers("table.score", "players.{}.score_mean", interval=True)


def of(path: str, *numbers: Numbers) -> list[Numbers]:
    """Return numbers of seats as those of what stands at another path."""
    return [replace(each, path=each.path.replace("players", path)) for each in numbers]


def _table(
    pen: Pen, name: str, first: str, rows: Iterable[tuple[Any, Any]], *numbers: Numbers
) -> Table:
    """Return the table behind a picture."""
    caption = pen.language.say("figure.numbers", title=pen.language.text(f"figure.{name}.title"))
    return table(pen, caption, first, rows, numbers)


def _win_shares(pen: Pen) -> Table:
    return _table(pen, "win_shares", "table.seat", seats_of(pen), WINS)


def positions(pen: Pen) -> Table:
    """Return win share and score by place in the turn order."""
    rows = [
        (pen.language.text(f"plot.{ORDINALS[row['position']]}"), k)
        for k, row in enumerate(pen.facts["positions"])
    ]
    return _table(pen, "seats", "table.position", rows, *of("positions", WINS, SCORES))


def _ends(pen: Pen) -> Table:
    rows = [(pen.language.text(f"ends.{name}"), f"ends.{name}") for name in pen.facts["ends"]]
    fates = ("won", "tied", "beaten", "void")
    rows += [(pen.language.text(f"ends.bao_{fate}"), f"bao.{fate}") for fate in fates]
    share = Numbers("table.share", "{}/rounds", "share", 2)
    return _table(pen, "ends", "ends.how", rows, Numbers("table.rounds", "{}", "whole"), share)


def _histogram(pen: Pen, name: str, heading: str, path: str) -> Table:
    """Return values and how often they occurred; many values in steps of equal width."""
    pairs: Sequence[Sequence[int]] = pen.at(path)
    span = pairs[-1][0] - pairs[0][0] + 1 if pairs else 0
    width = _step(math.ceil(span / _ROWS_AT_MOST))
    if width == 1:
        rows = [(pen.whole(f"{path}.{k}.0"), k) for k in range(len(pairs))]
        return _table(
            pen, name, f"table.{heading}", rows, Numbers("table.rounds", f"{path}.{{}}.1", "whole")
        )
    steps: dict[int, int] = {}
    for value, count in pairs:
        low = width * (value // width)
        steps[low] = steps.get(low, 0) + count
    shown = _table(pen, name, f"table.{heading}", (), Numbers("table.rounds", ""))
    cells = [
        [
            pen.language.say("number.range", low=low, high=low + width - 1),
            pen.whole(f"sum({path},{low},{low + width})", count),
        ]
        for low, count in steps.items()
    ]
    return replace(shown, rows=cells)


def _step(width: int) -> int:
    """Return the next round number: 1, 2, 5, 10, 20 and so on."""
    step = 1
    while step < width:
        step = {1: 2, 2: 5, 5: 10}[int(str(step)[0])] * 10 ** (len(str(step)) - 1)
    return step


def _scores(pen: Pen) -> Table:
    spread = Numbers("table.sd", "players.{}.score_sd", places=2)
    return _table(pen, "scores", "table.seat", seats_of(pen), SCORES, spread)


def _bao(pen: Pen) -> Table:
    path = "calls.by_total"
    rows = [(pen.whole(f"{path}.{k}.0"), k) for k in range(len(pen.at(path)))]
    fates = (
        Numbers(f"fate.{fate}", f"{path}.{{}}.{j}", "whole") for j, fate in enumerate(OUTCOMES, 1)
    )
    return _table(pen, "bao", "table.total", rows, *fates)


_TRIGGERS = ("discard", "reference", "eliminated", "no_effect")


def _powers(pen: Pen) -> Table:
    seats = pen.facts["players"]
    columns = (Numbers(f"trigger.{trigger}", "") for trigger in _TRIGGERS)
    rows = []
    for power in seats[0]["power_triggers"]:
        row: list[Any] = [pen.language.text(f"power.{power}")]
        for trigger in _TRIGGERS:
            count = sum(seat["power_triggers"][power][trigger] for seat in seats)
            row.append(pen.whole(f"seats(power_triggers.{power}.{trigger})", count))
        rows.append(row)
    return replace(_table(pen, "powers", "table.power", (), *columns), rows=rows)


def _power_swings(pen: Pen) -> Table:
    rows = [(pen.language.text(f"power.{power}"), power) for power in pen.facts["power_swing"]]
    return _table(pen, "power_swing", "table.power", rows, *_swing("used", "power_swing.{}"))


def _birds(pen: Pen) -> Table:
    rows = [(pen.language.bird(row["bird"]), k) for k, row in enumerate(pen.facts["birds"])]
    return _table(pen, "birds", "table.bird", rows, *_swing("dealt", "birds.{}.dealt"))


def _swing(counted: str, path: str) -> tuple[Numbers, Numbers]:
    swing = Numbers("table.swing", f"{path}.swing", interval=True, signed=True)
    return Numbers(f"table.{counted}", f"{path}.count", "whole"), swing


def _calibration(pen: Pen, frame: Any) -> Table:
    bins = {str(k): row for k, row in frame[frame["seat"].isna()].to_dict("index").items()}
    pen, percent = replace(pen, facts={"calibration": bins}), pen.language.percent
    rows = []
    for k, row in bins.items():
        low, high = (percent(row[end], 0) for end in ("bin_low", "bin_high"))
        rows.append((pen.language.say("number.range", low=low, high=high), k))
    at = "calibration.{}"
    return _table(
        pen,
        "calibration",
        "table.sureness",
        rows,
        Numbers("table.plucks", f"{at}.n", "whole"),
        Numbers("table.confidence", f"{at}.confidence", "share", least=0),
        Numbers("table.hits", f"{at}.hits", "share", interval=True, least=0),
    )


# --- as SVG ---------------------------------------------------------------------------------------

WIDE, NARROW = 6.4, 3.0
"""Inches. Shown 1.2 times as large and more, so that the smallest letters can be read."""


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

    def made(width: float, height: float, variant: str, *, narrow: bool) -> Markup:
        least: list[float] = []

        def on(canvas: Figure) -> None:
            with labelled(Labels(language, titled=False)):
                draw(canvas.add_subplot())
            least.append(fit(canvas, narrow=narrow))

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


LEAST = 7.6
"""Size of the smallest letters, in points; pictures are shown 1.1 times as large and more."""

_FIELDS_AT_MOST = 6
"""Fields with numbers in them side by side on narrow screens."""

_LINE = 17
"""Characters of a line of a name beside an axis on narrow screens."""

_LABEL = 20
"""Characters of a label of an axis that find room on one line, whatever the figure."""


def fit(figure: Figure, *, narrow: bool) -> float:
    """Mutates: fit legends, names and labels in; return the size of the smallest letters.

    Returns:
        In points.
    """
    from matplotlib.text import Text

    from analysis.plots.drawing import break_labels

    for ax in figure.axes:
        legend = ax.get_legend()
        names = [label.get_text() for label in ax.get_yticklabels()] if narrow else []
        if max(map(len, names), default=0) > _LINE:
            ax.set_yticks(ax.get_yticks(), [textwrap.fill(name, _LINE) for name in names])
        if narrow and legend is not None:
            _legend_below(ax, legend)
        if narrow and ax.images and ax.images[0].get_size()[1] > _FIELDS_AT_MOST:
            for text in ax.texts:  # too many to be read; the table below the picture has them
                text.set_visible(False)
    texts: list[Any] = figure.findobj(Text)
    for text in texts:
        text.set_fontsize(max(float(text.get_fontsize()), LEAST))
    for ax in figure.axes:
        if max(map(len, (ax.get_xlabel(), ax.get_ylabel()))) > _LABEL:
            break_labels(ax, beyond=1.0)
    texts = figure.findobj(Text)  # with those that breaking has made
    seen = (text for text in texts if text.get_visible() and text.get_text().strip())
    return min((float(text.get_fontsize()) for text in seen), default=0.0)


def _legend_below(ax: Axes, legend: Any) -> None:
    handles, labels = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    title = legend.get_title().get_text()
    longest = max(map(len, labels), default=0)
    style: Any = {"loc": "upper center", "fontsize": "small", "title_fontsize": "small"}
    style["ncols"] = 1 if longest > 14 else 2 if longest > 6 else 4
    ax.legend(handles, labels, title=title or None, bbox_to_anchor=(0.4, -0.24), **style)
