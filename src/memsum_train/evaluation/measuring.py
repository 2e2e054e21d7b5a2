"""Measure systems: scores of each document, their means with intervals, differences, and how all this is shown."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memsum.printable import escaped, one_line
from memsum_train.corpus.records import Example
from memsum_train.corpus.stats import words_of
from memsum_train.evaluation.data import Data, Prediction
from memsum_train.evaluation.systems import System, check_systems
from memsum_train.report.statistics import (
    FEWEST,
    LEVEL,
    SEED,
    TOO_FEW,
    Comparison,
    Estimate,
    estimate_mean,
    paired_bootstrap,
    resampling_signature,
)
from memsum_train.report.table import Number, Row, Table, as_markdown, as_text
from memsum_train.rouge import F1, VARIANTS, rouge_signature, score_many

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
            repeats=np.array([1 - len(set(taken)) / len(taken) if taken else 0.0 for taken in summaries]),
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
    differences = []
    for other in runs[1:]:
        pairs = zip(runs[0].rouge[:, :, F1].T, other.rouge[:, :, F1].T, strict=True)
        compared = tuple(paired_bootstrap(a, b, seed=seed) for a, b in pairs)
        differences.append(Difference(runs[0].name, other.name, compared))
    of_source = {source: tuple(run.select(documents) for run in runs) for source, documents in sources.items()}
    return Evaluation(data.signature, runs, tuple(differences), of_source, seed)


def run_system(system: System, data: Data, advance: Callable[[int], None] = lambda done: None) -> SystemRun:
    """Let a system summarize all documents, and measure its summaries."""
    predictions = []
    for prediction in system.predict(data.examples):
        predictions.append(prediction)
        advance(1)
    return SystemRun.measure(system, predictions, data.examples)


def render(evaluation: Evaluation, form: Format, width: int | None = None, *, color: bool = False) -> str:
    """Render an evaluation with its signatures; `width` and `color` are those of a terminal."""
    metric = f"{rouge_signature('+'.join(VARIANTS))}|{resampling_signature(evaluation.seed)}"
    if form == "json":
        return _json(evaluation, metric)
    footer = [one_line(evaluation.data), metric, *(one_line(f"{run.name}: {run.signature}") for run in evaluation.runs)]
    if form == "markdown":
        tables = [as_markdown(table).rstrip("\n") for table in _tables(evaluation)]
        return "\n\n".join([*tables, "\n".join(f"- `{line}`" for line in footer)])
    tables = [f"{as_text(table, width, color=color, stacked=True)}\n" for table in _tables(evaluation)]
    return "\n".join([*tables, *footer])


def _tables(evaluation: Evaluation) -> list[Table]:
    seed = evaluation.seed
    tables = [_score_table(f"ROUGE F1 with {100 * LEVEL:g} % intervals", evaluation.runs, seed)]
    for source, runs in evaluation.by_source.items():
        count = len(runs[0])
        tables.append(_score_table(f"{source}: {count:,} document{'s' if count > 1 else ''}", runs, seed))
    if evaluation.differences:
        first, compared = evaluation.runs[0].name, evaluation.differences
        is_tested = len(evaluation.runs[0]) >= FEWEST
        rows: list[Row] = [
            (d.second, *(Number.difference(one, 100, p_value=is_tested) for one in d.rouge)) for d in compared
        ]
        title = f"How much better {first} is (paired bootstrap{', two-sided p' if is_tested else ''})"
        head = (f"{first} minus", *(TITLES[variant] for variant in VARIANTS))
        tables.append(Table("differences", title, head, tuple(rows)))
    return tables


def _score_table(title: str, runs: Sequence[SystemRun], seed: int) -> Table:
    rows: list[Row] = []
    for run in runs:
        scores = [Number.estimate(score, 100) for score in run.scores(seed)]
        lengths = (Number(float(run.sentences.mean()), digits=1), f"{run.words.mean():,.0f}")
        rows.append((run.name, *scores, *lengths, Number(100 * float(run.repeats.mean()), digits=1)))
    head = ("system", *(TITLES[variant] for variant in VARIANTS), "sentences", "words", "dup. %")
    notes = () if len(runs[0]) >= FEWEST else (f"{TOO_FEW[0].upper()}{TOO_FEW[1:]}.",)
    return Table("scores", title, head, tuple(rows), notes)


def _json(evaluation: Evaluation, metric: str) -> str:
    """Return all numbers, unrounded; every score with its own signature."""
    how = resampling_signature(evaluation.seed)

    def systems(runs: Sequence[SystemRun], data: str) -> list[dict[str, object]]:
        found = []
        for run in runs:
            record: dict[str, object] = {"name": run.name, "signature": run.signature, "documents": len(run)}
            for variant, score in zip(VARIANTS, run.scores(evaluation.seed), strict=True):
                signature = f"{run.signature}|{data}|{rouge_signature(variant)}|{how}"
                record[variant] = {**_plain(score), "signature": signature}
            means = {name: float(getattr(run, name).mean()) for name in ("sentences", "words", "repeats")}
            found.append(record | means)
        return found

    content: dict[str, object] = {
        "data": evaluation.data,
        "signature": metric,
        "systems": systems(evaluation.runs, evaluation.data),
        "differences": [
            {"first": one.first, "second": one.second, **dict(zip(VARIANTS, map(_plain, one.rouge), strict=True))}
            for one in evaluation.differences
        ],
    }
    if evaluation.by_source:
        content["sources"] = {
            source: systems(runs, f"{evaluation.data}|source:{source}") for source, runs in evaluation.by_source.items()
        }
    return escaped(json.dumps(content, indent=2, ensure_ascii=False))


def _plain(found: Estimate | Comparison) -> dict[str, float | None]:
    """Return the numbers for JSON; null where there are too few documents for them."""
    return {name: None if math.isnan(value) else value for name, value in asdict(found).items()}
