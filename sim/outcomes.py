"""What a tournament leaves behind, and the function that plays one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sim
from sim.deck import PathLike
from sim.engine.state import DOUBLE_HIT, END_CAP, MISSED, OWN_HIT, RIVAL_HIT, WIN_UNITS
from sim.keep import Keeper
from sim.many import Piece, play_many
from sim.progress import Wanted
from sim.results import SCHEMA, to_json
from sim.study import Study
from sim.sums import Sums
from sim.tournaments import Tournament, load_tournament

if TYPE_CHECKING:
    import pandas as pd

    from analysis.ranking import Seating, Standings


def plan_of_tournament(tournament: Tournament) -> dict[str, Any]:
    """Return what a folder has to know of a tournament."""
    return {
        "kind": "tournament",
        "fingerprint": tournament.fingerprint,
        "seed": tournament.base.seed,
        "unit": "rounds",
        "count": tournament.rounds,
        "study": tournament.to_dict(),
    }


@dataclass(eq=False)
class TournamentResult:
    """The result of a tournament.

    Attributes:
        tournament: What was played.
        sums: Exact sums over each seating, in the order of `Tournament.seatings`.
        seconds: Time that it took, compiling included.
        version: Version of the program that played.
    """

    tournament: Tournament
    sums: Sequence[Sums]
    seconds: float = 0.0
    version: str = field(default_factory=lambda: str(sim.__version__))

    # --- numbers ----------------------------------------------------------------------------------

    @cached_property
    def standings(self) -> Standings:
        """Everything summed up by player and by pair of players."""
        from analysis.ranking import Standings

        names = [player.name for player in self.tournament.players]
        return Standings(names, self._seatings(), WIN_UNITS)

    def _seatings(self) -> Iterator[Seating]:
        from analysis.ranking import Seating

        names = [player.name for player in self.tournament.players]
        for seating, sums in zip(self.tournament.seatings(), self.sums, strict=True):
            seats = len(seating)
            hits = [sum(row[k] for k in (OWN_HIT, RIVAL_HIT, DOUBLE_HIT)) for row in sums["count"]]
            yield Seating(
                players=tuple(names[k] for k in seating),
                rounds=sums["rounds"],
                decided=sums["rounds"] - sums["ends"][END_CAP],
                plucks=[hits[k] + sums["count"][k][MISSED] for k in range(seats)],
                hits=hits[:seats],
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

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables by name: ``ranking`` and ``matrix``."""
        return {"ranking": self.ranking, "matrix": self.matrix}

    def summary(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready: what was played, the ranking and the matrix."""
        tournament, base = self.tournament, self.tournament.base
        return {
            "schema": SCHEMA,
            "kind": "tournament",
            "version": self.version,
            **_game(base),
            "seats": tournament.seats,
            "tables": len(tournament.tables),
            "all_tables": tournament.all_tables,
            "rounds_of_a_seating": tournament.rounds_of_a_seating,
            "rounds": tournament.rounds,
            "ranking": records(self.ranking),
            "matrix": records(self.matrix),
        }

    def to_json(self) -> str:
        """Return the summary as JSON text, exactly what ``baobei tournament --json`` prints."""
        return to_json(self.summary())

    # --- for people -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the tables that ``baobei tournament`` prints, at most 100 columns wide."""
        from analysis.text_many import tournament_text

        return tournament_text(self.summary(), seconds=self.seconds)

    def __str__(self) -> str:
        """Return the tables that ``baobei tournament`` prints."""
        return self.to_text()

    def __repr__(self) -> str:
        """Say in one line what was played and who is the strongest."""
        best = ", ".join(
            f"{row.player} {100 * row.win_share:.1f} %" for row in self.ranking.head(3).itertuples()
        )
        return f"<Result of {self.tournament!r}: {best}>"

    def _repr_html_(self) -> str:
        from analysis.text_many import tournament_html

        return tournament_html(self.summary())

    # --- folders ----------------------------------------------------------------------------------

    def save(self, folder: PathLike) -> Path:
        """Write the result into a folder, which is made if need be, and return its path.

        Raises:
            InputError: The folder cannot be written to, or holds something else.
        """
        return _save(self, Keeper(folder, plan_of_tournament(self.tournament)))

    def draw(self, folder: Path) -> None:
        """Write the plots into a folder, as SVG and PNG."""


_BY_SEAT = ("share", "share_sq", "score", "score_sq", "bao_called", "bao_won")


def tournament(
    tournament: Tournament | PathLike,
    *,
    threads: int | None = None,
    piece: int | None = None,
    out: PathLike | None = None,
    progress: Wanted = None,
) -> TournamentResult:
    """Play a tournament.

    Args:
        tournament: What to play; or the name of a shipped study, or the path of a file.
        threads: Threads that play; all cores if None. Results do not depend on it.
        piece: Rounds that a thread plays at a time. Results do not depend on it.
        out: Folder for the results; made if need be. What was interrupted there goes on.
        progress: As of `sim.run`.

    Returns:
        The result, equal byte for byte for any number of threads and any size of pieces.

    Raises:
        InputError: Something in the arguments is wrong, or the folder holds something else.
        EngineError: A bug in a player.
    """
    if not isinstance(tournament, Tournament):
        tournament = load_tournament(tournament)
    start = time.perf_counter()
    keeper = None if out is None else Keeper(out, plan_of_tournament(tournament))
    sums = _played(tournament.studies(), keeper, threads, piece, progress)
    result = TournamentResult(tournament, sums, time.perf_counter() - start)
    if keeper is not None:
        _save(result, keeper)
    return result


def _played(
    studies: Sequence[Study],
    keeper: Keeper | None,
    threads: int | None,
    piece: int | None,
    progress: Wanted,
) -> list[Sums]:
    """Return the sums over each study; what the keeper remembers is not played again."""
    done: Iterable[Piece] = () if keeper is None else list(keeper.pieces())
    keep = None if keeper is None else keeper.keep
    with keeper or nullcontext():
        return play_many(
            studies, threads=threads, piece=piece, progress=progress, done=done, keep=keep
        )


def _save(result: Any, keeper: Keeper) -> Path:
    """Write a result into a keeper's folder and return its path."""
    keeper.finish(result.summary(), result.tables(), result.draw)
    return keeper.path


def _game(base: Study) -> dict[str, Any]:
    """Return the part of a summary that says which game was played, with which luck."""
    return {
        "title": base.title,
        "question": base.question,
        "seed": base.seed,
        "edition": base.edition,
        "deck": base.deck.name,
        "deck_assumed": base.deck_assumed,
        "rules": base.rules.to_dict(),
        "rules_id": base.rules_id,
        "rules_changed": base.rules.changed_from_edition(),
    }


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as dicts, JSON-ready; None where a number does not exist."""
    rows: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return rows
