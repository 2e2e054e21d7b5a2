"""Count-based history: what each sentence would add to the summary so far.

A history encoder has to find out by itself that two sentences say the same. Counting knows: how near a sentence is to
an extracted one, how many of its words and pairs of words were said already, how much of what a summary should say it
would newly say, and how far the summary has come. All of it is kept up from step to step at a small cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from memsum.arrays import F32, dot
from memsum.features.counts import WordStatistics
from memsum.features.salience import Salience

NOVELTY = (
    "share of the weighted words that were said",
    "share of the pairs of words that were said",
    "topic words newly said",
    "topic words newly said, per word",
    "likeness to the nearest extracted sentence",
    "nearness to an extracted sentence",
    "distance to the nearest extracted sentence",
    "follows an extracted sentence",
    "salient words newly said, per word",
    "salient pairs newly said, per word",
    "salient words newly said",
    # Progress: the same for all sentences, but for the words that a sentence would add.
    "nothing extracted yet",
    "words so far, of those expected",
    "words with this sentence, of those expected",
    "share of the topic words said",
    "share of the salient words said",
)
STOP = 10  # numbers that say how far a summary is
PAIRS_SAID = NOVELTY.index("share of the pairs of words that were said")


class Novelty:
    """The state of one document's episode, in numbers for each of its sentences."""

    def __init__(self, counts: WordStatistics, salience: Salience, expected: float) -> None:
        """`expected` is the logarithm of the number of words that a human summary would have."""
        self._counts = counts
        self._expected = math.exp(expected)
        number = len(counts)
        self._weights = counts.weights[counts.rows]
        self._all_weights = np.add.reduceat(self._weights, counts.starts) + 1e-6
        self._topics, self._all_topics = counts.topics.copy(), max(float(counts.topics.sum()), 1e-6)
        self._words, self._all_words = salience.words.copy(), max(float(salience.words.sum()), 1e-6)
        self._pairs, self._all_pairs = salience.pairs.copy(), float(salience.pairs.sum())
        self._said = np.zeros(len(counts.weights), np.float32)
        self._said_pairs = np.zeros(len(salience.pairs), np.float32)
        self._nearest = np.zeros(number, np.float32)
        self._gaps = np.full(number, number, np.int64)
        self._follows = np.zeros(number, np.float32)
        self.sentences = number
        self.words = 0  # that were extracted
        self.extracted = 0  # sentences

    def extract(self, sentence: int) -> None:
        counts = self._counts
        begin, length = int(counts.starts[sentence]), int(counts.lengths[sentence])
        rows, pairs = counts.rows[begin : begin + length], counts.pairs.of(sentence)
        self._said[rows], self._said_pairs[pairs] = 1, 1
        self._topics[rows], self._words[rows], self._pairs[pairs] = 0, 0, 0
        similarity = dot(counts.directions, counts.directions[sentence])
        self._nearest = np.maximum(self._nearest, similarity) if self.extracted else similarity
        self._gaps = np.minimum(self._gaps, np.abs(np.arange(len(counts)) - sentence))
        self._follows[sentence + 1 : sentence + 2] = 1
        self.words += length
        self.extracted += 1

    def after(self, sentences: Iterable[int]) -> Novelty:
        for sentence in sentences:
            self.extract(sentence)
        return self

    def pairs_said(self) -> F32:
        """Return the share of each sentence's pairs of words that were said."""
        pairs = self._counts.pairs
        return np.asarray(pairs.runs.sums(self._said_pairs[pairs.number]) / pairs.per_sentence, np.float32)

    @property
    def topics_said(self) -> float:
        """Share of the topic words that were said."""
        return 1 - float(self._topics.sum()) / self._all_topics

    @property
    def salience_said(self) -> float:
        """Share of the salient words that were said."""
        return 1 - float(self._words.sum()) / self._all_words

    @property
    def expected_score(self) -> tuple[float, float]:
        """ROUGE-1 and ROUGE-2 (F1) that the summary so far is expected to have."""
        words, pairs = self._all_words - float(self._words.sum()), self._all_pairs - float(self._pairs.sum())
        total = self.words + self._expected
        return 2 * words / total, 2 * pairs / total

    def features(self) -> F32:
        counts, pairs = self._counts, self._counts.pairs
        number, lengths = len(counts), counts.lengths
        x = np.zeros((number, len(NOVELTY)), np.float32)
        topics = np.add.reduceat(self._topics[counts.once[1]], counts.once_starts) / self._all_topics
        words = np.add.reduceat(self._words[counts.once[1]], counts.once_starts)
        x[:, 2] = 5 * topics
        x[:, 3] = 100 * topics / np.maximum(lengths, 8)
        x[:, 8] = 3 * words / np.maximum(lengths, 6)
        x[:, 9] = 5 * pairs.once_runs.sums(self._pairs[pairs.once[1]]) / np.maximum(lengths, 6)
        x[:, 10] = words / 20
        x[:, 13] = (self.words + lengths) / self._expected - 1
        if not self.extracted:
            x[:, 11] = 1
            return x
        said = self._weights * self._said[counts.rows]
        x[:, 0] = np.add.reduceat(said, counts.starts) / self._all_weights
        x[:, 1] = self.pairs_said()
        x[:, 4] = self._nearest
        x[:, 5] = np.exp(-(self._gaps - 1) / 3)
        x[:, 6] = np.log1p(self._gaps) / 5
        x[:, 7] = self._follows
        x[:, 12] = self.words / self._expected
        x[:, 14] = self.topics_said
        x[:, 15] = self.salience_said
        return x


def stop_inputs(memory: Novelty, expected: float, spread: float) -> F32:
    """Return (STOP,) how far a summary is: in standard deviations of a human summary's length, and in what it has said.

    Half a sentence is added to its words: one stops at the length that is nearest, not at the first that is greater.
    """
    count, words = memory.extracted, max(memory.words, 1)
    nearly = math.log(words * (1 + 0.5 / max(count, 1)))
    unigrams, bigrams = memory.expected_score
    return np.array(
        [
            (nearly - expected) / spread if count else -4.0,
            expected / 2 - 2.5,
            spread,
            memory.topics_said,
            memory.salience_said,
            math.log1p(count) / 2,
            math.log(memory.sentences) / 3 - 1.5,
            math.log(words / max(count, 1)) / 3,
            unigrams,
            # A sentence raises F1 if it brings, per word, more than half of it: in the units of `expected_value`.
            math.log(0.95 * unigrams + 0.5 * bigrams + 1e-3),
        ],
        np.float32,
    )
