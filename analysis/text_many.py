"""Tournaments and sweeps in words and columns, for terminals and notebooks."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from analysis.text import NONE, WIDTH, align, changes, counted, decimals, fixed, paragraph

_MATRIX_AT_MOST = 14  # players; more do not fit into a terminal


def tournament_text(summary: Mapping[str, Any], *, seconds: float | None = None) -> str:
    """Return what ``baobei tournament`` prints: at most 100 columns, no line break at its end.

    Args:
        summary: Of a tournament.
        seconds: Time that it took; None leaves it out.
    """
    blocks = [
        _header(summary, _tournament_line(summary)),
        align(_ranking_rows(summary), _RANKING, left=(1,)),
        [_STEPS_TITLE, *align(_step_rows(summary), _STEPS, left=(0, 1, 4))],
        _matrix(summary),
    ]
    if seconds is not None:
        blocks.append([speed(summary["rounds"], "round", seconds)])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def speed(units: int, unit: str, seconds: float) -> str:
    """Return how long it took, on one line."""
    rate = f", {units / seconds:,.0f} a second" if seconds > 0 else ""
    return f"{counted(units, unit)} in {seconds:.1f} s{rate}"


def _header(summary: Mapping[str, Any], played: str) -> list[str]:
    lines = [summary["title"]] if summary["title"] else []
    deck = summary["deck"] + (" (assumed)" if summary["deck_assumed"] else "")
    line = f"BAO BEI, {summary['edition']} edition, deck {deck}: {played}, seed {summary['seed']}"
    lines += textwrap.wrap(line, WIDTH, subsequent_indent="  ")
    if summary["rules_changed"]:
        lines += paragraph("rules changed:", changes(summary["rules_changed"]), 15)
    return lines


def _tournament_line(summary: Mapping[str, Any]) -> str:
    tables = counted(summary["tables"], "table")
    if not summary["all_tables"]:
        tables += " (a balanced part of all)"
    played = f"{tables} of {summary['seats']} in all rotations"
    return f"{len(summary['ranking'])} players, {played}, {summary['rounds']:,} rounds"


_RANKING: tuple[str, ...] = ("rank", "player", "wins %", "95 % interval", "score", "95 % interval")
_RANKING += ("BAO %", "won %", "plucks", "hit %")


def _ranking_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    rows = summary["ranking"]
    wins, scores = values(rows, "win_share", 100), values(rows, "score_mean")
    return [
        [
            str(row["rank"]),
            shortened(row["player"], 24),
            *wins[k],
            *scores[k],
            _percent(row["bao_called"]),
            _percent(row["bao_won"]),
            fixed(row["plucks"], 2),
            _percent(row["pluck_hits"], 2),
        ]
        for k, row in enumerate(rows)
    ]


_STEPS_TITLE = "Each step down the ranking, in percentage points of win share:"
_STEPS = ("player", "over", "step", "95 % interval", "")


def _step_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    rows = summary["ranking"]
    steps = values(rows[:-1], "step", 100)
    return [
        [
            shortened(above["player"], 30),
            shortened(below["player"], 30),
            *steps[k],
            "clear" if above["step_clear"] else "not clear",
        ]
        for k, (above, below) in enumerate(pairwise(rows))
    ]


def _matrix(summary: Mapping[str, Any]) -> list[str]:
    names = [row["player"] for row in summary["ranking"]]
    if len(names) > _MATRIX_AT_MOST:
        return []
    shares = {(row["player"], row["other"]): row["win_share"] for row in summary["matrix"]}
    rows = [
        [str(a + 1), shortened(me, 16)]
        + [fixed(_times(shares.get((me, other)), 100), 1) for other in names]
        for a, me in enumerate(names)
    ]
    heading = ("", "", *(str(k + 1) for k in range(len(names))))
    title = "Win share in % where the player of the column, by rank, sits at the table too:"
    return [title, *align(rows, heading, left=(1,))]


def tournament_html(summary: Mapping[str, Any]) -> str:
    """Return the ranking of a tournament as HTML, for notebooks."""
    lines = _header(summary, _tournament_line(summary))
    return f"<div><p>{'<br>'.join(map(html.escape, lines))}</p>" + (
        f"{html_table(_RANKING, _ranking_rows(summary))}<p>{html.escape(_STEPS_TITLE)}</p>"
        f"{html_table(_STEPS, _step_rows(summary))}</div>"
    )


# --- cells ----------------------------------------------------------------------------------------


def html_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table of cells of text."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def values(rows: Sequence[Mapping[str, Any]], name: str, scale: float = 1) -> list[tuple[str, str]]:
    """Return each row's value and interval as text, with decimals that suit the widest one."""
    ends = [(row[f"{name}_low"], row[f"{name}_high"]) for row in rows]
    widths = [high - low for low, high in ends if low is not None]
    places = decimals(scale * max(widths) / 2) if widths else 2
    return [
        (
            fixed(_times(row[name], scale), places),
            NONE
            if low is None
            else f"{fixed(scale * low, places)} to {fixed(scale * high, places)}",
        )
        for row, (low, high) in zip(rows, ends, strict=True)
    ]


def shortened(text: str, length: int) -> str:
    """Return a text cut to a length."""
    return text if len(text) <= length else text[: length - 3] + "..."


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value


def _percent(value: float | None, places: int = 1) -> str:
    return fixed(_times(value, 100), places)
