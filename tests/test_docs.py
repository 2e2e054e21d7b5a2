"""The documentation: it builds, its commands exist, and its outputs and generated pages are those of today."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from memsum._version import __version__
from memsum.cli.app import COMMANDS, app

ROOT = Path(__file__).parents[1]
LINKS = re.compile(r"\]\((\S+)\)")
_SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def script(name: str) -> ModuleType:
    """Import a script of docs/."""
    spec = spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OUTPUTS = script("outputs")
GUIDES = list(OUTPUTS.guides())


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.slow
def test_the_site_builds_without_broken_links(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert "Exactly this many sentences." in (tmp_path / "reference" / "python" / "index.html").read_text("utf-8")
    assert "Why ice floats" in (tmp_path / "gallery" / "index.html").read_text("utf-8")
    found = (tmp_path / "search" / "search_index.json").read_text("utf-8")
    assert "Which options for which document" in found
    assert not [text for text in ("Why ice floats", "Hillside Garden", "finance the service for five") if text in found]
    links = LINKS.findall((tmp_path / "llms.txt").read_text("utf-8"))
    assert links
    assert not [link for link in links if not (tmp_path / link / "index.html").exists()]


def test_assistants_are_told_of_every_guide() -> None:
    listed = {ROOT / "docs" / link for link in LINKS.findall((ROOT / "docs" / "llms.txt").read_text("utf-8"))}
    assert not [page for page in listed if not page.exists()]
    assert not {*(ROOT / "docs").glob("*.md")} - listed


@pytest.mark.parametrize("name", ["gallery", "http_api"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    generator = script(name)
    assert generator.PAGE.read_text("utf-8") == generator.page(), f"run `python docs/{name}.py`"
    if name == "http_api":
        assert generator.GUIDE.read_text("utf-8") == generator.guide(), "run `python docs/http_api.py`"


@pytest.mark.parametrize("page", [page for page in GUIDES if page.name != OUTPUTS.ELSEWHERE], ids=named)
def test_outputs_are_what_commands_and_code_print(page: Path) -> None:
    text = page.read_text("utf-8")
    assert OUTPUTS.with_outputs(text) == text, "run `python docs/outputs.py`"


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each call of memsum in the shell blocks of a page."""
    for block in _SHELL.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"\s(?:\||&&|\|\|)\s|;", line.removeprefix("$ ")):
                words = shlex.split(part, comments=True)
                words = words[words.index("until") + 1 :] if "until" in words else words
                while words and "=" in words[0] and not words[0].startswith("-"):
                    words = words[1:]
                if words[:1] == ["memsum"]:
                    yield words[1:]


def refuse_unknown(words: list[str]) -> None:
    """Parse a call without running it; an unknown command or option raises."""
    command: Any = typer.main.get_command(app)
    context: Any = typer.Context(command, info_name="memsum")
    words = words if words[0] in COMMANDS or words[0].startswith("--") else ["summarize", *words]
    while hasattr(command, "resolve_command") and words and not words[0].startswith("--"):
        _, found, words = command.resolve_command(context, words)
        context = typer.Context(found, parent=context, info_name=found.name)
        command = found
    command.make_parser(context).parse_args(words)


@pytest.mark.parametrize("page", GUIDES, ids=named)
def test_commands_and_options_exist(page: Path) -> None:
    for words in commands(page.read_text("utf-8")):
        refuse_unknown([word for word in words if word != "…"])


def test_files_of_the_method_exist() -> None:
    named = re.findall(r"`(memsum\w*/[\w./*-]+)", (ROOT / "docs" / "method.md").read_text("utf-8"))
    assert len(named) > 30
    assert not [path for path in named if not any((ROOT / "src").glob(path))]


def test_an_unknown_option_would_be_found() -> None:
    assert list(commands("```sh\nX=1 memsum a.pdf --words 3 | wc  # comment\n```\n")) == [["a.pdf", "--words", "3"]]
    for wrong in (["summarize", "a.pdf", "--wrods", "3"], ["study", "nwe", "a.db"]):
        with pytest.raises(Exception, match=r"wrods|nwe"):
            refuse_unknown(wrong)


@pytest.mark.parametrize("page", GUIDES, ids=named)
def test_lines_are_short(page: Path) -> None:
    block, long = "", []
    for line in page.read_text("utf-8").splitlines():
        if line.startswith("```"):
            block = "" if block else line
        elif block not in ("```text", "```console") and not line.startswith(("|", "![")) and "://" not in line:
            long += [line] if len(line) > 100 else []
    assert not long


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


def test_the_version_is_the_same_everywhere() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## [{__version__}] - 20" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert {server["version"], server["packages"][0]["version"]} == {__version__}


def test_the_readme_names_the_server_for_the_registry() -> None:
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    assert len(server["description"]) <= 100
