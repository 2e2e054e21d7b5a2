"""A system's scores over documents and trainings, the tables that show them, and comparisons of two systems.

Conclusions follow from the interval of a difference, and stand with its size beside the paper's; where there are few
documents or trainings, there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memsum_train.evaluation import SystemRun
from memsum_train.report.statistics import (
    FEWEST,
    TOO_FEW,
    Comparison,
    Estimate,
    estimate_mean,
    paired_bootstrap,
    resampling_signature,
)
from memsum_train.report.table import Number, Row, Table
from memsum_train.rouge import F1, VARIANTS, rouge_signature

Floats = NDArray[np.float64]
Verdict = Literal["better", "worse", "not distinguishable", "undecided"]

# What the paper calls ROUGE-L is, for summaries of several sentences, ROUGE-Lsum.
ROUGE = {"R-1": "rouge1", "R-2": "rouge2", "R-L": "rougeLsum"}
R_L = "R-L is ROUGE-Lsum."
MEAN = "mean"
LENGTH = "sentences"
WORDS = "words"
REPEATS = "duplicates"
_UNITS = {MEAN: " mean ROUGE", LENGTH: " sentences", WORDS: " words", REPEATS: " % duplicates"}
_FEWEST_TRAININGS = 3  # of which something is said of a method, and not of the networks that it made
_NOTHING = 0.2  # a difference in the paper that has no direction: its own for GRU-EHE is 0.12, and not significant


@dataclass(frozen=True)
class Scores:
    """The measures of a system, each as (trainings, documents); shares and scores in percent."""

    name: str
    signatures: tuple[str, ...]
    measures: dict[str, Floats]

    @classmethod
    def of(
        cls, name: str, runs: Sequence[SystemRun], repeats: Callable[[SystemRun], Floats] = lambda run: run.repeats
    ) -> Scores:
        """Collect the runs of one system, one per training, on the same documents."""
        rouge = 100 * np.stack([run.rouge[:, :, F1] for run in runs])
        measures = {title: rouge[:, :, VARIANTS.index(variant)] for title, variant in ROUGE.items()}
        return cls(
            name,
            tuple(run.signature for run in runs),
            {
                **measures,
                MEAN: np.mean(list(measures.values()), axis=0),
                LENGTH: np.stack([run.sentences for run in runs]),
                WORDS: np.stack([run.words for run in runs]),
                REPEATS: 100 * np.stack([repeats(run) for run in runs]),
            },
        )

    def estimate(self, measure: str) -> Estimate:
        return estimate_mean(self.measures[measure])

    def number(self, measure: str, digits: int = 2) -> Number:
        return Number.estimate(self.estimate(measure), digits=digits)


def compare(first: Scores, second: Scores, measure: str = MEAN) -> Comparison:
    """Compare two systems on the same documents and with the same seeds."""
    return paired_bootstrap(first.measures[measure], second.measures[measure])


def verdict(comparison: Comparison | Estimate) -> Verdict:
    """Return what the interval of a difference states about the first system."""
    if math.isnan(comparison.low):
        return "undecided"
    if comparison.low > 0:
        return "better"
    return "worse" if comparison.high < 0 else "not distinguishable"


@dataclass(frozen=True)
class Claim:
    """A comparison of two systems, and the difference by the paper's numbers."""

    first: Scores
    second: Scores
    paper: float | None = None  # None: the paper has none
    measure: str = MEAN


def conclude(claim: Claim) -> str:
    """Write one sentence: the difference, its interval, the paper's difference, and what may be said of them."""
    found = compare(claim.first, claim.second, claim.measure)
    ours, trainings = verdict(found), max(len(one.measures[claim.measure]) for one in (claim.first, claim.second))
    paper = "" if claim.paper is None else f"; paper {claim.paper:+.2f}"
    if ours == "undecided":
        said = f"no verdict ({TOO_FEW})"
    elif trainings < _FEWEST_TRAININGS:
        said = (
            f"no verdict (trained {'once' if trainings == 1 else 'twice'}: the interval lacks the chance in training)"
        )
    elif ours == "not distinguishable" or claim.paper is None or abs(claim.paper) < _NOTHING:
        said = ours
    else:
        same = (claim.paper > 0) == (found.difference > 0)
        said = f"{ours}, in {'the same direction as' if same else 'the other direction than'} in the paper"
    return f"{claim.first.name} against {claim.second.name}: {interval_of(found, claim.measure)}{paper}: {said}."


def interval_of(found: Comparison, measure: str = MEAN) -> str:
    """Write a difference with its interval, if it has one."""
    interval = "" if math.isnan(found.low) else f" (95 % interval {found.low:+.2f} to {found.high:+.2f})"
    return f"{found.difference:+.2f}{_UNITS.get(measure, '')}{interval}"


def score_table(name: str, title: str, systems: Sequence[Scores], *, repeats: bool = False) -> Table:
    """Tabulate all systems on the same documents: ROUGE F1 with intervals, and lengths."""
    rows: list[Row] = []
    for scores in systems:
        sentences, words = (float(scores.measures[measure].mean()) for measure in (LENGTH, WORDS))
        cells = [*map(scores.number, (*ROUGE, MEAN)), Number(sentences, digits=1), Number(words, digits=0)]
        rows.append((scores.name, *cells, *([scores.number(REPEATS, digits=1)] if repeats else [])))
    head = ("system", *ROUGE, MEAN, "sentences", "words", *(["duplicates %"] if repeats else []))
    return Table(name, title, head, tuple(rows), (score_note(systems),))


def difference_table(name: str, title: str, first: Scores, others: Sequence[Scores]) -> Table:
    """Tabulate how much better or worse each other system is than the first."""
    rows: list[Row] = []
    for other in others:
        found = {measure: compare(other, first, measure) for measure in (*ROUGE, MEAN)}
        cells, p = map(Number.difference, found.values()), found[MEAN].p_value
        rows.append((other.name, *cells, None if math.isnan(p) else Number(p, digits=3), verdict(found[MEAN])))
    note = (
        f"Differences in ROUGE F1 from {first.name}, on the same documents and with the same seeds, with 95 % "
        f"intervals of a paired bootstrap; p and verdict are of the mean of the three. {R_L} Each interval is "
        "for one comparison alone: among twenty, one is expected to be wrong."
    )
    return Table(name, title, (f"minus {first.name}", *ROUGE, MEAN, "p", "verdict"), tuple(rows), (note,))


def score_note(systems: Sequence[Scores]) -> str:
    """Describe how the numbers came about."""
    trainings, documents = max((scores.measures[MEAN].shape for scores in systems), key=lambda shape: shape[0])
    if documents < FEWEST:
        how = TOO_FEW
    elif trainings == 1:
        how = "one training each; in brackets 95 % intervals over documents, which leave out the chance in training"
    else:
        how = f"{trainings} trainings each (seeds); in brackets 95 % intervals over documents and trainings"
    return f"ROUGE F1 of {documents} documents, {how}. {R_L}"


def metric_signature() -> str:
    """Return how all scores were computed, in one line."""
    return f"{rouge_signature('rouge1+rouge2+rougeLsum')}|{resampling_signature()}"


def signatures(data: str, systems: Sequence[Scores]) -> tuple[str, ...]:
    """Return all that is needed to compute the scores again."""
    lines = [f"{scores.name}: {signature}" for scores in systems for signature in scores.signatures]
    return (data, metric_signature(), *lines)
