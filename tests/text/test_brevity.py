"""The price of words."""

from __future__ import annotations

import numpy as np

from memsum.text.brevity import FREE, prices


def test_a_longer_sentence_pays_and_a_short_one_gains_nothing() -> None:
    paid = prices(np.array([0, 1, FREE, 2 * FREE, 4 * FREE]), 0.5)
    assert paid[0] == paid[1] == paid[2] == 0 < paid[3]
    assert np.isclose(paid[4], 2 * paid[3])  # twice as long is as much dearer, however long


def test_without_a_price_nothing_changes() -> None:
    assert not prices(np.arange(200), 0.0).any()
