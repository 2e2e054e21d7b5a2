"""The PDF reader: words, runs, lines, layout, chunks, classification and paragraphs, in that order, to a Document.

Pages that are pictures get their words from `scans`, the rest is the same.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from memsum.document.authors import split_front
from memsum.document.build import build_document
from memsum.document.document import Document
from memsum.document.readers.pdf.chunks import Body, Chunk, find_code, make_chunks
from memsum.document.readers.pdf.classify import classify
from memsum.document.readers.pdf.hyphens import Hyphens
from memsum.document.readers.pdf.layout import Layout, order_lines, split_running_heads, without_line_numbers
from memsum.document.readers.pdf.lines import cells_of, find_runs, group_rows, make_line, split_turned
from memsum.document.readers.pdf.paragraphs import Composer, Paragraph, Span, make_paragraphs
from memsum.document.readers.pdf.scans import recognize_pages
from memsum.document.readers.pdf.words import Page, can_recognize, read_pages, without_common_bold
from memsum.document.readers.visibility import Hidden
from memsum.errors import DocumentError

__all__ = ["can_recognize", "read", "read_scan"]

_NO_TEXT = "{count} of {total} pages have no text: they may be pictures."
_UNCHECKED = "On {count} pages it was not checked whether all words can be seen."
_MANY_TURNED = 50  # words of a page
_RECOGNIZED = "The pages are pictures: their text was recognized, and may not be what they say to the letter."


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read a PDF that has a text layer; boxes are in its own coordinates: points, y upwards."""
    with _without_collector():
        pages, author, unchecked = read_pages(_binary(source), hidden or Hidden())
        warnings = (_UNCHECKED.format(count=unchecked),) if unchecked else ()
        return _document(pages, language, warnings, author)


def read_scan(source: bytes | str, language: str | None = None) -> Document:
    """Read a PDF whose pages are pictures: slowly, and with the extra `ocr`."""
    return _document(recognize_pages(_binary(source)), language, (_RECOGNIZED,))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Let no cycles be looked for: words and lines are many objects without one, and looking takes 6 % of the time."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def _binary(source: bytes | str) -> bytes:
    if isinstance(source, str):
        raise DocumentError("A PDF is binary data, and this is text.", "Give the file itself.")
    return source


def _document(pages: list[Page], language: str | None, warnings: tuple[str, ...] = (), author: str = "") -> Document:
    """Make lines in reading order of words, find what each is, and make paragraphs of them."""
    without_common_bold(pages)
    parts = [split_turned(page) for page in pages]
    # Much turned text is read as a page, as a table across it is; the rest are labels.
    found = [find_runs(part) for main, *turned in parts for part in (main, *filter(_is_page, turned))]
    kept = without_line_numbers(found)
    layouts = [Layout(words, group_rows(runs)) for runs, (_, words) in zip(kept, found, strict=True)]
    layouts, heads = split_running_heads(layouts)
    lines = order_lines(layouts)
    find_code(lines)
    body = Body.of(lines)
    labeled = classify(make_chunks(lines, body), body)
    composer = Composer(Hyphens(line.text for line in lines))
    for paragraph in make_paragraphs(labeled, body):
        composer.add(paragraph)
    for part in (part for _, *turned in parts for part in turned if not _is_page(part)):
        runs, words = find_runs(part)
        heads.append([make_line(words, row) for row in group_rows(runs)])
    for line in (line for removed in heads for line in removed):
        composer.add(Paragraph("boilerplate", [Span(line, 0, len(line.text))]))
    blank = sum(not len(page.starts) for page in pages)
    if blank > len(pages) / 10:
        warnings += (_NO_TEXT.format(count=blank, total=len(pages)),)
    front = [line for label in labeled if label.kind == "front" for line in _front_lines(label.chunk)]
    return build_document(
        composer.text,
        composer.blocks,
        format="pdf",
        language=language,
        locate=composer.locate,
        lines=composer.lines(),
        warnings=warnings,
        sheets=tuple(page.sheet for page in pages),
        creators=[author],
        front=front or None,
    )


def _is_page(turned: Page) -> bool:
    """Tell whether turned words are many enough to be more than the labels of a figure."""
    return len(turned.starts) >= _MANY_TURNED


def _front_lines(chunk: Chunk) -> list[str]:
    """Return names and what stands below them apart; where gaps set parts of lines apart, each line."""
    lines = [[line.text[cell.start : cell.stop] for cell in cells_of(line)] for line in chunk.lines]
    if any(len(cells) > 1 for cells in lines):
        return ["; ".join(cells) for cells in lines]
    return split_front([line.text for line in chunk.lines])
