"""Figure 3: where in a document the oracle, the policy, and a policy that sees only its beginning take sentences.

Distributions are over all sentences that a system takes; intervals resample documents, the same for all systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum_train.corpus.records import Example
from memsum_train.corpus.stats import words_of
from memsum_train.evaluation import make_data, parse_baseline
from memsum_train.experiments.config import FULL
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Picture
from memsum_train.experiments.scores import Verdict, verdict
from memsum_train.report.figures import drawing, series
from memsum_train.report.statistics import FEWEST, RESAMPLES, SEED, TOO_FEW, Estimate, interval, resampled_estimate
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Taken = tuple[Sequence[int], int]  # indices of what a system takes from a document, and how many sentences that has

WORDS = 512  # the input of BERT, on which the paper's MatchSum is built
CUT = f"{FULL.name}, first {WORDS} words"
EARLY = 15  # sentences: the paper finds that a model of 512 tokens takes nearly all of its own from these
_NEARER: dict[Verdict, tuple[str, str]] = {
    "better": ("nearer to the oracle's than", "in the same direction as in the paper"),
    "worse": ("farther from the oracle's than", "in the other direction than in the paper"),
    "undecided": ("nearer to the oracle's or farther from them than", f"no verdict ({TOO_FEW})"),
    "not distinguishable": ("neither nearer to the oracle's nor farther from them than", "the paper finds nearer"),
}
_BINS = 20
_EDGES = np.linspace(0, 1, _BINS + 1)


@dataclass(frozen=True)
class Positions:
    """Of what one system takes: as observed, then of each resample of the documents (1 + R, …)."""

    name: str
    sentences: int
    shares: Floats  # (1 + R, 2 + bins) mean position, share of the first EARLY sentences, share of each bin
    distances: Floats  # from the oracle, see `run`

    def estimates(self) -> list[Estimate]:
        first_tenth = self.shares[:, 2 : 2 + _BINS // 10].sum(axis=1)
        return [_estimate(one) for one in (self.shares[:, 0], first_tenth, self.shares[:, 1], self.distances)]

    def nearer(self, other: Positions) -> Estimate:
        """Return by how much this system lies nearer to the oracle than another one."""
        return _estimate(other.distances - self.distances)


def run(context: Context) -> ExperimentReport:
    """Let all systems extract, and describe where."""
    data, full = context.main.data("test"), context.system(FULL)
    lengths = [len(example.text) for example in data.examples]
    shown = make_data(f"{data.name}-beginnings", list(map(beginning, data.examples)))
    systems = (("oracle", parse_baseline("oracle"), data), (FULL.name, full, data), (CUT, full, shown))
    taken: list[tuple[str, list[Taken]]] = []
    for name, system, documents in systems:
        indices = (one.indices or () for one in context.summarize(system, documents).predictions)
        taken.append((name, list(zip(indices, lengths, strict=True))))
    found = measure_positions(taken)
    rows: list[Row] = []
    for i, one in enumerate(found):
        numbers = [Number.estimate(estimate, 100, digits=1) for estimate in one.estimates()]
        rows.append((one.name, str(one.sentences), *numbers[:3], numbers[3] if i else None))
    early = f"in the first {EARLY} sentences, %"
    head = ("system", "sentences", "mean position, %", "in the first tenth, %", early, "distance from the oracle, %")
    note = (
        f"{len(data)} documents, 95 % intervals over these. The distance is the earth mover's, in per cent of the "
        "document: how far the sentences would have to be moved, on the average, to lie as the oracle's do; chance "
        "alone makes it greater than 0."
    )
    caption = "Shares of the extracted sentences by position; bands are 95 % intervals over documents."
    return ExperimentReport(
        title="Positions of extracted sentences",
        question="Does the policy take sentences from where the oracle does, and what does one lose who reads only the "
        "beginning? (Figure 3)",
        tables=(Table("positions", "Where systems take their sentences", head, tuple(rows), (note,)),),
        figures=(Picture("positions", caption, draw_positions(found, data.signature)),),
        conclusions=(conclude(found[1], found[2], len(data)),),
        signatures=(data.signature, *(f"{name} {system.signature}" for name, system, _ in systems)),
    )


def beginning(example: Example) -> Example:
    """Return a document without what follows its first words; one sentence stays in any case."""
    ends = np.cumsum([len(words_of([sentence])) for sentence in example.text])
    count = max(1, int(np.searchsorted(ends, WORDS, side="right")))
    sections = example.sections and example.sections[:count]
    return replace(example, text=example.text[:count], sections=sections, indices=None, scores=None)


def measure_positions(systems: Sequence[tuple[str, Sequence[Taken]]], seed: int = SEED) -> list[Positions]:
    """Describe each system; the first one is the oracle. All have the same documents in the same order."""
    count = len(systems[0][1])
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    resamples = np.vstack([np.ones(count), weights])  # (1 + R, D): first what was observed
    if count < FEWEST:
        resamples[1:] = np.nan  # no intervals
    found: list[Positions] = []
    for name, documents in systems:
        sums = np.zeros((count, 2 + _BINS))
        numbers = np.array([len(taken) for taken, _ in documents], np.float64)
        for row, (taken, sentences) in enumerate(documents):
            indices = np.array(taken, np.float64)[:, None]  # (k, 1)
            low, high = indices / sentences, (indices + 1) / sentences
            # A sentence of a short document lies in several bins, by shares.
            inside = np.clip(np.minimum(high, _EDGES[1:]) - np.maximum(low, _EDGES[:-1]), 0, None)
            sums[row] = ((low + high) / 2).sum(), (indices < EARLY).sum(), *(inside * sentences).sum(axis=0)
        shares = resamples @ sums / np.maximum(resamples @ numbers, 1)[:, None]  # of nothing, nothing
        oracle = found[0].shares if found else shares
        distances = np.abs(np.cumsum((shares - oracle)[:, 2:], axis=1)).sum(axis=1) / _BINS
        found.append(Positions(name, int(numbers.sum()), shares, distances))
    return found


def draw_positions(found: Sequence[Positions], note: str) -> Figure:
    """Draw to the scale of those that see everything; the legend names higher peaks of others."""
    with drawing(height=3.2, note=note) as (figure, [axes]):
        centers = 100 / _BINS * (np.arange(_BINS) + 0.5)
        curves = [(100 * one.shares[0, 2:], *interval(100 * one.shares[1:, 2:])) for one in found]
        top = 1.6 * float(np.nanmax([(values, high) for values, _, high in curves[:2]]))
        for i, (one, (values, low, high)) in enumerate(zip(found, curves, strict=True)):
            style, peak = series(i), float(values.max())
            axes.plot(centers, values, label=one.name if peak < top else f"{one.name} (to {peak:.0f} %)", **style)
            axes.fill_between(centers, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axes.axhline(100 / _BINS, color="#999999", linewidth=0.8)
        axes.set(xlabel="position in the document, %", ylabel="taken sentences, %", xlim=(0, 100), ylim=(0, top))
        axes.legend(loc="upper right")
    return figure


def conclude(full: Positions, cut: Positions, documents: int) -> str:
    """State whether the system that sees everything lies nearer to the oracle than that which sees the beginning."""
    gain = full.nearer(cut)
    lie, agreement = _NEARER[verdict(gain) if documents >= FEWEST else "undecided"]
    distances = f"{_shown(full.estimates()[3])} and {_shown(cut.estimates()[3])} of the document"
    return (
        f"The sentences of {full.name} lie {lie} those of {cut.name} (distances of {distances}, difference "
        f"{_shown(gain)}): {agreement}."
    )


def _shown(estimate: Estimate) -> str:
    shown = Number.estimate(estimate, 100, digits=1, interval_digits=1)
    return f"{shown.shown()} %" + (f" ({interval})" if (interval := shown.interval()) else "")


def _estimate(values: Floats) -> Estimate:
    """Return the first value, which was observed, with the interval of the others, which were resampled."""
    return resampled_estimate(float(values[0]), values[1:])
