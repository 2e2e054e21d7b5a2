"""Batches of sentences: every sentence in one, none too large, little padding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.runtime.sentences import by_length, neighbours


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
    ("number", "sizes"), [(1, [1]), (64, [64]), (65, [33, 32]), (90, [45, 45]), (130, [44, 43, 43])]
)
def test_neighbours_in_equal_parts(number: int, sizes: list[int]):
    batches = neighbours(number, 64)
    assert [len(batch) for batch in batches] == sizes
    assert np.concatenate(batches).tolist() == list(range(number))
