"""Words of other languages that ask: they are in questions, and hardly in what answers them."""

from __future__ import annotations

import re

from memsum.languages import read_groups, read_patterns, read_words

_WORDS = read_words("others/question_words", "words")
_PHRASES = re.compile(read_patterns("others/question_words", "phrases"))


def without_question_words(question: str, language: str | None) -> str:
    """Return the words of a question that say what it is about; all of them where no others are left."""
    starters = read_groups("others/abbreviations", "starters").get((language or "").partition("-")[0], "")
    usual = _WORDS.union(starters.split())
    words = _PHRASES.sub(" ", question).split()
    return " ".join(word for word in words if word.strip("¿?؟？¡!,.\"'«»").lower() not in usual) or question
