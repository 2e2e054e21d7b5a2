"""The layout of pages: running heads and line numbers removed, columns found, lines in reading order."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.document.readers.pdf.lines import Line, PageWords, Run, group_rows, make_line

_ROWS = 3  # looked at on each edge of a page
_FEWEST_LINE_NUMBERS = 6
_LONGEST = 20  # words of a running head
_LARGER = 1.15  # times the usual size; a row with the page's number in larger print is a heading
_FIRST = re.compile(r"^[–—|.\s-]{0,9}(\d{1,5})(?=[–—|\s-]|[A-Z]|$)")  # which may be glued to what follows
_LAST = re.compile(r"(?:^|(?<=[–—|\s-]))(\d{1,5})[–—|.\s-]{0,9}$")
_NUMBERS = re.compile(r"\d+|^[ivxl]{1,7}(?= )|(?<= )[ivxl]{1,7}$")  # Roman ones, of front matter, at the ends of a row
_CONTENTS = re.compile(r"\b(?:Contents|CONTENTS)\b")
_ARTICLE = re.compile(r"(?:article|section|chapter|part|clause|schedule|annex|§)\s?#|#[.)]?\s[^\W\d_][^#]*")
_SCATTERED = 4  # pages for each on which a head stands
_HEAD_DRIFT = 3.0  # points between the heights of the same head on two pages
_NUMBER = re.compile(
    r"(?:page\s{1,9})?[-–—\s]{0,9}(?:\d{1,4}|[ivxl]{1,6})[-–—\s]{0,9}(?:(?:of|/)\s{0,9}\d{1,4})?", re.IGNORECASE
)


class _Row(NamedTuple):
    runs: list[Run]
    line: Line
    edge: int  # 1 for the top, -1 for the bottom
    pattern: str  # of the text, its numbers replaced
    numbers: set[int]  # how far those at the row's ends are from the number of the page

    @property
    def height(self) -> float:
        return self.line.top


def split_running_heads(layouts: Sequence[Layout]) -> tuple[list[Layout], list[list[Line]]]:
    """Return the pages without their running heads and page numbers, and those, page by page."""
    candidates = [_candidates(layout) for layout in layouts]
    heads = _repeated(candidates)
    counted: dict[tuple[int, int], list[float]] = {}
    for row in (row for rows in candidates for row in rows):
        for n in row.numbers:
            counted.setdefault((row.edge, n), []).append(row.height)
    enough = max(2, len(layouts) * 2 // 5)
    kept: list[Layout] = []
    removed: list[list[Line]] = []
    for layout, rows in zip(layouts, candidates, strict=True):
        found: list[_Row] = []
        for edge in (1, -1):
            for row in (row for row in rows if row.edge == edge):
                heights = [counted[edge, n] for n in row.numbers]
                counts = any(
                    sum(abs(height - row.height) <= _HEAD_DRIFT for height in each) >= enough for each in heights
                )
                counts = counts and row.line.size <= _LARGER * layout.size
                if not (_is_head(row, heads) or counts or _NUMBER.fullmatch(row.line.text.strip())):
                    break
                found.append(row)
        found = list({row.height: row for row in found}.values())
        gone = {id(row.runs) for row in found}
        kept.append(Layout(layout.words, [row for row in layout.rows if id(row) not in gone]))
        removed.append([row.line for row in sorted(found, key=lambda row: row.height)])
    return kept, removed


def without_line_numbers(pages: Sequence[tuple[list[Run], PageWords]]) -> list[list[Run]]:
    """Return the runs of each page without the numbers that manuscripts have beside their lines."""
    found = [_line_numbers(words, runs, _FEWEST_LINE_NUMBERS, len(pages)) for runs, words in pages]
    if any(found):
        found = [_line_numbers(words, runs, 2, len(pages)) for runs, words in pages]
    return [
        [run for run in runs if run not in gone] if gone else runs for gone, (runs, _) in zip(found, pages, strict=True)
    ]


def _line_numbers(words: PageWords, runs: list[Run], fewest: int, pages: int) -> set[Run]:
    """Return the numbers below each other, at least so many, that count by one or by five; not those of contents."""
    numbers: list[tuple[float, float, int, Run]] = []
    for run in runs:
        first, last = words.starts[run.start], words.stops[run.stop - 1]
        if last - first <= 4 and (text := words.page.text[first:last]).isdecimal():
            numbers.append((run.right, run.middle, int(text), run))
    numbers.sort()
    gone: set[Run] = set()
    start = 0
    for stop in range(1, len(numbers) + 1):
        if stop < len(numbers) and numbers[stop][0] - numbers[stop - 1][0] < _HEAD_DRIFT:
            continue
        column = sorted(numbers[start:stop], key=lambda entry: entry[1])
        steps = [below[2] - above[2] for above, below in itertools.pairwise(column)]
        is_contents = words.page.number < column[0][2] and column[-1][2] <= pages
        if (
            len(column) >= fewest
            and not (is_contents or _CONTENTS.search(words.page.text, 0, 500))
            and max(steps.count(1), steps.count(5)) >= 0.8 * len(steps)
        ):
            gone.update(entry[3] for entry in column)
        start = stop
    return gone


def _candidates(layout: Layout) -> list[_Row]:
    """Return the outermost short rows of a page, from each edge inwards."""
    rows = layout.rows
    found: list[_Row] = []
    for edge, part in ((1, rows[:_ROWS]), (-1, rows[: -_ROWS - 1 : -1])):
        for row in part:
            line = make_line(layout.words, row)
            words = line.text.casefold().split()
            if len(words) <= _LONGEST:
                ends = [pattern.search(line.text) for pattern in (_FIRST, _LAST)]
                numbers = {int(end[1]) - line.page for end in ends if end}
                found.append(_Row(row, line, edge, _NUMBERS.sub("#", " ".join(words)), numbers))
    return found


def _repeated(candidates: list[list[_Row]]) -> dict[tuple[int, str], list[float]]:
    """Return the heights of patterns on two pages or more; on many if they are scattered or it is a sentence."""
    seen: dict[tuple[int, str], list[tuple[int, _Row]]] = {}
    for page, rows in enumerate(candidates):
        for row in rows:
            seen.setdefault((row.edge, row.pattern), []).append((page, row))
    heads: dict[tuple[int, str], list[float]] = {}
    for key, found in seen.items():
        if _ARTICLE.fullmatch(key[1]) and _are_headings([row for _, row in found]):
            continue
        reach = found[-1][0] - found[0][0] + 1
        least = 2 if len(candidates) <= 10 else 3
        if key[1].endswith((".", ")")) or reach > _SCATTERED * len(found):
            least = max(least, len(candidates) // 3)
        if len(found) >= least:
            heads[key] = [row.height for _, row in found]
    return heads


def _are_headings(rows: list[_Row]) -> bool:
    """Tell whether rows that differ in their numbers alone, which do not count pages, are headings: "Article 5"."""
    counted = set.intersection(*(row.numbers for row in rows))
    return not counted and len({row.line.text for row in rows}) == len(rows)


def _is_head(row: _Row, heads: dict[tuple[int, str], list[float]]) -> bool:
    heights = heads.get((row.edge, row.pattern), [])
    return sum(abs(height - row.height) <= _HEAD_DRIFT for height in heights) >= 2


_NARROWEST = 0.15  # of the text's width; a narrower strip is no column
_THIN = 0.5  # of the usual number of lines; fewer cross the gap between two columns
_CROSSED = 0.1  # the same, where one of the columns is short
_NARROWEST_GAP = 8  # points
_FULL = 0.5  # of a column's width; the lines of running text are mostly longer
_GUTTER_DRIFT = 10  # points that the gap between columns may be away from that of most pages
_NEAR = 1.6  # em; runs of a row with a smaller gap belong together


@dataclass(frozen=True, eq=False)
class Layout:
    """The runs of a page that are its content, in rows from top to bottom."""

    words: PageWords
    rows: list[list[Run]]

    @cached_property
    def runs(self) -> list[Run]:
        return [run for row in self.rows for run in row]

    @cached_property
    def size(self) -> float:
        """The usual size of what stands on the page."""
        return median([run.size for run in self.runs])

    @cached_property
    def sides(self) -> npt.NDArray[np.float64]:
        """(2, n): where each run begins and ends."""
        sides: npt.NDArray[np.float64] = np.array([[run.left for run in self.runs], [run.right for run in self.runs]])
        return sides

    @cached_property
    def edges(self) -> tuple[float, float]:
        return float(self.sides[0].min()), float(self.sides[1].max())


def order_lines(layouts: Sequence[Layout]) -> list[Line]:
    """Return the lines of all pages in the order they are read."""
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
                line.region, line.column_width = region, right - left
                line.indent, line.shortfall = line.left - left, right - line.right
                if line.text and not line.text.isspace():
                    lines.append(line)
    return lines


def _coverage(layout: Layout) -> tuple[int, npt.NDArray[np.int64]]:
    """Return how many runs stand at each point of the text's width."""
    left, right = layout.edges
    origin, width = int(left), int(right) - int(left) + 2
    length = min(width, 20_000) + 1
    begins, ends = layout.sides.astype(np.int64) - origin
    change = np.bincount(np.clip(begins, 0, length - 1), minlength=length)
    change -= np.bincount(np.clip(ends + 1, 0, length - 1), minlength=length)
    return origin, np.cumsum(change)


def _gutters(layout: Layout) -> list[float]:
    """Return the gaps between the columns of running text on a page, judged by this page alone."""
    origin, cover = _coverage(layout)
    usual = float(np.sort(cover)[len(cover) * 4 // 5])
    gutters = _gaps(origin, cover, _THIN * usual, 1)
    if gutters and _are_columns(layout, gutters, 4):
        return gutters
    # A last column may be short: then only what nothing crosses but a title is a gap.
    gutters = _gaps(origin, cover, max(1.0, _CROSSED * usual), _NARROWEST_GAP)
    return gutters if gutters and _are_columns(layout, gutters, 3) else []


def _gaps(origin: int, cover: npt.NDArray[np.int64], most: float, narrowest: int) -> list[float]:
    """Return the middles of the stretches, away from the edges, that at most so many lines cross."""
    width = len(cover)
    margin = int(_NARROWEST * width)
    thin = np.zeros(width + 2, dtype=np.int8)
    thin[1:-1] = cover <= most
    edges = np.flatnonzero(np.diff(thin))
    middles: list[float] = []
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        low = max(start, margin)
        if stop - start >= narrowest and stop > margin and low < width - margin:
            strip = cover[low:stop]
            lowest = np.flatnonzero(strip == strip.min())
            middles.append(float(origin + low + lowest[len(lowest) // 2]) + 0.5)
    return middles


def _are_columns(layout: Layout, gutters: list[float], fewest: int) -> bool:
    """Tell whether every strip between the gutters is wide enough and holds lines that fill it."""
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
    """Return the gutters that at least half of the pages have."""
    counts = Counter(len(found) for found in gutters if found)
    if not counts:
        return []
    number, pages = counts.most_common(1)[0]
    if 2 * pages < len(gutters):
        return []
    alike = [found for found in gutters if len(found) == number]
    return [median(positions) for positions in zip(*alike, strict=True)]


def _nearest(layout: Layout, gutter: float) -> float:
    """Return where, near the gutter of the other pages, the fewest lines cross."""
    origin, cover = _coverage(layout)
    low = max(0, int(gutter - _GUTTER_DRIFT) - origin)
    near = cover[low : max(low, int(gutter + _GUTTER_DRIFT) - origin)]
    if not len(near):
        return gutter
    lowest = np.flatnonzero(near == near.min())
    return float(origin + low + lowest[len(lowest) // 2]) + 0.5


def _regions(layout: Layout, gutters: list[float]) -> list[tuple[list[list[Run]], float, float]]:
    """Return the rows by column, bands between spanning lines one after the other, with each column's edges."""
    left, right = layout.edges
    if not gutters:
        return [(layout.rows, *_text_edges(layout.runs, left, right))]
    spanning: list[list[Run]] = []
    inside: list[Run] = []
    is_spanned = False  # the row above is
    for row in layout.rows:
        (begin, end), *more = _stretches(row, gutters)
        spans = not more and any(begin < gutter - 3 and end > gutter + 3 for gutter in gutters)
        if spans or (is_spanned and not more and _ends(spanning[-1], row)):
            spanning.append(row)
            is_spanned = True
        else:
            inside.extend(row)
            is_spanned = False
    bounds = [left, *gutters, right]
    columns: list[list[Run]] = [[] for _ in bounds[1:]]
    for run in inside:
        # Most of a run lies in its column; one too long for it stays where it begins.
        columns[bisect_left(gutters, run.left + min(run.right - run.left, 20.0) / 2)].append(run)
    edges = [_text_edges(column, bounds[n], bounds[n + 1]) for n, column in enumerate(columns)]
    heights = [sum([run.middle for run in row]) / len(row) for row in spanning]
    bands: list[list[list[Run]]] = [[[] for _ in columns] for _ in range(len(spanning) + 1)]
    for number, column in enumerate(columns):
        for run in column:
            bands[bisect_left(heights, run.middle)][number].append(run)
    regions: list[tuple[list[list[Run]], float, float]] = []
    across: list[list[Run]] = []
    for index, band in enumerate(bands):
        if across and (any(band) or index == len(spanning)):
            regions.append((across, *_text_edges([run for row in across for run in row], left, right)))
            across = []
        regions.extend((group_rows(group), *edges[number]) for number, group in enumerate(band) if group)
        if index < len(spanning):
            across.append(spanning[index])
    return regions


def _stretches(row: list[Run], gutters: list[float]) -> list[tuple[float, float]]:
    """Return the stretches of a row: runs with small gaps, no gutter in them, are one."""
    stretches: list[tuple[float, float]] = []
    for run in row:
        if stretches:
            before, end = stretches[-1]
            if run.left - end < _NEAR * run.size and not any(end - 1 <= gutter <= run.left + 1 for gutter in gutters):
                stretches[-1] = before, max(end, run.right)
                continue
        stretches.append((run.left, run.right))
    return stretches


def _ends(above: list[Run], row: list[Run]) -> bool:
    """Tell whether a short row ends the text in the row above: as large, close, and set flush left or centered."""
    size = above[0].size
    if abs(row[0].size - size) > 0.3 or row[0].middle - above[0].middle > 1.6 * size:
        return False
    center, own = above[0].left + above[-1].right, row[0].left + row[-1].right
    return abs(row[0].left - above[0].left) < 2 or abs(center - own) < 4


def _text_edges(runs: list[Run], low: float, high: float) -> tuple[float, float]:
    """Return where most long lines of a column begin and end."""
    long = [run for run in runs if run.right - run.left > _FULL * (high - low)]
    if not long:
        return low, high
    lefts, rights = sorted([run.left for run in long]), sorted([run.right for run in long])
    return lefts[len(lefts) // 10], rights[-1 - len(rights) // 10]
