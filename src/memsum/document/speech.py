"""Who says what, and when: how a line of a transcript begins."""

from __future__ import annotations

import re
from typing import NamedTuple

from memsum.languages import read_words

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_STAMP = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?"
# "Ana Weber", "Speaker 2", "Chair of the Board"; and offices of two words, "Harbour master", but not "My point".
_OFFICE = (
    r"(?!(?:The|An?|My|Our|Your|His|Her|Their|This|That|These|One|Another|Next|First|Second|Last|So|And|But|What)[ ])"
    r"[A-Z][\w'’-]{2,30}[ ][a-z][\w'’-]{2,20}(?=[ \t]?:)"
)
_NAME = r"[A-Z][\w.'’&-]{0,30}(?:[ ](?:[A-Z0-9(][\w.'’&)-]{0,30}|of|the|de|van|von|der|for|and)){0,5}"
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ ]"
# Also ">> ANNA:" of captions, "**Anna:**", "[Anna] 10:14:02", and what chats export: a day, "From Anna to Everyone:".
_SPEECH = re.compile(
    rf"(?:>{{2,3}}[ ]?)?(?:\[?(?:{_DAY})?{_STAMP}[ \t]{{1,4}}(?:[-–—][ ])?(?:From[ ])?)?"
    rf"(?:\*\*|\[)?(?P<name>{_OFFICE}|{_NAME})(?:[ ]to[ ]Everyone|\])?"
    rf"(?:[ ]?[\[(][^\])\n]{{1,40}}[\])])?(?:[ \t]?:(?:\*\*)?(?=\s|$)|[ \t]{{1,8}}{_STAMP}[ \t]*$"
    rf"|[ \t]{{1,4}}[\[(]{_CLOCK}[\])](?=\s))[ \t]*"
)
_TIME = re.compile(_CLOCK)
_STAMPED = re.compile(rf"[\[(](?P<time>{_CLOCK})[\])]\s{{1,4}}(?=\S)")
_THINGS = read_words("english/people", "things")


class Speech(NamedTuple):
    """Who speaks, where the words begin, and when they are said, if that is written."""

    speaker: str
    words: int
    time: str | None = None


def find_speech(text: str, start: int, end: int) -> Speech | None:
    """Return the speech that begins with a line, if one does."""
    if ":" not in text[start : min(end, start + 250)]:
        return None
    found = _SPEECH.match(text, start, end)
    if found is None or found["name"].lower() in _THINGS or found["name"].lower().rpartition(" ")[2] in _THINGS:
        return None
    time = _TIME.search(text, start, found.end())
    return Speech(found["name"].partition(" (")[0], found.end(), time[0] if time else None)


def find_time(text: str) -> tuple[str, int] | None:
    """Return the time that a paragraph of a transcript begins with, and where its words begin."""
    found = _STAMPED.match(text)
    return (found["time"], found.end()) if found else None
