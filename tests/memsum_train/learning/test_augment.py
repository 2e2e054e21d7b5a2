"""Changed documents keep their words and their episodes: blocks are left out, boundaries lost and moved."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.features.encoding import FEATURES
from memsum_train.learning.augment import SHORTEST, drop_blocks, join_sentences
from memsum_train.learning.data import EncodedDocument

from ...helpers import encode_words


def make_document(lengths: list[int], *episodes: list[int]) -> EncodedDocument:
    """Sentence i consists of the word i: what went where can be told from the ids."""
    return encode_words([[i] * length for i, length in enumerate(lengths)], *episodes)


LONG = [i % 5 + 1 for i in range(200)]


@pytest.mark.parametrize("seed", range(20))
def test_the_episode_stays_and_sentences_stay_whole_and_in_order(seed: int):
    document = make_document(LONG, [150, 3, 77])
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
    document = make_document(LONG, [1])
    lengths = [len(drop_blocks(document, np.random.default_rng(seed)).text) for seed in range(200)]
    assert min(lengths) < 45
    assert max(lengths) > 150


def test_an_episode_stays_sparse():
    document = make_document(LONG, list(range(0, 160, 10)))
    lengths = [len(drop_blocks(document, np.random.default_rng(seed)).text) for seed in range(50)]
    assert min(lengths) >= 160


def test_a_short_document_is_left_alone():
    document = make_document(LONG[:SHORTEST], [0, 1])
    assert drop_blocks(document, np.random.default_rng(0)) is document


LENGTHS = [5 + i % 30 for i in range(100)]


@pytest.mark.parametrize("seed", range(20))
def test_words_stay_in_order_and_episodes_find_their_sentences(seed: int):
    document = make_document(LENGTHS, [90, 3, 50], [4, 3])
    joined = join_sentences(document, np.random.default_rng(seed))
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


def test_boundaries_are_lost_and_none_is_new():
    document = make_document(LENGTHS, [1])
    starts = [join_sentences(document, np.random.default_rng(seed)).text.starts for seed in range(50)]
    counts = [len(s) for s in starts]
    assert min(counts) < 70
    assert max(counts) > 95
    assert all(set(s.tolist()) <= set(document.text.starts.tolist()) for s in starts)


def test_two_sentences_of_an_episode_that_become_one_are_quoted_once():
    document = make_document([10] * 40, list(range(40)))
    joined = join_sentences(document, np.random.default_rng(1))
    assert len(joined.text) < 40
    assert joined.episodes[0].tolist() == list(range(len(joined.text)))


def test_nothing_grows_too_long():
    document = make_document([100] * 40, [1])
    for seed in range(20):
        assert join_sentences(document, np.random.default_rng(seed)).text.lengths.max() <= 150


def test_a_document_of_one_sentence_stays_as_it_is():
    joined = join_sentences(make_document([7], [0]), np.random.default_rng(0))
    assert joined.text.starts.tolist() == [0]
    assert joined.episodes[0].tolist() == [0]
