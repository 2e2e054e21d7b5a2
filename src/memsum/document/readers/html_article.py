"""Where the article of a web page is: by what the page says of itself, else by where its prose is densest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memsum.document.readers.base import listed

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_ASIDE_TAGS = frozenset({"nav", "aside", "footer", "address"})
_ASIDE_ROLES = listed(
    """
    navigation banner contentinfo complementary search dialog alert menu menubar toolbar
    doc-toc doc-footnote doc-endnotes
    """
)
_ASIDE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|breadcrumbs?|sidebar|footer|masthead|cookies?|consent|banner|promo|adverts?|ads?"
    r"|share|sharing|social|related|recommended|newsletter|subscribe|comments?|popup|modal|toc|skip|pagination|pager"
    r"|hidden|sr-only|byline|author-?(?:info|bio)|copyright|toolbar|widget|navbox|metadata|mw-editsection|reflist)(?:$|[\s_-])",
    re.IGNORECASE,
)
_FEWEST_WORDS = 25  # of prose in an article
_LINKED = 0.5  # of an element's words; with more of them in links it leads elsewhere


def words(element: HtmlElement) -> int:
    """How many words an element shows."""
    return len("".join(element.itertext()).split())


def is_aside(element: HtmlElement) -> bool:
    """Whether an element is around the article: navigation, banners, footers, hidden text, lists of links."""
    if element.tag in _ASIDE_TAGS or element.get("role", "").lower() in _ASIDE_ROLES:
        return True
    if element.get("hidden") is not None or element.get("aria-hidden", "") == "true":
        return True
    if re.search(r"display\s*:\s*none|visibility\s*:\s*hidden", element.get("style", ""), re.IGNORECASE):
        return True
    if element.tag in ("body", "main", "article", "html", "p", "td"):
        return False
    named = f"{element.get('id', '')} {element.get('class', '')}"
    if _ASIDE_NAMES.search(named) and prose(element) < 150:
        return True
    if element.tag == "header":
        return element.find(".//h1") is None
    return element.tag in ("ul", "ol", "div", "section") and _leads_elsewhere(element)


def prose(element: HtmlElement) -> int:
    """The words of paragraphs that read like sentences."""
    total = 0
    for paragraph in element.iter("p"):
        text = "".join(paragraph.itertext())
        if len(text) > 60 and re.search(r"[.!?][\"”’)\]\s\d]*$", text.strip()[-12:]):
            total += len(text.split())
    return total


def find_article(root: HtmlElement) -> HtmlElement:
    """The element that holds the article."""
    body = root.find("body")
    body = root if body is None else body
    for path in (".//main", ".//*[@role='main']", ".//article", ".//*[@itemprop='articleBody']"):
        found = [element for element in body.iterfind(path) if not _inside_aside(element)]
        if path == ".//article" and len(found) > 1:
            best = max(found, key=prose)
            if prose(best) < 0.6 * sum(map(prose, found)):
                continue
            found = [best]
        if found and words(found[0]) >= _FEWEST_WORDS and prose(found[0]) >= 0.5 * prose(body):
            return _densest(found[0])
    return _densest(body)


def _densest(element: HtmlElement) -> HtmlElement:
    """Go inwards as long as one child holds nearly all of the prose, or is the only one that has any words."""
    while True:
        whole = prose(element)
        if whole < _FEWEST_WORDS:
            return element
        inner = [
            child
            for child in element
            if isinstance(child.tag, str) and child.tag in ("div", "section", "article", "main")
        ]
        best = max(inner, key=prose, default=None)
        if best is None or prose(best) < 0.9 * whole or best.find(".//h1") is None is not element.find(".//h1"):
            return element
        element = best


def _inside_aside(element: HtmlElement) -> bool:
    return any(parent.tag in _ASIDE_TAGS for parent in element.iterancestors())


def _leads_elsewhere(element: HtmlElement) -> bool:
    """Whether most words are links: a menu, not a list; citations inside sentences do not count."""
    total = words(element)
    if not total:
        return False
    linked = sum(words(link) for link in element.iter("a") if not link.get("href", "").startswith("#"))
    return linked > _LINKED * total and prose(element) < 0.3 * total
