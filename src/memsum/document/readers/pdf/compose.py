"""From blocks to a text without line ends, and the map from the text back to the page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from memsum.document.model import Block, Box
from memsum.document.readers.base import listed
from memsum.document.readers.pdf.lines import Line
from memsum.document.readers.pdf.paragraphs import Paragraph, Span

_GAP = "\n\n"
_LAST = re.compile(r"(?P<chain>(?:[^\W_]+-)*)(?P<part>[^\W\d_]+)-$")
_FIRST = re.compile(r"[^\W\d_]+")
# Firsts of compounds that keep their hyphen when nothing else in the document tells.
_PREFIXES = listed(
    """
    self well cross high low long short two three four five six seven eight nine ten first second third one half large
    small ill much all steady real state user data model
    """
)


class Words(NamedTuple):
    """The words that the document has inside its lines, without and with a hyphen."""

    plain: set[str]
    compound: set[str]


class Composer:
    """Collects the text and remembers which character of which line stands where."""

    def __init__(self, words: Words) -> None:
        self._words = words
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
            joint = self._joint(span.text, following.text)
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

    def _joint(self, text: str, following: str) -> str:
        """What stands between two lines: a space, nothing, or "-" for a hyphen that goes away."""
        if text[-1] in "–—/" and len(text) > 1 and not text[-2].isspace():
            return ""
        if text[-1] != "-":
            return " "
        last, first = _LAST.search(text), _FIRST.match(following)
        if len(text) > 1 and text[-2].isspace():
            return " "
        if not last or not first or not first[0].islower():
            return ""
        part, rest = last["part"].lower(), first[0].lower()
        compound = f"{last['chain'].lower()}{part}-{rest}"
        if last["chain"] or compound in self._words.compound:
            return "" if part + rest not in self._words.plain or compound in self._words.compound else "-"
        if part + rest in self._words.plain:
            return "-"
        return "" if part in _PREFIXES and rest in self._words.plain else "-"


def _trimmed(span: Span) -> Span | None:
    """The span without white space around it, nothing if it is empty."""
    text = span.text
    start = span.start + len(text) - len(text.lstrip())
    stop = span.start + len(text.rstrip())
    return Span(span.line, start, stop) if start < stop else None


def words_of(lines: Sequence[Line]) -> Words:
    """The words inside lines; those cut at a line's end say nothing."""
    words = Words(set(), set())
    for line in lines:
        for found in re.finditer(r"[^\W\d_]+(?:-[^\W\d_]+)*(?![\w-])", line.text.lower()):
            (words.compound if "-" in found[0] else words.plain).add(found[0])
    return words
