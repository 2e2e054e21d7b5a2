"""The settings of a training: what is possible, and how they survive JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from memsum.errors import TrainingError
from memsum_train.learning.config import TrainingConfig


def test_settings_survive_json():
    config = TrainingConfig(epochs=2.5, betas=(0.8, 0.95), precision="bf16", seed=3)
    assert json.loads(json.dumps(config.to_dict())) == config.to_dict()  # so a checkpoint knows its own settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": math.nan},
        {"batch": 0},
        {"learning_rate": 0.0},
        {"max_sentences": 0},
        {"validate_every": -5},
        {"patience": 0},
        {"states": -1},
        {"seed": -1},
        {"samples": 1},
        {"average": 1.0},
        {"objective": "rouge"},
        {"keep": "first"},
    ],
)
def test_impossible_settings_are_named(wrong: dict[str, Any]):
    with pytest.raises(TrainingError, match=next(iter(wrong))):
        TrainingConfig(**wrong)
