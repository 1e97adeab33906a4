"""Whole numbers that kernels know things by, each declared once with its name and its words.

An `IntEnum` is a plain number to the compiler.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum, auto
from typing import Any

from sim.game.deck import POWERS
from sim.game.players import KINDS, parameters_of_all
from sim.game.rules import Rules


class Code(IntEnum):
    """Numbers from 0 on, in the order in which they stand, each with a text."""

    words: str

    def __new__(cls, words: Any) -> Code:
        """A member from its text."""
        member = int.__new__(cls, len(cls.__members__))
        member._value_ = len(cls.__members__)
        member.words = words
        return member


class Ask(Code):
    """Questions, with what `State.answer` then holds."""

    SOURCE = "draw or take"  # [slot to take into, or NONE to draw]
    DRAWN = "keep, discard or pluck"  # [slot to keep into, DISCARD, or PLUCK with a claim in 1-3]
    CLAIM = "pluck"  # [_, number of targets or 0 for no claim, place, place]
    GIFT = "gift"  # [own slot]
    USE = "use or pass"  # [1 to use the power, 0 to decline it]
    LOOK = "look"  # [place]
    SHOW = "show"  # [place]
    SWAP = "swap"  # [place, place]
    MACAW = "macaw"  # [place, place, swap (scripted only)]
    MACAW_SWAP = "macaw"  # [1 to swap, 0 not to]
    TOCO = "toco"  # [seat]
    SHOEBILL = "shoebill"  # [own: which card or NONE, slot, rival: which card or NONE, place]
    BAO = "bao"  # [1 to call, 0 not to]


QUESTIONS = tuple(ask.words for ask in Ask)

DISCARD = -1
PLUCK = -2


class Do(Code):
    """Moves of a script, with what `a` to `d` of it hold."""

    DRAW = "draw"
    TAKE = "take"  # a: slot
    KEEP = "keep"  # a: slot
    DISCARD = "discard"
    PLUCK = "pluck"  # a, b: places
    LOOK = "look"  # a: place
    SHOW = "show"  # a: place
    SWAP = "swap"  # a, b: places
    MACAW = "macaw"  # a, b: places; c: whether to swap
    TOCO = "toco"  # a: seat
    SHOEBILL = "shoebill"  # a, b: which card, slot; c, d: which card, place
    BAO = "bao"
    PASS = "pass"


MOVES = tuple(do.words for do in Do)


def _numbered(name: str, words: Sequence[str]) -> Any:
    return namedtuple(name, words)(*range(len(words)))


#: Powers, numbered as in `sim.game.deck`; NONE is no power.
Power = _numbered("Power", [power.upper() for power in POWERS])


def _choices(name: str, specs: Iterable[Mapping[str, Any]]) -> Any:
    choices = {spec["name"]: spec["choices"] for spec in specs if spec["type"] == "choice"}
    return namedtuple(name, choices)(*(_numbered(key, choices[key]) for key in choices))


#: Numbers of the choices of rule options, by name: `OPTION.plucks.own_only`.
OPTION = _choices("Option", Rules.options())

#: Numbers of the choices of players' parameters, by name: `CHOICE.gift.highest`.
CHOICE = _choices("Choice", parameters_of_all().values())

#: Kinds of players; those of a scenario do what stands in its script.
KIND = _numbered("Kind", [*KINDS, "scripted"])


def number_of(spec: Mapping[str, Any], value: Any) -> Any:
    """The number that kernels know the value of an option or parameter by.

    That of a choice is its place; "counted" is NaN.
    """
    if value == "counted":
        return math.nan
    return spec["choices"].index(value) if isinstance(value, str) else value


class Fault(IntEnum):
    """Why the engine stopped asking; only scripts and broken policies cause one."""

    NONE, ILLEGAL, UNASKED, MISSING, REFUSED, ACCEPTED = range(6)


class Stage(IntEnum):
    """Stages of a unit (a round, or a whole game) in `play.advance`."""

    DEAL, TURN, DONE = range(3)


class Broken(IntEnum):
    """Rules that can forbid a move: a bit for each in a verdict. 0 is legal."""

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[Any]) -> int:
        return 1 << count

    TURN_1 = auto()
    TURN_3 = auto()
    TURN_6 = auto()
    SLOT_2 = auto()
    PLUCK_1 = auto()
    PLUCK_2 = auto()
    PLUCK_3 = auto()
    PLUCK_5 = auto()
    PLUCK_8 = auto()
    PLUCK_9 = auto()
    PLUCK_11 = auto()
    DOUBLE_1 = auto()
    DOUBLE_5 = auto()
    POW_5 = auto()
    POW_LOCK = auto()
    POW_LOOK = auto()
    POW_SHOW = auto()
    POW_SWAP = auto()
    POW_MACAW = auto()
    POW_TOCO = auto()
    POW_SHOEBILL = auto()
    SHIELD_3 = auto()
    BAO_1 = auto()
    FINAL_2 = auto()
    ZERO_1 = auto()


#: Their ids in the rulebook, by bit.
REFUSALS = tuple(rule.name.replace("_", "-") for rule in Broken)


class Note(Code):
    """Events of the log, with what the words of their payload are called.

    Those with an empty text are written and read by functions of their own.
    """

    DEAL = ""
    TURN = "turn player"
    DRAW = "player card"
    TAKE = "player card"
    REPLACE = "player slot card out"
    DISCARD = "player card"
    PLUCK = ""
    PENALTY = "player slot card"
    POWER = "player card trigger"
    LOOK = "player target card"
    SHOW = "player target card"
    SWAP = ""
    ADD = "player to slot card"
    SHOEBILL = ""
    PLACE = "player card target out"
    UNDER = "player card"
    NO_EFFECT = "player card"
    RECYCLE = ""
    FINAL_PHASE = "player"
    BAO = "player"
    SHIELD = "player"
    END = ""
    GAME_END = ""
    WHY = ""


class Record(IntEnum):
    """Columns of the records, one row for each finished round and seat; powers used follow."""

    INDEX = 0
    ROUND = auto()
    SEAT = auto()
    SCORE = auto()
    TOTAL = auto()
    CARDS_LEFT = auto()
    WINNER = auto()
    END = auto()
    TURNS = auto()
    RECYCLINGS = auto()
    FIRST = auto()
    BAO = auto()
    OWN_HIT = auto()
    RIVAL_HIT = auto()
    DOUBLE_HIT = auto()
    MISSED = auto()


RECORD_COLUMNS = (*(column.name.lower() for column in Record), *POWERS)
