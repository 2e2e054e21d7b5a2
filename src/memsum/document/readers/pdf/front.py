"""The front of a paper: title, authors and affiliations, abstract, keywords; and where the body begins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memsum.document.headings import is_known, role_of, section_name
from memsum.document.readers.pdf.chunks import BULLETS, NUMBERED, Body, Chunk, Kind, begins_item
from memsum.document.readers.pdf.headings import heading_level, is_caption

_ABSTRACT = re.compile(r"(?:abstract|summary)\s*(?P<mark>[-–—:.])*\s*", re.IGNORECASE)
KEYWORDS = re.compile(
    r"(?:key\s?words?(?: and phrases)?|index terms|ccs concepts|acm reference format|pacs\b|jel\b|msc\b"
    r"|(?:\d{4} )?mathematics subject classification|general terms|additional key words)\b",
    re.IGNORECASE,
)
_SHORTEST_ABSTRACT = 40  # words
_FRONT = 12  # chunks in which an abstract may still come


def front_kinds(front: Sequence[Chunk], body: Body) -> list[Kind]:
    """What each chunk before the body is."""
    return _kinds(front, _title(front, body), body)


def body_start(chunks: Sequence[Chunk], body: Body) -> int:
    """The first chunk behind title, authors and abstract: a heading, or running text as the rest has it."""
    size: float | None = None  # of the abstract, 0 as long as only its name was seen
    for index, chunk in enumerate(chunks):
        if chunk.page > 2:
            return _behind_title_page(chunks, body) if size is None else index
        if size is None and opens_abstract(chunk):
            size = chunk.size if len(chunk.words) > 2 else 0.0
        elif index > 0 and ((heading_level(chunk, body) and _is_section(chunk)) or _is_list(chunks, index, size)):
            return index
        elif size == 0.0:
            size = chunk.size
        elif _is_body(chunk, body) and not KEYWORDS.match(chunk.text):
            looks_the_same = size is None or abs(chunk.size - size) < 0.3
            if not looks_the_same or not _section_follows(chunks[index + 1 :], body):
                return index
    return _behind_title_page(chunks, body)


def _behind_title_page(chunks: Sequence[Chunk], body: Body) -> int:
    """The first chunk of the second page, if the first has large print and no running text."""
    first = [chunk for chunk in chunks if chunk.page == chunks[0].page]
    is_title_page = any(chunk.size >= 1.3 * body.size for chunk in first)
    is_title_page = is_title_page and not any(_is_body(chunk, body) or begins_item(chunk) for chunk in first)
    return len(first) if is_title_page and len(first) < len(chunks) else 0


def opens_abstract(chunk: Chunk) -> bool:
    """Whether a chunk is the name of the abstract, or begins with it."""
    found = _ABSTRACT.match(chunk.text)
    if not found:
        return False
    return len(chunk.words) <= 2 or found["mark"] is not None or chunk.lines[0].text.strip() == "Abstract"


def _is_list(chunks: Sequence[Chunk], index: int, size: float | None) -> bool:
    """Whether a chunk has two bullets or more, as slides do, and no abstract came or comes."""
    chunk = chunks[index]
    if size is not None or chunk.text[0] not in BULLETS or any(map(opens_abstract, chunks[index : index + _FRONT])):
        return False
    return sum(line.text[0] in BULLETS for line in chunk.lines) > 1


def _is_section(chunk: Chunk) -> bool:
    """Whether a heading begins the body: a numbered one, or a name that sections have."""
    return bool(NUMBERED.match(chunk.text)) or (is_known(chunk.text) and role_of(chunk.text) is None)


def _section_follows(chunks: Sequence[Chunk], body: Body) -> bool:
    """Whether the first section's heading still comes on the same page: what stands before it is an abstract."""
    for chunk in chunks:
        if chunk.page != chunks[0].page:
            break
        is_first = section_name(chunk.text) == "introduction" or re.match(r"(?:1|I)\b", chunk.text)
        if is_first and heading_level(chunk, body):
            return True
    return False


def _is_body(chunk: Chunk, body: Body) -> bool:
    """Whether a chunk is prose in the size of the running text."""
    return chunk.is_prose and len(chunk.words) >= 25 and abs(chunk.size - body.size) < 0.6


def _title(front: Sequence[Chunk], body: Body) -> set[int]:
    """The chunks that are the title: the largest on the first page, or the first bold one or the first in capitals."""
    first = [n for n, chunk in enumerate(front) if chunk.page == front[0].page and not _ABSTRACT.match(chunk.text)]
    candidates = [n for n in first if len(front[n].text) > 3 and not front[n].is_table]
    if not candidates:
        return set()
    largest = max(candidates, key=lambda n: front[n].size)
    if front[largest].size >= 1.15 * body.size:
        size = front[largest].size
        title = {largest}
        while largest + 1 in candidates and abs(front[largest + 1].size - size) < 0.3:
            largest += 1
            title.add(largest)
        return title
    return next(({n} for n in candidates if front[n].bold or front[n].text.isupper()), set())


def _kinds(front: Sequence[Chunk], title: set[int], body: Body) -> list[Kind]:
    """What stands before the body: the title, the abstract behind its name or, without a name, the prose."""
    kinds: list[Kind] = []
    unnamed = set() if any(opens_abstract(chunk) for chunk in front) else _unnamed_abstract(front, title)
    inside = False
    size = 0.0
    for index, chunk in enumerate(front):
        if index in title:
            kinds.append("title")
        elif is_caption(chunk, body):
            kinds.append("caption")
        elif KEYWORDS.match(chunk.text):
            inside = False
            kinds.append("front")
        elif opens_abstract(chunk):
            inside = True
            alone = len(chunk.words) <= 2
            size = 0.0 if alone else chunk.size
            kinds.append("label" if alone else "abstract")
        elif (
            inside
            and (not size or abs(chunk.size - size) < 0.6)
            and (chunk.is_prose or len(chunk.words) >= 8 or not size)
        ):
            size = size or chunk.size
            kinds.append("abstract")
        elif index in unnamed:
            kinds.append("abstract")
        else:
            kinds.append("front")
    return kinds


def _unnamed_abstract(front: Sequence[Chunk], title: set[int]) -> set[int]:
    """The prose that stands last before the body and is long enough: chunks of one size, most of them sentences."""
    found: list[int] = []
    for index in reversed(range(len(front))):
        chunk = front[index]
        belongs = chunk.is_prose or (chunk.is_ended and len(chunk.words) >= 3)
        if index not in title and belongs and (not found or abs(chunk.size - front[found[-1]].size) < 0.3):
            found.append(index)
        elif sum(len(front[n].words) for n in found) >= _SHORTEST_ABSTRACT:
            break
        else:
            found.clear()
    return set(found) if sum(len(front[n].words) for n in found) >= _SHORTEST_ABSTRACT else set()
