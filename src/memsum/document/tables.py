"""Tables of all formats: each row is a block of the kind "table", its cells parted by " | ", heads above the rows.

Prose in cells is running text; rows of short cells are not, but answer questions. Both need their heads to be
understood: the row's, which is its first cell, or those of the columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memsum.document.document import Block, Document

HEAD, ROW, ALONE = 1, 2, 0  # levels of blocks: a row of heads, one below it, one of a table without heads
MOST_COLUMNS = 1_000  # cells of a row; more become one
_BAR = re.compile(r"(?<![^ ])\|(?![^ ])")  # between cells: those beside an empty one share a space
_ENDED = re.compile(r"[.!?:…][\"”’)\]]*$|[。！？]")
_FEWEST, _FEWEST_ENDED = 8, 4  # words of a cell that is prose; fewer are enough where they end as a sentence does
_SMALL = 0.5  # share of its words that begin with small letters, of a cell that does not end so
_LONGEST_HEAD = 120  # characters of a row's head
_LONGEST_ROW = 400  # characters of the heads that are quoted with a row


def add_table(
    add: Callable[..., None], rows: Sequence[Sequence[str]], heads: int | None = None, **details: Any
) -> None:
    """Add the rows of a table, of which the first `heads` name the columns; if that is not known, the first may.

    A table of one column is no table: its prose is paragraphs.
    """
    rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    heads = heads and sum(any(row) for row in rows[:heads])  # Markdown has an empty row where a table has none
    most = MOST_COLUMNS - 1
    rows = [[*row[:most], " ".join(row[most:])] if len(row) > MOST_COLUMNS else row for row in rows]
    rows = [row for row in rows if any(row)]
    if all(len(row) < 2 for row in rows):
        for row in rows:
            add("paragraph" if is_prose(row[0]) else "table", row[0], **details)
        return
    if heads is None:
        heads = int(_names_columns(rows))
    for number, row in enumerate(rows):
        level = HEAD if number < heads else ROW if heads else ALONE
        add("table", " | ".join(row), level=level, **details)


def _names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a first row names the columns: words, and of two columns the second has numbers below."""
    first, below = rows[0], rows[1:]
    if not below or any(is_prose(cell) or any(map(str.isdigit, cell)) for cell in first) or not all(first[1:]):
        return False
    return len(first) > 2 or (len(below) > 1 and all(len(row) == 2 and any(map(str.isdigit, row[1])) for row in below))


def is_prose(cell: str) -> bool:
    """Tell whether a cell holds sentences."""
    words = cell.split()
    small = sum(word[0].islower() for word in words)
    if _ENDED.search(cell):
        return small >= _FEWEST_ENDED - 1 or cell[-1] in "。！？"
    return len(words) >= _FEWEST and small >= _SMALL * len(words)


def cells(text: str) -> list[tuple[int, int]]:
    """Return where each cell of a row begins and ends, empty ones too."""
    bars = [found.start() for found in _BAR.finditer(text)]
    found = []
    for start, end in zip([0, *(bar + 1 for bar in bars)], [*bars, len(text)], strict=True):
        cell = text[start:end]
        first = start + len(cell) - len(cell.lstrip())
        found.append((first, first + len(cell.strip())))
    return found


def prose_cells(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the cells of a row are that hold sentences."""
    return ((start, end) for start, end in cells(text) if is_prose(text[start:end]))


def has_data(text: str) -> bool:
    """Tell whether a row holds more than its head and sentences: cells that only the whole row explains."""
    own = [text[start:end] for start, end in cells(text)]
    return not any(map(is_prose, own)) or any(cell and not is_prose(cell) for cell in own[1:])


class Tables:
    """The tables of a document: what a row, or a sentence in one, needs to be understood."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._rows = [block for block in document.blocks if block.kind == "table"]
        self._starts = [block.start for block in self._rows]
        heads: list[Block | None] = []
        for block in self._rows:
            above = heads[-1] if heads else None
            heads.append(block if block.level == HEAD else above if block.level == ROW else None)
        self._heads = heads

    def head_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where the head of a sentence in a cell, or of a whole row, begins and ends; None where it has none."""
        number = bisect_right(self._starts, start) - 1
        if number < 0 or start >= self._rows[number].end:
            return None
        row, head = self._rows[number], self._heads[number]
        if head is row:
            return None
        if (start, end) == (row.start, row.end):
            return None if head is None else (head.start, min(head.end, head.start + _LONGEST_ROW))
        own = [(row.start + first, row.start + last) for first, last in cells(self._text[row.start : row.end])]
        place = next((place for place, (_, last) in enumerate(own) if start < last), 0)
        first, last = own[0]
        if place and 0 < last - first <= _LONGEST_HEAD and not is_prose(self._text[first:last]):
            return first, last
        if head is None:
            return None
        named = [(head.start + first, head.start + last) for first, last in cells(self._text[head.start : head.end])]
        first, last = named[place] if len(named) == len(own) else (0, 0)
        return (first, last) if last > first else None
