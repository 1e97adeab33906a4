"""What all results share: how they are told, and where many studies are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.text.played import speed
from analysis.text.terminal import draw
from sim.game.base import Shown
from sim.game.documents import to_json
from sim.game.files import PathLike
from sim.store.tasks import keeping, plan_of


class AnyResult(Shown):
    """A result with ``summary`` and ``to_text``."""

    def to_json(self: Any) -> str:
        """Return the summary as JSON text, exactly what the command prints with ``--json``."""
        return to_json(self.summary())

    def __str__(self: Any) -> str:
        """Return what the command prints."""
        return str(self.to_text())


class ManyResult(AnyResult):
    """The result of many studies; ``_played`` is what they are, ``_told`` what is printed."""

    def to_text(self: Any) -> str:
        """Return what the command prints: at most 100 columns, no line break at its end."""
        plan = plan_of(self._played)
        took = speed(plan["count"], plan["unit"][:-1], self.seconds, self.saving_seconds)
        return draw(*self._told(), took)

    def save(self: Any, folder: PathLike) -> Path:
        """Write the result into a folder, which is made if need be, and return its path.

        Raises:
            InputError: The folder cannot be written to, or holds something else.
        """
        with keeping(folder, self._played) as keeper:
            return keeper.save(self)
