"""OpenDocument texts: paragraphs, headings and lists; notes, boxes and contents are not running text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memsum.document.document import CONTENTS, NOTES, BlockKind, Document
from memsum.document.readers.office import OfficeBuilder
from memsum.document.readers.visibility import Hidden
from memsum.document.readers.xml import Archive, Role, all_text, empty, flow, local_name, table_rows
from memsum.document.tables import add_table
from memsum.errors import DocumentError
from memsum.languages import word_set
from memsum.languages.section_names import is_section_name

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_OASIS = "{urn:oasis:names:tc:opendocument:xmlns:"
_TEXT, _STYLE, _OFFICE = f"{_OASIS}text:1.0}}", f"{_OASIS}style:1.0}}", f"{_OASIS}office:1.0}}"
_SKIPPED = word_set(
    "tracked-changes annotation annotation-end forms sequence-decls variable-decls note frame bibliography-mark"
)
_WHOLE = word_set(
    "table table-of-content illustration-index table-index object-index user-index alphabetical-index bibliography"
)
_SPACES = word_set("s tab line-break soft-page-break table-cell table-row")
_CAPTIONS = word_set("caption illustration table figure drawing text")
_HEADING = re.compile(r"heading[ _](?P<level>[1-9])")
_HANGING = word_set("note-body text-box tracked-changes annotation")
_LONGEST_HEADING = 100


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read the body in order, then captions in boxes and notes."""
    archive = Archive(source, "The OpenDocument text")
    root = archive.xml("content.xml")
    body = None if root is None else root.find(f"{_OFFICE}body/{_OFFICE}text")
    if root is None or body is None:
        raise DocumentError("This is a ZIP archive, but not an OpenDocument text.")
    styles = {
        style.get(f"{_STYLE}name") or "": style.get(f"{_STYLE}parent-style-name") or ""
        for style in root.iter(f"{_STYLE}style")
    }
    _remove_hidden(body, _hidden_styles([archive.xml("styles.xml"), root]), hidden or Hidden())
    builder = OfficeBuilder()
    for element, text in flow(body, _role):
        if local_name(element) == "table":
            add_table(builder.add, *table_rows(element, lambda cell: " ".join(text for _, text in flow(cell, _role))))
            continue
        kind, level = _kind(element, styles, text)
        builder.add(kind, text, level=level, reason=CONTENTS if local_name(element) in _WHOLE else None)
    # What hangs in a paragraph without being of it; what hangs in that again is seen with it.
    for element in body.iter(f"{_TEXT}note-body", f"{_OASIS}drawing:1.0}}text-box"):
        if not any(local_name(above) in _HANGING for above in element.iterancestors()):
            is_note = local_name(element) == "note-body"
            builder.add("boilerplate" if is_note else "caption", all_text(element), reason=NOTES if is_note else None)
    builder.creators += archive.creators("meta.xml")
    return builder.build(format="odt", language=language)


def _hidden_styles(roots: list[Element | None]) -> dict[str, bool]:
    """Return which styles hide their text; one that declares nothing does as its parent."""
    parents: dict[str, str] = {}
    known: dict[str, bool] = {"": False}
    for style in (style for root in roots if root is not None for style in root.iter(f"{_STYLE}style")):
        name = style.get(f"{_STYLE}name") or ""
        parents[name] = style.get(f"{_STYLE}parent-style-name") or ""
        look = style.find(f"{_STYLE}text-properties")
        display = None if look is None else look.get(f"{_TEXT}display")
        if display is not None:
            known[name] = display == "none"
    for name in parents:
        chain: list[str] = []
        while name not in known and name not in chain and len(chain) < _MOST_STYLES:
            chain.append(name)
            name = parents.get(name, "")
        known.update(dict.fromkeys(chain, known.get(name, False)))
    return known


_MOST_STYLES = 100  # that one is based on


def _remove_hidden(body: Element, styles: dict[str, bool], hidden: Hidden) -> None:
    """Note what is not shown, and remove it unless it is to be read; spans may show a part of a hidden paragraph."""
    for element in list(body.iter()):
        name = local_name(element)
        if name == "section" and element.get(f"{_TEXT}display") in ("none", "condition"):
            is_shown = element.get(f"{_TEXT}display") == "condition" and element.get(f"{_TEXT}is-hidden") == "false"
            if not is_shown:
                hidden.add(all_text(element))
                if not hidden.is_read:
                    empty(element)
        elif name in ("p", "h", "span") and styles.get(element.get(f"{_TEXT}style-name") or ""):
            _clear(element, styles, hidden)


def _clear(element: Element, styles: dict[str, bool], hidden: Hidden) -> None:
    """Take the text of an element, and of those in it that have no style which shows theirs."""
    texts = [element.text or ""]
    gone: list[Element] = []
    for child in element:
        name = child.get(f"{_TEXT}style-name")
        if local_name(child) not in ("span", "p", "h") or name is None or styles.get(name, False):
            texts.append("".join(map(str, child.itertext())))
            gone.append(child)
        texts.append(child.tail or "")
    hidden.add("".join(texts))
    if hidden.is_read:
        return
    element.text = None
    for child in element:
        child.tail = None
    for child in gone:
        child.clear()


def _role(element: Element, name: str) -> Role:
    if name in _SKIPPED:
        return "skip"
    if name in _WHOLE:
        return "whole"
    return "block" if name in ("p", "h", "list-item", "section") else "space" if name in _SPACES else "inline"


def _kind(element: Element, styles: dict[str, str], text: str) -> tuple[BlockKind, int]:
    name = local_name(element)
    if name == "h":
        level = element.get(f"{_TEXT}outline-level") or "1"
        return "heading", int(level) if level.isdecimal() and len(level) < 3 else 1
    if name == "bibliography":
        return "reference", 0
    if name in _WHOLE:
        return "boilerplate", 0
    style = element.get(f"{_TEXT}style-name") or ""
    style = (styles.get(style) or style).replace("_20_", " ").lower()
    if style in ("title", "abstract"):
        return ("title" if style == "title" else "abstract"), 0
    if style in ("subtitle", "header", "footer", "author", "signature", "sender", "addressee"):
        return "boilerplate", 0
    if style in _CAPTIONS:
        return "caption", 0
    if found := _HEADING.match(style):
        return "heading", int(found["level"])
    parent = element.getparent()
    if parent is not None and local_name(parent) == "list-item":
        return "item", 0
    return ("heading", 1) if len(text) <= _LONGEST_HEADING and is_section_name(text) else ("paragraph", 0)
