"""A training that was stopped goes on as if nothing had happened; one of other settings is left alone."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from memsum.errors import TrainingError
from memsum_train.learning import trainer as training
from memsum_train.learning.learner import CHECKPOINT_FILE
from memsum_train.learning.trainer import METRICS_FILE, Callbacks, Trainer, TrainingInterruptedError

from ...helpers import metrics_without_time
from .conftest import MakeTrainer

pytestmark = pytest.mark.xdist_group("resume")  # which share two trainings

# 24 updates: more than a line of the metrics, several validations, dropout, a moving average.
LONG = {"epochs": 8, "validate_every": 7, "network": {"dropout": 0.2}, "average": 0.9}


def weights(trainer: Trainer) -> dict[str, torch.Tensor]:
    found = {name: weight.detach().clone() for name, weight in trainer.learner.policy.named_parameters()}
    found |= {f"average {name}": weight.clone() for name, weight in trainer.learner.average.weights.items()}
    for name, weight in trainer.learner.policy.named_parameters():
        state = trainer.learner.optimizer.state[weight]
        found |= {f"{key} {name}": value.clone() for key, value in state.items()}
    return found


def assert_same_path(one: Trainer, other: Trainer) -> None:
    assert one.learner.progress.update == other.learner.progress.update
    assert one.learner.progress.best == other.learner.progress.best
    assert one.learner.progress.best_update == other.learner.progress.best_update
    assert metrics_without_time(one.folder) == metrics_without_time(other.folder)
    found, wanted = weights(one), weights(other)
    assert found.keys() == wanted.keys()
    for name in wanted:
        assert torch.equal(found[name], wanted[name]), name
    model = Path("model") / "policy.safetensors"
    assert (one.folder / model).read_bytes() == (other.folder / model).read_bytes()


def interrupt_after(trainer: Trainer, updates: int, number: int = signal.SIGINT) -> None:
    """Press Ctrl-C during an update, as a user would."""

    def update(progress: Any, loss: float) -> None:
        if progress.update == updates:
            os.kill(os.getpid(), number)

    trainer.callbacks = Callbacks(update)


@pytest.fixture(scope="module")
def uninterrupted(make_trainer: MakeTrainer, tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    trainer = make_trainer(tmp_path_factory.mktemp("whole") / "run", **LONG)
    trainer.run()
    return trainer


@pytest.fixture(scope="module")
def finished(make_trainer: MakeTrainer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished training."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    make_trainer(folder).run()
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(finished, tmp_path / "run")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_training_takes_the_same_path(
    tmp_path: Path, make_trainer: MakeTrainer, uninterrupted: Trainer, number: int
):
    handler = signal.getsignal(signal.SIGINT)
    for updates in (1, 9, 21):
        trainer = make_trainer(tmp_path, **LONG)
        interrupt_after(trainer, updates, number)
        with pytest.raises(TrainingInterruptedError, match="can be resumed"):
            trainer.run()
        assert trainer.learner.progress.update == updates
    trainer = make_trainer(tmp_path, **LONG)
    trainer.run()
    assert_same_path(trainer, uninterrupted)
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.slow
def test_kill_9_at_random_moments(
    tmp_path: Path, make_trainer: MakeTrainer, uninterrupted: Trainer, monkeypatch: pytest.MonkeyPatch
):
    """With a checkpoint after every update, so that most kills hit a write; at no moment is it half written."""
    monkeypatch.setattr(training, "_CHECKPOINT_SECONDS", 0.0)
    checkpoint = tmp_path / CHECKPOINT_FILE
    for delay in np.random.default_rng().uniform(0.02, 0.4, 3):
        process = multiprocessing.get_context("fork").Process(target=lambda: make_trainer(tmp_path, **LONG).run())
        process.start()
        try:
            begun = time.monotonic()
            while not checkpoint.exists() and time.monotonic() - begun < 120:
                time.sleep(0.005)
            moment = time.monotonic() + delay
            while time.monotonic() < moment:
                safetensors.torch.load(checkpoint.read_bytes())
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.join()
    monkeypatch.undo()
    resumed = make_trainer(tmp_path, **LONG)
    resumed.run()
    assert_same_path(resumed, uninterrupted)
    assert not list(tmp_path.rglob(".*.tmp"))


def test_what_was_not_saved_is_done_again(tmp_path: Path, make_trainer: MakeTrainer, uninterrupted: Trainer):
    """The metrics and the model of updates after the checkpoint are there already, as after a kill."""
    trainer = make_trainer(tmp_path, **LONG)
    interrupt_after(trainer, 9)
    with pytest.raises(TrainingInterruptedError):
        trainer.run()
    early = (tmp_path / CHECKPOINT_FILE).read_bytes()
    trainer = make_trainer(tmp_path, **LONG)
    interrupt_after(trainer, 22)
    with pytest.raises(TrainingInterruptedError):
        trainer.run()
    (tmp_path / CHECKPOINT_FILE).write_bytes(early)
    with (tmp_path / METRICS_FILE).open("a") as file:
        file.write('{"update": 22, "docum')  # cut off in the middle
    trainer = make_trainer(tmp_path, **LONG)
    trainer.run()
    assert_same_path(trainer, uninterrupted)


def test_a_finished_training_stays_as_it_is(tmp_path: Path, make_trainer: MakeTrainer):
    first = make_trainer(tmp_path, validate_every=2)
    first.run()
    model = (tmp_path / "model" / "policy.safetensors").read_bytes()
    again = make_trainer(tmp_path, validate_every=2)
    done = again.run()
    assert done.update == first.learner.updates
    assert (tmp_path / "model" / "policy.safetensors").read_bytes() == model
    assert_same_path(first, again)


def test_the_seed_decides(tmp_path: Path, make_trainer: MakeTrainer):
    trainers = [make_trainer(tmp_path / str(i), seed=seed) for i, seed in enumerate((3, 3, 4))]
    for trainer in trainers:
        trainer.run()
    assert_same_path(trainers[0], trainers[1])
    name = "extractor.score.weight"
    assert not torch.equal(weights(trainers[0])[name], weights(trainers[2])[name])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("cut", [0, 20, 0.5, -1])
def test_a_damaged_checkpoint_is_named_and_kept(folder: Path, make_trainer: MakeTrainer, cut: float):
    path = folder / CHECKPOINT_FILE
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content)) if cut == 0.5 else int(cut)])
    before = contents(folder)
    with pytest.raises(TrainingError, match="damaged"):
        make_trainer(folder).run()
    assert contents(folder) == before


def test_a_full_disk_keeps_the_previous_checkpoint(
    tmp_path: Path, make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
):
    trainer = make_trainer(tmp_path, **LONG)
    interrupt_after(trainer, 5)
    with pytest.raises(TrainingInterruptedError):
        trainer.run()
    before = (tmp_path / CHECKPOINT_FILE).read_bytes()

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    trainer = make_trainer(tmp_path, **LONG)

    def update(progress: Any, loss: float) -> None:
        if progress.update == 8:
            monkeypatch.setattr("os.fsync", full)
            os.kill(os.getpid(), signal.SIGINT)

    trainer.callbacks = Callbacks(update)
    with pytest.raises(TrainingError, match="No space left on device"):
        trainer.run()
    assert (tmp_path / CHECKPOINT_FILE).read_bytes() == before
    assert not list(tmp_path.glob(".*.tmp"))
    monkeypatch.undo()
    assert make_trainer(tmp_path, **LONG).run().update == 24


def test_checkpoints_are_written_now_and_then(
    tmp_path: Path, make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(training, "_CHECKPOINT_SECONDS", 0.0)
    seen: list[bool] = []
    trainer = make_trainer(tmp_path)
    trainer.callbacks = Callbacks(lambda progress, loss: seen.append((tmp_path / CHECKPOINT_FILE).exists()))
    trainer.run()
    assert seen == [False, True, True, True, True, True]


def test_what_a_killed_training_left_half_written_is_swept(tmp_path: Path, make_trainer: MakeTrainer):
    make_trainer(tmp_path)
    (tmp_path / "model").mkdir()
    halves = [tmp_path / ".checkpoint.safetensors.123.tmp", tmp_path / "model" / ".policy.safetensors.7.tmp"]
    for half in halves:
        half.write_bytes(b"half")
    make_trainer(tmp_path)
    assert not any(half.exists() for half in halves)


def test_a_corpus_half_encoded_is_encoded_again(tmp_path: Path, make_trainer: MakeTrainer):
    make_trainer(tmp_path)
    (tmp_path / "encoded" / "done.json").unlink()
    (tmp_path / "encoded" / "ids.npy").write_bytes(b"half")
    make_trainer(tmp_path).run()
