"""Totals, scores and winners (rulebook section 10)."""

from __future__ import annotations

from dataclasses import dataclass

from .options import Options
from .state import RoundState

BY_BAO, BY_RECYCLING, BY_CAP = "bao", "second_recycling", "turn_cap"


@dataclass(frozen=True)
class Result:
    """What the end of a round must say."""

    totals: list[int]
    scores: list[int]
    winners: list[int]
    bao_outcome: str | None  # of a call that counted: won, tied or beaten


def score(state: RoundState, reason: str) -> Result:
    """SCORE-1 to SCORE-4; SIM-1: a capped round scores plain totals and has no winner."""
    totals = [sum(card.kind.value for card in area if card is not None) for area in state.areas]
    scores, outcome = list(totals), None
    if reason == BY_BAO:
        declarer = state.declarer
        assert declarer is not None
        others = [total for seat, total in enumerate(totals) if seat != declarer]
        outcome = bao_outcome(totals[declarer], min(others))
        scores[declarer] = declarer_score(totals[declarer], outcome == "won", state.options)
    lowest = min(scores)
    winners = [seat for seat, points in enumerate(scores) if points == lowest]
    return Result(totals, scores, [] if reason == BY_CAP else winners, outcome)


def bao_outcome(total: int, lowest_other: int) -> str:
    """SCORE-3, SCORE-4: strictly below every other's wins, an equal one ties."""
    if total < lowest_other:
        return "won"
    return "tied" if total == lowest_other else "beaten"


def declarer_score(total: int, success: bool, options: Options) -> int:
    """SCORE-3: 0 or a negative total (by option any total); SCORE-4: doubled, at least 5."""
    if not success:
        return max(options.bao_failure_factor * total, options.bao_failure_minimum)
    return total if options.bao_success == "total" else min(total, 0)
