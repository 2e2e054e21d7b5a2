"""What speaks for each sentence as an answer: its words, its meaning, its form, and what stands around it.

Cosines are costly: of a long document only candidates are encoded, those with the best words and static vectors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32, F64, I64, Bools, dot
from memsum.english.answer_types import AMOUNT, GIVES, NUMERALS, AnswerType
from memsum.english.stem import stem
from memsum.query.embedder import WIDTH, Embedder
from memsum.query.passages import Passages
from memsum.query.question import Question, split_words
from memsum.text.tokens import tokenize

# What is known of every sentence, in this order; by it candidates are chosen.
FIRST = (
    *("words", "coverage", "rare coverage", "context", "pairs", "static"),
    *("alike", "alike context", "heading alike", "length", "short", "question", "colon"),
)
# What is known of a candidate, in this order.
PROSE = (
    *FIRST,
    *("cosine", "with previous", "previous", "next", "heading", "lead-in"),
    *("number", "date", "duration", "who", "where", "why", "how", "counted", "amount"),
    *("typed cosine", "typed previous", "after question", "refers back"),
)
# The same of any sentence of a transcript; a number is that of sentences to either side that count, ever less with
# their distance.
TRANSCRIPT = (
    *("prose", "words", "words6", "words15", "words40", "words80", "pairs15"),
    *("static", "static6", "static15", "static40", "static80"),
    *("speaker", "speaker6", "speaker40", "length", "short", "question"),
)
_ANSWERS: tuple[AnswerType, ...] = ("number", "date", "duration", "who", "where", "why", "how")
_SATURATION, _BY_LENGTH = 1.2, 0.6  # k1 and b of BM25
_FEWEST, _SHARE = 64, 16  # candidates: so many, and one in so many of all sentences
_LENT = 0.6  # what a word counts that the sentence before or the heading has
_COMMON = 4.0  # −log of the share of all text that common words have
_RAREST = 17.0
_REFERS = re.compile(r"\W*(?:its?|this|that|these|those|they|their|them|he|she|his|her|such|here|there|both)\b", re.I)
_NEAR = 4  # words between a number and what it counts
_PASSAGES = 10  # that a document has at least: a window is never wider
_HARDLY = 2  # times a word is said without being one that people use here
_SHORT = 5  # words
_AHEAD, _MOST_AHEAD = 4, 10_000  # sentences that are encoded at once while nothing is asked; of at most so many


@dataclass(frozen=True)
class Matches:
    """What the words of a question find in N sentences."""

    values: F32  # (N, FIRST)
    pieces: list[int]  # of the question
    known: float  # share of the question that the document has words for
    alike_known: float  # the same with words that mean nearly the same
    least_known: float  # of the question's words the one that has the least like it in the document
    rarest_known: float  # likeness of the question's rarest word to the nearest one in the document
    topic: float  # likeness of the question to the document as a whole
    names_missing: float  # share of the question's names and numbers that the document has not
    missing: tuple[float, ...]  # −log of the shares of all text that the words have that the document has not
    odd: float  # share of the question's words that are none of the encoder's
    names_speaker: bool
    transcript: F64 | None  # (N, TRANSCRIPT) without "prose", which is to be put first


@dataclass(frozen=True)
class Evidence:
    """What speaks for R candidates among N sentences."""

    rows: I64  # (R,) which sentences are candidates
    values: F32  # (R, PROSE)
    cosines: F64  # (R,)
    coverage: F64  # (R,) share of the question's words in each, rare ones weigh more
    alike: F64  # (R,) the same with words that mean nearly the same
    gives: Bools  # (R,) whether each has the kind of answer that is expected; all where none is
    matches: Matches


class Lexicon:
    """The words of N sentences as questions are looked up in them, and the sentences' embeddings.

    One thread at a time; another one may `encode_some`.
    """

    def __init__(self, passages: Passages, embedder: Embedder, threads: int = 1) -> None:
        self.passages = passages
        self.embedder = embedder
        self._threads = threads
        numbers: dict[str, int] = {}
        words = [split_words(text) for text in passages.texts]
        lengths = [len(own) for own in words]
        self._words = np.array(
            [numbers.setdefault(stem(word), len(numbers)) for own in words for word in own], np.int64
        )
        self._numbers = numbers
        self._sentences = np.repeat(np.arange(len(words)), lengths)
        self._lengths = np.maximum(np.array(lengths, np.int64), 1)
        self._pieces = [embedder.wordpiece.encode(text) for text in passages.texts]
        self._static = embedder.static(self._pieces)
        self._vectors = np.zeros((len(words), WIDTH), np.float16)
        self._is_encoded = np.zeros(len(words), bool)
        headings = [passage.sentence.section or "" for passage in passages.members]
        self._headings = list(dict.fromkeys(headings))
        position = {heading: number for number, heading in enumerate(self._headings)}
        self._heading = np.array([position[heading] for heading in headings], np.int64)
        ends = [text.rstrip()[-1:] for text in passages.texts]
        self._asks = np.array([end == "?" for end in ends])
        self._leads = np.array([end == ":" for end in ends])

    @cached_property
    def _heading_pieces(self) -> list[list[int]]:
        return [self.embedder.wordpiece.encode(heading) for heading in self._headings]

    @cached_property
    def _heading_static(self) -> F32:
        return self.embedder.static(self._heading_pieces)

    @cached_property
    def _distinct(self) -> tuple[F32, I64, I64]:
        """Static vectors of the distinct pieces, the position there of each piece, and each sentence's first piece."""
        own = [pieces[1:-1] or [0] for pieces in self._pieces]
        numbers, positions = np.unique(np.array([number for pieces in own for number in pieces]), return_inverse=True)
        lengths = np.array([len(pieces) for pieces in own])
        return self.embedder.pieces(numbers), positions, np.cumsum(lengths) - lengths

    @cached_property
    def _heading_vectors(self) -> F32:
        vectors = self.embedder.encode(self._heading_pieces, self._threads)
        vectors[[not heading for heading in self._headings]] = 0
        return vectors

    @cached_property
    def _heading_stems(self) -> list[frozenset[str]]:
        return [frozenset(stem(word) for word in split_words(heading)) for heading in self._headings]

    @cached_property
    def _said(self) -> frozenset[str]:
        """Words that people use here."""
        counts = Counter(token for text in self.passages.texts for token in tokenize(text))
        return frozenset(word for word, count in counts.items() if count > _HARDLY)

    def vectors(self, rows: I64) -> F32:
        """Return the embeddings of some sentences; each is encoded once."""
        new = rows[~self._is_encoded[rows]]
        if len(new):
            self._encode(new, self._threads)
        return self._vectors[rows].astype(np.float32)

    def encode_some(self) -> bool:
        """Encode a few sentences that no question has needed yet; tell whether there were any, and not too many."""
        left = np.flatnonzero(~self._is_encoded)
        if not len(left) or len(self.passages) > _MOST_AHEAD:
            return False
        left = left[np.argsort([len(self._pieces[row]) for row in left.tolist()], kind="stable")]
        self._encode(left[:_AHEAD], 1)
        return True

    def _encode(self, rows: I64, threads: int) -> None:
        # Two threads may encode the same sentence: both find the same. It counts as encoded when its vector is there.
        self._vectors[rows] = self.embedder.encode([self._pieces[row] for row in rows.tolist()], threads)
        self._is_encoded[rows] = True

    def match(self, question: Question) -> Matches:
        """Look the question's words up in all sentences."""
        speakers = self._speakers(question) if self.passages.is_transcript else {}
        named = {word for name in speakers for word in split_words(name)}
        topic = [position for position, word in enumerate(question.words) if word not in named]
        words = [question.words[position] for position in topic] or list(question.words) or list(question.sequence)
        weights = np.array([question.weights[position] for position in topic] or [1.0] * len(words))
        stems = [stem(word) for word in words]
        count = len(self.passages)
        counts = np.zeros((count, len(stems)))
        for column, form in enumerate(stems):
            if (number := self._numbers.get(form)) is not None:
                counts[:, column] = np.bincount(self._sentences[self._words == number], minlength=count)
        has = counts > 0
        spread = has.sum(axis=0)
        rareness = np.array([self._rareness(word) for word in words])
        shares = np.maximum(rareness - _COMMON, 0.5) * weights
        shares /= shares.sum()
        rarity = np.log(1 + (count - spread + 0.5) / (spread + 0.5))
        norm = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * self._lengths / self._lengths.mean())[:, None]
        frequent = counts * (_SATURATION + 1) / (counts + norm)
        in_heading = np.array([[form in own for form in stems] for own in self._heading_stems])[self._heading]
        alike = np.maximum(has, self._alike(words))
        lent = _LENT * np.maximum(in_heading, np.concatenate([np.zeros((1, len(stems))), has[:-1]]))
        lent_alike = _LENT * np.maximum(in_heading, np.concatenate([np.zeros((1, len(stems))), alike[:-1]]))
        rare = rarity * weights
        pairs = self._pairs(question)
        pieces = self.embedder.wordpiece.encode(question.text)
        vector = self.embedder.static([pieces])[0]
        static = dot(self._static, vector)
        own: dict[str, NDArray[Any]] = {
            "words": _standard(dot(frequent, rare)),
            "coverage": dot(has.astype(np.float64), shares),
            "rare coverage": dot(has.astype(np.float64), rare / max(float(rare.sum()), 1e-9)),
            "context": dot(np.maximum(has, lent), shares),
            "pairs": np.minimum(pairs, 3),
            "static": _standard(static),
            "alike": dot(alike, shares),
            "alike context": dot(np.maximum(alike, lent_alike), shares),
            "heading alike": dot(self._heading_static, vector)[self._heading],
            "length": np.log(self._lengths),
            "short": self._lengths < _SHORT,
            "question": self._asks,
            "colon": self._leads,
        }
        transcript = None
        if self.passages.is_transcript:
            topical = shares * rarity
            transcript = self._transcript(counts, frequent, topical / max(topical.sum(), 1e-9), pairs, static, speakers)
        is_known = has.any(axis=0) | in_heading.any(axis=0)
        nearest = np.maximum(is_known, alike.max(axis=0))
        middle = self._static.mean(axis=0)
        return Matches(
            np.stack([own[name] for name in FIRST], axis=1).astype(np.float32),
            pieces,
            float(shares[is_known].sum()),
            float(nearest @ shares),
            float(nearest[weights >= weights.max()].min()),
            float(nearest[int((rareness * weights).argmax())]),
            float(middle @ vector / max(float(np.sqrt(middle @ middle)), 1e-9)),
            float(np.mean([name not in self._numbers for name in question.names])) if question.names else 0.0,
            tuple(rareness[~is_known].tolist()),
            float(np.mean([len(self.embedder.wordpiece.split(word)) > 1 for word in words])),
            bool(speakers),
            transcript,
        )

    def gather(self, question: Question) -> Evidence:
        """Gather the evidence for a question."""
        matches = self.match(question)
        weights = self.embedder.weights["first"]
        rows = self._candidates(dot(matches.values, np.array([weights[name] for name in FIRST])))
        vector = self.embedder.encode([matches.pieces])[0]
        vectors = self.vectors(rows)
        cosines = dot(vectors, vector).astype(np.float64)
        spread = np.zeros(len(self.passages) + 2)
        spread[rows + 1] = cosines
        joined = vectors.copy()
        follows = np.flatnonzero(np.diff(rows, prepend=-2) == 1)
        joined[follows] += 0.5 * vectors[follows - 1]
        joined /= np.maximum(np.sqrt(np.einsum("nd,nd->n", joined, joined)), 1e-9)[:, None]
        texts = [self.passages.texts[row] for row in rows.tolist()]
        answers = {kind: self._gives(kind, question, texts) for kind in _ANSWERS}
        expected = [answers[kind] > 0 for kind in _ANSWERS if kind in question.expects and kind != "how"]
        typed = np.any(expected, axis=0) if expected else np.zeros(len(rows), bool)
        refers = np.array([_REFERS.match(text) is not None for text in texts])
        own: dict[str, NDArray[Any]] = {
            **{name: matches.values[rows, column] for column, name in enumerate(FIRST)},
            "cosine": cosines,
            "with previous": dot(joined, vector),
            "previous": spread[rows],
            "next": spread[rows + 2],
            "heading": dot(self._heading_vectors, vector)[self._heading[rows]],
            "lead-in": spread[self._lead_ins[rows] + 1],
            **{str(kind): gives for kind, gives in answers.items()},
            "counted": self._counts(question, texts),
            "amount": np.array([question.asks_for_money and AMOUNT.search(text) is not None for text in texts]),
            "typed cosine": typed * cosines,
            "typed previous": typed * spread[rows],
            "after question": self._asks[rows - 1] * (rows > 0) * spread[rows],
            "refers back": refers * spread[rows],
        }
        return Evidence(
            rows,
            np.stack([own[name] for name in PROSE], axis=1).astype(np.float32),
            cosines,
            np.asarray(own["coverage"], np.float64),
            np.asarray(own["alike"], np.float64),
            typed if expected else np.ones(len(rows), bool),
            matches,
        )

    def _candidates(self, scores: F64) -> I64:
        """Return the sentences that are worth encoding, in order."""
        most = _FEWEST + len(scores) // _SHARE
        return np.sort(np.argsort(-scores, kind="stable")[:most])

    @cached_property
    def _lead_ins(self) -> I64:
        """Row of the sentence that leads each item in; −1 where there is none: (N,)."""
        rows = {passage.number: row for row, passage in enumerate(self.passages.members)}
        found = []
        for passage in self.passages.members:
            lead_in = passage.sentence.lead_in
            number = None if lead_in is None else self.passages.firsts[passage.document] + lead_in
            found.append(-1 if number is None else rows.get(number, -1))
        return np.array(found, np.int64)

    def _alike(self, words: Sequence[str]) -> F64:
        """Return how much each sentence has of what each word means: cosine of the most similar piece, (N, words)."""
        vectors, positions, starts = self._distinct
        own = self.embedder.static([[0, *self.embedder.wordpiece.split(word), 0] for word in words])
        cosines = np.einsum("wd,pd->wp", own, vectors)
        return np.maximum.reduceat(np.maximum(cosines, 0)[:, positions], starts, axis=1).T.astype(np.float64)

    def _rareness(self, word: str) -> float:
        """Return −log of the share of all text that a word has; one in pieces is rarer than its rarest piece."""
        pieces = self.embedder.wordpiece.split(word)
        rarest = float(self.embedder.rareness[pieces].max(initial=0.0))
        return min(rarest + (2 if len(pieces) > 1 else 0), _RAREST)

    def _pairs(self, question: Question) -> F64:
        """Count pairs of neighbouring words that each sentence has as the question has them."""
        counts = np.zeros(len(self.passages))
        inside = self._sentences[:-1] == self._sentences[1:]
        for first, second in dict.fromkeys(pairwise(question.sequence)):
            if (first in question.stems or second in question.stems) and first in self._numbers:
                ends = self._words[1:] == self._numbers.get(second, -1)
                both = inside & ends & (self._words[:-1] == self._numbers[first])
                counts += np.bincount(self._sentences[:-1][both], minlength=len(counts))
        return counts

    def _gives(self, kind: AnswerType, question: Question, texts: Sequence[str]) -> F64:
        if kind not in question.expects:
            return np.zeros(len(texts))
        return np.array([GIVES[kind].search(text) is not None for text in texts], np.float64)

    def _counts(self, question: Question, texts: Sequence[str]) -> F64:
        """Tell whether a number stands near what "how many" counts, before it rather than behind."""
        noun = question.noun
        return np.array([0.0 if noun is None else _number_beside(noun, text) for text in texts])

    def _speakers(self, question: Question) -> dict[str, float]:
        names = [passage.sentence.speaker for passage in self.passages.members]
        return question.speakers((name for name in names if name), self._said)

    def _transcript(
        self, counts: F64, frequent: F64, weights: F64, pairs: F64, static: F64, speakers: dict[str, float]
    ) -> F64:
        names = [passage.sentence.speaker for passage in self.passages.members]
        speaker = np.array([speakers.get(name, 0.0) if name else 0.0 for name in names])
        relative = [dot(frequent, weights)]
        for window in (6, 15, 40, 80):
            near = _smooth(counts, window)
            relative.append(dot(near / (near + (0.5 + window / 8) / (window + 1)), weights))
        relative += [_smooth(pairs, 15), static, *(_smooth(static, window) for window in (6, 15, 40, 80))]
        ends = np.array([text.rstrip()[-1:] == "?" for text in self.passages.texts])
        form = [np.log(self._lengths), self._lengths < _SHORT, ends]
        return np.stack([*map(_standard, relative), speaker, _smooth(speaker, 6), _smooth(speaker, 40), *form], axis=1)


def _number_beside(noun: str, text: str) -> float:
    words = split_words(text)
    best = 0.0
    for position, word in enumerate(words):
        if stem(word) == noun:
            for other in range(max(0, position - _NEAR), min(len(words), position + _NEAR)):
                if other != position and (words[other][0].isdigit() or words[other] in NUMERALS):
                    best = max(best, 1.0 if other < position else 0.7)
    return best


def _smooth(x: F64, window: int) -> F64:
    """Return means over so many sentences to either side, nearer ones count more: two box filters after each other."""
    half = min(window, len(x) // _PASSAGES) // 2
    position = np.arange(len(x))
    high, low = np.minimum(len(x), position + half + 1), np.maximum(0, position - half)
    for _ in range(2):
        sums = np.concatenate([np.zeros_like(x[:1], np.float64), np.cumsum(x, axis=0)])
        x = (sums[high] - sums[low]) / (2 * half + 1)
    return x


def _standard(x: F64) -> F64:
    """Return x in standard deviations from the mean, within bounds."""
    return np.asarray(np.clip((x - x.mean()) / (x.std() + 1e-6), -3, 6), np.float64)
