"""A comparison in words and columns, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.blocks import Block, Sentence, Table, columns
from analysis.comparing import FEW, Row, is_sure, is_tested, moves_untested
from analysis.text.numbers import NONE, counted, decimals, fixed, plain
from analysis.text.played import speed
from analysis.text.terminal import WIDTH, align, draw, shortened
from analysis.words import ORDINALS
from sim.game.base import told_changes
from sim.metrics import COMPARED, differs

_UNITS = {"share": "percentage points", "plucks": "times", "powers": "times", "recyclings": "times"}

MAIN = tuple(name for name, how in COMPARED.items() if how.main)
"""What the table shows whether it differs or not."""

_SENTENCES = 12

_PLAYER = 12  # columns for a player's name, at least

_OTHERS = 20
"""Sure differences that the table shows besides the main ones."""


def sentence(row: Mapping[str, Any], rotated: bool) -> str:
    """Return a difference in words: ``sharp (3) wins 0.31 ± 0.05 percentage points more``.

    Args:
        row: Of differences.
        rotated: Whether players changed seats, so that a number is a player's and not a seat's.
    """
    begin, more, less = differs(row["metric"])
    amount = abs(row["difference"]) * _scale(row)
    half = _half(row)
    places = decimals(half)
    shown = fixed(amount, places) + (f" ± {fixed(half, places)}" if half else "")
    if not is_tested(row):
        shown = f"{amount:g}"
    end = more if row["difference"] > 0 else less
    if row["unit"] not in end.split():  # else the end names the unit itself
        end = f"{_UNITS.get(row['unit'], row['unit'])} {end}"
    if not is_tested(row):
        low, high = sorted(abs(edge) for edge in row["ci95"])
        end += f" ({low:g} to {high:g})"
    return f"{begin.format(who=who(row, rotated))} {shown} {end}"


def who(row: Mapping[str, Any], rotated: bool) -> str:
    """Return whose number it is: ``sharp (3)`` of a seat, ``sharp (4th)`` of a player.

    ``the table`` where it is nobody's.
    """
    if row["seat"] is None:
        return "the table"
    return f"{row['player']} ({_place(row, rotated)})"


def _place(row: Mapping[str, Any], rotated: bool) -> str:
    """Return a seat; where players changed seats, the player's place in the study."""
    return ORDINALS[row["seat"]] if rotated else str(row["seat"])


def _scale(row: Mapping[str, Any]) -> float:
    return 100 if row["unit"] == "share" else 1


def _half(row: Mapping[str, Any]) -> float | None:
    low, high = row["ci95"]
    return None if low is None or high is None else (high - low) / 2 * _scale(row)


def comparison_text(
    summary: Mapping[str, Any],
    *,
    everything: bool = False,
    seconds: float | None = None,
    saving_seconds: float = 0.0,
) -> str:
    """Return what ``baobei compare`` prints: at most 100 columns, no line break at its end.

    Args:
        summary: Of a comparison.
        everything: Show all differences; else the main ones and those that are sure.
        seconds: Time that playing took; None leaves it out.
        saving_seconds: Time that writing the results took after that.
    """
    units = _units(summary)
    return draw(
        _header(summary),
        _findings(summary),
        [_table(summary, everything), *_left_out(summary, everything)],
        [_legend(summary)],
        speed(2 * summary[units], units[:-1], seconds, saving_seconds),
    )


def comparison_blocks(summary: Mapping[str, Any]) -> list[Block]:
    """Return what notebooks show of a comparison: what is sure in words, and the main rows."""
    told = [*_header(summary), *_findings(summary)]
    return [*told, _table(summary, room=WIDTH), _legend(summary)]


def _units(summary: Mapping[str, Any]) -> str:
    return "rounds" if summary["games"] is None else "games"


_NOTHING = (
    "nothing: the two studies play the same; --rule, --set or a second file changes something"
)


def _header(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    for side in "ab":
        study = summary[side]
        told = ", ".join(study["players"])
        told += f"; {study['edition']} edition, deck {study['deck']}"
        if study["rules_changed"]:
            told += f", {told_changes(study['rules_changed'])}"
        title = f"{study['title']}: " if study["title"] else ""
        yield Sentence(title + told, side.upper(), indent=11)
    changed = "; ".join(map(_change, summary["changed"]))
    yield Sentence(changed or _NOTHING, "changed", indent=11)
    yield Sentence(_played(summary), "played", indent=11)


def _change(change: Mapping[str, Any]) -> str:
    """Return a change in words: what it is called, its values, and what it means."""
    a, b = (plain(change[side]) for side in "ab")
    meaning = f" ({change['meaning']})" if change.get("meaning") else ""
    what, at = change["what"], ""
    if what.startswith("rules.") and what.count(".") == 2:
        what, _, players = what.rpartition(".")
        at = f" with {players} players"
    return f"{what} {a} → {b}{at}{meaning}"


def _played(summary: Mapping[str, Any]) -> str:
    units = _units(summary)
    of_each = f"{counted(summary[units], units[:-1])} of each"
    text = f"{of_each} on the same deals, seed {summary['seed']}"
    if summary["rotated"]:
        text += (
            f": {counted(summary['blocks'], 'block')}, each one deal with the players in all "
            "rotations; numbers follow the players"
        )
    else:
        text += ": seats stay, numbers are by seat"
    differ = summary["rounds_that_differ"]
    low, high = (100 * end for end in differ["ci95"])
    places = decimals((high - low) / 2)
    share = f"{fixed(100 * differ['share'], places)} %"
    return f"{text}. {share} of {units} differ in anything."


def _findings(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    rows = list(filter(is_tested, summary["differences"]))
    sure, rotated, unit = list(filter(is_sure, rows)), summary["rotated"], _units(summary)
    if summary["rounds_that_differ"]["count"] == 0:
        told = "differs, as none can: all differences are exactly 0."
        if summary["changed"]:
            most = 100 * summary["rounds_that_differ"]["ci95"][1]
            told = f"differs; up to {fixed(most, decimals(most))} % of all {unit} may."
        yield Sentence(f"No {unit[:-1]} {told}")
        return
    if sure:
        yield Sentence(f"What B changes for sure, {len(sure)} of {len(rows)} differences (Holm):")
    else:
        yield Sentence(f"No difference is sure: none of {len(rows)} that were looked at (Holm).")
    yield from _told(sure[:_SENTENCES], rotated)
    if len(sure) > _SENTENCES:
        yield Sentence(f"and {len(sure) - _SENTENCES} more; see the table", indent=2)
    untested = list(filter(moves_untested, summary["differences"]))
    if untested:
        yield Sentence("By its interval, as no test is made of medians:")
        yield from _told(untested, rotated)


def _told(rows: Sequence[Row], rotated: bool) -> Iterator[Sentence]:
    return (Sentence(sentence(row, rotated), indent=2, hanging=2) for row in rows)


_HEADINGS = ("A", "B", "B - A", "±", "p Holm", "gain", "least")


def _table(summary: Mapping[str, Any], everything: bool = False, room: int = 0) -> Table:
    """Return the table; `room` for the names of its rows, by default what a terminal leaves."""
    shown = _shown(summary, everything)
    rows = list(map(_cells, shown))
    room = room or WIDTH - 2 - max(map(len, align(rows, _HEADINGS, left=())))
    labels = [_label(row, summary["rotated"], room) for row in shown]
    table = [[label, *cells] for label, cells in zip(labels, rows, strict=True)]
    return Table("", columns(("", *_HEADINGS), left=(0,)), table)


def _label(row: Mapping[str, Any], rotated: bool, room: int) -> str:
    """Return a number's name and whose it is; what is too long is cut, first the player's name."""
    metric = row["metric"] + (" %" if row["unit"] == "share" else "")
    if row["seat"] is None:
        return shortened(metric, room)
    whose = f"{_place(row, rotated)} {row['player']}"
    whose = shortened(whose if rotated else f"seat {whose}", max(room - len(metric) - 2, _PLAYER))
    return f"{shortened(metric, room - len(whose) - 2)}, {whose}"


def _shown(summary: Mapping[str, Any], everything: bool) -> list[Row]:
    """Return the rows to show: all that exist, or the main ones and some of those that are sure."""
    rows = [row for row in summary["differences"] if (row["a"], row["b"]) != (None, None)]
    if everything:
        return rows
    others = [row for row in rows if row["metric"] not in MAIN and is_sure(row)][:_OTHERS]
    return [row for row in rows if row["metric"] in MAIN] + others


def _cells(row: Mapping[str, Any]) -> list[str]:
    scale, half = _scale(row), _half(row)
    smallest = row["smallest_detectable"]
    smallest = None if smallest is None else smallest * scale
    places = decimals(half or smallest, 5)
    a, b, difference = (
        None if row[key] is None else row[key] * scale for key in ("a", "b", "difference")
    )
    gain = row["variance_ratio"]
    mark = "*" if is_sure(row) else " "
    return [
        fixed(a, places),
        fixed(b, places),
        "+" * ((difference or 0) > 0) + fixed(difference, places),
        _spread(row, half, places),
        _chance(row["p_holm"]) + mark,
        NONE if gain is None else f"{gain:,.{0 if gain >= 100 else 1}f}",
        fixed(smallest, places),
    ]


def _spread(row: Mapping[str, Any], half: float | None, places: int) -> str:
    """Return the half of an interval; an interval that is not even, as of a median, in full."""
    low, high = row["ci95"]
    if half is None or row["p"] is not None:
        return fixed(half, places)
    return f"{low:g} to {high:g}"


def _chance(p: float | None) -> str:
    if p is None:
        return NONE
    return "<.0001" if p < 0.0001 else f"{p:.4f}".removeprefix("0")


def _left_out(summary: Mapping[str, Any], everything: bool) -> Iterator[Sentence]:
    rows, shown = _shown(summary, True), _shown(summary, everything)
    sure = sum(map(is_sure, rows)) - sum(map(is_sure, shown))
    if len(rows) > len(shown):
        rest = len(rows) - len(shown)
        yield Sentence(f"and {rest} more, {sure} of them sure; --all shows them")


def _legend(summary: Mapping[str, Any]) -> Sentence:
    few = any(0 < row["n_differ"] < FEW for row in summary["differences"])
    text = (
        "* sure: p, corrected by Holm for all differences together, is below 0.05. ±: 95 %, of "
        "each difference alone. gain: how many times as many deals it would take if A and B had "
        "deals of their own. least: a true difference of this size is called sure in four of "
        "five such comparisons."
    )
    if few:
        text += f" Where fewer than {FEW} deals differ, ± allows for those that were not seen."
    return Sentence(text)
