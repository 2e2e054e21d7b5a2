"""The compiled search for high-ROUGE episodes, with ROUGE-1 and ROUGE-2 kept up incrementally.

A candidate sentence is judged by the n-grams it shares with the reference and the partial summary does not have yet;
nothing else of it needs to be looked at. Tokens are as in `kernels.py`, and the same rule for imports holds.
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
Flags = NDArray[np.bool_]

ENOUGH = 0.001  # the gain that at least one sentence must bring, or the episode ends


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
