"""A run in words and columns, for terminals and notebooks. Needs nothing but its summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.blocks import Block, Column, Folded, Heading, Letters, Sentence, Table, columns, fact
from analysis.text.numbers import counted, fixed, scaled, share, with_intervals
from analysis.text.played import speed
from analysis.text.terminal import draw, fitted
from sim.game.base import told_changes

_REASONS = {"bao": "BAO", "second_recycling": "automatic end", "turn_cap": "turn cap"}
_GAME_REASONS = {
    "threshold": "threshold",
    "max_rounds": "round cap",
    "tie_break_cap": "undecided tie",
}
_PLUCKS = {"own_hit": "own", "rival_hit": "rival's", "double_hit": "double", "missed": "missed"}


def summary_text(
    summary: Mapping[str, Any], *, title: str = "", compile_seconds: float | None = None
) -> str:
    """Return the table that ``baobei run`` prints: at most 100 columns, no line break at its end.

    Args:
        summary: Of a run.
        title: Of the study.
        compile_seconds: Time that compiling or loading the engine took; None leaves it out.
    """
    seats, rounds, seconds = _seats(summary), summary["rounds"], summary["seconds"]
    return draw(
        [Heading(title), *_played(summary)],
        [seats, *_in_full(seats)],
        _notes(summary),
        [_doing(summary)],
        _facts(summary),
        speed(rounds, "round", seconds, places=2, before=compile_seconds or 0.0),
    )


def run_blocks(summary: Mapping[str, Any], title: str, question: str) -> list[Block]:
    """Return what notebooks show of a run."""
    lead = [Heading(title), Sentence(question), *_played(summary), *_notes(summary)]
    doing = _doing(summary)
    folded = Folded(_DOING.lower(), [Table("", doing.columns, doing.rows)])
    return [*lead, _seats(summary), *_facts(summary), folded]


def _played(summary: Mapping[str, Any]) -> list[Sentence]:
    changed = told_changes(summary["rules_changed"])
    rules = [Sentence(changed, "rules changed:", indent=15)] if changed else []
    deck = summary["deck"] + (" (assumed)" if summary["deck_assumed"] else "")
    played = counted(summary["rounds"], "round")
    if summary["games"] is not None:
        assumed = " (assumed)" if summary["threshold_assumed"] else ""
        points = f"{summary['game']['threshold']:,} points{assumed}"
        played = f"{counted(summary['games'], 'game')} to {points}"
    seats = f"{len(summary['players'])} players"
    edition = f"{summary['edition']} edition"
    told = f"BAO BEI, {edition}, deck {deck}: {seats}, {played}, seed {summary['seed']}"
    return [Sentence(told, hanging=2), *rules]


_SEATS: tuple[str, ...] = ("seat", "strategy", "wins %", "95 % interval")
_SEATS += ("score", "95 % interval", "BAO %", "won %", "cards")


def _seats(summary: Mapping[str, Any]) -> Table:
    players = summary["players"]
    shares = with_intervals(players, "win_share", 100)
    scores = with_intervals(players, "score_mean")
    rows = [
        [
            str(player["seat"]),
            player["strategy"],
            *shares[k],
            *scores[k],
            _percent(player["bao_called"], summary["rounds"]),
            _percent(player["bao_won"], player["bao_called"]),
            fixed(player["cards_left_mean"], 2),
        ]
        for k, player in enumerate(players)
    ]
    heads = [Column(name, k != 1, cut=k == 1) for k, name in enumerate(_SEATS)]
    return Table("", heads, rows)


def _in_full(seats: Table) -> Iterator[Block]:
    """Yield the names that are too long for the table, in full."""
    shown = fitted(seats)
    for row, whole in zip(shown.rows, seats.rows, strict=True):
        if row[1] != whole[1]:
            yield Letters(f"   {whole[0]}: {whole[1]}")


_STOPS = {
    "interrupted": "interrupted; the same command goes on",
    "max_rounds": "by the limit of rounds",
    "max_games": "by the limit of games",
    "max_seconds": "by the limit of time",
}


def _notes(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    """Yield what there is to say of a run that is a part, looked at itself, or met a limit."""
    reason, target = summary["stopped_by"], summary.get("until")
    if reason in _STOPS:
        yield fact("stopped", _STOPS[reason])
    if target is not None:
        asked = f"{target['metric']}[{target['seat']}] ±{target['half_width']:g}"
        end = "reached" if target["reached"] else "not reached"
        looks = counted(target["looks"], "look")
        told = f"{asked}: {end} after {looks}; the intervals allow for all of them"
        yield fact("until", told)
    ranges = summary.get("ranges", [])
    if reason == "range" or [begin for begin, _ in ranges] not in ([], [0]):
        unit = "rounds" if summary["games"] is None else "games"
        shown = [f"{begin:,} to {end - 1:,}" for begin, end in ranges[:4]]
        shown += ["..."] if len(ranges) > 4 else []
        yield fact("a part", f"{unit} {', '.join(shown)} of the study")


def _percent(part: int, whole: int) -> str:
    return share(part, whole).removesuffix(" %")


_DOING = "Plucks and powers of a seat in a round"


def _doing(summary: Mapping[str, Any]) -> Table:
    rounds, players = summary["rounds"], summary["players"]
    heads = ("seat", *_PLUCKS.values(), *players[0]["powers"])
    rows = [
        [
            str(player["seat"]),
            *(fixed(count / rounds, 3) for count in player["plucks"].values()),
            *(fixed(count / rounds, 3) for count in player["powers"].values()),
        ]
        for player in players
    ]
    return Table(f"{_DOING}:", columns(heads), rows)


def _facts(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    rounds, bao = summary["rounds"], summary["bao"]
    ends = _shares(summary["ends"], rounds, _REASONS)
    called = f"called in {share(bao['called'], rounds)} of rounds"
    if bao["called"]:
        fates = {name: count for name, count in bao.items() if name != "called"}
        called += f"; of these {_shares(fates, bao['called'], {})}"
    yield from _game_facts(summary)
    yield fact("rounds end", f"by {ends}")
    yield fact("BAO", called)
    yield fact("turns", spread(summary["turns"]))
    pairs = summary["recyclings"]["histogram"]
    shown = [f"{value}: {share(count, rounds)}" for value, count in pairs[:4]]
    rest = sum(count for _, count in pairs[4:])
    shown += [f"more: {share(rest, rounds)}"] if rest else []
    yield fact("recyclings", ", ".join(shown))
    if "positions" in summary:
        yield from _designer_facts(summary)


def _designer_facts(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    """Return the most telling of the numbers for designers; an older summary has none."""
    if summary["calls"]["called"]:
        yield from _call_facts(summary)
    leads = summary["leads"]
    lost = leads["loser_led"]
    told = f"changes {fixed(leads['changes']['mean'], 1)} times a round"
    if lost["rounds"]:
        turns = fixed(lost["turns_left"]["mean"], 1)
        told += f"; a later loser leads until {turns} turns before the end"
    yield fact("the lead", told)
    windows, players = summary["windows"], summary["players"]
    chances = share(windows["with_chance"], windows["opened"])
    left = share(windows["left"], windows["with_chance"])
    missed = [_in_percent(player["pluck_chances"]["missed_share"]) for player in players]
    told = f"{chances} of windows hold a chance to pluck, {left} of these pass unused; "
    told += f"chances missed by seat: {', '.join(missed)} %"
    yield fact("chances", told)
    places = [_in_percent(place["win_share"]) for place in summary["positions"]]
    low, high = summary["positions"][0]["win_share_ci95"]
    margin = "" if low is None else f" (the first: {_in_percent(low)} to {_in_percent(high)})"
    told = f"rounds won by place in the turn order: {', '.join(places)} %{margin}"
    yield fact("seats", told)


def _call_facts(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    """Return on what BAO is called, and what the Shield does to its success."""
    calls, shields = summary["calls"], summary["shields"]
    means = {name: calls[name]["mean"] for name in ("turn", "total", "unknown")}
    told = f"in turn {fixed(means['turn'], 1)}, on {fixed(means['total'], 1)} points, "
    told += f"{fixed(means['unknown'], 2)} cards unknown (means); "
    told += f"{share(calls['lowest']['called'], calls['called'])} alone lowest then"
    yield fact("calls", told)
    up, down = (shields["outcomes"][name] for name in ("up", "down"))
    if up["called"]:
        told = f"up after {share(up['called'], calls['called'])} of calls, of which "
        told += f"{share(up['won'], up['called'])} succeed; of the others "
        told += f"{share(down['won'], down['called'])}"
        yield fact("Shield", told)


def _in_percent(value: float | None) -> str:
    """Return a share in per cent, without the sign."""
    return fixed(scaled(value, 100), 1)


def _game_facts(summary: Mapping[str, Any]) -> Iterator[Sentence]:
    game = summary["game"]
    if game is None:
        return
    games = summary["games"]
    ties = f"{share(game['decided_by_deciding_rounds'], games)} of games needed deciding rounds"
    ends = _shares(game["ends"], games, _GAME_REASONS)
    yield fact("games end", f"by {ends}; {ties}")
    length = f"{spread(game['rounds'])}; {summary['rounds']:,} in all"
    per_game = summary["rounds"] / games
    sums = [fixed(player["score_mean"] * per_game, 1) for player in summary["players"]]
    yield fact("rounds", length)
    comebacks = summary.get("comebacks")
    if comebacks and comebacks["games"]:
        half, last = comebacks["half"], share(comebacks["after_last"], comebacks["games"])
        told = f"{last} of games are won by a player who had been last, "
        told += f"{share(half['leader_won'], half['games'])} by who leads halfway; the most made "
        told += f"up is {comebacks['deficit']['max']} points"
        yield fact("comebacks", told)
    yield fact("sums", f"of a game's scores, mean by seat: {', '.join(sums)}")


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
