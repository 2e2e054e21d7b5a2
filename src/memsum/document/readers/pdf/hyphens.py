"""Whether the hyphen at a line's end is the word's own: the document says so, or the vocabulary, or the parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from memsum.document.readers.base import listed

_VOCABULARY = Path(__file__).parents[3] / "model" / "embedded" / "default" / "vocabulary.txt"
_LAST = re.compile(r"(?P<chain>(?:[^\W_]{1,40}-){0,6})(?P<part>[^\W\d_]{1,60})-$")
_FIRST = re.compile(r"(?P<rest>[^\W\d_]+)(?P<more>(?:-[^\W_]+)*)")
_EDGES = "()[]{}<>.,;:!?\"'“”‘’«»…*†‡§"
_COMMON = 25_000  # the rank of a word that may be a part of a compound
_FREQUENT, _RARE = 8_000, 35_000
_SHORTEST = 3  # letters of such a part
# First and last parts of compounds that keep their hyphen unless the whole is a known word.
_FIRSTS = listed(
    """
    self well cross high low long short two three four five six seven eight nine ten first second third one half large
    small ill much all steady real state user data model multi semi quasi non anti ex mid near fine full hard soft open
    """
)
_LASTS = listed(
    """
    based like level free wise specific dependent independent aware oriented order term scale time dimensional driven
    type source step shot way fold known trained tuned grained party art
    """
)
# Last parts that keep it even if the whole is known: vocabularies have such compounds without their hyphen, too.
_HYPHENATED = listed("based making driven related specific dependent oriented aware")
_LINKS = listed("a and as at by for in of off on or out per the to up with")
# Ends of words that happen to be words, too.
_ENDINGS = listed(
    """
    able age al ally ance ant ate ation ations cal cally cation ction ed ence ent er ers ery es est ful fully ible ic
    ical ically ics ing ings ion ions ise ised ish ism ist ists ity ive ively ization ize ized izing less ling ly ment
    ments ness or ors ous ously room ship sion sions sis ted ten ter ters ther ting tion tional tions tive tively tor
    tors tures ture ties tic tics logical graphic metric man men con form port ward wards line lines side come most
    """
)


@cache
def _vocabulary() -> Mapping[str, int]:
    """The words of the embedded model, the frequent ones first; none in an installation without it."""
    try:
        words = _VOCABULARY.read_text(encoding="utf-8").split("\n")
    except OSError:
        return {}
    return {word: rank for rank, word in enumerate(words) if word.isalpha()}


class Hyphens:
    """The words that a document has inside its lines, and the decisions that follow from them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._counts: Counter[str] | None = None
        self._firsts: Counter[str] = Counter()

    def joint(self, text: str, following: str) -> str:
        """What stands between two lines: a space, nothing, or "-" for a hyphen that goes away."""
        end = text[-1]
        if end != "-":
            return "" if end in "–—/" and len(text) > 1 and not text[-2].isspace() else " "
        if len(text) > 1 and text[-2].isspace():
            return " "
        last, first = _LAST.search(text, text.rfind(" ") + 1), _FIRST.match(following)
        if not last or not first:
            return ""
        part, rest = last["part"], first["rest"]
        if not rest.islower() and not (part.isupper() and rest.isupper() and len(part) > 1):
            return ""
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
        if rest in _HYPHENATED and _is_known(part):
            return True
        if counts[whole] or (_is_known(whole) and not _is_misspelled(whole, part, rest)):
            return False
        if chain or more or rest in _LASTS or part in _FIRSTS:
            return len(part) > 1 and (rest in _LASTS or _is_known(rest))
        if min(len(part), len(rest)) < _SHORTEST or rest in _ENDINGS:
            return False
        ranks = _vocabulary()
        if ranks.get(rest, ranks.get(_stem(rest), _COMMON)) >= _COMMON:
            return False
        return ranks.get(part, _COMMON) < _COMMON or self._firsts[part] > 0

    def _words(self) -> Counter[str]:
        """How often each word stands inside a line; those cut at a line's end say nothing."""
        if self._counts is None:
            found = Counter(" ".join(self._texts).lower().split())
            self._counts = Counter()
            for word, count in found.items():
                bare = word.strip(_EDGES)
                if bare and bare[-1] != "-":
                    self._counts[bare] += count
                    if "-" in bare:
                        self._firsts[bare.partition("-")[0]] += count
        return self._counts


def _is_known(word: str) -> bool:
    ranks = _vocabulary()
    return word in ranks or _stem(word) in ranks


def _is_misspelled(whole: str, part: str, rest: str) -> bool:
    """Whether a rare word is two frequent ones: vocabularies have compounds that lost their hyphen in other PDFs."""
    ranks = _vocabulary()
    frequent = max(ranks.get(part, _RARE), ranks.get(rest, _RARE)) < _FREQUENT
    return frequent and min(len(part), len(rest)) > _SHORTEST and ranks.get(whole, _RARE) >= _RARE


def _stem(word: str) -> str:
    """A word without the endings that vocabularies lack most often."""
    for ending, instead in (("ies", "y"), ("es", "e"), ("s", ""), ("ally", "al"), ("ly", ""), ("ised", "ized")):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            return word[: -len(ending)] + instead
    return word
