"""A document with its summary highlighted: in a PDF annotations, which every viewer shows, lists and can remove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memsum.document.document import Box, Document
from memsum.document.formats import SUFFIXES, format_named
from memsum.errors import DocumentError, MemsumError
from memsum.files import write_atomically
from memsum.isolation import SECONDS, SandboxDiedError, ask_isolated
from memsum.printable import one_line
from memsum.summary.html import render_html, render_quotes
from memsum.summary.rendering import spoken

if TYPE_CHECKING:
    from pypdf import PdfWriter
    from pypdf.generic import StreamObject

    from memsum.query.located import LocatedQuote
    from memsum.summary.summary import Summary


COLOR = "ffe27a"
EDITED = "ff9d6e"  # of quotes that differ from the document
_AUTHOR = "memsum"
_MARGIN = 0.5  # of a unit around the letters


@dataclass(frozen=True, slots=True)
class Highlight:
    """Boxes to highlight, and their note."""

    boxes: tuple[Box, ...]
    note: str
    color: str = COLOR


def write_highlighted(
    summary: Summary, output: Path, form: Literal["pdf", "html"] | None = None, pdf: Path | bytes | None = None
) -> None:
    """Write a highlighted PDF, or a page of HTML; the name of the output decides if no format is given."""
    form = _check_form(output, form)
    if form == "html":
        write_atomically(output, f"{render_html(summary)}\n".encode("utf-8", "replace"))
        return
    if summary.document.format != "pdf":
        name = f"{summary.id}: " if summary.id is not None else ""
        raise DocumentError(f"{name}This is not a PDF, so it cannot be highlighted as one.", "Choose the format html.")
    pdf = pdf or summary.pdf
    if pdf is None:
        raise MemsumError("The file of this PDF is not known.", "Name it: summary.highlight(output, pdf=path)")
    write_atomically(output, highlight_pdf(pdf if isinstance(pdf, bytes) else pdf.read_bytes(), summary))


def write_quotes(
    document: Document,
    quotes: Sequence[LocatedQuote],
    output: Path,
    form: Literal["pdf", "html"] | None = None,
    pdf: Path | None = None,
) -> None:
    """Write a PDF, or a page of HTML, with the quotes of others highlighted that are in it; edited ones stand out."""
    if _check_form(output, form) == "html":
        write_atomically(output, f"{render_quotes(document, quotes)}\n".encode("utf-8", "replace"))
        return
    if pdf is None or document.format != "pdf":
        raise DocumentError("This is not a PDF, so it cannot be highlighted as one.", "Choose the format html.")
    highlights = [
        Highlight(place.boxes, one.to_text(), COLOR if one.is_found else EDITED)
        for quote in quotes
        for one in (quote.parts or (quote,))
        for place in one.occurrences
    ]
    write_atomically(output, _mark_isolated(pdf.read_bytes(), [one for one in highlights if one.boxes], SECONDS))


def _check_form(output: Path, form: Literal["pdf", "html"] | None) -> Literal["pdf", "html"]:
    form = form or ("pdf" if output.suffix.lower() == ".pdf" else "html")
    if output.suffix.lower() in SUFFIXES.difference(format_named(form).suffixes):
        kind = "a PDF" if form == "pdf" else "a page of HTML"
        hint = f"Call it {output.with_suffix(f'.{form}').name}, or choose the other format."
        raise MemsumError(f"The highlighted document is {kind}, and {output.name} does not end like one.", hint)
    return form


def highlight_pdf(pdf: bytes, summary: Summary, *, seconds: float = SECONDS) -> bytes:
    """Highlight each sentence of the summary in its PDF; a note has the order and the score."""
    return _mark_isolated(pdf, highlights_of(summary), seconds)


def _mark_isolated(pdf: bytes, highlights: Sequence[Highlight], seconds: float) -> bytes:
    """Mark a PDF in a process of its own, or not at all if that takes too long or too much memory."""
    marks = {"marks": [[highlight.boxes, highlight.note, highlight.color] for highlight in highlights]}
    try:
        return ask_isolated(f"{__name__}:mark_packed", marks, pdf, max(seconds, 0.001))[1]
    except TimeoutError:
        raise DocumentError("Highlighting this PDF took too long.", "Choose the format html.") from None
    except SandboxDiedError:
        raise DocumentError(
            "This PDF cannot be written again: it is damaged or hostile.", "Choose the format html."
        ) from None


def mark_packed(header: dict[str, Any], pdf: bytes) -> tuple[dict[str, Any], bytes]:
    """Mark a PDF in a sandbox."""
    marks = [Highlight(tuple(Box(*box) for box in boxes), *rest) for boxes, *rest in header["marks"]]
    return {}, mark_pdf(pdf, marks)


def highlights_of(summary: Summary) -> list[Highlight]:
    """Return the highlights of a summary, if its sentences have positions on pages."""
    document = summary.document
    highlights = []
    for quote in summary:
        note = (
            f"Summary, {quote.step + 1} of {len(summary)} in order of importance. Score {quote.score:.3f}, "
            f"sentence {quote.index + 1} of {len(document.sentences)}."
        )
        context = f"\nContext: {spoken(quote.context)}" if quote.context else ""
        after = f"\nBelow it: {spoken(quote.after)}" if quote.after else ""
        highlights.append(Highlight(quote.boxes, f"{note}{context}{after}"))
    if document.format != "pdf" or not any(highlight.boxes for highlight in highlights):
        raise DocumentError("The sentences of the summary have no positions on pages.", "Choose the format html.")
    return highlights


def mark_pdf(pdf: bytes, highlights: Sequence[Highlight]) -> bytes:
    """Add annotations to a PDF."""
    from pypdf import PdfReader, PdfWriter
    from pypdf.errors import DependencyError, PyPdfError

    try:
        writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf)))
        for highlight in highlights:
            for _, boxes in groupby(highlight.boxes, key=lambda box: box.page):
                _annotate(writer, list(boxes), highlight.note, highlight.color)
        output = BytesIO()
        writer.write(output)
    # On damaged files pypdf raises its own errors, and at times those of Python.
    except (PyPdfError, DependencyError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        reason = one_line(str(error)).rstrip(".") or type(error).__name__
        raise DocumentError(
            f"The PDF can be read but not written again ({reason}).", "Choose the format html."
        ) from None
    return output.getvalue()


def _annotate(writer: PdfWriter, boxes: Sequence[Box], note: str, color: str) -> None:
    from pypdf import annotations
    from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, TextStringObject

    page = writer.pages[boxes[0].page - 1]
    corners = []  # left, bottom, right, top, with y upwards as in the PDF
    for box in boxes:
        low, high = sorted((box.top, box.bottom))
        corners.append((box.left - _MARGIN, low - _MARGIN, box.right + _MARGIN, high + _MARGIN))
    left, bottom = min(box[0] for box in corners), min(box[1] for box in corners)
    right, top = max(box[2] for box in corners), max(box[3] for box in corners)
    # Upper left, upper right, lower left, lower right: what viewers expect, whatever the standard says.
    quads = [n for x0, y0, x1, y1 in corners for n in (x0, y1, x1, y1, x0, y0, x1, y0)]
    annotation = annotations.Highlight(
        rect=(left, bottom, right, top),
        quad_points=ArrayObject([FloatObject(round(n, 2)) for n in quads]),
        highlight_color=color,
        printing=True,
        title_bar=_AUTHOR,
    )
    annotation[NameObject("/Contents")] = TextStringObject(note)
    appearance = writer._add_object(_appearance(corners, (left, bottom, right, top), color))
    annotation[NameObject("/AP")] = DictionaryObject({NameObject("/N"): appearance})
    listed = page.get("/Annots", ArrayObject()).get_object()
    if not isinstance(listed, ArrayObject):  # damaged
        listed = ArrayObject()
    listed.append(writer._add_object(annotation))
    page[NameObject("/Annots")] = listed


def _appearance(
    corners: Sequence[tuple[float, float, float, float]], around: Sequence[float], color: str
) -> StreamObject:
    """Draw rectangles that darken like a pen, for viewers that draw no highlights of their own."""
    from pypdf.generic import ArrayObject, DecodedStreamObject, DictionaryObject, FloatObject, NameObject

    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (0, 2, 4))
    drawn = [f"/Pen gs {red:.3f} {green:.3f} {blue:.3f} rg"]
    drawn += [f"{x0:.2f} {y0:.2f} {x1 - x0:.2f} {y1 - y0:.2f} re" for x0, y0, x1, y1 in corners]
    stream = DecodedStreamObject()
    stream.set_data("\n".join([*drawn, "f"]).encode())
    pen = DictionaryObject({NameObject("/BM"): NameObject("/Multiply")})
    states = DictionaryObject({NameObject("/Pen"): pen})
    entries = {
        "/Type": NameObject("/XObject"),
        "/Subtype": NameObject("/Form"),
        "/BBox": ArrayObject([FloatObject(round(n, 2)) for n in around]),
        "/Resources": DictionaryObject({NameObject("/ExtGState"): states}),
        "/Group": DictionaryObject({NameObject("/S"): NameObject("/Transparency")}),
    }
    stream.update({NameObject(name): entry for name, entry in entries.items()})
    return stream
