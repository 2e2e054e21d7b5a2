"""What can be said of a sentence from counting: its place, its length, how central it is to its document."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.integer[Any]]

FEATURES = (
    "place from the start",
    "place from the end",
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
_TOGETHER = 64  # sentences summed at a time


def sentence_features(rows: Ints, starts: Ints, words: Floats, weights: Floats, numeric: NDArray[np.bool_]) -> Floats:
    """Features (N, F) of N sentences.

    words (U, D), weights (U,) and numeric (U,) say of each distinct word of the document its vector, its weight in
    averages (rare words weigh more), and whether it is a number; rows (T,) are the words of all sentences one after the
    other, each sentence with at least one; starts (N,) where each begins.
    """
    number = len(starts)
    if not number:
        return np.zeros((0, len(FEATURES)), np.float32)
    lengths = np.diff(np.append(starts, len(rows)))
    place = np.arange(number, dtype=np.float32)

    means = _unit(_sums(words * weights[:, None], rows, starts))
    edge = max(1, min(10, number // 5))
    neighbours = _neighbour_means(means)

    # In-document frequency of each word, times its weight: what this document speaks of more than others do.
    topics = np.log1p(np.bincount(rows, minlength=len(words)) - 1) * weights
    by_word = topics.astype(np.float32)
    threshold = np.partition(by_word, -_SALIENT)[-_SALIENT] if len(words) > _SALIENT else 0.0
    total = max(float(by_word[by_word >= threshold].sum()), 1e-6)
    topic = topics[rows]
    salient = np.where(topic >= threshold, topic, 0) * _first_in_sentence(rows, starts, lengths)

    columns = [
        place / number,
        (number - 1 - place) / number,
        1 / (1 + place),
        1 / (number - place),
        np.full(number, np.log(number) / 3 - 1.5),
        np.log(lengths) / 2 - 1.5,
        np.add.reduceat(numeric[rows].astype(np.float32), starts) / lengths * 3,
        means @ _unit(means.mean(axis=0)),
        means @ _unit(means[:edge].mean(axis=0)),
        means @ _unit(means[-edge:].mean(axis=0)),
        np.einsum("nd,nd->n", means, neighbours),
        np.add.reduceat(topic, starts) / np.add.reduceat(weights[rows] + 1e-6, starts),
        np.add.reduceat(salient, starts) / total * 5,
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _sums(words: Floats, rows: Ints, starts: Ints) -> Floats:
    """Sum of each sentence's word vectors, a few sentences at a time: the vectors of all their words would be large."""
    ends = np.append(starts, len(rows))
    parts = []
    for low in range(0, len(starts), _TOGETHER):
        some = ends[low : low + _TOGETHER + 1]
        parts.append(np.add.reduceat(words[rows[some[0] : some[-1]]], some[:-1] - some[0], axis=0))
    return np.concatenate(parts)


def _unit(x: Floats) -> Floats:
    unit: Floats = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-6)
    return unit


def _neighbour_means(means: Floats) -> Floats:
    """Direction of the two sentences before and the two after."""
    near = np.zeros_like(means)
    for shift in (1, 2):
        near[shift:] += means[:-shift]
        near[:-shift] += means[shift:]
    return _unit(near)


def _first_in_sentence(words: Ints, starts: Ints, lengths: Ints) -> NDArray[np.bool_]:
    """True where a word occurs for the first time in its sentence."""
    sentence = np.repeat(np.arange(len(starts)), lengths)
    _, first = np.unique(sentence * (int(words.max(initial=0)) + 1) + words, return_index=True)
    is_first = np.zeros(len(words), bool)
    is_first[first] = True
    return is_first
