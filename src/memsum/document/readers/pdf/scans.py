"""Scans: pages that are pictures, whose words RapidOCR (the extra `ocr`) recognizes where they stand.

It runs on ONNX Runtime with the models of its wheel. What it finds becomes words like those of a text layer: columns,
paragraphs and boxes are found in the same way.
"""

from __future__ import annotations

import math
import os
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memsum.document.document import Sheet
from memsum.document.readers.pdf.pdfium import check_streams
from memsum.document.readers.pdf.words import LOCK, Font, Page, can_recognize, open_pdf, sheet_of
from memsum.errors import DocumentError, MissingExtraError

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

MAX_SCANNED = 100  # pages; each takes seconds
_SCALE = 150 / 72  # pixels for each point: 150 to the inch
_LONGEST_SIDE = 2000  # pixels; RapidOCR uses no more
_MOST_THREADS = 4
_FONT_SIZE = 0.9  # of the height of a line's box
_WIDTHS = {**dict.fromkeys(" ijlftrI.,;:'!|()[]-", 0.5), **dict.fromkeys("mwMW—", 1.5)}  # times that of most letters
_STEP = 1.4  # from one size to the next
_ALIKE = (0.75, 1.3)  # times the usual height: with and without letters that stand out, a line is as large as others


class _Line(NamedTuple):
    """What was recognized in one line: its words, where they stand on the page, and how high the line is in points."""

    words: list[str]
    boxes: list[tuple[float, float, float, float]]
    height: float


@cache
def _engine() -> Any:
    if not can_recognize():
        raise MissingExtraError("Reading scans", "ocr")
    from rapidocr import RapidOCR

    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    settings = {"Global.log_level": "critical", "EngineConfig.onnxruntime.intra_op_num_threads": threads}
    return RapidOCR(params=settings)


def recognize_pages(data: bytes) -> list[Page]:
    """Return the words of pages that are pictures."""
    import pypdfium2

    check_streams(data)
    engine = _engine()
    found: list[tuple[Sheet, list[_Line]]] = []
    with LOCK:
        pdf = open_pdf(data)
        try:
            if len(pdf) > MAX_SCANNED:
                raise DocumentError(
                    f"The PDF is a scan of {len(pdf)} pages; at most {MAX_SCANNED} are recognized.",
                    "Split it into parts.",
                )
            for page in pdf:
                found.append((sheet_of(page), _lines(engine, page)))
                page.close()
        except pypdfium2.PdfiumError:
            raise DocumentError("The PDF is damaged: a page cannot be read.") from None
        finally:
            pdf.close()
    if not any(lines for _, lines in found):
        raise DocumentError("The PDF has no text layer, and no text was recognized on its pages.")
    heights = [line.height for _, lines in found for line in lines if len(line.words) > 2]
    usual = median(heights) if heights else 0.0
    return [_page(number, sheet, lines, usual) for number, (sheet, lines) in enumerate(found, 1)]


def _lines(engine: Any, page: PdfPage) -> list[_Line]:
    """Return the lines of a page, those that begin at its left edge first: two columns are never taken for one line."""
    scale = min(_SCALE, _LONGEST_SIDE / max(*page.get_size(), 1.0))
    bitmap = page.render(scale=scale)
    on_page = bitmap.get_posconv(page).to_page
    picture = bitmap.to_numpy()
    result = engine(picture[:, :, :3] if picture.ndim == 3 else picture, use_cls=False)
    lines: list[tuple[float, _Line]] = []
    for corners, text in zip(result.boxes, result.txts, strict=True) if result.txts else ():
        words = text.split()
        (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        if not words or right <= left or bottom <= top:
            continue
        boxes: list[tuple[float, float, float, float]] = []
        for begin, end in _sides(words, left, right):
            (x, y), (other_x, other_y) = on_page(round(begin), round(top)), on_page(round(end), round(bottom))
            boxes.append((min(x, other_x), max(y, other_y), max(x, other_x), min(y, other_y)))
        lines.append((left, _Line(words, boxes, (bottom - top) / scale)))
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])]


def _sides(words: list[str], left: float, right: float) -> list[tuple[float, float]]:
    """Return where the words of a line begin and end, by how wide their letters usually are."""
    widths = [sum(_WIDTHS.get(char, 1.25 if char.isupper() else 1.0) for char in word) for word in words]
    step = (right - left) / (sum(widths) + _WIDTHS[" "] * (len(words) - 1))
    sides: list[tuple[float, float]] = []
    for width in widths:
        sides.append((left, left + step * width))
        left += step * (width + _WIDTHS[" "])
    return sides


def _page(number: int, sheet: Sheet, lines: list[_Line], usual: float) -> Page:
    words = [word for line in lines for word in line.words]
    stops = np.cumsum([len(word) + 1 for word in words], dtype=np.int64)
    starts = stops - np.array([len(word) for word in words], dtype=np.int64)  # a space stands before each word
    sizes = [_size(line.height, usual) for line in lines]
    fonts = sorted(set(sizes))
    nothing = np.zeros(len(words), dtype=bool)
    return Page(
        number,
        "".join(f" {word}" for word in words),
        starts,
        stops,
        np.array([box for line in lines for box in line.boxes], dtype=np.float32).reshape(-1, 4),
        [Font(size, bold=False, italic=False, angle=sheet.rotation) for size in fonts],
        np.array([fonts.index(size) for line, size in zip(lines, sizes, strict=True) for _ in line.words], np.int64),
        nothing,
        nothing,
        ~nothing,
        0,
        sheet,
    )


def _size(height: float, usual: float) -> float:
    """Return the size of a line's font: boxes differ with their letters, so only few sizes are distinguished."""
    low, high = _ALIKE
    ratio = height / usual if usual else 1.0
    steps = 0 if low < ratio < high else round(math.log(ratio, _STEP))
    return round(_FONT_SIZE * (usual or height) * _STEP**steps, 1)
