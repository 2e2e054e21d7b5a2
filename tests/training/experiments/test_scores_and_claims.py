"""What may be said of two systems follows from intervals over documents and trainings."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.training.experiments.scores import LENGTH, MEAN, Claim, Scores, compare, conclude, verdict
from memsum.training.report.statistics import paired_bootstrap, unpaired_bootstrap

rng = np.random.default_rng(4)
DOCUMENTS = rng.normal(30, 8, size=60)


def scores(name: str, *trainings: np.ndarray, lengths: float = 5.0) -> Scores:
    values = np.array(trainings)
    return Scores(name, (), {MEAN: values, LENGTH: np.full(values.shape, lengths)})


def test_one_training_each_is_the_paired_bootstrap_of_evaluation() -> None:
    ours, theirs = DOCUMENTS + rng.normal(1, 2, 60), DOCUMENTS
    found = compare(scores("A", ours), scores("B", theirs))
    assert found == paired_bootstrap(ours, theirs)
    assert verdict(found) == "better"
    assert verdict(compare(scores("B", theirs), scores("A", ours))) == "worse"


def test_trainings_that_disagree_widen_the_interval() -> None:
    """Two documents' worth of luck is not a better network."""
    agreeing = scores("A", DOCUMENTS + 1.5, DOCUMENTS + 1.4)
    disagreeing = scores("A", DOCUMENTS + 4.0, DOCUMENTS - 1.1)
    base = scores("B", DOCUMENTS, DOCUMENTS)
    sure, unsure = compare(agreeing, base), compare(disagreeing, base)
    assert sure.difference == pytest.approx(unsure.difference)
    assert verdict(sure) == "better"
    assert verdict(unsure) == "not distinguishable"
    assert unsure.low < -1 < 3.9 < unsure.high


def test_what_does_not_learn_is_compared_with_every_training() -> None:
    found = compare(scores("A", DOCUMENTS + 1, DOCUMENTS + 3), scores("rule", DOCUMENTS))
    assert found.difference == pytest.approx(2)


def test_different_documents_are_compared_without_pairing() -> None:
    first, second = DOCUMENTS[None, :30], DOCUMENTS[None, 30:] - 20
    assert verdict(unpaired_bootstrap(first, second)) == "better"
    assert verdict(unpaired_bootstrap(first, first + 0.01)) == "not distinguishable"


@pytest.mark.parametrize(
    ("shift", "paper", "says"),
    [
        (-2.0, "worse", "A is worse than B (-2.00 mean ROUGE, 95 % interval -2.00 to -2.00): as in the paper."),
        (
            +2.0,
            "worse",
            "A is better than B (+2.00 mean ROUGE, 95 % interval +2.00 to +2.00): this contradicts the paper.",
        ),
        (-2.0, "not distinguishable", "): the paper finds no difference."),
        (0.0, "not distinguishable", "A is not distinguishable from B"),
        (0.0, "better", "): the paper finds better, which these data neither confirm nor refute."),
        (2.0, None, "A is better than B (+2.00 mean ROUGE, 95 % interval +2.00 to +2.00)."),
    ],
)
def test_sentences_say_what_the_interval_allows(shift: float, paper: str | None, says: str) -> None:
    claim = Claim(scores("A", DOCUMENTS + shift), scores("B", DOCUMENTS), paper)  # type: ignore[arg-type]
    assert says in conclude(claim)


def test_a_large_difference_with_a_wide_interval_is_no_difference() -> None:
    noisy = DOCUMENTS + 3 + np.tile([40, -40], 30)
    said = conclude(Claim(scores("A", noisy), scores("B", DOCUMENTS), "better"))
    assert "not distinguishable" in said


def test_lengths_are_more_or_fewer_not_better() -> None:
    short, long = scores("A", DOCUMENTS, lengths=3), scores("B", DOCUMENTS, lengths=6)
    said = conclude(Claim(short, long, "worse", LENGTH))
    assert said.startswith("A has fewer sentences than B (-3.00 sentences")
    assert said.endswith("as in the paper.")
