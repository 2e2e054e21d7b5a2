"""Hidden parts of HTML: elements and texts that a browser does not show, by attributes, by styles and by style sheets.

Of style sheets, rules with simple selectors count (names, classes, ids, attributes, and what stands inside such); rules
for states, such as `:hover`, do not. Widths are those of a desktop. What other selectors, or style sheets that are not
in the page, may hide is not decided, but counted.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from memsum.english import word_set
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_NEVER_SHOWN = word_set(
    """
    script style noscript template iframe object embed canvas audio video datalist noframes noembed annotation
    annotation-xml rp
    """
)
_PROPERTIES = word_set(
    """
    display visibility opacity font-size font color text-fill-color background background-color background-image
    position left top right bottom margin margin-left margin-top text-indent transform clip clip-path content-visibility
    filter height width max-height max-width overflow overflow-x overflow-y line-height scale translate zoom inset mask
    mask-image mask-size contain letter-spacing word-spacing white-space mix-blend-mode animation animation-name
    text-security flex flex-grow
    """
)
_SAME = {
    "block-size": "height", "max-block-size": "max-height", "inline-size": "width", "max-inline-size": "max-width",
    "inset-inline-start": "left", "inset-inline-end": "right", "inset-block-start": "top", "inset-block-end": "bottom",
}  # fmt: skip
_DISPLAYS = word_set(
    """
    none block inline inline-block flex inline-flex grid inline-grid table list-item flow-root contents run-in ruby
    inherit initial unset revert
    """
)
_PREFIX = re.compile(r"-(?:webkit|moz|ms|o)-")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]{1,100})\s*(?:,\s*([^()]{0,200}))?\)")
_CALC = re.compile(r"calc\(([^()]{0,100})\)")
_ANY_OF = re.compile(r":(?:is|where)\(([^()]{1,500})\)")
_IMPORT = re.compile(r"@import\s+(?:url\()?\s*[\"']?([^\"'();]{1,2000})", re.IGNORECASE)
_IMPORTS = 20  # style sheets elsewhere that are looked at
_MOST_VARIABLES = 200
_MOST_SELECTORS = 50  # of one rule, when those that stand for several are written out
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_BRACES = re.compile(r"([{}])")
_COMPOUND = re.compile(r"(?:[a-z][\w-]{0,60}|\*)?(?:[.#][\w-]{1,100}|\[[^\[\]]{1,200}\])*", re.IGNORECASE)
_KEY = re.compile(r"[.#]?[\w-]+|\[[^\[\]]*\]|\*")
_ATTRIBUTE = re.compile(r"\[\s*([\w-]+)\s*(?:([~^$*|]?)=\s*[\"']?([^\"'\]]*)[\"']?\s*)?\]")
_STATE = re.compile(r":(?:hover|focus|active|visited|target|checked|disabled|before|after|first-l|:|-|placeholder)|\\")
_PSEUDO = re.compile(r":[a-z-]{1,40}(?:\([^()]{0,200}\))?", re.IGNORECASE)
_SIBLING = re.compile(r"[+~]")
# Names that say that a style sheet hides an element, of which some only do so for a while.
_TELLING = re.compile(r"(?:^|[-_])(?:hidden|hide|invisible|offscreen|unseen|nodisplay|noshow)(?:$|[-_])", re.IGNORECASE)
_DIGITS = r"[-+]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9})(?:e[-+]?\d{1,2})?"
_NUMBER = re.compile(_DIGITS)
_LENGTH = re.compile(rf"({_DIGITS})([a-z%]*)")
_CALL = re.compile(r"([a-z0-9-]{1,30})\(([^()]{0,300})\)")
_FONT_SIZE = re.compile(r"(?:^|\s)([-+]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9})(?:px|pt|r?em|%|vw|vh)?)(?:/|\s)")
_CONDITION = re.compile(r"\((min|max)-width\s*:\s*(\d{1,6})(?:\.\d{1,6})?\s*(px|r?em)?\s*\)")
_DESKTOP = 1280  # pixels
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "vw": 12.8, "vh": 9.0, "%": 12.8, "cm": 37.8}
_FAR = 900.0  # pixels beyond the edge
_FAINT = 0.05  # of opacity
_TINY = 1.0  # pixels
_UNREADABLE = 2.0  # pixels of a font
_BLURRED = 8.0  # pixels
_USUAL = 16.0  # pixels of a font
_SQUEEZED, _SPREAD = -8.0, 60.0  # pixels between letters
_ALIKE = 16  # of 255, in each of red, green and blue
_TOO_MANY, _SAVE = "The HTML has more style rules than can be read.", "Save its text first."
_STEPS = 200  # comparisons with rules for each element and rule; ordinary pages need three


class _Style(NamedTuple):
    """What an element looks like, as far as that may hide it: what it inherits, and what is around it."""

    is_blank: bool = False  # its texts are not seen
    is_unseen: bool = False  # `visibility`, which is inherited
    size: float = _USUAL  # pixels of its font
    color: str = ""  # of its text, black if nothing is said
    ground: str | None = ""  # what is painted behind it: white if nothing is, None where that is not known
    variables: tuple[tuple[str, str], ...] = ()


class _Rule(NamedTuple):
    keys: tuple[str, ...]  # of the element itself
    around: frozenset[str]  # of elements that it is inside
    weight: tuple[int, int]  # specificity, order
    declared: dict[str, str]


def without_hidden(root: Element, sheets: Iterable[str] = ()) -> list[Element]:
    """Remove from a tree what nobody sees, and return the elements of which that is not decided.

    `sheets` are style sheets besides those in the tree.
    """
    from memsum.document.readers.xml import local_name

    css = [*sheets, *("".join(map(str, one.itertext())) for one in root.iter("{*}style"))]
    linked = (one for one in root.iter("{*}link") if "stylesheet" in (one.get("rel") or "").lower())
    elsewhere = [*(one.get("href") or "" for one in linked), *(one for sheet in css for one in imported(sheet))]
    css += [sheet for address in elsewhere[:_IMPORTS] if (sheet := _of_data(address)) is not None]
    rules = _Rules(css, count=sum(1 for _ in root.iter()))
    is_decided = all(address.startswith("data:") for address in elsewhere)
    hidden: list[Element] = []
    unsure: list[Element] = []
    inside: set[Element | None] = set()  # these, and what is in them
    styles = {root: _Style()}
    open_keys: Counter[str] = Counter()
    path: list[tuple[Element, list[str]]] = []
    for element in root.iter():
        name = local_name(element).lower()
        parent = element.getparent()
        while path and path[-1][0] is not parent:
            open_keys.subtract(path.pop()[1])
        around = _Style() if parent is None else styles.get(parent)
        if around is None:
            continue  # inside a hidden element
        if around.is_blank and element is not root:
            element.tail = None
        if not name:
            continue
        keys = _keys(element, name)
        declared, variables = _resolved(rules.of(element, keys, open_keys), around.variables)
        is_page = name in ("html", "body")
        if not is_page and (_is_marked_hidden(element, name) or _removes(declared)):
            hidden.append(element)
            continue
        is_unsure = not is_decided and not is_page and len(keys) > 1
        style = _inherited(around, declared, element, is_unsure=is_unsure)._replace(variables=variables)
        if parent in inside:
            inside.add(element)
        elif (
            not is_page
            and not style.is_blank
            and (
                rules.may_hide(element, keys, open_keys)
                or rules.may_vanish(declared)
                or (is_unsure and any(_TELLING.search(key[1:]) for key in keys[1:]))
                or (style.ground is None and _inherited(around, declared, element, is_unsure=False).is_blank)
            )
        ):
            unsure.append(element)
            inside.add(element)
        if style.is_blank:
            element.text = None
        styles[element] = style
        open_keys.update(keys)
        path.append((element, keys))
    for element in hidden:
        _remove(element)
    return unsure


def _remove(element: Element) -> None:
    """Take an element out of its tree; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    before, tail = element.getprevious(), element.tail
    if tail:
        if before is None:
            parent.text = (parent.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    parent.remove(element)


def _keys(element: Element, name: str) -> list[str]:
    """Return how selectors name an element."""
    keys = [name, *(f".{one}" for one in (element.get("class") or "").split())]
    return [*keys, f"#{own}"] if (own := element.get("id")) else keys


def _is_marked_hidden(element: Element, name: str) -> bool:
    """Tell whether an element is hidden by what it is, whatever its style."""
    if name in _NEVER_SHOWN or element.get("hidden") is not None or element.get("popover") is not None:
        return True
    return name == "dialog" and element.get("open") is None


def hides(tag: str, attributes: dict[str, str | None]) -> bool:
    """Tell whether an element of these attributes, by itself, hides what is inside it."""
    from lxml import etree

    element = etree.Element("x", {name: value or "" for name, value in attributes.items() if _KEY.fullmatch(name)})
    declared = _declarations(element.get("style") or "")
    if _is_marked_hidden(element, tag) or _removes(declared):
        return True
    return _inherited(_Style(), declared, element, is_unsure=False).is_blank


_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]{0,60})([^<>]{0,5000})>")
_TAG_ATTRIBUTE = re.compile(r"([a-zA-Z][\w-]{0,60})(?:\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_EMPTY_TAGS = word_set("area base br col embed hr img input link meta source track wbr")


class Curtain:
    """Follows tags in a text, and knows whether an element is open that hides what follows."""

    def __init__(self) -> None:
        self._name = ""  # of the element that hides
        self._depth = 0  # open elements of that name

    @property
    def is_drawn(self) -> bool:
        return self._depth > 0

    def follow(self, html: str) -> str:
        """Take note of the tags in some HTML, and return what is behind the end of what is hidden since before it."""
        was_drawn, shown = self.is_drawn, 0
        for tag in _TAG.finditer(html):
            name = tag[2].lower()
            if self._depth:
                if name == self._name and not tag[3].endswith("/"):
                    self._depth += -1 if tag[1] else 1
                    if was_drawn and not self._depth:
                        was_drawn, shown = False, tag.end()
            elif not tag[1] and name not in _EMPTY_TAGS and not tag[3].endswith("/"):
                found = {one[1].lower(): one[2] or one[3] or one[4] for one in _TAG_ATTRIBUTE.finditer(tag[3])}
                if hides(name, found):
                    self._name, self._depth = name, 1
        return "" if was_drawn else html[shown:]


def _declarations(text: str) -> dict[str, str]:
    """Return those declarations that may hide something; what is important wins over what follows."""
    found: dict[str, str] = {}
    if ":" not in text:
        return found
    for part in _unescaped(text).lower().split(";"):
        name, _, value = part.partition(":")
        name, value = name.strip(), _CALC.sub(r"\1", " ".join(value.split()))
        if not name.startswith("--"):
            name = _PREFIX.sub("", name, count=1)
            name = _SAME.get(name, name)
        is_known = name in _PROPERTIES or name.startswith("--")
        if name == "display" and "var(" not in value:
            is_known = value.partition("!")[0].partition(" ")[0] in _DISPLAYS
        if is_known and value and ("!" in value or "!" not in found.get(name, "")):
            found[name] = value
    return found


def _resolved(
    declared: dict[str, str], variables: tuple[tuple[str, str], ...]
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Return declarations with the values of their variables, and the variables that what is inside inherits."""
    own = tuple((name, value) for name, value in declared.items() if name.startswith("--"))
    if own:
        variables = (*variables, *own)[-_MOST_VARIABLES:]
    if not own and not any("var(" in value for value in declared.values()):
        return declared, variables
    known = dict(variables)
    found: dict[str, str] = {}
    for name, value in declared.items():
        if name.startswith("--"):
            continue
        if "var(" in value:
            value = _VARIABLE.sub(lambda one: known.get(one[1], one[2] or "").partition("!")[0].strip(), value)
        if value.strip():
            found[name] = value
    return found, variables


def imported(css: str) -> list[str]:
    """List the addresses of the style sheets that another one includes."""
    return [found[1].strip() for found in _IMPORT.finditer(css)] if "@import" in css.lower() else []


def _of_data(address: str) -> str | None:
    """Return the style sheet that is written in its own address, if it is."""
    head, comma, body = address.partition(",")
    if not comma or not head.lower().startswith("data:"):
        return None
    if not head.lower().endswith(";base64"):
        return unquote(body)
    try:
        return base64.b64decode(unquote(body)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _unescaped(css: str) -> str:
    """Return CSS without comments, its escaped characters as they are."""
    if "/*" in css:
        parts: list[str] = []
        at = 0
        while (start := css.find("/*", at)) >= 0:
            parts.append(css[at:start])
            end = css.find("*/", start + 2)
            at = len(css) if end < 0 else end + 2
        css = " ".join((*parts, css[at:]))
    return _ESCAPE.sub(_character, css) if "\\" in css else css


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else 0
    return found[2] or (chr(code) if 0 < code < 0x110000 else "\ufffd")


class _Rules:
    """The rules of style sheets, by a name of the elements they are for."""

    def __init__(self, sheets: list[str], count: int) -> None:
        self._by_key: dict[str, list[_Rule]] = {}
        self._known: dict[str, dict[str, str]] = {}
        self._possible: dict[str, list[_Rule]] = {}  # rules of which it is not known for what they are
        self._vanishing: set[str] = set()  # names of animations at whose end nothing is seen
        merged: dict[tuple[tuple[str, ...], frozenset[str]], tuple[tuple[int, int], dict[str, str]]] = {}
        possible: set[tuple[tuple[str, ...], frozenset[str]]] = set()
        for order, (selector, declared) in enumerate(one for sheet in sheets for one in _rules(sheet)):
            if selector.startswith("@"):
                if _may_remove(declared):
                    self._vanishing.add(selector[1:])
                continue
            parts = _selector(selector)
            if parts is None:
                if _may_remove(declared) and (parts := _wider_selector(selector)) is not None:
                    possible.add(parts)
                continue
            keys, around = parts
            weight = sum(100 if key[0] == "#" else 10 if key[0] in ".[" else key != "*" for key in (*keys, *around))
            _, before = merged.get((keys, around), ((0, 0), {}))
            merged[keys, around] = (weight, order), _merged(before, declared)
        for (keys, around), (weighed, declared) in merged.items():
            # Under the name that has the fewest so far: many rules for one name would each be compared with each.
            named = [key for key in keys if key[0] != "["] or ["*"]
            key = min(named, key=lambda one: (len(self._by_key.get(one, ())), one[0] not in "#."))
            self._by_key.setdefault(key, []).append(_Rule(keys, around, weighed, declared))
        for keys, around in possible:
            key = next((one for one in keys if one[0] in "#."), keys[0])
            self._possible.setdefault(key, []).append(_Rule(keys, around, (0, 0), {}))
        self._steps = _STEPS * (count + len(merged) + len(possible)) + 10_000

    def of(self, element: Element, keys: list[str], around: Counter[str]) -> dict[str, str]:
        """Return what is declared for an element, by the rules and by itself."""
        own = element.get("style")
        found: list[_Rule] = []
        for key in (*keys, "*") if self._by_key else ():
            candidates = self._by_key.get(key, ())
            self._steps -= len(candidates)
            found += [rule for rule in candidates if _matches(rule, element, keys, around)]
        if self._steps < 0:
            raise DocumentError(_TOO_MANY, _SAVE)
        declared: dict[str, str] = {}
        for rule in sorted(found, key=lambda rule: rule.weight):
            declared = _merged(declared, rule.declared)
        if own is None:
            return declared
        if own not in self._known:
            self._known[own] = _declarations(own)
        return _merged(declared, self._known[own])

    def may_hide(self, element: Element, keys: list[str], around: Counter[str]) -> bool:
        """Tell whether an element may be hidden by a rule that is not understood."""
        for key in keys if self._possible else ():
            candidates = self._possible.get(key, ())
            self._steps -= len(candidates)
            if self._steps < 0:
                raise DocumentError(_TOO_MANY, _SAVE)
            if any(_matches(rule, element, keys, around) for rule in candidates):
                return True
        return False

    def may_vanish(self, declared: dict[str, str]) -> bool:
        """Tell whether declarations may make text unseen in ways that depend on more than they say."""
        animated = f"{declared.get('animation', '')} {declared.get('animation-name', '')}".split()
        if not self._vanishing.isdisjoint(animated):
            return True
        blend, mask = declared.get("mix-blend-mode", "normal"), declared.get("mask-image") or declared.get("mask", "")
        return blend not in ("normal", "inherit") or "url(" in mask or "text-security" in declared


def _may_remove(declared: dict[str, str]) -> bool:
    return _removes(declared) or declared.get("visibility", "").startswith(("hidden", "collapse"))


def _merged(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in before.items() if "!" in value and "!" not in after.get(name, "")}
    return {**before, **after, **kept} if before else after


def _rules(css: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the selectors of a style sheet, each with what is declared for it; of animations, how they end."""
    open_blocks: list[list[str] | None] = []  # what the open blocks select, each inside those around it; None: nothing
    prelude = ""
    for piece in _BRACES.split(_unescaped(css)):
        around = open_blocks[-1] if open_blocks else [""]
        if piece == "{":
            before, _, head = prelude.rpartition(";")
            yield from _declared(around, before)
            open_blocks.append(_opened(around, head.strip().replace("<!--", "").replace("-->", "").strip()))
            prelude = ""
        elif piece == "}":
            yield from _declared(around, prelude)
            prelude = ""
            if open_blocks:
                open_blocks.pop()
        else:
            prelude = piece


def _declared(selectors: list[str] | None, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    if selectors and any(selectors) and (declared := _declarations(text)):
        yield from ((one, declared) for one in selectors if one)


def _opened(around: list[str] | None, head: str) -> list[str] | None:
    """Return what a block selects that begins inside another."""
    lower = head.lower()
    if around is None:
        return None
    if lower.startswith(("@keyframes", "@-webkit-keyframes")):
        return [f"@{head.split()[-1].lower()}"]
    if around[0].startswith("@"):  # a frame of an animation
        return around if {"to", "100%"} & set(lower.replace(",", " ").split()) else None
    if lower.startswith("@scope"):
        return _inside(around, [head.partition("(")[2].partition(")")[0]])
    if head.startswith("@"):
        is_group = lower.startswith(("@media", "@supports", "@layer", "@container"))
        return around if is_group and _is_on(lower) else None
    return _inside(around, [one for part in _listed(head) for one in _written_out(part)])


def _inside(around: list[str], selectors: list[str]) -> list[str] | None:
    if len(around) * len(selectors) > max(_MOST_SELECTORS, len(selectors)):
        return None
    nested = [one if "&" in one else f"& {one}" for one in selectors]
    return [one.replace("&", outer).strip() for outer in around for one in nested]


def _listed(selectors: str) -> list[str]:
    """Split a list of selectors at the commas that are not inside brackets."""
    if "(" not in selectors:
        return selectors.split(",")
    parts = [""]
    depth = 0
    for piece in re.split(r"([(),])", selectors):
        depth += (piece == "(") - (piece == ")")
        if piece == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _written_out(selector: str) -> list[str]:
    """Return a selector for each that `:is` and `:where` stand for, if they are few."""
    selector = selector.replace(":root", "html")
    found = _ANY_OF.search(selector)
    if found is None:
        return [selector]
    several = [f"{selector[: found.start()]}{one.strip()}{selector[found.end() :]}" for one in found[1].split(",")]
    if len(several) > _MOST_SELECTORS or any(_ANY_OF.search(one) for one in several):
        return [selector]
    return several


def _is_on(head: str) -> bool:
    """Tell whether a condition holds on the screen of a desktop."""
    if not head.startswith("@media"):
        return True
    return any(map(_holds, head.removeprefix("@media").split(",")))


def _holds(query: str) -> bool:
    if re.search(r"\b(?:print|speech|embossed)\b", query):
        return "not" in query.split()
    if "color-scheme" in query and "dark" in query:
        return False
    for bound, number, unit in _CONDITION.findall(query):
        width = int(number) * _PIXELS[unit]
        if width > _DESKTOP if bound == "min" else width < _DESKTOP:
            return False
    return True


def _selector(text: str) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """Return the names of an element and of those around it, None where a selector is not simple."""
    compounds = text.replace(">", " ").split()
    if not compounds or not all(_COMPOUND.fullmatch(one) for one in compounds):
        return None
    names = [_KEY.findall(one) for one in compounds]
    own = tuple(key if key[0] in ".#[" else key.lower() for key in dict.fromkeys(names[-1]))
    around = [key if key[0] in ".#[" else key.lower() for keys in names[:-1] for key in keys if key != "*"]
    if any(key[0] == "[" for key in around):
        return None
    return own, frozenset(around)


def _wider_selector(text: str) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """Return a simple selector for all that another one may select; None for states and for all elements."""
    if _STATE.search(text):
        return None
    text = _PSEUDO.sub("", _PSEUDO.sub("", text))  # one may be inside another
    parts = _selector(_SIBLING.split(text)[-1])
    return parts if parts is not None and parts[0][:1] not in ((), ("*",)) and parts[0][0][0] != "[" else None


def _matches(rule: _Rule, element: Element, keys: list[str], around: Counter[str]) -> bool:
    for key in rule.keys:
        if key[0] == "[":
            if not _has_attribute(element, key):
                return False
        elif key != "*" and key not in keys:
            return False
    return all(around[key] > 0 for key in rule.around)


def _has_attribute(element: Element, key: str) -> bool:
    found = _ATTRIBUTE.fullmatch(key)
    value = element.get(found[1]) if found else None
    if found is None or value is None:
        return False
    if found[3] is None:
        return True
    wanted = found[3].strip()
    tests = {
        "": value == wanted,
        "~": wanted in value.split(),
        "^": value.startswith(wanted),
        "$": value.endswith(wanted),
        "*": wanted in value,
        "|": value.partition("-")[0] == wanted,
    }
    return tests[found[2]]


def _removes(declared: dict[str, str]) -> bool:
    """Tell whether an element is not shown, with all that is inside it."""
    if not declared:
        return False
    value = {name: text.partition("!")[0].strip() for name, text in declared.items()}
    if value.get("display") == "none" or value.get("content-visibility") == "hidden":
        return True
    if any(_is_at_most(value.get(name), _FAINT) for name in ("opacity", "scale", "zoom")):
        return True
    spacing = _length(value.get("letter-spacing", ""))
    if spacing is not None and not _SQUEEZED < spacing < _SPREAD:
        return True
    if any(_is_clear_mask(value.get(name, "")) for name in ("mask", "mask-image")) or _is_at_most(
        value.get("mask-size"), 0
    ):
        return True
    transform = value.get("transform", "")
    if _is_filtered(value.get("filter", "")) or _is_flat(transform):
        return True
    return _is_cut_off(value) or _is_far(value, transform)


def _is_filtered(text: str) -> bool:
    """Tell whether filters make an element clear, white or unreadable."""
    filters = dict(_CALL.findall(text))
    if _is_at_most(filters.get("opacity"), _FAINT) or (_length(filters.get("blur", "")) or 0) >= _BLURRED:
        return True
    return _is_at_most(filters.get("brightness"), 0) and not _is_at_most(filters.get("invert", "0"), 0.9)


def _is_flat(transform: str) -> bool:
    """Tell whether an element is scaled to nothing, or turned so that one sees its edge."""
    for name, text in _CALL.findall(transform):
        numbers = [float(one) for one in _NUMBER.findall(text)]
        if name.startswith("scale") and numbers and min(map(abs, numbers[:2])) <= _FAINT:
            return True
        if name == "matrix" and len(numbers) == 6:
            if abs(numbers[0] * numbers[3] - numbers[1] * numbers[2]) <= _FAINT**2:
                return True
        elif name in ("rotatex", "rotatey") and numbers and text.strip().endswith("deg") and numbers[0] % 180 == 90:
            return True
    return False


def _is_clear_mask(mask: str) -> bool:
    """Tell whether a mask is a gradient of nothing but transparency."""
    if "gradient(" not in mask:
        return False
    rest = re.sub(r"transparent|#0{4}(?:0{4})?\b|rgba\(0,\s*0,\s*0,\s*0\)|to \w{1,9}|-?\d+(?:deg|%)|[\s,()]", "", mask)
    return re.fullmatch(r"(?:(?:repeating-)?(?:linear|radial|conic)-gradient)+", rest) is not None


def _is_cut_off(value: dict[str, str]) -> bool:
    """Tell whether an element is cut to nothing."""
    clip, shape = value.get("clip", ""), value.get("clip-path", "")
    if clip.startswith("rect") and max(map(abs, _lengths(clip[5:])), default=_FAR) <= _TINY:
        return True
    if shape and _is_empty_shape(shape):
        return True
    overflows = [value.get(name, "") for name in ("overflow", "overflow-x", "overflow-y")]
    is_cut = any(one.startswith(("hidden", "clip")) for one in overflows)
    is_cut = is_cut or value.get("contain", "").startswith(("paint", "strict", "content"))
    spaces = [_length(value.get(name, "")) or 0 for name in ("text-indent", "word-spacing")]
    is_pushed_out = value.get("white-space") == "nowrap" and max(spaces) >= _FAR
    if is_cut and (is_pushed_out or _is_at_most(value.get("line-height"), 0)):
        return True
    grows = any(value.get(name, "0") not in ("0", "none") for name in ("flex", "flex-grow"))  # to the room there is
    names = ["max-height", "max-width", *(() if grows else ("height", "width"))] if is_cut else []
    names += ["max-height", "max-width"] if any(one.startswith(("auto", "scroll")) for one in overflows) else []
    sizes = [_length(value[name]) for name in names if name in value]
    return any(size is not None and abs(size) <= _TINY for size in sizes)


def _is_empty_shape(shape: str) -> bool:
    """Tell whether a clip path encloses nothing."""
    name, _, text = shape.partition("(")
    numbers = [float(number) for number, _ in _LENGTH.findall(text[:300].partition(" round")[0])]
    if name in ("circle", "ellipse"):
        return bool(numbers) and numbers[0] <= 0
    if name == "inset" and "%" in text and numbers:
        top, right, bottom, left = (
            (*numbers, *numbers, *numbers, *numbers)[:4]
            if len(numbers) != 3
            else (
                *numbers,
                numbers[1],
            )
        )
        return top + bottom >= 100 or left + right >= 100
    if name in ("polygon", "path"):
        return not numbers or any(max(part) - min(part) <= 0 for part in (numbers[::2], numbers[1::2]) if part)
    return False


def _is_far(value: dict[str, str], transform: str) -> bool:
    """Tell whether an element is moved out of the page."""
    moved = [value.get(name, "") for name in ("margin-left", "margin-top", "margin", "text-indent", "translate")]
    if value.get("position", "") in ("absolute", "fixed", "relative", "sticky"):
        moved += [value.get(name, "") for name in ("left", "top")]
        moved += [f"-{value[name].lstrip('+')}" for name in ("right", "bottom") if name in value]
        inset = value.get("inset", "").split()
        moved += [inset[0], inset[3] if len(inset) == 4 else ""] if inset else []
        if any((_length(value.get(name, "")) or 0) >= 4 * _FAR for name in ("left",)):
            return True
        if any((_length(value.get(name, "")) or 0) <= -_FAR for name in ("right", "bottom")):
            return True
    moved += [text for name, text in _CALL.findall(transform) if name.startswith("translate")]
    return any(length <= -_FAR for one in moved for length in _lengths(one))


def _lengths(text: str) -> list[float]:
    """Return the lengths in a value, in pixels."""
    if text[:1] not in "-+.0123456789" and not text.startswith("calc"):
        return []
    return [float(number) * _PIXELS.get(unit, 1.0) for number, unit in _LENGTH.findall(text[:200])]


def _length(text: str) -> float | None:
    found = _LENGTH.fullmatch(text.strip())
    return float(found[1]) * _PIXELS.get(found[2], 1.0) if found else None


def _is_at_most(text: str | None, most: float) -> bool:
    found = _NUMBER.match(text or "")
    return found is not None and float(found[0]) / (100 if (text or "").rstrip().endswith("%") else 1) <= most


def _inherited(around: _Style, declared: dict[str, str], element: Element, *, is_unsure: bool) -> _Style:
    """Return the style of an element inside another."""
    color = declared.get("text-fill-color") or declared.get("color") or (element.get("color") or "").lower()
    painted = (element.get("bgcolor") or "").lower() or ("url(" if element.get("background") else "")
    if not (declared or color or painted or is_unsure):
        return around
    value = {name: text.partition("!")[0].strip() for name, text in declared.items()}
    ground = None if is_unsure else _ground(around.ground, value, painted)
    is_unseen = around.is_unseen
    if "visibility" in value:
        is_unseen = value["visibility"] in ("hidden", "collapse")
    size = value.get("font-size", "")
    if not size and (found := _FONT_SIZE.search(value.get("font", ""))):
        size = found[1]
    pixels = _font_pixels(size, around.size)
    color = color.partition("!")[0].strip()
    color = around.color if color in ("", "inherit", "currentcolor") else color
    is_clear = _is_transparent(color) or (ground is not None and _is_alike(color or "black", ground or "white"))
    is_blank = is_unseen or pixels <= _UNREADABLE or is_clear
    return _Style(is_blank, is_unseen, pixels, color, ground, around.variables)


def _font_pixels(size: str, around: float) -> float:
    """Return the size of a font inside text of another size, in pixels."""
    found = _LENGTH.fullmatch(size)
    if found is None:
        return around if size in ("", "inherit", "smaller", "larger") else _USUAL
    number, unit = float(found[1]), found[2]
    if unit in ("em", "%"):
        return number * around / (100 if unit == "%" else 1)
    return number * _PIXELS.get(unit, 1.0)


def _ground(around: str | None, value: dict[str, str], painted: str) -> str | None:
    """Return the colour behind the text of an element; None for pictures and what is not understood."""
    for text in (painted, *(value.get(name, "") for name in ("background", "background-image", "background-color"))):
        if "url(" in text or "gradient" in text or "image" in text:
            return None
        if text and text not in ("none", "transparent", "inherit", "initial", "unset") and not _is_transparent(text):
            colors = [text] if _rgb(text) is not None else [one for one in text.split() if _rgb(one) is not None]
            around = colors[0] if colors else text if " " not in text else None
    return around


def _is_transparent(color: str) -> bool:
    color = color.partition("!")[0].strip()
    if color == "transparent" or re.fullmatch(r"#(?:[0-9a-f]{3}0|[0-9a-f]{6}0[0-9a-f])", color):
        return True
    if not color.startswith(("rgba(", "hsla(", "rgb(", "hsl(")):
        return False
    parts = re.split(r"[\s,/]+", color.partition("(")[2].rstrip(") "))
    return len(parts) == 4 and _is_at_most(parts[3], _FAINT)


def _is_alike(color: str, ground: str) -> bool:
    """Tell whether nobody could read text of one colour on another."""
    if color == ground:
        return True
    first, second = _rgb(color), _rgb(ground)
    if first is None or second is None:
        return False
    return all(abs(one - other) <= _ALIKE for one, other in zip(first, second, strict=True))


_NAMED_COLORS = {
    "white": "fff", "snow": "fffafa", "ivory": "fffff0", "ghostwhite": "f8f8ff", "floralwhite": "fffaf0",
    "whitesmoke": "f5f5f5", "mintcream": "f5fffa", "azure": "f0ffff", "canvas": "fff", "black": "000", "red": "f00",
    "canvastext": "000", "green": "008000", "blue": "00f", "navy": "000080", "gray": "808080", "grey": "808080",
    "yellow": "ff0", "silver": "c0c0c0", "maroon": "800000", "lightgray": "d3d3d3", "lightgrey": "d3d3d3",
    "darkgray": "a9a9a9", "darkgrey": "a9a9a9", "lightyellow": "ffffe0", "beige": "f5f5dc", "aliceblue": "f0f8ff",
    "lime": "0f0", "teal": "008080", "purple": "800080", "orange": "ffa500", "darkblue": "00008b",
}  # fmt: skip
_HEX = re.compile(r"#?([0-9a-f]{8}|[0-9a-f]{6})|#([0-9a-f]{3,4})")


def _rgb(color: str) -> tuple[float, float, float] | None:
    """Return red, green and blue, from 0 to 255; None for a colour that is not understood."""
    color = _NAMED_COLORS.get(color, color)
    if color in _NAMED_COLORS.values():
        color = f"#{color}"
    if found := _HEX.fullmatch(color):
        digits = found[1] or "".join(2 * digit for digit in found[2])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    name, bracket, text = color.partition("(")
    if not bracket:
        return None
    parts = re.split(r"[\s,/]+", text[:100].strip(") "))
    space = parts.pop(0) if name == "color" else ""
    shares = [float(found[0]) / (100 if one.endswith("%") else 1) for one in parts if (found := _NUMBER.match(one))]
    if len(shares) < 3:
        return None
    light = 255.0 * min(shares[0], 1.0)
    match name:
        case "rgb" | "rgba":
            whole = [255 * share if one.endswith("%") else share for share, one in zip(shares, parts, strict=False)]
            return whole[0], whole[1], whole[2]
        case "hsl" | "hsla" if shares[1] < 0.05 or not 0.02 < shares[2] < 0.97:
            return (255 * shares[2],) * 3
        case "hwb" if shares[1] + shares[2] >= 1:
            return (255 * shares[1],) * 3
        case "lab" | "lch" if abs(shares[1]) < 2:
            gray = 255 * (shares[0] if parts[0].endswith("%") else shares[0] / 100)
            return gray, gray, gray
        case "oklab" | "oklch" if abs(shares[1]) < 0.02:
            return light, light, light
        case "color" if space in ("srgb", "display-p3", "srgb-linear"):
            return 255 * shares[0], 255 * shares[1], 255 * shares[2]
    return None
