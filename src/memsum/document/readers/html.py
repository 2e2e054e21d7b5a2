"""HTML: the article of a page, in blocks; what stands around it is boilerplate, scripts and styles are never text.

The page itself may declare where its article is, else its densest prose decides. Every element is counted once, from
the inside out, and all later questions are answered from the counts: reading takes time in proportion to the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memsum.document.build import NUMBER, DocumentBuilder, inert, prose_of
from memsum.document.document import BlockKind, Document
from memsum.document.readers.visibility import NEVER_SHOWN, Hidden, hide
from memsum.document.readers.xml import table_rows
from memsum.document.tables import add_table
from memsum.errors import DocumentError
from memsum.languages import word_set

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_CHARSET = re.compile(rb"charset\s*=", re.IGNORECASE)
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
_TAG = re.compile(rb"<(?P<name>[a-zA-Z][^\s/<>]{0,100})(?P<attributes>[^<>]{1000,})")
_AUTHORS = ("citation_author", "dc.creator", "author", "article:author")  # the most exact first
_MAX_TAGS = 300_000  # that open elements; each takes up to a kilobyte of memory with what is counted in it
_MAX_ATTRIBUTES = 1000  # of one tag


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read the article of a web page."""
    root, warnings = parse_html(source)
    hide(root, hidden or Hidden())
    builder = DocumentBuilder()
    page = WebPage(root, builder.add)
    page.add_title()
    page.add_article()
    builder.authors += _authors(root)
    del root, page  # the tree is larger than the text, and the sentences come on top of it
    return builder.build(format="html", language=language, warnings=warnings)


def _authors(root: Element) -> list[str]:
    """Return the authors that a page declares; some declare an address instead."""
    named: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        kind = (meta.get("name") or meta.get("property") or "").lower()
        content = (meta.get("content") or "").strip()
        if kind in _AUTHORS and content and "/" not in content:
            named.setdefault(kind, []).append(content)
    return next((named[kind] for kind in _AUTHORS if kind in named), [])


def parse_html(source: bytes | str) -> tuple[Element, tuple[str, ...]]:
    """Return the tree of a page or of a part of one, and what has to be said about it."""
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
    """Return the bytes and their encoding: UTF-8 if they are that; else the parser finds what the page declares."""
    if isinstance(source, str):
        return source.encode("utf-8", "replace"), "utf-8"
    if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return source.decode("utf-16", "replace").encode("utf-8", "replace"), "utf-8"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return source, None if _CHARSET.search(source[:2048]) else "windows-1252"
    return source, "utf-8"


_DROPPED = NEVER_SHOWN | word_set("svg select input textarea link meta")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = word_set(
    """
    a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math q ruby s samp small
    span strike strong sub sup time tt u var wbr
    """
)
_ASIDE_TAGS = frozenset({"nav", "aside", "footer", "address", "dialog"})
_ASIDE_ROLES = word_set(
    """
    navigation banner contentinfo complementary search dialog alert menu menubar toolbar
    doc-toc doc-footnote doc-endnotes
    """
)
_ASIDE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav[a-z]{0,12}|menu|breadcrumbs?|sidebar|footer|masthead|cookies?|consent|banner|promo|adverts?|ads?"
    r"|share|sharing|social|related|recommended|newsletter|subscribe|comments?|popup|modal|toc|skip|pagination|pager"
    r"|hidden|sr-only|meta|(?:post|entry)meta|byline|dateline|timestamp|credits?|tags|author-?(?:info|bio)|copyright|toolbar|widget|metadata"
    r"|hatnote|catlinks|admonition-title|languages?|interlanguage|mw-jump-link|sitesub)(?:$|[\s_-])",
    re.IGNORECASE,
)
_REFERENCE_NAMES = word_set(
    """
    references reference-list reflist ref-list refbegin citations citation-list bibliography footnotes endnotes
    """
)
_MARK_NAMES = word_set(
    """
    mw-editsection headerlink copiable-anchor anchorjs-link sr-only visually-hidden screen-reader-text noprint
    mw-cite-backlink
    """
)
_ASIDE = "navigation, labels and links"
_ANCHOR_MARKS = frozenset({"¶", "#", "§", "🔗", "∞", "↑", "^"})
_SENTENCE_END = re.compile(r"[.!?][\"”’)\]\s\d]*$")
_CAPTION = re.compile(r"(?:fig(?:ure)?|table|example|listing)\.?\s*[A-Z]?\d", re.IGNORECASE)
_SITE = re.compile(r"\s[|–—·-]\s")
_MOST_LINKED = 8  # words of a text between blocks that is nothing but links
_FEWEST_LINKS = 3  # of a list of contents, or of navigation that looks like a heading
_FEWEST_WORDS = 25  # of prose in an article
_SPOKEN = 5  # words of a sentence that is only kept from screen readers
_MOST_PROSE = 150  # words of prose in what is named like something around the article
_LINKED = 0.5  # of an element's words; with more of them in links it leads elsewhere
_DEEPEST = 200  # elements inside each other; what is deeper is read as one paragraph
_LONGEST_NAMES = 500  # characters of an element's id and classes that are looked at


@dataclass(slots=True, eq=False)
class _Counts:
    """What an element holds, with all that is inside it."""

    words: int = 0
    linked: int = 0  # words that lead to other pages
    anchored: int = 0  # words that lead to another part of the page
    prose: int = 0  # words of paragraphs that read like sentences
    length: int = 0  # characters
    ending: str = ""  # the last of them
    has_blocks: bool = False
    has_paragraphs: bool = False
    has_h1: bool = False
    has_head_cells: bool = False

    def add_text(self, text: str | None) -> None:
        """Add a stretch of text before all that was added so far."""
        if text and (stripped := text.strip()):
            self.words += len(stripped.split())
            self.length += len(stripped)
            self.ending = self.ending or stripped[-12:]

    def reads_on(self, text: str | None) -> bool:
        """Tell whether a text, and what was added so far, ends a sentence: it is no icon, nor letters of a formula."""
        ending = self.ending or (text or "").strip()[-12:]
        return self.words + len((text or "").split()) >= _SPOKEN and _SENTENCE_END.search(ending) is not None

    def add(self, tag: str, inside: _Counts) -> None:
        """Add an element before all that was added so far."""
        self.words += inside.words
        self.linked += inside.linked
        self.anchored += inside.anchored
        self.prose += inside.prose
        self.length += inside.length
        self.ending = self.ending or inside.ending
        self.has_blocks |= inside.has_blocks or tag not in _INLINE
        self.has_paragraphs |= inside.has_paragraphs or tag in ("p", "h1")
        self.has_h1 |= inside.has_h1 or tag == "h1"
        self.has_head_cells |= inside.has_head_cells or tag in ("th", "thead")


def _count(root: Element) -> dict[Element, _Counts]:
    """Return the counts of all elements, in one way from the last to the first: each before the one around it."""
    counts: dict[Element, _Counts] = {}
    for element in reversed(list(root.iter())):
        own = counts.setdefault(element, _Counts())
        parent = element.getparent()
        around = _Counts() if parent is None else counts.setdefault(parent, _Counts())
        around.add_text(element.tail)
        if not isinstance(element.tag, str) or element.tag in _DROPPED:
            continue
        if _is_mark(element):
            is_heading = element.tag == "button" and parent is not None and parent.tag in _HEADINGS
            if not (own.prose or is_heading or own.reads_on(element.text)):
                continue
            for name in ("aria-hidden", "class"):  # sentences are seen, whatever they are called
                element.attrib.pop(name, "")
            element.tag = "span" if element.tag == "button" else element.tag
        own.add_text(element.text)
        if element.tag == "a" and element.get("href", "").startswith("#"):
            own.anchored = own.words
        elif element.tag == "a":
            own.linked = own.words
        if element.tag == "p" and own.length > 60 and _SENTENCE_END.search(own.ending):
            own.prose = own.words
        around.add(element.tag, own)
    return counts


def _is_hidden(element: Element) -> bool:
    """Tell whether nobody sees an element, or only as a mark to click on."""
    return element.tag in _DROPPED or _is_mark(element)


def _is_mark(element: Element) -> bool:
    """Tell whether an element is a mark to click on, or for programs that read aloud."""
    if element.tag == "button":
        return True
    attributes = element.attrib
    if not attributes:
        return False
    if attributes.get("aria-hidden") == "true":
        return element.tag != "math"
    if not _MARK_NAMES.isdisjoint(attributes.get("class", "").lower().split()):
        return True
    if element.tag == "a" and attributes.get("href", "").startswith("#"):
        return (element.text or "").strip() in _ANCHOR_MARKS and len(element) == 0
    return False


def _is_inside_hidden(element: Element) -> bool:
    return any(map(_is_hidden, (element, *element.iterancestors())))


class WebPage:
    """Walks a page of which what nobody sees is removed, and adds its blocks in order."""

    def __init__(self, root: Element, add: Callable[..., None]) -> None:
        """`add` takes the kind and the text of a block, its level and reason."""
        self._root = root
        self._add = add
        self._counts = _count(root)
        self._title = ""
        self._items = 0  # around what is being read
        self._terms: list[str] = []  # whose definition comes next

    def add_title(self) -> bool:
        """Add the main heading, or the window's title without the name of the site; tell whether there is one."""
        headings = [heading for heading in self._root.iter("h1") if self._counts[heading].words]
        headings = [heading for heading in headings if not self._is_aside(heading) and not _is_inside_hidden(heading)]
        if len(headings) == 1:
            self._title = _text(headings[0])
        elif (title := self._root.find("head/title")) is not None:
            self._title = _SITE.split(f" {' '.join((title.text or '').split())} ")[0]
        self._title = " ".join(self._title.split())
        self._add("title", self._title)
        return self._title != ""

    def add_article(self) -> None:
        self.add_children(self._article(), "paragraph")

    def add_children(self, element: Element, kind: BlockKind, depth: int = 0) -> None:
        """Add the blocks inside an element; text between them is a paragraph of its own."""
        if depth > _DEEPEST:
            self._add(kind, _text(element))
            return
        title = _title(element)
        loose = [element.text or ""]
        linked = 0  # words in links among them
        for child in element:
            if not isinstance(child.tag, str) or _is_hidden(child):
                loose.append(child.tail or "")
            elif child.tag == "br" and loose[-1].endswith("\n\n"):
                linked = self._flush(kind, loose, linked, title)
                loose.append(child.tail or "")
            elif child.tag in _INLINE and not self._counts[child].has_blocks:
                if _is_power(child, loose[-1]):
                    loose.append("^")
                loose.append("\n\n" if child.tag == "br" else _inline(child))
                loose.append(child.tail or "")
                linked += self._counts[child].linked
            else:
                linked = self._flush(kind, loose, linked, title)
                self._add_block(child, kind, depth)
                loose.append(child.tail or "")
        self._flush(kind, loose, 0 if element.tag in ("p", "li", "dd") else linked, title)

    def _flush(self, kind: BlockKind, loose: list[str], linked: int, title: str) -> int:
        """Add the text between blocks; a few words that are nothing but links lead elsewhere."""
        text = "".join(loose)
        if self._terms and text.strip():
            text = f"{inert(', '.join(self._terms))}: {text}"
            self._terms.clear()
        words = len(text.split())
        is_link = words <= _MOST_LINKED and 0 < words <= linked + text.count("|")
        if kind == "paragraph" and (is_link or " ".join(text.split()) == self._title):
            self._add("boilerplate", text, reason=_ASIDE)
        else:
            self._add(kind, text, level=self._items if kind == "item" else 0, title=title)
        loose.clear()
        return 0

    def _add_block(self, element: Element, kind: BlockKind, depth: int) -> None:
        add, tag = self._add, element.tag
        if self._is_aside(element):
            add("boilerplate", _text(element), reason=_ASIDE)
        elif tag in _HEADINGS:
            text = _text(element)
            if text != self._title:
                add("heading", text, level=_HEADINGS[tag])
        elif tag in ("figcaption", "caption") or (
            tag == "p" and "title" in _names(element) and _CAPTION.match(_text(element))
        ):
            add("caption", _text(element))
        elif tag == "table" and self._is_data(element):
            for caption in element.findall("caption"):
                add("caption", _text(caption))
            add_table(add, *table_rows(element, _text))
        elif tag == "pre":
            text = _inline(element)
            paragraphs = prose_of(text)  # prose that is set by hand; else it is code with its lines
            for part in paragraphs or [text]:
                add(kind if paragraphs else "code", part)
        elif tag == "math":
            add("boilerplate", _text(element), reason="formulas")
        elif tag == "dt" and not self._ends(element):
            self._terms.append(_text(element).rstrip(": "))
        elif tag in ("li", "dd", "dt"):
            self._items += 1
            self.add_children(element, "item" if kind == "paragraph" else kind, depth + 1)
            self._items -= 1
        elif _role(element) == "doc-bibliography" or not _REFERENCE_NAMES.isdisjoint(_names(element)):
            self.add_children(element, "reference", depth + 1)
        elif _role(element) == "doc-abstract" or "abstract" in _names(element):
            self.add_children(element, "abstract", depth + 1)
        else:
            self.add_children(element, kind, depth + 1)
        if tag == "dl" and self._terms:  # without a definition
            add("boilerplate", ", ".join(self._terms), reason="terms")
            self._terms.clear()

    def _is_aside(self, element: Element) -> bool:
        """Tell whether an element is around the article: navigation, banners, footers, labels, lists of links."""
        if element.tag in _ASIDE_TAGS or _role(element) in _ASIDE_ROLES:
            return True
        if element.tag in ("body", "main", "article", "html", "td"):
            return False
        counts = self._counts[element]
        if element.tag == "p":
            is_short = counts.words < _FEWEST_WORDS and not self._ends(element)
            return is_short and (_is_named_aside(element) or counts.linked > 0.8 * counts.words)
        if _is_named_aside(element) and counts.prose < _MOST_PROSE:
            return True
        if element.tag == "header":
            return not counts.has_h1
        if element.tag == "form":
            return counts.prose < _FEWEST_WORDS
        if element.tag in _HEADINGS:
            return 2 * counts.linked >= counts.words and len(element.findall(".//a")) >= _FEWEST_LINKS
        if element.tag in ("ul", "ol") and len(element) >= _FEWEST_LINKS and counts.anchored == counts.words:
            return True  # contents
        leads_elsewhere = counts.linked > _LINKED * counts.words and counts.prose < 0.3 * counts.words
        return element.tag in ("ul", "ol", "dl", "div", "section") and leads_elsewhere

    def _ends(self, element: Element) -> bool:
        """Tell whether an element's last character ends a sentence."""
        return self._counts[element].ending[-1:] in (".", "!", "?")

    def _is_data(self, table: Element) -> bool:
        """Tell whether a table holds data, and not the layout of a page."""
        counts = self._counts[table]
        if counts.has_head_cells or _is_named_aside(table):
            return not counts.has_h1
        return not counts.has_paragraphs

    def _article(self) -> Element:
        body = self._root.find("body")
        body = self._root if body is None else body
        whole = self._counts[body].prose
        for path in (".//main", ".//*[@role='main']", ".//article", ".//*[@itemprop='articleBody']"):
            seen = (element for element in body.iterfind(path) if not _is_inside_hidden(element))
            found = [one for one in seen if all(around.tag not in _ASIDE_TAGS for around in one.iterancestors())]
            if path == ".//article" and len(found) > 1:
                best = max(found, key=self._prose)
                if self._prose(best) < 0.6 * sum(map(self._prose, found)):
                    continue
                found = [best]
            if found and self._counts[found[0]].words >= _FEWEST_WORDS and self._prose(found[0]) >= 0.5 * whole:
                return self._densest(found[0])
        return self._densest(body)

    def _densest(self, element: Element) -> Element:
        """Go inwards as long as one child holds nearly all of the prose and no heading of the page is left outside."""
        while (whole := self._prose(element)) >= _FEWEST_WORDS:
            inner = (child for child in element if child.tag in ("div", "section", "article", "main"))
            best = max(inner, key=self._prose, default=None)
            if best is None or self._prose(best) < 0.9 * whole:
                break
            if self._counts[element].has_h1 and not self._counts[best].has_h1:
                break
            element = best
        return element

    def _prose(self, element: Element) -> int:
        return self._counts[element].prose


def _role(element: Element) -> str:
    return element.get("role", "").lower()


def _names(element: Element) -> set[str]:
    """Return the names that an element goes by: its classes and its id."""
    return {element.get("id", "").lower(), *element.get("class", "").lower().split()}


def _is_named_aside(element: Element) -> bool:
    names = f"{element.get('id', '')} {element.get('class', '')}"
    return _ASIDE_NAMES.search(names[:_LONGEST_NAMES]) is not None


def _title(element: Element) -> str:
    """Return what is set apart at the beginning of an item of a numbered list, or of a paragraph."""
    item = next((one for one in (element, element.getparent()) if one is not None and one.tag == "li"), None)
    around = None if item is None else item.getparent()
    first = next(iter(element), None)
    number = (element.text or "").strip()
    if first is None or element.tag not in ("p", "li") or (number and not NUMBER.fullmatch(number)):
        return ""
    title = f"{number} {_text(first)}".strip() if first.tag in ("b", "strong", "u", "span") else ""
    is_numbered = NUMBER.match(title) is not None if around is None else around.tag == "ol"
    return title if is_numbered else ""


def _is_power(element: Element, before: str) -> bool:
    """Tell whether an element is a number raised above the number before it."""
    return element.tag == "sup" and before[-1:].isdigit() and (element.text or "")[:1].isdigit()


def _text(element: Element, without: str = "") -> str:
    return " ".join(_inline(element, without).split())


def _inline(element: Element, without: str = "") -> str:
    """Return the text of an element; cells and lines are parted by spaces, powers have a caret."""
    parts: list[str] = []
    for event, node in _walk(element, without):
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


def _walk(element: Element, without: str) -> Iterator[tuple[str, Element]]:
    """Yield the starts and ends of an element and of those inside it that are seen; of the others only the ends."""
    from lxml import etree

    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "start" and isinstance(node.tag, str) and (node.tag == without or _is_hidden(node)):
            walk.skip_subtree()  # the next event is its end
        elif event == "end" or isinstance(node.tag, str):
            yield event, node
