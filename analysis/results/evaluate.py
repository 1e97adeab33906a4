"""The numbers of a run, out of its sums: every metric of `sim.metrics`, by its formula.

Whatever happens inside rounds has no interval where games are played, since a game's rounds hang
together; what is said of whole games has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis import stats
from sim.batch.sums import Sums
from sim.game.study import Study
from sim.metrics import METRICS, Formula, Metric, Whole, words

Group = dict[str, Any]

Interval = tuple[float | None, float | None]

Seats = int | Sequence[int]

BY_SEAT = {metric.name: metric for metric in METRICS if metric.scope == "seat"}
"""The numbers of a seat, by name."""


def spread(pairs: Sequence[Sequence[int]], level: float | None, least: float = 0.0) -> Group:
    """Return mean, its interval, sd, extremes, median and the histogram itself.

    Args:
        pairs: Value and count, values ascending.
        level: Of the interval; None where values are not independent and there is none.
        least: The least value that there can be.
    """
    histogram = [(value, times) for value, times in pairs]
    count, total, squares = stats.moments(histogram)
    interval = (
        stats.NOTHING if level is None else stats.histogram_interval(histogram, level, least=least)
    )
    return {
        "mean": stats.ratio(total, count),
        "mean_ci95": list(interval),
        "sd": stats.sample_sd(count, total, squares),
        "min": histogram[0][0] if histogram else None,
        "max": histogram[-1][0] if histogram else None,
        "median": stats.median(histogram),
        "histogram": [list(pair) for pair in histogram],
    }


class Numbers:
    """The numbers of one run.

    Args:
        study: What was played.
        sums: Sums over it. Where they hold less than this version counts, the numbers that need
            more are left out.
        level: Confidence level of intervals.
    """

    def __init__(self, study: Study, sums: Sums, level: float) -> None:
        """Keep all three; see the class."""
        self.study, self.sums, self.level = study, sums, level
        self.players, self.games = len(study.players), study.games is not None
        self._spreads: dict[Any, Group] = {}

    def table(self) -> Group:
        """Return the part of a summary that is about the table as a whole."""
        found: Group = self._part("table", 0, 0)
        if all(self.knows(metric.formula) for metric in METRICS if metric.scope == "positions"):
            found["positions"] = [self._part("positions", 0, k) for k in range(self.players)]
        if any(birds := [self._part("birds", 0, k) for k, _ in enumerate(self.study.deck.birds)]):
            pairs = zip(self.study.deck.birds, birds, strict=True)
            found["birds"] = [{"bird": bird.id} | part for bird, part in pairs]
        if not self.games:
            found |= {name: None for name in ("games", "game", "comebacks") if name in found}
        return _ordered(found, words("order")["table"])

    def seat(self, seat: int) -> Group:
        """Return the part of a summary that is about a seat."""
        return _ordered(self._part("seat", seat, 0), words("order")["seat"])

    def _part(self, scope: str, seat: int, place: int) -> Group:
        found: Group = {}
        for metric in METRICS:
            if metric.scope != scope or not metric.in_summary:
                continue
            if not self.knows(metric.formula):
                continue
            *path, name = metric.name.split(".")
            part = found
            for key in path:
                part = part.setdefault(key, {})
            part[name] = self.value(metric, seat, place)
            if metric.interval:
                part[f"{name}_ci95"] = list(self.interval(metric, seat, place))
        return found

    # --- one number -------------------------------------------------------------------------------

    def knows(self, formula: Formula) -> bool:
        """Whether the sums hold all that a formula needs, as older ones may not."""
        return all(map(self.sums.knows, formula.fields))

    def value(self, metric: Metric, seat: Seats = 0, place: int = 0) -> Any:
        """Return a number; None where it does not exist.

        Args:
            metric: Which.
            seat: Whose, where it is a seat's; or of several seats together.
            place: Of which entry, where it stands in a list.
        """
        formula = metric.formula
        kind, _, what = formula.kind.partition(".")
        if kind == "spread":
            return self._spread(formula)[what]
        if kind == "rows":
            return self._rows(formula)
        if kind == "place":
            return place
        if kind == "rule":
            return self.study.rules.game_threshold[self.players]
        parts = self._wholes(formula, seat, place)
        if kind == "count":
            return parts[0]
        if kind == "sd":
            return stats.sample_sd(parts[1], parts[0], parts[2])
        if kind == "swing":
            return parts[1] / parts[0] / (self.players - 1) if parts[0] else None
        return stats.ratio(parts[0], parts[1] * formula.units)

    def interval(self, metric: Metric, seat: Seats = 0, place: int = 0) -> Interval:
        """Return the interval of a number; twice None where it does not exist."""
        formula = metric.formula
        if not metric.interval or self._level(formula) is None:
            return stats.NOTHING
        if formula.kind == "spread.mean":
            low, high = self._spread(formula)["mean_ci95"]
            return low, high
        return self._interval(formula, self._wholes(formula, seat, place))

    def _interval(self, formula: Formula, parts: Sequence[int]) -> Interval:
        """Return the interval of a number made of whole numbers.

        Of a mean score whole games are what is independent, of plucks rounds. The sums of a swing
        are of scores apart times players less one; cards and players of one round hang together,
        so rounds are clusters.
        """
        if formula.kind in ("share", "wins"):
            part, whole = parts
            known = whole > 0 or formula.kind == "wins"
            return stats.wilson(part, whole, formula.units, self.level) if known else stats.NOTHING
        if formula.kind == "swing":
            count, total, squares, count_squares, products = parts
            sums = (self.sums["rounds"], total, count, squares, count_squares, products)
            low, high = stats.ratio_interval(*sums, self.level)
            others = self.players - 1
            return None if low is None else low / others, None if high is None else high / others
        if formula.kind == "clustered":
            part, whole, squares, whole_squares, products, rounds = parts
            of = (rounds, part, whole, squares, whole_squares, products)
            return stats.clustered_wilson(*of, self.level)
        total, count, squares, *of_games = parts
        if not of_games or not self.games:
            return stats.mean_interval(count, total, squares, self.level)
        games, game_squares, products = of_games
        (sizes,) = (self.sums.pairs(name) for name in formula.histograms)
        size_squares = sum(size * size * times for size, times in sizes)
        sums = (games, total, count, game_squares, size_squares, products)
        return stats.ratio_interval(*sums, self.level)

    def _level(self, formula: Formula) -> float | None:
        return self.level if formula.games or not self.games else None

    def _wholes(self, formula: Formula, seat: Seats, place: int) -> list[int]:
        return [self.whole(part, seat, place) for part in formula.parts]

    def whole(self, part: Whole, seat: Seats = 0, place: int = 0) -> int:
        """Return a whole number of the tally; see `value`."""
        return self.sums.whole(part.at(self.players, self.games, seat, place))

    # --- histograms -------------------------------------------------------------------------------

    def _spread(self, formula: Formula) -> Group:
        of = (formula.histograms, self._level(formula), formula.least)
        if of not in self._spreads:
            pairs = [(value, sum(times)) for value, *times in self._rows(formula)]
            self._spreads[of] = spread(pairs, *of[1:])
        return self._spreads[of]

    def _rows(self, formula: Formula) -> list[list[int]]:
        """Return rows of a value and how often it occurred in each histogram."""
        found = [self.sums.histograms[name] for name in formula.histograms]
        values = sorted({value for histogram in found for value in histogram})
        return [[value, *(histogram.get(value, 0) for histogram in found)] for value in values]


def _ordered(part: Group, order: Sequence[str]) -> Group:
    first = {name: part[name] for name in order if name in part}
    return first | {name: value for name, value in part.items() if name not in first}
