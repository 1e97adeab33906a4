"""The hunt for a best response: generations of candidates, then finalists on fresh deals.

Candidates of a race play the same deals. All play for a while, the better half plays on for as
long again, the better half of these for twice as long. Each stage of each is a task, whose sums
are kept; so a hunt that was interrupted asks for the same candidates and finds what they won.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sim.batch.executors import Workers
from sim.batch.explore import Explorer
from sim.batch.job import Job
from sim.batch.progress import Progress
from sim.batch.schedule import Task, play_tasks
from sim.game.exploit import CANDIDATES, FINAL_STAGES, FINALISTS, Exploit, rounded
from sim.game.players import Player
from sim.metrics import WIN_UNITS
from sim.store.ledger import Ledger


class Hunt:
    """A search that is going on.

    Attributes:
        asked: What is searched.
        history: For each generation the share that its best candidate won in all stages, and the
            mean of all candidates in the first.
    """

    def __init__(self, asked: Exploit, ledger: Ledger, workers: Workers, bar: Progress) -> None:
        """Begin; what the ledger holds is not played again."""
        self.asked, self.ledger, self.bar = asked, ledger, bar
        self.history: list[tuple[float, float]] = []
        self._ways = {"executor": workers.executor, "threads": workers.count}
        self._first = 0  # the next task

    def best(self) -> Player:
        """Return the best response that is found: a finalist, chosen on fresh deals."""
        asked = self.asked
        probes = [self._player(values) for values in asked.probes]
        order = self._race("probes", probes)
        alone = probes[order[0]] if order else asked.player
        dimensions = [each.at(alone.values[each.name]) for each in asked.dimensions]
        explorer = Explorer(dimensions, CANDIDATES, asked.seed("explorer"))
        best = [alone]
        for generation in range(asked.generations):
            players = [self._player(values) for values in explorer.ask()]
            order = self._race(f"generation {generation}", players)
            explorer.tell([order.index(k) for k in range(CANDIDATES)])
            best.append(players[order[0]])
        finalists = [asked.player, *best[-FINALISTS + 1 :]]
        shares = self._shares(finalists, FINAL_STAGES * asked.stage, asked.seed("finalists"))
        return finalists[max(range(len(finalists)), key=shares.__getitem__)]

    def _player(self, values: dict[str, Any]) -> Player:
        player = self.asked.player
        return player.with_changes(**rounded(player, values))

    def _race(self, name: str, players: Sequence[Player]) -> list[int]:
        """Return the order in which candidates come in, the best first."""
        racing, behind = list(range(len(players))), list[int]()
        won, units = [0.0] * len(players), 0
        for stage, count in enumerate(self.asked.stages):
            racing, left = racing[: (len(racing) + 1) // 2 if stage else None], racing
            behind = left[len(racing) :] + behind
            seed = self.asked.seed(name, stage)
            shares = self._shares([players[k] for k in racing], count, seed)
            units += count
            for k, share in zip(racing, shares, strict=True):
                won[k] += share * count
            racing.sort(key=lambda k: -won[k])
            if stage == 0:
                mean = sum(shares) / max(len(shares), 1)
        if name != "probes":
            self.history.append((won[racing[0]] / units, mean))
        return racing + behind

    def _shares(self, players: Sequence[Player], count: int, seed: int) -> list[float]:
        """Return the shares of wins of some challengers, on the same deals; each is a task."""
        totals, asked, first = self.ledger.totals, self.asked, self._first
        self._first += len(players)
        tasks = [
            Task(partial(Job.of, asked.study(player, count, seed)), totals.missing(first + k))
            for k, player in enumerate(players)
        ]
        play_tasks(
            tasks,
            lambda task, part, seconds: self.ledger.note(first + task, part, seconds),
            ways=self._ways,
            unit=asked.base.unit,
            chunk=max(1, asked.stage // 2),
            progress=False,
            total=len(tasks) * count,
        )
        self.ledger.flush()
        self.bar.update(totals.units)
        won = [totals.sums[first + k]["share"][asked.seat] for k in range(len(players))]
        return [float(each) / (WIN_UNITS * count) for each in won]
