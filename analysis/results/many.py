"""What the results of sweeps and of tournaments share: many studies that were played together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.game.base import Shown
from sim.game.documents import to_json
from sim.game.files import PathLike
from sim.store.tasks import Played, keeping


class ManyResult(Shown):
    """The result of many studies; it says what was played, its numbers, and how it is told."""

    @property
    def _played(self) -> Played:
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready."""
        raise NotImplementedError

    def to_text(self) -> str:
        """Return the tables that the command prints."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the summary as JSON text, exactly what the command prints with ``--json``."""
        return to_json(self.summary())

    def __str__(self) -> str:
        """Return the tables that the command prints."""
        return self.to_text()

    def save(self, folder: PathLike) -> Path:
        """Write the result into a folder, which is made if need be, and return its path.

        Raises:
            InputError: The folder cannot be written to, or holds something else.
        """
        with keeping(folder, self._played) as keeper:
            return keeper.save(self)
