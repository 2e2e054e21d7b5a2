"""Scans: image-only PDFs, rendered here from pages that have text."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest

from memsum.document import Document
from memsum.document.load import SCAN_MEMORY_MB, read_document, read_isolated
from memsum.document.readers import pdf
from memsum.document.readers.pdf import scans, words
from memsum.errors import DocumentError, ScanError

from ...helpers import make_pdf

SENTENCES = (
    "The old pump was replaced in March.",
    "Since then the water level has been stable.",
    "Nobody expected so quick a recovery.",
    "The harbour reopened three weeks later.",
)
LINES = (
    "The old pump was replaced in March. Since",
    "then the water level has been stable. Nobody",
    "expected so quick a recovery. The harbour",
    "reopened three weeks later.",
)


def page_of_text() -> bytes:
    """A small page with four lines of text."""
    return make_pdf([[(20, 150 - 16 * n, 12, "F1", line) for n, line in enumerate(LINES)]], box="0 0 300 180")


def scanned(pages: int = 1, rotation: int = 0) -> bytes:
    """The page as a picture; a rotated one lies on its side in the file and is shown upright."""
    with pypdfium2.PdfDocument(page_of_text()) as pdf:
        picture = pdf[0].render(scale=200 / 72, rotation=(360 - rotation) % 360, grayscale=True)
    scan = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        image = pypdfium2.PdfImage.new(scan)
        image.set_bitmap(picture)
        width, height = picture.width * 72 / 200, picture.height * 72 / 200
        image.set_matrix(pypdfium2.PdfMatrix().scale(width, height))
        page = scan.new_page(width, height)
        page.insert_obj(image)
        page.set_rotation(rotation)
        page.gen_content()
    out = BytesIO()
    scan.save(out)
    return out.getvalue()


def texts(document: Document) -> tuple[str, ...]:
    return tuple(sentence.text for sentence in document.sentences)


def test_without_the_extra_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "can_recognize", lambda: False)
    with pytest.raises(ScanError, match="no text layer") as caught:
        pdf.read(scanned())
    assert caught.value.hint
    assert "pip install 'memsum[ocr]'" in caught.value.hint


def test_a_scan_is_told_apart_by_a_process_of_its_own_and_not_recognized_there() -> None:
    with pytest.raises(ScanError, match="no text layer"):
        read_isolated(scanned())


def test_without_the_extra_a_file_is_refused_with_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("memsum.document.readers.pdf.can_recognize", lambda: False)
    path = tmp_path / "minutes.pdf"
    path.write_bytes(scanned())
    with pytest.raises(ScanError, match=r"minutes\.pdf: The PDF has no text layer"):
        read_document(path)


@pytest.mark.slow
def test_a_scan_is_read_within_its_limits() -> None:
    pytest.importorskip("rapidocr")
    assert SCAN_MEMORY_MB <= 4096
    document = read_document(scanned())
    assert texts(document) == SENTENCES
    assert "recognized" in document.warnings[0]


@pytest.mark.slow
@pytest.mark.parametrize("rotation", [0, 90])
def test_the_boxes_of_a_scan_are_where_the_text_was(rotation: int) -> None:
    pytest.importorskip("rapidocr")
    printed = pdf.read(page_of_text())
    document = pdf.read_scan(scanned(rotation=rotation))
    assert texts(document) == texts(printed) == SENTENCES
    for sentence, meant in zip(document.sentences, printed.sentences, strict=True):
        assert len(sentence.boxes) == len(meant.boxes)
        for box, other in zip(sentence.boxes, meant.boxes, strict=True):
            expected = other[1:]
            if rotation:  # shown turned to the right by 90 degrees: x on the paper is y in the file
                expected = (180 - other.top, other.right, 180 - other.bottom, other.left)
            assert box[1:] == pytest.approx(expected, abs=4)


def test_scans_of_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr")
    monkeypatch.setattr(scans, "MAX_SCANNED", 1)
    with pytest.raises(DocumentError, match="a scan of 2 pages; at most 1"):
        pdf.read_scan(scanned(pages=2))
