"""Where to stop: the scores of every threshold and every maximum, from one pass of the policy over the documents.

A shorter episode is a prefix of a longer one, so each document's prefixes are scored once and looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum_train.corpus.records import Example
from memsum_train.rouge import F1, score_many

if TYPE_CHECKING:
    from memsum_train.paper.model import Extraction

THRESHOLDS = tuple(round(0.05 * i, 2) for i in range(1, 21))
_PART = 64  # documents whose prefixes are in memory together
_VARIANTS = (0, 1, 3)  # ROUGE-1, ROUGE-2, ROUGE-Lsum


@dataclass(frozen=True)
class StopPoint:
    """The scores of one way to stop on a set of documents."""

    threshold: float
    maximum: int
    rouge1: float
    rouge2: float
    rouge_lsum: float
    sentences: float

    @property
    def mean(self) -> float:
        """Return the mean of the three scores, which is maximized."""
        return (self.rouge1 + self.rouge2 + self.rouge_lsum) / 3


class PrefixScores:
    """ROUGE-1/2/Lsum F1 of every prefix of every document's episode."""

    def __init__(self, extractions: Sequence[Extraction], examples: Sequence[Example]) -> None:
        self.extractions = extractions
        counts = [len(extraction.choices) for extraction in extractions]
        self._rows = np.cumsum(counts) - counts
        parts = []
        for low in range(0, len(examples), _PART):
            pairs = list(zip(extractions, examples, strict=True))[low : low + _PART]
            prefixes = [(one.choices[: n + 1], example) for one, example in pairs for n in range(len(one.choices))]
            predictions = [[example.text[i] for i in sorted(choices)] for choices, example in prefixes]
            scores = score_many(predictions, [example.summary for _, example in prefixes])
            parts.append(scores[:, _VARIANTS, F1])
        self._scores: NDArray[np.float64] = np.concatenate(parts)  # one document after the other

    def at(self, threshold: float, maximum: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return scores (documents, 3) and numbers of sentences (documents,) of one way to stop."""
        lengths = np.array([extraction.length(threshold, maximum) for extraction in self.extractions])
        scores: NDArray[np.float64] = self._scores[self._rows + lengths - 1]
        return scores, lengths

    def point(self, threshold: float, maximum: int) -> StopPoint:
        scores, lengths = self.at(threshold, maximum)
        rouge1, rouge2, rouge_lsum = scores.mean(axis=0).tolist()
        return StopPoint(threshold, maximum, rouge1, rouge2, rouge_lsum, float(lengths.mean()))

    def grid(self, thresholds: Sequence[float], maxima: Sequence[int]) -> list[StopPoint]:
        return [self.point(threshold, maximum) for maximum in maxima for threshold in thresholds]


def best_point(points: Sequence[StopPoint]) -> StopPoint:
    """Return the point with the highest mean; of equals, the one that extracts less."""
    return max(points, key=lambda point: (point.mean, -point.sentences))
