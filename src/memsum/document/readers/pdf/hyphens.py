"""Whether the hyphen at a line's end is the word's own: the document says so, or the vocabulary, or the parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from memsum.languages import DATA, read_words

_FILE = "english/compounds"
_FIRST_PARTS, _LAST_PARTS = read_words(_FILE, "first parts"), read_words(_FILE, "last parts")
_LINKS, _ENDINGS = read_words(_FILE, "links"), read_words(_FILE, "endings")
_HYPHENATED = read_words(_FILE, "hyphenated")
_COMMON = 23_577  # the rank of a word that may be a part of a compound
_FREQUENT, _RARE = 7_726, 32_200

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
        if (chain or more) and (part in _LINKS or rest in _LINKS):  # "state-of-the-art"
            return True
        if rest in _HYPHENATED and _is_known_word(part):
            return True
        if counts[whole] or (_is_known_word(whole) and not _is_misspelled_compound(whole, part, rest)):
            return False
        if chain or more or rest in _LAST_PARTS or part in _FIRST_PARTS:
            return len(part) > 1 and (rest in _LAST_PARTS or _is_known_word(rest))
        if min(len(part), len(rest)) < _SHORTEST or rest in _ENDINGS:
            return False
        return _is_common(rest, inflected=True) and (_is_common(part) or self._firsts[part] > 0)

    def _words(self) -> Counter[str]:
        if self._counts is None:
            self._counts = counts = Counter(" ".join(self._texts).lower().split())
            for word in [word for word in counts if not word.isalpha()]:
                count = counts.pop(word)
                bare = word.strip(_EDGES)
                if bare and bare[-1] != "-":
                    counts[bare] = counts.get(bare, 0) + count
                    if "-" in bare:
                        self._firsts[bare.partition("-")[0]] += count
        return self._counts


@cache
def _ranks() -> Mapping[str, int]:
    """Return the rank of each known word, the most frequent first."""
    return {word: rank for rank, word in enumerate((DATA / "words.txt").read_text(encoding="utf-8").split())}


def _is_known_word(word: str) -> bool:
    """Tell whether a word, or the word it is a form of, is in the list."""
    ranks = _ranks()
    return word in ranks or _base(word) in ranks


def _is_common(word: str, *, inflected: bool = False) -> bool:
    """Tell whether a word, or if `inflected` the word it is a form of, may be a part of a compound."""
    ranks = _ranks()
    rank = ranks.get(word)
    if rank is None and inflected:
        rank = ranks.get(_base(word))
    return rank is not None and rank < _COMMON


def _is_misspelled_compound(whole: str, part: str, rest: str) -> bool:
    """Tell whether a rare word is two frequent ones: the list has compounds that lost their hyphen in other PDFs."""
    ranks = _ranks()
    frequent = max(ranks.get(part, _RARE), ranks.get(rest, _RARE)) < _FREQUENT
    return frequent and min(len(part), len(rest)) > _SHORTEST and ranks.get(whole, _RARE) >= _RARE


def _base(word: str) -> str:
    """Remove the endings whose forms the list lacks most often; unlike a stem, the rest is a word."""
    for ending, instead in (("ies", "y"), ("es", "e"), ("s", ""), ("ally", "al"), ("ly", ""), ("ised", "ized")):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            return word[: -len(ending)] + instead
    return word
