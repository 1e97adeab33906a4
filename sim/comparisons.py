"""Two studies on the same deals: what to compare, playing it, and what comes out.

Both studies are played with one seed, so that every round of both has the same deal and the same
luck, as far as they go alike. Where players differ among each other, each deal is played in all
rotations of the seats, and a player's numbers are those of its rounds at all of them; where all are
alike, seats stay.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

import sim
from sim.batch.executors import check_ways, count, opened
from sim.batch.measures import Measure, measures, read
from sim.batch.pairs import PairJob, PairSums, play_pairs
from sim.batch.progress import Progress, Wanted
from sim.batch.run import Sizes, interruptible, load_engine, play_parts, unbroken
from sim.batch.sums import Sums
from sim.engine import ENGINE_VERSION
from sim.errors import InputError, show, within
from sim.game.base import digest
from sim.game.deck import Deck
from sim.game.documents import (
    SCHEMA,
    Count,
    Manifest,
    Part,
    as_json,
    check,
    check_agrees,
    numbers_of,
    read_schema,
    some,
)
from sim.game.files import PathLike, read_json
from sim.game.players import Player
from sim.game.rules import Rules
from sim.game.study import Study, load_study
from sim.results import Result, to_json
from sim.store.files import write
from sim.store.folder import check_same, read_held
from sim.store.keep import MANIFEST, SUMMARY, Keeper, keeping, sealed, unsealed
from sim.texts import printable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SIDES = ("a", "b")

SUMS = "sums.json"
"""The file of a folder that holds the exact sums of both sides."""

UNFINISHED = "unfinished.json"
"""The file that holds how far an interrupted comparison came; the same command goes on from it."""

KEEP_SECONDS = 10.0
"""How often that file is written; a crash loses no more."""


@dataclass(frozen=True)
class Comparing:
    """What to compare, checked: two studies of one seed and of equally many rounds or games.

    Attributes:
        a: The first study; its rounds are those of full blocks.
        b: The second.
        rotated: Whether every deal is played in all rotations of the seats.
        notes: What was made of studies that do not fit together, in words.
    """

    a: Study
    b: Study
    rotated: bool
    notes: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        a: Study,
        b: Study,
        *,
        rotate: bool | None = None,
        rounds: int | None = None,
        games: int | None = None,
        seed: int | None = None,
    ) -> Comparing:
        """Return what to play so that two studies can be compared.

        Args:
            a: The first.
            b: The second.
            rotate: Whether to play every deal in all rotations of the seats; None: where players
                of one of the studies differ.
            rounds: Rounds of each; those of `a` if None. Rounded up to full blocks.
            games: Games of each instead.
            seed: Of both; that of `a` if None.

        Raises:
            InputError: They have not the same number of players, or not the same unit.
        """
        counts = {"rounds": rounds, "games": games}
        given: dict[str, Any] = {unit: n for unit, n in counts.items() if n is not None}
        if given:
            a, b = a.with_changes(**given), b.with_changes(**given)
        _check_alike(a, b)
        notes = []
        if seed is None and a.seed != b.seed:
            notes.append(f"both studies are played with seed {a.seed}; the second says {b.seed}")
        if a.count != b.count:
            notes.append(f"both studies play {a.count:,} {a.unit}; the second says {b.count:,}")
        rotated = (_differ(a) or _differ(b)) if rotate is None else bool(rotate)
        size = len(a.players) if rotated else 1
        count = -(-a.count // size) * size
        if count != a.count:
            blocks = f"full blocks of {size} rotations"
            notes.append(f"{a.count:,} {a.unit} are rounded up to {count:,}: {blocks}")
        same: dict[str, Any] = {a.unit: count, "seed": a.seed if seed is None else seed}
        return cls(a.with_changes(**same), b.with_changes(**same), rotated, tuple(notes))

    @property
    def blocks(self) -> int:
        """How many deals are played."""
        return self.a.count // (len(self.a.players) if self.rotated else 1)

    @property
    def fingerprint(self) -> str:
        """Digest of all that determines the numbers."""
        sides = [self.a.fingerprint, self.b.fingerprint]
        return digest({"sides": sides, "rotated": self.rotated, "count": self.a.count})

    def to_dict(self) -> dict[str, Any]:
        """Return both studies as resolved, JSON-ready."""
        return {"a": self.a.to_dict(), "b": self.b.to_dict(), "rotated": self.rotated}


def _check_alike(a: Study, b: Study) -> None:
    """Check that two studies can be compared deal by deal."""
    if len(a.players) != len(b.players):
        problem = f"the first study has {len(a.players)} players, the second {len(b.players)}"
        raise InputError(problem, key="players", expected="equally many")
    if a.unit != b.unit:
        problem = f"the first study is one of {a.unit}, the second one of {b.unit}"
        raise InputError(problem, key=b.unit, expected="rounds in both, or games in both")


def _differ(study: Study) -> bool:
    return len({player.fingerprint for player in study.players}) > 1


# --- what differs ---------------------------------------------------------------------------------

_SINGLE = 4  # parameters of a player that are told one by one; beyond, the player is


def changed(a: Study, b: Study) -> list[dict[str, Any]]:
    """Return in what two studies differ; names and characters are no difference.

    Of options that are tables by number of players only the entry of these tables counts.

    Returns:
        For each thing ``what``: ``rules.OPTION`` or ``rules.OPTION.PLAYERS``, ``players.SEAT`` or
        ``players.SEAT.PARAMETER``, ``edition``, ``deck`` or ``deck.BIRD.FACT``; its value in ``a``
        and in ``b``; and ``meaning``, the description of an option or a parameter, else empty.
    """
    pairs = [*_edition(a, b), *_rules(a, b), *_decks(a.deck, b.deck)]
    for seat, (one, other) in enumerate(zip(a.players, b.players, strict=True)):
        pairs += _players(seat, one, other)
    return [
        {"what": what, "a": one, "b": other, "meaning": _meaning(a, what)}
        for what, one, other in pairs
    ]


def _meaning(study: Study, what: str) -> str:
    """Return the description of what ``rules.OPTION`` or ``players.SEAT.PARAMETER`` names."""
    kind, _, rest = what.partition(".")
    if kind == "rules":
        specs, name = Rules.options(), rest.partition(".")[0]
    elif kind == "players" and "." in rest:
        seat, _, name = rest.partition(".")
        specs = type(study.players[int(seat)]).parameters()
    else:
        return ""
    return next(str(spec["description"]) for spec in specs if spec["name"] == name)


Pair = tuple[str, Any, Any]


def _edition(a: Study, b: Study) -> Iterator[Pair]:
    if a.edition != b.edition:
        yield "edition", a.edition, b.edition


def _rules(a: Study, b: Study) -> Iterator[Pair]:
    mine, theirs = (_of_table(each, each.rules.to_dict()) for each in (a, b))
    for name, value in mine.items():
        yield from _unequal(f"rules.{name}", value, theirs[name])


def _of_table(study: Study, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options without what is for other numbers of players than sit at the study's table."""
    count, kept = str(len(study.players)), {}
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = {key: each for key, each in value.items() if str(key) == count}
        if value != {}:
            kept[name] = value
    return kept


def _decks(a: Deck, b: Deck) -> Iterator[Pair]:
    if a.fingerprint == b.fingerprint:
        return
    if a.name != b.name:
        yield "deck", a.name, b.name
    birds = [
        {bird.id: bird.model_dump(exclude={"id", "name"}) for bird in deck.birds} for deck in (a, b)
    ]
    for bird in dict.fromkeys([*birds[0], *birds[1]]):
        mine, theirs = (each.get(bird) for each in birds)
        if mine is None or theirs is None:
            copies = [None if fact is None else fact["copies"] for fact in (mine, theirs)]
            yield f"deck.{bird}.copies", copies[0] or 0, copies[1] or 0
        else:
            yield from _unequal(f"deck.{bird}", mine, theirs)


def _players(seat: int, a: Player, b: Player) -> list[Pair]:
    if a.fingerprint == b.fingerprint:
        return []
    key = f"players.{seat}"
    if a.kind == b.kind:
        pairs = list(_unequal(key, a.values, b.values))
        if len(pairs) <= _SINGLE:
            return pairs
    return [(key, a.name, b.name)]


def _unequal(key: str, a: Any, b: Any) -> Iterator[Pair]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in a:
            yield from _unequal(f"{key}.{name}", a[name], b[name])
    elif a != b:
        yield key, a, b


# --- the result -----------------------------------------------------------------------------------


@dataclass(eq=False)
class Comparison:
    """Two studies compared. Equal to another where all numbers are.

    Attributes:
        comparing: What was played.
        sums: Exact sums of both, all rotations together, by player.
        numbers: What `summary` returns.
        seconds: Time that playing took; in it no compiling. None where it was loaded.
        saving_seconds: Time that drawing pictures and writing the results took after that.
        folder: Where it was loaded from or saved to; None if it was not.
        engine: Version of the engine that played.
    """

    comparing: Comparing
    sums: tuple[Sums, Sums]
    numbers: dict[str, Any] = field(repr=False)
    seconds: float | None = None
    folder: Path | None = None
    saving_seconds: float = 0.0
    engine: int = ENGINE_VERSION

    def __eq__(self, other: object) -> bool:
        """Compare what was asked and what came out, not how long it took."""
        if not isinstance(other, Comparison):
            return NotImplemented
        mine, theirs = ((one.comparing, one.sums, one.numbers) for one in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    @property
    def a(self) -> Result:
        """The first study's numbers; where seats were rotated, a "seat" in them is a player."""
        return self._side(self.comparing.a, self.sums[0])

    @property
    def b(self) -> Result:
        """The second study's numbers."""
        return self._side(self.comparing.b, self.sums[1])

    def _side(self, study: Study, sums: Sums) -> Result:
        facts = {"stopped_by": self._unit, "version": self.numbers["version"]}
        return Result(study=study, sums=sums, seconds=0.0, engine=self.engine, **facts)

    @property
    def _unit(self) -> str:
        return self.comparing.a.unit

    def summary(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready: exactly what ``baobei compare --json`` prints.

        Shares are from 0 to 1, counts are means per round; intervals are [low, high] at 95 %. None
        stands where a number does not exist.
        """
        return json.loads(json.dumps(self.numbers))  # type: ignore[no-any-return]

    @cached_property
    def differences(self) -> pd.DataFrame:
        """One row for each number that is compared, the most important first.

        Columns: ``metric``, ``seat`` and ``player`` (missing where it is the table's), ``unit``,
        ``a``, ``b``, ``difference`` (b - a), ``low``, ``high`` (95 %), ``sure`` (``p_holm`` below
        0.05), ``p``, ``p_holm``, ``variance_ratio``, ``smallest_detectable``, ``n`` (blocks) and
        ``n_differ`` (blocks in which it differs).
        """
        from analysis.comparing import differences_frame

        return differences_frame(self.numbers["differences"])

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables by name: ``differences``."""
        return {"differences": self.differences}

    def to_json(self) -> str:
        """Return the summary as JSON text, exactly what ``baobei compare --json`` prints."""
        return to_json(self.numbers)

    # --- for people -------------------------------------------------------------------------------

    def to_text(self, everything: bool = False) -> str:
        """Return what ``baobei compare`` prints, at most 100 columns wide.

        Args:
            everything: All differences, not only the main ones and those that are sure.
        """
        from analysis.comparing import comparison_text

        return comparison_text(
            self.numbers,
            everything=everything,
            seconds=self.seconds,
            saving_seconds=self.saving_seconds,
        )

    def __str__(self) -> str:
        """Return what ``baobei compare`` prints."""
        return self.to_text()

    def __repr__(self) -> str:
        """Say in one line what was compared, and how much of it differs for sure."""
        from analysis.comparing import is_sure, is_tested

        rows = list(filter(is_tested, self.numbers["differences"]))
        sure = sum(map(is_sure, rows))
        a, unit = self.comparing.a, self._unit
        return (
            f"<Comparison of {a.count:,} {unit} each, seed {a.seed}: "
            f"{sure} of {len(rows)} differences are sure>"
        )

    def _repr_html_(self) -> str:
        from analysis.comparing import comparison_html

        return comparison_html(self.numbers)

    @property
    def plot(self) -> ComparisonPlots:
        """Single plots: ``comparison.plot.differences(ax)``; see `ComparisonPlots`."""
        return ComparisonPlots(self)

    # --- folders ----------------------------------------------------------------------------------

    def save(self, folder: PathLike) -> Path:
        """Write the comparison into a folder, which is made if need be, and return its path.

        Where seats stay, ``a`` and ``b`` in it are results folders as of runs.

        Raises:
            InputError: The folder cannot be written to, or holds something else.
        """
        with keeping(folder, _plan(self.comparing)) as keeper:
            return _save(self, keeper)

    def pictures(self) -> dict[str, bytes]:
        """Return the plot of differences by file name, as SVG and PNG."""
        from analysis.plots import comparison_pictures

        return comparison_pictures(self.differences)


@dataclass(frozen=True)
class ComparisonPlots:
    """The plots of a comparison; each takes the axes to draw on, and returns them."""

    comparison: Comparison

    def differences(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw differences with their intervals; see `analysis.plots.differences`."""
        from analysis.plots import differences

        return differences(self.comparison.differences, ax, **options)


def _made(comparing: Comparing, pairs: PairSums, job: PairJob, seconds: float) -> Comparison:
    """Return a comparison with all its numbers."""
    from analysis.comparing import corrected, differing_share

    numbers = _facts(comparing) | {
        "rounds_that_differ": differing_share(pairs.differing, pairs.blocks, comparing.a.count),
        "differences": corrected(list(_rows_of(comparing, pairs, job))),
    }
    return Comparison(comparing, pairs.sums, numbers, seconds)


def _facts(comparing: Comparing) -> dict[str, Any]:
    """Return the part of a summary that says what was compared."""
    a, b = comparing.a, comparing.b
    return {
        "schema": SCHEMA,
        "kind": "comparison",
        "version": str(sim.__version__),
        "seed": a.seed,
        "rounds": a.rounds,
        "games": a.games,
        "blocks": comparing.blocks,
        "rotated": comparing.rotated,
        "a": _told(a),
        "b": _told(b),
        "changed": changed(a, b),
    }


def _told(study: Study) -> dict[str, Any]:
    return {
        "title": study.title,
        "question": study.question,
        "players": [player.name for player in study.players],
        "edition": study.edition,
        "deck": study.deck.name,
        "deck_assumed": study.deck_assumed,
        "rules_changed": _of_table(study, study.rules.changed_from_edition()),
        "rules_id": study.rules_id,
    }


def _rows_of(comparing: Comparing, pairs: PairSums, job: PairJob) -> Iterator[dict[str, Any]]:
    from analysis.comparing import difference_row, median_row

    same = not changed(comparing.a, comparing.b)
    for measure, sums, products, apart in pairs.measured(job):
        of = _of_row(comparing, measure)
        yield difference_row(of, pairs.blocks, sums, products, apart, same)
        if measure.name == _mean(comparing):
            of |= _MEDIANS[measure.name]
            yield median_row(of, pairs.sections, pairs.blocks, pairs.differing, same)


_MEDIANS = {
    "turns.mean": {"metric": "turns.median", "unit": "turns"},
    "game.rounds.mean": {"metric": "game.rounds.median", "unit": "rounds"},
}
"""The medians that come after a mean, by that."""


def _mean(comparing: Comparing) -> str:
    """Return the mean after which a median comes."""
    return "turns.mean" if comparing.a.games is None else "game.rounds.mean"


def _of_row(comparing: Comparing, measure: Measure) -> dict[str, Any]:
    """Return whose number a row of differences is about, and which."""
    seat, player = measure.seat, None
    if seat is not None:
        player = _name(comparing.a.players[seat], comparing.b.players[seat])
    return {"metric": measure.name, "seat": seat, "player": player, "unit": measure.unit}


def _sure_of(comparing: Comparing, both: tuple[Sums, Sums]) -> Iterator[dict[str, Any]]:
    """Yield what the sums of both sides alone say of each row of differences."""
    from analysis.comparing import between, medians

    for measure in measures(len(comparing.a.players), comparing.a.games is not None):
        of = _of_row(comparing, measure) | {"n": comparing.blocks}
        parts = [
            sum(factor * read(sums, entry) for entry, factor in part.items())
            for sums in both
            for part in measure.parts
        ]
        yield of | between(parts)
        if measure.name == _mean(comparing):
            of |= _MEDIANS[measure.name]
            name = "game_rounds" if comparing.a.games else "turns"
            yield of | medians(*(sums.pairs(name) for sums in both))


def _name(a: Player, b: Player) -> str:
    """Return a player's name; both where they are not one player with other parameters."""
    alike = a.name.partition("(")[0] == b.name.partition("(")[0]
    return a.name if alike else f"{a.name} → {b.name}"


# --- playing --------------------------------------------------------------------------------------


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
    ways: dict[str, Any] = {"processes": processes, "dask": dask, "executor": executor}
    return play(comparing, threads=threads, **ways, chunk=chunk, out=out, progress=progress)


def play(
    comparing: Comparing,
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    chunk: int | None = None,
    out: PathLike | None = None,
    progress: Wanted = None,
) -> Comparison:
    """Play what is to be compared; arguments as of `compare`."""
    ways = {"threads": threads, "processes": processes, "dask": dask, "executor": executor}
    check_ways(**ways)
    chunk = count("chunk", chunk, 2**40)
    with nullcontext() if out is None else keeping(out, _plan(comparing)) as keeper:
        if keeper is not None and not comparing.rotated:
            _check_sides(keeper.path, comparing)
        job = PairJob.of(comparing.a, comparing.b, comparing.rotated)
        load_engine(job.a[0], quiet=progress is False)
        with unbroken():
            play_pairs(job, 0, 0)
        start = time.perf_counter()
        pairs = PairSums.empty() if keeper is None else _kept(keeper, comparing, job)
        _play(comparing, job, pairs, ways, chunk, progress, keeper)
        result = _made(comparing, pairs, job, time.perf_counter() - start)
        if keeper is not None:
            _save(result, keeper)
    return result


def _play(
    comparing: Comparing,
    job: PairJob,
    pairs: PairSums,
    ways: dict[str, Any],
    chunk: int | None,
    progress: Wanted,
    keeper: Keeper | None,
) -> None:
    """Mutates `pairs`, sums over the first blocks: play all others; what is done is kept."""
    blocks, unit = comparing.blocks, comparing.a.unit
    size = 2 * comparing.a.count // blocks  # of a block, both studies together
    kept = time.monotonic()
    with (
        opened(**ways) as workers,
        interruptible() as interrupted,
        Progress(progress, size * blocks, unit) as bar,
    ):
        bar.update(size * pairs.blocks)
        sizes = Sizes(job, unit, workers.count, chunk, workers.chunk_seconds)
        rest = [(pairs.blocks, blocks)] if pairs.blocks < blocks else []
        try:
            for part in play_parts(workers.executor, play_pairs, job, rest, sizes, interrupted):
                pairs.add(part.pairs)
                bar.update(size * pairs.blocks)
                if interrupted():
                    raise KeyboardInterrupt
                if keeper is not None:
                    with keeper.writing():  # a folder that is gone is told at once
                        if time.monotonic() - kept > KEEP_SECONDS:
                            _keep(keeper, pairs)
                            kept = time.monotonic()
        finally:
            if keeper is not None and rest and pairs.blocks:
                _keep(keeper, pairs)


# --- folders --------------------------------------------------------------------------------------


def _plan(comparing: Comparing) -> dict[str, Any]:
    return {
        "kind": "comparison",
        "fingerprint": comparing.fingerprint,
        "seed": comparing.a.seed,
        "unit": comparing.a.unit,
        "count": comparing.a.count,
        "study": comparing.to_dict(),
    }


def _check_sides(path: Path, comparing: Comparing) -> None:
    """Check, before anything is played, that the results of both sides can be written."""
    for side, study in zip(SIDES, (comparing.a, comparing.b), strict=True):
        if (path / side / MANIFEST).exists():
            check_same(path / side, read_held(path / side).study, study)


def _keep(keeper: Keeper, pairs: PairSums) -> None:
    """Write down how far playing came: parts come in order, so all blocks up to some."""
    held = {"fingerprint": keeper.plan["fingerprint"], "engine": ENGINE_VERSION}
    with keeper.writing():
        kept = sealed(held | {"pairs": pairs.to_dict()}).decode()
        write(keeper.path / UNFINISHED, kept + "\n")


def _kept(keeper: Keeper, comparing: Comparing, job: PairJob) -> PairSums:
    """Return what `_keep` wrote down of this very comparison, as this engine plays it."""
    wanted = {"fingerprint": keeper.plan["fingerprint"], "engine": ENGINE_VERSION}
    try:
        held = unsealed((keeper.path / UNFINISHED).read_bytes().rstrip(b"\n"))
        if {name: held.get(name) for name in wanted} != wanted:
            return PairSums.empty()
        pairs = PairSums.from_dict(held.get("pairs"))
        for sums, study in zip(pairs.sums, (comparing.a, comparing.b), strict=True):
            sums.check(study)
    except (InputError, OSError, ValueError, AttributeError):
        return PairSums.empty()  # nothing was kept, or somebody has changed it
    size = comparing.a.count // comparing.blocks
    whole = all(
        each.complete and each[comparing.a.unit] == size * pairs.blocks for each in pairs.sums
    )
    right = whole and pairs.blocks <= comparing.blocks and pairs.fits(job)
    return pairs if right else PairSums.empty()


def _save(result: Comparison, keeper: Keeper) -> Path:
    path, start = keeper.path, time.perf_counter()
    sums = {side: each.to_dict() for side, each in zip(SIDES, result.sums, strict=True)}
    with keeper.writing():
        write(path / SUMS, json.dumps(sums) + "\n")
    if not result.comparing.rotated:
        result.a.save(path / "a")
        result.b.save(path / "b")
    keeper.finish(result.numbers, result.tables(), result.pictures)
    with keeper.writing():
        (path / UNFINISHED).unlink(missing_ok=True)
    result.folder, result.saving_seconds = path, time.perf_counter() - start
    return path


class _Shape(Manifest):
    """What is taken from the manifest of a comparison."""

    seed: Count
    unit: str
    count: Count


class _Both(Part):
    a: dict[str, Any]
    b: dict[str, Any]


class _Study(_Both):
    rotated: bool


_SHAPE: TypeAdapter[Any] = TypeAdapter(_Shape)
_STUDY: TypeAdapter[Any] = TypeAdapter(_Study)
_BOTH: TypeAdapter[Any] = TypeAdapter(_Both)


def load_comparison(folder: PathLike) -> Comparison:
    """Return the comparison that a folder holds.

    Raises:
        InputError: There is none in it, or none that is finished or readable; or its files are
            damaged, or do not say the same.
    """
    found = read_comparison(Path(folder))
    if found.engine != ENGINE_VERSION:
        told = printable(str(found.folder))
        warnings.warn(
            f"{told}: played by engine {found.engine}, this is engine {ENGINE_VERSION}: "
            "the same studies give other numbers now",
            stacklevel=2,
        )
    return found


def read_comparison(path: Path) -> Comparison:
    """Return the comparison of a folder as `load_comparison`, whichever engine played it."""
    from analysis.shapes import check_summary

    content = read_schema(_content(path, MANIFEST), path / MANIFEST, "the manifest of a comparison")
    kind = content.get("kind", "run")
    if kind != "comparison":
        problem = f"holds the results of a {kind if isinstance(kind, str) else show(kind)}"
        raise InputError(problem, where=path, expected="a folder of 'baobei compare'")
    manifest = check(_SHAPE, content, path / MANIFEST)
    if not manifest.finished:
        raise InputError("is not finished", where=path, expected="the same command again")
    comparing = _comparing_of(manifest, path / MANIFEST)
    sums = _sums_of(comparing, path)
    file = path / SUMMARY
    numbers = check_summary("comparison", _content(path, SUMMARY), file)
    true: dict[str, Any] = {"version": manifest.version}
    if manifest.version == str(sim.__version__):
        true = _facts(comparing)
        share = numbers["rounds_that_differ"]["count"] / comparing.a.count
        true["rounds_that_differ"] = numbers["rounds_that_differ"] | {"share": share}
        if all(each.complete for each in sums):
            rows: Any = zip_longest(_sure_of(comparing, sums), numbers["differences"], fillvalue={})
            true["differences"] = [row | sure for sure, row in rows if sure]
    check_agrees(some(numbers, true), as_json(true), file, to=f"{MANIFEST} and {SUMS}")
    return Comparison(comparing, sums, numbers, folder=path, engine=manifest.engine)


def _comparing_of(manifest: Any, file: Path) -> Comparing:
    """Return what a manifest says was compared, and check that it is still that."""
    study = check(_STUDY, manifest.study, file, "study")
    with within("study", file):
        with within("a"):
            a = Study.from_dict(study.a)
        with within("b"):
            b = Study.from_dict(study.b)
        _check_alike(a, b)
    comparing = Comparing(a, b, study.rotated)
    if comparing.fingerprint != manifest.fingerprint or (a.seed, a.count) != (b.seed, b.count):
        problem = "is not what was compared: its fingerprint is another"
        raise InputError(problem, where=file, key="study")
    facts = {"seed": a.seed, "unit": a.unit, "count": a.count}
    check_agrees(some(dict(manifest), facts), facts, file)
    return comparing


def _sums_of(comparing: Comparing, path: Path) -> tuple[Sums, Sums]:
    """Return the sums of both sides that a folder holds."""
    held, found = check(_BOTH, _content(path, SUMS), path / SUMS), []
    for side, study in zip(SIDES, (comparing.a, comparing.b), strict=True):
        with within(side, path / SUMS):
            sums = Sums.from_dict(getattr(held, side))
            sums.check(study)
            if sums[study.unit] != study.count:
                raise InputError(
                    "not those of the study",
                    key=study.unit,
                    expected=f"{study.count:,}",
                    got=sums[study.unit],
                )
        with numbers_of(path / SUMS, side):
            Result(study=study, sums=sums, seconds=0.0).summary()
        found.append(sums)
    return found[0], found[1]


def _content(path: Path, name: str) -> dict[str, Any]:
    """Return the content of a JSON file of a folder."""
    try:
        content = read_json(path / name)
    except (FileNotFoundError, NotADirectoryError):
        expected = "a folder written by baobei compare --out"
        raise InputError("no comparison here", where=path, expected=expected) from None
    if not isinstance(content, dict):
        raise InputError("not the file of a comparison", where=path / name)
    return content
