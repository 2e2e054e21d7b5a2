"""Thinned documents keep their episode, in order, and nothing is made up."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.features.encoding import EncodedText
from memsum.features.sentence import FEATURES
from memsum.training.learning.augment import SHORTEST, drop_blocks
from memsum.training.learning.data import EncodedDocument


def features(ids: np.ndarray, starts: np.ndarray) -> np.ndarray:
    return np.zeros((len(starts), len(FEATURES)), np.float32)


def make_document(sentences: int, episode: list[int]) -> EncodedDocument:
    """Sentence i has i % 5 + 1 words, each with the id i: what is kept can be told from the ids."""
    lengths = np.arange(sentences) % 5 + 1
    ids = np.repeat(np.arange(sentences), lengths).astype(np.int32)
    starts = np.cumsum(lengths) - lengths
    text = EncodedText(ids, starts, features(ids, starts), np.arange(sentences))
    return EncodedDocument(text, [np.array(episode)], np.array([0.5], np.float32))


@pytest.mark.parametrize("seed", range(20))
def test_the_episode_stays_and_sentences_stay_whole_and_in_order(seed: int):
    document = make_document(200, [150, 3, 77])
    thinned = drop_blocks(document, np.random.default_rng(seed))
    kept = [int(thinned.text.sentence(i)[0]) for i in range(len(thinned.text))]
    assert kept == sorted(set(kept))
    assert SHORTEST <= len(kept) <= 200
    for i, original in enumerate(kept):
        np.testing.assert_array_equal(thinned.text.sentence(i), document.text.sentence(original))
    assert [kept[i] for i in thinned.episodes[0]] == [150, 3, 77]
    assert thinned.rewards.tolist() == [0.5]
    assert thinned.text.features.shape == (len(kept), len(FEATURES))


def test_lengths_of_every_size_come_out():
    document = make_document(200, [1])
    lengths = [len(drop_blocks(document, np.random.default_rng(seed)).text) for seed in range(200)]
    assert min(lengths) < 45
    assert max(lengths) > 150


def test_an_episode_stays_sparse():
    document = make_document(200, list(range(0, 160, 10)))
    lengths = [len(drop_blocks(document, np.random.default_rng(seed)).text) for seed in range(50)]
    assert min(lengths) >= 160


def test_a_short_document_is_left_alone():
    document = make_document(SHORTEST, [0, 1])
    assert drop_blocks(document, np.random.default_rng(0)) is document
