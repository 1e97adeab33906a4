"""The part of a report that is about a tournament: many players, one kind of table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from analysis.blocks import Part, Picture, Sentence, Table, Tile, columns
from analysis.report import common
from analysis.report.pen import Numbers, Pen, Source, table
from analysis.report.pictures import SCORES, WINS, figure, of

_MATRIX_AT_MOST = 14
"""Players; the matrix of more is a table of pairs."""


def part(pen: Pen, source: Source) -> Part:
    """Return the part about a tournament."""
    summary = source.summary
    ranking = [Sentence(pen.language.text("ranking.intro")), _ranking(pen), _steps(pen, summary)]
    return common.part(
        pen,
        source,
        "kind.tournament",
        {"pictures": _figures(pen, source), "ranking": ranking, "seats": [_seats(pen)]},
        map(Sentence, _answer(pen, summary)),
        _tiles(pen, summary),
        _brief(pen, summary),
        _limits(pen, source),
    )


# --- in words -------------------------------------------------------------------------------------


def _share_places(pen: Pen) -> int:
    return pen.places(*(f"ranking.{k}.win_share" for k in range(len(pen.facts["ranking"]))))


def _answer(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    language, ranking = pen.language, summary["ranking"]
    places, won = _share_places(pen), "ranking.0.win_share"
    first, second, last = ranking[0], ranking[1], ranking[-1]
    yield language.say(
        "tournament.strongest" if first["step_clear"] else "tournament.strongest_unclear",
        player=first["player"],
        share=pen.share(won, places),
        interval=pen.interval(won, "share", places),
        second=second["player"],
        step=pen.write("ranking.0.step", "points", pen.places("ranking.0.step")),
    )
    if len(ranking) > 2:
        yield language.say(
            "tournament.weakest",
            player=last["player"],
            share=pen.share(f"ranking.{len(ranking) - 1}.win_share", places),
            even=language.number(100 / summary["seats"], 0 if 100 % summary["seats"] == 0 else 1),
        )
    unclear = [
        language.say("tournament.pair", a=above["player"], b=below["player"])
        for above, below in pairwise(ranking)
        if not above["step_clear"]
    ]
    key = "tournament.unclear" if unclear else "tournament.all_clear"
    yield language.say(key, pairs=Markup("; ").join(unclear))


def _tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    language = pen.language
    yield Tile(language.text("tile.players"), Markup(language.whole(len(summary["ranking"]))))
    seats = language.counted("count.seats_each", summary["seats"])
    yield Tile(language.text("tile.tables"), pen.whole("tables"), seats)
    yield Tile(language.text("tile.rounds"), pen.whole("rounds"))
    first = summary["ranking"][0]
    share, interval = pen.both("ranking.0.win_share", "share")
    label = language.say("tile.strongest", player=first["player"])
    yield Tile(label, share, language.say("number.in_interval", interval=interval))


def _brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    places = _share_places(pen)
    for k, row in enumerate(summary["ranking"]):
        yield row["player"], pen.share(f"ranking.{k}.win_share", places)


# --- pictures -------------------------------------------------------------------------------------


def _figures(pen: Pen, source: Source) -> Iterator[Picture]:
    if not {"ranking", "matrix"} <= source.tables.keys():
        return
    from analysis.plots import strength, strength_matrix

    if not source.tables["ranking"]["win_share"].notna().any():  # no round has a winner
        return
    players, tables = len(source.summary["ranking"]), source.tables
    draw = partial(strength, tables["ranking"])
    yield figure(pen, "strength", draw, 1.2 + 0.32 * players, _ranking(pen))
    if players <= _MATRIX_AT_MOST:
        draw, matrix = partial(strength_matrix, tables["matrix"]), _matrix(pen, source.summary)
        yield figure(pen, "strength_matrix", draw, 1.6 + 0.36 * players, matrix)


def _matrix(pen: Pen, summary: Mapping[str, Any]) -> Table:
    names = [row["player"] for row in summary["ranking"]]
    cells = {(row["player"], row["other"]): k for k, row in enumerate(summary["matrix"])}
    none = len(cells)  # where nothing stands, as for a player beside itself
    at = [[cells.get((me, other), none) for other in names] for me in names]
    rows = [
        [me, *(pen.write(f"matrix.{k}.difference", "points", 1, signed=True) for k in row)]
        for me, row in zip(names, at, strict=True)
    ]
    text = pen.language.text
    caption = pen.language.say("figure.numbers", title=text("figure.strength_matrix.title"))
    return Table(caption, columns([text("table.player"), *names], left=(0,)), rows)


# --- tables ---------------------------------------------------------------------------------------


def _ranking(pen: Pen) -> Table:
    rows = [(row["player"], k) for k, row in enumerate(pen.facts["ranking"])]
    numbers = [
        Numbers("table.rank", "ranking.{}.rank", "whole"),
        *of("ranking", WINS, SCORES),
        Numbers("table.bao", "ranking.{}.bao_rate", "share"),
        Numbers("table.won", "ranking.{}.bao_success", "share"),
    ]
    return table(pen, pen.language.text("ranking.caption"), "table.player", rows, numbers)


def _steps(pen: Pen, summary: Mapping[str, Any]) -> Table:
    text, ranking = pen.language.text, summary["ranking"]
    paths = [f"ranking.{k}.step" for k in range(len(ranking) - 1)]
    places = pen.places(*paths)
    rows = [
        [
            above["player"],
            below["player"],
            pen.write(path, "points", places, signed=True),
            pen.interval(path, "points", places),
            text("value.yes" if above["step_clear"] else "value.no"),
        ]
        for path, (above, below) in zip(paths, pairwise(ranking), strict=True)
    ]
    heads = ("table.player", "ranking.over", "ranking.step", "table.interval", "ranking.clear")
    return Table(text("ranking.steps_caption"), columns([*map(text, heads)], left=(0, 1)), rows)


def _seats(pen: Pen) -> Table:
    rows = [(pen.whole(f"by_seat.{k}.seat"), k) for k, _ in enumerate(pen.facts["by_seat"])]
    caption = pen.language.text("ranking.seats_caption")
    return table(pen, caption, "table.seat", rows, of("by_seat", WINS, SCORES))


# --- limits ---------------------------------------------------------------------------------------


def _limits(pen: Pen, source: Source) -> Iterator[Markup]:
    language, summary = pen.language, source.summary
    yield language.say("limit.field")
    if not summary["all_tables"]:
        yield language.say("limit.part_of_tables")
    if any(not row["step_clear"] for row in summary["ranking"][:-1]):
        yield language.say("limit.unclear_steps")
    yield language.say("limit.rounds")
    yield from common.always(pen, source)
