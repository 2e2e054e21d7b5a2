"""Learned salience: the probability that a word, and a pair of words, of a document is in a human summary of it.

A small network, fitted in a minute to human summaries: what a word means (a few numbers learned from its vector), how
often and where the document says it, whether the title has it. What a sentence is expected to contribute to a summary
follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from memsum.arrays import F32, I32, I64, changes, sigmoid, stable_order
from memsum.errors import ModelError
from memsum.features.counts import WordStatistics
from memsum.files import write_atomically
from memsum.text.vectors import load_arrays

SALIENCE_FILE = "salience.safetensors"
WORD_FEATURES = 12
PAIR_FEATURES = 8
PAIR_COUNTS = PAIR_FEATURES - 2  # of these, the ones that are not log-odds of its two words
SIGNALS = 6
VOTES = 24  # numbers by which a sentence, seen in its context, rates its words
_EDGE = 10  # a tenth of the document is its beginning, a tenth its end

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Salience:
    """Probabilities of one document's distinct words and pairs."""

    words: F32  # (U,)
    pairs: F32  # (Q,)

    @classmethod
    def of_odds(cls, words: F32, pairs: F32) -> Salience:
        return cls(sigmoid(words), sigmoid(pairs))

    def signals(self, counts: WordStatistics) -> F32:
        """Return what each sentence is expected to share with a summary, (N, SIGNALS): per word, and in all."""
        lengths = counts.lengths.astype(np.float32)
        words = np.add.reduceat(self.words[counts.rows], counts.starts)
        weighted = np.add.reduceat((self.words * counts.weights)[counts.rows], counts.starts)
        weights = np.add.reduceat(counts.weights[counts.rows], counts.starts) + 1e-6
        pairs = np.bincount(counts.pairs.sentence, self.pairs[counts.pairs.number], len(counts))
        columns = [3 * words / lengths, 5 * pairs / lengths, 5 * weighted / weights]
        columns += [np.log1p(words), np.log1p(pairs), np.log1p(weighted)]
        return np.stack(columns, axis=1).astype(np.float32)


@dataclass(frozen=True)
class SalienceInputs:
    """Log-odds of a document's words and pairs, and what they follow from, until the context refines them."""

    words: F32  # (U,)
    pairs: F32  # (Q,)
    word_features: F32  # (U, WORD_FEATURES)
    pair_features: F32  # (Q, PAIR_FEATURES)
    vectors: F32  # (U, D) of the words

    @property
    def salience(self) -> Salience:
        return Salience.of_odds(self.words, self.pairs)


@dataclass(frozen=True)
class SalienceModel:
    """One hidden layer for words, one for pairs; what is learned from a word's vector is kept in a table."""

    meanings: NDArray[np.int8]  # (V, H) of each word of the vocabulary
    scales: F32  # (H,)
    word: F32  # (H, WORD_FEATURES)
    word_bias: F32  # (H,)
    word_out: F32  # (H,)
    word_out_bias: F32  # (1,)
    pair: F32  # (K, PAIR_FEATURES)
    pair_bias: F32  # (K,)
    pair_out: F32  # (K,)
    pair_out_bias: F32  # (1,)

    def of(self, counts: WordStatistics, distinct: I32, vectors: F32) -> SalienceInputs:
        """Rate a document's words, whose ids are `distinct` and whose vectors these, and its pairs."""
        meanings = self.meanings[distinct] * self.scales
        of_words = word_features(counts)
        odds = _layers(of_words, self.word, meanings + self.word_bias, self.word_out, self.word_out_bias)
        of_pairs = pair_features(counts, odds)
        pairs = _layers(of_pairs, self.pair, self.pair_bias, self.pair_out, self.pair_out_bias)
        return SalienceInputs(odds, pairs, of_words, of_pairs, vectors)

    def of_counts(self, counts: WordStatistics) -> Salience:
        """Rate a document's words and pairs by how often and where they stand, whatever they mean."""
        odds = _layers(word_features(counts), self.word, self.word_bias[None], self.word_out, self.word_out_bias)
        pairs = _layers(pair_features(counts, odds), self.pair, self.pair_bias, self.pair_out, self.pair_out_bias)
        return Salience.of_odds(odds, pairs)

    def save(self, folder: Path) -> None:
        write_atomically(folder / SALIENCE_FILE, save(vars(self)))

    @classmethod
    def load(cls, folder: Path, vocabulary: int) -> SalienceModel:
        """Read what `save` wrote, for a vocabulary of so many words."""
        path = folder / SALIENCE_FILE
        model = load_arrays(path, cls)
        hidden = len(model.scales)
        if model.meanings.shape != (vocabulary, hidden) or model.word.shape != (hidden, WORD_FEATURES):
            raise ModelError(f"{path} does not fit the model's vocabulary.")
        return model


def contextual_inputs(counts: WordStatistics, evidence: SalienceInputs, votes: F32) -> tuple[Arrays, Arrays]:
    """Return what `salience.onnx` takes for contextual salience, of words and of pairs; `votes` (N, VOTES)."""
    words = {
        "words": np.concatenate([evidence.words[:, None], evidence.word_features], axis=1),
        "vectors": evidence.vectors,
        "word_looks": gather_votes(*counts.once, votes, len(evidence.words)),
    }
    pairs = {
        "pairs": np.concatenate([evidence.pairs[:, None], evidence.pair_features[:, -PAIR_COUNTS:]], axis=1),
        "pair_looks": gather_votes(*counts.pairs.once, votes, len(evidence.pairs)),
        "first": counts.pairs.first,
        "second": counts.pairs.second,
    }
    return words, pairs


def gather_votes(sentence: I64, row: I64, votes: F32, size: int) -> F32:
    """Return (size, 2 · VOTES) mean and maximum of the votes (N, VOTES) of the sentences of each word or pair."""
    where = np.empty(size, np.int64)
    where[row] = sentence
    # Most stand in one sentence: of those, mean and maximum are its votes.
    gathered: F32 = np.concatenate([votes, votes], axis=1).take(where, axis=0)
    counts = np.bincount(row, minlength=size)
    often = np.flatnonzero(counts[row] > 1)
    if len(often):
        order = often[stable_order(row[often], size)]
        starts = np.flatnonzero(changes(row[order]))
        these, given, width = row[order[starts]], votes.take(sentence[order], axis=0), votes.shape[1]
        gathered[these, :width] = np.add.reduceat(given, starts, axis=0) / counts[these, None]
        gathered[these, width:] = np.maximum.reduceat(given, starts, axis=0)
    return gathered


def word_features(counts: WordStatistics) -> F32:
    """Return how often and where a document has each of its distinct words, (U, WORD_FEATURES)."""
    number, size = len(counts), len(counts.weights)
    sentence, word = counts.once
    edge = max(1, number // _EDGE)
    first, last = np.empty((2, size), np.float32)
    first[word[::-1]] = sentence[::-1]
    last[word] = sentence
    most = np.zeros(size, np.float32)
    np.maximum.at(most, word, counts.centrality[sentence])
    columns = [
        np.log(counts.frequencies),
        np.log(counts.spread),
        5 * counts.spread / number,
        2 * counts.weights - 1,
        first / number,
        last / number,
        np.log1p(np.bincount(word[sentence < edge], minlength=size)),
        np.log1p(np.bincount(word[sentence >= number - edge], minlength=size)),
        counts.title,
        np.full(size, np.log(number) / 3 - 1.5),
        np.log1p(np.bincount(word, counts.centrality[sentence], size)),
        most,
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def pair_features(counts: WordStatistics, odds: F32) -> F32:
    """Return features of its distinct pairs, (Q, PAIR_FEATURES), from the log-odds of their words."""
    pairs, frequencies = counts.pairs, counts.frequencies
    most = np.zeros(len(pairs.first), np.float32)
    np.maximum.at(most, pairs.number, counts.centrality[pairs.sentence])
    columns = [
        odds[pairs.first],
        odds[pairs.second],
        np.log(pairs.frequencies),
        np.log(pairs.frequencies / frequencies[pairs.first]),
        np.log(pairs.frequencies / frequencies[pairs.second]),
        counts.weights[pairs.first],
        counts.weights[pairs.second],
        most,
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _layers(x: F32, hidden: F32, bias: F32, out: F32, out_bias: F32) -> F32:
    """Apply one hidden layer.

    By einsum: a BLAS would take threads for it, which then keep other cores busy with waiting. The many words or pairs
    are the last axis: einsum is three times as fast where its inner loop is long.
    """
    activity = np.einsum("fn,hf->hn", np.ascontiguousarray(x.T), hidden)
    activity += np.atleast_2d(bias).T
    np.maximum(activity, 0, out=activity)
    return np.asarray(np.einsum("hn,h->n", activity, out) + out_bias, np.float32)
