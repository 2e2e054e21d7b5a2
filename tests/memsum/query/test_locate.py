"""Quotes of others are found where they are, and told from what is not there."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers import column, make_pdf

from memsum import Document, read_document
from memsum.query.locate import QuoteLocator
from memsum.query.located import LocatedQuote, find_quotes

TEXT = """# News

## The harbor

The crane costs 4,100 euros, and it will arrive on 12 May. The committee did not approve the second crane!
Dr. Weber measured −5 °C at the café, 12.5 % less than in 2019 [12].

- Boats of the first row pay 30 euros.
- Boats of the second row pay 20 euros, if they are shorter than 8 m.

The *old* pier was closed in winter; well-known skippers, such as Ms. Hale, moved to the northern basin.
"""
DOCUMENT = read_document(TEXT, isolated=False)
LOCATOR = QuoteLocator(DOCUMENT)


def locate(quote: str) -> LocatedQuote:
    return LOCATOR.locate(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "the crane costs 4,100 EUROS",
        "“The committee did not  approve the\nsecond crane!”",
        "Dr. Weber measured -5°C at the cafe",
        "12.5% less than in 2019",
        "Boats of the first row pay 30 euros. Boats of the second row pay 20 euros",
        "The old pier was closed in win-\nter",
        "well known skippers, such as Ms. Hale",
        "The com\u00admittee did not ap\u200bprove",
        "less than in 2019 [12].",
    ],
)
def test_the_same_words_are_found_however_they_are_set(quote: str) -> None:
    found = locate(quote)
    assert found.is_found
    assert not found.changes
    [occurrence] = found.occurrences
    assert DOCUMENT.text[occurrence.start : occurrence.end] == occurrence.text
    assert occurrence.text in occurrence.passage
    assert (
        occurrence.passage == " ".join(DOCUMENT.sentences[index].text for index in occurrence.sentences)
        or len(occurrence.sentences) > 1
    )


@pytest.mark.parametrize(
    ("quote", "wrong", "right"),
    [
        ("The crane costs 4,200 euros, and it will arrive on 12 May.", "4,200", "4,100"),
        ("The crane costs 4,100 dollars, and it will arrive", "dollars", "euros"),
        ("The committee approved the second crane!", "approved", "did not approve"),
        ("The committee did approve the second crane!", "", "not"),
        ("Dr. Weber measured 5 °C at the café", "5", "−5"),
        ("Dr. Weber measured −5 °F at the café", "F", "C"),
        ("Dr. Miller measured −5 °C at the café", "Miller", "Weber"),
        ("The crane will cost 4,100 euros, and it will arrive on 12 May.", "will cost", "costs"),
        ("12.5 % less than in 2019 [13]", "[13]", "[12]"),
        ("Boats of the second row pay 20 euros, if they are longer than 8 m.", "longer", "shorter"),
    ],
)
def test_a_changed_number_unit_negation_or_name_is_never_the_same(quote: str, wrong: str, right: str) -> None:
    found = locate(quote)
    assert found.status == "edited"
    assert [(change.quote, change.document) for change in found.changes] == [(wrong, right)]
    assert quote[found.changes[0].start :].startswith(wrong)


@pytest.mark.parametrize(
    ("text", "quote", "is_same"),
    [
        ("It uses 5 mW at night.", "it uses 5 MW", False),
        ("It sends 8 MB per day.", "It sends 8 Mb per day", False),
        ("It moves by 3 mm or 2 Hz.", "IT MOVES BY 3 MM OR 2 HZ", True),
        ("It costs 5 $ a day.", "It costs 5 a day", False),
        ("The sum is 5 + 3.", "The sum is 5 - 3", False),
        ("It is written in C++ and C#.", "written in C", False),
        ("It is written in C++ and C#.", "written in C++ and C", False),
        ("At –7 °C it stops.", "At 7 °C it stops", False),
        ("At –7 °C it stops.", "At -7 °C it stops", True),
        ("यह एक अच्छी किताब है।", "यह एक अच्छा किताब है", False),
        ("ภาษาไทยเป็นภาษาที่ยากมาก", "ภาษาไทยเป็นภาษาท่ยากมาก", False),
    ],
)
def test_signs_units_and_vowels_count(text: str, quote: str, is_same: bool) -> None:
    assert QuoteLocator(Document.from_sentences([text])).locate(quote).is_found == is_same


@pytest.mark.parametrize("quote", ["2.5 % less than", "costs 4", "5 °C at the café", "costs 4,100 euro", "2 May"])
def test_words_and_numbers_are_not_cut(quote: str) -> None:
    assert not locate(quote).is_found


@pytest.mark.parametrize(
    "quote",
    [
        "Boats of the third harbor are painted green every summer.",
        "Der Kran kostet viel Geld.",
        "zebra",
        "",
        " \u200b\u00ad ",
        "?!",
        "……",
    ],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    found = locate(quote)
    assert found.status == "not found"
    assert not found.occurrences


def test_all_occurrences_are_listed() -> None:
    assert [DOCUMENT.text[one.start : one.end] for one in locate("row pay").occurrences] == ["row pay", "row pay"]
    assert len(locate("CRANE").occurrences) == 2


@pytest.mark.parametrize("gap", ["…", "...", " [...] ", "[…]", "(…)"])
def test_a_quote_with_gaps_matches_part_by_part(gap: str) -> None:
    found = locate(f"The crane costs 4,100 euros{gap}the second crane!")
    assert (found.status, len(found.parts), len(found.occurrences)) == ("exact", 2, 2)
    turned = locate(f"the second crane!{gap}The crane costs 4,100 euros")
    assert turned.status == "edited"
    assert turned.note
    missing = locate(f"The crane costs 4,100 euros{gap}and zebras graze quietly")
    assert (missing.status, missing.note) == ("not found", "1 of its 2 parts is not in the document.")


def test_a_quote_joined_from_two_passages_is_reported_as_that() -> None:
    found = locate("Boats of the first row pay 30 euros, moved to the northern basin.")
    assert found.status == "edited"
    assert [part.status for part in found.parts] == ["same words", "same words"]
    assert found.note == "Joined from 2 passages of the document."
    assert [one.section for one in found.occurrences] == ["The harbor", "The harbor"]


LINES = ["A first column with a sentence that goes on in", "the second column, after the caption of a figure."]


def test_boxes_of_what_is_no_sentence() -> None:
    lines = [
        "Some words about boats and their owners in the bay.",
        "References",
        "[1] Hale, A. Boats of the north. 2001.",
    ]
    document = read_document(make_pdf([column(50, 700, lines)] * 2), isolated=False)
    for line, text in enumerate(lines):
        found = QuoteLocator(document).locate(text)
        assert [one.page for one in found.occurrences] == [1, 2]
        for one in found.occurrences:
            [box] = one.boxes
            assert 45 < box.left < 80  # behind the mark of a reference
            assert box.left < box.right
            assert box.bottom < 705 - 12 * line < box.top + 5
            assert box.top - box.bottom < 12


def test_a_quote_over_columns_and_pages_has_boxes_on_both() -> None:
    first = [f"Line {number} tells that the harbor was once full of boats and" for number in range(20)]
    second = [f"that number {number} belonged to a skipper of the town, who" for number in range(20)]
    document = read_document(make_pdf([column(50, 700, first), column(50, 700, second)]), isolated=False)
    found = QuoteLocator(document).locate(f"{first[-1]} {second[0]}")
    assert found.is_found
    assert [box.page for box in found.occurrences[0].boxes] == [1, 2]


WORDS = "no not 12 12.5 −5 % a aa re-do naïve ﬁn … [3] x² it's 日本 „“"


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whole_words_of_the_text_are_always_found(data: st.DataObject) -> None:
    words = st.lists(st.sampled_from(WORDS.split()), min_size=1)
    text = " ".join(data.draw(words))
    document = Document.from_sentences([text])
    starts = [0, *(at + 1 for at, mark in enumerate(text) if mark == " ")]
    start = data.draw(st.sampled_from(starts))
    end = data.draw(st.sampled_from([*(at - 1 for at in starts if at > start), len(text)]))
    quote = text[start:end]
    found = QuoteLocator(document).locate(quote)
    assert found.is_found or "…" in quote or not any(mark.isalnum() for mark in quote.replace("[3]", ""))
    for one in found.occurrences:
        assert document.text[one.start : one.end] == one.text


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_gives_a_clear_result(text: str, quote: str) -> None:
    found = QuoteLocator(Document.from_sentences([text])).locate(quote)
    assert found.status in ("exact", "same words", "edited", "not found")
    assert (found.status == "not found") == (not found.occurrences) or found.parts
    assert found.to_text()


MANUAL = " ".join(
    f"Step {n} of part {n % 7} moves the lever {n * 37 % 101} of the pump {n * n % 89} by {n % 13} mm: it stops."
    for n in range(4_000)
)


def timed(document: Document, quotes: list[str], seconds: float) -> list[LocatedQuote]:
    begin = time.process_time()
    locator = QuoteLocator(document)
    found = [locator.locate(quote) for quote in quotes]
    assert time.process_time() - begin < seconds
    return found


def test_a_thousand_quotes_of_a_manual_take_two_seconds() -> None:
    document = read_document(MANUAL, isolated=False)
    own = [sentence.text for sentence in document.sentences]
    quotes = [
        *own[:3200:8],
        *(one.upper() for one in own[:3200:8]),
        *(f"{one[:-9]} never stops." for one in own[:1600:8]),
    ]
    found = timed(document, quotes, 2.0)
    assert [one.status for one in found] == ["exact"] * 400 + ["same words"] * 400 + ["edited"] * 200


@pytest.mark.slow
@pytest.mark.parametrize("text", ["a " * 100_000, "a- " * 60_000, MANUAL], ids=["words", "hyphens", "manual"])
@pytest.mark.parametrize(
    "quote",
    [
        "a " * 400_000,
        "a " * 900 + "b",
        "a" * 1_000_000,
        "a … " * 100_000,
        "a\u0301\u00ad" * 200_000,
        "[1" * 300_000,
        "a [ " + " " * 300_000 + "b",
        "](" * 300_000,
        "lever " * 900,
    ],
    ids=["million", "words", "letters", "gaps", "marks", "brackets", "spaces", "links", "common"],
)
def test_hostile_repetition_takes_bounded_time(text: str, quote: str) -> None:
    document = replace(Document.from_sentences([text]), language=None)
    timed(document, [quote], 4.0)


def test_quotes_of_an_answer_are_found() -> None:
    answer = 'It has “the crane costs 4,100 euros”, "the\nsecond crane was refused". “Harbor” is old.\n'
    answer += "\n> A block\n> of text\n"
    assert find_quotes(answer) == ["the crane costs 4,100 euros", "the second crane was refused", "A block of text"]
    assert find_quotes("one line\n\nanother line\n") == ["one line", "another line"]
    assert find_quotes('[{"quote": "first"}, {"text": "second"}, "third"]') == ["first", "second", "third"]
    assert find_quotes('{"sentences": [{"text": "of a summary"}]}') == ["of a summary"]
    assert find_quotes("[not JSON") == ["[not JSON"]
    assert find_quotes("") == []


def test_differences_are_readable() -> None:
    found = locate("The crane costs 4,200 euros, and it will arrive on 12 May.")
    assert found.to_text() == (
        "~ edited: The crane costs [-4,200-]{+4,100+} euros, and it will arrive on 12 May.\n    The harbor, sentence 1"
    )
    missing = locate("The committee did approve  the second crane").to_text()
    assert missing.startswith("~ edited: The committee did {+not+} approve the second crane\n")
    assert "\x1b[9;31m4,200\x1b[0m" in found.to_text(color=True)
    assert found.to_dict()["changes"] == [{"start": 16, "quote": "4,200", "document": "4,100"}]
