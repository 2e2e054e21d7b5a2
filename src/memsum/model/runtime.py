"""A model folder, ready to read documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32, I64
from memsum.errors import DocumentError, ModelError
from memsum.features.counts import WordStatistics
from memsum.features.encoding import FEATURES, SIGNALS, EncodedText, TextEncoder, Words
from memsum.features.expected_length import LengthModel, LengthStop
from memsum.features.novelty import NOVELTY, STOP
from memsum.features.reader_value import (
    ReaderModel,
    ReaderWords,
    Sentences,
    describe_style,
    has_capitals,
    reader_features,
)
from memsum.features.salience import PAIR_COUNTS, WORD_FEATURES, contextual_inputs
from memsum.features.source_text import SourceText
from memsum.isolation import cores
from memsum.languages.cue_words import is_outcome
from memsum.languages.low_value import low_value
from memsum.languages.needs_context import needs_context
from memsum.languages.section_names import is_proposal
from memsum.model import ModelConfig, check_files
from memsum.model.constraints import (
    Quotas,
    TrigramBlock,
    constrain,
    length_penalty,
    length_reward,
    main_sections,
    short_penalty,
)
from memsum.model.episode import Episode, Scorer
from memsum.model.graphs import Graph, SentenceEncoder
from memsum.model.scorers import AttentionScorer, CountScorer, ReaderScorer, ReaderValues

if TYPE_CHECKING:
    from memsum.features.keywords import Keyword

_HISTORIES = {"query": "attention", "extracted": "gru", "novelty": "counted"}  # by what a step takes in
_OF_TEXT = {"rows", "lengths", "counts"}  # inputs of the sentence encoder as wide as the batch
_VOTES = "looks"  # the name of the sentences' votes in graphs
_PAIRS = 30_000  # pairs of words whose salience is computed at a time: of a long document, all would take much memory
_LONG = 250  # sentences of an everyday document from which on its main sections have quotas
_VERY_LONG = 2000  # the same of any document
_MORE = 1.5  # quotes of a document of many sections for each that is expected
_LOW_VALUE = 0.5  # from here on a sentence has a penalty, and is no reason to quote its section
_MOST_THREADS = 4  # products of a hundred sentences are too small for more


class Runtime:
    """Text encoder and graphs of one model. Threads may share it; each document's episode is its caller's own.

    Load it after forking, not before: its worker threads do not survive a fork.
    """

    def __init__(
        self,
        config: ModelConfig,
        encoder: TextEncoder,
        sentences: Graph,
        document: Graph,
        step: Graph,
        threads: int,
        length: LengthModel | None = None,
        salience: Graph | None = None,
        reader: ReaderModel | None = None,
    ) -> None:
        self.config = config
        self.encoder = encoder
        self.length = length
        self._salience = salience
        self.reader = reader
        self._sentences = SentenceEncoder(sentences)
        self._document = document
        self.step = step
        self.threads = threads
        self.pool: Executor | None = ThreadPoolExecutor(threads, "memsum") if threads > 1 else None

    @classmethod
    def load(cls, folder: Path, *, threads: int | None = None) -> Runtime:
        """Open a model folder; `threads` is how many cores one document may use."""
        threads = min(threads or _MOST_THREADS, cores())
        config = ModelConfig.load(folder)  # a newer format may have other files: ask for the format before the files
        check_files(folder)
        encoder = config.open_encoder(folder)
        # Batches of an LSTM run side by side, and so do steps; the context encoder reads one sentence after the other.
        sentences = Graph(folder / "sentences.onnx", 1 if config.policy.get("local") == "lstm" else threads)
        document, step = (Graph(folder / f"{name}.onnx", threads=1) for name in ("document", "step"))
        salience = Graph(folder / "salience.onnx", threads) if _VOTES in document.outputs else None
        _check(folder, config, encoder, sentences, document, step, salience)
        length, reader = config.open_length(folder, encoder), config.open_reader(folder)
        return cls(config, encoder, sentences, document, step, threads, length, salience, reader)

    @cached_property
    def reader_words(self) -> ReaderWords:
        """The vocabulary as the features of the reader model need it."""
        return ReaderWords(self.encoder.vectors.vocabulary, self.encoder.weights, self.encoder.is_number)

    def begin(
        self,
        sentences: Sequence[str],
        *,
        headings: Sequence[str | None] | None = None,
        title: str | None = None,
        blocking: bool = False,
        brevity: float | None = None,
    ) -> Episode:
        """Encode a document and begin its episode; `brevity` is the model's own unless it is given.

        `headings` are those of the sentences' top-level sections, one for each sentence.
        """
        encoding = self.encode(SourceText.of_sentences(sentences, headings, title))
        return encoding.episode(blocking=blocking, brevity=brevity)

    def encode(self, source: SourceText) -> NetworkEncoding:
        """Encode one document, or several as one: each is understood by itself, and one history counts for all.

        A policy without count-based history reads several documents one after the other instead. Nothing is computed
        before an episode begins.
        """
        return NetworkEncoding(self, source)

    def run(self, source: SourceText, text: EncodedText, words: Words) -> Mapping[str, F32]:
        """Run the graphs that read sentences before anything is extracted."""
        if len(source.titles) > 1 and self.config.text.signals:
            return self._run_each(source, text)
        return self._run(text, words)

    def _run(self, text: EncodedText, words: Words) -> dict[str, F32]:
        local = self._sentences.encode(text, words, self.pool)
        inputs: dict[str, NDArray[Any]] = {"sentences": local, "positions": text.indices, "features": text.features}
        if text.signals is not None:
            inputs["signals"] = text.signals.values
        return self._document.run(inputs, release=len(text) >= _VERY_LONG)

    def _run_each(self, source: SourceText, text: EncodedText) -> dict[str, F32]:
        """Run the graphs on each document by itself; of a sentence that several have, the first stays."""
        alone = [self.encoder.read(*document) for document in source.documents()]
        outputs = [self._run(*one) for one in alone]
        indices = np.concatenate([own.indices + first for (own, _), first in zip(alone, source.bounds, strict=False)])
        kept = np.searchsorted(indices, text.indices)
        return {name: np.concatenate([own[name] for own in outputs])[kept] for name in outputs[0]}

    def with_contextual_salience(self, text: EncodedText, outputs: Mapping[str, F32]) -> EncodedText:
        """Return the text with contextual salience, if the model has a network for it."""
        signals = text.signals
        if signals is None or signals.evidence is None or self._salience is None:
            return text
        of_words, of_pairs = contextual_inputs(signals.counts, signals.evidence, outputs[_VOTES])
        parts = [
            self._salience.run({**of_words, **{name: rows[low : low + _PAIRS] for name, rows in of_pairs.items()}})
            for low in range(0, max(len(signals.evidence.pairs), 1), _PAIRS)
        ]
        pairs = np.concatenate([part["pair_odds"] for part in parts])
        return replace(text, signals=signals.with_salience(parts[0]["word_odds"], pairs))


@dataclass(frozen=True)
class Prepared:
    """What all episodes of a document share: everything that is known before a sentence is extracted."""

    text: EncodedText  # with contextual salience, where the network has read it
    outputs: Mapping[str, F32]  # of `document.onnx`: none where the value for readers decides alone
    sentences: Sequence[str]  # that can be quoted, N of them
    numbers: I64  # (N,) of these sentences among all
    low_value: F32  # (N,)
    needs_context: F32  # (N,)
    reader: ReaderValues | None
    is_long: bool  # its main sections have quotas, if nothing else is asked for
    length: LengthStop | None


@dataclass(frozen=True)
class NetworkEncoding:
    """Documents as the network encodes them."""

    runtime: Runtime
    source: SourceText
    caveats: tuple[str, ...] = ()
    is_neutral = False

    @cached_property
    def prepared(self) -> Prepared:
        """Read the documents, rate what their sentences are worth to a reader, and run the network if it is asked."""
        runtime, source = self.runtime, self.source
        text, words = runtime.encoder.read(source.sentences, source.sections, source.title, source.tokens)
        if not len(text):
            raise DocumentError("The document has no sentences.")
        length = None
        if runtime.length is not None:
            length = replace(runtime.length.stop(text, runtime.encoder, words), words=text.lengths)
        sentences = [source.sentences[index] for index in text.indices]
        low, needs = low_value(sentences), needs_context(sentences)

        reader = _value_for_readers(runtime, source, text, sentences, low, needs)
        long = False
        if reader is not None and len(source.titles) == 1:
            long = len(text) >= (_LONG if max(reader.mean_share, reader.chapter) > 0.5 else _VERY_LONG)

        outputs: Mapping[str, F32] = {}
        if reader is None or not reader.decides_alone:
            outputs = runtime.run(source, text, words)
            text = runtime.with_contextual_salience(text, outputs)
            if reader is not None and text.signals is not None:
                expected = text.signals.expected
                expected += reader.chapter * (reader.chapter_words - expected)
                text = replace(text, signals=replace(text.signals, expected=expected))
        numbers = source.numbers[text.indices]
        return Prepared(text, outputs, sentences, numbers, low, needs, reader, long, length)

    def episode(
        self,
        *,
        blocking: bool = False,
        brevity: float | None = None,
        quotas: Quotas | None = None,
    ) -> Episode:
        """Begin an episode; nothing is extracted yet.

        With `blocking` a sentence that shares three words in a row with an extracted one is passed over. With
        `quotas`, sections or documents have their shares, or quotes are evenly spread.
        """
        ready, graph, own = self.prepared, self.runtime.step, self.runtime.config.penalties
        signals, reader, lengths = ready.text.signals, ready.reader, ready.text.lengths
        scorer: Scorer
        if signals is not None and reader is not None and reader.decides_alone:
            scorer = ReaderScorer(signals, reader)
        else:
            penalty = length_penalty(lengths, own.brevity if brevity is None else brevity)
            penalty = penalty + np.float32(own.low_value) * ready.low_value
            penalty = penalty + np.float32(own.short) * short_penalty(lengths)
            penalty = penalty + np.float32(own.needs_context) * ready.needs_context
            if signals is None:
                scorer = AttentionScorer(graph, ready.outputs, len(ready.text), penalty)
            else:
                reward = length_reward(lengths, own.fullness)
                scorer = CountScorer(graph, ready.outputs["states"], signals, penalty, reward, reader)

        scores = np.zeros(len(ready.text), np.float32)
        if quotas is not None:
            scores = scorer.score(()).probabilities
        elif ready.is_long:
            quotas = main_sections(self.source, None if reader is None else round(_MORE * reader.quotes))
            # A section of nothing but sentences of low value has no share.
            scores = np.where(ready.low_value >= _LOW_VALUE, 0, scorer.score(()).probabilities)
        trigrams = TrigramBlock(ready.sentences) if blocking else None
        constraint = constrain(quotas, ready.numbers, scores, trigrams)
        return Episode(scorer, ready.numbers, self.source.total, constraint, ready.length)

    @property
    def is_long(self) -> bool:
        """Tell whether the main sections of the document have quotas, if nothing else is asked for."""
        return self.prepared.is_long

    def keyword_source(self) -> Callable[[], tuple[Keyword, ...]]:
        """Return what finds the keywords when they are asked for; it keeps no more of the encoding than that takes."""
        ready = self.prepared
        if ready.text.signals is None:
            return tuple
        counts, salience, ids = ready.text.signals.counts, ready.text.signals.salience, ready.text.ids
        light = WordStatistics(counts.rows, counts.starts, counts.weights, counts.directions[:, :0], counts.title)
        vocabulary, sentences, numbers = self.runtime.encoder.vectors.vocabulary, ready.sentences, ready.numbers

        def find() -> tuple[Keyword, ...]:
            from memsum.features.keywords import find_keywords

            return find_keywords(light, salience, ids, vocabulary, sentences, numbers)

        return find


def _value_for_readers(
    runtime: Runtime, source: SourceText, text: EncodedText, sentences: Sequence[str], low: F32, needs: F32
) -> ReaderValues | None:
    """Return what the sentences are worth to a reader, where the model knows; each document is rated by itself."""
    model, settings, signals = runtime.reader, runtime.config.reader, text.signals
    if model is None or settings is None or signals is None:
        return None
    words = runtime.reader_words
    ratings, share = np.zeros((2, len(text)), np.float32)
    chapter = chapter_words = 0.0
    rows = np.searchsorted(text.indices, source.bounds).tolist()
    for (start, end), (first, last) in zip(pairwise(rows), pairwise(source.bounds), strict=True):
        own, texts, values = text[start:end], sentences[start:end], signals.values[start:end]
        style = describe_style(own, values, signals.counts.directions[start:end], words)
        if len(source.titles) == 1:
            chapter = model.is_chapter(style, len(text))
            chapter_words = model.chapter_words(source.outline.main[text.indices]) if chapter else 0.0
        if not has_capitals(texts):
            continue
        headings = {*source.sections[first:last], *source.headings[first:last]}
        everyday = model.everyday(style, end - start, is_proposal=is_proposal(headings))
        share[start:end] = everyday
        if everyday > 0:
            outline = source.outline[text.indices[start:end]]
            read = Sentences(texts, own, values, outline, low[start:end], needs[start:end])
            poor = np.where(read.low_value >= _LOW_VALUE, np.float32(settings.low_value) * read.low_value, 0)
            outcome = np.float32(settings.outcome) * np.fromiter(map(is_outcome, texts), np.float32, len(texts))
            ratings[start:end] = model.rate(reader_features(read, words)) - poor + outcome
    return ReaderValues(ratings, share, settings, chapter, chapter_words)


def _check(
    folder: Path,
    config: ModelConfig,
    encoder: TextEncoder,
    sentences: Graph,
    document: Graph,
    step: Graph,
    salience: Graph | None,
) -> None:
    """Refuse graphs that were not exported together, from this network and for these word vectors."""
    width = encoder.vectors.dimension
    # What one graph gives, the next one takes.
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
        (
            step,
            {
                "novelty": len(NOVELTY),
                "progress": STOP,
                **{name: shape[-1] for name, shape in document.outputs.items()},
            },
            {"remaining", "extracted", "lengths"},
        ),
    ]
    if salience is not None:
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
