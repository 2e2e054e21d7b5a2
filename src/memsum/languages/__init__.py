"""Languages: word lists as data, stems, section names, which language a text is in, and the rules built on them.

The lists are text files in `data`, so that a word can be added without touching code: "[heading]" begins a list, "#" a
comment, and words stand between spaces or, where they are names or patterns, one per line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path

DATA = Path(__file__).with_name("data")


@cache
def read_lists(name: str) -> Mapping[str, Sequence[str]]:
    """Return the lines below each heading of a file of `data`."""
    lists: dict[str, list[str]] = {}
    for line in (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            lists[line[1:-1]] = below = []
        elif line and not line.startswith("#"):
            below.append(line)
    return lists


def read_words(name: str, heading: str) -> frozenset[str]:
    """Return the words below a heading."""
    return frozenset(" ".join(read_lists(name)[heading]).split())


def read_groups(name: str, heading: str) -> dict[str, str]:
    """Return the words below each heading such as "starters: de" or "kind: results", by what is behind the colon."""
    begin = f"{heading}: "
    return {
        key.removeprefix(begin): " ".join(below) for key, below in read_lists(name).items() if key.startswith(begin)
    }


def read_patterns(name: str, heading: str) -> str:
    """Return one pattern for those below a heading."""
    return f"(?:{'|'.join(read_lists(name)[heading])})"


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
