"""What a range of rounds or games leaves behind: whole numbers that add up exactly.

Chunks are added up as Python integers, which have no largest value. Nothing floating is ever
accumulated, so the order and the size of chunks leave no trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sim.engine.state import GAME_COLUMNS, GAME_DEFICIT, GAME_TURNS, NONE, TALLY, new_record

OUTCOMES = ("won", "tied", "beaten", "void")
"""What becomes of a call of BAO, from `sim.engine.state.BAO_WON` on."""

SWING_SUMS = ("count", "sum", "sum_sq", "count_sq", "product")
"""What is summed up for a swing, from `sim.engine.state.SWING_N` on."""

ROWS: dict[str, tuple[str, ...]] = {
    "turns": (
        *(f"turns_{reason}" for reason in ("bao", "second_recycling", "turn_cap")),
        *(f"call_turns_{outcome}" for outcome in OUTCOMES),
        "lead_changes",
        "loser_led_at",
        "loser_led_left",
    ),
    "recyclings": ("recyclings",),
    "game_rounds": ("game_rounds", "game_lead_changes"),
    "call_totals": tuple(f"call_totals_{outcome}" for outcome in OUTCOMES),
    "call_unknowns": tuple(f"call_unknowns_{outcome}" for outcome in OUTCOMES),
    "deficits": ("deficits",),
    "dealt": tuple(f"dealt_{name}" for name in SWING_SUMS),
}
"""Names of the rows of the engine's arrays that are mostly zeros; see `sim.engine.state`.

Their bounds follow from deck and rules. The deficits of games have none that an array could have,
so each is kept until they are counted here."""

HISTOGRAMS = ("turns", *(name for names in ROWS.values() for name in names))
"""All histograms: rounds by number of turns, in all and by end, and by number of recyclings; calls
by turn, true total and unknown cards; rounds by changes of the lead, by the last turn in which a
later loser led, and by the turns after it; games by number of rounds, by changes of the lead, by
the most points that the winner was behind; and, by bird, sums for its swing."""


class Sums:
    """Sums over a range of units, mergeable in any order.

    Those that an older version of the program has left behind may hold less; so do all that they
    are added to: what was not counted everywhere is not known of the whole.

    Attributes:
        counts: By field of `sim.engine.state.TALLY`: a whole number, or a list of them, by seat
            for example (always 6 seats).
        histograms: By name in `HISTOGRAMS`: how often each value occurred, zeros left out.
    """

    def __init__(
        self, counts: Mapping[str, Any], histograms: Mapping[str, Mapping[int, int]]
    ) -> None:
        """Keep both; see the class."""
        self.counts = dict(counts)
        self.histograms = {
            name: dict(histograms[name]) for name in HISTOGRAMS if name in histograms
        }

    @classmethod
    def empty(cls) -> Sums:
        """Return the sums over nothing."""
        nothing = {"turns": (), "recyclings": (), "game_rounds": (), "call_totals": ()}
        return cls.of(new_record(TALLY), nothing, ())

    @classmethod
    def of(cls, tally: Any, histograms: Mapping[str, Any], games: Any) -> Sums:
        """Return the engine's sums in this form.

        Args:
            tally: `Tally` record.
            histograms: ``turns``, ``recyclings``, ``game_rounds`` and ``call_totals`` as
                `play_chunk` fills them: int64, how often each index occurred, in several rows where
                `ROWS` names several; of ``call_totals`` 0 points are in the middle.
            games: int64, games × `GAME_COLUMNS`: one row for each game in the tally.
        """
        counts = {name: tally[name].tolist() for name in tally.dtype.names if name not in ROWS}
        games = np.asarray(games, np.int64).reshape(-1, GAME_COLUMNS)
        counts["game_turns_sq"] = sum(turns * turns for turns in games[:, GAME_TURNS].tolist())
        deficits = Counter(games[:, GAME_DEFICIT].tolist())
        del deficits[NONE]
        found: dict[str, dict[int, int]] = {"deficits": dict(deficits)}
        for name, rows in ROWS.items():
            if name in found:
                continue
            array = histograms[name] if name in histograms else tally[name]
            whole = np.asarray(array, np.int64).reshape(len(rows), -1)
            first = -(whole.shape[1] // 2) if name == "call_totals" else 0
            for row, values in zip(rows, whole, strict=True):
                found[row] = _sparse(values, first)
        found["turns"] = _together(found[name] for name in ROWS["turns"][:3])
        return cls(counts, found)

    @classmethod
    def together(cls, parts: Sequence[Sums]) -> Sums:
        """Return the sum of one or more, the first of which may be changed by it."""
        whole, *others = parts
        for other in others:
            whole.add(other)
        return whole

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sums:
        """Return the sums that `to_dict` wrote down."""
        counts = {name: value for name, value in data.items() if name != "histograms"}
        return cls(counts, {name: dict(pairs) for name, pairs in data["histograms"].items()})

    @property
    def complete(self) -> bool:
        """Whether all is in them that this version of the program counts."""
        counted = {name for name in TALLY.names or () if name not in ROWS}
        return self.counts.keys() >= counted and len(self.histograms) == len(HISTOGRAMS)

    def to_dict(self) -> dict[str, Any]:
        """Return the sums JSON-ready; histograms as pairs of value and count, ascending."""
        return {**self.counts, "histograms": {name: self.pairs(name) for name in self.histograms}}

    def add(self, other: Sums) -> None:
        """Mutates: add the sums over another range."""
        self.counts = {
            name: _plus(value, other.counts[name])
            for name, value in self.counts.items()
            if name in other.counts
        }
        self.histograms = {
            name: _together([histogram, other.histograms[name]])
            for name, histogram in self.histograms.items()
            if name in other.histograms
        }

    def pairs(self, name: str) -> list[list[int]]:
        """Return a histogram as pairs of value and count, values ascending, no zeros."""
        return [[value, times] for value, times in sorted(self.histograms[name].items())]

    def __getitem__(self, name: str) -> Any:
        """Return a field of the tally: a whole number or a list of them."""
        return self.counts[name]

    def __eq__(self, other: object) -> bool:
        """Sums are equal when every number is."""
        if not isinstance(other, Sums):
            return NotImplemented
        return self.counts == other.counts and self.histograms == other.histograms

    __hash__ = None  # type: ignore[assignment]  # they change while a run goes on

    def __repr__(self) -> str:
        """Say over how much they are."""
        return f"<Sums over {self['rounds']:,} rounds, {self['games']:,} games>"


def _sparse(counts: Any, first: int) -> dict[int, int]:
    """Return the entries of an array of counts that are not 0, by value; `first` is at index 0."""
    found = counts.nonzero()[0]
    return dict(zip((found + first).tolist(), counts[found].tolist(), strict=True))


def _together(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return the sum of histograms; what comes to 0, as sums of points may, is left out."""
    whole: dict[int, int] = {}
    for histogram in histograms:
        for value, times in histogram.items():
            whole[value] = whole.get(value, 0) + times
    return {value: times for value, times in whole.items() if times}


def _plus(a: Any, b: Any) -> Any:
    """Return the sum of two whole numbers, or of two nested lists of them, entry by entry."""
    if isinstance(a, list):
        return [_plus(x, y) for x, y in zip(a, b, strict=True)]
    return a + b
