"""Two studies compared: what came of it, and what can be said of that."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, FiniteFloat, model_validator
from pydantic_core import PydanticCustomError

import sim
from analysis.blocks import Block
from analysis.comparing import (
    between,
    corrected,
    difference_row,
    differences_frame,
    differing_share,
    is_sure,
    is_tested,
    median_row,
    medians,
)
from analysis.results.run import Result
from analysis.results.shared import AnyResult
from analysis.text.comparison import comparison_blocks, comparison_text
from sim.batch.job import ENGINE_VERSION
from sim.batch.pairs import PairJob, PairSums
from sim.batch.sums import Sums
from sim.errors import InputError, show, within
from sim.game.comparison import Comparing, changed, check_alike, of_table
from sim.game.documents import (
    SCHEMA,
    Count,
    Ends,
    Manifest,
    Number,
    Shape,
    Share,
    as_json,
    check,
    check_agrees,
    numbers_of,
    read_schema,
    some,
)
from sim.game.files import PathLike, read_json
from sim.game.players import Player
from sim.game.study import Study
from sim.metrics import MEDIANS, Measure, Metric, measures
from sim.store.files import write
from sim.store.folder import MANIFEST, SUMMARY
from sim.store.tasks import SIDES, SUMS, Keeper, keeping

if TYPE_CHECKING:
    import pandas as pd

    from analysis.plots import ComparisonPlots


@dataclass(eq=False)
class Comparison(AnyResult):
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
        return differences_frame(self.numbers["differences"])

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables by name: ``differences``."""
        return {"differences": self.differences}

    # --- for people -------------------------------------------------------------------------------

    def to_text(self, everything: bool = False) -> str:
        """Return what ``baobei compare`` prints, at most 100 columns wide.

        Args:
            everything: All differences, not only the main ones and those that are sure.
        """
        took: Any = {"seconds": self.seconds, "saving_seconds": self.saving_seconds}
        return comparison_text(self.numbers, everything=everything, **took)

    def __repr__(self) -> str:
        """Say in one line what was compared, and how much of it differs for sure."""
        rows = list(filter(is_tested, self.numbers["differences"]))
        sure = sum(map(is_sure, rows))
        a, unit = self.comparing.a, self._unit
        return (
            f"<Comparison of {a.count:,} {unit} each, seed {a.seed}: "
            f"{sure} of {len(rows)} differences are sure>"
        )

    def blocks(self) -> list[Block]:
        """Return what notebooks show of it."""
        return comparison_blocks(self.numbers)

    @property
    def plot(self) -> ComparisonPlots:
        """Single plots: ``comparison.plot.differences(ax)``; see `ComparisonPlots`."""
        from analysis.plots import ComparisonPlots

        return ComparisonPlots(self)

    # --- folders ----------------------------------------------------------------------------------

    def save(self, folder: PathLike) -> Path:
        """Write the comparison into a folder, which is made if need be, and return its path.

        Where seats stay, ``a`` and ``b`` in it are results folders as of runs.

        Raises:
            InputError: The folder cannot be written to, or holds something else.
        """
        with keeping(folder, self.comparing) as keeper:
            return save(self, keeper)

    def pictures(self) -> dict[str, bytes]:
        """Return the plot of differences by file name, as SVG and PNG."""
        from analysis.plots import comparison_pictures

        return comparison_pictures(self.differences)


def made(comparing: Comparing, pairs: PairSums, job: PairJob, seconds: float) -> Comparison:
    """Return a comparison with all its numbers."""
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
        "rules_changed": of_table(study, study.rules.changed_from_edition()),
        "rules_id": study.rules_id,
    }


def _rows_of(comparing: Comparing, pairs: PairSums, job: PairJob) -> Iterator[dict[str, Any]]:
    same = not changed(comparing.a, comparing.b)
    for measure, sums, products, apart in pairs.measured(job):
        of = _of_row(comparing, measure)
        yield difference_row(of, pairs.blocks, sums, products, apart, same)
        if (median := _median(comparing, measure)) is not None:
            of |= {"metric": median.name, "unit": median.unit}
            yield median_row(of, pairs.sections, pairs.blocks, pairs.differing, same)


def _median(comparing: Comparing, measure: Measure) -> Metric | None:
    """Return the median that comes after a mean, if one does."""
    found = MEDIANS.get(measure.name)
    games = comparing.a.games is not None
    return found if found is not None and found.of_games == games else None


def _of_row(comparing: Comparing, measure: Measure) -> dict[str, Any]:
    """Return whose number a row of differences is about, and which."""
    seat, player = measure.seat, None
    if seat is not None:
        player = _name(comparing.a.players[seat], comparing.b.players[seat])
    return {"metric": measure.name, "seat": seat, "player": player, "unit": measure.unit}


def _sure_of(comparing: Comparing, both: tuple[Sums, Sums]) -> Iterator[dict[str, Any]]:
    """Yield what the sums of both sides alone say of each row of differences."""
    for measure in measures(len(comparing.a.players), comparing.a.games is not None):
        of = _of_row(comparing, measure) | {"n": comparing.blocks}
        parts = [sums.whole(part) for sums in both for part in measure.parts]
        yield of | between(parts)
        if (median := _median(comparing, measure)) is not None:
            of |= {"metric": median.name, "unit": median.unit}
            (name,) = median.formula.histograms
            yield of | medians(*(sums.pairs(name) for sums in both))


def _name(a: Player, b: Player) -> str:
    """Return a player's name; both where they are not one player with other parameters."""
    alike = a.name.partition("(")[0] == b.name.partition("(")[0]
    return a.name if alike else f"{a.name} → {b.name}"


def save(result: Comparison, keeper: Keeper) -> Path:
    """Write a comparison into a keeper's folder and return its path."""
    path, start = keeper.path, time.perf_counter()
    sums = {side: each.to_dict() for side, each in zip(SIDES, result.sums, strict=True)}
    with keeper.writing():
        write(path / SUMS, json.dumps(sums) + "\n")
    if not result.comparing.rotated:
        result.a.save(path / "a")
        result.b.save(path / "b")
    keeper.write(result.numbers, result.tables(), result.pictures)
    result.folder, result.saving_seconds = path, time.perf_counter() - start
    return path


class _Manifest(Manifest):
    """What is taken from the manifest of a comparison."""

    seed: Count
    unit: str
    count: Count


class _Both(Shape):
    a: dict[str, Any]
    b: dict[str, Any]


class _Study(_Both):
    rotated: bool


class _Differing(Shape):
    count: Count


class _Difference(Shape):
    metric: str
    seat: Count | None
    player: str | None
    unit: str
    a: Number
    b: Number
    difference: Number
    ci95: Ends
    p: Share
    p_holm: Share
    variance_ratio: Annotated[FiniteFloat, Field(ge=0)] | None
    smallest_detectable: Annotated[FiniteFloat, Field(ge=0)] | None
    n: Count
    n_differ: Count

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.p is not None and self.n_differ > self.n:  # a median tells rounds, not blocks
            raise PydanticCustomError("n_differ", "at most as many that differ as there are")
        if (self.p is None) != (self.p_holm is None):
            raise PydanticCustomError("p", "p and p_holm, or null twice")
        low, high = self.ci95
        known = self.difference is not None and low is not None
        if not known and (self.p is not None or (low or 0) > 0 or (high or 0) < 0):
            raise PydanticCustomError("ends", "a difference with its interval")
        if (self.seat is None) != (self.player is None):
            raise PydanticCustomError("seat", "a seat with its player, or null twice")
        return self


class _Numbers(Shape):
    rounds_that_differ: _Differing
    differences: list[_Difference]


def read_comparison(path: Path) -> Comparison:
    """Return the comparison of a folder as `load_comparison`, whichever engine played it."""
    content = read_schema(_content(path, MANIFEST), path / MANIFEST, "the manifest of a comparison")
    kind = content.get("kind", "run")
    if kind != "comparison":
        problem = f"holds the results of a {kind if isinstance(kind, str) else show(kind)}"
        raise InputError(problem, where=path, expected="a folder of 'baobei compare'")
    manifest = check(_Manifest, content, path / MANIFEST)
    if not manifest.finished:
        raise InputError("is not finished", where=path, expected="the same command again")
    comparing = _comparing_of(manifest, path / MANIFEST)
    sums = _sums_of(comparing, path)
    file = path / SUMMARY
    content = read_schema(_content(path, SUMMARY), file, "the summary of results")
    check(_Numbers, content, file)
    with numbers_of(file, "rounds_that_differ.count"):
        count = content["rounds_that_differ"]["count"]
        differing = differing_share(count, comparing.blocks, comparing.a.count)
    numbers = _facts(comparing) | {"version": manifest.version, "rounds_that_differ": differing}
    numbers["differences"], seats = content["differences"], len(comparing.a.players)
    for k, row in enumerate(numbers["differences"]):
        if row["seat"] is not None and row["seat"] >= seats:
            place, expected = f"differences.{k}.seat", f"seats from 0 to {seats - 1}"
            raise InputError("damaged", where=file, key=place, expected=expected, got=row["seat"])
    true: dict[str, Any] = {"version": manifest.version}
    if manifest.version == str(sim.__version__):
        true = dict(numbers)
        if all(each.complete for each in sums):
            rows: Any = zip_longest(_sure_of(comparing, sums), content["differences"], fillvalue={})
            true["differences"] = [row | sure for sure, row in rows if sure]
    check_agrees(some(content, true), as_json(true), file, to=f"{MANIFEST} and {SUMS}")
    return Comparison(comparing, sums, numbers, folder=path, engine=manifest.engine)


def _comparing_of(manifest: Any, file: Path) -> Comparing:
    """Return what a manifest says was compared, and check that it is still that."""
    study = check(_Study, manifest.study, file, "study")
    with within("study", file):
        with within("a"):
            a = Study.from_dict(study.a)
        with within("b"):
            b = Study.from_dict(study.b)
        check_alike(a, b)
    comparing = Comparing(a, b, study.rotated)
    if comparing.fingerprint != manifest.fingerprint or (a.seed, a.count) != (b.seed, b.count):
        problem = "is not what was compared: its fingerprint is another"
        raise InputError(problem, where=file, key="study")
    facts = {"seed": a.seed, "unit": a.unit, "count": a.count}
    check_agrees(some(dict(manifest), facts), facts, file)
    return comparing


def _sums_of(comparing: Comparing, path: Path) -> tuple[Sums, Sums]:
    """Return the sums of both sides that a folder holds."""
    held, found = check(_Both, _content(path, SUMS), path / SUMS), []
    for side, study in zip(SIDES, (comparing.a, comparing.b), strict=True):
        with within(side, path / SUMS):
            sums = Sums.from_dict(getattr(held, side))
            sums.check(study)
            if (got := sums[study.unit]) != study.count:
                problem, expected = "not those of the study", f"{study.count:,}"
                raise InputError(problem, key=study.unit, expected=expected, got=got)
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
