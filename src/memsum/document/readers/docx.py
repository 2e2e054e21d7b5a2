"""Word documents: paragraphs and headings by their styles, lists, footnotes; tables stay out of the running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from memsum.document.document import BlockKind, Document
from memsum.document.readers.office import OfficeBuilder
from memsum.document.readers.xml import Archive, empty, is_nearly_white, outermost, without_other_branches
from memsum.errors import DocumentError
from memsum.multilingual.section_names import is_section_name

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
_TINY = 3  # half points


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read the body in order, then the notes."""
    package = Archive(source, "The Word document")
    root = package.xml("word/document.xml")
    body = None if root is None else root.find(f"{W}body")
    if body is None:
        raise DocumentError("This is a ZIP archive, but not a Word document.")
    styles = _Styles(package.xml("word/styles.xml"))
    _remove_hidden(body, styles)
    blocks = _Blocks(styles)
    blocks.add_children(body)
    for name in ("footnotes", "endnotes"):
        notes = package.xml(f"word/{name}.xml")
        if notes is not None:
            _remove_hidden(notes, styles)
        blocks.add_notes(notes)
    blocks.builder.creators += package.creators("docProps/core.xml")
    return blocks.builder.build(format="docx", language=language)


class _Look(NamedTuple):
    """What may hide a text, None where it is not declared."""

    vanishes: bool | None = None
    is_white: bool | None = None
    is_tiny: bool | None = None
    is_shaded: bool | None = None

    def over(self, below: _Look) -> _Look:
        """Return what is declared here, else what is declared below."""
        return _Look(*(below[at] if own is None else own for at, own in enumerate(self)))

    @property
    def is_hidden(self) -> bool:
        return bool(self.vanishes or self.is_tiny or (self.is_white and not self.is_shaded))


_NOTHING = _Look()
_MOST_STYLES = 100  # that one is based on
_OFF = ("0", "false", "off", "none")


def _look(element: Element | None) -> _Look:
    """Return what the properties of a run, a style or a paragraph declare."""
    if element is None:
        return _NOTHING
    own = element.find(f"{W}rPr")
    shades = [found for path in ("rPr", "pPr") if (found := element.find(f"{W}{path}/{W}shd")) is not None]
    if own is None and not shades:
        return _NOTHING
    vanish, color, size = (None if own is None else own.find(f"{W}{name}") for name in ("vanish", "color", "sz"))
    points = "" if size is None else size.get(f"{W}val") or ""
    is_shaded = any(shade.get(f"{W}fill") not in (None, "auto") for shade in shades)
    is_shaded |= own is not None and own.find(f"{W}highlight") is not None
    return _Look(
        None if vanish is None else vanish.get(f"{W}val") not in _OFF,
        None if color is None else is_nearly_white(color.get(f"{W}val")),
        int(points) <= _TINY if points.isdecimal() and len(points) < 9 else None,
        is_shaded or None,
    )


def _remove_hidden(root: Element, styles: _Styles) -> None:
    """Remove runs and rows that are not shown; white text in tables may stand on a colour of the table's style."""
    without_other_branches(root)
    paragraphs: dict[Element, _Look] = {}
    for element in list(root.iter(f"{W}r", f"{W}tr")):
        if element.tag == f"{W}tr":
            mark = element.find(f"{W}trPr/{W}hidden")
            is_hidden = mark is not None and mark.get(f"{W}val") not in _OFF
        else:
            own = _look(element).over(styles.look(_value(element, f"{W}rPr/{W}rStyle") or ""))
            paragraph = next(element.iterancestors(f"{W}p"), None)
            if paragraph is not None and paragraph not in paragraphs:
                key = _value(paragraph, f"{W}pPr/{W}pStyle") or ""
                shade = paragraph.find(f"{W}pPr/{W}shd")
                in_table = next(paragraph.iterancestors(f"{W}tc"), None) is not None
                is_shaded = in_table or (shade is not None and shade.get(f"{W}fill") not in (None, "auto"))
                paragraphs[paragraph] = _Look(is_shaded=is_shaded or None).over(styles.look(key))
            is_hidden = own.over(_NOTHING if paragraph is None else paragraphs[paragraph]).is_hidden
        if is_hidden:
            empty(element)


class _Styles:
    """The names of paragraph styles, the levels of those that are headings, and which are lists."""

    def __init__(self, root: Element | None) -> None:
        self._names: dict[str, str] = {}
        self._levels: dict[str, int] = {}
        self._parents: dict[str, str] = {}
        self._lists: set[str] = set()
        self._looks: dict[str, _Look] = {}
        for style in [] if root is None else root.iter(f"{W}style"):
            key = style.get(f"{W}styleId") or ""
            self._names[key] = (_value(style, f"{W}name") or key).lower()
            self._parents[key] = _value(style, f"{W}basedOn") or ""
            outline = _value(style, f"{W}pPr/{W}outlineLvl")
            if outline and outline.isdecimal() and int(outline) < 9:
                self._levels[key] = int(outline) + 1
            if style.find(f"{W}pPr/{W}numPr") is not None:
                self._lists.add(key)
            self._looks[key] = _look(style)
        self._common = _NOTHING if root is None else _look(root.find(f"{W}docDefaults/{W}rPrDefault"))
        self._whole: dict[str, _Look] = {"": self._common}

    def look(self, key: str) -> _Look:
        """Return the look of a style, with that of the styles it is based on."""
        chain: list[str] = []
        while key not in self._whole and key not in chain and len(chain) < _MOST_STYLES:
            chain.append(key)
            key = self._parents.get(key, "")
        whole = self._whole.get(key, self._common)
        for one in reversed(chain):
            whole = self._whole[one] = self._looks.get(one, _NOTHING).over(whole)
        return whole

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
        self._is_first = True

    def add_children(self, element: Element) -> None:
        """Add paragraphs and tables; content controls are looked into."""
        for child in _outermost(element, f"{W}p", f"{W}tbl"):
            if child.tag == f"{W}p":
                self._add_paragraph(child)
            else:
                self._add_table(child)

    def add_notes(self, notes: Element | None) -> None:
        """Add footnotes and endnotes, each as one block."""
        for note in [] if notes is None else notes:
            if note.get(f"{W}type") in (None, "normal"):
                self.builder.add("boilerplate", _paragraphs(note))

    def _add_table(self, table: Element) -> None:
        """Add rows and cells; a table in a cell is part of the cell's text."""
        rows = (" | ".join(map(_paragraphs, _outermost(row, f"{W}tc"))) for row in _outermost(table, f"{W}tr"))
        self.builder.add("boilerplate", " ; ".join(rows))

    def _add_paragraph(self, paragraph: Element) -> None:
        text = " ".join(_text(paragraph).split())
        if not text:
            return
        key = _value(paragraph, f"{W}pPr/{W}pStyle") or ""
        kind, level = self._kind(paragraph, key, text)
        if self._styles.name(key) == "author":
            self.builder.authors.append(text)
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
