"""Summaries about a question: the default model on a meeting that we made up, and on other languages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memsum import MemsumError, Summarizer
from memsum.query.relevance import LIKELY, Relevance, in_words
from memsum.summary import warnings

DEMO = Path(__file__).parents[3] / "docs" / "demo"
MEETING, BUSES = DEMO / "harbour-meeting.txt", DEMO / "night-buses.md"

GERMAN = [
    "Der Hafen hat seit sechs Jahren keine neuen Gebühren beschlossen.",
    "Der Kran wurde im Frühjahr geschlossen, weil der Ausleger gerissen ist.",
    "Die Reparatur des Krans kostet einunddreißigtausend und dauert fünf Wochen.",
    "Die Fähre soll im Sommer viermal täglich fahren und den Nordsteg benutzen.",
    "Die Fischer wollen ihre Eismaschine am Nordsteg nicht verlieren.",
    "Der Schatzmeister schlägt acht Prozent höhere Gebühren für Besucher vor.",
]
CHINESE = [
    "港口委员会讨论了起重机的修理费用。",
    "渡轮公司希望夏天每天开四班。",
    "渔民不想失去北码头的制冰机。",
    "会议在晚上九点结束。",
]


def test_the_summary_quotes_what_bears_on_the_question(default: Summarizer) -> None:
    about_ice = default.summarize(MEETING, about="What happens to the ice machine?")
    assert about_ice.found
    assert "move the ice machine to the south pier" in about_ice.text
    assert "crane" not in about_ice.text
    about_crane = default.summarize(MEETING, about="repair of the crane")
    assert "crane" in about_crane.text
    assert "ice machine" not in about_crane.text
    assert len(about_ice) < len(default.summarize(MEETING).document.sentences) / 4


def test_quotes_that_hardly_answer_the_question_come_with_a_warning(default: Summarizer) -> None:
    warning = "The document may not answer the question; these sentences come closest."
    scores = np.zeros(3, np.float32)
    doubtful = Relevance(scores, scores, np.arange(3), found=True, within=1.0, most=5, answered=0.3)
    assert warnings.of_question(doubtful, ()) == (warning,)
    assert warnings.of_question(replace(doubtful, answered=0.6), ()) == ()
    assert warning not in default.summarize(BUSES, about="How many drivers were trained?").warnings


@pytest.mark.parametrize("about", ["Which crane was repaired?", "Who won the election?", "How do I install it?"])
def test_questions_about_another_document_find_nothing(default: Summarizer, about: str) -> None:
    assert not default.summarize(BUSES, about=about).found


def test_an_answer_may_stand_behind_the_sentence_with_the_words(default: Summarizer) -> None:
    text = (
        "The office moved in March. A resident's permit is needed to park in the old town. It costs 48 euros a year. "
        "The market is held on Thursdays. Bicycles may be left at the station. The museum has a new roof."
    )
    assert "It costs 48 euros a year." in default.summarize(text, about="How much is a permit for residents?").text


def test_other_forms_of_a_word_are_found(default: Summarizer) -> None:
    assert "dredging" in default.summarize(MEETING, about="they dredged", sentences=3).text


def test_a_heading_lends_its_words_to_its_section(default: Summarizer) -> None:
    text = (
        "# Town guide\n\n## Market\n\nThe stalls open at eight. The best day is Thursday. Fish is sold there.\n\n"
        "## Parking\n\nThe first hour is free. Then two euros are due every hour. There are cards for a year.\n\n"
        "## Museum\n\nThe museum shows boats and nets. The ticket is good for three days. Children draw in the attic.\n"
    )
    summary = default.summarize(text.encode(), about="What does parking cost?", sentences=2)
    assert {sentence.section for sentence in summary} == {"Parking"}


def test_a_named_speaker_is_the_one_who_is_quoted(default: Summarizer) -> None:
    summary = default.summarize(MEETING, about="What did the Treasurer say about the fees?", sentences=4)
    assert [sentence.speaker for sentence in summary] == ["Treasurer"] * 4


def test_each_quote_says_in_words_how_probably_it_answers(default: Summarizer) -> None:
    summary = default.summarize(BUSES, about="How many drivers were trained?")
    assert summary[0].relevance is not None
    assert summary[0].relevance >= LIKELY
    assert summary[0].answer == in_words(summary[0].relevance) == "likely answers"
    assert "likely answers" in summary.to_text(width=90)
    record = json.loads(json.dumps(summary.to_dict()))
    assert record["about"] == "How many drivers were trained?"
    assert record["found"] is True
    assert 0.5 < record["answered"] <= 1
    assert all(0 < quote["relevance"] <= 1 for quote in record["sentences"])
    assert [quote["answer"] for quote in record["sentences"]] == [quote.answer for quote in summary]
    assert all(summary.document.text[quote.start : quote.end] == quote.text for quote in summary)


@pytest.mark.parametrize("about", ["quantum chromodynamics", "Wie teuer ist der neue Kran?", "起重机", "zzz qqq"])
@pytest.mark.parametrize("options", [{}, {"sentences": 3}, {"words": 60}])
def test_nothing_found_is_an_answer(default: Summarizer, about: str, options: dict[str, int]) -> None:
    summary = default.summarize(MEETING, about=about, **options)
    assert not summary.found
    assert len(summary) == 0
    assert summary.stop.reason == "relevance"
    assert summary.warnings == default.summarize(MEETING).warnings
    assert summary.to_dict()["found"] is False
    assert "no relevant sentence found" in summary.to_markdown()
    assert "no relevant sentence found" in summary.to_html()


def test_the_nearest_sentences_are_quoted_on_request(default: Summarizer) -> None:
    summary = default.summarize(MEETING, about="quantum chromodynamics", nearest=True)
    assert not summary.found
    assert summary.sentences
    assert summary.to_dict()["found"] is False


@pytest.mark.parametrize("about", ["What is this about?", "Summarize it, please."])
def test_a_question_without_a_topic_asks_for_the_whole_document(default: Summarizer, about: str) -> None:
    summary, plain = default.summarize(MEETING, about=about), default.summarize(MEETING)
    assert summary.sentences == plain.sentences
    assert summary.warnings[-1] == "The question names no topic: this is a summary of the whole document."


def test_plain_summaries_are_the_same_to_the_bit_whatever_was_asked_before(default: Summarizer) -> None:
    for options in ({}, {"sentences": 10}, {"words": 120}):
        fresh = default.read(MEETING).summarize(explain=True, **options)
        reading = default.read(MEETING)
        for about in ("the ice machine", "mooring fees"):
            reading.summarize(about=about, **options)
        plain = reading.summarize(explain=True, **options)
        assert plain == fresh
        record = plain.to_dict()
        assert "about" not in record
        assert "found" not in record
        assert "relevance" not in record["sentences"][0]


def test_one_reading_answers_every_question_as_a_new_one_would(default: Summarizer) -> None:
    reading = default.read(MEETING)
    for about in ("the ice machine", "mooring fees", "the ice machine"):
        for count in (5, 2):
            answer = reading.summarize(about=about, sentences=count)
            assert answer == default.read(MEETING).summarize(about=about, sentences=count)
            assert len(answer) == count


@pytest.mark.parametrize("document", [GERMAN * 3, GERMAN])
def test_a_language_that_the_model_does_not_know(default: Summarizer, document: list[str]) -> None:
    summary = default.summarize(document, about="Was kostet die Reparatur des Krans?", sentences=1)
    assert summary.found
    assert "Reparatur" in summary.text
    assert not default.summarize(document, about="Quantenphysik").found


def test_a_script_without_spaces(default: Summarizer) -> None:
    assert default.summarize(CHINESE * 2, about="制冰机", sentences=1).text == CHINESE[2]


def test_small_documents(default: Summarizer) -> None:
    assert default.summarize(["The crane is broken."], about="crane").text == "The crane is broken."
    assert not default.summarize(["The crane is broken."], about="ferry").found


def test_a_model_without_signals_answers_too(summarizer: Summarizer) -> None:
    sentences = [
        "Oral iron improved haemoglobin.",
        *["Each interview took some minutes."] * 2,
        "Travel costs were paid.",
    ]
    assert summarizer.summarize(sentences, about="travel costs", sentences=1).text == "Travel costs were paid."


@pytest.mark.parametrize("about", ["", "?", "x" * 1001, 3])
def test_what_is_no_question_is_refused_before_anything_is_read(default: Summarizer, about: str) -> None:
    with pytest.raises(MemsumError, match=r"question|^about must be a text"):
        default.summarize(Path("there-is-no-such-file.txt"), about=about)


MAIL = """\
From: Jana <jana@example.org>
To: Board <board@example.org>
Subject: New contract
Content-Type: text/plain; charset=utf-8

Dear all,

We have moved the printing of the members' magazine to the works in Linden. The new contract runs for three years and
saves us roughly 240,000 euros. The works delivers within four days, as before. Colours and paper stay the same, and so
does the editor. The old contract ends in March, and nobody has to be dismissed.

The next meeting of the board is on the second Tuesday of May. Please send your proposals to the office before that.

Jana
"""


@pytest.mark.parametrize(
    ("about", "answer"),
    [
        ("How much will be saved?", "saves us roughly 240,000 euros"),
        ("How long does the contract run?", "runs for three years"),
        ("When does the board meet?", "second Tuesday of May"),
    ],
)
def test_a_question_in_other_words_is_answered(default: Summarizer, about: str, answer: str) -> None:
    assert answer in " ".join(default.summarize(MAIL, about=about).text.split())


@pytest.mark.parametrize(
    ("about", "answer"),
    [
        ("How many passengers were there?", "96,480 passengers were carried"),
        ("What did the service cost?", "1.93 million euros"),
        ("How long did passengers wait?", "was 17 minutes"),
        ("Why did emissions not fall?", "a bus uses more fuel than a car"),
    ],
)
def test_the_demo_is_asked_as_a_new_user_would(default: Summarizer, about: str, answer: str) -> None:
    assert answer in default.summarize(BUSES, about=about, sentences=3).text


def test_answers_come_best_first_and_in_document_order_on_request(default: Summarizer) -> None:
    best, ordered = (
        default.summarize(BUSES, about="How many passengers were there?", sentences=4, order=order)
        for order in (None, "document")
    )
    assert [quote.step for quote in best] == [0, 1, 2, 3]
    assert {quote.index for quote in best} == {quote.index for quote in ordered}
    assert [quote.index for quote in ordered] == sorted(quote.index for quote in ordered)


PAPER = """\
# Bees in allotments

## Abstract

We counted wild bees in 62 allotments. Plots with open soil had 3.4 times as many mining bees as others.

## Introduction

Wild bees pollinate vegetables, and many of them nest in the ground. Gardeners cover the soil in spring.

## Methods

Each plot was visited six times. The following were recorded:

- the share of open soil,
- the number of flowering plants,
- the distance to the nearest meadow.

## Results

Covered plots had few bees. The weather was dry in both years.
"""


def test_the_abstract_is_searched_too(default: Summarizer) -> None:
    summary = default.summarize(PAPER, about="How many allotments were studied?")
    assert summary[0].text == "We counted wild bees in 62 allotments."
    assert summary.document.text[summary[0].start : summary[0].end] == summary[0].text
    assert summary.to_dict()["sentences"][0]["index"] == 0
    assert "62 allotments" in summary.to_html()
    assert "62 allotments" not in default.summarize(PAPER, abstract=False).text
    assert all(
        quote.beside is None for quote in default.summarize(PAPER, about="open soil", by="section", explain=True)
    )


def test_an_item_of_a_list_carries_its_lead_in(default: Summarizer) -> None:
    summary = default.summarize(PAPER, about="distance to the nearest meadow", sentences=1)
    assert summary[0].context is not None
    assert summary[0].context.text == "The following were recorded:"


def test_an_answer_that_speaks_of_what_its_paragraph_named_carries_the_sentence_before(default: Summarizer) -> None:
    quote = default.summarize(BUSES, about="What did a trip cost?")[0]
    assert quote.text.startswith("The cost of one trip was 41 euros")
    assert quote.context is not None
    assert quote.context.text.startswith("Between 2009 and 2012")


TOOLS = """\
# Setting up

The clock is set once a year. The program reads its settings when it starts.

To install the program, run this command:

    pip install tideclock

## Limitation of Total Liability

Limitation of Total Liability. Nobody who repairs the clock is liable for more than 500 euros. The museum is open.
"""


def test_an_answer_that_announces_something_carries_it(default: Summarizer) -> None:
    summary = default.summarize(TOOLS, about="How do I install the program?", sentences=1)
    after = summary[0].after
    assert summary[0].text == "To install the program, run this command:"
    assert after is not None
    assert summary.document.text[after.start : after.end] == after.text
    assert "pip install tideclock" in after.text
    assert summary.to_dict()["sentences"][0]["after"]["kind"] == "after"
    for shown in (summary.to_text(), summary.to_text(width=90), summary.to_markdown(), summary.to_html()):
        assert "pip install tideclock" in shown
    alone = default.summarize(TOOLS, about="How do I install the program?", sentences=1, context=False)
    assert alone[0].after is None


def test_a_label_is_no_answer(default: Summarizer) -> None:
    summary = default.summarize(TOOLS, about="What is the limit of liability?", sentences=1)
    assert "500 euros" in summary.text


def test_several_questions_are_answered_by_one_reading(default: Summarizer) -> None:
    questions = ["How many passengers were there?", "Who wrote the Iliad?", "What did the service cost?"]
    answers = default.read(BUSES).answer(questions)
    assert [answer.about for answer in answers] == questions
    assert [answer.found for answer in answers] == [True, False, True]
    assert answers[2] == default.summarize(BUSES, about=questions[2])
    with pytest.raises(MemsumError, match="one question"):
        default.summarize(BUSES, about=tuple(questions))
    with pytest.raises(MemsumError, match="101 questions"):
        default.read(BUSES).answer(["the crane"] * 101)


def test_of_several_documents_the_one_that_answers_is_named(default: Summarizer) -> None:
    reading = default.read_together([MEETING, BUSES, PAPER], ids=["meeting", "buses", "bees"])
    for about, name in (
        ("How many passengers were carried?", "buses"),
        ("How many allotments were studied?", "bees"),
        ("What does the second-hand crane cost?", "meeting"),
    ):
        summary = reading.summarize(about=about)
        assert summary[0].source == name
        assert f"source': '{name}" in str(summary.to_dict()["sentences"][0])


@pytest.mark.parametrize(
    "question", ["(a+)+$ crane" * 80, "crane\x00\x1b[2J\u202e", "\ud800 crane", "e" + "\u0301" * 900]
)
def test_hostile_questions_are_answered_like_any_other(default: Summarizer, question: str) -> None:
    assert default.summarize(MEETING, about=question).about == question


def test_what_is_encoded_does_not_depend_on_earlier_questions(default: Summarizer) -> None:
    document = [f"The crane number {number} lifts {number} tonnes of fish and ice." for number in range(400)]
    document[300] = "The ferry leaves at noon on every day of the summer."
    reading = default.read(document)
    reading.summarize(about="ice and fish")
    late = reading.summarize(about="When does the boat depart?", sentences=5)
    assert late == default.read(document).summarize(about="When does the boat depart?", sentences=5)
    assert late[0].text == document[300]
