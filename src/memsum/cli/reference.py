"""The reference of the command line as Markdown, read from the commands: `make docs` writes it to docs/cli.md."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from memsum.cli.app import COMMANDS, find_command, root

_TYPES = {int: "NUMBER", float: "NUMBER", str: "TEXT", Path: "PATH"}
_HEAD = """\
# The command line

Generated from the commands by `make docs`; `memsum COMMAND --help` says the same. Every command takes `-h` or `--help`.
"""


def reference() -> str:
    """All commands with their arguments and options."""
    commands = list(_commands())
    listed = "\n".join(f"- [`{name}`](#{name.replace(' ', '-')}): {_first_line(run)}" for name, run in commands)
    options = "\n".join(_rows(root))
    parts = [_HEAD, f"`memsum [OPTIONS] COMMAND`\n\n| option | |\n|---|---|\n{options}\n", f"{listed}\n"]
    return "\n".join([*parts, *(_section(name, run) for name, run in commands)])


def _commands() -> Iterator[tuple[str, Callable[..., None]]]:
    """The function of each command, with its name; groups are opened."""
    for name in COMMANDS:
        found = find_command(name)
        if not isinstance(found, typer.Typer):
            yield f"memsum {name}", found
            continue
        for command in found.registered_commands:
            assert command.callback is not None  # noqa: S101
            yield f"memsum {name} {command.name or command.callback.__name__.replace('_', '-')}", command.callback


def _first_line(run: Callable[..., None]) -> str:
    return (run.__doc__ or "").partition("\n")[0]


def _section(name: str, run: Callable[..., None]) -> str:
    arguments = [_shown(info, hint, place) for place, hint, info in _parameters(run) if isinstance(info, ArgumentInfo)]
    usage = " ".join([name, "[OPTIONS]", *arguments])
    table = "\n".join(["| | |", "|---|---|", *_rows(run)])
    return f"## {name}\n\n```\n{usage}\n```\n\n{_prose(run)}\n\n{table}\n"


def _prose(run: Callable[..., None]) -> str:
    """The docstring, with examples as code."""
    paragraphs = []
    for paragraph in inspect.cleandoc(run.__doc__ or "").split("\n\n"):
        is_code = paragraph.startswith(("    ", "memsum ", "torchrun ", "curl "))
        text = inspect.cleandoc(paragraph)
        paragraphs.append(f"```sh\n{text}\n```" if is_code else text)
    return re.sub(r"\n```\n\n```sh\n", "\n", "\n\n".join(paragraphs))


def _parameters(run: Callable[..., None]) -> Iterator[tuple[inspect.Parameter, Any, ArgumentInfo | OptionInfo]]:
    hints = get_type_hints(run, include_extras=True)
    for place in inspect.signature(run).parameters.values():
        hint, info = get_args(hints[place.name])
        if not info.hidden:
            yield place, hint, info


def _rows(run: Callable[..., None]) -> Iterator[str]:
    for place, hint, info in _parameters(run):
        if isinstance(info, ArgumentInfo):
            shown = f"`{info.metavar or place.name.upper()}`"
        else:
            # In an annotation, the first name stands where the default would be.
            names = [name for name in (info.default, *(info.param_decls or ())) if isinstance(name, str)]
            metavar = info.metavar or _metavar(hint)
            shown = ", ".join(f"`{name}`" for name in names or [f"--{place.name.replace('_', '-')}"])
            shown += f" `{metavar}`" if metavar else ""
        yield f"| {shown} | {_cell(place, info)} |"


def _shown(info: ArgumentInfo, hint: Any, place: inspect.Parameter) -> str:
    name = info.metavar or place.name.upper()
    dots = "..." if get_origin(_given(hint)) is list and not name.endswith("...") else ""
    return f"{name}{dots}" if place.default is place.empty else f"[{name}]{dots}"


def _cell(place: inspect.Parameter, info: ArgumentInfo | OptionInfo) -> str:
    """What a parameter does, with its default."""
    text = (info.help or "").replace("|", "\\|")
    default = place.default
    if default is place.empty:
        return f"{text} Required." if isinstance(info, OptionInfo) else text
    if isinstance(info.show_default, str):
        return f"{text} Default: {info.show_default}."
    return text if default is None or default is False or not info.show_default else f"{text} Default: `{default}`."


def _given(hint: Any) -> Any:
    """The type of a value that is given: without None."""
    if get_origin(hint) in (Union, types.UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint


def _metavar(hint: Any) -> str:
    hint = _given(hint)
    if get_origin(hint) is Literal:
        return "\\|".join(map(str, get_args(hint)))
    if get_origin(hint) in (list, tuple):
        return _metavar(get_args(hint)[0])
    return _TYPES.get(hint, "")


if __name__ == "__main__":
    print(reference(), end="")
