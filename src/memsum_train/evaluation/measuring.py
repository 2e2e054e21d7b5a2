"""Measure systems: scores of each document, their means with intervals, differences, and how all this is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memsum.printable import escaped, one_line
from memsum.training.corpus.records import Example
from memsum.training.corpus.stats import words_of
from memsum.training.evaluation.data import Data, Prediction
from memsum.training.evaluation.systems import System, check_systems
from memsum.training.report.statistics import (
    LEVEL,
    SEED,
    Comparison,
    Estimate,
    estimate_mean,
    paired_bootstrap,
    resampling_signature,
)
from memsum.training.report.table import Number, Row, Table, as_markdown, as_text
from memsum.training.rouge import F1, VARIANTS, rouge_signature, score_many

Format = Literal["table", "json", "markdown"]
Floats = NDArray[np.float64]
TITLES = {"rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "rougeLsum": "R-Lsum"}


@dataclass(frozen=True)
class SystemRun:
    """A system's summaries of all documents, and what was measured of each; scores and shares go from 0 to 1."""

    name: str
    signature: str
    predictions: Sequence[Prediction] = field(repr=False)
    rouge: Floats  # (documents, rouge.VARIANTS, 3) precision, recall, F1
    sentences: Floats  # (documents,)
    words: Floats
    repeats: Floats  # share of the sentences that repeat an earlier one of the summary to the letter

    @classmethod
    def measure(cls, system: System, predictions: Sequence[Prediction], examples: Sequence[Example]) -> SystemRun:
        summaries = [prediction.sentences for prediction in predictions]
        return cls(
            system.name,
            system.signature,
            predictions,
            rouge=score_many(summaries, [example.summary for example in examples]),
            sentences=np.array([len(sentences) for sentences in summaries], np.float64),
            words=np.array([len(words_of(sentences)) for sentences in summaries], np.float64),
            repeats=np.array([_repeats(sentences) for sentences in summaries]),
        )

    def __len__(self) -> int:
        return len(self.predictions)

    def select(self, documents: Sequence[int]) -> SystemRun:
        """Return the same for some documents, given by their indices."""
        which = list(documents)
        chosen = [self.predictions[index] for index in which]
        values = {name: getattr(self, name)[which] for name in ("rouge", "sentences", "words", "repeats")}
        return replace(self, predictions=chosen, **values)

    def scores(self, seed: int = SEED) -> tuple[Estimate, ...]:
        """Return the mean F1 of each of rouge.VARIANTS."""
        return tuple(estimate_mean(values, seed) for values in self.rouge[:, :, F1].T)


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
    runs: tuple[SystemRun, ...]
    differences: tuple[Difference, ...]
    by_source: Mapping[str, tuple[SystemRun, ...]]
    seed: int = SEED


def evaluate(
    systems: Sequence[System],
    data: Data,
    *,
    by_source: bool = False,
    seed: int = SEED,
    advance: Callable[[int], None] = lambda done: None,
) -> Evaluation:
    """Let all systems summarize all documents, and compare the first system with each other."""
    check_systems(systems)
    sources = data.by_source() if by_source else {}
    runs = tuple(run_system(system, data, advance) for system in systems)
    return Evaluation(
        data=data.signature,
        runs=runs,
        differences=tuple(_compare(runs[0], other, seed) for other in runs[1:]),
        by_source={source: tuple(run.select(documents) for run in runs) for source, documents in sources.items()},
        seed=seed,
    )


def run_system(system: System, data: Data, advance: Callable[[int], None] = lambda done: None) -> SystemRun:
    """Let a system summarize all documents, and measure its summaries."""
    predictions = []
    for prediction in system.predict(data.examples):
        predictions.append(prediction)
        advance(1)
    return SystemRun.measure(system, predictions, data.examples)


def _compare(first: SystemRun, second: SystemRun, seed: int) -> Difference:
    pairs = zip(first.rouge[:, :, F1].T, second.rouge[:, :, F1].T, strict=True)
    return Difference(first.name, second.name, tuple(paired_bootstrap(a, b, seed=seed) for a, b in pairs))


def _repeats(sentences: Sequence[str]) -> float:
    return 1 - len(set(sentences)) / len(sentences) if sentences else 0.0


def render(evaluation: Evaluation, form: Format, width: int | None = None, *, colour: bool = False) -> str:
    """Render an evaluation with its signatures; `width` and `colour` are those of a terminal."""
    metric = f"{rouge_signature('+'.join(VARIANTS))}|{resampling_signature(evaluation.seed)}"
    if form == "json":
        return _json(evaluation, metric)
    footer = [one_line(evaluation.data), metric, *(one_line(f"{run.name}: {run.signature}") for run in evaluation.runs)]
    if form == "markdown":
        tables = [as_markdown(table).rstrip("\n") for table in _tables(evaluation)]
        return "\n\n".join([*tables, "\n".join(f"- `{line}`" for line in footer)])
    tables = [f"{as_text(table, width, colour=colour, stacked=True)}\n" for table in _tables(evaluation)]
    return "\n".join([*tables, *footer])


def _tables(evaluation: Evaluation) -> list[Table]:
    seed = evaluation.seed
    tables = [_score_table(f"ROUGE F1 with {100 * LEVEL:g} % intervals", evaluation.runs, seed)]
    for source, runs in evaluation.by_source.items():
        count = len(runs[0])
        tables.append(_score_table(f"{source}: {count:,} document{'s' if count > 1 else ''}", runs, seed))
    if evaluation.differences:
        tables.append(_difference_table(evaluation.differences))
    return tables


def _score_table(title: str, runs: Sequence[SystemRun], seed: int) -> Table:
    rows: list[Row] = []
    for run in runs:
        scores = [Number.estimate(score, 100) for score in run.scores(seed)]
        lengths = (Number(float(run.sentences.mean()), digits=1), f"{run.words.mean():,.0f}")
        rows.append((run.name, *scores, *lengths, Number(100 * float(run.repeats.mean()), digits=1)))
    head = ("system", *(TITLES[variant] for variant in VARIANTS), "sentences", "words", "dup. %")
    return Table("scores", title, head, tuple(rows))


def _difference_table(differences: Sequence[Difference]) -> Table:
    first = differences[0].first
    rows: list[Row] = [
        (difference.second, *(Number.difference(one, 100, p_value=True) for one in difference.rouge))
        for difference in differences
    ]
    title = f"How much better {first} is (paired bootstrap, two-sided p)"
    return Table("differences", title, (f"{first} minus", *(TITLES[v] for v in VARIANTS)), tuple(rows))


def _json(evaluation: Evaluation, metric: str) -> str:
    """Return all numbers, unrounded; every score with its own signature."""

    def systems(runs: Sequence[SystemRun], data: str) -> list[dict[str, object]]:
        return [_run_json(run, data, evaluation.seed) for run in runs]

    content: dict[str, object] = {
        "data": evaluation.data,
        "signature": metric,
        "systems": systems(evaluation.runs, evaluation.data),
        "differences": [_difference_json(difference) for difference in evaluation.differences],
    }
    if evaluation.by_source:
        content["sources"] = {
            source: systems(runs, f"{evaluation.data}|source:{source}") for source, runs in evaluation.by_source.items()
        }
    return escaped(json.dumps(content, indent=2, ensure_ascii=False))


def _run_json(run: SystemRun, data: str, seed: int) -> dict[str, object]:
    return {
        "name": run.name,
        "signature": run.signature,
        "documents": len(run),
        **{
            variant: {
                "mean": score.mean,
                "low": score.low,
                "high": score.high,
                "signature": f"{run.signature}|{data}|{rouge_signature(variant)}|{resampling_signature(seed)}",
            }
            for variant, score in zip(VARIANTS, run.scores(seed), strict=True)
        },
        "sentences": float(run.sentences.mean()),
        "words": float(run.words.mean()),
        "repeats": float(run.repeats.mean()),
    }


def _difference_json(difference: Difference) -> dict[str, object]:
    compared = {
        variant: {"difference": one.difference, "low": one.low, "high": one.high, "p_value": one.p_value}
        for variant, one in zip(VARIANTS, difference.rouge, strict=True)
    }
    return {"first": difference.first, "second": difference.second, **compared}
