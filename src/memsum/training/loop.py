"""The training loop: sample states of episodes, descend, average, validate, checkpoint."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch

from memsum.errors import TrainingError
from memsum.models import ModelConfig, StopSettings
from memsum.policy import Policy
from memsum.policy.batch import collate, micro_batches
from memsum.policy.device import require_bf16
from memsum.policy.folder import save_policy
from memsum.text.encoding import TextEncoder
from memsum.training.average import Average
from memsum.training.batches import epoch_batches, source_shares
from memsum.training.checkpoint import CHECKPOINT_FILE, Progress, load_checkpoint, save_checkpoint
from memsum.training.config import TrainingConfig
from memsum.training.data import Document, EncodedCorpus
from memsum.training.distributed import World
from memsum.training.furniture import furnish
from memsum.training.hiding import hide
from memsum.training.joining import join
from memsum.training.metrics import Metrics
from memsum.training.objectives import OBJECTIVES
from memsum.training.thinning import thin
from memsum.training.twins import Twins
from memsum.training.validation import Validation, ValidationSet

MODEL_FOLDER = "model"
_CHECKPOINT_SECONDS = 60.0
_BAD_UPDATES = 5  # updates in a row without a finite loss before the training gives up


class TrainingInterruptedError(TrainingError):
    """The user asked to stop; the checkpoint is written."""


def run_settings(config: TrainingConfig, policy: Policy, provenance: dict[str, Any]) -> dict[str, Any]:
    """What must be the same for a training to be resumed."""
    return {**config.to_dict(), **policy.config.to_dict(), **provenance}


@dataclass
class Watch:
    """Callbacks for whoever shows the training to a user."""

    update: Callable[[Progress, float], None] = lambda progress, loss: None
    validation: Callable[[Validation], None] = lambda validation: None


@dataclass
class Trainer:
    """One training in one folder."""

    policy: Policy
    encoder: TextEncoder
    corpus: EncodedCorpus
    validation: ValidationSet
    config: TrainingConfig
    folder: Path
    world: World
    provenance: dict[str, Any]
    watch: Watch = field(default_factory=Watch)

    def __post_init__(self) -> None:
        if self.config.precision == "bf16":
            require_bf16(self.world.device)
        self._twins = Twins(self.encoder) if self.config.twins else None
        if self.config.repeats and self.config.objective == "episodes" and self.policy.config.history == "attention":
            torch.manual_seed(self.config.seed)  # the same in all processes
            self.policy.add_marker()
        self.policy.to(self.world.device)
        self.average = Average(self.policy, self.config.average)
        self.optimizer = torch.optim.AdamW(
            self.policy.parameters(),
            lr=self.config.learning_rate,
            betas=self.config.betas,
            weight_decay=self.config.weight_decay,
            fused=self.world.device.type == "cpu",  # a fifth of the time of the default there
        )
        self.progress = Progress()
        self.updates_an_epoch = math.ceil(len(self.corpus) / self.config.batch)
        self.updates = max(1, round(self.config.epochs * self.updates_an_epoch))
        self.metrics = Metrics(self.folder)

    @property
    def settings(self) -> dict[str, Any]:
        """What this training is."""
        return run_settings(self.config, self.policy, self.provenance)

    def run(self) -> Progress:
        """Train to the end, or until validation no longer improves; resumes from a checkpoint if there is one."""
        checkpoint = self.folder / CHECKPOINT_FILE
        if checkpoint.exists():
            self.progress = load_checkpoint(checkpoint, self.policy, self.average, self.optimizer, self.settings)
        if len(set(self.world.gather([self.progress.update]))) > 1:
            raise TrainingError(
                f"Not all processes see the same {CHECKPOINT_FILE} in {self.folder}.",
                "All machines of a training need the same folder: one on a shared file system.",
            )
        if self.world.leads:
            self.metrics.rewind(self.progress.update)
        self.policy.train()
        began, saved, bad = time.monotonic() - self.progress.seconds, time.monotonic(), 0
        with _interruptible() as interrupted:
            if self.progress.best < 0 and self.provenance["init"]:
                self._validate()  # what it starts from is the first to beat
            while self.progress.update < self.updates and not self._is_exhausted():
                loss = self._update()
                self.progress.seconds = time.monotonic() - began
                bad = 0 if math.isfinite(loss) else bad + 1
                if bad >= min(_BAD_UPDATES, self.updates):
                    raise self._diverged("loss")
                self.watch.update(self.progress, loss)
                last = self.progress.update == self.updates
                if self.world.leads and not bad:
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

    def _update(self) -> float:
        """One step of descent on the global batch's documents; gives their mean loss."""
        update, config, world = self.progress.update, self.config, self.world
        epoch, within = divmod(update, self.updates_an_epoch)
        batches = self._epoch(epoch)
        numbers = batches[within]
        # Everything random depends on the update alone, so that a resumed training takes the same path.
        torch.manual_seed(hash((config.seed, update, world.rank)) & 0x7FFFFFFF)
        self.optimizer.param_groups[0]["lr"] = self._rate()
        self.optimizer.zero_grad(set_to_none=True)
        total = 0.0
        generators = [np.random.default_rng((config.seed, epoch, int(i))) for i in numbers[world.rank :: world.size]]
        mine = [self._document(i, rng) for i, rng in zip(numbers[world.rank :: world.size], generators, strict=True)]
        sentences = np.array([len(document.text) for document in mine])
        for part in micro_batches(range(len(mine)), sentences, config.part_sentences):
            loss = self._loss([mine[i] for i in part], [generators[i] for i in part]) / len(numbers)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        world.sum_gradients(self.policy)
        total = world.sum(total)
        norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), config.clip)
        self.progress.update += 1
        self.progress.documents += len(numbers)
        if not (math.isfinite(total) and math.isfinite(float(norm))):
            return math.nan
        self.optimizer.step()
        self.average.update(self.policy, update)
        return total

    def _document(self, number: int, rng: np.random.Generator) -> Document:
        document = self.corpus[number]
        text = document.text
        if rng.random() < self.config.thinning:
            document = thin(document, rng)
        # Without it nothing is drawn: a training goes on the path that it had before there was joining.
        if self.config.joining and rng.random() < self.config.joining:
            document = join(document, rng)
        if self.config.furniture and rng.random() < self.config.furniture:
            document = furnish(document, rng, self.encoder)
        if self._twins is not None and rng.random() < self.config.twins:
            document = self._twins.copy(document, rng)
        if document.text is text and not self.encoder.settings.signals:
            return document  # its features are known
        document = replace(document, text=self.encoder.compose(document.text))
        return hide(document, rng, self.config.hiding) if self.config.hiding else document

    def _loss(self, documents: Sequence[Document], generators: Sequence[np.random.Generator]) -> torch.Tensor:
        device = self.world.device
        batch = collate([document.text for document in documents]).to(device)
        objective = OBJECTIVES[self.config.objective]
        with torch.autocast(device.type, torch.bfloat16, enabled=self.config.precision == "bf16"):
            return objective.loss(self.policy, batch, documents, generators, self.config)

    def _epoch(self, epoch: int) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
        if getattr(self, "_epoch_number", None) != epoch:
            self._epoch_number = epoch
            shares = source_shares(self.corpus.sources, self.config.temperature)
            self._batches = epoch_batches(self.corpus.sentences, self.config.batch, self.config.seed, epoch, shares)
        return self._batches

    def _rate(self) -> float:
        """Linear warm-up, then a cosine to the final rate."""
        config, update = self.config, self.progress.update
        warm = min(config.warmup, self.updates // 10 + 1)
        if update < warm:
            return config.learning_rate * (update + 1) / warm
        share = (update - warm) / max(1, self.updates - warm)
        cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
        return config.learning_rate * (config.final_rate + (1 - config.final_rate) * cosine)

    def _validate(self) -> None:
        """Score the averaged weights; keep them as the model if they are the best so far."""
        self._require_finite_weights()
        self.average.swap(self.policy)
        try:
            result = self.validation.validate(self.policy, self.config.max_sentences, self.world)
            if result.score > self.progress.best:
                self.progress.best, self.progress.best_update = result.score, self.progress.update
                self.progress.validations_since_best = 0
                if self.world.leads:
                    self._save_model(result)
            else:
                self.progress.validations_since_best += 1
        finally:
            self.average.swap(self.policy)
        if self.world.leads:
            self.metrics.validation(self.progress, result)
        self.watch.validation(result)

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
        if self.world.leads:
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
