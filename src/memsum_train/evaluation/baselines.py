"""Summaries without a model, for comparison: `lead-K`, `random-K`, `centroid-K`, `lexrank-K`, and the oracle.

The two rankings by how central a sentence is need nothing but word counts. Words are those of ROUGE; a word's weight in
a sentence is its count there times log(N / n), for n of the document's N sentences that have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memsum.errors import MemsumError
from memsum.features.counts import random_walk
from memsum.model.constraints import TrigramBlock
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import Prediction
from memsum_train.report.statistics import SEED
from memsum_train.rouge.tokens import porter
from memsum_train.tfidf import TfIdf

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ranking = Callable[[Example, np.random.Generator], Sequence[int]]

RANKINGS: dict[str, Ranking] = {
    "lead": lambda example, random: range(len(example.text)),
    "random": lambda example, random: [int(index) for index in random.permutation(len(example.text))],
    "centroid": lambda example, random: centroid_ranking(example.text),
    "lexrank": lambda example, random: lexrank_ranking(example.text),
}
ORACLE = "oracle"
SIMILAR = 0.1  # cosine from which two sentences are neighbors
_CLOSE, _ROUNDS = 1e-7, 1000  # a walk ends when it changes no more than this, which takes about a hundred rounds
_DIGITS = 9  # of a score that count: what differs beyond them is a tie, and goes to the earlier sentence
_NAME = re.compile(r"([a-z]+)(?:-([1-9]\d{0,5}))?")


@dataclass(frozen=True)
class Ranked:
    """The K highest sentences of a ranking, in document order."""

    ranking: str
    count: int
    blocking: bool = False
    seed: int = SEED

    @property
    def name(self) -> str:
        return f"{self.ranking}-{self.count}"

    @property
    def signature(self) -> str:
        seed = f"|seed:{self.seed}" if self.ranking == "random" else ""
        return f"baseline:{self.name}{seed}{'|block:trigrams' if self.blocking else ''}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        for index, example in enumerate(examples):
            ranking = RANKINGS[self.ranking](example, np.random.default_rng((self.seed, index)))
            block = TrigramBlock(example.text) if self.blocking else None
            yield Prediction.extract(example.text, select(ranking, self.count, block))


@dataclass(frozen=True)
class Oracle:
    """What extraction can reach: greedily the sentences that most raise the mean of ROUGE-1 and ROUGE-2 F1."""

    maximum: int | None = None

    @property
    def name(self) -> str:
        return ORACLE if self.maximum is None else f"{ORACLE}-{self.maximum}"

    @property
    def signature(self) -> str:
        return f"baseline:{self.name}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        from memsum_train.paper.episodes import search_episodes

        for example in examples:
            maximum = self.maximum or len(example.text)
            episodes = search_episodes(example.text, example.summary, branching=1, maximum=maximum, cap=1)
            yield Prediction.extract(example.text, sorted(episodes[0].indices) if episodes else ())


def select(ranking: Iterable[int], count: int, block: TrigramBlock | None = None) -> list[int]:
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


def parse_baseline(name: str, *, blocking: bool = False, seed: int = SEED) -> Ranked | Oracle:
    """Return the baseline of a name; trigram blocking does not apply to the oracle."""
    match = _NAME.fullmatch(name)
    kind, count = match.groups() if match else (name, None)
    if kind == ORACLE:
        return Oracle(int(count) if count else None)
    if kind not in RANKINGS:
        known = ", ".join([*(f"{ranking}-K" for ranking in RANKINGS), ORACLE, f"{ORACLE}-K"])
        raise MemsumError(f"There is no baseline called {name!r}.", f"Choose one of {known}, for K sentences.")
    if not count:
        raise MemsumError(f"The baseline {kind!r} needs a number of sentences.", f"For example: {kind}-7")
    return Ranked(kind, int(count), blocking, seed)


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
