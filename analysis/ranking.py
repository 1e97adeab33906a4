"""Who is stronger: the ranking of a tournament, and who does how well against whom.

A tournament is made of seatings: some players at one table in one order, for some rounds. Its
seatings are strata, all equally long, and all rounds are independent. So the win share of a player,
over all the tables it sat at, has an exact variance (`analysis.stats.Strata`). The difference of
two players' shares also depends on how they hang together where both sit at one table; there the
largest variance that is possible is taken (`analysis.stats.Shared`).

The intervals say how well the shares *of these tables* are known. Where not all tables were
played, other tables would give somewhat other shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import TYPE_CHECKING, Any

from analysis.stats import Interval, Shared, Strata, difference, ratio
from sim.metrics import SWEPT

if TYPE_CHECKING:
    import pandas as pd


RATES = {
    name: metric.formula.parts
    for name, metric in SWEPT.items()
    if metric.scope == "seat" and not metric.in_summary
}
"""What is told of a player without an interval: by name, what is divided, and by what."""


@dataclass(frozen=True)
class Seating:
    """What came of one seating; whole numbers, lists by seat.

    Attributes:
        players: Who sat where, by name.
        rounds: Rounds.
        decided: Rounds with a winner.
        share: Wins and parts of shared ones, in units of which `units` make a win.
        share_sq: The sum of their squares.
        score: Sum of scores, in points.
        score_sq: The sum of their squares.
        rates: Of each of `RATES` by seat: what is divided, and by what.
    """

    players: tuple[str, ...]
    rounds: int
    decided: int
    share: Sequence[int]
    share_sq: Sequence[int]
    score: Sequence[int]
    score_sq: Sequence[int]
    rates: Mapping[str, Sequence[tuple[int, ...]]]


@dataclass
class _Record:
    """All that is summed up of one player."""

    tables: set[frozenset[str]] = field(default_factory=set)
    rounds: int = 0
    share: Strata = field(default_factory=Strata)
    score: Strata = field(default_factory=Strata)
    rates: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def add(self, seating: Seating, seat: int) -> None:
        """Mutates: add a seating in which the player had this seat."""
        self.tables.add(frozenset(seating.players))
        self.rounds += seating.rounds
        self.share.add(seating.decided, seating.share[seat], seating.share_sq[seat])
        self.score.add(seating.rounds, seating.score[seat], seating.score_sq[seat])
        for name, of in seating.rates.items():
            self.rates[name] = tuple(map(add, self.rates.get(name, (0, 0)), of[seat]))


@dataclass
class _Pair:
    """All that is summed up of one player at the tables at which another one sits."""

    mine: Strata = field(default_factory=Strata)
    theirs: Strata = field(default_factory=Strata)
    shared: Shared = field(default_factory=Shared)

    def add(self, seating: Seating, me: int, other: int) -> None:
        """Mutates: add a seating in which both had a seat."""
        n, share, squares = seating.decided, seating.share, seating.share_sq
        self.mine.add(n, share[me], squares[me])
        self.theirs.add(n, share[other], squares[other])
        self.shared.add(n, share[me], share[other])


class Standings:
    """The sums of a tournament by player and by pair of players."""

    def __init__(self, players: Sequence[str], seatings: Iterable[Seating], units: int) -> None:
        """Sum up.

        Args:
            players: All entrants.
            seatings: What was played.
            units: How many units of share make a win.
        """
        self.units = units
        self.records = {name: _Record() for name in players}
        self.pairs: dict[tuple[str, str], _Pair] = {}
        self.by_seat: dict[int, _Record] = {}
        for seating in seatings:
            for seat, name in enumerate(seating.players):
                self.records[name].add(seating, seat)
                self.by_seat.setdefault(seat, _Record()).add(seating, seat)
                for k, other in enumerate(seating.players):
                    if k != seat:
                        pair = self.pairs.setdefault((name, other), _Pair())
                        pair.add(seating, seat, k)

    @property
    def order(self) -> list[str]:
        """The players by win share, the highest first; equals in the order of entry."""
        shares = {name: self.records[name].share.mean(self.units) for name in self.records}
        known = {name: -1.0 if share is None else share for name, share in shares.items()}
        return sorted(known, key=known.__getitem__, reverse=True)

    def ranking(self) -> pd.DataFrame:
        """Return one row for each player, the strongest first.

        Columns: ``rank`` from 1, ``player``, ``tables``, ``rounds``; ``win_share``, 0 to 1, with
        ``win_share_low`` and ``_high``; ``score_mean`` in points a round, likewise; ``bao_rate``,
        in which share of its rounds it called, and ``bao_success``, which share of its calls
        succeeded; ``pluck_rate``, plucks a round, and ``pluck_success``, which share of them hit;
        ``step``: by how much its win share is above that of the next below, with ``step_low`` and
        ``step_high``; and ``step_clear``: whether that interval is all above 0.
        """
        import pandas as pd

        order = self.order
        frame = pd.DataFrame([self._row(k, order) for k in range(len(order))])
        return frame.astype({"step_clear": "boolean"})

    def _row(self, k: int, order: Sequence[str]) -> dict[str, Any]:
        name = order[k]
        record = self.records[name]
        step, (low, high) = self.difference(name, order[k + 1]) if order[k + 1 :] else _NO_STEP
        return {
            "rank": k + 1,
            "player": name,
            "tables": len(record.tables),
            "rounds": record.rounds,
            **_shares(record.share, self.units),
            **_scores(record.score),
            **{name: number(ratio(*record.rates.get(name, (0, 0)))) for name in RATES},
            **_columns("step", step, (low, high)),
            "step_clear": None if low is None else low > 0,
        }

    def difference(self, a: str, b: str) -> Any:
        """Return by how much the win share of `a` is above that of `b`, and the interval."""
        shared = self.pairs[a, b].shared if (a, b) in self.pairs else Shared()
        return difference(self.records[a].share, self.records[b].share, shared, self.units)

    def matrix(self) -> pd.DataFrame:
        """Return one row for each pair of players that met, in the order of the ranking.

        Columns: ``player``, ``other``; ``rounds`` with both at the table; ``win_share`` of the
        player in these, with ``_low`` and ``_high``; and ``difference``, by how much that is above
        the other's, likewise.
        """
        import pandas as pd

        order = self.order
        met = ((a, b) for a in order for b in order if (a, b) in self.pairs)
        return pd.DataFrame([self._meeting(a, b) for a, b in met])

    def _meeting(self, a: str, b: str) -> dict[str, Any]:
        pair = self.pairs[a, b]
        ahead = difference(pair.mine, pair.theirs, pair.shared, self.units)
        return {
            "player": a,
            "other": b,
            "rounds": pair.mine.count,
            **_shares(pair.mine, self.units),
            **_columns("difference", *ahead),
        }

    def seats(self) -> pd.DataFrame:
        """Return one row for each seat: what the seat itself is worth, as all sit there alike.

        Columns: ``seat``, ``rounds``, ``win_share`` with ``_low`` and ``_high``, and
        ``score_mean``, likewise.
        """
        import pandas as pd

        rows = []
        for seat, record in self.by_seat.items():
            achieved = _shares(record.share, self.units) | _scores(record.score)
            rows.append({"seat": seat, "rounds": record.rounds} | achieved)
        return pd.DataFrame(rows)


def frames(summary: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables of a tournament's summary: ``ranking``, ``matrix`` and ``seats``."""
    import pandas as pd

    made = {}
    for name, key in (("ranking", "ranking"), ("matrix", "matrix"), ("seats", "by_seat")):
        frame = pd.DataFrame(summary[key])
        none = [column for column in frame if frame[column].isna().any()]
        types = dict.fromkeys(none, "float64")
        if "step_clear" in frame:
            types["step_clear"] = "boolean"
        made[name] = frame.astype(types)
    return made


_NO_STEP: Any = (None, (None, None))


def number(value: float | None) -> float:
    """Return a number for a table: not a number where it does not exist."""
    return float("nan") if value is None else float(value)


def _shares(strata: Strata, units: int) -> dict[str, float]:
    return _columns("win_share", strata.mean(units), strata.share_interval(units))


def _scores(strata: Strata) -> dict[str, float]:
    return _columns("score_mean", strata.mean(), strata.interval())


def _columns(name: str, value: float | None, interval: Interval) -> dict[str, float]:
    low, high = interval
    return {name: number(value), f"{name}_low": number(low), f"{name}_high": number(high)}
