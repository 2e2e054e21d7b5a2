"""Hidden parts of HTML: elements and texts that a browser does not show, by attributes, by styles and by style sheets.

Of style sheets, rules with simple selectors count (names, classes, ids, attributes, and what stands inside such); rules
for states, such as `:hover`, do not. Widths are those of a desktop. What other selectors, or style sheets that are not
in the page, may hide is not decided, but counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memsum.english import word_set
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_NEVER_SHOWN = word_set(
    """
    script style noscript template iframe object embed canvas audio video datalist noframes noembed annotation
    annotation-xml
    """
)
_PROPERTIES = word_set(
    """
    display visibility opacity font-size font color -webkit-text-fill-color background background-color background-image
    position left top right bottom margin margin-left margin-top text-indent transform clip clip-path content-visibility
    filter height width max-height max-width overflow overflow-x overflow-y line-height scale mask-image
    """
)
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
_NUMBER = re.compile(r"[-+]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9})")
_LENGTH = re.compile(r"([-+]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))([a-z%]*)")
_FONT_SIZE = re.compile(r"(?:^|\s)([-+]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9})(?:px|pt|r?em|%|vw|vh)?)(?:/|\s)")
_CONDITION = re.compile(r"\((min|max)-width\s*:\s*(\d{1,6})(?:\.\d{1,6})?\s*(px|r?em)?\s*\)")
_DESKTOP = 1280  # pixels
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "vw": 12.8, "vh": 8.0, "%": 12.8, "cm": 37.8}
_FAR = 900.0  # pixels beyond the edge
_FAINT = 0.05  # of opacity
_TINY = 1.0  # pixels
_WHITE = 245  # of 255, of the darkest of red, green and blue
_TOO_MANY, _SAVE = "The HTML has more style rules than can be read.", "Save its text first."
_STEPS = 200  # comparisons with rules for each element and rule; ordinary pages need three


class _Style(NamedTuple):
    """What an element looks like, as far as that may hide it: what it inherits, and what is around it."""

    is_blank: bool = False  # its texts are not seen
    is_unseen: bool = False  # `visibility`, which is inherited
    is_tiny: bool = False
    is_clear: bool = False  # transparent, or as white as the page
    has_ground: bool = False  # something is painted behind it, or may be


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
    links = (one for one in root.iter("{*}link") if "stylesheet" in (one.get("rel") or "").lower())
    rules = _Rules(css, count=sum(1 for _ in root.iter()))
    is_decided = next(links, None) is None
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
        declared = rules.of(element, keys, open_keys)
        is_page = name in ("html", "body")
        if not is_page and (_is_marked_hidden(element, name) or _removes(declared)):
            hidden.append(element)
            continue
        is_unsure = not is_decided and not is_page and len(keys) > 1
        style = _inherited(around, declared, element, is_unsure=is_unsure)
        if parent in inside:
            inside.add(element)
        elif (
            not is_page
            and not style.is_blank
            and (
                rules.may_hide(element, keys, open_keys)
                or (is_unsure and any(_TELLING.search(key[1:]) for key in keys[1:]))
                or (style.has_ground and _inherited(around, declared, element, is_unsure=False).is_blank)
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
    if name in _NEVER_SHOWN or element.get("hidden") is not None:
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
        name, value = name.strip(), " ".join(value.split())
        if name in _PROPERTIES and value and ("!" in value or "!" not in found.get(name, "")):
            found[name] = value
    return found


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
        merged: dict[tuple[tuple[str, ...], frozenset[str]], tuple[tuple[int, int], dict[str, str]]] = {}
        possible: set[tuple[tuple[str, ...], frozenset[str]]] = set()
        for order, (selector, declared) in enumerate(one for sheet in sheets for one in _rules(sheet)):
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


def _may_remove(declared: dict[str, str]) -> bool:
    return _removes(declared) or declared.get("visibility", "").startswith(("hidden", "collapse"))


def _merged(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in before.items() if "!" in value and "!" not in after.get(name, "")}
    return {**before, **after, **kept} if before else after


def _rules(css: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the selectors of a style sheet, each with what is declared for it."""
    applies: list[bool] = []  # of the open blocks, each with those around it
    selectors = prelude = ""
    for piece in _BRACES.split(_unescaped(css)):
        if piece == "{":
            head = prelude.rpartition(";")[2].strip().replace("<!--", "").replace("-->", "")
            is_group = head.lower().startswith(("@media", "@supports", "@layer", "@container"))
            is_shown = (not applies or applies[-1]) and (
                not head.startswith("@") or (is_group and _is_on(head.lower()))
            )
            applies.append(is_shown)
            selectors = "" if head.startswith("@") or not is_shown else head
            prelude = ""
        elif piece == "}":
            if applies and selectors:
                declared = _declarations(prelude)
                yield from ((one, declared) for one in selectors.split(",") if declared)
            selectors = prelude = ""
            if applies:
                applies.pop()
        else:
            prelude = piece
        if not applies:
            selectors = ""


def _is_on(head: str) -> bool:
    """Tell whether a condition holds on the screen of a desktop."""
    if not head.startswith("@media"):
        return True
    return any(map(_holds, head.removeprefix("@media").split(",")))


def _holds(query: str) -> bool:
    if re.search(r"\b(?:print|speech|embossed)\b", query):
        return "not" in query.split()
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
    if _is_at_most(value.get("opacity"), _FAINT) or _is_at_most(value.get("scale"), 0):
        return True
    filters, transform = value.get("filter", ""), value.get("transform", "")
    if (
        "opacity(0)" in filters
        or "opacity(0%)" in filters
        or re.search(r"scale[xy3d]{0,2}\(\s*0(?:\.0{0,9})?\s*[,)]", transform)
    ):
        return True
    return _is_cut_off(value) or _is_far(value, transform)


def _is_cut_off(value: dict[str, str]) -> bool:
    """Tell whether an element is cut to nothing."""
    clip, shape = value.get("clip", ""), value.get("clip-path", "")
    if clip.startswith("rect") and max(map(abs, _lengths(clip[5:])), default=_FAR) <= _TINY:
        return True
    if shape.startswith(("circle(0", "ellipse(0")) or re.match(r"inset\(\s*(?:100|[5-9]\d)%", shape):
        return True
    is_cut = any(
        value.get(name, "").startswith(("hidden", "clip")) for name in ("overflow", "overflow-x", "overflow-y")
    )
    sizes = [value[name] for name in ("height", "width", "max-height", "max-width") if name in value]
    return is_cut and any(_length(size) is not None and abs(_length(size) or 0) <= _TINY for size in sizes)


def _is_far(value: dict[str, str], transform: str) -> bool:
    """Tell whether an element is moved out of the page."""
    moved = [value.get(name, "") for name in ("margin-left", "margin-top", "margin", "text-indent")]
    if value.get("position", "") in ("absolute", "fixed", "relative"):
        moved += [value.get(name, "") for name in ("left", "top")]
        moved += [f"-{value[name].lstrip('+')}" for name in ("right", "bottom") if name in value]
        if any((_length(value.get(name, "")) or 0) >= 4 * _FAR for name in ("left",)):
            return True
        if any((_length(value.get(name, "")) or 0) <= -_FAR for name in ("right", "bottom")):
            return True
    if transform.startswith("translate"):
        moved.append(transform.partition("(")[2].replace(")", " "))
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
    color = declared.get("-webkit-text-fill-color") or declared.get("color") or (element.get("color") or "").lower()
    ground = element.get("bgcolor") or element.get("background")
    if not (declared or color or ground or is_unsure):
        return around
    value = {name: text.partition("!")[0].strip() for name, text in declared.items()}
    has_ground = around.has_ground or is_unsure or _is_ground(value, ground)
    is_unseen = around.is_unseen
    if "visibility" in value:
        is_unseen = value["visibility"] in ("hidden", "collapse")
    is_tiny = around.is_tiny
    size = value.get("font-size", "")
    if not size and (found := _FONT_SIZE.search(value.get("font", ""))):
        size = found[1]
    if size and (pixels := _length(size)) is not None:
        is_relative = size.endswith(("em", "%")) and not size.endswith("rem")
        is_tiny = (is_tiny and is_relative) or pixels <= _TINY
    elif size and size not in ("inherit", "smaller", "larger"):
        is_tiny = False
    is_clear = around.is_clear and not has_ground
    if color and color not in ("inherit", "currentcolor"):
        is_clear = _is_transparent(color) or (_is_white(color) and not has_ground)
    is_blank = is_unseen or is_tiny or is_clear
    return _Style(is_blank, is_unseen, is_tiny, is_clear, has_ground)


def _is_ground(value: dict[str, str], attribute: str | None) -> bool:
    """Tell whether something that is not white is painted behind the text of an element."""
    grounds = [value.get(name, "") for name in ("background", "background-color", "background-image")]
    grounds.append((attribute or "").lower())
    plain = ("", "none", "transparent", "inherit", "initial", "unset")
    return any(ground not in plain and not _is_white(ground) for ground in grounds)


def _is_transparent(color: str) -> bool:
    color = color.partition("!")[0].strip()
    if color == "transparent" or re.fullmatch(r"#(?:[0-9a-f]{3}0|[0-9a-f]{6}0[0-9a-f])", color):
        return True
    if not color.startswith(("rgba(", "hsla(", "rgb(", "hsl(")):
        return False
    parts = re.split(r"[\s,/]+", color.partition("(")[2].rstrip(") "))
    return len(parts) == 4 and _is_at_most(parts[3], _FAINT)


def _is_white(color: str) -> bool:
    """Tell whether a colour is as white as paper, or nearly."""
    color = color.partition("!")[0].strip()
    if color in ("white", "snow", "ivory", "ghostwhite", "floralwhite", "whitesmoke", "mintcream", "azure"):
        return True
    if re.fullmatch(r"#?[0-9a-f]{6}(?:[0-9a-f]{2})?", color):
        digits = color.lstrip("#")
        return min(int(digits[at : at + 2], 16) for at in (0, 2, 4)) >= _WHITE
    if re.fullmatch(r"#[0-9a-f]{3,4}", color):
        return color[1:4] == "fff"
    if color.startswith("rgb"):
        numbers = [float(one) for one in _NUMBER.findall(color[:100])][:3]
        return len(numbers) == 3 and min(numbers) >= (97 if "%" in color else _WHITE)
    if color.startswith("hsl"):
        numbers = [float(one) for one in _NUMBER.findall(color[:100])]
        return len(numbers) >= 3 and numbers[2] >= 97
    return False
