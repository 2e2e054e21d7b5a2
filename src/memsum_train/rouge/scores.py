"""ROUGE-1, 2, L and Lsum with the values of the `rouge-score` package (stemmer on), many times faster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum_train.rouge.tokens import Tokenizer, porter

VARIANTS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
F1 = 2  # behind precision and recall

Text = str | Sequence[str]


def rouge_signature(variant: str) -> str:
    """Return how an F1 of ROUGE is computed; two scores compare only if their signatures are the same."""
    return f"{variant}|f1|tokens:a-z0-9|stemmer:porter|lsum:newline|memsum:{__version__}"


def score_many(
    predictions: Sequence[Text], references: Sequence[Text], tokenizer: Tokenizer | None = None
) -> NDArray[np.float64]:
    """Score predictions against references, as an array (pairs, `VARIANTS`, 3): precision, recall, F1.

    ROUGE-Lsum compares sentence by sentence. A sequence is one sentence per item, whatever line breaks these contain; a
    string is taken as it is, with one sentence per line. Words are those of `rouge-score` unless a tokenizer is given.
    """
    if len(predictions) != len(references):
        raise MemsumError(
            f"There are {len(predictions)} predictions for {len(references)} references.",
            "Give one prediction for each reference, in the same order.",
        )
    from memsum_train.rouge import kernels

    candidate_lines, reference_lines = _lines(predictions), _lines(references)
    tokenizer = tokenizer or porter()
    numbered, size = tokenizer.number(chain.from_iterable(candidate_lines), chain.from_iterable(reference_lines))
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
