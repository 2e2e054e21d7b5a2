"""Markdown as site generators extend it: front matter, template tags, attribute lists; removed before CommonMark.

Jekyll, Hugo, Eleventy, Nunjucks and Kramdown replace these before anybody sees a page; CommonMark takes them for text.
"""

from __future__ import annotations

import re

_FENCES = {"---": ("---", "..."), "+++": ("+++",)}  # of YAML and of TOML
_TITLE = re.compile(r"title[ \t]*[:=][ \t]*(?P<title>\S[^\n]*)")
_AUTHOR = re.compile(r"authors?[ \t]*[:=][ \t]*(?P<authors>[^\n]*)", re.IGNORECASE)
_LISTED = re.compile(r"[ \t]*-[ \t]+(?:name[ \t]*:[ \t]*)?(?P<name>[^\n:]+)")  # an element of a list in YAML
_FOLDED = re.compile(r"[>|][+-]?")  # the title is in the next line
_OPENING = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}|~{3,})"
    r"|(?P<code>`+)"
    r"|(?P<tag>\{[{%])"
    r"|(?P<attributes>\{(?::[^{}\n]{0,200}|[#.][\w-][^{}\n]{0,100})\})"
    r"|(?P<comment>\{#)"
    r"|^(?P<heading>#{2,6}(?=[^\s#])|#(?=[A-Z][^\n.]{1,80}$))"
    r"|^(?P<abbreviation>\*\[[^\[\]\n]{1,100}\]:[^\n]{0,1000})"
    r"|^(?P<definition>[ ]{0,3}\[[^\[\]\n]{1,200}\]:)",
    re.MULTILINE,
)
_BRACE = re.compile(r"[{}]")
_NAME = re.compile(r"\{[{%][<%-]?\s{0,9}/?(?P<name>[\w.-]{1,40})(?P<string>\s{1,9}`)?")
_PICTURES = re.compile(
    r"image|img|figure|picture|youtube|video|embed|gallery|include figure|include image", re.IGNORECASE
)
# What stands between these tags and their ends is not the text.
_NOT_TEXT = ("comment", "highlight", "mermaid")
_PICTURE = "![](picture)"
_VALUE = re.compile(r"\{\{-?\s{0,9}[\w.]{1,99}\s{0,9}-?\}\}|\{%-?\s{0,9}data\s[^{}\n]{1,99}%\}")
# A macro that shows its last argument: `{{HTTPHeader("Upgrade")}}`; others embed things or lead to other pages.
_MACRO = re.compile(
    r"\{\{(?!\w{0,30}(?:embed|sidebar|apiref|compat|spec|interactive|previous|next|live|sample))\w{2,30}"
    r"\((?:[\"'][^\"'{}\n]{0,99}[\"'],\s?)?[\"'](?P<words>[^\"'{}\n]{1,99})[\"']\)\s?\}\}",
    re.IGNORECASE,
)
_LONGEST_TAG = 20_000  # characters
_MOST_BRACES = 200  # inside a tag
_LONGEST_CODE = 1_000  # characters of code in a line


def split_front_matter(text: str) -> tuple[str, str, str]:
    """Return the front matter, the title it gives, and the rest of the text."""
    first = len(text) - len(text.lstrip())
    line, _, _ = text[first : first + 100].partition("\n")
    closing = _FENCES.get(line.rstrip())
    if closing is None:
        return "", "", text
    at = begin = first + len(line) + 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].strip() in closing:
            return text[first:at], _title(text[begin:at]), text[end + 1 :]
        at = end + 1
    return "", "", text


def _title(front: str) -> str:
    """Find the title among the keys at the beginning of lines."""
    for line, following in zip(front.split("\n"), (*front.split("\n")[1:], ""), strict=False):
        if found := _TITLE.match(line):
            title = found["title"].strip()
            return (following if _FOLDED.fullmatch(title) else title).strip().strip("\"'")
    return ""


def authors_of(front: str) -> list[str]:
    """Find the authors among the keys: one, a list in brackets, or one in each of the next lines."""
    lines = front.split("\n")
    for at, line in enumerate(lines):
        if found := _AUTHOR.match(line):
            value = found["authors"].strip()
            named = value.strip("[]").split(",") if value.startswith("[") else [value] if value else []
            for listed in map(_LISTED.match, lines[at + 1 :] if not value else ()):
                if listed is None:
                    break
                named.append(listed["name"])
            return [name.strip().strip("\"'") for name in named]
    return []


class _Closings:
    """Finds the next closing of each kind; a position once found serves every opening before it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next: dict[str, int] = {}

    def find(self, closing: str, at: int) -> int:
        """Return the offset of the next closing, the text's length if there is none."""
        if self._next.get(closing, -1) < at:
            found = self._text.find(closing, at)
            self._next[closing] = len(self._text) if found < 0 else found
        return self._next[closing]


def without_site_markup(text: str) -> str:
    """Remove tags and attributes, outside code; pictures stay as pictures, headings and definitions become valid."""
    closings = _Closings(text)
    parts: list[str] = []
    at = 0
    while found := _OPENING.search(text, at):
        parts.append(text[at : found.start()])
        instead, end = _replaced(text, found, closings)
        parts.append(instead)
        at = end
    return "".join([*parts, text[at:]])


def _replaced(text: str, found: re.Match[str], closings: _Closings) -> tuple[str, int]:
    """Return what stands for an opening, and where the text goes on."""
    start, end = found.span()
    if found["fence"]:
        close = closings.find(f"\n{found['fence']}", end)
        stop = min(len(text), close + 1 + len(found["fence"]))
        return text[start:stop], stop
    if found["code"]:
        close = text.find(found["code"], end, end + _LONGEST_CODE)
        stop = end if close < 0 else close + len(found["code"])
        return text[start:stop], stop
    if found["tag"]:
        return _without_tag(text, start, closings)
    if found["comment"]:
        close = closings.find("#}", end)
        is_comment = close - end < _LONGEST_TAG and close < len(text)
        return ("", close + 2) if is_comment else (found[0], end)
    if found["heading"]:
        return f"{found[0]} ", end
    if found["definition"]:  # one that follows a paragraph would be text of it
        return f"\n{found[0]}", end
    return "", end  # attributes and abbreviations


def _without_tag(text: str, start: int, closings: _Closings) -> tuple[str, int]:
    """Leave out a tag, and with some tags what they enclose."""
    name = _NAME.match(text, start)
    stop = _tag_end(text, start, closings, is_string=name is not None and name["string"] is not None)
    if stop < 0:
        return text[start : start + 2], start + 2
    inside = text[start : min(stop, start + 200)]
    if name and name["name"] in _NOT_TEXT and "/" not in name[0]:
        for ending in (f"{{% end{name['name']}", f"{{{{< /{name['name']}"):
            close = closings.find(ending, stop)
            if close < len(text) and (after := _tag_end(text, close, closings)) > 0:
                return "", after
    if macro := _MACRO.fullmatch(text, start, stop):
        return macro["words"], stop
    is_picture = name is not None and _PICTURES.match(f"{name['name']} {inside[len(name[0]) :].lstrip()}") is not None
    if text.endswith("](", 0, start):
        return "template", stop  # of a link: it must lead somewhere
    if _VALUE.fullmatch(text, start, stop) and text[start - 1 : start] in (" ", "(", "“", '"') and start > 0:
        return "…", stop  # nobody but the site generator knows the words
    return (_PICTURE if is_picture else ""), stop


def _tag_end(text: str, start: int, closings: _Closings, *, is_string: bool = False) -> int:
    """Return where a tag ends, -1 if it does not; `is_string` where a text between backticks is its argument."""
    closing = "%}" if text.startswith("{%", start) else "`}}" if is_string else ""
    if closing:
        end = closings.find(closing, start + 2) + len(closing)
        return end if end <= len(text) and end - start <= _LONGEST_TAG else -1
    depth = 0
    for count, brace in enumerate(_BRACE.finditer(text, start, start + _LONGEST_TAG)):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
        if count == _MOST_BRACES:
            break
    return -1
