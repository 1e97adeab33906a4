"""Strength depends on the company: ratings, and who holds whom in check.

All of it is made from pairs of players that met: at the tables at which both sat, the share of
wins of the one is so much above that of the other. A tournament's table ``matrix`` holds that, for
tables of two to six; so does any CSV file with its columns.

- `ratings`: who would win how often, if each player had one strength. The Luce choice model, of
  which Plackett and Luce's for whole orders is made: the winner of a table is chosen in proportion
  to strengths. Then of two players at a table the one wins, where one of both does, as Bradley and
  Terry's model says, whoever else is there. Fitted by the MM steps of Hunter 2004.
- `alpha_rank`: how long a population spends with each player, if now and then one tries another and
  what does better spreads (Omidshafiei et al. 2019). It knows cycles.
- `nash_average`: the mixture of players that nobody beats, of all such the most even one (Balduzzi
  et al. 2018). A copy of a player changes nothing for the others.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.blocks import Block
from analysis.results.shared import AnyResult
from analysis.text.company import company_blocks, text_of
from sim.errors import InputError, cut
from sim.game.files import PathLike

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

Z95 = NormalDist().inv_cdf(0.975)

DRAWS = 200
"""Of the bootstrap."""

POPULATION, INTENSITY = 50, 1000.0
"""Of `alpha_rank`: players in the population, and how strongly what does better spreads. Where one
is ahead by a point of win share, all soon play like it."""

ELO = 400 / np.log(10)
"""Points for a strength e times as high: who is 400 points ahead wins ten times as often."""

PRIOR = 0.5
"""Wins of each player of a pair over the other that are added to those counted, so that ratings of
players who never win, or never lose, exist."""


def ratings(won: NDArray[np.float64], steps: int = 10_000) -> NDArray[np.float64]:
    """Return the logarithms of strengths, their mean 0, by Hunter's MM steps.

    Args:
        won: players × players: how often the one of the row won where one of both did.
        steps: The most steps; it ends as soon as nothing changes by 1e-12.

    Source: D. R. Hunter, MM algorithms for generalized Bradley–Terry models, Annals of Statistics
    32, 2004, 384 to 406.
    """
    wins, met = won.sum(axis=1), won + won.T
    strength = np.ones(len(won))
    for _ in range(steps):
        shares = met / (strength[:, None] + strength)
        np.fill_diagonal(shares, 0)
        new = wins / shares.sum(axis=1)
        new /= np.exp(np.mean(np.log(new)))
        done = np.max(np.abs(np.log(new / strength))) < 1e-12
        strength = new
        if done:
            break
    return np.asarray(np.log(strength))


def alpha_rank(
    payoffs: NDArray[np.float64], population: int = POPULATION, intensity: float = INTENSITY
) -> NDArray[np.float64]:
    """Return the share of time that a population spends with each player.

    Args:
        payoffs: players × players: what the one of the row gets against the one of the column.
        population: How many play; one of them tries another player now and then.
        intensity: How strongly what does better spreads.

    Source: S. Omidshafiei et al., α-Rank: multi-agent evaluation by evolution, Scientific Reports
    9, 2019, 9937; equations 5 to 7, one population.
    """
    players = len(payoffs)
    if players == 1:
        return np.ones(1)
    lead = intensity * (payoffs.T - payoffs)  # of the column, among players of the row
    moves = np.empty_like(lead)
    even = np.abs(lead) < 1e-14
    moves[even] = 1 / population
    tried = np.clip(lead[~even], -700 / population, 700 / population)
    moves[~even] = np.expm1(-tried) / np.expm1(-population * tried)
    moves /= players - 1
    np.fill_diagonal(moves, 0)
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    # Grassmann, Taksar and Heyman's elimination: no difference is taken, so tiny shares are exact.
    chain = moves.copy()
    for k in range(players - 1, 0, -1):
        chain[:k, k] /= chain[k, :k].sum()
        chain[:k, :k] += np.outer(chain[:k, k], chain[k, :k])
    share = np.zeros(players)
    share[0] = 1
    for k in range(1, players):
        share[k] = share[:k] @ chain[:k, k]
    return np.asarray(share / share.sum())


def nash_average(lead: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the most even mixture of players that nobody is ahead of.

    Args:
        lead: players × players, antisymmetric: how far the one of the row is ahead of that of the
            column.

    Source: D. Balduzzi et al., Re-evaluating evaluation, NeurIPS 2018: the Nash equilibrium of the
    greatest entropy. Found through its dual, weights on what nobody may gain, by Newton's steps
    along a barrier.
    """
    players = len(lead)
    scale = np.max(np.abs(lead))
    if scale == 0:
        return np.full(players, 1 / players)
    best = np.flatnonzero((lead + np.eye(players) > 0).all(axis=1))
    if len(best):  # ahead of all others: the quick case, and the usual one
        return np.asarray(np.eye(players)[best[0]])
    lead = lead / scale
    weight, barrier = np.ones(players), 1.0

    def mixture(weight: NDArray[np.float64]) -> NDArray[np.float64]:
        power = lead @ weight
        share = np.exp(power - power.max())
        return np.asarray(share / share.sum())

    def cost(weight: NDArray[np.float64]) -> float:
        power = lead @ weight
        top = power.max()
        spread = top + np.log(np.exp(power - top).sum())
        return float(spread + slack * weight.sum() - barrier * np.log(weight).sum())

    while barrier > 1e-15:
        slack = max(1e-10, 0.1 * barrier**0.6)  # what anybody may be ahead: there is room within
        for _ in range(60):
            share = mixture(weight)
            slope = (lead.T @ share + slack) * weight - barrier
            spread = lead.T @ (np.diag(share) - np.outer(share, share)) @ lead
            # In shares of each weight, in which the barrier is round.
            bent = spread * np.outer(weight, weight) + np.diag(np.maximum(slope + barrier, barrier))
            size = np.sqrt(np.diag(bent))
            step = (
                -np.linalg.lstsq(bent / np.outer(size, size), slope / size, rcond=1e-15)[0] / size
            )
            gain = -float(step @ slope)
            if gain < 1e-4 * barrier:
                break
            length, before = min(1.0, 0.9 / max(1e-300, float(-step.min()))), cost(weight)
            while (
                length > 1e-9 and cost(weight * (1 + length * step)) > before - 1e-4 * length * gain
            ):
                length /= 2
            weight = weight * (1 + length * step)
        barrier /= 4
    return mixture(weight)


@dataclass(eq=False)
class Company(AnyResult):
    """Players that met, and how far each was ahead of each other.

    Attributes:
        players: Their names.
        together: players × players: rounds with a winner at tables at which both sat.
        won: players × players: the share of these that the one of the row won.
        lead: players × players: by how much that is above the other's share.
        error: players × players: the standard error of `lead`.
        seed: Of the bootstrap.
    """

    players: list[str]
    together: NDArray[np.float64]
    won: NDArray[np.float64]
    lead: NDArray[np.float64]
    error: NDArray[np.float64]
    seed: int = 1

    @classmethod
    def of(cls, matrix: pd.DataFrame) -> Company:
        """Return the company of a tournament's table ``matrix``.

        Args:
            matrix: One row for each player and each other one that it met: ``player``, ``other``,
                ``rounds``, ``win_share``, ``difference``, ``difference_low`` and ``_high``, as of
                `analysis.ranking.Standings.matrix`. Without the last three columns the rounds are
                taken to be independent.

        Raises:
            InputError: A column is missing, a number is none, or a pair was not met both ways.
        """
        missing = [name for name in _COLUMNS if name not in matrix]
        if missing:
            expected = f"columns {', '.join(_COLUMNS)}"
            raise InputError("a column is missing", key=missing[0], expected=expected)
        numbers = [*_COLUMNS[2:], *(name for name in _WIDTH if name in matrix)]
        for name in numbers:
            for row, value in enumerate(matrix[name]):
                if not _is_number(value, 1 if name == "win_share" else None):
                    expected = "a share from 0 to 1" if name == "win_share" else "a number"
                    raise InputError(f"row {row + 1}", key=name, expected=expected, got=value)
        names = list(dict.fromkeys([*map(str, matrix["player"]), *map(str, matrix["other"])]))
        if len(names) < 2:
            raise InputError("nobody met", expected="two players or more")
        at = {name: k for k, name in enumerate(names)}
        shape = (len(names), len(names))
        together, won = np.zeros(shape), np.zeros(shape)
        error = np.full(shape, np.nan)
        for _, row in matrix.iterrows():
            a, b = at[str(row["player"])], at[str(row["other"])]
            if a == b or together[a, b] > 0:
                problem = "met itself" if a == b else f"stands twice with {names[b]}"
                raise InputError(problem, key="player", expected="each pair once", got=names[a])
            together[a, b], won[a, b] = row["rounds"], row["win_share"]
            if set(_WIDTH) <= set(matrix.columns):
                error[a, b] = (row[_WIDTH[1]] - row[_WIDTH[0]]) / (2 * Z95)
        for a, b in zip(*np.nonzero((together > 0) != (together.T > 0)), strict=True):
            problem = f"{names[a]} with {names[b]} is there one way only"
            raise InputError(problem, key="other", expected="a row for each of a pair")
        lead = won - won.T
        rough = np.sqrt(np.maximum(won + won.T - lead**2, 0) / np.maximum(together, 1))
        error = np.where(np.isnan(error), rough, error)
        return cls(names, together, won, lead, np.where(together > 0, error, 0.0))

    @classmethod
    def from_file(cls, path: PathLike) -> Company:
        """Return the company of a tournament's folder, or of a CSV file with such a table.

        Raises:
            InputError: It cannot be read; says what is wrong in which file.
        """
        import pandas as pd

        from sim.errors import within

        name = os.fspath(path)
        file = os.path.join(name, "matrix.csv") if os.path.isdir(name) else name
        with within(where=file):
            if not os.path.isfile(file):
                expected = "the folder of a finished tournament, or a CSV file with its matrix"
                raise InputError("no such file", expected=expected)
            try:
                matrix = pd.read_csv(file)
            except (ValueError, OSError) as error:
                raise InputError(cut(str(error)), expected="a CSV file, UTF-8") from None
            return cls.of(matrix)

    # --- numbers ----------------------------------------------------------------------------------

    @cached_property
    def _draws(self) -> dict[str, Any]:
        """What is told, of all bootstrap draws: draws × players, and cycles."""
        dice, count = np.random.default_rng(self.seed), len(self.players)
        above = np.triu_indices(count, 1)
        found: dict[str, list[Any]] = {"rating": [], "alpha": [], "nash": []}
        cycles: Counter[tuple[int, ...]] = Counter()
        for _ in range(DRAWS):
            lead = np.zeros((count, count))
            lead[above] = (self.lead + dice.standard_normal(lead.shape) * self.error)[above]
            lead -= lead.T
            numbers = self._numbers(lead)
            for name, each in found.items():
                each.append(numbers[name])
            cycles.update(_cycles(lead))
        return {name: np.array(each) for name, each in found.items()} | {"cycles": cycles}

    def _numbers(self, lead: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        both = self.won + self.won.T
        won = np.clip((both + lead) / 2, 0, both) * self.together
        rating = ELO * ratings(won + PRIOR * (self.together > 0))
        return {"rating": rating, "alpha": alpha_rank(lead), "nash": nash_average(lead)}

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row for each player, the highest rating first.

        Columns: ``player``; ``rating`` in Elo's points, their mean 0; ``alpha``, the share of time
        of α-rank, and ``nash``, the share in the mixture that nobody beats, both 0 to 1; each with
        ``_low`` and ``_high`` (95 %, bootstrap).
        """
        import pandas as pd

        numbers, draws = self._numbers(self.lead), self._draws
        columns: dict[str, Any] = {"player": self.players}
        for name, values in numbers.items():
            low, high = np.quantile(draws[name], [0.025, 0.975], axis=0)
            columns |= {name: values, f"{name}_low": low, f"{name}_high": high}
        frame = pd.DataFrame(columns)
        return frame.sort_values("rating", ascending=False, ignore_index=True)

    @property
    def chance_of_cycle(self) -> float:
        """In which share of the bootstrap's draws somebody beats who beats who beats it."""
        return self._with_cycle / DRAWS

    @property
    def _with_cycle(self) -> int:
        return int(self._draws["cycles"][()])

    @property
    def cycle(self) -> list[str]:
        """The three players that went round most often; none where no draw had a cycle."""
        rounds = {ring: n for ring, n in self._draws["cycles"].items() if ring}
        ring = max(rounds, key=rounds.__getitem__, default=())
        return [self.players[k] for k in ring]

    @property
    def chance_of_that_cycle(self) -> float:
        """In which share of the draws `cycle` went round."""
        rounds = [n for ring, n in self._draws["cycles"].items() if ring]
        return max(rounds, default=0) / DRAWS

    def summary(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready."""
        return {
            "players": self.table.to_dict(orient="records"),
            "chance_of_cycle": self.chance_of_cycle,
            "cycle": self.cycle,
            "chance_of_that_cycle": self.chance_of_that_cycle,
            "draws": DRAWS,
        }

    # --- for people -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return what ``baobei rank`` prints, at most 100 columns wide."""
        return text_of(self.summary())

    def blocks(self) -> list[Block]:
        """Return what notebooks show of it."""
        return company_blocks(self.summary())

    def __repr__(self) -> str:
        """Say in one line who is there."""
        return f"<Company of {len(self.players)} players: {', '.join(self.table['player'][:3])} …>"


_COLUMNS = ("player", "other", "rounds", "win_share")
_WIDTH = ("difference_low", "difference_high")


def _is_number(value: Any, most: float | None) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return False
    if most is None:
        return bool(np.isfinite(number))
    return 0 <= number <= most


def _cycles(lead: NDArray[np.float64]) -> list[tuple[int, ...]]:
    """Return all rings of three that go round, the least number first; and () if there is any.

    Where all have met, a cycle of any length holds one of three.
    """
    ahead = (lead > 0).astype(np.int64)
    if np.trace(ahead @ ahead @ ahead) == 0:
        return []
    found: list[tuple[int, ...]] = [()]
    for a, b in zip(*np.nonzero(ahead), strict=True):
        closing = np.nonzero(ahead[b] * ahead[:, a])[0]
        found += [(int(a), int(b), int(c)) for c in closing if a < min(b, c)]
    return found
