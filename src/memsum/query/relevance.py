"""How relevant each sentence is to a question, and how probably the best ones answer it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from memsum.arrays import F32, I64

if TYPE_CHECKING:
    from memsum.query.question import Question

Answer = Literal["likely answers", "may answer", "related"]
# Probabilities of a quote from which it "likely answers", "may answer" the question. Of first quotes from 0.67 on, 80 %
# answer by the keys, of kinds of documents left out.
LIKELY, POSSIBLE = 0.67, 0.2


@dataclass(frozen=True)
class Relevance:
    """What a question makes of N sentences."""

    scores: F32  # (N,) logits, higher is better; −∞ where a sentence was not considered
    shares: F32  # (N,) probability that each answers the question
    numbers: I64  # (N,) numbers of the sentences
    found: bool  # whether the best sentences probably answer it
    within: float  # how far behind the best a sentence may be and still belong to the answer
    most: int  # sentences of an answer
    answered: float  # probability that they do
    is_general: bool = False  # the question names no topic

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {number: row for row, number in enumerate(self.numbers.tolist())}

    def of(self, number: int) -> float:
        """Return the probability that the sentence with this number answers the question."""
        return float(self.shares[self._rows[number]])

    def ends(self, rank: int, number: int) -> bool:
        """Tell whether an answer ends before the sentence with this number, which has this rank (from 0)."""
        return rank >= self.most or bool(self.scores[self._rows[number]] < self.scores.max() - self.within)


class Index(Protocol):
    """Sentences in which questions are looked up."""

    def rate(self, question: Question) -> Relevance:
        """Rate all sentences by a question."""


def in_words(share: float) -> Answer:
    """Say how probably a quote answers the question."""
    if share >= LIKELY:
        return "likely answers"
    return "may answer" if share >= POSSIBLE else "related"


def nothing(numbers: I64, *, is_general: bool = False) -> Relevance:
    """Return what a question without a topic makes of sentences."""
    empty = np.zeros(len(numbers), np.float32)
    return Relevance(empty, empty, numbers, False, 0.0, 0, 0.0, is_general)
