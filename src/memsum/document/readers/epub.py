"""E-books: the chapters of an EPUB in the order of its spine; contents, notes and tables are not running text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from html.entities import html5
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.html import parse_html
from memsum.document.readers.visibility import NEVER_SHOWN, Hidden, hide, imported
from memsum.document.readers.xml import Archive, Role, all_text, flow, local_name, parse_xml, table_rows
from memsum.document.tables import add_table
from memsum.errors import DocumentError
from memsum.languages import word_set

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_WHAT = "The e-book"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_TYPE = "{http://www.idpf.org/2007/ops}type"
_SKIPPED = NEVER_SHOWN | word_set("svg nav button rt img")
_WHOLE = word_set("table pre aside figcaption")
_BLOCKS = word_set(
    """
    p h1 h2 h3 h4 h5 h6 li dt dd blockquote div section article main header footer body html address hr figure ul ol dl
    center
    """
)
_ASIDE = word_set(
    "footnote footnotes endnote endnotes rearnote rearnotes toc landmarks index copyright-page titlepage loi"
    " imprint colophon"
)
_IMPRINT = re.compile(
    r"copyright (?:©|\(c\)|\d{4}|by\b)|©|isbn\b|all rights reserved|(?:first|second|third|revised|new) edition\b"
    r"|published (?:by|in) [^.]{1,80}$",
    re.IGNORECASE,
)
_IMPRINT_HEADING = re.compile(r"(?:un)?copyright(?: page| notice)?|imprint|colophon|impressum", re.IGNORECASE)
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_DECLARED_SHEET = re.compile(rb"<\?xml-stylesheet[^<>]{0,300}?href=[\"']([^\"'<>]{1,300})")
_HEAD = 5000  # bytes
_MOST_SHEETS = 50  # of a chapter
_XML_ENTITIES = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read the title, and every chapter in order."""
    hidden = hidden or Hidden()
    archive = Archive(source, _WHAT)
    container = archive.xml("META-INF/container.xml")
    found = None if container is None else container.find(f".//{_CONTAINER}rootfile")
    path = None if found is None else found.get("full-path")
    path = path or next((name for name in archive.names if name.endswith(".opf")), None)
    package = archive.xml(path) if path else None
    if path is None or package is None:
        raise DocumentError("This is a ZIP archive, but not an e-book.")
    builder = DocumentBuilder()
    title = package.find(f".//{_DC}title")
    if title is not None:
        builder.add("title", all_text(title))
    names = {" ".join(all_text(one).split()) for part in ("title", "creator") for one in package.iter(f"{_DC}{part}")}
    authors = (one for one in package.iter(f"{_DC}creator") if (one.get(f"{_OPF}role") or "aut") == "aut")
    builder.authors += map(all_text, authors)
    missing = 0
    sheets = _Sheets(archive)
    links: dict[Element, bool] = {}  # of the blocks of a chapter: each may be asked for many pieces of text
    for name in _spine(package, posixpath.dirname(path)):
        chapter = archive.read(name)
        if chapter is None:
            missing += 1
            continue
        root = _parse(chapter)
        # The tree does not have the style sheets that stand above its root.
        declared = [found[1].decode("utf-8", "replace") for found in _DECLARED_SHEET.finditer(chapter[:_HEAD])]
        hide(root, hidden, sheets.of(root, posixpath.dirname(name), declared))
        links.clear()
        is_imprint = False
        for element, text in flow(root, _role):
            if local_name(element) == "table":
                add_table(
                    builder.add, *table_rows(element, lambda cell: " ".join(text for _, text in flow(cell, _role)))
                )
                continue
            if local_name(element) == "pre":
                builder.add_preformatted("".join(map(str, element.itertext())))
                continue
            kind, level = _kind(element, links)
            if kind == "heading":
                is_imprint = not builder.has_text and _IMPRINT_HEADING.fullmatch(text.strip()) is not None
            elif kind == "paragraph" and (is_imprint or _is_imprint(" ".join(text.split()), names)):
                kind = "boilerplate"
            builder.add(kind, text, level=level)
    warnings = (f"{missing} of the e-book's chapters are missing in the file.",) if missing else ()
    return builder.build(format="epub", language=language, warnings=warnings)


def _is_imprint(text: str, names: set[str]) -> bool:
    """Tell whether a paragraph is the title or author again, a notice of the publisher, or a line of ornaments."""
    return text in names or not any(map(str.isalnum, text)) or (len(text) < 120 and _IMPRINT.match(text) is not None)


def _spine(package: Element, folder: str) -> list[str]:
    """List the chapters in reading order, each once, without the contents and what is set aside."""
    items = {item.get("id"): item for item in package.iter(f"{_OPF}item")}
    names: dict[str, None] = {}
    for reference in package.iter(f"{_OPF}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or reference.get("linear") == "no" or "nav" in (item.get("properties") or "").split():
            continue
        href = unquote((item.get("href") or "").partition("#")[0])
        names[posixpath.normpath(posixpath.join(folder, href))] = None
    return list(names)


class _Sheets:
    """The style sheets in a book, each unpacked once."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._known: dict[str, str] = {}

    def of(self, chapter: Element, folder: str, declared: Iterable[str]) -> list[str]:
        """Return those that a chapter refers to, or that are declared above it, and those that they include."""
        found = [one.get("href") for one in chapter.iter("{*}link") if "stylesheet" in (one.get("rel") or "").lower()]
        waiting = [(folder, address or "") for address in (*found, *declared)]
        names: dict[str, None] = {}
        while waiting and len(names) < _MOST_SHEETS:
            folder, address = waiting.pop()
            name = posixpath.normpath(posixpath.join(folder, unquote(address)))
            if name in names:
                continue
            names[name] = None
            if name not in self._known:
                self._known[name] = (self._archive.read(name) or b"").decode("utf-8", "replace")
            waiting += [(posixpath.dirname(name), one) for one in imported(self._known[name])]
        return [self._known[name] for name in names]


def _parse(chapter: bytes) -> Element:
    """Return the tree of a chapter: XHTML; or, where it is not well-formed, HTML."""
    try:
        return parse_xml(_ENTITY.sub(_character, chapter), _WHAT)
    except DocumentError:
        return parse_html(chapter)[0]


def _character(entity: re.Match[bytes]) -> bytes:
    """Return what a named character is; XML knows only five by name."""
    name = entity[1]
    known = None if name in _XML_ENTITIES else html5.get(f"{name.decode()};")
    return entity[0] if known is None else "".join(f"&#{ord(letter)};" for letter in known).encode()


def _types(element: Element) -> set[str]:
    return set((element.get(_TYPE) or element.get("epub:type") or "").split())


def _role(element: Element, name: str) -> Role:
    types = _types(element)
    if (
        name in _SKIPPED
        or (name == "case" and element.get("required-namespace"))
        or types & {"noteref", "pagebreak"}
        or (name == "sup" and _is_note_mark(element))
    ):
        return "skip"
    if name in _WHOLE or (types & _ASIDE and name in _BLOCKS and name not in ("body", "html")):
        return "whole"
    return "block" if name in _BLOCKS else "space" if name in ("br", "td", "th") else "inline"


def _is_note_mark(element: Element) -> bool:
    """Tell whether a raised number only leads to a note."""
    links = [child for child in element if local_name(child) == "a" and "#" in (child.get("href") or "")]
    return len(links) == len(element) == 1 and not (element.text or "").strip() and len(all_text(element).strip()) < 5


def _is_link(element: Element) -> bool:
    """Tell whether a block is nothing but links, as lines of a table of contents are."""
    names = [local_name(child) for child in element]
    if "a" not in names or not set(names) <= {"a", "ul", "ol"}:
        return False
    return not any(text and text.strip() for text in (element.text, *(child.tail for child in element)))


def _kind(element: Element, links: dict[Element, bool]) -> tuple[BlockKind, int]:
    name = local_name(element)
    if len(name) == 2 and name[0] == "h" and name[1].isdecimal():
        return "heading", int(name[1])
    if name == "figcaption":
        return "caption", 0
    if element not in links:
        links[element] = _is_link(element)
    if name == "aside" or _types(element) & _ASIDE or links[element]:
        return "boilerplate", 0
    parent = element.getparent()
    is_item = name == "li" or (parent is not None and local_name(parent) == "li")
    return ("item" if is_item else "paragraph"), 0
