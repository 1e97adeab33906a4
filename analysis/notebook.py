"""How notebooks show things: blocks of each kind of object, drawn by the templates of pages.

Nothing here sets a colour or a typeface, so all is readable on light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import singledispatch
from itertools import takewhile
from typing import Any

from analysis.blocks import Block, Folded, Heading, Letters, Sentence, Table, columns
from analysis.templates import environment
from analysis.text.numbers import counted, setting
from sim.game.base import told_changes
from sim.game.deck import Deck
from sim.game.players import Player
from sim.game.rules import Rules
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament


def html(thing: Any) -> str:
    """Return what a notebook shows of something that is played, or of blocks."""
    return draw(blocks(thing))


def draw(told: Iterable[Block]) -> str:
    """Return blocks as HTML: the lines up to the first table or the like above all else."""
    told = [block for block in told if block not in (Heading(""), Sentence(""))]
    lead = list(takewhile(lambda block: isinstance(block, Heading | Sentence), told))
    template = environment().get_template("notebook.html")
    return template.render(lead=lead, rest=told[len(lead) :])


@singledispatch
def blocks(thing: Any) -> Iterable[Block]:
    """Return the blocks that tell of something; a result has its own."""
    from sim.watch.trace import Trace  # late, as it brings the engine along

    if isinstance(thing, Trace):
        title = f"{thing.study.unit[:-1].capitalize()} {thing.index:,}"
        return [Heading(title), Sentence(thing.study.title), Letters(thing.text())]
    told: Iterable[Block] = thing.blocks()
    return told


def _table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = ()
) -> Table:
    return Table("", columns(headings, left), list(rows))


@blocks.register
def _study(study: Study) -> Iterator[Block]:
    """A study: who plays, with which rules and cards, how much, with which seed."""
    yield Heading(study.title or study.name or "A study")
    yield Sentence(study.question)
    yield Sentence(f"{counted(study.count, study.unit[:-1])}, seed {study.seed}")
    yield from _game(study)
    rows = [
        [str(seat), player.name, player.character, _differing(player)]
        for seat, player in enumerate(study.players)
    ]
    headings = ("seat", "player", "character", "differs from its kind's defaults by")
    yield _table(headings, rows, left=(1, 2, 3))


def _game(study: Study) -> Iterator[Sentence]:
    changed = study.rules.changed_from_edition()
    assumed = " (assumed)" if study.deck_assumed else ""
    yield Sentence(f"{study.edition} edition, deck {study.deck.name}{assumed}")
    yield Sentence(f"rules changed: {told_changes(changed)}" if changed else "")


def _differing(player: Player) -> str:
    values = player.values
    usual = {spec["name"]: spec["default"] for spec in player.parameters()}
    return told_changes({name: values[name] for name in usual if values[name] != usual[name]})


def _special_and_all(
    headings: Sequence[str], special: list[list[str]], rows: list[list[str]], noun: str
) -> Iterator[Block]:
    if special:
        yield _table(headings, special, left=(0, 3, 4))
    yield Folded(f"all {len(rows)} {noun}", [_table(headings, rows, left=(0, 3, 4))])


@blocks.register
def _player(player: Player) -> Iterator[Block]:
    """A player: its character, what is special about it, and all of its parameters."""
    rows = []
    for spec in player.parameters():
        value, usual = setting(player.values[spec["name"]]), setting(spec["default"])
        rows.append([spec["name"], value, usual, spec.get("unit") or "", spec["description"]])
    special = [row for row in rows if row[1] != row[2]]
    yield Heading(player.name)
    yield Sentence(player.character)
    yield Sentence(f"a {player.kind} player{'' if special else ', all by default'}")
    headings = ("parameter", "value", "default", "unit", "what it does")
    yield from _special_and_all(headings, special, rows, "parameters")


@blocks.register
def _rules(rules: Rules) -> Iterator[Block]:
    """Rules: what is changed from the edition, and all options."""
    values, changed = rules.to_dict(), rules.changed_from_edition()
    rows = {}
    for option in rules.options():
        name, usual = option["name"], setting(option[rules.edition])
        rows[name] = [name, setting(values[name]), usual, option["rule"], option["description"]]
    special = [rows[name] for name in changed if name in rows]
    yield Heading(f"Rules of the {rules.edition} edition")
    yield Sentence("with these changes:" if special else "as printed; nothing is changed")
    headings = ("option", "setting", f"{rules.edition} edition", "rule", "what it does")
    yield from _special_and_all(headings, special, list(rows.values()), "options")


@blocks.register
def _deck(deck: Deck) -> Iterator[Block]:
    """A deck: its birds, what is known of it, and what is assumed."""
    assumed = "; how many of each bird there are is an assumption" if deck.assumed else ""
    yield Heading(f"Deck {deck.name}")
    yield Sentence(deck.title)
    yield Sentence(f"{deck.size} cards{assumed}")
    rows = [
        [bird.name, str(bird.value), str(bird.copies), bird.family, bird.power or "", bird.id]
        for bird in deck.birds
    ]
    headings = ("bird", "value", "copies", "family", "power", "id")
    yield _table(headings, rows, left=(0, 3, 4, 5))
    sources = [Sentence(f"known: {fact}") for fact in deck.known]
    sources += [Sentence(f"assumed: {fact}") for fact in deck.assumptions]
    if sources:
        yield Folded("where this is from", sources)


@blocks.register
def _sweep(sweep: Sweep) -> Iterator[Block]:
    """A sweep that is yet to be played: its axes, and its study's facts."""
    facts = {axis.key: f"{len(axis.values)} values" for axis in sweep.axes}
    facts["played"] = f"{len(sweep.points):,} points of {sweep.base.count:,} {sweep.base.unit}"
    return _design(sweep.base.title or "A sweep", sweep.base, facts)


@blocks.register
def _tournament(tournament: Tournament) -> Iterator[Block]:
    """A tournament that is yet to be played."""
    played = f"{len(tournament.tables):,} tables of {tournament.seats}"
    facts = {
        "players": ", ".join(player.name for player in tournament.players),
        "played": f"{played}, {tournament.rounds:,} rounds",
    }
    return _design(tournament.base.title or "A tournament", tournament.base, facts)


def _design(title: str, study: Study, facts: Mapping[str, str]) -> Iterator[Block]:
    yield Heading(title)
    yield Sentence(study.question)
    for name, told in facts.items():
        yield Sentence(f"{name}: {told}")
    yield from _game(study)
