"""A model folder, ready to read documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32, I64
from memsum.english.dependence import dependence
from memsum.english.low_value import low_value
from memsum.english.reader_cues import is_outcome
from memsum.english.section_names import is_proposal
from memsum.errors import DocumentError, ModelError
from memsum.features.counts import Counts
from memsum.features.encoding import EncodedText, TextEncoder, Words
from memsum.features.expected_length import LengthModel, LengthStop
from memsum.features.keywords import KeywordFinder
from memsum.features.novelty import NOVELTY, STOP
from memsum.features.penalties import length_penalty, length_reward, short_penalty
from memsum.features.reader_value import (
    ReaderModel,
    ReaderWords,
    Sentences,
    describe_style,
    has_capitals,
    reader_features,
)
from memsum.features.salience import PAIR_COUNTS, WORD_FEATURES, contextual_inputs
from memsum.features.sentence import FEATURES
from memsum.features.signals import SIGNALS, Signals
from memsum.features.source_text import SourceText
from memsum.model import ModelConfig, check_files
from memsum.model.constraints import Quotas, TrigramBlock, constrain, main_sections
from memsum.model.episode import Episode, Steps
from memsum.model.graphs import Graph
from memsum.model.sentences import SentenceEncoder
from memsum.model.steps import CountedSteps, EncodedSteps, ReaderSteps, ReaderValues, attention_parts
from memsum.parallel import cores

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
        self._length = length
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
        threads = threads or min(cores(), _MOST_THREADS)
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

        A policy without count-based history reads several documents one after the other instead.
        """
        text, words = self.encoder.read(source.sentences, source.sections, source.title, source.tokens)
        if not len(text):
            raise DocumentError("The document has no sentences.")
        length = None
        if self._length is not None:
            length = replace(self._length.stop(text, self.encoder, words), words=text.lengths)
        return NetworkEncoding(self, source, text, words, length)

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
class NetworkEncoding:
    """Documents as the network encodes them."""

    runtime: Runtime
    source: SourceText
    encoded: EncodedText  # before the network has read it
    words: Words
    length: LengthStop | None
    caveats: tuple[str, ...] = ()

    @cached_property
    def outputs(self) -> Mapping[str, F32]:
        """What `document.onnx` says of the sentences: of an everyday document nobody asks."""
        return self.runtime.run(self.source, self.encoded, self.words)

    @cached_property
    def text(self) -> EncodedText:
        """The text with contextual salience, which the network finds."""
        return self.runtime.with_contextual_salience(self.encoded, self.outputs)

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
        text, reader = self.encoded, self._reader
        steps: Steps
        if text.signals is not None and reader is not None and reader.decides_alone:
            steps = ReaderSteps(text.signals, reader)
        elif (signals := self._signals) is not None:
            reward = length_reward(text.lengths, self.runtime.config.penalties.fullness)
            states, penalty = self.outputs["states"], self._penalty(brevity)
            steps = CountedSteps(self.runtime.step, states, signals, penalty, reward, reader)
        else:
            steps = EncodedSteps(self.runtime.step, self.outputs, len(text), self._penalty(brevity))
        trigrams = TrigramBlock(self._quotable) if blocking else None
        scores = np.zeros(len(text), np.float32)
        if quotas is not None:
            scores = steps.step(()).scores()
        elif self.is_long:
            quotas = main_sections(self.source, None if self._reader is None else round(_MORE * self._reader.quotes))
            # A section of nothing but sentences of low value has no share.
            scores = np.where(self._low_value >= _LOW_VALUE, 0, steps.step(()).scores())
        constraint = constrain(quotas, self._numbers, scores, trigrams)
        return Episode(steps, self._numbers, self.source.total, constraint, self.length)

    def _penalty(self, brevity: float | None) -> F32:
        lengths, own = self.encoded.lengths, self.runtime.config.penalties
        penalty = length_penalty(lengths, own.brevity if brevity is None else brevity)
        if own.low_value:
            penalty = penalty + np.float32(own.low_value) * self._low_value
        if own.short:
            penalty = penalty + np.float32(own.short) * short_penalty(lengths)
        if own.needs_context:
            penalty = penalty + np.float32(own.needs_context) * self._dependence
        return penalty

    def keywords(self) -> KeywordFinder | None:
        text = self.encoded if self._reader is not None and self._reader.decides_alone else self.text
        if text.signals is None:
            return None
        counts = text.signals.counts
        light = Counts(counts.rows, counts.starts, counts.weights, counts.directions[:, :0], counts.title)
        vocabulary = self.runtime.encoder.vectors.vocabulary
        return KeywordFinder(light, text.signals.salience, text.ids, vocabulary, self._quotable, self._numbers)

    @property
    def history_parts(self) -> int:
        """To how many parts the history deals out the sentences; with more than one it is an approximation."""
        return attention_parts(len(self.encoded)) if self.encoded.signals is None else 1

    @cached_property
    def _numbers(self) -> I64:
        return self.source.numbers[self.encoded.indices]

    @cached_property
    def _quotable(self) -> list[str]:
        return [self.source.sentences[index] for index in self.encoded.indices]

    @cached_property
    def _low_value(self) -> F32:
        return low_value(self._quotable)

    @cached_property
    def _dependence(self) -> F32:
        return dependence(self._quotable)

    @cached_property
    def _signals(self) -> Signals | None:
        """The signals of the text, with the expected length corrected for chapters of textbooks."""
        signals, model = self.text.signals, self.runtime.reader
        if signals is None or model is None or not self._chapter:
            return signals
        words = model.chapter_words(self.source.outline.main[self.encoded.indices])
        return replace(signals, expected=signals.expected + self._chapter * (words - signals.expected))

    @cached_property
    def _chapter(self) -> float:
        """Return how much the document is a chapter of a textbook."""
        model = self.runtime.reader
        return model.is_chapter(self._styles[0], len(self.encoded)) if model and len(self._styles) == 1 else 0.0

    @cached_property
    def _bounds(self) -> list[int]:
        """Rows where the documents begin, and the end."""
        bounds: list[int] = np.searchsorted(self.encoded.indices, self.source.bounds).tolist()
        return bounds

    @cached_property
    def _styles(self) -> list[F32]:
        """Return how each document is written, where the model can tell."""
        text, signals = self.encoded, self.encoded.signals
        if signals is None or self.runtime.reader is None:
            return []
        directions = signals.counts.directions
        return [
            describe_style(text[start:end], signals.values[start:end], directions[start:end], self.runtime.reader_words)
            for start, end in pairwise(self._bounds)
        ]

    @property
    def _headings(self) -> list[set[str | None]]:
        """Return the headings of each document."""
        source = self.source
        return [{*source.sections[start:end], *source.headings[start:end]} for start, end in pairwise(source.bounds)]

    @property
    def is_long(self) -> bool:
        """Tell whether the main sections of the document have quotas, if nothing else is asked for."""
        reader = self._reader
        if reader is None or len(self.source.titles) > 1:
            return False
        return len(self.encoded) >= (_LONG if max(reader.mean_share, self._chapter) > 0.5 else _VERY_LONG)

    @cached_property
    def _reader(self) -> ReaderValues | None:
        """Return what the sentences are worth to a reader, where the model knows; each document is rated by itself."""
        model, settings, text = self.runtime.reader, self.runtime.config.reader, self.encoded
        if model is None or settings is None or text.signals is None:
            return None
        ratings, share = np.zeros(len(text), np.float32), np.zeros(len(text), np.float32)
        for (start, end), style, names in zip(pairwise(self._bounds), self._styles, self._headings, strict=True):
            texts = self._quotable[start:end]
            everyday = model.everyday(style, end - start, is_proposal=is_proposal(names)) if has_capitals(texts) else 0
            share[start:end] = everyday
            if everyday > 0:
                read = Sentences(
                    texts,
                    text[start:end],
                    text.signals.values[start:end],
                    self.source.outline[text.indices[start:end]],
                    self._low_value[start:end],
                    self._dependence[start:end],
                )
                low = np.where(read.low_value >= _LOW_VALUE, np.float32(settings.low_value) * read.low_value, 0)
                outcome = np.float32(settings.outcome) * np.fromiter(map(is_outcome, texts), np.float32, len(texts))
                ratings[start:end] = model.rate(reader_features(read, self.runtime.reader_words)) - low + outcome
        return ReaderValues(ratings, share, settings)


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
