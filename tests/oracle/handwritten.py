"""Logs written by hand for the tests of the oracle, most of them after scenario files.

Every function returns the events of one round (or game) that the rulebook allows. Hands are
small and decks hold just the cards of the log, so that every number can be checked by eye.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from .decks import FIVE_PER_VALUE, Bird, Deck

Log = list[dict[str, Any]]

SECOND: dict[str, Any] = {
    "hand_size": {"2": 5, "3": 4, "4": 4, "5": 4, "6": 4},
    "peeks": 0,
    "first_player": "highest_score",
    "take_discard": True,
    "plucks": "all",
    "double_pluck": "any",
    "double_pluck_powers": "second_card",
    "penalty_cards": 1,
    "added_card_slot": "fill_empty",
    "window_power_order": "plucker_first",
    "powers_optional": False,
    "move_lock": "turn",
    "shoebill_locks": True,
    "bao": True,
    "shield": "after_first_change",
    "bao_success": "zero",
    "bao_failure_factor": 2,
    "bao_failure_minimum": 5,
    "recycle_limit": 2,
    "recycle_after_bao": "ignore",
    "game_threshold": 100,
    "max_turns": 1000,
    "max_rounds": 1000,
}

FIRST: dict[str, Any] = SECOND | {
    "double_pluck": "own_draw_own_cards",
    "double_pluck_powers": "all",
    "added_card_slot": "new",
    "window_power_order": "active_first",
    "move_lock": "pluck",
}

EDITIONS = {"second": SECOND, "first": FIRST}


def birds(cards: list[Any]) -> list[Any]:
    """Short for bird ids: 3 is `bird_3`, None an empty slot, anything else itself."""
    return [f"bird_{card}" if isinstance(card, int) else card for card in cards]


def bird(card: Any) -> Any:
    """One bird id, written as in `birds`."""
    return birds([card])[0]


def deck_of(log: Log, special: dict[str, Bird] | None = None) -> Deck:
    """The deck that the first `deal` of a log uses up; `special` birds first."""
    deal = log[0]
    cards = [card for hand in deal["hands"] for card in hand]
    counts = Counter(cards + deal["draw_pile"] + deal["discard_pile"])
    known = dict(FIVE_PER_VALUE) | (special or {})
    return {name: replace(known[name], copies=number) for name, number in counts.items()}


def deal(
    hands: list[list[Any]],
    draw_pile: list[Any],
    discard: Any,
    edition: str = "second",
    first: int = 0,
    peeks: list[list[int]] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """A `deal`; the hands' size is the option `hand_size`."""
    looks = peeks if peeks is not None else [[] for _ in hands]
    sizes = {"hand_size": len(hands[0]), "peeks": len(looks[0])}
    return {
        "event": "deal",
        "round": 0,
        "edition": edition,
        "deck": "tiny",
        "rules": EDITIONS[edition] | sizes | options,
        "players": len(hands),
        "first": first,
        "hands": [birds(hand) for hand in hands],
        "draw_pile": birds(draw_pile),
        "discard_pile": birds([discard]),
        "peeks": looks,
    }


def event(kind: str, player: int, **fields: Any) -> dict[str, Any]:
    """Any event of a player; cards may be written short."""
    for key in ("card", "out", "reference"):
        if key in fields:
            fields[key] = bird(fields[key])
    if "cards" in fields:
        fields["cards"] = birds(fields["cards"])
    return {"event": kind, "player": player, **fields}


def turn(number: int, player: int) -> dict[str, Any]:
    """A `turn`."""
    return event("turn", player, turn=number)


def draw(player: int, card: Any) -> dict[str, Any]:
    """A `draw`."""
    return event("draw", player, card=card)


def discard(player: int, card: Any) -> dict[str, Any]:
    """A `discard`."""
    return event("discard", player, card=card)


def swap_in(player: int, slot: int, card: Any, out: Any) -> dict[str, Any]:
    """A `replace`."""
    return event("replace", player, slot=slot, card=card, out=out)


def power(player: int, card: Any, trigger: str) -> dict[str, Any]:
    """A `power`."""
    return event("power", player, card=card, trigger=trigger)


def pluck(
    player: int,
    source: str,
    reference: Any,
    targets: list[list[int]],
    cards: list[Any],
    gifts: list[tuple[int, Any, list[int]]] | None = None,
    hit: bool = True,
) -> dict[str, Any]:
    """A `pluck`; gifts as (slot, card, to)."""
    given = [{"slot": slot, "card": bird(card), "to": to} for slot, card, to in gifts or []]
    made = event("pluck", player, reference=reference, targets=targets, cards=cards)
    return made | {"from": source, "hit": hit, "gifts": given}


def recycle(count: int, cards: list[Any]) -> dict[str, Any]:
    """A `recycle`."""
    return {"event": "recycle", "count": count, "draw_pile": birds(cards)}


def end(
    reason: str,
    hands: list[list[Any]],
    totals: list[int],
    scores: list[int],
    turns: int,
    winners: list[int],
) -> dict[str, Any]:
    """An `end`."""
    return {
        "event": "end",
        "reason": reason,
        "hands": [birds(hand) for hand in hands],
        "totals": totals,
        "scores": scores,
        "turns": turns,
        "winners": winners,
    }


# Rounds


def plain_round(edition: str = "second", **options: Any) -> Log:
    """Keep, take, discard, BAO and the last turns (scenarios 01 to 03, 73)."""
    return [
        deal(
            [[3, 9], [6, 2], [8, 10]],
            [1, 5, 4, 1],
            4,
            edition,
            peeks=[[0], [1], [0]],
            **options,
        ),
        turn(0, 0),
        draw(0, 1),
        swap_in(0, 1, 1, 9),
        turn(1, 1),
        event("take", 1, card=9),
        swap_in(1, 0, 9, 6),
        turn(2, 2),
        draw(2, 5),
        discard(2, 5),
        event("bao", 2),
        turn(3, 0),
        draw(0, 4),
        discard(0, 4),
        turn(4, 1),
        draw(1, 1),
        swap_in(1, 1, 1, 2),
        end("bao", [[3, 1], [9, 1], [8, 10]], [4, 10, 18], [4, 10, 36], 5, [0]),
    ]


def window_round(edition: str = "second", **options: Any) -> Log:
    """Two powers of a window, each edition in its order, then BAO (scenario 09)."""
    pelican = "white_pelican"
    powers = [
        [power(1, pelican, "eliminated"), event("look", 1, target=[0, 0], card=3)],
        [power(0, pelican, "discard"), event("look", 0, target=[2, 1], card=8)],
    ]
    if (EDITIONS[edition] | options)["window_power_order"] == "active_first":
        powers.reverse()
    return [
        deal([[3, 1], [6, pelican], [2, 8]], [pelican, 5, 9], 4, edition, **options),
        turn(0, 0),
        draw(0, pelican),
        discard(0, pelican),
        pluck(1, "window", pelican, [[1, 1]], [pelican]),
        *powers[0],
        *powers[1],
        event("bao", 0),
        turn(1, 1),
        draw(1, 5),
        discard(1, 5),
        turn(2, 2),
        event("take", 2, card=5),
        swap_in(2, 0, 5, 2),
        end("bao", [[3, 1], [6, None], [5, 8]], [4, 6, 13], [0, 6, 13], 3, [0]),
    ]


def double_round(edition: str = "second", **options: Any) -> Log:
    """A double after an own draw, with the powers of each edition (scenarios 31, 32)."""
    white, brown = "white_pelican", "brown_pelican"
    all_powers = [
        [power(0, white, "reference"), event("look", 0, target=[1, 0], card=6)],
        [power(0, brown, "eliminated"), event("show", 0, target=[1, 1], card=2)],
        [power(0, white, "eliminated"), event("look", 0, target=[0, 2], card=3)],
    ]
    if (EDITIONS[edition] | options)["double_pluck_powers"] == "second_card":
        all_powers = all_powers[2:]
    return [
        deal([[white, brown, 3], [6, 2, 9]], [white, 5], 4, edition, max_turns=1, **options),
        turn(0, 0),
        draw(0, white),
        pluck(0, "draw", white, [[0, 1], [0, 0]], [brown, white]),
        *[step for steps in all_powers for step in steps],
        end("turn_cap", [[None, None, 3], [6, 2, 9]], [3, 17], [3, 17], 1, []),
    ]


def miss_round(edition: str = "second", **options: Any) -> Log:
    """A hit leaves a hole; then a miss, its reference without power, its penalty (11, 12, 16)."""
    rules = {"max_turns": 3} | options
    new = (EDITIONS[edition] | rules)["added_card_slot"] == "new"
    left = [3, None, 9, 1] if new else [3, 1, 9]
    return [
        deal([[3, 8, 9], [6, 2, 10]], [8, 5, "barn_owl", 1], 4, edition, **rules),
        turn(0, 0),
        draw(0, 8),
        pluck(0, "draw", 8, [[0, 1]], [8]),
        turn(1, 1),
        draw(1, 5),
        discard(1, 5),
        turn(2, 0),
        draw(0, "barn_owl"),
        pluck(0, "draw", "barn_owl", [[0, 0]], [3], hit=False),
        discard(0, "barn_owl"),
        event("penalty", 0, slot=3 if new else 1, card=1),
        end("turn_cap", [left, [6, 2, 10]], [13, 18], [13, 18], 3, []),
    ]


def gifts_round() -> Log:
    """A double on cards of two rivals, with two gifts; second edition (scenario 34)."""
    looks = [[0, 1], [0, 1], [0, 1]]
    return [
        deal([[3, 9, 6], [2, 8, 10], [8, 1, 5]], [8, 4, 1], 4, peeks=looks, max_turns=2),
        turn(0, 0),
        draw(0, 8),
        pluck(0, "draw", 8, [[2, 0], [1, 1]], [8, 8], [(2, 6, [2, 0]), (0, 3, [1, 1])]),
        turn(1, 1),
        draw(1, 4),
        discard(1, 4),
        end(
            "turn_cap",
            [[None, 9, None], [2, 3, 10], [6, 1, 5]],
            [9, 15, 12],
            [9, 15, 12],
            2,
            [],
        ),
    ]


def window_gift_round(edition: str = "second", **options: Any) -> Log:
    """A window pluck on a rival's card, with the gift (scenario 21)."""
    rules = {"max_turns": 1} | options
    return [
        deal([[8, 9], [2, 5], [6, 10]], [1], 8, edition, **rules),
        turn(0, 0),
        event("take", 0, card=8),
        swap_in(0, 0, 8, 8),
        pluck(1, "window", 8, [[0, 0]], [8], [(0, 2, [0, 0])]),
        end("turn_cap", [[2, 9], [None, 5], [6, 10]], [11, 5, 16], [11, 5, 16], 1, []),
    ]


def shield_round(edition: str = "second", **options: Any) -> Log:
    """A pluck raises the Shield; it binds the Owls of that pluck (scenario 76)."""
    owl = "barn_owl"
    return [
        deal([[3, 9], [6, 2], [owl, 1]], [10, owl, 5], 4, edition, first=2, **options),
        turn(0, 2),
        draw(2, 10),
        discard(2, 10),
        event("bao", 2),
        turn(1, 0),
        draw(0, owl),
        pluck(0, "draw", owl, [[2, 0]], [owl], [(1, 9, [2, 0])]),
        event("shield", 2),
        power(0, owl, "reference"),
        event("swap", 0, a=[0, 0], b=[1, 0], cards=[3, 6]),
        power(0, owl, "eliminated"),
        event("no_effect", 0, card=owl),
        turn(2, 1),
        draw(1, 5),
        discard(1, 5),
        end("bao", [[6, None], [3, 2], [9, 1]], [6, 5, 10], [6, 5, 20], 3, [1]),
    ]


def toco_round(edition: str = "second", **options: Any) -> Log:
    """The first Toco Toucan raises the Shield, the second must go elsewhere (scenario 81)."""
    toco = "toco_toucan"
    return [
        deal([[3, toco], [6, 2], [8, 1]], [9, toco, 5, 10, 1], 4, edition, first=2, **options),
        turn(0, 2),
        draw(2, 9),
        discard(2, 9),
        event("bao", 2),
        turn(1, 0),
        draw(0, toco),
        pluck(0, "draw", toco, [[0, 1]], [toco]),
        power(0, toco, "reference"),
        event("add", 0, to=2, slot=2, card=5),
        event("shield", 2),
        power(0, toco, "eliminated"),
        event("add", 0, to=1, slot=2, card=10),
        turn(2, 1),
        draw(1, 1),
        discard(1, 1),
        end("bao", [[3, None], [6, 2, 10], [8, 1, 5]], [3, 18, 14], [3, 18, 28], 3, [0]),
    ]


def shoebill_round(edition: str = "second", **options: Any) -> Log:
    """Two Shoebills, two recyclings between draws, the final phase (scenarios 70, 86, 88)."""
    bill = "shoebill"
    rules = {"recycle_limit": 2} | options
    phase = [event("final_phase", 0)]
    return [
        deal([[3, bill], [6, 2]], [bill, 1], 4, edition, **rules),
        turn(0, 0),
        draw(0, bill),
        pluck(0, "draw", bill, [[0, 1]], [bill]),
        power(0, bill, "reference"),
        recycle(1, [4, bill]),
        *(phase if rules["recycle_limit"] == 1 else []),
        event("shoebill", 0, cards=[1, 4]),
        event("place", 0, card=1, target=[0, 0], out=3),
        event("place", 0, card=4, target=[1, 0], out=6),
        power(0, bill, "eliminated"),
        recycle(2, [6, 3]),
        *(phase if rules["recycle_limit"] == 2 else []),
        event("shoebill", 0, cards=[bill, 6]),
        event("place", 0, card=6, target=[1, 1], out=2),
        event("under", 0, card=bill),
        turn(1, 1),
        draw(1, 3),
        discard(1, 3),
        end("second_recycling", [[1, None], [4, 6]], [1, 10], [1, 10], 2, [0]),
    ]


def override_round(edition: str = "second", **options: Any) -> Log:
    """A recycling after BAO makes the call void (scenario 91, with a limit of one)."""
    rules: dict[str, Any] = {"recycle_limit": 1, "recycle_after_bao": "override"} | options
    return [
        deal([[1, 2], [6, 3]], [8], 4, edition, **rules),
        turn(0, 0),
        draw(0, 8),
        discard(0, 8),
        event("bao", 0),
        turn(1, 1),
        recycle(1, [4]),
        event("final_phase", 1),
        draw(1, 4),
        discard(1, 4),
        turn(2, 0),
        event("take", 0, card=4),
        swap_in(0, 1, 4, 2),
        end("second_recycling", [[1, 4], [6, 3]], [5, 9], [5, 9], 3, [0]),
    ]


def ignored_round() -> Log:
    """The same recycling, ignored: the round ends as a BAO round (scenario 90)."""
    log = override_round(recycle_after_bao="ignore")
    return [*log[:7], *log[8:10], end("bao", [[1, 2], [6, 3]], [3, 9], [0, 9], 2, [0])]


def empty_round(edition: str = "second", **options: Any) -> Log:
    """Nothing to draw: a pass, then a miss without a penalty card (scenarios 08, 87)."""
    return [
        deal([[1, 2], [6, 3]], [], 4, edition, **options),
        turn(0, 0),
        draw(0, None),
        event("bao", 0),
        turn(1, 1),
        event("take", 1, card=4),
        swap_in(1, 0, 4, 6),
        pluck(0, "window", 6, [[0, 1]], [2], hit=False),
        event("penalty", 0, slot=None, card=None),
        end("bao", [[1, 2], [4, 3]], [3, 7], [0, 7], 2, [0]),
    ]


def macaw_round(edition: str = "second", **options: Any) -> Log:
    """The second Macaw may only look at what the first has swapped (scenario 67)."""
    rules = {"max_turns": 1} | options
    return [
        deal([[3, "macaw", 9], [6, 2, 10]], ["macaw", 5], 4, edition, **rules),
        turn(0, 0),
        draw(0, "macaw"),
        pluck(0, "draw", "macaw", [[0, 1]], ["macaw"]),
        power(0, "macaw", "reference"),
        event("look", 0, target=[0, 0], card=3),
        event("look", 0, target=[1, 0], card=6),
        event("swap", 0, a=[0, 0], b=[1, 0], cards=[3, 6]),
        power(0, "macaw", "eliminated"),
        event("look", 0, target=[0, 0], card=6),
        event("look", 0, target=[1, 0], card=3),
        end("turn_cap", [[6, None, 9], [3, 2, 10]], [15, 15], [15, 15], 1, []),
    ]


def zero_round(edition: str = "second", **options: Any) -> Log:
    """The last card given away, a card regained by a Toco Toucan (scenarios 18, 52)."""
    rules = {"max_turns": 3} | options
    new = (EDITIONS[edition] | rules)["added_card_slot"] == "new"
    toco = "toco_toucan"
    return [
        deal([[9], [8]], [8, toco, 5, 1], 4, edition, **rules),
        turn(0, 0),
        draw(0, 8),
        pluck(0, "draw", 8, [[1, 0]], [8], [(0, 9, [1, 0])]),
        turn(1, 1),
        draw(1, toco),
        discard(1, toco),
        power(1, toco, "discard"),
        event("add", 1, to=0, slot=1 if new else 0, card=5),
        turn(2, 0),
        event("take", 0, card=toco),
        swap_in(0, 1 if new else 0, toco, 5),
        end("turn_cap", [[None, toco] if new else [toco], [9]], [13, 9], [13, 9], 3, []),
    ]


# Games


def quick_round(
    number: int,
    first: int,
    hands: list[list[Any]],
    spare: list[Any],
    scores: list[int],
    winners: list[int],
    **more: Any,
) -> Log:
    """Everybody passes, for there is nothing to draw; the first player calls BAO.

    `spare` holds the one discard. `more` may hold options under `options`, and any further
    fields of the `deal`.
    """
    options = {"first_player": "highest_score", "game_threshold": 20} | more.pop("options", {})
    players = len(hands)
    start = deal(hands, [], spare[0], first=first, **options) | {"round": number, "game": 0}
    log = [start | more, turn(0, first), draw(first, None), event("bao", first)]
    for step in range(1, players):
        log += [turn(step, (first + step) % players), draw((first + step) % players, None)]
    totals = [sum(FIVE_PER_VALUE[card].value for card in birds(hand)) for hand in hands]
    return [*log, end("bao", hands, totals, scores, players, winners)]


def game_end(
    sums: list[int], winner: int | None, rounds: int, deciding: int, reason: str = "threshold"
) -> dict[str, Any]:
    """A `game_end`."""
    return {
        "event": "game_end",
        "sums": sums,
        "winner": winner,
        "rounds": rounds,
        "deciding_rounds": deciding,
        "reason": reason,
    }


def plain_game(**options: Any) -> Log:
    """Three rounds to 20 points; each time the highest score begins."""
    more = {"options": options}
    return [
        *quick_round(0, 0, [[9], [1]], [4], [18, 1], [1], **more),
        *quick_round(1, 0, [[1], [9]], [4], [0, 9], [0], **more),
        *quick_round(2, 1, [[4], [9]], [1], [4, 18], [0], **more),
        game_end([22, 28], 0, 3, 0),
    ]


def deciding_round(number: int, seats: list[int], capped: bool = False, **options: Any) -> Log:
    """A deciding round of two players; the second of them wins, unless it is capped."""
    rules: dict[str, Any] = {"first_player": "highest_score", "game_threshold": 18} | options
    start = deal([[4], [4]], [1], 9, **rules)
    labels = {"round": number, "game": 0, "seats": seats, "deciding": True}
    log = [start | labels, turn(0, 0), draw(0, 1), discard(0, 1)]
    if capped:
        return [*log, end("turn_cap", [[4], [4]], [4, 4], [4, 4], 1, [])]
    return [
        *log,
        event("bao", 0),
        turn(1, 1),
        event("take", 1, card=1),
        swap_in(1, 0, 1, 4),
        end("bao", [[4], [1]], [4, 1], [8, 1], 2, [1]),
    ]


def tied_game() -> Log:
    """Two equals with the lowest sum play a deciding round, whose points do not count."""
    start = deal([[9], [4], [4]], [], 1, first_player="highest_score", game_threshold=18)
    log = [start | {"game": 0}, turn(0, 0), draw(0, None), event("bao", 0)]
    log += [turn(1, 1), draw(1, None), turn(2, 2), draw(2, None)]
    log += [end("bao", [[9], [4], [4]], [9, 4, 4], [18, 4, 4], 3, [1, 2])]
    return [*log, *deciding_round(1, [1, 2]), game_end([18, 4, 4], 2, 1, 1)]
