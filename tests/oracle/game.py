"""The auditor of a whole game: rounds, sums, deciding rounds (rulebook section 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from .auditor import Auditor, RoundAudit
from .decks import Deck, check_deck
from .log import AuditError, Event, EventLog, is_whole
from .options import Options
from .scoring import BY_CAP

BY_THRESHOLD, BY_MAX_ROUNDS, BY_TIE_CAP = "threshold", "max_rounds", "tie_break_cap"


@dataclass(frozen=True)
class GameAudit:
    """A game that has passed. `deciding` holds its deciding rounds, seats renumbered."""

    rounds: list[RoundAudit]
    deciding: list[RoundAudit]
    sums: list[int]
    winner: int | None
    reason: str


def audit_game(events: Sequence[Mapping[str, Any]], deck: Deck) -> GameAudit:
    """Audit the log of one game, from the first `deal` to `game_end`.

    Args:
        events: all events of the game; the index of an error counts through them all.
        deck: bird id -> `Bird`; any deck.

    Returns:
        The audited rounds and the outcome.

    Raises:
        AuditError: on the first deviation.
        ValueError: where `deck` is no deck.
    """
    check_deck(deck)
    return _Game(events, deck).run()


class _Game:
    """The state of one game between its rounds."""

    def __init__(self, events: Sequence[Mapping[str, Any]], deck: Deck):
        self._events = events
        self._deck = deck
        self._position = 0
        self._opening: Mapping[str, Any] = {}
        self._options: Options
        self._rounds: list[RoundAudit] = []
        self._deciding: list[RoundAudit] = []
        self._sums: list[int] = []

    def run(self) -> GameAudit:
        """GAME-1: rounds until the threshold; GAME-4: deciding rounds; SIM-3: the caps.

        Read literally, a game that reaches the threshold in its last allowed round ends by
        the threshold, as a round that ends by itself in its last allowed turn does (SIM-1).
        """
        reason = None
        while reason is None:
            self._main_round()
            reason = self._over()
        winner = None
        if reason == BY_THRESHOLD:
            reason, winner = self._decide()
        return self._game_end(reason, winner)

    def _over(self) -> str | None:
        if max(self._sums) >= self._options.game_threshold:
            return BY_THRESHOLD
        return BY_MAX_ROUNDS if len(self._rounds) >= self._options.max_rounds else None

    # Rounds

    def _main_round(self) -> None:
        auditor = self._open(deciding=False)
        if self._rounds:
            self._check_first(auditor)
        else:
            self._begin(auditor)
        self._check_round_number(auditor, [len(self._rounds)])
        result = auditor.run()
        self._position = auditor.log.position
        self._rounds.append(result)
        self._sums = [old + new for old, new in zip(self._sums, result.scores, strict=True)]

    def _decide(self) -> tuple[str, int | None]:
        """GAME-4: the lowest sum, and among equals the lowest score of a deciding round.

        SIM-1: a capped deciding round is played again. SIM-3: they have a limit of their own.
        """
        lowest = min(self._sums)
        equals = [seat for seat, points in enumerate(self._sums) if points == lowest]
        while len(equals) > 1:
            if len(self._deciding) >= self._options.max_rounds:
                return BY_TIE_CAP, None
            result = self._deciding_round(equals)
            if result.reason != BY_CAP:
                equals = [equals[seat] for seat in result.winners]
        return BY_THRESHOLD, equals[0]

    def _deciding_round(self, equals: list[int]) -> RoundAudit:
        """The equals alone, renumbered in seat order; any of them may begin (GAME-4).

        The size of the hands comes from `hand_size` for so many players, as in any round.
        The contract does not say how deciding rounds are numbered: counting on from the
        rounds of the game and counting from 0 both pass.
        """
        auditor = self._open(deciding=True)
        deal = auditor.deal
        if list(deal.items("seats")) != equals:
            deal.fail("GAME-4", f"seats = {deal.get('seats')!r}, should be {equals}")
        own = len(self._deciding)
        self._check_round_number(auditor, [len(self._rounds) + own, own])
        result = auditor.run()
        self._position = auditor.log.position
        self._deciding.append(result)
        return result

    def _open(self, deciding: bool) -> Auditor:
        """Read the next `deal`, which must be of the kind that is due."""
        if self._peek() != "deal":
            kind = "deciding round" if deciding else "round"
            self._fail("GAME-4" if deciding else "GAME-1", f"a further {kind} is due")
        found = self._events[self._position].get("deciding", False)
        if found is not deciding:
            self._fail("GAME-4", f"deciding = {found!r}, should be {deciding}")
        auditor = Auditor(self._events, self._deck, self._position)
        if self._opening:
            self._check_same_game(auditor.deal, deciding)
        return auditor

    def _begin(self, auditor: Auditor) -> None:
        """SET-4: any first player; this `deal` fixes what holds for the whole game."""
        auditor.deal.whole("game")
        self._opening = auditor.deal.data
        self._options = auditor.state.options
        self._sums = [0] * auditor.state.players

    def _check_same_game(self, deal: Event, deciding: bool) -> None:
        same = ["game", "edition", "deck", "rules"]
        for key in same if deciding else [*same, "players"]:
            if deal.get(key) != self._opening[key]:
                deal.fail("GAME-1", f"{key} differs from the first round's")

    def _check_first(self, auditor: Auditor) -> None:
        """SET-4, GAME-3: who begins a later round, by the scores of the round before."""
        before = self._rounds[-1]
        players, option = before.players, self._options.first_player
        if option == "random":
            return
        if option == "rotate":
            right = (before.first + 1) % players
        else:
            in_order = [(before.first + step) % players for step in range(players)]
            right = max(in_order, key=lambda seat: before.scores[seat])
        auditor.deal.must_be("first", right, "SET-4")

    @staticmethod
    def _check_round_number(auditor: Auditor, legal: list[int]) -> None:
        number = auditor.deal.whole("round")
        if number not in legal:
            auditor.deal.fail("LOG", f"round = {number}, should be {legal[0]}")

    # The end

    def _game_end(self, reason: str, winner: int | None) -> GameAudit:
        """GAME-1 to GAME-4: `sums` and `rounds` leave deciding rounds out."""
        log = EventLog(self._events, self._deck, self._position)
        event = log.take("game_end", "SIM-3" if reason != BY_THRESHOLD else "GAME-1")
        event.must_be("reason", reason, "SIM-3" if reason != BY_THRESHOLD else "GAME-1")
        sums = list(event.items("sums"))
        if sums != self._sums or not all(is_whole(points) for points in sums):
            event.fail("GAME-3", f"sums = {sums!r}, should be {self._sums}")
        event.must_be("rounds", len(self._rounds), "GAME-1")
        event.must_be("deciding_rounds", len(self._deciding), "GAME-4")
        event.must_be("winner", winner, "GAME-4")
        self._position = log.position
        if self._peek() is not None:
            self._fail("GAME-1", "the game has ended already")
        return GameAudit(self._rounds, self._deciding, self._sums, winner, reason)

    def _peek(self) -> str | None:
        return EventLog(self._events, self._deck, self._position).peek()

    def _fail(self, rule: str, message: str) -> NoReturn:
        inside = self._position < len(self._events)
        event = self._events[self._position] if inside else None
        raise AuditError(self._position, event, rule, message)
