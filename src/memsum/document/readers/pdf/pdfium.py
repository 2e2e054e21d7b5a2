"""Questions to pdfium in bulk, one list or array for many characters or objects; and a check before it opens a file.

The functions are called by their address with plain numbers: ctypes needs a third less time for them than for
pypdfium2's own declarations, and `map` spares the interpreter between two calls. Arguments that are not declared are
not converted, which takes as long as the rest of a call: indexes, and pointers that are made once.
"""

from __future__ import annotations

import ctypes
import re
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.errors import DocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

TEXT, PATH, IMAGE, SHADING, FORM = 1, 2, 3, 4, 5
_POINTER, _INT, _FLOAT, _DOUBLE = ctypes.c_void_p, ctypes.c_int, ctypes.c_float, ctypes.c_double
_pointer = _POINTER.from_param  # what a call makes of an address each time, unless it is given


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

    return ctypes.PYFUNCTYPE(result, *arguments)(address_of(getattr(pdfium, name)))


def address_of(handle: Any) -> int:
    """Return the address that one of pypdfium2's pointers holds."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


class PageText:
    """The characters of a page, numbered as pdfium numbers them."""

    def __init__(self, textpage: PdfTextPage) -> None:
        self._open = textpage  # pypdfium2 closes it with its last reference
        self._address = _pointer(address_of(textpage.raw))
        self.count = textpage.count_chars()

    def codes(self) -> npt.NDArray[np.uint16]:
        if not self.count:
            return np.zeros(0, dtype=np.uint16)
        buffer = np.zeros(self.count + 1, dtype=np.uint16)
        read = _function("FPDFText_GetText", _INT)
        if read(self._address, 0, self.count, _pointer(buffer.ctypes.data)) == self.count + 1:
            return buffer[:-1]
        # The text leaves out characters without a meaning: ask for each, so that the numbers stay those of pdfium.
        one = _function("FPDFText_GetUnicode", ctypes.c_uint)
        codes = np.fromiter(map(one, repeat(self._address), range(self.count)), np.uint32, self.count)
        return np.where(codes > 0xFFFF, 0, codes).astype(np.uint16)

    def objects(self, indexes: Ints) -> Ints:
        """Return the addresses of the text objects to which characters belong; 0 for none."""
        find = _function("FPDFText_GetTextObject", ctypes.c_size_t)
        return np.fromiter(map(find, repeat(self._address), indexes.tolist()), np.int64, len(indexes))

    def boxes(self, indexes: Ints) -> Floats:
        """Return left, top, right and bottom of characters, as high as their font."""
        return _finite(_rows(np.float32, 4).filled(_function("FPDFText_GetLooseCharBox", None), indexes, self._address))

    def inked(self, indexes: Ints) -> npt.NDArray[np.float64]:
        """Return left, right, bottom and top of what characters print."""
        return _rows(np.float64, 4, apart=True).filled(_function("FPDFText_GetCharBox", None), indexes, self._address)

    def matrices(self, indexes: Ints) -> Floats:
        """Return the six numbers of the matrices by which characters come to the page."""
        return _finite(_rows(np.float32, 6).filled(_function("FPDFText_GetMatrix", None), indexes, self._address))

    def sizes(self, indexes: Ints) -> Floats:
        """Return the sizes of the fonts of characters, before the matrix."""
        find = _function("FPDFText_GetFontSize", _DOUBLE)
        return _finite(np.fromiter(map(find, repeat(self._address), indexes.tolist()), np.float32, len(indexes)))


def fonts_of(objects: Sequence[int]) -> Ints:
    """Return the addresses of the fonts of text objects."""
    find = _function("FPDFTextObj_GetFont", ctypes.c_size_t, _POINTER)
    return np.fromiter(map(find, objects), np.int64, len(objects))


def describe_font(font: int) -> tuple[str, int, int]:
    """Return the name, the flags and the weight of a font."""
    read = _function("FPDFFont_GetBaseFontName", ctypes.c_size_t, _POINTER, _POINTER, ctypes.c_size_t)
    _NAME.value = b""
    read(font, _NAME_AT, len(_NAME))
    flags = _function("FPDFFont_GetFlags", _INT, _POINTER)(font)
    return _NAME.value.decode("utf-8", "replace"), max(flags, 0), _function("FPDFFont_GetWeight", _INT, _POINTER)(font)


_NAME = ctypes.create_string_buffer(256)  # written under the lock that every use of pdfium needs
_NAME_AT = ctypes.addressof(_NAME)


def render_modes(objects: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return how text objects are drawn; 3 is not at all."""
    find = _function("FPDFTextObj_GetTextRenderMode", _INT, _POINTER)
    return np.fromiter(map(find, objects), np.int32, len(objects))


def with_typed_text(pdf: PdfDocument, index: int) -> PdfPage:
    """Return a page; what people typed into its fields, or put on it, becomes part of what it draws."""
    page = pdf[index]
    own = address_of(page.raw)
    find = _function("FPDFPage_GetAnnot", ctypes.c_size_t, _POINTER, _INT)
    notes = list(map(find, repeat(own), range(_function("FPDFPage_GetAnnotCount", _INT, _POINTER)(own))))
    kinds = set(map(_function("FPDFAnnot_GetSubtype", _INT, _POINTER), notes))
    _each(_function("FPDFPage_CloseAnnot", None, _POINTER), notes)
    if kinds & _TYPED:
        width, height = page.get_size()
        page.render(crop=(max(width - 1, 0), max(height - 1, 0), 0, 0))  # drawing makes what notes look like
        _function("FPDFPage_Flatten", _INT, _POINTER, _INT)(own, 0)
        page.close()
        page = pdf[index]
    return page


_TYPED = {3, 13, 20}  # notes of free text, stamps, fields


def count_objects(page: PdfPage) -> int:
    """Return how many objects a page has, those inside forms not counted."""
    return int(_function("FPDFPage_CountObjects", _INT, _POINTER)(address_of(page.raw)))


def objects_of(owner: int, *, is_form: bool = False) -> tuple[list[int], list[int]]:
    """Return the objects of a page, or of a form on it, in the order they are drawn, and their types."""
    kind, index = ("FormObj", [ctypes.c_ulong]) if is_form else ("Page", [])
    count = _function(f"FPDF{kind}_CountObjects", _INT, _POINTER)(owner)
    find = _function(f"FPDF{kind}_GetObject", ctypes.c_size_t, _POINTER, *index)
    objects = list(map(find, repeat(_pointer(owner)), range(max(count, 0))))
    return objects, list(map(_function("FPDFPageObj_GetType", _INT, _POINTER), objects))


def matrix_of(item: int) -> tuple[float, ...]:
    """Return the matrix of an object."""
    numbers = (_FLOAT * 6)()
    _function("FPDFPageObj_GetMatrix", _INT, _POINTER, _POINTER)(item, ctypes.addressof(numbers))
    return tuple(numbers)


def bounds_of(items: Sequence[int]) -> Floats:
    """Return left, bottom, right and top of objects, in the coordinates of what they belong to."""
    return _finite(_rows(np.float32, 4, apart=True).filled(_function("FPDFPageObj_GetBounds", None, _POINTER), items))


def fills_of(items: Sequence[int]) -> Ints:
    """Return red, green, blue and opacity, each to 255, by which objects are filled; black by default."""
    find = _function("FPDFPageObj_GetFillColor", None, _POINTER)
    return _rows(np.int32, 4, apart=True).filled(find, items, default=(0, 0, 0, 255)).astype(np.int64)


def are_filled(items: Sequence[int]) -> Mask:
    """Return which paths are filled, and not only drawn as lines; other objects are not."""
    find = _function("FPDFPath_GetDrawMode", None, _POINTER)
    filled: Mask = _rows(np.int32, 2, apart=True).filled(find, items)[:, 0] > 0
    return filled


def is_rectangle(path: int) -> bool:
    """Tell whether a path has the corners of an upright rectangle and nothing else."""
    count = _function("FPDFPath_CountSegments", _INT, _POINTER)(path)
    find = _function("FPDFPath_GetPathSegment", ctypes.c_size_t, _POINTER, _INT)
    points = _points([find(path, index) for index in range(count)]) if 4 <= count <= 6 else []
    return len(points) >= 4 and len({x for x, _ in points}) == 2 and len({y for _, y in points}) == 2


def are_transparent(items: Sequence[int]) -> Mask:
    """Return which objects are drawn with transparency or through a mask."""
    return np.fromiter(map(_function("FPDFPageObj_HasTransparency", _INT, _POINTER), items), np.bool_, len(items))


def are_in_layers(items: Sequence[int]) -> Mask:
    """Return which objects belong to a layer that can be switched off."""
    counts = map(_function("FPDFPageObj_CountMarks", _INT, _POINTER), items)
    find = _function("FPDFPageObj_GetMark", ctypes.c_size_t, _POINTER, ctypes.c_ulong)
    name = _function("FPDFPageObjMark_GetName", _INT, ctypes.c_size_t, _POINTER, ctypes.c_ulong, _POINTER)
    buffer, length = ctypes.create_string_buffer(8), ctypes.c_ulong()
    at, size = ctypes.addressof(buffer), ctypes.addressof(length)

    def is_layer(item: int, index: int) -> bool:
        return bool(name(find(item, index), at, 8, size)) and buffer.raw[:6] == b"O\0C\0\0\0"

    return np.array(
        [any(is_layer(item, index) for index in range(count)) for item, count in zip(items, counts, strict=True)], bool
    )


def drop_replacements(items: Sequence[int]) -> bool:
    """Let text be what is drawn, where whole sentences are said to stand for it (`/ActualText`).

    What stands for a ligature, a hyphen or a symbol stays. Tell whether anything is said about the objects.
    """
    counts = list(map(_function("FPDFPageObj_CountMarks", _INT, _POINTER), items))
    if not any(counts):
        return False
    find = _function("FPDFPageObj_GetMark", ctypes.c_size_t, _POINTER, ctypes.c_ulong)
    read = _function(
        "FPDFPageObjMark_GetParamStringValue", _INT, ctypes.c_size_t, _POINTER, _POINTER, ctypes.c_ulong, _POINTER
    )
    drop = _function("FPDFPageObjMark_RemoveParam", _INT, _POINTER, ctypes.c_size_t, _POINTER)
    key, length = ctypes.create_string_buffer(b"ActualText"), ctypes.c_ulong()
    at, size = ctypes.addressof(key), ctypes.addressof(length)
    for item, count in zip(items, counts, strict=True):
        for index in range(count):
            mark = find(item, index)
            if read(mark, at, 0, 0, size) and length.value > _LONGEST_REPLACEMENT:
                drop(item, mark, at)
    return True


_LONGEST_REPLACEMENT = 2 * 21  # bytes of UTF-16, with the zero at the end


def has_outlines(font: int, letters: Iterable[int]) -> bool:
    """Tell whether a font has an outline for one of some letters."""
    outline = _function("FPDFFont_GetGlyphPath", ctypes.c_size_t, _POINTER, ctypes.c_uint, ctypes.c_float)
    count = _function("FPDFGlyphPath_CountGlyphSegments", _INT, ctypes.c_size_t)
    paths = (outline(font, letter, 10.0) for letter in letters)
    return any(path and count(path) > 0 for path in paths)


def set_modes(items: Iterable[int], modes: Iterable[int]) -> None:
    """Let text objects be drawn in other modes."""
    _each(_function("FPDFTextObj_SetTextRenderMode", _INT, _POINTER, _INT), items, modes)


class Picture:
    """A part of a page as it is drawn."""

    def __init__(self, page: PdfPage, area: Rect, around: Rect, scale: float, *, is_gray: bool) -> None:
        self._page, self._scale, self._is_gray = page, scale, is_gray
        self._size = np.ceil(np.array(page.get_size()) * scale).astype(np.int64)
        # The corners of the page in the finest coordinates of a device tell how points come to the picture.
        move = _function("FPDF_PageToDevice", _INT, _POINTER, *[_INT] * 5, _DOUBLE, _DOUBLE, _POINTER, _POINTER)
        found = np.zeros((3, 2), dtype=np.int32)
        corners = ((area.left, area.bottom), (area.right, area.bottom), (area.left, area.top))
        for row, (x, y) in zip(found, corners, strict=True):
            move(address_of(page.raw), 0, 0, _FINEST, _FINEST, 0, x, y, row.ctypes.data, row.ctypes.data + 4)
        origin, across, up = found * (self._size / _FINEST)
        self._across, self._up = (across - origin) / (area.right - area.left), (up - origin) / (area.top - area.bottom)
        self._origin = origin - self._across * area.left - self._up * area.bottom
        self._corner, self._stop = np.zeros(2, dtype=np.int64), self._size
        left, top, right, bottom = self.pixels(np.array([[around.left, around.top, around.right, around.bottom]]))[0]
        self._corner, self._stop = np.array([left, top]), np.array([right, bottom])

    def draw(self) -> npt.NDArray[np.uint8]:
        """Return rows, columns and colors."""
        (left, top), (right, bottom) = self._corner.tolist(), (self._size - self._stop).tolist()
        crop = [max(side - 0.5, 0) / self._scale for side in (left, bottom, right, top)]
        picture = self._page.render(
            scale=self._scale, crop=tuple(crop), grayscale=self._is_gray, may_draw_forms=False, draw_annots=False
        ).to_numpy()
        pixels: npt.NDArray[np.uint8] = picture.reshape(*picture.shape[:2], -1).copy()
        return pixels

    def pixels(self, boxes: Floats) -> Ints:
        """Return left, top, right and bottom of the pixels that boxes touch."""
        one, other = (self._origin + boxes[:, [n]] * self._across + boxes[:, [n + 1]] * self._up for n in (0, 2))
        low, high = np.floor(np.minimum(one, other)), np.ceil(np.maximum(one, other))
        edges = (low.clip(self._corner, self._stop), high.clip(self._corner, self._stop))
        return (np.concatenate(edges, axis=1) - np.tile(self._corner, 2)).astype(np.int64)


_FINEST = 1 << 24


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


class _Rows:
    """Numbers that pdfium writes, some to a call, and the pointers to where it writes them."""

    def __init__(self, dtype: Any, width: int, *, apart: bool) -> None:
        self._numbers = np.zeros((_CHUNK, width), dtype=dtype)
        start, size = self._numbers.ctypes.data, self._numbers.itemsize
        firsts = range(start, start + width * size, size) if apart else [start]
        self._pointers = [
            list(map(_pointer, range(first, first + self._numbers.nbytes, width * size))) for first in firsts
        ]

    def filled(self, function: Any, items: Sequence[int] | Ints, *owner: Any, default: Any = 0) -> npt.NDArray[Any]:
        """Return a row for each item: what a function writes that is called with the owner and the item."""
        listed = items.tolist() if isinstance(items, np.ndarray) else items
        found = np.empty((len(listed), self._numbers.shape[1]), dtype=self._numbers.dtype)
        for start in range(0, len(listed), _CHUNK):
            part = listed[start : start + _CHUNK]
            self._numbers[: len(part)] = default
            _each(function, *map(repeat, owner), part, *self._pointers)
            found[start : start + _CHUNK] = self._numbers[: len(part)]
        return found


_CHUNK = 1000  # calls; few pages have more words


@cache
def _rows(dtype: Any, width: int, *, apart: bool = False) -> _Rows:
    """Return the rows that are written one after the other, under the lock that every use of pdfium needs."""
    return _Rows(dtype, width, apart=apart)


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
_MOST_STREAMS = 200_000  # of a file; each takes a hundred bytes of it and more
_MOST_OVERLAPS = 4  # times that each byte may be part of a stream; in a sound file once


def check_streams(data: bytes) -> None:
    """Refuse a file with a stream that unpacks to more than is read; pictures are not unpacked."""
    for dictionary, start, stop in _streams(data):
        if _PICTURE.search(dictionary):
            continue
        filters = len(_PACKED.findall(dictionary))
        most = MAX_DATA if _DATA.search(dictionary) else MAX_CONTENT
        if filters == 0 or (filters == 1 and (stop - start) * _MOST <= most):
            continue
        if filters > 1 or _unpacks_to_more(data[start:stop], most):
            raise DocumentError(
                f"The PDF has a part that unpacks to more than {most >> 20} MB.", "Print it to a new PDF, or split it."
            )


def has_layers(data: bytes) -> bool:
    """Tell whether a file may have layers that are switched off: it names some, or cannot be looked into."""
    if b"/OCProperties" in data or b"/Encrypt" in data:
        return True
    left = MAX_DATA
    for dictionary, start, stop in _streams(data):
        if b"/ObjStm" in dictionary:
            try:
                unpacked = zlib.decompressobj().decompress(data[start:stop], left)
            except zlib.error:
                return True
            left -= len(unpacked)
            if b"/OCProperties" in unpacked or left <= 0:
                return True
    return False


def _streams(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Return the dictionary of each stream, and where the stream begins and ends."""
    ends = [found.start() for found in re.finditer(b"endstream", data)]
    ends.append(len(data))
    left = _MOST_OVERLAPS * len(data)
    at = 0
    for number, found in enumerate(_STREAM.finditer(data)):
        start = found.end()
        while ends[at] < start:
            at += 1
        left -= ends[at] - start
        if left < 0 or number >= _MOST_STREAMS:
            raise DocumentError("The PDF is damaged: its parts have no ends.", "Download or export it again.")
        before = data[max(found.start() - _DICTIONARY, 0) : found.start()]
        yield before[before.rfind(b"obj") + 3 :], start, ends[at]


def _unpacks_to_more(packed: bytes, most: int) -> bool:
    """Tell whether a deflated stream has more than so many bytes; what is none has as many as can be unpacked."""
    unpacker = zlib.decompressobj()
    total = 0
    try:
        while packed and total <= most and not unpacker.eof:
            total += len(unpacker.decompress(packed, _STEP))
            packed = unpacker.unconsumed_tail
    except zlib.error:
        pass
    return total > most
