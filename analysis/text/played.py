"""What the texts of tournaments and sweeps have in common: what was played, and how quickly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.blocks import Block, Heading, Letters, Sentence
from analysis.text.numbers import counted, fixed, percent, played_with, with_intervals
from sim.game.base import told_changes

_NOTICEABLE = 0.05  # seconds


def speed(
    units: int,
    unit: str,
    seconds: float | None,
    saving: float = 0.0,
    *,
    places: int = 1,
    before: float = 0.0,
) -> list[Block]:
    """Return how long playing took, if it is known, and what came before and after, if noticeable.

    Args:
        units: How many were played.
        unit: What one is called.
        seconds: Time that playing took.
        saving: Time to draw pictures and write the results.
        places: Decimals of the time that playing took.
        before: Time to compile or load the engine.
    """
    if seconds is None:
        return []
    rate = f", {units / seconds:,.0f} a second" if seconds > 0 else ""
    line = f"{counted(units, unit)} played in {seconds:.{places}f} s{rate}"
    if before >= _NOTICEABLE:
        line += f"; {before:.1f} s before that to compile or load the engine"
    if saving >= _NOTICEABLE:
        line += f"; {saving:.1f} s after that to draw pictures and write the results"
    return [Letters(line)]


def header(summary: Mapping[str, Any], played: str, question: str = "") -> Iterator[Block]:
    """Yield title, question and what was played."""
    editions, decks = (played_with(summary, key) for key in ("edition", "deck"))
    assumed = " (assumed)" if summary["deck_assumed"] and len(decks) == 1 else ""
    yield Heading(summary["title"])
    yield Sentence(question)
    game = f"{' or '.join(editions)} edition, deck {' or '.join(decks)}{assumed}"
    yield Sentence(f"BAO BEI, {game}: {played}, seed {summary['seed']}", hanging=2)
    if summary["rules_changed"]:
        yield Sentence(told_changes(summary["rules_changed"]), "rules changed:", indent=15)


PLAYED = ("wins %", "95 % interval", "score", "95 % interval", "BAO %", "won %", "plucks", "hit %")
"""Headings of what `achieved` gives."""


def achieved(players: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return what each of some players, seats or ranks achieves, as cells of a table."""
    wins, scores = with_intervals(players, "win_share", 100), with_intervals(players, "score_mean")
    return [
        [
            *wins[k],
            *scores[k],
            percent(player.get("bao_rate")),
            percent(player.get("bao_success")),
            fixed(player.get("pluck_rate"), 2),
            percent(player.get("pluck_success"), 2),
        ]
        for k, player in enumerate(players)
    ]
