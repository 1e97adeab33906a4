"""The hunt for a best response: generations of candidates, then finalists on fresh deals.

Candidates of a generation play the same deals. All play for a while, the better half plays on for
as long again, the better half of these for twice as long. What one played is kept as the sums of a
task, so that a hunt that was interrupted asks for the same candidates and finds what they won.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sim.batch.executors import Workers
from sim.batch.explore import Explorer, dimensions_of, rounded
from sim.batch.job import Job
from sim.batch.progress import Progress
from sim.batch.ranges import common, size
from sim.batch.schedule import Part, Task, play_tasks
from sim.game.exploit import CANDIDATES, FINAL_STAGES, FINALISTS, Exploit
from sim.game.players import Player
from sim.metrics import WIN_UNITS
from sim.store.ledger import Ledger


class Hunt:
    """A search that is going on.

    Attributes:
        asked: What is searched.
        history: For each generation the share that its best candidate won, and their mean.
    """

    def __init__(self, asked: Exploit, ledger: Ledger, workers: Workers, bar: Progress) -> None:
        """Begin; what the ledger holds is not played again."""
        self.asked, self.ledger, self.bar = asked, ledger, bar
        self.history: list[tuple[float, float]] = []
        self._ways = {"executor": workers.executor, "threads": workers.count}
        self._best: list[Player] = []

    def best(self) -> Player:
        """Return the best response that is found: a finalist, chosen on fresh deals."""
        asked = self.asked
        dimensions = dimensions_of(asked.player, asked.vary)
        explorer = Explorer(dimensions, CANDIDATES, asked.seed("explorer"))
        for generation in range(asked.generations):
            players = [self._player(values) for values in explorer.ask()]
            order = self._race(generation, players)
            explorer.tell([order.index(k) for k in range(CANDIDATES)])
            self._best.append(players[order[0]])
        finalists = [*self._best[-1:-FINALISTS:-1], asked.player]
        first = asked.generations * CANDIDATES
        count, seed = FINAL_STAGES * asked.stage, asked.seed("finalists")
        self._play(range(len(finalists)), finalists, first, count, seed)
        shares = [self._share(first + k) for k in range(len(finalists))]
        return finalists[max(range(len(finalists)), key=shares.__getitem__)]

    def _player(self, values: dict[str, Any]) -> Player:
        player = self.asked.player
        return player.with_changes(**rounded(player, values))

    def _race(self, generation: int, players: Sequence[Player]) -> list[int]:
        """Return the candidates of a generation, the best first."""
        first, seed = generation * CANDIDATES, self.asked.seed("generation", generation)
        racing, behind = list(range(CANDIDATES)), list[int]()
        for upto in self.asked.stages:
            self._play(racing, players, first, upto, seed)
            racing.sort(key=lambda k: -self._share(first + k))
            if upto != self.asked.stages[-1]:
                half = len(racing) // 2
                racing, behind = racing[:half], racing[half:] + behind
        shares = [self._share(first + k) for k in range(CANDIDATES)]
        self.history.append((shares[racing[0]], sum(shares) / CANDIDATES))
        return racing + behind

    def _play(
        self, which: Sequence[int], players: Sequence[Player], first: int, upto: int, seed: int
    ) -> None:
        """Let some players play what is missing of units 0 to `upto` - 1 of their tasks."""
        totals, asked = self.ledger.totals, self.asked
        tasks = []
        for k in which:
            study = asked.study(players[k], upto, seed)
            missing = common(totals.missing(first + k), ((0, upto),))
            tasks.append(Task(partial(Job.of, study), missing))

        def note(task: int, part: Part, seconds: float) -> None:
            self.ledger.note(first + which[task], part, seconds)

        play_tasks(
            tasks,
            note,
            ways=self._ways,
            unit=asked.base.unit,
            chunk=max(1, asked.stage // 2),
            progress=False,
            total=len(tasks) * upto,
        )
        self.ledger.flush()
        self.bar.update(totals.units)

    def _share(self, task: int) -> float:
        """Return the share of wins of a task's challenger, of all that it has played."""
        sums, totals = self.ledger.totals.sums[task], self.ledger.totals
        return float(sums["share"][self.asked.seat]) / (WIN_UNITS * size(totals.ranges[task]))
