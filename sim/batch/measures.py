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
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.core.layout import (
    BAO_BEATEN,
    BAO_CALLED,
    BAO_TIED,
    BAO_VOID,
    BAO_WON,
    DOUBLE_HIT,
    DRAW_CHANCE,
    END_CAP,
    GAME_REASONS,
    GAME_THRESHOLD,
    LEFT,
    MAX_PLAYERS,
    MISSED,
    OPENED,
    OWN_HIT,
    POWER_USED,
    RACES,
    REASONS,
    RIVAL_HIT,
    SHIELD_PLUCKS,
    SHIELD_RAISED,
    TALLY,
    WIN_UNITS,
    WINDOW_CHANCE,
    WITH_CHANCE,
)
from sim.game.deck import POWERS

if TYPE_CHECKING:
    from sim.batch.sums import Sums

Entry = tuple[Any, ...]
"""An entry of the engine's sums: a field's name and the places in it; or one of `EXTRA`."""

EXTRA: tuple[Entry, ...] = (("turns",), ("turns_sq",), ("recyclings",))
"""What `sim.engine.play.play_rows` adds: turns of all rounds, their squares, recyclings."""

Terms = Mapping[Entry, int]
"""A whole number of each unit: entries, each with a factor."""

_ROUNDS: Terms = {("rounds",): 1}
_TURNS: Terms = {("turns",): 1}
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
    table = list(_of_table(seats, games))
    first = 2  # win share and score come before anything else
    return [
        *(of_seat[k] for k in range(first) for of_seat in by_seat),
        *table,
        *(of_seat[k] for k in range(first, len(by_seat[0])) for of_seat in by_seat),
    ]


def _of_table(seats: range, games: bool) -> Iterator[Measure]:
    def mean(name: str, unit: str, total: Terms, size: Terms = _ROUNDS) -> Measure:
        return Measure(name, None, unit, (total, size))

    for k, reason in enumerate(REASONS):
        yield mean(f"ends.{reason}", "share", {("ends", k): 1})
    yield mean("turns.mean", "turns", _TURNS)
    yield Measure("turns.sd", None, "turns", ({("turns_sq",): 1}, _TURNS, _ROUNDS))
    yield mean("recyclings.mean", "recyclings", {("recyclings",): 1})
    for name, k in _BAO.items():
        yield mean(f"bao.{name}", "share", {("bao", k): 1})
    called: Terms = {("bao", BAO_CALLED): 1}
    yield mean("calls.won_share", "share", {("bao", BAO_WON): 1}, called)
    for name, unit in _CALLS.items():
        yield mean(
            f"calls.{name}.mean", unit, {(f"call_{name}", seat): 1 for seat in seats}, called
        )
    yield mean("calls.lowest.share", "share", {("call_lowest", BAO_CALLED): 1}, called)
    first: Terms = {("place_share", seat, 0): 1 for seat in seats}
    decided: Terms = {("place_decided", seat, 0): WIN_UNITS for seat in seats}
    yield mean("positions.0.win_share", "share", first, decided)
    yield mean("leads.alone_share", "share", {("led", seat): 1 for seat in seats}, _TURNS)
    yield mean("windows.opened", "windows", {("windows", OPENED): 1})
    chances: Terms = {("windows", WITH_CHANCE): 1}
    yield mean("windows.left_share", "share", {("windows", LEFT): 1}, chances)
    raised: Terms = {("detail", seat, SHIELD_RAISED): 1 for seat in seats}
    yield mean("shields.raised_share", "share", raised, called)
    stopped: Terms = {("detail", seat, SHIELD_PLUCKS): 1 for seat in seats}
    yield mean("shields.plucks_stopped", "plucks", stopped)
    if games:
        yield from _of_games()


_CALLS = {"turn": "turns", "total": "points", "unknown": "cards"}
"""What is known of a call of BAO, and its unit."""


def _of_games() -> Iterator[Measure]:
    def mean(name: str, unit: str, total: Terms, size: Terms) -> Measure:
        return Measure(name, None, unit, (total, size))

    all_games: Terms = {("games",): 1}
    won: Terms = {("game_ends", GAME_THRESHOLD): 1}
    for k, reason in enumerate(GAME_REASONS):
        yield mean(f"game.ends.{reason}", "share", {("game_ends", k): 1}, all_games)
    yield mean("game.rounds.mean", "rounds", _ROUNDS, all_games)
    yield mean("game.turns.mean", "turns", {("game_turns",): 1}, all_games)
    decided: Terms = {("decided",): 1}
    yield mean("game.decided_by_deciding_rounds", "share", decided, all_games)
    yield mean("game.deciding_rounds", "rounds", {("deciding_rounds",): 1}, all_games)
    yield mean("comebacks.after_last_share", "share", {("come_from_last",): 1}, won)
    half: Terms = {("half_games",): 1}
    yield mean("comebacks.half.leader_won_share", "share", {("half_lead_won",): 1}, half)


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
    for name, unit in _CALLS.items():
        yield mean(f"calls.{name}_mean", unit, {(f"call_{name}", seat): 1}, called)
    first: Terms = {("place_decided", seat, 0): WIN_UNITS}
    yield mean("first.win_share", "share", {("place_share", seat, 0): 1}, first)
    yield mean("automatic_ends", "share", {("final_by", seat): 1})
    yield mean("leads.share", "share", {("led", seat): 1}, _TURNS)
    yield mean("pluck_chances.missed_share", "share", *_missed_chances(seat))
    entered: Terms = {("detail", seat, RACES): 1}
    lost: Terms = {("detail", seat, RACES): 1, ("detail", seat, RACES + 1): -1}
    yield mean("races.lost_share", "share", lost, entered)
    yield mean("shields.raised", "share", {("detail", seat, SHIELD_RAISED): 1})
    yield mean("cards_gone.rounds_share", "share", {("gone_rounds", seat): 1})


def _missed_chances(seat: int) -> tuple[Terms, Terms]:
    """Return the chances of plucks that a seat let go by, and all that it had."""
    sources = [
        (DRAW_CHANCE, 2),
        (WINDOW_CHANCE, 3),
    ]  # own and rivals': chances, then what used them
    begins = [(begin + whose * size, size) for begin, size in sources for whose in range(2)]
    chances: Terms = {("detail", seat, begin): 1 for begin, _ in begins}
    used: Terms = {
        ("detail", seat, begin + k): -1 for begin, size in begins for k in range(1, size)
    }
    return {**chances, **used}, chances


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


def tells_what_happened(entry: Entry) -> bool:
    """Whether an entry is of what differs between rounds that went differently; see `_OUTCOMES`."""
    return entry in EXTRA or entry[0] in _OUTCOMES


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


def read(sums: Sums, entry: Entry) -> int:
    """Return an entry of sums that were added up, or one of `EXTRA`."""
    name, *index = entry
    if entry in EXTRA:
        power = 2 if name.endswith("_sq") else 1
        pairs = sums.pairs(name.removesuffix("_sq"))
        return sum(value**power * times for value, times in pairs)
    value = sums[name]
    for k in index:
        value = value[k]
    return int(value)


def by_player(tally: Any, players: int, by: int) -> None:
    """Mutates a `TALLY` record: put what is by seat into the order of players; see `turned`."""
    for name in TALLY.names or ():
        if of_seats(name):
            tally[name][:players] = np.roll(tally[name][:players], by, axis=0)
