"""Figure 3: where in a document the oracle, the policy, and a policy that is shown only a part of it take sentences.

All positions are those of the document that is looked at, also where a system was shown less of it. Distributions are
over all sentences that a system takes; intervals resample documents, the same for all systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from memsum.errors import CorpusError
from memsum_train.corpus.records import Example
from memsum_train.corpus.stats import words_of
from memsum_train.corpus.variants import keep_introduction
from memsum_train.evaluation import Prediction, System, make_data, parse_baseline
from memsum_train.experiments.config import FULL, Split
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Picture
from memsum_train.experiments.scores import Verdict, verdict
from memsum_train.report.figures import drawing, series
from memsum_train.report.statistics import FEWEST, RESAMPLES, SEED, TOO_FEW, Estimate, interval, resampled_estimate
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

WORDS = 512  # the input of BERT, on which the paper's MatchSum is built
CUT = f"{FULL.name}, first {WORDS} words"
EARLY = 15  # sentences: the paper finds that a model of 512 tokens takes nearly all of its own from these
_NEARER: dict[Verdict, tuple[str, str]] = {
    "better": ("nearer to the oracle's than", "in the same direction as in the paper"),
    "worse": ("farther from the oracle's than", "in the other direction than in the paper"),
    "undecided": ("nearer to the oracle's or farther from them than", f"no verdict ({TOO_FEW})"),
    "not distinguishable": ("neither nearer to the oracle's nor farther from them than", "the paper finds nearer"),
}
_RELATIVE_BINS = 20
_EDGES = np.linspace(0, 1, _RELATIVE_BINS + 1)
_ABSOLUTE_STEP, _ABSOLUTE_BINS = 4, 15  # sentences per bin, bins


@dataclass(frozen=True)
class Part:
    """The part of a document that a system is shown, and the indices of its sentences in the document."""

    example: Example
    indices: tuple[int, ...]

    def restore(self, prediction: Prediction) -> tuple[int, ...]:
        """Return the indices of a prediction's sentences in the document."""
        return tuple(self.indices[index] for index in prediction.indices or ())


@dataclass(frozen=True)
class View:
    """Documents to look at, and for each system what it is shown of them; the oracle comes first."""

    title: str
    documents: Sequence[Example]
    shown: Sequence[tuple[str, System, Sequence[Part]]]

    @classmethod
    def of(
        cls, title: str, documents: Sequence[Example], system: System, *more: tuple[str, System, Sequence[Part]]
    ) -> View:
        full, cut = list(map(whole, documents)), list(map(beginning, documents))
        oracle = ("oracle", parse_baseline("oracle"), full)
        return cls(title, documents, [oracle, (FULL.name, system, full), (CUT, system, cut), *more])

    def measure(self, context: Context) -> list[Positions]:
        """Let all systems extract, and measure where."""
        taken: list[tuple[str, list[Taken]]] = []
        for name, system, parts in self.shown:
            run = context.summarize(system, make_data(self.title.lower(), [part.example for part in parts]))
            indices = (part.restore(one) for part, one in zip(parts, run.predictions, strict=True))
            lengths = (len(document.text) for document in self.documents)
            taken.append((name, list(zip(indices, lengths, strict=True))))
        return measure_positions(taken)


def whole(example: Example) -> Part:
    """Return all of the document."""
    return _part(example, range(len(example.text)))


def beginning(example: Example) -> Part:
    """Return the sentences among its first words, at least one."""
    count = seen = 0
    for sentence in example.text:
        seen += len(words_of([sentence]))
        if count and seen > WORDS:
            break
        count += 1
    return _part(example, range(count))


def introduction(example: Example) -> Part | None:
    """Return its introduction, if it has one."""
    kept = _introduction_only(example)
    if kept is None:
        return None
    titles = set(kept.sections or ())
    return _part(example, [index for index, title in enumerate(example.sections or ()) if title in titles])


def run(context: Context) -> ExperimentReport:
    """Look at whole documents and, if the corpus has sections, at introductions alone, as the paper's figure does."""
    corpus, full = context.main, context.system(FULL)
    examples: Sequence[Example] = corpus.data("test").examples
    if all(any(map(introduction, corpus.data(split).examples)) for split in get_args(Split)):
        both = [(example, part) for example in examples if (part := introduction(example))]
        examples, parts = zip(*both, strict=True)  # all systems have the same documents
        short = context.system(FULL, context.derive(corpus, "introductions", _introduction_only))
        views = [
            View.of("Whole documents", examples, full, (f"{FULL.name}, introductions", short, parts)),
            View.of("Introductions", [part.example for part in parts], short),
        ]
    else:
        views = [View.of("Whole documents", examples, full)]
    found = [view.measure(context) for view in views]
    signature = make_data(f"{corpus.name}-test", examples).signature
    return ExperimentReport(
        title="Positions of extracted sentences",
        question="Does the policy take sentences from where the oracle does, and what does one lose who reads only the "
        "beginning? (Figure 3)",
        tables=(_table(views, found),),
        figures=(
            Picture(
                "positions",
                "Shares of the extracted sentences by position; bands are 95 % intervals over documents.",
                draw_positions(found[0], found[1] if len(found) > 1 else (), signature),
            ),
        ),
        conclusions=tuple(_conclude(view, positions) for view, positions in zip(views, found, strict=True)),
        signatures=(signature, *(f"{name} {system.signature}" for name, system, _ in views[0].shown)),
    )


def _part(example: Example, indices: Iterable[int]) -> Part:
    indices = tuple(indices)
    sections = example.sections
    shown = replace(
        example,
        text=tuple(example.text[index] for index in indices),
        sections=None if sections is None else tuple(sections[index] for index in indices),
        indices=None,
        scores=None,
    )
    return Part(shown, indices)


def _introduction_only(example: Example) -> Example | None:
    try:
        return keep_introduction(example)
    except CorpusError:
        return None


def _table(views: Sequence[View], found: Sequence[Sequence[Positions]]) -> Table:
    rows: list[Row] = []
    for view, systems in zip(views, found, strict=True):
        for i, one in enumerate(systems):
            estimates = (one.mean, one.first_tenth, one.early, one.distance)
            shares: list[Number | None] = [Number.estimate(estimate, 100, digits=1) for estimate in estimates]
            rows.append((view.title, one.name, str(one.sentences), *shares[:-1], shares[-1] if i else None))
    early = f"in the first {EARLY} sentences, %"
    measures = ("mean position, %", "in the first tenth, %", early, "distance from the oracle, %")
    return Table(
        name="positions",
        title="Where systems take their sentences",
        head=("documents", "system", "sentences", *measures),
        rows=tuple(rows),
        notes=(
            f"{len(views[0].documents)} documents, 95 % intervals over these. The distance is the earth mover's, in "
            "per cent of the document: how far the sentences would have to be moved, on the average, to lie as the "
            "oracle's do; chance alone makes it greater than 0.",
        ),
    )


def _conclude(view: View, found: Sequence[Positions]) -> str:
    """State whether the system that sees everything lies nearer to the oracle than that which sees the beginning."""
    by_name = {positions.name: positions for positions in found}
    full, cut = by_name[FULL.name], by_name[CUT]
    gain = full.nearer(cut)
    lie, agreement = _NEARER[verdict(gain) if len(view.documents) >= FEWEST else "undecided"]
    return (
        f"{view.title}: the sentences of {full.name} lie {lie} those of {cut.name} (distances of "
        f"{_shown(full.distance)} and {_shown(cut.distance)} of the document, difference {_shown(gain)}): {agreement}."
    )


def _shown(estimate: Estimate) -> str:
    shown = Number.estimate(estimate, 100, digits=1, interval_digits=1)
    return f"{shown.shown()} %" + (f" ({interval})" if (interval := shown.interval()) else "")


Taken = tuple[Sequence[int], int]  # indices of what a system takes from a document, and how many sentences that has


@dataclass(frozen=True)
class Distribution:
    """Shares of the taken sentences in each bin, with their intervals."""

    values: Floats  # (bins,)
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Positions:
    """The positions of one system: means as shares of the document, and how far they are from the oracle's.

    The distance is the earth mover's, as a share of the document: how far sentences would have to be moved, on the
    average, to lie as the oracle's do. It cannot be negative, so that even a system like the oracle has a little.
    """

    name: str
    sentences: int
    mean: Estimate
    first_tenth: Estimate
    early: Estimate  # among the first EARLY sentences
    distances: Floats  # as observed, then of each resample
    relative: Distribution
    absolute: Distribution

    @property
    def distance(self) -> Estimate:
        return _estimate(self.distances)

    def nearer(self, other: Positions) -> Estimate:
        return _estimate(other.distances - self.distances)


def measure_positions(systems: Sequence[tuple[str, Sequence[Taken]]], seed: int = SEED) -> list[Positions]:
    """Describe each system; the first one is the oracle. All have the same documents in the same order."""
    count = len(systems[0][1])
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    resamples = np.vstack([np.ones(count), weights])  # (1 + R, D): first what was observed
    if count < FEWEST:
        resamples[1:] = np.nan  # no intervals
    found: list[Positions] = []
    oracle = None
    for name, documents in systems:
        relative = np.zeros((count, _RELATIVE_BINS))  # a sentence of a short document lies in several bins, by shares
        absolute = np.zeros((count, _ABSOLUTE_BINS))  # what is later is in none
        others = np.zeros((count, 3))  # taken; sum of the relative positions of their middles; early ones
        for row, (taken, sentences) in enumerate(documents):
            indices = np.array(taken, np.float64)[:, None]  # (k, 1)
            low, high = indices / sentences, (indices + 1) / sentences
            inside = np.clip(np.minimum(high, _EDGES[1:]) - np.maximum(low, _EDGES[:-1]), 0, None)
            relative[row] = (inside * sentences).sum(axis=0)
            end = _ABSOLUTE_BINS * _ABSOLUTE_STEP - 0.5
            absolute[row], _ = np.histogram(indices, bins=_ABSOLUTE_BINS, range=(0, end))
            others[row] = len(indices), ((low + high) / 2).sum(), (indices < EARLY).sum()
        sums = resamples @ np.hstack([others, relative, absolute])
        shares = sums / np.maximum(sums[:, :1], 1)  # of all that was taken, in each resample; of nothing, nothing
        by_share, by_index = np.split(shares[:, 3:], [_RELATIVE_BINS], axis=1)
        oracle = by_share if oracle is None else oracle
        moved = np.abs(np.cumsum(by_share - oracle, axis=1)).sum(axis=1) / _RELATIVE_BINS
        positions = Positions(
            name=name,
            sentences=int(others[:, 0].sum()),
            mean=_estimate(shares[:, 1]),
            first_tenth=_estimate(by_share[:, : _RELATIVE_BINS // 10].sum(axis=1)),
            early=_estimate(shares[:, 2]),
            distances=moved,
            relative=Distribution(by_share[0], *interval(by_share[1:])),
            absolute=Distribution(by_index[0], *interval(by_index[1:])),
        )
        found.append(positions)
    return found


def draw_positions(whole: Sequence[Positions], introductions: Sequence[Positions], note: str) -> Figure:
    """Draw whole documents by the share of the document, and below them introductions by sentence, as Figure 3 does."""
    rows = 2 if introductions else 1
    with drawing(rows, height=2.9 * rows + 0.3, note=note) as (figure, axes):
        centers = 100 / _RELATIVE_BINS * (np.arange(_RELATIVE_BINS) + 0.5)
        _draw(axes[0], centers, [(positions.name, positions.relative) for positions in whole])
        axes[0].axhline(100 / _RELATIVE_BINS, color="#999999", linewidth=0.8)
        axes[0].set(title="Whole documents", xlabel="position in the document, %", xlim=(0, 100))
        if introductions:
            middles = _ABSOLUTE_STEP * (np.arange(_ABSOLUTE_BINS) + 0.5)
            _draw(axes[1], middles, [(positions.name, positions.absolute) for positions in introductions])
            axes[1].set(title="Introductions", xlabel="sentence of the introduction", xlim=(0, None))
        for one in axes:
            one.set(ylabel="taken sentences, %")
            one.legend(loc="upper right")
    return figure


def _draw(axes: Axes, x: NDArray[np.floating], curves: Sequence[tuple[str, Distribution]]) -> None:
    """Draw to the scale of the first two, which are shown everything; the legend names higher peaks of others."""
    top = 160 * float(np.nanmax([end.max() for _, curve in curves[:2] for end in (curve.values, curve.high)]))
    axes.set_ylim(0, top)
    for i, (name, curve) in enumerate(curves):
        style, peak = series(i), 100 * float(curve.values.max())
        axes.plot(x, 100 * curve.values, label=name if peak < top else f"{name} (to {peak:.0f} %)", **style)
        axes.fill_between(x, 100 * curve.low, 100 * curve.high, color=style["color"], alpha=0.15, linewidth=0)


def _estimate(values: Floats) -> Estimate:
    """Return the first value, which was observed, with the interval of the others, which were resampled."""
    return resampled_estimate(float(values[0]), values[1:])
