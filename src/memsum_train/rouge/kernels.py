"""The compiled part of ROUGE: shared n-grams, longest common subsequences, scores, and the search for episodes.

It is compiled because scoring spends its time in these short loops, which numpy could only express by allocating in
each step. Import it only where it runs: numba takes half a second to load. All is in one file, because numba's cache on
disk does not notice a change in another one.

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

ENOUGH = 0.001  # the gain that at least one sentence must bring, or the episode ends
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


# --- high-ROUGE episodes ----------------------------------------------------------------------------------------------
# ROUGE-1 and ROUGE-2 are kept up incrementally: a candidate sentence is judged by the n-grams that it shares with the
# reference and the partial summary does not have yet; nothing else of it needs to be looked at.


class NGrams(NamedTuple):
    """The uni- and bigrams that sentences share with a reference; slots below `words` are unigrams."""

    words: int
    wanted: Ints  # how often each slot occurs in the reference
    totals: Longs  # unigrams and bigrams of the reference
    starts: Longs  # sentence k has the entries starts[k] … starts[k + 1] of:
    slots: Ints
    counts: Ints
    lengths: Longs  # (sentences, 2): unigrams and bigrams of each sentence, shared or not
    most: Longs  # (sentences, 2): what each sentence shares by itself, the most that it can ever add


@njit(cache=True)
def f1(overlap: int, candidate: int, reference: int) -> float:
    """Return F1 from counts: 2PR / (P + R), but equal ratios give equal floats, so that ties are real ties."""
    total = candidate + reference
    if total == 0:
        return 0.0
    return 2 * overlap / total


@njit(cache=True)
def index_ngrams(ids: Ints, bounds: Longs, bigrams: Ints, bigram_counts: Ints, reference: Ints, words: int) -> NGrams:
    """Count the n-grams that each sentence shares with the reference, bigrams within the sentence only."""
    sentences = len(bounds) - 1
    wanted = np.concatenate((np.bincount(reference, minlength=words).astype(np.int32), bigram_counts))
    starts = np.zeros(sentences + 1, np.int64)
    slots = np.empty(2 * len(ids), np.int32)
    counts = np.zeros(2 * len(ids), np.int32)
    lengths = np.zeros((sentences, 2), np.int64)
    most = np.zeros((sentences, 2), np.int64)
    entry = np.full(len(wanted), -1, np.int64)  # the latest entry of each slot
    end = 0
    for k in range(sentences):
        first, last = bounds[k], bounds[k + 1]
        lengths[k, 0] = last - first
        lengths[k, 1] = max(last - first - 1, 0)
        for i in range(first, last):
            bigram = bigrams[i] if i + 1 < last else -1
            for slot in (np.int64(ids[i]), np.int64(words + bigram if bigram >= 0 else -1)):
                if slot < 0:
                    continue
                if entry[slot] < starts[k]:
                    entry[slot] = end
                    slots[end] = slot
                    end += 1
                e = entry[slot]
                counts[e] += 1
                if counts[e] <= wanted[slot]:
                    most[k, 0 if slot < words else 1] += 1
        starts[k + 1] = end
    totals = np.array([len(reference), max(len(reference) - 1, 0)])
    return NGrams(words, wanted, totals, starts, slots[:end], counts[:end], lengths, most)


@njit(cache=True)
def gain(ngrams: NGrams, k: int, left: Ints) -> tuple[int, int]:
    """Count the unigrams and bigrams still wanted that sentence `k` has."""
    unigrams, bigrams = 0, 0
    for e in range(ngrams.starts[k], ngrams.starts[k + 1]):
        slot = ngrams.slots[e]
        shared = max(min(left[slot], ngrams.counts[e]), 0)
        if slot < ngrams.words:
            unigrams += shared
        else:
            bigrams += shared
    return unigrams, bigrams


@njit(cache=True)
def want(ngrams: NGrams, k: int, left: Ints, times: int) -> None:
    """Take the n-grams of sentence `k` off those still wanted (-1 times), or put them back (once)."""
    for e in range(ngrams.starts[k], ngrams.starts[k + 1]):
        left[ngrams.slots[e]] += times * ngrams.counts[e]


@njit(cache=True)
def mean_f1(ngrams: NGrams, unigrams: int, bigrams: int, length: int, pairs: int) -> float:
    """Return the mean of ROUGE-1 and ROUGE-2 F1."""
    return (f1(unigrams, length, ngrams.totals[0]) + f1(bigrams, pairs, ngrams.totals[1])) / 2


@njit(cache=True)
def best_sentences(
    ngrams: NGrams, costs: Floats, left: Ints, taken: Flags, state: Longs, best: Longs, values: Floats
) -> int:
    """Put the sentences with the largest gain / cost into `best`, the earlier of equals first; 0 end the episode."""
    unigrams, bigrams, length, pairs = state
    current = mean_f1(ngrams, unigrams, bigrams, length, pairs)
    worst, found = 0.0, 0
    for k in range(len(taken)):
        if taken[k]:
            continue
        n, m = length + ngrams.lengths[k, 0], pairs + ngrams.lengths[k, 1]
        # Sentences that could not enter even if all they share were new. Rounding is monotone, so this is exact.
        most = mean_f1(ngrams, unigrams + ngrams.most[k, 0], bigrams + ngrams.most[k, 1], n, m)
        if (most - current) / costs[k] <= worst:
            continue
        new_unigrams, new_bigrams = gain(ngrams, k, left)
        score = mean_f1(ngrams, unigrams + new_unigrams, bigrams + new_bigrams, n, m)
        value = (score - current) / costs[k]
        if value <= worst:
            continue
        found = min(found + 1, len(best))
        rank = found - 1
        while rank > 0 and values[rank - 1] < value:
            best[rank], values[rank] = best[rank - 1], values[rank - 1]
            rank -= 1
        best[rank], values[rank] = k, value
        if found == len(best):
            worst = values[found - 1]
    for rank in range(found):
        if values[rank] * costs[best[rank]] > ENOUGH:
            return found
    return 0


@njit(cache=True)
def search_tree(ngrams: NGrams, costs: Floats, branching: int, maximum: int, cap: int) -> tuple[Ints, Longs]:
    """Return the first `cap` episodes of the depth-first search, one per row in order of extraction, filled up with -1.

    Also their shared unigrams and bigrams, and all their unigrams and bigrams. Sentences are compared by gain / cost.
    """
    sentences = len(ngrams.lengths)
    episodes = np.full((min(cap, 32), maximum), -1, np.int32)
    states = np.empty((len(episodes), 4), np.int64)
    finished = 0
    left = ngrams.wanted.copy()
    taken = np.zeros(sentences, np.bool_)
    path = np.empty(maximum, np.int64)
    state = np.zeros((maximum + 1, 4), np.int64)  # per depth: shared unigrams and bigrams, all unigrams and bigrams
    best = np.empty((maximum, branching), np.int64)
    values = np.empty(branching, np.float64)
    found = np.zeros(maximum + 1, np.int64)
    tried = np.zeros(maximum + 1, np.int64)
    depth = 0
    found[0] = best_sentences(ngrams, costs, left, taken, state[0], best[0], values)
    while finished < cap:
        if tried[depth] == found[depth]:
            if depth == 0:
                break
            if found[depth] == 0:
                if finished == len(episodes):
                    episodes = np.concatenate((episodes, np.full_like(episodes, -1)))
                    states = np.concatenate((states, states))
                episodes[finished, :depth] = path[:depth]
                states[finished] = state[depth]
                finished += 1
            depth -= 1
            k = path[depth]
            taken[k] = False
            want(ngrams, k, left, 1)
            continue
        k = best[depth, tried[depth]]
        tried[depth] += 1
        new_unigrams, new_bigrams = gain(ngrams, k, left)
        state[depth + 1] = state[depth]
        state[depth + 1, 0] += new_unigrams
        state[depth + 1, 1] += new_bigrams
        state[depth + 1, 2:] += ngrams.lengths[k]
        taken[k] = True
        want(ngrams, k, left, -1)
        path[depth] = k
        depth += 1
        tried[depth] = 0
        found[depth] = 0
        if depth < maximum:
            found[depth] = best_sentences(ngrams, costs, left, taken, state[depth], best[depth], values)
    return episodes[:finished], states[:finished]


@njit(cache=True)
def new_hits(ngrams: NGrams, chosen: Longs) -> Ints:
    """Count the unigrams and bigrams that each sentence would newly share with the reference, (N, 2)."""
    sentences = len(ngrams.lengths)
    hits = np.zeros((sentences, 2), np.int32)
    left = ngrams.wanted.copy()
    for k in chosen:
        want(ngrams, k, left, -1)
    for k in range(sentences):
        hits[k, 0], hits[k, 1] = gain(ngrams, k, left)
    return hits


@njit(cache=True)
def hits_along(ngrams: NGrams, path: Longs) -> Longs:
    """Return shared unigrams and bigrams, and all unigrams and bigrams, after each sentence of a path, (T, 4)."""
    along = np.zeros((len(path), 4), np.int64)
    left = ngrams.wanted.copy()
    total = np.zeros(4, np.int64)
    for time, k in enumerate(path):
        unigrams, bigrams = gain(ngrams, k, left)
        total[0] += unigrams
        total[1] += bigrams
        total[2] += ngrams.lengths[k, 0]
        total[3] += ngrams.lengths[k, 1]
        want(ngrams, k, left, -1)
        along[time] = total
    return along
