"""Quick ways to play: chunks by the engine alone, and event logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.batch.job import Job
from sim.core.codes import RECORD_COLUMNS, Fault
from sim.core.layout import GAME_LENGTHS, TALLY, TURNS_BY_END, new_record, new_state
from sim.engine.play import play_chunk
from sim.game.study import Study
from sim.watch.trace import trace


@dataclass(frozen=True)
class Played:
    """What came of many rounds or games: sums, histograms, and a row for each round and seat."""

    tally: Any
    turns: Any
    recyclings: Any
    game_rounds: Any
    rows: Any

    def column(self, name: str) -> Any:
        """A column of the records, as rounds × seats where all rounds have as many seats."""
        return self.rows[:, RECORD_COLUMNS.index(name)]

    def per_round(self, name: str) -> Any:
        """A column of the records, rounds × seats."""
        seats = int(self.column("seat").max()) + 1
        return self.column(name).reshape(-1, seats)


def play(study: Study, count: int, begin: int = 0, records: bool = True) -> Played:
    """Play units `begin` … of a study by the chunk function of the engine alone."""
    job, state, tally = Job.of(study), new_state(), new_record(TALLY)
    histograms = job.histograms()
    per_unit = len(study.players) * (study.rules.max_rounds if study.games else 1)
    rows = np.zeros((per_unit * count if records else 0, len(RECORD_COLUMNS)), np.int32)
    arrays = [*histograms.values(), rows, job.games(count)]
    seed = np.uint64(study.seed)
    end, written = play_chunk(state, job.table, seed, begin, begin + count, tally, *arrays)
    assert state.fault == Fault.NONE
    assert end == begin + count
    lengths = histograms["turns"][TURNS_BY_END : TURNS_BY_END + 3].sum(axis=0)
    rounds = histograms["game_rounds"][GAME_LENGTHS]
    return Played(tally, lengths, histograms["recyclings"], rounds, rows[:written])


Events = list[dict[str, Any]]


def logs(study: Study, count: int) -> list[Events]:
    """The event logs of the first rounds, or games, of a study."""
    return [trace(study, index).events for index in range(count)]


def number(rounds: list[Events], kind: str, **fields: Any) -> int:
    """How many events of a kind have these values in these fields."""
    return sum(
        event["event"] == kind and all(event[key] == value for key, value in fields.items())
        for events in rounds
        for event in events
    )
