"""The graphs of a model folder on ONNX Runtime: numpy arrays in, numpy arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from memsum.arrays import F32
from memsum.errors import ModelError, reason_of


class Graph:
    """One `.onnx` file; of the arrays it is given it takes those it needs. Threads may share it."""

    def __init__(self, path: Path, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # The graphs are written as they are to be run; to look for better ones would only cost time at the start.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        # Waiting threads spin, which pays within a run; between runs it would take the cores from others.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        try:
            content = path.read_bytes()
            # Tensors in other files name them by this key, and the names lead anywhere on this machine.
            if b"location" in content:
                raise ModelError(
                    f"{path} keeps numbers in other files, which memsum does not read.",
                    "Export the model again: memsum model export",
                )
            self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
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
            if isinstance(error, MemoryError) or "alloc" in str(error):  # "Failed to allocate memory", "std::bad_alloc"
                raise MemoryError from None
            raise ModelError(f"{self.path} cannot be run: {reason_of(error)}.", "Export the model again.") from None
        return dict(zip(self.outputs, values, strict=True))
