"""Learn from play what becomes of a lead once BAO is called: `CALL` in `sim/policies/heuristic.py`.

Players that call too early, at leads of all sizes, play among good ones. Of each call is kept what
the caller thought of the table, and whether it succeeded. `CALL` is what makes that likeliest.
Example::

    python results/learn.py --rounds 20000
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import click
import cmaes
import numba
import numpy as np

from sim.batch.pack import pack
from sim.core.codes import Stage
from sim.core.knowledge import unknown_value
from sim.core.layout import BAO_WON, MAX_PLAYERS, NONE, RUNNING, new_state
from sim.engine.play import advance, start
from sim.game.players import Player, load_player
from sim.game.study import Study
from sim.policies import heuristic

EAGER = [(-3, 2), (0, 2), (2, 2), (4, 1), (0, 3)]
"""Leads (points) from which callers call, and unknown own cards that they allow."""
BOUND = 1e-6
"""No chance is thought to be nearer to 0 or 1."""

Calls = dict[str, Any]
"""Arrays of calls: ``own``, ``unknown``, ``won`` (calls); ``theirs``, ``cards``, ``hidden`` (calls ×
rivals)."""


@numba.njit(error_model="numpy")
def _seen_by_caller(state: Any, table: Any, seen: Any) -> None:
    """Write what the caller thinks: own total, unknown cards; of rivals total, cards, unknown."""
    caller = np.int64(state.bao_by)
    mean = unknown_value(state, table, caller)
    seen[0, 0] = heuristic.own_total(state, table, caller, mean)
    seen[0, 1] = state.own_unknown[caller]
    for step in range(1, state.players):
        rival = np.int64((caller + step) % state.players)
        seen[step, 0] = heuristic.estimated_total(state, table, caller, rival, mean)
        seen[step, 1] = state.n_cards[rival]
        seen[step, 2] = heuristic.unknown_count(state, table, caller, rival)


def calls_of(players: Sequence[Player], rounds: int, seed: int) -> Iterator[tuple[Any, bool]]:
    """Yield what each caller of some rounds thought, and whether the call succeeded."""
    table, state = pack(Study.of(players=players, rounds=1)), new_state()
    for index in range(rounds):
        start(state, table, index)
        seen = None
        while state.stage != Stage.DONE:
            advance(state, table, np.uint64(seed))
            if seen is None and state.bao_by != NONE and state.reason == RUNNING:
                seen = np.zeros((MAX_PLAYERS, 3))
                _seen_by_caller(state, table, seen)
        if seen is not None:
            yield seen[: len(players)], state.bao_outcome == BAO_WON


def played(champion: Player, count: int, rounds: int) -> Calls:
    """Return calls among `count` players, by eager callers alone and among their like."""
    found = []
    for k, (margin, unknown) in enumerate(EAGER):
        changes = {"bao_margin": margin, "bao_unknown_max": unknown, "bao_confidence": 0}
        eager = champion.with_changes(bao_threshold=30, **changes)
        for table in ([eager] + [champion] * (count - 1), [eager] * count):
            found += list(calls_of(table, rounds, 11 + k))
    seen = np.array([each for each, _ in found])
    own, rivals = seen[:, 0], seen[:, 1:]
    calls = {"own": own[:, 0], "unknown": own[:, 1], "won": np.array([won for _, won in found])}
    return calls | {name: rivals[..., k] for k, name in enumerate(("theirs", "cards", "hidden"))}


def chance(call: Any, calls: Calls, variance: float) -> Any:
    """Return the chance of each call to succeed, as `heuristic.chance_lowest` reckons it."""
    theirs, cards = calls["theirs"], np.maximum(calls["cards"], 1)
    lead = theirs - calls["own"][:, None] - (call[0] + call[1] * cards + call[2] * theirs / cards)
    spread = abs(call[3]) + variance * (
        abs(call[4]) * calls["unknown"][:, None] + abs(call[5]) * calls["hidden"]
    )
    return np.prod(_normal(lead / np.sqrt(1e-9 + spread)), axis=1)


@numba.vectorize
def _normal(x: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * (1 + math.erf(x / np.sqrt(2)))


def surprise(call: Any, tables: Sequence[Calls], variance: float) -> float:
    """Return how much calls surprise who believes in `call`: mean of -log chance, in nats."""
    total = 0.0
    for calls in tables:
        sure = np.clip(chance(call, calls, variance), BOUND, 1 - BOUND)
        total -= float(np.mean(np.log(np.where(calls["won"], sure, 1 - sure))))
    return total / len(tables)


@click.command()
@click.option("--rounds", default=8_000, show_default=True, help="Rounds of each table.")
@click.option("--steps", default=120, show_default=True, help="Steps of the search.")
@click.argument("name", default="elephant")
def main(name: str, rounds: int, steps: int) -> None:
    """Print the six numbers of CALL, and how well they foretell the calls of 2 and 4 players."""
    champion = load_player(name)
    table = pack(Study.of(players=[champion] * 2, rounds=1))
    variance = float(table.deck_sd) ** 2
    tables = [played(champion, count, rounds) for count in (2, 4)]
    search = cmaes.CMA(mean=np.array(heuristic.CALL), sigma=1.0, seed=1)
    for _ in range(steps):
        tried = [search.ask() for _ in range(search.population_size)]
        search.tell([(call, surprise(call, tables, variance)) for call in tried])
    best = np.concatenate([search.mean[:3], np.abs(search.mean[3:])])
    click.echo(f"CALL = ({', '.join(f'{value:.2f}' for value in best)})")
    for call, what in ((best, "so learnt"), (np.array(heuristic.CALL), "as it is")):
        click.echo(f"{what}: {surprise(call, tables, variance):.4f} nats a call")
    for calls in tables:
        sure = chance(best, calls, variance)
        for tenth in np.array_split(np.argsort(sure), 10):
            click.echo(f"  thought {sure[tenth].mean():.3f}, true {calls['won'][tenth].mean():.3f}")


if __name__ == "__main__":
    main()
