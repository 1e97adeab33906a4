"""What people see while a run goes on; all of it on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

Report = Callable[[int, int], None]
"""Called with the number of units done and the number asked for."""

Wanted = bool | Report | None
"""True: a bar (on a terminal or in a notebook); None: messages alone; False: nothing."""

COMPILING = "compiling the engine, once, about a minute ..."


def announce_compiling(quiet: bool = False, entry_point: str = "advance") -> None:
    """Say so if the engine is about to be compiled; call it before the engine is imported.

    Args:
        quiet: Say nothing.
        entry_point: The function of `sim.engine.play` that will be called.
    """
    from sim.engine.jit import is_compiled

    if not quiet and not is_compiled(entry_point):
        print(COMPILING, file=sys.stderr, flush=True)


class Progress:
    """Shows how far a run is; a context manager that puts the terminal in order at its end."""

    def __init__(self, wanted: Wanted, total: int, unit: str) -> None:
        """Show nothing yet.

        Args:
            wanted: What to show; see `Wanted`.
            total: Units asked for.
            unit: What they are, in the plural.
        """
        self.quiet = wanted is False
        self.report: Report | None = wanted if callable(wanted) else None
        self.total = total
        self.unit = unit
        self._bar: Any = _bar(total, unit) if wanted is True else None

    def __enter__(self) -> Progress:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def update(self, done: int) -> None:
        """Show that `done` units are finished, all together."""
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        if self.report is not None:
            self.report(done, self.total)


def _bar(total: int, unit: str) -> Any:
    """Return a bar with units done, units a second and time left; silent without a terminal."""
    looks = {"total": total, "unit": f" {unit}", "unit_scale": True, "leave": False}
    if sys.stderr.isatty():
        from tqdm import tqdm

        return tqdm(**looks, ncols=_columns(), nrows=24, file=sys.stderr)  # one row, whatever
    from tqdm.auto import tqdm as notebook_or_none

    return notebook_or_none(**looks, dynamic_ncols=True, disable=None, file=sys.stderr)


def _columns() -> int:
    """Return the width of a bar; some terminals say that they have none."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return min(columns or 80, 100)
