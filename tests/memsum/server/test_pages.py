"""The pages of a PDF as pictures: drawn on demand and bounded, with boxes where the sentences stand."""

from __future__ import annotations

import struct
import zlib

import pytest
from fastapi.testclient import TestClient

from memsum.document.document import Box, Sheet
from memsum.document.load import read_document
from memsum.document.readers.pdf import images
from memsum.errors import DocumentError
from memsum.server.store import PageImages

from ...helpers import make_page
from ..document.test_scans import scanned
from .conftest import pdf_of


def _keep(client: TestClient, pdf: bytes) -> str:
    return client.post("/v1/readings", files={"file": ("paper.pdf", pdf)}).json()["id"]


def _size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack("!II", png[16:24])


def test_pages_and_where_sentences_stand_on_them(client: TestClient, paper_pdf: bytes) -> None:
    reading = client.post("/v1/readings", files={"file": ("paper.pdf", paper_pdf)}).json()
    found = client.get(f"/v1/readings/{reading['id']}/pages").json()
    size = {"document": 0, "width": 612, "height": 792}
    assert found["pages"] == [{**size, "number": 1}, {**size, "number": 2}]
    assert len(found["boxes"]) == len(reading["sentences"])
    for sentence, boxes in zip(reading["sentences"], found["boxes"], strict=True):
        assert boxes[0][0] == sentence["page"]
        assert all(0 < left < right < 1 and 0 < top < bottom < 1 for _, left, top, right, bottom in boxes)
    first = [top for page, _, top, _, _ in (box for boxes in found["boxes"] for box in boxes) if page == 1]
    assert first == sorted(first)  # from top to bottom


def test_the_pages_of_several_pdfs_are_counted_through(client: TestClient, paper_pdf: bytes, paper: str) -> None:
    tide = pdf_of(["The tide rose all night. It fell again at dawn."]).replace(b"[0 0 612 792]", b"[0 0 400 792]")
    files = [("file", ("roads.pdf", paper_pdf)), ("file", ("roads.md", paper.encode())), ("file", ("tide.pdf", tide))]
    reading = client.post("/v1/readings", files=files).json()
    address = f"/v1/readings/{reading['id']}"
    found = client.get(f"{address}/pages").json()
    assert [(page["document"], page["number"]) for page in found["pages"]] == [(0, 1), (0, 2), (2, 1)]
    pages_of = [{box[0] for box in boxes} for boxes in found["boxes"]]
    assert len(pages_of) == len(reading["sentences"])
    for sentence, pages in zip(reading["sentences"], pages_of, strict=True):
        assert pages == {0: {sentence["page"]}, 1: set(), 2: {3}}[sentence["document"]]
    assert _size(client.get(f"{address}/pages/3").content) == (800, 1584)
    assert client.get(f"{address}/pages/4").status_code == 404
    answer = client.get(f"{address}/summary?format=pdf")
    assert (answer.status_code, answer.json()["error"]) == (422, "Several documents cannot be highlighted as one PDF.")


def test_a_page_is_drawn_in_two_widths(client: TestClient, paper_pdf: bytes) -> None:
    address = f"/v1/readings/{_keep(client, paper_pdf)}/pages"
    small, large = client.get(f"{address}/2"), client.get(f"{address}/2?width=1600")
    assert small.headers["content-type"] == "image/png"
    assert small.headers["cache-control"] == "no-store"
    assert _size(small.content) == (800, 1036)
    assert _size(large.content) == (1600, 2071)
    rows = zlib.decompress(small.content[41:-16])
    assert min(rows[i] for i in range(801 * 100, 801 * 400, 7) if i % 801) < 100  # something is printed
    for wrong, status in (("0", 422), ("3", 404), ("1?width=900", 422), ("1?width=9999", 422), ("x", 422)):
        answer = client.get(f"{address}/{wrong}")
        assert answer.status_code == status
        assert answer.json()["error"].endswith(".")


def test_only_a_pdf_has_pages(client: TestClient, paper: str) -> None:
    kept = client.post("/v1/readings", json={"text": paper}).json()["id"]
    for path in ("pages", "pages/1"):
        answer = client.get(f"/v1/readings/{kept}/{path}")
        assert (answer.status_code, answer.json()["error"]) == (422, "This document is not a PDF.")


@pytest.mark.parametrize(
    ("rotation", "wanted"),
    [
        (0, (0.1, 0.2, 0.3, 0.25)),
        (90, (0.75, 0.1, 0.8, 0.3)),
        (180, (0.7, 0.75, 0.9, 0.8)),
        (270, (0.2, 0.7, 0.25, 0.9)),
    ],
)
def test_boxes_follow_the_rotation_of_a_page(rotation: int, wanted: tuple[float, ...]) -> None:
    sheet = Sheet(100, 50, 300, 450, rotation)
    assert sheet.size == ((400, 200) if rotation % 180 else (200, 400))
    assert sheet.shares(Box(1, 120, 370, 160, 350)) == pytest.approx(wanted)


def test_boxes_are_where_pdfium_draws() -> None:
    for rotation in (0, 90, 180, 270):
        pdf = make_page(["The tide rose all night, and the boats lay dry at dawn."]).replace(
            b"/MediaBox [0 0 600 800] /Rotate 0",
            b"/MediaBox [0 0 600 800] /CropBox [20 300 580 780] /Rotate %d" % rotation,
        )
        document = read_document(pdf)
        left, top, right, bottom = document.sheets[0].shares(document.sentences[0].boxes[0])
        pixels = images._pixels(pdf, 1, 800)
        height, width = pixels.shape[:2]
        assert width == 800
        inked = (pixels.reshape(height, width, -1).min(axis=2) < 128).nonzero()
        rows, columns = inked[0] / height, inked[1] / width
        assert left - 0.01 <= columns.min() <= columns.max() <= right + 0.01
        assert top - 0.01 <= rows.min() <= rows.max() <= bottom + 0.01


def test_a_strip_of_paper_is_drawn_within_bounds() -> None:
    pdf = pdf_of(["The tide rose all night."]).replace(b"[0 0 612 792]", b"[0 0 6 14400]")
    pixels = images._pixels(pdf, 1, 1600)
    assert pixels.shape[0] * pixels.shape[1] < 9_000_000


def test_few_pictures_are_kept_and_what_failed_is_not_tried_again() -> None:
    kept = PageImages(250)
    asked: list[int] = []

    def draw(number: int, width: int) -> bytes:
        asked.append(number)
        if number > 7:
            raise DocumentError(f"Page {number} takes too long to draw.")
        return b"x" * 100

    for number in (1, 2, 1, 3, 1, 2):
        kept.get(number, 800, draw)
    assert asked == [1, 2, 3, 2]
    assert kept.bytes == 200
    for number in (8, 8, 9, 10, 11, 12):
        with pytest.raises(DocumentError, match="too long to draw"):
            kept.get(number, 800, draw)
    assert asked == [1, 2, 3, 2, 8, 9, 10]
    with pytest.raises(DocumentError, match="The pages of this PDF"):
        kept.get(4, 800, draw)
    assert kept.get(1, 800, draw)  # what is there stays


def test_a_page_that_needs_too_much_memory_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    page = pdf_of(["The tide rose all night. It fell again at dawn."])
    monkeypatch.setattr(images, "SECONDS", 60.0)  # half a second of work, on a machine that does much else
    with pytest.raises(DocumentError, match="Page 1 needs too much memory to be drawn"):
        images.draw_page(with_stamp(page), 1, 800, seconds=60)
    assert images.draw_page(page, 1, 800).startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_scan_has_pages_and_boxes(client: TestClient) -> None:
    pytest.importorskip("rapidocr")
    reading = client.post("/v1/readings", files={"file": ("scan.pdf", scanned())}).json()
    assert "their text was recognized" in reading["warnings"][0]
    address = f"/v1/readings/{reading['id']}/pages"
    boxes = client.get(address).json()["boxes"]
    assert [len(lines) for lines in boxes] == [1, 2, 2, 2]  # four sentences in four lines
    png = client.get(f"{address}/1").content
    width, height = _size(png)
    rows = zlib.decompress(png[41:-16])
    _, left, top, right, bottom = boxes[0][0]
    line = [row * (width + 1) for row in range(int(top * height), int(bottom * height))]
    inside = [rows[at + 1 + int(left * width) : at + 1 + int(right * width)] for at in line]
    assert min(map(min, inside)) < 100  # the words are there


@pytest.mark.slow
def test_hostile_pages_end_their_own_process_alone(client: TestClient) -> None:
    page = pdf_of(["The tide rose all night. It fell again at dawn."])
    address = f"/v1/readings/{_keep(client, _with_shades(page, 3000))}"
    answer = client.get(f"{address}/pages/1?width=1600")
    assert (answer.status_code, answer.json()["error"]) == (422, "Page 1 takes too long to draw.")
    assert client.get(address).status_code == 200  # the worker was not replaced
    large = f"/v1/readings/{_keep(client, _with_picture(page, 60_000, zlib.compress(bytes(8_000_000))))}"
    assert client.get(f"{large}/pages/1").status_code in (200, 422)  # with 10 GB of pixels
    assert client.get(address).status_code == 200


def _with_shades(pdf: bytes, count: int) -> bytes:
    """Draw so many shades below the text, each over the whole page."""
    colors = b"<< /FunctionType 2 /Domain [0 1] /C0 [1 1 1] /C1 [0.9 0.9 0.9] /N 1 >>"
    shade = b"<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 612 792] /Extend [true true] /Function %b >>"
    pdf = pdf.replace(b"/Resources << /Font", b"/Resources << /Shading << /S %b >> /Font" % (shade % colors))
    return pdf.replace(b"BT ", b"/S sh " * count + b"BT ")


def with_stamp(pdf: bytes, rectangles: int = 1_200_000) -> bytes:
    """Draw so many rectangles over the first page, which only drawing it unpacks: they take half a gigabyte."""
    data = zlib.compress(b"0 0 1 1 re f " * rectangles, 9)
    head = f"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Filter /FlateDecode /Length {len(data)} >>"
    added = b"99 0 obj\n" + head.encode() + b"\nstream\n" + data + b"\nendstream\nendobj\n"
    stamp = b"<< /Type /Annot /Subtype /Square /F 4 /Rect [0 0 612 792] /AP << /N 99 0 R >> >>"
    pdf = pdf.replace(b"/MediaBox", b"/Annots [%b] /MediaBox" % stamp, 1)
    return pdf.replace(b"xref\n", added + b"xref\n", 1)


def _with_picture(pdf: bytes, side: int, data: bytes) -> bytes:
    """Draw a picture of so many pixels on the page."""
    head = f"<< /Type /XObject /Subtype /Image /Width {side} /Height {side} /ColorSpace /DeviceRGB"
    head += f" /BitsPerComponent 8 /Filter /FlateDecode /Length {len(data)} >>"
    added = b"9 0 obj\n" + head.encode() + b"\nstream\n" + data + b"\nendstream\nendobj\n"
    pdf = pdf.replace(b"/Resources << /Font", b"/Resources << /XObject << /X 9 0 R >> /Font")
    pdf = pdf.replace(b" ET\nendstream", b" ET\nq 500 0 0 500 50 100 cm /X Do Q\nendstream")
    return pdf.replace(b"xref\n", added + b"xref\n", 1)
