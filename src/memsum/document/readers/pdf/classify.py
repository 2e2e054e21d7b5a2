"""What each chunk of a PDF is: front matter, heading, caption, footnote, table, reference, or running text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memsum.document.headings import is_known, role_of
from memsum.document.readers.pdf.chunks import NUMBERED, WORD, Body, Chunk, Kind, begins_item, distance
from memsum.document.readers.pdf.front import body_start, front_kinds
from memsum.document.readers.pdf.headings import SMALLER, heading_level, is_caption
from memsum.document.readers.pdf.references import find_references

_NOTE_MARK = re.compile(r"[*†‡§¶∗]|\(?\d{1,2}\)?[.\s]?[A-Z(]|[a-z]\s?[A-Z]")
_APART = 1.8  # em; formulas and the words in figures begin that far behind the edge of their column
_ALIKE = 0.3  # points between the sizes of a caption and of its end in the next column
_FULL = 6.0  # em; a line that ends closer to the edge of its column goes on in the next
_NOTES_SHARE = 0.6  # of a column's lines; more small print than that is text


class Labelled(NamedTuple):
    """A chunk and what it is; `level` is that of a heading."""

    chunk: Chunk
    kind: Kind
    level: int = 0


def classify(chunks: Sequence[Chunk], body: Body) -> list[Labelled]:
    """Say what every chunk is, in reading order."""
    start = body_start(chunks, body)
    labelled = [Labelled(*pair) for pair in zip(chunks[:start], front_kinds(chunks[:start], body), strict=True)]
    notes = _footnotes(chunks[start:], body)
    unnamed = find_references(chunks)
    in_references = False
    for index in range(start, len(chunks)):
        chunk = chunks[index]
        level = heading_level(chunk, body)
        if level:
            labelled.append(Labelled(chunk, "heading", level))
            in_references = role_of(chunk.text) == "reference"
        elif in_references or index >= unnamed:
            labelled.append(Labelled(chunk, "caption" if is_caption(chunk, body) else "reference"))
        else:
            following = next((later for later in chunks[index + 1 : index + 5] if len(later.words) > 4), None)
            before_caption = following is not None and is_caption(following, body)
            kind = _kind(chunk, body, labelled, is_note=id(chunk) in notes, before_caption=before_caption)
            labelled.append(Labelled(chunk, kind))
    return _with_levels(labelled)


def _with_levels(labelled: list[Labelled]) -> list[Labelled]:
    """Headings without a number and a known name get the level of those that look like them."""
    levels: dict[tuple[float, bool, bool, bool], Counter[int]] = {}
    for label in labelled:
        if label.kind == "heading" and (NUMBERED.match(label.chunk.text) or is_known(label.chunk.text)):
            levels.setdefault(_look(label.chunk), Counter())[label.level] += 1
    found = {look: counts.most_common(1)[0][0] for look, counts in levels.items()}
    return [
        label._replace(level=found.get(_look(label.chunk), label.level))
        if label.kind == "heading" and not NUMBERED.match(label.chunk.text)
        else label
        for label in labelled
    ]


def _look(chunk: Chunk) -> tuple[float, bool, bool, bool]:
    return round(chunk.size * 2) / 2, chunk.bold, chunk.italic, chunk.text.isupper()


def _footnotes(chunks: Sequence[Chunk], body: Body) -> set[int]:
    """The small print at the foot of columns."""
    notes: set[int] = set()
    regions: dict[int, list[Chunk]] = {}
    for chunk in chunks:
        regions.setdefault(chunk.region, []).append(chunk)
    for region in regions.values():
        found: list[Chunk] = []
        for chunk in reversed(region):
            if chunk.size > SMALLER * body.size or is_caption(chunk, body):
                break
            found.append(chunk)
        lines = sum(len(chunk.lines) for chunk in found)
        most = _NOTES_SHARE * sum(len(chunk.lines) for chunk in region)
        if lines <= most or (found and _NOTE_MARK.match(found[-1].text)):
            notes.update(id(chunk) for chunk in found)
    return notes


def _kind(chunk: Chunk, body: Body, before: Sequence[Labelled], *, is_note: bool, before_caption: bool) -> Kind:
    """What a chunk of the body is that is no heading and no reference."""
    if is_caption(chunk, body):
        return "caption"
    last = before[-1] if before else None
    if last and last.kind == "caption" and len(last.chunk.words) <= 3 and last.chunk.region == chunk.region:
        return "caption"
    if last and last.kind == "caption" and not last.chunk.is_ended and abs(chunk.size - last.chunk.size) < _ALIKE:
        is_next = last.chunk.region == chunk.region and len(chunk.lines) == 1
        is_near = is_next and distance(last.chunk.lines[-1], chunk.lines[0]) < 1.3 * body.leading
        if (is_near or chunk.size < SMALLER * body.size) and not chunk.is_table:
            return "caption"
    if is_note:
        return "note"
    if chunk.is_table:
        return "table"
    text = next((label.chunk for label in reversed(before) if label.kind == "text"), None)
    apart = all(line.indent > _APART * body.size for line in chunk.lines)
    goes_on = text is not None and not text.is_ended and chunk.is_ended
    if goes_on and text is not None and apart:
        follows = last is not None and last.chunk is text and text.region == chunk.region
        is_full = text.lines[-1].shortfall < _FULL * body.size
        goes_on = (follows and is_full) or re.match(r"[a-z]{2}", chunk.text) is not None
    if not chunk.is_prose and apart and not goes_on and not begins_item(chunk):
        return "stray"
    if chunk.size < SMALLER * body.size and not (chunk.is_prose and chunk.is_ended and len(chunk.words) >= 12):
        return "stray"
    if not goes_on and ((not WORD.search(chunk.text) and not chunk.is_ended) or not any(map(str.isalpha, chunk.text))):
        return "stray"
    is_label = len(chunk.words) <= 4 and not chunk.is_ended and not begins_item(chunk)
    return "stray" if is_label and (text is None or text.is_ended or before_caption) else "text"
