"""Appendix D: ROUGE over the threshold p_thres at which the policy's own stop ends a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum_train.evaluation.stopping import PrefixScores
from memsum_train.experiments.config import FULL, Corpus
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Picture
from memsum_train.experiments.scores import (
    LENGTH,
    MEAN,
    R_L,
    ROUGE,
    Claim,
    Scores,
    compare,
    conclude,
    metric_signature,
    verdict,
)
from memsum_train.report.figures import COLORS, drawing, series
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memsum_train.evaluation import Data

THRESHOLDS = tuple(round(0.1 * step, 1) for step in range(1, 11))  # the paper's
Played = dict[float, tuple[NDArray[np.float64], NDArray[np.int64]]]  # scores and lengths by threshold


@dataclass(frozen=True)
class Curve:
    """The scores of each threshold on some documents."""

    data: str
    points: dict[float, Scores]

    @property
    def best(self) -> float:
        """Return the threshold with the highest mean; of equals, the lower."""
        return max(self.points, key=lambda threshold: (self.points[threshold].measures[MEAN].mean(), -threshold))


def run(context: Context) -> ExperimentReport:
    """Draw one figure per corpus, on validation documents; the best threshold is measured on test ones."""
    figures, tables, conclusions, lines = [], [], [], [metric_signature()]
    for corpus in context.corpora:
        context.train([FULL], corpus)
        valid, test = (_curve(context, corpus, corpus.data(split)) for split in ("valid", "test"))
        caption = f"ROUGE and length over p_thres on {corpus.name}, validation documents; bands are 95 % intervals."
        figures.append(Picture(f"stopping-{corpus.name}", caption, _draw(valid)))
        rows: list[Row] = []
        for threshold, scores in valid.points.items():
            mark, length = "*" if threshold == valid.best else "", float(scores.measures[LENGTH].mean())
            cells = map(scores.number, (*ROUGE, MEAN))
            rows.append((f"{threshold:g}{mark}", *cells, Number(length, digits=1)))
        title, head = f"Thresholds on {corpus.name}, validation documents", ("p_thres", *ROUGE, MEAN, "sentences")
        tables.append(Table(f"stopping-{corpus.name}", title, head, tuple(rows), (f"* Best mean. {R_L}",)))
        conclusions += _conclude(corpus, valid, test)
        lines += [valid.data, test.data]
    return ExperimentReport(
        title="Stopping",
        question="Where should the policy's own stop end a summary, and does it matter? (Appendix D)",
        tables=tuple(tables),
        figures=tuple(figures),
        conclusions=tuple(conclusions),
        signatures=tuple(lines),
    )


def _curve(context: Context, corpus: Corpus, data: Data) -> Curve:
    """Play each document once with each seed's model, and look all thresholds up."""
    from memsum_train.evaluation.playing import play_documents

    by_seed: list[Played] = []
    for seed in context.seeds:
        system = context.system(FULL, corpus, seed)
        context.say(f"playing {data.name} with {system.name}, seed {seed}")
        most = system.stop.max_sentences
        prefixes = PrefixScores(list(play_documents(system.model, data.examples, most)), data.examples)
        by_seed.append({threshold: prefixes.at(threshold, most) for threshold in THRESHOLDS})
    points = {}
    for threshold in THRESHOLDS:
        rouge = 100 * np.stack([found[threshold][0] for found in by_seed])  # (trainings, documents, 3)
        measures = {title: rouge[:, :, i] for i, title in enumerate(ROUGE)}
        lengths = np.stack([found[threshold][1] for found in by_seed]).astype(np.float64)
        measures |= {MEAN: rouge.mean(axis=2), LENGTH: lengths}
        points[threshold] = Scores(f"p_thres {threshold:g}", (), measures)
    return Curve(data.signature, points)


def _conclude(corpus: Corpus, valid: Curve, test: Curve) -> list[str]:
    """State whether the best threshold of validation beats both ends on test documents, and is a maximum."""
    best, ends = valid.best, (THRESHOLDS[0], THRESHOLDS[-1])
    compared = {t: compare(scores, valid.points[best]) for t, scores in valid.points.items() if t != best}
    near = [f"{threshold:g}" for threshold, one in compared.items() if verdict(one) != "worse"]
    others = f"; not shown to be worse: {', '.join(near)}" if near else ", and all others are worse"
    highest = f"p_thres {best:g} scores highest (the paper: 0.5 to 0.8){others}."
    said = [f"On {corpus.name}, validation documents: {highest}"]
    for end in ends:
        if best != end:
            claim = Claim(test.points[best], test.points[end])
            said.append(f"On {corpus.name}, test documents: {conclude(claim)}")
    if best in ends:
        said.append(f"On {corpus.name}, no maximum shows between the ends; the paper finds one on each of its corpora.")
    return said


def _draw(curve: Curve) -> Figure:
    thresholds = list(curve.points)
    with drawing(1, 2, note=f"{curve.data} {metric_signature()}") as (figure, (left, right)):
        for axes, measures, title in ((left, (*ROUGE, MEAN), "ROUGE F1"), (right, (LENGTH,), "sentences extracted")):
            for i, measure in enumerate(measures):
                estimates = [scores.estimate(measure) for scores in curve.points.values()]
                lows, highs = [e.low for e in estimates], [e.high for e in estimates]
                axes.fill_between(thresholds, lows, highs, color=COLORS[i], alpha=0.15, linewidth=0)
                axes.plot(thresholds, [e.mean for e in estimates], label=measure, **series(i))
            axes.axvline(curve.best, color="black", linewidth=0.8, linestyle=":")
            axes.set(xlabel="p_thres", ylabel=title, xticks=thresholds[1::2])
            axes.set_ylim(bottom=0)
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=4)
    return figure
