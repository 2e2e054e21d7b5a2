"""Sentences similar to a query, by the cosine of sentence embeddings, to help annotators find their way.

An embedding is the mean of a sentence's word vectors, rare words weighing more, with the document's own mean taken
away: what all its sentences share says nothing about any of them. Without a model, tf-idf over the document. How large
a cosine is large depends on the vectors, so relevance goes by rank within the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder
from memsum.model import ModelConfig, find_model
from memsum.text import WordVectors, tokenize
from memsum_study.plan import StudyDocument
from memsum_train.tfidf import TfIdf

Floats = NDArray[np.float32]

STRONG, WEAK = 2, 1
LONGEST_QUERY = 2000
_CACHED = 256  # documents whose embeddings are kept, of about 200 kB each
_STRONG_COUNT = 3
_WEAK_COUNT, _WEAK_SHARE = 6, 0.05


class Embedded(Protocol):
    """A document's embedded sentences; cosines below `floor` are never relevant."""

    floor: float

    def cosines(self, query: str) -> Floats: ...


class Finder:
    """Finds a document's sentences that are relevant to a query; each document is embedded once."""

    def __init__(self, embed: Callable[[Sequence[str]], Embedded]) -> None:
        self._embedded = lru_cache(_CACHED)(lambda document: embed(document.text))

    def prepare(self, document: StudyDocument) -> None:
        """Embed a document ahead of its first query."""
        self._embedded(document)

    def relevance(self, document: StudyDocument, query: str) -> list[int]:
        """Return 2 for each sentence of the document that is most relevant to the query, 1 if near, 0 if not."""
        embedded = self._embedded(document)
        cosines = embedded.cosines(query[:LONGEST_QUERY])
        ranked = np.sort(cosines)[::-1]
        near = min(len(ranked), max(_WEAK_COUNT, round(_WEAK_SHARE * len(ranked))))
        strong, weak = ranked[min(_STRONG_COUNT, len(ranked)) - 1], ranked[near - 1]
        relevant = cosines >= embedded.floor
        levels = WEAK * (relevant & (cosines >= weak)) + (STRONG - WEAK) * (relevant & (cosines >= strong))
        return [int(level) for level in levels]


class WordMeans:
    """Weighted means of a model's word vectors."""

    floor = 0.3

    def __init__(self, encoder: TextEncoder, sentences: Sequence[str]) -> None:
        self._encoder = encoder
        means = np.stack([self._mean(sentence) for sentence in sentences])
        self._center = means.mean(axis=0) * (len(means) > 1)
        self._rows = _unit(means - self._center)

    def cosines(self, query: str) -> Floats:
        mean = self._mean(query)
        centered = _unit(mean - self._center) if mean.any() else mean
        cosines: Floats = self._rows @ centered
        return cosines

    def _mean(self, sentence: str) -> Floats:
        """Return the weighted mean direction of a sentence's words; zero if it has none that is known."""
        vectors = self._encoder.vectors
        ids = np.array(vectors.vocabulary.encode(tokenize(sentence)), np.int64)
        if not len(ids):
            return np.zeros(vectors.dimension, np.float32)
        return _unit((vectors.lookup(ids) * self._encoder.weights[ids][:, None]).sum(axis=0))


class WordCounts:
    """Counts of words, those of few sentences weighing more."""

    floor = 0.12

    def __init__(self, sentences: Sequence[str]) -> None:
        self._terms: dict[str, int] = {}
        words = [[self._terms.setdefault(word, len(self._terms)) for word in _words(one)] for one in sentences]
        rows = np.repeat(np.arange(len(words)), np.array(list(map(len, words)), np.int64))
        self._weights = TfIdf.weigh(rows, np.array([term for row in words for term in row], np.int64), len(words))
        # The last is for words that the document does not have.
        self._idf = np.log1p(len(words) / np.append(self._weights.spread, 1)).astype(np.float32)

    def cosines(self, query: str) -> Floats:
        wanted = np.zeros(len(self._idf), np.float32)
        for word, count in Counter(_words(query)).items():
            wanted[self._terms.get(word, -1)] += count
        return self._weights.products(_unit(wanted * self._idf)).astype(np.float32)


def open_finder(model: str | None) -> Finder:
    """Return a finder with the vectors of a model: the one named, or else the default if this installation has it."""
    try:
        source = find_model(model or "default")
    except ModelError:
        if model is not None:
            raise
        return Finder(WordCounts)
    settings = ModelConfig.load(source.folder).text
    return Finder(partial(WordMeans, TextEncoder(WordVectors.load(source.folder), settings)))


def _words(sentence: str) -> list[str]:
    return [token for token in tokenize(sentence) if token[0].isalnum()]


def _unit(rows: Floats) -> Floats:
    unit: Floats = (rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)).astype(np.float32)
    return unit
