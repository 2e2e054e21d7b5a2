from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memsum.errors import MemsumError
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.model import ModelConfig, SelectionPenalties, StopSettings
from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import make_data
from memsum_train.evaluation.measuring import evaluate
from memsum_train.evaluation.playing import open_model
from memsum_train.evaluation.systems import ModelSystem
from memsum_train.evaluation.tuning import (
    keep,
    parse_brevities,
    parse_maxima,
    plot_tuning,
    tune,
    tuning_tables,
    verdict,
)

MakeModel = Callable[..., Path]


def test_each_point_is_what_evaluating_it_gives(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    model = open_model(make_model(), "cpu")
    tuning = tune(model, data, [2, 4])
    assert len(tuning.points) == 40
    for point in tuning.points[::13]:
        system = ModelSystem("m", model, SummaryOptions(stop_threshold=point.threshold, max_sentences=point.maximum))
        [result] = evaluate([system], data).runs
        rouge1, rouge2, _, rouge_lsum = (score.mean for score in result.scores())
        assert (point.rouge1, point.rouge2, point.rouge_lsum) == pytest.approx((rouge1, rouge2, rouge_lsum))
        assert point.sentences == pytest.approx(result.sentences.mean())


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
    [result] = evaluate([ModelSystem("m", again)], data).runs
    assert result.sentences.mean() == pytest.approx(tuning.best.sentences)
    assert "length:" in ModelSystem("m", again).signature


def test_the_best_brevity_is_kept(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    folder = make_model(stop=StopSettings(0.5, 3), penalties=SelectionPenalties(brevity=0.2))
    model = open_model(folder, "cpu")
    # Every other sentence is a long one.
    texts = [[" ".join(e.text[i : i + 1 + 3 * (i % 2)]) for i in range(len(e.text))] for e in examples]
    data = make_data("three", [replace(e, text=tuple(text)) for e, text in zip(examples, texts, strict=True)])
    tuning = tune(model, data, [2, 3], brevities=[2.0, 0.0, 50.0])
    assert list(tuning.by_brevity) == [0.0, 2.0, 50.0]
    assert len({point.mean for point in tuning.by_brevity.values()}) > 1
    assert tuning.best == tuning.by_brevity[tuning.brevity]
    assert tuning.best.mean == max(point.mean for point in tuning.by_brevity.values())
    assert set(tuning.best_by_maximum()) <= set(tuning.points)
    brevities, maxima = tuning_tables(tuning)
    assert (len(brevities.rows), len(maxima.rows)) == (3, 2)
    keep(tuning, model.config, folder)
    again = open_model(folder, "cpu")
    assert again.config.penalties.brevity == tuning.brevity
    [result] = evaluate([ModelSystem("m", again)], data).runs
    assert result.sentences.mean() == pytest.approx(tuning.best.sentences)
    assert result.scores()[0].mean == pytest.approx(tuning.best.rouge1)


def test_without_brevities_the_models_own_stays(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    model = open_model(make_model(stop=StopSettings(0.5, 3), penalties=SelectionPenalties(brevity=0.7)), "cpu")
    tuning = tune(model, make_data("three", examples), [2, 3])
    assert tuning.brevity == 0.7
    assert len(tuning_tables(tuning)) == 1
    assert "brevity 0.7" in verdict(tuning)
    assert "|brevity:0.7" in ModelSystem("m", model).signature


def length_of(encoder: TextEncoder, words: int) -> LengthModel:
    """A model that expects the same length of every document."""
    wide = encoder.vectors.dimension + 28
    parts = (np.zeros(wide), np.ones(wide), np.zeros((4, wide)), np.zeros(4), np.zeros(4), [math.log(words)], [0.3])
    return LengthModel(*(np.array(part, np.float32) for part in parts))


def test_the_figure_is_drawn(tmp_path: Path, make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    tuning = tune(open_model(make_model(), "cpu"), make_data("three", examples), [2, 3, 4])
    plot_tuning(tuning, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_maxima() -> None:
    assert parse_maxima("3-6") == [3, 4, 5, 6]
    assert parse_maxima("10, 5,7-8,7") == [5, 7, 8, 10]


def test_brevities() -> None:
    assert parse_brevities(None) == []
    assert parse_brevities("0, 0.3,1") == [0.0, 0.3, 1.0]


@pytest.mark.parametrize("text", ["short", "0,,1", "-1", "nan", "11"])
def test_what_are_no_brevities(text: str) -> None:
    with pytest.raises(MemsumError, match="which brevities"):
        parse_brevities(text)


@pytest.mark.parametrize("text", ["", "0", "0-4", "7-3", "3-", "three", "5,,7", "-3"])
def test_what_are_no_maxima(text: str) -> None:
    with pytest.raises(MemsumError, match="which numbers of sentences"):
        parse_maxima(text)
