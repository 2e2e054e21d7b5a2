"""The update of every training: scaled losses in fp16, documents that are prepared ahead, a rate that is fixed."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

from memsum.errors import TrainingError

from .conftest import MakeTrainer


def weights(trainer) -> list[torch.Tensor]:
    return [weight.detach().clone() for weight in trainer.learner.policy.parameters()]


def test_a_scaled_loss_moves_weights_as_the_loss_does(tmp_path: Path, make_trainer: MakeTrainer):
    plain, scaled = (make_trainer(tmp_path / name) for name in ("plain", "scaled"))
    scaled.learner.progress.scale = 2.0**10
    for trainer in (plain, scaled):
        trainer.learner.policy.train()
        for _ in range(3):
            trainer.learner.update()
    for one, other in zip(weights(plain), weights(scaled), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-3)


def test_a_gradient_that_overflows_halves_the_scale_and_moves_nothing(tmp_path: Path, make_trainer: MakeTrainer):
    learner = make_trainer(tmp_path).learner
    learner.config = type(learner.config)(**{**vars(learner.config), "precision": "fp16"})
    learner.progress.scale, differentiate = 1024.0, learner.differentiate
    before = [weight.detach().clone() for weight in learner.policy.parameters()]
    learner.autocast = nullcontext

    def overflow(parts) -> float:
        loss = differentiate(parts)
        learner.policy.extractor.score.weight.grad[0, 0] = math.inf
        return loss

    learner.differentiate = overflow
    assert math.isfinite(learner.update())
    assert learner.progress.scale == 512
    assert all(torch.equal(one, other) for one, other in zip(before, learner.policy.parameters(), strict=True))


def test_fp16_on_a_processor_is_refused(tmp_path: Path, make_trainer: MakeTrainer):
    with pytest.raises(TrainingError, match="fp16 is for GPUs"):
        make_trainer(tmp_path, precision="fp16")


def test_documents_that_are_prepared_ahead_are_the_same(tmp_path: Path, make_trainer: MakeTrainer):
    settings = {"epochs": 2, "block_dropout": 1.0, "split_noise": 0.5, "objective": "repeats"}
    plain, ahead = (make_trainer(tmp_path / name, **settings) for name in ("plain", "ahead"))
    ahead.learner._loader = ThreadPoolExecutor(1)  # as on a GPU
    losses = [[trainer.learner.update() for _ in range(5)] for trainer in (plain, ahead)]
    assert losses[0] == losses[1]


def test_a_fixed_rate_stays(tmp_path: Path, make_trainer: MakeTrainer):
    learner = make_trainer(tmp_path, schedule="constant", learning_rate=1e-4, optimizer="adam", clip=0).learner
    assert type(learner.optimizer) is torch.optim.Adam
    for _ in range(3):
        assert math.isfinite(learner.update())
        assert learner.optimizer.param_groups[0]["lr"] == 1e-4
