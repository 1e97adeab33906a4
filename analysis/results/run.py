"""What a run leaves behind: exact sums, and everything that can be said with them.

A `Result` holds the study and the sums over it. All numbers that people see are made of these
two: `Result.summary` is the one place where they are, so a result that was saved and loaded
says the same as before.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sim
from analysis.blocks import Block
from analysis.results.evaluate import BY_SEAT, Interval, Numbers
from analysis.results.shared import AnyResult
from analysis.stats import CONFIDENCE, LOOK_CONFIDENCE
from analysis.sweeping import calibration_frame, calibration_rows
from analysis.tables import frames
from analysis.text.numbers import counted
from analysis.text.run import run_blocks, summary_text
from sim.batch.job import ENGINE_VERSION
from sim.batch.ranges import Ranges, in_words, size
from sim.batch.stopping import Until, looks_to
from sim.batch.sums import Sums
from sim.errors import InputError
from sim.game.documents import SCHEMA, check_agrees, numbers_of, read_schema, some
from sim.game.files import PathLike, read_json
from sim.game.study import Study
from sim.store.folder import INTERRUPTED, MANIFEST, SUMMARY, Held, Told, read_held, save

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from analysis.plots import RunPlots


@dataclass(eq=False)
class Result(AnyResult):
    """The result of a run. Equal to another where study, sums and the reason to stop are.

    Attributes:
        study: What was to be played.
        sums: Exact sums over what was.
        seconds: Time that playing took; in it no compiling.
        compile_seconds: Time before that: to compile the engine, or load it from its cache.
        stopped_by: Why the run ended: ``"rounds"`` or ``"games"`` where all of the study was
            played, ``"range"`` where only a part was asked for, ``"until"``, ``"max_rounds"``,
            ``"max_games"`` or ``"max_seconds"`` where one of these limits came first, and
            ``"interrupted"`` where a folder holds a run that can be gone on with.
        folder: Where the result was saved or loaded from; None if it was not.
        version: Version of the program that played.
        kept: Records in memory; see `records`.
        ranges: Which rounds or games were played; by default all of the study.
        until: The target that the run was to stop at; None where it had none.
        engine: Version of the engine that played.
    """

    study: Study
    sums: Sums
    seconds: float
    compile_seconds: float = 0.0
    stopped_by: str = "rounds"
    folder: Path | None = None
    version: str = field(default_factory=lambda: str(sim.__version__))
    kept: Any = field(default=None, repr=False)
    ranges: Ranges = ()
    until: Until | None = None
    engine: int = ENGINE_VERSION
    _summary: dict[str, Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Take it for the result of the whole study where nothing else was said."""
        self.ranges = self.ranges or ((0, self.study.count),)

    def __eq__(self, other: object) -> bool:
        """Compare what was asked and what came out, not how long it took."""
        if not isinstance(other, Result):
            return NotImplemented
        mine, theirs = (
            (result.study, result.ranges, result.sums, result.stopped_by, result.until)
            for result in (self, other)
        )
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    @property
    def _held(self) -> Held:
        """What a folder keeps of it."""
        facts = {name: getattr(self, name) for name in _HELD}
        return Held(**facts, finished=self.stopped_by != INTERRUPTED)

    @property
    def _in_part(self) -> bool:
        """Whether not all of the study was played."""
        return self.ranges != ((0, self.study.count),)

    # --- numbers ----------------------------------------------------------------------------------

    def summary(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready: the contract's summary of ``run --json``.

        Shares are from 0 to 1, scores in points, times in seconds; intervals are [low, high] at
        95 %. Nothing is rounded. None stands where a number does not exist, such as the spread
        of a single round.

        With games, wins are games won; everything else counts rounds, deciding rounds apart.
        """
        if self._summary is None:
            self._summary = _summary(self)
        return json.loads(json.dumps(self._summary))  # type: ignore[no-any-return]

    # --- tables -----------------------------------------------------------------------------------

    @property
    def players(self) -> pd.DataFrame:
        """One row for each seat: wins, scores, BAO, plucks, powers; counts, shares and points."""
        return self.tables()["seats"]

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all numbers as tidy DataFrames.

        Returns:
            ``seats``: one row for each seat. ``metrics``: one row for each metric (and seat):
            metric, seat, value, low, high. ``histograms``: metric, value, count. ``positions``:
            one row for each place in the turn order. ``birds``: one row for each bird.
        """
        return frames(self.summary())

    @property
    def records(self) -> pd.DataFrame:
        """One row for each finished round and seat; see ``baobei list metrics`` for the columns.

        Raises:
            InputError: The run kept none, or the file in the folder is another run's.
        """
        from sim.store.rows import read

        if self.kept is not None:
            return self.kept
        return read(self._records_folder(), self.ranges, self.record_rows)

    def _records_folder(self) -> Path:
        if self.folder is None:
            problem = "no records were kept"
            raise InputError(problem, where="records", expected="run(..., records=True)")
        return self.folder

    @property
    def record_rows(self) -> int:
        """How many rows the records have, where they are kept."""
        return self._held.rows

    @property
    def score_counts(self) -> list[Counter[int]]:
        """How often each seat had which score; out of the records, in flat memory.

        Raises:
            InputError: As for `records`; or they do not say what the sums of the run say.
        """
        from sim.store.rows import RECORDS, count_scores, tally_scores

        seats, rounds = len(self.study.players), int(self.sums["rounds"])
        if self.kept is not None:
            counted: list[Counter[int]] = [Counter() for _ in range(seats)]
            tally_scores(counted, *(self.kept[name].to_numpy() for name in ("seat", "score")))
        else:
            counted = count_scores(self._records_folder(), self.ranges, rounds, seats)
        for seat, each in enumerate(counted):
            score, squares = (sum(n * x**k for x, n in each.items()) for k in (1, 2))
            if (score, squares) != (self.sums["score"][seat], self.sums["score_sq"][seat]):
                problem = f"scores of seat {seat} do not add up to those of the run"
                raise InputError(problem, where=(self.folder or Path()) / RECORDS, key="score")
        return counted

    @property
    def calibration(self) -> pd.DataFrame:
        """How often plucks hit that a player was so and so sure of.

        One row for each seat and bin of confidence that has a pluck, and for all seats together,
        where ``seat`` is missing; `analysis.sweeping.calibration_rows` describes the columns.
        """
        seats = range(len(self.study.players))
        return calibration_frame(list(calibration_of(self.sums, seats)))

    @property
    def plot(self) -> RunPlots:
        """The plots of a run: ``result.plot.ends()``; see `analysis.plots.RunPlots`."""
        from analysis.plots import RunPlots

        return RunPlots(self)

    # --- for people -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the table that ``baobei run`` prints, at most 100 columns wide."""
        return summary_text(
            self.summary(), title=self.study.title, compile_seconds=self.compile_seconds
        )

    def __repr__(self) -> str:
        """Say in one line what was played and who won how often."""
        shares = ", ".join(
            f"{row['strategy']} {100 * row['win_share']:.1f} %"
            for row in self.summary()["players"]
            if row["win_share"] is not None
        )
        played = counted(size(self.ranges), self.study.unit[:-1])
        if self._in_part:
            played = f"{in_words(self.ranges, self.study.unit)} of {self.study.count:,}"
        return f"<Result of {played}, seed {self.study.seed}: {shares or 'nobody won'}>"

    def blocks(self) -> list[Block]:
        """Return what notebooks show of it."""
        return run_blocks(self.summary(), self.study.title, self.study.question)

    # --- folders ----------------------------------------------------------------------------------

    def save(self, folder: PathLike) -> Path:
        """Write the result into a folder, which is made if need be, and return its path.

        Raises:
            InputError: The folder cannot be written to, or holds another study.
        """
        self.folder = save(self._held, told_of(self), folder, self.folder)
        return self.folder


_HELD = [field.name for field in fields(Held) if field.name not in ("finished", "records")]
"""What a result says as a folder does."""


def result_of(run: Held, folder: Path | None = None, kept: Any = None) -> Result:
    """Return what a folder holds of a run as a result.

    Args:
        run: What it holds.
        folder: Where.
        kept: Records in memory.
    """
    facts = {name: getattr(run, name) for name in _HELD}
    facts["stopped_by"] = (run.stopped_by if run.finished else None) or INTERRUPTED
    return Result(**facts, folder=folder, kept=kept)


def told_of(result: Result) -> Told:
    """Return what is told of a result in a folder."""
    return Told(result.to_json(), result.tables(), result.kept)


def tell(run: Held) -> Told:
    """Return what is told of a run in its folder."""
    return told_of(result_of(run))


def read_result(path: Path) -> Result:
    """Return the result of a folder, whichever engine played it.

    Raises:
        InputError: As for `sim.api.load_results`.
    """
    there = read_held(path)
    if not there.ranges:
        problem = "holds an unfinished run, of which nothing is finished"
        raise InputError(problem, where=path, expected="the same run again, to its end")
    return check_told(path, there)


def check_told(path: Path, there: Held) -> Result:
    """Return the result that a folder holds, its numbers made.

    The summary of a finished run must say what its sums say: else one of them is damaged. A run
    that goes on has none that is up to date.

    Raises:
        InputError: It does not; says where. Or no numbers can be made of the sums.
    """
    result, file = result_of(there, path), path / SUMMARY
    with numbers_of(path / MANIFEST):
        true = result.summary()
    if not (there.finished and file.exists()):
        return result
    told = read_schema(read_json(file), file, "the summary of a run")
    mine = there.version == str(sim.__version__) and there.engine == ENGINE_VERSION
    if not mine:  # it may have known less, or better
        true = {"version": there.version}
        told = some(told, true)
    try:
        check_agrees(told, true, file, to=f"the sums in {MANIFEST}", older=True)
    except InputError:
        if read_held(path) == there:  # else a run has just gone on in between
            raise
    return result


def calibration_of(sums: Sums, seats: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Yield how often plucks hit by confidence: of some seats, and of all together (None)."""
    columns = [sums[name] for name in ("sure_plucks", "sure_hits", "sure_sum")]
    for seat in seats:
        for row in calibration_rows(*(column[seat] for column in columns)):
            yield {"seat": seat} | row
    everybody = ([sum(bins) for bins in zip(*column, strict=True)] for column in columns)
    for row in calibration_rows(*everybody):
        yield {"seat": None} | row


# --- the summary ----------------------------------------------------------------------------------


def _summary(result: Result) -> dict[str, Any]:
    study, sums, until = result.study, result.sums, {}
    numbers = Numbers(study, sums, confidence(result.until))
    if result.until is not None:  # whether the target was reached, and how often it was looked at
        looks = sum(1 for _ in looks_to(size(result.ranges)))
        looked = {"reached": reached(result.until, study, sums), "looks": looks}
        until["until"] = result.until.to_dict() | looked
    return {
        "schema": SCHEMA,
        "version": result.version,
        **_luck_of(study),
        "threshold_assumed": study.rules.threshold_assumed,
        **numbers.table(),
        "players": [
            {"seat": seat, "strategy": player.name} | numbers.seat(seat)
            for seat, player in enumerate(study.players)
        ],
        "seconds": result.seconds,
        "rounds_per_second": sums["rounds"] / result.seconds if result.seconds > 0 else None,
        "stopped_by": result.stopped_by,
        **({"ranges": [list(pair) for pair in result.ranges]} if result._in_part else {}),
        **until,
    }


# --- intervals ------------------------------------------------------------------------------------


def confidence(until: Until | None) -> float:
    """Return the level of the intervals of a run, by whether it looks at them as it goes on."""
    return CONFIDENCE if until is None else LOOK_CONFIDENCE


def interval(metric: str, study: Study, sums: Sums, seat: int, level: float) -> Interval:
    """Return the interval of one of `sim.batch.stopping.INTERVALS`, at a confidence level."""
    return Numbers(study, sums, level).interval(BY_SEAT[metric], seat)


def reached(until: Until, study: Study, sums: Sums) -> bool:
    """Whether the interval that a run is to stop at is narrow enough."""
    low, high = interval(until.metric, study, sums, until.seat, confidence(until))
    return low is not None and high is not None and (high - low) / 2 <= until.half_width


def leader(study: Study, sums: Sums, until: Until | None) -> str:
    """Return in words who has won most up to now, with the interval; empty if nobody has."""
    shares = sums["share"][: len(study.players)]
    if not any(shares):
        return ""
    seat = max(range(len(shares)), key=lambda k: shares[k])
    low, high = interval("win_share", study, sums, seat, confidence(until))
    if low is None or high is None:
        return ""
    name = study.players[seat].name
    name = name if len(name) <= 12 else name[:11] + "…"
    return f"{name} ({seat}) wins {50 * (low + high):.2f} ± {50 * (high - low):.2f} %"


def game_of(base: Study) -> dict[str, Any]:
    """Return the part of a summary that says which game was played, with which luck."""
    return {"title": base.title, "question": base.question} | _luck_of(base)


def _luck_of(base: Study) -> dict[str, Any]:
    return {
        "seed": base.seed,
        "edition": base.edition,
        "deck": base.deck.name,
        "deck_assumed": base.deck_assumed,
        "rules": base.rules.to_dict(),
        "rules_id": base.rules_id,
        "rules_changed": base.rules.changed_from_edition(),
    }
