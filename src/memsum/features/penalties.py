"""Penalties for the length of sentences: what is taken off their logits.

Where a summary ends depends on its words. A policy that has learned from greedy episodes takes the long sentences
first, as these do, and then few fit in: a long sentence must be worth more than a shorter one to be quoted before it.
Short sentences are no better than usual ones: they say little.
"""

from __future__ import annotations

import numpy as np

from memsum.arrays import F32, Ints

FREE_WORDS = 18  # words of a sentence without a penalty
USUAL_WORDS = 20  # words of a sentence that is not short, in a document of longer ones
FULL_WORDS = 36  # words of a sentence beyond which it is worth no more for having them


def length_penalty(words: Ints, brevity: float) -> F32:
    """Return the penalties of sentences with so many words, which grow with the logarithm of their length."""
    penalty: F32 = np.float32(brevity) * np.log(np.maximum(words, FREE_WORDS) / FREE_WORDS, dtype=np.float32)
    return penalty


def length_reward(words: Ints, fullness: float) -> F32:
    """Return the rewards of sentences with so many words, for the first quotes: a short summary has few."""
    return length_penalty(np.minimum(words, FULL_WORDS), fullness)


def short_penalty(words: Ints) -> F32:
    """Return how much shorter each sentence is than the document's usual one, as a logarithm; 0 if it is not.

    Gain per word rewards the short ones, and readers learn little from them. In a story or a meeting, where all
    sentences are short, none is short for that.
    """
    usual = min(USUAL_WORDS, float(words.mean()))
    penalty: F32 = np.log(usual / np.clip(words, 1, usual), dtype=np.float32)
    return penalty
