"""A training in a folder: set up, resumed, validated and saved."""

from __future__ import annotations

import json
import math
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import torch

from memsum._version import __version__
from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum.files import write_atomically
from memsum.model import ModelConfig, StopSettings
from memsum_train.corpus.records import Example, read_corpus
from memsum_train.learning.augment import Augmentation
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedCorpus, encode_corpus
from memsum_train.learning.distributed import World
from memsum_train.learning.learner import (
    CHECKPOINT_FILE,
    Learner,
    LossLearner,
    TrainingProgress,
    load_checkpoint,
    save_checkpoint,
)
from memsum_train.learning.objectives import OBJECTIVES
from memsum_train.learning.objectives.imitation import add_marker
from memsum_train.learning.validation import Validation, ValidationSet
from memsum_train.paper.train import AlgorithmOne
from memsum_train.policy import Policy
from memsum_train.policy.device import require_precision
from memsum_train.policy.folder import save_policy
from memsum_train.report.figures import COLORS, drawing, series, write_figure

MODEL_FOLDER = "model"
METRICS_FILE = "metrics.jsonl"
PLOT_FILE = "curves.png"
_EVERY = 20  # updates per line of the metrics
_SHARED_FOLDER = "All machines of a training need the same folder: one on a shared file system."
_CHECKPOINT_SECONDS = 15.0
_BAD_UPDATES = 5  # updates in a row without a finite loss before the training gives up


class TrainingInterruptedError(TrainingError):
    """The user asked to stop; the checkpoint is written."""


@dataclass
class Callbacks:
    """Functions that a training calls to report its progress."""

    update: Callable[[TrainingProgress, float], None] = lambda progress, loss: None
    validation: Callable[[Validation], None] = lambda validation: None
    reading: Callable[[int], None] = lambda count: None  # once per document that is read before the first update


def build_trainer(
    policy: Policy,
    encoder: TextEncoder,
    train: Path,
    valid: Iterable[Example] | None,
    config: TrainingConfig,
    folder: Path,
    world: World,
    *,
    init: str | None = None,
    callbacks: Callbacks | None = None,
    encoded: Path | None = None,
) -> Trainer:
    """Set up a training in a folder; the encoded corpus is kept for other processes and for resuming.

    It is kept in the training's folder, or in `encoded`, which trainings of the same corpus may share.
    """
    callbacks, encoded = callbacks or Callbacks(), encoded or folder / "encoded"
    objective = OBJECTIVES[config.objective]
    objective.check(config, policy.config)
    # The count-based network learns its own stop by self_play; before that, it stops by length.
    by_length = policy.config.history == "counted" and config.objective != "self_play"
    validation = None if valid is None else ValidationSet(valid, encoder, encoder.length if by_length else None)
    if world.is_main:
        for half_written in (*folder.glob(".*.*.tmp"), *(folder / MODEL_FOLDER).glob(".*.*.tmp")):
            half_written.unlink()
        if not EncodedCorpus.saved(encoded):
            shutil.rmtree(encoded, ignore_errors=True)
            # Signals are computed when a document is shown: to save them would take longer than to count them.
            plain = TextEncoder(encoder.vectors, encoder.settings)
            keep = objective.needs_raw_text
            encode_corpus(read_corpus(train), plain, keep_raw_text=keep, advance=callbacks.reading).save(encoded)
    world.barrier()
    if not EncodedCorpus.saved(encoded):
        raise TrainingError(f"The first process has written to {folder}, and this one does not see it.", _SHARED_FOLDER)
    require_precision(world.device, config.precision)
    if config.objective == "repeats":
        torch.manual_seed(config.seed)  # the same in all processes
        add_marker(policy)
    augment = Augmentation(config, encoder, columns=policy.config.columns)
    given = (policy, EncodedCorpus.load(encoded), augment, config, world)
    learner = AlgorithmOne(*given) if objective.loss is None else LossLearner(*given, loss=objective.loss)
    return Trainer(learner, encoder, validation, folder, init, callbacks)


@dataclass
class Trainer:
    """One training in one folder: a learner, and what watches over it."""

    learner: Learner
    encoder: TextEncoder
    validation: ValidationSet | None  # None: the caller judges the averaged weights after the last update
    folder: Path
    init: str | None = None  # the model that it goes on from
    callbacks: Callbacks = field(default_factory=Callbacks)
    limit: float = math.inf  # seconds of training, those before a resumption included

    def __post_init__(self) -> None:
        self.metrics = Metrics(self.folder)
        self.world = self.learner.world

    @property
    def provenance(self) -> dict[str, Any]:
        """Return what the config of a model says of its training."""
        updates = self.learner.progress.update
        return {**self.learner.config.to_dict(), "memsum": __version__, "init": self.init, "updates": updates}

    def run(self) -> TrainingProgress:
        """Train to the end, or until validation no longer improves; resumes from a checkpoint if there is one."""
        learner, config = self.learner, self.learner.config
        self._resume()
        progress = learner.progress
        learner.policy.train()
        began, saved, bad = time.monotonic() - progress.seconds, time.monotonic(), 0
        with _interruptible() as interrupted:
            if progress.best < 0 and self.init:
                self._validate()  # what it starts from is the first to beat
            while progress.update < learner.updates and progress.validations_since_best < config.patience:
                # All processes must agree, here and below, so that none waits for a gradient of one that has stopped.
                if self.limit < math.inf:
                    learner.spent = self.world.sum(progress.seconds) / self.world.size / self.limit
                    if learner.spent >= 1:
                        break
                loss = learner.update()
                progress.seconds = time.monotonic() - began
                bad = 0 if math.isfinite(loss) else bad + 1
                if bad >= min(_BAD_UPDATES, learner.updates):
                    raise self._diverged("loss")
                self.callbacks.update(progress, loss)
                last = progress.update == learner.updates
                if self.world.is_main and not bad:
                    self.metrics.training(progress, loss, learner.optimizer.param_groups[0]["lr"], last)
                if progress.update % min(config.validate_every, learner.updates_per_epoch) == 0 or last:
                    self._validate()
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

    def _resume(self) -> None:
        """Go to where the checkpoint left the training, if there is one."""
        learner, checkpoint = self.learner, self.folder / CHECKPOINT_FILE
        if checkpoint.exists():
            load_checkpoint(checkpoint, learner)
        if len(set(self.world.gather([learner.progress.update]))) > 1:
            raise TrainingError(f"Not all processes see the same {CHECKPOINT_FILE} in {self.folder}.", _SHARED_FOLDER)
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
            result = self.validation.validate(
                learner.policy, learner.config.max_sentences, self.world, learner.config.threshold
            )
            if result.score > progress.best or learner.config.keep == "last":
                progress.best, progress.best_update = result.score, progress.update
                progress.validations_since_best = 0
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
        policy, training = self.learner.policy, {**self.provenance, "validation": result.to_dict()}
        by: Literal["policy", "length"] = "length" if validation.length else "policy"
        stop = StopSettings(result.overall.threshold, result.overall.maximum, by)
        config = ModelConfig(policy.config.to_dict(), self.encoder.settings, stop, training)
        save_policy(self.folder / MODEL_FOLDER, policy, config, self.encoder)

    def _save(self) -> None:
        self._require_finite_weights()
        if self.world.is_main:
            save_checkpoint(self.folder / CHECKPOINT_FILE, self.learner)
        self.world.barrier()

    def _require_finite_weights(self) -> None:
        if not all(weight.isfinite().all() for weight in self.learner.policy.parameters()):
            raise self._diverged("network")

    def _diverged(self, what: str) -> TrainingError:
        return TrainingError(
            f"The {what} is not finite at update {self.learner.progress.update}.",
            "The last good checkpoint is kept; try a lower learning_rate.",
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


# --- metrics -------------------------------------------------------------------------------------------------------


class Metrics:
    """Appends lines; a resumed training first takes back what came after its checkpoint."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / METRICS_FILE

    def rewind(self, update: int) -> None:
        """Drop the lines of updates that will be made again, and a line that was cut off."""
        kept = [json.dumps(line) for line in read_metrics(self.path) if line["update"] <= update]
        write_atomically(self.path, "".join(f"{line}\n" for line in kept).encode())

    def training(self, progress: TrainingProgress, loss: float, rate: float, last: bool) -> None:
        progress.losses.append(loss)
        if progress.update % _EVERY == 0 or last:
            mean = sum(progress.losses) / len(progress.losses)
            progress.losses.clear()
            self._append(progress, {"loss": mean, "learning_rate": rate})

    def validation(self, progress: TrainingProgress, result: Validation) -> None:
        self._append(progress, {"validation": result.to_dict()})

    def _append(self, progress: TrainingProgress, values: dict[str, Any]) -> None:
        line = {
            "update": progress.update,
            "documents": progress.documents,
            "seconds": round(progress.seconds, 1),
            **values,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read all whole lines."""
    lines: list[dict[str, Any]] = []
    for raw in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            lines.append(json.loads(raw))
        except json.JSONDecodeError:
            break
    return lines


def plot_metrics(folder: Path) -> Path:
    """Draw loss and validation ROUGE over the documents seen."""
    lines = read_metrics(folder / METRICS_FILE)
    losses = [(line["documents"], line["loss"]) for line in lines if "loss" in line]
    validations = [(line["documents"], line["validation"]) for line in lines if "validation" in line]
    with drawing(1, 2) as (figure, (left, right)):
        if losses:
            left.plot(*zip(*losses, strict=True), color=COLORS[0], linewidth=1)
        left.set(xlabel="documents seen", ylabel="loss", title="Training loss")
        for number, source in enumerate(validations[0][1]["sources"] if validations else []):
            points = [(seen, 100 * result["sources"][source]["rouge1"]) for seen, result in validations]
            right.plot(*zip(*points, strict=True), label=source, **series(number))
        if validations:
            right.legend()
        right.set(xlabel="documents seen", ylabel="ROUGE-1 F1", title="Validation, at the best stop")
    write_figure(figure, folder / PLOT_FILE)
    return folder / PLOT_FILE
