"""What is computed of ranks: means over judgments, tests of differences, agreement of annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memsum.errors import needs_extra
from memsum_train.report.statistics import SEED, Estimate, interval

Floats = NDArray[np.float64]
_RESAMPLES = 2000


def clustered_mean(clusters: Iterable[Sequence[float]], seed: int = SEED) -> Estimate:
    """Return the mean of all values; the interval resamples clusters, as the values of one document go together."""
    groups = [np.asarray(values, np.float64) for values in clusters]
    sums: Floats = np.array([group.sum() for group in groups])
    counts: Floats = np.array([len(group) for group in groups], np.float64)
    drawn = np.random.default_rng(seed).integers(len(groups), size=(_RESAMPLES, len(groups)))
    return Estimate(float(sums.sum() / counts.sum()), *interval(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)))


def wilcoxon(differences: Sequence[float]) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test without zeros, as in the paper and scipy."""
    if not any(differences):
        return 1.0
    with needs_extra("train", "The report of a study"):
        import scipy.stats
    return float(scipy.stats.wilcoxon(differences).pvalue)


def sign_test(positive: int, negative: int) -> float:
    """Return the exact two-sided p that one of two equally likely outcomes comes up so often."""
    if not positive + negative:
        return 1.0
    with needs_extra("train", "The report of a study"):
        import scipy.stats
    return float(scipy.stats.binomtest(positive, positive + negative).pvalue)


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
