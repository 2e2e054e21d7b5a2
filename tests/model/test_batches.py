"""Batches of sentences: every sentence in one, none too large, little padding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.features.encoding import EncodedText, Words
from memsum.model.sentences import _bags, by_length, shares


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


@pytest.mark.parametrize("number", [1, 128, 300])
def test_bags_count_the_words_of_each_sentence(number: int):
    draw = np.random.default_rng(number)
    rows = [draw.integers(0, 9, draw.integers(1, 30)).tolist() for _ in range(number)]
    starts = np.cumsum([0, *map(len, rows)])[:-1]
    ids = np.concatenate(rows)
    distinct, places = np.unique(ids, return_inverse=True)
    words = Words(distinct, distinct[:, None].astype(np.float32), places, np.zeros((number, 1), np.float32))
    counted = [
        {int(word): int(count) for word, count in zip(bag["words"][:, 0], counts, strict=True) if count}
        for bag in _bags(EncodedText.unread(ids, starts), words)
        for counts in bag["counts"]
    ]
    assert counted == [{word: row.count(word) for word in set(row) - {0}} for row in rows]  # 0 is the padding
