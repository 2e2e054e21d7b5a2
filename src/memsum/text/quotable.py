"""Sentences that are poor quotes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def poor_quotes(sentences: Sequence[str]) -> NDArray[np.float32]:
    """From 0 (fine) to 1 (poor)."""
    return np.zeros(len(sentences), np.float32)
