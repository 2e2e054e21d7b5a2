"""A model folder, ready to read documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32
from memsum.errors import ModelError
from memsum.features.columns import INPUTS, IS_ENGLISH, NO_NGRAMS, Lexicon, Sentences, columns_of, ngrams_of
from memsum.features.encoding import FEATURES, SIGNALS, EncodedText, TextEncoder, Words
from memsum.features.expected_length import LengthModel
from memsum.features.novelty import NOVELTY, STOP
from memsum.features.salience import PAIR_COUNTS, WORD_FEATURES, contextual_inputs
from memsum.isolation import cores
from memsum.model import ModelConfig, check_files
from memsum.model.graphs import Graph, SentenceEncoder

if TYPE_CHECKING:
    from concurrent.futures import Executor

_HISTORIES = {"query": "attention", "extracted": "gru", "novelty": "counted"}  # by what a step takes in
_OF_TEXT = {"rows", "lengths", "counts"}  # inputs of the sentence encoder as wide as the batch
_VOTES = "looks"  # the name of the sentences' votes in graphs
_PAIRS = 30_000  # pairs of words whose salience is computed at a time: of a long document, all would take much memory
_VERY_LONG = 2000  # sentences of a document whose memory is given back after each graph
_MOST_THREADS = 4  # products of a hundred sentences are too small for more


class Runtime:
    """Text encoder and graphs of one model. Threads may share it; each document's episode is its caller's own.

    Load it after forking, not before: its worker threads do not survive a fork.
    """

    def __init__(
        self,
        config: ModelConfig,
        encoder: TextEncoder,
        graphs: Mapping[str, Graph],
        threads: int,
        length: LengthModel | None = None,
    ) -> None:
        self.config = config
        self.encoder = encoder
        self.length = length
        self.graphs = graphs
        self.threads = threads
        self._sentences = SentenceEncoder(graphs["sentences"])
        self.pool: Executor | None = None
        if threads > 1 and self._sentences.is_ordered:
            from concurrent.futures import ThreadPoolExecutor  # takes 3 % of a cold summary

            self.pool = ThreadPoolExecutor(threads, "memsum")

    @classmethod
    def load(cls, folder: Path, *, threads: int | None = None) -> Runtime:
        """Open a model folder; `threads` is how many cores one document may use."""
        threads = min(threads or _MOST_THREADS, cores())
        config = ModelConfig.load(folder)  # a newer format may have other files: ask for the format before the files
        check_files(folder)
        encoder = config.open_encoder(folder)
        # Batches of an LSTM run side by side, and so do steps; the context encoder reads one sentence after the other.
        several = {"sentences": 1 if config.policy.get("local") == "lstm" else threads}
        names = ["sentences", "document", "step"]
        graphs = {name: Graph(folder / f"{name}.onnx", several.get(name, 1)) for name in names}
        names = ["salience"] * (_VOTES in graphs["document"].outputs) + ["columns"] * (
            config.policy.get("columns") is True
        )
        graphs |= {name: Graph(folder / f"{name}.onnx", several.get(name, 1)) for name in names}
        _check(folder, config, encoder, graphs)
        return cls(config, encoder, graphs, threads, config.open_length(folder, encoder))

    @cached_property
    def lexicon(self) -> Lexicon:
        """The vocabulary as columns need it."""
        return Lexicon(self.encoder.weights, self.encoder.vectors.vocabulary)

    def read(self, text: EncodedText, words: Words) -> dict[str, F32]:
        """Run the graphs that read the sentences of one document before anything is extracted."""
        local = self._sentences.encode(text, words, self.pool)
        inputs: dict[str, NDArray[Any]] = {"sentences": local, "positions": text.indices, "features": text.features}
        if text.signals is not None:
            inputs["signals"] = text.signals.values
        return self.graphs["document"].run(inputs, release=len(text) >= _VERY_LONG)

    def with_contextual_salience(self, text: EncodedText, outputs: Mapping[str, F32]) -> EncodedText:
        """Return the text with contextual salience, if the model has a network for it."""
        signals, salience = text.signals, self.graphs.get("salience")
        if signals is None or signals.evidence is None or salience is None:
            return text
        of_words, of_pairs = contextual_inputs(signals.counts, signals.evidence, outputs[_VOTES])
        parts = [
            salience.run({**of_words, **{name: rows[low : low + _PAIRS] for name, rows in of_pairs.items()}})
            for low in range(0, max(len(signals.evidence.pairs), 1), _PAIRS)
        ]
        pairs = np.concatenate([part["pair_odds"] for part in parts])
        return replace(text, signals=signals.with_salience(parts[0]["word_odds"], pairs))

    def with_columns(self, read: Sentences, lexicon: Lexicon, states: F32 | None) -> F32:
        """Return states of the sentences in which the columns have their part.

        Without states, of a document whose words mean nothing to the model, nor do the columns of English.
        """
        graph, columns = self.graphs["columns"], columns_of(read, lexicon)
        known, ngrams = np.ones(INPUTS, np.float32), NO_NGRAMS
        if states is None:
            known[IS_ENGLISH] = 0
            states = np.zeros((len(columns), graph.inputs["network"][-1]), np.float32)
        else:
            ngrams = ngrams_of(read.encoded, read.outline, lexicon)
        return graph.run({"columns": columns, "known": known, "network": states, **ngrams._asdict()})["states"]


def _check(folder: Path, config: ModelConfig, encoder: TextEncoder, graphs: Mapping[str, Graph]) -> None:
    """Refuse graphs that were not exported together, from this network and for these word vectors."""
    width = encoder.vectors.dimension
    sentences, document, step = graphs["sentences"], graphs["document"], graphs["step"]
    # What one graph gives, the next one takes.
    wide = INPUTS
    columns = graphs.get("columns", document)
    states = {name: shape[-1] for name, shape in columns.outputs.items()}
    chain = [
        (sentences, {"words": width, "means": width, "features": len(FEATURES)}, _OF_TEXT),
        (
            document,
            {
                "sentences": sentences.outputs.get("local", [None])[-1],
                "features": len(FEATURES),
                "signals": SIGNALS if config.text.signals else None,
            },
            {"positions"},
        ),
        (step, {"novelty": len(NOVELTY), "progress": STOP, **states}, {"remaining", "extracted", "lengths"}),
    ]
    if columns is not document:
        network = document.outputs.get("states", [None])[-1]
        chain.append((columns, {"columns": wide, "known": wide, "network": network}, {"buckets", "rows", "shares"}))
    if (salience := graphs.get("salience")) is not None:
        votes = 2 * document.outputs[_VOTES][-1]
        given = {"words": 1 + WORD_FEATURES, "vectors": width, "word_looks": votes, "pair_looks": votes}
        chain.append((salience, {**given, "pairs": 1 + PAIR_COUNTS}, {"first", "second"}))
    fits = "logits" in step.outputs and ("logits" in document.outputs or "states" in document.outputs)
    for graph, given, free in chain:
        fits = fits and all(name in free or given.get(name) == shape[-1] for name, shape in graph.inputs.items())
    if not fits:
        raise ModelError(f"The graphs in {folder} do not fit each other.", "Export the model again.")
    exported = {
        "dimension": sentences.outputs["local"][-1],
        "local": "lstm" if "rows" in sentences.inputs else "pooled" if "features" in sentences.inputs else "mean",
        "history": next((history for name, history in _HISTORIES.items() if name in step.inputs), "none"),
    }
    if exported.items() - config.policy.items():
        raise ModelError(f"The graphs in {folder} are of another network than its config says.", "Export it again.")
