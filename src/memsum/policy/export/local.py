"""`sentences.onnx`: the local encoder.

Words come in as the vectors `words` (U, D) of a batch's distinct words. How its S sentences point to them depends on
the encoder: an LSTM needs sequences (`rows`, `lengths`); the others only need to know how often each word occurs in
each sentence (`counts`), which takes no padding. Row 0 of the words is the padding's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import nn

from memsum.policy import Policy
from memsum.policy.export.graph import Graph
from memsum.policy.local import LSTMLocal, MeanLocal, PooledLocal
from memsum.text.features import FEATURES

_NOWHERE = -1e9  # logit of padding, as in MultiHeadPooling
_LARGEST_GAP = 60.0  # between attention logits: e^-60 weighs nothing, and is still an ordinary float


def sentences_graph(policy: Policy, graph: Graph) -> None:
    """Words of a batch of S sentences → `local` (S, d)."""
    words = graph.input("words", np.float32, "U", policy.config.word_dimension)
    local = _LOCAL[policy.config.local](graph, policy.local, words)
    graph.output("local", local, "S", policy.config.dimension)


def _lstm_local(graph: Graph, encoder: LSTMLocal, words: str) -> str:
    rows = graph.input("rows", np.int64, "L", "S")  # of `words`; 0 is padding
    lengths = graph.input("lengths", np.int32, "S")  # tokens to read, which may be padding
    states = graph.bilstm(graph.op("Gather", words, rows), encoder.rnn, lengths)  # (L, S, w)
    states = graph.op("Transpose", states, perm=[1, 0, 2])  # (S, L, w)
    pool = encoder.pool

    logits = graph.linear(graph.op("Reshape", states, graph.ints(-1, pool.attention.in_features)), pool.attention)
    shape = graph.op("Concat", graph.op("Shape", states, end=2), graph.ints(pool.heads), axis=0)
    logits = graph.op("Reshape", logits, shape)  # (S, L, heads)
    inside = graph.op("Greater", graph.op("Transpose", rows, perm=[1, 0]), graph.constant(np.array(0)))  # (S, L)
    logits = graph.op("Where", graph.op("Unsqueeze", inside, graph.ints(2)), logits, graph.number(_NOWHERE))
    weights = graph.op("Transpose", graph.op("Softmax", logits, axis=1), perm=[0, 2, 1])
    pooled = graph.op("Transpose", graph.op("MatMul", weights, states), perm=[1, 0, 2])  # (heads, S, w)
    values = graph.linear(graph.values(pooled, pool), pool.out)
    return graph.linear(graph.op("Relu", graph.norm(values, encoder.norm)), encoder.out)


def _pooled_local(graph: Graph, encoder: PooledLocal, words: str) -> str:
    """What is learned of a word is computed once a word; a sentence is sums over its words.

    The softmax's exponentials are computed once a word too. That takes the largest logit of all words off, not of the
    sentence's own words, which is the same as long as the two are no further apart than `_LARGEST_GAP`.
    """
    counts = graph.input("counts", np.float32, "S", "U")
    weights = graph.op("Unsqueeze", graph.input("weights", np.float32, "U"), graph.ints(1))
    features = graph.input("features", np.float32, "S", len(FEATURES))
    pool, width = encoder.pool, encoder.pool.value.out_features

    hidden = graph.op("Relu", graph.linear(words, encoder.hidden))  # (U, w)
    logits = graph.linear(hidden, pool.attention)  # (U, heads)
    gaps = graph.op("Sub", logits, graph.op("ReduceMax", logits, axes=[0]))
    shares = graph.op("Exp", graph.op("Max", gaps, graph.number(-_LARGEST_GAP)))
    values = graph.op("Reshape", graph.linear(hidden, pool.value), graph.ints(0, pool.heads, -1))
    values = graph.op("Mul", values, graph.op("Unsqueeze", shares, graph.ints(2)))
    sums = graph.op("MatMul", counts, graph.op("Reshape", values, graph.ints(0, width)))
    sums = graph.op("Reshape", sums, graph.ints(0, pool.heads, -1))
    totals = graph.op("Unsqueeze", graph.op("MatMul", counts, shares), graph.ints(2))  # (S, heads, 1)
    pooled = graph.linear(graph.op("Reshape", graph.op("Div", sums, totals), graph.ints(0, width)), pool.out)

    sums = graph.op("MatMul", counts, graph.op("Mul", words, weights))
    totals = graph.op("Max", graph.op("MatMul", counts, weights), graph.number(1e-6))
    mean = graph.linear(graph.op("Div", sums, totals), encoder.mean)

    features = graph.layers(features, encoder.features)
    return graph.norm(graph.op("Add", graph.op("Add", mean, pooled), features), encoder.norm)


def _mean_local(graph: Graph, encoder: MeanLocal, words: str) -> str:
    counts = graph.input("counts", np.float32, "S", "U")
    mean = graph.op("Div", graph.op("MatMul", counts, words), graph.op("ReduceSum", counts, graph.ints(1)))
    return graph.linear(mean, encoder.out) if isinstance(encoder.out, nn.Linear) else mean


_LOCAL: dict[str, Callable[[Graph, Any, str], str]] = {
    "lstm": _lstm_local,
    "mean": _mean_local,
    "pooled": _pooled_local,
}
