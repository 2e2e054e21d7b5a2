"""Plain text: paragraphs at blank lines, headings only where a line is surely one, list items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memsum.document.build import build_document
from memsum.document.headings import is_known
from memsum.document.lists import split_items
from memsum.document.model import Block, Document
from memsum.document.readers.decode import decode

_LONGEST_HEADING = 80
_LONGEST_TITLE = 200
_NUMBERED = re.compile(r"(?P<number>(?:\d{1,2}\.)*\d{1,2}|[IVX]{1,5}(?=\.))\.?\s+[A-Z]\w")
_CAPTION = re.compile(r"(?:fig(?:ure)?|table|scheme|box)\.?\s*S?\d{1,3}\s?[.:|]\s", re.IGNORECASE)


class PlainReader:
    """Reads text as it is: the Document's text is the file's."""

    name = "plain"

    def detects(self, head: bytes) -> bool:
        """Anything may be plain text: asked last."""
        return True

    def read(self, source: bytes | str) -> Document:
        """Paragraphs, headings and items of a text."""
        text, warnings = decode(source)
        return build_document(text, _blocks(text), format=self.name, warnings=warnings)


def _blocks(text: str) -> Iterator[Block]:
    is_first = True
    for lines in _paragraphs(text):
        (start, line_end), end = lines[0], lines[-1][1]
        line = text[start:line_end]
        alone = len(lines) == 1
        level = _heading_level(line, alone)
        if is_first and alone and not is_known(line) and _is_title(line, line_end < len(text.rstrip())):
            yield Block("title", start, end)
        elif level:
            yield Block("heading", start, line_end, level=level)
            if not alone:
                yield from _body(text, lines[1][0], end)
        else:
            yield from _body(text, start, end)
        is_first = False


def _paragraphs(text: str) -> Iterator[list[tuple[int, int]]]:
    """Runs of lines that are not blank, each line as trimmed offsets."""
    lines: list[tuple[int, int]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped:
            start = at + len(line) - len(line.lstrip())
            lines.append((start, start + len(stripped)))
        elif lines:
            yield lines
            lines = []
        at += len(line)
    if lines:
        yield lines


def _body(text: str, start: int, end: int) -> Iterator[Block]:
    """A paragraph, or the items of a list and what stands before them."""
    if _CAPTION.match(text, start, end):
        yield Block("caption", start, end)
        return
    for piece in split_items(text, start, end):
        content = text[piece.content : piece.end]
        stop = piece.content + len(content.rstrip())
        yield Block("item" if piece.is_item else "paragraph", piece.content, stop)


def _heading_level(line: str, alone: bool) -> int:
    """The level of a heading, 0 for any other line: short, not ended, and named, numbered or in capitals."""
    if len(line) > _LONGEST_HEADING or line.endswith((".", ",", ";", "?", "!")):
        return 0
    numbered = _NUMBERED.match(line)
    level = numbered["number"].count(".") + 1 if numbered else 1
    if is_known(line):
        return level
    is_shouted = line.isupper() and sum(map(str.isalpha, line)) >= 4
    return level if alone and not line.endswith(":") and (numbered or is_shouted) else 0


def _is_title(line: str, more_follows: bool) -> bool:
    """Whether the first line, standing alone, is a title."""
    return more_follows and len(line) <= _LONGEST_TITLE and line[-1] not in ".,;:?!" and not _NUMBERED.match(line)
