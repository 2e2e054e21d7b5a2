"""Intervals cover the mean as often as they say; paired comparisons find what is there and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.errors import MemsumError
from memsum.rouge import Interval, bootstrap_interval, paired_bootstrap


def test_the_interval_is_close_to_the_normal_one():
    values = np.random.default_rng(1).normal(0.4, 0.1, 400)
    interval = bootstrap_interval(values)
    half = 1.96 * values.std() / 20
    assert interval.low == pytest.approx(values.mean() - half, abs=half / 5)
    assert interval.high == pytest.approx(values.mean() + half, abs=half / 5)


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says():
    random = np.random.default_rng(2)
    intervals = [bootstrap_interval(random.beta(2, 3, 80), level=0.9, resamples=200, seed=k) for k in range(200)]
    covered = np.mean([interval.low <= 0.4 <= interval.high for interval in intervals])
    assert 0.83 <= covered <= 0.96


def test_a_wider_level_gives_a_wider_interval_and_the_seed_repeats_it():
    values = np.linspace(0, 1, 50)
    narrow, wide = bootstrap_interval(values, level=0.5), bootstrap_interval(values, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert bootstrap_interval(values, seed=5) == bootstrap_interval(values, seed=5)
    assert bootstrap_interval(values, seed=5) != bootstrap_interval(values, seed=6)


def test_one_document():
    assert bootstrap_interval([0.3]) == Interval(0.3, 0.3)


def test_a_clear_difference_is_significant():
    random = np.random.default_rng(3)
    base = random.uniform(0.2, 0.6, 100)
    comparison = paired_bootstrap(base + 0.02 + random.normal(0, 0.02, 100), base)
    assert comparison.difference == pytest.approx(0.02, abs=0.01)
    assert 0 < comparison.interval.low < comparison.difference < comparison.interval.high
    assert comparison.p_value < 0.01


def test_noise_is_not_significant_and_p_is_symmetric():
    random = np.random.default_rng(4)
    a, b = random.uniform(size=60), random.uniform(size=60)
    forth, back = paired_bootstrap(a, b), paired_bootstrap(b, a)
    assert forth.p_value == back.p_value > 0.05
    assert forth.difference == -back.difference


def test_equal_systems_do_not_differ():
    comparison = paired_bootstrap([0.1, 0.5, 0.7], [0.1, 0.5, 0.7])
    assert comparison.difference == 0
    assert comparison.p_value == 1


@pytest.mark.parametrize("values", [[], [0.1, float("nan")], [[0.1, 0.2]]])
def test_scores_that_are_none_are_refused(values):
    with pytest.raises(MemsumError, match="at least one score"):
        bootstrap_interval(values)


def test_settings_out_of_range_are_refused():
    with pytest.raises(MemsumError, match="not between 0 and 1"):
        bootstrap_interval([0.1], level=95)
    with pytest.raises(MemsumError, match="at least one resample"):
        bootstrap_interval([0.1], resamples=0)
    with pytest.raises(MemsumError, match="2 and 1 scores"):
        paired_bootstrap([0.1, 0.2], [0.1])
