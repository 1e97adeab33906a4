"""The rule options of rulebook section 16, read out of `deal.rules`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from .log import Event, is_whole

CHOICES: dict[str, tuple[str, ...]] = {
    "first_player": ("highest_score", "rotate", "random"),
    "plucks": ("all", "own_only", "none"),
    "double_pluck": ("any", "own_draw_own_cards", "none"),
    "double_pluck_powers": ("second_card", "all"),
    "added_card_slot": ("fill_empty", "new"),
    "window_power_order": ("plucker_first", "active_first"),
    "move_lock": ("turn", "pluck", "none"),
    "shield": ("after_first_change", "at_once", "none"),
    "bao_success": ("zero", "total"),
    "recycle_after_bao": ("ignore", "override"),
}

#: Whole numbers and the least that each may be.
NUMBERS: dict[str, int] = {
    "peeks": 0,
    "penalty_cards": 0,
    "bao_failure_factor": 1,
    "bao_failure_minimum": 0,
    "recycle_limit": 0,
    "max_turns": 1,
    "max_rounds": 1,
}

FLAGS = ("take_discard", "powers_optional", "shoebill_locks", "bao")

#: By number of players: one whole number for all, or a mapping. The rulebook gives no least
#: threshold, so any whole number passes; a hand has at least one card.
BY_PLAYERS: dict[str, int | None] = {"hand_size": 1, "game_threshold": None}


@dataclass(frozen=True)
class Options:
    """All rule options, those by number of players already looked up for this table."""

    hand_size: int
    peeks: int
    first_player: str
    take_discard: bool
    plucks: str
    double_pluck: str
    double_pluck_powers: str
    penalty_cards: int
    added_card_slot: str
    window_power_order: str
    powers_optional: bool
    move_lock: str
    shoebill_locks: bool
    bao: bool
    shield: str
    bao_success: str
    bao_failure_factor: int
    bao_failure_minimum: int
    recycle_limit: int
    recycle_after_bao: str
    game_threshold: int
    max_turns: int
    max_rounds: int


def read_options(event: Event, players: int) -> Options:
    """Read and check `rules` of a `deal`; unknown further keys are left alone."""
    rules = event.get("rules")
    if not isinstance(rules, Mapping):
        event.fail("LOG", "rules is not a mapping of options")
    values: dict[str, Any] = {}
    for field in fields(Options):
        if field.name not in rules:
            event.fail("LOG", f"rules: option {field.name!r} is missing")
        values[field.name] = _read(event, field.name, rules[field.name], players)
    return Options(**values)


def _read(event: Event, name: str, value: Any, players: int) -> Any:
    if name in BY_PLAYERS:
        return _by_players(event, name, value, players)
    if name in FLAGS:
        legal = isinstance(value, bool)
    elif name in NUMBERS:
        legal = is_whole(value) and value >= NUMBERS[name]
    else:
        legal = isinstance(value, str) and value in CHOICES[name]
    if not legal:
        event.fail("LOG", f"rules: {name} = {value!r} is no legal value (rulebook, section 16)")
    return value


def _by_players(event: Event, name: str, value: Any, players: int) -> int:
    """One number for every table, or a mapping with the number of players as key."""
    table = isinstance(value, Mapping)
    found = value.get(players, value.get(str(players))) if table else value
    least = BY_PLAYERS[name]
    if not is_whole(found) or (least is not None and found < least):
        event.fail("LOG", f"rules: {name} = {value!r} says nothing legal for {players} players")
    return found
