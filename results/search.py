"""Search: can a player be beaten by a copy of itself with one or two parameters changed?

One challenger sits with three copies of the champion. The deals are the same for every setting, so
settings differ by what they do and hardly by luck. First every parameter alone, then pairs of the
most promising changes, on fresh deals; what looks better than a fair quarter is played again, long,
on deals that chose nothing. Example::

    python results/search.py elephant --rounds 100000 --confirm 1000000
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from sim.batch.job import Job, load_engine, play
from sim.core.layout import WIN_UNITS
from sim.batch.executors import cores
from sim.game.players import Player, load_player
from sim.game.study import Study

Change = tuple[tuple[str, Any], ...]
"""Parameters and their new values."""

GRID: dict[str, tuple[Any, ...]] = {
    "bao_threshold": (2, 3, 4, 5, 6, 7, 8, 9, 10, 12),
    "bao_unknown_max": (0, 1, 2, 3),
    "bao_margin": (-4, -2, 0, 1, 2, 3, 4, 5, 6, 8),
    "bao_min_turn": (0, 1, 2, 4),
    "bao_confidence": (0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    "pluck_confidence": (0.3, 0.5, 0.7, 0.85, 1),
    "pluck_rival_confidence": (0.3, 0.5, 0.7, 0.85, 1),
    "pluck_rival_min_gain": (-4, -2, -1, 0, 1, 2, 3, 4, 6),
    "double_pluck": (True, False),
    "gift": ("highest", "unknown", "lowest_loss"),
    "take_max_value": (1, 2, 3, 4, 5, 6, 7, 8),
    "take_min_gain": (1, 2, 3, 4, 5, 6, 7),
    "keep_min_gain": (0, 0.5, 1, 1.5, 2, 3, 4),
    "power_appetite": (0, 1, 2, 3, 4, 5, 6, 7, 8, 10),
    "look_first": ("own", "rival"),
    "show_first": ("own", "rival"),
    "swap_min_gain": (-2, -1, 0, 0.5, 1, 2, 3),
    "macaw_min_gain": (-1, 0, 0.5, 1, 2, 3),
    "toco_target": ("leader", "next", "declarer", "random"),
    "shoebill_target": ("leader", "lowest", "declarer", "random"),
    "unknown_value": ("counted", 6, 8, 10, 12),
    "know_worth": (0, 1, 2, 3, 4, 5, 6, 8, 10, 12),
    "last_turns": (True, False),
}
"""Values tried. What is a gift of nature is left out: memory, attention, reaction, blunders."""


def win_share(players: list[Player], rounds: int, seed: int) -> tuple[float, float]:
    """Return the win share of seat 0 and its standard error."""
    job = Job.of(Study.of(players=players, rounds=rounds, seed=seed))
    sums = play(job, 0, rounds).sums
    share = sums["share"][0] / (WIN_UNITS * rounds)
    square = sums["share_sq"][0] / (WIN_UNITS**2 * rounds)
    return share, ((square - share**2) / rounds) ** 0.5


class Search:
    """Challengers of one champion, on a set of deals."""

    def __init__(self, champion: Player, opponents: int, executor: ThreadPoolExecutor) -> None:
        """Keep the champion, how many of it sit at the table, and what plays."""
        self.champion, self.opponents, self.executor = champion, opponents, executor

    def shares(self, changes: list[Change], rounds: int, seed: int) -> list[tuple[float, float]]:
        """Return the challengers' win shares and standard errors, all on the same deals."""

        def one(change: Change) -> tuple[float, float]:
            challenger = self.champion.with_changes(**dict(change))
            return win_share([challenger, *[self.champion] * self.opponents], rounds, seed)

        return list(self.executor.map(one, changes))

    def ranked(self, changes: Iterable[Change], rounds: int, seed: int) -> list[Change]:
        """Return the changes, the best first."""
        tried = list(changes)
        shares = [share for share, _error in self.shares(tried, rounds, seed)]
        order = sorted(range(len(tried)), key=lambda k: -shares[k])
        for k in order[:8]:
            click.echo(f"  {100 * shares[k]:6.2f} %  {told(tried[k])}")
        return [tried[k] for k in order]

    def best(self, rounds: int, confirm: int, promising: int, seed: int) -> tuple[Change, bool]:
        """Return the best change of one or two parameters, and whether it surely is one."""
        alone = singles(self.champion)
        click.echo(f"{len(alone)} single changes, {rounds:,} rounds each")
        good = self.ranked(alone, rounds, seed)[:promising]
        both = pairs(good)
        click.echo(f"{len(both)} pairs of the best {promising}")
        good = self.ranked(good + both, rounds, seed + 1)[:6]
        click.echo(f"the best on fresh deals, {confirm:,} rounds each")
        fair = 1 / (self.opponents + 1)
        shares = self.shares(good, confirm, seed + 2)
        for change, (share, error) in zip(good, shares, strict=True):
            z = (share - fair) / error
            click.echo(f"  {100 * share:.2f} ± {196 * error:.2f} %  {told(change)}  (z {z:+.1f})")
        (share, error), change = max(zip(shares, good, strict=True), key=lambda pair: pair[0][0])
        return change, share - fair > 4 * error


def told(change: Change) -> str:
    """Return a change in words."""
    return ", ".join(f"{name} = {value}" for name, value in change) or "no change"


def singles(champion: Player) -> list[Change]:
    """Return every change of one parameter."""
    return [
        ((name, value),)
        for name, values in GRID.items()
        for value in values
        if champion.values[name] != value
    ]


def pairs(best: list[Change]) -> list[Change]:
    """Return every pair of single changes of two different parameters."""
    return [a + b for a, b in itertools.combinations(best, 2) if a[0][0] != b[0][0]]


@click.command()
@click.argument("name")
@click.option("--opponents", default=3, show_default=True, help="Champions at the table.")
@click.option("--rounds", default=100_000, show_default=True, help="Rounds for each setting.")
@click.option("--confirm", default=1_000_000, show_default=True, help="Rounds for the best.")
@click.option("--promising", default=16, show_default=True, help="Single changes to pair.")
@click.option("--climb", default=0, show_default=True, help="Steps: the best becomes champion.")
@click.option("--seed", default=1, show_default=True)
def main(
    name: str, opponents: int, rounds: int, confirm: int, promising: int, climb: int, seed: int
) -> None:
    """Look for one or two changes that beat a player at 1 to 3 (or another number)."""
    champion = load_player(name)
    load_engine(Job.of(Study.of(players=[champion] * 2, rounds=1)))
    with ThreadPoolExecutor(cores()) as executor:
        for step in range(climb + 1):
            search = Search(champion, opponents, executor)
            change, surely = search.best(rounds, confirm, promising, seed + 3 * step)
            if step == climb or not surely:
                break
            champion = champion.with_changes(**dict(change), name=name)
            click.echo(f"--- step {step + 1}: {told(change)}")
        for parameter, value in champion.values.items():
            if value != load_player(name).values[parameter]:
                click.echo(f"{parameter} = {value}")


if __name__ == "__main__":
    main()
