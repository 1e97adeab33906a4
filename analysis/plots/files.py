"""All plots of a result, as files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from analysis.plots.drawing import COLOURS, picture, short
from analysis.plots.plucks import calibration, calibration_difference, least_shown
from analysis.plots.rounds import ends
from analysis.plots.sweeps import (
    draw_sweep,
    has_ends,
    longer_and_shorter,
    over_one_axis,
    rows_of,
    sweep,
    sweep_axes,
    sweep_map,
)
from analysis.plots.tournaments import strength, strength_matrix
from sim.errors import left_out
from sim.metrics import SWEPT

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Drawing = tuple[Callable[["Figure"], object], float, float]
"""A picture to be made: what draws on its figure, width and height in inches."""


def tournament_pictures(tables: Mapping[str, pd.DataFrame]) -> dict[str, bytes]:
    """Return the plots of a tournament by file name.

    Args:
        tables: ``ranking`` and ``matrix``.
    """
    if not tables["ranking"]["win_share"].notna().any():  # no round has a winner
        return {}
    players = len(tables["ranking"])
    names = 0.075 * max(len(short(name)) for name in tables["ranking"]["player"])
    draw = single(partial(strength, tables["ranking"]))
    made: dict[str, Drawing] = {"strength": (draw, 5.8 + names, 1.4 + 0.3 * players)}
    if players <= 40:
        width, height = 0.8 + names + max(0.55 * players, 5.0), 1.4 + 0.7 * names + 0.46 * players
        draw = single(partial(strength_matrix, tables["matrix"]))
        made["strength_matrix"] = (draw, width, height)
    return picture_files(made)


def sweep_pictures(tables: Mapping[str, pd.DataFrame], focus: Sequence[int]) -> dict[str, bytes]:
    """Return the plots of a sweep by file name.

    Over one axis each metric is a line for each seat in focus, or for each seat; over two it is a
    line for each value of the shorter axis, and a map. More axes are drawn one by one, as means
    over the others; samples as dots.

    Args:
        tables: ``metrics`` and ``calibration``.
        focus: Seats whose win share is looked for.
    """
    metrics = tables["metrics"]
    axes = sweep_axes(metrics)
    made: dict[str, Drawing] = {}
    for name, metric in SWEPT.items():
        drawn = metric.swept.drawn if metric.swept else ""
        if drawn in (("line", "map") if focus else ("line", "map", "table")):
            made |= _metric_pictures(metrics, name, axes, focus, mapped=drawn == "map")
    if has_ends(metrics):
        made["ends"] = (single(partial(ends, metrics)), 6.4, 4.0)
    return picture_files(made | _calibration_pictures(tables["calibration"], axes))


def _metric_pictures(
    metrics: pd.DataFrame, name: str, axes: Sequence[str], focus: Sequence[int], *, mapped: bool
) -> dict[str, Drawing]:
    if len(axes) == 1:
        draw = over_one_axis(metrics, name, focus)
        return {} if draw is None else {name: (single(draw), 6.4, 4.0)}
    seats: Sequence[int | None] = focus if SWEPT[name].per_seat else [None]
    lengths = {axis: metrics[axis].nunique() for axis in axes}
    x, by = longer_and_shorter(metrics, axes)
    made: dict[str, Drawing] = {}
    for seat in seats:
        if rows_of(metrics, name, seat).empty:
            continue
        stem = name if len(seats) == 1 else f"{name}_{seat}"
        if len(axes) > 2 or metrics["point"].nunique() != math.prod(lengths.values()):
            made[stem] = _many_axes(metrics, name, axes, seat)
            continue
        if lengths[by] <= len(COLOURS):
            draw = partial(sweep, metrics, name, x=x, by=by, seat=seat)
            made[stem] = (single(draw), 6.4, 4.2)
        if mapped and max(lengths.values()) <= 30:
            draw = partial(sweep_map, metrics, name, x=x, y=by, seat=seat)
            width = max(2.0 + 0.58 * lengths[x], 5.6)
            made[f"{stem}_map"] = (single(draw), width, 1.8 + 0.48 * lengths[by])
    return made


def _many_axes(metrics: pd.DataFrame, name: str, axes: Sequence[str], seat: int | None) -> Drawing:
    """Return a metric over each of many axes side by side, under one title."""

    def draw(figure: Figure) -> None:
        wide = min(len(axes), _PANELS)
        rows = -(-len(axes) // wide)
        panels = figure.subplots(rows, wide, sharey=True, squeeze=False).flatten()
        notes = []
        for axis, ax in zip(axes, panels, strict=False):
            told = draw_sweep(metrics, name, ax, axis, seat=seat, dots=True)
            notes.append("\n".join(told))
            ax.set_ylabel(ax.get_ylabel() if len(notes) % wide == 1 else "")
        for ax in panels[len(axes) :]:
            ax.remove()
        note = max(notes, key=len)
        if len(notes[0]) == len(note) and len(set(notes)) == 1 and "Mean" not in note:
            note = note.replace("\n", ": a dot is one point, the other axes vary too\n", 1)
        elif len(set(notes)) > 1:
            note = note.replace("Mean over", "Where values repeat, the mean over", 1)
        figure.suptitle(note, x=0.01, ha="left", fontsize=10.0)

    rows = -(-len(axes) // _PANELS)
    return draw, 1.5 + 3.0 * min(len(axes), _PANELS), 0.6 + 3.4 * rows


_PANELS = 4
"""Panels side by side, at most."""


def _calibration_pictures(table: pd.DataFrame, axes: Sequence[str]) -> dict[str, Drawing]:
    """Return the plot of calibration, if the sweep has few enough series for one."""
    few = len(axes) == 1 and not table.empty and table[axes[0]].nunique() <= len(COLOURS)
    least = least_shown(table) if few else None
    if least is None:
        return {}

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        calibration(table, left, by=axes[0], least=min(least, 100))
        calibration_difference(table, right, by=axes[0], least=least)

    return {"calibration": (draw, 10.4, 5.0)}


def single(draw: Callable[[Axes], object]) -> Callable[[Figure], object]:
    """Return what draws a plot that has a figure for itself."""
    return lambda figure: draw(figure.add_subplot())


def picture_files(drawings: Mapping[str, Drawing]) -> dict[str, bytes]:
    """Return pictures by file name, as SVG and PNG; one that fails is left out, with a warning."""
    made: dict[str, bytes] = {}
    for name, drawing in drawings.items():
        with left_out(f"picture {name}"):
            made |= {f"{name}.{form}": content for form, content in picture(*drawing).items()}
    return made
