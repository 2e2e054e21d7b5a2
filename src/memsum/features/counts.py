"""Statistics of a document: its words, pairs of words and topics, and how central each sentence is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from memsum.arrays import F32, F64, I64, Bools, changes, distinct, lengths_of, split_keys, stable_order

_TOPICS = 50  # words that make up a document's topic
_DAMPING = 0.85  # share of the steps of a walk that go on to a similar sentence; the others restart
_ROUNDS = 6


def random_walk(
    likeness: Callable[[F64], F64],
    start: F64,
    rounds: int,
    close: float = 0.0,
    floor: float = 1e-9,
) -> F64:
    """Return the stationary distribution of a random walk between similar sentences (LexRank; Erkan and Radev, 2004).

    `likeness` multiplies by the matrix of similarities, which need never be made. The walk begins, and restarts, by
    `start`; it ends after so many rounds, or when one changes no more than `close`. `floor` is added to the degree of
    each sentence: one that is similar to none is not divided by zero.
    """
    degrees = likeness(np.ones(len(start))) + floor
    rank = start
    for _ in range(rounds):
        before, rank = rank, (1 - _DAMPING) * start + _DAMPING * likeness(rank / degrees)
        if close and np.abs(rank - before).sum() <= close:
            break
    return rank


class SegmentSums:
    """Sums of runs of values, one after the other, some of them empty, that are summed up again and again."""

    def __init__(self, bounds: I64) -> None:
        """`bounds` are where each run begins, and the end."""
        self._size = len(bounds) - 1
        self._some = np.flatnonzero(bounds[1:] > bounds[:-1])
        self._starts = bounds[self._some]

    def sums(self, values: F32) -> F64:
        """Return the sum of each run, 0 if it is empty: faster than `np.bincount`."""
        sums = np.zeros(self._size)
        sums[self._some] = np.add.reduceat(values, self._starts, dtype=np.float64)
        return sums


@dataclass(frozen=True)
class WordStatistics:
    """The words of one document's N sentences, T in all, of which U are distinct."""

    rows: I64  # (T,) which of the distinct words each word is
    starts: I64  # (N,)
    weights: F32  # (U,) rare words weigh more
    directions: F32  # (N, D) weighted mean of each sentence's word vectors, of length 1
    title: Bools  # (U,) whether a word is in the title

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def lengths(self) -> I64:
        lengths: I64 = lengths_of(self.starts, len(self.rows))
        return lengths

    @cached_property
    def sentences(self) -> I64:
        """The sentence of each word, (T,)."""
        return np.repeat(np.arange(len(self.starts)), self.lengths)

    @cached_property
    def once(self) -> tuple[I64, I64]:
        """Sentence and word, each word once per sentence, in order of the sentences."""
        size = len(self.weights)
        return split_keys(distinct(self.sentences * size + self.rows), size)

    @cached_property
    def once_starts(self) -> I64:
        """Start of each sentence in `once`."""
        return np.searchsorted(self.once[0], np.arange(len(self)))

    @cached_property
    def frequencies(self) -> F32:
        return np.bincount(self.rows, minlength=len(self.weights)).astype(np.float32)

    @cached_property
    def spread(self) -> F32:
        """Sentences that have each distinct word."""
        return np.bincount(self.once[1], minlength=len(self.weights)).astype(np.float32)

    @cached_property
    def topics(self) -> F32:
        """Weights of the words that this document has more often than others do: (U,), zero but for its topic words."""
        values = np.log(self.frequencies) * self.weights
        threshold = np.partition(values, -_TOPICS)[-_TOPICS] if len(values) > _TOPICS else 0.0
        return np.where(values >= threshold, values, 0).astype(np.float32)

    @cached_property
    def pairs(self) -> Pairs:
        size = len(self.weights)
        inside = self.sentences[1:] == self.sentences[:-1]
        keys = (self.rows[:-1] * size + self.rows[1:])[inside]
        order = stable_order(keys, size * size)
        is_first = changes(keys[order])
        number = np.empty(len(keys), np.int64)
        number[order] = np.cumsum(is_first) - 1
        first, second = split_keys(keys[order[is_first]], size)
        return Pairs(first, second, number, self.sentences[:-1][inside], len(self))

    @cached_property
    def centrality(self) -> F32:
        """Centrality of each sentence, 1 on average: a random walk between sentences that share words.

        LexRank without a threshold. The similarity of two sentences is a product of sparse rows, so the walk passes
        through the words and never compares sentence with sentence: its cost grows with the words.
        """
        sentence, word = self.once
        number, size = len(self), len(self.weights)
        values = (self.weights * np.log1p(number / self.spread))[word]
        values /= np.sqrt(np.bincount(sentence, values * values, number))[sentence] + 1e-9

        def likeness(shares: F64) -> F64:
            """Sum over all sentences their similarity to each, times their share."""
            through = np.bincount(word, values * shares[sentence], size)
            return np.add.reduceat(values * through[word], self.once_starts)

        return random_walk(likeness, np.ones(number), _ROUNDS).astype(np.float32)


@dataclass(frozen=True)
class Pairs:
    """Pairs of neighbouring words of a document: P in all, Q of them distinct."""

    first: I64  # (Q,) words
    second: I64  # (Q,)
    number: I64  # (P,) which of the distinct pairs
    sentence: I64  # (P,) where it stands
    sentences: int

    @cached_property
    def frequencies(self) -> F32:
        return np.bincount(self.number, minlength=len(self.first)).astype(np.float32)

    @cached_property
    def per_sentence(self) -> F32:
        """Pairs of each sentence, at least 1."""
        return np.maximum(np.bincount(self.sentence, minlength=self.sentences), 1).astype(np.float32)

    @cached_property
    def once(self) -> tuple[I64, I64]:
        """Sentence and pair, each pair once per sentence."""
        size = max(len(self.first), 1)
        return split_keys(distinct(self.sentence * size + self.number), size)

    @cached_property
    def once_runs(self) -> SegmentSums:
        return SegmentSums(np.searchsorted(self.once[0], np.arange(self.sentences + 1)))

    @cached_property
    def runs(self) -> SegmentSums:
        return SegmentSums(self.bounds)

    @cached_property
    def bounds(self) -> I64:
        """Start of the pairs of each sentence, and the end."""
        return np.searchsorted(self.sentence, np.arange(self.sentences + 1))

    def of(self, sentence: int) -> I64:
        begin, end = self.bounds[sentence : sentence + 2]
        return self.number[begin:end]
