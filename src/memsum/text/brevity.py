"""The price of words: a long sentence must be worth more than a shorter one to be quoted before it.

Where a summary ends depends on its words. A policy that has learned from greedy episodes takes the long sentences
first, as these do, and then has room for few. Short sentences are no better than usual ones: they say little.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FREE = 18  # words of a sentence that cost nothing
FULL = 36  # words of a sentence beyond which it is worth no more for having them


def prices(words: NDArray[np.integer[Any]], brevity: float) -> NDArray[np.float32]:
    """The price of sentences with so many words: what is taken off their logits."""
    priced: NDArray[np.float32] = np.float32(brevity) * np.log(np.maximum(words, FREE) / FREE, dtype=np.float32)
    return priced
