"""Intervals cover the mean as often as they say; tests find what is there and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.errors import MemsumError
from memsum_train.report import statistics
from memsum_train.report.statistics import estimate_mean, paired_bootstrap, unpaired_bootstrap


def test_the_interval_is_close_to_the_normal_one():
    values = np.random.default_rng(1).normal(0.4, 0.1, 400)
    interval = estimate_mean(values)
    half = 1.96 * values.std() / 20
    assert interval.low == pytest.approx(values.mean() - half, abs=half / 5)
    assert interval.high == pytest.approx(values.mean() + half, abs=half / 5)


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    random = np.random.default_rng(2)
    intervals = [estimate_mean(random.beta(2, 3, 80), seed=k) for k in range(200)]
    covered = np.mean([interval.low <= 0.4 <= interval.high for interval in intervals])
    assert 0.89 <= covered <= 0.99


def test_the_seed_repeats_an_interval():
    values = np.linspace(0, 1, 50)
    assert estimate_mean(values, seed=5) == estimate_mean(values, seed=5)
    assert estimate_mean(values, seed=5) != estimate_mean(values, seed=6)


@pytest.mark.parametrize("documents", [1, 2, 19])
def test_of_few_documents_nothing_is_said_of_chance(documents: int):
    values = np.linspace(0.1, 0.5, documents)
    estimate, comparison = estimate_mean(values), paired_bootstrap(values, values - 0.01)
    assert estimate.mean == pytest.approx(values.mean())
    assert comparison.difference == pytest.approx(0.01)
    assert np.isnan([estimate.low, estimate.high, comparison.low, comparison.high, comparison.p_value]).all()
    assert unpaired_bootstrap(np.linspace(0, 1, 50), values).p_value != 0
    assert np.isnan(unpaired_bootstrap(np.linspace(0, 1, 50), values).p_value)


@pytest.mark.parametrize("documents", [20, 50])
@pytest.mark.parametrize("skewed", [False, True])
def test_without_a_difference_few_tests_are_significant(documents: int, skewed: bool, monkeypatch):
    """Differences of ROUGE are a little skewed, and often zero where two systems choose the same sentences."""
    monkeypatch.setattr(statistics, "RESAMPLES", 400)
    random, significant, simulations = np.random.default_rng(8), 0, 1_000
    for seed in range(simulations):
        differences = random.normal(0, 5, documents)
        if skewed:
            differences = (random.gamma(4, 2, documents) - 8) * (random.random(documents) < 0.7)
        significant += paired_bootstrap(differences, np.zeros(documents), seed=seed).p_value <= 0.05
    assert 0.02 <= significant / simulations <= 0.07


def test_two_trainings_are_no_proof_and_three_are_little(monkeypatch):
    """Networks of two methods that are alike, but for the chance in each training."""
    monkeypatch.setattr(statistics, "RESAMPLES", 400)
    random = np.random.default_rng(9)
    for trainings in (2, 3):
        found = 0
        for seed in range(500):
            both = random.normal(0, 1, (2, trainings, 1)) + random.normal(0, 4, (2, trainings, 60))
            found += paired_bootstrap(both[0], both[1], seed=seed).p_value <= 0.05
        assert found / 500 <= 0.07


def test_a_clear_difference_is_significant():
    random = np.random.default_rng(3)
    base = random.uniform(0.2, 0.6, 100)
    comparison = paired_bootstrap(base + 0.02 + random.normal(0, 0.02, 100), base)
    assert comparison.difference == pytest.approx(0.02, abs=0.01)
    assert 0 < comparison.low < comparison.difference < comparison.high
    assert comparison.p_value < 0.01


def test_noise_is_not_significant_and_p_is_symmetric():
    random = np.random.default_rng(4)
    a, b = random.uniform(size=60), random.uniform(size=60)
    forth, back = paired_bootstrap(a, b), paired_bootstrap(b, a)
    assert forth.p_value == back.p_value > 0.05
    assert forth.difference == -back.difference


def test_equal_systems_do_not_differ():
    comparison = paired_bootstrap([0.1, 0.5] * 20, [0.1, 0.5] * 20)
    assert comparison.difference == 0
    assert comparison.p_value == 1


@pytest.mark.parametrize("values", [[], [0.1, float("nan")], [[[0.1, 0.2]]]])
def test_scores_that_are_none_are_refused(values):
    with pytest.raises(MemsumError, match="at least one score"):
        estimate_mean(values)


def test_different_documents_are_refused():
    with pytest.raises(MemsumError, match="2 and 1 scores"):
        paired_bootstrap([0.1, 0.2], [0.1])


def test_several_trainings_are_resampled_with_the_documents():
    documents = np.linspace(10, 50, 40)
    alike, apart = np.array([documents, documents]), np.array([documents - 8, documents + 8])
    one, two, three = (estimate_mean(values) for values in (documents, alike, apart))
    assert one.mean == pytest.approx(30)
    assert two.mean == pytest.approx(30)
    assert three.mean == pytest.approx(30)
    assert estimate_mean(documents[None]) == one  # one training is no sample of trainings
    assert three.high - three.low > 1.5 * (two.high - two.low)


def test_means_over_different_documents_are_compared_unpaired():
    random = np.random.default_rng(8)
    low, high = random.normal(20, 3, (1, 50)), random.normal(24, 3, (1, 70))
    comparison = unpaired_bootstrap(high, low)
    assert comparison.difference == pytest.approx(high.mean() - low.mean())
    assert comparison.low > 0
    assert comparison.p_value < 0.01
