"""Small results of every kind, for tests of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sim
from sim.api import sweep, tournament
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament

EVIL = "<script>alert(1)</script>"
"""What a title, a question or a name must never become."""

KINDS = ("run", "games", "few", "comparison", "rotated", "sweep", "grid", "tournament")


def _study(**changes: Any) -> Study:
    usual: dict[str, Any] = {"players": "balanced,cautious,sharp", "rounds": 2000, "seed": 5}
    return Study.of(**usual | changes)


def make(kind: str, folder: Path) -> None:
    """Make one of `KINDS`."""
    if kind == "run":
        sim.run(_study(), out=folder, records=True, progress=False)
    elif kind == "games":
        games = _study(rounds=None, games=60, rules={"game_threshold": 60, "penalty_cards": 2})
        sim.run(games, out=folder, progress=False)
    elif kind == "few":
        player = {"base": "sharp", "name": f"x{EVIL}", "bao_threshold": 9, "character": EVIL}
        few = _study(players=[player, "random"], rounds=40, title=EVIL, question=f"{EVIL}?")
        sim.run(few, out=folder, progress=False)
    elif kind == "comparison":
        study = _study(players="balanced,balanced", rounds=1500, title="Half as much")
        sim.compare(study, rules={"bao_failure_factor": 4}, out=folder, progress=False)
    elif kind == "rotated":
        player = {"base": "sharp", "bao_threshold": 2}
        other = ["balanced", "cautious", player]
        sim.compare(_study(), players=other, out=folder, progress=False)
    elif kind == "sweep":
        over = {"0.bao_threshold": [2, 5, 8]}
        sweep(Sweep.of(_study(rounds=500), over), out=folder, progress=False)
    elif kind == "grid":
        over = {"0.pluck_confidence": [0.5, 0.9], "rules.recycle_limit": [1, 2, 0]}
        sweep(Sweep.of(_study(rounds=300), over), out=folder, progress=False)
    elif kind == "tournament":
        players = ["sharp", "balanced", "cautious", "random", "novice"]
        tournament(Tournament.of(players=players, seats=3, rounds=3000), out=folder, progress=False)
