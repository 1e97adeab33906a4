"""What the numbers of a summary mean: formula, unit, range, and what each is for.

Every number has one name, the path to it in the summary: ``win_share``, ``plucks.own_hit``,
``ends.bao``. `METRICS` describes them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sim.game.deck import POWERS


@dataclass(frozen=True)
class Metric:
    """One number of a summary.

    Attributes:
        name: Path to it; inside a seat's part where `per_seat`, inside an entry of the list
            where `each`.
        per_seat: Whether there is one for each seat.
        unit: ``points``, ``share`` (0 to 1), ``rounds``, ``turns`` and so on.
        description: What it is, in a line.
        formula: How it is made of other numbers; ``count`` where it is counted.
        range: Which values it can have.
        purpose: What it is for, the same for a group of metrics.
        interval: Whether it has a 95 % interval.
        interval_with_games: Whether it has one where games are played, too: only what is said of
            whole games, mean scores and win shares, as the rounds of a game hang together.
        each: Where it stands in a list of the summary, the list and what an entry is for:
            ``positions: place in the turn order``.
    """

    name: str
    per_seat: bool
    unit: str
    description: str
    formula: str = "count"
    range: str = ""
    purpose: str = ""
    interval: bool = False
    interval_with_games: bool = False
    each: str = ""

    @property
    def of(self) -> str:
        """What has such a number: ``table``, ``each seat``, ``each bird`` and so on."""
        if self.each:
            return f"each {self.each.partition(': ')[2]}"
        return "each seat" if self.per_seat else "table"


_RANGES = {"share": "0 to 1", "points": "any"}
_WITH_GAMES = ("win_share", "score_mean")


def _metric(per_seat: bool, name: str, unit: str, description: str, formula: str) -> Metric:
    """Return a metric; a formula that ends in ``±`` is one with an interval."""
    interval = formula.endswith("±")
    text = formula.removesuffix("±").strip()
    known = _RANGES.get(unit, "0 or more")
    of_games = name.startswith(("game.", "comebacks.")) or (per_seat and name in _WITH_GAMES)
    with_games = interval and of_games
    return Metric(name, per_seat, unit, description, text, known, "", interval, with_games)


def _seat(name: str, unit: str, description: str, formula: str = "count") -> Metric:
    return _metric(True, name, unit, description, formula)


def _table(name: str, unit: str, description: str, formula: str = "count") -> Metric:
    return _metric(False, name, unit, description, formula)


def _spread(name: str, unit: str, what: str, of: str) -> list[Metric]:
    """Return the metrics of a number that is different in each of `of`; see `by_end.bao`."""
    found = [
        _table(f"{name}.mean", unit, f"mean {what}", f"sum / number of {of} ±"),
        _table(f"{name}.sd", unit, f"sample standard deviation of the {what}", f"over {of}"),
        _table(f"{name}.min", unit, f"least {what}", f"over {of}"),
        _table(f"{name}.max", unit, f"greatest {what}", f"over {of}"),
        _table(f"{name}.median", unit, f"median of the {what}", f"over {of}"),
    ]
    return [replace(found[0]), replace(found[1], range="0 or more"), *found[2:]]


def _for(purpose: str, *metrics: Metric | Iterable[Metric]) -> Iterator[Metric]:
    """Yield metrics, and lists of them, with what they are for."""
    for entry in metrics:
        for metric in [entry] if isinstance(entry, Metric) else entry:
            yield replace(metric, purpose=purpose)


def _each(what: str, *metrics: Metric) -> list[Metric]:
    return [replace(metric, each=what) for metric in metrics]


_FROM_1 = "the first of a round being 1 (traces and event logs count from 0)"
_OUTCOMES = {
    "won": "whose declarer had strictly the lowest total",
    "tied": "whose declarer tied for the lowest total",
    "beaten": "whose declarer was beaten",
    "void": "that came to nothing (capped or overridden)",
}


def _outcomes(path: str, what: str) -> list[Metric]:
    """Return calls by outcome, and the share that was won."""
    return [
        _table(f"{path}called", "rounds", what),
        *(_table(f"{path}{k}", "rounds", f"those of them {v}") for k, v in _OUTCOMES.items()),
    ]


def _won_share(path: str) -> Metric:
    name = f"{path}won_share"
    return _table(name, "share", "share of them that was won", f"{path}won / {path}called ±")


def _what_was_played() -> Iterator[Metric]:
    yield from _for(
        "what was played, and how rounds end",
        _table("rounds", "rounds", "finished rounds, deciding rounds apart"),
        _table("games", "games", "games played; null where rounds are the unit"),
        _table("ends.bao", "rounds", "rounds that ended after a call of BAO"),
        _table("ends.second_recycling", "rounds", "rounds that a recycling ended (REC-4)"),
        _table("ends.turn_cap", "rounds", "rounds that the limit of turns stopped (SIM-1)"),
        _seat(
            "automatic_ends",
            "rounds",
            "automatic final phases that began in a turn of the seat (FINAL-1)",
        ),
    )
    yield from _for(
        "how long rounds are, and how much of the draw pile they use",
        _spread("turns", "turns", "number of turns of a round, all players together", "rounds"),
        *(
            _spread(f"by_end.{reason}", "turns", f"number of turns of rounds {what}", "such rounds")
            for reason, what in (
                ("bao", "that end after BAO"),
                ("second_recycling", "that a recycling ends"),
                ("turn_cap", "that the limit stops"),
            )
        ),
        _table("recyclings.mean", "recyclings", "mean number in a round", "sum / rounds ±"),
    )


def _games() -> Iterator[Metric]:
    yield from _for(
        "how long games are, and how they end",
        _table("game.threshold", "points", "sum of scores that ends a game (GAME-1)", "a rule"),
        _table("game.ends.threshold", "games", "games that somebody won"),
        _table("game.ends.max_rounds", "games", "games that the limit of rounds stopped (SIM-3)"),
        _table("game.ends.tie_break_cap", "games", "games whose deciding rounds decided nothing"),
        _spread(
            "game.rounds", "rounds", "number of rounds of a game, deciding ones apart", "games"
        ),
        _table(
            "game.turns.mean",
            "turns",
            "mean number of turns of a game, those of deciding rounds left out",
            "sum / games ±",
        ),
        _table("game.turns.sd", "turns", "sample standard deviation of that number", "over games"),
        _table("game.decided_by_deciding_rounds", "games", "games that needed deciding rounds"),
        _table("game.deciding_rounds", "rounds", "deciding rounds in all games together"),
    )
    half = "after the first round with a sum of half the threshold, if the game went on"
    yield from _for(
        "whether a game is open to its end, or decided early",
        _table("comebacks.games", "games", "games that somebody won"),
        _table(
            "comebacks.after_last",
            "games",
            "won by a player who after an earlier round had the highest sum, alone or with others; "
            "where all sums were equal, nobody was last",
        ),
        _table(
            "comebacks.after_last_share",
            "share",
            "share of such games",
            "comebacks.after_last / comebacks.games ±",
        ),
        _spread(
            "comebacks.deficit",
            "points",
            "most points that the winner was behind the lowest sum after a round",
            "won games",
        ),
        _table("comebacks.half.games", "games", f"won games with a half-time: {half}"),
        _table("comebacks.half.leader_won", "games", "won by who alone had the lowest sum then"),
        _table(
            "comebacks.half.leader_won_share",
            "share",
            "share of such games",
            "comebacks.half.leader_won / comebacks.half.games ±",
        ),
        _table(
            "comebacks.half.last_won",
            "games",
            "won by who had the highest sum then, if not all did",
        ),
        _table(
            "comebacks.half.last_won_share",
            "share",
            "share of such games",
            "comebacks.half.last_won / comebacks.half.games ±",
        ),
        _spread(
            "comebacks.lead_changes",
            "changes",
            "number of times in a game that another player came to have the lowest sum alone, "
            "looked at after each round",
            "games",
        ),
    )


def _bao() -> Iterator[Metric]:
    known = "own cards that the caller had never seen"
    yield from _for(
        "when BAO is worth a call: by whom it is made, when, on what, and what comes of it",
        _outcomes("bao.", "rounds in which BAO was called"),
        _outcomes("calls.", "calls of BAO: the same as bao.called"),
        _won_share("calls."),
        _spread("calls.turn", "turns", f"turn in which it was called, {_FROM_1}", "calls"),
        _spread("calls.total", "points", "true total of the caller when it called", "calls"),
        _spread("calls.unknown", "cards", f"number of {known}", "calls"),
        _outcomes("calls.lowest.", "calls by who alone had the lowest true total at that moment"),
        _table("calls.lowest.share", "share", "share of such calls", "of calls.called ±"),
        _seat("bao_called", "rounds", "rounds in which the seat called BAO"),
        _seat("bao_won", "rounds", "rounds in which its BAO succeeded"),
        *(_seat(f"calls.{k}", "rounds", f"calls of the seat {v}") for k, v in _OUTCOMES.items()),
        _seat("calls.won_share", "share", "share of its calls that was won", "won / called ±"),
        _seat("calls.turn_mean", "turns", f"mean turn of its calls, {_FROM_1}", "over calls ±"),
        _seat("calls.total_mean", "points", "mean true total when it called", "over calls ±"),
        _seat("calls.unknown_mean", "cards", f"mean number of {known}", "over calls ±"),
    )
    shields = (
        ("raised", "rounds", "rounds in which the Shield was raised"),
        ("turns", "turns", "turns that began with the Shield up"),
        (
            "plucks_stopped",
            "chances",
            "chances to pluck that the Shield took away: for each reference (drawn or in a window) "
            "every opponent that knew a match among the declarer's cards and might have plucked it",
        ),
        (
            "powers",
            "powers",
            "powers that move cards (swap, macaw, toco, shoebill) of opponents with the Shield up",
        ),
        ("powers_without_effect", "powers", "those of these powers that could do nothing"),
    )
    yield from _for(
        "what the Shield is worth, and what it stops",
        *(_table(f"shields.{name}", unit, text) for name, unit, text in shields),
        _table("shields.raised_share", "share", "share of calls", "shields.raised / bao.called ±"),
        *(
            [*_outcomes(f"shields.outcomes.{k}.", text), _won_share(f"shields.outcomes.{k}.")]
            for k, text in (
                ("up", "calls whose round ended with the Shield up"),
                ("down", "calls whose round ended without a Shield"),
            )
        ),
        *(_seat(f"shields.{name}", unit, f"as declarer: {text}") for name, unit, text in shields),
    )


def _wins() -> Iterator[Metric]:
    yield from _for(
        "who wins, and how well",
        _seat(
            "wins", "rounds or games", "rounds (games) in which the seat alone has the lowest score"
        ),
        _seat("shared_wins", "rounds", "rounds in which it has the lowest score with others"),
        _seat(
            "win_share",
            "share",
            "wins and an equal part of each shared one, of all rounds (games) with a winner; "
            "Wilson's interval",
            "(wins + parts of shared ones) / rounds (games) with a winner ±",
        ),
        _seat(
            "score_mean",
            "points",
            "mean score of a round; Student's interval, games as clusters",
            "sum of scores / rounds ±",
        ),
        _seat("score_sd", "points", "sample standard deviation of a round's score", "over rounds"),
        _seat(
            "total_mean",
            "points",
            "mean sum of the cards left at the end of a round",
            "sum of totals / rounds",
        ),
        _seat(
            "cards_left_mean",
            "cards",
            "mean number of cards left at the end of a round",
            "sum of cards / rounds",
        ),
    )
    place = (
        ("rounds", "rounds", "{} rounds", "count"),
        (
            "win_share",
            "share",
            "{} share of the wins of these rounds (also where games are played)",
            "(wins + parts of shared ones) / rounds with a winner ±",
        ),
        ("score_mean", "points", "{} mean score in them", "sum of scores / rounds ±"),
    )
    yield from _for(
        "whether it is good to begin; at an even table each place wins 1 / players",
        _each(
            "positions: place in the turn order",
            _table("position", "place", "place in the turn order of a round, 0 began", "0, 1, …"),
            *(_table(k, unit, text.format("its"), how) for k, unit, text, how in place),
        ),
        *(
            _seat(f"first.{k}", unit, text.format("where the seat began:"), how)
            for k, unit, text, how in place
        ),
    )
    yield from _for(
        "whether rounds stay open: who alone has the lowest true total at the end of a turn",
        _spread(
            "leads.changes",
            "changes",
            "number of times in a round that another player came to be alone lowest",
            "rounds",
        ),
        _table("leads.alone_share", "share", "turns with one alone lowest", "such turns / turns"),
        _table(
            "leads.loser_led.rounds",
            "rounds",
            "rounds in which somebody who did not win was alone lowest at some time",
        ),
        _table(
            "leads.loser_led.share", "share", "share of such rounds", "of rounds with a winner ±"
        ),
        _spread(
            "leads.loser_led.last_turn",
            "turns",
            f"last turn at whose end that was so, {_FROM_1}",
            "such rounds",
        ),
        _spread(
            "leads.loser_led.turns_left", "turns", "number of turns after that one", "such rounds"
        ),
        _seat("leads.turns", "turns", "turns at whose end the seat was alone lowest"),
        _seat("leads.share", "share", "share of all turns", "leads.turns / turns of all rounds"),
    )


def _plucks() -> Iterator[Metric]:
    hits = {
        "own_hit": "single plucks of a card of its own that hit",
        "rival_hit": "single plucks of a rival's card that hit",
        "double_hit": "double plucks that hit",
        "missed": "plucks, single or double, that missed",
    }
    sources = {"draw": "with a drawn card", "window": "in a window"}
    targets = {"own": "of an own card", "rival": "of a rival's card", "double": "of two cards"}
    yield from _for(
        "how players pluck, and how surely",
        *(_seat(f"plucks.{name}", "plucks", text) for name, text in hits.items()),
        *(
            _seat(f"plucks_by.{source}.{target}.{end}", "plucks", f"plucks {how} {what}: {end}")
            for source, how in sources.items()
            for target, what in targets.items()
            for end in ("missed", "hit")
        ),
        _seat(
            "hit_rate",
            "share",
            "plucks that hit; Wilson's interval, of as many independent plucks as would be as sure "
            "as these, with rounds as clusters",
            "hits / plucks ±",
        ),
    )
    whose = {"own": "own", "rival": "rivals' cards only, no own"}
    yield from _for(
        "what is left undone: references for which a seat has seen a match that it may pluck "
        "(what it has forgotten since counts, too)",
        *(
            _seat(
                f"pluck_chances.{source}.{k}.{kind}",
                "references",
                f"{text} ({how}, {what} card{'s' if k == 'rival' else ''} seen)",
            )
            for source, how in sources.items()
            for k, what in whose.items()
            for kind, text in (
                ("chances", "chances"),
                ("tried", "chances that the seat took, hit or not"),
                ("gone", "chances in which another player plucked"),
            )
            if not (source == "draw" and kind == "gone")
        ),
        _seat(
            "pluck_chances.missed",
            "references",
            "chances that nobody took",
            "chances - tried - gone, all together",
        ),
        _seat("pluck_chances.missed_share", "share", "share of all chances", "missed / chances"),
        _table("windows.opened", "windows", "windows (TURN-4)"),
        _table("windows.with_chance", "windows", "windows in which a player had a chance"),
        _table("windows.plucked", "windows", "windows in which somebody plucked"),
        _table("windows.left", "windows", "windows with a chance in which nobody plucked"),
        _table("windows.raced", "windows", "windows with two claims or more"),
        _table("windows.left_share", "share", "share of chances left", "left / with_chance"),
    )
    yield from _for(
        "how much quick reactions decide (SIM-4)",
        _seat("races.entered", "windows", "windows with a claim of the seat and of another"),
        _seat("races.won", "windows", "those in which it was the quickest"),
        _seat("races.lost", "windows", "those in which another was", "entered - won"),
        _seat("races.lost_share", "share", "share of races lost", "lost / entered"),
    )


def _powers() -> Iterator[Metric]:
    starts = {
        "discard": "started by a direct discard",
        "reference": "started by the drawn reference of a hit",
        "eliminated": "started by a plucked card",
        "no_effect": "that could do nothing",
    }
    yield from _for(
        "which powers come to be used, and how",
        *(_seat(f"powers.{name}", "powers", f"powers that started: {name}") for name in POWERS),
        *(
            _seat(f"power_triggers.{name}.{k}", "powers", f"{name} {text}")
            for name in POWERS
            for k, text in starts.items()
        ),
    )
    apart = "mean of (own score - mean score of the others) ±"
    swing = "how much worse (better, if below 0) than the others a player scored"
    yield from _for(
        "what a bird is worth in the deal (which is chance), and how players fare who use a power "
        "(which is not: no cause can be read from it)",
        _each(
            "birds: bird",
            _table("dealt.count", "cards", "cards of the bird dealt to players"),
            _table("dealt.swing", "points", f"{swing} for each such card", apart),
        ),
        *(
            metric
            for name in POWERS
            for metric in (
                _table(
                    f"power_swing.{name}.count", "players", f"rounds and players who used {name}"
                ),
                _table(
                    f"power_swing.{name}.swing",
                    "points",
                    f"{swing} in them; rounds are the clusters",
                    apart,
                ),
            )
        ),
    )
    yield from _for(
        "how often players get rid of all cards, and whether that wins",
        _seat("cards_gone.rounds", "rounds", "rounds in which it had none at the end of a turn"),
        _seat("cards_gone.rounds_share", "share", "share of such rounds", "of all rounds ±"),
        _seat("cards_gone.turns", "turns", "turns at whose end it had none"),
        _seat(
            "cards_gone.win_share",
            "share",
            "its share of the wins of such rounds",
            "(wins + parts of shared ones) / such rounds with a winner ±",
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
"""Every number of a summary; counts and means are over the whole run."""
