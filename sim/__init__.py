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

from sim.texts import Shown

if TYPE_CHECKING:
    from sim.batch.run import extend as extend
    from sim.batch.run import run as run
    from sim.comparisons import Comparison as Comparison
    from sim.comparisons import compare as compare
    from sim.comparisons import load_comparison as load_comparison
    from sim.errors import BaobeiError as BaobeiError
    from sim.errors import InputError as InputError
    from sim.game.deck import Deck as Deck
    from sim.game.deck import load_deck as load_deck
    from sim.game.players import Player as Player
    from sim.game.players import load_player as load_player
    from sim.game.rules import Rules as Rules
    from sim.game.study import Study as Study
    from sim.game.study import load_study as load_study
    from sim.game.sweep import Sweep as Sweep
    from sim.game.sweep import load_sweep as load_sweep
    from sim.game.tournament import Tournament as Tournament
    from sim.game.tournament import load_tournament as load_tournament
    from sim.outcomes import SweepResult as SweepResult
    from sim.outcomes import TournamentResult as TournamentResult
    from sim.outcomes import sweep as sweep
    from sim.outcomes import tournament as tournament
    from sim.results import Result as Result
    from sim.results import load_results as load_results
    from sim.store.merge import merge as merge
    from sim.watch.scenario import check as check
    from sim.watch.trace import Trace as Trace
    from sim.watch.trace import trace as trace

_HOMES = {
    "BaobeiError": "errors",
    "Comparison": "comparisons",
    "Deck": "game.deck",
    "InputError": "errors",
    "Player": "game.players",
    "Result": "results",
    "Rules": "game.rules",
    "Study": "game.study",
    "Sweep": "game.sweep",
    "SweepResult": "outcomes",
    "Tournament": "game.tournament",
    "TournamentResult": "outcomes",
    "Trace": "watch.trace",
    "check": "watch.scenario",
    "compare": "comparisons",
    "extend": "batch.run",
    "load_comparison": "comparisons",
    "load_deck": "game.deck",
    "load_player": "game.players",
    "load_results": "results",
    "load_study": "game.study",
    "load_sweep": "game.sweep",
    "load_tournament": "game.tournament",
    "merge": "store.merge",
    "run": "batch.run",
    "sweep": "outcomes",
    "tournament": "outcomes",
    "trace": "watch.trace",
}
"""Public names and the modules that they live in."""

__all__ = [*_HOMES]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("baobei-sim")
    except PackageNotFoundError:
        return "0.1.0"


def _html(thing: Any) -> str:
    from analysis.notebook import html

    return html(thing)


Shown.drawn_by = _html


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value = _version()
    elif name in _HOMES:
        value = getattr(importlib.import_module(f"sim.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
