"""Killed at any moment, a training resumes to the weights it would have had."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from memsum.training.learning import trainer as training
from memsum.training.learning.checkpoint import CHECKPOINT_FILE
from memsum.training.learning.trainer import Trainer

pytestmark = pytest.mark.slow

MakeTrainer = Callable[..., Trainer]
SETTINGS = {"epochs": 12, "validate_every": 9, "network": {"dropout": 0.1}}


def test_kill_9_at_random_moments(tmp_path: Path, make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch):
    whole = make_trainer(tmp_path / "whole", **SETTINGS)
    whole.run()
    # A checkpoint after every update: most of the time goes into writing, so that most kills hit a write.
    monkeypatch.setattr(training, "_CHECKPOINT_SECONDS", 0.0)
    folder = tmp_path / "killed"
    random = np.random.default_rng()
    delays = random.uniform(0.02, 0.4, 3)
    for delay in delays:
        process = multiprocessing.get_context("fork").Process(target=lambda: make_trainer(folder, **SETTINGS).run())
        process.start()
        try:
            begun = time.monotonic()
            while not (folder / CHECKPOINT_FILE).exists() and time.monotonic() - begun < 120:
                time.sleep(0.005)
            moment = time.monotonic() + delay
            while time.monotonic() < moment:
                safetensors.torch.load((folder / CHECKPOINT_FILE).read_bytes())  # at no moment is it half written
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.join()
    monkeypatch.undo()
    resumed = make_trainer(folder, **SETTINGS)
    resumed.run()
    assert resumed.learner.progress.update == whole.learner.progress.update == 36
    for (name, found), (_, wanted) in zip(
        resumed.learner.policy.named_parameters(), whole.learner.policy.named_parameters(), strict=True
    ):
        assert torch.equal(found, wanted), (name, delays)
    model = Path("model") / "policy.safetensors"
    assert (folder / model).read_bytes() == (tmp_path / "whole" / model).read_bytes()
    assert not list(folder.rglob(".*.tmp"))
