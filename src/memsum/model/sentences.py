"""Local embeddings of a document's sentences, in batches that waste little."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32, I64
from memsum.features.encoding import EncodedText, Words
from memsum.features.sentence import number_distinct
from memsum.model.graphs import Graph

Inputs = dict[str, NDArray[Any]]

_PADDING = 0  # a word that is none
_SEQUENCES = 16  # sentences of about one length in a batch of an LSTM
_BAGS = 128  # neighbouring sentences, which share many words, in a batch of the other encoders


class SentenceEncoder:
    """`sentences.onnx` and the batches it wants: sequences of words for an LSTM, bags of words for the others."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._ordered = "rows" in graph.inputs

    def encode(self, text: EncodedText, words: Words, pool: Executor | None) -> F32:
        return self._encode_sequences(text, words, pool) if self._ordered else self._encode_bags(text, words)

    def _encode_sequences(self, text: EncodedText, words: Words, pool: Executor | None) -> F32:
        batches = by_length(text.lengths, _SEQUENCES)
        vectors, rows = _behind_padding(words)

        def run(batch: I64) -> F32:
            return self._graph.run({"words": vectors, **_sequences(text, rows, batch)})["local"]

        parts = list(pool.map(run, batches) if pool and len(batches) > 1 else map(run, batches))
        local = np.empty((len(text), parts[0].shape[1]), np.float32)
        local[np.concatenate(batches)] = np.concatenate(parts)
        return local

    def _encode_bags(self, text: EncodedText, words: Words) -> F32:
        parts = [self._graph.run(inputs)["local"] for inputs in _bags(text, words)]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _behind_padding(words: Words) -> tuple[F32, I64]:
    """Return vectors and rows of a document's words, of which the padding is the first one."""
    if words.distinct[0] == _PADDING:
        return words.vectors, words.rows
    return np.concatenate([np.zeros_like(words.vectors[:1]), words.vectors]), words.rows + 1


def _sequences(text: EncodedText, rows: I64, batch: I64) -> Inputs:
    """Put a batch of sentences one beside the other, padded to the longest."""
    lengths = text.lengths[batch]
    offsets = np.arange(lengths.max())
    inside = offsets < lengths[:, None]  # (S, L)
    padded = np.zeros(inside.shape, np.int64)
    padded[inside] = rows[(text.starts[batch, None] + offsets)[inside]]
    return {"rows": padded.T, "lengths": lengths.astype(np.int32)}


def _bags(text: EncodedText, words: Words) -> Iterator[Inputs]:
    number, lengths = len(text), text.lengths
    for low, high in pairwise(shares(number, _BAGS)):
        start, end = text.starts[low], text.starts[high] if high < number else len(text.ids)
        rows, vectors, distinct = words.rows[start:end], words.vectors, words.distinct
        if high - low < number:
            here, rows = number_distinct(rows, len(distinct))
            vectors, distinct = vectors[here], distinct[here]
        counts = np.zeros((high - low, len(distinct)), np.float32)
        # In one dimension, and with a number of the same type: twenty times as fast as in two.
        firsts = np.arange(0, counts.size, len(distinct))
        np.add.at(counts.reshape(-1), np.repeat(firsts, lengths[low:high]) + rows, np.float32(1))
        if distinct[0] == _PADDING:
            counts[:, 0] = 0
        yield {
            "words": vectors,
            "counts": counts,
            "means": words.means[low:high],
            "features": text.features[low:high],
        }


def by_length(lengths: I64, size: int) -> list[I64]:
    """Return batches of sentences of about one length, the longest first: the last to wait for is short."""
    order = np.argsort(-lengths, kind="stable")
    batches, low = [], 0
    for here in range(1, len(order) + 1):
        count, longest = here - low, lengths[order[low]]
        if here == len(order) or count == size or (count >= size // 4 and lengths[order[here]] < 0.75 * longest):
            batches.append(order[low:here])
            low = here
    return batches


def shares(number: int, most: int) -> list[int]:
    """Return the bounds of equal shares of a number of sentences, none with more than `most`."""
    parts = -(-number // most)
    return [number * part // parts for part in range(parts + 1)]
