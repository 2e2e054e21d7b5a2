"""Tf-idf by its definition."""

from __future__ import annotations

import numpy as np
import pytest

from memsum_train.tfidf import TfIdf

ROWS = np.array([0, 0, 0, 1, 1, 3])  # the third text has no terms
TERMS = np.array([0, 1, 1, 1, 2, 0])


@pytest.mark.parametrize("smoothed", [True, False])
def test_it_is_what_its_definition_says(smoothed: bool) -> None:
    weights = TfIdf.weigh(ROWS, TERMS, 4, smoothed=smoothed)
    counts = np.zeros((4, 3))
    np.add.at(counts, (ROWS, TERMS), 1)
    spread = (counts > 0).sum(axis=0)
    assert weights.spread.tolist() == spread.tolist() == [2, 2, 1]
    shares = 4 / spread
    matrix = counts * (np.log1p(shares) if smoothed else np.log(shares))
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    vector, each = np.array([0.5, 2.0, -1.0]), np.array([1.0, 0.5, 3.0, 2.0])
    np.testing.assert_allclose(weights.products(vector), matrix @ vector)
    np.testing.assert_allclose(weights.sums(each), each @ matrix)


def test_without_terms_nothing_is_alike() -> None:
    weights = TfIdf.weigh(np.empty(0, np.int64), np.empty(0, np.int64), 2)
    assert weights.products(np.empty(0)).tolist() == [0, 0]
    assert weights.sums(np.ones(2)).tolist() == []
