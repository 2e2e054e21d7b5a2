"""What may be said of two systems follows from intervals over documents and trainings."""

from __future__ import annotations

import numpy as np
import pytest

from memsum_train.evaluation.measuring import MEAN, Scores
from memsum_train.experiments.comparisons import conclude, verdict
from memsum_train.report.statistics import paired_bootstrap, unpaired_bootstrap

rng = np.random.default_rng(4)
DOCUMENTS = rng.normal(30, 8, size=60)


def scores(name: str, *trainings: np.ndarray, lengths: float = 5.0) -> Scores:
    values = np.array(trainings) / 100
    return Scores(name, (), {MEAN: values, "sentences": np.full(values.shape, lengths)})


def test_one_training_each_is_the_paired_bootstrap_of_evaluation() -> None:
    ours, theirs = DOCUMENTS + rng.normal(1, 2, 60), DOCUMENTS
    found = scores("A", ours).minus(scores("B", theirs), MEAN)
    assert found == paired_bootstrap(ours / 100, theirs / 100)
    assert verdict(found) == "better"
    assert verdict(scores("B", theirs).minus(scores("A", ours), MEAN)) == "worse"


def test_trainings_that_disagree_widen_the_interval() -> None:
    agreeing = scores("A", DOCUMENTS + 1.5, DOCUMENTS + 1.4, DOCUMENTS + 1.45)
    disagreeing = scores("A", DOCUMENTS + 4.0, DOCUMENTS - 1.1, DOCUMENTS + 1.45)
    base = scores("B", DOCUMENTS, DOCUMENTS, DOCUMENTS)
    sure, unsure = agreeing.minus(base, MEAN), disagreeing.minus(base, MEAN)
    assert sure.difference == pytest.approx(unsure.difference)
    assert verdict(sure) == "better"
    assert verdict(unsure) == "not distinguishable"
    assert unsure.low < -0.01 < 0.039 < unsure.high


def test_what_does_not_learn_is_compared_with_every_training() -> None:
    found = scores("A", DOCUMENTS + 1, DOCUMENTS + 3).minus(scores("rule", DOCUMENTS), MEAN)
    assert found.difference == pytest.approx(0.02)


def test_different_documents_are_compared_without_pairing() -> None:
    first, second = DOCUMENTS[None, :30], DOCUMENTS[None, 30:] - 20
    assert verdict(unpaired_bootstrap(first, second)) == "better"
    assert verdict(unpaired_bootstrap(first, first + 0.01)) == "not distinguishable"


@pytest.mark.parametrize(
    ("shift", "paper", "says"),
    [
        (-2.0, -1.8, "-2.00); paper -1.80: worse, in the same direction as in the paper."),
        (+2.0, -1.8, "+2.00); paper -1.80: better, in the other direction than in the paper."),
        (-2.0, -0.12, "; paper -0.12: worse."),
        (0.0, -0.12, "; paper -0.12: not distinguishable."),
        (2.0, None, "A against B: +2.00 mean ROUGE (95 % interval +2.00 to +2.00): better."),
    ],
)
def test_sentences_give_both_sizes_and_what_the_interval_allows(shift: float, paper: float | None, says: str) -> None:
    three = (DOCUMENTS + shift,) * 3
    assert says in conclude(scores("A", *three), scores("B", DOCUMENTS), MEAN, paper)


@pytest.mark.parametrize(
    ("trainings", "documents", "says"),
    [
        (1, 60, "no verdict (trained once: the interval lacks the chance in training)."),
        (2, 60, "no verdict (trained twice: the interval lacks the chance in training)."),
        (3, 19, "A against B: +2.00 mean ROUGE; paper +1.00: no verdict (fewer than 20 documents: no intervals)."),
    ],
)
def test_below_a_size_there_is_no_verdict(trainings: int, documents: int, says: str) -> None:
    base = DOCUMENTS[:documents]
    first, second = (scores(name, *(base + more,) * trainings) for name, more in (("A", 2.0), ("B", 0.0)))
    assert conclude(first, second, MEAN, 1.0).endswith(says)


def test_a_large_difference_with_a_wide_interval_is_no_difference() -> None:
    noisy = DOCUMENTS + 3 + np.tile([40, -40], 30)
    assert "not distinguishable" in conclude(scores("A", *(noisy,) * 3), scores("B", DOCUMENTS), MEAN, 1.0)


def test_other_measures_have_their_units() -> None:
    short, long = (scores(name, *(DOCUMENTS,) * 3, lengths=n) for name, n in (("A", 3), ("B", 6)))
    assert conclude(short, long, "sentences", -2.1).startswith("A against B: -3.00 sentences (95 %")
