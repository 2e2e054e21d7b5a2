"""A small builder of ONNX graphs: values are names, nodes are written in the order of the computation.

Writing the graphs by hand keeps them as small as the network is, and lets LSTMs, attention and int8 products be the
runtime's own fused operators. Operators of the domain `com.microsoft` are ONNX Runtime's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from torch import Tensor, nn

from memsum_train.paper.model import BiLSTM, MultiHeadPooling

Precision = Literal["fp32", "int8"]

_OPSET = 17
_IR_VERSION = 8  # of opset 17: any ONNX Runtime from 1.14 on reads it
MICROSOFT = "com.microsoft"
# Of an int8 weight. Processors without VNNI add two products of a byte and a weight in 16 bits: with weights up to 127
# the sum can be cut off, which costs ten times as much as the seventh bit does.
_LARGEST = 63
_NARROW = 32  # products with fewer columns stay fp32: scores and attention logits, cheap and delicate


class GraphBuilder:
    """Nodes and weights of one graph; wide products and LSTMs are int8 if the precision says so."""

    def __init__(self, name: str, precision: Precision) -> None:
        self.name = name
        self.precision = precision
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, kind: type[np.generic], *shape: int | str) -> str:
        """Declare an input; a dimension with a name is free."""
        self._inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape))
        return name

    def output(self, name: str, value: str, *shape: int | str) -> None:
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))

    def constant(self, array: NDArray[Any]) -> str:
        name = f"{self.name}.w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def op(self, kind: str, *inputs: str | float | tuple[int, ...], domain: str = "", **attributes: Any) -> str:
        """Add a node and name its one output; numbers and vectors of whole numbers (shapes, axes) become constants."""
        kinds = [np.int64 if isinstance(value, tuple) else np.float32 for value in inputs]
        named = zip(inputs, kinds, strict=True)
        names = [value if isinstance(value, str) else self.constant(np.array(value, of)) for value, of in named]
        name = f"{self.name}.{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, names, [name], domain=domain, **attributes))
        return name

    def split(self, x: str, parts: int) -> list[str]:
        names = [f"{self.name}.{len(self._nodes)}.{part}" for part in range(parts)]
        self._nodes.append(helper.make_node("Split", [x], names, axis=-1))
        return names

    def zeros_like(self, x: str) -> str:
        return self.op("ConstantOfShape", self.op("Shape", x))

    def linear(self, x: str, layer: nn.Linear) -> str:
        """x (…, in) → (…, out)."""
        return self._product(x, array(layer.weight).T, array(layer.bias))

    def linears(self, x: str, layers: Sequence[nn.Linear]) -> list[str]:
        """Pass x through several layers of one width: one product, which is faster than many small ones."""
        weight = np.concatenate([array(layer.weight).T for layer in layers], axis=1)
        bias = np.concatenate([array(layer.bias) for layer in layers])
        return self.split(self._product(x, weight, bias), len(layers))

    def _product(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        if self.precision == "fp32" or weight.shape[1] < _NARROW:
            return self.op("Add", self.op("MatMul", x, self.constant(weight)), self.constant(bias))
        rows, scales = quantize(weight, axis=0)
        parts = (self.constant(rows), self.constant(scales[0]), "", self.constant(bias))
        return self.op("DynamicQuantizeMatMul", x, *parts, domain=MICROSOFT)

    def layers(self, x: str, layers: nn.Sequential) -> str:
        """Add linear layers with ReLUs between them."""
        for layer in layers:
            x = self.linear(x, layer) if isinstance(layer, nn.Linear) else self.op("Relu", x)
        return x

    def values(self, pooled: str, pool: MultiHeadPooling) -> str:
        """Return each head's own values of what it has pooled: (heads, S, in) → (S, out)."""
        value = pool.value
        weight = array(value.weight).reshape(pool.heads, -1, value.in_features).transpose(0, 2, 1)
        values = self.op("MatMul", pooled, self.constant(weight))  # (heads, S, out / heads)
        values = self.op("Reshape", self.op("Transpose", values, perm=[1, 0, 2]), (-1, value.out_features))
        return self.op("Add", values, self.constant(array(value.bias)))

    def norm(self, x: str, layer: nn.LayerNorm) -> str:
        parts = (self.constant(array(layer.weight)), self.constant(array(layer.bias)))
        return self.op("LayerNormalization", x, *parts, epsilon=layer.eps)

    def bilstm(self, x: str, rnn: BiLSTM, lengths: str = "") -> str:
        """x (L, B, in) → states (L, B, 2 · width); zero beyond the lengths (B,), int32, if they are given."""
        for layer in zip(rnn.forwards, rnn.backwards, strict=True):
            directions = [_lstm_weights(direction) for direction in layer]
            inputs, states, biases = (np.stack(parts) for parts in zip(*directions, strict=True))
            width = states.shape[-1]
            settings = {"hidden_size": width, "direction": "bidirectional"}
            if self.precision == "fp32":
                weights = [self.constant(part) for part in (inputs, states, biases)]
                y = self.op("LSTM", x, *weights, lengths, **settings)
            else:
                (w, ws), (r, rs) = (quantize(part.transpose(0, 2, 1), axis=1) for part in (inputs, states))
                zeros = self.constant(np.zeros(ws[:, 0].shape, np.int8))
                weights = [self.constant(part) for part in (w, r, biases)]
                scales = ("", "", "", self.constant(ws[:, 0]), zeros, self.constant(rs[:, 0]), zeros)
                y = self.op("DynamicQuantizeLSTM", x, *weights, lengths, *scales, domain=MICROSOFT, **settings)
            y = self.op("Transpose", y, perm=[0, 2, 1, 3])  # (L, B, 2, width)
            x = self.op("Reshape", y, (0, 0, 2 * width))
        return x

    def serialize(self, metadata: dict[str, str]) -> bytes:
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(MICROSOFT, 1)]
        graph = helper.make_graph(self._nodes, self.name, self._inputs, self._outputs, self._weights)
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="memsum")
        helper.set_model_props(model, metadata)
        content: bytes = model.SerializeToString(deterministic=True)
        return content


def array(tensor: Tensor) -> NDArray[np.float32]:
    """Return a weight as numpy has it."""
    values: NDArray[np.float32] = tensor.detach().to("cpu", torch.float32).numpy()
    return values


def quantize(weight: NDArray[np.float32], axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return int8 weights with one scale per column, where `axis` runs along a column."""
    scales = np.maximum(np.abs(weight).max(axis=axis, keepdims=True) / _LARGEST, 1e-12).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales


def _lstm_weights(rnn: nn.Module) -> list[NDArray[np.float32]]:
    """Return weights of inputs and states, and biases; gates reordered from PyTorch's i f g o to ONNX's i o f g."""
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    weights, states, *biases = (reordered(array(getattr(rnn, name)), [0, 3, 1, 2]) for name in names)
    return [weights, states, np.concatenate(biases)]


def reordered(gates: NDArray[np.float32], order: list[int]) -> NDArray[np.float32]:
    """Put the gates of a recurrent layer into another order."""
    parts = np.split(gates, len(order))
    return np.concatenate([parts[i] for i in order])
