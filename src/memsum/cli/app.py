"""The root command and what holds for all commands: one-sentence errors, `--debug`, `--version`."""

from __future__ import annotations

import os
import re
import stat
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command_from_info, get_group_from_info
from typer.models import CommandInfo, TyperInfo

from memsum import beside
from memsum._version import __version__
from memsum.cli.console import FAILED, INTERRUPTED, fail
from memsum.errors import MemsumError, MissingExtraError

# The commands, in the order of --help, and where they are: a function, or the app of a group.
COMMANDS = {
    "summarize": "memsum.cli.summarize:summarize",
    "locate": "memsum.cli.locate:locate",
    "highlight": "memsum.cli.highlight:highlight",
    "text": "memsum.cli.text:text",
    "schema": "memsum.cli.text:schema",
    "serve": "memsum.cli.serve:serve",
    "mcp": "memsum.cli.serve:mcp",
    "batch": "memsum.cli.batch:batch",
    "model": "memsum.cli.model:app",
    **beside.COMMANDS,
}
_DEFAULT = "summarize"  # the command of `memsum FILE`
_STANDARD = "-"
_OWN = ("--version", "--help", "-h", "--install-completion", "--show-completion")  # options of the root command
# The extra that a missing module belongs to.
_EXTRAS = {
    **dict.fromkeys(("torch", "onnx", "numba", "nltk", "scipy"), "train"),
    **dict.fromkeys(("fastapi", "uvicorn", "anyio", "starlette"), "serve"),
    **dict.fromkeys(("huggingface_hub", "datasets"), "hub"),
    **dict.fromkeys(("ray", "pyarrow"), "cluster"),
    "matplotlib": "plots",
    **dict.fromkeys(("mcp", "mcp_types"), "mcp"),
}


_NO_NUMBER = re.compile(r"is not a valid (int|float)\w*(?: range)?")
_NUMBERS = {"int": "is not a whole number", "float": "is not a number"}


class Group(TyperGroup):
    """Lists its commands by the whole first line of their help."""

    def help_of(self, name: str) -> str | None:
        return self.commands[name].help

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_line(self.help_of(name))) for name in self.list_commands(ctx)])


class Root(Group):
    """Imports the command that is used, and no other; reports errors in one sentence and an exit status."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import one command, and read its options."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            from memsum.cli.options import expand_options

            found = beside.find_object(COMMANDS[cmd_name])
            plain: Any = {"pretty_exceptions_short": True, "rich_markup_mode": None}
            if isinstance(found, typer.Typer):
                group = TyperInfo(found, name=cmd_name, cls=Group, short_help=found.info.help)
                self.commands[cmd_name] = get_group_from_info(group, suggest_commands=True, **plain)
            else:
                info = CommandInfo(cmd_name, callback=expand_options(found), short_help=_first_line(found.__doc__))
                self.commands[cmd_name] = get_command_from_info(info, **plain)
        return self.commands.get(cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read `memsum FILE` as `memsum summarize FILE`, also with options before the file, or with the file piped."""
        first = 1 if args[:1] == ["--debug"] else 0
        rest = args[first:]
        has_options = not rest or rest[0][:1] == "-"
        if not rest or rest[0] not in (*_OWN, *COMMANDS):
            if any(_is_source(arg) for arg in (rest if has_options else rest[:1])):
                args = [*args[:first], _DEFAULT, *rest]
            elif has_options and _is_piped():
                args = [*args[:first], _DEFAULT, *rest, _STANDARD]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command, or suggest the one that is meant."""
        if args[0] not in COMMANDS:
            close = get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command or file {args[0][:80]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def help_of(self, name: str) -> str | None:
        found = beside.find_object(COMMANDS[name])
        return found.info.help if isinstance(found, typer.Typer) else found.__doc__

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = _NO_NUMBER.sub(lambda found: _NUMBERS[found[1]], error.message)
            raise
        except MemsumError as error:
            if ctx.params.get("debug"):
                raise
            fail(error.message, error.hint)
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None or ctx.params.get("debug"):
                raise
            missing = MissingExtraError(f"`memsum {ctx.invoked_subcommand}`", extra)
            fail(missing.message, missing.hint)
        except BrokenPipeError:
            # The reader of our output went away (`| head`): not an error, but stdout must not be flushed again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt:
            fail("Interrupted; finished work is saved.")
            raise SystemExit(INTERRUPTED) from None
        except MemoryError:
            if ctx.params.get("debug"):
                raise
            fail("This needs more memory than there is.", "Try a shorter document.")
        except OSError as error:
            if ctx.params.get("debug"):
                raise
            fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
        raise SystemExit(FAILED)


def _is_piped() -> bool:
    """Tell if standard input is a pipe or a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # there is none, or it is no file
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _is_source(argument: str) -> bool:
    """Tell if an argument names a document: an existing file or folder, one by its ending, or standard input."""
    path = Path(argument)
    try:
        if argument == _STANDARD or path.exists():
            return True
    except OSError:  # too long for a name
        return False
    if argument[:1] == "-" or not path.suffix:
        return False
    from memsum.document.formats import SUFFIXES

    return path.suffix.lower() in SUFFIXES


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memsum {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Root,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # to import rich costs as much time as all the rest of --help
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Faithful summaries of long documents: the sentences that say the most, quoted with their position.

    `memsum FILE` summarizes a file.
    """
