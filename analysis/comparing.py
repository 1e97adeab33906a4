"""Two studies on the same deals: how every number differs, how surely, and that in words.

Works on exact sums over blocks (see `sim.batch.pairs`), handed over as whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from analysis import stats

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 1 - stats.CONFIDENCE
"""A difference is sure where its p, corrected by Holm, is below."""

FEW = 10
"""Blocks that differ, below which a sample has hardly anything to go by."""

Row = dict[str, Any]

_FORMULAS = {2: stats.ratio_estimate, 3: stats.spread_estimate}


# --- numbers --------------------------------------------------------------------------------------


def difference_row(
    of: Mapping[str, Any],
    blocks: int,
    sums: Sequence[int],
    products: Sequence[Sequence[int]],
    differing: int,
    same: bool = False,
) -> Row:
    """Return one row of differences; p is not corrected yet, see `corrected`.

    Args:
        of: ``metric``, ``seat``, ``player``, ``unit``.
        blocks: How many there are.
        sums: Over blocks, of what the first study's number is made of, then of the second's: two
            for a ratio, three for a standard deviation each.
        products: Sums of the products of every two of them.
        differing: Blocks in which any of them differs.
        same: Whether the studies are the same, so that nothing can differ.

    Returns:
        The row. A standard deviation has neither interval nor p where fewer than `FEW` blocks
        differ: it hangs on values that are far off, of which so few tell nothing.
    """
    formula, share = _FORMULAS[len(sums) // 2], of["unit"] == "share"
    found = stats.paired_difference(
        blocks, sums, products, formula, differing, share=share, same=same
    )
    if formula is stats.spread_estimate and differing < FEW and not same:
        found = replace(found, interval=stats.NOTHING, p=None, error=None)
    return _row(of, found, blocks, differing)


def median_row(
    of: Mapping[str, Any], sections: Sequence[Any], blocks: int, differing: int, same: bool = False
) -> Row:
    """Return the row of a median's difference, which has an interval and no p.

    Args:
        of: As of `difference_row`.
        sections: For both studies the groups of `grouped_quantile_interval`.
        blocks: How many there are.
        differing: Rounds (games) that differ in anything.
        same: As of `difference_row`.
    """
    groups = [[group for group in side.tolist() if any(group)] for side in sections]
    pairs = ([(k, int(n)) for k, n in enumerate(side.sum(axis=0)) if n] for side in sections)
    both = medians(*pairs)
    ends = (stats.grouped_quantile_interval(side, confidence=stats.HALVED) for side in groups)
    interval = (0.0, 0.0) if same else stats.quantile_difference(*ends)
    return _row(of, stats.Difference(**both, interval=interval), blocks, differing)


def _row(of: Mapping[str, Any], found: stats.Difference, blocks: int, differing: int) -> Row:
    return {
        **of,
        "a": found.a,
        "b": found.b,
        "difference": found.difference,
        "ci95": list(found.interval),
        "p": found.p,
        "p_holm": None,
        "variance_ratio": found.variance_ratio,
        "error": found.error,
        "n": blocks,
        "n_differ": differing,
    }


def between(parts: Sequence[int]) -> Row:
    """Return the numbers of a row of differences that need no more than the sums of both sides.

    Args:
        parts: The sums of `difference_row`.

    Returns:
        ``a``, ``b`` and ``difference``.
    """
    found = stats.paired_difference(1, parts, (), _FORMULAS[len(parts) // 2])
    return {"a": found.a, "b": found.b, "difference": found.difference}


def medians(*histograms: Sequence[Sequence[int]]) -> Row:
    """Return the same of a median's row, out of pairs of value and count of both sides."""
    a, b = (stats.median([(value, n) for value, n in pairs]) for pairs in histograms)
    return {"a": a, "b": b, "difference": None if a is None or b is None else float(b - a)}


def corrected(rows: Sequence[Row]) -> list[Row]:
    """Return rows of differences with what depends on how many there are.

    Instead of ``error`` they have ``p_holm`` and ``smallest_detectable``: the true difference that
    is called sure in four of five such samples. It is None where nothing varies, and where so few
    blocks differ that no p could be small enough.
    """
    values = stats.holm([row["p"] for row in rows])
    tests = sum(p is not None for p in values)
    made = []
    for row, p in zip(rows, values, strict=True):
        given = {key: value for key, value in row.items() if key not in ("error", "n", "n_differ")}
        given |= {"p_holm": p, "smallest_detectable": _least(row, tests)}
        made.append(given | {"n": row["n"], "n_differ": row["n_differ"]})
    return made


def _least(row: Row, tests: int) -> float | None:
    if not row["error"] or stats.smallest_p(row["n_differ"]) * tests >= ALPHA:
        return None
    return stats.smallest_detectable(row["error"], tests)


def differing_share(differing: int, blocks: int, rounds: int) -> Row:
    """Return how many rounds (games) differ in anything.

    Blocks are what is independent; a block's share is between 0 and 1, as Wilson's interval asks.

    Args:
        differing: Rounds that do.
        blocks: How many there are.
        rounds: Of each side.
    """
    return {
        "count": differing,
        "share": differing / rounds,
        "ci95": list(stats.wilson(differing, blocks, rounds // blocks)),
    }


def differences_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows of differences as a tidy table, the interval as ``low`` and ``high``."""
    import pandas as pd

    ends = (dict(zip(("low", "high"), row["ci95"], strict=True)) for row in rows)
    flat = [row | both | {"sure": is_sure(row)} for row, both in zip(rows, ends, strict=True)]
    numbers = ("a", "b", "difference", "low", "high", "p", "p_holm", "variance_ratio")
    types = dict.fromkeys((*numbers, "smallest_detectable"), "float64")
    types |= {"seat": "Int64", "metric": "str", "unit": "str"}
    frame = pd.DataFrame(flat).drop(columns="ci95").astype(types)
    first = ["metric", "seat", "player", "unit", "a", "b", "difference", "low", "high", "sure"]
    return frame[first + [name for name in frame.columns if name not in first]]


def is_sure(row: Mapping[str, Any]) -> bool:
    """Whether a difference stands although so many were looked at."""
    return row["p_holm"] is not None and row["p_holm"] < ALPHA


def is_tested(row: Mapping[str, Any]) -> bool:
    """Whether a difference is among those that are corrected for their number: it has a p."""
    return row["p_holm"] is not None


def moves_untested(row: Mapping[str, Any]) -> bool:
    """Whether a difference of which no test is made, a median's, has an interval without 0."""
    low, high = row["ci95"]
    return not is_tested(row) and low is not None and (low > 0 or high < 0)
