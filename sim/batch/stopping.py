"""When a run has played enough: targets for an interval, and the rounds at which to look.

A run that looks again and again at a 95 % interval, and stops when it pleases, misses the truth
more often than one time in twenty: each look is another chance to be wrong. So

* a run looks only at fixed numbers of rounds (or games): 1,000, 1,250, 1,600, 2,000, 2,500,
  3,150, 4,000, 5,000, 6,300, 8,000, 10,000, and so on, ten in each decade, and at its end;
* at these looks it uses intervals of `analysis.stats.LOOK_CONFIDENCE`, so much wider that *all*
  of them together hold the true value with at least 95 %. Whichever look the run stops at, the
  interval that it prints is right nineteen times out of twenty.

The numbers are fixed beforehand and are looked at in the order of rounds, so when a run stops
depends on the study alone, and not on threads, chunks, machines or interruptions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.batch.executors import count
from sim.batch.ranges import Range, Ranges, checked, in_words, minus, size
from sim.errors import InputError, as_written_here, nearest, one_of, within
from sim.game.base import number, whole, whole_text
from sim.game.study import MAX_UNITS, Study

INTERVALS = ("win_share", "score_mean")
"""Numbers of a seat that have an interval."""

_STEPS = (1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000)  # Renard's series R10

_TARGET = re.compile(r"\s*(\w+)\s*(?:\[\s*(\d+)\s*\])?\s*(?:±|\+-|\+/-)\s*(\S+)\s*")


def looks() -> Iterator[int]:
    """Yield the numbers of rounds (games) at which a run looks, ascending, without end."""
    scale = 1
    while True:
        yield from (step * scale for step in _STEPS)
        scale *= 10


def is_look(count: int) -> bool:
    """Whether a run looks after so many rounds (games)."""
    return any(look == count for look in looks_to(count))


def looks_to(count: int) -> Iterator[int]:
    """Yield the looks up to `count`, itself included where it is one."""
    for look in looks():
        if look > count:
            return
        yield look


def cut_at_looks(ranges: Ranges) -> Iterator[Range]:
    """Yield ranges cut wherever a run looks, so that no chunk goes beyond one."""
    for begin, end in ranges:
        at = begin
        for look in looks_to(end):
            if look > at:
                yield at, look
                at = look
        if at < end:
            yield at, end


@dataclass(frozen=True)
class Until:
    """A target: play until an interval is narrow enough.

    Attributes:
        metric: One of `INTERVALS`.
        seat: Whose, from 0.
        half_width: Half the width that the interval may have, in the metric's unit.
    """

    metric: str
    seat: int
    half_width: float

    @classmethod
    def parse(cls, text: str, seats: int) -> Until:
        """Return what ``win_share[0]±0.001`` means; ``+-`` may stand for the ``±``.

        Args:
            text: What the user wrote.
            seats: How many there are at the table.

        Raises:
            InputError: It means nothing; says what was expected.
        """
        expected = "METRIC[SEAT]±WIDTH, such as win_share[0]±0.001"
        found = _TARGET.fullmatch(text)
        if found is None:
            raise InputError(expected=expected, got=text)
        metric, seat, width = found.groups()
        if metric not in INTERVALS:
            problem = "no such metric, or one without an interval"
            near = nearest(metric, INTERVALS)
            named = one_of(INTERVALS, quote="")
            raise InputError(problem, expected=named, got=metric, nearest=near)
        at = None if seat is None else whole_text(seat)
        if at is None or at >= seats:
            raise InputError(
                "no such seat" if seat else "which seat is meant?",
                expected=f"{metric}[0] to {metric}[{seats - 1}]",
                got=text,
            )
        return cls(metric, at, _width(width))

    @classmethod
    def of(cls, until: str | Until | None, seats: int) -> Until | None:
        """Return a target from text, or itself; None for none."""
        if isinstance(until, Until):
            return cls.parse(str(until), seats)  # is the seat at this table?
        if until is not None and not isinstance(until, str):
            raise InputError(expected="text such as win_share[0]±0.001", got=until)
        return None if until is None else cls.parse(until, seats)

    def to_dict(self) -> dict[str, Any]:
        """Return the target JSON-ready."""
        return {"metric": self.metric, "seat": self.seat, "half_width": self.half_width}

    def __str__(self) -> str:
        """Return the target as it is written on a command line."""
        return f"{self.metric}[{whole(self.seat)}]±{float(self.half_width)!r}"


def _width(text: str) -> float:
    try:
        width = float(text)
    except ValueError:
        width = math.nan
    if not 0 < width < math.inf:
        near = as_written_here(text)
        raise InputError("not a width", expected="a number above 0", got=text, nearest=near)
    return width


def _check_width(target: Until) -> None:
    """Refuse a width that any interval is within: most often it was meant in per cent."""
    width = target.half_width
    if target.metric == "win_share" and width >= 0.5:
        expected = "a share below 0.5, such as 0.05 for 5 %"
        near = as_written_here(f"{width:g}%") if 1 <= width < 50 else None
        raise InputError("no interval is wider", expected=expected, got=width, nearest=near)


# --- what to play, and when to stop ---------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What a run is asked for.

    Attributes:
        study: What to play, as long as it may become.
        wanted: Its units that are asked for.
        limit: What ends a run that has come to the end of the study.
        until: At which precision it may stop before that.
        max_seconds: After which time it may.
    """

    study: Study
    wanted: Ranges
    limit: str
    until: Until | None = None
    max_seconds: float | None = None

    @classmethod
    def of(
        cls,
        study: Study,
        *,
        only: Sequence[int] | None,
        until: str | Until | None,
        max_units: dict[str, int | None],
        max_seconds: float | None,
    ) -> Plan:
        """Return the plan that arguments of `run` mean.

        Raises:
            InputError: They make no sense, or not together.
        """
        with within(where="until"):
            target = Until.of(until, len(study.players))
            if target is not None:
                _check_width(target)
        limit = study.unit
        for unit, most in max_units.items():
            most = count(f"max_{unit}", most, MAX_UNITS)
            if most is None:
                continue
            if unit != study.unit:
                problem = f"the study is one of {study.unit}"
                raise InputError(problem, where=f"max_{unit}", expected=f"a limit of {study.unit}")
            if target is not None or most < study.count:
                changes: dict[str, Any] = {unit: most}
                study, limit = study.with_changes(**changes), f"max_{unit}"
        if max_seconds is not None and (number(max_seconds) or 0) <= 0:
            problem = "a number of seconds above 0"
            raise InputError(expected=problem, where="max_seconds", got=max_seconds)
        wanted: Ranges = ((0, study.count),)
        if only is not None:
            if target is not None or limit != study.unit:
                problem = "a range alone, or a run from the start until a target or a limit"
                raise InputError("a range and a target at once", where="range", expected=problem)
            with within(where="range"):
                wanted = (checked(only, study.count),)
        return cls(study, wanted, limit, target, max_seconds)

    def begin(self, done: Ranges) -> list[Range]:
        """Return the ranges that are still to be played, cut where the run will look.

        Raises:
            InputError: The folder holds something that a target cannot be judged by.
        """
        missing = minus(self.wanted, done)
        if self.until is None:
            return list(missing)
        if done and done != ((0, done[0][1]),):
            problem = f"holds {in_words(done, self.study.unit)}"
            expected = f"the first {self.study.unit} without a gap, to look at them in order"
            raise InputError(problem, where="until", expected=expected)
        return list(cut_at_looks(missing))

    def looks(self, done: Ranges) -> bool:
        """Whether the run is at a look, or at its end, and has a target."""
        count = size(done)
        return self.until is not None and (is_look(count) or count == self.study.count)

    def end(self, done: Ranges) -> str:
        """Return why a run stops that has played all that it was asked for."""
        return self.limit if done == ((0, self.study.count),) else "range"
