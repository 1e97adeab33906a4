"""What is counted for designers: counted again from event logs, and by hand in small cases."""

from __future__ import annotations

import random
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
        return [text for key in keys for text in differences(found[key], again[key], f"{path}.{key}")]
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
    """Any options, tiny decks, random moves."""
    for number in range(scaled(120, least=6)):
        wild = random_study(5000 + number, games=games)
        unit = {"games": 3} if games else {"rounds": 6}
        compare(wild.with_changes(**unit))


@pytest.mark.skipif(SCALE < 0.5, reason="needs some hundred rounds")
def test_all_that_is_counted_comes_up() -> None:
    """The comparisons above would be easy if everything were zero."""
    lively = {"players": "random,random,gambler,elephant", "seed": 3}
    found = [
        compare(Study.of(rounds=300, **lively)),
        compare(Study.of(rounds=300, edition="first", deck="five_per_power", **lively)),
        compare(Study.of(games=30, rules={"recycle_limit": 1}, **lively)),
        compare(Study.of(rounds=200, players="balanced,rusher", seed=1)),
    ]
    zeros = set.intersection(*(set(zero_paths(summary)) for summary in found))
    assert zeros <= {".".join(("players", *path)) for path in NEVER}


NEVER: set[tuple[str, ...]] = {
    # A look, a show or an own Toco Toucan lacks a target only where nobody has cards, or nobody
    # can be chosen: in tiny games.
}


def zero_paths(part: Any, path: str = "") -> list[str]:
    """Return the paths of all counts that are 0 (of all seats together)."""
    if isinstance(part, dict):
        inner = [(key, value) for key, value in part.items() if key in COUNTED or path]
        return [text for key, value in inner for text in zero_paths(value, f"{path}.{key}".strip("."))]
    if isinstance(part, list) and part and isinstance(part[0], dict) and "seat" in part[0]:
        sets = [set(zero_paths(player, path)) for player in part]
        return sorted(set.intersection(*sets))
    return [path] if isinstance(part, int) and part == 0 else []


COUNTED = ("windows", "shields", "calls", "leads", "players", "comebacks")
