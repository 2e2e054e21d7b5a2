"""From labelled lines to paragraphs, and from paragraphs to one text that can be mapped back to the page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memsum.document.document import Block, BlockKind, Box
from memsum.document.readers.pdf.chunks import BULLETS, Body, Kind, is_ended
from memsum.document.readers.pdf.classify import KEYWORDS, Labelled
from memsum.document.readers.pdf.hyphens import Hyphens
from memsum.document.readers.pdf.lines import Line

_KINDS: dict[Kind, BlockKind] = {
    "title": "title",
    "front": "boilerplate",
    "label": "boilerplate",
    "abstract": "abstract",
    "heading": "heading",
    "caption": "caption",
    "note": "boilerplate",
    "table": "boilerplate",
    "code": "boilerplate",
    "stray": "boilerplate",
    "reference": "reference",
    "text": "paragraph",
}
_FLOATING: frozenset[Kind] = frozenset({"caption", "note", "table", "code", "stray"})
_BULLET = re.compile(rf"[{BULLETS}·*–—-]\s+(?=\S)|[{BULLETS}](?=\w)")
_LABEL = re.compile(r"(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,3}\])\s+(?=\S)|\d{1,3}(?=[A-Z]\.)")
_RUN_IN = re.compile(r"(?:abstract|summary)\s*[-–—:.]*\s*", re.IGNORECASE)
_RUN_IN_HEADING = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?\s+)?[A-Z(][^.!?]{2,100}[.:—–]?\s*|\d[^!?]{2,100}[.:]\s*")
_STATEMENT = re.compile(
    r"(?:theorem|lemma|proof|definition|proposition|corollary|remark|example|claim|assumption|note|step|case|property)\b",
    re.IGNORECASE,
)
_RUN_IN_LEVEL = 4
_MOST_WORDS = 14  # of a heading in the line of its text
_MOST_UNENDED = 6  # of one that neither ends with a mark nor has a number
_INDENT = 0.7  # em
_SHORT = 1.5  # em before the right edge; a line that ends earlier ended on purpose


class Span(NamedTuple):
    """A range of characters of a line."""

    line: Line
    start: int
    stop: int

    @property
    def text(self) -> str:
        return self.line.text[self.start : self.stop]


@dataclass(slots=True)
class Paragraph:
    """A block whose lines are still being collected."""

    kind: BlockKind
    spans: list[Span] = field(default_factory=list)
    level: int = 0
    mark: float | None = None  # where the mark of a list item stands

    def is_left_by(self, line: Line, em: float) -> bool:
        """Tell whether a line begins before the lines of a list item do."""
        last = self.spans[-1].line
        if self.mark is None or line.region != last.region:
            return False
        if last.shortfall < _SHORT * em and not is_ended(last.text):
            return False
        hangs = len(self.spans) > 1 and self.spans[1].line.left > self.mark + _INDENT * em
        return line.left < self.mark - _INDENT * em or (hangs and line.left < self.mark + _INDENT * em / 2)


def make_paragraphs(labelled: Sequence[Labelled], body: Body) -> list[Paragraph]:
    """Return the blocks in reading order."""
    done: list[Paragraph] = []
    floats: list[Paragraph] = []
    current: Paragraph | None = None
    kind: Kind | None = None
    for item in labelled:
        if item.kind == "code" and current and current.spans[-1].line.region == item.chunk.region:
            done.extend([current, *floats, _whole(item)])  # it stands in the text, unlike one in a figure
            floats.clear()
            current = None
            continue
        if item.kind in _FLOATING:
            floats.append(_whole(item))
            continue
        if item.kind != kind or item.kind in ("heading", "front"):
            done.extend([current] if current else [])
            done.extend(floats)
            floats.clear()
            current, kind = None, item.kind
        if item.kind not in ("text", "abstract", "reference"):
            if current and item.kind == "title":
                current.spans.extend(_whole(item).spans)
            else:
                done.extend([current] if current else [])
                current = _whole(item)
            continue
        for line, before in zip(item.chunk.lines, (None, *item.chunk.lines), strict=False):
            begun = _begin(line, before, current, _KINDS[item.kind], body)
            if begun is None and current:
                current.spans.append(Span(line, 0, len(line.text)))
                continue
            done.extend([current] if current else [])
            done.extend(floats)
            floats.clear()
            current = begun
            if begun and begun.kind == "paragraph" and (heading := _run_in(begun)):
                done.append(heading)
    done.extend([current] if current else [])
    done.extend(floats)
    return done


def _run_in(paragraph: Paragraph) -> Paragraph | None:
    """Return the heading in the first line of a paragraph, which is taken from it: a few words set unlike the rest."""
    line, start, stop = paragraph.spans[0]
    end, bold = line.styled()
    if not 3 <= end < stop or line.text[end - 1] not in " .:—–":
        return None
    text, rest = line.text[start:end].strip(), line.text[end:].lstrip()
    if not _RUN_IN_HEADING.fullmatch(text) or len(text.split()) > _MOST_WORDS or not rest[:1].isupper():
        return None
    if text[-1] not in ".:—–" and not (bold and (text[0].isdigit() or len(text.split()) <= _MOST_UNENDED)):
        return None
    paragraph.spans[0] = Span(line, end, stop)
    kind: BlockKind = "boilerplate" if _STATEMENT.match(text) else "heading"
    return Paragraph(kind, [Span(line, start, end)], _RUN_IN_LEVEL if kind == "heading" else 0)


def _whole(item: Labelled) -> Paragraph:
    spans = [Span(line, 0, len(line.text)) for line in item.chunk.lines]
    return Paragraph(_KINDS[item.kind], spans, item.level)


def _begin(line: Line, before: Line | None, current: Paragraph | None, kind: BlockKind, body: Body) -> Paragraph | None:
    """Return the paragraph that begins with a line, or None if the line goes on with the current one."""
    last = current.spans[-1].line if current else None
    em = body.size
    if kind == "abstract":
        if KEYWORDS.match(line.text) or (current and current.kind == "boilerplate" and before is not None):
            return None if current and current.kind == "boilerplate" else Paragraph("boilerplate", [_span(line)])
        found = _RUN_IN.match(line.text)
        if current is None and found:
            return Paragraph(kind, [Span(line, found.end(), len(line.text))])
    elif mark := _mark(line, last, body):
        start = mark if kind == "paragraph" else 0
        item: BlockKind = "item" if kind == "paragraph" else kind
        return Paragraph(item, [Span(line, start, len(line.text))], mark=line.left)
    if current is None or last is None:
        return Paragraph(kind, [_span(line)])
    if current.is_left_by(line, em):
        return Paragraph(kind, [_span(line)])
    starts = _starts(line, before, last, current, em)
    return Paragraph(kind, [_span(line)]) if starts else None


def _starts(line: Line, before: Line | None, last: Line, current: Paragraph, em: float) -> bool:
    """Tell whether a paragraph begins: by an indent, a gap, or a last line that ended on purpose."""
    ended = is_ended(last.text)
    continues = not ended and line.text[:1].islower()
    first = len(current.spans) == 1
    if before is not None:
        if current.mark is not None:
            return False
        if current.kind == "reference":
            return not first and line.left < last.left - _INDENT * em
        if line.left > last.left + _INDENT * em and not first:
            return not continues or last.shortfall > 3 * em
        if first and line.left > last.left + _INDENT * em:
            return ended and last.shortfall > _SHORT * em
        least = 0.25 if ended else 0.35
        return last.shortfall > least * (last.column_right - last.column_left) and line.text[:1].isupper()
    if line.region == last.region:
        return not continues
    if not ended:
        return not continues and line.indent > _INDENT * em and last.shortfall > _SHORT * em
    return current.mark is not None or line.indent > _INDENT * em or last.shortfall > _SHORT * em


def _mark(line: Line, last: Line | None, body: Body) -> int:
    """Return how many characters the mark of a list item takes, 0 if there is none."""
    if line.text[:1].isupper():
        return 0
    if found := _BULLET.match(line.text):
        bullet = line.text[0]
        return (
            found.end()
            if bullet not in "*–—-" or last is None or is_ended(last.text) or line.indent > 0.5 * body.size
            else 0
        )
    found = _LABEL.match(line.text)
    if found and (last is None or is_ended(last.text) or last.text[-1] in ";," or last.text.endswith(" and")):
        return (
            found.end()
            if line.indent > 0.3 * body.size or line.text[0] == "[" or last is None or last.indent > body.size
            else 0
        )
    return 0


def _span(line: Line) -> Span:
    return Span(line, 0, len(line.text))


_GAP = "\n\n"


class Composer:
    """Collects the text and remembers which character of which line stands where."""

    def __init__(self, hyphens: Hyphens) -> None:
        self._hyphens = hyphens
        self._parts: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._spans: list[Span] = []
        self.blocks: list[Block] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, paragraph: Paragraph) -> None:
        """Append a block; one without text is left out."""
        spans = [trimmed for span in paragraph.spans if (trimmed := _trimmed(span))]
        if not spans:
            return
        if self.blocks:
            self._append(_GAP)
        start = self._length
        for span, following in zip(spans, (*spans[1:], None), strict=True):
            if following is None:
                self._place(span)
                continue
            joint = self._hyphens.joint(span.text, following.text)
            self._place(span if joint != "-" else Span(span.line, span.start, span.stop - 1))
            self._append("" if joint == "-" else joint)
        self.blocks.append(Block(paragraph.kind, start, self._length, level=paragraph.level))

    def locate(self, start: int, stop: int) -> tuple[Box, ...]:
        """Return the rectangles of a stretch of the text, one for each line it touches."""
        boxes: list[Box] = []
        for index in range(max(bisect_right(self._starts, start) - 1, 0), len(self._starts)):
            begun, span = self._starts[index], self._spans[index]
            if begun >= stop:
                break
            first = span.start + max(start - begun, 0)
            box = span.line.box(first, min(span.stop, span.start + stop - begun)) if first < span.stop else None
            boxes.extend([box] if box else [])
        return tuple(boxes)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _place(self, span: Span) -> None:
        self._starts.append(self._length)
        self._spans.append(span)
        self._append(span.text)


def _trimmed(span: Span) -> Span | None:
    """Return the span without white space around it, nothing if it is empty."""
    text = span.text
    if text and text[0] != " " and text[-1] != " ":
        return span
    start = span.start + len(text) - len(text.lstrip())
    stop = span.start + len(text.rstrip())
    return Span(span.line, start, stop) if start < stop else None
