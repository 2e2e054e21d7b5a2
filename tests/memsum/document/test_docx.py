from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest

from memsum.document import read_document
from memsum.document.readers.xml import MAX_PART_BYTES
from memsum.errors import DocumentError

from .frames import W, pack, word

GOLD = Path(__file__).parents[2] / "data" / "gold" / "docx"


def paper() -> bytes:
    document = docx.Document()
    document.add_heading("How the pump was repaired", 0)
    document.add_heading("Introduction", 1)
    document.add_paragraph("The pump was old. Nobody had opened it for sixty years.")
    document.add_heading("The wheel", 2)
    document.add_paragraph("Three parts were worn:")
    document.add_paragraph("the wheel itself.", style="List Bullet")
    document.add_paragraph("the seal.", style="List Number")
    table = document.add_table(2, 2)
    table.cell(0, 0).text, table.cell(1, 1).text = "month", "12.5"
    document.add_paragraph("Table 1. Flow by month.", style="Caption")
    document.add_heading("References", 1)
    document.add_paragraph("Berg, A. On pumps. 1999.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_a_paper() -> None:
    document = read_document(paper())
    assert document.format == "docx"
    assert document.title == "How the pump was repaired"
    assert [sentence.text for sentence in document.sentences] == [
        "The pump was old.",
        "Nobody had opened it for sixty years.",
        "Three parts were worn:",
        "the wheel itself.",
        "the seal.",
    ]
    assert document.sentences[2].section == "The wheel"
    kinds = [(block.kind, document.text[block.start : block.end]) for block in document.blocks]
    assert ("table", "month |") in kinds
    assert ("table", "| 12.5") in kinds
    assert ("caption", "Table 1. Flow by month.") in kinds
    assert kinds[-1] == ("reference", "Berg, A. On pumps. 1999.")
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2, 1]


def test_changes_are_accepted_and_fields_are_not_text() -> None:
    body = (
        "<w:p><w:r><w:t xml:space='preserve'>The pump </w:t></w:r>"
        "<w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>always</w:t></w:r></w:ins><w:r><w:instrText>PAGE</w:instrText><w:tab/><w:t>ran.</w:t></w:r></w:p>"
    )
    assert read_document(word(body)).text == "The pump always ran."


def test_bold_lines_and_known_names_are_headings() -> None:
    body = (
        "<w:p><w:r><w:t>The pump is old.</w:t></w:r></w:p>"
        "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>The wheel of the pump</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>It was worn.</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>Acknowledgements</w:t></w:r></w:p><w:p><w:r><w:t>We thank the owners.</w:t></w:r></w:p>"
    )
    document = read_document(word(body))
    assert [block.kind for block in document.blocks] == ["paragraph", "heading", "paragraph", "heading", "boilerplate"]


def test_powers_and_footnotes() -> None:
    raised = "<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>6</w:t></w:r>"
    text = f"<w:p><w:r><w:t>It made 10</w:t></w:r>{raised}<w:r><w:t> turns.</w:t></w:r></w:p>"
    note = "<w:footnote><w:p><w:r><w:t>Counted by hand.</w:t></w:r></w:p></w:footnote>"
    notes = f"<w:footnotes {W}><w:footnote w:type='separator'/>{note}</w:footnotes>"
    read = read_document(word(text, {"word/footnotes.xml": notes}))
    assert [sentence.text for sentence in read.sentences] == ["It made 10^6 turns."]
    assert read.text.endswith("Counted by hand.")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (paper()[:2000], "damaged or cut off"),
        (pack({"[Content_Types].xml": "<Types/>", "other.xml": "<other/>"}), "not a Word document"),
        (word("<w:p>"), "damaged or unsafe"),
        (pack({"word/document.xml": "<w:document><w:body/>"}), "damaged or unsafe"),
        (word(""), "empty"),
        (word("<!-- " + " " * 40_000_000 + " -->"), "far more than its size"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        read_document(data)
    assert caught.value.message.endswith(".")


def test_an_archive_that_lies_about_its_sizes_unpacks_no_further() -> None:
    honest = word("<!-- " + " " * (MAX_PART_BYTES // 2) + " -->")
    size = (MAX_PART_BYTES // 2 + len("<!--  -->") + len(f"<w:document {W}><w:body></w:body></w:document>")).to_bytes(
        4, "little"
    )
    lying = honest.replace(size, (1000).to_bytes(4, "little"))
    assert lying != honest
    with pytest.raises(DocumentError, match=r"damaged|far more"):
        read_document(lying)


def test_entities_are_not_expanded() -> None:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    text = f"<w:document {W}><w:body><w:p><w:r><w:t>&a9;</w:t></w:r></w:p></w:body></w:document>"
    bomb = f'<!DOCTYPE d [<!ENTITY a0 "aaaaaaaaaa">{levels}]>{text}'
    with pytest.raises(DocumentError):
        read_document(pack({"word/document.xml": bomb}))


def test_a_first_heading_alone_on_its_level_is_the_title_and_typed_items_have_their_lead_in() -> None:
    document = read_document(GOLD / "memo.docx")
    assert document.title == "MEMORANDUM"
    # Short items that are asked for are one.
    assert [sentence.lead_in for sentence in document.sentences if sentence.is_item] == [1]
