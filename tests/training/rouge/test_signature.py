"""Every corpus-level number says how it was computed."""

from __future__ import annotations

import numpy as np
import pytest

from memsum import __version__
from memsum.errors import MemsumError
from memsum.training.report.statistics import estimate_mean, resampling_signature
from memsum.training.rouge import VARIANTS, Signature, aggregate, score_many

PREDICTIONS = ["Storms delayed the ferries.", "The mayor resigned on Monday.", "Wheat prices fell."]
REFERENCES = ["A storm delayed two ferries.", "The mayor stepped down.", "Wheat and maize prices fell sharply."]


def test_a_signature_reads_like_sacrebleu():
    assert str(Signature("rouge1")) == f"rouge1|f1|tokens:a-z0-9|stemmer:porter|lsum:newline|memsum:{__version__}"


def test_corpus_scores_are_means_with_intervals():
    scores = score_many(PREDICTIONS, REFERENCES)
    estimates = aggregate(scores, resamples=50, seed=7)
    assert len(estimates) == len(VARIANTS)
    for column, estimate in enumerate(estimates):
        values = scores[:, column, 2]
        assert estimate.mean == pytest.approx(values.mean())
        assert estimate == estimate_mean(values, resamples=50, seed=7)


def test_other_measures():
    scores = score_many(PREDICTIONS, REFERENCES)
    [recall, *_] = aggregate(scores, "recall")
    assert recall.mean == pytest.approx(scores[:, 0, 1].mean())
    assert str(Signature("rouge1", "recall")).startswith("rouge1|recall|")
    with pytest.raises(MemsumError, match="no measure called 'f2'"):
        aggregate(scores, "f2")


def test_the_resampling_is_part_of_a_signature():
    assert resampling_signature(7) == "bootstrap:1000|level:0.95|seed:7"


def test_no_documents_are_refused():
    with pytest.raises(MemsumError):
        aggregate(np.zeros((0, 4, 3)))
