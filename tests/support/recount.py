"""The groups of a summary that are for designers, counted again from event logs.

Written from the contract's event log and from what `baobei list metrics` says of each number,
in plain Python: nothing of the engine is used. Intervals are left out, and of histograms all but
the values themselves and their mean.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from analysis.stats import ratio_interval
from sim.game.deck import POWERS

Event = dict[str, Any]
Place = tuple[int, int]

OUTCOMES = ("won", "tied", "beaten", "void")
MOVING = ("swap", "macaw", "toco", "shoebill")
SHIELD = ("raised", "turns", "plucks_stopped", "powers", "powers_without_effect")


@dataclass(eq=False)
class Card:
    """A card that lies face down, or is in a hand."""

    bird: str
    knowers: set[int] = field(default_factory=set)


@dataclass
class Call:
    """A call of BAO."""

    by: int
    turn: int
    total: int
    unknown: int
    lowest: bool
    outcome: str = ""
    shield: bool = False


@dataclass
class Chance:
    """What a seat could do with a reference: whose card it could pluck, and what came of it."""

    seat: int
    source: str
    whose: str
    fate: str = "missed"


def alone_lowest(numbers: Sequence[int]) -> int | None:
    """Return who is below all others."""
    lowest = min(numbers)
    return numbers.index(lowest) if numbers.count(lowest) == 1 else None


class Round:
    """One round, replayed from its log."""

    def __init__(self, events: Sequence[Event], deck: dict[str, Any]) -> None:
        deal = events[0]
        self.deck, self.rules = deck, deal["rules"]
        self.players, self.first = deal["players"], deal["first"]
        self.seats = range(self.players)
        self.dealt = deal["hands"]
        self.areas: list[dict[int, Card]] = []
        for seat, hand in enumerate(self.dealt):
            peeks = deal["peeks"][seat]
            area = {k: Card(bird, {seat} if k in peeks else set()) for k, bird in enumerate(hand)}
            self.areas.append(area)
        self.active, self.turn = self.first, -1
        self.declarer: int | None = None
        self.up = False
        self.drawn: list[Card] = []
        self.call: Call | None = None
        self.final_by: int | None = None
        self.leaders: list[int | None] = []
        self.gone: Counter[int] = Counter()
        self.plucks: list[tuple[int, str, str, bool]] = []
        self.chances: list[Chance] = []
        self.windows: Counter[str] = Counter()
        self.races: list[tuple[int, bool]] = []
        self.powers: list[tuple[int, str, str]] = []
        self.no_effect: list[tuple[int, str]] = []
        self.shield: Counter[tuple[int, str]] = Counter()
        self.recyclings = 0
        self.waiting: list[Chance] | None = None  # chances with the reference that is open now
        for event in events[1:]:
            self._settle(event)
            getattr(self, f"_on_{event['event']}")(event)

    # --- what is asked of the state ---------------------------------------------------------------

    def total(self, seat: int) -> int:
        return sum(self.deck[card.bird].value for card in self.areas[seat].values())

    def _everybody(self) -> set[int]:
        return set(self.seats)

    def _against_shield(self, seat: int) -> bool:
        return self.up and seat != self.declarer

    def _chance(self, seat: int, reference: str, source: str) -> Iterator[Chance]:
        """Yield a seat's chance with a reference, if it has one."""
        if not self.areas[seat] or self.rules["plucks"] == "none":
            return
        family = self.deck[reference].family
        owners = {
            owner
            for owner, area in enumerate(self.areas)
            for card in area.values()
            if seat in card.knowers and self.deck[card.bird].family == family
        }
        rivals = owners - {seat} if self.rules["plucks"] == "all" else set()
        if self._against_shield(seat) and self.declarer in rivals:
            self.shield[self.declarer, "plucks_stopped"] += 1
            rivals -= {self.declarer}
        if seat in owners or rivals:
            yield Chance(seat, source, "own" if seat in owners else "rival")

    def _open_window(self, reference: str) -> None:
        self.windows["opened"] += 1
        others = [seat for seat in self.seats if seat != self.active]
        found = [chance for k in others for chance in self._chance(k, reference, "window")]
        self.windows["with_chance"] += bool(found)
        self.waiting = found

    def _settle(self, event: Event) -> None:
        """What came of the reference before this event: a pluck follows at once, or none does."""
        if self.waiting is None:
            return
        found, self.waiting = self.waiting, None
        plucked = event["event"] == "pluck"
        for chance in found:
            if plucked:
                chance.fate = "tried" if event["player"] == chance.seat else "gone"
        self.chances += found
        if self.drawn:  # the reference is a drawn card, no window
            return
        self.windows["plucked"] += plucked
        self.windows["left"] += bool(found) and not plucked
        if plucked and len(event["claims"]) > 1:
            assert event["player"] in event["claims"]
            self.windows["raced"] += 1
            self.races += [(seat, seat == event["player"]) for seat in event["claims"]]

    def _end_turn(self) -> None:
        self.leaders.append(alone_lowest([self.total(seat) for seat in self.seats]))
        for seat in self.seats:
            self.gone[seat] += not self.areas[seat]

    # --- events -----------------------------------------------------------------------------------

    def _on_turn(self, event: Event) -> None:
        if self.turn >= 0:
            self._end_turn()
        self.active, self.turn = event["player"], event["turn"]
        self.drawn = []
        if self.up:
            assert self.declarer is not None
            self.shield[self.declarer, "turns"] += 1

    def _on_draw(self, event: Event) -> None:
        if event["card"] is not None:
            seat = event["player"]
            self.drawn = [Card(event["card"], {seat})]
            self.waiting = list(self._chance(seat, event["card"], "draw"))

    def _on_take(self, event: Event) -> None:
        self.drawn = [Card(event["card"], self._everybody())]

    def _on_replace(self, event: Event) -> None:
        self.areas[event["player"]][event["slot"]] = self.drawn.pop()
        self._open_window(event["out"])

    def _on_discard(self, event: Event) -> None:
        if self.drawn:  # else it is the reference of a missed pluck
            self.drawn = []
            self._open_window(event["card"])

    def _on_pluck(self, event: Event) -> None:
        seat, targets = event["player"], event["targets"]
        kind = "double" if len(targets) == 2 else "own" if targets[0][0] == seat else "rival"
        self.plucks.append((seat, event["from"], kind, event["hit"]))
        self.drawn = []
        if not event["hit"]:
            for owner, slot in targets:
                self.areas[owner][slot].knowers = self._everybody()
            return
        for owner, slot in targets:
            del self.areas[owner][slot]
        for gift in event["gifts"]:
            owner, slot = gift["to"]
            self.areas[owner][slot] = self.areas[seat].pop(gift["slot"])

    def _on_penalty(self, event: Event) -> None:
        if event["card"] is not None:
            self.areas[event["player"]][event["slot"]] = Card(event["card"])

    def _on_power(self, event: Event) -> None:
        power = self.deck[event["card"]].power
        self.powers.append((event["player"], power, event["trigger"]))
        if power in MOVING and self._against_shield(event["player"]):
            self.shield[self.declarer, "powers"] += 1

    def _on_no_effect(self, event: Event) -> None:
        power = self.deck[event["card"]].power
        self.no_effect.append((event["player"], power))
        if power in MOVING and self._against_shield(event["player"]):
            self.shield[self.declarer, "powers_without_effect"] += 1

    def _on_look(self, event: Event) -> None:
        owner, slot = event["target"]
        self.areas[owner][slot].knowers.add(event["player"])

    def _on_show(self, event: Event) -> None:
        owner, slot = event["target"]
        self.areas[owner][slot].knowers = self._everybody()

    def _on_swap(self, event: Event) -> None:
        (owner, slot), (other, place) = event["a"], event["b"]
        mine, theirs = self.areas[owner], self.areas[other]
        mine[slot], theirs[place] = theirs[place], mine[slot]

    def _on_add(self, event: Event) -> None:
        self.areas[event["to"]][event["slot"]] = Card(event["card"])

    def _on_place(self, event: Event) -> None:
        owner, slot = event["target"]
        self.areas[owner][slot] = Card(event["card"], {event["player"]})

    def _on_shoebill(self, event: Event) -> None:
        pass

    def _on_under(self, event: Event) -> None:
        pass

    def _on_recycle(self, event: Event) -> None:
        self.recyclings += 1

    def _on_final_phase(self, event: Event) -> None:
        self.final_by, self.declarer, self.up = event["player"], None, False

    def _on_bao(self, event: Event) -> None:
        seat = self.declarer = event["player"]
        cards = self.areas[seat].values()
        totals = [self.total(k) for k in self.seats]
        self.call = Call(
            by=seat,
            turn=self.turn + 1,
            total=totals[seat],
            unknown=sum(seat not in card.knowers for card in cards),
            lowest=alone_lowest(totals) == seat,
        )

    def _on_shield(self, event: Event) -> None:
        self.up = True
        self.shield[event["player"], "raised"] += 1

    def _on_end(self, event: Event) -> None:
        self._end_turn()
        self.reason, self.turns = event["reason"], event["turns"]
        self.scores, self.winners = event["scores"], event["winners"]
        assert event["totals"] == [self.total(seat) for seat in self.seats]
        assert event["turns"] == len(self.leaders)
        if self.call is not None:
            self.call.outcome = self._outcome(event["totals"])
            self.call.shield = self.up

    def _on_game_end(self, event: Event) -> None:
        self.game_end = event

    def _outcome(self, totals: list[int]) -> str:
        if self.reason != "bao":
            return "void"
        assert self.call is not None
        mine = totals[self.call.by]
        rest = min(totals[: self.call.by] + totals[self.call.by + 1 :])
        return "won" if mine < rest else "tied" if mine == rest else "beaten"

    # --- after the end ----------------------------------------------------------------------------

    def part(self, seat: int) -> Fraction:
        """The seat's part of the win."""
        return Fraction(seat in self.winners, max(len(self.winners), 1))

    def apart(self, seat: int) -> Fraction:
        """Own score less the mean of the others."""
        others = [score for k, score in enumerate(self.scores) if k != seat]
        return self.scores[seat] - Fraction(sum(others), len(others))

    def lead_changes(self) -> int:
        known = [leader for leader in self.leaders if leader is not None]
        return sum(a != b for a, b in pairwise(known))

    def loser_led(self) -> int | None:
        """The last turn, from 1, at whose end one that did not win was alone lowest."""
        if not self.winners:
            return None
        turns = [
            k
            for k, leader in enumerate(self.leaders, start=1)
            if leader is not None and leader not in self.winners
        ]
        return max(turns, default=None)


# --- games ----------------------------------------------------------------------------------------


@dataclass
class Game:
    """What a game's rounds say of it."""

    rounds: list[Round]
    winner: int | None
    threshold: int

    def standings(self) -> list[list[int]]:
        """The sums after each round."""
        sums = [0] * self.rounds[0].players
        found = []
        for played in self.rounds:
            sums = [a + b for a, b in zip(sums, played.scores, strict=True)]
            found.append(sums)
        return found

    def last(self, sums: list[int]) -> set[int]:
        """Who has the highest sum, unless all are equal."""
        return {k for k, s in enumerate(sums) if s == max(sums) > min(sums)}

    def half(self) -> list[int] | None:
        """The standing at half-time."""
        for sums in self.standings():
            if max(sums) >= self.threshold:
                return None
            if max(sums) >= self.threshold / 2:
                return sums
        return None


# --- a summary ------------------------------------------------------------------------------------


def mean(values: Iterable[Any]) -> float | None:
    numbers = [Fraction(value) for value in values]
    return float(sum(numbers) / len(numbers)) if numbers else None


def ratio(part: Any, whole: int) -> float | None:
    return float(Fraction(part) / whole) if whole else None


def spread(values: Iterable[int]) -> dict[str, Any]:
    counts = Counter(values)
    return {"mean": mean(counts.elements()), "histogram": [[k, counts[k]] for k in sorted(counts)]}


def outcomes(calls: Sequence[Call], share: bool = True) -> dict[str, Any]:
    counts = {name: sum(call.outcome == name for call in calls) for name in OUTCOMES}
    found: dict[str, Any] = {"called": len(calls), **counts}
    return found | ({"won_share": ratio(counts["won"], len(calls))} if share else {})


def by_outcome(calls: Sequence[Call], name: str) -> list[list[int]]:
    rows: defaultdict[int, list[int]] = defaultdict(lambda: [0] * 4)
    for call in calls:
        rows[getattr(call, name)][OUTCOMES.index(call.outcome)] += 1
    return [[value, *rows[value]] for value in sorted(rows)]


def places(rounds: Sequence[Round], pairs: Sequence[tuple[Round, int]]) -> dict[str, Any]:
    decided = [played.part(seat) for played, seat in pairs if played.winners]
    return {
        "rounds": len(pairs),
        "win_share": mean(decided),
        "score_mean": mean(played.scores[seat] for played, seat in pairs),
    }


def swing(values: Sequence[Fraction]) -> dict[str, Any]:
    return {"count": len(values), "swing": mean(values)}


def swing_interval(
    rounds: Sequence[Round], having: Sequence[Counter[int]]
) -> tuple[float, float] | None:
    """Return the interval of a swing: a ratio of sums over rounds, which are clusters.

    Its formula is that of `analysis.stats`; what goes into it is counted again.

    Args:
        rounds: All of them.
        having: For each, how often each seat had what the swing is of.
    """
    apart = [
        sum((n * r.apart(seat) for seat, n in had.items()), Fraction(0))
        for r, had in zip(rounds, having, strict=True)
    ]
    sizes = [had.total() for had in having]
    others = len(rounds[0].seats) - 1
    sums = [int(others * x) for x in apart]  # whole, as scores apart are means over the others
    ends = ratio_interval(
        clusters=len(rounds),
        total=sum(sums),
        size=sum(sizes),
        total_squares=sum(x * x for x in sums),
        size_squares=sum(size * size for size in sizes),
        products=sum(x * size for x, size in zip(sums, sizes, strict=True)),
    )
    return None if ends[0] is None or ends[1] is None else (ends[0] / others, ends[1] / others)


def had_bird(played: Round, bird: str) -> Counter[int]:
    return Counter(seat for seat in played.seats for each in played.dealt[seat] if each == bird)


def used_power(played: Round, power: str) -> Counter[int]:
    return Counter({who for who, used, _ in played.powers if used == power})


def table(rounds: Sequence[Round], birds: Sequence[str]) -> dict[str, Any]:
    """Return the groups of a table, from all rounds but deciding ones."""
    players = rounds[0].players
    calls = [played.call for played in rounds if played.call is not None]
    windows = sum((played.windows for played in rounds), Counter())
    shield = sum((played.shield for played in rounds), Counter())
    last = [(played, played.loser_led()) for played in rounds]
    lost = [(played, at) for played, at in last if at is not None]
    leaders = [leader for played in rounds for leader in played.leaders]
    lowest = [call for call in calls if call.lowest]
    dealt: dict[str, list[Fraction]] = {bird: [] for bird in birds}
    used: dict[str, list[Fraction]] = {power: [] for power in POWERS}
    for played in rounds:
        for seat in played.seats:
            for bird in played.dealt[seat]:
                dealt[bird].append(played.apart(seat))
            for power in {power for who, power, _ in played.powers if who == seat}:
                used[power].append(played.apart(seat))
    raised = sum(n for (_, kind), n in shield.items() if kind == "raised")
    return {
        "recyclings": spread(played.recyclings for played in rounds),
        "positions": [
            {
                "position": k,
                **places(rounds, [(r, (r.first + k) % players) for r in rounds]),
            }
            for k in range(players)
        ],
        "by_end": {
            reason: spread(played.turns for played in rounds if played.reason == reason)
            for reason in ("bao", "second_recycling", "turn_cap")
        },
        "calls": {
            **outcomes(calls),
            **{name: spread(getattr(c, name) for c in calls) for name in CALL},
            **{f"by_{name}": by_outcome(calls, name) for name in CALL},
            "lowest": {
                **outcomes(lowest, share=False),
                "share": ratio(len(lowest), len(calls)),
            },
        },
        "leads": {
            "changes": spread(played.lead_changes() for played in rounds),
            "alone_share": ratio(sum(k is not None for k in leaders), len(leaders)),
            "loser_led": {
                "rounds": len(lost),
                "share": ratio(len(lost), sum(bool(played.winners) for played in rounds)),
                "last_turn": spread(at for _, at in lost),
                "turns_left": spread(played.turns - at for played, at in lost),
            },
        },
        "windows": {
            **{k: windows[k] for k in ("opened", "with_chance", "plucked", "left", "raced")},
            "left_share": ratio(windows["left"], windows["with_chance"]),
        },
        "shields": {
            **{kind: sum(shield[seat, kind] for seat in range(players)) for kind in SHIELD},
            "raised_share": ratio(raised, len(calls)),
            "outcomes": {
                "up": outcomes([call for call in calls if call.shield]),
                "down": outcomes([call for call in calls if not call.shield]),
            },
        },
        "birds": [{"bird": bird, "dealt": swing(dealt[bird])} for bird in birds],
        "power_swing": {power: swing(used[power]) for power in POWERS},
        "bird_intervals": [
            swing_interval(rounds, [had_bird(played, bird) for played in rounds]) for bird in birds
        ],
        "power_intervals": [
            swing_interval(rounds, [used_power(played, power) for played in rounds])
            for power in POWERS
        ],
    }


CALL = ("turn", "total", "unknown")


def seat_of(rounds: Sequence[Round], seat: int) -> dict[str, Any]:
    """Return the groups of a seat."""
    calls = [r.call for r in rounds if r.call is not None and r.call.by == seat]
    plucks = [pluck for played in rounds for pluck in played.plucks if pluck[0] == seat]
    chances = [chance for played in rounds for chance in played.chances if chance.seat == seat]
    races = [won for played in rounds for who, won in played.races if who == seat]
    powers = [power for played in rounds for power in played.powers if power[0] == seat]
    idle = [power for played in rounds for power in played.no_effect if power[0] == seat]
    leaders = [leader for played in rounds for leader in played.leaders]
    shield = sum((played.shield for played in rounds), Counter())
    gone = [played for played in rounds if played.gone[seat]]
    ends = outcomes(calls)
    del ends["called"]
    missed = sum(chance.fate == "missed" for chance in chances)
    return {
        "first": places(rounds, [(r, seat) for r in rounds if r.first == seat]),
        "calls": {
            **ends,
            **{f"{name}_mean": mean(getattr(call, name) for call in calls) for name in CALL},
        },
        "automatic_ends": sum(played.final_by == seat for played in rounds),
        "leads": {
            "turns": leaders.count(seat),
            "share": ratio(leaders.count(seat), len(leaders)),
        },
        "plucks_by": {
            source: {
                kind: {
                    "missed": plucks.count((seat, source, kind, False)),
                    "hit": plucks.count((seat, source, kind, True)),
                }
                for kind in ("own", "rival", "double")
            }
            for source in ("draw", "window")
        },
        "hit_rate": ratio(sum(pluck[3] for pluck in plucks), len(plucks)),
        "pluck_chances": {
            **{
                source: {whose: _fates(chances, source, whose) for whose in ("own", "rival")}
                for source in ("draw", "window")
            },
            "missed": missed,
            "missed_share": ratio(missed, len(chances)),
        },
        "races": {
            "entered": len(races),
            "won": sum(races),
            "lost": len(races) - sum(races),
            "lost_share": ratio(len(races) - sum(races), len(races)),
        },
        "power_triggers": {
            power: {
                **{k: powers.count((seat, power, k)) for k in TRIGGERS},
                "no_effect": idle.count((seat, power)),
            }
            for power in POWERS
        },
        "shields": {kind: shield[seat, kind] for kind in SHIELD},
        "cards_gone": {
            "rounds": len(gone),
            "rounds_share": ratio(len(gone), len(rounds)),
            "turns": sum(played.gone[seat] for played in rounds),
            "win_share": mean(played.part(seat) for played in gone if played.winners),
        },
    }


TRIGGERS = ("discard", "reference", "eliminated")


def _fates(chances: Sequence[Chance], source: str, whose: str) -> dict[str, int]:
    fates = Counter(c.fate for c in chances if (c.source, c.whose) == (source, whose))
    found = {"chances": fates.total(), "tried": fates["tried"]}
    return found | ({"gone": fates["gone"]} if source == "window" else {})


def games_of(games: Sequence[Game]) -> dict[str, Any]:
    """Return the groups of games as wholes."""
    won = [game for game in games if game.winner is not None]
    last = [any(game.winner in game.last(sums) for sums in game.standings()) for game in won]
    half = [(game, game.half()) for game in won]
    known = [(game, sums) for game, sums in half if sums is not None]
    led = sum(alone_lowest(sums) == game.winner for game, sums in known)
    trailed = sum(game.winner in game.last(sums) for game, sums in known)
    leads = []
    for game in games:
        leaders = [k for k in map(alone_lowest, game.standings()) if k is not None]
        leads.append(sum(a != b for a, b in pairwise(leaders)))
    return {
        "comebacks": {
            "games": len(won),
            "after_last": sum(last),
            "after_last_share": ratio(sum(last), len(won)),
            "deficit": spread(
                max(sums[game.winner] - min(sums) for sums in game.standings()) for game in won
            ),
            "half": {
                "games": len(known),
                "leader_won": led,
                "leader_won_share": ratio(led, len(known)),
                "last_won": trailed,
                "last_won_share": ratio(trailed, len(known)),
            },
            "lead_changes": spread(leads),
        },
        "game": {"turns": {"mean": mean(sum(r.turns for r in game.rounds) for game in games)}},
    }


def recount(study: Any, logs: Sequence[Sequence[Event]]) -> dict[str, Any]:
    """Return what a summary must say, of event logs of its rounds or games."""
    deck = {bird.id: bird for bird in study.deck.birds}
    rounds: list[Round] = []
    games: list[Game] = []
    for log in logs:
        cuts = [k for k, event in enumerate(log) if event["event"] == "deal"]
        parts = [log[a:b] for a, b in zip(cuts, [*cuts[1:], len(log)], strict=True)]
        played = [Round(part, deck) for part in parts if not part[0].get("deciding")]
        rounds += played
        if log[-1]["event"] == "game_end":
            threshold = study.rules.game_threshold[len(study.players)]
            games.append(Game(played, log[-1]["winner"], threshold))
    found = table(rounds, list(deck))
    found |= games_of(games) if games else {"comebacks": None}
    return found | {"players": [seat_of(rounds, k) for k in range(len(study.players))]}
