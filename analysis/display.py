"""How notebooks show things: small pieces of HTML, and what is put together of them.

Nothing here sets a colour or a typeface, so all is readable on light and on dark pages.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.text import changes, counted, setting
from sim.game.deck import Deck
from sim.game.players import Player
from sim.game.rules import Rules
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament

if TYPE_CHECKING:
    from sim.watch.trace import Trace


_AIR = "padding:0.15em 0.6em"

# --- pieces ---------------------------------------------------------------------------------------


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = ()
) -> str:
    """Return an HTML table of cells of text.

    Args:
        headings: Of the columns.
        rows: Cells.
        left: Columns that are flush left; the others are flush right.
    """
    styles = [f"text-align:{'left' if k in left else 'right'};{_AIR}" for k in range(len(headings))]

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(
            f'<{tag} style="{style}">{html.escape(text)}</{tag}>'
            for style, text in zip(styles, texts, strict=True)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    head = f"<thead><tr>{cells('th', headings)}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>"


def panel(title: str, lines: Iterable[str], *parts: str) -> str:
    """Return a title, lines of text, and parts that are HTML already, below each other."""
    top = [f"<b>{html.escape(title)}</b>"] if title else []
    top += [html.escape(line) for line in lines if line]
    return f"<div><p>{'<br>'.join(top)}</p>{''.join(parts)}</div>"


def text_lines(lines: Iterable[str]) -> str:
    """Return lines of text as a paragraph."""
    return f"<p>{'<br>'.join(html.escape(line) for line in lines)}</p>"


def folded(label: str, inside: str) -> str:
    """Return something that is out of sight until it is clicked on."""
    return f"<details><summary>{html.escape(label)}</summary>{inside}</details>"


# --- what is played -------------------------------------------------------------------------------


def study_html(study: Study) -> str:
    """Return a study: who plays, with which rules and cards, how much, with which seed."""
    rows = [
        [str(seat), player.name, player.character, _differing(player)]
        for seat, player in enumerate(study.players)
    ]
    headings = ("seat", "player", "character", "differs from its kind's defaults by")
    return panel(
        study.title or study.name or "A study",
        [study.question, *_facts(study)],
        html_table(headings, rows, left=(1, 2, 3)),
    )


def _facts(study: Study) -> list[str]:
    changed = study.rules.changed_from_edition()
    assumed = " (assumed)" if study.deck_assumed else ""
    return [
        f"{counted(study.count, study.unit[:-1])}, seed {study.seed}",
        f"{study.edition} edition, deck {study.deck.name}{assumed}",
        f"rules changed: {changes(changed)}" if changed else "",
    ]


def _differing(player: Player) -> str:
    values = player.values
    return changes(
        {
            spec["name"]: values[spec["name"]]
            for spec in player.parameters()
            if values[spec["name"]] != spec["default"]
        }
    )


def player_html(player: Player) -> str:
    """Return a player: its character, what is special about it, and all of its parameters."""
    values = player.values
    rows = [
        [
            spec["name"],
            setting(values[spec["name"]]),
            setting(spec["default"]),
            spec.get("unit") or "",
            spec["description"],
        ]
        for spec in player.parameters()
    ]
    headings = ("parameter", "value", "default", "unit", "what it does")
    special = [row for row in rows if row[1] != row[2]]
    parts = [html_table(headings, special, left=(0, 3, 4))] if special else []
    every = folded(f"all {len(rows)} parameters", html_table(headings, rows, left=(0, 3, 4)))
    lines = [player.character, f"a {player.kind} player{'' if special else ', all by default'}"]
    return panel(player.name, lines, *parts, every)


def rules_html(rules: Rules) -> str:
    """Return rules: what is changed from the edition, and all options."""
    values, changed = rules.to_dict(), rules.changed_from_edition()
    rows = {
        option["name"]: [
            option["name"],
            setting(values[option["name"]]),
            setting(option[rules.edition]),
            option["rule"],
            option["description"],
        ]
        for option in rules.options()
    }
    headings = ("option", "setting", f"{rules.edition} edition", "rule", "what it does")
    special = [rows[name] for name in changed if name in rows]
    line = "with these changes:" if special else "as printed; nothing is changed"
    parts = [html_table(headings, special, left=(0, 3, 4))] if special else []
    every = folded(f"all {len(rows)} options", html_table(headings, rows.values(), left=(0, 3, 4)))
    return panel(f"Rules of the {rules.edition} edition", [line], *parts, every)


def deck_html(deck: Deck) -> str:
    """Return a deck: its birds, what is known of it, and what is assumed."""
    rows = [
        [bird.name, str(bird.value), str(bird.copies), bird.family, bird.power or "", bird.id]
        for bird in deck.birds
    ]
    assumed = "; how many of each bird there are is an assumption" if deck.assumed else ""
    sources = [f"known: {fact}" for fact in deck.known]
    sources += [f"assumed: {fact}" for fact in deck.assumptions]
    return panel(
        f"Deck {deck.name}",
        [deck.title, f"{deck.size} cards{assumed}"],
        html_table(("bird", "value", "copies", "family", "power", "id"), rows, left=(0, 3, 4, 5)),
        *([folded("where this is from", text_lines(sources))] if sources else []),
    )


def trace_html(trace: Trace) -> str:
    """Return the account of a round or game, in a box of its own where it is long."""
    title = f"{trace.study.unit[:-1].capitalize()} {trace.index:,}"
    box = '<div style="max-height:30em;overflow:auto"><pre>'
    return panel(title, [trace.study.title], f"{box}{html.escape(trace.text())}</pre></div>")


def design_html(title: str, study: Study, facts: Mapping[str, str]) -> str:
    """Return a sweep or a tournament that is yet to be played: its facts, and its study's."""
    lines = [f"{name}: {fact}" for name, fact in facts.items()]
    return panel(title, [study.question, *lines, *_facts(study)[1:]])


def sweep_html(sweep: Sweep) -> str:
    """Return a sweep that is yet to be played: its axes, how much is played, its study."""
    axes = {axis.key: f"{len(axis.values)} values" for axis in sweep.axes}
    played = f"{len(sweep.points):,} points of {sweep.base.count:,} {sweep.base.unit}"
    return design_html(sweep.base.title or "A sweep", sweep.base, axes | {"played": played})


def tournament_html(tournament: Tournament) -> str:
    """Return a tournament that is yet to be played: who meets, how much, its study."""
    facts = {
        "players": ", ".join(player.name for player in tournament.players),
        "played": f"{len(tournament.tables):,} tables of {tournament.seats}, "
        f"{tournament.rounds:,} rounds",
    }
    return design_html(tournament.base.title or "A tournament", tournament.base, facts)


_HTML: dict[type, Callable[[Any], str]] = {
    Deck: deck_html,
    Player: player_html,
    Rules: rules_html,
    Study: study_html,
    Sweep: sweep_html,
    Tournament: tournament_html,
}


def shown(thing: Any) -> str | None:
    """Return anything that is played, or the account of it, as notebooks show it."""
    for kind, html_of in _HTML.items():
        if isinstance(thing, kind):
            return html_of(thing)
    return trace_html(thing) if hasattr(thing, "events") else None
