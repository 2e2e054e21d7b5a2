"""Write the reference of the command line: docs/cli.md, and a page for each command in docs/cli/.

python docs/commands.py
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "cli"
_DOCS = ["-m", "typer", "memsum.cli.app", "utils", "docs", "--name", "memsum"]
_COMMAND = re.compile(r"^## (?=`memsum (.+)`$)", re.MULTILINE)
_LISTED = re.compile(r"^(\* )(`(\w+)`): ", re.MULTILINE)
_CUT = re.compile(r"^(\* `(\w+)`: ).*\.\.\.$", re.MULTILINE)  # by typer, in lists within a command


def pages() -> dict[Path, str]:
    """Return the text of each page, as the commands describe themselves."""
    made = subprocess.run([sys.executable, *_DOCS], capture_output=True, text=True, check=True)  # noqa: S603
    overview, *commands = _COMMAND.split(made.stdout)
    overview = overview.replace("# `memsum`", "# The command line", 1)
    texts = {FOLDER.with_suffix(".md"): _LISTED.sub(r"\1[\2](cli/\3.md): ", overview)}
    for name, text in zip(commands[::2], commands[1::2], strict=True):
        texts[FOLDER / f"{name}.md"] = "# " + _whole(text)
    return {path: text.strip() + "\n" for path, text in texts.items()}


def _whole(text: str) -> str:
    """Return the page of a command with the first line of each of its own commands, and with examples as code."""
    lines = dict(re.findall(r"^### `memsum \w+ (\w+)`\n\n(.+)$", text, re.MULTILINE))
    text = _CUT.sub(lambda listed: listed[1] + lines[listed[2]], text)
    return re.sub(r"^(?=memsum )", "    ", text.replace("\n### ", "\n## "), flags=re.MULTILINE)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
