"""How much each sentence of a document bears on a question: words, their forms and meanings, and the place around it.

Whoever answers a question does not repeat its words in every sentence. So the words of a passage count for all of its
sentences: what the question says is counted in each sentence by itself, and in windows of up to eighty sentences around
it. The weights were learned from questions about meetings and stories (`benchmarks/questions.py`); every feature is
relative to the document, so that they hold for other models and other kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from memsum.arrays import F32, Bools, Floats, Ints, unit
from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.source_text import SourceText
from memsum.query.question import Question, stem
from memsum.text.tokens import tokenize
from memsum.text.vocabulary import MARK

# What is known of each sentence, and its weight; a number is that of sentences to either side that count, ever less
# with their distance. What stands above "heading" is in standard deviations from the document's mean.
WEIGHTS = {
    "words": 0.14,
    "words40": 0.73,
    "pairs15": 0.16,
    "meaning": 0.17,
    "heading": 1.5,  # share of the topic; not learned: transcripts and stories have no headings
    "speaker": 0.96,
    "speaker6": 1.54,
    "speaker40": 1.04,
    "length": 0.41,
}
# The policy's own logits beside these: learned 0.1; more of it gives better answers and a little less that is relevant.
POLICY = 0.5
ANSWER = -0.7  # how much shorter an answer is than a summary of the document, in logarithms of words
# From the weighted sum, the words near by and the share of the topic that the document has to the log-odds that a
# sentence bears on the question. Where no sentence reaches FOUND there is no answer: to 1 to 2 % of the questions to
# learn from, and to half of those about a document of another kind.
SURE = (0.383, 2.53, 1.9, -4.79)
FOUND = 0.08
ENOUGH = 0.4  # probability of the best sentence at which that is so; the more probable, the less the policy decides

_SATURATION, _BY_LENGTH = 1.2, 0.6  # k1 and b of BM25
_PASSAGES = 10  # that a document has at least: a window is never wider
_LAST = 100.0  # logits between what bears on the question and what does not
_HARDLY = 2  # times a word is said without being one that people use here
_PREFIX = 3  # letters that forms of one word have in common at least


@dataclass(frozen=True)
class Index:
    """A document's N sentences of T words, U of them distinct, as questions are looked up in it."""

    sentences: Sequence[str]  # (N,)
    numbers: Ints  # (N,) number of each among all sentences of all documents, in order
    speakers: Sequence[str | None]  # (N,)
    headings: Sequence[str | None]  # (N,) nearest heading above each
    rows: Ints  # (T,) which of the distinct words each word is
    starts: Ints  # (N,)
    words: Sequence[str]  # (U,)
    weights: Floats  # (U,) rare words weigh more
    split: Callable[[str], Iterable[str]] = lambda word: (word,)  # a word of a question as the document has its words
    directions: Floats | None = None  # (N, D) of each sentence's mean word; without it nothing is known of meanings
    encoder: TextEncoder | None = None

    @classmethod
    def of_text(cls, text: EncodedText, encoder: TextEncoder, source: SourceText) -> Index:
        """Index sentences that a model has encoded."""
        counts = text.signals.counts if text.signals is not None else encoder.count(text)[0]
        ids = np.empty(len(counts.weights), np.int64)
        ids[counts.rows] = text.ids
        kept = text.places.tolist()
        return cls(
            [source.sentences[i] for i in kept],
            source.numbers[text.places],
            [source.speakers[i] for i in kept],
            [source.headings[i] for i in kept],
            counts.rows,
            text.starts,
            [encoder.vectors.vocabulary.words[i] for i in ids.tolist()],
            counts.weights,
            directions=counts.directions,
            encoder=encoder,
        )

    @classmethod
    def of_words(cls, source: SourceText, split: Callable[[str], Iterable[str]]) -> Index:
        """Index sentences in a language that no model knows; each has at least the empty word."""
        words: dict[str, int] = {}
        rows: list[int] = []
        starts: list[int] = []
        for sentence in source.sentences:
            starts.append(len(rows))
            rows.extend(words.setdefault(word, len(words)) for word in list(split(sentence)) or [""])
        return cls(
            source.sentences,
            source.numbers,
            source.speakers,
            source.headings,
            np.array(rows),
            np.array(starts),
            list(words),
            np.ones(len(words)),
            split,
        )

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def lengths(self) -> Ints:
        return np.diff(self.starts, append=len(self.rows))

    @cached_property
    def owners(self) -> Ints:
        return np.repeat(np.arange(len(self.starts)), self.lengths)

    @cached_property
    def frequencies(self) -> Floats:
        """Share of the document's words that each distinct word has."""
        return np.bincount(self.rows, minlength=len(self.words)) / max(len(self.rows), 1)

    @cached_property
    def wholes(self) -> dict[int, str]:
        """Words that the vocabulary has in pieces: where they begin, and where each of their further pieces stands."""
        more = np.array([len(word) > 1 and word[0] == MARK for word in self.words], bool)
        wholes: dict[int, str] = {}
        begin = last = -1
        for place in np.flatnonzero(more[self.rows]).tolist():
            if place != last + 1:
                begin = place - 1
                wholes[begin] = self.words[self.rows[begin]].removesuffix(MARK)
            wholes[begin] += self.words[self.rows[place]][1:]
            wholes[place] = ""
            last = place
        return wholes


@dataclass(frozen=True)
class Topic:
    """The words of a question that are looked for in one document, each with all its forms: K of them."""

    words: list[str]
    is_aside: bool  # none of them is more than a word of the asking
    asked: Floats  # (K,) share of the topic that each is, rare ones in all texts more
    weights: Floats  # (K,) the same, rare ones in this document more
    counts: Floats  # (N, K) how often each sentence has it
    pairs: Floats  # (N,) pairs of them that each sentence has as the question has them, rare ones weigh more
    speakers: dict[str, float]  # the named ones, and how surely
    headings: Floats  # (N,) share of the topic in the heading above each sentence

    @property
    def known(self) -> float:
        """Share of the topic that the document speaks of at all; a speaker alone is one that it knows."""
        return float(self.asked[self.counts.any(axis=0)].sum()) if self.words else float(bool(self.speakers))

    @property
    def is_general(self) -> bool:
        """Whether the question asks for no topic, nor for a speaker, but for all of the document."""
        return not self.speakers and self.is_aside and not self.counts.any()


def find_topic(question: Question, index: Index) -> Topic:
    """Look a question's words up in a document; those that name a speaker are no topic."""
    often = index.frequencies * len(index.rows) > _HARDLY
    said = {word for word, is_said in zip(index.words, often.tolist(), strict=True) if is_said}
    speakers = question.speakers((name for name in index.speakers if name), said)
    named = {word for name in speakers for word in tokenize(name)}
    asked_for = [pair for pair in zip(question.words, question.weights, strict=True) if pair[0] not in named]
    kept = [(part, weight) for word, weight in asked_for for part in index.split(word)]
    words = {stem(word): word for word, _ in reversed(kept)}
    places = {form: place for place, form in enumerate(words)}
    asked = np.array([max(weight for word, weight in kept if stem(word) == form) for form in words])
    terms = _find(places, index)
    number, size = len(index), len(words)
    hits = terms >= 0
    cells = np.bincount(index.owners[hits] * size + terms[hits], minlength=number * size)
    counts = cells.reshape(number, size).astype(np.float64)
    is_aside = bool((asked < 1).all())
    if index.encoder is not None:
        asked = asked * _rareness(list(words.values()), index.encoder)
    weights = asked * _rarity((counts > 0).sum(axis=0), number)
    pairs = np.zeros(number)
    inside = index.owners[:-1] == index.owners[1:]
    for first, second in dict.fromkeys(pairwise(places[stem(word)] for word, _ in kept)):
        has = np.zeros(number, bool)
        has[index.owners[:-1][inside & (terms[:-1] == first) & (terms[1:] == second)]] = True
        pairs += has * _rarity(has.sum(), number)
    return Topic(
        list(words.values()),
        is_aside,
        _shares(asked),
        _shares(weights),
        counts,
        pairs,
        speakers,
        _headings(index, places, _shares(weights)),
    )


@dataclass(frozen=True)
class Relevance:
    """How relevant a document's N sentences are to a question."""

    logits: F32  # (N,) to be added to the model's: 0 for the most relevant, less for all others
    shares: F32  # (N,) probability that each is relevant
    relevant: Bools  # (N,) whether it is; those that are not come last
    numbers: Ints  # (N,) number of each sentence, as the index has it
    is_general: bool = False  # the question names no topic: it asks for the whole document

    def of(self, number: int) -> float:
        """Return the probability that a sentence is relevant."""
        return float(self.shares[np.searchsorted(self.numbers, number)])

    @property
    def found(self) -> bool:
        """Whether the document has anything to say."""
        return self.is_general or bool(self.shares.max(initial=0.0) >= FOUND)

    def ends(self, number: int) -> bool:
        """Return whether an answer ends before this sentence, because no other is relevant."""
        return not self.relevant[np.searchsorted(self.numbers, number)]


def rate(question: Question, index: Index) -> Relevance:
    """Rate a document's sentences."""
    topic = find_topic(question, index)
    if topic.is_general:
        count = len(index)
        return Relevance(
            np.zeros(count, np.float32),
            np.ones(count, np.float32),
            np.ones(count, bool),
            index.numbers,
            is_general=True,
        )
    values = relevance_features(topic, index)
    scores = np.einsum("nf,f->n", values, np.array(list(WEIGHTS.values())))
    odds = np.einsum("ni,i->n", evidence(scores, topic), np.array(SURE))
    shares = 1 / (1 + np.exp(-odds))
    best = float(shares.max())
    logits = (scores - scores.max()) * (best / ENOUGH) / POLICY
    relevant = shares >= min(FOUND, best / 4)  # less surely where none surely is
    logits = np.where(relevant, logits, logits - _LAST)
    return Relevance(logits.astype(np.float32), shares.astype(np.float32), relevant, index.numbers)


def evidence(scores: Floats, topic: Topic) -> Floats:
    """(N, 4) from which the probability follows that a sentence bears on a question, in any document."""
    near = _within(topic.counts, topic.asked, 6)
    return np.stack([scores, near, np.full(len(scores), topic.known), np.ones(len(scores))], axis=1)


def relevance_features(topic: Topic, index: Index) -> Floats:
    """(N, WEIGHTS) of a document's sentences."""
    counts, lengths = topic.counts, index.lengths
    often = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths / lengths.mean())[:, None]
    relative = [
        np.einsum("nk,k->n", counts * (_SATURATION + 1) / (counts + often), topic.weights),
        _within(counts, topic.weights, 40),
        _smooth(topic.pairs, 15),
        _meaning(topic, index),
    ]
    speaker = np.array([topic.speakers.get(name, 0.0) if name else 0.0 for name in index.speakers])
    others = [topic.headings, speaker, _smooth(speaker, 6), _smooth(speaker, 40), np.log(lengths)]
    return np.stack([*map(_standard, relative), *others], axis=1)


def _find(places: dict[str, int], index: Index) -> Ints:
    """Which of the forms stands at each place of the text, (T,), or -1."""
    prefixes = {form[:_PREFIX] for form in places}

    def find(word: str) -> int:
        # Words with other first letters are no forms of these: to stem all of a document would cost milliseconds.
        return places.get(stem(word), -1) if word[:_PREFIX] in prefixes else -1

    terms = np.array([find(word) for word in index.words], np.int64)[index.rows]
    for place, whole in index.wholes.items():
        terms[place] = find(whole)
    return terms


def _headings(index: Index, places: dict[str, int], weights: Floats) -> Floats:
    """Share of the topic in the heading above each sentence."""
    shares: dict[str | None, float] = {None: 0.0}
    for heading in set(index.headings) - {None}:
        forms = {stem(word) for word in tokenize(heading or "")}
        has = [place for form, place in places.items() if form in forms]
        shares[heading] = float(weights[has].sum())
    return np.array([shares[heading] for heading in index.headings])


def _rareness(words: Sequence[str], encoder: TextEncoder) -> Floats:
    """Weights of a question's words among all texts; one in pieces is rare."""
    vocabulary = encoder.vectors.vocabulary
    return np.array([encoder.weights[vocabulary[word]] if word in vocabulary else 1.0 for word in words])


def _meaning(topic: Topic, index: Index) -> Floats:
    """Cosine of each sentence with the topic, both seen from the mean of the document."""
    ids = index.encoder.vectors.vocabulary.encode(topic.words) if index.encoder is not None else []
    if index.encoder is None or index.directions is None or not ids:
        return np.zeros(len(index))
    centre = index.directions.mean(axis=0)
    asked = np.einsum("td,t->d", index.encoder.vectors.lookup(np.array(ids)), index.encoder.weights[ids])
    # By einsum: a BLAS would take threads for it, which then keep other cores busy with waiting for more.
    return np.asarray(np.einsum("nd,d->n", unit(index.directions - centre), unit(unit(asked) - centre)))


def _within(counts: Floats, weights: Floats, window: int) -> Floats:
    """How much of the topic a window around each sentence has; a word that is there often counts little more."""
    near = _smooth(counts, window)
    return np.asarray(np.einsum("nk,k->n", near / (near + (0.5 + window / 8) / (window + 1)), weights))


def _smooth(x: Floats, window: int) -> Floats:
    """Means over so many sentences to either side, nearer ones count more: two box filters, one after the other."""
    half = min(window, len(x) // _PASSAGES) // 2
    place = np.arange(len(x))
    high, low = np.minimum(len(x), place + half + 1), np.maximum(0, place - half)
    for _ in range(2):
        sums = np.concatenate([np.zeros_like(x[:1], np.float64), np.cumsum(x, axis=0)])
        x = (sums[high] - sums[low]) / (2 * half + 1)
    return x


def _shares(weights: Floats) -> Floats:
    return weights / max(float(weights.sum()), 1e-9)


def _rarity(spread: Any, number: int) -> Any:
    """Weight of what stands in so many of all sentences."""
    return np.log(1 + (number - spread + 0.5) / (spread + 0.5))


def _standard(x: Floats) -> Floats:
    """In standard deviations from the mean, within bounds."""
    return np.asarray(np.clip((x - x.mean(axis=0)) / (x.std(axis=0) + 1e-6), -3, 6))
