"""PDFs that are made to take more memory or time than their size allows."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memsum.document import read_document
from memsum.document.readers.pdf import pdfium, words
from memsum.document.readers.pdf.pdfium import MAX_CONTENT
from memsum.errors import DocumentError

from ...helpers import make_stream, write_pdf


def make_pdf(content: bytes, filters: bytes = b"", forms: Sequence[bytes] = ()) -> bytes:
    """A page with one stream of content in Helvetica (F1), and forms, each of which knows the next one as X."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R"
        b" /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> >>",
        make_stream(content, filters),
    ]
    for number, form in enumerate(forms, 7):
        about = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800]"
        known = b"/Resources << /Font << /F1 3 0 R >> /XObject << /X %d 0 R >> >>" % number
        objects.append(make_stream(form, about + known))
    return write_pdf(objects)


def lines(count: int) -> bytes:
    """A column of sentences, each line an object."""
    rows = ((50 + 260 * (n % 2), 780 - 12 * (n // 2 % 60), n) for n in range(count))
    return b"".join(b"BT /F1 10 Tf %d %d Td (The pump number %d ran without any fault.) Tj ET\n" % row for row in rows)


def test_a_packed_page_is_read() -> None:
    document = read_document(make_pdf(zlib.compress(lines(20)), b"/Filter /FlateDecode"))
    assert len(document.sentences) == 20


@pytest.mark.parametrize(
    ("content", "filters"),
    [
        (zlib.compress(b" " * (MAX_CONTENT + 1), 9), b"/Filter /FlateDecode"),
        (zlib.compress(b"0 0 m " * (MAX_CONTENT // 6 + 1), 9), b"/Filter [/FlateDecode]"),
        (zlib.compress(zlib.compress(b" " * 1000)), b"/Filter [/FlateDecode /FlateDecode]"),
    ],
)
def test_streams_that_unpack_to_too_much_are_refused(content: bytes, filters: bytes) -> None:
    data = make_pdf(content, filters)
    assert len(data) < 100_000
    with pytest.raises(DocumentError, match="unpacks to more than 16 MB") as caught:
        read_document(data)
    assert caught.value.hint


def test_a_stream_that_is_cut_off_is_no_bomb() -> None:
    packed = zlib.compress(lines(20))
    assert read_document(make_pdf(packed[:-8], b"/Filter /FlateDecode")).format == "pdf"


def test_text_in_many_forms_inside_each_other_is_read() -> None:
    inner = b"q 1 0 0 1 -990 0 cm BT /F1 10 Tf 1000 700 Td (The pump ran without any fault.) Tj ET Q"
    forms = [b"q 0 0 600 800 re W n q 1 0 0 1 0 1 cm /X Do Q Q"] * 12
    assert "The pump ran" in read_document(make_pdf(b"/X Do", forms=[*forms, inner]), isolated=False).text


@pytest.mark.parametrize("part", [b"%d 0 obj << /Filter /FlateDecode >> stream\n", b"stream %d\nstream\n"])
def test_streams_without_ends_are_looked_at_once(part: bytes) -> None:
    data = make_pdf(lines(20)).replace(b"%%EOF", b"".join(part % number for number in range(9, 20_000)) + b"%%EOF")
    with pytest.raises(DocumentError, match="its parts have no ends"):
        read_document(data, isolated=False)


def test_pages_of_too_many_pieces_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MAX_OBJECTS", 50)
    assert read_document(make_pdf(lines(50)), isolated=False).sentences
    with pytest.raises(DocumentError, match="more pieces than can be read"):
        read_document(make_pdf(lines(51)), isolated=False)


def test_questions_to_pdfium_grow_with_the_text_and_no_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        call = original(name, result, *arguments)

        def count(*values: Any) -> Any:
            nonlocal asked
            asked += 1
            return call(*values)

        return count

    original = pdfium._function
    monkeypatch.setattr(pdfium, "_function", counted)
    spent: list[int] = []
    for count in (25, 50, 100):
        asked = 0
        read_document(make_pdf(lines(count)), isolated=False)
        spent.append(asked)
    assert spent[0] < spent[1] <= 2.1 * spent[0]
    assert spent[1] < spent[2] <= 2.1 * spent[1]
    assert spent[2] < 0.8 * len(lines(100))


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        b"q " * 5_000 + lines(4),
        b"0 0 600 800 re W n " * 2_000 + lines(4),
        b"0 0 9 9 re f " * 3_000 + lines(4),
        b"BT /F1 10 Tf 50 700 Td " + b"(a) Tj " * 3_000 + b"ET",
        b"BT /F1 1e30 Tf 50 700 Td (Huge letters stand on this page.) Tj ET",
        b"BT /F1 10 Tf 1e-30 0 0 1e-30 50 700 Tm (Letters too small to see are here.) Tj ET",
        b"BT /F1 10 Tf nan nan Td (Nowhere is a place, too.) Tj ET",
    ],
    ids=["states", "clips", "patches", "letters", "huge", "tiny", "nowhere"],
)
def test_odd_content_gives_little_text_or_one_sentence(content: bytes) -> None:
    data = make_pdf(content)
    try:
        text = read_document(data).text
    except DocumentError as error:
        text = error.message
    assert text.strip()
    assert len(text) <= 2 * len(data)
