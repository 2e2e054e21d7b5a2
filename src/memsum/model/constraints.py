"""What an episode may extract next: quotas of sections, documents and stretches, and blocked trigrams.

Every longer summary still contains the shorter ones: what is blocked depends only on what was extracted so far.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from memsum.arrays import I64, Bools, Floats
from memsum.features.source_text import SourceText

_FIRST = 3  # quotes that are the best of a long document, whatever their section
_MOST_SECTIONS = 50  # main sections that have a quote
_MAJOR = 0.3  # of the average share: what a section needs to be sure of a quote
# Words and numbers as one reads them. The model's own tokens would not do: rare words are several of them, and all
# numbers of one shape are the same one.
_WORD = re.compile(r"[^\W_]+(?:[.,'’-][^\W_]+)*")


class Constraint(Protocol):
    """Rows of a document that may not be extracted now."""

    @property
    def minimum(self) -> int:
        """Quotes of a summary in which every group that must have one has one."""

    @property
    def blocked(self) -> Bools:
        """(N,) of the document's rows."""

    def extract(self, row: int) -> None:
        """Take note of a row that is extracted."""


@dataclass(frozen=True)
class Quotas:
    """Groups of sentences that share the quotes: sections, documents, or stretches of equal length."""

    by: Literal["section", "document", "stretch", "main section"]
    groups: Sequence[int] = ()  # the section or document of each sentence, by the sentence's number
    every: bool = False  # every section has a quote, not only the major ones
    expected: int = 0  # quotes of a summary, within which every main section has one


def main_sections(source: SourceText, expected: int) -> Quotas | None:
    """Return quotas of the main sections of a document, if it has some."""
    main = source.outline.main
    if main[0] == main[-1]:
        return None
    groups = np.zeros(source.total, np.int64)
    groups[source.numbers] = main
    return Quotas("main section", groups.tolist(), expected=expected)


def constrain(
    quotas: Quotas | None,
    numbers: I64,
    scores: Floats,
    trigrams: TrigramBlock | None,
) -> Constraint | None:
    """Return what constrains an episode; row i is the sentence `numbers[i]`, and `scores` (N,) rates the rows."""
    if quotas is None:
        return trigrams
    if quotas.by == "stretch":
        return StretchQuotas(len(numbers), trigrams)
    groups = np.array(quotas.groups, np.int64)[numbers]
    if quotas.by == "document":
        return DocumentQuotas(groups, trigrams)
    if quotas.by == "main section":
        return MainSectionQuotas(groups, scores, quotas.expected, trigrams)
    return SectionQuotas(groups, scores, trigrams, every=quotas.every)


class TrigramBlock:
    """Blocks every sentence that shares three words in a row with an extracted one."""

    minimum = 0

    def __init__(self, sentences: Sequence[str]) -> None:
        self._trigrams = [_trigrams(sentence) for sentence in sentences]
        self.blocked: Bools = np.zeros(len(sentences), bool)

    def extract(self, row: int) -> None:
        """Block every sentence that shares a trigram with this one."""
        own = self._trigrams[row]
        self.blocked |= np.fromiter((not own.isdisjoint(other) for other in self._trigrams), bool, len(self._trigrams))


def _trigrams(sentence: str) -> set[tuple[str, str, str]]:
    words = _WORD.findall(sentence.lower())
    return set(zip(words, words[1:], words[2:], strict=False))


class _Extracted:
    """Rows that are extracted, or blocked by their trigrams, are free for no group."""

    minimum = 0

    def __init__(self, rows: int, trigrams: TrigramBlock | None) -> None:
        self._taken = np.zeros(rows, bool)
        self._trigrams = trigrams

    @property
    def _free(self) -> Bools:
        return ~self._taken if self._trigrams is None else ~(self._taken | self._trigrams.blocked)

    def extract(self, row: int) -> None:
        """Take note of a row that is extracted."""
        self._taken[row] = True
        if self._trigrams is not None:
            self._trigrams.extract(row)


class SectionQuotas(_Extracted):
    """First one quote for each major section, then for each its share (by the divisors of Sainte-Laguë).

    A section's share is the sum of its sentences' scores before anything is extracted.
    """

    def __init__(
        self,
        sections: I64,
        scores: Floats,
        trigrams: TrigramBlock | None = None,
        *,
        every: bool = False,
    ) -> None:
        """`sections` (N,) has the section's number of each row, `scores` (N,) rates the rows."""
        super().__init__(len(sections), trigrams)
        self._sections = sections
        shares = np.bincount(sections, np.maximum(scores, 0)) if len(sections) else np.zeros(0)
        self._shares = shares / max(float(shares.sum()), 1e-9)
        least = 0 if every else _MAJOR / max(1, int(np.count_nonzero(self._shares)))
        self._major = (self._shares > 0) & (self._shares >= least)
        self._quotes = np.zeros(len(shares), np.int64)
        self.minimum = int(self._major.sum())

    @property
    def blocked(self) -> Bools:
        """All but the free rows of the section that is next."""
        free = self._free
        if not free.any():
            return ~free
        claims = self._shares / (2 * self._quotes + 1)
        claims[self._major & (self._quotes == 0)] += 1
        claims[np.bincount(self._sections[free], minlength=len(claims)) == 0] = -1
        return ~(free & np.equal(self._sections, claims.argmax()))

    def extract(self, row: int) -> None:
        super().extract(row)
        self._quotes[self._sections[row]] += 1


class DocumentQuotas(_Extracted):
    """First one quote for each document, the best first; then what adds the most, of whichever document."""

    def __init__(self, documents: I64, trigrams: TrigramBlock | None = None) -> None:
        """`documents` (N,) has the document's number of each row."""
        super().__init__(len(documents), trigrams)
        self._groups = documents
        self._waiting = np.ones(int(documents.max(initial=-1)) + 1, bool)
        self._due = 0  # quotes within which each group has one
        self.minimum = len(set(documents.tolist()))

    @property
    def blocked(self) -> Bools:
        """All rows of groups with a quote, as soon as those without one need what is left."""
        free = self._free
        waiting = free & self._waiting[self._groups]
        count = len(np.unique(self._groups[waiting]))
        return ~waiting if count and int(self._taken.sum()) + count >= self._due else ~free

    def extract(self, row: int) -> None:
        super().extract(row)
        self._waiting[self._groups[row]] = False


class MainSectionQuotas(DocumentQuotas):
    """The best quotes first, whatever their section; then, in time, one of each main section that has none.

    So a short summary is the best of the document, and one of the expected length covers it.
    """

    def __init__(self, sections: I64, scores: Floats, expected: int, trigrams: TrigramBlock | None = None) -> None:
        """`sections` (N,) has the main section of each row; one whose `scores` (N,) are all 0 needs no quote."""
        super().__init__(sections, trigrams)
        best = np.zeros(int(sections.max(initial=-1)) + 1)
        np.maximum.at(best, sections, scores)
        self._waiting = best > 0
        if (spare := int(self._waiting.sum()) - _MOST_SECTIONS) > 0:
            self._waiting[np.argsort(np.where(self._waiting, best, np.inf), kind="stable")[:spare]] = False
        self._due = self.minimum = max(int(self._waiting.sum()) + _FIRST, expected)


class StretchQuotas(_Extracted):
    """Quotes evenly over the document: the second is of its other half, the next two of the quarters without one.

    After n quotes the document is cut into the next power of two of stretches, and those that have one are blocked.
    """

    @property
    def blocked(self) -> Bools:
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
