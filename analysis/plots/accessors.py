"""The plots of a result by name: ``result.plot.ends()``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from analysis.blocks import Table, columns
from analysis.plots import players, plucks, rounds, sweeps, tournaments
from analysis.plots.summaries import seat_names
from analysis.stats import CONFIDENCE
from sim.errors import InputError, unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from analysis.results.run import Result
    from analysis.results.sweep import SweepResult
    from analysis.results.tournament import TournamentResult


class Plots:
    """Plots of something, each a method that takes the axes to draw on and returns them."""

    def __dir__(self) -> list[str]:
        """Name the plots, and nothing else, to who presses the tabulator key."""
        return sorted(name for name in vars(type(self)) if not name.startswith("_"))

    def _told(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each plot, and what it draws."""
        for name in dir(self):
            first = (getattr(type(self), name).__doc__ or "").partition("\n")[0]
            yield name, first.removeprefix("Draw ").partition("; see ")[0].rstrip(".")

    def __repr__(self) -> str:
        """Name the plots."""
        return "\n".join(["plots:", *(f"  {name}: {told}" for name, told in self._told())])

    def _repr_html_(self) -> str:
        from analysis.notebook import draw

        rows = [[Markup("<code>{}()</code>").format(name), told] for name, told in self._told()]
        return draw([Table("", columns(("", ""), left=(0, 1)), rows)])


def seat_scores(result: Result) -> dict[int, players.SeatScores]:
    """Return the scores of each seat of a run, counted, with the mean that the sums say.

    Raises:
        InputError: The run kept no records, or they are not those of its sums.
    """
    from analysis.results.run import interval

    study, sums, found = result.study, result.sums, {}
    for seat, times in enumerate(result.score_counts):
        ends = interval("score_mean", study, sums, seat, CONFIDENCE)
        mean = sums["score"][seat] / max(sums["rounds"], 1)
        found[seat] = players.SeatScores(times, mean, ends)
    return found


@dataclass(frozen=True, repr=False)
class RunPlots(Plots):
    """The plots of a run; without axes each makes a figure of its own."""

    _result: Result

    def win_shares(self, ax: Axes | None = None) -> Axes:
        """Draw the win share of every seat; see `analysis.plots.win_shares`."""
        return players.win_shares(self._summary, ax)

    def seats(self, ax: Axes | None = None) -> Axes:
        """Draw what the place in the turn order is worth; see `analysis.plots.seats`."""
        return players.seats(self._summary, ax)

    def ends(self, ax: Axes | None = None) -> Axes:
        """Draw how rounds end; see `analysis.plots.ends`."""
        return rounds.ends(self._summary, ax)

    def lengths(self, ax: Axes | None = None) -> Axes:
        """Draw how many turns rounds take, by how they end; see `analysis.plots.lengths`."""
        return rounds.lengths(self._summary, ax)

    def recycling(self, ax: Axes | None = None) -> Axes:
        """Draw how often the discard pile is recycled; see `analysis.plots.recycling`."""
        return rounds.recycling(self._summary, ax)

    def scores(self, ax: Axes | None = None) -> Axes:
        """Draw how often each seat has which score; it takes a run with ``records=True``.

        Raises:
            InputError: The run kept no records.
        """
        names = seat_names(self._summary)
        return players.scores(seat_scores(self._result), ax, names=names)

    def bao(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw how often BAO succeeds by what it was called on; see `analysis.plots.bao`."""
        return rounds.bao(self._summary, ax, **options)

    def calibration(self, ax: Axes | None = None, *, least: int | None = None) -> Axes:
        """Draw how often plucks hit against how sure their players were.

        Args:
            ax: Axes to draw on.
            least: Bins with fewer plucks than this are left out; 30 if None, or where nowhere
                are so many, 1.
        """
        table = self._result.calibration
        if least is None:
            least = 30 if len(table) and int(table["n"].max()) >= 30 else 1
        return plucks.calibration(table, ax, least=least)

    def powers(self, ax: Axes | None = None) -> Axes:
        """Draw how often each power starts, by what starts it; see `analysis.plots.powers`."""
        return players.powers(self._summary, ax)

    def birds(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the swing of each bird, or of each power; see `analysis.plots.birds`."""
        names = {bird.id: bird.name for bird in self._result.study.deck.birds}
        return players.birds(self._summary, ax, **({"names": names} | options))

    @property
    def _summary(self) -> dict[str, Any]:
        return self._result.summary()


@dataclass(frozen=True, repr=False)
class TournamentPlots(Plots):
    """The plots of a tournament; without axes each makes a figure of its own."""

    _result: TournamentResult

    def strength(self, ax: Axes | None = None) -> Axes:
        """Draw the win share of every player; see `analysis.plots.strength`."""
        return tournaments.strength(self._result.ranking, ax)

    def matrix(self, ax: Axes | None = None, *, what: str = "difference") -> Axes:
        """Draw how every player does where another sits; see `analysis.plots.strength_matrix`."""
        return tournaments.strength_matrix(self._result.matrix, ax, what=what)

    def seats(self, ax: Axes | None = None) -> Axes:
        """Draw what each seat is worth, as all sit there alike; see `analysis.plots.seats`."""
        return players.seats(self._result.seats, ax)


@dataclass(frozen=True, repr=False)
class SweepPlots(Plots):
    """The plots of a sweep; without axes each makes a figure of its own."""

    _result: SweepResult

    def metric(self, metric: str = "win_share", ax: Axes | None = None, **options: Any) -> Axes:
        """Draw a metric over one axis; options as of `analysis.plots.sweep`."""
        self._check(metric, options, axes=1)
        return sweeps.sweep(self._result.metrics, metric, ax, **self._seat(metric, options))

    def map(self, metric: str = "win_share", ax: Axes | None = None, **options: Any) -> Axes:
        """Draw a metric over two axes; options as of `analysis.plots.sweep_map`."""
        self._check(metric, options, axes=2)
        return sweeps.sweep_map(self._result.metrics, metric, ax, **self._seat(metric, options))

    def ends(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw how rounds end; options as of `analysis.plots.ends`."""
        return rounds.ends(self._result.metrics, ax, **options)

    def recycling(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw how often the second recycling ends a round; see `analysis.plots.recycling`."""
        return rounds.recycling(self._result.metrics, ax, **options)

    def calibration(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw hits against confidence; options as of `analysis.plots.calibration`."""
        return plucks.calibration(self._result.calibration, ax, **options)

    def _check(self, metric: str, options: Mapping[str, Any], axes: int) -> None:
        """Check that a sweep has the metric, and the axes that a plot is to be over.

        Raises:
            InputError: It has not.
        """
        names = list(dict.fromkeys(self._result.metrics["metric"]))
        if metric not in names:
            raise unknown_name("metric", metric, names).inside("metric")
        keys = [axis.key for axis in self._result.sweep.axes]
        if len(keys) < axes:
            expected = f"a sweep over at least {axes} axes, or plot.metric"
            raise InputError("two axes are needed", expected=expected, got=keys)
        for option in ("x", "y", "by"):
            given, known = options.get(option), [*keys, *(["seat"] if option == "by" else [])]
            if given is not None and given not in known:
                raise unknown_name("axis", given, known).inside(option)

    def _seat(self, metric: str, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options, with the seat in focus where none is named and one is needed."""
        rows = self._result.metrics
        of_seats = rows[rows["metric"] == metric]["seat"].notna().any()
        if "seat" in options or options.get("by") == "seat" or not of_seats:
            return options
        return options | {"seat": next(iter(self._result.sweep.focus), 0)}
