"""The plots of a result by name: ``result.plot.ends()``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from markupsafe import Markup

from analysis.blocks import Table, columns
from sim.game.base import Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Draw = TypeVar("Draw", bound=Callable[..., Any])
Reads = Callable[[Any], Any]


@dataclass(frozen=True)
class _Plot:
    told: str
    draw: Callable[..., Any]
    data: Reads
    options: Reads


class Plots(Shown):
    """Plots of something, each a function that takes the axes to draw on and returns them.

    They are those of `analysis.plots`, with what they draw filled in; without axes each makes a
    figure of its own.
    """

    _plots: ClassVar[dict[str, _Plot]]

    def __init__(self, result: Any) -> None:
        """Draw out of a result."""
        self._result = result

    def __init_subclass__(cls) -> None:
        """Begin with no plots."""
        cls._plots = {}

    @classmethod
    def plot(
        cls,
        told: str,
        data: Reads = lambda result: result.summary(),
        options: Reads = lambda _: {},
        name: str = "",
    ) -> Callable[[Draw], Draw]:
        """Register a function as a plot of these results.

        Args:
            told: What it draws, in a few words.
            data: Reads what the function takes first out of a result; by default its summary.
            options: Reads those that a result decides on, unless who calls it does.
            name: Of the plot, if it is not the function's.
        """

        def register(draw: Draw) -> Draw:
            cls._plots[name or draw.__name__] = _Plot(told, draw, data, options)
            return draw

        return register

    def __getattr__(self, name: str) -> Callable[..., Axes]:
        """Return a plot of this result."""
        plot = self._plots.get(name)
        if plot is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        @wraps(plot.draw)
        def draw(*args: Any, **options: Any) -> Axes:
            data, usual = plot.data(self._result), plot.options(self._result)
            drawn: Axes = plot.draw(data, *args, **(usual | options))
            return drawn

        return draw

    def __dir__(self) -> list[str]:
        """Name the plots, and nothing else, to who presses the tabulator key."""
        return sorted(self._plots)

    def __repr__(self) -> str:
        """Name the plots."""
        return "\n".join(["plots:", *(f"  {name}: {self._plots[name].told}" for name in dir(self))])

    def blocks(self) -> list[Table]:
        """Return what notebooks show: the name of each plot, and what it draws."""
        code = Markup("<code>{}()</code>")
        rows = [[code.format(name), self._plots[name].told] for name in dir(self)]
        return [Table("", columns(("", ""), left=(0, 1)), rows)]


class RunPlots(Plots):
    """The plots of a run; `analysis.plots` says what each takes besides the axes."""


class ComparisonPlots(Plots):
    """The plots of a comparison; `analysis.plots` says what each takes besides the axes."""


class SweepPlots(Plots):
    """The plots of a sweep; `analysis.plots` says what each takes besides the axes."""


class TournamentPlots(Plots):
    """The plots of a tournament; `analysis.plots` says what each takes besides the axes."""
