"""Appendix B: are scores on validation documents, on which models are chosen, those on test documents?"""

from __future__ import annotations

from memsum.training.experiments.config import FULL
from memsum.training.experiments.context import Context
from memsum.training.experiments.reports import ExperimentReport
from memsum.training.experiments.scores import MEAN, ROUGE, Scores, score_note, signatures, than, verdict
from memsum.training.report.statistics import unpaired_bootstrap
from memsum.training.report.table import Row, Table


def run(context: Context) -> ExperimentReport:
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
        conclusions.append(_conclude(corpus.name, valid, test))
        lines += signatures(f"{both['valid'].signature} {both['test'].signature}", [test])
        all_scores.append(test)
    head = ("corpus", *(f"{split}, {measure}" for split in ("validation", "test") for measure in ROUGE))
    return ExperimentReport(
        title="Validation and test",
        question="Does what validation promises hold for other documents? (Appendix B)",
        tables=(
            Table(
                "validation",
                f"{FULL.name} on validation and test documents",
                head,
                tuple(rows),
                (score_note(all_scores),),
            ),
        ),
        conclusions=tuple(conclusions),
        signatures=tuple(dict.fromkeys(lines)),
    )


def _conclude(corpus: str, valid: Scores, test: Scores) -> str:
    found = unpaired_bootstrap(test.measures[MEAN], valid.measures[MEAN])
    low, high = found.low, found.high
    ours = verdict(found)
    agreement = "as in the paper" if ours == "not distinguishable" else "the paper finds no such difference"
    return (
        f"On {corpus}, the score on test documents is {than(ours)} that on validation documents "
        f"({found.difference:+.2f} mean ROUGE, 95 % interval {low:+.2f} to {high:+.2f}): {agreement}."
    )
