"""The inside of a JATS paragraph as readable text: citations, formulas, sub- and superscripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Tables, display formulas and pictures say nothing in a sentence; floats are read on their own.
_LEFT_OUT = frozenset(
    {"disp-formula", "disp-formula-group", "table-wrap", "table-wrap-group", "table", "fig", "fig-group", "graphic"}
    | {"inline-graphic", "media", "supplementary-material", "boxed-text", "fn", "alt-text", "long-desc", "object-id"}
    | {"annotation", "annotation-xml"}
)
_SPACED = frozenset({"break", "p", "list-item", "def-item", "title"})
_READABLE = {"math": 0, "tex-math": 1}
_TEX = re.compile(r"\$+(.+?)\$+", re.DOTALL)
_CITED_NUMBERS = frozenset("0123456789,;–- \n\t")


def flatten(element: Element) -> str:
    """The text of an element without its tail; white space is left to the caller."""
    tag = element.tag
    if not isinstance(tag, str):  # an entity that was not resolved: "&alpha;"
        return html5.get((element.text or "")[1:], "")
    if tag in _LEFT_OUT:
        return " "
    if tag == "tex-math":
        return _formula(element.text or "")
    if tag == "alternatives":
        return next((flatten(child) for child in _best_first(element)), "")
    parts = [element.text or ""]
    for child in element:
        parts.append(flatten(child))
        parts.append(child.tail or "")
    text = "".join(parts)
    if tag in _SPACED:
        return f" {text} "
    return _superscript(element, text) if tag == "sup" else text


def join_pieces(element: Element) -> str:
    """All text below an element, its pieces apart: for references, whose fields often have no space between them."""
    pieces = " ".join(" ".join(_pieces(element)).split())
    return re.sub(r" ([.,;:)])", r"\1", pieces)


def _pieces(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""


def _best_first(alternatives: Element) -> list[Element]:
    """The versions of a formula, those that read well as text before the others."""
    return sorted(alternatives, key=lambda child: _READABLE.get(child.tag, len(_READABLE)))


def _formula(tex: str) -> str:
    """TeX without the document that publishers wrap around it."""
    found = _TEX.search(tex)
    return f" {found[1] if found else ''} " if "\\begin{document}" in tex or found else tex


def _superscript(element: Element, text: str) -> str:
    """Citations in brackets and powers with a caret, so that they do not run into the word or number before them."""
    parent, previous = element.getparent(), element.getprevious()
    if text.strip() and _CITED_NUMBERS.issuperset(text):
        linked = element if parent is None or parent.tag != "xref" else parent
        if linked.get("ref-type") == "bibr" or element.find("xref[@ref-type='bibr']") is not None:
            return f"[{text.strip()}]"
    before = (previous.tail if previous is not None else parent.text if parent is not None else "") or ""
    return f"^{text}" if before[-1:].isdigit() and text[-1:].isdigit() else text
