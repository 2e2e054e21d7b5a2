"""Every corpus-level number says how it was computed."""

from __future__ import annotations

from memsum import __version__
from memsum_train.report.statistics import resampling_signature
from memsum_train.rouge import rouge_signature


def test_a_signature_reads_like_sacrebleu():
    assert rouge_signature("rouge1") == f"rouge1|f1|tokens:a-z0-9|stemmer:porter|lsum:newline|memsum:{__version__}"


def test_the_resampling_is_part_of_a_signature():
    assert resampling_signature(7) == "bootstrap:1000|level:0.95|seed:7"
