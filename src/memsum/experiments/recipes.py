"""A training with all that matters for its outcome: equal recipes have equal keys, and are followed once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from memsum._version import __version__
from memsum.experiments.corpora import Corpus
from memsum.files import write_atomically
from memsum.policy.config import PolicyConfig
from memsum.text.encoding import TextSettings
from memsum.training.config import TrainingConfig

if TYPE_CHECKING:
    from memsum.training.checkpoint import TrainingProgress

RECIPE_FILE = "recipe.json"
DONE_FILE = "done.json"
_SAY_SECONDS = 5.0


@dataclass(frozen=True)
class Recipe:
    """How a model is made, and from what."""

    name: str  # for people; two names of one recipe share its model
    corpus: Corpus
    vectors: Path
    vectors_sha256: str
    network: PolicyConfig
    training: TrainingConfig

    def to_dict(self) -> dict[str, Any]:
        """All that matters, as JSON."""
        return {
            "memsum": __version__,
            "corpus": self.corpus.sha256,
            "vectors": self.vectors_sha256,
            "network": self.network.to_dict(),
            "training": self.training.to_dict(),
        }

    @property
    def key(self) -> str:
        """Short enough for a folder's name."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:16]


def is_done(folder: Path) -> bool:
    """Whether a recipe was followed to its end."""
    return (folder / DONE_FILE).exists()


def follow(recipe: Recipe, folder: Path, say: Callable[[str], None] = lambda what: None) -> None:
    """Train in a folder, or go on where a training was interrupted; at its end only the model and its metrics stay."""
    import shutil

    import torch

    from memsum.text.vectors import open_vectors
    from memsum.training.checkpoint import CHECKPOINT_FILE
    from memsum.training.data import read_corpus
    from memsum.training.distributed import join_world
    from memsum.training.run import fresh_policy, prepare
    from memsum.training.trainer import Callbacks

    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / RECIPE_FILE, _json({"name": recipe.name, **recipe.to_dict()}))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the same numbers, however many trainings run at a time
    try:
        with join_world("auto") as world:
            vectors, seed = open_vectors(recipe.vectors), recipe.training.seed
            policy, encoder = fresh_policy(recipe.network, vectors, TextSettings(), seed)
            corpus, valid = recipe.corpus.train, read_corpus(recipe.corpus.valid)
            trainer = prepare(policy, encoder, corpus, valid, recipe.training, folder, world)
            trainer.callbacks = Callbacks(update=_sayer(recipe.name, trainer.updates, say))
            done = trainer.run()
    finally:
        torch.set_num_threads(threads)
    write_atomically(folder / DONE_FILE, _json({"updates": done.update, "best": done.best, "seconds": done.seconds}))
    (folder / CHECKPOINT_FILE).unlink(missing_ok=True)
    (folder / "encoded.json").unlink(missing_ok=True)
    shutil.rmtree(folder / "encoded", ignore_errors=True)


def _sayer(name: str, updates: int, say: Callable[[str], None]) -> Callable[[TrainingProgress, float], None]:
    said = monotonic()

    def update(progress: TrainingProgress, loss: float) -> None:
        nonlocal said
        if monotonic() - said > _SAY_SECONDS:
            said = monotonic()
            say(f"training {name}: update {progress.update} of {updates}, loss {loss:.3f}")

    return update


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()
