"""Open what a caller gives as a document: a text, a file, sentences; refuse anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO

from memsum.document.document import MAX_PARTS, Block, Document, Sentence
from memsum.document.formats import SUFFIXES
from memsum.document.load import MAX_BYTES, check_language, read_document
from memsum.errors import DocumentError
from memsum.languages.section_names import is_summary

Source = str | Path | bytes | IO[bytes] | Document | Sequence[str]

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+$", re.IGNORECASE)
_LONGEST_NAME = 250  # characters
_MOST_HEADINGS = 10  # that are named
_BEFORE_SUMMARY = 5  # sentences that may stand before a document's own summary, as a byline and a date do
_LONGEST_TEXT = 10_000  # that white space may make of such a name


def open_document(source: Source, language: str | None = None) -> Document:
    """Return a Document of anything that can be summarized; a str is a text, never a path."""
    if isinstance(source, Document):
        return source
    if isinstance(source, str):
        reject_path_text(source)
    if isinstance(source, (str, Path, bytes)):
        return read_document(source, language=language)
    found = type(source).__name__
    if isinstance(source, Sequence):
        sentences = [one for one in source if isinstance(one, str)]
        if len(sentences) == len(source):
            if len(sentences) > MAX_PARTS:
                message = f"The document has more than {MAX_PARTS:,} sentences."
                raise DocumentError(message, "Split it into several documents.")
            check_language(language)
            return Document.from_sentences(sentences, language)
        found += f" with {next(type(one).__name__ for one in source if not isinstance(one, str))} items"
    raise DocumentError(f"Expected str, Path, bytes, a binary file, Document or list[str]; got {found}.")


def load_stream(source: Source) -> Source:
    """Read a file object into memory; anything else is returned as it is."""
    if isinstance(source, (str, Path, bytes, Document, Sequence)) or not hasattr(source, "read"):
        return source
    content = source.read(MAX_BYTES + 1)
    if not isinstance(content, bytes):
        raise DocumentError("The file object is not binary.", 'Open it with mode "rb", or give its text.')
    return content


def reject_path_text(text: str, *, check_disk: bool = True) -> None:
    """Refuse a text that is the name of a file: by mistake it would be its own summary.

    Without `check_disk` its ending tells, and not what is on this machine: texts of others must not ask for that.
    """
    line = text.strip() if len(text) <= _LONGEST_TEXT else ""
    if not 0 < len(line) <= _LONGEST_NAME or "\n" in line:
        return
    refuse_address(line)
    try:
        is_file = Path(line).suffix.lower() in SUFFIXES or (check_disk and Path(line).is_file())
    except (OSError, ValueError):
        return
    if is_file:
        raise DocumentError(f"{line!r} is the name of a file, not a text.", f"Give a path: Path({line!r}).")


def refuse_address(name: str, hint: str = "Download it, or pipe it: curl -s ADDRESS | memsum summarize -") -> None:
    """Refuse what is the address of a web page: memsum fetches nothing."""
    if _ADDRESS.match(name):
        raise DocumentError(f"{name[:_LONGEST_NAME]} is an address, and memsum fetches nothing from the network.", hint)


def with_abstract(document: Document) -> Document:
    """Return the document with the sentences of its abstract among those of the running text."""
    own = [(sentence, None) for sentence in document.abstract]
    merged = sorted([*own, *((one, at) for at, one in enumerate(document.sentences))], key=lambda pair: pair[0].start)
    places = {old: new for new, (_, old) in enumerate(merged) if old is not None}
    sentences = (
        sentence if sentence.lead_in is None else replace(sentence, lead_in=places[sentence.lead_in])
        for sentence, _ in merged
    )
    return replace(document, sentences=tuple(sentences)) if own else document


def with_part(document: Document, pages: tuple[int, int] | None, section: str | None) -> Document:
    """Return the document with only what stands on some pages, and in the sections with a name; the text is whole."""
    if pages is not None and not document.lines:
        raise DocumentError("This document has no pages.", "Name a section.")
    ranges = [(0, len(document.text))] if section is None else _sections_named(document, section)

    def has(span: Block | Sentence) -> bool:
        if not any(first <= span.start < stop for first, stop in ranges):
            return False
        return pages is None or any(pages[0] <= box.page <= pages[1] for box in document.boxes(span.start, span.end))

    kept = [index for index, sentence in enumerate(document.sentences) if has(sentence)]
    at = {old: new for new, old in enumerate(kept)}
    own = [document.sentences[index] for index in kept]
    sentences = tuple(replace(one, lead_in=None if one.lead_in is None else at.get(one.lead_in)) for one in own)
    if not sentences:
        where = f" on pages {pages[0]} to {pages[1]}" if pages is not None else ""
        raise DocumentError(f"There are no sentences{where} of this part of the document.")
    blocks = tuple(block for block in document.blocks if has(block))
    return replace(document, sentences=sentences, abstract=tuple(filter(has, document.abstract)), blocks=blocks)


def _sections_named(document: Document, name: str) -> list[tuple[int, int]]:
    """Return where the sections are whose headings have a name, with the sections in them."""
    headings = [block for block in document.blocks if block.kind == "heading"]
    titles = [" ".join(document.text[heading.start : heading.end].split()) for heading in headings]
    wanted = " ".join(name.split()).casefold()
    ranges: list[tuple[int, int]] = []
    for number, (heading, title) in enumerate(zip(headings, titles, strict=True)):
        if wanted and wanted in title.casefold():
            ends = (other.start for other in headings[number + 1 :] if other.level <= heading.level)
            ranges.append((heading.start, next(ends, len(document.text))))
    if not ranges:
        listed = "; ".join(title[:60] for title in titles[:_MOST_HEADINGS])
        raise DocumentError(f"There is no section {name!r:.80}.", f"Its sections: {listed}." if listed else None)
    return ranges


def with_sentences(document: Document) -> tuple[Document, tuple[str, ...]]:
    """Return the document with its abstract as running text, and a warning where there is nothing else."""
    if any(sentence.text.strip() for sentence in document.sentences):
        if document.abstract:
            return with_abstract(document), ()
        own = _own_summary(document)
        return (replace(document, abstract=own) if own else document), ()
    if document.abstract:
        warning = "The document has an abstract and no other text; the summary is one of the abstract."
        return replace(document, sentences=document.abstract, abstract=()), (warning,)
    raise DocumentError(
        "The document has no sentences to choose from.",
        "Headings, captions and references are not summarized; a list of sentences is taken as it is.",
    )


def _own_summary(document: Document) -> tuple[Sentence, ...]:
    """Return the sentences of the section that a document begins with, if it is named as a summary is."""
    before = 0
    for section, members in groupby(document.sentences, key=attrgetter("section")):
        own = tuple(members)
        if section and is_summary(section):
            return own if len(own) < len(document.sentences) else ()
        before += len(own)
        if before > _BEFORE_SUMMARY:
            break
    return ()
