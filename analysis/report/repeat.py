"""How to repeat a result: the study as a short file, and the command that plays it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from sim.game.deck import Deck, load_deck, shipped_decks
from sim.game.players import KINDS, Player, load_player, shipped_players
from sim.game.rules import Rules


def study_toml(study: Mapping[str, Any]) -> str:
    """Return a study, sweep or tournament as a file that means the same.

    What ships with the program is named; of everything else stands what differs from it.

    Args:
        study: As resolved, from a manifest.
    """
    import tomli_w

    short = {key: study[key] for key in ("name", "title", "question") if study.get(key)}
    short["players"] = [_short_player(player) for player in study["players"]]
    if study.get("seats") is not None:
        short["seats"] = study["seats"]
    short["edition"] = study["edition"]
    short["deck"] = _short_deck(study["deck"])
    for key in ("rounds", "games", "seed"):
        if study.get(key) is not None:
            short[key] = study[key]
    rules = Rules.of(study["edition"], **study["rules"]).changed_from_edition()
    if rules:
        short["rules"] = rules
    if "sweep" in study:
        short["sweep"] = _short_sweep(study["sweep"])
    return tomli_w.dumps(short)


def _short_player(player: Mapping[str, Any]) -> str | dict[str, Any]:
    """Return a player by name, or as changes to one that ships or to its kind's defaults."""
    name = player["name"]
    if name in shipped_players() and load_player(name).to_dict() == player:
        return str(name)
    stem = name.partition("(")[0]
    if stem in shipped_players() and load_player(stem).kind == player["kind"]:
        base = load_player(stem)
        changed = changes(player, base.values)
        entry = {"base": stem} | changed
        if base.with_changes(**changed).name == name:
            return entry | _own_character(player, base.character)
        return {"name": name} | entry | _own_character(player, base.character)
    head = {"name": name, "kind": player["kind"]}
    return head | _own_character(player, "") | changes(player, defaults(player["kind"]))


def _own_character(player: Mapping[str, Any], usual: str) -> dict[str, Any]:
    character = player.get("character", "")
    return {} if character == usual else {"character": character}


def defaults(kind: str) -> dict[str, Any]:
    """Return the default of every parameter of a kind of player."""
    return {spec["name"]: spec["default"] for spec in KINDS[kind].parameters()}


def changes(player: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a player that are not as usual."""
    values = Player.of(dict(player)).values
    return {key: value for key, value in values.items() if value != usual[key]}


def _short_deck(deck: Mapping[str, Any]) -> str | dict[str, Any]:
    name = deck["name"]
    same = name in shipped_decks() and load_deck(name).fingerprint == Deck.of(deck).fingerprint
    return str(name) if same else dict(deck)


def _short_sweep(sweep: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a sweep; points that were drawn stand in it as they fell."""
    axes, points = sweep["axes"], [list(point) for point in sweep["points"]]
    short: dict[str, Any] = {axis["key"]: axis["values"] for axis in axes}
    if points != [list(point) for point in product(*(axis["values"] for axis in axes))]:
        columns = zip(*points, strict=True)
        short = {axis["key"]: list(column) for axis, column in zip(axes, columns, strict=True)}
        short["together"] = True
    return short | {"focus": list(sweep["focus"])}


def command(kind: str, files: Sequence[str], summary: Mapping[str, Any]) -> str:
    """Return what to type to have a result again.

    Args:
        kind: Of the result.
        files: Names of the study files.
        summary: Of the result: a run's says whether only a part was played, or until when.
    """
    words = ["baobei", "compare" if kind == "comparison" else kind, *files]
    until, ranges = summary.get("until"), summary.get("ranges", [])
    if until is not None:
        words += ["--until", f"{until['metric']}[{until['seat']}]+-{until['half_width']:g}"]
    elif len(ranges) == 1:
        words += ["--range", "{}:{}".format(*ranges[0])]
    return shlex.join([*words, "--out", "my-results"])
