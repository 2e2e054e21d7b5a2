"""From words to runs of lines, and from runs to lines that know where each of their words is."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from memsum.document.document import Box
from memsum.document.readers.pdf.pdfium import Floats, Ints, Mask
from memsum.document.readers.pdf.words import GLUE, LIGATURES, Page
from memsum.errors import DocumentError

_RUN_GAP = 0.9  # em; a wider gap may be that between two columns
_LEVEL = 5  # degrees by which the words of a line may be tilted
_WORD_GAP = 0.35  # em; pdfium finds most spaces between words itself
_CELL_GAP = 1.0  # em; wider than most spaces between words of justified text
_EVEN = 0.2  # em by which the gaps between the words of a justified line may differ
_SMALL_WORD = re.compile(r"(?<!\S)[a-z]{2,}\b")
_MARK_GAP = 0.25  # em; a note's mark stands closer to its word
_OVERLAP = 0.3  # of the lower of two boxes
_LONGEST_ROW = 100  # runs
_MAX_RUNS = 20_000  # of a page; a page of text has a hundred
_SHARE = 0.8  # of the letters that make a line bold or italic
_INITIAL = 1.7  # times the size of what follows: a letter that begins a chapter
_RAISED = 0.85  # times the size of what it follows: a power, or a note's mark
_JOINED = str.maketrans({**LIGATURES, GLUE: ""})
_NOTE = re.compile(r"[\d*∗†‡§¶]{1,3}(?:[,–-][\d*∗†‡§¶]{1,3}){0,9},?")
_NOTED = re.compile(r"(?:[^\W\d_]{3}|[.,;:!?”’\"]|(?:[^\W\d_]{2}|\d{4})\.?[)\]])$")
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?")
_UNITS = re.compile(r"(?:\b|\d)(?:mol|sec|min|rad|bar|deg|sin|cos|tan|log|exp|max)$")


class Run(NamedTuple):
    """Words drawn one after the other on one line, in upright coordinates: x to the right, y downwards."""

    start: int
    stop: int
    left: float
    top: float
    right: float
    bottom: float
    size: float
    spelled: bool  # as the page has it
    font: int  # of all of its words, -1 if they differ
    middle: float  # the height of the run on the page


_middle, _left = attrgetter("middle"), attrgetter("left")


@dataclass(slots=True, eq=False)
class PageWords:
    """The words of a page and what the word before says about each."""

    page: Page
    angle: int  # of most words
    sizes: Floats
    spelled: list[bool]  # as the page's text has it, the space before it included
    spaced: list[bool]
    initial: list[bool]  # the word before it is the large first letter of this one
    raised: list[bool]  # smaller and higher than the word before it, and close to it
    starts: list[int] = field(init=False)  # of each word in the page's text
    stops: list[int] = field(init=False)
    fonts: list[int] = field(init=False)
    joined: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        page = self.page
        self.starts, self.stops = page.starts.tolist(), page.stops.tolist()
        self.fonts, self.joined = page.font_of.tolist(), page.joined.tolist()


class Part(NamedTuple):
    """A stretch of a line's text and the characters of the page that it shows."""

    start: int
    stop: int
    first: int
    last: int


@dataclass(slots=True, eq=False)
class Line:
    """A line of one column, in upright coordinates."""

    words: PageWords
    text: str
    parts: list[Part]
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool
    italic: bool
    mono: bool
    cells: int  # runs with wide gaps between them
    region: int = 0  # lines with the same number stand in one column of one page
    indent: float = 0.0  # how far the line begins behind its column's left edge
    shortfall: float = 0.0  # how far it ends before the right edge
    column_width: float = 0.0

    @property
    def page(self) -> int:
        return self.words.page.number

    def styled(self) -> tuple[int, bool]:
        """Count the characters at the beginning that are set unlike the rest, and tell whether they are bold."""
        words, fonts = self.words, self.words.page.fonts
        begin = bisect_right(words.starts, self.parts[0].first) - 1
        if _NUMBER.fullmatch(words.page.text[words.starts[begin] : words.stops[begin]]):
            begin = min(begin + 1, len(words.starts) - 1)
        first = fonts[words.fonts[begin]]
        bold = first.bold and not self.bold
        if not bold and (self.italic or not first.italic):
            return 0, False
        for part in self.parts:
            low, high = bisect_right(words.starts, part.first) - 1, bisect_left(words.starts, part.last)
            for index in range(max(low, begin), high):
                font = fonts[words.fonts[index]]
                if not (font.bold if bold else font.italic):
                    return part.start + max(words.starts[index] - part.first, 0), bold
        return 0, False

    def box(self, start: int, stop: int) -> Box | None:
        """Return the rectangle, in the PDF's own coordinates, of some characters of the line; as high as the line."""
        words = self.words
        if words.angle:
            return self._turned_box(start, stop)
        left, right = self.left, self.right
        for part in self.parts if start > 0 or stop < len(self.text) else ():
            begin, end, _, _ = part
            if begin <= start < end:
                left = self._edge(part, start, 0)
            if begin < stop <= end:
                right = self._edge(part, stop, 2)
        return Box(words.page.number, left, -self.top, right, -self.bottom)

    def _edge(self, part: Part, at: int, side: int) -> float:
        """Return where a word begins (0) or ends (2); inside a word its characters are taken as equally wide."""
        words = self.words
        begin, end, begun, ended = part
        offset = begun + (at - begin) * (ended - begun) / (end - begin)
        index = (bisect_right(words.starts, offset) if side == 0 else bisect_left(words.starts, offset)) - 1
        first, last = words.starts[index], words.stops[index]
        edges: list[float] = words.page.boxes[index].tolist()
        if first < offset < last:
            return edges[0] + (edges[2] - edges[0]) * (offset - first) / (last - first)
        return edges[0 if offset <= first else 2]

    def _turned_box(self, start: int, stop: int) -> Box | None:
        """Return the same on a page whose text does not run from left to right: whole words."""
        found: list[list[float]] = []
        for part in self.parts:
            if part.start < stop and start < part.stop:
                low, high = bisect_right(self.words.starts, part.first) - 1, bisect_left(self.words.starts, part.last)
                if part.last - part.first == part.stop - part.start:
                    low = bisect_right(self.words.starts, part.first + max(start - part.start, 0)) - 1
                    high = bisect_left(self.words.starts, part.first + min(stop, part.stop) - part.start)
                found.extend(self.words.page.boxes[low:high].tolist())
        if not found:
            return None
        lefts, tops, rights, bottoms = zip(*found, strict=True)
        return Box(self.page, min(lefts), max(tops), max(rights), min(bottoms))


def split_turned(page: Page) -> list[Page]:
    """Return the words of a page that are set as most are, and those in other directions as pages of their own."""
    if not any(font.angle for font in page.fonts):
        return [page]
    quarters, _, is_level = _directions(page)
    return [page.only(is_level), *(page.only(~is_level & (quarters == n)) for n in np.unique(quarters[~is_level]))]


def _directions(page: Page) -> tuple[Ints, int, Mask]:
    """Return by how many quarters each word is turned, by how many most are, and which are set as these are."""
    angles = np.array([font.angle % 360 for font in page.fonts], dtype=np.int64)[page.font_of]
    quarters = np.rint(angles / 90).astype(np.int64) % 4
    main = int(np.bincount(quarters, minlength=4).argmax())
    return quarters, main, np.abs((angles - 90 * main + 180) % 360 - 180) <= _LEVEL


def find_runs(page: Page) -> tuple[list[Run], PageWords]:
    """Return the runs of a page in the order they were drawn, and its words."""
    angle, boxes, level = _upright(page)
    words, spelled = _with_neighbors(page, angle, boxes)
    if not len(boxes):
        return [], words
    left, top, right, bottom = boxes.T
    height = bottom - top
    sizes = words.sizes
    em = np.maximum(sizes[1:], sizes[:-1])
    gap = left[1:] - right[:-1]
    overlap = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    together = (gap < _RUN_GAP * em) & (gap > -1.2 * em) & (overlap > _OVERLAP * np.minimum(height[1:], height[:-1]))
    together &= level[1:] & level[:-1]
    starts = np.concatenate(([0], np.flatnonzero(~together) + 1))
    stops = np.append(starts[1:], len(boxes))
    if len(starts) > _MAX_RUNS:
        raise DocumentError(f"Page {page.number} of the PDF has more scattered text than can be read.")
    spelled[starts] = ~page.joined[starts]
    lowest = np.minimum.reduceat(page.font_of, starts)
    uppermost, undermost = np.minimum.reduceat(top, starts), np.maximum.reduceat(bottom, starts)
    columns = (
        starts,
        stops,
        np.minimum.reduceat(left, starts),
        uppermost,
        np.maximum.reduceat(right, starts),
        undermost,
        np.maximum.reduceat(sizes, starts),
        np.logical_and.reduceat(spelled, starts),
        np.where(lowest == np.maximum.reduceat(page.font_of, starts), lowest, -1),
        (uppermost + undermost) / 2,
    )
    # As `Run._make`, which takes three times as long.
    return list(map(partial(tuple.__new__, Run), zip(*(column.tolist() for column in columns), strict=True))), words


def _upright(page: Page) -> tuple[int, Floats, Mask]:
    """Return how far most words are turned, all boxes turned back and y downwards, and which words are so set."""
    if not any(font.angle for font in page.fonts):
        return 0, page.boxes * np.array([1, -1, 1, -1], dtype=np.float32), np.ones(len(page.starts), dtype=bool)
    _, main, is_level = _directions(page)
    left, top, right, bottom = page.boxes.T
    turned = (
        (left, -top, right, -bottom),
        (bottom, left, top, right),
        (-right, bottom, -left, top),
        (-top, -right, -bottom, -left),
    )[main]
    return 90 * main, np.stack(turned, axis=1), is_level


def _with_neighbors(page: Page, angle: int, boxes: Floats) -> tuple[PageWords, Mask]:
    """Return the words of a page and what the word before each says about it, and which are as the page has them."""
    left, top, right, bottom = boxes.T
    height = bottom - top
    sizes = np.array([font.size for font in page.fonts], dtype=np.float32)[page.font_of]
    sizes = np.where((sizes > 1) & (sizes < 4 * height), sizes, height * 0.8)
    spaced, initial, raised, spelled = (np.zeros(len(boxes), dtype=bool) for _ in range(4))
    if len(boxes) > 1:
        before = page.stops[:-1]
        distance = page.starts[1:] - before
        gap = left[1:] - right[:-1]
        em = np.maximum(sizes[1:], sizes[:-1])
        wide = gap > _WORD_GAP * em
        spaced[1:] = (distance > 0) | wide
        initial[1:] = (before - page.starts[:-1] == 1) & (sizes[:-1] > _INITIAL * sizes[1:])
        smaller = sizes[1:] < _RAISED * sizes[:-1]
        raised[1:] = smaller & (bottom[1:] < bottom[:-1] - 0.1 * sizes[:-1]) & (gap < _MARK_GAP * sizes[:-1])
        raised |= page.raised
        close = ((distance == 0) & ~wide) | ((distance == 1) & page.blank[1:])
        spelled[1:] = close & ~(initial | raised | page.joined)[1:]
    columns = (each.tolist() for each in (spelled, spaced, initial, raised))
    return PageWords(page, angle, sizes, *columns), spelled


def group_rows(runs: Iterable[Run]) -> list[list[Run]]:
    """Return runs side by side on the same line, from top to bottom, each row from left to right."""
    rows: list[list[Run]] = []
    # Of each row: the middle and the bottom of its first run, the lowest top, the uppermost bottom, the right edge.
    extents: list[tuple[float, float, float, float, float]] = []
    for run in sorted(runs, key=_middle):
        _, _, left, top, right, bottom, _, _, _, middle = run
        for index in range(max(len(rows) - 3, 0), len(rows)):
            first, under, low, high, end = extents[index]
            if first < top and under < middle:  # most rows are above: the quick answer
                continue
            # And most runs stand behind all others of their row, and as high.
            low, high = (low if low > top else top), (high if high < bottom else bottom)
            row = rows[index]
            if len(row) < _LONGEST_ROW and ((left >= end and 2 * (high - low) >= bottom - top) or _beside(row, run)):
                row.append(run)
                extents[index] = first, under, low, high, (end if end > right else right)
                break
        else:
            rows.append([run])
            extents.append((middle, bottom, top, bottom, right))
    for row in rows:
        if len(row) > 1:
            row.sort(key=_left)
    return rows


def _beside(row: list[Run], run: Run) -> bool:
    """Tell whether a run stands on the line of a row, and on none of its runs; comparisons, for `min` takes long."""
    _, _, left, top, right, bottom, size, _, _, _ = run
    height = bottom - top
    for _, _, other_left, other_top, other_right, other_bottom, other_size, _, _, _ in row:
        shared = 2 * ((bottom if bottom < other_bottom else other_bottom) - (top if top > other_top else other_top))
        if shared < height and shared < other_bottom - other_top:
            return False
        if other_left < right and left < other_right:
            width = (right if right < other_right else other_right) - (left if left > other_left else other_left)
            if width > 0.5 * (size if size < other_size else other_size):
                return False
    return True


def make_line(words: PageWords, row: Sequence[Run]) -> Line:
    """Return the line of a row of runs."""
    page, starts, stops = words.page, words.starts, words.stops
    shown = page.text
    begun, ended, left, top, right, bottom, last_size, is_spelled, font, _ = row[0]
    if len(row) == 1 and is_spelled and font >= 0:
        first, last = starts[begun], stops[ended - 1]
        size, bold, italic, _, mono = page.fonts[font]
        parts = [Part(0, last - first, first, last)]
        return Line(words, shown[first:last], parts, left, top, right, bottom, size, bold, italic, mono, 1)
    text = ""
    parts = []
    letters: dict[int, int] = {}
    cells = 1
    gaps: list[float] = []
    end = right
    for run in row:
        start, stop, run_left, run_top, run_right, run_bottom, run_size, is_spelled, font, _ = run
        if parts:
            gap = run_left - end
            gaps.append(gap)
            smaller, larger = (run_size, last_size) if run_size < last_size else (last_size, run_size)
            if gap > _WORD_GAP * smaller and not (ended == begun + 1 and last_size > _INITIAL * run_size):
                text += " "
                cells += gap > _CELL_GAP * larger
        if is_spelled:
            first, last = starts[start], stops[stop - 1]
            parts.append(Part(len(text), len(text) + last - first, first, last))
            text += shown[first:last]
        else:
            text = _spell(words, run, text, parts)
        if font >= 0:
            letters[font] = letters.get(font, 0) + stops[stop - 1] - starts[start]
        else:
            for index in range(start, stop):
                font = words.fonts[index]
                letters[font] = letters.get(font, 0) + stops[index] - starts[index]
        top = run_top if run_top < top else top
        right = run_right if run_right > right else right
        bottom = run_bottom if run_bottom > bottom else bottom
        begun, ended, end, last_size = start, stop, run_right, run_size
    if cells > 2 and max(gaps) - min(gaps) < _EVEN * last_size and len(_SMALL_WORD.findall(text)) > 1:
        cells = 1  # all gaps are alike: justified text in a narrow column
    return Line(words, text, parts, left, top, right, bottom, *_style(page, letters), cells)


class Cell(NamedTuple):
    """A part of a line's text that wide gaps set apart, and its edges."""

    start: int
    stop: int
    left: float
    right: float


def cells_of(line: Line) -> list[Cell]:
    """Return the parts of a line that wide gaps set apart, such as the names of several authors."""
    words = line.words
    cells: list[tuple[int, int, float, float]] = []
    for part in line.parts if line.cells > 1 and words.angle == 0 else ():
        low, high = bisect_left(words.starts, part.first), bisect_left(words.starts, part.last)
        for index, (left, _, right, _) in enumerate(words.page.boxes[low:high].tolist(), low):
            start = min(part.start + words.starts[index] - part.first, part.stop)
            is_last = words.stops[index] >= part.last
            stop = part.stop if is_last else min(part.start + words.stops[index] - part.first, part.stop)
            if cells and left - cells[-1][3] <= _CELL_GAP * line.size:
                start, _, left, _ = cells.pop()
            cells.append((start, stop, left, right))
    return list(map(Cell._make, cells or [(0, len(line.text), line.left, line.right)]))


def _style(page: Page, letters: dict[int, int]) -> tuple[float, bool, bool, bool]:
    """Return the size of most letters, and whether nearly all are bold, italic, monospaced."""
    if len(letters) == 1:
        font = page.fonts[next(iter(letters))]
        return font.size, font.bold, font.italic, font.mono
    sizes: dict[float, int] = {}
    bold = italic = mono = total = 0
    for index, count in letters.items():
        font = page.fonts[index]
        sizes[font.size] = sizes.get(font.size, 0) + count
        total += count
        bold += count * font.bold
        italic += count * font.italic
        mono += count * font.mono
    enough = _SHARE * total
    return max(sizes, key=sizes.__getitem__), bold >= enough, italic >= enough, mono >= enough


def _spell(words: PageWords, run: Run, text: str, parts: list[Part]) -> str:
    """Add a run: ligatures in their letters, powers with a caret, without the marks of notes."""
    shown, starts, stops, spelled = words.page.text, words.starts, words.stops, words.spelled
    begun = len(text)
    was_raised = False
    stop, end = run.start, run.stop
    while stop < end:
        index, stop = stop, stop + 1
        first, last = starts[index], stops[index]
        own = shown[first:last]
        word = own.translate(_JOINED) if words.joined[index] else own
        if not word:
            continue
        is_raised = index > run.start and words.raised[index]
        if is_raised:
            if word[0].isdecimal() and text[-1:].isdecimal():
                text += "^"
            elif _NOTE.fullmatch(word) and _NOTED.search(text[-8:]) and not _UNITS.search(text[-8:]):
                was_raised = True
                continue
        elif words.spaced[index] and len(text) > begun and text[-1] != " ":
            text += "" if words.initial[index] or (was_raised and word[0] in ".,;:!?)]") else " "
        if not is_raised and word == own:  # what follows as the page has it comes with it
            while stop < end and spelled[stop]:
                stop += 1
            last = stops[stop - 1]
            word = shown[first:last]
        was_raised = is_raised
        parts.append(Part(len(text), len(text) + len(word), first, last))
        text += word
    return text
