"""What one can do: play, go on, compare, merge, load. Plays, keeps, and wraps in results.

What is heavy is imported where it is needed, since this module is loaded with every public name.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sim.errors import InputError
from sim.game.base import show_with
from sim.game.comparison import Comparing
from sim.game.exploit import Exploit
from sim.game.files import PathLike
from sim.game.study import MAX_UNITS, Study, load_study
from sim.game.sweep import Sweep, Values, load_sweep
from sim.game.tournament import Tournament, load_tournament
from sim.texts import printable

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from analysis.results.comparison import Comparison
    from analysis.results.exploit import ExploitResult
    from analysis.results.run import Result
    from analysis.results.sweep import SweepResult
    from analysis.results.tournament import TournamentResult
    from sim.batch.job import Job
    from sim.batch.progress import Wanted
    from sim.batch.schedule import Part, Playable
    from sim.batch.stopping import Plan, Until
    from sim.batch.sums import Sums
    from sim.store.ledger import Ledger


R = TypeVar("R", "SweepResult", "TournamentResult")
L = TypeVar("L", "Result", "Comparison")


def _show(thing: Any) -> str | None:
    from analysis.notebook import html

    return html(thing)


show_with(_show)


# --- runs -----------------------------------------------------------------------------------------


def run(
    study: Study | PathLike,
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    chunk: int | None = None,
    records: bool = False,
    out: PathLike | None = None,
    only: Sequence[int] | None = None,
    until: str | Until | None = None,
    max_rounds: int | None = None,
    max_games: int | None = None,
    max_seconds: float | None = None,
    progress: Wanted = None,
) -> Result:
    """Play a study, or what a folder does not hold of it yet.

    Args:
        study: What to play; or the name of a shipped one, or the path of a study file.
        threads: Threads that play; all cores if None. For a Dask cluster that is started here,
            and for an executor, how many chunks are played at a time. Results depend on neither
            this nor on who plays.
        processes: Play in so many processes on this machine instead. They are started anew, so
            a script has to keep its own work under ``if __name__ == "__main__":``.
        dask: Play on a Dask cluster instead: its scheduler's address, or ``"local"`` to start
            one on this machine.
        executor: Play on any executor of `concurrent.futures` instead; it is left running.
        chunk: Units (rounds or games) of a chunk; chosen by speed if None. Results do not depend
            on it.
        records: Keep one row for each finished round and seat: as ``records.parquet`` in the
            folder `out`, or without a folder in memory, as `Result.records`.
        out: Folder for the results; made if need be. It is checked before anything is played.
            What it holds already of the same study is not played again.
        only: Play only units `only[0]` to `only[1]` - 1 of the study.
        until: Stop as soon as an interval is narrow enough, such as ``"win_share[0]±0.001"``;
            see `sim.batch.stopping`. Without `max_rounds` (`max_games`) at the end of the study.
        max_rounds: Play at most so many rounds; with `until` instead of what the study says.
        max_games: The same for a study of games.
        max_seconds: Stop after so much time of playing. How far a run comes then depends on the
            machine.
        progress: True shows a bar on a terminal or in a notebook, and elsewhere a line a minute;
            a function is called with the units done and the units in all; None shows messages
            only; False nothing.

    Returns:
        The result, equal byte for byte for any number of threads, any size of chunks, and any
        interruptions in between.

    Raises:
        InputError: Something in the arguments is wrong, or the folder cannot be used.
        WorkersLost: Processes or a cluster went away. What was finished is in the folder.
        EngineError: A bug in a player.
    """
    from analysis.results.run import result_of, tell
    from sim.batch.executors import check_ways, count
    from sim.batch.job import Job, load_engine
    from sim.batch.ranges import size
    from sim.batch.stopping import Plan
    from sim.store.ledger import open_ledger
    from sim.store.rows import check_rows

    if not isinstance(study, Study):
        study = load_study(study)
    limits = {"rounds": max_rounds, "games": max_games}
    plan = Plan.of(study, only=only, until=until, max_units=limits, max_seconds=max_seconds)
    study = plan.study
    chunk, records = count("chunk", chunk, 2**40), bool(records)
    if records and out is None:
        check_rows(size(plan.wanted) * len(study.players))
    ways = {"threads": threads, "processes": processes, "dask": dask, "executor": executor}
    check_ways(**ways)
    with open_ledger(out, study, records=records, until=plan.until) as ledger:
        if not plan.begin(ledger.ranges) or _reached(plan, ledger):
            stopped_by = "until" if _reached(plan, ledger) else plan.end(ledger.ranges)
        else:
            job = Job.of(study, records)
            ledger.compile_seconds += load_engine(job, quiet=progress is False)
            stopped_by = _play_run(plan, job, ledger, ways, chunk, progress)
        held = ledger.finish(stopped_by, tell)
        return result_of(held, None if out is None else Path(out), ledger.kept)


def _play_run(
    plan: Plan,
    job: Job,
    ledger: Ledger,
    ways: dict[str, Any],
    chunk: int | None,
    progress: Wanted,
) -> str:
    """Play what is missing in a ledger, as far as the plan says; return why it stopped."""
    from analysis.results.run import leader
    from sim.batch.ranges import common, size
    from sim.batch.schedule import Task, play_tasks
    from sim.batch.stopping import is_look

    def note(task: int, part: Part, seconds: float) -> str | None:
        ledger.note(task, part, seconds)
        if plan.until is not None and is_look(part.end):
            ledger.flush()
            return "until" if _reached(plan, ledger) else None
        return None

    why = play_tasks(
        [Task(lambda: job, plan.begin(ledger.ranges))],
        note,
        ways=ways,
        unit=plan.study.unit,
        chunk=chunk,
        progress=progress,
        total=size(plan.wanted),
        done=size(common(ledger.ranges, plan.wanted)),
        leader=lambda: leader(plan.study, ledger.sums, plan.until),
        max_seconds=plan.max_seconds,
        begun=False,
    )
    if why is not None:
        return why
    ledger.flush()
    return "until" if _reached(plan, ledger) else plan.end(ledger.ranges)


def _reached(plan: Plan, ledger: Ledger) -> bool:
    """Whether a run is at a look, or at its end, and its target is met."""
    from analysis.results.run import reached

    if plan.until is None or not plan.looks(ledger.ranges):
        return False
    return reached(plan.until, plan.study, ledger.sums)


def extend(
    folder: PathLike, *, rounds: int | None = None, games: int | None = None, **options: Any
) -> Result:
    """Play more of the study that a folder holds, and write the longer result into it.

    Args:
        folder: A results folder.
        rounds: How many rounds there are to be in all.
        games: How many games, where the study is one of games.
        **options: As for `run`: `threads`, `processes`, `dask`, `executor`, `chunk`,
            `max_seconds`, `progress`.

    Raises:
        InputError: The folder holds no results, or more than so many; or as for `run`.
    """
    from analysis.results.run import check_told
    from sim.batch.executors import count
    from sim.store.folder import read_held

    there = read_held(Path(folder))
    check_told(Path(folder), there)
    study = there.study
    asked: dict[str, Any] = {"rounds": rounds, "games": games}
    given = [unit for unit, count in asked.items() if count is not None]
    if given != [study.unit]:
        problem = f"the study is one of {study.unit}"
        raise InputError(problem, where=folder, expected=f"a number of {study.unit}")
    count(study.unit, asked[study.unit], MAX_UNITS)
    longer = study.with_changes(**asked)
    return run(longer, out=folder, records=there.records, **options)


def merge(folders: Sequence[PathLike], out: PathLike) -> Result:
    """Put runs of one study over disjoint ranges together, as if one run had played them all.

    Args:
        folders: Results folders, finished or not; they stay as they are.
        out: A new folder for the result.

    Returns:
        The result over all ranges together.

    Raises:
        InputError: The folders are not of the same study, seed and engine, some units are in two
            of them, some have records and others not, or `out` is not new.
    """
    from analysis.results.run import result_of, tell
    from sim.store.merge import merge as together

    return result_of(together(folders, out, tell), Path(out))


def load_results(folder: PathLike) -> Result:
    """Return the result that a folder holds.

    Raises:
        InputError: There is none in it, or none that is finished or readable.
    """
    from analysis.results.run import read_result

    return _of_this_engine(read_result, folder, "the same study gives")


def _of_this_engine(read: Callable[[Path], L], folder: PathLike, what: str) -> L:
    """Return what a folder holds; warns if another engine has played it."""
    from sim.engine import ENGINE_VERSION

    path = Path(folder)
    found = read(path)
    if found.engine != ENGINE_VERSION:
        warnings.warn(
            f"{printable(str(path))}: played by engine {found.engine}, this is engine "
            f"{ENGINE_VERSION}: {what} other numbers now",
            stacklevel=3,
        )
    return found


# --- comparisons ----------------------------------------------------------------------------------


def compare(
    a: Study | PathLike,
    b: Study | PathLike | None = None,
    *,
    rotate: bool | None = None,
    rounds: int | None = None,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    chunk: int | None = None,
    out: PathLike | None = None,
    progress: Wanted = None,
    **changes: Any,
) -> Comparison:
    """Play two studies on the same deals and compare all their numbers.

    Args:
        a: The first study; or the name of a shipped one, or the path of a file.
        b: The second; None for the first one with changes.
        rotate: Whether to play every deal in all rotations of the seats; None: where the players
            of one of the studies differ. A player's numbers then follow it from seat to seat.
        rounds: Rounds of each study; as many as `a` says if None. Rounded up to full blocks.
        games: Games of each instead.
        seed: Of both studies; that of `a` if None.
        threads: Threads that play; all cores if None. No result depends on who plays.
        processes: Processes of this machine that play instead.
        dask: A Dask cluster instead; it, and `executor`, as of `sim.run`.
        executor: Any executor instead.
        chunk: Deals that a thread plays at a time. Results do not depend on it.
        out: Folder for the results; made if need be. One that was interrupted is gone on with.
        progress: As of `sim.run`.
        **changes: Without `b`: what is changed in `a`, as of `Study.with_changes`.

    Returns:
        The comparison, equal byte for byte whoever plays, and for any chunks.

    Raises:
        InputError: Something in the arguments is wrong, or the folder holds something else.
        EngineError: A bug in a player.
        WorkersLost: They were lost while they played; with a folder, what is finished is kept.
    """
    first = a if isinstance(a, Study) else load_study(a)
    if b is not None and changes:
        raise InputError("a second study and changes at once", expected="one of the two")
    if b is None:
        second = first.with_changes(**changes)
    else:
        second = b if isinstance(b, Study) else load_study(b)
    wanted: dict[str, Any] = {"rounds": rounds, "games": games, "seed": seed}
    comparing = Comparing.of(first, second, rotate=rotate, **wanted)
    ways = {"threads": threads, "processes": processes, "dask": dask, "executor": executor}
    return play_comparison(comparing, chunk=chunk, out=out, progress=progress, **ways)


def play_comparison(
    comparing: Comparing,
    *,
    chunk: int | None = None,
    out: PathLike | None = None,
    progress: Wanted = None,
    **ways: Any,
) -> Comparison:
    """Play what is to be compared; arguments as of `compare`."""
    from analysis.results.comparison import made, save
    from sim.batch.executors import check_ways, count
    from sim.batch.job import load_engine
    from sim.batch.pairs import PairJob, PairSums, play_pairs
    from sim.batch.schedule import unbroken
    from sim.store.journal import Totals
    from sim.store.ledger import Ledger
    from sim.store.tasks import Keeper, check_sides, is_of_blocks, keeping

    check_ways(**ways)
    chunk = count("chunk", chunk, 2**40)
    totals = Totals([comparing.blocks], PairSums.empty)
    memory = nullcontext(Ledger(totals))
    with memory if out is None else keeping(out, comparing, totals) as ledger:
        if isinstance(ledger, Keeper) and not comparing.rotated:
            check_sides(ledger.path, comparing)
        job = PairJob.of(comparing.a, comparing.b, comparing.rotated)
        load_engine(job.a[0], quiet=progress is False)
        with unbroken():
            play_pairs(job, 0, 0)
        start = time.perf_counter()
        ledger.resume(PairSums.from_dict, lambda entry: is_of_blocks(entry, comparing, job))
        size = 2 * comparing.a.count // comparing.blocks  # of a block, both studies together
        unit = comparing.a.unit
        _play_missing(ledger, [lambda: job], unit, chunk, progress, ways, size)
        result = made(comparing, ledger.sums, job, time.perf_counter() - start)
        if isinstance(ledger, Keeper):
            save(result, ledger)
    return result


def _play_missing(
    ledger: Ledger,
    jobs: Sequence[Callable[[], Playable]],
    unit: str,
    chunk: int | None,
    progress: Wanted,
    ways: dict[str, Any],
    size: int = 1,
) -> None:
    """Play what is missing of the tasks of a ledger, whose units count `size` each."""
    from sim.batch.schedule import Task, play_tasks

    totals = ledger.totals
    play_tasks(
        [Task(job, totals.missing(k)) for k, job in enumerate(jobs)],
        ledger.note,
        ways=ways,
        unit=unit,
        chunk=chunk,
        progress=progress,
        total=size * sum(totals.counts),
        done=size * totals.units,
        size=size,
    )
    ledger.flush()


def load_comparison(folder: PathLike) -> Comparison:
    """Return the comparison that a folder holds.

    Raises:
        InputError: There is none in it, or none that is finished or readable; or its files are
            damaged, or do not say the same.
    """
    from analysis.results.comparison import read_comparison

    return _of_this_engine(read_comparison, folder, "the same studies give")


# --- tournaments and sweeps -----------------------------------------------------------------------


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
    from analysis.results.tournament import TournamentResult

    if not isinstance(tournament, Tournament):
        tournament = load_tournament(tournament)
    ways = {"threads": threads, "processes": processes, "dask": dask, "executor": executor}
    wrap = partial(TournamentResult, tournament)
    return _play(wrap, tournament, tournament.studies(), out, piece, progress, ways)


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
    from analysis.results.sweep import SweepResult

    if over is not None:
        base = sweep if isinstance(sweep, Study) else _base(sweep)
        sweep = Sweep.of(base, over, **settings)
    elif isinstance(sweep, Study):
        raise InputError("nothing is varied", where="over", expected="axes with their values")
    elif not isinstance(sweep, Sweep):
        sweep = load_sweep(sweep)
    ways = {"threads": threads, "processes": processes, "dask": dask, "executor": executor}
    wrap = partial(SweepResult, sweep)
    return _play(wrap, sweep, sweep.studies, out, piece, progress, ways)


def _base(given: Sweep | PathLike) -> Study:
    return given.base if isinstance(given, Sweep) else load_study(given)


# --- best responses -------------------------------------------------------------------------------


def exploit(
    exploit: Exploit | PathLike,
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    out: PathLike | None = None,
    progress: Wanted = None,
    **settings: Any,
) -> ExploitResult:
    """Look for the best response to a player, over its parameters.

    Args:
        exploit: What to search; or the player, a name or a path, with `settings`.
        threads: Threads that play; all cores if None. No result depends on who plays.
        processes: Processes of this machine that play instead.
        dask: A Dask cluster instead; it, and `executor`, as of `sim.run`.
        executor: Any executor instead.
        out: Folder for the results; made if need be. What was interrupted there goes on.
        progress: As of `sim.run`.
        **settings: With a player: as of `sim.game.exploit.Exploit.of`.

    Returns:
        The result: the best response found, and what it gains on fresh deals.

    Raises:
        InputError: Something in the arguments is wrong, or the folder holds something else.
        EngineError: A bug in a player.
        WorkersLost: They were lost while they played; with a folder, what is finished is kept.
    """
    from analysis.results.exploit import ExploitResult, idle_changes
    from sim.batch.executors import check_ways, opened
    from sim.batch.job import Job, load_engine
    from sim.batch.progress import Progress
    from sim.batch.sums import Sums
    from sim.store.hunt import Hunt
    from sim.store.journal import Totals
    from sim.store.ledger import Ledger
    from sim.store.tasks import Keeper, keeping

    asked = exploit if isinstance(exploit, Exploit) else Exploit.of(exploit, **settings)
    ways: dict[str, Any] = {
        "threads": threads,
        "processes": processes,
        "dask": dask,
        "executor": executor,
    }
    check_ways(**ways)
    start = time.perf_counter()
    totals = Totals(asked.counts)
    unit = asked.base.unit
    memory = nullcontext(Ledger(totals))
    with memory if out is None else keeping(out, asked, totals) as ledger:
        ledger.resume(Sums.from_dict, lambda entry: entry.sums.complete)
        load_engine(Job.of(asked.base), quiet=progress is False)
        with opened(**ways) as workers, Progress(progress, sum(asked.counts), unit) as bar:
            hunt = Hunt(asked, ledger, workers, bar)
            found = hunt.best()

        def compared(asked: Comparing) -> Comparison:
            return play_comparison(asked, progress=False, **ways)

        worth = {name: compared(asked.worth(found, [name])) for name in asked.changes(found)}
        idle = idle_changes(asked, found, worth, compared)
        result = ExploitResult.of(asked, found, worth, idle, hunt.history)
        result.confirm(compared(asked.gain(result.challenger)))
        result.seconds = time.perf_counter() - start
        if isinstance(ledger, Keeper):
            ledger.save(result)
    return result


def _play(
    wrap: Callable[[list[Sums], float], R],
    played: Sweep | Tournament,
    studies: Sequence[Study],
    out: PathLike | None,
    piece: int | None,
    progress: Wanted,
    ways: dict[str, Any],
) -> R:
    """Return the result of studies that are played, stored in a folder if one is named."""
    from sim.batch.executors import check_ways, count
    from sim.batch.job import Job, load_engine
    from sim.batch.sums import Sums
    from sim.store.journal import Entry, Totals
    from sim.store.ledger import Ledger
    from sim.store.tasks import Keeper, keeping

    unit, totals = studies[0].unit, Totals([study.count for study in studies])
    units = sum(totals.counts)

    def fits(entry: Entry) -> bool:
        return entry.sums.complete and bool(entry.sums[unit] == entry.end - entry.begin)

    check_ways(**ways)
    start = time.perf_counter()
    memory = nullcontext(Ledger(totals))
    with memory if out is None else keeping(out, played, totals) as ledger:
        chunk = count("piece", piece, 2**40) or max(PIECE[unit], units // MANY_PIECES)
        ledger.resume(Sums.from_dict, fits)
        if totals.units < units:
            load_engine(Job.of(studies[0]), quiet=progress is False)
            jobs = [partial(Job.of, study) for study in studies]
            _play_missing(ledger, jobs, unit, chunk, progress, ways)
        result = wrap(totals.sums, time.perf_counter() - start)
        if isinstance(ledger, Keeper):
            ledger.save(result)
    return result


PIECE = {"rounds": 20_000, "games": 1000}
"""Units of a sweep or tournament that are played, and kept, at a time: some tenth of a second."""

MANY_PIECES = 20_000
"""Beyond so many, pieces become longer, so that no journal grows without end."""
