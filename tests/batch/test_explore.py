"""The search for parameters, on functions whose best is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sim.batch.explore import Explorer
from sim.game.exploit import Dimension, Exploit, rounded
from sim.game.players import load_player

Cost = Callable[[Mapping[str, Any]], float]


def branin(at: Mapping[str, Any]) -> float:
    x, y = at["x0"], at["x1"]
    valley = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return float(valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10)


# Hartmann's function of six numbers: https://www.sfu.ca/~ssurjano/hart6.html
_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann(at: Mapping[str, Any]) -> float:
    x = np.array([at[f"x{k}"] for k in range(6)])
    return float(-np.sum(_ALPHA * np.exp(-np.sum(_A * (x - _P) ** 2, axis=1))))


def found(dimensions: list[Dimension], cost: Cost, generations: int, seed: int) -> float:
    """The least cost that any candidate had."""
    explorer, best = Explorer(dimensions, 16, seed), math.inf
    for _ in range(generations):
        costs = [cost(each) for each in explorer.ask()]
        explorer.tell([float(np.argsort(np.argsort(costs))[k]) for k in range(16)])
        best = min(best, *costs)
    return best


def numbers(count: int, low: float, high: float) -> list[Dimension]:
    middle, step = (low + high) / 2, (high - low) / 4
    return [Dimension(f"x{k}", middle, low, high, step) for k in range(count)]


def test_branin_is_reached() -> None:
    sides = [Dimension("x0", 2.5, -5, 10, 3), Dimension("x1", 7.5, 0, 15, 3)]
    reached = [found(sides, branin, 40, seed) < 0.397887 + 0.01 for seed in range(10)]
    assert sum(reached) >= 9


def test_hartmann_is_reached() -> None:
    # A second valley, at -3.20, holds about a third of all searches: the better of two counts.
    best = [
        min(found(numbers(6, 0, 1), hartmann, 80, 10 * seed + k) for k in range(3))
        for seed in range(5)
    ]
    assert sum(each < -3.32237 + 0.01 for each in best) >= 4


def test_whole_numbers_and_choices_are_found() -> None:
    dimensions = [
        Dimension("points", 0.0, -20, 20, 2),
        Dimension("cards", 2, 0, 12, 2, whole=True),
        Dimension("taste", "a", choices=("a", "b", "c")),
        Dimension("kept", "counted", choices=("counted",)),
    ]

    def cost(at: Mapping[str, Any]) -> float:
        assert at["kept"] == "counted"
        assert isinstance(at["cards"], int)
        return abs(at["points"] - 7) + abs(at["cards"] - 9) + 5 * (at["taste"] != "c")

    assert found(dimensions, cost, 60, 1) < 0.2


def test_the_same_seed_asks_for_the_same() -> None:
    player = load_player("balanced")
    dimensions = Exploit.of(player, vary=list(player.values)).dimensions
    one, other = (Explorer(dimensions, 6, 3) for _ in range(2))
    for _ in range(3):
        asked = one.ask()
        assert asked == other.ask()
        for explorer in (one, other):
            explorer.tell([float(k) for k in range(6)])
    for values in asked:  # all that is asked for is a player
        assert player.with_changes(**rounded(player, values)).kind == "heuristic"
