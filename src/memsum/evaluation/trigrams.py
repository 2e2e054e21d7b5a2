"""Trigram blocking: a sentence that shares three words in a row with what is already selected is not selected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from memsum.corpus.extractiveness import words_of


class Trigrams:
    """The trigrams of a document's sentences; words are lowercased runs of letters and numbers."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._sentences = sentences

    def blocked_by(self, index: int) -> set[int]:
        """The sentences that share a trigram with one, itself included if it has any."""
        return {other for trigram in self._of[index] for other in self._having[trigram]}

    @cached_property
    def _of(self) -> list[set[tuple[str, ...]]]:
        return [_trigrams(sentence) for sentence in self._sentences]

    @cached_property
    def _having(self) -> dict[tuple[str, ...], list[int]]:
        having = defaultdict(list)
        for index, trigrams in enumerate(self._of):
            for trigram in trigrams:
                having[trigram].append(index)
        return having


def select(ranking: Iterable[int], count: int, trigrams: Trigrams | None = None) -> list[int]:
    """The first sentences of a ranking, in document order; with trigrams, those that share one are skipped."""
    selected: list[int] = []
    blocked: set[int] = set()
    for index in ranking:
        if len(selected) == count:
            break
        if index in blocked:
            continue
        selected.append(index)
        if trigrams is not None:
            blocked |= trigrams.blocked_by(index)
    return sorted(selected)


def _trigrams(sentence: str) -> set[tuple[str, ...]]:
    words = words_of([sentence])
    return set(zip(words, words[1:], words[2:], strict=False))
