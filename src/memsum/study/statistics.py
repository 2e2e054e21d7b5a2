"""The tests of a report: Wilcoxon's, the sign test, intervals that respect documents, agreement beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum.errors import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

LEVEL = 0.95
RESAMPLES = 2000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Average:
    """A mean, and the percentile interval of resampled documents."""

    mean: float
    low: float
    high: float


def wilcoxon(differences: Sequence[float]) -> float:
    """Two-sided p of Wilcoxon's signed-rank test without the zeros, as scipy's default and the paper have it."""
    if not any(differences):
        return 1.0
    return float(_scipy().wilcoxon(differences).pvalue)


def sign_test(positive: int, negative: int) -> float:
    """Exact two-sided p that one of two equally likely outcomes comes up so often."""
    if not positive + negative:
        return 1.0
    return float(_scipy().binomtest(positive, positive + negative).pvalue)


def clustered_average(clusters: Iterable[Sequence[float]], seed: int) -> Average:
    """The mean of all values; the interval resamples clusters, since the values of one document go together."""
    groups = [np.asarray(values, np.float64) for values in clusters]
    sums: Floats = np.array([group.sum() for group in groups])
    counts: Floats = np.array([len(group) for group in groups], np.float64)
    random = np.random.default_rng(seed)
    drawn = random.integers(len(groups), size=(RESAMPLES, len(groups)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Average(float(sums.sum() / counts.sum()), float(low), float(high))


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for nominal values: 1 is full agreement, 0 is chance.

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


def _scipy() -> ModuleType:
    try:
        import scipy.stats
    except ModuleNotFoundError:
        raise MissingExtraError("The report of a study", "train") from None
    stats: ModuleType = scipy.stats
    return stats
