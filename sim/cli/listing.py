"""What ``baobei list`` prints: decks, rule options, players and metrics, as text or JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from analysis.text.numbers import setting
from analysis.text.terminal import WIDTH, align, paragraph
from analysis.words import DEFAULT, Language, language
from sim.errors import unknown_name, within
from sim.game.deck import Deck, load_deck, shipped_decks
from sim.game.documents import to_json
from sim.game.players import KINDS, Player, load_player, shipped_players, value_text
from sim.game.rules import EDITIONS, Rules

if TYPE_CHECKING:
    from sim.metrics import Metric


def decks(names: Sequence[str], as_json: bool, lang: str = DEFAULT) -> str:
    """Return the decks of these names or files, all shipped ones if there are none.

    Args:
        names: Of decks.
        as_json: As JSON, which is the same in every language.
        lang: Language of the birds' names; birds of the user's own keep theirs.

    Raises:
        InputError: No such deck, or no such language.
    """
    with within(where="--lang"):
        called = language(lang)
    found = [load_deck(name) for name in names or shipped_decks()]
    if as_json:
        facts = ({"size": deck.size, "fingerprint": deck.fingerprint} for deck in found)
        return to_json([deck.to_dict() | more for deck, more in zip(found, facts, strict=True)])
    return "\n\n".join("\n".join(_deck(deck, called)) for deck in found)


def _deck(deck: Deck, called: Language) -> list[str]:
    assumed = "; the numbers of copies are an assumption" if deck.assumed else ""
    lines = [f"{deck.name}: {deck.size} cards{assumed}"]
    lines += paragraph("  title", deck.title) if deck.title else []
    for label, facts in (("  known", deck.known), ("  assumed", deck.assumptions)):
        for fact in facts:
            lines += paragraph(label, fact)
            label = ""
    rows = []
    for bird in deck.birds:
        name, facts = called.bird(bird.id, bird.name), (str(bird.value), str(bird.copies))
        rows.append([bird.id, name, *facts, bird.family, bird.power or "-"])
    headings = ("bird", "name", "value", "copies", "family", "power")
    table = align(rows, headings, left=(0, 1, 4, 5))
    return [*lines, "", *(f"  {line}" for line in table)]


def rules(names: Sequence[str], as_json: bool) -> str:
    """Return the rule options of these names, all if there are none.

    Raises:
        InputError: No such option.
    """
    options = {option["name"]: option for option in Rules.options()}
    found = [_named("rule option", name, options) for name in names or options]
    if as_json:
        return to_json(found)
    lines = ["Rule options; change one with --rule KEY=VALUE. [The rule that it changes.]"]
    for option in found:
        lines += ["", *_option(option)]
    return "\n".join(lines)


def _option(option: Mapping[str, Any]) -> list[str]:
    settings = setting(option["second"])
    if option["first"] != option["second"]:
        parts = (f"{setting(option[edition])} ({edition} edition)" for edition in EDITIONS)
        settings = ", ".join(parts)
    unit = f", in {option['unit']}" if option.get("unit") else ""
    return [
        f"{option['name']} = {settings}",
        *paragraph("", f"{option['description']} [{option['rule']}]", 4),
        *paragraph("", f"{option['expected']}{unit}", 4),
    ]


def players(names: Sequence[str], as_json: bool) -> str:
    """Return the players of these names or files: one whole, several by their differences.

    Raises:
        InputError: No such player.
    """
    if as_json:
        found = [load_player(name) for name in names or shipped_players()]
        kinds = {kind: model.parameters() for kind, model in KINDS.items()}
        return to_json({"players": [player.to_dict() for player in found], "kinds": kinds})
    if not names:
        return "\n".join(_all_players())
    found = [load_player(name) for name in names]
    return "\n".join(_one_player(found[0]) if len(found) == 1 else _compared(found))


def _all_players() -> list[str]:
    shipped = [load_player(name) for name in shipped_players()]
    rows = [[player.name, player.kind, player.character] for player in shipped]
    lines = align(rows, ("player", "kind", "character"), left=(0, 1, 2))
    for kind, model in KINDS.items():
        lines += ["", f"Parameters of {kind} players; 'baobei list players A B' compares two:"]
        headings = ("parameter", "default", "what it does [values]")
        cells = [_parameter(spec, spec["default"]) for spec in model.parameters()]
        lines += align(cells, headings, left=(0, 2))
    return lines


def _one_player(player: Player) -> list[str]:
    lines = paragraph(f"{player.name}: ", player.character or f"a {player.kind} player", 0)
    values = player.values
    cells = [_parameter(spec, values[spec["name"]]) for spec in player.parameters()]
    return [*lines, "", *align(cells, ("parameter", "value", "what it does [values]"), left=(0, 2))]


def _parameter(spec: Mapping[str, Any], value: Any) -> list[str]:
    return [spec["name"], value_text(value), f"{spec['description']} [{_range(spec)}]"]


def _range(spec: Mapping[str, Any]) -> str:
    if "choices" in spec:
        return ", ".join(spec["choices"])
    if spec["type"] == "boolean":
        return "true, false"
    unit = f" {spec['unit']}" if spec.get("unit") not in (None, "", "share") else ""
    return f"{value_text(spec['min'])} to {value_text(spec['max'])}{unit}"


def _compared(found: Sequence[Player]) -> list[str]:
    """Return the parameters in which players differ, a column for each player."""
    lines = align([[player.name, player.character] for player in found], left=(0, 1))
    parameters: dict[str, Any] = {}
    for player in found:
        parameters |= {spec["name"]: spec for spec in player.parameters()}
    rows = []
    for name, spec in parameters.items():
        shown = [
            value_text(player.values[name]) if name in player.values else "-" for player in found
        ]
        if len(set(shown)) > 1:
            rows.append([name, *shown, spec["description"]])
    if not rows:
        return [*lines, "", "They play alike."]
    headings = ("parameter", *(player.name for player in found), "what it does")
    return [*lines, "", *align(rows, headings, left=(0, len(found) + 1))]


def metrics(names: Sequence[str], as_json: bool) -> str:
    """Return the numbers of a summary and the columns of records, with units.

    Args:
        names: Of numbers and columns; all if there are none.
        as_json: As JSON.

    Raises:
        InputError: No such number.
    """
    from dataclasses import asdict

    from analysis.tables import FACTS
    from sim.metrics import SHOWN
    from sim.store.rows import COLUMNS

    named = (*(m.name for m in SHOWN), *(name for name, _ in FACTS), *(c.name for c in COLUMNS))
    known = dict(zip(named, named, strict=True))
    wanted = [_named("metric", name, known) for name in names] or named
    shown = [metric for metric in SHOWN if metric.name in wanted]
    kept = [column for column in COLUMNS if column.name in wanted]
    facts = [(name, meaning) for name, meaning in FACTS if name in wanted]
    if as_json:
        summary = [metric.to_dict() for metric in shown]
        records = [asdict(column) for column in kept]
        run = [{"name": name, "description": meaning} for name, meaning in facts]
        return to_json({"summary": summary, "run": run, "records": records})
    columns = [[c.name, c.type, c.unit or "-", c.description] for c in kept]
    parts = [
        [
            "Numbers of a summary (run --json, summary.json, metrics.parquet).",
            "±: with a 95 % interval; (±): the same, but not where games are played.",
            *_metric_lines(shown),
        ],
        [
            "What a summary says of the run itself:",
            *align(facts, ("name", "meaning"), left=(0, 1)),
        ],
        [
            "Columns of records (run --records): one row for each finished round and seat:",
            *align(columns, ("column", "type", "unit", "meaning"), left=(0, 1, 2, 3)),
        ],
    ]
    found = zip((shown, facts, kept), parts, strict=True)
    return "\n\n".join("\n".join(part) for some, part in found if some)


def _metric_lines(metrics: Sequence[Metric]) -> Iterator[str]:
    """Yield metrics as lines, in groups with what they are for."""
    headings = ("name", "of", "unit", "range", "meaning (formula)")
    for purpose, group in groupby(metrics, lambda metric: metric.purpose):
        rows = []
        for metric in group:
            formula = "" if metric.text == "count" else f" ({metric.text})"
            told = f"{metric.description}{formula}{_interval(metric)}"
            rows.append([metric.name, metric.of, metric.unit, metric.range, told])
        yield ""
        yield from textwrap.wrap(f"{purpose[0].upper()}{purpose[1:]}", WIDTH)
        yield from align(rows, headings, left=(0, 1, 2, 3, 4))


def _interval(metric: Metric) -> str:
    if not metric.interval:
        return ""
    return " ±" if metric.interval_with_games else " (±)"


def _named(what: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise unknown_name(what, name, known)
    return known[name]
