"""Summaries without a model, for comparison: `lead-K`, `random-K`, `centroid-K`, `lexrank-K`, and the oracle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from memsum.corpus.records import Example
from memsum.errors import MemsumError
from memsum.evaluation.centrality import centroid_ranking, lexrank_ranking
from memsum.evaluation.predictions import Prediction
from memsum.rouge.bootstrap import SEED
from memsum.text.trigrams import TrigramBlock

Ranking = Callable[[Example, np.random.Generator], Sequence[int]]

RANKINGS: dict[str, Ranking] = {
    "lead": lambda example, random: range(len(example.text)),
    "random": lambda example, random: [int(index) for index in random.permutation(len(example.text))],
    "centroid": lambda example, random: centroid_ranking(example.text),
    "lexrank": lambda example, random: lexrank_ranking(example.text),
}
ORACLE = "oracle"
_NAME = re.compile(r"([a-z]+)(?:-([1-9]\d{0,5}))?")


@dataclass(frozen=True)
class Ranked:
    """The K highest sentences of a ranking, in document order."""

    ranking: str
    count: int
    block_trigrams: bool = False
    seed: int = SEED

    @property
    def name(self) -> str:
        """As it is asked for."""
        return f"{self.ranking}-{self.count}"

    def __str__(self) -> str:
        seed = f"|seed:{self.seed}" if self.ranking == "random" else ""
        return f"baseline:{self.name}{seed}{'|block:trigrams' if self.block_trigrams else ''}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Rank and select, document by document; each has its own random numbers."""
        for place, example in enumerate(examples):
            ranking = RANKINGS[self.ranking](example, np.random.default_rng((self.seed, place)))
            block = TrigramBlock(example.text) if self.block_trigrams else None
            yield Prediction.extract(example.text, select(ranking, self.count, block))


@dataclass(frozen=True)
class Oracle:
    """What extraction can reach: greedily the sentences that most raise the mean of ROUGE-1 and ROUGE-2 F1."""

    maximum: int | None = None

    @property
    def name(self) -> str:
        """As it is asked for."""
        return ORACLE if self.maximum is None else f"{ORACLE}-{self.maximum}"

    def __str__(self) -> str:
        return f"baseline:{self.name}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Search, document by document; one whose sentences share no word with the summary gets none."""
        from memsum.corpus.episodes import search_episodes

        for example in examples:
            maximum = self.maximum or len(example.text)
            episodes = search_episodes(example.text, example.summary, branching=1, maximum=maximum, cap=1)
            yield Prediction.extract(example.text, sorted(episodes[0].indices) if episodes else ())


def select(ranking: Iterable[int], count: int, block: TrigramBlock | None = None) -> list[int]:
    """The first sentences of a ranking, in document order; those that the block blocks are skipped."""
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


def parse_baseline(name: str, *, block_trigrams: bool = False, seed: int = SEED) -> Ranked | Oracle:
    """The baseline of a name; the oracle looks at the summary, and blocking is not for it."""
    match = _NAME.fullmatch(name)
    kind, count = match.groups() if match else (name, None)
    if kind == ORACLE:
        return Oracle(int(count) if count else None)
    if kind not in RANKINGS:
        known = ", ".join([*(f"{ranking}-K" for ranking in RANKINGS), ORACLE, f"{ORACLE}-K"])
        raise MemsumError(f"There is no baseline called {name!r}.", f"Choose one of {known}, for K sentences.")
    if not count:
        raise MemsumError(f"The baseline {kind!r} needs a number of sentences.", f"For example: {kind}-7")
    return Ranked(kind, int(count), block_trigrams, seed)
