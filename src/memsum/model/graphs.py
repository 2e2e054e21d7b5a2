"""The graphs of a model folder on ONNX Runtime: numpy arrays in, numpy arrays out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from memsum.arrays import F32, I64, number_distinct
from memsum.errors import ModelError, reason_of
from memsum.features.encoding import EncodedText, Words

if TYPE_CHECKING:
    from concurrent.futures import Executor

_PADDING = 0  # a word that is none
_SEQUENCES = 16  # sentences of about one length in a batch of an LSTM
_MEMORY = 2**33  # bytes, for all graphs of a process: enough for 400,000 sentences
_BAGS = 128  # neighbouring sentences, which share many words, in a batch of the other encoders


class Graph:
    """One `.onnx` file; of the arrays it is given it takes those it needs. Threads may share it."""

    def __init__(self, path: Path, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # The graphs are written as they are to be run; to look for better ones would only cost time at the start.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        # Threads that spin while they wait take more time from others than they save in graphs as small as these: with
        # two threads, 18 ms of CPU for a paper instead of 12, and 50 ms of every start.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # A constant of a few bytes may ask for any amount of memory; folded, it would be outside the bound.
        _bound_memory()
        options.add_session_config_entry("session.use_env_allocators", "1")
        try:
            content = path.read_bytes()
            # Tensors in other files name them by this key, and the names lead anywhere on this machine.
            if b"location" in content:
                raise ModelError(
                    f"{path} keeps numbers in other files, which memsum does not read.",
                    "Export the model again: memsum model export",
                )
            self._session = onnxruntime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"]
            )
            self._session.disable_fallback()  # a run that fails is not tried again with another provider
        except ModelError:
            raise
        except FileNotFoundError:
            raise ModelError(f"{path} does not exist.", "The model folder is incomplete; export its graphs.") from None
        except Exception as error:  # ONNX Runtime has a dozen exceptions without a common base of their own
            raise ModelError(f"{path} is damaged: {reason_of(error)}.") from None
        self.path = path
        self.inputs = {value.name: value.shape for value in self._session.get_inputs()}
        self.outputs = {value.name: value.shape for value in self._session.get_outputs()}

    def run(self, arrays: Mapping[str, NDArray[Any]], *, release: bool = False) -> dict[str, F32]:
        """Run the graph; `release` gives back the memory of the run, which otherwise waits for the next one."""
        options = onnxruntime.RunOptions() if release else None
        if options is not None:
            options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        try:
            values = self._session.run(None, {name: arrays[name] for name in self.inputs}, options)
        except Exception as error:  # as above, and a KeyError for an input that nobody gives
            if isinstance(error, MemoryError) or "alloc" in str(error).lower():  # "Failed to allocate", "bad_alloc"
                raise MemoryError from None
            raise ModelError(f"{self.path} cannot be run: {reason_of(error)}.", "Export the model again.") from None
        if any(value.size and np.isnan(value.max()) for value in values):
            raise ModelError(f"{self.path} gives NaN instead of numbers.", "Export or fetch the model again.")
        return dict(zip(self.outputs, values, strict=True))


@cache
def _bound_memory() -> None:
    """Let all graphs of this process share one bounded memory."""
    kinds = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    limits = onnxruntime.OrtArenaCfg({"max_mem": _MEMORY})
    with suppress(RuntimeError):  # who embeds memsum has set it already
        onnxruntime.create_and_register_allocator(onnxruntime.OrtMemoryInfo("Cpu", *kinds), limits)


Inputs = dict[str, NDArray[Any]]


class SentenceEncoder:
    """`sentences.onnx` and the batches it wants: sequences of words for an LSTM, bags of words for the others."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.is_ordered = "rows" in graph.inputs

    def encode(self, text: EncodedText, words: Words, pool: Executor | None) -> F32:
        """Return the local embeddings of all sentences, (N, D)."""
        if not self.is_ordered:
            parts = [self._graph.run(inputs)["local"] for inputs in _bags(text, words)]
            return np.concatenate(parts) if len(parts) > 1 else parts[0]
        batches = by_length(text.lengths, _SEQUENCES)
        vectors, rows = words.vectors, words.rows
        if words.distinct[0] != _PADDING:  # which is the first of the words
            vectors, rows = np.concatenate([np.zeros_like(vectors[:1]), vectors]), rows + 1

        def run(batch: I64) -> F32:
            """Encode sentences that stand one beside the other, padded to the longest."""
            lengths = text.lengths[batch]
            offsets = np.arange(lengths.max())
            inside = offsets < lengths[:, None]  # (S, L)
            padded = np.zeros(inside.shape, np.int64)
            padded[inside] = rows[(text.starts[batch, None] + offsets)[inside]]
            return self._graph.run({"words": vectors, "rows": padded.T, "lengths": lengths.astype(np.int32)})["local"]

        parts = list(pool.map(run, batches) if pool and len(batches) > 1 else map(run, batches))
        local = np.empty((len(text), parts[0].shape[1]), np.float32)
        local[np.concatenate(batches)] = np.concatenate(parts)
        return local


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
