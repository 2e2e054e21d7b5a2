"""Sentences that need context: "This ...", "However, ...", "the latter".

A rule on wording alone, without weights. A sentence depends on the one before it where a word that points back has
nothing in the sentence to point to, or where it is one side of a contrast, or an example of something. "This study",
"these results suggest" and "it is known that" point to the document or to nothing, and stand alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memsum.languages import read_lists, read_patterns, read_words, rows_with
from memsum.languages.low_value import quoted_words

NEEDED = 0.5  # from here on a sentence needs the one before it as context
_READ = 160  # characters of a sentence that are looked at
_EARLY = 9  # words: what is pointed at later may stand in the sentence itself


_FILE = "english/needs_context"
_OPENINGS = {0.6: "openings that ask", 0.0: "openings"}  # how much they ask for what stands before, and their list
_OPENING = {
    grade: re.compile(rf"{read_patterns(_FILE, heading)}(?![\w-]|,? (?:to|from|with|than|of)\b) ?,? ?")
    for grade, heading in _OPENINGS.items()
}
_FIRST = frozenset(phrase.split()[0] for heading in _OPENINGS.values() for phrase in read_lists(_FILE)[heading])
_YEAR = re.compile(
    r"(?:in|by|on|during|since|until|as of) (?:[a-z]{3,9} ){0,2}(?:[0-9]{1,2} ?,? )?(?:19|20)[0-9]{2} ?, "
)
_BEFORE = re.compile(
    rf"{read_patterns(_FILE, 'prepositions')} (?=(?:all |both |each of |many of |some of |one of )?"
    r"(?:this|these|those|that|such|their|its|his|her|it|they|he|she)\b)"
)
_PART, _PHRASE = (re.compile(read_patterns(_FILE, heading)) for heading in ("parts", "phrases"))
# "It" that points to nothing: "it is known that", "it will be interesting to see whether".
_EXPLETIVE = re.compile(
    r"it(?:'s| (?:is|was|has|had|will|would|may|might|can|could|should|must|seems?|appears?|remains?|follows?|"
    r"turns out))"
    r"(?: [\w'-]+| ,){0,6}? (?:that|to|whether|how|what|why|if|who|which)\b|it is so ordered"
)
_VERBS, _SELF = read_words(_FILE, "verbs"), read_words(_FILE, "itself")
_RESULTS, _SUGGEST = read_words(_FILE, "results"), read_words(_FILE, "suggest")
_NO_ADJECTIVE, _SUBJECTS = read_words(_FILE, "no adjectives"), read_words(_FILE, "subjects")
# One of these is in every such phrase, and in few other sentences: to look for them is faster than for the phrases.
_OF_PHRASES = ("above", "earlier", "mentioned", "latter", "former", "previous", "preceding", "foregoing", "the one ")
_HEAD = re.compile(r"\s*([a-z]+)")


def needs_context(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Return for each sentence a number from 0 (stands alone) to 1 (needs the sentence before it)."""
    lows = [quoted_words(sentence[:_READ]).lower() for sentence in sentences]
    lows = [low if low.isascii() else low.replace("’", "'").replace("‘", "'") for low in lows]
    has_phrase, has_this = rows_with(lows, _OF_PHRASES), rows_with(lows, ("this", "these"))
    ratings = []
    for row, low in enumerate(lows):
        asked, rest = _opening(low)
        ratings.append(max(asked, _subject(rest)))
        # A phrase points back, unless the sentence is long enough to name it first.
        phrase = _PHRASE.search(low) if row in has_phrase else None
        if phrase and low.count(" ", 0, phrase.start()) <= 2 * _EARLY:
            ratings[-1] = max(ratings[-1], 0.6)
        elif row in has_this and _has_early_this(low):
            ratings[-1] = max(ratings[-1], 0.5)
    return np.array(ratings, np.float32)


def _opening(low: str) -> tuple[float, str]:
    """Return how much the opening needs context, and the text behind it."""
    asked = 0.0
    for _ in range(3):
        if low.split(" ", 1)[0].rstrip(",") not in _FIRST:
            break
        for grade, pattern in _OPENING.items():
            if found := pattern.match(low):
                asked, low = max(asked, grade), low[found.end() :]
                break
        else:
            break
    year = _YEAR.match(low)
    return asked, low[year.end() :] if year else low


def _subject(rest: str) -> float:
    """Rate the first words of a sentence, behind its opening."""
    head = _HEAD.match(rest)
    if head is None or head[1] not in _SUBJECTS:
        return 0.0
    if _PART.match(rest):
        return 0.8
    before = _BEFORE.match(rest)
    if before:
        rest = rest[before.end() :]
    words = rest.replace("'", " '").replace(",", " ,").split(None, 6)[:6]
    if not words:
        return 0.0
    first, following = words[0], words[1:]
    if first in ("this", "these", "those", "that"):
        return _demonstrative(first, following, after_preposition=before is not None)
    if first == "such":
        return 0.0 if following[:1] == ["as"] else 0.8
    if first in ("they", "he", "she", "its", "their", "his", "her"):
        return 0.5 if before else 0.8
    if first == "it":
        return 0.0 if _EXPLETIVE.match(rest) else 0.5 if before else 0.8
    return 0.0


def _demonstrative(first: str, following: list[str], *, after_preposition: bool) -> float:
    """Rate "this", "these", "those" and "that" at the beginning of a sentence."""
    if not following:
        return 0.7
    if first in ("that", "those") and following[0] not in _VERBS:
        return 0.0 if first == "that" or following[0] in ("who", "of", "with", "that", "which", "whose") else 0.7
    if _is_self(following):
        return 0.0
    if first == "these" and _RESULTS.intersection(following[:3]) and _SUGGEST.intersection(following):
        return 0.0
    if first == "this" and following[0] in ("is", "was") and following[1:2] and following[1] in ("a", "an", "the"):
        return 0.0 if _SELF.intersection(following) or "first" in following else 0.7
    return 0.6 if after_preposition else 0.8


def _is_self(following: Sequence[str]) -> bool:
    """Tell whether a noun group, of which the first words are given, names the document itself."""
    for word in following[:4]:
        if word.strip(".,;:") in _SELF:
            return True
        if word in _NO_ADJECTIVE:
            return False
    return False


def _has_early_this(low: str) -> bool:
    """Tell whether "this" or "these" points back from the middle, unless the sentence may name it first."""
    words = low.split(None, _EARLY + 3)[: _EARLY + 3]
    for i, word in enumerate(words[1:_EARLY], 1):
        if word in ("this", "these") and words[i + 1 :] and not _is_self(words[i + 1 :]):
            before = words[:i]
            if "," not in " ".join(before) or word == "these":
                return True
    return False
