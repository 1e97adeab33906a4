"""What a range of rounds or games leaves behind: whole numbers that add up exactly.

Chunks are added up as Python integers, which have no largest value. Nothing floating is ever
accumulated, so the order and the size of chunks leave no trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HISTOGRAMS = ("turns", "recyclings", "game_rounds")
"""Rounds by number of turns and of recyclings; games by number of rounds."""


class Sums:
    """Sums over a range of units, mergeable in any order.

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
        self.histograms = {name: dict(histograms[name]) for name in HISTOGRAMS}

    @classmethod
    def empty(cls) -> Sums:
        """Return the sums over nothing."""
        from sim.engine.state import TALLY, new_record

        return cls.of(new_record(TALLY), dict.fromkeys(HISTOGRAMS, ()))

    @classmethod
    def of(cls, tally: Any, histograms: Mapping[str, Any]) -> Sums:
        """Return the engine's sums in this form.

        Args:
            tally: `Tally` record.
            histograms: By name, an int64 array: how often each index occurred.
        """
        return cls(
            {name: tally[name].tolist() for name in tally.dtype.names},
            {name: _sparse(histograms[name]) for name in HISTOGRAMS},
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sums:
        """Return the sums that `to_dict` wrote down."""
        counts = {name: value for name, value in data.items() if name != "histograms"}
        return cls(counts, {name: dict(data["histograms"][name]) for name in HISTOGRAMS})

    def to_dict(self) -> dict[str, Any]:
        """Return the sums JSON-ready; histograms as pairs of value and count, ascending."""
        return {**self.counts, "histograms": {name: self.pairs(name) for name in HISTOGRAMS}}

    def add(self, other: Sums) -> None:
        """Mutates: add the sums over another range."""
        for name, value in other.counts.items():
            self.counts[name] = _plus(self.counts[name], value)
        for name, histogram in other.histograms.items():
            mine = self.histograms[name]
            for value, times in histogram.items():
                mine[value] = mine.get(value, 0) + times

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


def _sparse(counts: Any) -> dict[int, int]:
    """Return the entries of an array of counts that are not 0."""
    if len(counts) == 0:
        return {}
    found = counts.nonzero()[0]
    return dict(zip(found.tolist(), counts[found].tolist(), strict=True))


def _plus(a: Any, b: Any) -> Any:
    """Return the sum of two whole numbers, or of two nested lists of them, entry by entry."""
    if isinstance(a, list):
        return [_plus(x, y) for x, y in zip(a, b, strict=True)]
    return a + b
