"""What people see of a PDF is read, however it was drawn."""

from __future__ import annotations

import pytest

from memsum.document import read_document

from ...helpers import make_stream
from .hidden import pdf_page

SEEN = "It is seen by all of us."
_LINE = b"BT /F1 10 Tf 50 680 Td (It is seen by all of us.) Tj ET\n"
_PANEL = b"40 670 500 24 re f\n"
_STATES = b"/ExtGState << /G << /ca 0.6 >> >>"
_SHADING = (
    b"/Shading << /S << /ShadingType 2 /ColorSpace /DeviceGray /Coords [40 0 540 0] /Extend [true true]"
    b" /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [0.4] /N 1 >> >> >>"
)


def _form(content: bytes, about: bytes) -> bytes:
    return make_stream(content, b"/Type /XObject /Subtype /Form %s /Resources << /Font << /F1 3 0 R >> >>" % about)


_CROPPED = _form(b"1 g 0 0 600 800 re f 0 g 0 0 9 9 re f", b"/BBox [0 0 10 10]")


@pytest.mark.parametrize(
    ("drawn", "resources", "objects"),
    [
        (_LINE + b"/X Do\n", b"/XObject << /X 6 0 R >>", (_CROPPED,)),
        (_LINE + b"q 1 0 0 1 40 600 cm /X Do Q\n", b"/XObject << /X 6 0 R >>", (_CROPPED,)),
        (_LINE + b"q 0 0 20 20 re W n 1 g 0 0 600 800 re f Q\n", b"", ()),
        (_LINE + b"0.8 g " + _PANEL + b"0 g " + _LINE, b"", ()),
        (b"q 1 g " + _LINE + b"0 g " + _LINE + b"Q\n", b"", ()),
        (b"q /G gs " + _PANEL + b"Q 1 g " + _LINE, _STATES, ()),
        (b"".join(b"40 %d 500 2 re f " % y for y in range(660, 700, 2)) + b"1 g " + _LINE, b"", ()),
        (b"".join(b"40 %d 500 0.5 re f " % y for y in range(660, 700)) + b"1 g " + _LINE, b"", ()),
        (b"q 40 670 500 24 re W n /S sh Q 1 g " + _LINE, _SHADING, ()),
        (b"0.5 g " + b"50 400 9 9 re f " * 1100 + b"0 g " + _PANEL + b"1 g " + _LINE, b"", ()),
        (_LINE + b"0.5 g " + b"50 400 9 9 re f " * 1100, b"", ()),
        (b"1 g 0 G 0.4 w 2 Tr " + _LINE, b"", ()),
        (b"q 560 0 0 30 20 670 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x40 EI Q 1 g " + _LINE, b"", ()),
        (b"0 0.5 0.5 rg 40 670 m 300 660 l 560 670 l 560 700 l 40 700 l f 1 g " + _LINE, b"", ()),
        (b"0 0.502 0 rg " + _PANEL + b"1 0 0 rg 1 0 0 RG " + _LINE, b"", ()),
        (b"BT /F1 0.5 Tf 50 680 Td (It is seen by all of us.) Tj ET\n", b"", ()),
        (b"q BT 7 Tr /F1 10 Tf 50 680 Td (It is seen by all of us.) Tj ET 0 0 600 800 re f Q\n", b"", ()),
    ],
    ids=[
        "below the box of a form",
        "below the box of a moved form",
        "below what is clipped",
        "below a panel and above it",
        "black on white letters",
        "white on a transparent box",
        "white on strips",
        "white on lines",
        "white on a gradient",
        "white after a thousand shapes",
        "below a thousand shapes elsewhere",
        "white with black outlines",
        "white on a picture",
        "white on a shape",
        "red on green of the same gray",
        "small enough to be overlooked",
        "cut out of a box",
    ],
)
def test_what_is_drawn_so_is_read(drawn: bytes, resources: bytes, objects: tuple[bytes, ...]) -> None:
    page = pdf_page(b"q " + drawn + b"Q\n", resources, objects)
    assert SEEN in " ".join(read_document(page, isolated=False).text.split())


@pytest.mark.parametrize(
    "about",
    [
        b"/Subtype /Widget /FT /Tx /T (a) /V (another) /AP << /N 7 0 R >>",
        b"/Subtype /Widget /FT /Tx /T (a) /V (It is seen by all of us.) /DA (/F1 10 Tf 0 g)",
        b"/Subtype /FreeText /Contents (It is seen by all of us.) /DA (/F1 10 Tf 0 g)",
        b"/Subtype /FreeText /Contents (another) /AP << /N 7 0 R >>",
        b"/Subtype /Stamp /Contents (another) /AP << /N 7 0 R >>",
    ],
)
def test_what_people_typed_is_read(about: bytes) -> None:
    note = b"<< /Type /Annot %s /Rect [50 500 350 520] /F %d >>"
    shown = _form(b"BT /F1 10 Tf 2 5 Td (It is seen by all of us.) Tj ET", b"/BBox [0 0 300 20]")
    fields = b"/AcroForm << /Fields [6 0 R] /DA (/F1 10 Tf 0 g) /DR << /Font << /F1 3 0 R >> >> >>"
    for flags, is_seen in ((4, True), (2, False)):
        page = pdf_page(b"", objects=(note % (about, flags), shown), catalog=fields)
        page = page.replace(b"/Contents 5 0 R", b"/Contents 5 0 R /Annots [6 0 R]")
        assert (SEEN in read_document(page, isolated=False).text) == is_seen


@pytest.mark.parametrize(
    "turn", [b"0 1 -1 0 580 300", b"0 -1 1 0 580 300", b"-1 0 0 -1 400 300", b"0.7 0.7 -0.7 0.7 50 300"]
)
def test_turned_text_beside_upright_text_is_read(turn: bytes) -> None:
    page = pdf_page(b"BT /F1 10 Tf %s Tm (It is seen by all of us.) Tj ET\n" % turn)
    text = read_document(page, isolated=False).text
    assert set(SEEN.split()) <= set(text.split())


def test_a_page_in_another_unit_is_read() -> None:
    page = pdf_page(b"BT /F1 1 Tf 50 680 Td (It is seen by all of us.) Tj ET\n")
    page = page.replace(b"/MediaBox [0 0 600 800]", b"/UserUnit 10 /MediaBox [40 600 100 720]")
    assert SEEN in read_document(page, isolated=False).text


def test_a_page_as_small_as_a_stamp_is_read() -> None:
    page = pdf_page(b"").replace(b"/F1 10 Tf", b"/F1 .1 Tf").replace(b"[0 0 600 800]", b"[50 650 60 710]")
    assert "It was replaced when its valve broke" in read_document(page, isolated=False).text


def test_text_recognized_on_a_picture_is_read() -> None:
    picture = b"q 300 0 0 20 40 675 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xe0 EI Q\n"
    page = pdf_page(picture + b"BT 3 Tr /F1 10 Tf 50 680 Td (It is seen by all of us.) Tj ET\n")
    assert SEEN in read_document(page, isolated=False).text


def test_if_much_cannot_be_seen_it_is_read_with_a_warning() -> None:
    line = b"BT /F1 8 Tf 50 %d Td (It is seen by all of us.) Tj ET\n"
    page = pdf_page(b"q 1 g " + b"".join(line % y for y in range(20, 620, 30)) + b"Q\n")
    document = read_document(page, isolated=False)
    assert SEEN in document.text
    assert document.warnings == (
        "20 sentences that are hidden from people were read, because they are much of the text.",
    )
    strict = read_document(page, isolated=False, strict=True)
    assert SEEN not in strict.text
    assert strict.warnings == ("20 sentences that are hidden from people were left out.",)
