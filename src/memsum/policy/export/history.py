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
    projections = graph.linears(local, [getattr(attention, name) for name in _PROJECTIONS])
    return dict(zip(_PROJECTIONS, projections, strict=True))


def history(graph: Graph, policy: Policy, everything: str, local: str, remaining: str) -> str:
    """The history (1, R, d) of the remaining sentences, of which local (1, R, d) are the embeddings."""
    encoder, d = policy.history, policy.config.dimension
    if not isinstance(encoder, (AttentionHistory, GRUHistory)):
        return graph.zeros_like(local)
    chosen = graph.op("Gather", everything, graph.input("extracted", np.int64, "E"))  # (E, d)
    if isinstance(encoder, AttentionHistory):
        inputs = [graph.input(name, np.float32, "M", d) for name in _PROJECTIONS]
        projected = [graph.op("Gather", name, remaining) for name in inputs]
        return _attention(graph, encoder, local, chosen, projected)
    return graph.op("Expand", _last_state(graph, encoder.rnn, chosen), graph.op("Shape", local))


def _attention(graph: Graph, encoder: AttentionHistory, x: str, chosen: str, projected: list[str]) -> str:
    layers = [cast(AttentionLayer, layer) for layer in encoder.layers]
    keys = [getattr(layer.to_extracted, name) for layer in layers for name in _PROJECTIONS[1:]]
    extracted = graph.linears(graph.op("Unsqueeze", chosen, graph.ints(0)), keys)  # keys and values of each layer
    for number, layer in enumerate(layers):
        own, other = layer.among_remaining, layer.to_extracted
        parts = graph.linears(x, [getattr(own, name) for name in _PROJECTIONS]) if number else projected
        x = graph.norm(graph.op("Add", x, _look(graph, own, parts)), layer.norm1)
        parts = [graph.linear(x, other.query), *extracted[2 * number : 2 * number + 2]]
        x = graph.norm(graph.op("Add", x, _look(graph, other, parts)), layer.norm2)
        x = graph.norm(graph.op("Add", x, graph.layers(x, layer.feed_forward)), layer.norm3)
    return x


def _look(graph: Graph, attention: Attention, parts: list[str]) -> str:
    """Queries (1, R, d), keys and values (1, K, d) → (1, R, d). There is nothing to mask: all may be seen."""
    seen = graph.op("MultiHeadAttention", *parts, num_heads=attention.heads, domain=MICROSOFT)
    return graph.linear(seen, attention.out)


def _last_state(graph: Graph, rnn: nn.GRU, chosen: str) -> str:
    """The state (1, 1, d) after all chosen sentences."""
    biases = np.concatenate([_gru_gates(rnn.bias_ih_l0), _gru_gates(rnn.bias_hh_l0)])
    weights = (_gru_gates(rnn.weight_ih_l0), _gru_gates(rnn.weight_hh_l0), biases)
    parts = [graph.constant(weight[None]) for weight in weights]
    sequence = graph.op("Unsqueeze", chosen, graph.ints(1))
    states = graph.op("GRU", sequence, *parts, hidden_size=rnn.hidden_size, linear_before_reset=1)  # (E, 1, 1, d)
    return graph.op("Reshape", graph.op("Gather", states, graph.ints(-1)), graph.ints(1, 1, -1))


def _gru_gates(weight: object) -> NDArray[np.float32]:
    """PyTorch's gates r z n are z r n in ONNX."""
    r, z, n = np.split(array(cast(nn.Parameter, weight)), 3)
    return np.concatenate([z, r, n])
