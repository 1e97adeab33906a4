"""What people see while a run goes on; all of it on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

Report = Callable[[int, int], None]
"""Called with the number of units done and the number asked for."""

Wanted = bool | Report | None
"""True: a bar (on a terminal or in a notebook) or a line a minute (in a file); None: messages
alone; False: nothing."""

LINE_SECONDS = 60.0
"""Time between two lines of progress in a log file."""

LEADER_SECONDS = 0.5
"""Time between two looks at who leads."""

COMPILING = "compiling the engine, once, about a minute ..."


def announce_compiling(quiet: bool = False, entry_point: str = "advance") -> None:
    """Say so if the engine is about to be compiled; call it before the engine is imported.

    Args:
        quiet: Say nothing.
        entry_point: The function of `sim.engine.play` that will be called.
    """
    from sim.core.jit import is_compiled

    if not quiet and not is_compiled(entry_point):
        print(COMPILING, file=sys.stderr, flush=True)


class Progress:
    """Shows how far a run is; a context manager that puts the terminal in order at its end."""

    def __init__(self, wanted: Wanted, total: int, unit: str, done: int = 0) -> None:
        """Show nothing yet.

        Args:
            wanted: What to show; see `Wanted`.
            total: Units asked for.
            unit: What they are, in the plural.
            done: Units that are finished already.
        """
        self.report: Report | None = wanted if callable(wanted) else None
        self.total = total
        self._view: _Bar | _Log | None = _view(total, unit, done) if wanted is True else None

    def __enter__(self) -> Progress:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._view is not None:
            self._view.close()

    def update(self, done: int, leader: Callable[[], str] = str) -> None:
        """Show that `done` units are finished, all together.

        Args:
            done: Units finished.
            leader: Says who leads; asked only now and then.
        """
        if self._view is not None:
            self._view.update(done, leader)
        if self.report is not None:
            self.report(done, self.total)


class _Bar:
    """A bar on a terminal or in a notebook: done, a second, time left, and who leads."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar
        self.next = time.monotonic() + LEADER_SECONDS

    def update(self, done: int, leader: Callable[[], str]) -> None:
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + LEADER_SECONDS
            self.bar.set_postfix_str(leader(), refresh=False)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        self.bar.close()


class _Log:
    """A line a minute, for files that are read later."""

    def __init__(self, total: int, unit: str, done: int) -> None:
        self.total, self.unit, self.begun = total, unit, done
        self.start = time.monotonic()
        self.next = self.start + LINE_SECONDS

    def update(self, done: int, leader: Callable[[], str]) -> None:
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + LINE_SECONDS
        rate = (done - self.begun) / (now - self.start)
        left = "" if rate <= 0 else f", {_clock((self.total - done) / rate)} left"
        share = f"{100 * done / self.total:.1f} %"
        parts = [f"{done:,} of {self.total:,} {self.unit} ({share}), {rate:,.0f}/s{left}", leader()]
        line = "; ".join(part for part in parts if part)
        print(f"{time.strftime('%H:%M:%S')}  {line}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


def _clock(seconds: float) -> str:
    """Return ``4:05`` or ``2:04:05``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _view(total: int, unit: str, done: int) -> _Bar | _Log:
    """Return what suits the place where stderr goes."""
    looks: dict[str, Any] = {"total": total, "unit": f" {unit}", "unit_scale": True}
    looks |= {"leave": False, "initial": done, "file": sys.stderr}
    if in_notebook():
        try:
            import ipywidgets  # noqa: F401
            from tqdm.notebook import tqdm as widget

            return _Bar(widget(**{**looks, "file": None}))
        except ImportError:  # then a line of text that changes
            from tqdm import tqdm

            return _Bar(tqdm(**looks, ncols=100))
    if sys.stderr is not None and sys.stderr.isatty():
        from tqdm import tqdm

        return _Bar(tqdm(**looks, ncols=_columns(), nrows=24))  # one row, whatever
    return _Log(total, unit, done)


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_ipython() if get_ipython is not None else None
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


def _columns() -> int:
    """Return the width of a bar; some terminals say that they have none."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return min(columns or 80, 120)
