"""The part of a report that is about a run of rounds or games at one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from analysis.report import common
from analysis.report.figures import positions, run_figures
from analysis.report.parts import (
    NONE,
    Block,
    Chapter,
    Column,
    Part,
    Pen,
    Points,
    Source,
    Table,
    Text,
    Tile,
    capital,
    places_of,
    seat_label,
)
from analysis.stats import ratio, wilson
from analysis.sweeping import seat_rows, table_rows

REASONS = ("bao", "second_recycling", "turn_cap")
FATES = ("won", "tied", "beaten", "void")

FEW = 30
"""Events; fewer than this say little of how often they happen."""

VAGUE = 0.01
"""Half an interval of a win share: wider ones hide what people would notice at a table."""


def part(pen: Pen, source: Source) -> Part:
    """Return the part about a run."""
    source = with_rates(source)
    language = pen.language
    chapters = [
        Chapter(language.text("chapter.pictures"), list(run_figures(pen, source))),
        Chapter(language.text("chapter.ends"), list(_ends(pen, source.summary))),
        Chapter(language.text("chapter.course"), list(_course(pen, source.summary))),
        Chapter(language.text("chapter.seats"), list(_seats(pen, source))),
        Chapter(language.text("chapter.players"), list(_players(pen, source))),
        Chapter(language.text("chapter.rules"), common.rules(pen, source.summary)),
        Chapter(language.text("chapter.assumed"), common.assumed(pen, source)),
        Chapter(language.text("chapter.limits"), [Points(list(limits(pen, source)))]),
        common.repeat(pen, source, [("study.toml", source.study)]),
    ]
    return Part(
        kind=language.text("kind.games" if _games(source.summary) else "kind.run"),
        title=common.title(language, source),
        question=source.study.get("question", ""),
        setting=common.setting(pen, source),
        answer=[Text(sentence) for sentence in _answer(pen, source)],
        tiles=list(_tiles(pen, source.summary)),
        chapters=chapters,
        brief=list(_brief(pen, source.summary)),
    )


# --- rates ----------------------------------------------------------------------------------------


def with_rates(source: Source) -> Source:
    """Return a run with the shares that its summary has only as counts, under ``rates``.

    ``rates.table`` and, for each seat, ``rates.seats`` hold metrics of `analysis.sweeping`;
    ``rates.bao`` says what became of calls; each has ``value`` and ``ci95``. With games, whose
    rounds hang together, these shares have no intervals.
    """
    from dataclasses import replace

    summary = source.summary
    games = _games(summary)
    decided = decided_of(summary)
    rounds, bao = summary["rounds"], summary["bao"]
    rates = {
        "table": _by_metric(table_rows(summary)),
        "seats": [
            _by_metric(seat_rows(player, rounds, decided, games)) for player in summary["players"]
        ],
        "bao": {fate: _share(bao[fate], bao["called"], games) for fate in FATES},
        "called": _share(bao["called"], rounds, games),
    }
    return replace(source, summary={**summary, "rates": rates})


def decided_of(summary: Mapping[str, Any]) -> int:
    """Return how many rounds, or games, have a winner."""
    if _games(summary):
        return int(summary["game"]["ends"]["threshold"])
    return int(summary["rounds"] - summary["ends"]["turn_cap"])


def _by_metric(rows: Iterator[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        row["metric"]: {"value": row["value"], "ci95": [row["low"], row["high"]]} for row in rows
    }


def _share(part: int, whole: int, games: bool) -> dict[str, Any]:
    known = whole > 0 and not games
    return {
        "value": ratio(part, whole),
        "ci95": list(wilson(part, whole)) if known else [None, None],
    }


def _games(summary: Mapping[str, Any]) -> bool:
    return summary.get("games") is not None


def _unit(summary: Mapping[str, Any]) -> str:
    return "games" if _games(summary) else "rounds"


# --- the answer -----------------------------------------------------------------------------------


def _answer(pen: Pen, source: Source) -> Iterator[Markup]:
    summary = source.summary
    if decided_of(summary):
        yield _winner(pen, source)
    else:
        yield pen.language.say("run.nobody_won")
    yield _how_ends(pen, summary)
    yield _how_long(pen, summary)


def _winner(pen: Pen, source: Source) -> Markup:
    seats = source.summary["players"]
    language, unit = pen.language, _unit(source.summary)
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


def win_places(seats: Sequence[Mapping[str, Any]]) -> int:
    """Return the decimals in which win shares, in per cent, are shown."""
    return places_of([seat["win_share_ci95"] for seat in seats], 100)


def score_places(seats: Sequence[Mapping[str, Any]]) -> int:
    """Return the decimals in which scores are shown."""
    return places_of([seat["score_mean_ci95"] for seat in seats])


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
        "median": _median(pen, turns["median"], "turns.median"),
    }
    text = language.say("run.how_long", **said)
    if _games(summary):
        rounds = summary["game"]["rounds"]
        mean = pen.number(rounds["mean"], "game.rounds.mean", 1)
        median = _median(pen, rounds["median"], "game.rounds.median")
        text = language.say("run.how_long_game", mean=mean, median=median) + Markup(" ") + text
    return text


def _median(pen: Pen, value: float, path: str) -> Markup:
    return pen.number(value, path, 0 if value == int(value) else 1)


# --- headline numbers -----------------------------------------------------------------------------


def _tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    language, rates = pen.language, summary["rates"]
    unit = _unit(summary)
    yield Tile(
        language.text(f"tile.{unit}"), pen.whole(summary[unit], unit), _part_of(pen, summary)
    )
    seats = summary["players"]
    if decided_of(summary):
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
    if _games(summary):
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


# --- how rounds end -------------------------------------------------------------------------------


def _ends(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Block]:
    language, rates = pen.language, summary["rates"]
    heads = ("ends.how", "table.rounds", "table.share", "table.interval")
    rows = [
        _rate_row(
            pen,
            language.text(f"ends.{reason}"),
            (summary["ends"][reason], f"ends.{reason}"),
            (rates["table"][f"end_{reason}"], f"rates.table.end_{reason}"),
        )
        for reason in REASONS
    ]
    yield Table(language.text("ends.caption"), columns(language, heads), rows)
    if summary["bao"]["called"]:
        heads = ("ends.fate", "table.calls", "table.share", "table.interval")
        rows = [
            _rate_row(
                pen,
                language.text(f"fate.{fate}"),
                (summary["bao"][fate], f"bao.{fate}"),
                (rates["bao"][fate], f"rates.bao.{fate}"),
            )
            for fate in FATES
        ]
        yield Table(language.text("ends.fate_caption"), columns(language, heads), rows)
    yield from _calls(pen, summary)
    yield _spread_table(pen, summary)
    if _games(summary):
        yield _game_ends(pen, summary)


def columns(language: Any, keys: Sequence[str], text: int = 1) -> list[Column]:
    """Return columns with headings from the catalogue; the first `text` hold words."""
    return [Column(language.text(key), numeric=k >= text) for k, key in enumerate(keys)]


def _rate_row(
    pen: Pen, label: str, count: tuple[int, str], rate: tuple[Mapping[str, Any], str]
) -> list[Any]:
    (number, at), (share, path) = count, rate
    places = max(places_of([share["ci95"]], 100), 1)
    return [
        label,
        pen.whole(number, at),
        pen.share(share["value"], f"{path}.value", places),
        pen.interval(share["ci95"], f"{path}.ci95", places, share=True),
    ]


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


def _calls(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Table]:
    """Yield on what BAO is called, where the run has counted that."""
    yield from _facts(pen, summary, _CALLS, "ends.calls_caption")


def _course(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Table]:
    """Yield how rounds and games go, where the run has counted that."""
    yield from _facts(pen, summary, _COURSE, "course.caption")


def _facts(
    pen: Pen, summary: Mapping[str, Any], paths: Sequence[str], caption: str
) -> Iterator[Table]:
    """Yield a table of single numbers with their intervals; those that there are not left out."""
    rows = []
    for path in paths:
        value = at(summary, path)
        if value is None:
            continue
        ends, share = at(summary, f"{path}_ci95") or (None, None), path.endswith("share")
        places = places_of([ends], 100 if share else 1)
        write = pen.share if share else pen.number
        rows.append(
            [
                capital(pen.language.text(f"metric.{path}")),
                write(value, path, places),
                pen.interval(ends, f"{path}_ci95", places, share=share),
            ]
        )
    if rows:
        heads = ("table.what", "table.value", "table.interval")
        yield Table(pen.language.text(caption), columns(pen.language, heads), rows)


def at(part: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a dotted path; None where there is nothing."""
    value: Any = part
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _spread_table(pen: Pen, summary: Mapping[str, Any]) -> Table:
    """Return mean, spread and extremes of lengths."""
    language = pen.language
    kinds = [("spread.turns", summary["turns"], "turns")]
    by_end = summary.get("by_end") or {}
    kinds += [
        (f"spread.turns_{reason}", by_end[reason], f"by_end.{reason}")
        for reason in REASONS
        if by_end.get(reason, {}).get("mean") is not None
    ]
    if _games(summary):
        kinds.append(("spread.game_rounds", summary["game"]["rounds"], "game.rounds"))
    rows = []
    for label, spread, path in kinds:
        row: list[Any] = [language.text(label), pen.number(spread["mean"], f"{path}.mean", 2)]
        row.append(pen.number(spread["sd"], f"{path}.sd", 2))
        for name in ("min", "median", "max"):
            row.append(_median(pen, spread[name], f"{path}.{name}"))
        rows.append(row)
    heads = ("spread.what", "spread.mean", "spread.sd", "spread.min", "spread.median", "spread.max")
    return Table(language.text("spread.caption"), columns(language, heads), rows)


def _game_ends(pen: Pen, summary: Mapping[str, Any]) -> Table:
    language, game = pen.language, summary["game"]
    rows: list[list[Any]] = [
        [language.text(f"game_end.{reason}"), pen.whole(count, f"game.ends.{reason}")]
        for reason, count in game["ends"].items()
    ]
    decided = pen.whole(game["decided_by_deciding_rounds"], "game.decided_by_deciding_rounds")
    rows.append([language.text("game_end.deciding"), decided])
    heads = ("game_end.how", "table.games")
    return Table(language.text("game_end.caption"), columns(language, heads), rows)


# --- seats and players ----------------------------------------------------------------------------


def _seats(pen: Pen, source: Source) -> Iterator[Block]:
    summary, language = source.summary, pen.language
    yield seat_table(pen, summary)
    if summary.get("positions"):
        yield positions(pen, summary)
    if not common.alike(source.study["players"]):
        yield Text(language.say("seats.not_rotated"))


def seat_table(pen: Pen, summary: Mapping[str, Any]) -> Table:
    """Return the win share, score and BAO of each seat, with intervals."""
    seats, rates = summary["players"], summary["rates"]["seats"]
    shares, scores = win_places(seats), score_places(seats)
    rows = []
    for k, seat in enumerate(seats):
        at = f"players.{k}"
        success, calls = rates[k]["bao_success"], rates[k]["bao_rate"]
        rows.append(
            [
                seat_label(seat),
                pen.share(seat["win_share"], f"{at}.win_share", shares),
                pen.interval(seat["win_share_ci95"], f"{at}.win_share_ci95", shares, share=True),
                pen.number(seat["score_mean"], f"{at}.score_mean", scores),
                pen.interval(seat["score_mean_ci95"], f"{at}.score_mean_ci95", scores),
                pen.share(calls["value"], f"rates.seats.{k}.bao_rate.value"),
                pen.share(success["value"], f"rates.seats.{k}.bao_success.value"),
                pen.number(seat["cards_left_mean"], f"{at}.cards_left_mean", 2),
            ]
        )
    heads: tuple[str, ...] = (
        "table.seat",
        "table.wins",
        "table.interval",
        "table.score",
        "table.interval",
    )
    heads += ("table.bao", "table.won", "table.cards")
    caption = pen.language.text("seats.caption")
    return Table(caption, columns(pen.language, heads), rows, pen.language.text("seats.note"))


_KINDS = ("own_hit", "rival_hit", "double_hit", "missed")


def _players(pen: Pen, source: Source) -> Iterator[Block]:
    yield from common.players(pen, source.study)
    summary, language = source.summary, pen.language
    rounds = summary["rounds"]
    rows = []
    for k, seat in enumerate(summary["players"]):
        row: list[Any] = [seat_label(seat)]
        for group, names in (("plucks", _KINDS), ("powers", tuple(seat["powers"]))):
            for name in names:
                path = f"players.{k}.{group}.{name}/rounds"
                row.append(pen.number(ratio(seat[group][name], rounds), path, 3))
        rows.append(row)
    heads = ["table.seat", *(f"pluck.{name}" for name in _KINDS)]
    heads += [f"power.{name}" for name in summary["players"][0]["powers"]]
    yield Table(language.text("players.doing"), columns(language, heads), rows)
    yield from _chances(pen, summary)


_CHANCES = ("hit_rate", "pluck_chances.missed_share", "races.lost_share", "cards_gone.rounds_share")


def _chances(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Table]:
    """Yield how seats use their chances, where the run has counted that."""
    seats = summary["players"]
    if any(at(seat, _CHANCES[0]) is None and "pluck_chances" not in seat for seat in seats):
        return
    rows = [
        [
            seat_label(seat),
            *(pen.share(at(seat, path), f"players.{k}.{path}") for path in _CHANCES),
        ]
        for k, seat in enumerate(seats)
    ]
    heads = [Column(pen.language.text("table.seat"), numeric=False)]
    heads += [Column(capital(pen.language.text(f"metric.{path}"))) for path in _CHANCES]
    yield Table(pen.language.text("players.chances"), heads, rows)


# --- what may not be concluded --------------------------------------------------------------------


def limits(pen: Pen, source: Source) -> Iterator[Markup]:
    """Yield what may not be concluded from a run, by what the data are."""
    summary, language, study = source.summary, pen.language, source.study
    yield from vague(pen, summary)
    yield from stopped(pen, summary)
    if _games(summary):
        yield language.say("limit.games")
    else:
        yield language.say("limit.rounds")
    if not common.alike(study["players"]):
        yield language.say("limit.seats")
    yield from capped_and_rare(pen, summary)
    yield from common.always(pen, source)


def vague(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    """Yield what is too small to be seen in so few rounds or games."""
    ends = [seat["win_share_ci95"] for seat in summary["players"]]
    widths = [high - low for low, high in ends if low is not None]
    if not widths or not decided_of(summary):
        return
    half = max(widths) / 2
    count = pen.counted(_unit(summary), summary[_unit(summary)], _unit(summary))
    points = pen.language.number(100 * half, places_of(ends, 100))
    key = "limit.too_few" if half > VAGUE else "limit.precision"
    yield pen.language.say(key, count=count, points=points)


def stopped(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    """Yield that a run is only a part of its study, or looked at itself."""
    if summary.get("until") is not None:
        yield pen.language.say("limit.until")
    if "ranges" in summary and summary.get("until") is None:
        yield pen.language.say("limit.part")


def capped_and_rare(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Markup]:
    """Yield what is to be said of rounds that were stopped, and of what hardly ever happened."""
    language, ends = pen.language, summary["ends"]
    if ends["turn_cap"]:
        count = pen.counted("rounds", ends["turn_cap"], "ends.turn_cap")
        yield language.say("limit.capped", count=count)
    if 0 < ends["second_recycling"] < FEW:
        count = pen.counted("rounds", ends["second_recycling"], "ends.second_recycling")
        yield language.say("limit.rare", count=count)


# --- beside others --------------------------------------------------------------------------------


def _brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    language, rates = pen.language, summary["rates"]
    seats = summary["players"]
    unit = _unit(summary)
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
