"""Word documents: paragraphs and headings by their styles, lists, footnotes; tables stay out of the running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from memsum.document.document import BlockKind, Document
from memsum.document.readers.office import OfficeBuilder
from memsum.document.readers.xml import Archive, empty, is_alike, outermost, without_other_branches
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
    is_tiny: bool | None = None
    is_clear: bool | None = None
    color: str | None = None
    ground: str | None = None

    def over(self, below: _Look) -> _Look:
        """Return what is declared here, else what is declared below."""
        return below._replace(**{name: own for name, own in self._asdict().items() if own is not None})

    @property
    def is_hidden(self) -> bool:
        return bool(self.vanishes or self.is_tiny or self.is_clear or is_alike(self.color, self.ground))


_NOTHING = _Look()
_MOST_STYLES = 100  # that one is based on
_OFF = ("0", "false", "off", "none")
_UNKNOWN = "?"  # a colour that is not looked up
_WHITE_THEMES = ("background1", "light1", "bg1", "lt1")
_HIGHLIGHTS = {
    "yellow": "ffff00", "green": "00ff00", "cyan": "00ffff", "magenta": "ff00ff", "blue": "0000ff", "red": "ff0000",
    "darkblue": "000080", "darkcyan": "008080", "darkgreen": "008000", "darkmagenta": "800080", "darkred": "800000",
    "darkyellow": "808000", "darkgray": "808080", "lightgray": "c0c0c0", "black": "000000", "white": "ffffff",
}  # fmt: skip
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_FAR = -10_000  # twentieths of a point beside the page
_FLAT = 40  # twentieths of a point: lines of this height show no letters
_NARROW = 5  # per cent of a letter's width
_SQUEEZED = -120  # twentieths of a point between letters


def _look(element: Element | None) -> _Look:
    """Return what the properties of a run, a style or a paragraph declare."""
    if element is None:
        return _NOTHING
    own, around = element.find(f"{W}rPr"), element.find(f"{W}pPr")
    ground = _shade(around)
    if own is None:
        return _NOTHING if ground is None else _Look(ground=ground)
    vanish, color = own.find(f"{W}vanish"), own.find(f"{W}color")
    size, width, spacing = (_number(own, name) for name in ("sz", "w", "spacing"))
    sizes = [None if size is None else size <= _TINY, None if width is None else width <= _NARROW]
    sizes.append(None if spacing is None else spacing <= _SQUEEZED)
    declared = [one for one in sizes if one is not None]
    mark = _value(own, f"{W}highlight")
    if mark and mark != "none":
        ground = _HIGHLIGHTS.get(mark.lower(), _UNKNOWN)
    fill = own.find(f"{_W14}textFill")
    return _Look(
        None if vanish is None else vanish.get(f"{W}val") not in _OFF,
        any(declared) if declared else None,
        None if fill is None else _is_clear(fill),
        None if color is None else _color(color),
        _shade(own) or ground,
    )


def _number(properties: Element, name: str) -> int | None:
    text = _value(properties, f"{W}{name}") or ""
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 9 else None


def _color(color: Element) -> str:
    """Return the colour of a text; that of a theme counts more than the one beside it."""
    is_plain = color.get(f"{W}themeShade") is None and color.get(f"{W}themeTint") is None
    if color.get(f"{W}themeColor") in _WHITE_THEMES and is_plain:
        return "ffffff"
    return color.get(f"{W}val") or _UNKNOWN


def _shade(properties: Element | None) -> str | None:
    """Return the colour that is painted behind a text, a paragraph or a cell; None where there is none."""
    shade = None if properties is None else properties.find(f"{W}shd")
    fill = None if shade is None else shade.get(f"{W}fill")
    if shade is None or (fill in (None, "auto") and shade.get(f"{W}val") in (None, "clear", "nil")):
        return None
    is_plain = shade.get(f"{W}themeFill") is None and shade.get(f"{W}val") in (None, "clear")
    return fill if fill and is_plain else _UNKNOWN


def _is_clear(fill: Element) -> bool:
    """Tell whether the letters have no colour; here `alpha` says how transparent they are."""
    if fill.find(f"{_W14}noFill") is not None:
        return True
    alpha = next((one.get(f"{_W14}val") or "" for one in fill.iterfind(f"{_W14}solidFill/*/{_W14}alpha")), "")
    return alpha.isdecimal() and len(alpha) < 9 and int(alpha) >= 95_000


def _remove_hidden(root: Element, styles: _Styles) -> None:
    """Remove runs and rows that are not shown."""
    without_other_branches(root)
    looks: dict[Element, _Look] = {}
    codes = _field_codes(root)
    for element in list(root.iter(f"{W}r", f"{W}tr")):
        if element.tag == f"{W}tr":
            mark, height = element.find(f"{W}trPr/{W}hidden"), element.find(f"{W}trPr/{W}trHeight")
            is_hidden = mark is not None and mark.get(f"{W}val") not in _OFF
            is_hidden |= height is not None and _is_flat(height.get(f"{W}val"), height.get(f"{W}hRule"))
        else:
            own = _look(element).over(styles.look(_value(element, f"{W}rPr/{W}rStyle") or ""))
            paragraph = next(element.iterancestors(f"{W}p"), None)
            if paragraph is not None and paragraph not in looks:
                looks[paragraph] = _around(paragraph, styles)
            is_hidden = element in codes or own.over(_NOTHING if paragraph is None else looks[paragraph]).is_hidden
        if is_hidden:
            empty(element)


def _around(paragraph: Element, styles: _Styles) -> _Look:
    """Return the look of a paragraph, on the ground of the cell and the table that it is in."""
    properties = paragraph.find(f"{W}pPr")
    look = _Look(ground=_shade(properties)).over(styles.look(_value(paragraph, f"{W}pPr/{W}pStyle") or ""))
    if properties is not None and _is_off_page(properties):
        look = look._replace(vanishes=True)
    cell = next(paragraph.iterancestors(f"{W}tc"), None)
    if cell is None:
        return look
    table = next(cell.iterancestors(f"{W}tbl"), None)
    key = "" if table is None else _value(table, f"{W}tblPr/{W}tblStyle") or ""
    own = None if table is None else _shade(table.find(f"{W}tblPr"))
    ground = _shade(cell.find(f"{W}tcPr")) or own or (_UNKNOWN if styles.is_shaded(key) else None)
    return look.over(_Look(ground=ground)).over(styles.look(key))


def _is_off_page(properties: Element) -> bool:
    """Tell whether a paragraph stands beside the page, or its lines have no height."""
    frame, indent, spacing = (properties.find(f"{W}{name}") for name in ("framePr", "ind", "spacing"))
    places = [] if frame is None else [frame.get(f"{W}x"), frame.get(f"{W}y")]
    places += [] if indent is None else [indent.get(f"{W}left"), indent.get(f"{W}start")]
    if any(one and one.lstrip("-").isdecimal() and len(one) < 9 and int(one) <= _FAR for one in places):
        return True
    return spacing is not None and _is_flat(spacing.get(f"{W}line"), spacing.get(f"{W}lineRule"))


def _is_flat(height: str | None, rule: str | None) -> bool:
    return rule == "exact" and bool(height) and (height or "").isdecimal() and int((height or "")[:9]) <= _FLAT


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
        self._looks: dict[str, _Look] = {}
        self._shaded: set[str] = set()  # styles of tables that paint some of their cells
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
            if style.get(f"{W}type") == "table" and next(style.iter(f"{W}shd"), None) is not None:
                self._shaded.add(key)
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

    def is_shaded(self, key: str) -> bool:
        """Tell whether a style of tables, or one that it is based on, paints cells; one that is not there may."""
        for _ in range(_MOST_STYLES):
            if not key or key in self._shaded:
                break
            key = self._parents.get(key, _UNKNOWN) if key != _UNKNOWN else ""
        return bool(key)

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
