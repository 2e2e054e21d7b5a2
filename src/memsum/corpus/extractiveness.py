"""How much of a summary stands word by word in its text: coverage, density and compression (Grusky et al., 2018)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# The paper counts "only strings composed of letters and numbers".
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Extractiveness:
    """Summary words in fragments of the text, the mean length of a word's fragment, text words per summary word."""

    coverage: float
    density: float
    compression: float
    novel_bigrams: float


def words_of(sentences: Iterable[str]) -> list[str]:
    """Give the words of some sentences, lower-cased."""
    return [word for sentence in sentences for word in _WORD.findall(sentence.lower())]


def measure(text: Sequence[str], summary: Sequence[str]) -> Extractiveness:
    """Compare the words of a text with those of its summary, of which there must be some."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, pair in enumerate(pairwise(text)):
        places[pair].append(place)
    lengths = _fragments(text, summary, places)
    pairs = list(pairwise(summary))
    return Extractiveness(
        coverage=sum(lengths) / len(summary),
        density=sum(length * length for length in lengths) / len(summary),
        compression=len(text) / len(summary),
        novel_bigrams=sum(pair not in places for pair in pairs) / len(pairs) if pairs else 0.0,
    )


def _fragments(text: Sequence[str], summary: Sequence[str], places: dict[tuple[str, str], list[int]]) -> list[int]:
    """Lengths of the fragments: from left to right, the longest run of the summary that is also one of the text."""
    words = set(text)
    lengths = []
    start = 0
    while start < len(summary):
        longest = 1 if summary[start] in words else 0
        # Whatever is longer than a word begins with its first two.
        for place in places.get(tuple(summary[start : start + 2]), ()):  # type: ignore[arg-type]
            length = 2
            while (
                start + length < len(summary)
                and place + length < len(text)
                and summary[start + length] == text[place + length]
            ):
                length += 1
            longest = max(longest, length)
        if longest:
            lengths.append(longest)
        start += longest or 1
    return lengths
