"""Calibrate: how often are players right that mix up cards, for how right they reckon to be?

Equal players that pluck on a slight hope play at tables of several sizes, for several rates of
mixing up. For each rate a curve is fitted, by likelihood, that turns what they reckon into what
proves true. Since they play otherwise with another curve, it is fitted again to what they do with
it. Writes `sim/data/confidence.toml`; a change of it changes the numbers of players that mix up::

    python results/calibrate.py --rounds 400000 --times 3

Small rates get more rounds, since unsure plucks are rare there.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from sim.confidence import FILE, curves, drawn
from sim.engine.jit import entry
from sim.engine.play import advance, start
from sim.engine.state import CURVE, STAGE_DONE, new_state
from sim.executors import cores
from sim.pack import pack
from sim.study import Study

Floats = NDArray[np.float64]

KNOTS = np.concatenate([np.arange(-2.5, 4.0, 0.5), [4.0, 5.0]])
"""Log-odds at which a curve is fitted."""

RATES = (0.003, 0.007, 0.01, 0.015, 0.02, 0.035, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
PLAYERS = (2, 4, 6)
HOPE = 0.2
"""They pluck from this confidence on, so that every confidence occurs."""

BINS = 400
SMOOTH = 30.0
"""How many plucks speak against a bend of 1 in the shift of the log-odds from knot to knot."""


@entry
def watch(state, table, seed, rounds, sums):  # type: ignore[no-untyped-def]
    """Mutates `sums` (float64, 2 x BINS x 3): plucks, hits and confidences by claims and bin."""
    for index in range(rounds):
        start(state, table, index)
        while state.stage != STAGE_DONE:
            advance(state, table, seed)
            if state.plucker >= 0 and state.sure == state.sure:
                k = min(int(state.sure * BINS), BINS - 1)
                sums[state.n_targets - 1, k, 0] += 1.0
                sums[state.n_targets - 1, k, 1] += state.hit
                sums[state.n_targets - 1, k, 2] += state.sure


def plucks(players: int, rate: float, rounds: int, seed: int, values: Floats) -> Floats:
    """Return what `watch` counts among players with a curve (2 x knots)."""
    player = {
        "base": "balanced",
        "mix_up_rate": rate,
        "pluck_confidence": HOPE,
        "pluck_rival_confidence": HOPE,
    }
    table = pack(Study.of(players=[player] * players, rounds=1))
    for claims in range(2):
        table.curve[:players, claims] = drawn(KNOTS, values[claims], CURVE)
    sums = np.zeros((2, BINS, 3))
    watch(new_state(), table, np.uint64(seed), rounds, sums)
    return sums


def fitted(values: Floats, sums: Floats) -> Floats:
    """Return a curve, fitted by likelihood to the plucks (BINS x 3) that one with `values` brought.

    Bends of its shift cost, so that it runs on smoothly where there are few plucks.
    """
    sums = sums[sums[:, 0] > 0]
    number, hits, total = sums.T
    chances = drawn(KNOTS, values, CURVE)
    reckoned = np.interp(total / number, chances, np.arange(CURVE + 1) / CURVE)
    reckoned = np.clip(reckoned, 1e-4, 1 - 1e-4)
    odds = np.log(reckoned / (1 - reckoned))
    hats = np.stack([np.interp(odds, KNOTS, row) for row in np.eye(len(KNOTS))], axis=1)
    beyond = odds - np.clip(odds, KNOTS[0], KNOTS[-1])
    bends = np.diff(np.eye(len(KNOTS)), 2, axis=0)
    cost = SMOOTH * bends.T @ bends + 1e-3 * np.eye(len(KNOTS))
    shift = values - KNOTS
    for _ in range(40):
        chance = 1 / (1 + np.exp(-(hats @ (KNOTS + shift) + beyond)))
        slope = hats.T @ (hits - number * chance) - cost @ shift
        weight = number * chance * (1 - chance)
        step = np.linalg.solve((hats * weight[:, None]).T @ hats + cost, slope)
        shift = shift + np.clip(step, -0.5, 0.5)
    rising: Floats = np.maximum.accumulate(KNOTS + shift)
    return rising


def written(one: Floats, two: Floats) -> str:
    """Return the data file: players x rates x knots for single and for double claims."""

    def row(values: Floats) -> str:
        return "[" + ", ".join(f"{value:.3f}" for value in values) + "]"

    lines = [
        "# Log-odds that proved true, at knots of the log-odds that were reckoned, by number of",
        "# players and rate of mixing up; see sim/confidence.py. Made by results/calibrate.py.",
        f"knots = {KNOTS.tolist()}",
        f"rates = {list(RATES)}",
        f"players = {list(PLAYERS)}",
    ]
    for name, table in (("one", one), ("two", two)):
        lines.append(f"{name} = [")
        for rows in table:
            lines += ["  [", *(f"    {row(values)}," for values in rows), "  ],"]
        lines.append("]")
    return "\n".join(lines) + "\n"


def off(sums: Floats) -> float:
    """Return by how much confidence and hits differ at most, in twenty bins with enough plucks."""
    number, hits, total = sums.sum(axis=0).reshape(20, -1, 3).sum(axis=1).T
    enough = number >= 10_000
    return float(np.abs((hits - total)[enough] / number[enough]).max(initial=0))


@click.command()
@click.option("--rounds", default=400_000, show_default=True, help="Rounds of four, at rate 0.1.")
@click.option("--times", default=3, show_default=True, help="Fit so often, play in between.")
@click.option("--seed", default=20, show_default=True)
@click.option("--rate", "rates", multiple=True, type=float, help="Only for this rate; repeatable.")
@click.option("--players", multiple=True, type=int, help="Only for so many players; repeatable.")
@click.option("--go-on", is_flag=True, help="Begin with the curves that there are.")
@click.option("--out", default=FILE, show_default=True, type=click.Path(path_type=Path))
def main(
    rounds: int,
    times: int,
    seed: int,
    rates: tuple[float, ...],
    players: tuple[int, ...],
    go_on: bool,
    out: Path,
) -> None:
    """Fit the curves and write them."""
    places = [
        place
        for place in product(range(len(PLAYERS)), range(len(RATES)))
        if PLAYERS[place[0]] in (players or PLAYERS) and RATES[place[1]] in (rates or RATES)
    ]
    values = np.broadcast_to(KNOTS, (2, len(PLAYERS), len(RATES), len(KNOTS))).copy()
    if go_on:
        values[:] = curves().one, curves().two
    plucks(2, RATES[0], 1, seed, values[:, 0, 0])  # compiles, before threads do
    with ThreadPoolExecutor(cores()) as executor:
        for time in range(times):
            share = 1.0 if time == times - 1 else 0.25

            def once(place: tuple[int, int], share: float = share, time: int = time) -> Floats:
                seats, rate = PLAYERS[place[0]], RATES[place[1]]
                count = int(share * rounds * 4 / seats * (0.1 / rate) ** 0.5)
                return plucks(seats, rate, count, seed + time, values[:, *place])

            for place, sums in zip(places, executor.map(once, places), strict=True):
                for claims in range(2):
                    values[claims, *place] = fitted(values[claims, *place], sums[claims])
                seats, rate = PLAYERS[place[0]], RATES[place[1]]
                click.echo(f"{seats} players, rate {rate}: before, up to {off(sums):.3f} off")
            out.write_text(written(*values), encoding="utf-8")


if __name__ == "__main__":
    main()
