"""Adapting: from a model to a better one for some documents, with its own idea of how long summaries are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.model import ModelConfig, SelectionPenalties, StopSettings
from memsum.training.corpus import Example
from memsum.training.evaluation.playing import open_model
from memsum.training.learning import adapt as module
from memsum.training.learning.adapt import adapt, adaptation_config

from .conftest import ALONE, MakeTrainer

pytestmark = pytest.mark.slow

MakeExamples = Callable[..., list[Example]]


@pytest.fixture
def model(tmp_path: Path, make_trainer: MakeTrainer, encoder: TextEncoder) -> Path:
    """A model after a few updates, that expects summaries of eight words and stops by that."""
    make_trainer(tmp_path / "first", epochs=1).run()
    folder = tmp_path / "first" / "model"
    config = ModelConfig.load(folder)
    replace(config, stop=StopSettings(0.5, 6, "length"), penalties=SelectionPenalties(0.4, low_value=2)).save(folder)
    wide = encoder.vectors.dimension + 28
    parts = (np.zeros(wide), np.ones(wide), np.zeros((4, wide)), np.zeros(4), np.zeros(4), [math.log(8)], [0.3])
    LengthModel(*(np.array(part, np.float32) for part in parts)).save(folder)
    return folder


def test_the_adapted_model_scores_what_the_table_says(
    model: Path, tmp_path: Path, make_examples: MakeExamples, held_out: list[Example]
) -> None:
    documents = [replace(example, indices=None, scores=None) for example in make_examples(12, seed=4)]
    config = replace(adaptation_config(12), epochs=2, max_sentences=6, validate_every=2)
    result = adapt(documents, model, tmp_path / "mine", ALONE, held_out=held_out, config=config)
    assert (result.trained_on, result.judged_on) == (12, 6)
    assert result.before.sentences < 2  # it expected eight words
    assert result.kept
    gain = np.mean([gain.difference for gain in result.gains])
    assert gain == pytest.approx(result.after.mean - result.before.mean)
    assert all(gain.low <= gain.difference <= gain.high for gain in result.gains)
    adapted = open_model(tmp_path / "mine", "cpu")
    assert adapted.config.stop == StopSettings(result.after.threshold, result.after.maximum, "length")
    assert adapted.config.penalties == SelectionPenalties(0.4, low_value=2)
    assert adapted.length is not None
    assert adapted.length.out_bias[0] > math.log(12)
    assert not (tmp_path / "mine" / "run").exists()


def test_a_model_that_gets_no_better_stays_as_it_was(
    model: Path,
    tmp_path: Path,
    make_examples: MakeExamples,
    held_out: list[Example],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge, scores = module._judge, iter((0.5, 0.4))

    def judged(*given: Any) -> Any:
        found, score = judge(*given), next(scores)
        point = replace(found.point, rouge1=score, rouge2=score, rouge_lsum=score)
        return replace(found, point=point, scores=np.full_like(found.scores, score))

    monkeypatch.setattr(module, "_judge", judged)
    config = replace(adaptation_config(12), epochs=0.3, max_sentences=6)
    result = adapt(make_examples(12, seed=4), model, tmp_path / "mine", ALONE, held_out=held_out, config=config)
    assert not result.kept
    kept, was = (open_model(folder, "cpu") for folder in (tmp_path / "mine", model))
    assert kept.config.stop == was.config.stop
    assert kept.length is not None
    assert kept.length.out_bias[0] == pytest.approx(math.log(8))
    assert not (tmp_path / "mine" / "run").exists()


def test_too_few_documents_are_refused(model: Path, tmp_path: Path, make_examples: MakeExamples) -> None:
    with pytest.raises(TrainingError, match="at least 10 documents with summaries; there are 3"):
        adapt(make_examples(3), model, tmp_path / "mine", ALONE)
    assert not (tmp_path / "mine").exists()
