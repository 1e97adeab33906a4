"""What objects that say what is played have in common: how a notebook shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Shown:
    """Shows itself in notebooks by a function that `show_with` was given; until then as text."""

    def _repr_html_(self) -> str | None:
        return None if _show is None else _show(self)


_show: Callable[[Any], str | None] | None = None


def show_with(function: Callable[[Any], str | None]) -> None:
    """Let notebooks show decks, players, rules, studies and the like by a function.

    Args:
        function: Returns HTML for an object that is `Shown`; None where it has none.
    """
    global _show
    _show = function
