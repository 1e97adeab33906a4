"""How often a player is right that mixes up cards, for how right it reckons itself to be.

`sim.core.memory` reckons a chance by Bayes from what the player knows. What that leaves out of
account makes it a little wrong, and differently for other rates, numbers of players, shares of
cards that are counted, rivals' eagerness, and kinds of claims. So a last step puts right what play
shows: a curve over the log-odds of the chance, linear between knots. The curves stand in
``data/confidence.toml``; ``results/calibrate.py`` fits them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sim.core.layout import CLAIMS
from sim.game.files import DATA, read_toml

FILE = DATA / "confidence.toml"

Floats = NDArray[np.float64]


AXES = ("knots", "rates", "players", "counts", "hopes")


@dataclass(frozen=True)
class Mixing:
    """What of a player that mixes up cards decides how sure it may be.

    Attributes:
        rate: `mix_up_rate`, above 0.
        count: `count_cards`, 0 to 1.
        hope: `pluck_rival_confidence`, 0 to 1.
    """

    rate: float
    count: float
    hope: float


@dataclass(frozen=True)
class Curves:
    """Log-odds that proved true, at knots of the log-odds that were reckoned.

    Attributes:
        knots: Log-odds that were reckoned, ascending.
        rates: Values of `mix_up_rate`, ascending.
        players: Numbers of players at the table, ascending.
        counts: Values of `count_cards`, ascending.
        hopes: Values of `pluck_rival_confidence`, ascending: of the player, and so, as far as it
            knows, of its rivals, who may race for what it takes for a match.
        claims: By name in `sim.core.layout.CLAIMS`: hopes x counts x players x rates x knots.
    """

    knots: Floats
    rates: Floats
    players: Floats
    counts: Floats
    hopes: Floats
    claims: Mapping[str, Floats]

    def at(self, claim: str, players: int, mixing: Mixing) -> Floats:
        """Return the log-odds at the knots for any number of players and any who mixes up.

        Linear between the values of each axis, and between the logarithms of the rates.
        """
        found = self.claims[claim]
        for values, value in (
            (self.hopes, mixing.hope),
            (self.counts, mixing.count),
            (self.players, players),
            (np.log(self.rates), math.log(mixing.rate)),
        ):
            below, above, share = _between(values, value)
            found = (1 - share) * found[below] + share * found[above]
        return found


def _between(values: Floats, value: float) -> tuple[int, int, float]:
    """Return the places of the values around one, and how far it lies from the lower one."""
    above = min(max(bisect_right(values.tolist(), value), 1), len(values) - 1)
    share = (value - values[above - 1]) / (values[above] - values[above - 1])
    return above - 1, above, min(max(float(share), 0.0), 1.0)


@cache
def curves() -> Curves:
    """Return the curves that the program ships with."""
    data = read_toml(FILE)
    axes = {name: np.array(data[name], float) for name in AXES}
    claims = {name: np.array(data["claims"][name], float) for name in CLAIMS}
    return Curves(**axes, claims=claims)


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
def curve(claim: str, players: int, mixing: Mixing, steps: int) -> Sequence[float]:
    """Return the chances that prove true, where 0, 1 / steps … 1 was reckoned.

    Args:
        claim: One of `sim.core.layout.CLAIMS`.
        players: Number of players at the table.
        mixing: Whose curve it is.
        steps: Steps of the curve.
    """
    found = curves()
    return tuple(drawn(found.knots, found.at(claim, players, mixing), steps).tolist())
