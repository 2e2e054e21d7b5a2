"""Running heads and page numbers: lines at the top or bottom of pages that repeat or count."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from memsum.document.readers.pdf.lines import Line, PageWords, Piece, make_line
from memsum.document.readers.pdf.order import Layout

_ROWS = 3  # looked at on each edge of a page
_FEWEST_LINE_NUMBERS = 6
_LONGEST = 20  # words of a running head
_LONGEST_NUMBERED = 14  # words of one with the page's number
_SCATTERED = 4  # pages for each on which a head stands
_DRIFT = 3.0  # points between the heights of the same head on two pages
_NUMBER = re.compile(
    r"(?:page\s{1,9})?[-–—\s]{0,9}(?:\d{1,4}|[ivxl]{1,6})[-–—\s]{0,9}(?:(?:of|/)\s{0,9}\d{1,4})?", re.IGNORECASE
)


class _Row(NamedTuple):
    pieces: list[Piece]
    line: Line
    edge: int  # 1 for the top, -1 for the bottom

    @property
    def height(self) -> float:
        return self.line.top

    @property
    def pattern(self) -> str:
        return re.sub(r"\d+", "#", " ".join(self.line.text.casefold().split()))

    def count_from(self, page: int) -> set[int]:
        """How far the numbers at the row's ends are from the number of the page."""
        words = self.line.text.split()
        ends = {words[0], words[-1]} if 0 < len(words) <= _LONGEST_NUMBERED else set()
        return {int(word) - page for word in (end.strip("–—-|.") for end in ends) if word.isdecimal() and len(word) < 6}


def split_furniture(layouts: Sequence[Layout]) -> tuple[list[Layout], list[list[Line]]]:
    """The pages without their running heads and page numbers, and those, page by page."""
    candidates = [_candidates(layout) for layout in layouts]
    heads = _repeated(candidates)
    counted: dict[tuple[int, int], list[float]] = {}
    for row in (row for rows in candidates for row in rows):
        for n in row.count_from(row.line.page):
            counted.setdefault((row.edge, n), []).append(row.height)
    enough = max(2, len(layouts) * 2 // 5)
    kept: list[Layout] = []
    removed: list[list[Line]] = []
    for layout, rows in zip(layouts, candidates, strict=True):
        found: list[_Row] = []
        for edge in (1, -1):
            for row in (row for row in rows if row.edge == edge):
                heights = [counted[edge, n] for n in row.count_from(row.line.page)]
                counts = any(sum(abs(height - row.height) <= _DRIFT for height in each) >= enough for each in heights)
                if not (_is_head(row, heads) or counts or _NUMBER.fullmatch(row.line.text.strip())):
                    break
                found.append(row)
        found = list({row.height: row for row in found}.values())
        gone = {id(row.pieces) for row in found}
        kept.append(Layout(layout.words, [row for row in layout.rows if id(row) not in gone]))
        removed.append([row.line for row in sorted(found, key=lambda row: row.height)])
    return kept, removed


def without_line_numbers(pages: Sequence[tuple[list[Piece], PageWords]]) -> list[list[Piece]]:
    """The pieces of each page without the numbers that manuscripts have beside their lines."""
    found = [_line_numbers(words, pieces, _FEWEST_LINE_NUMBERS) for pieces, words in pages]
    if any(found):
        found = [_line_numbers(words, pieces, 2) for pieces, words in pages]
    return [
        [piece for piece in pieces if piece not in gone] if gone else pieces
        for gone, (pieces, _) in zip(found, pages, strict=True)
    ]


def _line_numbers(words: PageWords, pieces: list[Piece], fewest: int) -> set[Piece]:
    """The numbers below each other, at least so many, that count by one or by five."""
    numbers: list[tuple[float, float, int, Piece]] = []
    for piece in pieces:
        first, last = words.starts[piece.start], words.stops[piece.stop - 1]
        if last - first <= 4 and (text := words.page.text[first:last]).isdecimal():
            numbers.append((piece.right, piece.middle, int(text), piece))
    numbers.sort()
    gone: set[Piece] = set()
    start = 0
    for stop in range(1, len(numbers) + 1):
        if stop < len(numbers) and numbers[stop][0] - numbers[stop - 1][0] < _DRIFT:
            continue
        column = sorted(numbers[start:stop], key=lambda entry: entry[1])
        steps = [below[2] - above[2] for above, below in itertools.pairwise(column)]
        if len(column) >= fewest and max(steps.count(1), steps.count(5)) >= 0.8 * len(steps):
            gone.update(entry[3] for entry in column)
        start = stop
    return gone


def _candidates(layout: Layout) -> list[_Row]:
    """The outermost short rows of a page, from each edge inwards."""
    rows = layout.rows
    top = rows[:_ROWS]
    bottom = rows[-_ROWS:][::-1]
    found = [_Row(row, make_line(layout.words, row), edge) for edge, part in ((1, top), (-1, bottom)) for row in part]
    return [row for row in found if len(row.line.text.split()) <= _LONGEST]


def _repeated(candidates: list[list[_Row]]) -> dict[tuple[int, str], list[float]]:
    """The heights at which a pattern stands on two pages or more; on many if they are scattered or it is a sentence."""
    seen: dict[tuple[int, str], list[tuple[int, float]]] = {}
    for page, rows in enumerate(candidates):
        for row in rows:
            seen.setdefault((row.edge, row.pattern), []).append((page, row.height))
    heads: dict[tuple[int, str], list[float]] = {}
    for key, places in seen.items():
        reach = places[-1][0] - places[0][0] + 1
        least = 2 if len(candidates) <= 10 else 3
        if key[1].endswith((".", ")")) or reach > _SCATTERED * len(places):
            least = max(least, len(candidates) // 3)
        if len(places) >= least:
            heads[key] = [height for _, height in places]
    return heads


def _is_head(row: _Row, heads: dict[tuple[int, str], list[float]]) -> bool:
    heights = heads.get((row.edge, row.pattern), [])
    return sum(abs(height - row.height) <= _DRIFT for height in heights) >= 2
