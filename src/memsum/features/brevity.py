"""The price of words: a long sentence must be worth more than a shorter one to be quoted before it.

Where a summary ends depends on its words. A policy that has learned from greedy episodes takes the long sentences
first, as these do, and then has room for few. Short sentences are no better than usual ones: they say little.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FREE = 18  # words of a sentence that cost nothing
USUAL = 20  # words that a sentence has which is not short, in a document of longer ones
FULL = 36  # words of a sentence beyond which it is worth no more for having them


def prices(words: NDArray[np.integer[Any]], brevity: float) -> NDArray[np.float32]:
    """The price of sentences with so many words: what is taken off their logits."""
    priced: NDArray[np.float32] = np.float32(brevity) * np.log(np.maximum(words, FREE) / FREE, dtype=np.float32)
    return priced


def scraps(words: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
    """How much shorter each sentence is than the document's usual one, as a logarithm; 0 for those that are not.

    Gain per word rewards the short ones, and readers learn little from them. In a story or a meeting, where all
    sentences are short, none is a scrap for that.
    """
    usual = min(USUAL, float(words.mean()))
    short: NDArray[np.float32] = np.log(usual / np.clip(words, 1, usual), dtype=np.float32)
    return short
