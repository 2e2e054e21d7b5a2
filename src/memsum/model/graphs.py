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
            _refuse_external_data(path, content)
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

    def run(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, F32]:
        try:
            values = self._session.run(None, {name: arrays[name] for name in self.inputs})
        except Exception as error:  # as above, and a KeyError for an input that nobody gives
            raise ModelError(f"{self.path} cannot be run: {reason_of(error)}.", "Export the model again.") from None
        return dict(zip(self.outputs, values, strict=True))


# Which fields of ONNX's messages lead to tensors; the numbers are those of onnx.proto.
_FIELDS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse tensor", 23: "sparse tensor"},
    "sparse tensor": {1: "tensor", 2: "tensor"},
    "tensor": {13: "external data"},
}


def _refuse_external_data(path: Path, content: bytes) -> None:
    """Refuse a graph with tensors in other files: their names lead anywhere on this machine."""
    waiting = [("model", 0, len(content))]
    while waiting:
        kind, at, end = waiting.pop()
        while at < end:
            key, at = _varint(content, at, end)
            wire, child = key & 7, _FIELDS[kind].get(key >> 3)
            if wire == 2:
                length, at = _varint(content, at, end)
                if at + length > end:
                    raise ValueError("it is cut off")
                if child == "external data":
                    raise ModelError(
                        f"{path} keeps numbers in other files, which memsum does not read.",
                        "Export the model again: memsum model export",
                    )
                if child:
                    waiting.append((child, at, at + length))
                at += length
            elif wire == 0:
                _, at = _varint(content, at, end)
            elif wire in (1, 5):
                at += 8 if wire == 1 else 4
            else:
                raise ValueError("it is not an ONNX file")


def _varint(content: bytes, at: int, end: int) -> tuple[int, int]:
    """Return a number of protobuf's, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            break
        byte = content[at]
        value, at = value | (byte & 127) << shift, at + 1
        if byte < 128:
            return value, at
    raise ValueError("it is cut off")
