"""What a sentence would add to an extract, against a slow definition of it."""

from __future__ import annotations

import importlib.util
from collections import Counter
from itertools import pairwise

import pytest

from memsum_train.paper.episodes import search_episodes, sentence_gains
from memsum_train.rouge.tokens import snowball

from ...helpers import stems
from ..bridge import SUMMARY, TEXT

pytestmark = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs the train extra")


def slow_mean_f1(chosen: list[str], summary: tuple[str, ...]) -> float:
    """Mean of ROUGE-1 and 2 F1; bigrams of the extract within its sentences, of the summary over its running text."""
    sentences = [stems(snowball(), sentence) for sentence in chosen]
    reference = stems(snowball(), " ".join(summary))
    found, wanted = Counter(t for s in sentences for t in s), Counter(reference)
    pairs = Counter(pair for s in sentences for pair in pairwise(s))
    wanted_pairs = Counter(pairwise(reference))
    scores = []
    for have, want in ((found, wanted), (pairs, wanted_pairs)):
        total = have.total() + want.total()
        scores.append(2 * (have & want).total() / total if total else 0.0)
    return sum(scores) / 2


@pytest.mark.parametrize("chosen", [[], [0], [4, 0], [1, 3, 5], [5, 4, 3, 2, 1, 0]])
def test_gains_are_their_definition(chosen: list[int]):
    gains = sentence_gains(TEXT, SUMMARY, chosen)
    assert gains.shape == (len(chosen) + 1, len(TEXT))
    for time in range(len(chosen) + 1):
        before = [TEXT[i] for i in chosen[:time]]
        for i, sentence in enumerate(TEXT):
            if i in chosen[:time]:
                assert gains[time, i] == 0
            else:
                wanted = slow_mean_f1([*before, sentence], SUMMARY) - slow_mean_f1(before, SUMMARY)
                assert gains[time, i] == pytest.approx(wanted, abs=1e-12)


def test_the_search_follows_the_largest_gain():
    [episode] = search_episodes(TEXT, SUMMARY, branching=1)
    gains = sentence_gains(TEXT, SUMMARY, episode.indices)
    assert [int(row.argmax()) for row in gains[:-1]] == list(episode.indices)
    assert gains[-1].max() <= 0.001


def test_gains_where_there_are_no_words():
    assert not sentence_gains(["…", "—"], ["Costs rose."], [1]).any()
    assert not sentence_gains(["Costs rose.", "Staff left."], ["!"], []).any()
