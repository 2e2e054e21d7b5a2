"""`step.onnx`: one step of the episode, from what was extracted to the scores of what remains."""

from __future__ import annotations

import numpy as np

from memsum.errors import ModelError
from memsum.policy import Policy
from memsum.policy.counted import CountedExtractor
from memsum.policy.export.counted import counted_step
from memsum.policy.export.graph import Graph
from memsum.policy.export.history import history
from memsum.policy.extractor import Extractor, Stop


def step_graph(policy: Policy, graph: Graph) -> None:
    """`remaining` (R,) and `extracted` (E,), rows of the document → `logits` (R,) of the scores, and of `stop` (1,).

    Only what remains is computed: of an extracted sentence the policy sees nothing but the history. Something must be
    extracted already; what the policy thinks before that, the document's graph says.
    """
    if isinstance(policy.extractor, CountedExtractor):
        counted_step(graph, policy.extractor)
        return
    d = policy.config.dimension
    everything = graph.input("local", np.float32, "M", d)
    context = graph.input("context", np.float32, "M", d)
    remaining = graph.op("Unsqueeze", graph.input("remaining", np.int64, "R"), graph.ints(0))
    local, context = graph.op("Gather", everything, remaining), graph.op("Gather", context, remaining)  # (1, R, d)
    score(graph, policy, local, context, history(graph, policy, everything, local, remaining), "R")


def score(graph: Graph, policy: Policy, local: str, context: str, history: str, rows: str) -> None:
    """Give out the logits (R,) of sentences (1, R, d), and the one of stopping."""
    extractor, d = policy.extractor, policy.config.dimension
    if not isinstance(extractor, Extractor):
        raise ModelError(f"A model with the extractor {policy.config.extractor} runs only in PyTorch.")
    x = graph.norm(graph.op("Concat", local, context, history, axis=2), extractor.norm_input)
    x = graph.op("Relu", graph.norm(graph.linear(x, extractor.hidden1), extractor.norm1))
    x = graph.op("Relu", graph.norm(graph.linear(x, extractor.hidden2), extractor.norm2))
    x = graph.op("Reshape", x, graph.ints(-1, d))
    graph.output("logits", graph.op("Reshape", graph.linear(x, extractor.score), graph.ints(-1)), rows)
    if extractor.stop is not None:
        graph.output("stop", _stop(graph, extractor.stop, x), 1)


def _stop(graph: Graph, stop: Stop, hidden: str) -> str:
    """hidden (R, d) → logit (1,)."""
    weights = graph.op("Softmax", graph.linear(hidden, stop.pool.attention), axis=0)
    pooled = graph.op("MatMul", graph.op("Transpose", weights, perm=[1, 0]), hidden)
    pooled = graph.op("Unsqueeze", pooled, graph.ints(1))  # (heads, 1, d)
    values = graph.linear(graph.values(pooled, stop.pool), stop.pool.out)
    logit = graph.linear(graph.op("Relu", graph.norm(values, stop.norm)), stop.out)
    return graph.op("Reshape", logit, graph.ints(1))
