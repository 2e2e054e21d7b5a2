"""Word documents: paragraphs and headings by their styles, lists, tables, footnotes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from memsum.document.document import NOTES, RUNNING, BlockKind, Document
from memsum.document.readers.office import OfficeBuilder
from memsum.document.readers.visibility import Hidden
from memsum.document.readers.xml import Archive, empty, outermost, without_other_branches
from memsum.document.tables import add_table
from memsum.errors import DocumentError
from memsum.languages.section_names import is_section_name

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop)\s*(?P<level>[1-9])$", re.IGNORECASE)
_CAPTION = re.compile(r"(?:fig(?:ure)?|table)\.?\s*[A-Z]?\d{1,3}\s?[.:|]\s", re.IGNORECASE)
_ASIDE_STYLES = frozenset(
    {"header", "footer", "footnote text", "endnote text", "author", "affiliation", "affiliations", "date"}
)
_SKIPPED = frozenset(
    {f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}delText", f"{W}txbxContent", f"{W}pict", f"{W}object"}
)
_LONGEST_HEADING = 100
_WIDEST = 100  # columns that a cell goes over


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read the body in order, then the notes."""
    hidden = hidden or Hidden()
    package = Archive(source, "The Word document")
    main = package.main("word/document.xml")
    root = package.xml(main)
    body = None if root is None else root.find(f"{W}body")
    if body is None:
        raise DocumentError("This is a ZIP archive, but not a Word document.")
    parts = {kind: part for _, kind, part in package.related(main)}
    folder = posixpath.dirname(main)
    styles = _Styles(package.xml(parts.get("styles", f"{folder}/styles.xml")))
    _remove_hidden(body, styles, hidden)
    blocks = _Blocks(styles)
    blocks.add_children(body)
    for text in package.diagrams(main):
        blocks.builder.add("boilerplate", text)
    for kind in ("footnotes", "endnotes", "comments"):
        notes = package.xml(parts.get(kind, f"{folder}/{kind}.xml"))
        if notes is None:
            continue
        _remove_hidden(notes, styles, hidden)
        for note in notes:
            if note.get(f"{W}type") in (None, "normal"):
                blocks.builder.add("boilerplate", _paragraphs(note), reason=NOTES)
    blocks.builder.creators += package.creators("docProps/core.xml")
    return blocks.builder.build(format="docx", language=language)


_OFF = ("0", "false", "off", "none")
_MOST_STYLES = 100  # that one is based on


def _vanishes(properties: Element | None) -> bool | None:
    """Tell whether the properties of a run or a style hide text, None where they do not say."""
    mark = None if properties is None else properties.find(f"{W}rPr/{W}vanish")
    return None if mark is None else mark.get(f"{W}val") not in _OFF


def _remove_hidden(root: Element, styles: _Styles, hidden: Hidden) -> None:
    """Remove what is shown in another way, and note runs that vanish; they are removed unless they are to be read."""
    without_other_branches(root)
    for element in _field_codes(root):
        empty(element)
    for paragraph in root.iter(f"{W}p"):
        around = styles.vanishes(_value(paragraph, f"{W}pPr/{W}pStyle") or "")
        gone = [run for run in paragraph.iter(f"{W}r") if _is_hidden(run, around, styles)]
        hidden.add("".join(map(_text, gone)))
        for run in () if hidden.is_read else gone:
            empty(run)


def _is_hidden(run: Element, around: bool, styles: _Styles) -> bool:
    own = _vanishes(run)
    if own is not None:
        return own
    return styles.vanishes(_value(run, f"{W}rPr/{W}rStyle") or "") != around  # both together show it


def _field_codes(root: Element) -> set[Element]:
    """Return the runs of fields that are instructions, of which Word shows the result; only of fields that end."""
    codes: set[Element] = set()
    open_fields: list[tuple[int, int | None]] = []  # where each begins, and where its result does
    runs = list(root.iter(f"{W}r")) if next(root.iter(f"{W}fldChar"), None) is not None else []
    for at, run in enumerate(runs):
        for mark in run.iterfind(f"{W}fldChar"):
            kind = mark.get(f"{W}fldCharType")
            if kind == "begin":
                open_fields.append((at, None))
            elif kind == "separate" and open_fields:
                open_fields[-1] = open_fields[-1][0], at
            elif kind == "end" and open_fields:
                begin, result = open_fields.pop()
                if not open_fields or open_fields[-1][1] is not None:  # else the field around it has them all
                    codes.update(runs[begin : at if result is None else result])
    return codes


class _Styles:
    """The names of paragraph styles, the levels of those that are headings, and which are lists."""

    def __init__(self, root: Element | None) -> None:
        self._names: dict[str, str] = {}
        self._levels: dict[str, int] = {}
        self._parents: dict[str, str] = {}
        self._lists: set[str] = set()
        self._vanish: dict[str, bool] = {"": False}
        for style in [] if root is None else root.iter(f"{W}style"):
            key = style.get(f"{W}styleId") or ""
            self._names[key] = (_value(style, f"{W}name") or key).lower()
            self._parents[key] = _value(style, f"{W}basedOn") or ""
            outline = _value(style, f"{W}pPr/{W}outlineLvl")
            if outline and outline.isdecimal() and int(outline) < 9:
                self._levels[key] = int(outline) + 1
            if style.find(f"{W}pPr/{W}numPr") is not None:
                self._lists.add(key)
            vanishes = _vanishes(style)
            if vanishes is not None and key:
                self._vanish[key] = vanishes

    def vanishes(self, key: str) -> bool:
        """Tell whether a style, or one that it is based on, hides text."""
        for _ in range(_MOST_STYLES):
            if key in self._vanish:
                return self._vanish[key]
            key = self._parents.get(key, "")
        return False

    def name(self, key: str) -> str:
        return self._names.get(key, key.lower())

    def level(self, key: str) -> int:
        for _ in range(10):
            found = _HEADING.match(self.name(key))
            if found:
                return int(found["level"])
            if key in self._levels:
                return self._levels[key]
            key = self._parents.get(key, "")
        return 0

    def is_list(self, key: str) -> bool:
        return key in self._lists or self.name(key).startswith("list")


class _Blocks:
    """Adds the blocks of a body in order."""

    def __init__(self, styles: _Styles) -> None:
        self.builder = OfficeBuilder()
        self._styles = styles

    def add_children(self, element: Element) -> None:
        """Add paragraphs and tables; content controls are looked into."""
        for child in _outermost(element, f"{W}p", f"{W}tbl"):
            if child.tag == f"{W}p":
                self._add_paragraph(child)
            else:
                self._add_table(child)

    def _add_table(self, table: Element) -> None:
        """Add rows and cells; a table in a cell is part of the cell's text, and one of a single cell is a box."""
        rows = list(_outermost(table, f"{W}tr"))
        if len(rows) == 1 and len(cells := list(_outermost(rows[0], f"{W}tc"))) == 1:
            self.add_children(cells[0])
            return
        marked = [row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows]
        heads = next((number for number, is_head in enumerate(marked) if not is_head), len(marked)) or None
        add_table(self.builder.add, [list(_cells(row)) for row in rows], heads)

    def _add_paragraph(self, paragraph: Element) -> None:
        text = " ".join(_text(paragraph).split())
        if text:
            key = _value(paragraph, f"{W}pPr/{W}pStyle") or ""
            kind, level = self._kind(paragraph, key, text)
            if self._styles.name(key) == "author":
                self.builder.authors.append(text)
            self.builder.add(kind, text, level=level, title=_title(paragraph) if kind in RUNNING else "")
        for box in outermost(paragraph, f"{W}txbxContent"):
            self.builder.add("boilerplate", _paragraphs(box))

    def _kind(self, paragraph: Element, key: str, text: str) -> tuple[BlockKind, int]:
        name = self._styles.name(key)
        outline = _value(paragraph, f"{W}pPr/{W}outlineLvl")
        level = int(outline) + 1 if outline and outline.isdecimal() and int(outline) < 9 else self._styles.level(key)
        if name == "title":
            return "title", 0
        if name.startswith("toc") or name in _ASIDE_STYLES or name == "subtitle":
            return "boilerplate", 0
        if name in ("caption", "table caption", "image caption") or _CAPTION.match(text):
            return "caption", 0
        if name == "abstract":
            return "abstract", 0
        if level:
            return "heading", level
        if name in ("bibliography", "references"):
            return "reference", 0
        numbered = paragraph.find(f"{W}pPr/{W}numPr") is not None
        if not numbered and len(text) <= _LONGEST_HEADING and _is_heading(paragraph, text):
            return "heading", 1 if is_section_name(text) else 2
        if not numbered and not self._styles.is_list(key):
            return "paragraph", 0
        depth = _value(paragraph, f"{W}pPr/{W}numPr/{W}ilvl") or "0"
        return "item", int(depth) + 1 if depth.isdecimal() and len(depth) == 1 else 1


def _cells(row: Element) -> Iterator[str]:
    """Yield the cells of a row; one that goes over several columns, or goes on from above, leaves empty ones."""
    for cell in _outermost(row, f"{W}tc"):
        merged, span = cell.find(f"{W}tcPr/{W}vMerge"), _value(cell, f"{W}tcPr/{W}gridSpan") or "1"
        yield "" if merged is not None and merged.get(f"{W}val") != "restart" else _paragraphs(cell)
        yield from [""] * (min(int(span), _WIDEST) - 1 if span.isdecimal() and len(span) < 9 else 0)


def _is_heading(paragraph: Element, text: str) -> bool:
    """Tell whether a paragraph without a heading's style is one: a known name, or bold throughout and no sentence."""
    if is_section_name(text):
        return True
    texts = [found for found in paragraph.iter(f"{W}t") if found.text and found.text.strip()]
    is_bold = all(_is_on(_parent(found), "b") for found in texts)
    return bool(texts) and is_bold and text[-1] not in ".,;:?!" and any(map(str.isalpha, text))


def _title(paragraph: Element) -> str:
    """Return what is bold or underlined at the beginning of a paragraph."""
    runs = paragraph.iter(f"{W}r")
    marks = ("b", "u")
    return "".join(map(_text, takewhile(lambda run: any(_is_on(run, mark) for mark in marks), runs)))


def _is_on(run: Element, mark: str) -> bool:
    found = run.find(f"{W}rPr/{W}{mark}")
    return found is not None and found.get(f"{W}val") not in _OFF


def _value(element: Element, path: str) -> str | None:
    found = element.find(path)
    return None if found is None else found.get(f"{W}val")


def _outermost(element: Element, *tags: str) -> Iterator[Element]:
    return outermost(element, *tags, skipped=_SKIPPED)


def _paragraphs(element: Element) -> str:
    return " ".join(map(_text, _outermost(element, f"{W}p")))


def _text(paragraph: Element) -> str:
    """Return the text of a paragraph as it stands with changes accepted; powers have a caret."""
    from lxml import etree

    parts: list[str] = []
    raised: dict[Element, bool] = {}  # of runs: one may hold many texts
    walk = etree.iterwalk(paragraph, events=("start",))
    for _, node in walk:
        if node.tag in _SKIPPED:
            walk.skip_subtree()
        elif node.tag in (f"{W}t", _MATH):
            text = node.text or ""
            if text[:1].isdecimal() and parts and parts[-1][-1:].isdecimal():
                run = _parent(node)
                if run not in raised:
                    raised[run] = _value(run, f"{W}rPr/{W}vertAlign") == "superscript"
                if raised[run]:
                    parts.append("^")
            parts.append(text)
        elif node.tag in (f"{W}tab", f"{W}br", f"{W}cr"):
            parts.append(" ")
        elif node.tag == f"{W}noBreakHyphen":
            parts.append("-")
    return "".join(parts)


def _parent(element: Element) -> Element:
    parent = element.getparent()
    return element if parent is None else parent
