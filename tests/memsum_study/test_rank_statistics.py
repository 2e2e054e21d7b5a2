"""Tests and agreement of ranks, by hand and by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from memsum_study.rank_statistics import clustered_mean, krippendorff_alpha, sign_test, wilcoxon


def test_alpha_of_krippendorffs_own_example() -> None:
    # Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: nominal data, four observers,
    # twelve units, with gaps. He gives alpha = 0.743.
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = [[value for value in unit if value is not None] for unit in zip(*observers, strict=True)]
    alpha = krippendorff_alpha(units)
    assert alpha == pytest.approx(0.743, abs=5e-4)


def test_alpha_by_hand() -> None:
    # Two judges, four units: agree, agree, agree, differ. n = 8 values, five a, three b.
    # D_o = 2 / 8; D_e = 2 * 5 * 3 / (8 * 7); alpha = 1 - (1/4) / (30/56) = 1 - 14/30.
    assert krippendorff_alpha([["a", "a"], ["a", "a"], ["b", "b"], ["a", "b"]]) == pytest.approx(1 - 14 / 30)
    assert krippendorff_alpha([["a", "a"], ["b", "b", "b"]]) == 1
    # Always differing: D_o = 1, D_e = 2 * 2 * 2 / (4 * 3) = 2/3; alpha = 1 - 3/2.
    assert krippendorff_alpha([["a", "b"], ["b", "a"]]) == pytest.approx(-0.5)


def test_alpha_says_nothing_where_nothing_can_be_said() -> None:
    assert krippendorff_alpha([["a"], ["b"], []]) is None
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]) is None


def test_sign_test_by_hand() -> None:
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(1, 3) == pytest.approx(2 * (1 + 4) / 16)
    assert sign_test(0, 0) == 1


def test_wilcoxon_is_scipys_and_no_difference_is_no_evidence() -> None:
    first, second = [1, 2, 2, 2, 1, 2, 2, 1, 2, 2], [2, 1, 1, 1, 2, 1, 1, 1, 1, 1]
    differences = [float(a - b) for a, b in zip(first, second, strict=True)]
    assert wilcoxon(differences) == stats.wilcoxon(first, second).pvalue
    assert wilcoxon([0.0, 0.0]) == 1


def test_the_interval_resamples_documents_not_judgments() -> None:
    together = [[1.0] * 10, [2.0] * 10, [1.0] * 10, [2.0] * 10]
    apart = [[value] for cluster in together for value in cluster]
    wide, narrow = clustered_mean(together, 1), clustered_mean(apart, 1)
    assert wide.mean == narrow.mean == 1.5
    assert (wide.low, wide.high) == (1.0, 2.0)
    assert narrow.low > 1.3
    assert narrow.high < 1.7


def test_the_mean_is_over_judgments() -> None:
    assert clustered_mean([[1.0, 1.0, 1.0], [2.0]], 1).mean == 1.25
    random = np.random.default_rng(3)
    values = random.normal(size=40)
    one = clustered_mean([[value] for value in values], 5)
    assert one.low < values.mean() < one.high
