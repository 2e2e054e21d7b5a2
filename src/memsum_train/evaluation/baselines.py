"""Summaries without a model, for comparison: `lead-K`, `random-K`, `centroid-K`, `lexrank-K`, and the oracle.

The two rankings by how central a sentence is need nothing but word counts. Words are those of ROUGE; a word's weight in
a sentence is its count there times log(N / n), for n of the document's N sentences that have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memsum.errors import MemsumError
from memsum.features.counts import random_walk
from memsum.model.constraints import TrigramBlock
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import Prediction
from memsum_train.evaluation.systems import System
from memsum_train.report.statistics import SEED
from memsum_train.rouge.tokens import porter
from memsum_train.tfidf import TfIdf

Floats = NDArray[np.float64]
RANKINGS: dict[str, Callable[[Example, np.random.Generator], Iterable[int]]] = {
    "lead": lambda example, random: range(len(example.text)),
    "random": lambda example, random: random.permutation(len(example.text)).tolist(),
    "centroid": lambda example, random: centroid_ranking(example.text),
    "lexrank": lambda example, random: lexrank_ranking(example.text),
}
ORACLE = "oracle"
SIMILAR = 0.1  # cosine from which two sentences are neighbors
_CLOSE, _ROUNDS = 1e-7, 1000  # a walk ends when it changes no more than this, which takes about a hundred rounds
_DIGITS = 9  # of a score that count: what differs beyond them is a tie, and goes to the earlier sentence
_NAME = re.compile(r"([a-z]+)(?:-([1-9]\d{0,5}))?")


def select(ranking: Iterable[int], count: int | None, block: TrigramBlock | None = None) -> list[int]:
    """Return the first sentences of a ranking that are not blocked, in document order."""
    selected: list[int] = []
    for index in ranking:
        if len(selected) == count:
            break
        if block is not None:
            if block.blocked[index]:
                continue
            block.extract(index)
        selected.append(index)
    return sorted(selected)


def parse_baseline(name: str, *, blocking: bool = False, seed: int = SEED) -> System:
    """Return the baseline of a name; trigram blocking does not apply to the oracle."""
    match = _NAME.fullmatch(name)
    kind, number = match.groups() if match else (name, None)
    count = int(number) if number else None
    if kind not in (*RANKINGS, ORACLE):
        known = ", ".join([*(f"{ranking}-K" for ranking in RANKINGS), ORACLE, f"{ORACLE}-K"])
        raise MemsumError(f"There is no baseline called {name!r}.", f"Choose one of {known}, for K sentences.")
    if count is None and kind != ORACLE:
        raise MemsumError(f"The baseline {kind!r} needs a number of sentences.", f"For example: {kind}-7")
    signature = f"baseline:{name}{f'|seed:{seed}' if kind == 'random' else ''}"
    signature += "|block:trigrams" if blocking and kind != ORACLE else ""

    def predict(examples: Sequence[Example]) -> Iterator[Prediction]:
        for index, example in enumerate(examples):
            if kind == ORACLE:
                chosen = oracle(example, count)
            else:
                ranking = RANKINGS[kind](example, np.random.default_rng((seed, index)))
                chosen = select(ranking, count, TrigramBlock(example.text) if blocking else None)
            yield Prediction.extract(example.text, chosen)

    return System(name, signature, predict)


def oracle(example: Example, maximum: int | None = None) -> list[int]:
    """Return what extraction can reach: greedily what most raises the mean of ROUGE-1 and ROUGE-2 F1."""
    from memsum_train.paper.episodes import search_episodes

    maximum = maximum or len(example.text)
    episodes = search_episodes(example.text, example.summary, branching=1, maximum=maximum, cap=1)
    return sorted(episodes[0].indices) if episodes else []


def centroid_ranking(text: Sequence[str]) -> list[int]:
    """Rank sentences by their cosine with the sum of all sentences' weights."""
    weights = _weigh(text)
    return _ranked(weights.products(weights.sums(np.ones(len(text)))))


def lexrank_ranking(text: Sequence[str]) -> list[int]:
    """Rank sentences by a random walk between similar ones: LexRank as published, with a threshold."""
    weights, number = _weigh(text), len(text)
    shared = weights.spread > 1  # words that only one sentence has make none similar
    keep = shared[weights.terms]
    matrix = np.zeros((number, int(shared.sum())), np.float32)
    matrix[weights.rows[keep], (np.cumsum(shared) - 1)[weights.terms[keep]]] = weights.values[keep]
    cosines = matrix @ matrix.T
    np.fill_diagonal(cosines, 1)
    graph = (cosines > SIMILAR).astype(np.float64)
    # Each sentence is like itself: no degree is zero.
    rank = random_walk(lambda shares: shares @ graph, np.full(number, 1 / number), _ROUNDS, _CLOSE, floor=0)
    return _ranked(rank)


def _weigh(text: Sequence[str]) -> TfIdf:
    [(ids, bounds)], _ = porter().number(text)
    words = np.unique(ids, return_inverse=True)[1]
    return TfIdf.weigh(np.repeat(np.arange(len(text)), np.diff(bounds)), words, len(text), smoothed=False)


def _ranked(scores: Floats) -> list[int]:
    rounded = np.round(scores / max(float(scores.max()), 1e-12), _DIGITS)
    return [int(index) for index in np.argsort(-rounded, kind="stable")]
