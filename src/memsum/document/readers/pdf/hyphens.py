"""Whether the hyphen at a line's end is the word's own: the document says so, or the vocabulary, or the parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from memsum.languages.compounds import (
    ENDINGS,
    FIRST_PARTS,
    HYPHENATED,
    LAST_PARTS,
    LINKS,
    is_common,
    is_known_word,
    is_misspelled_compound,
)

_LAST = re.compile(r"(?P<chain>(?:[^\W_]{1,40}-){0,6})(?P<part>[^\W\d_]{1,60})-$")
_FIRST = re.compile(r"(?P<rest>[^\W\d_]+)(?P<more>(?:-[^\W_]+)*)")
_ADDRESS = re.compile(r"://|^www\.|@|^\(?(?:[\w-]+\.)+$")
_DOMAIN = re.compile(r"(?:com|org|net|edu|gov|info|eu|io|int|de|fr|uk|co\.uk|ch|at|nl)\b(?!\s[A-Z])")
_EDGES = "()[]{}<>.,;:!?\"'“”‘’«»…*†‡§"
_SHORTEST = 3  # letters of a part of a compound


def _is_cut_address(text: str, following: str) -> bool:
    """Tell whether a web or mail address goes on in the next line."""
    word = text[text.rfind(" ") + 1 :]
    if not _ADDRESS.search(word):
        return False
    if word[-1] == ".":
        return _DOMAIN.match(following) is not None or ("://" in word and re.match(r"[a-z]+/", following) is not None)
    return "://" in word or word[-1] == "@"


class Hyphens:
    """The words that a document has inside its lines, and the decisions that follow from them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._counts: Counter[str] | None = None
        self._firsts: Counter[str] = Counter()

    def joint(self, text: str, following: str) -> str:
        """Return what stands between two lines: a space, nothing, or "-" for a hyphen that goes away."""
        end = text[-1]
        if end in "./-_=&?@" and _is_cut_address(text, following):
            return ""
        if end != "-":
            return "" if end in "–—/" and len(text) > 1 and not text[-2].isspace() else " "
        if len(text) > 1 and text[-2].isspace():
            return " "
        last, first = _LAST.search(text, text.rfind(" ") + 1), _FIRST.match(following)
        if not last or not first:
            return ""
        part, rest = last["part"], first["rest"]
        if not rest.islower() and not (part.isupper() and rest.isupper() and len(part) > 1):
            counts = self._words()
            whole, hyphenated = f"{part}{rest}".lower(), f"{part}-{rest}".lower()
            return "-" if counts[whole] > counts[hyphenated] else ""  # "mul-" and "tiCCA" of multiCCA
        return (
            "" if self._is_compound(last["chain"].lower(), part.lower(), rest.lower(), first["more"].lower()) else "-"
        )

    def _is_compound(self, chain: str, part: str, rest: str, more: str) -> bool:
        counts = self._words()
        whole = part + rest
        with_hyphen, without = counts[f"{chain}{part}-{rest}{more}"], counts[f"{chain}{whole}{more}"]
        if with_hyphen or without:
            return with_hyphen >= without
        if (chain or more) and (part in LINKS or rest in LINKS):  # "state-of-the-art"
            return True
        if rest in HYPHENATED and is_known_word(part):
            return True
        if counts[whole] or (is_known_word(whole) and not is_misspelled_compound(whole, part, rest)):
            return False
        if chain or more or rest in LAST_PARTS or part in FIRST_PARTS:
            return len(part) > 1 and (rest in LAST_PARTS or is_known_word(rest))
        if min(len(part), len(rest)) < _SHORTEST or rest in ENDINGS:
            return False
        return is_common(rest, inflected=True) and (is_common(part) or self._firsts[part] > 0)

    def _words(self) -> Counter[str]:
        if self._counts is None:
            self._counts = Counter(" ".join(self._texts).lower().split())
            for word in [word for word in self._counts if not word.isalpha()]:
                count = self._counts.pop(word)
                bare = word.strip(_EDGES)
                if bare and bare[-1] != "-":
                    self._counts[bare] += count
                    if "-" in bare:
                        self._firsts[bare.partition("-")[0]] += count
        return self._counts
