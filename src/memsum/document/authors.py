"""Authors of a document: names that its author wrote down, or that its first lines confirm; none where that is unsure.

A file declares its authors in a field of its own (`declared`). Word processors fill in such a field by themselves, so
their `creators` count only if the first lines name them, too. Without either, a line of names between title and text
counts if what follows says where they work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memsum.document.document import Block
from memsum.languages import read_words, word_set

_MOST = 200
_LONGEST = 80  # characters of a name
_LONGEST_FIELD = 10_000
_MOST_LINES = 40  # between title and text
_HEAD = 3_000  # characters that confirm a name
_WORDS = (2, 6)  # of a name
_SURE_WORDS = 3  # without a separator, more may be two names
_PARTICLES = word_set("de da do dos das di del della der den van von zu la le el al bin ibn ben ten ter y e und af av")
_NAME = re.compile(r"[^\W\d_]+(?:['’.-]{1,2}[^\W\d_]+)*\.?")
_NO_NAMES = read_words("english/people", "no names")
_INSTITUTION = re.compile(
    r"@|\b(?:universit|institut|college|school|departe?ment|facult|laborator|hospital|academy|research|cent(?:er|re)"
    r"|hochschule|(?:inc|ltd|gmbh|llc|corp)\b)",
    re.IGNORECASE,
)
# An affiliation that is complete: a name may follow it, while what follows a department may be the university's.
_COMPLETE = re.compile(
    r"\b(?:universit|institut|college|academy|hochschule|(?:inc|ltd|gmbh|llc|corp)\b)", re.IGNORECASE
)
# Names behind these are not those of authors, or no names.
_OTHERS = re.compile(r"(?:edit(?:or|ed)|keywords?\b|key words|abstract\b|©|copyright|received|review)", re.IGNORECASE)
_MARKS = re.compile(r"[\d*∗†‡§¶‖#⁰¹²³⁴-⁹✉]+(?:\s*,\s*[\d*∗†‡§¶]+)*")
_BETWEEN = re.compile(r"\s*(?:,\s*(?:and|&)\s|,|;|\s(?:and|&|und|et|y|e)\s|\s[·•|]\s)\s*")
_BY = re.compile(r"(?:(?:written|prepared)\s+by:?|by|from:|authors?:)\s+(?P<names>[^\n]{3,300})", re.IGNORECASE)


def find_authors(text: str, front: Sequence[str], declared: Iterable[str], creators: Iterable[str]) -> tuple[str, ...]:
    """Return the authors of a document, as far as they are known for sure; `front` are the lines below its title."""
    if names := split_names(declared):
        return names
    front = [" ".join(_MARKS.sub(" ", line[:_HEAD]).split()).strip(" ,;") for line in front[:_MOST_LINES]]
    if names := _below_title(front):
        return names
    names = split_names(creators)
    head = _folded(text[:_HEAD])
    if not names or not all(_folded(name) in head for name in names):
        return ()
    # Where the lines below the title name somebody else, too, the field has not all authors.
    listed = {word for line in _lines_of_names(front) for name in _split(line) for word in _folded(name).split()}
    return names if listed <= set(_folded(" ".join(names)).split()) else ()


def split_names(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the names in some fields, each once; none if one of them cannot be the name of a person or a group."""
    names: dict[str, None] = {}
    for field in fields:
        if not field.strip():
            continue
        if len(field) > _LONGEST_FIELD:
            return ()
        for name in _split(" ".join(field.split())):
            if not _is_name(name):
                return ()
            names[name] = None
    return tuple(names) if len(names) <= _MOST else ()


def _split(field: str) -> list[str]:
    """Split a field at its separators; "Berg, Anna" is one name."""
    if ";" in field:
        return [name for part in field.split(";") if part.strip() for name in _split(part.strip())]
    last, comma, first = field.partition(",")
    if comma and "," not in first and len(last.split()) == 1 and not _BETWEEN.search(first.strip()):
        return [f"{first.strip()} {last}"]
    return [name for name in _BETWEEN.split(field) if name]


def _is_name(name: str) -> bool:
    words = name.split()
    if not any(letter.isupper() or letter.islower() for letter in name):  # a script without capitals
        return 1 < len(name) <= _LONGEST and all(_NAME.fullmatch(word) for word in words)
    return (
        _WORDS[0] <= len(words) <= _WORDS[1]
        and len(name) <= _LONGEST
        and all(_NAME.fullmatch(word) for word in words)
        and all(word[0].isupper() or word.lower() in _PARTICLES or word[1:2] in "'’" for word in words)
        and words[-1][0].isupper()
        and len(words[-1].strip(".")) > 1
        and not any(word.lower().strip(".") in _NO_NAMES for word in words)
    )


def front_lines(text: str, blocks: Sequence[Block]) -> list[str]:
    """Return the lines between the title and the text."""
    title = next((at for at, block in enumerate(blocks) if block.kind == "title"), None)
    lines: list[str] = []
    for block in blocks[0 if title is None else title + 1 :]:
        if block.kind != "boilerplate" or len(lines) == _MOST_LINES:
            break
        lines.append(text[block.start : min(block.end, block.start + _HEAD)])
    return lines


def split_front(lines: Sequence[str]) -> list[str]:
    """Join the lines of a paragraph below a title, whole names and what follows an institution apart."""
    place = next((at for at, line in enumerate(lines) if _INSTITUTION.search(line)), len(lines))
    names = list(lines[:place])
    if not all(_split(line) == [line] and _is_name(line) for line in names):
        names = [" ".join(names)]
    return [line for line in (*names, " ".join(lines[place:])) if line]


def _below_title(front: Sequence[str]) -> tuple[str, ...]:
    """Return the names that stand below a title: after "by", beside their addresses, or above their institutions."""
    for line in front:
        if (by := _BY.fullmatch(line)) and (names := _first_names(by["names"])):
            return names
    front = front[: next((at for at, line in enumerate(front) if _OTHERS.match(line)), len(front))]
    beside = _beside_addresses(front)
    if beside and _lines_of_names(front):
        return ()  # the names stand in two ways, or some are none
    names = split_names(beside or _above_institutions(front))
    is_sure = all(sum(word.lower() not in _PARTICLES for word in name.split()) <= _SURE_WORDS for name in names)
    return names if is_sure else ()


def _beside_addresses(front: Sequence[str]) -> list[str]:
    """Return what stands beside mail addresses; whole lines, which are no names, where it is not one name each."""
    found: list[str] = []
    for line in front:
        cells = line.split("; ")
        names = [cell for cell in cells if "@" not in cell]
        if 0 < len(names) < len(cells):
            is_one_each = 2 * len(names) == len(cells) and not _INSTITUTION.search(" ".join(names))
            found += names if is_one_each else [line]
    return found


def _above_institutions(front: Sequence[str]) -> list[str]:
    """Return the lines of names above institutions: all of them, or none where one may not be of names."""
    found: list[str] = []
    place = 0
    while lines := _lines_of_names(front[place:]):
        begin = front.index(lines[0], place)
        place = begin + len(lines)
        before = front[begin - 1] if begin else ""
        if not found:
            if "," in before or not any(map(_INSTITUTION.search, front[place : place + 2])):
                return []  # the list of names may begin above
            found += lines
            continue
        # Further down, a town may look like a name: "New Brook, Upper County".
        has_address = "@" in "".join(front[place : place + 1])
        behind = next((line for line in front[place:] if "@" not in line), "")
        if _INSTITUTION.search(behind):
            if len(lines) > 1 or "," in lines[0] or not _COMPLETE.search(before):
                return []
            found += lines
        elif has_address:
            return []
    return found


def _first_names(line: str) -> tuple[str, ...]:
    """Return the names that a line begins with, before "staff writer" or "treasurer"."""
    parts = _BETWEEN.split(line.strip(" ."))
    stop = next((at for at, part in enumerate(parts) if not _is_name(part)), len(parts))
    return tuple(dict.fromkeys(parts[:stop]))


def _lines_of_names(front: Sequence[str]) -> list[str]:
    """Return the first lines that are nothing but names."""
    found: list[str] = []
    for line in front:
        if len(line) <= _LONGEST_FIELD and not _INSTITUTION.search(line) and all(map(_is_name, _split(line) or [""])):
            found.append(line)
        elif found:
            break
    return found


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[’‘]", "'", text).casefold().replace(",", " ").split())
