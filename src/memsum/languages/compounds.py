"""Compound words: what tells the hyphen of "well-known" from that of a word cut at a line's end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from memsum.english import word_set

# First and last parts of compounds that keep their hyphen unless the whole is a known word.
FIRST_PARTS = word_set(
    """
    self well cross high low long short two three four five six seven eight nine ten first second third one half large
    small ill much all steady real state user data model multi semi quasi non anti ex mid near fine full hard soft open
    """
)
LAST_PARTS = word_set(
    """
    based like level free wise specific dependent independent aware oriented order term scale time dimensional driven
    type source step shot way fold known trained tuned grained party art
    """
)
# Last parts that keep it even if the whole is known: word lists have such compounds without their hyphen, too.
HYPHENATED = word_set("based making driven related specific dependent oriented aware")
LINKS = word_set("a and as at by for in of off on or out per the to up with")
# Ends of words that happen to be words, too.
ENDINGS = word_set(
    """
    able age al ally ance ant ate ation ations cal cally cation ction ed ence ent er ers ery es est ful fully ible ic
    ical ically ics ing ings ion ions ise ised ish ism ist ists ity ive ively ization ize ized izing less ling ly ment
    ments ness or ors ous ously room ship sion sions sis ted ten ter ters ther ting tion tional tions tive tively tor
    tors tures ture ties tic tics logical graphic metric man men con form port ward wards line lines side come most
    """
)
_WORDS = Path(__file__).with_name("words.txt")
_COMMON = 23_577  # the rank of a word that may be a part of a compound
_FREQUENT, _RARE = 7_726, 32_200
_SHORTEST = 3  # letters of such a part


@cache
def _ranks() -> Mapping[str, int]:
    """Return the rank of each known word, the most frequent first."""
    return {word: rank for rank, word in enumerate(_WORDS.read_text(encoding="utf-8").split())}


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
