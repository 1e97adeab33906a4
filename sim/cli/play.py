"""Commands that play many rounds: run, extend, merge, tournament, sweep, compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from sim.cli.asked import make_comparison, make_exploit, make_study, make_sweep, make_tournament
from sim.cli.options import (
    MAX_UNITS,
    Span,
    Wanted,
    Whole,
    change_options,
    count_options,
    game_options,
    json_option,
    out_option,
    quiet_option,
    report_option,
    seconds_option,
    seed_option,
    stacked,
    table_options,
    wanted,
    worker_options,
)
from sim.cli.program import main, tell
from sim.errors import InputError, within

DEFAULT_ROUNDS = 1_000_000
"""What the built-in study says."""

many_options = stacked(worker_options, out_option, report_option, json_option, quiet_option)
"""Who plays many studies, and what becomes of the results."""


@main.command(epilog="Example: baobei run --players balanced,sharp,cautious --rounds 1e6 --seed 7")
@table_options
@count_options("Rounds to play.", "Whole games to play instead.")
@click.option(
    "--range", "only", type=Span(), help="Only these rounds (games) of the study, from 0."
)
@click.option(
    "--until",
    metavar="METRIC[SEAT]±WIDTH",
    help="Stop when an interval is so narrow, as in 'win_share[0]±0.001' or 'score_mean[1]+-0.05'.",
)
@click.option("--max-rounds", type=Whole(1, MAX_UNITS), help="Play at most so many rounds.")
@click.option("--max-games", type=Whole(1, MAX_UNITS), help="Play at most so many games.")
@seconds_option
@worker_options
@out_option
@click.option("--records", is_flag=True, help="Also write one row for each round and seat.")
@report_option
@json_option
@quiet_option
@wanted
def run(
    only: tuple[int, int] | None,
    until: str | None,
    max_rounds: int | None,
    max_games: int | None,
    max_seconds: float | None,
    records: bool,
    wanted: Wanted,
    **table: Any,
) -> None:
    """Play rounds or games at one table and print the summary.

    Without arguments a built-in study is played. The result is the same, byte for byte, for any
    number of threads or processes, and whether or not the run was interrupted: the same command
    goes on where it stopped, if it has a folder.
    """
    if records and wanted.out is None:
        raise InputError("records need a folder", where="--records", expected="--out FOLDER")
    study = make_study(**table)
    limits: dict[str, Any] = {"only": only, "until": until, "max_seconds": max_seconds}
    limits |= {"max_rounds": max_rounds, "max_games": max_games}
    given = {name: value for name, value in limits.items() if value is not None}
    wanted.show(wanted.play("run", study, records=records, out=wanted.out, **given))


@main.command(epilog="Example: baobei extend my-results --rounds 3e6")
@click.argument("folder")
@count_options("Rounds that there are to be in all.", "The same for a study of games.")
@seconds_option
@worker_options
@json_option
@quiet_option
@wanted
def extend(
    folder: str, rounds: int | None, games: int | None, max_seconds: float | None, wanted: Wanted
) -> None:
    """Play more of the study that a folder holds.

    The result is the one that a single longer run would have given, and takes the place of the
    shorter one. --rounds or --games is the new number in all, not how many more.
    """
    if (rounds is None) == (games is None):
        expected = "one of --rounds and --games, the new number in all"
        raise InputError("rounds or games?", where="--rounds", expected=expected)
    limit: dict[str, Any] = {} if max_seconds is None else {"max_seconds": max_seconds}
    wanted = replace(wanted, out=folder)
    wanted.show(wanted.play("extend", folder, rounds=rounds, games=games, **limit))


@main.command(epilog="Example: baobei merge part-1 part-2 part-3 --out whole")
@click.argument("folders", metavar="FOLDER FOLDER...", nargs=-1, required=True)
@click.option("--out", metavar="FOLDER", required=True, help="A new folder for the whole.")
@json_option
@quiet_option
@wanted
def merge(folders: tuple[str, ...], wanted: Wanted) -> None:
    """Put together runs of one study over ranges with nothing in common.

    They have to be of the same study, rules, seed and version of the engine, and no round may be
    in two of them. The result is the one that a single run over all of them would have given.
    """
    if not wanted.out:
        raise InputError(expected="the name of a folder", where="--out", got=wanted.out)
    from sim import api

    wanted.show(api.merge(folders, wanted.out))


@main.command(epilog="Example: baobei tournament --players sharp,balanced,novice --rounds 1e5")
@table_options
@click.option("--seats", type=Whole(2, 6), help="Players at a table; 4 if left out.")
@count_options("Rounds in all, at least.", "")
@many_options
@wanted
def tournament(wanted: Wanted, **table: Any) -> None:
    """Let many players meet at one kind of table, and rank them.

    All combinations of players are played, in all rotations of seats, equally often. With --set,
    SEAT is a player's place in the list, from 0. Without arguments all players of the program meet.
    """
    result = wanted.play("tournament", make_tournament(**table), out=wanted.out)
    wanted.show(result)
    if not wanted.as_json:
        click.echo(f"\n{result.company}")


@main.command(epilog="Example: baobei exploit balanced --seats 4 --save response.toml")
@click.argument("player", metavar="PLAYER")
@click.option(
    "--players", "others", metavar="A,B,C", help="Who else sits there; if left out, its copies."
)
@click.option("--seats", type=Whole(2, 6), help="Players at the table; 4 if left out.")
@click.option("--vary", metavar="PARAM,PARAM", help="Change only these parameters.")
@game_options
@seed_option
@count_options("Rounds to search with, about.", "Games instead: to win games.")
@click.option(
    "--confirm", type=Whole(2, MAX_UNITS), help="Rounds (games) that confirm the gain on new deals."
)
@click.option("--save", metavar="FILE.toml", help="Write the best response as a player's file.")
@worker_options
@out_option
@json_option
@quiet_option
@wanted
def exploit(wanted: Wanted, save: str | None, **table: Any) -> None:
    """Look for the best response to a player, over its parameters.

    PLAYER is a name or a file. A challenger that begins as this player sits with copies of it, and
    changes until it wins as much as it can. How much that is, is how far the player is from the
    best that its parameters allow. What it was given by nature stays: memory, attention, speed.
    """
    asked = make_exploit(**table)
    import tomli_w

    from sim.store.files import check_file, put

    path = None
    if save is not None:
        with within(where="--save"):
            path = check_file(save)
    result = wanted.play("exploit", asked, out=wanted.out)
    wanted.show(result)
    if path is not None:
        put(path, tomli_w.dumps(result.challenger.to_dict()))
        if not wanted.quiet:
            tell(f"the best response is {save}")


@main.command(epilog="Example: baobei sweep --over 0.bao_threshold=0,2,4,6,8 --rounds 1e5")
@table_options
@click.option(
    "--over",
    metavar="KEY=VALUES",
    multiple=True,
    help="What to vary: SEAT.PARAM, rules.OPTION, deck.BIRD (copies), SEAT.player, players, deck "
    "or edition; values as 0,2,4 or {from=0,to=1,steps=6}; may be repeated.",
)
@count_options(
    "Rounds to play at each point; if left out, as many as the study says: without one "
    f"{DEFAULT_ROUNDS:,}.",
    "Whole games to play at each instead.",
)
@many_options
@wanted
def sweep(study: str | None, over: Sequence[str], wanted: Wanted, **table: Any) -> None:
    """Play a study again and again, with players, rules or deck changed.

    What is changed stands in the table [sweep] of the study file, or after --over. All points are
    played on the same deals. 'baobei list players' and 'baobei list rules' show what there is.
    """
    wanted.show(wanted.play("sweep", make_sweep(study, over, **table), out=wanted.out))


@main.command(epilog="Example: baobei compare --rule bao_failure_minimum=10 --rounds 1e5")
@click.argument("studies", metavar="[A.toml] [B.toml]", nargs=-1)
@change_options
@seed_option
@count_options("Rounds of each study.", "Whole games of each instead.")
@click.option(
    "--rotate/--no-rotate",
    "rotate",
    default=None,
    help="Play every deal in all rotations of the seats, or leave players where they are; if left "
    "out, rotate where the players of a study differ.",
)
@worker_options
@out_option
@click.option("--all", "everything", is_flag=True, help="Show all differences, sure or not.")
@report_option
@json_option
@quiet_option
@wanted
def compare(studies: tuple[str, ...], everything: bool, wanted: Wanted, **table: Any) -> None:
    """Play two studies on the same deals, and show how all numbers differ and how surely.

    With one study, or none for the built-in one, --players, --edition, --deck, --rule and --set
    make the second study from it; --seed, --rounds and --games hold for both.
    """
    asked = make_comparison(studies, **table)
    from sim.game.comparison import changed

    notes = [*asked.notes, *([] if changed(asked.a, asked.b) else [_UNCHANGED])]
    result = wanted.play("play_comparison", asked, notes=notes, out=wanted.out)
    wanted.show(result, everything)


_UNCHANGED = (
    "nothing is changed, so both studies play the same; a change is a second study, or --players, "
    "--edition, --deck, --rule or --set"
)
