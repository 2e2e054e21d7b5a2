"""The graphs of the networks, as functions that write what their modules compute.

All have `sentences.onnx`, local embeddings. Of the paper's network, `document.onnx` and `step.onnx` follow; of the
count-based one, `document.onnx` gives the sentences' states, `salience.onnx` refines which words matter, `columns.onnx`
adds the columns to the states, and `step.onnx` scores by all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import onnx
import torch
from torch import nn

from memsum.features.columns import COLUMNS, INPUTS
from memsum.features.encoding import FEATURES, SIGNALS
from memsum.features.novelty import NOVELTY, PAIRS_SAID, STOP
from memsum.features.salience import PAIR_COUNTS, VOTES, WORD_FEATURES
from memsum.model.rules import AGAIN, REPEATED
from memsum_train.paper.model import (
    Attention,
    AttentionLayer,
    ExtractionHistoryEncoder,
    GlobalContextEncoder,
    LocalSentenceEncoder,
    MemSum,
    Stop,
)
from memsum_train.paper.variants import GRUHistory, MeanLocal, StopSentenceMemSum
from memsum_train.policy.authors_padding import PaddedMemSum
from memsum_train.policy.counted import (
    FARTHEST,
    HIDDEN,
    LEAST,
    SHARED,
    UNIGRAM,
    USUAL,
    ColumnLayers,
    ContextualSalience,
    CountedExtractor,
    CountedNetwork,
    CountedStop,
    PooledLocal,
)
from memsum_train.policy.export.builder import MICROSOFT, GraphBuilder, Precision, array, reordered
from memsum_train.policy.network import Policy

_NOWHERE = -1e9  # logit of padding, as in MultiHeadPooling
_LARGEST_GAP = 60.0  # between attention logits: e^-60 weighs nothing, and is still an ordinary float
_PROJECTIONS = ("query", "key", "value")


def sentences_graph(policy: Policy, graph: GraphBuilder) -> None:
    """Turn words of a batch of S sentences into `local` (S, d).

    Words come in as the vectors `words` (U, D) of the batch's distinct words. How its sentences point to them depends
    on the encoder: an LSTM needs sequences (`rows`, `lengths`), with the padding's vector in row 0; the others only
    need to know how often each word occurs in each sentence (`counts`), which takes no padding.
    """
    words = graph.input("words", np.float32, "U", policy.config.word_dimension)
    local = _LOCAL[policy.config.local](graph, policy.local, words)
    graph.output("local", local, "S", policy.config.dimension)


def _lstm_local(graph: GraphBuilder, encoder: LocalSentenceEncoder, words: str) -> str:
    rows = graph.input("rows", np.int64, "L", "S")  # of `words`; 0 is padding
    lengths = graph.input("lengths", np.int32, "S")  # tokens to read, which may be padding
    states = graph.bilstm(graph.op("Gather", words, rows), encoder.rnn, lengths)  # (L, S, w)
    states = graph.op("Transpose", states, perm=[1, 0, 2])  # (S, L, w)
    pool = encoder.pool

    logits = graph.linear(graph.op("Reshape", states, (-1, pool.attention.in_features)), pool.attention)
    shape = graph.op("Concat", graph.op("Shape", states, end=2), (pool.heads,), axis=0)
    logits = graph.op("Reshape", logits, shape)  # (S, L, heads)
    inside = graph.op("Greater", graph.op("Transpose", rows, perm=[1, 0]), graph.constant(np.array(0)))  # (S, L)
    logits = graph.op("Where", graph.op("Unsqueeze", inside, (2,)), logits, _NOWHERE)
    weights = graph.op("Transpose", graph.op("Softmax", logits, axis=1), perm=[0, 2, 1])
    pooled = graph.op("Transpose", graph.op("MatMul", weights, states), perm=[1, 0, 2])  # (heads, S, w)
    values = graph.linear(graph.values(pooled, pool), pool.out)
    return graph.linear(graph.op("Relu", graph.norm(values, encoder.norm)), encoder.out)


def _pooled_local(graph: GraphBuilder, encoder: PooledLocal, words: str) -> str:
    """Compute what is learned of a word once per word; a sentence is sums over its words.

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
    shares = graph.op("Exp", graph.op("Max", gaps, -_LARGEST_GAP))
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
    mean = graph.op("Div", graph.op("MatMul", counts, words), graph.op("ReduceSum", counts, (1,)))
    return graph.linear(mean, encoder.out) if isinstance(encoder.out, nn.Linear) else mean


_LOCAL: dict[str, Callable[[GraphBuilder, Any, str], str]] = {
    "lstm": _lstm_local,
    "mean": _mean_local,
    "pooled": _pooled_local,
}


def context_of(graph: GraphBuilder, policy: Policy, local: str) -> str:
    """Return the context embeddings (N, d) of local embeddings (N, d)."""
    encoder = policy.context
    if not isinstance(encoder, GlobalContextEncoder):
        return graph.zeros_like(local)
    if not isinstance(policy, PaddedMemSum):
        return _lstm_context(graph, encoder, local)
    positions = graph.input("positions", np.int64, "N")
    with torch.no_grad():
        blanks = graph.constant(array(policy.blank().expand(policy.size, -1)))
    frame = graph.op("ScatterND", blanks, graph.op("Unsqueeze", positions, (1,)), local)  # (size, d)
    context = _lstm_context(graph, encoder, frame)
    return graph.op("Gather", context, positions)


def _lstm_context(graph: GraphBuilder, encoder: GlobalContextEncoder, local: str) -> str:
    states = graph.bilstm(graph.op("Unsqueeze", local, (1,)), encoder.rnn)
    states = graph.op("Squeeze", states, (1,))
    return graph.linear(graph.op("Relu", graph.norm(states, encoder.norm)), encoder.out)


# --- the paper's network --------------------------------------------------------------------------------------------


def paper_graphs(network: MemSum, precision: Precision) -> list[GraphBuilder]:
    """Build the graphs of the paper's network and its ablations."""
    graphs = [GraphBuilder(name, precision) for name in ("sentences", "document", "step")]
    for graph, build in zip(graphs, (sentences_graph, _document_graph, _step_graph), strict=True):
        build(network, graph)
    return graphs


def _document_graph(network: MemSum, graph: GraphBuilder) -> None:
    """Turn `sentences` (N, d), the local embeddings, into inputs of the steps under their names, (M, d) each.

    Also `logits` (M,) and `stop` (1,), which a step gives out too: here while nothing is extracted. M is N, or N + 1 if
    there is a stop sentence, which comes last. A network that reads documents in a frame also takes the sentences'
    `positions` (N,) in it.
    """
    d = network.config.dimension
    local = graph.input("sentences", np.float32, "N", d)
    if isinstance(network, StopSentenceMemSum):
        local = graph.op("Concat", local, graph.constant(array(network.stop_sentence)[None]), axis=0)
    outputs = {"local": local, "context": context_of(graph, network, local)}
    outputs |= _first_projections(graph, network, local)
    for name, value in outputs.items():
        graph.output(name, value, "M", d)
    local, context = (graph.op("Unsqueeze", outputs[name], (0,)) for name in ("local", "context"))
    _score(graph, network, local, context, graph.zeros_like(local), "M")


def _step_graph(network: MemSum, graph: GraphBuilder) -> None:
    """Turn `remaining` (R,) and `extracted` (E,), rows of the document, into `logits` (R,) and the one of `stop` (1,).

    Only what remains is computed: of an extracted sentence the network sees nothing but the history. Something must be
    extracted already; the scores before that are outputs of the document's graph.
    """
    d = network.config.dimension
    everything = graph.input("local", np.float32, "M", d)
    context = graph.input("context", np.float32, "M", d)
    remaining = graph.op("Unsqueeze", graph.input("remaining", np.int64, "R"), (0,))
    local, context = graph.op("Gather", everything, remaining), graph.op("Gather", context, remaining)  # (1, R, d)
    _score(graph, network, local, context, _history(graph, network, everything, local, remaining), "R")


def _score(graph: GraphBuilder, network: MemSum, local: str, context: str, history: str, rows: str) -> None:
    """Output the logits (R,) of sentences (1, R, d), and the one of stopping."""
    extractor, d = network.extractor, network.config.dimension
    x = graph.norm(graph.op("Concat", local, context, history, axis=2), extractor.norm_input)
    x = graph.op("Relu", graph.norm(graph.linear(x, extractor.hidden1), extractor.norm1))
    x = graph.op("Relu", graph.norm(graph.linear(x, extractor.hidden2), extractor.norm2))
    x = graph.op("Reshape", x, (-1, d))
    graph.output("logits", graph.op("Reshape", graph.linear(x, extractor.score), (-1,)), rows)
    if extractor.stop is not None:
        graph.output("stop", _stop(graph, extractor.stop, x), 1)


def _stop(graph: GraphBuilder, stop: Stop, hidden: str) -> str:
    """Return the logit (1,) of stopping, from hidden states (R, d)."""
    weights = graph.op("Softmax", graph.linear(hidden, stop.pool.attention), axis=0)
    pooled = graph.op("MatMul", graph.op("Transpose", weights, perm=[1, 0]), hidden)
    pooled = graph.op("Unsqueeze", pooled, (1,))  # (heads, 1, d)
    values = graph.linear(graph.values(pooled, stop.pool), stop.pool.out)
    logit = graph.linear(graph.op("Relu", graph.norm(values, stop.norm)), stop.out)
    return graph.op("Reshape", logit, (1,))


def _first_projections(graph: GraphBuilder, network: MemSum, local: str) -> dict[str, str]:
    """Project the local embeddings for the first layer: the same at every step, so computed with the document."""
    if not isinstance(network.history, ExtractionHistoryEncoder):
        return {}
    attention = cast(AttentionLayer, network.history.layers[0]).among_remaining
    projections = graph.linears(local, [getattr(attention, name) for name in _PROJECTIONS])
    return dict(zip(_PROJECTIONS, projections, strict=True))


def _history(graph: GraphBuilder, network: MemSum, everything: str, local: str, remaining: str) -> str:
    """Return the history (1, R, d) of the remaining sentences, of which local (1, R, d) are the embeddings."""
    encoder, d = network.history, network.config.dimension
    if not isinstance(encoder, (ExtractionHistoryEncoder, GRUHistory)):
        return graph.zeros_like(local)
    chosen = graph.op("Gather", everything, graph.input("extracted", np.int64, "E"))  # (E, d)
    if isinstance(encoder, ExtractionHistoryEncoder):
        inputs = [graph.input(name, np.float32, "M", d) for name in _PROJECTIONS]
        projected = [graph.op("Gather", name, remaining) for name in inputs]
        layers = [cast(AttentionLayer, layer) for layer in encoder.layers]
        return _attention(graph, layers, local, chosen, projected)
    return graph.op("Expand", _last_state(graph, encoder.rnn, chosen), graph.op("Shape", local))


def _attention(graph: GraphBuilder, layers: list[AttentionLayer], x: str, chosen: str, projected: list[str]) -> str:
    keys = [getattr(layer.to_extracted, name) for layer in layers for name in _PROJECTIONS[1:]]
    extracted = graph.linears(graph.op("Unsqueeze", chosen, (0,)), keys)  # keys and values of each layer
    for number, layer in enumerate(layers):
        own, other = layer.among_remaining, layer.to_extracted
        parts = graph.linears(x, [getattr(own, name) for name in _PROJECTIONS]) if number else projected
        x = graph.norm(graph.op("Add", x, _attend(graph, own, parts)), layer.norm1)
        parts = [graph.linear(x, other.query), *extracted[2 * number : 2 * number + 2]]
        x = graph.norm(graph.op("Add", x, _attend(graph, other, parts)), layer.norm2)
        x = graph.norm(graph.op("Add", x, graph.layers(x, layer.feed_forward)), layer.norm3)
    return x


def _attend(graph: GraphBuilder, attention: Attention, parts: list[str]) -> str:
    """Attend with queries (1, R, d) to keys and values (1, K, d). There is nothing to mask: all may be seen."""
    seen = graph.op("MultiHeadAttention", *parts, num_heads=attention.heads, domain=MICROSOFT)
    return graph.linear(seen, attention.out)


def _last_state(graph: GraphBuilder, rnn: nn.GRU, chosen: str) -> str:
    """Return the state (1, 1, d) after all chosen sentences."""
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    weights, states, *biases = (reordered(array(getattr(rnn, name)), [1, 0, 2]) for name in names)  # r z n to z r n
    parts = [graph.constant(weight[None]) for weight in (weights, states, np.concatenate(biases))]
    sequence = graph.op("Unsqueeze", chosen, (1,))
    hidden = graph.op("GRU", sequence, *parts, hidden_size=rnn.hidden_size, linear_before_reset=1)  # (E, 1, 1, d)
    return graph.op("Reshape", graph.op("Gather", hidden, (-1,)), (1, 1, -1))


# --- the count-based network ----------------------------------------------------------------------------------------


def counted_graphs(network: CountedNetwork, precision: Precision) -> list[GraphBuilder]:
    """Build the graphs of the count-based network."""
    graphs = [GraphBuilder(name, precision) for name in ("sentences", "document")]
    graphs += [GraphBuilder(name, "fp32") for name in ("salience", "step", "columns")]  # so small that int8 costs more
    sentences, document, salience, step, columns = graphs
    sentences_graph(network, sentences)
    _counted_document(network, document)
    _salience_graph(network.extractor.salience, salience)
    _counted_step(network.extractor, step)
    if network.extractor.columns is None:
        return graphs[:-1]
    _columns_graph(network.extractor.columns, columns)
    return graphs


def _columns_graph(layers: ColumnLayers, graph: GraphBuilder) -> None:
    """Turn `columns` (N, C), which of them are `known` (C,), and the states of the `network` (N, HIDDEN) into `states`
    (N, HIDDEN + 1), of which the last number is added to the score; n-gram g, of sentence `rows[g]`, has the weight
    `buckets[g]` of a table, and a share of `shares[g]`."""
    columns = graph.input("columns", np.float32, "N", INPUTS)
    known = graph.input("known", np.float32, INPUTS)
    states = graph.input("network", np.float32, "N", HIDDEN)
    x = graph.op("Sub", columns, graph.constant(array(layers.center)))
    x = graph.op("Clip", graph.op("Div", x, graph.constant(array(layers.scale))), -FARTHEST, FARTHEST)
    x = graph.op("Mul", x, known)
    own = _columns(graph, x, 0, len(COLUMNS))
    seen = graph.op("Concat", own, graph.norm(states, layers.norm), axis=1)
    kind = graph.op("Tanh", graph.linear(graph.op("ReduceMean", seen, axes=[0], keepdims=1), layers.document))
    scales = graph.op("Add", graph.linear(kind, layers.scales), 1.0)
    of_states, of_columns, of_score = (
        _columns(graph, scales, low, high)
        for low, high in ((0, HIDDEN), (HIDDEN, 2 * HIDDEN), (2 * HIDDEN, 2 * HIDDEN + 1))
    )
    added = graph.linear(graph.op("Relu", graph.linear(x, layers.hidden)), layers.out)
    full = graph.op("Add", graph.op("Mul", states, of_states), graph.op("Mul", added, of_columns))
    direct = graph.op("MatMul", x, graph.constant(array(layers.direct.weight).T))
    buckets, rows = (graph.input(name, np.int64, "G") for name in ("buckets", "rows"))
    shares = graph.input("shares", np.float32, "G")
    weights = graph.op("Gather", graph.constant(array(layers.ngrams).astype(np.float16)), buckets)
    added = graph.op("Mul", graph.op("Cast", weights, to=onnx.TensorProto.FLOAT), shares)
    score = graph.op("Squeeze", graph.op("Mul", direct, of_score), (1,))
    score = graph.op("ScatterElements", score, rows, added, reduction="add")
    graph.output("states", graph.op("Concat", full, graph.op("Unsqueeze", score, (1,)), axis=1), "N", HIDDEN + 1)


def _counted_document(network: CountedNetwork, graph: GraphBuilder) -> None:
    """Turn local embeddings `sentences` (N, d), `features` (N, F) and `signals` (N, G) of the sentences into `states`
    (N, HIDDEN), and `looks` (N, VOTES), the votes for their words."""
    local = graph.input("sentences", np.float32, "N", network.config.dimension)
    context = context_of(graph, network, local)
    extractor = network.extractor
    features = graph.input("features", np.float32, "N", len(FEATURES))
    signals = graph.input("signals", np.float32, "N", SIGNALS)
    x = graph.norm(graph.op("Concat", local, context, axis=1), extractor.norm)
    x = graph.op("Concat", x, features, signals, axis=1)
    x = graph.op("Relu", graph.norm(graph.linear(x, extractor.hidden1), extractor.norm1))
    x = graph.linear(x, extractor.hidden2)
    graph.output("states", x, "N", HIDDEN)
    votes = graph.op("Relu", graph.linear(graph.op("Relu", x), extractor.salience.vote))
    graph.output("looks", votes, "N", VOTES)


def _salience_graph(salience: ContextualSalience, graph: GraphBuilder) -> None:
    """Turn salience so far and the votes into `word_odds` (U,), `pair_odds` (Q,).

    Inputs are log-odds and features of the `words` (U, …), their `vectors` (U, D) and votes `word_looks`
    (U, 2 · VOTES); log-odds and features of the `pairs` (Q, …), their `first` and `second` words (Q,) and votes
    `pair_looks`.
    """
    words = graph.input("words", np.float32, "U", 1 + WORD_FEATURES)
    vectors = graph.input("vectors", np.float32, "U", salience.meaning.in_features)
    word_looks = graph.input("word_looks", np.float32, "U", 2 * VOTES)
    pairs = graph.input("pairs", np.float32, "Q", 1 + PAIR_COUNTS)
    pair_looks = graph.input("pair_looks", np.float32, "Q", 2 * VOTES)
    first, second = (graph.input(name, np.int64, "Q") for name in ("first", "second"))
    meanings = graph.op("Relu", graph.linear(vectors, salience.meaning))
    x = graph.op("Concat", words, word_looks, meanings, axis=1)
    hidden = graph.op("Relu", graph.linear(x, salience.word))
    odds = graph.op("Add", _column(graph, words, 0), graph.linear(hidden, salience.word_out))  # (U, 1)
    shared = graph.op("Relu", graph.linear(hidden, salience.shared))
    known = graph.op("Concat", odds, shared, axis=1)
    one, two = (graph.op("Gather", known, which, axis=0) for which in (first, second))
    before = _column(graph, pairs, 0)
    parts = [before, *(_column(graph, of, 0) for of in (one, two)), _columns(graph, pairs, 1, 1 + PAIR_COUNTS)]
    parts += [pair_looks, *(_columns(graph, of, 1, 1 + SHARED) for of in (one, two))]
    hidden = graph.op("Relu", graph.linear(graph.op("Concat", *parts, axis=1), salience.pair))
    graph.output("word_odds", graph.op("Squeeze", odds, (1,)), "U")
    pair_odds = graph.op("Add", before, graph.linear(hidden, salience.pair_out))
    graph.output("pair_odds", graph.op("Squeeze", pair_odds, (1,)), "Q")


def _column(graph: GraphBuilder, x: str, column: int) -> str:
    return _columns(graph, x, column, column + 1)


def _columns(graph: GraphBuilder, x: str, begin: int, end: int) -> str:
    return graph.op("Slice", x, (begin,), (end,), (1,))


def _counted_step(extractor: CountedExtractor, graph: GraphBuilder) -> None:
    """Turn `states` (N, HIDDEN), `novelty` (N, NOVELTY) and `lengths` (N,) in words into `logits` (N,), and the
    `expected` (N,) share of their words that would be new hits; with `progress` (STOP,) and `remaining` (N,), 1 or 0,
    also into the logit of `stop` (1,)."""
    full = extractor.columns is not None
    x = states = graph.input("states", np.float32, "N", HIDDEN + full)
    if full:
        x = _columns(graph, states, 0, HIDDEN)
    novelty = graph.input("novelty", np.float32, "N", len(NOVELTY))
    lengths = graph.input("lengths", np.float32, "N")
    z = graph.op("Relu", graph.linear(novelty, extractor.novelty))
    gate, shift = graph.linears(z, [extractor.gate, extractor.shift])
    x = graph.op("Add", graph.op("Mul", x, graph.op("Add", gate, 1.0)), shift)
    x = graph.op("Relu", graph.norm(x, extractor.norm2))
    x = graph.op("Concat", graph.op("Relu", graph.linear(x, extractor.hidden3)), z, axis=1)
    outs = graph.split(graph.linear(x, extractor.out), 4)  # score, gain, hits of words and of pairs, (N, 1) each
    score, gain, words, pairs = (graph.op("Squeeze", out, (1,)) for out in outs)
    hits = graph.op("Add", graph.op("Mul", graph.op("Sigmoid", words), UNIGRAM), graph.op("Sigmoid", pairs))
    value = graph.op("Log", graph.op("Add", hits, 1e-3))
    weight, penalty = array(extractor.terms).tolist()
    long = graph.op("Div", graph.op("Max", lengths, USUAL), USUAL)
    said = graph.op("Squeeze", graph.op("Gather", novelty, (PAIRS_SAID,), axis=1), (1,))
    repeated = graph.op("Relu", graph.op("Sub", said, REPEATED))
    short = graph.op("Div", graph.op("Clip", lengths, 1.0, LEAST), LEAST)
    worth = graph.op("Add", value, graph.op("Log", short))
    if full:
        score = graph.op("Add", score, graph.op("Squeeze", _column(graph, states, HIDDEN), (1,)))
    logits = graph.op("Add", score, graph.op("Mul", worth, weight))
    logits = graph.op("Sub", logits, graph.op("Mul", graph.op("Log", long), penalty))
    logits = graph.op("Sub", logits, graph.op("Mul", repeated, AGAIN))
    graph.output("logits", logits, "N")
    graph.output("expected", graph.op("Sigmoid", words), "N")
    graph.output("stop", _counted_stop(graph, extractor.stop, logits, value, gain, lengths), 1)


def _counted_stop(graph: GraphBuilder, stop: CountedStop, logits: str, value: str, gain: str, lengths: str) -> str:
    """Return the logit (1,) from how far the summary is, and what the best remaining sentence would bring."""
    progress = graph.input("progress", np.float32, STOP)
    remaining = graph.input("remaining", np.float32, "N")
    gone = graph.op("Mul", graph.op("Sub", remaining, 1.0), 1e9)
    best = graph.op("ArgMax", graph.op("Add", logits, gone), axis=0, keepdims=1)  # (1,)
    words = graph.op("Log", graph.op("Max", graph.op("Gather", lengths, best), 1.0))
    top = graph.op("Clip", graph.op("Gather", logits, best), -20.0, 20.0)
    ahead = [
        graph.op("Gather", value, best),
        graph.op("Div", graph.op("Gather", gain, best), 3.0),
        graph.op("Div", words, 3.0),
        graph.op("Div", top, 5.0),
    ]
    x = graph.op("Unsqueeze", graph.op("Concat", progress, *ahead, axis=0), (0,))
    learned = graph.layers(x, nn.Sequential(stop.hidden, nn.ReLU(), stop.out))  # (1, 1)
    slope, shift = array(stop.length).tolist()
    length = graph.op("Mul", graph.op("Gather", progress, (0,)), slope)
    length = graph.op("Add", length, shift)
    return graph.op("Add", length, graph.op("Squeeze", learned, (1,)))
