"""Reading order: the columns of a page, and what spans them."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np
import numpy.typing as npt

from memsum.document.readers.pdf.lines import Line, PageWords, Piece, group_rows, make_line

_NARROWEST = 0.15  # of the text's width; a narrower strip is no column
_THIN = 0.5  # of the usual number of lines at a place; fewer cross the gap between two columns
_CROSSED = 0.1  # the same, where one of the columns is short
_NARROWEST_GAP = 8  # points
_FULL = 0.5  # of a column's width; the lines of running text are mostly longer
_DRIFT = 10  # points that the gap between columns may be away from that of most pages
_NEAR = 1.6  # em; pieces of a row with a smaller gap belong together


@dataclass(frozen=True, eq=False)
class Layout:
    """The pieces of a page that are its content, in rows from top to bottom."""

    words: PageWords
    rows: list[list[Piece]]

    @cached_property
    def pieces(self) -> list[Piece]:
        """All pieces."""
        return [piece for row in self.rows for piece in row]

    @cached_property
    def sides(self) -> npt.NDArray[np.float64]:
        """(2, n): where each piece begins and ends."""
        sides: npt.NDArray[np.float64] = np.array([(piece.left, piece.right) for piece in self.pieces]).T
        return sides

    @cached_property
    def edges(self) -> tuple[float, float]:
        """The left and the right edge of the text."""
        return float(self.sides[0].min()), float(self.sides[1].max())


def order_lines(layouts: Sequence[Layout]) -> list[Line]:
    """The lines of all pages in the order they are read."""
    layouts = [layout for layout in layouts if layout.rows]
    gutters = [_gutters(layout) for layout in layouts]
    common = _common(gutters)
    lines: list[Line] = []
    region = 0
    for layout, own in zip(layouts, gutters, strict=True):
        found = own or [_nearest(layout, gutter) for gutter in common]
        for rows, left, right in _regions(layout, found):
            region += 1
            for row in rows:
                line = make_line(layout.words, row)
                line.region, line.column_left, line.column_right = region, left, right
                if line.text and not line.text.isspace():
                    lines.append(line)
    return lines


def _coverage(layout: Layout) -> tuple[int, npt.NDArray[np.int64]]:
    """How many pieces stand at each point of the text's width."""
    left, right = layout.edges
    origin, width = int(left), int(right) - int(left) + 2
    length = min(width, 20_000) + 1
    begins, ends = layout.sides.astype(np.int64) - origin
    change = np.bincount(np.clip(begins, 0, length - 1), minlength=length)
    change -= np.bincount(np.clip(ends + 1, 0, length - 1), minlength=length)
    return origin, np.cumsum(change)


def _gutters(layout: Layout) -> list[float]:
    """The gaps between the columns of running text on a page, judged by this page alone."""
    origin, cover = _coverage(layout)
    usual = float(np.sort(cover)[len(cover) * 4 // 5])
    gutters = _thin_places(origin, cover, _THIN * usual, 1)
    if gutters and _are_columns(layout, gutters, 4):
        return gutters
    # A last column may be short: then only what nothing crosses but a title is a gap.
    gutters = _thin_places(origin, cover, max(1.0, _CROSSED * usual), _NARROWEST_GAP)
    return gutters if gutters and _are_columns(layout, gutters, 3) else []


def _thin_places(origin: int, cover: npt.NDArray[np.int64], most: float, narrowest: int) -> list[float]:
    """The middles of the stretches, away from the edges, that at most so many lines cross."""
    width = len(cover)
    margin = int(_NARROWEST * width)
    thin = np.zeros(width + 2, dtype=np.int8)
    thin[1:-1] = cover <= most
    edges = np.flatnonzero(np.diff(thin))
    places: list[float] = []
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        low = max(start, margin)
        if stop - start >= narrowest and stop > margin and low < width - margin:
            run = cover[low:stop]
            lowest = np.flatnonzero(run == run.min())
            places.append(float(origin + low + lowest[len(lowest) // 2]) + 0.5)
    return places


def _are_columns(layout: Layout, gutters: list[float], fewest: int) -> bool:
    """Whether every strip between the gutters is wide enough and holds lines that fill it."""
    left, right = layout.edges
    bounds = [left, *gutters, right]
    begins, ends = layout.sides
    most = 0
    for low, high in itertools.pairwise(bounds):
        if high - low < _NARROWEST * (right - left):
            return False
        widths = (ends - begins)[(low - 2 <= begins) & (ends <= high + 2)]
        if len(widths) < fewest or (widths * widths).sum() < _FULL * (high - low) * widths.sum():
            return False
        most = max(most, len(widths))
    return most >= 2 * fewest or fewest == 4


def _common(gutters: list[list[float]]) -> list[float]:
    """The gutters that at least half of the pages have."""
    counts = Counter(len(found) for found in gutters if found)
    if not counts:
        return []
    number, pages = counts.most_common(1)[0]
    if 2 * pages < len(gutters):
        return []
    alike = [found for found in gutters if len(found) == number]
    return [median(positions) for positions in zip(*alike, strict=True)]


def _nearest(layout: Layout, gutter: float) -> float:
    """Where, near the gutter of the other pages, the fewest lines cross."""
    origin, cover = _coverage(layout)
    low = max(0, int(gutter - _DRIFT) - origin)
    near = cover[low : max(low, int(gutter + _DRIFT) - origin)]
    if not len(near):
        return gutter
    lowest = np.flatnonzero(near == near.min())
    return float(origin + low + lowest[len(lowest) // 2]) + 0.5


def _regions(layout: Layout, gutters: list[float]) -> list[tuple[list[list[Piece]], float, float]]:
    """The rows by column, bands between spanning lines one after the other, with each column's edges."""
    left, right = layout.edges
    if not gutters:
        return [(layout.rows, *_text_edges(layout.pieces, left, right))]
    spanning: list[list[Piece]] = []
    inside: list[Piece] = []
    is_spanned = False  # the row above is
    for row in layout.rows:
        runs = _runs(row, gutters)
        spans = len(runs) == 1 and any(_crosses(runs[0], gutter) for gutter in gutters)
        if spans or (is_spanned and len(runs) == 1 and _ends(spanning[-1], row)):
            spanning.append(row)
            is_spanned = True
        else:
            inside.extend(row)
            is_spanned = False
    bounds = [left, *gutters, right]
    columns: list[list[Piece]] = [[] for _ in bounds[1:]]
    for piece in inside:
        columns[_column(piece, gutters)].append(piece)
    edges = [_text_edges(column, bounds[n], bounds[n + 1]) for n, column in enumerate(columns)]
    heights = [sum(piece.middle for piece in row) / len(row) for row in spanning]
    bands: list[list[list[Piece]]] = [[[] for _ in columns] for _ in range(len(spanning) + 1)]
    for number, column in enumerate(columns):
        for piece in column:
            bands[bisect_left(heights, piece.middle)][number].append(piece)
    regions: list[tuple[list[list[Piece]], float, float]] = []
    across: list[list[Piece]] = []
    for index, band in enumerate(bands):
        if any(band) and across:
            regions.append((across, *_row_edges(across, left, right)))
            across = []
        regions.extend((group_rows(group), *edges[number]) for number, group in enumerate(band) if group)
        if index < len(spanning):
            across.append(spanning[index])
    if across:
        regions.append((across, *_row_edges(across, left, right)))
    return regions


def _row_edges(rows: list[list[Piece]], low: float, high: float) -> tuple[float, float]:
    return _text_edges([piece for row in rows for piece in row], low, high)


def _runs(row: list[Piece], gutters: list[float]) -> list[tuple[float, float]]:
    """The stretches of a row: pieces with small gaps, no gutter in them, are one."""
    runs: list[tuple[float, float]] = []
    for piece in row:
        if runs:
            before, end = runs[-1]
            if piece.left - end < _NEAR * piece.size and not any(
                end - 1 <= gutter <= piece.left + 1 for gutter in gutters
            ):
                runs[-1] = before, max(end, piece.right)
                continue
        runs.append((piece.left, piece.right))
    return runs


def _ends(above: list[Piece], row: list[Piece]) -> bool:
    """Whether a short row is the end of the text in the row above: as large, close, and set flush left or centred."""
    size = above[0].size
    if abs(row[0].size - size) > 0.3 or row[0].middle - above[0].middle > 1.6 * size:
        return False
    centre, own = above[0].left + above[-1].right, row[0].left + row[-1].right
    return abs(row[0].left - above[0].left) < 2 or abs(centre - own) < 4


def _crosses(run: tuple[float, float], gutter: float) -> bool:
    return run[0] < gutter - 3 and run[1] > gutter + 3


def _column(piece: Piece, gutters: list[float]) -> int:
    """The column in which most of a piece lies; one too long for its column stays where it begins."""
    at = piece.left + min(piece.right - piece.left, 20.0) / 2
    return sum(gutter < at for gutter in gutters)


def _text_edges(pieces: list[Piece], low: float, high: float) -> tuple[float, float]:
    """Where most long lines of a column begin and end."""
    long = [piece for piece in pieces if piece.right - piece.left > _FULL * (high - low)]
    if not long:
        return low, high
    lefts, rights = sorted(piece.left for piece in long), sorted(piece.right for piece in long)
    return lefts[len(lefts) // 10], rights[-1 - len(rights) // 10]
