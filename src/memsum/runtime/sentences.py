"""Local embeddings of a document's sentences, in batches that waste little and run in parallel."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.runtime.graphs import Floats, Graph
from memsum.text.encoding import EncodedText, TextEncoder

Ints = NDArray[np.int64]
Inputs = dict[str, NDArray[Any]]

_PADDING = 0  # a word that is none
_SEQUENCES = 16  # sentences of about one length in a batch of an LSTM
_BAGS = 64  # neighbouring sentences, which share many words, in a batch of the other encoders


class SentenceEncoder:
    """`sentences.onnx` and the batches it wants: sequences of words for an LSTM, bags of words for the others."""

    def __init__(self, graph: Graph, encoder: TextEncoder) -> None:
        self._graph = graph
        self._encoder = encoder
        self._ordered = "rows" in graph.inputs

    def encode(self, text: EncodedText, pool: Executor | None) -> Floats:
        """Embeddings (N, d) of the sentences."""
        batches = by_length(text.lengths, _SEQUENCES) if self._ordered else neighbours(len(text), _BAGS)

        def run(batch: Ints) -> Floats:
            return self._graph.run(self._inputs(text, batch))["local"]

        parts = list(pool.map(run, batches) if pool and len(batches) > 1 else map(run, batches))
        local = np.empty((len(text), parts[0].shape[1]), np.float32)
        local[np.concatenate(batches)] = np.concatenate(parts)
        return local

    def _inputs(self, text: EncodedText, batch: Ints) -> Inputs:
        lengths = text.lengths[batch]
        places = np.arange(lengths.max())
        inside = places < lengths[:, None]  # (S, L)
        ids = text.ids[(text.starts[batch, None] + places)[inside]]
        distinct, rows = np.unique(np.append(ids, _PADDING), return_inverse=True)  # the padding's row is the first
        rows = rows[:-1]
        inputs: Inputs = {"words": self._encoder.vectors.lookup(distinct)}
        if self._ordered:
            padded = np.zeros(inside.shape, np.int64)
            padded[inside] = rows
            return inputs | {"rows": padded.T, "lengths": lengths.astype(np.int32)}
        cells = np.repeat(np.arange(len(batch)), lengths) * len(distinct) + rows
        counts = np.bincount(cells, minlength=len(batch) * len(distinct)).reshape(len(batch), len(distinct))
        counts[:, 0] = 0
        return inputs | {
            "weights": self._encoder.weights[distinct],
            "counts": counts.astype(np.float32),
            "features": text.features[batch],
        }


def by_length(lengths: Ints, size: int) -> list[Ints]:
    """Batches of sentences of about one length, the longest first: what is left to wait for at the end is short."""
    order = np.argsort(-lengths, kind="stable")
    batches, low = [], 0
    for here in range(1, len(order) + 1):
        count, longest = here - low, lengths[order[low]]
        if here == len(order) or count == size or (count >= size // 4 and lengths[order[here]] < 0.75 * longest):
            batches.append(order[low:here])
            low = here
    return batches


def neighbours(number: int, size: int) -> list[Ints]:
    """Batches of neighbouring sentences, as many in each."""
    return list(np.array_split(np.arange(number), -(-number // size)))
