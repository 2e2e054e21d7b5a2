"""One file for each format; `find_reader` chooses by content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module

from memsum.document.document import Document
from memsum.document.readers.base import HEAD_BYTES, Reader
from memsum.errors import DocumentError

__all__ = ["COMPRESSED", "READERS", "SUFFIXES", "Reader", "find_reader"]

COMPRESSED = frozenset({"pdf", "docx", "pptx", "odt", "epub"})  # a small file may hold a large document

# The usual endings of files that can be read. The content decides the format; the name, whether to open a file.
SUFFIXES = frozenset(
    {".pdf", ".docx", ".pptx", ".odt", ".epub", ".eml", ".html", ".htm", ".xhtml"}
    | {".md", ".markdown", ".tex", ".xml", ".nxml", ".txt", ".text"}
)


@dataclass(frozen=True)
class Format:
    """A reader that is imported when a file may be of its format: all of them together would slow down every start."""

    name: str
    sign: re.Pattern[bytes] = re.compile(b"")  # without it, the first bytes of a file are of another format

    def detects(self, head: bytes) -> bool:
        """Whether the first bytes of a file are of this format."""
        return self.sign.search(head) is not None and self._reader().detects(head)

    def read(self, source: bytes | str) -> Document:
        """The document, or a DocumentError in one sentence."""
        return self._reader().read(source)

    def _reader(self) -> Reader:
        module = import_module(f"memsum.document.readers.{self.name}")
        reader: Reader = getattr(module, f"{self.name.capitalize()}Reader")()
        return reader


_IS_ZIP = re.compile(rb"\APK\x03\x04")

# Asked in this order: the first that knows the content reads it.
READERS: tuple[Reader, ...] = (
    Format("pdf", re.compile(rb"%PDF-\d")),
    Format("pptx", _IS_ZIP),
    Format("epub", _IS_ZIP),
    Format("odt", _IS_ZIP),
    Format("docx", _IS_ZIP),
    Format("eml", re.compile(rb"^(?:from|sender|return-path):", re.IGNORECASE | re.MULTILINE)),
    Format("html", re.compile(rb"<")),
    Format("jats", re.compile(rb"<")),
    Format("latex", re.compile(rb"\\")),
    Format("markdown", re.compile(rb"#|```|~~~|\]\(|===|---|<")),  # most texts have none of these
    Format("plain"),
)

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
    if isinstance(content, bytes) and _IS_ZIP.match(head):
        head += content[-_DIRECTORY_BYTES:]  # the names of all parts
    for pattern, what in _NOT_YET:
        if pattern.match(head):
            raise DocumentError(
                f"This is {what}, which this version of memsum cannot read yet.", "Convert it to text first."
            )
    return next(reader for reader in READERS if reader.detects(head))
