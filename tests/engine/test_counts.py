"""What is counted for designers: counted again from event logs, and by hand in small cases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from helpers import SCALE, random_study, scaled
from recount import recount
from sim import Study, run, trace

_SKIPPED = ("sd", "min", "max", "median", "mean_ci95")
GROUPS = ("positions", "by_end", "calls", "leads", "windows", "shields", "birds", "power_swing")


def differences(found: Any, again: Any, path: str = "") -> list[str]:
    """Return where a part of a summary is not what was counted again; nothing may be missing."""
    if isinstance(found, dict):
        keys = {key for key in found if not key.endswith("_ci95")}
        if "histogram" in found:
            keys = {"mean", "histogram"}
        if keys != set(again):
            return [f"{path}: {sorted(keys ^ set(again))}"]
        inner = [(found[key], again[key], f"{path}.{key}") for key in sorted(keys)]
        return [text for entry in inner for text in differences(*entry)]
    if isinstance(found, list) and found and isinstance(found[0], dict):
        pairs = zip(found, again, strict=True)
        return [text for k, p in enumerate(pairs) for text in differences(*p, f"{path}[{k}]")]
    if isinstance(found, float):
        same = again is not None and found == pytest.approx(again, rel=1e-12, abs=1e-12)
    else:
        same = found == again
    return [] if same else [f"{path}: {found}, counted again {again}"]


def compare(study: Study) -> dict[str, Any]:
    """Return the summary of a study, which must be what its event logs say."""
    summary = run(study, progress=False).summary()
    again = recount(study, [trace(study, index).events for index in range(study.count)])
    for group in (*GROUPS, "recyclings", "comebacks"):
        assert differences(summary[group], again[group], group) == []
    if study.games:
        assert summary["game"]["turns"]["mean"] == pytest.approx(again["game"]["turns"]["mean"])
    for seat, player in enumerate(again["players"]):
        mine = {key: summary["players"][seat][key] for key in player}
        assert differences(mine, player, f"players[{seat}]") == []
    return summary


PLAYERS = ("balanced", "gambler", "sharp", "rusher", "novice", "elephant", "turtle", "cautious")
TABLES = [
    (players, edition, games)
    for players in range(2, 7)
    for edition in ("second", "first")
    for games in (False, True)
]


@pytest.mark.parametrize(("players", "edition", "games"), TABLES)
def test_sums_are_what_event_logs_say(players: int, edition: str, games: bool) -> None:
    r = random.Random(10 * players + games)
    units = {"games": scaled(6, least=1)} if games else {"rounds": scaled(60, least=3)}
    names = [*r.sample(PLAYERS, players - 1), "random"]
    compare(Study.of(players=names, edition=edition, seed=players, **units))


@pytest.mark.parametrize("games", [False, True])
def test_sums_are_what_event_logs_say_of_wild_studies(games: bool) -> None:
    """Any options, tiny decks, random moves; in so many of them everything comes up."""
    counts: Counter[str] = Counter()
    for number in range(scaled(120, least=6)):
        wild = random_study(5000 + number, games=games)
        for path, count in counted(compare(wild.with_changes(**UNITS[games]))):
            counts[path] += count
    if SCALE >= 0.5:
        missing = {path for path, count in counts.items() if count == 0}
        assert missing <= RARE


UNITS: dict[bool, dict[str, Any]] = {False: {"rounds": 6}, True: {"games": 3}}
RARE = {f"players.power_triggers.{power}.no_effect" for power in ("look", "show", "macaw")}
"""Where nobody has a card left, or only one player has."""


def counted(part: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield the path of every count and the count; those of seats one after the other."""
    if isinstance(part, dict) and "histogram" not in part:
        for key, value in part.items():
            if path or key in (*GROUPS, "players"):
                yield from counted(value, f"{path}.{key}".lstrip("."))
    elif isinstance(part, list):
        for entry in part:
            if isinstance(entry, dict):
                yield from counted(entry, path)
    elif isinstance(part, int):
        yield path, part
