"""Table 5: does a policy that knows what it has extracted avoid extracting it again? Every sentence is there twice.

The networks are those of the other experiments. They learn from documents some of which are shown with copies of their
sentences (`training.twins`; the paper doubles all), and of copies episodes take either at random. They are tested on
exact copies, on near ones (one or two words left out), and on the documents as they are. The control is the full
network with an empty history at every step: if it avoids copies too, then not by memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from memsum.training.corpus.variants import repeat_sentences
from memsum.training.evaluation import Data, Prediction
from memsum.training.experiments import case_study
from memsum.training.experiments.config import FULL, WITHOUT_EHE, WITHOUT_REPEATS_LOSS, Variant
from memsum.training.experiments.context import Context
from memsum.training.experiments.reports import ExperimentReport
from memsum.training.experiments.scores import (
    REPEATS,
    Claim,
    Scores,
    conclude,
    difference_table,
    score_table,
    signatures,
)

BLOCKED = f"{WITHOUT_EHE.name} + 3-gram blocking"
ZEROED = f"{FULL.name}, history zeroed"


@dataclass(frozen=True)
class Compared:
    """The systems on one kind of documents."""

    data: Data
    full: Scores
    zeroed: Scores
    paper: Scores  # trained with the paper's loss alone
    no_ehe: Scores
    blocked: Scores

    @property
    def systems(self) -> list[Scores]:
        """All of them, the full network first."""
        return [self.full, self.zeroed, self.paper, self.no_ehe, self.blocked]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the paper says of them on documents with every sentence twice."""
        return (
            Claim(self.no_ehe, self.full, "better", REPEATS),
            Claim(self.no_ehe, self.full, "worse"),
            Claim(self.blocked, self.no_ehe, "worse", REPEATS),
            Claim(self.blocked, self.no_ehe, "better"),
            Claim(self.blocked, self.full, "worse"),
            Claim(self.zeroed, self.full, None, REPEATS),
            Claim(self.paper, self.full, None, REPEATS),
            Claim(self.paper, self.full),
        )


def run(context: Context) -> ExperimentReport:
    """Compare networks with and without memory on three kinds of documents; add the case study."""
    name = context.main.name
    context.train((FULL, WITHOUT_REPEATS_LOSS, WITHOUT_EHE), context.main)
    copies = (("redundant", repeat_sentences), ("near", partial(repeat_sentences, near=True)))
    exact, near = (_compare(context, context.derive(context.main, *how).data("test")) for how in copies)
    once = _compare(context, context.main.data("test"), doubled=False)
    study = case_study.run(context)
    return ExperimentReport(
        title="Redundancy",
        question="Does knowing what was extracted keep the policy from extracting it again? (Table 5, Figure 4)",
        tables=(
            score_table("redundancy", f"Every sentence of {name} twice", exact.systems, repeats=True),
            difference_table("redundancy-differences", "Compared with the full network", exact.full, exact.systems[1:]),
            score_table("near", f"Every sentence of {name} and a near copy of it", near.systems, repeats=True),
            score_table("once", f"The same networks on {name} as they are", once.systems),
            *study.tables,
        ),
        figures=study.figures,
        pages=study.pages,
        conclusions=(
            _duplicates(exact.full, "exact copies", "the paper: 0 %"),
            _duplicates(near.full, "near copies", "the paper does not say"),
            *map(conclude, exact.claims),
            "On documents as they are: " + conclude(Claim(once.paper, once.full)),
            *study.conclusions,
        ),
        signatures=(
            *signatures(str(exact.data), exact.systems),
            str(near.data),
            str(once.data),
            *study.signatures,
        ),
    )


def _compare(context: Context, data: Data, *, doubled: bool = True) -> Compared:
    def scores(variant: Variant, name: str, *, block: bool = False, forget: bool = False) -> Scores:
        systems = (
            context.system(variant, seed=seed, name=name, block_trigrams=block, see_repeats=doubled, forget=forget)
            for seed in context.seeds
        )
        runs = [context.summarise(system, data) for system in systems]
        if doubled:
            shares = (count_twins(run.predictions) for run in runs)
            runs = [
                replace(run, measures=replace(run.measures, repeats=share))
                for run, share in zip(runs, shares, strict=True)
            ]
        return Scores.of(name, runs)

    return Compared(
        data,
        full=scores(FULL, FULL.name),
        zeroed=scores(FULL, ZEROED, forget=True),
        paper=scores(WITHOUT_REPEATS_LOSS, WITHOUT_REPEATS_LOSS.name),
        no_ehe=scores(WITHOUT_EHE, WITHOUT_EHE.name),
        blocked=scores(WITHOUT_EHE, BLOCKED, block=True),
    )


def count_twins(predictions: Sequence[Prediction]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The share of a summary's sentences of which the other copy is in it too, counted once a pair.

    In doubled documents, sentences 2n and 2n + 1 are copies, whether exact or not.
    """
    indices = [prediction.indices or () for prediction in predictions]
    return np.array([1 - len({i // 2 for i in taken}) / len(taken) if taken else 0.0 for taken in indices])


def _duplicates(full: Scores, copies: str, paper: str) -> str:
    share = full.estimate(REPEATS)
    said = "extracts hardly any sentence twice" if share.high <= 2 else "does extract sentences twice"
    return (
        f"With {copies}, {full.name} {said}: {share.mean:.1f} % of its sentences repeat another, 95 % interval "
        f"{share.low:.1f} to {share.high:.1f} ({paper})."
    )
