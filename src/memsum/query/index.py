"""Looks questions up in documents: one learned score per sentence, and a probability that the best ones answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np

from memsum.arrays import F64, I64, dot
from memsum.multilingual.question_words import without_question_words
from memsum.query.answered import UNLIKELY, is_elsewhere, probability, summarize_evidence
from memsum.query.background import BACKGROUND
from memsum.query.embedder import Embedder, load_embedder
from memsum.query.evidence import PROSE, TRANSCRIPT, Evidence, Lexicon
from memsum.query.passages import Passages
from memsum.query.question import Question
from memsum.query.relevance import Relevance, nothing

# One sentence answers these; other questions about a transcript are answered by the passages about their topic.
_PRECISE = frozenset(("how many", "how much", "how long", "when or where"))
_ALL, _LIKE = 0.99, 0.35  # share of a question's words, and cosine, of a sentence that plainly answers it
_PLAIN = 0.8  # probability that it does: 13 of 16 such sentences did, of questions to learn from


class EnglishIndex:
    """English sentences: words, meaning, form and structure. One thread at a time."""

    def __init__(self, passages: Passages, threads: int = 1, embedder: Embedder | None = None) -> None:
        self._passages = passages
        self._threads = threads
        self._given = embedder

    @cached_property
    def lexicon(self) -> Lexicon:
        """The sentences' words and embeddings, made when the first question is asked."""
        return Lexicon(self._passages, self._given or load_embedder(), self._threads)

    def rate(self, question: Question) -> Relevance:
        """Rate all sentences by a question."""
        numbers = self._passages.numbers
        if not question.words:
            return nothing(numbers, is_general=True)
        with BACKGROUND.paused(self.lexicon):
            evidence = self.lexicon.gather(question)
        if question.is_general and not evidence.matches.known:
            return nothing(numbers, is_general=True)
        weights = self.lexicon.embedder.weights
        prose = prose_scores(evidence, weights["prose"])
        found = probability(summarize_evidence(question, evidence, prose), weights["answered"])
        if is_elsewhere(evidence):
            found = min(found, UNLIKELY)
        # Nobody doubts a sentence with all words of the question and the kind of answer that it expects.
        first = int(prose.argmax())
        is_typed = bool(question.expects - {"how"}) and bool(evidence.gives[first])
        if is_typed and evidence.coverage[first] > _ALL and evidence.cosines[first] >= _LIKE:
            found = max(found, _PLAIN)
        if evidence.matches.transcript is None or question.forms & _PRECISE:
            scores = np.full(len(numbers), -np.inf)
            scores[evidence.rows] = prose
            within, most = weights["prose answer"]
        else:
            scores = transcript_scores(evidence, prose, weights["transcript"])
            within, most = weights["transcript answer"]
        best = scores.max()
        likely = np.exp(scores - best)
        log_share = np.log(np.maximum(likely / likely.sum(), 1e-9))
        by, own, constant = weights["quote"]
        odds = by * np.log(max(found, 1e-6) / max(1 - found, 1e-6)) + own * log_share + constant
        return Relevance(
            scores.astype(np.float32),
            np.where(np.isfinite(scores), 1 / (1 + np.exp(-odds)), 0).astype(np.float32),
            numbers,
            found >= weights["found"] or (evidence.matches.names_speaker and found > UNLIKELY),
            within,
            most,
            found,
        )


def prose_scores(evidence: Evidence, weights: dict[str, float]) -> F64:
    """Return the scores of the candidates, (R,)."""
    return np.asarray(dot(evidence.values, np.array([weights[name] for name in PROSE])), np.float64)


def transcript_scores(evidence: Evidence, prose: F64, weights: dict[str, float]) -> F64:
    """Return the scores of all sentences of a transcript, (N,), by what is said around them too."""
    values = transcript_values(evidence, prose)
    return np.asarray(dot(values, np.array([weights[name] for name in TRANSCRIPT])), np.float64)


def transcript_values(evidence: Evidence, prose: F64) -> F64:
    """Return what is known of all sentences of a transcript, (N, TRANSCRIPT)."""
    if evidence.matches.transcript is None:
        raise ValueError("not a transcript")
    spread = np.full(len(evidence.matches.transcript), prose.min())
    spread[evidence.rows] = prose
    spread = (spread - spread.mean()) / (spread.std() + 1e-6)
    return np.concatenate([spread[:, None], evidence.matches.transcript], axis=1)


class NeutralIndex:
    """Sentences in any language, by the words that they share with a question."""

    def __init__(self, passages: Passages, split: Callable[[str], Iterable[str]], language: str | None) -> None:
        self._passages = passages
        self._split = split
        self._language = language

    @cached_property
    def _counts(self) -> tuple[I64, I64, dict[str, int]]:
        """Sentence and number of each word, and the numbers of the words."""
        numbers: dict[str, int] = {}
        rows: list[int] = []
        words: list[int] = []
        for row, text in enumerate(self._passages.texts):
            own = [numbers.setdefault(word, len(numbers)) for word in self._split(text)]
            words += own
            rows += [row] * len(own)
        return np.array(rows, np.int64), np.array(words, np.int64), numbers

    def rate(self, question: Question) -> Relevance:
        """Rate all sentences by a question: BM25, and the share of its words that they have."""
        total, numbers = len(self._passages), self._passages.numbers
        asked = list(self._split(without_question_words(" ".join(question.words) or question.text, self._language)))
        rows, words, known = self._counts
        lengths = np.maximum(np.bincount(rows, minlength=total), 1)
        scores, covered, whole = np.zeros(total), np.zeros(total), 0.0
        for first, second in pairwise(known.get(word, -1) for word in asked):  # said one after the other: "4.0"
            pairs = rows[:-1][(words[:-1] == first) & (words[1:] == second) & (rows[1:] == rows[:-1])]
            scores += _PAIR * (np.bincount(pairs, minlength=total) > 0)
        for word in dict.fromkeys(asked):
            counts = np.bincount(rows[words == known.get(word, -1)], minlength=total)
            spread = (counts > 0).sum()
            rarity = np.log(1 + (total - spread + 0.5) / (spread + 0.5))
            scores += rarity * counts * 2.2 / (counts + 1.2 * (0.4 + 0.6 * lengths / lengths.mean()))
            covered += rarity * (counts > 0)
            whole += rarity
        shares = covered / max(whole, 1e-9)
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


_LEAST = 0.2  # share of a question's words, rare ones weigh more, that the best sentence has where there is an answer
_PAIR = 2.0  # added for two of a question's words that follow one another
_WITHIN = 0.5  # of the best score that a sentence of the answer has at least
_MOST = 5  # sentences of an answer
