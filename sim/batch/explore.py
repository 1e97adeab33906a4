"""Looking for the best parameters: CMA-ES with whole numbers and categories, of `cmaes`.

An `Explorer` asks for candidates and is told in which order they came in; it knows nothing of the
game. A `Space` says how parameters become its numbers.

Source: CatCMA with margin, Hamano et al. 2025, https://arxiv.org/abs/2504.07884.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.game.players import Player

POINTS, SHARE = 2.0, 0.1
"""How far a number of points, or another number, is changed at first (standard deviations)."""

FAR = 12
"""A number is looked for within so many of these steps of where it began."""

LIKELY = 0.7
"""How likely a choice stays as it was at first."""


@dataclass(frozen=True)
class Dimension:
    """A parameter that is looked for.

    Attributes:
        name: Which.
        start: Where it begins.
        low: The least value of a number.
        high: The greatest.
        step: How far a number is changed at first; 0 of a choice.
        whole: Whether it is a whole number.
        choices: The values of a choice.
    """

    name: str
    start: Any
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0
    whole: bool = False
    choices: tuple[Any, ...] = ()

    @classmethod
    def of(cls, spec: Mapping[str, Any], start: Any) -> Dimension:
        """Return the dimension of a parameter, as `Player.parameters` tells it."""
        name = spec["name"]
        if spec["type"] == "boolean":
            return cls(name, start, choices=(False, True))
        if spec["type"] == "choice":
            return cls(name, start, choices=tuple(spec["choices"]))
        if isinstance(start, str):  # "counted": stays, since it is no number
            return cls(name, start, choices=(start,))
        step = SHARE if (spec["min"], spec["max"]) == (0, 1) else POINTS
        low, high = max(spec["min"], start - FAR * step), min(spec["max"], start + FAR * step)
        return cls(name, start, low, high, step, spec["type"] == "integer")


class Explorer:
    """Asks for candidates, each a dict of values by name, and learns from their order."""

    def __init__(self, dimensions: Sequence[Dimension], candidates: int, seed: int) -> None:
        """Begin around the start of all dimensions.

        Args:
            dimensions: What is looked for.
            candidates: How many are asked for at a time.
            seed: Of all that is drawn.
        """
        from cmaes import CatCMAwM

        self.fixed = {d.name: d.start for d in dimensions if len(d.choices) == 1}
        self.real = [d for d in dimensions if d.step and not d.whole]
        self.whole = [d for d in dimensions if d.whole]
        self.choice = [d for d in dimensions if len(d.choices) > 1]
        numbers = self.real + self.whole
        widest = max((len(d.choices) for d in self.choice), default=0)
        likely = np.zeros((len(self.choice), widest))
        for row, each in zip(likely, self.choice, strict=True):
            row[: len(each.choices)] = (1 - LIKELY) / (len(each.choices) - 1)
            row[each.choices.index(each.start)] = LIKELY
        whole = [list(range(int(d.low), int(d.high) + 1)) for d in self.whole]
        self._search = CatCMAwM(
            x_space=[[d.low, d.high] for d in self.real] or None,
            z_space=whole or None,
            c_space=[len(d.choices) for d in self.choice] or None,
            population_size=candidates,
            mean=np.array([d.start for d in numbers], float) if numbers else None,
            sigma=1.0 if numbers else None,
            cov=np.diag([d.step**2 for d in numbers]) if numbers else None,
            cat_param=likely if self.choice else None,
            seed=seed % 2**32,
        )
        self._asked: list[Any] = []

    def ask(self) -> list[dict[str, Any]]:
        """Return the next candidates."""
        self._asked = [self._search.ask() for _ in range(self._search.population_size)]
        return [self._values(each) for each in self._asked]

    def _values(self, found: Any) -> dict[str, Any]:
        values = dict(self.fixed)
        for k, each in enumerate(self.real):
            values[each.name] = float(np.clip(found.x[k], each.low, each.high))
        for k, each in enumerate(self.whole):
            values[each.name] = round(float(found.z[k]))
        for k, each in enumerate(self.choice):
            values[each.name] = each.choices[int(np.argmax(found.c[k]))]
        return values

    def tell(self, costs: Sequence[float]) -> None:
        """Learn: what each of the candidates asked for last costs, the less the better."""
        self._search.tell(list(zip(self._asked, costs, strict=True)))


def rounded(player: Player, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with no more digits than anybody can read: thousandths of shares, 1/100."""
    shares = {s["name"] for s in type(player).parameters() if s.get("unit") == "share"}
    return {
        name: round(value, 3 if name in shares else 2) if isinstance(value, float) else value
        for name, value in values.items()
    }


def dimensions_of(player: Player, names: Sequence[str]) -> list[Dimension]:
    """Return what is to be looked for in a player's parameters of some names."""
    specs = {spec["name"]: spec for spec in type(player).parameters()}
    return [Dimension.of(specs[name], player.values[name]) for name in names]
