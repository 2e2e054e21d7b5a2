"""Questions to pdfium in bulk, one list or array for many characters or objects; and a check before it opens a file.

The functions are called by their address with plain numbers: ctypes needs a third less time for them than for
pypdfium2's own declarations, and `map` spares the interpreter between two calls.
"""

from __future__ import annotations

import ctypes
import re
import zlib
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.errors import DocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

TEXT, PATH, IMAGE, SHADING, FORM = 1, 2, 3, 4, 5
_POINTER, _INT, _FLOAT, _DOUBLE = ctypes.c_void_p, ctypes.c_int, ctypes.c_float, ctypes.c_double


class Rect(NamedTuple):
    """A rectangle in the page's coordinates, y upwards."""

    left: float
    bottom: float
    right: float
    top: float

    def within(self, other: Rect) -> Rect:
        """Return what two rectangles share; nothing has a right edge before its left one."""
        return Rect(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )

    @property
    def area(self) -> float:
        return max(self.right - self.left, 0.0) * max(self.top - self.bottom, 0.0)


@cache
def _function(name: str, result: Any, *arguments: Any) -> Any:
    import pypdfium2.raw as pdfium

    return ctypes.CFUNCTYPE(result, *arguments)(address_of(getattr(pdfium, name)))


def address_of(handle: Any) -> int:
    """Return the address that one of pypdfium2's pointers holds."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


class PageText:
    """The characters of a page, numbered as pdfium numbers them."""

    def __init__(self, textpage: PdfTextPage) -> None:
        self._open = textpage  # pypdfium2 closes it with its last reference
        self._address = address_of(textpage.raw)
        self.count = textpage.count_chars()

    def codes(self) -> npt.NDArray[np.uint16]:
        if not self.count:
            return np.zeros(0, dtype=np.uint16)
        buffer = np.zeros(self.count + 1, dtype=np.uint16)
        read = _function("FPDFText_GetText", _INT, _POINTER, _INT, _INT, _POINTER)
        if read(self._address, 0, self.count, buffer.ctypes.data) == self.count + 1:
            return buffer[:-1]
        # The text leaves out characters without a meaning: ask for each, so that the numbers stay those of pdfium.
        one = _function("FPDFText_GetUnicode", ctypes.c_uint, _POINTER, _INT)
        codes = np.fromiter(map(one, repeat(self._address), range(self.count)), np.uint32, self.count)
        return np.where(codes > 0xFFFF, 0, codes).astype(np.uint16)

    def objects(self, indexes: Ints) -> Ints:
        """Return the addresses of the text objects to which characters belong; 0 for none."""
        find = _function("FPDFText_GetTextObject", ctypes.c_size_t, _POINTER, _INT)
        return np.fromiter(map(find, repeat(self._address), indexes.tolist()), np.int64, len(indexes))

    def boxes(self, indexes: Ints) -> Floats:
        """Return left, top, right and bottom of characters, as high as their font."""
        boxes = np.zeros((len(indexes), 4), dtype=np.float32)
        find = _function("FPDFText_GetLooseCharBox", _INT, _POINTER, _INT, _POINTER)
        _each(find, repeat(self._address), indexes.tolist(), _rows(boxes))
        return _finite(boxes)

    def inked(self, indexes: Ints) -> npt.NDArray[np.float64]:
        """Return left, right, bottom and top of what characters print."""
        boxes = np.zeros((len(indexes), 4), dtype=np.float64)
        find = _function("FPDFText_GetCharBox", _INT, _POINTER, _INT, _POINTER, _POINTER, _POINTER, _POINTER)
        rows = _rows(boxes)
        edges = (range(rows.start + 8 * n, rows.stop + 8 * n, 32) for n in range(4))
        _each(find, repeat(self._address), indexes.tolist(), *edges)
        return boxes

    def matrices(self, indexes: Ints) -> Floats:
        """Return the six numbers of the matrices by which characters come to the page."""
        matrices = np.zeros((len(indexes), 6), dtype=np.float32)
        find = _function("FPDFText_GetMatrix", _INT, _POINTER, _INT, _POINTER)
        _each(find, repeat(self._address), indexes.tolist(), _rows(matrices))
        return _finite(matrices)

    def sizes(self, indexes: Ints) -> Floats:
        """Return the sizes of fonts, before the matrix."""
        find = _function("FPDFText_GetFontSize", _DOUBLE, _POINTER, _INT)
        sizes = np.fromiter(map(find, repeat(self._address), indexes.tolist()), np.float32, len(indexes))
        return _finite(sizes)


def fonts_of(objects: Iterable[int]) -> list[int]:
    """Return the addresses of the fonts of text objects."""
    return list(map(_function("FPDFTextObj_GetFont", ctypes.c_size_t, _POINTER), objects))


def describe_font(font: int) -> tuple[str, int, int]:
    """Return the name, the flags and the weight of a font."""
    buffer = ctypes.create_string_buffer(256)
    name = _function("FPDFFont_GetBaseFontName", ctypes.c_size_t, _POINTER, _POINTER, ctypes.c_size_t)
    name(font, ctypes.addressof(buffer), len(buffer))
    flags, weight = (_function(f"FPDFFont_Get{what}", _INT, _POINTER)(font) for what in ("Flags", "Weight"))
    return buffer.value.decode("utf-8", "replace"), max(flags, 0), weight


def render_modes(objects: Iterable[int]) -> list[int]:
    """Return how text objects are drawn; 3 is not at all."""
    return list(map(_function("FPDFTextObj_GetTextRenderMode", _INT, _POINTER), objects))


def count_objects(page: PdfPage) -> int:
    """Return how many objects a page has, those inside forms not counted."""
    return int(_function("FPDFPage_CountObjects", _INT, _POINTER)(address_of(page.raw)))


def page_objects(page: int) -> tuple[list[int], list[int]]:
    """Return the objects of a page in the order they are drawn, and their types."""
    count = _function("FPDFPage_CountObjects", _INT, _POINTER)(page)
    return _members("FPDFPage_GetObject", _INT, page, count)


def form_objects(form: int) -> tuple[list[int], list[int]]:
    """Return the same for what is drawn by a form."""
    count = _function("FPDFFormObj_CountObjects", _INT, _POINTER)(form)
    return _members("FPDFFormObj_GetObject", ctypes.c_ulong, form, count)


def _members(function: str, index: Any, owner: int, count: int) -> tuple[list[int], list[int]]:
    find = _function(function, ctypes.c_size_t, _POINTER, index)
    objects = list(map(find, repeat(owner), range(max(count, 0))))
    return objects, list(map(_function("FPDFPageObj_GetType", _INT, _POINTER), objects))


def matrix_of(item: int) -> tuple[float, ...]:
    """Return the matrix of an object."""
    numbers = (_FLOAT * 6)()
    _function("FPDFPageObj_GetMatrix", _INT, _POINTER, _POINTER)(item, ctypes.addressof(numbers))
    return tuple(numbers)


def bounds_of(item: int) -> Rect | None:
    """Return the rectangle around an object, in the coordinates of what it belongs to."""
    numbers = (_FLOAT * 4)()
    at = ctypes.addressof(numbers)
    find = _function("FPDFPageObj_GetBounds", _INT, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
    return Rect(*numbers) if find(item, at, at + 4, at + 8, at + 12) else None


def fills_of(items: Sequence[int]) -> npt.NDArray[np.uint32]:
    """Return red, green, blue and opacity, each to 255, by which objects are filled; black by default."""
    fills = np.zeros((len(items), 4), dtype=np.uint32)
    fills[:, 3] = 255
    find = _function("FPDFPageObj_GetFillColor", _INT, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
    start, stop = fills.ctypes.data, fills.ctypes.data + fills.nbytes
    _each(find, items, *(range(start + 4 * n, stop + 4 * n, 16) for n in range(4)))
    return fills


def is_filled(path: int) -> bool:
    """Tell whether a path is filled, and not only drawn as a line."""
    mode = (_INT * 2)()
    at = ctypes.addressof(mode)
    return bool(_function("FPDFPath_GetDrawMode", _INT, _POINTER, _POINTER, _POINTER)(path, at, at + 4)) and mode[0] > 0


def path_points(path: int, most: int = 6) -> list[tuple[float, float]]:
    """Return the corners of a path; none if it has more than `most` or any curve."""
    count = _function("FPDFPath_CountSegments", _INT, _POINTER)(path)
    find = _function("FPDFPath_GetPathSegment", ctypes.c_size_t, _POINTER, _INT)
    return _points([find(path, index) for index in range(count)]) if 3 <= count <= most else []


def has_transparency(item: int) -> bool:
    """Tell whether what lies below an object can be seen through it."""
    return bool(_function("FPDFPageObj_HasTransparency", _INT, _POINTER)(item))


def are_transparent(items: Iterable[int]) -> list[int]:
    """Return which objects are drawn with transparency or through a mask."""
    return list(map(_function("FPDFPageObj_HasTransparency", _INT, _POINTER), items))


def are_in_layers(items: Sequence[int]) -> list[bool]:
    """Return which objects belong to a layer that can be switched off."""
    counts = map(_function("FPDFPageObj_CountMarks", _INT, _POINTER), items)
    find = _function("FPDFPageObj_GetMark", ctypes.c_size_t, _POINTER, ctypes.c_ulong)
    name = _function("FPDFPageObjMark_GetName", _INT, ctypes.c_size_t, _POINTER, ctypes.c_ulong, _POINTER)
    buffer, length = ctypes.create_string_buffer(8), ctypes.c_ulong()
    at, size = ctypes.addressof(buffer), ctypes.addressof(length)

    def is_layer(item: int, index: int) -> bool:
        return bool(name(find(item, index), at, 8, size)) and buffer.raw[:6] == b"O\0C\0\0\0"

    return [any(is_layer(item, index) for index in range(count)) for item, count in zip(items, counts, strict=True)]


def drop_replacements(page: PdfPage) -> None:
    """Let the text of a page be what is drawn, where whole sentences are said to stand for it (`/ActualText`).

    What stands for a ligature, a hyphen or a symbol stays.
    """
    count = _function("FPDFPageObj_CountMarks", _INT, _POINTER)
    find = _function("FPDFPageObj_GetMark", ctypes.c_size_t, _POINTER, ctypes.c_ulong)
    read = _function(
        "FPDFPageObjMark_GetParamStringValue", _INT, ctypes.c_size_t, _POINTER, _POINTER, ctypes.c_ulong, _POINTER
    )
    drop = _function("FPDFPageObjMark_RemoveParam", _INT, _POINTER, ctypes.c_size_t, _POINTER)
    key, length = ctypes.create_string_buffer(b"ActualText"), ctypes.c_ulong()
    at, size = ctypes.addressof(key), ctypes.addressof(length)
    waiting = [page_objects(address_of(page.raw))]
    while waiting:
        objects, types = waiting.pop()
        if len(waiting) < _MOST_FORMS:
            waiting += [form_objects(one) for one, kind in zip(objects, types, strict=True) if kind == FORM]
        for item in objects:
            for index in range(count(item)):
                mark = find(item, index)
                if read(mark, at, 0, 0, size) and length.value > _LONGEST_REPLACEMENT:
                    drop(item, mark, at)


_LONGEST_REPLACEMENT = 2 * 21  # bytes of UTF-16, with the zero at the end
_MOST_FORMS = 100  # of a page


def may_be_blank(font: int) -> bool:
    """Tell whether a font may draw nothing: one without a name draws its letters by programs (Type 3)."""
    if not describe_font(font)[0]:
        return True
    outline = _function("FPDFFont_GetGlyphPath", ctypes.c_size_t, _POINTER, ctypes.c_uint, ctypes.c_float)
    count = _function("FPDFGlyphPath_CountGlyphSegments", _INT, ctypes.c_size_t)
    paths = (outline(font, code, 10.0) for code in (*range(0x61, 0x7B), *range(0x21, 0x61), *range(0xA1, 0x100)))
    return not any(path and count(path) > 0 for path in paths)


def undrawn(items: Iterable[int]) -> None:
    """Let text objects draw nothing."""
    _each(_function("FPDFTextObj_SetTextRenderMode", _INT, _POINTER, _INT), items, repeat(3))


def restore_modes(items: Iterable[int], modes: Iterable[int]) -> None:
    """Let text objects be drawn as they were."""
    _each(_function("FPDFTextObj_SetTextRenderMode", _INT, _POINTER, _INT), items, modes)


def picture_of(page: PdfPage, scale: float) -> npt.NDArray[np.uint8]:
    """Return the pixels of a page: rows, columns, colours."""
    pixels: npt.NDArray[np.uint8] = page.render(scale=scale, may_draw_forms=False).to_numpy()
    return pixels.copy()


def pixels_at(page: PdfPage, width: int, height: int, points: Floats) -> Ints:
    """Return the column and the row at which each point of a page is drawn."""
    found = np.zeros((len(points), 2), dtype=np.int32)
    move = _function("FPDF_PageToDevice", _INT, _POINTER, *[_INT] * 5, _DOUBLE, _DOUBLE, _POINTER, _POINTER)
    own = address_of(page.raw)
    rows = _rows(found)
    for at, (x, y) in zip(rows, points.tolist(), strict=True):
        move(own, 0, 0, width, height, 0, x, y, at, at + 4)
    return found.astype(np.int64)


class Clips:
    """The clips of objects; objects that follow each other mostly share one, which is then looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, Rect | None] = {}
        self._shaped: set[int] = set()  # those that are no upright rectangle
        self.shaped: set[int] = set()  # objects that have such a clip
        self._is_rectangle = True

    def of(self, items: Sequence[int]) -> list[tuple[int, Rect]]:
        """Return those of the objects, by their index in the list, that have a clip, and the rectangle around it."""
        clips = list(map(_function("FPDFPageObj_GetClipPath", ctypes.c_size_t, _POINTER), items))
        counts = list(map(_function("FPDFClipPath_CountPaths", _INT, _POINTER), clips))
        if max(counts, default=0) <= 0:
            return []
        find = _function("FPDFClipPath_GetPathSegment", ctypes.c_size_t, _POINTER, _INT, _INT)
        found: list[tuple[int, Rect]] = []
        for index, (clip, count) in enumerate(zip(clips, counts, strict=True)):
            rect: Rect | None = None
            for path in range(count):
                first = find(clip, path, 0)
                if first not in self._known:
                    self._known[first] = self._rect(clip, path, find)
                    if not self._is_rectangle:
                        self._shaped.add(first)
                one = self._known[first]
                if first in self._shaped:
                    self.shaped.add(items[index])
                if one is not None:
                    rect = one if rect is None else rect.within(one)
            if rect is not None:
                found.append((index, rect))
        return found

    def _rect(self, clip: int, path: int, find: Any) -> Rect | None:
        count = _function("FPDFClipPath_CountPathSegments", _INT, _POINTER, _INT)(clip, path)
        self._is_rectangle = False
        if not 0 < count <= 1000:
            return None
        points = _points([find(clip, path, point) for point in range(count)], curves=True)
        across, up = zip(*points, strict=True) if points else ((), ())
        self._is_rectangle = count <= 6 and len(set(across)) <= 2 and len(set(up)) <= 2
        return Rect(min(across), min(up), max(across), max(up)) if points else None


def _points(segments: Sequence[int], *, curves: bool = False) -> list[tuple[float, float]]:
    """Return the points of segments of a path; none where a curve is among them that is not wanted."""
    numbers = (_FLOAT * 2)()
    at = ctypes.addressof(numbers)
    point = _function("FPDFPathSegment_GetPoint", _INT, _POINTER, _POINTER, _POINTER)
    kind = _function("FPDFPathSegment_GetType", _INT, _POINTER)
    points: list[tuple[float, float]] = []
    for segment in segments:
        if not curves and kind(segment) == 1:
            return []
        if point(segment, at, at + 4):
            points.append((numbers[0], numbers[1]))
    return points


def page_area(page: PdfPage) -> Rect:
    """Return what is shown of a page: its crop box inside its media box."""
    numbers = (_FLOAT * 4)()  # left, top, right, bottom
    find = _function("FPDF_GetPageBoundingBox", _INT, _POINTER, _POINTER)
    if not find(address_of(page.raw), ctypes.addressof(numbers)):
        return Rect(-np.inf, -np.inf, np.inf, np.inf)
    left, top, right, bottom = numbers
    return Rect(left, bottom, right, top)


def _rows(array: npt.NDArray[Any]) -> range:
    start, step = array.ctypes.data, array.shape[1] * array.itemsize
    return range(start, start + step * len(array), step)


def _finite(numbers: Floats) -> Floats:
    """Return the numbers with 0 for what is none."""
    return numbers if np.isfinite(numbers).all() else np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0)


def _each(function: Any, *arguments: Iterable[Any]) -> None:
    deque(map(function, *arguments), maxlen=0)


MAX_CONTENT = 16 << 20  # bytes of what draws a page; a page of text has 20,000, a map of many lines some millions
MAX_DATA = 64 << 20  # bytes of anything else that is unpacked: a font, a table of objects

_STREAM = re.compile(rb"stream(?<!endstream)\r?\n")  # the word first: found thirty times as fast
_PACKED = re.compile(rb"/(?:FlateDecode|LZWDecode|RunLengthDecode|Fl|LZW|RL)\b")
_DATA = re.compile(rb"/(?:Length1|ObjStm|XRef|FontFile|CIDFontType0C|Type1C|OpenType|FunctionType|N \d)\b")
_PICTURE = re.compile(rb"/Subtype\s*/Image\b")
_DICTIONARY = 2000  # bytes before a stream in which its dictionary is looked for
_MOST = 1032  # bytes of which deflate makes one
_STEP = 1 << 20


def check_streams(data: bytes) -> None:
    """Refuse a file with a stream that unpacks to more than is read; pictures are not unpacked."""
    for found in _STREAM.finditer(data):
        start = found.end()
        before = data[max(found.start() - _DICTIONARY, 0) : found.start()]
        dictionary = before[before.rfind(b"obj") + 3 :]
        if _PICTURE.search(dictionary):
            continue
        filters = len(_PACKED.findall(dictionary))
        most = MAX_DATA if _DATA.search(dictionary) else MAX_CONTENT
        if filters == 0 or (filters == 1 and _length(data, start) * _MOST <= most):
            continue
        if filters > 1 or _unpacks_to_more(data, start, most):
            raise DocumentError(
                f"The PDF has a part that unpacks to more than {most >> 20} MB.", "Print it to a new PDF, or split it."
            )


def _length(data: bytes, start: int) -> int:
    end = data.find(b"endstream", start)
    return (end if end >= 0 else len(data)) - start


def _unpacks_to_more(data: bytes, start: int, most: int) -> bool:
    """Tell whether a deflated stream has more than so many bytes; what is none has as many as can be unpacked."""
    unpacker = zlib.decompressobj()
    rest: bytes = data[start : start + _length(data, start)]
    total = 0
    try:
        while rest and total <= most and not unpacker.eof:
            total += len(unpacker.decompress(rest, _STEP))
            rest = unpacker.unconsumed_tail
    except zlib.error:
        pass
    return total > most
