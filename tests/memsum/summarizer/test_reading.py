"""A document is read once: summaries of any length, by section, of long documents."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader

import memsum
from memsum import MemsumError, Summarizer, SummaryOptions
from memsum.document import Document, read_document
from memsum.errors import DocumentError

from ...helpers import make_page

LINES = ["The tide turned at noon on the last day.", "Nobody in the harbour saw it.", "The boats were gone by then."]


def test_options_are_keywords_or_an_object(summarizer: Summarizer, paper: str) -> None:
    reading = summarizer.read(paper, id="paper")
    assert reading.summarize(sentences=3) == reading.summarize(SummaryOptions(sentences=3))
    assert reading.summarize(sentences=3) == summarizer.summarize(paper, sentences=3, id="paper")


def test_every_sentence_has_a_score(summarizer: Summarizer, paper: str) -> None:
    reading = summarizer.read(paper)
    scores = reading.scores
    assert scores.shape == (len(reading.document.sentences),)
    first = reading.summarize(sentences=1)[0]
    assert scores[first.index] == pytest.approx(first.score)
    assert int(np.argmax(scores)) == int(np.argmax(summarizer.read(paper).scores))
    assert np.isnan(summarizer.read(["The tide rose.", " ", "It fell."]).scores).tolist() == [False, True, False]


def test_blocking_trigrams_is_an_option_of_each_summary(summarizer: Summarizer) -> None:
    sentences = ["The tide rose very fast today.", "They said the tide rose very fast.", "The pier was closed."]
    reading = summarizer.read(sentences)
    assert len(reading.summarize(ratio=1)) == 3
    assert len(reading.summarize(ratio=1, block_trigrams=True)) == 2
    assert len(reading.summarize(ratio=1)) == 3


def test_bytes_and_binary_files_are_files(summarizer: Summarizer, tmp_path: Path, paper: str) -> None:
    expected = summarizer.summarize(paper, sentences=2)
    data = paper.encode()
    assert summarizer.summarize(data, sentences=2).text == expected.text
    assert summarizer.summarize(io.BytesIO(data), sentences=2).text == expected.text
    path = tmp_path / "paper.pdf"
    path.write_bytes(make_page(LINES))
    with path.open("rb") as file:
        read = summarizer.read(file)
    assert read.document.format == "pdf"
    assert [sentence.text for sentence in read.document.sentences] == LINES
    assert len(summarizer.summarize_together([data, io.BytesIO(data)]).documents) == 2
    with pytest.raises(DocumentError, match="not binary"):
        summarizer.summarize(io.StringIO(paper))  # type: ignore[arg-type]


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_summary_highlights_its_pdf(summarizer: Summarizer, tmp_path: Path, as_bytes: bool) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(make_page(LINES))
    summary = summarizer.summarize(path.read_bytes() if as_bytes else path, sentences=2)
    summary.highlight(tmp_path / "out.pdf")
    assert len(PdfReader(tmp_path / "out.pdf").pages[0]["/Annots"]) == 2  # type: ignore[arg-type]
    summary.highlight(str(tmp_path / "out.html"))
    assert (tmp_path / "out.html").read_text().count("<mark") == 2


def test_what_cannot_be_highlighted(summarizer: Summarizer, tmp_path: Path, paper: str) -> None:
    with pytest.raises(DocumentError, match="not a PDF"):
        summarizer.summarize(paper).highlight(tmp_path / "out.pdf")
    path = tmp_path / "paper.pdf"
    path.write_bytes(make_page(LINES))
    summary = summarizer.summarize(memsum.read_document(path), sentences=1)
    with pytest.raises(MemsumError, match="file of this PDF is not known"):
        summary.highlight(tmp_path / "out.pdf")
    summary.highlight(tmp_path / "out.pdf", pdf=path)
    assert (tmp_path / "out.pdf").exists()
    with pytest.raises(MemsumError, match=r"out\.md does not end like one"):
        summary.highlight(tmp_path / "out.md")


def test_models_load_by_the_name_that_others_use(model_folder: Path) -> None:
    assert Summarizer.from_pretrained(model_folder, threads=1).name == Summarizer.load(model_folder).name


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
def long_manual() -> Document:
    return manual(sections=8, sentences=80)


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
    assert any("only a part of the document" in warning for warning in summary.warnings)


def test_the_default_length_grows_with_the_document(default: Summarizer, long_manual: Document) -> None:
    short = default.summarize(manual(sections=8, sentences=5))
    assert len(short) < len(default.summarize(long_manual)) <= 60
