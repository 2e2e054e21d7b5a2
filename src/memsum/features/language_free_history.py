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
        self._said = np.zeros(text.size)  # rarity of the stems that were said
        self._topics = text.topics.copy()  # weight of the topics that were not
        self._said_pairs = np.zeros(text.pairs[2])
        self._stems = np.maximum(weights_of(text, text.rarity), 1e-9)
        self._all_topics = max(float(self._topics.sum()), 1e-9)
        self._pairs = np.maximum(np.bincount(text.pairs[0], minlength=count), 1)
        self._rows = np.arange(count)
        self._sections = np.zeros(int(text.outline.sections.max(initial=0)) + 1)
        self._paragraphs = np.zeros(int(text.outline.paragraphs.max(initial=0)) + 1)
        self._columns = {name: np.zeros(count) for name in DYNAMIC}
        self._columns["nothing yet"][:] = 1
        self._columns["topics newly said"] = weights_of(text, self._topics) / self._all_topics
        self._words = 0

    @cached_property
    def _bounds(self) -> tuple[I64, I64]:
        """Where the stems and the pairs of each sentence begin."""
        ends = np.arange(len(self._text) + 1)
        return np.searchsorted(self._text.rows, ends), np.searchsorted(self._text.pairs[0], ends)

    def extract(self, rows: Iterable[int]) -> None:
        """Take note of rows that are extracted."""
        text, columns = self._text, self._columns
        row = None
        for row in rows:
            stems, pairs = (slice(own[row], own[row + 1]) for own in self._bounds)
            self._said[text.terms[stems]] = text.rarity[text.terms[stems]]
            self._topics[text.terms[stems]] = 0
            self._said_pairs[text.pairs[1][pairs]] = 1
            np.maximum(columns["nearest"], text.weights.cosines(row), out=columns["nearest"])
            np.maximum(columns["gap"], 1 / (1 + np.abs(self._rows - row)), out=columns["gap"])
            columns["follows"][row + 1 : row + 2] = 1
            columns["precedes"][max(row - 1, 0) : row] = 1
            self._sections[text.outline.sections[row]] += 1
            self._paragraphs[text.outline.paragraphs[row]] += 1
            self._words += int(text.lengths[row])
        if row is None:
            return
        of_pairs, pair, _ = text.pairs
        columns["words said"] = weights_of(text, self._said) / self._stems
        columns["topics newly said"] = weights_of(text, self._topics) / self._all_topics
        columns["pairs said"] = np.bincount(of_pairs, self._said_pairs[pair], len(text)) / self._pairs
        if text.is_divided:
            columns["section quoted"] = np.log1p(self._sections)[text.outline.sections]
        if text.has_paragraphs:
            columns["paragraph quoted"] = np.minimum(self._paragraphs, 2)[text.outline.paragraphs]
        columns["nothing yet"][:] = 0
        columns["progress"][:] = min(self._words / text.expected, 2.0)

    def new_share(self) -> F64:
        """Return the logarithm of what each sentence does not share with the closest extracted one."""
        return np.asarray(np.log1p(-np.minimum(self._columns["nearest"], 0.999)), np.float64)

    def features(self) -> F32:
        """Return what extraction has changed for each sentence, (N, DYNAMIC)."""
        return np.array([*self._columns.values()], np.float32).T
