"""Confidence intervals and paired comparisons by resampling documents, seeded so that they can be repeated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memsum.errors import MemsumError

LEVEL = 0.95
RESAMPLES = 1000
SEED = 2022


@dataclass(frozen=True)
class Interval:
    """The percentile bootstrap interval of a mean."""

    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """The mean difference of two systems on the same documents, its interval, and a two-sided p-value."""

    difference: float
    interval: Interval
    p_value: float


def bootstrap_interval(
    values: ArrayLike, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The interval in which the mean of `values` falls in a share `level` of resamples of the documents."""
    return _percentiles(_resampled_means(_checked(values), resamples, seed), level)


def paired_bootstrap(
    a: ArrayLike, b: ArrayLike, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> Comparison:
    """Compare system `a` with system `b`, document by document.

    The p-value is the share of resamples whose mean, shifted to no difference, is at least as far from zero as the
    observed one (the observed one counts as a resample, so that it is never 0).
    """
    first, second = _checked(a), _checked(b)
    if len(first) != len(second):
        raise MemsumError(
            f"The systems have {len(first)} and {len(second)} scores.", "Compare them on the same documents."
        )
    differences = first - second
    observed = float(differences.mean())
    means = _resampled_means(differences, resamples, seed)
    # Rounding must not make a difference of equal size smaller than itself.
    extreme = np.count_nonzero(np.abs(means - observed) >= abs(observed) * (1 - 1e-12))
    return Comparison(observed, _percentiles(means, level), (int(extreme) + 1) / (resamples + 1))


def _resampled_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    if resamples < 1:
        raise MemsumError("The bootstrap needs at least one resample.")
    random = np.random.default_rng(seed)
    n = len(values)
    return np.array([values[random.integers(n, size=n)].mean() for _ in range(resamples)])


def _percentiles(means: NDArray[np.float64], level: float) -> Interval:
    if not 0 < level < 1:
        raise MemsumError(f"A confidence level of {level} is not between 0 and 1.")
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def _checked(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise MemsumError("A confidence interval needs at least one score, and all of them finite numbers.")
    return array
