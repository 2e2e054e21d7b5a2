"""What pdfium sees on a page: every visible character with its box and font, in the order it was drawn."""

from __future__ import annotations

import ctypes
import math
import re
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.errors import DocumentError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

MAX_PAGES = 1000
MAX_GLYPHS = 4_000_000  # of a document; a page of a paper has 5,000

_LOCK = threading.Lock()  # pdfium is not thread-safe
_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!um)|cmbx|sfbx|ecbx|cmb\d", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|[a-z]-it\b|cmti|sfti|ecti|cmsl", re.IGNORECASE)
_FORCE_BOLD, _ITALIC_FLAG = 1 << 18, 1 << 6
_HEAVY = 600

_ACCENTS = {"´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c", "¸": "\u0327"}
# Fonts that do not say what their glyphs are: the places of ligatures, quotes and dashes in TeX's encodings.
_TEX = dict(zip(map(chr, (*range(0x1B, 0x20), 0x0B, 0x0C, 0x0E, 0x0F)), "ﬀﬁﬂﬃﬄﬀﬁﬃﬄ", strict=True))
_TEX |= {"\x10": "“", "\x11": "”", "\x15": "–", "\x16": "—", "\x88": "•"}
_LINE_END_HYPHENS = "\x02\ufffe"
_NO_TEXT_LAYER = "The PDF has no text layer: its pages are pictures."


class Font(NamedTuple):
    """How a character is set; sizes are in points on the page."""

    size: float
    bold: bool
    italic: bool
    angle: int  # degrees, counter-clockwise


@dataclass(frozen=True, slots=True)
class Page:
    """The visible characters of one page; `spaced` says whether white space stands before a character."""

    number: int
    width: float
    height: float
    rotation: int
    chars: list[str]
    spaced: npt.NDArray[np.bool_]
    boxes: npt.NDArray[np.float32]  # (n, 4): left, top, right, bottom, y upwards, as in the PDF
    fonts: list[Font]
    font_of: npt.NDArray[np.int32]


def read_pages(data: bytes) -> list[Page]:
    """The characters of all pages, or an error that says why there are none."""
    import pypdfium2

    with _LOCK:
        pdf = _open(data)
        try:
            if len(pdf) == 0:
                raise DocumentError("The PDF has no pages.")
            if len(pdf) > MAX_PAGES:
                raise DocumentError(
                    f"The PDF has {len(pdf)} pages, more than the {MAX_PAGES} that are read.", "Split it into parts."
                )
            pages = list(_pages(pdf))
        except pypdfium2.PdfiumError:
            raise DocumentError("The PDF is damaged: a page cannot be read.") from None
        finally:
            pdf.close()
    _check_text(pages)
    return pages


def _open(data: bytes) -> PdfDocument:
    import pypdfium2
    import pypdfium2.raw as pdfium

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise DocumentError("The PDF is encrypted.", "Save it without a password first.") from None
        if error.err_code == pdfium.FPDF_ERR_SECURITY:
            raise DocumentError("The PDF is protected in a way that cannot be read.") from None
        raise DocumentError("The PDF is damaged or cut off.", "Download or export it again.") from None


def _pages(pdf: PdfDocument) -> Iterator[Page]:
    left = MAX_GLYPHS
    for number in range(1, len(pdf) + 1):
        page = pdf[number - 1]
        try:
            found = _page(page, number, left)
        finally:
            page.close()
        left -= len(found.chars)
        yield found


def _page(page: PdfPage, number: int, limit: int) -> Page:
    import pypdfium2.raw as pdfium

    width, height = page.get_size()
    textpage = page.get_textpage()
    raw, count = textpage.raw, textpage.count_chars()
    if count > limit:
        raise DocumentError("The PDF has more text than can be read.", "Split it into parts.")
    codes = [pdfium.FPDFText_GetUnicode(raw, index) for index in range(count)]
    rects = (pdfium.FS_RECTF * max(count, 1))()
    for index in range(count):
        pdfium.FPDFText_GetLooseCharBox(raw, index, rects[index])
    boxes = np.frombuffer(rects, dtype=np.float32).reshape(-1, 4)[:count]
    boxes = np.nan_to_num(boxes, nan=0.0, posinf=0.0, neginf=0.0)
    chars = [_char(code) for code in _whole(codes)]
    visible = np.fromiter((char != "" and not char.isspace() for char in chars), dtype=bool, count=count)
    visible &= (boxes[:, 2] - boxes[:, 0] > 0.01) & (boxes[:, 1] - boxes[:, 3] > 0.01)
    places = np.flatnonzero(visible)
    fonts, font_of = _fonts(raw, places)
    return Page(
        number,
        width,
        height,
        page.get_rotation(),
        [chars[place] for place in places],
        np.diff(places, prepend=-1) > 1,
        boxes[places],
        fonts,
        font_of,
    )


def _whole(codes: list[int]) -> list[int]:
    """Codes of which two halves of one character are put together; the second place is then empty."""
    for index in range(len(codes) - 1):
        high, low = codes[index], codes[index + 1]
        if 0xD800 <= high < 0xDC00 <= low < 0xE000:
            codes[index], codes[index + 1] = 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00, 0
    return codes


@lru_cache(maxsize=4096)
def _char(code: int) -> str:
    """The character of a code; what is not text is empty."""
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return ""
    char = chr(code)
    if char in _LINE_END_HYPHENS or char in "\xad\u2010\u2011":
        return "-"
    if "\U0001d400" <= char < "\U0001d800":  # letters of formulas
        return unicodedata.normalize("NFKC", char)
    char = _TEX.get(char, char)
    return "" if char < " " or "\x7f" <= char < "\xa0" or char in "\ufeff\ufffd\u200b\u200c\u200d" else char


def _fonts(raw: Any, places: npt.NDArray[np.int64]) -> tuple[list[Font], npt.NDArray[np.int32]]:
    """The fonts of the characters, asked for once an object that pdfium drew."""
    import pypdfium2.raw as pdfium

    fonts: dict[Font, int] = {}
    objects: dict[int, int] = {}
    styles: dict[int, tuple[bool, bool]] = {}
    font_of = np.zeros(len(places), dtype=np.int32)
    matrix, size = pdfium.FS_MATRIX(), ctypes.c_float()
    for index, place in enumerate(places.tolist()):
        drawn = pdfium.FPDFText_GetTextObject(raw, place)
        address = ctypes.addressof(drawn.contents) if drawn else 0
        known = objects.get(address)
        if known is None:
            font = Font(0.0, False, False, 0)
            if drawn and pdfium.FPDFPageObj_GetMatrix(drawn, matrix) and pdfium.FPDFTextObj_GetFontSize(drawn, size):
                scale = math.hypot(matrix.c, matrix.d)
                angle = round(math.degrees(math.atan2(matrix.b, matrix.a)))
                points = abs(size.value) * scale
                points = round(points, 1) if math.isfinite(points) else 0.0
                font = Font(points, *_style(pdfium.FPDFTextObj_GetFont(drawn), styles), angle)
            known = objects[address] = fonts.setdefault(font, len(fonts))
        font_of[index] = known
    return list(fonts) or [Font(0.0, False, False, 0)], font_of


def _style(font: Any, styles: dict[int, tuple[bool, bool]]) -> tuple[bool, bool]:
    """Whether a font is bold, and italic, by its name and flags."""
    import pypdfium2.raw as pdfium

    if not font:
        return False, False
    address = ctypes.addressof(font.contents)
    if address not in styles:
        buffer = ctypes.create_string_buffer(256)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
        name = buffer.value.decode("utf-8", "replace").split("+", 1)[-1]
        flags = max(pdfium.FPDFFont_GetFlags(font), 0)
        bold = bool(_BOLD.search(name)) or bool(flags & _FORCE_BOLD) or pdfium.FPDFFont_GetWeight(font) >= _HEAVY
        styles[address] = bold, bool(_ITALIC.search(name)) or bool(flags & _ITALIC_FLAG)
    return styles[address]


def _check_text(pages: list[Page]) -> None:
    """Refuse scans, and fonts that do not say what their glyphs mean."""
    chars = [char for page in pages for char in page.chars]
    if len(chars) < 20 * min(len(pages), 3) and not any(map(str.isalpha, chars)):
        raise DocumentError(_NO_TEXT_LAYER, "Run text recognition (OCR) on it first.")
    private = sum("\ue000" <= char < "\uf900" for char in chars)
    if private > len(chars) / 2:
        raise DocumentError(
            "The PDF's fonts do not say which letters they show.", "Run text recognition (OCR) on it first."
        )


def with_accents(chars: list[str], boxes: npt.NDArray[np.float32]) -> list[str]:
    """Accents that were drawn apart, over the letter after or before them, become part of the letter."""
    chars = list(chars)
    for index, char in enumerate(chars):
        if char not in _ACCENTS:
            continue
        for letter in (index + 1, index - 1):
            if 0 <= letter < len(chars) and chars[letter].isalpha() and _over(boxes[index], boxes[letter]):
                composed = unicodedata.normalize("NFC", chars[letter] + _ACCENTS[char])
                if len(composed) == 1:
                    chars[letter], chars[index] = composed, ""
                    break
    return chars


def _over(accent: npt.NDArray[np.float32], letter: npt.NDArray[np.float32]) -> bool:
    middle = (accent[0] + accent[2]) / 2
    return bool(letter[0] - 0.5 <= middle <= letter[2] + 0.5)
