"""The program `baobei`: parses what was typed, calls the library, prints what comes back.

Nothing heavy is imported before a command needs it, so that ``--help`` answers at once. Data goes
to stdout, everything else to stderr. Exit codes: 0 success, 1 a check failed, 2 bad usage or bad
input, 75 workers were lost and trying again may help, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sim.errors import BaobeiError, CheckFailed, InputError, WorkersLost, cut, nearest, show, within
from sim.game.files import parse_value
from sim.texts import printable

if TYPE_CHECKING:
    from analysis.results.run import Result
    from sim.game.comparison import Comparing
    from sim.game.players import Player
    from sim.game.study import Study
    from sim.game.sweep import Sweep
    from sim.game.tournament import Tournament

F = TypeVar("F", bound=Callable[..., Any])

EXIT_CHECK, EXIT_INPUT, EXIT_BUG, EXIT_LOST, EXIT_INTERRUPT, EXIT_PIPE = 1, 2, 70, 75, 130, 141

_MAX_UNITS = 2**36  # the limits of sim.game.study, which is not imported for --help
_MAX_SEED = 2**64 - 1

DEFAULT_ROUNDS = 1_000_000
"""What the built-in study says."""


# --- the program as a whole: errors and exit codes ------------------------------------------------


class Program(click.Group):
    """The group of all commands. Every error is one message on stderr and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line; exits the interpreter where `standalone_mode`."""
        name = prog_name or "baobei"
        if not standalone_mode:
            return super().main(args, name, complete_var, standalone_mode=False, **extra)
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _warn
                code = super().main(args, name, complete_var, standalone_mode=False, **extra)
        except click.ClickException as error:
            code = _usage_error(error)
        except BaobeiError as error:
            _tell(f"Error: {error}")
            code = _exit_code(error)
        except click.Abort as abort:
            if isinstance(abort.__cause__, EOFError):  # click takes it for Ctrl-C
                raise abort.__cause__ from None
            code = EXIT_INTERRUPT
        except OSError as error:
            _tell(f"Error: {error}")
            code = EXIT_INPUT
        if code == EXIT_INTERRUPT and args is None:
            _leave(code)
        sys.exit(code if isinstance(code, int) else 0)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line, and remember it: a run that was stopped says how to go on."""
        ctx.meta[_TYPED] = shlex.join(["baobei", *args])
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command named; Ctrl-C and a reader that went away end it quietly."""
        try:
            value = super().invoke(ctx)
            if sys.stdout is not None:  # None where the caller has closed it
                sys.stdout.flush()
        except BrokenPipeError:
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(EXIT_PIPE)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
            ctx.exit(EXIT_INTERRUPT)
        return value


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as a line for people, without a place in the program."""
    click.echo(f"Warning: {message}", err=True)


def _tell(message: str) -> None:
    """Print a message; what is told of files, keys and what was typed is made printable."""
    click.echo(printable(message), err=True)


def _leave(code: int) -> None:
    """End the process at once; all that was open is closed.

    Where Ctrl-C has interrupted an import, the interpreter would end by the signal, not the code.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(code)


_TYPED = "sim.typed"  # key of a context's notes


def _exit_code(error: BaobeiError) -> int:
    if isinstance(error, InputError):
        return EXIT_INPUT
    if isinstance(error, WorkersLost):
        return EXIT_LOST
    return EXIT_CHECK if isinstance(error, CheckFailed) else EXIT_BUG


def _usage_error(error: click.ClickException) -> int:
    """Print one of click's errors on one line, with the command whose help helps."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return EXIT_INPUT
    text = cut(error.format_message(), 500)
    context = getattr(error, "ctx", None)
    hint = f" (see '{context.command_path} --help')" if context is not None else ""
    _tell(f"Error: {text}{hint}")
    return EXIT_INPUT


class Whole(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """A whole number within limits, as 1000000, 1_000_000 or 1e6."""

    name = "N"

    def __init__(self, low: int, high: int) -> None:
        """Take `low` to `high`."""
        self.low, self.high = low, high

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the number; fails with what was expected."""
        from sim.game.base import whole_text

        number = whole_text(value)
        if number is None or not self.low <= number <= self.high:
            expected = f"expected a whole number from {self.low} to {self.high}"
            self.fail(f"{expected}, got {show(value)}", param, ctx)
        return number


class Span(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """A range of rounds or games, as 0:1000000; the second number is one past the last."""

    name = "BEGIN:END"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        """Return both numbers; fails with what was expected."""
        from sim.game.base import whole_text

        begin, _, end = str(value).partition(":")
        numbers = whole_text(begin), whole_text(end)
        if numbers[0] is None or numbers[1] is None or not 0 <= numbers[0] < numbers[1]:
            expected = "expected BEGIN:END, such as 0:1000000, BEGIN below END"
            self.fail(f"{expected}, got {show(value)}", param, ctx)
        return numbers[0], numbers[1]


class Choice(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """One of a few names; a wrong one is answered with the nearest."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the name; fails with all names, and the nearest."""
        if value in self.choices:
            return str(value)
        near = nearest(value, map(str, self.choices))
        names = " or ".join(map(str, self.choices))
        hint = f"; did you mean '{near}'?" if near else ""
        self.fail(f"expected {names}, got {show(value)}{hint}", param, ctx)


def _stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return one decorator that applies several, the first one first in the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# --- options that several commands share ----------------------------------------------------------

change_options: Callable[[F], F] = _stacked(
    click.option(
        "--players", metavar="A,B,C", help="Strategy names or TOML files, one for each seat."
    ),
    click.option("--edition", metavar="NAME", help="Edition of the rules: second or first."),
    click.option("--deck", metavar="NAME|FILE", help="Deck by name, or a TOML file."),
    click.option(
        "--rule",
        "rules",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a rule option; may be repeated. 'baobei list rules' shows them.",
    ),
    click.option(
        "--set",
        "settings",
        metavar="SEAT.PARAM=VALUE",
        multiple=True,
        help="Change a parameter of the player at a seat, as in 0.bao_threshold=4; SEAT may be "
        "'all'; may be repeated. 'baobei list players' shows them.",
    ),
)
"""Changes to a study."""

seed_option: Callable[[F], F] = click.option(
    "--seed", type=Whole(0, _MAX_SEED), help="Where all random numbers come from."
)

table_options: Callable[[F], F] = _stacked(
    click.argument("study", metavar="[STUDY.toml]", required=False), change_options, seed_option
)
"""What is played: a study, and changes to it."""

json_option: Callable[[F], F] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout."
)
quiet_option: Callable[[F], F] = click.option(
    "--quiet", is_flag=True, help="No progress and no messages; errors are still told."
)


worker_options: Callable[[F], F] = _stacked(
    click.option("--threads", type=Whole(1, 1024), help="Threads; all cores if left out."),
    click.option("--processes", type=Whole(1, 1024), help="Processes instead of threads."),
    click.option(
        "--dask",
        metavar="ADDRESS",
        help="Play on the Dask cluster whose scheduler has this address; 'local' starts one here.",
    ),
)
"""Who plays; no result depends on it."""

report_option: Callable[[F], F] = _stacked(
    click.option(
        "--report",
        "page",
        metavar="FILE.html",
        help="Also write a page that tells the results in words, tables and pictures.",
    ),
    click.option(
        "--lang", default="en", metavar="CODE", help="Language of the page: en, it, fr, pt or es."
    ),
)
"""A page about the results."""

seconds_option: Callable[[F], F] = click.option(
    "--max-seconds", type=float, metavar="S", help="Stop after so many seconds of playing."
)


def make_study(
    study: str | Study | None,
    *,
    players: str | None = None,
    edition: str | None = None,
    deck: str | None = None,
    rules: Sequence[str] = (),
    settings: Sequence[str] = (),
    seed: int | None = None,
    rounds: int | None = None,
    games: int | None = None,
) -> Study:
    """Return the study that a command line means: a file or the built-in one, and changes to it.

    Raises:
        InputError: Something is wrong; says in which option or file.
    """
    from sim.game.players import load_player
    from sim.game.study import DEFAULT_STUDY, Study, load_study

    if rounds is not None and games is not None:
        raise InputError("rounds and games at once", where="--games", expected="one of the two")
    study = DEFAULT_STUDY if study is None else study
    base = study if isinstance(study, Study) else load_study(study)
    changes: dict[str, Any] = {"seed": seed, "rounds": rounds, "games": games}
    if players is not None:
        with within(where="--players"):
            _check_seats(players.split(","))
            changes["players"] = [_listed(load_player, name) for name in players.split(",")]
    changes |= _game_changes(edition, deck, rules)
    if settings:
        changes["players"] = _changed(list(changes.get("players", base.players)), settings)
    return base.with_changes(**changes)


def _game_changes(edition: str | None, deck: str | None, rules: Sequence[str]) -> dict[str, Any]:
    """Return what the options about the game change in a study."""
    from sim.game.deck import load_deck
    from sim.game.rules import Rules, parse_rule_options

    changes: dict[str, Any] = {}
    if deck is not None:
        with within(where="--deck"):
            changes["deck"] = load_deck(deck)
    if edition is not None:
        with within(where="--edition"):
            changes["edition"] = Rules.of(edition).edition
    if rules:
        changes["rules"] = parse_rule_options(rules)
    return changes


def _listed(load: Callable[[str], Player], name: str) -> Player:
    if not name.strip():
        raise InputError("an empty name", expected="names or files, with commas between them")
    return load(name.strip())


def _check_seats(players: Sequence[str]) -> None:
    if not 2 <= len(players) <= 6:
        raise InputError(expected="2 to 6 players", got=len(players))


def _changed(players: list[Player], settings: Iterable[str]) -> list[Player]:
    """Return the players with what ``--set`` says changed."""
    from sim.game.players import no_such_parameter

    for text in settings:
        with within(where=cut(f"--set {text}")):
            seats, name, value = _setting(text, len(players))
            knowing = [seat for seat in seats if name in players[seat].values]
            if not knowing:
                raise no_such_parameter(players[seats[0]], name)
            for seat in knowing:
                players[seat] = players[seat].with_changes(**{name: value})
    return players


def _setting(text: str, players: int) -> tuple[list[int], str, Any]:
    """Return the seats, the parameter and the value that ``SEAT.PARAM=VALUE`` means."""
    from sim.game.base import whole_text

    target, equals, written = (part.strip() for part in text.partition("="))
    seat, dot, name = target.partition(".")
    if not (equals and dot and name and written):
        raise InputError(expected="SEAT.PARAM=VALUE, such as 0.bao_threshold=4")
    at = whole_text(seat) if seat.isdecimal() else None
    if seat != "all" and (at is None or at >= players):
        raise InputError("no such seat", expected=f"0 to {players - 1}, or all", got=seat)
    if name in ("name", "character", "kind", "base"):
        raise InputError("not a parameter", key=name, expected="one of 'baobei list players'")
    return list(range(players)) if at is None else [at], name, parse_value(written)


# --- commands ------------------------------------------------------------------------------------


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with 'baobei run', then 'baobei trace' and 'baobei list players'.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: _version(ctx) if wanted else None,
    help="Show the version and exit.",
)
def main() -> None:
    """Play the card game BAO BEI by the million, and see who wins, how and how surely."""


def _version(ctx: click.Context) -> None:
    import sim

    click.echo(f"baobei {sim.__version__}")
    ctx.exit()


@main.command(epilog="Example: baobei run --players balanced,sharp,cautious --rounds 1e6 --seed 7")
@table_options
@click.option("--rounds", type=Whole(1, _MAX_UNITS), help="Rounds to play.")
@click.option("--games", type=Whole(1, _MAX_UNITS), help="Whole games to play instead.")
@click.option(
    "--range", "only", type=Span(), help="Only these rounds (games) of the study, from 0."
)
@click.option(
    "--until",
    metavar="METRIC[SEAT]±WIDTH",
    help="Stop when an interval is so narrow, as in 'win_share[0]±0.001' or 'score_mean[1]+-0.05'.",
)
@click.option("--max-rounds", type=Whole(1, _MAX_UNITS), help="Play at most so many rounds.")
@click.option("--max-games", type=Whole(1, _MAX_UNITS), help="Play at most so many games.")
@seconds_option
@worker_options
@click.option(
    "--out",
    metavar="FOLDER",
    help="Write the results into this folder; what it holds of the same study is gone on with.",
)
@click.option("--records", is_flag=True, help="Also write one row for each round and seat.")
@report_option
@json_option
@quiet_option
def run(
    only: tuple[int, int] | None,
    until: str | None,
    max_rounds: int | None,
    max_games: int | None,
    max_seconds: float | None,
    threads: int | None,
    processes: int | None,
    dask: str | None,
    out: str | None,
    records: bool,
    page: str | None,
    lang: str,
    as_json: bool,
    quiet: bool,
    **table: Any,
) -> None:
    """Play rounds or games at one table and print the summary.

    Without arguments a built-in study is played. The result is the same, byte for byte, for any
    number of threads or processes, and whether or not the run was interrupted: the same command
    goes on where it stopped, if it has a folder.
    """
    if records and out is None:
        raise InputError("records need a folder", where="--records", expected="--out FOLDER")
    check_page(page, lang)
    study = make_study(**table)
    from sim import api

    limits: dict[str, Any] = {"only": only, "until": until, "max_seconds": max_seconds}
    limits |= {"max_rounds": max_rounds, "max_games": max_games}
    given = {name: value for name, value in limits.items() if value is not None}
    workers = _workers(threads, processes, dask)
    with _playing(out):
        result = api.run(study, records=records, out=out, progress=not quiet, **workers, **given)
    _print(result, out, as_json, quiet)
    write_page([result], page, lang, quiet)


def _workers(threads: int | None, processes: int | None, dask: str | None) -> dict[str, Any]:
    return {"threads": threads, "processes": processes, "dask": dask}


@contextmanager
def _playing(out: str | None) -> Iterator[None]:
    """Say how to go on with what was stopped, and name options as they are typed."""
    if out == "":
        raise InputError(expected="the name of a folder", where="--out", got=out)
    context = click.get_current_context()
    typed = context.meta.get(_TYPED, "the same command")
    kept = "without --out FOLDER nothing is kept"
    if out is not None:
        kept = f"what is finished is kept in {out}; to go on: {typed}"
    try:
        yield
    except KeyboardInterrupt:
        _tell(f"stopped; {kept}")
        context.exit(EXIT_INTERRUPT)
    except WorkersLost as error:
        raise WorkersLost(f"{error}; {kept}") from error
    except InputError as error:
        if error.where in _OPTIONS:
            error.where = f"--{error.where.replace('_', '-')}"
        raise


_OPTIONS: tuple[str, ...] = ("threads", "processes", "dask", "range", "until", "rounds", "games")
_OPTIONS += ("max_rounds", "max_games", "max_seconds")


def _print(result: Result, out: str | None, as_json: bool, quiet: bool) -> None:
    click.echo(result.to_json() if as_json else result.to_text())
    if out is None or as_json or quiet:
        return
    _tell(f"results are in {out}")
    if result.stopped_by == "max_seconds":
        typed = click.get_current_context().meta.get(_TYPED, "the same command")
        _tell(f"to go on: {typed}")


@main.command(epilog="Example: baobei extend my-results --rounds 3e6")
@click.argument("folder")
@click.option("--rounds", type=Whole(1, _MAX_UNITS), help="Rounds that there are to be in all.")
@click.option("--games", type=Whole(1, _MAX_UNITS), help="The same for a study of games.")
@seconds_option
@worker_options
@json_option
@quiet_option
def extend(
    folder: str,
    rounds: int | None,
    games: int | None,
    max_seconds: float | None,
    threads: int | None,
    processes: int | None,
    dask: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Play more of the study that a folder holds.

    The result is the one that a single longer run would have given, and takes the place of the
    shorter one. --rounds or --games is the new number in all, not how many more.
    """
    if (rounds is None) == (games is None):
        expected = "one of --rounds and --games, the new number in all"
        raise InputError("rounds or games?", where="--rounds", expected=expected)
    from sim import api

    workers = _workers(threads, processes, dask)
    if max_seconds is not None:
        workers["max_seconds"] = max_seconds
    with _playing(folder):
        result = api.extend(folder, rounds=rounds, games=games, progress=not quiet, **workers)
    _print(result, folder, as_json, quiet)


@main.command(epilog="Example: baobei merge part-1 part-2 part-3 --out whole")
@click.argument("folders", metavar="FOLDER FOLDER...", nargs=-1, required=True)
@click.option("--out", metavar="FOLDER", required=True, help="A new folder for the whole.")
@json_option
@quiet_option
def merge(folders: tuple[str, ...], out: str, as_json: bool, quiet: bool) -> None:
    """Put together runs of one study over ranges with nothing in common.

    They have to be of the same study, rules, seed and version of the engine, and no round may be
    in two of them. The result is the one that a single run over all of them would have given.
    """
    if out == "":
        raise InputError(expected="the name of a folder", where="--out", got=out)
    from sim import api

    result = api.merge(folders, out)
    _print(result, out, as_json, quiet)


@main.command(epilog="Example: baobei trace --players balanced,sharp --seed 7 --round 17")
@table_options
@click.option("--round", "round_", type=Whole(0, _MAX_UNITS - 1), help="Round to show, from 0.")
@click.option("--game", type=Whole(0, _MAX_UNITS - 1), help="Whole game to show instead.")
@click.option(
    "--format", "form", type=Choice(["text", "jsonl"]), default="text", help="text or jsonl."
)
@click.option("--explain", is_flag=True, help="Say which estimates each decision was made on.")
@quiet_option
def trace(
    round_: int | None, game: int | None, form: str, explain: bool, quiet: bool, **table: Any
) -> None:
    """Show one round or one game, card by card.

    It is played exactly as 'run' with the same options plays it.

    As text for people, or as an event log, one JSON object a line. Without --round and --game the
    first one of the study is shown.
    """
    if round_ is not None and game is not None:
        raise InputError("a round and a game at once", where="--game", expected="one of the two")
    rounds = None if round_ is None else round_ + 1
    study = make_study(**table, rounds=rounds, games=None if game is None else game + 1)
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
            _tell(f"Error: {error.inside(where=path)}")
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
            _tell(f"Error: {name}: no TOML files in this folder")
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
@click.option(
    "--lang", default="en", metavar="CODE", help="Language of the birds: en, it, fr, pt or es."
)
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


@list_.command(epilog="Example: baobei list metrics --json")
@json_option
def metrics(as_json: bool) -> None:
    """Show the numbers of results, with units.

    Those of a summary, and the columns of records.
    """
    from sim.cli import listing

    click.echo(listing.metrics(as_json))


many_options: Callable[[F], F] = _stacked(
    worker_options,
    click.option(
        "--out",
        metavar="FOLDER",
        help="Write the results into this folder; what was interrupted there goes on.",
    ),
    report_option,
    json_option,
    quiet_option,
)
"""How many studies are played, and what becomes of the results."""


@main.command(epilog="Example: baobei tournament --players sharp,balanced,novice --rounds 1e5")
@table_options
@click.option("--seats", type=Whole(2, 6), help="Players at a table; 4 if left out.")
@click.option("--rounds", type=Whole(1, _MAX_UNITS), help="Rounds in all, at least.")
@many_options
def tournament(
    threads: int | None,
    processes: int | None,
    dask: str | None,
    out: str | None,
    page: str | None,
    lang: str,
    as_json: bool,
    quiet: bool,
    **table: Any,
) -> None:
    """Let many players meet at one kind of table, and rank them.

    All combinations of players are played, in all rotations of seats, equally often. With --set,
    SEAT is a player's place in the list, from 0. Without arguments all players of the program meet.
    """
    check_page(page, lang)
    asked = make_tournament(**table)
    from sim import api

    workers = _workers(threads, processes, dask)
    with _playing(out):
        result = api.tournament(asked, **workers, out=out, progress=not quiet)
    _show(result, out, as_json, quiet)
    write_page([result], page, lang, quiet)


def make_tournament(
    study: str | None,
    *,
    players: str | None,
    edition: str | None,
    deck: str | None,
    rules: Sequence[str],
    settings: Sequence[str],
    **changes: Any,
) -> Tournament:
    """Return the tournament that a command line means.

    Raises:
        InputError: Something is wrong; says in which option or file.
    """
    from sim.game.players import load_player
    from sim.game.tournament import Tournament, load_tournament

    base = Tournament.of() if study is None else load_tournament(study)
    if players is not None:
        with within(where="--players"):
            changes["players"] = [_listed(load_player, name) for name in players.split(",")]
    changes |= _game_changes(edition, deck, rules)
    if settings:
        changes["players"] = _changed(list(changes.get("players", base.players)), settings)
    return base.with_changes(**changes)


@main.command(epilog="Example: baobei sweep --over 0.bao_threshold=0,2,4,6,8 --rounds 1e5")
@table_options
@click.option(
    "--over",
    metavar="KEY=VALUES",
    multiple=True,
    help="What to vary: SEAT.PARAM, rules.OPTION, deck.BIRD (copies), SEAT.player, players, deck "
    "or edition; values as 0,2,4 or {from=0,to=1,steps=6}; may be repeated.",
)
@click.option(
    "--rounds",
    type=Whole(1, _MAX_UNITS),
    help="Rounds to play at each point; if left out, as many as the study says: without one "
    f"{DEFAULT_ROUNDS:,}.",
)
@click.option("--games", type=Whole(1, _MAX_UNITS), help="Whole games to play at each instead.")
@many_options
def sweep(
    study: str | None,
    over: Sequence[str],
    threads: int | None,
    processes: int | None,
    dask: str | None,
    out: str | None,
    page: str | None,
    lang: str,
    as_json: bool,
    quiet: bool,
    **table: Any,
) -> None:
    """Play a study again and again, with players, rules or deck changed.

    What is changed stands in the table [sweep] of the study file, or after --over. All points are
    played on the same deals. 'baobei list players' and 'baobei list rules' show what there is.
    """
    check_page(page, lang)
    asked = make_sweep(study, over, **table)
    from sim import api

    workers = _workers(threads, processes, dask)
    with _playing(out):
        result = api.sweep(asked, **workers, out=out, progress=not quiet)
    _show(result, out, as_json, quiet)
    write_page([result], page, lang, quiet)


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


def _show(result: Any, out: str | None, as_json: bool, quiet: bool) -> None:
    """Print a result, and say where it is."""
    click.echo(result.to_json() if as_json else result.to_text())
    if out is not None and not as_json and not quiet:
        _tell(f"results are in {out}")


@main.command(epilog="Example: baobei compare --rule bao_failure_minimum=10 --rounds 1e5")
@click.argument("studies", metavar="[A.toml] [B.toml]", nargs=-1)
@change_options
@seed_option
@click.option("--rounds", type=Whole(1, _MAX_UNITS), help="Rounds of each study.")
@click.option("--games", type=Whole(1, _MAX_UNITS), help="Whole games of each instead.")
@click.option(
    "--rotate/--no-rotate",
    "rotate",
    default=None,
    help="Play every deal in all rotations of the seats, or leave players where they are; if left "
    "out, rotate where the players of a study differ.",
)
@worker_options
@click.option(
    "--out",
    metavar="FOLDER",
    help="Write the results into this folder; what was interrupted there goes on.",
)
@click.option("--all", "everything", is_flag=True, help="Show all differences, sure or not.")
@report_option
@json_option
@quiet_option
def compare(
    studies: tuple[str, ...],
    threads: int | None,
    processes: int | None,
    dask: str | None,
    out: str | None,
    everything: bool,
    page: str | None,
    lang: str,
    as_json: bool,
    quiet: bool,
    **table: Any,
) -> None:
    """Play two studies on the same deals, and show how all numbers differ and how surely.

    With one study, or none for the built-in one, --players, --edition, --deck, --rule and --set
    make the second study from it; --seed, --rounds and --games hold for both.
    """
    check_page(page, lang)
    asked = make_comparison(studies, **table)
    from sim import api
    from sim.game.comparison import changed

    notes = [*asked.notes, *([] if changed(asked.a, asked.b) else [_UNCHANGED])]
    workers = _workers(threads, processes, dask)
    with _playing(out):
        for note in () if quiet else notes:
            _tell(note)
        result = api.play_comparison(asked, **workers, out=out, progress=not quiet)
    click.echo(result.to_json() if as_json else result.to_text(everything))
    if out is not None and not as_json and not quiet:
        _tell(f"results are in {out}")
    write_page([result], page, lang, quiet)


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


_UNCHANGED = (
    "nothing is changed, so both studies play the same; a change is a second study, or --players, "
    "--edition, --deck, --rule or --set"
)

_CHANGES = {"players": "players", "edition": "edition", "deck": "deck", "rule": "rules"}
_CHANGES |= {"set": "settings"}
"""Options that make a second study, and the names of their values."""


@main.command(epilog="Example: baobei report my-results --out my-results.html --lang it")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True)
@click.option(
    "--out", metavar="FILE.html", help="Where to write the page; report.html in the first folder."
)
@click.option("--lang", default="en", metavar="CODE", help="Language: en, it, fr, pt or es.")
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
    path = str(Path(folders[0]) / "report.html") if out is None else out
    check_page(path, lang, option="--out")
    write_page(folders, path, lang, quiet)


def check_page(path: str | None, lang: str, option: str = "--report") -> None:
    """Check before anything is played that a page can be written.

    Args:
        path: Of the page; None where none is wanted.
        lang: Code of its language.
        option: That says where to write it.

    Raises:
        InputError: The file cannot be written, or no such language.
    """
    if path is None and lang == "en":
        return
    from analysis.words import language

    with within(where="--lang"):
        language(lang)
    if path is None:
        raise InputError("there is no page", where="--lang", expected="--report FILE.html too")
    from sim.store.files import check_file

    with within(where=option):
        check_file(path)


def write_page(results: Sequence[Any], path: str | None, lang: str, quiet: bool) -> None:
    """Write the page about some results, folders or in memory, if one is wanted.

    Raises:
        InputError: There is nothing to tell, or the file cannot be written.
    """
    if path is not None:
        from analysis.report import report as made
        from sim.store.files import check_file, write, writing

        text = made(list(results), lang)
        with within(where=path):
            file = check_file(path)
        with writing(Path(path), expected="a file that can be written"):
            write(file, text)
        if not quiet:
            _tell(f"the page is {path}")
    figures = sys.modules.get("analysis.plots.figures")
    if figures is not None and figures.undrawn and not quiet:
        letters = "".join(sorted(figures.undrawn))
        figures.undrawn.clear()
        _tell(f"pictures have a box for each of these letters, which their font lacks: {letters}")


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
