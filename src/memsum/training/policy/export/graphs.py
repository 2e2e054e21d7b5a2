"""The three graphs of a policy, in the order of a summary: `sentences.onnx`, `document.onnx`, `step.onnx`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from memsum.errors import ModelError
from memsum.features.sentence import FEATURES
from memsum.training.policy import Policy
from memsum.training.policy.context import Frame, LSTMContext
from memsum.training.policy.counted import CountedExtractor
from memsum.training.policy.export.builder import MICROSOFT, GraphBuilder, array
from memsum.training.policy.export.counted import counted_step, states
from memsum.training.policy.extractor import Extractor, Stop
from memsum.training.policy.history import Attention, AttentionHistory, AttentionLayer, GRUHistory
from memsum.training.policy.local import LSTMLocal, MeanLocal, PooledLocal

_NOWHERE = -1e9  # logit of padding, as in MultiHeadPooling
_LARGEST_GAP = 60.0  # between attention logits: e^-60 weighs nothing, and is still an ordinary float
_PROJECTIONS = ("query", "key", "value")


def sentences_graph(policy: Policy, graph: GraphBuilder) -> None:
    """Words of a batch of S sentences → `local` (S, d).

    Words come in as the vectors `words` (U, D) of the batch's distinct words. How its sentences point to them depends
    on the encoder: an LSTM needs sequences (`rows`, `lengths`), with the padding's vector in row 0; the others only
    need to know how often each word occurs in each sentence (`counts`), which takes no padding.
    """
    words = graph.input("words", np.float32, "U", policy.config.word_dimension)
    local = _LOCAL[policy.config.local](graph, policy.local, words)
    graph.output("local", local, "S", policy.config.dimension)


def _lstm_local(graph: GraphBuilder, encoder: LSTMLocal, words: str) -> str:
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


def _pooled_local(graph: GraphBuilder, encoder: PooledLocal, words: str) -> str:
    """What is learned of a word is computed once per word; a sentence is sums over its words.

    The softmax's exponentials are computed once per word too. That takes the largest logit of all words off, not of the
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


def _mean_local(graph: GraphBuilder, encoder: MeanLocal, words: str) -> str:
    counts = graph.input("counts", np.float32, "S", "U")
    mean = graph.op("Div", graph.op("MatMul", counts, words), graph.op("ReduceSum", counts, graph.ints(1)))
    return graph.linear(mean, encoder.out) if isinstance(encoder.out, nn.Linear) else mean


_LOCAL: dict[str, Callable[[GraphBuilder, Any, str], str]] = {
    "lstm": _lstm_local,
    "mean": _mean_local,
    "pooled": _pooled_local,
}


def document_graph(policy: Policy, graph: GraphBuilder) -> None:
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
    outputs = {"local": local, "context": _context(graph, policy, local), **_first_projections(graph, policy, local)}
    for name, value in outputs.items():
        graph.output(name, value, "M", d)
    local, context = (graph.op("Unsqueeze", outputs[name], graph.ints(0)) for name in ("local", "context"))
    _score(graph, policy, local, context, graph.zeros_like(local), "M")


def _context(graph: GraphBuilder, policy: Policy, local: str) -> str:
    encoder = policy.context
    if not isinstance(encoder, LSTMContext):
        return graph.zeros_like(local)
    if policy.frame is None:
        return _lstm_context(graph, encoder, local)
    positions = graph.input("positions", np.int64, "N")
    context = _lstm_context(graph, encoder, _framed(graph, policy, policy.frame, local, positions))
    return graph.op("Gather", context, positions)


def _framed(graph: GraphBuilder, policy: Policy, frame: Frame, local: str, positions: str) -> str:
    """The frame (size, d): sentences at their positions, the blank sentence elsewhere."""
    with torch.no_grad():
        blank = policy.local(policy.words[frame.words], policy.weights[frame.words], [frame.blank])
    blanks = graph.constant(array(blank.expand(frame.size, -1)))
    return graph.op("ScatterND", blanks, graph.op("Unsqueeze", positions, graph.ints(1)), local)


def _lstm_context(graph: GraphBuilder, encoder: LSTMContext, local: str) -> str:
    states = graph.bilstm(graph.op("Unsqueeze", local, graph.ints(1)), encoder.rnn)
    states = graph.op("Squeeze", states, graph.ints(1))
    return graph.linear(graph.op("Relu", graph.norm(states, encoder.norm)), encoder.out)


def step_graph(policy: Policy, graph: GraphBuilder) -> None:
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
    _score(graph, policy, local, context, _history(graph, policy, everything, local, remaining), "R")


def _score(graph: GraphBuilder, policy: Policy, local: str, context: str, history: str, rows: str) -> None:
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


def _stop(graph: GraphBuilder, stop: Stop, hidden: str) -> str:
    """hidden (R, d) → logit (1,)."""
    weights = graph.op("Softmax", graph.linear(hidden, stop.pool.attention), axis=0)
    pooled = graph.op("MatMul", graph.op("Transpose", weights, perm=[1, 0]), hidden)
    pooled = graph.op("Unsqueeze", pooled, graph.ints(1))  # (heads, 1, d)
    values = graph.linear(graph.values(pooled, stop.pool), stop.pool.out)
    logit = graph.linear(graph.op("Relu", graph.norm(values, stop.norm)), stop.out)
    return graph.op("Reshape", logit, graph.ints(1))


def _first_projections(graph: GraphBuilder, policy: Policy, local: str) -> dict[str, str]:
    """What the first layer asks of the local embeddings: the same at every step, so computed with the document."""
    if not isinstance(policy.history, AttentionHistory):
        return {}
    attention = cast(AttentionLayer, policy.history.layers[0]).among_remaining
    projections = graph.linears(local, [getattr(attention, name) for name in _PROJECTIONS])
    return dict(zip(_PROJECTIONS, projections, strict=True))


def _history(graph: GraphBuilder, policy: Policy, everything: str, local: str, remaining: str) -> str:
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


def _attention(graph: GraphBuilder, encoder: AttentionHistory, x: str, chosen: str, projected: list[str]) -> str:
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


def _look(graph: GraphBuilder, attention: Attention, parts: list[str]) -> str:
    """Queries (1, R, d), keys and values (1, K, d) → (1, R, d). There is nothing to mask: all may be seen."""
    seen = graph.op("MultiHeadAttention", *parts, num_heads=attention.heads, domain=MICROSOFT)
    return graph.linear(seen, attention.out)


def _last_state(graph: GraphBuilder, rnn: nn.GRU, chosen: str) -> str:
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
