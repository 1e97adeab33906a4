"""Commands that show one round, a scenario, or what exists: trace, check, list, bench."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from sim.cli.asked import make_study
from sim.cli.options import (
    MAX_UNITS,
    Choice,
    Whole,
    count_options,
    json_option,
    lang_option,
    quiet_option,
    table_options,
)
from sim.cli.pages import check_page, write_page
from sim.cli.program import EXIT_CHECK, EXIT_INPUT, main, tell
from sim.errors import InputError, cut, within
from sim.texts import printable


@main.command(epilog="Example: baobei trace --players balanced,sharp --seed 7 --round 17")
@table_options
@click.option("--round", "round_", type=Whole(0, MAX_UNITS - 1), help="Round to show, from 0.")
@click.option("--game", type=Whole(0, MAX_UNITS - 1), help="Whole game to show instead.")
@count_options("Rounds of the run that it is one of.", "Games of the run that it is one of.")
@click.option(
    "--format", "form", type=Choice(["text", "jsonl"]), default="text", help="text or jsonl."
)
@click.option("--explain", is_flag=True, help="Say which estimates each decision was made on.")
@quiet_option
def trace(
    round_: int | None,
    game: int | None,
    rounds: int | None,
    games: int | None,
    form: str,
    explain: bool,
    quiet: bool,
    **table: Any,
) -> None:
    """Show one round or one game, card by card.

    It is played exactly as 'run' with the same options plays it.

    As text for people, or as an event log, one JSON object a line. Without --round and --game the
    first one of the study is shown.
    """
    if round_ is not None and game is not None:
        raise InputError("a round and a game at once", where="--game", expected="one of the two")
    for option, index, most in (("--round", round_, rounds), ("--game", game, games)):
        if index is not None and most is not None and index >= most:
            raise InputError(where=option, expected=f"a number from 0 to {most - 1}", got=index)
    if rounds is None and round_ is not None:
        rounds = round_ + 1
    if games is None and game is not None:
        games = game + 1
    study = make_study(**table, rounds=rounds, games=games)
    _engine(quiet)
    from sim.watch.trace import trace as play

    account = play(study, index=(round_ or 0) if game is None else game, explain=explain)
    click.echo(account.text() if form == "text" else account.jsonl(), nl=False)


@main.command(epilog="Example: baobei check tests/scenarios my-scenario.toml")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@quiet_option
def check(files: tuple[str, ...], quiet: bool) -> None:
    """Play scenario files and compare with what they expect.

    A folder stands for all TOML files in it. Exits with 1 if a scenario failed, with 2 if a file
    is wrong.
    """
    paths, wrong = _scenarios(files)
    _engine(quiet)
    from sim.watch.scenario import check as play

    passed = failed = 0
    for path in paths:
        try:
            outcome = play(path)
        except InputError as error:
            tell(cut(f"Error: {error.inside(where=path)}", 2000))
            wrong += 1
            continue
        passed += outcome.ok
        failed += not outcome.ok
        line = f"ok      {path}" if outcome.ok else f"FAILED  {path}: {outcome.line()}"
        click.echo(printable(line))
    click.echo(f"{passed} passed, {failed} failed")
    if wrong or failed:
        click.get_current_context().exit(EXIT_INPUT if wrong else EXIT_CHECK)


def _scenarios(files: Iterable[str]) -> tuple[list[str], int]:
    """Return the files meant, folders opened, and how many folders have none; says which."""
    paths, empty = [], 0
    for name in files:
        if not Path(name).is_dir():
            paths.append(name)
            continue
        found = sorted(str(path) for path in Path(name).glob("*.toml"))
        if not found:
            tell(f"Error: {name}: no TOML files in this folder")
            empty += 1
        paths += found
    return paths, empty


def _engine(quiet: bool) -> None:
    from sim.batch.progress import announce_compiling

    announce_compiling(quiet)


@main.group("list", epilog="Example: baobei list players balanced sharp")
def list_() -> None:
    """Show what exists: decks, rules, players, metrics."""


@list_.command(epilog="Example: baobei list decks five_per_power --lang it")
@click.argument("names", metavar="[NAME|FILE]...", nargs=-1)
@lang_option(" of the birds")
@json_option
def decks(names: tuple[str, ...], lang: str, as_json: bool) -> None:
    """Show decks.

    Birds, values, families, powers, copies; what is known and what is assumed.
    """
    from sim.cli import listing

    click.echo(listing.decks(names, as_json, lang))


@list_.command(epilog="Example: baobei list rules bao_failure_minimum")
@click.argument("names", metavar="[OPTION]...", nargs=-1)
@json_option
def rules(names: tuple[str, ...], as_json: bool) -> None:
    """Show rule options.

    Both editions' settings, the values allowed, and the rule that an option changes.
    """
    from sim.cli import listing

    click.echo(listing.rules(names, as_json))


@list_.command(epilog="Example: baobei list players balanced sharp")
@click.argument("names", metavar="[NAME|FILE]...", nargs=-1)
@json_option
def players(names: tuple[str, ...], as_json: bool) -> None:
    """Show strategies and their parameters.

    All of them; one, with its values; or how several differ.
    """
    from sim.cli import listing

    click.echo(listing.players(names, as_json))


@list_.command(epilog="Example: baobei list metrics win_share score")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@json_option
def metrics(names: tuple[str, ...], as_json: bool) -> None:
    """Show the numbers of results, with units.

    Those of a summary, and the columns of records.
    """
    from sim.cli import listing

    click.echo(listing.metrics(names, as_json))


@main.command(epilog="Example: baobei report my-results --out my-results.html --lang it")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True)
@click.option(
    "--out", metavar="FILE.html", help="Where to write the page; report.html in the first folder."
)
@lang_option()
@quiet_option
def report(folders: tuple[str, ...], out: str | None, lang: str, quiet: bool) -> None:
    """Make a page of what results say, in words, tables and pictures.

    The page is one HTML file that needs no network: it can be sent by mail, read on a phone and
    printed. FOLDER holds the results of a run, comparison, sweep or tournament; several make one
    page, side by side.
    """
    for folder in folders:
        if not Path(folder).is_dir():
            problem = "not a folder" if Path(folder).exists() else "no such folder"
            raise InputError(problem, where=folder, expected="a folder with results")
    real = [os.path.realpath(folder) for folder in folders]
    twice = next((folder for k, folder in enumerate(folders) if real[k] in real[:k]), None)
    if twice is not None:
        raise InputError("the same folder twice", where=twice, expected="each folder once")
    path = str(Path(folders[0]) / "report.html") if out is None else out
    check_page(path, lang, option="--out")
    write_page(folders, path, lang, quiet)


@main.command(epilog="Example: baobei rank results/strength")
@click.argument("source", metavar="FOLDER|FILE.csv")
@json_option
def rank(source: str, as_json: bool) -> None:
    """Rate the players of a tournament, and say who holds whom in check.

    FOLDER holds a finished tournament. A CSV file has a row for each player and each other that it
    met: player, other, rounds, win_share, the share of these rounds that the player won; and, if
    known, difference_low and difference_high, the 95 % interval of how far it is ahead.
    """
    from analysis.company import Company

    company = Company.from_file(source)
    click.echo(company.to_json() if as_json else company.to_text())


@main.command(epilog="Example: baobei bench --players sharp --seconds 2")
@click.option(
    "--players", metavar="NAME|FILE", default="balanced", help="Strategy that sits at every seat."
)
@click.option(
    "--seconds",
    type=Whole(1, 600),
    default=4,
    help="Time for each number of players.",
    show_default=True,
)
@json_option
@quiet_option
def bench(players: str, seconds: int, as_json: bool, quiet: bool) -> None:
    """Measure rounds per second on this machine.

    One thread is measured, then all.

    A turn's cost is also given in full shuffles of 66 bytes, timed in between, so that figures of
    different machines can be compared. Last comes a copy of a round's state.
    """
    from sim.game.players import load_player

    with within(where="--players"):
        player = load_player(players)
    _engine(quiet)
    from sim.cli.bench import measure, text
    from sim.game.documents import to_json

    figures = measure(player, seconds)
    click.echo(to_json(figures) if as_json else text(figures))
