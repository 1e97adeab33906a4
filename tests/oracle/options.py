"""The rule options of rulebook section 16, read out of `deal.rules`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated as Least
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .log import Event, is_whole


@dataclass(frozen=True)
class Options:
    """All rule options, with the values that each may have.

    Those by number of players are one whole number for all, or a mapping; here they are already
    looked up for this table. The rulebook gives no least threshold, so any whole number passes; a
    hand has at least one card.
    """

    hand_size: Least[int, 1]
    peeks: Least[int, 0]
    first_player: Literal["highest_score", "rotate", "random"]
    take_discard: bool
    plucks: Literal["all", "own_only", "none"]
    double_pluck: Literal["any", "own_draw_own_cards", "none"]
    double_pluck_powers: Literal["second_card", "all"]
    penalty_cards: Least[int, 0]
    added_card_slot: Literal["fill_empty", "new"]
    window_power_order: Literal["plucker_first", "active_first"]
    powers_optional: bool
    move_lock: Literal["turn", "pluck", "none"]
    shoebill_locks: bool
    bao: bool
    shield: Literal["after_first_change", "at_once", "none"]
    bao_success: Literal["zero", "total"]
    bao_failure_factor: Least[int, 1]
    bao_failure_minimum: Least[int, 0]
    recycle_limit: Least[int, 0]
    recycle_after_bao: Literal["ignore", "override"]
    game_threshold: Least[int, -math.inf]
    max_turns: Least[int, 1]
    max_rounds: Least[int, 1]


BY_PLAYERS = ("hand_size", "game_threshold")


def read_options(event: Event, players: int) -> Options:
    """Read and check `rules` of a `deal`; unknown further keys are left alone."""
    rules = event.get("rules")
    if not isinstance(rules, Mapping):
        event.fail("LOG", "rules is not a mapping of options")
    values: dict[str, Any] = {}
    for name, kind in get_type_hints(Options, include_extras=True).items():
        if name not in rules:
            event.fail("LOG", f"rules: option {name!r} is missing")
        given = rules[name]
        if name in BY_PLAYERS and isinstance(given, Mapping):
            values[name] = given.get(players, given.get(str(players)))
        else:
            values[name] = given
        if not _is_legal(values[name], kind):
            event.fail("LOG", f"rules: {name} = {given!r} is no legal value (rulebook, section 16)")
    return Options(**values)


def _is_legal(value: Any, kind: Any) -> bool:
    if kind is bool:
        return isinstance(value, bool)
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    return is_whole(value) and value >= get_args(kind)[1]
