"""A job: all that a worker needs to know to play any range of units of a study.

A chunk is a range of units (rounds, or whole games), and a pure function of the packed study,
the seed and the range: `play`. Sums are whole numbers, merged in index order. So a result is the
same, byte for byte, for any number of threads and any size of chunks, for processes and clusters,
and for a run that was interrupted and resumed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.batch.pack import pack
from sim.batch.progress import announce_compiling
from sim.batch.schedule import Part, unbroken
from sim.batch.sums import Sums
from sim.core.codes import QUESTIONS, RECORD_COLUMNS, REFUSALS, Fault
from sim.core.layout import GAME_COLUMNS, ROUND_ROWS, TALLY, TURN_ROWS, new_record, new_state
from sim.engine import ENGINE_VERSION as ENGINE_VERSION
from sim.errors import BaobeiError, InputError
from sim.game.study import Study

GAME_ROWS = 2**16
"""Rows of the buffer into which the records of games are written, at least."""

MOST_GAMES = 2**14
"""The most games of which something is held for each until it is added up."""


@dataclass(frozen=True)
class Job:
    """What a worker needs to know to play any chunk of a run; can be pickled.

    Attributes:
        table: `Table` record: rules, deck and players.
        seed: 0 to 2**64 - 1.
        records: Whether rows of records are to be kept.
        engine: Version of the engine; a worker that has another one refuses.
    """

    table: Any
    seed: int
    records: bool = False
    engine: int = ENGINE_VERSION

    @classmethod
    def of(cls, study: Study, records: bool = False) -> Job:
        """Return the job of a study."""
        return cls(pack(study), study.seed, records)

    def check_engine(self) -> None:
        """Check that this process has the engine that the run needs.

        Raises:
            InputError: It has another version.
        """
        if self.engine != ENGINE_VERSION:
            problem = f"a worker has engine {ENGINE_VERSION}, the run needs engine {self.engine}"
            raise InputError(problem, expected="the same version of the program everywhere")

    def play(self, begin: int, end: int) -> Part:
        """Play units `begin` to `end` - 1; see `play`."""
        return play(self, begin, end)

    def histograms(self) -> dict[str, Any]:
        """Return zeroed histograms, int64, that no round of this job can overrun.

        A turn draws at most one card, then the penalty of its one pluck (INV-3) and two cards for
        each of its three powers at most; each draw can force one recycling. A total lies between
        that of all cards below 0 and that of all above.
        """
        table = self.table
        below, above = self._values()
        turns, rounds = int(table.rule_max_turns), int(table.rule_max_rounds)
        draws = 1 + int(table.rule_penalty_cards) + 3 * 2
        shapes = {
            "turns": (TURN_ROWS, turns + 1),
            "recyclings": (turns * draws + 1,),
            "game_rounds": (ROUND_ROWS, rounds + 1),
            "call_totals": (4, 2 * max(below, above) + 1),
        }
        return {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}

    def rows(self, units: int) -> Any:
        """Return the buffer for the records of a chunk, int32; no rows where none are kept."""
        players, table = int(self.table.players), self.table
        if not self.records:
            size = 0
        elif table.games:
            size = max(GAME_ROWS, players * int(table.rule_max_rounds))  # one game must fit
        else:
            size = players * units
        return np.zeros((size, len(RECORD_COLUMNS)), np.int32)

    def games(self, units: int) -> Any:
        """Return the buffer for what is kept of each game, int64; one row where rounds are played.

        Args:
            units: That are played at most.
        """
        size = min(max(units, 1), MOST_GAMES) if self.table.games else 1
        return np.zeros((size, GAME_COLUMNS), np.int64)

    def _values(self) -> tuple[int, int]:
        """Return what all cards below 0 are worth together, without its sign, and all above 0."""
        values = [int(value) for value in self.table.value[: self.table.cards]]
        return -sum(min(value, 0) for value in values), sum(max(value, 0) for value in values)

    def most_units(self) -> int:
        """Return how many units can be played before any sum of a chunk could leave int64.

        Bounds are from the deck and the rules alone, far from anything that is ever played, and
        so never felt except with absurd values. At least 1, whatever the deck and the rules.
        """
        table = self.table
        below, above = self._values()
        players, hand = int(table.players), int(table.hand_size[table.players])
        turns, threshold = int(table.rule_max_turns), int(table.threshold)
        rounds = int(table.rule_max_rounds) if table.games else 1
        # Scores of a round, all seats together and without signs: no card counts twice, but for a
        # declarer who fails. Those of a game above 0: every seat's sum ends at the threshold.
        factor, least = int(table.rule_bao_failure_factor), int(table.rule_bao_failure_minimum)
        scores = max(above * factor, least) + above + below
        together = min(rounds * scores, players * threshold + scores + 2 * rounds * below)
        sums = max(threshold + scores, rounds * below)
        return (2**63 - 1) // max(
            rounds * turns**2,  # turns and plucks; chances are a few in a turn, cards but 128
            rounds * turns * 10**6,  # confidence, of one pluck a turn, in millionths; wins
            rounds * (above + below) ** 2,  # totals
            # Scores apart are differences to each of the others; they count for each card in hand.
            (hand * (players - 1)) ** 2 * scores * together,
            *((sums**2, sums * rounds) if table.games else ()),
        )


def play(job: Job, begin: int, end: int) -> Part:
    """Play units `begin` to `end` - 1: the one pure function that every run is made of.

    Raises:
        EngineError: A policy answered against the rules, which is a bug.
        InputError: The job is for another version of the engine.
    """
    from sim.engine.play import play_chunk

    job.check_engine()
    start = time.perf_counter()
    state, buffer, games = new_state(), job.rows(end - begin), job.games(end - begin)
    pieces, kept = [], []
    at = begin
    while True:
        tally, histograms, first = new_record(TALLY), job.histograms(), at
        arrays = [*histograms.values(), buffer, games]
        with np.errstate(over="ignore"):  # without the compiler numpy minds wrapping numbers
            at, written = play_chunk(state, job.table, np.uint64(job.seed), at, end, tally, *arrays)
        check_fault(state, job)
        pieces.append(Sums.of(tally, histograms, games[: at - first] if job.table.games else ()))
        if written:
            kept.append(buffer[:written].copy())
        if at >= end:
            break
    return Part(begin, end, Sums.together(pieces), time.perf_counter() - start, kept)


class EngineError(BaobeiError):
    """A bug: the engine or a shipped policy has done what it must never do."""


def broken_rules(verdict: int) -> list[str]:
    """The ids of the rules in a verdict of `sim.core.legal`."""
    return [rule for k, rule in enumerate(REFUSALS) if verdict >> k & 1]


def raise_fault(state: Any) -> None:
    """Report a policy that answered against the rules.

    Raises:
        EngineError: `State.fault` is set.
    """
    if state.fault == Fault.NONE:
        return
    raise EngineError(
        f"unit {state.index}, turn {state.turn}: seat {state.fault_seat} answered "
        f"'{QUESTIONS[state.fault_question]}' against {', '.join(broken_rules(state.fault_rules))}"
    )


def check_fault(state: Any, job: Job) -> None:
    """Raise the engine's error if there was one, with the command that shows what happened.

    Raises:
        EngineError: A policy answered against the rules, which is a bug.
    """
    if state.fault == Fault.NONE:
        return
    unit = "game" if job.table.games else "round"
    try:
        raise_fault(state)
    except EngineError as error:
        again = f"baobei trace --seed {job.seed} --{unit} {state.index}"
        raise EngineError(f"a bug in a player: {error}; to see it: {again}") from None


def load_engine(job: Job, quiet: bool = False) -> float:
    """Compile the engine, or load it from its cache, in this thread; return the seconds it took."""
    start = time.perf_counter()
    with unbroken():
        from sim.core.jit import has_room, is_compiled
    announce_compiling(quiet, "play_chunk")
    if not is_compiled("play_chunk") and has_room():
        _compile_apart()
    with unbroken():
        play(job, 0, 0)
    return time.perf_counter() - start


def _compile_apart() -> None:
    """Let another process compile what is not in the cache yet.

    Code plays up to a quarter slower in the process that compiled it than in one that loaded it.
    Whatever goes wrong here does no harm: then this process compiles.
    """
    if not sys.executable:
        return
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with suppress(OSError):
        subprocess.run(
            [sys.executable, "-c", _COMPILE],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )


_COMPILE = """
from sim.core import jit
jit.KEEP_OR_FAIL = True
from sim.batch.job import Job, play
from sim.game.study import Study
play(Job.of(Study.of(players="random,random", rounds=1)), 0, 0)
"""
