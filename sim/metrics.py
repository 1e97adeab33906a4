"""The registry of metrics: each number that is told of rounds and games, once.

An entry says what a number is called, whose it is, of which whole numbers of the tally it is made,
and by which formula. The summary, tables, ``list metrics``, comparisons, sweeps, plots and reports
all walk `METRICS`; `analysis.results.evaluate` makes the numbers. Its words are in
``data/metrics.toml``. So a new one takes four places: the line of the engine that counts, its entry
here, its recount in the tests, and its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from sim.core import layout
from sim.core.layout import GAME_REASONS, TRIGGERS
from sim.core.layout import REASONS as REASONS
from sim.core.layout import WIN_UNITS as WIN_UNITS
from sim.game.deck import POWERS
from sim.game.files import read_toml

OUTCOMES = ("won", "tied", "beaten", "void")
"""What becomes of a call of BAO, from `sim.core.layout.BAO_WON` on."""

SWING_SUMS = ("count", "sum", "sum_sq", "count_sq", "product")
"""What is summed up for a swing, from `sim.core.layout.SWING_N` on."""

# --- whole numbers of the tally -------------------------------------------------------------------

Entry = tuple[Any, ...]
"""An entry of the engine's sums: a field's name and the places in it; or one of `EXTRA`."""

EXTRA: tuple[Entry, ...] = (("turns",), ("turns_sq",), ("recyclings",))
"""What `sim.engine.play.play_rows` adds: turns of all rounds, their squares, recyclings."""

Terms = Mapping[Entry, int]
"""A whole number: entries, each with a factor."""

SEAT, ALL, PLACE = "seat", "all seats", "place"
"""Where an entry stands: at the seat in question, at all together, at the place in a list."""


@dataclass(frozen=True)
class Whole:
    """A whole number as `METRICS` names it, for any seat, table and place; can be added up."""

    terms: tuple[tuple[Entry, int], ...]

    def __add__(self, other: Whole) -> Whole:
        """Return the sum of two."""
        return Whole(self.terms + other.terms)

    def __sub__(self, other: Whole) -> Whole:
        """Return a difference."""
        return self + other * -1

    def __mul__(self, factor: int) -> Whole:
        """Return a multiple."""
        return Whole(tuple((entry, factor * times) for entry, times in self.terms))

    def at(self, players: int, games: bool, seat: int | Sequence[int] = 0, place: int = 0) -> Terms:
        """Return the entries that it is made of.

        Args:
            players: How many there are.
            games: Whether games are played.
            seat: Whose number is wanted; of several seats all together.
            place: In the turn order, or of a bird in the deck.
        """
        found: dict[Entry, int] = {}
        seats = (seat,) if isinstance(seat, int) else seat
        for (name, *index), times in self.terms:
            if name in _BY_UNIT:
                whole = _BY_UNIT[name][games] * times
                found |= whole.at(players, games, seat, place)
                continue
            for k in range(players) if ALL in index else seats:
                where = {SEAT: k, ALL: k, PLACE: place}
                found[name, *(where.get(part, part) for part in index)] = times
        return found


def _of(name: str, *index: int | str) -> Whole:
    return Whole((((name, *index), 1),))


def _all(name: str, *places: int) -> Whole:
    """Return a number of a seat, in several places of the same field together."""
    return Whole(tuple(((name, SEAT, place), 1) for place in places))


ROUNDS, GAMES, TURNS = _of("rounds"), _of("games"), _of("turns")
ROUNDS_WON = ROUNDS - _of("ends", layout.END_CAP)
_GAMES_WON = _of("game_ends", layout.GAME_THRESHOLD)
_BY_UNIT = {"units": (ROUNDS, GAMES), "won units": (ROUNDS_WON, _GAMES_WON)}
"""What is another number where games are played."""
UNITS, UNITS_WON = _of("units"), _of("won units")
"""Rounds, or games where these are played; those with a winner."""

_CALLED, _SEAT_CALLED = _of("bao", layout.BAO_CALLED), _of("bao_called", SEAT)
_CALLS_MADE = _of("call_ends", ALL, layout.BAO_CALLED)
_HIT_KINDS = {"own_hit": layout.OWN_HIT, "rival_hit": layout.RIVAL_HIT}
_HIT_KINDS |= {"double_hit": layout.DOUBLE_HIT}
HITS = _all("count", *_HIT_KINDS.values())
PLUCKS = HITS + _all("count", layout.MISSED)
_CHANCES_AT = {  # of a source, for own cards and rivals': the chances, then what used them
    "draw": (layout.DRAW_CHANCE, ("chances", "tried")),
    "window": (layout.WINDOW_CHANCE, ("chances", "tried", "gone")),
}
_CHANCES = _all(
    "detail", *(at + len(kinds) * k for at, kinds in _CHANCES_AT.values() for k in range(2))
)
_CHANCES_LEFT = _CHANCES - _all(
    "detail",
    *(
        at + len(kinds) * whose + k
        for at, kinds in _CHANCES_AT.values()
        for whose in range(2)
        for k in range(1, len(kinds))
    ),
)
_RACES = _all("detail", layout.RACES)
_RACES_LOST = _RACES - _all("detail", layout.RACES + 1)


# --- formulas -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Formula:
    """How a number is made of whole numbers; `analysis.results.evaluate` knows each kind.

    Attributes:
        kind: ``count``, ``ratio``, ``share`` (Wilson's interval), ``wins`` (the same, from 0 to 1
            where nothing was decided), ``mean`` (Student's), ``sd``,
            ``score`` (a mean, clusters are games), ``clustered`` (Wilson's, clusters are rounds),
            ``swing``, ``rule``; of histograms: ``spread.mean``, ``spread.sd`` and so on,
            and ``rows``.
        parts: Whole numbers. The first is divided by the second, times `units`; others are sums of
            squares and products that the interval needs. Of ``sd``: total, number, squares.
        histograms: Their names, where it is made of these: all together, or a column for each.
        units: How many units the first part counts where the second counts one.
        least: The least value that a number of a histogram can have.
        games: Whether there is an interval also where games are played, though the rounds of a
            game hang together.
    """

    kind: str
    parts: tuple[Whole, ...] = ()
    histograms: tuple[str, ...] = ()
    units: int = 1
    least: float = 0.0
    games: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """Which fields and histograms of the sums it needs."""
        wholes = [*self.parts]
        names = {*self.histograms}
        while wholes:
            for (name, *_), _times in wholes.pop().terms:
                wholes += _BY_UNIT.get(name, ())
                names |= {name} - _BY_UNIT.keys()
        return frozenset(names)

    @property
    def interval(self) -> bool:
        """Whether the number has an interval."""
        return self.kind in ("share", "wins", "mean", "score", "clustered", "swing", "spread.mean")


def _count(whole: Whole) -> Formula:
    return Formula("count", (whole,))


def _ratio(part: Whole, whole: Whole) -> Formula:
    return Formula("ratio", (part, whole))


def _share(part: Whole, whole: Whole, units: int = 1, games: bool = False) -> Formula:
    return Formula("share", (part, whole), units=units, games=games)


def _mean(name: str, size: Whole, *index: int | str, games: bool = False) -> Formula:
    parts = (_of(name, *index), size, _of(f"{name}_sq", *index))
    return Formula("mean", parts, games=games)


def _sd(name: str, size: Whole, *index: int | str) -> Formula:
    return replace(_mean(name, size, *index), kind="sd")


def _swing(*parts: Whole) -> Formula:
    return Formula("swing", parts)


# --- entries --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """How two studies are compared by a number.

    Attributes:
        rank: Of several numbers the one with the lower rank is told first; 0 of a median, which
            comes after its mean.
        main: Whether it is told whether it differs or not.
        answer: Whether the answer of a report speaks of it.
        drawn: Whether it is drawn, where it is a share; by default the main ones are.
        per: What a count is divided by.
        parts: What is compared, where that is not what the formula says: a total and a size.
        unit: ``share`` (0 to 1), ``points``, ``turns`` and so on; by default the number's own, and
            of counts of rounds (games) the share of them.
    """

    rank: int
    main: bool = False
    answer: bool = False
    drawn: bool = False
    per: Whole = ROUNDS
    parts: tuple[Whole, ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class Swept:
    """How a number is told of each point of a sweep.

    Attributes:
        name: In tables.
        rank: Of several numbers the one with the lower rank is told first.
        size: How many it was made of.
        of: Of what that is the number; empty where it is the number of units.
        drawn: Whether a sweep's folder has its picture: ``""``, ``line``, ``map`` too, or ``table``
            where no seat stands out.
        page: How a page draws it: ``""``, over one axis (``line``), over each of several too
            (``lines``), and as a ``map``.
    """

    name: str
    rank: int
    size: Whole = ROUNDS
    of: str = "rounds"
    drawn: str = ""
    page: str = ""


@dataclass(frozen=True)
class Metric:
    """One number.

    Attributes:
        name: Path to it in a summary; inside a seat's part where it is of a seat, inside an entry
            of a list where it is of these.
        scope: ``table``, ``seat``, or a list of the summary: ``positions``, ``birds``; ``group``
            of several seats together.
        unit: ``points``, ``share`` (0 to 1), ``rounds``, ``turns`` and so on.
        formula: How it is made.
        compared: How studies are compared by it, if they are.
        swept: How it is told of points of a sweep, if it is.
        group: What it is for, the same for several: key of the words.
        shown: Whether tables and lists of metrics have it.
        in_summary: Whether a summary has it, as it has histograms, which are no single numbers.
        whole: What a count is told as a share of, too, if it is.
    """

    name: str
    scope: str
    unit: str
    formula: Formula
    compared: Compared | None = None
    swept: Swept | None = None
    group: str = ""
    shown: bool = True
    in_summary: bool = True
    whole: Whole | None = None

    @property
    def per_seat(self) -> bool:
        """Whether there is one for each seat."""
        return self.scope == "seat"

    @property
    def share(self) -> bool:
        """Whether it is a share where it is told of a point, or compared."""
        return _unit(self) == "share"

    @property
    def of_games(self) -> bool:
        """Whether it is said of whole games, and only where these are played."""
        return self.name.startswith(("game.", "comebacks."))

    @property
    def compared_as(self) -> str:
        """What it is called in a comparison; of a list only the first entry is compared."""
        return f"{self.scope}.0.{self.name}" if self.scope in _LISTS else self.name

    @property
    def interval(self) -> bool:
        """Whether it has a 95 % interval."""
        return self.formula.interval

    @property
    def interval_with_games(self) -> bool:
        """Whether it has one where games are played, too.

        Only what is said of whole games, mean scores and win shares have, as the rounds of a game
        hang together.
        """
        return self.interval and self.formula.games

    # --- words ------------------------------------------------------------------------------------

    @property
    def range(self) -> str:
        """Which values it can have, in words."""
        if self.formula.kind == "spread.sd":
            return "0 or more"
        return {"share": "0 to 1", "points": "any"}.get(self.unit, "0 or more")

    @property
    def each(self) -> str:
        """Where it stands in a list, the list and what an entry is for; else empty."""
        return f"{self.scope}: {_LISTS[self.scope]}" if self.scope in _LISTS else ""

    @property
    def of(self) -> str:
        """What has such a number: ``table``, ``each seat``, ``each bird`` and so on."""
        return f"each {_LISTS.get(self.scope, self.scope)}" if self.scope != "table" else "table"

    @property
    def description(self) -> str:
        """What it is, in a line."""
        return self._said[0]

    @property
    def text(self) -> str:
        """How it is made of other numbers; ``count`` where it is counted."""
        return self._said[1]

    @property
    def purpose(self) -> str:
        """What it is for, in words."""
        return str(words("purpose").get(self.group, self.group))

    @property
    def label(self) -> str:
        """What it is called on axes of plots; shares are shown there in per cent."""
        name = self.swept.name if self.swept else self.name
        return str(words("label").get(name, name))

    @property
    def _said(self) -> Sequence[str]:
        told, said = words(self.scope), self._pattern(self.name)
        path, _, what = self.name.rpartition(".")
        if said is None and self.formula.kind.startswith("spread.") and path in told:
            values, of = told[path]
            text, how = words("spread")[what]
            return text.replace("*", values), how.replace("+", of)
        return said or (self.name, "count")

    def _pattern(self, name: str) -> Sequence[str] | None:
        told = words(self.scope)
        for key in (name, *(key for key in told if "*" in key)):
            found = re.fullmatch(re.escape(key).replace(r"\*", "(.+)"), name)
            if found and key in told:
                said = [told[key], "count"] if isinstance(told[key], str) else told[key]
                return [text.replace("*", "".join(found.groups())) for text in said]
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return what ``list metrics --json`` says of it."""
        names = "name per_seat unit description formula range purpose interval interval_with_games"
        said = {name: getattr(self, name) for name in f"{names} each of".split()}
        return said | {"formula": self.text}


_LISTS = {"positions": "place in the turn order", "birds": "bird"}


@cache
def words(of: str) -> Mapping[str, Any]:
    """Return a table of the words of metrics: what they are by scope, ``differs``, ``label``."""
    found: Mapping[str, Any] = _catalogue().get(of, {})
    return found


@cache
def _catalogue() -> Mapping[str, Any]:
    return read_toml(Path(__file__).parent / "data" / "metrics.toml")


def differs(name: str) -> tuple[str, str, str]:
    """Return what a difference means: the beginning of a sentence, its end for more, for less."""
    begin, more, less = words("differs").get(name, (f"{name} of {{who}} is", "higher", "lower"))
    return begin, more, less


def described(name: str) -> str:
    """Return what a number of a comparison or a sweep is, in English."""
    if name in SWEPT:
        return SWEPT[name].label
    found = (metric.description for metric in METRICS if metric.compared_as == name)
    return next(found, name)


def _table(name: str, unit: str, formula: Formula, *told: Any, **more: Any) -> Metric:
    return Metric(name, "table", unit, formula, *told, **more)


def _seat(name: str, unit: str, formula: Formula, *told: Any) -> Metric:
    return Metric(name, "seat", unit, formula, *told)


def _swept(scope: str, unit: str, formula: Formula, swept: Swept) -> Metric:
    """Return a number that only tables of points have; a summary has what it is made of."""
    name = swept.name
    return Metric(name, scope, unit, formula, swept=swept, shown=False, in_summary=False)


def _with(metrics: Iterator[Metric] | Sequence[Metric], **changes: Any) -> list[Metric]:
    return [replace(metric, **changes) for metric in metrics]


def _spread(
    name: str,
    unit: str,
    *histograms: str,
    least: float = 0.0,
    games: bool = False,
    mean: tuple[Compared | None, Swept | None] = (None, None),
    median: Compared | None = None,
) -> list[Metric]:
    """Return the metrics of a number that is different in each round, for example.

    Args:
        name: Path to them.
        unit: Of the number.
        histograms: Of it; several are added up.
        least: See `Formula`.
        games: See `Formula`.
        mean: How the mean is compared, and told of a point of a sweep.
        median: How the median is compared.
    """
    formula = Formula("", histograms=histograms, least=least, games=games)
    compared = {"mean": mean[0], "median": median}
    return [
        Metric(
            f"{name}.{what}",
            "table",
            unit,
            replace(formula, kind=f"spread.{what}"),
            compared.get(what),
            mean[1] if what == "mean" else None,
            shown=what != "histogram",
        )
        for what in ("mean", "sd", "min", "max", "median", "histogram")
    ]


def _fates(path: str, *field: Any, rank: int = 0) -> Iterator[Metric]:
    """Yield calls by outcome."""
    for k, fate in enumerate(("called", *OUTCOMES)):
        main = k == layout.BAO_CALLED
        compared = Compared(rank, main=main, answer=main) if rank else None
        whole = (ROUNDS if main else _CALLED) if rank else None
        yield _table(f"{path}{fate}", "rounds", _count(_of(*field, k)), compared, whole=whole)


def _won_share(path: str, *field: Any, **more: Any) -> Metric:
    won, called = (_of(*field, k) for k in (layout.BAO_WON, layout.BAO_CALLED))
    return _table(f"{path}won_share", "share", _share(won, called), **more)


def _rounds_end() -> Iterator[Metric]:
    yield _table("rounds", "rounds", _count(ROUNDS))
    yield _table("games", "games", _count(GAMES))
    for k, reason in enumerate(REASONS):
        counted, answer = _of("ends", k), k != layout.END_CAP
        compared = Compared(11, main=True, answer=answer)
        yield _table(f"ends.{reason}", "rounds", _count(counted), compared)
        drawn = "table" if k == layout.END_RECYCLING else ""
        swept = Swept(f"end_{reason}", 12, drawn=drawn)
        yield _swept("table", "share", _share(counted, ROUNDS), swept)
    yield _seat("automatic_ends", "rounds", _count(_of("final_by", SEAT)), Compared(25))


def _lengths() -> Iterator[Metric]:
    compared = Compared(11, main=True, answer=True, parts=(TURNS, ROUNDS))
    mean = compared, Swept("turns_mean", 11, drawn="line", page="lines")
    sd = Compared(11, parts=(_of("turns_sq"), TURNS, ROUNDS))
    for metric in _spread("turns", "turns", "turns", mean=mean, median=Compared(0, main=True)):
        yield replace(metric, compared=sd) if metric.name == "turns.sd" else metric
    for reason in REASONS:
        yield from _spread(f"by_end.{reason}", "turns", f"turns_{reason}")
    mean = Compared(11, parts=(_of("recyclings"), ROUNDS)), Swept("recyclings_mean", 14)
    for metric in _spread("recyclings", "recyclings", "recyclings", mean=mean):
        if metric.name in ("recyclings.mean", "recyclings.histogram"):
            yield metric


def _game() -> Iterator[Metric]:
    sweeps = Swept("game_rounds_mean", 19, GAMES, "games", "line")
    mean = Compared(17, answer=True, parts=(ROUNDS, GAMES)), sweeps
    yield _table("game.threshold", "points", Formula("rule"))
    for k, reason in enumerate(GAME_REASONS):
        compared = Compared(17, per=GAMES)
        yield _table(f"game.ends.{reason}", "games", _count(_of("game_ends", k)), compared)
    yield from _spread(
        "game.rounds", "rounds", "game_rounds", games=True, mean=mean, median=Compared(0)
    )
    turns = _mean("game_turns", GAMES, games=True)
    sweeps = Swept("game_turns_mean", 20, GAMES, "games", "line")
    yield _table("game.turns.mean", "turns", turns, Compared(17), sweeps)
    yield _table("game.turns.sd", "turns", _sd("game_turns", GAMES))
    for name, field, unit in (
        ("game.decided_by_deciding_rounds", "decided", "games"),
        ("game.deciding_rounds", "deciding_rounds", "rounds"),
    ):
        compared = Compared(17, per=GAMES, unit="share" if unit == "games" else unit)
        yield _table(name, unit, _count(_of(field)), compared)


def _comebacks() -> Iterator[Metric]:
    from_last = _of("come_from_last")
    half, led, last = (_of(f"half_{name}") for name in ("games", "lead_won", "last_won"))
    games = _of("deficits", "times")
    swept = Swept("comeback_share", 21, games, "games", "line")
    compared = Compared(18, parts=(from_last, _GAMES_WON))
    share = _share(from_last, games, games=True)
    yield _table("comebacks.games", "games", _count(games))
    yield _table("comebacks.after_last", "games", _count(from_last))
    yield _table("comebacks.after_last_share", "share", share, compared, swept)
    yield from _spread("comebacks.deficit", "points", "deficits", games=True)
    yield _table("comebacks.half.games", "games", _count(half))
    for name, won, how in (("leader_won", led, Compared(18)), ("last_won", last, None)):
        path = f"comebacks.half.{name}"
        yield _table(path, "games", _count(won))
        yield _table(f"{path}_share", "share", _share(won, half, games=True), how)
    yield from _spread("comebacks.lead_changes", "changes", "game_lead_changes", games=True)


def _wins() -> Iterator[Metric]:
    per_unit = Compared(20, per=UNITS, unit="share")
    yield _seat("wins", "rounds or games", _count(_of("wins", SEAT)), per_unit)
    yield _seat("shared_wins", "rounds", _count(_of("shared", SEAT)), per_unit)
    share = Formula("wins", (_of("share", SEAT), UNITS_WON), units=WIN_UNITS, games=True)
    compared, swept = (
        Compared(1, main=True, answer=True),
        Swept("win_share", 1, UNITS_WON, "", "map", "map"),
    )
    yield _seat("win_share", "share", share, compared, swept)
    yield _swept("group", "share", share, replace(swept, name="group_win_share", rank=2))
    by_game = (GAMES, _of("game_score_sq", SEAT), _of("game_score_rounds", SEAT))
    parts = (_of("score", SEAT), ROUNDS, _of("score_sq", SEAT), *by_game)
    score = Formula("score", parts, ("game_rounds",), games=True)
    swept = Swept("score_mean", 3, drawn="map", page="line")
    yield _seat("score_mean", "points", score, Compared(2, main=True, answer=True), swept)
    yield _seat("score_sd", "points", _sd("score", ROUNDS, SEAT), Compared(20))
    for rank, (name, field, unit) in enumerate(
        (("total_mean", "total", "points"), ("cards_left_mean", "cards_left", "cards")), start=4
    ):
        formula = _ratio(_of(field, SEAT), ROUNDS)
        yield _seat(name, unit, formula, Compared(20), Swept(name, rank))


def _place(path: str, seat: str, place: int | str, rank: int) -> Iterator[Metric]:
    """Yield what is won, and scored, where seats had a place in the turn order."""
    size, decided, won = (_of(f"place_{name}", seat, place) for name in _PLACE)
    yield _seat(f"{path}rounds", "rounds", _count(size))
    yield _seat(f"{path}win_share", "share", _share(won, decided, WIN_UNITS), Compared(rank))
    yield _seat(f"{path}score_mean", "points", _mean("place_score", size, seat, place))


_PLACE = ("rounds", "decided", "share")


def _begin() -> Iterator[Metric]:
    yield Metric("position", "positions", "place", Formula("place"))
    yield from _with(_place("", ALL, PLACE, 13), scope="positions")
    yield from _place("first.", SEAT, 0, 24)


def _leads() -> Iterator[Metric]:
    led = _of("loser_led_at", "times")
    swept = Swept("lead_changes_mean", 15)
    yield from _spread("leads.changes", "changes", "lead_changes", mean=(None, swept))
    alone = _ratio(_of("led", ALL), TURNS)
    yield _table("leads.alone_share", "share", alone, Compared(14))
    yield _table("leads.loser_led.rounds", "rounds", _count(led))
    share = _share(led, ROUNDS_WON)
    yield _table("leads.loser_led.share", "share", share, swept=Swept("loser_led_share", 16))
    yield from _spread("leads.loser_led.last_turn", "turns", "loser_led_at")
    yield from _spread("leads.loser_led.turns_left", "turns", "loser_led_left")
    yield _seat("leads.turns", "turns", _count(_of("led", SEAT)))
    yield _seat("leads.share", "share", _ratio(_of("led", SEAT), TURNS), Compared(26))


_CALLS = {"turn": "turns", "total": "points", "unknown": "cards"}
"""What is known of a call of BAO, and its unit."""


def _bao() -> Iterator[Metric]:
    swept = Swept("calls_won", 13, _CALLS_MADE, "calls", "table")
    yield from _fates("bao.", "bao", rank=12)
    yield from _fates("calls.", "call_ends", ALL)
    won = _of("bao", layout.BAO_WON)
    compared = Compared(12, main=True, answer=True, parts=(won, _CALLED))
    yield _won_share("calls.", "call_ends", ALL, compared=compared, swept=swept)
    for name, unit in _CALLS.items():
        histograms = [f"call_{name}s_{fate}" for fate in OUTCOMES]
        mean = Compared(12, parts=(_of(f"call_{name}", ALL), _CALLED)), None
        least = float("-inf") if name == "total" else 0.0
        yield from _spread(f"calls.{name}", unit, *histograms, least=least, mean=mean)
        rows = Formula("rows", histograms=tuple(histograms))
        yield replace(_table(f"calls.by_{name}", unit, rows), shown=False)
    yield from _fates("calls.lowest.", "call_lowest")
    lowest = _share(_of("call_lowest", layout.BAO_CALLED), _CALLED)
    yield _table("calls.lowest.share", "share", lowest, Compared(12))
    called, won = _SEAT_CALLED, _of("bao_won", SEAT)
    yield _seat("bao_called", "rounds", _count(called), Compared(21, drawn=True))
    yield _seat("bao_won", "rounds", _count(won), Compared(21))
    swept = Swept("bao_rate", 6, drawn="line")
    yield _swept("seat", "share", _share(called, ROUNDS), swept)
    swept = Swept("bao_success", 7, called, "calls", "line", "line")
    yield _swept("seat", "share", _share(won, called), swept)
    for k, fate in enumerate(OUTCOMES, start=layout.BAO_WON):
        yield _seat(f"calls.{fate}", "rounds", _count(_of("call_ends", SEAT, k)))
    won_of, of = (_of("call_ends", SEAT, k) for k in (layout.BAO_WON, layout.BAO_CALLED))
    compared = Compared(21, main=True, answer=True, parts=(won, called))
    yield _seat("calls.won_share", "share", _share(won_of, of), compared)
    for name, unit in _CALLS.items():
        mean_of = _mean(f"call_{name}", _SEAT_CALLED, SEAT)
        yield _seat(f"calls.{name}_mean", unit, mean_of, Compared(23))


def _shields() -> Iterator[Metric]:
    units = {"raised": "rounds", "turns": "turns", "plucks_stopped": "chances"}
    units |= {"powers": "powers", "powers_without_effect": "powers"}
    at = {name: k for k, name in enumerate(units, start=layout.SHIELD_RAISED)}
    stopped = {"plucks_stopped": Compared(16, unit="plucks")}
    swept = Swept("shield_raised", 18, _CALLS_MADE, "calls")
    for name, unit in units.items():
        counted = _count(_of("detail", ALL, at[name]))
        yield _table(f"shields.{name}", unit, counted, stopped.get(name))
    share = _share(_of("detail", ALL, at["raised"]), _CALLED)
    yield _table("shields.raised_share", "share", share, Compared(15), swept)
    for k, name in ((1, "up"), (0, "down")):
        yield from _fates(f"shields.outcomes.{name}.", "call_shield", k)
        yield _won_share(f"shields.outcomes.{name}.", "call_shield", k)
    for name, unit in units.items():
        counted = _count(_all("detail", at[name]))
        yield _seat(f"shields.{name}", unit, counted, Compared(28) if name == "raised" else None)


def _plucks() -> Iterator[Metric]:
    kinds = _HIT_KINDS | {"missed": layout.MISSED}
    for name, k in kinds.items():
        yield _seat(f"plucks.{name}", "plucks", _count(_all("count", k)), Compared(22))
    tried = iter(range(layout.PLUCK_TRIED, layout.DRAW_CHANCE))
    for source in _CHANCES_AT:
        for target in ("own", "rival", "double"):
            for end in ("missed", "hit"):
                path = f"plucks_by.{source}.{target}.{end}"
                yield _seat(path, "plucks", _count(_all("detail", next(tried))))
    yield _swept("seat", "plucks", _ratio(PLUCKS, ROUNDS), Swept("pluck_rate", 8))
    squares = (_of(name, SEAT) for name in ("hits_sq", "tries_sq", "hits_tries"))
    hits = Formula("clustered", (HITS, PLUCKS, *squares, ROUNDS))
    yield _seat("hit_rate", "share", hits, Compared(22, drawn=True))
    swept = Swept("pluck_success", 9, PLUCKS, "plucks", "line")
    yield _swept("seat", "share", _share(HITS, PLUCKS), swept)


def _chances() -> Iterator[Metric]:
    for source, (begin, kinds) in _CHANCES_AT.items():
        places = iter(range(begin, begin + 2 * len(kinds)))
        for whose in ("own", "rival"):
            for kind in kinds:
                path = f"pluck_chances.{source}.{whose}.{kind}"
                yield _seat(path, "references", _count(_all("detail", next(places))))
    yield _seat("pluck_chances.missed", "references", _count(_CHANCES_LEFT))
    left = _ratio(_CHANCES_LEFT, _CHANCES)
    yield _seat("pluck_chances.missed_share", "share", left, Compared(27))
    for k, name in enumerate(("opened", "with_chance", "plucked", "left", "raced")):
        compared = Compared(14) if k == layout.OPENED else None
        yield _table(f"windows.{name}", "windows", _count(_of("windows", k)), compared)
    with_chance = _of("windows", layout.WITH_CHANCE)
    share = _ratio(_of("windows", layout.LEFT), with_chance)
    swept = Swept("windows_left", 17, with_chance, "windows")
    yield _table("windows.left_share", "share", share, Compared(14), swept)


def _races() -> Iterator[Metric]:
    yield _seat("races.entered", "windows", _count(_RACES))
    yield _seat("races.won", "windows", _count(_all("detail", layout.RACES + 1)))
    yield _seat("races.lost", "windows", _count(_RACES_LOST))
    yield _seat("races.lost_share", "share", _ratio(_RACES_LOST, _RACES), Compared(27))


def _powers() -> Iterator[Metric]:
    for k, power in enumerate(POWERS):
        counted = _count(_all("count", layout.POWER_USED + k))
        yield _seat(f"powers.{power}", "powers", counted, Compared(22))
    for k, power in enumerate(POWERS):
        begin, path = layout.POWER_BY + k * len(TRIGGERS), f"power_triggers.{power}"
        for place, trigger in enumerate(TRIGGERS, start=begin):
            yield _seat(f"{path}.{trigger}", "powers", _count(_all("detail", place)))
        yield _seat(f"{path}.no_effect", "powers", _count(_all("detail", layout.NO_EFFECT + k)))


def _worth() -> Iterator[Metric]:
    dealt = [_of(f"dealt_{name}", PLACE) for name in SWING_SUMS]
    yield Metric("dealt.count", "birds", "cards", _count(dealt[0]))
    yield Metric("dealt.swing", "birds", "points", Formula("swing", tuple(dealt)))
    for k, power in enumerate(POWERS):
        used = tuple(_of("users", row, k) for row in range(layout.SWINGS))
        yield _table(f"power_swing.{power}.count", "players", _count(used[0]))
        yield _table(f"power_swing.{power}.swing", "points", Formula("swing", used))


def _gone() -> Iterator[Metric]:
    rounds, decided, won = (_of(f"gone_{name}", SEAT) for name in ("rounds", "decided", "share"))
    yield _seat("cards_gone.rounds", "rounds", _count(rounds))
    yield _seat("cards_gone.rounds_share", "share", _share(rounds, ROUNDS), Compared(29))
    yield _seat("cards_gone.turns", "turns", _count(_all("detail", layout.GONE)))
    yield _seat("cards_gone.win_share", "share", _share(won, decided, WIN_UNITS))


METRICS: tuple[Metric, ...] = tuple(
    replace(metric, group=group)
    for group, metrics in (
        ("ends", _rounds_end()),
        ("lengths", _lengths()),
        ("game", _game()),
        ("open", _comebacks()),
        ("wins", _wins()),
        ("begin", _begin()),
        ("leads", _leads()),
        ("bao", _bao()),
        ("shields", _shields()),
        ("plucks", _plucks()),
        ("chances", _chances()),
        ("races", _races()),
        ("powers", _powers()),
        ("worth", _worth()),
        ("gone", _gone()),
    )
    for metric in metrics
)
"""Every number that is told; counts and means are over the whole run."""

SHARES: dict[str, Metric] = {
    metric.name: replace(metric, formula=_share(metric.formula.parts[0], metric.whole))
    for metric in METRICS
    if metric.whole
}
"""Counts that are told as shares of something, too, as such shares, by name."""

SHOWN: tuple[Metric, ...] = tuple(metric for metric in METRICS if metric.shown)
"""Those that are numbers of their own in a summary."""

COMPARED: dict[str, Compared] = {
    metric.compared_as: metric.compared for metric in METRICS if metric.compared
}
"""How studies are compared, by the name of the number."""

MEDIANS: dict[str, Metric] = {
    metric.name.replace("median", "mean"): metric
    for metric in METRICS
    if metric.compared and not metric.compared.rank
}
"""Medians that are compared, by the name of the mean that they come after."""

SWEPT: dict[str, Metric] = {
    swept.name: metric
    for swept, metric in sorted(
        ((metric.swept, metric) for metric in METRICS if metric.swept),
        key=lambda pair: pair[0].rank,
    )
}
"""The metrics of a sweep, by name in its tables, in their order."""


# --- comparisons ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    """One number by which two studies are compared: a metric of a table, or of a seat there.

    Attributes:
        name: As in a summary.
        seat: Whose, from 0; None where it is the table's.
        unit: ``share`` (0 to 1), ``points``, ``turns`` and so on; means are per round, or per game
            where the name begins with ``game``.
        parts: What it is made of: a total and a size whose ratio it is; or squares, a total and a
            size whose standard deviation it is.
    """

    name: str
    seat: int | None
    unit: str
    parts: tuple[Terms, ...]


def measures(players: int, games: bool) -> list[Measure]:
    """Return what is compared at a table, the most important first.

    Args:
        players: How many there are.
        games: Whether games are played.
    """
    compared = [
        (metric.compared, metric)
        for metric in METRICS
        if metric.compared and metric.compared.rank and (games or not metric.of_games)
    ]
    return [
        Measure(
            metric.compared_as,
            seat,
            how.unit or _unit(metric),
            tuple(part.at(players, games, seat or 0) for part in how.parts or _parts(metric, how)),
        )
        for how, metric in sorted(compared, key=lambda pair: pair[0].rank)
        for seat in (range(players) if metric.per_seat else (None,))
    ]


def _unit(metric: Metric) -> str:
    counted = metric.formula.kind == "count" and metric.unit in ("rounds", "games")
    return "share" if counted else metric.unit


def _parts(metric: Metric, how: Compared) -> tuple[Whole, ...]:
    part, *more = metric.formula.parts
    if metric.formula.kind == "count":
        return part, how.per
    if metric.formula.kind == "sd":
        return more[1], part, more[0]
    return part, more[0] * metric.formula.units


DRAWN: tuple[str, ...] = tuple(
    metric.compared_as
    for metric in METRICS
    if metric.share and metric.compared and (metric.compared.main or metric.compared.drawn)
)
"""Shares of which the difference between two studies is drawn."""
