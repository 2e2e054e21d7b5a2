"""The vocabulary of a corpus: its frequent words, and the pieces that the others are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memsum.text.vocabulary import LONGEST_PIECE, MARK, PAD, UNK, Vocabulary


def build_vocabulary(
    counts: Mapping[str, int], *, max_words: int = 60_000, min_count: int = 8, max_pieces: int = 6_000
) -> Vocabulary:
    """Keep the frequent words, and the pieces that the other words are most often made of."""
    ranked = _ranked(counts)
    kept = [word for word, count in ranked[:max_words] if count >= min_count]
    rare = Counter(dict(ranked[len(kept) :]))
    return Vocabulary([PAD, UNK, *kept, *_frequent_pieces(rare, max_pieces)])


def _frequent_pieces(rare: Mapping[str, int], most: int) -> list[str]:
    """Return the parts of 2 to 9 characters that rare words share, longer ones first counted by what they cover."""
    covered: Counter[str] = Counter()
    single: Counter[str] = Counter()
    for word, count in rare.items():
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + LONGEST_PIECE) + 1):
                piece = MARK + word[start:end] if start else word[:end] + MARK
                # A piece is worth the characters it saves; weighting by length makes endings such as ~ation win
                # over ~at and ~ion where they are about as frequent.
                if end - start > 1:
                    covered[piece] += count * (end - start - 1)
                else:
                    single[piece] += count
        if len(covered) > 4_000_000:
            covered = Counter({piece: count for piece, count in covered.items() if count > 20})
    alphabet = [piece for piece, count in _ranked(single) if count >= 5]
    return [*alphabet, *(piece for piece, _ in _ranked(covered))][:most]


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
