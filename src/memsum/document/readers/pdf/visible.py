"""Which words of a page a reader sees. Only what is certain is left out; everything else is read.

Certain is: text drawn in mode 3 that lies on no picture, text outside the page or its clip, and what leaves no trace
when the page is drawn with it and without it. Only text in doubt is drawn: below something painted later, in the color
of what it stands on, nearly transparent, clipped by a shape, in a layer, or in a font that may draw nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.document.readers.pdf import pdfium
from memsum.document.readers.pdf.pdfium import Floats, Ints, Mask, Rect

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_NOT_DRAWN = 3  # the mode of text that is only there to be searched
_OUTLINES = 1  # the mode of text of which only outlines are drawn, in a color of their own; 5 clips as well
_CLIP = 7  # the mode of text through which what is painted later is seen: drawn without it, that stays
_FAINT = 77  # of 255; text of less opacity may not be seen
_ALIKE = 40  # of 255, between the colors of a text and of what it stands on
_TRACE = 11  # of 255, by which some pixel of a word that is seen differs from the page without it
_MOST_PIXELS = 2000  # across or down; a page has one for a point
_MOST_PAIRS = 1_000_000  # of words and what is painted around their centers
_MOST_FORMS, _DEEPEST = 1000, 8  # forms of a page, forms in forms
_SLACK = 1.0  # points

_SAMPLE = 5  # words of a font whose first letters are looked at

Matrix = tuple[float, ...]
Numbers = npt.NDArray[Any]


class Texts(NamedTuple):
    """The text objects of a page, the fonts of each, by their addresses, and the names of these."""

    objects: list[int]
    fonts: Ints
    names: dict[int, str]


class Budget:
    """What is known of a document while its pages are checked, and how many of them may still be drawn."""

    def __init__(self, data: bytes = b"", pages: int = 100) -> None:
        self._data = data
        self.pages = pages
        self.unchecked = 0
        self.seen: set[str] = set()  # names of fonts that draw something

    @cached_property
    def has_layers(self) -> bool:
        return pdfium.has_layers(self._data)

    def take(self) -> bool:
        """Tell whether one more page may be drawn."""
        self.pages -= 1
        self.unchecked += self.pages < 0
        return self.pages >= 0


class _Form(NamedTuple):
    """How the objects of a page, or of a form in it, come to the page."""

    matrix: Matrix | None
    clip: Rect
    is_faint: bool


class Drawing:
    """What is drawn on a page, in this order; forms by what they draw."""

    def __init__(self, page: PdfPage) -> None:
        self.area = pdfium.page_area(page)
        self.clips = pdfium.Clips()
        self.items: list[int] = []
        self.types: list[int] = []
        self.forms: list[_Form] = []
        self.form_of: list[int] = []  # 0 for the page
        self._add(*pdfium.objects_of(pdfium.address_of(page.raw)), _Form(None, self.area, is_faint=False), 0)
        self.has_marks = pdfium.drop_replacements(self.items)
        self.kinds = np.array(self.types)

    def _add(self, objects: list[int], types: list[int], form: _Form, depth: int) -> None:
        own = len(self.forms)
        self.forms.append(form)
        start = 0
        stops = [at for at, kind in enumerate(types) if kind == pdfium.FORM] if pdfium.FORM in types else []
        for stop in (*stops, len(objects)):
            self.items += objects[start:stop]
            self.types += types[start:stop]
            self.form_of += [own] * (stop - start)
            start = stop + 1
            if stop < len(objects) and depth < _DEEPEST and len(self.forms) < _MOST_FORMS:
                item = objects[stop]
                clip = form.clip
                for _, inner in self.clips.of([item]):
                    clip = clip.within(_moved(inner, form.matrix))
                is_faint = form.is_faint or bool(pdfium.fills_of([item])[0, 3] < _FAINT)
                inside = _Form(_product(pdfium.matrix_of(item), form.matrix), clip, is_faint)
                self._add(*pdfium.objects_of(item, is_form=True), inside, depth + 1)

    def find(self, objects: Sequence[int]) -> Ints:
        """Return where in the order objects are drawn; -1 for those in forms that are not looked into."""
        items, wanted = np.array(self.items, dtype=np.int64), np.array(objects, dtype=np.int64)
        order = np.argsort(items)
        found = order[np.searchsorted(items, wanted, sorter=order).clip(max=len(items) - 1)]
        return np.where(items[found] == wanted, found, -1)

    def forms_of(self, objects: Sequence[int]) -> Ints:
        """Return by which form, or by the page itself (0), objects are drawn; -1 for those that are not looked into."""
        if len(self.forms) == 1 or not self.items:
            return np.zeros(len(objects), dtype=np.int64)
        places = self.find(objects)
        return np.where(places < 0, -1, np.array(self.form_of)[places])

    def clip(self, objects: Sequence[int], forms: Ints, areas: Floats) -> None:
        """Make areas on the page that objects take those in which they can be seen."""
        clips = np.array([*(form.clip for form in self.forms), self.area])[forms]
        np.maximum(areas[:, :2], clips[:, :2], out=areas[:, :2])
        np.minimum(areas[:, 2:], clips[:, 2:], out=areas[:, 2:])
        for index, clip in self.clips.of(objects):
            if forms[index] < 0:
                continue
            areas[index] = Rect(*areas[index].tolist()).within(_moved(clip, self.forms[forms[index]].matrix))

    def painted(self) -> tuple[Ints, Floats]:
        """Return what is drawn besides text, and the areas that it takes on the page."""
        places = np.flatnonzero(self.kinds != pdfium.TEXT)
        areas = pdfium.bounds_of([self.items[place] for place in places.tolist()])
        form_of = np.array(self.form_of, dtype=np.int64)[places]
        for number in np.unique(form_of).tolist() if len(self.forms) > 1 else ():
            if matrix := self.forms[number].matrix:
                own = np.flatnonzero(form_of == number)
                a, b, c, d, e, f = matrix
                x, y = areas[own][:, [0, 0, 2, 2]], areas[own][:, [1, 3, 1, 3]]
                across, up = a * x + c * y + e, b * x + d * y + f
                areas[own] = np.stack((across.min(1), up.min(1), across.max(1), up.max(1)), axis=1)
        return places, areas


def seen(
    page: PdfPage, drawing: Drawing, texts: Texts, of_word: Ints, letters: Numbers, boxes: Floats, budget: Budget
) -> Mask:
    """Return which words are seen; `of_word` says to which text object each belongs, `letters` how it begins."""
    if not len(of_word):
        return np.zeros(0, dtype=bool)
    objects = texts.objects
    forms = drawing.forms_of(objects)
    fills, modes = pdfium.fills_of(objects), pdfium.render_modes(objects)
    areas = np.full((len(objects), 4), [-np.inf, -np.inf, np.inf, np.inf])
    drawing.clip(objects, forms, areas)
    left, bottom, right, top = areas[of_word].T
    visible: Mask = (boxes[:, 2] > left - _SLACK) & (boxes[:, 0] < right + _SLACK)
    visible &= (boxes[:, 1] > bottom - _SLACK) & (boxes[:, 3] < top + _SLACK)
    on_picture, is_painted_on, doubtful = _on_grounds(drawing, objects, of_word, fills[:, :3], boxes)
    visible &= (modes != _NOT_DRAWN)[of_word] | on_picture
    visible &= (modes != _CLIP)[of_word] | is_painted_on
    blank = _without_ink(texts, of_word, letters, budget)
    unsure = _may_be_unseen(drawing, objects, forms, fills[:, 3], budget) | (modes % 4 == _OUTLINES)
    if blank:
        unsure |= np.isin(texts.fonts, blank)
    doubtful = (doubtful | unsure[of_word]) & visible & ((modes != _NOT_DRAWN) & (modes != _CLIP))[of_word]
    if doubtful.any() and budget.take():
        unseen = np.flatnonzero(doubtful)
        # Text drawn twice at one place has its characters once: the other object may be the one that is seen.
        is_text = drawing.kinds == pdfium.TEXT
        doubles = np.setdiff1d(np.array(drawing.items, dtype=np.int64)[is_text], objects).tolist()
        for is_gray in (True, False):  # different colors may be the same gray
            if len(unseen):
                items = [objects[index] for index in np.unique(of_word[unseen]).tolist()] + doubles
                unseen = unseen[~_leave_trace(page, drawing.area, items, boxes[unseen], is_gray=is_gray)]
        visible[unseen] = False
        budget.seen |= {texts.names[font] for font in blank if visible[doubtful & (texts.fonts == font)[of_word]].any()}
    return visible


def _may_be_unseen(drawing: Drawing, objects: Sequence[int], forms: Ints, opacity: Ints, budget: Budget) -> Mask:
    """Return which text objects may not be seen for reasons that only drawing them can tell."""
    found: Mask = (opacity < _FAINT) | (forms < 0)
    found |= pdfium.are_transparent(objects) & (opacity == 255)  # by a mask, or mixed
    found |= np.array([form.is_faint for form in drawing.forms], dtype=bool)[forms]
    if drawing.clips.shaped:
        found |= np.array([item in drawing.clips.shaped for item in objects])
    if (len(drawing.forms) > 1 or drawing.has_marks) and budget.has_layers:
        found |= (forms > 0) | pdfium.are_in_layers(objects)
    return found


def _without_ink(texts: Texts, of_word: Ints, letters: Numbers, budget: Budget) -> list[int]:
    """Return the fonts that may draw nothing: for the first letters of some words no outline is known.

    Each font is looked at once in a document, if it turns out to be seen; those of few words are of formulas.
    """
    found: list[int] = []
    for font, name in texts.names.items():
        if name not in budget.seen:
            sample = letters[(texts.fonts == font)[of_word]][:_SAMPLE].tolist()
            if name and pdfium.has_outlines(font, sample):
                budget.seen.add(name)
            elif len(sample) == _SAMPLE:
                found.append(font)
    return found


def _on_grounds(
    drawing: Drawing, objects: Sequence[int], of_word: Ints, fills: Ints, boxes: Floats
) -> tuple[Mask, Mask, Mask]:
    """Return which words lie on a picture, which are painted on, and which may be lost, there or in their color.

    Only what is painted around the center of a word counts.
    """
    on_picture, is_painted_on = np.zeros((2, len(of_word)), dtype=bool)
    is_pale = (fills.min(axis=1) > 255 - _ALIKE)[of_word]
    grounds, areas = drawing.painted()
    if not len(grounds):
        return on_picture, is_painted_on, is_pale
    across, up = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    pairs = _pairs(across, up, areas)
    if pairs is None:
        return ~on_picture, ~on_picture, ~on_picture
    if not len(pairs[0]):
        return on_picture, is_painted_on, is_pale
    places, colors = drawing.find(objects)[of_word], fills[of_word]
    used, ground = np.unique(pairs[1], return_inverse=True)
    word, grounds = pairs[0], grounds[used]
    items = [drawing.items[place] for place in grounds.tolist()]
    is_path = drawing.kinds[grounds] == pdfium.PATH
    is_painted = ~is_path | pdfium.are_filled(items)
    areas = areas[used]
    drawing.clip(items, np.array(drawing.form_of)[grounds], areas)
    left, bottom, right, top = areas[ground].T
    kept = (across[word] > left) & (across[word] < right) & (up[word] > bottom) & (up[word] < top) & is_painted[ground]
    word, ground = word[kept], ground[kept]
    on_picture[word[~is_path[ground]]] = True
    order = grounds[ground]
    is_below = order < places[word]
    # What is opaque and a rectangle hides what was painted before it: a word stands on the last of them, or on paper.
    paints = pdfium.fills_of(items)
    hides = is_path & (paints[:, 3] == 255) & ~pdfium.are_transparent(items)
    hides[hides] = [pdfium.is_rectangle(items[index]) for index in np.flatnonzero(hides).tolist()]
    last = np.full(len(places), -1)
    sure = is_below & hides[ground]
    np.maximum.at(last, word[sure], order[sure])
    is_alike = np.where(is_path[ground], np.abs(colors[word] - paints[ground, :3]).max(axis=1) < _ALIKE, is_pale[word])
    lost = is_pale & (last < 0)
    lost[word[is_alike & is_below & (order >= last[word])]] = True
    is_painted_on[word[~is_below]] = True
    return on_picture, is_painted_on, lost | is_painted_on


def _pairs(across: Numbers, up: Numbers, areas: Floats) -> tuple[Ints, Ints] | None:
    """Return which words have their center in which areas, as two lists; None if they are too many to look at."""
    order = np.argsort(up)
    low = np.searchsorted(up[order], areas[:, 1], "right")
    counts = np.maximum(np.searchsorted(up[order], areas[:, 3], "left") - low, 0)
    counts[areas[:, 2] <= areas[:, 0]] = 0
    if counts.sum() > _MOST_PAIRS:
        return None
    area = np.repeat(np.arange(len(areas)), counts)
    word = order[np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(len(area))]
    inside = (across[word] > areas[area, 0]) & (across[word] < areas[area, 2])
    return word[inside], area[inside]


def _leave_trace(page: PdfPage, area: Rect, items: list[int], boxes: Floats, *, is_gray: bool) -> Mask:
    """Return which words leave a trace: what is around them is drawn with their objects and without them."""
    around = Rect(*boxes[:, [0, 3]].min(axis=0).tolist(), *boxes[:, [2, 1]].max(axis=0).tolist()).within(area)
    if not (np.isfinite(area).all() and around.right > around.left and around.top > around.bottom):
        return np.ones(len(boxes), dtype=bool)
    picture = pdfium.Picture(page, area, around, min(1.0, _MOST_PIXELS / max(*page.get_size(), 1.0)), is_gray=is_gray)
    first = picture.draw()
    modes = pdfium.render_modes(items)
    pdfium.set_modes(items, [_NOT_DRAWN] * len(items))
    second = picture.draw()
    pdfium.set_modes(items, modes.tolist())
    changed = (np.maximum(first, second) - np.minimum(first, second)).max(axis=2) >= _TRACE
    sums = np.zeros((changed.shape[0] + 1, changed.shape[1] + 1), dtype=np.int32)
    sums[1:, 1:] = changed.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)
    left, top, right, bottom = picture.pixels(boxes).T
    traces: Mask = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left] > 0
    return traces


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
