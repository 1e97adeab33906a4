"""A company of players in words and columns, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.blocks import Block, Column, Sentence, Table
from analysis.text.numbers import fixed, percent, with_intervals
from analysis.text.terminal import draw

_SURE, _LIKELY = 0.05, 0.5


def text_of(summary: Mapping[str, Any]) -> str:
    """Return what ``baobei rank`` prints: at most 100 columns, no line break at its end."""
    return draw(company_blocks(summary))


def company_blocks(summary: Mapping[str, Any]) -> list[Block]:
    """Return the verdict, and what it stands on."""
    return [Sentence(verdict(summary)), _table(summary), Sentence(_READ)]


def verdict(summary: Mapping[str, Any]) -> str:
    """Return who is the strongest in this company, and whether anybody goes round in a ring."""
    rows = summary["players"]
    best = max(rows, key=lambda row: float(row["nash"]))
    mixed = [row for row in rows if row["nash_low"] > 0.01]
    if best["nash_low"] > 0.99:
        told = f"Nobody in this company is a match for {best['player']}: it is ahead of all others."
    elif best["nash"] > 0.99:
        told = f"{best['player']} seems to be ahead of all others, which is not sure."
    elif len(mixed) > 1:
        names = ", ".join(
            f"{row['player']} ({percent(row['nash'], 0)} %)"
            for row in sorted(mixed, key=lambda row: -float(row["nash"]))
        )
        told = f"Nobody is ahead of all others: these hold each other in check: {names}."
    else:
        told = "Who is ahead of all others is not clear."
    return f"{told} {_ring(summary)}"


def _ring(summary: Mapping[str, Any]) -> str:
    chance, ring = summary["chance_of_cycle"], summary["cycle"]
    if chance <= _SURE or not ring:
        return f"Nobody goes round in a ring (chance {percent(chance, 0)} %)."
    a, b, c = ring
    told = f"{a} is ahead of {b}, {b} of {c}, {c} of {a}"
    often = summary["chance_of_that_cycle"]
    if often >= 1 - _SURE:
        return f"There is a ring: {told}."
    likely = "There may be a ring" if chance < _LIKELY else "A ring is likely"
    return f"{likely} (chance {percent(chance, 0)} %), such as: {told} ({percent(often, 0)} %)."


_READ = (
    "rating: Elo's points, as if each had one strength; 400 points more win ten times as often. "
    "α-rank: the share of time a population plays like that, if what does better spreads. Nash: "
    "the share in the mixture that nobody beats; a copy of a player changes nothing for others. "
    "Ahead means: wins more where both sit. All of it holds for this company."
)


def _table(summary: Mapping[str, Any]) -> Table:
    rows = summary["players"]
    rated = with_intervals(rows, "rating")
    cells = [
        [
            row["player"],
            *rated[k],
            percent(row["alpha"]),
            f"{fixed(100 * row['alpha_low'], 0)} to {fixed(100 * row['alpha_high'], 0)}",
            percent(row["nash"]),
            f"{fixed(100 * row['nash_low'], 0)} to {fixed(100 * row['nash_high'], 0)}",
        ]
        for k, row in enumerate(rows)
    ]
    heads = ("player", "rating", "95 %", "α-rank %", "95 %", "Nash %", "95 %")
    return Table("", [Column(name, k != 0, cut=k == 0) for k, name in enumerate(heads)], cells)
