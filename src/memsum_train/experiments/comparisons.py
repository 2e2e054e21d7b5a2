"""Tables of systems on the same documents, and sentences that follow from the intervals of their differences.

The ablation (Table 5), the comparison with other systems (Tables 2 and 3), validation scores beside those on test
documents (Appendix B), and ROUGE over the threshold p_thres at which the policy's own stop ends a summary (Appendix D).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.evaluation.measuring import MEAN, MEASURES, Scores, difference_table, score_table
from memsum_train.evaluation.systems import file_system
from memsum_train.experiments.config import FULL, PAPER, VARIANTS, Corpus
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport
from memsum_train.report.figures import COLORS, drawing, series
from memsum_train.report.statistics import TOO_FEW, Comparison, resampling_signature, unpaired_bootstrap
from memsum_train.report.table import Row, Table
from memsum_train.rouge import rouge_signature

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUGE = ("rouge1", "rouge2", "rougeLsum")
COLUMNS = (*ROUGE, MEAN)

NEARNESS = "nearness"  # which only `positions` measures
_UNITS = {  # of differences, and what these are multiplied with
    MEAN: ("mean ROUGE", 100),
    "sentences": ("sentences", 1),
    "repeats": ("% duplicates", 100),
    NEARNESS: ("% of the document", 100),
}
_FEWEST_TRAININGS = 3  # of which something is said of a method, and not of the networks that it made
_NOTHING = 0.2  # a difference in the paper that has no direction: its own for GRU-EHE is 0.12, and not significant


def verdict(found: Comparison) -> str:
    """Return what the interval of a difference states about the first system."""
    if math.isnan(found.low):
        return "undecided"
    if found.low > 0:
        return "better"
    return "worse" if found.high < 0 else "not distinguishable"


def conclude(first: Scores, second: Scores, measure: str = MEAN, paper: float | None = None) -> str:
    """Write one sentence: the difference, its interval, the paper's difference, and what may be said of them."""
    found = first.minus(second, measure)
    ours, trainings = verdict(found), max(len(one.values[measure]) for one in (first, second))
    if ours == "undecided":
        said = f"no verdict ({TOO_FEW})"
    elif trainings < _FEWEST_TRAININGS:
        times = "once" if trainings == 1 else "twice"
        said = f"no verdict (trained {times}: the interval lacks the chance in training)"
    elif ours == "not distinguishable" or paper is None or abs(paper) < _NOTHING:
        said = ours
    else:
        same = (paper > 0) == (found.difference > 0)
        said = f"{ours}, in {'the same direction as' if same else 'the other direction than'} in the paper"
    published = "" if paper is None else f"; paper {paper:+.2f}"
    return f"{first.name} against {second.name}: {write_difference(found, measure)}{published}: {said}."


def write_difference(found: Comparison, measure: str = MEAN) -> str:
    """Write a difference with its interval, if it has one."""
    unit, scale = _UNITS[measure]
    low, high = scale * found.low, scale * found.high
    interval = "" if math.isnan(low) else f" (95 % interval {low:+.2f} to {high:+.2f})"
    return f"{scale * found.difference:+.2f} {unit}{interval}"


def compare(name: str, corpus: Corpus, systems: Sequence[Scores]) -> ExperimentReport:
    """Tabulate an experiment's systems on the test documents of a corpus, and conclude what it claims of them."""
    known = {one.name: one for one in systems}
    claims = [conclude(known[first], known[second], *rest) for first, second, *rest in PAPER[name]["claims"]]
    differences = difference_table(systems, COLUMNS, name=f"{name}-differences-{corpus.name}")
    note = "Each interval is for one comparison alone: among twenty, one is expected to be wrong."
    return ExperimentReport(
        tables=[
            tabulate(f"{name}-{corpus.name}", f"Systems on {corpus.name}", systems),
            replace(differences, title=f"{systems[0].name} minus each other system", notes=(note,)),
        ],
        conclusions=[f"On {corpus.name}: {claim}" for claim in claims],
        signatures=sign(corpus.data("test").signature, systems),
    )


def tabulate(name: str, title: str, systems: Sequence[Scores]) -> Table:
    """Tabulate scores, and say how they came about."""
    trainings = max(len(one.values[MEAN]) for one in systems)
    note = (
        f"{len(systems[0])} documents, {trainings} training(s) each; intervals are over documents and, where there are "
    )
    return score_table(title, systems, COLUMNS, name=name, notes=(f"{note}several, trainings.",))


def sign(data: str, systems: Sequence[Scores]) -> list[str]:
    """Return all that is needed to compute the scores again."""
    metric = f"{rouge_signature('+'.join(ROUGE))}|{resampling_signature()}"
    return [data, metric, *(f"{one.name}: {signature}" for one in systems for signature in one.signatures)]


def run_ablation(context: Context) -> ExperimentReport:
    """Train all variants on the main corpus and compare each with the full network."""
    corpus = context.main
    variants = [VARIANTS[name] for name in PAPER["ablation"]["systems"]]
    return compare("ablation", corpus, context.scores(variants, corpus, corpus.data("test")))


def run_comparison(context: Context) -> ExperimentReport:
    """Compare on every corpus; predictions files are of the main one."""
    report, measured = ExperimentReport(), {}
    for corpus in context.corpora:
        data = corpus.data("test")
        trained = context.scores([VARIANTS[name] for name in PAPER["comparison"]["systems"]], corpus, data)
        files = context.config.predictions if corpus == context.main else {}
        given = [context.summarize(file_system(name, path, data), data) for name, path in files.items()]
        oracle = replace(context.summarize(parse_baseline("oracle"), data), name="ORACLE")
        measured[corpus.name] = [*trained, *_rules(context, corpus), oracle, *given]
        compared = compare("comparison", corpus, measured[corpus.name])
        others = [f"On {corpus.name}: {conclude(trained[0], other)}" for other in given]
        report.tables += compared.tables
        report.conclusions += [*compared.conclusions, *others]
        report.signatures += compared.signatures
    report.tables.append(_beside_published(measured))
    return report


def _rules(context: Context, corpus: Corpus) -> list[Scores]:
    """Return Lead and LexRank of as many sentences as validation finds best, as all models take."""
    from memsum_train.learning.validation import MAXIMA

    most, scores = context.config.training.max_sentences, []
    for title, ranking in (("Lead", "lead"), ("LexRank", "lexrank")):
        tried = [parse_baseline(f"{ranking}-{k}") for k in sorted({k for k in MAXIMA if k < most} | {most})]
        best = max(tried, key=lambda one: context.summarize(one, corpus.data("valid")).values[MEAN].mean())
        scores.append(replace(context.summarize(best, corpus.data("test")), name=title))
    return scores


def _beside_published(measured: dict[str, list[Scores]]) -> Table:
    """Return the scores measured here beside those of the paper's tables on other data."""
    here: dict[str, dict[str, str]] = {}  # by system and corpus
    for corpus, systems in measured.items():
        for one in systems:
            shown = " / ".join(f"{100 * one.values[measure].mean():.2f}" for measure in ROUGE)
            here.setdefault(one.name, {})[corpus] = shown
    there, datasets = PAPER["comparison"]["published"], PAPER["comparison"]["datasets"]
    rows: list[Row] = [
        (name, *(here.get(name, {}).get(corpus) for corpus in measured), *there.get(name, [None] * len(datasets)))
        for name in dict.fromkeys([*here, *there])
    ]
    head = ("system", *(f"{corpus}, here" for corpus in measured), *(f"{dataset}†" for dataset in datasets))
    note = (
        "R-1 / R-2 / R-Lsum. † As published in the paper, on other data, with far more of it, and by other ROUGE "
        "scripts: to be read beside our numbers, not against them."
    )
    return Table("published", "Measured here, and published on other data", head, tuple(rows), (note,))


def run_validation(context: Context) -> ExperimentReport:
    """Measure the policy on both, corpus by corpus."""
    report = ExperimentReport()
    for corpus in context.corpora:
        both = [corpus.data(split) for split in ("valid", "test")]
        [valid], [test] = (context.scores([FULL], corpus, data) for data in both)
        rows = [replace(valid, name="validation"), replace(test, name="test")]
        title = f"{FULL.name} on validation and test documents of {corpus.name}"
        report.tables.append(score_table(title, rows, COLUMNS, name=f"validation-{corpus.name}"))
        found = write_difference(unpaired_bootstrap(test.values[MEAN], valid.values[MEAN]))
        report.conclusions.append(f"On {corpus.name}, test minus validation: {found}; paper, on PubMed, +0.07.")
        report.signatures += sign(" ".join(data.signature for data in both), [test])
    return report


def run_stopping(context: Context) -> ExperimentReport:
    """Draw one figure per corpus, on validation documents; the best threshold is measured on test ones."""
    report, thresholds = ExperimentReport(), PAPER["stopping"]["thresholds"]
    variants = [replace(FULL, name=f"p_thres {one:g}", threshold=one) for one in thresholds]
    for corpus in context.corpora:
        valid, test = (corpus.data(split) for split in ("valid", "test"))
        context.train([FULL], corpus)
        curve = context.scores(variants, corpus, valid)
        best = max(range(len(curve)), key=lambda i: (curve[i].values[MEAN].mean(), -i))
        name, title = f"stopping-{corpus.name}", f"Thresholds on {corpus.name}, validation documents"
        report.tables.append(tabulate(name, title, curve))
        caption = f"ROUGE and length over p_thres on {corpus.name}, validation documents; bands are 95 % intervals."
        report.figures[name] = (caption, _draw_curve(curve, best, valid.signature))
        near = [
            one.name for one in curve if one is not curve[best] and verdict(one.minus(curve[best], MEAN)) != "worse"
        ]
        where = f"{curve[best].name} scores highest (the paper: 0.5 to 0.8)"
        where += f"; not shown to be worse: {', '.join(near) or 'none'}."
        report.conclusions.append(f"On {corpus.name}, validation documents: {where}")
        ends = {0, len(variants) - 1} - {best}
        chosen, *rest = context.scores([variants[i] for i in (best, *sorted(ends))], corpus, test)
        report.conclusions += [f"On {corpus.name}, test documents: {conclude(chosen, end)}" for end in rest]
        report.signatures += [valid.signature, *sign(test.signature, [chosen])]
    return report


def _draw_curve(curve: Sequence[Scores], best: int, signature: str) -> Figure:
    thresholds = PAPER["stopping"]["thresholds"]
    with drawing(1, 2, note=signature) as (figure, (left, right)):
        for axes, measures, title in ((left, COLUMNS, "ROUGE F1"), (right, ("sentences",), "sentences extracted")):
            for i, measure in enumerate(measures):
                scale, estimates = MEASURES[measure].scale, [scores.estimate(measure) for scores in curve]
                lows, highs = [scale * e.low for e in estimates], [scale * e.high for e in estimates]
                axes.fill_between(thresholds, lows, highs, color=COLORS[i], alpha=0.15, linewidth=0)
                axes.plot(thresholds, [scale * e.mean for e in estimates], label=MEASURES[measure].title, **series(i))
            axes.axvline(thresholds[best], color="black", linewidth=0.8, linestyle=":")
            axes.set(xlabel="p_thres", ylabel=title, xticks=thresholds[1::2])
            axes.set_ylim(bottom=0)
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=4)
    return figure
