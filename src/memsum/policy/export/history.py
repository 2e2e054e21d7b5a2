"""The history encoder within `step.onnx`."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from torch import nn

from memsum.policy import Policy
from memsum.policy.export.graph import MICROSOFT, Graph, array
from memsum.policy.history import Attention, AttentionHistory, AttentionLayer, GRUHistory

_PROJECTIONS = ("query", "key", "value")


def first_projections(graph: Graph, policy: Policy, local: str) -> dict[str, str]:
    """What the first layer asks of the local embeddings: the same at every step, so computed with the document."""
    if not isinstance(policy.history, AttentionHistory):
        return {}
    attention = cast(AttentionLayer, policy.history.layers[0]).among_remaining
    return {name: graph.linear(local, getattr(attention, name)) for name in _PROJECTIONS}


def history(graph: Graph, policy: Policy, everything: str, local: str, remaining: str) -> str:
    """The history (R, d) of the remaining sentences, zero as long as nothing is extracted."""
    encoder, d = policy.history, policy.config.dimension
    nothing = graph.zeros_like(local)
    if not isinstance(encoder, (AttentionHistory, GRUHistory)):
        return nothing
    extracted = graph.input("extracted", np.int64, "E")
    begun, not_begun = graph.branch("begun"), graph.branch("not_begun")
    chosen = begun.op("Gather", everything, extracted)  # (E, d)
    if isinstance(encoder, AttentionHistory):
        inputs = [graph.input(name, np.float32, "M", d) for name in _PROJECTIONS]
        projected = [begun.op("Gather", name, remaining) for name in inputs]
        begun.output("history", _attention(begun, encoder, local, chosen, projected), "R", d)
    else:
        last = _last_state(begun, encoder.rnn, chosen)
        begun.output("history", begun.op("Expand", last, begun.op("Shape", local)), "R", d)
    not_begun.output("nothing", nothing, "R", d)
    return graph.choose(graph.op("Greater", graph.op("Size", extracted), graph.constant(np.array(0))), begun, not_begun)


def _attention(graph: Graph, encoder: AttentionHistory, x: str, chosen: str, projected: list[str]) -> str:
    for number, module in enumerate(encoder.layers):
        layer = cast(AttentionLayer, module)
        own = layer.among_remaining
        parts = projected if number == 0 else [graph.linear(x, getattr(own, name)) for name in _PROJECTIONS]
        seen = graph.linear(_self_attention(graph, own.heads, parts), own.out)
        x = graph.norm(graph.op("Add", x, seen), layer.norm1)
        x = graph.norm(graph.op("Add", x, _look_at(graph, layer.to_extracted, x, chosen)), layer.norm2)
        x = graph.norm(graph.op("Add", x, graph.layers(x, layer.feed_forward)), layer.norm3)
    return x


def _self_attention(graph: Graph, heads: int, parts: list[str]) -> str:
    """Queries, keys and values (R, d) → (R, d), before the output's projection. Only what remains is there: no mask."""
    batch = [graph.op("Unsqueeze", part, graph.ints(0)) for part in parts]
    seen = graph.op("MultiHeadAttention", *batch, num_heads=heads, domain=MICROSOFT)
    return graph.op("Squeeze", seen, graph.ints(0))


def _look_at(graph: Graph, attention: Attention, x: str, chosen: str) -> str:
    """Attention of x (R, d) to the few chosen sentences (E, d).

    The queries' projection is applied to the E keys and the output's to the E values, instead of to the R sentences:
    the same numbers from two thin products.
    """
    heads, d = attention.heads, attention.query.in_features
    size = d // heads
    keys = _by_head(graph, graph.linear(chosen, attention.key), heads)  # (heads, E, size)
    values = _by_head(graph, graph.linear(chosen, attention.value), heads)
    scale = np.float32(size**-0.5)
    query = array(attention.query.weight).reshape(heads, size, d) * scale
    bias = array(attention.query.bias).reshape(heads, size, 1) * scale
    out = array(attention.out.weight).T.reshape(heads, size, d)

    weight = graph.op("Reshape", graph.op("MatMul", keys, graph.constant(query)), graph.ints(-1, d))  # (heads · E, d)
    offset = graph.op("Reshape", graph.op("MatMul", keys, graph.constant(bias)), graph.ints(-1))
    logits = graph.op("Gemm", x, weight, offset, transB=1)
    shape = graph.op("Concat", graph.ints(-1, heads), graph.op("Shape", chosen, end=1), axis=0)
    shares = graph.op("Softmax", graph.op("Reshape", logits, shape), axis=2)  # (R, heads, E)
    shares = graph.op("Reshape", shares, graph.op("Shape", logits))
    seen = graph.op("Reshape", graph.op("MatMul", values, graph.constant(out)), graph.ints(-1, d))
    return graph.op("Gemm", shares, seen, graph.constant(array(attention.out.bias)))


def _by_head(graph: Graph, x: str, heads: int) -> str:
    """(E, d) → (heads, E, d / heads)."""
    return graph.op("Transpose", graph.op("Reshape", x, graph.ints(0, heads, -1)), perm=[1, 0, 2])


def _last_state(graph: Graph, rnn: nn.GRU, chosen: str) -> str:
    """The state (1, d) after all chosen sentences."""
    biases = np.concatenate([_gru_gates(rnn.bias_ih_l0), _gru_gates(rnn.bias_hh_l0)])
    weights = (_gru_gates(rnn.weight_ih_l0), _gru_gates(rnn.weight_hh_l0), biases)
    parts = [graph.constant(weight[None]) for weight in weights]
    sequence = graph.op("Unsqueeze", chosen, graph.ints(1))
    states = graph.op("GRU", sequence, *parts, hidden_size=rnn.hidden_size, linear_before_reset=1)  # (E, 1, 1, d)
    return graph.op("Reshape", graph.op("Gather", states, graph.ints(-1)), graph.ints(1, -1))


def _gru_gates(weight: object) -> NDArray[np.float32]:
    """PyTorch's gates r z n are z r n in ONNX."""
    r, z, n = np.split(array(cast(nn.Parameter, weight)), 3)
    return np.concatenate([z, r, n])
