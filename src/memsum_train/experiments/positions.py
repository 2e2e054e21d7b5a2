"""Figure 3: where in a document the oracle, the policy, and a policy that sees only its beginning take sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum_train.corpus.records import Example
from memsum_train.corpus.stats import words_of
from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.evaluation.data import make_data
from memsum_train.evaluation.measuring import Scores
from memsum_train.experiments.comparisons import NEARNESS, conclude
from memsum_train.experiments.config import FULL
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport
from memsum_train.report.figures import drawing, series
from memsum_train.report.statistics import estimate_mean
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

WORDS = 512  # the input of BERT, on which the paper's MatchSum is built
CUT = f"{FULL.name}, first {WORDS} words"
EARLY = 15  # sentences: the paper finds that a model of 512 tokens takes nearly all of its own from these
COLUMNS = {
    "mean": "mean position, %",
    "early": f"in the first {EARLY} sentences, %",
    NEARNESS: "nearness to the oracle, %",
}
_BINS = 20


def run(context: Context) -> ExperimentReport:
    """Let all systems extract, and describe where."""
    corpus, data = context.main, context.main.data("test")
    context.train([FULL], corpus)
    shown = make_data(f"{data.name}-beginnings", list(map(beginning, data.examples)))
    trained = [context.system(FULL, corpus, seed) for seed in context.config.seeds]
    runs = {
        "oracle": [context.summarize(parse_baseline("oracle"), data)],
        FULL.name: [context.summarize(system, data) for system in trained],
        CUT: [context.summarize(system, shown) for system in trained],
    }
    taken = {name: [[p.indices or () for p in one.predictions] for one in scores] for name, scores in runs.items()}
    found = measure_positions(taken, [len(example.text) for example in data.examples])
    rows: list[Row] = []
    for one in found:
        rows.append((one.name, *(Number.estimate(one.estimate(measure), 100, digits=1) for measure in COLUMNS)))
    note = (
        "Means over documents of which all take something. Nearness is minus the earth mover's distance from the "
        "sentences of the oracle, in per cent of the document: how far they would have to be moved, on the average."
    )
    table = Table(
        "positions", "Where systems take their sentences", ("system", *COLUMNS.values()), tuple(rows), (note,)
    )
    caption = "Share of the extracted sentences by position, mean over documents; bands are 95 % intervals."
    return ExperimentReport(
        tables=[table],
        figures={"positions": (caption, draw_positions(found, data.signature))},
        conclusions=[
            f"Nearness to the oracle (in the paper, {FULL.name} is nearer): {conclude(found[1], found[2], NEARNESS)}"
        ],
        signatures=[data.signature, *(f"{name} {one.signatures[0]}" for name, [one, *_] in runs.items())],
    )


def beginning(example: Example) -> Example:
    """Return a document without what follows its first words; one sentence stays in any case."""
    ends = np.cumsum([len(words_of([sentence])) for sentence in example.text])
    count = max(1, int(np.searchsorted(ends, WORDS, side="right")))
    sections = example.sections and example.sections[:count]
    return replace(example, text=example.text[:count], sections=sections, indices=None, scores=None)


def measure_positions(taken: Mapping[str, Sequence[Sequence[Sequence[int]]]], lengths: Sequence[int]) -> list[Scores]:
    """Describe the indices that each system takes of each document, in each training; the first is the oracle.

    Among the values are the shares (trainings, documents) of each bin, by its number.
    """
    kept = [i for i in range(len(lengths)) if all(one[i] for trainings in taken.values() for one in trainings)]
    found: list[Scores] = []
    oracle: Floats | None = None
    for name, trainings in taken.items():
        shares = np.array([[_spread(one[i], lengths[i]) for i in kept] for one in trainings])  # (trainings, D, bins)
        means = [[(np.mean(one[i]) + 0.5) / lengths[i] for i in kept] for one in trainings]
        early = [[np.mean(np.less(one[i], EARLY)) for i in kept] for one in trainings]
        oracle = shares if oracle is None else oracle
        values = {
            "mean": np.array(means),
            "early": np.array(early),
            NEARNESS: -np.abs(np.cumsum(shares - oracle, axis=2)).sum(axis=2) / _BINS,
            **{str(bin_): shares[:, :, bin_] for bin_ in range(_BINS)},
        }
        found.append(Scores(name, (), values))
    return found


def _spread(taken: Sequence[int], sentences: int) -> Floats:
    """Return the shares (bins,) of some sentences; one of a short document lies in several bins."""
    edges, starts = np.linspace(0, 1, _BINS + 1), np.array(taken, np.float64)[:, None] / sentences
    inside = np.clip(np.minimum(starts + 1 / sentences, edges[1:]) - np.maximum(starts, edges[:-1]), 0, None)
    shares: Floats = inside.sum(axis=0) * sentences / len(taken)
    return shares


def draw_positions(found: Sequence[Scores], note: str) -> Figure:
    """Draw to the scale of those that see everything; the legend names higher peaks of others."""
    centers = 100 / _BINS * (np.arange(_BINS) + 0.5)
    with drawing(height=3.2, note=note) as (figure, [axes]):
        curves = []
        for one in found:
            estimates = [estimate_mean(100 * one.values[str(bin_)]) for bin_ in range(_BINS)]
            curves.append(np.array([(e.mean, e.low, e.high) for e in estimates]).T)
        top = 1.6 * float(np.nanmax(curves[:2]))
        for i, (one, (values, low, high)) in enumerate(zip(found, curves, strict=True)):
            style, peak = series(i), float(values.max())
            axes.plot(centers, values, label=one.name if peak < top else f"{one.name} (to {peak:.0f} %)", **style)
            axes.fill_between(centers, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axes.axhline(100 / _BINS, color="#999999", linewidth=0.8)
        axes.set(xlabel="position in the document, %", ylabel="taken sentences, %", xlim=(0, 100), ylim=(0, top))
        axes.legend(loc="upper right")
    return figure
