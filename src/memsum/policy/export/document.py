"""`document.onnx`: the context encoder, what else the steps need and does not change, and what comes before them."""

from __future__ import annotations

import numpy as np
import torch

from memsum.policy import Policy
from memsum.policy.context import LSTMContext
from memsum.policy.counted import CountedExtractor
from memsum.policy.export.counted import states
from memsum.policy.export.graph import Graph, array
from memsum.policy.export.history import first_projections
from memsum.policy.export.step import score
from memsum.policy.frame import Frame


def document_graph(policy: Policy, graph: Graph) -> None:
    """`sentences` (N, d), the local embeddings → inputs of the steps under their names, (M, d) each.

    Of a policy whose history is counted, that is `states`. Of others also `logits` (M,) and `stop` (1,), which a step
    gives out too: here while nothing is extracted. M is N, or N + 1 if the policy has a stop sentence, which comes
    last. A policy that reads documents in a frame also takes the sentences' `positions` (N,) in it.
    """
    d = policy.config.dimension
    local = graph.input("sentences", np.float32, "N", d)
    if policy.stop_sentence is not None:
        local = graph.op("Concat", local, graph.constant(array(policy.stop_sentence)[None]), axis=0)
    if isinstance(policy.extractor, CountedExtractor):
        states(graph, policy.extractor, local, _context(graph, policy, local))
        return
    outputs = {"local": local, "context": _context(graph, policy, local), **first_projections(graph, policy, local)}
    for name, value in outputs.items():
        graph.output(name, value, "M", d)
    local, context = (graph.op("Unsqueeze", outputs[name], graph.ints(0)) for name in ("local", "context"))
    score(graph, policy, local, context, graph.zeros_like(local), "M")


def _context(graph: Graph, policy: Policy, local: str) -> str:
    encoder = policy.context
    if not isinstance(encoder, LSTMContext):
        return graph.zeros_like(local)
    if policy.frame is None:
        return _lstm_context(graph, encoder, local)
    positions = graph.input("positions", np.int64, "N")
    context = _lstm_context(graph, encoder, _framed(graph, policy, policy.frame, local, positions))
    return graph.op("Gather", context, positions)


def _framed(graph: Graph, policy: Policy, frame: Frame, local: str, positions: str) -> str:
    """The frame (size, d): sentences at their positions, the blank sentence elsewhere."""
    with torch.no_grad():
        blank = policy.local(policy.words[frame.words], policy.weights[frame.words], [frame.blank])
    blanks = graph.constant(array(blank.expand(frame.size, -1)))
    return graph.op("ScatterND", blanks, graph.op("Unsqueeze", positions, graph.ints(1)), local)


def _lstm_context(graph: Graph, encoder: LSTMContext, local: str) -> str:
    states = graph.bilstm(graph.op("Unsqueeze", local, graph.ints(1)), encoder.rnn)
    states = graph.op("Squeeze", states, graph.ints(1))
    return graph.linear(graph.op("Relu", graph.norm(states, encoder.norm)), encoder.out)
