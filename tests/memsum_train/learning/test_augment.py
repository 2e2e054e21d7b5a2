"""Joined documents have the same words, in other sentences; what an episode quotes is still quoted."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.features.encoding import EncodedText
from memsum.features.sentence import FEATURES
from memsum.training.learning.augment import split_elsewhere
from memsum.training.learning.data import EncodedDocument


def features(ids: np.ndarray, starts: np.ndarray) -> np.ndarray:
    return np.zeros((len(starts), len(FEATURES)), np.float32)


def make_document(lengths: list[int], *episodes: list[int]) -> EncodedDocument:
    """Sentence i consists of the word i: what went where can be told from the ids."""
    ids = np.repeat(np.arange(len(lengths)), lengths).astype(np.int32)
    starts = np.cumsum(lengths) - lengths
    text = EncodedText(ids, starts, features(ids, starts), np.arange(len(lengths)))
    return EncodedDocument(text, [np.array(e, np.int64) for e in episodes], np.full(len(episodes), 0.5, np.float32))


LENGTHS = [5 + i % 30 for i in range(100)]


@pytest.mark.parametrize("seed", range(20))
def test_words_stay_in_order_and_episodes_find_their_sentences(seed: int):
    document = make_document(LENGTHS, [90, 3, 50], [4, 3])
    joined = split_elsewhere(document, np.random.default_rng(seed))
    np.testing.assert_array_equal(joined.text.ids, document.text.ids)
    assert joined.text.starts[0] == 0
    assert (joined.text.lengths >= 1).all()
    assert len(joined.text) == len(joined.text.features) == len(joined.text.indices) <= 100
    for before, after in zip(document.episodes, joined.episodes, strict=True):
        assert len(set(after.tolist())) == len(after)
        quoted = np.concatenate([joined.text.sentence(i) for i in after])
        for sentence in before:
            assert 2 * (quoted == sentence).sum() >= LENGTHS[sentence]
    assert joined.rewards.tolist() == [0.5, 0.5]


def test_boundaries_are_lost_and_moved():
    document = make_document(LENGTHS, [1])
    starts = [split_elsewhere(document, np.random.default_rng(seed)).text.starts for seed in range(50)]
    counts = [len(s) for s in starts]
    assert min(counts) < 70
    assert max(counts) > 95
    assert any(not set(s.tolist()) <= set(document.text.starts.tolist()) for s in starts)


def test_two_sentences_of_an_episode_that_become_one_are_quoted_once():
    document = make_document([10] * 40, list(range(40)))
    joined = split_elsewhere(document, np.random.default_rng(1))
    assert len(joined.text) < 40
    assert joined.episodes[0].tolist() == list(range(len(joined.text)))


def test_nothing_grows_too_long():
    document = make_document([100] * 40, [1])
    for seed in range(20):
        assert split_elsewhere(document, np.random.default_rng(seed)).text.lengths.max() <= 150


def test_a_document_of_one_sentence_stays_as_it_is():
    joined = split_elsewhere(make_document([7], [0]), np.random.default_rng(0))
    assert joined.text.starts.tolist() == [0]
    assert joined.episodes[0].tolist() == [0]
