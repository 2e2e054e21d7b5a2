"""One file for each format; `find_reader` chooses by content."""

from __future__ import annotations

import re

from memsum.document.readers.base import HEAD_BYTES, Reader
from memsum.document.readers.docx import DocxReader
from memsum.document.readers.eml import EmlReader
from memsum.document.readers.epub import EpubReader
from memsum.document.readers.html import HtmlReader
from memsum.document.readers.jats import JatsReader
from memsum.document.readers.latex import LatexReader
from memsum.document.readers.markdown import MarkdownReader
from memsum.document.readers.odt import OdtReader
from memsum.document.readers.pdf import PdfReader
from memsum.document.readers.plain import PlainReader
from memsum.document.readers.pptx import PptxReader
from memsum.errors import DocumentError

__all__ = ["COMPRESSED", "READERS", "SUFFIXES", "Reader", "find_reader"]

COMPRESSED = frozenset({"pdf", "docx", "pptx", "odt", "epub"})  # a small file may hold a large document

# The usual endings of files that can be read. The content decides the format; the name, whether to open a file.
SUFFIXES = frozenset(
    {".pdf", ".docx", ".pptx", ".odt", ".epub", ".eml", ".html", ".htm", ".xhtml"}
    | {".md", ".markdown", ".tex", ".xml", ".nxml", ".txt", ".text"}
)

# Asked in this order: the first that knows the content reads it.
READERS: tuple[Reader, ...] = (
    PdfReader(),
    PptxReader(),
    EpubReader(),
    OdtReader(),
    DocxReader(),
    EmlReader(),
    HtmlReader(),
    JatsReader(),
    LatexReader(),
    MarkdownReader(),
    PlainReader(),
)

_ZIP = b"PK\x03\x04"
_DIRECTORY_BYTES = 2**17

_NOT_YET = (
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Word document"),
    (re.compile(rb"\{\\rtf"), "an RTF document"),
    (
        re.compile(rb"PK\x03\x04.{26,200}?mimetypeapplication/vnd\.oasis\.opendocument\.(?!text)", re.DOTALL),
        "a sheet or drawing",
    ),
    (re.compile(rb"PK\x03\x04.*xl/workbook\.xml", re.DOTALL), "a spreadsheet"),
)


def find_reader(content: bytes | str, name: str | None = None) -> Reader:
    """The reader of a format that is named, or found in the content."""
    if name is not None:
        for reader in READERS:
            if reader.name == name:
                return reader
        raise DocumentError(
            f"There is no document format '{name}'.", f"Known formats: {', '.join(reader.name for reader in READERS)}."
        )
    head = content[:HEAD_BYTES]
    head = head.encode("utf-8", "replace") if isinstance(head, str) else head
    if isinstance(content, bytes) and head.startswith(_ZIP):
        head += content[-_DIRECTORY_BYTES:]  # the names of all parts
    for pattern, what in _NOT_YET:
        if pattern.match(head):
            raise DocumentError(
                f"This is {what}, which this version of memsum cannot read yet.", "Convert it to text first."
            )
    return next(reader for reader in READERS if reader.detects(head))
