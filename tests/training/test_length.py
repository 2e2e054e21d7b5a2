"""Learning how long summaries are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from memsum.corpus import Example
from memsum.errors import TrainingError
from memsum.text.encoding import TextEncoder
from memsum.training.signals import Lengths, correct_length, fit_length, measure_lengths


@pytest.fixture(scope="module")
def lengths(make_examples: Callable[..., list[Example]], encoder: TextEncoder) -> Lengths:
    """Reports have summaries three times as long as papers."""
    examples = [
        replace(example, summary=example.summary * 3) if example.extra["source"] == "reports" else example
        for example in make_examples(240)
    ]
    return measure_lengths(examples, TextEncoder(encoder.vectors, replace(encoder.settings, collapse_repeats=False)))


@pytest.mark.slow
def test_it_learns_which_documents_have_long_summaries(lengths: Lengths) -> None:
    model = fit_length(lengths)
    found = np.array([model.expect(description) for description in lengths.descriptions])
    assert np.corrcoef(found, lengths.logarithms)[0, 1] > 0.8
    assert abs(found.mean() - lengths.logarithms.mean()) < 0.1
    assert 0.05 < model.spread[0] < lengths.logarithms.std()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_model(lengths: Lengths) -> None:
    one, two, other = (fit_length(lengths, seed) for seed in (3, 3, 4))
    assert np.array_equal(one.hidden, two.hidden)
    assert not np.array_equal(one.hidden, other.hidden)


def test_a_correction_moves_towards_other_summaries_as_far_as_they_are_many(lengths: Lengths) -> None:
    model = fit_length(lengths)
    longer = Lengths(lengths.descriptions, lengths.logarithms + 1)
    few = Lengths(longer.descriptions[:5], longer.logarithms[:5])
    shifts = [float((correct_length(model, some).out_bias - model.out_bias)[0]) for some in (few, longer)]
    assert 0.1 < shifts[0] < 0.7
    assert 0.9 < shifts[1] < 1.1
    assert 0 < correct_length(model, longer).spread[0] < 0.5  # the shift itself is not counted as an error


def test_one_summary_of_a_whole_paper_corrects_nothing(lengths: Lengths) -> None:
    model = fit_length(lengths)
    odd = lengths.logarithms.copy()
    odd[:3] += 4
    usual, corrected = (correct_length(model, Lengths(lengths.descriptions, x)) for x in (lengths.logarithms, odd))
    assert abs(corrected.out_bias[0] - usual.out_bias[0]) < 0.02
    assert abs(corrected.spread[0] - usual.spread[0]) < 0.02


def test_too_few_documents_are_refused(lengths: Lengths) -> None:
    with pytest.raises(TrainingError, match="at least 50 documents, not 20"):
        fit_length(Lengths(lengths.descriptions[:20], lengths.logarithms[:20]))
