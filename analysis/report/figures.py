"""The pictures of a report, each with a caption, words for those who see nothing, its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from markupsafe import Markup

from analysis.blocks import Picture, Table
from analysis.report.pen import Numbers, Pen, Source, drawn, seats_of, table
from analysis.words import ORDINALS
from sim.errors import left_out
from sim.game.deck import POWERS
from sim.metrics import OUTCOMES

Summary = Mapping[str, Any]

_ROWS_AT_MOST = 60
"""Of a table behind a histogram; longer ones are put together in steps."""


@dataclass(frozen=True)
class _Plot:
    """A plot of a run.

    Attributes:
        name: Of the words in the catalogue.
        there: Whether a summary has what it shows.
        table: Returns the numbers behind it.
        height: In inches.
        options: Of the function.
        draw: Name of the function in `analysis.plots`; `name` if empty.
    """

    name: str
    there: Callable[[Summary], Any]
    table: Callable[[Pen], Table]
    height: Callable[[Summary], float] = lambda summary: 3.6
    options: Callable[[Pen], dict[str, Any]] = lambda pen: {}
    draw: str = ""


OF_ROUNDS = ("win_shares", "seats", "ends", "lengths", "recycling", "bao", "scores")
OF_BIRDS = ("calibration", "powers", "power_swing", "birds")
"""Pictures of a run: of how rounds go, and of what plucks, powers and birds do."""


def run_figures(pen: Pen, source: Source, names: Sequence[str]) -> Iterator[Picture]:
    """Yield pictures of a run, those of some names that its numbers allow."""
    for name in names:
        if name == "scores":
            yield from _of_records(pen, source)
        elif name == "calibration":
            yield from _of_plucks(pen, source)
        else:
            yield from _of_summary(pen, source, name)


def _of_summary(pen: Pen, source: Source, name: str) -> Iterator[Picture]:
    from analysis import plots

    for plot in _RUN_PLOTS:
        if plot.name == name and plot.there(source.summary):
            draw = getattr(plots, plot.draw or plot.name)
            yield figure(
                pen,
                plot.name,
                partial(draw, source.summary, **plot.options(pen)),
                plot.height(source.summary),
                plot.table(pen),
            )


def _of_records(pen: Pen, source: Source) -> Iterator[Picture]:
    from analysis import plots

    scores = source.tables.get("scores")
    if scores and any(each.times for each in scores.values()):
        names = [f"{seat['seat']} {seat['strategy']}" for seat in source.summary["players"]]
        yield figure(
            pen,
            "scores",
            lambda ax: plots.scores(scores, ax, names=names),
            1.4 + 0.55 * len(names),
            _scores(pen),
        )


def _of_plucks(pen: Pen, source: Source) -> Iterator[Picture]:
    """Yield how often plucks hit against how sure players were, where that says anything."""
    from analysis.plots import calibration
    from analysis.plots.plucks import least_shown

    table = source.tables.get("calibration")
    least = None if table is None else least_shown(table)
    if table is not None and least is not None:
        draw = partial(calibration, table, least=min(least, 100))
        yield figure(pen, "calibration", draw, 4.6, _calibration(pen, table), narrow_height=3.7)


def figure(
    pen: Pen,
    name: str,
    draw: Callable[[Any], object],
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
        return _table(pen, name, heading, rows, Numbers("table.rounds", f"{path}.{{}}.1", "whole"))
    steps: dict[int, int] = {}
    for value, count in pairs:
        low = width * (value // width)
        steps[low] = steps.get(low, 0) + count
    shown = _table(pen, name, heading, (), Numbers("table.rounds", ""))
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
    count = Numbers("table.used", "power_swing.{}.count", "whole")
    swing = Numbers("table.swing", "power_swing.{}.swing", interval=True, signed=True)
    return _table(pen, "power_swing", "table.power", rows, count, swing)


def _birds(pen: Pen) -> Table:
    rows = [(pen.language.bird(row["bird"]), k) for k, row in enumerate(pen.facts["birds"])]
    count = Numbers("table.dealt", "birds.{}.dealt.count", "whole")
    swing = Numbers("table.swing", "birds.{}.dealt.swing", interval=True, signed=True)
    return _table(pen, "birds", "table.bird", rows, count, swing)


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


def _has_triggers(summary: Summary) -> bool:
    return all("power_triggers" in seat for seat in summary["players"])


def bird_ids(pen: Pen) -> list[str]:
    """Return the ids of the birds that have a name in the catalogue."""
    return [key.removeprefix("bird.") for key in pen.language.entries if key.startswith("bird.")]


_RUN_PLOTS = (
    _Plot(
        "win_shares",
        lambda summary: all(seat["win_share"] is not None for seat in summary["players"]),
        _win_shares,
        lambda summary: 1.3 + 0.4 * len(summary["players"]),
    ),
    _Plot("seats", lambda summary: summary.get("positions"), positions),
    _Plot("ends", lambda summary: summary["rounds"], _ends),
    _Plot(
        "lengths",
        lambda summary: summary.get("by_end"),
        lambda pen: _histogram(pen, "lengths", "table.turns", "turns.histogram"),
    ),
    _Plot(
        "recycling",
        lambda summary: summary["recyclings"]["histogram"][1:],
        lambda pen: _histogram(pen, "recycling", "table.recyclings", "recyclings.histogram"),
    ),
    _Plot("bao", lambda summary: summary.get("calls", {}).get("by_total"), _bao),
    _Plot("powers", _has_triggers, _powers),
    _Plot(
        "birds",
        lambda summary: summary.get("birds"),
        _birds,
        lambda summary: 1.3 + 0.28 * len(summary["birds"]),
        lambda pen: {"names": {key: pen.language.text(f"bird.{key}") for key in bird_ids(pen)}},
    ),
    _Plot(
        "power_swing",
        lambda summary: summary.get("power_swing"),
        _power_swings,
        lambda summary: 3.2,
        lambda pen: {
            "of": "powers",
            "names": {power: pen.language.text(f"power.{power}") for power in POWERS},
        },
        "birds",
    ),
)
