"""Whatever a caller may call a document: a text, a path, sentences; and what is none of them, refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memsum.document.build import MAX_PARTS
from memsum.document.document import Document
from memsum.document.formats import SUFFIXES
from memsum.document.load import read_document
from memsum.errors import DocumentError

Source = str | Path | Document | Sequence[str]

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+$", re.IGNORECASE)
_LONGEST_NAME = 250  # characters
_LONGEST_TEXT = 10_000  # that white space may make of such a name


def open_document(source: Source, language: str | None = None) -> Document:
    """Return a Document of anything that can be summarized; a str is a text, never a path."""
    if isinstance(source, Document):
        return source
    if isinstance(source, str):
        refuse_name(source)
    if isinstance(source, (str, Path)):
        return read_document(source, language=language)
    if isinstance(source, Sequence) and all(isinstance(sentence, str) for sentence in source):
        if len(source) > MAX_PARTS:
            raise DocumentError(
                f"The document has more than {MAX_PARTS:,} sentences.", "Split it into several documents."
            )
        return Document.from_sentences(source)
    raise DocumentError(f"Expected a text, a Path, a Document or a list of sentences; got {_described(source)}.")


def _described(source: object) -> str:
    """Name the type of what is no document, and the first item of a list that is no sentence."""
    name = type(source).__name__
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        other = next((item for item in source if not isinstance(item, str)), None)
        return f"a {name} with an item of type {type(other).__name__}"
    return f"an object of type {name}"


def text_or_file(source: Source) -> Source:
    """Return what a call means that takes either: a str of one line that names an existing file is that file."""
    if not isinstance(source, str) or not (line := _one_line(source)):
        return source
    try:
        if (path := Path(line)).is_file():
            return path
    except (OSError, ValueError):
        return source
    if path.suffix.lower() in SUFFIXES and not _ADDRESS.match(line):
        raise DocumentError(f"There is no file {line!r}.", "Give the path of a file, or a text.")
    return source


def refuse_name(text: str) -> None:
    """Refuse a text that is the name of a file: a slip that would otherwise be its own summary."""
    line = _one_line(text)
    if not line:
        return
    refuse_address(line)
    try:
        is_file = Path(line).suffix.lower() in SUFFIXES or Path(line).is_file()
    except (OSError, ValueError):
        return
    if is_file:
        raise DocumentError(f"{line!r} is the name of a file, not a text.", f"Give a path: Path({line!r}).")


def refuse_address(name: str) -> None:
    """Refuse what begins like the address of a web page: memsum fetches nothing."""
    if _ADDRESS.match(name):
        raise DocumentError(
            f"{name} is an address, and memsum fetches nothing from the network.",
            "Download it, or pipe it: curl -s ADDRESS | memsum summarize -",
        )


def _one_line(text: str) -> str:
    """Return what may be the name of a file; nothing where the text is too long for one."""
    line = text.strip() if len(text) <= _LONGEST_TEXT else ""
    return "" if len(line) > _LONGEST_NAME or "\n" in line else line


def with_sentences(document: Document) -> tuple[Document, tuple[str, ...]]:
    """Return the document, or, where it is nothing but an abstract, the abstract as running text, with a warning."""
    if any(sentence.text.strip() for sentence in document.sentences):
        return document, ()
    if document.abstract:
        warning = "The document has an abstract and no other text; the summary is one of the abstract."
        return replace(document, sentences=document.abstract, abstract=()), (warning,)
    raise DocumentError(
        "The document has no sentences to choose from.",
        "Headings, captions and references are not summarized; a list of sentences is taken as it is.",
    )
