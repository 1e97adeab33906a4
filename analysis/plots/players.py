"""Plots of who wins, from where, with which scores, and what birds and powers do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, Any

from analysis.plots import drawing as draw
from analysis.plots.accessors import RunPlots, TournamentPlots
from analysis.plots.summaries import (
    Summary,
    in_percent,
    intervals_of,
    note_of,
    part,
    rounds_of,
    seat_names,
)
from analysis.stats import CONFIDENCE, NOTHING, Interval, mean_interval, ratio_interval, z_score
from analysis.sweeping import decided_in
from analysis.text.numbers import of_hundred
from analysis.words import ORDINALS
from sim.errors import unknown_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from analysis.results.run import Result


# --- wins -----------------------------------------------------------------------------------------


@RunPlots.plot("the win share of every seat")
def win_shares(summary: Summary, ax: Axes | None = None) -> Axes:
    """Draw the win share of every seat; a dashed line stands where all would be equal.

    Args:
        summary: Of a run.
        ax: Axes to draw on.
    """
    ax = draw.axes_or_new(ax)
    players = summary["players"]
    draw.bars(
        ax,
        seat_names(summary),
        [100 * (player["win_share"] or 0) for player in players],
        [in_percent(player["win_share_ci95"]) for player in players],
        told=of_hundred,
    )
    ax.axvline(100 / len(players), color="0.35", linewidth=1, linestyle="--")
    ax.set_xlabel(draw.label("win_share"))
    units = "rounds" if summary["games"] is None else "games"
    note = draw.counts([decided_in(summary)], f"{units} with a winner")
    note += "; bars: 95 % intervals; dashed: an equal share"
    return draw.fit_names(draw.headed(ax, "Win shares", note))


@RunPlots.plot("what the place in the turn order is worth")
@TournamentPlots.plot(
    "what each seat is worth, as all sit there alike", lambda result: result.seats
)
def seats(data: Summary | pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what it is worth to sit somewhere, as win shares.

    Args:
        data: A run's summary: by place in the turn order, whoever sits there; of a round's wins,
            with games too. Or the table ``seats`` of a tournament: by seat.
        ax: Axes to draw on.
    """
    ax = draw.axes_or_new(ax)
    if isinstance(data, Mapping):
        rows = part(data, "positions", "seats")
        names = [draw.label(ORDINALS[row["position"]]) for row in rows]
        intervals = [in_percent(row["win_share_ci95"]) for row in rows]
        told, ns = draw.label("place"), [row["rounds"] for row in rows]
    else:
        rows = data.to_dict("records")
        names = [str(row["seat"]) for row in rows]
        intervals = [(100 * row["win_share_low"], 100 * row["win_share_high"]) for row in rows]
        told, ns = draw.label("seat"), list(data["rounds"])
    values = [math.nan if row["win_share"] is None else 100 * row["win_share"] for row in rows]
    style: Any = {"fmt": "o", "color": draw.COLOURS[0], "capsize": 4}
    draw.intervals(ax, range(len(rows)), values, intervals, **style)
    ax.axhline(100 / len(rows), color="0.35", linewidth=1, linestyle="--")
    ax.set_xticks(range(len(rows)), names)
    ax.set_xlim(-0.5, len(rows) - 0.5)
    draw.level(ax, share=True)
    ax.set_xlabel(told)
    ax.set_ylabel(draw.label("win_share_of_rounds"))
    ax.grid(axis="y", alpha=0.3)
    note = draw.counts(ns, "rounds")
    note += " with a winner" if isinstance(data, Mapping) else " each"
    known = any(low is not None for low, _ in intervals)
    note += "; 95 % intervals" if known else "; no intervals with games"
    return draw.headed(ax, "Seat effects", f"{note}; dashed: an equal share")


# --- scores ---------------------------------------------------------------------------------------

_ROW = 0.82
"""How much of a row the highest bar takes."""


@dataclass(frozen=True)
class SeatScores:
    """The scores of a seat, counted.

    Attributes:
        times: How often it had which score.
        mean: Of them.
        interval: Of the mean, 95 %.
    """

    times: Mapping[int, int]
    mean: float
    interval: Interval


def seat_scores(result: Result) -> dict[int, SeatScores]:
    """Return the scores of each seat of a run, counted, with the mean that the sums say.

    Raises:
        InputError: The run kept no records, or they are not those of its sums.
    """
    from analysis.results.run import interval

    study, sums, found = result.study, result.sums, {}
    for seat, times in enumerate(result.score_counts):
        ends = interval("score_mean", study, sums, seat, CONFIDENCE)
        found[seat] = SeatScores(times, sums["score"][seat] / max(sums["rounds"], 1), ends)
    return found


@RunPlots.plot(
    "how often each seat has which score; it takes a run with ``records=True``",
    seat_scores,
    lambda result: {"names": seat_names(result.summary())},
)
def scores(
    records: pd.DataFrame | Mapping[int, SeatScores],
    ax: Axes | None = None,
    *,
    names: Sequence[str] = (),
) -> Axes:
    """Draw how often each seat has which score: a row of bars for each seat, its mean below.

    Args:
        records: One row for each round and seat, with ``index``, ``seat`` and ``score``; or, by
            seat, its scores counted, which takes no memory for rows.
        ax: Axes to draw on.
        names: Of the seats.
    """
    ax = draw.axes_or_new(ax)
    counted = records if isinstance(records, Mapping) else _counted(records)
    shares = {
        seat: {score: n / sum(each.times.values()) for score, n in sorted(each.times.items())}
        for seat, each in counted.items()
    }
    low, high = min(map(min, shares.values())), max(map(max, shares.values()))
    shown = draw.shown_up_to(high, max(draw.tail(each.times) for each in counted.values()))
    top = _top([sorted(share.values(), reverse=True) for share in shares.values()])
    bases = [row + _ROW / 2 for row in range(len(shares))]
    for base, share in zip(bases, shares.values(), strict=True):
        _draw_scores(ax, {k: each for k, each in share.items() if k <= shown}, base, top)
    means = [each.mean for each in counted.values()]
    ends = [each.interval for each in counted.values()]
    style: Any = {"fmt": "D", "markersize": 4, "color": "black", "capsize": 3}
    draw.intervals(ax, bases, means, ends, lying=True, **style)
    draw.names_beside(ax, names or [f"seat {seat}" for seat in shares])
    ax.set_ylim(len(shares) - 0.42, -0.6)
    ax.set_xlim(low - 1.5, shown + 1.5)
    ax.grid(axis="x", alpha=0.3)
    ax.set_xlabel(draw.label("score_cut", n=high) if shown < high else draw.label("score"))
    rounds = sum(sum(each.times.values()) for each in counted.values())
    note = draw.counts([rounds // len(shares)], "rounds")
    height = f"{100 * top:.2g}" if 100 * top < 10 else f"{100 * top:.0f}"
    note += f"; height of a row: {height} %; diamonds: means with 95 % intervals"
    return draw.fit_names(draw.headed(ax, "Scores of a round", note))


def _counted(records: pd.DataFrame) -> dict[int, SeatScores]:
    return {
        int(seat): SeatScores(rows["score"].value_counts().to_dict(), *_mean_of(rows))
        for seat, rows in records.groupby("seat")
    }


def _top(shares: Sequence[Sequence[float]]) -> float:
    """Return the share that takes all of a row's height, of those of each row, greatest first.

    It is the greatest one, unless that towers above all others: then it is cut off.
    """
    greatest = max(share[0] for share in shares)
    others = [share[1] for share in shares if share[1:]]
    return min(greatest, 2.0 * max(others)) if others else greatest


def _draw_scores(ax: Axes, share: Mapping[int, float], base: float, top: float) -> None:
    """Draw the bars of a seat upwards from a base; those that are cut off tell their share."""
    heights = [-_ROW * min(each, top) / top for each in share.values()]
    ax.bar(list(share), heights, bottom=base, width=1.0, color=draw.COLOURS[4], linewidth=0)
    ax.axhline(base, color="0.6", linewidth=0.6)
    for score, portion in share.items():
        if portion > top:
            at: Any = (score + 0.5, base - _ROW)
            style: Any = {"textcoords": "offset points", "fontsize": "x-small", "va": "top"}
            ax.annotate(draw.digits(f"{100 * portion:.0f} %"), at, xytext=(2, 0), **style)


def _mean_of(rows: pd.DataFrame) -> tuple[float, Interval]:
    """Return the mean score of a seat with its interval; games are what is independent."""
    games = rows.groupby("index")["score"].agg(["sum", "size"])
    y, m = ([int(value) for value in games[name]] for name in ("sum", "size"))
    if max(m) == 1:
        interval = mean_interval(len(y), sum(y), sum(map(mul, y, y)))
    else:
        sums = (sum(map(mul, a, b)) for a, b in ((y, y), (m, m), (y, m)))
        interval = ratio_interval(len(y), sum(y), sum(m), *sums)
    return sum(y) / sum(m), interval


# --- powers and birds -----------------------------------------------------------------------------

_TRIGGERS = {"discard": 0, "reference": 5, "eliminated": 2}
"""Colour of each."""


@RunPlots.plot("how often each power starts, by what starts it")
def powers(summary: Summary, ax: Axes | None = None) -> Axes:
    """Draw how often each power starts in a round, all seats together, by what starts it.

    Args:
        summary: Of a run.
        ax: Axes to draw on.
    """
    ax = draw.axes_or_new(ax)
    rounds = summary["rounds"]
    started = _triggers(summary)
    order = sorted(started, key=lambda name: -sum(started[name].values()))
    totals = [sum(started[name].values()) for name in order]
    # As if powers came independently of each other, which those of one round almost do.
    halves = [z_score() * math.sqrt(total) for total in totals]
    pairs = zip(totals, halves, strict=True)
    known = [(max(n - half, 0) / rounds, (n + half) / rounds) for n, half in pairs]
    intervals = known if summary["games"] is None else [NOTHING] * len(totals)
    parts = []
    for name, colour in _TRIGGERS.items():
        share = [started[power][name] / rounds for power in order]
        parts.append((draw.label(f"trigger_{name}"), draw.COLOURS[colour], share))
    values = [total / rounds for total in totals]
    names = list(map(_power, order))
    draw.bars(ax, names, values, intervals, parts=parts, told="{:.2f}".format, whole=True)
    ax.set_xlabel(draw.label("powers"))
    draw.headed(ax, "Powers, by what started them", note_of(summary))
    return draw.fit_names(draw.legend_above(ax))


def _power(name: str) -> str:
    return draw.labels().language.shipped("power", name, name)


def _triggers(summary: Summary) -> dict[str, dict[str, int]]:
    """Return by power and trigger how often powers started, all seats together."""
    made: dict[str, dict[str, int]] = {}
    for player in summary["players"]:
        for power, counted in part(player, "power_triggers", "powers").items():
            sums = made.setdefault(power, dict.fromkeys(_TRIGGERS, 0))
            for trigger in _TRIGGERS:
                sums[trigger] += counted[trigger]
    return made


_SWINGS = {
    "dealt": ("birds", "Having been dealt a bird", "cards"),
    "powers": ("power_swing", "Having used a power, whatever the reason", "rounds of a player"),
}


@RunPlots.plot(
    "the swing of each bird, or of each power",
    options=lambda result: {"names": {bird.id: bird.name for bird in result.study.deck.birds}},
)
def birds(
    summary: Summary,
    ax: Axes | None = None,
    *,
    of: str = "dealt",
    names: Mapping[str, str] | None = None,
) -> Axes:
    """Draw the swing of each bird: by how much whoever has it scores more than the others.

    Args:
        summary: Of a run.
        ax: Axes to draw on.
        of: ``dealt``: cards dealt to a player, which is chance, so the bird is the cause;
            ``powers``: rounds in which a player used a power, for which there are many reasons.
        names: Of the birds, by id.

    Raises:
        InputError: There is no such choice, or an older run did not count this.
    """
    if of not in _SWINGS:
        raise unknown_name("choice", of, list(_SWINGS)).inside("of")
    ax = draw.axes_or_new(ax)
    group, title, noun = _SWINGS[of]
    found = part(summary, group, "birds")
    rows = found if of == "powers" else {row["bird"]: row["dealt"] for row in found}
    rows = {name: row for name, row in rows.items() if row["swing"] is not None}
    if not rows:
        nothing = "nobody used a power" if of == "powers" else "no bird was dealt to some only"
        draw.empty(ax, nothing)
        return draw.headed(ax, title, rounds_of(summary))
    shown = list(map(_power, rows)) if of == "powers" else [(names or {}).get(n, n) for n in rows]
    swings, ends = ([row[key] for row in rows.values()] for key in ("swing", "swing_ci95"))
    style: Any = {"fmt": "o", "color": draw.COLOURS[0], "capsize": 3}
    draw.intervals(ax, range(len(rows)), swings, ends, lying=True, **style)
    draw.names_beside(ax, shown, whole=of == "powers")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.axvline(0, color="0.35", linewidth=1)
    ax.grid(axis="x", alpha=0.3)
    ax.set_xlabel(draw.label("swing"))
    n = draw.counts([row["count"] for row in rows.values()], noun)
    note = f"own score less the others' mean\n{n}"
    return draw.fit_names(draw.headed(ax, title, f"{note} each; {intervals_of(summary)}"))
