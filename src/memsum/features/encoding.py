"""From the sentences of a document to the numbers the policy reads: word ids and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from memsum.arrays import F32, I32, I64, Bools, Ints, distinct, dot, lengths_of, number_distinct, split_keys, unit
from memsum.errors import ModelError
from memsum.features.counts import WordStatistics
from memsum.features.novelty import Novelty
from memsum.features.salience import SIGNALS as SALIENCE_SIGNALS
from memsum.features.salience import Salience, SalienceInputs, SalienceModel
from memsum.languages.cue_words import WORDING, CueWords, mark_wording
from memsum.languages.section_names import KINDS, mark_sections, section_signals
from memsum.text.tokens import tokenize
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import EOS, PAD, UNK

if TYPE_CHECKING:
    from memsum.features.expected_length import LengthModel

FEATURES = (
    "position from the start",
    "position from the end",
    "nearness to the start",
    "nearness to the end",
    "length of the document",
    "length of the sentence",
    "share of numbers",
    "similarity to the document",
    "similarity to the beginning",
    "similarity to the end",
    "similarity to the neighbours",
    "salience of the words",
    "coverage of the document's words",
)
# What the raw text says of a sentence: section kind, number of the section, whether it cites, begins small, its year.
MARKS = 5
_WIDTHS = {
    "sections": len(KINDS) + 1,
    "title": 3,
    "salience": SALIENCE_SIGNALS,
    "wording": len(WORDING),
    "centrality": 2,
}
SIGNALS = sum(_WIDTHS.values())
# The groups are kept apart, so that training can leave whole ones out: what has no headings or title loses nothing.
GROUPS = {
    name: slice(end - _WIDTHS[name], end) for name, end in zip(_WIDTHS, accumulate(_WIDTHS.values()), strict=True)
}
_SALIENT = 50  # words that make up a document's topic
_SIF = 1e-3  # a of the weights a / (a + p(word)) of Arora et al.
_TOGETHER = 16  # sentences whose words' vectors are in memory at a time: allocation dominates the sum


def sentence_features(rows: Ints, starts: Ints, means: F32, weights: F32, numeric: Bools) -> F32:
    """Return features (N, F) of N sentences.

    rows (T,) are the words of all sentences one after the other, each sentence with at least one; starts (N,) where
    each begins; means (N, D) the weighted means of their words' vectors. weights (U,) and numeric (U,) say of each
    distinct word of the document its weight (rare words weigh more), and whether it is a number.
    """
    number = len(starts)
    if not number:
        return np.zeros((0, len(FEATURES)), np.float32)
    lengths = lengths_of(starts, len(rows))
    position = np.arange(number, dtype=np.float32)

    means = unit(means)
    edge = max(1, min(10, number // 5))
    neighbors = np.zeros_like(means)  # the two sentences before and the two after
    for shift in (1, 2):
        neighbors[shift:] += means[:-shift]
        neighbors[:-shift] += means[shift:]

    # In-document frequency of each word, times its weight: what this document speaks of more than others do.
    topics = np.log1p(np.bincount(rows, minlength=len(weights)) - 1) * weights
    by_word = topics.astype(np.float32)
    threshold = np.partition(by_word, -_SALIENT)[-_SALIENT] if len(weights) > _SALIENT else 0.0
    total = max(float(by_word[by_word >= threshold].sum()), 1e-6)
    salient = np.where(topics >= threshold, topics, 0)
    # A word that occurs twice in a sentence is counted once.
    some = np.flatnonzero(salient[rows])
    keys = np.repeat(np.arange(number), lengths)[some] * len(salient) + rows[some]
    sentence, words = split_keys(distinct(keys), len(salient))

    columns = [
        position / number,
        (number - 1 - position) / number,
        1 / (1 + position),
        1 / (number - position),
        np.full(number, np.log(number) / 3 - 1.5),
        np.log(lengths) / 2 - 1.5,
        np.add.reduceat(numeric[rows].astype(np.float32), starts) / lengths * 3,
        *(dot(means, unit(some.mean(axis=0))) for some in (means, means[:edge], means[-edge:])),
        np.einsum("nd,nd->n", means, unit(neighbors)),
        np.add.reduceat(topics[rows], starts) / np.add.reduceat(weights[rows] + 1e-6, starts),
        np.bincount(sentence, salient[words], number) / total * 5,
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def weighted_means(rows: Ints, starts: Ints, words: F32, weights: F32) -> F32:
    """Return weighted means (N, D) of the vectors words (U, D) in each sentence; `rows`, `starts` as above."""
    ends, by_place = np.append(starts, len(rows)), weights[rows]
    means = np.empty((len(starts), words.shape[1]), np.float32)
    for low in range(0, len(starts), _TOGETHER):
        some = ends[low : low + _TOGETHER + 1].tolist()
        vectors = words.take(rows[some[0] : some[-1]], axis=0)
        for sentence, (start, end) in enumerate(pairwise(some), low):
            np.dot(by_place[start:end], vectors[start - some[0] : end - some[0]], out=means[sentence])
    means /= np.maximum(np.add.reduceat(by_place, starts), 1e-6)[:, None] if len(starts) else 1
    return means


@dataclass(frozen=True)
class Signals:
    """The signals of one document's sentences, and what its history counts with."""

    values: F32  # (N, SIGNALS)
    counts: WordStatistics
    salience: Salience
    expected: float  # logarithm of the words of a human summary
    spread: float  # standard deviation of that
    evidence: SalienceInputs | None = None  # of the words' salience, until the context refines it

    def with_salience(self, words: F32, pairs: F32) -> Signals:
        """Return these with contextual salience, by log-odds: the history counts with it."""
        return replace(self, salience=Salience.of_odds(words, pairs), evidence=None)

    def novelty(self) -> Novelty:
        return Novelty(self.counts, self.salience, self.expected)


def gather_signals(
    counts: WordStatistics, salience: Salience, cue_words: CueWords | None, ids: I32, marks: F32, title: F32 | None
) -> F32:
    """Return (N, SIGNALS) of sentences with these words and marks; `title` is the direction of the title's words.

    Without cue words, which are of one language, nothing is known of the wording.
    """
    values = np.zeros((len(counts), SIGNALS), np.float32)
    values[:, GROUPS["sections"]] = section_signals(marks[:, :2])
    if title is not None:
        # Similarity to the title, share of the title's words that the sentence has, and that there is a title.
        sentence, word = counts.once
        weights = np.where(counts.title, counts.weights, 0)
        covered = np.bincount(sentence, weights[word], len(counts)) / max(float(weights.sum()), 1e-6)
        values[:, GROUPS["title"]] = np.stack([dot(counts.directions, title), covered, np.ones(len(counts))], axis=1)
    values[:, GROUPS["salience"]] = salience.signals(counts)
    if cue_words is not None:
        values[:, GROUPS["wording"]] = cue_words.signals(ids, counts.starts, marks[:, 2:])
    central = counts.centrality
    values[:, GROUPS["centrality"]] = np.stack([central - 1, central / max(float(central.max()), 1e-6)], axis=1)
    return values


@dataclass(frozen=True)
class TextSettings:
    """How text is prepared; part of a model, because other numbers would come out otherwise."""

    max_tokens: int = 150
    collapse_repeats: bool = True  # published corpora and PDFs repeat sentences to the letter: encode them once
    # If given, text is prepared as the paper's authors do: lower case, split at white space, <eos> after the last word,
    # every sentence padded to `max_tokens` and every document to so many sentences, and the padding is read.
    padded_to: int | None = None
    # Whether the policy also reads signals (section, title, wording, salience) and counts what was said.
    signals: bool | None = None
    max_sentences: int | None = None  # what follows in a document is not read

    def to_dict(self) -> dict[str, Any]:
        """Return JSON without what is not set, so that a new setting changes nothing that was written before it."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class EncodedText:
    """A document's sentences as the policy reads them: without exact repeats, words one after the other."""

    ids: I32  # (T,)
    starts: I64  # (N,) where each sentence begins in `ids`
    features: F32  # (N, F)
    indices: I64  # (N,) index of each in the document
    marks: F32 | None = None  # (N, MARKS) what the raw text says of each
    title: I32 | None = None  # ids of the title's words
    signals: Signals | None = None  # where the policy reads them
    columns: F32 | None = None  # (N, C) of `features.columns`, where a training reads them, and the n-grams
    ngrams: tuple[I64, I64, F32] | None = None

    @classmethod
    def from_ids(
        cls,
        ids: I32,
        starts: I64,
        marks: F32 | None = None,
        title: I32 | None = None,
    ) -> EncodedText:
        """Return sentences of which nothing but the words is known: `TextEncoder.compose` adds the rest."""
        return cls(
            ids, starts, np.zeros((len(starts), len(FEATURES)), np.float32), np.arange(len(starts)), marks, title
        )

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, rows: slice) -> EncodedText:
        """Return neighbouring sentences; their features are those they have in the whole text."""
        starts = self.starts[rows]
        ends = np.append(self.starts, len(self.ids))
        begin, end = int(ends[rows.start]), int(ends[rows.stop])
        return replace(
            self,
            ids=self.ids[begin:end],
            starts=starts - begin,
            features=self.features[rows],
            indices=self.indices[rows],
            marks=self.marks[rows] if self.marks is not None else None,
            signals=None,
        )

    @cached_property
    def lengths(self) -> I64:
        lengths: I64 = lengths_of(self.starts, len(self.ids))
        return lengths

    def sentence(self, index: int) -> I32:
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.ids)
        return self.ids[self.starts[index] : end]


@dataclass(frozen=True)
class Words:
    """The distinct words of a document, and where they stand."""

    distinct: I32  # (U,) their ids in order
    vectors: F32  # (U, D)
    rows: I64  # (T,) which of them each word of the text is
    means: F32  # (N, D) weighted mean of each sentence's vectors


class TextEncoder:
    """Tokenizer, vocabulary and features in one call."""

    def __init__(
        self,
        vectors: WordVectors,
        settings: TextSettings | None = None,
        salience: SalienceModel | None = None,
        length: LengthModel | None = None,
    ) -> None:
        """`salience` and `length`, which a policy with signals needs, may come later: they are learned from texts."""
        self.vectors = vectors
        self.settings = settings or TextSettings()
        self.salience = salience
        self.length = length
        self._cue_words = CueWords(vectors.vocabulary) if self.settings.signals else None
        self.weights = (_SIF / (_SIF + vectors.frequencies)).astype(np.float32)
        self.weights[vectors.vocabulary[PAD]] = 0
        self.is_number = np.array([word[0].isdigit() or "#" in word for word in vectors.vocabulary.words])
        self._unknown = vectors.vocabulary[UNK]
        if self.settings.padded_to and EOS not in vectors.vocabulary:
            raise ModelError(f"The model ends its sentences with {EOS}, and its vocabulary does not have it.")

    @property
    def blank(self) -> EncodedText | None:
        """The one sentence that documents are padded with, if they are."""
        return self._join([self._pad([])], [0])[0] if self.settings.padded_to else None

    def encode(
        self, sentences: Sequence[str], headings: Sequence[str | None] | None = None, title: str | None = None
    ) -> EncodedText:
        """Encode a document; a sentence without any word gets the unknown word, so that each has one.

        Where documents are padded, a sentence of nothing but white space is as the padding: not there to be chosen.
        The heading of each sentence's section, and the document's title, are for policies that read signals.
        """
        return self.read(sentences, headings, title)[0]

    def read(
        self,
        sentences: Sequence[str],
        headings: Sequence[str | None] | None = None,
        title: str | None = None,
        tokens: Sequence[list[str]] | None = None,
    ) -> tuple[EncodedText, Words]:
        """Encode a document, and give the words that it was done with: a network may need their vectors too.

        `tokens` are those of the sentences, if they are at hand.
        """
        rows: list[list[int]] = []
        indices: list[int] = []
        seen: set[str] = set()
        for index, sentence in enumerate(sentences[: self.settings.padded_to or self.settings.max_sentences]):
            if self.settings.collapse_repeats:
                if sentence in seen:
                    continue
                seen.add(sentence)
            if row := self._row(sentence, tokens[index] if tokens is not None else None):
                rows.append(row)
                indices.append(index)
        if not self.settings.signals:
            return self._join(rows, indices)
        marks = np.concatenate([mark_sections(headings, len(sentences)), mark_wording(sentences)], axis=1)[indices]
        words_of_title = np.array(self.vectors.vocabulary.encode(tokenize(title or "")), np.int32)
        return self._join(rows, indices, marks, words_of_title)

    def sentence_ids(self, sentence: str) -> I32:
        """Return the word ids of one sentence, at least one."""
        return np.array(self._row(sentence), np.int32)

    def summary_ids(self, summary: Sequence[str]) -> I32:
        """Return the word ids of a summary, -1 after each sentence."""
        end = np.array([-1], np.int32)
        parts = [part for sentence in summary for part in (self.sentence_ids(sentence), end)]
        return np.concatenate(parts) if parts else end

    def _row(self, sentence: str, tokens: list[str] | None = None) -> list[int]:
        encode = self.vectors.vocabulary.encode
        if self.settings.padded_to is None:
            most = self.settings.max_tokens
            tokens = tokenize(sentence) if tokens is None else tokens
            return encode(tokens[:most])[:most] or [self._unknown]
        words = sentence.lower().split()
        return self._pad(encode(words)) if words else []

    def _pad(self, words: list[int]) -> list[int]:
        """Cut or pad words to the number of tokens, of which <eos> is one."""
        most, vocabulary = self.settings.max_tokens, self.vectors.vocabulary
        row = [*words[: most - 1], vocabulary[EOS]]
        return row + [vocabulary[PAD]] * (most - len(row))

    def _join(
        self,
        rows: list[list[int]],
        indices: list[int],
        marks: F32 | None = None,
        title: I32 | None = None,
    ) -> tuple[EncodedText, Words]:
        lengths = np.array(list(map(len, rows)), np.int64)
        ids = np.fromiter(chain.from_iterable(rows), np.int32, int(lengths.sum()))
        text = EncodedText.from_ids(ids, np.cumsum(lengths) - lengths, marks, title)
        return self._compose(replace(text, indices=np.array(indices, np.int64)))

    def compose(self, text: EncodedText) -> EncodedText:
        """Return a text whose sentences were changed as if it had been read so."""
        return self._compose(text)[0]

    def _compose(self, text: EncodedText) -> tuple[EncodedText, Words]:
        ids, starts, marks, title = text.ids, text.starts, text.marks, text.title
        words = self.words(ids, starts)
        weights, numeric = self.weights[words.distinct], self.is_number[words.distinct]
        features = sentence_features(words.rows, starts, words.means, weights, numeric)
        text = EncodedText(ids, starts, features, text.indices, marks, title)
        if self._cue_words is None or self.salience is None or self.length is None or not len(text):
            return text, words
        counts, distinct = self.count(text, words)
        evidence = self.salience.of(counts, distinct, words.vectors)
        salience = evidence.salience
        if marks is None:
            marks = np.zeros((len(text), MARKS), np.float32)
        direction = None  # of the title's words
        if title is not None and len(title):
            direction = unit(np.einsum("td,t->d", self.vectors.lookup(title), self.weights[title]))
        values = gather_signals(counts, salience, self._cue_words, ids, marks, direction)
        stop = self.length.stop(text, self, words)
        return replace(text, signals=Signals(values, counts, salience, stop.expected, stop.spread, evidence)), words

    def count(self, text: EncodedText, words: Words | None = None) -> tuple[WordStatistics, I32]:
        """Return the document's counts, and the ids of its distinct words."""
        words = words or self.words(text.ids, text.starts)
        is_title = np.zeros(len(words.distinct), bool)
        if text.title is not None and len(text.title):
            is_title = np.isin(words.distinct, text.title)
        weights = self.weights[words.distinct]
        return WordStatistics(words.rows, text.starts, weights, unit(words.means), is_title), words.distinct

    def words(self, ids: I32, starts: I64) -> Words:
        """Return the distinct words of sentences whose words lie one after the other."""
        distinct, rows = number_distinct(ids, len(self.weights))
        vectors = self.vectors.lookup(distinct)
        return Words(
            distinct.astype(np.int32), vectors, rows, weighted_means(rows, starts, vectors, self.weights[distinct])
        )
