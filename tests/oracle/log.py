"""Reading the event log: one cursor, typed access to fields, and the one error class.

Deviations from the format of the log itself (a missing field, a wrong type) are reported
with the id `LOG` (`contracts.md`, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

Target = tuple[int, int]


class AuditError(Exception):
    """The first deviation of a log from the rules.

    Attributes:
        index: position in the list of events; its length where an event is missing at the end.
        event: the event as logged, None where the log ends.
        rule: id of the rule broken, or `LOG`.
        message: what is wrong and what would be right.
    """

    def __init__(self, index: int, event: Mapping[str, Any] | None, rule: str, message: str):
        super().__init__(f"event {index} {event}: {rule}: {message}")
        self.index = index
        self.event = event
        self.rule = rule
        self.message = message


def is_whole(value: object) -> bool:
    """True for an int that is no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


class Event:
    """One event with typed access to its fields; every complaint names it."""

    def __init__(self, index: int, data: Mapping[str, Any], players: int, birds: Mapping):
        self.index = index
        self.data = data
        self.kind: str = data["event"]
        self._players = players
        self._birds = birds

    def fail(self, rule: str, message: str) -> NoReturn:
        """Raise the `AuditError` about this event."""
        raise AuditError(self.index, self.data, rule, message)

    def get(self, key: str) -> Any:
        """The field, which must be there."""
        if key not in self.data:
            self.fail("LOG", f"field {key!r} is missing")
        return self.data[key]

    def whole(self, key: str, least: int = 0) -> int:
        """A whole number not below `least`."""
        value = self.get(key)
        if not is_whole(value) or value < least:
            self.fail("LOG", f"{key} = {value!r} is not a whole number from {least}")
        return value

    def flag(self, key: str) -> bool:
        """A true boolean."""
        value = self.get(key)
        if not isinstance(value, bool):
            self.fail("LOG", f"{key} = {value!r} is neither true nor false")
        return value

    def seat(self, key: str = "player") -> int:
        """A seat at this table."""
        return self._seat(key, self.get(key))

    def bird(self, key: str = "card") -> str:
        """A bird of the deck."""
        return self._bird(key, self.get(key))

    def bird_list(self, key: str) -> list[str]:
        """A list of birds of the deck."""
        return [self._bird(key, value) for value in self.items(key)]

    def items(self, key: str) -> Sequence[Any]:
        """A list of anything."""
        value = self.get(key)
        if not isinstance(value, (list, tuple)):
            self.fail("LOG", f"{key} = {value!r} is not a list")
        return value

    def target(self, key: str) -> Target:
        """A target [owner, slot]."""
        return self.as_target(key, self.get(key))

    def target_list(self, key: str) -> list[Target]:
        """A list of targets."""
        return [self.as_target(key, value) for value in self.items(key)]

    def as_target(self, key: str, value: Any) -> Target:
        """Read `value`, part of the field `key`, as a target [owner, slot]."""
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            self.fail("LOG", f"{key}: {value!r} is no target [owner, slot]")
        owner, slot = value
        if not is_whole(slot) or slot < 0:
            self.fail("LOG", f"{key}: {slot!r} is no slot")
        return self._seat(key, owner), slot

    def must_be(self, key: str, right: Any, rule: str) -> None:
        """The field must hold exactly `right`, of the same type."""
        value = self.get(key)
        if value != right or type(value) is not type(right):
            self.fail(rule, f"{key} = {value!r}, should be {right!r}")

    def by(self, seat: int, rule: str) -> None:
        """The event must be of this player."""
        if self.seat() != seat:
            self.fail(rule, f"player {self.seat()}, should be player {seat}")

    def _seat(self, key: str, value: Any) -> int:
        if not is_whole(value) or not 0 <= value < self._players:
            self.fail("LOG", f"{key}: {value!r} is no seat from 0 to {self._players - 1}")
        return value

    def _bird(self, key: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self._birds:
            self.fail("LOG", f"{key}: {value!r} is no bird of the deck")
        return value


#: The rule to name when an event of this kind stands where it may not.
FOREIGN = {
    "deal": "SET-3",
    "turn": "SET-5",
    "draw": "TURN-1",
    "take": "TURN-1",
    "replace": "TURN-2",
    "discard": "TURN-2",
    "pluck": "PLUCK-2",
    "penalty": "PLUCK-7",
    "power": "POW-1",
    "look": "POW-LOOK",
    "show": "POW-SHOW",
    "swap": "POW-SWAP",
    "add": "POW-TOCO",
    "shoebill": "POW-SHOEBILL",
    "place": "POW-SHOEBILL",
    "under": "POW-SHOEBILL",
    "no_effect": "POW-6",
    "recycle": "REC-1",
    "final_phase": "REC-4",
    "bao": "BAO-1",
    "shield": "SHIELD-1",
    "end": "BAO-3",
    "game_end": "GAME-1",
}

#: Kinds that only ever follow by force: out of place, they are the error themselves.
_FORCED = frozenset({"recycle", "final_phase", "shield"})

#: Kinds that are not the consequence of anything: what stands in their place is the error.
_PLAIN = frozenset({"turn", "draw", "discard", "end"})


class EventLog:
    """A cursor over the events."""

    def __init__(self, events: Sequence[Mapping[str, Any]], birds: Mapping, start: int = 0):
        self._events = events
        self._birds = birds
        self.position = start
        self.players = 0

    def peek(self) -> str | None:
        """Kind of the next event, None at the end of the log."""
        if self.position >= len(self._events):
            return None
        data = self._events[self.position]
        kind = data.get("event") if isinstance(data, Mapping) else None
        if not isinstance(kind, str):
            raise AuditError(self.position, data, "LOG", "an event needs its kind under 'event'")
        if kind not in FOREIGN:
            raise AuditError(self.position, data, "LOG", f"there is no event {kind!r}")
        return kind

    def peek_field(self, key: str) -> Any:
        """A field of the next event, None where it has none."""
        return None if self.peek() is None else self._events[self.position].get(key)

    def take(self, kind: str, rule: str) -> Event:
        """Consume the next event, which must be of this kind; `rule` says why."""
        found = self.peek()
        if found != kind:
            self._wrong_kind(found, kind, rule)
        event = Event(self.position, self._events[self.position], self.players, self._birds)
        self.position += 1
        return event

    def _wrong_kind(self, found: str | None, kind: str, rule: str) -> NoReturn:
        if found is None:
            raise AuditError(self.position, None, rule, f"the log ends, {kind!r} should follow")
        intruder = kind in _PLAIN or (found in _FORCED and kind not in _FORCED)
        if intruder and found not in ("turn", "end"):
            rule = FOREIGN[found]
        data = self._events[self.position]
        raise AuditError(self.position, data, rule, f"{found!r} stands where {kind!r} should")
