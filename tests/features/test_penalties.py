"""Penalties for the length of sentences."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.features.penalties import FREE_WORDS, FULL_WORDS, length_penalty, length_reward, short_penalty


def test_a_longer_sentence_pays_and_a_short_one_gains_nothing() -> None:
    paid = length_penalty(np.array([0, 1, FREE_WORDS, 2 * FREE_WORDS, 4 * FREE_WORDS]), 0.5)
    assert paid[0] == paid[1] == paid[2] == 0 < paid[3]
    assert np.isclose(paid[4], 2 * paid[3])  # twice as long is as much dearer, however long


def test_beyond_a_full_sentence_words_are_worth_no_more() -> None:
    rewards = length_reward(np.array([FREE_WORDS, FULL_WORDS, 9 * FULL_WORDS]), 1.0)
    assert rewards[0] == 0 < rewards[1] == rewards[2]


def test_without_brevity_nothing_changes() -> None:
    assert not length_penalty(np.arange(200), 0.0).any()


def test_sentences_are_short_for_their_document() -> None:
    paper, story = np.array([4, 10, 25, 40, 30]), np.array([4, 6, 5, 8, 7])
    assert short_penalty(paper)[:3].tolist() == pytest.approx([np.log(5), np.log(2), 0])
    assert not short_penalty(paper)[2:].any()
    assert short_penalty(story)[0] == pytest.approx(np.log(6 / 4))
    assert not short_penalty(story)[1::2].any()
    assert not short_penalty(np.array([1])).any()
