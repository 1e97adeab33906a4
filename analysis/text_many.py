"""Tournaments and sweeps in words and columns, for terminals and notebooks."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from analysis.display import html_table, panel, text_lines
from analysis.text import NONE, WIDTH, align, changes, counted, decimals, fixed, paragraph

_MATRIX_AT_MOST = 14  # players; more do not fit into a terminal


def tournament_text(
    summary: Mapping[str, Any], *, seconds: float | None = None, saving_seconds: float = 0.0
) -> str:
    """Return what ``baobei tournament`` prints: at most 100 columns, no line break at its end.

    Args:
        summary: Of a tournament.
        seconds: Time that playing took; None leaves it out.
        saving_seconds: Time that writing the results took after that.
    """
    blocks = [
        _header(summary, _tournament_line(summary)),
        fitted(_ranking_rows(summary), _RANKING),
        [_STEPS_TITLE, *align(_step_rows(summary), _STEPS, left=(0, 1, 4))],
        _matrix(summary),
        _seats(summary),
    ]
    if seconds is not None:
        blocks.append([speed(summary["rounds"], "round", seconds, saving_seconds)])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def speed(units: int, unit: str, seconds: float, saving_seconds: float = 0.0) -> str:
    """Return on one line how long playing took, and writing the results, if that was noticeable."""
    rate = f", {units / seconds:,.0f} a second" if seconds > 0 else ""
    line = f"{counted(units, unit)} played in {seconds:.1f} s{rate}"
    if saving_seconds >= _NOTICEABLE:
        line += f"; {saving_seconds:.1f} s after that to draw pictures and write the results"
    return line


_NOTICEABLE = 0.05  # seconds


def _header(summary: Mapping[str, Any], played: str) -> list[str]:
    lines = [summary["title"]] if summary["title"] else []
    lines += textwrap.wrap(_headline(summary, played), WIDTH, subsequent_indent="  ")
    if summary["rules_changed"]:
        lines += paragraph("rules changed:", changes(summary["rules_changed"]), 15)
    return lines


def _headline(summary: Mapping[str, Any], played: str) -> str:
    deck = summary["deck"] + (" (assumed)" if summary["deck_assumed"] else "")
    return f"BAO BEI, {summary['edition']} edition, deck {deck}: {played}, seed {summary['seed']}"


def _lines(summary: Mapping[str, Any], played: str) -> list[str]:
    """Return what was played, for notebooks, where lines are as long as they are."""
    changed = summary["rules_changed"]
    rules = [f"rules changed: {changes(changed)}"] if changed else []
    return [_headline(summary, played), *rules]


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
            row["player"],
            *wins[k],
            *scores[k],
            _percent(row["bao_rate"]),
            _percent(row["bao_success"]),
            fixed(row["pluck_rate"], 2),
            _percent(row["pluck_success"], 2),
        ]
        for k, row in enumerate(rows)
    ]


def fitted(rows: list[list[str]], headings: Sequence[str], left: Sequence[int] = (1,)) -> list[str]:
    """Return a table whose second column holds names, cut so that it fits into a terminal.

    Never to less than the heading: that would cut and win nothing.
    """
    over = max(len(line) for line in align(rows, headings, left=left)) - WIDTH
    room = max(max(len(row[1]) for row in rows) - max(over, 0), len(headings[1]), 4)
    cut = [[row[0], shortened(row[1], room), *row[2:]] for row in rows]
    return align(cut, headings, left=left)


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
        [str(a + 1), me, *(fixed(_times(shares.get((me, b)), 100), 1) for b in names)]
        for a, me in enumerate(names)
    ]
    heading = ("", "", *(str(k + 1) for k in range(len(names))))
    title = "Win share in % where the player of the column, by rank, sits at the table too:"
    return [title, *fitted(rows, heading)]


def _seats(summary: Mapping[str, Any]) -> list[str]:
    rows = summary["by_seat"]
    shares = values(rows, "win_share", 100)
    pairs = zip(rows, shares, strict=True)
    told = [f"{row['seat']}: {share} ({span})" for row, (share, span) in pairs]
    return paragraph("seats", f"wins % of each, whoever sits there: {', '.join(told)}", 7)


def tournament_html(summary: Mapping[str, Any]) -> str:
    """Return the ranking of a tournament as HTML, for notebooks."""
    return panel(
        summary["title"],
        [summary["question"], *_lines(summary, _tournament_line(summary))],
        html_table(_RANKING, _ranking_rows(summary), left=(1,)),
        text_lines([_STEPS_TITLE]),
        html_table(_STEPS, _step_rows(summary), left=(0, 1, 4)),
    )


# --- sweeps ---------------------------------------------------------------------------------------


def sweep_text(
    summary: Mapping[str, Any], *, seconds: float | None = None, saving_seconds: float = 0.0
) -> str:
    """Return what ``baobei sweep`` prints, no line break at its end.

    Args:
        summary: Of a sweep.
        seconds: Time that playing took; None leaves it out.
        saving_seconds: Time that writing the results took after that.
    """
    blocks = [
        _header(summary, _sweep_line(summary)),
        _points(summary),
        best_lines(summary),
    ]
    if seconds is not None:
        units = summary["count"] * len(summary["points"])
        blocks.append([speed(units, summary["unit"][:-1], seconds, saving_seconds)])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _points(summary: Mapping[str, Any]) -> list[str]:
    """Return the table of points; columns that do not fit into a terminal are left out."""
    headings, rows = _point_headings(summary), _point_rows(summary)
    lines = align(rows, headings, left=())
    for name in _LEFT_OUT:
        if max(map(len, lines)) <= WIDTH:
            break
        keep = [k for k, heading in enumerate(headings) if not heading.endswith(name)]
        headings, rows = [headings[k] for k in keep], [[row[k] for k in keep] for row in rows]
        lines = align(rows, headings, left=())
    return lines


_LEFT_OUT = ("by BAO %", "plucks", "turns", "hit %", "won %", "BAO %", "95 % interval", "score")


def _sweep_line(summary: Mapping[str, Any]) -> str:
    points = counted(len(summary["points"]), "point")
    played = counted(summary["count"], summary["unit"][:-1])
    return f"{points} over {', '.join(summary['axes'])}, {played} each"


def _shown_seats(summary: Mapping[str, Any]) -> list[int]:
    """Return the seats of which everything is shown: those in focus, if they are few."""
    return list(summary["focus"]) if len(summary["focus"]) <= _SEATS_AT_MOST else []


_SEATS_AT_MOST = 2
_SEAT_COLUMNS = ("wins %", "95 % interval", "score", "BAO %", "won %", "plucks", "hit %")


def _point_headings(summary: Mapping[str, Any]) -> list[str]:
    seats = _shown_seats(summary)
    most = max(len(point["players"]) for point in summary["points"])
    columns = [
        name if len(seats) == 1 else f"{seat}: {name}" for seat in seats for name in _SEAT_COLUMNS
    ]
    return [
        *summary["axes"],
        *(columns or [f"{seat}: wins %" for seat in range(most)]),
        "turns",
        "by BAO %",
    ]


def _point_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    points, seats = summary["points"], _shown_seats(summary)
    columns = [[_cell(value) for value in point["values"].values()] for point in points]
    most = max(len(point["players"]) for point in points)
    for seat in seats:
        for row, cells in zip(columns, _seat_cells(points, seat), strict=True):
            row += cells
    if not seats:
        for seat in range(most):
            for row, cells in zip(columns, _seat_cells(points, seat), strict=True):
                row.append(cells[0])
    for row, point in zip(columns, points, strict=True):
        row += [fixed(point["turns_mean"], 2), _percent(point["end_bao"])]
    return columns


def _seat_cells(points: Sequence[Mapping[str, Any]], seat: int) -> list[list[str]]:
    """Return the cells of a seat at every point."""
    players = [point["players"][seat] if seat < len(point["players"]) else {} for point in points]
    ends = [player.get("win_share_ci95") or (None, None) for player in players]
    shares = [
        {"w": player.get("win_share"), "w_low": low, "w_high": high}
        for player, (low, high) in zip(players, ends, strict=True)
    ]
    return [
        [
            *wins,
            fixed(player.get("score_mean"), 2),
            _percent(player.get("bao_rate")),
            _percent(player.get("bao_success")),
            fixed(player.get("pluck_rate"), 2),
            _percent(player.get("pluck_success"), 2),
        ]
        for wins, player in zip(values(shares, "w", 100), players, strict=True)
    ]


def best_lines(summary: Mapping[str, Any]) -> list[str]:
    """Return what there is to say of the best point of a sweep, as lines."""
    best = summary["best"]
    if best is None:
        return []
    points = summary["points"]
    seats = " and ".join(str(seat) for seat in best["seats"])
    [(share, interval)] = values(
        [{"w": best["value"], "w_low": best["low"], "w_high": best["high"]}], "w", 100
    )
    of = f"seat{'s' if len(best['seats']) > 1 else ''} {seats}"
    at = told_point(points[best["point"]])
    text = f"{at}: win share of {of} {share} % ({interval})"
    lines = paragraph("best", text)
    if best["as_good"]:
        others = [told_point(points[k]) for k in best["as_good"]]
        more = f", and {len(others) - 8} more" if len(others) > 8 else ""
        lines += paragraph("", f"perhaps as good: {'; '.join(others[:8])}{more}")
    if len(points) > 1:
        lines += paragraph("", "(the best of several looks a little better than it is)")
    return lines


def told_point(point: Mapping[str, Any]) -> str:
    """Return the values of the axes at a point: ``0.bao_threshold=4``."""
    return ", ".join(f"{key}={_cell(value)}" for key, value in point["values"].items())


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def sweep_html(summary: Mapping[str, Any]) -> str:
    """Return the points of a sweep as HTML, for notebooks."""
    return panel(
        summary["title"],
        [
            summary["question"],
            *_lines(summary, _sweep_line(summary)),
            *(" ".join(line.split()) for line in best_lines(summary)),
        ],
        html_table(_point_headings(summary), _point_rows(summary)),
    )


# --- cells ----------------------------------------------------------------------------------------


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
    """Return a share in per cent; only none is shown as 0, only all as 100."""
    if value is None or value in (0, 1):
        return NONE if value is None else fixed(100 * value, 0)
    shown, least = fixed(100 * value, places), 10.0**-places
    if float(shown) == 0:
        return f"<{least:.{places}f}"
    return f">{100 - least:.{places}f}" if float(shown) == 100 else shown
