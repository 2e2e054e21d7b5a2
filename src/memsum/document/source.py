"""Open what a caller gives as a document: a text, a file, sentences; refuse anything else."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TypeGuard

from memsum.document.build import MAX_PARTS
from memsum.document.document import Document
from memsum.document.formats import SUFFIXES
from memsum.document.load import MAX_BYTES, check_language, read_document
from memsum.errors import DocumentError

Source = str | Path | bytes | IO[bytes] | Document | Sequence[str]

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+$", re.IGNORECASE)
_LONGEST_NAME = 250  # characters
_LONGEST_TEXT = 10_000  # that white space may make of such a name


def open_document(source: Source, language: str | None = None) -> Document:
    """Return a Document of anything that can be summarized; a str is a text, never a path."""
    if isinstance(source, Document):
        return source
    if isinstance(source, str):
        refuse_name(source)
    if isinstance(source, (str, Path, bytes)):
        return read_document(source, language=language)
    if isinstance(source, Sequence) and _is_sentences(source):
        if len(source) > MAX_PARTS:
            raise DocumentError(
                f"The document has more than {MAX_PARTS:,} sentences.", "Split it into several documents."
            )
        check_language(language)
        return Document.from_sentences(source, language)
    found = type(source).__name__
    if isinstance(source, Sequence):
        found += f" with {next(type(one).__name__ for one in source if not isinstance(one, str))} items"
    raise DocumentError(f"Expected str, Path, bytes, a binary file, Document or list[str]; got {found}.")


def _is_sentences(source: Sequence[object]) -> TypeGuard[Sequence[str]]:
    return all(isinstance(sentence, str) for sentence in source)


def load_stream(source: Source) -> Source:
    """Read a file object into memory; anything else is returned as it is."""
    if isinstance(source, (str, Path, bytes, Document, Sequence)) or not hasattr(source, "read"):
        return source
    content = source.read(MAX_BYTES + 1)
    if not isinstance(content, bytes):
        raise DocumentError("The file object is not binary.", 'Open it with mode "rb", or give its text.')
    return content


def text_or_file(source: Source) -> Source:
    """Return the file that a str of one line names, with a deprecation warning; anything else as it is."""
    if not isinstance(source, str) or not (line := _one_line(source)):
        return source
    try:
        if not (path := Path(line)).is_file():
            return source
    except (OSError, ValueError):
        return source
    warnings.warn(f"A str will always be a text; give the file as Path({line!r}).", DeprecationWarning, stacklevel=3)
    return path


def refuse_name(text: str, *, looks: bool = True) -> None:
    """Refuse a text that is the name of a file: by mistake it would be its own summary.

    Without `looks` its ending tells, and not what is on this machine: texts of others must not ask for that.
    """
    line = _one_line(text)
    if not line:
        return
    refuse_address(line)
    try:
        is_file = Path(line).suffix.lower() in SUFFIXES or (looks and Path(line).is_file())
    except (OSError, ValueError):
        return
    if is_file:
        raise DocumentError(f"{line!r} is the name of a file, not a text.", f"Give a path: Path({line!r}).")


def refuse_address(name: str, hint: str = "Download it, or pipe it: curl -s ADDRESS | memsum summarize -") -> None:
    """Refuse what is the address of a web page: memsum fetches nothing."""
    if _ADDRESS.match(name):
        raise DocumentError(f"{name[:_LONGEST_NAME]} is an address, and memsum fetches nothing from the network.", hint)


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
