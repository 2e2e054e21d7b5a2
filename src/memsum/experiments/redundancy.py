"""Table 5: does a policy that knows what it has extracted avoid extracting it again? Every sentence is there twice."""

from __future__ import annotations

from memsum.corpus.redundant import repeat_sentences
from memsum.experiments import case_study
from memsum.experiments.claims import Claim, conclude
from memsum.experiments.context import Context, Report
from memsum.experiments.scores import REPEATS, Scores
from memsum.experiments.tables import difference_table, score_table, signatures
from memsum.experiments.variants import FULL, WITHOUT_AUTO_STOP, WITHOUT_EHE

BLOCKED = f"{WITHOUT_EHE.name} + 3-gram blocking"


def run(context: Context) -> Report:
    """Train on the redundant variant of the main corpus, and compare with the full network; add the case study."""
    corpus = context.derive(context.main, "redundant", repeat_sentences, keep_repeats=True)
    data = corpus.data("test")
    variants = (FULL, WITHOUT_AUTO_STOP, WITHOUT_EHE)
    context.train(variants, corpus)
    full, no_stop, no_ehe = (context.scores(variant, corpus, data) for variant in variants)
    blocked = context.scores(WITHOUT_EHE, corpus, data, name=BLOCKED, block_trigrams=True)
    systems = [full, no_stop, no_ehe, blocked]
    claims = (
        Claim(no_ehe, full, "better", REPEATS),
        Claim(no_ehe, full, "worse"),
        Claim(blocked, no_ehe, "worse", REPEATS),
        Claim(blocked, no_ehe, "better"),
        Claim(blocked, full, "worse"),
        Claim(no_stop, full, "worse"),
    )
    study = case_study.run(context)
    return Report(
        title="Redundancy",
        question="Does knowing what was extracted keep the policy from extracting it again? (Table 5, Figure 4)",
        tables=(
            score_table("redundancy", f"Every sentence of {context.main.name} twice", systems, repeats=True),
            difference_table("redundancy-differences", "Compared with the full network", full, systems[1:]),
            *study.tables,
        ),
        figures=study.figures,
        pages=study.pages,
        conclusions=(_duplicates(full), *map(conclude, claims), *study.conclusions),
        signatures=(*signatures(str(data), systems), *study.signatures),
    )


def _duplicates(full: Scores) -> str:
    share = full.estimate(REPEATS)
    low, high = share.interval.low, share.interval.high
    said = "extracts hardly any sentence twice" if high < 1 else "does extract sentences twice"
    return (
        f"{full.name} {said}: {share.value:.1f} % of its sentences repeat another, 95 % interval {low:.1f} to "
        f"{high:.1f} (the paper: 0 %)."
    )
