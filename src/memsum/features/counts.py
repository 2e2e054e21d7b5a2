"""What can be counted of a document once: its words, pairs of words and topics, and how central each sentence is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memsum.features.sentence import distinct

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_TOPICS = 50  # words that make up a document's topic
_DAMPING = 0.85  # share of the steps of a walk that go on to a sentence that is alike; the others begin anew
_ROUNDS = 6


def random_walk(
    likeness: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    start: NDArray[np.float64],
    rounds: int,
    close: float = 0.0,
    floor: float = 1e-9,
) -> NDArray[np.float64]:
    """How often a walk between sentences that are alike comes by each of them (LexRank; Erkan and Radev, 2004).

    `likeness` multiplies by the matrix of likenesses, which need never be made. The walk begins, and begins anew, by
    `start`; it ends after so many rounds, or when one changes no more than `close`. `floor` is added to what a
    sentence is like in all: one that is like none is not divided by zero.
    """
    degrees = likeness(np.ones(len(start))) + floor
    rank = start
    for _ in range(rounds):
        before, rank = rank, (1 - _DAMPING) * start + _DAMPING * likeness(rank / degrees)
        if close and np.abs(rank - before).sum() <= close:
            break
    return rank


def sums_between(values: Floats, bounds: Ints) -> NDArray[np.float64]:
    """The sum of the values from each bound to the next, 0 where there are none: faster than to count them."""
    sums = np.zeros(len(bounds) - 1)
    some = np.flatnonzero(bounds[1:] > bounds[:-1])
    sums[some] = np.add.reduceat(values, bounds[some], dtype=np.float64)
    return sums


@dataclass(frozen=True)
class Counts:
    """The words of one document's N sentences, T in all, of which U are distinct."""

    rows: Ints  # (T,) which of the distinct words stands at each place
    starts: Ints  # (N,)
    weights: Floats  # (U,) rare words weigh more
    directions: Floats  # (N, D) weighted mean of each sentence's word vectors, of length 1
    title: NDArray[np.bool_]  # (U,) whether a word is in the title

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def lengths(self) -> Ints:
        """Number of words of each sentence."""
        return np.diff(self.starts, append=len(self.rows))

    @cached_property
    def sentences(self) -> Ints:
        """The sentence of each word, (T,)."""
        return np.repeat(np.arange(len(self.starts)), self.lengths)

    @cached_property
    def once(self) -> tuple[Ints, Ints]:
        """Sentence and word, each word once per sentence, in order of the sentences."""
        size = len(self.weights)
        sentence, word = np.divmod(distinct(self.sentences * size + self.rows), size)
        return sentence, word

    @cached_property
    def once_starts(self) -> Ints:
        """Where each sentence begins in `once`."""
        return np.searchsorted(self.once[0], np.arange(len(self)))

    @cached_property
    def frequencies(self) -> Floats:
        """How often each distinct word occurs."""
        return np.bincount(self.rows, minlength=len(self.weights)).astype(np.float32)

    @cached_property
    def spread(self) -> Floats:
        """In how many sentences each distinct word occurs."""
        return np.bincount(self.once[1], minlength=len(self.weights)).astype(np.float32)

    @cached_property
    def topics(self) -> Floats:
        """What this document speaks of more than others do: (U,), zero but for its topic words."""
        values = np.log(self.frequencies) * self.weights
        threshold = np.partition(values, -_TOPICS)[-_TOPICS] if len(values) > _TOPICS else 0.0
        return np.where(values >= threshold, values, 0).astype(np.float32)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of neighbouring words."""
        size = len(self.weights)
        inside = self.sentences[1:] == self.sentences[:-1]
        keys = (self.rows[:-1] * size + self.rows[1:])[inside]
        order = np.argsort(keys, kind="stable")
        is_first = np.diff(keys[order], prepend=-1) != 0
        number = np.empty(len(keys), np.int64)
        number[order] = np.cumsum(is_first) - 1
        first, second = np.divmod(keys[order[is_first]], size)
        return Pairs(first, second, number, self.sentences[:-1][inside], len(self))

    @cached_property
    def centrality(self) -> Floats:
        """How central each sentence is among all, 1 on average: a random walk between sentences that share words.

        LexRank without a threshold. The likeness of two sentences is a product of sparse rows, so the walk passes
        through the words and never compares sentence with sentence: its cost grows with the words.
        """
        sentence, word = self.once
        number, size = len(self), len(self.weights)
        values = (self.weights * np.log1p(number / self.spread))[word]
        values /= np.sqrt(np.bincount(sentence, values * values, number))[sentence] + 1e-9

        def likeness(shares: NDArray[np.float64]) -> NDArray[np.float64]:
            """Sum over all sentences of their likeness to each, times their share."""
            through = np.bincount(word, values * shares[sentence], size)
            return np.add.reduceat(values * through[word], self.once_starts)

        return random_walk(likeness, np.ones(number), _ROUNDS).astype(np.float32)


@dataclass(frozen=True)
class Pairs:
    """Pairs of neighbouring words of a document: P in all, Q of them distinct."""

    first: Ints  # (Q,) words
    second: Ints  # (Q,)
    number: Ints  # (P,) which of the distinct pairs
    sentence: Ints  # (P,) where it stands
    sentences: int

    @cached_property
    def frequencies(self) -> Floats:
        """How often each distinct pair occurs."""
        return np.bincount(self.number, minlength=len(self.first)).astype(np.float32)

    @cached_property
    def per_sentence(self) -> Floats:
        """Pairs of each sentence, at least 1."""
        return np.maximum(np.bincount(self.sentence, minlength=self.sentences), 1).astype(np.float32)

    @cached_property
    def once(self) -> tuple[Ints, Ints]:
        """Sentence and pair, each pair once per sentence."""
        size = max(len(self.first), 1)
        sentence, pair = np.divmod(distinct(self.sentence * size + self.number), size)
        return sentence, pair

    @cached_property
    def once_bounds(self) -> Ints:
        """Where each sentence begins in `once`, and the end."""
        return np.searchsorted(self.once[0], np.arange(self.sentences + 1))

    @cached_property
    def bounds(self) -> Ints:
        """Where the pairs of each sentence begin, and the end."""
        return np.searchsorted(self.sentence, np.arange(self.sentences + 1))

    def of(self, sentence: int) -> Ints:
        """The distinct pairs of one sentence."""
        begin, end = self.bounds[sentence : sentence + 2]
        return self.number[begin:end]
