from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.document import read_document
from memsum.document.readers import plain

from ...helpers import texts

PAPER = """\
Why pumps fail in cold water

Abstract
Pumps fail in winter. We opened
twelve of them.

1. Introduction

Pumps have been in use since 1800, e.g. in
mines. They break often.  The causes are:
- wear of the seals
- ice (see Fig. 2)
Both are rare in summer.

1.1 Earlier work

According to Okafor et al. (2011) ice is harmless.

Figure 2. A pump in January.

RESULTS

Seals broke in 9 of 12 pumps.

5. References

[1] Okafor J, Hale B. Ice. J. Pumps 3, 2011.

[2] Hale B. Seals. 2014.

Acknowledgments

We thank the miners of St. Anne.
"""


def test_a_paper_in_plain_text() -> None:
    document = read_document(PAPER)
    assert document.format == "plain"
    assert document.text == PAPER
    assert document.title == "Why pumps fail in cold water"
    assert texts(document, "heading") == [
        "Abstract",
        "1. Introduction",
        "1.1 Earlier work",
        "RESULTS",
        "5. References",
        "Acknowledgments",
    ]
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 1, 2, 1, 1, 1]
    assert [s.text for s in document.abstract] == ["Pumps fail in winter.", "We opened\ntwelve of them."]
    assert [(s.text, s.section) for s in document.sentences] == [
        ("Pumps have been in use since 1800, e.g. in\nmines.", "1. Introduction"),
        ("They break often.", "1. Introduction"),
        ("The causes are:", "1. Introduction"),
        ("wear of the seals", "1. Introduction"),
        ("ice (see Fig. 2)", "1. Introduction"),
        ("Both are rare in summer.", "1. Introduction"),
        ("According to Okafor et al. (2011) ice is harmless.", "1.1 Earlier work"),
        ("Seals broke in 9 of 12 pumps.", "RESULTS"),
    ]
    assert texts(document, "item") == ["wear of the seals", "ice (see Fig. 2)"]
    assert texts(document, "caption") == ["Figure 2. A pump in January."]
    assert len(texts(document, "reference")) == 2
    assert texts(document, "boilerplate") == ["We thank the miners of St. Anne."]


def test_short_lines_that_are_not_headings() -> None:
    document = read_document("The pump stopped at noon.\n\nWe waited\n\nNobody came, of course.\n\n12\n\nThe end.")
    assert texts(document, "heading") == []
    assert [s.text for s in document.sentences] == [
        "The pump stopped at noon.",
        "We waited",
        "Nobody came, of course.",
        "12",
        "The end.",
    ]


def test_one_line_is_text_and_not_a_title() -> None:
    document = read_document("A single line without a period")
    assert document.title is None
    assert [s.text for s in document.sentences] == ["A single line without a period"]


def test_windows_and_old_line_ends_keep_their_offsets() -> None:
    document = read_document(b"First one\r\nwrapped. Second.\r\n\r\nThird, after a gap.\r\n")
    assert [s.text for s in document.sentences] == ["First one\r\nwrapped.", "Second.", "Third, after a gap."]
    assert [s.text for s in read_document("One.\rTwo.\r\rThree.").sentences] == ["One.", "Two.", "Three."]


def test_a_numbered_list_is_not_a_run_of_headings() -> None:
    document = read_document("The steps are:\n\n1. Open the valve\n2. Wait\n3. Close the valve\n\nThat is all.")
    assert texts(document, "heading") == []
    assert texts(document, "item") == ["Open the valve", "Wait", "Close the valve"]


MAIL = """\
From: Anna Berg <anna@mill.example>
Subject: Re: AW: The flour

Hi Jon,
the flour came late. Why?

> Did it come?

--
Anna
"""


def test_a_mail_without_its_head_quotes_and_signature() -> None:
    document = read_document(MAIL)
    assert document.text == MAIL
    assert document.title == "The flour"
    assert [s.text for s in document.sentences] == ["the flour came late.", "Why?"]
    assert texts(document, "boilerplate") == [
        "From: Anna Berg <anna@mill.example>",
        "Hi Jon,",
        "> Did it come?",
        "--",
        "Anna",
    ]


def test_what_is_quoted_as_a_whole_is_read() -> None:
    document = read_document("> The flour came\n> late. It was wet.\n>\n> > Nobody knew why.\n")
    assert [" ".join(s.text.split()) for s in document.sentences] == [
        "The flour came > late.",
        "It was wet.",
        "Nobody knew why.",
    ]


def test_a_turn_has_a_speaker_and_its_words() -> None:
    text = "ANNA: The flour is wet. Who saw it?\nJON (by phone): I did.\nANNA: When?\nNote: the line was bad.\n"
    document = read_document(text)
    assert [(s.speaker, s.text) for s in document.sentences] == [
        ("ANNA", "The flour is wet."),
        ("ANNA", "Who saw it?"),
        ("JON", "I did."),
        ("ANNA", "When?"),
        ("ANNA", "Note: the line was bad."),
    ]
    # Each turn is a block of its own, with the name in it: that is how it is shown.
    assert texts(document, "paragraph")[1] == "JON (by phone): I did."
    assert [block.speaker for block in document.blocks] == ["ANNA", "JON", "ANNA"]


def test_what_nobody_says_in_a_transcript_has_no_speaker() -> None:
    text = "The meeting began at nine.\n\nANNA: Good morning.\nJON: Hello.\nANNA: Shall we?\n\nIt ended at ten.\n"
    document = read_document(text)
    assert [(s.speaker, s.text) for s in document.sentences] == [
        (None, "The meeting began at nine."),
        ("ANNA", "Good morning."),
        ("JON", "Hello."),
        ("ANNA", "Shall we?"),
        (None, "It ended at ten."),
    ]


LINES = [
    *("ANNA: Good morning.", "JON: Hello.", "> a", "--", "", "From: a", "Subject: b", "It was late.", "Best,", "____"),
    *("1. Pump", "By Anna Berg", "  Wet.", "On Monday Jon wrote:", "(Laughter)", "PARIS - It", "[Image a]", "Hi,"),
    *("*** START OF THE PROJECT GUTENBERG", "*** END OF THE PROJECT GUTENBERG", "-----Original Message-----"),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=40))
def test_any_lines_are_blocks_in_order(lines: list[str]) -> None:
    text = "\n".join(lines)
    if text.strip():
        document = read_document(text)
        assert all(document.text[s.start : s.end] == s.text for s in document.sentences)
        assert "".join(texts(document, "paragraph")).strip() or document.blocks


def test_words_before_a_colon_are_not_always_speakers() -> None:
    for text in (
        "Warning: the flour is wet.\n\nNote: it was wet in May.\n\nExample: the sack from Leeds.\n",
        "The parts are these.\n\nWheel: it is made of oak.\n\nAxle: it is made of iron.\n\nSeal: it is made of felt.\n",
    ):
        assert [s.speaker for s in read_document(text).sentences if s.speaker] == []


def test_short_lines_in_wrapped_text_are_not_joined() -> None:
    wrapped = "The mill stood at the weir, and its wheel had not\nstopped for as long as anyone there remembered it\n"
    address = "Mill and Sons\nTwelve Mill Lane\nThe wheel is open to visitors on most days of the\nyear."
    text = f"{wrapped * 4}at all.\n\n{address}"
    assert [" ".join(s.text.split()) for s in read_document(text).sentences][-3:] == [
        "Mill and Sons",
        "Twelve Mill Lane",
        "The wheel is open to visitors on most days of the year.",
    ]


def test_only_furniture_is_read_as_words() -> None:
    assert [s.text for s in read_document("Best regards,\nAnna\n\n--\n").sentences] == ["Best regards,\nAnna", "--"]


@given(st.text(st.sampled_from("ab \n\r\v\x85\u2028")) | st.text(st.sampled_from("ab \n")))
def test_lines_are_those_of_the_pattern(text: str):
    lines = [found.span() for found in plain._LINE.finditer(text) if found[0]]
    assert [(begin, end) for begin, end in plain._lines(text) if begin < end] == lines


MANUAL = """\
The crane of the harbour
========================

How to lift
-----------

Three rules hold for every load that is lifted.

 - The hook is inspected by the crew before
   the first lift of the day.

 - Nobody stands below a load, whatever
   it weighs and however short the lift is.

   $ crane --check

A.1. Fees

A lift costs nine euros, and the crew may ask for a deposit.
"""


def test_underlined_and_lettered_headings_indented_items_and_commands() -> None:
    document = plain.read(MANUAL)
    assert document.title == "The crane of the harbour"
    assert [(sentence.section, sentence.is_item) for sentence in document.sentences] == [
        ("How to lift", False),
        ("How to lift", True),
        ("How to lift", True),
        ("A.1. Fees", False),
    ]
    assert document.sentences[2].text.startswith("Nobody stands below")
    assert "$ crane --check" in [document.text[one.start : one.end] for one in document.blocks]


def test_a_turn_lasts_until_the_next_one_and_keeps_its_time() -> None:
    gold = Path(__file__).parents[2] / "data" / "gold"
    for name in ("plain/turns.txt", "markdown/turns.md", "markdown/speakers-in-headings.md"):
        document = read_document(gold / name)
        said = {sentence.text: sentence.speaker for sentence in document.sentences}
        names = {speaker.title() for speaker in said.values() if speaker}
        assert names == {"Anna Berg", "Otto Mill"}, name
        assert all(said.values()) or name == "markdown/turns.md"
    document = read_document(gold / "markdown" / "turns.md")
    spoken = {sentence.text: (sentence.speaker, sentence.time) for sentence in document.sentences}
    assert spoken["Today we speak about gates, which are slow."] == ("Anna Berg", "01:40")
    assert spoken["It takes an hour to open one."] == ("Otto Mill", None)
    assert spoken["The show was recorded in the mill."] == (None, None)


@pytest.mark.parametrize(
    ("kind", "heads"),
    [
        ("markdown", ("**Anna** [0:10]", "**Otto** [1:20]")),
        ("markdown", ("**Anna (0:10):**", "**Otto (1:20):**")),
        ("markdown", ("### Anna [0:10]", "### Otto [1:20]")),
        ("plain", ("Anna [0:10]", "Otto [1:20]")),
        ("plain", ("Anna 0:10", "Otto 1:20")),
        ("plain", ("ANNA (0:10):", "OTTO (1:20):")),
    ],
)
def test_a_name_alone_on_a_line_begins_a_turn_of_paragraphs(kind: str, heads: tuple[str, str]) -> None:
    words = "The gate was built in one winter.\n\nIt cost as much as a horse."
    document = read_document("\n\n".join(f"{head}\n\n{words}" for head in 4 * heads), format=kind)
    said = [(sentence.speaker, sentence.time, sentence.text[:4]) for sentence in document.sentences[:4]]
    anna, otto = ("ANNA", "OTTO") if heads[0].isupper() else ("Anna", "Otto")
    assert said == [(anna, "0:10", "The "), (anna, None, "It c"), (otto, "1:20", "The "), (otto, None, "It c")]
    assert len(document.sentences) == 16
    assert heads[0][0] == "#" or not any(block.kind in ("heading", "title") for block in document.blocks)
