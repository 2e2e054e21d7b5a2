"""How central each sentence is to its document, from word counts alone: two classic rankings without training.

Words are those of ROUGE. A word's weight in a sentence is its count there times log(N / n), for n of the document's N
sentences that have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memsum.rouge.tokens import porter

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIMILAR = 0.1  # cosine from which two sentences are neighbours
DAMPING = 0.85  # share of steps that follow the graph; the others go anywhere
_CLOSE = 1e-7
_DIGITS = 9  # of a score that count: what differs beyond them is a tie, and goes to the earlier sentence


@dataclass(frozen=True)
class _Weights:
    """The weights of the words of N sentences, each sentence's scaled to length 1: `values` at `rows`, `words`."""

    rows: Ints
    words: Ints
    values: Floats
    spread: Ints  # in how many sentences each word is


def centroid_ranking(text: Sequence[str]) -> list[int]:
    """Sentences by their cosine with the sum of all sentences' weights."""
    weights = _weigh(text)
    centroid = np.bincount(weights.words, weights.values, len(weights.spread))
    cosines = np.bincount(weights.rows, weights.values * centroid[weights.words], len(text))
    return _ranked(cosines.astype(np.float64))


def lexrank_ranking(text: Sequence[str]) -> list[int]:
    """Sentences by how often a random walk between similar ones comes by (LexRank; Erkan and Radev, 2004)."""
    number = len(text)
    graph = (_cosines(_weigh(text), number) > SIMILAR).astype(np.float64)
    degrees = graph.sum(axis=1)
    rank, before = np.full(number, 1 / number), np.zeros(number)
    while np.abs(rank - before).sum() > _CLOSE:
        rank, before = (1 - DAMPING) / number + DAMPING * ((rank / degrees) @ graph), rank
    return _ranked(rank)


def _weigh(text: Sequence[str]) -> _Weights:
    [(ids, bounds)], _ = porter().number(text)
    distinct, words = np.unique(ids, return_inverse=True)
    sentences = np.repeat(np.arange(len(text)), np.diff(bounds))
    places, counts = np.unique(sentences * len(distinct) + words, return_counts=True)
    rows, words = np.divmod(places, max(len(distinct), 1))
    spread = np.bincount(words, minlength=len(distinct))
    values = counts * np.log(len(text) / spread)[words]
    lengths = np.sqrt(np.bincount(rows, values**2, len(text)))
    return _Weights(rows, words, values / np.maximum(lengths, 1e-12)[rows], spread)


def _cosines(weights: _Weights, number: int) -> NDArray[np.float32]:
    """Cosines of all pairs of sentences; words that only one sentence has make none similar, and are left out."""
    shared = weights.spread > 1
    column = np.cumsum(shared) - 1
    keep = shared[weights.words]
    matrix = np.zeros((number, int(shared.sum())), np.float32)
    matrix[weights.rows[keep], column[weights.words[keep]]] = weights.values[keep]
    cosines: NDArray[np.float32] = matrix @ matrix.T
    np.fill_diagonal(cosines, 1)
    return cosines


def _ranked(scores: Floats) -> list[int]:
    rounded = np.round(scores / max(float(scores.max()), 1e-12), _DIGITS)
    return [int(index) for index in np.argsort(-rounded, kind="stable")]
