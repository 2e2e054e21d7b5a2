"""Batches of sentences: every sentence in one, none too large, little padding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.runtime.sentences import by_length, shares


@given(lengths=st.lists(st.integers(1, 150), min_size=1, max_size=80))
def test_sequences_of_about_one_length(lengths: list[int]):
    batches = by_length(np.array(lengths), 16)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert all(len(batch) <= 16 for batch in batches)
    together = np.array(lengths)[np.concatenate(batches)]
    assert (np.diff(together) <= 0).all()
    for batch in batches:
        assert (np.array(lengths)[batch[4:]] >= 0.75 * lengths[batch[0]]).all()


@pytest.mark.parametrize(
    ("number", "bounds"), [(1, [0, 1]), (64, [0, 64]), (65, [0, 32, 65]), (90, [0, 45, 90]), (130, [0, 43, 86, 130])]
)
def test_neighbours_in_equal_shares(number: int, bounds: list[int]):
    assert shares(number, 64) == bounds
