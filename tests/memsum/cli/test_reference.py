"""docs/cli.md says what the commands say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memsum.cli.app import COMMANDS, app

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"


def test_the_page_is_up_to_date() -> None:
    command = ["-m", "typer", "memsum.cli.app", "utils", "docs", "--name", "memsum", "--title"]
    made = subprocess.run([sys.executable, *command, "The command line"], capture_output=True, text=True, check=True)
    assert PAGE.read_text(encoding="utf-8").strip() == made.stdout.strip(), "run `make docs`"


def test_it_names_every_option_of_a_command_as_the_help_does() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("\n## `memsum summarize`\n")[2].partition("\n## ")[0]
    shown = CliRunner().invoke(app, ["summarize", "--help"]).stdout
    options = {word.rstrip(",.") for word in shown.split() if word.startswith("--")} - {"--help"}
    assert "--format" in options
    assert not {option for option in options if option not in section}
    assert "* `-f, --format <text|json|markdown|html>`: " in section
    assert "\n    memsum summarize report.md --words 150 --format markdown\n" in section


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_the_whole_has_the_first_line_of_every_command(name: str) -> None:
    root = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    own = CliRunner().invoke(app, [name, "--help"]).stdout.split("\n\n")[1]
    assert f"{name} {' '.join(own.split())}" in root
