"""The part of a report that is about a sweep: one study with something varied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup, escape

from analysis.blocks import Chapter, Column, Part, Picture, Sentence, Table, Tile
from analysis.report import common
from analysis.report.figures import figure
from analysis.report.parts import Pen, Source, capital, places_of
from analysis.report.rates import metric_label
from analysis.report.run import VAGUE

_ROWS_AT_MOST = 1000
_LINES_AT_MOST = 8
_FIGURES = ("win_share", "group_win_share", "score_mean", "bao_success", "turns_mean")
_OF_TABLE = ("turns_mean", "end_bao", "end_second_recycling", "end_turn_cap")
_OTHERS_AT_MOST = 6
_FIELDS_AT_MOST = 20
_VALUES_AT_MOST = 8


def part(pen: Pen, source: Source) -> Part:
    """Return the part about a sweep."""
    language, summary = pen.language, source.summary
    chapters = [
        Chapter(language.text("chapter.pictures"), list(_figures(pen, source))),
        Chapter(language.text("chapter.ends"), [_ends(pen, summary)]),
        Chapter(language.text("chapter.points"), _seats(pen, summary)),
        *common.last_chapters(pen, source, _limits(pen, source)),
    ]
    return Part(
        kind=language.text("kind.sweep"),
        title=common.title(language, source),
        question=summary["question"],
        setting=common.setting(pen, source),
        answer=[Sentence(sentence) for sentence in _answer(pen, summary)],
        tiles=list(_tiles(pen, summary)),
        chapters=chapters,
        brief=list(_brief(pen, summary)),
    )


# --- in words -------------------------------------------------------------------------------------


def _answer(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    language, best = pen.language, summary["best"]
    yield language.say(
        "sweep.varied", axes=Markup(pen.language.semicolon).join(_axes_told(pen, summary))
    )
    if best is not None:
        places = places_of([[best["low"], best["high"]]], 100)
        said = {
            "point": _at(pen, summary, best["point"]),
            "whose": _whose(pen, summary),
            "share": pen.share(best["value"], "best.value", places),
            "low": pen.share(best["low"], "best.low", places, sign=False),
            "high": pen.share(best["high"], "best.high", places, sign=False),
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
    (low, at_low), (high, at_high) = min(values), max(values)
    write = pen.number if metric == "turns_mean" else pen.share
    lowest = write(low, f"points.{at_low}.{metric}")
    highest = write(high, f"points.{at_high}.{metric}")
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
    yield Tile(language.text(f"tile.{unit}_each"), pen.whole(summary["count"], "count"))
    if best is not None:
        ends = [best["low"], best["high"]]
        places = places_of([ends], 100)
        low, high = (pen.share(best[k], f"best.{k}", places, sign=False) for k in ("low", "high"))
        note = language.say("number.interval", low=low, high=high)
        yield Tile(
            language.say("tile.best", whose=_whose(pen, summary)),
            pen.share(best["value"], "best.value", places),
            language.say("number.in_interval", interval=note),
        )


def _brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    language, best = pen.language, summary["best"]
    yield language.text("tile.points"), Markup(language.whole(len(summary["points"])))
    if best is not None:
        yield language.text("brief.best"), _at(pen, summary, best["point"])
        places = places_of([[best["low"], best["high"]]], 100)
        yield language.text("brief.best_share"), pen.share(best["value"], "best.value", places)


# --- pictures -------------------------------------------------------------------------------------


def _figures(pen: Pen, source: Source) -> Iterator[Picture]:
    metrics = source.tables.get("metrics")
    if metrics is None:
        return
    from analysis.plots import sweep_axes
    from analysis.plots.sweeps import rows_of

    axes, focus = sweep_axes(metrics), list(source.summary["focus"])
    for name in _FIGURES:
        rows = rows_of(metrics, name, None)
        of_seats = bool(rows["seat"].notna().any())
        if of_seats and focus:
            rows = rows[rows["seat"].isin(focus)]
        if rows.empty:
            continue
        seats = [seat for seat in focus if (rows["seat"] == seat).any()] if of_seats else [None]
        if len(axes) == 1:
            yield _over_one_axis(pen, source, name, of_seats)
        elif name in _FIGURES[:2] or name == "turns_mean":
            for seat in seats:
                yield from _over_axes(pen, source, name, seat, axes)
                yield from _map(pen, source, name, seat, axes)
    if len(axes) == 1 and metrics["point"].nunique() <= 40:
        yield _ends_figure(pen, source)


def _over_one_axis(pen: Pen, source: Source, name: str, of_seats: bool) -> Picture:
    from analysis.plots import sweep

    metrics, focus = source.tables["metrics"], list(source.summary["focus"])
    chosen = metrics[metrics["seat"].isin(focus)] if of_seats and focus else metrics
    seat = focus[0] if of_seats and len(focus) == 1 else None
    by = "seat" if of_seats and seat is None else None
    return figure(
        pen,
        name,
        lambda ax: sweep(chosen, name, ax, by=by, seat=seat),
        3.7,
        _numbers(pen, source.summary, name, [] if not of_seats else focus or None),
        words=f"sweep_{name}",
        axes=source.summary["axes"][0],
    )


def _over_axes(
    pen: Pen, source: Source, name: str, seat: int | None, axes: Sequence[str]
) -> Iterator[Picture]:
    """Yield a metric over each axis in turn; over two, with a line for each value of the other."""
    from analysis.plots import sweep

    metrics = source.tables["metrics"]
    lengths = {axis: metrics[axis].nunique() for axis in axes}
    shortest = min(reversed(list(axes)), key=lengths.__getitem__)
    by = shortest if len(axes) == 2 and lengths[shortest] <= _LINES_AT_MOST else None
    for x in axes if by is None else [axis for axis in axes if axis != by]:
        stem = f"{name}-{'table' if seat is None else seat}-{axes.index(x)}"
        yield figure(
            pen,
            stem,
            partial(sweep, metrics, name, x=x, by=by, seat=seat, dots=by is None),
            3.9,
            _numbers(pen, source.summary, name, [] if seat is None else [seat]),
            words=f"sweep_{name}",
            axes=x if by is None else f"{x}, {by}",
        )


def _map(
    pen: Pen, source: Source, name: str, seat: int | None, axes: Sequence[str]
) -> Iterator[Picture]:
    """Yield the map of a win share over two axes, if its fields are few enough to be read."""
    from analysis.plots import sweep_map

    metrics = source.tables["metrics"]
    lengths = {axis: metrics[axis].nunique() for axis in axes}
    if len(axes) != 2 or name not in _FIGURES[:2] or max(lengths.values()) > _FIELDS_AT_MOST:
        return
    y, x = sorted(reversed(list(axes)), key=lengths.__getitem__)
    yield figure(
        pen,
        f"{name}-{'table' if seat is None else seat}-map",
        partial(sweep_map, metrics, name, x=x, y=y, seat=seat),
        1.8 + 0.48 * lengths[y],
        _numbers(pen, source.summary, name, [] if seat is None else [seat]),
        words=f"sweep_{name}_map",
        axes=f"{x}, {y}",
    )


def _ends_figure(pen: Pen, source: Source) -> Picture:
    from analysis.plots import ends

    table = _ends(pen, source.summary)
    return figure(
        pen,
        "ends",
        lambda ax: ends(source.tables["metrics"], ax),
        3.7,
        table,
        words="sweep_ends",
        axes=source.summary["axes"][0],
    )


# --- tables ---------------------------------------------------------------------------------------


def _points(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(summary["points"][:_ROWS_AT_MOST])


def _axis_columns(summary: Mapping[str, Any]) -> list[Column]:
    return [Column(common.code(axis)) for axis in summary["axes"]]


def _axis_cells(pen: Pen, point: Mapping[str, Any]) -> list[str]:
    return [common.value_text(pen.language, value) for value in point["values"].values()]


def _note(pen: Pen, summary: Mapping[str, Any]) -> Markup | str:
    left = len(summary["points"]) - _ROWS_AT_MOST
    return pen.language.say("points.left_out", n=left) if left > 0 else ""


def _numbers(
    pen: Pen, summary: Mapping[str, Any], metric: str, seats: Sequence[int] | None
) -> Table:
    """Return a metric at each point.

    Args:
        pen: Writes.
        summary: Of the sweep.
        metric: Its name.
        seats: Whose; none for a metric of the table, None for all seats.
    """
    language, points = pen.language, _points(summary)
    label = capital(metric_label(language, metric))
    if seats is None:
        seats = range(max(len(point["players"]) for point in points))
    rows: list[list[Any]] = []
    places = _places(points, metric, seats)
    for k, point in enumerate(points):
        row: list[Any] = _axis_cells(pen, point)
        for holder, at in _holders(point, k, seats):
            row += _cells(pen, holder, at, metric, places)
        rows.append(row)
    columns = _axis_columns(summary)
    named = [language.say("brief.of_seat", what=label, seat=seat) for seat in seats]
    for heading in named or [Markup(escape(label))]:
        columns += [Column(heading), Column(language.text("table.interval"))]
    caption = language.say("figure.numbers", title=label)
    return Table(caption, columns, rows, _note(pen, summary))


def _holders(
    point: Mapping[str, Any], k: int, seats: Sequence[int]
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield what holds a metric at a point, and where it is: the table, or seats."""
    if not seats:
        yield point, f"points.{k}"
    for seat in seats:
        there = seat < len(point["players"])
        yield point["players"][seat] if there else {}, f"points.{k}.players.{seat}"


def _places(points: Sequence[Mapping[str, Any]], metric: str, seats: Sequence[int]) -> int:
    ends = [
        holder.get(f"{metric}_ci95", (None, None))
        for k, point in enumerate(points)
        for holder, _ in _holders(point, k, seats)
    ]
    return places_of(ends, 100 if _is_share(metric) else 1)


def _is_share(metric: str) -> bool:
    from sim.metrics import SWEPT

    return SWEPT[metric].share


def _cells(pen: Pen, holder: Mapping[str, Any], at: str, metric: str, places: int) -> list[Markup]:
    value, ends = holder.get(metric), holder.get(f"{metric}_ci95", (None, None))
    if _is_share(metric):
        shown = pen.share(value, f"{at}.{metric}", places)
    else:
        shown = pen.number(value, f"{at}.{metric}", places)
    return [shown, pen.interval(ends, f"{at}.{metric}_ci95", places, share=_is_share(metric))]


def _ends(pen: Pen, summary: Mapping[str, Any]) -> Table:
    rows = []
    for k, point in enumerate(_points(summary)):
        row: list[Any] = _axis_cells(pen, point)
        row += [
            pen.share(point[f"end_{reason}"], f"points.{k}.end_{reason}", 2)
            for reason in ("bao", "second_recycling", "turn_cap")
        ]
        rows.append([*row, pen.number(point["turns_mean"], f"points.{k}.turns_mean", 2)])
    columns = _axis_columns(summary)
    columns += [
        Column(pen.language.text(f"ends.{reason}"))
        for reason in ("bao", "second_recycling", "turn_cap")
    ]
    columns.append(Column(pen.language.text("tile.turns")))
    return Table(pen.language.text("ends.caption"), columns, rows, _note(pen, summary))


def _seats(pen: Pen, summary: Mapping[str, Any]) -> list[Any]:
    """Return, for each seat in focus or for each seat, a table of its numbers at each point."""
    language, points = pen.language, _points(summary)
    most = max(len(point["players"]) for point in points)
    names = ("win_share", "score_mean", "bao_rate", "bao_success", "pluck_rate")
    tables = []
    for seat in summary["focus"] or range(most):
        places = {name: _places(points, name, [seat]) for name in names}
        rows = []
        for k, point in enumerate(points):
            row: list[Any] = _axis_cells(pen, point)
            for holder, at in _holders(point, k, [seat]):
                for name in names:
                    cells = _cells(pen, holder, at, name, places[name])
                    row += cells if name in names[:2] else cells[:1]
            rows.append(row)
        columns = _axis_columns(summary)
        for name in names:
            columns.append(Column(capital(metric_label(language, name))))
            if name in names[:2]:
                columns.append(Column(language.text("table.interval")))
        caption = language.say("points.caption", seat=seat)
        tables.append(Table(caption, columns, rows, _note(pen, summary)))
    return tables


# --- limits ---------------------------------------------------------------------------------------


def _limits(pen: Pen, source: Source) -> Iterator[Markup]:
    summary, language = source.summary, pen.language
    widths = [
        (ends[1] - ends[0]) / 2
        for point in summary["points"]
        for player in point["players"]
        if (ends := player.get("win_share_ci95", (None, None)))[0] is not None
    ]
    if widths:
        count = pen.counted(summary["unit"], summary["count"], "count")
        half = max(widths)
        points = language.number(100 * half, places_of([[0, 2 * half]], 100))
        yield language.say(
            "limit.too_few" if half > VAGUE else "limit.precision", count=count, points=points
        )
    yield language.say("limit.same_deals")
    if summary["best"] is not None and len(summary["points"]) > 1:
        yield language.say("limit.best_of_many")
    yield language.say("limit.between_points")
    if any(point["end_turn_cap"] for point in summary["points"]):
        yield language.say("limit.some_capped")
    yield language.say("limit.rounds" if summary["unit"] == "rounds" else "limit.games")
    yield from common.always(pen, source)
