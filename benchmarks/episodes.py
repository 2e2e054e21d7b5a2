"""Speed of the search for high-ROUGE episodes against a straightforward one in numpy: same episodes, one core.

python benchmarks/episodes.py [CORPUS.jsonl[.zst]] [--documents 20]

The straightforward search has the same tree, but for every candidate sentence it counts the n-grams of the extended
summary anew. Both include tokenising and stemming, and both remember stems:
in a long run most are known, in the first documents none.
"""

from __future__ import annotations

import argparse
import re
from functools import cache
from pathlib import Path

import numpy as np
from nltk.stem.snowball import SnowballStemmer
from numpy.typing import NDArray

from memsum_train.paper.episodes import search_episodes
from memsum_train.rouge.tokens import snowball
from rouge import documents, seconds

Keys = NDArray[np.int64]


class StraightforwardSearch:
    """The definition with numpy: unique n-grams and their counts, for each candidate from scratch."""

    def __init__(self, branching: int = 2, maximum: int = 7, cap: int = 20) -> None:
        self.branching, self.maximum, self.cap = branching, maximum, cap
        self.stem = cache(SnowballStemmer("english").stem)

    def __call__(self, text: list[str], summary: list[str]) -> set[frozenset[int]]:
        """The sets of sentences of the episodes."""
        numbers: dict[str, int] = {}
        reference = np.array([n for sentence in summary for n in self.ids(sentence, numbers)], np.int64)
        sentences = [np.array(self.ids(sentence, numbers), np.int64) for sentence in text]
        self.sentences = [(ids, self.bigrams(ids)) for ids in sentences]
        self.references = [
            (*np.unique(keys, return_counts=True), len(keys)) for keys in (reference, self.bigrams(reference))
        ]
        self.finished: list[list[int]] = []
        self.extend([])
        return {frozenset(episode) for episode in self.finished}

    def ids(self, sentence: str, numbers: dict[str, int]) -> list[int]:
        stems = [self.stem(word) for word in re.findall(r"\w+", sentence.lower())]
        return [numbers.setdefault(stem, len(numbers)) for stem in stems]

    @staticmethod
    def bigrams(ids: Keys) -> Keys:
        return ids[:-1] * 2**32 + ids[1:]

    def score(self, chosen: list[int]) -> float:
        """The mean of ROUGE-1 and ROUGE-2 F1."""
        total = 0.0
        for n, (wanted, wanted_counts, length) in enumerate(self.references):
            grams = np.concatenate([self.sentences[k][n] for k in chosen]) if chosen else np.empty(0, np.int64)
            keys, counts = np.unique(grams, return_counts=True)
            _, ours, theirs = np.intersect1d(keys, wanted, assume_unique=True, return_indices=True)
            overlap = int(np.minimum(counts[ours], wanted_counts[theirs]).sum())
            total += 2 * overlap / (len(grams) + length) if len(grams) + length else 0.0
        return total / 2

    def extend(self, chosen: list[int]) -> None:
        if len(self.finished) >= self.cap:
            return
        if len(chosen) < self.maximum:
            rest = [k for k in range(len(self.sentences)) if k not in chosen]
            gains = np.array([self.score([*chosen, k]) for k in rest]) - self.score(chosen)
            if np.any(gains > 0.001):
                for place in np.argsort(-gains, kind="stable")[: self.branching]:
                    if gains[place] > 0:
                        self.extend([*chosen, rest[place]])
                return
        if chosen:
            self.finished.append(chosen)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Speed of the search for high-ROUGE episodes.")
    parser.add_argument("corpus", type=Path, nargs="?", help="JSON lines, also .zst (default: made-up text)")
    parser.add_argument("--documents", type=int, default=20)
    options = parser.parse_args(arguments)

    pairs = documents(options.corpus, options.documents)
    search_episodes(*pairs[0])  # compile, or load what was compiled
    snowball.cache_clear()
    straightforward = StraightforwardSearch()
    expected = [straightforward(*pair) for pair in pairs]
    assert [{frozenset(e.indices) for e in search_episodes(*pair)} for pair in pairs] == expected, "episodes differ"

    known = seconds(lambda: [straightforward(*pair) for pair in pairs])
    ours_known = seconds(lambda: [search_episodes(*pair) for pair in pairs], repeats=5)
    straightforward.stem.cache_clear()
    snowball.cache_clear()
    unknown = seconds(lambda: [straightforward(*pair) for pair in pairs])
    ours_unknown = seconds(lambda: [search_episodes(*pair) for pair in pairs])

    sentences = sum(len(text) for text, _ in pairs) / len(pairs)
    episodes = sum(map(len, expected)) / len(pairs)
    print(f"High-ROUGE episodes of {len(pairs)} documents, one core; the same in all rows")
    print(f"{sentences:.0f} sentences and {episodes:.1f} episodes a document; branching 2, maximum 7, cap 20")
    print(f"{'':32}{'ms per document':>16}{'documents per second':>20}{'ratio':>8}")
    for name, total, baseline in [
        ("straightforward, stems known", known, known),
        ("memsum, stems known", ours_known, known),
        ("straightforward, no stem known", unknown, unknown),
        ("memsum, no stem known", ours_unknown, unknown),
    ]:
        print(f"{name:32}{1000 * total / len(pairs):16.2f}{len(pairs) / total:20.1f}{baseline / total:8.1f}")


if __name__ == "__main__":
    main()
