"""How often a player is right that mixes up cards, for how right it reckons itself to be.

`sim.engine.memory` reckons a chance by Bayes from what the player knows. What that leaves out of
account makes it a little wrong, and differently for other rates and numbers of players. So a last
step puts right what play shows: a curve over the log-odds of the chance, linear between knots. The
curves stand in ``data/confidence.toml``; ``results/calibrate.py`` fits them.
"""

from __future__ import annotations

import math
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sim.errors import DATA

FILE = DATA / "confidence.toml"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curves:
    """Log-odds that proved true, at knots of the log-odds that were reckoned.

    Attributes:
        knots: Log-odds that were reckoned, ascending.
        rates: Values of `mix_up_rate`, ascending.
        players: Numbers of players at the table, ascending.
        one: Of single claims: players x rates x knots.
        two: Of double claims, the same.
    """

    knots: Floats
    rates: Floats
    players: Floats
    one: Floats
    two: Floats

    def at(self, players: int, rate: float, claims: int) -> Floats:
        """Return the log-odds at the knots for any number of players and any rate above 0.

        Linear between the numbers of players and between the logarithms of the rates.
        """
        table = self.one if claims == 1 else self.two
        below, above, share = _between(self.players, players)
        rows = (1 - share) * table[below] + share * table[above]
        below, above, share = _between(np.log(self.rates), math.log(rate))
        found: Floats = (1 - share) * rows[below] + share * rows[above]
        return found


def _between(values: Floats, value: float) -> tuple[int, int, float]:
    """Return the places of the values around one, and how far it lies from the lower one."""
    above = min(max(bisect_right(values.tolist(), value), 1), len(values) - 1)
    share = (value - values[above - 1]) / (values[above] - values[above - 1])
    return above - 1, above, min(max(float(share), 0.0), 1.0)


@cache
def curves() -> Curves:
    """Return the curves that the program ships with."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return Curves(**{name: np.array(values, float) for name, values in data.items()})


def drawn(knots: Floats, values: Floats, steps: int) -> Floats:
    """Return a curve as chances, where 0, 1 / steps … 1 was reckoned; from 0 to 1.

    Rounded, so that it is the same on every machine.
    """
    reckoned = np.arange(1, steps) / steps
    odds = np.log(reckoned / (1 - reckoned))
    shift = np.interp(odds, knots, values - knots)  # the same beyond the outer knots
    inner = 1 / (1 + np.exp(-(odds + shift)))
    return np.round(np.concatenate([[0.0], inner, [1.0]]), 9)


@cache
def curve(players: int, rate: float, claims: int, steps: int) -> Sequence[float]:
    """Return the chances that prove true, where 0, 1 / steps … 1 was reckoned.

    Args:
        players: Number of players at the table.
        rate: The player's `mix_up_rate`, above 0.
        claims: 1 for a single claim, 2 for a double.
        steps: Steps of the curve.
    """
    found = curves()
    return tuple(drawn(found.knots, found.at(players, rate, claims), steps).tolist())
