"""Tables of trained networks: the ablation (Table 5), the comparison with other systems (Tables 2 and 3), and the
validation scores beside those on test documents (Appendix B).
"""

from __future__ import annotations

import numpy as np

from memsum_train.evaluation import Data, PredictionsFile, parse_baseline
from memsum_train.experiments.config import ABLATION, COMPARED, FULL, Corpus
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport
from memsum_train.experiments.scores import (
    LENGTH,
    MEAN,
    ROUGE,
    Claim,
    Scores,
    conclude,
    difference_table,
    interval_of,
    score_note,
    score_table,
    signatures,
)
from memsum_train.report.statistics import unpaired_bootstrap
from memsum_train.report.table import Row, Table

RANKINGS = {"Lead": "lead", "LexRank": "lexrank"}

# Tables 2 and 3 of the paper: ROUGE-1, 2 and L, on data and by scripts that are not ours.
DATASETS = ("PubMed", "arXiv", "PubMed-trunc", "GovReport")

_PUBLISHED = """
ORACLE: 61.99 / 34.95 / 56.76 | 60.00 / 30.60 / 53.03 | 45.12 / 20.33 / 40.19 | 75.56 / 45.91 / 72.51
Lead: 37.45 / 14.19 / 34.07 | 35.52 / 10.33 / 31.44 | 37.58 / 12.22 / 33.44 | 50.94 / 19.53 / 48.45
SummaRuNNer: 43.89 / 18.78 / 30.36 | 42.81 / 16.52 / 28.23 | - | -
NeuSum: 47.46 / 21.92 / 42.87 | 47.49 / 21.56 / 41.58 | - | 58.94 / 25.38 / 55.80
MemSum: 49.25 / 22.94 / 44.42 | 48.42 / 20.30 / 42.54 | 43.08 / 16.71 / 38.30 | 59.43 / 28.60 / 56.69
Atten-Cont: 44.85 / 19.70 / 31.43 | 43.62 / 17.36 / 29.14 | - | -
Sent-CLF: 45.01 / 19.91 / 41.16 | 34.01 / 8.71 / 30.41 | - | -
Sent-PTR: 43.30 / 17.92 / 39.47 | 42.32 / 15.63 / 38.06 | - | -
MatchSum: - | - | 41.21 / 14.91 / 36.75 | -
PEGASUS: 45.97 / 20.15 / 41.34 | 44.21 / 16.95 / 38.83 | - | -
BigBird: 46.32 / 20.65 / 42.33 | 46.63 / 19.02 / 41.77 | - | -
Dancer: 46.34 / 19.97 / 42.42 | 45.01 / 17.60 / 40.56 | - | -
Hepos-Sinkhorn: 47.93 / 20.74 / 42.58 | 47.87 / 20.00 / 41.50 | - | 56.86 / 22.62 / 53.82
Hepos-LSH: 48.12 / 21.06 / 42.72 | 48.24 / 20.26 / 41.78 | - | 55.00 / 21.13 / 51.67
"""
PUBLISHED: dict[str, list[str | None]] = {
    name: [figures.strip() if figures.strip() != "-" else None for figures in row.split("|")]
    for name, row in (line.split(": ") for line in _PUBLISHED.split("\n")[1:-1])
}


def run_comparison(context: Context) -> ExperimentReport:
    """Compare on every corpus; predictions files are of the main one."""
    tables: list[Table] = []
    conclusions: list[str] = []
    lines: list[str] = []
    measured: dict[str, list[Scores]] = {}
    for corpus in context.corpora:
        data = corpus.data("test")
        systems = _systems(context, corpus, data)
        measured[corpus.name] = systems
        *others, full = systems
        tables.append(score_table(f"comparison-{corpus.name}", f"Systems on {corpus.name}", systems))
        tables.append(difference_table(f"differences-{corpus.name}", f"Compared with {FULL.name}", full, others))
        oracle, lead, lexrank, *given, neusum = others
        # The paper's differences are those on PubMed (Table 2), in the mean of the three scores.
        claims = [Claim(full, neusum, 1.45), Claim(full, lead, 10.30), Claim(full, lexrank)]
        claims += [*(Claim(full, other) for other in given), Claim(full, oracle, -12.36)]
        conclusions += [f"On {corpus.name}: {conclude(claim)}" for claim in claims]
        lines += signatures(data.signature, systems)
    tables.append(_published(measured))
    return ExperimentReport(
        title="Comparison",
        question="How does the policy compare with extraction by rules, by learned baselines, and with the ceiling of "
        "extraction? (Tables 2 and 3)",
        tables=tuple(tables),
        conclusions=tuple(conclusions),
        signatures=tuple(dict.fromkeys(lines)),
    )


def _systems(context: Context, corpus: Corpus, data: Data) -> list[Scores]:
    """Return the oracle, rules, predictions, and trained systems; the policy is the last."""
    from memsum_train.learning.validation import MAXIMA

    context.train(COMPARED, corpus)
    full, neusum = (context.scores(variant, corpus, data) for variant in COMPARED)
    oracle = Scores.of("ORACLE", [context.summarize(parse_baseline("oracle"), data)])
    most, valid, rules = context.config.training.max_sentences, corpus.data("valid"), []
    for title, ranking in RANKINGS.items():  # of as many sentences as validation finds best, as all models take
        tried = [parse_baseline(f"{ranking}-{k}") for k in sorted({k for k in MAXIMA if k < most} | {most})]
        scores = [Scores.of(title, [context.summarize(system, valid)]).measures[MEAN].mean() for system in tried]
        best = tried[int(np.argmax(scores))]
        rules.append(Scores.of(best.name.replace(ranking, title), [context.summarize(best, data)]))
    files = context.config.predictions if corpus == context.main else {}
    given = [PredictionsFile.open(name, path, data) for name, path in files.items()]
    others = [Scores.of(system.name, [context.summarize(system, data)]) for system in given]
    return [oracle, *rules, *others, neusum, full]


def _published(measured: dict[str, list[Scores]]) -> Table:
    """Return the scores measured here beside those of the paper's tables on other data."""
    here = {
        corpus: {
            scores.name.split("-")[0]: " / ".join(f"{scores.measures[measure].mean():.2f}" for measure in ROUGE)
            for scores in systems
        }
        for corpus, systems in measured.items()
    }
    names = list(dict.fromkeys([*(name for systems in here.values() for name in systems), *PUBLISHED]))
    rows: list[Row] = []
    for name in names:
        there = PUBLISHED.get(name, [None] * len(DATASETS))
        rows.append((name, *(here[corpus].get(name) for corpus in here), *there))
    head = ("system", *(f"{corpus}, here" for corpus in here), *(f"{dataset}†" for dataset in DATASETS))
    note = (
        "R-1 / R-2 / R-L. † As published in the paper, on other data, with far more of it, and by other ROUGE scripts: "
        "to be read beside our numbers, not against them."
    )
    return Table("published", "Measured here, and published on other data", head, tuple(rows), (note,))


def run_ablation(context: Context) -> ExperimentReport:
    """Train all variants on the main corpus and compare each with the full network."""
    corpus = context.main
    data = corpus.data("test")
    context.train(ABLATION, corpus)
    systems = [context.scores(variant, corpus, data) for variant in ABLATION]
    full, no_lse, no_gce, no_ehe, gru, no_stop, stop = systems
    claims = (
        Claim(no_lse, full, -1.03),
        Claim(no_gce, full, -2.50),
        Claim(no_gce, no_lse, -1.47),
        Claim(no_ehe, full, -0.74),
        Claim(gru, full, -0.12),
        Claim(no_stop, full, -0.68),
        Claim(stop, full, -1.81),
        Claim(stop, full, -2.1, LENGTH),
    )
    return ExperimentReport(
        title="Ablation",
        question="What is each part of the network worth? (Table 5)",
        tables=(
            score_table("ablation", f"Ablation on {corpus.name}", systems),
            difference_table("ablation-differences", "What each change costs", full, systems[1:]),
        ),
        conclusions=tuple(map(conclude, claims)),
        signatures=signatures(data.signature, systems),
    )


def run_validation(context: Context) -> ExperimentReport:
    """Measure the policy on both, corpus by corpus."""
    rows: list[Row] = []
    conclusions: list[str] = []
    lines: list[str] = []
    all_scores: list[Scores] = []
    for corpus in context.corpora:
        context.train([FULL], corpus)
        both = {split: corpus.data(split) for split in ("valid", "test")}
        valid, test = (context.scores(FULL, corpus, data) for data in both.values())
        rows.append((corpus.name, *(scores.number(measure) for scores in (valid, test) for measure in ROUGE)))
        found = unpaired_bootstrap(test.measures[MEAN], valid.measures[MEAN])
        conclusions.append(f"On {corpus.name}, test minus validation: {interval_of(found)}; paper, on PubMed, +0.07.")
        lines += signatures(f"{both['valid'].signature} {both['test'].signature}", [test])
        all_scores.append(test)
    head = ("corpus", *(f"{split}, {measure}" for split in ("validation", "test") for measure in ROUGE))
    title = f"{FULL.name} on validation and test documents"
    return ExperimentReport(
        title="Validation and test",
        question="Does what validation promises hold for other documents? (Appendix B)",
        tables=(Table("validation", title, head, tuple(rows), (score_note(all_scores),)),),
        conclusions=tuple(conclusions),
        signatures=tuple(dict.fromkeys(lines)),
    )
