"""English words that carry no topic: common verbs, fillers, words of questions, measures and times."""

from __future__ import annotations

from functools import partial

from memsum.languages import read_words

_words = partial(read_words, "english/stop_words")
VERBS = _words("verbs")
DANGLING = _words("dangling")
FILLERS = _words("fillers")
EMPTY = FILLERS | _words("empty")
STOP_WORDS = _words("stop words")
ASIDES = _words("asides")
PERSON_TITLES = _words("person titles")
NO_TERMS = VERBS | EMPTY | _words("no terms")
NO_PARTS = VERBS | EMPTY | STOP_WORDS | _words("no parts")
BEFORE_NOUNS = _words("before nouns")
BEFORE_OTHERS = _words("before others")
FUNCTION_WORDS = _words("function words")
