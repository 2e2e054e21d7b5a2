from __future__ import annotations

import dataclasses
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.document import Block, Document, Sentence, read_document
from memsum.document.build import DocumentBuilder
from memsum.document.tables import Tables


def test_from_sentences_keeps_every_sentence_as_it_is() -> None:
    sentences = ["the pump was opened .", "  two  spaces ", "", "a\nline break", "the end ."]
    document = Document.from_sentences(sentences)
    assert [sentence.text for sentence in document.sentences] == sentences
    assert document.text == "\n".join(sentences)
    assert document.format == "sentences"


@given(st.lists(st.text()))
def test_from_sentences_holds_the_offsets(sentences: list[str]) -> None:
    document = Document.from_sentences(sentences)
    assert [document.text[s.start : s.end] for s in document.sentences] == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        (Sentence("pump", 0, 4),),
        (Sentence("The", 0, 3), Sentence("he p", 1, 5)),
        (Sentence("pump", 4, 8), Sentence("The", 0, 3)),
        (Sentence("", 20, 20),),
    ],
)
def test_a_document_refuses_sentences_that_are_not_in_its_text(sentences: tuple[Sentence, ...]) -> None:
    with pytest.raises(ValueError):
        Document("The pump", (), sentences)
    with pytest.raises(ValueError):
        Document("The pump", (), (), abstract=sentences)


def test_a_document_refuses_blocks_out_of_order() -> None:
    with pytest.raises(ValueError):
        Document("The pump", (Block("paragraph", 4, 8), Block("paragraph", 0, 3)), ())


def test_a_document_cannot_be_changed() -> None:
    document = Document.from_sentences(["One."])
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.text = "Two."  # type: ignore[misc]


def build() -> Document:
    builder = DocumentBuilder()
    builder.add("title", "On  pumps")
    builder.add("abstract", "Pumps fail. We know why.", section="Background")
    builder.add("paragraph", "A preface.")
    builder.add("heading", "Methods", level=1)
    builder.add("paragraph", "We opened\n12 pumps. None was\nnew.")
    builder.add("paragraph", " \n ")
    builder.add("heading", "Tools", level=2)
    builder.add("item", "A hammer")
    builder.add("caption", "Figure 1. A hammer.")
    builder.add("heading", "References", level=1)
    builder.add("paragraph", "Okafor J. Pumps. 1999.")
    builder.add("heading", "Books", level=2)
    builder.add("item", "Hale A. Valves. 2001.")
    builder.add("heading", "Appendix", level=1)
    builder.add("paragraph", "More pumps.")
    return builder.build(format="test")


def test_the_builder_splits_running_text_only() -> None:
    document = build()
    assert document.title == "On pumps"
    assert [s.text for s in document.abstract] == ["Pumps fail.", "We know why."]
    assert [s.text for s in document.sentences] == [
        "A preface.",
        "We opened 12 pumps.",
        "None was new.",
        "A hammer",
        "More pumps.",
    ]
    assert "Figure 1. A hammer." in document.text


def test_the_builder_gives_sections_and_kinds_below_headings() -> None:
    document = build()
    assert [s.section for s in document.sentences] == [None, "Methods", "Methods", "Tools", "Appendix"]
    assert {s.section for s in document.abstract} == {"Background"}
    references = [document.text[b.start : b.end] for b in document.blocks if b.kind == "reference"]
    assert references == ["Okafor J. Pumps. 1999.", "Hale A. Valves. 2001."]


def test_top_sections_gather_their_subsections() -> None:
    sections = [(name, [s.text for s in sentences]) for name, sentences in build().top_sections()]
    assert sections == [
        (None, ["A preface."]),
        ("Methods", ["We opened 12 pumps.", "None was new.", "A hammer"]),
        ("Appendix", ["More pumps."]),
    ]


def test_top_sections_without_headings() -> None:
    document = Document.from_sentences(["One.", "Two."])
    assert document.top_sections() == [(None, document.sentences)]
    assert Document.from_sentences([]).top_sections() == []


@pytest.mark.parametrize(
    "table",
    [
        "<tr>" + "<td>a</td>" * 10_000 + "</tr><tr><td>b</td></tr>",
        "<tr><td rowspan=99999999 colspan=99999999>a</td><td rowspan=9999>b</td></tr>" * 300,
        "<tr><td>" + "<table><tr><td>" * 60 + "a" + "</td></tr></table>" * 60 + "</td></tr>",
        "<tr><th>head</th></tr><tr></tr><tr><td></td></tr><tr><td>| a | b |</td><td>c</td></tr>",
    ],
    ids=["wide", "merged", "nested", "bars"],
)
def test_hostile_tables_are_read_in_bounded_time(table: str) -> None:
    began = time.process_time()
    page = f"<html><body><h1>A table</h1><p>One sentence stands above it.</p><table>{table}</table></body></html>"
    document = read_document(page.encode(), isolated=False)
    assert time.process_time() - began < 10
    assert len(document.text) < 3_000_000
    tables = Tables(document)
    for block in document.blocks:
        head = tables.head_of(block.start, block.end)
        assert head is None or head[0] < head[1] <= len(document.text)


def test_short_items_below_what_asks_for_them_are_one_sentence() -> None:
    text = "# Move\n\nWhat I need from you:\n\n- the keys\n- a list of boxes\n\nWe have:\n\n- a cart\n- two ramps\n"
    document = read_document(text.encode(), format="markdown")
    group = document.sentences[1]
    assert group.text == "the keys\n\na list of boxes"
    assert document.text[group.start : group.end] == group.text
    assert (group.is_item, group.lead_in) == (True, 0)
    assert [sentence.text for sentence in document.sentences[3:]] == ["a cart", "two ramps"]
    assert sum(block.kind == "item" for block in document.blocks) == 4
