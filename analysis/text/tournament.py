"""A tournament in words and columns, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from analysis.blocks import Block, Column, Sentence, Table, columns
from analysis.text.numbers import counted, fixed, scaled, with_intervals
from analysis.text.played import PLAYED, achieved, header
from analysis.text.terminal import shortened

_MATRIX_AT_MOST = 14  # players; more do not fit into a terminal


def tournament_told(summary: Mapping[str, Any]) -> list[Iterable[Block]]:
    """Return what ``baobei tournament`` prints, in groups."""
    steps = [Sentence(_STEPS), _steps(summary)]
    head = header(summary, _played(summary))
    return [head, [_ranking(summary)], steps, _matrix(summary), [_seats(summary)]]


def tournament_blocks(summary: Mapping[str, Any]) -> list[Block]:
    """Return what notebooks show of a tournament."""
    head = header(summary, _played(summary), summary["question"])
    return [*head, _ranking(summary), Sentence(_STEPS), _steps(summary)]


def _played(summary: Mapping[str, Any]) -> str:
    tables = counted(summary["tables"], "table")
    if not summary["all_tables"]:
        tables += " (a balanced part of all)"
    played = f"{tables} of {summary['seats']} in all rotations"
    return f"{len(summary['ranking'])} players, {played}, {summary['rounds']:,} rounds"


def _ranking(summary: Mapping[str, Any]) -> Table:
    ranking = summary["ranking"]
    rows = [
        [str(row["rank"]), row["player"], *cells]
        for row, cells in zip(ranking, achieved(ranking), strict=True)
    ]
    heads = enumerate(("rank", "player", *PLAYED))
    return Table("", [Column(name, k != 1, cut=k == 1) for k, name in heads], rows)


_STEPS = "Each step down the ranking, in percentage points of win share:"


def _steps(summary: Mapping[str, Any]) -> Table:
    ranking = summary["ranking"]
    steps = with_intervals(ranking[:-1], "step", 100)
    rows = [
        [
            shortened(above["player"], 30),
            shortened(below["player"], 30),
            *steps[k],
            "clear" if above["step_clear"] else "not clear",
        ]
        for k, (above, below) in enumerate(pairwise(ranking))
    ]
    heads = columns(("player", "over", "step", "95 % interval", ""), left=(0, 1, 4))
    return Table("", heads, rows)


def _matrix(summary: Mapping[str, Any]) -> Iterator[Table]:
    names = [row["player"] for row in summary["ranking"]]
    if len(names) > _MATRIX_AT_MOST:
        return
    shares = {(row["player"], row["other"]): row["win_share"] for row in summary["matrix"]}
    rows = [
        [str(a + 1), me, *(fixed(scaled(shares.get((me, b)), 100), 1) for b in names)]
        for a, me in enumerate(names)
    ]
    heads = [Column(""), Column("", numeric=False, cut=True)]
    heads += columns([str(k + 1) for k in range(len(names))])
    title = "Win share in % where the player of the column, by rank, sits at the table too:"
    yield Table(title, heads, rows)


def _seats(summary: Mapping[str, Any]) -> Sentence:
    seats = summary["by_seat"]
    pairs = zip(seats, with_intervals(seats, "win_share", 100), strict=True)
    told = ", ".join(f"{row['seat']}: {share} ({span})" for row, (share, span) in pairs)
    return Sentence(f"wins % of each, whoever sits there: {told}", "seats", indent=7)
