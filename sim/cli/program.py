"""The program as a whole: the group of all commands, errors, exit codes, Ctrl-C."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from sim.errors import BaobeiError, CheckFailed, InputError, WorkersLost, cut
from sim.texts import printable

EXIT_CHECK, EXIT_INPUT, EXIT_BUG, EXIT_LOST, EXIT_INTERRUPT, EXIT_PIPE = 1, 2, 70, 75, 130, 141


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
        except (BaobeiError, OSError) as error:
            tell(cut(f"Error: {error}", 2000))
            code = _exit_code(error)
        except click.Abort as abort:
            if isinstance(abort.__cause__, EOFError):  # click takes it for Ctrl-C
                raise abort.__cause__ from None
            code = EXIT_INTERRUPT
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


def tell(message: str) -> None:
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


def typed() -> str:
    """Return what was typed, to be typed again."""
    found: str = click.get_current_context().meta.get(_TYPED, "the same command")
    return found


def _exit_code(error: BaobeiError | OSError) -> int:
    if isinstance(error, InputError | OSError):
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
    tell(f"Error: {text}{hint}")
    return EXIT_INPUT


@contextmanager
def playing(out: str | None) -> Iterator[None]:
    """Say how to go on with what was stopped, and name options as they are typed."""
    if out == "":
        raise InputError(expected="the name of a folder", where="--out", got=out)
    kept = "without --out FOLDER nothing is kept"
    if out is not None:
        kept = f"what is finished is kept in {out}; to go on: {typed()}"
    try:
        yield
    except KeyboardInterrupt:
        tell(f"stopped; {kept}")
        click.get_current_context().exit(EXIT_INTERRUPT)
    except WorkersLost as error:
        raise WorkersLost(f"{error}; {kept}") from error
    except InputError as error:
        if error.where in _OPTIONS:
            error.where = f"--{error.where.replace('_', '-')}"
        raise


_OPTIONS: tuple[str, ...] = ("threads", "processes", "dask", "range", "until", "rounds", "games")
_OPTIONS += ("max_rounds", "max_games", "max_seconds")


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
