"""Which words of a page a reader sees: those inside the page and its clips, drawn, and not painted over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.document.readers.pdf import pdfium
from memsum.document.readers.pdf.pdfium import Floats, Ints, Rect

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_NOT_DRAWN = 3  # the mode of text that is only there to be searched
_CLIPS = 7  # the mode of text that is only the clip of what follows
_STROKED = (1, 2, 5, 6)  # modes of text whose outlines are drawn, in a colour of their own
_SOME = 5  # words of a font
_TRUSTED = 0.02  # of the words in fonts without outlines, as those of bitmaps are, that may leave no trace
_OPAQUE, _WHITE = 255, 250
_SCAN = 0.5  # of the page; pictures that cover more are the page, and text not drawn is what was recognized on them
_SMALLEST = 4.0  # points; a smaller patch hides no word
_MOST_PATCHES = 1000  # of a page
_DEEPEST = 8  # forms in forms
_SLACK = 1.0  # points
_PALE = 200  # of 255, of the darkest of red, green and blue
_ALIKE = 40  # of 255, between a text and what it stands on
_TINY = 1.5  # points
_TRACE = 20  # of 255, by which some pixel of a word that is seen differs from the page without it
_PIXELS = 2.0  # for a point
_MOST_PIXELS = 2000  # across or down

Matrix = tuple[float, ...]
Mask = npt.NDArray[np.bool_]
Centers = npt.NDArray[np.floating[Any]]


class _Patch(NamedTuple):
    """Something painted on a page: where it stands in the order of drawing, and on the page."""

    order: int
    area: Rect
    white: bool
    covers: bool


class _Drawing:
    """What is drawn on a page; text in forms with the form's matrix and clip."""

    def __init__(self) -> None:
        self.clips = pdfium.Clips()
        self.texts: list[tuple[int, list[int]]] = []  # those between two patches, and their rank in the order
        self.forms: dict[int, tuple[Matrix, Rect]] = {}
        self.patches: list[_Patch] = []
        self.pictures = 0.0  # the area they cover
        # All that is painted: it may hide what was drawn before it, and what is drawn on it in its colour.
        self.grounds: list[tuple[int, Rect, Ints | None]] = []
        self._drawn = 0

    def add(self, objects: list[int], types: list[int], matrix: Matrix | None, clip: Rect, depth: int) -> None:
        """Take in the objects of a page or a form."""
        at = 0
        for index in np.flatnonzero(np.array(types) != pdfium.TEXT).tolist():
            self._add_texts(objects[at:index], matrix, clip)
            self._drawn += 1
            at = index + 1
            item, kind = objects[index], types[index]
            if kind != pdfium.FORM:
                if max(len(self.patches), len(self.grounds)) < _MOST_PATCHES:
                    self._add_patch(item, kind, matrix, clip)
            elif depth < _DEEPEST:
                inner = clip
                for _, own in self.clips.of([item]):
                    inner = inner.within(_moved(own, matrix))
                self.add(*pdfium.form_objects(item), _product(pdfium.matrix_of(item), matrix), inner, depth + 1)
        self._add_texts(objects[at:], matrix, clip)

    def order(self) -> dict[int, int]:
        return {item: drawn for drawn, items in self.texts for item in items}

    def _add_texts(self, items: list[int], matrix: Matrix | None, clip: Rect) -> None:
        self._drawn += 1
        if items:
            self.texts.append((self._drawn, items))
            if matrix:
                self.forms.update(dict.fromkeys(items, (matrix, clip)))

    def _add_patch(self, item: int, kind: int, matrix: Matrix | None, clip: Rect) -> None:
        if kind == pdfium.PATH and not pdfium.is_filled(item):
            return
        bounds = pdfium.bounds_of(item)
        area = _moved(bounds, matrix).within(clip) if bounds else None
        if area is None or area.right - area.left < _SMALLEST or area.top - area.bottom < _SMALLEST:
            return
        if kind != pdfium.PATH:
            self.grounds.append((self._drawn, area, None))
            self.pictures += area.area
            self.patches.append(_Patch(self._drawn, area, white=False, covers=False))
            return
        fill = pdfium.fills_of([item])[0]
        self.grounds.append((self._drawn, area, fill[:3].astype(np.int64)))
        if fill[3] >= _OPAQUE and not pdfium.has_transparency(item):
            white = bool(fill[:3].min() >= _WHITE)
            self.patches.append(_Patch(self._drawn, area, white, covers=_is_rectangle(item)))


class Budget:
    """How many pages of a document may still be drawn to find out what is seen, and how many were left unchecked."""

    def __init__(self, pages: int = 100) -> None:
        self.pages = pages
        self.unchecked = 0
        self.trusted: set[str] = set()  # names of fonts without outlines whose letters were seen

    def take(self) -> bool:
        """Tell whether one more page may be drawn."""
        self.pages -= 1
        self.unchecked += self.pages < 0
        return self.pages >= 0


def seen(page: PdfPage, objects: Sequence[int], of_word: Ints, boxes: Floats, budget: Budget) -> Mask:
    """Return which words are seen; `of_word` says to which of the text objects each belongs."""
    area = pdfium.page_area(page)
    across, up = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    drawing = _Drawing()
    drawing.add(*pdfium.page_objects(pdfium.address_of(page.raw)), None, area, 0)
    areas = _clipped(drawing, objects, area)[of_word]
    visible = (across >= areas[:, 0]) & (across <= areas[:, 2]) & (up >= areas[:, 1]) & (up <= areas[:, 3])
    visible &= (boxes[:, 1] - boxes[:, 3] > _TINY) | (boxes[:, 2] - boxes[:, 0] > 4 * _TINY)
    modes = np.array(pdfium.render_modes(objects), dtype=np.int64)
    hidden = modes == _NOT_DRAWN
    if hidden.any() and drawing.pictures < _SCAN * area.area:
        visible &= ~hidden[of_word]
    visible &= (modes != _CLIPS)[of_word]
    white = _is_white(objects)
    drawn = drawing.texts
    is_simple = not drawn or not (white.any() or drawing.grounds)
    white = white[of_word]
    listed = {} if is_simple else drawing.order()
    order = np.array([listed.get(item, 0) for item in objects], dtype=np.int64)[of_word]
    doubtful = _doubtful(drawing, objects)[of_word] | (len(drawing.grounds) >= _MOST_PATCHES)
    colors = pdfium.fills_of(objects)[:, :3].astype(np.int64)[of_word]
    for drawn_at, (left, bottom, right, top), color in () if is_simple else drawing.grounds:
        hides = order < drawn_at
        if color is not None:
            hides |= np.abs(colors - color).max(axis=1) < _ALIKE
        if hides.any():
            doubtful |= (across > left) & (across < right) & (up > bottom) & (up < top) & hides
    if not is_simple:
        visible &= _uncovered(drawing, across, up, order, white)
    doubtful |= np.isin(modes, _STROKED)[of_word]
    blank, names = _without_outlines(objects, of_word, budget)
    doubtful |= blank[of_word]
    doubtful &= visible & ~hidden[of_word]
    if doubtful.any() and budget.take():
        missing = _without_trace(page, objects, of_word, boxes, doubtful)
        if names and missing[blank[of_word]].mean() < _TRUSTED:
            budget.trusted |= names
        visible &= ~missing
    return visible


def _without_outlines(objects: Sequence[int], of_word: Ints, budget: Budget) -> tuple[Mask, set[str]]:
    """Return which text objects have a font without outlines that is not trusted yet, and the names of these fonts.

    Fonts of few words are those of formulas and ornaments.
    """
    fonts = pdfium.fonts_of(objects)
    words = Counter(fonts[index] for index in of_word.tolist())
    blank = {font for font, count in words.items() if font and count >= _SOME and pdfium.may_be_blank(font)}
    named = {font: pdfium.describe_font(font)[0] for font in blank}
    blank = {font for font in blank if named[font] not in budget.trusted}
    return np.array([font in blank for font in fonts], dtype=bool), {named[font] for font in blank}


def _uncovered(drawing: _Drawing, across: Centers, up: Centers, order: Ints, white: Mask) -> Mask:
    """Return which words are neither below a rectangle nor white on white."""
    visible = np.ones(len(order), dtype=bool)
    for patch in drawing.patches:
        left, bottom, right, top = patch.area
        inside = (across > left) & (across < right) & (up > bottom) & (up < top)
        if patch.covers:
            visible &= ~(inside & (order < patch.order))
        if not patch.white:
            white &= ~(inside & (order > patch.order))
    return visible & ~white


def _doubtful(drawing: _Drawing, objects: Sequence[int]) -> Mask:
    """Return which text objects may not be seen for reasons that only drawing them can tell."""
    fills = pdfium.fills_of(objects)
    found: Mask = (fills[:, :3].min(axis=1, initial=255) >= _PALE) | (fills[:, 3] < _OPAQUE)
    found |= np.array(pdfium.are_transparent(objects), dtype=bool)
    found |= np.array(pdfium.are_in_layers(objects), dtype=bool)
    others = drawing.forms.keys() | drawing.clips.shaped
    if others:
        found |= np.array([item in others for item in objects], dtype=bool)
    return found


def _without_trace(page: PdfPage, objects: Sequence[int], of_word: Ints, boxes: Floats, doubtful: Mask) -> Mask:
    """Return which of the doubtful words leave no trace: the page is drawn with their objects and without them."""
    scale = min(_PIXELS, _MOST_PIXELS / max(*page.get_size(), 1.0))
    first = pdfium.picture_of(page, scale)
    items = [objects[index] for index in np.unique(of_word[doubtful]).tolist()]
    modes = pdfium.render_modes(items)
    pdfium.undrawn(items)
    second = pdfium.picture_of(page, scale)
    pdfium.restore_modes(items, modes)
    height, width = first.shape[:2]
    changed = np.abs(first.astype(np.int16) - second).max(axis=2) >= _TRACE
    sums = np.zeros((height + 1, width + 1), dtype=np.int64)
    sums[1:, 1:] = changed.cumsum(axis=0).cumsum(axis=1)
    own = boxes[doubtful]
    corners = [pdfium.pixels_at(page, width, height, own[:, pair]) for pair in ([0, 1], [2, 3])]
    low = np.minimum(*corners).clip(0, [width, height])
    high = (np.maximum(*corners) + 1).clip(0, [width, height])
    (left, top), (right, bottom) = low.T, high.T
    traces = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    missing = np.zeros(len(boxes), dtype=bool)
    missing[np.flatnonzero(doubtful)[traces == 0]] = True
    return missing


def _clipped(drawing: _Drawing, objects: Sequence[int], area: Rect) -> Floats:
    """Return where each text object can be seen."""
    areas = np.empty((len(objects), 4), dtype=np.float32)
    areas[:] = area
    for index, item in enumerate(objects if drawing.forms else ()):
        if item in drawing.forms:
            areas[index] = drawing.forms[item][1]
    for index, clip in drawing.clips.of(objects):
        matrix, outer = drawing.forms.get(objects[index], (None, area))
        areas[index] = outer.within(_moved(clip, matrix))
    return areas + np.array([-_SLACK, -_SLACK, _SLACK, _SLACK], dtype=np.float32)


def _is_white(objects: Sequence[int]) -> Mask:
    """Return which text objects are as white as the paper, or not opaque at all."""
    fills = pdfium.fills_of(objects)
    white: Mask = (fills[:, :3].min(axis=1) >= _WHITE) | (fills[:, 3] == 0)
    return white


def _is_rectangle(path: int) -> bool:
    """Tell whether a path has the corners of an upright rectangle and nothing else."""
    points = pdfium.path_points(path)
    return len(points) >= 4 and len({x for x, _ in points}) == 2 and len({y for _, y in points}) == 2


def _moved(rect: Rect, matrix: Matrix | None) -> Rect:
    """Return the rectangle around a rectangle under a matrix."""
    if matrix is None:
        return rect
    a, b, c, d, e, f = matrix
    corners = [(x, y) for x in (rect.left, rect.right) for y in (rect.bottom, rect.top)]
    across = [a * x + c * y + e for x, y in corners]
    up = [b * x + d * y + f for x, y in corners]
    return Rect(min(across), min(up), max(across), max(up))


def _product(inner: Matrix, outer: Matrix | None) -> Matrix:
    """Return the matrix that does what the inner does and then the outer."""
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u
