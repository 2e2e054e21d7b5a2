"""Transcripts in plain text: "Name: words" is a turn, where many lines are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from memsum.document.readers.base import listed

_STAMP = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?"
# "Ana Weber", "Speaker 2", "Chair of the Board"; and offices of two words, "Harbour master", but not "My point".
_OFFICE = (
    r"(?!(?:The|An?|My|Our|Your|His|Her|Their|This|That|These|One|Another|Next|First|Second|Last|So|And|But|What)[ ])"
    r"[A-Z][\w'’-]{2,30}[ ][a-z][\w'’-]{2,20}(?=[ \t]?:)"
)
_NAME = r"[A-Z][\w.'’&-]{0,30}(?:[ ](?:[A-Z0-9(][\w.'’&)-]{0,30}|of|the|de|van|von|der|for|and)){0,5}"
_TURN = re.compile(
    rf"(?:{_STAMP}[ \t]{{1,4}}(?:[-–—][ ])?)?(?P<name>{_OFFICE}|{_NAME})"
    rf"(?:[ ]?[\[(][^\])\n]{{1,40}}[\])])?(?:[ \t]?:(?=\s|$)|[ \t]{{1,8}}{_STAMP}[ \t]*$)[ \t]*"
)
# Words before a colon that name a thing and not a person.
_THINGS = listed(
    """
    note notes warning caution tip tips important example examples figure table date time subject from to cc bcc re
    sent location place venue present attendees attending participants apologies absent agenda action actions decision
    decisions summary abstract keywords source sources title author authors chapter section step part tel phone fax
    mobile email e-mail web website url http https address price total item items ingredients method update background
    objective conclusion conclusions results purpose result reason name by signed signature witness type status
    version model p.s. ps
    """
)
_DIRECTION = re.compile(r"\([^()\n]{1,200}\)|\[[^\[\]\n]{1,200}\]")
_LEAST_TURNS = 3
_LEAST_SHARE = 0.4  # of the paragraphs


class Turn(NamedTuple):
    """Who speaks, and where the words begin."""

    speaker: str
    words: int


def find_turn(text: str, start: int, end: int) -> Turn | None:
    """The turn that begins with a line, if one does."""
    if ":" not in text[start : min(end, start + 250)]:
        return None
    found = _TURN.match(text, start, end)
    if found is None or found["name"].lower() in _THINGS:
        return None
    return Turn(found["name"], found.end())


def is_transcript(text: str, lines: Iterable[tuple[int, int]], paragraphs: int) -> bool:
    """Whether these lines, of so many paragraphs, are mostly turns of people who speak more than once."""
    turns = (find_turn(text, start, end) for start, end in lines)
    speakers = Counter(turn.speaker for turn in turns if turn)
    again = sum(count for count in speakers.values() if count > 1)
    turns_taken = speakers.total()
    return 2 * again >= turns_taken >= max(_LEAST_TURNS, _LEAST_SHARE * paragraphs)


def is_direction(line: str) -> bool:
    """Whether a line is no words but what happens meanwhile: "(Applause)"."""
    return _DIRECTION.fullmatch(line) is not None
