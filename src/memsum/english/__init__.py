"""English: word lists, stems, section names, and the rules built on them."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list that is written as one string."""
    return frozenset(words.split())
