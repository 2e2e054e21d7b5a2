"""Signals of each sentence besides its words and position: section, title, wording, salience, centrality.

The groups are kept apart, so that training can leave whole ones out: a document without headings or title loses
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from memsum.arrays import F32, I32, dot
from memsum.english.section_names import KINDS, section_signals
from memsum.english.wording import WORDING, Lexicon
from memsum.features.counts import Counts
from memsum.features.novelty import Novelty
from memsum.features.salience import SIGNALS as SALIENCE_SIGNALS
from memsum.features.salience import Evidence, Salience

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


def _slices() -> dict[str, slice]:
    ends = np.cumsum(list(_WIDTHS.values())).tolist()
    return {name: slice(end - _WIDTHS[name], end) for name, end in zip(_WIDTHS, ends, strict=True)}


GROUPS = _slices()


@dataclass(frozen=True)
class Signals:
    """The signals of one document's sentences, and what its history counts with."""

    values: F32  # (N, SIGNALS)
    counts: Counts
    salience: Salience
    expected: float  # logarithm of the words of a human summary
    spread: float  # standard deviation of that
    evidence: Evidence | None = None  # of the words' salience, until the context refines it

    def with_salience(self, words: F32, pairs: F32) -> Signals:
        """Return these with contextual salience, by log-odds: the history counts with it."""
        return replace(self, salience=Salience.of_odds(words, pairs), evidence=None)

    def novelty(self) -> Novelty:
        return Novelty(self.counts, self.salience, self.expected)


def gather_signals(
    counts: Counts, salience: Salience, lexicon: Lexicon, ids: I32, marks: F32, title: F32 | None
) -> F32:
    """Return (N, SIGNALS) of sentences with these words and marks; `title` is the direction of the title's words."""
    values = np.zeros((len(counts), SIGNALS), np.float32)
    values[:, GROUPS["sections"]] = section_signals(marks[:, :2])
    if title is not None:
        values[:, GROUPS["title"]] = _title_signals(counts, title)
    values[:, GROUPS["salience"]] = salience.signals(counts)
    values[:, GROUPS["wording"]] = lexicon.signals(ids, counts.starts, marks[:, 2:])
    central = counts.centrality
    values[:, GROUPS["centrality"]] = np.stack([central - 1, central / max(float(central.max()), 1e-6)], axis=1)
    return values


def without_group(values: F32, group: str) -> F32:
    """Return the signals of a document of which one group is not known."""
    values = values.copy()
    values[:, GROUPS[group]] = 0
    if group == "sections":
        values[:, GROUPS[group]] = section_signals(np.zeros((len(values), 2), np.float32))
    return values


def _title_signals(counts: Counts, title: F32) -> F32:
    """Return similarity to the title, share of the title's words that the sentence has, and that there is a title."""
    sentence, word = counts.once
    weights = np.where(counts.title, counts.weights, 0)
    covered = np.bincount(sentence, weights[word], len(counts)) / max(float(weights.sum()), 1e-6)
    likeness = dot(counts.directions, title)
    return np.stack([likeness, covered, np.ones(len(counts))], axis=1).astype(np.float32)
