"""English: word lists, stems, section names, and the rules built on them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list that is written as one string."""
    return frozenset(words.split())


def rows_with(texts: Sequence[str], phrases: Iterable[str]) -> set[int]:
    """Return the indices of the texts that contain one of the phrases, none of which has a line end.

    To search all texts as one for a rare phrase takes a fraction of the time of searching each.
    """
    joined = "\n".join(texts)
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    rows: set[int] = set()
    for phrase in phrases:
        at = joined.find(phrase)
        while at >= 0:
            row = bisect_right(starts, at) - 1
            rows.add(row)
            at = joined.find(phrase, starts[row + 1])
    return rows
