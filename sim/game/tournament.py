"""Tournaments: which of many players meet at which table, for how many rounds, with which luck.

A tournament file looks like a study's; its players are entrants, of whom `seats` at a time sit at
one table::

    title = "Everybody against everybody"     # title, question and name may be left out
    players = ["sharp", "balanced", "my.toml", "novice", "random"]
    seats = 4                                  # players at a table, 2 to 6; 4 if left out
    rounds = 1000000                           # in all, at least
    seed = 7                                   # edition, deck and [rules] as in a study

Every combination of entrants makes a table, or where there are too many a balanced part of them. At
each table the same players sit down in every rotation, so that everyone has every seat equally
often, and all of these seatings play equally many rounds. A seating's seed is a digest of the
tournament's seed and of who sits where: no two of them share a deal, all rounds are independent.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

from sim.errors import InputError, unknown_name
from sim.game.base import Shown, digest, needed
from sim.game.files import FromFile, PathLike, locate, refuse_others
from sim.game.players import Player, shipped_players
from sim.game.study import Study, some_players

SEATS = range(2, 7)
"""How many may sit at a table."""

DEFAULT_SEATS = 4
DEFAULT_ROUNDS = 1_000_000

MAX_ENTRANTS = 100

MAX_TABLES = 2000
"""If there are more combinations than this, a balanced part of them is played."""

PART_TABLES = 1000
"""How many tables such a part has, about."""

LEAST_ROUNDS = 2
"""Of a seating: fewer say nothing of how much they vary."""

_PASSES = 3  # over all tables, to make neighbours even

_KEYS: tuple[str, ...] = ("name", "title", "question", "players", "seats", "rounds", "seed")
_KEYS += ("edition", "deck", "rules")

Table = tuple[int, ...]
"""Entrants who meet, by their number from 0, ascending."""


@dataclass(frozen=True)
class Tournament(Shown, FromFile):
    """What to play, resolved and checked. Make one with `load_tournament` or `Tournament.of`.

    Attributes:
        players: The entrants; no two of one name.
        base: Rules, deck, seed, number of rounds in all, and titles, as a study of the first
            entrants at one table.
    """

    players: tuple[Player, ...]
    base: Study

    def __post_init__(self) -> None:
        """Check what no single value shows."""
        names = [player.name for player in self.players]
        if not 2 <= len(names) <= MAX_ENTRANTS:
            expected = f"2 to {MAX_ENTRANTS} players"
            raise InputError(expected=expected, key="players", got=len(names))
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            expected = "a name of its own for each (name = ... in a player's table or file)"
            raise InputError("two players of one name", key="players", expected=expected, got=twice)
        if self.base.rounds is None:
            raise InputError("a tournament counts rounds", key="games", expected="rounds")

    @classmethod
    def of(
        cls,
        *,
        players: str | Sequence[Any] | None = None,
        seats: int | None = None,
        rounds: int = DEFAULT_ROUNDS,
        folder: PathLike | None = None,
        **more: Any,
    ) -> Tournament:
        """Return a tournament.

        Args:
            players: Entrants: shipped names, paths, dicts like player files or `Player` objects;
                or one text with commas between names or paths. All shipped players if None.
            seats: Players at a table; 4, or all where there are fewer.
            rounds: Rounds in all, at least.
            folder: What relative paths are relative to; the current folder if None.
            **more: ``edition``, ``deck``, ``rules``, ``seed``, ``name``, ``title``, ``question`` as
                of `sim.game.study.Study.of`.

        Raises:
            InputError: Anything wrong in it.
        """
        entrants = _entrants(players, folder)
        seats = _seats(seats, len(entrants))
        base = Study.of(players=entrants[:seats], rounds=rounds, folder=folder, **more)
        return cls(entrants, base)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: PathLike | None = None) -> Tournament:
        """Return the tournament of a dict like a file, or of what `to_dict` returned.

        Raises:
            InputError: Anything wrong in it.
        """
        if not isinstance(data, Mapping):
            raise InputError(expected="a table with the keys of a tournament", got=data)
        refuse_others("tournament", data)
        strange = next((key for key in data if key not in _KEYS), None)
        if strange is not None:
            error = unknown_name("key", str(strange), _KEYS, is_key=True)
            raise error.inside(str(strange))
        entrants = _entrants(data.get("players"), folder)
        seats = _seats(data.get("seats"), len(entrants))
        rest = {"rounds": DEFAULT_ROUNDS} | {key: data[key] for key in data if key != "seats"}
        return cls(entrants, Study.from_dict(rest | {"players": entrants[:seats]}, folder=folder))

    def with_changes(
        self, *, players: Any = None, seats: int | None = None, **changes: Any
    ) -> Tournament:
        """Return this tournament with some of `Tournament.of`'s arguments replaced.

        Args:
            players: Who takes part, as for `Tournament.of`; None changes nothing.
            seats: Seats at a table, 2 to 6; None changes nothing.
            **changes: Further arguments of `Tournament.of`; ``rules`` as a dict changes single
                options and keeps the others.

        Raises:
            InputError: Anything wrong in them.
        """
        entrants = self.players if players is None else _entrants(players, changes.get("folder"))
        asked = self.seats if seats is None and len(entrants) >= self.seats else seats
        seats = _seats(asked, len(entrants))
        same_people = entrants[:seats] == self.base.players
        table: dict[str, Any] = {} if same_people else {"players": entrants[:seats]}
        return Tournament(entrants, self.base.with_changes(**table, **changes))

    def to_dict(self) -> dict[str, Any]:
        """Return the tournament as resolved, JSON-ready; `from_dict` makes an equal one of it."""
        base = self.base.to_dict()
        del base["games"]
        return base | {
            "players": [player.to_dict() for player in self.players],
            "seats": self.seats,
        }

    @property
    def seats(self) -> int:
        """Players at a table."""
        return len(self.base.players)

    @property
    def fingerprint(self) -> str:
        """Digest of all that determines the numbers, how much is played included."""
        return digest(
            {
                "players": [[player.name, player.fingerprint] for player in self.players],
                "seats": self.seats,
                "rounds": self.rounds_of_a_seating,
                "game": self.base.rules_id,
                "seed": self.base.seed,
            }
        )

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Who meets: all combinations, or a balanced part of them; see `balanced_tables`."""
        entrants = len(self.players)
        if self.seats == 2 or math.comb(entrants, self.seats) <= MAX_TABLES:
            return tuple(combinations(range(entrants), self.seats))
        return balanced_tables(entrants, self.seats, self.base.seed)

    @property
    def all_tables(self) -> bool:
        """Whether every combination of entrants is played."""
        return len(self.tables) == math.comb(len(self.players), self.seats)

    @property
    def rounds_of_a_seating(self) -> int:
        """Rounds for each seating: so many that all together are at least as many as asked for."""
        assert self.base.rounds is not None
        return max(LEAST_ROUNDS, -(-self.base.rounds // (len(self.tables) * self.seats)))

    @property
    def rounds(self) -> int:
        """Rounds that are played in all."""
        return self.rounds_of_a_seating * len(self.tables) * self.seats

    def seatings(self) -> Iterator[tuple[int, ...]]:
        """Yield the entrants of every seating, seat 0 first: each table in all its rotations.

        Who sits to whose left matters. So each table sits round in the order that makes the
        numbers of times that anybody has anybody to the left most even.
        """
        for order in self.orders:
            for first in range(self.seats):
                yield (*order[first:], *order[:first])

    @cached_property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """In which order each table sits round, clockwise."""
        orders = [tuple(table) for table in self.tables]
        left = Counter(pair for order in orders for pair in _neighbours(order))
        for _ in range(_PASSES):
            for k, (first, *rest) in enumerate(self.tables):
                left.subtract(_neighbours(orders[k]))
                ways = ((first, *others) for others in permutations(rest))
                orders[k] = min(ways, key=lambda way: sum(left[p] for p in _neighbours(way)))
                left.update(_neighbours(orders[k]))
        return tuple(orders)

    def studies(self) -> list[Study]:
        """Return the study of every seating, in the order of `seatings`."""
        return [self.study(seating) for seating in self.seatings()]

    def study(self, seating: Sequence[int]) -> Study:
        """Return the study of one seating; its seed is the first 64 bits of a SHA-256.

        That of the JSON text ``{"seating":[names, seat 0 first],"seed":the tournament's}``, keys
        sorted, without spaces, ASCII only.
        """
        names = [self.players[k].name for k in seating]
        return self.base.with_changes(
            players=[self.players[k] for k in seating],
            rounds=self.rounds_of_a_seating,
            seed=int(digest({"seed": self.base.seed, "seating": names}), 16),
        )

    def __repr__(self) -> str:
        """Say in a line what is played."""
        return (
            f"<Tournament of {len(self.players)} players: {len(self.tables):,} tables of "
            f"{self.seats}, {self.rounds:,} rounds, seed {self.base.seed}>"
        )


def load_tournament(name_or_path: PathLike) -> Tournament:
    """Return the tournament of a shipped study or of a TOML file.

    Raises:
        InputError: No such study, or a file is wrong.
    """
    return Tournament.from_file(locate("studies", name_or_path))


def balanced_tables(entrants: int, seats: int, seed: int) -> tuple[Table, ...]:
    """Return about a thousand tables at which all entrants sit equally often.

    Entrants stand in a circle; a block of seats is turned round it place by place, which gives as
    many tables as there are entrants and seats everyone equally often. Then two entrants meet as
    often as their distance occurs in the blocks. So blocks are drawn one after the other, each the
    one of many that makes the distances most even.

    Args:
        entrants: How many there are.
        seats: Places at a table, at least 3.
        seed: Decides which tables.
    """
    blocks = max(-(-PART_TABLES // entrants), -(-(entrants - 1) // (seats * (seats - 1))))
    dice = random.Random(seed)
    met = [0] * entrants
    tables: dict[Table, None] = {}
    while len(tables) < blocks * entrants:
        offers = [_block(dice, entrants, seats) for _ in range(100)]
        new = [offer for offer in offers if _turned(offer, entrants).isdisjoint(tables)]
        new = [offer for offer in new if len(_turned(offer, entrants)) == entrants]
        if not new:
            continue
        best = min(new, key=lambda block: _unevenness(block, met))
        for distance in _distances(best, entrants):
            met[distance] += 1
        tables |= dict.fromkeys(sorted(_turned(best, entrants)))
    return tuple(tables)


def _neighbours(order: Sequence[int]) -> list[tuple[int, int]]:
    """Return, for everyone at a table, who sits to the left."""
    return [(order[k - 1], order[k]) for k in range(len(order))]


def _block(dice: random.Random, entrants: int, seats: int) -> Table:
    return (0, *sorted(dice.sample(range(1, entrants), seats - 1)))


def _turned(block: Table, entrants: int) -> set[Table]:
    """Return the tables that a block gives when it is turned round the circle."""
    return {tuple(sorted((k + turn) % entrants for k in block)) for turn in range(entrants)}


def _distances(block: Table, entrants: int) -> list[int]:
    return [(a - b) % entrants for a in block for b in block if a != b]


def _unevenness(block: Table, met: Sequence[int]) -> int:
    """Return by how much a block would make the sum of squares of meetings grow."""
    after = list(met)
    for distance in _distances(block, len(met)):
        after[distance] += 1
    return sum(count * count for count in after) - sum(count * count for count in met)


def _entrants(players: Any, folder: PathLike | None) -> tuple[Player, ...]:
    """Return the entrants that are meant; all shipped players if None."""
    return some_players(shipped_players() if players is None else players, folder, MAX_ENTRANTS)


def _seats(seats: Any, entrants: int) -> int:
    """Return how many sit at a table; by default 4, or all where there are fewer."""
    if seats is None:
        return min(DEFAULT_SEATS, entrants)
    most = min(SEATS[-1], entrants)
    expected = f"a whole number from {SEATS[0]} to {most}" if most > SEATS[0] else str(most)
    if entrants < SEATS[-1]:
        expected += f", as there are {entrants} players"
    return needed(seats, SEATS[0], most, expected, key="seats")
