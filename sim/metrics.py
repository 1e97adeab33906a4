"""The registry of metrics: each number that is told of rounds and games, once.

An entry says what a number is called, whose it is, of which whole numbers of the tally it is made,
and by which formula. The summary, tables, ``list metrics``, comparisons, sweeps, plots and reports
all walk `METRICS`; `analysis.results.evaluate` makes the numbers. So a new one takes four places:
the line of the engine that counts, its entry here, its recount in the tests, and its words in the
catalogues of reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sim.core import layout
from sim.core.layout import GAME_REASONS, TRIGGERS
from sim.core.layout import REASONS as REASONS
from sim.core.layout import WIN_UNITS as WIN_UNITS
from sim.game.deck import POWERS

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

    def at(self, players: int, games: bool, seat: int = 0, place: int = 0) -> Terms:
        """Return the entries that it is made of.

        Args:
            players: How many there are.
            games: Whether games are played.
            seat: Whose number is wanted.
            place: In the turn order, or of a bird in the deck.
        """
        found: dict[Entry, int] = {}
        for (name, *index), times in self.terms:
            if name in _BY_UNIT:
                whole = _BY_UNIT[name][games] * times
                found |= whole.at(players, games, seat, place)
                continue
            for k in range(players) if ALL in index else (seat,):
                where = {SEAT: seat, ALL: k, PLACE: place}
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
        kind: ``count``, ``ratio``, ``share`` (with Wilson's interval), ``mean`` (Student's),
            ``sd``, ``score`` (a mean whose clusters are games), ``clustered`` (Wilson's, clusters are
            rounds), ``swing``, ``rule``; of histograms: ``spread.mean``, ``spread.sd`` and so on,
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
    def interval(self) -> bool:
        """Whether the number has an interval."""
        return self.kind in ("share", "mean", "score", "clustered", "swing", "spread.mean")


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
        rank: Of several numbers the one with the lower rank is told first.
        words: What a difference means: the beginning of a sentence.
        ends: Its end for more, and for less.
        unit: ``share`` (0 to 1), ``points``, ``turns`` and so on; by default the number's own, and
            of counts of rounds (games) the share of them.
        per: What a count is divided by.
        parts: What is compared, where that is not what the formula says: a total and a size.
        main: Whether it is told whether it differs or not.
    """

    rank: int
    words: str
    ends: tuple[str, str]
    unit: str = ""
    per: Whole = ROUNDS
    parts: tuple[Whole, ...] = ()
    main: bool = False


@dataclass(frozen=True)
class Swept:
    """How a number is told of each point of a sweep.

    Attributes:
        name: In tables.
        label: On axes of plots; shares are shown there in per cent.
        rank: Of several numbers the one with the lower rank is told first.
        size: Paths to numbers of a summary, whose sum is how many it was made of.
        of: Of what that is the number; empty where it is the number of units.
        parts: Paths to counts, whose sum by `size` it is; empty where it is told as it is.
        share: Whether it lies between 0 and 1; with parts it has Wilson's interval then.
    """

    name: str
    label: str
    rank: int = 99
    size: tuple[str, ...] = ("rounds",)
    of: str = "rounds"
    parts: tuple[str, ...] = ()
    share: bool = False


@dataclass(frozen=True)
class Metric:
    """One number.

    Attributes:
        name: Path to it in a summary; inside a seat's part where it is of a seat, inside an entry
            of a list where it is of these.
        scope: ``table``, ``seat``, or a list of the summary: ``positions``, ``birds``.
        unit: ``points``, ``share`` (0 to 1), ``rounds``, ``turns`` and so on.
        description: What it is, in a line.
        text: How it is made of other numbers, in words; ``count`` where it is counted.
        formula: The same for the program.
        purpose: What it is for, the same for a group of metrics.
        compared: How studies are compared by it, if they are.
        swept: How it is told of points of a sweep, if it is.
        shown: Whether tables and lists of metrics have it.
        in_summary: Whether a summary has it, as it has histograms, which are no single numbers.
        always: Whether every version has counted it.
    """

    name: str
    scope: str
    unit: str
    description: str
    text: str
    formula: Formula
    purpose: str = ""
    compared: Compared | None = None
    swept: Swept | None = None
    shown: bool = True
    in_summary: bool = True
    always: bool = False

    @property
    def per_seat(self) -> bool:
        """Whether there is one for each seat."""
        return self.scope == "seat"

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

    @property
    def of_games(self) -> bool:
        """Whether it is said of whole games, and only where these are played."""
        return self.name.startswith(("game.", "comebacks."))

    @property
    def compared_as(self) -> str:
        """What it is called in a comparison; of a list only the first entry is compared."""
        return f"{self.scope}.0.{self.name}" if self.scope in _LISTS else self.name

    def to_dict(self) -> dict[str, Any]:
        """Return what ``list metrics --json`` says of it."""
        names = "name per_seat unit description formula range purpose interval interval_with_games"
        said = {name: getattr(self, name) for name in f"{names} each of".split()}
        return said | {"formula": self.text}


_LISTS = {"positions": "place in the turn order", "birds": "bird"}

_RATE = ("more often", "less often")
_ROUND = ("more a round", "less a round")
_MORE = ("more", "less")
_HEIGHT = ("higher", "lower")
_TIME = ("later", "earlier")
_LENGTH = ("longer", "shorter")
_UNKNOWN = ("more unknown cards", "fewer unknown cards")


def _table(name: str, unit: str, text: str, formula: Formula, how: str = "", **more: Any) -> Metric:
    how = how or ("count" if formula.kind == "count" else "")
    return Metric(name, "table", unit, text, how, formula, **more)


def _seat(name: str, unit: str, text: str, formula: Formula, how: str = "", **more: Any) -> Metric:
    return replace(_table(name, unit, text, formula, how, **more), scope="seat")


def _each(scope: str, *metrics: Metric) -> list[Metric]:
    return [replace(metric, scope=scope) for metric in metrics]


def _always(*metrics: Metric | Iterable[Metric]) -> list[Metric]:
    return [replace(metric, always=True) for metric in _flat(metrics)]


def _flat(metrics: Iterable[Metric | Iterable[Metric]]) -> Iterator[Metric]:
    for metric in metrics:
        yield from [metric] if isinstance(metric, Metric) else metric


def _for(purpose: str, *metrics: Metric | Iterable[Metric]) -> list[Metric]:
    """Return metrics, and those in lists of them, with what they are for."""
    return [replace(metric, purpose=purpose) for metric in _flat(metrics)]


def _spread(
    name: str,
    unit: str,
    what: str,
    of: str,
    *histograms: str,
    least: float = 0.0,
    games: bool = False,
    **more: Mapping[str, Any],
) -> list[Metric]:
    """Return the metrics of a number that is different in each of `of`; see `by_end.bao`.

    Args:
        name: Path to them.
        unit: Of the number.
        what: The number is.
        of: What has such a number.
        histograms: Of it; several are added up.
        least: See `Formula`.
        games: See `Formula`.
        more: By name of a metric, ``mean`` for example, further attributes of it.
    """
    told = {
        "mean": (f"mean {what}", f"sum / number of {of}"),
        "sd": (f"sample standard deviation of the {what}", f"over {of}"),
        "min": (f"least {what}", f"over {of}"),
        "max": (f"greatest {what}", f"over {of}"),
        "median": (f"median of the {what}", f"over {of}"),
        "histogram": (f"{what}: pairs of value and number of {of}", "count"),
    }
    formula = Formula("", histograms=histograms, least=least, games=games)
    return [
        _table(
            f"{name}.{key}",
            unit,
            text,
            replace(formula, kind=f"spread.{key}"),
            how,
            shown=key != "histogram",
            **more.get(key, {}),
        )
        for key, (text, how) in told.items()
    ]


_FROM_1 = "the first of a round being 1 (traces and event logs count from 0)"
_FATES = {
    "won": "whose declarer had strictly the lowest total",
    "tied": "whose declarer tied for the lowest total",
    "beaten": "whose declarer was beaten",
    "void": "that came to nothing (capped or overridden)",
}


def _fates(path: str, what: str, *field: int | str, words: tuple[str, ...] = ()) -> list[Metric]:
    """Return calls by outcome."""
    told = {"called": what} | {fate: f"those of them {text}" for fate, text in _FATES.items()}
    return [
        _table(
            f"{path}{fate}",
            "rounds",
            text,
            _count(_of(*field, k)),  # type: ignore[arg-type]
            compared=Compared(12, words[k], _RATE, main=fate == "called") if words else None,
        )
        for k, (fate, text) in enumerate(told.items())
    ]


def _won_share(path: str, *field: int | str, **more: Any) -> Metric:
    won, called = (_of(*field, k) for k in (layout.BAO_WON, layout.BAO_CALLED))  # type: ignore[arg-type]
    how = f"{path}won / {path}called"
    text = "share of them that was won"
    return _table(f"{path}won_share", "share", text, _share(won, called), how, **more)


def _what_was_played() -> Iterator[Metric]:
    ends = (
        ("bao", "rounds that ended after a call of BAO", "rounds end by BAO"),
        ("second_recycling", "rounds that a recycling ended (REC-4)", "rounds end by a recycling"),
        (
            "turn_cap",
            "rounds that the limit of turns stopped (SIM-1)",
            "rounds are stopped by the turn cap",
        ),
    )
    labels = (
        "rounds ended by BAO",
        "rounds ended by the second recycling",
        "rounds stopped by the turn cap",
    )
    yield from _for(
        "what was played, and how rounds end",
        _always(
            _table("rounds", "rounds", "finished rounds, deciding rounds apart", _count(ROUNDS)),
            _table("games", "games", "games played; null where rounds are the unit", _count(GAMES)),
            *(
                _table(
                    f"ends.{reason}",
                    "rounds",
                    text,
                    _count(_of("ends", k)),
                    compared=Compared(11, words, _RATE, main=True),
                    swept=Swept(
                        f"end_{reason}", labels[k], 12, parts=(f"ends.{reason}",), share=True
                    ),
                )
                for k, (reason, text, words) in enumerate(ends)
            ),
        ),
        _seat(
            "automatic_ends",
            "rounds",
            "automatic final phases that began in a turn of the seat (FINAL-1)",
            _count(_of("final_by", SEAT)),
            compared=Compared(25, "the automatic end begins with {who}", _RATE),
        ),
    )
    what = {"bao": "that end after BAO", "second_recycling": "that a recycling ends"}
    what |= {"turn_cap": "that the limit stops"}
    turns = (TURNS, ROUNDS)
    yield from _for(
        "how long rounds are, and how much of the draw pile they use",
        _always(
            _spread(
                "turns",
                "turns",
                "number of turns of a round, all players together",
                "rounds",
                "turns",
                mean={
                    "compared": Compared(11, "rounds last", _LENGTH, parts=turns, main=True),
                    "swept": Swept("turns_mean", "mean length of a round, turns", 11),
                },
                median={"compared": Compared(0, "the median round lasts", _LENGTH, main=True)},
                sd={
                    "compared": Compared(
                        11,
                        "the length of rounds spreads by",
                        _MORE,
                        parts=(_of("turns_sq"), *turns),
                    )
                },
            )
        ),
        *(
            _spread(
                f"by_end.{reason}",
                "turns",
                f"number of turns of rounds {what[reason]}",
                "such rounds",
                f"turns_{reason}",
            )
            for reason in REASONS
        ),
        _always(
            [
                replace(metric, description="mean number in a round", text="sum / rounds")
                if metric.shown
                else metric
                for metric in _spread(
                    "recyclings",
                    "recyclings",
                    "number in a round",
                    "rounds",
                    "recyclings",
                    mean={
                        "compared": Compared(
                            11, "cards are recycled", _ROUND, parts=(_of("recyclings"), ROUNDS)
                        ),
                        "swept": Swept("recyclings_mean", "recyclings a round", 14),
                    },
                )
                if metric.name in ("recyclings.mean", "recyclings.histogram")
            ]
        ),
    )


def _games() -> Iterator[Metric]:
    ends = (
        ("games that somebody won", "games are won"),
        ("games that the limit of rounds stopped (SIM-3)", "games are stopped by the round cap"),
        ("games whose deciding rounds decided nothing", "games stay undecided"),
    )
    yield from _for(
        "how long games are, and how they end",
        _always(
            _table(
                "game.threshold",
                "points",
                "sum of scores that ends a game (GAME-1)",
                Formula("rule"),
                "a rule",
            ),
            *(
                _table(
                    f"game.ends.{reason}",
                    "games",
                    text,
                    _count(_of("game_ends", k)),
                    compared=Compared(17, words, _RATE, per=GAMES),
                )
                for k, (reason, (text, words)) in enumerate(zip(GAME_REASONS, ends, strict=True))
            ),
            _spread(
                "game.rounds",
                "rounds",
                "number of rounds of a game, deciding ones apart",
                "games",
                "game_rounds",
                games=True,
                mean={
                    "compared": Compared(17, "games last", _LENGTH, parts=(ROUNDS, GAMES)),
                    "swept": Swept(
                        "game_rounds_mean",
                        "mean length of a game, rounds",
                        19,
                        size=("games",),
                        of="games",
                    ),
                },
                median={"compared": Compared(0, "the median game lasts", _LENGTH)},
            ),
        ),
        _table(
            "game.turns.mean",
            "turns",
            "mean number of turns of a game, those of deciding rounds left out",
            _mean("game_turns", GAMES, games=True),
            "sum / games",
            compared=Compared(17, "games last", _LENGTH),
            swept=Swept(
                "game_turns_mean", "mean length of a game, turns", 20, size=("games",), of="games"
            ),
        ),
        _table(
            "game.turns.sd",
            "turns",
            "sample standard deviation of that number",
            _sd("game_turns", GAMES),
            "over games",
        ),
        _always(
            _table(
                "game.decided_by_deciding_rounds",
                "games",
                "games that needed deciding rounds",
                _count(_of("decided")),
                compared=Compared(17, "games need deciding rounds", _RATE, per=GAMES),
            ),
            _table(
                "game.deciding_rounds",
                "rounds",
                "deciding rounds in all games together",
                _count(_of("deciding_rounds")),
                compared=Compared(
                    17,
                    "a game has",
                    ("more to decide it", "less to decide it"),
                    unit="rounds",
                    per=GAMES,
                ),
            ),
        ),
    )
    half = "after the first round with a sum of half the threshold, if the game went on"
    of_half, led, last = (_of(f"half_{name}") for name in ("games", "lead_won", "last_won"))
    from_last = _of("come_from_last")
    yield from _for(
        "whether a game is open to its end, or decided early",
        _table("comebacks.games", "games", "games that somebody won", _count(_GAMES_WON)),
        _table(
            "comebacks.after_last",
            "games",
            "won by a player who after an earlier round had the highest sum, alone or with others; "
            "where all sums were equal, nobody was last",
            _count(from_last),
        ),
        _table(
            "comebacks.after_last_share",
            "share",
            "share of such games",
            _share(from_last, _GAMES_WON, games=True),
            "comebacks.after_last / comebacks.games",
            compared=Compared(18, "games are won by who had been last", _RATE),
            swept=Swept(
                "comeback_share",
                "games won by somebody who had been last",
                21,
                size=("comebacks.games",),
                of="games",
                share=True,
            ),
        ),
        _spread(
            "comebacks.deficit",
            "points",
            "most points that the winner was behind the lowest sum after a round",
            "won games",
            "deficits",
            games=True,
        ),
        _table(
            "comebacks.half.games", "games", f"won games with a half-time: {half}", _count(of_half)
        ),
        _table(
            "comebacks.half.leader_won",
            "games",
            "won by who alone had the lowest sum then",
            _count(led),
        ),
        _table(
            "comebacks.half.leader_won_share",
            "share",
            "share of such games",
            _share(led, of_half, games=True),
            "comebacks.half.leader_won / comebacks.half.games",
            compared=Compared(18, "who leads at half of the points wins", _RATE),
        ),
        _table(
            "comebacks.half.last_won",
            "games",
            "won by who had the highest sum then, if not all did",
            _count(last),
        ),
        _table(
            "comebacks.half.last_won_share",
            "share",
            "share of such games",
            _share(last, of_half, games=True),
            "comebacks.half.last_won / comebacks.half.games",
        ),
        _spread(
            "comebacks.lead_changes",
            "changes",
            "number of times in a game that another player came to have the lowest sum alone, "
            "looked at after each round",
            "games",
            "game_lead_changes",
            games=True,
        ),
    )


def _wins() -> Iterator[Metric]:
    yield from _for(
        "who wins, and how well",
        _always(
            _seat(
                "wins",
                "rounds or games",
                "rounds (games) in which the seat alone has the lowest score",
                _count(_of("wins", SEAT)),
                compared=Compared(20, "{who} wins alone", _RATE, "share", UNITS),
            ),
            _seat(
                "shared_wins",
                "rounds",
                "rounds in which it has the lowest score with others",
                _count(_of("shared", SEAT)),
                compared=Compared(20, "{who} shares a win", _RATE, "share", UNITS),
            ),
            _seat(
                "win_share",
                "share",
                "wins and an equal part of each shared one, of all rounds (games) with a winner; "
                "Wilson's interval",
                _share(_of("share", SEAT), UNITS_WON, WIN_UNITS, games=True),
                "(wins + parts of shared ones) / rounds (games) with a winner",
                compared=Compared(1, "{who} wins", _MORE, main=True),
                swept=Swept("win_share", "win share", 1, size=("decided",), of="", share=True),
            ),
            Metric(
                "group_win_share",
                "group",
                "share",
                "win share of several seats together",
                "",
                _share(_of("share", ALL), UNITS_WON, WIN_UNITS, games=True),
                shown=False,
                in_summary=False,
                swept=Swept(
                    "group_win_share",
                    "win share of the group",
                    2,
                    size=("decided",),
                    of="",
                    share=True,
                ),
            ),
            _seat(
                "score_mean",
                "points",
                "mean score of a round; Student's interval, games as clusters",
                Formula(
                    "score",
                    (
                        _of("score", SEAT),
                        ROUNDS,
                        _of("score_sq", SEAT),
                        GAMES,
                        _of("game_score_sq", SEAT),
                        _of("game_score_rounds", SEAT),
                    ),
                    ("game_rounds",),
                    games=True,
                ),
                "sum of scores / rounds",
                compared=Compared(2, "{who} scores", _ROUND, main=True),
                swept=Swept("score_mean", "mean score, points a round", 3),
            ),
            _seat(
                "score_sd",
                "points",
                "sample standard deviation of a round's score",
                _sd("score", ROUNDS, SEAT),
                "over rounds",
                compared=Compared(20, "the scores of {who} spread by", _MORE),
            ),
            _seat(
                "total_mean",
                "points",
                "mean sum of the cards left at the end of a round",
                _ratio(_of("total", SEAT), ROUNDS),
                "sum of totals / rounds",
                compared=Compared(20, "the last total of {who} is", _HEIGHT),
                swept=Swept("total_mean", "mean total of the cards left, points", 4),
            ),
            _seat(
                "cards_left_mean",
                "cards",
                "mean number of cards left at the end of a round",
                _ratio(_of("cards_left", SEAT), ROUNDS),
                "sum of cards / rounds",
                compared=Compared(20, "{who} is left with", _MORE),
                swept=Swept("cards_left_mean", "mean number of cards left", 5),
            ),
        ),
    )
    yield from _for(
        "whether it is good to begin; at an even table each place wins 1 / players",
        _each(
            "positions",
            _table(
                "position",
                "place",
                "place in the turn order of a round, 0 began",
                Formula("place"),
                "0, 1, …",
            ),
            *_place("{}", "its", ALL, PLACE, "who begins a round wins it"),
        ),
        *(
            replace(metric, scope="seat")
            for metric in _place(
                "first.{}", "where the seat began:", SEAT, 0, "{who} wins rounds that it begins"
            )
        ),
    )
    led = _of("loser_led_at", "times")
    such = ("such rounds",)
    yield from _for(
        "whether rounds stay open: who alone has the lowest true total at the end of a turn",
        _spread(
            "leads.changes",
            "changes",
            "number of times in a round that another player came to be alone lowest",
            "rounds",
            "lead_changes",
            mean={"swept": Swept("lead_changes_mean", "lead changes a round, by true totals", 15)},
        ),
        _table(
            "leads.alone_share",
            "share",
            "turns with one alone lowest",
            _ratio(_of("led", ALL), TURNS),
            "such turns / turns",
            compared=Compared(14, "a turn ends with one player alone lowest", _RATE),
        ),
        _table(
            "leads.loser_led.rounds",
            "rounds",
            "rounds in which somebody who did not win was alone lowest at some time",
            _count(led),
        ),
        _table(
            "leads.loser_led.share",
            "share",
            "share of such rounds",
            _share(led, ROUNDS_WON),
            "of rounds with a winner",
            swept=Swept("loser_led_share", "rounds in which a later loser led", 16, share=True),
        ),
        _spread(
            "leads.loser_led.last_turn",
            "turns",
            f"last turn at whose end that was so, {_FROM_1}",
            *such,
            "loser_led_at",
        ),
        _spread(
            "leads.loser_led.turns_left",
            "turns",
            "number of turns after that one",
            *such,
            "loser_led_left",
        ),
        _seat(
            "leads.turns",
            "turns",
            "turns at whose end the seat was alone lowest",
            _count(_of("led", SEAT)),
        ),
        _seat(
            "leads.share",
            "share",
            "share of all turns",
            _ratio(_of("led", SEAT), TURNS),
            "leads.turns / turns of all rounds",
            compared=Compared(26, "{who} is alone lowest after a turn", _RATE),
        ),
    )


def _place(name: str, its: str, seat: str, place: int | str, words: str) -> list[Metric]:
    """Return what is won, and scored, where seats had a place in the turn order."""
    size, decided = _of("place_rounds", seat, place), _of("place_decided", seat, place)
    return [
        _table(name.format("rounds"), "rounds", f"{its} rounds", _count(size)),
        _table(
            name.format("win_share"),
            "share",
            f"{its} share of the wins of these rounds (also where games are played)",
            _share(_of("place_share", seat, place), decided, WIN_UNITS),
            "(wins + parts of shared ones) / rounds with a winner",
            compared=Compared(13 if seat == ALL else 24, words, _RATE),
        ),
        _table(
            name.format("score_mean"),
            "points",
            f"{its} mean score in them",
            _mean("place_score", size, seat, place),
            "sum of scores / rounds",
        ),
    ]


def _bao() -> Iterator[Metric]:
    known = "own cards that the caller had never seen"
    words = (
        "BAO is called",
        "BAO is called and won",
        "a declarer ties for the lowest total",
        "a declarer is beaten",
        "a call comes to nothing",
    )
    lowest = _of("call_lowest", layout.BAO_CALLED)
    success = ("bao_success", "calls of BAO that succeed", 7, ("bao_called",), "calls")
    yield from _for(
        "when BAO is worth a call: by whom it is made, when, on what, and what comes of it",
        _always(_fates("bao.", "rounds in which BAO was called", "bao", words=words)),
        _fates("calls.", "calls of BAO: the same as bao.called", "bao"),
        _won_share(
            "calls.",
            "bao",
            compared=Compared(12, "calls of {who} succeed", _RATE, main=True),
            swept=Swept(
                "calls_won",
                "calls of BAO that succeed, all seats",
                13,
                size=("calls.called",),
                of="calls",
                share=True,
            ),
        ),
        *(
            [
                *_spread(
                    f"calls.{name}",
                    unit,
                    text,
                    "calls",
                    *(f"call_{name}s_{fate}" for fate in OUTCOMES),
                    least=float("-inf") if name == "total" else 0.0,
                    mean={
                        "compared": Compared(
                            12, told, ends, parts=(_of(f"call_{name}", ALL), _CALLED)
                        )
                    },
                ),
                _table(
                    f"calls.by_{name}",
                    unit,
                    f"{text}: value and calls by outcome",
                    Formula("rows", histograms=tuple(f"call_{name}s_{fate}" for fate in OUTCOMES)),
                    shown=False,
                ),
            ]
            for name, unit, text, told, ends in (
                (
                    "turn",
                    "turns",
                    f"turn in which it was called, {_FROM_1}",
                    "BAO is called",
                    _TIME,
                ),
                (
                    "total",
                    "points",
                    "true total of the caller when it called",
                    "BAO is called on a total",
                    _HEIGHT,
                ),
                ("unknown", "cards", f"number of {known}", "BAO is called with", _UNKNOWN),
            )
        ),
        _fates(
            "calls.lowest.",
            "calls by who alone had the lowest true total at that moment",
            "call_lowest",
        ),
        _table(
            "calls.lowest.share",
            "share",
            "share of such calls",
            _share(lowest, _CALLED),
            "of calls.called",
            compared=Compared(12, "BAO is called by who is alone lowest", _RATE),
        ),
        _always(
            _seat(
                "bao_called",
                "rounds",
                "rounds in which the seat called BAO",
                _count(_SEAT_CALLED),
                compared=Compared(21, "{who} calls BAO", _RATE),
                swept=Swept(
                    "bao_rate", "rounds in which it calls BAO", 6, parts=("bao_called",), share=True
                ),
            ),
            _seat(
                "bao_won",
                "rounds",
                "rounds in which its BAO succeeded",
                _count(_of("bao_won", SEAT)),
                compared=Compared(21, "{who} calls BAO and wins", _RATE),
                swept=Swept(*success, parts=("bao_won",), share=True),
            ),
        ),
        *(
            _seat(
                f"calls.{fate}",
                "rounds",
                f"calls of the seat {text}",
                _count(_of("call_ends", SEAT, k)),
            )
            for k, (fate, text) in enumerate(_FATES.items(), start=layout.BAO_WON)
        ),
        _seat(
            "calls.won_share",
            "share",
            "share of its calls that was won",
            _share(_of("bao_won", SEAT), _SEAT_CALLED),
            "won / called",
            compared=Compared(21, "calls of {who} succeed", _RATE, main=True),
        ),
        *(
            _seat(
                f"calls.{name}_mean",
                unit,
                text,
                _mean(f"call_{name}", _SEAT_CALLED, SEAT),
                "over calls",
                compared=Compared(23, told, ends),
            )
            for name, unit, text, told, ends in (
                ("turn", "turns", f"mean turn of its calls, {_FROM_1}", "{who} calls BAO", _TIME),
                (
                    "total",
                    "points",
                    "mean true total when it called",
                    "{who} calls BAO on a total",
                    _HEIGHT,
                ),
                ("unknown", "cards", f"mean number of {known}", "{who} calls BAO with", _UNKNOWN),
            )
        ),
    )
    shields = {
        "raised": ("rounds", "rounds in which the Shield was raised"),
        "turns": ("turns", "turns that began with the Shield up"),
        "plucks_stopped": (
            "chances",
            "chances to pluck that the Shield took away: for each reference (drawn or in a window) "
            "every opponent that knew a match among the declarer's cards and might have plucked it",
        ),
        "powers": (
            "powers",
            "powers that move cards (swap, macaw, toco, shoebill) of opponents with the Shield up",
        ),
        "powers_without_effect": ("powers", "those of these powers that could do nothing"),
    }
    stopped = Compared(16, "the Shield stops a pluck", _ROUND, "plucks")
    raised = Compared(28, "{who} raises the Shield", _RATE)
    yield from _for(
        "what the Shield is worth, and what it stops",
        *(
            _table(
                f"shields.{name}",
                unit,
                text,
                _count(_of("detail", ALL, k)),
                compared=stopped if name == "plucks_stopped" else None,
            )
            for k, (name, (unit, text)) in enumerate(shields.items(), start=layout.SHIELD_RAISED)
        ),
        _table(
            "shields.raised_share",
            "share",
            "share of calls",
            _share(_of("detail", ALL, layout.SHIELD_RAISED), _CALLED),
            "shields.raised / bao.called",
            compared=Compared(15, "a call raises the Shield", _RATE),
            swept=Swept(
                "shield_raised",
                "calls of BAO after which the Shield was raised",
                18,
                size=("calls.called",),
                of="calls",
                share=True,
            ),
        ),
        *(
            [
                *_fates(f"shields.outcomes.{name}.", text, "call_shield", k),
                _won_share(f"shields.outcomes.{name}.", "call_shield", k),
            ]
            for name, k, text in (
                ("up", 1, "calls whose round ended with the Shield up"),
                ("down", 0, "calls whose round ended without a Shield"),
            )
        ),
        *(
            _seat(
                f"shields.{name}",
                unit,
                f"as declarer: {text}",
                _count(_all("detail", k)),
                compared=raised if name == "raised" else None,
            )
            for k, (name, (unit, text)) in enumerate(shields.items(), start=layout.SHIELD_RAISED)
        ),
    )


def _plucks() -> Iterator[Metric]:
    hits = {
        "own_hit": ("single plucks of a card of its own that hit", "{who} plucks own cards"),
        "rival_hit": ("single plucks of a rival's card that hit", "{who} plucks rivals' cards"),
        "double_hit": ("double plucks that hit", "{who} makes double plucks"),
        "missed": ("plucks, single or double, that missed", "{who} misses plucks"),
    }
    sources = {"draw": "with a drawn card", "window": "in a window"}
    targets = {"own": "of an own card", "rival": "of a rival's card", "double": "of two cards"}
    paths = tuple(f"plucks.{name}" for name in hits)
    tried = iter(range(layout.PLUCK_TRIED, layout.DRAW_CHANCE))
    yield from _for(
        "how players pluck, and how surely",
        _always(
            _seat(
                f"plucks.{name}",
                "plucks",
                text,
                _count(_all("count", k)),
                compared=Compared(22, words, _ROUND),
            )
            for k, (name, (text, words)) in enumerate(hits.items())
        ),
        *(
            _seat(
                f"plucks_by.{source}.{target}.{end}",
                "plucks",
                f"plucks {how} {what}: {end}",
                _count(_all("detail", next(tried))),
            )
            for source, how in sources.items()
            for target, what in targets.items()
            for end in ("missed", "hit")
        ),
        _seat(
            "pluck_rate",
            "plucks",
            "plucks in a round",
            _ratio(PLUCKS, ROUNDS),
            shown=False,
            in_summary=False,
            swept=Swept("pluck_rate", "plucks a round", 8, parts=paths),
        ),
        _seat(
            "hit_rate",
            "share",
            "plucks that hit; Wilson's interval, of as many independent plucks as would be as sure "
            "as these, with rounds as clusters",
            Formula(
                "clustered",
                (
                    HITS,
                    PLUCKS,
                    _of("hits_sq", SEAT),
                    _of("tries_sq", SEAT),
                    _of("hits_tries", SEAT),
                    ROUNDS,
                ),
            ),
            "hits / plucks",
            compared=Compared(22, "a pluck of {who} hits", _RATE),
            swept=Swept(
                "pluck_success", "plucks that hit", 9, paths, "plucks", paths[:-1], share=True
            ),
        ),
    )
    whose = {"own": "own", "rival": "rivals' cards only, no own"}
    kinds = {
        "chances": "chances",
        "tried": "chances that the seat took, hit or not",
        "gone": "chances in which another player plucked",
    }
    windows = {"opened": ("windows (TURN-4)", layout.OPENED)}
    windows |= {"with_chance": ("windows in which a player had a chance", layout.WITH_CHANCE)}
    windows |= {"plucked": ("windows in which somebody plucked", layout.PLUCKED)}
    windows |= {"left": ("windows with a chance in which nobody plucked", layout.LEFT)}
    windows |= {"raced": ("windows with two claims or more", layout.RACED)}
    opened = Compared(14, "there are", _ROUND, "windows")
    yield from _for(
        "what is left undone: references for which a seat has seen a match that it may pluck "
        "(what it has forgotten since counts, too)",
        *(
            _seat(
                f"pluck_chances.{source}.{k}.{kind}",
                "references",
                f"{kinds[kind]} ({how}, {what} card{'s' if k == 'rival' else ''} seen)",
                _count(_all("detail", _CHANCES_AT[source][0] + row * len(counted) + place)),
            )
            for source, how in sources.items()
            for counted in [_CHANCES_AT[source][1]]
            for row, (k, what) in enumerate(whose.items())
            for place, kind in enumerate(counted)
        ),
        _seat(
            "pluck_chances.missed",
            "references",
            "chances that nobody took",
            _count(_CHANCES_LEFT),
            "chances - tried - gone, all together",
        ),
        _seat(
            "pluck_chances.missed_share",
            "share",
            "share of all chances",
            _ratio(_CHANCES_LEFT, _CHANCES),
            "missed / chances",
            compared=Compared(27, "{who} misses a chance to pluck", _RATE),
        ),
        *(
            _table(
                f"windows.{name}",
                "windows",
                text,
                _count(_of("windows", k)),
                compared=opened if name == "opened" else None,
            )
            for name, (text, k) in windows.items()
        ),
        _table(
            "windows.left_share",
            "share",
            "share of chances left",
            _ratio(_of("windows", layout.LEFT), _of("windows", layout.WITH_CHANCE)),
            "left / with_chance",
            compared=Compared(14, "nobody plucks in a window with a chance", _RATE),
            swept=Swept(
                "windows_left",
                "windows with a chance that nobody used",
                17,
                size=("windows.with_chance",),
                of="windows",
                share=True,
            ),
        ),
    )
    yield from _for(
        "how much quick reactions decide (SIM-4)",
        _seat(
            "races.entered",
            "windows",
            "windows with a claim of the seat and of another",
            _count(_RACES),
        ),
        _seat(
            "races.won",
            "windows",
            "those in which it was the quickest",
            _count(_all("detail", layout.RACES + 1)),
        ),
        _seat(
            "races.lost",
            "windows",
            "those in which another was",
            _count(_RACES_LOST),
            "entered - won",
        ),
        _seat(
            "races.lost_share",
            "share",
            "share of races lost",
            _ratio(_RACES_LOST, _RACES),
            "lost / entered",
            compared=Compared(27, "{who} loses a race for a window", _RATE),
        ),
    )


_USED = {
    "look": "{who} looks",
    "show": "{who} is shown a card",
    "swap": "{who} swaps",
    "macaw": "{who} uses a macaw",
    "toco": "{who} uses a Toco Toucan",
    "shoebill": "{who} uses a Shoebill",
}


def _powers() -> Iterator[Metric]:
    starts = dict(
        zip(
            TRIGGERS,
            (
                "started by a direct discard",
                "started by the drawn reference of a hit",
                "started by a plucked card",
            ),
            strict=True,
        )
    )
    powers = list(enumerate(POWERS))
    yield from _for(
        "which powers come to be used, and how",
        _always(
            _seat(
                f"powers.{name}",
                "powers",
                f"powers that started: {name}",
                _count(_all("count", layout.POWER_USED + k)),
                compared=Compared(22, _USED.get(name, f"{{who}} uses {name}"), _ROUND),
            )
            for k, name in powers
        ),
        *(
            [
                *(
                    _seat(
                        f"power_triggers.{name}.{start}",
                        "powers",
                        f"{name} {text}",
                        _count(_all("detail", layout.POWER_BY + k * len(TRIGGERS) + place)),
                    )
                    for place, (start, text) in enumerate(starts.items())
                ),
                _seat(
                    f"power_triggers.{name}.no_effect",
                    "powers",
                    f"{name} that could do nothing",
                    _count(_all("detail", layout.NO_EFFECT + k)),
                ),
            ]
            for k, name in powers
        ),
    )
    apart = "mean of (own score - mean score of the others)"
    worse = "how much worse (better, if below 0) than the others a player scored"
    dealt = [_of(f"dealt_{name}", PLACE) for name in SWING_SUMS]
    yield from _for(
        "what a bird is worth in the deal (which is chance), and how players fare who use a power "
        "(which is not: no cause can be read from it)",
        _each(
            "birds",
            _table("dealt.count", "cards", "cards of the bird dealt to players", _count(dealt[0])),
            _table("dealt.swing", "points", f"{worse} for each such card", _swing(*dealt), apart),
        ),
        *(
            metric
            for k, name in powers
            for metric in (
                _table(
                    f"power_swing.{name}.count",
                    "players",
                    f"rounds and players who used {name}",
                    _count(_of("users", 0, k)),
                ),
                _table(
                    f"power_swing.{name}.swing",
                    "points",
                    f"{worse} in them; rounds are the clusters",
                    _swing(*(_of("users", row, k) for row in range(layout.SWINGS))),
                    apart,
                ),
            )
        ),
    )
    gone = _of("gone_rounds", SEAT)
    yield from _for(
        "how often players get rid of all cards, and whether that wins",
        _seat(
            "cards_gone.rounds",
            "rounds",
            "rounds in which it had none at the end of a turn",
            _count(gone),
        ),
        _seat(
            "cards_gone.rounds_share",
            "share",
            "share of such rounds",
            _share(gone, ROUNDS),
            "of all rounds",
            compared=Compared(29, "{who} is without cards in a round", _RATE),
        ),
        _seat(
            "cards_gone.turns",
            "turns",
            "turns at whose end it had none",
            _count(_all("detail", layout.GONE)),
        ),
        _seat(
            "cards_gone.win_share",
            "share",
            "its share of the wins of such rounds",
            _share(_of("gone_share", SEAT), _of("gone_decided", SEAT), WIN_UNITS),
            "(wins + parts of shared ones) / such rounds with a winner",
        ),
    )


METRICS: tuple[Metric, ...] = (
    *_what_was_played(),
    *_games(),
    *_wins(),
    *_bao(),
    *_plucks(),
    *_powers(),
)
"""Every number that is told; counts and means are over the whole run."""

SHOWN: tuple[Metric, ...] = tuple(metric for metric in METRICS if metric.shown)
"""Those that are numbers of their own in a summary."""

COMPARED: dict[str, Compared] = {
    metric.compared_as: metric.compared for metric in METRICS if metric.compared
}
"""How studies are compared, by the name of the number."""

SWEPT: dict[str, Swept] = {
    metric.swept.name: metric.swept
    for metric in sorted(METRICS, key=lambda metric: metric.swept.rank if metric.swept else 0)
    if metric.swept
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
