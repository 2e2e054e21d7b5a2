"""`document.onnx`: the context encoder, and all else that the steps need and that does not change between them."""

from __future__ import annotations

import numpy as np

from memsum.policy import Policy
from memsum.policy.context import LSTMContext
from memsum.policy.export.graph import Graph, array
from memsum.policy.export.history import first_projections


def document_graph(policy: Policy, graph: Graph) -> None:
    """`sentences` (N, d), the local embeddings → inputs of the steps under their names, (M, d) each.

    M is N, or N + 1 if the policy has a stop sentence, which comes last.
    """
    d = policy.config.dimension
    local = graph.input("sentences", np.float32, "N", d)
    if policy.stop_sentence is not None:
        local = graph.op("Concat", local, graph.constant(array(policy.stop_sentence)[None]), axis=0)
    outputs = {"local": local, "context": _context(graph, policy, local), **first_projections(graph, policy, local)}
    for name, value in outputs.items():
        graph.output(name, value, "M", d)


def _context(graph: Graph, policy: Policy, local: str) -> str:
    encoder = policy.context
    if not isinstance(encoder, LSTMContext):
        return graph.zeros_like(local)
    states = graph.bilstm(graph.op("Unsqueeze", local, graph.ints(1)), encoder.rnn)
    states = graph.op("Squeeze", states, graph.ints(1))
    return graph.linear(graph.op("Relu", graph.norm(states, encoder.norm)), encoder.out)
