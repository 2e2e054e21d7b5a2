"""The graphs of the count-based network: `sentences.onnx` as for all, `document.onnx` gives the sentences' states,
`salience.onnx` refines which words matter, `step.onnx` scores by both.

Salience and steps stay fp32: they are so small that quantizing their inputs would cost more than it saves.
"""

from __future__ import annotations

import numpy as np
import onnx
from torch import nn

from memsum.features.columns import COLUMNS, INPUTS
from memsum.features.encoding import FEATURES, SIGNALS
from memsum.features.novelty import NOVELTY, PAIRS_SAID, STOP
from memsum.features.salience import PAIR_COUNTS, VOTES, WORD_FEATURES
from memsum.model.rules import AGAIN, REPEATED
from memsum_train.policy.counted.columns import FARTHEST, ColumnLayers
from memsum_train.policy.counted.extractor import (
    HIDDEN,
    LEAST,
    UNIGRAM,
    USUAL,
    CountedExtractor,
    CountedStop,
)
from memsum_train.policy.counted.network import CountedNetwork
from memsum_train.policy.counted.salience import SHARED, ContextualSalience
from memsum_train.policy.export.builder import GraphBuilder, Precision, array
from memsum_train.policy.export.encoders import context_of, sentences_graph


def counted_graphs(network: CountedNetwork, precision: Precision) -> list[GraphBuilder]:
    """Build the graphs of the count-based network."""
    sentences, document = GraphBuilder("sentences", precision), GraphBuilder("document", precision)
    salience, step = GraphBuilder("salience", "fp32"), GraphBuilder("step", "fp32")
    sentences_graph(network, sentences)
    _document_graph(network, document)
    _salience_graph(network.extractor.salience, salience)
    _step_graph(network.extractor, step)
    graphs = [sentences, document, salience, step]
    if network.extractor.columns is not None:
        graphs.append(GraphBuilder("columns", "fp32"))
        _columns_graph(network.extractor.columns, graphs[-1])
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


def _document_graph(network: CountedNetwork, graph: GraphBuilder) -> None:
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


def _step_graph(extractor: CountedExtractor, graph: GraphBuilder) -> None:
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
    if extractor.stop is not None:
        graph.output("stop", _stop(graph, extractor.stop, logits, value, gain, lengths), 1)


def _stop(graph: GraphBuilder, stop: CountedStop, logits: str, value: str, gain: str, lengths: str) -> str:
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
