"""Learning how long summaries are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum_train.corpus import Example
from memsum_train.learning.signals import Lengths, correct_length, fit_length, measure_lengths

pytestmark = pytest.mark.xdist_group("length")  # which fit one model once


@pytest.fixture(scope="module")
def lengths(make_examples: Callable[..., list[Example]], encoder: TextEncoder) -> Lengths:
    """Reports have summaries three times as long as papers."""
    examples = [
        replace(example, summary=example.summary * 3) if example.extra["source"] == "reports" else example
        for example in make_examples(240)
    ]
    return measure_lengths(examples, TextEncoder(encoder.vectors, replace(encoder.settings, collapse_repeats=False)))


@pytest.fixture(scope="module")
def model(lengths: Lengths) -> LengthModel:
    """What is learned of them."""
    return fit_length(lengths, seed=3)


@pytest.mark.slow
def test_it_learns_which_documents_have_long_summaries(lengths: Lengths, model: LengthModel) -> None:
    found, spreads = np.array([model.expect(description) for description in lengths.descriptions]).T
    assert np.corrcoef(found, lengths.logarithms)[0, 1] > 0.8
    assert abs(found.mean() - lengths.logarithms.mean()) < 0.1
    assert 0.05 < spreads.mean() < lengths.logarithms.std()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_model(lengths: Lengths, model: LengthModel) -> None:
    again, other = (fit_length(lengths, seed) for seed in (3, 4))
    assert np.array_equal(again.hidden, model.hidden)
    assert not np.array_equal(other.hidden, model.hidden)


def test_a_correction_moves_towards_other_summaries_as_far_as_they_are_many(
    lengths: Lengths, model: LengthModel
) -> None:
    longer = Lengths(lengths.descriptions, lengths.logarithms + 1)
    few = Lengths(longer.descriptions[:5], longer.logarithms[:5])
    shifts = [float((correct_length(model, some).out_bias - model.out_bias)[0]) for some in (few, longer)]
    assert 0.1 < shifts[0] < 0.7
    assert 0.9 < shifts[1] < 1.1
    # The shift itself is not counted as an error.
    assert 0.1 < correct_length(model, longer).spread[0] / model.spread[0] < 1.3


def test_one_summary_of_a_whole_paper_corrects_nothing(lengths: Lengths, model: LengthModel) -> None:
    odd = lengths.logarithms.copy()
    odd[:3] += 4
    usual, corrected = (correct_length(model, Lengths(lengths.descriptions, x)) for x in (lengths.logarithms, odd))
    assert abs(corrected.out_bias[0] - usual.out_bias[0]) < 0.02
    assert abs(corrected.spread[0] - usual.spread[0]) < 0.02


def test_too_few_documents_are_refused(lengths: Lengths) -> None:
    with pytest.raises(TrainingError, match="at least 50 documents, not 20"):
        fit_length(Lengths(lengths.descriptions[:20], lengths.logarithms[:20]))


def test_it_learns_for_which_documents_it_is_less_sure(lengths: Lengths) -> None:
    long = lengths.logarithms > np.median(lengths.logarithms)
    noise = np.random.default_rng(5).normal(0, 0.8, len(lengths)).astype(np.float32)
    model = fit_length(Lengths(lengths.descriptions, lengths.logarithms + np.where(long, noise, 0)))
    spreads = np.array([model.expect(description)[1] for description in lengths.descriptions])
    assert spreads[long].mean() > 1.5 * spreads[~long].mean()


def test_it_learns_from_how_recent_a_document_is(encoder: TextEncoder) -> None:
    reading = TextEncoder(encoder.vectors, replace(encoder.settings, signals=True))
    told = ["The agency reviewed the ferries in {}.", "It found delays at three piers.", "Costs rose by {} %."]

    def report(number: int) -> Example:
        old = number % 2 == 0
        text = [line.format(1996 + number % 3 if old else 2016 + number % 3) for line in told]
        return Example(text=tuple(text), summary=tuple(f"Ferry {i} was late." for i in range(2 if old else 8)))

    measured = measure_lengths([report(number) for number in range(120)], reading)
    model = fit_length(measured)
    old, recent = (np.mean([model.expect(d)[0] for d in measured.descriptions[first::2]]) for first in (0, 1))
    assert recent - old > 0.8
