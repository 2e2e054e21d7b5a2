"""An episode without the network, for a language that the model does not know: what is central, early and not yet said.

Sentences that share words with many others are central (LexRank: PageRank over the cosines of their weighted words).
The matrix of cosines is never made: a product with it is two products with the sentences' words, so a document costs
time and memory in proportion to its length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memsum.features.counts import random_walk
from memsum.model.graphs import Floats
from memsum.model.quotas import Turns, take_turns
from memsum.model.trigrams import TrigramBlock
from memsum.query.relevance import ANSWER, Index, Relevance

_WORD = re.compile(r"[^\W_]+")
# Scripts that put no space between words: pairs of their letters stand for words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_BUCKETS = 2**20 - 1  # words are told apart by hash: a bounded table, however many there are
_ROUNDS = 30
_EARLY = 4.0  # how much rather a walk begins anew at the first sentence than at the last, less one
_ANY = 0.3  # what a relevant sentence is worth that is not central at all
_SHORT = 6  # words; a shorter sentence says little, however central its words are


def neutral_index(sentences: Sequence[str], speakers: Sequence[str | None], headings: Sequence[str | None]) -> Index:
    """A document in any language as questions are looked up in it."""
    return Index.of_words(sentences, _words, speakers, headings)


class NeutralEpisode:
    """The episode of one document; the same to its reader as `Episode`. One thread at a time."""

    parts = 1

    def __init__(
        self,
        sentences: Sequence[str],
        threshold: float,
        *,
        block_trigrams: bool = False,
        relevance: Relevance | None = None,
        turns: Turns | None = None,
    ) -> None:
        """`threshold` is the p_stop at which the model stops: it is reached at the usual length of a summary, or, with
        `relevance`, of an answer."""
        self.sentences = len(sentences)
        self.choices: list[int] = []
        self.scores: list[float] = []
        self.expected: list[float] = []  # nobody can tell
        self._words = _Words(sentences)
        self._ranks = self._words.ranks()
        if relevance is not None:
            self._ranks = (_ANY + self._ranks) * relevance.shares / max(float(relevance.shares.max(initial=0)), 1e-9)
        self._nearest = np.zeros(self.sentences)  # cosine with the closest sentence that is extracted
        trigrams = TrigramBlock(sentences) if block_trigrams else None
        self._block = take_turns(turns, np.arange(self.sentences), lambda: self._ranks, trigrams)
        self.least = self._block.least if self._block is not None else 0
        # Summaries of 40 and of 130 sentences have about 9 and 16, by the lengths the default model has learned.
        shorter = math.exp(ANSWER) if relevance is not None else 1.0
        usual = max(1, round(shorter * math.sqrt(2 * self.sentences)))
        self._scale = usual * (1 / min(max(threshold, 0.01), 0.99) - 1)

    @property
    def stops(self) -> list[float]:
        """Probability of stopping before each choice and after the last."""
        return [self.stop(count) for count in range(len(self.choices) + 1)]

    def stop(self, count: int) -> float:
        """Probability of stopping when the first `count` choices are made: only the length decides."""
        return count / (count + self._scale)

    @property
    def step_scores(self) -> list[Floats]:
        """For each choice the scores (sentences,) it was made by; NaN for what was extracted: played once more."""
        nearest = np.zeros(self.sentences)
        scores = []
        for step, choice in enumerate(self.choices):
            row = (self._ranks * (1 - nearest)).astype(np.float32)
            row[self.choices[:step]] = np.nan
            scores.append(row)
            nearest = np.maximum(nearest, self._words.cosines(choice))
        return scores

    def extend(self, count: int) -> None:
        """Extract until there are `count` choices, or nothing more can be extracted; of equals the earlier."""
        while len(self.choices) < count:
            scores = self._ranks * (1 - self._nearest)
            scores[self.choices] = -1
            if self._block is not None:
                scores[self._block.blocked] = -1
            best = int(scores.argmax()) if self.sentences else -1
            if best < 0 or scores[best] < 0:
                return
            self.choices.append(best)
            self.scores.append(float(scores[best]))
            self._nearest = np.maximum(self._nearest, self._words.cosines(best))
            if self._block is not None:
                self._block.extract(best)


class _Words:
    """The words of each sentence with their weights, as a sparse matrix (sentences, words) of unit rows."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._sentences = len(sentences)
        counts = np.zeros(self._sentences, np.int64)
        hashes = np.fromiter(self._hashes(sentences, counts), np.int32)
        self._ends = np.cumsum(counts)
        self._rows = np.repeat(np.arange(self._sentences, dtype=np.int32), counts)
        distinct, columns = np.unique(hashes, return_inverse=True)
        self._columns = columns.astype(np.int32)
        self._width = len(distinct)
        frequency = np.bincount(self._columns, minlength=self._width)
        weights = np.log1p(self._sentences / np.maximum(frequency, 1))[self._columns]
        norms = np.sqrt(np.bincount(self._rows, weights**2, self._sentences))
        self._values = weights / np.maximum(norms, 1e-9)[self._rows]
        self._fullness = np.minimum(1, counts / _SHORT)

    @staticmethod
    def _hashes(sentences: Sequence[str], counts: NDArray[np.int64]) -> Iterator[int]:
        for row, sentence in enumerate(sentences):
            found = {crc32(word.encode("utf-8", "surrogatepass")) & _BUCKETS for word in _words(sentence)}
            counts[row] = len(found)
            yield from sorted(found)

    def ranks(self) -> NDArray[np.float64]:
        """How central each sentence is, 1 for the most."""
        if not self._sentences:
            return np.zeros(0)
        start = 1 + _EARLY * np.linspace(1, 0, self._sentences) ** 2
        start /= start.sum()
        ranks = random_walk(self._similarity, start, _ROUNDS) * self._fullness
        return np.asarray(ranks / max(ranks.max(), 1e-12))

    def cosines(self, row: int) -> NDArray[np.float64]:
        """The cosine of one sentence with each."""
        first = int(self._ends[row - 1]) if row else 0
        vector = np.zeros(self._width)
        here = slice(first, int(self._ends[row]))
        vector[self._columns[here]] = self._values[here]
        return np.minimum(1, np.bincount(self._rows, self._values * vector[self._columns], self._sentences))

    def _similarity(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """The matrix of cosines, without its diagonal, times a vector."""
        said = np.bincount(self._columns, self._values * vector[self._rows], self._width)
        return np.maximum(0, np.bincount(self._rows, self._values * said[self._columns], self._sentences) - vector)


def _words(sentence: str) -> Iterator[str]:
    """The words of a sentence in small letters, or pairs of letters where the script has no spaces."""
    for word in _WORD.findall(sentence.lower()):
        if word.isascii() or not _UNSPACED.search(word):
            yield word
        else:
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
