"""Options of a summary: what they refuse, one order for every length."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from typer.testing import CliRunner

import memsum
from memsum import MemsumError, Reading, Summarizer
from memsum.batch.summaries import BatchSettings
from memsum.cli.app import app
from memsum.cli.options import FORMATS
from memsum.document.formats import TITLES
from memsum.options import Length, SummaryKeywords, SummaryOptions, option_types
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


DOCS = Path(__file__).parents[3] / "docs"
FILES = ("demo/night-buses.md", "demo/harbour-meeting.txt", "sample/library-hours.md", "sample/allotment-bees.xml")
GERMAN = """\
Der Hafen von Altmünde hat eine neue Mole. Sie schützt die Boote vor den Wellen aus dem Norden. Die Stadt hat dafür
zwei Millionen Euro bezahlt. Im Sommer kommen viele Gäste an die Küste. Die Fischer liegen nun am alten Kai. Der
Hafenmeister ist mit der Mole zufrieden. Im nächsten Jahr soll auch der Kai erneuert werden.
"""


def ranks(reading: Reading, **options: object) -> list[int]:
    """Return the numbers of the quotes by their ranks."""
    quotes = sorted(reading.summarize(**options), key=lambda quote: quote.step)  # type: ignore[arg-type]
    assert [quote.step for quote in quotes] == list(range(len(quotes)))
    return [quote.number for quote in quotes]


def read(name: str) -> Callable[[Summarizer], Reading]:
    return lambda summarizer: summarizer.read(DOCS / name)


CASES: dict[str, tuple[Callable[[Summarizer], Reading], dict[str, object]]] = {
    **{name: (read(name), {}) for name in FILES},
    "another language": (lambda summarizer: summarizer.read(GERMAN), {}),
    "together": (lambda summarizer: summarizer.read_together([DOCS / name for name in FILES[:3]]), {}),
    "by section": (read(FILES[0]), {"by": "section"}),
    "spread": (read(FILES[1]), {"spread": True}),
    "a question": (read(FILES[0]), {"about": "How many people used the night buses?"}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_length_is_a_prefix_of_one_order(default: Summarizer, case: str) -> None:
    make, options = CASES[case]
    reading = make(default)
    order = ranks(reading, sentences=40, **options)
    for count in range(1, len(order) + 1):
        assert ranks(make(default) if count == 5 else reading, sentences=count, **options) == order[:count]
    lengths = ({}, {"words": 60}, {"words": 130}, {"characters": 700}, {"ratio": 0.1}, {"max_sentences": 3})
    for length in lengths:
        quoted = ranks(reading, **length, **options)
        assert quoted == order[: len(quoted)]


def test_the_suggested_length_is_a_position_of_the_slider(default: Summarizer) -> None:
    reading = default.read(DOCS / FILES[0])
    suggested = reading.summarize()
    moved = default.read(DOCS / FILES[0]).summarize(sentences=len(suggested))
    assert [(quote.index, quote.step, quote.score) for quote in moved] == [
        (quote.index, quote.step, quote.score) for quote in suggested
    ]
