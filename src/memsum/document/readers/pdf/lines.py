"""From characters to pieces of lines, and from pieces to lines that know the place of each of their characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.document.model import Box
from memsum.document.readers.pdf.glyphs import Font, Page, with_accents
from memsum.errors import DocumentError

Floats = npt.NDArray[np.float32]

_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_PIECE_GAP = 0.9  # em; a wider gap may be that between two columns
_WORD_GAP = 0.35  # em; pdfium finds most spaces between words itself
_CELL_GAP = 1.0  # em; wider than most spaces between words of justified text
_OVERLAP = 0.3  # of the lower of two boxes
_LONGEST_ROW = 100  # pieces
_MAX_PIECES = 20_000  # of a page; a page of text has a hundred
_SHARE = 0.8  # of the letters that make a line bold or italic


class Piece(NamedTuple):
    """Characters drawn one after the other on one line, in upright coordinates: x to the right, y downwards."""

    start: int
    stop: int
    left: float
    top: float
    right: float
    bottom: float
    size: float

    @property
    def middle(self) -> float:
        """The height of the piece on the page."""
        return (self.top + self.bottom) / 2


@dataclass(slots=True, eq=False)
class Line:
    """A line of one column, in upright coordinates; `places` has the glyph of each character, -1 for a space."""

    page: Page
    text: str
    places: list[int]
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool
    italic: bool
    cells: int  # pieces with wide gaps between them
    region: int = 0  # lines with the same number stand in one column of one page
    column_left: float = 0.0
    column_right: float = 0.0

    @property
    def indent(self) -> float:
        """How far the line begins behind its column's left edge."""
        return self.left - self.column_left

    @property
    def shortfall(self) -> float:
        """How far the line ends before its column's right edge."""
        return self.column_right - self.right

    def box(self, start: int, stop: int) -> Box | None:
        """The rectangle, in the PDF's own coordinates, of some characters of the line."""
        shown = [place for place in self.places[start:stop] if place >= 0]
        if not shown:
            return None
        boxes = self.page.boxes[shown]
        left, bottom = boxes[:, (0, 3)].min(axis=0).tolist()
        right, top = boxes[:, (2, 1)].max(axis=0).tolist()
        return Box(self.page.number, left, top, right, bottom)


def upright(page: Page) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The boxes as left, top, right, bottom with y downwards and most text horizontal, and which glyphs are so set."""
    angles = np.array([font.angle % 360 for font in page.fonts], dtype=np.int32)[page.font_of]
    main = Counter((np.round(angles / 90).astype(int) % 4 * 90).tolist()).most_common(1)
    angle = main[0][0] if main else 0
    left, top, right, bottom = page.boxes.T
    turned = {
        0: (left, -top, right, -bottom),
        90: (bottom, left, top, right),
        180: (-right, bottom, -left, top),
        270: (-top, -right, -bottom, -left),
    }[angle]
    tilt = (angles - angle + 180) % 360 - 180
    return np.stack(turned, axis=1), np.abs(tilt) <= 5


def find_pieces(page: Page) -> tuple[list[Piece], Floats]:
    """The pieces of a page in the order they were drawn, tilted text left out, and the upright boxes."""
    boxes, level = upright(page)
    if not len(boxes):
        return [], boxes
    left, top, right, bottom = boxes.T
    height = bottom - top
    sizes = np.array([font.size for font in page.fonts], dtype=np.float32)[page.font_of]
    sizes = np.where((sizes > 1) & (sizes < 4 * height), sizes, height * 0.8)
    em = np.maximum(sizes[1:], sizes[:-1])
    gap = left[1:] - right[:-1]
    overlap = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    together = (gap < _PIECE_GAP * em) & (gap > -1.2 * em) & (overlap > _OVERLAP * np.minimum(height[1:], height[:-1]))
    together &= level[1:] & level[:-1]
    starts = np.concatenate(([0], np.flatnonzero(~together) + 1))
    stops = np.append(starts[1:], len(boxes))
    if len(starts) > _MAX_PIECES:
        raise DocumentError(f"Page {page.number} of the PDF has more scattered text than can be read.")
    columns = (
        starts[level[starts]],
        stops[level[starts]],
        np.minimum.reduceat(left, starts)[level[starts]],
        np.minimum.reduceat(top, starts)[level[starts]],
        np.maximum.reduceat(right, starts)[level[starts]],
        np.maximum.reduceat(bottom, starts)[level[starts]],
        np.maximum.reduceat(sizes, starts)[level[starts]],
    )
    return [Piece(*values) for values in zip(*(column.tolist() for column in columns), strict=True)], boxes


def group_rows(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces side by side on the same line, from top to bottom, each row from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        for row in rows[-3:]:
            if _beside(row, piece):
                row.append(piece)
                break
        else:
            rows.append([piece])
    for row in rows:
        row.sort(key=lambda piece: piece.left)
    return rows


def _beside(row: list[Piece], piece: Piece) -> bool:
    """Whether a piece stands on the line of a row, and on none of its pieces."""
    if len(row) >= _LONGEST_ROW:
        return False
    for other in row:
        shared = min(piece.bottom, other.bottom) - max(piece.top, other.top)
        if shared < 0.5 * min(piece.bottom - piece.top, other.bottom - other.top):
            return False
        if min(piece.right, other.right) - max(piece.left, other.left) > 0.5 * min(piece.size, other.size):
            return False
    return True


def make_line(page: Page, boxes: Floats, row: Sequence[Piece]) -> Line:
    """The line of a row of pieces."""
    chars: list[str] = []
    places: list[int] = []
    weights: Counter[Font] = Counter()
    cells = 1
    for index, piece in enumerate(row):
        before = row[index - 1]
        gap = piece.left - before.right if index else 0.0
        is_initial = before.stop == before.start + 1 and before.size > 1.7 * piece.size
        if gap > _WORD_GAP * min(piece.size, before.size) and not is_initial:
            chars.append(" ")
            places.append(-1)
            cells += gap > _CELL_GAP * max(piece.size, before.size)
        _add_piece(page, boxes, piece, chars, places, weights)
    letters = sum(weights.values()) or 1
    sizes: Counter[float] = Counter()
    for font, weight in weights.items():
        sizes[font.size] += weight
    return Line(
        page,
        "".join(chars),
        places,
        min(piece.left for piece in row),
        min(piece.top for piece in row),
        max(piece.right for piece in row),
        max(piece.bottom for piece in row),
        sizes.most_common(1)[0][0] if sizes else row[0].size,
        sum(weight for font, weight in weights.items() if font.bold) >= _SHARE * letters,
        sum(weight for font, weight in weights.items() if font.italic) >= _SHARE * letters,
        cells,
    )


def _add_piece(
    page: Page, boxes: Floats, piece: Piece, chars: list[str], places: list[int], weights: Counter[Font]
) -> None:
    """Append a piece's characters: spaces between words, ligatures in their letters, powers with a caret."""
    start, stop = piece.start, piece.stop
    shown = page.chars[start:stop]
    if any(char in "´`¨ˆ˜ˇ¸" for char in shown):
        shown = with_accents(shown, boxes[start:stop])
    wide = boxes[start + 1 : stop, 0] - boxes[start : stop - 1, 2] > _WORD_GAP * piece.size
    spaced = [False, *(page.spaced[start + 1 : stop] | wide).tolist()]
    font_of = page.font_of[start:stop].tolist()
    before = font_of[0]
    for offset, char in enumerate(shown):
        if not char:
            continue
        place, font = start + offset, font_of[offset]
        is_initial = len(chars) == 1 and page.fonts[before].size > 1.7 * page.fonts[font].size
        if spaced[offset] and chars and chars[-1] != " " and not is_initial:
            chars.append(" ")
            places.append(-1)
        elif font != before and char.isdecimal() and chars and chars[-1].isdecimal() and _raised(page, boxes, place):
            chars.append("^")
            places.append(-1)
        before = font
        for letter in _LIGATURES.get(char, char):
            chars.append(letter)
            places.append(place)
        weights[page.fonts[font]] += 1


def _raised(page: Page, boxes: Floats, place: int) -> bool:
    """Whether a character is a superscript of the one before it."""
    size, before = (page.fonts[page.font_of[index]].size for index in (place, place - 1))
    return size < 0.85 * before and bool(boxes[place, 3] < boxes[place - 1, 3] - 0.1 * before)
