"""E-books, OpenDocument texts, slides, and what all archives have in common."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memsum.document import read_document
from memsum.document.readers.xml import MAX_PART_BYTES
from memsum.errors import DocumentError

from ...helpers import texts
from .frames import RELATIONS, P, W, epub, odt, pack, pptx, shape, unpack

GOLD = Path(__file__).parents[2] / "data" / "gold"

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DIAGRAM = (
    '<x:dataModel xmlns:x="x" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    "<a:p><a:r><a:t>The wheel turns the seal.</a:t></a:r></a:p></x:dataModel>"
)


def relations(**targets: str) -> str:
    """The relationships of a part: by their kind, what it refers to."""
    links = "".join(f'<Relationship Id="{k}" Type="{OFFICE}/{k}" Target="{name}"/>' for k, name in targets.items())
    return f'<Relationships xmlns="{RELATIONS}">{links}</Relationships>'


def paragraphs(*texts: str) -> str:
    return "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)


def word_file(name: str, body: str, parts: dict[str, str] | None = None, **targets: str) -> bytes:
    """A Word document whose main part has some name."""
    folder, file = posixpath.split(name)
    return pack(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(officeDocument=f"/{name}"),
            name: f"<w:document {W}><w:body>{body}</w:body></w:document>",
            posixpath.join(folder, "_rels", f"{file}.rels"): relations(**targets),
            **(parts or {}),
        }
    )


@pytest.mark.parametrize("name", ["word/document2.xml", "document.xml", "a/b/c.xml", "word/document.xml"])
def test_the_main_part_is_the_one_that_the_file_names(name: str) -> None:
    decoy = f"<w:document {W}><w:body>{paragraphs('This is a decoy.')}</w:body></w:document>"
    parts = {} if name == "word/document.xml" else {"word/document.xml": decoy}
    document = read_document(word_file(name, paragraphs("The pump was old."), parts))
    assert (document.format, document.text) == ("docx", "The pump was old.")


def test_strict_files_are_read_as_others() -> None:
    data = word_file("word/document.xml", paragraphs("The pump was old."))
    strict = {
        name: text.replace("http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/").replace("/2006/", "/")
        if "package/2006" not in text
        else text.replace(OFFICE, "http://purl.oclc.org/ooxml/officeDocument/relationships")
        for name, text in unpack(data).items()
    }
    assert read_document(pack(strict)).text == "The pump was old."


def test_text_boxes_comments_and_diagrams_are_in_the_text() -> None:
    box = f"<w:p><w:r><w:t>The pump was old.</w:t><w:pict><w:txbxContent>{paragraphs('It is in a box.')}"
    box += "</w:txbxContent></w:pict></w:r></w:p>"
    comments = f'<w:comments {W}><w:comment w:id="1">{paragraphs("Is that so?")}</w:comment></w:comments>'
    parts = {"word/notes9.xml": comments, "word/d.xml": DIAGRAM}
    document = read_document(word_file("word/document.xml", box, parts, comments="notes9.xml", diagramData="d.xml"))
    assert [sentence.text for sentence in document.sentences] == ["The pump was old."]
    assert texts(document, "boilerplate") == ["It is in a box.", "The wheel turns the seal.", "Is that so?"]


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("kind", ["docx", "pptx", "odt"])
def test_a_chart_does_not_make_a_spreadsheet(kind: str, is_stored: bool) -> None:
    sheet = pack({"xl/workbook.xml": "<workbook/>", "[Content_Types].xml": "<Types/>"})
    made = {
        "docx": lambda: word_file("word/document.xml", paragraphs("The pump was old.")),
        "pptx": lambda: pptx([shape("title", "Pumps") + shape("body", "The pump was old.")]),
        "odt": lambda: odt("<text:p>The pump was old.</text:p>"),
    }[kind]()
    out = io.BytesIO(made)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED if is_stored else zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("embeddings/sheet.xlsx", sheet)
    document = read_document(out.getvalue())
    assert document.format == kind
    assert "The pump was old." in document.text
    with pytest.raises(DocumentError, match="a spreadsheet"):
        read_document(sheet)


def test_slides_without_text_and_with_diagrams() -> None:
    parts = unpack(pptx(["", shape("title", "Pumps")]))
    parts |= {"ppt/slides/_rels/slide1.xml.rels": relations(diagramData="../d.xml"), "ppt/d.xml": DIAGRAM}
    assert "The wheel turns the seal." in read_document(pack(parts)).text


def test_an_e_book_has_its_title_chapters_and_notes() -> None:
    document = read_document(GOLD / "epub" / "novel.epub")
    assert document.format == "epub"
    assert document.title == "The Miller"
    assert texts(document, "heading") == ["Chapter One", "Chapter Two"]
    assert [s.section for s in document.sentences][-1] == "Chapter Two"
    assert texts(document, "boilerplate") == ["It stands there still."]
    assert texts(document, "table") == ["Year | Sacks"]
    assert texts(document, "caption") == ["The wheel."]
    assert texts(document, "item") == ["The gate broke.", "The wheel stopped."]


def test_the_imprint_ornaments_and_marks_of_notes_are_no_sentences() -> None:
    front = "<p>The Miller</p><p>Copyright © 2026 Anna Berg. All rights reserved.</p><p>ISBN 978-3-16-148410-0</p>"
    text = '<p>* * *</p><p>The wheel turned.<sup><a href="#n1">1</a></sup></p><p>It had 4 m<sup>2</sup> of oak.</p>'
    document = read_document(epub({"a.xhtml": front, "b.xhtml": text}, title="The Miller"))
    assert [s.text for s in document.sentences] == ["The wheel turned.", "It had 4 m2 of oak."]


def test_the_spine_tells_the_order_and_what_is_missing() -> None:
    spine = '<itemref idref="c1"/><itemref idref="gone"/><itemref idref="x"/><itemref idref="c0"/><itemref idref="c1"/>'
    extra = '<item id="x" href="lost.xhtml"/>'
    document = read_document(epub({"a.xhtml": "<p>Second.</p>", "b.xhtml": "<p>First.</p>"}, extra=extra, spine=spine))
    assert [s.text for s in document.sentences] == ["First.", "Second."]
    assert document.warnings == ("1 of the e-book's chapters are missing in the file.",)


def test_lines_that_are_only_links_are_contents() -> None:
    pages = {"a.xhtml": '<ol><li><a href="b">The flood</a><ol><li><p><a href="c">The gate</a></p></li></ol></li></ol>'}
    document = read_document(epub({**pages, "b.xhtml": '<p>See <a href="c">the gate</a>.</p>'}))
    assert [s.text for s in document.sentences] == ["See the gate."]
    assert texts(document, "boilerplate") == ["The flood", "The gate"]


def test_an_opendocument_text_has_styles_notes_and_no_deleted_words() -> None:
    document = read_document(GOLD / "odt" / "report.odt")
    assert document.format == "odt"
    assert document.title == "The bridge at Mill Lane"
    assert [(block.level, document.text[block.start : block.end]) for block in document.blocks if block.level] == [
        (1, "Findings"),
        (2, "What to do"),
    ]
    assert texts(document, "caption") == ["Figure 1: A pier."]
    assert texts(document, "boilerplate") == ["Findings 1", "Measured in May."]
    assert texts(document, "table") == ["Pier | 2 mm"]
    assert "never closes" not in document.text
    assert "Sure?" not in document.text
    assert texts(read_document(GOLD / "odt" / "references.odt"), "caption") == ["Figure 1: The mill."]


def test_slides_have_titles_points_and_notes() -> None:
    document = read_document(GOLD / "pptx" / "talk.pptx")
    assert document.format == "pptx"
    assert document.title == "The bridge at Mill Lane"
    assert texts(document, "heading") == ["Findings", "What to do"]
    assert texts(document, "boilerplate") == ["Anna Berg, May 2021", "2", "Mill & Sons, confidential", "2"]
    assert texts(document, "table") == ["Pier | 2 mm"]
    assert document.warnings == ("1 hidden slide was left out.",)
    assert {s.section for s in document.sentences} == {"Findings", "What to do"}


def test_a_slide_without_a_place_for_its_title_begins_with_it() -> None:
    slides = [shape(None, "The bridge"), shape(None, "What to do") + shape(None, "Close it.", "Tell them.")]
    document = read_document(pptx([shape(None, "Rust") + shape(None, "It is everywhere."), *slides]))
    assert document.title == "Rust"
    assert texts(document, "heading") == ["What to do"]
    assert texts(document, "item") == ["It is everywhere.", "The bridge", "Close it.", "Tell them."]


def test_archives_are_told_apart_by_their_names() -> None:
    """The part that tells may stand far behind the first bytes."""
    far = pack({"[Content_Types].xml": "<Types/>", "docProps/thumbnail.bin": "".join(map(chr, range(300, 40_000)))})
    assert b"ppt/" not in far
    parts = {"[Content_Types].xml": "<Types/>", "docProps/thumbnail.bin": "".join(map(chr, range(300, 40_000)))}
    with pytest.raises(DocumentError, match="not a Word document"):
        read_document(far)
    with pytest.raises(DocumentError, match="a spreadsheet, which this version"):
        read_document(pack({**parts, "xl/workbook.xml": "<workbook/>"}))
    with pytest.raises(DocumentError, match="a sheet or drawing"):
        read_document(pack({"content.xml": "<x/>"}, "application/vnd.oasis.opendocument.spreadsheet"))
    presentation = pack({**parts, "ppt/presentation.xml": f"<p:presentation {P}/>"})
    with pytest.raises(DocumentError, match="empty"):
        read_document(presentation)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pack({"META-INF/container.xml": "<x/>"}, "application/epub+zip"), "not an e-book"),
        (pack({"styles.xml": "<x/>"}, "application/vnd.oasis.opendocument.text"), "not an OpenDocument text"),
        (odt("<text:p>Hello.</text:p>")[:-40], "OpenDocument text is damaged or cut off"),
        (pack({"content.xml": "<a><b></a>"}, "application/vnd.oasis.opendocument.text"), "damaged or unsafe"),
        (
            pack({"content.xml": f"<a>{' ' * (MAX_PART_BYTES + 1)}</a>"}, "application/vnd.oasis.opendocument.text"),
            "far more than its size",
        ),
        (epub({f"{i}.xhtml": f"<p>{'a ' * 2**21}</p>" for i in range(20)}), "far more than its size"),
        (odt("<text:section>" * 300 + "Deep." + "</text:section>" * 300), "inside each other|damaged"),
        (odt("<text:p/>" * 2_100_000), "more parts than can be read|far more than its size"),
    ],
    ids=["epub", "odt", "cut", "xml", "part", "parts", "deep", "many"],
)
def test_what_cannot_be_read_is_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, isolated=False)


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "bridge "><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    page = (
        f'<?xml version="1.0"?>{bomb}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>The &b; end.</p></body></html>'
    )
    document = read_document(epub({"a.xhtml": page}), isolated=False)
    assert "bridge" not in document.text


@pytest.mark.parametrize("text", ["PK", "Hello."])
@pytest.mark.parametrize("name", ["epub", "odt", "pptx"])
def test_text_is_no_archive(name: str, text: str) -> None:
    with pytest.raises(DocumentError, match="is binary data, and this is text"):
        read_document(text, format=name, isolated=False)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: epub({"a.xhtml": "<div>" * 100 + "<p>a</p>" * n + "</div>" * 100}),
        lambda n: odt(
            "<text:list><text:list-item>" * 50 + "<text:p>a b</text:p>" * n + "</text:list-item></text:list>" * 50
        ),
        lambda n: pptx([shape("body", *["a b"] * n)]),
    ],
    ids=["epub", "odt", "pptx"],
)
def test_each_text_is_read_once(make: Callable[[int], bytes]) -> None:
    """However deep it lies; twice the file is twice the text."""
    once, twice = (read_document(make(n), isolated=False).text for n in (500, 1000))
    assert len(once.split()) * 2 == len(twice.split())


def test_a_table_on_a_slide_has_its_cells_and_not_the_name_of_its_style() -> None:
    style = "<a:tblPr><a:tableStyleId>{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}</a:tableStyleId></a:tblPr>"
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>Pier 3</a:t></a:r></a:p></a:txBody></a:tc>"
    table = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{style}<a:tr>{cell}</a:tr></a:tbl>"
    slide = (
        shape("title", "Rust") + f"{table}</a:graphicData></a:graphic></p:graphicFrame>" + shape("body", "It grows.")
    )
    document = read_document(pptx([slide]))
    assert "5C22544A" not in document.text
    assert "Pier 3" in document.text
    assert [s.text for s in document.sentences] == ["It grows."]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_two_parts_of_one_name_is_refused() -> None:
    whole = odt("<text:p>The old pump ran without any fault for years.</text:p>")
    out = io.BytesIO(whole)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("content.xml", archive.read("content.xml"))
    assert read_document(whole, isolated=False).sentences
    with pytest.raises(DocumentError, match="two of its parts have one name"):
        read_document(out.getvalue(), isolated=False)
