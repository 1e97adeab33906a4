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
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.batch import extend as extend
    from sim.batch import run as run
    from sim.comparisons import Comparison as Comparison
    from sim.comparisons import compare as compare
    from sim.comparisons import load_comparison as load_comparison
    from sim.deck import Deck as Deck
    from sim.deck import load_deck as load_deck
    from sim.errors import BaobeiError as BaobeiError
    from sim.errors import InputError as InputError
    from sim.merging import merge as merge
    from sim.outcomes import SweepResult as SweepResult
    from sim.outcomes import TournamentResult as TournamentResult
    from sim.outcomes import sweep as sweep
    from sim.outcomes import tournament as tournament
    from sim.players import Player as Player
    from sim.players import load_player as load_player
    from sim.results import Result as Result
    from sim.results import load_results as load_results
    from sim.rules import Rules as Rules
    from sim.scenario import check as check
    from sim.study import Study as Study
    from sim.study import load_study as load_study
    from sim.sweeps import Sweep as Sweep
    from sim.sweeps import load_sweep as load_sweep
    from sim.tournaments import Tournament as Tournament
    from sim.tournaments import load_tournament as load_tournament
    from sim.trace import Trace as Trace

_HOMES = {
    "BaobeiError": "errors",
    "Comparison": "comparisons",
    "Deck": "deck",
    "InputError": "errors",
    "Player": "players",
    "Result": "results",
    "Rules": "rules",
    "Study": "study",
    "Sweep": "sweeps",
    "SweepResult": "outcomes",
    "Tournament": "tournaments",
    "TournamentResult": "outcomes",
    "Trace": "trace",
    "check": "scenario",
    "compare": "comparisons",
    "extend": "batch",
    "load_comparison": "comparisons",
    "load_deck": "deck",
    "load_player": "players",
    "load_results": "results",
    "load_study": "study",
    "load_sweep": "sweeps",
    "load_tournament": "tournaments",
    "merge": "merging",
    "run": "batch",
    "sweep": "outcomes",
    "tournament": "outcomes",
}
"""Public names and the modules that they live in."""

__all__ = [*_HOMES, "trace"]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("baobei-sim")
    except PackageNotFoundError:
        return "0.1.0"


class _Package(ModuleType):
    """This package, where `trace` is the function although a module has the same name."""

    @property
    def trace(self) -> Any:
        """`sim.trace.trace`: one round or game, event by event."""
        return importlib.import_module("sim.trace").trace

    @trace.setter
    def trace(self, module: ModuleType) -> None:
        """The import system tells of the module here; it stays in ``sys.modules``."""


sys.modules[__name__].__class__ = _Package


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
