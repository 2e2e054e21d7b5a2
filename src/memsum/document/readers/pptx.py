"""Slides: the titles as headings, each point for itself, and the speaker's notes; footers and tables stay out."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.xml import (
    Archive,
    Role,
    empty,
    flow,
    is_alike,
    local_name,
    outermost,
    without_other_branches,
)
from memsum.english import word_set
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_REL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_SKIPPED = word_set("fld extLst nvSpPr nvPicPr nvGraphicFramePr spPr style pic chart tblPr tblGrid")
_TITLES = word_set("title ctrTitle")
_FOOTERS = word_set("ftr sldNum dt hdr sldImg")
_LONGEST_TITLE = 100
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SHAPES = word_set("sp pic graphicFrame grpSp cxnSp")
_TINY = 150  # hundredths of a point
_FAINT = 5000  # of 100,000, of opacity


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read every slide that is shown, in order, with its notes."""
    archive = Archive(source, "The presentation")
    presentation = archive.xml("ppt/presentation.xml")
    if presentation is None:
        raise DocumentError("This is a ZIP archive, but not a presentation.")
    parts = _related(archive, "ppt/presentation.xml")
    size = _extent(presentation.find(f"{_P}sldSz"), "cx", "cy")
    builder = DocumentBuilder()
    hidden = count = 0
    names = (parts.get(reference.get(f"{_R}id") or "") for reference in presentation.iter(f"{_P}sldId"))
    for name in dict.fromkeys(names):  # each once, however often a file refers to it
        slide = archive.xml(name) if name else None
        if name is None or slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden += 1
            continue
        _remove_hidden(slide, size)
        _add_slide(builder, slide, is_first=count == 0)
        for other in dict.fromkeys(_related(archive, name).values()):
            notes = archive.xml(other) if other.startswith("ppt/notesSlides/") else None
            if notes is not None:
                _remove_hidden(notes, None)
                _add_notes(builder, notes)
        count += 1
    warnings = (f"{hidden} hidden slide{'s were' if hidden > 1 else ' was'} left out.",) if hidden else ()
    builder.creators += archive.creators("docProps/core.xml")
    return builder.build(format="pptx", language=language, warnings=warnings)


def _extent(element: Element | None, across: str, down: str) -> tuple[float, float] | None:
    """Return two numbers of an element, None where it has none."""
    try:
        return None if element is None else (float(element.get(across, "")), float(element.get(down, "")))
    except ValueError:
        return None


class _Frame(NamedTuple):
    """How the coordinates of shapes in a group become those of the slide: a factor and an offset each way."""

    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)


def _remove_hidden(slide: Element, size: tuple[float, float] | None) -> None:
    """Empty shapes that are hidden or beside the slide, and texts that are transparent or too small to be seen."""
    without_other_branches(slide)
    frames: dict[Element, _Frame] = {}
    for shape in [one for one in slide.iter() if local_name(one) in _SHAPES]:
        parent = shape.getparent()
        frame = _Frame() if parent is None else frames.get(parent, _Frame())
        look = shape.find(f"./*/{_P}cNvPr")
        is_hidden = look is not None and look.get("hidden") in ("1", "true")
        placed = next(
            (
                one
                for path in (f"{_P}spPr/{_A}xfrm", f"{_P}grpSpPr/{_A}xfrm", f"{_P}xfrm")
                if (one := shape.find(path)) is not None
            ),
            None,
        )
        if placed is not None:
            is_hidden |= size is not None and _is_outside(placed, frame, size)
            frames[shape] = _inner(placed, frame)
        else:
            frames[shape] = frame
        if is_hidden:
            empty(shape)
    for run in list(slide.iter(f"{_A}r", f"{_A}fld")):
        if (look := run.find(f"{_A}rPr")) is not None and _is_unseen(look):
            empty(run)
    for body in outermost(slide, f"{_P}txBody"):
        around, common = body.getparent(), body.find(f"{_A}lstStyle/{_A}lvl1pPr/{_A}defRPr")
        fill = None if around is None else around.find(f"{_P}spPr/{_A}solidFill/{_A}srgbClr")
        is_unseen = common is not None and _is_unseen(common)
        for run in list(body.iter(f"{_A}r", f"{_A}fld")) if is_unseen or fill is not None else ():
            color = run.find(f"{_A}rPr/{_A}solidFill/{_A}srgbClr")
            if is_unseen if color is None else fill is not None and is_alike(color.get("val"), fill.get("val")):
                empty(run)


def _is_outside(placed: Element, frame: _Frame, size: tuple[float, float]) -> bool:
    offset = _extent(placed.find(f"{_A}off"), "x", "y")
    extent = _extent(placed.find(f"{_A}ext"), "cx", "cy")
    if offset is None or extent is None:
        return False
    for start, length, scale, moved, end in zip(offset, extent, frame.scale, frame.offset, size, strict=True):
        first = start * scale + moved
        if first >= end or first + length * scale <= 0:
            return True
    return False


def _inner(placed: Element, frame: _Frame) -> _Frame:
    """Return the frame for the shapes in a group."""
    offset, start = _extent(placed.find(f"{_A}off"), "x", "y"), _extent(placed.find(f"{_A}chOff"), "x", "y")
    extent, inside = _extent(placed.find(f"{_A}ext"), "cx", "cy"), _extent(placed.find(f"{_A}chExt"), "cx", "cy")
    if offset is None or start is None or extent is None or inside is None or 0 in inside:
        return frame
    (ox, oy), (ax, ay), (sx, sy), (mx, my) = offset, start, frame.scale, frame.offset
    kx, ky = extent[0] / inside[0], extent[1] / inside[1]
    return _Frame((sx * kx, sy * ky), (mx + sx * (ox - ax * kx), my + sy * (oy - ay * ky)))


def _is_unseen(look: Element) -> bool:
    """Tell whether the letters of a run have no colour or no size."""
    points = look.get("sz") or ""
    if points.isdecimal() and len(points) < 9 and int(points) <= _TINY:
        return True
    if look.find(f"{_A}noFill") is not None:
        return look.find(f"{_A}ln") is None
    opacity = next((one.get("val") or "" for one in look.iterfind(f"{_A}solidFill/*/{_A}alpha")), "")
    return opacity.rstrip("%").isdecimal() and len(opacity) < 9 and int(opacity.rstrip("%")) <= _FAINT


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
    """Add the title first, wherever it was drawn; the lines of one are one."""
    holders = _Placeholders()
    texts = [(holders.of(element), local_name(element), text) for element, text in flow(slide, _role)]
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
    holders = _Placeholders()
    for element, text in flow(notes, _role):
        builder.add("boilerplate" if holders.of(element) in _FOOTERS else "paragraph", text)


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
