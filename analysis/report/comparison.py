"""The part of a report that is about a comparison: what changes, how sure that is, what is open."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup, escape

from analysis.blocks import (
    FOLDED_FROM,
    NONE,
    Block,
    Part,
    Picture,
    Sentence,
    Sentences,
    Table,
    Tile,
    columns,
)
from analysis.comparing import is_sure, is_tested, moves_untested
from analysis.report import common
from analysis.report.pen import Pen, Source, capital, metric_label, unit_of
from analysis.report.pictures import figure
from analysis.text.numbers import decimals
from analysis.words import ORDINALS
from sim.metrics import COMPARED, DRAWN

MAIN = tuple(name for name, how in COMPARED.items() if how.answer)
"""What the answer speaks of; the rest is told further down."""

_DRAWN = [name for name in DRAWN if COMPARED[name].main]
_TOLD_AT_MOST = 9
_TILES_AT_MOST = 3

_LETTERS = 15
"""In a line beside a picture on narrow screens, at least."""

_OPEN_AT_MOST = 12
"""Rows of a table, and sentences, that stand open; the rest is folded away."""

Row = Mapping[str, Any]
Pair = tuple[int, Row]
"""A difference, and its place among all differences of the summary."""


def part(pen: Pen, source: Source) -> Part:
    """Return the part about a comparison."""
    summary = source.summary
    both = [player for side in "ab" for player in source.study[side]["players"]]
    chapters: dict[str, Iterable[Block]] = {
        "pictures": _figures(pen, source),
        "sure": _sure(pen, summary),
        "open": _open(pen, summary),
        "ends": _tables(pen, summary, "ends"),
        "seats": _tables(pen, summary, "seats"),
        "players": common.players(pen, both),
        "rules": _rules(pen, source),
        "assumed": _assumed(pen, source),
    }
    return common.part(
        pen,
        source,
        "kind.comparison",
        chapters,
        _answer(pen, summary),
        _tiles(pen, summary),
        _brief(pen, summary),
        _limits(pen, source),
        (_title(pen, source), _of_both(source.study, "question"), _setting(pen, source)),
    )


# --- what was compared ----------------------------------------------------------------------------


def _title(pen: Pen, source: Source) -> str:
    """Return the studies' titles; where they have none, what was changed."""
    titles = _of_both(source.summary, "title")
    if titles:
        return titles
    summary = source.summary
    if not summary["changed"]:
        return pen.language.text("comparison.same_title")
    told = _plain(_changes(pen, {**summary, "changed": summary["changed"][:2]}))
    return pen.language.text("comparison.title").format(what=capital(told))


def _of_both(sides: Mapping[str, Any], key: str) -> str:
    """Return a text of both studies; once where they have the same, or only one has any."""
    texts = (str(sides[side].get(key) or "") for side in "ab")
    return " / ".join(dict.fromkeys(filter(None, texts)))


def _setting(pen: Pen, source: Source) -> Markup:
    summary, language = source.summary, pen.language
    unit = unit_of(summary)
    return language.say(
        "comparison.setting",
        players=language.counted("count.players", len(summary["a"]["players"])),
        played=pen.counted(unit, unit),
        edition=language.text(f"edition.{summary['a']['edition']}"),
        deck=common.deck_name(language, summary["a"] | _assumption(source)),
        seed=summary["seed"],
    )


def _assumption(source: Source) -> dict[str, Any]:
    return {"deck_assumed": source.study["a"]["deck"]["assumed"]}


def _changes(pen: Pen, summary: Mapping[str, Any]) -> Markup:
    language, told = pen.language, []
    for change in summary["changed"]:
        sides = (change[side] for side in "ab")
        a, b = (NONE if side is None else common.value_text(language, side) for side in sides)
        what = common.meaning(pen, change["what"], players=summary["rotated"])
        told.append(language.say("change.from_to", what=what, a=a, b=b))
    return Markup(language.semicolon).join(told)


def _plain(text: Markup) -> str:
    """Return the text of some HTML, with the spaces that no line ends at."""
    return str(Markup(re.sub(r"<[^>]*>", "", text)).unescape())


# --- in words -------------------------------------------------------------------------------------


def _rows(summary: Mapping[str, Any]) -> list[Pair]:
    """Return the differences that there are, each with its place and whether seats were rotated."""
    return [
        (k, {**row, "rotated": summary["rotated"]})
        for k, row in enumerate(summary["differences"])
        if row["difference"] is not None
    ]


def _looked_at(rows: Sequence[Pair]) -> int:
    """Return how many differences were tested: medians have an interval, but no p."""
    return sum(is_tested(row) for _, row in rows)


def _answer(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Block]:
    language = pen.language
    if summary["changed"]:
        yield Sentence(language.say("comparison.changed", changes=_changes(pen, summary)))
    else:
        yield Sentence(language.say("comparison.nothing_changed"))
    rows = _rows(summary)
    sure = [(k, row) for k, row in rows if is_sure(row)]
    if summary["rounds_that_differ"]["count"] == 0:
        shown = pen.share("rounds_that_differ.ci95.1", pen.places("rounds_that_differ.share"))
        key = "comparison.unseen" if summary["changed"] else "comparison.identical"
        yield Sentence(language.say(key, share=shown))
        return
    if not sure:
        yield Sentence(language.say("comparison.none_sure", n=_looked_at(rows)))
    else:
        main = [pair for pair in sure if pair[1]["metric"] in MAIN] or sure
        told_rows = main[:_TOLD_AT_MOST]
        yield Sentence(language.say("comparison.sure_lead"), style="lead")
        yield Sentences([_sentence(pen, *pair) for pair in told_rows])
        if len(sure) > len(told_rows):
            yield Sentence(language.say("comparison.more_sure", n=len(sure) - len(told_rows)))
    still = [pair for pair in rows if not is_sure(pair[1]) and pair[1]["metric"] in MAIN]
    if still:
        yield Sentence(language.say("comparison.open_lead"), style="lead")
        yield Sentences(list(_not_sure(pen, still, rows))[:_TOLD_AT_MOST])
    yield Sentence(language.say("comparison.cannot_lead"), style="lead")
    yield Sentence(language.say("limit.players_keep"))


def _name(pen: Pen, row: Row) -> Markup:
    """Return the name of a number, and whose it is."""
    return Markup(capital(_named(pen, row)))


def _named(pen: Pen, row: Row) -> Markup:
    """Return the same, as it stands inside a sentence."""
    label = metric_label(pen.language, row["metric"])
    if row["seat"] is None:
        return escape(label)
    return pen.language.say("metric_name.of", what=label, whose=_whose(pen, row))


def _whose(pen: Pen, row: Row) -> Markup:
    """Return whose a number is: a player and its seat; its place in the study if seats rotate."""
    key = "metric_name.player" if row["rotated"] else "metric_name.seat"
    place = pen.language.text(f"plot.{ORDINALS[row['seat']]}")
    return pen.language.say(key, player=row["player"], seat=row["seat"], place=place)


def _sentence(pen: Pen, k: int, row: Row) -> Markup:
    """Return a difference in words, with its interval."""
    return _said(pen, k, row, "difference.rises" if row["difference"] > 0 else "difference.falls")


def _open_key(row: Row) -> str:
    """Return how to tell a difference that is not sure: whether to say what would have been."""
    smallest = row["smallest_detectable"]
    if smallest is None or row["ci95"][0] is None or _size(row) >= smallest:
        return "difference.unknown"
    shown = round(smallest * (100 if row["unit"] == "share" else 1), _places(row))
    return "difference.open" if shown > 0 else "difference.unknown"


def _not_sure(pen: Pen, pairs: Sequence[Pair], rows: Sequence[Pair]) -> Iterator[Markup]:
    """Yield differences that are not sure in words; what is the same in all deals, in one sentence.

    There a number that is the same for all players is named once.

    Args:
        pen: Writes.
        pairs: The differences to tell.
        rows: All differences of the comparison.
    """
    differ = {row["metric"] for _, row in rows if not _is_same(row)}
    names = dict.fromkeys(
        _named(pen, row if row["metric"] in differ else {**row, "seat": None})
        for _, row in pairs
        if _is_same(row)
    )
    if names:
        yield pen.language.say("difference.same", names=Markup(pen.language.semicolon).join(names))
    for k, row in pairs:
        if not _is_same(row):
            yield _said(pen, k, row, _open_key(row))


def _is_same(row: Row) -> bool:
    """Whether a number differs in no deal; a median: whether it cannot be another."""
    return bool(row["difference"] == 0 and (row["n_differ"] == 0 or row["ci95"] == [0, 0]))


def _said(pen: Pen, k: int, row: Row, key: str) -> Markup:
    named, unit = _name(pen, row), _unit(pen, row)
    return pen.language.say(key, what=named, unit=unit, **_numbers(pen, k, row))


def _unit(pen: Pen, row: Row) -> str:
    """Return what a difference is measured in, in words."""
    unit = f"unit.{row['unit']}"
    return pen.language.text(unit) if unit in pen.language else str(row["unit"])


def _numbers(pen: Pen, k: int, row: Row) -> dict[str, Markup]:
    """Write the numbers of a difference: of A and B, the difference, its interval and the like."""
    at, places, share = f"differences.{k}", _places(row), row["unit"] == "share"
    unit = "points" if share else "number"
    return {
        **{side: pen.write(f"{at}.{side}", "share" if share else unit, places) for side in "ab"},
        "difference": pen.write(f"{at}.difference", unit, places, signed=True),
        "interval": pen.interval(f"{at}.difference", unit, places, signed=True),
        "smallest": pen.write(f"{at}.smallest_detectable", unit, places),
    }


def _places(row: Row) -> int:
    scale = 100 if row["unit"] == "share" else 1
    low, high = row["ci95"]
    if low is None or high is None or low == high:
        smallest = row["smallest_detectable"]
        return decimals(scale * smallest) if smallest else 2
    return decimals(scale * (high - low) / 2)


# --- headline numbers -----------------------------------------------------------------------------


def _tiles(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Tile]:
    language, unit = pen.language, unit_of(summary)
    blocks = pen.counted("deals", "blocks")
    yield Tile(language.text(f"tile.{unit}_each"), pen.whole(unit), blocks)
    yield pen.tile(language.text(f"tile.{unit}_differ"), "rounds_that_differ.share", "share")
    rows = _rows(summary)
    sure = sum(is_sure(row) for _, row in rows)
    yield Tile(
        language.text("tile.sure"),
        Markup(language.whole(sure)),
        language.say("tile.sure_of", n=_looked_at(rows)),
    )
    shown = [pair for pair in rows if pair[1]["metric"] in MAIN and not _is_same(pair[1])]
    largest = {row["metric"]: (k, row) for k, row in sorted(shown, key=lambda pair: _size(pair[1]))}
    order = sorted(largest.values(), key=lambda pair: (not is_sure(pair[1]), pair[0]))
    for k, row in order[:_TILES_AT_MOST]:
        numbers, what = _numbers(pen, k, row), _name(pen, row)
        note = language.say("number.in_interval", interval=numbers["interval"])
        label = language.say("tile.difference", what=what, unit=_unit(pen, row))
        yield Tile(label, numbers["difference"], note)


def _size(row: Row) -> float:
    return abs(float(row["difference"]))


def _brief(pen: Pen, summary: Mapping[str, Any]) -> Iterator[tuple[str | Markup, Markup]]:
    if summary["changed"]:
        yield pen.language.text("beside.changed"), Markup(capital(_changes(pen, summary)))
    for k, row in _rows(summary):
        if row["metric"] in MAIN:
            numbers = _numbers(pen, k, row)
            text = Markup('<b>{difference}</b> <span class="ci">{interval}</span>')
            yield _name(pen, row), text.format(**numbers)


# --- pictures -------------------------------------------------------------------------------------


def _figures(pen: Pen, source: Source) -> Iterator[Picture]:
    frame = source.tables.get("differences")
    if frame is None:
        return
    for name, metrics in (("shares", _DRAWN), ("scores", ["score_mean"])):
        rows = [
            (k, row)
            for k, row in _rows(source.summary)
            if row["metric"] in metrics and row["ci95"][0] is not None
        ]
        if not all(_is_same(row) for _, row in rows):
            yield _forest(pen, source, name, metrics, rows)


def _forest(
    pen: Pen, source: Source, name: str, metrics: Sequence[str], rows: Sequence[Pair]
) -> Picture:
    from analysis.plots import differences

    name_of = _whose if len(metrics) == 1 else _name
    labels = [name_of(pen, row).striptags() for _, row in rows]
    lines = max(math.ceil(len(label) / _LETTERS) for label in labels)

    def draw(ax: Any) -> None:
        differences(source.tables["differences"], ax, metrics=list(metrics))
        ax.set_yticks(range(len(labels)), labels)

    return figure(
        pen,
        f"differences-{name}",
        draw,
        1.1 + 0.34 * len(rows),
        _difference_table(pen, rows, pen.language.text(f"figure.differences_{name}.title")),
        words=f"differences_{name}",
        narrow_height=1.3 + len(rows) * (0.14 + 0.15 * lines),
    )


# --- chapters -------------------------------------------------------------------------------------


def _sure(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Block]:
    rows = _rows(summary)
    sure = [pair for pair in rows if is_sure(pair[1])]
    if sure:
        yield Sentence(pen.language.say("sure.intro"))
        order = sorted(sure, key=lambda pair: pair[1]["metric"] not in MAIN)
        yield Sentences([_sentence(pen, *pair) for pair in order], shown=_OPEN_AT_MOST)
    else:
        yield Sentence(pen.language.say("comparison.none_sure", n=_looked_at(rows)))
    moving = [pair for pair in rows if moves_untested(pair[1])]
    if moving:
        yield Sentence(pen.language.say("sure.untested"))
        yield Sentences([_sentence(pen, *pair) for pair in moving])


def _open(pen: Pen, summary: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the main differences that are not sure, and how many more; `_tables` has them all."""
    rows = _rows(summary)
    same = [pair for pair in rows if _is_same(pair[1])]
    still = [pair for pair in rows if is_tested(pair[1]) and not is_sure(pair[1])]
    apart = [pair for pair in still if not _is_same(pair[1])]
    main = [pair for pair in apart if pair[1]["metric"] in MAIN]
    if main:
        yield Sentence(pen.language.say("open.intro"))
    if same or main:
        yield Sentences(list(_not_sure(pen, [*same, *main], rows)), shown=_OPEN_AT_MOST)
    if len(apart) > len(main):
        yield Sentence(pen.language.say("open.more", n=len(apart) - len(main)))
    untested = [
        (k, row) for k, row in rows if not (is_tested(row) or moves_untested(row) or _is_same(row))
    ]
    if untested:
        yield Sentence(pen.language.say("open.untested"))
        yield Sentences(list(_not_sure(pen, untested, rows)))


def _tables(pen: Pen, summary: Mapping[str, Any], name: str) -> Iterator[Block]:
    """Yield the numbers that differ, a few of many open; `_open` names those that do not.

    Args:
        pen: Writes.
        summary: Of the comparison.
        name: ``ends`` for numbers of the table, ``seats`` for those of players.
    """
    language = pen.language
    chosen = [pair for pair in _rows(summary) if (pair[1]["seat"] is None) == (name == "ends")]
    differ = [pair for pair in chosen if not _is_same(pair[1])]
    caption = language.text(f"differences.{name}")
    if len(differ) > FOLDED_FROM:
        rank = lambda pair: (pair[1]["metric"] not in MAIN, not is_sure(pair[1]))  # noqa: E731
        main = sorted(sorted(differ, key=rank)[:_OPEN_AT_MOST], key=lambda pair: pair[0])
        yield _difference_table(pen, main, language.say("differences.main", what=caption))
    if differ:
        yield _difference_table(pen, differ, caption)
        yield Sentence(language.say("differences.legend"), style="note")
    elif chosen:
        yield Sentence(language.say("differences.none"))
    if name == "seats" and summary["rotated"]:
        yield Sentence(language.say("limit.by_player"), style="note")


def _difference_table(pen: Pen, rows: Sequence[Pair], caption: str) -> Table:
    text, cells = pen.language.text, []
    for k, row in rows:
        numbers = _numbers(pen, k, row)
        smallest = numbers.pop("smallest")
        sure = text("value.yes" if is_sure(row) else "value.no") if is_tested(row) else NONE
        gain = pen.write(f"differences.{k}.variance_ratio", places=1)
        cells.append([_name(pen, row), *numbers.values(), sure, smallest, gain])
    heads = [text(f"differences.{head}") for head in ("what", "a", "b", "difference")]
    heads.append(text("table.interval"))
    heads += [text(f"differences.{head}") for head in ("sure", "smallest", "gain")]
    return Table(caption, columns(heads, left=(0,)), cells)


def _rules(pen: Pen, source: Source) -> Iterator[Block]:
    for side in "ab":
        yield Sentence(pen.language.say(f"comparison.side_{side}"), style="lead")
        yield from common.rules(pen, source.summary[side])


def _assumed(pen: Pen, source: Source) -> Iterator[Block]:
    facts: dict[str, Any] = dict(source.summary)
    if facts.get("games") is not None:
        thresholds = source.study["a"]["rules"]["game_threshold"]
        players = str(len(source.study["a"]["players"]))
        facts["game"] = {"threshold": thresholds[players]}
    yield from common.assumed(pen, replace(source, summary=facts, study=source.study["a"]))


def _limits(pen: Pen, source: Source) -> Iterator[Markup]:
    language, summary = pen.language, source.summary
    yield language.say("limit.players_keep")
    yield language.say("limit.not_proved_equal")
    yield language.say("limit.holm")
    if len(summary["changed"]) > 1:
        yield language.say("limit.several_changes")
    yield language.say("limit.by_player" if summary["rotated"] else "limit.by_seat")
    yield language.say("limit.rounds" if unit_of(summary) == "rounds" else "limit.games_compared")
    facts = dict(summary) | _assumption(source) | {"deck": summary["a"]["deck"]}
    yield from common.always(pen, replace(source, summary=facts))
