"""Scores of a whole corpus, each with its interval and with a signature that says how it was computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.rouge.bootstrap import LEVEL, RESAMPLES, SEED, Interval, bootstrap_interval
from memsum.rouge.scores import MEASURES, VARIANTS


@dataclass(frozen=True)
class Signature:
    """How a ROUGE score was computed; two scores compare only if their signatures are the same."""

    variant: str
    measure: str = "f1"
    tokens: str = "a-z0-9"
    stemmer: str = "porter"
    lsum: str = "newline"
    version: str = __version__

    def __str__(self) -> str:
        return (
            f"{self.variant}|{self.measure}|tokens:{self.tokens}|stemmer:{self.stemmer}|lsum:{self.lsum}"
            f"|memsum:{self.version}"
        )


@dataclass(frozen=True)
class CorpusScore:
    """The mean of one variant over a corpus, from 0 to 1, and all it takes to compute it again."""

    mean: float
    interval: Interval
    documents: int
    signature: Signature
    level: float = LEVEL
    resamples: int = RESAMPLES
    seed: int = SEED

    def __str__(self) -> str:
        low, high = 100 * self.interval.low, 100 * self.interval.high
        return (
            f"{100 * self.mean:.2f} ({100 * self.level:g} % {low:.2f} to {high:.2f}) "
            f"{self.signature}|n:{self.documents}|bootstrap:{self.resamples}|seed:{self.seed}"
        )


def summarise(
    scores: NDArray[np.float64],
    measure: str = "f1",
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[CorpusScore, ...]:
    """The corpus-level scores, one for each of `VARIANTS`, from the array that `score_many` gives."""
    if measure not in MEASURES:
        raise MemsumError(f"There is no measure called {measure!r}.", f"Choose one of: {', '.join(MEASURES)}.")

    def corpus_score(variant: str, values: NDArray[np.float64]) -> CorpusScore:
        interval = bootstrap_interval(values, level, resamples, seed)
        signature = Signature(variant, measure)
        return CorpusScore(float(values.mean()), interval, len(values), signature, level, resamples, seed)

    columns = scores[:, :, MEASURES.index(measure)].T
    return tuple(corpus_score(variant, values) for variant, values in zip(VARIANTS, columns, strict=True))
