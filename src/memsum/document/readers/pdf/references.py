"""Reference lists without a heading: entries that count from one to the end of the document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memsum.document.readers.pdf.chunks import Chunk

_ENTRY = re.compile(r"(?:\[(?P<bracket>\d{1,3})\]|(?P<dot>\d{1,3})\.?(?=\s*[A-Z]))")
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_FEWEST = 5


def find_references(chunks: Sequence[Chunk]) -> int:
    """The chunk with which an unnamed list of references begins, or the number of chunks."""
    numbered: list[tuple[int, int]] = []
    for index, chunk in enumerate(chunks):
        for line in chunk.lines:
            if found := _ENTRY.match(line.text):
                numbered.append((int(found["bracket"] or found["dot"]), index))
    starts = [place for place, (number, _) in enumerate(numbered) if number == 1]
    for place in reversed(starts):
        expected = 1
        for number, _ in numbered[place:]:
            expected += number == expected
        start = numbered[place][1]
        entries = expected - 1
        years = sum(len(_YEAR.findall(chunk.text)) for chunk in chunks[start:])
        if entries >= _FEWEST and years >= 0.6 * entries and _is_last(chunks[start:], entries):
            return start
    return len(chunks)


def _is_last(chunks: Sequence[Chunk], entries: int) -> bool:
    """Whether there is little but the entries: no more words than such a list has."""
    return sum(len(chunk.words) for chunk in chunks) < 60 * entries and len(_ENTRY.findall(chunks[0].text[:8])) > 0
