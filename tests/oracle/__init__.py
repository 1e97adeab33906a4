"""The oracle: a slow engine in plain Python, written from the rulebook alone.

It plays nothing and decides nothing. It reads the event log of a round or of a game
(`contracts.md`, section 3), replays every event on a state of its own and raises an
`AuditError` on the first deviation from the rules. Nothing in here imports the engine
that it judges.

    from tests.oracle import FIVE_PER_VALUE, audit_round

    result = audit_round(events, FIVE_PER_VALUE)
    result.scores, result.winners, result.knows
"""

from .auditor import Auditor, RoundAudit, SeatCounts, audit_round
from .decks import FIVE_PER_POWER, FIVE_PER_VALUE, POWERS, Bird, Deck
from .game import GameAudit, audit_game
from .log import AuditError
from .options import Options

__all__ = [
    "FIVE_PER_POWER",
    "FIVE_PER_VALUE",
    "POWERS",
    "AuditError",
    "Auditor",
    "Bird",
    "Deck",
    "GameAudit",
    "Options",
    "RoundAudit",
    "SeatCounts",
    "audit_game",
    "audit_round",
]
