"""Random studies, decks and players."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from sim.game.deck import POWERS
from sim.game.players import KINDS
from sim.game.rules import Rules
from sim.game.study import Study
from tests.oracle import Bird

SHIPPED_HEURISTICS = ("balanced", "cautious", "gambler", "novice", "rusher", "sharp", "turtle")

_OPTIONS: dict[str, tuple[float, Callable[[random.Random], Any]]] = {
    "hand_size": (0.35, lambda r: r.randint(1, 6)),
    "peeks": (0.35, lambda r: r.randint(0, 5)),
    "take_discard": (0.1, lambda r: False),
    "plucks": (0.15, lambda r: r.choice(["all", "own_only", "none"])),
    "penalty_cards": (0.35, lambda r: r.randint(0, 4)),
    "bao": (0.07, lambda r: False),
    "bao_success": (0.2, lambda r: "total"),
    "bao_failure_factor": (0.35, lambda r: r.randint(1, 4)),
    "bao_failure_minimum": (0.35, lambda r: r.randint(0, 12)),
    "recycle_limit": (0.35, lambda r: r.randint(0, 4)),
    "recycle_after_bao": (0.4, lambda r: "override"),
    "game_threshold": (0.5, lambda r: r.randint(5, 60)),
    "max_turns": (0.3, lambda r: r.choice([1, 5, 30, 80, 200])),
    "max_rounds": (0.35, lambda r: r.randint(1, 6)),
}
"""Chance of a change and the change, for rule options that are not tried as `_tried` says."""


def _tried(spec: dict[str, Any]) -> tuple[float, Callable[[random.Random], Any]]:
    """Chance of a change and the change of any option: all choices, the other of two flags."""
    if spec["type"] == "boolean":
        return 0.2, lambda r: not spec["default"]
    if spec["type"] == "choice":
        return 0.35, lambda r: r.choice(spec["choices"])
    return 0.35, lambda r: r.randint(spec["min"], min(spec["max"], spec["min"] + 9))


def random_rules(r: random.Random) -> dict[str, Any]:
    """Random changes to an edition's rules."""
    changes = {}
    for spec in Rules.options():
        chance, make = _OPTIONS.get(spec["name"]) or _tried(spec)
        if r.random() < chance:
            changes[spec["name"]] = make(r)
    changes.setdefault("max_turns", 300)
    return changes


def random_deck(r: random.Random, least: int, flat: bool = False) -> dict[str, Any]:
    """A random deck with at least so many cards, of few families and with many powers.

    All cards of a `flat` one are worth the same, so that games end in ties (GAME-4).
    """
    birds: dict[str, Any] = {}
    families = r.randint(2, 9)
    lowest, highest = (2, 2) if flat else (-2, 13)
    size = 0
    while size < least:
        bird = {"value": r.randint(lowest, highest), "family": f"f{r.randint(1, families)}"}
        bird["copies"] = r.randint(1, 4 if least < 60 else 12)
        if r.random() < 0.6:
            bird["power"] = r.choice(POWERS)
        size += bird["copies"]
        birds[f"b{len(birds)}"] = bird
    return {"name": "tiny", "birds": birds}


def random_player(r: random.Random) -> str | dict[str, Any]:
    """A shipped heuristic player, or more often random moves at random rates."""
    if r.random() < 0.35:
        return r.choice(SHIPPED_HEURISTICS) if r.random() < 0.7 else random_heuristic(r)
    return {
        "kind": "random",
        "bao_rate": r.choice([0, 0.02, 0.1]),
        "pluck_rate": r.choice([0, 0.1, 0.5, 1]),
        "double_rate": r.random(),
        "take_rate": r.choice([0.1, 0.4]),
        "keep_rate": r.random(),
        "swap_rate": r.random(),
        "decline_rate": r.random(),
    }


def random_study(seed: int, games: bool | None = None) -> Study:
    """A random study of one round or one game: 2 to 6 players, any options, often a tiny deck."""
    r = random.Random(seed)
    players = r.randint(2, 6)
    rules = random_rules(r)
    if games is None:
        games = r.random() < 0.2
    if games:
        rules["max_turns"] = min(rules["max_turns"], 200)
        rules.setdefault("max_rounds", 30)
    hands = [(n, rules.get("hand_size", 5 if n == 2 else 4)) for n in range(2, players + 1)]
    need = max(n * hand for n, hand in hands) + 2
    deck: str | dict[str, Any] = r.choice(["five_per_value", "five_per_power"])
    flat = games and r.random() < 0.5
    if flat or r.random() < 0.7:
        deck = random_deck(r, need + r.choice([0, 0, 1, 2, 5, 20]), flat)
    return Study.of(
        players=[random_player(r) for _ in range(players)],
        edition=r.choice(["first", "second"]),
        deck=deck,
        rules=rules,
        seed=seed,
        **({"games": 1} if games else {"rounds": 1}),
    )


_WILD = {
    "share": [0.0, 0.1, 0.3, 0.6, 1.0],
    "seconds": [0.0, 0.5, 1.0],
    "cards": [0, 1, 3, 128],
    "turns": [0, 1, 5],
    "points": [-4, 0, 2, 5, 12],
}
"""Values that parameters with a unit are moved to."""


def random_heuristic(r: random.Random) -> dict[str, Any]:
    """A heuristic player with random values of its parameters, sensible or not."""
    values: dict[str, Any] = {"kind": "heuristic"}
    for spec in KINDS["heuristic"].parameters():
        if r.random() < 0.6:
            continue
        if spec["type"] == "boolean":
            value: Any = r.random() < 0.5
        elif spec["type"] == "choice":
            value = r.choice(spec["choices"])
        else:
            value = r.choice(_WILD.get(spec["unit"], [0, 1]))
            value = min(max(value, spec["min"]), spec["max"])
        values[spec["name"]] = value
    return values


def oracle_deck(study: Study) -> dict[str, Bird]:
    """The deck of a study as the oracle takes it."""
    return {
        bird.id: Bird(value=bird.value, family=bird.family, power=bird.power, copies=bird.copies)
        for bird in study.deck.birds
    }


TWO = ["balanced", "sharp"]


def small_study(players: Any = TWO, **changes: Any) -> Study:
    """Return a small study."""
    given: dict[str, Any] = {"rounds": 2000, "seed": 7} | changes
    if "games" in changes:
        given.pop("rounds")
    return Study.of(players=players, **given)


#: A tournament as a file.
TOURNAMENT = """
title = "Four"
question = "Who is best?"
players = ["balanced", { base = "sharp", bao_threshold = 3 }, "novice", "random"]
seats = 3
rounds = 500
seed = 9
edition = "first"
[rules]
peeks = 1
"""
