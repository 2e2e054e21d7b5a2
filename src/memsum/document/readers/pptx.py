"""Slides: the titles as headings, each point for itself, and the speaker's notes; footers and tables stay out."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.xml import Archive, Role, flow, local_name
from memsum.english import word_set
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_REL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_SKIPPED = word_set("fld extLst Fallback nvSpPr nvPicPr nvGraphicFramePr spPr style pic chart tblPr tblGrid")
_TITLES = word_set("title ctrTitle")
_FOOTERS = word_set("ftr sldNum dt hdr sldImg")
_LONGEST_TITLE = 100


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read every slide that is shown, in order, with its notes."""
    archive = Archive(source, "The presentation")
    presentation = archive.xml("ppt/presentation.xml")
    if presentation is None:
        raise DocumentError("This is a ZIP archive, but not a presentation.")
    parts = _related(archive, "ppt/presentation.xml")
    builder = DocumentBuilder()
    hidden = count = 0
    for reference in presentation.iter(f"{_P}sldId"):
        name = parts.get(reference.get(f"{_R}id") or "")
        slide = archive.xml(name) if name else None
        if name is None or slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden += 1
            continue
        _add_slide(builder, slide, is_first=count == 0)
        for other in _related(archive, name).values():
            notes = archive.xml(other) if other.startswith("ppt/notesSlides/") else None
            if notes is not None:
                _add_notes(builder, notes)
        count += 1
    warnings = (f"{hidden} hidden slide{'s were' if hidden > 1 else ' was'} left out.",) if hidden else ()
    return builder.build(format="pptx", language=language, warnings=warnings)


def _related(archive: Archive, name: str) -> dict[str, str]:
    """Return the parts that a part refers to, by the names it has for them."""
    folder, file = posixpath.split(name)
    relations = archive.xml(f"{folder}/_rels/{file}.rels")
    if relations is None:
        return {}
    targets = ((one.get("Id") or "", one.get("Target") or "") for one in relations.iter(_REL))
    return {key: posixpath.normpath(posixpath.join(folder, target)).lstrip("/") for key, target in targets}


def _role(element: Element, name: str) -> Role:
    if name in _SKIPPED:
        return "skip"
    return "whole" if name == "tbl" else "block" if name == "p" else "space" if name in ("br", "tc", "tr") else "inline"


def _add_slide(builder: DocumentBuilder, slide: Element, *, is_first: bool) -> None:
    """The title first, wherever it was drawn; the lines of one are one."""
    texts = [(_placeholder(element), local_name(element), text) for element, text in flow(slide, _role)]
    titles = [at for at, (holder, _, _) in enumerate(texts) if holder in _TITLES]
    if not titles and len(texts) > 1 and _may_be_title(*texts[0]):
        titles = [0]
    found = set(titles)
    title = " ".join(texts[at][2] for at in titles)
    builder.add("title" if is_first else "heading", title, level=0 if is_first else 1)
    for at, (holder, name, text) in enumerate(texts):
        if at not in found:
            builder.add(_kind(holder, name, is_first=is_first), text)


def _may_be_title(holder: str, name: str, text: str) -> bool:
    """Tell whether the first text of a slide without a placeholder for a title may be one."""
    return holder == "" and name == "p" and len(text) <= _LONGEST_TITLE and text[-1] not in ".,;:?!"


def _kind(holder: str, name: str, *, is_first: bool) -> BlockKind:
    if name == "tbl" or holder in _FOOTERS or (is_first and holder == "subTitle"):
        return "boilerplate"
    return "item" if holder in ("body", "obj", "") else "paragraph"


def _add_notes(builder: DocumentBuilder, notes: Element) -> None:
    """Return what the speaker wants to say."""
    for element, text in flow(notes, _role):
        builder.add("boilerplate" if _placeholder(element) in _FOOTERS else "paragraph", text)


def _placeholder(element: Element) -> str:
    """Return the placeholder that a text stands in: "title", "body", "ftr"; "obj" for one of any kind, "" for none."""
    for above in element.iterancestors(f"{_P}sp", f"{_P}graphicFrame"):
        holder = above.find(f"./*/{_P}nvPr/{_P}ph")
        return "" if holder is None else holder.get("type") or "obj"
    return ""
