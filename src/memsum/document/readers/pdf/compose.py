"""From blocks to a text without line ends, and the map from the text back to the page."""

from __future__ import annotations

from bisect import bisect_right

from memsum.document.document import Block, Box
from memsum.document.readers.pdf.hyphens import Hyphens
from memsum.document.readers.pdf.paragraphs import Paragraph, Span

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
        """All that was added."""
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
        """The rectangles of a stretch of the text, one for each line it touches."""
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
    """The span without white space around it, nothing if it is empty."""
    text = span.text
    if text and text[0] != " " and text[-1] != " ":
        return span
    start = span.start + len(text) - len(text.lstrip())
    stop = span.start + len(text.rstrip())
    return Span(span.line, start, stop) if start < stop else None
