"""HTML: the article's text, not the page around it; scripts and styles are never text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memsum.document.build import DocumentBuilder
from memsum.document.headings import is_known
from memsum.document.model import BlockKind, Document
from memsum.document.readers.base import listed
from memsum.document.readers.html_article import find_article, is_aside, words
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_SIGN = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,2000}?-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|meta|title|main|div|section|h[1-6]|p|nav|header)\b",
    re.IGNORECASE | re.DOTALL,
)
_BYTE_ORDER_MARKS = b"\xef\xbb\xbf\xff\xfe"
_DROPPED = listed(
    """
    script style noscript template iframe object embed svg canvas form button select input textarea head audio video
    map dialog menu link meta
    """
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = listed(
    """
    a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math q ruby s samp small
    span strike strong sub sup time tt u var wbr
    """
)
_DEEPEST = 200  # elements inside each other; libxml2 itself stops at 256
_MAX_BLOCKS = 200_000


class HtmlReader:
    """Reads the main text of a web page."""

    name = "html"

    def detects(self, head: bytes) -> bool:
        """Whether the file begins with a tag that web pages begin with."""
        return _SIGN.match(head.lstrip(_BYTE_ORDER_MARKS).replace(b"\0", b"")) is not None

    def read(self, source: bytes | str) -> Document:
        """The document of a page's article."""
        root = _parse(source)
        page = _Page()
        page.add_title(root)
        _drop(root, *_DROPPED)
        article = find_article(root)
        page.add_children(article, "paragraph", 0)
        return page.builder.build(format=self.name)


def _parse(source: bytes | str) -> HtmlElement:
    from lxml import etree, html

    data, encoding = _encoded(source)
    parser = html.HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True, no_network=True, huge_tree=False)
    try:
        return html.document_fromstring(data, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        raise DocumentError("The HTML is damaged or empty.") from None


def _encoded(source: bytes | str) -> tuple[bytes, str | None]:
    """The bytes and their encoding: UTF-8 if they are that; else what the page says of itself, read by the parser."""
    if isinstance(source, str):
        return source.encode("utf-8", "replace"), "utf-8"
    if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return source.decode("utf-16", "replace").encode("utf-8", "replace"), "utf-8"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return source, None if re.search(rb"charset\s*=", source[:2048], re.IGNORECASE) else "windows-1252"
    return source, "utf-8"


def _drop(root: HtmlElement, *tags: str) -> None:
    """Remove elements, and keep the text behind them."""
    from lxml import etree

    etree.strip_elements(root, *tags, with_tail=False)


class _Page:
    """Walks an article and adds its blocks in order."""

    def __init__(self) -> None:
        self.builder = DocumentBuilder()
        self._title = ""
        self._count = 0

    def add_title(self, root: HtmlElement) -> None:
        """The page's main heading, or what the window's title says before the name of the site."""
        headings = [heading for heading in root.iter("h1") if words(heading) and not is_aside(heading)]
        if len(headings) == 1:
            self._title = _text(headings[0])
        elif (title := root.find(".//title")) is not None:
            self._title = re.split(r"\s+[|–—·-]\s+", " ".join((title.text or "").split()))[0]
        self.builder.add("title", self._title)

    def add_children(self, element: HtmlElement, kind: BlockKind, depth: int) -> None:
        """The blocks inside an element; text between them is a paragraph of its own."""
        if depth > _DEEPEST:
            self._add(kind, _text(element))
            return
        loose = [element.text or ""]
        for child in element:
            if not isinstance(child.tag, str):
                loose.append(child.tail or "")
            elif child.tag == "br" and loose[-1].endswith("\n\n"):
                self._flush(kind, loose)
                loose.append(child.tail or "")
            elif child.tag in _INLINE and not _has_blocks(child):
                if _is_power(child, loose[-1]):
                    loose.append("^")
                loose.append("\n\n" if child.tag == "br" else _inline(child))
                loose.append(child.tail or "")
            else:
                self._flush(kind, loose)
                self._add_block(child, kind, depth)
                loose.append(child.tail or "")
        self._flush(kind, loose)

    def _flush(self, kind: BlockKind, loose: list[str]) -> None:
        self._add(kind, "".join(loose))
        loose.clear()

    def _add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        self._count += 1
        if self._count > _MAX_BLOCKS:
            raise DocumentError("The HTML has more parts than can be read.", "Split it.")
        self.builder.add(kind, text, level=level)

    def _add_block(self, element: HtmlElement, kind: BlockKind, depth: int) -> None:
        tag = element.tag
        if is_aside(element):
            self._add("boilerplate", _text(element))
        elif tag in _HEADINGS:
            text = _text(element)
            if text != self._title:
                self._add("heading", text, _HEADINGS[tag])
        elif tag in ("figcaption", "caption"):
            self._add("caption", _text(element))
        elif tag == "table" and _is_data(element):
            for caption in element.iter("caption"):
                self._add("caption", _text(caption))
            _drop(element, "caption")
            self._add("boilerplate", _text(element))
        elif tag in ("pre", "math"):
            self._add("boilerplate", _text(element))
        elif tag in ("li", "dd", "dt"):
            self.add_children(element, "item" if kind == "paragraph" else kind, depth + 1)
        elif tag == "section" and _role(element) == "doc-bibliography":
            self.add_children(element, "reference", depth + 1)
        elif _role(element) == "doc-abstract" or "abstract" in element.get("class", "").lower().split():
            self.add_children(element, "abstract", depth + 1)
        else:
            self.add_children(element, kind, depth + 1)


def _role(element: HtmlElement) -> str:
    role: str = element.get("role", "")
    return role.lower()


def _has_blocks(element: HtmlElement) -> bool:
    """Whether an element that usually stands in a line holds paragraphs nevertheless."""
    return any(isinstance(child.tag, str) and child.tag not in _INLINE for child in element.iterdescendants())


def _is_data(table: HtmlElement) -> bool:
    """Whether a table holds data, and not the layout of a page."""
    return (
        not any(is_known(_text(heading)) for heading in table.iter("h2", "h3"))
        and next(table.iter("p", "h1"), None) is None
    )


def _is_power(element: HtmlElement, before: str) -> bool:
    """Whether an element is a number raised above the number before it."""
    return element.tag == "sup" and before[-1:].isdigit() and (element.text or "")[:1].isdigit()


def _text(element: HtmlElement) -> str:
    """The text of an element on one line."""
    return " ".join(_inline(element).split())


def _inline(element: HtmlElement) -> str:
    """The text of an element; cells and lines are parted by spaces, powers have a caret."""
    parts: list[str] = []
    for event, node in _walk(element):
        if event == "start":
            if parts and _is_power(node, parts[-1]):
                parts.append("^")
            parts.append(node.text or "")
            if node.tag == "br":
                parts.append(" ")
        else:
            if node.tag not in _INLINE:
                parts.append(" ")
            if node is not element:
                parts.append(node.tail or "")
    return "".join(parts)


def _walk(element: HtmlElement) -> list[tuple[str, HtmlElement]]:
    """The starts and ends of an element and of those inside it, without recursion."""
    from lxml import etree

    return [
        (event, node) for event, node in etree.iterwalk(element, events=("start", "end")) if isinstance(node.tag, str)
    ]
