from __future__ import annotations

import pytest

from memsum_train.corpus.records import Example
from memsum_train.evaluation import stopping
from memsum_train.evaluation.stopping import PrefixScores, StopPoint, best_point
from memsum_train.paper.model import Extraction
from memsum_train.rouge import score_many

EPISODES = (
    Extraction((1, 4, 0), (0.9, 0.8, 0.1), (0.0, 0.2, 0.7, 0.9)),
    Extraction((1, 4), (0.9, 0.8), (0.9, 0.1, 0.3)),
    Extraction((2, 1, 0, 3), (0.9, 0.8, 0.7, 0.6), (0.1, 0.1, 0.1, 0.1, 0.1)),
)


@pytest.mark.parametrize(
    ("threshold", "maximum", "lengths"),
    [(0.5, 9, [2, 2, 4]), (1.0, 9, [3, 2, 4]), (0.1, 9, [1, 1, 1]), (0.5, 1, [1, 1, 1]), (0.7, 3, [2, 2, 3])],
)
@pytest.mark.parametrize("part", [1, 2, 64])
def test_a_prefix_is_scored_as_the_summary_it_is(
    threshold: float,
    maximum: int,
    lengths: list[int],
    part: int,
    examples: tuple[Example, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stopping, "_PART", part)
    scores, counts = PrefixScores(EPISODES, examples).at(threshold, maximum)
    assert counts.tolist() == lengths
    for row, episode, example, count in zip(scores, EPISODES, examples, lengths, strict=True):
        [rouge] = score_many([[example.text[i] for i in sorted(episode.choices[:count])]], [example.summary])
        assert row.tolist() == rouge[[0, 1, 3], 2].tolist()  # F1 of ROUGE-1, 2 and Lsum


def test_a_grid_has_all_pairs(examples: tuple[Example, ...]) -> None:
    grid = PrefixScores(EPISODES, examples).grid((0.5, 1.0), (1, 2, 3))
    assert [(point.maximum, point.threshold) for point in grid] == [(m, t) for m in (1, 2, 3) for t in (0.5, 1.0)]
    assert grid[-1].sentences == pytest.approx((3 + 2 + 3) / 3)


def test_the_best_is_the_highest_mean_and_of_equals_the_shorter() -> None:
    low = StopPoint(0.1, 3, 0.3, 0.1, 0.2, 3.0)
    long = StopPoint(0.5, 7, 0.4, 0.2, 0.3, 7.0)
    short = StopPoint(0.6, 5, 0.4, 0.2, 0.3, 5.0)
    assert best_point([low, long, short]) is short
    assert best_point([low, long]) is long
    assert long.mean == pytest.approx(0.3)
