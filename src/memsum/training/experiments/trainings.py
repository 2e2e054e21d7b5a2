"""A training with all that matters for its outcome, and several of them at a time."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from memsum._version import __version__
from memsum.errors import MemsumError, TrainingError
from memsum.features.encoding import TextSettings
from memsum.files import write_atomically
from memsum.parallel import CHUNK_BYTES, map_parallel
from memsum.training.learning.config import TrainingConfig
from memsum.training.policy.config import PolicyConfig

if TYPE_CHECKING:
    from memsum.training.learning.checkpoint import TrainingProgress

Say = Callable[[str], None]

TRAINING_FILE = "recipe.json"
DONE_FILE = "done.json"
_SAY_SECONDS = 5.0


@dataclass(frozen=True)
class Training:
    """How a model is made, and from what: equal trainings have equal keys, and are done once."""

    name: str  # for people; two names of one training share its model
    train: Path
    valid: Path
    corpus_sha256: str
    vectors: Path
    vectors_sha256: str
    network: PolicyConfig
    config: TrainingConfig

    def to_dict(self) -> dict[str, Any]:
        """All that matters for the outcome."""
        return {
            "memsum": __version__,
            "corpus": self.corpus_sha256,
            "vectors": self.vectors_sha256,
            "network": self.network.to_dict(),
            "training": self.config.to_dict(),
        }

    @property
    def key(self) -> str:
        """Short enough for a folder's name."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:16]


def is_done(folder: Path) -> bool:
    """Whether a training came to its end."""
    return (folder / DONE_FILE).exists()


def train_all(trainings: Sequence[tuple[Training, Path]], jobs: int, say: Say) -> None:
    """Train in folders, so many at a time; the first that fails ends the others, to go on later."""

    def announced() -> Iterator[tuple[Training, Path]]:
        for number, (training, folder) in enumerate(trainings, start=1):
            say(f"training {training.name} ({number} of {len(trainings)})")
            yield training, folder

    if jobs == 1 or len(trainings) == 1:
        for training, folder in announced():
            _train(training, folder, say)
        return
    workers = min(jobs, len(trainings))
    try:
        # Each weighs as much as a worker is given at once: none waits for another one's.
        deque(map_parallel(_train_alone, announced(), workers, lost=_died, weigh=lambda one: CHUNK_BYTES), maxlen=0)
    except MemsumError as error:
        raise TrainingError(error.message, error.hint) from None


def _train_alone(one: tuple[Training, Path]) -> None:
    _train(*one)


def _died(one: tuple[Training, Path], status: int) -> None:
    raise TrainingError(
        f"The training of {one[0].name} ended with status {status}.",
        "It may have run out of memory: run the same command again with --jobs 1.",
    )


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def _train(training: Training, folder: Path, say: Say = lambda what: None) -> None:
    """Train in a folder, or go on where a training was interrupted; at its end only the model and its metrics stay."""
    import shutil

    import torch

    from memsum.text.vectors import open_vectors
    from memsum.training.corpus.records import read_corpus
    from memsum.training.learning.checkpoint import CHECKPOINT_FILE
    from memsum.training.learning.distributed import join_world
    from memsum.training.learning.run import fresh_policy, prepare
    from memsum.training.learning.trainer import Callbacks

    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / TRAINING_FILE, _json({"name": training.name, **training.to_dict()}))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the same numbers, however many trainings run at a time
    try:
        with join_world("auto") as world:
            vectors, seed = open_vectors(training.vectors), training.config.seed
            policy, encoder = fresh_policy(training.network, vectors, TextSettings(), seed)
            corpus, valid = training.train, read_corpus(training.valid)
            trainer = prepare(policy, encoder, corpus, valid, training.config, folder, world)
            trainer.callbacks = Callbacks(update=_sayer(training.name, trainer.learner.updates, say))
            done = trainer.run()
    finally:
        torch.set_num_threads(threads)
    write_atomically(folder / DONE_FILE, _json({"updates": done.update, "best": done.best, "seconds": done.seconds}))
    (folder / CHECKPOINT_FILE).unlink(missing_ok=True)
    (folder / "encoded.json").unlink(missing_ok=True)
    shutil.rmtree(folder / "encoded", ignore_errors=True)


def _sayer(name: str, updates: int, say: Say) -> Callable[[TrainingProgress, float], None]:
    said = monotonic()

    def update(progress: TrainingProgress, loss: float) -> None:
        nonlocal said
        if monotonic() - said > _SAY_SECONDS:
            said = monotonic()
            say(f"training {name}: update {progress.update} of {updates}, loss {loss:.3f}")

    return update
