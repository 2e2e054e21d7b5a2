"""The reference of the command line as Markdown, read from the commands: `make docs` writes it to docs/cli.md."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from memsum.cli.app import app

_HEAD = """\
# The command line

Generated from the commands by `make docs`; `memsum COMMAND --help` says the same. Every command takes `-h` or `--help`.
`memsum FILE` is short for `memsum summarize FILE`.
"""


def reference() -> str:
    """Describe all commands with their arguments and options."""
    root: Any = typer.main.get_command(app)
    commands = list(_commands(root, "memsum"))
    lines = [
        f"- [`{name}`](#{name.replace(' ', '-')}): {command.help.partition(chr(10))[0]}" for name, command in commands
    ]
    options = "\n".join(_rows(root))
    parts = [_HEAD, f"`memsum [OPTIONS] COMMAND`\n\n| option | |\n|---|---|\n{options}\n", "\n".join(lines) + "\n"]
    return "\n".join([*parts, *(_section(name, command) for name, command in commands)])


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield each command with its whole name; groups are opened."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def _section(name: str, command: Any) -> str:
    usage = " ".join(
        [name, "[OPTIONS]", *(_argument(one) for one in command.params if one.param_type_name == "argument")]
    )
    table = "\n".join(["| | |", "|---|---|", *_rows(command)])
    return f"## {name}\n\n```\n{usage}\n```\n\n{_prose(command.help)}\n\n{table}\n"


def _prose(text: str) -> str:
    """Mark the examples of a docstring as code."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        is_code = paragraph.startswith(("    ", "memsum ", "torchrun ", "curl "))
        shown = inspect.cleandoc(paragraph)
        paragraphs.append(f"```sh\n{shown}\n```" if is_code else shown)
    return re.sub(r"\n```\n\n```sh\n", "\n", "\n\n".join(paragraphs))


def _argument(one: Any) -> str:
    name = one.metavar or one.name.upper()
    dots = "..." if one.nargs != 1 and not name.endswith("...") else ""
    return f"{name}{dots}" if one.required or name.startswith("[") else f"[{name}]{dots}"


def _rows(command: Any) -> Iterator[str]:
    for one in command.params:
        if one.hidden or one.name in ("help", "install_completion", "show_completion"):
            continue
        if one.param_type_name == "argument":
            shown = f"`{one.metavar or one.name.upper()}`"
        else:
            metavar = "" if one.is_flag else one.metavar or _metavar(one.type)
            shown = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
            shown += f" `{metavar}`" if metavar else ""
        yield f"| {shown} | {_cell(one)} |"


def _metavar(kind: Any) -> str:
    if choices := getattr(kind, "choices", None):
        return "\\|".join(choices)
    return {"int": "NUMBER", "float": "NUMBER", "str": "TEXT"}.get(kind.name.removesuffix(" range"), "PATH")


def _cell(one: Any) -> str:
    """Explain a parameter, with its default."""
    text = (one.help or "").replace("|", "\\|")
    if one.required:
        return f"{text} Required." if one.param_type_name == "option" else text
    if isinstance(one.show_default, str):
        return f"{text} Default: {one.show_default}."
    return (
        text
        if one.default is None or isinstance(one.default, bool) or not one.show_default
        else f"{text} Default: `{one.default}`."
    )


if __name__ == "__main__":
    print(reference(), end="")
