"""A summary in words and columns, for terminals and notebooks. Needs nothing but the summary."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sim.game.deck import POWERS
from sim.texts import columns, padded

WIDTH = 100
"""Columns of a terminal that everything fits into."""

NONE = "-"
"""What stands for a number that does not exist."""


_REASONS = {"bao": "BAO", "second_recycling": "automatic end", "turn_cap": "turn cap"}
_GAME_REASONS = {
    "threshold": "threshold",
    "max_rounds": "round cap",
    "tie_break_cap": "undecided tie",
}
_PLUCKS = {"own_hit": "own", "rival_hit": "rival's", "double_hit": "double", "missed": "missed"}


# --- numbers --------------------------------------------------------------------------------------


def decimals(half: float | None, most: int = 6) -> int:
    """Return how many decimals show an interval's half-width with two digits that count."""
    if half is None or half <= 0 or not math.isfinite(half):
        return 2
    return min(max(1 - math.floor(math.log10(half)), 0), most)


def share(part: int, whole: int) -> str:
    """Return ``12.3 %``; only none is shown as ``0 %``, only all as ``100 %``."""
    if whole == 0:
        return NONE
    if part in (0, whole):
        return "0 %" if part == 0 else "100 %"
    shown = f"{100 * part / whole:.1f} %"
    return {"0.0 %": "<0.1 %", "100.0 %": ">99.9 %"}.get(shown, shown)


def counted(number: int, noun: str) -> str:
    """Return ``1 round`` or ``2,000 rounds``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def fixed(value: float | None, places: int) -> str:
    """Return a number with so many decimals; never ``-0.00``."""
    if value is None:
        return NONE
    return f"{round(value, places) + 0.0:.{places}f}"


def _with_intervals(
    summary: Mapping[str, Any], name: str, scale: float = 1
) -> list[tuple[str, str]]:
    """Return each seat's value and interval, with decimals that suit the widest interval."""
    pairs = [(player[name], player[f"{name}_ci95"]) for player in summary["players"]]
    widths = [high - low for value, (low, high) in pairs if None not in (value, low, high)]
    places = decimals(scale * max(widths) / 2) if widths else 2
    return [
        (_scaled(value, scale, places), NONE if low is None else _span(low, high, scale, places))
        for value, (low, high) in pairs
    ]


def _scaled(value: float | None, scale: float, places: int) -> str:
    return fixed(None if value is None else scale * value, places)


def _span(low: float, high: float, scale: float, places: int) -> str:
    return f"{_scaled(low, scale, places)} to {_scaled(high, scale, places)}"


# --- columns --------------------------------------------------------------------------------------


def align(
    rows: Iterable[Sequence[str]],
    headings: Sequence[str] = (),
    *,
    left: Sequence[int] = (0,),
    width: int = WIDTH,
) -> list[str]:
    """Return rows as lines of aligned columns, two spaces between them.

    Args:
        rows: Cells; all rows of one length.
        headings: Of the columns; may be left out.
        left: Columns that are flush left; if the last one is, it is wrapped to `width`.
        width: Columns of the terminal.
    """
    body = [list(map(str, row)) for row in rows]
    table = [list(headings), *body] if headings else body
    if not table:
        return []
    last = len(table[0]) - 1
    widths = [max(columns(row[k]) for row in table) for k in range(last + 1)]
    lines = []
    for row in table:
        cells = [padded(cell, widths[k], right=k not in left) for k, cell in enumerate(row)]
        lines += _wrapped(cells, row, last in left, width)
    return lines


def _wrapped(cells: list[str], row: list[str], wrap: bool, width: int) -> list[str]:
    """Return one row as lines: the last cell goes on below itself where it is too long."""
    line = "  ".join(cells).rstrip()
    if not wrap or columns(line) <= width:
        return [line]
    start = "  ".join(cells[:-1]) + "  "
    room = max(width - columns(start), 30)
    first, *more = textwrap.wrap(row[-1], room) or [""]
    return [start + first, *(" " * columns(start) + text for text in more)]


def paragraph(label: str, text: str, indent: int = 13) -> list[str]:
    """Return ``label   text``, wrapped, the text in a column of its own."""
    first = label.ljust(indent)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=" " * indent)


# --- a summary ------------------------------------------------------------------------------------


def summary_text(
    summary: Mapping[str, Any], *, title: str = "", compile_seconds: float | None = None
) -> str:
    """Return the table that ``baobei run`` prints: at most 100 columns, no line break at its end.

    Args:
        summary: Of a run.
        title: Of the study.
        compile_seconds: Time that compiling or loading the engine took; None leaves it out.
    """
    blocks = [
        _header(summary, title),
        _seats(summary) + _notes(summary),
        ["Plucks and powers of a seat in a round:", *align(_doing_rows(summary), _DOING, left=())],
        _facts(summary),
        _speed(summary, compile_seconds),
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def _header(summary: Mapping[str, Any], title: str) -> list[str]:
    lines = [title] if title else []
    lines += textwrap.wrap(headline(summary), WIDTH, subsequent_indent="  ")
    if summary["rules_changed"]:
        lines += paragraph("rules changed:", changes(summary["rules_changed"]), 15)
    return lines


def headline(summary: Mapping[str, Any]) -> str:
    """Return what was played, on one line."""
    deck = summary["deck"] + (" (assumed)" if summary["deck_assumed"] else "")
    played = counted(summary["rounds"], "round")
    if summary["games"] is not None:
        assumed = " (assumed)" if summary["threshold_assumed"] else ""
        points = f"{summary['game']['threshold']:,} points{assumed}"
        played = f"{counted(summary['games'], 'game')} to {points}"
    seats = f"{len(summary['players'])} players"
    edition = f"{summary['edition']} edition"
    return f"BAO BEI, {edition}, deck {deck}: {seats}, {played}, seed {summary['seed']}"


def changes(changed: Mapping[str, Any]) -> str:
    """Return changed rule options as ``a=1, b.2=6``, as ``--rule`` takes them."""
    parts = []
    for name, value in changed.items():
        entries = value.items() if isinstance(value, Mapping) else [("", value)]
        for entry, setting in entries:
            key = f"{name}.{entry}" if entry else name
            shown = str(setting).lower() if isinstance(setting, bool) else str(setting)
            parts.append(f"{key}={shown}")
    return ", ".join(parts)


_SEAT_HEADINGS: tuple[str, ...] = ("seat", "strategy", "wins %", "95 % interval")
_SEAT_HEADINGS += ("score", "95 % interval", "BAO %", "won %", "cards")


def _seats(summary: Mapping[str, Any]) -> list[str]:
    """Return the main table; names that are too long for it are cut and told in full below."""
    rows = _seat_rows(summary)
    over = max(len(line) for line in align(rows, _SEAT_HEADINGS, left=(1,))) - WIDTH
    room = max(len(row[1]) for row in rows) - max(over, 0)
    below = []
    for row in rows:
        if len(row[1]) > room:
            below.append(f"   {row[0]}: {row[1]}")
            row[1] = row[1][: room - 3] + "..."
    return align(rows, _SEAT_HEADINGS, left=(1,)) + below


def _seat_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    shares = _with_intervals(summary, "win_share", 100)
    scores = _with_intervals(summary, "score_mean")
    return [
        [
            str(player["seat"]),
            player["strategy"],
            *shares[k],
            *scores[k],
            _percent(player["bao_called"], summary["rounds"]),
            _percent(player["bao_won"], player["bao_called"]),
            fixed(player["cards_left_mean"], 2),
        ]
        for k, player in enumerate(summary["players"])
    ]


_STOPS = {
    "interrupted": "interrupted; the same command goes on",
    "max_rounds": "by the limit of rounds",
    "max_games": "by the limit of games",
    "max_seconds": "by the limit of time",
}


def _notes(summary: Mapping[str, Any]) -> list[str]:
    """Return what there is to say of a run that is a part, looked at itself, or met a limit."""
    lines = []
    reason, target = summary["stopped_by"], summary.get("until")
    if reason in _STOPS:
        lines += paragraph("stopped", _STOPS[reason])
    if target is not None:
        asked = f"{target['metric']}[{target['seat']}] ±{target['half_width']:g}"
        outcome = "reached" if target["reached"] else "not reached"
        looks = counted(target["looks"], "look")
        text = f"{asked}: {outcome} after {looks}; the intervals allow for all of them"
        lines += paragraph("until", text)
    ranges = summary.get("ranges", [])
    if reason == "range" or [begin for begin, _ in ranges] not in ([], [0]):
        unit = "rounds" if summary["games"] is None else "games"
        shown = [f"{begin:,} to {end - 1:,}" for begin, end in ranges[:4]]
        shown += ["..."] if len(ranges) > 4 else []
        lines += paragraph("a part", f"{unit} {', '.join(shown)} of the study")
    return ["", *lines] if lines else []


def _percent(part: int, whole: int) -> str:
    return share(part, whole).removesuffix(" %")


_DOING = ("seat", *_PLUCKS.values(), *POWERS)


def _doing_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    rounds = summary["rounds"]
    return [
        [
            str(player["seat"]),
            *(fixed(count / rounds, 3) for count in player["plucks"].values()),
            *(fixed(count / rounds, 3) for count in player["powers"].values()),
        ]
        for player in summary["players"]
    ]


def _facts(summary: Mapping[str, Any]) -> list[str]:
    rounds, bao = summary["rounds"], summary["bao"]
    ends = _shares(summary["ends"], rounds, _REASONS)
    called = f"called in {share(bao['called'], rounds)} of rounds"
    if bao["called"]:
        fates = {name: count for name, count in bao.items() if name != "called"}
        called += f"; of these {_shares(fates, bao['called'], {})}"
    lines = _game_facts(summary)
    lines += paragraph("rounds end", f"by {ends}")
    lines += paragraph("BAO", called)
    lines += paragraph("turns", spread(summary["turns"]))
    pairs = summary["recyclings"]["histogram"]
    shown = [f"{value}: {share(count, rounds)}" for value, count in pairs[:4]]
    rest = sum(count for _, count in pairs[4:])
    shown += [f"more: {share(rest, rounds)}"] if rest else []
    lines += paragraph("recyclings", ", ".join(shown))
    return lines + (_designer_facts(summary) if "positions" in summary else [])


def _designer_facts(summary: Mapping[str, Any]) -> list[str]:
    """Return the most telling of the numbers for designers; an older summary has none."""
    lines = _call_facts(summary) if summary["calls"]["called"] else []
    leads = summary["leads"]
    lost = leads["loser_led"]
    told = f"changes {fixed(leads['changes']['mean'], 1)} times a round"
    if lost["rounds"]:
        turns = fixed(lost["turns_left"]["mean"], 1)
        told += f"; a later loser leads until {turns} turns before the end"
    lines += paragraph("the lead", told)
    windows, players = summary["windows"], summary["players"]
    chances = share(windows["with_chance"], windows["opened"])
    left = share(windows["left"], windows["with_chance"])
    missed = [_part(player["pluck_chances"]["missed_share"]) for player in players]
    told = f"{chances} of windows hold a chance to pluck, {left} of these pass unused; "
    told += f"chances missed by seat: {', '.join(missed)} %"
    lines += paragraph("chances", told)
    places = [_part(place["win_share"]) for place in summary["positions"]]
    low, high = summary["positions"][0]["win_share_ci95"]
    margin = "" if low is None else f" (the first: {_part(low)} to {_part(high)})"
    told = f"rounds won by place in the turn order: {', '.join(places)} %{margin}"
    return lines + paragraph("seats", told)


def _call_facts(summary: Mapping[str, Any]) -> list[str]:
    """Return on what BAO is called, and what the Shield does to its success."""
    calls, shields = summary["calls"], summary["shields"]
    means = {name: calls[name]["mean"] for name in ("turn", "total", "unknown")}
    told = f"in turn {fixed(means['turn'], 1)}, on {fixed(means['total'], 1)} points, "
    told += f"{fixed(means['unknown'], 2)} cards unknown (means); "
    told += f"{share(calls['lowest']['called'], calls['called'])} alone lowest then"
    lines = paragraph("calls", told)
    up, down = (shields["outcomes"][name] for name in ("up", "down"))
    if up["called"]:
        told = f"up after {share(up['called'], calls['called'])} of calls, of which "
        told += f"{share(up['won'], up['called'])} succeed; of the others "
        told += f"{share(down['won'], down['called'])}"
        lines += paragraph("Shield", told)
    return lines


def _part(value: float | None) -> str:
    """Return a share in per cent, without the sign."""
    return fixed(None if value is None else 100 * value, 1)


def _game_facts(summary: Mapping[str, Any]) -> list[str]:
    game = summary["game"]
    if game is None:
        return []
    games = summary["games"]
    ties = f"{share(game['decided_by_deciding_rounds'], games)} of games needed deciding rounds"
    ends = _shares(game["ends"], games, _GAME_REASONS)
    lines = paragraph("games end", f"by {ends}; {ties}")
    length = f"{spread(game['rounds'])}; {summary['rounds']:,} in all"
    per_game = summary["rounds"] / games
    sums = [fixed(player["score_mean"] * per_game, 1) for player in summary["players"]]
    lines += paragraph("rounds", length)
    comebacks = summary.get("comebacks")
    if comebacks and comebacks["games"]:
        half, last = comebacks["half"], share(comebacks["after_last"], comebacks["games"])
        told = f"{last} of games are won by a player who had been last, "
        told += f"{share(half['leader_won'], half['games'])} by who leads halfway; the most made "
        told += f"up is {comebacks['deficit']['max']} points"
        lines += paragraph("comebacks", told)
    return lines + paragraph("sums", f"of a game's scores, mean by seat: {', '.join(sums)}")


def _shares(counts: Mapping[str, int], whole: int, words: Mapping[str, str]) -> str:
    return ", ".join(f"{words.get(k, k)} {share(count, whole)}" for k, count in counts.items())


def spread(numbers: Mapping[str, Any]) -> str:
    """Return mean, median and extremes in words."""
    median = numbers["median"]
    middle = f"{median:.1f}" if isinstance(median, float) else str(median)
    return (
        f"mean {fixed(numbers['mean'], 2)} (sd {fixed(numbers['sd'], 2)}), median {middle}, "
        f"{numbers['min']} to {numbers['max']}"
    )


def _speed(summary: Mapping[str, Any], compile_seconds: float | None) -> list[str]:
    rate = summary["rounds_per_second"]
    line = f"{counted(summary['rounds'], 'round')} played in {summary['seconds']:.2f} s"
    line += "" if rate is None else f", {rate:,.0f} a second"
    if compile_seconds is not None and compile_seconds >= 0.05:
        line += f"; {compile_seconds:.1f} s before that to compile or load the engine"
    return [line]


def summary_html(summary: Mapping[str, Any], *, title: str = "", question: str = "") -> str:
    """Return the tables of a summary as HTML, for notebooks.

    Args:
        summary: Of a run.
        title: Of the study.
        question: Of the study.
    """
    from analysis.display import folded, html_table, panel, text_lines

    changed = summary["rules_changed"]
    lines = [question, headline(summary)]
    lines += [f"rules changed: {changes(changed)}"] if changed else []
    lines += [line for line in _notes(summary) if line]
    doing = html_table(_DOING, _doing_rows(summary))
    return panel(
        title,
        lines,
        html_table(_SEAT_HEADINGS, _seat_rows(summary), left=(1,)),
        text_lines(_LABEL.sub(r"\1: ", line) for line in _facts(summary)),
        folded("plucks and powers of a seat in a round", doing),
    )


_LABEL = re.compile(r"^(\S+(?: \S+)*) {2,}")
"""The label of a paragraph and the room beside it."""


def setting(value: Any) -> str:
    """Return a setting as ``--rule`` takes it; a table by number of players in short."""
    if not isinstance(value, Mapping):
        if isinstance(value, float):
            return f"{value:g}"
        return str(value).lower() if isinstance(value, bool) else str(value)
    players: dict[int, list[str]] = {}
    for number, setting in value.items():
        players.setdefault(setting, []).append(str(number))
    if len(players) == 1:
        return str(next(iter(players)))
    parts = (f"{setting} for {_numbers(numbers)}" for setting, numbers in players.items())
    return ", ".join(parts) + " players"


def _numbers(numbers: Sequence[str]) -> str:
    consecutive = [str(n) for n in range(int(numbers[0]), int(numbers[-1]) + 1)] == list(numbers)
    return f"{numbers[0]}-{numbers[-1]}" if consecutive and numbers[1:] else "/".join(numbers)
