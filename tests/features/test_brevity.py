"""The price of words."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.features.brevity import FREE, prices, scraps


def test_a_longer_sentence_pays_and_a_short_one_gains_nothing() -> None:
    paid = prices(np.array([0, 1, FREE, 2 * FREE, 4 * FREE]), 0.5)
    assert paid[0] == paid[1] == paid[2] == 0 < paid[3]
    assert np.isclose(paid[4], 2 * paid[3])  # twice as long is as much dearer, however long


def test_without_a_price_nothing_changes() -> None:
    assert not prices(np.arange(200), 0.0).any()


def test_scraps_are_short_for_their_document() -> None:
    paper, story = np.array([4, 10, 25, 40, 30]), np.array([4, 6, 5, 8, 7])
    assert scraps(paper)[:3].tolist() == pytest.approx([np.log(5), np.log(2), 0])
    assert not scraps(paper)[2:].any()
    assert scraps(story)[0] == pytest.approx(np.log(6 / 4))
    assert not scraps(story)[1::2].any()
    assert not scraps(np.array([1])).any()
