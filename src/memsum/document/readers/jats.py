"""JATS XML, the form in which journals keep their papers: running text apart from captions, references."""

from __future__ import annotations

import re
from html.entities import html5
from typing import TYPE_CHECKING

from memsum.document.build import DocumentBuilder
from memsum.document.document import BACK_MATTER, NOTES, BlockKind, Document
from memsum.document.readers.xml import outermost, parse_xml, table_rows
from memsum.document.tables import add_table
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Abstracts that are not the summary of the paper.
_OTHER_ABSTRACTS = frozenset(
    {"graphical", "teaser", "toc", "web-summary", "editor", "key-points", "plain-language-summary", "executive-summary"}
    | {"precis", "video", "highlights", "author-highlights", "short", "tweet"}
)
_LISTS = frozenset({"list", "def-list"})
_CAPTIONED = frozenset({"fig", "table-wrap", "supplementary-material", "media"})
_ASIDES = frozenset({"fn", "boxed-text"})
_GROUPS = frozenset({"fig-group", "table-wrap-group"})
_FLOATS = _CAPTIONED | _ASIDES | _GROUPS

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


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read a paper's title, abstract, sections, captions, references and back matter."""
    root, paper = _parse(source), _Paper()
    articles = (one for one in root.iter("article") if any(child.tag in ("front", "body") for child in one))
    if (article := next(articles, None)) is None:
        raise DocumentError(f"This is XML, but not a JATS article (its root is <{root.tag}>).", "Convert it to text.")
    paper.add_article(article)
    return paper.builder.build(format="jats", language=language)


def _parse(source: bytes | str) -> Element:
    """Return the tree, with no entity expanded, no DTD loaded and nothing fetched; names without their namespaces."""
    from lxml import etree

    data, encoding = (source.encode("utf-8", "replace"), "utf-8") if isinstance(source, str) else (source, None)
    root = parse_xml(data, "The XML", encoding)
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root


def _author(contrib: Element) -> str:
    """Return the name of an author; nothing for editors and other people."""
    if contrib.get("contrib-type", "author") != "author":
        return ""
    parts = (contrib.find(f".//{part}") for part in ("given-names", "surname", "collab"))
    return " ".join(" ".join(flatten(part).split()) for part in parts if part is not None)


class _Paper:
    """Walks an article and adds its blocks in reading order."""

    def __init__(self) -> None:
        self.builder = DocumentBuilder()

    def add_article(self, article: Element) -> None:
        meta = article.find("front/article-meta")
        if meta is not None:
            self._add_front(meta)
        for child in article:
            if child.tag == "body":
                self._add_children(child, "paragraph", level=0)
            elif child.tag == "back":
                self._add_children(child, "boilerplate", level=0)
            elif child.tag == "floats-group":
                self._add_floats(child)
            elif child.tag in ("sub-article", "response"):
                self._add_paragraphs(child, "reviews and responses")

    def _add_front(self, meta: Element) -> None:
        title = meta.find("title-group/article-title")
        if title is not None:
            self.builder.add("title", flatten(title))
        self.builder.authors += filter(None, map(_author, meta.findall("contrib-group/contrib")))
        for abstract in meta.findall("abstract"):
            if abstract.get("abstract-type", "").lower() not in _OTHER_ABSTRACTS:
                self._add_abstract(abstract, None)
                return

    def _add_abstract(self, element: Element, section: str | None) -> None:
        """Add an abstract; its own headings name the sections of its sentences, and are no headings of the paper."""
        for child in element:
            if child.tag == "sec":
                title = child.find("title")
                self._add_abstract(child, section if title is None else flatten(title).strip())
            elif child.tag in _LISTS or child.tag == "p":
                text = flatten(child).strip()
                self.builder.add("boilerplate" if text.startswith("DOI:") else "abstract", text, section=section)

    def _add_children(self, element: Element, kind: BlockKind, level: int) -> None:
        """Add the blocks inside a section, the body or the back; `kind` is what its paragraphs are."""
        for child in element:
            if child.tag == "title":
                self.builder.add("heading", flatten(child), level=max(level, 1))
            elif child.tag == "p":
                self._add_paragraph(child, kind)
            elif child.tag in _LISTS:
                self._add_list(child, kind)
            elif child.tag in _FLOATS:
                self._add_float(child)
            elif child.tag == "ref-list":
                self._add_references(child, level + 1)
            elif child.tag in ("sec", "ack", "app", "notes", "glossary"):
                self._add_children(child, kind, level + 1)
            elif child.tag in ("disp-quote", "statement", "app-group", "fn-group", "speech", "bio"):
                self._add_children(child, kind, level)

    def _add_paragraph(self, paragraph: Element, kind: BlockKind, reason: str = BACK_MATTER) -> None:
        """Add a paragraph; a list inside it parts it, figures and notes inside it come after it."""
        parts = [paragraph.text or ""]
        floats = []
        for child in paragraph:
            if child.tag in _LISTS or child.tag == "disp-quote":
                self.builder.add(kind, "".join(parts), reason=reason)
                parts.clear()
                if child.tag == "disp-quote":
                    self._add_children(child, kind, level=0)
                else:
                    self._add_list(child, kind)
            elif child.tag in _FLOATS:
                floats.append(child)
            else:
                parts.append(flatten(child))
            parts.append(child.tail or "")
        self.builder.add(kind, "".join(parts), reason=reason)
        for child in floats:
            self._add_float(child)

    def _add_paragraphs(self, element: Element, reason: str) -> None:
        """Add the paragraphs of what is not the paper's own text, each once."""
        for paragraph in outermost(element, "p"):
            self._add_paragraph(paragraph, "boilerplate", reason)

    def _add_list(self, items: Element, kind: BlockKind) -> None:
        kind = "item" if kind == "paragraph" else kind
        for item in items:
            if item.tag == "def-item":
                self.builder.add(kind, ": ".join(flatten(child).strip() for child in item))
            for child in item:
                if child.tag == "p":
                    self._add_paragraph(child, kind)
                elif child.tag in _LISTS:
                    self._add_list(child, kind)

    def _add_floats(self, group: Element) -> None:
        for child in group:
            if child.tag in _FLOATS:
                self._add_float(child)

    def _add_float(self, element: Element) -> None:
        if element.tag in _GROUPS:
            self._add_floats(element)
        elif element.tag in _ASIDES:
            self._add_paragraphs(element, NOTES)
        else:
            label = flatten(found).strip() if (found := element.find("label")) is not None else ""
            label = f"{label}." if label and label[-1].isalnum() else label
            texts = [flatten(part).strip() for part in element.iterfind("caption/*")]
            self.builder.add("caption", " ".join([label, *texts]) if any(texts) else "")
            for table in outermost(element, "table"):
                add_table(self.builder.add, *table_rows(table, flatten))
            for note in element.iterfind("table-wrap-foot//p"):
                self.builder.add("boilerplate", flatten(note), reason=NOTES)

    def _add_references(self, references: Element, level: int) -> None:
        for child in references:
            if child.tag == "title":
                self.builder.add("heading", flatten(child), level=level)
            elif child.tag == "ref":
                # Its fields often have no space between them.
                fields = " ".join(" ".join(map(str, child.itertext())).split())
                self.builder.add("reference", re.sub(r" ([.,;:)])", r"\1", fields))
            elif child.tag == "ref-list":
                self._add_references(child, level + 1)


def flatten(element: Element) -> str:
    """Return the text of an element without its tail; white space is left to the caller."""
    parts: list[str] = []
    _collect(element, parts)
    return "".join(parts)


def _collect(element: Element, parts: list[str]) -> None:
    tag = element.tag
    if not isinstance(tag, str):  # an entity that was not resolved: "&alpha;"
        parts.append(html5.get((element.text or "")[1:], ""))
    elif tag in _LEFT_OUT:
        parts.append(" ")
    elif tag == "tex-math":
        parts.append(_formula(element.text or ""))
    elif tag == "alternatives":
        # The versions of a formula: the one that reads best as text.
        best = min(element, key=lambda child: _READABLE.get(child.tag, len(_READABLE)), default=None)
        if best is not None:
            _collect(best, parts)
    elif tag == "sup":
        inside: list[str] = []
        _collect_children(element, inside)
        parts.append(_superscript(element, "".join(inside)))
    elif tag in _SPACED:
        parts.append(" ")
        _collect_children(element, parts)
        parts.append(" ")
    else:
        _collect_children(element, parts)


def _collect_children(element: Element, parts: list[str]) -> None:
    parts.append(element.text or "")
    for child in element:
        _collect(child, parts)
        parts.append(child.tail or "")


def _formula(tex: str) -> str:
    """Return TeX without the document that publishers wrap around it."""
    found = _TEX.search(tex)
    return f" {found[1] if found else ''} " if "\\begin{document}" in tex or found else tex


def _superscript(element: Element, text: str) -> str:
    """Put citations in brackets and a caret before powers, so that they do not run into what stands before them."""
    parent, previous = element.getparent(), element.getprevious()
    if text.strip() and _CITED_NUMBERS.issuperset(text):
        linked = element if parent is None or parent.tag != "xref" else parent
        if linked.get("ref-type") == "bibr" or element.find("xref[@ref-type='bibr']") is not None:
            return f"[{text.strip()}]"
    before = (previous.tail if previous is not None else parent.text if parent is not None else "") or ""
    return f"^{text}" if before[-1:].isdigit() and text[-1:].isdigit() else text
