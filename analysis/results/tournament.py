"""What came of a tournament."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sim
from analysis.blocks import Block
from analysis.ranking import RATES, Seating, Standings
from analysis.results.run import game_of
from analysis.results.shared import ManyResult
from analysis.text.tournament import tournament_blocks, tournament_told
from sim.batch.sums import Sums
from sim.game.documents import SCHEMA
from sim.game.tournament import Tournament
from sim.metrics import ROUNDS_WON, WIN_UNITS

if TYPE_CHECKING:
    import pandas as pd

    from analysis.company import Company
    from analysis.plots import TournamentPlots


@dataclass(eq=False)
class TournamentResult(ManyResult):
    """The result of a tournament.

    Attributes:
        tournament: What was played.
        sums: Exact sums over each seating, in the order of `Tournament.seatings`.
        seconds: Time that playing took, compiling or loading the engine included.
        saving_seconds: Time that drawing pictures and writing the results took after that.
        version: Version of the program that played.
    """

    tournament: Tournament
    sums: Sequence[Sums]
    seconds: float = 0.0
    saving_seconds: float = field(default=0.0, kw_only=True)
    version: str = field(default_factory=lambda: str(sim.__version__))

    @property
    def _played(self) -> Tournament:
        return self.tournament

    # --- numbers ----------------------------------------------------------------------------------

    @cached_property
    def standings(self) -> Standings:
        """Everything summed up by player and by pair of players."""
        names = [player.name for player in self.tournament.players]
        return Standings(names, self._seatings(), WIN_UNITS)

    def _seatings(self) -> Iterator[Seating]:
        names = [player.name for player in self.tournament.players]
        for seating, sums in zip(self.tournament.seatings(), self.sums, strict=True):
            seats = len(seating)
            yield Seating(
                players=tuple(names[k] for k in seating),
                rounds=sums["rounds"],
                decided=sums.whole(ROUNDS_WON.at(seats, False)),
                rates={
                    name: [
                        tuple(sums.whole(part.at(seats, False, seat)) for part in parts)
                        for seat in range(seats)
                    ]
                    for name, parts in RATES.items()
                },
                **{name: sums[name][:seats] for name in _BY_SEAT},
            )

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """One row for each player, the strongest first; see `analysis.ranking.Standings`."""
        return self.standings.ranking()

    @cached_property
    def matrix(self) -> pd.DataFrame:
        """One row for each pair of players that met; see `analysis.ranking.Standings`."""
        return self.standings.matrix()

    @cached_property
    def seats(self) -> pd.DataFrame:
        """One row for each seat; see `analysis.ranking.Standings`."""
        return self.standings.seats()

    @cached_property
    def company(self) -> Company:
        """Ratings, and who holds whom in check; see `analysis.company`."""
        from analysis.company import Company

        return Company.of(self.matrix)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables by name: ``ranking``, ``matrix`` and ``seats``."""
        return {"ranking": self.ranking, "matrix": self.matrix, "seats": self.seats}

    def summary(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready: what was played, and all tables."""
        return facts_of_tournament(self.tournament, self.version) | {
            "by_seat": records(self.seats),
            "ranking": records(self.ranking),
            "matrix": records(self.matrix),
        }

    # --- for people -------------------------------------------------------------------------------

    def _told(self) -> list[Iterable[Block]]:
        return tournament_told(self.summary())

    def __repr__(self) -> str:
        """Say in one line what was played and who is the strongest."""
        best = ", ".join(
            f"{row.player} {100 * row.win_share:.1f} %" for row in self.ranking.head(3).itertuples()
        )
        return f"<Result of {self.tournament!r}: {best}>"

    def blocks(self) -> list[Block]:
        """Return what notebooks show of it."""
        return tournament_blocks(self.summary())

    # --- folders ----------------------------------------------------------------------------------

    def pictures(self) -> dict[str, bytes]:
        """Return all plots by file name, as SVG and PNG."""
        from analysis.plots import tournament_pictures

        return tournament_pictures(self.tables())

    @property
    def plot(self) -> TournamentPlots:
        """Single plots: ``result.plot.strength(ax)``; see `analysis.plots.TournamentPlots`."""
        from analysis.plots import TournamentPlots

        return TournamentPlots(self)


def facts_of_tournament(tournament: Tournament, version: str) -> dict[str, Any]:
    """Return a tournament's summary with what was played, and still without what came of it."""
    return {
        "schema": SCHEMA,
        "kind": "tournament",
        "version": version,
        **game_of(tournament.base),
        "seats": tournament.seats,
        "by_seat": [],
        "tables": len(tournament.tables),
        "all_tables": tournament.all_tables,
        "rounds_of_a_seating": tournament.rounds_of_a_seating,
        "rounds": tournament.rounds,
    }


_BY_SEAT = ("share", "share_sq", "score", "score_sq")


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as dicts, JSON-ready; None where a number does not exist."""
    rows: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return rows
