"""Intervals and tests: resampled means and comparisons; seeded, so that they repeat.

Values are those of documents, (documents,), or of several trainings on the same documents, (trainings, documents): the
same network trained with another seed is another model, so that both are then resampled. Deviations of resampled means
are widened as Student's t is wider than a normal distribution, for documents and trainings by their own number: of
tests where there is no difference, 5 % are then significant for 20 documents as for 1,000 (without, 7 % and more).
Of fewer than 20 documents there is no interval and no p-value: `nan`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memsum.errors import MemsumError

LEVEL = 0.95
RESAMPLES = 1000
SEED = 2022
FEWEST = 20  # documents, below which nothing is said of chance
TOO_FEW = f"fewer than {FEWEST} documents: no intervals"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean and its interval, `nan` where there is none."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """The mean difference of two systems, its interval, and a two-sided p-value; `nan` where there is none."""

    difference: float
    low: float
    high: float
    p_value: float


def resampling_signature(seed: int = SEED) -> str:
    """Return how intervals are resampled, for signatures."""
    return f"bootstrap:{RESAMPLES}|level:{LEVEL:g}|seed:{seed}"


def interval(resampled: Floats) -> tuple[float, float]:
    """Return the ends between which a share `LEVEL` of resampled values lies."""
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return low, high


def estimate_mean(values: ArrayLike, seed: int = SEED) -> Estimate:
    """Return the mean over documents and, where there are several, over trainings, with its interval."""
    array = _single(_checked(values))
    if array.shape[-1] < FEWEST:
        return Estimate(float(array.mean()), math.nan, math.nan)
    return Estimate(float(array.mean()), *interval(array.mean() + _deviations(array, seed)))


def paired_bootstrap(a: ArrayLike, b: ArrayLike, seed: int = SEED) -> Comparison:
    """Compare system `a` with system `b`, document by document and, where there are several, training by training.

    A system that does not learn is the same in every training. The p-value is the share of resamples whose mean,
    shifted to no difference, is at least as far from zero as the observed one (the observed one counts as a resample,
    so that it is never 0).
    """
    first, second = _checked(a), _checked(b)
    if first.shape[-1] != second.shape[-1]:
        raise MemsumError(
            f"The systems have {first.shape[-1]} and {second.shape[-1]} scores.", "Compare them on the same documents."
        )
    differences = _single(first - second)
    return _compared(float(differences.mean()), differences.shape[-1], _deviations(differences, seed))


def unpaired_bootstrap(first: ArrayLike, second: ArrayLike, seed: int = SEED) -> Comparison:
    """Compare means over different documents."""
    a, b = _checked(first), _checked(second)
    fewer = min(a.shape[-1], b.shape[-1])
    return _compared(float(a.mean() - b.mean()), fewer, _deviations(a, seed) - _deviations(b, seed + 1))


def _compared(observed: float, documents: int, deviations: Floats) -> Comparison:
    if documents < FEWEST:
        return Comparison(observed, math.nan, math.nan, math.nan)
    # Rounding must not make a difference of equal size smaller than itself.
    extreme = np.count_nonzero(np.abs(deviations) >= abs(observed) * (1 - 1e-12))
    return Comparison(observed, *interval(observed + deviations), (int(extreme) + 1) / (len(deviations) + 1))


def _deviations(values: Floats, seed: int) -> Floats:
    """Return how far means of resamples are from the mean: of documents and, where they are given, of trainings."""
    random, mean = np.random.default_rng(seed), values.mean()
    total = np.zeros(RESAMPLES)
    for axis, number in enumerate(values.shape):
        each = values.mean(axis=tuple(other for other in range(values.ndim) if other != axis))
        drawn = each[random.integers(number, size=(RESAMPLES, number))].mean(axis=1)
        total += (drawn - mean) * _widening(number)
    return total


def _widening(number: int) -> float:
    """Return by how much resampling understates the chance in a mean of so many values, at the level of 95 %.

    The variance lacks the factor n / (n - 1), and the quantile is that of Student's t, by its Cornish-Fisher expansion.
    """
    if number < 2:
        return 1.0
    v = number - 1
    return math.sqrt(number / v) * (1 + 1.2104 / v + 1.4401 / v**2 + 1.3043 / v**3 + 0.8108 / v**4)


def _checked(values: ArrayLike) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim not in (1, 2) or not array.size or not np.isfinite(array).all():
        raise MemsumError("A confidence interval needs at least one score, and all of them finite numbers.")
    return array


def _single(values: Floats) -> Floats:
    """Drop the dimension of a single training, which is no sample of trainings: only documents are resampled."""
    return values[0] if values.ndim == 2 and len(values) == 1 else values
