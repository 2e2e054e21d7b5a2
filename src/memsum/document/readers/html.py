"""HTML: what a page is, and its tree, parsed within limits; `html_page` finds the article in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memsum.document.build import DocumentBuilder
from memsum.document.document import Document
from memsum.document.readers.base import BYTE_ORDER_MARKS
from memsum.document.readers.html_page import WebPage
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta|title|main|nav|header)\b", re.IGNORECASE)
_FRAGMENT = re.compile(rb"<(?:div|section|h[1-6]|p|table|ul|ol)\b", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_CHARSET = re.compile(rb"charset\s*=", re.IGNORECASE)
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
_TAG = re.compile(rb"<(?P<name>[a-zA-Z][^\s/<>]{0,100})(?P<attributes>[^<>]{1000,})")
_MAX_TAGS = 300_000  # that open elements; each takes up to a kilobyte of memory with what is counted in it
_MAX_ATTRIBUTES = 1000  # of one tag


class HtmlReader:
    """Reads the main text of a web page."""

    name = "html"

    def detects(self, head: bytes) -> bool:
        """Whether the file begins as web pages do; Markdown that begins with a few tags does not count."""
        return is_page(head)

    def read(self, source: bytes | str) -> Document:
        """The document of a page's article."""
        root, warnings = parse_html(source)
        builder = DocumentBuilder()
        page = WebPage(root, builder.add)
        page.add_title()
        page.add_article()
        del root, page  # the tree is larger than the text, and the sentences come on top of it
        return builder.build(format=self.name, warnings=warnings)


def is_page(head: bytes) -> bool:
    """Whether bytes begin with a page, or with a fragment of one in which the paragraphs are tagged."""
    head = without_comments(head.lstrip(BYTE_ORDER_MARKS).replace(b"\0", b""))
    if _PAGE.match(head):
        return True
    if not _FRAGMENT.match(head):
        return False
    paragraphs = [part.lstrip() for part in _BLANK_LINE.split(head) if not part.isspace()]
    tagged: int = sum(part.startswith(b"<") for part in paragraphs)
    return 10 * tagged > 9 * len(paragraphs)


def without_comments(head: bytes) -> bytes:
    """What follows the XML declaration, comments and white space that a file begins with."""
    at = 0
    while True:
        while head[at : at + 1].isspace():
            at += 1
        ending = next((end for start, end in ((b"<!--", b"-->"), (b"<?xml", b">")) if head.startswith(start, at)), None)
        if ending is None:
            return head[at:]
        end = head.find(ending, at)
        at = len(head) if end < 0 else end + len(ending)


def parse_html(source: bytes | str) -> tuple[Element, tuple[str, ...]]:
    """The tree of a page or of a part of one, and what has to be said about it."""
    from lxml import etree

    data, encoding = _encoded(source)
    if data.count(b"<") - data.count(b"</") > _MAX_TAGS:
        raise DocumentError(f"The HTML has more than {_MAX_TAGS:,} tags.", "Split it.")
    crowded: list[bytes] = []

    def thinned(tag: re.Match[bytes]) -> bytes:
        if len(_QUOTED.sub(b" ", tag["attributes"]).split()) <= _MAX_ATTRIBUTES:
            return tag[0]
        crowded.append(tag["name"])
        return b"<" + tag["name"]

    data = _TAG.sub(thinned, data)
    parser = etree.HTMLParser(
        encoding=encoding, remove_comments=True, remove_pis=True, no_network=True, huge_tree=False
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        root = None
    if any("depth" in error.message for error in parser.error_log.filter_from_fatals()):
        raise DocumentError("The HTML has parts inside each other, deeper than can be read.")
    if root is None:
        raise DocumentError("The HTML is damaged or empty.")
    return root, (f"Tags with more than {_MAX_ATTRIBUTES:,} attributes were read without them.",) if crowded else ()


def _encoded(source: bytes | str) -> tuple[bytes, str | None]:
    """The bytes and their encoding: UTF-8 if they are that; else what the page says of itself, read by the parser."""
    if isinstance(source, str):
        return source.encode("utf-8", "replace"), "utf-8"
    if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return source.decode("utf-16", "replace").encode("utf-8", "replace"), "utf-8"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return source, None if _CHARSET.search(source[:2048]) else "windows-1252"
    return source, "utf-8"
