"""The price of words: a long sentence must be worth more than a short one to be quoted before it.

Where a summary ends depends on its words. A policy that has learned from greedy episodes takes the long sentences
first, as these do, and then has room for few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

USUAL = 25  # words of a sentence whose score stays as it is


def handicaps(words: NDArray[np.integer[Any]], brevity: float) -> NDArray[np.float32]:
    """What is taken off the logits of sentences with so many words."""
    priced: NDArray[np.float32] = np.float32(brevity) * np.log(np.maximum(words, 1) / USUAL, dtype=np.float32)
    return priced
