"""Play the card game BAO BEI by the million, and see who wins, how and how surely.

Everything that a notebook needs is here, loaded when it is first used::

    import sim

    result = sim.run(sim.Study.of(players="balanced,sharp", rounds=100_000))
    result                      # a table
    result.summary()            # all numbers, as a dict
    result.players              # one row for each seat, as a DataFrame
    sim.trace(result.study, 17) # round 17, card by card

    sim.tournament(sim.Tournament.of(players="sharp,balanced,novice,random")).ranking
    sim.compare(result.study, rules={"bao_failure_minimum": 10}).differences
    sim.sweep(result.study, {"0.bao_threshold": [2, 4, 6]}).plot.metric("win_share")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.results.comparison import Comparison as Comparison
    from analysis.results.exploit import ExploitResult as ExploitResult
    from analysis.results.run import Result as Result
    from analysis.results.sweep import SweepResult as SweepResult
    from analysis.results.tournament import TournamentResult as TournamentResult
    from sim.api import compare as compare
    from sim.api import exploit as exploit
    from sim.api import extend as extend
    from sim.api import load_comparison as load_comparison
    from sim.api import load_results as load_results
    from sim.api import merge as merge
    from sim.api import run as run
    from sim.api import sweep as sweep
    from sim.api import tournament as tournament
    from sim.errors import BaobeiError as BaobeiError
    from sim.errors import InputError as InputError
    from sim.game.deck import Deck as Deck
    from sim.game.deck import load_deck as load_deck
    from sim.game.exploit import Exploit as Exploit
    from sim.game.players import Player as Player
    from sim.game.players import load_player as load_player
    from sim.game.rules import Rules as Rules
    from sim.game.study import Study as Study
    from sim.game.study import load_study as load_study
    from sim.game.sweep import Sweep as Sweep
    from sim.game.sweep import load_sweep as load_sweep
    from sim.game.tournament import Tournament as Tournament
    from sim.game.tournament import load_tournament as load_tournament
    from sim.watch.scenario import check as check
    from sim.watch.trace import Trace as Trace
    from sim.watch.trace import trace as trace

_HOMES = {
    "BaobeiError": "sim.errors",
    "Comparison": "analysis.results.comparison",
    "Deck": "sim.game.deck",
    "Exploit": "sim.game.exploit",
    "ExploitResult": "analysis.results.exploit",
    "InputError": "sim.errors",
    "Player": "sim.game.players",
    "Result": "analysis.results.run",
    "Rules": "sim.game.rules",
    "Study": "sim.game.study",
    "Sweep": "sim.game.sweep",
    "SweepResult": "analysis.results.sweep",
    "Tournament": "sim.game.tournament",
    "TournamentResult": "analysis.results.tournament",
    "Trace": "sim.watch.trace",
    "check": "sim.watch.scenario",
    "compare": "sim.api",
    "exploit": "sim.api",
    "extend": "sim.api",
    "load_comparison": "sim.api",
    "load_deck": "sim.game.deck",
    "load_player": "sim.game.players",
    "load_results": "sim.api",
    "load_study": "sim.game.study",
    "load_sweep": "sim.game.sweep",
    "load_tournament": "sim.game.tournament",
    "merge": "sim.api",
    "run": "sim.api",
    "sweep": "sim.api",
    "tournament": "sim.api",
    "trace": "sim.watch.trace",
}
"""Public names and the modules that they live in."""

__all__ = [*_HOMES]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("baobei-sim")
    except PackageNotFoundError:
        return "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value = _version()
    elif name in _HOMES:
        importlib.import_module("sim.api")  # objects show themselves in notebooks by it
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
