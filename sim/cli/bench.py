"""How fast the engine plays here: rounds a second, a turn's cost in shuffles, the cost of counting.

One thread's figure is the fastest of several repetitions of the same rounds; repetitions of the
yardstick, a full shuffle of 66 bytes, stand in between, and so do rounds in which nothing is
counted for the tally, so all meet the same clock speed.
"""

from __future__ import annotations

import math
import platform
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from sim.batch.executors import cores
from sim.batch.job import Job, load_engine, play
from sim.batch.pack import pack
from sim.core.copying import copied
from sim.core.layout import TALLY, new_record, new_state
from sim.game.players import Player
from sim.game.study import Study

PLAYERS = (2, 4, 6)
"""Numbers of players that are measured."""

REPETITIONS = 12

_SHUFFLES = 2000
_COPIES = 10_000
_CARDS = 66


def measure(player: Player, seconds: float = 4.0) -> dict[str, Any]:
    """Return what was measured, JSON-ready.

    Args:
        player: Sits at every seat.
        seconds: Time for each number of players, roughly.

    Returns:
        ``machine``: processor, cores, versions. ``player``: its name. ``tables``: for each number
        of players: ``rounds_per_second`` and ``ns_per_turn`` of one thread, ``turns_per_round``,
        ``shuffle_ns``, ``turn_in_shuffles``, ``counting`` (share of the time that counting takes),
        ``threads`` and ``rounds_per_second_all`` of all. ``copy``: what a player that searches
        copies of a state: ``bytes``, ``ns``, and how many turns of the middle table that is.
    """
    import numba

    machine = {
        "processor": processor(),
        "cores": cores(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }
    tables = [_table(player, players, seconds) for players in PLAYERS]
    copy = _copy(player)
    copy["in_turns"] = copy["ns"] / tables[len(tables) // 2]["ns_per_turn"]
    return {"machine": machine, "player": player.name, "tables": tables, "copy": copy}


def _table(player: Player, players: int, seconds: float) -> dict[str, Any]:
    job = Job.of(Study.of(players=[player] * players, rounds=1))
    load_engine(job, quiet=True)
    rounds = _rounds_in(job, seconds / 2 / REPETITIONS)
    seconds_of: dict[bool, list[float]] = {True: [], False: []}
    shuffles = []
    for _ in range(REPETITIONS):
        shuffles.append(_shuffle_seconds())
        for counting in (True, False):
            seconds_of[counting].append(_chunk_seconds(job, rounds, counting))
    turns = sum(value * times for value, times in play(job, 0, rounds).sums.pairs("turns"))
    best, shuffle = min(seconds_of[True]), min(shuffles)
    turn = best / turns
    return {
        "players": players,
        "rounds_per_second": rounds / best,
        "turns_per_round": turns / rounds,
        "ns_per_turn": 1e9 * turn,
        "shuffle_ns": 1e9 * shuffle,
        "turn_in_shuffles": turn / shuffle,
        "counting": 1 - min(seconds_of[False]) / best,
        "threads": cores(),
        "rounds_per_second_all": _all_cores(job, rounds, seconds / 2),
    }


def _chunk_seconds(job: Job, rounds: int, counting: bool) -> float:
    """Return the time of playing rounds, with or without counting for the tally."""
    from sim.engine.play import play_chunk

    state, tally, histograms = new_state(), new_record(TALLY), job.histograms()
    state.counting = int(counting)
    arrays = [*histograms.values(), job.rows(0), job.games(0)]
    start = time.perf_counter()
    play_chunk(state, job.table, np.uint64(job.seed), 0, rounds, tally, *arrays)
    return time.perf_counter() - start


def _rounds_in(job: Job, seconds: float) -> int:
    """Return how many rounds take about so long."""
    rounds = 64
    while True:
        part = play(job, 0, rounds)
        if part.seconds > seconds / 4:
            return max(1, int(rounds * seconds / part.seconds))
        rounds *= 2


def _shuffle_seconds() -> float:
    """Return the time of one full shuffle of 66 bytes."""
    from sim.engine.bench import shuffle_many

    cards = np.arange(_CARDS, dtype=np.int8)
    shuffle_many(cards, 1, np.uint64(1))
    start = time.perf_counter()
    shuffle_many(cards, _SHUFFLES, np.uint64(1))
    return (time.perf_counter() - start) / _SHUFFLES


def _copy(player: Player) -> dict[str, Any]:
    """Return the size of what is copied of a state for a search, and the best time of a copy."""
    from sim.engine.bench import copy_many

    table, source, target = pack(Study.of(players=[player] * 2, rounds=1)), new_state(), new_state()
    copy_many(source, target, table, 1)
    best = math.inf
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        copy_many(source, target, table, _COPIES)
        best = min(best, (time.perf_counter() - start) / _COPIES)
    return {"bytes": copied(table).itemsize, "ns": 1e9 * best}


def _all_cores(job: Job, rounds: int, seconds: float) -> float:
    """Return rounds a second with a thread on every core: the best of several batches."""
    threads = cores()
    batch = 4 * threads * rounds
    best = 0.0
    with ThreadPoolExecutor(threads) as executor:
        end = time.perf_counter() + seconds
        while best == 0 or time.perf_counter() < end:
            start = time.perf_counter()
            list(executor.map(lambda at: play(job, at, at + rounds), range(0, batch, rounds)))
            best = max(best, batch / (time.perf_counter() - start))
    return best


def processor() -> str:
    """Return the processor's name as far as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def text(figures: dict[str, Any]) -> str:
    """Return the measurements as a table."""
    from analysis.text.terminal import align

    machine, copy = figures["machine"], figures["copy"]
    cells = [
        [
            str(row["players"]),
            f"{row['rounds_per_second']:,.0f}",
            f"{row['rounds_per_second_all']:,.0f}",
            f"{row['turns_per_round']:.1f}",
            f"{row['ns_per_turn']:.0f}",
            f"{row['shuffle_ns']:.0f}",
            f"{row['turn_in_shuffles']:.2f}",
            f"{100 * row['counting']:.1f}",
        ]
        for row in figures["tables"]
    ]
    threads = figures["tables"][0]["threads"]
    headings = ["players", "rounds/s", f"on {threads} threads", "turns a round"]
    headings += ["ns a turn", "ns a shuffle", "in shuffles", "counting %"]
    lines = [
        f"{machine['processor']}, {machine['cores']} cores; Python {machine['python']}, "
        f"numba {machine['numba']}, numpy {machine['numpy']}",
        f"'{figures['player']}' at every seat",
        "",
        *align(cells, headings, left=()),
        "",
        f"a copy of the state, for a search: {copy['ns']:.0f} ns for {copy['bytes']:,} bytes, "
        f"{copy['in_turns']:.2f} of a turn at {PLAYERS[len(PLAYERS) // 2]} players",
    ]
    return "\n".join(lines)
