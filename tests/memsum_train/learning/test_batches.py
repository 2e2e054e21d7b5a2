"""Batches: every word of every sentence in its place, states as drawn, all documents once an epoch."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from memsum_train.learning.data import EncodedCorpus, EncodedDocument
from memsum_train.learning.learner import epoch_batches
from memsum_train.learning.objectives.imitation import draw_states
from memsum_train.policy import Batch
from memsum_train.policy import batch as batching
from memsum_train.policy.batch import collate, micro_batches

from ...helpers import encode_words, rngs


def sentence(batch: Batch, document: int, place: int) -> tuple[list[int], np.ndarray]:
    """Word ids and features of a sentence, found through rows and buckets."""
    row = int(batch.rows.view(batch.mask.shape)[document, place])
    for bucket in batch.buckets:
        if row < len(bucket.words):
            words = bucket.words[row][bucket.mask[row]]
            assert len(words) == bucket.lengths[row]
            return batch.words[words].tolist(), bucket.features[row].numpy()
        row -= len(bucket.words)
    raise AssertionError("The place is in no bucket.")


@pytest.mark.parametrize("bucket_words", [1, 40, 4_096])
def test_every_sentence_is_where_it_belongs(
    short_corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch, bucket_words: int
):
    monkeypatch.setattr(batching, "_BUCKET_WORDS", bucket_words)
    texts = [short_corpus[i].text for i in (3, 0, 7)]
    batch = collate(texts)
    assert batch.lengths.tolist() == [len(text) for text in texts]
    assert batch.words[0] == 0
    for d, text in enumerate(texts):
        for i in range(len(text)):
            words, features = sentence(batch, d, i)
            assert words == text.sentence(i).tolist()
            np.testing.assert_array_equal(features, text.features[i])


def test_buckets_are_bounded_and_sorted_by_length(short_corpus: EncodedCorpus, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(batching, "_BUCKET_WORDS", 60)
    batch = collate([short_corpus[i].text for i in range(6)])
    lengths = torch.cat([bucket.lengths for bucket in batch.buckets])
    assert (lengths.diff() >= 0).all()
    for bucket in batch.buckets:
        assert bucket.words.numel() <= 60 or len(bucket.words) == 1
        assert bucket.words.shape[1] == bucket.lengths.max()
        assert not bucket.words[~bucket.mask].any()


def document(size: int, episodes: list[list[int]], rewards: list[float]) -> EncodedDocument:
    return encode_words([[word] for word in range(1, size + 1)], *episodes, rewards=rewards)


def test_all_states_of_episodes():
    documents = [document(5, [[4, 0, 2]], [0.8]), document(3, [[1]], [0.5])]
    targets = draw_states(documents, rngs(1, 2), 0)
    assert targets.per_document == 4
    first = np.random.default_rng(1)
    first.integers(1)
    order = first.permutation([4, 0, 2]).tolist()
    assert sorted(order) == [0, 2, 4]
    assert targets.action[:3].tolist() == order
    assert targets.stops[:6].tolist() == [False, False, False, True, False, True]
    assert targets.weight.tolist() == pytest.approx([0.2] * 4 + [0.25] * 2 + [0] * 2)
    for time in range(4):
        taken = targets.state.taken[time]
        assert targets.state.extracted[time][taken].tolist() == order[:time]
        assert taken.tolist() == [t < time for t in range(3)]
        left = targets.state.remaining[time].nonzero()[:, 0].tolist()
        assert left == [i for i in range(5) if i not in order[:time]]
    assert targets.state.remaining[4].tolist() == [True, True, True, False, False]  # beyond the document: never
    assert not targets.state.remaining[6:].any()  # the second document has two states only
    assert not targets.state.taken[6:].any()


def test_some_states_of_an_episode_weigh_as_much_as_all():
    documents = [document(9, [[4, 0, 2, 7]], [0.9])]
    seen: Counter[int] = Counter()
    for seed in range(400):
        targets = draw_states(documents, rngs(seed), 2)
        assert targets.weight.tolist() == pytest.approx([0.45, 0.45])
        times = targets.state.taken.sum(dim=1).tolist()
        assert times[0] != times[1]  # without replacement
        assert targets.stops.tolist() == [time == 4 for time in times]
        seen.update(times)
    assert set(seen) == {0, 1, 2, 3, 4}
    assert min(seen.values()) > 110  # 160 each on average


def test_more_states_than_an_episode_has():
    targets = draw_states([document(4, [[2]], [0.6])], rngs(3), 5)
    assert len(targets.action) == 5
    assert targets.weight.sum() == pytest.approx(0.6)


def test_each_episode_comes_with_its_own_reward():
    documents = [document(6, [[1, 2], [3]], [0.7, 0.3])]
    rewards = Counter()
    for seed in range(60):
        targets = draw_states(documents, rngs(seed), 0)
        rewards[round(float(targets.weight.sum()), 3)] += 1
        taken = set(targets.action[~targets.stops & (targets.weight > 0)].tolist())
        assert taken == ({1, 2} if targets.weight.sum() > 0.5 else {3})
    assert set(rewards) == {0.7, 0.3}


def test_an_empty_episode_is_only_a_stop():
    targets = draw_states([document(4, [[]], [0.1])], rngs(0), 0)
    assert targets.stops.tolist() == [True]
    assert targets.state.extracted.shape == (1, 0)
    assert targets.state.remaining.all()


sizes = st.lists(st.integers(1, 200), min_size=1, max_size=120)


@given(sizes, st.integers(1, 9), st.integers(0, 5))
def test_an_epoch_has_every_document_once(sentences: list[int], size: int, seed: int):
    numbers = np.array(sentences)
    epoch = epoch_batches(numbers, size, seed, 3)
    assert sorted(np.concatenate(epoch).tolist()) == list(range(len(sentences)))
    assert len(epoch) == -(-len(sentences) // size)
    assert max(map(len, epoch)) <= size
    again = epoch_batches(numbers, size, seed, 3)
    assert all((a == b).all() for a, b in zip(epoch, again, strict=True))


def test_epochs_and_seeds_differ_and_batches_hold_documents_of_a_length():
    sentences = np.random.default_rng(0).integers(5, 300, 400)
    orders = {tuple(np.concatenate(epoch_batches(sentences, 8, seed, epoch))) for seed in (0, 1) for epoch in (0, 1)}
    assert len(orders) == 4
    spread = np.mean([np.ptp(sentences[batch]) for batch in epoch_batches(sentences, 8, 0, 0)])
    assert spread < 20  # of almost 300


@given(sizes, st.integers(1, 500))
def test_parts_of_a_batch_are_bounded(sentences: list[int], most: int):
    numbers = np.array(sentences)
    parts = list(micro_batches(range(len(sentences)), numbers, most))
    assert sorted(i for part in parts for i in part) == list(range(len(sentences)))
    for part in parts:
        assert len(part) * max(sentences[i] for i in part) <= most or len(part) == 1
