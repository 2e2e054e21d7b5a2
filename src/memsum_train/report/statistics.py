"""Intervals and tests: resampled means, paired comparisons, rank tests, agreement; seeded, so that they repeat.

Values are those of documents, (documents,), or of several trainings on the same documents, (trainings, documents): the
same network trained with another seed is another model, so that both are then resampled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memsum.errors import MemsumError, needs_extra

if TYPE_CHECKING:
    from types import ModuleType

LEVEL = 0.95
RESAMPLES = 1000
SEED = 2022
_CLUSTER_RESAMPLES = 2000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean and its interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """The mean difference of two systems, its interval, and a two-sided p-value."""

    difference: float
    low: float
    high: float
    p_value: float


def resampling_signature(seed: int = SEED) -> str:
    """Return how intervals are resampled, for signatures."""
    return f"bootstrap:{RESAMPLES}|level:{LEVEL:g}|seed:{seed}"


def interval(resampled: Floats) -> Floats:
    """Return the ends (2, …) between which a share `LEVEL` of resampled values (R, …) lies."""
    return np.asarray(np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0))


def estimate_mean(values: ArrayLike, seed: int = SEED) -> Estimate:
    """Return the mean over documents and, where there are several, over trainings, with its interval."""
    array = _single(_checked(values))
    return resampled_estimate(float(array.mean()), _resampled_means(array, seed))


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
    return _compared(float(differences.mean()), _resampled_means(differences, seed))


def unpaired_bootstrap(first: ArrayLike, second: ArrayLike, seed: int = SEED) -> Comparison:
    """Compare means over different documents."""
    a, b = _checked(first), _checked(second)
    means = _resampled_means(a, seed) - _resampled_means(b, seed + 1)
    return _compared(float(a.mean() - b.mean()), means)


def clustered_mean(clusters: Iterable[Sequence[float]], seed: int = SEED) -> Estimate:
    """Return the mean of all values; the interval resamples clusters, as the values of one document go together."""
    groups = [np.asarray(values, np.float64) for values in clusters]
    sums: Floats = np.array([group.sum() for group in groups])
    counts: Floats = np.array([len(group) for group in groups], np.float64)
    drawn = np.random.default_rng(seed).integers(len(groups), size=(_CLUSTER_RESAMPLES, len(groups)))
    return resampled_estimate(float(sums.sum() / counts.sum()), sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))


def wilcoxon(differences: Sequence[float]) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test without zeros, as in the paper and scipy."""
    if not any(differences):
        return 1.0
    return float(_scipy().wilcoxon(differences).pvalue)


def sign_test(positive: int, negative: int) -> float:
    """Return the exact two-sided p that one of two equally likely outcomes comes up so often."""
    if not positive + negative:
        return 1.0
    return float(_scipy().binomtest(positive, positive + negative).pvalue)


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Return Krippendorff's alpha for nominal values: 1 is full agreement, 0 is chance.

    A unit holds the values that annotators gave it; units with fewer than two say nothing. None if no unit has two, or
    if all values are the same, where chance itself agrees fully.
    """
    paired = [Counter(values) for values in units if len(values) > 1]
    totals: Counter[Hashable] = sum(paired, Counter())
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    if not expected:
        return None
    # The disagreeing ordered pairs of a unit of m values weigh 1 / (m - 1), so that each value counts once.
    observed = 0.0
    for values in paired:
        m = values.total()
        observed += (m * m - sum(count * count for count in values.values())) / (m - 1)
    return 1 - (n - 1) * observed / expected


def resampled_estimate(observed: float, resampled: Floats) -> Estimate:
    """Return an observed value with the interval of its resamples."""
    low, high = interval(resampled).tolist()
    return Estimate(observed, low, high)


def _compared(observed: float, means: Floats) -> Comparison:
    # Rounding must not make a difference of equal size smaller than itself.
    extreme = np.count_nonzero(np.abs(means - observed) >= abs(observed) * (1 - 1e-12))
    low, high = interval(means).tolist()
    return Comparison(observed, low, high, (int(extreme) + 1) / (len(means) + 1))


def _resampled_means(values: Floats, seed: int) -> Floats:
    """Return means of resamples of the documents and, where trainings are given, of these too."""
    random = np.random.default_rng(seed)
    *trainings, documents = values.shape
    means = []
    for _ in range(RESAMPLES):
        drawn = [random.integers(number, size=number) for number in (*trainings, documents)]
        means.append(values[np.ix_(*drawn)].mean())
    return np.array(means)


def _checked(values: ArrayLike) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim not in (1, 2) or not array.size or not np.isfinite(array).all():
        raise MemsumError("A confidence interval needs at least one score, and all of them finite numbers.")
    return array


def _single(values: Floats) -> Floats:
    """Drop the dimension of a single training, which is no sample of trainings: only documents are resampled."""
    return values[0] if values.ndim == 2 and len(values) == 1 else values


def _scipy() -> ModuleType:
    with needs_extra("train", "The report of a study"):
        import scipy.stats
    stats: ModuleType = scipy.stats
    return stats
