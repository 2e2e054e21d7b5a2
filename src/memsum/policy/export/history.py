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
        own, other = layer.among_remaining, layer.to_extracted
        parts = [graph.linear(x, getattr(own, name)) for name in _PROJECTIONS] if number else projected
        x = graph.norm(graph.op("Add", x, _look(graph, own, parts)), layer.norm1)
        parts = [graph.linear(x, other.query), graph.linear(chosen, other.key), graph.linear(chosen, other.value)]
        x = graph.norm(graph.op("Add", x, _look(graph, other, parts)), layer.norm2)
        x = graph.norm(graph.op("Add", x, graph.layers(x, layer.feed_forward)), layer.norm3)
    return x


def _look(graph: Graph, attention: Attention, parts: list[str]) -> str:
    """Queries (R, d), keys and values (K, d) → (R, d). There is nothing to mask: only what may be seen is there."""
    batch = [graph.op("Unsqueeze", part, graph.ints(0)) for part in parts]
    seen = graph.op("MultiHeadAttention", *batch, num_heads=attention.heads, domain=MICROSOFT)
    return graph.linear(graph.op("Squeeze", seen, graph.ints(0)), attention.out)


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
