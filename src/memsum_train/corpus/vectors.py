"""Learning word vectors from a corpus: count, choose the vocabulary, then skip-gram with negative sampling.

Mikolov et al. (2013), compiled by numba: a word's vector learns to tell the words around it from words drawn at random.
"""

from __future__ import annotations

import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.errors import CorpusError, needs_extra
from memsum.text.tokens import tokenize
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import LONGEST_PIECE, MARK, PAD, UNK, Vocabulary
from memsum_train.corpus.text_vectors import unit_rms

with needs_extra("train", "Learning word vectors"):
    from numba import njit

_WINDOW = 6  # words on each side, at most
_NEGATIVE = 5  # words drawn at random for each pair
_NOISE = 0.75  # power of their frequencies
_FREQUENT = 1e-4  # words more frequent than this are sometimes passed over
_RATE, _LAST_RATE = 0.025, 1e-4
_PART = 20_000  # words that are learned from at one learning rate
_COUNTED = 1_000_000  # words that are counted at a time, in memory
_BOUND, _STEPS = 6.0, 1_024  # of the table of the logistic function
_LOGISTIC = (1 / (1 + np.exp(-np.linspace(-_BOUND, _BOUND, _STEPS)))).astype(np.float32)
_MULTIPLIER = np.uint64(2_685_821_657_736_338_717)  # of the xorshift* generator

Floats = NDArray[np.float32]
Ids = NDArray[np.int32]


def learn_vectors(
    sentences: Callable[[], Iterable[str]],
    *,
    dimension: int = 200,
    max_words: int = 60_000,
    min_count: int = 8,
    max_pieces: int = 6_000,
    epochs: int = 2,
    seed: int = 0,
    say: Callable[[str], None] = lambda what: None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> WordVectors:
    """Train skip-gram vectors on sentences, which are read twice: to count words, then to write their ids.

    `advance` is called with how much of all passes is done, and of how much.
    """
    say("counting words")
    counts: Counter[str] = Counter()
    for sentence in sentences():
        counts.update(tokenize(sentence))
    vocabulary = build_vocabulary(counts, max_words=max_words, min_count=min_count, max_pieces=max_pieces)
    say(f"cutting rare words into pieces: {len(vocabulary):,} words and pieces")
    with tempfile.TemporaryFile(prefix="memsum-vectors-") as file:
        starts = array("q", [0])  # the bounds of the sentences
        for sentence in sentences():
            if words := vocabulary.encode(tokenize(sentence)):
                array("i", words).tofile(file)
                starts.append(starts[-1] + len(words))
        file.flush()
        if not starts[-1]:
            raise CorpusError("The corpus has no words to learn vectors from.")
        ids: Ids = np.memmap(file, np.int32, "r")
        bounds = np.frombuffer(starts, np.int64)
        occurrences = np.zeros(len(vocabulary), np.int64)
        for low in range(0, len(ids), _COUNTED):
            occurrences += np.bincount(ids[low : low + _COUNTED], minlength=len(vocabulary))
        rng = np.random.default_rng(seed)
        vectors = rng.uniform(-1, 1, (len(occurrences), dimension)).astype(np.float32) / np.float32(dimension)
        contexts = np.zeros_like(vectors)
        share = _FREQUENT * len(ids) / np.maximum(occurrences, 1)
        kept = np.minimum(1, np.sqrt(share) + share).astype(np.float32)
        noise = _alias_table(occurrences**_NOISE)
        # Parts of whole sentences: those that begin there.
        ends = ((low, min(low + _PART, len(ids))) for low in range(0, len(ids), _PART))
        parts = [np.searchsorted(bounds, pair).tolist() for pair in ends]
        for done, (first, last) in enumerate(parts * epochs):
            rate = np.float32(_RATE - (_RATE - _LAST_RATE) * done / (epochs * len(parts)))  # falls from first to last
            state = rng.integers(1, 2**63, dtype=np.uint64)
            _learn_part(ids, bounds, first, last, vectors, contexts, kept, *noise, _LOGISTIC, rate, state)
            advance(done + 1, epochs * len(parts))
    # What the corpus never shows (the unknown word, pieces that longer ones always beat) is the mean of all.
    vectors[occurrences == 0] = vectors[occurrences > 0].mean(axis=0)
    frequencies = (np.maximum(occurrences, 1) / len(ids)).astype(np.float32)
    vectors[vocabulary[PAD]] = frequencies[vocabulary[PAD]] = 0
    return WordVectors.quantize(vocabulary, unit_rms(vectors), frequencies)


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


def _alias_table(weights: NDArray[Any]) -> tuple[Floats, Ids]:
    """Return what draws a number by its weight in two draws (Vose): any, which is kept by its chance, or its other."""
    chances = weights * len(weights) / weights.sum()
    others = np.arange(len(weights), dtype=np.int32)
    small = np.flatnonzero(chances < 1).tolist()
    large = np.flatnonzero(chances >= 1).tolist()
    while small and large:
        low, high = small.pop(), large[-1]
        others[low] = high
        chances[high] -= 1 - chances[low]
        if chances[high] < 1:
            small.append(large.pop())
    chances[[*small, *large]] = 1  # all but rounding
    return chances.astype(np.float32), others


@njit(cache=True)
def _draw(state: Any) -> Any:
    """Return the next state of an xorshift* generator; its high half, multiplied, is a random number of 32 bits."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    return state


@njit(cache=True)
def _number(state: Any, below: Any) -> Any:
    return np.int64((((state * _MULTIPLIER) >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))


@njit(cache=True)
def _fraction(state: Any) -> Any:
    return np.float32((state * _MULTIPLIER) >> np.uint64(40)) * np.float32(2**-24)


@njit(cache=True, fastmath=True)
def _learn_part(
    ids: Ids,
    bounds: NDArray[np.int64],
    first: int,
    last: int,
    vectors: Floats,
    contexts: Floats,
    kept: Floats,
    chances: Floats,
    others: Ids,
    logistic: Floats,
    rate: np.float32,
    state: np.uint64,
) -> None:
    """Learn from some sentences, in place."""
    words, dimension = vectors.shape
    scale = np.float32((_STEPS - 1) / (2 * _BOUND))
    gradient = np.empty(dimension, np.float32)
    longest = 1
    for sentence in range(first, last):
        longest = max(longest, bounds[sentence + 1] - bounds[sentence])
    line = np.empty(longest, np.int32)
    for sentence in range(first, last):
        length = 0
        for i in range(bounds[sentence], bounds[sentence + 1]):
            state = _draw(state)
            if _fraction(state) < kept[ids[i]]:
                line[length] = ids[i]
                length += 1
        for center in range(length):
            state = _draw(state)
            reach = _WINDOW - _number(state, _WINDOW)
            for near in range(max(0, center - reach), min(length, center + reach + 1)):
                if near == center:
                    continue
                vector = vectors[line[near]]
                gradient[:] = 0
                for draw in range(_NEGATIVE + 1):
                    target = line[center]
                    if draw:
                        state = _draw(state)
                        other = _number(state, words)
                        state = _draw(state)
                        if _fraction(state) >= chances[other]:
                            other = others[other]
                        if other == target:
                            continue
                        target = other
                    context = contexts[target]
                    product: Any = np.float32(0)
                    for i in range(dimension):
                        product += vector[i] * context[i]
                    bounded = min(max(product, -_BOUND), _BOUND)
                    probability = logistic[int((bounded + _BOUND) * scale)]
                    step = ((np.float32(1) if draw == 0 else np.float32(0)) - probability) * rate
                    for i in range(dimension):
                        gradient[i] += step * context[i]
                        context[i] += step * vector[i]
                for i in range(dimension):
                    vector[i] += gradient[i]
