"""Chapters that reports of all kinds of results have: players, rules, assumptions, limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from analysis.blocks import (
    Block,
    Chapter,
    Code,
    Facts,
    Part,
    Sentence,
    Sentences,
    Table,
    Tile,
    Words,
    columns,
)
from analysis.report.pen import Pen, Source, unit_of
from analysis.report.repeat import changes, command, defaults, study_toml
from analysis.text.numbers import played_with
from analysis.words import ORDINALS, Language
from sim.game.players import KINDS, Player, load_player, shipped_players
from sim.game.rules import Rules

_COLUMNS_AT_MOST = 4
"""Players side by side in a table; of more, each one's parameters are told in a line."""

# --- what was played ------------------------------------------------------------------------------


def setting(pen: Pen, source: Source) -> Markup:
    """Return what was played, in a line: players, how many rounds, edition, deck, seed."""
    summary, study, language = source.summary, source.study, pen.language
    seats = summary.get("seats") or len(study["players"])
    unit = unit_of(summary)
    if source.kind == "sweep":
        points = language.counted("count.points", len(summary["points"]))
        each = pen.counted(summary["unit"], "count")
        played = language.say("page.points_of", points=points, each=each)
    else:
        played = pen.counted(unit, unit)
    return language.say(
        "page.setting",
        players=language.counted("count.players", seats),
        played=played,
        edition=" / ".join(language.text(f"edition.{e}") for e in played_with(summary, "edition")),
        deck=deck_name(language, summary),
        seed=summary["seed"],
    )


def deck_name(language: Language, summary: Mapping[str, Any]) -> str | Markup:
    """Return a deck's name, and whether its numbers of copies are assumed."""
    names = played_with(summary, "deck")
    if summary["deck_assumed"] and len(names) == 1:
        return language.say("page.assumed_deck", deck=names[0])
    return " / ".join(names)


def title(language: Language, source: Source) -> str:
    """Return a study's title, or its players' names where it has none."""
    told = source.study.get("title") or source.summary.get("title")
    if told:
        return str(told)
    names = list(dict.fromkeys(player["name"] for player in source.study["players"]))
    return ", ".join(names[:6]) + (" …" if len(names) > 6 else "")


def alike(players: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all players of a table play alike."""
    return len({Player.of(dict(player)).fingerprint for player in players}) == 1


# --- players --------------------------------------------------------------------------------------


def players(pen: Pen, played: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Return who plays: each player's character, and the parameters that are not the default."""
    different: dict[str, Mapping[str, Any]] = {}
    for player in played:
        different.setdefault(player["name"], player)
    rows = [(name, _character(pen, player)) for name, player in different.items()]
    if len(rows) > _COLUMNS_AT_MOST:
        rows = [(name, _with_changes(pen, text, different[name])) for name, text in rows]
        return [Facts(rows)]
    return [Facts(rows), *_parameters(pen, list(different.values()))]


def _character(pen: Pen, player: Mapping[str, Any]) -> str | Markup:
    name, character = player["name"], player.get("character", "")
    if name in shipped_players() and load_player(name).character == character:
        return pen.language.shipped("character", name, character)
    return character or pen.language.text(f"kind.{player['kind']}")


def _with_changes(pen: Pen, text: str | Markup, player: Mapping[str, Any]) -> Markup:
    """Return a player's character, and in small letters the parameters that it has of its own."""
    language = pen.language
    changed = changes(player, defaults(player["kind"]))
    if not changed:
        return Markup("{}").format(text)
    told = Markup(", ").join(
        Markup("{}&nbsp;{}").format(code(key), value_text(language, value))
        for key, value in changed.items()
    )
    small = language.say("players.differs", changes=told)
    return Markup('{} <span class="small">{}</span>').format(text, small)


def _parameters(pen: Pen, different: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """Yield, for each kind of player, the table of parameters that differ from the default."""
    language = pen.language
    for kind, model in KINDS.items():
        of_kind = [player for player in different if player["kind"] == kind]
        usual = defaults(kind)
        values = [Player.of(dict(player)).values for player in of_kind]
        changed = [key for key in usual if any(value[key] != usual[key] for value in values)]
        if not of_kind:
            continue
        if not changed:
            yield Sentence(language.of_kind("players.all_default", kind))
            continue
        specs = {spec["name"]: spec for spec in model.parameters()}
        heads = [language.text(f"players.{head}") for head in ("parameter", "meaning", "default")]
        heads += [breakable(player["name"]) for player in of_kind]
        rows = []
        for key in changed:
            meaning = language.shipped("parameter", key, specs[key]["description"])
            row: list[Words] = [code(key), meaning, value_text(language, usual[key])]
            for value in values:
                told = value_text(language, value[key])
                row.append(told if value[key] == usual[key] else _STRONG.format(told))
            rows.append(row)
        caption = language.of_kind("players.caption", kind)
        yield Table(caption, columns(heads, left=(0, 1)), rows)


_STRONG = Markup("<strong>{}</strong>")


def code(text: str) -> Markup:
    """Return the name of an option or parameter, that may be broken between its words."""
    return Markup("<code>{}</code>").format(breakable(text))


def breakable(name: str) -> Markup:
    """Return a name that may be broken after ``_``, ``.``, ``=`` and before ``(``."""
    return Markup("<wbr>").join(re.split(r"(?<=[_.=])(?=.)|(?=\()", name))


def value_text(language: Language, value: Any) -> str:
    """Return the value of a parameter or option: numbers as people write them, yes and no."""
    if isinstance(value, bool):
        return language.text("value.yes" if value else "value.no")
    if isinstance(value, int | float):
        return language.translate_numbers(f"{value:g}").replace("-", "−")
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {value_text(language, each)}" for key, each in value.items())
    return str(value)


# --- what is changed or varied --------------------------------------------------------------------


def meaning(pen: Pen, what: str, *, players: bool = False) -> Markup | str:
    """Return what ``rules.OPTION``, ``players.SEAT.PARAMETER``, ``deck.BIRD.FACT`` mean.

    Args:
        pen: Writes.
        what: One of these.
        players: Name players by their place in the study, as where they changed seats.
    """
    target, _, name = what.partition(".")
    language = pen.language
    if target == "rules":
        option, _, number = name.partition(".")
        described = {option["name"]: option["description"] for option in Rules.options()}[option]
        told = language.shipped("rule", option, described)
        return language.say("change.rule_of", rule=told, players=number) if number else told
    if target == "players" and name:
        seat, _, parameter = name.partition(".")
        who = language.say("change.player", seat=seat)
        if players and seat.isdecimal():
            place = language.text(f"plot.{ORDINALS[int(seat)]}")
            who = language.say("change.player_of", place=place)
        if not parameter:
            return who
        told = parameter_meaning(language, parameter)
        return language.say("change.parameter", who=who, parameter=told)
    if target == "deck" and name:
        bird, _, fact = name.rpartition(".")
        key = f"change.deck_{fact}"
        return language.say(key, bird=language.bird(bird)) if key in language else name
    return language.text(f"change.{target}")


def axis_meaning(pen: Pen, axis: str) -> Markup | str:
    """Return what the axis of a sweep means: as of `meaning`, with the keys of sweeps."""
    target, _, name = axis.partition(".")
    if target in ("rules", "players", "edition") or not name:
        return meaning(pen, axis)
    if target == "deck":
        return meaning(pen, f"{axis}.copies")
    if name == "player":
        return meaning(pen, f"players.{target}")
    if target == "all":
        return Markup("{}").format(parameter_meaning(pen.language, name))
    return meaning(pen, f"players.{target}.{name}")


def parameter_meaning(language: Language, name: str) -> str:
    """Return what a parameter of a player means, in words."""
    for model in KINDS.values():
        for spec in model.parameters():
            if spec["name"] == name:
                return language.shipped("parameter", name, spec["description"])
    return name


# --- rules ----------------------------------------------------------------------------------------


def rules(pen: Pen, summary: Mapping[str, Any]) -> list[Block]:
    """Return how the rules differ from their edition, or that they do not."""
    language, changed = pen.language, summary["rules_changed"]
    edition = language.text(f"edition.{summary['edition']}")
    if not changed:
        return [Sentence(language.say("rules.as_edition", edition=edition))]
    heads = [language.text(f"rules.{head}") for head in ("option", "meaning", "here")]
    heads.insert(2, language.say("rules.in_edition", edition=edition))
    options, rows = {option["name"]: option for option in Rules.options()}, []
    for name, value in changed.items():
        usual = options[name][summary["edition"]]
        if isinstance(usual, Mapping) and isinstance(value, Mapping):  # by number of players
            usual = {key: usual[key] for key in value}
        meaning = language.shipped("rule", name, options[name]["description"])
        told, here = value_text(language, usual), _STRONG.format(value_text(language, value))
        rows.append([code(name), meaning, told, here])
    caption = language.say("rules.caption", edition=edition)
    return [Table(caption, columns(heads, left=(0, 1)), rows)]


def assumed(pen: Pen, source: Source) -> list[Block]:
    """Return what was assumed: copies of birds, the threshold of a game."""
    language, study = pen.language, source.study
    deck = study["deck"]
    items = [language.shipped("deck", sentence, sentence) for sentence in deck["assumptions"]]
    if deck["assumed"]:
        items.insert(0, language.say("assumed.deck", deck=deck["name"]))
    if source.summary.get("games") is not None and source.summary.get("threshold_assumed"):
        shown = pen.whole("game.threshold", source.summary["game"]["threshold"])
        items.append(language.say("assumed.threshold", points=shown))
    if not items:
        return [Sentence(language.say("assumed.nothing"))]
    return [Sentences(items)]


# --- what may not be concluded --------------------------------------------------------------------


def always(pen: Pen, source: Source) -> Iterator[Markup]:
    """Yield what holds of every result: players, deck, intervals, this table."""
    language = pen.language
    yield language.say("limit.players")
    if source.summary["deck_assumed"]:
        yield language.say("limit.deck", deck=source.summary["deck"])
    if source.summary.get("games") is not None and source.summary.get("threshold_assumed"):
        yield language.say("limit.threshold")
    yield language.say("limit.jointly")
    yield language.say("limit.this_table")


# --- how to repeat it -----------------------------------------------------------------------------


def repeat(pen: Pen, source: Source, files: Sequence[tuple[str, Mapping[str, Any]]]) -> Chapter:
    """Return the chapter with the command, the study files and the versions.

    Args:
        pen: Writes.
        source: The result.
        files: Name and study of each file.
    """
    language, summary = pen.language, source.summary
    typed = command(source.kind, [name for name, _ in files], summary)
    blocks: list[Block] = [
        Sentence(language.say("repeat.how", files=", ".join(name for name, _ in files))),
        Code(typed, language.text("repeat.command")),
    ]
    for name, study in files:
        blocks.append(Code(study_toml(study), language.say("repeat.file", file=name), name, True))
    facts = {name: summary.get(name) for name in ("version", "seed", "engine", "rules_id")}
    facts["engine"] = source.engine
    told = [(f"repeat.{name}", fact) for name, fact in facts.items() if fact is not None]
    blocks.append(Facts([(language.text(key), str(fact)) for key, fact in told]))
    return Chapter(language.text("chapter.repeat"), blocks)


def part(
    pen: Pen,
    source: Source,
    kind: str,
    chapters: Mapping[str, Iterable[Block]],
    answer: Iterable[Block],
    tiles: Iterable[Tile],
    brief: Iterable[tuple[Words, Markup]],
    limits: Iterable[Markup],
    head: tuple[str, str, Markup] | None = None,
) -> Part:
    """Return the part about a result: chapters of its own, and those that all have at the end.

    Args:
        pen: Writes.
        source: The result.
        kind: Key of what it is called.
        chapters: Of its own, by name.
        answer: Its first sentence is the one that matters most.
        tiles: Headline numbers.
        brief: Rows beside other parts.
        limits: What may not be concluded.
        head: Title, question and setting; by default those of the study.
    """
    text = pen.language.text
    chapters = {name: list(blocks) for name, blocks in chapters.items()}
    both = source.kind == "comparison"
    if head is None:
        question = source.study.get("question", "")
        head = title(pen.language, source), question, setting(pen, source)
    if not both:
        chapters["players"] = players(pen, source.study["players"])
        chapters["rules"] = rules(pen, source.summary)
        chapters["assumed"] = assumed(pen, source)
    chapters["limits"] = [Sentences(list(limits))]
    files = [(f"{side}.toml", source.study[side]) for side in "ab"] if both else []
    return Part(
        kind=text(kind),
        title=head[0],
        question=head[1],
        setting=head[2],
        answer=list(answer),
        tiles=list(tiles),
        chapters=[
            *(Chapter(text(f"chapter.{name}"), list(told)) for name, told in chapters.items()),
            repeat(pen, source, files or [("study.toml", source.study)]),
        ],
        brief=list(brief),
    )
