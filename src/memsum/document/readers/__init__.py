"""One file a format, and the way in: `read_document` finds the format by content and reads it."""

from __future__ import annotations

import re
from pathlib import Path

from memsum.document.languages import given_language, is_language
from memsum.document.model import Document
from memsum.document.readers.base import HEAD_BYTES, Reader
from memsum.document.readers.docx import DocxReader
from memsum.document.readers.eml import EmlReader
from memsum.document.readers.epub import EpubReader
from memsum.document.readers.html import HtmlReader
from memsum.document.readers.jats import JatsReader
from memsum.document.readers.latex import LatexReader, with_inputs
from memsum.document.readers.markdown import MarkdownReader
from memsum.document.readers.odt import OdtReader
from memsum.document.readers.pdf import PdfReader, ScanReader, can_recognise
from memsum.document.readers.plain import PlainReader
from memsum.document.readers.pptx import PptxReader
from memsum.errors import DocumentError, ScanError

__all__ = ["MAX_BYTES", "READERS", "SUFFIXES", "Reader", "read_document", "read_scan"]

MAX_BYTES = 64 * 2**20
COMPRESSED = frozenset({"pdf", "docx", "pptx", "odt", "epub"})  # a small file may hold a large document

# How files that can be read are usually called. Content tells the format; the name, what is worth opening.
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


def read_document(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    format: str | None = None,  # noqa: A002
    language: str | None = None,
    isolated: bool | None = None,
) -> Document:
    """Read a file (a Path), its bytes, or a text (a str, never taken for a path); `name` is for error messages.

    `format` and `language` (such as "de") are found in the content unless they are given. `isolated` reads in a process
    of its own, with limits of time and memory: for what strangers send. If nothing is said, so are read the formats
    whose size says little about what is in them: PDF and those that are ZIP archives. Scans are read if the extra `ocr`
    is installed, and only in a process of their own.
    """
    if isinstance(source, Path):
        name = name or source.name or str(source)
    try:
        content = _load(source, format) if isinstance(source, Path) else source
        _check_size(len(content))
        reader = None if isolated else _reader(content, format)  # to look at it is to read it
        if reader is None or (isolated is None and reader.name in COMPRESSED):
            from memsum.document.isolation import read_isolated

            try:
                return read_isolated(content, format=format, language=language)
            except ScanError:
                if not can_recognise():
                    raise
                return read_isolated(content, language=language, scan=True)
        return _read(reader, content, language)
    except DocumentError as error:
        raise type(error)(f"{name}: {error.message}" if name else error.message, error.hint) from None


def read_scan(content: bytes, language: str | None = None) -> Document:
    """Read a PDF of which the pages are pictures, here and without limits."""
    return _read(ScanReader(), content, language)


def _read(reader: Reader, content: bytes | str, language: str | None) -> Document:
    """Read in a language, if one is given: the splitter of sentences asks for it, whatever the reader."""
    if language is not None and not is_language(language):
        raise DocumentError(f"There is no language '{language}'.", "Give its code, such as en, de, fr, es or zh.")
    token = given_language.set(language)
    try:
        document = reader.read(content)
    finally:
        given_language.reset(token)
    if not document.text.strip():
        raise DocumentError("The document is empty.")
    return document


def _load(path: Path, format_name: str | None) -> bytes | str:
    """The bytes of a file; a LaTeX source comes with the files that it includes."""
    try:
        if path.is_dir():
            raise DocumentError("This is a folder, not a file.", "Name a file; memsum batch reads whole folders.")
        if path.exists() and not path.is_file():
            raise DocumentError("This is not a file.")
        _check_size(path.stat().st_size)
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"The file cannot be read ({error.strerror}).") from None
    return with_inputs(data, path) if isinstance(_reader(data, format_name), LatexReader) else data


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise DocumentError(f"The document is larger than {MAX_BYTES // 2**20} MB.", "Split it into parts.")


def _reader(content: bytes | str, name: str | None) -> Reader:
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
