"""Policies and long manuals, by the default model."""

from __future__ import annotations

import pytest

from memsum import Summarizer
from memsum.document import Document, read_document

POLICY = """# Parking at the harbour

Welcome to our parking page!

We are happy that you are here.

## Who may park

Only residents with a permit may park on the pier between 8 a.m. and 6 p.m. on working days.
You must show the permit behind the windscreen, or your car will be towed at your own cost.
Here is what you need to know.

## Fees

A permit costs 40 euros per year and must be renewed before the end of March.
See below.
If you do not renew it in time, you will have to wait three months for a new one.

## Exceptions

Visitors can park for two hours without a permit if they set a parking disc.
You may not park in front of the lifeboat station at any time.
Thank you for reading.

## Contact

Click here.
Please contact the harbour office if you have any questions about your permit.
"""
TOPICS = ("anchors", "ropes", "engines", "lights", "radios", "sails", "pumps", "charts")
ADVICE = (
    "You must check the {} of boat {} before you leave the harbour.",
    "If the {} of boat {} are wet, please ask the harbour office for help, and we will send someone.",
    "Don't use the {} of boat {} when you are alone on board!",
    "Here is what people told us about the {} of boat {}.",
    "We recommend that you clean the {} of boat {} every week, because salt can damage them.",
    "What should you do if the {} of boat {} are lost?",
    "You can find the {} of boat {} in the box under your seat.",
    "By default our team keeps the {} of boat {} for two days after you report a problem.",
)


def manual(sections: int, sentences: int) -> Document:
    """Write a manual of which every section gives advice on something else."""
    parts = ["# Keep your boat safe", "This guide tells you how to look after your boat."]
    for number in range(sections):
        topic = TOPICS[number % len(TOPICS)]
        parts.append(f"## Chapter {number}: {topic}")
        lines = [ADVICE[i % len(ADVICE)].format(topic, number * sentences + i) for i in range(sentences)]
        parts += [" ".join(lines[i : i + 4]) for i in range(0, sentences, 4)]
    return read_document("\n\n".join(parts), format="markdown")


@pytest.fixture(scope="module")
def default() -> Summarizer:
    return Summarizer.load(threads=1)


@pytest.fixture(scope="module")
def long_manual() -> Document:
    return manual(sections=8, sentences=60)


def test_rules_come_before_greetings(default: Summarizer) -> None:
    document = read_document(POLICY, format="markdown")
    said = " ".join(quote.text for quote in default.summarize(document, sentences=5))
    assert "permit" in said
    assert not any(text in said for text in ("Welcome", "Thank you", "Click here", "See below"))


def test_lengths_of_a_long_manual_share_one_order(default: Summarizer, long_manual: Document) -> None:
    reading = default.read(long_manual)
    suggested = [quote.index for quote in reading.summarize(order="extraction")]
    for count in (3, 8, 9, len(suggested)):
        quotes = reading.summarize(sentences=count, order="extraction")
        assert [quote.index for quote in quotes] == suggested[:count]


def test_every_main_section_of_a_long_manual_has_a_quote(default: Summarizer, long_manual: Document) -> None:
    summary = default.summarize(long_manual)
    quoted = {quote.section for quote in summary}
    assert sum(f"Chapter {number}:" in " ".join(map(str, quoted)) for number in range(8)) == 8
    assert [section.title for section in summary.sections if section.title] == [
        f"Chapter {number}: {TOPICS[number]}" for number in range(8)
    ]
    assert not any("only a part" in warning for warning in summary.warnings)


def test_a_summary_of_a_part_says_so(default: Summarizer, long_manual: Document) -> None:
    summary = default.summarize(long_manual, sentences=3)
    assert len({quote.section for quote in summary}) == 3
    assert any("only a part of the document: 3 of its" in warning for warning in summary.warnings)


def test_the_default_length_grows_with_the_document(default: Summarizer, long_manual: Document) -> None:
    short = default.summarize(manual(sections=8, sentences=5))
    assert len(short) < len(default.summarize(long_manual)) <= 60
