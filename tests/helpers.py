"""Shared by the tests of the engine: random studies, quick ways to play, copies of states."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from sim.batch.run import Job

from oracle import Bird
from sim.core.layout import (
    FAULT_NONE,
    GAME_LENGTHS,
    MAX_CARDS,
    NONE,
    RECORD_COLUMNS,
    STATE,
    TALLY,
    TURNS_BY_END,
    WORDS,
    new_record,
    new_state,
)
from sim.engine.play import play_chunk
from sim.game.deck import POWERS
from sim.game.players import KINDS
from sim.game.study import Study
from sim.watch.trace import trace

SCALE = float(os.environ.get("BAOBEI_TEST_SCALE", "1"))
"""Factor on all counts of rounds; a run without the compiler wants about 0.02."""

SHIPPED_HEURISTICS = ("balanced", "cautious", "gambler", "novice", "rusher", "sharp", "turtle")


def scaled(count: int, least: int = 1) -> int:
    """A count of rounds, studies or examples, times `SCALE`."""
    return max(least, round(count * SCALE))


# --- statistics ---------------------------------------------------------------------------------


def chi2_limit(freedom: int, alpha: float) -> float:
    """What a chi-square variable exceeds with probability `alpha` (Wilson and Hilferty 1931)."""
    z = NormalDist().inv_cdf(1 - alpha)
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + z * spread**0.5) ** 3


def chi2_of(counts: Any, expected: Any) -> float:
    """Pearson's chi-square of counts against expected counts, of any equal shape."""
    difference = np.asarray(counts, np.float64) - expected
    return float((difference**2 / expected).sum())


# --- random studies -----------------------------------------------------------------------------

_OPTIONS: dict[str, tuple[float, Callable[[random.Random], Any]]] = {
    "hand_size": (0.35, lambda r: r.randint(1, 6)),
    "peeks": (0.35, lambda r: r.randint(0, 5)),
    "first_player": (0.35, lambda r: r.choice(["highest_score", "rotate", "random"])),
    "take_discard": (0.1, lambda r: False),
    "plucks": (0.15, lambda r: r.choice(["all", "own_only", "none"])),
    "double_pluck": (0.35, lambda r: r.choice(["any", "own_draw_own_cards", "none"])),
    "double_pluck_powers": (0.35, lambda r: r.choice(["second_card", "all"])),
    "penalty_cards": (0.35, lambda r: r.randint(0, 4)),
    "added_card_slot": (0.35, lambda r: r.choice(["fill_empty", "new"])),
    "window_power_order": (0.35, lambda r: r.choice(["plucker_first", "active_first"])),
    "powers_optional": (0.2, lambda r: True),
    "move_lock": (0.35, lambda r: r.choice(["turn", "pluck", "none"])),
    "shoebill_locks": (0.2, lambda r: False),
    "bao": (0.07, lambda r: False),
    "shield": (0.35, lambda r: r.choice(["after_first_change", "at_once", "none"])),
    "bao_success": (0.2, lambda r: "total"),
    "bao_failure_factor": (0.35, lambda r: r.randint(1, 4)),
    "bao_failure_minimum": (0.35, lambda r: r.randint(0, 12)),
    "recycle_limit": (0.35, lambda r: r.randint(0, 4)),
    "recycle_after_bao": (0.4, lambda r: "override"),
    "game_threshold": (0.5, lambda r: r.randint(5, 60)),
    "max_turns": (0.3, lambda r: r.choice([1, 5, 30, 80, 200])),
    "max_rounds": (0.35, lambda r: r.randint(1, 6)),
}
"""Chance of a change and the change, for every rule option."""


def random_rules(r: random.Random) -> dict[str, Any]:
    """Random changes to an edition's rules."""
    changes = {name: make(r) for name, (chance, make) in _OPTIONS.items() if r.random() < chance}
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


# --- playing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """What came of many rounds or games: sums, histograms, and a row for each round and seat."""

    tally: Any
    turns: Any
    recyclings: Any
    game_rounds: Any
    rows: Any

    def column(self, name: str) -> Any:
        """A column of the records, as rounds × seats where all rounds have as many seats."""
        return self.rows[:, RECORD_COLUMNS.index(name)]

    def per_round(self, name: str) -> Any:
        """A column of the records, rounds × seats."""
        seats = int(self.column("seat").max()) + 1
        return self.column(name).reshape(-1, seats)


def play(study: Study, count: int, begin: int = 0, records: bool = True) -> Played:
    """Play units `begin` … of a study by the chunk function of the engine alone."""
    job, state, tally = Job.of(study), new_state(), new_record(TALLY)
    histograms = job.histograms()
    per_unit = len(study.players) * (study.rules.max_rounds if study.games else 1)
    rows = np.zeros((per_unit * count if records else 0, len(RECORD_COLUMNS)), np.int32)
    arrays = [*histograms.values(), rows, job.games(count)]
    seed = np.uint64(study.seed)
    end, written = play_chunk(state, job.table, seed, begin, begin + count, tally, *arrays)
    assert state.fault == FAULT_NONE
    assert end == begin + count
    lengths = histograms["turns"][TURNS_BY_END : TURNS_BY_END + 3].sum(axis=0)
    rounds = histograms["game_rounds"][GAME_LENGTHS]
    return Played(tally, lengths, histograms["recyclings"], rounds, rows[:written])


Events = list[dict[str, Any]]


def logs(study: Study, count: int) -> list[Events]:
    """The event logs of the first rounds, or games, of a study."""
    return [trace(study, index).events for index in range(count)]


def number(rounds: list[Events], kind: str, **fields: Any) -> int:
    """How many events of a kind have these values in these fields."""
    return sum(
        event["event"] == kind and all(event[key] == value for key, value in fields.items())
        for events in rounds
        for event in events
    )


# --- states -------------------------------------------------------------------------------------


def copy_state(state: Any) -> Any:
    """An independent copy of a `State` record."""
    return np.array(state, dtype=STATE).reshape(1).view(np.recarray)[0]


def bits(words: Any) -> int:
    """A set of cards (uint64 words) as one whole number, bit k for card k."""
    return sum(int(word) << (64 * k) for k, word in enumerate(words))


def cards_in(words: Any) -> set[int]:
    """The cards of a set of cards."""
    whole = bits(words)
    return {card for card in range(MAX_CARDS) if whole >> card & 1}


def write_set(words: Any, cards: Iterable[int]) -> None:
    """Mutates: make a set of cards hold exactly these."""
    whole = sum(1 << card for card in set(cards))
    for k in range(WORDS):
        words[k] = np.uint64(whole >> (64 * k) & (2**64 - 1))


def lying_cards(state: Any) -> dict[int, int]:
    """Place -> card, for every card in an area."""
    found = {}
    for owner in range(state.players):
        for slot in range(int(state.n_slots[owner])):
            card = int(state.slot_card[owner, slot])
            if card != NONE:
                found[owner << 7 | slot] = card
    return found
