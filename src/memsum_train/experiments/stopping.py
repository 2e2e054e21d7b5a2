"""Appendix D: ROUGE over the threshold p_thres at which the policy's own stop ends a summary."""

from __future__ import annotations

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
Curve = dict[float, Scores]  # of each threshold on some documents


def run(context: Context) -> ExperimentReport:
    """Draw one figure per corpus, on validation documents; the best threshold is measured on test ones."""
    figures, tables, conclusions, lines = [], [], [], [metric_signature()]
    for corpus in context.corpora:
        context.train([FULL], corpus)
        data = [corpus.data(split) for split in ("valid", "test")]
        valid, test = (_curve(context, corpus, documents) for documents in data)
        lines += [documents.signature for documents in data]
        best = max(valid, key=lambda threshold: (valid[threshold].measures[MEAN].mean(), -threshold))
        caption = f"ROUGE and length over p_thres on {corpus.name}, validation documents; bands are 95 % intervals."
        figures.append(Picture(f"stopping-{corpus.name}", caption, _draw(valid, best, data[0].signature)))
        rows: list[Row] = []
        for threshold, scores in valid.items():
            mark, length = "*" if threshold == best else "", float(scores.measures[LENGTH].mean())
            cells = map(scores.number, (*ROUGE, MEAN))
            rows.append((f"{threshold:g}{mark}", *cells, Number(length, digits=1)))
        title, head = f"Thresholds on {corpus.name}, validation documents", ("p_thres", *ROUGE, MEAN, "sentences")
        tables.append(Table(f"stopping-{corpus.name}", title, head, tuple(rows), (f"* Best mean. {R_L}",)))
        near = [f"{t:g}" for t in valid if t != best and verdict(compare(valid[t], valid[best])) != "worse"]
        others = f"; not shown to be worse: {', '.join(near)}" if near else ", and all others are worse"
        where = f"p_thres {best:g} scores highest (the paper: 0.5 to 0.8){others}."
        conclusions.append(f"On {corpus.name}, validation documents: {where}")
        for end in {THRESHOLDS[0], THRESHOLDS[-1]} - {best}:
            conclusions.append(f"On {corpus.name}, test documents: {conclude(Claim(test[best], test[end]))}")
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

    by_seed: list[list[tuple[NDArray[np.float64], NDArray[np.int64]]]] = []  # scores and lengths of each threshold
    for seed in context.config.seeds:
        system = context.system(FULL, corpus, seed)
        context.say(f"playing {data.name} with {system.name}, seed {seed}")
        most = system.stop.max_sentences
        prefixes = PrefixScores(list(play_documents(system.model, data.examples, most)), data.examples)
        by_seed.append([prefixes.at(threshold, most) for threshold in THRESHOLDS])
    curve = {}
    for threshold, found in zip(THRESHOLDS, zip(*by_seed, strict=True), strict=True):
        rouge = 100 * np.stack([scores for scores, _ in found])  # (trainings, documents, 3)
        measures = {title: rouge[:, :, i] for i, title in enumerate(ROUGE)}
        measures |= {MEAN: rouge.mean(axis=2), LENGTH: np.stack([lengths for _, lengths in found]).astype(np.float64)}
        curve[threshold] = Scores(f"p_thres {threshold:g}", (), measures)
    return curve


def _draw(curve: Curve, best: float, signature: str) -> Figure:
    with drawing(1, 2, note=f"{signature} {metric_signature()}") as (figure, (left, right)):
        for axes, measures, title in ((left, (*ROUGE, MEAN), "ROUGE F1"), (right, (LENGTH,), "sentences extracted")):
            for i, measure in enumerate(measures):
                estimates = [scores.estimate(measure) for scores in curve.values()]
                lows, highs = [e.low for e in estimates], [e.high for e in estimates]
                axes.fill_between(THRESHOLDS, lows, highs, color=COLORS[i], alpha=0.15, linewidth=0)
                axes.plot(THRESHOLDS, [e.mean for e in estimates], label=measure, **series(i))
            axes.axvline(best, color="black", linewidth=0.8, linestyle=":")
            axes.set(xlabel="p_thres", ylabel=title, xticks=THRESHOLDS[1::2])
            axes.set_ylim(bottom=0)
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=4)
    return figure
