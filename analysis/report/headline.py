"""What a run comes to: the answer in words, the headline numbers, its column beside others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from analysis.blocks import NONE, Tile
from analysis.report import common
from analysis.report.parts import Pen, Source, places_of
from analysis.report.rates import has_games, score_places, unit_of, win_places
from analysis.sweeping import decided_in

# --- the answer -----------------------------------------------------------------------------------


def answer(pen: Pen, source: Source) -> Iterator[Markup]:
    """Yield the answer in sentences: who wins, how rounds end, how long they are."""
    summary = source.summary
    if decided_in(summary):
        yield _winner(pen, source)
    else:
        yield pen.language.say("run.nobody_won")
    yield _how_ends(pen, summary)
    yield _how_long(pen, summary)


def _winner(pen: Pen, source: Source) -> Markup:
    seats = source.summary["players"]
    language, unit = pen.language, unit_of(source.summary)
    order = sorted(seats, key=lambda seat: -seat["win_share"])
    first, second = order[0], order[1]
    of = language.text(f"unit.of_{unit}")
    said = {"first": _told(pen, seats, first), "second": _told(pen, seats, second), "of": of}
    even = language.number(100 / len(seats), 0 if 100 % len(seats) == 0 else 1)
    if common.alike(source.study["players"]):
        low, _ = first["win_share_ci95"]
        last = order[-1]
        apart = low > 1 / len(seats) or last["win_share_ci95"][1] < 1 / len(seats)
        key = "run.seats_differ" if apart else "run.seats_alike"
        return language.say(key, even=even, last=_told(pen, seats, last), **said)
    clear = first["win_share_ci95"][0] > second["win_share_ci95"][1]
    return language.say("run.winner_clear" if clear else "run.winner_unclear", **said)


def _told(pen: Pen, seats: Sequence[Mapping[str, Any]], seat: Mapping[str, Any]) -> Markup:
    """Return a seat's player and its win share with the interval, in words."""
    places, at = win_places(seats), f"players.{seat['seat']}"
    return pen.language.say(
        "run.player_share",
        player=Markup("<b>{}</b>").format(seat["strategy"]),
        seat=seat["seat"],
        share=pen.share(seat["win_share"], f"{at}.win_share", places),
        interval=pen.interval(seat["win_share_ci95"], f"{at}.win_share_ci95", places, share=True),
    )


def _how_ends(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    table, bao = summary["rates"]["table"], summary["rates"]["bao"]
    by = pen.share(table["end_bao"]["value"], "rates.table.end_bao.value")
    recycled = pen.share(
        table["end_second_recycling"]["value"], "rates.table.end_second_recycling.value"
    )
    if not summary["bao"]["called"]:
        return pen.language.say("run.no_bao", recycled=recycled)
    won = pen.share(bao["won"]["value"], "rates.bao.won.value")
    return pen.language.say("run.how_ends", by=by, recycled=recycled, won=won)


def _how_long(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    turns, language = summary["turns"], pen.language
    said = {
        "mean": pen.number(turns["mean"], "turns.mean", 1),
        "median": whole_or_half(pen, turns["median"], "turns.median"),
    }
    text = language.say("run.how_long", **said)
    if has_games(summary):
        rounds = summary["game"]["rounds"]
        mean = pen.number(rounds["mean"], "game.rounds.mean", 1)
        median = whole_or_half(pen, rounds["median"], "game.rounds.median")
        text = language.say("run.how_long_game", mean=mean, median=median) + Markup(" ") + text
    return text


def whole_or_half(pen: Pen, value: float, path: str) -> Markup:
    """Write a median, which is a whole number or half way between two."""
    return pen.number(value, path, 0 if value == int(value) else 1)


# --- headline numbers -----------------------------------------------------------------------------


def tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    """Yield the headline numbers."""
    language, rates = pen.language, summary["rates"]
    unit = unit_of(summary)
    yield Tile(
        language.text(f"tile.{unit}"), pen.whole(summary[unit], unit), _part_of(pen, summary)
    )
    seats = summary["players"]
    if decided_in(summary):
        first = max(seats, key=lambda seat: seat["win_share"])
        at, places = f"players.{first['seat']}.win_share", win_places(seats)
        yield Tile(
            language.say("tile.winner", player=first["strategy"], seat=first["seat"]),
            pen.share(first["win_share"], at, places),
            in_interval(pen, first["win_share_ci95"], f"{at}_ci95", places, share=True),
        )
    yield _rate_tile(pen, "tile.bao_success", rates["bao"]["won"], "rates.bao.won")
    turns = rates["table"]["turns_mean"]
    places = places_of([turns["ci95"]])
    yield Tile(
        language.text("tile.turns"),
        pen.number(turns["value"], "turns.mean", places),
        in_interval(pen, turns["ci95"], "rates.table.turns_mean.ci95", places),
    )
    recycled = rates["table"]["end_second_recycling"]
    yield _rate_tile(pen, "tile.recycled", recycled, "rates.table.end_second_recycling")
    if has_games(summary):
        rounds = summary["game"]["rounds"]["mean"]
        yield Tile(language.text("tile.rounds_of_game"), pen.number(rounds, "game.rounds.mean", 2))
    else:
        yield _rate_tile(pen, "tile.called", rates["called"], "rates.called")


def _part_of(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    if summary["stopped_by"] in ("rounds", "games"):
        return pen.language.say("tile.all_of_study")
    return pen.language.say(f"stopped.{summary['stopped_by']}")


def _rate_tile(pen: Pen, label: str, rate: Mapping[str, Any], path: str) -> Tile:
    places = places_of([rate["ci95"]], 100)
    return Tile(
        pen.language.text(label),
        pen.share(rate["value"], f"{path}.value", places),
        in_interval(pen, rate["ci95"], f"{path}.ci95", places, share=True),
    )


def in_interval(
    pen: Pen, ends: Sequence[float | None], path: str, places: int, *, share: bool = False
) -> Markup:
    """Return ``95 %: 31.9 to 32.1``, or that there is no interval."""
    if ends[0] is None:
        return pen.language.say("number.no_interval")
    return pen.language.say(
        "number.in_interval", interval=pen.interval(ends, path, places, share=share)
    )


# --- beside others --------------------------------------------------------------------------------


def brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    """Yield the rows for a table beside other runs: label, number and interval."""
    language, rates = pen.language, summary["rates"]
    seats = summary["players"]
    unit = unit_of(summary)
    yield language.text(f"tile.{unit}"), pen.whole(summary[unit], unit)
    shares, scores = win_places(seats), score_places(seats)
    for k, seat in enumerate(seats):
        value = pen.share(seat["win_share"], f"players.{k}.win_share", shares)
        label = language.say("brief.win_share", seat=k)
        ends = pen.interval(
            seat["win_share_ci95"], f"players.{k}.win_share_ci95", shares, share=True
        )
        yield label, _both(seat["strategy"], value, ends)
    for k, seat in enumerate(seats):
        value = pen.number(seat["score_mean"], f"players.{k}.score_mean", scores)
        ends = pen.interval(seat["score_mean_ci95"], f"players.{k}.score_mean_ci95", scores)
        yield language.say("brief.score", seat=k), _both("", value, ends)
    for key, rate, path in (
        ("tile.bao_success", rates["bao"]["won"], "rates.bao.won"),
        (
            "tile.recycled",
            rates["table"]["end_second_recycling"],
            "rates.table.end_second_recycling",
        ),
    ):
        places = places_of([rate["ci95"]], 100)
        value = pen.share(rate["value"], f"{path}.value", places)
        yield (
            language.text(key),
            _both("", value, pen.interval(rate["ci95"], f"{path}.ci95", places, share=True)),
        )
    turns = rates["table"]["turns_mean"]
    places = places_of([turns["ci95"]])
    value = pen.number(turns["value"], "turns.mean", places)
    ends = pen.interval(turns["ci95"], "rates.table.turns_mean.ci95", places)
    yield language.text("tile.turns"), _both("", value, ends)


def _both(name: str, value: Markup, ends: Markup) -> Markup:
    """Return a number with its interval below, and perhaps a name above."""
    text = Markup("<b>{}</b>").format(value)
    if name:
        text = Markup('<span class="who">{}</span> ').format(name) + text
    return text if ends == NONE else text + Markup(' <span class="ci">{}</span>').format(ends)
