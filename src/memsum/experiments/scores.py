"""A system's scores over documents and trainings, and what can be said of the difference of two systems.

The same network trained with another seed is another model. So intervals resample both documents and trainings, where
there are several; of one training each, they are those of `memsum evaluate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memsum.evaluation import Run
from memsum.rouge import MEASURES, VARIANTS, Comparison, Interval, paired_bootstrap
from memsum.rouge.bootstrap import LEVEL, RESAMPLES, SEED, bootstrap_interval

Floats = NDArray[np.float64]
Verdict = Literal["better", "worse", "not distinguishable"]

# What the paper calls ROUGE-L is, for summaries of several sentences, ROUGE-Lsum.
ROUGE = {"R-1": "rouge1", "R-2": "rouge2", "R-L": "rougeLsum"}
MEAN = "mean"
LENGTH = "sentences"
WORDS = "words"
REPEATS = "duplicates"
_F1 = MEASURES.index("f1")


@dataclass(frozen=True)
class Estimate:
    """A mean and its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class Scores:
    """What was measured of a system: each measure as (trainings, documents), shares and scores in percent."""

    name: str
    signatures: tuple[str, ...]
    measures: dict[str, Floats]

    @classmethod
    def of(cls, name: str, runs: Sequence[Run]) -> Scores:
        """Collect the runs of one system, one a training, on the same documents."""
        rouge = 100 * np.stack([run.measures.rouge[:, :, _F1] for run in runs])
        measures = {title: rouge[:, :, VARIANTS.index(variant)] for title, variant in ROUGE.items()}
        return cls(
            name,
            tuple(run.signature for run in runs),
            {
                **measures,
                MEAN: np.mean(list(measures.values()), axis=0),
                LENGTH: np.stack([run.measures.sentences for run in runs]),
                WORDS: np.stack([run.measures.words for run in runs]),
                REPEATS: 100 * np.stack([run.measures.repeats for run in runs]),
            },
        )

    def estimate(self, measure: str) -> Estimate:
        """The mean over documents and trainings."""
        values = self.measures[measure]
        if len(values) == 1:
            return Estimate(float(values.mean()), bootstrap_interval(values[0]))
        return Estimate(float(values.mean()), _percentiles(_resampled(values)))


def compare(first: Scores, second: Scores, measure: str = MEAN) -> Comparison:
    """How much more the first has than the second, on the same documents and with the same seeds.

    A system that does not learn is the same in every training.
    """
    differences = first.measures[measure] - second.measures[measure]  # one training is broadcast to many
    if len(differences) == 1:
        return paired_bootstrap(first.measures[measure][0], second.measures[measure][0])
    return _compared(float(differences.mean()), _resampled(differences))


def contrast(first: Floats, second: Floats) -> Comparison:
    """The same of different documents, (trainings, documents) each."""
    means, other = _resampled(first), _resampled(second, SEED + 1)
    return _compared(float(first.mean() - second.mean()), means - other)


def verdict(comparison: Comparison) -> Verdict:
    """What the interval allows to say of the first system."""
    if comparison.interval.low > 0:
        return "better"
    return "worse" if comparison.interval.high < 0 else "not distinguishable"


def _compared(observed: float, means: Floats) -> Comparison:
    """As `paired_bootstrap` does: the p-value is of resamples shifted to no difference."""
    extreme = np.count_nonzero(np.abs(means - observed) >= abs(observed) * (1 - 1e-12))
    return Comparison(observed, _percentiles(means), (int(extreme) + 1) / (RESAMPLES + 1))


def _resampled(values: Floats, seed: int = SEED) -> Floats:
    """Means of resamples of both rows and columns."""
    random = np.random.default_rng(seed)
    trainings, documents = values.shape
    chosen = (
        (random.integers(trainings, size=trainings), random.integers(documents, size=documents))
        for _ in range(RESAMPLES)
    )
    return np.array([values[np.ix_(rows, columns)].mean() for rows, columns in chosen])


def _percentiles(means: Floats) -> Interval:
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))
