"""Write the outputs on the pages anew, by running their commands and code.

    python docs/outputs.py

In a block of the language `console`, what follows a line "$ memsum …" is what the command prints at a terminal of 80
columns, in the folder of the repository. A block of Python that is followed by a block of text prints that text; the
blocks of a page share their variables. A place such as `memsum/reading.py:40` `Reading` gets the line of today.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

import memsum.cli.locate  # imported later, they would keep what is patched here
import memsum.cli.text  # noqa: F401
from memsum.cli import summarize
from memsum.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
_WRITTEN = {"cli.md", "gallery.md", "reference/http.md"}  # by commands of their own
ELSEWHERE = "integrations.md"  # run by tests/integrations, with the packages that it needs
_NOT_GUIDES = ("cli/", "demo/", "gallery/", "sample/", "experiments/")
_CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?:.*\\\n)*.*\n", re.MULTILINE)
_PYTHON = re.compile(
    r"(^```python\n(?P<code>(?:(?!```).*\n)*)```\n\n```text\n)(?:(?!```).*\n)*", re.MULTILINE
)
_LINE = re.compile(r"(`(?P<file>\w+/[\w/]+\.py):)\d+(` `(?P<name>\w+)`)")
_TERMINAL = {"NO_COLOR": "1", "COLUMNS": "80"}


def guides() -> Iterator[Path]:
    """Return the pages that people write."""
    yield ROOT / "README.md"
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT / "docs").as_posix()
        if name not in _WRITTEN and not name.startswith(_NOT_GUIDES):
            yield page


def with_outputs(text: str) -> str:
    """Return a page with the outputs and the numbers of lines of today."""
    text = _LINE.sub(lambda place: place[1] + _line(place["file"], place["name"]) + place[3], text)
    names: dict[str, Any] = {"__name__": "page"}
    with (
        contextlib.chdir(ROOT),
        patch.dict(os.environ, _TERMINAL),
        patch.object(summarize, "is_watched", _at_terminal),
    ):
        text = _CONSOLE.sub(lambda block: "\n".join(map(_run, _COMMAND.findall(block[0]))), text)
        return _PYTHON.sub(lambda block: block[1] + _execute(block["code"], names), text)


def _line(file: str, name: str) -> str:
    """Return the number of the line that defines a class or function."""
    lines = (ROOT / "src" / file).read_text("utf-8").splitlines()
    defines = re.compile(rf"\s*(?:class|def) {name}\b")
    return str(next(number for number, line in enumerate(lines, 1) if defines.match(line)))


def _at_terminal(output: Path | None) -> bool:
    return output is None


def _run(command: str) -> str:
    """Return a command and what it prints."""
    words = shlex.split(command.removeprefix("$ ").replace("\\\n", " "), comments=True)
    if words[0] != "memsum":
        raise ValueError(f"Only memsum is run, not: {command}")
    result = CliRunner().invoke(app, words[1:])
    if result.exit_code and words[1] != "locate":  # which tells by it that a quote is not there
        raise ValueError(f"{command}{result.output}")
    return command + "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())


def _execute(code: str, names: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "page", "exec", dont_inherit=True), names)  # noqa: S102
    return printed.getvalue()


if __name__ == "__main__":
    for page in (guide for guide in guides() if guide.name != ELSEWHERE):
        page.write_text(with_outputs(page.read_text("utf-8")), encoding="utf-8")
