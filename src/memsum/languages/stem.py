"""Word forms: stems that all forms of a word share, and singulars."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from memsum.languages import read_lists

if TYPE_CHECKING:
    from snowballstemmer.english_stemmer import EnglishStemmer

_SHORTEST = 3  # letters; shorter words have no endings
PAST = dict(line.split() for line in read_lists("english/past_forms")["past"])


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return what the forms of an English word in lower case have in common: "save" of saved, saves and savings."""
    word = word.replace("’", "'").strip("'").removesuffix("'s")
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    return str(_snowball().stemWord(PAST.get(word, word)))


@cache
def _snowball() -> EnglishStemmer:
    """Load the stemmer when the first word is to be stemmed: its package brings those of thirty languages."""
    from snowballstemmer.english_stemmer import EnglishStemmer

    return EnglishStemmer()


def singular(noun: str) -> str:
    """Return a noun in lower case without the ending of its plural."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ses", "xes", "ches", "shes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun
