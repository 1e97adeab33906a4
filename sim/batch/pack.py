"""From data to the engine: a study becomes the one `Table` record that kernels read."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from sim.batch.confidence import Mixing, curve
from sim.core.codes import KIND, number_of
from sim.core.layout import (
    AGES,
    CLAIMS,
    CURVE,
    LIES_DEALT,
    LIES_KEPT,
    LIES_TAKEN,
    MAX_CARDS,
    MAX_PLAYERS,
    NEIGHBOURS,
    NONE,
    SLOT_NUMBERS,
    SPARED,
    TABLE,
    new_record,
)
from sim.game.deck import POWERS, Deck
from sim.game.players import Player, RandomPlayer
from sim.game.rules import Rules
from sim.game.study import Study

RATES = [spec["name"] for spec in RandomPlayer.parameters() if spec["unit"] == "share"]
"""How often the random policy does what is optional; a heuristic player's blunders do, too."""

DOUBT_FOR_RATE, MOST_DOUBT = 150.0, 27.0
"""How far who mixes up cards distrusts its count (in cards of a whole deck), fitted to play."""


def pack_cards(table: Any, deck: Deck, cards: Sequence[int]) -> None:
    """Write physical cards into a table record.

    Args:
        table: `Table` record, mutated.
        deck: Whose birds they are.
        cards: Index in `deck.birds` of each card, cards of a family next to each other.
    """
    families = list(deck.families)
    table.cards = len(cards)
    table.birds = len(deck.birds)
    table.families = len(families)
    table.deck_mean = float(np.mean([deck.birds[index].value for index in cards]))
    table.deck_sd = float(np.std([deck.birds[index].value for index in cards]))
    table.slot_numbers = max(SLOT_NUMBERS, len(cards))
    for card, index in enumerate(cards):
        bird = deck.birds[index]
        family = families.index(bird.family)
        table.value[card] = bird.value
        table.bird[card] = index
        table.family[card] = family
        table.power[card] = NONE if bird.power is None else POWERS.index(bird.power)
        table.family_cards[family, card >> 6] |= np.uint64(1 << (card & 63))
        if table.family_size[family] == 0:
            table.family_first[family] = card
        table.family_size[family] += 1
        table.deck_sum += bird.value
    _pack_neighbours(table)


def _pack_neighbours(table: Any) -> None:
    """Write which families, those next in value, a card of each family may be taken for."""
    families = int(table.families)
    count = min(families - 1, NEIGHBOURS)
    table.to_neighbour = 1 / max(count, 1)
    for family in range(families):
        lowest = max(0, min(family - count // 2, families - 1 - count))
        for other in {*range(lowest, lowest + count + 1)} - {family}:
            table.neighbours[family] |= np.uint64(1 << other)
            table.mistaken[other] |= np.uint64(1 << family)


def pack_rules(table: Any, rules: Rules, players: int) -> None:
    """Write rule options into a table record, for a number of players."""
    for option in Rules.options():
        if option["type"] != "table":
            name = option["name"]
            setattr(table, f"rule_{name}", number_of(option, getattr(rules, name)))
    table.players = players
    table.threshold = rules.game_threshold[players]
    for count, hand in rules.hand_size.items():
        table.hand_size[count] = hand


def pack_players(table: Any, players: Sequence[Player]) -> None:
    """Write strategies into a table record, one for each seat."""
    for seat, player in enumerate(players):
        table.policy[seat] = getattr(KIND, player.kind)
        # What a blunder does: any legal move, each as likely as it comes.
        for name in RATES:
            getattr(table, name)[seat] = 0.5
        for spec in player.parameters():
            name = spec["name"]
            getattr(table, name)[seat] = number_of(spec, getattr(player, name))
        _pack_memory(table, seat)
        _pack_expectations(table, seat)
        least = min(table.pluck_confidence[seat], table.pluck_rival_confidence[seat])
        largest = int(table.family_size.max())
        hunches = least <= largest / MAX_CARDS or table.blunder_rate[seat] > 0
        table.hunch_pool[seat] = MAX_CARDS if hunches else int(largest / least)


def _pack_memory(table: Any, seat: int) -> None:
    """Write what follows from a player's memory parameters."""
    forget, mix = float(table.forget_rate[seat]), float(table.mix_up_rate[seat])
    fading = forget + mix - forget * mix
    table.spared[seat] = _spared(fading)
    table.stays_right[seat] = list(accumulate([1.0] + [1 - mix] * (AGES - 1), operator.mul))
    table.doubt[seat] = min(DOUBT_FOR_RATE * mix, MOST_DOUBT)
    if mix > 0:
        hope = float(table.pluck_rival_confidence[seat])
        mixing = Mixing(mix, float(table.count_cards[seat]), hope)
        for k, claim in enumerate(CLAIMS):
            table.curve[seat, k] = curve(claim, int(table.players), mixing, CURVE)
    table.forgets_first[seat] = forget / fading if fading > 0 else 0
    table.overlooks[seat] = int(
        table.policy[seat] == KIND.heuristic and table.count_cards[seat] < 1
    )
    if table.policy[seat] == KIND.heuristic:
        table.lapses[seat] = int(fading > 0)
        table.crowded[seat] = int(table.memory_span[seat] < MAX_CARDS)
        table.lasting[seat] = 2**64 - 1 if forget == 0 else 0
        table.memorises[seat] = int(mix > 0 or table.crowded[seat])
        table.fades[seat] = int(
            table.lapses[seat] or table.crowded[seat] or table.count_cards[seat] < 1
        )
        table.fading |= table.fades[seat]
        table.crowding |= table.crowded[seat]
        table.mixing |= int(mix > 0)


def _pack_expectations(table: Any, seat: int) -> None:
    """Write which cards a player expects to find where somebody kept or took one.

    People keep low cards, and power cards more seldom; and it takes others to take what it
    would take itself. Numbers fitted to play, see `sim.core.memory`.
    """
    most = table.take_max_value[seat]
    for family in range(table.families):
        first, size = int(table.family_first[family]), int(table.family_size[family])
        cards = range(first, first + size)
        kept = [_keeps(int(table.value[card]), table.power[card] != NONE) for card in cards]
        taken = [_takes(int(table.value[card]), most) for card in cards]
        table.lies[seat, LIES_DEALT, family] = 1
        table.lies[seat, LIES_KEPT, family] = sum(kept) / size
        table.lies[seat, LIES_TAKEN, family] = sum(taken) / size


def _keeps(value: int, power: bool) -> float:
    """How readily people keep a drawn card."""
    return 1 / (1 + math.exp((value - 10 + (0.5 if power else 0)) / 2.8))


def _takes(value: int, most: float) -> float:
    """How readily people take a discard who mean to take at most `most` points."""
    return 1.0 if value <= most else math.exp(-2.9 - 0.6 * (value - most - 1))


def _spared(rate: float) -> list[int]:
    """Chances that 1, 2 … memories, which fade at `rate` a turn, do not in theirs.

    As shares of 2**64; made by multiplying, so that they are the same on every machine.
    """
    chances = accumulate([1 - rate] * SPARED, operator.mul)
    return [min(int(chance * 2**64), 2**64 - 1) for chance in chances]


def pack(study: Study) -> Any:
    """The `Table` record (``np.record`` of dtype `sim.core.layout.TABLE`) of a study."""
    table = new_record(TABLE)
    table.games = int(study.games is not None)
    pack_rules(table, study.rules, len(study.players))
    pack_cards(table, study.deck, study.deck.cards)
    pack_players(table, study.players)
    return table


def pack_script(rules: Rules, deck: Deck, cards: Sequence[int], players: int) -> Any:
    """The `Table` record of a scenario: every seat's decisions come from a script."""
    table = new_record(TABLE)
    table.scripted = 1
    pack_rules(table, rules, players)
    pack_cards(table, deck, cards)
    table.policy[:MAX_PLAYERS] = KIND.scripted
    return table
