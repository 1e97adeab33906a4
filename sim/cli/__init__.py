"""The program `baobei`: parses what was typed, calls the library, prints what comes back.

Nothing heavy is imported before a command needs it, so that ``--help`` answers at once. Data goes
to stdout, everything else to stderr. Exit codes: 0 success, 1 a check failed, 2 bad usage or bad
input, 75 workers were lost and trying again may help, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

from sim.cli import play, show
from sim.cli.program import main

__all__ = ["main", "play", "show"]
