"""Tf-idf: texts by their weighted terms, those of few texts weighing more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memsum.arrays import F64, Floats, Ints


@dataclass(frozen=True)
class TfIdf:
    """The weights of N texts' terms, T of them distinct, as a sparse matrix (N, T) of rows of length 1."""

    rows: Ints  # (M,) ascending
    terms: Ints  # (M,)
    values: F64  # (M,)
    spread: Ints  # (T,) texts that have each term
    size: int  # N

    @classmethod
    def weigh(cls, rows: Ints, terms: Ints, size: int, *, smoothed: bool = True) -> TfIdf:
        """Weigh the terms of `size` texts: text `rows[i]` has the term with the number `terms[i]`.

        A term counts as often as it occurs; `smoothed`, one that all texts have keeps some weight.
        """
        width = int(terms.max(initial=-1)) + 1
        keys, counts = np.unique(rows * width + terms, return_counts=True)
        rows, terms = np.divmod(keys, max(width, 1))
        spread = np.bincount(terms, minlength=width)
        shares = size / np.maximum(spread, 1)
        weights = np.log1p(shares) if smoothed else np.log(shares)
        values = counts * weights[terms]
        lengths = np.sqrt(np.bincount(rows, values**2, size))
        return cls(rows, terms, values / np.maximum(lengths, 1e-9)[rows], spread, size)

    def products(self, weights: Floats) -> F64:
        """Multiply with a vector (T,) of terms: (N,)."""
        return np.asarray(np.bincount(self.rows, self.values * weights[self.terms], self.size), np.float64)

    def sums(self, shares: F64) -> F64:
        """Sum up the rows, each times its share (N,): (T,)."""
        return np.asarray(np.bincount(self.terms, self.values * shares[self.rows], len(self.spread)), np.float64)
