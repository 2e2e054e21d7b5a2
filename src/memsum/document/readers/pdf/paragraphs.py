"""From labeled lines to paragraphs, and from paragraphs to one text that can be mapped back to the page."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import NamedTuple

from memsum.document.document import Block, BlockKind, Box, TextLine
from memsum.document.readers.pdf.chunks import BULLETS, Body, Chunk, Kind, distance, is_ended
from memsum.document.readers.pdf.classify import KEYWORDS, Labeled
from memsum.document.readers.pdf.hyphens import Hyphens
from memsum.document.readers.pdf.lines import Cell, Line, cells_of
from memsum.document.tables import add_table, is_prose
from memsum.languages import word_set
from memsum.languages.stop_words import DANGLING

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
    "formula": "boilerplate",
    "stray": "boilerplate",
    "reference": "reference",
    "text": "paragraph",
}
_FLOATING: frozenset[Kind] = frozenset({"caption", "note", "table", "code", "formula", "stray"})
_TABULAR: frozenset[Kind] = frozenset({"table", "stray"})  # the heads of a table's columns are no row by themselves
_FEWEST_ROWS = 3  # below each other, that are surely those of a table
_WRAPPED = 1.35  # em; a line that close to a row, with fewer cells, may be part of it
_BULLET = re.compile(rf"[{BULLETS}·*–—-]\s+(?=\S)|[{BULLETS}](?=\w)")
_LABEL = re.compile(r"(?:\(?(?P<label>\d{1,2}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,3}\])\s+(?=\S)|\d{1,3}(?=[A-Z]\.)")
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+(?=[A-Z“])")
_RUN_IN = re.compile(r"(?:abstract|summary)\s*[-–—:.]*\s*", re.IGNORECASE)
_RUN_IN_HEADING = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?\s+)?[A-Z(][^.!?]{2,100}[.:—–]?\s*|\d[^!?]{2,100}[.:]\s*")
_STATEMENT = re.compile(
    r"(?:theorem|lemma|proof|definition|proposition|corollary|remark|example|claim|assumption|note|step|case|property)\b",
    re.IGNORECASE,
)
_RUN_IN_LEVEL = 4
_MOST_WORDS = 14  # of a heading in the line of its text
_MOST_UNENDED = 6  # of one that neither ends with a mark nor has a number
_READS_ON = word_set("of against under between among can may must using utilizing")
_INDENT = 0.7  # em
_SHORT = 1.5  # em before the right edge; a line that ends earlier ended on purpose
_LONGEST_LIST = 12  # lines of a list that has no bullets, or of an item of it
_SET_IN = 1.0  # em; a list whose bullets are drawn begins at least that far behind the edge of its column


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
    label: str = ""  # the number or letter of a list item
    is_unmarked: bool = False  # an item whose bullet, if it has one, is drawn

    def is_left_by(self, line: Line, em: float) -> bool:
        """Tell whether a line begins before the lines of a list item do."""
        last = self.spans[-1].line
        if self.mark is None or line.region != last.region:
            return False
        if last.shortfall < _SHORT * em and not is_ended(last.text):
            return False
        if len(self.spans) == 1 and self.label and line.left < self.mark + _INDENT * em / 2:
            return is_ended(last.text) and _had_room(last, line, em)
        hangs = len(self.spans) > 1 and self.spans[1].line.left > self.mark + _INDENT * em
        return line.left < self.mark - _INDENT * em or (hangs and line.left < self.mark + _INDENT * em / 2)


def make_paragraphs(labeled: Sequence[Labeled], body: Body) -> list[Paragraph]:
    """Return the blocks in reading order."""
    done: list[Paragraph] = []
    floats: list[Paragraph] = []
    rows = _rows(labeled)
    current: Paragraph | None = None
    kind: Kind | None = None
    is_cut = False  # a formula stands between the current text and what follows

    def close(*more: Paragraph) -> None:
        """End the current block, which what floats beside it follows."""
        nonlocal current
        done.extend([*([current] if current else []), *floats, *more])
        floats.clear()
        current = None

    for item in labeled:
        if item.kind == "code" and current and current.spans[-1].line.region == item.chunk.region:
            close(_whole(item))  # it stands in the text, unlike one in a figure
            continue
        if item.kind in _FLOATING:
            floats.extend(_floating(item, rows))
            is_cut = is_cut or (
                item.kind == "formula" and current is not None and current.spans[-1].line.region == item.chunk.region
            )
            continue
        if is_cut and current and not _reads_on(current, item.chunk):
            close()
        is_cut = False
        if item.kind != kind or item.kind in ("heading", "front"):
            close()
            kind = item.kind
        if item.kind not in ("text", "abstract", "reference"):
            if current and item.kind == "title":
                current.spans.extend(_whole(item).spans)
            else:
                done.extend([current] if current else [])
                current = _whole(item)
            continue
        lines = item.chunk.lines
        for at, line in enumerate(lines):
            begun = _begin(line, lines[at - 1] if at else None, current, _KINDS[item.kind], body)
            if begun and begun.kind == "paragraph" and _is_set_in(lines[at:], body) and _is_listed(line, current):
                begun.kind, begun.is_unmarked = "item", True
            if begun is None and current:
                current.spans.append(_span(line))
                continue
            close()
            current = begun
            if begun and begun.kind == "paragraph" and (heading := _run_in(begun)):
                done.append(heading)
    close()
    return done


def _floating(item: Labeled, rows: dict[int, Paragraph]) -> list[Paragraph]:
    """Return the rows of a table among some lines, and the other lines together."""
    found: list[Paragraph] = []
    for line in item.chunk.lines:
        if row := rows.get(id(line)):
            found.append(row)
        elif found and found[-1].kind != "table":
            found[-1].spans.append(_span(line))
        else:
            found.append(Paragraph(_KINDS[item.kind], [_span(line)]))
    return found


def _rows(labeled: Sequence[Labeled]) -> dict[int, Paragraph]:
    """Return the rows that are surely those of tables: lines below each other with as many cells, each in its column.

    Cells of several lines, and those that hold sentences, are not sure.
    """
    found: dict[int, Paragraph] = {}
    for (is_tabular, _), items in groupby(labeled, key=lambda item: (item.kind in _TABULAR, item.chunk.region)):
        lines = [line for item in items for line in item.chunk.lines] if is_tabular else []
        if sum(line.cells > 1 for line in lines) < _FEWEST_ROWS:
            continue
        cells = {id(line): cells_of(line) for line in lines}
        unsure: set[int] = set()
        for line, below in pairwise(lines):
            counts = len(cells[id(line)]), len(cells[id(below)])
            if counts[0] != counts[1] and distance(line, below) < _WRAPPED * line.size:
                unsure.add(id(line if counts[0] > counts[1] else below))
        for (count, _), run in groupby(lines, key=lambda line: (len(cells[id(line)]), id(line) in unsure)):
            table = list(run)
            texts = [[line.text[cell.start : cell.stop] for cell in cells[id(line)]] for line in table]
            if count > 1 and _is_table([cells[id(line)] for line in table], texts):
                levels: list[int] = []
                add_table(lambda kind, text, level, levels=levels: levels.append(level), texts)
                for line, level in zip(table, levels, strict=True):
                    spans = [Span(line, cell.start, cell.stop) for cell in cells[id(line)]]
                    found[id(line)] = Paragraph("table", spans, level)
    return found


def _is_table(rows: Sequence[Sequence[Cell]], texts: Sequence[Sequence[str]]) -> bool:
    """Tell whether rows of names and numbers stand in columns that gaps part; in contents the pages are counted."""
    if len(rows) < _FEWEST_ROWS or any(is_prose(cell) or not cell.strip() for row in texts for cell in row):
        return False
    for left, right in pairwise(zip(*rows, strict=True)):
        if max(cell.right for cell in left) >= min(cell.left for cell in right):
            return False
    last = [int(row[-1]) for row in texts if row[-1].isdecimal()]
    if len(rows[0]) == 2 and len(last) == len(rows) and last == sorted(last):
        return False
    values = [any(map(str.isdigit, cell)) for row in texts for cell in row[1:]]
    return 2 * sum(any(map(str.isalpha, row[0])) for row in texts) > len(rows) and 2 * sum(values) > len(values)


def _reads_on(paragraph: Paragraph, chunk: Chunk) -> bool:
    """Tell whether a sentence can be read without its formula: "the hypothesis H0: a = b of no effect"."""
    last = paragraph.spans[-1].text.split()[-1:]
    return chunk.words[0] in _READS_ON and last != [] and last[0].lower() not in DANGLING


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


def _whole(item: Labeled) -> Paragraph:
    return Paragraph(_KINDS[item.kind], list(map(_span, item.chunk.lines)), item.level)


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
    elif mark := _mark(line, current, body):
        start = mark if kind == "paragraph" else 0
        item: BlockKind = "item" if kind == "paragraph" else kind
        return Paragraph(item, [Span(line, start, len(line.text))], mark=line.left, label=_label(line.text))
    elif kind == "paragraph" and (last is None or is_ended(last.text)) and (clause := _CLAUSE.match(line.text)):
        return Paragraph(kind, [Span(line, clause.end(), len(line.text))])
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
        if (current.is_unmarked or last.text.endswith((";", "; and", "; or"))) and _had_room(last, line, em):
            return True
        if current.kind == "reference":
            return not first and line.left < last.left - _INDENT * em
        if line.left > last.left + _INDENT * em and not first:
            return not continues or last.shortfall > 3 * em
        if first and line.left > last.left + _INDENT * em:
            return ended and last.shortfall > _SHORT * em
        least = 0.25 if ended else 0.35
        return last.shortfall > least * last.column_width and line.text[:1].isupper()
    if line.region == last.region:
        return not continues
    if not ended:
        return not continues and line.indent > _INDENT * em and last.shortfall > _SHORT * em
    return current.mark is not None or line.indent > _INDENT * em or last.shortfall > _SHORT * em


def _had_room(last: Line, line: Line, em: float) -> bool:
    """Tell whether the first word of a line would have fitted on the line above: that one ended on purpose."""
    word = len(line.text.split(" ", 1)[0]) / max(len(line.text), 1) * (line.right - line.left)
    return last.shortfall > word + _SHORT * em


def _is_set_in(lines: Sequence[Line], body: Body) -> bool:
    """Tell whether lines are set in, and not only the first as at the beginning of a paragraph, and are few."""
    first = lines[0]
    if first.indent <= _SET_IN * body.size or len(lines) > _LONGEST_LIST:
        return False
    return len(lines) == 1 or lines[1].left > first.left - 2 or _had_room(first, lines[1], body.size)


def _is_listed(line: Line, current: Paragraph | None) -> bool:
    """Tell whether a line that is set in begins an item of a list: behind its lead-in, or below another item."""
    if current is None or current.spans[-1].line.region != line.region:
        return False
    last = current.spans[-1]
    if current.is_unmarked:
        return abs(current.spans[0].line.left - line.left) < 2
    return current.kind == "paragraph" and last.text.rstrip().endswith(":") and line.left > last.line.left


def _label(text: str) -> str:
    found = _LABEL.match(text)
    return (found["label"] or "") if found else ""


def _is_next(label: str, current: Paragraph | None) -> bool:
    """Tell whether a number or letter at the edge of a column counts on, or begins a list behind its lead-in."""
    if current is None or not label:
        return False
    if current.label:
        known = current.label
        if known.isdecimal() or label.isdecimal():
            return known.isdecimal() and label.isdecimal() and int(label) == int(known) + 1
        return len(label) == len(known) == 1 and ord(label) == ord(known) + 1
    return label in ("1", "a") and current.spans[-1].text.rstrip().endswith(":")


def _mark(line: Line, current: Paragraph | None, body: Body) -> int:
    """Return how many characters the mark of a list item takes, 0 if there is none."""
    last = current.spans[-1].line if current else None
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
            if line.indent > 0.3 * body.size
            or line.text[0] == "["
            or last is None
            or last.indent > body.size
            or (line.text[0] != "(" and _is_next(_label(line.text), current) and _had_room(last, line, body.size))
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
        self._boxes: list[Box | None] = []  # of whole spans
        self.blocks: list[Block] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, paragraph: Paragraph) -> None:
        """Append a block; one without text is left out."""
        trimmed = [pair for span in paragraph.spans if (pair := _trimmed(span))]
        if not trimmed:
            return
        if self.blocks:
            self._append(_GAP)
        start = self._length
        for (span, text), (_, following) in zip(trimmed, (*trimmed[1:], (None, None)), strict=True):
            joint = ""
            if following is not None:
                joint = " | " if paragraph.kind == "table" else self._hyphens.joint(text, following)
            if joint == "-":
                self._place(Span(span.line, span.start, span.stop - 1), text[:-1])
            else:
                self._place(span, text)
                self._append(joint)
        self.blocks.append(Block(paragraph.kind, start, self._length, level=paragraph.level))

    def locate(self, start: int, stop: int) -> tuple[Box, ...]:
        """Return the rectangles of a stretch of the text, one for each line it touches."""
        low = max(bisect_right(self._starts, start) - 1, 0)
        high = bisect_left(self._starts, stop, low)
        boxes = self._boxes[low:high]
        for index in {low, high - 1} if high > low else ():  # lines between these two are whole
            begun, (line, own, end) = self._starts[index], self._spans[index]
            first, last = own + max(start - begun, 0), min(end, own + stop - begun)
            if first > own or last < end:
                boxes[index - low] = line.box(first, last) if first < last else None
        return tuple(filter(None, boxes))

    def lines(self) -> Iterator[TextLine]:
        """Yield each line with its offsets in the text, if it can be placed."""
        for start, span, box in zip(self._starts, self._spans, self._boxes, strict=True):
            if box:
                yield TextLine(start, start + span.stop - span.start, box)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _place(self, span: Span, text: str) -> None:
        self._starts.append(self._length)
        self._spans.append(span)
        self._boxes.append(span.line.box(span.start, span.stop) if span.start < span.stop else None)
        self._append(text)


def _trimmed(span: Span) -> tuple[Span, str] | None:
    """Return the span without white space around it, and its text; nothing if it is empty."""
    text = span.text
    if text and text[0] != " " and text[-1] != " ":
        return span, text
    start = span.start + len(text) - len(text.lstrip())
    stop = span.start + len(text.rstrip())
    return (Span(span.line, start, stop), text.strip()) if start < stop else None
