"""What pdfium sees on a page: its visible words, each with its box and font, in the order they were drawn.

A call into pdfium costs as much as ten characters of its own work, so characters come in bulk and boxes by the word.
"""

from __future__ import annotations

import importlib.util
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from memsum.document.document import Sheet
from memsum.document.readers.pdf.pdfium import (
    Floats,
    Ints,
    Mask,
    PageText,
    check_streams,
    count_objects,
    describe_font,
    fonts_of,
    page_area,
    with_typed_text,
)
from memsum.document.readers.pdf.visible import Budget, Drawing, Texts, seen
from memsum.document.readers.visibility import Hidden
from memsum.errors import DocumentError, ScanError, install_command

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

MAX_PAGES = 1000
MAX_GLYPHS = 4_000_000  # of a document; a page of a paper has 5,000
MAX_OBJECTS = 300_000  # of a page; each takes a kilobyte of memory

LOCK = threading.Lock()  # pdfium is not thread-safe
_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!um)|cmbx|sfbx|ecbx|cmb\d", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|[a-z]-it\b|cmti|sfti|ecti|cmsl", re.IGNORECASE)
_MONO = re.compile(
    r"cmtt|cmsltt|cmitt|cmtex|lmtt|lmmono|sftt|ectt|courier|mono|consol|menlo|typewriter|fixed|zi4", re.IGNORECASE
)
_FORCE_BOLD, _ITALIC_FLAG, _FIXED_PITCH = 1 << 18, 1 << 6, 1
_HEAVY = 600

GLUE = "\x01"  # stands where nothing is: a second half, an accent that went into its letter
LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_ACCENTS = {"´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c", "¸": "\u0327"}
_COMPOSABLE = {
    accent: np.array([chr(n).isalpha() and len(unicodedata.normalize("NFC", chr(n) + mark)) == 1 for n in range(0x80)])
    for accent, mark in _ACCENTS.items()
}  # for each code of ASCII
# Fonts that do not say what their glyphs are: the codes of ligatures, quotes and dashes in TeX's encodings.
_TEX = dict(zip(map(chr, (*range(0x1B, 0x20), 0x0B, 0x0C, 0x0E, 0x0F)), "ﬀﬁﬂﬃﬄﬀﬁﬃﬄ", strict=True))
_TEX |= {"\x10": "“", "\x11": "”", "\x15": "–", "\x16": "—", "\x88": "•"}
_CANNOT = "Text recognition takes long: use the command line, or read_document without isolated=False."
_MARK = re.compile(r"\d{1,3}(?![\w.])")
_MARKED = re.compile(r"[^\W_][.,;:!?)\]”’]$|[^\W\d_]{3}$")
_HYPHENS = "\x02\ufffe\xad\u2010\u2011"  # the first two are pdfium's, at line ends
_WIDEST, _WIDEST_GAP = 0.55, 0.6  # of the height of a font: a letter, and a gap that needs no second look
_SHIFT = 0.3  # points between base lines
_ACCENT_REACH, _MOST_ACCENTS = 200, 500  # characters around an accent; accents of a page that are looked for so far
_WORD_INSIDE = 1.5  # points between two letters of one word
_SPACE_WIDTH = 0.25  # of the height of a font
_SPACE, _ACCENT, _JOINED, _MIXED = 1, 2, 3, 4  # what a character is besides text


class Font(NamedTuple):
    """How a word is set; sizes are in points on the page."""

    size: float
    bold: bool
    italic: bool
    angle: int  # degrees, counter-clockwise
    mono: bool = False  # all letters are equally wide, as in code


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """The visible words of one page: stretches of `text` without space, each in one font."""

    number: int
    text: str
    starts: Ints
    stops: Ints
    boxes: Floats  # (n, 4): left, top, right, bottom, y upwards, as in the PDF
    fonts: list[Font]
    font_of: Ints
    joined: Mask  # words with ligatures or GLUE, of which the text is not yet what is read
    raised: Mask  # set by a small figure of the font above the line
    blank: Mask  # a space stands before the word
    private: int  # characters that only their font can name
    sheet: Sheet

    def only(self, words: Mask) -> Page:
        """Return the page with some of its words."""
        columns = ("starts", "stops", "boxes", "font_of", "joined", "raised", "blank")
        return self if words.all() else replace(self, **{name: getattr(self, name)[words] for name in columns})


def _tables() -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return for each 16-bit code the character that is read, and what it is."""
    codes = np.arange(0x10000, dtype=np.uint32)
    codes[:0x20] = codes[0x7F:0xA1] = codes[0xD800:0xE000] = 0x20
    for char in "\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\ufffd\u200b\u200c\u200d":
        codes[ord(char)] = 0x20
    codes[0x2000:0x200B] = 0x20
    for char in _HYPHENS:
        codes[ord(char)] = ord("-")
    for char, meant in _TEX.items():
        codes[ord(char)] = ord(meant)
    kinds = np.full(0x10000, _MIXED, dtype=np.uint8)
    kinds[[ord(char) for char in "abcdefghijklmnopqrstuvwxyz.,;:-"]] = 0
    kinds[codes == 0x20] = _SPACE
    kinds[[ord(char) for char in _ACCENTS]] = _ACCENT
    kinds[np.isin(codes, [ord(char) for char in LIGATURES])] = _JOINED
    return codes, kinds


_CODES, _KINDS = _tables()
_LETTERS = np.array([chr(code).isalpha() for code in range(0x10000)])


def can_recognize() -> bool:
    """Tell whether the extra that recognizes text is installed."""
    return importlib.util.find_spec("rapidocr") is not None


def read_pages(data: bytes, hidden: Hidden) -> tuple[list[Page], str, int]:
    """Return the words of all pages, the author whom the file names, and how many pages were not checked."""
    import pypdfium2

    check_streams(data)
    with LOCK:
        pdf = open_pdf(data)
        try:
            if len(pdf) == 0:
                raise DocumentError("The PDF has no pages.")
            if len(pdf) > MAX_PAGES:
                raise DocumentError(
                    f"The PDF has {len(pdf)} pages, more than the {MAX_PAGES} that are read.", "Split it into parts."
                )
            budget = Budget(data)
            pdf.init_forms()
            found = list(_pages(pdf, budget))
            author = str(pdf.get_metadata_value("Author"))
        except pypdfium2.PdfiumError:
            raise DocumentError("The PDF is damaged: a page cannot be read.") from None
        finally:
            pdf.close()
    for page, shown in found:
        stretches = zip(page.starts[~shown].tolist(), page.stops[~shown].tolist(), strict=True)
        hidden.add(" ".join(page.text[start:stop] for start, stop in stretches))
    pages = [page if hidden.is_read else page.only(shown) for page, shown in found]
    _check_text(pages)
    return pages, author, budget.unchecked


def open_pdf(data: bytes) -> PdfDocument:
    """Return the file as pdfium sees it, or an error that says why it cannot."""
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


def _pages(pdf: PdfDocument, budget: Budget) -> Iterator[tuple[Page, Mask]]:
    left = MAX_GLYPHS
    for number in range(1, len(pdf) + 1):
        page = with_typed_text(pdf, number - 1)
        try:
            found = _page(page, number, left, budget)
        finally:
            page.close()
        left -= len(found[0].text)
        yield found


def sheet_of(page: PdfPage) -> Sheet:
    """Return what is shown of a page; one that does not tell is a letter."""
    area, rotation = page_area(page), page.get_rotation() % 360
    if all(map(math.isfinite, area)) and area.right - area.left >= 1 and area.top - area.bottom >= 1:
        return Sheet(area.left, area.bottom, area.right, area.top, rotation)
    return Sheet(0, 0, 612, 792, rotation)


def _page(page: PdfPage, number: int, limit: int, budget: Budget) -> tuple[Page, Mask]:
    """Return the words of a page, and which of them are seen."""
    if count_objects(page) > MAX_OBJECTS:
        raise DocumentError(f"Page {number} of the PDF is drawn in more pieces than can be read.")
    drawing = Drawing(page)
    text = PageText(page.get_textpage())
    if text.count > limit:
        raise DocumentError("The PDF has more text than can be read.", "Split it into parts.")
    codes, kinds = _characters(text)
    starts, stops, of_word, objects = _split(text, kinds)
    read = codes.tobytes().decode("utf-32-le")
    marks = _marks(text, codes, read, starts)
    if len(marks):
        indexes = np.searchsorted(starts, marks)
        starts, stops = np.insert(starts, indexes, marks), np.insert(stops, indexes - 1, marks)
        of_word = np.insert(of_word, indexes, of_word[indexes - 1])
    boxes = _boxes(text, starts, stops, of_word)
    shown = seen(page, drawing, objects.texts, of_word, codes[starts], boxes, budget)
    joined = np.zeros(len(starts), dtype=bool)
    joined[np.searchsorted(starts, np.flatnonzero(kinds == _JOINED), "right") - 1] = True
    if not len(starts):
        codes = np.full(1, 0x20, dtype=np.uint32)
    found = Page(
        number,
        read,
        starts,
        stops,
        boxes,
        objects.fonts,
        objects.font_of[of_word],
        joined,
        np.isin(starts, marks) if len(marks) else np.zeros(len(starts), dtype=bool),
        codes[starts - 1] == 0x20,
        int(((codes >= 0xE000) & (codes < 0xF900)).sum()),
        sheet_of(page),
    )
    has_area = (boxes[:, 2] - boxes[:, 0] > 0.01) & (boxes[:, 1] - boxes[:, 3] > 0.01)
    return found.only(has_area), shown[has_area]


def _characters(text: PageText) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return the characters of a page as they are read, and what each is."""
    raw = text.codes()
    codes, kinds = _CODES[raw], _KINDS[raw]
    _drop_symbols(raw, codes, kinds)
    halves = np.flatnonzero((raw[:-1] >= 0xD800) & (raw[:-1] < 0xDC00) & (raw[1:] >= 0xDC00) & (raw[1:] < 0xE000))
    for index in halves.tolist():
        char = chr(0x10000 + ((int(raw[index]) - 0xD800) << 10) + int(raw[index + 1]) - 0xDC00)
        if "\U0001d400" <= char < "\U0001d800":  # letters of formulas
            char = unicodedata.normalize("NFKC", char)
        codes[index], codes[index + 1] = ord(char[0]), ord(GLUE)
        kinds[index], kinds[index + 1] = _MIXED, _JOINED
    accents = np.flatnonzero(kinds == _ACCENT)
    if len(accents):
        _set_accents(text, codes, kinds, accents)
    return codes, kinds


def _drop_symbols(raw: npt.NDArray[np.uint16], codes: npt.NDArray[np.uint32], kinds: npt.NDArray[np.uint8]) -> None:
    """Take codes of ligatures that stand alone for spaces: in fonts of symbols they are pieces of brackets."""
    alone = np.flatnonzero((kinds == _JOINED) & (raw < 0x20))
    if len(alone):
        letters = np.concatenate(([False], _LETTERS[raw], [False]))
        lone = alone[~(letters[alone] | letters[alone + 2])]
        codes[lone], kinds[lone] = 0x20, _SPACE


def _set_accents(
    text: PageText, codes: npt.NDArray[np.uint32], kinds: npt.NDArray[np.uint8], accents: npt.NDArray[np.intp]
) -> None:
    """Put accents that were drawn apart, over the letter after or before them, into the letter."""
    drawn = text.boxes(accents)
    middle = (drawn[:, 0] + drawn[:, 2]) / 2
    for step in (1, -1):
        letters = np.clip(accents + step, 0, len(codes) - 1)
        boxes = text.boxes(letters)
        over = (boxes[:, 0] - 0.5 <= middle) & (middle <= boxes[:, 2] + 0.5) & (kinds[accents] == _ACCENT)
        for accent, letter in zip(accents[over].tolist(), letters[over].tolist(), strict=True):
            composed = unicodedata.normalize("NFC", chr(codes[letter]) + _ACCENTS[chr(codes[accent])])
            if len(composed) == 1 and composed.isalpha():
                codes[letter], codes[accent], kinds[accent] = ord(composed), ord(GLUE), _JOINED
    left = accents[kinds[accents] == _ACCENT]
    if 0 < len(left) <= _MOST_ACCENTS:
        _set_far_accents(text, codes, kinds, left)


def _set_far_accents(
    text: PageText, codes: npt.NDArray[np.uint32], kinds: npt.NDArray[np.uint8], accents: npt.NDArray[np.intp]
) -> None:
    """Put accents that were drawn long before or after their letters into the letters below or above them."""
    ascii_ = codes.clip(max=0x7F)
    letters_of = {char: np.flatnonzero(_COMPOSABLE[char][ascii_]) for char in set(map(chr, codes[accents].tolist()))}
    near: list[Ints] = []
    for at in accents.tolist():
        own = letters_of[chr(codes[at])]
        low, high = np.searchsorted(own, (at - _ACCENT_REACH, at + _ACCENT_REACH)).tolist()
        near.append(own[low:high])
    letters = np.concatenate(near)
    inked = np.zeros((len(codes), 4))
    wanted = np.unique(np.concatenate((accents, letters)))
    inked[wanted] = text.inked(wanted)
    owners = np.repeat(accents, list(map(len, near)))
    begin, end, bottom, top = inked[owners].T
    lefts, rights, bottoms, tops = inked[letters].T
    over = (lefts - 0.5 <= (begin + end) / 2) & ((begin + end) / 2 <= rights + 0.5)
    over &= np.minimum(np.abs(bottom - tops), np.abs(top - bottoms)) < 0.5 * (tops - bottoms)
    for accent, letter in zip(owners[over].tolist(), letters[over].tolist(), strict=True):
        if kinds[accent] != _ACCENT:
            continue
        composed = unicodedata.normalize("NFC", chr(codes[letter]) + _ACCENTS[chr(codes[accent])])
        if len(composed) == 1:
            codes[letter] = ord(composed)
            is_inside = _is_inside_word(text, codes, accent)
            stop = accent + 2 if is_inside else accent + 1
            codes[accent:stop], kinds[accent:stop] = (ord(GLUE), _JOINED) if is_inside else (0x20, _SPACE)


def _is_inside_word(text: PageText, codes: npt.NDArray[np.uint32], accent: int) -> bool:
    """Tell whether an accent, and the space that pdfium saw behind it, stand between two letters of one word."""
    following = accent + 2
    if following < len(codes) and codes[following] == ord(GLUE):
        following += 1
    if accent == 0 or following >= len(codes) or codes[accent + 1] != 0x20:
        return False
    before, after = text.boxes(np.array([accent - 1, following])).tolist()
    return bool(abs(after[0] - before[2]) < _WORD_INSIDE)


def _marks(text: PageText, codes: npt.NDArray[np.uint32], read: str, known: Ints) -> Ints:
    """Find the marks of notes that fonts have as small raised figures, in one word with what they follow."""
    digits = (codes >= ord("0")) & (codes <= ord("9"))
    is_first = digits[1:] & ~digits[:-1] & (codes[:-1] > 0x20)
    is_first[known[known > 0] - 1] = False
    starts = np.flatnonzero(is_first) + 1
    found = [index for index in starts.tolist() if _MARKED.search(read, max(index - 4, 0), index)]
    indexes = np.array([index for index in found if _MARK.match(read, index)], dtype=np.int64)
    if not len(indexes):
        return indexes
    letters = [index - 1 if read[index - 1].isalpha() else index - 2 for index in indexes.tolist()]
    mark, letter = text.inked(indexes), text.inked(np.array(letters))
    return indexes[mark[:, 2] > letter[:, 2] + 0.3 * (letter[:, 3] - letter[:, 2])]


class _Objects(NamedTuple):
    """The text objects of a page: each of them was drawn in one go."""

    texts: Texts
    fonts: list[Font]
    font_of: Ints
    baselines: Floats


def _split(text: PageText, kinds: npt.NDArray[np.uint8]) -> tuple[Ints, Ints, Ints, _Objects]:
    """Return where words begin and end, at spaces and where the font or the base line changes; their objects."""
    solid = np.zeros(len(kinds) + 2, dtype=np.int8)
    solid[1:-1] = kinds != _SPACE
    edges = np.flatnonzero(solid[1:] != solid[:-1])
    starts, stops = edges[::2], edges[1::2]
    of_word = text.objects(starts)
    # A word whose object goes on in the next one is all of that object. Small letters and their punctuation are set
    # alike, even if each is an object.
    mixed = np.zeros(len(kinds) + 1, dtype=np.int64)
    np.cumsum(kinds == _MIXED, out=mixed[1:])
    alone = (stops - starts > 1) & (mixed[stops] > mixed[starts])
    alone[:-1] &= of_word[1:] != of_word[:-1]
    unsure = np.flatnonzero(alone)
    unsure = unsure[of_word[unsure] != text.objects(stops[unsure] - 1)]
    if not len(unsure):
        objects, of_word = _objects(text, of_word, starts)
        return starts, stops, of_word, objects
    lengths = stops[unsure] - starts[unsure]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    indexes = np.repeat(starts[unsure], lengths) + within
    inside = text.objects(indexes)
    objects, found = _objects(text, np.concatenate((of_word, inside)), np.concatenate((starts, indexes)))
    of_word, inside = found[: len(starts)], found[len(starts) :]
    fonts, lines = objects.font_of[inside], objects.baselines[inside]
    changes = np.zeros(len(indexes), dtype=bool)
    changes[1:] = ((fonts[1:] != fonts[:-1]) | (np.abs(lines[1:] - lines[:-1]) > _SHIFT)) & (within[1:] > 0)
    inner = indexes[changes]
    order = np.argsort(np.concatenate((starts, inner)))
    starts, stops = np.sort(np.concatenate((starts, inner))), np.sort(np.concatenate((stops, inner)))
    return starts, stops, np.concatenate((of_word, inside[changes]))[order], objects


def _objects(text: PageText, addresses: Ints, indexes: Ints) -> tuple[_Objects, Ints]:
    """Return what is known of the objects of characters, and which of them each character has."""
    unique, first, found = np.unique(addresses, return_index=True, return_inverse=True)
    listed, at = unique.tolist(), indexes[first]
    a, b, c, d, e, f = text.matrices(at).T
    sizes = np.minimum(np.abs(text.sizes(at)) * np.hypot(c, d), 10_000)
    angles = np.rint(np.degrees(np.arctan2(b, a))).astype(np.int64)
    own = fonts_of(listed)
    known, of_object = np.unique(own, return_inverse=True)
    described = {font: describe_font(font) for font in known.tolist() if font}
    shapes = np.array([_style(*described.get(font, ("", 0, 0))) for font in known.tolist()], dtype=np.int64)[of_object]
    keys = (np.rint(sizes * 10).astype(np.int64) * 1000 + angles + 360) * 8 + shapes
    keys, font_of = np.unique(keys, return_inverse=True)
    kept = [
        Font(key // 8000 / 10, bool(key & 2), bool(key & 1), key // 8 % 1000 - 360, bool(key & 4))
        for key in keys.tolist()
    ]
    baselines = (a * f - b * e) / np.maximum(np.hypot(a, b), 1e-6)
    texts = Texts(listed, own, {font: name for font, (name, _, _) in described.items()})
    return _Objects(texts, kept, font_of, baselines), found


def _boxes(text: PageText, starts: Ints, stops: Ints, of_word: Ints) -> Floats:
    """Return left, top, right and bottom of the words.

    Inside an object only the left edges of words are asked for; a word ends where the next begins, less a space,
    unless the words are too far apart for that.
    """
    first = text.boxes(starts)
    height = first[:, 1] - first[:, 3]
    ended = np.ones(len(starts), dtype=bool)
    step = first[1:, 0] - first[:-1, 0]
    near = (step > 0) & (step < (_WIDEST * (stops - starts)[:-1] + _WIDEST_GAP) * height[:-1])
    ended[:-1] = ~((of_word[1:] == of_word[:-1]) & (starts[1:] - stops[:-1] == 1) & near)
    exact = np.flatnonzero(ended)
    last = first.copy()
    longer = exact[stops[exact] - starts[exact] > 1]
    last[longer] = text.boxes(stops[longer] - 1)
    last[:-1, 2] = np.where(ended[:-1], last[:-1, 2], first[1:, 0] - _SPACE_WIDTH * height[:-1])
    low, high = np.minimum(first, last), np.maximum(first, last)
    return np.stack((low[:, 0], high[:, 1], high[:, 2], low[:, 3]), axis=1)


@lru_cache(maxsize=1000)
def _style(name: str, flags: int, weight: int) -> int:
    """Tell whether a font is monospaced (4), bold (2) and italic (1), by its name and flags."""
    name = name.split("+", 1)[-1]
    bold = bool(_BOLD.search(name)) or bool(flags & _FORCE_BOLD) or weight >= _HEAVY
    italic = bool(_ITALIC.search(name)) or bool(flags & _ITALIC_FLAG)
    mono = bool(_MONO.search(name)) or bool(flags & _FIXED_PITCH)
    return 4 * mono + 2 * bold + italic


def without_common_bold(pages: Sequence[Page]) -> None:
    """Take no font of the usual size for bold if most letters of that size are: then its name misleads."""
    letters: Counter[tuple[float, bool]] = Counter()
    for page in pages:
        counts = np.bincount(page.font_of, page.stops - page.starts, len(page.fonts)).tolist()
        for font, count in zip(page.fonts, counts, strict=True):
            letters[round(font.size * 2) / 2, font.bold] += count
    sizes = Counter({size: letters[size, True] + letters[size, False] for size, _ in letters})
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    if letters[usual, True] > letters[usual, False]:
        for page in pages:
            page.fonts[:] = [
                font._replace(bold=False) if round(font.size * 2) / 2 == usual else font for font in page.fonts
            ]


def _check_text(pages: list[Page]) -> None:
    """Refuse scans, and fonts that do not say what their glyphs mean."""
    count = sum(int((page.stops - page.starts).sum()) for page in pages)
    if count < 20 * min(len(pages), 3) and not any(char.isalpha() for page in pages for char in page.text):
        hint = _CANNOT if can_recognize() else f"To read it, install text recognition: {install_command('ocr')}"
        raise ScanError("The PDF has no text layer: its pages are pictures.", hint)
    if sum(page.private for page in pages) > count / 2:
        raise DocumentError(
            "The PDF's fonts do not say which letters they show.", "Run text recognition (OCR) on it first."
        )
