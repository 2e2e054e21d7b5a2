"""`sentences.onnx`: the local encoder.

Words come in as the vectors `words` (U, D) of a batch's distinct words. How its S sentences point to them depends on
the encoder: an LSTM needs sequences (`rows`, `lengths`), with the padding's vector in row 0; the others only need to
know how often each word occurs in each sentence (`counts`), which takes no padding.
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
    means = graph.input("means", np.float32, "S", encoder.mean.in_features)
    features = graph.input("features", np.float32, "S", len(FEATURES))
    pool, width = encoder.pool, encoder.pool.value.out_features

    hidden = graph.op("Relu", graph.linear(words, encoder.hidden))  # (U, w)
    logits = graph.linear(hidden, pool.attention)  # (U, heads)
    gaps = graph.op("Sub", logits, graph.op("ReduceMax", logits, axes=[0]))
    shares = graph.op("Exp", graph.op("Max", gaps, graph.number(-_LARGEST_GAP)))
    heads = np.repeat(np.eye(pool.heads, dtype=np.float32), width // pool.heads, axis=1)  # whose is each column
    wide = graph.op("MatMul", shares, graph.constant(heads))  # (U, width): faster than to broadcast
    sums = graph.op("MatMul", counts, graph.op("Mul", graph.linear(hidden, pool.value), wide))
    totals = graph.op("MatMul", graph.op("MatMul", counts, shares), graph.constant(heads))
    pooled = graph.linear(graph.op("Div", sums, totals), pool.out)

    mean = graph.linear(means, encoder.mean)
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
