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
from memsum.training.corpus.records import Example
from memsum.training.corpus.stats import words_of
from memsum.training.corpus.variants import keep_introduction
from memsum.training.evaluation import Prediction, System, make_data, parse_baseline
from memsum.training.experiments.config import FULL, Split
from memsum.training.experiments.context import Context
from memsum.training.experiments.reports import ExperimentReport, Picture
from memsum.training.experiments.scores import Verdict, verdict
from memsum.training.report.figures import drawing, series
from memsum.training.report.statistics import RESAMPLES, SEED, Estimate, interval, resampled_estimate
from memsum.training.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

WORDS = 512  # the input of BERT, on which the paper's MatchSum is built
CUT = f"{FULL.name}, first {WORDS} words"
EARLY = 15  # sentences: the paper finds that a model of 512 tokens takes nearly all of its own from these
_NEARER: dict[Verdict, tuple[str, str]] = {
    "better": ("nearer to the oracle's than", "as in the paper"),
    "worse": ("farther from the oracle's than", "this contradicts the paper"),
    "not distinguishable": ("neither nearer to the oracle's nor farther from them than", "the paper finds nearer"),
}
_RELATIVE_BINS = 20
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
            _view("Whole documents", examples, full, (f"{FULL.name}, introductions", short, parts)),
            _view("Introductions", [part.example for part in parts], short),
        ]
    else:
        views = [_view("Whole documents", examples, full)]
    found = [measure_positions([_extract(context, view, *shown) for shown in view.shown]) for view in views]
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


def _view(title: str, documents: Sequence[Example], system: System, *more: tuple[str, System, Sequence[Part]]) -> View:
    all_of_it = list(map(whole, documents))
    return View(
        title,
        documents,
        [
            ("oracle", parse_baseline("oracle"), all_of_it),
            (FULL.name, system, all_of_it),
            (CUT, system, list(map(beginning, documents))),
            *more,
        ],
    )


def _extract(context: Context, view: View, name: str, system: System, parts: Sequence[Part]) -> Placement:
    summaries = context.summarize(system, make_data(view.title.lower(), [part.example for part in parts]))
    taken = (
        Taken(part.restore(prediction), len(document.text))
        for part, prediction, document in zip(parts, summaries.predictions, view.documents, strict=True)
    )
    return Placement(name, tuple(taken))


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
            shares = map(_percent, (one.mean, one.first_tenth, one.early))
            rows.append((view.title, one.name, str(one.sentences), *shares, _percent(one.distance) if i else None))
    return Table(
        name="positions",
        title="Where systems take their sentences",
        head=(
            "documents",
            "system",
            "sentences",
            "mean position, %",
            "in the first tenth, %",
            f"in the first {EARLY} sentences, %",
            "distance from the oracle, %",
        ),
        rows=tuple(rows),
        notes=(
            f"{len(views[0].documents)} documents, 95 % intervals over these. The distance is the earth mover's, in "
            "per cent of the document: how far the sentences would have to be moved, on the average, to lie as the "
            "oracle's do; chance alone makes it greater than 0.",
        ),
    )


def _percent(estimate: Estimate) -> Number:
    return Number.estimate(estimate, 100, digits=1)


def _conclude(view: View, found: Sequence[Positions]) -> str:
    """State whether the system that sees everything lies nearer to the oracle than that which sees the beginning."""
    by_name = {positions.name: positions for positions in found}
    full, cut = by_name[FULL.name], by_name[CUT]
    gain = full.nearer(cut)
    lie, agreement = _NEARER[verdict(gain)]
    return (
        f"{view.title}: the sentences of {full.name} lie {lie} those of {cut.name} (distances of "
        f"{_shown(full.distance)} and {_shown(cut.distance)} of the document, difference {_shown(gain)}): {agreement}."
    )


def _shown(estimate: Estimate) -> str:
    return f"{100 * estimate.mean:.1f} % ({100 * estimate.low:.1f}–{100 * estimate.high:.1f})"


@dataclass(frozen=True)
class Taken:
    """The sentences that a system takes from one document, by their indices, and how many the document has."""

    indices: tuple[int, ...]
    sentences: int


@dataclass(frozen=True)
class Placement:
    """The sentences that one system takes from all documents."""

    name: str
    documents: tuple[Taken, ...]


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


def measure_positions(placements: Sequence[Placement], seed: int = SEED) -> list[Positions]:
    """Describe each system; the first one is the oracle. All have the same documents in the same order."""
    count = len(placements[0].documents)
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    resamples = np.vstack([np.ones(count), weights])  # (1 + R, D): first what was observed
    counts = [_Counts.of(placement) for placement in placements]
    oracle = _shares(counts[0].relative, counts[0].totals, resamples)
    named = zip(placements, counts, strict=True)
    return [_describe(placement.name, one, oracle, resamples) for placement, one in named]


def _describe(name: str, counts: _Counts, oracle: Floats, resamples: Floats) -> Positions:
    def shares(values: Floats) -> Floats:
        return _shares(values, counts.totals, resamples)

    relative = shares(counts.relative)
    moved = np.abs(np.cumsum(relative - oracle, axis=1)).sum(axis=1) / _RELATIVE_BINS
    return Positions(
        name=name,
        sentences=int(counts.totals.sum()),
        mean=_estimate(shares(counts.middles)),
        first_tenth=_estimate(shares(counts.relative[:, : _RELATIVE_BINS // 10].sum(axis=1))),
        early=_estimate(shares(counts.early)),
        distances=moved,
        relative=_distribution(relative),
        absolute=_distribution(shares(counts.absolute)),
    )


def _shares(values: Floats, totals: Floats, resamples: Floats) -> Floats:
    """Return what documents have (D, …) as shares of all that was taken, in each resample (1 + R, …)."""
    sums = np.maximum(resamples @ totals, 1)  # nothing is a share of nothing
    return np.asarray((resamples @ values) / sums.reshape(-1, *[1] * (values.ndim - 1)))


@dataclass(frozen=True)
class _Counts:
    """Numbers of sentences taken from each document, by position."""

    totals: Floats  # (D,)
    middles: Floats  # (D,) sum of the relative positions of the sentences' middles
    early: Floats  # (D,)
    relative: Floats  # (D, bins): a sentence of a short document lies in several bins, by shares
    absolute: Floats  # (D, bins): what is later is in none

    @classmethod
    def of(cls, placement: Placement) -> _Counts:
        edges = np.linspace(0, 1, _RELATIVE_BINS + 1)
        relative = np.zeros((len(placement.documents), _RELATIVE_BINS))
        absolute = np.zeros((len(placement.documents), _ABSOLUTE_BINS))
        middles = np.zeros(len(placement.documents))
        for row, taken in enumerate(placement.documents):
            indices = np.array(taken.indices, np.float64)[:, None]  # (k, 1)
            low, high = indices / taken.sentences, (indices + 1) / taken.sentences
            inside = np.clip(np.minimum(high, edges[1:]) - np.maximum(low, edges[:-1]), 0, None)
            relative[row] = (inside * taken.sentences).sum(axis=0)
            middles[row] = ((low + high) / 2).sum()
            absolute[row], _ = np.histogram(
                indices, bins=_ABSOLUTE_BINS, range=(0, _ABSOLUTE_BINS * _ABSOLUTE_STEP - 0.5)
            )
        early = np.array([sum(i < EARLY for i in taken.indices) for taken in placement.documents], np.float64)
        totals = np.array([len(taken.indices) for taken in placement.documents], np.float64)
        return cls(totals, middles, early, relative, absolute)


def draw_positions(whole: Sequence[Positions], introductions: Sequence[Positions], note: str) -> Figure:
    """Draw whole documents by the share of the document, and below them introductions by sentence, as Figure 3 does."""
    rows = 2 if introductions else 1
    with drawing(rows, height=2.9 * rows + 0.3, note=note) as (figure, axes):
        centres = 100 / _RELATIVE_BINS * (np.arange(_RELATIVE_BINS) + 0.5)
        _draw(axes[0], centres, [(positions.name, positions.relative) for positions in whole])
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
    top = 160 * max(curve.high.max() for _, curve in curves[:2])
    axes.set_ylim(0, top)
    for i, (name, curve) in enumerate(curves):
        style, peak = series(i), 100 * float(curve.values.max())
        axes.plot(x, 100 * curve.values, label=name if peak < top else f"{name} (to {peak:.0f} %)", **style)
        axes.fill_between(x, 100 * curve.low, 100 * curve.high, color=style["color"], alpha=0.15, linewidth=0)


def _estimate(values: Floats) -> Estimate:
    """Return the first value, which was observed, with the interval of the others, which were resampled."""
    return resampled_estimate(float(values[0]), values[1:])


def _distribution(values: Floats) -> Distribution:
    return Distribution(values[0], *interval(values[1:]))
