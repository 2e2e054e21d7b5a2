"""ROUGE-1, 2, L and Lsum with the values of the `rouge-score` package (stemmer on), many times faster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memsum.errors import MemsumError
from memsum.rouge.tokens import porter

VARIANTS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
MEASURES = ("precision", "recall", "f1")

Text = str | Sequence[str]


@dataclass(frozen=True)
class Score:
    """How well a prediction and a reference agree, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class RougeScores:
    """The scores of one prediction against one reference."""

    rouge1: Score
    rouge2: Score
    rougeL: Score  # noqa: N815 - the metric's own name
    rougeLsum: Score  # noqa: N815


def score(prediction: Text, reference: Text) -> RougeScores:
    """Score one prediction.

    ROUGE-Lsum compares sentence by sentence. A sequence is one sentence an item, whatever line breaks these contain; a
    string is taken as it is, with one sentence a line.
    """
    [values] = score_many([prediction], [reference]).tolist()
    return RougeScores(*(Score(*measures) for measures in values))


def score_many(predictions: Sequence[Text], references: Sequence[Text]) -> NDArray[np.float64]:
    """Score many predictions as `score` does, as an array (pairs, `VARIANTS`, `MEASURES`)."""
    if len(predictions) != len(references):
        raise MemsumError(
            f"There are {len(predictions)} predictions for {len(references)} references.",
            "Give one prediction for each reference, in the same order.",
        )
    from memsum.rouge import kernels

    candidate_lines, reference_lines = _lines(predictions), _lines(references)
    numbered, size = porter().number(chain.from_iterable(candidate_lines), chain.from_iterable(reference_lines))
    (ids, bounds), (reference_ids, reference_bounds) = numbered
    candidates = kernels.Texts(ids, bounds, _ends(candidate_lines))
    scores: NDArray[np.float64] = kernels.score_pairs(
        candidates, kernels.Texts(reference_ids, reference_bounds, _ends(reference_lines)), size
    )
    return scores


def _lines(texts: Iterable[Text]) -> list[Sequence[str]]:
    return [text.split("\n") if isinstance(text, str) else text for text in texts]


def _ends(texts: list[Sequence[str]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, texts)], dtype=np.int64)
