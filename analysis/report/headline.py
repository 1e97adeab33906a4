"""What a run comes to: the answer in words, the headline numbers, its column beside others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from analysis.blocks import NONE, Tile
from analysis.report import common
from analysis.report.figures import SCORES, WINS
from analysis.report.pen import Pen, Source
from analysis.report.rates import has_games, unit_of, win_places
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
    places, at = win_places(seats), f"players.{seat['seat']}.win_share"
    return pen.language.say(
        "run.player_share",
        player=Markup("<b>{}</b>").format(seat["strategy"]),
        seat=seat["seat"],
        share=pen.share(at, places),
        interval=pen.interval(at, "share", places),
    )


def _how_ends(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    recycled = pen.share("rates.table.end_second_recycling.value")
    if not summary["bao"]["called"]:
        return pen.language.say("run.no_bao", recycled=recycled)
    by, won = pen.share("rates.table.end_bao.value"), pen.share("rates.bao.won.value")
    return pen.language.say("run.how_ends", by=by, recycled=recycled, won=won)


def _how_long(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    def said(key: str, path: str) -> Markup:
        mean, median = pen.write(f"{path}.mean", places=1), pen.write(f"{path}.median", "median")
        return pen.language.say(key, mean=mean, median=median)

    text = said("run.how_long", "turns")
    if has_games(summary):
        text = said("run.how_long_game", "game.rounds") + Markup(" ") + text
    return text


# --- headline numbers -----------------------------------------------------------------------------

_TURNS = "rates.table.turns_mean"
_RATES = (
    ("tile.bao_success", "rates.bao.won"),
    ("tile.recycled", "rates.table.end_second_recycling"),
)


def tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    """Yield the headline numbers."""
    language, unit, seats = pen.language, unit_of(summary), summary["players"]
    yield Tile(language.text(f"tile.{unit}"), pen.whole(unit), _part_of(pen, summary))
    if decided_in(summary):
        first = max(seats, key=lambda seat: seat["win_share"])
        label = language.say("tile.winner", player=first["strategy"], seat=first["seat"])
        yield pen.tile(label, f"players.{first['seat']}.win_share", "share", win_places(seats))
    success, recycled = (
        pen.tile(language.text(key), f"{path}.value", "share") for key, path in _RATES
    )
    yield success
    yield Tile(language.text("tile.turns"), _turns(pen), pen.tile("", f"{_TURNS}.value").note)
    yield recycled
    if has_games(summary):
        yield Tile(language.text("tile.rounds_of_game"), pen.write("game.rounds.mean"))
    else:
        yield pen.tile(language.text("tile.called"), "rates.called.value", "share")


def _turns(pen: Pen) -> Markup:
    """Write the mean length of a round, with decimals that suit its interval in ``rates``."""
    return pen.write("turns.mean", places=pen.places(f"{_TURNS}.value", unit="number"))


def _part_of(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    if summary["stopped_by"] in ("rounds", "games"):
        return pen.language.say("tile.all_of_study")
    return pen.language.say(f"stopped.{summary['stopped_by']}")


# --- beside others --------------------------------------------------------------------------------


def brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    """Yield the rows for a table beside other runs: label, number and interval."""
    language, seats, unit = pen.language, summary["players"], unit_of(summary)
    yield language.text(f"tile.{unit}"), pen.whole(unit)
    for key, number in (("brief.win_share", WINS), ("brief.score", SCORES)):
        for k, (value, ends) in enumerate(number.cells(pen, range(len(seats)))):
            name = seats[k]["strategy"] if number is WINS else ""
            yield language.say(key, seat=k), _both(name, value, ends)
    for key, path in _RATES:
        yield language.text(key), _both("", *pen.both(f"{path}.value", "share"))
    yield language.text("tile.turns"), _both("", _turns(pen), pen.both(f"{_TURNS}.value")[1])


def _both(name: str, value: Markup, ends: Markup) -> Markup:
    """Return a number with its interval below, and perhaps a name above."""
    text = Markup("<b>{}</b>").format(value)
    if name:
        text = Markup('<span class="who">{}</span> ').format(name) + text
    return text if ends == NONE else text + Markup(' <span class="ci">{}</span>').format(ends)
