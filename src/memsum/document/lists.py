"""List items in running text: bullets and numbered lines, told apart from lines that merely begin that way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(
    r"""^(?:
        [^\S\n]*(?:(?P<bullet>[•‣◦▪●■*–-]) | \(?(?P<label>[0-9]{1,3}|[a-z])[.)])[^\S\n]+(?=\S)
        | (?P<resumed>(?=[A-Z]))
    )""",
    re.MULTILINE | re.VERBOSE,
)
_REACH = 40  # characters looked back for the end of the line before
_SHORT_LINE = 50  # characters; a shorter line did not end because it was full


class Piece(NamedTuple):
    """A stretch of text: a list item, whose `content` begins behind its marker, or what stands before a list."""

    start: int
    content: int
    end: int

    @property
    def is_item(self) -> bool:
        """Whether the stretch has a marker."""
        return self.content > self.start


def split_items(text: str, start: int, end: int) -> Iterator[Piece]:
    """Cut at list items, and where a list that no blank line ends gives way to ordinary text."""
    first = content = start
    previous = ""
    for line in _lines(text, start, end):
        before = text[max(first, line.start() - _REACH) : line.start()].rstrip()
        if line["resumed"] is not None:
            label = ""
            line_before = max(first, text.rfind("\n", first, max(first, line.start() - 1)) + 1)
            is_cut = previous != "" and line.start() - line_before <= _SHORT_LINE
        else:
            label = line["label"] or "•"
            is_cut = _is_item(label, line["bullet"], previous, opens=not before or before[-1] in ":.;?!")
        if is_cut:
            if line.start() > first:
                yield Piece(first, content, line.start())
            first, content, previous = line.start(), line.end(), label
    if end > first:
        yield Piece(first, content, end)


def _lines(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Where `_LINE` matches: only the beginnings of lines are tried, not every character."""
    at = start
    while 0 <= at < end:
        line = _LINE.match(text, at, end)
        if line:
            yield line
        at = text.find("\n", at, end) + 1 or -1


def _is_item(label: str, bullet: str | None, previous: str, *, opens: bool) -> bool:
    """A bullet after a finished line or another item, a label that begins or continues a count."""
    if bullet:
        return opens or previous == "•" or bullet not in "*–-"
    if label.isdecimal():
        return previous == str(int(label) - 1) or (opens and label == "1")
    return previous == chr(ord(label) - 1) or (opens and label == "a")
