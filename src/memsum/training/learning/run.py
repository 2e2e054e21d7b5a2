"""A training from files to a model folder: open what it starts from, encode the corpora once, and run the loop."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from memsum._version import __version__
from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.features.expected_length import LengthModel
from memsum.files import write_atomically
from memsum.model import ModelConfig, SelectionPenalties, StopSettings, resolve_model
from memsum.text.vectors import WordVectors, fingerprint, open_vectors
from memsum.training.corpus.records import Example, read_corpus
from memsum.training.learning.algorithm import Learner
from memsum.training.learning.augment import Augmentation
from memsum.training.learning.checkpoint import CHECKPOINT_FILE, TrainingProgress, read_progress
from memsum.training.learning.config import TrainingConfig, require_blocks
from memsum.training.learning.data import EncodedCorpus, encode_corpus
from memsum.training.learning.distributed import World
from memsum.training.learning.metrics import METRICS_FILE, PLOT_FILE
from memsum.training.learning.objectives import OBJECTIVES
from memsum.training.learning.signals import learn_signals
from memsum.training.learning.trainer import MODEL_FOLDER, Callbacks, Trainer, run_settings
from memsum.training.learning.validation import ValidationSet
from memsum.training.policy import Policy, PolicyConfig
from memsum.training.policy.device import require_bf16
from memsum.training.policy.folder import load_policy, new_policy, with_history
from memsum.training.policy.paper.network import PaperNetwork

CONFIG_FILE = "training.json"


def run_training(
    train: Path,
    valid: Path,
    folder: Path,
    config: TrainingConfig,
    world: World,
    *,
    vectors: Path | None = None,
    init: str | None = None,
    blocks: Mapping[str, str] | None = None,
    dropout: float = 0.1,
    text: TextSettings | None = None,
    restart: bool = False,
    callbacks: Callbacks | None = None,
) -> TrainingProgress:
    """Train on a corpus with episodes, from word vectors or from another model; the best model is kept in `model`.

    `blocks` are the fields of `PolicyConfig` that are chosen; a model to go on from must have them.
    """
    if (vectors is None) == (init is None):
        raise TrainingError("A training needs either --vectors or --init.", "See: memsum train --help")
    callbacks = callbacks or Callbacks()
    blocks = blocks or {}
    length, penalties = None, SelectionPenalties()
    if init is not None:
        policy, encoder, own, length = open_init(resolve_model(init))
        penalties = SelectionPenalties(brevity=own.penalties.brevity)
        if blocks.get("history") == "counted" != policy.config.history:
            # The encoders go on from where they are; the memory is another one.
            torch.manual_seed(config.seed)
            policy, encoder = with_history(policy, encoder, "counted")
        require_blocks(policy.config, blocks)
    else:
        assert vectors is not None  # noqa: S101
        network = PolicyConfig.from_dict({**blocks, "dropout": dropout})
        policy, encoder = fresh_policy(network, open_vectors(vectors), text or TextSettings(), config.seed)
    if policy.config.history == "counted":
        learn_signals(encoder, train, folder, world, seed=config.seed, advance=callbacks.reading)
        # Its own stop is learned on-policy; before that, it stops by length.
        length, penalties = None if config.objective == "rehearsal" else encoder.length, SelectionPenalties()
    trainer = prepare(
        policy,
        encoder,
        train,
        read_corpus(valid),
        config,
        folder,
        world,
        init=init,
        length=length,
        penalties=penalties,
        restart=restart,
        callbacks=callbacks,
    )
    return trainer.run()


def fresh_policy(
    config: PolicyConfig, vectors: WordVectors, text: TextSettings, seed: int
) -> tuple[Policy, TextEncoder]:
    """A new policy as wide as the vectors; the seed gives its first weights."""
    encoder = TextEncoder(vectors, text)
    torch.manual_seed(seed)
    return new_policy(replace(config, word_dimension=vectors.dimension), encoder), encoder


def prepare(
    policy: Policy,
    encoder: TextEncoder,
    train: Path,
    valid: Iterable[Example],
    config: TrainingConfig,
    folder: Path,
    world: World,
    *,
    init: str | None = None,
    length: LengthModel | None = None,
    stop: StopSettings | None = None,
    penalties: SelectionPenalties | None = None,
    restart: bool = False,
    callbacks: Callbacks | None = None,
) -> Trainer:
    """Set up a training in a folder; the encoded corpus is kept there for other processes and for resuming."""
    callbacks = callbacks or Callbacks()
    objective = OBJECTIVES[config.objective]
    objective.check(config, policy.config)
    validation = ValidationSet(valid, encoder, length, stop, penalties)
    provenance: dict[str, Any] = {
        "memsum": __version__,
        "train": {"name": train.name, "bytes": train.stat().st_size},
        "validation": {"documents": len(validation), "sentences": sum(len(text) for text in validation.texts)},
        "vectors": fingerprint(encoder.vectors),
        "text": encoder.settings.to_dict(),
        "init": init,
    }
    if restart and int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", "0")):
        raise TrainingError(
            "--restart would discard the training each time torchrun restarts it.",
            "Leave out --restart or torchrun's --max-restarts.",
        )
    checkpoint = folder / CHECKPOINT_FILE
    if checkpoint.exists() and not restart:
        read_progress(checkpoint, run_settings(config, policy, provenance))  # before anything is written over
    encoded = folder / "encoded"
    if world.is_main:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        if restart:
            _clear(folder)
        read_from = {name: provenance[name] for name in ("memsum", "train", "vectors", "text")}
        key = json.dumps({**read_from, "wording": objective.needs_raw_text}, sort_keys=True)
        stamp = folder / "encoded.json"
        if not (EncodedCorpus.saved(encoded) and stamp.exists() and stamp.read_text() == key):
            stamp.unlink(missing_ok=True)
            shutil.rmtree(encoded, ignore_errors=True)
            examples = read_corpus(train, callbacks.reading)
            # Signals are computed when a document is shown: to save them would take longer than to count them.
            plain = TextEncoder(encoder.vectors, encoder.settings)
            encode_corpus(examples, plain, keep_raw_text=objective.needs_raw_text).save(encoded)
            write_atomically(stamp, key.encode())
        settings = {"training": config.to_dict(), "policy": policy.config.to_dict(), **provenance}
        write_atomically(folder / CONFIG_FILE, (json.dumps(settings, indent=2) + "\n").encode())
    world.barrier()
    if not EncodedCorpus.saved(encoded):
        raise TrainingError(
            f"The first process has written to {folder}, and this one does not see it.",
            "All machines of a training need the same folder: one on a shared file system.",
        )
    if config.precision == "bf16":
        require_bf16(world.device)
    if config.repeats and config.objective == "episodes" and isinstance(policy, PaperNetwork):
        torch.manual_seed(config.seed)  # the same in all processes
        policy.add_marker()
    augment = Augmentation(config, encoder)
    learner = Learner(policy, EncodedCorpus.load(encoded), augment, objective.loss, config, world)
    return Trainer(learner, encoder, validation, folder, provenance, callbacks)


def open_init(folder: Path) -> tuple[Policy, TextEncoder, ModelConfig, LengthModel | None]:
    """A trained policy to go on from, and what it knows of the length of summaries."""
    policy, encoder, config = load_policy(folder)
    return policy, encoder, config, config.open_length(folder, encoder)


def _sweep(folder: Path) -> None:
    """Remove what a killed training left half written."""
    for place in (folder, folder / MODEL_FOLDER):
        for half in place.glob(".*.*.tmp"):
            half.unlink()


def _clear(folder: Path) -> None:
    """Remove an earlier training, but nothing that memsum did not write."""
    for name in (CHECKPOINT_FILE, METRICS_FILE, PLOT_FILE, "encoded.json"):
        (folder / name).unlink(missing_ok=True)
    for name in ("encoded", "signals", MODEL_FOLDER):
        if (folder / name).is_symlink():
            raise TrainingError(f"{folder / name} is a link; remove it by hand.")
        shutil.rmtree(folder / name, ignore_errors=True)
