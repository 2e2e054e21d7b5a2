"""The graphs of the paper's network: `document.onnx` and `step.onnx`."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from torch import nn

from memsum_train.paper.model import Attention, AttentionLayer, ExtractionHistoryEncoder, MemSum, Stop
from memsum_train.paper.variants import GRUHistory, StopSentenceMemSum
from memsum_train.policy.export.builder import MICROSOFT, GraphBuilder, Precision, array
from memsum_train.policy.export.encoders import context_of, sentences_graph

_PROJECTIONS = ("query", "key", "value")


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
    biases = np.concatenate([_gru_gates(rnn.bias_ih_l0), _gru_gates(rnn.bias_hh_l0)])
    weights = (_gru_gates(rnn.weight_ih_l0), _gru_gates(rnn.weight_hh_l0), biases)
    parts = [graph.constant(weight[None]) for weight in weights]
    sequence = graph.op("Unsqueeze", chosen, (1,))
    states = graph.op("GRU", sequence, *parts, hidden_size=rnn.hidden_size, linear_before_reset=1)  # (E, 1, 1, d)
    return graph.op("Reshape", graph.op("Gather", states, (-1,)), (1, 1, -1))


def _gru_gates(weight: object) -> NDArray[np.float32]:
    """Reorder PyTorch's gates r z n to ONNX's z r n."""
    r, z, n = np.split(array(cast(nn.Parameter, weight)), 3)
    return np.concatenate([z, r, n])
