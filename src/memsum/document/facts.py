"""Facts that a document states of itself in its head: its status, version and date, each with the line that says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memsum.document.document import Block, Fact

_NAMES = {
    name: fact
    for fact, names in {
        "status": "status|state",
        "version": "version|revision",
        "date": "date|effective date|last updated|last modified|updated|published|created|adopted|approved",
        "authors": "author|authors|editor|editors|owner",
    }.items()
    for name in names.split("|")
}
_LINE = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?[\"'*_]{0,3}(?P<name>[A-Za-z][A-Za-z _-]{2,20}?)[\"'*_]{0,3}[ \t]?"
    r"(?::|\||[ ]=[ ])[*_]{0,2}[ \t]+"
    r"[\"'*_`]{0,3}(?P<value>[^\s\"'*_`][^\n]{0,150}?)[\"'*_`,.]{0,3}[ \t]*"
)
_MOST_BLOCKS, _MOST_WORDS = 40, 250  # of the head; words of running text
_KINDS = ("table", "code", "boilerplate", "item", "paragraph", "abstract")
_MOST_VALUE_WORDS = 12
_WARNS = re.compile(
    r"(?:reject|withdr|supers|draft|deprecat|obsolet|replaced|abandon|expired|deferred|cancel|retired)", re.IGNORECASE
)


def find_facts(text: str, blocks: Sequence[Block]) -> tuple[Fact, ...]:
    """Return the facts that the head of a document states, the first of each name."""
    found: dict[str, Fact] = {}
    for start, end in _head_lines(text, blocks):
        line = _LINE.fullmatch(text, start, end)
        name = _NAMES.get(re.sub("[_-]", " ", line["name"]).lower()) if line else None
        if line and name and name not in found and len(line["value"].split()) <= _MOST_VALUE_WORDS:
            found[name] = Fact(name, line["value"].strip(" |"), start, end)
    return tuple(found.values())


def find_warning(facts: Sequence[Fact]) -> Fact | None:
    """Return the status of a document if nobody should read it without knowing: it was rejected, or is a draft."""
    return next((fact for fact in facts if fact.name == "status" and _WARNS.match(fact.value)), None)


def _head_lines(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Yield the lines above and in the first words of the running text; code only where it is front matter."""
    words = 0
    is_front = True
    for block in blocks[:_MOST_BLOCKS]:
        is_front = is_front and block.kind in ("code", "title", "table")
        if block.kind not in _KINDS or (block.kind == "code" and not is_front) or block.speaker:
            continue
        start = block.start
        for line in text[block.start : block.end].split("\n"):
            end = start + len(line)
            yield start + len(line) - len(line.lstrip()), start + len(line.rstrip()) if line.strip() else end
            start = end + 1
        words += len(text[block.start : block.end].split()) if block.kind == "paragraph" else 0
        if words > _MOST_WORDS:
            return
