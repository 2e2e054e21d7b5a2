"""Options are declared once: Python keywords, the command line, the HTTP API and batch settings derive from it."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from typer.testing import CliRunner

import memsum
from memsum import MemsumError, Summarizer
from memsum.batch.summaries import BatchSettings
from memsum.cli.app import app
from memsum.cli.options import FORMATS
from memsum.document.formats import TITLES
from memsum.options import Length, SummaryKeywords, SummaryOptions, option_types
from memsum.reading import Reading
from memsum.server.requests import SummarizeRequest

NAMES = [declared.name for declared in fields(SummaryOptions)]


def test_the_keywords_of_type_checkers_are_the_declared_options() -> None:
    declared = {name: hint for name, (hint, _) in option_types().items()}
    assert get_type_hints(SummaryKeywords) == {**declared, "length": Length | None}


@pytest.mark.parametrize(
    "function",
    [
        memsum.summarize,
        Summarizer.summarize,
        Summarizer.summarize_many,
        Summarizer.summarize_together,
        Reading.summarize,
    ],
)
def test_help_teaches_every_option(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    assert [name for name in parameters if name in NAMES] == NAMES
    assert not any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    for name, (_, declared) in option_types().items():
        assert parameters[name].default == declared.default
        assert f"{name}: {declared.metadata['help']}" in (function.__doc__ or "")


@pytest.mark.parametrize("command", ["summarize", "highlight", "batch"])
def test_every_command_has_every_option(command: str) -> None:
    shown = " ".join(CliRunner().invoke(app, [command, "--help"]).stdout.split())
    for name, (_, declared) in option_types().items():
        assert f"--{name.replace('_', '-')}" in shown
        assert declared.metadata["help"] in shown
    assert "-n, --sentences N" in shown


def test_help_names_every_format() -> None:
    assert FORMATS == TITLES


def test_the_api_has_every_option() -> None:
    described = SummarizeRequest.model_json_schema()["properties"]
    for name, (_, declared) in option_types().items():
        assert described[name]["description"] == declared.metadata["help"]
        assert described[name]["default"] == declared.default
    assert described["sentences"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 100_000}
    given = {"sentences": 3, "about": "costs", "context": False}
    assert SummarizeRequest(text="A. B.", **given).options == SummaryOptions(**given)  # type: ignore[arg-type]


def test_batch_settings_tell_options_apart() -> None:
    identities = [BatchSettings(options=SummaryOptions(keywords=keywords)).identity() for keywords in (True, False)]
    assert identities[0] != identities[1]
    assert set(identities[0]["options"]) == set(NAMES)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"order": "backwards"}, "order cannot be 'backwards'"),
        ({"by": "page"}, "by cannot be 'page'"),
        ({"context": "no"}, "context must be True or False, not 'no'"),
        ({"about": 3}, "not"),
        ({"by": "section", "spread": True}, "mutually exclusive"),
        ({"length": Length(words=9), "sentences": 3}, "either as a Length or in keywords"),
    ],
)
def test_options_are_checked(options: dict[str, Any], says: str) -> None:
    with pytest.raises(MemsumError, match=says):
        SummaryOptions.of(options)


def test_a_length_stands_for_its_keywords() -> None:
    assert SummaryOptions.of({"length": Length(words=9), "order": "extraction"}) == SummaryOptions(
        words=9, order="extraction"
    )
