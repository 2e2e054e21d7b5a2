"""Table 4: what each part of the network is worth. The network without it is trained and measured in the same way."""

from __future__ import annotations

from memsum.training.experiments.config import (
    FULL,
    GRU_EHE,
    STOP_SENTENCE,
    WITHOUT_AUTO_STOP,
    WITHOUT_EHE,
    WITHOUT_GCE,
    WITHOUT_LSE,
)
from memsum.training.experiments.context import Context
from memsum.training.experiments.reports import ExperimentReport
from memsum.training.experiments.scores import LENGTH, Claim, conclude, difference_table, score_table, signatures

VARIANTS = (FULL, WITHOUT_LSE, WITHOUT_GCE, WITHOUT_EHE, GRU_EHE, WITHOUT_AUTO_STOP, STOP_SENTENCE)


def run(context: Context) -> ExperimentReport:
    """Train all variants on the main corpus and compare each with the full network."""
    corpus = context.main
    data = corpus.data("test")
    context.train(VARIANTS, corpus)
    systems = [context.scores(variant, corpus, data) for variant in VARIANTS]
    full, no_lse, no_gce, no_ehe, gru, no_stop, stop = systems
    claims = (
        Claim(no_lse, full, "worse"),
        Claim(no_gce, full, "worse"),
        Claim(no_gce, no_lse, "worse"),
        Claim(no_ehe, full, "worse"),
        Claim(gru, full, "not distinguishable"),
        Claim(no_stop, full, "worse"),
        Claim(stop, full, "worse"),
        Claim(stop, full, "worse", LENGTH),
    )
    return ExperimentReport(
        title="Ablation",
        question="What is each part of the network worth? (Table 4)",
        tables=(
            score_table("ablation", f"Ablation on {corpus.name}", systems),
            difference_table("ablation-differences", "What each change costs", full, systems[1:]),
        ),
        conclusions=tuple(map(conclude, claims)),
        signatures=signatures(data.signature, systems),
    )
