"""What two studies are compared by: numbers of a run as ratios of sums over its rounds or games.

Every number of the summary of ``run`` (contracts, section 2) that has a mean over rounds is here by
its name there; a count is here as its mean: ``ends.bao`` is the share of rounds that BAO ended.
A measure says of which entries of the engine's sums it is made, so that whatever the engine counts
can be compared by adding a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from sim.deck import POWERS
from sim.engine.state import (
    BAO_BEATEN,
    BAO_CALLED,
    BAO_TIED,
    BAO_VOID,
    BAO_WON,
    DOUBLE_HIT,
    END_CAP,
    GAME_REASONS,
    GAME_THRESHOLD,
    MAX_PLAYERS,
    MISSED,
    OWN_HIT,
    POWER_USED,
    REASONS,
    RIVAL_HIT,
    TALLY,
    WIN_UNITS,
)

Entry = tuple[Any, ...]
"""An entry of the engine's sums: a field's name and the places in it; or one of `EXTRA`."""

EXTRA: tuple[Entry, ...] = (("turns",), ("turns_sq",), ("recyclings",))
"""What `sim.engine.play.play_rows` adds: turns of all rounds, their squares, recyclings."""

Terms = Mapping[Entry, int]
"""A whole number of each unit: entries, each with a factor."""

_ROUNDS: Terms = {("rounds",): 1}
_BAO = {"called": BAO_CALLED, "won": BAO_WON, "tied": BAO_TIED, "beaten": BAO_BEATEN}
_BAO |= {"void": BAO_VOID}
_HITS = {"own_hit": OWN_HIT, "rival_hit": RIVAL_HIT, "double_hit": DOUBLE_HIT}


@dataclass(frozen=True)
class Measure:
    """One number by which two studies are compared.

    Attributes:
        name: As in a summary.
        seat: Whose, from 0; None where it is the table's.
        unit: ``share`` (0 to 1), ``points``, ``turns`` and so on; means are per round, or per game
            where the name begins with ``game``.
        parts: What it is made of: a total and a size whose ratio it is; or squares, a total and a
            size whose standard deviation it is.
    """

    name: str
    seat: int | None
    unit: str
    parts: tuple[Terms, ...]


def measures(players: int, games: bool) -> list[Measure]:
    """Return what is compared at a table, the most important first.

    Args:
        players: How many there are.
        games: Whether games are played.
    """
    seats = range(players)
    by_seat = [list(_of_seat(seat, games)) for seat in seats]
    table = list(_of_table(games))
    first = 2  # win share and score come before anything else
    return [
        *(of_seat[k] for k in range(first) for of_seat in by_seat),
        *table,
        *(of_seat[k] for k in range(first, len(by_seat[0])) for of_seat in by_seat),
    ]


def _of_table(games: bool) -> Iterator[Measure]:
    def mean(name: str, unit: str, total: Terms, size: Terms = _ROUNDS) -> Measure:
        return Measure(name, None, unit, (total, size))

    for k, reason in enumerate(REASONS):
        yield mean(f"ends.{reason}", "share", {("ends", k): 1})
    yield mean("turns.mean", "turns", {("turns",): 1})
    yield Measure("turns.sd", None, "turns", ({("turns_sq",): 1}, {("turns",): 1}, _ROUNDS))
    yield mean("recyclings.mean", "recyclings", {("recyclings",): 1})
    for name, k in _BAO.items():
        yield mean(f"bao.{name}", "share", {("bao", k): 1})
    yield mean("calls.won_share", "share", {("bao", BAO_WON): 1}, {("bao", BAO_CALLED): 1})
    if not games:
        return
    all_games: Terms = {("games",): 1}
    for k, reason in enumerate(GAME_REASONS):
        yield mean(f"game.ends.{reason}", "share", {("game_ends", k): 1}, all_games)
    yield mean("game.rounds.mean", "rounds", _ROUNDS, all_games)
    decided: Terms = {("decided",): 1}
    yield mean("game.decided_by_deciding_rounds", "share", decided, all_games)
    yield mean("game.deciding_rounds", "rounds", {("deciding_rounds",): 1}, all_games)


def _of_seat(seat: int, games: bool) -> Iterator[Measure]:
    def mean(name: str, unit: str, total: Terms, size: Terms = _ROUNDS) -> Measure:
        return Measure(name, seat, unit, (total, size))

    units: Terms = {("games",): 1} if games else _ROUNDS
    decided: Terms = {("rounds",): WIN_UNITS, ("ends", END_CAP): -WIN_UNITS}
    if games:
        decided = {("game_ends", GAME_THRESHOLD): WIN_UNITS}
    score: Terms = {("score", seat): 1}
    called: Terms = {("bao_called", seat): 1}
    won: Terms = {("bao_won", seat): 1}
    hits: dict[Entry, int] = {("count", seat, k): 1 for k in _HITS.values()}
    plucks: Terms = {**hits, ("count", seat, MISSED): 1}
    yield mean("win_share", "share", {("share", seat): 1}, decided)
    yield mean("score_mean", "points", score)
    yield mean("wins", "share", {("wins", seat): 1}, units)
    yield mean("shared_wins", "share", {("shared", seat): 1}, units)
    yield Measure("score_sd", seat, "points", ({("score_sq", seat): 1}, score, _ROUNDS))
    yield mean("total_mean", "points", {("total", seat): 1})
    yield mean("cards_left_mean", "cards", {("cards_left", seat): 1})
    yield mean("bao_called", "share", called)
    yield mean("bao_won", "share", won)
    yield mean("calls.won_share", "share", won, called)
    for name, k in (_HITS | {"missed": MISSED}).items():
        yield mean(f"plucks.{name}", "plucks", {("count", seat, k): 1})
    yield mean("hit_rate", "share", hits, plucks)
    for k, power in enumerate(POWERS):
        yield mean(f"powers.{power}", "powers", {("count", seat, POWER_USED + k): 1})


# --- entries --------------------------------------------------------------------------------------

_OUTCOMES: tuple[str, ...] = ("rounds", "ends", "bao", "wins", "shared", "score", "total")
_OUTCOMES += ("cards_left", "count", "games", "game_ends", "decided", "deciding_rounds")
"""Fields that say what happened: two rounds (games) differ where any of these does."""


def entries(players: int, wanted: Iterable[Measure]) -> list[Entry]:
    """Return which entries are kept of each unit: those that tell what happened first.

    Args:
        players: How many there are.
        wanted: What else they are kept for.
    """
    found = [
        (name, *map(int, index))
        for name in _OUTCOMES
        for index in np.ndindex(*TALLY[name].shape)
        if not (of_seats(name) and index[0] >= players)
    ]
    needed = (entry for measure in wanted for part in measure.parts for entry in part)
    return [entry for entry in dict.fromkeys([*found, *needed]) if entry not in EXTRA]


def of_seats(name: str) -> bool:
    """Whether a field of the engine's sums has a number for each seat, or several."""
    return bool(TALLY[name].shape[:1] == (MAX_PLAYERS,))


def turned(entry: Entry, players: int, by: int) -> Entry:
    """Return the entry of the seat at which a player sits after `by` moves to the next seat.

    Args:
        entry: Of a player, by its number, or of the table.
        players: How many there are.
        by: Player k sits at seat k - by.
    """
    name, *index = entry
    if of_seats(name):
        index[0] = (index[0] - by) % players
    return (name, *index)


def place(entry: Entry) -> int:
    """Return where an entry stands in a `TALLY` record taken as a row of int64."""
    name, *index = entry
    start: int = (TALLY.fields or {})[name][1] // 8
    return start + sum(int(k) * prod(TALLY[name].shape[a + 1 :]) for a, k in enumerate(index))


def by_player(tally: Any, players: int, by: int) -> None:
    """Mutates a `TALLY` record: put what is by seat into the order of players; see `turned`."""
    for name in TALLY.names or ():
        if of_seats(name):
            tally[name][:players] = np.roll(tally[name][:players], by, axis=0)
