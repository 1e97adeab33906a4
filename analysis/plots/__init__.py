"""Plots of runs, tournaments and sweeps: numbers in, axes out.

Every function takes a summary or a table as the results give it, and `ax`, the axes to draw on;
without one it makes a figure. It returns the axes and leaves figure size, style and everything
global alone. Each plot says how many rounds it is made of, and shows 95 % intervals. Colours are
those of Okabe and Ito, which people who are colour-blind can tell apart, and lines differ in their
marks too.

`picture` makes a whole figure, in one fixed style, as SVG and PNG: the same bytes for the same
numbers.
"""

from analysis.plots.accessors import ComparisonPlots, RunPlots, SweepPlots, TournamentPlots
from analysis.plots.comparisons import comparison_pictures, differences
from analysis.plots.drawing import BAND, COLOURS, MARKS, picture
from analysis.plots.files import sweep_pictures, tournament_pictures
from analysis.plots.players import birds, powers, scores, seats, win_shares
from analysis.plots.plucks import calibration, calibration_difference
from analysis.plots.rounds import bao, ends, lengths, recycling
from analysis.plots.sweeps import sweep, sweep_axes, sweep_map
from analysis.plots.tournaments import strength, strength_matrix

__all__ = [
    "BAND",
    "COLOURS",
    "MARKS",
    "ComparisonPlots",
    "RunPlots",
    "SweepPlots",
    "TournamentPlots",
    "bao",
    "birds",
    "calibration",
    "calibration_difference",
    "comparison_pictures",
    "differences",
    "ends",
    "lengths",
    "picture",
    "powers",
    "recycling",
    "scores",
    "seats",
    "strength",
    "strength_matrix",
    "sweep",
    "sweep_axes",
    "sweep_map",
    "sweep_pictures",
    "tournament_pictures",
    "win_shares",
]
