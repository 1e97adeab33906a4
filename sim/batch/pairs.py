"""Two studies played on the same deals: blocks of rounds or games, and exact sums over pairs.

A block is one deal, played by both studies: once each, or where seats are rotated once in every
rotation of the players. Blocks are independent of each other, what is in a block is not; so the
block is the unit. Of each block some whole numbers are made (`sim.metrics.measures`), and of these
the sums, and the sums of products over both studies, are added up. They need no more room for many
blocks than for few, and merge exactly, in any order.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sim.batch.job import Job, check_fault
from sim.batch.schedule import Part
from sim.batch.sums import Sums
from sim.core.codes import RECORD_COLUMNS
from sim.core.layout import GAME_COLUMNS, MAX_PLAYERS, TALLY, new_state
from sim.game.documents import Shape, Whole, check
from sim.game.study import Study
from sim.metrics import EXTRA, Entry, Measure, Terms, measures

SECTIONS = 200
"""Groups of blocks, every 200th block in one, over which the spread of a median is measured."""

_ROTATIONS = 8  # at least as many as a block has

ROWS = 2**13
"""The most rounds (games) of each side in a chunk, all rotations together: each has a row."""


@dataclass(frozen=True)
class PairJob:
    """What a worker needs to know to play any range of blocks; can be pickled.

    Attributes:
        a: The jobs of the first study, one for each rotation of its players.
        b: Those of the second.
    """

    a: tuple[Job, ...]
    b: tuple[Job, ...]
    records: bool = False

    @classmethod
    def of(cls, a: Study, b: Study, rotated: bool) -> PairJob:
        """Return the job of two studies; the seed of both is that of the first."""
        return cls(_jobs(a, a.seed, rotated), _jobs(b, a.seed, rotated))

    def play(self, begin: int, end: int) -> Part:
        """Play blocks `begin` to `end` - 1; see `play_pairs`."""
        return play_pairs(self, begin, end)

    @cached_property
    def players(self) -> int:
        """How many there are."""
        return int(self.a[0].table.players)

    @cached_property
    def games(self) -> bool:
        """Whether games are played."""
        return bool(self.a[0].table.games)

    def most_units(self) -> int:
        """Return how many blocks can be played before any sum of a chunk could leave int64."""
        return max(1, min(ROWS, self._units // _ROTATIONS) // len(self.a))

    @cached_property
    def fits(self) -> bool:
        """Whether the sums over all rotations of a chunk's blocks fit into int64 together."""
        return self._units >= _ROTATIONS

    @cached_property
    def _units(self) -> int:
        return min(job.most_units() for job in (*self.a, *self.b))

    @cached_property
    def entries(self) -> list[Entry]:
        """What is kept of each unit; `EXTRA` comes after it."""
        return entries(self.players, self.measures)

    @cached_property
    def outcomes(self) -> list[int]:
        """Which columns of the rows say what happened: rounds differ where any of them does."""
        rows = [*self.entries, *EXTRA]
        return [k for k, entry in enumerate(rows) if tells_what_happened(entry)]

    def columns(self, by: int) -> Any:
        """Return the order of the rows' columns that puts what is by seat into that of players.

        Args:
            by: Player k sits at seat k - by.
        """
        at = {entry: k for k, entry in enumerate(self.entries)}
        moved = [at[turned(entry, self.players, by)] for entry in self.entries]
        return np.array([*moved, *range(len(at), len(at) + len(EXTRA))], np.int64)

    @cached_property
    def places(self) -> Any:
        """Where `entries` stand in a `TALLY` record taken as a row of int64."""
        return np.array([place(entry) for entry in self.entries], np.int64)

    @cached_property
    def rotations(self) -> list[tuple[Any, Any]]:
        """For each rotation the orders that put rows, and `TALLY` rows, into that of players."""
        size = TALLY.itemsize // 8
        orders = []
        for by in range(len(self.a)):
            row = np.arange(size)
            by_player(row.view(TALLY)[0], self.players, by)
            orders.append((self.columns(by), row))
        return orders

    @cached_property
    def measures(self) -> list[Measure]:
        """By what the studies are compared."""
        return measures(self.players, self.games)

    @cached_property
    def values(self) -> list[Terms]:
        """The whole numbers of each block that measures are made of, each once."""
        terms = (part for measure in self.measures for part in measure.parts)
        return list({tuple(part.items()): part for part in terms}.values())

    @cached_property
    def parts(self) -> list[list[int]]:
        """For each measure, which of `values` it is made of."""
        index = {tuple(terms.items()): k for k, terms in enumerate(self.values)}
        return [[index[tuple(part.items())] for part in measure.parts] for measure in self.measures]

    @property
    def middle(self) -> Entry:
        """Of which number of a round, or of a game, the median is looked for."""
        return ("rounds",) if self.games else ("turns",)


def _jobs(study: Study, seed: int, rotated: bool) -> tuple[Job, ...]:
    turns = range(len(study.players) if rotated else 1)
    seated = (study.players[k:] + study.players[:k] for k in turns)
    return tuple(Job.of(study.with_changes(players=each, seed=seed)) for each in seated)


@dataclass
class PairSums:
    """What is known of blocks; adds up exactly, in any order.

    Attributes:
        sums: Of both studies, as of runs, all rotations together and by player.
        blocks: How many.
        differing: Rounds (games) that went differently: in scores, cards, plucks, powers, length,
            or how they ended.
        totals: Sides × values: sums over blocks.
        products: For each measure the sums of products of its parts, those of both sides together.
        apart: For each measure the number of blocks in which any of its parts differs.
        sections: For both sides, `SECTIONS` × numbers: how often each number of turns (for games:
            of rounds) occurred.
    """

    sums: tuple[Sums, Sums]
    blocks: int = 0
    differing: int = 0
    totals: Any = 0
    products: list[Any] = field(default_factory=list)
    apart: Any = 0
    sections: list[Any] = field(default_factory=list)

    @classmethod
    def empty(cls) -> PairSums:
        """Return the sums over nothing."""
        return cls((Sums.empty(), Sums.empty()))

    def add(self, other: PairSums) -> None:
        """Mutates: add the sums over other blocks."""
        for mine, theirs in zip(self.sums, other.sums, strict=True):
            mine.add(theirs)
        self.blocks += other.blocks
        self.differing += other.differing
        self.totals = self.totals + other.totals.astype(object)
        new = [each.astype(object) for each in other.products]
        old = self.products or [0] * len(new)
        self.products = [mine + more for mine, more in zip(old, new, strict=True)]
        self.apart = self.apart + other.apart
        held = self.sections or [np.zeros((SECTIONS, 1), np.int64)] * 2
        pairs = zip(held, other.sections, strict=True)
        self.sections = [sum(_padded(*pair)) for pair in pairs]

    def to_dict(self) -> dict[str, Any]:
        """Return all of them JSON-ready."""
        return {
            "sums": [each.to_dict() for each in self.sums],
            "blocks": self.blocks,
            "differing": self.differing,
            "totals": self.totals.tolist(),
            "products": [each.tolist() for each in self.products],
            "apart": self.apart.tolist(),
            "sections": [each.tolist() for each in self.sections],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PairSums:
        """Return the sums that `to_dict` wrote down.

        Raises:
            InputError: It did not write this; see `fits`.
        """
        check(_Pairs, data)
        a, b = (Sums.from_dict(each) for each in data["sums"])
        return cls(
            (a, b),
            data["blocks"],
            data["differing"],
            np.array(data["totals"], object),
            [np.array(each, object) for each in data["products"]],
            np.array(data["apart"], np.int64),
            [np.array(each, np.int64) for each in data["sections"]],
        )

    def fits(self, job: PairJob) -> bool:
        """Whether they have the form of sums over blocks of a job."""
        sizes = [2 * len(parts) for parts in job.parts]
        return (
            self.totals.shape == (2, len(job.values))
            and [each.shape for each in self.products] == [(size, size) for size in sizes]
            and self.apart.shape == (len(sizes),)
            and all(each.ndim == 2 and len(each) == SECTIONS for each in self.sections)
        )

    def measured(self, job: PairJob) -> Iterator[tuple[Measure, list[int], list[list[int]], int]]:
        """Yield each measure with the sums over blocks of what both sides' numbers are made of.

        Args:
            job: What was played.

        Returns:
            The measure; the sums of its parts of the first study, then of the second; the sums of
            products of every two of them; and the number of blocks in which any of them differs.
        """
        for k, measure in enumerate(job.measures):
            sums = [int(total) for side in self.totals for total in side[job.parts[k]]]
            yield measure, sums, self.products[k].tolist(), int(self.apart[k])


Times = Annotated[int, Field(ge=0, lt=2**63)]


class _Pairs(Shape):
    sums: Annotated[list[dict[str, Any]], Field(min_length=2, max_length=2)]
    blocks: Times
    differing: Times
    totals: list[list[Whole]]
    products: list[list[list[Whole]]]
    apart: list[Times]
    sections: Annotated[list[list[list[Times]]], Field(min_length=2, max_length=2)]


def play_pairs(job: PairJob, begin: int, end: int) -> Part:
    """Play blocks `begin` to `end` - 1: a pure function of its arguments.

    Raises:
        EngineError: A policy answered against the rules, which is a bug.
        InputError: The job is for another version of the engine.
    """
    start = time.perf_counter()
    sides = [_play_side(job, jobs, begin, end) for jobs in (job.a, job.b)]
    (sums_a, units_a), (sums_b, units_b) = sides
    differing = sum(
        int((a[:, job.outcomes] != b[:, job.outcomes]).any(axis=1).sum())
        for a, b in zip(units_a, units_b, strict=True)
    )
    values = [_values(job, units) for units in (units_a, units_b)]
    pairs = PairSums(
        (sums_a, sums_b),
        end - begin,
        differing,
        np.stack([each.sum(axis=1) for each in values]),
        *_products(job, *values),
        [_sections(job, units, begin) for units in (units_a, units_b)],
    )
    return Part(begin, end, pairs, time.perf_counter() - start)


def _play_side(job: PairJob, jobs: Sequence[Job], begin: int, end: int) -> tuple[Sums, list[Any]]:
    """Play one study's units of blocks.

    Returns:
        Sums by player, and for each rotation the rows of `PairJob.entries`, by player.
    """
    tables, tallies, rows = [], [], []
    played: dict[bytes, _Played] = {}
    for each, (columns, order) in zip(jobs, job.rotations, strict=True):
        table = each.table.tobytes()
        if table not in played:  # rotations of players who are alike are the same table
            played[table] = _play_rows(each, job.places, begin, end)
        one = played[table]
        tables.append(one)
        tallies.append(one.tally[order])
        rows.append(one.rows[:, columns] if len(jobs) > 1 else one.rows)
    histograms = {name: sum(one.histograms[name] for one in tables) for name in one.histograms}
    games = np.concatenate([one.games for one in tables])
    whole = [np.sum(tallies, axis=0)] if job.fits else tallies
    nothing = {name: () for name in histograms}
    sums = [Sums.of(whole[0].view(TALLY)[0], histograms, games)]
    sums += [Sums.of(tally.view(TALLY)[0], nothing, ()) for tally in whole[1:]]
    return Sums.together(sums), rows


@dataclass(frozen=True)
class _Played:
    """What came of units of one study.

    Attributes:
        tally: A `TALLY` row.
        histograms: As of `Job.histograms`.
        games: A row for each game; none where rounds are played.
        rows: A row for each unit.
    """

    tally: Any
    histograms: dict[str, Any]
    games: Any
    rows: Any


def _play_rows(job: Job, columns: Any, begin: int, end: int) -> _Played:
    """Play units and keep what each of them added to these places of the sums, and `EXTRA`."""
    from sim.engine.play import play_rows

    job.check_engine()
    state, histograms, tally = new_state(), job.histograms(), np.zeros(1, TALLY)
    rows = np.zeros((end - begin, len(columns) + len(EXTRA)), np.int64)
    games = np.zeros((end - begin if job.table.games else 0, GAME_COLUMNS), np.int64)
    rounds = int(job.table.rule_max_rounds) if job.table.games else 1
    records = np.zeros((int(job.table.players) * rounds, len(RECORD_COLUMNS)), np.int32)
    arrays = [*histograms.values(), records, games]
    with np.errstate(over="ignore"):  # without the compiler numpy minds wrapping numbers
        play_rows(
            state,
            job.table,
            np.uint64(job.seed),
            begin,
            end,
            tally.view(np.recarray)[0],
            tally.view(np.int64),
            columns,
            np.zeros_like(columns),
            rows,
            *arrays,
        )
    check_fault(state, job)
    return _Played(tally.view(np.int64), histograms, games, rows)


def _values(job: PairJob, units: Sequence[Any]) -> Any:
    """Return `PairJob.values` of each block, values × blocks, int64."""
    block = sum(units[1:], units[0])
    at = {entry: k for k, entry in enumerate([*job.entries, *EXTRA])}
    made = np.zeros((len(job.values), len(block)), np.int64)
    for row, terms in zip(made, job.values, strict=True):
        for entry, factor in terms.items():
            row += factor * block[:, at[entry]]
    return made


def _products(job: PairJob, a: Any, b: Any) -> tuple[list[Any], Any]:
    """Return `PairSums.products` and `PairSums.apart` of values × blocks.

    In int64; where that might overflow, which no sensible rules and values come near, in Python's
    whole numbers, which are slow and have no end.
    """
    apart = a != b
    largest = max(int(abs(side).max(initial=0)) for side in (a, b))
    if largest * largest * a.shape[1] >= 2**63:
        a, b = a.astype(object), b.astype(object)
    products, counts = [], []
    for parts in job.parts:
        both = np.concatenate([a[parts], b[parts]])
        products.append(both @ both.T)
        counts.append(int(apart[parts].any(axis=0).sum()))
    return products, np.array(counts, np.int64)


def _sections(job: PairJob, units: Sequence[Any], begin: int) -> Any:
    """Return how often each number occurred whose median is looked for, by section."""
    column = [*job.entries, *EXTRA].index(job.middle)
    numbers = np.array([rows[:, column] for rows in units])
    width = int(numbers.max(initial=0)) + 1
    section = (begin + np.arange(numbers.shape[1])) % SECTIONS
    counts = np.bincount((section * width + numbers).ravel(), minlength=SECTIONS * width)
    return counts.reshape(SECTIONS, width)


def _padded(a: Any, b: Any) -> tuple[Any, Any]:
    """Return two arrays of sections with zeros added, so that they are equally wide."""
    width = max(a.shape[1], b.shape[1])
    return tuple(np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in (a, b))  # type: ignore[return-value]


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


def by_player(tally: Any, players: int, by: int) -> None:
    """Mutates a `TALLY` record: put what is by seat into the order of players; see `turned`."""
    for name in TALLY.names or ():
        if of_seats(name):
            tally[name][:players] = np.roll(tally[name][:players], by, axis=0)
