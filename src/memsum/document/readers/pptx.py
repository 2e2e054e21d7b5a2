"""Slides: the titles as headings, each point for itself, and the speaker's notes; tables; footers stay out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.visibility import Hidden
from memsum.document.readers.xml import Archive, Role, empty, flow, local_name, table_rows, without_other_branches
from memsum.document.tables import add_table
from memsum.errors import DocumentError
from memsum.languages import word_set

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SKIPPED = word_set("fld extLst nvSpPr nvPicPr nvGraphicFramePr spPr style pic chart tblPr tblGrid")
_TITLES = word_set("title ctrTitle")
_FOOTERS = word_set("ftr sldNum dt hdr sldImg")
_LONGEST_TITLE = 100


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read every slide that is shown, in order, with its notes."""
    hidden = hidden or Hidden()
    archive = Archive(source, "The presentation")
    main = archive.main("ppt/presentation.xml")
    presentation = archive.xml(main)
    if presentation is None or local_name(presentation) != "presentation":
        raise DocumentError("This is a ZIP archive, but not a presentation.")
    parts = {key: part for key, _, part in archive.related(main)}
    builder = DocumentBuilder()
    skipped = count = 0
    names = (parts.get(reference.get(f"{_R}id") or "") for reference in presentation.iter(f"{_P}sldId"))
    for name in dict.fromkeys(names):  # each once, however often a file refers to it
        slide = archive.xml(name) if name else None
        if name is None or slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            skipped += 1
            hidden.add(_all_text(slide))
            if not hidden.is_read:
                continue
        _remove_hidden(slide, hidden)
        _add_slide(builder, slide, is_first=count == 0)
        for text in archive.diagrams(name):
            builder.add("item", text)
        for other in dict.fromkeys(part for _, kind, part in archive.related(name) if "notesSlide" in kind + part):
            if (notes := archive.xml(other)) is not None:
                _remove_hidden(notes, hidden)
                holders = _Placeholders()
                for element, text in flow(notes, _role):
                    builder.add("boilerplate" if holders.of(element) in _FOOTERS else "paragraph", text)
        count += 1
    done = "read" if hidden.is_read else "left out"
    warnings = (f"{skipped} hidden slide{'s were' if skipped > 1 else ' was'} {done}.",) if skipped else ()
    builder.creators += archive.creators("docProps/core.xml")
    return builder.build(format="pptx", language=language, warnings=warnings)


def _remove_hidden(slide: Element, hidden: Hidden) -> None:
    """Note shapes that are hidden, and empty them unless they are to be read."""
    without_other_branches(slide)
    for look in list(slide.iter(f"{_P}cNvPr")):
        shape = look.getparent() if look.get("hidden") in ("1", "true") else None
        shape = None if shape is None else shape.getparent()
        if shape is not None:
            hidden.add(_all_text(shape))
            if not hidden.is_read:
                empty(shape)


def _all_text(element: Element) -> str:
    return "\n\n".join(text for _, text in flow(element, _role))


def _role(element: Element, name: str) -> Role:
    if name in _SKIPPED:
        return "skip"
    return "whole" if name == "tbl" else "block" if name == "p" else "space" if name in ("br", "tc", "tr") else "inline"


def _add_slide(builder: DocumentBuilder, slide: Element, *, is_first: bool) -> None:
    """Add the title first, wherever it was drawn; the lines of one are one."""
    holders = _Placeholders()
    found_texts = list(flow(slide, _role))
    texts = [(holders.of(element), local_name(element), text) for element, text in found_texts]
    titles = [at for at, (holder, _, _) in enumerate(texts) if holder in _TITLES]
    if not titles and len(texts) > 1 and _may_be_title(*texts[0]):
        titles = [0]
    found = set(titles)
    title = " ".join(texts[at][2] for at in titles)
    builder.add("title" if is_first else "heading", title, level=0 if is_first else 1)
    for at, (holder, name, text) in enumerate(texts):
        if name == "tbl":
            add_table(builder.add, *table_rows(found_texts[at][0], _all_text))
        elif at not in found:
            builder.add(_kind(holder, is_first=is_first), text)


def _may_be_title(holder: str, name: str, text: str) -> bool:
    """Tell whether the first text of a slide without a placeholder for a title may be one."""
    return holder == "" and name == "p" and len(text) <= _LONGEST_TITLE and text[-1] not in ".,;:?!"


def _kind(holder: str, *, is_first: bool) -> BlockKind:
    if holder in _FOOTERS or (is_first and holder == "subTitle"):
        return "boilerplate"
    return "item" if holder in ("body", "obj", "") else "paragraph"


class _Placeholders:
    """The placeholders of shapes, each looked for once: a shape may have many texts and many parts."""

    def __init__(self) -> None:
        self._known: dict[Element, str] = {}

    def of(self, element: Element) -> str:
        """Return what a text stands in: "title", "body", "ftr"; "obj" for a placeholder of any kind, "" for none."""
        above = next(element.iterancestors(f"{_P}sp", f"{_P}graphicFrame"), None)
        if above is None:
            return ""
        if above not in self._known:
            holder = above.find(f"./*/{_P}nvPr/{_P}ph")
            self._known[above] = "" if holder is None else holder.get("type") or "obj"
        return self._known[above]
