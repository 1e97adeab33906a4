"""What a command line means: a study, tournament, sweep or comparison of files and options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, cut, within
from sim.game.files import parse_value

if TYPE_CHECKING:
    from sim.game.comparison import Comparing
    from sim.game.exploit import Exploit
    from sim.game.players import Player
    from sim.game.study import Study
    from sim.game.sweep import Sweep
    from sim.game.tournament import Tournament


def make_study(
    study: str | Study | None,
    *,
    seed: int | None = None,
    rounds: int | None = None,
    games: int | None = None,
    **changes: Any,
) -> Study:
    """Return the study that a command line means: a file or the built-in one, and changes to it.

    Raises:
        InputError: Something is wrong; says in which option or file.
    """
    from sim.game.study import DEFAULT_STUDY, Study, load_study

    if rounds is not None and games is not None:
        raise InputError("rounds and games at once", where="--games", expected="one of the two")
    study = DEFAULT_STUDY if study is None else study
    base = study if isinstance(study, Study) else load_study(study)
    changed = _changes(base.players, most=6, **changes)
    return base.with_changes(**changed, seed=seed, rounds=rounds, games=games)


def _changes(
    before: Sequence[Player],
    most: int,
    *,
    least: int = 2,
    players: str | None = None,
    edition: str | None = None,
    deck: str | None = None,
    rules: Sequence[str] = (),
    settings: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what the options about players and the game change, as `with_changes` takes it."""
    from sim.game.deck import load_deck
    from sim.game.players import load_player
    from sim.game.rules import Rules, parse_rule_options

    changes: dict[str, Any] = {}
    if players is not None:
        names = [name.strip() for name in players.split(",")]
        with within(where="--players"):
            if not all(names):
                expected = "names or files, with commas between them"
                raise InputError("an empty name", expected=expected)
            if not least <= len(names) <= most:
                raise InputError(expected=f"{least} to {most} players", got=len(names))
            changes["players"] = [load_player(name) for name in names]
    if deck is not None:
        with within(where="--deck"):
            changes["deck"] = load_deck(deck)
    if edition is not None:
        with within(where="--edition"):
            changes["edition"] = Rules.of(edition).edition
    if rules:
        changes["rules"] = parse_rule_options(rules)
    if settings:
        changes["players"] = _set(list(changes.get("players", before)), settings)
    return changes


def _set(players: list[Player], settings: Iterable[str]) -> list[Player]:
    """Return the players with what ``--set`` says changed."""
    from sim.game.players import changed_at

    told: dict[tuple[Any, ...], str] = {}
    for text in settings:
        with within(where=cut(f"--set {text}")):
            seats, name, value = _setting(text, len(players))
            same = (name, *sorted(seats))
            if same in told:
                problem = f"set twice, by {cut(told[same])} and {cut(text)}"
                raise InputError(problem, key=name, expected="one of them")
            told[same] = text
            players = changed_at(players, seats, name, value)
    return players


def _setting(text: str, players: int) -> tuple[list[int], str, Any]:
    """Return the seats, the parameter and the value that ``SEAT.PARAM=VALUE`` means."""
    from sim.game.players import seats_of

    target, equals, written = (part.strip() for part in text.partition("="))
    seat, dot, name = target.partition(".")
    if not (equals and dot and name and written):
        raise InputError(expected="SEAT.PARAM=VALUE, such as 0.bao_threshold=4")
    seats = seats_of(seat, players)
    if seats is None:
        raise InputError("no such seat", expected=f"0 to {players - 1}, or all", got=seat)
    return seats, name, parse_value(written)


def make_exploit(
    player: str,
    *,
    others: str | None,
    vary: str | None,
    edition: str | None,
    deck: str | None,
    rules: Sequence[str],
    **limits: int | None,
) -> Exploit:
    """Return the search for a best response that a command line means.

    Raises:
        InputError: Something is wrong; says in which option or file.
    """
    from sim.game.exploit import Exploit
    from sim.game.players import load_player

    with within(where="PLAYER"):
        victim = load_player(player)
    game = _changes([], 5, least=1, players=others, edition=edition, deck=deck, rules=rules)
    given: dict[str, Any] = {name: value for name, value in limits.items() if value is not None}
    names = None if vary is None else [name.strip() for name in vary.split(",")]
    return Exploit.of(victim, game.pop("players", None), vary=names, **given, **game)


def make_tournament(
    study: str | None, *, seed: int | None, rounds: int | None, seats: int | None, **changes: Any
) -> Tournament:
    """Return the tournament that a command line means.

    Raises:
        InputError: Something is wrong; says in which option or file.
    """
    from sim.game.tournament import MAX_ENTRANTS, Tournament, load_tournament

    base = Tournament.of() if study is None else load_tournament(study)
    changed = _changes(base.players, most=MAX_ENTRANTS, **changes)
    return base.with_changes(**changed, seed=seed, rounds=rounds, seats=seats)


def make_sweep(study: str | None, over: Sequence[str], **table: Any) -> Sweep:
    """Return the sweep that a command line means; axes after ``--over`` come after the file's.

    Raises:
        InputError: Something is wrong; says in which option or file.
    """
    from sim.game.files import locate, read_toml
    from sim.game.study import DEFAULT_STUDY, Study
    from sim.game.sweep import Sweep, read_axis, read_sweep

    path = locate("studies", DEFAULT_STUDY if study is None else study)
    with within(where=path):
        data = read_toml(path)
        settings = read_sweep(data.pop("sweep", {}))
        base = make_study(Study.from_dict(data, folder=path.parent), **table)
    typed: list[str] = []
    for text in over:
        with within(where=cut(f"--over {text}")):
            key, values = read_axis(text)
            if key in typed:
                raise InputError("varied twice", key=key, expected="one --over for each key")
            settings["over"][key] = values
            typed.append(key)
    with within(where=path if not over else None):
        return Sweep.of(base, **settings, folder=path.parent, here=typed)


def make_comparison(
    studies: Sequence[str],
    *,
    seed: int | None,
    rounds: int | None,
    games: int | None,
    rotate: bool | None,
    **changes: Any,
) -> Comparing:
    """Return the comparison that a command line means: two files, or one and changes to it.

    Raises:
        InputError: Something is wrong; says in which option or file.
    """
    from sim.game.comparison import Comparing

    if len(studies) > 2:
        raise InputError("more than two studies", where=studies[2], expected="A.toml and B.toml")
    if rounds is not None and games is not None:
        raise InputError("rounds and games at once", where="--games", expected="one of the two")
    given = [f"--{name}" for name in _CHANGES if changes[_CHANGES[name]] not in (None, ())]
    if len(studies) == 2 and given:
        problem = "changes, and a second study at once"
        raise InputError(problem, where=given[0], expected="one study and changes, or two studies")
    first = make_study(studies[0] if studies else None)
    second = make_study(studies[1]) if len(studies) == 2 else make_study(first, **changes)
    with within(where=studies[1] if len(studies) == 2 else "the second study"):
        return Comparing.of(first, second, rotate=rotate, rounds=rounds, games=games, seed=seed)


_CHANGES = {"players": "players", "edition": "edition", "deck": "deck", "rule": "rules"}
_CHANGES |= {"set": "settings"}
"""Options that make a second study, and the names of their values."""
