"""What a range of rounds or games leaves behind: whole numbers that add up exactly.

Chunks are added up as Python integers, which have no largest value. Nothing floating is ever
accumulated, so the order and the size of chunks leave no trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field, create_model
from pydantic_core import PydanticCustomError

from sim.core.layout import (
    BAO_CALLED,
    BAO_WON,
    END_CAP,
    GAME_COLUMNS,
    GAME_DEFICIT,
    GAME_THRESHOLD,
    GAME_TURNS,
    MAX_CARDS,
    MAX_PLAYERS,
    MISSED,
    NONE,
    PLUCK_TRIED,
    POWER_BY,
    POWER_USED,
    REASONS,
    TALLY,
    TRIGGERS,
    WIN_UNITS,
    new_record,
)
from sim.errors import InputError
from sim.game.documents import Count, Shape, Whole, check
from sim.metrics import OUTCOMES, SWING_SUMS, Terms

if TYPE_CHECKING:
    from sim.game.study import Study

ROWS: dict[str, tuple[str, ...]] = {
    "turns": (
        *(f"turns_{reason}" for reason in REASONS),
        *(f"call_turns_{outcome}" for outcome in OUTCOMES),
        "lead_changes",
        "loser_led_at",
        "loser_led_left",
    ),
    "recyclings": ("recyclings",),
    "game_rounds": ("game_rounds", "game_lead_changes"),
    "call_totals": tuple(f"call_totals_{outcome}" for outcome in OUTCOMES),
    "call_unknowns": tuple(f"call_unknowns_{outcome}" for outcome in OUTCOMES),
    "deficits": ("deficits",),
    "dealt": tuple(f"dealt_{name}" for name in SWING_SUMS),
}
"""Names of the rows of the engine's arrays that are mostly zeros; see `sim.core.layout`.

Their bounds follow from deck and rules. The deficits of games have none that an array could have,
so each is kept until they are counted here."""

HISTOGRAMS = ("turns", *(name for names in ROWS.values() for name in names))
"""All histograms: rounds by number of turns, in all and by end, and by number of recyclings; calls
by turn, true total and unknown cards; rounds by changes of the lead, by the last turn in which a
later loser led, and by the turns after it; games by number of rounds, by changes of the lead, by
the most points that the winner was behind; and, by bird, sums for its swing."""


class Sums:
    """Sums over a range of units, mergeable in any order.

    Those that an older version of the program has left behind may hold less; so do all that they
    are added to: what was not counted everywhere is not known of the whole.

    Attributes:
        counts: By field of `sim.core.layout.TALLY`: a whole number, or a list of them, by seat
            for example (always 6 seats).
        histograms: By name in `HISTOGRAMS`: how often each value occurred, zeros left out.
    """

    def __init__(
        self, counts: Mapping[str, Any], histograms: Mapping[str, Mapping[int, int]]
    ) -> None:
        """Keep both; see the class."""
        self.counts = dict(counts)
        self.histograms = {
            name: dict(histograms[name]) for name in HISTOGRAMS if name in histograms
        }

    @classmethod
    def empty(cls) -> Sums:
        """Return the sums over nothing."""
        nothing = {"turns": (), "recyclings": (), "game_rounds": (), "call_totals": ()}
        return cls.of(new_record(TALLY), nothing, ())

    @classmethod
    def of(cls, tally: Any, histograms: Mapping[str, Any], games: Any) -> Sums:
        """Return the engine's sums in this form.

        Args:
            tally: `Tally` record.
            histograms: ``turns``, ``recyclings``, ``game_rounds`` and ``call_totals`` as
                `play_chunk` fills them: int64, how often each index occurred, in several rows where
                `ROWS` names several; of ``call_totals`` 0 points are in the middle.
            games: int64, games × `GAME_COLUMNS`: one row for each game in the tally.
        """
        counts = {name: tally[name].tolist() for name in tally.dtype.names if name not in ROWS}
        games = np.asarray(games, np.int64).reshape(-1, GAME_COLUMNS)
        counts["game_turns_sq"] = sum(turns * turns for turns in games[:, GAME_TURNS].tolist())
        deficits = Counter(games[:, GAME_DEFICIT].tolist())
        del deficits[NONE]
        found: dict[str, dict[int, int]] = {"deficits": dict(deficits)}
        for name, rows in ROWS.items():
            if name in found:
                continue
            array = histograms[name] if name in histograms else tally[name]
            whole = np.asarray(array, np.int64).reshape(len(rows), -1)
            first = -(whole.shape[1] // 2) if name == "call_totals" else 0
            for row, values in zip(rows, whole, strict=True):
                found[row] = _sparse(values, first)
        found["turns"] = _together(found[name] for name in ROWS["turns"][:3])
        return cls(counts, found)

    @classmethod
    def together(cls, parts: Sequence[Sums]) -> Sums:
        """Return the sum of one or more, the first of which may be changed by it."""
        whole, *others = parts
        for other in others:
            whole.add(other)
        return whole

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sums:
        """Return the sums that `to_dict` wrote down, here or in an older version.

        Raises:
            InputError: It did not write this; says at which count. Whether what it says can be
                true is left to `check`.
        """
        check(_SumsPart, data)
        counts = {name: data[name] for name in _COUNTED if name in data}
        pairs = data["histograms"]
        return cls(counts, {name: dict(pairs[name]) for name in HISTOGRAMS if name in pairs})

    def check(self, study: Study) -> None:
        """Check that the counts add up, and can be those of a study.

        Raises:
            InputError: They do not; says which.
        """
        for name, histogram in self.histograms.items():
            low, high = _bounds(name, study)
            strange = next((value for value in histogram if not low <= value <= high), None)
            if strange is not None:
                key, expected = f"histograms.{name}", f"values from {low:,} to {high:,}"
                raise InputError("damaged", key=key, expected=expected, got=strange)
        for key, found, right in _facts(self, study):
            if found != right:
                raise InputError("does not add up", key=key, expected=f"{right:,}", got=found)

    @property
    def complete(self) -> bool:
        """Whether all is in them that this version of the program counts."""
        return self.counts.keys() >= {*_COUNTED} and len(self.histograms) == len(HISTOGRAMS)

    def to_dict(self) -> dict[str, Any]:
        """Return the sums JSON-ready; histograms as pairs of value and count, ascending."""
        return {**self.counts, "histograms": {name: self.pairs(name) for name in self.histograms}}

    def add(self, other: Sums) -> None:
        """Mutates: add the sums over another range."""
        self.counts = {
            name: _plus(value, other.counts[name])
            for name, value in self.counts.items()
            if name in other.counts
        }
        self.histograms = {
            name: _together([histogram, other.histograms[name]])
            for name, histogram in self.histograms.items()
            if name in other.histograms
        }

    def pairs(self, name: str) -> list[list[int]]:
        """Return a histogram as pairs of value and count, values ascending, no zeros."""
        return [[value, times] for value, times in sorted(self.histograms[name].items())]

    def knows(self, name: str) -> bool:
        """Whether they hold a field or a histogram, as those of an older version may not."""
        kept = {*self.counts, *self.histograms}
        return name in kept or name.removesuffix("_sq") in kept

    def whole(self, terms: Terms) -> int:
        """Return a whole number of `sim.metrics`: a sum of entries, each times a factor."""
        return sum(times * self._entry(*entry) for entry, times in terms.items())

    def _entry(self, name: str, *index: Any) -> int:
        """Return an entry of the tally, of a histogram, or a moment of one; see `EXTRA`."""
        if name in self.counts:
            value = self.counts[name]
            for k in index:
                value = value[k]
            return int(value)
        power = 1 if name in self.histograms else 2
        histogram = self.histograms[name if power == 1 else name.removesuffix("_sq")]
        if not index:
            return sum(value**power * times for value, times in histogram.items())
        return sum(histogram.values()) if index == ("times",) else histogram.get(index[0], 0)

    def __getitem__(self, name: str) -> Any:
        """Return a field of the tally: a whole number or a list of them."""
        return self.counts[name]

    def __eq__(self, other: object) -> bool:
        """Sums are equal when every number is."""
        if not isinstance(other, Sums):
            return NotImplemented
        return self.counts == other.counts and self.histograms == other.histograms

    __hash__ = None  # type: ignore[assignment]  # they change while a run goes on

    def __repr__(self) -> str:
        """Say over how much they are."""
        return f"<Sums over {self['rounds']:,} rounds, {self['games']:,} games>"


# --- what is written down -------------------------------------------------------------------------

_COUNTED = tuple(name for name in TALLY.names or () if name not in ROWS)


def _between(first: str, last: str) -> tuple[str, ...]:
    return _COUNTED[_COUNTED.index(first) : _COUNTED.index(last) + 1]


_ALWAYS = (*_between("rounds", "count"), *_between("sure_plucks", "deciding_rounds"))
_ALWAYS_HISTOGRAMS = ("turns", "recyclings", "game_rounds")
"""What every version has counted."""

_SIGNED = {"score", "total", "call_total", "place_score", "users", "game_score_rounds"}
_SIGNED |= {"dealt_sum", "dealt_product"}
"""What may be below 0; everything else counts or adds up squares."""


def _nested(shape: tuple[int, ...], entry: Any) -> Any:
    """Return the type of nested lists of some lengths."""
    for length in reversed(shape):
        entry = Annotated[list[entry], Field(min_length=length, max_length=length)]
    return entry


def _ascending(pairs: list[list[int]]) -> list[list[int]]:
    if any(a >= b for (a, _), (b, _) in pairwise(pairs)):
        raise PydanticCustomError("values", "values in ascending order, each once")
    return pairs


def _counts(pairs: list[list[int]]) -> list[list[int]]:
    if any(times < 0 for _, times in pairs):
        raise PydanticCustomError("times", "numbers of times from 0 on")
    return pairs


def _part(types: Mapping[str, Any], always: Sequence[str], **more: Any) -> Any:
    fields: Any = {name: (kind, ... if name in always else None) for name, kind in types.items()}
    return create_model("_Part", __base__=Shape, **(more | fields))


_Pair: Any = _nested((2,), Whole)
_Pairs: Any = Annotated[list[_Pair], AfterValidator(_ascending)]
_Histogram: Any = Annotated[_Pairs, AfterValidator(_counts)]
_histograms = {name: _Pairs if name in _SIGNED else _Histogram for name in HISTOGRAMS}
_fields = {
    name: _nested(TALLY[name].shape, Whole if name in _SIGNED else Count) for name in _COUNTED
}
_SumsPart: Any = _part(_fields, _ALWAYS, histograms=(_part(_histograms, _ALWAYS_HISTOGRAMS), ...))


# --- what is always so ----------------------------------------------------------------------------

Fact = tuple[str, int, int]
"""Where, what stands there, and what it must be."""


def _facts(sums: Sums, study: Study) -> Iterator[Fact]:
    """Yield what must be equal in the sums over units of a study, however they went."""
    seats, rounds = len(study.players), sums["rounds"]
    yield "ends", sum(sums["ends"]), rounds
    yield "histograms.turns", _total(sums, "turns"), rounds
    yield "histograms.recyclings", _total(sums, "recyclings"), rounds
    yield "bao", sum(sums["bao"][BAO_WON:]), sums["bao"][BAO_CALLED]
    yield "bao_called", sum(sums["bao_called"]), sums["bao"][BAO_CALLED]
    yield "bao_won", sum(sums["bao_won"]), sums["bao"][BAO_WON]
    yield "game_ends", sum(sums["game_ends"]), sums["games"]
    yield "histograms.game_rounds", _total(sums, "game_rounds"), sums["games"]
    decided = rounds - sums["ends"][END_CAP]
    if study.games is None:
        yield "games", sums["games"], 0
    else:
        of_games = sum(value * times for value, times in sums.pairs("game_rounds"))
        yield "histograms.game_rounds", of_games, rounds
        decided = sums["game_ends"][GAME_THRESHOLD]
    yield "share", sum(sums["share"]), WIN_UNITS * decided
    for seat, (won, shared) in enumerate(zip(sums["wins"], sums["shared"], strict=True)):
        yield "wins", max(decided, won + shared), decided
        share = sums["share"][seat]
        yield "share", max(won * WIN_UNITS, share), share
    for name in _COUNTED:
        if TALLY[name].shape[:1] == (MAX_PLAYERS,) and name in sums.counts:
            yield name, sum(map(_weight, sums[name][seats:])), 0
    for seat in range(seats):
        plucks = sum(sums["count"][seat][: MISSED + 1])
        yield "sure_plucks", max(plucks, sum(sums["sure_plucks"][seat])), plucks
        for k, tried in enumerate(sums["sure_plucks"][seat]):
            yield "sure_hits", max(tried, sums["sure_hits"][seat][k]), tried
        for values, squares, times in _SPREADS:
            if values in sums.counts and squares in sums.counts:
                yield from _spread(sums, seat, values, squares, times)
    if sums.complete:
        yield from _more_facts(sums, study)


def _more_facts(sums: Sums, study: Study) -> Iterator[Fact]:
    """Yield what must be equal of what older versions did not count."""
    rounds, turns = sums["rounds"], sum(value * times for value, times in sums.pairs("turns"))
    for k, reason in enumerate(REASONS):
        yield f"histograms.turns_{reason}", _total(sums, f"turns_{reason}"), sums["ends"][k]
    ends = list(map(sum, zip(*sums["call_ends"], strict=True)))
    shield = list(map(sum, zip(*sums["call_shield"], strict=True)))
    for k, called in enumerate(sums["bao"]):
        yield "call_ends", ends[k], called
        yield "call_shield", shield[k], called
        yield "call_lowest", max(sums["call_lowest"][k], called), called
    for k, outcome in enumerate(OUTCOMES, start=BAO_WON):
        for of in ("turns", "totals", "unknowns"):
            name = f"call_{of}_{outcome}"
            yield f"histograms.{name}", _total(sums, name), sums["bao"][k]
    yield "histograms.lead_changes", _total(sums, "lead_changes"), rounds
    led_at = _total(sums, "loser_led_at")
    yield "histograms.loser_led_at", max(rounds, led_at), rounds
    yield "histograms.loser_led_left", _total(sums, "loser_led_left"), led_at
    yield "led", max(turns, sum(sums["led"])), turns
    for name in ("game_lead_changes", "deficits"):
        yield f"histograms.{name}", _total(sums, name), sums["game_ends"][GAME_THRESHOLD]
    if study.games is not None:
        yield "game_turns", sums["game_turns"], turns
    for seat in range(len(study.players)):
        yield "place_rounds", sum(sums["place_rounds"][seat]), rounds
        yield "place_decided", sum(sums["place_decided"][seat]), rounds - sums["ends"][END_CAP]
        yield "place_score", sum(sums["place_score"][seat]), sums["score"][seat]
        yield "place_score_sq", sum(sums["place_score_sq"][seat]), sums["score_sq"][seat]
        for place in range(len(study.players)):
            most = WIN_UNITS * sums["place_decided"][seat][place]
            won = sums["place_share"][seat][place] if study.games is None else 0
            yield "place_share", max(most, won), most
        gone = sums["gone_rounds"][seat]
        yield "gone_rounds", max(rounds, gone), rounds
        yield "gone_decided", max(gone, sums["gone_decided"][seat]), gone
        most = sums["tries_sq"][seat] * sums["hits_sq"][seat]
        yield "hits_tries", max(most, sums["hits_tries"][seat] ** 2), most
        if study.games is None:
            yield "place_share", sum(sums["place_share"][seat]), sums["share"][seat]
        yield from _details(sums["count"][seat], sums["detail"][seat])


def _details(count: list[int], detail: list[int]) -> Iterator[Fact]:
    """Yield that a seat's plucks and powers are as many as by what they came from."""
    tried = detail[PLUCK_TRIED : PLUCK_TRIED + 2 * MISSED * 2]  # source, targets, missed or hit
    yield "detail", sum(tried[::2]), count[MISSED]
    for kind in range(MISSED):
        yield "detail", tried[2 * kind + 1] + tried[2 * (kind + MISSED) + 1], count[kind]
    for power, used in enumerate(count[POWER_USED:]):
        begin = POWER_BY + power * len(TRIGGERS)
        yield "detail", sum(detail[begin : begin + len(TRIGGERS)]), used


_SPREADS = (
    ("share", "share_sq", None),
    ("score", "score_sq", None),
    ("call_turn", "call_turn_sq", "bao_called"),
    ("call_total", "call_total_sq", "bao_called"),
    ("call_unknown", "call_unknown_sq", "bao_called"),
)
"""Fields with sums of values of a seat, of their squares, and how many there are."""


def _spread(sums: Sums, seat: int, values: str, squares: str, times: str | None) -> Iterator[Fact]:
    """Yield that squares are not less than the values allow."""
    if times is not None:
        n = sums[times][seat]
    else:
        n = sums["games"] if values == "share" and sums["games"] else sums["rounds"]
    least = -(-(sums[values][seat] ** 2) // n) if n else 0
    yield squares, min(least, sums[squares][seat]), least
    if not n:
        yield values, sums[values][seat], 0


def _total(sums: Sums, name: str) -> int:
    return sum(sums.histograms[name].values())


def _weight(entry: Any) -> int:
    """Return 0 if a number, or all in nested lists of them, is 0."""
    return sum(map(_weight, entry)) if isinstance(entry, list) else abs(entry)


def _bounds(name: str, study: Study) -> tuple[int, int]:
    """Return the least and the greatest value that a histogram of a study can have."""
    rules = study.rules
    if name.startswith(("game_rounds", "game_lead")):
        return 0, rules.max_rounds
    if name.startswith("dealt"):
        return 0, len(study.deck.birds) - 1
    if name.startswith("call_unknowns"):
        return 0, MAX_CARDS
    if name == "recyclings":  # at most one for each card that is drawn, see `Job.histograms`
        return 0, rules.max_turns * (7 + rules.penalty_cards)
    if name.startswith(("call_totals", "deficits")):
        return -(2**31), 2**31
    return 0, rules.max_turns


# --- adding up ------------------------------------------------------------------------------------


def _sparse(counts: Any, first: int) -> dict[int, int]:
    """Return the entries of an array of counts that are not 0, by value; `first` is at index 0."""
    found = counts.nonzero()[0]
    return dict(zip((found + first).tolist(), counts[found].tolist(), strict=True))


def _together(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return the sum of histograms; what comes to 0, as sums of points may, is left out."""
    whole: Counter[int] = Counter()
    for histogram in histograms:
        whole.update(histogram)
    return {value: times for value, times in whole.items() if times}


def _plus(a: Any, b: Any) -> Any:
    """Return the sum of two whole numbers, or of two nested lists of them, entry by entry."""
    if isinstance(a, list):
        return [_plus(x, y) for x, y in zip(a, b, strict=True)]
    return a + b
