"""Features of sentences from counting: position, length, and how central each is to its document."""

from __future__ import annotations

import itertools

import numpy as np

from memsum.arrays import F32, F64, I64, Bools, Ints, changes, dot, lengths_of, unit

FEATURES = (
    "position from the start",
    "position from the end",
    "nearness to the start",
    "nearness to the end",
    "length of the document",
    "length of the sentence",
    "share of numbers",
    "similarity to the document",
    "similarity to the beginning",
    "similarity to the end",
    "similarity to the neighbours",
    "salience of the words",
    "coverage of the document's words",
)
_SALIENT = 50  # words that make up a document's topic
_TOGETHER = 16  # sentences whose words' vectors are in memory at a time: allocation dominates the sum


def sentence_features(rows: Ints, starts: Ints, means: F32, weights: F32, numeric: Bools) -> F32:
    """Return features (N, F) of N sentences.

    rows (T,) are the words of all sentences one after the other, each sentence with at least one; starts (N,) where
    each begins; means (N, D) the weighted means of their words' vectors. weights (U,) and numeric (U,) say of each
    distinct word of the document its weight (rare words weigh more), and whether it is a number.
    """
    number = len(starts)
    if not number:
        return np.zeros((0, len(FEATURES)), np.float32)
    lengths = lengths_of(starts, len(rows))
    position = np.arange(number, dtype=np.float32)

    means = unit(means)
    edge = max(1, min(10, number // 5))
    neighbours = _neighbour_means(means)

    # In-document frequency of each word, times its weight: what this document speaks of more than others do.
    topics = np.log1p(np.bincount(rows, minlength=len(weights)) - 1) * weights
    by_word = topics.astype(np.float32)
    threshold = np.partition(by_word, -_SALIENT)[-_SALIENT] if len(weights) > _SALIENT else 0.0
    total = max(float(by_word[by_word >= threshold].sum()), 1e-6)
    salient = np.where(topics >= threshold, topics, 0)

    columns = [
        position / number,
        (number - 1 - position) / number,
        1 / (1 + position),
        1 / (number - position),
        np.full(number, np.log(number) / 3 - 1.5),
        np.log(lengths) / 2 - 1.5,
        np.add.reduceat(numeric[rows].astype(np.float32), starts) / lengths * 3,
        _similarity(means, means),
        _similarity(means, means[:edge]),
        _similarity(means, means[-edge:]),
        np.einsum("nd,nd->n", means, neighbours),
        np.add.reduceat(topics[rows], starts) / np.add.reduceat(weights[rows] + 1e-6, starts),
        _sums_once(salient, rows, np.repeat(np.arange(number), lengths), number) / total * 5,
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _similarity(means: F32, some: F32) -> F32:
    """Return the similarity of each sentence (N, D) to the mean of some."""
    near: F32 = dot(means, unit(some.mean(axis=0)))
    return near


def weighted_means(rows: Ints, starts: Ints, words: F32, weights: F32) -> F32:
    """Return weighted means (N, D) of the vectors words (U, D) in each sentence; `rows`, `starts` as above."""
    ends, by_place = np.append(starts, len(rows)), weights[rows]
    means = np.empty((len(starts), words.shape[1]), np.float32)
    for low in range(0, len(starts), _TOGETHER):
        some = ends[low : low + _TOGETHER + 1].tolist()
        vectors = words.take(rows[some[0] : some[-1]], axis=0)
        for sentence, (start, end) in enumerate(itertools.pairwise(some), low):
            np.dot(by_place[start:end], vectors[start - some[0] : end - some[0]], out=means[sentence])
    means /= np.maximum(np.add.reduceat(by_place, starts), 1e-6)[:, None] if len(starts) else 1
    return means


def _neighbour_means(means: F32) -> F32:
    """Return the direction of the two sentences before and the two after."""
    near = np.zeros_like(means)
    for shift in (1, 2):
        near[shift:] += means[:-shift]
        near[:-shift] += means[shift:]
    return unit(near)


def _sums_once(values: F64, rows: Ints, sentence: Ints, number: int) -> F64:
    """Sum the values (U,) of each sentence's words, a word that occurs twice counted once."""
    some = np.flatnonzero(values[rows])
    which, words = np.divmod(distinct(sentence[some] * len(values) + rows[some]), len(values))
    return np.asarray(np.bincount(which, values[words], number), np.float64)


def distinct(values: Ints) -> Ints:
    """Return what `np.unique` does, which imports numpy's masked arrays when first called: that slows down a start.

    The values of one sentence come after those of another: on such runs the stable sort is the faster one.
    """
    ordered = np.sort(values, kind="stable")
    return ordered[changes(ordered)]


def number_distinct(values: Ints, size: int) -> tuple[Ints, I64]:
    """Return the distinct values, from 0 to below `size`, in order, and the rank of each value among them.

    `np.unique` with the inverse; a table is faster than its sort.
    """
    occurs = np.zeros(size, bool)
    occurs[values] = True
    found = np.flatnonzero(occurs)
    ranks = np.empty(size, np.int64)
    ranks[found] = np.arange(len(found))
    return found, ranks[values]
