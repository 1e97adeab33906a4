"""Looking for the best parameters: CMA-ES with whole numbers and categories, of `cmaes`.

An `Explorer` asks for candidates and is told in which order they came in; it knows nothing of the
game. A `Space` says how parameters become its numbers.

Source: CatCMA with margin, Hamano et al. 2025, https://arxiv.org/abs/2504.07884.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.game.exploit import Dimension

LIKELY = 0.7
"""How likely a choice stays as it was at first."""


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
