"""The pictures of a report, each with a caption, words for those who see nothing, its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from analysis.blocks import Column, Picture, Table
from analysis.report.parts import Pen, Source, drawn, places_of, seat_label
from analysis.stats import ratio
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
    table: Callable[[Pen, Summary], Table]
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
                plot.table(pen, source.summary),
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
            _scores(pen, source.summary),
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


def _columns(pen: Pen, *headings: str) -> list[Column]:
    return [Column(pen.language.text(key), numeric=k > 0) for k, key in enumerate(headings)]


def _caption(pen: Pen, name: str) -> Markup:
    return pen.language.say("figure.numbers", title=pen.language.text(f"figure.{name}.title"))


def _win_shares(pen: Pen, summary: Summary) -> Table:
    seats = summary["players"]
    places = places_of([seat["win_share_ci95"] for seat in seats], 100)
    rows = [
        [
            seat_label(seat),
            pen.share(seat["win_share"], f"players.{k}.win_share", places),
            pen.interval(seat["win_share_ci95"], f"players.{k}.win_share_ci95", places, share=True),
        ]
        for k, seat in enumerate(seats)
    ]
    columns = _columns(pen, "table.seat", "table.wins", "table.interval")
    return Table(_caption(pen, "win_shares"), columns, rows)


def positions(pen: Pen, summary: Summary) -> Table:
    """Return win share and score by place in the turn order."""
    positions = summary["positions"]
    places = places_of([row["win_share_ci95"] for row in positions], 100)
    scores = places_of([row["score_mean_ci95"] for row in positions])
    rows = []
    for k, row in enumerate(positions):
        at = f"positions.{k}"
        rows.append(
            [
                pen.language.text(f"plot.{ORDINALS[row['position']]}"),
                pen.share(row["win_share"], f"{at}.win_share", places),
                pen.interval(row["win_share_ci95"], f"{at}.win_share_ci95", places, share=True),
                pen.number(row["score_mean"], f"{at}.score_mean", scores),
                pen.interval(row["score_mean_ci95"], f"{at}.score_mean_ci95", scores),
            ]
        )
    heads = ("table.position", "table.wins", "table.interval", "table.score", "table.interval")
    return Table(_caption(pen, "seats"), _columns(pen, *heads), rows)


def _ends(pen: Pen, summary: Summary) -> Table:
    rounds = summary["rounds"]
    rows = [
        [
            pen.language.text(f"ends.{reason}"),
            pen.whole(count, f"ends.{reason}"),
            pen.share(ratio(count, rounds), f"ends.{reason}/rounds", 2),
        ]
        for reason, count in summary["ends"].items()
    ]
    rows += [
        [
            pen.language.text(f"ends.bao_{fate}"),
            pen.whole(summary["bao"][fate], f"bao.{fate}"),
            pen.share(ratio(summary["bao"][fate], rounds), f"bao.{fate}/rounds", 2),
        ]
        for fate in ("won", "tied", "beaten", "void")
    ]
    columns = _columns(pen, "ends.how", "table.rounds", "table.share")
    return Table(_caption(pen, "ends"), columns, rows)


def _lengths(pen: Pen, summary: Summary) -> Table:
    return _histogram(
        pen, "lengths", "table.turns", summary["turns"]["histogram"], "turns.histogram"
    )


def _recycling(pen: Pen, summary: Summary) -> Table:
    pairs = summary["recyclings"]["histogram"]
    return _histogram(pen, "recycling", "table.recyclings", pairs, "recyclings.histogram")


def _histogram(
    pen: Pen, name: str, heading: str, pairs: Sequence[Sequence[int]], path: str
) -> Table:
    """Return values and how often they occurred; many values in steps of equal width."""
    span = pairs[-1][0] - pairs[0][0] + 1 if pairs else 0
    width = _step(math.ceil(span / _ROWS_AT_MOST))
    if width == 1:
        rows = [
            [pen.whole(value, f"{path}.{k}.0"), pen.whole(count, f"{path}.{k}.1")]
            for k, (value, count) in enumerate(pairs)
        ]
    else:
        rows = [
            [
                pen.language.say("number.range", low=low, high=low + width - 1),
                pen.whole(sum(count for _, count in part), f"sum({path},{low},{low + width})"),
            ]
            for low, part in _steps(pairs, width)
        ]
    return Table(_caption(pen, name), _columns(pen, heading, "table.rounds"), rows)


def _step(width: int) -> int:
    """Return the next round number: 1, 2, 5, 10, 20 and so on."""
    step = 1
    while step < width:
        step = {1: 2, 2: 5, 5: 10}[int(str(step)[0])] * 10 ** (len(str(step)) - 1)
    return step


def _steps(pairs: Sequence[Sequence[int]], width: int) -> Iterator[tuple[int, list[Sequence[int]]]]:
    """Yield the lower end of each step with a value in it, and its pairs."""
    steps: dict[int, list[Sequence[int]]] = {}
    for pair in pairs:
        steps.setdefault(width * (pair[0] // width), []).append(pair)
    yield from steps.items()


def _scores(pen: Pen, summary: Summary) -> Table:
    seats = summary["players"]
    places = places_of([seat["score_mean_ci95"] for seat in seats])
    rows = [
        [
            seat_label(seat),
            pen.number(seat["score_mean"], f"players.{k}.score_mean", places),
            pen.interval(seat["score_mean_ci95"], f"players.{k}.score_mean_ci95", places),
            pen.number(seat["score_sd"], f"players.{k}.score_sd", 2),
        ]
        for k, seat in enumerate(seats)
    ]
    columns = _columns(pen, "table.seat", "table.score", "table.interval", "table.sd")
    return Table(_caption(pen, "scores"), columns, rows)


def _bao(pen: Pen, summary: Summary) -> Table:
    calls = summary["calls"]["by_total"]
    rows = []
    for k, row in enumerate(calls):
        total, *fates = row
        at = f"calls.by_total.{k}"
        cells = [pen.whole(count, f"{at}.{j + 1}") for j, count in enumerate(fates)]
        rows.append([pen.whole(total, f"{at}.0"), *cells])
    columns = _columns(pen, "table.total", *(f"fate.{fate}" for fate in OUTCOMES))
    return Table(_caption(pen, "bao"), columns, rows)


_TRIGGERS = ("discard", "reference", "eliminated", "no_effect")


def _powers(pen: Pen, summary: Summary) -> Table:
    seats = summary["players"]
    rows = []
    for power in seats[0]["power_triggers"]:
        row: list[Any] = [pen.language.text(f"power.{power}")]
        for trigger in _TRIGGERS:
            count = sum(seat["power_triggers"][power][trigger] for seat in seats)
            row.append(pen.whole(count, f"seats(power_triggers.{power}.{trigger})"))
        rows.append(row)
    heads = ("table.power", *(f"trigger.{trigger}" for trigger in _TRIGGERS))
    return Table(_caption(pen, "powers"), _columns(pen, *heads), rows)


def _power_swings(pen: Pen, summary: Summary) -> Table:
    swings = summary["power_swing"]
    places = places_of([row["swing_ci95"] for row in swings.values()])
    rows = [
        [
            pen.language.text(f"power.{power}"),
            pen.whole(row["count"], f"power_swing.{power}.count"),
            pen.number(row["swing"], f"power_swing.{power}.swing", places, signed=True),
            pen.interval(row["swing_ci95"], f"power_swing.{power}.swing_ci95", places),
        ]
        for power, row in swings.items()
    ]
    heads = ("table.power", "table.used", "table.swing", "table.interval")
    return Table(_caption(pen, "power_swing"), _columns(pen, *heads), rows)


def _birds(pen: Pen, summary: Summary) -> Table:
    birds = summary["birds"]
    places = places_of([bird["dealt"]["swing_ci95"] for bird in birds])
    rows = [
        [
            pen.language.bird(bird["bird"]),
            pen.whole(bird["dealt"]["count"], f"birds.{k}.dealt.count"),
            pen.number(bird["dealt"]["swing"], f"birds.{k}.dealt.swing", places, signed=True),
            pen.interval(bird["dealt"]["swing_ci95"], f"birds.{k}.dealt.swing_ci95", places),
        ]
        for k, bird in enumerate(birds)
    ]
    heads = ("table.bird", "table.dealt", "table.swing", "table.interval")
    return Table(_caption(pen, "birds"), _columns(pen, *heads), rows)


def _calibration(pen: Pen, table: Any) -> Table:
    rows = []
    for k, row in table[table["seat"].isna()].to_dict("index").items():
        at, places = f"calibration.{k}", places_of([(row["low"], row["high"])], 100)
        low, high = (pen.language.percent(row[end], 0) for end in ("bin_low", "bin_high"))
        rows.append(
            [
                pen.language.say("number.range", low=low, high=high),
                pen.whole(row["n"], f"{at}.n"),
                pen.share(row["confidence"], f"{at}.confidence", places),
                pen.share(row["hits"], f"{at}.hits", places),
                _bin_interval(pen, row, at, places),
            ]
        )
    heads = ("table.sureness", "table.plucks", "table.confidence", "table.hits", "table.interval")
    return Table(_caption(pen, "calibration"), _columns(pen, *heads), rows)


def _bin_interval(pen: Pen, row: Mapping[str, Any], at: str, places: int) -> Markup:
    ends = (pen.share(row[end], f"{at}.{end}", places, sign=False) for end in ("low", "high"))
    return pen.language.say("number.interval", **dict(zip(("low", "high"), ends, strict=True)))


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
    _Plot("lengths", lambda summary: summary.get("by_end"), _lengths),
    _Plot("recycling", lambda summary: summary["recyclings"]["histogram"][1:], _recycling),
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
