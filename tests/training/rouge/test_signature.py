"""Every corpus-level number says how it was computed."""

from __future__ import annotations

import numpy as np
import pytest

from memsum import __version__
from memsum.errors import MemsumError
from memsum.training.report.statistics import bootstrap_interval
from memsum.training.rouge import VARIANTS, Signature, score_many, summarise

PREDICTIONS = ["Storms delayed the ferries.", "The mayor resigned on Monday.", "Wheat prices fell."]
REFERENCES = ["A storm delayed two ferries.", "The mayor stepped down.", "Wheat and maize prices fell sharply."]


def test_a_signature_reads_like_sacrebleu():
    assert str(Signature("rouge1")) == f"rouge1|f1|tokens:a-z0-9|stemmer:porter|lsum:newline|memsum:{__version__}"


def test_corpus_scores_are_means_with_interval_and_signature():
    scores = score_many(PREDICTIONS, REFERENCES)
    summary = summarise(scores, resamples=50, seed=7)
    assert [s.signature.variant for s in summary] == list(VARIANTS)
    for column, corpus_score in enumerate(summary):
        values = scores[:, column, 2]
        assert corpus_score.mean == pytest.approx(values.mean())
        assert corpus_score.interval == bootstrap_interval(values, resamples=50, seed=7)
        assert (corpus_score.documents, corpus_score.resamples, corpus_score.seed) == (3, 50, 7)


def test_other_measures():
    scores = score_many(PREDICTIONS, REFERENCES)
    [recall, *_] = summarise(scores, "recall")
    assert recall.mean == pytest.approx(scores[:, 0, 1].mean())
    assert str(recall.signature).startswith("rouge1|recall|")
    with pytest.raises(MemsumError, match="no measure called 'f2'"):
        summarise(scores, "f2")


def test_a_corpus_score_prints_all_it_takes_to_compute_it_again():
    [rouge_1, *_] = summarise(np.full((20, 4, 3), 0.4567))
    assert str(rouge_1) == f"45.67 (95 % 45.67 to 45.67) {Signature('rouge1')}|n:20|bootstrap:1000|seed:2022"


def test_no_documents_are_refused():
    with pytest.raises(MemsumError):
        summarise(np.zeros((0, 4, 3)))
