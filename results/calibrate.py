"""Calibrate: how often are players right that mix up cards, for how right they reckon to be?

Equal players that pluck on a slight hope play at tables of several sizes, for several rates of
mixing up; they count all cards or none, and are more or less eager for rivals' cards. For each of
these and each kind of claim a curve is fitted, by likelihood, that turns what they reckon into what
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

from sim.batch.confidence import FILE, Mixing, curves, drawn
from sim.core.jit import entry
from sim.engine.play import advance, start
from sim.core.codes import (Stage)
from sim.core.layout import (CLAIM_DOUBLE, CLAIMS, CURVE, PLUCK_DOUBLE, PLUCK_TRIED, new_state)
from sim.batch.executors import cores
from sim.store.files import check_file
from sim.batch.pack import pack
from sim.game.study import Study

Floats = NDArray[np.float64]

KNOTS = np.concatenate([np.arange(-2.5, 4.0, 0.5), [4.0, 5.0]])
"""Log-odds at which a curve is fitted."""

RATES = (0.003, 0.01, 0.02, 0.035, 0.05, 0.1, 0.2, 0.3)
PLAYERS = (2, 4, 6)
COUNTS = (0.0, 1.0)
HOPES = (0.2, 0.6, 0.9, 0.95)
"""From which confidence on they pluck rivals' cards."""

HOPE = 0.2
"""They pluck own cards from this confidence on, so that every confidence occurs."""

KINDS = 12
"""Counts of plucks by source, target, and whether they hit; see `sim.core.layout.PLUCK_TRIED`."""

BINS = 400
SMOOTH = 30.0
"""How many plucks speak against a bend of 1 in the shift of the log-odds from knot to knot."""


@entry
def watch(state, table, seed, rounds, sums):  # type: ignore[no-untyped-def]
    """Mutates `sums` (float64, CLAIMS x BINS x 3): plucks, hits, confidences by claim and bin."""
    before = np.zeros((state.detail.shape[0], KINDS), np.int64)
    for index in range(rounds):
        start(state, table, index)
        while state.stage != Stage.DONE:
            advance(state, table, seed)
            seat = state.plucker
            if seat < 0:
                continue
            claim = 0
            for kind in range(KINDS):
                if state.detail[seat, PLUCK_TRIED + kind] != before[seat, kind]:
                    before[seat, kind] = state.detail[seat, PLUCK_TRIED + kind]
                    source, target = kind // 6, kind // 2 % 3
                    claim = CLAIM_DOUBLE if target == PLUCK_DOUBLE else 2 * target + source
            if state.sure == state.sure:
                k = min(int(state.sure * BINS), BINS - 1)
                sums[claim, k, 0] += 1.0
                sums[claim, k, 1] += state.hit
                sums[claim, k, 2] += state.sure


def plucks(players: int, mixing: Mixing, rounds: int, seed: int, values: Floats) -> Floats:
    """Return what `watch` counts among players with curves (CLAIMS x knots)."""
    player = {
        "base": "balanced",
        "mix_up_rate": mixing.rate,
        "count_cards": mixing.count,
        "pluck_confidence": HOPE,
        "pluck_rival_confidence": mixing.hope,
    }
    table = pack(Study.of(players=[player] * players, rounds=1))
    table.hunch_pool[:] = -1  # a hunch is not a memory
    for claim in range(len(CLAIMS)):
        table.curve[:players, claim] = drawn(KNOTS, values[claim], CURVE)
    sums = np.zeros((len(CLAIMS), BINS, 3))
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


def written(values: Floats) -> str:
    """Return the data file."""
    lines = [
        "# Log-odds that proved true, at knots of the log-odds that were reckoned: by kind of",
        "# claim, least confidence for rivals' cards, share of cards counted, number of players,",
        "# and rate of mixing up; see sim/batch/confidence.py. Made by results/calibrate.py.",
        f"knots = {KNOTS.tolist()}",
        f"rates = {list(RATES)}",
        f"players = {list(PLAYERS)}",
        f"counts = {list(COUNTS)}",
        f"hopes = {list(HOPES)}",
        "",
        "[claims]",
    ]
    for name, whole in zip(CLAIMS, np.moveaxis(values, -2, 0), strict=True):
        lines.append(f"{name} = {whole.round(2).tolist()}".replace("], [", "],\n["))
    return "\n".join(lines) + "\n"


def off(sums: Floats) -> float:
    """Return by how much confidence and hits differ at most, in twenty bins with enough plucks."""
    number, hits, total = sums.sum(axis=0).reshape(20, -1, 3).sum(axis=1).T
    enough = number >= 10_000
    return float(np.abs((hits - total)[enough] / number[enough]).max(initial=0))


def setting(place: tuple[int, ...]) -> tuple[int, Mixing]:
    """Return number and kind of players at a place of the table of curves."""
    hope, count, players, rate = place
    return PLAYERS[players], Mixing(RATES[rate], COUNTS[count], HOPES[hope])


@click.command()
@click.option("--rounds", default=400_000, show_default=True, help="Rounds of four, at rate 0.1.")
@click.option("--times", default=3, show_default=True, help="Fit so often, play in between.")
@click.option("--seed", default=20, show_default=True)
@click.option("--rate", "rates", multiple=True, type=float, help="Only for this rate; repeatable.")
@click.option("--players", multiple=True, type=int, help="Only for so many players; repeatable.")
@click.option("--hope", "hopes", multiple=True, type=float, help="Only for this one; repeatable.")
@click.option("--go-on", is_flag=True, help="Begin with the curves that there are.")
@click.option("--out", default=FILE, show_default=True, type=click.Path(path_type=Path))
def main(
    rounds: int,
    times: int,
    seed: int,
    rates: tuple[float, ...],
    players: tuple[int, ...],
    hopes: tuple[float, ...],
    go_on: bool,
    out: Path,
) -> None:
    """Fit the curves and write them."""
    check_file(out)
    axes = (HOPES, COUNTS, PLAYERS, RATES)
    places = [
        place
        for place in product(*(range(len(axis)) for axis in axes))
        if HOPES[place[0]] in (hopes or HOPES)
        and PLAYERS[place[2]] in (players or PLAYERS)
        and RATES[place[3]] in (rates or RATES)
    ]
    shape = (*map(len, axes), len(CLAIMS), len(KNOTS))
    values = np.broadcast_to(KNOTS, shape).copy()
    if go_on:
        values[:] = np.stack([curves().claims[name] for name in CLAIMS], axis=-2)
    plucks(2, Mixing(0.1, 1.0, 0.9), 1, seed, values[0, 0, 0, 0])  # compiles, before threads do
    with ThreadPoolExecutor(cores()) as executor:
        for time in range(times):
            portion = 1.0 if time == times - 1 else 0.25

            def once(place: tuple[int, ...], portion: float = portion, time: int = time) -> Floats:
                seats, mixing = setting(place)
                number = int(portion * rounds * 4 / seats * (0.1 / mixing.rate) ** 0.5)
                return plucks(seats, mixing, number, seed + time, values[place])

            for place, sums in zip(places, executor.map(once, places), strict=True):
                for claim in range(len(CLAIMS)):
                    values[place][claim] = fitted(values[place][claim], sums[claim])
                seats, mixing = setting(place)
                click.echo(f"{seats} players, {mixing}: before, up to {off(sums):.3f} off")
            out.write_text(written(values), encoding="utf-8")


if __name__ == "__main__":
    main()
