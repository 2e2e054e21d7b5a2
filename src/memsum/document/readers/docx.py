"""Word documents: paragraphs and headings by their styles, lists, footnotes; tables stay out of the running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.xml import Archive, outermost
from memsum.english.section_names import is_section_name
from memsum.errors import DocumentError

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


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read the body in order, then the notes."""
    package = Archive(source, "The Word document")
    root = package.xml("word/document.xml")
    body = None if root is None else root.find(f"{W}body")
    if body is None:
        raise DocumentError("This is a ZIP archive, but not a Word document.")
    blocks = _Blocks(_Styles(package.xml("word/styles.xml")))
    blocks.add_children(body)
    for name in ("footnotes", "endnotes"):
        notes = package.xml(f"word/{name}.xml")
        blocks.add_notes(notes)
    return blocks.builder.build(format="docx", language=language)


class _Styles:
    """The names of paragraph styles, the levels of those that are headings, and which are lists."""

    def __init__(self, root: Element | None) -> None:
        self._names: dict[str, str] = {}
        self._levels: dict[str, int] = {}
        self._parents: dict[str, str] = {}
        self._lists: set[str] = set()
        for style in [] if root is None else root.iter(f"{W}style"):
            key = style.get(f"{W}styleId") or ""
            self._names[key] = (_value(style, f"{W}name") or key).lower()
            self._parents[key] = _value(style, f"{W}basedOn") or ""
            outline = _value(style, f"{W}pPr/{W}outlineLvl")
            if outline and outline.isdecimal() and int(outline) < 9:
                self._levels[key] = int(outline) + 1
            if style.find(f"{W}pPr/{W}numPr") is not None:
                self._lists.add(key)

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
        self.builder = DocumentBuilder()
        self._styles = styles
        self._is_first = True

    def add_children(self, element: Element) -> None:
        """Paragraphs and tables; content controls are looked into."""
        for child in _outermost(element, f"{W}p", f"{W}tbl"):
            if child.tag == f"{W}p":
                self._add_paragraph(child)
            else:
                self._add_table(child)

    def add_notes(self, notes: Element | None) -> None:
        """Footnotes and endnotes, each as one block."""
        for note in [] if notes is None else notes:
            if note.get(f"{W}type") in (None, "normal"):
                self.builder.add("boilerplate", _paragraphs(note))

    def _add_table(self, table: Element) -> None:
        """Rows and cells; a table in a cell is part of the cell's text."""
        rows = (" | ".join(map(_paragraphs, _outermost(row, f"{W}tc"))) for row in _outermost(table, f"{W}tr"))
        self.builder.add("boilerplate", " ; ".join(rows))

    def _add_paragraph(self, paragraph: Element) -> None:
        text = " ".join(_text(paragraph).split())
        if not text:
            return
        key = _value(paragraph, f"{W}pPr/{W}pStyle") or ""
        kind, level = self._kind(paragraph, key, text)
        self.builder.add(kind, text, level=level)
        self._is_first = False

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


def _is_heading(paragraph: Element, text: str) -> bool:
    """Tell whether a paragraph without a heading's style is one: a known name, or bold throughout and no sentence."""
    if is_section_name(text):
        return True
    texts = [found for found in paragraph.iter(f"{W}t") if found.text and found.text.strip()]
    bold = [_parent(found).find(f"{W}rPr/{W}b") for found in texts]
    is_bold = all(mark is not None and mark.get(f"{W}val") not in ("0", "false", "off") for mark in bold)
    return bool(texts) and is_bold and text[-1] not in ".,;:?!" and any(map(str.isalpha, text))


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
    walk = etree.iterwalk(paragraph, events=("start",))
    for _, node in walk:
        if node.tag in _SKIPPED:
            walk.skip_subtree()
        elif node.tag in (f"{W}t", _MATH):
            text = node.text or ""
            if text[:1].isdecimal() and parts and parts[-1][-1:].isdecimal() and _is_raised(node):
                parts.append("^")
            parts.append(text)
        elif node.tag in (f"{W}tab", f"{W}br", f"{W}cr"):
            parts.append(" ")
        elif node.tag == f"{W}noBreakHyphen":
            parts.append("-")
    return "".join(parts)


def _is_raised(text: Element) -> bool:
    return _value(_parent(text), f"{W}rPr/{W}vertAlign") == "superscript"


def _parent(element: Element) -> Element:
    parent = element.getparent()
    return element if parent is None else parent
