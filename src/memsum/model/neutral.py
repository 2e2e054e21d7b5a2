"""Language-neutral extraction, without the network: sentences that are central, early and add something new.

Sentences that share words with many others are central (LexRank: PageRank over the cosines of their weighted words).
The matrix of cosines is never made: a product with it is two products with the sentences' words, so a document costs
time and memory in proportion to its length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import ClassVar
from zlib import crc32

import numpy as np

from memsum.arrays import F32, F64
from memsum.features.counts import random_walk
from memsum.features.source_text import SourceText
from memsum.model.constraints import Quotas, TrigramBlock, constrain
from memsum.model.episode import Episode, State, Step, remaining_rows
from memsum.text import UNSPACED
from memsum.text.tfidf import TfIdf

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")  # pairs of these letters stand for words
_BUCKETS = 2**20 - 1  # words are distinguished by hash: a bounded table, however many there are
_ROUNDS = 30
_EARLY = 4.0  # restart bias towards the beginning: the first sentence against the last, less one
_SHORT = 6  # words; a shorter sentence says little, however central its words are


@dataclass(frozen=True)
class NeutralEncoding:
    """Documents in any language, by the words that their sentences share."""

    source: SourceText
    threshold: float  # p_stop at which the model stops: it is reached at the usual length of a summary
    caveats: tuple[str, ...] = ()
    is_long: ClassVar[bool] = False  # its sections have no quotas unless they are asked for

    def episode(self, *, blocking: bool = False, quotas: Quotas | None = None) -> Episode:
        source = self.source
        ranks, words = self._ranks, len(source.sentences)
        # Summaries of 40 and of 130 sentences have about 9 and 16, by the lengths the default model has learned.
        usual = math.sqrt(2 * words)
        scale = max(1, round(usual)) * (1 / min(max(self.threshold, 0.01), 0.99) - 1)
        trigrams = TrigramBlock(source.sentences) if blocking else None
        constraint = constrain(quotas, source.numbers, ranks, trigrams)
        return Episode(_RankedSteps(self._words, ranks, scale), source.numbers, source.total, constraint)

    def keywords(self) -> None:
        """Return None: without a network nothing is known about the salience of terms."""

    @cached_property
    def _words(self) -> _Words:
        return _Words(self.source.sentences)

    @cached_property
    def _ranks(self) -> F64:
        return self._words.ranks()


class _RankedStep(Step):
    """Ranks are scores already."""

    def score(self, index: int) -> float:
        return float(self.ratings[index])

    def scores(self) -> F32:
        return self.ratings.astype(np.float32)


class _RankedSteps:
    """Rates sentences by their rank, less what they share with the closest extracted one."""

    def __init__(self, words: _Words, ranks: F64, scale: float) -> None:
        """At `scale` sentences the probability of stopping is a half."""
        self._words = words
        self._ranks = ranks
        self._scale = scale
        self._nearest = np.zeros(len(ranks))  # cosine with the closest sentence that is extracted
        self._extracted: State = ()

    def step(self, state: State) -> Step:
        """Rate what remains; a state that does not follow the last one is built up from the beginning."""
        if state[: len(self._extracted)] != self._extracted:
            self._nearest, self._extracted = np.zeros(len(self._ranks)), ()
        for row in state[len(self._extracted) :]:
            self._nearest = np.maximum(self._nearest, self._words.cosines(row))
        self._extracted = state
        remaining = remaining_rows(len(self._ranks), state)
        ratings = (self._ranks * (1 - self._nearest))[remaining]
        return _RankedStep(remaining, ratings, len(state) / (len(state) + self._scale))


class _Words:
    """The weighted words of each sentence, by hash."""

    def __init__(self, sentences: Sequence[str]) -> None:
        hashes = [
            [crc32(word.encode("utf-8", "surrogatepass")) & _BUCKETS for word in split_words(sentence)]
            for sentence in sentences
        ]
        rows = np.repeat(np.arange(len(sentences)), np.array(list(map(len, hashes)), np.int64))
        terms = np.unique(np.fromiter(chain.from_iterable(hashes), np.int64), return_inverse=True)[1]
        self._weights = TfIdf.weigh(rows, terms, len(sentences), counted=False)

    def ranks(self) -> F64:
        size = self._weights.size
        if not size:
            return np.zeros(0)
        start = 1 + _EARLY * np.linspace(1, 0, size) ** 2
        start /= start.sum()
        fullness = np.minimum(1, np.bincount(self._weights.rows, minlength=size) / _SHORT)
        ranks = random_walk(self._similarity, start, _ROUNDS) * fullness
        return np.asarray(ranks / max(ranks.max(), 1e-12))

    def cosines(self, row: int) -> F64:
        return self._weights.cosines(row)

    def _similarity(self, vector: F64) -> F64:
        """Multiply the matrix of cosines, without its diagonal, by a vector."""
        return np.maximum(0, self._weights.products(self._weights.sums(vector)) - vector)


def split_words(sentence: str) -> Iterator[str]:
    """Yield the words of a sentence in small letters, or pairs of letters where the script has no spaces."""
    for word in _WORD.findall(sentence.lower()):
        if word.isascii() or not _UNSPACED.search(word):
            yield word
        else:
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
