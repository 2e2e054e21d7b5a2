"""Compound words: what tells the hyphen of "well-known" from that of a word cut at a line's end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from memsum.languages import DATA, read_words


def _words(heading: str) -> frozenset[str]:
    return read_words("english/compounds", heading)


FIRST_PARTS, LAST_PARTS, HYPHENATED = _words("first parts"), _words("last parts"), _words("hyphenated")
LINKS, ENDINGS = _words("links"), _words("endings")
_COMMON = 23_577  # the rank of a word that may be a part of a compound
_FREQUENT, _RARE = 7_726, 32_200
_SHORTEST = 3  # letters of such a part


@cache
def _ranks() -> Mapping[str, int]:
    """Return the rank of each known word, the most frequent first."""
    return {word: rank for rank, word in enumerate((DATA / "words.txt").read_text(encoding="utf-8").split())}


def is_known_word(word: str) -> bool:
    """Tell whether a word, or the word it is a form of, is in the list."""
    ranks = _ranks()
    return word in ranks or _base(word) in ranks


def is_common(word: str, *, inflected: bool = False) -> bool:
    """Tell whether a word, or if `inflected` the word it is a form of, may be a part of a compound."""
    ranks = _ranks()
    rank = ranks.get(word)
    if rank is None and inflected:
        rank = ranks.get(_base(word))
    return rank is not None and rank < _COMMON


def is_misspelled_compound(whole: str, part: str, rest: str) -> bool:
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
