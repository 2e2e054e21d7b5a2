"""What was extracted so far, in numbers for each sentence that need no words of a language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from memsum.arrays import F32, F64, I64
from memsum.features.language_free import NeutralText, weights_of

DYNAMIC = (
    "words said", "nearest", "pairs said", "topics newly said", "gap", "follows", "precedes",
    "section quoted", "paragraph quoted", "nothing yet", "progress",
)  # fmt: skip


class NeutralMemory:
    """What was extracted, in numbers for each sentence."""

    def __init__(self, text: NeutralText) -> None:
        self._text = text
        count = len(text)
        self._all = np.maximum(weights_of(text, text.rarity), 1e-9)
        self._said = np.zeros(text.size)
        self._said_pairs = np.zeros(text.pairs[2])
        self._topics = text.topics.copy()
        self._all_topics = max(float(self._topics.sum()), 1e-9)
        self._pairs = np.maximum(np.bincount(text.pairs[0], minlength=count), 1)
        self._nearest = np.zeros(count)
        self._gaps = np.full(count, count)
        self._sections = np.zeros(int(text.outline.sections.max(initial=0)) + 1)
        self._paragraphs = np.zeros(int(text.outline.paragraphs.max(initial=0)) + 1)
        self._beside = np.zeros((2, count))
        self.words = 0
        self.extracted = 0

    @cached_property
    def _bounds(self) -> tuple[I64, I64]:
        """Where the stems and the pairs of each sentence begin."""
        ends = np.arange(len(self._text) + 1)
        return np.searchsorted(self._text.rows, ends), np.searchsorted(self._text.pairs[0], ends)

    def extract(self, rows: Iterable[int]) -> None:
        """Take note of rows that are extracted."""
        text = self._text
        for row in rows:
            stems, pairs = (slice(own[row], own[row + 1]) for own in self._bounds)
            self._said[text.terms[stems]] = 1
            self._topics[text.terms[stems]] = 0
            self._said_pairs[text.pairs[1][pairs]] = 1
            self._nearest = np.maximum(self._nearest, text.weights.cosines(row))
            self._gaps = np.minimum(self._gaps, np.abs(np.arange(len(text)) - row))
            self._sections[text.outline.sections[row]] += 1
            self._paragraphs[text.outline.paragraphs[row]] += 1
            self._beside[0, row + 1 : row + 2] = 1
            self._beside[1, max(row - 1, 0) : row] = 1
            self.words += int(text.lengths[row])
            self.extracted += 1

    def new_share(self) -> F64:
        """Return the logarithm of what each sentence does not share with the closest extracted one."""
        return np.asarray(np.log1p(-np.minimum(self._nearest, 0.999)), np.float64)

    def features(self) -> F32:
        """Return what extraction has changed for each sentence, (N, DYNAMIC)."""
        text, count = self._text, len(self._text)
        pairs, number, _ = text.pairs
        newly = weights_of(text, self._topics)
        columns: dict[str, F64 | float] = {
            "words said": weights_of(text, self._said * text.rarity) / self._all,
            "nearest": self._nearest,
            "pairs said": np.bincount(pairs, self._said_pairs[number], count) / self._pairs,
            "topics newly said": newly / self._all_topics,
            "gap": 1 / (1 + self._gaps) if self.extracted else 0.0,
            "follows": self._beside[0],
            "precedes": self._beside[1],
            "section quoted": text.is_divided * np.log1p(self._sections)[text.outline.sections],
            "paragraph quoted": text.has_paragraphs * np.minimum(self._paragraphs, 2)[text.outline.paragraphs],
            "nothing yet": float(self.extracted == 0),
            "progress": min(self.words / text.expected, 2.0),
        }
        features = np.empty((count, len(DYNAMIC)), np.float32)
        for column, name in enumerate(DYNAMIC):
            features[:, column] = columns[name]
        return features
