"""What tournaments and sweeps leave behind, and the functions that play them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sim
from sim.batch.executors import check_ways
from sim.batch.many import Piece, play_many
from sim.batch.progress import Wanted
from sim.batch.sums import Sums
from sim.core.layout import DOUBLE_HIT, END_CAP, MISSED, OWN_HIT, RIVAL_HIT, WIN_UNITS
from sim.errors import InputError
from sim.game.deck import Deck
from sim.game.documents import SCHEMA
from sim.game.files import PathLike
from sim.game.players import Player
from sim.game.study import Study, load_study
from sim.game.sweep import Sweep, Values, load_sweep
from sim.game.tournament import Tournament, load_tournament
from sim.results import Result, calibration_of, to_json
from sim.store.keep import Keeper, keeping

if TYPE_CHECKING:
    import pandas as pd

    from analysis.plots import SweepPlots, TournamentPlots
    from analysis.ranking import Seating, Standings


def plan_of_tournament(tournament: Tournament) -> dict[str, Any]:
    """Return what a folder has to know of a tournament."""
    return {
        "kind": "tournament",
        "fingerprint": tournament.fingerprint,
        "rules_id": tournament.base.rules_id,
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
        seconds: Time that playing took, compiling or loading the engine included.
        saving_seconds: Time that drawing pictures and writing the results took after that.
        version: Version of the program that played.
    """

    tournament: Tournament
    sums: Sequence[Sums]
    seconds: float = 0.0
    saving_seconds: float = field(default=0.0, kw_only=True)
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

    @cached_property
    def seats(self) -> pd.DataFrame:
        """One row for each seat; see `analysis.ranking.Standings`."""
        return self.standings.seats()

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

    def to_json(self) -> str:
        """Return the summary as JSON text, exactly what ``baobei tournament --json`` prints."""
        return to_json(self.summary())

    # --- for people -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the tables that ``baobei tournament`` prints, at most 100 columns wide."""
        from analysis.text_many import tournament_text

        return tournament_text(
            self.summary(), seconds=self.seconds, saving_seconds=self.saving_seconds
        )

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
        with keeping(folder, plan_of_tournament(self.tournament)) as keeper:
            return _save(self, keeper)

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
        **_game(tournament.base),
        "seats": tournament.seats,
        "by_seat": [],
        "tables": len(tournament.tables),
        "all_tables": tournament.all_tables,
        "rounds_of_a_seating": tournament.rounds_of_a_seating,
        "rounds": tournament.rounds,
    }


_BY_SEAT = ("share", "share_sq", "score", "score_sq", "bao_called", "bao_won")


def tournament(
    tournament: Tournament | PathLike,
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    piece: int | None = None,
    out: PathLike | None = None,
    progress: Wanted = None,
) -> TournamentResult:
    """Play a tournament.

    Args:
        tournament: What to play; or the name of a shipped study, or the path of a file.
        threads: Threads that play; all cores if None. No result depends on who plays.
        processes: Processes of this machine that play instead.
        dask: A Dask cluster instead; it, and `executor`, as of `sim.run`.
        executor: Any executor instead.
        piece: Rounds that a thread plays at a time. Results do not depend on it.
        out: Folder for the results; made if need be. What was interrupted there goes on.
        progress: As of `sim.run`.

    Returns:
        The result, equal byte for byte whoever plays, and for any size of pieces.

    Raises:
        InputError: Something in the arguments is wrong, or the folder holds something else.
        EngineError: A bug in a player.
        WorkersLost: They were lost while they played; with a folder, what is finished is kept.
    """
    if not isinstance(tournament, Tournament):
        tournament = load_tournament(tournament)
    ways = {"threads": threads, "processes": processes, "dask": dask, "executor": executor}
    check_ways(**ways)
    start = time.perf_counter()
    with nullcontext() if out is None else keeping(out, plan_of_tournament(tournament)) as keeper:
        sums = _played(tournament.studies(), keeper, piece, progress, ways)
        result = TournamentResult(tournament, sums, time.perf_counter() - start)
        if keeper is not None:
            _save(result, keeper)
    return result


# --- sweeps ---------------------------------------------------------------------------------------


def plan_of_sweep(sweep: Sweep) -> dict[str, Any]:
    """Return what a folder has to know of a sweep."""
    return {
        "kind": "sweep",
        "fingerprint": sweep.fingerprint,
        "rules_id": sweep.base.rules_id,
        "seed": sweep.base.seed,
        "unit": sweep.base.unit,
        "count": sweep.base.count * len(sweep.points),
        "study": sweep.to_dict(),
    }


@dataclass(eq=False)
class SweepResult:
    """The result of a sweep.

    Attributes:
        sweep: What was played.
        sums: Exact sums over each point.
        seconds: Time that playing took, compiling or loading the engine included.
        saving_seconds: Time that drawing pictures and writing the results took after that.
        version: Version of the program that played.
    """

    sweep: Sweep
    sums: Sequence[Sums]
    seconds: float = 0.0
    saving_seconds: float = field(default=0.0, kw_only=True)
    version: str = field(default_factory=lambda: str(sim.__version__))

    # --- numbers ----------------------------------------------------------------------------------

    @cached_property
    def results(self) -> list[Result]:
        """The result of each point, as of a run."""
        pairs = zip(self.sweep.studies, self.sums, strict=True)
        return [Result(study=study, sums=sums, seconds=0.0) for study, sums in pairs]

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """One row for each point, seat and metric.

        Columns: ``point`` from 0; the value of each axis, named by its key; ``seat``, missing in
        rows about the table, and ``strategy``; ``metric``, ``value``, ``low``, ``high`` (95 %),
        ``n``, and of what it is the number. `analysis.sweeping.METRICS` describes the metrics.
        """
        from analysis.sweeping import metrics_frame

        return metrics_frame([row for rows in self._metric_rows for row in rows])

    @cached_property
    def _metric_rows(self) -> list[list[dict[str, Any]]]:
        """The rows of `metrics`, for each point."""
        pairs = zip(self._places(), self.results, strict=True)
        return [list(self._rows_of_a_point(place, result)) for place, result in pairs]

    def _rows_of_a_point(self, place: dict[str, Any], result: Result) -> Iterator[dict[str, Any]]:
        from analysis.sweeping import group_row, seat_rows, table_rows

        summary, games = result.summary(), result.study.games is not None
        decided = _decided(result)
        for player in summary["players"]:
            of = {"seat": player["seat"], "strategy": player["strategy"]}
            for row in seat_rows(player, summary["rounds"], decided, games):
                yield place | of | row
        if len(self.sweep.focus) > 1:
            shares = sum(result.sums["share"][seat] for seat in self.sweep.focus)
            unit = result.study.unit
            yield place | _NO_SEAT | group_row(shares, decided, WIN_UNITS, unit)
        for row in table_rows(summary):
            yield place | _NO_SEAT | row

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """How often plucks hit that a player was so and so sure of.

        One row for each point, seat in focus and bin of confidence that has a pluck, and for all
        seats together, where ``seat`` is missing; `analysis.sweeping.calibration_rows` describes
        the columns.
        """
        from analysis.sweeping import calibration_frame

        return calibration_frame(list(self._calibration_rows()))

    def _calibration_rows(self) -> Iterator[dict[str, Any]]:
        for place, sums in zip(self._places(), self.sums, strict=True):
            for row in calibration_of(sums, self.sweep.focus):
                yield place | row

    def _places(self) -> list[dict[str, Any]]:
        """Return, for each point, its number and the values of the axes."""
        return places([axis.key for axis in self.sweep.axes], self.sweep.points)

    @cached_property
    def best(self) -> dict[str, Any] | None:
        """The point with the greatest win share of the seats in focus; see `best_point`."""
        from analysis.sweeping import best_point

        focus = self.sweep.focus
        if not focus:
            return None
        name, seat = ("win_share", focus[0]) if len(focus) == 1 else ("group_win_share", None)
        found = best_point(self.metrics, name, seat)
        return found and found | {"seats": list(focus)}

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables by name: ``metrics`` and ``calibration``."""
        return {"metrics": self.metrics, "calibration": self.calibration}

    def summary(self) -> dict[str, Any]:
        """Return all numbers but the calibration's, JSON-ready: what was played, each point."""
        base = self.sweep.base
        axes = [axis.key for axis in self.sweep.axes]
        return facts_of_sweep(base, axes, list(self.sweep.focus), self.version) | {
            "best": self.best,
            "points": [point_of(axes, rows) for rows in self._metric_rows],
        }

    def to_json(self) -> str:
        """Return the summary as JSON text, exactly what ``baobei sweep --json`` prints."""
        return to_json(self.summary())

    # --- for people -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the tables that ``baobei sweep`` prints."""
        from analysis.text_many import sweep_text

        return sweep_text(self.summary(), seconds=self.seconds, saving_seconds=self.saving_seconds)

    def __str__(self) -> str:
        """Return the tables that ``baobei sweep`` prints."""
        return self.to_text()

    def __repr__(self) -> str:
        """Say in one line what was played."""
        return f"<Result of {self.sweep!r}>"

    def _repr_html_(self) -> str:
        from analysis.text_many import sweep_html

        return sweep_html(self.summary())

    # --- folders ----------------------------------------------------------------------------------

    def save(self, folder: PathLike) -> Path:
        """Write the result into a folder, which is made if need be, and return its path.

        Raises:
            InputError: The folder cannot be written to, or holds something else.
        """
        with keeping(folder, plan_of_sweep(self.sweep)) as keeper:
            return _save(self, keeper)

    def pictures(self) -> dict[str, bytes]:
        """Return all plots by file name, as SVG and PNG."""
        from analysis.plots import sweep_pictures

        return sweep_pictures(self.tables(), self.sweep.focus)

    @property
    def plot(self) -> SweepPlots:
        """Single plots: ``result.plot.metric("win_share")``; see `analysis.plots.SweepPlots`."""
        from analysis.plots import SweepPlots

        return SweepPlots(self)


_NO_SEAT: dict[str, Any] = {"seat": None, "strategy": None}


def facts_of_sweep(base: Study, axes: list[str], focus: list[int], version: str) -> dict[str, Any]:
    """Return the part of a sweep's summary that says what was played."""
    return {
        "schema": SCHEMA,
        "kind": "sweep",
        "version": version,
        **_game(base),
        "unit": base.unit,
        "count": base.count,
        "axes": axes,
        "focus": focus,
    }


def point_of(axes: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a point's part of the summary: values of the axes, the table, the seats.

    Args:
        axes: Their keys.
        rows: Of `SweepResult.metrics`, those of the point.
    """
    seats: dict[Any, dict[str, Any]] = {None: {}}
    for row in rows:
        told = seats.setdefault(row["seat"], {"seat": row["seat"], "strategy": row["strategy"]})
        told[row["metric"]] = row["value"]
        if row["low"] is not None:
            told[f"{row['metric']}_ci95"] = [row["low"], row["high"]]
    table = seats.pop(None)
    return {
        "point": rows[0]["point"],
        "values": {axis: rows[0][axis] for axis in axes},
        **table,
        "players": list(seats.values()),
    }


def places(axes: Sequence[str], points: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return, for each point of a sweep, its number and the values of the axes as tables have them.

    Args:
        axes: Their keys.
        points: The values of all axes at each point.
    """
    columns = [_column(key, [point[k] for point in points]) for k, key in enumerate(axes)]
    rows = zip(*columns, strict=True)
    return [{"point": k} | dict(zip(axes, row, strict=True)) for k, row in enumerate(rows)]


def _decided(result: Result) -> int:
    """Return how many rounds, or games, have a winner."""
    sums = result.sums
    return int(
        sums["game_ends"][0] if result.study.games else sums["rounds"] - sums["ends"][END_CAP]
    )


def _column(key: str, values: Sequence[Any]) -> list[Any]:
    """Return the values of an axis as a column of one type: all numbers, or all text."""
    if all(isinstance(value, bool) for value in values):
        return list(values)
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return list(values)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values]
    return [_told(key, value) for value in values]


def _told(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        value = Deck.of(value) if key == "deck" else Player.of(value)
    if isinstance(value, Deck | Player):
        return value.name
    return f"{value:g}" if isinstance(value, float) else str(value)


def sweep(
    sweep: Sweep | Study | PathLike,
    over: Mapping[str, Values] | None = None,
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    piece: int | None = None,
    out: PathLike | None = None,
    progress: Wanted = None,
    **settings: Any,
) -> SweepResult:
    """Play a sweep.

    Args:
        sweep: What to play: a sweep, the path of a file, or with `over` a study.
        over: By key, the values of each axis: ``{"0.bao_threshold": [2, 4, 6]}``.
        threads: Threads that play; all cores if None. No result depends on who plays.
        processes: Processes of this machine that play instead.
        dask: A Dask cluster instead; it, and `executor`, as of `sim.run`.
        executor: Any executor instead.
        piece: Rounds or games that a thread plays at a time. Results do not depend on it.
        out: Folder for the results; made if need be. What was interrupted there goes on.
        progress: As of `sim.run`.
        **settings: With `over`: ``sample``, ``together``, ``focus`` as of `Sweep.of`.

    Returns:
        The result, equal byte for byte whoever plays, and for any size of pieces.

    Raises:
        InputError: Something in the arguments is wrong, or the folder holds something else.
        EngineError: A bug in a player.
        WorkersLost: They were lost while they played; with a folder, what is finished is kept.
    """
    if over is not None:
        base = sweep if isinstance(sweep, Study) else _base(sweep)
        sweep = Sweep.of(base, over, **settings)
    elif isinstance(sweep, Study):
        raise InputError("nothing is varied", where="over", expected="axes with their values")
    elif not isinstance(sweep, Sweep):
        sweep = load_sweep(sweep)
    ways = {"threads": threads, "processes": processes, "dask": dask, "executor": executor}
    check_ways(**ways)
    start = time.perf_counter()
    with nullcontext() if out is None else keeping(out, plan_of_sweep(sweep)) as keeper:
        sums = _played(sweep.studies, keeper, piece, progress, ways)
        result = SweepResult(sweep, sums, time.perf_counter() - start)
        if keeper is not None:
            _save(result, keeper)
    return result


def _base(given: Sweep | PathLike) -> Study:
    return given.base if isinstance(given, Sweep) else load_study(given)


# --- both -----------------------------------------------------------------------------------------


def _played(
    studies: Sequence[Study],
    keeper: Keeper | None,
    piece: int | None,
    progress: Wanted,
    ways: dict[str, Any],
) -> list[Sums]:
    """Return the sums over each study; what the keeper remembers is not played again."""
    done: Iterable[Piece] = () if keeper is None else list(keeper.pieces())
    keep = None if keeper is None else keeper.keep
    return play_many(studies, piece=piece, progress=progress, done=done, keep=keep, **ways)


def _save(result: Any, keeper: Keeper) -> Path:
    """Write a result into a keeper's folder and return its path."""
    start = time.perf_counter()
    keeper.finish(result.summary(), result.tables(), result.pictures)
    result.saving_seconds = time.perf_counter() - start
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
