"""The compiled part of ROUGE: shared n-grams and longest common subsequences, alone and for many pairs in one call.

It is compiled because scoring spends its time in these short loops, which numpy could only express by allocating in
each step. Import it only where it runs: numba takes half a second to load. Compiled functions call only functions of
their own file, because numba's cache on disk does not notice a change in another file.

Tokens are numbers. A *text* is `(ids, bounds)`: the ids of all its tokens, and where its sentences begin and end, so
that sentence `k` is `ids[bounds[k]:bounds[k + 1]]`. Ids of a candidate are relative to the reference: `0 … V-1` for the
words of the reference, `-1` for all others, which can match nothing and only count for the length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memsum.errors import needs_extra

with needs_extra("train", "ROUGE"):
    from numba import njit

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]

NONE, ONE, FLAT = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)


class Texts(NamedTuple):
    """Many texts one after the other; text `t` has the sentences `texts[t] … texts[t + 1]`."""

    ids: Ints
    bounds: Longs
    texts: Longs


@njit(cache=True)
def relate(candidate: Ints, reference: Ints, relative: Ints) -> tuple[Ints, Ints, int]:
    """Return ids relative to the reference, and the number of its words; `relative` is a table of -1, left so."""
    words = 0
    for word in reference:
        if relative[word] < 0:
            relative[word] = words
            words += 1
    related = relative[candidate], relative[reference], words
    relative[reference] = -1
    return related


# --- n-grams ----------------------------------------------------------------------------------------------------------


@njit(cache=True)
def match_bigrams(ids: Ints, reference: Ints, words: int) -> tuple[Ints, Ints]:
    """Number the distinct bigrams of the reference.

    Gives, for each position of `ids`, the number of the bigram that starts there (-1: not in the reference), and how
    often the reference has each bigram.
    """
    keys = np.empty(max(len(reference) - 1, 0), np.int64)
    for i in range(len(keys)):
        keys[i] = np.int64(reference[i]) * words + reference[i + 1]
    keys.sort()
    counts = np.zeros(len(keys), np.int32)
    distinct = 0
    for key in keys:
        if distinct == 0 or keys[distinct - 1] != key:
            keys[distinct] = key
            distinct += 1
        counts[distinct - 1] += 1
    keys = keys[:distinct]
    numbers = np.full(len(ids), -1, np.int32)
    for i in range(len(ids) - 1):
        if ids[i] >= 0 and ids[i + 1] >= 0:
            key = np.int64(ids[i]) * words + ids[i + 1]
            at = np.searchsorted(keys, key)
            if at < distinct and keys[at] == key:
                numbers[i] = at
    return numbers, counts[:distinct]


@njit(cache=True)
def overlap(ids: Ints, counts: Ints) -> int:
    """Count the items that two texts share: those of one (-1: not in the other) against their counts in the other."""
    left = counts.copy()
    shared = 0
    for item in ids:
        if item >= 0 and left[item] > 0:
            left[item] -= 1
            shared += 1
    return shared


# --- longest common subsequences --------------------------------------------------------------------------------------
# Bit-parallel: a row of the table of LCS lengths is kept as one bit a reference position, clear where the length grows
# by one (Hyyrö 2004). A row costs a few operations on machine words instead of one operation a cell.


@njit(cache=True)
def mark_words(masks: Words, sentence: Ints) -> None:
    """Set in masks (words, blocks) where each word of a sentence occurs in it, 64 positions a block."""
    for i, word in enumerate(sentence):
        masks[word, i >> 6] |= ONE << np.uint64(i & 63)


@njit(cache=True)
def advance(row: Words, masks: Words, word: int) -> None:
    """Turn a row into the next one, for the next word of the candidate."""
    if word < 0:
        return
    carry = NONE
    for block in range(len(row)):
        old, mask = row[block], masks[word, block]
        half = old + (old & mask)
        total = half + carry
        carry = ONE if half < old or total < half else NONE
        row[block] = total | (old & ~mask)


@njit(cache=True)
def lcs_length(candidate: Ints, reference: Ints, words: int) -> int:
    """Return the length of the longest common subsequence of two running texts."""
    row = np.full((len(reference) + 63) >> 6, FLAT, np.uint64)
    masks = np.zeros((words, len(row)), np.uint64)
    mark_words(masks, reference)
    for word in candidate:
        advance(row, masks, word)
    length = 0
    for bits in row:
        growth = ~bits
        while growth != NONE:
            growth &= growth - ONE
            length += 1
    return length


@njit(cache=True)
def mark_lcs(candidate: Ints, sentence: Ints, masks: Words, rows: Words, marked: Flags) -> None:
    """Mark the positions of one longest common subsequence in a reference sentence: of several, `rouge-score`'s."""
    blocks = (len(sentence) + 63) >> 6
    for j in range(len(candidate)):
        for block in range(blocks):
            rows[j, block] = rows[j - 1, block] if j > 0 else FLAT
        advance(rows[j, :blocks], masks, candidate[j])
    i, j = len(sentence) - 1, len(candidate) - 1
    while i >= 0 and j >= 0:
        if sentence[i] == candidate[j]:
            marked[i] = True
            i -= 1
            j -= 1
        elif (rows[j, i >> 6] >> np.uint64(i & 63)) & ONE == NONE:
            j -= 1  # the length grows at i, though i and j do not match: it is reached before j, and not before i
        else:
            i -= 1


@njit(cache=True)
def union_lcs(ids: Ints, starts: Longs, ends: Longs, reference: Ints, bounds: Longs, words: int) -> int:
    """Count the hits of summary-level ROUGE-L: per reference sentence the union of its LCS with each candidate's.

    The candidate's sentences are `ids[starts[c]:ends[c]]`. A word counts at most as often as it occurs in them.
    """
    left = np.zeros(words, np.int32)
    longest, longest_reference = 0, 0
    for c in range(len(starts)):
        longest = max(longest, ends[c] - starts[c])
        for word in ids[starts[c] : ends[c]]:
            if word >= 0:
                left[word] += 1
    for k in range(len(bounds) - 1):
        longest_reference = max(longest_reference, bounds[k + 1] - bounds[k])
    masks = np.zeros((words, (longest_reference + 63) >> 6), np.uint64)
    marked = np.empty(longest_reference, np.bool_)
    rows = np.empty((longest, masks.shape[1]), np.uint64)
    hits = 0
    for k in range(len(bounds) - 1):
        sentence = reference[bounds[k] : bounds[k + 1]]
        mark_words(masks, sentence)
        marked[: len(sentence)] = False
        for c in range(len(starts)):
            mark_lcs(ids[starts[c] : ends[c]], sentence, masks, rows, marked)
        for i, word in enumerate(sentence):
            masks[word] = NONE
            if marked[i] and left[word] > 0:
                left[word] -= 1
                hits += 1
    return hits


# --- scores of many pairs ---------------------------------------------------------------------------------------------


@njit(cache=True)
def write_score(out: Floats, overlap: int, candidate: int, reference: int) -> None:
    """Write precision, recall and F1, by the same operations as `rouge-score`."""
    precision = overlap / max(candidate, 1)
    recall = overlap / max(reference, 1)
    out[0], out[1] = precision, recall
    out[2] = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


@njit(cache=True)
def score_pairs(candidates: Texts, references: Texts, size: int) -> Floats:
    """Return ROUGE-1, 2, L and Lsum (precision, recall, F1) of many pairs of texts with ids below `size`."""
    scores = np.zeros((len(candidates.texts) - 1, 4, 3), np.float64)
    relative = np.full(size, -1, np.int32)
    for p in range(len(scores)):
        bounds = candidates.bounds[candidates.texts[p] : candidates.texts[p + 1] + 1]
        reference_bounds = references.bounds[references.texts[p] : references.texts[p + 1] + 1]
        candidate = candidates.ids[bounds[0] : bounds[-1]]
        reference = references.ids[reference_bounds[0] : reference_bounds[-1]]
        candidate, reference, words = relate(candidate, reference, relative)
        n, m = len(candidate), len(reference)
        bigrams, bigram_counts = match_bigrams(candidate, reference, words)
        starts, ends = bounds[:-1] - bounds[0], bounds[1:] - bounds[0]
        union = union_lcs(candidate, starts, ends, reference, reference_bounds - reference_bounds[0], words)
        word_counts = np.bincount(reference, minlength=words).astype(np.int32)
        write_score(scores[p, 0], overlap(candidate, word_counts), n, m)
        write_score(scores[p, 1], overlap(bigrams, bigram_counts), max(n - 1, 0), max(m - 1, 0))
        write_score(scores[p, 2], lcs_length(candidate, reference, words), n, m)
        write_score(scores[p, 3], union, n, m)
    return scores
