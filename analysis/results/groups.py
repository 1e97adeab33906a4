"""What game designers ask of a run, out of its sums: groups of the summary and of its seats.

`analysis.metrics` says what each number means. Whatever happens inside rounds has no interval
where games are played, since a game's rounds hang together; what is said of whole games has one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from analysis.stats import (
    NOTHING,
    clustered_wilson,
    histogram_interval,
    mean_interval,
    median,
    moments,
    ratio,
    ratio_interval,
    sample_sd,
    wilson,
)
from sim.batch.sums import OUTCOMES, SWING_SUMS, Sums
from sim.game.deck import POWERS
from sim.game.study import Study
from sim.metrics import (
    BAO_BEATEN,
    BAO_CALLED,
    BAO_TIED,
    BAO_VOID,
    BAO_WON,
    DRAW_CHANCE,
    END_CAP,
    GONE,
    LEFT,
    MISSED,
    NO_EFFECT,
    OPENED,
    PLUCK_TRIED,
    PLUCKED,
    POWER_BY,
    RACED,
    RACES,
    REASONS,
    SHIELD_NO_EFFECT,
    SHIELD_PLUCKS,
    SHIELD_POWERS,
    SHIELD_RAISED,
    SHIELD_TURNS,
    SWINGS,
    TRIGGERS,
    WIN_UNITS,
    WINDOW_CHANCE,
    WITH_CHANCE,
)

Group = dict[str, Any]

BAO = {"called": BAO_CALLED, "won": BAO_WON, "tied": BAO_TIED, "beaten": BAO_BEATEN}
BAO |= {"void": BAO_VOID}
"""What is counted of calls, and where it stands in the engine's counts."""

_SHIELD = {
    "raised": SHIELD_RAISED,
    "turns": SHIELD_TURNS,
    "plucks_stopped": SHIELD_PLUCKS,
    "powers": SHIELD_POWERS,
    "powers_without_effect": SHIELD_NO_EFFECT,
}
_TARGETS = ("own", "rival", "double")


def spread(pairs: Sequence[Sequence[int]], level: float | None, least: float = 0.0) -> Group:
    """Return mean, its interval, sd, extremes, median and the histogram itself.

    Args:
        pairs: Value and count, values ascending.
        level: Of the interval; None where values are not independent and there is none.
        least: The least value that there can be.
    """
    histogram = [(value, times) for value, times in pairs]
    count, total, squares = moments(histogram)
    interval = NOTHING if level is None else histogram_interval(histogram, level, least=least)
    return {
        "mean": ratio(total, count),
        "mean_ci95": list(interval),
        "sd": sample_sd(count, total, squares),
        "min": histogram[0][0] if histogram else None,
        "max": histogram[-1][0] if histogram else None,
        "median": median(histogram),
        "histogram": [list(pair) for pair in histogram],
    }


class Designers:
    """The groups of numbers for designers, of one run.

    Args:
        study: What was played.
        sums: Sums over it, complete.
        level: Confidence level of intervals.
    """

    def __init__(self, study: Study, sums: Sums, level: float) -> None:
        """Keep all three; see the class."""
        self.study, self.sums, self.level = study, sums, level
        self.seats = len(study.players)
        self.inside = level if study.games is None else None  # of what happens inside rounds
        self.turns = sum(value * times for value, times in sums.pairs("turns"))
        self.decided = sums["rounds"] - sums["ends"][END_CAP]

    def table(self) -> Group:
        """Return the groups of the table as a whole."""
        sums = self.sums
        pairs = {reason: sums.pairs(f"turns_{reason}") for reason in REASONS}
        return {
            "positions": [self._position(k) for k in range(self.seats)],
            "by_end": {reason: spread(pairs[reason], self.inside) for reason in REASONS},
            "calls": self._calls(),
            "leads": self._leads(),
            "windows": self._windows(),
            "shields": self._shields(),
            "birds": self._birds(),
            "power_swing": {power: self._power_swing(k) for k, power in enumerate(POWERS)},
            "comebacks": None if self.study.games is None else self._comebacks(),
        }

    def seat(self, seat: int) -> Group:
        """Return the groups of a seat."""
        detail, led = self.sums["detail"][seat], self.sums["led"][seat]
        return {
            "first": self._place([seat], 0),
            "calls": self._calls_of(seat),
            "automatic_ends": self.sums["final_by"][seat],
            "leads": {"turns": led, "share": ratio(led, self.turns)},
            "plucks_by": _plucks(detail),
            **self._hit_rate(seat),
            "pluck_chances": self._chances(detail),
            "races": self._races(detail),
            "power_triggers": _powers(detail),
            "shields": {name: detail[k] for name, k in _SHIELD.items()},
            "cards_gone": self._gone(seat),
        }

    def game(self) -> Group:
        """Return the numbers of turns of a game."""
        games, turns, squares = (self.sums[k] for k in ("games", "game_turns", "game_turns_sq"))
        mean = self._mean("mean", games, turns, squares, self.level)
        return {"turns": {**mean, "sd": sample_sd(games, turns, squares)}}

    # --- shares and means -------------------------------------------------------------------------

    def _share(
        self, name: str, part: int, whole: int, level: float | None, units: int = 1
    ) -> Group:
        """Return a share and its Wilson interval; none without a level or of nothing."""
        known = level is not None and whole > 0
        interval = wilson(part, whole, units, level or 0) if known else (None, None)
        return {name: ratio(part, whole * units), f"{name}_ci95": list(interval)}

    def _mean(self, name: str, count: int, total: int, squares: int, level: float | None) -> Group:
        """Return a mean and its interval."""
        interval = (None, None) if level is None else mean_interval(count, total, squares, level)
        return {name: ratio(total, count), f"{name}_ci95": list(interval)}

    # --- the table --------------------------------------------------------------------------------

    def _position(self, place: int) -> Group:
        return {"position": place, **self._place(range(self.seats), place)}

    def _place(self, seats: Iterable[int], place: int) -> Group:
        """Return what seats won that had this place in the turn order of the round."""
        names = ("place_rounds", "place_decided", "place_share", "place_score", "place_score_sq")
        columns = [[self.sums[name][seat][place] for name in names] for seat in seats]
        rounds, decided, share, score, squares = map(sum, zip(*columns, strict=True))
        return {
            "rounds": rounds,
            **self._share("win_share", share, decided, self.inside, WIN_UNITS),
            **self._mean("score_mean", rounds, score, squares, self.inside),
        }

    def _calls(self) -> Group:
        sums = self.sums
        ends = [sum(column) for column in zip(*sums["call_ends"], strict=True)]
        lowest = sums["call_lowest"]
        return {
            **self._outcomes(ends),
            "turn": spread(self._by_outcome("call_turns")[0], self.inside),
            "by_turn": self._by_outcome("call_turns")[1],
            "total": spread(self._by_outcome("call_totals")[0], self.inside, -math.inf),
            "by_total": self._by_outcome("call_totals")[1],
            "unknown": spread(self._by_outcome("call_unknowns")[0], self.inside),
            "by_unknown": self._by_outcome("call_unknowns")[1],
            "lowest": {
                **{name: lowest[k] for name, k in BAO.items()},
                **self._share("share", lowest[BAO_CALLED], ends[BAO_CALLED], self.inside),
            },
        }

    def _outcomes(self, ends: Sequence[int]) -> Group:
        """Return calls by outcome, and the share of them that succeeded."""
        counts = {name: ends[k] for name, k in BAO.items()}
        return counts | self._share("won_share", ends[BAO_WON], ends[BAO_CALLED], self.inside)

    def _by_outcome(self, name: str) -> tuple[list[list[int]], list[list[int]]]:
        """Return pairs of value and calls, and rows of value and calls by outcome."""
        found = [self.sums.histograms[f"{name}_{outcome}"] for outcome in OUTCOMES]
        values = sorted({value for histogram in found for value in histogram})
        rows = [[value, *(histogram.get(value, 0) for histogram in found)] for value in values]
        return [[value, sum(counts)] for value, *counts in rows], rows

    def _leads(self) -> Group:
        sums = self.sums
        at, left = sums.pairs("loser_led_at"), sums.pairs("loser_led_left")
        rounds = sum(times for _, times in at)
        led = sum(sums["led"])
        return {
            "changes": spread(sums.pairs("lead_changes"), self.inside),
            "alone_share": ratio(led, self.turns),
            "loser_led": {
                "rounds": rounds,
                **self._share("share", rounds, self.decided, self.inside),
                "last_turn": spread(at, self.inside),
                "turns_left": spread(left, self.inside),
            },
        }

    def _windows(self) -> Group:
        counts = self.sums["windows"]
        kinds = {"opened": OPENED, "with_chance": WITH_CHANCE, "plucked": PLUCKED}
        kinds |= {"left": LEFT, "raced": RACED}
        found: Group = {name: counts[k] for name, k in kinds.items()}
        return found | {"left_share": ratio(found["left"], found["with_chance"])}

    def _shields(self) -> Group:
        sums = self.sums
        found: Group = {name: sum(row[k] for row in sums["detail"]) for name, k in _SHIELD.items()}
        called = sums["bao"][BAO_CALLED]
        down, up = sums["call_shield"]
        return {
            **found,
            **self._share("raised_share", found["raised"], called, self.inside),
            "outcomes": {"up": self._outcomes(up), "down": self._outcomes(down)},
        }

    def _birds(self) -> list[Group]:
        histograms = [self.sums.histograms[f"dealt_{name}"] for name in SWING_SUMS]
        return [
            {"bird": bird.id, "dealt": self._swing(*(found.get(k, 0) for found in histograms))}
            for k, bird in enumerate(self.study.deck.birds)
        ]

    def _power_swing(self, power: int) -> Group:
        return self._swing(*(self.sums["users"][row][power] for row in range(SWINGS)))

    def _swing(
        self, count: int, total: int, squares: int, count_squares: int, products: int
    ) -> Group:
        """Return the mean of scores apart, in points; they are sums times players less one.

        Cards and players of one round hang together, so rounds are clusters.
        """
        others = self.seats - 1
        interval = NOTHING
        if self.inside is not None:
            interval = ratio_interval(
                clusters=self.sums["rounds"],
                total=total,
                size=count,
                total_squares=squares,
                size_squares=count_squares,
                products=products,
                confidence=self.inside,
            )
        return {
            "count": count,
            "swing": total / count / others if count else None,
            "swing_ci95": [None if end is None else end / others for end in interval],
        }

    def _comebacks(self) -> Group:
        sums, level = self.sums, self.level
        games = sum(times for _, times in sums.pairs("deficits"))
        last, half = sums["come_from_last"], sums["half_games"]
        return {
            "games": games,
            "after_last": last,
            **self._share("after_last_share", last, games, level),
            "deficit": spread(sums.pairs("deficits"), level),
            "half": {
                "games": half,
                "leader_won": sums["half_lead_won"],
                **self._share("leader_won_share", sums["half_lead_won"], half, level),
                "last_won": sums["half_last_won"],
                **self._share("last_won_share", sums["half_last_won"], half, level),
            },
            "lead_changes": spread(sums.pairs("game_lead_changes"), level),
        }

    # --- a seat -----------------------------------------------------------------------------------

    def _calls_of(self, seat: int) -> Group:
        sums = self.sums
        ends = sums["call_ends"][seat]
        found = self._outcomes(ends)
        del found["called"]  # stands in the seat's part already, as bao_called
        for name in ("turn", "total", "unknown"):
            total, squares = sums[f"call_{name}"][seat], sums[f"call_{name}_sq"][seat]
            found |= self._mean(f"{name}_mean", ends[BAO_CALLED], total, squares, self.inside)
        return found

    def _hit_rate(self, seat: int) -> Group:
        """Return the share of plucks that hit; a round's plucks hang together."""
        sums = self.sums
        counts = sums["count"][seat]
        hits = sum(counts[:MISSED])
        tries = hits + counts[MISSED]
        interval = NOTHING
        if self.inside is not None:
            interval = clustered_wilson(
                clusters=sums["rounds"],
                part=hits,
                whole=tries,
                part_squares=sums["hits_sq"][seat],
                whole_squares=sums["tries_sq"][seat],
                products=sums["hits_tries"][seat],
                confidence=self.inside,
            )
        return {"hit_rate": ratio(hits, tries), "hit_rate_ci95": list(interval)}

    def _chances(self, detail: Sequence[int]) -> Group:
        found: Group = {"draw": {}, "window": {}}
        for k, whose in enumerate(_TARGETS[:2]):
            draw, window = DRAW_CHANCE + 2 * k, WINDOW_CHANCE + 3 * k
            found["draw"][whose] = _named(("chances", "tried"), detail[draw:])
            found["window"][whose] = _named(("chances", "tried", "gone"), detail[window:])
        parts = [part for source in found.values() for part in source.values()]
        chances = sum(part["chances"] for part in parts)
        used = sum(part["tried"] + part.get("gone", 0) for part in parts)
        missed = chances - used
        return {
            **found,
            "missed": missed,
            "missed_share": ratio(missed, chances),
        }

    def _races(self, detail: Sequence[int]) -> Group:
        entered, won = detail[RACES : RACES + 2]
        lost = entered - won
        return {
            "entered": entered,
            "won": won,
            "lost": lost,
            "lost_share": ratio(lost, entered),
        }

    def _gone(self, seat: int) -> Group:
        sums = self.sums
        rounds, decided = sums["gone_rounds"][seat], sums["gone_decided"][seat]
        return {
            "rounds": rounds,
            **self._share("rounds_share", rounds, sums["rounds"], self.inside),
            "turns": sums["detail"][seat][GONE],
            **self._share(
                "win_share", sums["gone_share"][seat], decided, self.inside, units=WIN_UNITS
            ),
        }


def _named(names: Sequence[str], counts: Sequence[int]) -> Group:
    return dict(zip(names, counts, strict=False))


def _plucks(detail: Sequence[int]) -> Group:
    """Return plucks by source of the reference, targets, and whether they hit."""
    at = iter(detail[PLUCK_TRIED:])
    return {
        source: {targets: {"missed": next(at), "hit": next(at)} for targets in _TARGETS}
        for source in ("draw", "window")
    }


def _powers(detail: Sequence[int]) -> Group:
    """Return powers by what started them, and how many could do nothing."""
    found: Group = {}
    for k, power in enumerate(POWERS):
        begin = POWER_BY + k * len(TRIGGERS)
        found[power] = _named(TRIGGERS, detail[begin:]) | {"no_effect": detail[NO_EFFECT + k]}
    return found
