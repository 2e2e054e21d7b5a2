"""Measuring systems: the scores of each document, their means with intervals, and how far systems differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memsum.training.corpus.records import Example
from memsum.training.corpus.stats import words_of
from memsum.training.evaluation.data import Data, Prediction
from memsum.training.evaluation.systems import System, check_systems
from memsum.training.report.statistics import SEED, Comparison, paired_bootstrap
from memsum.training.rouge import MEASURES, CorpusScore, score_many, summarise

Floats = NDArray[np.float64]
_F1 = MEASURES.index("f1")


@dataclass(frozen=True)
class SummaryMeasures:
    """What was measured of each document's summary."""

    rouge: Floats  # (documents, rouge.VARIANTS, rouge.MEASURES)
    sentences: Floats  # (documents,)
    words: Floats
    repeats: Floats  # share of the sentences that repeat an earlier one of the summary to the letter

    def rows(self, places: Sequence[int]) -> SummaryMeasures:
        """Those of some documents."""
        which = list(places)
        return SummaryMeasures(self.rouge[which], self.sentences[which], self.words[which], self.repeats[which])


@dataclass(frozen=True)
class SystemRun:
    """A system's predictions for all documents, and what was measured of them."""

    name: str
    signature: str
    predictions: Sequence[Prediction]
    measures: SummaryMeasures


@dataclass(frozen=True)
class SystemResult:
    """A system's means over documents; scores and shares go from 0 to 1."""

    name: str
    signature: str
    rouge: tuple[CorpusScore, ...]  # F1, one for each of rouge.VARIANTS
    sentences: float
    words: float
    repeats: float


@dataclass(frozen=True)
class Difference:
    """How much better one system is than another, on each of rouge.VARIANTS."""

    first: str
    second: str
    rouge: tuple[Comparison, ...]


@dataclass(frozen=True)
class Evaluation:
    """All systems on the same documents; the first is compared with each other."""

    data: str
    results: tuple[SystemResult, ...]
    differences: tuple[Difference, ...]
    by_source: Mapping[str, tuple[SystemResult, ...]]
    runs: tuple[SystemRun, ...] = field(repr=False)


def evaluate(
    systems: Sequence[System],
    data: Data,
    *,
    by_source: bool = False,
    seed: int = SEED,
    advance: Callable[[int], None] = lambda done: None,
) -> Evaluation:
    """Let all systems summarise all documents, average over these, and compare the first system with each other."""
    check_systems(systems)
    sources = data.by_source() if by_source else {}
    runs = tuple(run_system(system, data, advance) for system in systems)
    return Evaluation(
        data=str(data),
        results=tuple(_average(run, run.measures, seed) for run in runs),
        differences=tuple(_compare(runs[0], other, seed) for other in runs[1:]),
        by_source={
            source: tuple(_average(run, run.measures.rows(places), seed) for run in runs)
            for source, places in sources.items()
        },
        runs=runs,
    )


def run_system(system: System, data: Data, advance: Callable[[int], None] = lambda done: None) -> SystemRun:
    """Let a system summarise all documents, and measure what it says."""
    predictions = []
    for prediction in system.predict(data.examples):
        predictions.append(prediction)
        advance(1)
    return SystemRun(system.name, str(system), predictions, measure(predictions, data.examples))


def measure(predictions: Sequence[Prediction], examples: Sequence[Example]) -> SummaryMeasures:
    """Measure each document's summary."""
    summaries = [prediction.sentences for prediction in predictions]
    return SummaryMeasures(
        rouge=score_many(summaries, [example.summary for example in examples]),
        sentences=np.array([len(sentences) for sentences in summaries], np.float64),
        words=np.array([len(words_of(sentences)) for sentences in summaries], np.float64),
        repeats=np.array([_repeats(sentences) for sentences in summaries]),
    )


def _average(run: SystemRun, measures: SummaryMeasures, seed: int) -> SystemResult:
    return SystemResult(
        name=run.name,
        signature=run.signature,
        rouge=summarise(measures.rouge, seed=seed),
        sentences=float(measures.sentences.mean()),
        words=float(measures.words.mean()),
        repeats=float(measures.repeats.mean()),
    )


def _compare(first: SystemRun, second: SystemRun, seed: int) -> Difference:
    pairs = zip(first.measures.rouge[:, :, _F1].T, second.measures.rouge[:, :, _F1].T, strict=True)
    return Difference(first.name, second.name, tuple(paired_bootstrap(a, b, seed=seed) for a, b in pairs))


def _repeats(sentences: Sequence[str]) -> float:
    return 1 - len(set(sentences)) / len(sentences) if sentences else 0.0
