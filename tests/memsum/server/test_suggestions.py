"""Questions that are suggested: made of headings, definitions and terms, and answered by the document."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from memsum import Document, Summarizer, read_document
from memsum.server.suggestions import _asked, _topic, suggest

SAMPLE = Path(__file__).parents[3] / "src" / "memsum" / "server" / "static" / "sample.md"


@pytest.fixture(scope="module")
def shipped() -> Summarizer:
    return Summarizer.load(threads=1)


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("How the trial was organised", "How was the trial organised?"),
        ("How long the trial will last", "How long will the trial last?"),
        ("What you can do", "What can you do?"),
        ("What is new", "What is new?"),
        ("Who can come in", "Who can come in?"),
        ("Can I use it?", None),  # what "it" is, only the text tells
        ("Why measure anything?", "Why measure anything?"),
        ("Any remaining concerns?", None),
        ("The district", None),
    ],
)
def test_headings_that_ask(heading: str, question: str | None) -> None:
    assert _asked(heading) == question


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Mooring Fees", "mooring fees"),
        ("Adding a summary", "adding a summary"),
        ("The Harbour", "the Harbour"),
        ("Raise the fees", None),  # a verb
        ("Introduction", None),
        ("Fees are high", None),
        ("Further reading", None),
    ],
)
def test_headings_that_name_a_topic(heading: str, topic: str | None) -> None:
    assert _topic(heading, "The Harbour has raised all mooring fees. We raise them again. Raise them!") == topic


def test_questions_are_whole_and_answered(shipped: Summarizer) -> None:
    reading = shipped.read(read_document(SAMPLE))
    questions = suggest(reading, math.inf)
    assert "Who can come in?" in questions
    assert len(questions) == 3
    assert all(question.endswith("?") and " " in question for question in questions)
    assert all(reading.summarize(about=question).found for question in questions)


def test_a_term_that_is_defined_is_asked_for(shipped: Summarizer) -> None:
    text = (
        "A mooring buoy is a float that is chained to the ground. Each mooring buoy has a number. "
        "The harbour master checks every mooring buoy in May. Boats are tied to a mooring buoy at night."
    )
    assert "What is a mooring buoy?" in suggest(shipped.read(read_document(text)), math.inf)


def test_other_languages_have_the_questions_of_their_headings(shipped: Summarizer) -> None:
    text = (
        "# Hafen\n\n## Was kostet ein Platz?\n\nEin Platz kostet zwölf Euro.\n\n## Gebühren\n\nMan zahlt sie am Kai.\n"
    )
    found = suggest(shipped.read(read_document(text.encode(), language="de")), math.inf)
    assert set(found) <= {"Was kostet ein Platz?"}


def test_without_headings_and_terms_nothing_is_suggested(shipped: Summarizer) -> None:
    assert suggest(shipped.read(Document.from_sentences(["It rained.", "Nobody came."])), math.inf) == []
