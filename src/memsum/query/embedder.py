"""The embedder: text to vectors whose cosine is high where they mean the same, or one answers the other.

all-MiniLM-L6-v2 as one int8 graph (`minilm/`, with its licence), and one static vector per word piece, distilled from
it, for a first stage on long documents. Nothing of it is loaded before a question is asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32
from memsum.errors import ModelError, reason_of
from memsum.model.graphs import Graph
from memsum.query.wordpiece import WordPiece

FOLDER = Path(__file__).parent / "minilm"
WIDTH = 384
# Pieces: a sentence is padded to the next multiple, so its vector does not depend on those beside it in a batch.
_BUCKET = 8
_BATCH = 512  # pieces of a batch: larger ones are no faster
_MOST_THREADS = 2
_HINT = "Reinstall memsum."
# What `weights.json` holds.
_PARTS = frozenset(("first", "prose", "prose answer", "transcript", "transcript answer", "answered", "found", "quote"))


class Embedder:
    """The encoder's graph, vocabulary and static vectors. Threads may share it."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Open a folder with `encoder.onnx`, `vocabulary.txt`, `pieces.safetensors` and `weights.json`."""
        try:
            pieces = (folder / "vocabulary.txt").read_text("utf-8").splitlines()
            self.wordpiece = WordPiece(pieces)
            arrays = _load_arrays(folder / "pieces.safetensors")
            self.weights: dict[str, Any] = json.loads((folder / "weights.json").read_bytes())
            self._static = arrays["static"]
            self._scales = arrays["scales"]
            self.rareness = arrays["rareness"].astype(np.float32)  # −log of each piece's share of all text
            self._graph = Graph(folder / "encoder.onnx", threads=1)
        except ModelError as error:
            raise ModelError(f"The sentence encoder cannot be used: {error.message}", _HINT) from None
        except Exception as error:  # whatever a damaged file leads to
            raise ModelError(f"The sentence encoder in {folder} is damaged: {reason_of(error)}.", _HINT) from None
        is_whole = isinstance(self.weights, dict) and self.weights.keys() >= _PARTS
        if set(self._graph.inputs) != {"pieces", "mask"} or len(self._static) != len(pieces) or not is_whole:
            raise ModelError(f"The files of the sentence encoder in {folder} do not fit each other.", _HINT)

    def encode(self, pieces: Sequence[Sequence[int]], threads: int = 1) -> F32:
        """Return a vector of length 1 for each text, which is given as the numbers of its pieces: (N, WIDTH)."""
        vectors = np.zeros((len(pieces), WIDTH), np.float32)
        lengths = [-(-len(one) // _BUCKET) * _BUCKET for one in pieces]
        batches: list[list[int]] = []
        for row in sorted(range(len(pieces)), key=lengths.__getitem__):
            last = batches[-1] if batches else []
            if last and lengths[last[0]] == lengths[row] and (len(last) + 1) * lengths[row] <= _BATCH:
                last.append(row)
            else:
                batches.append([row])

        def run(batch: list[int]) -> None:
            shape = len(batch), lengths[batch[0]]
            numbers, mask = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
            for position, row in enumerate(batch):
                numbers[position, : len(pieces[row])] = pieces[row]
                mask[position, : len(pieces[row])] = 1
            vectors[batch] = self._graph.run({"pieces": numbers, "mask": mask})["vectors"]

        threads = min(threads, _MOST_THREADS, len(batches))
        if threads < 2:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(threads, "memsum-encoder") as pool:
                list(pool.map(run, reversed(batches)))  # the longest first: the threads end at about the same time
        return vectors

    def pieces(self, numbers: NDArray[np.integer[Any]]) -> F32:
        """Return the static vectors of pieces, of length 1."""
        values = self._static[numbers].astype(np.float32)
        norms = np.sqrt(np.einsum("nd,nd->n", values, values))[:, None]
        return np.asarray(values / np.maximum(norms, np.float32(1e-9)), np.float32)

    def static(self, pieces: Sequence[Sequence[int]]) -> F32:
        """Return the mean of the static vectors of each text's pieces, rare ones weigh more, of length 1."""
        counts = np.array([max(len(one) - 2, 0) for one in pieces])
        flat = np.array([number for one in pieces for number in one[1:-1]], np.int64)
        values = self._static[flat].astype(np.float32) * self._scales[flat, None]
        sums = np.zeros((len(pieces), self._static.shape[1]), np.float32)
        some = np.flatnonzero(counts)
        if len(some):
            starts = np.cumsum(counts) - counts
            sums[some] = np.add.reduceat(values, starts[some])
        norms: NDArray[np.float32] = np.sqrt(np.einsum("nd,nd->n", sums, sums))[:, None]
        return np.asarray(sums / np.maximum(norms, np.float32(1e-9)), np.float32)


@cache
def load_embedder() -> Embedder:
    """Load the encoder that is part of the package, once."""
    return Embedder()


def _load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    from safetensors.numpy import load_file

    return dict(load_file(path))
