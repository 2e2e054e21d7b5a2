"""What each chunk of a PDF is: front matter, heading, caption, footnote, table, reference, or running text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memsum.document.readers.pdf.chunks import (
    BULLETS,
    CAPTION,
    NUMBERED,
    WORD,
    Body,
    Chunk,
    Kind,
    begins_item,
    distance,
    is_formula,
)
from memsum.document.readers.plain import is_field, is_to_be_signed
from memsum.languages.section_names import is_section_name, section_name, section_role

_NOTE_MARK = re.compile(r"[*†‡§¶∗]|\(?\d{1,2}\)?[.\s]?[A-Z(]|[a-z]\s?[A-Z]")
_APART = 1.8  # em; formulas and the words in figures begin that far behind the edge of their column
_ALIKE = 0.3  # points between the sizes of a caption and of its end in the next column
_FULL = 6.0  # em; a line that ends closer to the edge of its column goes on in the next
_NOTES_SHARE = 0.6  # of a column's lines; more small print than that is text


class Labeled(NamedTuple):
    """A chunk and what it is; `level` is that of a heading."""

    chunk: Chunk
    kind: Kind
    level: int = 0


def classify(chunks: Sequence[Chunk], body: Body) -> list[Labeled]:
    """Say what every chunk is, in reading order."""
    start = _with_heading(chunks, body_start(chunks, body), body)
    front = chunks[:start]
    are_captions = [is_caption(chunk, body) for chunk in chunks]
    labeled = [Labeled(*pair) for pair in zip(front, _front_kinds(front, _title(front, body), body), strict=True)]
    notes = _footnotes(chunks[start:], body)
    unnamed = find_references(chunks)
    in_references = False
    for index in range(start, len(chunks)):
        chunk = chunks[index]
        level = heading_level(chunk, body)
        if level:
            labeled.append(Labeled(chunk, "heading", level))
            in_references = section_role(chunk.text, in_any_language=True) == "reference"
        elif in_references or index >= unnamed:
            labeled.append(Labeled(chunk, "caption" if are_captions[index] else "reference"))
        else:
            near = range(index + 1, min(index + 5, len(chunks)))
            following = next((at for at in near if len(chunks[at].words) > 4), 0)
            kind: Kind = "caption"
            if not are_captions[index]:
                before_caption = following > 0 and are_captions[following]
                kind = _kind(chunk, body, labeled, is_note=id(chunk) in notes, before_caption=before_caption)
            labeled.append(Labeled(chunk, kind))
    return _with_levels(_with_title(labeled, body))


def _with_title(labeled: list[Labeled], body: Body) -> list[Labeled]:
    """Take the large first line for the title where none was found, and what stands between it and the text apart."""
    if any(label.kind == "title" for label in labeled) or not labeled or labeled[0].kind != "heading":
        return labeled
    first = labeled[0].chunk
    if first.size < 1.15 * body.size or _is_section(first) or section_role(first.text):
        return labeled
    kept = [labeled[0]._replace(kind="title", level=0)]
    for label in labeled[1:]:
        chunk = label.chunk
        if label.kind != "heading" or chunk.size >= first.size or _is_section(chunk) or is_section_name(chunk.text):
            break
        kept.append(label._replace(kind="front", level=0))
    return kept + labeled[len(kept) :]


def _with_levels(labeled: list[Labeled]) -> list[Labeled]:
    """Give headings without a number and a known name the level of those that look like them."""
    levels: dict[tuple[float, bool, bool, bool], Counter[int]] = {}
    for label in labeled:
        if label.kind == "heading" and (NUMBERED.match(label.chunk.text) or is_section_name(label.chunk.text)):
            levels.setdefault(_look(label.chunk), Counter())[label.level] += 1
    found = {look: counts.most_common(1)[0][0] for look, counts in levels.items()}
    return [
        label._replace(level=found.get(_look(label.chunk), label.level))
        if label.kind == "heading" and not NUMBERED.match(label.chunk.text)
        else label
        for label in labeled
    ]


def _look(chunk: Chunk) -> tuple[float, bool, bool, bool]:
    return round(chunk.size * 2) / 2, chunk.bold, chunk.italic, chunk.text.isupper()


def _footnotes(chunks: Sequence[Chunk], body: Body) -> set[int]:
    """Return the small print at the foot of columns."""
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


def _kind(chunk: Chunk, body: Body, before: Sequence[Labeled], *, is_note: bool, before_caption: bool) -> Kind:
    """Return what a chunk of the body is that is no heading, no caption and no reference."""
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
    if chunk.is_code:
        return "code"
    if chunk.is_table:
        return "table"
    if all(is_formula(line, body) for line in chunk.lines):
        return "formula"
    if is_to_be_signed(chunk.text) or (is_field(chunk.text) and all(label.kind != "text" for label in before)):
        return "stray"
    if _ADMONITION.fullmatch(chunk.text) or (chunk.size > 1.15 * body.size and _PULLED.fullmatch(chunk.text)):
        return "stray"
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


_ABSTRACT = re.compile(r"(?:abstract|summary)\s*(?P<mark>[-–—:.])*\s*", re.IGNORECASE)
KEYWORDS = re.compile(
    r"(?:key\s?words?(?: and phrases)?|index terms|ccs concepts|acm reference format|pacs\b|jel\b|msc\b"
    r"|(?:\d{4} )?mathematics subject classification|general terms|additional key words)\b",
    re.IGNORECASE,
)
_SHORTEST_ABSTRACT = 40  # words
_LONGEST_BYLINE = 12  # words, which may stand between a heading and its text
_FRONT = 12  # chunks in which an abstract may still come


def body_start(chunks: Sequence[Chunk], body: Body) -> int:
    """Return the first chunk behind title, authors and abstract: a heading, or running text as the rest has it."""
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
        elif (_is_body(chunk, body) or _is_sentence(chunks, index, size, body)) and not KEYWORDS.match(chunk.text):
            looks_the_same = size is None or abs(chunk.size - size) < 0.3
            if not looks_the_same or not _section_follows(chunks[index + 1 :], body):
                return index
    return _behind_title_page(chunks, body)


def _with_heading(chunks: Sequence[Chunk], start: int, body: Body) -> int:
    """Return where the body begins, the heading above its first text included: that of an article or a slide."""
    if not 1 < start < len(chunks) or any(map(opens_abstract, chunks[:start])):
        return start
    largest = max(chunk.size for chunk in chunks[:start])
    for index in range(start - 1, max(start - 3, 0), -1):
        chunk = chunks[index]
        if len(chunk.words) > _LONGEST_BYLINE:
            break
        is_named = chunk.page > chunks[0].page or any(word[0].islower() and len(word) > 3 for word in chunk.words)
        is_styled = chunk.bold or chunk.size >= _LARGER * body.size
        if is_styled and is_named and chunk.size < largest - _ALIKE and heading_level(chunk, body):
            return index
    return start


def _behind_title_page(chunks: Sequence[Chunk], body: Body) -> int:
    """Return the first chunk of the second page, if the first has large print and no running text."""
    first = [chunk for chunk in chunks if chunk.page == chunks[0].page]
    is_title_page = any(chunk.size >= 1.3 * body.size for chunk in first)
    is_title_page = is_title_page and not any(_is_body(chunk, body) or begins_item(chunk) for chunk in first)
    return len(first) if is_title_page and len(first) < len(chunks) else 0


def opens_abstract(chunk: Chunk) -> bool:
    """Tell whether a chunk is the name of the abstract, or begins with it."""
    found = _ABSTRACT.match(chunk.text)
    if not found:
        return False
    return len(chunk.words) <= 2 or found["mark"] is not None or chunk.lines[0].text.strip() == "Abstract"


def _is_list(chunks: Sequence[Chunk], index: int, size: float | None) -> bool:
    """Tell whether a chunk has two bullets or more, as slides do, and no abstract came or comes."""
    chunk = chunks[index]
    if size is not None or chunk.text[0] not in BULLETS or any(map(opens_abstract, chunks[index : index + _FRONT])):
        return False
    return sum(line.text[0] in BULLETS for line in chunk.lines) > 1


def _is_section(chunk: Chunk) -> bool:
    """Tell whether a heading begins the body: a numbered one, or a name that sections have."""
    return bool(NUMBERED.match(chunk.text)) or (is_section_name(chunk.text) and section_role(chunk.text) is None)


def _section_follows(chunks: Sequence[Chunk], body: Body) -> bool:
    """Tell whether the first section's heading still comes on the same page: what stands before it is an abstract."""
    for chunk in chunks:
        if chunk.page != chunks[0].page:
            break
        is_first = section_name(chunk.text) == "introduction" or re.match(r"(?:1|I)\b", chunk.text)
        if is_first and heading_level(chunk, body):
            return True
    return False


def _is_body(chunk: Chunk, body: Body) -> bool:
    """Tell whether a chunk is prose in the size of the running text."""
    return chunk.is_prose and len(chunk.words) >= 25 and abs(chunk.size - body.size) < 0.6


def _is_sentence(chunks: Sequence[Chunk], index: int, size: float | None, body: Body) -> bool:
    """Tell whether a text without an abstract begins with a chunk that is short, but a sentence."""
    chunk = chunks[index]
    if size is not None or not chunk.is_prose or not chunk.is_ended or abs(chunk.size - body.size) >= _ALIKE:
        return False
    return not any(map(opens_abstract, chunks[index : index + _FRONT]))


def _title(front: Sequence[Chunk], body: Body) -> set[int]:
    """Find the chunks of the title: the largest on the first page, or the first bold one or the first in capitals."""
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


def _front_kinds(front: Sequence[Chunk], title: set[int], body: Body) -> list[Kind]:
    """Return what stands before the body: the title, the abstract behind its name or, without a name, the prose."""
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
    """Find the prose that stands last before the body and is long enough: chunks of one size, mostly sentences."""
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


SMALLER = 0.93  # of the body's size; smaller print is no running text
_LARGER, _SMALLEST = 1.08, 0.85
_LONGEST = 25  # words
_PULLED = re.compile(r"[“\"‘«„].*[”\"’»“]")  # words of the text repeated in large print
_ADMONITION = re.compile(
    r"(?:warning|caution|danger|notice|note|tip|hint|important|attention|achtung|hinweis|warnung|vorsicht)s?\s?[!:.]?",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"[=<>≤≥∈⊗⊤∑∂∇∫√←→{}\\]")  # few headings have such signs


def heading_level(chunk: Chunk, body: Body) -> int:
    """Return the level of a heading, 0 for anything else: short, set apart, and styled, numbered or named like one."""
    if len(chunk.lines) > 4 or len(chunk.words) > _LONGEST:
        return 0
    text = chunk.text.strip()
    letters = sum(map(str.isalpha, text))
    if letters < 3 or chunk.is_table or chunk.is_code or CAPTION.match(text):
        return 0
    if text[-1] in ",;:" or _PULLED.fullmatch(text) or _ADMONITION.fullmatch(text):
        return 0
    number = NUMBERED.match(text)
    if _FORMULA.search(text) and not (number and chunk.bold):
        return 0
    if letters < 0.5 * len(text[number.end() if number else 0 :].replace(" ", "")):
        return 0
    if text[0].islower() and chunk.size < 1.15 * body.size:
        return 0
    depth = _depth(number) if number else 0
    named = is_section_name(text)
    size = chunk.size / body.size
    capitals = text.isupper()
    if text.endswith(".") and not (number and (named or capitals)):
        return 0
    if size >= _LARGER or (named and size > SMALLER) or (chunk.bold and (size > SMALLER or number or named)):
        return depth or (1 if size >= 1.15 or capitals or named else 2)
    if size <= _SMALLEST or letters < 5 or len(chunk.words) > 12:
        return 0
    if number and chunk.italic and number["number"].isdecimal():
        return 3
    if number:
        return depth if capitals or chunk.italic or "." in number["number"] else 0
    return 2 if (chunk.italic or capitals) and size > SMALLER else 0


def _depth(number: re.Match[str]) -> int:
    """Return the level that a section's number shows: "2.1" is 2, "IV." is 1, "B." is 2."""
    shown = number["number"]
    if number["appendix"]:
        return 1
    if shown[0].isdigit():
        return shown.count(".") + 1
    return 1 if set(shown) <= set("IVX") or not number["mark"] else 2


def is_caption(chunk: Chunk, body: Body) -> bool:
    """Tell whether a chunk begins with a figure's or table's number, and does not merely speak of it."""
    found = CAPTION.match(chunk.text)
    if not found:
        return False
    small = chunk.size < SMALLER * body.size
    if found["label"][:4].lower() in ("algo", "list") and not (chunk.is_prose and chunk.is_ended):
        return True
    return found["mark"] is not None or small or found["label"].split()[0].isupper() or len(chunk.lines[0].text) < 12


_ENTRY = re.compile(r"(?:\[(?P<bracket>\d{1,3})\]|(?P<dot>\d{1,3})\.?(?=\s*[A-Z]))")
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_FEWEST = 5


def find_references(chunks: Sequence[Chunk]) -> int:
    """Return the chunk with which an unnamed list of references begins, or the number of chunks."""
    numbered: list[tuple[int, int]] = []
    for index, chunk in enumerate(chunks):
        for line in chunk.lines:
            if found := _ENTRY.match(line.text):
                numbered.append((int(found["bracket"] or found["dot"]), index))
    starts = [at for at, (number, _) in enumerate(numbered) if number == 1]
    for at in reversed(starts):
        expected = 1
        for number, _ in numbered[at:]:
            expected += number == expected
        start = numbered[at][1]
        entries = expected - 1
        if entries >= _FEWEST and _is_last(chunks[start:], entries):
            years = sum(len(_YEAR.findall(chunk.text)) for chunk in chunks[start:])
            if years >= 0.6 * entries:
                return start
    return len(chunks)


def _is_last(chunks: Sequence[Chunk], entries: int) -> bool:
    """Tell whether there is little but the entries: no more words than such a list has."""
    return len(_ENTRY.findall(chunks[0].text[:8])) > 0 and sum(len(chunk.words) for chunk in chunks) < 60 * entries
