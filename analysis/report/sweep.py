"""The part of a report that is about a sweep: one study with something varied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from markupsafe import Markup, escape

from analysis.blocks import Block, Column, Part, Picture, Sentence, Table, Tile, Words
from analysis.report import common
from analysis.report.pen import Numbers, Pen, Source, capital, metric_label, table
from analysis.report.pictures import figure
from analysis.report.run import vague
from sim.metrics import REASONS, SWEPT

_ROWS_AT_MOST = 1000
_OTHERS_AT_MOST = 6
_FIELDS_AT_MOST = 20
_VALUES_AT_MOST = 8


def part(pen: Pen, source: Source) -> Part:
    """Return the part about a sweep."""
    summary = source.summary
    chapters: dict[str, Iterable[Block]] = {
        "pictures": _figures(pen, source),
        "ends": [_ends(pen)],
        "points": _seats(pen),
    }
    return common.part(
        pen,
        source,
        "kind.sweep",
        chapters,
        map(Sentence, _answer(pen, summary)),
        _tiles(pen, summary),
        _brief(pen, summary),
        _limits(pen, source),
    )


# --- in words -------------------------------------------------------------------------------------


def _answer(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    language, best = pen.language, summary["best"]
    yield language.say(
        "sweep.varied", axes=Markup(pen.language.semicolon).join(_axes_told(pen, summary))
    )
    if best is not None:
        places = pen.places("best.value")
        said = {
            "point": _at(pen, summary, best["point"]),
            "whose": _whose(pen, summary),
            "share": pen.share("best.value", places),
            "low": pen.share("best.low", places, sign=False),
            "high": pen.share("best.high", places, sign=False),
        }
        yield language.say("sweep.best", **said)
        yield _as_good(pen, summary)
    yield from _extremes(pen, summary, "turns_mean", "sweep.turns")
    yield from _extremes(pen, summary, "end_second_recycling", "sweep.recycled")


def _axes_told(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    """Yield each axis with what it means, and its lowest and highest value or all its values."""
    for axis in summary["axes"]:
        values = list(dict.fromkeys(point["values"][axis] for point in summary["points"]))
        numbers = all(type(value) in (int, float) for value in values)
        language = pen.language
        told = {"axis": common.code(axis), "meaning": common.axis_meaning(pen, axis)}
        if numbers and len(values) > _VALUES_AT_MOST:
            low, high = (common.value_text(language, end(values)) for end in (min, max))
            span = language.say("number.range", low=low, high=high)
        else:
            span = Markup(", ").join(
                common.value_text(language, value) for value in values[:_VALUES_AT_MOST]
            )
        yield language.say("sweep.axis", values=span, n=len(values), **told)


def _whose(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    seats = ", ".join(str(seat) for seat in summary["best"]["seats"])
    return pen.language.counted("count.seats_named", len(summary["best"]["seats"]), seats)


def _as_good(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    others = summary["best"]["as_good"]
    if not others:
        return pen.language.say("sweep.clear")
    shown = others if len(others) <= _OTHERS_AT_MOST + 1 else others[:_OTHERS_AT_MOST]
    told = [_at(pen, summary, point) for point in shown]
    listed = Markup(pen.language.semicolon).join(told)
    more = len(others) - len(told)
    if more:
        listed += pen.language.say("sweep.and_more", n=more)
    return pen.language.say("sweep.as_good", others=listed)


def _at(pen: Pen, summary: Mapping[str, Any], point: int) -> Markup:
    """Return the values of the axes at a point; of a single axis just the value."""
    values = summary["points"][point]["values"]
    told = {key: common.value_text(pen.language, value) for key, value in values.items()}
    if len(told) == 1:
        return Markup("<b>{}</b>").format(*told.values())
    return Markup(", ").join(
        Markup("{} = <b>{}</b>").format(common.code(key), value) for key, value in told.items()
    )


def _extremes(pen: Pen, summary: Mapping[str, Any], metric: str, key: str) -> Iterator[Markup]:
    """Yield between which points a metric goes, in words, if that can be seen."""
    points = summary["points"]
    values = [(point[metric], k) for k, point in enumerate(points)]
    (_, at_low), (_, at_high) = min(values), max(values)
    unit = "number" if metric == "turns_mean" else "share"
    lowest, highest = (pen.write(f"points.{k}.{metric}", unit) for k in (at_low, at_high))
    if lowest.striptags() != highest.striptags():
        yield pen.language.say(
            key,
            low=lowest,
            high=highest,
            at_low=_at(pen, summary, at_low),
            at_high=_at(pen, summary, at_high),
        )


def _tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    language, best = pen.language, summary["best"]
    yield Tile(language.text("tile.points"), Markup(language.whole(len(summary["points"]))))
    unit = summary["unit"]
    yield Tile(language.text(f"tile.{unit}_each"), pen.whole("count"))
    if best is not None:
        label = language.say("tile.best", whose=_whose(pen, summary))
        yield pen.tile(label, "best.value", "share")


def _brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    language, best = pen.language, summary["best"]
    yield language.text("tile.points"), Markup(language.whole(len(summary["points"])))
    if best is not None:
        yield language.text("brief.best"), _at(pen, summary, best["point"])
        yield language.text("brief.best_share"), pen.both("best.value", "share")[0]


# --- pictures -------------------------------------------------------------------------------------


def _figures(pen: Pen, source: Source) -> Iterator[Picture]:
    metrics = source.tables.get("metrics")
    if metrics is None:
        return
    from analysis.plots.rounds import ends
    from analysis.plots.sweeps import has_ends, over_one_axis, rows_of, sweep_axes

    axes, focus = sweep_axes(metrics), list(source.summary["focus"])
    for name, metric in SWEPT.items():
        page = metric.swept.page if metric.swept else ""
        if page and len(axes) == 1:
            if draw := over_one_axis(metrics, name, focus):
                table = _numbers(pen, name, focus or None if metric.per_seat else [])
                yield figure(pen, name, draw, 3.7, table, words=f"sweep_{name}", axes=axes[0])
        elif page in ("lines", "map"):
            for seat in focus if metric.per_seat else [None]:
                if not rows_of(metrics, name, seat).empty:
                    yield from _over_axes(pen, metrics, name, seat, axes, mapped=page == "map")
    if has_ends(metrics):
        draw = partial(ends, metrics)
        yield figure(pen, "ends", draw, 3.7, _ends(pen), words="sweep_ends", axes=axes[0])


def _over_axes(
    pen: Pen, metrics: Any, name: str, seat: int | None, axes: Sequence[str], *, mapped: bool
) -> Iterator[Picture]:
    """Yield a metric over each axis in turn; over two, with a line for each value of the other.

    Of a win share over two axes there is a map too, if its fields are few enough to be read.
    """
    from analysis.plots.drawing import COLOURS
    from analysis.plots.sweeps import longer_and_shorter, sweep, sweep_map

    lengths = {axis: metrics[axis].nunique() for axis in axes}
    longer, shorter = longer_and_shorter(metrics, axes)
    by = shorter if len(axes) == 2 and lengths[shorter] <= len(COLOURS) else None
    stem, words = f"{name}-{'table' if seat is None else seat}", f"sweep_{name}"
    table = _numbers(pen, name, [] if seat is None else [seat])
    for x in axes if by is None else [axis for axis in axes if axis != by]:
        draw = partial(sweep, metrics, name, x=x, by=by, seat=seat, dots=by is None)
        over = x if by is None else f"{x}, {by}"
        yield figure(pen, f"{stem}-{axes.index(x)}", draw, 3.9, table, words=words, axes=over)
    swept = SWEPT[name].swept
    if (
        swept
        and swept.page == "map"
        and len(axes) == 2
        and max(lengths.values()) <= _FIELDS_AT_MOST
    ):
        draw = partial(sweep_map, metrics, name, x=longer, y=shorter, seat=seat)
        height, over = 1.8 + 0.48 * lengths[shorter], f"{longer}, {shorter}"
        yield figure(pen, f"{stem}-map", draw, height, table, words=f"{words}_map", axes=over)


# --- tables ---------------------------------------------------------------------------------------


def _table(pen: Pen, caption: Words, numbers: Iterable[Numbers]) -> Table:
    """Return numbers at each point; ``{}`` in their paths stands for it."""
    summary = pen.facts
    axes = [Column(common.code(axis)) for axis in summary["axes"]]
    rows = [
        ([common.value_text(pen.language, value) for value in point["values"].values()], k)
        for k, point in enumerate(summary["points"][:_ROWS_AT_MOST])
    ]
    left = len(summary["points"]) - _ROWS_AT_MOST
    note = pen.language.say("points.left_out", n=left) if left > 0 else ""
    return table(pen, caption, axes, rows, numbers, note)


def _numbers(pen: Pen, metric: str, seats: Sequence[int] | None) -> Table:
    """Return a metric of some seats at each point: of the table for none, of all seats for None."""
    label = capital(metric_label(pen.language, metric))
    if seats is None:
        seats = range(_seats_at_most(pen))
    heads = [pen.language.say("brief.of_seat", what=label, seat=seat) for seat in seats]
    numbers = _of(pen, metric, seats or (None,), heads or [escape(label)])
    return _table(pen, pen.language.say("figure.numbers", title=label), numbers)


def _of(
    pen: Pen, metric: str, seats: Iterable[int | None], heads: Sequence[Markup]
) -> list[Numbers]:
    """Return the columns of a metric of some seats, with decimals that suit them all."""
    paths = [
        f"points.{{}}.{metric}" if seat is None else f"points.{{}}.players.{seat}.{metric}"
        for seat in seats
    ]
    shown = range(min(len(pen.facts["points"]), _ROWS_AT_MOST))
    unit = "share" if SWEPT[metric].share else "number"
    places = pen.places(*(path.format(k) for path in paths for k in shown), unit=unit)
    pairs = zip(heads, paths, strict=True)
    return [Numbers(head, path, unit, places, interval=True) for head, path in pairs]


def _seats_at_most(pen: Pen) -> int:
    return max(len(point["players"]) for point in pen.facts["points"][:_ROWS_AT_MOST])


def _ends(pen: Pen) -> Table:
    numbers = [
        Numbers(f"ends.{reason}", f"points.{{}}.end_{reason}", "share", 2) for reason in REASONS
    ]
    numbers.append(Numbers("tile.turns", "points.{}.turns_mean"))
    return _table(pen, pen.language.text("ends.caption"), numbers)


def _seats(pen: Pen) -> Iterator[Table]:
    """Yield, for each seat in focus or for each seat, a table of its numbers at each point."""
    names = ("win_share", "score_mean", "bao_rate", "bao_success", "pluck_rate")
    for seat in pen.facts["focus"] or range(_seats_at_most(pen)):
        heads = {name: [escape(capital(metric_label(pen.language, name)))] for name in names}
        columns = [_of(pen, name, [seat], heads[name])[0] for name in names]
        numbers = [replace(of, interval=k < 2) for k, of in enumerate(columns)]
        yield _table(pen, pen.language.say("points.caption", seat=seat), numbers)


# --- limits ---------------------------------------------------------------------------------------


def _limits(pen: Pen, source: Source) -> Iterator[Markup]:
    summary, language = source.summary, pen.language
    players = [player for point in summary["points"] for player in point["players"]]
    yield from vague(pen, players, summary["unit"], "count")
    yield language.say("limit.same_deals")
    if summary["best"] is not None and len(summary["points"]) > 1:
        yield language.say("limit.best_of_many")
    yield language.say("limit.between_points")
    if any(point["end_turn_cap"] for point in summary["points"]):
        yield language.say("limit.some_capped")
    yield language.say(f"limit.{summary['unit']}")
    yield from common.always(pen, source)
