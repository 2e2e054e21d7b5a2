"""Headings and captions in a PDF: short, set apart, and styled, numbered or named like one."""

from __future__ import annotations

import re

from memsum.document.headings import is_known
from memsum.document.readers.pdf.chunks import CAPTION, NUMBERED, Body, Chunk

SMALLER = 0.93  # of the body's size; smaller print is no running text
_LARGER, _SMALLEST = 1.08, 0.85
_LONGEST = 25  # words


def heading_level(chunk: Chunk, body: Body) -> int:
    """The level of a heading, 0 for anything else: short, set apart, and styled, numbered or named like one."""
    if len(chunk.lines) > 4 or len(chunk.words) > _LONGEST:
        return 0
    text = chunk.text.strip()
    letters = sum(map(str.isalpha, text))
    if letters < 3 or chunk.is_table or CAPTION.match(text):
        return 0
    if text[-1] in ",;:" or letters < 0.5 * len(text.replace(" ", "")):
        return 0
    if text[0].islower() and chunk.size < 1.15 * body.size:
        return 0
    number = NUMBERED.match(text)
    depth = _depth(number) if number else 0
    named = is_known(text)
    size = chunk.size / body.size
    capitals = text.isupper()
    if text.endswith(".") and not (number and (named or capitals)):
        return 0
    if size >= _LARGER or (named and size > SMALLER) or (chunk.bold and (size > SMALLER or number or named)):
        return depth or (1 if size >= 1.15 or capitals or named else 2)
    if size <= _SMALLEST or letters < 5 or len(chunk.words) > 12:
        return 0
    if number and chunk.italic and number["number"].isdecimal():
        return 3
    if number:
        return depth if capitals or chunk.italic or "." in number["number"] else 0
    return 2 if (chunk.italic or capitals) and size > SMALLER else 0


def _depth(number: re.Match[str]) -> int:
    """The level that a section's number shows: "2.1" is 2, "IV." is 1, "B." is 2."""
    shown = number["number"]
    if number["appendix"]:
        return 1
    if shown[0].isdigit():
        return shown.count(".") + 1
    return 1 if set(shown) <= set("IVX") or not number["mark"] else 2


def is_caption(chunk: Chunk, body: Body) -> bool:
    """Whether a chunk begins with a figure's or table's number, and does not merely speak of it."""
    found = CAPTION.match(chunk.text)
    if not found:
        return False
    small = chunk.size < SMALLER * body.size
    if found["label"][:4].lower() in ("algo", "list") and not (chunk.is_prose and chunk.is_ended):
        return True
    return found["mark"] is not None or small or found["label"].split()[0].isupper() or len(chunk.lines[0].text) < 12
