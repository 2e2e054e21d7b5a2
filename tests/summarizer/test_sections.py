"""By section, evenly spread, and what part of the argument a quote is."""

from __future__ import annotations

import pytest

from memsum import MemsumError, Summarizer

SECTIONS = ["Background", "Methods", "Results", "Conclusion"]


def test_each_section_has_its_share_under_its_heading(summarizer: Summarizer, paper: str) -> None:
    summary = summarizer.summarize(paper, by="section")
    assert [section.title for section in summary.sections] == SECTIONS
    quotes = [sentence for section in summary.sections for sentence in section.sentences]
    assert quotes == list(summary)
    for section in summary.sections:
        assert {sentence.section for sentence in section.sentences} == {section.title}
    record = summary.to_dict()
    assert [section["title"] for section in record["sections"]] == SECTIONS
    assert [i for section in record["sections"] for i in section["sentences"]] == [q.index for q in summary]


def test_a_longer_summary_by_section_contains_the_shorter(summarizer: Summarizer, paper: str) -> None:
    reading = summarizer.read(paper)
    for options in ({"by": "section"}, {"spread": True}):
        shorter, longer = ({s.index for s in reading.summarize(sentences=n, **options)} for n in (3, 6))  # type: ignore[arg-type]
        assert len(shorter) == 3
        assert shorter < longer
    assert reading.summarize(sentences=6).sections == ()


def test_every_length_goes_with_sections(summarizer: Summarizer, paper: str) -> None:
    reading = summarizer.read(paper)
    assert sum(len(s.text.split()) for s in reading.summarize(by="section", words=40)) <= 40
    assert len(reading.summarize(by="section", max_sentences=2)) == 2
    assert len(reading.summarize(by="section", ratio=1.0)) == len(reading.document.sentences)


def test_order_of_extraction_stays_inside_sections(summarizer: Summarizer, paper: str) -> None:
    summary = summarizer.summarize(paper, by="section", sentences=8, order="extraction")
    assert [section.title for section in summary.sections] == SECTIONS
    for section in summary.sections:
        assert [s.step for s in section.sentences] == sorted(s.step for s in section.sentences)


def test_without_headings_there_is_a_warning(summarizer: Summarizer) -> None:
    summary = summarizer.summarize("The pump ran dry. The tide rose again.", by="section")
    assert summary.sections == ()
    assert any("no headings" in warning for warning in summary.warnings)


def test_another_language_by_section(summarizer: Summarizer) -> None:
    text = (
        "# Brücke\n\n## Anfang\n\nDie Brücke wurde gestern für den Verkehr gesperrt. Niemand wusste davon.\n\n"
        "## Ende\n\nDie Fähre verkehrte weiterhin zwischen beiden Ufern. Später wurde die Brücke wieder geöffnet.\n"
    )
    summary = summarizer.summarize(text, by="section", sentences=2)
    assert [section.title for section in summary.sections] == ["Anfang", "Ende"]
    spread = summarizer.summarize(text, spread=True, sentences=2)
    assert {sentence.section for sentence in spread} == {"Anfang", "Ende"}


def test_what_cannot_be_asked_for(summarizer: Summarizer, paper: str) -> None:
    with pytest.raises(MemsumError, match="mutually exclusive"):
        summarizer.summarize(paper, by="section", spread=True)
    with pytest.raises(MemsumError, match="by cannot be 'page'") as caught:
        summarizer.summarize(paper, by="page")  # type: ignore[arg-type]
    assert caught.value.hint == "Choose one of section."


def test_the_kind_of_a_quote_follows_from_its_section(summarizer: Summarizer, paper: str) -> None:
    paper = paper.replace("Night-time crashes", "The aim of this study was to count crashes. Night-time crashes")
    summary = summarizer.summarize(paper, ratio=1.0)
    kinds = {sentence.text.split()[0]: sentence.to_dict()["kind"] for sentence in summary}
    assert kinds["Little"] == "background"
    assert kinds["Missing"] == "method"
    assert kinds["Overall,"] == "result"
    assert kinds["We"] == "conclusion"
    assert [s.kind for s in summary if s.text.startswith("The aim of")] == ["aim"]
    (quote,) = summarizer.summarize("The tide turned.")
    assert quote.kind is None
    assert "kind" not in quote.to_dict()
