"""Visibility: the short list of what is certainly not seen, for all readers; SECURITY.md says the same in prose.

Losing visible text is worse than reading hidden text. So only what is certain and cheap to tell is left out, and what
that costs in sentences of prose is counted: a document says how many, and where they are much of it, they are read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memsum.document.document import Document
from memsum.document.sentences import each_sentence
from memsum.languages import word_set

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_MUCH = 0.2  # of a document's prose; the share above which losing it would be worse than reading it
_FEWEST_WORDS = 5  # of a sentence of prose: labels and buttons have fewer
_FEWEST_LETTERS = 12  # of one in a script without spaces
_ENDED = re.compile(r"[.!?…。！？][\"”’»)\]\s]*$")


class Hidden:
    """Texts that a document hides: left out and counted; `is_read` where they are to be read all the same."""

    def __init__(self, *, is_read: bool = False) -> None:
        self.is_read = is_read
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Note a text that nobody sees."""
        if text and not text.isspace():
            self._texts.append(text)

    def sentences(self, language: str | None) -> list[str]:
        """Return the sentences of prose among the texts."""
        texts = (" ".join(text.split()) for text in self._texts)
        found = (text[start:end] for text in texts for start, end in each_sentence(text, language))
        return [
            one
            for one in found
            if _ENDED.search(one)
            and (len(one.split()) >= _FEWEST_WORDS or (not one.isascii() and len(one) >= _FEWEST_LETTERS))
        ]

    def is_much(self, document: Document) -> bool:
        """Tell whether more than a fifth of the prose, or all text, would be lost."""
        if not self._texts:
            return False
        lost = sum(map(len, self.sentences(document.language)))
        kept = sum(len(one.text) for one in (*document.sentences, *document.abstract))
        return lost > _MUCH * (lost + kept) or not document.text.strip()

    def warnings(self, language: str | None) -> tuple[str, ...]:
        """Say how many sentences of prose are hidden, and whether they were read."""
        count = len(self.sentences(language))
        if not count:
            return ()
        says = "One sentence that is" if count == 1 else f"{count:,} sentences that are"
        was, much = ("was", "it is") if count == 1 else ("were", "they are")
        if self.is_read:
            return (f"{says} hidden from people {was} read, because {much} much of the text.",)
        return (f"{says} hidden from people {was} left out.",)


# Elements whose content a browser never shows as text of the page.
NEVER_SHOWN = word_set(
    """
    script style noscript template iframe object embed canvas audio video datalist noframes noembed head title rp
    """
)
_PROPERTIES = word_set("display visibility opacity font-size")
_MOVING = ("animation", "animation-name", "transition", "transition-property")  # what is hidden may be shown by these
_NOTHING = re.compile(r"[-+]?(?:0+(?:\.0*)?|\.0+)(?:[a-z]{1,4}|%)?")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACES = re.compile(r"([{};])")
_PLAIN = re.compile(r"[.#]?-?[a-zA-Z_][\w-]*")
_NAME = re.compile(r"[.#]?-?[a-zA-Z_][\w-]*|\*")
_PSEUDO = re.compile(r":+[a-zA-Z-]+")
_COMBINED = re.compile(r"[\s>+~]+")
_IMPORT = re.compile(r"@import\s+(?:url\()?\s*[\"']?([^\"'();]{1,2000})", re.IGNORECASE)
_INLINE = 1000  # weight of a style in an element
_ASIDE = word_set("nav aside footer dialog form menu")
_SCREEN = ("", "all", "screen")


class _Value(NamedTuple):
    """What is declared of a property: the greatest counts."""

    is_important: bool
    weight: int  # of the selector
    order: int
    hides: bool


def imported(css: str) -> list[str]:
    """List the addresses of the style sheets that another one includes."""
    return [found[1].strip() for found in _IMPORT.finditer(css)] if "@import" in css.lower() else []


def hide(root: Element, hidden: Hidden, sheets: Iterable[str] = ()) -> None:
    """Empty the elements of a page that are certainly not seen; `sheets` are style sheets besides those in it."""
    from lxml import etree

    from memsum.document.readers.xml import empty, local_name

    rules = _Rules(sheets, root)
    inherited: list[frozenset[str]] = [frozenset()]  # properties that hide what is in the open elements
    asides = 0  # open elements around an article: what they hide is none of its prose
    emptied: list[Element] = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name = local_name(element).lower()
        if event == "end":
            inherited.pop()
            asides -= name in _ASIDE
            if inherited[-1]:  # else the text behind an element is that of a visible one
                _note(hidden, asides, element.tail)
                element.tail = element.tail if hidden.is_read else None
            continue
        asides += name in _ASIDE
        found = {} if name in NEVER_SHOWN or name in ("", "html", "body") else rules.of(element, name)
        own = frozenset(one for one in ("visibility", "font-size") if found.get(one, one in inherited[-1]))
        inherited.append(own)
        if found.get("display") or found.get("opacity"):
            _note(hidden, asides, " ".join(map(str, element.itertext())))
            emptied.append(element)
            walk.skip_subtree()
        elif own:
            _note(hidden, asides, element.text)
            element.text = element.text if hidden.is_read else None
    for element in () if hidden.is_read else emptied:
        empty(element)


def _note(hidden: Hidden, asides: int, text: str | None) -> None:
    if not asides:
        hidden.add(text or "")


_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,60})(?P<rest>[^<>]{0,5000})>", re.DOTALL
)
_ATTRIBUTE = re.compile(r"([a-zA-Z][\w-]{0,60})(?:\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_NESTING = word_set(
    "div section article aside main header footer details figure span b i em strong small font template"
)


def hidden_ranges(pieces: Iterable[tuple[int, str]]) -> list[tuple[int, int]]:
    """List between which pieces of HTML, by their numbers, text is hidden: by an element that begins and ends in them.

    What has no end hides nothing; elements that browsers close by themselves are not followed.
    """
    open_tags: list[tuple[str, int, bool]] = []  # name, number of the piece, and whether it hides what is in it
    counts: Counter[str] = Counter()
    found: list[tuple[int, int]] = []
    for number, html in pieces:
        for tag in _TAG.finditer(html):
            name = (tag["name"] or "").lower()
            if name not in _NESTING:
                continue
            if not tag["end"]:
                attributes = {at[1].lower(): at[2] or at[3] or at[4] or "" for at in _ATTRIBUTE.finditer(tag["rest"])}
                values = _own_values(name, attributes)
                is_hiding = values.keys().isdisjoint(_MOVING) and any(value.hides for value in values.values())
                open_tags.append((name, number, is_hiding or name == "template"))
                counts[name] += 1
            elif counts[name]:
                while True:
                    opened, begin, is_hiding = open_tags.pop()
                    counts[opened] -= 1
                    if opened == name:
                        break
                if is_hiding and begin < number:
                    while found and found[-1][0] >= begin:  # inside this one
                        found.pop()
                    found.append((begin, number))
    return found


def _own_values(tag: str, attributes: Mapping[str, str]) -> dict[str, _Value]:
    """Return what an element itself says of the properties."""
    values: dict[str, _Value] = {}
    if "hidden" in attributes or (tag == "dialog" and "open" not in attributes):
        values["display"] = _Value(is_important=False, weight=0, order=0, hides=True)
    for one, (is_hiding, is_important) in _declared(attributes.get("style", "")).items():
        values[one] = _Value(is_important, _INLINE, 0, is_hiding)
    return values


class _Rules:
    """The rules of style sheets, by the name of what they are for: a tag, a class, an id, or all elements."""

    def __init__(self, sheets: Iterable[str], root: Element) -> None:
        self._plain: dict[str, dict[str, _Value]] = {}
        self._shown: dict[str, set[str]] = {}  # properties that other rules, on some condition, set so that it is seen
        self._order = 0
        for sheet in sheets:
            self._add(sheet, is_certain=True)
        for style in root.iter("{*}style"):
            is_certain = (style.get("media") or "").strip().lower() in _SCREEN
            is_certain = is_certain and next(style.iterancestors("{*}noscript", "{*}template"), None) is None
            self._add("".join(map(str, style.itertext())), is_certain=is_certain)

    def _add(self, css: str, *, is_certain: bool) -> None:
        for selectors, text, is_inside in _blocks(css):
            declared = _declared(text)
            if not declared:
                continue
            self._order += 1
            for selector in selectors.split(","):
                selector = selector.strip()
                if is_certain and not is_inside and _PLAIN.fullmatch(selector):
                    key = _key(selector)
                    weight, known = {"#": 100, ".": 10}.get(key[0], 1), self._plain.setdefault(key, {})
                    for name, (is_hiding, is_important) in declared.items():
                        value = _Value(is_important, weight, self._order, is_hiding)
                        known[name] = max(known.get(name, value), value)
                else:
                    shown = {name for name, (is_hiding, _) in declared.items() if not is_hiding}
                    last = _PSEUDO.sub("", _COMBINED.split(selector.replace(":root", "html"))[-1])
                    for name in _NAME.findall(last) or ["*"] if shown else ():
                        self._shown.setdefault(_key(name), set()).update(shown)

    def of(self, element: Element, name: str) -> dict[str, bool]:
        """Return of the properties that are set for an element whether they certainly hide it."""
        values = _own_values(
            name, {one: element.get(one, "") for one in ("hidden", "open", "style") if one in element.attrib}
        )
        if not values and not self._plain:
            return {}
        shown: set[str] = set()
        for key in (name, *(f".{one}" for one in element.get("class", "").split()), f"#{element.get('id', '')}", "*"):
            shown.update(self._shown.get(key, ()))
            for one, value in self._plain.get(key, {}).items():
                values[one] = max(values.get(one, value), value)
        if not shown.isdisjoint(_MOVING) or not values.keys().isdisjoint(_MOVING):
            shown |= _PROPERTIES
        return {one: value.hides and one not in shown for one, value in values.items()}


def _key(name: str) -> str:
    return name if name[0] in ".#" else name.lower()


def _blocks(css: str) -> Iterator[tuple[str, str, bool]]:
    """Yield selectors, what is declared for them, and whether they are inside another block; no steps of animations."""
    open_blocks: list[str] = []
    declared: list[list[str]] = []
    part = ""
    moving = 0  # open blocks of animations
    for piece in _BRACES.split(_COMMENT.sub(" ", css)):
        if piece == "{":
            open_blocks.append(part.strip().removeprefix("<!--").strip())
            declared.append([])
            moving += "keyframes" in open_blocks[-1][:30]
        elif piece == "}" or piece == ";":
            if declared:
                declared[-1].append(part)
            if piece == "}" and open_blocks:
                selectors, texts = open_blocks.pop(), declared.pop()
                if not moving and not selectors.startswith("@"):
                    yield selectors, ";".join(texts), bool(open_blocks)
                moving -= "keyframes" in selectors[:30]
        else:
            part = piece
            continue
        part = ""


def _declared(text: str) -> dict[str, tuple[bool, bool]]:
    """Return of the properties that a style sets whether they hide, and whether that is important."""
    found: dict[str, tuple[bool, bool]] = {}
    for part in text.lower().split(";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        if not colon or not (name in _PROPERTIES or name in _MOVING):
            continue
        value, mark, _ = value.partition("!")
        value = value.strip()
        if name == "display":
            is_hiding = value == "none"
        elif name == "visibility":
            is_hiding = value in ("hidden", "collapse")
        else:
            is_hiding = name in _PROPERTIES and _NOTHING.fullmatch(value) is not None
        if mark or not found.get(name, (False, False))[1]:
            found[name] = is_hiding, bool(mark)
    return found
