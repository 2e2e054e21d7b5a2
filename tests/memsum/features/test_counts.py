"""What is counted of a document, against plain loops and dense matrices."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from memsum.features.counts import SegmentSums, WordStatistics
from memsum.features.encoding import TextEncoder
from memsum_train.corpus import Example


@pytest.fixture(scope="module")
def counts(counting_encoder: TextEncoder, examples: list[Example]) -> WordStatistics:
    return counting_encoder.count(counting_encoder.encode(examples[0].text))[0]


def test_words_and_pairs_are_counted_once_per_sentence(counts: WordStatistics) -> None:
    for sentence in range(len(counts)):
        begin, length = counts.starts[sentence], counts.lengths[sentence]
        words = counts.rows[begin : begin + length].tolist()
        of, word = counts.once
        assert word[of == sentence].tolist() == sorted(set(words))
        found = [(int(counts.pairs.first[p]), int(counts.pairs.second[p])) for p in counts.pairs.of(sentence)]
        assert found == list(pairwise(words))


def test_topics_are_frequent_words_that_weigh_much(counts: WordStatistics) -> None:
    assert 0 < np.count_nonzero(counts.topics) <= 50
    chosen = counts.topics > 0
    values = np.log(counts.frequencies) * counts.weights
    assert values[chosen].min() >= values[~chosen].max()


def test_centrality_is_a_walk_between_like_sentences(counts: WordStatistics) -> None:
    """The same with a dense matrix of cosines."""
    sentence, word = counts.once
    rows = np.zeros((len(counts), len(counts.weights)))
    rows[sentence, word] = (counts.weights * np.log1p(len(counts) / counts.spread))[word]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = rows @ rows.T
    walk = likeness / likeness.sum(axis=1, keepdims=True)
    rank = np.ones(len(counts))
    for _ in range(6):
        rank = 0.15 + 0.85 * walk.T @ rank
    np.testing.assert_allclose(counts.centrality, rank, rtol=1e-4)
    assert counts.centrality.mean() == pytest.approx(1, abs=1e-3)


def test_a_document_of_one_word(counting_encoder: TextEncoder) -> None:
    counts, _ = counting_encoder.count(counting_encoder.encode(["."]))
    assert len(counts.pairs.number) == 0
    assert counts.centrality.tolist() == pytest.approx([1])


@pytest.mark.parametrize(
    ("rows", "starts"), [([0], [0]), ([0, 1, 2], [0, 1, 2]), ([1, 0, 1, 0, 1, 0], [0, 3]), ([2, 2, 2, 1, 0], [0])]
)
def test_pairs_are_numbered_in_order_of_their_words(rows: list[int], starts: list[int]) -> None:
    size = max(rows) + 1
    counts = WordStatistics(
        np.array(rows),
        np.array(starts),
        np.ones(size, np.float32),
        np.zeros((len(starts), 1), np.float32),
        np.zeros(size, bool),
    )
    pairs = [pair for begin, end in pairwise([*starts, len(rows)]) for pair in pairwise(rows[begin:end])]
    ordered = sorted(set(pairs))
    assert list(zip(counts.pairs.first.tolist(), counts.pairs.second.tolist(), strict=True)) == ordered
    assert counts.pairs.number.tolist() == [ordered.index(pair) for pair in pairs]


@pytest.mark.parametrize("runs", [[], [0], [0, 0], [3], [0, 2, 0, 0, 1, 0], [1, 1, 4]])
def test_sums_are_those_of_each_run(runs: list[int]) -> None:
    values = np.linspace(1, 2, sum(runs), dtype=np.float32)
    bounds = np.cumsum([0, *runs])
    expected = np.bincount(np.repeat(np.arange(len(runs)), runs), values, len(runs))
    np.testing.assert_allclose(SegmentSums(bounds).sums(values), expected)
