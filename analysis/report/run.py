"""The part of a report that is about a run of rounds or games at one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from analysis.blocks import Block, Chapter, Column, Part, Sentence, Table
from analysis.report import common
from analysis.report.figures import OF_BIRDS, OF_ROUNDS, positions, run_figures
from analysis.report.headline import answer, brief, tiles, whole_or_half
from analysis.report.parts import Pen, Source, capital, places_of, seat_label
from analysis.report.rates import (
    has_games,
    metric_label,
    score_places,
    unit_of,
    win_places,
    with_rates,
)
from analysis.stats import ratio
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
    source = with_rates(source)
    language = pen.language
    chapters = [
        Chapter(language.text(f"chapter.{name}"), list(tell(pen, source)))
        for name, tell in _CHAPTERS.items()
    ]
    chapters += common.last_chapters(pen, source, limits(pen, source))
    return Part(
        kind=language.text("kind.games" if has_games(source.summary) else "kind.run"),
        title=common.title(language, source),
        question=source.study.get("question", ""),
        setting=common.setting(pen, source),
        answer=[Sentence(sentence) for sentence in answer(pen, source)],
        tiles=list(tiles(pen, source.summary)),
        chapters=chapters,
        brief=list(brief(pen, source.summary)),
    )


# --- how rounds end -------------------------------------------------------------------------------


@chapter
def pictures(pen: Pen, source: Source) -> Iterator[Block]:
    """How rounds go, in pictures."""
    return run_figures(pen, source, OF_ROUNDS)


@chapter
def ends(pen: Pen, source: Source) -> Iterator[Block]:
    """How rounds end, what becomes of calls, how long rounds and games are."""
    summary = source.summary
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
            for fate in OUTCOMES
        ]
        yield Table(language.text("ends.fate_caption"), columns(language, heads), rows)
    yield from _facts(pen, summary, _CALLS, "ends.calls_caption")
    yield _spread_table(pen, summary)
    if has_games(summary):
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


@chapter
def course(pen: Pen, source: Source) -> Iterator[Block]:
    """How rounds and games go, where the run has counted that."""
    return _facts(pen, source.summary, _COURSE, "course.caption")


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
                capital(metric_label(pen.language, path)),
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
    if has_games(summary):
        kinds.append(("spread.game_rounds", summary["game"]["rounds"], "game.rounds"))
    rows = []
    for label, spread, path in kinds:
        row: list[Any] = [language.text(label), pen.number(spread["mean"], f"{path}.mean", 2)]
        row.append(pen.number(spread["sd"], f"{path}.sd", 2))
        for name in ("min", "median", "max"):
            row.append(whole_or_half(pen, spread[name], f"{path}.{name}"))
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


@chapter
def seats(pen: Pen, source: Source) -> Iterator[Block]:
    """What each seat, and each place in the turn order, achieves."""
    summary, language = source.summary, pen.language
    yield seat_table(pen, summary)
    if summary.get("positions"):
        yield positions(pen, summary)
    if not common.alike(source.study["players"]):
        yield Sentence(language.say("seats.not_rotated"))


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


@chapter
def birds(pen: Pen, source: Source) -> Iterator[Block]:
    """What plucks, powers and birds do: each seat's own, and the pictures of all seats."""
    summary = source.summary
    yield _doing(pen, summary)
    yield from _chances(pen, summary)
    yield from run_figures(pen, source, OF_BIRDS)


def _doing(pen: Pen, summary: Mapping[str, Any]) -> Table:
    """Return how often each seat plucks and uses powers."""
    language, rounds = pen.language, summary["rounds"]
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
    return Table(language.text("players.doing"), columns(language, heads), rows)


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
    heads += [Column(capital(metric_label(pen.language, path))) for path in _CHANCES]
    yield Table(pen.language.text("players.chances"), heads, rows)


# --- what may not be concluded --------------------------------------------------------------------


def limits(pen: Pen, source: Source) -> Iterator[Markup]:
    """Yield what may not be concluded from a run, by what the data are."""
    summary, language, study = source.summary, pen.language, source.study
    yield from vague(pen, summary)
    yield from stopped(pen, summary)
    if has_games(summary):
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
    if not widths or not decided_in(summary):
        return
    half = max(widths) / 2
    count = pen.counted(unit_of(summary), summary[unit_of(summary)], unit_of(summary))
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
