"""A training in a folder: the loop of Algorithm 1 (`algorithm.py`), resumed, validated and saved."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum.model import ModelConfig, StopSettings
from memsum.training.learning.algorithm import Learner
from memsum.training.learning.checkpoint import CHECKPOINT_FILE, TrainingProgress, load_checkpoint, save_checkpoint
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.metrics import Metrics
from memsum.training.learning.validation import Validation, ValidationSet
from memsum.training.policy import Policy
from memsum.training.policy.device import require_bf16
from memsum.training.policy.folder import save_policy

MODEL_FOLDER = "model"
_CHECKPOINT_SECONDS = 60.0
_BAD_UPDATES = 5  # updates in a row without a finite loss before the training gives up


class TrainingInterruptedError(TrainingError):
    """The user asked to stop; the checkpoint is written."""


@dataclass
class Callbacks:
    """What a training tells whoever shows it to a user."""

    update: Callable[[TrainingProgress, float], None] = lambda progress, loss: None
    validation: Callable[[Validation], None] = lambda validation: None
    reading: Callable[[str], None] = lambda what: None  # what is read, once per document, before the first update
    start: Callable[[int], None] = lambda updates: None


def run_settings(config: TrainingConfig, policy: Policy, provenance: dict[str, Any]) -> dict[str, Any]:
    """What must be the same for a training to be resumed."""
    return {**config.to_dict(), **policy.config.to_dict(), **provenance}


@dataclass
class Trainer(Learner):
    """One training in one folder."""

    encoder: TextEncoder
    validation: ValidationSet
    folder: Path
    provenance: dict[str, Any]
    callbacks: Callbacks = field(default_factory=Callbacks)
    best: Validation | None = field(default=None, init=False)  # of this process; not of those before a resumption

    def __post_init__(self) -> None:
        if self.config.precision == "bf16":
            require_bf16(self.world.device)
        if self.config.repeats and self.config.objective == "episodes" and self.policy.config.history == "attention":
            torch.manual_seed(self.config.seed)  # the same in all processes
            self.policy.add_marker()
        super().__post_init__()
        self.metrics = Metrics(self.folder)

    @property
    def settings(self) -> dict[str, Any]:
        """What this training is."""
        return run_settings(self.config, self.policy, self.provenance)

    def run(self) -> TrainingProgress:
        """Train to the end, or until validation no longer improves; resumes from a checkpoint if there is one."""
        self._resume()
        self.policy.train()
        self.callbacks.start(self.updates)
        began, saved, bad = time.monotonic() - self.progress.seconds, time.monotonic(), 0
        with _interruptible() as interrupted:
            if self.progress.best < 0 and self.provenance["init"]:
                self._validate()  # what it starts from is the first to beat
            losses = self.learn()
            while not self._is_exhausted() and (loss := next(losses, None)) is not None:
                self.progress.seconds = time.monotonic() - began
                bad = 0 if math.isfinite(loss) else bad + 1
                if bad >= min(_BAD_UPDATES, self.updates):
                    raise self._diverged("loss")
                self.callbacks.update(self.progress, loss)
                last = self.progress.update == self.updates
                if self.world.is_main and not bad:
                    self.metrics.training(self.progress, loss, self.optimizer.param_groups[0]["lr"], last)
                if self.progress.update % self.config.validate_every == 0 or last:
                    self._validate()
                # All processes must agree, so that none waits for a gradient of one that has stopped.
                stop = self.world.sum(float(bool(interrupted))) > 0
                due = self.world.sum(float(time.monotonic() - saved > _CHECKPOINT_SECONDS)) > 0
                if not bad and (due or stop):
                    self._save()
                    saved = time.monotonic()
                if stop:
                    raise TrainingInterruptedError(
                        "The training was interrupted and can be resumed.", "Run the same command again."
                    )
            if self.progress.best < 0:
                self._validate()
        self._save()
        return self.progress

    def _resume(self) -> None:
        """Go to where the checkpoint left the training, if there is one."""
        checkpoint = self.folder / CHECKPOINT_FILE
        if checkpoint.exists():
            self.progress = load_checkpoint(checkpoint, self.policy, self.average, self.optimizer, self.settings)
        if len(set(self.world.gather([self.progress.update]))) > 1:
            raise TrainingError(
                f"Not all processes see the same {CHECKPOINT_FILE} in {self.folder}.",
                "All machines of a training need the same folder: one on a shared file system.",
            )
        if self.world.is_main:
            self.metrics.rewind(self.progress.update)

    def _validate(self) -> None:
        """Score the averaged weights; keep them as the model if they are the best so far."""
        self._require_finite_weights()
        self.average.swap(self.policy)
        try:
            result = self.validation.validate(self.policy, self.config.max_sentences, self.world)
            if result.score > self.progress.best:
                self.progress.best, self.progress.best_update = result.score, self.progress.update
                self.progress.validations_since_best = 0
                self.best = result
                if self.world.is_main:
                    self._save_model(result)
            else:
                self.progress.validations_since_best += 1
        finally:
            self.average.swap(self.policy)
        if self.world.is_main:
            self.metrics.validation(self.progress, result)
        self.callbacks.validation(result)

    def _save_model(self, result: Validation) -> None:
        training = {**self.settings, "updates": self.progress.update, "validation": result.to_dict()}
        length = self.validation.length
        stop = replace(
            self.validation.stop or StopSettings(),
            threshold=result.overall.threshold,
            max_sentences=result.overall.maximum,
            by="length" if length else "policy",
            brevity=self.validation.brevity,
        )
        config = ModelConfig(self.policy.config.to_dict(), self.encoder.settings, stop, training)
        save_policy(self.folder / MODEL_FOLDER, self.policy, config, self.encoder)
        if length:
            length.save(self.folder / MODEL_FOLDER)

    def _save(self) -> None:
        self._require_finite_weights()
        if self.world.is_main:
            path = self.folder / CHECKPOINT_FILE
            save_checkpoint(path, self.policy, self.average, self.optimizer, self.progress, self.settings)
        self.world.barrier()

    def _require_finite_weights(self) -> None:
        if not all(weight.isfinite().all() for weight in self.policy.parameters()):
            raise self._diverged("network")

    def _diverged(self, what: str) -> TrainingError:
        return TrainingError(
            f"The {what} is not finite at update {self.progress.update}.",
            "The last good checkpoint is kept; try a lower --learning-rate.",
        )

    def _is_exhausted(self) -> bool:
        return self.progress.validations_since_best >= self.config.patience


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Collect Ctrl-C and termination instead of dying in the middle of an update; a second Ctrl-C does die."""
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        if received and number == signal.SIGINT:
            raise KeyboardInterrupt
        received.append(number)

    before = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
