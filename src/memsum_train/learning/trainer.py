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

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum.model import ModelConfig, StopSettings
from memsum.training.learning.algorithm import Learner
from memsum.training.learning.checkpoint import CHECKPOINT_FILE, TrainingProgress, load_checkpoint, save_checkpoint
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.metrics import Metrics
from memsum.training.learning.validation import Validation, ValidationSet
from memsum.training.policy import Policy
from memsum.training.policy.folder import save_policy

MODEL_FOLDER = "model"
_CHECKPOINT_SECONDS = 15.0
_BAD_UPDATES = 5  # updates in a row without a finite loss before the training gives up


class TrainingInterruptedError(TrainingError):
    """The user asked to stop; the checkpoint is written."""


@dataclass
class Callbacks:
    """Functions that a training calls to report its progress."""

    update: Callable[[TrainingProgress, float], None] = lambda progress, loss: None
    validation: Callable[[Validation], None] = lambda validation: None
    reading: Callable[[str], None] = lambda what: None  # once per document that is read before the first update
    start: Callable[[int], None] = lambda updates: None


def run_settings(config: TrainingConfig, policy: Policy, provenance: dict[str, Any]) -> dict[str, Any]:
    """Return what must be the same for a training to be resumed."""
    return {**config.to_dict(), **policy.config.to_dict(), **provenance}


@dataclass
class Trainer:
    """One training in one folder: a learner, and what watches over it."""

    learner: Learner
    encoder: TextEncoder
    validation: ValidationSet | None  # None: the caller judges the averaged weights after the last update
    folder: Path
    provenance: dict[str, Any]
    callbacks: Callbacks = field(default_factory=Callbacks)
    limit: float = math.inf  # seconds of training, those before a resumption included
    best: Validation | None = field(default=None, init=False)  # of this process; not of those before a resumption

    def __post_init__(self) -> None:
        self.metrics = Metrics(self.folder)
        self.world = self.learner.world
        self.settings = run_settings(self.learner.config, self.learner.policy, self.provenance)

    def run(self) -> TrainingProgress:
        """Train to the end, or until validation no longer improves; resumes from a checkpoint if there is one."""
        learner, config = self.learner, self.learner.config
        self._resume()
        progress = learner.progress
        learner.policy.train()
        self.callbacks.start(learner.updates)
        began, saved, bad = time.monotonic() - progress.seconds, time.monotonic(), 0
        with _interruptible() as interrupted:
            if progress.best < 0 and self.provenance["init"]:
                self._validate()  # what it starts from is the first to beat
            while self._goes_on():
                loss = learner.update()
                progress.seconds = time.monotonic() - began
                bad = 0 if math.isfinite(loss) else bad + 1
                if bad >= min(_BAD_UPDATES, learner.updates):
                    raise self._diverged("loss")
                self.callbacks.update(progress, loss)
                last = progress.update == learner.updates
                if self.world.is_main and not bad:
                    self.metrics.training(progress, loss, learner.optimizer.param_groups[0]["lr"], last)
                if progress.update % config.validate_every == 0 or last:
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
            if progress.best < 0:
                self._validate()
        self._save()
        return progress

    def _goes_on(self) -> bool:
        """Return whether another update is due; all processes must agree."""
        learner, progress = self.learner, self.learner.progress
        if progress.update >= learner.updates or progress.validations_since_best >= learner.config.patience:
            return False
        return self.limit == math.inf or self.world.sum(float(progress.seconds >= self.limit)) == 0

    def _resume(self) -> None:
        """Go to where the checkpoint left the training, if there is one."""
        learner, checkpoint = self.learner, self.folder / CHECKPOINT_FILE
        if checkpoint.exists():
            learner.progress = load_checkpoint(
                checkpoint, learner.policy, learner.average, learner.optimizer, self.settings
            )
        if len(set(self.world.gather([learner.progress.update]))) > 1:
            raise TrainingError(
                f"Not all processes see the same {CHECKPOINT_FILE} in {self.folder}.",
                "All machines of a training need the same folder: one on a shared file system.",
            )
        if self.world.is_main:
            self.metrics.rewind(learner.progress.update)

    def _validate(self) -> None:
        """Score the averaged weights; keep them as the model if they are the best so far, or if the last are kept."""
        self._require_finite_weights()
        if self.validation is None:
            return
        learner, progress = self.learner, self.learner.progress
        learner.average.swap(learner.policy)
        try:
            result = self.validation.validate(learner.policy, learner.config.max_sentences, self.world)
            if result.score > progress.best or learner.config.keep == "last":
                progress.best, progress.best_update = result.score, progress.update
                progress.validations_since_best = 0
                self.best = result
                if self.world.is_main:
                    self._save_model(result, self.validation)
            else:
                progress.validations_since_best += 1
        finally:
            learner.average.swap(learner.policy)
        if self.world.is_main:
            self.metrics.validation(progress, result)
        self.callbacks.validation(result)

    def _save_model(self, result: Validation, validation: ValidationSet) -> None:
        policy, updates = self.learner.policy, self.learner.progress.update
        training = {**self.settings, "updates": updates, "validation": result.to_dict()}
        length = validation.length
        stop = replace(
            validation.stop or StopSettings(),
            threshold=result.overall.threshold,
            max_sentences=result.overall.maximum,
            by="length" if length else "policy",
        )
        config = ModelConfig(policy.config.to_dict(), self.encoder.settings, stop, training, validation.penalties)
        save_policy(self.folder / MODEL_FOLDER, policy, config, self.encoder)
        if length:
            length.save(self.folder / MODEL_FOLDER)

    def _save(self) -> None:
        self._require_finite_weights()
        if self.world.is_main:
            learner, path = self.learner, self.folder / CHECKPOINT_FILE
            save_checkpoint(path, learner.policy, learner.average, learner.optimizer, learner.progress, self.settings)
        self.world.barrier()

    def _require_finite_weights(self) -> None:
        if not all(weight.isfinite().all() for weight in self.learner.policy.parameters()):
            raise self._diverged("network")

    def _diverged(self, what: str) -> TrainingError:
        return TrainingError(
            f"The {what} is not finite at update {self.learner.progress.update}.",
            "The last good checkpoint is kept; try a lower --learning-rate.",
        )


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
