"""Whose turn it is: what an episode may extract next, where sections or stretches of a document have their share.

Every longer summary still contains the shorter ones: whose turn it is depends only on what was extracted so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memsum.model.trigrams import TrigramBlock

_MATTERS = 0.3  # of the average share: what a section needs to be sure of a quote


class Block(Protocol):
    """What of a document may not be extracted now."""

    @property
    def least(self) -> int:
        """Quotes of a summary in which everyone has had a turn who must have one."""

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """(N,) of the document's rows."""

    def extract(self, sentence: int) -> None:
        """A row is extracted."""


Turns = Sequence[int] | Literal["spread"]  # the number of each sentence's section, or evenly


def take_turns(
    turns: Turns | None,
    places: NDArray[np.int64],
    scores: Callable[[], NDArray[np.floating[Any]]],
    trigrams: TrigramBlock | None,
) -> Block | None:
    """What an episode may extract: row i is the sentence `places[i]`, and `scores` is what is thought of the rows."""
    if turns is None:
        return trigrams
    if turns == "spread":
        return SpreadTurns(len(places), trigrams)
    sections = np.array(turns, np.int64)[places]
    return SectionTurns(sections, scores(), trigrams)


class _Taking:
    """Rows that are extracted or blocked by something else are free for nobody."""

    least = 0

    def __init__(self, rows: int, block: TrigramBlock | None) -> None:
        self._taken = np.zeros(rows, bool)
        self._block = block

    @property
    def _free(self) -> NDArray[np.bool_]:
        return ~self._taken if self._block is None else ~(self._taken | self._block.blocked)

    def extract(self, sentence: int) -> None:
        """A row is extracted."""
        self._taken[sentence] = True
        if self._block is not None:
            self._block.extract(sentence)


class SectionTurns(_Taking):
    """First one quote for each section that matters, then for each its share (by the divisors of Sainte-Laguë).

    A section's share is what the policy thinks of all its sentences before anything is extracted.
    """

    def __init__(
        self, sections: NDArray[np.int64], scores: NDArray[np.floating[Any]], block: TrigramBlock | None = None
    ) -> None:
        """`sections` has the section's number of each row, `scores` what the policy thinks of it."""
        super().__init__(len(sections), block)
        self._sections = sections
        shares = np.bincount(self._sections, np.maximum(scores, 0)) if len(self._sections) else np.zeros(0)
        self._shares = shares / max(float(shares.sum()), 1e-9)
        self._matters = (self._shares > 0) & (self._shares >= _MATTERS / max(1, int(np.count_nonzero(self._shares))))
        self._quotes = np.zeros(len(shares), np.int64)
        self.least = int(self._matters.sum())

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """All but the free rows of the section whose turn it is."""
        free = self._free
        if not free.any():
            return ~free
        turns = self._shares / (2 * self._quotes + 1)
        turns[self._matters & (self._quotes == 0)] += 1
        turns[np.bincount(self._sections[free], minlength=len(turns)) == 0] = -1
        return ~(free & np.equal(self._sections, turns.argmax()))

    def extract(self, sentence: int) -> None:
        """A row is extracted."""
        super().extract(sentence)
        self._quotes[self._sections[sentence]] += 1


class SpreadTurns(_Taking):
    """Quotes evenly over the document: the second is of its other half, the next two of the quarters without one.

    After n quotes the document is cut into the next power of two of stretches, and those that have one are blocked.
    """

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """All rows in stretches that have a quote."""
        free, rows = self._free, len(self._taken)
        stretches = 1 << int(self._taken.sum()).bit_length()
        while free.any():
            stretch = np.arange(rows) * stretches // rows
            open_ = free & ~np.isin(stretch, stretch[self._taken])
            if open_.any() or stretches >= rows:
                return ~open_ if open_.any() else ~free
            stretches *= 2
        return ~free
