"""The PDF reader: words, runs, lines, layout, chunks, classification and paragraphs, in that order, to a Document.

Pages that are pictures get their words from `scans`, the rest is the same.
"""

from __future__ import annotations

import re

from memsum.document.build import build_document
from memsum.document.document import Document
from memsum.document.readers.pdf.chunks import Body, make_chunks
from memsum.document.readers.pdf.classify import classify
from memsum.document.readers.pdf.hyphens import Hyphens
from memsum.document.readers.pdf.layout import Layout, order_lines, split_furniture, without_line_numbers
from memsum.document.readers.pdf.lines import find_runs, group_rows
from memsum.document.readers.pdf.paragraphs import Composer, Paragraph, Span, make_paragraphs
from memsum.document.readers.pdf.scans import recognise_pages
from memsum.document.readers.pdf.words import Page, can_recognise, read_pages
from memsum.errors import DocumentError

__all__ = ["PdfReader", "ScanReader", "can_recognise"]

_HEADER = re.compile(rb"[\s\0]*(?:\xef\xbb\xbf)?%PDF-\d")
_NO_TEXT = "{count} of {total} pages have no text: they may be pictures."
_RECOGNISED = "The pages are pictures: their text was recognised, and may not be what they say to the letter."


class PdfReader:
    """Reads PDFs that have a text layer."""

    name = "pdf"

    def detects(self, head: bytes) -> bool:
        """Whether the file begins as PDFs do; up to a kilobyte of anything may stand before."""
        return _HEADER.match(head) is not None or re.search(rb"^%PDF-\d\.\d", head[:1024], re.MULTILINE) is not None

    def read(self, source: bytes | str) -> Document:
        """The document, its boxes in the PDF's own coordinates: points, y upwards from the lower left corner."""
        if isinstance(source, str):
            raise DocumentError("A PDF is binary data, and this is text.", "Give the file itself.")
        return _document(read_pages(source))


class ScanReader:
    """Reads PDFs of which the pages are pictures: slowly, and with the extra `ocr`."""

    name = "pdf"

    def detects(self, head: bytes) -> bool:
        """Never: `PdfReader` says that there is no text layer."""
        return False

    def read(self, source: bytes | str) -> Document:
        """The same as of a PDF with text, as far as the letters were recognised."""
        if isinstance(source, str):
            raise DocumentError("A PDF is binary data, and this is text.", "Give the file itself.")
        return _document(recognise_pages(source), (_RECOGNISED,))


def _document(pages: list[Page], warnings: tuple[str, ...] = ()) -> Document:
    """From words to lines in reading order, what each is, and paragraphs."""
    found = [find_runs(page) for page in pages]
    kept = without_line_numbers(found)
    layouts = [Layout(words, group_rows(runs)) for runs, (_, words) in zip(kept, found, strict=True)]
    layouts, furniture = split_furniture(layouts)
    lines = order_lines(layouts)
    body = Body.of(lines)
    labelled = classify(make_chunks(lines, body), body)
    composer = Composer(Hyphens(line.text for line in lines))
    for paragraph in make_paragraphs(labelled, body):
        composer.add(paragraph)
    for line in (line for removed in furniture for line in removed):
        composer.add(Paragraph("boilerplate", [Span(line, 0, len(line.text))]))
    blank = sum(not len(page.starts) for page in pages)
    if blank > len(pages) / 10:
        warnings += (_NO_TEXT.format(count=blank, total=len(pages)),)
    return build_document(
        composer.text, composer.blocks, format=PdfReader.name, locate=composer.locate, warnings=warnings
    )
