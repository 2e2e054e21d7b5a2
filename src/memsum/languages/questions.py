"""What kind of answer an English question expects and a sentence may give; words of other languages that ask."""

from __future__ import annotations

import re
from typing import Literal, get_args

from memsum.languages import read_groups, read_lists, read_patterns, read_words

AnswerType = Literal["number", "date", "duration", "who", "where", "why", "how"]

_FILE = "english/answer_types"
_TYPES: tuple[AnswerType, ...] = get_args(AnswerType)


_PATTERNS = {heading: re.compile(read_patterns(_FILE, heading)) for heading in read_lists(_FILE)}
EXPECTS = {kind: _PATTERNS[f"expects: {kind}"] for kind in _TYPES}
GIVES = {kind: _PATTERNS[f"gives: {kind}"] for kind in _TYPES}
FORMS = {key.removeprefix("form: "): found for key, found in _PATTERNS.items() if key.startswith("form: ")}
MONEY = _PATTERNS["money"]


def without_question_words(question: str, language: str | None) -> str:
    """Return the words of a question in another language that say what it is about; all where no others are left."""
    starters = read_groups("others/abbreviations", "starters").get((language or "").partition("-")[0], "")
    usual = read_words("others/question_words", "words").union(starters.split())
    words = re.sub(read_patterns("others/question_words", "phrases"), " ", question).split()
    return " ".join(word for word in words if word.strip("¿?؟？¡!,.\"'«»").lower() not in usual) or question
