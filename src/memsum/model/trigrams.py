"""Trigram blocking: a sentence that shares three words in a row with what is extracted is not extracted."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Words and numbers as one reads them. The model's own tokens would not do: rare words are several of them, and all
# numbers of one shape are the same one.
_WORD = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*")


class TrigramBlock:
    """The trigrams of a document's sentences, and which sentences they block."""

    least = 0  # quotes of a summary, by this

    def __init__(self, sentences: Sequence[str]) -> None:
        self._trigrams = [_trigrams(sentence) for sentence in sentences]
        self.blocked: NDArray[np.bool_] = np.zeros(len(sentences), bool)

    def extract(self, sentence: int) -> None:
        """Block every sentence that shares a trigram with this one."""
        own = self._trigrams[sentence]
        self.blocked |= np.fromiter((not own.isdisjoint(other) for other in self._trigrams), bool, len(self._trigrams))


def _trigrams(sentence: str) -> set[tuple[str, str, str]]:
    words = _WORD.findall(sentence.lower())
    return set(zip(words, words[1:], words[2:], strict=False))
