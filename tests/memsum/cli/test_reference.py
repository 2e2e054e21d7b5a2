"""The pages of the command line say what the commands say."""

from __future__ import annotations

import re

import pytest
from tests.test_docs import ROOT, script
from typer.testing import CliRunner

from memsum.cli.app import COMMANDS, app

from ...helpers import run

CLI = ROOT / "docs" / "cli"


def test_the_pages_are_up_to_date() -> None:
    pages = script("commands").pages()
    assert {*CLI.iterdir(), CLI.with_suffix(".md")} == set(pages)
    assert {page.name for page, text in pages.items() if page.read_text(encoding="utf-8") != text} == set(), "make docs"


def test_there_is_a_page_for_every_command() -> None:
    assert {page.stem for page in CLI.iterdir()} == set(COMMANDS)


def test_it_names_every_option_of_a_command_as_the_help_does() -> None:
    page = (CLI / "summarize.md").read_text(encoding="utf-8")
    shown = CliRunner().invoke(app, ["summarize", "--help"]).stdout
    options = {word.rstrip(",.") for word in shown.split() if word.startswith("--")} - {"--help"}
    assert "--format" in options
    assert not {option for option in options if option not in page}
    assert "* `-f, --format <text|json|markdown|html>`: " in page
    assert "\n    memsum summarize report.md --words 150 --format markdown\n" in page


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_the_whole_has_the_first_line_of_every_command(name: str) -> None:
    root = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    own = CliRunner().invoke(app, [name, "--help"]).stdout.split("\n\n")[1]
    assert f"{name} {' '.join(own.split())}" in root


GROUPS = {
    "model": "list show verify export import",
    "corpus": "build episodes redundant stats check sample",
    "study": "new serve report export import",
}
EACH = [name for name in COMMANDS if name not in GROUPS]
EACH += [f"{group} {name}" for group, names in GROUPS.items() for name in names.split()]


@pytest.mark.parametrize("command", EACH)
def test_every_command_teaches_with_an_example(command: str) -> None:
    assert re.search(rf"\n +(\S.* )?memsum {command}\b", run(*command.split(), "--help").stdout)
