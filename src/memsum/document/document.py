"""What every reader makes of a file: a text, its blocks, and sentences with their offsets in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from memsum.document.records import DocumentRecord, SpanRecord

BlockKind = Literal[
    "title", "abstract", "heading", "paragraph", "item", "table", "code", "caption", "reference", "boilerplate"
]

MAX_PARTS = 500_000  # blocks, and sentences; each takes some hundred bytes of memory
CONTENTS = "a list of contents or links"  # reasons for which text is set aside
BACK_MATTER = "back matter"
NOTES = "notes"
SEARCHED = (BACK_MATTER, NOTES)  # for answers, though they are not quoted in summaries
# The kinds whose sentences are the running text.
RUNNING: frozenset[BlockKind] = frozenset({"paragraph", "item"})


class Box(NamedTuple):
    """A rectangle on a page, in the page's own units; a sentence has one for each line it touches."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


def rounded(boxes: Iterable[Box]) -> list[Box]:
    """Return boxes for JSON: to a hundredth of a unit."""
    return [Box(page, *(round(edge, 2) for edge in edges)) for page, *edges in boxes]


class TextLine(NamedTuple):
    """A stretch of the text that stands on one line of a page, and its rectangle there."""

    start: int
    end: int
    box: Box


class Sheet(NamedTuple):
    """The part of a page that is shown, in the units of its boxes, y upwards; then turned by `rotation` degrees."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int = 0  # clockwise: 0, 90, 180 or 270

    @property
    def size(self) -> tuple[float, float]:
        """Return width and height as the page is shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.rotation % 180 else (width, height)

    def shares(self, box: Box) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a box on the page as it is shown: from 0 to 1, y downwards."""
        width, height = self.right - self.left, self.top - self.bottom
        across = sorted((edge - self.left) / width for edge in (box.left, box.right))
        up = sorted((edge - self.bottom) / height for edge in (box.top, box.bottom))
        x, y = {0: (across, _turned(up)), 90: (up, across), 180: (_turned(across), up)}.get(
            self.rotation, (_turned(up), _turned(across))
        )
        left, right, top, bottom = (min(max(edge, 0.0), 1.0) for edge in (*x, *y))
        return left, top, right, bottom


def _turned(edges: Sequence[float]) -> list[float]:
    return [1 - edge for edge in reversed(edges)]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A verbatim piece of the document: `document.text[start:end] == text`; in a transcript `speaker` says it.

    `lead_in` is the index, in the document's sentences, of the one that introduces the list this sentence is an item
    of: without it, the item may mean the opposite. `is_cut` marks a part of a sentence of which another part, such as
    code, is not running text. `time` is when it is said, as the document writes it.
    """

    text: str
    start: int
    end: int
    section: str | None = None
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    speaker: str | None = None
    is_item: bool = False
    lead_in: int | None = None
    is_cut: bool = False
    time: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the text and what it is; `section` is the nearest heading above.

    `level` is that of a heading, or how deep the list is that an item is in; 0 if that is not known; of a row of a
    table, whether it has heads (see `memsum.document.tables`). A turn of a transcript has a `speaker`, and a `time`
    where one is given. What is set aside as boilerplate has a `reason`, such as "a table of contents".
    """

    kind: BlockKind
    start: int
    end: int
    section: str | None = None
    level: int = 0
    speaker: str | None = None
    reason: str | None = None
    time: str | None = None


class Fact(NamedTuple):
    """A "status", "version", "date" or "authors" that a document states, and where the line is that says it."""

    name: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """A text and its structure: `sentences` are the running text's, `abstract` the abstract's; blocks mark the rest.

    `language` is an ISO 639 code, None where the text does not tell. `sheets` are the pages, where the format has any,
    `authors` the names of those who wrote it, where that is sure, `facts` what its head states: status, version, date.
    `lines` are those of its pages, in the order of the text.
    """

    text: str
    blocks: tuple[Block, ...]
    sentences: tuple[Sentence, ...]
    abstract: tuple[Sentence, ...] = ()
    title: str | None = None
    format: str = "plain"
    warnings: tuple[str, ...] = ()
    language: str | None = None
    sheets: tuple[Sheet, ...] = ()
    authors: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    lines: tuple[TextLine, ...] = ()

    def __post_init__(self) -> None:
        _check_order(self.blocks, len(self.text))
        _check_order(self.lines, len(self.text))
        for sentences in (self.sentences, self.abstract):
            _check_order(sentences, len(self.text))
            for sentence in sentences:
                if self.text[sentence.start : sentence.end] != sentence.text:
                    raise ValueError(f"the sentence at {sentence.start} is not what the text says there")

    def __repr__(self) -> str:
        """Short: a document may be a book."""
        count = len(self.sentences)
        name = shorten(self.title if self.title is not None else self.text[:200], 60, placeholder="…")
        return f"Document({name!r}, {count:,} sentence{'' if count == 1 else 's'}, format={self.format!r})"

    @classmethod
    def from_sentences(cls, sentences: Iterable[str], language: str | None = None) -> Document:
        """Return a document of split sentences: each is kept as it is, one per line, even an empty one."""
        from memsum.languages.detection import detect_language  # reads profiles of languages

        kept: list[Sentence] = []
        start = 0
        for text in sentences:
            kept.append(Sentence(text, start, start + len(text)))
            start += len(text) + 1
        blocks = tuple(Block("paragraph", sentence.start, sentence.end) for sentence in kept)
        text = "\n".join(sentence.text for sentence in kept)
        return cls(text, blocks, tuple(kept), format="sentences", language=language or detect_language(text))

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """Return the rectangles of a stretch of the text, one per line.

        A part of a line is measured by the usual widths of characters: half of its edges are exact to 1.4 points, 90 %
        to 4.4, on 14 papers.
        """
        first = bisect_right(self.lines, start, key=lambda line: line.end)
        found = []
        for line in self.lines[first : bisect_left(self.lines, end, key=lambda line: line.start)]:
            box = line.box
            across = box.right - box.left
            is_cut = start > line.start or end < line.end
            if is_cut and across > abs(box.top - box.bottom):  # else it is turned
                unit = across / _width(self.text[line.start : line.end])
                left = box.left + unit * _width(self.text[line.start : max(start, line.start)])
                box = box._replace(left=left, right=box.right - unit * _width(self.text[min(end, line.end) : line.end]))
            found.append(box)
        return tuple(found)

    def to_dict(self, *, boxes: bool = False) -> DocumentRecord:
        """Return JSON: what `memsum text --format json` prints; `boxes` on request."""
        record: DocumentRecord = {
            "text": self.text,
            "format": self.format,
            "blocks": [self._record(block, boxes=boxes) for block in self.blocks],
            "sentences": [self._record(sentence, boxes=boxes) for sentence in self.sentences],
        }
        if self.title:
            record["title"] = self.title
        if self.language:
            record["language"] = self.language
        if self.sheets:
            sizes = [sheet.size for sheet in self.sheets]
            record["pages"] = [{"number": n, "width": wide, "height": high} for n, (wide, high) in enumerate(sizes, 1)]
        if self.warnings:
            record["warnings"] = list(self.warnings)
        return record

    def _record(self, span: Block | Sentence, *, boxes: bool) -> SpanRecord:
        record: SpanRecord = {"start": span.start, "end": span.end}
        if isinstance(span, Block):
            record["kind"] = span.kind
            if span.level:
                record["level"] = span.level
        if span.section is not None:
            record["section"] = span.section
        if span.speaker is not None:
            record["speaker"] = span.speaker
        if found := span.boxes if isinstance(span, Sentence) else self.boxes(span.start, span.end):
            record["page"] = found[0].page
            if boxes:
                record["boxes"] = rounded(found)
        return record

    def top_sections(self) -> list[tuple[str | None, tuple[Sentence, ...]]]:
        """Return the running text by top-level section, in order; sentences before the first heading have no name."""
        headings = [block for block in self.blocks if block.kind == "heading"]
        top = min((heading.level for heading in headings), default=0)
        headings = [heading for heading in headings if heading.level == top]
        names = [None, *(self.text[heading.start : heading.end] for heading in headings)]
        bounds = [0, *(heading.start for heading in headings), len(self.text) + 1]
        starts = [sentence.start for sentence in self.sentences]
        cuts = [bisect_left(starts, bound) for bound in bounds]
        parts = zip(names, cuts[:-1], cuts[1:], strict=True)
        return [(name, self.sentences[first:stop]) for name, first, stop in parts if first < stop]


# Widths of characters in usual fonts, in those of small letters.
_WIDTHS = {**dict.fromkeys("iljtfrI.,;:'’|!()[]-/ ", 0.6), **dict.fromkeys("mwMW", 1.6)}


def _width(text: str) -> float:
    return sum(_WIDTHS.get(character, 1.35 if character.isupper() else 1.0) for character in text)


def _check_order(spans: Sequence[Block] | Sequence[Sentence] | Sequence[TextLine], length: int) -> None:
    at = 0
    for span in spans:
        if not at <= span.start <= span.end <= length:
            raise ValueError(f"a span from {span.start} to {span.end} is out of order in a text of {length} characters")
        at = span.end
