"""Summaries about a question: the default model on a meeting that we made up, and on other languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memsum
from memsum import MemsumError, Summarizer
from memsum.query.relevance import FOUND

DEMO = Path(__file__).parents[2] / "docs" / "demo"
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


@pytest.fixture(scope="module")
def default() -> Summarizer:
    return Summarizer.load(threads=1)


def test_the_summary_quotes_what_bears_on_the_question(default: Summarizer) -> None:
    about_ice = default.summarize(MEETING, about="What happens to the ice machine?")
    assert about_ice.found
    assert "move the ice machine to the south pier" in about_ice.text
    assert "crane" not in about_ice.text
    about_crane = default.summarize(MEETING, about="repair of the crane")
    assert "crane" in about_crane.text
    assert "ice machine" not in about_crane.text
    assert len(about_ice) < len(default.summarize(MEETING).document.sentences) / 4


def test_other_forms_of_a_word_are_found(default: Summarizer) -> None:
    assert "dredging" in default.summarize(MEETING, about="they dredged", sentences=3).text


def test_a_heading_lends_its_words_to_its_section(default: Summarizer) -> None:
    summary = default.summarize(BUSES, about="costs", sentences=5)
    assert sum(sentence.section == "Costs" for sentence in summary) >= 4


def test_a_named_speaker_is_the_one_who_is_quoted(default: Summarizer) -> None:
    summary = default.summarize(MEETING, about="What did the Treasurer say about the fees?", sentences=4)
    assert [sentence.speaker for sentence in summary] == ["Treasurer"] * 4


def test_each_quote_says_how_relevant_it_is(default: Summarizer) -> None:
    summary = default.summarize(MEETING, about="the ice machine")
    assert all(FOUND <= quote.relevance <= 1 for quote in summary if quote.relevance is not None)
    record = json.loads(json.dumps(summary.to_dict()))
    assert record["about"] == "the ice machine"
    assert record["found"] is True
    assert all(0 < quote["relevance"] <= 1 for quote in record["sentences"])
    assert f"relevance {summary[0].relevance:.2f}" in summary.to_text(width=90)
    assert all(summary.document.text[quote.start : quote.end] == quote.text for quote in summary)


@pytest.mark.parametrize("about", ["quantum chromodynamics", "Wie teuer ist der neue Kran?", "起重机", "zzz qqq"])
@pytest.mark.parametrize("options", [{}, {"sentences": 3}, {"words": 60}])
def test_nothing_found_is_an_answer(default: Summarizer, about: str, options: dict[str, int]) -> None:
    summary = default.summarize(MEETING, about=about, **options)
    assert not summary.found
    assert len(summary) == 0
    assert summary.stop.reason == "relevance"
    assert "No relevant sentence was found for the question." in summary.warnings
    assert summary.to_dict()["found"] is False
    assert "no relevant sentence found" in summary.to_markdown()
    assert "no relevant sentence found" in summary.to_html()


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


def test_a_longer_answer_contains_the_shorter_one(default: Summarizer) -> None:
    reading = default.read(MEETING)
    quotes = [
        {quote.index for quote in reading.summarize(about="visitors' fees", words=words)} for words in (40, 90, 160)
    ]
    assert quotes[0] < quotes[1] < quotes[2]


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
    with pytest.raises(MemsumError, match="question"):
        default.summarize(Path("there-is-no-such-file.txt"), about=about)


def test_one_call(default: Summarizer) -> None:
    assert memsum.summarize(MEETING, about="ice machine").found
