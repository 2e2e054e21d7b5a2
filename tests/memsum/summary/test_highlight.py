"""A PDF with its summary marked: real annotations on the right lines of the same file."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Text

from memsum import Document, MemsumError, Summary, SummarySentence
from memsum.document import Box, Sentence
from memsum.document.document import Block
from memsum.summary import Context, Stop
from memsum.summary.highlight import highlight_pdf, highlights_of, mark_pdf

TEXT = "The tide turned at noon. Nobody saw it. The boats were gone."


def blank_pdf(pages: int = 2, **options: str) -> bytes:
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(300, 400)
    writer.add_outline_item("Second page", 1)
    writer.add_metadata({"/Title": "Tides"})
    writer.add_annotation(0, Text(rect=(10, 10, 30, 30), text="an earlier note"))
    if options:
        writer.encrypt(**options)
    output = BytesIO()
    writer.write(output)
    return output.getvalue()


def summary(*, with_boxes: bool = True, form: str = "pdf") -> Summary:
    """The first sentence stands on two lines and two pages, the last on one line; the first was taken second."""
    boxes = (Box(1, 20, 60, 280, 50), Box(1, 20, 45, 280, 35), Box(2, 20, 380, 90, 370))
    places = [(0, 24, boxes), (25, 39, (Box(2, 95, 380, 150, 370),)), (40, 60, (Box(2, 155, 380, 280, 370),))]
    sentences = tuple(
        Sentence(TEXT[start:end], start, end, None, where[0].page, where if with_boxes else ())
        for start, end, where in places
    )
    document = Document(TEXT, (Block("paragraph", 0, 60),), sentences, format=form)
    quotes = [
        SummarySentence(i, sentences[i].text, *places[i][:2], 0.75 - step, step, boxes=sentences[i].boxes)
        for i, step in ((0, 1), (2, 0))
    ]
    return Summary((document,), tuple(quotes), Stop("policy", 0.6), "default")


def annotations(pdf: bytes, page: int) -> list[dict[str, object]]:
    return [note.get_object() for note in PdfReader(BytesIO(pdf)).pages[page].get("/Annots", [])]


def test_lines_of_a_sentence_are_one_annotation_a_page() -> None:
    marked = highlight_pdf(blank_pdf(), summary())
    first = [note for note in annotations(marked, 0) if note["/Subtype"] == "/Highlight"]
    second = [note for note in annotations(marked, 1) if note["/Subtype"] == "/Highlight"]
    assert (len(first), len(second)) == (1, 2)
    assert [float(n) for n in first[0]["/Rect"]] == [19.5, 34.5, 280.5, 60.5]
    upper = [19.5, 60.5, 280.5, 60.5, 19.5, 49.5, 280.5, 49.5]
    lower = [19.5, 45.5, 280.5, 45.5, 19.5, 34.5, 280.5, 34.5]
    assert [float(n) for n in first[0]["/QuadPoints"]] == upper + lower


def test_notes_have_order_and_score() -> None:
    notes = {note["/Contents"] for note in annotations(highlight_pdf(blank_pdf(), summary()), 1)}
    assert notes == {
        "Summary, 2 of 2 in order of importance. Score -0.250, sentence 1 of 3.",
        "Summary, 1 of 2 in order of importance. Score 0.750, sentence 3 of 3.",
    }


def test_a_note_has_the_context() -> None:
    quotes = summary()
    first, *others = quotes.sentences
    before = Context(2, "The\x1b pier was closed.", 0, 0)
    quotes = replace(quotes, sentences=(replace(first, context=before), *others))
    assert highlights_of(quotes)[0].note.endswith("\nContext: The pier was closed.")


def test_the_rest_of_the_file_stays() -> None:
    reader = PdfReader(BytesIO(highlight_pdf(blank_pdf(), summary())))
    assert len(reader.pages) == 2
    assert [item.title for item in reader.outline] == ["Second page"]
    assert reader.metadata
    assert reader.metadata.title == "Tides"
    assert [note.get_object()["/Subtype"] for note in reader.pages[0]["/Annots"]] == ["/Text", "/Highlight"]


def test_the_highlight_is_seen_where_it_is() -> None:
    pytest.importorskip("PIL")
    pdfium = pytest.importorskip("pypdfium2")
    image = pdfium.PdfDocument(highlight_pdf(blank_pdf(), summary()))[1].render(may_draw_forms=False).to_pil()
    yellow, white = image.getpixel((50, 400 - 375)), image.getpixel((120, 400 - 375))
    assert white == (255, 255, 255)
    assert yellow[0] > 240 > 160 > yellow[2]
    assert image.getpixel((200, 400 - 375)) == yellow


def test_marking_twice_is_possible() -> None:
    twice = highlight_pdf(highlight_pdf(blank_pdf(), summary()), summary())
    assert len(annotations(twice, 1)) == 4


@pytest.mark.parametrize("options", [{"with_boxes": False}, {"form": "markdown"}])
def test_without_places_there_is_nothing_to_mark(options: dict[str, bool | str]) -> None:
    with pytest.raises(MemsumError, match="no positions on pages"):
        highlight_pdf(blank_pdf(), summary(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "pdf",
    [b"", b"%PDF-1.7\nnot really", blank_pdf()[:200], blank_pdf(pages=2, user_password="secret", algorithm="RC4-128")],
)
def test_what_cannot_be_written_is_one_sentence(pdf: bytes) -> None:
    with pytest.raises(MemsumError) as caught:
        highlight_pdf(pdf, summary())
    assert caught.value.message.endswith(".")
    assert caught.value.hint


def test_a_page_that_is_not_there_is_one_sentence() -> None:
    writer = PdfWriter()
    writer.add_blank_page(300, 400)
    output = BytesIO()
    writer.write(output)
    with pytest.raises(MemsumError, match="can be read but not written"):
        highlight_pdf(output.getvalue(), summary())


def test_a_process_of_its_own_makes_the_same_file() -> None:
    pdf = blank_pdf()
    marked = highlight_pdf(pdf, summary())
    assert len(annotations(marked, 1)) == len(annotations(mark_pdf(pdf, highlights_of(summary())), 1)) == 2


def test_a_process_of_its_own_is_ended_in_time_and_passes_errors_on() -> None:
    with pytest.raises(MemsumError, match="took too long"):
        highlight_pdf(blank_pdf(), summary(), seconds=0)
    with pytest.raises(MemsumError, match="can be read but not written again"):
        highlight_pdf(b"%PDF-1.7\nnot really", summary())
