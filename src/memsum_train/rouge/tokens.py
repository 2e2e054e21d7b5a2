"""Texts to numbers: words found by a pattern, stemmed, and each stem numbered, with everything remembered.

Stemming a word costs a hundred times more than looking it up, and most words of a text have been seen before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from memsum.errors import needs_extra

REMEMBERED = 1 << 18  # words, at about 220 bytes each: more than thousands of papers have, and a bound on memory


class Tokenizer:
    """Finds the words of lowercased text, stems them, and numbers the stems; the same stem has the same number.

    The pattern is a run of characters of one class.
    """

    def __init__(self, pattern: str, stem: Callable[[str], str], remembered: int = REMEMBERED) -> None:
        self._find = re.compile(pattern).findall
        ascii_words = (chr(code).lower() if self._find(chr(code).lower()) else " " for code in range(128))
        self._ascii = "".join(ascii_words).encode().ljust(256)
        self._numbers = _Numbers(stem)
        self._remembered = remembered
        self._lock = Lock()

    def number(self, *texts: Iterable[str]) -> tuple[list[tuple[NDArray[np.int32], NDArray[np.int64]]], int]:
        """Return for each text, given as sentences, the numbers of its words and the bounds of its sentences.

        Also how many numbers there are. Numbers of different calls do not compare: the memory may be emptied between.
        """
        with self._lock:
            if len(self._numbers) > self._remembered:
                self._numbers.clear()
                self._numbers.stems.clear()
            number = self._numbers.__getitem__
            numbered = []
            for sentences in texts:
                ids: list[int] = []
                bounds = [0]
                for sentence in sentences:
                    ids.extend(map(number, self._words(sentence)))
                    bounds.append(len(ids))
                numbered.append((np.array(ids, np.int32), np.array(bounds, np.int64)))
            return numbered, len(self._numbers.stems)

    def _words(self, text: str) -> list[str]:
        if text.isascii():  # most text, and several times faster than by the pattern
            return text.encode().translate(self._ascii).decode().split()
        return self._find(text.lower())


class _Numbers(dict[str, int]):
    """The number of the stem of each word, found out when first asked for."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        super().__init__()
        self.stem = stem
        self.stems: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = self[word] = self.stems.setdefault(self.stem(word), len(self.stems))
        return number


@cache
def porter() -> Tokenizer:
    """Return the tokenizer of `rouge-score`, stemmer on: ASCII letters and digits, words of four and more stemmed."""
    with needs_extra("train", "ROUGE"):
        from nltk.stem.porter import PorterStemmer
    stem_any = PorterStemmer().stem

    def stem(word: str) -> str:
        if len(word) <= 3:
            return word
        try:
            return str(stem_any(word))
        except RecursionError:  # a run of a thousand letters "y" is too deep for the stemmer, and no word either
            return word

    return Tokenizer("[a-z0-9]+", stem)


@cache
def snowball() -> Tokenizer:
    r"""Return the tokenizer by which high-ROUGE episodes are defined: `\w+`, each with its English Snowball stem."""
    with needs_extra("train", "ROUGE"):
        from nltk.stem.snowball import SnowballStemmer
    return Tokenizer(r"\w+", SnowballStemmer("english").stem)
