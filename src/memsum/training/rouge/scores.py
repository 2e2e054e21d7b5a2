"""ROUGE-1, 2, L and Lsum with the values of the `rouge-score` package (stemmer on), many times faster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.training.report.statistics import LEVEL, RESAMPLES, SEED, Estimate, estimate_mean
from memsum.training.rouge.tokens import Tokenizer, porter

VARIANTS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
MEASURES = ("precision", "recall", "f1")

Text = str | Sequence[str]


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


def score_many(
    predictions: Sequence[Text], references: Sequence[Text], tokenizer: Tokenizer | None = None
) -> NDArray[np.float64]:
    """Score predictions against references, as an array (pairs, `VARIANTS`, `MEASURES`).

    ROUGE-Lsum compares sentence by sentence. A sequence is one sentence per item, whatever line breaks these contain; a
    string is taken as it is, with one sentence per line. Words are those of `rouge-score` unless a tokenizer is given.
    """
    if len(predictions) != len(references):
        raise MemsumError(
            f"There are {len(predictions)} predictions for {len(references)} references.",
            "Give one prediction for each reference, in the same order.",
        )
    from memsum.training.rouge import kernels

    candidate_lines, reference_lines = _lines(predictions), _lines(references)
    tokenizer = tokenizer or porter()
    numbered, size = tokenizer.number(chain.from_iterable(candidate_lines), chain.from_iterable(reference_lines))
    (ids, bounds), (reference_ids, reference_bounds) = numbered
    candidates = kernels.Texts(ids, bounds, _ends(candidate_lines))
    scores: NDArray[np.float64] = kernels.score_pairs(
        candidates, kernels.Texts(reference_ids, reference_bounds, _ends(reference_lines)), size
    )
    return scores


def aggregate(
    scores: NDArray[np.float64],
    measure: str = "f1",
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[Estimate, ...]:
    """Return the mean over documents for each of `VARIANTS`, from the array of `score_many`."""
    if measure not in MEASURES:
        raise MemsumError(f"There is no measure called {measure!r}.", f"Choose one of: {', '.join(MEASURES)}.")
    columns = scores[:, :, MEASURES.index(measure)].T
    return tuple(estimate_mean(values, level, resamples, seed) for values in columns)


def _lines(texts: Iterable[Text]) -> list[Sequence[str]]:
    return [text.split("\n") if isinstance(text, str) else text for text in texts]


def _ends(texts: list[Sequence[str]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, texts)], dtype=np.int64)
