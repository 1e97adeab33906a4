"""Kinds of values, and the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, TypeVar

import click

from sim.cli.pages import check_page, write_page
from sim.cli.program import playing, tell, typed
from sim.errors import InputError, as_written_here, nearest

F = TypeVar("F", bound=Callable[..., Any])

MAX_UNITS = 2**36  # the limits of sim.game.study, which is not imported for --help
_MAX_SEED = 2**64 - 1


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
            near = as_written_here(value)
            near = near if near and near.isdecimal() else None
            expected = f"a whole number from {self.low} to {self.high}"
            self.fail(str(InputError(expected=expected, got=value, nearest=near)), param, ctx)
        return number


class Seconds(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """A number of seconds."""

    name = "S"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number; fails with what was expected."""
        try:
            return float(value)
        except ValueError:
            expected, near = "a number of seconds", as_written_here(value)
            self.fail(str(InputError(expected=expected, got=value, nearest=near)), param, ctx)


class Span(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """A range of rounds or games, as 0:1000000; the second number is one past the last."""

    name = "BEGIN:END"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        """Return both numbers; fails with what was expected."""
        from sim.game.base import whole_text

        begin, _, end = str(value).partition(":")
        numbers = whole_text(begin), whole_text(end)
        if numbers[0] is None or numbers[1] is None or not 0 <= numbers[0] < numbers[1]:
            expected = "BEGIN:END, such as 0:1000000, BEGIN below END"
            self.fail(str(InputError(expected=expected, got=value)), param, ctx)
        return numbers[0], numbers[1]


class Choice(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """One of a few names; a wrong one is answered with the nearest."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the name; fails with all names, and the nearest."""
        if value in self.choices:
            return str(value)
        names = [str(choice) for choice in self.choices]
        told = {"expected": " or ".join(names), "got": value, "nearest": nearest(value, names)}
        self.fail(str(InputError(**told)), param, ctx)


def stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return one decorator that applies several, the first one first in the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


# --- options that several commands share ----------------------------------------------------------

game_options: Callable[[F], F] = stacked(
    click.option("--edition", metavar="NAME", help="Edition of the rules: second or first."),
    click.option("--deck", metavar="NAME|FILE", help="Deck by name, or a TOML file."),
    click.option(
        "--rule",
        "rules",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a rule option; may be repeated. 'baobei list rules' shows them.",
    ),
)
"""Which game is played."""

change_options: Callable[[F], F] = stacked(
    click.option(
        "--players", metavar="A,B,C", help="Strategy names or TOML files, one for each seat."
    ),
    game_options,
    click.option(
        "--set",
        "settings",
        metavar="SEAT.PARAM=VALUE",
        multiple=True,
        help="Change a parameter of the player at a seat, as in 0.bao_threshold=4; SEAT may be "
        "'0,2' or 'all'; may be repeated. 'baobei list players' shows them.",
    ),
)
"""Changes to a study."""

seed_option: Callable[[F], F] = click.option(
    "--seed", type=Whole(0, _MAX_SEED), help="Where all random numbers come from."
)

table_options: Callable[[F], F] = stacked(
    click.argument("study", metavar="[STUDY.toml]", required=False), change_options, seed_option
)
"""What is played: a study, and changes to it."""

json_option: Callable[[F], F] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout."
)
quiet_option: Callable[[F], F] = click.option(
    "--quiet", is_flag=True, help="No progress and no messages; errors are still told."
)


worker_options: Callable[[F], F] = stacked(
    click.option("--threads", type=Whole(1, 1024), help="Threads; all cores if left out."),
    click.option("--processes", type=Whole(1, 1024), help="Processes instead of threads."),
    click.option(
        "--dask",
        metavar="ADDRESS",
        help="Play on the Dask cluster whose scheduler has this address; 'local' starts one here.",
    ),
)
"""Who plays; no result depends on it."""

out_option: Callable[[F], F] = click.option(
    "--out",
    metavar="FOLDER",
    help="Store the results in this folder; what was interrupted there is resumed.",
)


def lang_option(of: str = "") -> Callable[[F], F]:
    """Return the option for the language of something."""
    told = f"Language{of}: en, it, fr, pt or es."
    return click.option("--lang", default="en", metavar="CODE", help=told)


def count_options(rounds: str, games: str) -> Callable[[F], F]:
    """Return the options for how much is played, with what they say; no games if that is empty."""
    found = [click.option("--rounds", type=Whole(1, MAX_UNITS), help=rounds)]
    if games:
        found.append(click.option("--games", type=Whole(1, MAX_UNITS), help=games))
    return stacked(*found)


report_option: Callable[[F], F] = stacked(
    click.option(
        "--report",
        "page",
        metavar="FILE.html",
        help="Also write a page that tells the results in words, tables and pictures.",
    ),
    lang_option(" of the page"),
)
"""A page about the results."""

seconds_option: Callable[[F], F] = click.option(
    "--max-seconds", type=Seconds(), help="Stop after so many seconds of playing."
)


# --- who plays, and what becomes of the results ---------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """Who plays, and what becomes of the results, as the options say that a command has."""

    threads: int | None = None
    processes: int | None = None
    dask: str | None = None
    out: str | None = None
    page: str | None = None
    lang: str = "en"
    as_json: bool = False
    quiet: bool = False

    def play(self, play: str, *asked: Any, notes: Sequence[str] = (), **more: Any) -> Any:
        """Return what a function of `sim.api` returns, called by its name, after some notes."""
        from sim import api

        workers = {"threads": self.threads, "processes": self.processes, "dask": self.dask}
        with playing(self.out):
            for note in () if self.quiet else notes:
                tell(note)
            return getattr(api, play)(*asked, **workers, progress=not self.quiet, **more)

    def show(self, result: Any, *how: Any) -> None:
        """Print a result, say where it is, and write the page about it."""
        click.echo(result.to_json() if self.as_json else result.to_text(*how))
        if not (self.out is None or self.as_json or self.quiet):
            tell(f"results are in {self.out}")
            if getattr(result, "stopped_by", None) == "max_seconds":
                tell(f"to go on: {typed()}")
        write_page([result], self.page, self.lang, self.quiet)


_WANTED = [field.name for field in fields(Wanted)]


def wanted(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command what its options say of `Wanted` as one argument, once it is checked."""

    @wraps(function)
    def command(**given: Any) -> None:
        mine = {
            field.name: given.pop(field.name) for field in fields(Wanted) if field.name in given
        }
        asked = Wanted(**mine)
        if "page" in mine:
            check_page(asked.page, asked.lang, out=asked.out)
        function(wanted=asked, **given)

    return command
