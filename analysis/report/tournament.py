"""The part of a report that is about a tournament: many players, one kind of table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from analysis.blocks import Block, Chapter, Column, Part, Picture, Sentence, Table, Tile
from analysis.report import common
from analysis.report.figures import figure
from analysis.report.parts import Pen, Source, places_of
from analysis.report.run import columns

_MATRIX_AT_MOST = 14
"""Players; the matrix of more is a table of pairs."""


def part(pen: Pen, source: Source) -> Part:
    """Return the part about a tournament."""
    language, summary = pen.language, source.summary
    ranking: list[Block] = [
        Sentence(language.text("ranking.intro")),
        _ranking(pen, summary),
        _steps(pen, summary),
    ]
    chapters = [
        Chapter(language.text("chapter.pictures"), list(_figures(pen, source))),
        Chapter(language.text("chapter.ranking"), ranking),
        Chapter(language.text("chapter.seats"), [_seats(pen, summary)]),
        *common.last_chapters(pen, source, _limits(pen, source)),
    ]
    return Part(
        kind=language.text("kind.tournament"),
        title=common.title(language, source),
        question=summary["question"],
        setting=common.setting(pen, source),
        answer=[Sentence(sentence) for sentence in _answer(pen, summary)],
        tiles=list(_tiles(pen, summary)),
        chapters=chapters,
        brief=list(_brief(pen, summary)),
    )


# --- in words -------------------------------------------------------------------------------------


def _ends(row: Mapping[str, Any], name: str) -> list[float | None]:
    return [row[f"{name}_low"], row[f"{name}_high"]]


def _share(pen: Pen, row: Mapping[str, Any], at: str, name: str, places: int) -> Markup:
    return pen.share(row[name], f"{at}.{name}", places)


def _interval(
    pen: Pen, row: Mapping[str, Any], at: str, name: str, places: int, *, share: bool = False
) -> Markup:
    """Return an interval whose ends are columns of their own."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low is None or high is None:
        return Markup("–")
    write = pen.share if share else pen.number
    more: dict[str, Any] = {"sign": False} if share else {}
    return pen.language.say(
        "number.interval",
        low=write(low, f"{at}.{name}_low", places, **more),
        high=write(high, f"{at}.{name}_high", places, **more),
    )


def _answer(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    language, ranking = pen.language, summary["ranking"]
    places = places_of([_ends(row, "win_share") for row in ranking], 100)
    first, second, last = ranking[0], ranking[1], ranking[-1]
    step = places_of([_ends(first, "step")], 100)
    yield language.say(
        "tournament.strongest" if first["step_clear"] else "tournament.strongest_unclear",
        player=first["player"],
        share=_share(pen, first, "ranking.0", "win_share", places),
        interval=_interval(pen, first, "ranking.0", "win_share", places, share=True),
        second=second["player"],
        step=pen.points(first["step"], "ranking.0.step", step, signed=False),
    )
    if len(ranking) > 2:
        at = f"ranking.{len(ranking) - 1}"
        yield language.say(
            "tournament.weakest",
            player=last["player"],
            share=_share(pen, last, at, "win_share", places),
            even=language.number(100 / summary["seats"], 0 if 100 % summary["seats"] == 0 else 1),
        )
    unclear = [
        language.say("tournament.pair", a=above["player"], b=below["player"])
        for above, below in pairwise(ranking)
        if not above["step_clear"]
    ]
    if unclear:
        yield language.say("tournament.unclear", pairs=Markup("; ").join(unclear))
    else:
        yield language.say("tournament.all_clear")


def _tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    language = pen.language
    yield Tile(language.text("tile.players"), Markup(language.whole(len(summary["ranking"]))))
    seats = language.counted("count.seats_each", summary["seats"])
    yield Tile(language.text("tile.tables"), pen.whole(summary["tables"], "tables"), seats)
    yield Tile(language.text("tile.rounds"), pen.whole(summary["rounds"], "rounds"))
    first = summary["ranking"][0]
    places = places_of([_ends(first, "win_share")], 100)
    yield Tile(
        language.say("tile.strongest", player=first["player"]),
        _share(pen, first, "ranking.0", "win_share", places),
        language.say(
            "number.in_interval",
            interval=_interval(pen, first, "ranking.0", "win_share", places, share=True),
        ),
    )


def _brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    places = places_of([_ends(row, "win_share") for row in summary["ranking"]], 100)
    for k, row in enumerate(summary["ranking"]):
        yield row["player"], _share(pen, row, f"ranking.{k}", "win_share", places)


# --- pictures -------------------------------------------------------------------------------------


def _figures(pen: Pen, source: Source) -> Iterator[Picture]:
    if not {"ranking", "matrix"} <= source.tables.keys():
        return
    from analysis.plots import strength, strength_matrix

    if not source.tables["ranking"]["win_share"].notna().any():  # no round has a winner
        return
    players = len(source.summary["ranking"])
    yield figure(
        pen,
        "strength",
        lambda ax: strength(source.tables["ranking"], ax),
        1.2 + 0.32 * players,
        _ranking(pen, source.summary),
    )
    if players <= _MATRIX_AT_MOST:
        yield figure(
            pen,
            "strength_matrix",
            lambda ax: strength_matrix(source.tables["matrix"], ax),
            1.6 + 0.36 * players,
            _matrix(pen, source.summary),
        )


def _matrix(pen: Pen, summary: Mapping[str, Any]) -> Table:
    names = [row["player"] for row in summary["ranking"]]
    cells = {(row["player"], row["other"]): k for k, row in enumerate(summary["matrix"])}
    rows = []
    for me in names:
        row: list[Any] = [me]
        for other in names:
            k = cells.get((me, other))
            value = None if k is None else summary["matrix"][k]["difference"]
            row.append(pen.points(value, f"matrix.{k}.difference", 1))
        rows.append(row)
    heads = [Column(pen.language.text("table.player"), False), *(Column(name) for name in names)]
    caption = pen.language.say(
        "figure.numbers", title=pen.language.text("figure.strength_matrix.title")
    )
    return Table(caption, heads, rows)


# --- tables ---------------------------------------------------------------------------------------


def _ranking(pen: Pen, summary: Mapping[str, Any]) -> Table:
    ranking = summary["ranking"]
    shares = places_of([_ends(row, "win_share") for row in ranking], 100)
    scores = places_of([_ends(row, "score_mean") for row in ranking])
    rows = []
    for k, row in enumerate(ranking):
        at = f"ranking.{k}"
        rows.append(
            [
                row["player"],
                pen.whole(row["rank"], f"{at}.rank"),
                _share(pen, row, at, "win_share", shares),
                _interval(pen, row, at, "win_share", shares, share=True),
                pen.number(row["score_mean"], f"{at}.score_mean", scores),
                _interval(pen, row, at, "score_mean", scores),
                pen.share(row["bao_rate"], f"{at}.bao_rate"),
                pen.share(row["bao_success"], f"{at}.bao_success"),
            ]
        )
    heads: tuple[str, ...] = (
        "table.player",
        "table.rank",
        "table.wins",
        "table.interval",
        "table.score",
    )
    heads += ("table.interval", "table.bao", "table.won")
    return Table(pen.language.text("ranking.caption"), columns(pen.language, heads), rows)


def _steps(pen: Pen, summary: Mapping[str, Any]) -> Table:
    language, ranking = pen.language, summary["ranking"]
    places = places_of([_ends(row, "step") for row in ranking[:-1]], 100)
    rows = []
    for k, (above, below) in enumerate(pairwise(ranking)):
        low, high = _ends(above, "step")
        at = f"ranking.{k}.step"
        interval = language.say(
            "number.interval",
            low=pen.points(low, f"{at}_low", places, signed=False),
            high=pen.points(high, f"{at}_high", places, signed=False),
        )
        clear = language.text("value.yes" if above["step_clear"] else "value.no")
        step = pen.points(above["step"], at, places)
        rows.append([above["player"], below["player"], step, interval, clear])
    heads = ("table.player", "ranking.over", "ranking.step", "table.interval", "ranking.clear")
    return Table(language.text("ranking.steps_caption"), columns(language, heads, 2), rows)


def _seats(pen: Pen, summary: Mapping[str, Any]) -> Table:
    seats: Sequence[Mapping[str, Any]] = summary["by_seat"]
    shares = places_of([_ends(row, "win_share") for row in seats], 100)
    scores = places_of([_ends(row, "score_mean") for row in seats])
    rows = []
    for k, row in enumerate(seats):
        at = f"by_seat.{k}"
        rows.append(
            [
                pen.whole(row["seat"], f"{at}.seat"),
                _share(pen, row, at, "win_share", shares),
                _interval(pen, row, at, "win_share", shares, share=True),
                pen.number(row["score_mean"], f"{at}.score_mean", scores),
                _interval(pen, row, at, "score_mean", scores),
            ]
        )
    heads = ("table.seat", "table.wins", "table.interval", "table.score", "table.interval")
    caption = pen.language.text("ranking.seats_caption")
    return Table(caption, columns(pen.language, heads), rows)


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
