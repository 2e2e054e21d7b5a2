"""A model folder, ready to read documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memsum.english.dependence import dependence
from memsum.english.low_value import low_value
from memsum.errors import DocumentError, ModelError
from memsum.features.brevity import FULL, prices, scraps
from memsum.features.counts import Counts
from memsum.features.encoding import EncodedText, TextEncoder, Words
from memsum.features.expected_length import LengthModel, LengthStop
from memsum.features.keywords import Keyword, find_keywords
from memsum.features.novelty import NOVELTY, STOP
from memsum.features.salience import PAIR_COUNTS, WORD_FEATURES, refiner_inputs
from memsum.features.sentence import FEATURES
from memsum.features.signals import SIGNALS
from memsum.model import ModelConfig, check_files
from memsum.model.episode import Episode
from memsum.model.graphs import Floats, Graph
from memsum.model.quotas import Turns, take_turns
from memsum.model.sentences import SentenceEncoder
from memsum.model.steps import CountedSteps, EncodedSteps, Steps, sigmoid
from memsum.model.trigrams import TrigramBlock
from memsum.parallel import cores
from memsum.query.relevance import ANSWER, Index, Relevance

_HISTORIES = {"query": "attention", "extracted": "gru", "novelty": "counted"}  # by what a step takes in
_OF_TEXT = {"rows", "lengths", "counts"}  # inputs of the sentence encoder as wide as the batch
_PAIRS = 30_000  # pairs of words whose salience is refined at a time: of a long document, all would take much memory
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
    ) -> None:
        self.config = config
        self.encoder = encoder
        self._length = length
        self._salience = salience
        self._sentences = SentenceEncoder(sentences)
        self._document = document
        self.step = step
        self.ahead = threads - 1
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
        salience = Graph(folder / "salience.onnx", threads) if "looks" in document.outputs else None
        _check(folder, config, encoder, sentences, document, step, salience)
        length = config.open_length(folder, encoder)
        return cls(config, encoder, sentences, document, step, threads, length, salience)

    def begin(
        self,
        sentences: Sequence[str],
        *,
        headings: Sequence[str | None] | None = None,
        title: str | None = None,
        block_trigrams: bool = False,
        brevity: float | None = None,
    ) -> Episode:
        """Encode a document, and begin its episode; `brevity` is the model's own unless it is given."""
        encoding = self.encode(sentences, headings=headings, title=title)
        return encoding.episode(block_trigrams=block_trigrams, brevity=brevity)

    def encode(
        self, sentences: Sequence[str], *, headings: Sequence[str | None] | None = None, title: str | None = None
    ) -> Encoding:
        """Encode a document, once; `headings` are those of the sentences' sections, one for each sentence."""
        text, words = self.encoder.read(sentences, headings, title)
        if not len(text):
            raise DocumentError("The document has no sentences.")
        wording = self._judge_wording([sentences[place] for place in text.places])
        return self._encoding(sentences, text, words, self._look(text, words), wording)

    def _look(self, text: EncodedText, words: Words) -> dict[str, Floats]:
        """What the graphs say of the sentences before anything is extracted."""
        local = self._sentences.encode(text, words, self.pool)
        inputs: dict[str, NDArray[Any]] = {"sentences": local, "positions": text.places, "features": text.features}
        if text.signals is not None:
            inputs["signals"] = text.signals.values
        return self._document.run(inputs)

    def _judge_wording(self, quoted: Sequence[str]) -> Callable[[], Wording]:
        """What finds out how poor and how dependent each quote would be; another thread, while the graphs run."""
        settings = self.config.stop
        if self.pool is not None and (settings.poor_quotes or settings.dependent_quotes):
            return self.pool.submit(judge_wording, quoted).result
        return cache(partial(judge_wording, quoted))

    def _encoding(
        self,
        sentences: Sequence[str],
        text: EncodedText,
        words: Words,
        document: Mapping[str, Floats],
        wording: Callable[[], Wording],
    ) -> Encoding:
        text = self._refine(text, document)
        length = self._length.stop(text, self.encoder, words) if self._length else None
        return Encoding(self, sentences, text, document, length, wording)

    def _refine(self, text: EncodedText, document: Mapping[str, Floats]) -> EncodedText:
        """The text with the salience that a first look at its sentences refines, if the model has one."""
        signals = text.signals
        if signals is None or signals.evidence is None or self._salience is None:
            return text
        of_words, of_pairs = refiner_inputs(signals.counts, signals.evidence, document["looks"])
        parts = [
            self._salience.run({**of_words, **{name: rows[low : low + _PAIRS] for name, rows in of_pairs.items()}})
            for low in range(0, max(len(signals.evidence.pairs), 1), _PAIRS)
        ]
        pairs = np.concatenate([part["pair_odds"] for part in parts])
        return replace(text, signals=signals.refined(parts[0]["word_odds"], pairs))

    def encode_together(self, documents: Sequence[DocumentText]) -> Encoding:
        """Encode several documents as one: each is understood by itself, and what is said is remembered for all.

        A policy that does not count what is said reads them one after the other instead.
        """
        sentences = [sentence for document in documents for sentence in document.sentences]
        headings = [heading for document in documents for heading in document.headings]
        title = " ".join(document.title for document in documents if document.title) or None
        if not self.config.text.signals:
            return self.encode(sentences, headings=headings, title=title)
        texts = [self.encoder.read(own.sentences, own.headings, own.title) for own in documents]
        alone = [self._look(*one) for one in texts]
        text, words = self.encoder.read(sentences, headings, title)
        wording = self._judge_wording([sentences[place] for place in text.places])
        firsts = np.cumsum([0, *(len(own.sentences) for own in documents)])
        places = np.concatenate([own.places + first for (own, _), first in zip(texts, firsts, strict=False)])
        # Of a sentence that several documents have, the first stays.
        kept = np.searchsorted(places, text.places)
        document = {name: np.concatenate([own[name] for own in alone])[kept] for name in alone[0]}
        return self._encoding(sentences, text, words, document, wording)


class Wording(NamedTuple):
    """What is known of each sentence by its wording alone, from 0 to 1."""

    poor: Floats
    dependent: Floats


def judge_wording(quoted: Sequence[str]) -> Wording:
    """How poor each of a document's sentences would be as a quote, and how much it needs the one before it."""
    return Wording(low_value(quoted), dependence(quoted))


class DocumentText(NamedTuple):
    """What is read of a document; `headings` are those of the sentences' sections, one for each sentence."""

    sentences: Sequence[str]
    headings: Sequence[str | None]
    title: str | None


@dataclass(frozen=True)
class Encoding:
    """A document as the model sees it: every episode of it begins here."""

    runtime: Runtime
    sentences: Sequence[str]
    text: EncodedText
    document: Mapping[str, Floats]
    length: LengthStop | None
    wording: Callable[[], Wording]

    def episode(
        self,
        *,
        by_number: bool = False,
        block_trigrams: bool = False,
        brevity: float | None = None,
        relevance: Relevance | None = None,
        turns: Turns | None = None,
    ) -> Episode:
        """Begin an episode; nothing is extracted yet.

        Where a summary ends by its number of sentences, words cost nothing, and sentences that say more are worth
        more: `by_number`. With `block_trigrams` a sentence that shares three words in a row with an extracted one is
        passed over. With `relevance`, sentences are wanted that bear on a question, and as many as answer it. With
        `turns`, sections have their shares, or quotes are evenly spread.
        """
        runtime, text, settings = self.runtime, self.text, self.runtime.config.stop
        price = prices(text.lengths, settings.brevity if brevity is None else brevity)
        if by_number:
            price = -prices(np.minimum(text.lengths, FULL), settings.fullness)
        if settings.poor_quotes:
            price = price + np.float32(settings.poor_quotes) * self.wording().poor
        if settings.short_quotes:
            price = price + np.float32(settings.short_quotes) * scraps(text.lengths)
        if settings.dependent_quotes:
            price = price + np.float32(settings.dependent_quotes) * self.wording().dependent
        signals, length = text.signals, self.length
        if relevance is not None:
            price = price - relevance.logits
            signals = replace(signals, expected=signals.expected + ANSWER) if signals is not None else None
            length = replace(length, expected=length.expected + ANSWER) if length is not None else None
        steps: Steps
        if signals is not None:
            steps = CountedSteps(runtime.step, self.document["states"], signals, price)
        else:
            steps = EncodedSteps(runtime.step, self.document, len(text), price)
        trigrams = TrigramBlock(self._quoted) if block_trigrams else None
        block = take_turns(turns, text.places, lambda: sigmoid(steps.look(()).logits), trigrams)
        return Episode(steps, text.places, len(self.sentences), block, length, runtime.pool, runtime.ahead)

    @property
    def _quoted(self) -> list[str]:
        return [self.sentences[place] for place in self.text.places]

    def keyword_finder(self, places: Sequence[int]) -> Callable[[], tuple[Keyword, ...]]:
        """What finds the terms of the document later, without keeping the encoding; nothing if salience is not known.

        Sentence i is the caller's sentence `places[i]`.
        """
        text = self.text
        if text.signals is None:
            return tuple
        counts = text.signals.counts
        light = Counts(counts.rows, counts.starts, counts.weights, counts.directions[:, :0], counts.title)
        vocabulary = self.runtime.encoder.vectors.vocabulary.words
        words = [vocabulary[word] for word in np.unique(text.ids).tolist()]
        quoted = {places[place]: self.sentences[place] for place in text.places.tolist()}
        return partial(find_keywords, light, text.signals.salience, words, quoted)

    def index(self, speakers: Sequence[str | None], headings: Sequence[str | None]) -> Index:
        """The document as questions are looked up in it; a speaker and a heading for each sentence."""
        return Index.of_text(self.text, self.runtime.encoder, speakers, headings)


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
        looks = 2 * document.outputs["looks"][-1]
        given = {"words": 1 + WORD_FEATURES, "vectors": width, "word_looks": looks, "pair_looks": looks}
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
