"""The terms of a document."""

from __future__ import annotations

import gc
import pickle
import re
import weakref
from pathlib import Path

import pytest

from memsum import MemsumError, Summarizer
from memsum.languages.stop_words import EMPTY, VERBS

DOCS = Path(__file__).parents[3] / "docs"
DOCUMENTS = [DOCS / name for name in ("demo/night-buses.md", "demo/harbour-meeting.txt", "sample/library-hours.md")]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_terms_stand_where_they_say_as_they_are_written(default: Summarizer, path: Path) -> None:
    reading = default.read(path)
    assert 5 <= len(reading.keywords) <= 10
    for term in reading.keywords:
        assert term.count >= max(2, len(term.sentences))
        texts = [reading.document.sentences[i].text.lower() for i in term.sentences]
        words = re.split(r"[ -]", term.text.lower())
        assert all(words[-1][:3] in text for text in texts)
        assert any(term.text.lower() in text for text in texts)
        assert words[-1] not in VERBS | EMPTY
    assert [term.score for term in reading.keywords] == sorted((t.score for t in reading.keywords), reverse=True)
    assert len({term.text.lower() for term in reading.keywords}) == len(reading.keywords)


def test_a_report_is_about_what_it_is_about(default: Summarizer) -> None:
    terms = {term.text for term in default.read(DOCUMENTS[0]).keywords}
    assert {"buses", "passengers", "district", "trial"} <= terms
    terms = {term.text for term in default.read(DOCUMENTS[1]).keywords}
    assert {"ferry company", "second-hand crane", "ice machine"} <= terms


def test_plurals_are_one_term_and_a_word_is_part_of_its_longer_term(default: Summarizer) -> None:
    text = (
        "The tidal pump was old. Every tidal pump needs oil. Two tidal pumps failed in a storm. Storms are rare. "
        "A storm closed the harbour. The harbour has a museum. The museum of the harbour shows tidal pumps."
    )
    terms = {term.text: term for term in default.read(text).keywords}
    assert "pump" not in terms
    assert "pumps" not in terms
    assert terms["tidal pump"].count == 4 if "tidal pump" in terms else terms["tidal pumps"].count == 4
    assert "museum" in terms


def test_a_run_is_one_term_and_no_near_copy_stands_beside_it(default: Summarizer) -> None:
    text = (
        "The cloze reading comprehension task was new. Each cloze reading comprehension task has one gap. Pupils liked "
        "the cloze reading comprehension task. A cloze reading comprehension task takes ten minutes. The village "
        "school bought books. The village school hired a teacher."
    )
    assert {term.text for term in default.read(text).keywords} >= {"cloze reading comprehension task", "village school"}
    text = (
        "Residual learning is old. Residual learning helps. We study residual learning. Residual learning networks are "
        "deep. Residual learning networks win. Residual learning fails rarely. Residual learning needs data."
    )
    assert "residual learning networks" not in {term.text.lower() for term in default.read(text).keywords}


def test_terms_that_begin_alike_are_near_copies_and_those_that_end_alike_are_two(default: Summarizer) -> None:
    text = (
        "Wild bees nest in the ground. Honey bees live in hives. Wild bees fly early. Honey bees store honey. "
        "The garden fence is high. The garden gate is shut. Each garden fence keeps deer out. A garden gate creaks. "
        "Wild bees are many. Honey bees are few."
    )
    terms = {term.text.lower() for term in default.read(text).keywords}
    assert {"wild bees", "honey bees"} <= terms
    assert len({term for term in terms if "garden" in term}) == 1


def test_a_term_is_whole_and_a_noun(default: Summarizer) -> None:
    text = (
        "The Federal Trade Commission fined the mill. A fine of the Federal Trade Commission is rare. The mill sued "
        "the Federal Trade Commission in May. The flood damaged the old sluice. To repair the sluice, the mill had to "
        "reinforce it. The village wants to reinforce the dam. They will reinforce the sluice again. The FTC agreed."
    )
    terms = {term.text for term in default.read(text).keywords}
    assert "Federal Trade Commission" in terms
    assert "sluice" in terms
    assert not terms & {"Trade Commission", "Commission", "FTC", "reinforce"}


def test_forms_of_one_word_and_initials_are_near_copies(default: Summarizer) -> None:
    text = (
        "The contributors met in Leeds. Every contributor signs a form. The contributions of the contributors are free."
        " A contribution is a gift. The Selective Service System keeps lists. The SSS is small. The Selective Service "
        "System has a budget. The budget of the SSS fell. Contributions to the Selective Service System are rare."
    )
    terms = [term.text for term in default.read(text).keywords]
    assert len([term for term in terms if term.lower().startswith("contribut")]) == 1
    assert "SSS" not in terms
    assert any("Selective Service" in term for term in terms)


def test_pieces_of_a_rare_word_are_one_word(default: Summarizer) -> None:
    text = "Zorbaquine lowered the fever. We gave zorbaquine twice. The dose of zorbaquine was small. Fever is common."
    terms = {term.text for term in default.read(text).keywords}
    assert all(term == "zorbaquine" or not "zorbaquine".startswith(term[:4].lower()) for term in terms)


def test_keywords_are_shown_where_they_are_asked_for(default: Summarizer) -> None:
    reading = default.read(DOCUMENTS[0])
    plain, shown = reading.summarize(sentences=2), reading.summarize(sentences=2, keywords=True)
    assert "keywords" not in plain.to_dict()
    assert plain.keywords == shown.keywords == reading.keywords
    record = shown.to_dict()["keywords"]
    assert [term["text"] for term in record] == [term.text for term in reading.keywords]
    assert set(record[0]) == {"text", "score", "count", "sentences"}
    line = f"Keywords: {reading.keywords[0].text} ({reading.keywords[0].count}), "
    for text in (shown.to_text(), shown.to_text(200), shown.to_markdown(), shown.to_html()):
        assert line in text.replace("\\", "")
    for text in (plain.to_text(), plain.to_text(200), plain.to_markdown(), plain.to_html()):
        assert "Keywords:" not in text


def test_keywords_of_several_documents(default: Summarizer) -> None:
    summary = default.summarize_together(DOCUMENTS[:2], sentences=2)
    assert {"ferry company", "passengers"} <= {term.text for term in summary.keywords}


def test_a_summary_can_be_pickled(default: Summarizer) -> None:
    summary = default.summarize(DOCUMENTS[2], sentences=2)
    again = pickle.loads(pickle.dumps(summary))
    assert again == summary
    assert again.keywords == summary.keywords != ()


@pytest.mark.parametrize(
    "text", ["The tide turned.", "12 13 14. 15 16.", "Die Brücke wurde gesperrt. Niemand weiß es."]
)
def test_where_there_is_nothing_to_find(default: Summarizer, text: str) -> None:
    summary = default.summarize(text, keywords=True)
    assert summary.keywords == ()
    assert summary.to_dict()["keywords"] == []
    assert "Keywords" not in summary.to_text()


def test_a_model_without_salience_has_none(model_folder: Path, paper: str) -> None:
    assert Summarizer.load(model_folder, threads=1).summarize(paper).keywords == ()


def test_a_summary_keeps_no_encoding(default: Summarizer) -> None:
    reading = default.read(DOCUMENTS[2])
    encoding = weakref.ref(reading)
    summary = reading.summarize(sentences=2)
    del reading
    gc.collect()
    assert encoding() is None
    assert summary.keywords


def test_the_option_is_known(default: Summarizer) -> None:
    with pytest.raises(MemsumError, match="no option 'keyword'") as caught:
        default.summarize("The tide turned.", keyword=True)  # type: ignore[call-arg]
    assert caught.value.hint == "Did you mean keywords?"
