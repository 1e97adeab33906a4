"""The part of a report that is about a run of rounds or games at one table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from analysis.blocks import NONE, Block, Part, Sentence, Table, Tile, columns
from analysis.report import common
from analysis.report.pen import (
    Numbers,
    Pen,
    Source,
    capital,
    metric_label,
    places_of,
    seats_of,
    table,
    unit_of,
)
from analysis.report.pictures import OF_BIRDS, OF_ROUNDS, SCORES, WINS, positions, run_figures
from analysis.sweeping import decided_in
from sim.metrics import OUTCOMES, REASONS

FEW = 30
"""Events; fewer than this say little of how often they happen."""

Tell = Callable[[Pen, Source], Iterable[Block]]
"""Gives the blocks of a chapter about a run; one without blocks is left out."""

_CHAPTERS: dict[str, Tell] = {}


def chapter(tell: Tell) -> Tell:
    """Make a function a chapter of its name, ``chapter.NAME`` in the catalogues, in this order."""
    _CHAPTERS[getattr(tell, "__name__", "")] = tell
    return tell


VAGUE = 0.01
"""Half an interval of a win share: wider ones hide what people would notice at a table."""


def part(pen: Pen, source: Source) -> Part:
    """Return the part about a run."""
    return common.part(
        pen,
        source,
        "kind.games" if source.summary["games"] is not None else "kind.run",
        {name: tell(pen, source) for name, tell in _CHAPTERS.items()},
        map(Sentence, _answer(pen, source)),
        _tiles(pen, source.summary),
        _brief(pen, source.summary),
        _limits(pen, source),
    )


# --- the answer -----------------------------------------------------------------------------------


def _answer(pen: Pen, source: Source) -> Iterator[Markup]:
    """Yield the answer in sentences: who wins, how rounds end, how long they are."""
    summary = source.summary
    language = pen.language
    yield _winner(pen, source) if decided_in(summary) else language.say("run.nobody_won")
    recycled = pen.share("rates.table.end_second_recycling.value")
    if summary["bao"]["called"]:
        by, won = pen.share("rates.table.end_bao.value"), pen.share("rates.bao.won.value")
        yield language.say("run.how_ends", by=by, recycled=recycled, won=won)
    else:
        yield language.say("run.no_bao", recycled=recycled)

    def how_long(key: str, path: str) -> Markup:
        mean, median = pen.write(f"{path}.mean", places=1), pen.write(f"{path}.median", "median")
        return language.say(key, mean=mean, median=median)

    text = how_long("run.how_long", "turns")
    if unit_of(summary) == "games":
        text = how_long("run.how_long_game", "game.rounds") + Markup(" ") + text
    yield text


def _winner(pen: Pen, source: Source) -> Markup:
    seats = source.summary["players"]
    language, unit = pen.language, unit_of(source.summary)
    order = sorted(seats, key=lambda seat: -seat["win_share"])
    first, second = order[0], order[1]
    of = language.text(f"unit.of_{unit}")
    said = {"first": _told(pen, first), "second": _told(pen, second), "of": of}
    even = language.number(100 / len(seats), 0 if 100 % len(seats) == 0 else 1)
    if common.alike(source.study["players"]):
        low, _ = first["win_share_ci95"]
        last = order[-1]
        apart = low > 1 / len(seats) or last["win_share_ci95"][1] < 1 / len(seats)
        key = "run.seats_differ" if apart else "run.seats_alike"
        return language.say(key, even=even, last=_told(pen, last), **said)
    clear = first["win_share_ci95"][0] > second["win_share_ci95"][1]
    return language.say("run.winner_clear" if clear else "run.winner_unclear", **said)


def _told(pen: Pen, seat: Mapping[str, Any]) -> Markup:
    """Return a seat's player and its win share with the interval, in words."""
    places, at = _win_places(pen), f"players.{seat['seat']}.win_share"
    return pen.language.say(
        "run.player_share",
        player=Markup("<b>{}</b>").format(seat["strategy"]),
        seat=seat["seat"],
        share=pen.share(at, places),
        interval=pen.interval(at, "share", places),
    )


def _win_places(pen: Pen) -> int:
    """Return the decimals in which win shares, in per cent, are shown."""
    return pen.places(*(f"players.{k}.win_share" for k, _ in enumerate(pen.facts["players"])))


# --- headline numbers -----------------------------------------------------------------------------

_TURNS = "rates.table.turns_mean"
_RATES = (
    ("tile.bao_success", "rates.bao.won"),
    ("tile.recycled", "rates.table.end_second_recycling"),
)


def _tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    """Yield the headline numbers."""
    language, unit, seats = pen.language, unit_of(summary), summary["players"]
    reason = summary["stopped_by"]
    of = "tile.all_of_study" if reason in ("rounds", "games") else f"stopped.{reason}"
    yield Tile(language.text(f"tile.{unit}"), pen.whole(unit), language.say(of))
    if decided_in(summary):
        first = max(seats, key=lambda seat: seat["win_share"])
        label = language.say("tile.winner", player=first["strategy"], seat=first["seat"])
        yield pen.tile(label, f"players.{first['seat']}.win_share", "share", _win_places(pen))
    success, recycled = (
        pen.tile(language.text(key), f"{path}.value", "share") for key, path in _RATES
    )
    yield success
    yield Tile(language.text("tile.turns"), _turns(pen), pen.tile("", f"{_TURNS}.value").note)
    yield recycled
    if unit_of(summary) == "games":
        yield Tile(language.text("tile.rounds_of_game"), pen.write("game.rounds.mean"))
    else:
        yield pen.tile(language.text("tile.called"), "rates.called.value", "share")


def _turns(pen: Pen) -> Markup:
    """Write the mean length of a round, with decimals that suit its interval in ``rates``."""
    return pen.write("turns.mean", places=pen.places(f"{_TURNS}.value", unit="number"))


# --- beside others --------------------------------------------------------------------------------


def _brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
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


# --- how rounds end -------------------------------------------------------------------------------


@chapter
def pictures(pen: Pen, source: Source) -> Iterator[Block]:
    """How rounds go, in pictures."""
    return run_figures(pen, source, OF_ROUNDS)


@chapter
def ends(pen: Pen, source: Source) -> Iterator[Block]:
    """How rounds end, what becomes of calls, how long rounds and games are."""
    summary = source.summary
    yield _rates(pen, "ends.caption", "ends.how", "ends", REASONS, "rates.table.end_{}")
    if summary["bao"]["called"]:
        yield _rates(pen, "ends.fate_caption", "ends.fate", "bao", OUTCOMES, "rates.bao.{}")
    yield from _facts(pen, _CALLS, "ends.calls_caption")
    yield _spread_table(pen, summary)
    if unit_of(summary) == "games":
        text, count = pen.language.text, Numbers("table.games", "game.{}", "whole")
        rows = [(text(f"game_end.{name}"), f"ends.{name}") for name in summary["game"]["ends"]]
        rows.append((text("game_end.deciding"), "decided_by_deciding_rounds"))
        yield table(pen, text("game_end.caption"), "game_end.how", rows, [count])


def _rates(
    pen: Pen, caption: str, first: str, counts: str, names: Iterable[str], rates: str
) -> Table:
    """Return a table of what happens how often: rounds that end, or calls with their fate."""
    words, what = ("ends", "rounds") if counts == "ends" else ("fate", "calls")
    rows = [(pen.language.text(f"{words}.{name}"), name) for name in names]
    count = Numbers(f"table.{what}", f"{counts}.{{}}", "whole")
    share = Numbers("table.share", f"{rates}.value", "share", interval=True, least=1)
    return table(pen, pen.language.text(caption), first, rows, (count, share))


_CALLS = ("calls.total.mean", "calls.turn.mean", "calls.unknown.mean", "calls.lowest.share")
_COURSE: tuple[str, ...] = ("leads.changes.mean", "leads.loser_led.share")
_COURSE += ("leads.loser_led.turns_left.mean", "windows.left_share", "shields.raised_share")
_COURSE += ("shields.outcomes.up.won_share", "shields.outcomes.down.won_share")
_COURSE += ("comebacks.after_last_share", "comebacks.half.leader_won_share")
_COURSE += (
    "comebacks.half.last_won_share",
    "comebacks.deficit.mean",
    "comebacks.lead_changes.mean",
)


@chapter
def course(pen: Pen, source: Source) -> Iterator[Block]:
    """How rounds and games go, where the run has counted that."""
    return _facts(pen, _COURSE, "course.caption")


def _facts(pen: Pen, paths: Sequence[str], caption: str) -> Iterator[Table]:
    """Yield a table of single numbers with their intervals; those that there are not left out."""
    rows: list[list[Any]] = [
        [
            capital(metric_label(pen.language, path)),
            *pen.both(path, "share" if path.endswith("share") else "number"),
        ]
        for path in paths
        if pen.at(path) is not None
    ]
    if rows:
        heads = [pen.language.text(f"table.{head}") for head in ("what", "value", "interval")]
        yield Table(pen.language.text(caption), columns(heads, left=(0,)), rows)


def _spread_table(pen: Pen, summary: Mapping[str, Any]) -> Table:
    """Return mean, spread and extremes of lengths."""
    paths = {"turns": "turns"} | {
        f"turns_{reason}": f"by_end.{reason}"
        for reason in REASONS
        if pen.at(f"by_end.{reason}.mean") is not None
    }
    if unit_of(summary) == "games":
        paths["game_rounds"] = "game.rounds"
    rows = [(pen.language.text(f"spread.{name}"), path) for name, path in paths.items()]
    numbers = [Numbers(f"spread.{name}", f"{{}}.{name}") for name in ("mean", "sd")]
    numbers += [
        Numbers(f"spread.{name}", f"{{}}.{name}", "median") for name in ("min", "median", "max")
    ]
    return table(pen, pen.language.text("spread.caption"), "spread.what", rows, numbers)


# --- seats and players ----------------------------------------------------------------------------


@chapter
def seats(pen: Pen, source: Source) -> Iterator[Block]:
    """What each seat, and each place in the turn order, achieves."""
    summary, language = source.summary, pen.language
    text = language.text
    yield table(pen, text("seats.caption"), "table.seat", seats_of(pen), _SEATS, text("seats.note"))
    if summary.get("positions"):
        yield positions(pen)
    if not common.alike(source.study["players"]):
        yield Sentence(language.say("seats.not_rotated"))


_SEATS = (
    WINS,
    SCORES,
    Numbers("table.bao", "rates.seats.{}.bao_rate.value", "share"),
    Numbers("table.won", "rates.seats.{}.bao_success.value", "share"),
    Numbers("table.cards", "players.{}.cards_left_mean"),
)

_KINDS = ("own_hit", "rival_hit", "double_hit", "missed")


@chapter
def birds(pen: Pen, source: Source) -> Iterator[Block]:
    """What plucks, powers and birds do: each seat's own, and the pictures of all seats."""
    text, seats = pen.language.text, seats_of(pen)
    powers = source.summary["players"][0]["powers"]
    doing = [("pluck", "plucks", name) for name in _KINDS]
    doing += [("power", "powers", name) for name in powers]
    numbers = [
        Numbers(f"{words}.{name}", f"players.{{}}.{group}.{name}/rounds", places=3)
        for words, group, name in doing
    ]
    yield table(pen, text("players.doing"), "table.seat", seats, numbers)
    counted = (seat.keys() & {"hit_rate", "pluck_chances"} for seat in source.summary["players"])
    if all(counted):
        chances = [
            Numbers(
                escape(capital(metric_label(pen.language, path))), f"players.{{}}.{path}", "share"
            )
            for path in _CHANCES
        ]
        yield table(pen, text("players.chances"), "table.seat", seats, chances)
    yield from run_figures(pen, source, OF_BIRDS)


_CHANCES = ("hit_rate", "pluck_chances.missed_share", "races.lost_share", "cards_gone.rounds_share")


# --- what may not be concluded --------------------------------------------------------------------


def _limits(pen: Pen, source: Source) -> Iterator[Markup]:
    """Yield what may not be concluded from a run, by what the data are."""
    summary, language, study = source.summary, pen.language, source.study
    if decided_in(summary):
        yield from vague(pen, summary["players"], unit_of(summary), unit_of(summary))
    if summary.get("until") is not None:
        yield language.say("limit.until")
    elif "ranges" in summary:
        yield language.say("limit.part")
    yield language.say(f"limit.{unit_of(summary)}")
    if not common.alike(study["players"]):
        yield language.say("limit.seats")
    for key, reason, most in (("capped", "turn_cap", math.inf), ("rare", "second_recycling", FEW)):
        if 0 < summary["ends"][reason] < most:
            yield language.say(f"limit.{key}", count=pen.counted("rounds", f"ends.{reason}"))
    yield from common.always(pen, source)


def vague(pen: Pen, seats: Iterable[Mapping[str, Any]], unit: str, path: str) -> Iterator[Markup]:
    """Yield what is too small to be seen in so few rounds or games, which are told at `path`."""
    ends = [seat.get("win_share_ci95", (None, None)) for seat in seats]
    widths = [high - low for low, high in ends if low is not None]
    if widths:
        half = max(widths) / 2
        points = pen.language.number(100 * half, places_of(ends, 100))
        key = "limit.too_few" if half > VAGUE else "limit.precision"
        yield pen.language.say(key, count=pen.counted(unit, path), points=points)
