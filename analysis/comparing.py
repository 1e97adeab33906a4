"""Two studies on the same deals: how every number differs, how surely, and that in words.

Works on exact sums over blocks (see `sim.batch.pairs`), handed over as whole numbers.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from analysis.languages import ORDINALS
from analysis.stats import (
    CONFIDENCE,
    HALVED,
    NOTHING,
    Difference,
    grouped_quantile_interval,
    holm,
    median,
    paired_difference,
    quantile_difference,
    ratio_estimate,
    smallest_detectable,
    smallest_p,
    spread_estimate,
    wilson,
)
from analysis.text import NONE, WIDTH, align, changes, counted, decimals, fixed, paragraph
from analysis.text_many import shortened, speed
from sim.metrics import COMPARED, differs

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 1 - CONFIDENCE
"""A difference is sure where its p, corrected by Holm, is below."""

FEW = 10
"""Blocks that differ, below which a sample has hardly anything to go by."""

Row = dict[str, Any]

_FORMULAS = {2: ratio_estimate, 3: spread_estimate}


# --- numbers --------------------------------------------------------------------------------------


def difference_row(
    of: Mapping[str, Any],
    blocks: int,
    sums: Sequence[int],
    products: Sequence[Sequence[int]],
    differing: int,
    same: bool = False,
) -> Row:
    """Return one row of differences; p is not corrected yet, see `corrected`.

    Args:
        of: ``metric``, ``seat``, ``player``, ``unit``.
        blocks: How many there are.
        sums: Over blocks, of what the first study's number is made of, then of the second's: two
            for a ratio, three for a standard deviation each.
        products: Sums of the products of every two of them.
        differing: Blocks in which any of them differs.
        same: Whether the studies are the same, so that nothing can differ.

    Returns:
        The row. A standard deviation has neither interval nor p where fewer than `FEW` blocks
        differ: it hangs on values that are far off, of which so few tell nothing.
    """
    formula, share = _FORMULAS[len(sums) // 2], of["unit"] == "share"
    found = paired_difference(blocks, sums, products, formula, differing, share=share, same=same)
    if formula is spread_estimate and differing < FEW and not same:
        found = replace(found, interval=NOTHING, p=None, error=None)
    return _row(of, found, blocks, differing)


def median_row(
    of: Mapping[str, Any], sections: Sequence[Any], blocks: int, differing: int, same: bool = False
) -> Row:
    """Return the row of a median's difference, which has an interval and no p.

    Args:
        of: As of `difference_row`.
        sections: For both studies the groups of `grouped_quantile_interval`.
        blocks: How many there are.
        differing: Rounds (games) that differ in anything.
        same: As of `difference_row`.
    """
    groups = [[group for group in side.tolist() if any(group)] for side in sections]
    a, b = (median([(k, int(n)) for k, n in enumerate(side.sum(axis=0)) if n]) for side in sections)
    difference = None if a is None or b is None else float(b - a)
    ends = (grouped_quantile_interval(side, confidence=HALVED) for side in groups)
    interval = (0.0, 0.0) if same else quantile_difference(*ends)
    return _row(of, Difference(a, b, difference, interval), blocks, differing)


def _row(of: Mapping[str, Any], found: Difference, blocks: int, differing: int) -> Row:
    return {
        **of,
        "a": found.a,
        "b": found.b,
        "difference": found.difference,
        "ci95": list(found.interval),
        "p": found.p,
        "p_holm": None,
        "variance_ratio": found.variance_ratio,
        "error": found.error,
        "n": blocks,
        "n_differ": differing,
    }


def between(parts: Sequence[int]) -> Row:
    """Return the numbers of a row of differences that need no more than the sums of both sides.

    Args:
        parts: The sums of `difference_row`.

    Returns:
        ``a``, ``b`` and ``difference``.
    """
    found = paired_difference(1, parts, (), _FORMULAS[len(parts) // 2])
    return {"a": found.a, "b": found.b, "difference": found.difference}


def medians(*histograms: Sequence[Sequence[int]]) -> Row:
    """Return the same of a median's row, out of pairs of value and count of both sides."""
    a, b = (median([(value, n) for value, n in pairs]) for pairs in histograms)
    return {"a": a, "b": b, "difference": None if a is None or b is None else float(b - a)}


def corrected(rows: Sequence[Row]) -> list[Row]:
    """Return rows of differences with what depends on how many there are.

    Instead of ``error`` they have ``p_holm`` and ``smallest_detectable``: the true difference that
    is called sure in four of five such samples. It is None where nothing varies, and where so few
    blocks differ that no p could be small enough.
    """
    values = holm([row["p"] for row in rows])
    tests = sum(p is not None for p in values)
    made = []
    for row, p in zip(rows, values, strict=True):
        given = {key: value for key, value in row.items() if key not in ("error", "n", "n_differ")}
        given |= {"p_holm": p, "smallest_detectable": _least(row, tests)}
        made.append(given | {"n": row["n"], "n_differ": row["n_differ"]})
    return made


def _least(row: Row, tests: int) -> float | None:
    if not row["error"] or smallest_p(row["n_differ"]) * tests >= ALPHA:
        return None
    return smallest_detectable(row["error"], tests)


def differing_share(differing: int, blocks: int, rounds: int) -> Row:
    """Return how many rounds (games) differ in anything.

    Blocks are what is independent; a block's share is between 0 and 1, as Wilson's interval asks.

    Args:
        differing: Rounds that do.
        blocks: How many there are.
        rounds: Of each side.
    """
    return {
        "count": differing,
        "share": differing / rounds,
        "ci95": list(wilson(differing, blocks, rounds // blocks)),
    }


def differences_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows of differences as a tidy table, the interval as ``low`` and ``high``."""
    import pandas as pd

    flat = []
    for row in rows:
        flat.append({key: value for key, value in row.items() if key != "ci95"})
        flat[-1]["low"], flat[-1]["high"] = row["ci95"]
        flat[-1]["sure"] = is_sure(row)
    numbers = ("a", "b", "difference", "low", "high", "p", "p_holm", "variance_ratio")
    types = dict.fromkeys((*numbers, "smallest_detectable"), "float64")
    frame = pd.DataFrame(flat).astype(types | {"seat": "Int64", "metric": "str", "unit": "str"})
    first = ["metric", "seat", "player", "unit", "a", "b", "difference", "low", "high", "sure"]
    return frame[first + [name for name in frame.columns if name not in first]]


def is_sure(row: Mapping[str, Any]) -> bool:
    """Whether a difference stands although so many were looked at."""
    return row["p_holm"] is not None and row["p_holm"] < ALPHA


def is_tested(row: Mapping[str, Any]) -> bool:
    """Whether a difference is among those that are corrected for their number: it has a p."""
    return row["p_holm"] is not None


def moves_untested(row: Mapping[str, Any]) -> bool:
    """Whether a difference of which no test is made, a median's, has an interval without 0."""
    low, high = row["ci95"]
    return not is_tested(row) and low is not None and (low > 0 or high < 0)


# --- words ----------------------------------------------------------------------------------------

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
    blocks = [
        _header(summary),
        _findings(summary),
        _table(summary, everything),
        _legend(summary),
    ]
    if seconds is not None:
        units = _units(summary)
        blocks.append([speed(2 * summary[units], units[:-1], seconds, saving_seconds)])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _units(summary: Mapping[str, Any]) -> str:
    return "rounds" if summary["games"] is None else "games"


_NOTHING = (
    "nothing: the two studies play the same; --rule, --set or a second file changes something"
)


def _header(summary: Mapping[str, Any]) -> list[str]:
    lines = []
    for side in "ab":
        study = summary[side]
        told = ", ".join(study["players"])
        told += f"; {study['edition']} edition, deck {study['deck']}"
        if study["rules_changed"]:
            told += f", {changes(study['rules_changed'])}"
        title = f"{study['title']}: " if study["title"] else ""
        lines += paragraph(side.upper(), title + told, 11)
    changed = "; ".join(map(_change, summary["changed"]))
    lines += paragraph("changed", changed or _NOTHING, 11)
    return lines + paragraph("played", _played(summary), 11)


def _change(change: Mapping[str, Any]) -> str:
    """Return a change in words: what it is called, its values, and what it means."""
    a, b = (_setting(change[side]) for side in "ab")
    meaning = f" ({change['meaning']})" if change.get("meaning") else ""
    what, at = change["what"], ""
    if what.startswith("rules.") and what.count(".") == 2:
        what, _, players = what.rpartition(".")
        at = f" with {players} players"
    return f"{what} {a} → {b}{at}{meaning}"


def _setting(value: Any) -> str:
    if value is None:
        return NONE
    return str(value).lower() if isinstance(value, bool) else f"{value}"


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


def _findings(summary: Mapping[str, Any]) -> list[str]:
    rows = list(filter(is_tested, summary["differences"]))
    sure = [row for row in rows if is_sure(row)]
    if summary["rounds_that_differ"]["count"] == 0:
        unit = _units(summary)
        if not summary["changed"]:
            return [f"No {unit[:-1]} differs, as none can: all differences are exactly 0."]
        most = 100 * summary["rounds_that_differ"]["ci95"][1]
        return [f"No {unit[:-1]} differs; up to {fixed(most, decimals(most))} % of all {unit} may."]
    rotated = summary["rotated"]
    if sure:
        lines = [f"What B changes for sure, {len(sure)} of {len(rows)} differences (Holm):"]
        lines += _told(sure[:_SENTENCES], rotated)
    else:
        lines = [f"No difference is sure: none of {len(rows)} that were looked at (Holm)."]
    if len(sure) > _SENTENCES:
        lines.append(f"  and {len(sure) - _SENTENCES} more; see the table")
    untested = list(filter(moves_untested, summary["differences"]))
    if untested:
        lines.append("By its interval, as no test is made of medians:")
        lines += _told(untested, rotated)
    return lines


def _told(rows: Sequence[Row], rotated: bool) -> list[str]:
    lines = []
    for row in rows:
        text = sentence(row, rotated)
        lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


_HEADINGS = ("A", "B", "B - A", "±", "p Holm", "gain", "least")


def _table(summary: Mapping[str, Any], everything: bool) -> list[str]:
    shown = _shown(summary, everything)
    rows = list(map(_cells, shown))
    room = WIDTH - 2 - max(map(len, align(rows, _HEADINGS, left=())))
    labels = [_label(row, summary["rotated"], room) for row in shown]
    table = [[label, *cells] for label, cells in zip(labels, rows, strict=True)]
    return align(table, ("", *_HEADINGS)) + _left_out(summary, everything)


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
        _signed(difference, places),
        _spread(row, half, places),
        _chance(row["p_holm"]) + mark,
        NONE if gain is None else f"{gain:,.{0 if gain >= 100 else 1}f}",
        fixed(smallest, places),
    ]


def _signed(value: float | None, places: int) -> str:
    shown = fixed(value, places)
    return f"+{shown}" if value is not None and value > 0 else shown


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


def _left_out(summary: Mapping[str, Any], everything: bool) -> list[str]:
    rows, shown = _shown(summary, True), _shown(summary, everything)
    rest = len(rows) - len(shown)
    sure = sum(map(is_sure, rows)) - sum(map(is_sure, shown))
    return [f"and {rest} more, {sure} of them sure; --all shows them"] if rest else []


def _legend(summary: Mapping[str, Any]) -> list[str]:
    few = any(0 < row["n_differ"] < FEW for row in summary["differences"])
    text = (
        "* sure: p, corrected by Holm for all differences together, is below 0.05. ±: 95 %, of "
        "each difference alone. gain: how many times as many deals it would take if A and B had "
        "deals of their own. least: a true difference of this size is called sure in four of "
        "five such comparisons."
    )
    if few:
        text += f" Where fewer than {FEW} deals differ, ± allows for those that were not seen."
    return textwrap.wrap(text, WIDTH)


def comparison_html(summary: Mapping[str, Any]) -> str:
    """Return a comparison as HTML, for notebooks: what is sure in words, and the main rows."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in ("", *_HEADINGS))
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        for cells in (
            (_label(row, summary["rotated"], WIDTH), *_cells(row))
            for row in _shown(summary, everything=False)
        )
    )
    lines = [line.strip() for line in (*_header(summary), *_findings(summary))]
    words = "<br>".join(html.escape(line) for line in lines)
    legend = html.escape(" ".join(_legend(summary)))
    return (
        f"<div><p>{words}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p>{legend}</p></div>"
    )
