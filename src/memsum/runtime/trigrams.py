"""Trigram blocking: a sentence that shares three words in a row with what is extracted is not extracted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memsum.text.encoding import EncodedText

_BITS = 21  # of a word's id: three ids make one number


class TrigramBlock:
    """The trigrams of a document's sentences, as the model reads their words."""

    def __init__(self, text: EncodedText) -> None:
        ids = text.ids.astype(np.int64)
        first = np.arange(max(0, len(ids) - 2))
        sentence = np.repeat(np.arange(len(text)), text.lengths)
        inside = sentence[first] == sentence[first + 2]
        first = first[inside]
        self._sentence = sentence[first]
        self._trigram = (ids[first] << 2 * _BITS) | (ids[first + 1] << _BITS) | ids[first + 2]
        self.blocked: NDArray[np.bool_] = np.zeros(len(text), bool)

    def extract(self, sentence: int) -> None:
        """Block every sentence that shares a trigram with this one."""
        own = self._trigram[self._sentence == sentence]
        self.blocked[self._sentence[np.isin(self._trigram, own)]] = True
