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


@dataclass(frozen=True)
class Measure:
    """How a measure is shown: its title, what its values are multiplied with, and its digits."""

    title: str
    scale: float = 100
    digits: int = 2


MEAN = "mean"  # of ROUGE-1, 2 and Lsum, which is what the paper calls ROUGE-L
LENGTHS = ("sentences", "words", "repeats")
MEASURES = {
    "rouge1": Measure("R-1"),
    "rouge2": Measure("R-2"),
    "rougeL": Measure("R-L"),
    "rougeLsum": Measure("R-Lsum"),
    MEAN: Measure("mean"),
    "sentences": Measure("sentences", 1, 1),
    "words": Measure("words", 1, 0),
    "repeats": Measure("dup. %", 100, 1),  # sentences that repeat an earlier one of the summary to the letter
}


@dataclass(frozen=True)
class Scores:
    """What was measured of the summaries of one system, which may have been trained several times."""

    name: str
    signatures: tuple[str, ...]  # of each training
    values: Mapping[str, Floats] = field(repr=False)  # of each of MEASURES, (trainings, documents)
    predictions: Sequence[Prediction] = field(default=(), repr=False)  # of the first training

    @classmethod
    def measure(cls, system: System, predictions: Sequence[Prediction], examples: Sequence[Example]) -> Scores:
        summaries = [prediction.sentences for prediction in predictions]
        rouge = score_many(summaries, [example.summary for example in examples])[:, :, F1]
        columns = {
            **dict(zip(VARIANTS, rouge.T, strict=True)),
            MEAN: rouge[:, (0, 1, 3)].mean(axis=1),
            "sentences": [len(sentences) for sentences in summaries],
            "words": [len(words_of(sentences)) for sentences in summaries],
            "repeats": [1 - len(set(taken)) / len(taken) if taken else 0.0 for taken in summaries],
        }
        values = {measure: np.array([column], np.float64) for measure, column in columns.items()}
        return cls(system.name, (system.signature,), values, predictions)

    @classmethod
    def join(cls, trainings: Sequence[Scores]) -> Scores:
        """Put the trainings of one system together, on the same documents."""
        values = {measure: np.concatenate([one.values[measure] for one in trainings]) for measure in MEASURES}
        signatures = tuple(signature for one in trainings for signature in one.signatures)
        return replace(trainings[0], signatures=signatures, values=values)

    def __len__(self) -> int:
        return int(self.values[MEAN].shape[1])

    def estimate(self, measure: str, seed: int = SEED) -> Estimate:
        return estimate_mean(self.values[measure], seed)

    def minus(self, other: Scores, measure: str, seed: int = SEED) -> Comparison:
        """Compare with another system, on the same documents and with the same seeds of trainings."""
        return paired_bootstrap(self.values[measure], other.values[measure], seed)


def evaluate(systems: Sequence[System], data: Data, advance: Callable[[int], None] = lambda done: None) -> list[Scores]:
    """Let all systems summarize all documents, and measure their summaries."""
    check_systems(systems)
    scores = []
    for system in systems:
        predictions = []
        for prediction in system.predict(data.examples):
            predictions.append(prediction)
            advance(1)
        scores.append(Scores.measure(system, predictions, data.examples))
    return scores


def score_table(
    title: str,
    systems: Sequence[Scores],
    measures: Sequence[str] = VARIANTS,
    *,
    name: str = "scores",
    seed: int = SEED,
    notes: tuple[str, ...] = (),
) -> Table:
    """Tabulate systems on the same documents: scores with intervals, then lengths and repeats."""
    rows: list[Row] = []
    for one in systems:
        cells = [Number.estimate(one.estimate(measure, seed), MEASURES[measure].scale) for measure in measures]
        for measure in LENGTHS:
            how = MEASURES[measure]
            cells.append(Number(how.scale * float(one.values[measure].mean()), digits=how.digits))
        rows.append((one.name, *cells))
    head = ("system", *(MEASURES[measure].title for measure in (*measures, *LENGTHS)))
    few = () if len(systems[0]) >= FEWEST else (f"{TOO_FEW[0].upper()}{TOO_FEW[1:]}.",)
    return Table(name, title, head, tuple(rows), (*few, *notes))


def difference_table(
    systems: Sequence[Scores], measures: Sequence[str] = VARIANTS, *, name: str = "differences", seed: int = SEED
) -> Table:
    """Tabulate how much better the first system is than each other one."""
    first, *others = systems
    rows: list[Row] = []
    for other in others:
        found = ((first.minus(other, measure, seed), MEASURES[measure].scale) for measure in measures)
        rows.append((other.name, *(Number.difference(*one, p_value=True) for one in found)))
    how = "paired bootstrap, two-sided p" if len(first) >= FEWEST else "paired"
    head = (f"{first.name} minus", *(MEASURES[measure].title for measure in measures))
    return Table(name, f"How much better {first.name} is ({how})", head, tuple(rows))


def render(
    scores: Sequence[Scores],
    data: str,
    form: Format,
    seed: int = SEED,
    *,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Render scores with their signatures, and that of the data; `width` and `color` are those of a terminal.

    The first system is compared with each other one.
    """
    metric = f"{rouge_signature('+'.join(VARIANTS))}|{resampling_signature(seed)}"
    if form == "json":
        content = {"data": data, "signature": metric, **_records(scores, data, seed)}
        return escaped(json.dumps(content, indent=2, ensure_ascii=False))
    tables = [score_table(f"ROUGE F1 with {100 * LEVEL:g} % intervals", scores, seed=seed)]
    if len(scores) > 1:
        tables.append(difference_table(scores, seed=seed))
    lines = [data, metric, *(f"{one.name}: {signature}" for one in scores for signature in one.signatures)]
    footer = list(map(one_line, lines))
    if form == "markdown":
        shown = [as_markdown(table).rstrip("\n") for table in tables]
        return "\n\n".join([*shown, "\n".join(f"- `{line}`" for line in footer)])
    return "\n".join([*(f"{as_text(table, width, color=color, stacked=True)}\n" for table in tables), *footer])


def _records(scores: Sequence[Scores], data: str, seed: int) -> dict[str, list[dict[str, object]]]:
    """Return all numbers, unrounded; every score with its own signature."""
    systems, (first, *others) = [], scores
    for one in scores:
        [own] = one.signatures
        record: dict[str, object] = {"name": one.name, "signature": own, "documents": len(one)}
        for variant in VARIANTS:
            signature = f"{own}|{data}|{rouge_signature(variant)}|{resampling_signature(seed)}"
            record[variant] = {**_plain(one.estimate(variant, seed)), "signature": signature}
        systems.append(record | {measure: float(one.values[measure].mean()) for measure in LENGTHS})
    differences: list[dict[str, object]] = []
    for other in others:
        found = {variant: _plain(first.minus(other, variant, seed)) for variant in VARIANTS}
        differences.append({"first": first.name, "second": other.name, **found})
    return {"systems": systems, "differences": differences}


def _plain(found: Estimate | Comparison) -> dict[str, float | None]:
    """Return the numbers for JSON; null where there are too few documents for them."""
    return {name: None if math.isnan(value) else value for name, value in asdict(found).items()}
