from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.model import ModelConfig, StopSettings
from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import make_data
from memsum_train.evaluation.measuring import evaluate
from memsum_train.evaluation.playing import open_model
from memsum_train.evaluation.systems import model_system
from memsum_train.evaluation.tuning import keep, plot_tuning, tune, tuning_table, verdict

MakeModel = Callable[..., Path]


def test_each_point_is_what_evaluating_it_gives(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    model = open_model(make_model(), "cpu")
    tuning = tune(model, data, [2, 4])
    assert len(tuning.points) == 40
    for point in tuning.points[::13]:
        system = model_system("m", model, SummaryOptions(stop_threshold=point.threshold, max_sentences=point.maximum))
        [result] = evaluate([system], data)
        rouge1, rouge2, rouge_lsum = (result.estimate(one).mean for one in ("rouge1", "rouge2", "rougeLsum"))
        assert (point.rouge1, point.rouge2, point.rouge_lsum) == pytest.approx((rouge1, rouge2, rouge_lsum))
        assert point.sentences == pytest.approx(result.values["sentences"].mean())


def test_the_best_is_kept_and_nothing_else_changes(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    folder = make_model(stop=StopSettings(0.05, 1))
    model = open_model(folder, "cpu")
    before = ModelConfig.load(folder)
    tuning = tune(model, make_data("three", examples), [1, 2, 3, 4])
    assert tuning.best.mean == max(point.mean for point in tuning.points)
    assert (tuning.before.threshold, tuning.before.maximum) == (0.05, 1)
    assert tuning.gain.difference == pytest.approx(tuning.best.mean - tuning.before.mean)
    keep(tuning, model.config, folder)
    after = ModelConfig.load(folder)
    assert after.stop == StopSettings(tuning.best.threshold, tuning.best.maximum)
    assert (after.policy, after.text) == (before.policy, before.text)
    assert after.training["seed"] == 5
    assert "data:three|sha256:" in after.training["tuning"]["signature"]
    assert f"N_max {tuning.best.maximum}" in verdict(tuning)


@pytest.mark.parametrize("stopping", ["fixed", "stop-sentence"])
def test_without_a_stop_probability_the_threshold_stays(
    stopping: str, make_model: MakeModel, examples: tuple[Example, ...]
) -> None:
    model = open_model(make_model(stopping=stopping, stop=StopSettings(0.37, 3)), "cpu")
    tuning = tune(model, make_data("three", examples), [1, 2, 3])
    assert {point.threshold for point in tuning.points} == {0.37}


def test_stopping_by_length_is_kept_with_the_model(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    folder = make_model(stopping="fixed", stop=StopSettings(0.5, 1))
    model = open_model(folder, "cpu")
    data = make_data("three", examples)
    tuning = tune(model, data, [4], length=length_of(model.encoder, words=40))
    assert len({point.sentences for point in tuning.points}) > 2
    assert tuning.before.sentences == 1
    keep(tuning, model.config, folder)
    again = open_model(folder, "cpu")
    assert again.config.stop == StopSettings(tuning.best.threshold, 4, "length")
    [result] = evaluate([model_system("m", again)], data)
    assert result.values["sentences"].mean() == pytest.approx(tuning.best.sentences)
    assert "length:" in model_system("m", again).signature


def length_of(encoder: TextEncoder, words: int) -> LengthModel:
    """A model that expects the same length of every document."""
    wide = encoder.vectors.dimension + 28
    parts = (np.zeros(wide), np.ones(wide), np.zeros((4, wide)), np.zeros(4), np.zeros(4), [math.log(words)], [0.3])
    return LengthModel(*(np.array(part, np.float32) for part in parts))


def test_the_table_and_the_figure_are_drawn(
    tmp_path: Path, make_model: MakeModel, examples: tuple[Example, ...]
) -> None:
    tuning = tune(open_model(make_model(), "cpu"), make_data("three", examples), [2, 3, 4])
    assert [row[0] for row in tuning_table(tuning).rows] == ["2", "3", "4"]
    plot_tuning(tuning, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
